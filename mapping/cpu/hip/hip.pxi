# HIP's C ABI (hip.h) for Cython, included by each unit of the CPU backend's HIP runtime. Declarations only.
from libc.stddef cimport size_t
from libc.stdint cimport int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t, uintptr_t
from libc.string cimport memcpy, memmove, memset, strlen

cdef extern from "hip.h" nogil:
    ctypedef int hipError_t
    ctypedef void *hipStream_t
    ctypedef void *hipEvent_t
    ctypedef void *hipMemPool_t
    ctypedef void *hipDeviceptr_t
    ctypedef int hipDevice_t
    ctypedef void (*hipStreamCallback_t)(hipStream_t, hipError_t, void *) noexcept nogil
    ctypedef void (*hipHostFn_t)(void *) noexcept nogil
    enum:
        hipSuccess, hipErrorInvalidValue, hipErrorOutOfMemory, hipErrorNotInitialized, hipErrorInvalidPitchValue
        hipErrorInvalidMemcpyDirection, hipErrorInvalidDevice, hipErrorInvalidHandle, hipErrorIllegalState
        hipErrorUnsupportedLimit, hipErrorPeerAccessNotEnabled, hipErrorHostMemoryAlreadyRegistered
        hipErrorHostMemoryNotRegistered, hipErrorLaunchFailure, hipErrorNotSupported
        hipErrorStreamCaptureUnsupported, hipErrorStreamCaptureInvalidated, hipErrorStreamCaptureMerge
        hipErrorStreamCaptureUnmatched, hipErrorStreamCaptureUnjoined, hipErrorStreamCaptureIsolation
        hipErrorStreamCaptureImplicit, hipErrorCapturedEvent, hipErrorStreamCaptureWrongThread
        hipErrorGraphExecUpdateFailure
        hipMemcpyHostToHost, hipMemcpyHostToDevice, hipMemcpyDeviceToHost, hipMemcpyDeviceToDevice
        hipMemcpyDefault, hipMemcpyDeviceToDeviceNoCU
        hipMemoryTypeUnregistered, hipMemoryTypeHost, hipMemoryTypeDevice, hipMemoryTypeManaged
        hipStreamNonBlocking, hipEventBlockingSync, hipEventDisableTiming, hipEventInterprocess
        hipMemAttachGlobal, hipMemAttachHost
        HOST_NONE, HOST_DEVICE, HOST_PINNED, HOST_MANAGED, HOST_REGISTERED, HOST_GRAPHS
        HOST_STREAM, HOST_EVENT, HOST_POOL, HOST_GRAPH, HOST_NODE, HOST_EXEC, HOST_OBJECT
    ctypedef struct hipPointerAttribute_t:
        int type
        int device
        void *devicePointer
        void *hostPointer
        int isManaged
        unsigned allocationFlags
    ctypedef struct hipUUID:
        char bytes[16]
    ctypedef struct hipExtent:
        size_t width
        size_t height
        size_t depth
    ctypedef struct hipPos:
        size_t x
        size_t y
        size_t z
    ctypedef struct hipPitchedPtr:
        void *ptr
        size_t pitch
        size_t xsize
        size_t ysize
    ctypedef struct hipMemcpy3DParms:
        void *srcArray
        hipPos srcPos
        hipPitchedPtr srcPtr
        void *dstArray
        hipPos dstPos
        hipPitchedPtr dstPtr
        hipExtent extent
        int kind
    ctypedef struct hipMemLocation:
        int type
        int id
    ctypedef struct hipMemPoolProps:
        int allocType
        int handleTypes
        hipMemLocation location
        size_t maxSize
    ctypedef struct hipDeviceProp_tR0600:
        pass

    ctypedef struct host_slot:
        uint32_t kind
        uint32_t flags
        int32_t priority
        int32_t recorded
        int64_t time
        uint64_t threshold
        uint64_t number
        int32_t reuse[4]
        host_slot *next
        void *object
        uint64_t used
    ctypedef struct host_block:
        uintptr_t base
        size_t size
        int kind
        unsigned flags
        host_slot *pool
        unsigned char read_mostly
        unsigned char accessed
        unsigned char preferred
        unsigned char prefetched

cdef extern from "host.h" nogil:
    int64_t host_now()
    size_t host_memory_total()
    size_t host_memory_available()
    int host_cpus()
