# Edges of graphs, of which HIP has the plain kind only. Included by graphs.pxi and since13.pxi, after plain.pxi.


cdef inline cudaError_t clear_edges(cudaError_t status, cudaGraphEdgeData *edges, const size_t *count) noexcept nogil:
    """What a plain edge looks like in the answer."""
    if status == cudaSuccess and edges != NULL and count != NULL:
        memset(<void *>edges, 0, 8 * count[0])
    return status


cdef inline cudaError_t graph_edges(
    cudaGraph_t graph, cudaGraphNode_t *from_, cudaGraphNode_t *to, cudaGraphEdgeData *edges, size_t *count
) noexcept nogil:
    return clear_edges(of_hip(dg_hip.hipGraphGetEdges(graph, from_, to, count)), edges, count)


cdef inline cudaError_t node_dependencies(
    cudaGraphNode_t node, cudaGraphNode_t *nodes, cudaGraphEdgeData *edges, size_t *count
) noexcept nogil:
    return clear_edges(of_hip(dg_hip.hipGraphNodeGetDependencies(node, nodes, count)), edges, count)


cdef inline cudaError_t node_dependents(
    cudaGraphNode_t node, cudaGraphNode_t *nodes, cudaGraphEdgeData *edges, size_t *count
) noexcept nogil:
    return clear_edges(of_hip(dg_hip.hipGraphNodeGetDependentNodes(node, nodes, count)), edges, count)


cdef inline cudaError_t add_edges(
    cudaGraph_t graph, const cudaGraphNode_t *from_, const cudaGraphNode_t *to, const cudaGraphEdgeData *edges,
    size_t count
) noexcept nogil:
    if not plain_edges(edges, count):
        return refused(cudaErrorNotSupported)
    return of_hip(dg_hip.hipGraphAddDependencies(graph, from_, to, count))


cdef inline cudaError_t remove_edges(
    cudaGraph_t graph, const cudaGraphNode_t *from_, const cudaGraphNode_t *to, const cudaGraphEdgeData *edges,
    size_t count
) noexcept nogil:
    if not plain_edges(edges, count):
        return refused(cudaErrorNotSupported)
    return of_hip(dg_hip.hipGraphRemoveDependencies(graph, from_, to, count))
