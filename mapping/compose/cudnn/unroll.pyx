"""Convolutions as products over unrolled images: of doubles, which MIOpen does not convolve, and cudnnIm2Col.

A column holds for one filter tap of one channel what all outputs read there. Each tap is one copy between strided
tensors; the gradient of the data goes the same way back, as sums. All that is cut into parts of some images.
"""

include "generated.pxi"
include "cudnn_abi.pxi"
include "cudnn_backend.pxi"
include "cudnn_translate.pxi"
include "slots.pxi"
include "say.pxi"
include "words.pxi"
include "shapes.pxi"
include "amd.pxi"
include "conv_work.pxi"

cdef extern from "support.h" nogil:
    uint32_t dnn_finished(dnn_handle *h, double alpha, dnn_tensor *rd, void *r, double beta, dnn_tensor *yd, void *y)

cdef enum:
    PART = 1 << 27  # bytes of columns at a time, unless one image has more


cdef inline int64_t outputs(const dnn_work *k) noexcept nogil:
    cdef int64_t count = 1
    cdef int i
    for i in range(k.conv.count):
        count *= k.given[2].dim[i + 2]
    return count


cdef bint place_tap(const dnn_work *k, int tap, int first, int images, const int64_t *steps, bint flips, dnn_tensor *x,
        int64_t *x_at, dnn_tensor *columns, int64_t *columns_at) noexcept nogil:
    """The part of x that a tap reads and where that stands in the columns, elements by elements; False: it reads
    nothing. `steps`: between images, channels and taps of the columns."""
    cdef int i, low, high, place, reach
    cdef int rest = tap
    cdef int64_t step = 1
    x[0] = k.given[0]
    x.amd = NULL
    x.dim[0] = images
    columns[0] = x[0]
    columns.stride[0] = <int32_t>steps[0]
    columns.stride[1] = <int32_t>steps[1]
    x_at[0] = <int64_t>first * x.stride[0]
    columns_at[0] = (k.taps - 1 - tap if flips else tap) * steps[2]
    i = k.conv.count - 1
    while i >= 0:
        place = rest % k.given[1].dim[i + 2]
        rest //= k.given[1].dim[i + 2]
        place = place * k.conv.dilation[i] - k.conv.pad[i]  # in x, of the first output
        low = 0 if place >= 0 else (-place + k.conv.stride[i] - 1) // k.conv.stride[i]
        reach = k.given[0].dim[i + 2] - 1 - place
        high = reach // k.conv.stride[i] + 1 if reach >= 0 else 0
        if high > k.given[2].dim[i + 2]:
            high = k.given[2].dim[i + 2]
        if high <= low:
            return False
        x.dim[i + 2] = columns.dim[i + 2] = high - low
        x_at[0] += (<int64_t>low * k.conv.stride[i] + place) * k.given[0].stride[i + 2]
        x.stride[i + 2] = k.given[0].stride[i + 2] * k.conv.stride[i]
        columns_at[0] += low * step
        columns.stride[i + 2] = <int32_t>step
        step *= k.given[2].dim[i + 2]
        i -= 1
    return True


cdef public uint32_t dnn_unroll(dnn_handle *h, const dnn_work *k, int first, int images, const void *x, void *columns,
        const int64_t *steps, bint flips) noexcept nogil:
    """Columns of some images; what lies in the padding is 0 already."""
    cdef dnn_tensor xd, cd
    cdef int64_t x_at, columns_at
    cdef int64_t size = dnn_type_bytes(k.given[0].type)
    cdef int tap
    cdef uint32_t status
    for tap in range(k.taps):
        if place_tap(k, tap, first, images, steps, flips, &xd, &x_at, &cd, &columns_at):
            status = dnn_copy(h, &xd, <const char *>x + x_at * size, &cd, <char *>columns + columns_at * size)
            if status != 0:
                return status
    return 0


cdef uint32_t rolled(dnn_handle *h, const dnn_work *k, int first, int images, void *x, const void *columns,
        const int64_t *steps) noexcept nogil:
    """The way back: each element of x gains what the columns hold of it."""
    cdef dnn_tensor xd, cd
    cdef int64_t x_at, columns_at
    cdef int64_t size = dnn_type_bytes(k.given[0].type)
    cdef int tap
    cdef void *place
    cdef uint32_t status
    for tap in range(k.taps):
        if place_tap(k, tap, first, images, steps, k.flip, &xd, &x_at, &cd, &columns_at):
            place = <char *>x + x_at * size
            status = dnn_op_tensor(h, miopenTensorOpAdd, 1, &xd, place, 1, &cd,
                                   <const char *>columns + columns_at * size, 0, &xd, place)
            if status != 0:
                return status
    return 0


cdef int at_once(const dnn_work *k) noexcept nogil:
    """Images whose columns are made at a time."""
    cdef int64_t each = outputs(k) * k.taps * k.given[0].dim[1] * <int64_t>sizeof(double)
    cdef int64_t most = PART // each
    return 1 if most < 1 else k.given[0].dim[0] if most > k.given[0].dim[0] else <int>most


