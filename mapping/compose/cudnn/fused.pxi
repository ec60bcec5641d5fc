# Fused operations. Blocks of tables/cudnn/fused.yaml.
#
# Parameters are kept under their labels. A constant one is a descriptor, the kind of a pointer, or the mode of a batch
# normalisation; a variable one is a pointer or a scalar.
#
# Plans: what an H200 still has of them and MIOpen can do step by step. Statistics are finished by inferences of
# MIOpen's batch normalisation over rows of ones and zeros, which divide by the root as it does.

include "common.pxi"
include "amd.pxi"
include "packed.pxi"
include "convolve.pxi"


cdef enum:
    NOTHING = 0
    DESCRIPTOR = 1
    PLACE = 2
    MODE = 3


cdef int label_kind(uint32_t label) noexcept nogil:
    """What the constant parameter of a label is."""
    if label >= DNN_FUSED_LABELS:
        return NOTHING
    if label == <uint32_t>CUDNN_PARAM_BN_MODE:
        return MODE
    if (label == <uint32_t>CUDNN_PARAM_XDESC or label == <uint32_t>CUDNN_PARAM_BN_EQSCALEBIAS_DESC
            or label == <uint32_t>CUDNN_PARAM_ACTIVATION_DESC or label == <uint32_t>CUDNN_PARAM_CONV_DESC
            or label == <uint32_t>CUDNN_PARAM_WDESC or label == <uint32_t>CUDNN_PARAM_DWDESC
            or label == <uint32_t>CUDNN_PARAM_YDESC or label == <uint32_t>CUDNN_PARAM_DYDESC
            or label == <uint32_t>CUDNN_PARAM_YSTATS_DESC or label == <uint32_t>CUDNN_PARAM_BN_SCALEBIAS_MEANVAR_DESC
            or label == <uint32_t>CUDNN_PARAM_ZDESC or label == <uint32_t>CUDNN_PARAM_BN_Z_EQSCALEBIAS_DESC
            or label == <uint32_t>CUDNN_PARAM_ACTIVATION_BITMASK_DESC or label == <uint32_t>CUDNN_PARAM_DXDESC
            or label == <uint32_t>CUDNN_PARAM_DZDESC):
        return DESCRIPTOR
    return PLACE


cdef uint32_t label_magic(uint32_t label) noexcept nogil:
    if label == <uint32_t>CUDNN_PARAM_ACTIVATION_DESC:
        return DNN_ACTIVATION
    if label == <uint32_t>CUDNN_PARAM_CONV_DESC:
        return DNN_CONVOLUTION
    if label == <uint32_t>CUDNN_PARAM_WDESC or label == <uint32_t>CUDNN_PARAM_DWDESC:
        return DNN_FILTER
    return DNN_TENSOR


cdef bint is_operation(uint32_t op) noexcept nogil:
    return op <= <uint32_t>CUDNN_FUSED_DACTIVATION_FORK_DBATCHNORM


cdef public cudnnStatus_t create_fused_ops_const_param_pack(cudnnFusedOpsConstParamPack_t *place,
        cudnnFusedOps_t op) noexcept nogil:
    cdef cudnnStatus_t status
    cdef dnn_fused_const *p
    if not is_operation(op):
        return bad(b"ops is no fused operation")
    status = dnn_new(<void **>place, DNN_FUSED_CONST)
    if status != CUDNN_STATUS_SUCCESS:
        return status
    p = <dnn_fused_const *>place[0]
    p.op = <int32_t>op
    p.descriptor = <void **>dg_the_core.alloc(DNN_FUSED_LABELS * sizeof(void *))
    if p.descriptor is NULL:
        dg_the_core.slot_free(p)
        return dnn_because(CUDNN_STATUS_ALLOC_FAILED, b"no memory for the parameters")
    return CUDNN_STATUS_SUCCESS


cdef public cudnnStatus_t destroy_fused_ops_const_param_pack(dnn_fused_const *p) noexcept nogil:
    cdef void *memory = p.descriptor if p is not NULL else NULL
    cdef cudnnStatus_t status = dnn_delete(p, DNN_FUSED_CONST)
    if status == CUDNN_STATUS_SUCCESS and memory is not NULL:
        dg_the_core.release(memory)
    return status


