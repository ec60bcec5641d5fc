# cython: language_level=3, cdivision=True, boundscheck=False, wraparound=False
"""Batch normalisation of the CPU backend's MIOpen: inference, training, backward, each also with an activation.

Spatial: one mean and variance a channel. Per activation: one for each element of an image. x and its like are float,
half or bf16, packed; the parameters float, or half with half. The running variance is the unbiased one, what is saved
is 1/√(variance + ε). Running and saved values are written only where both of a pair are given. α must be 1 and β 0.
"""
include "miopen.pxi"
include "shared.pxi"
include "elements.pxi"
include "activate.pxi"

from libc.math cimport sqrt

ctypedef fused image:
    mi_half
    mi_bfloat16
    float

cdef struct Norm:
    int type
    int param_type
    bint spatial
    Function f           # PASTHRU where there is none
    double epsilon
    double factor        # of the running averages
    int64_t groups       # channels, or elements of an image
    int64_t lens[5]      # n, c, d, h, w
    int64_t sums[4]      # n, d, h, w that one group runs over
    int64_t x_strides[5]
    int64_t y_strides[5]
    int64_t dx_strides[5]
    int64_t params[5]
    const void *x
    const void *dy       # as y lies
    void *y
    void *dx
    const void *scale
    const void *bias
    void *mean           # running, or estimated
    void *variance
    void *saved_mean
    void *saved_inverse
    void *d_scale
    void *d_bias


cdef public miopenStatus_t miopenDeriveBNTensorDescriptor(
    miopenTensorDescriptor_t derivedBnDesc, miopenTensorDescriptor_t xDesc, int bn_mode
) noexcept nogil:
    """Always float, whatever x holds. Any number but Spatial's is per activation."""
    cdef int64_t lens[8]
    cdef int i
    if derivedBnDesc == NULL or derivedBnDesc.kind != MI_TENSOR or not is_tensor(xDesc):
        return miopenStatusBadParm
    if xDesc.dims != 4 and xDesc.dims != 5:
        return miopenStatusBadParm
    for i in range(xDesc.dims):
        lens[i] = 1 if i == 0 or (i > 1 and bn_mode == miopenBNSpatial) else xDesc.lens[i]
    return mi_set_tensor(derivedBnDesc, miopenFloat, xDesc.dims, lens, NULL)


# ---- places ----

cdef inline int64_t start(const Norm *t, const int64_t *strides, int64_t group) noexcept nogil:
    """The first element of a group."""
    cdef int64_t at
    if t.spatial:
        return group * strides[1]
    at = group % t.lens[4] * strides[4]
    group = group / t.lens[4]
    at += group % t.lens[3] * strides[3]
    group = group / t.lens[3]
    at += group % t.lens[2] * strides[2]
    return at + group / t.lens[2] * strides[1]


cdef struct Moments:
    double mean
    double variance


cdef Moments moments(const Norm *t, const image *x) noexcept nogil:
    cdef Moments found
    cdef int64_t n, d, h, w
    cdef const image *row
    cdef double total = 0, away
    cdef double count = <double>(t.sums[0] * t.sums[1] * t.sums[2] * t.sums[3])
    for n in range(t.sums[0]):
        for d in range(t.sums[1]):
            for h in range(t.sums[2]):
                row = x + n * t.x_strides[0] + d * t.x_strides[2] + h * t.x_strides[3]
                for w in range(t.sums[3]):
                    total += load(row[w * t.x_strides[4]])
    found.mean = total / count
    total = 0
    for n in range(t.sums[0]):
        for d in range(t.sums[1]):
            for h in range(t.sums[2]):
                row = x + n * t.x_strides[0] + d * t.x_strides[2] + h * t.x_strides[3]
                for w in range(t.sums[3]):
                    away = load(row[w * t.x_strides[4]]) - found.mean
                    total += away * away
    found.variance = total / count
    return found


