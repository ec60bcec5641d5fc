# Streams and events of the driver. Streams are HIP's own; an event is a slot that the runtime reads too.
include "common.pxi"


cdef inline CUresult stream_create_priority(cudaStream_t *stream, unsigned int flags, int priority) noexcept nogil:
    """CUDA's range of priorities ends at 0, HIP's goes on to 1."""
    cdef CUresult status = at_work()
    if status != CUDA_SUCCESS:
        return status
    return of_hip(dg_hip.hipStreamCreateWithPriority(stream, flags, 0 if priority > 0 else priority))


cdef inline CUresult stream_create(cudaStream_t *stream, unsigned int flags) noexcept nogil:
    return stream_create_priority(stream, flags, 0)


cdef inline CUresult stream_destroy(cudaStream_t stream) noexcept nogil:
    cdef CUresult status = awake()
    return of_hip(dg_hip.hipStreamDestroy(stream)) if status == CUDA_SUCCESS else status


cdef inline CUresult stream_priority(cudaStream_t stream, int *priority) noexcept nogil:
    cdef CUresult status = at_work()
    return of_hip(dg_hip.hipStreamGetPriority(stream, priority)) if status == CUDA_SUCCESS else status


cdef inline CUresult stream_flags(cudaStream_t stream, unsigned int *flags) noexcept nogil:
    cdef CUresult status = at_work()
    return of_hip(dg_hip.hipStreamGetFlags(stream, flags)) if status == CUDA_SUCCESS else status


cdef inline CUresult stream_context(cudaStream_t stream, CUcontext *context) noexcept nogil:
    """The calling thread's, where the stream is of the same device; HIP knows no more than the device."""
    cdef CUresult status = at_work()
    cdef uint32_t error
    if status != CUDA_SUCCESS:
        return status
    if context == NULL:
        return CUDA_ERROR_INVALID_VALUE
    error = dg_hip.hipStreamQuery(stream)
    if error != 0 and error != hipErrorNotReady:
        return of_hip(error)
    context[0] = <CUcontext>current()
    return CUDA_SUCCESS


cdef inline CUresult stream_query(cudaStream_t stream) noexcept nogil:
    cdef CUresult status = at_work()
    return of_hip(dg_hip.hipStreamQuery(stream)) if status == CUDA_SUCCESS else status


cdef inline CUresult stream_synchronize(cudaStream_t stream) noexcept nogil:
    cdef CUresult status = at_work()
    return of_hip(dg_hip.hipStreamSynchronize(stream)) if status == CUDA_SUCCESS else status


cdef inline CUresult stream_is_capturing(cudaStream_t stream, CUstreamCaptureStatus *capturing) noexcept nogil:
    cdef CUresult status = at_work()
    if status != CUDA_SUCCESS:
        return status
    return of_hip(dg_hip.hipStreamIsCapturing(stream, <int *>capturing))


cdef inline CUresult stream_callback(
    cudaStream_t stream, CUstreamCallback callback, void *data, unsigned int flags
) noexcept nogil:
    cdef CUresult status = at_work()
    if status != CUDA_SUCCESS:
        return status
    return of_hip(dg_hip.hipStreamAddCallback(stream, <void *>callback, data, flags))


cdef inline CUresult host_function(cudaStream_t stream, CUhostFn function, void *data) noexcept nogil:
    cdef CUresult status = at_work()
    return of_hip(dg_hip.hipLaunchHostFunc(stream, <void *>function, data)) if status == CUDA_SUCCESS else status


cdef inline CUresult capture_info(cudaStream_t stream, CUstreamCaptureStatus *capturing, uint64_t *id) noexcept nogil:
    """The graphs of recordings are not to be had from this driver: nothing is being recorded."""
    cdef CUresult status = stream_is_capturing(stream, capturing)
    if status == CUDA_SUCCESS and id != NULL:
        id[0] = 0
    return status


cdef inline CUresult stream_device(cudaStream_t stream, CUdevice *device) noexcept nogil:
    cdef CUcontext context = NULL
    cdef CUresult status = stream_context(stream, &context)
    if status == CUDA_SUCCESS and device == NULL:
        status = CUDA_ERROR_INVALID_VALUE
    if status == CUDA_SUCCESS:
        device[0] = (<cuda_context *>context).device
    return status


# ---- events

