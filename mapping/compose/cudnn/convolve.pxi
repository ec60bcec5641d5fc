# Convolutions in all directions (solutions.pyx, unroll.pyx).

include "conv_work.pxi"

cdef extern from "support.h" nogil:
    uint32_t dnn_conv_begin(dnn_work *k, int direction, dnn_tensor *x, dnn_filter *w, dnn_convolution *d, dnn_tensor *y)
    uint32_t dnn_conv(dnn_handle *h, dnn_work *k, bint repeatable, double alpha, void **data, void *workspace,
                      size_t size, double beta)
    uint32_t dnn_conv_call(dnn_handle *h, int direction, bint repeatable, const void *alpha, dnn_tensor *x,
                           dnn_filter *w, dnn_convolution *d, void **data, void *workspace, size_t size,
                           const void *beta, dnn_tensor *y)
    uint32_t dnn_conv_size(dnn_handle *h, dnn_work *k, bint repeatable, size_t *size, float *time)
    uint32_t dnn_conv_trial(dnn_handle *h, dnn_work *k, bint repeatable, void **data, void *workspace, size_t size,
                            float *time)
    uint32_t dnn_finished(dnn_handle *h, double alpha, dnn_tensor *rd, void *r, double beta, dnn_tensor *yd, void *y)
    uint32_t dnn_unroll(dnn_handle *h, const dnn_work *k, int first, int images, const void *x, void *columns,
                        const int64_t *steps, bint flips)
