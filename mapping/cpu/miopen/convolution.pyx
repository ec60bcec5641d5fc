# cython: language_level=3, cdivision=True, boundscheck=False, wraparound=False
"""Convolutions of the CPU backend's MIOpen: descriptors, Find…, the immediate mode and the calls themselves.

There are two solutions for each problem, which compute the same: a product over unrolled images, which wants the room
for one unrolled image as its workspace, and a direct one, which wants none. The product is for tensors in the default
layout only. Outside the immediate mode a convolution runs after a Find… on the same handle with the same descriptors,
else MIOpen answers `UnknownError`.

A transposed convolution is the same problem with x and y changed over.
"""
include "miopen.pxi"
include "shared.pxi"
include "elements.pxi"

from libc.stdlib cimport free
from libc.string cimport memset

cdef extern from "miopen.h" nogil:
    miopenStatus_t mi_convolve(const mi_problem *problem, void *x, void *w, void *y)
    miopenStatus_t miopenOpTensor(
        miopenHandle_t handle, int tensorOp, const void *alpha1, miopenTensorDescriptor_t aDesc, const void *A,
        const void *alpha2, miopenTensorDescriptor_t bDesc, const void *B, const void *beta,
        miopenTensorDescriptor_t cDesc, void *C
    )

cdef enum:
    # the solvers' numbers in MIOpen: ConvDirectNaiveConvFwd, …Bwd and …Wrw follow each other, products do not
    DIRECT = 85
    PRODUCT = 91           # GemmFwdRest
    PRODUCT_DATA = 97      # GemmBwdRest
    PRODUCT_WEIGHTS = 102  # GemmWrwUniversal


# ---- descriptors ----

cdef inline bint is_convolution(const mi_convolution *conv) noexcept nogil:
    return conv != NULL and conv.kind == MI_CONVOLUTION


cdef miopenStatus_t init(
    mi_convolution *conv, int dims, const int *pads, const int *strides, const int *dilations, int mode
) noexcept nogil:
    cdef int i
    if dims < 1 or dims > MI_SPATIAL:
        return miopenStatusBadParm
    for i in range(dims):
        if pads[i] < 0 or strides[i] < 1 or dilations[i] < 1:
            return miopenStatusBadParm
    if mode < miopenConvolution or mode > miopenDepthwise:
        return miopenStatusBadParm
    conv.mode = miopenTranspose if mode == miopenTranspose else miopenConvolution
    conv.dims = dims
    conv.groups = 1
    conv.find_mode = miopenConvolutionFindModeDefault
    conv.attributes[0] = -1
    conv.attributes[1] = conv.attributes[2] = 0
    for i in range(dims):
        conv.pads[i] = pads[i]
        conv.strides[i] = strides[i]
        conv.dilations[i] = dilations[i]
        conv.output_pads[i] = 0
    return miopenStatusSuccess


cdef public miopenStatus_t miopenCreateConvolutionDescriptor(miopenConvolutionDescriptor_t *convDesc) noexcept nogil:
    """2-D, no padding, until it is set."""
    cdef int[2] zeros
    cdef int[2] ones
    if convDesc == NULL:
        return miopenStatusBadParm
    convDesc[0] = <mi_convolution *>mi_new(MI_CONVOLUTION, sizeof(mi_convolution))
    if convDesc[0] == NULL:
        return miopenStatusAllocFailed
    zeros[0] = zeros[1] = 0
    ones[0] = ones[1] = 1
    return init(convDesc[0], 2, zeros, ones, ones, miopenConvolution)


cdef public miopenStatus_t miopenDestroyConvolutionDescriptor(miopenConvolutionDescriptor_t convDesc) noexcept nogil:
    if not is_convolution(convDesc):
        return miopenStatusBadParm
    convDesc.kind = 0
    free(convDesc)
    return miopenStatusSuccess


cdef public miopenStatus_t miopenInitConvolutionDescriptor(
    miopenConvolutionDescriptor_t convDesc, int c_mode, int pad_h, int pad_w, int stride_h, int stride_w, int dilation_h,
    int dilation_w
) noexcept nogil:
    cdef int[2] pads
    cdef int[2] strides
    cdef int[2] dilations
    if not is_convolution(convDesc):
        return miopenStatusBadParm
    pads[0], pads[1], strides[0], strides[1], dilations[0], dilations[1] = pad_h, pad_w, stride_h, stride_w, dilation_h, dilation_w
    return init(convDesc, 2, pads, strides, dilations, c_mode)


cdef public miopenStatus_t miopenInitConvolutionNdDescriptor(
    miopenConvolutionDescriptor_t convDesc, int spatialDim, const int *padA, const int *strideA, const int *dilationA,
    int c_mode
) noexcept nogil:
    if not is_convolution(convDesc) or padA == NULL or strideA == NULL or dilationA == NULL:
        return miopenStatusBadParm
    return init(convDesc, spatialDim, padA, strideA, dilationA, c_mode)


cdef public miopenStatus_t miopenGetConvolutionDescriptor(
    miopenConvolutionDescriptor_t convDesc, int *c_mode, int *pad_h, int *pad_w, int *stride_h, int *stride_w,
    int *dilation_h, int *dilation_w
) noexcept nogil:
    if not is_convolution(convDesc):
        return miopenStatusBadParm
    if convDesc.dims != 2:
        return miopenStatusUnknownError
    if c_mode == NULL or pad_h == NULL or pad_w == NULL or stride_h == NULL or stride_w == NULL:
        return miopenStatusBadParm
    if dilation_h == NULL or dilation_w == NULL:
        return miopenStatusBadParm
    c_mode[0] = convDesc.mode
    pad_h[0], pad_w[0] = convDesc.pads[0], convDesc.pads[1]
    stride_h[0], stride_w[0] = convDesc.strides[0], convDesc.strides[1]
    dilation_h[0], dilation_w[0] = convDesc.dilations[0], convDesc.dilations[1]
    return miopenStatusSuccess


