# Packed operands in the handle's memory (packed.pyx).

cdef extern from "support.h" nogil:
    int DNN_WORK
    int dnn_is_packed(const dnn_tensor *d)
    void dnn_packed(const dnn_tensor *d, int type, dnn_tensor *packed)
    uint32_t dnn_fill(dnn_handle *h, dnn_tensor *d, double value, void *y)
    uint32_t dnn_moved(dnn_handle *h, void *work, double alpha, dnn_tensor *xd, const void *x, double beta,
                       dnn_tensor *yd, void *y)
    uint32_t dnn_activated(dnn_handle *h, int mode, double alpha, double beta, double gamma, dnn_tensor *row,
                           const void *x, void *y)


cdef inline cudnnStatus_t tensor_checked(const dnn_tensor *d) noexcept nogil:
    if d.count == 0:
        return bad(b"a descriptor has not been set")
    if d.format == CUDNN_TENSOR_NCHW_VECT_C or dnn_type_vector(d.type) != 1:
        return cannot(b"MIOpen has no tensors of vectors (NCHW_VECT_C, INT8x4, INT8x32, UINT8x4)")
    return CUDNN_STATUS_SUCCESS


cdef inline bint same_places(const dnn_tensor *a, const dnn_tensor *b) noexcept nogil:
    """Two tensors of the same sizes that lie alike."""
    cdef int i
    for i in range(a.count):
        if a.dim[i] != 1 and a.stride[i] != b.stride[i]:
            return False
    return True


cdef inline bint is_dense(const dnn_tensor *d) noexcept nogil:
    """Without gaps, in whatever order."""
    return dnn_bytes(d) == <size_t>elements_of(d) * <size_t>dnn_type_bytes(d.type)


cdef inline void row_of(const dnn_tensor *d, int type, dnn_tensor *row) noexcept nogil:
    """All elements of a dense tensor as one row, in 4 dimensions."""
    cdef int i
    cdef int32_t elements = <int32_t>elements_of(d)
    memset(row, 0, sizeof(dnn_tensor))
    row.type = type
    row.count = 4
    for i in range(3):
        row.dim[i] = 1
        row.stride[i] = elements
    row.dim[3] = elements
    row.stride[3] = 1


cdef inline uint32_t moved_back(dnn_handle *h, double alpha, dnn_tensor *d, void *raw, double beta, dnn_tensor *yd,
        void *y) noexcept nogil:
    """y ← α·raw + β·y of doubles in memory of ours; any factors, of which OpTensor takes floats alone."""
    cdef uint32_t status = dnn_scale(h, d, alpha, raw)
    if status == 0 and beta != 0 and not is_single(beta):
        status = dnn_scale(h, yd, beta, y)
        beta = 1
    return status if status != 0 else dnn_moved(h, NULL, 1, d, raw, beta, yd, y)


cdef inline void as_line(dnn_tensor *d, int type, int64_t elements) noexcept nogil:
    """Packed elements in one dimension."""
    memset(d, 0, sizeof(dnn_tensor))  # it is compared as a whole
    d.type = type
    d.format = CUDNN_TENSOR_NCHW
    d.count = 1
    d.dim[0] = <int32_t>elements
    d.stride[0] = 1
