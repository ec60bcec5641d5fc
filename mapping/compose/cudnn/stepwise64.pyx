"""The networks of stepwise.pyx, of doubles."""

include "stepwise_needs.pxi"

cdef extern from *:
    """
    typedef double real;
    enum { REAL = CUDNN_DATA_DOUBLE };
    """
    ctypedef double real
    int REAL

include "stepwise_plan.pxi"
include "stepwise_rows.pxi"
include "stepwise_math.pxi"
include "stepwise_doubles.pxi"
include "stepwise_passes.pxi"


cdef public uint32_t dnn_stepwise64_spaces(dnn_net *n) noexcept nogil:
    """`n.steps` and `n.batch` are known."""
    cdef plan p
    return planned(&p, n)


cdef public uint32_t dnn_stepwise64_forward(dnn_net *n, const void *x, const void *hx, const void *cx, const void *w,
        void *y, void *hy, void *cy, void *work, void *reserve) noexcept nogil:
    return forward(n, x, hx, cx, w, y, hy, cy, work, reserve)


cdef public uint32_t dnn_stepwise64_backward_data(dnn_net *n, const void *dy, const void *dhy, const void *dcy,
        const void *w, const void *hx, const void *cx, void *dx, void *dhx, void *dcx, void *work,
        void *reserve) noexcept nogil:
    return backward_data(n, dy, dhy, dcy, w, hx, cx, dx, dhx, dcx, work, reserve)


cdef public uint32_t dnn_stepwise64_backward_weights(dnn_net *n, const void *x, const void *hx, void *dw, void *work,
        void *reserve) noexcept nogil:
    return backward_weights(n, x, hx, dw, work, reserve)
