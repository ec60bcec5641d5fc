"""Recurrent networks, through MIOpen's where it has them (else stepwise.pyx): what both of cuDNN's APIs (rnn.pxi,
rnn_old.pxi) have in common.

Weights lie as MIOpen has them, gates renumbered. A network with one bias a gate has MIOpen's two, of which one is kept
zero in a copy of the weights. MIOpen's backward pass leaves the gates' gradients in its workspace for the weights'
pass, while cuDNN's programs keep the reserve space alone between the two: in training MIOpen's workspace is
a part of it.

MIOpen leaves the recurrent bias out of the first step where hx is NULL, so that it is always given states: zeros.
"""

include "generated.pxi"
include "cudnn_abi.pxi"
include "cudnn_backend.pxi"
include "cudnn_translate.pxi"
include "slots.pxi"
include "say.pxi"
include "words.pxi"
include "shapes.pxi"
include "amd.pxi"
include "packed.pxi"
include "contents.pxi"
include "net.pxi"

from libc.stdint cimport INT32_MAX

cdef extern from "support.h" nogil:
    void *dnn_amd_rnn(dnn_handle *h, const dnn_rnn *d, int type, void *dropout)
    uint32_t dnn_ring_room(dnn_handle *h, int count)
    size_t dnn_stepwise_weights(const dnn_net *n)
    int dnn_stepwise_place(const dnn_net *n, int layer, int gate, int bias, dnn_tensor *d, size_t *offset)
    uint32_t dnn_stepwise_spaces(dnn_net *n)
    uint32_t dnn_stepwise_forward(dnn_net *n, const void *x, const void *hx, const void *cx, const void *w, void *y,
                                  void *hy, void *cy, void *work, void *reserve)
    uint32_t dnn_stepwise_backward_data(dnn_net *n, const void *dy, const void *dhy, const void *dcy, const void *w,
                                        const void *hx, const void *cx, void *dx, void *dhx, void *dcx, void *work,
                                        void *reserve)
    uint32_t dnn_stepwise_backward_weights(dnn_net *n, const void *x, const void *hx, void *dw, void *work,
                                           void *reserve)

cdef extern from *:
    """
    static inline void *published(void **place) { return __atomic_load_n(place, __ATOMIC_ACQUIRE); }
    static inline void publish(void **place, void *value) { __atomic_store_n(place, value, __ATOMIC_RELEASE); }
    """
    void *published(void **place) nogil
    void publish(void **place, void *value) nogil

cdef extern from "dragoman.h" nogil:
    bint dg_foreign(const void *handle, uint32_t magic)


cdef inline int directions(const dnn_rnn *d) noexcept nogil:
    return 2 if d.direction == CUDNN_BIDIRECTIONAL else 1


cdef inline bint has_one_bias(const dnn_rnn *d) noexcept nogil:
    return d.bias == CUDNN_RNN_SINGLE_INP_BIAS or d.bias == CUDNN_RNN_SINGLE_REC_BIAS


cdef inline int amd_gate(const dnn_rnn *d, int gate) noexcept nogil:
    """MIOpen's number of a gate: an LSTM's output gate comes before its candidate, a GRU's update gate is the first."""
    if d.cell == CUDNN_LSTM and gate > 1:
        return 5 - gate
    if d.cell == CUDNN_GRU and gate < 2:
        return 1 - gate
    return gate


# ---- descriptors

cdef uint32_t make_sequences(int type, uint32_t layout, int longest, int batch, int vector, const int *lengths,
        miopenSeqTensorDescriptor_t *place) noexcept nogil:
    cdef uint32_t status = dg_miopen.miopenCreateSeqTensorDescriptor(place)
    if status == 0:
        status = dg_miopen.miopenSetRNNDataSeqTensorDescriptor(
            place[0], <miopenDataType_t>to_dnn_type(<uint32_t>type), <miopenRNNBaseLayout_t>to_dnn_rnn_layout(layout),
            longest, batch, vector, lengths, NULL)
        if status != 0:
            dg_miopen.miopenDestroySeqTensorDescriptor(place[0])
    return answered(status, b"miopenSetRNNDataSeqTensorDescriptor")