cdef public cudnnStatus_t set_fused_ops_const_param_pack_attribute(dnn_fused_const *p,
        cudnnFusedOpsConstParamLabel_t label, const void *param) noexcept nogil:
    """`param` is a descriptor itself, or points to a value; NULL takes a parameter back."""
    cdef int kind = label_kind(label)
    cdef uint32_t value = 0
    if kind == NOTHING:
        return bad(b"paramLabel is no label")
    if param is NULL:
        p.given &= ~(<uint64_t>1 << <uint32_t>label)
        return CUDNN_STATUS_SUCCESS
    if kind == DESCRIPTOR:
        if not dg_alive(param, label_magic(label)):
            return bad(b"param is no descriptor of the label's kind")
        p.descriptor[<uint32_t>label] = <void *>param
    else:
        memcpy(&value, param, sizeof(value))
        if kind == MODE:
            if value > <uint32_t>CUDNN_BATCHNORM_SPATIAL_PERSISTENT:
                return bad(b"*param is no mode of batch normalisation")
            p.batch_mode = <int32_t>value
        else:
            if value > <uint32_t>CUDNN_PTR_16B_ALIGNED:
                return bad(b"*param is no kind of pointer")
            p.placeholder[<uint32_t>label] = <uint8_t>value
    p.given |= <uint64_t>1 << <uint32_t>label
    return CUDNN_STATUS_SUCCESS


cdef void copy_slot(void *to, const void *source, uint32_t magic) noexcept nogil:
    """Everything that a descriptor holds; none that comes here owns memory."""
    memcpy(<char *>to + 4, <const char *>source + 4, (
        sizeof(dnn_activation) if magic == DNN_ACTIVATION else sizeof(dnn_convolution) if magic == DNN_CONVOLUTION
        else sizeof(dnn_tensor)) - 4)


cdef public cudnnStatus_t get_fused_ops_const_param_pack_attribute(dnn_fused_const *p,
        cudnnFusedOpsConstParamLabel_t label, void *param, int *is_null) noexcept nogil:
    """A descriptor's content goes into a descriptor of the program's."""
    cdef int kind = label_kind(label)
    cdef bint given
    cdef uint32_t value
    if kind == NOTHING:
        return bad(b"paramLabel is no label")
    if param is NULL or is_null is NULL:
        return bad(b"param or isNULL is NULL")
    given = (p.given >> <uint32_t>label) & 1 != 0
    is_null[0] = 0 if given else 1
    if not given:
        return CUDNN_STATUS_SUCCESS
    if kind == DESCRIPTOR:
        if not dg_alive(param, label_magic(label)) or not dg_alive(p.descriptor[<uint32_t>label], label_magic(label)):
            return bad(b"param, or the descriptor that was set, is no descriptor of the label's kind")
        copy_slot(param, p.descriptor[<uint32_t>label], label_magic(label))
        return CUDNN_STATUS_SUCCESS
    value = <uint32_t>p.batch_mode if kind == MODE else <uint32_t>p.placeholder[<uint32_t>label]
    memcpy(param, &value, sizeof(value))
    return CUDNN_STATUS_SUCCESS


# ---- pointers and scalars

cdef public cudnnStatus_t create_fused_ops_variant_param_pack(cudnnFusedOpsVariantParamPack_t *place,
        cudnnFusedOps_t op) noexcept nogil:
    cdef cudnnStatus_t status
    cdef dnn_fused_variant *p
    if not is_operation(op):
        return bad(b"ops is no fused operation")
    status = dnn_new(<void **>place, DNN_FUSED_VARIANT)
    if status != CUDNN_STATUS_SUCCESS:
        return status
    p = <dnn_fused_variant *>place[0]
    p.op = <int32_t>op
    p.pointer = <void **>dg_the_core.alloc((DNN_FUSED_POINTERS + 2 * DNN_FUSED_SCALARS) * sizeof(void *))
    if p.pointer is NULL:
        dg_the_core.slot_free(p)
        return dnn_because(CUDNN_STATUS_ALLOC_FAILED, b"no memory for the parameters")
    p.whole = <int64_t *>(p.pointer + DNN_FUSED_POINTERS)
    p.fraction = <double *>(p.whole + DNN_FUSED_SCALARS)
    return CUDNN_STATUS_SUCCESS


