# Memory of the driver. A CUdeviceptr is a number; HIP takes it as the pointer that it is.
include "common.pxi"
include "cudart/rows.pxi"


cdef inline CUresult mem_info(size_t *free_bytes, size_t *total) noexcept nogil:
    cdef CUresult status = at_work()
    return of_hip(dg_hip.hipMemGetInfo(free_bytes, total)) if status == CUDA_SUCCESS else status


cdef inline CUresult mem_alloc(CUdeviceptr *pointer, size_t bytes) noexcept nogil:
    cdef CUresult status = at_work()
    if status == CUDA_SUCCESS and (pointer == NULL or bytes == 0):
        status = CUDA_ERROR_INVALID_VALUE
    return of_hip(dg_hip.hipMalloc(<void **>pointer, bytes)) if status == CUDA_SUCCESS else status


cdef inline CUresult mem_alloc_pitch(
    CUdeviceptr *pointer, size_t *pitch, size_t width, size_t height, unsigned int element
) noexcept nogil:
    cdef CUresult status = at_work()
    if status == CUDA_SUCCESS and (width == 0 or height == 0 or (element != 4 and element != 8 and element != 16)):
        status = CUDA_ERROR_INVALID_VALUE
    return of_hip(pitched_alloc(<void **>pointer, pitch, width, height)) if status == CUDA_SUCCESS else status


cdef inline CUresult mem_free(CUdeviceptr pointer) noexcept nogil:
    cdef CUresult status = at_work()
    return of_hip(dg_hip.hipFree(<void *>pointer)) if status == CUDA_SUCCESS else status


cdef inline CUresult mem_range(CUdeviceptr *base, size_t *bytes, CUdeviceptr pointer) noexcept nogil:
    cdef void *first = NULL
    cdef CUresult status = at_work()
    if status == CUDA_SUCCESS:
        status = of_hip(dg_hip.hipMemGetAddressRange(&first, bytes, <void *>pointer))
    if status == CUDA_SUCCESS and base != NULL:
        base[0] = <CUdeviceptr>first
    return status


cdef inline CUresult host_alloc(void **pointer, size_t bytes, unsigned int flags) noexcept nogil:
    cdef CUresult status = at_work()
    if status == CUDA_SUCCESS and (pointer == NULL or bytes == 0):
        status = CUDA_ERROR_INVALID_VALUE
    return of_hip(dg_hip.hipHostMalloc(pointer, bytes, flags)) if status == CUDA_SUCCESS else status


cdef inline CUresult host_alloc_plain(void **pointer, size_t bytes) noexcept nogil:
    return host_alloc(pointer, bytes, 0)


cdef inline CUresult host_free(void *pointer) noexcept nogil:
    cdef CUresult status = at_work()
    return of_hip(dg_hip.hipHostFree(pointer)) if status == CUDA_SUCCESS else status


cdef inline CUresult host_device_pointer(CUdeviceptr *device, void *pointer, unsigned int flags) noexcept nogil:
    cdef CUresult status = at_work()
    return of_hip(dg_hip.hipHostGetDevicePointer(<void **>device, pointer, flags)) if status == CUDA_SUCCESS else status


cdef inline CUresult host_flags(unsigned int *flags, void *pointer) noexcept nogil:
    """Page-locked memory is always mapped (2), asked for or not."""
    cdef CUresult status = at_work()
    if status == CUDA_SUCCESS:
        status = of_hip(dg_hip.hipHostGetFlags(flags, pointer))
    if status == CUDA_SUCCESS:
        flags[0] |= 2
    return status


cdef inline CUresult host_register(void *pointer, size_t bytes, unsigned int flags) noexcept nogil:
    cdef CUresult status = at_work()
    if status == CUDA_SUCCESS and flags > 15:
        status = CUDA_ERROR_INVALID_VALUE
    return of_hip(dg_hip.hipHostRegister(pointer, bytes, flags)) if status == CUDA_SUCCESS else status


cdef inline CUresult host_unregister(void *pointer) noexcept nogil:
    cdef CUresult status = at_work()
    return of_hip(dg_hip.hipHostUnregister(pointer)) if status == CUDA_SUCCESS else status


cdef inline CUresult mem_alloc_managed(CUdeviceptr *pointer, size_t bytes, unsigned int flags) noexcept nogil:
    cdef CUresult status = at_work()
    if status == CUDA_SUCCESS and (pointer == NULL or bytes == 0):
        status = CUDA_ERROR_INVALID_VALUE
    return of_hip(dg_hip.hipMallocManaged(<void **>pointer, bytes, flags)) if status == CUDA_SUCCESS else status


