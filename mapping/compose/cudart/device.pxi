# Devices of the CUDA runtime: properties and attributes by the table of properties.h, and what HIP answers differently.
include "common.pxi"
include "cudart/limits.pxi"

cdef extern from "properties.h" nogil:
    ctypedef struct cudart_attribute:
        short how
        short hip
    ctypedef struct cudart_property:
        short place[3]
        unsigned char size
        unsigned char attribute
    enum:
        CUDART_FIXED, CUDART_HIP, CUDART_ATTRIBUTES, CUDART_PROPERTIES
        CUDART_PROP_NAME, CUDART_PROP_UUID, CUDART_PROP_TOTAL
    const cudart_attribute *cudart_attributes
    const cudart_property *cudart_properties
    const short *cudart_prop_size


cdef inline cudaError_t device_reset() noexcept nogil:
    cdef int device = 0
    cdef uint32_t error = dg_hip.hipGetDevice(&device)
    if error == 0:
        error = dg_hip.hipDeviceReset()
    dg_limits_forget(device)
    cudart_flags(1, 0)
    cudart_forget_all()
    return of_hip(error)


cdef inline cudaError_t get_cache_split(cudaFuncCache *config) noexcept nogil:
    return of_hip(split_get(<uint32_t *>config))


cdef inline cudaError_t set_cache_split(cudaFuncCache config) noexcept nogil:
    return of_hip(split_set(<uint32_t>config))


cdef inline cudaError_t priority_range(int *least, int *greatest) noexcept nogil:
    """Least is 0 with CUDA and 1 with HIP; 0 is the default of both."""
    cdef int low = 0, high = 0
    cdef uint32_t error = dg_hip.hipDeviceGetStreamPriorityRange(&low, &high)
    if error != 0:
        return of_hip(error)
    if least != NULL:
        least[0] = 0
    if greatest != NULL:
        greatest[0] = high
    return cudaSuccess


cdef inline cudaError_t ask(int *value, unsigned int attribute, int device) noexcept nogil:
    """One attribute. What a release of HIP does not know is 0, as is what HIP has no word for, or CUDA no name."""
    cdef cudart_attribute row
    cdef uint32_t error = 0
    if attribute == 0 or attribute >= <unsigned int>CUDART_ATTRIBUTES:
        return refused(cudaErrorInvalidValue)
    row = cudart_attributes[attribute]
    value[0] = 0
    if row.how == CUDART_HIP:
        error = dg_hip.hipDeviceGetAttribute(value, <unsigned int>row.hip, device)
    else:
        # the warp's size: known everywhere, asks for the device
        error = dg_hip.hipDeviceGetAttribute(value, 87, device)
        value[0] = row.hip if row.how == CUDART_FIXED else 0
    if error == hipErrorInvalidValue or error == hipErrorNotSupported:
        dg_hip.hipGetLastError()
        value[0] = 0
        return cudaSuccess
    return of_hip(error)


cdef inline cudaError_t device_attribute(int *value, cudaDeviceAttr attribute, int device) noexcept nogil:
    cdef int answer = 0
    cdef cudaError_t status
    if value == NULL:
        return refused(cudaErrorInvalidValue)
    status = ask(&answer, attribute, device)
    if status == cudaSuccess:
        value[0] = answer
    return status


cdef inline cudaError_t fill(char *prop, int device, int layout) noexcept nogil:
    cdef int i, value = 0
    cdef size_t total = 0
    cdef short place
    cdef cudaError_t status
    if prop == NULL:
        return refused(cudaErrorInvalidValue)
    status = ask(&value, 10, device)
    if status != cudaSuccess:
        return status
    memset(prop, 0, <size_t>cudart_prop_size[layout])
    for i in range(CUDART_PROPERTIES):
        place = cudart_properties[i].place[layout]
        if place < 0 or ask(&value, cudart_properties[i].attribute, device) != cudaSuccess:
            continue
        if cudart_properties[i].size == 8:
            (<size_t *>(prop + place))[0] = <size_t><unsigned int>value
        else:
            (<int *>(prop + place))[0] = value
    status = of_hip(dg_hip.hipDeviceGetName(prop + CUDART_PROP_NAME, 256, device))
    if status == cudaSuccess:
        status = of_hip(dg_hip.hipDeviceTotalMem(&total, device))
        (<size_t *>(prop + CUDART_PROP_TOTAL))[0] = total
    if dg_hip.hipDeviceGetUuid(<void *>(prop + CUDART_PROP_UUID), device) != 0:
        dg_hip.hipGetLastError()
    return status


cdef inline cudaError_t device_properties(cudaDeviceProp *prop, int device) noexcept nogil:
    """The plain name fills CUDA 11's layout in CUDA 12 too, as NVIDIA's library was seen to do."""
    return fill(<char *>prop, device, 2 if dg_own_library.cuda_major >= 13 else 0)


cdef inline cudaError_t device_properties_v2(cudaDeviceProp *prop, int device) noexcept nogil:
    return fill(<char *>prop, device, 1)


