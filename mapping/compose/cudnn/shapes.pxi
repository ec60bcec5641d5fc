# Sizes, strides, types (shapes.pyx).

cdef extern from "support.h" nogil:
    int dnn_type_bytes(int type)
    int dnn_type_vector(int type)
    void dnn_pack(int format, int type, int count, const int32_t *dim, int32_t *stride)
    uint32_t dnn_convolved(dnn_convolution *d, dnn_tensor *x, dnn_filter *w, int *out)


cdef inline int64_t elements_of(const dnn_tensor *d) noexcept nogil:
    cdef int64_t count = 1
    cdef int i
    for i in range(d.count):
        count *= d.dim[i]
    return count
