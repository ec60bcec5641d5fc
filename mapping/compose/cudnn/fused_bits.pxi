# The fused operations of bit masks: y = RELU(scale·x + bias + …) with a bit an element, and the gradient that reads them.
#
# The order of the bits is NVIDIA's, found from its numbers: of each 128 elements one behind the other, bit p of the 128 is
# element 4·(p mod 32) + p div 32, and it is set where RELU gave 0. So bit k of word w is element 4·k + w.
#
# Nothing of AMD's knows bits; they are made of arithmetic that floats do exactly. 16 of them are a sum of powers of 2, and the
# sum 2²³ + s, for s < 2¹⁶, has s as the lower half of its own bits: every other 16 bits of such sums are the mask. Backwards,
# the halves laid into floats of 2²³ give s, and bit k of it is ⌊s/2ᵏ⌋ − 2·⌊s/2ᵏ⁺¹⌋. Floors come of rounding: next to 1.5·2²³
# floats are whole numbers. Everything is computed in float, as NVIDIA does: its halves are the float's, rounded once.

cdef enum:
    BLOCK = 128  # elements whose bits are 4 words
    HALVES = 8   # in these words

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
    int32_t blocks
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
    cdef int64_t elements = elements_of(xd)
    cdef int32_t channels = xd.dim[1]
    cdef dnn_tensor part
    cdef size_t line = rounded(<size_t>channels * sizeof(float))
    cdef size_t halves
    cdef int done = 1
    cdef uint32_t status
    c.h = h
    c.type = xd.type
    c.blocks = <int32_t>((elements + BLOCK - 1) / BLOCK)
    c.bytes = <size_t>c.blocks * BLOCK * sizeof(float)
    halves = rounded(<size_t>c.blocks * HALVES * sizeof(float))
    laid(&c.given, xd.type, 1, <int32_t>(elements / channels), channels)
    laid(&c.all, CUDNN_DATA_FLOAT, 1, <int32_t>(elements / channels), channels)
    laid(&c.row, CUDNN_DATA_FLOAT, 1, 1, channels)
    laid(&c.one, CUDNN_DATA_FLOAT, 1, 1, 1)
    laid(&c.spread, CUDNN_DATA_FLOAT, 2 * c.blocks, 16, 4)
    laid(&c.power, CUDNN_DATA_FLOAT, 1, 16, 1)
    laid(&c.half, CUDNN_DATA_FLOAT, 1, 1, c.blocks * HALVES)
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


cdef uint32_t with_row(bits_call *c, int op, const void *parameter, int type, char *x) noexcept nogil:
    """x ← x·p or x + p, p a number of this type for each channel."""
    cdef dnn_tensor line
    cdef uint32_t status
    laid(&line, type, 1, 1, c.row.dim[2])
    status = dnn_moved(c.h, c.work, 1, &line, parameter, 0, &c.row, c.parameter)
    if status != 0:
        return status
    return dnn_op_tensor(c.h, op, 1, &c.all, x, 1, &c.row, c.parameter, 0, &c.all, x)


cdef uint32_t scaled_into(bits_call *c, const void *x, const void *scale, const void *bias, int type, char *to) noexcept nogil:
    """to ← scale·x + bias; no scale: x."""
    cdef uint32_t status = dnn_moved(c.h, c.work, 1, &c.given, x, 0, &c.all, to)
    if status == 0 and scale is not NULL:
        status = with_row(c, miopenTensorOpMul, scale, type, to)
        if status == 0:
            status = with_row(c, miopenTensorOpAdd, bias, type, to)
    return status


cdef uint32_t copied_halves(bits_call *c, void *to, size_t to_pitch, const void *source, size_t pitch) noexcept nogil:
    """Each half of the mask's words, from or to the lower half of a float."""
    cdef uint32_t status = dg_hip.hipMemcpy2DAsync(
        to, to_pitch, source, pitch, 2, <size_t>c.blocks * HALVES, hipMemcpyDeviceToDevice, <hipStream_t>to_stream(c.h.stream))
    return 0 if status == 0 else dnn_failed(CUDNN_STATUS_EXECUTION_FAILED, b"hipMemcpy2DAsync", status)


