# cython: language_level=3, cdivision=True, boundscheck=False, wraparound=False
"""Pooling of the CPU backend's MIOpen, 2-D and 3-D. α must be 1 and β 0.

A maximum that will be followed by a backward call keeps, in the workspace, where each was found: an index within the
window (the mask mode, default in 2-D) or within the image (the image mode, default in 3-D), of the descriptor's index
type, which is one byte unless it was set. MIOpen refuses an index type that cannot count that far. The backward call
reads these indices and neither x nor y.
"""
include "miopen.pxi"
include "shared.pxi"
include "elements.pxi"

from libc.stdlib cimport free

cdef struct Pool:
    int type
    int mode
    int index_type
    bint image       # indices count within the image
    bint keeps       # indices are wanted
    int64_t planes   # N·C
    int64_t channels
    int64_t in_[3]   # depth, height, width
    int64_t out[3]
    int64_t lens[3]
    int64_t pads[3]
    int64_t strides[3]
    int64_t x[5]     # strides of the tensors: n, c, d, h, w
    int64_t y[5]
    const void *source
    void *target
    void *indices    # packed as the output is, n outermost


# ---- descriptors ----

cdef inline bint is_pooling(const mi_pooling *pool) noexcept nogil:
    return pool != NULL and pool.kind == MI_POOLING


cdef public miopenStatus_t miopenCreatePoolingDescriptor(miopenPoolingDescriptor_t *poolDesc) noexcept nogil:
    if poolDesc == NULL:
        return miopenStatusBadParm
    poolDesc[0] = <mi_pooling *>mi_new(MI_POOLING, sizeof(mi_pooling))
    return miopenStatusSuccess if poolDesc[0] != NULL else miopenStatusAllocFailed


cdef public miopenStatus_t miopenDestroyPoolingDescriptor(miopenPoolingDescriptor_t poolDesc) noexcept nogil:
    if not is_pooling(poolDesc):
        return miopenStatusBadParm
    poolDesc.kind = 0
    free(poolDesc)
    return miopenStatusSuccess


cdef public miopenStatus_t miopenSetPoolingIndexType(miopenPoolingDescriptor_t poolDesc, int index_type) noexcept nogil:
    if not is_pooling(poolDesc):
        return miopenStatusBadParm
    poolDesc.index_type = index_type
    return miopenStatusSuccess


cdef public miopenStatus_t miopenGetPoolingIndexType(miopenPoolingDescriptor_t poolDesc,
        int *index_type) noexcept nogil:
    if not is_pooling(poolDesc) or index_type == NULL:
        return miopenStatusBadParm
    index_type[0] = poolDesc.index_type
    return miopenStatusSuccess


cdef public miopenStatus_t miopenSetPoolingWorkSpaceIndexMode(
    miopenPoolingDescriptor_t poolDesc, int workspace_index
) noexcept nogil:
    if not is_pooling(poolDesc):
        return miopenStatusBadParm
    poolDesc.index_mode = workspace_index
    return miopenStatusSuccess


cdef public miopenStatus_t miopenGetPoolingWorkSpaceIndexMode(
    miopenPoolingDescriptor_t poolDesc, int *workspace_index
) noexcept nogil:
    if not is_pooling(poolDesc) or workspace_index == NULL:
        return miopenStatusBadParm
    workspace_index[0] = poolDesc.index_mode
    return miopenStatusSuccess


cdef public miopenStatus_t miopenSetNdPoolingDescriptor(
    miopenPoolingDescriptor_t poolDesc, int mode, int nbDims, const int *windowDimA, const int *padA,
    const int *stridesA
) noexcept nogil:
    """Any number passes for a mode, a window, a padding and a stride; setting forgets index type and mode."""
    cdef int i
    if not is_pooling(poolDesc) or windowDimA == NULL or padA == NULL or stridesA == NULL:
        return miopenStatusBadParm
    if nbDims < 1 or nbDims > MI_SPATIAL:
        return miopenStatusBadParm
    poolDesc.mode = mode
    poolDesc.dims = nbDims
    poolDesc.index_type = miopenIndexUint8
    poolDesc.index_mode = miopenPoolingWorkspaceIndexImage if nbDims == 3 else miopenPoolingWorkspaceIndexMask
    for i in range(nbDims):
        poolDesc.lens[i] = windowDimA[i]
        poolDesc.pads[i] = padA[i]
        poolDesc.strides[i] = stridesA[i]
    return miopenStatusSuccess


