# Where the weights of a stepwise network lie, and all that it keeps (stepwise.pyx).

cdef enum:
    SPARE = 4  # of a step's own

cdef struct plan:
    dnn_net *n
    int T
    int N
    int K       # hidden
    int P       # of the output of one direction
    int V       # of x
    int L
    int D
    int W       # of a layer's output
    int G       # of a row of gates
    int I       # of the gates that the input has weights for, the first ones of a row
    int R       # where a row's gates begin that the state has weights for: as many
    bint lstm
    bint gru
    bint casts  # the data are of another type
    bint clips
    bint projects
    int64_t rows
    size_t each         # bytes of the data's type
    # where things lie in the workspace, in bytes
    size_t cast         # memory that a change of types needs, and data that come from or go to another type
    size_t x
    size_t w
    size_t h0
    size_t c0
    size_t h
    size_t c
    size_t ones
    size_t low
    size_t high
    size_t aside        # for a gradient through an activation
    size_t spare
    size_t spare_bytes
    size_t[2] flow      # between layers, backward
    size_t out
    size_t dw
    size_t own_bytes
    # in the reserve space, or behind all else; bytes from a layer, or one direction of it, to the next
    size_t gates
    size_t gates_bytes
    size_t cells
    size_t cells_bytes
    size_t squashed
    size_t dgates
    size_t dout
    size_t dout_bytes
    size_t y
    size_t y_bytes
    size_t dropped
    size_t masks
    size_t masks_bytes
    char *work
    char *kept


cdef inline size_t take(size_t *at, int64_t elements, size_t each) noexcept nogil:
    cdef size_t place = at[0]
    at[0] += rounded(<size_t>elements * each)
    return place


cdef inline int64_t larger(int64_t a, int64_t b) noexcept nogil:
    return a if a > b else b


cdef inline int64_t row_of_input(const dnn_net *n, int layer) noexcept nogil:
    """Elements in a row of a layer's input matrices: none where the input is skipped."""
    if layer == 0:
        return 0 if n.d.input_mode == CUDNN_SKIP_INPUT else n.input
    return <int64_t>n.d.projected * (2 if n.d.direction == CUDNN_BIDIRECTIONAL else 1)


# ---- weights, in elements

cdef int64_t matrix_at(const dnn_net *n, int layer, int side, int kind) noexcept nogil:
    """Of all gates, for the input (0) or the state (1), or (2) the projection. `layer` counts layers."""
    cdef int64_t sides = 2 if n.d.direction == CUDNN_BIDIRECTIONAL else 1
    cdef int64_t gates = gates_of(n.d) * <int64_t>n.d.hidden
    cdef int64_t own = row_of_input(n, layer)
    cdef int64_t at = 0
    if layer > 0:
        at = sides * gates * (row_of_input(n, 0) + n.d.projected)
        at += (layer - 1) * sides * gates * (sides * n.d.projected + n.d.projected)
    if kind == 0:
        return at + side * gates * own
    if kind == 1:
        return at + sides * gates * own + side * gates * n.d.projected
    at = bias_at(n, n.d.layers, 0, 0)
    return at + (layer * sides + side) * <int64_t>n.d.projected * n.d.hidden


cdef int64_t bias_at(const dnn_net *n, int layer, int side, int kind) noexcept nogil:
    cdef int64_t sides = 2 if n.d.direction == CUDNN_BIDIRECTIONAL else 1
    cdef int64_t gates = gates_of(n.d) * <int64_t>n.d.hidden
    cdef int64_t at = matrix_at(n, n.d.layers, 0, 0)
    if n.d.bias == CUDNN_RNN_NO_BIAS:
        return at
    return at + layer * 2 * sides * gates + (kind * sides + side) * gates


cdef inline bint has_bias(const dnn_rnn *d, int kind) noexcept nogil:
    return d.bias == CUDNN_RNN_DOUBLE_BIAS or d.bias == (
        CUDNN_RNN_SINGLE_REC_BIAS if kind else CUDNN_RNN_SINGLE_INP_BIAS)


# ---- memory