cdef public cudnnStatus_t destroy_fused_ops_variant_param_pack(dnn_fused_variant *p) noexcept nogil:
    cdef void *memory = p.pointer if p is not NULL else NULL
    cdef cudnnStatus_t status = dnn_delete(p, DNN_FUSED_VARIANT)
    if status == CUDNN_STATUS_SUCCESS and memory is not NULL:
        dg_the_core.release(memory)
    return status


cdef bint is_fraction(uint32_t label) noexcept nogil:
    return (label == <uint32_t>CUDNN_SCALAR_DOUBLE_BN_EXP_AVG_FACTOR
            or label == <uint32_t>CUDNN_SCALAR_DOUBLE_BN_EPSILON)


cdef bint is_variant(uint32_t label) noexcept nogil:
    return label < DNN_FUSED_POINTERS or in_range(
        <int>label, CUDNN_SCALAR_SIZE_T_WORKSPACE_SIZE_IN_BYTES, CUDNN_SCALAR_DOUBLE_BN_EPSILON)


cdef public cudnnStatus_t set_fused_ops_variant_param_pack_attribute(dnn_fused_variant *p,
        cudnnFusedOpsVariantParamLabel_t label, void *pointer) noexcept nogil:
    """A pointer is kept as it is, a scalar is read from where `ptr` points."""
    if not is_variant(label):
        return bad(b"paramLabel is no label")
    if <uint32_t>label < DNN_FUSED_POINTERS:
        p.pointer[<uint32_t>label] = pointer
        return CUDNN_STATUS_SUCCESS
    if pointer is NULL:
        return bad(b"ptr is NULL")
    if is_fraction(label):
        memcpy(&p.fraction[<uint32_t>label - 100], pointer, sizeof(double))
    else:
        memcpy(&p.whole[<uint32_t>label - 100], pointer, sizeof(int64_t))
    return CUDNN_STATUS_SUCCESS


cdef public cudnnStatus_t get_fused_ops_variant_param_pack_attribute(dnn_fused_variant *p,
        cudnnFusedOpsVariantParamLabel_t label, void *pointer) noexcept nogil:
    if not is_variant(label):
        return bad(b"paramLabel is no label")
    if pointer is NULL:
        return bad(b"ptr is NULL")
    if <uint32_t>label < DNN_FUSED_POINTERS:
        memcpy(pointer, &p.pointer[<uint32_t>label], sizeof(void *))
    elif is_fraction(label):
        memcpy(pointer, &p.fraction[<uint32_t>label - 100], sizeof(double))
    else:
        memcpy(pointer, &p.whole[<uint32_t>label - 100], sizeof(int64_t))
    return CUDNN_STATUS_SUCCESS


# ---- plans

cdef public cudnnStatus_t create_fused_ops_plan(cudnnFusedOpsPlan_t *place, cudnnFusedOps_t op) noexcept nogil:
    cdef cudnnStatus_t status
    if not is_operation(op):
        return bad(b"ops is no fused operation")
    status = dnn_new(<void **>place, DNN_FUSED_PLAN)
    if status == CUDNN_STATUS_SUCCESS:
        (<dnn_fused_plan *>place[0]).op = <int32_t>op
    return status


cdef public cudnnStatus_t destroy_fused_ops_plan(dnn_fused_plan *plan) noexcept nogil:
    cdef void *memory = plan.body if plan is not NULL else NULL
    cdef cudnnStatus_t status = dnn_delete(plan, DNN_FUSED_PLAN)
    if status == CUDNN_STATUS_SUCCESS and memory is not NULL:
        dg_the_core.release(memory)
    return status


cdef bint asked_for(const dnn_fused_const *p, uint32_t label) noexcept nogil:
    """A pointer that a plan is told of."""
    return ((p.given >> label) & 1) != 0 and p.placeholder[label] != <uint8_t>CUDNN_PTR_NULL


