# Contents of descriptors of sequences (contents.pyx, support.h).

from libc.stdint cimport uint64_t

cdef extern from "support.h" nogil:
    void *dnn_content_new(size_t bytes)
    void dnn_content_put(uint64_t *place, void *content)
    void *dnn_content_taken(uint64_t *place)
    void dnn_content_left(void *content)
    void *dnn_held(dnn_handle *h, int which, uint64_t *place)
