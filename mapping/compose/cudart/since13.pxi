# Functions whose parameters changed with CUDA 13.
include "common.pxi"
include "plain.pxi"
include "capture.pxi"
include "edges.pxi"
include "memory_place.pxi"
include "batch.pxi"


cdef inline cudaError_t copy_batch(
    void *const *dsts, const void *const *srcs, const size_t *sizes, size_t count, cudaMemcpyAttributes *attributes,
    size_t *indices, size_t attribute_count, cudaStream_t stream
) noexcept nogil:
    cdef size_t failed = 0
    return copy_all(<void **>dsts, <void **>srcs, sizes, count, &failed, stream)
