# CTC loss. Blocks of tables/cudnn/ctc.yaml.

include "common.pxi"


cdef public cudnnStatus_t create_ctc_loss_descriptor(cudnnCTCLossDescriptor_t *place) noexcept nogil:
    return dnn_new(<void **>place, DNN_CTC)


cdef public cudnnStatus_t destroy_ctc_loss_descriptor(dnn_ctc *d) noexcept nogil:
    return dnn_delete(d, DNN_CTC)


cdef cudnnStatus_t fill_ctc(dnn_ctc *d, uint32_t type, uint32_t normalization, uint32_t nan, uint32_t gradient,
        int longest) noexcept nogil:
    """The modes are looked at by the call that they matter to, as in NVIDIA's library."""
    if type != <uint32_t>CUDNN_DATA_FLOAT:
        return cannot(b"compType is not FLOAT")
    d.type = <int32_t>type
    d.normalization = <int32_t>normalization
    d.nan = <int32_t>nan
    d.gradient = <int32_t>gradient
    d.longest = longest
    d.amd = NULL
    return CUDNN_STATUS_SUCCESS


cdef public cudnnStatus_t set_ctc_loss_descriptor(dnn_ctc *d, cudnnDataType_t type) noexcept nogil:
    return fill_ctc(d, type, CUDNN_LOSS_NORMALIZATION_NONE, CUDNN_NOT_PROPAGATE_NAN, 0, 0)


cdef public cudnnStatus_t set_ctc_loss_descriptor_ex(dnn_ctc *d, cudnnDataType_t type,
        cudnnLossNormalizationMode_t normalization, cudnnNanPropagation_t nan) noexcept nogil:
    return fill_ctc(d, type, normalization, nan, 0, 0)


cdef public cudnnStatus_t set_ctc_loss_descriptor_v8(dnn_ctc *d, cudnnDataType_t type,
        cudnnLossNormalizationMode_t normalization, cudnnNanPropagation_t nan, int longest) noexcept nogil:
    return fill_ctc(d, type, normalization, nan, 0, longest)


cdef public cudnnStatus_t set_ctc_loss_descriptor_v9(dnn_ctc *d, cudnnDataType_t type,
        cudnnLossNormalizationMode_t normalization, cudnnCTCGradMode_t gradient, int longest) noexcept nogil:
    return fill_ctc(d, type, normalization, 0, gradient, longest)


cdef public cudnnStatus_t get_ctc_loss_descriptor(dnn_ctc *d, cudnnDataType_t *type) noexcept nogil:
    give(<int *>type, d.type)
    return CUDNN_STATUS_SUCCESS


cdef public cudnnStatus_t get_ctc_loss_descriptor_ex(dnn_ctc *d, cudnnDataType_t *type,
        cudnnLossNormalizationMode_t *normalization, cudnnNanPropagation_t *nan) noexcept nogil:
    give(<int *>type, d.type)
    give(<int *>normalization, d.normalization)
    give(<int *>nan, d.nan)
    return CUDNN_STATUS_SUCCESS


cdef public cudnnStatus_t get_ctc_loss_descriptor_v8(dnn_ctc *d, cudnnDataType_t *type,
        cudnnLossNormalizationMode_t *normalization, cudnnNanPropagation_t *nan, int *longest) noexcept nogil:
    give(longest, d.longest)
    return get_ctc_loss_descriptor_ex(d, type, normalization, nan)


cdef public cudnnStatus_t get_ctc_loss_descriptor_v9(dnn_ctc *d, cudnnDataType_t *type,
        cudnnLossNormalizationMode_t *normalization, cudnnCTCGradMode_t *gradient, int *longest) noexcept nogil:
    give(longest, d.longest)
    give(<int *>gradient, d.gradient)
    return get_ctc_loss_descriptor_ex(d, type, normalization, NULL)
