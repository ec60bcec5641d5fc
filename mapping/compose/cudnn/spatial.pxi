# The spatial transformer. Blocks of tables/cudnn/spatial.yaml.

include "common.pxi"
include "amd.pxi"


cdef public cudnnStatus_t create_spatial_transformer_descriptor(
        cudnnSpatialTransformerDescriptor_t *place) noexcept nogil:
    return dnn_new(<void **>place, DNN_SPATIAL)


cdef public cudnnStatus_t destroy_spatial_transformer_descriptor(dnn_spatial *d) noexcept nogil:
    return dnn_delete(d, DNN_SPATIAL)


cdef public cudnnStatus_t set_spatial_transformer_nd_descriptor(dnn_spatial *d, cudnnSamplerType_t sampler,
        cudnnDataType_t type, const int count, const int *dim) noexcept nogil:
    cdef int i
    if sampler != <uint32_t>CUDNN_SAMPLER_BILINEAR:
        return bad(b"samplerType is not BILINEAR")
    if dnn_type_bytes(<int>type) == 0:
        return bad(b"dataType is no type of this version")
    if dim is NULL:
        return bad(b"dimA is NULL")
    for i in range(4):
        if i < count and dim[i] <= 0:
            return bad(b"a dimension is not positive")
    d.sampler = <int32_t>sampler
    d.type = <int32_t>type
    d.count = count  # NVIDIA's library takes any; what is not 4 is refused by the calls
    for i in range(4):
        d.dim[i] = dim[i] if i < count else 0
    return CUDNN_STATUS_SUCCESS


# ---- the grid: coordinates · theta, and back. The coordinates are made on the device, by operations on tensors ----

cdef struct grid_call:
    dnn_handle *h
    int type               # float or double: numbers of 16 bits are brought to float
    int stored             # as the program has them
    int64_t images
    int height
    int width
    size_t bytes           # of an element
    char *coordinates      # x, y, 1 of each place
    char *line             # of one row, or one column
    char *one
    char *zeros            # for halves
    char *given
    char *result


cdef inline bint is_short(int type) noexcept nogil:
    return type == CUDNN_DATA_HALF or type == CUDNN_DATA_BFLOAT16


cdef void plain(grid_call *g, dnn_tensor *d, int rows, int columns, int row_step, int column_step) noexcept nogil:
    memset(d, 0, sizeof(dnn_tensor))
    d.type = g.type
    d.count = 2
    d.dim[0] = rows
    d.dim[1] = columns
    d.stride[0] = row_step
    d.stride[1] = column_step


cdef inline uint32_t set_one(dnn_handle *h, int type, char *one) noexcept nogil:
    """1 in memory that is 0."""
    cdef hipStream_t stream = <hipStream_t>to_stream(h.stream)
    cdef uint32_t status
    if type == CUDNN_DATA_DOUBLE:
        status = dg_hip.hipMemsetD32Async(one + 4, 0x3ff00000, 1, stream)
    elif type == CUDNN_DATA_FLOAT:
        status = dg_hip.hipMemsetD32Async(one, 0x3f800000, 1, stream)
    else:
        status = dg_hip.hipMemsetD16Async(one, 0x3c00 if type == CUDNN_DATA_HALF else 0x3f80, 1, stream)
    return 0 if status == 0 else dnn_failed(CUDNN_STATUS_EXECUTION_FAILED, b"hipMemsetD32Async", status)


cdef uint32_t counted(grid_call *g, int count, char *line) noexcept nogil:
    """0, 1, 2, … in memory that is 0, by doubling."""
    cdef dnn_tensor part, one
    cdef int done = 1
    cdef int more
    cdef uint32_t status = 0
    plain(g, &one, 1, 1, 1, 1)
    while done < count and status == 0:
        more = min(done, count - done)
        plain(g, &part, 1, more, more, 1)
        status = dnn_op_tensor(g.h, miopenTensorOpAdd, 1, &part, line, done, &one, g.one, 0, &part,
                               line + <size_t>done * g.bytes)
        done += more
    return status


