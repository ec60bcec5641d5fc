"""LSTMs that MIOpen has not, step by step: with a projection, with bounds of the cell state, of bfloat16.

All is computed as float, in memory of our own that has a row for each step of each sequence, the longest sequence first: what
is alive at a step is a run of rows. Rows beyond a sequence's end are zeros. A row of gates is i f o g, as MIOpen's weights have
them, so that the three that are squashed alike lie together; the weights lie as MIOpen has them too, and projections behind.

    c' = f·clip(c) + i·g        h' = P·(o·tanh(clip(c')))

A cell is clipped where it is read, the first one too, and goes out as it is (seen on an H200). What the backward passes need
(gates, cells, layers' outputs) and what the first of them leaves for the second (gradients of gates and outputs) is in the
reserve space; in inference there is room for one layer at a time, in the workspace.
"""

include "generated.pxi"
include "cudnn_abi.pxi"
include "cudnn_backend.pxi"
include "cudnn_translate.pxi"
include "slots.pxi"
include "say.pxi"
include "words.pxi"
include "amd.pxi"
include "net.pxi"

from libc.stdint cimport INT32_MAX

cdef extern from "support.h" nogil:
    int DNN_WORK
    int dnn_type_bytes(int type)
    uint32_t dnn_fill(dnn_handle *h, dnn_tensor *d, double value, void *y)
    uint32_t dnn_moved(dnn_handle *h, void *work, double alpha, dnn_tensor *xd, const void *x, double beta, dnn_tensor *yd,
                       void *y)
    uint32_t dnn_activated(dnn_handle *h, int mode, double alpha, double beta, double gamma, dnn_tensor *row,
                           const void *x, void *y)

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
    bint casts  # the data are no floats
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
    cdef int64_t gates = 4 * <int64_t>n.d.hidden
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
    cdef int64_t gates = 4 * <int64_t>n.d.hidden
    cdef int64_t at = matrix_at(n, n.d.layers, 0, 0)
    if n.d.bias == CUDNN_RNN_NO_BIAS:
        return at
    return at + layer * 2 * sides * gates + (kind * sides + side) * gates


cdef inline bint has_bias(const dnn_rnn *d, int kind) noexcept nogil:
    return d.bias == CUDNN_RNN_DOUBLE_BIAS or d.bias == (CUDNN_RNN_SINGLE_REC_BIAS if kind else CUDNN_RNN_SINGLE_INP_BIAS)


cdef public size_t dnn_stepwise_weights(const dnn_net *n) noexcept nogil:
    """Bytes."""
    cdef int64_t count = bias_at(n, n.d.layers, 0, 0)
    if n.d.projected != n.d.hidden:
        count = matrix_at(n, n.d.layers, 0, 2)
    return <size_t>count * <size_t>dnn_type_bytes(n.type)