cdef void normalise(const Norm *t, const image *x, image *y, double mean, double inverse, double scale,
        double bias) noexcept nogil:
    cdef int64_t n, d, h, w
    cdef const image *row
    cdef image *out
    for n in range(t.sums[0]):
        for d in range(t.sums[1]):
            for h in range(t.sums[2]):
                row = x + n * t.x_strides[0] + d * t.x_strides[2] + h * t.x_strides[3]
                out = y + n * t.y_strides[0] + d * t.y_strides[2] + h * t.y_strides[3]
                for w in range(t.sums[3]):
                    store(
                        &out[w * t.y_strides[4]],
                        activate(&t.f, scale * ((load(row[w * t.x_strides[4]]) - mean) * inverse) + bias),
                    )


cdef void inference_part(const Norm *t, int64_t begin, int64_t end, image *like) noexcept nogil:
    cdef int64_t group, at
    for group in range(begin, end):
        at = start(t, t.params, group)
        normalise(
            t, <const image *>t.x + start(t, t.x_strides, group), <image *>t.y + start(t, t.y_strides, group),
            load_any(t.param_type, t.mean, at), 1 / sqrt(load_any(t.param_type, t.variance, at) + t.epsilon),
            load_any(t.param_type, t.scale, at), load_any(t.param_type, t.bias, at)
        )


cdef inline void average(const Norm *t, void *running, int64_t at, double value) noexcept nogil:
    """A running value of NaN stays NaN, whatever the factor."""
    cdef double old = load_any(t.param_type, running, at)
    store_any(t.param_type, running, at, (old - t.factor * old) + t.factor * value)


cdef void training_part(const Norm *t, int64_t begin, int64_t end, image *like) noexcept nogil:
    cdef int64_t group, at
    cdef double count = <double>(t.sums[0] * t.sums[1] * t.sums[2] * t.sums[3]), inverse
    cdef const image *x
    cdef Moments m
    for group in range(begin, end):
        at = start(t, t.params, group)
        x = <const image *>t.x + start(t, t.x_strides, group)
        m = moments(t, x)
        inverse = 1 / sqrt(m.variance + t.epsilon)
        if t.mean != NULL and t.variance != NULL:
            average(t, t.mean, at, m.mean)
            average(t, t.variance, at, m.variance if count == 1 else m.variance * (count / (count - 1)))
        if t.saved_mean != NULL and t.saved_inverse != NULL:
            store_any(t.param_type, t.saved_mean, at, m.mean)
            store_any(t.param_type, t.saved_inverse, at, inverse)
        normalise(
            t, x, <image *>t.y + start(t, t.y_strides, group), m.mean, inverse, load_any(t.param_type, t.scale, at),
            load_any(t.param_type, t.bias, at)
        )


cdef inline double slope(const Norm *t, double dy, double hat, double scale, double bias) noexcept nogil:
    """dy before the activation."""
    cdef double x
    if t.f.mode == miopenActivationPASTHRU:
        return dy
    x = scale * hat + bias
    return activate_back(&t.f, dy, x, activate(&t.f, x))