cdef public miopenStatus_t miopenGetNdPoolingDescriptor(
    miopenPoolingDescriptor_t poolDesc, int nbDimsRequested, int *mode, int *nbDims, int *windowDimA, int *padA,
    int *stridesA
) noexcept nogil:
    cdef int i
    if not is_pooling(poolDesc) or nbDimsRequested > poolDesc.dims:
        return miopenStatusBadParm
    if mode != NULL:
        mode[0] = poolDesc.mode
    if nbDims != NULL:
        nbDims[0] = poolDesc.dims
    for i in range(nbDimsRequested):
        if windowDimA != NULL:
            windowDimA[i] = poolDesc.lens[i]
        if padA != NULL:
            padA[i] = poolDesc.pads[i]
        if stridesA != NULL:
            stridesA[i] = poolDesc.strides[i]
    return miopenStatusSuccess


cdef public miopenStatus_t miopenSet2dPoolingDescriptor(
    miopenPoolingDescriptor_t poolDesc, int mode, int windowHeight, int windowWidth, int pad_h, int pad_w, int stride_h,
    int stride_w
) noexcept nogil:
    cdef int[2] lens
    cdef int[2] pads
    cdef int[2] strides
    lens[0], lens[1], pads[0], pads[1], strides[0], strides[1] = (
        windowHeight, windowWidth, pad_h, pad_w, stride_h, stride_w)
    return miopenSetNdPoolingDescriptor(poolDesc, mode, 2, lens, pads, strides)


cdef public miopenStatus_t miopenGet2dPoolingDescriptor(
    miopenPoolingDescriptor_t poolDesc, int *mode, int *windowHeight, int *windowWidth, int *pad_h, int *pad_w,
    int *stride_h, int *stride_w
) noexcept nogil:
    if not is_pooling(poolDesc) or poolDesc.dims < 2 or mode == NULL or windowHeight == NULL or windowWidth == NULL:
        return miopenStatusBadParm
    if pad_h == NULL or pad_w == NULL or stride_h == NULL or stride_w == NULL:
        return miopenStatusBadParm
    mode[0] = poolDesc.mode
    windowHeight[0], windowWidth[0] = poolDesc.lens[0], poolDesc.lens[1]
    pad_h[0], pad_w[0] = poolDesc.pads[0], poolDesc.pads[1]
    stride_h[0], stride_w[0] = poolDesc.strides[0], poolDesc.strides[1]
    return miopenStatusSuccess


# ---- sizes ----

cdef bint fits(const mi_pooling *pool, const mi_tensor *tensor) noexcept nogil:
    """As many dimensions, and numbers that make sense."""
    cdef int i
    if tensor.dims != pool.dims + 2 or (tensor.dims != 4 and tensor.dims != 5):
        return False
    for i in range(pool.dims):
        if pool.lens[i] <= 0 or pool.strides[i] <= 0 or pool.pads[i] < 0:
            return False
    return True


cdef int64_t output_len(const mi_pooling *pool, const mi_tensor *tensor, int i) noexcept nogil:
    cdef int64_t room = tensor.lens[i + 2] + 2 * <int64_t>pool.pads[i] - pool.lens[i]
    return 1 if room < 0 else room / pool.strides[i] + 1


