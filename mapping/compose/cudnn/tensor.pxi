# Descriptors of tensors and filters. Blocks of tables/cudnn/tensor.yaml.

include "common.pxi"

cdef extern from "version.h" nogil:
    const int dg_version

cdef extern from "limits.h" nogil:
    const int INT_MAX


cdef cudnnStatus_t sizes_of(int count, const int32_t *dim) noexcept nogil:
    """Each size is positive, and all elements can be counted in 31 bits."""
    cdef int64_t elements = 1
    cdef int i
    for i in range(count):
        if dim[i] <= 0:
            return bad(b"a dimension is not positive")
    for i in range(count):
        elements *= dim[i]
        if elements > INT_MAX:
            return cannot(b"more than 2^31 - 1 elements")
    return CUDNN_STATUS_SUCCESS


cdef cudnnStatus_t kind_of(int format, int type, int count, const int32_t *dim) noexcept nogil:
    """Type and format are known, and go with each other."""
    cdef int vector
    if dnn_type_bytes(type) == 0:
        return bad(b"dataType is no type of this version")
    if not in_range(format, CUDNN_TENSOR_NCHW, CUDNN_TENSOR_NCHW_VECT_C):
        return bad(b"format is none of NCHW, NHWC, NCHW_VECT_C")
    vector = dnn_type_vector(type)
    if (format == CUDNN_TENSOR_NCHW_VECT_C) != (vector > 1):
        return bad(b"NCHW_VECT_C goes with INT8x4, UINT8x4 and INT8x32, and these with no other format")
    if vector > 1 and dim[1] % vector:
        return bad(b"the channels are no multiple of the vector's length")
    return CUDNN_STATUS_SUCCESS


cdef cudnnStatus_t fill_tensor(dnn_tensor *t, int format, int type, int count, const int32_t *dim,
        const int32_t *stride, bint negative=False) noexcept nogil:
    """`stride` NULL: as the format says. A descriptor that is refused keeps what it had."""
    cdef int32_t[DNN_DIMS] packed
    cdef cudnnStatus_t status
    cdef int64_t last = 0
    cdef int i
    cdef bint some = False
    status = kind_of(format, type, count, dim) if stride is NULL else kind_of(
        CUDNN_TENSOR_NCHW_VECT_C if dnn_type_vector(type) > 1 else CUDNN_TENSOR_NCHW, type, count, dim)
    if status == CUDNN_STATUS_SUCCESS:
        status = sizes_of(count, dim)
    if status != CUDNN_STATUS_SUCCESS:
        return status
    if stride is NULL:
        dnn_pack(format, type, count, dim, packed)
        stride = packed
    for i in range(count):
        if stride[i] < 0 and not negative:
            return bad(b"a stride is negative")
        some = some or stride[i] != 0
        last += <int64_t>(dim[i] - 1) * (stride[i] if stride[i] > 0 else -<int64_t>stride[i])
    if not some:
        return bad(b"all strides are 0")
    if last > INT_MAX:
        return cannot(b"more than 2^31 - 1 elements from the first to the last")
    t.type = type
    t.format = format
    t.count = count
    for i in range(count):
        t.dim[i] = dim[i]
        t.stride[i] = stride[i]
    dnn_amd_forgotten(&t.amd)
    return CUDNN_STATUS_SUCCESS


cdef cudnnStatus_t fill_filter(dnn_filter *f, int format, int type, int count, const int32_t *dim) noexcept nogil:
    cdef cudnnStatus_t status = kind_of(format, type, count, dim)
    if status == CUDNN_STATUS_SUCCESS:
        status = sizes_of(count, dim)
    if status != CUDNN_STATUS_SUCCESS:
        return status
    f.type = type
    f.format = format
    f.count = count
    memcpy(f.dim, dim, <size_t>count * sizeof(int32_t))
    dnn_pack(format, type, count, dim, f.stride)
    return CUDNN_STATUS_SUCCESS


cdef cudnnStatus_t count_of(int count, int least) noexcept nogil:
    if count > DNN_DIMS:
        return cannot(b"more than 8 dimensions")
    return bad(b"too few dimensions") if count < least else CUDNN_STATUS_SUCCESS


