# One layer and direction of a recurrent network over all steps, in float: the products over all rows at once, the
# recurrence step by step.
#
# Rows stand step by step, in a step the sequences longest first, so that a step's rows are the first ones of the step
# before: those of step t are rows first[t] to first[t] + batch[t].
from libc.math cimport expf, tanhf
from libc.string cimport memcpy, memset

cdef extern from "openblas.h" nogil:
    enum:
        CBLAS_COLUMNS
    void scipy_cblas_sgemm64_(
        int order, int transa, int transb, int64_t m, int64_t n, int64_t k, float alpha, const float *a, int64_t lda,
        const float *b, int64_t ldb, float beta, float *c, int64_t ldc
    )

cdef enum:
    PLAIN = 111
    TRANSPOSED = 112

cdef struct Plan:
    int mode
    int layout
    int type
    bint bias
    bint skip
    int64_t gates
    int64_t kept       # arrays that a backward call needs of each layer
    int64_t hidden
    int64_t layers
    int64_t sides      # directions
    int64_t vector
    int64_t sequences
    int64_t steps
    int64_t rows
    int64_t *batch     # of each step
    int64_t *first
    int64_t *order     # the program's number of each sequence

cdef struct Cell:
    int64_t inputs     # 0: the input goes straight into each gate
    float *w           # gates·hidden × inputs
    float *u           # gates·hidden × hidden
    float *b_w
    float *b_u
    float *mixed       # rows × gates·hidden: the gates' sums, or their gradients
    float *kept        # kept × rows × hidden; the last is the output
    float *state       # sequences × hidden, carried from step to step
    float *cell_state
    float *before      # backward: what the forward pass began with
    float *cell_before
    float *step        # sequences × gates·hidden


cdef inline int64_t gates_of(int mode) noexcept nogil:
    return 4 if mode == miopenLSTM else 3 if mode == miopenGRU else 1


cdef inline int64_t kept_of(int mode) noexcept nogil:
    """LSTM: i, f, o, g, c, h. GRU: z, r, n, the candidate's recurrent part, h. Else h."""
    return 6 if mode == miopenLSTM else 5 if mode == miopenGRU else 1


cdef inline float sigmoid(float x) noexcept nogil:
    return 1 / (1 + expf(-x))


cdef inline void product(
    int transa, int transb, int64_t m, int64_t n, int64_t k, const float *a, int64_t lda, const float *b, int64_t ldb,
    float beta, float *c, int64_t ldc
) noexcept nogil:
    """C ← op(A)·op(B) + β·C, all row by row."""
    if m > 0 and n > 0:
        scipy_cblas_sgemm64_(CBLAS_COLUMNS, transb, transa, n, m, k, 1, b, ldb, a, lda, beta, c, ldc)


# ---- between the program's memory and ours ----

cdef inline void to_floats(int type, const void *memory, int64_t at, int64_t count, float *out) noexcept nogil:
    cdef int64_t i
    if type == miopenFloat:
        memcpy(out, <const float *>memory + at, <size_t>count * sizeof(float))
    else:
        for i in range(count):
            out[i] = rb_from_half((<const mi_half *>memory)[at + i])


cdef inline void from_floats(int type, const float *values, int64_t count, void *memory, int64_t at) noexcept nogil:
    cdef int64_t i
    if type == miopenFloat:
        memcpy(<float *>memory + at, values, <size_t>count * sizeof(float))
    else:
        for i in range(count):
            (<mi_half *>memory)[at + i] = rb_to_half(values[i])


cdef inline int64_t row_place(const Plan *p, int64_t t, int64_t s) noexcept nogil:
    """Which row of the program's tensor is sequence s at step t."""
    if p.layout == miopenRNNDataSeqMajorNotPadded:
        return p.first[t] + s
    if p.layout == miopenRNNDataSeqMajorPadded:
        return t * p.sequences + p.order[s]
    return p.order[s] * p.steps + t


cdef void take_rows(const Plan *p, const void *tensor, int64_t width, float *rows) noexcept nogil:
    cdef int64_t t, s
    for t in range(p.steps):
        for s in range(p.batch[t]):
            to_floats(p.type, tensor, row_place(p, t, s) * width, width, rows + (p.first[t] + s) * width)


cdef void put_rows(const Plan *p, const float *rows, int64_t width, void *tensor) noexcept nogil:
    cdef int64_t t, s
    for t in range(p.steps):
        for s in range(p.batch[t]):
            from_floats(p.type, rows + (p.first[t] + s) * width, width, tensor, row_place(p, t, s) * width)


