# A stepwise network forward and back through time (stepwise.pyx).

# ---- a layer forward

cdef struct side:  # one direction of one layer
    int layer
    int number
    int width              # of the layer's input
    const real *x
    const real *w         # for the input, the state, the projection
    const real *r
    const real *projection
    const real *bias[2]   # NULL: there is none
    const real *h0
    const real *c0
    real *h               # states on their way: the last ones forward, the first ones' gradients backward
    real *c
    real *gates
    real *cells
    real *squashed
    real *y               # beginning at this direction's part of a row
    real *dgates
    real *dout


cdef void entered(const plan *p, side *s, int layer, int number, const real *x, const real *w) noexcept nogil:
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


cdef inline int plain_mode(const plan *p) noexcept nogil:
    return miopenActivationRELU if p.n.d.cell == CUDNN_RNN_RELU else miopenActivationTANH


cdef inline uint32_t cells_brought(const plan *p, const void *theirs, size_t place) noexcept nogil:
    return states_brought(p, theirs, p.K, own(p, place)) if p.lstm else 0


cdef inline uint32_t cells_sent(const plan *p, void *theirs) noexcept nogil:
    return states_sent(p, own(p, p.c), p.K, theirs) if p.lstm else 0


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
    cdef bint skips = s.layer == 0 and p.n.d.input_mode == CUDNN_SKIP_INPUT
    cdef double beta = 0
    cdef int kind
    cdef uint32_t status = 0
    if p.R > 0 or (skips and p.n.d.bias == CUDNN_RNN_NO_BIAS):
        status = cleared(p, s.gates, <size_t>(p.rows * p.G) * sizeof(real))
        beta = 1
    for kind in range(2):
        if s.bias[kind] is not NULL and status == 0:
            status = product(p, False, False, p.rows, p.I, 1, own(p, p.ones), 1, s.bias[kind], p.I, beta,
                             s.gates + kind * p.R, p.G)
            beta = 1
    if status != 0:
        return status
    if not skips:
        return product(p, False, True, p.rows, p.I, s.width, s.x, s.width, s.w, s.width, beta, s.gates, p.G)
    as_line(&gd, REAL, p.rows)
    gd.count = 3
    gd.dim[1] = p.I // p.K
    gd.dim[2] = p.K
    gd.stride[0] = p.G
    gd.stride[1] = p.K
    gd.stride[2] = 1
    xd = gd
    xd.dim[1] = 1
    xd.stride[0] = xd.stride[1] = p.K
    return dnn_op_tensor(p.n.h, miopenTensorOpAdd, 1, &gd, s.gates, 1, &xd, s.x, 0, &gd, s.gates)


cdef uint32_t from_states(const plan *p, const side *s, int t, int count, int old) noexcept nogil:
    """A step's gates, as far as they depend on states."""
    cdef int64_t last = <int64_t>before(s, t) * p.N if old > 0 else 0
    cdef real *gates = s.gates + <int64_t>t * p.N * p.G + p.R
    cdef uint32_t status = product(p, False, True, old, p.I, p.P, s.y + last * p.W, p.W, s.r, p.P, 1, gates, p.G)
    return status if status != 0 else product(
        p, False, True, count - old, p.I, p.P, s.h0 + <int64_t>old * p.P, p.P, s.r, p.P, 1,
        gates + <int64_t>old * p.G, p.G)


cdef uint32_t less(const plan *p, const side *s, int t, int count, int old, const real *b, int b_pitch,
        real *out) noexcept nogil:
    """out ← the states before a step, less b."""
    cdef int64_t last = <int64_t>before(s, t) * p.N if old > 0 else 0
    cdef uint32_t status = combined(p, miopenTensorOpAdd, old, p.K, s.y + last * p.W, p.W, -1, b, b_pitch, 0, out, p.K)
    return status if status != 0 else combined(
        p, miopenTensorOpAdd, count - old, p.K, s.h0 + <int64_t>old * p.K, p.K, -1, b + <int64_t>old * b_pitch, b_pitch,
        0, out + <int64_t>old * p.K, p.K)


cdef uint32_t step_plain(const plan *p, const side *s, int t) noexcept nogil:
    """h' = f(…): kept as the gate too."""
    cdef int count = alive(p, t)
    cdef real *gates = s.gates + <int64_t>t * p.N * p.G
    cdef uint32_t status = from_states(p, s, t, count, both(p, s, t, count))
    if status == 0:
        status = squash(p, plain_mode(p), count, p.K, p.G, gates, gates)
    return status if status != 0 else copied(
        p, s.y + <int64_t>t * p.N * p.W, <size_t>p.W * sizeof(real), gates, <size_t>p.G * sizeof(real),
        <size_t>p.K * sizeof(real), count)


