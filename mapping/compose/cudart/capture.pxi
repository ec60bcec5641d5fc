# Recording of streams where CUDA tells of edges and HIP does not. Included by stream.pxi and since13.pxi, after
# plain.pxi.


cdef inline cudaError_t capture_info_edges(
    cudaStream_t stream, cudaStreamCaptureStatus *status, unsigned long long *id, cudaGraph_t *graph,
    const cudaGraphNode_t **nodes, const cudaGraphEdgeData **edges, size_t *count
) noexcept nogil:
    if edges != NULL:
        edges[0] = NULL  # all plain
    return of_hip(dg_hip.hipStreamGetCaptureInfo_v2(stream, status, id, graph, nodes, count))


cdef inline cudaError_t update_capture_edges(
    cudaStream_t stream, cudaGraphNode_t *nodes, const cudaGraphEdgeData *edges, size_t count, unsigned int flags
) noexcept nogil:
    if not plain_edges(edges, count):
        return refused(cudaErrorNotSupported)
    return of_hip(dg_hip.hipStreamUpdateCaptureDependencies(stream, nodes, count, flags))