cdef public miopenStatus_t miopenGetConvolutionNdDescriptor(
    miopenConvolutionDescriptor_t convDesc, int requestedSpatialDim, int *spatialDim, int *padA, int *strideA,
    int *dilationA, int *c_mode
) noexcept nogil:
    cdef int i
    if not is_convolution(convDesc):
        return miopenStatusBadParm
    if convDesc.dims < requestedSpatialDim:
        return miopenStatusUnknownError
    if padA == NULL or strideA == NULL or dilationA == NULL:
        return miopenStatusBadParm
    if spatialDim != NULL:
        spatialDim[0] = convDesc.dims
    if c_mode != NULL:
        c_mode[0] = convDesc.mode
    for i in range(requestedSpatialDim):
        padA[i] = convDesc.pads[i]
        strideA[i] = convDesc.strides[i]
        dilationA[i] = convDesc.dilations[i]
    return miopenStatusSuccess


cdef public miopenStatus_t miopenGetConvolutionSpatialDim(
    miopenConvolutionDescriptor_t convDesc, int *spatialDim
) noexcept nogil:
    if not is_convolution(convDesc) or spatialDim == NULL:
        return miopenStatusBadParm
    spatialDim[0] = convDesc.dims
    return miopenStatusSuccess


cdef public miopenStatus_t miopenSetConvolutionGroupCount(
    miopenConvolutionDescriptor_t convDesc, int groupCount
) noexcept nogil:
    """Any number passes; what does not fit the tensors is refused with them."""
    if not is_convolution(convDesc):
        return miopenStatusBadParm
    convDesc.groups = groupCount
    return miopenStatusSuccess


cdef public miopenStatus_t miopenGetConvolutionGroupCount(
    miopenConvolutionDescriptor_t convDesc, int *groupCount
) noexcept nogil:
    if not is_convolution(convDesc) or groupCount == NULL:
        return miopenStatusBadParm
    groupCount[0] = convDesc.groups
    return miopenStatusSuccess


cdef public miopenStatus_t miopenSetTransposeConvNdOutputPadding(
    miopenConvolutionDescriptor_t convDesc, int spatialDim, const int *adjA
) noexcept nogil:
    cdef int i
    if not is_convolution(convDesc) or adjA == NULL:
        return miopenStatusBadParm
    if spatialDim != convDesc.dims:
        return miopenStatusUnknownError
    for i in range(spatialDim):
        convDesc.output_pads[i] = adjA[i]
    return miopenStatusSuccess


cdef public miopenStatus_t miopenSetTransposeConvOutputPadding(
    miopenConvolutionDescriptor_t convDesc, int adj_h, int adj_w
) noexcept nogil:
    cdef int[2] pads
    pads[0], pads[1] = adj_h, adj_w
    return miopenSetTransposeConvNdOutputPadding(convDesc, 2, pads)


cdef public miopenStatus_t miopenSetConvolutionAttribute(
    miopenConvolutionDescriptor_t convDesc, int attr, int value
) noexcept nogil:
    """0: half by bfloat16, -1 to 1; 1: deterministic; 2: rounding of 8-bit floats. All without effect here."""
    if not is_convolution(convDesc) or attr < 0 or attr > 2 or value < (-1 if attr == 0 else 0) or value > 1:
        return miopenStatusBadParm
    convDesc.attributes[attr] = value
    return miopenStatusSuccess


cdef public miopenStatus_t miopenGetConvolutionAttribute(
    miopenConvolutionDescriptor_t convDesc, int attr, int *value
) noexcept nogil:
    if not is_convolution(convDesc) or attr < 0 or attr > 2 or value == NULL:
        return miopenStatusBadParm
    value[0] = convDesc.attributes[attr]
    return miopenStatusSuccess


cdef public miopenStatus_t miopenSetConvolutionFindMode(
    miopenConvolutionDescriptor_t convDesc, int findMode
) noexcept nogil:
    if not is_convolution(convDesc):
        return miopenStatusBadParm
    convDesc.find_mode = findMode
    return miopenStatusSuccess


cdef public miopenStatus_t miopenGetConvolutionFindMode(
    miopenConvolutionDescriptor_t convDesc, int *findMode
) noexcept nogil:
    if not is_convolution(convDesc) or findMode == NULL:
        return miopenStatusBadParm
    findMode[0] = convDesc.find_mode
    return miopenStatusSuccess


# ---- shapes ----

