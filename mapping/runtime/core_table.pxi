# The core's table of functions and what it is told of a library, for Cython: dragoman.h says what things mean.

from libc.stdint cimport int32_t, uint32_t, uint64_t, uintptr_t

cdef extern from "dragoman.h" nogil:
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
