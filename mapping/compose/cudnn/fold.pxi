# cudnnGetFoldedConvBackwardDataDescriptors: the gradient of a convolution with strides as that of one without. Each
# stride becomes channels of the filter and of the gradient; what the arithmetic needs beside that is padding, as
# NVIDIA's library was seen to choose it.


from libc.stdint cimport INT32_MAX


cdef inline int32_t missing(int64_t size, int64_t step) noexcept nogil:
    """What is missing to a multiple of `step`."""
    return <int32_t>((step - size % step) % step)


cdef void no_transform(dnn_transform *t, int count, int format, int direction) noexcept nogil:
    t.count = <uint32_t>count
    t.format = format
    t.direction = direction
    memset(t.before, 0, sizeof(t.before))
    memset(t.after, 0, sizeof(t.after))
    memset(t.fold, 0, sizeof(t.fold))


cdef void shape_of(dnn_tensor *t, const dnn_tensor *like, int format, const int32_t *dim) noexcept nogil:
    t.type = like.type
    t.format = format
    t.count = like.count
    memcpy(t.dim, dim, sizeof(t.dim))
    dnn_pack(format, t.type, t.count, t.dim, t.stride)


cdef public cudnnStatus_t get_folded_conv_backward_data_descriptors(const cudnnHandle_t h, dnn_filter *wd,
        dnn_tensor *dyd, dnn_convolution *d, dnn_tensor *dxd, const cudnnTensorFormat_t format, dnn_filter *folded_w,
        dnn_tensor *padded_dy, dnn_convolution *folded, dnn_tensor *folded_dx, dnn_transform *fold_w,
        dnn_transform *pad_dy, dnn_transform *fold_dx, dnn_transform *unfold_dx) noexcept nogil:
    """Of a stride s, a padding p and R taps: s - p mod s zeros in front of the taps make the padding (p + …)/s
    positions, zeros behind them fill the last of ⌈…/s⌉ taps. Of the gradient no more is folded than the taps reach; the
    output's gradient gains the positions that the padding behind brings. All that as if there were no dilation.
    Channels become multiples of 8, as far as whole ones can be added."""
    cdef int32_t[DNN_DIMS] w
    cdef int32_t[DNN_DIMS] dy
    cdef int32_t[DNN_DIMS] dx
    cdef dnn_convolution other
    cdef int64_t stride, taps, size, reach
    cdef int64_t parts = 1
    cdef int32_t more
    cdef int i
    if not dg_alive(<const void *>h, DNN_HANDLE):
        return bad(b"the handle is none")
    if wd.count == 0 or dyd.count == 0 or d.count == 0 or dxd.count == 0:
        return bad(b"a descriptor has not been set")
    if wd.count != dxd.count or dyd.count != dxd.count or d.count + 2 != dxd.count:
        return bad(b"tensors, filter and convolution differ in the number of dimensions")
    if d.count != 2:
        return bad(b"NVIDIA's call too folds 2 spatial dimensions alone")
    if <uint32_t>format > <uint32_t>CUDNN_TENSOR_NHWC:
        return cannot(b"transformFormat is neither NCHW nor NHWC")
    if not is_float_type(wd.type) or dxd.type != wd.type or dyd.type != wd.type:
        return cannot(b"the tensors are not of one type of floats")
    if wd.dim[0] > INT32_MAX - 8:
        return cannot(b"more than 2^31 - 1 channels after the padding")
    memcpy(w, wd.dim, sizeof(w))
    memcpy(dy, dyd.dim, sizeof(dy))
    memcpy(dx, dxd.dim, sizeof(dx))
    other = d[0]
    no_transform(fold_w, wd.count, <int>format, <int>CUDNN_TRANSFORM_FOLD)
    no_transform(pad_dy, wd.count, <int>format, <int>CUDNN_TRANSFORM_FOLD)
    no_transform(fold_dx, wd.count, <int>format, <int>CUDNN_TRANSFORM_FOLD)
    no_transform(unfold_dx, wd.count, dxd.format, <int>CUDNN_TRANSFORM_UNFOLD)
    for i in range(d.count):
        stride = d.stride[i]
        parts *= stride
        if parts > INT32_MAX or parts * (wd.dim[1] + 8) > INT32_MAX or parts * (dxd.dim[1] + 8) > INT32_MAX:
            return cannot(b"more than 2^31 - 1 channels after the folding")
        fold_w.fold[i] = fold_dx.fold[i] = unfold_dx.fold[i] = <uint32_t>stride
        fold_w.before[i + 2] = missing(d.pad[i], stride)
        taps = <int64_t>wd.dim[i + 2] + fold_w.before[i + 2]
        fold_w.after[i + 2] = missing(taps, stride)
        taps = (taps + stride - 1) // stride
        w[i + 2] = <int32_t>taps
        other.pad[i] = <int32_t>((<int64_t>d.pad[i] + fold_w.before[i + 2]) // stride)
        other.stride[i] = 1
        reach = dxd.dim[i + 2] + 2 * <int64_t>d.pad[i] - wd.dim[i + 2]
        if reach < 0:
            return cannot(b"the filter is larger than the padded tensor")
        reach = reach // stride + taps - other.pad[i]
        size = (dxd.dim[i + 2] + stride - 1) // stride
        if size > reach:
            size = reach
        if size < 1:
            return cannot(b"the filter's taps reach nothing of the gradient")
        dx[i + 2] = <int32_t>size
        if size * stride < dxd.dim[i + 2]:
            fold_dx.after[i + 2] = <int32_t>(size * stride - dxd.dim[i + 2])
        unfold_dx.after[i + 2] = <int32_t>(dxd.dim[i + 2] - size * stride)
        size += other.pad[i] - reach  # positions more
        if size < 0 or dyd.dim[i + 2] + size > INT32_MAX:
            return cannot(b"filter, padding and gradient do not fit together")
        pad_dy.after[i + 2] = <int32_t>size
        dy[i + 2] += <int32_t>size
    more = missing(wd.dim[1] * parts, 8) // <int32_t>parts
    fold_w.after[1] = fold_dx.after[1] = more
    unfold_dx.after[1] = -more
    w[1] += more
    dx[1] += more
    more = missing(wd.dim[0], 8)
    fold_w.after[0] = pad_dy.after[1] = more
    w[0] += more
    dy[1] += more
    w[1] *= <int32_t>parts
    dx[1] *= <int32_t>parts
    shape_of(<dnn_tensor *>folded_w, <dnn_tensor *>wd, <int>format, w)
    shape_of(padded_dy, dyd, <int>format, dy)
    shape_of(folded_dx, dxd, <int>format, dx)
    dnn_amd_forgotten(&padded_dy.amd)
    dnn_amd_forgotten(&folded_dx.amd)
    folded.mode = other.mode
    folded.type = other.type
    folded.math = other.math
    folded.reorder = other.reorder
    folded.groups = other.groups
    folded.count = other.count
    memcpy(folded.pad, other.pad, sizeof(other.pad))
    memcpy(folded.stride, other.stride, sizeof(other.stride))
    memcpy(folded.dilation, other.dilation, sizeof(other.dilation))
    dnn_amd_forgotten(&folded.amd)
    return CUDNN_STATUS_SUCCESS
