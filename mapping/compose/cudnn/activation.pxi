# Activations. Blocks of tables/cudnn/activation.yaml.

include "common.pxi"


cdef public cudnnStatus_t create_activation_descriptor(cudnnActivationDescriptor_t *place) noexcept nogil:
    cdef cudnnStatus_t status = dnn_new(<void **>place, DNN_ACTIVATION)
    if status == CUDNN_STATUS_SUCCESS:
        (<dnn_activation *>place[0]).swish_beta = 1.0
    return status


cdef public cudnnStatus_t destroy_activation_descriptor(dnn_activation *d) noexcept nogil:
    return dnn_delete(d, DNN_ACTIVATION)


cdef public cudnnStatus_t set_activation_descriptor(dnn_activation *d, cudnnActivationMode_t mode,
        cudnnNanPropagation_t nan, double coefficient) noexcept nogil:
    if <uint32_t>mode > <uint32_t>CUDNN_ACTIVATION_SWISH:
        return bad(b"mode is no activation")
    if not is_nan_rule(nan):
        return bad(b"reluNanOpt is neither PROPAGATE nor NOT_PROPAGATE")
    d.mode = <int32_t>mode
    d.nan = <int32_t>nan
    d.coefficient = coefficient
    d.amd = NULL
    return CUDNN_STATUS_SUCCESS


cdef public cudnnStatus_t get_activation_descriptor(dnn_activation *d, cudnnActivationMode_t *mode,
        cudnnNanPropagation_t *nan, double *coefficient) noexcept nogil:
    if mode is not NULL:
        mode[0] = <cudnnActivationMode_t>d.mode
    if nan is not NULL:
        nan[0] = <cudnnNanPropagation_t>d.nan
    if coefficient is not NULL:
        coefficient[0] = d.coefficient
    return CUDNN_STATUS_SUCCESS


cdef public cudnnStatus_t set_activation_descriptor_swish_beta(dnn_activation *d, double beta) noexcept nogil:
    d.swish_beta = beta
    d.amd = NULL
    return CUDNN_STATUS_SUCCESS


cdef public cudnnStatus_t get_activation_descriptor_swish_beta(dnn_activation *d, double *beta) noexcept nogil:
    if beta is NULL:
        return bad(b"swish_beta is NULL")
    beta[0] = d.swish_beta
    return CUDNN_STATUS_SUCCESS
