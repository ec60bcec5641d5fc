# cython: language_level=3, cdivision=True, boundscheck=False, wraparound=False
"""Convolutions of the CPU backend's MIOpen under MIOpen's names: Find…, the immediate mode and the calls, in three
directions.

Outside the immediate mode a convolution runs after a Find… on the same handle with the same descriptors, else MIOpen
answers `UnknownError`. What is done stands in convolution_problem.pxi.
"""
include "miopen.pxi"
include "shared.pxi"
include "convolution_shapes.pxi"
include "convolution_problem.pxi"


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
    return status if status != miopenStatusSuccess else miopenStatusSuccess if is_solution(&q,
        solution_id) else miopenStatusBadParm


cdef public miopenStatus_t miopenConvolutionForwardImmediate(
    miopenHandle_t handle, miopenTensorDescriptor_t wDesc, const void *w, miopenTensorDescriptor_t xDesc,
    const void *x, miopenConvolutionDescriptor_t convDesc, miopenTensorDescriptor_t yDesc, void *y, void *workSpace,
    size_t workSpaceSize, const uint64_t solution_id
) noexcept nogil:
    cdef Problem q
    cdef miopenStatus_t status = describe(&q, MI_FORWARD, handle, xDesc, wDesc, yDesc, convDesc)
    return status if status != miopenStatusSuccess else immediate(handle, &q, x, w, y, workSpace, workSpaceSize,
                                                                  solution_id)


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
    return status if status != miopenStatusSuccess else miopenStatusSuccess if is_solution(&q,
        solution_id) else miopenStatusBadParm


cdef public miopenStatus_t miopenConvolutionBackwardDataImmediate(
    miopenHandle_t handle, miopenTensorDescriptor_t dyDesc, const void *dy, miopenTensorDescriptor_t wDesc,
    const void *w, miopenConvolutionDescriptor_t convDesc, miopenTensorDescriptor_t dxDesc, void *dx,
    void *workSpace, size_t workSpaceSize, const uint64_t solution_id
) noexcept nogil:
    cdef Problem q
    cdef miopenStatus_t status = describe(&q, MI_BACKWARD_DATA, handle, dxDesc, wDesc, dyDesc, convDesc)
    return status if status != miopenStatusSuccess else immediate(handle, &q, dx, w, dy, workSpace, workSpaceSize,
                                                                  solution_id)


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
    return status if status != miopenStatusSuccess else miopenStatusSuccess if is_solution(&q,
        solution_id) else miopenStatusBadParm


cdef public miopenStatus_t miopenConvolutionBackwardWeightsImmediate(
    miopenHandle_t handle, miopenTensorDescriptor_t dyDesc, const void *dy, miopenTensorDescriptor_t xDesc,
    const void *x, miopenConvolutionDescriptor_t convDesc, miopenTensorDescriptor_t dwDesc, void *dw,
    void *workSpace, size_t workSpaceSize, const uint64_t solution_id
) noexcept nogil:
    cdef Problem q
    cdef miopenStatus_t status = describe(&q, MI_BACKWARD_WEIGHTS, handle, xDesc, dwDesc, dyDesc, convDesc)
    return status if status != miopenStatusSuccess else immediate(handle, &q, x, dw, dy, workSpace, workSpaceSize,
                                                                  solution_id)


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


include "convolution_record.pxi"