cdef void *sequences(dnn_rows *d) noexcept nogil:
    """MIOpen's descriptor, made once for each content; `fill_padding` fills the padding, which MIOpen does not."""
    cdef miopenSeqTensorDescriptor_t made = NULL
    cdef bint fails = False
    cdef void *amd = published(&d.shared.amd)
    if amd is not NULL:
        return amd
    dg_the_core.lock()
    if d.shared.amd is NULL:
        if dg_miopen.miopenCreateSeqTensorDescriptor(&made) == 0:
            fails = dg_miopen.miopenSetRNNDataSeqTensorDescriptor(
                made, <miopenDataType_t>to_dnn_type(<uint32_t>d.type),
                <miopenRNNBaseLayout_t>to_dnn_rnn_layout(<uint32_t>d.layout), d.longest, d.batch, d.vector,
                <const int *>d.lengths, NULL) != 0
            if fails:
                dg_miopen.miopenDestroySeqTensorDescriptor(made)
            else:
                publish(&d.shared.amd, made)
    amd = d.shared.amd
    dg_the_core.unlock()
    if amd is NULL:
        dnn_because(CUDNN_STATUS_NOT_SUPPORTED, b"MIOpen takes no sequences of this kind")
    return amd


cdef void *matrix(dnn_handle *h, int type, int rows, int columns) noexcept nogil:
    cdef int32_t[2] dim
    cdef int32_t[2] stride
    dim[0] = rows
    dim[1] = columns
    stride[0] = columns
    stride[1] = 1
    return dnn_amd_shape(h, type, 2, dim, stride)


cdef uint32_t states_of(dnn_net *n) noexcept nogil:
    cdef int32_t[3] dim
    cdef int32_t[3] stride
    if <double>n.d.layers * directions(n.d) * n.batch * n.d.hidden > INT32_MAX:
        return cannot(b"states of more than 2^31 - 1 elements")
    dim[0] = n.d.layers * directions(n.d)
    dim[1] = n.batch
    dim[2] = n.d.hidden
    stride[0] = dim[1] * dim[2]
    stride[1] = dim[2]
    stride[2] = 1
    n.states = <size_t>dim[0] * <size_t>dim[1] * <size_t>dim[2] * <size_t>dnn_type_bytes(n.type)
    n.state = dnn_amd_shape(n.h, n.type, 3, dim, stride)
    return 0 if n.state is not NULL else CUDNN_STATUS_NOT_SUPPORTED


cdef public uint32_t dnn_net_of(dnn_net *n, dnn_handle *h, dnn_rnn *d, int type, int input,
        int training) noexcept nogil:
    """The network and its weights; `training` also for backward passes."""
    cdef dnn_dropout *dropout
    memset(n, 0, sizeof(dnn_net))
    n.h = h
    n.d = d
    n.type = type
    n.input = input
    n.training = training
    if not d.set or input < 1:
        return bad(b"the network was not set, or the size of its input is not known")
    if d.input_mode == CUDNN_SKIP_INPUT and input != d.hidden:
        return bad(b"SKIP_INPUT where the input is not of the hidden size")
    if not is_float_type(type):
        return cannot(b"a network of other than floating-point numbers")
    n.stepwise = (type == CUDNN_DATA_DOUBLE or type == CUDNN_DATA_BFLOAT16  # which MIOpen has not
                  or (d.cell == CUDNN_LSTM and (d.projected != d.hidden or d.clip_mode == CUDNN_RNN_CLIP_MINMAX)))
    if (<double>d.layers * directions(d) > INT32_MAX or <double>d.hidden * gates_of(d) * directions(d) > INT32_MAX
            or 2.0 * d.layers * directions(d) * gates_of(d) * d.hidden * (<double>input + 3.0 * d.hidden) > 1e16):
        return cannot(b"weights that are larger than any memory")
    if training and d.layers > 1 and d.dropout is not NULL:
        dropout = <dnn_dropout *>d.dropout
        if dg_foreign(dropout, DNN_DROPOUT):
            return bad(b"the network's dropout descriptor is destroyed")
        if dropout.rate != 0:
            if dropout.amd is NULL or dropout.states is NULL or not 0 <= dropout.rate <= 1:
                return bad(b"the network's dropout descriptor has no states, or a rate that is not from 0 to 1")
            n.drops = dropout
    if n.stepwise:
        n.weights = dnn_stepwise_weights(n)
        return 0
    n.rnn = dnn_amd_rnn(h, d, type, n.drops.amd if n.drops is not NULL else NULL)
    n.one = matrix(h, type, 1, input)
    if n.rnn is NULL or n.one is NULL:
        return CUDNN_STATUS_NOT_SUPPORTED
    return answered(dg_miopen.miopenGetRNNParamsSize(
        <miopenHandle_t>h.amd, <miopenRNNDescriptor_t>n.rnn, <miopenTensorDescriptor_t>n.one, &n.weights,
        <miopenDataType_t>to_dnn_type(<uint32_t>type)), b"miopenGetRNNParamsSize")


