# Recurrent networks. Blocks of tables/cudnn/rnn.yaml.

include "common.pxi"
include "contents.pxi"
include "recurrent.pxi"

from libc.string cimport memcmp


cdef public cudnnStatus_t create_rnn_descriptor(cudnnRNNDescriptor_t *place) noexcept nogil:
    cdef cudnnStatus_t status = dnn_new(<void **>place, DNN_RNN)
    if status == CUDNN_STATUS_SUCCESS:
        (<dnn_rnn *>place[0]).bias = CUDNN_RNN_DOUBLE_BIAS
    return status


cdef public cudnnStatus_t destroy_rnn_descriptor(dnn_rnn *d) noexcept nogil:
    return dnn_delete(d, DNN_RNN)


cdef public cudnnStatus_t set_rnn_descriptor_v8(dnn_rnn *d, cudnnRNNAlgo_t algo, cudnnRNNMode_t cell,
        cudnnRNNBiasMode_t bias, cudnnDirectionMode_t direction, cudnnRNNInputMode_t input_mode,
        cudnnDataType_t data_type, cudnnDataType_t math_type, cudnnMathType_t math, int32_t input_size, int32_t hidden,
        int32_t projected, int32_t layers, dnn_dropout *dropout, uint32_t flags) noexcept nogil:
    if <uint32_t>algo >= <uint32_t>CUDNN_RNN_ALGO_COUNT:
        return bad(b"algo is no algorithm")
    if <uint32_t>cell > <uint32_t>CUDNN_GRU:
        return bad(b"cellMode is no cell")
    if <uint32_t>bias > <uint32_t>CUDNN_RNN_SINGLE_REC_BIAS:
        return bad(b"biasMode is no bias mode")
    if <uint32_t>direction > <uint32_t>CUDNN_BIDIRECTIONAL:
        return bad(b"dirMode is neither UNIDIRECTIONAL nor BIDIRECTIONAL")
    if <uint32_t>input_mode > <uint32_t>CUDNN_SKIP_INPUT:
        return bad(b"inputMode is neither LINEAR_INPUT nor SKIP_INPUT")
    if dnn_type_bytes(<int>data_type) == 0 or dnn_type_bytes(<int>math_type) == 0:
        return cannot(b"a type is none of this version")
    if <uint32_t>math > <uint32_t>CUDNN_FMA_MATH:
        return bad(b"mathType is no math type")
    if input_size < 1 or hidden < 1 or layers < 1 or projected < 1:
        return bad(b"a size or the number of layers is not positive")
    if projected > hidden:
        return cannot(b"projSize is larger than hiddenSize")
    if projected != hidden and cell != <uint32_t>CUDNN_LSTM:
        return cannot(b"only an LSTM can have a projection")
    if projected != hidden and algo != <uint32_t>CUDNN_RNN_ALGO_STANDARD:
        return cannot(b"a projection with a persistent algorithm")
    if data_type == <uint32_t>CUDNN_DATA_DOUBLE and (algo == <uint32_t>CUDNN_RNN_ALGO_PERSIST_STATIC
                                                     or algo == <uint32_t>CUDNN_RNN_ALGO_PERSIST_STATIC_SMALL_H):
        return cannot(b"doubles with a static persistent algorithm")
    if flags & ~1u:
        return bad(b"auxFlags has unknown bits")
    d.algo = <int32_t>algo
    d.cell = <int32_t>cell
    d.bias = <int32_t>bias
    d.direction = <int32_t>direction
    d.input_mode = <int32_t>input_mode
    d.data_type = <int32_t>data_type
    d.math_type = <int32_t>math_type
    d.math = <int32_t>math
    d.input_size = input_size
    d.hidden = hidden
    d.projected = projected
    d.layers = layers
    d.dropout = dropout
    d.flags = flags
    d.set = 8
    return CUDNN_STATUS_SUCCESS


