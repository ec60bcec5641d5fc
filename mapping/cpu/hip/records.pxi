# What copy.pyx and stream.pyx record, for nodes that are made by hand (graph.h). Include after node.pxi.
cdef extern from "graph.h" nogil:
    hipError_t host_copy_record(void *dst, const void *src, size_t bytes, int kind, host_recorded *to)
    hipError_t host_box_record(const hipMemcpy3DParms *box, host_recorded *to)
    hipError_t host_fill_record(const hipMemsetParams *fill, host_recorded *to)
    hipError_t host_function_record(const hipHostNodeParams *call, host_recorded *to)
    hipError_t host_event_record(hipEvent_t event, host_recorded *to)
    int host_same_sides(const void *record, const void *other)
    int host_never(void *record)
