# Included by each block file of the CUDA runtime: keep.h for Cython, and the few helpers that most blocks use.
from libc.string cimport memcpy, memset

cdef extern from "keep.h" nogil:
    enum:
        DG_EVENT, CUDART_POINTER_RESERVE, CUDART_SYNC_MEMOPS
    ctypedef struct dg_event:
        uint32_t magic
        uint32_t flags
        void *hip
    ctypedef struct cudart_pointer:
        int type
        int device
        void *device_pointer
        void *host_pointer
    ctypedef struct dg_hip_pointer:
        int type
        int device
        void *device_pointer
        void *host_pointer
        int managed
    ctypedef struct cudart_pitched:
        size_t xsize
    ctypedef struct cudart_place:
        int type
        int id
    ctypedef struct cudart_box_end:
        void *array
    ctypedef struct cudart_peer_box:
        cudart_box_end src
        cudart_box_end dst
        size_t extent[3]
    ctypedef struct cudart_box:
        cudart_box_end src
        cudart_box_end dst
        size_t extent[3]
        int kind
    ctypedef struct cudart_update:
        int result
        void *node
        void *from_node "from"
    cudaError_t cudart_keep(cudaError_t status)
    cudaError_t cudart_last(int forget)
    void cudart_forget_all()
    unsigned int cudart_flags(int set_, unsigned int flags)
    int cudart_push(dim3 grid, dim3 block, size_t shared, void *stream)
    int cudart_pop(dim3 *grid, dim3 *block, size_t *shared, void **stream)
    void **cudart_module()
    int cudart_driver(const char *name, void **function, int version, unsigned long long flags, int *found)

cdef extern from "version.h" nogil:
    const int dg_version


cdef inline cudaError_t of_hip(uint32_t error) noexcept nogil:
    """CUDA's status of a HIP call, kept as the last error."""
    return cudart_keep(status_of_hip(error))


cdef inline cudaError_t refused(cudaError_t status) noexcept nogil:
    """A refusal of our own, kept as the last error."""
    return cudart_keep(status)


cdef inline cudaError_t event_of(const void *event, void **hip) noexcept nogil:
    """HIP's event behind a handle of ours. The handle is judged without being followed."""
    cdef int reason = dg_the_core.slot_check(event, DG_EVENT)
    if reason != DG_OK:
        return cudart_keep(status_of_reason(reason))
    hip[0] = (<const dg_event *>event).hip
    return cudaSuccess