cdef inline void *at(const dnn_fused_variant *v, uint32_t label) noexcept nogil:
    return v.pointer[label]


cdef cudnnStatus_t taken(dnn_fused_body *b, const dnn_fused_const *p, uint32_t label, int place) noexcept nogil:
    cdef void *d = p.descriptor[label]
    if (p.given >> label) & 1 == 0 or not dg_alive(d, label_magic(label)):
        return bad(b"a descriptor that the operation needs is not in the pack, or has been destroyed")
    memcpy(&b.tensor[place], d, sizeof(dnn_tensor))
    b.tensor[place].amd = NULL
    return bad(b"a descriptor has not been set") if b.tensor[place].count == 0 else CUDNN_STATUS_SUCCESS


cdef cudnnStatus_t row_taken(dnn_fused_body *b, const dnn_fused_const *p, uint32_t label, int place, bint floats,
        int32_t channels) noexcept nogil:
    """One number a channel, packed. `channels` 0: as many as there are."""
    cdef dnn_tensor *d = &b.tensor[place]
    cdef int i
    cdef cudnnStatus_t status = taken(b, p, label, place)
    if status != CUDNN_STATUS_SUCCESS:
        return status
    if d.count < 2 or (channels and d.dim[1] != channels):
        return bad(b"the parameters are not one number for each channel")
    for i in range(d.count):
        if i != 1 and d.dim[i] != 1:
            return bad(b"the parameters are not one number for each channel")
    if d.dim[1] > 1 and d.stride[1] != 1:
        return cannot(b"the channels' parameters are not side by side")
    if d.type != CUDNN_DATA_FLOAT and (floats or (d.type != CUDNN_DATA_HALF and d.type != CUDNN_DATA_BFLOAT16)):
        return cannot(b"statistics are floats; equivalent scale and bias float, half or bfloat16")
    return CUDNN_STATUS_SUCCESS


cdef cudnnStatus_t gradient_planned(dnn_handle *h, dnn_fused_body *b, const dnn_fused_const *p,
        size_t *size) noexcept nogil:
    cdef dnn_activation *f
    cdef dnn_work k
    cdef float time
    cdef void *conv = p.descriptor[<uint32_t>CUDNN_PARAM_CONV_DESC]
    cdef cudnnStatus_t status = taken(b, p, <uint32_t>CUDNN_PARAM_XDESC, DNN_FUSED_X)
    if status == CUDNN_STATUS_SUCCESS:
        status = taken(b, p, <uint32_t>CUDNN_PARAM_DWDESC, DNN_FUSED_DW)
    if status == CUDNN_STATUS_SUCCESS:
        status = taken(b, p, <uint32_t>CUDNN_PARAM_DYDESC, DNN_FUSED_DY)
    if status != CUDNN_STATUS_SUCCESS:
        return status
    if (p.given >> <uint32_t>CUDNN_PARAM_CONV_DESC) & 1 == 0 or not dg_alive(conv, DNN_CONVOLUTION):
        return bad(b"the convolution's descriptor is not in the pack, or has been destroyed")
    memcpy(&b.conv, conv, sizeof(dnn_convolution))
    b.conv.amd = NULL
    b.scaled = asked_for(p, <uint32_t>CUDNN_PARAM_BN_EQSCALE_PLACEHOLDER) and asked_for(
        p, <uint32_t>CUDNN_PARAM_BN_EQBIAS_PLACEHOLDER)
    if b.scaled:
        status = row_taken(b, p, <uint32_t>CUDNN_PARAM_BN_EQSCALEBIAS_DESC, DNN_FUSED_EQUIVALENT, False,
                           b.tensor[DNN_FUSED_X].dim[1])
        if status != CUDNN_STATUS_SUCCESS:
            return status
        if b.tensor[DNN_FUSED_EQUIVALENT].type != b.tensor[DNN_FUSED_X].type:
            return cannot(b"equivalent scale and bias are not of x's type")
    if (p.given >> <uint32_t>CUDNN_PARAM_ACTIVATION_DESC) & 1:
        f = <dnn_activation *>p.descriptor[<uint32_t>CUDNN_PARAM_ACTIVATION_DESC]
        if not dg_alive(f, DNN_ACTIVATION):
            return bad(b"the activation's descriptor has been destroyed")
        if f.mode != CUDNN_ACTIVATION_RELU and f.mode != CUDNN_ACTIVATION_IDENTITY:
            return cannot(b"NVIDIA's plans too have RELU alone")
        b.positive = f.mode == CUDNN_ACTIVATION_RELU
    status = dnn_conv_begin(&k, DNN_BACKWARD_FILTER, &b.tensor[DNN_FUSED_X], <dnn_filter *>&b.tensor[DNN_FUSED_DW],
                            &b.conv, &b.tensor[DNN_FUSED_DY])
    if status == CUDNN_STATUS_SUCCESS and b.tensor[DNN_FUSED_X].type == CUDNN_DATA_DOUBLE:
        return cannot(b"NVIDIA's plans too have no doubles")
    return status if status != CUDNN_STATUS_SUCCESS else dnn_conv_size(h, &k, True, size, &time)


