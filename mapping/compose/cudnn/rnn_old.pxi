# Recurrent networks as they were set before version 8, which cuDNN 8 still has. Blocks of tables/cudnn/rnn_old.yaml.

include "common.pxi"
include "contents.pxi"
include "recurrent.pxi"

cdef extern from "dragoman.h" nogil:
    bint dg_foreign(const void *handle, uint32_t magic)
    bint dg_alive(const void *handle, uint32_t magic)


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
    return clip_of(d, mode, nan, low, high)


cdef public cudnnStatus_t set_rnn_projection_layers(dnn_handle *h, dnn_rnn *d, const int projected,
        const int output_projected) noexcept nogil:
    if projected < 0 or output_projected < 0:
        return bad(b"recProjSize or outProjSize is negative")
    if output_projected:
        return cannot(b"outProjSize is not 0")
    if projected > d.hidden:
        return cannot(b"recProjSize is above the hidden size")
    if projected and projected != d.hidden and (d.cell != CUDNN_LSTM or d.algo != CUDNN_RNN_ALGO_STANDARD):
        return cannot(b"only an LSTM of the standard algorithm can have a projection")
    d.projected = projected if projected else d.hidden
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


cdef public cudnnStatus_t set_rnn_algorithm_descriptor(dnn_handle *h, dnn_rnn *d,
        dnn_algorithm *algorithm) noexcept nogil:
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


cdef public cudnnStatus_t get_rnn_backward_data_algorithm_max_count(dnn_handle *h, dnn_rnn *d,
        int *count) noexcept nogil:
    give(count, 1)
    return CUDNN_STATUS_SUCCESS


cdef public cudnnStatus_t get_rnn_backward_weights_algorithm_max_count(dnn_handle *h, dnn_rnn *d,
        int *count) noexcept nogil:
    give(count, 1)
    return CUDNN_STATUS_SUCCESS


# ---- a descriptor a step

cdef struct room:
    int32_t *batches
    void **descs


cdef cudnnStatus_t entered(dnn_handle *h, room *r, int steps) noexcept nogil:
    if steps < 1:
        return bad(b"seqLength is not positive")
    r.descs = <void **>dnn_host(h, 0, <size_t>steps * (2 * sizeof(void *) + sizeof(int32_t)))
    if r.descs is NULL:
        return dnn_because(CUDNN_STATUS_ALLOC_FAILED, b"no memory for the steps' descriptors")
    r.batches = <int32_t *>(r.descs + 2 * steps)
    return CUDNN_STATUS_SUCCESS


cdef cudnnStatus_t batches_of(int steps, const cudnnTensorDescriptor_t *descs, int32_t *batches) noexcept nogil:
    """How many sequences each step has, out of descriptors (sequences, vector, 1) of one type and vector."""
    cdef dnn_tensor *d
    cdef int t
    if descs is NULL:
        return bad(b"the steps' descriptors are NULL")
    for t in range(steps):
        d = <dnn_tensor *>descs[t]
        if d is NULL or dg_foreign(d, DNN_TENSOR):
            return bad(b"a step has no tensor descriptor")
        if d.count < 3 or d.dim[1] != (<dnn_tensor *>descs[0]).dim[1] or d.type != (<dnn_tensor *>descs[0]).type:
            return bad(b"a step's descriptor has not three dimensions, or another type or size than the first")
        if d.dim[2] != 1 or d.stride[1] != 1 and d.dim[1] > 1 or d.stride[0] != d.dim[1] and d.dim[0] > 1:
            return bad(b"a step's descriptor is not packed, or its last dimension not 1")
        if t > 0 and d.dim[0] > batches[t - 1]:
            return bad(b"a step has more sequences than the one before")
        batches[t] = d.dim[0]
    return CUDNN_STATUS_SUCCESS