cdef public cudnnStatus_t get_rnn_descriptor_v8(dnn_rnn *d, cudnnRNNAlgo_t *algo, cudnnRNNMode_t *cell,
        cudnnRNNBiasMode_t *bias, cudnnDirectionMode_t *direction, cudnnRNNInputMode_t *input_mode,
        cudnnDataType_t *data_type, cudnnDataType_t *math_type, cudnnMathType_t *math, int32_t *input_size,
        int32_t *hidden, int32_t *projected, int32_t *layers, cudnnDropoutDescriptor_t *dropout,
        uint32_t *flags) noexcept nogil:
    if not d.set:
        return bad(b"the network was not set")
    give(<int *>algo, d.algo)
    give(<int *>cell, d.cell)
    give(<int *>bias, d.bias)
    give(<int *>direction, d.direction)
    give(<int *>input_mode, d.input_mode)
    give(<int *>data_type, d.data_type)
    give(<int *>math_type, d.math_type)
    give(<int *>math, d.math)
    give(<int *>input_size, d.input_size)
    give(<int *>hidden, d.hidden)
    give(<int *>projected, d.projected)
    give(<int *>layers, d.layers)
    if dropout is not NULL:
        dropout[0] = <cudnnDropoutDescriptor_t>d.dropout
    give(<int *>flags, <int>d.flags)
    return CUDNN_STATUS_SUCCESS


cdef public cudnnStatus_t rnn_set_clip_v8(dnn_rnn *d, cudnnRNNClipMode_t mode, cudnnNanPropagation_t nan, double low,
        double high) noexcept nogil:
    if mode == <uint32_t>CUDNN_RNN_CLIP_MINMAX and not low <= high:
        return bad(b"lclip is above rclip, or one of them is NaN")
    d.clip_mode = <int32_t>mode
    d.clip_nan = <int32_t>nan
    d.clip_low = low
    d.clip_high = high
    return CUDNN_STATUS_SUCCESS


cdef public cudnnStatus_t rnn_set_clip_v9(dnn_rnn *d, cudnnRNNClipMode_t mode, double low, double high) noexcept nogil:
    return rnn_set_clip_v8(d, mode, CUDNN_PROPAGATE_NAN, low, high)


cdef public cudnnStatus_t rnn_get_clip_v8(dnn_rnn *d, cudnnRNNClipMode_t *mode, cudnnNanPropagation_t *nan, double *low,
        double *high) noexcept nogil:
    return clip_of(d, mode, nan, low, high)


cdef public cudnnStatus_t rnn_get_clip_v9(dnn_rnn *d, cudnnRNNClipMode_t *mode, double *low,
        double *high) noexcept nogil:
    return rnn_get_clip_v8(d, mode, NULL, low, high)


cdef public cudnnStatus_t build_rnn_dynamic(dnn_handle *h, dnn_rnn *d, int batch) noexcept nogil:
    """Nothing is compiled ahead: MIOpen compiles by itself."""
    if batch < 1:
        return bad(b"miniBatch is not positive")
    if d.algo != CUDNN_RNN_ALGO_PERSIST_DYNAMIC:
        return bad(b"the network's algorithm is not PERSIST_DYNAMIC")
    return CUDNN_STATUS_SUCCESS


# ---- weights and spaces

cdef public cudnnStatus_t get_rnn_weight_space_size(dnn_handle *h, dnn_rnn *d, size_t *size) noexcept nogil:
    cdef dnn_net n
    cdef cudnnStatus_t status
    if size is NULL:
        return bad(b"weightSpaceSize is NULL")
    status = dnn_net_of(&n, h, d, d.data_type, d.input_size, 0)
    if status == CUDNN_STATUS_SUCCESS:
        size[0] = n.weights
    return status


cdef public cudnnStatus_t get_rnn_temp_space_sizes(dnn_handle *h, dnn_rnn *d, cudnnForwardMode_t mode, dnn_rnn_data *xd,
        size_t *work, size_t *reserve) noexcept nogil:
    cdef dnn_net n
    cdef dnn_net evaluated
    cdef cudnnStatus_t status
    if <uint32_t>mode > <uint32_t>CUDNN_FWD_MODE_TRAINING:
        return bad(b"fwdMode is neither INFERENCE nor TRAINING")
    status = dnn_net_of(&n, h, d, d.data_type, d.input_size, mode == <uint32_t>CUDNN_FWD_MODE_TRAINING)
    if status == CUDNN_STATUS_SUCCESS:
        status = dnn_net_sequences(&n, xd, NULL)
    if status != CUDNN_STATUS_SUCCESS:
        return status
    if mode == <uint32_t>CUDNN_FWD_MODE_TRAINING and work is not NULL:
        # a trainer evaluates in the workspace that it trains in: NVIDIA's is never smaller than inference's
        status = dnn_net_of(&evaluated, h, d, d.data_type, d.input_size, 0)
        if status == CUDNN_STATUS_SUCCESS:
            status = dnn_net_sequences(&evaluated, xd, NULL)
        if status != CUDNN_STATUS_SUCCESS:
            return status
        work[0] = n.work if n.work > evaluated.work else evaluated.work
    elif work is not NULL:
        work[0] = n.work
    if reserve is not NULL:
        reserve[0] = n.reserve
    return CUDNN_STATUS_SUCCESS