cdef public uint32_t dnn_net_place(dnn_net *n, int layer, int gate, int bias, dnn_tensor *d, size_t *offset,
        int *there) noexcept nogil:
    """A gate's matrix or bias in the weights: its shape, and where it begins, in bytes. `gate` is cuDNN's number."""
    cdef int gates = gates_of(n.d)
    cdef int amd = amd_gate(n.d, gate % gates) + (gates if gate >= gates else 0)
    cdef miopenTensorDescriptor_t shape = NULL
    cdef uint32_t status
    d.type = n.type
    d.format = CUDNN_TENSOR_NCHW
    d.amd = NULL
    d.count = 0
    there[0] = 0
    if n.stepwise:
        there[0] = dnn_stepwise_place(n, layer, gate, bias, d, offset)
        return 0
    if gate >= 2 * gates:  # a projection
        return 0
    if bias:
        if n.d.bias == CUDNN_RNN_NO_BIAS or n.d.bias == (
                CUDNN_RNN_SINGLE_REC_BIAS if gate < gates else CUDNN_RNN_SINGLE_INP_BIAS):
            return 0
    elif n.d.input_mode == CUDNN_SKIP_INPUT and layer < directions(n.d) and gate < gates:
        return 0
    status = dg_miopen.miopenCreateTensorDescriptor(&shape)
    if status == 0 and bias:
        status = dg_miopen.miopenGetRNNLayerBiasOffset(
            <miopenRNNDescriptor_t>n.rnn, layer, <miopenTensorDescriptor_t>n.one, amd, shape, offset)
    elif status == 0:
        status = dg_miopen.miopenGetRNNLayerParamOffset(
            <miopenRNNDescriptor_t>n.rnn, layer, <miopenTensorDescriptor_t>n.one, amd, shape, offset)
    if shape is not NULL:
        dg_miopen.miopenDestroyTensorDescriptor(shape)
    if status != 0:
        return answered(status, b"miopenGetRNNLayerBiasOffset" if bias else b"miopenGetRNNLayerParamOffset")
    offset[0] *= <size_t>dnn_type_bytes(n.type)
    there[0] = 1
    d.count = 3
    d.dim[0] = 1
    d.dim[1] = n.d.hidden
    d.dim[2] = 1 if bias else n.d.hidden
    if not bias and gate < gates:
        d.dim[2] = n.input if layer < directions(n.d) else n.d.hidden * directions(n.d)
    d.stride[0] = d.dim[1] * d.dim[2]
    d.stride[1] = d.dim[2]
    d.stride[2] = 1
    return 0


cdef size_t bytes_of(const dnn_rows *d) noexcept nogil:
    cdef size_t rows = 0
    cdef int i
    if d.layout != CUDNN_RNN_DATA_LAYOUT_SEQ_MAJOR_PACKED:
        rows = <size_t>d.longest * <size_t>d.batch
    else:
        for i in range(d.batch):
            rows += <size_t>d.lengths[i]
    return rows * <size_t>d.vector * <size_t>dnn_type_bytes(d.type)


cdef void asked(dnn_net *n) noexcept nogil:
    """The spaces that the program gives, from those that MIOpen asks for."""
    if n.training:
        n.work = rounded(n.states) + rounded(n.weights)
        n.reserve = rounded(n.amd_reserve) + rounded(n.amd_work)
    else:
        n.work = rounded(n.states) + (rounded(n.weights) if has_one_bias(n.d)
                                      else 0) + rounded(n.amd_work) + rounded(n.amd_reserve)
        n.reserve = 0