cdef cudnnStatus_t statistics_planned(dnn_fused_body *b, const dnn_fused_const *p, bint training) noexcept nogil:
    cdef int32_t channels
    cdef cudnnStatus_t status = row_taken(b, p, <uint32_t>CUDNN_PARAM_BN_SCALEBIAS_MEANVAR_DESC, DNN_FUSED_STATS, True,
                                          0)
    if status != CUDNN_STATUS_SUCCESS:
        return status
    channels = b.tensor[DNN_FUSED_STATS].dim[1]
    status = row_taken(b, p, <uint32_t>CUDNN_PARAM_BN_EQSCALEBIAS_DESC, DNN_FUSED_EQUIVALENT, False, channels)
    if status == CUDNN_STATUS_SUCCESS and training:
        status = row_taken(b, p, <uint32_t>CUDNN_PARAM_YSTATS_DESC, DNN_FUSED_Y_STATS, True, channels)
    if (p.given >> <uint32_t>CUDNN_PARAM_BN_MODE) & 1 and p.batch_mode == CUDNN_BATCHNORM_PER_ACTIVATION:
        return cannot(b"NVIDIA's plans too normalise a channel at a time")
    b.mean = asked_for(p, <uint32_t>CUDNN_PARAM_BN_SAVED_MEAN_PLACEHOLDER)
    b.inverse = asked_for(p, <uint32_t>CUDNN_PARAM_BN_SAVED_INVSTD_PLACEHOLDER)
    b.running_mean = asked_for(p, <uint32_t>CUDNN_PARAM_BN_RUNNING_MEAN_PLACEHOLDER)
    b.running_variance = asked_for(p, <uint32_t>CUDNN_PARAM_BN_RUNNING_VAR_PLACEHOLDER)
    return status


include "fused_bits.pxi"


cdef public cudnnStatus_t make_fused_ops_plan(dnn_handle *h, dnn_fused_plan *plan, dnn_fused_const *p,
        size_t *size) noexcept nogil:
    cdef dnn_fused_body body
    cdef size_t bytes = 0
    cdef cudnnStatus_t status
    if plan.op != p.op:
        return bad(b"plan and constPack are of different operations")
    if size is NULL:
        return bad(b"workspaceSizeInBytes is NULL")
    plan.made = 0
    memset(&body, 0, sizeof(body))
    if plan.op == <int32_t>CUDNN_FUSED_SCALE_BIAS_ACTIVATION_WGRAD:
        status = gradient_planned(h, &body, p, &bytes)
    elif plan.op == <int32_t>CUDNN_FUSED_BN_FINALIZE_STATISTICS_TRAINING:
        status = statistics_planned(&body, p, True)
    elif plan.op == <int32_t>CUDNN_FUSED_BN_FINALIZE_STATISTICS_INFERENCE:
        status = statistics_planned(&body, p, False)
    elif plan.op == <int32_t>CUDNN_FUSED_SCALE_BIAS_ADD_ACTIVATION_GEN_BITMASK:
        status = masking_planned(&body, p)
    elif plan.op == <int32_t>CUDNN_FUSED_DACTIVATION_FORK_DBATCHNORM:
        status = masked_planned(&body, p)
    else:
        return cannot(b"NVIDIA's library too has no plan of this on an H200: call the operations one by one")
    if status != CUDNN_STATUS_SUCCESS:
        return status
    if plan.body is NULL:
        plan.body = dg_the_core.alloc(sizeof(dnn_fused_body))
        if plan.body is NULL:
            return dnn_because(CUDNN_STATUS_ALLOC_FAILED, b"no memory for the plan")
    memcpy(plan.body, &body, sizeof(body))
    plan.made = 1
    size[0] = bytes
    return CUDNN_STATUS_SUCCESS


