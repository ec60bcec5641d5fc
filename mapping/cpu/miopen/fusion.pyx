# cython: language_level=3, cdivision=True, boundscheck=False, wraparound=False
"""Fused calls of the CPU backend's MIOpen: convolution, bias, batch normalisation for inference, activation.

A plan takes a convolution or none, then bias, normalisation and activation in this order, each once at most; any other
plan does not compile (`UnsupportedOp`), as most do not in MIOpen. What is computed is the sum of the parts, in float,
rounded once. An operation's descriptor lives in its plan.
"""
include "miopen.pxi"
include "shared.pxi"
include "elements.pxi"
include "activate.pxi"

from libc.math cimport sqrt
from libc.stdlib cimport free

cdef extern from "miopen.h" nogil:
    miopenStatus_t mi_convolve_float(
        miopenHandle_t handle, const mi_tensor *xDesc, const void *x, const mi_tensor *wDesc, const void *w,
        const mi_convolution *conv, const mi_tensor *yDesc, float *y
    )
    miopenStatus_t miopenGetConvolutionNdForwardOutputDim(
        miopenConvolutionDescriptor_t convDesc, miopenTensorDescriptor_t inputTensorDesc,
        miopenTensorDescriptor_t filterDesc, int *nDim, int *outputTensorDimA
    )


# ---- the pass over a result ----

cdef struct Pass:
    int type
    int param_type
    int64_t channels
    int64_t lens[3]      # d, h, w
    int64_t in_strides[5]
    int64_t z_strides[5]
    int64_t y_strides[5]
    int64_t params[5]    # of the normalisation
    int64_t bias_step
    Function f
    double alpha         # of what comes in
    double alpha_z
    double epsilon
    const float *floats  # what comes in: a convolution's sums, packed as NCDHW
    const void *in_      # or a tensor
    const void *z
    const void *bias
    const void *scale
    const void *shift
    const void *mean
    const void *variance
    void *y


cdef inline int64_t at(const int64_t *strides, int64_t n, int64_t c, int64_t d, int64_t h, int64_t w) noexcept nogil:
    return n * strides[0] + c * strides[1] + d * strides[2] + h * strides[3] + w * strides[4]


cdef void part(const Pass *t, int64_t begin, int64_t end, narrow *like) noexcept nogil:
    cdef int64_t plane, n, c, d, h, w, place
    cdef double value, bias
    cdef const float *floats = NULL
    for plane in range(begin, end):
        n = plane / t.channels
        c = plane % t.channels
        bias = load((<const narrow *>t.bias)[c * t.bias_step]) if t.bias != NULL else 0
        if t.floats != NULL:
            floats = t.floats + plane * t.lens[0] * t.lens[1] * t.lens[2]
        for d in range(t.lens[0]):
            for h in range(t.lens[1]):
                for w in range(t.lens[2]):
                    if t.floats != NULL:
                        value = t.alpha * floats[0]
                        floats += 1
                    else:
                        value = load((<const narrow *>t.in_)[at(t.in_strides, n, c, d, h, w)])
                    if t.z != NULL:
                        value += t.alpha_z * load((<const narrow *>t.z)[at(t.z_strides, n, c, d, h, w)])
                    value += bias
                    if t.scale != NULL:
                        place = at(t.params, 0, c, d, h, w)
                        value -= load_any(t.param_type, t.mean, place)
                        value /= sqrt(load_any(t.param_type, t.variance, place) + t.epsilon)
                        value *= load_any(t.param_type, t.scale, place)
                        value += load_any(t.param_type, t.shift, place)
                    store(&(<narrow *>t.y)[at(t.y_strides, n, c, d, h, w)], activate(&t.f, value))


cdef void job(void *context, int64_t begin, int64_t end) noexcept nogil:
    cdef const Pass *t = <const Pass *>context
    if t.type == miopenHalf:
        part(t, begin, end, <mi_half *>NULL)
    else:
        part(t, begin, end, <float *>NULL)


