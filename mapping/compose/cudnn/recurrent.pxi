# Calls of a recurrent network (recurrent.pyx, support.h).

include "net.pxi"

cdef extern from "support.h" nogil:
    void *dnn_host(dnn_handle *h, int which, size_t bytes)
    uint32_t dnn_net_of(dnn_net *n, dnn_handle *h, dnn_rnn *d, int type, int input, int training)
    uint32_t dnn_net_place(dnn_net *n, int layer, int gate, int bias, dnn_tensor *d, size_t *offset, int *there)
    uint32_t dnn_net_sequences(dnn_net *n, dnn_rnn_data *xd, dnn_rnn_data *yd)
    uint32_t dnn_net_largest(dnn_net *n, int batch, int steps, int padded)
    uint32_t dnn_net_steps(dnn_net *n, int steps, const int32_t *batches, void **descs)
    uint32_t dnn_net_state(const dnn_net *n, int size, const dnn_tensor *d, const void *a, const void *b)
    uint32_t dnn_net_memory(const dnn_net *n, size_t weights, size_t work_size, const void *work, size_t reserve_size,
                            const void *reserve)
    uint32_t dnn_net_forward(dnn_net *n, const void *x, const void *hx, const void *cx, const void *w, void *y,
                             void *hy, void *cy, void *work, void *reserve)
    uint32_t dnn_net_backward_data(dnn_net *n, const void *y, const void *dy, const void *dhy, const void *dcy,
                                   const void *w, const void *hx, const void *cx, void *dx, void *dhx, void *dcx,
                                   void *work, void *reserve)
    uint32_t dnn_net_backward_weights(dnn_net *n, const void *x, const void *hx, const void *y, void *dw, void *work,
                                      void *reserve)


cdef inline cudnnStatus_t clip_of(const dnn_rnn *d, cudnnRNNClipMode_t *mode, cudnnNanPropagation_t *nan, double *low,
        double *high) noexcept nogil:
    """What has been set; NULL: not asked for."""
    give(<int *>mode, d.clip_mode)
    give(<int *>nan, d.clip_nan)
    if low is not NULL:
        low[0] = d.clip_low
    if high is not NULL:
        high[0] = d.clip_high
    return CUDNN_STATUS_SUCCESS