cdef int least_dimensions() noexcept nogil:
    """Version 8 asks for 3, later ones take 2."""
    return 2 if dg_version >= 90000 else 3


# ---- tensors

cdef public cudnnStatus_t create_tensor_descriptor(cudnnTensorDescriptor_t *place) noexcept nogil:
    return dnn_new(<void **>place, DNN_TENSOR)


cdef public cudnnStatus_t destroy_tensor_descriptor(dnn_tensor *t) noexcept nogil:
    return dnn_delete(t, DNN_TENSOR)


cdef public cudnnStatus_t set_tensor4d_descriptor(dnn_tensor *t, cudnnTensorFormat_t format, cudnnDataType_t type,
        int n, int c, int h, int w) noexcept nogil:
    cdef int32_t[4] dim
    dim[0] = n
    dim[1] = c
    dim[2] = h
    dim[3] = w
    return fill_tensor(t, <int>format, <int>type, 4, dim, NULL)


cdef public cudnnStatus_t set_tensor4d_descriptor_ex(dnn_tensor *t, cudnnDataType_t type, int n, int c, int h, int w,
        int n_stride, int c_stride, int h_stride, int w_stride) noexcept nogil:
    cdef int32_t[4] dim
    cdef int32_t[4] stride
    dim[0] = n
    dim[1] = c
    dim[2] = h
    dim[3] = w
    stride[0] = n_stride
    stride[1] = c_stride
    stride[2] = h_stride
    stride[3] = w_stride
    if n_stride == 0 or c_stride == 0 or h_stride == 0 or w_stride == 0:
        return bad(b"a stride is 0")
    # negative strides are taken here, as NVIDIA's library takes them, and refused by the operations
    return fill_tensor(t, CUDNN_TENSOR_NCHW, <int>type, 4, dim, stride, True)


cdef public cudnnStatus_t get_tensor4d_descriptor(dnn_tensor *t, cudnnDataType_t *type, int *n, int *c, int *h, int *w,
        int *n_stride, int *c_stride, int *h_stride, int *w_stride) noexcept nogil:
    if t.count != 4 and t.count:
        return bad(b"the tensor has not 4 dimensions")
    if type is NULL or n is NULL or c is NULL or h is NULL or w is NULL or n_stride is NULL or c_stride is NULL \
            or h_stride is NULL or w_stride is NULL:
        return bad(b"a place for an answer is NULL")
    type[0] = <cudnnDataType_t>t.type
    n[0] = t.dim[0]
    c[0] = t.dim[1]
    h[0] = t.dim[2]
    w[0] = t.dim[3]
    n_stride[0] = t.stride[0]
    c_stride[0] = t.stride[1]
    h_stride[0] = t.stride[2]
    w_stride[0] = t.stride[3]
    return CUDNN_STATUS_SUCCESS


cdef public cudnnStatus_t set_tensor_nd_descriptor(dnn_tensor *t, cudnnDataType_t type, int count, const int *dim,
        const int *stride) noexcept nogil:
    cdef cudnnStatus_t status = count_of(count, least_dimensions())
    if status != CUDNN_STATUS_SUCCESS:
        return status
    if dim is NULL or stride is NULL:
        return bad(b"dimA or strideA is NULL")
    return fill_tensor(t, CUDNN_TENSOR_NCHW, <int>type, count, <const int32_t *>dim, <const int32_t *>stride)


cdef public cudnnStatus_t set_tensor_nd_descriptor_ex(dnn_tensor *t, cudnnTensorFormat_t format, cudnnDataType_t type,
        int count, const int *dim) noexcept nogil:
    cdef cudnnStatus_t status = count_of(count, least_dimensions())
    if status != CUDNN_STATUS_SUCCESS:
        return status
    if dim is NULL:
        return bad(b"dimA is NULL")
    return fill_tensor(t, <int>format, <int>type, count, <const int32_t *>dim, NULL)


