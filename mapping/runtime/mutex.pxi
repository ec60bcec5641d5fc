# platform.h's lock for Cython; all zeros is an open one.

cdef extern from "platform.h" nogil:
    ctypedef struct dg_mutex:
        pass
    void dg_mutex_lock(dg_mutex *)
    void dg_mutex_unlock(dg_mutex *)
    bint dg_mutex_trylock(dg_mutex *)