cdef void backward_part(const Norm *t, int64_t begin, int64_t end, image *like) noexcept nogil:
    cdef int64_t group, at, n, d, h, w
    cdef const image *x
    cdef const image *dy
    cdef image *dx
    cdef const image *row
    cdef const image *in_
    cdef image *out
    cdef double count = <double>(t.sums[0] * t.sums[1] * t.sums[2] * t.sums[3])
    cdef double scale, bias, inverse, total, product, hat, value
    cdef Moments m
    for group in range(begin, end):
        at = start(t, t.params, group)
        x = <const image *>t.x + start(t, t.x_strides, group)
        dy = <const image *>t.dy + start(t, t.y_strides, group)
        dx = <image *>t.dx + start(t, t.dx_strides, group)
        scale = load_any(t.param_type, t.scale, at)
        bias = load_any(t.param_type, t.bias, at) if t.bias != NULL else 0
        if t.saved_mean != NULL and t.saved_inverse != NULL:
            m.mean = load_any(t.param_type, t.saved_mean, at)
            inverse = load_any(t.param_type, t.saved_inverse, at)
        else:
            m = moments(t, x)
            inverse = 1 / sqrt(m.variance + t.epsilon)
        total = product = 0
        for n in range(t.sums[0]):
            for d in range(t.sums[1]):
                for h in range(t.sums[2]):
                    row = x + n * t.x_strides[0] + d * t.x_strides[2] + h * t.x_strides[3]
                    in_ = dy + n * t.y_strides[0] + d * t.y_strides[2] + h * t.y_strides[3]
                    for w in range(t.sums[3]):
                        hat = (load(row[w * t.x_strides[4]]) - m.mean) * inverse
                        value = slope(t, load(in_[w * t.y_strides[4]]), hat, scale, bias)
                        total += value
                        product += value * hat
        for n in range(t.sums[0]):
            for d in range(t.sums[1]):
                for h in range(t.sums[2]):
                    row = x + n * t.x_strides[0] + d * t.x_strides[2] + h * t.x_strides[3]
                    in_ = dy + n * t.y_strides[0] + d * t.y_strides[2] + h * t.y_strides[3]
                    out = dx + n * t.dx_strides[0] + d * t.dx_strides[2] + h * t.dx_strides[3]
                    for w in range(t.sums[3]):
                        hat = (load(row[w * t.x_strides[4]]) - m.mean) * inverse
                        value = slope(t, load(in_[w * t.y_strides[4]]), hat, scale, bias)
                        store(&out[w * t.dx_strides[4]], scale * inverse * (value - (total + hat * product) / count))
        store_any(t.param_type, t.d_scale, at, product)
        store_any(t.param_type, t.d_bias, at, total)


cdef void inference_job(void *context, int64_t begin, int64_t end) noexcept nogil:
    cdef const Norm *t = <const Norm *>context
    if t.type == miopenHalf:
        inference_part(t, begin, end, <mi_half *>NULL)
    elif t.type == miopenBFloat16:
        inference_part(t, begin, end, <mi_bfloat16 *>NULL)
    else:
        inference_part(t, begin, end, <float *>NULL)


cdef void training_job(void *context, int64_t begin, int64_t end) noexcept nogil:
    cdef const Norm *t = <const Norm *>context
    if t.type == miopenHalf:
        training_part(t, begin, end, <mi_half *>NULL)
    elif t.type == miopenBFloat16:
        training_part(t, begin, end, <mi_bfloat16 *>NULL)
    else:
        training_part(t, begin, end, <float *>NULL)


cdef void backward_job(void *context, int64_t begin, int64_t end) noexcept nogil:
    cdef const Norm *t = <const Norm *>context
    if t.type == miopenHalf:
        backward_part(t, begin, end, <mi_half *>NULL)
    elif t.type == miopenBFloat16:
        backward_part(t, begin, end, <mi_bfloat16 *>NULL)
    else:
        backward_part(t, begin, end, <float *>NULL)


# ---- checks ----

cdef void five(int64_t *five, const int64_t *few, int dims, int64_t missing) noexcept nogil:
    """n, c, d, h, w of an image of 1 to 3 dimensions."""
    cdef int i, flat = 5 - dims
    for i in range(5):
        five[i] = few[i] if i < 2 else missing if i < 2 + flat else few[i - flat]