cdef uint32_t step_gru(const plan *p, const side *s, int t) noexcept nogil:
    """A row is n z r u, u what the state adds to the candidate n."""
    cdef int count = alive(p, t)
    cdef int old = both(p, s, t, count)
    cdef real *n = s.gates + <int64_t>t * p.N * p.G
    cdef real *z = n + p.K
    cdef real *r = z + p.K
    cdef real *y = s.y + <int64_t>t * p.N * p.W
    cdef uint32_t status = from_states(p, s, t, count, old)
    if status == 0:
        status = squash(p, miopenActivationLOGISTIC, count, 2 * p.K, p.G, z, z)
    if status == 0:
        status = multiplied(p, count, p.K, r, p.G, r + p.K, p.G, 1, n, p.G)
    if status == 0:
        status = squash(p, miopenActivationTANH, count, p.K, p.G, n, n)
    if status == 0:
        status = less(p, s, t, count, old, n, p.G, spare(p, 0))
    if status == 0:
        status = multiplied(p, count, p.K, z, p.G, spare(p, 0), p.K, 0, y, p.W)
    return status if status != 0 else added(p, count, p.K, y, p.W, n, p.G, y, p.W)


cdef uint32_t step_lstm(const plan *p, const side *s, int t) noexcept nogil:
    cdef int count = alive(p, t)
    cdef int old = both(p, s, t, count)
    cdef int64_t row = <int64_t>t * p.N
    cdef int64_t last = <int64_t>before(s, t) * p.N if old > 0 else 0
    cdef real *gates = s.gates + row * p.G
    cdef real *cells = s.cells + row * p.K
    cdef real *squashed = s.squashed + row * p.K
    cdef real *y = s.y + row * p.W
    cdef const real *c
    cdef uint32_t status = from_states(p, s, t, count, old)
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


cdef inline uint32_t step(const plan *p, const side *s, int t) noexcept nogil:
    return step_lstm(p, s, t) if p.lstm else step_gru(p, s, t) if p.gru else step_plain(p, s, t)


cdef uint32_t ended(const plan *p, const side *s, int begin, int end, const real *h, int h_pitch,
        const real *c) noexcept nogil:
    """These sequences' last states: rows of h and c."""
    cdef size_t f = sizeof(real)
    cdef uint32_t status
    if begin >= end:
        return 0
    status = copied(p, s.h + <int64_t>begin * p.P, <size_t>p.P * f, h + <int64_t>begin * h_pitch, <size_t>h_pitch * f,
                    <size_t>p.P * f, end - begin)
    return status if status != 0 or not p.lstm else copied(
        p, s.c + <int64_t>begin * p.K, <size_t>p.K * f, c + <int64_t>begin * p.K, <size_t>p.K * f, <size_t>p.K * f,
        end - begin)


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


cdef uint32_t dropped(const plan *p, int layer, bint back, const real *x, real *y) noexcept nogil:
    """The input of the layer after this one."""
    return dnn_dropped(p.n.h, p.n.drops, back, REAL, p.rows * p.W, x, y,
                       p.kept + p.masks + <size_t>layer * p.masks_bytes, NULL)


cdef inline real *input_of(const plan *p, int layer) noexcept nogil:
    """Of a layer but the first, in training."""
    if p.n.drops is not NULL:
        return <real *>(p.kept + p.dropped + <size_t>(layer - 1) * p.y_bytes)
    return output_of(p, layer - 1)