cdef inline CUresult mem_alloc_async(CUdeviceptr *pointer, size_t bytes, cudaStream_t stream) noexcept nogil:
    cdef CUresult status = at_work()
    if status == CUDA_SUCCESS and (pointer == NULL or bytes == 0):
        status = CUDA_ERROR_INVALID_VALUE
    return of_hip(dg_hip.hipMallocAsync(<void **>pointer, bytes, stream)) if status == CUDA_SUCCESS else status


cdef inline CUresult mem_free_async(CUdeviceptr pointer, cudaStream_t stream) noexcept nogil:
    cdef CUresult status = at_work()
    if status == CUDA_SUCCESS and pointer == 0:
        return CUDA_SUCCESS
    return of_hip(dg_hip.hipFreeAsync(<void *>pointer, stream)) if status == CUDA_SUCCESS else status


cdef inline CUresult copy(CUdeviceptr dst, CUdeviceptr src, size_t bytes) noexcept nogil:
    cdef CUresult status = at_work()
    return of_hip(dg_hip.hipMemcpy(<void *>dst, <void *>src, bytes,
                                   cudaMemcpyDefault)) if status == CUDA_SUCCESS else status


cdef inline CUresult copy_async(CUdeviceptr dst, CUdeviceptr src, size_t bytes, cudaStream_t stream) noexcept nogil:
    cdef CUresult status = at_work()
    return of_hip(dg_hip.hipMemcpyAsync(<void *>dst, <void *>src, bytes, cudaMemcpyDefault,
                                        stream)) if status == CUDA_SUCCESS else status


cdef inline CUresult copy_to_device(CUdeviceptr dst, const void *src, size_t bytes) noexcept nogil:
    cdef CUresult status = at_work()
    return of_hip(dg_hip.hipMemcpy(<void *>dst, src, bytes,
                                   cudaMemcpyHostToDevice)) if status == CUDA_SUCCESS else status


cdef inline CUresult copy_to_device_async(
    CUdeviceptr dst, const void *src, size_t bytes, cudaStream_t stream
) noexcept nogil:
    cdef CUresult status = at_work()
    return of_hip(dg_hip.hipMemcpyAsync(<void *>dst, src, bytes, cudaMemcpyHostToDevice,
                                        stream)) if status == CUDA_SUCCESS else status


cdef inline CUresult copy_to_host(void *dst, CUdeviceptr src, size_t bytes) noexcept nogil:
    cdef CUresult status = at_work()
    return of_hip(dg_hip.hipMemcpy(dst, <void *>src, bytes,
                                   cudaMemcpyDeviceToHost)) if status == CUDA_SUCCESS else status


cdef inline CUresult copy_to_host_async(void *dst, CUdeviceptr src, size_t bytes, cudaStream_t stream) noexcept nogil:
    cdef CUresult status = at_work()
    return of_hip(dg_hip.hipMemcpyAsync(dst, <void *>src, bytes, cudaMemcpyDeviceToHost,
                                        stream)) if status == CUDA_SUCCESS else status


cdef inline CUresult copy_on_device(CUdeviceptr dst, CUdeviceptr src, size_t bytes) noexcept nogil:
    cdef CUresult status = at_work()
    return of_hip(dg_hip.hipMemcpy(<void *>dst, <void *>src, bytes,
                                   cudaMemcpyDeviceToDevice)) if status == CUDA_SUCCESS else status


cdef inline CUresult copy_on_device_async(
    CUdeviceptr dst, CUdeviceptr src, size_t bytes, cudaStream_t stream
) noexcept nogil:
    cdef CUresult status = at_work()
    return of_hip(dg_hip.hipMemcpyAsync(<void *>dst, <void *>src, bytes, cudaMemcpyDeviceToDevice,
                                        stream)) if status == CUDA_SUCCESS else status


cdef inline CUresult fill_8(CUdeviceptr dst, unsigned char value, size_t count) noexcept nogil:
    cdef CUresult status = at_work()
    return of_hip(dg_hip.hipMemsetD8(<void *>dst, value, count)) if status == CUDA_SUCCESS else status


