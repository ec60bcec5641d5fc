# cython: language_level=3, cdivision=True, boundscheck=False, wraparound=False
"""The one device of the CPU backend's HIP runtime: the host's processor.

What is reported is true of it, or 0 where the question has no answer on a CPU (clocks, caches, a PCI place). Sizes of
blocks and grids are those of an RDNA card: they bound launches that never happen, and programs divide by them.
"""
include "hip.pxi"
include "state.pxi"
include "node.pxi"
include "capture.pxi"

from libc.stdio cimport snprintf, sscanf

cdef extern from "hip.h" nogil:
    ctypedef struct Properties "hipDeviceProp_tR0600":
        char name[256]
        hipUUID uuid
        size_t totalGlobalMem, sharedMemPerBlock, memPitch, textureAlignment, texturePitchAlignment
        size_t surfaceAlignment, sharedMemPerMultiprocessor, totalConstMem, maxSharedMemoryPerMultiProcessor
        int regsPerBlock, warpSize, maxThreadsPerBlock, multiProcessorCount, integrated, canMapHostMemory
        int maxThreadsDim[3]
        int maxGridSize[3]
        int maxThreadsPerMultiProcessor, maxBlocksPerMultiProcessor, regsPerMultiprocessor
        int unifiedAddressing, streamPrioritiesSupported, managedMemory, hostNativeAtomicSupported
        int pageableMemoryAccess, concurrentManagedAccess, canUseHostPointerForRegisteredMem
        int pageableMemoryAccessUsesHostPageTables, directManagedMemAccessFromHost, hostRegisterSupported
        int memoryPoolsSupported
        char gcnArchName[256]

cdef extern from * nogil:
    """
    /* hipDeviceAttribute_t, as far as this device has something to say; every other known number answers 0. */
    enum {
        hipDeviceAttributeCanMapHostMemory = 3, hipDeviceAttributeCanUseHostPointerForRegisteredMem = 4,
        hipDeviceAttributeConcurrentManagedAccess = 9, hipDeviceAttributeDirectManagedMemAccessFromHost = 13,
        hipDeviceAttributeHostNativeAtomicSupported = 15, hipDeviceAttributeIntegrated = 16,
        hipDeviceAttributeManagedMemory = 24, hipDeviceAttributeMaxBlocksPerMultiProcessor = 25,
        hipDeviceAttributeMaxBlockDimX = 26, hipDeviceAttributeMaxBlockDimY = 27, hipDeviceAttributeMaxBlockDimZ = 28,
        hipDeviceAttributeMaxGridDimX = 29, hipDeviceAttributeMaxGridDimY = 30, hipDeviceAttributeMaxGridDimZ = 31,
        hipDeviceAttributeMaxThreadsPerBlock = 56, hipDeviceAttributeMaxThreadsPerMultiProcessor = 57,
        hipDeviceAttributeMaxPitch = 58, hipDeviceAttributeMultiprocessorCount = 63,
        hipDeviceAttributePageableMemoryAccess = 65, hipDeviceAttributePageableMemoryAccessUsesHostPageTables = 66,
        hipDeviceAttributeMaxRegistersPerBlock = 71, hipDeviceAttributeMaxRegistersPerMultiprocessor = 72,
        hipDeviceAttributeMaxSharedMemoryPerBlock = 74, hipDeviceAttributeSharedMemPerMultiprocessor = 76,
        hipDeviceAttributeStreamPrioritiesSupported = 78, hipDeviceAttributeSurfaceAlignment = 79,
        hipDeviceAttributeTextureAlignment = 81, hipDeviceAttributeTexturePitchAlignment = 82,
        hipDeviceAttributeTotalConstantMemory = 83, hipDeviceAttributeTotalGlobalMem = 84,
        hipDeviceAttributeUnifiedAddressing = 85, hipDeviceAttributeWarpSize = 87,
        hipDeviceAttributeMemoryPoolsSupported = 88, hipDeviceAttributeHostRegisterSupported = 90,
        hipDeviceAttributeLast = 127,
        hipDeviceAttributeAmdFirst = 10000, hipDeviceAttributeMaxSharedMemoryPerMultiprocessor = 10002,
        hipDeviceAttributePhysicalMultiProcessorCount = 10015, hipDeviceAttributeFineGrainSupport = 10016,
        hipDeviceAttributeAmdLast = 10063
    };
    static unsigned host_device_flags;
    /* stack of a thread, printf's buffer, heap of device code: what AMD's runtime starts with */
    enum { HOST_LIMITS = 3 };
    #define HOST_LIMITS_AT_START {1024, 1 << 20, 8 << 20}
    static volatile size_t host_limits[HOST_LIMITS] = HOST_LIMITS_AT_START;
    static void host_limits_reset(void) {
        static const size_t start[HOST_LIMITS] = HOST_LIMITS_AT_START;
        for (int i = 0; i < HOST_LIMITS; i++) host_limits[i] = start[i];
    }
    """
    enum:
        hipDeviceAttributeCanMapHostMemory, hipDeviceAttributeCanUseHostPointerForRegisteredMem
        hipDeviceAttributeConcurrentManagedAccess, hipDeviceAttributeDirectManagedMemAccessFromHost
        hipDeviceAttributeHostNativeAtomicSupported, hipDeviceAttributeIntegrated, hipDeviceAttributeManagedMemory
        hipDeviceAttributeMaxBlocksPerMultiProcessor, hipDeviceAttributeMaxBlockDimX, hipDeviceAttributeMaxBlockDimY
        hipDeviceAttributeMaxBlockDimZ, hipDeviceAttributeMaxGridDimX, hipDeviceAttributeMaxGridDimY
        hipDeviceAttributeMaxGridDimZ, hipDeviceAttributeMaxThreadsPerBlock
        hipDeviceAttributeMaxThreadsPerMultiProcessor, hipDeviceAttributeMaxPitch
        hipDeviceAttributeMultiprocessorCount, hipDeviceAttributePageableMemoryAccess
        hipDeviceAttributePageableMemoryAccessUsesHostPageTables, hipDeviceAttributeMaxRegistersPerBlock
        hipDeviceAttributeMaxRegistersPerMultiprocessor, hipDeviceAttributeMaxSharedMemoryPerBlock
        hipDeviceAttributeSharedMemPerMultiprocessor, hipDeviceAttributeStreamPrioritiesSupported
        hipDeviceAttributeSurfaceAlignment, hipDeviceAttributeTextureAlignment
        hipDeviceAttributeTexturePitchAlignment, hipDeviceAttributeTotalConstantMemory
        hipDeviceAttributeTotalGlobalMem, hipDeviceAttributeUnifiedAddressing, hipDeviceAttributeWarpSize
        hipDeviceAttributeMemoryPoolsSupported, hipDeviceAttributeHostRegisterSupported, hipDeviceAttributeLast
        hipDeviceAttributeAmdFirst, hipDeviceAttributeMaxSharedMemoryPerMultiprocessor
        hipDeviceAttributePhysicalMultiProcessorCount, hipDeviceAttributeFineGrainSupport, hipDeviceAttributeAmdLast
        HOST_LIMITS
    unsigned host_device_flags
    size_t *host_limits
    void host_limits_reset()


