# cython: language_level=3, cdivision=True, boundscheck=False, wraparound=False
"""Handles of the CPU backend's rocBLAS: created, destroyed, asked and set.

A handle is a slot of one reserved range that is never given back: whether a pointer is a living handle is answered by
a compare and a look into memory that is always ours. Freed slots are used again oldest first. The lock is taken by
create and destroy only.
"""
include "rocblas.pxi"
include "mutex.pxi"

from libc.string cimport memset

cdef extern from "platform.h" nogil:
    """
    rb_handle *volatile rb_first;
    _Thread_local rb_handle *rb_replayed;
    static dg_mutex rb_lock;
    static rb_handle *rb_free_first, *rb_free_last;
    static int rb_used; /* slots taken from the range so far */
    static _Thread_local size_t rb_default_memory; /* for the calling thread's next handle */
    static void rb_publish(rb_handle *first) { __atomic_store_n(&rb_first, first, __ATOMIC_RELEASE); }
    """
    void dg_store_u32(uint32_t *place, uint32_t value)
    bint dg_swap_u32(uint32_t *place, uint32_t old, uint32_t new)
    void *dg_reserve(size_t bytes)
    dg_mutex rb_lock
    rb_handle *rb_first
    rb_handle *rb_free_first
    rb_handle *rb_free_last
    int rb_used
    size_t rb_default_memory
    void rb_publish(rb_handle *first)

cdef enum:
    DEFAULT_MEMORY = 33554432  # what rocBLAS sets aside on a Radeon card


cdef rb_handle *take_slot() noexcept nogil:
    """A free slot, or NULL. Called under the lock."""
    global rb_used, rb_free_first, rb_free_last
    cdef rb_handle *slot = rb_free_first
    if rb_first == NULL:
        slot = <rb_handle *>dg_reserve(<size_t>RB_HANDLES * sizeof(rb_handle))
        if slot == NULL:
            return NULL
        rb_publish(slot)
        slot = NULL
    if slot != NULL:
        rb_free_first = slot.next
        if rb_free_first == NULL:
            rb_free_last = NULL
        return slot
    if rb_used == RB_HANDLES:
        return NULL
    rb_used += 1
    return rb_first + (rb_used - 1)


cdef public rocblas_status rocblas_create_handle(rocblas_handle *handle) noexcept nogil:
    cdef rb_handle *slot
    global rb_default_memory
    if handle == NULL:
        return rocblas_status_invalid_handle
    record_find()
    dg_mutex_lock(&rb_lock)
    slot = take_slot()
    dg_mutex_unlock(&rb_lock)
    if slot == NULL:
        return rocblas_status_memory_error
    memset(slot, 0, sizeof(rb_handle))
    slot.workspace_size = rb_default_memory if rb_default_memory else DEFAULT_MEMORY
    rb_default_memory = 0
    dg_store_u32(&slot.magic, RB_LIVE)
    handle[0] = slot
    return rocblas_status_success


cdef public rocblas_status rocblas_destroy_handle(rocblas_handle handle) noexcept nogil:
    global rb_free_first, rb_free_last
    # Two threads that destroy one handle: the swap lets one of them through.
    if not rb_is_handle(handle) or not dg_swap_u32(&handle.magic, RB_LIVE, 0):
        return rocblas_status_invalid_handle
    dg_mutex_lock(&rb_lock)
    handle.next = NULL
    if rb_free_last == NULL:
        rb_free_first = handle
    else:
        rb_free_last.next = handle
    rb_free_last = handle
    dg_mutex_unlock(&rb_lock)
    return rocblas_status_success


# ---- state ----

cdef public rocblas_status rocblas_set_stream(rocblas_handle handle, hipStream_t stream) noexcept nogil:
    """Work is done when a call returns, so a stream is only remembered."""
    if not rb_is_handle(handle):
        return rocblas_status_invalid_handle
    if <uintptr_t>stream == 1:  # CUDA's number of the legacy stream, which is a bad pointer to older releases of HIP
        return rocblas_status_invalid_value
    handle.stream = stream
    return rocblas_status_success


cdef public rocblas_status rocblas_get_stream(rocblas_handle handle, hipStream_t *stream) noexcept nogil:
    if not rb_is_handle(handle):
        return rocblas_status_invalid_handle
    if stream == NULL:
        return rocblas_status_invalid_pointer
    stream[0] = handle.stream
    return rocblas_status_success


