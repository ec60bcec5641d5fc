# cython: language_level=3, cdivision=True, boundscheck=False, wraparound=False
"""Two devices of one kind, gfx1100: a Radeon RX 7900 XTX by its numbers, as far as rocBLAS looks at them."""
include "hip.pxi"
include "state.pxi"
from libc.stdint cimport int16_t
include "fake.pxi"
include "noted.pxi"

from libc.stdio cimport snprintf

cdef extern from "fake.h" nogil:
    """
    extern hipError_t host_hipGetDevicePropertiesR0600(hipDeviceProp_tR0600 *, int);
    extern hipError_t host_hipDeviceGetAttribute(int *, int, int);
    extern hipError_t host_hipDeviceGetUuid(hipUUID *, hipDevice_t);
    extern hipError_t host_hipDeviceTotalMem(size_t *, hipDevice_t);
    extern hipError_t host_hipDeviceGetDefaultMemPool(hipMemPool_t *, int);
    """
    hipError_t host_hipGetDevicePropertiesR0600(hipDeviceProp_tR0600 *properties, int device)
    hipError_t host_hipDeviceGetAttribute(int *value, int attribute, int device)
    hipError_t host_hipDeviceGetUuid(hipUUID *uuid, hipDevice_t device)
    hipError_t host_hipDeviceTotalMem(size_t *bytes, hipDevice_t device)
    hipError_t host_hipDeviceGetDefaultMemPool(hipMemPool_t *pool, int device)
    ctypedef struct New "hipDeviceProp_tR0600":
        char name[256]
        size_t totalGlobalMem, sharedMemPerBlock, sharedMemPerMultiprocessor, maxSharedMemoryPerMultiProcessor
        int warpSize, maxThreadsPerBlock, multiProcessorCount, major, minor, integrated, clockRate
        int maxThreadsPerMultiProcessor, regsPerBlock
        char gcnArchName[256]
    ctypedef struct Old "fake_old_properties":
        char name[256]
        size_t totalGlobalMem, sharedMemPerBlock, totalConstMem, maxSharedMemoryPerMultiProcessor
        int regsPerBlock, warpSize, maxThreadsPerBlock, clockRate, major, minor, multiProcessorCount
        int maxThreadsPerMultiProcessor, canMapHostMemory, gcnArch
        int maxThreadsDim[3]
        int maxGridSize[3]
        char gcnArchName[256]

cdef enum:
    MAJOR = 11
    MINOR = 0
    UNITS = 96
    SHARED = 65536
    CLOCK = 2482000     # kHz
    ATTRIBUTE_MAJOR = 23        # hipDeviceAttributeComputeCapabilityMajor
    ATTRIBUTE_MINOR = 61
    ATTRIBUTE_UNITS = 63
    ATTRIBUTE_INTEGRATED = 16
    ATTRIBUTE_WARP = 87
    ATTRIBUTE_PHYSICAL_UNITS = 10015


cdef hipError_t is_device(int device) noexcept nogil:
    return hipSuccess if 0 <= device < FAKE_DEVICES else host_fail(hipErrorInvalidDevice)


cdef public hipError_t hipGetDeviceCount(int *count) noexcept nogil:
    if count == NULL:
        return host_fail(hipErrorInvalidValue)
    count[0] = FAKE_DEVICES
    return hipSuccess


cdef public hipError_t hipGetDevice(int *device) noexcept nogil:
    if device == NULL:
        return host_fail(hipErrorInvalidValue)
    device[0] = fake_device()
    return hipSuccess


cdef public hipError_t hipSetDevice(int device) noexcept nogil:
    return hipSuccess if fake_choose(device) else host_fail(hipErrorInvalidDevice)


cdef public hipError_t hipDeviceGet(hipDevice_t *device, int ordinal) noexcept nogil:
    if device == NULL:
        return host_fail(hipErrorInvalidValue)
    device[0] = ordinal
    return is_device(ordinal)


cdef void call_it(char *name, char *gfx, int device) noexcept nogil:
    snprintf(name, 256, "Radeon RX 7900 XTX (fake %d)", device)
    snprintf(gfx, 256, "gfx1100")


