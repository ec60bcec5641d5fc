# What every unit of convolutions asks: is this a descriptor, what does it make of an image, how do five dimensions lie.

cdef inline bint is_convolution(const mi_convolution *conv) noexcept nogil:
    return conv != NULL and conv.kind == MI_CONVOLUTION


cdef inline miopenStatus_t output_lens(
    const mi_convolution *conv, const mi_tensor *x, const mi_tensor *w, int64_t *lens
) noexcept nogil:
    """What a forward convolution of x with w gives, in the descriptor's mode."""
    cdef int i
    cdef int64_t filter, room
    if x.dims != conv.dims + 2 or w.dims != x.dims or x.type != w.type or conv.groups < 1:
        return miopenStatusBadParm
    lens[0] = x.lens[0]
    if conv.mode == miopenTranspose:
        if x.lens[1] != w.lens[0] or w.lens[0] % conv.groups != 0:
            return miopenStatusBadParm
        lens[1] = w.lens[1] * conv.groups
    else:
        if conv.groups == 1 and x.lens[1] != w.lens[1]:
            return miopenStatusBadParm
        if conv.groups > 1 and (x.lens[1] % w.lens[1] != 0 or w.lens[0] % (x.lens[1] / w.lens[1]) != 0):
            return miopenStatusBadParm
        lens[1] = w.lens[0]
    for i in range(conv.dims):
        filter = 1 + conv.dilations[i] * (w.lens[i + 2] - 1)
        if conv.mode == miopenTranspose:
            if conv.output_pads[i] >= conv.strides[i]:
                return miopenStatusBadParm
            lens[i + 2] = conv.strides[i] * (x.lens[i + 2] - 1) + filter - 2 * conv.pads[i] + conv.output_pads[i]
        else:
            room = x.lens[i + 2] - filter + 2 * conv.pads[i]
            # C's division: a filter that is too large by less than a stride still gives one.
            lens[i + 2] = room / conv.strides[i] + 1
        if lens[i + 2] < 1:
            lens[i + 2] = 1
    return miopenStatusSuccess


cdef inline void put_tensor(int64_t *lens, int64_t *strides, const mi_tensor *tensor) noexcept nogil:
    """The last three dimensions to lens, all five to strides: missing ones have length 1, and a step that nobody
    takes."""
    cdef int i, flat = 5 - tensor.dims
    strides[0], strides[1] = tensor.strides[0], tensor.strides[1]
    for i in range(flat):
        lens[i] = 1
        strides[i + 2] = 0
    for i in range(2, tensor.dims):
        lens[i + flat - 2] = tensor.lens[i]
        strides[i + flat] = tensor.strides[i]


cdef uint64_t mix(uint64_t digest, int64_t value) noexcept nogil:
    digest = (digest ^ <uint64_t>value) * <uint64_t>0x9e3779b97f4a7c15
    return digest ^ (digest >> 29)


cdef uint64_t mix_tensor(uint64_t digest, const mi_tensor *tensor) noexcept nogil:
    cdef int i
    digest = mix(mix(digest, tensor.type), tensor.dims)
    for i in range(tensor.dims):
        digest = mix(mix(digest, tensor.lens[i]), tensor.strides[i])
    return digest


cdef uint64_t digest_of(
    int direction, const mi_tensor *x, const mi_tensor *w, const mi_tensor *y, const mi_convolution *conv
) noexcept nogil:
    cdef uint64_t digest = mix(mix(mix(1469598103, direction), conv.mode), conv.groups)
    cdef int i
    for i in range(conv.dims):
        digest = mix(mix(mix(digest, conv.pads[i]), conv.strides[i]), conv.dilations[i])
    return mix_tensor(mix_tensor(mix_tensor(digest, x), w), y) | 1