cdef uint32_t add_line(grid_call *g, int count) noexcept nogil:
    """−1 … 1 in equal steps, in memory that is 0. A single one is −1, as NVIDIA's."""
    cdef dnn_tensor part, one
    cdef uint32_t status = counted(g, count, g.line)
    plain(g, &one, 1, 1, 1, 1)
    plain(g, &part, 1, count, count, 1)
    if status == 0 and count > 1:
        status = dnn_scale(g.h, &part, 2.0 / (count - 1), g.line)
    if status == 0:
        status = dnn_op_tensor(g.h, miopenTensorOpAdd, 1, &part, g.line, -1, &one, g.one, 0, &part, g.line)
    return status


cdef uint32_t add_coordinates(grid_call *g) noexcept nogil:
    cdef dnn_tensor to, line
    cdef int i
    cdef uint32_t status = set_one(g.h, g.type, g.one)
    plain(g, &to, g.height, g.width, 3 * g.width, 3)
    for i in range(3):
        if status != 0:
            return status
        if i == 0:
            plain(g, &line, 1, g.width, g.width, 1)
            status = add_line(g, g.width)
        elif i == 1:
            plain(g, &line, g.height, 1, 1, 1)
            status = dg_hip.hipMemsetAsync(g.line, 0, <size_t>max(g.width, g.height) * g.bytes,
                                           <hipStream_t>to_stream(g.h.stream))
            if status != 0:
                return dnn_failed(CUDNN_STATUS_EXECUTION_FAILED, b"hipMemsetAsync", status)
            status = add_line(g, g.height)
        else:
            plain(g, &line, 1, 1, 1, 1)
        if status == 0:
            status = dnn_op_tensor(
                g.h, miopenTensorOpAdd, 1, &to, g.coordinates + <size_t>i * g.bytes, 1, &line,
                g.one if i == 2 else g.line, 0, &to, g.coordinates + <size_t>i * g.bytes)
    return status


cdef uint32_t widened(grid_call *g, const void *halves, int64_t count, char *one, void *floats) noexcept nogil:
    """A product with 1 whose result is float."""
    cdef float factor = 1
    cdef float nothing = 0
    cdef rocblas_datatype narrow = rocblas_datatype_f16_r if g.stored == CUDNN_DATA_HALF else rocblas_datatype_bf16_r
    cdef uint32_t status
    cdef void *blas = dnn_blas(g.h)
    if blas is NULL:
        return CUDNN_STATUS_INTERNAL_ERROR
    status = dg_rocblas.rocblas_gemm_strided_batched_ex(
        <rocblas_handle>blas, rocblas_operation_none, rocblas_operation_none, <int>count, 1, 1, &factor, halves,
        narrow, <int>count, 0, one, narrow, 1, 0, &nothing, floats,
        rocblas_datatype_f32_r, <int>count, 0, floats, rocblas_datatype_f32_r, <int>count, 0, 1,
        rocblas_datatype_f32_r, rocblas_gemm_algo_standard, 0, 0)
    return 0 if status == 0 else dnn_failed(status_of_rocblas(status), b"rocblas_gemm_strided_batched_ex", status)


cdef uint32_t narrowed(grid_call *g, const void *floats, int64_t count, void *halves) noexcept nogil:
    """The one operation of MIOpen's that takes float and gives 16 bits: a normalisation whose bias is float. Of images
    of 0, with a scale of 0, it leaves the bias alone."""
    cdef float factor = 1
    cdef float nothing = 0
    cdef int32_t[4] dim
    cdef int32_t[4] stride
    cdef void *image
    cdef void *bias
    cdef uint32_t status
    dim[0] = dim[1] = dim[2] = 1
    dim[3] = <int32_t>count
    stride[0] = stride[1] = stride[2] = <int32_t>count
    stride[3] = 1
    image = dnn_amd_shape(g.h, g.stored, 4, dim, stride)
    bias = dnn_amd_shape(g.h, CUDNN_DATA_FLOAT, 4, dim, stride)
    if image is NULL or bias is NULL:
        return CUDNN_STATUS_NOT_SUPPORTED
    status = dg_miopen.miopenBatchNormalizationForwardInference(
        <miopenHandle_t>g.h.amd, miopenBNPerActivation, &factor, &nothing, <miopenTensorDescriptor_t>image, g.zeros,
        <miopenTensorDescriptor_t>image, halves, <miopenTensorDescriptor_t>bias, g.zeros, <void *>floats, g.zeros,
        g.zeros, 1)
    if status == 0:
        return 0
    return dnn_failed(status_of_miopen(status), b"miopenBatchNormalizationForwardInference", status)