cdef uint32_t prepared(plan *p, dnn_net *n, void *work, void *reserve, const void *w,
        const real **weights) noexcept nogil:
    cdef dnn_tensor d
    cdef uint32_t status = opened(p, n, work, reserve)
    if status == 0:
        status = bounds_filled(p)
    if status == 0 and (n.d.bias != CUDNN_RNN_NO_BIAS or sizeof(real) > sizeof(float)):
        as_line(&d, REAL, p.rows)
        status = dnn_fill(n.h, &d, 1, own(p, p.ones))
    weights[0] = <const real *>w
    if status == 0 and p.casts and w is not NULL:
        weights[0] = own(p, p.w)
        status = cast(p, <int64_t>(n.weights // p.each), n.type, w, REAL, own(p, p.w), 0)
    return status


cdef uint32_t layer_forward(const plan *p, int layer, const real *x, const real *weights) noexcept nogil:
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


cdef uint32_t forward(dnn_net *n, const void *x, const void *hx, const void *cx, const void *w,
        void *y, void *hy, void *cy, void *work, void *reserve) noexcept nogil:
    cdef plan p
    cdef const real *weights
    cdef const real *data
    cdef int layer
    cdef uint32_t status = not_captured(n.h)
    if status == 0:
        status = prepared(&p, n, work, reserve, w, &weights)
    if status == 0:
        status = states_brought(&p, hx, p.P, own(&p, p.h0))
    if status == 0:
        status = cells_brought(&p, cx, p.c0)
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
        status = cells_sent(&p, cy)
    return status


# ---- back through time

cdef uint32_t step_back_plain(const plan *p, const side *s, int t, const real *dy) noexcept nogil:
    """s.h: the gradient of the state after this step becomes that of the state before it."""
    cdef int count = alive(p, t)
    cdef int64_t row = <int64_t>t * p.N
    cdef const real *gates = s.gates + row * p.G
    cdef real *dgates = s.dgates + row * p.G
    cdef uint32_t status = added(p, count, p.K, s.h, p.K, dy + row * p.W + s.number * p.K, p.W, dgates, p.G)
    if status == 0:
        status = unsquash(p, plain_mode(p), count, p.K, p.G, gates, gates, dgates, dgates)
    return status if status != 0 else product(p, False, False, count, p.K, p.I, dgates, p.G, s.r, p.K, 0, s.h, p.K)


cdef uint32_t step_back_gru(const plan *p, const side *s, int t, const real *dy) noexcept nogil:
    cdef int count = alive(p, t)
    cdef int old = both(p, s, t, count)
    cdef int64_t row = <int64_t>t * p.N
    cdef const real *n = s.gates + row * p.G
    cdef const real *z = n + p.K
    cdef const real *r = z + p.K
    cdef real *dn = s.dgates + row * p.G
    cdef real *dz = dn + p.K
    cdef real *dr = dz + p.K
    cdef uint32_t status = added(p, count, p.K, s.h, p.K, dy + row * p.W + s.number * p.K, p.W, s.h, p.K)
    if status == 0:
        status = less(p, s, t, count, old, n, p.G, spare(p, 0))
    if status == 0:
        status = multiplied(p, count, p.K, s.h, p.K, spare(p, 0), p.K, 0, dz, p.G)
    if status == 0:
        status = multiplied(p, count, p.K, s.h, p.K, z, p.G, 0, spare(p, 0), p.K)
    if status == 0:
        status = combined(p, miopenTensorOpAdd, count, p.K, s.h, p.K, -1, spare(p, 0), p.K, 0, dn, p.G)
    if status == 0:
        status = unsquash(p, miopenActivationTANH, count, p.K, p.G, n, n, dn, dn)
    if status == 0:
        status = multiplied(p, count, p.K, dn, p.G, r + p.K, p.G, 0, dr, p.G)
    if status == 0:
        status = unsquash(p, miopenActivationLOGISTIC, count, 2 * p.K, p.G, z, z, dz, dz)
    if status == 0:
        status = multiplied(p, count, p.K, dn, p.G, r, p.G, 0, dr + p.K, p.G)
    if status == 0:
        status = multiplied(p, count, p.K, s.h, p.K, z, p.G, 0, s.h, p.K)
    return status if status != 0 else product(p, False, False, count, p.K, p.I, dz, p.G, s.r, p.K, 1, s.h, p.K)


cdef uint32_t step_back_lstm(const plan *p, const side *s, int t, const real *dy) noexcept nogil:
    """s.h and s.c: gradients of the states after this step become those of the states before it."""
    cdef int count = alive(p, t)
    cdef int old = both(p, s, t, count)
    cdef int64_t row = <int64_t>t * p.N
    cdef int64_t last = <int64_t>before(s, t) * p.N if old > 0 else 0
    cdef const real *gates = s.gates + row * p.G
    cdef const real *cells = s.cells + row * p.K
    cdef const real *squashed = s.squashed + row * p.K
    cdef real *dgates = s.dgates + row * p.G
    cdef real *dh = s.h
    cdef real *through = spare(p, 0)
    cdef real *memory = spare(p, 1)
    cdef const real *c
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


cdef inline uint32_t step_back(const plan *p, const side *s, int t, const real *dy) noexcept nogil:
    if p.lstm:
        return step_back_lstm(p, s, t, dy)
    return step_back_gru(p, s, t, dy) if p.gru else step_back_plain(p, s, t, dy)


cdef uint32_t to_input(const plan *p, const side *s, real *dx) noexcept nogil:
    """What one direction adds to the gradient of a layer's input."""
    cdef double beta = s.number
    cdef int rows = <int>p.rows
    cdef int gate
    cdef uint32_t status = 0
    if s.layer > 0 or p.n.d.input_mode != CUDNN_SKIP_INPUT:
        return product(p, False, False, p.rows, s.width, p.I, s.dgates, p.G, s.w, s.width, beta, dx, s.width)
    for gate in range(p.I // p.K):
        if status != 0:
            break
        if gate == 0 and s.number == 0:
            status = copied(p, dx, <size_t>p.K * sizeof(real), s.dgates, <size_t>p.G * sizeof(real),
                            <size_t>p.K * sizeof(real), rows)
        else:
            status = added(p, rows, p.K, dx, p.K, s.dgates + gate * p.K, p.G, dx, p.K)
    return status


cdef uint32_t layer_back(const plan *p, int layer, const real *weights, const real *dy, real *dx) noexcept nogil:
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


cdef uint32_t backward_data(dnn_net *n, const void *dy, const void *dhy, const void *dcy, const void *w, const void *hx,
        const void *cx, void *dx, void *dhx, void *dcx, void *work, void *reserve) noexcept nogil:
    cdef plan p
    cdef const real *weights
    cdef const real *grad
    cdef real *next = NULL
    cdef int layer, at
    cdef uint32_t status = prepared(&p, n, work, reserve, w, &weights)
    if status == 0 and p.gru:
        status = states_brought(&p, hx, p.P, own(&p, p.h0))
    if status == 0:
        status = cells_brought(&p, cx, p.c0)
    if status == 0:
        status = states_brought(&p, dhy, p.P, own(&p, p.h))
    if status == 0:
        status = cells_brought(&p, dcy, p.c)
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
        status = cells_sent(&p, dcx)
    return status


# ---- gradients of weights

cdef uint32_t states_weights(const plan *p, const side *s, real *dr) noexcept nogil:
    """dR ← dR + Σ dgatesᵀ·h of the step before. Beyond their ends both are zeros."""
    cdef int64_t inner = <int64_t>(p.T - 1) * p.N
    cdef int64_t one = p.N
    cdef const real *dgates = s.dgates + p.R
    cdef int t, old, count
    cdef uint32_t status
    if s.number == 0:
        status = product(p, True, False, p.I, p.P, inner, dgates + one * p.G, p.G, s.y, p.W, 1, dr, p.P)
    else:
        status = product(p, True, False, p.I, p.P, inner, dgates, p.G, s.y + one * p.W, p.W, 1, dr, p.P)
    for t in range(p.T):
        if status != 0:
            break
        count = alive(p, t)
        old = both(p, s, t, count)
        status = product(p, True, False, p.I, p.P, count - old, dgates + (<int64_t>t * p.N + old) * p.G, p.G,
                         s.h0 + <int64_t>old * p.P, p.P, 1, dr, p.P)
    return status


cdef uint32_t side_weights(const plan *p, const side *s, real *dw) noexcept nogil:
    cdef int kind
    cdef real *out = own(p, p.out)
    cdef uint32_t status = 0
    if s.layer > 0 or p.n.d.input_mode != CUDNN_SKIP_INPUT:
        status = product(p, True, False, p.I, s.width, p.rows, s.dgates, p.G, s.x, s.width, 1,
                         dw + matrix_at(p.n, s.layer, s.number, 0), s.width)
    if status == 0:
        status = states_weights(p, s, dw + matrix_at(p.n, s.layer, s.number, 1))
    for kind in range(2):
        if status == 0 and s.bias[kind] is not NULL:
            status = product(p, False, False, 1, p.I, p.rows, own(p, p.ones), p.rows, s.dgates + kind * p.R, p.G, 1,
                             dw + bias_at(p.n, s.layer, s.number, kind), p.I)
    if status != 0 or not p.projects:
        return status
    status = multiplied(p, <int>p.rows, p.K, s.gates + 2 * p.K, p.G, s.squashed, p.K, 0, out, p.K)
    if status == 0:
        status = product(p, True, False, p.P, p.K, p.rows, s.dout, p.P, out, p.K, 1,
                         dw + matrix_at(p.n, s.layer, s.number, 2), p.K)
    return status


cdef uint32_t backward_weights(dnn_net *n, const void *x, const void *hx, void *dw, void *work,
        void *reserve) noexcept nogil:
    """Added to what is there, as cuDNN does."""
    cdef plan p
    cdef side s
    cdef const real *unused
    cdef const real *data
    cdef real *sums = <real *>dw
    cdef int layer, number
    cdef uint32_t status = prepared(&p, n, work, reserve, NULL, &unused)
    if status == 0:
        status = states_brought(&p, hx, p.P, own(&p, p.h0))
    if status == 0:
        status = brought(&p, x, p.V, own(&p, p.x), &data)
    if status == 0 and p.casts:
        sums = own(&p, p.dw)
        status = cleared(&p, sums, n.weights // p.each * sizeof(real))
    for layer in range(p.L):
        if layer > 0:
            data = input_of(&p, layer)
        for number in range(p.D):
            entered(&p, &s, layer, number, data, sums)
            if status == 0:
                status = side_weights(&p, &s, sums)
    if status == 0 and p.casts:
        status = cast(&p, <int64_t>(n.weights // p.each), REAL, sums, n.type, dw, 1)
    return status
