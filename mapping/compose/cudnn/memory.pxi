# Memory of the handle's (work.pyx).

cdef extern from "support.h" nogil:
    bint dnn_captured(dnn_handle *h)
    void *dnn_scratch(dnn_handle *h, size_t bytes)
    void *dnn_kept(dnn_handle *h, size_t bytes)
    void dnn_kept_left(dnn_handle *h)
    void *dnn_host(dnn_handle *h, int which, size_t bytes)
