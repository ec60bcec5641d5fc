# record.h for Cython.
cdef extern from "record.h" nogil:
    ctypedef int (*dg_run)(void *record) noexcept nogil
    int record_state(const void *stream)
    void record_find()
    int record_keep(const void *stream, dg_run run, const void *record, size_t bytes)
    void record_refuse(const void *stream)