cdef inline CUresult fill_8_async(
    CUdeviceptr dst, unsigned char value, size_t count, cudaStream_t stream
) noexcept nogil:
    cdef CUresult status = at_work()
    return of_hip(dg_hip.hipMemsetD8Async(<void *>dst, value, count, stream)) if status == CUDA_SUCCESS else status


cdef inline CUresult fill_16(CUdeviceptr dst, unsigned short value, size_t count) noexcept nogil:
    cdef CUresult status = at_work()
    return of_hip(dg_hip.hipMemsetD16(<void *>dst, value, count)) if status == CUDA_SUCCESS else status


cdef inline CUresult fill_16_async(
    CUdeviceptr dst, unsigned short value, size_t count, cudaStream_t stream
) noexcept nogil:
    cdef CUresult status = at_work()
    return of_hip(dg_hip.hipMemsetD16Async(<void *>dst, value, count, stream)) if status == CUDA_SUCCESS else status


cdef inline CUresult fill_32(CUdeviceptr dst, unsigned int value, size_t count) noexcept nogil:
    cdef CUresult status = at_work()
    return of_hip(dg_hip.hipMemsetD32(<void *>dst, <int>value, count)) if status == CUDA_SUCCESS else status


cdef inline CUresult fill_32_async(
    CUdeviceptr dst, unsigned int value, size_t count, cudaStream_t stream
) noexcept nogil:
    cdef CUresult status = at_work()
    return of_hip(dg_hip.hipMemsetD32Async(<void *>dst, <int>value, count,
                                           stream)) if status == CUDA_SUCCESS else status


# ---- what a pointer is

cdef inline CUresult ask_pointer(CUdeviceptr pointer, dg_hip_pointer *hip) noexcept nogil:
    """HIP's answer in HIP 6's numbers; memory that it does not know is an invalid value for the driver."""
    cdef int version = 0
    cdef CUresult status = awake()
    if status != CUDA_SUCCESS:
        return status
    if pointer == 0:
        return CUDA_ERROR_INVALID_VALUE
    memset(hip, 0, sizeof(dg_hip_pointer))
    status = of_hip(dg_hip.hipPointerGetAttributes(hip, <const void *>pointer))
    if status != CUDA_SUCCESS:
        return status
    dg_hip.hipRuntimeGetVersion(&version)
    if hip.managed:
        hip.type = 3
    elif version < 60000000:
        hip.type += 1
    return CUDA_SUCCESS if 1 <= hip.type <= 3 else CUDA_ERROR_INVALID_VALUE


cdef inline CUresult pointer_attribute(void *data, CUpointer_attribute attribute, CUdeviceptr pointer) noexcept nogil:
    cdef dg_hip_pointer hip
    cdef void *base = NULL
    cdef size_t bytes = 0
    cdef CUresult status = ask_pointer(pointer, &hip)
    if status != CUDA_SUCCESS:
        return status
    if data == NULL:
        return CUDA_ERROR_INVALID_VALUE
    if attribute == CU_POINTER_ATTRIBUTE_CONTEXT:
        (<void **>data)[0] = cuda_primary(hip.device, 0)
    elif attribute == CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
        (<unsigned int *>data)[0] = CU_MEMORYTYPE_HOST if hip.type == 1 else CU_MEMORYTYPE_DEVICE
    elif attribute == CU_POINTER_ATTRIBUTE_DEVICE_POINTER:
        (<CUdeviceptr *>data)[0] = (
            <CUdeviceptr>hip.device_pointer if hip.type == 1 and hip.device_pointer != NULL else pointer)
    elif attribute == CU_POINTER_ATTRIBUTE_HOST_POINTER:
        if hip.type == 2:
            return CUDA_ERROR_INVALID_VALUE
        (<void **>data)[0] = <void *>pointer
    elif attribute == CU_POINTER_ATTRIBUTE_IS_MANAGED:
        (<unsigned int *>data)[0] = hip.type == 3
    elif attribute == CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
        (<int *>data)[0] = hip.device
    elif attribute == CU_POINTER_ATTRIBUTE_MAPPED:
        (<unsigned char *>data)[0] = 1
    elif attribute == CU_POINTER_ATTRIBUTE_SYNC_MEMOPS:
        (<unsigned int *>data)[0] = 0
    elif (attribute == CU_POINTER_ATTRIBUTE_RANGE_START_ADDR or attribute == CU_POINTER_ATTRIBUTE_RANGE_SIZE
            or attribute == CU_POINTER_ATTRIBUTE_BUFFER_ID):
        status = of_hip(dg_hip.hipMemGetAddressRange(&base, &bytes, <void *>pointer))
        if status != CUDA_SUCCESS:
            return status
        # an address is as good a number for a block as any: no two living ones share it
        (<unsigned long long *>data)[0] = bytes if attribute == CU_POINTER_ATTRIBUTE_RANGE_SIZE else <uintptr_t>base
    elif 1 <= attribute <= CU_POINTER_ATTRIBUTE_ALLOWED_HANDLE_TYPES:
        return CUDA_ERROR_NOT_SUPPORTED
    else:
        return CUDA_ERROR_INVALID_VALUE
    return CUDA_SUCCESS