cdef cudnnStatus_t same_steps(const dnn_net *n, const cudnnTensorDescriptor_t *descs, int width,
        const int32_t *batches) noexcept nogil:
    cdef dnn_tensor *d
    cdef int t
    if descs is NULL:
        return bad(b"the steps' descriptors are NULL")
    for t in range(n.steps):
        d = <dnn_tensor *>descs[t]
        if d is NULL or dg_foreign(d, DNN_TENSOR):
            return bad(b"a step has no tensor descriptor")
        if d.count < 3 or d.type != n.type or d.dim[0] != batches[t] or d.dim[1] != width or d.dim[2] != 1:
            return bad(b"a step's descriptor has another type or other sizes than the network")
    return CUDNN_STATUS_SUCCESS


cdef int width_of(const dnn_rnn *d) noexcept nogil:
    return d.projected * (2 if d.direction == CUDNN_BIDIRECTIONAL else 1)


cdef cudnnStatus_t steps_begun(dnn_net *n, room *r, dnn_handle *h, dnn_rnn *d, int training, int steps,
        const cudnnTensorDescriptor_t *xs, const cudnnTensorDescriptor_t *ys) noexcept nogil:
    """The type and the input's size are x's."""
    cdef cudnnStatus_t status = entered(h, r, steps)
    if status == CUDNN_STATUS_SUCCESS:
        status = batches_of(steps, xs, r.batches)
    if status != CUDNN_STATUS_SUCCESS:
        return status
    status = dnn_net_of(n, h, d, (<dnn_tensor *>xs[0]).type, (<dnn_tensor *>xs[0]).dim[1], training)
    if status == CUDNN_STATUS_SUCCESS:
        status = dnn_net_steps(n, steps, r.batches, r.descs)
    if status == CUDNN_STATUS_SUCCESS:
        status = same_steps(n, ys, width_of(d), r.batches)
    return status


cdef cudnnStatus_t sequences_begun(dnn_net *n, dnn_handle *h, dnn_rnn *d, int training, dnn_rnn_data *xd,
        dnn_rnn_data *yd) noexcept nogil:
    cdef const dnn_rows *rows = <const dnn_rows *>dnn_held(h, 0, &xd.content)
    cdef cudnnStatus_t status
    if rows is NULL:
        return bad(b"xDesc was not set")
    status = dnn_net_of(n, h, d, rows.type, rows.vector, training)
    return status if status != CUDNN_STATUS_SUCCESS else dnn_net_sequences(n, xd, yd)


cdef size_t bytes_of(const dnn_filter *d) noexcept nogil:
    cdef size_t bytes = <size_t>dnn_type_bytes(d.type) if d.count else 0
    cdef int i
    for i in range(d.count):
        bytes *= <size_t>d.dim[i]
    return bytes


cdef cudnnStatus_t sizes_checked(dnn_net *n, int size, dnn_tensor *a, const void *p, dnn_tensor *b,
        const void *q) noexcept nogil:
    cdef cudnnStatus_t status = dnn_net_state(n, size, a, p, NULL)
    return status if status != CUDNN_STATUS_SUCCESS else dnn_net_state(n, size, b, q, NULL)


cdef inline cudnnStatus_t states_checked(dnn_net *n, dnn_tensor *a, const void *p, dnn_tensor *b,
        const void *q) noexcept nogil:
    return sizes_checked(n, n.d.projected, a, p, b, q)


cdef inline cudnnStatus_t cells_checked(dnn_net *n, dnn_tensor *a, const void *p, dnn_tensor *b,
        const void *q) noexcept nogil:
    return CUDNN_STATUS_SUCCESS if n.d.cell != CUDNN_LSTM else sizes_checked(n, n.d.hidden, a, p, b, q)


# ---- sizes, and where weights lie

cdef cudnnStatus_t largest(dnn_net *n, dnn_handle *h, dnn_rnn *d, int steps, const cudnnTensorDescriptor_t *xs,
        const size_t *size) noexcept nogil:
    cdef room r
    cdef cudnnStatus_t status
    if size is NULL:
        return bad(b"sizeInBytes is NULL")
    status = entered(h, &r, steps)
    if status == CUDNN_STATUS_SUCCESS:
        status = batches_of(steps, xs, r.batches)
    if status == CUDNN_STATUS_SUCCESS:
        status = dnn_net_of(n, h, d, (<dnn_tensor *>xs[0]).type, (<dnn_tensor *>xs[0]).dim[1], 1)
    if status == CUDNN_STATUS_SUCCESS:
        status = dnn_net_largest(n, r.batches[0], steps, d.flags & 1)
    return status