cdef cudnnStatus_t grid(dnn_handle *h, dnn_spatial *d, bint back, const void *given, void *result) noexcept nogil:
    cdef grid_call g
    cdef char *memory
    cdef char *half_one
    cdef int64_t places, in_count, out_count
    cdef size_t coordinates, line, wide
    cdef bint half
    cdef uint32_t status
    if given is NULL or result is NULL:
        return bad(b"theta, grid or a gradient is NULL")
    if d.count != 4:
        return bad(b"the descriptor is not set, or not of 4 dimensions")
    if not is_float_type(d.type):
        return cannot(b"grids are of floating-point numbers")
    half = is_short(d.type)
    g.h = h
    g.stored = d.type
    g.type = CUDNN_DATA_FLOAT if half else d.type
    g.bytes = <size_t>dnn_type_bytes(g.type)
    g.images, g.height, g.width = d.dim[0], d.dim[2], d.dim[3]
    places = <int64_t>g.height * g.width
    in_count = g.images * (2 * places if back else 6)
    out_count = g.images * (6 if back else 2 * places)
    if 3 * places > 0x7fffffff or max(in_count, out_count) > 0x7fffffff:
        return cannot(b"a grid of more than 2^31 numbers")
    coordinates = rounded(<size_t>places * 3 * g.bytes)
    line = rounded(<size_t>max(g.width, g.height) * g.bytes)
    wide = 0
    if half:
        wide = 256 + rounded(<size_t>out_count * 4) * 2 + rounded(<size_t>in_count * 4)
    memory = <char *>dnn_scratch(h, coordinates + line + 256 + wide)
    if memory is NULL:
        return dnn_because(CUDNN_STATUS_ALLOC_FAILED, b"no memory for the coordinates")
    g.coordinates = memory
    g.line = memory + coordinates
    g.one = g.line + line
    half_one = g.one + 256
    g.zeros = half_one + 256
    g.result = g.zeros + rounded(<size_t>out_count * 4)
    g.given = g.result + rounded(<size_t>out_count * 4)
    status = dg_hip.hipMemsetAsync(
        memory, 0, coordinates + line + 256 + (256 + rounded(<size_t>out_count * 4) if half else 0),
        <hipStream_t>to_stream(h.stream))
    if status != 0:
        return dnn_failed(CUDNN_STATUS_EXECUTION_FAILED, b"hipMemsetAsync", status)
    status = add_coordinates(&g)
    if half and status == 0:
        status = set_one(h, d.type, half_one)
        if status == 0:
            status = widened(&g, given, in_count, half_one, g.given)
    if status != 0:
        return <cudnnStatus_t>status
    if back:
        status = dnn_gemm(h, g.type, 1, 0, 2, 3, places, 1, g.given if half else given, 2, 2 * places, g.coordinates, 3,
                          0, 0, g.result if half else result, 3, 6, <int>g.images)
    else:
        status = dnn_gemm(h, g.type, 0, 1, places, 2, 3, 1, g.coordinates, 3, 0, g.given if half else given, 3, 6, 0,
                          g.result if half else result, 2, 2 * places, <int>g.images)
    if half and status == 0:
        status = narrowed(&g, g.result, out_count, result)
    return <cudnnStatus_t>status


cdef public cudnnStatus_t grid_generator_forward(dnn_handle *h, dnn_spatial *d, const void *theta,
        void *places) noexcept nogil:
    return grid(h, d, False, theta, places)


cdef public cudnnStatus_t grid_generator_backward(dnn_handle *h, dnn_spatial *d, const void *dgrid,
        void *dtheta) noexcept nogil:
    return grid(h, d, True, dgrid, dtheta)


# ---- the sampler. Nothing of AMD's gathers elements by coordinates in device memory, but a point's four weights are
# 1 − |distance|, where that is positive, of all columns times the same of all rows: images are then products with a
# matrix of points × pixels, taken in parts that fit into memory. Pixels that are not finite spread. ----

cdef enum:
    PART = 1 << 26  # bytes of weights at a time, unless one point has more