cdef uint32_t packed_bits(bits_call *c, void *mask) noexcept nogil:
    """The bits of elements ≤ 0 in `first`; `second` is overwritten. What is behind the last element counts as greater."""
    cdef int half
    cdef uint32_t status = dg_hip.hipMemsetAsync(c.second, 0, c.bytes, <hipStream_t>to_stream(c.h.stream))
    if status != 0:
        return dnn_failed(CUDNN_STATUS_EXECUTION_FAILED, b"hipMemsetAsync", status)
    # 1 of the smallest element above 0 too, then turned round
    status = dnn_op_tensor(c.h, miopenTensorOpMax, DNN_LARGE, &c.all, c.first, 1, &c.one, c.zero, 0, &c.all, c.second)
    if status == 0:
        status = dnn_op_tensor(c.h, miopenTensorOpMin, DNN_LARGE, &c.all, c.second, 1, &c.one, c.unit, 0, &c.all, c.second)
    if status == 0:
        status = plus(c, -1, &c.all, c.second, 1)
    if status == 0:
        status = dnn_fill(c.h, &c.half, DNN_PAST, c.halves)
    for half in range(2):
        if status == 0:
            status = dnn_gemm(
                c.h, CUDNN_DATA_FLOAT, 1, 0, 4, 1, 16, 1, c.second + half * 64 * sizeof(float), 4, BLOCK, c.powers, 1, 0, 1,
                c.halves + half * sizeof(float), 2, HALVES, c.blocks)
    return status if status != 0 else copied_halves(c, mask, 2, c.halves, 4)


cdef uint32_t floored(bits_call *c, char *x) noexcept nogil:
    """x, at no place halfway between two whole numbers, to the nearest; two calls, so that the first one's is rounded."""
    cdef uint32_t status = plus(c, 1, &c.spread, x, DNN_WHOLE)
    return status if status != 0 else plus(c, 1, &c.spread, x, -DNN_WHOLE)


cdef uint32_t spread_bits(bits_call *c, const void *mask) noexcept nogil:
    """`first` ← 1 where an element's bit is not set, else 0; `second` is overwritten. The powers are of ½."""
    cdef int half
    cdef uint32_t status = dnn_fill(c.h, &c.half, DNN_PAST, c.halves)
    if status == 0:
        status = copied_halves(c, c.halves, 4, mask, 2)
    if status == 0:
        status = plus(c, 1, &c.half, c.halves, -DNN_PAST)
    for half in range(2):
        if status == 0:  # s/2ᵏ
            status = dnn_gemm(
                c.h, CUDNN_DATA_FLOAT, 0, 1, 16, 4, 1, 1, c.powers, 1, 0, c.halves + half * sizeof(float), 2, HALVES, 0,
                c.first + half * 64 * sizeof(float), 4, BLOCK, c.blocks)
    if status == 0:  # (2·s + 1)/2ᵏ⁺¹ − ½, whose nearest whole number is the floor
        status = dnn_op_tensor(c.h, miopenTensorOpAdd, 1, &c.spread, c.first, 0.5, &c.power, c.powers, 0, &c.spread, c.first)
    if status == 0:
        status = plus(c, 1, &c.spread, c.first, -0.5)
    if status == 0:
        status = floored(c, c.first)
    if status == 0:
        status = dnn_op_tensor(c.h, miopenTensorOpAdd, 0.5, &c.spread, c.first, -0.25, &c.one, c.unit, 0, &c.spread, c.second)
    if status == 0:
        status = floored(c, c.second)
    if status == 0:
        status = plus(c, -1, &c.spread, c.first, 1)
    if status == 0:
        status = dnn_op_tensor(c.h, miopenTensorOpAdd, 1, &c.spread, c.first, 2, &c.spread, c.second, 0, &c.spread, c.first)
    return status


# ---- plans

cdef cudnnStatus_t images_taken(dnn_fused_body *b, const dnn_fused_const *p, uint32_t label, int place) noexcept nogil:
    """Images whose channels lie side by side, like x."""
    cdef dnn_tensor *d = &b.tensor[place]
    cdef int32_t stride[DNN_DIMS]
    cdef int i
    cdef cudnnStatus_t status = taken(b, p, label, place)
    if status != CUDNN_STATUS_SUCCESS:
        return status
    if d.type != CUDNN_DATA_HALF and d.type != CUDNN_DATA_FLOAT:
        return cannot(b"the operations of bit masks are of half and float")
    if d.count != 4:
        return cannot(b"the operations of bit masks are of 4 dimensions")
    dnn_pack(CUDNN_TENSOR_NHWC, d.type, d.count, d.dim, stride)
    for i in range(d.count):
        if d.dim[i] != 1 and d.stride[i] != stride[i]:
            return cannot(b"the operations of bit masks are of packed NHWC")
    if place != DNN_FUSED_X and (d.type != b.tensor[DNN_FUSED_X].type or not same_sizes(d, &b.tensor[DNN_FUSED_X])):
        return bad(b"two tensors of the operation differ in type or sizes")
    return CUDNN_STATUS_SUCCESS