cdef uint32_t spaces_of(dnn_net *n, miopenSeqTensorDescriptor_t x) noexcept nogil:
    """MIOpen asks for its reserve space in inference too, but tells its size in training alone."""
    cdef size_t other = 0
    cdef uint32_t status = dg_miopen.miopenGetRNNTempSpaceSizes(
        <miopenHandle_t>n.h.amd, <miopenRNNDescriptor_t>n.rnn, x, miopenRNNTraining, &n.amd_work, &n.amd_reserve)
    if status == 0 and not n.training:
        status = dg_miopen.miopenGetRNNTempSpaceSizes(
            <miopenHandle_t>n.h.amd, <miopenRNNDescriptor_t>n.rnn, x, miopenRNNInference, &n.amd_work, &other)
    asked(n)
    return answered(status, b"miopenGetRNNTempSpaceSizes")


cdef public uint32_t dnn_net_sequences(dnn_net *n, dnn_rnn_data *x_desc, dnn_rnn_data *y_desc) noexcept nogil:
    """Sequences of a call; y's are NULL where only sizes are asked for."""
    cdef dnn_rows *xd = <dnn_rows *>dnn_held(n.h, 0, &x_desc.content)
    cdef dnn_rows *yd = NULL
    cdef uint32_t status
    cdef int i
    if xd is NULL:
        return bad(b"xDesc was not set")
    if y_desc is not NULL:
        yd = <dnn_rows *>dnn_held(n.h, 1, &y_desc.content)
        if yd is NULL:
            return bad(b"yDesc was not set")
    if xd.type != n.type or xd.vector != n.input:
        return bad(b"xDesc has another type or size of vectors than the network")
    n.batch = xd.batch
    if yd is not NULL:
        if yd.batch != xd.batch or yd.longest != xd.longest or yd.layout != xd.layout or yd.type != xd.type:
            return bad(b"xDesc and yDesc differ in layout, type or sizes")
        if yd.vector != n.d.projected * directions(n.d):
            return bad(b"yDesc has another size of vectors than the network's output")
        for i in range(xd.batch):
            if xd.lengths[i] != yd.lengths[i]:
                return bad(b"xDesc and yDesc differ in their lengths")
        if not n.stepwise:
            n.y = sequences(yd)
            if n.y is NULL:
                return CUDNN_STATUS_NOT_SUPPORTED
        n.y_bytes = bytes_of(yd)
    n.xd = xd
    n.yd = yd
    n.x_bytes = bytes_of(xd)
    if n.stepwise:
        n.steps = xd.longest
        return dnn_stepwise_spaces(n)
    n.x = sequences(xd)
    if n.x is NULL:
        return CUDNN_STATUS_NOT_SUPPORTED
    status = states_of(n)
    return status if status != 0 else spaces_of(n, <miopenSeqTensorDescriptor_t>n.x)


cdef public uint32_t dnn_net_largest(dnn_net *n, int batch, int steps, int padded) noexcept nogil:
    """Spaces for any sequences of these sizes, in inference and in training."""
    cdef miopenSeqTensorDescriptor_t x = NULL
    cdef size_t work
    cdef size_t reserve
    cdef uint32_t status
    cdef int i
    cdef int *lengths
    if n.stepwise:
        n.batch = batch
        n.steps = steps
        n.training = 0
        status = dnn_stepwise_spaces(n)
        work = n.work
        if status == 0:
            n.training = 1
            status = dnn_stepwise_spaces(n)
        n.work = n.work if n.work > work else work
        return status
    lengths = <int *>dnn_host(n.h, 1, <size_t>batch * sizeof(int))
    if lengths is NULL:
        return dnn_because(CUDNN_STATUS_ALLOC_FAILED, b"no memory for the lengths")
    for i in range(batch):
        lengths[i] = steps
    status = make_sequences(
        n.type, <uint32_t>(CUDNN_RNN_DATA_LAYOUT_BATCH_MAJOR_UNPACKED if padded
                           else CUDNN_RNN_DATA_LAYOUT_SEQ_MAJOR_PACKED), steps, batch, n.input, lengths, &x)
    if status != 0:
        return status
    n.batch = batch
    status = states_of(n)
    if status == 0:
        n.training = 0
        status = spaces_of(n, x)
    if status == 0:
        work = n.work
        n.training = 1
        status = spaces_of(n, x)
        if work > n.work:
            n.work = work
    dg_miopen.miopenDestroySeqTensorDescriptor(x)
    return status


