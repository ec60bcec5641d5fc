# Fused operations. Blocks of tables/cudnn/fused.yaml.
#
# Parameters are kept under their labels. A constant one is a descriptor, the kind of a pointer, or the mode of a batch
# normalisation; a variable one is a pointer or a scalar.

include "common.pxi"


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
    return dnn_delete(plan, DNN_FUSED_PLAN)


cdef public cudnnStatus_t make_fused_ops_plan(dnn_handle *h, dnn_fused_plan *plan, dnn_fused_const *p,
        size_t *size) noexcept nogil:
    if plan.op != p.op:
        return bad(b"plan and constPack are of different operations")
    if size is NULL:
        return bad(b"workspaceSizeInBytes is NULL")
    return cannot(b"MIOpen's fusions are others: call the operations one by one")
