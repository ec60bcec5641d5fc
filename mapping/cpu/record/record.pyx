# cython: language_level=3, cdivision=True, boundscheck=False, wraparound=False
"""The HIP runtime beside a compute library of the CPU backend, asked for its recorder (recorder.h); a unit of each
library."""
from libc.stddef cimport size_t

cdef extern from "platform.h" nogil:
    """
    #include "record.h"
    static const volatile int record_nothing;
    const volatile int *record_open = &record_nothing;
    static const dg_recorder *record_runtime;
    static dg_once record_once;

    /* RECORD_HIP, its file's name, is the build's. By its whole path: another runtime may be in the process, and its
     * streams are not ours. */
    static void record_look(void) {
        char folder[DG_PATH], file[DG_PATH];
        const dg_recorder *(*offer)(void) = 0;
        void *module;
        if (dg_module_file_of((const void *)(uintptr_t)record_look, folder, sizeof folder) < 0 ||
            !dg_cut_name(folder) || dg_join(file, sizeof file, folder, RECORD_HIP) < 0)
            return;
        module = dg_module_open(file, 0);
        if (module) *(void **)&offer = dg_module_symbol(module, "hipDragomanRecorder");
        if (!offer) return;
        record_runtime = offer();
        record_open = record_runtime->open;
    }
    static void record_look_once(void) { dg_once_run(&record_once, record_look); }
    static int record_runtime_state(const void *stream) {
        return stream == RECORD_NO_STREAM ? 0 : record_runtime->state(stream);
    }
    static int record_runtime_keep(const void *stream, dg_run run, const void *record, size_t bytes) {
        return record_runtime->record(stream, run, record, bytes);
    }
    static void record_runtime_refuse(const void *stream) { record_runtime->refuse(stream); }
    """
    ctypedef int (*dg_run)(void *record) noexcept nogil
    void record_look_once()
    int record_runtime_state(const void *stream)
    int record_runtime_keep(const void *stream, dg_run run, const void *record, size_t bytes)
    void record_runtime_refuse(const void *stream)


cdef public void record_find() noexcept nogil:
    record_look_once()


cdef public int record_ask(const void *stream) noexcept nogil:
    return record_runtime_state(stream)


cdef public int record_keep(const void *stream, dg_run run, const void *record, size_t bytes) noexcept nogil:
    return record_runtime_keep(stream, run, record, bytes)


cdef public void record_refuse(const void *stream) noexcept nogil:
    record_runtime_refuse(stream)