cdef public uint32_t dnn_net_steps(dnn_net *n, int steps, const int32_t *batches, void **descs) noexcept nogil:
    """Packed sequences by the number of them in each step; `descs` has room for two descriptors a step."""
    cdef int t
    cdef int width = n.d.projected * directions(n.d)
    cdef size_t rows = 0
    cdef size_t size = <size_t>dnn_type_bytes(n.type)
    cdef uint32_t status
    if steps > INT32_MAX // 4:
        return cannot(b"more steps than there is memory for")
    if n.stepwise:
        n.steps = steps
        n.batch = batches[0]
        n.batches = batches
        return dnn_stepwise_spaces(n)
    status = dnn_ring_room(n.h, 2 * steps + 64)
    if status != 0:
        return status
    n.xs = descs
    n.ys = descs + steps
    n.steps = steps
    n.batch = batches[0]
    for t in range(steps):
        if t > 0 and batches[t] == batches[t - 1]:
            n.xs[t] = n.xs[t - 1]
            n.ys[t] = n.ys[t - 1]
        else:
            n.xs[t] = matrix(n.h, n.type, batches[t], n.input)
            n.ys[t] = matrix(n.h, n.type, batches[t], width)
        if n.xs[t] is NULL or n.ys[t] is NULL:
            return CUDNN_STATUS_NOT_SUPPORTED
        rows += <size_t>batches[t]
    n.x_bytes = rows * <size_t>n.input * size
    n.y_bytes = rows * <size_t>width * size
    status = states_of(n)
    if status == 0:
        status = answered(dg_miopen.miopenGetRNNWorkspaceSize(
            <miopenHandle_t>n.h.amd, <miopenRNNDescriptor_t>n.rnn, steps, <const miopenTensorDescriptor_t *>n.xs,
            &n.amd_work), b"miopenGetRNNWorkspaceSize")
    if status == 0:
        status = answered(dg_miopen.miopenGetRNNTrainingReserveSize(
            <miopenHandle_t>n.h.amd, <miopenRNNDescriptor_t>n.rnn, steps, <const miopenTensorDescriptor_t *>n.xs,
            &n.amd_reserve), b"miopenGetRNNTrainingReserveSize")
    asked(n)
    return status


# ---- what a program gives

cdef public uint32_t dnn_net_state(const dnn_net *n, int size, const dnn_tensor *d, const void *a,
        const void *b) noexcept nogil:
    """hx and hy of the projected size, or cx and cy of the hidden one: layers, sequences, size, packed. Type and more
    dimensions do not count."""
    cdef int32_t[3] dim
    cdef int64_t packed = 1
    cdef int i
    if d is NULL:
        return bad(b"states without a descriptor") if a is not NULL or b is not NULL else 0
    dim[0] = n.d.layers * directions(n.d)
    dim[1] = n.batch
    dim[2] = size
    if d.count < 3:
        return bad(b"a descriptor of states has not three dimensions")
    for i in range(2, -1, -1):
        if d.dim[i] != dim[i]:
            return bad(b"a descriptor of states has other sizes than layers, sequences, hidden or projected size")
        if dim[i] > 1 and d.stride[i] != packed:
            return bad(b"a descriptor of states is not packed")
        packed *= dim[i]
    return 0


cdef public uint32_t dnn_net_memory(const dnn_net *n, size_t weights, size_t work_size, const void *work,
        size_t reserve_size, const void *reserve) noexcept nogil:
    if weights < n.weights:
        return bad(b"the weight space is too small")
    if work is NULL or work_size < n.work:
        return bad(b"the workspace is NULL or too small")
    if n.training and (reserve is NULL or reserve_size < n.reserve):
        return bad(b"the reserve space is NULL or too small")
    return 0


cdef uint32_t zeros(dnn_net *n, void *memory, size_t bytes) noexcept nogil:
    cdef uint32_t status = dg_hip.hipMemsetAsync(memory, 0, bytes, <hipStream_t>to_stream(n.h.stream))
    return 0 if status == 0 else dnn_failed(CUDNN_STATUS_EXECUTION_FAILED, b"hipMemsetAsync", status)


