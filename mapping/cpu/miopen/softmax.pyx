# cython: language_level=3, cdivision=True, boundscheck=False, wraparound=False
"""Softmax of the CPU backend's MIOpen, over channels or over whole images, with any α and β.

The fast algorithm leaves out the largest element's subtraction, so that it overflows where a float does.
"""
include "miopen.pxi"
include "shared.pxi"
include "elements.pxi"

from libc.math cimport exp, log

cdef struct Soft:
    int type
    int algorithm
    bint channel     # the groups are columns of channels, else images
    double alpha
    double beta
    int64_t lens[4]
    int64_t x[4]     # strides
    int64_t y[4]
    int64_t dy[4]
    const void *in_
    const void *in_dy
    void *out


cdef inline int64_t place(const int64_t *strides, const int64_t *lens, bint channel, int64_t group,
        int64_t k) noexcept nogil:
    """Where element k of a group lies: a group is (n, h, w), its elements the channels; or n, its
    elements (c, h, w)."""
    cdef int64_t h, w
    if channel:
        w = group % lens[3]
        h = group / lens[3] % lens[2]
        return group / lens[3] / lens[2] * strides[0] + k * strides[1] + h * strides[2] + w * strides[3]
    w = k % lens[3]
    h = k / lens[3] % lens[2]
    return group * strides[0] + k / lens[3] / lens[2] * strides[1] + h * strides[2] + w * strides[3]


cdef inline int64_t length(const Soft *t) noexcept nogil:
    return t.lens[1] if t.channel else t.lens[1] * t.lens[2] * t.lens[3]


cdef inline double mixed(const Soft *t, double value, double old) noexcept nogil:
    return t.alpha * value if t.beta == 0 else t.alpha * value + t.beta * old


cdef void forward_part(const Soft *t, int64_t begin, int64_t end, narrow *like) noexcept nogil:
    cdef const narrow *x = <const narrow *>t.in_
    cdef narrow *y = <narrow *>t.out
    cdef int64_t group, k, count = length(t), at
    cdef double largest, total, value
    for group in range(begin, end):
        largest = 0
        if t.algorithm != MIOPEN_SOFTMAX_FAST:
            largest = load(x[place(t.x, t.lens, t.channel, group, 0)])
            for k in range(count):
                value = load(x[place(t.x, t.lens, t.channel, group, k)])
                largest = value if value > largest or value != value else largest
        total = 0
        for k in range(count):
            total += <float>exp(load(x[place(t.x, t.lens, t.channel, group, k)]) - largest)
        total = <float>total
        for k in range(count):
            value = load(x[place(t.x, t.lens, t.channel, group, k)]) - largest
            value = value - log(total) if t.algorithm == MIOPEN_SOFTMAX_LOG else <float>exp(value) / total
            at = place(t.y, t.lens, t.channel, group, k)
            store(&y[at], mixed(t, value, load(y[at]) if t.beta != 0 else 0))


cdef void backward_part(const Soft *t, int64_t begin, int64_t end, narrow *like) noexcept nogil:
    cdef const narrow *y = <const narrow *>t.in_
    cdef const narrow *dy = <const narrow *>t.in_dy
    cdef narrow *dx = <narrow *>t.out
    cdef int64_t group, k, count = length(t), at
    cdef double total, value, slope
    cdef bint logarithm = t.algorithm == MIOPEN_SOFTMAX_LOG
    for group in range(begin, end):
        total = 0
        for k in range(count):
            slope = load(dy[place(t.dy, t.lens, t.channel, group, k)])
            total += slope if logarithm else slope * load(y[place(t.y, t.lens, t.channel, group, k)])
        for k in range(count):
            slope = load(dy[place(t.dy, t.lens, t.channel, group, k)])
            value = load(y[place(t.y, t.lens, t.channel, group, k)])
            value = slope - exp(value) * total if logarithm else value * (slope - total)
            at = place(t.x, t.lens, t.channel, group, k)
            store(&dx[at], mixed(t, value, load(dx[at]) if t.beta != 0 else 0))


cdef void forward_job(void *context, int64_t begin, int64_t end) noexcept nogil:
    cdef const Soft *t = <const Soft *>context
    if t.type == miopenHalf:
        forward_part(t, begin, end, <mi_half *>NULL)
    else:
        forward_part(t, begin, end, <float *>NULL)


cdef void backward_job(void *context, int64_t begin, int64_t end) noexcept nogil:
    cdef const Soft *t = <const Soft *>context
    if t.type == miopenHalf:
        backward_part(t, begin, end, <mi_half *>NULL)
    else:
        backward_part(t, begin, end, <float *>NULL)


cdef void set_shape(Soft *t, const mi_tensor *shape) noexcept nogil:
    cdef int i
    for i in range(4):
        t.lens[i] = shape.lens[i]


cdef void set_strides(int64_t *strides, const mi_tensor *tensor) noexcept nogil:
    cdef int i
    for i in range(4):
        strides[i] = tensor.strides[i]


