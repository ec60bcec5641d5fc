# What copy.pyx and stream.pyx record, for nodes that are made by hand (graph.h). Include after node.pxi.
cdef extern from "graph.h" nogil:
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
    hipError_t host_copy_record(void *dst, const void *src, size_t bytes, int kind, dg_run *run, void *record,
                                size_t *room)
    hipError_t host_box_record(const hipMemcpy3DParms *box, dg_run *run, void *record, size_t *room)
    hipError_t host_fill_record(
        void *dst, size_t pitch, unsigned value, unsigned element, size_t width, size_t height, dg_run *run,
        void *record, size_t *room)
    hipError_t host_function_record(hipHostFn_t function, void *data, dg_run *run, void *record, size_t *room)
    int host_event_happens(void *record)
    int host_same_sides(const void *record, const void *other)