cdef uint32_t weights_of(dnn_net *n, const void *w, void *memory, const void **found) noexcept nogil:
    """The weights, or with one bias a gate a copy in which the other is zero. MIOpen has all input biases of a layer
    before all recurrent ones, of both directions."""
    cdef size_t half = <size_t>(directions(n.d) * gates_of(n.d)) * <size_t>n.d.hidden * <size_t>dnn_type_bytes(n.type)
    cdef size_t at = n.weights - 2 * half * <size_t>n.d.layers
    cdef uint32_t status
    cdef int i
    found[0] = w
    if not has_one_bias(n.d):
        return 0
    found[0] = memory
    status = dg_hip.hipMemcpyAsync(memory, w, n.weights, hipMemcpyDeviceToDevice, <hipStream_t>to_stream(n.h.stream))
    if status != 0:
        return dnn_failed(CUDNN_STATUS_EXECUTION_FAILED, b"hipMemcpyAsync", status)
    if n.d.bias == CUDNN_RNN_SINGLE_INP_BIAS:
        at += half
    for i in range(n.d.layers):
        status = zeros(n, <char *>memory + at, half)
        if status != 0:
            return status
        at += 2 * half
    return 0


cdef uint32_t states_given(dnn_net *n, const void **hx, const void **cx, void *memory) noexcept nogil:
    """Zeros in place of states that the program does not give."""
    cdef bint cells = n.d.cell == CUDNN_LSTM
    cdef uint32_t status = 0
    if hx[0] is NULL or (cells and cx[0] is NULL):
        status = zeros(n, memory, n.states)
    if hx[0] is NULL:
        hx[0] = memory
    if not cells:
        cx[0] = NULL
    elif cx[0] is NULL:
        cx[0] = memory
    return status


cdef uint32_t filled(dnn_net *n, const dnn_rows *d, char *rows, int count) noexcept nogil:
    """`count` rows of padding."""
    cdef size_t elements = <size_t>count * <size_t>d.vector
    cdef dnn_tensor row
    cdef double wide = 0
    cdef uint32_t status
    cdef uint32_t whole = 0
    cdef uint16_t half = 0
    if d.type == CUDNN_DATA_DOUBLE:
        memcpy(&wide, &d.fill, sizeof(wide))
        memset(&row, 0, sizeof(row))
        row.type = d.type
        row.count = 2
        row.dim[0], row.dim[1] = count, d.vector
        row.stride[0], row.stride[1] = d.vector, 1
        return dnn_fill(n.h, &row, wide, rows)
    if dnn_type_bytes(d.type) == 2:
        memcpy(&half, &d.fill, sizeof(half))
        status = dg_hip.hipMemsetD16Async(rows, half, elements, <hipStream_t>to_stream(n.h.stream))
    else:
        memcpy(&whole, &d.fill, sizeof(whole))
        status = dg_hip.hipMemsetD32Async(rows, <int>whole, elements, <hipStream_t>to_stream(n.h.stream))
    return 0 if status == 0 else dnn_failed(CUDNN_STATUS_EXECUTION_FAILED, b"hipMemsetD32Async", status)


cdef uint32_t fill_padding(dnn_net *n, const dnn_rows *d, void *data) noexcept nogil:
    """After MIOpen, which may leave anything behind the ends of sequences: each run of rows that belong to none."""
    cdef size_t row
    cdef int64_t i
    cdef int64_t first = 0
    cdef int64_t total
    cdef bint packed
    cdef bint ended
    cdef uint32_t status
    if d is NULL or not d.filled or d.layout == CUDNN_RNN_DATA_LAYOUT_SEQ_MAJOR_PACKED:
        return 0
    row = <size_t>d.vector * <size_t>dnn_type_bytes(d.type)
    total = <int64_t>d.longest * d.batch
    packed = d.layout == CUDNN_RNN_DATA_LAYOUT_BATCH_MAJOR_UNPACKED
    for i in range(total + 1):
        if i == total:
            ended = False
        elif packed:
            ended = i % d.longest >= d.lengths[i / d.longest]
        else:
            ended = i / d.batch >= d.lengths[i % d.batch]
        if not ended:
            if i > first:
                status = filled(n, d, <char *>data + <size_t>first * row, <int>(i - first))
                if status != 0:
                    return status
            first = i + 1
    return 0


# ---- the three passes