cdef public cudnnStatus_t get_rnn_workspace_size(dnn_handle *h, dnn_rnn *d, const int steps,
        const cudnnTensorDescriptor_t *xs, size_t *size) noexcept nogil:
    """One size for inference and training, with a descriptor a step or of sequences."""
    cdef dnn_net n
    cdef cudnnStatus_t status = largest(&n, h, d, steps, xs, size)
    if status == CUDNN_STATUS_SUCCESS:
        size[0] = n.work
    return status


cdef public cudnnStatus_t get_rnn_training_reserve_size(dnn_handle *h, dnn_rnn *d, const int steps,
        const cudnnTensorDescriptor_t *xs, size_t *size) noexcept nogil:
    cdef dnn_net n
    cdef cudnnStatus_t status = largest(&n, h, d, steps, xs, size)
    if status == CUDNN_STATUS_SUCCESS:
        size[0] = n.reserve
    return status


cdef cudnnStatus_t weights_begun(dnn_net *n, dnn_handle *h, dnn_rnn *d, dnn_tensor *xd) noexcept nogil:
    if xd.count < 2:
        return bad(b"xDesc was not set, or has not three dimensions")
    return dnn_net_of(n, h, d, xd.type, xd.dim[1], 0)


cdef public cudnnStatus_t get_rnn_params_size(dnn_handle *h, dnn_rnn *d, dnn_tensor *xd, size_t *size,
        cudnnDataType_t type) noexcept nogil:
    cdef dnn_net n
    cdef cudnnStatus_t status
    if size is NULL or <int>type != xd.type:
        return bad(b"sizeInBytes is NULL, or dataType is not xDesc's")
    status = weights_begun(&n, h, d, xd)
    if status == CUDNN_STATUS_SUCCESS:
        size[0] = n.weights
    return status


cdef cudnnStatus_t weights_found(dnn_handle *h, dnn_rnn *d, int layer, dnn_tensor *xd, dnn_filter *wd, const void *w,
        int gate, int bias, dnn_filter *found, void **place) noexcept nogil:
    """Where there is none, the address is NULL and the descriptor has no dimensions."""
    cdef dnn_net n
    cdef dnn_tensor shape
    cdef int gates = 8 if d.cell == CUDNN_LSTM else 6 if d.cell == CUDNN_GRU else 2
    cdef int projects = d.projected != d.hidden
    cdef size_t offset = 0
    cdef int there = 0
    cdef int i
    cdef cudnnStatus_t status = weights_begun(&n, h, d, xd)
    if status != CUDNN_STATUS_SUCCESS:
        return status
    if place is NULL:
        return bad(b"the place for the address is NULL")
    if not 0 <= layer < d.layers * (2 if d.direction == CUDNN_BIDIRECTIONAL else 1) or not 0 <= gate < gates + projects:
        return bad(b"pseudoLayer or linLayerID is none of the network's")
    if wd.type != n.type or bytes_of(wd) < n.weights:
        return bad(b"wDesc has another type, or is smaller than the network's parameters")
    status = dnn_net_place(&n, layer, gate, bias, &shape, &offset, &there)
    if status != CUDNN_STATUS_SUCCESS:
        return status
    found.type = n.type
    found.format = CUDNN_TENSOR_NCHW
    found.count = shape.count
    for i in range(shape.count):
        found.dim[i] = shape.dim[i]
        found.stride[i] = shape.stride[i]
    place[0] = <char *>w + offset if there else NULL
    return CUDNN_STATUS_SUCCESS