cdef miopenStatus_t set_norm(
    Norm *t, int mode, const mi_tensor *x, const mi_tensor *y, const mi_tensor **params, const mi_activation *act
) noexcept nogil:
    cdef int i, k
    cdef int64_t wanted
    if not is_tensor(x) or not is_tensor(y):
        return miopenStatusBadParm
    if act != NULL and act.kind != MI_ACTIVATION:
        return miopenStatusBadParm
    if x.type != y.type or not mi_same_lens(x, y) or x.dims < 3 or x.dims > 5:
        return miopenStatusBadParm
    if not mi_is_packed(x) or not mi_is_packed(y):
        return miopenStatusBadParm
    t.spatial = mode == miopenBNSpatial
    for k in range(4):
        if not is_tensor(params[k]) or params[k].dims != x.dims:
            return miopenStatusBadParm
        for i in range(x.dims):
            wanted = 1 if i == 0 or (i > 1 and t.spatial) else x.lens[i]
            if params[k].lens[i] != wanted:
                return miopenStatusBadParm
        if params[k].type != params[0].type:
            return miopenStatusBadParm
    if params[0].type != miopenFloat and not (params[0].type == miopenHalf and x.type == miopenHalf):
        return miopenStatusNotImplemented
    if x.type != miopenFloat and x.type != miopenHalf and x.type != miopenBFloat16:
        return miopenStatusNotImplemented
    set_function(&t.f, miopenActivationPASTHRU, 0, 0, 0, x.type)
    if act != NULL:
        if not (
            act.mode == miopenActivationPASTHRU or act.mode == miopenActivationRELU
            or act.mode == miopenActivationCLIPPEDRELU or act.mode == miopenActivationCLAMP
        ):
            return miopenStatusNotImplemented
        set_function(&t.f, act.mode, act.alpha, act.beta, act.gamma, x.type)
    t.type = x.type
    t.param_type = params[0].type
    five(t.lens, x.lens, x.dims, 1)
    five(t.x_strides, x.strides, x.dims, 0)
    five(t.y_strides, y.strides, y.dims, 0)
    five(t.params, params[0].strides, x.dims, 0)
    t.groups = t.lens[1]
    t.sums[0], t.sums[1], t.sums[2], t.sums[3] = t.lens[0], t.lens[2], t.lens[3], t.lens[4]
    if not t.spatial:
        t.groups *= t.lens[2] * t.lens[3] * t.lens[4]
        t.sums[1] = t.sums[2] = t.sums[3] = 1
    return miopenStatusSuccess


cdef int64_t grain(const Norm *t) noexcept nogil:
    return 1 + 4096 / (t.sums[0] * t.sums[1] * t.sums[2] * t.sums[3])


# ---- inference ----

cdef miopenStatus_t infer(
    miopenHandle_t handle, int mode, const void *alpha, const void *beta, const mi_tensor *xDesc, const void *x,
    const mi_tensor *yDesc, void *y, const mi_tensor **params, const void *scale, const void *bias, void *mean,
    void *variance, double epsilon, const mi_activation *act
) noexcept nogil:
    """Without estimates MIOpen takes those of the batch."""
    cdef Norm t
    cdef miopenStatus_t status
    if not is_handle(handle):
        return miopenStatusBadParm
    status = set_norm(&t, mode, xDesc, yDesc, params, act)
    if status != miopenStatusSuccess:
        return status
    if x == NULL or y == NULL or scale == NULL or bias == NULL or not plain_factors(alpha, beta):
        return miopenStatusBadParm
    t.x, t.y, t.scale, t.bias, t.mean, t.variance, t.epsilon, t.factor = x, y, scale, bias, mean, variance, epsilon, 0
    t.saved_mean = t.saved_inverse = NULL
    if mean == NULL or variance == NULL:
        t.mean = t.variance = NULL
        return mi_work(handle, t.groups, grain(&t), training_job, &t, sizeof(t))
    return mi_work(handle, t.groups, grain(&t), inference_job, &t, sizeof(t))


cdef public miopenStatus_t miopenBatchNormForwardInferenceActivation(
    miopenHandle_t handle, int bn_mode, void *alpha, void *beta, miopenTensorDescriptor_t xDesc, const void *x,
    miopenTensorDescriptor_t yDesc, void *y, miopenTensorDescriptor_t scaleDesc, miopenTensorDescriptor_t biasDesc,
    miopenTensorDescriptor_t estMeanDesc, miopenTensorDescriptor_t estVarianceDesc, void *bnScale, void *bnBias,
    void *estimatedMean, void *estimatedVariance, double epsilon, miopenActivationDescriptor_t activDesc
) noexcept nogil:
    cdef const mi_tensor *params[4]
    params[0], params[1], params[2], params[3] = scaleDesc, biasDesc, estMeanDesc, estVarianceDesc
    if activDesc == NULL:
        return miopenStatusBadParm
    return infer(
        handle, bn_mode, alpha, beta, xDesc, x, yDesc, y, params, bnScale, bnBias, estimatedMean, estimatedVariance,
        epsilon, activDesc
    )


