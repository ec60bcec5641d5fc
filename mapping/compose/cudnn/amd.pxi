# What a block needs that calls MIOpen: its descriptors, memory of the handle's, any alpha and beta (support.h).

cdef extern from "support.h" nogil:
    bint dnn_captured(dnn_handle *h)
    void *dnn_scratch(dnn_handle *h, size_t bytes)
    void *dnn_kept(dnn_handle *h, size_t bytes)
    void dnn_kept_left(dnn_handle *h)
    void *dnn_host(dnn_handle *h, int which, size_t bytes)
    void *dnn_amd_shape(dnn_handle *h, int type, int count, const int32_t *dim, const int32_t *stride)
    void *dnn_amd_tensor(dnn_handle *h, dnn_tensor *d)
    void *dnn_amd_pooling(dnn_handle *h, dnn_pooling *d)
    void *dnn_amd_activation(dnn_handle *h, int mode, double alpha, double beta, double gamma)
    void *dnn_amd_lrn(dnn_handle *h, int mode, uint32_t n, double alpha, double beta, double k)
    void *dnn_amd_reduce(dnn_handle *h, int op, int type, int nan, int indices, int index_type)
    void *dnn_amd_ctc(dnn_handle *h, int softmax)
    uint32_t dnn_dropout_set(dnn_handle *h, dnn_dropout *d, int fresh)
    void *dnn_dropout_drawing(dnn_handle *h, dnn_dropout *d)
    void *dnn_blas(dnn_handle *h)
    uint32_t dnn_gemm(dnn_handle *h, int type, int turns_a, int turns_b, int64_t m, int64_t n, int64_t k, double alpha,
                      const void *a, int64_t lda, int64_t next_a, const void *b, int64_t ldb, int64_t next_b, double beta,
                      void *c, int64_t ldc, int64_t next_c, int count)
    double dnn_factor(int type, const void *factor)
    size_t dnn_bytes(const dnn_tensor *d)
    void dnn_merge(int count, dnn_tensor **given, dnn_tensor *merged)
    uint32_t dnn_scale(dnn_handle *h, dnn_tensor *d, double alpha, void *y)
    uint32_t dnn_copy(dnn_handle *h, dnn_tensor *xd, const void *x, dnn_tensor *yd, void *y)
    uint32_t dnn_op_tensor(dnn_handle *h, int op, double a, dnn_tensor *ad, const void *A, double b, dnn_tensor *bd,
                           const void *B, double beta, dnn_tensor *cd, void *C)
    uint32_t dnn_blended(dnn_handle *h, double alpha, void *raw, double beta, dnn_tensor *d, void *y)


cdef inline bint same_sizes(const dnn_tensor *a, const dnn_tensor *b) noexcept nogil:
    cdef int i
    if a.count != b.count or a.count == 0:
        return False
    for i in range(a.count):
        if a.dim[i] != b.dim[i]:
            return False
    return True


cdef inline cudnnStatus_t answered(uint32_t status, const char *function) noexcept nogil:
    """MIOpen's answer as a status of ours; a failure keeps the function's name as the reason."""
    return CUDNN_STATUS_SUCCESS if status == 0 else dnn_failed(status_of_miopen(status), function, status)
