"""dragoman_core: what the replacement libraries of one process share.

One library, opened by each of them on first use (runtime/library.pyx); `dragoman_core_table` is its only export.
It owns the handle slots, the gates, the choice of backend, AMD's libraries, and the log. Once loaded it stays: handles
and functions of it are held by libraries that come and go.

Locks, in the order in which they may be taken: the one lent to the libraries (`rare_mutex`), `open_mutex`,
`card_mutex`, then any of `list_mutex`, `slot_mutex`, `logger_mutex`, inside which nothing is called but writes.
"""

include "dragoman.pxi"

from libc.stdio cimport snprintf
from libc.stdlib cimport calloc, free
from libc.string cimport memcpy, memset, strchr, strcmp, strcpy, strlen, strncmp, strstr

cdef extern from "text.h" nogil:
    int dg_same_word(const char *a, const char *b)
    int core_ini(const char *text, const char *name, char *value, size_t size)
    int core_fits(const char *name, const char *pattern)
    int core_newer(const char *a, const char *b)
    int core_is_digit(char c)
    int core_is_hex(char c)
    int core_is_word(char c)
    int core_has_gpu()
    uint32_t core_version_of(const char *text)
    unsigned core_major(uint32_t version)
    unsigned core_minor(uint32_t version)
    unsigned core_patch(uint32_t version)

cdef extern from "known.h" nogil:
    enum:
        CORE_HIP
        CORE_ROCBLAS
        CORE_ROCSOLVER
        CORE_HIPBLASLT
        CORE_MIOPEN
        CORE_HIPDNN
        CORE_KINDS
        CORE_PAIRS
        CORE_OLDEST_HIP
        CORE_OLDEST_ROCBLAS
    const char *CORE_TOO_OLD
    const char *CORE_WHEEL_BELOW
    const char *CORE_NO_DEVICE
    const char *const core_below[3]
    const char *const core_system[5]

    ctypedef struct core_kind:
        const char *name
        const char *says
        const char *files[6]
        const char *have
    const core_kind core_kinds[6]

    ctypedef struct core_pair:
        unsigned hip_major
        const char *hip
        const char *rocblas
    const core_pair core_pairs[3]

    int core_is_driver(const char *name)
    int core_is_hip(const char *name)
    int core_is_runtime(const char *name)
    int core_is_rocm(const char *name)

cdef extern from "variadic.h" nogil:
    enum:
        DG_LINE
    int core_in_callback
    void core_callback_begin()
    void core_callback_end()
    void core_log(int level, const char *code, const char *format, ...)
    void core_trace(const char *function, long long status, const char *format, ...)

cdef dg_once once
cdef dg_core table
cdef dg_mutex rare_mutex

include "slots.pxi"
include "gates.pxi"
include "log.pxi"
include "settings.pxi"
include "roots.pxi"
include "hip.pxi"
include "process.pxi"
include "backend.pxi"
include "choice.pxi"
include "kernels.pxi"


cdef void *core_alloc(size_t bytes) noexcept nogil:
    return calloc(1, bytes if bytes else 1)


cdef void core_release(void *memory) noexcept nogil:
    free(memory)


cdef void core_lock() noexcept nogil:
    dg_mutex_lock(&rare_mutex)


cdef void core_unlock() noexcept nogil:
    dg_mutex_unlock(&rare_mutex)


ctypedef struct shared_memory:
    shared_memory *next
    char[32] name

cdef shared_memory *shared_list


cdef void *core_shared(const char *name, size_t bytes) noexcept nogil:
    """Memory by name, for as long as the process lives: what the copies of a library's code must have in common."""
    global shared_list
    cdef shared_memory *item
    dg_mutex_lock(&rare_mutex)
    item = shared_list
    while item != NULL and strcmp(item.name, name) != 0:
        item = item.next
    if item == NULL and strlen(name) < sizeof(shared_list.name):
        item = <shared_memory *>calloc(1, sizeof(shared_memory) + bytes)
        if item != NULL:
            strcpy(item.name, name)
            item.next = shared_list
            shared_list = item
    dg_mutex_unlock(&rare_mutex)
    return <void *>(item + 1) if item != NULL else NULL


cdef void mutexes_init() noexcept nogil:
    dg_mutex_init(&rare_mutex, 1)
    dg_mutex_init(&open_mutex, 1)
    dg_mutex_init(&card_mutex, 0)
    dg_mutex_init(&list_mutex, 0)
    dg_mutex_init(&slot_mutex, 0)
    dg_mutex_init(&logger_mutex, 0)


cdef void start() noexcept nogil:
    mutexes_init()
    dg_module_pin(<const void *>&table)
    settings_start()
    log_start()
    slots_reserve()
    dg_at_fork(process_forked)
    dg_at_exit(core_process_ends)
    table.size = sizeof(dg_core)
    table.attach = attach
    table.detach = detach
    table.open = core_open
    table.backend_kind = backend_kind
    table.backend_version = backend_version
    table.check_kernels = check_kernels
    table.slot_new = slot_new
    table.slot_retire = slot_retire
    table.slot_free = slot_free
    table.slot_check = slot_check
    table.log_level = log_level
    table.log = core_log
    table.trace = core_trace
    table.unsupported = unsupported
    table.set_logger = set_logger
    table.get_logger = get_logger
    table.configure_logger = configure_logger
    table.own_runtime = own_runtime
    table.alloc = core_alloc
    table.release = core_release
    table.lock = core_lock
    table.unlock = core_unlock
    table.shared = core_shared
    table.setting = setting_for
    table.gfx = hip_gfx
    table.runtime_used = runtime_used
    table.set_lt_logger = set_lt_logger
    table.set_lt_kinds = set_lt_kinds
    table.abi = DG_ABI


cdef public const dg_core *dragoman_core_table(uint32_t abi) noexcept nogil:
    """The functions, for a library of any version: it compares `abi` itself and says what does not fit."""
    dg_once_run(&once, start)
    return &table


cdef extern from *:
    """
    void core_process_ends(void);
    #ifdef _WIN32
    BOOL WINAPI DllMain(HINSTANCE module, DWORD reason, LPVOID ending) {
        (void)module;
        if (reason == DLL_PROCESS_DETACH && ending) core_process_ends();
        return TRUE;
    }
    #endif
    """
