# The fused operations of bit masks: y = RELU(scale·x + bias + …) with a bit an element, and the gradient
# that reads them.
#
# The order of the bits is NVIDIA's, found from its numbers. A bit is set where RELU made a 0 of a number below 0.
# Channels go by 64, the places N·H·W by two: 4 words are the bits of 64 channels of two places, bit k of word w that of
# channel 4·(k mod 16) + w of the first place (k < 16) or the second. Places lie one behind the other, made up to whole
# 32s, before the next 64 channels. Where there is no channel or place, the bits are 0.
# With IDENTITY, or no activation, there is no mask: it is neither written nor read, and a dz stays as it was.
#
# Nothing of AMD's knows bits; they are made of arithmetic that floats do exactly. 16 of them are a sum of powers of 2,
# and the sum 2²³ + s, for s < 2¹⁶, has s as the lower half of its own bits: every other 16 bits of such sums are the
# mask. Backwards, the halves laid into floats of 2²³ give s, and bit k of it is ⌊s/2ᵏ⌋ − 2·⌊s/2ᵏ⁺¹⌋. Floors come of
# rounding: next to 1.5·2²³ floats are whole numbers. Everything is computed in float, as NVIDIA does: its halves are
# the float's, rounded once.

cdef enum:
    BLOCK = 128  # elements whose bits are 4 words
    HALVES = 8   # in these words
    SLICE = 64   # channels of a block
    LACKS_POINTER = 1  # why a plan that was made cannot be run
    LACKS_MODE = 2
    LACKS_WORDS = 3
    LACKS_CHANNELS = 4

cdef extern from *:
    """
    static const double DNN_PAST = 8388608., DNN_WHOLE = 12582912., DNN_LARGE = 1.7014118346046923e38;
    """
    const double DNN_PAST   # 2²³
    const double DNN_WHOLE  # 1.5·2²³
    const double DNN_LARGE  # 2¹²⁷


cdef struct bits_call:
    dnn_handle *h
    int type
    int32_t channels
    int32_t places       # N·H·W
    int32_t slices       # of channels
    int32_t blocks       # of a slice: two places each
    dnn_tensor given     # all elements as the program has them: a row for each place, a channel beside the other
    dnn_tensor all       # as floats
    dnn_tensor row       # one float a channel
    dnn_tensor one
    dnn_tensor spread    # floats of whole blocks, in [halves of a word, bits, words]
    dnn_tensor power     # 1 for each of 16 bits
    dnn_tensor half      # a float for each 16 bits of the mask
    size_t bytes         # of floats of whole blocks
    char *work           # DNN_WORK bytes, to change types
    char *zero
    char *unit
    char *powers
    char *parameter      # a row of floats
    char *first          # floats of whole blocks
    char *second
    char *halves


cdef inline int64_t mask_words(int64_t places, int32_t channels) noexcept nogil:
    """Of a mask of NVIDIA's: two for 64 channels of a place, places made up to 32s."""
    return (places + 31) // 32 * 32 * ((channels + SLICE - 1) // SLICE) * 2


cdef void laid(dnn_tensor *d, int type, int32_t a, int32_t b, int32_t c) noexcept nogil:
    """A packed tensor of three dimensions."""
    memset(d, 0, sizeof(dnn_tensor))
    d.type = type
    d.count = 3
    d.dim[0], d.dim[1], d.dim[2] = a, b, c
    d.stride[0], d.stride[1], d.stride[2] = b * c, c, 1