cdef void five(int64_t *strides, const mi_tensor *tensor) noexcept nogil:
    """Steps of n, c, d, h, w; none along a length of 1, so that parameters are used again."""
    cdef int i, flat = 5 - tensor.dims, k
    for i in range(5):
        k = i if i < 2 else i - flat
        strides[i] = 0 if i >= 2 and i < 2 + flat else 0 if tensor.lens[k] == 1 else tensor.strides[k]


cdef void run(Pass *t, const mi_tensor *y) noexcept nogil:
    cdef int i, flat = 5 - y.dims
    for i in range(3):
        t.lens[i] = y.lens[i + 2 - flat] if i >= flat else 1
    t.type = y.type
    t.channels = y.lens[1]
    five(t.y_strides, y)
    mi_parallel(y.lens[0] * y.lens[1], 1 + 2048 / (t.lens[0] * t.lens[1] * t.lens[2]), job, t)


# ---- plans ----

cdef inline bint is_plan(const mi_fusion_plan *plan) noexcept nogil:
    return plan != NULL and plan.kind == MI_FUSION_PLAN


cdef inline bint is_args(const mi_fusion_args *args) noexcept nogil:
    return args != NULL and args.kind == MI_FUSION_ARGS


cdef public miopenStatus_t miopenCreateFusionPlan(
    miopenFusionPlanDescriptor_t *fusePlanDesc, const int fuseDirection, miopenTensorDescriptor_t inputDesc
) noexcept nogil:
    if fusePlanDesc == NULL or not is_tensor(inputDesc):
        return miopenStatusBadParm
    fusePlanDesc[0] = <mi_fusion_plan *>mi_new(MI_FUSION_PLAN, sizeof(mi_fusion_plan))
    if fusePlanDesc[0] == NULL:
        return miopenStatusAllocFailed
    fusePlanDesc[0].direction = fuseDirection
    fusePlanDesc[0].input = inputDesc[0]
    fusePlanDesc[0].output = inputDesc[0]
    return miopenStatusSuccess


cdef public miopenStatus_t miopenDestroyFusionPlan(miopenFusionPlanDescriptor_t fusePlanDesc) noexcept nogil:
    if not is_plan(fusePlanDesc):
        return miopenStatusBadParm
    fusePlanDesc.kind = 0
    free(fusePlanDesc)
    return miopenStatusSuccess


cdef mi_fusion_op *add(mi_fusion_plan *plan, int operation) noexcept nogil:
    cdef mi_fusion_op *op
    if plan.count == MI_OPS:
        return NULL
    op = &plan.ops[plan.count]
    op.operation = operation
    op.index = plan.count
    plan.count += 1
    plan.compiled = False
    return op


cdef public miopenStatus_t miopenCreateOpConvForward(
    miopenFusionPlanDescriptor_t fusePlanDesc, miopenFusionOpDescriptor_t *convOp,
    miopenConvolutionDescriptor_t convDesc, miopenTensorDescriptor_t wDesc
) noexcept nogil:
    """The plan's result takes the convolution's shape, packed."""
    cdef int lens[8]
    cdef int64_t long_lens[8]
    cdef int dims = 0, i
    cdef mi_fusion_op *op
    cdef miopenStatus_t status
    if not is_plan(fusePlanDesc) or convOp == NULL or convDesc == NULL or convDesc.kind != MI_CONVOLUTION:
        return miopenStatusUnknownError
    if not is_tensor(wDesc):
        return miopenStatusUnknownError
    status = miopenGetConvolutionNdForwardOutputDim(convDesc, &fusePlanDesc.output, wDesc, &dims, lens)
    if status != miopenStatusSuccess:
        return miopenStatusUnknownError
    op = add(fusePlanDesc, MI_OP_CONVOLUTION)
    if op == NULL:
        return miopenStatusUnknownError
    op.conv = convDesc[0]
    op.tensor = wDesc[0]
    for i in range(dims):
        long_lens[i] = lens[i]
    convOp[0] = op
    return mi_set_tensor(&fusePlanDesc.output, fusePlanDesc.input.type, dims, long_lens, NULL)


