# Softmax. Blocks of tables/cudnn/softmax.yaml. MIOpen takes alpha and beta here as they are.

include "common.pxi"
include "amd.pxi"
include "packed.pxi"

cdef extern from "support.h" nogil:
    uint32_t dnn_doubles_softmax(dnn_handle *h, int algorithm, int64_t images, int64_t count, int64_t step,
                                 double scale, const double *y, double *x)


cdef cudnnStatus_t softmax_checked(uint32_t algorithm, uint32_t mode, const dnn_tensor *a,
        const dnn_tensor *b) noexcept nogil:
    if bad_dnn_softmax_algorithm(algorithm):
        return bad(b"algo is no algorithm of softmax")
    if bad_dnn_softmax_mode(mode):
        return bad(b"mode is neither INSTANCE nor CHANNEL")
    if not same_sizes(a, b) or a.type != b.type:
        return bad(b"the tensors differ in sizes or type")
    if not is_float_type(a.type):
        return cannot(b"a softmax of integers, which MIOpen does not have")
    return CUDNN_STATUS_SUCCESS


cdef bint in_four(const dnn_tensor *d, dnn_tensor *four) noexcept nogil:
    """MIOpen's softmax knows N, C, H, W: further dimensions join the third where they lie one behind the other."""
    cdef int i
    memset(four, 0, sizeof(dnn_tensor))
    four.type = d.type
    four.count = 4
    for i in range(4):
        four.dim[i] = d.dim[i] if i < d.count else 1
        four.stride[i] = d.stride[i] if i < d.count else 1
    for i in range(4, d.count):
        if four.dim[3] == 1:
            four.dim[3] = d.dim[i]
            four.stride[3] = d.stride[i]
        elif d.dim[i] != 1:
            if four.dim[2] != 1 and four.stride[2] != four.stride[3] * four.dim[3]:
                return False
            four.stride[2] = four.stride[3]
            four.dim[2] *= four.dim[3]
            four.dim[3] = d.dim[i]
            four.stride[3] = d.stride[i]
    return True


cdef cudnnStatus_t softmax_of_copies(dnn_handle *h, uint32_t algorithm, uint32_t mode, double alpha, int inputs,
        dnn_tensor **given, const void **from_, double beta, dnn_tensor *yd, void *y) noexcept nogil:
    """For layouts that do not fit four dimensions and types that MIOpen has not: packed copies, and the result blended
    into y. bfloat16 goes through float, doubles through the host."""
    cdef dnn_tensor packed
    cdef dnn_tensor four
    cdef void *amd
    cdef char *memory
    cdef size_t bytes
    cdef float one = 1
    cdef float zero = 0
    cdef uint32_t status
    cdef char *work
    cdef int64_t channels, rest
    cdef int i
    dnn_packed(yd, CUDNN_DATA_FLOAT if yd.type == CUDNN_DATA_BFLOAT16 else yd.type, &packed)
    in_four(&packed, &four)
    bytes = rounded(dnn_bytes(&packed))
    work = <char *>dnn_scratch(h, DNN_WORK + bytes * <size_t>(inputs + 1))
    if work is NULL:
        return dnn_because(CUDNN_STATUS_ALLOC_FAILED, b"no memory for packed copies")
    memory = work + DNN_WORK
    for i in range(inputs):
        status = dnn_moved(h, work, 1, given[i], from_[i], 0, &packed, memory + <size_t>i * bytes)
        if status != 0:
            return status
    if yd.type == CUDNN_DATA_DOUBLE:
        channels = four.dim[1]
        rest = <int64_t>four.dim[2] * four.dim[3]
        if mode == <uint32_t>CUDNN_SOFTMAX_MODE_INSTANCE:
            channels *= rest
            rest = 1
        status = dnn_doubles_softmax(
            h, <int>to_dnn_softmax_algorithm(algorithm), four.dim[0], channels, rest, 1,
            <const double *>memory if inputs == 2 else NULL, <double *>(memory + <size_t>(inputs - 1) * bytes))
        return status if status != 0 else dnn_moved(h, work, alpha, &packed, memory + <size_t>(inputs - 1) * bytes,
                                                    beta, yd, y)
    amd = dnn_amd_shape(h, four.type, 4, four.dim, four.stride)
    if amd is NULL:
        return CUDNN_STATUS_NOT_SUPPORTED
    status = amd_softmax(h, algorithm, mode, &one, inputs, amd, memory, amd, memory + bytes, &zero, amd,
                         memory + <size_t>inputs * bytes)
    if status != 0:
        return status
    if packed.type != yd.type:
        return dnn_moved(h, work, alpha, &packed, memory + <size_t>inputs * bytes, beta, yd, y)
    if beta == 0 and alpha == 1:
        return dnn_copy(h, &packed, memory + <size_t>inputs * bytes, yd, y)
    if beta == 0:
        status = dnn_scale(h, &packed, alpha, memory + <size_t>inputs * bytes)
        return status if status != 0 else dnn_copy(h, &packed, memory + <size_t>inputs * bytes, yd, y)
    return dnn_op_tensor(h, miopenTensorOpAdd, alpha, &packed, memory + <size_t>inputs * bytes, beta, yd, y, 0, yd, y)