cdef cudnnStatus_t bits_begun(bits_call *c, dnn_handle *h, const dnn_tensor *xd, double base, size_t more,
        char **rest) noexcept nogil:
    """The handle's memory, kept; the powers of `base`; 0 and 1. `rest` is `more` bytes of it."""
    cdef int32_t channels = xd.dim[1]
    cdef int32_t blocks
    cdef dnn_tensor part
    cdef size_t line = rounded(<size_t>channels * sizeof(float))
    cdef size_t halves
    cdef int done = 1
    cdef uint32_t status
    c.h = h
    c.type = xd.type
    c.channels = channels
    c.places = xd.dim[0] * xd.dim[2] * xd.dim[3]
    c.slices = (channels + SLICE - 1) // SLICE
    c.blocks = (c.places + 1) // 2
    blocks = c.slices * c.blocks
    c.bytes = <size_t>blocks * BLOCK * sizeof(float)
    halves = rounded(<size_t>blocks * HALVES * sizeof(float))
    laid(&c.given, xd.type, 1, c.places, channels)
    laid(&c.all, CUDNN_DATA_FLOAT, 1, c.places, channels)
    laid(&c.row, CUDNN_DATA_FLOAT, 1, 1, channels)
    laid(&c.one, CUDNN_DATA_FLOAT, 1, 1, 1)
    laid(&c.spread, CUDNN_DATA_FLOAT, 2 * blocks, 16, 4)
    laid(&c.power, CUDNN_DATA_FLOAT, 1, 16, 1)
    laid(&c.half, CUDNN_DATA_FLOAT, 1, 1, blocks * HALVES)
    c.work = <char *>dnn_kept(h, DNN_WORK + 768 + line + 2 * c.bytes + halves + more)
    if c.work is NULL:
        return dnn_because(CUDNN_STATUS_ALLOC_FAILED, b"no memory for the floats that a mask is of")
    c.zero = c.work + DNN_WORK
    c.unit = c.zero + 256
    c.powers = c.unit + 256
    c.parameter = c.powers + 256
    c.first = c.parameter + line
    c.second = c.first + c.bytes
    c.halves = c.second + c.bytes
    rest[0] = c.halves + halves
    status = dnn_fill(h, &c.one, 0, c.zero)
    if status == 0:
        status = dnn_fill(h, &c.one, 1, c.unit)
    if status == 0:
        status = dnn_fill(h, &c.one, 1, c.powers)
    while done < 16 and status == 0:
        laid(&part, CUDNN_DATA_FLOAT, 1, 1, done)
        status = dnn_moved(h, NULL, base, &part, c.powers, 0, &part, c.powers + done * sizeof(float))
        base *= base
        done *= 2
    return <cudnnStatus_t>status


cdef inline uint32_t plus(bits_call *c, double a, dnn_tensor *d, void *x, double addend) noexcept nogil:
    """x ← a·x + addend, rounded to float."""
    return dnn_op_tensor(c.h, miopenTensorOpAdd, a, d, x, addend, &c.one, c.unit, 0, d, x)


cdef uint32_t with_row(bits_call *c, int op, double factor, const void *parameter, int type, char *x) noexcept nogil:
    """x ← x·(factor·p) or x + factor·p, p a number of this type for each channel."""
    cdef dnn_tensor line
    cdef uint32_t status
    laid(&line, type, 1, 1, c.row.dim[2])
    status = dnn_moved(c.h, c.work, 1, &line, parameter, 0, &c.row, c.parameter)
    if status != 0:
        return status
    return dnn_op_tensor(c.h, op, 1, &c.all, x, factor, &c.row, c.parameter, 0, &c.all, x)


cdef uint32_t scaled_into(bits_call *c, const void *x, const void *scale, const void *bias, int type,
        char *to) noexcept nogil:
    """to ← scale·x + bias; no scale: x."""
    cdef uint32_t status = dnn_moved(c.h, c.work, 1, &c.given, x, 0, &c.all, to)
    if status == 0 and scale is not NULL:
        status = with_row(c, miopenTensorOpMul, 1, scale, type, to)
        if status == 0:
            status = with_row(c, miopenTensorOpAdd, 1, bias, type, to)
    return status


cdef uint32_t copied(bits_call *c, void *to, size_t to_pitch, const void *source, size_t pitch, size_t width,
        int32_t rows) noexcept nogil:
    cdef uint32_t status = dg_hip.hipMemcpy2DAsync(
        to, to_pitch, source, pitch, width, <size_t>rows, hipMemcpyDeviceToDevice, <hipStream_t>to_stream(c.h.stream))
    return 0 if status == 0 else dnn_failed(CUDNN_STATUS_EXECUTION_FAILED, b"hipMemcpy2DAsync", status)


cdef uint32_t copied_halves(bits_call *c, char *mask, bint reading) noexcept nogil:
    """Each half of the mask's words, to or from the lower half of a float."""
    cdef int i
    cdef uint32_t status = 0
    cdef int32_t rows = c.blocks * HALVES
    cdef size_t apart = mask_words(c.places, SLICE) * sizeof(int32_t)
    for i in range(c.slices):
        if status == 0 and reading:
            status = copied(c, c.halves + <size_t>i * rows * sizeof(float), 4, mask + i * apart, 2, 2, rows)
        elif status == 0:
            status = copied(c, mask + i * apart, 2, c.halves + <size_t>i * rows * sizeof(float), 4, 2, rows)
    return status