cdef cudnnStatus_t mask_planned(dnn_fused_body *b, const dnn_fused_const *p) noexcept nogil:
    """The activation, and room for the bits: 32 in each word, in whole blocks."""
    cdef dnn_activation *f = <dnn_activation *>p.descriptor[<uint32_t>CUDNN_PARAM_ACTIVATION_DESC]
    cdef dnn_tensor *m = &b.tensor[DNN_FUSED_MASK]
    cdef int64_t elements = elements_of(&b.tensor[DNN_FUSED_X])
    cdef cudnnStatus_t status = taken(b, p, <uint32_t>CUDNN_PARAM_ACTIVATION_BITMASK_DESC, DNN_FUSED_MASK)
    if status != CUDNN_STATUS_SUCCESS:
        return status
    if m.type != CUDNN_DATA_INT32 or elements_of(m) < (elements + BLOCK - 1) / BLOCK * 4:
        return bad(b"the mask's words are not INT32, or too few: a bit an element, in whole blocks of 128")
    if elements > 0x7fffffff - BLOCK:
        return cannot(b"a mask of more than 2^31 elements")
    if (p.given >> <uint32_t>CUDNN_PARAM_ACTIVATION_DESC) & 1 == 0 or not dg_alive(f, DNN_ACTIVATION):
        return bad(b"the activation's descriptor is not in the pack, or has been destroyed")
    if f.mode != CUDNN_ACTIVATION_RELU:
        return cannot(b"masks are of RELU alone")
    return CUDNN_STATUS_SUCCESS


cdef bint all_asked_for(const dnn_fused_const *p, uint32_t a, uint32_t b, uint32_t c) noexcept nogil:
    return asked_for(p, a) and asked_for(p, b) and asked_for(p, c)


cdef cudnnStatus_t masking_planned(dnn_fused_body *b, const dnn_fused_const *p) noexcept nogil:
    cdef cudnnStatus_t status = images_taken(b, p, <uint32_t>CUDNN_PARAM_XDESC, DNN_FUSED_X)
    cdef int32_t channels = b.tensor[DNN_FUSED_X].dim[1]
    if status == CUDNN_STATUS_SUCCESS:
        status = images_taken(b, p, <uint32_t>CUDNN_PARAM_YDESC, DNN_FUSED_Y)
    if status == CUDNN_STATUS_SUCCESS:
        status = row_taken(b, p, <uint32_t>CUDNN_PARAM_BN_EQSCALEBIAS_DESC, DNN_FUSED_EQUIVALENT, False, channels)
    if status == CUDNN_STATUS_SUCCESS:
        status = mask_planned(b, p)
    if status != CUDNN_STATUS_SUCCESS:
        return status
    if (not all_asked_for(p, <uint32_t>CUDNN_PARAM_XDATA_PLACEHOLDER, <uint32_t>CUDNN_PARAM_BN_EQSCALE_PLACEHOLDER,
                          <uint32_t>CUDNN_PARAM_BN_EQBIAS_PLACEHOLDER)
            or not all_asked_for(p, <uint32_t>CUDNN_PARAM_YDATA_PLACEHOLDER, <uint32_t>CUDNN_PARAM_YDATA_PLACEHOLDER,
                                 <uint32_t>CUDNN_PARAM_ACTIVATION_BITMASK_PLACEHOLDER)):
        return bad(b"a pointer that the operation needs is not announced")
    b.adds = asked_for(p, <uint32_t>CUDNN_PARAM_ZDATA_PLACEHOLDER)
    if b.adds:
        status = images_taken(b, p, <uint32_t>CUDNN_PARAM_ZDESC, DNN_FUSED_Z)
        b.scales_z = asked_for(p, <uint32_t>CUDNN_PARAM_BN_Z_EQSCALE_PLACEHOLDER) and asked_for(
            p, <uint32_t>CUDNN_PARAM_BN_Z_EQBIAS_PLACEHOLDER)
        if status == CUDNN_STATUS_SUCCESS and b.scales_z:
            status = row_taken(b, p, <uint32_t>CUDNN_PARAM_BN_Z_EQSCALEBIAS_DESC, DNN_FUSED_Z_EQUIVALENT, False, channels)
    return status