cdef public cudnnStatus_t get_rnn_weight_params(dnn_handle *h, dnn_rnn *d, int32_t layer, size_t size,
        const void *space, int32_t gate, dnn_tensor *md, void **matrix, dnn_tensor *bd, void **bias) noexcept nogil:
    """Where there is no matrix or bias, the address is NULL and the descriptor has no dimensions."""
    cdef dnn_net n
    cdef int projection = 8 if d.cell == CUDNN_LSTM else 6 if d.cell == CUDNN_GRU else 2  # may be asked for of any cell
    cdef int sides = 2 if d.direction == CUDNN_BIDIRECTIONAL else 1
    cdef int there = 0
    cdef size_t offset = 0
    cdef cudnnStatus_t status = dnn_net_of(&n, h, d, d.data_type, d.input_size, 0)
    if status != CUDNN_STATUS_SUCCESS:
        return status
    if md is NULL or bd is NULL or matrix is NULL or bias is NULL:
        return bad(b"a descriptor or a place for an address is NULL")
    if not 0 <= layer < d.layers * sides or not 0 <= gate <= projection:
        return bad(b"pseudoLayer or linLayerID is none of the network's")
    if size < n.weights:
        return bad(b"the weight space is too small")
    status = dnn_net_place(&n, layer, gate, 0, md, &offset, &there)
    if status != CUDNN_STATUS_SUCCESS:
        return status
    matrix[0] = <char *>space + offset if there else NULL
    status = dnn_net_place(&n, layer, gate, 1, bd, &offset, &there)
    if status != CUDNN_STATUS_SUCCESS:
        return status
    bias[0] = <char *>space + offset if there else NULL
    return CUDNN_STATUS_SUCCESS


# ---- the passes

cdef cudnnStatus_t begun(dnn_net *n, dnn_handle *h, dnn_rnn *d, int training, dnn_rnn_data *xd, dnn_rnn_data *yd,
        dnn_tensor *hd, const void *h0, const void *h1, dnn_tensor *cd, const void *c0, const void *c1) noexcept nogil:
    cdef cudnnStatus_t status = dnn_net_of(n, h, d, d.data_type, d.input_size, training)
    if status == CUDNN_STATUS_SUCCESS:
        status = dnn_net_sequences(n, xd, yd)
    if status == CUDNN_STATUS_SUCCESS:
        status = dnn_net_state(n, d.projected, hd, h0, h1)
    if status == CUDNN_STATUS_SUCCESS and d.cell == CUDNN_LSTM:
        status = dnn_net_state(n, d.hidden, cd, c0, c1)
    return status


cdef public cudnnStatus_t rnn_forward(dnn_handle *h, dnn_rnn *d, cudnnForwardMode_t mode, const int32_t *lengths,
        dnn_rnn_data *xd, const void *x, dnn_rnn_data *yd, void *y, dnn_tensor *hd, const void *hx, void *hy,
        dnn_tensor *cd, const void *cx, void *cy, size_t weights, const void *w, size_t work_size, void *work,
        size_t reserve_size, void *reserve) noexcept nogil:
    """The lengths are xDesc's: MIOpen reads none from the device. Any mode but TRAINING is INFERENCE."""
    cdef dnn_net n
    cdef int training = mode == <uint32_t>CUDNN_FWD_MODE_TRAINING
    cdef cudnnStatus_t status = begun(&n, h, d, training, xd, yd, hd, hx, hy, cd, cx, cy)
    if status == CUDNN_STATUS_SUCCESS:
        status = dnn_net_memory(&n, weights, work_size, work, reserve_size, reserve)
    if status != CUDNN_STATUS_SUCCESS:
        return status
    if w is NULL:
        return bad(b"weightSpace is NULL")
    return dnn_net_forward(&n, x, hx, cx, w, y, hy, cy, work, reserve)