cdef cudnnStatus_t amd_softmax(dnn_handle *h, uint32_t algorithm, uint32_t mode, const void *alpha, int inputs,
        void *xd, const void *x, void *dyd, const void *dy, const void *beta, void *yd, void *y) noexcept nogil:
    """One input: forward; two, the forward's output and the gradient: backward."""
    if inputs == 1:
        return answered(dg_miopen.miopenSoftmaxForward_V2(
            <miopenHandle_t>h.amd, alpha, <miopenTensorDescriptor_t>xd, x, beta, <miopenTensorDescriptor_t>yd, y,
            <miopenSoftmaxAlgorithm_t>to_dnn_softmax_algorithm(algorithm),
            <miopenSoftmaxMode_t>to_dnn_softmax_mode(mode)), b"miopenSoftmaxForward_V2")
    return answered(dg_miopen.miopenSoftmaxBackward_V2(
        <miopenHandle_t>h.amd, alpha, <miopenTensorDescriptor_t>xd, x, <miopenTensorDescriptor_t>dyd, dy, beta,
        <miopenTensorDescriptor_t>yd, y, <miopenSoftmaxAlgorithm_t>to_dnn_softmax_algorithm(algorithm),
        <miopenSoftmaxMode_t>to_dnn_softmax_mode(mode)), b"miopenSoftmaxBackward_V2")


cdef cudnnStatus_t softmax(dnn_handle *h, uint32_t algorithm, uint32_t mode, const void *alpha, int inputs,
        dnn_tensor **given, const void **from_, const void *beta, dnn_tensor *yd, void *y) noexcept nogil:
    cdef dnn_tensor four[3]
    cdef void *amd[3]
    cdef bint fits
    cdef bint own = yd.type == CUDNN_DATA_FLOAT or yd.type == CUDNN_DATA_HALF
    cdef int i
    if yd.count < 3:
        return bad(b"a tensor of fewer than 3 dimensions")
    # as they are: what the descriptors remember serves
    if own and yd.count == 4 and given[0].count == 4 and given[1].count == 4:
        amd[0] = dnn_amd_tensor(h, given[0])
        amd[1] = dnn_amd_tensor(h, given[1])
        amd[2] = dnn_amd_tensor(h, yd)
        if amd[0] is NULL or amd[1] is NULL or amd[2] is NULL:
            return CUDNN_STATUS_NOT_SUPPORTED
        return amd_softmax(h, algorithm, mode, alpha, inputs, amd[0], from_[0], amd[1], from_[1], beta, amd[2], y)
    fits = in_four(yd, &four[2])
    for i in range(inputs):
        fits = in_four(given[i], &four[i]) and fits
    if not fits or not own:
        return softmax_of_copies(h, algorithm, mode, dnn_factor(yd.type, alpha), inputs, given, from_,
                                 dnn_factor(yd.type, beta), yd, y)
    for i in range(3):
        if i < inputs or i == 2:
            amd[i] = dnn_amd_shape(h, four[i].type, 4, four[i].dim, four[i].stride)
            if amd[i] is NULL:
                return CUDNN_STATUS_NOT_SUPPORTED
    return amd_softmax(h, algorithm, mode, alpha, inputs, amd[0], from_[0], amd[1], from_[1], beta, amd[2], y)


cdef public cudnnStatus_t softmax_forward(dnn_handle *h, cudnnSoftmaxAlgorithm_t algorithm, cudnnSoftmaxMode_t mode,
        const void *alpha, dnn_tensor *xd, const void *x, const void *beta, dnn_tensor *yd, void *y) noexcept nogil:
    cdef dnn_tensor *given[2]
    cdef const void *from_[2]
    cdef cudnnStatus_t status = softmax_checked(algorithm, mode, xd, yd)
    if status != CUDNN_STATUS_SUCCESS:
        return status
    if x is NULL or y is NULL or alpha is NULL or beta is NULL:
        return bad(b"x, y, alpha or beta is NULL")
    given[0] = given[1] = xd
    from_[0] = from_[1] = x
    return softmax(h, algorithm, mode, alpha, 1, given, from_, beta, yd, y)


cdef public cudnnStatus_t softmax_backward(dnn_handle *h, cudnnSoftmaxAlgorithm_t algorithm, cudnnSoftmaxMode_t mode,
        const void *alpha, dnn_tensor *yd, const void *y, dnn_tensor *dyd, const void *dy, const void *beta,
        dnn_tensor *dxd, void *dx) noexcept nogil:
    cdef dnn_tensor *given[2]
    cdef const void *from_[2]
    cdef cudnnStatus_t status = softmax_checked(algorithm, mode, yd, dyd)
    if status == CUDNN_STATUS_SUCCESS:
        status = softmax_checked(algorithm, mode, yd, dxd)
    if status != CUDNN_STATUS_SUCCESS:
        return status
    if y is NULL or dy is NULL or dx is NULL or alpha is NULL or beta is NULL:
        return bad(b"y, dy, dx, alpha or beta is NULL")
    given[0] = yd
    given[1] = dyd
    from_[0] = y
    from_[1] = dy
    return softmax(h, algorithm, mode, alpha, 2, given, from_, beta, dxd, dx)