cdef public uint32_t dnn_net_forward(dnn_net *n, const void *x, const void *hx, const void *cx, const void *w, void *y,
        void *hy, void *cy, void *work, void *reserve) noexcept nogil:
    """Without a y there is none, and without an x it is zeros: so does NVIDIA's library."""
    cdef char *memory = <char *>work
    cdef char *spare
    cdef const void *weights = NULL
    cdef void *amd_work
    cdef void *amd_reserve
    cdef uint32_t status
    if n.stepwise:
        status = dnn_stepwise_forward(n, x, hx, cx, w, y, hy, cy, work, reserve)
        return status if status != 0 or y is NULL or n.xd is NULL else fill_padding(n, n.yd, y)
    status = states_given(n, &hx, &cx, memory)
    if status != 0:
        return status
    memory += rounded(n.states)
    status = weights_of(n, w, memory, &weights)
    if status != 0:
        return status
    if n.training:
        if n.drops is not NULL and dnn_dropout_drawing(n.h, n.drops) is NULL:
            return CUDNN_STATUS_BAD_PARAM
        amd_reserve = reserve
        amd_work = <char *>reserve + rounded(n.amd_reserve)
    else:
        if has_one_bias(n.d):
            memory += rounded(n.weights)
        amd_work = memory
        amd_reserve = memory + rounded(n.amd_work)
    if x is NULL or y is NULL:
        spare = <char *>dnn_scratch(n.h, rounded(n.x_bytes) + n.y_bytes)
        if spare is NULL:
            return dnn_because(CUDNN_STATUS_ALLOC_FAILED, b"no memory for an x or y that is not given")
        if x is NULL:
            x = spare
            status = zeros(n, spare, n.x_bytes)
            if status != 0:
                return status
        if y is NULL:
            y = spare + rounded(n.x_bytes)
    if n.d.cell != CUDNN_LSTM:
        cy = NULL
    if n.x is not NULL:
        status = answered(dg_miopen.miopenRNNForward(
            <miopenHandle_t>n.h.amd, <miopenRNNDescriptor_t>n.rnn,
            miopenRNNTraining if n.training else miopenRNNInference, <miopenSeqTensorDescriptor_t>n.x, x,
            <miopenTensorDescriptor_t>n.state, hx, hy, <miopenTensorDescriptor_t>n.state, cx, cy,
            <miopenSeqTensorDescriptor_t>n.y, y, weights, n.weights, amd_work, n.amd_work, amd_reserve, n.amd_reserve),
            b"miopenRNNForward")
        return status if status != 0 else fill_padding(n, n.yd, y)
    if n.training:
        return answered(dg_miopen.miopenRNNForwardTraining(
            <miopenHandle_t>n.h.amd, <miopenRNNDescriptor_t>n.rnn, n.steps, <const miopenTensorDescriptor_t *>n.xs, x,
            <miopenTensorDescriptor_t>n.state, hx, <miopenTensorDescriptor_t>n.state, cx,
            <miopenTensorDescriptor_t>n.state, weights, <const miopenTensorDescriptor_t *>n.ys, y,
            <miopenTensorDescriptor_t>n.state, hy, <miopenTensorDescriptor_t>n.state, cy, amd_work, n.amd_work,
            amd_reserve, n.amd_reserve), b"miopenRNNForwardTraining")
    return answered(dg_miopen.miopenRNNForwardInference(
        <miopenHandle_t>n.h.amd, <miopenRNNDescriptor_t>n.rnn, n.steps, <const miopenTensorDescriptor_t *>n.xs, x,
        <miopenTensorDescriptor_t>n.state, hx, <miopenTensorDescriptor_t>n.state, cx, <miopenTensorDescriptor_t>n.state,
        weights, <const miopenTensorDescriptor_t *>n.ys, y, <miopenTensorDescriptor_t>n.state, hy,
        <miopenTensorDescriptor_t>n.state, cy, amd_work, n.amd_work), b"miopenRNNForwardInference")