cdef public cudnnStatus_t get_rnn_lin_layer_matrix_params(dnn_handle *h, dnn_rnn *d, const int layer, dnn_tensor *xd,
        dnn_filter *wd, const void *w, const int gate, dnn_filter *found, void **place) noexcept nogil:
    return weights_found(h, d, layer, xd, wd, w, gate, 0, found, place)


cdef public cudnnStatus_t get_rnn_lin_layer_bias_params(dnn_handle *h, dnn_rnn *d, const int layer, dnn_tensor *xd,
        dnn_filter *wd, const void *w, const int gate, dnn_filter *found, void **place) noexcept nogil:
    return weights_found(h, d, layer, xd, wd, w, gate, 1, found, place)


# ---- forward

cdef cudnnStatus_t forward(dnn_net *n, const void *x, dnn_tensor *hxd, const void *hx, dnn_tensor *cxd, const void *cx,
        dnn_filter *wd, const void *w, void *y, dnn_tensor *hyd, void *hy, dnn_tensor *cyd, void *cy, void *work,
        size_t work_size, void *reserve, size_t reserve_size) noexcept nogil:
    cdef cudnnStatus_t status
    if x is NULL or w is NULL or y is NULL:
        return bad(b"x, w or y is NULL")
    if wd.type != n.type:
        return bad(b"wDesc has another type than x")
    status = states_checked(n, hxd, hx, hyd, hy)
    if status == CUDNN_STATUS_SUCCESS:
        status = cells_checked(n, cxd, cx, cyd, cy)
    if status == CUDNN_STATUS_SUCCESS:
        status = dnn_net_memory(n, bytes_of(wd), work_size, work, reserve_size, reserve)
    return status if status != CUDNN_STATUS_SUCCESS else dnn_net_forward(n, x, hx, cx, w, y, hy, cy, work, reserve)


cdef public cudnnStatus_t rnn_forward_training(dnn_handle *h, dnn_rnn *d, const int steps,
        const cudnnTensorDescriptor_t *xs, const void *x, dnn_tensor *hxd, const void *hx, dnn_tensor *cxd,
        const void *cx, dnn_filter *wd, const void *w, const cudnnTensorDescriptor_t *ys, void *y, dnn_tensor *hyd,
        void *hy, dnn_tensor *cyd, void *cy, void *work, size_t work_size, void *reserve,
        size_t reserve_size) noexcept nogil:
    cdef dnn_net n
    cdef room r
    cdef cudnnStatus_t status = steps_begun(&n, &r, h, d, 1, steps, xs, ys)
    if status == CUDNN_STATUS_SUCCESS:
        status = forward(&n, x, hxd, hx, cxd, cx, wd, w, y, hyd, hy, cyd, cy, work, work_size, reserve, reserve_size)
    return status


cdef public cudnnStatus_t rnn_forward_inference(dnn_handle *h, dnn_rnn *d, const int steps,
        const cudnnTensorDescriptor_t *xs, const void *x, dnn_tensor *hxd, const void *hx, dnn_tensor *cxd,
        const void *cx, dnn_filter *wd, const void *w, const cudnnTensorDescriptor_t *ys, void *y, dnn_tensor *hyd,
        void *hy, dnn_tensor *cyd, void *cy, void *work, size_t work_size) noexcept nogil:
    cdef dnn_net n
    cdef room r
    cdef cudnnStatus_t status = steps_begun(&n, &r, h, d, 0, steps, xs, ys)
    if status == CUDNN_STATUS_SUCCESS:
        status = forward(&n, x, hxd, hx, cxd, cx, wd, w, y, hyd, hy, cyd, cy, work, work_size, NULL, 0)
    return status