cdef public cudnnStatus_t get_tensor_nd_descriptor(dnn_tensor *t, int asked, cudnnDataType_t *type, int *count,
        int *dim, int *stride) noexcept nogil:
    cdef int i
    if asked > DNN_DIMS:
        return bad(b"nbDimsRequested is above 8")
    if count is NULL:
        return bad(b"nbDims is NULL")
    give(<int *>type, t.type)
    count[0] = t.count
    for i in range(asked if asked < t.count else t.count):
        if dim is not NULL:
            dim[i] = t.dim[i]
        if stride is not NULL:
            stride[i] = t.stride[i]
    return CUDNN_STATUS_SUCCESS


cdef public cudnnStatus_t get_tensor_size_in_bytes(dnn_tensor *t, size_t *size) noexcept nogil:
    """From the first element to the last, gaps included."""
    cdef int64_t last = 0
    cdef int vector = dnn_type_vector(t.type)
    cdef int i
    if size is NULL:
        return bad(b"size is NULL")
    for i in range(t.count):
        last += <int64_t>((t.dim[i] // vector if i == 1 else t.dim[i]) - 1) * t.stride[i]
    size[0] = <size_t>(last + 1) * <size_t>dnn_type_bytes(t.type) if t.count else 0
    return CUDNN_STATUS_SUCCESS


# ---- filters

cdef public cudnnStatus_t create_filter_descriptor(cudnnFilterDescriptor_t *place) noexcept nogil:
    return dnn_new(<void **>place, DNN_FILTER)


cdef public cudnnStatus_t destroy_filter_descriptor(dnn_filter *f) noexcept nogil:
    return dnn_delete(f, DNN_FILTER)


cdef public cudnnStatus_t set_filter4d_descriptor(dnn_filter *f, cudnnDataType_t type, cudnnTensorFormat_t format,
        int k, int c, int h, int w) noexcept nogil:
    cdef int32_t[4] dim
    dim[0] = k
    dim[1] = c
    dim[2] = h
    dim[3] = w
    return fill_filter(f, <int>format, <int>type, 4, dim)


cdef public cudnnStatus_t get_filter4d_descriptor(dnn_filter *f, cudnnDataType_t *type, cudnnTensorFormat_t *format,
        int *k, int *c, int *h, int *w) noexcept nogil:
    if f.count != 4 and f.count:
        return bad(b"the filter has not 4 dimensions")
    give(<int *>type, f.type)
    give(<int *>format, f.format)
    give(k, f.dim[0])
    give(c, f.dim[1])
    give(h, f.dim[2])
    give(w, f.dim[3])
    return CUDNN_STATUS_SUCCESS


cdef public cudnnStatus_t set_filter_nd_descriptor(dnn_filter *f, cudnnDataType_t type, cudnnTensorFormat_t format,
        int count, const int *dim) noexcept nogil:
    cdef cudnnStatus_t status = count_of(count, 3)
    if status != CUDNN_STATUS_SUCCESS:
        return status
    if dim is NULL:
        return bad(b"filterDimA is NULL")
    return fill_filter(f, <int>format, <int>type, count, <const int32_t *>dim)


cdef public cudnnStatus_t get_filter_nd_descriptor(dnn_filter *f, int asked, cudnnDataType_t *type,
        cudnnTensorFormat_t *format, int *count, int *dim) noexcept nogil:
    cdef int i
    if asked < 1 or asked > DNN_DIMS:
        return bad(b"nbDimsRequested is not from 1 to 8")
    give(<int *>type, f.type)
    give(<int *>format, f.format)
    give(count, f.count)
    for i in range(asked if asked < f.count else f.count):
        if dim is not NULL:
            dim[i] = f.dim[i]
    return CUDNN_STATUS_SUCCESS


cdef public cudnnStatus_t get_filter_size_in_bytes(dnn_filter *f, size_t *size) noexcept nogil:
    cdef size_t elements = 1
    cdef int i
    if size is NULL:
        return bad(b"size is NULL")
    for i in range(f.count):
        elements *= <size_t>f.dim[i]
    size[0] = elements * <size_t>dnn_type_bytes(f.type) // <size_t>dnn_type_vector(f.type) if f.count else 0
    return CUDNN_STATUS_SUCCESS
