"""The networks of stepwise.pyx, of doubles."""

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
    uint32_t dnn_moved(dnn_handle *h, void *work, double alpha, dnn_tensor *xd, const void *x, double beta,
                       dnn_tensor *yd, void *y)
    uint32_t dnn_dropped(dnn_handle *h, dnn_dropout *d, int back, int type, int64_t count, const void *x, void *y,
                         void *mask, void *memory)

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