cdef public cudnnStatus_t rnn_forward_training_ex(dnn_handle *h, dnn_rnn *d, dnn_rnn_data *xd, const void *x,
        dnn_tensor *hxd, const void *hx, dnn_tensor *cxd, const void *cx, dnn_filter *wd, const void *w,
        dnn_rnn_data *yd, void *y, dnn_tensor *hyd, void *hy, dnn_tensor *cyd, void *cy, dnn_rnn_data *kd,
        const void *keys, dnn_rnn_data *cd, void *attention, dnn_rnn_data *id, void *inputs, dnn_rnn_data *qd,
        void *queries, void *work, size_t work_size, void *reserve, size_t reserve_size) noexcept nogil:
    """The parameters of attention were never used: NVIDIA's library wants NULL there."""
    cdef dnn_net n
    cdef cudnnStatus_t status
    if keys is not NULL or attention is not NULL or inputs is not NULL or queries is not NULL:
        return cannot(b"keys, cAttn, iAttn or queries is not NULL")
    status = sequences_begun(&n, h, d, 1, xd, yd)
    return status if status != CUDNN_STATUS_SUCCESS else forward(
        &n, x, hxd, hx, cxd, cx, wd, w, y, hyd, hy, cyd, cy, work, work_size, reserve, reserve_size)


cdef public cudnnStatus_t rnn_forward_inference_ex(dnn_handle *h, dnn_rnn *d, dnn_rnn_data *xd, const void *x,
        dnn_tensor *hxd, const void *hx, dnn_tensor *cxd, const void *cx, dnn_filter *wd, const void *w,
        dnn_rnn_data *yd, void *y, dnn_tensor *hyd, void *hy, dnn_tensor *cyd, void *cy, dnn_rnn_data *kd,
        const void *keys, dnn_rnn_data *cd, void *attention, dnn_rnn_data *id, void *inputs, dnn_rnn_data *qd,
        void *queries, void *work, size_t work_size) noexcept nogil:
    cdef dnn_net n
    cdef cudnnStatus_t status
    if keys is not NULL or attention is not NULL or inputs is not NULL or queries is not NULL:
        return cannot(b"keys, cAttn, iAttn or queries is not NULL")
    status = sequences_begun(&n, h, d, 0, xd, yd)
    return status if status != CUDNN_STATUS_SUCCESS else forward(
        &n, x, hxd, hx, cxd, cx, wd, w, y, hyd, hy, cyd, cy, work, work_size, NULL, 0)


# ---- backward

cdef cudnnStatus_t backward_data(dnn_net *n, const void *y, const void *dy, dnn_tensor *dhyd, const void *dhy,
        dnn_tensor *dcyd, const void *dcy, dnn_filter *wd, const void *w, dnn_tensor *hxd, const void *hx,
        dnn_tensor *cxd, const void *cx, void *dx, dnn_tensor *dhxd, void *dhx, dnn_tensor *dcxd, void *dcx,
        void *work, size_t work_size, void *reserve, size_t reserve_size) noexcept nogil:
    cdef cudnnStatus_t status
    if dy is NULL or w is NULL or dx is NULL:
        return bad(b"dy, w or dx is NULL")
    if wd.type != n.type:
        return bad(b"wDesc has another type than dx")
    status = states_checked(n, hxd, hx, dhxd, dhx)
    if status == CUDNN_STATUS_SUCCESS:
        status = states_checked(n, dhyd, dhy, NULL, NULL)
    if status == CUDNN_STATUS_SUCCESS:
        status = cells_checked(n, cxd, cx, dcxd, dcx)
    if status == CUDNN_STATUS_SUCCESS:
        status = cells_checked(n, dcyd, dcy, NULL, NULL)
    if status == CUDNN_STATUS_SUCCESS:
        status = dnn_net_memory(n, bytes_of(wd), work_size, work, reserve_size, reserve)
    return status if status != CUDNN_STATUS_SUCCESS else dnn_net_backward_data(
        n, y, dy, dhy, dcy, w, hx, cx, dx, dhx, dcx, work, reserve)


