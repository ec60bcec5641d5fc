"""Bytes: tensors of int8, also in vectors (INT8x4, INT8x32), to floats and back, and convolutions of them.

MIOpen has no tensors of vectors, convolves int8 forward into floats, and goes from no integer to a float nor back. Here
- a tensor of vectors is a strided tensor of int8 with a dimension more;
- int8 becomes float by a convolution with a filter of one 1;
- an unsigned byte u is the int8 s of the same bits, and 256 more where s is below 0: a convolution of u is one of s,
  less 256 times one of n, which is -1 where s is below 0, else 0. Both are whole numbers; their sum is exact below 2²⁴;
- a float between -128 and 127 becomes int8 by a sum: 1.5·2²³ + f is rounded to a whole number, ties to even, as
  NVIDIA's library rounds, and its lowest byte is that number.

NVIDIA's cards take a filter of INT8x32 in an order of their own. A program may ask for it once
(cudnnReorderFilterAndBias) and say so afterwards (NO_REORDER); here that order is only taken back. In it lie, the
fastest last: blocks of 32 channels, taps, filters by 8, odd filters behind even ones, channels by 4, filters by 2, 4
channels.
"""

include "generated.pxi"
include "cudnn_abi.pxi"
include "cudnn_backend.pxi"
include "cudnn_translate.pxi"
include "slots.pxi"
include "say.pxi"
include "shapes.pxi"
include "words.pxi"
include "amd.pxi"
include "packed.pxi"
include "convolve.pxi"

from libc.stdint cimport INT32_MAX

cdef enum:
    BLOCK = 32  # filters, and channels, that are put in order together
    BIAS = 16   # a number lies before it


cdef inline bint is_unsigned(int type) noexcept nogil:
    return type == CUDNN_DATA_UINT8 or type == CUDNN_DATA_UINT8x4


cdef inline int as_signed(int type) noexcept nogil:
    if type == CUDNN_DATA_UINT8:
        return CUDNN_DATA_INT8
    return CUDNN_DATA_INT8x4 if type == CUDNN_DATA_UINT8x4 else type


cdef inline int lanes(int type) noexcept nogil:
    """Channels that lie together; 0: no type of int8."""
    if type == CUDNN_DATA_INT8:
        return 1
    return 4 if type == CUDNN_DATA_INT8x4 else 32 if type == CUDNN_DATA_INT8x32 else 0


cdef public int dnn_is_bytes(int type) noexcept nogil:
    return lanes(type) != 0


cdef uint32_t seen(const dnn_tensor *d, int wide, dnn_tensor *v) noexcept nogil:
    """A tensor of int8 (or floats) with its channels split: N, C / wide, wide, and what follows. `wide` 1: as it is."""
    cdef int of = lanes(d.type)
    cdef int i
    v[0] = d[0]
    v.amd = NULL
    v.format = CUDNN_TENSOR_NCHW
    if of > 0:
        v.type = CUDNN_DATA_INT8
    if wide == 1:
        return 0
    if d.count + 1 > DNN_DIMS or d.count < 2 or d.dim[1] % wide or (of > 1 and of != wide):
        return cannot(b"these tensors' vectors do not go together")
    v.count = d.count + 1
    for i in range(2, d.count):
        v.dim[i + 1] = d.dim[i]
        v.stride[i + 1] = d.stride[i] * (of if of > 1 else 1)
    v.dim[1] = d.dim[1] // wide
    v.dim[2] = wide
    if of > 1:
        v.stride[0] = d.stride[0] * of
        v.stride[1] = d.stride[1] * of
        v.stride[2] = 1
    else:
        v.stride[1] = d.stride[1] * wide
        v.stride[2] = d.stride[1]
    return 0


cdef uint32_t put(dnn_handle *h, dnn_tensor *xd, const void *x, dnn_tensor *yd, void *y) noexcept nogil:
    """y ← x, both as `seen`. MIOpen's TransformTensor pads int8 to fours, and does nothing else."""
    return dnn_op_tensor(h, miopenTensorOpMin, 1, xd, x, 1, xd, x, 0, yd, y)


