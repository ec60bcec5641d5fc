# Recurrent networks: how their descriptors are told, and where weights lie. Include after miopen.pxi.
#
# Gates come in MIOpen's order: LSTM input, forget, output, candidate; GRU update, reset, candidate. A layer's matrices
# stand one behind the other, rows of the hidden size, each row as long as the layer's input: of both directions first
# those for the input, then those for the hidden state. All biases follow all matrices. Offsets count elements.

cdef inline bint is_rnn(const mi_rnn *rnn) noexcept nogil:
    return rnn != NULL and rnn.kind == MI_RNN


cdef inline bint is_seq(const mi_seq_tensor *seq) noexcept nogil:
    return seq != NULL and seq.kind == MI_SEQ_TENSOR and seq.lens != NULL


cdef inline int64_t gates_of(int mode) noexcept nogil:
    return 4 if mode == miopenLSTM else 3 if mode == miopenGRU else 1


cdef inline int64_t directions(const mi_rnn *rnn) noexcept nogil:
    return 1 + rnn.direction


cdef inline int64_t input_size(const mi_rnn *rnn, int64_t vector, int64_t layer) noexcept nogil:
    """Length of a row of a layer's input matrices; `layer` counts both directions apart."""
    if layer < directions(rnn):
        return 0 if rnn.input == miopenRNNskip else vector
    return rnn.hidden * directions(rnn)


cdef inline int64_t param_offset(const mi_rnn *rnn, int64_t vector, int64_t layer, int64_t param) noexcept nogil:
    """Matrix `param` of a layer: the gates' for the input, then theirs for the hidden state."""
    cdef int64_t gates = gates_of(rnn.mode), h = rnn.hidden, both = directions(rnn)
    cdef int64_t first = layer / both, side = layer % both, at = 0, row = input_size(rnn, vector, layer)
    if first > 0:
        at = both * gates * h * (input_size(rnn, vector, 0) + h)
        at += (first - 1) * both * gates * h * (both * h + h)
    if param < gates:
        return at + side * gates * h * row + param * h * row
    return at + both * gates * h * row + side * gates * h * h + (param - gates) * h * h


cdef inline int64_t bias_offset(const mi_rnn *rnn, int64_t vector, int64_t layer, int64_t bias) noexcept nogil:
    cdef int64_t gates = gates_of(rnn.mode), h = rnn.hidden, both = directions(rnn)
    cdef int64_t at = param_offset(rnn, vector, rnn.layers * both, 0)
    at += layer / both * both * 2 * gates * h + layer % both * gates * h
    return at + bias * h + ((both - 1) * gates * h if bias >= gates else 0)


cdef inline int64_t params_count(const mi_rnn *rnn, int64_t vector) noexcept nogil:
    cdef int64_t both = directions(rnn), count = param_offset(rnn, vector, rnn.layers * both, 0)
    if rnn.bias == miopenRNNwithBias:
        count += rnn.layers * both * 2 * gates_of(rnn.mode) * rnn.hidden
    return count


cdef inline bint skips(const mi_rnn *rnn, int layer, int param) noexcept nogil:
    """No such matrix: the first layer's input goes straight in."""
    return rnn.input == miopenRNNskip and layer < directions(rnn) and param < gates_of(rnn.mode)


cdef inline bint is_input(const mi_rnn *rnn, const mi_tensor *x) noexcept nogil:
    return is_rnn(rnn) and is_tensor(x) and x.dims >= 2


cdef inline bint is_place(const mi_rnn *rnn, int layer, int number) noexcept nogil:
    return 0 <= layer < rnn.layers * directions(rnn) and 0 <= number < 2 * gates_of(rnn.mode)
