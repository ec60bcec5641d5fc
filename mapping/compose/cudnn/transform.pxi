# Layouts. Blocks of tables/cudnn/transform.yaml.

include "common.pxi"
include "amd.pxi"
include "packed.pxi"
include "conv_work.pxi"
include "bytes.pxi"

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
    d.direction = 1 if direction != CUDNN_TRANSFORM_FOLD else 0  # any other word unfolds, at NVIDIA's too
    for i in range(dims):
        d.before[i] = before[i] if before is not NULL else 0
        d.after[i] = after[i] if after is not NULL else 0
        if i < dims - 2:
            d.fold[i] = fold[i] if fold is not NULL else 0  # which folds nothing
    return CUDNN_STATUS_SUCCESS


cdef public cudnnStatus_t get_tensor_transform_descriptor(dnn_transform *d, uint32_t asked, cudnnTensorFormat_t *format,
        int32_t *before, int32_t *after, uint32_t *fold, cudnnFoldingDirection_t *direction) noexcept nogil:
    cdef int i
    cdef int wanted = <int>asked
    if asked == 0 or (asked > d.count and (d.count > 0 or asked > DNN_DIMS)):
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


cdef inline int64_t fold_of(const dnn_transform *d, int i) noexcept nogil:
    """A dimension's factor; where none was given there is 0."""
    return d.fold[i - 2] if i > 1 and d.fold[i - 2] > 1 else 1


cdef cudnnStatus_t transformed(const dnn_transform *d, int count, const int32_t *dim, int32_t *out) noexcept nogil:
    """Sizes after padding and folding: folding moves a factor of each spatial dimension to the channels. It comes after
    the padding, and unfolding before it."""
    cdef int i
    cdef int64_t[DNN_DIMS] size
    cdef int64_t factor
    cdef int64_t elements = 1
    cdef bint folds = d.direction == CUDNN_TRANSFORM_FOLD
    if <uint32_t>count != d.count:
        return cannot(b"tensor and transformation differ in the number of dimensions, or one is not set")
    for i in range(count):
        size[i] = dim[i]
    if not folds:
        for i in range(2, count):
            factor = fold_of(d, i)
            if size[1] % factor:
                return bad(b"the channels are no multiple of the folding factors")
            size[1] //= factor
            size[i] *= factor
            if size[i] > INT32_MAX:
                return cannot(b"more than 2^31 - 1 elements after the folding")
    for i in range(count):
        size[i] += <int64_t>d.before[i] + d.after[i]
        if size[i] <= 0:
            return bad(b"a dimension is not positive after the padding")
        if size[i] > INT32_MAX:
            return cannot(b"more than 2^31 - 1 elements after the padding")
    if folds:
        for i in range(2, count):
            factor = fold_of(d, i)
            size[i] = (size[i] + factor - 1) // factor  # zeros fill what is missing
            size[1] *= factor
            if size[1] > INT32_MAX:
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
    cdef int32_t[DNN_DIMS] dim
    cdef cudnnStatus_t status = transformed(d, x.count, x.dim, dim)
    cdef size_t elements = 1
    cdef int i
    if status != CUDNN_STATUS_SUCCESS:
        return status
    if d.format == <int32_t>CUDNN_TENSOR_NCHW_VECT_C:
        return cannot(b"NVIDIA's call too gives no tensor of vectors")
    y.type = x.type
    y.format = d.format
    y.count = x.count
    for i in range(x.count):
        y.dim[i] = dim[i]
        elements *= <size_t>dim[i]
    dim[1] //= dnn_type_vector(x.type)
    dnn_pack(d.format, x.type, x.count, dim, y.stride)
    y.amd = NULL
    if size is not NULL:
        size[0] = elements * <size_t>dnn_type_bytes(x.type) // <size_t>dnn_type_vector(x.type)
    return CUDNN_STATUS_SUCCESS


cdef inline bint of_others(const dnn_tensor *d) noexcept nogil:
    return d.type == CUDNN_DATA_INT8x32 or d.type == CUDNN_DATA_UINT8x4