cdef inline CUresult event_of(const void *event, void **hip) noexcept nogil:
    """HIP's event behind a handle. The handle is judged without being followed."""
    cdef CUresult status = awake()
    cdef int reason
    if status != CUDA_SUCCESS:
        return status
    reason = dg_the_core.slot_check(event, DG_EVENT)
    if reason != DG_OK:
        return status_of_reason(reason)
    hip[0] = (<const dg_event *>event).hip
    return CUDA_SUCCESS


cdef inline CUresult event_create(cudaEvent_t *event, unsigned int flags) noexcept nogil:
    cdef dg_event *slot
    cdef CUresult status = at_work()
    if status != CUDA_SUCCESS:
        return status
    if event == NULL or flags > 7 or (flags & 6) == 4:
        return CUDA_ERROR_INVALID_VALUE
    slot = <dg_event *>dg_the_core.slot_new(DG_EVENT)
    if slot == NULL:
        return CUDA_ERROR_OUT_OF_MEMORY
    slot.flags = flags
    status = of_hip(dg_hip.hipEventCreateWithFlags(<hipEvent_t *>&slot.hip, flags))
    if status != CUDA_SUCCESS:
        dg_the_core.slot_free(slot)
        return status
    event[0] = <cudaEvent_t>slot
    return CUDA_SUCCESS


cdef inline CUresult event_destroy(cudaEvent_t event) noexcept nogil:
    cdef void *hip = NULL
    cdef CUresult status = event_of(event, &hip)
    if status != CUDA_SUCCESS:
        return status
    if dg_the_core.slot_retire(<void *>event, DG_EVENT) != DG_OK:
        return CUDA_ERROR_INVALID_HANDLE
    status = of_hip(dg_hip.hipEventDestroy(<hipEvent_t>hip))
    dg_the_core.slot_free(<void *>event)
    return status


cdef inline CUresult event_record(cudaEvent_t event, cudaStream_t stream) noexcept nogil:
    cdef void *hip = NULL
    cdef CUresult status = event_of(event, &hip)
    return of_hip(dg_hip.hipEventRecord(<hipEvent_t>hip, stream)) if status == CUDA_SUCCESS else status


cdef inline CUresult event_record_flags(cudaEvent_t event, cudaStream_t stream, unsigned int flags) noexcept nogil:
    cdef void *hip = NULL
    cdef CUresult status = event_of(event, &hip)
    if status != CUDA_SUCCESS:
        return status
    return of_hip(dg_hip.hipEventRecordWithFlags(<hipEvent_t>hip, stream, flags))


cdef inline CUresult event_query(cudaEvent_t event) noexcept nogil:
    cdef void *hip = NULL
    cdef CUresult status = event_of(event, &hip)
    return of_hip(dg_hip.hipEventQuery(<hipEvent_t>hip)) if status == CUDA_SUCCESS else status


cdef inline CUresult event_synchronize(cudaEvent_t event) noexcept nogil:
    cdef void *hip = NULL
    cdef CUresult status = event_of(event, &hip)
    return of_hip(dg_hip.hipEventSynchronize(<hipEvent_t>hip)) if status == CUDA_SUCCESS else status


cdef inline CUresult event_elapsed(float *ms, cudaEvent_t start, cudaEvent_t end) noexcept nogil:
    cdef void *first = NULL
    cdef void *last = NULL
    cdef CUresult status = event_of(start, &first)
    if status == CUDA_SUCCESS:
        status = event_of(end, &last)
    if status != CUDA_SUCCESS:
        return status
    if ms == NULL:
        return CUDA_ERROR_INVALID_VALUE
    if ((<const dg_event *>start).flags | (<const dg_event *>end).flags) & 2:
        return CUDA_ERROR_INVALID_HANDLE
    return of_hip(dg_hip.hipEventElapsedTime(ms, <hipEvent_t>first, <hipEvent_t>last))


cdef inline CUresult stream_wait_event(cudaStream_t stream, cudaEvent_t event, unsigned int flags) noexcept nogil:
    cdef void *hip = NULL
    cdef CUresult status = event_of(event, &hip)
    if status == CUDA_SUCCESS and flags > 1:
        status = CUDA_ERROR_INVALID_VALUE
    return of_hip(dg_hip.hipStreamWaitEvent(stream, <hipEvent_t>hip, flags)) if status == CUDA_SUCCESS else status
