# Dropout. Blocks of tables/cudnn/dropout.yaml.

include "common.pxi"


cdef public cudnnStatus_t create_dropout_descriptor(cudnnDropoutDescriptor_t *place) noexcept nogil:
    return dnn_new(<void **>place, DNN_DROPOUT)


cdef public cudnnStatus_t dropout_get_reserve_space_size(dnn_tensor *x, size_t *size) noexcept nogil:
    """MIOpen keeps one byte an element."""
    cdef size_t elements = 1
    cdef int i
    if size is NULL:
        return bad(b"sizeInBytes is NULL")
    for i in range(x.count):
        elements *= <size_t>x.dim[i]
    size[0] = elements if x.count else 0
    return CUDNN_STATUS_SUCCESS


cdef public cudnnStatus_t get_dropout_descriptor(dnn_dropout *d, dnn_handle *h, float *rate, void **states,
        unsigned long long *seed) noexcept nogil:
    if rate is not NULL:
        rate[0] = d.rate
    if states is not NULL:
        states[0] = d.states
    if seed is not NULL:
        seed[0] = d.seed
    return CUDNN_STATUS_SUCCESS
