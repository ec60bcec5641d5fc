# cython: language_level=3, cdivision=True, boundscheck=False, wraparound=False
"""Activation of the CPU backend's MIOpen.

Packed tensors are taken element by element as they lie in memory, whatever their dimensions say: two packed tensors of
different layouts do not fit together, in MIOpen as here. α must be 1 and β 0.
"""
include "miopen.pxi"
include "shared.pxi"
include "elements.pxi"
include "walk.pxi"
include "activate.pxi"

from libc.stdlib cimport free

cdef struct Pass:
    Walk walk
    Function f
    int type
    bint back
    const void *x
    const void *y
    const void *dy
    void *out


cdef public miopenStatus_t miopenCreateActivationDescriptor(miopenActivationDescriptor_t *activDesc) noexcept nogil:
    if activDesc == NULL:
        return miopenStatusBadParm
    activDesc[0] = <mi_activation *>mi_new(MI_ACTIVATION, sizeof(mi_activation))
    return miopenStatusSuccess if activDesc[0] != NULL else miopenStatusAllocFailed


cdef public miopenStatus_t miopenDestroyActivationDescriptor(miopenActivationDescriptor_t activDesc) noexcept nogil:
    if activDesc == NULL or activDesc.kind != MI_ACTIVATION:
        return miopenStatusBadParm
    activDesc.kind = 0
    free(activDesc)
    return miopenStatusSuccess


cdef public miopenStatus_t miopenSetActivationDescriptor(
    miopenActivationDescriptor_t activDesc, int mode, double activAlpha, double activBeta, double activGamma
) noexcept nogil:
    """Any number passes for a mode."""
    if activDesc == NULL or activDesc.kind != MI_ACTIVATION:
        return miopenStatusBadParm
    activDesc.mode = mode
    activDesc.alpha = activAlpha
    activDesc.beta = activBeta
    activDesc.gamma = activGamma
    return miopenStatusSuccess


cdef public miopenStatus_t miopenGetActivationDescriptor(
    miopenActivationDescriptor_t activDesc, int *mode, double *activAlpha, double *activBeta, double *activGamma
) noexcept nogil:
    if activDesc == NULL or activDesc.kind != MI_ACTIVATION:
        return miopenStatusBadParm
    if mode == NULL or activAlpha == NULL or activBeta == NULL or activGamma == NULL:
        return miopenStatusBadParm
    mode[0] = activDesc.mode
    activAlpha[0] = activDesc.alpha
    activBeta[0] = activDesc.beta
    activGamma[0] = activDesc.gamma
    return miopenStatusSuccess


cdef void pass_part(const Pass *t, int64_t begin, int64_t end, narrow *like) noexcept nogil:
    cdef int64_t offsets[5]
    cdef int64_t at = begin, run, i, x_step, y_step, dy_step, step
    cdef const narrow *x
    cdef const narrow *y
    cdef const narrow *dy
    cdef narrow *out
    cdef Function f = t.f
    while at < end:
        run = walk_run(&t.walk, at, end, offsets)
        out = <narrow *>t.out + offsets[0]
        x = <const narrow *>t.x + offsets[1]
        step, x_step = t.walk.steps[0], t.walk.steps[1]
        if t.back:
            y = <const narrow *>t.y + offsets[2]
            dy = <const narrow *>t.dy + offsets[3]
            y_step, dy_step = t.walk.steps[2], t.walk.steps[3]
            for i in range(run):
                store(&out[i * step],
                      activate_back(&f, load(dy[i * dy_step]), load(x[i * x_step]), load(y[i * y_step])))
        elif f.mode == miopenActivationRELU and step == 1 and x_step == 1:
            for i in range(run):
                store(&out[i], load(x[i]) * (load(x[i]) > 0))
        else:
            for i in range(run):
                store(&out[i * step], activate(&f, load(x[i * x_step])))
        at += run


cdef void pass_job(void *context, int64_t begin, int64_t end) noexcept nogil:
    cdef const Pass *t = <const Pass *>context
    if t.type == miopenHalf:
        pass_part(t, begin, end, <mi_half *>NULL)
    else:
        pass_part(t, begin, end, <float *>NULL)


cdef void walk_tensors(Walk *w, const mi_tensor **tensors, int count) noexcept nogil:
    """One long run where all are packed."""
    cdef int i
    cdef bint packed = True
    for i in range(count):
        packed = packed and mi_is_packed(tensors[i])
    if packed:
        w.dims = 1
        w.tensors = count
        w.count = w.lens[0] = mi_elements(tensors[0])
        for i in range(count):
            w.strides[i][0] = w.steps[i] = 1
        return
    walk_begin(w, tensors[0])
    for i in range(count):
        walk_add(w, tensors[i])
    walk_fold(w)


