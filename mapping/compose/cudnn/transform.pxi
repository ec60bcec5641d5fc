# Layouts. Blocks of tables/cudnn/transform.yaml.

include "common.pxi"
include "amd.pxi"
include "packed.pxi"

from libc.stdint cimport INT32_MAX


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


cdef cudnnStatus_t transformed(dnn_transform *d, int count, const int64_t *dim, int32_t *out) noexcept nogil:
    """Sizes after padding and folding: folding moves a factor of each spatial dimension to the channels."""
    cdef int i
    cdef int64_t[DNN_DIMS] size
    cdef int64_t factor
    cdef int64_t elements = 1
    if <uint32_t>count != d.count:
        return cannot(b"tensor and transformation differ in the number of dimensions, or one is not set")
    for i in range(count):
        size[i] = dim[i] + d.before[i] + d.after[i]
        if size[i] <= 0:
            return bad(b"a dimension is not positive after the padding")
        if size[i] > INT32_MAX:
            return cannot(b"more than 2^31 - 1 elements after the padding")
    for i in range(count - 2):
        factor = d.fold[i]
        if d.direction == CUDNN_TRANSFORM_FOLD:
            size[i + 2] = (size[i + 2] + factor - 1) // factor  # zeros fill what is missing
            size[1] *= factor
        else:
            if size[1] % factor:
                return bad(b"the channels are no multiple of the folding factors")
            size[i + 2] *= factor
            size[1] //= factor
        if size[1] > INT32_MAX or size[i + 2] > INT32_MAX:
            return cannot(b"more than 2^31 - 1 elements after the folding")
    for i in range(count):
        elements *= size[i]
        if elements > INT32_MAX:
            return cannot(b"more than 2^31 - 1 elements after padding and folding")
    for i in range(count):
        out[i] = <int32_t>size[i]
    return CUDNN_STATUS_SUCCESS


cdef public cudnnStatus_t init_transform_dest(dnn_transform *d, dnn_tensor *x, dnn_tensor *y,
        size_t *size) noexcept nogil:
    cdef int64_t[DNN_DIMS] given
    cdef int32_t[DNN_DIMS] dim
    cdef cudnnStatus_t status
    cdef size_t elements = 1
    cdef int i
    for i in range(x.count):
        given[i] = x.dim[i]
    status = transformed(d, x.count, given, dim)
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


cdef inline bint of_vectors(const dnn_tensor *d) noexcept nogil:
    return d.format == CUDNN_TENSOR_NCHW_VECT_C or dnn_type_vector(d.type) != 1


cdef void by_vectors(const dnn_tensor *d, dnn_tensor *bytes) noexcept nogil:
    """Images of 8-bit numbers as MIOpen takes them: channels in two dimensions, those side by side (four) and how many
    of these there are. A tensor of vectors counts its steps in vectors."""
    cdef int32_t vector = <int32_t>dnn_type_vector(d.type)
    cdef int i
    bytes[0] = d[0]
    bytes.amd = NULL
    bytes.type = CUDNN_DATA_INT8
    bytes.format = CUDNN_TENSOR_NCHW
    bytes.count = 5
    bytes.dim[1], bytes.dim[2] = d.dim[1] // 4, 4
    bytes.stride[1], bytes.stride[2] = d.stride[1] * 4, 1 if vector == 4 else d.stride[1]
    for i in range(2, 4):
        bytes.dim[i + 1], bytes.stride[i + 1] = d.dim[i], d.stride[i] * vector
    bytes.stride[0] *= vector


cdef cudnnStatus_t transform_vectors(dnn_handle *h, double a, dnn_tensor *xd, const void *x, double b, dnn_tensor *yd,
        void *y) noexcept nogil:
    cdef dnn_tensor source, target
    cdef int wide = (xd.type == CUDNN_DATA_INT8x32) + (yd.type == CUDNN_DATA_INT8x32)
    if xd.count == 0 or yd.count == 0:
        return bad(b"a descriptor has not been set")
    if wide == 1:
        return bad(b"vectors of 32 go into no others")
    if (wide or xd.count != 4 or (xd.type != CUDNN_DATA_INT8 and xd.type != CUDNN_DATA_INT8x4)
            or (yd.type != CUDNN_DATA_INT8 and yd.type != CUDNN_DATA_INT8x4)):
        return cannot(b"of tensors of vectors only images of INT8x4 are transformed, to and from INT8")
    if not same_sizes(xd, yd):
        return bad(b"x and y differ in sizes")
    by_vectors(xd, &source)
    by_vectors(yd, &target)
    return <cudnnStatus_t>dnn_moved(h, NULL, a, &source, x, b, &target, y)


