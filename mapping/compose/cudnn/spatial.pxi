# The spatial transformer. Blocks of tables/cudnn/spatial.yaml.

include "common.pxi"


cdef public cudnnStatus_t create_spatial_transformer_descriptor(
        cudnnSpatialTransformerDescriptor_t *place) noexcept nogil:
    return dnn_new(<void **>place, DNN_SPATIAL)


cdef public cudnnStatus_t destroy_spatial_transformer_descriptor(dnn_spatial *d) noexcept nogil:
    return dnn_delete(d, DNN_SPATIAL)


cdef public cudnnStatus_t set_spatial_transformer_nd_descriptor(dnn_spatial *d, cudnnSamplerType_t sampler,
        cudnnDataType_t type, const int count, const int *dim) noexcept nogil:
    cdef int i
    if sampler != <uint32_t>CUDNN_SAMPLER_BILINEAR:
        return bad(b"samplerType is not BILINEAR")
    if dnn_type_bytes(<int>type) == 0:
        return bad(b"dataType is no type of this version")
    if dim is NULL:
        return bad(b"dimA is NULL")
    for i in range(4):
        if i < count and dim[i] <= 0:
            return bad(b"a dimension is not positive")
    d.sampler = <int32_t>sampler
    d.type = <int32_t>type
    d.count = count  # NVIDIA's library takes any; what is not 4 is refused by the calls
    for i in range(4):
        d.dim[i] = dim[i] if i < count else 0
    return CUDNN_STATUS_SUCCESS
