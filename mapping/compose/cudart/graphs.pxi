# Graphs of the CUDA runtime: what one call of HIP does not answer.
include "common.pxi"
include "plain.pxi"
include "edges.pxi"


cdef extern from "keep.h" nogil:
    ctypedef struct cudart_fill:
        void *dst
        size_t pitch
        unsigned int value
        unsigned int element
        size_t width
        size_t height
    ctypedef struct dg_hip_fill:
        void *dst
        unsigned int element
        size_t height
        size_t pitch
        unsigned int value
        size_t width


cdef inline cudaError_t add_fill(
    cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *before, size_t count, const cudaMemsetParams *given
) noexcept nogil:
    """The two interfaces have the same fields in another order."""
    cdef const cudart_fill *fill = <const cudart_fill *>given
    cdef dg_hip_fill hip
    if given == NULL:
        return refused(cudaErrorInvalidValue)
    hip.dst = fill.dst
    hip.element = fill.element
    hip.height = fill.height
    hip.pitch = fill.pitch
    hip.value = fill.value
    hip.width = fill.width
    return of_hip(dg_hip.hipGraphAddMemsetNode(node, graph, before, count, &hip))


cdef inline cudaError_t add_event_record(
    cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *before, size_t count, cudaEvent_t event
) noexcept nogil:
    cdef void *hip = NULL
    cdef cudaError_t status = event_of(event, &hip)
    if status != cudaSuccess:
        return status
    return of_hip(dg_hip.hipGraphAddEventRecordNode(node, graph, before, count, <hipEvent_t>hip))


cdef inline cudaError_t add_event_wait(
    cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *before, size_t count, cudaEvent_t event
) noexcept nogil:
    cdef void *hip = NULL
    cdef cudaError_t status = event_of(event, &hip)
    if status != cudaSuccess:
        return status
    return of_hip(dg_hip.hipGraphAddEventWaitNode(node, graph, before, count, <hipEvent_t>hip))