cdef void plain(const dnn_tensor *d, int type, dnn_tensor *p) noexcept nogil:
    """The same sizes, NCHW."""
    p[0] = d[0]
    p.type = type
    p.format = CUDNN_TENSOR_NCHW
    p.amd = NULL
    dnn_pack(CUDNN_TENSOR_NCHW, type, p.count, p.dim, p.stride)


cdef uint32_t flattened(dnn_handle *h, dnn_tensor *d, const void *x, void *p) noexcept nogil:
    """Any tensor of int8, packed."""
    cdef dnn_tensor v, own
    cdef uint32_t status = seen(d, lanes(d.type), &v)
    if status != 0:
        return status
    dnn_packed(&v, CUDNN_DATA_INT8, &own)
    return put(h, &v, x, &own, p)


cdef uint32_t widened(dnn_handle *h, int64_t count, const void *x, void *f, void *one) noexcept nogil:
    """Packed floats ← packed int8. `one`: a byte of memory."""
    cdef dnn_work k
    cdef dnn_tensor row, out
    cdef dnn_filter tap
    cdef dnn_convolution d
    cdef void *data[3]
    cdef int i
    cdef uint32_t status
    if dg_hip.hipMemsetAsync(one, 1, 1, <hipStream_t>to_stream(h.stream)) != 0:
        return dnn_because(CUDNN_STATUS_EXECUTION_FAILED, b"a filter cannot be set to 1")
    memset(&row, 0, sizeof(row))
    memset(&tap, 0, sizeof(tap))
    memset(&d, 0, sizeof(d))
    row.type = tap.type = CUDNN_DATA_INT8
    row.count = tap.count = 4
    for i in range(4):
        row.dim[i] = tap.dim[i] = tap.stride[i] = 1
    row.dim[3] = <int32_t>count
    dnn_pack(CUDNN_TENSOR_NCHW, row.type, 4, row.dim, row.stride)
    out = row
    out.type = CUDNN_DATA_FLOAT
    d.mode = CUDNN_CROSS_CORRELATION
    d.type = CUDNN_DATA_INT32
    d.groups = 1
    d.count = 2
    for i in range(2):
        d.stride[i] = d.dilation[i] = 1
    status = dnn_conv_begin(&k, DNN_FORWARD, &row, &tap, &d, &out)
    if status != 0:
        return status
    data[0] = <void *>x
    data[1] = one
    data[2] = f
    return dnn_conv(h, &k, True, 1, data, NULL, 0, 0)


cdef uint32_t with_number(dnn_handle *h, int op, double number, dnn_tensor *rd, void *r, float *place) noexcept nogil:
    """r ← op(r, number)"""
    cdef dnn_tensor one
    cdef uint32_t status
    dnn_one_element(rd, &one)
    status = dnn_fill(h, &one, number, place)
    return status if status != 0 else dnn_op_tensor(h, op, 1, rd, r, 1, &one, place, 0, rd, r)


cdef uint32_t narrowed(dnn_handle *h, const dnn_tensor *rd, void *r, dnn_tensor *yd, void *y,
        float *place) noexcept nogil:
    """Any tensor of int8 ← packed floats of its sizes, which are overwritten."""
    cdef dnn_tensor row = rd[0]
    cdef dnn_tensor v, low
    cdef int i
    cdef uint32_t status
    if dnn_bytes(rd) > <size_t>INT32_MAX:
        return cannot(b"more than 2^29 elements become int8")
    status = with_number(h, miopenTensorOpMax, -128, &row, r, place)
    if status == 0:
        status = with_number(h, miopenTensorOpMin, 127, &row, r, place)
    if status == 0:
        status = with_number(h, miopenTensorOpAdd, 12582912, &row, r, place)
    if status == 0:
        status = seen(yd, lanes(yd.type), &v)
    if status != 0:
        return status
    dnn_packed(&v, CUDNN_DATA_INT8, &low)
    for i in range(low.count):
        low.stride[i] *= 4
    return put(h, &low, r, &v, y)


# ---- the order of NVIDIA's cards

cdef dnn_tensor five(int64_t a, int64_t b, int64_t c, int64_t d, int64_t e) noexcept nogil:
    cdef dnn_tensor t
    memset(&t, 0, sizeof(t))
    t.type = CUDNN_DATA_INT8
    t.count = 5
    t.dim[0] = <int32_t>a
    t.dim[1] = <int32_t>b
    t.dim[2] = <int32_t>c
    t.dim[3] = <int32_t>d
    t.dim[4] = <int32_t>e
    return t


