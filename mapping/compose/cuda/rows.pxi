# Copies and fills of rows and boxes. The driver tells of both sides in one struct: mapping/compose/cuda/rows.h.
include "common.pxi"

cdef extern from "rows.h" nogil:
    ctypedef struct cuda_rows_side:
        size_t x, y
        unsigned int kind
        void *host
        void *device
        void *array
        size_t pitch
    ctypedef struct cuda_rows:
        cuda_rows_side src, dst
        size_t width, height
    ctypedef struct cuda_box_side:
        size_t x, y, z, lod
        unsigned int kind
        void *host
        void *device
        void *array
        size_t pitch, height
    ctypedef struct cuda_box:
        cuda_box_side src, dst
        size_t width, height, depth
    ctypedef struct hip_place_at:
        void *ptr
        size_t pitch, xsize, ysize
    ctypedef struct hip_box_end:
        size_t pos[3]
        hip_place_at at
    ctypedef struct hip_box:
        hip_box_end src, dst
        size_t extent[3]
        int kind


cdef inline CUresult side_of(
    unsigned int kind, void *host, void *device, char **first
) noexcept nogil:
    if kind == CU_MEMORYTYPE_HOST:
        first[0] = <char *>host
    elif kind == CU_MEMORYTYPE_DEVICE or kind == CU_MEMORYTYPE_UNIFIED:
        first[0] = <char *>device
    elif kind == CU_MEMORYTYPE_ARRAY:
        return CUDA_ERROR_NOT_SUPPORTED
    else:
        return CUDA_ERROR_INVALID_VALUE
    return CUDA_SUCCESS


cdef inline CUresult rows_of(const cuda_rows *copy, char **to, char **from_, size_t *to_pitch,
        size_t *from_pitch) noexcept nogil:
    """Both first rows. A pitch of 0 means rows without a gap."""
    cdef CUresult status
    if copy == NULL:
        return CUDA_ERROR_INVALID_VALUE
    status = side_of(copy.src.kind, copy.src.host, copy.src.device, from_)
    if status == CUDA_SUCCESS:
        status = side_of(copy.dst.kind, copy.dst.host, copy.dst.device, to)
    if status != CUDA_SUCCESS:
        return status
    from_pitch[0] = copy.src.pitch if copy.src.pitch else copy.src.x + copy.width
    to_pitch[0] = copy.dst.pitch if copy.dst.pitch else copy.dst.x + copy.width
    if copy.src.x + copy.width > from_pitch[0] or copy.dst.x + copy.width > to_pitch[0]:
        return CUDA_ERROR_INVALID_VALUE
    from_[0] += copy.src.y * from_pitch[0] + copy.src.x
    to[0] += copy.dst.y * to_pitch[0] + copy.dst.x
    return CUDA_SUCCESS


cdef inline CUresult copy_rows(const void *given) noexcept nogil:
    cdef const cuda_rows *copy = <const cuda_rows *>given
    cdef char *to = NULL
    cdef char *from_ = NULL
    cdef size_t to_pitch = 0, from_pitch = 0
    cdef CUresult status = at_work()
    if status == CUDA_SUCCESS:
        status = rows_of(copy, &to, &from_, &to_pitch, &from_pitch)
    if status != CUDA_SUCCESS:
        return status
    return of_hip(
        dg_hip.hipMemcpy2D(to, to_pitch, from_, from_pitch, copy.width, copy.height, cudaMemcpyDefault)
    )


cdef inline CUresult copy_rows_async(const void *given, cudaStream_t stream) noexcept nogil:
    cdef const cuda_rows *copy = <const cuda_rows *>given
    cdef char *to = NULL
    cdef char *from_ = NULL
    cdef size_t to_pitch = 0, from_pitch = 0
    cdef CUresult status = at_work()
    if status == CUDA_SUCCESS:
        status = rows_of(copy, &to, &from_, &to_pitch, &from_pitch)
    if status != CUDA_SUCCESS:
        return status
    return of_hip(
        dg_hip.hipMemcpy2DAsync(to, to_pitch, from_, from_pitch, copy.width, copy.height, cudaMemcpyDefault, stream)
    )


cdef inline CUresult half_box(const cuda_box_side *given, hip_box_end *side, size_t width,
        size_t height) noexcept nogil:
    cdef char *first = NULL
    cdef CUresult status = side_of(given.kind, given.host, given.device, &first)
    if status != CUDA_SUCCESS:
        return status
    side.pos[0] = given.x
    side.pos[1] = given.y
    side.pos[2] = given.z
    side.at.ptr = first
    side.at.pitch = given.pitch if given.pitch else given.x + width
    side.at.xsize = side.at.pitch
    side.at.ysize = given.height if given.height else given.y + height
    return CUDA_SUCCESS


