# Included by each block file of the CUDA driver: contexts.h for Cython, and the helpers that most blocks use.
from libc.string cimport memset

cdef extern from "contexts.h" nogil:
    enum:
        DG_EVENT
        DG_CONTEXT
        CUDA_DEVICES
    ctypedef struct dg_event:
        uint32_t magic
        uint32_t flags
        void *hip
    ctypedef struct dg_hip_pointer:
        int type
        int device
        void *device_pointer
        void *host_pointer
        int managed
    ctypedef struct cuda_context:
        uint32_t magic
        int32_t device
        uint32_t flags
        uint32_t primary
    int cuda_ready()
    void cuda_init()
    void *cuda_current(int device)
    int cuda_push(void *context)
    void *cuda_pop()
    void cuda_set(void *context)
    void cuda_forget(void *context)
    void *cuda_primary(int device, int hold)
    int cuda_primary_release(int device)
    int cuda_primary_held(int device)
    uint32_t *cuda_primary_flags(int device)
    void *cuda_function(const char *name, int version, uint64_t flags, int *found)

cdef extern from "version.h" nogil:
    const int dg_version


cdef inline CUresult of_hip(uint32_t error) noexcept nogil:
    """The driver's status of a HIP call. Its numbers are the runtime's, but for a few that only the runtime has."""
    cdef uint32_t status = status_of_hip(error)
    if error != 0:
        dg_hip.hipGetLastError()  # the driver has no last error, and rocBLAS must not find this one
    if status == 12 or status == 13 or status == 16 or status == 17 or status == 21:
        return CUDA_ERROR_INVALID_VALUE
    if status == 35:
        return CUDA_ERROR_NOT_INITIALIZED
    return <CUresult>status


cdef inline CUresult awake() noexcept nogil:
    return CUDA_SUCCESS if cuda_ready() else CUDA_ERROR_NOT_INITIALIZED


cdef inline void *current() noexcept nogil:
    """The calling thread's context, or NULL."""
    cdef int device = 0
    if dg_hip.hipGetDevice(&device) != 0:
        dg_hip.hipGetLastError()
    return cuda_current(device)


cdef inline CUresult at_work() noexcept nogil:
    """Whether a call that needs a context may go on."""
    if not cuda_ready():
        return CUDA_ERROR_NOT_INITIALIZED
    return CUDA_SUCCESS if current() != NULL else CUDA_ERROR_INVALID_CONTEXT