cdef public cudnnStatus_t rnn_backward_data_v8(dnn_handle *h, dnn_rnn *d, const int32_t *lengths, dnn_rnn_data *yd,
        const void *y, const void *dy, dnn_rnn_data *xd, void *dx, dnn_tensor *hd, const void *hx, const void *dhy,
        void *dhx, dnn_tensor *cd, const void *cx, const void *dcy, void *dcx, size_t weights, const void *w,
        size_t work_size, void *work, size_t reserve_size, void *reserve) noexcept nogil:
    cdef dnn_net n
    cdef cudnnStatus_t status = begun(&n, h, d, 1, xd, yd, hd, hx, dhx, cd, cx, dcx)
    if status == CUDNN_STATUS_SUCCESS:
        status = dnn_net_memory(&n, weights, work_size, work, reserve_size, reserve)
    if status != CUDNN_STATUS_SUCCESS:
        return status
    if w is NULL or dy is NULL:
        return bad(b"weightSpace or dy is NULL")
    if dhy is not NULL and hd is NULL or dcy is not NULL and cd is NULL and d.cell == CUDNN_LSTM:
        return bad(b"states without a descriptor")
    if d.cell == CUDNN_LSTM and cd is not NULL and cd.count != 3:
        return bad(b"cDesc has not three dimensions")
    return dnn_net_backward_data(&n, y, dy, dhy, dcy, w, hx, cx, dx, dhx, dcx, work, reserve)


cdef public cudnnStatus_t rnn_backward_weights_v8(dnn_handle *h, dnn_rnn *d, cudnnWgradMode_t mode,
        const int32_t *lengths, dnn_rnn_data *xd, const void *x, dnn_tensor *hd, const void *hx, dnn_rnn_data *yd,
        const void *y, size_t weights, void *dw, size_t work_size, void *work, size_t reserve_size,
        void *reserve) noexcept nogil:
    cdef dnn_net n
    cdef cudnnStatus_t status
    if <uint32_t>mode > <uint32_t>CUDNN_WGRAD_MODE_SET:
        return bad(b"addGrad is neither ADD nor SET")
    if mode != <uint32_t>CUDNN_WGRAD_MODE_ADD:
        return cannot(b"addGrad is not ADD")
    status = begun(&n, h, d, 1, xd, yd, hd, hx, NULL, NULL, NULL, NULL)
    if status == CUDNN_STATUS_SUCCESS:
        status = dnn_net_memory(&n, weights, work_size, work, reserve_size, reserve)
    if status != CUDNN_STATUS_SUCCESS:
        return status
    if dw is NULL:
        return bad(b"dweightSpace is NULL")
    return dnn_net_backward_weights(&n, x, hx, y, dw, work, reserve)


# ---- sequences

cdef public cudnnStatus_t create_rnn_data_descriptor(cudnnRNNDataDescriptor_t *place) noexcept nogil:
    return dnn_new(<void **>place, DNN_RNN_DATA)


cdef public cudnnStatus_t destroy_rnn_data_descriptor(dnn_rnn_data *d) noexcept nogil:
    if d is not NULL:
        dnn_content_put(&d.content, NULL)
    return dnn_delete(d, DNN_RNN_DATA)


cdef inline bint comes_before(const int32_t *lengths, int32_t a, int32_t b) noexcept nogil:
    return lengths[a] > lengths[b] or (lengths[a] == lengths[b] and a < b)


cdef void sink(const int32_t *lengths, int32_t *order, int at, int count) noexcept nogil:
    """In a heap whose last sequence is on top."""
    cdef int32_t moved = order[at]
    cdef int next
    while 2 * at + 1 < count:
        next = 2 * at + 1
        if next + 1 < count and comes_before(lengths, order[next], order[next + 1]):
            next += 1
        if not comes_before(lengths, moved, order[next]):
            break
        order[at] = order[next]
        at = next
    order[at] = moved


cdef bint ordered(const int32_t *lengths, int count, int32_t *order) noexcept nogil:
    """Numbers of the sequences, the longest first; False: that is the order that they are in."""
    cdef bint falls = True
    cdef int32_t last
    cdef int i
    for i in range(count):
        order[i] = i
        falls = falls and (i == 0 or lengths[i] <= lengths[i - 1])
    if falls:
        return False
    i = count // 2
    while i > 0:
        i -= 1
        sink(lengths, order, i, count)
    i = count
    while i > 1:
        i -= 1
        last = order[0]
        order[0] = order[i]
        order[i] = last
        sink(lengths, order, 0, i)
    return True