cdef miopenStatus_t output_lens(
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


cdef public miopenStatus_t miopenGetConvolutionNdForwardOutputDim(
    miopenConvolutionDescriptor_t convDesc, miopenTensorDescriptor_t inputTensorDesc, miopenTensorDescriptor_t filterDesc,
    int *nDim, int *outputTensorDimA
) noexcept nogil:
    cdef int64_t lens[8]
    cdef int i
    cdef miopenStatus_t status
    if not is_convolution(convDesc) or not is_tensor(inputTensorDesc) or not is_tensor(filterDesc):
        return miopenStatusBadParm
    if nDim == NULL or outputTensorDimA == NULL:
        return miopenStatusBadParm
    status = output_lens(convDesc, inputTensorDesc, filterDesc, lens)
    if status == miopenStatusSuccess:
        nDim[0] = inputTensorDesc.dims
        for i in range(inputTensorDesc.dims):
            outputTensorDimA[i] = <int>lens[i]
    return status


cdef public miopenStatus_t miopenGetConvolutionForwardOutputDim(
    miopenConvolutionDescriptor_t convDesc, miopenTensorDescriptor_t inputTensorDesc, miopenTensorDescriptor_t filterDesc,
    int *n, int *c, int *h, int *w
) noexcept nogil:
    cdef int[8] lens
    cdef int dims
    cdef miopenStatus_t status
    if not is_convolution(convDesc) or n == NULL or c == NULL or h == NULL or w == NULL:
        return miopenStatusBadParm
    if convDesc.dims != 2:
        return miopenStatusUnknownError
    status = miopenGetConvolutionNdForwardOutputDim(convDesc, inputTensorDesc, filterDesc, &dims, lens)
    if status == miopenStatusSuccess:
        n[0], c[0], h[0], w[0] = lens[0], lens[1], lens[2], lens[3]
    return status


# ---- a problem: what is asked for, in mi_convolve's terms ----

cdef struct Problem:
    mi_problem p
    uint64_t digest      # of everything that makes it another problem
    int direction        # as the program called it
    bint swapped         # transposed: the program's x is mi_convolve's y
    bint product         # the product's solution can be used
    size_t workspace     # that it wants


cdef void put_tensor(int64_t *lens, int64_t *strides, const mi_tensor *tensor) noexcept nogil:
    """The last three dimensions to lens, all five to strides: missing ones have length 1, and a step that nobody takes."""
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


cdef bint is_default(const mi_tensor *tensor) noexcept nogil:
    """NCHW and the like: strides that never grow."""
    cdef int i
    for i in range(1, tensor.dims):
        if tensor.strides[i - 1] < tensor.strides[i]:
            return False
    return True


cdef bint types_fit(int direction, int x, int w, int y) noexcept nogil:
    """int8 gives int32, float or int8, forward only."""
    if w == miopenInt8:
        return direction == MI_FORWARD and x == w and (y == miopenInt32 or y == miopenFloat or y == miopenInt8)
    return x == w and y == w and (w == miopenFloat or w == miopenHalf or w == miopenBFloat16)


cdef miopenStatus_t describe(
    Problem *q, int direction, miopenHandle_t handle, const mi_tensor *x, const mi_tensor *w, const mi_tensor *y,
    const mi_convolution *conv
) noexcept nogil:
    """x, w and y (or their gradients) as a forward call names them."""
    cdef int64_t lens[8]
    cdef int i, flat
    cdef miopenStatus_t status
    cdef const mi_tensor *image = x
    cdef const mi_tensor *result = y
    if not is_handle(handle) or not is_convolution(conv) or not is_tensor(x) or not is_tensor(w) or not is_tensor(y):
        return miopenStatusBadParm
    if direction == MI_BACKWARD_WEIGHTS and x.type == miopenInt8:
        return miopenStatusBadParm
    status = output_lens(conv, x, w, lens)
    if status != miopenStatusSuccess:
        return status
    if y.dims != x.dims or w.lens[0] % conv.groups != 0:
        return miopenStatusBadParm
    if conv.mode != miopenTranspose and x.lens[1] != w.lens[1] * conv.groups:
        return miopenStatusBadParm
    for i in range(y.dims):
        if y.lens[i] != lens[i]:
            return miopenStatusBadParm
    if x.type != y.type and x.type != miopenInt8:
        return miopenStatusBadParm
    q.direction = direction
    q.swapped = conv.mode == miopenTranspose
    if q.swapped:
        image, result = y, x
        direction = (MI_BACKWARD_DATA if direction == MI_FORWARD else MI_FORWARD if direction == MI_BACKWARD_DATA else direction)
    if not types_fit(q.direction, x.type, w.type, y.type) or (q.swapped and w.type == miopenInt8):
        return miopenStatusNotImplemented
    q.digest = digest_of(q.direction, x, w, y, conv)
    q.p.direction = direction
    q.p.x_type, q.p.w_type, q.p.y_type = image.type, w.type, result.type
    q.p.n = x.lens[0]
    q.p.groups = conv.groups
    q.p.k = w.lens[0] / conv.groups
    q.p.c = w.lens[1]
    put_tensor(q.p.x_lens, q.p.x, image)
    put_tensor(q.p.w_lens, q.p.w, w)
    put_tensor(q.p.y_lens, q.p.y, result)
    flat = 3 - conv.dims
    q.product = is_default(x) and is_default(w) and is_default(y)
    q.workspace = <size_t>(q.p.c * q.p.groups * mi_type_size(w.type))
    status = miopenStatusSuccess
    for i in range(3):
        q.p.pads[i] = conv.pads[i - flat] if i >= flat else 0
        q.p.strides[i] = conv.strides[i - flat] if i >= flat else 1
        q.p.dilations[i] = conv.dilations[i - flat] if i >= flat else 1
        q.workspace *= <size_t>(q.p.w_lens[i] * q.p.y_lens[i])
    if not q.product or is_one_by_one(&q.p):
        q.workspace = 0
    return miopenStatusSuccess


cdef bint is_one_by_one(const mi_problem *p) noexcept nogil:
    """Nothing to unroll."""
    cdef int i
    for i in range(3):
        if p.w_lens[i] != 1 or p.strides[i] != 1 or p.pads[i] != 0:
            return False
    return True


cdef miopenStatus_t compute(const Problem *q, void *x, void *w, void *y) noexcept nogil:
    return mi_convolve(&q.p, y, w, x) if q.swapped else mi_convolve(&q.p, x, w, y)


cdef inline uint64_t number_of(const Problem *q, bint product) noexcept nogil:
    if not product:
        return <uint64_t>(DIRECT + q.direction)
    return PRODUCT if q.direction == MI_FORWARD else PRODUCT_DATA if q.direction == MI_BACKWARD_DATA else PRODUCT_WEIGHTS


cdef bint is_solution(const Problem *q, uint64_t solution) noexcept nogil:
    return solution == number_of(q, False) or (q.product and solution == number_of(q, True))


cdef inline size_t workspace_of(const Problem *q, bint product) noexcept nogil:
    return q.workspace if product else 0


cdef float estimate(const Problem *q, bint product) noexcept nogil:
    """Milliseconds; what counts is that the product is the faster one."""
    cdef double sums = <double>q.p.n * q.p.groups * q.p.k * q.p.c
    cdef int i
    for i in range(3):
        sums *= <double>(q.p.w_lens[i] * q.p.y_lens[i])
    return <float>(1e-3 + sums / (2e7 if product else 1e7))


cdef miopenStatus_t use_workspace(const Problem *q, bint product, void *workspace, size_t size) noexcept nogil:
    """The room must be there and ours: both its ends are written."""
    cdef size_t wanted = workspace_of(q, product), end
    if wanted == 0:
        return miopenStatusSuccess
    if workspace == NULL or size < wanted:
        return miopenStatusUnknownError
    end = wanted if wanted < 64 else 64
    memset(workspace, 0xff, end)
    memset(<char *>workspace + wanted - end, 0xff, end)
    return miopenStatusSuccess


cdef public miopenStatus_t mi_convolve_float(
    miopenHandle_t handle, const mi_tensor *xDesc, const void *x, const mi_tensor *wDesc, const void *w,
    const mi_convolution *conv, const mi_tensor *yDesc, float *y
) noexcept nogil:
    """A forward convolution for the fused calls: the result as floats, packed. Without `y` only the checks."""
    cdef Problem q
    cdef int i
    cdef miopenStatus_t status = describe(&q, MI_FORWARD, handle, xDesc, wDesc, yDesc, conv)
    if status != miopenStatusSuccess:
        return status
    if q.swapped or wDesc.type == miopenInt8:
        return miopenStatusUnsupportedOp
    if y == NULL:
        return miopenStatusSuccess
    q.p.y_type = miopenFloat
    q.p.y[4] = 1
    i = 3
    while i >= 2:
        q.p.y[i] = q.p.y[i + 1] * q.p.y_lens[i - 1]
        i -= 1
    q.p.y[1] = q.p.y[2] * q.p.y_lens[0]
    q.p.y[0] = q.p.y[1] * yDesc.lens[1]
    return mi_convolve(&q.p, <void *>x, <void *>w, y)


# ---- the calls, once for the three directions ----

cdef miopenStatus_t workspace_size(const Problem *q, size_t *size) noexcept nogil:
    if size == NULL:
        return miopenStatusBadParm
    size[0] = workspace_of(q, q.product)
    return miopenStatusSuccess


cdef miopenStatus_t find(
    const Problem *q, miopenHandle_t handle, const void *x, const void *w, const void *y, int request, int *returned,
    miopenConvAlgoPerf_t *results, void *workspace, size_t size
) noexcept nogil:
    """Finds what the workspace is enough for, and remembers it. MIOpen runs each candidate: the result is written."""
    cdef int i, count = 0
    cdef bint product
    cdef miopenStatus_t status
    if x == NULL or w == NULL or y == NULL or returned == NULL or results == NULL or request < 1:
        return miopenStatusBadParm
    for i in range(2):
        product = i == 0
        if product and (not q.product or (q.workspace > 0 and (workspace == NULL or size < q.workspace))):
            continue
        if not mi_remember(handle, mix(q.digest, 0 if product else 1) | 1):
            return miopenStatusAllocFailed
        if count < request:
            results[count].algo = miopenConvolutionAlgoGEMM if product else miopenConvolutionAlgoDirect
            results[count].time = estimate(q, product)
            results[count].memory = workspace_of(q, product)
            count += 1
        status = use_workspace(q, product, workspace, size)
        if status != miopenStatusSuccess:
            return status
    returned[0] = count
    return compute(q, <void *>x, <void *>w, <void *>y)


cdef miopenStatus_t call(
    const Problem *q, miopenHandle_t handle, const void *alpha, const void *beta, int algorithm, const void *x,
    const void *w, const void *y, void *workspace, size_t size
) noexcept nogil:
    cdef bint product = algorithm == miopenConvolutionAlgoGEMM
    cdef miopenStatus_t status
    if x == NULL or w == NULL or y == NULL or alpha == NULL or beta == NULL:
        return miopenStatusBadParm
    if not plain_factors(alpha, beta):
        # 3-D problems have solvers for other factors on some cards, but no Find… of theirs.
        return miopenStatusUnknownError if q.p.x_lens[0] > 1 or q.p.w_lens[0] > 1 else miopenStatusNotImplemented
    if not product and algorithm != miopenConvolutionAlgoDirect:
        return miopenStatusUnknownError
    if not mi_find(handle, mix(q.digest, 0 if product else 1) | 1):
        return miopenStatusUnknownError  # "No invoker was registered … Was find executed?"
    status = use_workspace(q, product, workspace, size)
    if status != miopenStatusSuccess:
        return status
    return compute(q, <void *>x, <void *>w, <void *>y)


cdef miopenStatus_t solution_count(const Problem *q, size_t *count) noexcept nogil:
    if count == NULL:
        return miopenStatusBadParm
    count[0] = 2 if q.product else 1
    return miopenStatusSuccess


cdef miopenStatus_t solutions_of(
    const Problem *q, size_t most, size_t *count, miopenConvSolution_t *solutions
) noexcept nogil:
    cdef int i
    cdef size_t found = 0
    cdef bint product
    if count == NULL or solutions == NULL:
        return miopenStatusBadParm
    for i in range(2):
        product = i == 0
        if (product and not q.product) or found >= most:
            continue
        solutions[found].time = estimate(q, product)
        solutions[found].workspace_size = workspace_of(q, product)
        solutions[found].solution_id = number_of(q, product)
        solutions[found].algorithm = miopenConvolutionAlgoGEMM if product else miopenConvolutionAlgoDirect
        found += 1
    count[0] = found
    return miopenStatusSuccess


cdef miopenStatus_t solution_workspace(const Problem *q, uint64_t solution, size_t *size) noexcept nogil:
    if size == NULL or not is_solution(q, solution):
        return miopenStatusBadParm
    size[0] = workspace_of(q, solution >= PRODUCT)
    return miopenStatusSuccess


cdef miopenStatus_t immediate(
    const Problem *q, const void *x, const void *w, const void *y, void *workspace, size_t size, uint64_t solution
) noexcept nogil:
    cdef miopenStatus_t status
    if x == NULL or w == NULL or y == NULL or not is_solution(q, solution):
        return miopenStatusBadParm
    status = use_workspace(q, solution >= PRODUCT, workspace, size)
    if status != miopenStatusSuccess:
        return status
    return compute(q, <void *>x, <void *>w, <void *>y)


# ---- the three directions under MIOpen's names ----


cdef public miopenStatus_t miopenConvolutionForwardGetWorkSpaceSize(
    miopenHandle_t handle, miopenTensorDescriptor_t wDesc, miopenTensorDescriptor_t xDesc,
    miopenConvolutionDescriptor_t convDesc, miopenTensorDescriptor_t yDesc, size_t *workSpaceSize
) noexcept nogil:
    cdef Problem q
    cdef miopenStatus_t status = describe(&q, MI_FORWARD, handle, xDesc, wDesc, yDesc, convDesc)
    return status if status != miopenStatusSuccess else workspace_size(&q, workSpaceSize)


cdef public miopenStatus_t miopenConvolutionForwardGetSolutionCount(
    miopenHandle_t handle, miopenTensorDescriptor_t wDesc, miopenTensorDescriptor_t xDesc,
    miopenConvolutionDescriptor_t convDesc, miopenTensorDescriptor_t yDesc, size_t *solutionCount
) noexcept nogil:
    cdef Problem q
    cdef miopenStatus_t status = describe(&q, MI_FORWARD, handle, xDesc, wDesc, yDesc, convDesc)
    return status if status != miopenStatusSuccess else solution_count(&q, solutionCount)


cdef public miopenStatus_t miopenConvolutionForwardGetSolution(
    miopenHandle_t handle, miopenTensorDescriptor_t wDesc, miopenTensorDescriptor_t xDesc,
    miopenConvolutionDescriptor_t convDesc, miopenTensorDescriptor_t yDesc, const size_t maxSolutionCount,
    size_t *solutionCount, miopenConvSolution_t *solutions
) noexcept nogil:
    cdef Problem q
    cdef miopenStatus_t status = describe(&q, MI_FORWARD, handle, xDesc, wDesc, yDesc, convDesc)
    return status if status != miopenStatusSuccess else solutions_of(&q, maxSolutionCount, solutionCount, solutions)


cdef public miopenStatus_t miopenConvolutionForwardGetSolutionWorkspaceSize(
    miopenHandle_t handle, miopenTensorDescriptor_t wDesc, miopenTensorDescriptor_t xDesc,
    miopenConvolutionDescriptor_t convDesc, miopenTensorDescriptor_t yDesc, const uint64_t solution_id,
    size_t *workSpaceSize
) noexcept nogil:
    cdef Problem q
    cdef miopenStatus_t status = describe(&q, MI_FORWARD, handle, xDesc, wDesc, yDesc, convDesc)
    return status if status != miopenStatusSuccess else solution_workspace(&q, solution_id, workSpaceSize)


cdef public miopenStatus_t miopenConvolutionForwardCompileSolution(
    miopenHandle_t handle, miopenTensorDescriptor_t wDesc, miopenTensorDescriptor_t xDesc,
    miopenConvolutionDescriptor_t convDesc, miopenTensorDescriptor_t yDesc, const uint64_t solution_id
) noexcept nogil:
    cdef Problem q
    cdef miopenStatus_t status = describe(&q, MI_FORWARD, handle, xDesc, wDesc, yDesc, convDesc)
    return status if status != miopenStatusSuccess else miopenStatusSuccess if is_solution(&q, solution_id) else miopenStatusBadParm


cdef public miopenStatus_t miopenConvolutionForwardImmediate(
    miopenHandle_t handle, miopenTensorDescriptor_t wDesc, const void *w, miopenTensorDescriptor_t xDesc,
    const void *x, miopenConvolutionDescriptor_t convDesc, miopenTensorDescriptor_t yDesc, void *y, void *workSpace,
    size_t workSpaceSize, const uint64_t solution_id
) noexcept nogil:
    cdef Problem q
    cdef miopenStatus_t status = describe(&q, MI_FORWARD, handle, xDesc, wDesc, yDesc, convDesc)
    return status if status != miopenStatusSuccess else immediate(&q, x, w, y, workSpace, workSpaceSize, solution_id)


cdef public miopenStatus_t miopenFindConvolutionForwardAlgorithm(
    miopenHandle_t handle, miopenTensorDescriptor_t xDesc, const void *x, miopenTensorDescriptor_t wDesc,
    const void *w, miopenConvolutionDescriptor_t convDesc, miopenTensorDescriptor_t yDesc, void *y,
    const int requestAlgoCount, int *returnedAlgoCount, miopenConvAlgoPerf_t *perfResults, void *workSpace,
    size_t workSpaceSize, mi_bool exhaustiveSearch
) noexcept nogil:
    cdef Problem q
    cdef miopenStatus_t status = describe(&q, MI_FORWARD, handle, xDesc, wDesc, yDesc, convDesc)
    return status if status != miopenStatusSuccess else find(
        &q, handle, x, w, y, requestAlgoCount, returnedAlgoCount, perfResults, workSpace, workSpaceSize
    )


cdef public miopenStatus_t miopenConvolutionForward(
    miopenHandle_t handle, const void *alpha, miopenTensorDescriptor_t xDesc, const void *x,
    miopenTensorDescriptor_t wDesc, const void *w, miopenConvolutionDescriptor_t convDesc, int algo,
    const void *beta, miopenTensorDescriptor_t yDesc, void *y, void *workSpace, size_t workSpaceSize
) noexcept nogil:
    cdef Problem q
    cdef miopenStatus_t status = describe(&q, MI_FORWARD, handle, xDesc, wDesc, yDesc, convDesc)
    return status if status != miopenStatusSuccess else call(
        &q, handle, alpha, beta, algo, x, w, y, workSpace, workSpaceSize
    )


cdef public miopenStatus_t miopenConvolutionBackwardDataGetWorkSpaceSize(
    miopenHandle_t handle, miopenTensorDescriptor_t dyDesc, miopenTensorDescriptor_t wDesc,
    miopenConvolutionDescriptor_t convDesc, miopenTensorDescriptor_t dxDesc, size_t *workSpaceSize
) noexcept nogil:
    cdef Problem q
    cdef miopenStatus_t status = describe(&q, MI_BACKWARD_DATA, handle, dxDesc, wDesc, dyDesc, convDesc)
    return status if status != miopenStatusSuccess else workspace_size(&q, workSpaceSize)


cdef public miopenStatus_t miopenConvolutionBackwardDataGetSolutionCount(
    miopenHandle_t handle, miopenTensorDescriptor_t dyDesc, miopenTensorDescriptor_t wDesc,
    miopenConvolutionDescriptor_t convDesc, miopenTensorDescriptor_t dxDesc, size_t *solutionCount
) noexcept nogil:
    cdef Problem q
    cdef miopenStatus_t status = describe(&q, MI_BACKWARD_DATA, handle, dxDesc, wDesc, dyDesc, convDesc)
    return status if status != miopenStatusSuccess else solution_count(&q, solutionCount)


cdef public miopenStatus_t miopenConvolutionBackwardDataGetSolution(
    miopenHandle_t handle, miopenTensorDescriptor_t dyDesc, miopenTensorDescriptor_t wDesc,
    miopenConvolutionDescriptor_t convDesc, miopenTensorDescriptor_t dxDesc, const size_t maxSolutionCount,
    size_t *solutionCount, miopenConvSolution_t *solutions
) noexcept nogil:
    cdef Problem q
    cdef miopenStatus_t status = describe(&q, MI_BACKWARD_DATA, handle, dxDesc, wDesc, dyDesc, convDesc)
    return status if status != miopenStatusSuccess else solutions_of(&q, maxSolutionCount, solutionCount, solutions)


cdef public miopenStatus_t miopenConvolutionBackwardDataGetSolutionWorkspaceSize(
    miopenHandle_t handle, miopenTensorDescriptor_t dyDesc, miopenTensorDescriptor_t wDesc,
    miopenConvolutionDescriptor_t convDesc, miopenTensorDescriptor_t dxDesc, const uint64_t solution_id,
    size_t *workSpaceSize
) noexcept nogil:
    cdef Problem q
    cdef miopenStatus_t status = describe(&q, MI_BACKWARD_DATA, handle, dxDesc, wDesc, dyDesc, convDesc)
    return status if status != miopenStatusSuccess else solution_workspace(&q, solution_id, workSpaceSize)


cdef public miopenStatus_t miopenConvolutionBackwardDataCompileSolution(
    miopenHandle_t handle, miopenTensorDescriptor_t dyDesc, miopenTensorDescriptor_t wDesc,
    miopenConvolutionDescriptor_t convDesc, miopenTensorDescriptor_t dxDesc, const uint64_t solution_id
) noexcept nogil:
    cdef Problem q
    cdef miopenStatus_t status = describe(&q, MI_BACKWARD_DATA, handle, dxDesc, wDesc, dyDesc, convDesc)
    return status if status != miopenStatusSuccess else miopenStatusSuccess if is_solution(&q, solution_id) else miopenStatusBadParm


cdef public miopenStatus_t miopenConvolutionBackwardDataImmediate(
    miopenHandle_t handle, miopenTensorDescriptor_t dyDesc, const void *dy, miopenTensorDescriptor_t wDesc,
    const void *w, miopenConvolutionDescriptor_t convDesc, miopenTensorDescriptor_t dxDesc, void *dx,
    void *workSpace, size_t workSpaceSize, const uint64_t solution_id
) noexcept nogil:
    cdef Problem q
    cdef miopenStatus_t status = describe(&q, MI_BACKWARD_DATA, handle, dxDesc, wDesc, dyDesc, convDesc)
    return status if status != miopenStatusSuccess else immediate(&q, dx, w, dy, workSpace, workSpaceSize, solution_id)


cdef public miopenStatus_t miopenFindConvolutionBackwardDataAlgorithm(
    miopenHandle_t handle, miopenTensorDescriptor_t dyDesc, const void *dy, miopenTensorDescriptor_t wDesc,
    const void *w, miopenConvolutionDescriptor_t convDesc, miopenTensorDescriptor_t dxDesc, void *dx,
    const int requestAlgoCount, int *returnedAlgoCount, miopenConvAlgoPerf_t *perfResults, void *workSpace,
    size_t workSpaceSize, mi_bool exhaustiveSearch
) noexcept nogil:
    cdef Problem q
    cdef miopenStatus_t status = describe(&q, MI_BACKWARD_DATA, handle, dxDesc, wDesc, dyDesc, convDesc)
    return status if status != miopenStatusSuccess else find(
        &q, handle, dx, w, dy, requestAlgoCount, returnedAlgoCount, perfResults, workSpace, workSpaceSize
    )


cdef public miopenStatus_t miopenConvolutionBackwardData(
    miopenHandle_t handle, const void *alpha, miopenTensorDescriptor_t dyDesc, const void *dy,
    miopenTensorDescriptor_t wDesc, const void *w, miopenConvolutionDescriptor_t convDesc, int algo,
    const void *beta, miopenTensorDescriptor_t dxDesc, void *dx, void *workSpace, size_t workSpaceSize
) noexcept nogil:
    cdef Problem q
    cdef miopenStatus_t status = describe(&q, MI_BACKWARD_DATA, handle, dxDesc, wDesc, dyDesc, convDesc)
    return status if status != miopenStatusSuccess else call(
        &q, handle, alpha, beta, algo, dx, w, dy, workSpace, workSpaceSize
    )


cdef public miopenStatus_t miopenConvolutionBackwardWeightsGetWorkSpaceSize(
    miopenHandle_t handle, miopenTensorDescriptor_t dyDesc, miopenTensorDescriptor_t xDesc,
    miopenConvolutionDescriptor_t convDesc, miopenTensorDescriptor_t dwDesc, size_t *workSpaceSize
) noexcept nogil:
    cdef Problem q
    cdef miopenStatus_t status = describe(&q, MI_BACKWARD_WEIGHTS, handle, xDesc, dwDesc, dyDesc, convDesc)
    return status if status != miopenStatusSuccess else workspace_size(&q, workSpaceSize)


cdef public miopenStatus_t miopenConvolutionBackwardWeightsGetSolutionCount(
    miopenHandle_t handle, miopenTensorDescriptor_t dyDesc, miopenTensorDescriptor_t xDesc,
    miopenConvolutionDescriptor_t convDesc, miopenTensorDescriptor_t dwDesc, size_t *solutionCount
) noexcept nogil:
    cdef Problem q
    cdef miopenStatus_t status = describe(&q, MI_BACKWARD_WEIGHTS, handle, xDesc, dwDesc, dyDesc, convDesc)
    return status if status != miopenStatusSuccess else solution_count(&q, solutionCount)


cdef public miopenStatus_t miopenConvolutionBackwardWeightsGetSolution(
    miopenHandle_t handle, miopenTensorDescriptor_t dyDesc, miopenTensorDescriptor_t xDesc,
    miopenConvolutionDescriptor_t convDesc, miopenTensorDescriptor_t dwDesc, const size_t maxSolutionCount,
    size_t *solutionCount, miopenConvSolution_t *solutions
) noexcept nogil:
    cdef Problem q
    cdef miopenStatus_t status = describe(&q, MI_BACKWARD_WEIGHTS, handle, xDesc, dwDesc, dyDesc, convDesc)
    return status if status != miopenStatusSuccess else solutions_of(&q, maxSolutionCount, solutionCount, solutions)


cdef public miopenStatus_t miopenConvolutionBackwardWeightsGetSolutionWorkspaceSize(
    miopenHandle_t handle, miopenTensorDescriptor_t dyDesc, miopenTensorDescriptor_t xDesc,
    miopenConvolutionDescriptor_t convDesc, miopenTensorDescriptor_t dwDesc, const uint64_t solution_id,
    size_t *workSpaceSize
) noexcept nogil:
    cdef Problem q
    cdef miopenStatus_t status = describe(&q, MI_BACKWARD_WEIGHTS, handle, xDesc, dwDesc, dyDesc, convDesc)
    return status if status != miopenStatusSuccess else solution_workspace(&q, solution_id, workSpaceSize)


cdef public miopenStatus_t miopenConvolutionBackwardWeightsCompileSolution(
    miopenHandle_t handle, miopenTensorDescriptor_t dyDesc, miopenTensorDescriptor_t xDesc,
    miopenConvolutionDescriptor_t convDesc, miopenTensorDescriptor_t dwDesc, const uint64_t solution_id
) noexcept nogil:
    cdef Problem q
    cdef miopenStatus_t status = describe(&q, MI_BACKWARD_WEIGHTS, handle, xDesc, dwDesc, dyDesc, convDesc)
    return status if status != miopenStatusSuccess else miopenStatusSuccess if is_solution(&q, solution_id) else miopenStatusBadParm


cdef public miopenStatus_t miopenConvolutionBackwardWeightsImmediate(
    miopenHandle_t handle, miopenTensorDescriptor_t dyDesc, const void *dy, miopenTensorDescriptor_t xDesc,
    const void *x, miopenConvolutionDescriptor_t convDesc, miopenTensorDescriptor_t dwDesc, void *dw,
    void *workSpace, size_t workSpaceSize, const uint64_t solution_id
) noexcept nogil:
    cdef Problem q
    cdef miopenStatus_t status = describe(&q, MI_BACKWARD_WEIGHTS, handle, xDesc, dwDesc, dyDesc, convDesc)
    return status if status != miopenStatusSuccess else immediate(&q, x, dw, dy, workSpace, workSpaceSize, solution_id)


cdef public miopenStatus_t miopenFindConvolutionBackwardWeightsAlgorithm(
    miopenHandle_t handle, miopenTensorDescriptor_t dyDesc, const void *dy, miopenTensorDescriptor_t xDesc,
    const void *x, miopenConvolutionDescriptor_t convDesc, miopenTensorDescriptor_t dwDesc, void *dw,
    const int requestAlgoCount, int *returnedAlgoCount, miopenConvAlgoPerf_t *perfResults, void *workSpace,
    size_t workSpaceSize, mi_bool exhaustiveSearch
) noexcept nogil:
    cdef Problem q
    cdef miopenStatus_t status = describe(&q, MI_BACKWARD_WEIGHTS, handle, xDesc, dwDesc, dyDesc, convDesc)
    return status if status != miopenStatusSuccess else find(
        &q, handle, x, dw, dy, requestAlgoCount, returnedAlgoCount, perfResults, workSpace, workSpaceSize
    )


cdef public miopenStatus_t miopenConvolutionBackwardWeights(
    miopenHandle_t handle, const void *alpha, miopenTensorDescriptor_t dyDesc, const void *dy,
    miopenTensorDescriptor_t xDesc, const void *x, miopenConvolutionDescriptor_t convDesc, int algo,
    const void *beta, miopenTensorDescriptor_t dwDesc, void *dw, void *workSpace, size_t workSpaceSize
) noexcept nogil:
    cdef Problem q
    cdef miopenStatus_t status = describe(&q, MI_BACKWARD_WEIGHTS, handle, xDesc, dwDesc, dyDesc, convDesc)
    return status if status != miopenStatusSuccess else call(
        &q, handle, alpha, beta, algo, x, dw, dy, workSpace, workSpaceSize
    )


# ---- bias ----

cdef public miopenStatus_t miopenConvolutionForwardBias(
    miopenHandle_t handle, const void *alpha, miopenTensorDescriptor_t bDesc, const void *b, const void *beta,
    miopenTensorDescriptor_t yDesc, void *y
) noexcept nogil:
    """y ← α·y + α·b + β·y, so that α = 1 and β = 0 add the bias; MIOpen's OpTensor in other words. Not for bf16."""
    if not is_tensor(yDesc) or not is_tensor(bDesc):
        return miopenStatusBadParm
    if yDesc.type == miopenBFloat16 or bDesc.type == miopenBFloat16:
        return miopenStatusNotImplemented
    return miopenOpTensor(handle, miopenTensorOpAdd, alpha, yDesc, y, alpha, bDesc, b, beta, yDesc, y)


cdef struct Bias:
    int type
    int64_t n
    int64_t lens[3]
    int64_t steps[5]
    int64_t step     # of the result
    const void *dy
    void *db


cdef void bias_part(const Bias *t, int64_t begin, int64_t end, real *like) noexcept nogil:
    cdef const real *row
    cdef int64_t c, n, d, h, w
    cdef double total
    for c in range(begin, end):
        total = 0
        for n in range(t.n):
            for d in range(t.lens[0]):
                for h in range(t.lens[1]):
                    row = <const real *>t.dy + n * t.steps[0] + c * t.steps[1] + d * t.steps[2] + h * t.steps[3]
                    for w in range(t.lens[2]):
                        total += load(row[w * t.steps[4]])
        store(&(<real *>t.db)[c * t.step], total)


cdef void bias_job(void *context, int64_t begin, int64_t end) noexcept nogil:
    cdef const Bias *t = <const Bias *>context
    if t.type == miopenHalf:
        bias_part(t, begin, end, <mi_half *>NULL)
    elif t.type == miopenBFloat16:
        bias_part(t, begin, end, <mi_bfloat16 *>NULL)
    else:
        bias_part(t, begin, end, <float *>NULL)


cdef public miopenStatus_t miopenConvolutionBackwardBias(
    miopenHandle_t handle, const void *alpha, miopenTensorDescriptor_t dyDesc, const void *dy, const void *beta,
    miopenTensorDescriptor_t dbDesc, void *db
) noexcept nogil:
    """db: the sums of dy over all but its channels."""
    cdef Bias t
    if not is_handle(handle) or not is_tensor(dyDesc) or not is_tensor(dbDesc) or dy == NULL or db == NULL:
        return miopenStatusBadParm
    if dyDesc.dims < 3 or dyDesc.dims > 5 or dbDesc.dims < 2 or dyDesc.lens[1] != dbDesc.lens[1]:
        return miopenStatusBadParm
    if not plain_factors(alpha, beta):
        return miopenStatusUnknownError
    if dyDesc.type != dbDesc.type:
        return miopenStatusBadParm
    if dyDesc.type != miopenFloat and dyDesc.type != miopenHalf and dyDesc.type != miopenBFloat16:
        return miopenStatusNotImplemented
    t.type = dyDesc.type
    t.n = dyDesc.lens[0]
    put_tensor(t.lens, t.steps, dyDesc)
    t.step = dbDesc.strides[1]
    t.dy, t.db = dy, db
    mi_parallel(dyDesc.lens[1], 1, bias_job, &t)
    return miopenStatusSuccess