cdef void take_states(const Plan *p, const void *tensor, int64_t k, float *states) noexcept nogil:
    """Of layer and direction k, longest sequence first; none are zeros."""
    cdef int64_t s
    for s in range(p.sequences):
        if tensor == NULL:
            memset(states + s * p.hidden, 0, <size_t>p.hidden * sizeof(float))
        else:
            to_floats(p.type, tensor, (k * p.sequences + p.order[s]) * p.hidden, p.hidden, states + s * p.hidden)


cdef void put_states(const Plan *p, void *tensor, int64_t k, const float *states) noexcept nogil:
    cdef int64_t s
    if tensor != NULL:
        for s in range(p.sequences):
            from_floats(p.type, states + s * p.hidden, p.hidden, tensor, (k * p.sequences + p.order[s]) * p.hidden)


cdef inline void apply_mask(float *values, const unsigned char *mask, int64_t count, float scale) noexcept nogil:
    cdef int64_t i
    for i in range(count):
        values[i] = values[i] * scale if mask[i] else 0


# ---- forward ----

cdef void mix_inputs(const Plan *p, const Cell *c, const float *x) noexcept nogil:
    """mixed ← x·Wᵀ + b; the candidate's recurrent bias of a GRU belongs to its recurrent part and comes later."""
    cdef int64_t row, j, width = p.gates * p.hidden, once = width
    cdef float *out
    if p.mode == miopenGRU:
        once = 2 * p.hidden
    if c.inputs > 0:
        product(PLAIN, TRANSPOSED, p.rows, width, c.inputs, x, c.inputs, c.w, c.inputs, 0, c.mixed, width)
    for row in range(p.rows):
        out = c.mixed + row * width
        if c.inputs == 0:
            for j in range(width):
                out[j] = x[row * p.hidden + j % p.hidden]
        if p.bias:
            for j in range(width):
                out[j] += c.b_w[j]
            for j in range(once):
                out[j] += c.b_u[j]


cdef void forward_row(const Plan *p, const Cell *c, int64_t row, int64_t s) noexcept nogil:
    """One sequence at one step."""
    cdef const float *x = c.mixed + row * p.gates * p.hidden
    cdef const float *u = c.step + s * p.gates * p.hidden
    cdef float *h = c.state + s * p.hidden
    cdef float *cell = c.cell_state + s * p.hidden
    cdef float *kept = c.kept + row * p.hidden
    cdef int64_t j, n = p.hidden, block = p.rows * p.hidden
    cdef float a, b, d, e, recurrent
    for j in range(n):
        if p.mode == miopenLSTM:
            a = sigmoid(x[j] + u[j])
            b = sigmoid(x[n + j] + u[n + j])
            d = sigmoid(x[2 * n + j] + u[2 * n + j])
            e = tanhf(x[3 * n + j] + u[3 * n + j])
            cell[j] = b * cell[j] + a * e
            h[j] = d * tanhf(cell[j])
            kept[j], kept[block + j], kept[2 * block + j], kept[3 * block + j] = a, b, d, e
            kept[4 * block + j], kept[5 * block + j] = cell[j], h[j]
        elif p.mode == miopenGRU:
            a = sigmoid(x[j] + u[j])
            b = sigmoid(x[n + j] + u[n + j])
            recurrent = u[2 * n + j] + (c.b_u[2 * n + j] if p.bias else 0)
            e = tanhf(x[2 * n + j] + b * recurrent)
            h[j] = (1 - a) * e + a * h[j]
            kept[j], kept[block + j], kept[2 * block + j], kept[3 * block + j] = a, b, e, recurrent
            kept[4 * block + j] = h[j]
        else:
            a = x[j] + u[j]
            h[j] = tanhf(a) if p.mode == miopenRNNTANH else a * (a > 0)
            kept[j] = h[j]


cdef void forward_cell(const Plan *p, Cell *c, int64_t side, const float *x, float *y, int64_t ldy) noexcept nogil:
    """`state` and `cell_state` begin with the initial and end with the final ones."""
    cdef int64_t i, t, s, width = p.gates * p.hidden
    mix_inputs(p, c, x)
    for i in range(p.steps):
        t = p.steps - 1 - i if side else i
        product(PLAIN, TRANSPOSED, p.batch[t], width, p.hidden, c.state, p.hidden, c.u, p.hidden, 0, c.step, width)
        for s in range(p.batch[t]):
            forward_row(p, c, p.first[t] + s, s)
            memcpy(y + (p.first[t] + s) * ldy, c.state + s * p.hidden, <size_t>p.hidden * sizeof(float))


# ---- backward ----

cdef inline const float *earlier(const Plan *p, int64_t side, int64_t t, int64_t s, const float *rows,
        const float *initial) noexcept nogil:
    """A state before step t: the neighbouring step's, or where the sequence begins the initial one."""
    if side == 0 and t > 0:
        return rows + (p.first[t - 1] + s) * p.hidden
    if side == 1 and t + 1 < p.steps and s < p.batch[t + 1]:
        return rows + (p.first[t + 1] + s) * p.hidden
    return initial + s * p.hidden


