# Forms of CUDA 12 that CUDA 13's header leads to. Included by before13.pxi and since13.pxi, after common.pxi.
include "creation.pxi"
include "recording.pxi"

cdef extern from "contexts.h" nogil:
    ctypedef struct cuda_wishes:
        void *shares
        int count
        void *graphics
    ctypedef struct cuda_place:
        int type
        int id


cdef inline CUresult context_create_with(
    CUcontext *context, CUctxCreateParams *params, unsigned int flags, CUdevice device
) noexcept nogil:
    """Parameters that ask for nothing are as good as none."""
    cdef const cuda_wishes *wishes = <const cuda_wishes *>params
    if wishes == NULL:
        return context_create(context, flags, device)
    if wishes.count < 0 or (wishes.count > 0) != (wishes.shares != NULL):
        return CUDA_ERROR_INVALID_VALUE
    if wishes.graphics != NULL:
        return CUDA_ERROR_NOT_SUPPORTED if wishes.count == 0 else CUDA_ERROR_INVALID_VALUE  # never both
    return CUDA_ERROR_UNSUPPORTED_EXEC_AFFINITY if wishes.count else context_create(context, flags, device)


cdef inline bint device_of_place(const CUmemLocation *location, int *device) noexcept nogil:
    """HIP's number of a place: a device's own, -1 for the host. Parts of the host's memory are the host."""
    cdef const cuda_place *place = <const cuda_place *>location
    device[0] = place.id if place.type == 1 else -1
    return 1 <= place.type <= 4


cdef inline CUresult advise_at(CUdeviceptr pointer, size_t bytes, int advice, CUmemLocation location) noexcept nogil:
    cdef int device = 0
    cdef CUresult status = at_work()
    if status != CUDA_SUCCESS:
        return status
    # HIP has more advice, which means nothing to CUDA
    if not 1 <= advice <= 6 or not device_of_place(&location, &device):
        return CUDA_ERROR_INVALID_VALUE
    return of_hip(dg_hip.hipMemAdvise(<const void *>pointer, bytes, advice, device))


cdef inline CUresult prefetch_to(
    CUdeviceptr pointer, size_t bytes, CUmemLocation location, unsigned int flags, cudaStream_t stream
) noexcept nogil:
    cdef int device = 0
    cdef CUresult status = at_work()
    if status != CUDA_SUCCESS:
        return status
    if flags != 0 or not device_of_place(&location, &device):
        return CUDA_ERROR_INVALID_VALUE
    return of_hip(dg_hip.hipMemPrefetchAsync(<const void *>pointer, bytes, device, stream))


cdef inline CUresult recording_edges(
    cudaStream_t stream, CUstreamCaptureStatus *capturing, uint64_t *id, CUgraph *graph, const CUgraphNode **nodes,
    const CUgraphEdgeData **edges, size_t *count
) noexcept nogil:
    cdef CUresult status = recording(stream, capturing, id, graph, nodes, count)
    if status == CUDA_SUCCESS and edges != NULL:
        edges[0] = NULL
    return status