cdef enum:
    VERSION = 70200000  # HIP 7.2: what the rest of this backend's ABI is written for
    BLOCK = 1024
    SHARED = 65536
    ALIGNMENT = 256


cdef hipError_t is_device(int device) noexcept nogil:
    return hipSuccess if device == 0 else host_fail(hipErrorInvalidDevice)


# ---- which device ----

cdef public hipError_t hipInit(unsigned int flags) noexcept nogil:
    return hipSuccess if flags == 0 else host_fail(hipErrorInvalidValue)


cdef public hipError_t hipGetDeviceCount(int *count) noexcept nogil:
    if count == NULL:
        return host_fail(hipErrorInvalidValue)
    count[0] = 1
    return hipSuccess


cdef public hipError_t hipGetDevice(int *device) noexcept nogil:
    if device == NULL:
        return host_fail(hipErrorInvalidValue)
    device[0] = 0
    return hipSuccess


cdef public hipError_t hipSetDevice(int device) noexcept nogil:
    return is_device(device)


cdef public hipError_t hipSetValidDevices(int *devices, int count) noexcept nogil:
    cdef int i
    if count < 0 or (count and devices == NULL):
        return host_fail(hipErrorInvalidValue)
    for i in range(count):
        if devices[i] != 0:
            return host_fail(hipErrorInvalidDevice)
    return hipSuccess


cdef public hipError_t hipDeviceGet(hipDevice_t *device, int ordinal) noexcept nogil:
    if device == NULL:
        return host_fail(hipErrorInvalidValue)
    device[0] = 0
    return is_device(ordinal)


cdef public hipError_t hipChooseDeviceR0600(int *device, const hipDeviceProp_tR0600 *wanted) noexcept nogil:
    if device == NULL or wanted == NULL:
        return host_fail(hipErrorInvalidValue)
    device[0] = 0
    return hipSuccess


