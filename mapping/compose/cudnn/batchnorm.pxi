# Batch normalisation. Blocks of tables/cudnn/batchnorm.yaml.

include "common.pxi"


cdef void parameters_shape(dnn_tensor *out, dnn_tensor *x, bint channels_only) noexcept nogil:
    """1×C×1×1, or 1×C×H×W. Of 16-bit tensors the parameters are float."""
    cdef int i
    out.type = CUDNN_DATA_FLOAT if x.type == CUDNN_DATA_HALF or x.type == CUDNN_DATA_BFLOAT16 else x.type
    out.format = x.format
    out.count = x.count
    for i in range(x.count):
        out.dim[i] = 1 if i == 0 or (channels_only and i > 1) else x.dim[i]
    dnn_pack(x.format, out.type, out.count, out.dim, out.stride)
    out.amd = NULL


cdef public cudnnStatus_t derive_bn_tensor_descriptor(dnn_tensor *derived, dnn_tensor *x,
        cudnnBatchNormMode_t mode) noexcept nogil:
    if <uint32_t>mode > <uint32_t>CUDNN_BATCHNORM_SPATIAL_PERSISTENT:
        return bad(b"mode is no mode of batch normalisation")
    if x.count != 4 and x.count != 5:
        return bad(b"xDesc has neither 4 nor 5 dimensions")
    parameters_shape(derived, x, mode != <uint32_t>CUDNN_BATCHNORM_PER_ACTIVATION)
    return CUDNN_STATUS_SUCCESS


cdef public cudnnStatus_t derive_norm_tensor_descriptor(dnn_tensor *scale, dnn_tensor *mean, dnn_tensor *x,
        cudnnNormMode_t mode, int groups) noexcept nogil:
    if <uint32_t>mode > <uint32_t>CUDNN_NORM_PER_CHANNEL:
        return bad(b"mode is no mode of normalisation")
    if x.count != 4 and x.count != 5:
        return bad(b"xDesc has neither 4 nor 5 dimensions")
    if groups != 1:
        return cannot(b"groupCnt is not 1")
    parameters_shape(scale, x, mode == <uint32_t>CUDNN_NORM_PER_CHANNEL)
    parameters_shape(mean, x, mode == <uint32_t>CUDNN_NORM_PER_CHANNEL)
    return CUDNN_STATUS_SUCCESS