cdef uint32_t planned(plan *p, dnn_net *n) noexcept nogil:
    """Where everything lies; tells the network what the program must give."""
    cdef size_t at = 0
    cdef size_t kept = 0
    cdef int64_t runs, states, weights, layers
    cdef size_t f = sizeof(real)
    memset(p, 0, sizeof(plan))
    p.n = n
    p.T = n.steps
    p.N = n.batch
    p.K = n.d.hidden
    p.P = n.d.projected
    p.V = n.input
    p.L = n.d.layers
    p.D = 2 if n.d.direction == CUDNN_BIDIRECTIONAL else 1
    p.lstm = n.d.cell == CUDNN_LSTM
    p.gru = n.d.cell == CUDNN_GRU
    p.projects = p.P != p.K
    p.clips = p.lstm and n.d.clip_mode == CUDNN_RNN_CLIP_MINMAX
    p.casts = n.type != REAL
    p.each = <size_t>dnn_type_bytes(n.type)
    p.rows = <int64_t>p.T * p.N
    if (4.0 * p.K > INT32_MAX or <double>p.D * p.P > INT32_MAX
            or <double>p.rows * larger(p.V, larger(4 * <int64_t>p.K, <int64_t>p.D * p.P)) > INT32_MAX
            or <double>p.L * p.D * p.N * p.K > INT32_MAX or <double>n.weights > <double>p.each * INT32_MAX):
        return cannot(b"weights, or a layer's data, of more than 2^31 - 1 elements")
    p.W = p.D * p.P
    p.I = gates_of(n.d) * p.K
    p.R = p.K if p.gru else 0
    p.G = p.I + p.R
    states = <int64_t>p.L * p.D * p.N
    weights = <int64_t>(n.weights // p.each)
    if p.casts:
        runs = larger(larger(p.rows * p.V, p.rows * p.W), states * p.K)
        p.cast = take(&at, <int64_t>(<size_t>DNN_WORK) + runs * <int64_t>p.each, 1)
        p.w = take(&at, weights, f)
    p.x = take(&at, p.rows * p.V, f)
    p.h0 = take(&at, states * p.P, f)
    p.h = take(&at, states * p.P, f)
    if p.lstm:
        p.c0 = take(&at, states * p.K, f)
        p.c = take(&at, states * p.K, f)
    p.ones = take(&at, p.rows, f)
    if p.clips:
        p.low = take(&at, <int64_t>p.N * p.K, f)
        p.high = take(&at, <int64_t>p.N * p.K, f)
    if sizeof(real) > sizeof(float) and n.training:
        p.aside = take(&at, <int64_t>p.N * 3 * p.K, f)
    p.spare_bytes = rounded(<size_t>p.N * <size_t>p.K * f)
    p.spare = take(&at, SPARE, p.spare_bytes)
    if n.training:
        p.flow[0] = take(&at, p.rows * larger(p.V, p.W), f)
        p.flow[1] = take(&at, p.rows * larger(p.V, p.W), f)
        if p.projects:
            p.out = take(&at, p.rows * p.K, f)
        if p.casts:
            p.dw = take(&at, weights, f)
    runs = <int64_t>p.L * p.D if n.training else 1
    layers = p.L if n.training else 2
    p.gates_bytes = rounded(<size_t>(p.rows * p.G) * f)
    p.gates = take(&kept, runs, p.gates_bytes)
    if p.lstm:
        p.cells_bytes = rounded(<size_t>(p.rows * p.K) * f)
        p.cells = take(&kept, runs, p.cells_bytes)
        p.squashed = take(&kept, runs, p.cells_bytes)
    p.y_bytes = rounded(<size_t>(p.rows * p.W) * f)
    p.y = take(&kept, layers, p.y_bytes)
    if n.training:
        p.dgates = take(&kept, runs, p.gates_bytes)
        if p.projects:
            p.dout_bytes = rounded(<size_t>(p.rows * p.P) * f)
            p.dout = take(&kept, runs, p.dout_bytes)
        if n.drops is not NULL:
            p.masks_bytes = rounded(<size_t>(p.rows * p.W))
            p.dropped = take(&kept, layers - 1, p.y_bytes)
            p.masks = take(&kept, layers - 1, p.masks_bytes)
        n.work = at
        n.reserve = kept
    else:
        n.work = at + kept
        n.reserve = 0
    p.own_bytes = at
    return 0


cdef uint32_t opened(plan *p, dnn_net *n, void *work, void *reserve) noexcept nogil:
    cdef uint32_t status = planned(p, n)
    p.work = <char *>work
    p.kept = <char *>reserve if n.training else p.work + p.own_bytes
    return status


cdef inline real *own(const plan *p, size_t place) noexcept nogil:
    return <real *>(p.work + place)


cdef inline real *of_side(const plan *p, size_t place, size_t bytes, int layer, int side) noexcept nogil:
    """Of one direction of a layer, in what is kept."""
    return <real *>(p.kept + place + (<size_t>(layer * p.D + side) * bytes if p.n.training else 0))


cdef inline real *output_of(const plan *p, int layer) noexcept nogil:
    return <real *>(p.kept + p.y + <size_t>(layer if p.n.training else layer & 1) * p.y_bytes)


cdef inline real *spare(const plan *p, int i) noexcept nogil:
    return <real *>(p.work + p.spare + <size_t>i * p.spare_bytes)
