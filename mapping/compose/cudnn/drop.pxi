# Dropout (drop.pyx).

cdef extern from "support.h" nogil:
    uint32_t dnn_dropout_set(dnn_handle *h, dnn_dropout *d, int fresh)
    void *dnn_dropout_drawing(dnn_handle *h, dnn_dropout *d)
    uint32_t dnn_dropped(dnn_handle *h, dnn_dropout *d, int back, int type, int64_t count, const void *x, void *y,
                         void *mask, void *memory)
