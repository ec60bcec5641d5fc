# cython: language_level=3, cdivision=True, boundscheck=False, wraparound=False
"""Local response normalisation of the CPU backend's MIOpen: y = x · S^-β with S = K + α/area · Σ x² over the window.

The window is n channels, or n×n pixels within one. A forward call that will be followed by a backward one keeps S in
the workspace, in the tensor's type; the backward call reads it there. The factors α and β of the call are not looked
at, as in MIOpen: they count as 1 and 0.
"""
include "miopen.pxi"
include "shared.pxi"
include "elements.pxi"

from libc.math cimport pow
from libc.stdlib cimport free

cdef struct Norm:
    int type
    bint within
    int64_t before   # window: so many before the element, so many after it
    int64_t after
    double alpha     # over the area
    double beta
    double k
    int64_t lens[4]
    int64_t x_strides[4]
    int64_t y_strides[4]
    int64_t dx_strides[4]
    int64_t dy_strides[4]
    const void *x
    const void *y
    const void *dy
    void *out
    void *scale      # as x lies, or NULL


cdef public miopenStatus_t miopenCreateLRNDescriptor(miopenLRNDescriptor_t *lrnDesc) noexcept nogil:
    if lrnDesc == NULL:
        return miopenStatusBadParm
    lrnDesc[0] = <mi_lrn *>mi_new(MI_LRN, sizeof(mi_lrn))
    return miopenStatusSuccess if lrnDesc[0] != NULL else miopenStatusAllocFailed


cdef public miopenStatus_t miopenDestroyLRNDescriptor(miopenLRNDescriptor_t lrnDesc) noexcept nogil:
    if lrnDesc == NULL or lrnDesc.kind != MI_LRN:
        return miopenStatusBadParm
    lrnDesc.kind = 0
    free(lrnDesc)
    return miopenStatusSuccess


cdef public miopenStatus_t miopenSetLRNDescriptor(
    miopenLRNDescriptor_t lrnDesc, int mode, unsigned int lrnN, double lrnAlpha, double lrnBeta, double lrnK
) noexcept nogil:
    if lrnDesc == NULL or lrnDesc.kind != MI_LRN:
        return miopenStatusBadParm
    lrnDesc.mode = mode
    lrnDesc.n = lrnN
    lrnDesc.alpha = lrnAlpha
    lrnDesc.beta = lrnBeta
    lrnDesc.k = lrnK
    return miopenStatusSuccess


cdef public miopenStatus_t miopenGetLRNDescriptor(
    miopenLRNDescriptor_t lrnDesc, int *mode, unsigned int *lrnN, double *lrnAlpha, double *lrnBeta, double *lrnK
) noexcept nogil:
    if lrnDesc == NULL or lrnDesc.kind != MI_LRN:
        return miopenStatusBadParm
    if mode == NULL or lrnN == NULL or lrnAlpha == NULL or lrnBeta == NULL or lrnK == NULL:
        return miopenStatusBadParm
    mode[0] = lrnDesc.mode
    lrnN[0] = lrnDesc.n
    lrnAlpha[0] = lrnDesc.alpha
    lrnBeta[0] = lrnDesc.beta
    lrnK[0] = lrnDesc.k
    return miopenStatusSuccess


cdef public miopenStatus_t miopenLRNGetWorkSpaceSize(
    miopenTensorDescriptor_t yDesc, size_t *workSpaceSize
) noexcept nogil:
    """Four bytes an element, also for half."""
    if not is_tensor(yDesc) or workSpaceSize == NULL:
        return miopenStatusBadParm
    workSpaceSize[0] = <size_t>(yDesc.lens[0] * yDesc.strides[0] * 4)
    return miopenStatusSuccess


cdef inline int64_t at(const int64_t *strides, int64_t n, int64_t c, int64_t h, int64_t w) noexcept nogil:
    return n * strides[0] + c * strides[1] + h * strides[2] + w * strides[3]


cdef inline int64_t least(int64_t a, int64_t b) noexcept nogil:
    return a if a < b else b


cdef inline int64_t most(int64_t a, int64_t b) noexcept nogil:
    return a if a > b else b


cdef struct Window:
    int64_t first[3]  # c, h, w
    int64_t last[3]