cdef struct sample_call:
    grid_call g        # `height` and `width` are the input's; `line` counts columns from the middle
    int channels
    int64_t pixels
    int64_t points
    int part           # points at a time
    char *lines        # as `line`, of rows
    char *one
    char *zero
    char *across       # part × width
    char *down         # part × height
    char *slope_across # their derivatives
    char *slope_down
    char *weights      # part × pixels
    char *products     # part × pixels, of the gradient
    char *sums         # part × width or height
    char *half_one
    char *stage        # halves, packed
    char *x
    char *places
    char *dy
    char *y            # results before they are blended
    char *dx
    char *dplaces


cdef void boxed(grid_call *g, dnn_tensor *d, int a, int b, int c, int a_step, int b_step, int c_step) noexcept nogil:
    memset(d, 0, sizeof(dnn_tensor))
    d.type = g.type
    d.count = 3
    d.dim[0], d.dim[1], d.dim[2] = a, b, c
    d.stride[0], d.stride[1], d.stride[2] = a_step, b_step, c_step


cdef uint32_t distances(sample_call *s, int points, const char *places, int size, char *line, char *to) noexcept nogil:
    """to[p, i] ← (place[p] + 1)·(size − 1)/2 − i, of memory that is 0."""
    cdef dnn_tensor all, place, row
    cdef uint32_t status
    plain(&s.g, &all, points, size, size, 1)
    plain(&s.g, &place, points, 1, 2, 1)
    plain(&s.g, &row, 1, size, size, 1)
    status = dnn_op_tensor(s.g.h, miopenTensorOpAdd, 1, &all, to, (size - 1) / 2.0, &place, places, 0, &all, to)
    if status == 0:
        status = dnn_op_tensor(s.g.h, miopenTensorOpAdd, 1, &all, to, -1, &row, line, 0, &all, to)
    return status


cdef uint32_t hats(sample_call *s, int points, int size, char *t) noexcept nogil:
    """t ← max(1 − |t|, 0)"""
    cdef dnn_handle *h = s.g.h
    cdef dnn_tensor all, one
    cdef uint32_t status
    plain(&s.g, &all, points, size, size, 1)
    plain(&s.g, &one, 1, 1, 1, 1)
    status = dnn_op_tensor(h, miopenTensorOpMax, 1, &all, t, -1, &all, t, 0, &all, t)
    if status == 0:
        status = dnn_op_tensor(h, miopenTensorOpAdd, -1, &all, t, 1, &one, s.one, 0, &all, t)
    if status == 0:
        status = dnn_op_tensor(h, miopenTensorOpMax, 1, &all, t, 1, &one, s.zero, 0, &all, t)
    return status


cdef uint32_t slopes(sample_call *s, int points, int size, const char *t, char *slope) noexcept nogil:
    """The hat's derivative: 1 from −1 to 0, −1 from 0 to 1. It is 2·[t < 0] − [t + 1 < 0] − [t − 1 < 0], and [v < 0] is
    min(max(−2¹⁰⁰·v, 0), 1)."""
    cdef dnn_handle *h = s.g.h
    cdef dnn_tensor all, one
    cdef double large = -1.2676506002282294e30
    cdef int i
    cdef uint32_t status = 0
    plain(&s.g, &all, points, size, size, 1)
    plain(&s.g, &one, 1, 1, 1, 1)
    for i in range(3):
        if status == 0:
            status = dnn_op_tensor(h, miopenTensorOpAdd, 1, &all, t, i - 1, &one, s.one, 0, &all, s.sums)
        if status == 0:
            status = dnn_op_tensor(h, miopenTensorOpMax, large, &all, s.sums, 1, &one, s.zero, 0, &all, s.sums)
        if status == 0:
            status = dnn_op_tensor(h, miopenTensorOpMin, 1, &all, s.sums, 1, &one, s.one, 0, &all, s.sums)
        if status == 0:
            status = dnn_op_tensor(
                h, miopenTensorOpAdd, 1, &all, slope, 2 if i == 1 else -1, &all, s.sums, 0, &all, slope)
    return status


cdef uint32_t cleared(dnn_handle *h, void *memory, size_t bytes) noexcept nogil:
    cdef uint32_t status = dg_hip.hipMemsetAsync(memory, 0, bytes, <hipStream_t>to_stream(h.stream))
    return 0 if status == 0 else dnn_failed(CUDNN_STATUS_EXECUTION_FAILED, b"hipMemsetAsync", status)