cdef inline CUresult box_of(const cuda_box *copy, hip_box *box) noexcept nogil:
    cdef CUresult status
    if copy == NULL:
        return CUDA_ERROR_INVALID_VALUE
    memset(box, 0, sizeof(hip_box))
    status = half_box(&copy.src, &box.src, copy.width, copy.height)
    if status == CUDA_SUCCESS:
        status = half_box(&copy.dst, &box.dst, copy.width, copy.height)
    box.extent[0] = copy.width
    box.extent[1] = copy.height
    box.extent[2] = copy.depth
    box.kind = cudaMemcpyDefault
    return status


cdef inline CUresult copy_box(const void *given) noexcept nogil:
    cdef hip_box box
    cdef CUresult status = at_work()
    if status == CUDA_SUCCESS:
        status = box_of(<const cuda_box *>given, &box)
    return of_hip(dg_hip.hipMemcpy3D(<const void *>&box)) if status == CUDA_SUCCESS else status


cdef inline CUresult copy_box_async(const void *given, cudaStream_t stream) noexcept nogil:
    cdef hip_box box
    cdef CUresult status = at_work()
    if status == CUDA_SUCCESS:
        status = box_of(<const cuda_box *>given, &box)
    if status != CUDA_SUCCESS:
        return status
    return of_hip(dg_hip.hipMemcpy3DAsync(<const void *>&box, stream))


# ---- fills, row by row: HIP has no fill of rows but with bytes. From the last to the first, so that rows that leave
# the memory are refused before one is written.

cdef inline CUresult rows_fit(CUdeviceptr dst, size_t pitch, size_t element, size_t width,
        size_t *height) noexcept nogil:
    """Nothing to do is no rows at all, however many were asked for."""
    cdef size_t most = <size_t>-1
    if width == 0:
        height[0] = 0
    if height[0] == 0:
        return CUDA_SUCCESS
    if width > most // element or (height[0] > 1 and pitch < element * width):
        return CUDA_ERROR_INVALID_VALUE
    if height[0] > 1 and height[0] - 1 > (most - <size_t>dst) // pitch:
        return CUDA_ERROR_INVALID_VALUE
    return CUDA_SUCCESS


cdef inline CUresult fill_rows_8(
    CUdeviceptr dst, size_t pitch, unsigned char value, size_t width, size_t height
) noexcept nogil:
    cdef CUresult status = at_work()
    if status == CUDA_SUCCESS:
        status = rows_fit(dst, pitch, 1, width, &height)
    while height and status == CUDA_SUCCESS:
        height -= 1
        status = of_hip(dg_hip.hipMemsetD8(<void *>(dst + height * pitch), value, width))
    return status


cdef inline CUresult fill_rows_8_async(
    CUdeviceptr dst, size_t pitch, unsigned char value, size_t width, size_t height, cudaStream_t stream
) noexcept nogil:
    cdef CUresult status = at_work()
    if status == CUDA_SUCCESS:
        status = rows_fit(dst, pitch, 1, width, &height)
    while height and status == CUDA_SUCCESS:
        height -= 1
        status = of_hip(dg_hip.hipMemsetD8Async(<void *>(dst + height * pitch), value, width, stream))
    return status


cdef inline CUresult fill_rows_16(
    CUdeviceptr dst, size_t pitch, unsigned short value, size_t width, size_t height
) noexcept nogil:
    cdef CUresult status = at_work()
    if status == CUDA_SUCCESS:
        status = rows_fit(dst, pitch, 2, width, &height)
    while height and status == CUDA_SUCCESS:
        height -= 1
        status = of_hip(dg_hip.hipMemsetD16(<void *>(dst + height * pitch), value, width))
    return status


cdef inline CUresult fill_rows_16_async(
    CUdeviceptr dst, size_t pitch, unsigned short value, size_t width, size_t height, cudaStream_t stream
) noexcept nogil:
    cdef CUresult status = at_work()
    if status == CUDA_SUCCESS:
        status = rows_fit(dst, pitch, 2, width, &height)
    while height and status == CUDA_SUCCESS:
        height -= 1
        status = of_hip(dg_hip.hipMemsetD16Async(<void *>(dst + height * pitch), value, width, stream))
    return status


cdef inline CUresult fill_rows_32(
    CUdeviceptr dst, size_t pitch, unsigned int value, size_t width, size_t height
) noexcept nogil:
    cdef CUresult status = at_work()
    if status == CUDA_SUCCESS:
        status = rows_fit(dst, pitch, 4, width, &height)
    while height and status == CUDA_SUCCESS:
        height -= 1
        status = of_hip(dg_hip.hipMemsetD32(<void *>(dst + height * pitch), <int>value, width))
    return status


cdef inline CUresult fill_rows_32_async(
    CUdeviceptr dst, size_t pitch, unsigned int value, size_t width, size_t height, cudaStream_t stream
) noexcept nogil:
    cdef CUresult status = at_work()
    if status == CUDA_SUCCESS:
        status = rows_fit(dst, pitch, 4, width, &height)
    while height and status == CUDA_SUCCESS:
        height -= 1
        status = of_hip(dg_hip.hipMemsetD32Async(<void *>(dst + height * pitch), <int>value, width, stream))
    return status
