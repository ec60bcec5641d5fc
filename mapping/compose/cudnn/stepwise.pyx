"""Networks that MIOpen has not, step by step: LSTMs with a projection or with bounds of the cell state, all of bfloat16
or doubles.

All is computed as float, of doubles as double (stepwise64.pyx), in memory of our own that has a row for each step of
each sequence, the longest sequence first: what is alive at a step is a run of rows. Rows beyond a sequence's end are
zeros. Gates that are squashed alike lie together in a row, and so do those that the input, and those that the state has
weights for: an LSTM's are i f o g; a GRU's n z r u, where u is what the state adds to the candidate n. The weights lie
as the rows do, and projections behind.

    LSTM   c' = f·clip(c) + i·g        h' = P·(o·tanh(clip(c')))
    GRU    n = tanh(W·x + b + r·u)     h' = n + z·(h - n)

A cell is clipped where it is read, the first one too, and goes out as it is (seen on an H200). What the backward passes
need (gates, cells, layers' outputs) and what the first of them leaves for the second (gradients of gates and outputs)
is in the reserve space; in inference there is room for one layer at a time, in the workspace.
"""

include "stepwise_needs.pxi"

cdef extern from "support.h" nogil:
    uint32_t dnn_stepwise64_spaces(dnn_net *n)
    uint32_t dnn_stepwise64_forward(dnn_net *n, const void *x, const void *hx, const void *cx, const void *w, void *y,
                                    void *hy, void *cy, void *work, void *reserve)
    uint32_t dnn_stepwise64_backward_data(dnn_net *n, const void *dy, const void *dhy, const void *dcy, const void *w,
                                          const void *hx, const void *cx, void *dx, void *dhx, void *dcx, void *work,
                                          void *reserve)
    uint32_t dnn_stepwise64_backward_weights(dnn_net *n, const void *x, const void *hx, void *dw, void *work,
                                             void *reserve)

cdef extern from *:
    """
    typedef float real;
    enum { REAL = CUDNN_DATA_FLOAT };
    """
    ctypedef float real
    int REAL

include "stepwise_plan.pxi"
include "stepwise_rows.pxi"
include "stepwise_math.pxi"
include "stepwise_floats.pxi"
include "stepwise_passes.pxi"


cdef public size_t dnn_stepwise_weights(const dnn_net *n) noexcept nogil:
    """Bytes."""
    cdef int64_t count = bias_at(n, n.d.layers, 0, 0)
    if n.d.projected != n.d.hidden:
        count = matrix_at(n, n.d.layers, 0, 2)
    return <size_t>count * <size_t>dnn_type_bytes(n.type)


cdef public int dnn_stepwise_place(const dnn_net *n, int layer, int gate, int bias, dnn_tensor *d,
        size_t *offset) noexcept nogil:
    """One gate's matrix or bias, or behind the gates the projection; `layer` counts both directions. 0:
    there is none."""
    cdef int sides = 2 if n.d.direction == CUDNN_BIDIRECTIONAL else 1
    cdef int gates = gates_of(n.d)
    cdef int kind = 1 if gate >= gates else 0
    cdef int place = gate - gates * kind
    cdef int64_t at
    d.count = 0
    if gate > 2 * gates or (gate == 2 * gates and (bias or n.d.projected == n.d.hidden)):
        return 0
    if n.d.cell == CUDNN_LSTM and place > 1:
        place = 5 - place  # the output gate lies before the candidate
    elif n.d.cell == CUDNN_GRU and kind == 0:
        place = 2 - place  # candidate, update, reset
    elif n.d.cell == CUDNN_GRU and place < 2:
        place = 1 - place  # update, reset, candidate
    if gate == 2 * gates:
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


cdef public uint32_t dnn_stepwise_spaces(dnn_net *n) noexcept nogil:
    """`n.steps` and `n.batch` are known."""
    cdef plan p
    if n.type == CUDNN_DATA_DOUBLE:
        return dnn_stepwise64_spaces(n)
    return planned(&p, n)


cdef public uint32_t dnn_stepwise_forward(dnn_net *n, const void *x, const void *hx, const void *cx, const void *w,
        void *y, void *hy, void *cy, void *work, void *reserve) noexcept nogil:
    if n.type == CUDNN_DATA_DOUBLE:
        return dnn_stepwise64_forward(n, x, hx, cx, w, y, hy, cy, work, reserve)
    return forward(n, x, hx, cx, w, y, hy, cy, work, reserve)


cdef public uint32_t dnn_stepwise_backward_data(dnn_net *n, const void *dy, const void *dhy, const void *dcy,
        const void *w, const void *hx, const void *cx, void *dx, void *dhx, void *dcx, void *work,
        void *reserve) noexcept nogil:
    if n.type == CUDNN_DATA_DOUBLE:
        return dnn_stepwise64_backward_data(n, dy, dhy, dcy, w, hx, cx, dx, dhx, dcx, work, reserve)
    return backward_data(n, dy, dhy, dcy, w, hx, cx, dx, dhx, dcx, work, reserve)


cdef public uint32_t dnn_stepwise_backward_weights(dnn_net *n, const void *x, const void *hx, void *dw, void *work,
        void *reserve) noexcept nogil:
    if n.type == CUDNN_DATA_DOUBLE:
        return dnn_stepwise64_backward_weights(n, x, hx, dw, work, reserve)
    return backward_weights(n, x, hx, dw, work, reserve)