cdef size_t pieces(const dnn_work *k, size_t *at) noexcept nogil:
    """Where w and y are packed, unless they are as given; the columns lie behind."""
    cdef size_t bytes = 0
    cdef int i
    for i in range(1, 3):
        at[i] = bytes
        if k.copied[i]:
            bytes += rounded(dnn_bytes(&k.own[i]))
    at[0] = bytes
    return bytes + <size_t>(outputs(k) * k.taps * k.given[0].dim[1] * at_once(k)) * sizeof(double)


cdef public size_t dnn_unrolled_bytes(const dnn_work *k) noexcept nogil:
    cdef size_t[3] at
    return pieces(k, at)


cdef public uint32_t dnn_unrolled(dnn_handle *h, const dnn_work *k, double alpha, void **data, char *memory,
        double beta) noexcept nogil:
    """One convolution of doubles in any direction; `memory` is what `dnn_unrolled_bytes` says."""
    cdef size_t[3] at
    cdef dnn_tensor[3] given
    cdef dnn_tensor[3] own
    cdef double *place[3]
    cdef double *columns
    cdef double *column
    cdef double *w
    cdef double *y
    cdef double first_beta = beta
    cdef int64_t[3] steps
    cdef int64_t spots = outputs(k)
    cdef int64_t depth = <int64_t>k.given[1].dim[1] * k.taps  # of a group's products
    cdef int64_t each = k.given[1].dim[0] // k.conv.groups    # outputs of a group
    cdef int64_t image = spots * k.given[1].dim[0]            # elements of an image of y
    cdef int out = 2 if k.direction == DNN_FORWARD else 1
    cdef int whole = k.given[0].dim[0]
    cdef int part = at_once(k)
    cdef int i, g, first, images
    cdef uint32_t status = 0
    pieces(k, at)
    columns = <double *>(memory + at[0])
    steps[2] = spots
    steps[1] = spots * k.taps
    steps[0] = steps[1] * k.given[0].dim[1]
    for i in range(3):
        given[i] = k.given[i]
        own[i] = k.own[i]
        place[i] = <double *>data[i]
        if i > 0 and k.copied[i]:
            place[i] = <double *>(memory + at[i])
            if k.direction == DNN_BACKWARD_DATA or i != out:
                status = dnn_copy(h, &given[i], data[i], &own[i], place[i])
            else:
                first_beta = 0
        if status != 0:
            return status
    if k.direction == DNN_BACKWARD_DATA:
        if beta != 0:
            status = dnn_scale(h, &given[0], beta, data[0])
        else:
            status = zeroed(h, &given[0], data[0])
        if status != 0:
            return status
    first = 0
    while first < whole:
        images = whole - first if whole - first < part else part
        if k.direction != DNN_BACKWARD_DATA:
            if dg_hip.hipMemsetAsync(columns, 0, <size_t>(steps[0] * images) * sizeof(double),
                                     <hipStream_t>to_stream(h.stream)) != 0:
                return dnn_because(CUDNN_STATUS_EXECUTION_FAILED, b"the columns cannot be set to 0")
            status = dnn_unroll(h, k, first, images, data[0], columns, steps, k.flip)
            if status != 0:
                return status
        for g in range(k.conv.groups):
            w = place[1] + g * each * depth
            y = place[2] + first * image + g * each * spots
            column = columns + g * depth * spots
            if k.direction == DNN_FORWARD:
                status = dnn_gemm(h, CUDNN_DATA_DOUBLE, False, False, each, spots, depth, alpha, w, depth, 0, column,
                                  spots, steps[0], first_beta, y, spots, image, images)
            elif k.direction == DNN_BACKWARD_DATA:
                status = dnn_gemm(h, CUDNN_DATA_DOUBLE, True, False, depth, spots, each, alpha, w, depth, 0, y, spots,
                                  image, 0, column, spots, steps[0], images)
            else:
                for i in range(images):
                    if status == 0:
                        status = dnn_gemm(h, CUDNN_DATA_DOUBLE, False, True, each, depth, spots, alpha, y + i * image,
                                          spots, 0, column + i * steps[0], spots, 0,
                                          first_beta if first + i == 0 else 1, w, depth, 0, 1)
            if status != 0:
                return status
        if k.direction == DNN_BACKWARD_DATA:
            status = rolled(h, k, first, images, data[0], columns, steps)
            if status != 0:
                return status
        first += images
    if k.direction != DNN_BACKWARD_DATA and k.copied[out]:
        status = dnn_finished(h, 1, &own[out], place[out], beta, &given[out], data[out])
    return status


cdef uint32_t zeroed(dnn_handle *h, dnn_tensor *d, void *y) noexcept nogil:
    cdef double zero = 0
    cdef void *amd = dnn_amd_tensor(h, d)
    cdef uint32_t status
    if amd is NULL:
        return CUDNN_STATUS_NOT_SUPPORTED
    status = dg_miopen.miopenSetTensor(<miopenHandle_t>h.amd, <miopenTensorDescriptor_t>amd, y, &zero)
    return 0 if status == 0 else dnn_failed(status_of_miopen(status), b"miopenSetTensor", status)
