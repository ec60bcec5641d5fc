# cython: language_level=3, cdivision=True, boundscheck=False, wraparound=False
"""Tensor arithmetic of the CPU backend's MIOpen: OpTensor, SetTensor, ScaleTensor, TransformTensor.

OpTensor reads its factors as float whatever the tensors hold; SetTensor and ScaleTensor read theirs in the tensor's
type. TransformTensor does both: it looks at a float to learn whether a factor is 1 or 0 and hands on the tensor's
type, so that with doubles a β of 0.5, whose first four bytes are 0, counts as 0. That is MIOpen's, and kept.
"""
include "miopen.pxi"
include "shared.pxi"
include "elements.pxi"
include "walk.pxi"

cdef struct Op:
    Walk walk
    int op
    int type
    double alpha1
    double alpha2
    double beta
    bint copies  # TransformTensor: α counts as 1
    bint keeps   # β counts as something else than 0
    const void *a
    const void *b
    void *c


cdef inline double apply(int op, double a, double b) noexcept nogil:
    if op == miopenTensorOpAdd:
        return a + b
    if op == miopenTensorOpMul:
        return a * b
    if op == miopenTensorOpMin:
        return a if a < b else b
    return a if a > b else b


cdef void op_part(const Op *t, int64_t begin, int64_t end, number *like) noexcept nogil:
    cdef int64_t offsets[5]
    cdef int64_t at = begin, run, i
    cdef const number *a
    cdef const number *b
    cdef number *c
    cdef double value
    while at < end:
        run = walk_run(&t.walk, at, end, offsets)
        a = <const number *>t.a + offsets[0]
        b = <const number *>t.b + offsets[1]
        c = <number *>t.c + offsets[2]
        for i in range(run):
            value = apply(t.op, t.alpha1 * load(a[0]), t.alpha2 * load(b[0]))
            if t.keeps:
                value += t.beta * load(c[0])
            store(c, value)
            a += t.walk.steps[0]
            b += t.walk.steps[1]
            c += t.walk.steps[2]
        at += run


cdef void op_job(void *context, int64_t begin, int64_t end) noexcept nogil:
    cdef const Op *t = <const Op *>context
    if t.type == miopenFloat:
        op_part(t, begin, end, <float *>NULL)
    elif t.type == miopenDouble:
        op_part(t, begin, end, <double *>NULL)
    elif t.type == miopenHalf:
        op_part(t, begin, end, <mi_half *>NULL)
    elif t.type == miopenBFloat16:
        op_part(t, begin, end, <mi_bfloat16 *>NULL)
    elif t.type == miopenInt32:
        op_part(t, begin, end, <int32_t *>NULL)
    else:
        op_part(t, begin, end, <int8_t *>NULL)


cdef public miopenStatus_t miopenOpTensor(
    miopenHandle_t handle, int tensorOp, const void *alpha1, miopenTensorDescriptor_t aDesc, const void *A,
    const void *alpha2, miopenTensorDescriptor_t bDesc, const void *B, const void *beta, miopenTensorDescriptor_t cDesc,
    void *C
) noexcept nogil:
    """C ← op(α1·A, α2·B) + β·C; B's dimensions are C's or 1."""
    cdef Op t
    cdef int i
    if not is_handle(handle) or not is_tensor(aDesc) or not is_tensor(bDesc) or not is_tensor(cDesc):
        return miopenStatusBadParm
    if A == NULL or B == NULL or C == NULL or alpha1 == NULL or alpha2 == NULL or beta == NULL:
        return miopenStatusBadParm
    if mi_elements(aDesc) != mi_elements(cDesc) or bDesc.type != cDesc.type or cDesc.dims > 5:
        return miopenStatusUnknownError
    if bDesc.dims != cDesc.dims or aDesc.dims != cDesc.dims or aDesc.type != cDesc.type:
        return miopenStatusUnknownError
    for i in range(cDesc.dims):
        if (bDesc.lens[i] != 1 and bDesc.lens[i] != cDesc.lens[i]) or aDesc.lens[i] != cDesc.lens[i]:
            return miopenStatusUnknownError
    if not is_number(cDesc.type) or tensorOp < 0 or tensorOp > miopenTensorOpMax:
        return miopenStatusUnknownError
    t.op = tensorOp
    t.type = cDesc.type
    t.alpha1 = (<const float *>alpha1)[0]
    t.alpha2 = (<const float *>alpha2)[0]
    t.beta = (<const float *>beta)[0]
    t.keeps = t.beta != 0
    t.a, t.b, t.c = A, B, C
    walk_begin(&t.walk, cDesc)
    walk_add(&t.walk, aDesc)
    walk_add(&t.walk, bDesc)
    walk_add(&t.walk, cDesc)
    walk_fold(&t.walk)
    return mi_work(handle, t.walk.count, WALK_GRAIN, op_job, &t, sizeof(t))