cdef public uint32_t dnn_net_backward_data(dnn_net *n, const void *y, const void *dy, const void *dhy, const void *dcy,
        const void *w, const void *hx, const void *cx, void *dx, void *dhx, void *dcx, void *work,
        void *reserve) noexcept nogil:
    cdef char *memory = <char *>work
    cdef const void *weights = NULL
    cdef void *amd_work = <char *>reserve + rounded(n.amd_reserve)
    cdef uint32_t status
    if n.stepwise:
        status = dnn_stepwise_backward_data(n, dy, dhy, dcy, w, hx, cx, dx, dhx, dcx, work, reserve)
        return status if status != 0 or dx is NULL or n.xd is NULL else fill_padding(n, n.xd, dx)
    status = states_given(n, &hx, &cx, memory)
    if status != 0:
        return status
    status = weights_of(n, w, memory + rounded(n.states), &weights)
    if status != 0:
        return status
    if dx is NULL:
        dx = dnn_scratch(n.h, n.x_bytes)
        if dx is NULL:
            return dnn_because(CUDNN_STATUS_ALLOC_FAILED, b"no memory for a dx that is not given")
    if n.d.cell != CUDNN_LSTM:
        dcy = NULL
        dcx = NULL
    if n.x is not NULL:
        status = answered(dg_miopen.miopenRNNBackwardSeqData(
            <miopenHandle_t>n.h.amd, <miopenRNNDescriptor_t>n.rnn, <miopenSeqTensorDescriptor_t>n.y, y, dy,
            <miopenTensorDescriptor_t>n.state, hx, dhy, dhx, <miopenTensorDescriptor_t>n.state, cx, dcy, dcx,
            <miopenSeqTensorDescriptor_t>n.x, dx, weights, n.weights, amd_work, n.amd_work, reserve, n.amd_reserve),
            b"miopenRNNBackwardSeqData")
        return status if status != 0 else fill_padding(n, n.xd, dx)
    return answered(dg_miopen.miopenRNNBackwardData(
        <miopenHandle_t>n.h.amd, <miopenRNNDescriptor_t>n.rnn, n.steps, <const miopenTensorDescriptor_t *>n.ys, y,
        <const miopenTensorDescriptor_t *>n.ys, dy, <miopenTensorDescriptor_t>n.state, dhy,
        <miopenTensorDescriptor_t>n.state, dcy, <miopenTensorDescriptor_t>n.state, weights,
        <miopenTensorDescriptor_t>n.state, hx, <miopenTensorDescriptor_t>n.state, cx,
        <const miopenTensorDescriptor_t *>n.xs, dx, <miopenTensorDescriptor_t>n.state, dhx,
        <miopenTensorDescriptor_t>n.state, dcx, amd_work, n.amd_work, reserve, n.amd_reserve), b"miopenRNNBackwardData")


cdef public uint32_t dnn_net_backward_weights(dnn_net *n, const void *x, const void *hx, const void *y, void *dw,
        void *work, void *reserve) noexcept nogil:
    """MIOpen writes the gradient, cuDNN adds it."""
    cdef char *memory = <char *>work
    cdef void *raw = memory + rounded(n.states)
    cdef void *amd_work = <char *>reserve + rounded(n.amd_reserve)
    cdef const void *cx = NULL
    cdef size_t elements = n.weights / <size_t>dnn_type_bytes(n.type)
    cdef dnn_tensor d
    cdef uint32_t status
    if n.stepwise:
        return dnn_stepwise_backward_weights(n, x, hx, dw, work, reserve)
    if elements > 0x7fffffff:
        return cannot(b"more than 2147483647 weights")
    if hx is NULL:
        hx = memory
        status = zeros(n, memory, n.states)
        if status != 0:
            return status
    if x is NULL:
        x = dnn_scratch(n.h, n.x_bytes)
        if x is NULL:
            return dnn_because(CUDNN_STATUS_ALLOC_FAILED, b"no memory for an x that is not given")
        status = zeros(n, <void *>x, n.x_bytes)
        if status != 0:
            return status
    if n.x is not NULL:
        status = answered(dg_miopen.miopenRNNBackwardWeightsSeqTensor(
            <miopenHandle_t>n.h.amd, <miopenRNNDescriptor_t>n.rnn, <miopenSeqTensorDescriptor_t>n.x, x,
            <miopenTensorDescriptor_t>n.state, hx, <miopenSeqTensorDescriptor_t>n.y, y, raw, n.weights, amd_work,
            n.amd_work, reserve, n.amd_reserve), b"miopenRNNBackwardWeightsSeqTensor")
    else:
        status = answered(dg_miopen.miopenRNNBackwardWeights(
            <miopenHandle_t>n.h.amd, <miopenRNNDescriptor_t>n.rnn, n.steps, <const miopenTensorDescriptor_t *>n.xs, x,
            <miopenTensorDescriptor_t>n.state, hx, <const miopenTensorDescriptor_t *>n.ys, y,
            <miopenTensorDescriptor_t>n.state, raw, amd_work, n.amd_work, reserve, n.amd_reserve),
            b"miopenRNNBackwardWeights")
    if status != 0:
        return status
    memset(&d, 0, sizeof(d))
    d.type = n.type
    d.count = 1
    d.dim[0] = <int32_t>elements
    d.stride[0] = 1
    return dnn_blended(n.h, 1, raw, 1, &d, dw)
