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
    int type               # float or double: halves are brought to float
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


cdef inline size_t up(size_t bytes) noexcept nogil:
    return (bytes + 255) & ~<size_t>255


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
        status = dg_hip.hipMemsetD16Async(one, 0x3c00, 1, stream)
    return 0 if status == 0 else dnn_failed(CUDNN_STATUS_EXECUTION_FAILED, b"hipMemsetD32Async", status)


cdef uint32_t add_line(grid_call *g, int count) noexcept nogil:
    """−1 … 1 in equal steps, in memory that is 0: 0, 1, 2, … by doubling, then scaled. A single one is −1, as NVIDIA's."""
    cdef dnn_tensor part, one
    cdef int done = 1
    cdef int more
    cdef uint32_t status = 0
    plain(g, &one, 1, 1, 1, 1)
    while done < count and status == 0:
        more = min(done, count - done)
        plain(g, &part, 1, more, more, 1)
        status = dnn_op_tensor(g.h, miopenTensorOpAdd, 1, &part, g.line, done, &one, g.one, 0, &part,
                               g.line + <size_t>done * g.bytes)
        done += more
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
    cdef uint32_t status
    cdef void *blas = dnn_blas(g.h)
    if blas is NULL:
        return CUDNN_STATUS_INTERNAL_ERROR
    status = dg_rocblas.rocblas_gemm_strided_batched_ex(
        <rocblas_handle>blas, rocblas_operation_none, rocblas_operation_none, <int>count, 1, 1, &factor, halves,
        rocblas_datatype_f16_r, <int>count, 0, one, rocblas_datatype_f16_r, 1, 0, &nothing, floats,
        rocblas_datatype_f32_r, <int>count, 0, floats, rocblas_datatype_f32_r, <int>count, 0, 1,
        rocblas_datatype_f32_r, rocblas_gemm_algo_standard, 0, 0)
    return 0 if status == 0 else dnn_failed(status_of_rocblas(status), b"rocblas_gemm_strided_batched_ex", status)


cdef uint32_t narrowed(grid_call *g, const void *floats, int64_t count, void *halves) noexcept nogil:
    """The one operation of MIOpen's that takes float and gives half: a normalisation whose bias is float. Of images of 0,
    with a scale of 0, it leaves the bias alone."""
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
    image = dnn_amd_shape(g.h, CUDNN_DATA_HALF, 4, dim, stride)
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
    half = d.type == CUDNN_DATA_HALF
    if d.type != CUDNN_DATA_FLOAT and d.type != CUDNN_DATA_DOUBLE and not half:
        return cannot(b"grids are of float, double or half")
    g.h = h
    g.type = CUDNN_DATA_FLOAT if half else d.type
    g.bytes = <size_t>dnn_type_bytes(g.type)
    g.images, g.height, g.width = d.dim[0], d.dim[2], d.dim[3]
    places = <int64_t>g.height * g.width
    in_count = g.images * (2 * places if back else 6)
    out_count = g.images * (6 if back else 2 * places)
    if 3 * places > 0x7fffffff or max(in_count, out_count) > 0x7fffffff:
        return cannot(b"a grid of more than 2^31 numbers")
    coordinates = up(<size_t>places * 3 * g.bytes)
    line = up(<size_t>max(g.width, g.height) * g.bytes)
    wide = 0
    if half:
        wide = 256 + up(<size_t>out_count * 4) * 2 + up(<size_t>in_count * 4)
    memory = <char *>dnn_scratch(h, coordinates + line + 256 + wide)
    if memory is NULL:
        return dnn_because(CUDNN_STATUS_ALLOC_FAILED, b"no memory for the coordinates")
    g.coordinates = memory
    g.line = memory + coordinates
    g.one = g.line + line
    half_one = g.one + 256
    g.zeros = half_one + 256
    g.result = g.zeros + up(<size_t>out_count * 4)
    g.given = g.result + up(<size_t>out_count * 4)
    status = dg_hip.hipMemsetAsync(
        memory, 0, coordinates + line + 256 + (256 + up(<size_t>out_count * 4) if half else 0),
        <hipStream_t>to_stream(h.stream))
    if status != 0:
        return dnn_failed(CUDNN_STATUS_EXECUTION_FAILED, b"hipMemsetAsync", status)
    status = add_coordinates(&g)
    if half and status == 0:
        status = set_one(h, CUDNN_DATA_HALF, half_one)
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
