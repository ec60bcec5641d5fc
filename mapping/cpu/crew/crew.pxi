# crew.h for Cython.
from libc.stdint cimport int64_t

cdef extern from "crew.h" nogil:
    ctypedef void (*crew_job)(void *, int64_t, int64_t) noexcept nogil
    void crew_members(int64_t count, double cost, crew_job job, void *context)
