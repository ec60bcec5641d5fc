# Layouts. Blocks of tables/cudnn/transform.yaml.

include "common.pxi"


cdef public cudnnStatus_t create_tensor_transform_descriptor(cudnnTensorTransformDescriptor_t *place) noexcept nogil:
    return dnn_new(<void **>place, DNN_TRANSFORM)


cdef public cudnnStatus_t destroy_tensor_transform_descriptor(dnn_transform *d) noexcept nogil:
    return dnn_delete(d, DNN_TRANSFORM)


cdef public cudnnStatus_t set_tensor_transform_descriptor(dnn_transform *d, const uint32_t count,
        const cudnnTensorFormat_t format, const int32_t *before, const int32_t *after, const uint32_t *fold,
        const cudnnFoldingDirection_t direction) noexcept nogil:
    """Arrays that are NULL stand for no padding and no folding."""
    cdef int i
    cdef int dims = <int>count
    if count < 3:
        return bad(b"fewer than 3 dimensions")
    if count > DNN_DIMS:
        return cannot(b"more than 8 dimensions")
    if <int32_t>format > <int32_t>CUDNN_TENSOR_NCHW_VECT_C:  # below 0 NVIDIA's library does not look
        return cannot(b"destFormat is none of NCHW, NHWC, NCHW_VECT_C")
    for i in range(dims - 2):
        if fold is not NULL and fold[i] == 0:
            return bad(b"a folding factor is 0")
    d.count = count
    d.format = <int32_t>format
    d.direction = <int32_t>direction
    for i in range(dims):
        d.before[i] = before[i] if before is not NULL else 0
        d.after[i] = after[i] if after is not NULL else 0
        if i < dims - 2:
            d.fold[i] = fold[i] if fold is not NULL else 1
    return CUDNN_STATUS_SUCCESS


cdef public cudnnStatus_t get_tensor_transform_descriptor(dnn_transform *d, uint32_t asked, cudnnTensorFormat_t *format,
        int32_t *before, int32_t *after, uint32_t *fold, cudnnFoldingDirection_t *direction) noexcept nogil:
    cdef int i
    cdef int wanted = <int>asked
    if asked == 0 or asked > d.count:
        return bad(b"nbDimsRequested is 0 or more than the transformation has")
    if format is not NULL:
        format[0] = <cudnnTensorFormat_t>d.format
    if direction is not NULL:
        direction[0] = <cudnnFoldingDirection_t>d.direction
    for i in range(wanted):
        if before is not NULL:
            before[i] = d.before[i]
        if after is not NULL:
            after[i] = d.after[i]
        if fold is not NULL and i + 2 < wanted:
            fold[i] = d.fold[i]
    return CUDNN_STATUS_SUCCESS


cdef cudnnStatus_t transformed(dnn_transform *d, int count, const int32_t *dim, int32_t *out) noexcept nogil:
    """Sizes after padding and folding: folding moves a factor of each spatial dimension to the channels."""
    cdef int i
    cdef int32_t factor
    if <uint32_t>count != d.count:
        return bad(b"tensor and transformation differ in the number of dimensions")
    for i in range(count):
        out[i] = dim[i] + d.before[i] + d.after[i]
        if out[i] <= 0:
            return bad(b"a dimension is not positive after the padding")
    for i in range(count - 2):
        factor = <int32_t>d.fold[i]
        if d.direction == CUDNN_TRANSFORM_FOLD:
            if out[i + 2] % factor:
                return bad(b"a dimension is no multiple of its folding factor")
            out[i + 2] //= factor
            out[1] *= factor
        else:
            if out[1] % factor:
                return bad(b"the channels are no multiple of the folding factors")
            out[i + 2] *= factor
            out[1] //= factor
    return CUDNN_STATUS_SUCCESS


cdef public cudnnStatus_t init_transform_dest(dnn_transform *d, dnn_tensor *x, dnn_tensor *y,
        size_t *size) noexcept nogil:
    cdef int32_t[DNN_DIMS] dim
    cdef cudnnStatus_t status = transformed(d, x.count, x.dim, dim)
    cdef size_t elements = 1
    cdef int i
    if status != CUDNN_STATUS_SUCCESS:
        return status
    y.type = x.type
    y.format = d.format
    y.count = x.count
    for i in range(x.count):
        y.dim[i] = dim[i]
        elements *= <size_t>dim[i]
    dnn_pack(d.format, x.type, x.count, dim, y.stride)
    y.amd = NULL
    if size is not NULL:
        size[0] = elements * <size_t>dnn_type_bytes(x.type) // <size_t>dnn_type_vector(x.type)
    return CUDNN_STATUS_SUCCESS
