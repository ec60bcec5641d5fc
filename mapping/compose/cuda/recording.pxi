# What is known of a recording. Included by before12.pxi and later.pxi, after common.pxi.


cdef inline CUresult recording(
    cudaStream_t stream, CUstreamCaptureStatus *capturing, uint64_t *id, CUgraph *graph, const CUgraphNode **nodes,
    size_t *count
) noexcept nogil:
    """The graphs of recordings are not to be had from this driver, nor what the next node would depend on."""
    cdef CUresult status = at_work()
    if status == CUDA_SUCCESS:
        status = of_hip(dg_hip.hipStreamIsCapturing(stream, <int *>capturing))
    if status != CUDA_SUCCESS:
        return status
    if id != NULL:
        id[0] = 0
    if graph != NULL:
        graph[0] = NULL
    if nodes != NULL:
        nodes[0] = NULL
    if count != NULL:
        count[0] = 0
    return CUDA_SUCCESS