cdef uint32_t sliced(bits_call *c, char *blocks, char *rows, bint back) noexcept nogil:
    """A row of channels for each place, into blocks, or back."""
    cdef int i
    cdef uint32_t status = 0
    cdef size_t pitch = <size_t>c.channels * sizeof(float)
    cdef size_t each = <size_t>c.blocks * BLOCK * sizeof(float)
    cdef size_t width
    for i in range(c.slices):
        width = <size_t>(c.channels - i * SLICE if i == c.slices - 1 else SLICE) * sizeof(float)
        if status == 0 and back:
            status = copied(c, rows + i * SLICE * sizeof(float), pitch, blocks + i * each, SLICE * sizeof(float), width,
                            c.places)
        elif status == 0:
            status = copied(c, blocks + i * each, SLICE * sizeof(float), rows + i * SLICE * sizeof(float), pitch, width,
                            c.places)
    return status


cdef uint32_t signs(bits_call *c, double sign, dnn_tensor *d, char *x) noexcept nogil:
    """x ← 1 where sign·x is above 0, of the smallest number too; else 0."""
    cdef uint32_t status = dnn_op_tensor(c.h, miopenTensorOpMax, sign * DNN_LARGE, d, x, 1, &c.one, c.zero, 0, d, x)
    if status != 0:
        return status
    return dnn_op_tensor(c.h, miopenTensorOpMin, DNN_LARGE, d, x, 1, &c.one, c.unit, 0, d, x)


cdef uint32_t packed_bits(bits_call *c, void *mask) noexcept nogil:
    """The bits of elements below 0 in `first`; `second` is overwritten."""
    cdef int half
    cdef uint32_t status = dg_hip.hipMemsetAsync(c.second, 0, c.bytes, <hipStream_t>to_stream(c.h.stream))
    if status != 0:
        return dnn_failed(CUDNN_STATUS_EXECUTION_FAILED, b"hipMemsetAsync", status)
    status = sliced(c, c.second, c.first, False)
    if status == 0:
        status = signs(c, -1, &c.spread, c.second)
    if status == 0:
        status = dnn_fill(c.h, &c.half, DNN_PAST, c.halves)
    for half in range(2):
        if status == 0:
            status = dnn_gemm(
                c.h, CUDNN_DATA_FLOAT, 1, 0, 4, 1, 16, 1, c.second + half * 64 * sizeof(float), 4, BLOCK, c.powers, 1,
                0, 1, c.halves + half * sizeof(float), 2, HALVES, c.slices * c.blocks)
    return status if status != 0 else copied_halves(c, <char *>mask, False)


cdef uint32_t floored(bits_call *c, char *x) noexcept nogil:
    """x, at no place halfway between two whole numbers, to the nearest; two calls, so that the first one's is
    rounded."""
    cdef uint32_t status = plus(c, 1, &c.spread, x, DNN_WHOLE)
    return status if status != 0 else plus(c, 1, &c.spread, x, -DNN_WHOLE)


cdef uint32_t spread_bits(bits_call *c, const void *mask) noexcept nogil:
    """`second` ← 1 where an element's bit is not set, else 0; `first` is overwritten. The powers are of ½."""
    cdef int half
    cdef uint32_t status = dnn_fill(c.h, &c.half, DNN_PAST, c.halves)
    if status == 0:
        status = copied_halves(c, <char *>mask, True)
    if status == 0:
        status = plus(c, 1, &c.half, c.halves, -DNN_PAST)
    for half in range(2):
        if status == 0:  # s/2ᵏ
            status = dnn_gemm(
                c.h, CUDNN_DATA_FLOAT, 0, 1, 16, 4, 1, 1, c.powers, 1, 0, c.halves + half * sizeof(float), 2, HALVES, 0,
                c.first + half * 64 * sizeof(float), 4, BLOCK, c.slices * c.blocks)
    if status == 0:  # (2·s + 1)/2ᵏ⁺¹ − ½, whose nearest whole number is the floor
        status = dnn_op_tensor(c.h, miopenTensorOpAdd, 1, &c.spread, c.first, 0.5, &c.power, c.powers, 0, &c.spread,
                               c.first)
    if status == 0:
        status = plus(c, 1, &c.spread, c.first, -0.5)
    if status == 0:
        status = floored(c, c.first)
    if status == 0:
        status = dnn_op_tensor(c.h, miopenTensorOpAdd, 0.5, &c.spread, c.first, -0.25, &c.one, c.unit, 0, &c.spread,
                               c.second)
    if status == 0:
        status = floored(c, c.second)
    if status == 0:
        status = plus(c, -1, &c.spread, c.first, 1)
    if status == 0:
        status = dnn_op_tensor(c.h, miopenTensorOpAdd, 1, &c.spread, c.first, 2, &c.spread, c.second, 0, &c.spread,
                               c.first)
    return status if status != 0 else sliced(c, c.first, c.second, True)


