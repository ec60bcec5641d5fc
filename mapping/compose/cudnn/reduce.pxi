# Reductions. Blocks of tables/cudnn/reduce.yaml.

include "common.pxi"


cdef public cudnnStatus_t create_reduce_tensor_descriptor(cudnnReduceTensorDescriptor_t *place) noexcept nogil:
    return dnn_new(<void **>place, DNN_REDUCE)


cdef public cudnnStatus_t destroy_reduce_tensor_descriptor(dnn_reduce *d) noexcept nogil:
    return dnn_delete(d, DNN_REDUCE)


cdef public cudnnStatus_t set_reduce_tensor_descriptor(dnn_reduce *d, cudnnReduceTensorOp_t op, cudnnDataType_t type,
        cudnnNanPropagation_t nan, cudnnReduceTensorIndices_t indices, cudnnIndicesType_t index_type) noexcept nogil:
    if <uint32_t>op > <uint32_t>CUDNN_REDUCE_TENSOR_MUL_NO_ZEROS:
        return bad(b"reduceTensorOp is no reduction")
    if dnn_type_bytes(<int>type) == 0:
        return bad(b"reduceTensorCompType is no type of this version")
    if not is_nan_rule(nan):
        return bad(b"reduceTensorNanOpt is neither PROPAGATE nor NOT_PROPAGATE")
    if <uint32_t>indices > <uint32_t>CUDNN_REDUCE_TENSOR_FLATTENED_INDICES:
        return bad(b"reduceTensorIndices is neither NO_INDICES nor FLATTENED_INDICES")
    if <uint32_t>index_type > <uint32_t>CUDNN_8BIT_INDICES:
        return bad(b"reduceTensorIndicesType is no type of indices")
    d.op = <int32_t>op
    d.type = <int32_t>type
    d.nan = <int32_t>nan
    d.indices = <int32_t>indices
    d.index_type = <int32_t>index_type
    d.amd = NULL
    return CUDNN_STATUS_SUCCESS


cdef public cudnnStatus_t get_reduce_tensor_descriptor(dnn_reduce *d, cudnnReduceTensorOp_t *op, cudnnDataType_t *type,
        cudnnNanPropagation_t *nan, cudnnReduceTensorIndices_t *indices, cudnnIndicesType_t *index_type) noexcept nogil:
    if op is not NULL:
        op[0] = <cudnnReduceTensorOp_t>d.op
    if type is not NULL:
        type[0] = <cudnnDataType_t>d.type
    if nan is not NULL:
        nan[0] = <cudnnNanPropagation_t>d.nan
    if indices is not NULL:
        indices[0] = <cudnnReduceTensorIndices_t>d.indices
    if index_type is not NULL:
        index_type[0] = <cudnnIndicesType_t>d.index_type
    return CUDNN_STATUS_SUCCESS