# ---- execution

cdef cudnnStatus_t gradient(dnn_handle *h, dnn_fused_body *b, const dnn_fused_variant *v) noexcept nogil:
    """dw of a convolution of act(scale·x + bias)."""
    cdef dnn_work k
    cdef dnn_tensor row, one
    cdef dnn_tensor *xd = &b.tensor[DNN_FUSED_X]
    cdef void *data[3]
    cdef char *memory
    cdef size_t bytes
    cdef int i
    cdef cudnnStatus_t status
    data[0] = at(v, <uint32_t>CUDNN_PTR_XDATA)
    data[1] = at(v, <uint32_t>CUDNN_PTR_DWDATA)
    data[2] = at(v, <uint32_t>CUDNN_PTR_DYDATA)
    if data[0] is NULL or data[1] is NULL or data[2] is NULL or (b.scaled and (
            at(v, <uint32_t>CUDNN_PTR_BN_EQSCALE) is NULL or at(v, <uint32_t>CUDNN_PTR_BN_EQBIAS) is NULL)):
        return bad(b"a pointer that the plan needs is NULL")
    status = dnn_conv_begin(&k, DNN_BACKWARD_FILTER, xd, <dnn_filter *>&b.tensor[DNN_FUSED_DW], &b.conv,
                            &b.tensor[DNN_FUSED_DY])
    if status == CUDNN_STATUS_SUCCESS and (b.scaled or b.positive):
        bytes = rounded(dnn_bytes(xd))
        memory = <char *>dnn_kept(h, bytes + sizeof(double))
        if memory is NULL:
            return dnn_because(CUDNN_STATUS_ALLOC_FAILED, b"no memory for the scaled images")
        row = one = xd[0]
        row.amd = one.amd = NULL
        for i in range(xd.count):
            row.dim[i] = xd.dim[1] if i == 1 else 1
            row.stride[i] = one.dim[i] = one.stride[i] = 1
        if b.scaled:
            status = dnn_op_tensor(h, miopenTensorOpMul, 1, xd, data[0], 1, &row, at(v, <uint32_t>CUDNN_PTR_BN_EQSCALE),
                                   0, xd, memory)
            if status == CUDNN_STATUS_SUCCESS:
                status = dnn_op_tensor(h, miopenTensorOpAdd, 1, xd, memory, 1, &row,
                                       at(v, <uint32_t>CUDNN_PTR_BN_EQBIAS), 0, xd, memory)
            data[0] = memory
        if status == CUDNN_STATUS_SUCCESS and b.positive:
            if dg_hip.hipMemsetAsync(memory + bytes, 0, sizeof(double), <hipStream_t>to_stream(h.stream)) != 0:
                status = dnn_because(CUDNN_STATUS_EXECUTION_FAILED, b"a zero cannot be set")
            else:
                status = dnn_op_tensor(h, miopenTensorOpMax, 1, xd, data[0], 1, &one, memory + bytes, 0, xd, memory)
            data[0] = memory
    if status == CUDNN_STATUS_SUCCESS:
        status = dnn_conv(h, &k, True, 1, data, at(v, <uint32_t>CUDNN_PTR_WORKSPACE), <size_t>v.whole[0], 0)
    dnn_kept_left(h)
    return status


