# Local response normalisation. Blocks of tables/cudnn/lrn.yaml.

include "common.pxi"


cdef public cudnnStatus_t create_lrn_descriptor(cudnnLRNDescriptor_t *place) noexcept nogil:
    cdef cudnnStatus_t status = dnn_new(<void **>place, DNN_LRN)
    cdef dnn_lrn *d
    if status == CUDNN_STATUS_SUCCESS:
        d = <dnn_lrn *>place[0]
        d.n = 5
        d.alpha = 1e-4
        d.beta = 0.75
        d.k = 2.0
    return status


cdef public cudnnStatus_t destroy_lrn_descriptor(dnn_lrn *d) noexcept nogil:
    return dnn_delete(d, DNN_LRN)


cdef public cudnnStatus_t set_lrn_descriptor(dnn_lrn *d, unsigned int n, double alpha, double beta,
        double k) noexcept nogil:
    if n < 1 or n > 16:
        return bad(b"lrnN is not from 1 to 16")
    if k < 1e-5:  # NVIDIA's library takes a NaN
        return bad(b"lrnK is below 1e-5")
    if beta < 0.01:
        return bad(b"lrnBeta is below 0.01")
    d.n = n
    d.alpha = alpha
    d.beta = beta
    d.k = k
    d.amd = NULL
    return CUDNN_STATUS_SUCCESS


cdef public cudnnStatus_t get_lrn_descriptor(dnn_lrn *d, unsigned int *n, double *alpha, double *beta,
        double *k) noexcept nogil:
    if n is not NULL:
        n[0] = d.n
    if alpha is not NULL:
        alpha[0] = d.alpha
    if beta is not NULL:
        beta[0] = d.beta
    if k is not NULL:
        k[0] = d.k
    return CUDNN_STATUS_SUCCESS
