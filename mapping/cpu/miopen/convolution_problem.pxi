# A convolution problem in mi_convolve's terms, its two solutions, and the calls once for the three directions.
#
# The solutions compute the same: a product over unrolled images, which wants the room for one unrolled image as its
# workspace, and a direct one, which wants none. The product is for tensors in the default layout only. A transposed
# convolution is the same problem with x and y changed over.

from libc.string cimport memset

cdef extern from "miopen.h" nogil:
    miopenStatus_t mi_convolve(const mi_problem *problem, void *x, void *w, void *y)

cdef enum:
    # the solvers' numbers in MIOpen: ConvDirectNaiveConvFwd, …Bwd and …Wrw follow each other, products do not
    DIRECT = 85
    PRODUCT = 91           # GemmFwdRest
    PRODUCT_DATA = 97      # GemmBwdRest
    PRODUCT_WEIGHTS = 102  # GemmWrwUniversal


cdef struct Problem:
    mi_problem p
    uint64_t digest      # of everything that makes it another problem
    int direction        # as the program called it
    bint swapped         # transposed: the program's x is mi_convolve's y
    bint product         # the product's solution can be used
    size_t workspace     # that it wants


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
        direction = (MI_BACKWARD_DATA if direction == MI_FORWARD else MI_FORWARD if direction == MI_BACKWARD_DATA
                     else direction)
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
    q.product = is_default_layout(x) and is_default_layout(w) and is_default_layout(y)
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


cdef miopenStatus_t compute(const Problem *q, void *x, void *w, void *y) noexcept nogil:
    return mi_convolve(&q.p, y, w, x) if q.swapped else mi_convolve(&q.p, x, w, y)


cdef inline uint64_t number_of(const Problem *q, bint product) noexcept nogil:
    if not product:
        return <uint64_t>(DIRECT + q.direction)
    return (PRODUCT if q.direction == MI_FORWARD else PRODUCT_DATA if q.direction == MI_BACKWARD_DATA
            else PRODUCT_WEIGHTS)


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


cdef bint lacks_workspace(const Problem *q, bint product, const void *workspace, size_t size) noexcept nogil:
    cdef size_t wanted = workspace_of(q, product)
    return wanted > 0 and (workspace == NULL or size < wanted)


cdef void use_workspace(const Problem *q, bint product, void *workspace) noexcept nogil:
    """The room must be there and ours: both its ends are written."""
    cdef size_t wanted = workspace_of(q, product), end = wanted if wanted < 64 else 64
    if wanted > 0:
        memset(workspace, 0xff, end)
        memset(<char *>workspace + wanted - end, 0xff, end)


cdef miopenStatus_t convolve(
    miopenHandle_t handle, const Problem *q, bint product, const void *x, const void *w, const void *y, void *workspace,
    size_t size
) noexcept nogil:
    """What has been checked, but for the workspace."""
    if lacks_workspace(q, product, workspace, size):
        return miopenStatusUnknownError
    if mi_recorded(handle):
        return convolve_record(handle, q, product, x, w, y, workspace, size)
    use_workspace(q, product, workspace)
    return compute(q, <void *>x, <void *>w, <void *>y)


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
    if x == NULL or w == NULL or y == NULL or returned == NULL or results == NULL or request < 1:
        return miopenStatusBadParm
    if mi_refused(handle):
        return miopenStatusUnknownError
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
        if lacks_workspace(q, product, workspace, size):
            return miopenStatusUnknownError
        use_workspace(q, product, workspace)
    returned[0] = count
    return compute(q, <void *>x, <void *>w, <void *>y)


cdef miopenStatus_t call(
    const Problem *q, miopenHandle_t handle, const void *alpha, const void *beta, int algorithm, const void *x,
    const void *w, const void *y, void *workspace, size_t size
) noexcept nogil:
    cdef bint product = algorithm == miopenConvolutionAlgoGEMM
    if x == NULL or w == NULL or y == NULL or alpha == NULL or beta == NULL:
        return miopenStatusBadParm
    if not plain_factors(alpha, beta):
        # 3-D problems have solvers for other factors on some cards, but no Find… of theirs.
        return miopenStatusUnknownError if q.p.x_lens[0] > 1 or q.p.w_lens[0] > 1 else miopenStatusNotImplemented
    if not product and algorithm != miopenConvolutionAlgoDirect:
        return miopenStatusUnknownError
    if not mi_find(handle, mix(q.digest, 0 if product else 1) | 1):
        return miopenStatusUnknownError  # "No invoker was registered … Was find executed?"
    return convolve(handle, q, product, x, w, y, workspace, size)


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
    miopenHandle_t handle, const Problem *q, const void *x, const void *w, const void *y, void *workspace, size_t size,
    uint64_t solution
) noexcept nogil:
    if x == NULL or w == NULL or y == NULL or not is_solution(q, solution):
        return miopenStatusBadParm
    return convolve(handle, q, solution >= PRODUCT, x, w, y, workspace, size)