cdef inline void steps(dnn_tensor *t, int64_t a, int64_t b, int64_t c, int64_t d, int64_t e) noexcept nogil:
    t.stride[0] = <int32_t>a
    t.stride[1] = <int32_t>b
    t.stride[2] = <int32_t>c
    t.stride[3] = <int32_t>d
    t.stride[4] = <int32_t>e


cdef int64_t taps_of(const dnn_filter *w) noexcept nogil:
    cdef int64_t taps = 1
    cdef int i
    for i in range(2, w.count):
        taps *= w.dim[i]
    return taps


cdef public uint32_t dnn_bytes_ordered(dnn_handle *h, const dnn_filter *w, const void *x, void *y) noexcept nogil:
    """A filter of INT8x32 in the order of NVIDIA's cards."""
    cdef int64_t taps = taps_of(w), each = w.dim[1] * taps, filters = w.dim[0]
    cdef dnn_tensor a = five(w.dim[1] // BLOCK * taps, filters // 8, 8, 4, 4)
    cdef dnn_tensor b = a
    cdef int odd
    cdef uint32_t status = 0
    steps(&a, BLOCK, 8 * each, 4, 2 * each, 1)
    steps(&b, BLOCK * filters, 256, 16, 4, 1)
    for odd in range(2):
        if status == 0:
            status = put(h, &a, <const char *>x + odd * each, &b, <char *>y + odd * 128)
    return status


cdef uint32_t filter_back(dnn_handle *h, const dnn_filter *w, const void *x, void *p) noexcept nogil:
    """NCHW of a filter in that order."""
    cdef int64_t taps = taps_of(w), each = w.dim[1] * taps, filters = w.dim[0], block
    cdef dnn_tensor a = five(taps, filters // 8, 8, 4, 4)
    cdef dnn_tensor b = a
    cdef int odd
    cdef uint32_t status = 0
    steps(&a, BLOCK * filters, 256, 16, 4, 1)
    steps(&b, 1, 8 * each, 4 * taps, 2 * each, taps)
    for block in range(w.dim[1] // BLOCK):
        for odd in range(2):
            if status == 0:
                status = put(h, &a, <const char *>x + block * taps * BLOCK * filters + odd * 128, &b,
                             <char *>p + odd * each + block * BLOCK * taps)
    return status


cdef public uint32_t dnn_bias_ordered(dnn_handle *h, int32_t filters, bint back, const void *x, void *y) noexcept nogil:
    """A bias in the order that goes with such a filter, or back: fours of filters, the odd ones behind
    the even ones."""
    cdef dnn_tensor a = five(filters // BLOCK, 4, 2, 4, 1)
    cdef dnn_tensor b
    a.type = CUDNN_DATA_FLOAT
    b = a
    steps(&a, BLOCK, 8, 4, 1, 1)
    steps(&b, BLOCK, 4, 16, 1, 1)
    return dnn_copy(h, &b, x, &a, y) if back else dnn_copy(h, &a, x, &b, y)


# ---- convolutions

cdef uint32_t borrowed(dnn_handle *h, dnn_tensor *xd, const void *x, void *n, char *byte) noexcept nogil:
    """n ← -1 where x, packed int8, is below 0, else 0. `byte`: one byte of memory."""
    cdef dnn_tensor one
    cdef uint32_t status
    dnn_one_element(xd, &one)
    if dg_hip.hipMemsetAsync(byte, 0, 1, <hipStream_t>to_stream(h.stream)) != 0:
        return dnn_because(CUDNN_STATUS_EXECUTION_FAILED, b"a byte cannot be set to 0")
    status = dnn_op_tensor(h, miopenTensorOpMin, 1, xd, x, 1, &one, byte, 0, xd, n)
    if status == 0 and dg_hip.hipMemsetAsync(byte, 0xff, 1, <hipStream_t>to_stream(h.stream)) != 0:
        return dnn_because(CUDNN_STATUS_EXECUTION_FAILED, b"a byte cannot be set to -1")
    return status if status != 0 else dnn_op_tensor(h, miopenTensorOpMax, 1, xd, n, 1, &one, byte, 0, xd, n)


cdef uint32_t begun(dnn_work *k, dnn_tensor *x, dnn_filter *w, dnn_convolution *d, dnn_tensor *y, dnn_tensor *image,
        dnn_tensor *out) noexcept nogil:
    """A convolution of bytes as MIOpen has it: of plain operands, into floats. `image`: x, or packed int8 of its sizes;
    `out`: y, or packed floats of its sizes."""
    cdef dnn_tensor taps
    cdef int type = as_signed(x.type)
    if x.count == 0 or w.count == 0 or d.count == 0 or y.count == 0:
        return bad(b"a descriptor has not been set")
    if y.type == CUDNN_DATA_INT32:
        return cannot(b"int32 comes of plain int8 alone")
    if lanes(type) == 0 or w.type != type or (y.type != type and y.type != CUDNN_DATA_FLOAT):
        return cannot(b"int8, or unsigned bytes, are convolved with a filter of int8, into that or float")
    if type == CUDNN_DATA_INT8x32 and y.type != type:
        return cannot(b"NVIDIA's call too convolves INT8x32 into nothing else")
    if d.type != CUDNN_DATA_INT32:
        return cannot(b"computeType of int8 is not INT32")
    if d.reorder == CUDNN_NO_REORDER and type == CUDNN_DATA_INT8x32 and w.dim[0] % BLOCK:
        return cannot(b"the filters are no multiple of 32, of which NVIDIA's order consists")
    image[0] = x[0]
    image.amd = NULL
    taps = (<dnn_tensor *>w)[0]
    out[0] = y[0]
    out.amd = NULL
    if x.type != CUDNN_DATA_INT8:
        plain(x, CUDNN_DATA_INT8, image)
        plain(<dnn_tensor *>w, CUDNN_DATA_INT8, &taps)
    if y.type != CUDNN_DATA_FLOAT or is_unsigned(x.type):
        plain(y, CUDNN_DATA_FLOAT, out)
    return dnn_conv_begin(k, DNN_FORWARD, image, <dnn_filter *>&taps, d, out)


cdef public uint32_t dnn_bytes_begin(dnn_work *k, dnn_tensor *x, dnn_filter *w, dnn_convolution *d,
        dnn_tensor *y) noexcept nogil:
    cdef dnn_tensor image, out
    return begun(k, x, w, d, y, &image, &out)


cdef struct bytes_work:  # one convolution of bytes, and where its operands lie
    dnn_work conv
    dnn_tensor image  # x, or packed int8 of its sizes
    dnn_tensor out    # y, or packed floats of its sizes
    bint flat         # x and w become plain int8
    bint ordered      # w and the bias lie in the order of NVIDIA's cards
    bint borrows      # x is unsigned: its sums come in two
    bint narrows      # the floats become int8
    void *data[3]     # x, w and y as MIOpen gets them
    char *addend      # floats: z
    char *raw         # int8: z, packed
    char *small       # a byte or a number; a bias from BIAS on
    char *below       # int8: what `borrowed` makes of x
    char *sums        # floats: of that


cdef uint32_t laid_out(dnn_handle *h, bytes_work *c, dnn_tensor *xd, const void *x, dnn_filter *wd, const void *w,
        bint adds, bint biased, dnn_tensor *yd, void *y) noexcept nogil:
    """All that is not MIOpen's own workspace lies in the handle's memory, which the caller leaves."""
    cdef size_t pixels = 0, taps = 0, floats = 0, raw = 0, small, total
    cdef char *memory
    if c.flat:
        pixels = rounded(<size_t>elements_of(xd))
        taps = rounded(<size_t>elements_of(<dnn_tensor *>wd))
    if c.narrows or c.borrows:
        floats = rounded(dnn_bytes(&c.out))
    if c.narrows and adds:
        raw = rounded(<size_t>elements_of(yd))
    small = rounded(BIAS + (<size_t>4 * <size_t>wd.dim[0] if c.ordered and biased else 0))
    total = pixels + taps + floats + small
    if raw:
        total += floats + raw
    if c.borrows:
        total += pixels + floats
    memory = <char *>dnn_kept(h, total)
    if memory is NULL:
        return dnn_because(CUDNN_STATUS_ALLOC_FAILED, b"no memory for the operands in another layout")
    c.data[0] = memory if c.flat else <void *>x
    c.data[1] = memory + pixels if c.flat else <void *>w
    memory += pixels + taps
    c.data[2] = memory if floats else y
    memory += floats
    if raw:
        c.addend = memory
        c.raw = memory + floats
        memory += floats + raw
    c.small = memory
    c.below = memory + small
    c.sums = c.below + pixels
    return 0


cdef uint32_t made_plain(dnn_handle *h, bytes_work *c, const dnn_tensor *xd, const void *x, dnn_filter *wd,
        const void *w) noexcept nogil:
    """x and w become plain int8 of the same bits."""
    cdef dnn_tensor given = xd[0]
    cdef uint32_t status
    given.type = as_signed(xd.type)
    status = flattened(h, &given, x, c.data[0])
    if status != 0:
        return status
    return filter_back(h, wd, w, c.data[1]) if c.ordered else flattened(h, <dnn_tensor *>wd, w, c.data[1])


cdef uint32_t paid_back(dnn_handle *h, bytes_work *c, double alpha, void *workspace, size_t size) noexcept nogil:
    """The sums of an unsigned x, from those of the int8 of the same bits; then times α."""
    cdef void *data[3]
    cdef uint32_t status = borrowed(h, &c.image, c.data[0], c.below, c.small)
    data[0] = c.below
    data[1] = c.data[1]
    data[2] = c.sums
    if status == 0:
        status = dnn_conv(h, &c.conv, True, -256, data, workspace, size, 0)
    if status == 0:
        status = dnn_op_tensor(h, miopenTensorOpAdd, 1, &c.out, c.data[2], 1, &c.out, c.sums, 0, &c.out, c.data[2])
    return status if status != 0 else dnn_scale(h, &c.out, alpha, c.data[2])


cdef uint32_t addend_added(dnn_handle *h, bytes_work *c, double beta, dnn_tensor *zd, const void *z) noexcept nogil:
    """β·z, of y's type, on top of the floats."""
    cdef uint32_t status = 0
    if not c.narrows:
        return dnn_op_tensor(h, miopenTensorOpAdd, 1, &c.out, c.data[2], beta, zd, z, 0, &c.out, c.data[2])
    status = flattened(h, zd, z, c.raw)
    if status == 0:
        status = widened(h, elements_of(&c.out), c.raw, c.addend, c.small)
    if status != 0:
        return status
    return dnn_op_tensor(h, miopenTensorOpAdd, 1, &c.out, c.data[2], beta, &c.out, c.addend, 0, &c.out, c.data[2])


cdef uint32_t bias_added(dnn_handle *h, bytes_work *c, const dnn_tensor *bd, const void *bias) noexcept nogil:
    cdef dnn_tensor row = c.out
    cdef int i
    cdef uint32_t status = 0
    row.amd = NULL
    for i in range(c.out.count):
        row.dim[i] = c.out.dim[1] if i == 1 else 1
        row.stride[i] = bd.stride[1]
    if c.ordered:
        status = dnn_bias_ordered(h, c.out.dim[1], True, bias, c.small + BIAS)
        bias = c.small + BIAS
    if status != 0:
        return status
    return dnn_op_tensor(h, miopenTensorOpAdd, 1, &c.out, c.data[2], 1, &row, bias, 0, &c.out, c.data[2])


cdef public uint32_t dnn_bytes_conv(dnn_handle *h, double alpha, dnn_tensor *xd, const void *x, dnn_filter *wd,
        const void *w, dnn_convolution *d, void *workspace, size_t size, double beta, dnn_tensor *zd, const void *z,
        const dnn_tensor *bd, const void *bias, bint positive, dnn_tensor *yd, void *y) noexcept nogil:
    """y ← act(α·(x ∗ w) + β·z + bias), summed up in floats and rounded once. Without a bias: NULL."""
    cdef bytes_work c
    cdef bint on_y  # MIOpen adds β·z itself
    cdef uint32_t status = begun(&c.conv, xd, wd, d, yd, &c.image, &c.out)
    if status != 0:
        return status
    c.flat = xd.type != CUDNN_DATA_INT8
    c.ordered = xd.type == CUDNN_DATA_INT8x32 and d.reorder == CUDNN_NO_REORDER
    c.borrows = is_unsigned(xd.type)
    c.narrows = yd.type != CUDNN_DATA_FLOAT
    on_y = not c.narrows and not c.borrows and beta != 0 and z == y
    status = laid_out(h, &c, xd, x, wd, w, beta != 0, bias is not NULL, yd, y)
    if status != 0:
        return status
    if c.flat:
        status = made_plain(h, &c, xd, x, wd, w)
    if status == 0:
        status = dnn_conv(h, &c.conv, True, 1 if c.borrows else alpha, c.data, workspace, size, beta if on_y else 0)
    if status == 0 and c.borrows:
        status = paid_back(h, &c, alpha, workspace, size)
    if status == 0 and beta != 0 and not on_y:
        status = addend_added(h, &c, beta, zd, z)
    if status == 0 and bias is not NULL:
        status = bias_added(h, &c, bd, bias)
    if status == 0 and positive:
        status = with_number(h, miopenTensorOpMax, 0, &c.out, c.data[2], <float *>c.small)
    if status == 0 and c.narrows:
        status = narrowed(h, &c.out, c.data[2], yd, y, <float *>c.small)
    elif status == 0 and c.borrows:
        status = dnn_copy(h, &c.out, c.data[2], yd, y)
    dnn_kept_left(h)
    return status


# ---- transforms

cdef public uint32_t dnn_bytes_moved(dnn_handle *h, double alpha, dnn_tensor *xd, const void *x, double beta,
        dnn_tensor *yd, void *y) noexcept nogil:
    """y ← α·x + β·y of tensors of the same sizes, of which at least one is of int8 and another perhaps of floats."""
    cdef dnn_tensor a, b, out
    cdef char *memory
    cdef int wide = lanes(xd.type)
    cdef int64_t count = elements_of(yd)
    cdef size_t floats, raw
    cdef uint32_t status
    if lanes(yd.type) > wide:
        wide = lanes(yd.type)
    if (lanes(xd.type) == 0 and xd.type != CUDNN_DATA_FLOAT) or (lanes(yd.type) == 0 and yd.type != CUDNN_DATA_FLOAT):
        return cannot(b"no way from one of these types to the other")
    if wide == 32:
        return cannot(b"NVIDIA's call too moves no INT8x32")
    if xd.type != CUDNN_DATA_FLOAT and yd.type != CUDNN_DATA_FLOAT and alpha == 1 and beta == 0:
        status = seen(xd, wide, &a)
        if status == 0:
            status = seen(yd, wide, &b)
        return status if status != 0 else put(h, &a, x, &b, y)
    plain(yd, CUDNN_DATA_FLOAT, &out)
    floats = rounded(dnn_bytes(&out))
    raw = rounded(<size_t>count)
    memory = <char *>dnn_kept(h, 2 * (floats + raw) + 256)
    if memory is NULL:
        return dnn_because(CUDNN_STATUS_ALLOC_FAILED, b"no memory for the floats between")
    if xd.type == CUDNN_DATA_FLOAT:
        status = dnn_copy(h, xd, x, &out, memory)
    else:
        status = flattened(h, xd, x, memory + floats)
        if status == 0:
            status = widened(h, count, memory + floats, memory, memory + 2 * (floats + raw))
    if status == 0 and yd.type == CUDNN_DATA_FLOAT:
        status = dnn_moved(h, NULL, alpha, &out, memory, beta, yd, y)
    elif status == 0:
        if beta != 0:
            status = flattened(h, yd, y, memory + 2 * floats + raw)
            if status == 0:
                status = widened(h, count, memory + 2 * floats + raw, memory + floats + raw,
                                 memory + 2 * (floats + raw))
            if status == 0:
                status = dnn_op_tensor(h, miopenTensorOpAdd, alpha, &out, memory, beta, &out, memory + floats + raw, 0,
                                       &out, memory)
        else:
            status = dnn_scale(h, &out, alpha, memory)
        if status == 0:
            status = narrowed(h, &out, memory, yd, y, <float *>(memory + 2 * (floats + raw)))
    dnn_kept_left(h)
    return status