cdef inline cudaError_t p2p_attribute(int *value, cudaDeviceP2PAttr attribute, int device, int peer) noexcept nogil:
    """HIP counts from 0 what CUDA counts from 1."""
    if device == peer:
        return refused(cudaErrorInvalidDevice)
    if value == NULL or attribute < 1 or attribute > 5:
        return refused(cudaErrorInvalidValue)
    if attribute == 5:  # only some atomic operations work across the link: not known, and not promised
        value[0] = 0
        return cudaSuccess
    return of_hip(dg_hip.hipDeviceGetP2PAttribute(value, attribute - 1, device, peer))


cdef inline cudaError_t enable_peer(int peer, unsigned int flags) noexcept nogil:
    """There are no flags. A device is no peer of its own; HIP calls it an invalid one."""
    cdef int device = -1
    cdef uint32_t error
    if flags != 0:
        return refused(cudaErrorInvalidValue)
    error = dg_hip.hipGetDevice(&device)
    if error == 0 and peer == device:
        return refused(cudaErrorPeerAccessUnsupported)
    return of_hip(dg_hip.hipDeviceEnablePeerAccess(peer, flags))


cdef inline cudaError_t known_device(int device) noexcept nogil:
    cdef int count = 0
    cdef uint32_t error = dg_hip.hipGetDeviceCount(&count)
    if error != 0:
        return of_hip(error)
    return cudaSuccess if 0 <= device < count else refused(cudaErrorInvalidDevice)


cdef inline cudaError_t choose_device(int *device, const cudaDeviceProp *prop) noexcept nogil:
    """The first: the wish is written in terms of NVIDIA's cards."""
    cdef cudaError_t status
    if device == NULL or prop == NULL:
        return refused(cudaErrorInvalidValue)
    status = known_device(0)
    if status == cudaSuccess:
        device[0] = 0
    return status


cdef inline bint flags_make_sense(unsigned int flags) noexcept nogil:
    """One way of waiting at most (three bits), and no bit that no flag has."""
    cdef unsigned int wait = flags & 7
    return (flags & ~<unsigned int>0xff) == 0 and wait <= 4 and wait != 3


cdef inline cudaError_t init_device(int device, unsigned int device_flags, unsigned int flags) noexcept nogil:
    """HIP makes a device ready when it is first used. `flags`: 1 where `device_flags` count."""
    cdef cudaError_t status = known_device(device)
    if status != cudaSuccess:
        return status
    if flags > 1 or (flags == 1 and not flags_make_sense(device_flags)):
        return refused(cudaErrorInvalidValue)
    return cudaSuccess


cdef inline cudaError_t device_get_limit(size_t *value, cudaLimit limit) noexcept nogil:
    return of_hip(limit_get(value, <unsigned int>limit))


cdef inline cudaError_t device_set_limit(cudaLimit limit, size_t value) noexcept nogil:
    return of_hip(limit_set(<unsigned int>limit, value))


cdef inline cudaError_t set_device_flags(unsigned int flags) noexcept nogil:
    """Of the flags since CUDA 12, which HIP has not: copies that end before their call does (0x80) are kept and told
    back, what else NVIDIA's takes (0x20, 0x40) is not."""
    cdef unsigned int later = flags & <unsigned int>0xe0 if dg_own_library.cuda_major >= 12 else 0
    cdef unsigned int own = later & CUDART_SYNC_MEMOPS
    cdef cudaError_t status = of_hip(dg_hip.hipSetDeviceFlags(flags & ~later))
    if status == cudaSuccess:
        cudart_flags(1, own)
    return status


cdef inline cudaError_t get_device_flags(unsigned int *flags) noexcept nogil:
    cdef cudaError_t status = of_hip(dg_hip.hipGetDeviceFlags(flags))
    if status == cudaSuccess:
        # cudaDeviceMapHost: pinned memory is always mapped where addresses are unified
        flags[0] |= cudart_flags(0, 0) | 8
    return status


cdef inline cudaError_t version_number(int *version) noexcept nogil:
    if version == NULL:
        return refused(cudaErrorInvalidValue)
    version[0] = dg_version
    return cudaSuccess


# ---- events of other processes

cdef inline cudaError_t ipc_get_event(cudaIpcEventHandle_t *handle, cudaEvent_t event) noexcept nogil:
    cdef void *hip = NULL
    cdef cudaError_t status = event_of(event, &hip)
    return of_hip(dg_hip.hipIpcGetEventHandle(handle, hip)) if status == cudaSuccess else status


cdef inline cudaError_t ipc_open_event(cudaEvent_t *event, cudaIpcEventHandle_t handle) noexcept nogil:
    cdef dg_event *slot
    cdef uint32_t error
    if event == NULL:
        return refused(cudaErrorInvalidValue)
    slot = <dg_event *>dg_the_core.slot_new(DG_EVENT)
    if slot == NULL:
        return refused(cudaErrorMemoryAllocation)
    slot.flags = 6  # for other processes, and so without timing
    error = dg_hip.hipIpcOpenEventHandle(&slot.hip, handle)
    if error != 0:
        dg_the_core.slot_free(slot)
        return of_hip(error)
    event[0] = <cudaEvent_t>slot
    return cudaSuccess