cdef miopenStatus_t run(
    miopenHandle_t handle, Soft *t, const void *alpha, const void *beta, int algorithm, int mode, int type, mi_job job
) noexcept nogil:
    cdef int64_t groups = t.lens[0]
    t.type = type
    t.algorithm = algorithm
    t.channel = mode == MIOPEN_SOFTMAX_MODE_CHANNEL
    t.alpha = (<const float *>alpha)[0]
    t.beta = (<const float *>beta)[0]
    if t.channel:
        groups *= t.lens[2] * t.lens[3]
    return mi_work(handle, groups, 1 + 4096 / length(t), job, t, sizeof(Soft))


cdef bint is_sort(int algorithm, int mode) noexcept nogil:
    return MIOPEN_SOFTMAX_FAST <= algorithm <= MIOPEN_SOFTMAX_LOG and 0 <= mode <= MIOPEN_SOFTMAX_MODE_CHANNEL


cdef public miopenStatus_t miopenSoftmaxForward_V2(
    miopenHandle_t handle, const void *alpha, miopenTensorDescriptor_t xDesc, const void *x, const void *beta,
    miopenTensorDescriptor_t yDesc, void *y, int algorithm, int mode
) noexcept nogil:
    cdef Soft t
    if not is_handle(handle) or not is_tensor(xDesc) or not is_tensor(yDesc):
        return miopenStatusBadParm
    if x == NULL or y == NULL or alpha == NULL or beta == NULL:
        return miopenStatusBadParm
    if xDesc.type != yDesc.type or not mi_same_lens(xDesc, yDesc) or xDesc.dims != 4:
        return miopenStatusBadParm
    if (xDesc.type != miopenFloat and xDesc.type != miopenHalf) or not is_sort(algorithm, mode):
        return miopenStatusInternalError  # the kernel would not compile
    set_shape(&t, xDesc)
    set_strides(t.x, xDesc)
    set_strides(t.y, yDesc)
    t.in_, t.out = x, y
    return run(handle, &t, alpha, beta, algorithm, mode, xDesc.type, forward_job)


cdef public miopenStatus_t miopenSoftmaxForward(
    miopenHandle_t handle, const void *alpha, miopenTensorDescriptor_t xDesc, const void *x, const void *beta,
    miopenTensorDescriptor_t yDesc, void *y
) noexcept nogil:
    return miopenSoftmaxForward_V2(
        handle, alpha, xDesc, x, beta, yDesc, y, MIOPEN_SOFTMAX_ACCURATE, MIOPEN_SOFTMAX_MODE_CHANNEL
    )


cdef public miopenStatus_t miopenSoftmaxBackward_V2(
    miopenHandle_t handle, const void *alpha, miopenTensorDescriptor_t yDesc, const void *y,
    miopenTensorDescriptor_t dyDesc, const void *dy, const void *beta, miopenTensorDescriptor_t dxDesc, void *dx,
    int algorithm, int mode
) noexcept nogil:
    """y and dy must have one descriptor: the same strides too."""
    cdef Soft t
    cdef int i
    if not is_handle(handle) or not is_tensor(yDesc) or not is_tensor(dyDesc) or not is_tensor(dxDesc):
        return miopenStatusBadParm
    if y == NULL or dy == NULL or dx == NULL or alpha == NULL or beta == NULL:
        return miopenStatusBadParm
    if yDesc.type != dyDesc.type or not mi_same_lens(yDesc, dyDesc) or dxDesc.type != dyDesc.type:
        return miopenStatusBadParm
    for i in range(yDesc.dims):
        if yDesc.strides[i] != dyDesc.strides[i]:
            return miopenStatusBadParm
    if not mi_same_lens(dxDesc, dyDesc) or dxDesc.dims != 4:
        return miopenStatusBadParm
    if (yDesc.type != miopenFloat and yDesc.type != miopenHalf) or not is_sort(algorithm, mode):
        return miopenStatusInternalError
    set_shape(&t, dxDesc)
    set_strides(t.x, dxDesc)
    set_strides(t.y, yDesc)
    set_strides(t.dy, dyDesc)
    t.in_, t.in_dy, t.out = y, dy, dx
    return run(handle, &t, alpha, beta, algorithm, mode, yDesc.type, backward_job)


cdef public miopenStatus_t miopenSoftmaxBackward(
    miopenHandle_t handle, const void *alpha, miopenTensorDescriptor_t yDesc, const void *y,
    miopenTensorDescriptor_t dyDesc, const void *dy, const void *beta, miopenTensorDescriptor_t dxDesc, void *dx
) noexcept nogil:
    return miopenSoftmaxBackward_V2(
        handle, alpha, yDesc, y, dyDesc, dy, beta, dxDesc, dx, MIOPEN_SOFTMAX_ACCURATE, MIOPEN_SOFTMAX_MODE_CHANNEL
    )