cdef public hipError_t hipSetDeviceFlags(unsigned int flags) noexcept nogil:
    global host_device_flags
    # schedule (three bits, one at a time), map host memory, resize local memory
    if flags > 31 or (flags & 7) == 3 or (flags & 7) > 4:
        return host_fail(hipErrorInvalidValue)
    host_device_flags = flags
    return hipSuccess


cdef public hipError_t hipGetDeviceFlags(unsigned int *flags) noexcept nogil:
    if flags == NULL:
        return host_fail(hipErrorInvalidValue)
    flags[0] = host_device_flags
    return hipSuccess


# ---- what it is ----

cdef void copy_text(char *to, int room, const char *text) noexcept nogil:
    snprintf(to, <size_t>room, "%s", text)


cdef void identify(hipUUID *uuid) noexcept nogil:
    """Always the same bytes: a device that is not hardware has no identity of its own."""
    memcpy(uuid.bytes, b"dragoman-cpu-000", 16)


cdef void describe(Properties *p) noexcept nogil:
    memset(p, 0, sizeof(Properties))
    copy_text(p.name, 256, b"dragoman CPU backend")
    copy_text(p.gcnArchName, 256, b"cpu")
    identify(&p.uuid)
    p.totalGlobalMem = host_memory_total()
    p.sharedMemPerBlock = p.sharedMemPerMultiprocessor = p.maxSharedMemoryPerMultiProcessor = SHARED
    p.regsPerBlock = p.regsPerMultiprocessor = 65536
    p.warpSize = 32
    p.memPitch = 0x7fffffff
    p.maxThreadsPerBlock = BLOCK
    p.maxThreadsDim[0] = p.maxThreadsDim[1] = p.maxThreadsDim[2] = BLOCK
    p.maxGridSize[0] = 0x7fffffff
    p.maxGridSize[1] = p.maxGridSize[2] = 65535
    p.maxThreadsPerMultiProcessor = 2 * BLOCK
    p.maxBlocksPerMultiProcessor = 2
    p.totalConstMem = 0x7fffffff
    p.textureAlignment = p.texturePitchAlignment = p.surfaceAlignment = ALIGNMENT
    p.multiProcessorCount = host_cpus()
    p.integrated = p.canMapHostMemory = p.unifiedAddressing = p.managedMemory = p.hostNativeAtomicSupported = 1
    p.pageableMemoryAccess = p.concurrentManagedAccess = p.canUseHostPointerForRegisteredMem = 1
    p.pageableMemoryAccessUsesHostPageTables = p.directManagedMemAccessFromHost = p.hostRegisterSupported = 1
    p.memoryPoolsSupported = p.streamPrioritiesSupported = 1


cdef public hipError_t hipGetDevicePropertiesR0600(hipDeviceProp_tR0600 *properties, int device) noexcept nogil:
    if properties == NULL:
        return host_fail(hipErrorInvalidValue)
    if is_device(device) != hipSuccess:
        return hipErrorInvalidDevice
    describe(<Properties *>properties)
    return hipSuccess


