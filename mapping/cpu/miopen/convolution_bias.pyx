# cython: language_level=3, cdivision=True, boundscheck=False, wraparound=False
"""The bias of a convolution: added, and its gradient."""
include "miopen.pxi"
include "shared.pxi"
include "elements.pxi"
include "convolution_shapes.pxi"

cdef extern from "miopen.h" nogil:
    miopenStatus_t miopenOpTensor(
        miopenHandle_t handle, int tensorOp, const void *alpha1, miopenTensorDescriptor_t aDesc, const void *A,
        const void *alpha2, miopenTensorDescriptor_t bDesc, const void *B, const void *beta,
        miopenTensorDescriptor_t cDesc, void *C
    )


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
    return mi_work(handle, dyDesc.lens[1], 1, bias_job, &t, sizeof(t))