cdef public cudnnStatus_t transform_tensor(dnn_handle *h, const void *alpha, dnn_tensor *xd, const void *x,
        const void *beta, dnn_tensor *yd, void *y) noexcept nogil:
    cdef dnn_tensor packed
    cdef char *work = NULL
    cdef double a, b
    cdef cudnnStatus_t status
    if x is NULL or y is NULL or alpha is NULL or beta is NULL:
        return bad(b"x, y, alpha or beta is NULL")
    if xd.count == 0 or yd.count == 0:
        return bad(b"a descriptor has not been set")
    if dnn_is_bytes(xd.type) or dnn_is_bytes(yd.type):
        if not same_sizes(xd, yd):
            return bad(b"x and y differ in sizes")
        if xd.type != yd.type and (of_others(xd) or of_others(yd)):
            return bad(b"INT8x32 and UINT8x4 go into nothing else")
        return dnn_bytes_moved(h, dnn_factor(yd.type, alpha), xd, x, dnn_factor(yd.type, beta), yd, y)
    a = dnn_factor(yd.type, alpha)
    b = dnn_factor(yd.type, beta)
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


cdef struct line:  # y's elements u·y_step + y_first of a dimension ← x's elements u·x_step + x_first
    int64_t y_step
    int64_t y_first
    int64_t x_step
    int64_t x_first


cdef inline void bounds(int64_t dim, int64_t step, int64_t first, int64_t *low, int64_t *high) noexcept nogil:
    """Of the u from low up to high those stay whose element is one of `dim`."""
    if first < 0 and low[0] < (-first + step - 1) // step:
        low[0] = (-first + step - 1) // step
    if first >= dim:
        high[0] = 0
    elif high[0] > (dim - 1 - first) // step + 1:
        high[0] = (dim - 1 - first) // step + 1


cdef cudnnStatus_t put_parts(dnn_handle *h, const dnn_transform *d, double alpha, dnn_tensor *xd, const void *x,
        double beta, dnn_tensor *yd, void *y) noexcept nogil:
    """y ← α·x + β·y without the padding: a strided copy for each combination of the folding factors' parts."""
    cdef dnn_tensor a, b
    cdef line l
    cdef int[DNN_DIMS] part
    cdef bint folds = d.direction == CUDNN_TRANSFORM_FOLD
    cdef int count = xd.count
    cdef int parts = 1
    cdef int combination, rest, i
    cdef int64_t x_at, y_at, low, high
    cdef size_t bytes = <size_t>dnn_type_bytes(xd.type)
    cdef bint nothing
    cdef cudnnStatus_t status
    for i in range(2, count):
        parts *= <int>fold_of(d, i)
    for combination in range(parts):
        rest = combination
        i = count - 1
        while i > 1:
            part[i] = rest % <int>fold_of(d, i)
            rest //= <int>fold_of(d, i)
            i -= 1
        a = xd[0]
        b = yd[0]
        a.amd = b.amd = NULL
        x_at = y_at = 0
        nothing = False
        for i in range(count):
            l.y_step = l.x_step = 1
            l.y_first = l.x_first = 0
            low = 0
            high = INT32_MAX
            if folds:
                l.x_first = -<int64_t>d.before[i]
                if i == 1:
                    high = yd.dim[1] // parts
                    l.y_first = combination * high
                elif i > 1:
                    l.x_step = fold_of(d, i)
                    l.x_first += part[i]
            else:
                l.y_first = d.before[i]
                if i == 1:
                    high = xd.dim[1] // parts
                    l.x_first = combination * high
                elif i > 1:
                    l.y_step = fold_of(d, i)
                    l.y_first += part[i]
            bounds(xd.dim[i], l.x_step, l.x_first, &low, &high)
            bounds(yd.dim[i], l.y_step, l.y_first, &low, &high)
            if high <= low:
                nothing = True
                break
            a.dim[i] = b.dim[i] = <int32_t>(high - low)
            x_at += (low * l.x_step + l.x_first) * xd.stride[i]
            y_at += (low * l.y_step + l.y_first) * yd.stride[i]
            a.stride[i] = <int32_t>(xd.stride[i] * l.x_step)
            b.stride[i] = <int32_t>(yd.stride[i] * l.y_step)
        if nothing:
            continue
        status = dnn_moved(h, NULL, alpha, &a, <const char *>x + <size_t>x_at * bytes, beta, &b,
                           <char *>y + <size_t>y_at * bytes)
        if status != CUDNN_STATUS_SUCCESS:
            return status
    return CUDNN_STATUS_SUCCESS