cdef public hipError_t hipDeviceGetAttribute(int *value, int attribute, int device) noexcept nogil:
    cdef Properties p
    if value == NULL:
        return host_fail(hipErrorInvalidValue)
    if is_device(device) != hipSuccess:
        return hipErrorInvalidDevice
    if attribute < 0 or (attribute > hipDeviceAttributeLast and attribute < hipDeviceAttributeAmdFirst) or (
            attribute > hipDeviceAttributeAmdLast):
        return host_fail(hipErrorInvalidValue)
    describe(&p)
    value[0] = 0
    if attribute == hipDeviceAttributeCanMapHostMemory:
        value[0] = p.canMapHostMemory
    elif attribute == hipDeviceAttributeCanUseHostPointerForRegisteredMem:
        value[0] = p.canUseHostPointerForRegisteredMem
    elif attribute == hipDeviceAttributeConcurrentManagedAccess:
        value[0] = p.concurrentManagedAccess
    elif attribute == hipDeviceAttributeDirectManagedMemAccessFromHost:
        value[0] = p.directManagedMemAccessFromHost
    elif attribute == hipDeviceAttributeHostNativeAtomicSupported:
        value[0] = p.hostNativeAtomicSupported
    elif attribute == hipDeviceAttributeIntegrated:
        value[0] = p.integrated
    elif attribute == hipDeviceAttributeManagedMemory:
        value[0] = p.managedMemory
    elif attribute == hipDeviceAttributeMaxBlocksPerMultiProcessor:
        value[0] = p.maxBlocksPerMultiProcessor
    elif attribute == hipDeviceAttributeMaxBlockDimX:
        value[0] = p.maxThreadsDim[0]
    elif attribute == hipDeviceAttributeMaxBlockDimY:
        value[0] = p.maxThreadsDim[1]
    elif attribute == hipDeviceAttributeMaxBlockDimZ:
        value[0] = p.maxThreadsDim[2]
    elif attribute == hipDeviceAttributeMaxGridDimX:
        value[0] = p.maxGridSize[0]
    elif attribute == hipDeviceAttributeMaxGridDimY:
        value[0] = p.maxGridSize[1]
    elif attribute == hipDeviceAttributeMaxGridDimZ:
        value[0] = p.maxGridSize[2]
    elif attribute == hipDeviceAttributeMaxThreadsPerBlock:
        value[0] = p.maxThreadsPerBlock
    elif attribute == hipDeviceAttributeMaxThreadsPerMultiProcessor:
        value[0] = p.maxThreadsPerMultiProcessor
    elif attribute == hipDeviceAttributeMaxPitch:
        value[0] = <int>p.memPitch
    elif attribute == hipDeviceAttributeMultiprocessorCount:
        value[0] = p.multiProcessorCount
    elif attribute == hipDeviceAttributePageableMemoryAccess:
        value[0] = p.pageableMemoryAccess
    elif attribute == hipDeviceAttributePageableMemoryAccessUsesHostPageTables:
        value[0] = p.pageableMemoryAccessUsesHostPageTables
    elif attribute == hipDeviceAttributeMaxRegistersPerBlock:
        value[0] = p.regsPerBlock
    elif attribute == hipDeviceAttributeMaxRegistersPerMultiprocessor:
        value[0] = p.regsPerMultiprocessor
    elif attribute == hipDeviceAttributeMaxSharedMemoryPerBlock:
        value[0] = <int>p.sharedMemPerBlock
    elif attribute == hipDeviceAttributeSharedMemPerMultiprocessor:
        value[0] = <int>p.sharedMemPerMultiprocessor
    elif attribute == hipDeviceAttributeStreamPrioritiesSupported:
        value[0] = p.streamPrioritiesSupported
    elif attribute == hipDeviceAttributeSurfaceAlignment:
        value[0] = <int>p.surfaceAlignment
    elif attribute == hipDeviceAttributeTextureAlignment:
        value[0] = <int>p.textureAlignment
    elif attribute == hipDeviceAttributeTexturePitchAlignment:
        value[0] = <int>p.texturePitchAlignment
    elif attribute == hipDeviceAttributeTotalConstantMemory:
        value[0] = <int>p.totalConstMem
    elif attribute == hipDeviceAttributeUnifiedAddressing:
        value[0] = p.unifiedAddressing
    elif attribute == hipDeviceAttributeWarpSize:
        value[0] = p.warpSize
    elif attribute == hipDeviceAttributeMemoryPoolsSupported:
        value[0] = p.memoryPoolsSupported
    elif attribute == hipDeviceAttributeHostRegisterSupported:
        value[0] = p.hostRegisterSupported
    elif attribute == hipDeviceAttributeMaxSharedMemoryPerMultiprocessor:
        value[0] = <int>p.maxSharedMemoryPerMultiProcessor
    elif attribute == hipDeviceAttributePhysicalMultiProcessorCount:
        value[0] = p.multiProcessorCount
    elif attribute == hipDeviceAttributeTotalGlobalMem:
        # an int for a size: clamped, as AMD's runtime does
        value[0] = 0x7fffffff if p.totalGlobalMem > 0x7fffffff else <int>p.totalGlobalMem
    elif attribute == hipDeviceAttributeFineGrainSupport:
        value[0] = 1
    return hipSuccess


cdef public hipError_t hipDeviceGetName(char *name, int length, hipDevice_t device) noexcept nogil:
    if name == NULL or length <= 0:
        return host_fail(hipErrorInvalidValue)
    if is_device(device) != hipSuccess:
        return hipErrorInvalidDevice
    copy_text(name, length, b"dragoman CPU backend")
    return hipSuccess


cdef public hipError_t hipDeviceGetUuid(hipUUID *uuid, hipDevice_t device) noexcept nogil:
    if uuid == NULL:
        return host_fail(hipErrorInvalidValue)
    if is_device(device) != hipSuccess:
        return hipErrorInvalidDevice
    identify(uuid)
    return hipSuccess


cdef public hipError_t hipDeviceTotalMem(size_t *bytes, hipDevice_t device) noexcept nogil:
    if bytes == NULL:
        return host_fail(hipErrorInvalidValue)
    if is_device(device) != hipSuccess:
        return hipErrorInvalidDevice
    bytes[0] = host_memory_total()
    return hipSuccess