cdef public cudnnStatus_t rnn_backward_data(dnn_handle *h, dnn_rnn *d, const int steps,
        const cudnnTensorDescriptor_t *ys, const void *y, const cudnnTensorDescriptor_t *dys, const void *dy,
        dnn_tensor *dhyd, const void *dhy, dnn_tensor *dcyd, const void *dcy, dnn_filter *wd, const void *w,
        dnn_tensor *hxd, const void *hx, dnn_tensor *cxd, const void *cx, const cudnnTensorDescriptor_t *dxs,
        void *dx, dnn_tensor *dhxd, void *dhx, dnn_tensor *dcxd, void *dcx, void *work, size_t work_size,
        void *reserve, size_t reserve_size) noexcept nogil:
    cdef dnn_net n
    cdef room r
    cdef cudnnStatus_t status = steps_begun(&n, &r, h, d, 1, steps, dxs, ys)
    if status == CUDNN_STATUS_SUCCESS:
        status = same_steps(&n, dys, width_of(d), r.batches)
    if status == CUDNN_STATUS_SUCCESS:
        status = backward_data(&n, y, dy, dhyd, dhy, dcyd, dcy, wd, w, hxd, hx, cxd, cx, dx, dhxd, dhx, dcxd, dcx, work,
                               work_size, reserve, reserve_size)
    return status


cdef public cudnnStatus_t rnn_backward_data_ex(dnn_handle *h, dnn_rnn *d, dnn_rnn_data *yd, const void *y,
        dnn_rnn_data *dyd, const void *dy, dnn_rnn_data *dcd, const void *attention, dnn_tensor *dhyd, const void *dhy,
        dnn_tensor *dcyd, const void *dcy, dnn_filter *wd, const void *w, dnn_tensor *hxd, const void *hx,
        dnn_tensor *cxd, const void *cx, dnn_rnn_data *dxd, void *dx, dnn_tensor *dhxd, void *dhx, dnn_tensor *dcxd,
        void *dcx, dnn_rnn_data *dkd, void *keys, void *work, size_t work_size, void *reserve,
        size_t reserve_size) noexcept nogil:
    cdef const dnn_rows *rows
    cdef const dnn_rows *others
    cdef dnn_net n
    cdef cudnnStatus_t status
    if attention is not NULL or keys is not NULL:
        return cannot(b"dcAttn or dkeys is not NULL")
    rows = <const dnn_rows *>dnn_held(h, 1, &yd.content)
    others = <const dnn_rows *>dnn_held(h, 2, &dyd.content)
    if rows is NULL or others is NULL:
        return bad(b"yDesc or dyDesc was not set")
    if (rows.layout != others.layout or rows.vector != others.vector or rows.type != others.type
            or rows.batch != others.batch):
        return bad(b"yDesc and dyDesc differ")
    status = sequences_begun(&n, h, d, 1, dxd, yd)
    return status if status != CUDNN_STATUS_SUCCESS else backward_data(
        &n, y, dy, dhyd, dhy, dcyd, dcy, wd, w, hxd, hx, cxd, cx, dx, dhxd, dhx, dcxd, dcx, work, work_size, reserve,
        reserve_size)


cdef cudnnStatus_t backward_weights(dnn_net *n, const void *x, dnn_tensor *hxd, const void *hx, const void *y,
        dnn_filter *dwd, void *dw, const void *work, size_t work_size, const void *reserve,
        size_t reserve_size) noexcept nogil:
    cdef cudnnStatus_t status
    if x is NULL or dw is NULL:
        return bad(b"x or dw is NULL")
    if dwd.type != n.type:
        return bad(b"dwDesc has another type than x")
    status = dnn_net_state(n, n.d.projected, hxd, hx, NULL)
    if status == CUDNN_STATUS_SUCCESS:
        status = dnn_net_memory(n, bytes_of(dwd), work_size, work, reserve_size, reserve)
    return status if status != CUDNN_STATUS_SUCCESS else dnn_net_backward_weights(
        n, x, hx, y, dw, <void *>work, <void *>reserve)