cdef uint32_t weigh(sample_call *s, int points, const char *places, bint back) noexcept nogil:
    """Weights of some points, and their derivatives along both axes."""
    cdef grid_call *g = &s.g
    cdef dnn_tensor all, across, down
    cdef size_t row = <size_t>points * g.width * g.bytes
    cdef size_t column = <size_t>points * g.height * g.bytes
    cdef uint32_t status = cleared(g.h, s.across, row)
    if status == 0:
        status = cleared(g.h, s.down, column)
    if status == 0:
        status = cleared(g.h, s.weights, <size_t>points * <size_t>s.pixels * g.bytes)
    if status == 0:
        status = distances(s, points, places, g.width, g.line, s.across)
    if status == 0:
        status = distances(s, points, places + g.bytes, g.height, s.lines, s.down)
    if back and status == 0:
        status = cleared(g.h, s.slope_across, row)
        if status == 0:
            status = cleared(g.h, s.slope_down, column)
        if status == 0:
            status = slopes(s, points, g.width, s.across, s.slope_across)
        if status == 0:
            status = slopes(s, points, g.height, s.down, s.slope_down)
    if status == 0:
        status = hats(s, points, g.width, s.across)
    if status == 0:
        status = hats(s, points, g.height, s.down)
    boxed(g, &all, points, g.height, g.width, <int>s.pixels, g.width, 1)
    boxed(g, &across, points, 1, g.width, g.width, g.width, 1)
    boxed(g, &down, points, g.height, 1, g.height, 1, 1)
    if status == 0:
        status = dnn_op_tensor(g.h, miopenTensorOpAdd, 1, &all, s.weights, 1, &down, s.down, 0, &all, s.weights)
    if status == 0:
        status = dnn_op_tensor(g.h, miopenTensorOpMul, 1, &all, s.weights, 1, &across, s.across, 0, &all, s.weights)
    return status


cdef uint32_t slope_sums(sample_call *s, int points, int64_t image, int64_t first) noexcept nogil:
    """The gradient of some places: pixels times dy, summed over channels, times one axis's weights, another's slope."""
    cdef grid_call *g = &s.g
    cdef dnn_handle *h = g.h
    cdef char *dy = s.dy + <size_t>(image * s.channels * s.points + first) * g.bytes
    cdef char *x = s.x + <size_t>(image * s.channels * s.pixels) * g.bytes
    cdef char *to = s.dplaces + <size_t>((image * s.points + first) * 2) * g.bytes
    cdef uint32_t status = dnn_gemm(h, g.type, 1, 0, points, s.pixels, s.channels, 1, dy, s.points, 0, x, s.pixels, 0,
                                    0, s.products, s.pixels, 0, 1)
    if status == 0:
        status = dnn_gemm(h, g.type, 0, 0, 1, g.width, g.height, 1, s.down, g.height, g.height, s.products, g.width,
                          s.pixels, 0, s.sums, g.width, g.width, points)
    if status == 0:
        status = dnn_gemm(h, g.type, 0, 0, 1, 1, g.width, (g.width - 1) / 2.0, s.sums, g.width, g.width, s.slope_across,
                          1, g.width, 0, to, 1, 2, points)
    if status == 0:
        status = dnn_gemm(h, g.type, 0, 0, g.height, 1, g.width, 1, s.products, g.width, s.pixels, s.across, 1, g.width,
                          0, s.sums, 1, g.height, points)
    if status == 0:
        status = dnn_gemm(h, g.type, 0, 0, 1, 1, g.height, (g.height - 1) / 2.0, s.sums, g.height, g.height,
                          s.slope_down, 1, g.height, 0, to + g.bytes, 1, 2, points)
    return status