cdef miopenStatus_t add_with_tensor(
    mi_fusion_plan *plan, miopenFusionOpDescriptor_t *place, int operation, int mode, const mi_tensor *tensor
) noexcept nogil:
    cdef mi_fusion_op *op
    if not is_plan(plan) or place == NULL or (operation != MI_OP_ACTIVATION and not is_tensor(tensor)):
        return miopenStatusUnknownError
    op = add(plan, operation)
    if op == NULL:
        return miopenStatusUnknownError
    op.mode = mode
    if tensor != NULL:
        op.tensor = tensor[0]
    place[0] = op
    return miopenStatusSuccess


cdef public miopenStatus_t miopenCreateOpBiasForward(
    miopenFusionPlanDescriptor_t fusePlanDesc, miopenFusionOpDescriptor_t *biasOp, miopenTensorDescriptor_t bDesc
) noexcept nogil:
    return add_with_tensor(fusePlanDesc, biasOp, MI_OP_BIAS, 0, bDesc)


cdef public miopenStatus_t miopenCreateOpActivationForward(
    miopenFusionPlanDescriptor_t fusePlanDesc, miopenFusionOpDescriptor_t *activFwdOp, int mode
) noexcept nogil:
    return add_with_tensor(fusePlanDesc, activFwdOp, MI_OP_ACTIVATION, mode, NULL)


cdef public miopenStatus_t miopenCreateOpBatchNormInference(
    miopenFusionPlanDescriptor_t fusePlanDesc, miopenFusionOpDescriptor_t *bnOp, const int bn_mode,
    miopenTensorDescriptor_t bnScaleBiasMeanVarDesc
) noexcept nogil:
    return add_with_tensor(fusePlanDesc, bnOp, MI_OP_NORM, bn_mode, bnScaleBiasMeanVarDesc)


cdef public miopenStatus_t miopenFusionPlanGetOp(
    miopenFusionPlanDescriptor_t fusePlanDesc, const int op_idx, miopenFusionOpDescriptor_t *op
) noexcept nogil:
    if not is_plan(fusePlanDesc) or op == NULL or op_idx < 0 or op_idx >= fusePlanDesc.count:
        return miopenStatusBadParm
    op[0] = &fusePlanDesc.ops[op_idx]
    return miopenStatusSuccess


cdef public miopenStatus_t miopenFusionPlanGetWorkSpaceSize(
    miopenHandle_t handle, miopenFusionPlanDescriptor_t fusePlanDesc, size_t *workSpaceSize, int algo
) noexcept nogil:
    """Fused calls use none."""
    if not is_handle(handle) or not is_plan(fusePlanDesc) or workSpaceSize == NULL:
        return miopenStatusUnknownError
    workSpaceSize[0] = 0
    return miopenStatusSuccess


cdef public miopenStatus_t miopenFusionPlanConvolutionGetAlgo(
    miopenFusionPlanDescriptor_t fusePlanDesc, const int requestAlgoCount, int *returnedAlgoCount, int *returnedAlgos
) noexcept nogil:
    if not is_plan(fusePlanDesc) or returnedAlgoCount == NULL or (requestAlgoCount > 0 and returnedAlgos == NULL):
        return miopenStatusUnknownError
    returnedAlgoCount[0] = 0
    if requestAlgoCount > 0:
        returnedAlgos[0] = miopenConvolutionAlgoDirect
        returnedAlgoCount[0] = 1
    return miopenStatusSuccess


cdef public miopenStatus_t miopenFusionPlanConvolutionSetAlgo(
    miopenFusionPlanDescriptor_t fusePlanDesc, int algo
) noexcept nogil:
    return miopenStatusSuccess if is_plan(fusePlanDesc) else miopenStatusUnknownError