cdef bint is_matrix(const mi_tensor *tensor) noexcept nogil:
    """Rows of elements with gaps between them: what MIOpen's backward kernel takes beside packed tensors."""
    cdef int i
    for i in range(tensor.dims - 2):
        if tensor.lens[i] != 1:
            return False
    return 2 <= tensor.dims <= 5 and tensor.strides[tensor.dims - 1] == 1


cdef public miopenStatus_t miopenActivationForward(
    miopenHandle_t handle, miopenActivationDescriptor_t activDesc, const void *alpha, miopenTensorDescriptor_t xDesc,
    const void *x, const void *beta, miopenTensorDescriptor_t yDesc, void *y
) noexcept nogil:
    cdef Pass t
    cdef const mi_tensor *tensors[2]
    if not is_handle(handle) or activDesc == NULL or activDesc.kind != MI_ACTIVATION:
        return miopenStatusBadParm
    if not is_tensor(xDesc) or not is_tensor(yDesc):
        return miopenStatusBadParm
    if not plain_factors(alpha, beta):
        return miopenStatusUnknownError
    if mi_elements(xDesc) != mi_elements(yDesc):
        return miopenStatusNotImplemented  # no solver takes it
    if xDesc.type != yDesc.type or (xDesc.type != miopenFloat and xDesc.type != miopenHalf):
        return miopenStatusInternalError
    if not is_function(activDesc.mode):
        return miopenStatusInternalError  # the kernel would not compile
    if not (mi_is_packed(xDesc) and mi_is_packed(yDesc)) and not (
        mi_same_lens(xDesc, yDesc) and (xDesc.dims <= 4 or is_matrix(xDesc))
    ):
        return miopenStatusNotImplemented
    if x == NULL or y == NULL:
        return miopenStatusBadParm
    set_function(&t.f, activDesc.mode, activDesc.alpha, activDesc.beta, activDesc.gamma, xDesc.type)
    t.type = xDesc.type
    t.back = False
    t.x, t.out = x, y
    tensors[0], tensors[1] = yDesc, xDesc
    walk_tensors(&t.walk, tensors, 2)
    return mi_work(handle, t.walk.count, WALK_GRAIN, pass_job, &t, sizeof(t))


cdef public miopenStatus_t miopenActivationBackward(
    miopenHandle_t handle, miopenActivationDescriptor_t activDesc, const void *alpha, miopenTensorDescriptor_t yDesc,
    const void *y, miopenTensorDescriptor_t dyDesc, const void *dy, miopenTensorDescriptor_t xDesc, const void *x,
    const void *beta, miopenTensorDescriptor_t dxDesc, void *dx
) noexcept nogil:
    cdef Pass t
    cdef const mi_tensor *tensors[4]
    cdef int i
    cdef bint packed = True, matrix = True
    if not is_handle(handle) or activDesc == NULL or activDesc.kind != MI_ACTIVATION:
        return miopenStatusBadParm
    if not is_tensor(xDesc) or not is_tensor(yDesc) or not is_tensor(dxDesc) or not is_tensor(dyDesc):
        return miopenStatusBadParm
    if not plain_factors(alpha, beta):
        return miopenStatusUnknownError
    tensors[0], tensors[1], tensors[2], tensors[3] = dxDesc, xDesc, yDesc, dyDesc
    for i in range(4):
        if mi_elements(tensors[i]) != mi_elements(dxDesc):
            return miopenStatusNotImplemented
        if tensors[i].type != dxDesc.type or (dxDesc.type != miopenFloat and dxDesc.type != miopenHalf):
            return miopenStatusInternalError
        packed = packed and mi_is_packed(tensors[i])
        matrix = matrix and is_matrix(tensors[i]) and mi_same_lens(tensors[i], dxDesc)
    if not packed and not matrix:
        return miopenStatusNotImplemented
    if not is_function(activDesc.mode):
        return miopenStatusInternalError
    if x == NULL or y == NULL or dx == NULL or dy == NULL:
        return miopenStatusBadParm
    set_function(&t.f, activDesc.mode, activDesc.alpha, activDesc.beta, activDesc.gamma, xDesc.type)
    t.type = xDesc.type
    t.back = True
    t.x, t.y, t.dy, t.out = x, y, dy, dx
    walk_tensors(&t.walk, tensors, 4)
    return mi_work(handle, t.walk.count, WALK_GRAIN, pass_job, &t, sizeof(t))
