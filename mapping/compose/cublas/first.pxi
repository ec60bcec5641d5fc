# cuBLAS's first API (`v1` forms): see first.h.
cdef extern from "first.h" nogil:
    void *dg_first_handle
    uint32_t dg_first_error
    void *first_handle()
    void first_status(uint32_t status)
    void dg_zero(void *memory, size_t bytes)
    uint32_t first_op(char c)
    uint32_t first_fill(char c)
    uint32_t first_diag(char c)
    uint32_t first_side(char c)
