# The types of graph.h for Cython. Include after hip.pxi.
cdef extern from "graph.h" nogil:
    ctypedef int (*dg_run)(void *record) noexcept nogil
    enum:
        HOST_NODE_KERNEL, HOST_NODE_MEMCPY, HOST_NODE_MEMSET, HOST_NODE_HOST, HOST_NODE_GRAPH, HOST_NODE_EMPTY
        HOST_NODE_WAIT, HOST_NODE_EVENT, HOST_NODE_ALLOC, HOST_NODE_FREE
    ctypedef struct host_held:
        host_slot *object
        unsigned count
    ctypedef struct host_graph:
        host_slot *handle
        host_node *first
        host_node *last
        size_t count
        host_held *held
        size_t held_count
        int recording
        host_node *owner
    ctypedef struct host_node:
        host_slot *handle
        host_graph *graph
        host_node *next
        host_node **before
        size_t before_count
        uint64_t origin
        host_graph *child
        dg_run run
        size_t bytes
        int type
        int off
        uint32_t mark
        uint32_t place
    ctypedef struct dg_recorder:
        const int *open
        int (*state)(const void *stream) noexcept nogil
        int (*record)(const void *stream, dg_run run, const void *record, size_t bytes) noexcept nogil
        int (*refuse)(const void *stream) noexcept nogil
    void *host_record_of(host_node *node)
    ctypedef struct hipMemsetParams:
        void *dst
        unsigned elementSize
        size_t height
        size_t pitch
        unsigned value
        size_t width
    ctypedef struct hipHostNodeParams:
        hipHostFn_t fn
        void *userData
    ctypedef struct host_recorded:
        dg_run run
        size_t bytes
        void *record  # bytes
    void *host_record_room(host_recorded *recorded, dg_run function, size_t size)
