# What graph.pyx offers to the other units. Include after node.pxi.
cdef extern from "graph.h" nogil:
    host_graph *host_graph_new()
    void host_graph_free(host_graph *graph)
    host_graph *host_graph_of(const void *handle)
    host_node *host_node_new(
        host_graph *graph, int type, dg_run run, const void *record, size_t bytes, host_node *const *before,
        size_t count)
    int host_graph_keep_memory(host_graph *graph, void *memory)
    int host_graph_mark(host_graph *graph, host_node *const *start, size_t count)