cdef inline Window window(const Norm *t, int64_t c, int64_t h, int64_t w, int64_t before, int64_t after) noexcept nogil:
    cdef Window found
    cdef int64_t centre[3]
    cdef int i
    centre[0], centre[1], centre[2] = c, h, w
    for i in range(3):
        found.first[i] = found.last[i] = centre[i]
        if t.within == (i > 0):
            found.first[i] = most(0, centre[i] - before)
            found.last[i] = least(t.lens[i + 1] - 1, centre[i] + after)
    return found


cdef void forward_part(const Norm *t, int64_t begin, int64_t end, narrow *like) noexcept nogil:
    """Images and channels [begin, end)."""
    cdef const narrow *x = <const narrow *>t.x
    cdef narrow *y = <narrow *>t.out
    cdef narrow *scale = <narrow *>t.scale
    cdef int64_t plane, n, c, h, w, u, i, j
    cdef double total, value
    cdef Window area
    for plane in range(begin, end):
        n = plane / t.lens[1]
        c = plane % t.lens[1]
        for h in range(t.lens[2]):
            for w in range(t.lens[3]):
                area = window(t, c, h, w, t.before, t.after)
                total = 0
                for u in range(area.first[0], area.last[0] + 1):
                    for i in range(area.first[1], area.last[1] + 1):
                        for j in range(area.first[2], area.last[2] + 1):
                            value = load(x[at(t.x_strides, n, u, i, j)])
                            total += value * value
                total = t.k + t.alpha * total
                if scale != NULL:
                    store(&scale[at(t.x_strides, n, c, h, w)], total)
                store(&y[at(t.y_strides, n, c, h, w)], load(x[at(t.x_strides, n, c, h, w)]) * pow(total, -t.beta))


cdef void backward_part(const Norm *t, int64_t begin, int64_t end, narrow *like) noexcept nogil:
    """Each element is in the windows of those that it can see the other way round."""
    cdef const narrow *x = <const narrow *>t.x
    cdef const narrow *y = <const narrow *>t.y
    cdef const narrow *dy = <const narrow *>t.dy
    cdef const narrow *scale = <const narrow *>t.scale
    cdef narrow *dx = <narrow *>t.out
    cdef int64_t plane, n, c, h, w, u, i, j
    cdef double total
    cdef Window area
    for plane in range(begin, end):
        n = plane / t.lens[1]
        c = plane % t.lens[1]
        for h in range(t.lens[2]):
            for w in range(t.lens[3]):
                area = window(t, c, h, w, t.after, t.before)
                total = 0
                for u in range(area.first[0], area.last[0] + 1):
                    for i in range(area.first[1], area.last[1] + 1):
                        for j in range(area.first[2], area.last[2] + 1):
                            total += (
                                load(dy[at(t.dy_strides, n, u, i, j)]) * load(y[at(t.y_strides, n, u, i, j)])
                                / load(scale[at(t.x_strides, n, u, i, j)])
                            )
                total *= 2 * t.alpha * t.beta * load(x[at(t.x_strides, n, c, h, w)])
                store(
                    &dx[at(t.dx_strides, n, c, h, w)],
                    load(dy[at(t.dy_strides, n, c, h, w)])
                    * pow(load(scale[at(t.x_strides, n, c, h, w)]), -t.beta) - total,
                )


cdef void forward_job(void *context, int64_t begin, int64_t end) noexcept nogil:
    cdef const Norm *t = <const Norm *>context
    if t.type == miopenHalf:
        forward_part(t, begin, end, <mi_half *>NULL)
    else:
        forward_part(t, begin, end, <float *>NULL)


cdef void backward_job(void *context, int64_t begin, int64_t end) noexcept nogil:
    cdef const Norm *t = <const Norm *>context
    if t.type == miopenHalf:
        backward_part(t, begin, end, <mi_half *>NULL)
    else:
        backward_part(t, begin, end, <float *>NULL)