cdef public miopenStatus_t miopenBatchNormalizationForwardInference_V2(
    miopenHandle_t handle, int bn_mode, void *alpha, void *beta, miopenTensorDescriptor_t xDesc, const void *x,
    miopenTensorDescriptor_t yDesc, void *y, miopenTensorDescriptor_t scaleDesc, miopenTensorDescriptor_t biasDesc,
    miopenTensorDescriptor_t estMeanDesc, miopenTensorDescriptor_t estVarianceDesc, void *bnScale, void *bnBias,
    void *estimatedMean, void *estimatedVariance, double epsilon
) noexcept nogil:
    cdef const mi_tensor *params[4]
    params[0], params[1], params[2], params[3] = scaleDesc, biasDesc, estMeanDesc, estVarianceDesc
    return infer(
        handle, bn_mode, alpha, beta, xDesc, x, yDesc, y, params, bnScale, bnBias, estimatedMean, estimatedVariance,
        epsilon, NULL
    )


cdef public miopenStatus_t miopenBatchNormalizationForwardInference(
    miopenHandle_t handle, int bn_mode, void *alpha, void *beta, miopenTensorDescriptor_t xDesc, const void *x,
    miopenTensorDescriptor_t yDesc, void *y, miopenTensorDescriptor_t bnScaleBiasMeanVarDesc, void *bnScale,
    void *bnBias, void *estimatedMean, void *estimatedVariance, double epsilon
) noexcept nogil:
    cdef const mi_tensor *params[4]
    params[0] = params[1] = params[2] = params[3] = bnScaleBiasMeanVarDesc
    return infer(
        handle, bn_mode, alpha, beta, xDesc, x, yDesc, y, params, bnScale, bnBias, estimatedMean, estimatedVariance,
        epsilon, NULL
    )


# ---- training ----

cdef miopenStatus_t train(
    miopenHandle_t handle, int mode, const void *alpha, const void *beta, const mi_tensor *xDesc, const void *x,
    const mi_tensor *yDesc, void *y, const mi_tensor **params, const void *scale, const void *bias, double factor,
    void *mean, void *variance, double epsilon, void *saved_mean, void *saved_inverse, const mi_activation *act
) noexcept nogil:
    cdef Norm t
    cdef miopenStatus_t status
    if not is_handle(handle):
        return miopenStatusBadParm
    status = set_norm(&t, mode, xDesc, yDesc, params, act)
    if status != miopenStatusSuccess:
        return status
    if x == NULL or y == NULL or scale == NULL or bias == NULL:
        return miopenStatusBadParm
    if not plain_factors(alpha, beta):
        return miopenStatusUnknownError
    t.x, t.y, t.scale, t.bias, t.mean, t.variance = x, y, scale, bias, mean, variance
    t.epsilon, t.factor, t.saved_mean, t.saved_inverse = epsilon, factor, saved_mean, saved_inverse
    return mi_work(handle, t.groups, grain(&t), training_job, &t, sizeof(t))


cdef public miopenStatus_t miopenBatchNormForwardTrainingActivation(
    miopenHandle_t handle, int bn_mode, void *alpha, void *beta, miopenTensorDescriptor_t xDesc, const void *x,
    miopenTensorDescriptor_t yDesc, void *y, miopenTensorDescriptor_t scaleDesc, miopenTensorDescriptor_t biasVarDesc,
    miopenTensorDescriptor_t savedMeanDesc, miopenTensorDescriptor_t savedVarDesc, void *bnScale, void *bnBias,
    double expAvgFactor, void *resultRunningMean, void *resultRunningVariance, double epsilon, void *resultSaveMean,
    void *resultSaveInvVariance, miopenActivationDescriptor_t activDesc
) noexcept nogil:
    cdef const mi_tensor *params[4]
    params[0], params[1], params[2], params[3] = scaleDesc, biasVarDesc, savedMeanDesc, savedVarDesc
    if activDesc == NULL:
        return miopenStatusBadParm
    return train(
        handle, bn_mode, alpha, beta, xDesc, x, yDesc, y, params, bnScale, bnBias, expAvgFactor, resultRunningMean,
        resultRunningVariance, epsilon, resultSaveMean, resultSaveInvVariance, activDesc
    )


