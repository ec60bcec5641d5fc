# cython: language_level=3, cdivision=True, boundscheck=False, wraparound=False
"""Threads and scratch memory of a library of the CPU backend.

One knob for all: the number of threads is OpenBLAS's (`OPENBLAS_NUM_THREADS`). While the pool works, OpenBLAS is set to
one thread, so that a product inside a job never starts others; where the pool does not help, products use OpenBLAS's
own threads. So no more threads run than there are processors.
"""
from libc.stddef cimport size_t
from libc.stdint cimport int64_t

include "mutex.pxi"

cdef extern from "pool.h" nogil:
    ctypedef void (*crew_job)(void *, int64_t, int64_t) noexcept nogil
    enum:
        CREW_THREADS
    dg_mutex crew_turn
    int crew_inside
    int scipy_openblas_get_num_threads64_()
    void crew_run(int64_t count, int64_t grain, int threads, crew_job job, void *context)
    void *crew_memory(size_t bytes)
    void crew_memory_done(void *memory)


cdef public int crew_threads() noexcept nogil:
    cdef int threads
    if crew_inside:
        return 1
    threads = scipy_openblas_get_num_threads64_()
    return threads if threads < CREW_THREADS else CREW_THREADS


cdef public void crew_parallel(int64_t count, int64_t grain, crew_job job, void *context) noexcept nogil:
    cdef int threads
    cdef int64_t share
    if count <= 0:
        return
    if count <= grain or crew_inside or not dg_mutex_trylock(&crew_turn):
        job(context, 0, count)
        return
    threads = crew_threads()
    if threads <= 1:
        dg_mutex_unlock(&crew_turn)
        job(context, 0, count)
        return
    # A few pieces each, so that a thread that is held up does not hold up all.
    share = count / (4 * threads)
    crew_run(count, share if share > grain else grain, threads, job, context)
    dg_mutex_unlock(&crew_turn)


cdef enum:
    SMALL = 131072  # operations below which a thread is not worth waking
    LARGE = 8388608  # operations that OpenBLAS shares out well by itself


cdef public void crew_members(int64_t count, double cost, crew_job job, void *context) noexcept nogil:
    if cost > LARGE and count < crew_threads():
        job(context, 0, count)
    else:
        crew_parallel(count, 1 + <int64_t>(SMALL / (cost + 1)), job, context)


cdef public void *crew_scratch(size_t bytes) noexcept nogil:
    return crew_memory(bytes)


cdef public void crew_scratch_done(void *memory) noexcept nogil:
    crew_memory_done(memory)