cdef public miopenStatus_t miopenGetPoolingNdForwardOutputDim(
    miopenPoolingDescriptor_t poolDesc, miopenTensorDescriptor_t tensorDesc, int dims, int *tensorDimArr
) noexcept nogil:
    cdef int i
    if not is_pooling(poolDesc) or not is_tensor(tensorDesc) or tensorDimArr == NULL or dims > tensorDesc.dims:
        return miopenStatusBadParm
    if not fits(poolDesc, tensorDesc):
        return miopenStatusBadParm
    for i in range(dims):
        tensorDimArr[i] = <int>(tensorDesc.lens[i] if i < 2 else output_len(poolDesc, tensorDesc, i - 2))
    return miopenStatusSuccess


cdef public miopenStatus_t miopenGetPoolingForwardOutputDim(
    miopenPoolingDescriptor_t poolDesc, miopenTensorDescriptor_t tensorDesc, int *n, int *c, int *h, int *w
) noexcept nogil:
    cdef int[4] lens
    cdef miopenStatus_t status
    if n == NULL or c == NULL or h == NULL or w == NULL or not is_tensor(tensorDesc) or tensorDesc.dims != 4:
        return miopenStatusBadParm
    status = miopenGetPoolingNdForwardOutputDim(poolDesc, tensorDesc, 4, lens)
    if status == miopenStatusSuccess:
        n[0], c[0], h[0], w[0] = lens[0], lens[1], lens[2], lens[3]
    return status


cdef int64_t index_size(int index_type) noexcept nogil:
    return <int64_t>1 << (index_type & 3)


cdef public miopenStatus_t miopenPoolingGetWorkSpaceSizeV2(
    miopenPoolingDescriptor_t poolDesc, miopenTensorDescriptor_t yDesc, size_t *workSpaceSize
) noexcept nogil:
    """Other layouts than NCHW and NCDHW are transposed on AMD's cards: room for x and y, x taken for twice y."""
    cdef int64_t size = 0, bytes
    if not is_pooling(poolDesc) or not is_tensor(yDesc) or workSpaceSize == NULL:
        return miopenStatusBadParm
    if poolDesc.mode == miopenPoolingMax:
        size = mi_elements(yDesc) * index_size(poolDesc.index_type)
    if not is_default_layout(yDesc):
        bytes = mi_elements(yDesc) * mi_type_size(yDesc.type)
        size = (size + 255) / 256 * 256 + (2 * bytes + 255) / 256 * 256 + bytes
    workSpaceSize[0] = <size_t>size
    return miopenStatusSuccess


cdef public miopenStatus_t miopenPoolingGetWorkSpaceSize(
    miopenTensorDescriptor_t yDesc, size_t *workSpaceSize
) noexcept nogil:
    """Deprecated: assumes indices of one byte."""
    if not is_tensor(yDesc) or workSpaceSize == NULL:
        return miopenStatusBadParm
    workSpaceSize[0] = <size_t>mi_elements(yDesc)
    return miopenStatusSuccess


# ---- the work ----

cdef inline void put_index(const Pool *t, int64_t at, int64_t index) noexcept nogil:
    if t.index_type == miopenIndexUint8:
        (<uint8_t *>t.indices)[at] = <uint8_t>index
    elif t.index_type == miopenIndexUint16:
        (<uint16_t *>t.indices)[at] = <uint16_t>index
    elif t.index_type == miopenIndexUint32:
        (<uint32_t *>t.indices)[at] = <uint32_t>index
    else:
        (<uint64_t *>t.indices)[at] = <uint64_t>index


cdef inline int64_t get_index(const Pool *t, int64_t at) noexcept nogil:
    if t.index_type == miopenIndexUint8:
        return (<uint8_t *>t.indices)[at]
    if t.index_type == miopenIndexUint16:
        return (<uint16_t *>t.indices)[at]
    if t.index_type == miopenIndexUint32:
        return (<uint32_t *>t.indices)[at]
    return <int64_t>(<uint64_t *>t.indices)[at]


cdef struct Window:
    int64_t start[3]  # may lie in the padding
    int64_t first[3]
    int64_t end[3]
    int64_t area      # that an average divides by


