# Operations element by element. Blocks of tables/cudnn/elementwise.yaml.

include "common.pxi"


cdef public cudnnStatus_t create_op_tensor_descriptor(cudnnOpTensorDescriptor_t *place) noexcept nogil:
    return dnn_new(<void **>place, DNN_OP)


cdef public cudnnStatus_t destroy_op_tensor_descriptor(dnn_op *d) noexcept nogil:
    return dnn_delete(d, DNN_OP)


cdef public cudnnStatus_t set_op_tensor_descriptor(dnn_op *d, cudnnOpTensorOp_t op, cudnnDataType_t type,
        cudnnNanPropagation_t nan) noexcept nogil:
    if <uint32_t>op > <uint32_t>CUDNN_OP_TENSOR_NOT:
        return bad(b"opTensorOp is no operation")
    if dnn_type_bytes(<int>type) == 0:
        return bad(b"opTensorCompType is no type of this version")
    if not is_nan_rule(nan):
        return bad(b"opTensorNanOpt is neither PROPAGATE nor NOT_PROPAGATE")
    d.op = <int32_t>op
    d.type = <int32_t>type
    d.nan = <int32_t>nan
    return CUDNN_STATUS_SUCCESS


cdef public cudnnStatus_t get_op_tensor_descriptor(dnn_op *d, cudnnOpTensorOp_t *op, cudnnDataType_t *type,
        cudnnNanPropagation_t *nan) noexcept nogil:
    if op is not NULL:
        op[0] = <cudnnOpTensorOp_t>d.op
    if type is not NULL:
        type[0] = <cudnnDataType_t>d.type
    if nan is not NULL:
        nan[0] = <cudnnNanPropagation_t>d.nan
    return CUDNN_STATUS_SUCCESS
