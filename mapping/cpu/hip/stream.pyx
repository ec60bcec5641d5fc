# cython: language_level=3, cdivision=True, boundscheck=False, wraparound=False
"""Streams and events of the CPU backend's HIP runtime.

Work is done when its call returns, so a stream is an identity with flags, never a queue: every query answers "done",
every wait returns at once, an event is the time of its record. Callbacks and host functions run on the caller's thread
inside the call, after all work before them. One thing that HIP allows cannot work on such a schedule: a host function
that waits for something its caller does after the call. While a stream is captured its work is recorded (capture.pyx).
"""
include "hip.pxi"
include "state.pxi"
include "node.pxi"
include "capture.pxi"


# ---- streams ----

cdef public hipError_t hipStreamCreateWithPriority(hipStream_t *stream, unsigned int flags,
        int priority) noexcept nogil:
    cdef host_slot *slot
    if stream == NULL or flags > hipStreamNonBlocking:
        return host_fail(hipErrorInvalidValue)
    slot = host_slot_new(HOST_STREAM, NULL)
    if slot == NULL:
        return host_fail(hipErrorOutOfMemory)
    slot.flags = flags
    slot.priority = -1 if priority < -1 else (1 if priority > 1 else priority)
    stream[0] = slot
    return hipSuccess


cdef public hipError_t hipStreamCreateWithFlags(hipStream_t *stream, unsigned int flags) noexcept nogil:
    return hipStreamCreateWithPriority(stream, flags, 0)


cdef public hipError_t hipStreamCreate(hipStream_t *stream) noexcept nogil:
    return hipStreamCreateWithPriority(stream, 0, 0)


cdef public hipError_t hipStreamDestroy(hipStream_t stream) noexcept nogil:
    cdef host_slot *slot = host_slot_of(stream, HOST_STREAM)
    if slot == NULL:
        return host_fail(hipErrorInvalidHandle)
    if slot.object != NULL:
        host_leave_capture(slot)
    host_slot_free(slot)
    return hipSuccess


cdef hipError_t known(hipStream_t stream) noexcept nogil:
    return hipSuccess if host_is_stream(stream) else host_fail(hipErrorInvalidHandle)


cdef hipError_t waited(hipStream_t stream) noexcept nogil:
    """Asking or waiting for a stream: what is captured is not done, so there is nothing to wait for."""
    cdef int captured
    if known(stream) != hipSuccess:
        return hipErrorInvalidHandle
    captured = host_capture(stream)
    if captured > 0:
        return captured
    return host_refuse_capture(stream) if captured < 0 else host_forbidden()


cdef public hipError_t hipStreamQuery(hipStream_t stream) noexcept nogil:
    return waited(stream)


cdef public hipError_t hipStreamSynchronize(hipStream_t stream) noexcept nogil:
    return waited(stream)


cdef public hipError_t hipStreamWaitEvent(hipStream_t stream, hipEvent_t event, unsigned int flags) noexcept nogil:
    cdef host_slot *slot = host_slot_of(event, HOST_EVENT)
    cdef int captured
    if not host_is_stream(stream) or slot == NULL:
        return host_fail(hipErrorInvalidHandle)
    captured = host_capture(stream)
    if captured > 0:
        return captured
    if captured < 0 and flags == 1:  # an event of outside: a node waits for it, and it has happened by then
        return host_record(stream, HOST_NODE_WAIT, NULL, NULL, 0)
    if flags != 0:
        return host_fail(hipErrorInvalidValue)
    # one that was never recorded is nothing to wait for
    if slot.object == NULL and (captured == 0 or not slot.recorded):
        return hipSuccess
    return host_capture_wait(stream, slot)


cdef public hipError_t hipStreamGetFlags(hipStream_t stream, unsigned int *flags) noexcept nogil:
    if flags == NULL:
        return host_fail(hipErrorInvalidValue)
    if <uintptr_t>stream <= 2:
        flags[0] = 0
        return hipSuccess
    if known(stream) != hipSuccess:
        return hipErrorInvalidHandle
    flags[0] = (<host_slot *>stream).flags
    return hipSuccess


cdef public hipError_t hipStreamGetPriority(hipStream_t stream, int *priority) noexcept nogil:
    if priority == NULL:
        return host_fail(hipErrorInvalidValue)
    if <uintptr_t>stream <= 2:
        priority[0] = 0
        return hipSuccess
    if known(stream) != hipSuccess:
        return hipErrorInvalidHandle
    priority[0] = (<host_slot *>stream).priority
    return hipSuccess


cdef public hipError_t hipStreamGetDevice(hipStream_t stream, hipDevice_t *device) noexcept nogil:
    if device == NULL:
        return host_fail(hipErrorInvalidValue)
    device[0] = 0
    return known(stream)


cdef public hipError_t hipStreamAddCallback(
    hipStream_t stream, hipStreamCallback_t callback, void *data, unsigned int flags
) noexcept nogil:
    cdef int captured
    if callback == NULL or flags != 0:
        return host_fail(hipErrorInvalidValue)
    if known(stream) != hipSuccess:
        return hipErrorInvalidHandle
    captured = host_capture(stream)
    if captured != 0:  # CUDA does not record these
        return captured if captured > 0 else host_refuse_capture(stream)
    callback(stream, hipSuccess, data)
    return hipSuccess


cdef struct host_call:
    hipHostFn_t function
    void *data


cdef int run_call(void *record) noexcept nogil:
    (<host_call *>record).function((<host_call *>record).data)
    return 0


