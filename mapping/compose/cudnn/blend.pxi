# Any alpha and beta, any layout (blend.pyx).

cdef extern from "support.h" nogil:
    double dnn_factor(int type, const void *factor)
    size_t dnn_bytes(const dnn_tensor *d)
    void dnn_merge(int count, dnn_tensor **given, dnn_tensor *merged)
    uint32_t dnn_scale(dnn_handle *h, dnn_tensor *d, double alpha, void *y)
    uint32_t dnn_copy(dnn_handle *h, dnn_tensor *xd, const void *x, dnn_tensor *yd, void *y)
    uint32_t dnn_op_tensor(dnn_handle *h, int op, double a, dnn_tensor *ad, const void *A, double b, dnn_tensor *bd,
                           const void *B, double beta, dnn_tensor *cd, void *C)
    uint32_t dnn_blended(dnn_handle *h, double alpha, void *raw, double beta, dnn_tensor *d, void *y)