cdef inline size_t attribute_bytes(CUpointer_attribute attribute) noexcept nogil:
    if (attribute == CU_POINTER_ATTRIBUTE_MEMORY_TYPE or attribute == CU_POINTER_ATTRIBUTE_SYNC_MEMOPS
            or attribute == CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL):
        return 4
    if (attribute == CU_POINTER_ATTRIBUTE_IS_MANAGED or attribute == CU_POINTER_ATTRIBUTE_MAPPED
            or attribute == CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE):
        return 1
    return 8


cdef inline CUresult pointer_attributes(
    unsigned int count, CUpointer_attribute *attributes, void **data, CUdeviceptr pointer
) noexcept nogil:
    """Memory from elsewhere is no error here: what has no answer is 0, and the device none."""
    cdef unsigned int i
    cdef size_t wide
    cdef CUresult status = awake()
    if status != CUDA_SUCCESS:
        return status
    if count and (attributes == NULL or data == NULL):
        return CUDA_ERROR_INVALID_VALUE
    for i in range(count):
        if pointer_attribute(data[i], attributes[i], pointer) == CUDA_SUCCESS or data[i] == NULL:
            continue
        if attributes[i] == CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
            (<int *>data[i])[0] = -2  # CU_DEVICE_INVALID
        else:
            wide = attribute_bytes(attributes[i])
            memset(data[i], 0, wide)
    return CUDA_SUCCESS


# ---- between devices, and shared memory

cdef inline int device_in(CUcontext context) noexcept nogil:
    if dg_the_core.slot_check(<const void *>context, DG_CONTEXT) != DG_OK:
        return -1
    return (<cuda_context *>context).device


cdef inline CUresult copy_peer_async(
    CUdeviceptr dst, CUcontext to, CUdeviceptr src, CUcontext from_, size_t bytes, cudaStream_t stream
) noexcept nogil:
    """Addresses tell HIP which devices they are of."""
    cdef CUresult status = at_work()
    if status == CUDA_SUCCESS and (device_in(to) < 0 or device_in(from_) < 0):
        status = CUDA_ERROR_INVALID_CONTEXT
    if status != CUDA_SUCCESS:
        return status
    return of_hip(dg_hip.hipMemcpyAsync(<void *>dst, <const void *>src, bytes, cudaMemcpyDefault, stream))


cdef inline CUresult copy_peer(
    CUdeviceptr dst, CUcontext to, CUdeviceptr src, CUcontext from_, size_t bytes
) noexcept nogil:
    cdef CUresult status = at_work()
    if status == CUDA_SUCCESS and (device_in(to) < 0 or device_in(from_) < 0):
        status = CUDA_ERROR_INVALID_CONTEXT
    if status != CUDA_SUCCESS:
        return status
    return of_hip(dg_hip.hipMemcpy(<void *>dst, <const void *>src, bytes, cudaMemcpyDefault))


cdef inline CUresult mem_prefetch(
    CUdeviceptr pointer, size_t bytes, CUdevice device, cudaStream_t stream
) noexcept nogil:
    """-1 is the host, with HIP too."""
    cdef CUresult status = at_work()
    if status != CUDA_SUCCESS:
        return status
    return of_hip(dg_hip.hipMemPrefetchAsync(<const void *>pointer, bytes, device, stream))


cdef inline CUresult mem_advise(CUdeviceptr pointer, size_t bytes, int advice, CUdevice device) noexcept nogil:
    cdef CUresult status = at_work()
    if status != CUDA_SUCCESS:
        return status
    if not 1 <= advice <= 6:  # HIP has more, which mean nothing to CUDA
        return CUDA_ERROR_INVALID_VALUE
    return of_hip(dg_hip.hipMemAdvise(<const void *>pointer, bytes, advice, device))
