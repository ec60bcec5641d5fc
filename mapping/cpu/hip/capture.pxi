# What capture.pyx offers to the other units. Include after node.pxi.
cdef extern from "graph.h" nogil:
    int host_capture(const void *stream)
    int host_open_captures
    hipError_t host_forbidden()
    int host_capture_of(const void *stream)
    hipError_t host_forbidden_now()
    hipError_t host_record(const void *stream, int type, dg_run run, const void *record, size_t bytes)
    hipError_t host_capture_event(host_slot *event, const void *stream)
    hipError_t host_capture_wait(const void *stream, const host_slot *event)
    hipError_t host_captured_event(const host_slot *event, int breaks)
    hipError_t host_refuse_capture(const void *stream)
    hipError_t host_refuse_all()
    hipError_t host_capture_alloc(const void *stream, void **memory, size_t bytes)
    void host_leave_capture(host_slot *stream)
    void host_forget_event(host_slot *event)
