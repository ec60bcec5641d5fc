# Tensors of int8, also in vectors (bytes.pyx).

cdef extern from "support.h" nogil:
    bint dnn_is_bytes(int type)
    uint32_t dnn_bytes_begin(dnn_work *k, dnn_tensor *x, dnn_filter *w, dnn_convolution *d, dnn_tensor *y)
    uint32_t dnn_bytes_conv(dnn_handle *h, double alpha, dnn_tensor *xd, const void *x, dnn_filter *wd, const void *w,
                            dnn_convolution *d, void *workspace, size_t size, double beta, dnn_tensor *zd,
                            const void *z, const dnn_tensor *bd, const void *bias, bint positive, dnn_tensor *yd,
                            void *y)
    uint32_t dnn_bytes_moved(dnn_handle *h, double alpha, dnn_tensor *xd, const void *x, double beta, dnn_tensor *yd,
                             void *y)
    uint32_t dnn_bytes_ordered(dnn_handle *h, const dnn_filter *w, const void *x, void *y)
    uint32_t dnn_bias_ordered(dnn_handle *h, int32_t filters, bint back, const void *x, void *y)


cdef inline bint in_vectors(const dnn_tensor *d) noexcept nogil:
    return d.type == CUDNN_DATA_INT8x4 or d.type == CUDNN_DATA_INT8x32


cdef inline bint of_bytes(const dnn_tensor *x, const dnn_tensor *y) noexcept nogil:
    """Whether a convolution forward is none that MIOpen has as it is: it has int8 into int32 and floats."""
    return (in_vectors(x) or x.type == CUDNN_DATA_UINT8 or x.type == CUDNN_DATA_UINT8x4
            or (x.type == CUDNN_DATA_INT8 and y.type != CUDNN_DATA_FLOAT and y.type != CUDNN_DATA_INT32))