cdef public hipError_t hipGetDevicePropertiesR0600(hipDeviceProp_tR0600 *properties, int device) noexcept nogil:
    cdef New *p = <New *>properties
    cdef hipError_t error = is_device(device)
    if error == hipSuccess:
        error = host_hipGetDevicePropertiesR0600(properties, 0)
    if error == hipSuccess:
        call_it(p.name, p.gcnArchName, device)
        p.major = MAJOR
        p.minor = MINOR
        p.multiProcessorCount = UNITS
        p.clockRate = CLOCK
        p.integrated = 0
        p.sharedMemPerBlock = p.sharedMemPerMultiprocessor = p.maxSharedMemoryPerMultiProcessor = SHARED
    return error


cdef public hipError_t hipGetDeviceProperties(void *properties, int device) noexcept nogil:
    """The plain name keeps HIP 5's layout in later releases too."""
    cdef Old *p = <Old *>properties
    if properties == NULL:
        return host_fail(hipErrorInvalidValue)
    if is_device(device) != hipSuccess:
        return hipErrorInvalidDevice
    memset(p, 0, sizeof(Old))
    call_it(p.name, p.gcnArchName, device)
    host_hipDeviceTotalMem(&p.totalGlobalMem, 0)
    p.sharedMemPerBlock = p.maxSharedMemoryPerMultiProcessor = SHARED
    p.regsPerBlock = 65536
    p.warpSize = 32
    p.maxThreadsPerBlock = 1024
    p.maxThreadsDim[0] = p.maxThreadsDim[1] = p.maxThreadsDim[2] = 1024
    p.maxGridSize[0] = p.maxGridSize[1] = p.maxGridSize[2] = 0x7fffffff
    p.clockRate = CLOCK
    p.totalConstMem = 0x7fffffff
    p.major = MAJOR
    p.minor = MINOR
    p.multiProcessorCount = UNITS
    p.maxThreadsPerMultiProcessor = 2048
    p.canMapHostMemory = 1
    p.gcnArch = 1100
    return hipSuccess


cdef public hipError_t hipDeviceGetAttribute(int *value, int attribute, int device) noexcept nogil:
    cdef hipError_t error = is_device(device)
    if error == hipSuccess:
        error = host_hipDeviceGetAttribute(value, attribute, 0)
    if error != hipSuccess:
        return error
    if attribute == ATTRIBUTE_MAJOR:
        value[0] = MAJOR
    elif attribute == ATTRIBUTE_MINOR:
        value[0] = MINOR
    elif attribute == ATTRIBUTE_UNITS or attribute == ATTRIBUTE_PHYSICAL_UNITS:
        value[0] = UNITS
    elif attribute == ATTRIBUTE_INTEGRATED:
        value[0] = 0
    elif attribute == ATTRIBUTE_WARP:
        value[0] = 32
    return hipSuccess


cdef public hipError_t hipDeviceGetName(char *name, int length, hipDevice_t device) noexcept nogil:
    if name == NULL or length <= 0:
        return host_fail(hipErrorInvalidValue)
    if is_device(device) != hipSuccess:
        return hipErrorInvalidDevice
    snprintf(name, <size_t>length, "Radeon RX 7900 XTX (fake %d)", device)
    return hipSuccess


cdef public hipError_t hipDeviceGetUuid(hipUUID *uuid, hipDevice_t device) noexcept nogil:
    cdef hipError_t error = is_device(device)
    if error == hipSuccess:
        error = host_hipDeviceGetUuid(uuid, 0)
    if error == hipSuccess:
        uuid.bytes[15] = <char>(c'0' + device)
    return error


cdef public hipError_t hipDeviceTotalMem(size_t *bytes, hipDevice_t device) noexcept nogil:
    return host_hipDeviceTotalMem(bytes, 0) if is_device(device) == hipSuccess else hipErrorInvalidDevice


cdef public hipError_t hipDeviceComputeCapability(int *major, int *minor, hipDevice_t device) noexcept nogil:
    if major == NULL or minor == NULL:
        return host_fail(hipErrorInvalidValue)
    major[0] = MAJOR
    minor[0] = MINOR
    return is_device(device)


cdef public hipError_t hipDeviceGetDefaultMemPool(hipMemPool_t *pool, int device) noexcept nogil:
    return host_hipDeviceGetDefaultMemPool(pool, 0) if is_device(device) == hipSuccess else hipErrorInvalidDevice


cdef public hipError_t hipRuntimeGetVersion(int *version) noexcept nogil:
    if version == NULL:
        return host_fail(hipErrorInvalidValue)
    version[0] = fake_hip_version
    return hipSuccess


cdef public hipError_t hipDriverGetVersion(int *version) noexcept nogil:
    return hipRuntimeGetVersion(version)