cdef cudnnStatus_t inferred(dnn_handle *h, dnn_tensor *row, const void *x, const void *scale, const void *bias,
        const void *mean, const void *variance, double epsilon, void *y) noexcept nogil:
    """y ← scale·(x - mean)/√(variance + ε) + bias, one number a channel."""
    cdef float one = 1
    cdef float zero = 0
    cdef void *amd = dnn_amd_shape(h, row.type, row.count, row.dim, row.stride)
    if amd is NULL:
        return CUDNN_STATUS_NOT_SUPPORTED
    return answered(dg_miopen.miopenBatchNormalizationForwardInference(
        <miopenHandle_t>h.amd, miopenBNSpatial, &one, &zero, <miopenTensorDescriptor_t>amd, x,
        <miopenTensorDescriptor_t>amd, y, <miopenTensorDescriptor_t>amd, <void *>scale, <void *>bias, <void *>mean,
        <void *>variance, epsilon), b"miopenBatchNormalizationForwardInference")


cdef cudnnStatus_t equivalent(dnn_handle *h, dnn_fused_body *b, const dnn_fused_variant *v, dnn_tensor *row,
        const void *ones, const void *zeros, const void *mean, const void *variance, void *work,
        char *own) noexcept nogil:
    """scale/√(variance + ε), and bias - mean·that."""
    cdef void *scale = at(v, <uint32_t>CUDNN_PTR_BN_SCALE)
    cdef void *bias = at(v, <uint32_t>CUDNN_PTR_BN_BIAS)
    cdef void *out[2]
    cdef dnn_tensor narrow = row[0]
    cdef double epsilon = v.fraction[3]
    cdef int i
    cdef bint floats = b.tensor[DNN_FUSED_EQUIVALENT].type == CUDNN_DATA_FLOAT
    cdef cudnnStatus_t status = CUDNN_STATUS_SUCCESS
    out[0] = at(v, <uint32_t>CUDNN_PTR_BN_EQSCALE)
    out[1] = at(v, <uint32_t>CUDNN_PTR_BN_EQBIAS)
    narrow.type = b.tensor[DNN_FUSED_EQUIVALENT].type
    narrow.amd = NULL
    for i in range(2):
        if status == CUDNN_STATUS_SUCCESS:
            status = inferred(h, row, zeros if i else ones, scale, <const void *>bias if i else zeros,
                              mean if i else zeros, variance, epsilon, out[i] if floats else own)
        if status == CUDNN_STATUS_SUCCESS and not floats:
            status = dnn_moved(h, work, 1, row, own, 0, &narrow, out[i])
    return status