# ---- plans

cdef cudnnStatus_t images_taken(dnn_fused_body *b, const dnn_fused_const *p, uint32_t label, int place,
        bint forward) noexcept nogil:
    """Images whose channels lie side by side, like x."""
    cdef dnn_tensor *d = &b.tensor[place]
    cdef int32_t stride[DNN_DIMS]
    cdef int i
    cdef cudnnStatus_t status = taken(b, p, label, place)
    if status != CUDNN_STATUS_SUCCESS:
        return status
    if d.type != CUDNN_DATA_HALF and d.type != CUDNN_DATA_FLOAT and (forward or d.type != CUDNN_DATA_BFLOAT16):
        return cannot(b"NVIDIA's plan too is of half and float, and backwards of bfloat16")
    if d.count != 4:
        return cannot(b"the operations of bit masks are of 4 dimensions")
    dnn_pack(CUDNN_TENSOR_NHWC, d.type, d.count, d.dim, stride)
    for i in range(d.count):
        if d.dim[i] != 1 and d.stride[i] != stride[i]:
            return cannot(b"the operations of bit masks are of packed NHWC")
    if place != DNN_FUSED_X and forward and d.type != b.tensor[DNN_FUSED_X].type:
        return cannot(b"two tensors of the operation differ in type")
    if place != DNN_FUSED_X and (d.type != b.tensor[DNN_FUSED_X].type or not same_sizes(d, &b.tensor[DNN_FUSED_X])):
        return bad(b"two tensors of the operation differ in type or sizes")
    return CUDNN_STATUS_SUCCESS


cdef inline bint is_given(const dnn_fused_const *p, uint32_t label) noexcept nogil:
    return (p.given >> label) & 1 != 0