cdef public hipError_t host_function_record(const hipHostNodeParams *given, host_recorded *to) noexcept nogil:
    cdef host_call *call = <host_call *>host_record_room(to, run_call, sizeof(host_call))
    if given == NULL or given.fn == NULL:
        return host_fail(hipErrorInvalidValue)
    call.function = given.fn
    call.data = given.userData
    return hipSuccess


cdef public hipError_t hipLaunchHostFunc(hipStream_t stream, hipHostFn_t function, void *data) noexcept nogil:
    cdef host_call call
    cdef int captured
    if function == NULL:
        return host_fail(hipErrorInvalidValue)
    if known(stream) != hipSuccess:
        return hipErrorInvalidHandle
    captured = host_capture(stream)
    if captured == 0:
        function(data)
        return hipSuccess
    if captured > 0:
        return captured
    call.function = function
    call.data = data
    return host_record(stream, HOST_NODE_HOST, run_call, &call, sizeof(call))


# ---- events ----

cdef public hipError_t hipEventCreateWithFlags(hipEvent_t *event, unsigned int flags) noexcept nogil:
    cdef host_slot *slot
    # the upper three bits are HIP's fence options
    if event == NULL or (flags & ~(hipEventBlockingSync | hipEventDisableTiming | hipEventInterprocess | 0xE0000000u)):
        return host_fail(hipErrorInvalidValue)
    if (flags & hipEventInterprocess) and not (flags & hipEventDisableTiming):
        return host_fail(hipErrorInvalidValue)
    slot = host_slot_new(HOST_EVENT, NULL)
    if slot == NULL:
        return host_fail(hipErrorOutOfMemory)
    slot.flags = flags
    event[0] = slot
    return hipSuccess


cdef public hipError_t hipEventCreate(hipEvent_t *event) noexcept nogil:
    return hipEventCreateWithFlags(event, 0)


cdef public hipError_t hipEventDestroy(hipEvent_t event) noexcept nogil:
    cdef host_slot *slot = host_slot_of(event, HOST_EVENT)
    if slot == NULL:
        return host_fail(hipErrorInvalidHandle)
    if slot.object != NULL:
        host_forget_event(slot)
    host_slot_free(slot)
    return hipSuccess


cdef struct event_call:
    hipEvent_t event
    uint64_t number


cdef int run_event(void *record) noexcept nogil:
    """The event happens, if it still lives: another one may have its address."""
    cdef event_call *call = <event_call *>record
    cdef host_slot *slot = host_slot_of(call.event, HOST_EVENT)
    if slot != NULL and slot.number == call.number:
        slot.time = host_now()
        slot.recorded = 1
    return 0


cdef public hipError_t host_event_record(hipEvent_t event, host_recorded *to) noexcept nogil:
    cdef event_call *call = <event_call *>host_record_room(to, run_event, sizeof(event_call))
    cdef host_slot *slot = host_slot_of(event, HOST_EVENT)
    if slot == NULL:
        return host_fail(hipErrorInvalidHandle)
    call.event = event
    call.number = slot.number
    return hipSuccess


cdef hipError_t record_event(hipEvent_t event, hipStream_t stream, bint outside) noexcept nogil:
    """`outside`: an event that is seen outside of the capture, too."""
    cdef host_slot *slot = host_slot_of(event, HOST_EVENT)
    cdef host_recorded node
    cdef int captured
    if slot == NULL or not host_is_stream(stream):
        return host_fail(hipErrorInvalidHandle)
    captured = host_capture(stream)
    if captured > 0:
        return captured
    if captured < 0:
        if outside:
            if host_event_record(event, &node) != hipSuccess:
                return hipErrorInvalidHandle
            return host_record(stream, HOST_NODE_EVENT, node.run, node.record, node.bytes)
        return host_capture_event(slot, stream)
    if slot.object != NULL:
        host_forget_event(slot)
    slot.time = host_now()
    slot.recorded = 1
    return hipSuccess


cdef public hipError_t hipEventRecord(hipEvent_t event, hipStream_t stream) noexcept nogil:
    return record_event(event, stream, False)


cdef public hipError_t hipEventRecordWithFlags(hipEvent_t event, hipStream_t stream, unsigned int flags) noexcept nogil:
    if flags > 1:
        return host_fail(hipErrorInvalidValue)
    return record_event(event, stream, flags == 1)


cdef public hipError_t hipEventQuery(hipEvent_t event) noexcept nogil:
    cdef host_slot *slot = host_slot_of(event, HOST_EVENT)
    if slot == NULL:
        return host_fail(hipErrorInvalidHandle)
    if slot.object != NULL:
        return host_captured_event(slot, True)
    return host_forbidden()


cdef public hipError_t hipEventSynchronize(hipEvent_t event) noexcept nogil:
    return hipEventQuery(event)


cdef public hipError_t hipEventElapsedTime(float *ms, hipEvent_t start, hipEvent_t stop) noexcept nogil:
    cdef host_slot *first = host_slot_of(start, HOST_EVENT)
    cdef host_slot *last = host_slot_of(stop, HOST_EVENT)
    if ms == NULL:
        return host_fail(hipErrorInvalidValue)
    if first == NULL or last == NULL or (first.flags | last.flags) & hipEventDisableTiming:
        return host_fail(hipErrorInvalidHandle)
    if first.object != NULL or last.object != NULL:
        return host_captured_event(first if first.object != NULL else last, False)
    if not first.recorded or not last.recorded:
        return host_fail(hipErrorInvalidHandle)
    ms[0] = <float>(<double>(last.time - first.time) / 1e6)
    return hipSuccess