cdef inline Window window_of(const Pool *t, int64_t d, int64_t h, int64_t w) noexcept nogil:
    cdef Window found
    cdef int64_t place[3]
    cdef int i
    place[0], place[1], place[2] = d, h, w
    found.area = 1
    for i in range(3):
        found.start[i] = place[i] * t.strides[i] - t.pads[i]
        found.first[i] = found.start[i] if found.start[i] > 0 else 0
        found.end[i] = found.start[i] + t.lens[i]
        if found.end[i] > t.in_[i]:
            found.end[i] = t.in_[i]
        found.area *= (found.end[i] - found.first[i] if t.mode == miopenPoolingAverage else t.lens[i])
    if found.area == 0:
        found.area = 1
    return found


cdef inline int64_t base(const int64_t *strides, const Pool *t, int64_t plane) noexcept nogil:
    return plane / t.channels * strides[0] + plane % t.channels * strides[1]


cdef void forward_part(const Pool *t, int64_t begin, int64_t end, narrow *like) noexcept nogil:
    cdef const narrow *x
    cdef narrow *y
    cdef int64_t plane, d, h, w, i, j, k, at = begin * t.out[0] * t.out[1] * t.out[2], index
    cdef double total, value
    cdef Window a
    cdef double least = -65504.0 if narrow is mi_half else -3.4028234663852886e38
    for plane in range(begin, end):
        x = <const narrow *>t.source + base(t.x, t, plane)
        y = <narrow *>t.target + base(t.y, t, plane)
        for d in range(t.out[0]):
            for h in range(t.out[1]):
                for w in range(t.out[2]):
                    a = window_of(t, d, h, w)
                    total = least if t.mode == miopenPoolingMax else 0
                    index = 0  # stays where there are only NaN
                    for i in range(a.first[0], a.end[0]):
                        for j in range(a.first[1], a.end[1]):
                            for k in range(a.first[2], a.end[2]):
                                value = load(x[i * t.x[2] + j * t.x[3] + k * t.x[4]])
                                if t.mode != miopenPoolingMax:
                                    total += value
                                elif value > total:
                                    total = value
                                    if t.image:
                                        index = (i * t.in_[1] + j) * t.in_[2] + k
                                    else:
                                        index = (i - a.start[0]) * t.lens[1] + j - a.start[1]
                                        index = index * t.lens[2] + k - a.start[2]
                    if t.keeps:
                        put_index(t, at, index)
                    at += 1
                    store(
                        &y[d * t.y[2] + h * t.y[3] + w * t.y[4]],
                        total if t.mode == miopenPoolingMax else total / a.area
                    )



cdef void backward_part(const Pool *t, int64_t begin, int64_t end, narrow *like) noexcept nogil:
    """For each pixel of dx the outputs whose windows hold it."""
    cdef const narrow *dy
    cdef narrow *dx
    cdef int64_t plane, i, j, k, d, h, w, at, index, count = t.out[0] * t.out[1] * t.out[2]
    cdef int64_t first[3]
    cdef int64_t last[3]
    cdef int64_t pixel[3]
    cdef int axis
    cdef double total
    cdef Window a
    for plane in range(begin, end):
        dy = <const narrow *>t.source + base(t.y, t, plane)
        dx = <narrow *>t.target + base(t.x, t, plane)
        for i in range(t.in_[0]):
            for j in range(t.in_[1]):
                for k in range(t.in_[2]):
                    pixel[0], pixel[1], pixel[2] = i, j, k
                    for axis in range(3):
                        index = pixel[axis] + t.pads[axis]
                        first[axis] = 0 if index < t.lens[axis] else (index - t.lens[axis]) / t.strides[axis] + 1
                        last[axis] = index / t.strides[axis]
                        if last[axis] >= t.out[axis]:
                            last[axis] = t.out[axis] - 1
                    total = 0
                    for d in range(first[0], last[0] + 1):
                        for h in range(first[1], last[1] + 1):
                            for w in range(first[2], last[2] + 1):
                                a = window_of(t, d, h, w)
                                if t.mode != miopenPoolingMax:
                                    total += load(dy[d * t.y[2] + h * t.y[3] + w * t.y[4]]) / a.area
                                    continue
                                at = plane * count + (d * t.out[1] + h) * t.out[2] + w
                                if t.image:
                                    index = (i * t.in_[1] + j) * t.in_[2] + k
                                else:
                                    index = (i - a.start[0]) * t.lens[1] + j - a.start[1]
                                    index = index * t.lens[2] + k - a.start[2]
                                if get_index(t, at) == index:
                                    total += load(dy[d * t.y[2] + h * t.y[3] + w * t.y[4]])
                    store(&dx[i * t.x[2] + j * t.x[3] + k * t.x[4]], total)


