# Functions whose parameters changed with CUDA 13, as CUDA 11 and 12 have them.
include "common.pxi"
include "batch.pxi"


cdef inline cudaError_t copy_batch_12(
    void **dsts, void **srcs, size_t *sizes, size_t count, cudaMemcpyAttributes *attributes, size_t *indices,
    size_t attribute_count, size_t *fail_index, cudaStream_t stream
) noexcept nogil:
    cdef size_t failed = <size_t>-1  # no single copy is to blame
    cdef cudaError_t status = copy_all(dsts, srcs, sizes, count, &failed, stream)
    if status != cudaSuccess and fail_index != NULL:
        fail_index[0] = failed
    return status