cdef public int dnn_stepwise_place(const dnn_net *n, int layer, int gate, int bias, dnn_tensor *d,
        size_t *offset) noexcept nogil:
    """One gate's matrix or bias, or with gate 8 the projection; `layer` counts both directions. 0: there is none."""
    cdef int sides = 2 if n.d.direction == CUDNN_BIDIRECTIONAL else 1
    cdef int kind = 1 if gate >= 4 else 0
    cdef int place = gate - 4 * kind
    cdef int64_t at
    d.count = 0
    if gate > 8 or (gate == 8 and (bias or n.d.projected == n.d.hidden)):
        return 0
    if place > 1 and place < 4:
        place = 5 - place  # the output gate lies before the candidate
    if gate == 8:
        at = matrix_at(n, layer // sides, layer % sides, 2)
        d.dim[1] = n.d.projected
        d.dim[2] = n.d.hidden
    elif bias:
        if not has_bias(n.d, kind):
            return 0
        at = bias_at(n, layer // sides, layer % sides, kind) + <int64_t>place * n.d.hidden
        d.dim[1] = n.d.hidden
        d.dim[2] = 1
    else:
        d.dim[1] = n.d.hidden
        d.dim[2] = n.d.projected if kind else <int32_t>row_of_input(n, layer // sides)
        if d.dim[2] == 0:
            return 0
        at = matrix_at(n, layer // sides, layer % sides, kind) + <int64_t>place * n.d.hidden * d.dim[2]
    offset[0] = <size_t>at * <size_t>dnn_type_bytes(n.type)
    d.count = 3
    d.dim[0] = 1
    d.stride[0] = d.dim[1] * d.dim[2]
    d.stride[1] = d.dim[2]
    d.stride[2] = 1
    return 1


# ---- memory

cdef uint32_t planned(plan *p, dnn_net *n) noexcept nogil:
    """Where everything lies; tells the network what the program must give."""
    cdef size_t at = 0
    cdef size_t kept = 0
    cdef int64_t runs, states, weights, layers
    cdef size_t f = sizeof(float)
    memset(p, 0, sizeof(plan))
    p.n = n
    p.T = n.steps
    p.N = n.batch
    p.K = n.d.hidden
    p.P = n.d.projected
    p.V = n.input
    p.L = n.d.layers
    p.D = 2 if n.d.direction == CUDNN_BIDIRECTIONAL else 1
    p.projects = p.P != p.K
    p.clips = n.d.clip_mode == CUDNN_RNN_CLIP_MINMAX
    p.casts = n.type != CUDNN_DATA_FLOAT
    p.each = <size_t>dnn_type_bytes(n.type)
    p.rows = <int64_t>p.T * p.N
    if (4.0 * p.K > INT32_MAX or <double>p.D * p.P > INT32_MAX
            or <double>p.rows * larger(p.V, larger(4 * <int64_t>p.K, <int64_t>p.D * p.P)) > INT32_MAX
            or <double>p.L * p.D * p.N * p.K > INT32_MAX or <double>n.weights > <double>p.each * INT32_MAX):
        return cannot(b"weights, or a layer's data, of more than 2^31 - 1 elements")
    p.W = p.D * p.P
    p.G = 4 * p.K
    states = <int64_t>p.L * p.D * p.N
    weights = <int64_t>(n.weights // p.each)
    if p.casts:
        runs = larger(larger(p.rows * p.V, p.rows * p.W), states * p.K)
        p.cast = take(&at, <int64_t>(<size_t>DNN_WORK) + runs * <int64_t>p.each, 1)
        p.w = take(&at, weights, f)
    p.x = take(&at, p.rows * p.V, f)
    p.h0 = take(&at, states * p.P, f)
    p.c0 = take(&at, states * p.K, f)
    p.h = take(&at, states * p.P, f)
    p.c = take(&at, states * p.K, f)
    p.ones = take(&at, p.rows, f)
    if p.clips:
        p.low = take(&at, <int64_t>p.N * p.K, f)
        p.high = take(&at, <int64_t>p.N * p.K, f)
    p.spare_bytes = rounded(<size_t>p.N * <size_t>p.K * f)
    p.spare = take(&at, SPARE, p.spare_bytes)
    if n.training:
        p.flow[0] = take(&at, p.rows * larger(p.V, p.W), f)
        p.flow[1] = take(&at, p.rows * larger(p.V, p.W), f)
        p.out = take(&at, p.rows * p.K, f)
        if p.casts:
            p.dw = take(&at, weights, f)
    runs = <int64_t>p.L * p.D if n.training else 1
    layers = p.L if n.training else 2
    p.gates_bytes = rounded(<size_t>(p.rows * p.G) * f)
    p.gates = take(&kept, runs, p.gates_bytes)
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


cdef public uint32_t dnn_stepwise_spaces(dnn_net *n) noexcept nogil:
    """`n.steps` and `n.batch` are known."""
    cdef plan p
    return planned(&p, n)


cdef uint32_t opened(plan *p, dnn_net *n, void *work, void *reserve) noexcept nogil:
    cdef uint32_t status = planned(p, n)
    p.work = <char *>work
    p.kept = <char *>reserve if n.training else p.work + p.own_bytes
    return status


cdef inline float *own(const plan *p, size_t place) noexcept nogil:
    return <float *>(p.work + place)


cdef inline float *of_side(const plan *p, size_t place, size_t bytes, int layer, int side) noexcept nogil:
    """Of one direction of a layer, in what is kept."""
    return <float *>(p.kept + place + (<size_t>(layer * p.D + side) * bytes if p.n.training else 0))


cdef inline float *output_of(const plan *p, int layer) noexcept nogil:
    return <float *>(p.kept + p.y + <size_t>(layer if p.n.training else layer & 1) * p.y_bytes)


cdef inline float *spare(const plan *p, int i) noexcept nogil:
    return <float *>(p.work + p.spare + <size_t>i * p.spare_bytes)


# ---- sequences

cdef inline int sequence(const dnn_rows *d, int j) noexcept nogil:
    """The number of the one that is the j-th longest."""
    return d.lengths[d.batch + j] if d.reordered else j


cdef int alive(const plan *p, int t) noexcept nogil:
    """How many sequences have a step t."""
    cdef const dnn_rows *d = p.n.xd
    cdef int low = 0
    cdef int high = p.N
    cdef int middle
    if t < 0 or t >= p.T:
        return 0
    if p.n.batches is not NULL:
        return p.n.batches[t]
    while low < high:
        middle = (low + high) // 2
        if d.lengths[sequence(d, middle)] > t:
            low = middle + 1
        else:
            high = middle
    return low


cdef inline bint is_full(const plan *p) noexcept nogil:
    """Every sequence has every step."""
    return alive(p, p.T - 1) == p.N


cdef inline int layout_of(const plan *p) noexcept nogil:
    return p.n.xd.layout if p.n.xd is not NULL else CUDNN_RNN_DATA_LAYOUT_SEQ_MAJOR_PACKED


cdef inline bint lies_alike(const plan *p) noexcept nogil:
    """The program's data have the rows that ours have."""
    return is_full(p) and layout_of(p) != CUDNN_RNN_DATA_LAYOUT_BATCH_MAJOR_UNPACKED


cdef inline uint32_t hip_said(uint32_t status, const char *what) noexcept nogil:
    return 0 if status == 0 else dnn_failed(CUDNN_STATUS_EXECUTION_FAILED, what, status)


cdef uint32_t cleared(const plan *p, void *memory, size_t bytes) noexcept nogil:
    return hip_said(dg_hip.hipMemsetAsync(memory, 0, bytes, <hipStream_t>to_stream(p.n.h.stream)), b"hipMemsetAsync")


cdef uint32_t copied(const plan *p, void *to, size_t to_pitch, const void *source, size_t pitch, size_t width,
        int height) noexcept nogil:
    if height == 0 or width == 0:
        return 0
    if width == pitch and width == to_pitch:
        return hip_said(dg_hip.hipMemcpyAsync(
            to, source, width * <size_t>height, hipMemcpyDeviceToDevice, <hipStream_t>to_stream(p.n.h.stream)),
            b"hipMemcpyAsync")
    return hip_said(dg_hip.hipMemcpy2DAsync(
        to, to_pitch, source, pitch, width, <size_t>height, hipMemcpyDeviceToDevice, <hipStream_t>to_stream(p.n.h.stream)),
        b"hipMemcpy2DAsync")


cdef inline uint32_t carried(const plan *p, bint back, char *ours, size_t our_pitch, char *theirs, size_t their_pitch,
        size_t width, int height) noexcept nogil:
    if back:
        return copied(p, theirs, their_pitch, ours, our_pitch, width, height)
    return copied(p, ours, our_pitch, theirs, their_pitch, width, height)


cdef uint32_t carry_rows(const plan *p, bint back, char *ours, char *theirs, size_t row) noexcept nogil:
    """Sequences of rows of so many bytes between the program's memory and ours; `back`: to the program's."""
    cdef const dnn_rows *d = p.n.xd
    cdef size_t pitch = <size_t>p.N * row
    cdef size_t at
    cdef int t = 0
    cdef int j = 0
    cdef int i, count, end
    cdef uint32_t status = 0
    if layout_of(p) == CUDNN_RNN_DATA_LAYOUT_SEQ_MAJOR_PACKED:
        at = 0
        while t < p.T and status == 0:
            count = alive(p, t)
            end = t + 1
            while end < p.T and alive(p, end) == count:
                end += 1
            status = carried(p, back, ours + <size_t>t * pitch, pitch, theirs + at, <size_t>count * row,
                             <size_t>count * row, end - t)
            at += <size_t>count * row * <size_t>(end - t)
            t = end
        return status
    while j < p.N and status == 0:
        i = sequence(d, j)
        if d.layout == CUDNN_RNN_DATA_LAYOUT_BATCH_MAJOR_UNPACKED:
            status = carried(p, back, ours + <size_t>j * row, pitch, theirs + <size_t>i * <size_t>p.T * row, row, row,
                             d.lengths[i])
            j += 1
            continue
        end = j + 1
        while not d.reordered and end < p.N and d.lengths[end] == d.lengths[i]:
            end += 1
        status = carried(p, back, ours + <size_t>j * row, pitch, theirs + <size_t>i * row, pitch, <size_t>(end - j) * row,
                         d.lengths[i])
        j = end
    return status


cdef uint32_t carry_states(const plan *p, bint back, char *ours, char *theirs, size_t row) noexcept nogil:
    cdef const dnn_rows *d = p.n.xd
    cdef size_t pitch = <size_t>p.N * row
    cdef int j
    cdef uint32_t status = 0
    if d is NULL or not d.reordered:
        return carried(p, back, ours, pitch, theirs, pitch, pitch, p.L * p.D)
    for j in range(p.N):
        if status == 0:
            status = carried(p, back, ours + <size_t>j * row, pitch, theirs + <size_t>sequence(d, j) * row, pitch, row,
                             p.L * p.D)
    return status


cdef inline void line(dnn_tensor *d, int type, int64_t elements) noexcept nogil:
    d.type = type
    d.format = CUDNN_TENSOR_NCHW
    d.count = 1
    d.dim[0] = <int32_t>elements
    d.stride[0] = 1
    d.amd = NULL


cdef uint32_t cast(const plan *p, int64_t elements, int from_type, const void *source, int to_type, void *to,
        double beta) noexcept nogil:
    cdef dnn_tensor a, b
    line(&a, from_type, elements)
    line(&b, to_type, elements)
    return dnn_moved(p.n.h, p.work + p.cast, 1, &a, source, beta, &b, to)


cdef inline bint in_order(const plan *p) noexcept nogil:
    return p.n.xd is NULL or not p.n.xd.reordered


cdef uint32_t brought(const plan *p, const void *theirs, int width, float *place, const float **found) noexcept nogil:
    """The program's sequences as floats in rows of ours: as they are, or at `place`. NULL counts as zeros."""
    cdef char *raw = p.work + p.cast + <size_t>DNN_WORK
    cdef int64_t elements = p.rows * width
    cdef uint32_t status = 0
    found[0] = place
    if theirs is NULL:
        return cleared(p, place, <size_t>elements * sizeof(float))
    if lies_alike(p):
        if p.casts:
            return cast(p, elements, p.n.type, theirs, CUDNN_DATA_FLOAT, place, 0)
        found[0] = <const float *>theirs
        return 0
    if not p.casts:
        raw = <char *>place
    if not is_full(p):
        status = cleared(p, raw, <size_t>elements * p.each)
    if status == 0:
        status = carry_rows(p, False, raw, <char *>theirs, <size_t>width * p.each)
    if status == 0 and p.casts:
        status = cast(p, elements, p.n.type, raw, CUDNN_DATA_FLOAT, place, 0)
    return status


cdef uint32_t sent(const plan *p, const float *ours, int width, void *theirs) noexcept nogil:
    """The way back; what lies beyond the sequences' ends is left alone."""
    cdef char *raw = <char *>ours
    cdef int64_t elements = p.rows * width
    cdef uint32_t status
    if p.casts:
        raw = <char *>theirs if lies_alike(p) else p.work + p.cast + <size_t>DNN_WORK
        status = cast(p, elements, CUDNN_DATA_FLOAT, ours, p.n.type, raw, 0)
        if status != 0 or raw == theirs:
            return status
    if lies_alike(p):
        return copied(p, theirs, <size_t>width * p.each, raw, <size_t>width * p.each, <size_t>width * p.each, <int>p.rows)
    return carry_rows(p, True, raw, <char *>theirs, <size_t>width * p.each)


cdef uint32_t states_brought(const plan *p, const void *theirs, int width, float *place) noexcept nogil:
    """Always a copy, zeros for NULL."""
    cdef char *raw = p.work + p.cast + <size_t>DNN_WORK if p.casts else <char *>place
    cdef int64_t elements = <int64_t>p.L * p.D * p.N * width
    cdef uint32_t status = 0
    if theirs is NULL:
        return cleared(p, place, <size_t>elements * sizeof(float))
    if in_order(p) and p.casts:
        return cast(p, elements, p.n.type, theirs, CUDNN_DATA_FLOAT, place, 0)
    status = carry_states(p, False, raw, <char *>theirs, <size_t>width * p.each)
    if status == 0 and p.casts:
        status = cast(p, elements, p.n.type, raw, CUDNN_DATA_FLOAT, place, 0)
    return status


cdef uint32_t states_sent(const plan *p, const float *ours, int width, void *theirs) noexcept nogil:
    cdef char *raw = <char *>ours
    cdef int64_t elements = <int64_t>p.L * p.D * p.N * width
    cdef uint32_t status
    if theirs is NULL:
        return 0
    if p.casts:
        raw = <char *>theirs if in_order(p) else p.work + p.cast + <size_t>DNN_WORK
        status = cast(p, elements, CUDNN_DATA_FLOAT, ours, p.n.type, raw, 0)
        if status != 0 or raw == theirs:
            return status
    return carry_states(p, True, raw, <char *>theirs, <size_t>width * p.each)


# ---- products, and one element at a time; everything is float

cdef inline uint32_t product(const plan *p, bint turns_a, bint turns_b, int64_t m, int64_t n, int64_t k, const float *a,
        int64_t lda, const float *b, int64_t ldb, double beta, float *c, int64_t ldc) noexcept nogil:
    if k == 0 or m == 0:
        return 0
    return dnn_gemm(p.n.h, CUDNN_DATA_FLOAT, turns_a, turns_b, m, n, k, 1, a, lda, 0, b, ldb, 0, beta, c, ldc, 0, 1)


cdef inline void block(dnn_tensor *d, int rows, int columns, int pitch) noexcept nogil:
    d.type = CUDNN_DATA_FLOAT
    d.format = CUDNN_TENSOR_NCHW
    d.count = 2
    d.dim[0] = rows
    d.dim[1] = columns
    d.stride[0] = pitch
    d.stride[1] = 1
    d.amd = NULL


cdef uint32_t combined(const plan *p, int op, int rows, int columns, const float *a, int a_pitch, double b_factor,
        const float *b, int b_pitch, double beta, float *c, int c_pitch) noexcept nogil:
    """c ← op(a, b_factor·b) + β·c."""
    cdef dnn_tensor ad, bd, cd
    if rows == 0:
        return 0
    block(&ad, rows, columns, a_pitch)
    block(&bd, rows, columns, b_pitch)
    block(&cd, rows, columns, c_pitch)
    return dnn_op_tensor(p.n.h, op, 1, &ad, a, b_factor, &bd, b, beta, &cd, c)


cdef inline uint32_t multiplied(const plan *p, int rows, int columns, const float *a, int a_pitch, const float *b,
        int b_pitch, double beta, float *c, int c_pitch) noexcept nogil:
    return combined(p, miopenTensorOpMul, rows, columns, a, a_pitch, 1, b, b_pitch, beta, c, c_pitch)


cdef inline uint32_t added(const plan *p, int rows, int columns, const float *a, int a_pitch, const float *b, int b_pitch,
        float *c, int c_pitch) noexcept nogil:
    return combined(p, miopenTensorOpAdd, rows, columns, a, a_pitch, 1, b, b_pitch, 0, c, c_pitch)


cdef uint32_t squash(const plan *p, int mode, int rows, int columns, int pitch, const float *x, float *y) noexcept nogil:
    cdef dnn_tensor d
    if rows == 0:
        return 0
    block(&d, rows, columns, pitch)
    return dnn_activated(p.n.h, mode, 1, 1, 0, &d, x, y)


cdef uint32_t unsquash(const plan *p, int mode, int rows, int columns, int pitch, const float *y, const float *x,
        const float *grad, float *out) noexcept nogil:
    """The gradient from y, or of a ReLU from x; `out` may be `grad`."""
    cdef float one = 1
    cdef float zero = 0
    cdef dnn_tensor d
    cdef void *f
    cdef void *amd
    cdef uint32_t status
    if rows == 0:
        return 0
    block(&d, rows, columns, pitch)
    f = dnn_amd_activation(p.n.h, mode, 1, 1, 0)
    amd = dnn_amd_shape(p.n.h, d.type, d.count, d.dim, d.stride)
    if f is NULL or amd is NULL:
        return CUDNN_STATUS_NOT_SUPPORTED
    status = dg_miopen.miopenActivationBackward(
        <miopenHandle_t>p.n.h.amd, <miopenActivationDescriptor_t>f, &one, <miopenTensorDescriptor_t>amd, y,
        <miopenTensorDescriptor_t>amd, grad, <miopenTensorDescriptor_t>amd, x, &zero, <miopenTensorDescriptor_t>amd, out)
    return answered(status, b"miopenActivationBackward")


cdef uint32_t bounds_filled(const plan *p) noexcept nogil:
    cdef dnn_tensor d
    cdef uint32_t status
    if not p.clips:
        return 0
    line(&d, CUDNN_DATA_FLOAT, <int64_t>p.N * p.K)
    status = dnn_fill(p.n.h, &d, p.n.d.clip_low, own(p, p.low))
    return status if status != 0 else dnn_fill(p.n.h, &d, p.n.d.clip_high, own(p, p.high))


cdef uint32_t clipped(const plan *p, int rows, const float *c, float *memory, const float **found) noexcept nogil:
    """Cells within their bounds: `memory`, or as they are where there are no bounds. Of a NaN, MIOpen's minimum and maximum
    give the second operand."""
    cdef bint propagates = p.n.d.clip_nan == CUDNN_PROPAGATE_NAN
    cdef const float *low = own(p, p.low)
    cdef const float *high = own(p, p.high)
    cdef uint32_t status
    found[0] = c
    if not p.clips:
        return 0
    found[0] = memory
    if propagates:
        status = combined(p, miopenTensorOpMax, rows, p.K, low, p.K, 1, c, p.K, 0, memory, p.K)
        return status if status != 0 else combined(
            p, miopenTensorOpMin, rows, p.K, high, p.K, 1, memory, p.K, 0, memory, p.K)
    status = combined(p, miopenTensorOpMax, rows, p.K, c, p.K, 1, low, p.K, 0, memory, p.K)
    return status if status != 0 else combined(
        p, miopenTensorOpMin, rows, p.K, memory, p.K, 1, high, p.K, 0, memory, p.K)


cdef uint32_t through_clip(const plan *p, int rows, const float *c, float *grad) noexcept nogil:
    """The gradient of clipped cells, in place: none where a cell is beyond a bound. On a bound it passes, and where the cell is
    a NaN, of which the maximum gives the second operand."""
    cdef float *beyond = spare(p, 1)
    cdef float *below = spare(p, 3)
    cdef uint32_t status
    if not p.clips:
        return 0
    status = combined(p, miopenTensorOpAdd, rows, p.K, c, p.K, -1, own(p, p.high), p.K, 0, beyond, p.K)
    if status == 0:
        status = combined(p, miopenTensorOpAdd, rows, p.K, own(p, p.low), p.K, -1, c, p.K, 0, below, p.K)
    if status == 0:
        status = combined(p, miopenTensorOpMax, rows, p.K, beyond, p.K, 1, below, p.K, 0, beyond, p.K)
    if status == 0:
        status = unsquash(p, miopenActivationRELU, rows, p.K, p.K, beyond, beyond, grad, below)
    if status == 0:
        status = combined(p, miopenTensorOpAdd, rows, p.K, grad, p.K, -1, below, p.K, 0, grad, p.K)
    return status


# ---- a layer forward

cdef struct side:  # one direction of one layer
    int layer
    int number
    int width              # of the layer's input
    const float *x
    const float *w         # for the input, the state, the projection
    const float *r
    const float *projection
    const float *bias[2]   # NULL: there is none
    const float *h0
    const float *c0
    float *h               # states on their way: the last ones forward, the first ones' gradients backward
    float *c
    float *gates
    float *cells
    float *squashed
    float *y               # beginning at this direction's part of a row
    float *dgates
    float *dout


cdef void entered(const plan *p, side *s, int layer, int number, const float *x, const float *w) noexcept nogil:
    cdef int64_t state = <int64_t>(layer * p.D + number) * p.N
    cdef int kind
    s.layer = layer
    s.number = number
    s.width = p.V if layer == 0 else p.W
    s.x = x
    s.w = w + matrix_at(p.n, layer, number, 0)
    s.r = w + matrix_at(p.n, layer, number, 1)
    s.projection = w + matrix_at(p.n, layer, number, 2)
    for kind in range(2):
        s.bias[kind] = w + bias_at(p.n, layer, number, kind) if has_bias(p.n.d, kind) else NULL
    s.h0 = own(p, p.h0) + state * p.P
    s.c0 = own(p, p.c0) + state * p.K
    s.h = own(p, p.h) + state * p.P
    s.c = own(p, p.c) + state * p.K
    s.gates = of_side(p, p.gates, p.gates_bytes, layer, number)
    s.cells = of_side(p, p.cells, p.cells_bytes, layer, number)
    s.squashed = of_side(p, p.squashed, p.cells_bytes, layer, number)
    s.y = output_of(p, layer) + number * p.P
    s.dgates = of_side(p, p.dgates, p.gates_bytes, layer, number)
    s.dout = of_side(p, p.dout, p.dout_bytes, layer, number)


cdef inline int before(const side *s, int t) noexcept nogil:
    """The step that comes before in this direction."""
    return t - 1 if s.number == 0 else t + 1


cdef inline int both(const plan *p, const side *s, int t, int count) noexcept nogil:
    """How many of the sequences at a step were alive in the step before; the others begin with their first states."""
    cdef int old = alive(p, before(s, t))
    return old if old < count else count


cdef uint32_t from_input(const plan *p, const side *s) noexcept nogil:
    """All steps' gates, as far as they do not depend on states."""
    cdef dnn_tensor gd, xd
    cdef double beta = 0
    cdef int kind
    cdef uint32_t status = 0
    for kind in range(2):
        if s.bias[kind] is not NULL and status == 0:
            status = product(p, False, False, p.rows, p.G, 1, own(p, p.ones), 1, s.bias[kind], p.G, beta, s.gates, p.G)
            beta = 1
    if status != 0:
        return status
    if s.layer > 0 or p.n.d.input_mode != CUDNN_SKIP_INPUT:
        return product(p, False, True, p.rows, p.G, s.width, s.x, s.width, s.w, s.width, beta, s.gates, p.G)
    if beta == 0:
        status = cleared(p, s.gates, <size_t>(p.rows * p.G) * sizeof(float))
        if status != 0:
            return status
    line(&gd, CUDNN_DATA_FLOAT, p.rows)
    gd.count = 3
    gd.dim[1] = 4
    gd.dim[2] = p.K
    gd.stride[0] = p.G
    gd.stride[1] = p.K
    gd.stride[2] = 1
    xd = gd
    xd.dim[1] = 1
    xd.stride[0] = xd.stride[1] = p.K
    return dnn_op_tensor(p.n.h, miopenTensorOpAdd, 1, &gd, s.gates, 1, &xd, s.x, 0, &gd, s.gates)


cdef uint32_t step(const plan *p, const side *s, int t) noexcept nogil:
    cdef int count = alive(p, t)
    cdef int old = both(p, s, t, count)
    cdef int64_t row = <int64_t>t * p.N
    cdef int64_t last = <int64_t>before(s, t) * p.N if old > 0 else 0
    cdef float *gates = s.gates + row * p.G
    cdef float *cells = s.cells + row * p.K
    cdef float *squashed = s.squashed + row * p.K
    cdef float *y = s.y + row * p.W
    cdef const float *c
    cdef uint32_t status = product(p, False, True, old, p.G, p.P, s.y + last * p.W, p.W, s.r, p.P, 1, gates, p.G)
    if status == 0:
        status = product(p, False, True, count - old, p.G, p.P, s.h0 + <int64_t>old * p.P, p.P, s.r, p.P, 1,
                         gates + <int64_t>old * p.G, p.G)
    if status == 0:
        status = squash(p, miopenActivationLOGISTIC, count, 3 * p.K, p.G, gates, gates)
    if status == 0:
        status = squash(p, miopenActivationTANH, count, p.K, p.G, gates + 3 * p.K, gates + 3 * p.K)
    if status == 0:
        status = multiplied(p, count, p.K, gates, p.G, gates + 3 * p.K, p.G, 0, cells, p.K)
    if status == 0:
        status = clipped(p, old, s.cells + last * p.K, spare(p, 0), &c)
    if status == 0:
        status = multiplied(p, old, p.K, gates + p.K, p.G, c, p.K, 1, cells, p.K)
    if status == 0:
        status = clipped(p, count - old, s.c0 + <int64_t>old * p.K, spare(p, 0), &c)
    if status == 0:
        status = multiplied(p, count - old, p.K, gates + <int64_t>old * p.G + p.K, p.G, c, p.K, 1,
                            cells + <int64_t>old * p.K, p.K)
    if status == 0:
        status = clipped(p, count, cells, spare(p, 0), &c)
    if status == 0:
        status = squash(p, miopenActivationTANH, count, p.K, p.K, c, squashed)
    if status != 0:
        return status
    if not p.projects:
        return multiplied(p, count, p.K, gates + 2 * p.K, p.G, squashed, p.K, 0, y, p.W)
    status = multiplied(p, count, p.K, gates + 2 * p.K, p.G, squashed, p.K, 0, spare(p, 1), p.K)
    if status == 0:
        status = product(p, False, True, count, p.P, p.K, spare(p, 1), p.K, s.projection, p.K, 0, y, p.W)
    return status


cdef uint32_t ended(const plan *p, const side *s, int begin, int end, const float *h, int h_pitch,
        const float *c) noexcept nogil:
    """These sequences' last states: rows of h and c."""
    cdef size_t f = sizeof(float)
    cdef uint32_t status
    if begin >= end:
        return 0
    status = copied(p, s.h + <int64_t>begin * p.P, <size_t>p.P * f, h + <int64_t>begin * h_pitch, <size_t>h_pitch * f,
                    <size_t>p.P * f, end - begin)
    return status if status != 0 else copied(
        p, s.c + <int64_t>begin * p.K, <size_t>p.K * f, c + <int64_t>begin * p.K, <size_t>p.K * f, <size_t>p.K * f, end - begin)


cdef uint32_t last_states(const plan *p, const side *s) noexcept nogil:
    """What has no step keeps its first states."""
    cdef int t
    cdef int64_t row
    cdef uint32_t status = ended(p, s, alive(p, 0), p.N, s.h0, p.P, s.c0)
    for t in range(p.T if s.number == 0 else 1):
        row = <int64_t>t * p.N
        if status == 0:
            status = ended(p, s, alive(p, t + 1) if s.number == 0 else 0, alive(p, t), s.y + row * p.W, p.W,
                           s.cells + row * p.K)
    return status


cdef uint32_t dropped(const plan *p, int layer, bint back, const float *x, float *y) noexcept nogil:
    """The input of the layer after this one."""
    cdef char *mask = p.kept + p.masks + <size_t>layer * p.masks_bytes
    cdef dnn_tensor d
    cdef void *drawing = p.n.drops.amd
    cdef void *amd
    line(&d, CUDNN_DATA_FLOAT, p.rows * p.W)
    amd = dnn_amd_shape(p.n.h, d.type, d.count, d.dim, d.stride)
    if amd is NULL:
        return CUDNN_STATUS_NOT_SUPPORTED
    if back:
        return answered(dg_miopen.miopenDropoutBackward(
            <miopenHandle_t>p.n.h.amd, <miopenDropoutDescriptor_t>drawing, <miopenTensorDescriptor_t>amd,
            <miopenTensorDescriptor_t>amd, x, <miopenTensorDescriptor_t>amd, y, mask, p.masks_bytes),
            b"miopenDropoutBackward")
    drawing = dnn_dropout_drawing(p.n.h, p.n.drops)
    if drawing is NULL:
        return CUDNN_STATUS_BAD_PARAM
    return answered(dg_miopen.miopenDropoutForward(
        <miopenHandle_t>p.n.h.amd, <miopenDropoutDescriptor_t>drawing, <miopenTensorDescriptor_t>amd,
        <miopenTensorDescriptor_t>amd, x, <miopenTensorDescriptor_t>amd, y, mask, p.masks_bytes), b"miopenDropoutForward")


cdef inline float *input_of(const plan *p, int layer) noexcept nogil:
    """Of a layer but the first, in training."""
    if p.n.drops is not NULL:
        return <float *>(p.kept + p.dropped + <size_t>(layer - 1) * p.y_bytes)
    return output_of(p, layer - 1)


cdef uint32_t prepared(plan *p, dnn_net *n, void *work, void *reserve, const void *w, const float **weights) noexcept nogil:
    cdef dnn_tensor d
    cdef uint32_t status = opened(p, n, work, reserve)
    if status == 0:
        status = bounds_filled(p)
    if status == 0 and n.d.bias != CUDNN_RNN_NO_BIAS:
        line(&d, CUDNN_DATA_FLOAT, p.rows)
        status = dnn_fill(n.h, &d, 1, own(p, p.ones))
    weights[0] = <const float *>w
    if status == 0 and p.casts and w is not NULL:
        weights[0] = own(p, p.w)
        status = cast(p, <int64_t>(n.weights // p.each), n.type, w, CUDNN_DATA_FLOAT, own(p, p.w), 0)
    return status


cdef uint32_t layer_forward(const plan *p, int layer, const float *x, const float *weights) noexcept nogil:
    cdef side s
    cdef int number, i
    cdef uint32_t status = 0
    if not is_full(p):
        status = cleared(p, output_of(p, layer), p.y_bytes)
    for number in range(p.D):
        entered(p, &s, layer, number, x, weights)
        if status == 0:
            status = from_input(p, &s)
        if status == 0 and p.projects and not is_full(p):
            status = cleared(p, s.squashed, p.cells_bytes)
        for i in range(p.T):
            if status == 0:
                status = step(p, &s, i if number == 0 else p.T - 1 - i)
        if status == 0:
            status = last_states(p, &s)
    return status


cdef public uint32_t dnn_stepwise_forward(dnn_net *n, const void *x, const void *hx, const void *cx, const void *w, void *y,
        void *hy, void *cy, void *work, void *reserve) noexcept nogil:
    cdef plan p
    cdef const float *weights
    cdef const float *data
    cdef int layer
    cdef uint32_t status = prepared(&p, n, work, reserve, w, &weights)
    if status == 0:
        status = states_brought(&p, hx, p.P, own(&p, p.h0))
    if status == 0:
        status = states_brought(&p, cx, p.K, own(&p, p.c0))
    if status == 0:
        status = brought(&p, x, p.V, own(&p, p.x), &data)
    for layer in range(p.L):
        if status == 0 and layer > 0:
            data = output_of(&p, layer - 1)
            if n.drops is not NULL:
                status = dropped(&p, layer - 1, False, data, input_of(&p, layer))
                data = input_of(&p, layer)
        if status == 0:
            status = layer_forward(&p, layer, data, weights)
    if status == 0 and y is not NULL:
        status = sent(&p, output_of(&p, p.L - 1), p.W, y)
    if status == 0:
        status = states_sent(&p, own(&p, p.h), p.P, hy)
    if status == 0:
        status = states_sent(&p, own(&p, p.c), p.K, cy)
    return status


# ---- back through time

cdef uint32_t step_back(const plan *p, const side *s, int t, const float *dy) noexcept nogil:
    """s.h and s.c: gradients of the states after this step become those of the states before it."""
    cdef int count = alive(p, t)
    cdef int old = both(p, s, t, count)
    cdef int64_t row = <int64_t>t * p.N
    cdef int64_t last = <int64_t>before(s, t) * p.N if old > 0 else 0
    cdef const float *gates = s.gates + row * p.G
    cdef const float *cells = s.cells + row * p.K
    cdef const float *squashed = s.squashed + row * p.K
    cdef float *dgates = s.dgates + row * p.G
    cdef float *dh = s.h
    cdef float *through = spare(p, 0)
    cdef float *memory = spare(p, 1)
    cdef const float *c
    cdef uint32_t status
    if p.projects:
        dh = s.dout + row * p.P
    status = added(p, count, p.P, s.h, p.P, dy + row * p.W + s.number * p.P, p.W, dh, p.P)
    if status == 0 and p.projects:
        status = product(p, False, False, count, p.K, p.P, dh, p.P, s.projection, p.K, 0, spare(p, 2), p.K)
        dh = spare(p, 2)
    if status == 0:
        status = multiplied(p, count, p.K, dh, p.K, squashed, p.K, 0, dgates + 2 * p.K, p.G)
    if status == 0:
        status = multiplied(p, count, p.K, dh, p.K, gates + 2 * p.K, p.G, 0, through, p.K)
    if status == 0:
        status = unsquash(p, miopenActivationTANH, count, p.K, p.K, squashed, squashed, through, through)
    if status == 0:
        status = through_clip(p, count, cells, through)
    if status == 0:
        status = added(p, count, p.K, s.c, p.K, through, p.K, s.c, p.K)
    if status == 0:
        status = multiplied(p, count, p.K, s.c, p.K, gates + 3 * p.K, p.G, 0, dgates, p.G)
    if status == 0:
        status = multiplied(p, count, p.K, s.c, p.K, gates, p.G, 0, dgates + 3 * p.K, p.G)
    if status == 0:
        status = clipped(p, old, s.cells + last * p.K, memory, &c)
    if status == 0:
        status = multiplied(p, old, p.K, s.c, p.K, c, p.K, 0, dgates + p.K, p.G)
    if status == 0:
        status = clipped(p, count - old, s.c0 + <int64_t>old * p.K, memory, &c)
    if status == 0:
        status = multiplied(p, count - old, p.K, s.c + <int64_t>old * p.K, p.K, c, p.K, 0,
                            dgates + <int64_t>old * p.G + p.K, p.G)
    if status == 0:
        status = unsquash(p, miopenActivationLOGISTIC, count, 3 * p.K, p.G, gates, gates, dgates, dgates)
    if status == 0:
        status = unsquash(p, miopenActivationTANH, count, p.K, p.G, gates + 3 * p.K, gates + 3 * p.K, dgates + 3 * p.K,
                          dgates + 3 * p.K)
    if status == 0:
        status = multiplied(p, count, p.K, s.c, p.K, gates + p.K, p.G, 0, s.c, p.K)
    if status == 0:
        status = through_clip(p, old, s.cells + last * p.K, s.c)
    if status == 0:
        status = through_clip(p, count - old, s.c0 + <int64_t>old * p.K, s.c + <int64_t>old * p.K)
    if status == 0:
        status = product(p, False, False, count, p.P, p.G, dgates, p.G, s.r, p.P, 0, s.h, p.P)
    return status


cdef uint32_t to_input(const plan *p, const side *s, float *dx) noexcept nogil:
    """What one direction adds to the gradient of a layer's input."""
    cdef double beta = s.number
    cdef int rows = <int>p.rows
    cdef uint32_t status
    if s.layer > 0 or p.n.d.input_mode != CUDNN_SKIP_INPUT:
        return product(p, False, False, p.rows, s.width, p.G, s.dgates, p.G, s.w, s.width, beta, dx, s.width)
    status = combined(p, miopenTensorOpAdd, rows, p.K, s.dgates, p.G, 1, s.dgates + p.K, p.G, beta, dx, p.K)
    if status == 0:
        status = combined(p, miopenTensorOpAdd, rows, p.K, s.dgates + 2 * p.K, p.G, 1, s.dgates + 3 * p.K, p.G, 1, dx, p.K)
    return status


cdef uint32_t layer_back(const plan *p, int layer, const float *weights, const float *dy, float *dx) noexcept nogil:
    """dx is NULL where nobody asks for it."""
    cdef side s
    cdef int number, i
    cdef uint32_t status = 0
    for number in range(p.D):
        entered(p, &s, layer, number, NULL, weights)
        if status == 0 and not is_full(p):
            status = cleared(p, s.dgates, p.gates_bytes)
            if status == 0 and p.projects:
                status = cleared(p, s.dout, p.dout_bytes)
        for i in range(p.T):
            if status == 0:
                status = step_back(p, &s, p.T - 1 - i if number == 0 else i, dy)
        if status == 0 and dx is not NULL:
            status = to_input(p, &s, dx)
    return status


cdef public uint32_t dnn_stepwise_backward_data(dnn_net *n, const void *dy, const void *dhy, const void *dcy, const void *w,
        const void *cx, void *dx, void *dhx, void *dcx, void *work, void *reserve) noexcept nogil:
    cdef plan p
    cdef const float *weights
    cdef const float *grad
    cdef float *next = NULL
    cdef int layer, at
    cdef uint32_t status = prepared(&p, n, work, reserve, w, &weights)
    if status == 0:
        status = states_brought(&p, cx, p.K, own(&p, p.c0))
    if status == 0:
        status = states_brought(&p, dhy, p.P, own(&p, p.h))
    if status == 0:
        status = states_brought(&p, dcy, p.K, own(&p, p.c))
    if status == 0:
        status = brought(&p, dy, p.W, own(&p, p.flow[0]), &grad)
    at = 1
    layer = p.L - 1
    while layer >= 0 and status == 0:
        next = own(&p, p.flow[at]) if layer > 0 or dx is not NULL else NULL
        status = layer_back(&p, layer, weights, grad, next)
        if status == 0 and layer > 0 and n.drops is not NULL:
            status = dropped(&p, layer - 1, True, next, next)
        grad = next
        at = 1 - at
        layer -= 1
    if status == 0 and dx is not NULL:
        status = sent(&p, next, p.V, dx)
    if status == 0:
        status = states_sent(&p, own(&p, p.h), p.P, dhx)
    if status == 0:
        status = states_sent(&p, own(&p, p.c), p.K, dcx)
    return status


# ---- gradients of weights

cdef uint32_t states_weights(const plan *p, const side *s, float *dr) noexcept nogil:
    """dR ← dR + Σ dgatesᵀ·h of the step before. Beyond their ends both are zeros."""
    cdef int64_t inner = <int64_t>(p.T - 1) * p.N
    cdef int64_t one = p.N
    cdef int t, old, count
    cdef uint32_t status
    if s.number == 0:
        status = product(p, True, False, p.G, p.P, inner, s.dgates + one * p.G, p.G, s.y, p.W, 1, dr, p.P)
    else:
        status = product(p, True, False, p.G, p.P, inner, s.dgates, p.G, s.y + one * p.W, p.W, 1, dr, p.P)
    for t in range(p.T):
        if status != 0:
            break
        count = alive(p, t)
        old = both(p, s, t, count)
        status = product(p, True, False, p.G, p.P, count - old, s.dgates + (<int64_t>t * p.N + old) * p.G, p.G,
                         s.h0 + <int64_t>old * p.P, p.P, 1, dr, p.P)
    return status


cdef uint32_t side_weights(const plan *p, const side *s, float *dw) noexcept nogil:
    cdef int kind
    cdef float *out = own(p, p.out)
    cdef uint32_t status = 0
    if s.layer > 0 or p.n.d.input_mode != CUDNN_SKIP_INPUT:
        status = product(p, True, False, p.G, s.width, p.rows, s.dgates, p.G, s.x, s.width, 1,
                         dw + matrix_at(p.n, s.layer, s.number, 0), s.width)
    if status == 0:
        status = states_weights(p, s, dw + matrix_at(p.n, s.layer, s.number, 1))
    for kind in range(2):
        if status == 0 and s.bias[kind] is not NULL:
            status = product(p, False, False, 1, p.G, p.rows, own(p, p.ones), p.rows, s.dgates, p.G, 1,
                             dw + bias_at(p.n, s.layer, s.number, kind), p.G)
    if status != 0 or not p.projects:
        return status
    status = multiplied(p, <int>p.rows, p.K, s.gates + 2 * p.K, p.G, s.squashed, p.K, 0, out, p.K)
    if status == 0:
        status = product(p, True, False, p.P, p.K, p.rows, s.dout, p.P, out, p.K, 1,
                         dw + matrix_at(p.n, s.layer, s.number, 2), p.K)
    return status


cdef public uint32_t dnn_stepwise_backward_weights(dnn_net *n, const void *x, const void *hx, void *dw, void *work,
        void *reserve) noexcept nogil:
    """Added to what is there, as cuDNN does."""
    cdef plan p
    cdef side s
    cdef const float *unused
    cdef const float *data
    cdef float *sums = <float *>dw
    cdef int layer, number
    cdef uint32_t status = prepared(&p, n, work, reserve, NULL, &unused)
    if status == 0:
        status = states_brought(&p, hx, p.P, own(&p, p.h0))
    if status == 0:
        status = brought(&p, x, p.V, own(&p, p.x), &data)
    if status == 0 and p.casts:
        sums = own(&p, p.dw)
        status = cleared(&p, sums, n.weights // p.each * sizeof(float))
    for layer in range(p.L):
        if layer > 0:
            data = input_of(&p, layer)
        for number in range(p.D):
            entered(&p, &s, layer, number, data, sums)
            if status == 0:
                status = side_weights(&p, &s, sums)
    if status == 0 and p.casts:
        status = cast(&p, <int64_t>(n.weights // p.each), CUDNN_DATA_FLOAT, sums, n.type, dw, 1)
    return status