cdef public miopenStatus_t miopenBatchNormalizationForwardTraining_V2(
    miopenHandle_t handle, int bn_mode, void *alpha, void *beta, miopenTensorDescriptor_t xDesc, const void *x,
    miopenTensorDescriptor_t yDesc, void *y, miopenTensorDescriptor_t scaleDesc, miopenTensorDescriptor_t biasVarDesc,
    miopenTensorDescriptor_t savedMeanDesc, miopenTensorDescriptor_t savedVarDesc, void *bnScale, void *bnBias,
    double expAvgFactor, void *resultRunningMean, void *resultRunningVariance, double epsilon, void *resultSaveMean,
    void *resultSaveInvVariance
) noexcept nogil:
    cdef const mi_tensor *params[4]
    params[0], params[1], params[2], params[3] = scaleDesc, biasVarDesc, savedMeanDesc, savedVarDesc
    return train(
        handle, bn_mode, alpha, beta, xDesc, x, yDesc, y, params, bnScale, bnBias, expAvgFactor, resultRunningMean,
        resultRunningVariance, epsilon, resultSaveMean, resultSaveInvVariance, NULL
    )


cdef public miopenStatus_t miopenBatchNormalizationForwardTraining(
    miopenHandle_t handle, int bn_mode, void *alpha, void *beta, miopenTensorDescriptor_t xDesc, const void *x,
    miopenTensorDescriptor_t yDesc, void *y, miopenTensorDescriptor_t bnScaleBiasMeanVarDesc, void *bnScale,
    void *bnBias, double expAvgFactor, void *resultRunningMean, void *resultRunningVariance, double epsilon,
    void *resultSaveMean, void *resultSaveInvVariance
) noexcept nogil:
    cdef const mi_tensor *params[4]
    params[0] = params[1] = params[2] = params[3] = bnScaleBiasMeanVarDesc
    return train(
        handle, bn_mode, alpha, beta, xDesc, x, yDesc, y, params, bnScale, bnBias, expAvgFactor, resultRunningMean,
        resultRunningVariance, epsilon, resultSaveMean, resultSaveInvVariance, NULL
    )


# ---- backward ----

cdef miopenStatus_t back(
    miopenHandle_t handle, int mode, const void *alpha, const void *beta, const void *alpha_params,
    const void *beta_params, const mi_tensor *xDesc, const void *x, const mi_tensor *dyDesc, const void *dy,
    const mi_tensor *dxDesc, void *dx, const mi_tensor **params, const void *scale, const void *bias, void *d_scale,
    void *d_bias, double epsilon, const void *mean, const void *inverse, const mi_activation *act
) noexcept nogil:
    cdef Norm t
    cdef miopenStatus_t status
    if not is_handle(handle):
        return miopenStatusBadParm
    status = set_norm(&t, mode, xDesc, dyDesc, params, act)
    if status != miopenStatusSuccess:
        return status
    if not is_tensor(dxDesc) or dxDesc.type != dyDesc.type or not mi_same_lens(dxDesc,
        xDesc) or not mi_is_packed(dxDesc):
        return miopenStatusBadParm
    if x == NULL or dy == NULL or scale == NULL or dx == NULL or d_scale == NULL or d_bias == NULL:
        return miopenStatusBadParm
    if not plain_factors(alpha, beta) or not plain_factors(alpha_params, beta_params):
        return miopenStatusBadParm
    if mode != miopenBNSpatial and mode != miopenBNPerActivation:
        return miopenStatusNotImplemented
    five(t.dx_strides, dxDesc.strides, dxDesc.dims, 0)
    t.x, t.dy, t.dx, t.scale, t.bias, t.d_scale, t.d_bias = x, dy, dx, scale, bias, d_scale, d_bias
    t.epsilon, t.saved_mean, t.saved_inverse = epsilon, <void *>mean, <void *>inverse
    return mi_work(handle, t.groups, grain(&t), backward_job, &t, sizeof(t))


