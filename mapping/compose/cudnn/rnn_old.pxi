# Recurrent networks as they were set before version 8, which cuDNN 8 still has. Blocks of tables/cudnn/rnn_old.yaml.

include "common.pxi"


cdef public cudnnStatus_t set_rnn_descriptor_v6(dnn_handle *h, dnn_rnn *d, const int hidden, const int layers,
        dnn_dropout *dropout, cudnnRNNInputMode_t input_mode, cudnnDirectionMode_t direction, cudnnRNNMode_t cell,
        cudnnRNNAlgo_t algo, cudnnDataType_t math_type) noexcept nogil:
    """The input's size and the data's type come later, with the tensors."""
    if hidden < 1 or layers < 1:
        return bad(b"hiddenSize or numLayers is not positive")
    if <uint32_t>input_mode > <uint32_t>CUDNN_SKIP_INPUT:
        return bad(b"inputMode is neither LINEAR_INPUT nor SKIP_INPUT")
    if <uint32_t>direction > <uint32_t>CUDNN_BIDIRECTIONAL:
        return bad(b"direction is neither UNIDIRECTIONAL nor BIDIRECTIONAL")
    if <uint32_t>cell > <uint32_t>CUDNN_GRU:
        return bad(b"cellMode is no cell")
    if <uint32_t>algo >= <uint32_t>CUDNN_RNN_ALGO_COUNT:
        return bad(b"algo is no algorithm")
    if dnn_type_bytes(<int>math_type) == 0:
        return bad(b"mathPrec is no type of this version")
    d.hidden = hidden
    d.projected = hidden
    d.output_projected = 0
    d.layers = layers
    d.dropout = dropout
    d.input_mode = <int32_t>input_mode
    d.direction = <int32_t>direction
    d.cell = <int32_t>cell
    d.algo = <int32_t>algo
    d.math_type = <int32_t>math_type
    d.data_type = <int32_t>math_type
    d.input_size = 0
    d.set = 6
    d.amd = NULL
    return CUDNN_STATUS_SUCCESS


cdef public cudnnStatus_t get_rnn_descriptor_v6(dnn_handle *h, dnn_rnn *d, int *hidden, int *layers,
        cudnnDropoutDescriptor_t *dropout, cudnnRNNInputMode_t *input_mode, cudnnDirectionMode_t *direction,
        cudnnRNNMode_t *cell, cudnnRNNAlgo_t *algo, cudnnDataType_t *math_type) noexcept nogil:
    if not d.set:
        return bad(b"the network was not set")
    give(hidden, d.hidden)
    give(layers, d.layers)
    if dropout is not NULL:
        dropout[0] = <cudnnDropoutDescriptor_t>d.dropout
    give(<int *>input_mode, d.input_mode)
    give(<int *>direction, d.direction)
    give(<int *>cell, d.cell)
    give(<int *>algo, d.algo)
    give(<int *>math_type, d.math_type)
    return CUDNN_STATUS_SUCCESS


cdef public cudnnStatus_t set_rnn_matrix_math_type(dnn_rnn *d, cudnnMathType_t math) noexcept nogil:
    if <uint32_t>math > <uint32_t>CUDNN_FMA_MATH:
        return bad(b"mType is no math type")
    d.math = <int32_t>math
    return CUDNN_STATUS_SUCCESS


cdef public cudnnStatus_t get_rnn_matrix_math_type(dnn_rnn *d, cudnnMathType_t *math) noexcept nogil:
    give(<int *>math, d.math)
    return CUDNN_STATUS_SUCCESS


cdef public cudnnStatus_t set_rnn_bias_mode(dnn_rnn *d, cudnnRNNBiasMode_t bias) noexcept nogil:
    if <uint32_t>bias > <uint32_t>CUDNN_RNN_SINGLE_REC_BIAS:
        return bad(b"biasMode is no bias mode")
    d.bias = <int32_t>bias
    d.amd = NULL
    return CUDNN_STATUS_SUCCESS


cdef public cudnnStatus_t get_rnn_bias_mode(dnn_rnn *d, cudnnRNNBiasMode_t *bias) noexcept nogil:
    give(<int *>bias, d.bias)
    return CUDNN_STATUS_SUCCESS


cdef public cudnnStatus_t rnn_set_clip(dnn_handle *h, dnn_rnn *d, cudnnRNNClipMode_t mode, cudnnNanPropagation_t nan,
        double low, double high) noexcept nogil:
    if <uint32_t>mode > <uint32_t>CUDNN_RNN_CLIP_MINMAX or not is_nan_rule(nan):
        return bad(b"clipMode or clipNanOpt has no such value")
    if mode == <uint32_t>CUDNN_RNN_CLIP_MINMAX and not low <= high:
        return bad(b"lclip is above rclip, or one of them is NaN")
    d.clip_mode = <int32_t>mode
    d.clip_nan = <int32_t>nan
    d.clip_low = low
    d.clip_high = high
    return CUDNN_STATUS_SUCCESS