cdef miopenStatus_t set_norm(Norm *t, const mi_lrn *lrn, const mi_tensor *shape) noexcept nogil:
    cdef int i
    if <float>lrn.k == 0 or lrn.n == 0 or (lrn.mode != miopenLRNWithinChannel and lrn.mode != miopenLRNCrossChannel):
        return miopenStatusUnknownError
    if shape.dims != 4 or (shape.type != miopenFloat and shape.type != miopenHalf):
        return miopenStatusUnknownError
    t.type = shape.type
    t.within = lrn.mode == miopenLRNWithinChannel
    t.before = (<int64_t>lrn.n - 1) / 2
    t.after = lrn.n - t.before - 1
    t.alpha = lrn.alpha / (lrn.n * <double>lrn.n if t.within else lrn.n)
    t.beta = lrn.beta
    t.k = lrn.k
    for i in range(4):
        t.lens[i] = shape.lens[i]
    return miopenStatusSuccess


cdef void set_strides(int64_t *strides, const mi_tensor *tensor) noexcept nogil:
    cdef int i
    for i in range(4):
        strides[i] = tensor.strides[i]


cdef public miopenStatus_t miopenLRNForward(
    miopenHandle_t handle, miopenLRNDescriptor_t lrnDesc, const void *alpha, miopenTensorDescriptor_t xDesc,
    const void *x, const void *beta, miopenTensorDescriptor_t yDesc, void *y, mi_bool do_backward, void *workSpace
) noexcept nogil:
    cdef Norm t
    cdef miopenStatus_t status
    if (not is_handle(handle) or lrnDesc == NULL or lrnDesc.kind != MI_LRN or not is_tensor(xDesc)
            or not is_tensor(yDesc)):
        return miopenStatusBadParm
    if not mi_is_packed(xDesc) or not mi_is_packed(yDesc) or not mi_same_lens(xDesc, yDesc) or xDesc.type != yDesc.type:
        return miopenStatusUnknownError
    status = set_norm(&t, lrnDesc, xDesc)
    if status != miopenStatusSuccess:
        return status
    if x == NULL or y == NULL or (do_backward and workSpace == NULL):
        return miopenStatusBadParm
    set_strides(t.x_strides, xDesc)
    set_strides(t.y_strides, yDesc)
    t.x, t.out, t.scale = x, y, workSpace if do_backward else NULL
    return mi_work(handle, t.lens[0] * t.lens[1], 1 + 2048 / (t.lens[2] * t.lens[3]), forward_job, &t, sizeof(t))


cdef public miopenStatus_t miopenLRNBackward(
    miopenHandle_t handle, miopenLRNDescriptor_t lrnDesc, const void *alpha, miopenTensorDescriptor_t yDesc,
    const void *y, miopenTensorDescriptor_t dyDesc, const void *dy, miopenTensorDescriptor_t xDesc, const void *x,
    const void *beta, miopenTensorDescriptor_t dxDesc, void *dx, const void *workSpace
) noexcept nogil:
    cdef Norm t
    cdef miopenStatus_t status
    if (not is_handle(handle) or lrnDesc == NULL or lrnDesc.kind != MI_LRN or not is_tensor(xDesc)
            or not is_tensor(yDesc)):
        return miopenStatusBadParm
    if not is_tensor(dxDesc) or not is_tensor(dyDesc):
        return miopenStatusBadParm
    if not mi_same_lens(xDesc, yDesc) or not mi_same_lens(xDesc, dxDesc) or not mi_same_lens(xDesc, dyDesc):
        return miopenStatusUnknownError
    if xDesc.type != yDesc.type or xDesc.type != dxDesc.type or xDesc.type != dyDesc.type:
        return miopenStatusUnknownError
    status = set_norm(&t, lrnDesc, xDesc)
    if status != miopenStatusSuccess:
        return status
    if x == NULL or y == NULL or dx == NULL or dy == NULL or workSpace == NULL:
        return miopenStatusBadParm
    set_strides(t.x_strides, xDesc)
    set_strides(t.y_strides, yDesc)
    set_strides(t.dx_strides, dxDesc)
    set_strides(t.dy_strides, dyDesc)
    t.x, t.y, t.dy, t.out, t.scale = x, y, dy, dx, <void *>workSpace
    return mi_work(handle, t.lens[0] * t.lens[1], 1 + 2048 / (t.lens[2] * t.lens[3]), backward_job, &t, sizeof(t))