cdef public cudnnStatus_t set_rnn_data_descriptor(dnn_rnn_data *d, cudnnDataType_t type, cudnnRNNDataLayout_t layout,
        int longest, int batch, int vector, const int *lengths, void *fill) noexcept nogil:
    cdef dnn_rows *rows
    cdef dnn_rows *before
    cdef bint same
    cdef int i
    if not (type == <uint32_t>CUDNN_DATA_FLOAT or type == <uint32_t>CUDNN_DATA_DOUBLE
            or type == <uint32_t>CUDNN_DATA_HALF or type == <uint32_t>CUDNN_DATA_BFLOAT16):
        return bad(b"dataType is no floating-point type")
    if <uint32_t>layout > <uint32_t>CUDNN_RNN_DATA_LAYOUT_BATCH_MAJOR_UNPACKED:
        return bad(b"layout is no layout")
    if longest < 1 or batch < 1 or vector < 1 or lengths is NULL:
        return bad(b"a size is not positive, or seqLengthArray is NULL")
    for i in range(batch):
        if lengths[i] < 0 or lengths[i] > longest:
            return bad(b"a length is negative or above maxSeqLength")
        if layout == <uint32_t>CUDNN_RNN_DATA_LAYOUT_SEQ_MAJOR_PACKED and i and lengths[i] > lengths[i - 1]:
            return bad(b"lengths of packed sequences do not fall")
    rows = <dnn_rows *>dnn_content_new(sizeof(dnn_rows) + 2 * <size_t>batch * sizeof(int32_t))
    if rows is NULL:
        return dnn_because(CUDNN_STATUS_ALLOC_FAILED, b"no memory for the lengths")
    memcpy(rows.lengths, lengths, <size_t>batch * sizeof(int32_t))
    rows.reordered = 1 if ordered(rows.lengths, batch, rows.lengths + batch) else 0
    rows.type = <int32_t>type
    rows.layout = <int32_t>layout
    rows.longest = longest
    rows.batch = batch
    rows.vector = vector
    rows.filled = 1 if fill is not NULL else 0
    if fill is not NULL:
        memcpy(&rows.fill, fill, <size_t>dnn_type_bytes(<int>type))
    before = <dnn_rows *>dnn_content_taken(&d.content)
    same = before is not NULL and before.batch == batch and memcmp(
        &before.type, &rows.type, sizeof(dnn_rows) - sizeof(dnn_content) + <size_t>batch * sizeof(int32_t)) == 0
    if same:
        dg_the_core.release(rows)  # the old one stays, of which MIOpen's descriptor is known
    else:
        dnn_content_put(&d.content, rows)
    dnn_content_left(before)
    return CUDNN_STATUS_SUCCESS


cdef public cudnnStatus_t get_rnn_data_descriptor(dnn_rnn_data *d, cudnnDataType_t *type, cudnnRNNDataLayout_t *layout,
        int *longest, int *batch, int *vector, int asked, int *lengths, void *fill) noexcept nogil:
    cdef dnn_rows *rows
    if asked < 0:
        return bad(b"arrayLengthRequested is negative")
    if type is NULL or layout is NULL or longest is NULL or batch is NULL or vector is NULL or lengths is NULL \
            or fill is NULL:
        return bad(b"a place for an answer is NULL")
    rows = <dnn_rows *>dnn_content_taken(&d.content)
    type[0] = <cudnnDataType_t>(rows.type if rows is not NULL else 0)
    layout[0] = <cudnnRNNDataLayout_t>(rows.layout if rows is not NULL else 0)
    longest[0] = rows.longest if rows is not NULL else 0
    batch[0] = rows.batch if rows is not NULL else 0
    vector[0] = rows.vector if rows is not NULL else 0
    if rows is not NULL:
        memcpy(lengths, rows.lengths, <size_t>(asked if asked < rows.batch else rows.batch) * sizeof(int))
        if rows.filled:
            memcpy(fill, &rows.fill, <size_t>dnn_type_bytes(rows.type))
    dnn_content_left(rows)
    return CUDNN_STATUS_SUCCESS