cdef bint params_fit(const mi_fusion_plan *plan, const mi_fusion_op *op) noexcept nogil:
    """A bias or a normalisation's parameters against the plan's result."""
    cdef int i
    cdef int64_t wanted
    cdef bint spatial = op.operation == MI_OP_BIAS or op.mode == miopenBNSpatial
    if op.tensor.dims != plan.output.dims:
        return False
    for i in range(op.tensor.dims):
        wanted = 1 if i == 0 or (i > 1 and spatial) else plan.output.lens[i]
        if op.tensor.lens[i] != wanted:
            return False
    return op.tensor.type == plan.input.type or (op.operation == MI_OP_NORM and op.tensor.type == miopenFloat)


cdef bint can_compile(miopenHandle_t handle, const mi_fusion_plan *plan) noexcept nogil:
    cdef int i, last = -1
    cdef const mi_fusion_op *op
    if plan.direction != 0 or plan.count == 0:
        return False
    if plan.input.type != miopenFloat and plan.input.type != miopenHalf:
        return False
    if plan.input.dims != 4 and plan.input.dims != 5:
        return False
    for i in range(plan.count):
        op = &plan.ops[i]
        if op.operation <= last:
            return False
        last = op.operation
        if op.operation == MI_OP_CONVOLUTION:
            if mi_convolve_float(
                handle, &plan.input, NULL, &op.tensor, NULL, &op.conv, &plan.output, NULL
            ) != miopenStatusSuccess:
                return False
        elif op.operation == MI_OP_ACTIVATION:
            if not is_function(op.mode):
                return False
        elif not params_fit(plan, op):
            return False
    return True


cdef public miopenStatus_t miopenCompileFusionPlan(
    miopenHandle_t handle, miopenFusionPlanDescriptor_t fusePlanDesc
) noexcept nogil:
    if not is_handle(handle) or not is_plan(fusePlanDesc):
        return miopenStatusUnknownError
    fusePlanDesc.compiled = can_compile(handle, fusePlanDesc)
    return miopenStatusSuccess if fusePlanDesc.compiled else miopenStatusUnsupportedOp


# ---- arguments ----

cdef public miopenStatus_t miopenCreateOperatorArgs(miopenOperatorArgs_t *args) noexcept nogil:
    if args == NULL:
        return miopenStatusBadParm
    args[0] = <mi_fusion_args *>mi_new(MI_FUSION_ARGS, sizeof(mi_fusion_args))
    return miopenStatusSuccess if args[0] != NULL else miopenStatusAllocFailed


cdef public miopenStatus_t miopenDestroyOperatorArgs(miopenOperatorArgs_t args) noexcept nogil:
    if not is_args(args):
        return miopenStatusBadParm
    args.kind = 0
    free(args)
    return miopenStatusSuccess


cdef inline miopenStatus_t takes(mi_fusion_args *args, const mi_fusion_op *op, int operation) noexcept nogil:
    if not is_args(args) or op == NULL:
        return miopenStatusBadParm
    if op.operation != operation:
        return miopenStatusUnknownError
    args.set |= 1 << operation
    return miopenStatusSuccess


cdef public miopenStatus_t miopenSetOpArgsConvForward(
    miopenOperatorArgs_t args, miopenFusionOpDescriptor_t convOp, const void *alpha, const void *beta, const void *w
) noexcept nogil:
    cdef miopenStatus_t status = takes(args, convOp, MI_OP_CONVOLUTION)
    if status == miopenStatusSuccess:
        args.alpha = (<const float *>alpha)[0] if alpha != NULL else 1
        args.weights = w
    return status


cdef public miopenStatus_t miopenSetOpArgsBiasForward(
    miopenOperatorArgs_t args, miopenFusionOpDescriptor_t biasOp, const void *alpha, const void *beta, const void *bias
) noexcept nogil:
    """The factors are not looked at."""
    cdef miopenStatus_t status = takes(args, biasOp, MI_OP_BIAS)
    if status == miopenStatusSuccess:
        args.bias = bias
    return status


cdef public miopenStatus_t miopenSetOpArgsActivForward(
    miopenOperatorArgs_t args, miopenFusionOpDescriptor_t activFwdOp, const void *alpha, const void *beta,
    double activAlpha, double activBeta, double activGamma
) noexcept nogil:
    cdef miopenStatus_t status = takes(args, activFwdOp, MI_OP_ACTIVATION)
    if status == miopenStatusSuccess:
        args.activation[0], args.activation[1], args.activation[2] = activAlpha, activBeta, activGamma
    return status