cdef public cudnnStatus_t rnn_get_clip(dnn_handle *h, dnn_rnn *d, cudnnRNNClipMode_t *mode, cudnnNanPropagation_t *nan,
        double *low, double *high) noexcept nogil:
    give(<int *>mode, d.clip_mode)
    give(<int *>nan, d.clip_nan)
    if low is not NULL:
        low[0] = d.clip_low
    if high is not NULL:
        high[0] = d.clip_high
    return CUDNN_STATUS_SUCCESS


cdef public cudnnStatus_t set_rnn_projection_layers(dnn_handle *h, dnn_rnn *d, const int projected,
        const int output_projected) noexcept nogil:
    if projected < 0 or output_projected < 0 or projected > d.hidden:
        return bad(b"recProjSize is negative or above the hidden size, or outProjSize is negative")
    if output_projected:
        return cannot(b"outProjSize is not 0")
    if projected and projected != d.hidden and d.cell != CUDNN_LSTM:
        return cannot(b"only an LSTM can have a projection")
    d.projected = projected if projected else d.hidden
    d.amd = NULL
    return CUDNN_STATUS_SUCCESS


cdef public cudnnStatus_t get_rnn_projection_layers(dnn_handle *h, dnn_rnn *d, int *projected,
        int *output_projected) noexcept nogil:
    """A projection to the hidden size is none, and is told as 0."""
    give(projected, 0 if d.projected == d.hidden else d.projected)
    give(output_projected, d.output_projected)
    return CUDNN_STATUS_SUCCESS


cdef public cudnnStatus_t create_persistent_rnn_plan(dnn_rnn *d, const int batch, const cudnnDataType_t type,
        cudnnPersistentRNNPlan_t *plan) noexcept nogil:
    cdef cudnnStatus_t status
    if batch < 1:
        return bad(b"minibatch is not positive")
    if d.algo != CUDNN_RNN_ALGO_PERSIST_DYNAMIC:
        return bad(b"the network's algorithm is not PERSIST_DYNAMIC")
    status = dnn_new(<void **>plan, DNN_RNN_PLAN)
    if status == CUDNN_STATUS_SUCCESS:
        (<dnn_rnn_plan *>plan[0]).batch = batch
        (<dnn_rnn_plan *>plan[0]).type = <int32_t>type
    return status


cdef public cudnnStatus_t destroy_persistent_rnn_plan(dnn_rnn_plan *plan) noexcept nogil:
    return dnn_delete(plan, DNN_RNN_PLAN)


cdef public cudnnStatus_t set_persistent_rnn_plan(dnn_rnn *d, dnn_rnn_plan *plan) noexcept nogil:
    """Nothing to keep: MIOpen has no persistent kernels to choose."""
    if d.algo != CUDNN_RNN_ALGO_PERSIST_DYNAMIC:
        return bad(b"the network's algorithm is not PERSIST_DYNAMIC")
    return CUDNN_STATUS_SUCCESS


cdef public cudnnStatus_t set_rnn_padding_mode(dnn_rnn *d, unsigned int mode) noexcept nogil:
    if mode > 1:
        return bad(b"paddingMode is neither DISABLED nor ENABLED")
    d.flags = mode
    return CUDNN_STATUS_SUCCESS


cdef public cudnnStatus_t get_rnn_padding_mode(dnn_rnn *d, unsigned int *mode) noexcept nogil:
    give(<int *>mode, <int>d.flags)
    return CUDNN_STATUS_SUCCESS


cdef public cudnnStatus_t set_rnn_algorithm_descriptor(dnn_handle *h, dnn_rnn *d, dnn_algorithm *algorithm) noexcept nogil:
    if <uint32_t>algorithm.algorithm >= <uint32_t>CUDNN_RNN_ALGO_COUNT:
        return bad(b"the algorithm is none of a network")
    d.algo = algorithm.algorithm
    return CUDNN_STATUS_SUCCESS


cdef public cudnnStatus_t get_rnn_forward_inference_algorithm_max_count(dnn_handle *h, dnn_rnn *d,
        int *count) noexcept nogil:
    give(count, 1)
    return CUDNN_STATUS_SUCCESS


cdef public cudnnStatus_t get_rnn_forward_training_algorithm_max_count(dnn_handle *h, dnn_rnn *d,
        int *count) noexcept nogil:
    give(count, 1)
    return CUDNN_STATUS_SUCCESS


cdef public cudnnStatus_t get_rnn_backward_data_algorithm_max_count(dnn_handle *h, dnn_rnn *d, int *count) noexcept nogil:
    give(count, 1)
    return CUDNN_STATUS_SUCCESS


cdef public cudnnStatus_t get_rnn_backward_weights_algorithm_max_count(dnn_handle *h, dnn_rnn *d,
        int *count) noexcept nogil:
    give(count, 1)
    return CUDNN_STATUS_SUCCESS