cdef void forward_job(void *context, int64_t begin, int64_t end) noexcept nogil:
    cdef const Pool *t = <const Pool *>context
    if t.type == miopenHalf:
        forward_part(t, begin, end, <mi_half *>NULL)
    else:
        forward_part(t, begin, end, <float *>NULL)


cdef void backward_job(void *context, int64_t begin, int64_t end) noexcept nogil:
    cdef const Pool *t = <const Pool *>context
    if t.type == miopenHalf:
        backward_part(t, begin, end, <mi_half *>NULL)
    else:
        backward_part(t, begin, end, <float *>NULL)


cdef void set_tensors(Pool *t, const mi_pooling *pool, const mi_tensor *xDesc, const mi_tensor *yDesc) noexcept nogil:
    """A 2-D image is a 3-D one of depth 1."""
    cdef int i, flat = 3 - pool.dims
    t.type = xDesc.type
    t.mode = pool.mode
    t.index_type = pool.index_type
    t.image = pool.index_mode == miopenPoolingWorkspaceIndexImage
    t.channels = xDesc.lens[1]
    t.planes = xDesc.lens[0] * xDesc.lens[1]
    for i in range(3):
        t.in_[i] = t.out[i] = t.lens[i] = t.strides[i] = 1
        t.pads[i] = 0
        t.x[i + 2] = t.y[i + 2] = 0
    for i in range(2):
        t.x[i], t.y[i] = xDesc.strides[i], yDesc.strides[i]
    for i in range(pool.dims):
        t.in_[i + flat], t.out[i + flat] = xDesc.lens[i + 2], yDesc.lens[i + 2]
        t.lens[i + flat], t.pads[i + flat], t.strides[i + flat] = pool.lens[i], pool.pads[i], pool.strides[i]
        t.x[i + flat + 2], t.y[i + flat + 2] = xDesc.strides[i + 2], yDesc.strides[i + 2]


cdef bint indices_reach(const mi_pooling *pool, const mi_tensor *xDesc) noexcept nogil:
    """The index type's largest number means nothing found, so it must be out of reach."""
    cdef int64_t count = 1
    cdef int i
    for i in range(pool.dims):
        count *= xDesc.lens[i + 2] if pool.index_mode == miopenPoolingWorkspaceIndexImage else pool.lens[i]
    if pool.index_type == miopenIndexUint8:
        return count < 255
    if pool.index_type == miopenIndexUint16:
        return count < 65535
    return pool.index_type != miopenIndexUint32 or count < (<int64_t>1 << 32) - 1


cdef miopenStatus_t check_shapes(const mi_pooling *pool, const mi_tensor *xDesc, const mi_tensor *yDesc) noexcept nogil:
    if xDesc.dims != 4 and xDesc.dims != 5:
        return miopenStatusUnknownError
    if xDesc.type != yDesc.type or (xDesc.type != miopenFloat and xDesc.type != miopenHalf):
        return miopenStatusNotImplemented  # no solver takes it
    if (not fits(pool, xDesc) or yDesc.dims != xDesc.dims or yDesc.lens[0] != xDesc.lens[0]
            or yDesc.lens[1] != xDesc.lens[1]):
        return miopenStatusBadParm
    return miopenStatusSuccess


