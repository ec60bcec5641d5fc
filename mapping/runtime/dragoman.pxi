# dragoman.h and platform.h for Cython; include it into a .pyx of the run time. See the headers for what things mean.

from libc.stdint cimport int32_t, uint16_t, uint32_t, uint64_t, uintptr_t

cdef extern from "dragoman.h" nogil:
    enum:
        DG_ABI
        DG_BLAS
        DG_OK
        DG_BAD_HANDLE
        DG_FORKED
        DG_NO_BACKEND
        DG_NO_MEMORY
        DG_NO_KERNELS
        DG_CLOSING
        DG_UNSUPPORTED
        DG_LOG_OFF
        DG_LOG_ERROR
        DG_LOG_INFO
        DG_LOG_TRACE
        DG_BACKEND_NONE
        DG_BACKEND_ROCM
        DG_BACKEND_CPU
        DG_BACKEND_DIR
    const char *DG_CORE_FILE
    const char *DG_CORE_ENTRY

    ctypedef struct dg_gate:
        uintptr_t base
        uintptr_t span

    ctypedef struct dg_import:
        const char *name
        void **slot
        void *missing
        void *older
        uint32_t older_below

    ctypedef struct dg_backend:
        const char *library
        const dg_import *imports
        size_t count
        int state

    ctypedef struct dg_library:
        uint32_t abi
        const char *name
        int cuda_major
        dg_gate *gate
        dg_backend *backends
        size_t backend_count
        dg_library *next

    ctypedef void (*dg_log_callback)(const char *message) noexcept nogil
    ctypedef void (*dg_lt_callback)(int level, const char *function, const char *message) noexcept nogil

    ctypedef struct dg_core:
        uint32_t abi
        uint32_t size
        int (*attach)(dg_library *library) noexcept nogil
        void (*detach)(dg_library *library) noexcept nogil
        int (*open)(dg_library *library, const char *backend) noexcept nogil
        int (*backend_kind)() noexcept nogil
        uint32_t (*backend_version)(const char *backend) noexcept nogil
        int (*check_kernels)(dg_library *library) noexcept nogil
        void *(*slot_new)(uint32_t magic) noexcept nogil
        int (*slot_retire)(void *slot, uint32_t magic) noexcept nogil
        void (*slot_free)(void *slot) noexcept nogil
        int (*slot_check)(const void *slot, uint32_t magic) noexcept nogil
        int (*log_level)() noexcept nogil
        void (*log)(int level, const char *code, const char *format, ...) noexcept nogil
        void (*trace)(const char *function, long long status, const char *format, ...) noexcept nogil
        void (*unsupported)(uint32_t *said, const char *function, const char *reason, const char *where) noexcept nogil
        void (*set_logger)(dg_log_callback callback) noexcept nogil
        dg_log_callback (*get_logger)() noexcept nogil
        int (*configure_logger)(int on, int to_stdout, int to_stderr, const char *file) noexcept nogil
        void (*own_runtime)(dg_library *library) noexcept nogil
        void *(*alloc)(size_t bytes) noexcept nogil
        void (*release)(void *memory) noexcept nogil
        void (*lock)() noexcept nogil
        void (*unlock)() noexcept nogil
        void *(*shared)(const char *name, size_t bytes) noexcept nogil
        int (*setting)(const char *name, char *value, size_t size) noexcept nogil
        int (*gfx)(int device, char *text, size_t size) noexcept nogil
        int (*runtime_used)() noexcept nogil
        void (*set_lt_logger)(dg_lt_callback callback) noexcept nogil
        void (*set_lt_kinds)(int kinds) noexcept nogil

include "mutex.pxi"

cdef extern from "platform.h" nogil:
    enum:
        DG_PATH
        DG_WINDOWS
    ctypedef struct dg_once:
        pass
    ctypedef struct dg_log_file:
        int open
    ctypedef int (*dg_module_visitor)(const char *, uintptr_t, uintptr_t, void *) noexcept nogil
    ctypedef int (*dg_name_visitor)(const char *, void *) noexcept nogil

    int dg_load(const int *)
    void dg_store(int *, int)
    int dg_exchange(int *, int)
    uint32_t dg_load_u32(const uint32_t *)
    void dg_store_u32(uint32_t *, uint32_t)
    uint32_t dg_exchange_u32(uint32_t *, uint32_t)
    int dg_swap_u32(uint32_t *, uint32_t, uint32_t)
    void *dg_load_pointer(void **)
    void dg_store_pointer(void **, void *)
    void dg_store_word(uintptr_t *, uintptr_t)

    void dg_mutex_init(dg_mutex *, int recursive)
    void dg_once_run(dg_once *, void (*run)() noexcept nogil)
    void dg_yield()

    void *dg_module_open(const char *path, int deep)
    void *dg_module_open_for_good(const char *path)
    void *dg_module_loaded(const char *name)
    void *dg_module_symbol(void *module, const char *name)
    int dg_module_error(const char *path, char *text, size_t size)
    int dg_modules(dg_module_visitor visit, void *context)
    int dg_module_file_of(const void *address, char *path, size_t size)
    void dg_module_pin(const void *address)

    void *dg_reserve(size_t bytes)

    int dg_is_absolute(const char *path)
    int dg_is_file(const char *path)
    int dg_is_folder(const char *path)
    int dg_is_planted(const char *path)
    int dg_folder(const char *path, dg_name_visitor visit, void *context)
    int dg_real_path(const char *path, char *real, size_t size)
    int dg_read_file(const char *path, char *text, size_t size)
    const char *dg_base_name(const char *path)
    int dg_cut_name(char *path)
    int dg_join(char *path, size_t size, const char *folder, const char *name)
    int dg_starts(const char *text, const char *start)
    int dg_same_name(const char *a, const char *b)

    uint64_t dg_thread()
    int dg_elevated()
    int dg_env(const char *name, char *text, size_t size)
    void dg_at_exit(void (*run)() noexcept nogil)
    void dg_at_fork(void (*in_child)() noexcept nogil)

    void dg_write_stderr(const char *text, size_t length)
    void dg_write_stdout(const char *text, size_t length)
    int dg_log_file_open(dg_log_file *file, const char *path)
    void dg_log_file_close(dg_log_file *file)
    void dg_log_file_write(dg_log_file *file, const char *text, size_t length)