# ---- one or two tensors: y ← α·x + β·y; Set and Scale are the two halves of it ----

cdef double scalar(int type, const void *value) noexcept nogil:
    """A factor in a tensor's own type."""
    if type == miopenFloat:
        return (<const float *>value)[0]
    if type == miopenDouble:
        return (<const double *>value)[0]
    if type == miopenHalf:
        return load((<const mi_half *>value)[0])
    if type == miopenBFloat16:
        return load((<const mi_bfloat16 *>value)[0])
    if type == miopenInt32:
        return (<const int32_t *>value)[0]
    return (<const int8_t *>value)[0]


cdef void sum_part(const Op *t, int64_t begin, int64_t end, number *like) noexcept nogil:
    """Without x: y ← α + β·y."""
    cdef int64_t offsets[5]
    cdef int64_t at = begin, run, i, step = t.walk.steps[0], x_step
    cdef const number *x
    cdef number *y
    cdef double value
    while at < end:
        run = walk_run(&t.walk, at, end, offsets)
        y = <number *>t.c + offsets[0]
        x = <const number *>t.a + offsets[1] if t.a != NULL else y
        x_step = t.walk.steps[1] if t.a != NULL else 0
        if t.a != NULL and t.copies and not t.keeps:
            for i in range(run):
                y[i * step] = x[i * x_step]  # as it is: NaN keeps its bits
        else:
            for i in range(run):
                value = t.alpha1
                if t.a != NULL:
                    value = load(x[i * x_step]) if t.copies else t.alpha1 * load(x[i * x_step])
                if t.keeps:
                    value += t.beta * load(y[i * step])
                store(&y[i * step], value)
        at += run


cdef void sum_job(void *context, int64_t begin, int64_t end) noexcept nogil:
    cdef const Op *t = <const Op *>context
    if t.type == miopenFloat:
        sum_part(t, begin, end, <float *>NULL)
    elif t.type == miopenDouble:
        sum_part(t, begin, end, <double *>NULL)
    elif t.type == miopenHalf:
        sum_part(t, begin, end, <mi_half *>NULL)
    elif t.type == miopenBFloat16:
        sum_part(t, begin, end, <mi_bfloat16 *>NULL)
    elif t.type == miopenInt32:
        sum_part(t, begin, end, <int32_t *>NULL)
    else:
        sum_part(t, begin, end, <int8_t *>NULL)


cdef miopenStatus_t sums(
    miopenHandle_t handle, Op *t, const mi_tensor *yDesc, void *y, const mi_tensor *xDesc, const void *x
) noexcept nogil:
    t.type = yDesc.type
    t.a, t.c = x, y
    walk_begin(&t.walk, yDesc)
    walk_add(&t.walk, yDesc)
    if x != NULL:
        walk_add(&t.walk, xDesc)
    walk_fold(&t.walk)
    return mi_work(handle, t.walk.count, WALK_GRAIN, sum_job, t, sizeof(Op))