cdef public miopenStatus_t miopenBatchNormBackwardActivation(
    miopenHandle_t handle, int bn_mode, const void *alphaDataDiff, const void *betaDataDiff, const void *alphaParamDiff,
    const void *betaParamDiff, miopenTensorDescriptor_t xDesc, const void *x, miopenTensorDescriptor_t dyDesc,
    const void *dy, miopenTensorDescriptor_t dxDesc, void *dx, miopenTensorDescriptor_t scaleDesc,
    miopenTensorDescriptor_t biasDesc, miopenTensorDescriptor_t savedMeanDesc,
    miopenTensorDescriptor_t savedVarianceDesc, const void *bnScale, const void *bnBias, void *resultBnScaleDiff,
    void *resultBnBiasDiff, double epsilon, const void *savedMean, const void *savedInvVariance,
    miopenActivationDescriptor_t activDesc
) noexcept nogil:
    cdef const mi_tensor *params[4]
    params[0], params[1], params[2], params[3] = scaleDesc, biasDesc, savedMeanDesc, savedVarianceDesc
    if activDesc == NULL or bnBias == NULL:
        return miopenStatusBadParm
    return back(
        handle, bn_mode, alphaDataDiff, betaDataDiff, alphaParamDiff, betaParamDiff, xDesc, x, dyDesc, dy, dxDesc, dx,
        params, bnScale, bnBias, resultBnScaleDiff, resultBnBiasDiff, epsilon, savedMean, savedInvVariance, activDesc
    )


cdef public miopenStatus_t miopenBatchNormalizationBackward_V2(
    miopenHandle_t handle, int bn_mode, const void *alphaDataDiff, const void *betaDataDiff, const void *alphaParamDiff,
    const void *betaParamDiff, miopenTensorDescriptor_t xDesc, const void *x, miopenTensorDescriptor_t dyDesc,
    const void *dy, miopenTensorDescriptor_t dxDesc, void *dx, miopenTensorDescriptor_t scaleDesc,
    miopenTensorDescriptor_t biasDesc, miopenTensorDescriptor_t savedMeanDesc, miopenTensorDescriptor_t savedVarDesc,
    const void *bnScale, void *resultBnScaleDiff, void *resultBnBiasDiff, double epsilon, const void *savedMean,
    const void *savedInvVariance
) noexcept nogil:
    cdef const mi_tensor *params[4]
    params[0], params[1], params[2], params[3] = scaleDesc, biasDesc, savedMeanDesc, savedVarDesc
    return back(
        handle, bn_mode, alphaDataDiff, betaDataDiff, alphaParamDiff, betaParamDiff, xDesc, x, dyDesc, dy, dxDesc, dx,
        params, bnScale, NULL, resultBnScaleDiff, resultBnBiasDiff, epsilon, savedMean, savedInvVariance, NULL
    )


cdef public miopenStatus_t miopenBatchNormalizationBackward(
    miopenHandle_t handle, int bn_mode, const void *alphaDataDiff, const void *betaDataDiff, const void *alphaParamDiff,
    const void *betaParamDiff, miopenTensorDescriptor_t xDesc, const void *x, miopenTensorDescriptor_t dyDesc,
    const void *dy, miopenTensorDescriptor_t dxDesc, void *dx, miopenTensorDescriptor_t bnScaleBiasDiffDesc,
    const void *bnScale, void *resultBnScaleDiff, void *resultBnBiasDiff, double epsilon, const void *savedMean,
    const void *savedInvVariance
) noexcept nogil:
    cdef const mi_tensor *params[4]
    params[0] = params[1] = params[2] = params[3] = bnScaleBiasDiffDesc
    return back(
        handle, bn_mode, alphaDataDiff, betaDataDiff, alphaParamDiff, betaParamDiff, xDesc, x, dyDesc, dy, dxDesc, dx,
        params, bnScale, NULL, resultBnScaleDiff, resultBnBiasDiff, epsilon, savedMean, savedInvVariance, NULL
    )