cdef uint32_t sampled(sample_call *s, bint back) noexcept nogil:
    """All images, a part of their points at a time."""
    cdef grid_call *g = &s.g
    cdef int64_t image, first
    cdef int points
    cdef size_t input, output
    cdef uint32_t status = 0
    for image in range(g.images):
        first = 0
        input = <size_t>(image * s.channels * s.pixels) * g.bytes
        while first < s.points and status == 0:
            points = <int>min(s.part, s.points - first)
            output = <size_t>(image * s.channels * s.points + first) * g.bytes
            status = weigh(s, points, s.places + <size_t>((image * s.points + first) * 2) * g.bytes, back)
            if status == 0 and not back:
                status = dnn_gemm(g.h, g.type, 0, 1, s.channels, points, s.pixels, 1, s.x + input, s.pixels, 0,
                                  s.weights, s.pixels, 0, 0, s.y + output, s.points, 0, 1)
            elif status == 0:
                status = dnn_gemm(g.h, g.type, 0, 0, s.channels, s.pixels, points, 1, s.dy + output, s.points, 0,
                                  s.weights, s.pixels, 0, 0 if first == 0 else 1, s.dx + input, s.pixels, 0, 1)
                if status == 0:
                    status = slope_sums(s, points, image, first)
            first += points
    return status


cdef void packed(dnn_tensor *d, int type, int n, int c, int height, int width) noexcept nogil:
    memset(d, 0, sizeof(dnn_tensor))
    d.type = type
    d.count = 4
    d.dim[0], d.dim[1], d.dim[2], d.dim[3] = n, c, height, width
    dnn_pack(CUDNN_TENSOR_NCHW, type, 4, d.dim, d.stride)


cdef void part_of(const dnn_tensor *given, const dnn_tensor *sizes, dnn_tensor *d) noexcept nogil:
    """As much of a tensor as takes part, in the transformer's type."""
    cdef int i
    d[0] = sizes[0]
    for i in range(4):
        d.stride[i] = given.stride[i]


cdef uint32_t brought(sample_call *s, dnn_tensor *d, const void *data, dnn_tensor *pack, char *to) noexcept nogil:
    """Packed, and halves as floats."""
    cdef uint32_t status
    if not is_short(d.type):
        return dnn_copy(s.g.h, d, data, pack, to)
    status = dnn_copy(s.g.h, d, data, pack, s.stage)
    return status if status != 0 else widened(
        &s.g, s.stage, <int64_t>pack.dim[0] * pack.dim[1] * pack.dim[2] * pack.dim[3], s.half_one, to)


cdef uint32_t blended(sample_call *s, double alpha, char *raw, dnn_tensor *pack, double beta, dnn_tensor *d,
        void *y) noexcept nogil:
    """y ← α·raw + β·y. Doubles are scaled beforehand: OpTensor's factors are floats."""
    cdef dnn_handle *h = s.g.h
    cdef uint32_t status = 0
    if is_short(d.type):
        status = narrowed(&s.g, raw, <int64_t>pack.dim[0] * pack.dim[1] * pack.dim[2] * pack.dim[3], s.stage)
        raw = s.stage
    if status == 0 and (beta == 0 or d.type == CUDNN_DATA_DOUBLE):
        status = dnn_scale(h, pack, alpha, raw)
        alpha = 1
    if status != 0 or beta == 0:
        return status if status != 0 else dnn_copy(h, pack, raw, d, y)
    if d.type == CUDNN_DATA_DOUBLE:
        status = dnn_scale(h, d, beta, y)
        beta = 1
    return status if status != 0 else dnn_op_tensor(h, miopenTensorOpAdd, alpha, pack, raw, beta, d, y, 0, d, y)


cdef inline char *piece(char **memory, size_t bytes) noexcept nogil:
    cdef char *start = memory[0]
    memory[0] = start + rounded(bytes)
    return start


cdef void laid_out(sample_call *s, char **at, int64_t in_count, int64_t out_count, bint half, bint back) noexcept nogil:
    """All memory, from `at` on: once with NULL for its size."""
    cdef grid_call *g = &s.g
    cdef size_t e = g.bytes
    cdef size_t rows = <size_t>s.part * e
    cdef size_t places = <size_t>(g.images * s.points * 2)
    cdef size_t most = max(<size_t>max(in_count, out_count), places)
    g.line = piece(at, g.width * e)
    s.lines = piece(at, g.height * e)
    s.one = piece(at, e)
    s.zero = piece(at, e)
    s.half_one = piece(at, 2)
    g.zeros = piece(at, most * 4 if half else 0)
    s.across = piece(at, rows * g.width)
    s.down = piece(at, rows * g.height)
    s.weights = piece(at, rows * <size_t>s.pixels)
    s.x = piece(at, <size_t>in_count * e)
    s.places = piece(at, places * e)
    s.stage = piece(at, most * 2 if half else 0)
    if not back:
        s.y = piece(at, <size_t>out_count * e)
        return
    s.slope_across = piece(at, rows * g.width)
    s.slope_down = piece(at, rows * g.height)
    s.sums = piece(at, rows * max(g.width, g.height))
    s.products = piece(at, rows * <size_t>s.pixels)
    s.dy = piece(at, <size_t>out_count * e)
    s.dx = piece(at, <size_t>in_count * e)
    s.dplaces = piece(at, places * e)