cdef cudnnStatus_t statistics(dnn_handle *h, dnn_fused_body *b, const dnn_fused_variant *v,
        bint training) noexcept nogil:
    cdef dnn_tensor row
    cdef int32_t channels = b.tensor[DNN_FUSED_STATS].dim[1]
    cdef size_t each = rounded(<size_t>channels * sizeof(float))
    cdef char *memory
    cdef char *mean
    cdef char *variance
    cdef void *sum = at(v, <uint32_t>CUDNN_PTR_YSUM)
    cdef void *squares = at(v, <uint32_t>CUDNN_PTR_YSQSUM)
    cdef void *running_mean = at(v, <uint32_t>CUDNN_PTR_BN_RUNNING_MEAN)
    cdef void *running_variance = at(v, <uint32_t>CUDNN_PTR_BN_RUNNING_VAR)
    cdef void *saved_mean = at(v, <uint32_t>CUDNN_PTR_BN_SAVED_MEAN)
    cdef void *saved_inverse = at(v, <uint32_t>CUDNN_PTR_BN_SAVED_INVSTD)
    cdef int64_t count = v.whole[1]
    cdef double factor = v.fraction[2]
    cdef int i
    cdef cudnnStatus_t status
    if (at(v, <uint32_t>CUDNN_PTR_BN_SCALE) is NULL or at(v, <uint32_t>CUDNN_PTR_BN_BIAS) is NULL
            or at(v, <uint32_t>CUDNN_PTR_BN_EQSCALE) is NULL or at(v, <uint32_t>CUDNN_PTR_BN_EQBIAS) is NULL):
        return bad(b"scale, bias, or an equivalent of them, is NULL")
    if training and (sum is NULL or squares is NULL or count < 1):
        return bad(b"a sum is NULL, or the accumulation count below 1")
    if not training and (running_mean is NULL or running_variance is NULL):
        return bad(b"the running mean or variance is NULL")
    memset(&row, 0, sizeof(row))
    row.type = CUDNN_DATA_FLOAT
    row.count = 4
    for i in range(4):
        row.dim[i] = 1
    row.dim[1] = channels
    dnn_pack(CUDNN_TENSOR_NCHW, row.type, 4, row.dim, row.stride)
    memory = <char *>dnn_kept(h, DNN_WORK + 6 * each)
    if memory is NULL:
        return dnn_because(CUDNN_STATUS_ALLOC_FAILED, b"no memory for the statistics")
    memory += DNN_WORK  # ones, zeros, mean, variance, two more
    mean = memory + 2 * each
    variance = memory + 3 * each
    status = dnn_fill(h, &row, 1, memory)
    if status == CUDNN_STATUS_SUCCESS:
        status = dnn_fill(h, &row, 0, memory + each)
    if training:
        if status == CUDNN_STATUS_SUCCESS:
            status = dnn_moved(h, NULL, 1. / <double>count, &row, sum, 0, &row, mean)
        if status == CUDNN_STATUS_SUCCESS:
            status = dnn_op_tensor(h, miopenTensorOpMul, 1, &row, mean, 1, &row, mean, 0, &row, memory + 4 * each)
        if status == CUDNN_STATUS_SUCCESS:
            status = dnn_op_tensor(h, miopenTensorOpAdd, 1. / <double>count, &row, squares, -1, &row, memory + 4 * each,
                                   0, &row, variance)
        if status == CUDNN_STATUS_SUCCESS:  # rounding may leave less than 0
            status = dnn_op_tensor(h, miopenTensorOpMax, 1, &row, variance, 1, &row, memory + each, 0, &row, variance)
        if status == CUDNN_STATUS_SUCCESS and b.mean and saved_mean is not NULL:
            status = dnn_copy(h, &row, mean, &row, saved_mean)
        if status == CUDNN_STATUS_SUCCESS and b.inverse and saved_inverse is not NULL:
            status = inferred(h, &row, memory, memory, memory + each, memory + each, variance, v.fraction[3],
                              saved_inverse)
    if status == CUDNN_STATUS_SUCCESS:
        status = equivalent(h, b, v, &row, memory, memory + each, mean if training else <char *>running_mean,
                            variance if training else <char *>running_variance, memory - DNN_WORK, memory + 5 * each)
    if status == CUDNN_STATUS_SUCCESS and training and b.running_mean and running_mean is not NULL:
        status = dnn_op_tensor(h, miopenTensorOpAdd, 1 - factor, &row, running_mean, factor, &row, mean, 0, &row,
                               running_mean)
    if status == CUDNN_STATUS_SUCCESS and training and b.running_variance and running_variance is not NULL:
        if count > 1:
            factor *= <double>count / <double>(count - 1)
        status = dnn_op_tensor(h, miopenTensorOpAdd, 1 - v.fraction[2], &row, running_variance, factor, &row, variance,
                               0, &row, running_variance)
    dnn_kept_left(h)
    return status


cdef public cudnnStatus_t fused_ops_execute(dnn_handle *h, dnn_fused_plan *plan, dnn_fused_variant *v) noexcept nogil:
    if plan.op != v.op:
        return bad(b"plan and varPack are of different operations")
    if not plan.made:
        return dnn_because(CUDNN_STATUS_NOT_INITIALIZED, b"the plan has not been made")
    if plan.op == <int32_t>CUDNN_FUSED_SCALE_BIAS_ACTIVATION_WGRAD:
        return gradient(h, <dnn_fused_body *>plan.body, v)
    if plan.op == <int32_t>CUDNN_FUSED_SCALE_BIAS_ADD_ACTIVATION_GEN_BITMASK:
        return masking(h, <dnn_fused_body *>plan.body, v)
    if plan.op == <int32_t>CUDNN_FUSED_DACTIVATION_FORK_DBATCHNORM:
        return masked(h, <dnn_fused_body *>plan.body, v)
    return statistics(h, <dnn_fused_body *>plan.body, v,
                      plan.op == <int32_t>CUDNN_FUSED_BN_FINALIZE_STATISTICS_TRAINING)