cdef public cudnnStatus_t transform_tensor(dnn_handle *h, const void *alpha, dnn_tensor *xd, const void *x,
        const void *beta, dnn_tensor *yd, void *y) noexcept nogil:
    cdef dnn_tensor packed
    cdef char *work = NULL
    cdef double a, b
    cdef cudnnStatus_t status
    if x is NULL or y is NULL or alpha is NULL or beta is NULL:
        return bad(b"x, y, alpha or beta is NULL")
    a = dnn_factor(yd.type, alpha)
    b = dnn_factor(yd.type, beta)
    if of_vectors(xd) or of_vectors(yd):
        return transform_vectors(h, a, xd, x, b, yd, y)
    status = tensor_checked(xd)
    if status == CUDNN_STATUS_SUCCESS:
        status = tensor_checked(yd)
    if status != CUDNN_STATUS_SUCCESS:
        return status
    if not same_sizes(xd, yd):
        return bad(b"x and y differ in sizes")
    if xd.type == yd.type:
        return dnn_moved(h, NULL, a, xd, x, b, yd, y)
    dnn_packed(yd, yd.type, &packed)
    work = <char *>dnn_scratch(h, DNN_WORK + (dnn_bytes(&packed) if yd.type == CUDNN_DATA_DOUBLE else 0))
    if work is NULL:
        return dnn_because(CUDNN_STATUS_ALLOC_FAILED, b"no memory for the change of type")
    if yd.type != CUDNN_DATA_DOUBLE:
        return dnn_moved(h, work, a, xd, x, b, yd, y)
    status = dnn_moved(h, work, 1, xd, x, 0, &packed, work + DNN_WORK)  # the factors may be no floats
    return status if status != CUDNN_STATUS_SUCCESS else dnn_moved(h, work, a, &packed, work + DNN_WORK, b, yd, y)


cdef struct line:  # y's elements u·y_step + y_first of a dimension ← x's elements u·x_step + x_first, for u below count
    int64_t count
    int64_t y_step
    int64_t y_first
    int64_t x_step
    int64_t x_first


cdef cudnnStatus_t put_parts(dnn_handle *h, dnn_transform *d, const int32_t *wide, double alpha, dnn_tensor *xd,
        const void *x, double beta, dnn_tensor *yd, void *y) noexcept nogil:
    """y ← α·x + β·y without the padding: a strided copy for each combination of the folding factors' parts. `wide`: x's
    sizes with the padding."""
    cdef dnn_tensor a, b
    cdef line[DNN_DIMS] lines
    cdef int[DNN_SPATIALS] part
    cdef line *l
    cdef bint folds = d.direction == CUDNN_TRANSFORM_FOLD
    cdef int count = xd.count
    cdef int parts = 1
    cdef int combination, rest, i
    cdef int64_t x_at, y_at, first, last
    cdef size_t bytes = <size_t>dnn_type_bytes(xd.type)
    cdef bint nothing
    cdef cudnnStatus_t status
    for i in range(count - 2):
        parts *= <int>d.fold[i]
    for combination in range(parts):
        rest = combination
        i = count - 3
        while i >= 0:
            part[i] = rest % <int>d.fold[i]
            rest //= <int>d.fold[i]
            i -= 1
        a = xd[0]
        b = yd[0]
        a.amd = b.amd = NULL
        x_at = y_at = 0
        nothing = False
        for i in range(count):
            l = &lines[i]
            l.count = wide[i] if folds and i < 2 else yd.dim[i] if folds or i < 2 else wide[i]
            l.y_step = l.x_step = 1
            l.y_first = 0
            l.x_first = -<int64_t>d.before[i]
            if i == 1 and folds:
                l.y_first = <int64_t>combination * wide[1]
            elif i == 1:
                l.x_first += <int64_t>combination * yd.dim[1]
            elif i > 1 and folds:
                l.x_step = <int>d.fold[i - 2]
                l.x_first += part[i - 2]
            elif i > 1:
                l.y_step = <int>d.fold[i - 2]
                l.y_first = part[i - 2]
            first = 0
            if l.x_first < 0:
                first = (-l.x_first + l.x_step - 1) // l.x_step
            last = xd.dim[i] - 1 - l.x_first
            last = -1 if last < 0 else last // l.x_step
            if last >= l.count:
                last = l.count - 1
            if last < first:
                nothing = True
                break
            a.dim[i] = b.dim[i] = <int32_t>(last - first + 1)
            x_at += (first * l.x_step + l.x_first) * xd.stride[i]
            y_at += (first * l.y_step + l.y_first) * yd.stride[i]
            a.stride[i] = <int32_t>(xd.stride[i] * l.x_step)
            b.stride[i] = <int32_t>(yd.stride[i] * l.y_step)
        if nothing:
            continue
        status = dnn_moved(h, NULL, alpha, &a, <const char *>x + <size_t>x_at * bytes, beta, &b,
                           <char *>y + <size_t>y_at * bytes)
        if status != CUDNN_STATUS_SUCCESS:
            return status
    return CUDNN_STATUS_SUCCESS