cdef public miopenStatus_t miopenSetOpArgsBatchNormInference(
    miopenOperatorArgs_t args, miopenFusionOpDescriptor_t bnOp, const void *alpha, const void *beta,
    const void *bnScale, const void *bnBias, const void *estimatedMean, const void *estimatedVariance, double epsilon
) noexcept nogil:
    cdef miopenStatus_t status = takes(args, bnOp, MI_OP_NORM)
    if status == miopenStatusSuccess:
        args.scale, args.shift, args.mean, args.variance = bnScale, bnBias, estimatedMean, estimatedVariance
        args.epsilon = epsilon
    return status


# ---- execution ----

cdef bint same(const mi_tensor *a, const mi_tensor *b) noexcept nogil:
    cdef int i
    if a.type != b.type or not mi_same_lens(a, b):
        return False
    for i in range(a.dims):
        if a.strides[i] != b.strides[i]:
            return False
    return True


cdef public miopenStatus_t miopenExecuteFusionPlan(
    miopenHandle_t handle, miopenFusionPlanDescriptor_t fusePlanDesc, miopenTensorDescriptor_t inputDesc,
    const void *input, miopenTensorDescriptor_t outputDesc, void *output, miopenOperatorArgs_t args
) noexcept nogil:
    cdef Pass t
    cdef int i
    cdef const mi_fusion_op *op
    cdef float *floats = NULL
    cdef miopenStatus_t status
    if not is_handle(handle) or not is_plan(fusePlanDesc) or not is_args(args):
        return miopenStatusBadParm
    if not is_tensor(inputDesc) or not is_tensor(outputDesc) or not fusePlanDesc.compiled:
        return miopenStatusBadParm
    if not same(&fusePlanDesc.output, outputDesc) or not same(&fusePlanDesc.input, inputDesc):
        return miopenStatusBadParm
    if input == NULL or output == NULL:
        return miopenStatusBadParm
    t.floats = NULL
    t.z = t.bias = t.scale = NULL
    t.alpha = 1
    t.in_, t.y = input, output
    five(t.in_strides, inputDesc)
    set_function(&t.f, miopenActivationPASTHRU, 0, 0, 0, inputDesc.type)
    for i in range(fusePlanDesc.count):
        op = &fusePlanDesc.ops[i]
        if not args.set & (1 << op.operation):
            return miopenStatusBadParm
        if op.operation == MI_OP_BIAS:
            t.bias = args.bias
            t.bias_step = op.tensor.strides[1]
        elif op.operation == MI_OP_NORM:
            t.scale, t.shift, t.mean, t.variance = args.scale, args.shift, args.mean, args.variance
            t.epsilon = args.epsilon
            t.param_type = op.tensor.type
            five(t.params, &op.tensor)
            if t.scale == NULL or t.shift == NULL or t.mean == NULL or t.variance == NULL:
                return miopenStatusBadParm
        elif op.operation == MI_OP_ACTIVATION:
            set_function(
                &t.f, op.mode, args.activation[0], args.activation[1], args.activation[2], inputDesc.type
            )
    op = &fusePlanDesc.ops[0]
    if op.operation == MI_OP_CONVOLUTION and args.weights == NULL:
        return miopenStatusBadParm
    if mi_recorded(handle):
        return miopenExecuteFusionPlan_record(handle, fusePlanDesc, inputDesc, input, outputDesc, output, args)
    if op.operation == MI_OP_CONVOLUTION:
        floats = <float *>mi_scratch(<size_t>mi_elements(outputDesc) * sizeof(float))
        if floats == NULL:
            return miopenStatusAllocFailed
        status = mi_convolve_float(
            handle, inputDesc, input, &op.tensor, args.weights, &op.conv, outputDesc, floats
        )
        if status != miopenStatusSuccess:
            mi_scratch_done(floats)
            return status
        t.floats = floats
        t.alpha = args.alpha
    run(&t, outputDesc)
    mi_scratch_done(floats)
    return miopenStatusSuccess