cdef cudnnStatus_t masked_planned(dnn_fused_body *b, const dnn_fused_const *p) noexcept nogil:
    cdef cudnnStatus_t status = images_taken(b, p, <uint32_t>CUDNN_PARAM_XDESC, DNN_FUSED_X)
    if status == CUDNN_STATUS_SUCCESS:
        status = images_taken(b, p, <uint32_t>CUDNN_PARAM_DYDESC, DNN_FUSED_DY)
    if status == CUDNN_STATUS_SUCCESS:
        status = images_taken(b, p, <uint32_t>CUDNN_PARAM_DXDESC, DNN_FUSED_Y)
    if status == CUDNN_STATUS_SUCCESS:
        status = row_taken(b, p, <uint32_t>CUDNN_PARAM_BN_SCALEBIAS_MEANVAR_DESC, DNN_FUSED_STATS, True,
                           b.tensor[DNN_FUSED_X].dim[1])
    if status == CUDNN_STATUS_SUCCESS:
        status = mask_planned(b, p)
    if status != CUDNN_STATUS_SUCCESS:
        return status
    if (not all_asked_for(p, <uint32_t>CUDNN_PARAM_XDATA_PLACEHOLDER, <uint32_t>CUDNN_PARAM_DYDATA_PLACEHOLDER,
                          <uint32_t>CUDNN_PARAM_DXDATA_PLACEHOLDER)
            or not all_asked_for(p, <uint32_t>CUDNN_PARAM_BN_SCALE_PLACEHOLDER, <uint32_t>CUDNN_PARAM_BN_SAVED_MEAN_PLACEHOLDER,
                                 <uint32_t>CUDNN_PARAM_BN_SAVED_INVSTD_PLACEHOLDER)
            or not all_asked_for(p, <uint32_t>CUDNN_PARAM_BN_DSCALE_PLACEHOLDER, <uint32_t>CUDNN_PARAM_BN_DBIAS_PLACEHOLDER,
                                 <uint32_t>CUDNN_PARAM_ACTIVATION_BITMASK_PLACEHOLDER)):
        return bad(b"a pointer that the operation needs is not announced")
    # NVIDIA's makes a plan without, which then cannot be run
    b.runs = (p.given >> <uint32_t>CUDNN_PARAM_BN_MODE) & 1 and p.batch_mode == CUDNN_BATCHNORM_SPATIAL_PERSISTENT
    b.adds = asked_for(p, <uint32_t>CUDNN_PARAM_DZDATA_PLACEHOLDER)
    return images_taken(b, p, <uint32_t>CUDNN_PARAM_DZDESC, DNN_FUSED_Z) if b.adds else CUDNN_STATUS_SUCCESS


# ---- execution

cdef cudnnStatus_t masking(dnn_handle *h, dnn_fused_body *b, const dnn_fused_variant *v) noexcept nogil:
    """y ← RELU(scale·x + bias [+ z, or its own scale·z + bias]), and the mask."""
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
    if (x is NULL or y is NULL or scale is NULL or bias is NULL or mask is NULL or (b.adds and z is NULL)
            or (b.scales_z and (z_scale is NULL or z_bias is NULL))):
        return bad(b"a pointer that the plan needs is NULL")
    status = bits_begun(&c, h, &b.tensor[DNN_FUSED_X], 2, 0, &rest)
    if status == 0:
        status = scaled_into(&c, x, scale, bias, row, c.first)
    if status == 0 and b.adds:
        status = scaled_into(&c, z, z_scale if b.scales_z else NULL, z_bias, b.tensor[DNN_FUSED_Z_EQUIVALENT].type, c.second)
        if status == 0:
            status = dnn_op_tensor(h, miopenTensorOpAdd, 1, &c.all, c.first, 1, &c.all, c.second, 0, &c.all, c.first)
    if status == 0:
        status = packed_bits(&c, mask)
    if status == 0:
        status = dnn_op_tensor(h, miopenTensorOpMax, 1, &c.all, c.first, 1, &c.one, c.zero, 0, &c.all, c.first)
    if status == 0:
        status = dnn_moved(h, c.work, 1, &c.all, c.first, 0, &c.given, y)
    dnn_kept_left(h)
    return <cudnnStatus_t>status


cdef cudnnStatus_t masked(dnn_handle *h, dnn_fused_body *b, const dnn_fused_variant *v) noexcept nogil:
    """dz ← dy where the mask's bit is not set, else 0; dx, dscale and dbias of the normalisation before, from the same."""
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
    data[8] = dz if b.adds else mask
    if not b.runs:
        return cannot(b"the mode is not SPATIAL_PERSISTENT, which NVIDIA's library too runs alone")
    for i in range(9):
        if data[i] is NULL or mask is NULL:
            return bad(b"a pointer that the plan needs is NULL")
    status = bits_begun(&c, h, xd, 0.5, 3 * bytes, &rest)
    plain.format = CUDNN_TENSOR_NCHW
    plain.amd = NULL
    dnn_pack(CUDNN_TENSOR_NCHW, xd.type, 4, plain.dim, plain.stride)
    passed, plain_x, plain_dx = rest, rest + bytes, rest + 2 * bytes
    if status == 0:
        status = spread_bits(&c, mask)
    if status == 0:
        status = dnn_moved(h, c.work, 1, &c.given, data[1], 0, &c.all, c.second)
    if status == 0:
        status = dnn_op_tensor(h, miopenTensorOpMul, 1, &c.all, c.first, 1, &c.all, c.second, 0, &c.all, c.second)
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
