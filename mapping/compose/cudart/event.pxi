# Events of the CUDA runtime. A handle is a slot of the core that holds HIP's event: HIP follows whatever pointer it
# gets as an event, so a freed or foreign handle must be told from a living one before.
include "common.pxi"


cdef inline cudaError_t event_create_flags(cudaEvent_t *event, unsigned int flags) noexcept nogil:
    cdef dg_event *slot
    cdef uint32_t error
    # blocking wait 1, no timing 2, for other processes 4, which must not be timed
    if event == NULL or flags > 7 or (flags & 6) == 4:
        return refused(cudaErrorInvalidValue)
    slot = <dg_event *>dg_the_core.slot_new(DG_EVENT)
    if slot == NULL:
        return refused(cudaErrorMemoryAllocation)
    slot.flags = flags
    error = dg_hip.hipEventCreateWithFlags(&slot.hip, flags)
    if error != 0:
        dg_the_core.slot_free(slot)
        return of_hip(error)
    event[0] = <cudaEvent_t>slot
    return cudaSuccess


cdef inline cudaError_t event_create(cudaEvent_t *event) noexcept nogil:
    return event_create_flags(event, 0)


cdef inline cudaError_t event_destroy(cudaEvent_t event) noexcept nogil:
    cdef void *hip = NULL
    cdef cudaError_t status = event_of(event, &hip)
    if status != cudaSuccess:
        return status
    # of two threads that free one event, one wins
    if dg_the_core.slot_retire(<void *>event, DG_EVENT) != DG_OK:
        return refused(cudaErrorInvalidResourceHandle)
    status = of_hip(dg_hip.hipEventDestroy(hip))
    dg_the_core.slot_free(<void *>event)
    return status


cdef inline cudaError_t event_record(cudaEvent_t event, cudaStream_t stream) noexcept nogil:
    cdef void *hip = NULL
    cdef cudaError_t status = event_of(event, &hip)
    return of_hip(dg_hip.hipEventRecord(hip, stream)) if status == cudaSuccess else status


cdef inline cudaError_t event_record_flags(cudaEvent_t event, cudaStream_t stream, unsigned int flags) noexcept nogil:
    cdef void *hip = NULL
    cdef cudaError_t status = event_of(event, &hip)
    if status != cudaSuccess:
        return status
    if flags == 0:
        return of_hip(dg_hip.hipEventRecord(hip, stream))
    # 1: seen from outside a graph; HIP has the call since 7
    if flags != 1:
        return refused(cudaErrorInvalidValue)
    return of_hip(dg_hip.hipEventRecordWithFlags(hip, stream, flags))


cdef inline cudaError_t event_query(cudaEvent_t event) noexcept nogil:
    cdef void *hip = NULL
    cdef cudaError_t status = event_of(event, &hip)
    return of_hip(dg_hip.hipEventQuery(hip)) if status == cudaSuccess else status


cdef inline cudaError_t event_synchronize(cudaEvent_t event) noexcept nogil:
    cdef void *hip = NULL
    cdef cudaError_t status = event_of(event, &hip)
    return of_hip(dg_hip.hipEventSynchronize(hip)) if status == cudaSuccess else status


cdef inline cudaError_t event_elapsed(float *ms, cudaEvent_t start, cudaEvent_t end) noexcept nogil:
    cdef void *first = NULL
    cdef void *last = NULL
    cdef cudaError_t status
    if ms == NULL:
        return refused(cudaErrorInvalidValue)
    status = event_of(start, &first)
    if status == cudaSuccess:
        status = event_of(end, &last)
    if status != cudaSuccess:
        return status
    if ((<const dg_event *>start).flags | (<const dg_event *>end).flags) & 2:
        return refused(cudaErrorInvalidResourceHandle)
    return of_hip(dg_hip.hipEventElapsedTime(ms, first, last))