cdef public miopenStatus_t miopenSetTensor(
    miopenHandle_t handle, miopenTensorDescriptor_t yDesc, void *y, const void *alpha
) noexcept nogil:
    cdef Op t
    if not is_handle(handle) or not is_tensor(yDesc) or y == NULL or alpha == NULL:
        return miopenStatusBadParm
    if not is_number(yDesc.type):
        return miopenStatusBadParm
    t.alpha1, t.beta, t.copies, t.keeps = scalar(yDesc.type, alpha), 0, False, False
    return sums(handle, &t, yDesc, y, NULL, NULL)


cdef public miopenStatus_t miopenScaleTensor(
    miopenHandle_t handle, miopenTensorDescriptor_t yDesc, void *y, const void *alpha
) noexcept nogil:
    """bf16 and int8 are refused, as MIOpen refuses them. NaN · 0 stays NaN."""
    cdef Op t
    if not is_handle(handle) or not is_tensor(yDesc) or y == NULL or alpha == NULL:
        return miopenStatusBadParm
    if not (
        yDesc.type == miopenFloat or yDesc.type == miopenHalf or yDesc.type == miopenInt32 or yDesc.type == miopenDouble
    ):
        return miopenStatusBadParm
    t.alpha1, t.beta, t.copies, t.keeps = 0, scalar(yDesc.type, alpha), False, True
    return sums(handle, &t, yDesc, y, NULL, NULL)


cdef miopenStatus_t transform_int8(
    miopenHandle_t handle, const mi_tensor *xDesc, const void *x, const mi_tensor *yDesc, void *y, bint plain
) noexcept nogil:
    """Copies images of fewer or more channels, packed; the longer side counts its channels in fours."""
    cdef int64_t n, i, count, x_count = 1, y_count = 1
    cdef Op t
    if xDesc.lens[1] <= yDesc.lens[1]:
        if xDesc.lens[1] <= yDesc.lens[1] - 4 or yDesc.lens[1] % 4 != 0:
            return miopenStatusUnknownError
    elif xDesc.lens[1] % 4 != 0:
        return miopenStatusUnknownError
    if not plain:
        return miopenStatusNotImplemented
    if mi_recorded(handle):
        return transform_int8_record(handle, xDesc, x, yDesc, y, plain)
    t.alpha1, t.beta, t.copies, t.keeps = 0, 0, False, False
    if xDesc.lens[1] <= yDesc.lens[1]:
        sums(handle, &t, yDesc, y, NULL, NULL)
    for i in range(1, xDesc.dims):
        x_count *= xDesc.lens[i]
        y_count *= yDesc.lens[i]
    count = x_count if x_count < y_count else y_count
    for n in range(xDesc.lens[0]):
        for i in range(count):
            (<int8_t *>y)[n * y_count + i] = (<const int8_t *>x)[n * x_count + i]
    return miopenStatusSuccess


cdef public miopenStatus_t miopenTransformTensor(
    miopenHandle_t handle, const void *alpha, miopenTensorDescriptor_t xDesc, const void *x, const void *beta,
    miopenTensorDescriptor_t yDesc, void *y
) noexcept nogil:
    cdef Op t
    if not is_handle(handle) or not is_tensor(xDesc) or not is_tensor(yDesc):
        return miopenStatusBadParm
    if x == NULL or y == NULL or alpha == NULL or beta == NULL:
        return miopenStatusBadParm
    if xDesc.dims != yDesc.dims or xDesc.lens[0] != yDesc.lens[0]:
        return miopenStatusUnknownError
    t.copies = (<const float *>alpha)[0] == 1
    t.keeps = (<const float *>beta)[0] != 0
    if xDesc.type == miopenInt8 and yDesc.type == miopenInt8 and xDesc.dims >= 3:
        return transform_int8(handle, xDesc, x, yDesc, y, t.copies and not t.keeps)
    if not mi_same_lens(xDesc, yDesc) or xDesc.type != yDesc.type:
        return miopenStatusUnknownError
    if not is_number(xDesc.type) or xDesc.type == miopenInt8:
        return miopenStatusUnknownError
    t.alpha1 = scalar(xDesc.type, alpha)
    t.beta = scalar(xDesc.type, beta)
    return sums(handle, &t, yDesc, y, xDesc, x)


include "tensorops_record.pxi"