cdef public cudnnStatus_t rnn_backward_weights(dnn_handle *h, dnn_rnn *d, const int steps,
        const cudnnTensorDescriptor_t *xs, const void *x, dnn_tensor *hxd, const void *hx,
        const cudnnTensorDescriptor_t *ys, const void *y, const void *work, size_t work_size, dnn_filter *dwd, void *dw,
        const void *reserve, size_t reserve_size) noexcept nogil:
    cdef dnn_net n
    cdef room r
    cdef cudnnStatus_t status = steps_begun(&n, &r, h, d, 1, steps, xs, ys)
    if status == CUDNN_STATUS_SUCCESS:
        status = backward_weights(&n, x, hxd, hx, y, dwd, dw, work, work_size, reserve, reserve_size)
    return status


cdef public cudnnStatus_t rnn_backward_weights_ex(dnn_handle *h, dnn_rnn *d, dnn_rnn_data *xd, const void *x,
        dnn_tensor *hxd, const void *hx, dnn_rnn_data *yd, const void *y, void *work, size_t work_size, dnn_filter *dwd,
        void *dw, void *reserve, size_t reserve_size) noexcept nogil:
    cdef dnn_net n
    cdef cudnnStatus_t status = sequences_begun(&n, h, d, 1, xd, yd)
    return status if status != CUDNN_STATUS_SUCCESS else backward_weights(
        &n, x, hxd, hx, y, dwd, dw, work, work_size, reserve, reserve_size)


# ---- algorithms by trial: MIOpen has one, which is run once and timed

cdef struct trial:
    hipEvent_t start
    hipEvent_t stop


cdef cudnnStatus_t trial_begun(trial *t, dnn_handle *h, int asked, const int *returned,
        const cudnnAlgorithmPerformance_t *results) noexcept nogil:
    if asked < 1 or returned is NULL or results is NULL:
        return bad(b"requestedAlgoCount is not positive, or a place for an answer is NULL")
    if results[0] is NULL or not dg_alive(results[0], DNN_PERFORMANCE):
        return bad(b"perfResults has no descriptor")
    t.start = NULL
    t.stop = NULL
    if dg_hip.hipEventCreateWithFlags(&t.start, 0) != 0:
        return dnn_because(CUDNN_STATUS_ALLOC_FAILED, b"no event to time a network with")
    if dg_hip.hipEventCreateWithFlags(&t.stop, 0) != 0:
        dg_hip.hipEventDestroy(t.start)
        return dnn_because(CUDNN_STATUS_ALLOC_FAILED, b"no event to time a network with")
    dg_hip.hipEventRecord(t.start, <hipStream_t>to_stream(h.stream))
    return CUDNN_STATUS_SUCCESS


cdef cudnnStatus_t trial_ended(trial *t, dnn_handle *h, const dnn_rnn *d, cudnnStatus_t status, size_t work,
        int *returned, const cudnnAlgorithmPerformance_t *results) noexcept nogil:
    cdef dnn_performance *result = <dnn_performance *>results[0]
    cdef float time = 0
    dg_hip.hipEventRecord(t.stop, <hipStream_t>to_stream(h.stream))
    if status == CUDNN_STATUS_SUCCESS and (
            dg_hip.hipEventSynchronize(t.stop) != 0 or dg_hip.hipEventElapsedTime(&time, t.start, t.stop) != 0):
        status = dnn_because(CUDNN_STATUS_EXECUTION_FAILED, b"a network on trial could not be timed")
    dg_hip.hipEventDestroy(t.start)
    dg_hip.hipEventDestroy(t.stop)
    if status == CUDNN_STATUS_SUCCESS:
        result.algorithm = d.algo
        result.status = status
        result.time = time
        result.memory = work
        returned[0] = 1
    return status


cdef public cudnnStatus_t find_rnn_forward_inference_algorithm_ex(dnn_handle *h, dnn_rnn *d, const int steps,
        const cudnnTensorDescriptor_t *xs, const void *x, dnn_tensor *hxd, const void *hx, dnn_tensor *cxd,
        const void *cx, dnn_filter *wd, const void *w, const cudnnTensorDescriptor_t *ys, void *y, dnn_tensor *hyd,
        void *hy, dnn_tensor *cyd, void *cy, const float intensity, const int asked, int *returned,
        cudnnAlgorithmPerformance_t *results, void *work, size_t work_size) noexcept nogil:
    cdef trial t
    cdef cudnnStatus_t status = trial_begun(&t, h, asked, returned, results)
    if status == CUDNN_STATUS_SUCCESS:
        status = rnn_forward_inference(h, d, steps, xs, x, hxd, hx, cxd, cx, wd, w, ys, y, hyd, hy, cyd, cy, work,
                                       work_size)
        status = trial_ended(&t, h, d, status, work_size, returned, results)
    return status