cdef public miopenStatus_t miopenExecuteFusionPlan_v2(
    miopenHandle_t handle, miopenFusionPlanDescriptor_t fusePlanDesc, miopenTensorDescriptor_t inputDesc,
    const void *input, miopenTensorDescriptor_t outputDesc, void *output, miopenOperatorArgs_t args, void *workspace,
    size_t workspaceSize
) noexcept nogil:
    return miopenExecuteFusionPlan(handle, fusePlanDesc, inputDesc, input, outputDesc, output, args)


cdef public miopenStatus_t miopenConvolutionBiasActivationForward(
    miopenHandle_t handle, const void *alpha1, miopenTensorDescriptor_t xDesc, const void *x,
    miopenTensorDescriptor_t wDesc, const void *w, miopenConvolutionDescriptor_t convDesc, int algo, void *workspace,
    size_t workspaceSizeInBytes, const void *alpha2, miopenTensorDescriptor_t zDesc, const void *z,
    miopenTensorDescriptor_t biasDesc, const void *bias, miopenActivationDescriptor_t activationDesc,
    miopenTensorDescriptor_t yDesc, void *y
) noexcept nogil:
    """y ← ReLU(α1·conv(x) + α2·z + bias); z may be y. Other activations are refused, a missing factor is 1."""
    cdef Pass t
    cdef float *floats
    cdef miopenStatus_t status
    if not is_handle(handle) or not is_tensor(xDesc) or not is_tensor(wDesc) or not is_tensor(yDesc):
        return miopenStatusBadParm
    if (not is_tensor(zDesc) or not is_tensor(biasDesc) or activationDesc == NULL
            or activationDesc.kind != MI_ACTIVATION):
        return miopenStatusBadParm
    if activationDesc.mode != miopenActivationRELU:
        return miopenStatusNotImplemented
    status = mi_convolve_float(handle, xDesc, NULL, wDesc, NULL, convDesc, yDesc, NULL)
    if status != miopenStatusSuccess:
        return status
    if yDesc.type != miopenFloat and yDesc.type != miopenHalf:
        return miopenStatusUnsupportedOp
    if not mi_same_lens(zDesc, yDesc) or zDesc.type != yDesc.type or biasDesc.type != yDesc.type:
        return miopenStatusBadParm
    if biasDesc.dims != yDesc.dims or biasDesc.lens[1] != yDesc.lens[1] or mi_elements(biasDesc) != biasDesc.lens[1]:
        return miopenStatusBadParm
    if x == NULL or w == NULL or z == NULL or bias == NULL or y == NULL:
        return miopenStatusBadParm
    if mi_recorded(handle):
        return miopenConvolutionBiasActivationForward_record(
            handle, alpha1, xDesc, x, wDesc, w, convDesc, algo, workspace, workspaceSizeInBytes, alpha2, zDesc, z,
            biasDesc, bias, activationDesc, yDesc, y)
    floats = <float *>mi_scratch(<size_t>mi_elements(yDesc) * sizeof(float))
    if floats == NULL:
        return miopenStatusAllocFailed
    status = mi_convolve_float(handle, xDesc, x, wDesc, w, convDesc, yDesc, floats)
    if status == miopenStatusSuccess:
        t.floats = floats
        t.in_, t.z, t.bias, t.scale, t.y = NULL, z, bias, NULL, y
        t.alpha = (<const float *>alpha1)[0] if alpha1 != NULL else 1
        t.alpha_z = (<const float *>alpha2)[0] if alpha2 != NULL else 1
        t.bias_step = biasDesc.strides[1]
        five(t.z_strides, zDesc)
        set_function(
            &t.f, miopenActivationRELU, activationDesc.alpha, activationDesc.beta, activationDesc.gamma, yDesc.type
        )
        run(&t, yDesc)
    mi_scratch_done(floats)
    return status


include "fusion_record.pxi"