cdef public rocblas_status rocblas_set_pointer_mode(rocblas_handle handle,
        rocblas_pointer_mode pointer_mode) noexcept nogil:
    """Host and device are one memory here; rocBLAS takes any number."""
    if not rb_is_handle(handle):
        return rocblas_status_invalid_handle
    handle.pointer_mode = pointer_mode
    return rocblas_status_success


cdef public rocblas_status rocblas_get_pointer_mode(rocblas_handle handle,
        rocblas_pointer_mode *pointer_mode) noexcept nogil:
    if not rb_is_handle(handle):
        return rocblas_status_invalid_handle
    if pointer_mode == NULL:
        return rocblas_status_invalid_pointer
    pointer_mode[0] = handle.pointer_mode
    return rocblas_status_success


cdef public rocblas_status rocblas_set_atomics_mode(rocblas_handle handle,
        rocblas_atomics_mode atomics_mode) noexcept nogil:
    if not rb_is_handle(handle):
        return rocblas_status_invalid_handle
    handle.atomics_mode = atomics_mode
    return rocblas_status_success


cdef public rocblas_status rocblas_get_atomics_mode(rocblas_handle handle,
        rocblas_atomics_mode *atomics_mode) noexcept nogil:
    if not rb_is_handle(handle):
        return rocblas_status_invalid_handle
    if atomics_mode == NULL:
        return rocblas_status_invalid_pointer
    atomics_mode[0] = handle.atomics_mode
    return rocblas_status_success


cdef public rocblas_status rocblas_set_math_mode(rocblas_handle handle, rocblas_math_mode math_mode) noexcept nogil:
    """A mode that rocBLAS does not know leaves the old one, with success."""
    if not rb_is_handle(handle):
        return rocblas_status_invalid_handle
    if math_mode == 0 or math_mode == 1:
        handle.math_mode = math_mode
    return rocblas_status_success


cdef public rocblas_status rocblas_get_math_mode(rocblas_handle handle, rocblas_math_mode *math_mode) noexcept nogil:
    if not rb_is_handle(handle):
        return rocblas_status_invalid_handle
    if math_mode == NULL:
        return rocblas_status_invalid_pointer
    math_mode[0] = handle.math_mode
    return rocblas_status_success


cdef public rocblas_status rocblas_set_performance_metric(
    rocblas_handle handle, rocblas_performance_metric metric
) noexcept nogil:
    if not rb_is_handle(handle):
        return rocblas_status_invalid_handle
    handle.metric = metric
    return rocblas_status_success


cdef public rocblas_status rocblas_get_performance_metric(
    rocblas_handle handle, rocblas_performance_metric *metric
) noexcept nogil:
    if not rb_is_handle(handle):
        return rocblas_status_invalid_handle
    if metric == NULL:
        return rocblas_status_invalid_pointer
    metric[0] = handle.metric
    return rocblas_status_success


cdef public rocblas_status rocblas_set_start_stop_events(
    rocblas_handle handle, hipEvent_t start, hipEvent_t stop
) noexcept nogil:
    if not rb_is_handle(handle):
        return rocblas_status_invalid_handle
    handle.start_event = start
    handle.stop_event = stop
    return rocblas_status_success


cdef public rocblas_status rocblas_set_solution_fitness_query(rocblas_handle handle, double *fitness) noexcept nogil:
    if not rb_is_handle(handle):
        return rocblas_status_invalid_handle
    handle.fitness = fitness
    return rocblas_status_success


# ---- workspace: never needed, always remembered ----

cdef public rocblas_status rocblas_set_workspace(rocblas_handle handle, void *addr, size_t size) noexcept nogil:
    if not rb_is_handle(handle):
        return rocblas_status_invalid_handle
    if addr == NULL or size == 0:
        handle.owner = RB_OWN
        handle.workspace = NULL
        handle.workspace_size = DEFAULT_MEMORY
    else:
        handle.owner = RB_USER_MEMORY
        handle.workspace = addr
        handle.workspace_size = size
    return rocblas_status_success


cdef public rocblas_status rocblas_set_device_memory_size(rocblas_handle handle, size_t size) noexcept nogil:
    if not rb_is_handle(handle):
        return rocblas_status_invalid_handle
    handle.owner = RB_USER_SIZE if size else RB_OWN
    handle.workspace = NULL
    handle.workspace_size = size if size else DEFAULT_MEMORY
    return rocblas_status_success