cdef public miopenStatus_t miopenPoolingForward(
    miopenHandle_t handle, miopenPoolingDescriptor_t poolDesc, const void *alpha, miopenTensorDescriptor_t xDesc,
    const void *x, const void *beta, miopenTensorDescriptor_t yDesc, void *y, mi_bool do_backward, void *workSpace,
    size_t workSpaceSize
) noexcept nogil:
    """y may be larger or smaller than the output length says; a mode unknown to MIOpen averages, in 2-D."""
    cdef Pool t
    cdef miopenStatus_t status
    if not is_handle(handle) or not is_pooling(poolDesc) or not is_tensor(xDesc) or not is_tensor(yDesc):
        return miopenStatusBadParm
    if not plain_factors(alpha, beta):
        return miopenStatusUnknownError
    if xDesc.dims != 4 and xDesc.dims != 5:
        return miopenStatusUnknownError
    if poolDesc.mode == miopenPoolingMax and do_backward:
        if not indices_reach(poolDesc, xDesc) or workSpace == NULL:
            return miopenStatusUnknownError
        if workSpaceSize < <size_t>(mi_elements(yDesc) * index_size(poolDesc.index_type)):
            return miopenStatusUnknownError  # MIOpen would write past its end
    status = check_shapes(poolDesc, xDesc, yDesc)
    if status != miopenStatusSuccess:
        return status
    if xDesc.dims == 5 and not miopenPoolingMax <= poolDesc.mode <= miopenPoolingAverageInclusive:
        return miopenStatusNotImplemented
    if x == NULL or y == NULL:
        return miopenStatusBadParm
    set_tensors(&t, poolDesc, xDesc, yDesc)
    t.keeps = t.mode == miopenPoolingMax and do_backward
    t.source, t.target, t.indices = x, y, workSpace
    return mi_work(handle, t.planes, 1 + 1024 / (t.out[0] * t.out[1] * t.out[2]), forward_job, &t, sizeof(t))


cdef public miopenStatus_t miopenPoolingBackward(
    miopenHandle_t handle, miopenPoolingDescriptor_t poolDesc, const void *alpha, miopenTensorDescriptor_t yDesc,
    const void *y, miopenTensorDescriptor_t dyDesc, const void *dy, miopenTensorDescriptor_t xDesc, const void *x,
    const void *beta, miopenTensorDescriptor_t dxDesc, void *dx, void *workSpace
) noexcept nogil:
    cdef Pool t
    cdef miopenStatus_t status
    if not is_handle(handle) or not is_pooling(poolDesc) or not is_tensor(xDesc) or not is_tensor(yDesc):
        return miopenStatusBadParm
    if not is_tensor(dxDesc) or not is_tensor(dyDesc):
        return miopenStatusBadParm
    if not plain_factors(alpha, beta):
        return miopenStatusUnknownError
    status = check_shapes(poolDesc, dxDesc, dyDesc)
    if status != miopenStatusSuccess:
        return status
    if not mi_same_lens(xDesc, dxDesc) or not mi_same_lens(yDesc, dyDesc):
        return miopenStatusBadParm
    if not miopenPoolingMax <= poolDesc.mode <= miopenPoolingAverageInclusive:
        return miopenStatusNotImplemented
    if poolDesc.mode == miopenPoolingMax:
        if dxDesc.dims == 5 and poolDesc.index_mode == miopenPoolingWorkspaceIndexMask:
            return miopenStatusNotImplemented  # not in 3-D
        if workSpace == NULL:
            return miopenStatusUnknownError
    if dx == NULL or dy == NULL:
        return miopenStatusBadParm
    set_tensors(&t, poolDesc, dxDesc, dyDesc)
    t.source, t.target, t.indices = dy, dx, workSpace
    return mi_work(handle, t.planes, 1 + 512 / (t.in_[0] * t.in_[1] * t.in_[2]), backward_job, &t, sizeof(t))
