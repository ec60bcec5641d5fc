"""A generated library's side of the core: opening it on first use, and asking it.

Compiled into every replacement library (libcublas.so.12 …) beside that library's `dg_own_library`. Nothing here runs
while the library is being loaded: the first call of a function starts it. There is no lock: every step of the start
may be done twice, so threads that arrive together all do it, and a process forked in the middle is not stuck.
"""

include "dragoman.pxi"

from libc.stdio cimport snprintf
from libc.string cimport strcmp, strlen

cdef extern from *:
    """
    dg_gate dg_own_gate;        /* zero: every handle goes the cold way until the core opens it */
    const dg_core *dg_the_core;

    /* The library is being unloaded: its gate must be off the core's list before its memory is gone. At the end of
     * the process the core answers at once. */
    #ifdef _WIN32
    BOOL WINAPI DllMain(HINSTANCE module, DWORD reason, LPVOID ending) {
        (void)module;
        if (reason == DLL_PROCESS_DETACH && !ending && dg_the_core) dg_the_core->detach(&dg_own_library);
        return TRUE;
    }
    #else
    __attribute__((destructor)) static void dg_unloaded(void) {
        if (dg_the_core) dg_the_core->detach(&dg_own_library);
    }
    #endif
    """
    dg_library dg_own_library
    const dg_core *dg_the_core

ctypedef const dg_core *(*core_entry)(uint32_t abi) noexcept nogil

cdef int refused  # 1: the line was written; a later call may still succeed where the file has appeared


cdef void refuse(const char *code, const char *what, const char *where, const char *remedy) noexcept nogil:
    """One line on stderr, once a library. The core's log is what could not be had."""
    cdef char[2 * DG_PATH] line
    cdef int length
    if dg_exchange(&refused, 1):
        return
    length = snprintf(line, sizeof(line), b"dragoman: %s %s: %s %s. %s\n", code,
                      dg_own_library.name, what, where, remedy)
    if 0 < length < <int>sizeof(line):
        dg_write_stderr(line, length)


cdef void *beside(char *path) noexcept nogil:
    """The core in the folder of this library: as the program named it, then where links lead. `path` says where."""
    cdef char[DG_PATH] own
    cdef char[DG_PATH] real
    cdef void *module = NULL
    path[0] = 0
    if dg_module_file_of(&dg_own_library, own, sizeof(own)) < 0:
        return NULL
    if dg_real_path(own, real, sizeof(real)) < 0:
        real[0] = 0
    if dg_cut_name(own) and dg_join(path, DG_PATH, own, DG_CORE_FILE) > 0 and dg_is_file(path):
        module = dg_module_open_for_good(path)
    elif real[0] and dg_cut_name(real) and dg_join(path, DG_PATH, real, DG_CORE_FILE) > 0 and dg_is_file(path):
        module = dg_module_open_for_good(path)
    return module


cdef public int dg_start() noexcept nogil:
    cdef const dg_core *core = <const dg_core *>dg_load_pointer(<void **>&dg_the_core)
    cdef char[DG_PATH] path
    cdef char[DG_PATH] why
    cdef void *module
    cdef core_entry entry
    cdef int reason
    if core != NULL:
        return DG_OK
    module = dg_module_loaded(DG_CORE_FILE)
    path[0] = 0
    if module == NULL:
        module = beside(path)
    if module == NULL:
        if path[0] and dg_is_file(path):
            dg_module_error(path, why, sizeof(why))
            refuse(b"D014", b"cannot load its core:", why, b"Install dragoman's libraries again")
        else:
            refuse(b"D003", b"no", <const char *>path if path[0] else DG_CORE_FILE,
                   b"Keep dragoman's libraries together in one folder")
        return DG_NO_BACKEND
    entry = <core_entry>dg_module_symbol(module, DG_CORE_ENTRY)
    core = entry(DG_ABI) if entry != NULL else NULL
    if core == NULL or core.abi != DG_ABI or core.size < sizeof(dg_core):
        if dg_module_file_of(<void *>entry, path, sizeof(path)) < 0:
            path[0] = 0
        refuse(b"D004", b"belongs to another version of dragoman than", <const char *>path if path[0] else DG_CORE_FILE,
               b"Install all of dragoman's libraries from one version")
        return DG_NO_BACKEND
    reason = core.attach(&dg_own_library)
    if reason != DG_OK:
        return reason
    dg_store_pointer(<void **>&dg_the_core, <void *>core)
    return DG_OK


cdef public int dg_need(const char *backend) noexcept nogil:
    cdef int reason = dg_start()
    return reason if reason != DG_OK else dg_the_core.open(&dg_own_library, backend)


cdef public int dg_admit(const void *handle, uint32_t magic) noexcept nogil:
    cdef int reason = dg_start()
    if reason == DG_OK:
        reason = dg_the_core.slot_check(handle, magic)
    if reason == DG_OK and dg_own_library.backend_count and dg_load(&dg_own_library.backends[0].state) != 1:
        # The handle may be another library's, or older than this one's loading: its table may be empty still.
        reason = dg_the_core.open(&dg_own_library, dg_own_library.backends[0].library)
    return reason
