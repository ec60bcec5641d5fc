# Device memory for the time of one composed call, ordered on the handle's stream.
#
# The program's workspace is taken where it is large enough: under stream capture nothing need be allocated then. It may
# begin anywhere, so its first aligned byte counts. Else the stream's own pool, which neither waits nor stops other
# streams; where HIP has no pool, plain memory, whose release waits.

cdef enum:
    SCRATCH_NONE = 0
    SCRATCH_WORKSPACE = 1
    SCRATCH_POOL = 2
    SCRATCH_PLAIN = 3
    SCRATCH_ALIGN = 256

ctypedef struct scratch:
    void *memory
    int origin


cdef inline cublasStatus_t scratch_take(dg_blas *h, size_t bytes, scratch *taken) noexcept nogil:
    cdef int device = h.device
    cdef uint32_t status
    cdef size_t skipped = <size_t>((0 - <uintptr_t>h.workspace) & (SCRATCH_ALIGN - 1))
    taken.memory = NULL
    taken.origin = SCRATCH_NONE
    if h.workspace is not NULL and h.workspace_size >= bytes + skipped:
        taken.memory = <char *>h.workspace + skipped
        taken.origin = SCRATCH_WORKSPACE
        return CUBLAS_STATUS_SUCCESS
    dg_hip.hipGetDevice(&device)
    if device != h.device:
        dg_hip.hipSetDevice(h.device)
    status = dg_hip.hipMallocAsync(&taken.memory, bytes, to_stream(h.stream))
    taken.origin = SCRATCH_POOL
    if status == hipErrorNotSupported:
        status = dg_hip.hipMalloc(&taken.memory, bytes)
        taken.origin = SCRATCH_PLAIN
    if device != h.device:
        dg_hip.hipSetDevice(device)
    return CUBLAS_STATUS_SUCCESS if status == 0 else CUBLAS_STATUS_ALLOC_FAILED


cdef inline void scratch_give(dg_blas *h, scratch *taken) noexcept nogil:
    if taken.origin == SCRATCH_POOL:
        dg_hip.hipFreeAsync(taken.memory, to_stream(h.stream))
    elif taken.origin == SCRATCH_PLAIN:
        dg_hip.hipFree(taken.memory)