cdef cudnnStatus_t mask_planned(dnn_fused_body *b, const dnn_fused_const *p, bint forward) noexcept nogil:
    """The mode, the activation, and room for the bits. NVIDIA's asks for the mask's very sizes where it is written, and
    not for its descriptor where it is read: that is missed in the call, if at all."""
    cdef dnn_activation *f = <dnn_activation *>p.descriptor[<uint32_t>CUDNN_PARAM_ACTIVATION_DESC]
    cdef dnn_tensor *m = &b.tensor[DNN_FUSED_MASK]
    cdef dnn_tensor *x = &b.tensor[DNN_FUSED_X]
    cdef int64_t places = <int64_t>x.dim[0] * x.dim[2] * x.dim[3]
    cdef int64_t words = mask_words(places, x.dim[1])
    cdef cudnnStatus_t status = CUDNN_STATUS_SUCCESS
    if forward or is_given(p, <uint32_t>CUDNN_PARAM_ACTIVATION_BITMASK_DESC):
        status = taken(b, p, <uint32_t>CUDNN_PARAM_ACTIVATION_BITMASK_DESC, DNN_FUSED_MASK)
        if status == CUDNN_STATUS_SUCCESS and m.type != CUDNN_DATA_INT32:
            return bad(b"the mask's words are not INT32")
    if status != CUDNN_STATUS_SUCCESS:
        return status
    if words > 0x7fffffff // 32:
        return cannot(b"a mask of 2^31 elements or more")
    if forward and (m.count < 2 or m.dim[0] != (places + 31) // 32 * 32 or elements_of(m) != words):
        return bad(b"the mask is not of N*H*W, made up to 32s, by two words for 64 channels")
    if not forward and m.count and elements_of(m) < words:
        b.refused = LACKS_WORDS
    if not is_given(p, <uint32_t>CUDNN_PARAM_BN_MODE) or p.batch_mode == CUDNN_BATCHNORM_PER_ACTIVATION:
        return bad(b"the mode is not given, or PER_ACTIVATION")
    if not is_given(p, <uint32_t>CUDNN_PARAM_ACTIVATION_DESC):
        return CUDNN_STATUS_SUCCESS  # IDENTITY
    if not dg_alive(f, DNN_ACTIVATION):
        return bad(b"the activation's descriptor has been destroyed")
    if f.mode != CUDNN_ACTIVATION_RELU and f.mode != CUDNN_ACTIVATION_IDENTITY:
        return cannot(b"masks are of RELU and IDENTITY alone")
    b.positive = f.mode == CUDNN_ACTIVATION_RELU
    return CUDNN_STATUS_SUCCESS


cdef cudnnStatus_t equivalents_taken(dnn_fused_body *b, const dnn_fused_const *p, uint32_t label,
        int place) noexcept nogil:
    cdef cudnnStatus_t status = row_taken(b, p, label, place, False, b.tensor[DNN_FUSED_X].dim[1])
    if status == CUDNN_STATUS_SUCCESS and b.tensor[place].type != b.tensor[DNN_FUSED_X].type:
        return cannot(b"equivalent scale and bias are not of x's type")
    return status


cdef cudnnStatus_t masking_planned(dnn_fused_body *b, const dnn_fused_const *p) noexcept nogil:
    """What is added, and whether it is scaled, the descriptors say; a pointer that is not announced is
    missed in the call."""
    cdef cudnnStatus_t status = images_taken(b, p, <uint32_t>CUDNN_PARAM_XDESC, DNN_FUSED_X, True)
    if status == CUDNN_STATUS_SUCCESS:
        status = images_taken(b, p, <uint32_t>CUDNN_PARAM_YDESC, DNN_FUSED_Y, True)
    if status == CUDNN_STATUS_SUCCESS:
        status = equivalents_taken(b, p, <uint32_t>CUDNN_PARAM_BN_EQSCALEBIAS_DESC, DNN_FUSED_EQUIVALENT)
    if status == CUDNN_STATUS_SUCCESS:
        status = mask_planned(b, p, True)
    if status != CUDNN_STATUS_SUCCESS:
        return status
    b.adds = is_given(p, <uint32_t>CUDNN_PARAM_ZDESC)
    b.scales_z = is_given(p, <uint32_t>CUDNN_PARAM_BN_Z_EQSCALEBIAS_DESC)
    if (not asked_for(p, <uint32_t>CUDNN_PARAM_XDATA_PLACEHOLDER)
        or not asked_for(p, <uint32_t>CUDNN_PARAM_YDATA_PLACEHOLDER)
            or (not b.adds and (b.scales_z or asked_for(p, <uint32_t>CUDNN_PARAM_ZDATA_PLACEHOLDER)))
            or (not b.scales_z and (asked_for(p, <uint32_t>CUDNN_PARAM_BN_Z_EQSCALE_PLACEHOLDER)
                                    or asked_for(p, <uint32_t>CUDNN_PARAM_BN_Z_EQBIAS_PLACEHOLDER)))):
        return bad(b"x or y is not announced, or z is without its descriptor")
    if (not asked_for(p, <uint32_t>CUDNN_PARAM_BN_EQSCALE_PLACEHOLDER)
            or not asked_for(p, <uint32_t>CUDNN_PARAM_BN_EQBIAS_PLACEHOLDER)
            or (b.adds and not asked_for(p, <uint32_t>CUDNN_PARAM_ZDATA_PLACEHOLDER))
            or (b.scales_z and not (asked_for(p, <uint32_t>CUDNN_PARAM_BN_Z_EQSCALE_PLACEHOLDER)
                                    and asked_for(p, <uint32_t>CUDNN_PARAM_BN_Z_EQBIAS_PLACEHOLDER)))):
        b.refused = LACKS_POINTER
    if b.adds:
        status = images_taken(b, p, <uint32_t>CUDNN_PARAM_ZDESC, DNN_FUSED_Z, True)
    if b.scales_z and status == CUDNN_STATUS_SUCCESS:
        status = equivalents_taken(b, p, <uint32_t>CUDNN_PARAM_BN_Z_EQSCALEBIAS_DESC, DNN_FUSED_Z_EQUIVALENT)
    return status


cdef cudnnStatus_t masked_planned(dnn_fused_body *b, const dnn_fused_const *p) noexcept nogil:
    """NVIDIA's asks for the descriptors alone. A dz that is not announced is not there, and one that is needs its
    descriptor. Behind IDENTITY there is none: NVIDIA's library leaves it as it is, and so does this."""
    cdef void *rows = p.descriptor[<uint32_t>CUDNN_PARAM_BN_SCALEBIAS_MEANVAR_DESC]
    cdef cudnnStatus_t status = images_taken(b, p, <uint32_t>CUDNN_PARAM_XDESC, DNN_FUSED_X, False)
    if status == CUDNN_STATUS_SUCCESS:
        status = images_taken(b, p, <uint32_t>CUDNN_PARAM_DYDESC, DNN_FUSED_DY, False)
    if status == CUDNN_STATUS_SUCCESS:
        status = images_taken(b, p, <uint32_t>CUDNN_PARAM_DXDESC, DNN_FUSED_Y, False)
    if (status == CUDNN_STATUS_SUCCESS and dg_alive(rows, DNN_TENSOR) and (<dnn_tensor *>rows).count
            and (<dnn_tensor *>rows).type != CUDNN_DATA_FLOAT):
        return bad(b"the statistics are not float")
    if status == CUDNN_STATUS_SUCCESS:
        status = row_taken(b, p, <uint32_t>CUDNN_PARAM_BN_SCALEBIAS_MEANVAR_DESC, DNN_FUSED_STATS, True,
                           b.tensor[DNN_FUSED_X].dim[1])
    if status == CUDNN_STATUS_SUCCESS:
        status = mask_planned(b, p, False)
    if status != CUDNN_STATUS_SUCCESS:
        return status
    b.adds = asked_for(p, <uint32_t>CUDNN_PARAM_DZDATA_PLACEHOLDER)
    if b.adds and not is_given(p, <uint32_t>CUDNN_PARAM_DZDESC):
        return bad(b"dz is announced without its descriptor")
    b.adds = b.adds and b.positive
    if b.adds and b.tensor[DNN_FUSED_MASK].count == 0:
        b.refused = LACKS_WORDS
    if b.tensor[DNN_FUSED_X].dim[1] % 4:
        b.refused = LACKS_CHANNELS
    if p.batch_mode != CUDNN_BATCHNORM_SPATIAL_PERSISTENT:
        b.refused = LACKS_MODE
    if not is_given(p, <uint32_t>CUDNN_PARAM_DZDESC):
        return CUDNN_STATUS_SUCCESS
    return images_taken(b, p, <uint32_t>CUDNN_PARAM_DZDESC, DNN_FUSED_Z, False)


cdef cudnnStatus_t not_run(const dnn_fused_body *b) noexcept nogil:
    if b.refused == LACKS_POINTER:
        return bad(b"a pointer that the operation needs was not announced")
    if b.refused == LACKS_MODE:
        return cannot(b"the mode is not SPATIAL_PERSISTENT, which NVIDIA's library too runs alone")
    if b.refused == LACKS_WORDS:
        return cannot(b"the mask has not two words for 64 channels of each place, places made up to 32s")
    return cannot(b"the channels are no multiple of 4, which NVIDIA's library too runs alone")


# ---- execution

cdef cudnnStatus_t masking(dnn_handle *h, dnn_fused_body *b, const dnn_fused_variant *v) noexcept nogil:
    """y ← RELU(scale·x + bias [+ z, or its own scale·z + bias]), and the mask, which IDENTITY leaves alone."""
    cdef bits_call c
    cdef char *rest
    cdef int row = b.tensor[DNN_FUSED_EQUIVALENT].type
    cdef void *x = at(v, <uint32_t>CUDNN_PTR_XDATA)
    cdef void *y = at(v, <uint32_t>CUDNN_PTR_YDATA)
    cdef void *z = at(v, <uint32_t>CUDNN_PTR_ZDATA)
    cdef void *scale = at(v, <uint32_t>CUDNN_PTR_BN_EQSCALE)
    cdef void *bias = at(v, <uint32_t>CUDNN_PTR_BN_EQBIAS)
    cdef void *z_scale = at(v, <uint32_t>CUDNN_PTR_BN_Z_EQSCALE)
    cdef void *z_bias = at(v, <uint32_t>CUDNN_PTR_BN_Z_EQBIAS)
    cdef void *mask = at(v, <uint32_t>CUDNN_PTR_ACTIVATION_BITMASK)
    cdef uint32_t status
    if b.refused:
        return not_run(b)
    if (x is NULL or y is NULL or scale is NULL or bias is NULL or (b.positive and mask is NULL)
            or (b.adds and z is NULL) or (b.scales_z and (z_scale is NULL or z_bias is NULL))):
        return bad(b"a pointer that the plan needs is NULL")
    status = bits_begun(&c, h, &b.tensor[DNN_FUSED_X], 2, 0, &rest)
    if status == 0:
        status = scaled_into(&c, x, scale, bias, row, c.first)
    if status == 0 and b.adds:
        status = scaled_into(&c, z, z_scale if b.scales_z else NULL, z_bias, b.tensor[DNN_FUSED_Z_EQUIVALENT].type,
                             c.second)
        if status == 0:
            status = dnn_op_tensor(h, miopenTensorOpAdd, 1, &c.all, c.first, 1, &c.all, c.second, 0, &c.all, c.first)
    if status == 0 and b.positive:
        status = packed_bits(&c, mask)
        if status == 0:
            status = dnn_fill(h, &c.all, 0, c.second)
        if status == 0:  # of two that do not compare the second is MIOpen's maximum: NaN stays, as in NVIDIA's
            status = dnn_op_tensor(h, miopenTensorOpMax, 1, &c.all, c.second, 1, &c.all, c.first, 0, &c.all, c.first)
    if status == 0:
        status = dnn_moved(h, c.work, 1, &c.all, c.first, 0, &c.given, y)
    dnn_kept_left(h)
    return <cudnnStatus_t>status


cdef uint32_t passing(bits_call *c, void **data) noexcept nogil:
    """`second` ← 1 where scale·(x - mean)·inverse deviation + bias, `data` in masked's order, is above 0, else 0."""
    cdef uint32_t status = dnn_moved(c.h, c.work, 1, &c.given, data[0], 0, &c.all, c.second)
    if status == 0:
        status = with_row(c, miopenTensorOpAdd, -1, data[6], CUDNN_DATA_FLOAT, c.second)
    if status == 0:
        status = with_row(c, miopenTensorOpMul, 1, data[7], CUDNN_DATA_FLOAT, c.second)
    if status == 0:
        status = with_row(c, miopenTensorOpMul, 1, data[3], CUDNN_DATA_FLOAT, c.second)
    if status == 0:
        status = with_row(c, miopenTensorOpAdd, 1, data[8], CUDNN_DATA_FLOAT, c.second)
    return status if status != 0 else signs(c, 1, &c.all, c.second)


cdef uint32_t chosen(bits_call *c, char *upper, char *lower) noexcept nogil:
    """`second` ← `first` where `second` is 1, and 0 where it is 0, whatever `first` is there; `upper`,
    `lower`: floats to use.

    A product would keep NaN and make one of an infinity. `first` between 0 and 0, or -∞ and ∞, is the choice but for
    NaN, which becomes the bound that it is compared with first: -∞ or ∞, two that differ, and only there.
    """
    # 2²⁵⁴: ∞
    cdef uint32_t status = dnn_op_tensor(c.h, miopenTensorOpMul, DNN_LARGE, &c.all, c.second, DNN_LARGE, &c.one, c.unit,
                                         0, &c.all, c.second)
    if status == 0:
        status = dnn_op_tensor(c.h, miopenTensorOpMax, 1, &c.all, c.first, -1, &c.all, c.second, 0, &c.all, lower)
    if status == 0:
        status = dnn_op_tensor(c.h, miopenTensorOpMin, 1, &c.all, lower, 1, &c.all, c.second, 0, &c.all, lower)
    if status == 0:
        status = dnn_op_tensor(c.h, miopenTensorOpMin, 1, &c.all, c.first, 1, &c.all, c.second, 0, &c.all, upper)
    if status == 0:
        status = dnn_op_tensor(c.h, miopenTensorOpMax, 1, &c.all, upper, -1, &c.all, c.second, 0, &c.all, upper)
    if status == 0:  # ∞ of a NaN, 0 of numbers, NaN of an infinity
        status = dnn_op_tensor(c.h, miopenTensorOpAdd, 1, &c.all, upper, -1, &c.all, lower, 0, &c.all, upper)
    if status == 0:  # of which the second is the maximum
        status = dnn_op_tensor(c.h, miopenTensorOpMax, 1, &c.all, upper, 1, &c.one, c.zero, 0, &c.all, upper)
    return status if status != 0 else dnn_op_tensor(
        c.h, miopenTensorOpAdd, 1, &c.all, lower, 1, &c.all, upper, 0, &c.all, c.second)


cdef cudnnStatus_t masked(dnn_handle *h, dnn_fused_body *b, const dnn_fused_variant *v) noexcept nogil:
    """dz ← dy where the mask's bit is not set, else 0; dx, dscale and dbias of the normalisation before, from the same.

    Without a dz nothing was added, and what RELU was given is computed again, as by NVIDIA's library, which reads no
    mask then. Behind IDENTITY dy itself is the gradient.
    """
    cdef bits_call c
    cdef dnn_tensor *xd = &b.tensor[DNN_FUSED_X]
    cdef dnn_tensor plain = xd[0]
    cdef char *rest
    cdef char *passed
    cdef char *plain_x
    cdef char *plain_dx
    cdef void *image
    cdef void *parameters
    cdef float one = 1
    cdef float zero = 0
    cdef int32_t[4] dim
    cdef int32_t[4] stride
    cdef size_t bytes = rounded(dnn_bytes(xd))
    cdef size_t floats = rounded(<size_t>elements_of(xd) * sizeof(float))
    cdef void *dz = at(v, <uint32_t>CUDNN_PTR_DZDATA)
    cdef void *mask = at(v, <uint32_t>CUDNN_PTR_ACTIVATION_BITMASK)
    cdef void *data[9]
    cdef int i
    cdef uint32_t status
    data[0] = at(v, <uint32_t>CUDNN_PTR_XDATA)
    data[1] = at(v, <uint32_t>CUDNN_PTR_DYDATA)
    data[2] = at(v, <uint32_t>CUDNN_PTR_DXDATA)
    data[3] = at(v, <uint32_t>CUDNN_PTR_BN_SCALE)
    data[4] = at(v, <uint32_t>CUDNN_PTR_BN_DSCALE)
    data[5] = at(v, <uint32_t>CUDNN_PTR_BN_DBIAS)
    data[6] = at(v, <uint32_t>CUDNN_PTR_BN_SAVED_MEAN)
    data[7] = at(v, <uint32_t>CUDNN_PTR_BN_SAVED_INVSTD)
    data[8] = dz if b.adds else at(v, <uint32_t>CUDNN_PTR_BN_BIAS) if b.positive else data[0]
    if b.refused:
        return not_run(b)
    for i in range(9):
        if data[i] is NULL:
            return bad(b"a pointer that the plan needs is NULL")
    if b.adds and mask is NULL:
        return cannot(b"the mask is NULL")
    status = bits_begun(&c, h, xd, 0.5, 3 * bytes + 2 * floats, &rest)
    plain.format = CUDNN_TENSOR_NCHW
    plain.amd = NULL
    dnn_pack(CUDNN_TENSOR_NCHW, xd.type, 4, plain.dim, plain.stride)
    passed, plain_x, plain_dx = rest, rest + bytes, rest + 2 * bytes
    if status == 0 and b.adds:
        status = spread_bits(&c, mask)
    elif status == 0 and b.positive:
        status = passing(&c, data)
    if status == 0:
        status = dnn_moved(h, c.work, 1, &c.given, data[1], 0, &c.all, c.first if b.positive else c.second)
    if status == 0 and b.positive:
        status = chosen(&c, rest + 3 * bytes, rest + 3 * bytes + floats)
    if status == 0:  # x first: dz may be where it was
        status = dnn_copy(h, xd, data[0], &plain, plain_x)
    if status == 0 and not b.adds:
        dz = c.first  # free now, and at least as large
    if status == 0:
        status = dnn_moved(h, c.work, 1, &c.all, c.second, 0, &c.given, dz)
    if status == 0:
        status = dnn_copy(h, xd, dz, &plain, passed)
    if status == 0:
        image = dnn_amd_shape(h, xd.type, 4, plain.dim, plain.stride)
        dim[0] = dim[2] = dim[3] = 1
        dim[1] = xd.dim[1]
        dnn_pack(CUDNN_TENSOR_NCHW, CUDNN_DATA_FLOAT, 4, dim, stride)
        parameters = dnn_amd_shape(h, CUDNN_DATA_FLOAT, 4, dim, stride)
        if image is NULL or parameters is NULL:
            status = CUDNN_STATUS_NOT_SUPPORTED
    if status == 0:
        status = answered(dg_miopen.miopenBatchNormalizationBackward(
            <miopenHandle_t>h.amd, miopenBNSpatial, &one, &zero, &one, &zero, <miopenTensorDescriptor_t>image, plain_x,
            <miopenTensorDescriptor_t>image, passed, <miopenTensorDescriptor_t>image, plain_dx,
            <miopenTensorDescriptor_t>parameters, data[3], data[4], data[5], v.fraction[3], data[6], data[7]),
            b"miopenBatchNormalizationBackward")
    if status == 0:
        status = dnn_copy(h, &plain, plain_dx, xd, data[2])
    dnn_kept_left(h)
    return <cudnnStatus_t>status