cdef cudnnStatus_t put(dnn_handle *h, dnn_transform *d, double alpha, dnn_tensor *xd, const void *x, double beta,
        dnn_tensor *yd, void *y) noexcept nogil:
    cdef int32_t[DNN_DIMS] wide
    cdef int32_t[DNN_DIMS] out
    cdef int64_t[DNN_DIMS] given
    cdef int64_t size
    cdef dnn_tensor packed
    cdef void *memory
    cdef bint pads = False
    cdef int i
    cdef cudnnStatus_t status
    for i in range(xd.count):
        size = <int64_t>xd.dim[i] + d.before[i] + d.after[i]
        if size <= 0 or size > INT32_MAX:
            return cannot(b"source and transformation do not fit together")
        wide[i] = <int32_t>size
    # NVIDIA's library takes a source whose channels leave less room for the padding behind them
    if xd.count > 2 and max_fold(d, xd.count) == 1 and yd.dim[1] < wide[1] and yd.dim[1] >= <int64_t>xd.dim[1] + d.before[1]:
        wide[1] = yd.dim[1]
    for i in range(xd.count):
        given[i] = <int64_t>wide[i] - d.before[i] - d.after[i]  # `transformed` adds them
        pads = pads or d.before[i] != 0 or wide[i] != xd.dim[i]
        if i > 1 and d.direction == CUDNN_TRANSFORM_FOLD:
            pads = pads or wide[i] % <int64_t>d.fold[i - 2] != 0
    status = transformed(d, xd.count, given, out)
    if status != CUDNN_STATUS_SUCCESS:
        return cannot(b"source and transformation do not fit together")
    for i in range(xd.count):
        if out[i] != yd.dim[i]:
            return cannot(b"the destination has not the sizes that the transformation gives")
    if xd.type != yd.type:
        return cannot(b"source and destination differ in type")
    if not pads:
        return put_parts(h, d, wide, alpha, xd, x, beta, yd, y)
    if beta == 0:
        status = dnn_fill(h, yd, 0, y)
        return status if status != CUDNN_STATUS_SUCCESS else put_parts(h, d, wide, alpha, xd, x, 0, yd, y)
    dnn_packed(yd, yd.type, &packed)
    memory = dnn_scratch(h, DNN_WORK + dnn_bytes(&packed))
    if memory is NULL:
        return dnn_because(CUDNN_STATUS_ALLOC_FAILED, b"no memory for the padded tensor")
    status = dnn_fill(h, &packed, 0, <char *>memory + DNN_WORK)
    if status == CUDNN_STATUS_SUCCESS:
        status = put_parts(h, d, wide, 1, xd, x, 0, &packed, <char *>memory + DNN_WORK)
    if status != CUDNN_STATUS_SUCCESS:
        return status
    return dnn_moved(h, memory, alpha, &packed, <char *>memory + DNN_WORK, beta, yd, y)


cdef uint32_t max_fold(dnn_transform *d, int count) noexcept nogil:
    cdef int i
    cdef uint32_t most = 1
    for i in range(count - 2):
        if d.fold[i] > most:
            most = d.fold[i]
    return most


cdef public cudnnStatus_t transform_tensor_ex(dnn_handle *h, dnn_transform *d, const void *alpha, dnn_tensor *xd,
        const void *x, const void *beta, dnn_tensor *yd, void *y) noexcept nogil:
    if x is NULL or y is NULL or alpha is NULL or beta is NULL:
        return bad(b"srcData, destData, alpha or beta is NULL")
    if d.count == 0 or xd.count == 0 or yd.count == 0 or <uint32_t>xd.count != d.count or yd.count != xd.count:
        return cannot(b"source, destination and transformation differ in the number of dimensions, or are not set")
    if tensor_checked(xd) != CUDNN_STATUS_SUCCESS or tensor_checked(yd) != CUDNN_STATUS_SUCCESS:
        return CUDNN_STATUS_NOT_SUPPORTED
    return put(h, d, dnn_factor(yd.type, alpha), xd, x, dnn_factor(yd.type, beta), yd, y)


cdef void tensor_of(const dnn_filter *f, dnn_tensor *d) noexcept nogil:
    memset(d, 0, sizeof(dnn_tensor))
    d.type = f.type
    d.format = f.format
    d.count = f.count
    memcpy(d.dim, f.dim, sizeof(d.dim))
    memcpy(d.stride, f.stride, sizeof(d.stride))


cdef public cudnnStatus_t transform_filter(dnn_handle *h, dnn_transform *d, const void *alpha, dnn_filter *xd,
        const void *x, const void *beta, dnn_filter *yd, void *y) noexcept nogil:
    cdef dnn_tensor a, b
    cdef cudnnStatus_t status
    if x is NULL or y is NULL or alpha is NULL or beta is NULL:
        return bad(b"srcData, destData, alpha or beta is NULL")
    tensor_of(xd, &a)
    tensor_of(yd, &b)
    status = tensor_checked(&a)
    if status == CUDNN_STATUS_SUCCESS:
        status = tensor_checked(&b)
    if status != CUDNN_STATUS_SUCCESS:
        return status
    if <uint32_t>a.count != d.count or b.count != a.count:
        return bad(b"source, destination and transformation differ in the number of dimensions")
    return put(h, d, dnn_factor(b.type, alpha), &a, x, dnn_factor(b.type, beta), &b, y)