cdef public hipError_t hipDeviceComputeCapability(int *major, int *minor, hipDevice_t device) noexcept nogil:
    if major == NULL or minor == NULL:
        return host_fail(hipErrorInvalidValue)
    major[0] = minor[0] = 0
    return is_device(device)


cdef public hipError_t hipDeviceGetPCIBusId(char *text, int length, int device) noexcept nogil:
    if text == NULL or length < 13:
        return host_fail(hipErrorInvalidValue)
    if is_device(device) != hipSuccess:
        return hipErrorInvalidDevice
    copy_text(text, length, b"0000:00:00.0")
    return hipSuccess


cdef public hipError_t hipDeviceGetByPCIBusId(int *device, const char *text) noexcept nogil:
    cdef unsigned int domain = 1, bus = 1, slot = 1
    if device == NULL or text == NULL or sscanf(text, "%x:%x:%x", &domain, &bus, &slot) != 3:
        return host_fail(hipErrorInvalidValue)
    if domain | bus | slot:
        return host_fail(hipErrorInvalidDevice)
    device[0] = 0
    return hipSuccess


cdef public hipError_t hipRuntimeGetVersion(int *version) noexcept nogil:
    if version == NULL:
        return host_fail(hipErrorInvalidValue)
    version[0] = VERSION
    return hipSuccess


cdef public hipError_t hipDriverGetVersion(int *version) noexcept nogil:
    return hipRuntimeGetVersion(version)


# ---- waiting and resetting ----

cdef public hipError_t hipDeviceSynchronize() noexcept nogil:
    """It waits for every stream, the captured ones too: no mode of a capture allows that."""
    return host_refuse_all() if host_open_captures else hipSuccess


cdef public hipError_t hipDeviceReset() noexcept nogil:
    host_reset()
    host_limits_reset()
    return hipSuccess


# ---- settings that change nothing here, but read back ----

cdef public hipError_t hipDeviceGetStreamPriorityRange(int *least, int *greatest) noexcept nogil:
    if least != NULL:
        least[0] = 1
    if greatest != NULL:
        greatest[0] = -1
    return hipSuccess


cdef public hipError_t hipDeviceGetCacheConfig(int *config) noexcept nogil:
    if config == NULL:
        return host_fail(hipErrorInvalidValue)
    config[0] = 0
    return hipSuccess


cdef public hipError_t hipDeviceSetCacheConfig(int config) noexcept nogil:
    return hipSuccess if 0 <= config <= 3 else host_fail(hipErrorInvalidValue)


cdef public hipError_t hipDeviceGetSharedMemConfig(int *config) noexcept nogil:
    if config == NULL:
        return host_fail(hipErrorInvalidValue)
    config[0] = 1  # banks of four bytes
    return hipSuccess


cdef public hipError_t hipDeviceSetSharedMemConfig(int config) noexcept nogil:
    return hipSuccess if 0 <= config <= 2 else host_fail(hipErrorInvalidValue)


cdef public hipError_t hipDeviceGetLimit(size_t *value, int limit) noexcept nogil:
    """Limits of code on the device. There is no such code: what was set is read back."""
    if value == NULL or limit < 0 or limit >= HOST_LIMITS:
        return host_fail(hipErrorInvalidValue if value == NULL else hipErrorUnsupportedLimit)
    value[0] = host_limits[limit]
    return hipSuccess


cdef public hipError_t hipDeviceSetLimit(int limit, size_t value) noexcept nogil:
    if limit < 0 or limit >= HOST_LIMITS:
        return host_fail(hipErrorUnsupportedLimit)
    host_limits[limit] = value
    return hipSuccess


# ---- peers: there is no other device ----

cdef public hipError_t hipDeviceCanAccessPeer(int *can, int device, int peer) noexcept nogil:
    if can == NULL:
        return host_fail(hipErrorInvalidValue)
    can[0] = 0
    return hipSuccess if device == 0 and peer == 0 else host_fail(hipErrorInvalidDevice)


cdef public hipError_t hipDeviceEnablePeerAccess(int peer, unsigned int flags) noexcept nogil:
    return host_fail(hipErrorInvalidValue if flags else hipErrorInvalidDevice)


cdef public hipError_t hipDeviceDisablePeerAccess(int peer) noexcept nogil:
    return host_fail(hipErrorInvalidDevice if peer else hipErrorPeerAccessNotEnabled)


cdef public hipError_t hipDeviceGetP2PAttribute(int *value, int attribute, int device, int peer) noexcept nogil:
    if value == NULL:
        return host_fail(hipErrorInvalidValue)
    return host_fail(hipErrorInvalidDevice)