cdef cudnnStatus_t put(dnn_handle *h, const dnn_transform *given, double alpha, dnn_tensor *xd, const void *x,
        double beta, dnn_tensor *yd, void *y) noexcept nogil:
    cdef dnn_transform own = given[0]
    cdef dnn_transform *d = &own
    cdef int32_t[DNN_DIMS] out
    cdef dnn_tensor packed
    cdef void *memory
    cdef bint pads = False
    cdef bint whole = True  # folds nothing
    cdef int64_t wide
    cdef int i
    cdef cudnnStatus_t status
    for i in range(2, xd.count):
        whole = whole and fold_of(d, i) == 1
    # NVIDIA's library takes a source whose channels leave less room for the padding behind them
    wide = <int64_t>xd.dim[1] + d.before[1]
    if xd.count > 2 and whole and wide <= yd.dim[1] < wide + d.after[1]:
        d.after[1] = <int32_t>(yd.dim[1] - wide)
    status = transformed(d, xd.count, xd.dim, out)
    if status != CUDNN_STATUS_SUCCESS:
        return cannot(b"source and transformation do not fit together")
    for i in range(xd.count):
        if out[i] != yd.dim[i]:
            return cannot(b"the destination has not the sizes that the transformation gives")
        pads = pads or d.before[i] > 0 or d.after[i] > 0
        if d.direction == CUDNN_TRANSFORM_FOLD:
            pads = pads or (<int64_t>xd.dim[i] + d.before[i] + d.after[i]) % fold_of(d, i) != 0
        whole = whole and d.before[i] == 0 and d.after[i] == 0
    if whole and (dnn_is_bytes(xd.type) or dnn_is_bytes(yd.type)):
        return dnn_bytes_moved(h, alpha, xd, x, beta, yd, y)
    if xd.type != yd.type or in_vectors(xd):
        return cannot(b"source and destination differ in type, or are of vectors, and are padded or folded")
    if not pads:
        return put_parts(h, d, alpha, xd, x, beta, yd, y)
    if beta == 0:
        status = dnn_fill(h, yd, 0, y)
        return status if status != CUDNN_STATUS_SUCCESS else put_parts(h, d, alpha, xd, x, 0, yd, y)
    dnn_packed(yd, yd.type, &packed)
    memory = dnn_scratch(h, DNN_WORK + dnn_bytes(&packed))
    if memory is NULL:
        return dnn_because(CUDNN_STATUS_ALLOC_FAILED, b"no memory for the padded tensor")
    status = dnn_fill(h, &packed, 0, <char *>memory + DNN_WORK)
    if status == CUDNN_STATUS_SUCCESS:
        status = put_parts(h, d, 1, xd, x, 0, &packed, <char *>memory + DNN_WORK)
    if status != CUDNN_STATUS_SUCCESS:
        return status
    return dnn_moved(h, memory, alpha, &packed, <char *>memory + DNN_WORK, beta, yd, y)


cdef public cudnnStatus_t transform_tensor_ex(dnn_handle *h, dnn_transform *d, const void *alpha, dnn_tensor *xd,
        const void *x, const void *beta, dnn_tensor *yd, void *y) noexcept nogil:
    if x is NULL or y is NULL or alpha is NULL or beta is NULL:
        return bad(b"srcData, destData, alpha or beta is NULL")
    if d.count == 0 or xd.count == 0 or yd.count == 0 or <uint32_t>xd.count != d.count or yd.count != xd.count:
        return cannot(b"source, destination and transformation differ in the number of dimensions, or are not set")
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
    if x is NULL or y is NULL or alpha is NULL or beta is NULL:
        return bad(b"srcData, destData, alpha or beta is NULL")
    tensor_of(xd, &a)
    tensor_of(yd, &b)
    if a.count == 0 or b.count == 0:
        return bad(b"a descriptor has not been set")
    if <uint32_t>a.count != d.count or b.count != a.count:
        return bad(b"source, destination and transformation differ in the number of dimensions")
    return put(h, d, dnn_factor(b.type, alpha), &a, x, dnn_factor(b.type, beta), &b, y)