cdef uint32_t middle(sample_call *s, int count, char *line) noexcept nogil:
    """0, 1, 2, … less (count − 1)/2: from −(count − 1)/2 in steps of 1, exactly."""
    cdef dnn_tensor part, one
    cdef uint32_t status
    s.g.one = s.one
    status = counted(&s.g, count, line)
    plain(&s.g, &part, 1, count, count, 1)
    plain(&s.g, &one, 1, 1, 1, 1)
    if status == 0:
        status = dnn_op_tensor(
            s.g.h, miopenTensorOpAdd, 1, &part, line, -(count - 1) / 2.0, &one, s.one, 0, &part, line)
    return status


cdef uint32_t begun(sample_call *s, dnn_handle *h, dnn_spatial *d, int images, int channels, int height, int width,
        bint back) noexcept nogil:
    """Memory, lines of numbers, the places as floats."""
    cdef char *at = NULL
    cdef char *memory
    cdef bint half = is_short(d.type)
    cdef int64_t in_count, out_count
    cdef uint32_t status
    s.g.h = h
    s.g.stored = d.type
    s.g.type = CUDNN_DATA_FLOAT if half else d.type
    s.g.bytes = <size_t>dnn_type_bytes(s.g.type)
    s.g.images, s.g.height, s.g.width = images, height, width
    s.channels = channels
    s.pixels = <int64_t>height * width
    s.points = <int64_t>d.dim[2] * d.dim[3]
    in_count = s.g.images * channels * s.pixels
    out_count = s.g.images * channels * s.points
    if max(in_count, out_count) > 0x7fffffff or s.g.images * s.points * 2 > 0x7fffffff:
        return dnn_because(CUDNN_STATUS_NOT_SUPPORTED, b"an image of more than 2^31 numbers")
    s.part = <int>max(<int64_t>1, min(s.points, PART // (s.pixels * <int64_t>s.g.bytes)))
    laid_out(s, &at, in_count, out_count, half, back)
    memory = <char *>dnn_scratch(h, <size_t>at)
    if memory is NULL:
        return dnn_because(CUDNN_STATUS_ALLOC_FAILED, b"no memory for the sampler's weights")
    at = memory
    laid_out(s, &at, in_count, out_count, half, back)
    status = cleared(h, memory, <size_t>(s.across - memory))
    if status == 0:
        status = set_one(h, s.g.type, s.one)
    if status == 0 and half:
        status = set_one(h, d.type, s.half_one)
    if status == 0:
        status = middle(s, width, s.g.line)
    if status == 0:
        status = middle(s, height, s.lines)
    return status


cdef public cudnnStatus_t sampler_forward(dnn_handle *h, dnn_spatial *d, const void *alpha, dnn_tensor *xd,
        const void *x, const void *grid, const void *beta, dnn_tensor *yd, void *y) noexcept nogil:
    """Types and sizes are the transformer's, and x's for the input: NVIDIA's library looks at no others."""
    cdef sample_call s
    cdef dnn_tensor xs, ys, gs, x_pack, y_pack
    cdef uint32_t status
    if alpha is NULL or x is NULL or grid is NULL or beta is NULL or y is NULL:
        return bad(b"x, grid, y, alpha or beta is NULL")
    if d.count != 4:
        return bad(b"the transformer's descriptor is not set, or not of 4 dimensions")
    if xd.count != 4:
        return cannot(b"xDesc is not of 4 dimensions")
    if yd.count < 4:
        return bad(b"yDesc is not of 4 dimensions")
    if not is_float_type(d.type):
        return cannot(b"images are of floating-point numbers")
    memset(&s, 0, sizeof(s))
    packed(&x_pack, d.type, min(d.dim[0], min(xd.dim[0], yd.dim[0])), min(xd.dim[1], yd.dim[1]), xd.dim[2], xd.dim[3])
    packed(&y_pack, d.type, x_pack.dim[0], x_pack.dim[1], d.dim[2], d.dim[3])
    packed(&gs, d.type, 1, x_pack.dim[0], d.dim[2] * d.dim[3], 2)
    if yd.dim[2] < d.dim[2] or yd.dim[3] < d.dim[3]:
        return bad(b"y is smaller than the transformer's output")
    part_of(xd, &x_pack, &xs)
    part_of(yd, &y_pack, &ys)
    status = begun(&s, h, d, x_pack.dim[0], x_pack.dim[1], xd.dim[2], xd.dim[3], False)
    if status == 0:
        status = brought(&s, &xs, x, &x_pack, s.x)
    if status == 0:
        status = brought(&s, &gs, grid, &gs, s.places)
    if status == 0:
        status = sampled(&s, False)
    if status == 0:
        status = blended(&s, dnn_factor(d.type, alpha), s.y, &y_pack, dnn_factor(d.type, beta), &ys, y)
    return <cudnnStatus_t>status


cdef public cudnnStatus_t sampler_backward(dnn_handle *h, dnn_spatial *d, const void *alpha, dnn_tensor *xd,
        const void *x, const void *beta, dnn_tensor *dxd, void *dx, const void *alpha_grid, dnn_tensor *dyd,
        const void *dy, const void *grid, const void *beta_grid, void *dgrid) noexcept nogil:
    cdef sample_call s
    cdef dnn_tensor xs, dxs, dys, gs, x_pack, y_pack
    cdef uint32_t status
    if x is NULL or dx is NULL or dy is NULL or grid is NULL or dgrid is NULL:
        return bad(b"x, dx, dy, grid or dgrid is NULL")
    if alpha is NULL or beta is NULL or alpha_grid is NULL or beta_grid is NULL:
        return bad(b"a factor is NULL")
    if d.count != 4:
        return bad(b"the transformer's descriptor is not set, or not of 4 dimensions")
    if xd.count != 4 or dyd.count < 4 or not same_sizes(xd, dxd):
        return bad(b"xDesc and dxDesc differ in sizes, or a tensor is not of 4 dimensions")
    if xd.type != d.type or dxd.type != d.type or dyd.type != d.type:
        return bad(b"a tensor is not of the transformer's type")
    if xd.dim[0] != d.dim[0] or dyd.dim[0] != d.dim[0] or dyd.dim[1] < xd.dim[1]:
        return bad(b"the tensors differ in images or channels")
    if dyd.dim[2] != d.dim[2] or dyd.dim[3] != d.dim[3]:
        return bad(b"dy is not of the transformer's output size")
    if not is_float_type(d.type):
        return cannot(b"images are of floating-point numbers")
    memset(&s, 0, sizeof(s))
    packed(&x_pack, d.type, xd.dim[0], xd.dim[1], xd.dim[2], xd.dim[3])
    packed(&y_pack, d.type, xd.dim[0], xd.dim[1], d.dim[2], d.dim[3])
    packed(&gs, d.type, 1, xd.dim[0], d.dim[2] * d.dim[3], 2)
    part_of(xd, &x_pack, &xs)
    part_of(dxd, &x_pack, &dxs)
    part_of(dyd, &y_pack, &dys)
    status = begun(&s, h, d, x_pack.dim[0], x_pack.dim[1], xd.dim[2], xd.dim[3], True)
    if status == 0:
        status = brought(&s, &xs, x, &x_pack, s.x)
    if status == 0:
        status = brought(&s, &dys, dy, &y_pack, s.dy)
    if status == 0:
        status = brought(&s, &gs, grid, &gs, s.places)
    if status == 0:
        status = sampled(&s, True)
    if status == 0:
        status = blended(&s, dnn_factor(d.type, alpha), s.dx, &x_pack, dnn_factor(d.type, beta), &dxs, dx)
    if status == 0:
        status = blended(
            &s, dnn_factor(d.type, alpha_grid), s.dplaces, &gs, dnn_factor(d.type, beta_grid), &gs, dgrid)
    return <cudnnStatus_t>status