cdef void backward_row(const Plan *p, const Cell *c, int64_t side, int64_t t, int64_t s,
        const float *dy) noexcept nogil:
    """The gates' gradients; `state` becomes what goes back past the gates, `step` what goes into U."""
    cdef int64_t row = p.first[t] + s, j, n = p.hidden, block = p.rows * p.hidden
    cdef const float *kept = c.kept + row * n
    cdef float *d = c.mixed + row * p.gates * n
    cdef float *du = c.step + s * p.gates * n
    cdef float *dh = c.state + s * n
    cdef float *dc = c.cell_state + s * n
    cdef const float *h = earlier(p, side, t, s, c.kept + (p.kept - 1) * block, c.before)
    cdef const float *cell = NULL
    cdef float g, a, b, o, e, bent
    if p.mode == miopenLSTM:
        cell = earlier(p, side, t, s, c.kept + 4 * block, c.cell_before)
    for j in range(n):
        g = dy[j] + dh[j]
        if p.mode == miopenLSTM:
            a, b, o, e = kept[j], kept[block + j], kept[2 * block + j], kept[3 * block + j]
            bent = tanhf(kept[4 * block + j])
            dc[j] += g * o * (1 - bent * bent)
            d[j] = dc[j] * e * a * (1 - a)
            d[n + j] = dc[j] * cell[j] * b * (1 - b)
            d[2 * n + j] = g * bent * o * (1 - o)
            d[3 * n + j] = dc[j] * a * (1 - e * e)
            dc[j] *= b
            dh[j] = 0
        elif p.mode == miopenGRU:
            a, b, e = kept[j], kept[block + j], kept[2 * block + j]
            d[2 * n + j] = g * (1 - a) * (1 - e * e)
            d[j] = g * (h[j] - e) * a * (1 - a)
            d[n + j] = d[2 * n + j] * kept[3 * block + j] * b * (1 - b)
            dh[j] = g * a
        else:
            a = kept[j]
            d[j] = g * (1 - a * a) if p.mode == miopenRNNTANH else g * (a > 0)
            dh[j] = 0
    memcpy(du, d, <size_t>(p.gates * n) * sizeof(float))
    if p.mode == miopenGRU:
        for j in range(n):
            du[2 * n + j] *= kept[block + j]


cdef void backward_cell(
    const Plan *p, Cell *c, int64_t side, const float *dy, int64_t lddy, float *dx, int64_t inputs
) noexcept nogil:
    """`state` and `cell_state` begin with dhy, dcy and end with dhx, dcx; dx is added to."""
    cdef int64_t i, t, s, j, row, width = p.gates * p.hidden
    for i in range(p.steps):
        t = i if side else p.steps - 1 - i
        for s in range(p.batch[t]):
            backward_row(p, c, side, t, s, dy + (p.first[t] + s) * lddy)
        product(PLAIN, PLAIN, p.batch[t], p.hidden, width, c.step, width, c.u, p.hidden, 1, c.state, p.hidden)
    if c.inputs > 0:
        product(PLAIN, PLAIN, p.rows, inputs, width, c.mixed, width, c.w, inputs, 1, dx, inputs)
        return
    for row in range(p.rows):
        for j in range(width):
            dx[row * inputs + j % p.hidden] += c.mixed[row * width + j]


cdef void weights_of_cell(const Plan *p, Cell *c, int64_t side, const float *x, float *before) noexcept nogil:
    """dW, dU and the biases' gradients, into the weights' places. `before`: rows × hidden, to work with."""
    cdef int64_t t, s, row, j, n = p.hidden, width = p.gates * p.hidden, block = p.rows * p.hidden
    cdef float *d
    for t in range(p.steps):
        for s in range(p.batch[t]):
            memcpy(
                before + (p.first[t] + s) * n, earlier(p, side, t, s, c.kept + (p.kept - 1) * block, c.before),
                <size_t>n * sizeof(float)
            )
    if p.rows == 0:
        return
    if c.inputs > 0:
        product(TRANSPOSED, PLAIN, width, c.inputs, p.rows, c.mixed, width, x, c.inputs, 0, c.w, c.inputs)
    for row in range(p.rows):
        d = c.mixed + row * width
        if p.bias:
            for j in range(width):
                c.b_w[j] += d[j]
        if p.mode == miopenGRU:
            for j in range(n):
                d[2 * n + j] *= c.kept[block + row * n + j]
        if p.bias:
            for j in range(width):
                c.b_u[j] += d[j]
    product(TRANSPOSED, PLAIN, width, n, p.rows, c.mixed, width, before, n, 0, c.u, n)
