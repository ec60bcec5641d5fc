# MIOpen's descriptors, made once (cache.pyx).

cdef extern from "support.h" nogil:
    void *dnn_amd_shape(dnn_handle *h, int type, int count, const int32_t *dim, const int32_t *stride)
    void *dnn_amd_tensor(dnn_handle *h, dnn_tensor *d)
    void *dnn_amd_pooling(dnn_handle *h, dnn_pooling *d)
    void *dnn_amd_activation(dnn_handle *h, int mode, double alpha, double beta, double gamma)
    void *dnn_amd_lrn(dnn_handle *h, int mode, uint32_t n, double alpha, double beta, double k)
    void *dnn_amd_reduce(dnn_handle *h, int op, int type, int nan, int indices, int index_type)
    void *dnn_amd_ctc(dnn_handle *h, int softmax)
