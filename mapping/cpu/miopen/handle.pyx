# cython: language_level=3, cdivision=True, boundscheck=False, wraparound=False
"""Handles of the CPU backend's MIOpen, versions and messages.

Work is done when a call returns, so a stream is only remembered. A handle also remembers which convolutions a Find…
has seen: without it MIOpen refuses them outside the immediate mode.
"""
include "miopen.pxi"
include "mutex.pxi"

from libc.stdlib cimport calloc, free
from libc.string cimport memcpy

cdef extern from "miopen.h" nogil:
    void mi_parallel(int64_t count, int64_t grain, mi_job job, void *context)

cdef extern from "platform.h" nogil:
    """
    static dg_mutex mi_found_lock;
    static const char *const mi_texts[] = {
        "miopenStatusSuccess", "miopenStatusNotInitialized", "miopenStatusInvalidValue", "miopenStatusBadParm",
        "miopenStatusAllocFailed", "miopenStatusInternalError", "miopenStatusNotImplemented",
        "miopenStatusUnknownError", "miopenStatusUnsupportedOp", "miopenStatusGpuOperationsSkipped",
        "miopenStatusVersionMismatch", "Unknown error status"};
    """
    dg_mutex mi_found_lock
    const char *const mi_texts[]


cdef public void *mi_new(uint32_t kind, size_t bytes) noexcept nogil:
    """A zeroed object that says what it is, or NULL."""
    cdef uint32_t *made = <uint32_t *>calloc(1, bytes)
    if made != NULL:
        made[0] = kind
    return made


cdef public const char *miopenGetErrorString(miopenStatus_t error) noexcept nogil:
    return mi_texts[error] if 0 <= error <= 10 else mi_texts[11]


cdef public miopenStatus_t miopenGetVersion(size_t *major, size_t *minor, size_t *patch) noexcept nogil:
    if major != NULL:
        major[0] = 3
    if minor != NULL:
        minor[0] = 5
    if patch != NULL:
        patch[0] = 1
    return miopenStatusSuccess


cdef public miopenStatus_t miopenCreateWithStream(miopenHandle_t *handle, hipStream_t stream) noexcept nogil:
    if handle == NULL:
        return miopenStatusBadParm
    handle[0] = <mi_handle *>mi_new(MI_HANDLE, sizeof(mi_handle))
    if handle[0] == NULL:
        return miopenStatusAllocFailed
    record_find()
    handle[0].stream = stream
    handle[0].tuning_policy = 1
    return miopenStatusSuccess


cdef public miopenStatus_t miopenCreate(miopenHandle_t *handle) noexcept nogil:
    return miopenCreateWithStream(handle, NULL)


cdef public miopenStatus_t miopenDestroy(miopenHandle_t handle) noexcept nogil:
    if not is_handle(handle):
        return miopenStatusBadParm
    free(handle.found)
    handle.kind = 0
    free(handle)
    return miopenStatusSuccess


cdef public miopenStatus_t miopenSetStream(miopenHandle_t handle, hipStream_t streamID) noexcept nogil:
    if not is_handle(handle):
        return miopenStatusBadParm
    handle.stream = streamID
    return miopenStatusSuccess


cdef public miopenStatus_t miopenGetStream(miopenHandle_t handle, hipStream_t *streamID) noexcept nogil:
    if streamID == NULL or not is_handle(handle):
        return miopenStatusBadParm
    streamID[0] = handle.stream
    return miopenStatusSuccess


cdef public miopenStatus_t miopenSetAllocator(
    miopenHandle_t handle, miopenAllocatorFunction allocator, miopenDeallocatorFunction deallocator,
    void *allocatorContext
) noexcept nogil:
    """Remembered; nothing here asks for device memory of its own."""
    if not is_handle(handle):
        return miopenStatusBadParm
    handle.allocator = allocator
    handle.deallocator = deallocator
    handle.allocator_context = allocatorContext
    return miopenStatusSuccess


cdef public miopenStatus_t miopenGetKernelTime(miopenHandle_t handle, float *time) noexcept nogil:
    if time == NULL or not is_handle(handle):
        return miopenStatusBadParm
    time[0] = handle.kernel_time
    return miopenStatusSuccess


cdef public miopenStatus_t miopenEnableProfiling(miopenHandle_t handle, mi_bool enable) noexcept nogil:
    if not is_handle(handle):
        return miopenStatusBadParm
    handle.profiling = enable
    return miopenStatusSuccess


cdef public miopenStatus_t miopenSetTuningPolicy(miopenHandle_t handle, int newValue) noexcept nogil:
    if not is_handle(handle) or newValue < 1 or newValue > 5:
        return miopenStatusBadParm
    handle.tuning_policy = newValue
    return miopenStatusSuccess


cdef public miopenStatus_t miopenGetTuningPolicy(miopenHandle_t handle, int *value) noexcept nogil:
    if value == NULL or not is_handle(handle):
        return miopenStatusBadParm
    value[0] = handle.tuning_policy
    return miopenStatusSuccess


# ---- work that is recorded ----

cdef struct Work:
    int64_t count
    int64_t grain
    mi_job job
    double[MI_CONTEXT / 8] context  # as much of it as there is


cdef int work_again(void *record) noexcept nogil:
    cdef Work *work = <Work *>record
    mi_parallel(work.count, work.grain, work.job, &work.context)
    return 0


cdef public miopenStatus_t mi_work_later(
    mi_handle *handle, int64_t count, int64_t grain, mi_job job, const void *context, size_t size
) noexcept nogil:
    cdef Work work
    if record_state(handle.stream) > 0:
        return miopenStatusUnknownError
    work.count = count
    work.grain = grain
    work.job = job
    memcpy(&work.context, context, size)
    if record_keep(handle.stream, work_again, &work, sizeof(Work) - MI_CONTEXT + size) != 0:
        return miopenStatusUnknownError
    return miopenStatusSuccess


# ---- convolutions that were looked for ----

cdef int64_t place_of(const uint64_t *table, int room, uint64_t digest) noexcept nogil:
    """Where a digest is or would go. `room` is a power of two, never full."""
    cdef uint64_t at = digest & <uint64_t>(room - 1)
    while table[at] != 0 and table[at] != digest:
        at = (at + 1) & <uint64_t>(room - 1)
    return <int64_t>at


cdef public int mi_find(mi_handle *handle, uint64_t digest) noexcept nogil:
    cdef bint known
    dg_mutex_lock(&mi_found_lock)
    known = handle.found_room > 0 and handle.found[place_of(handle.found, handle.found_room, digest)] == digest
    dg_mutex_unlock(&mi_found_lock)
    return known


cdef bint grow(mi_handle *handle) noexcept nogil:
    cdef int room = 2 * handle.found_room if handle.found_room else 64, i
    cdef uint64_t *table = <uint64_t *>calloc(<size_t>room, sizeof(uint64_t))
    if table == NULL:
        return False
    for i in range(handle.found_room):
        if handle.found[i] != 0:
            table[place_of(table, room, handle.found[i])] = handle.found[i]
    free(handle.found)
    handle.found = table
    handle.found_room = room
    return True


cdef public int mi_remember(mi_handle *handle, uint64_t digest) noexcept nogil:
    cdef bint done = True
    cdef int64_t at
    dg_mutex_lock(&mi_found_lock)
    if 2 * handle.found_count >= handle.found_room:
        done = grow(handle)
    if done:
        at = place_of(handle.found, handle.found_room, digest)
        if handle.found[at] == 0:
            handle.found[at] = digest
            handle.found_count += 1
    dg_mutex_unlock(&mi_found_lock)
    return done
