# Devices of the driver.
include "common.pxi"

cdef extern from "cudart/properties.h" nogil:
    ctypedef struct cudart_attribute:
        short how
        short hip
    enum:
        CUDART_MAJOR, CUDART_MINOR, CUDART_FIXED, CUDART_HIP, CUDART_ATTRIBUTES
    const cudart_attribute *cudart_attributes


cdef inline CUresult known_device(CUdevice device) noexcept nogil:
    cdef int count = 0
    cdef CUresult status = awake()
    if status == CUDA_SUCCESS:
        status = of_hip(dg_hip.hipGetDeviceCount(&count))
    if status == CUDA_SUCCESS and not 0 <= device < count:
        status = CUDA_ERROR_INVALID_DEVICE
    return status


cdef inline CUresult device_get(CUdevice *device, int ordinal) noexcept nogil:
    cdef CUresult status
    if device == NULL:
        return CUDA_ERROR_INVALID_VALUE
    status = known_device(ordinal)
    if status == CUDA_SUCCESS:
        device[0] = ordinal
    return status


cdef inline CUresult device_count(int *count) noexcept nogil:
    cdef CUresult status = awake()
    if status == CUDA_SUCCESS and count == NULL:
        status = CUDA_ERROR_INVALID_VALUE
    return of_hip(dg_hip.hipGetDeviceCount(count)) if status == CUDA_SUCCESS else status


cdef inline CUresult device_name(char *name, int length, CUdevice device) noexcept nogil:
    cdef CUresult status = known_device(device)
    if status == CUDA_SUCCESS and (name == NULL or length <= 0):
        status = CUDA_ERROR_INVALID_VALUE
    return of_hip(dg_hip.hipDeviceGetName(name, length, device)) if status == CUDA_SUCCESS else status


cdef inline CUresult device_uuid(CUuuid *uuid, CUdevice device) noexcept nogil:
    cdef CUresult status = known_device(device)
    if status == CUDA_SUCCESS and uuid == NULL:
        status = CUDA_ERROR_INVALID_VALUE
    return of_hip(dg_hip.hipDeviceGetUuid(uuid, device)) if status == CUDA_SUCCESS else status


cdef inline CUresult device_total(size_t *bytes, CUdevice device) noexcept nogil:
    cdef CUresult status = known_device(device)
    if status == CUDA_SUCCESS and bytes == NULL:
        status = CUDA_ERROR_INVALID_VALUE
    return of_hip(dg_hip.hipDeviceTotalMem(bytes, device)) if status == CUDA_SUCCESS else status


cdef inline CUresult device_attribute(int *value, CUdevice_attribute attribute, CUdevice device) noexcept nogil:
    """The driver counts its attributes as the runtime does: the runtime's table answers."""
    cdef cudart_attribute row
    cdef uint32_t error
    cdef CUresult status = known_device(device)
    if status != CUDA_SUCCESS:
        return status
    if value == NULL or attribute == 0 or <unsigned int>attribute >= <unsigned int>CUDART_ATTRIBUTES:
        return CUDA_ERROR_INVALID_VALUE
    row = cudart_attributes[<unsigned int>attribute]
    value[0] = row.hip if row.how == CUDART_FIXED else 0
    if row.how != CUDART_HIP:
        return CUDA_SUCCESS
    error = dg_hip.hipDeviceGetAttribute(value, <unsigned int>row.hip, device)
    if error == hipErrorInvalidValue or error == hipErrorNotSupported:
        dg_hip.hipGetLastError()  # this release has no such attribute
        value[0] = 0
        return CUDA_SUCCESS
    return of_hip(error)


cdef inline CUresult compute_capability(int *major, int *minor, CUdevice device) noexcept nogil:
    cdef CUresult status = known_device(device)
    if status == CUDA_SUCCESS and (major == NULL or minor == NULL):
        status = CUDA_ERROR_INVALID_VALUE
    if status == CUDA_SUCCESS:
        major[0] = CUDART_MAJOR
        minor[0] = CUDART_MINOR
    return status


cdef inline CUresult device_bus_id(char *text, int length, CUdevice device) noexcept nogil:
    cdef CUresult status = known_device(device)
    return of_hip(dg_hip.hipDeviceGetPCIBusId(text, length, device)) if status == CUDA_SUCCESS else status


cdef inline CUresult device_by_bus_id(CUdevice *device, const char *text) noexcept nogil:
    cdef CUresult status = awake()
    return of_hip(dg_hip.hipDeviceGetByPCIBusId(device, text)) if status == CUDA_SUCCESS else status


cdef inline CUresult can_access_peer(int *can, CUdevice device, CUdevice peer) noexcept nogil:
    cdef CUresult status = awake()
    return of_hip(dg_hip.hipDeviceCanAccessPeer(can, device, peer)) if status == CUDA_SUCCESS else status


cdef inline CUresult peer_attribute(int *value, int attribute, CUdevice device, CUdevice peer) noexcept nogil:
    """HIP counts from 0 what CUDA counts from 1."""
    cdef CUresult status = known_device(device)
    if status == CUDA_SUCCESS:
        status = known_device(peer)
    if status == CUDA_SUCCESS and device == peer:
        status = CUDA_ERROR_INVALID_DEVICE
    if status != CUDA_SUCCESS:
        return status
    if value == NULL or not 1 <= attribute <= 5:
        return CUDA_ERROR_INVALID_VALUE
    if attribute == 5:  # only some atomic operations work across the link: not known, and not promised
        value[0] = 0
        return CUDA_SUCCESS
    return of_hip(dg_hip.hipDeviceGetP2PAttribute(value, attribute - 1, device, peer))