cdef public rocblas_status rocblas_get_device_memory_size(rocblas_handle handle, size_t *size) noexcept nogil:
    if not rb_is_handle(handle):
        return rocblas_status_invalid_handle
    if size == NULL:
        return rocblas_status_invalid_pointer
    size[0] = handle.workspace_size
    return rocblas_status_success


cdef public bint rocblas_is_managing_device_memory(rocblas_handle handle) noexcept nogil:
    return rb_is_handle(handle) and handle.owner == RB_OWN


cdef public bint rocblas_is_user_managing_device_memory(rocblas_handle handle) noexcept nogil:
    return rb_is_handle(handle) and handle.owner == RB_USER_MEMORY


cdef public bint rocblas_is_device_memory_size_query(rocblas_handle handle) noexcept nogil:
    return rb_is_handle(handle) and handle.query != 0


cdef public rocblas_status rocblas_start_device_memory_size_query(rocblas_handle handle) noexcept nogil:
    if not rb_is_handle(handle):
        return rocblas_status_invalid_handle
    if handle.query:
        return rocblas_status_size_query_mismatch
    handle.query = 1
    return rocblas_status_success


cdef public rocblas_status rocblas_stop_device_memory_size_query(rocblas_handle handle, size_t *size) noexcept nogil:
    if not rb_is_handle(handle):
        return rocblas_status_invalid_handle
    if not handle.query:
        return rocblas_status_size_query_mismatch
    if size == NULL:
        return rocblas_status_invalid_pointer
    handle.query = 0
    size[0] = 0
    return rocblas_status_success


cdef public void rocblas_device_malloc_set_default_memory_size(size_t size) noexcept nogil:
    global rb_default_memory
    rb_default_memory = size


# ---- the library ----

cdef extern from *:
    """
    static const char rb_version[] = "5.2.0.cpu";
    static const char rb_commit[] = "cpu";
    static const char *const rb_status_names[] = {
        "rocblas_status_success", "rocblas_status_invalid_handle", "rocblas_status_not_implemented",
        "rocblas_status_invalid_pointer", "rocblas_status_invalid_size", "rocblas_status_memory_error",
        "rocblas_status_internal_error", "rocblas_status_perf_degraded", "rocblas_status_size_query_mismatch",
        "rocblas_status_size_increased", "rocblas_status_size_unchanged", "rocblas_status_invalid_value",
        "rocblas_status_continue", "rocblas_status_check_numerics_fail", "rocblas_status_excluded_from_build",
        "rocblas_status_arch_mismatch",
    };
    static const char *rb_status_name(int status) {
        return status >= 0 && status < 16 ? rb_status_names[status] : "<undefined rocblas_status value>";
    }
    static rocblas_status rb_text(const char *text, size_t need, char *buffer, size_t size) {
        if (!buffer) return rocblas_status_invalid_pointer;
        if (size < need) return rocblas_status_invalid_size;
        memcpy(buffer, text, need);
        return rocblas_status_success;
    }
    """
    const char *rb_status_name(int status) nogil
    rocblas_status rb_text(const char *text, size_t need, char *buffer, size_t size) nogil
    const char *rb_version
    const char *rb_commit
    enum:
        RB_VERSION_SIZE "sizeof rb_version"
        RB_COMMIT_SIZE "sizeof rb_commit"


cdef public rocblas_status rocblas_get_version_string(char *buf, size_t len) noexcept nogil:
    return rb_text(rb_version, RB_VERSION_SIZE, buf, len)


cdef public rocblas_status rocblas_get_version_string_size(size_t *len) noexcept nogil:
    if len == NULL:
        return rocblas_status_invalid_pointer
    len[0] = RB_VERSION_SIZE
    return rocblas_status_success


cdef public rocblas_status rocblas_get_commit_hash_string(char *buf, size_t len) noexcept nogil:
    return rb_text(rb_commit, RB_COMMIT_SIZE, buf, len)


cdef public rocblas_status rocblas_get_commit_hash_string_size(size_t *len) noexcept nogil:
    if len == NULL:
        return rocblas_status_invalid_pointer
    len[0] = RB_COMMIT_SIZE
    return rocblas_status_success


cdef public const char *rocblas_status_to_string(rocblas_status status) noexcept nogil:
    return rb_status_name(status)


cdef public rocblas_pointer_mode rocblas_pointer_to_mode(void *ptr) noexcept nogil:
    """Any pointer may be host memory, and device memory is host memory."""
    return 0


cdef public void rocblas_initialize() noexcept nogil:
    pass
