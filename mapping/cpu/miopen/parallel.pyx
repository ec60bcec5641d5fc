# cython: language_level=3, cdivision=True, boundscheck=False, wraparound=False
"""Threads and scratch memory of the CPU backend's MIOpen.

One knob for all: the number of threads is OpenBLAS's (`OPENBLAS_NUM_THREADS`). While the pool works, OpenBLAS is set to
one thread, so that a product inside a job never starts others; where the pool does not help, products use OpenBLAS's
own threads. So no more threads run than there are processors.
"""
include "miopen.pxi"

cdef extern from "parallel.h" nogil:
    ctypedef struct dg_mutex:
        pass
    void dg_mutex_lock(dg_mutex *)
    void dg_mutex_unlock(dg_mutex *)
    bint dg_mutex_trylock(dg_mutex *)
    enum:
        MI_THREADS
    dg_mutex mi_turn
    int mi_inside
    int scipy_openblas_get_num_threads64_()
    void mi_run(int64_t count, int64_t grain, int threads, mi_job job, void *context)
    void *mi_memory(size_t bytes)
    void mi_memory_done(void *memory)


cdef public int mi_threads() noexcept nogil:
    cdef int threads
    if mi_inside:
        return 1
    threads = scipy_openblas_get_num_threads64_()
    return threads if threads < MI_THREADS else MI_THREADS


cdef public void mi_parallel(int64_t count, int64_t grain, mi_job job, void *context) noexcept nogil:
    cdef int threads
    cdef int64_t share
    if count <= 0:
        return
    if count <= grain or mi_inside or not dg_mutex_trylock(&mi_turn):
        job(context, 0, count)
        return
    threads = mi_threads()
    if threads <= 1:
        dg_mutex_unlock(&mi_turn)
        job(context, 0, count)
        return
    # A few pieces each, so that a thread that is held up does not hold up all.
    share = count / (4 * threads)
    mi_run(count, share if share > grain else grain, threads, job, context)
    dg_mutex_unlock(&mi_turn)


cdef public void *mi_scratch(size_t bytes) noexcept nogil:
    return mi_memory(bytes)


cdef public void mi_scratch_done(void *memory) noexcept nogil:
    mi_memory_done(memory)