cdef public cudnnStatus_t find_rnn_forward_training_algorithm_ex(dnn_handle *h, dnn_rnn *d, const int steps,
        const cudnnTensorDescriptor_t *xs, const void *x, dnn_tensor *hxd, const void *hx, dnn_tensor *cxd,
        const void *cx, dnn_filter *wd, const void *w, const cudnnTensorDescriptor_t *ys, void *y, dnn_tensor *hyd,
        void *hy, dnn_tensor *cyd, void *cy, const float intensity, const int asked, int *returned,
        cudnnAlgorithmPerformance_t *results, void *work, size_t work_size, void *reserve,
        size_t reserve_size) noexcept nogil:
    cdef trial t
    cdef cudnnStatus_t status = trial_begun(&t, h, asked, returned, results)
    if status == CUDNN_STATUS_SUCCESS:
        status = rnn_forward_training(h, d, steps, xs, x, hxd, hx, cxd, cx, wd, w, ys, y, hyd, hy, cyd, cy, work,
                                      work_size, reserve, reserve_size)
        status = trial_ended(&t, h, d, status, work_size, returned, results)
    return status


cdef public cudnnStatus_t find_rnn_backward_data_algorithm_ex(dnn_handle *h, dnn_rnn *d, const int steps,
        const cudnnTensorDescriptor_t *ys, const void *y, const cudnnTensorDescriptor_t *dys, const void *dy,
        dnn_tensor *dhyd, const void *dhy, dnn_tensor *dcyd, const void *dcy, dnn_filter *wd, const void *w,
        dnn_tensor *hxd, const void *hx, dnn_tensor *cxd, const void *cx, const cudnnTensorDescriptor_t *dxs, void *dx,
        dnn_tensor *dhxd, void *dhx, dnn_tensor *dcxd, void *dcx, const float intensity, const int asked, int *returned,
        cudnnAlgorithmPerformance_t *results, void *work, size_t work_size, void *reserve,
        size_t reserve_size) noexcept nogil:
    cdef trial t
    cdef cudnnStatus_t status = trial_begun(&t, h, asked, returned, results)
    if status == CUDNN_STATUS_SUCCESS:
        status = rnn_backward_data(h, d, steps, ys, y, dys, dy, dhyd, dhy, dcyd, dcy, wd, w, hxd, hx, cxd, cx, dxs, dx,
                                   dhxd, dhx, dcxd, dcx, work, work_size, reserve, reserve_size)
        status = trial_ended(&t, h, d, status, work_size, returned, results)
    return status


cdef public cudnnStatus_t find_rnn_backward_weights_algorithm_ex(dnn_handle *h, dnn_rnn *d, const int steps,
        const cudnnTensorDescriptor_t *xs, const void *x, dnn_tensor *hxd, const void *hx,
        const cudnnTensorDescriptor_t *ys, const void *y, const float intensity, const int asked, int *returned,
        cudnnAlgorithmPerformance_t *results, const void *work, size_t work_size, dnn_filter *dwd, void *dw,
        const void *reserve, size_t reserve_size) noexcept nogil:
    cdef trial t
    cdef cudnnStatus_t status = trial_begun(&t, h, asked, returned, results)
    if status == CUDNN_STATUS_SUCCESS:
        status = rnn_backward_weights(h, d, steps, xs, x, hxd, hx, ys, y, work, work_size, dwd, dw, reserve,
                                      reserve_size)
        status = trial_ended(&t, h, d, status, work_size, returned, results)
    return status
