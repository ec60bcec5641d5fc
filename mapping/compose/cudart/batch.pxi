# Copies in batches, one after the other. Included by before13.pxi and since13.pxi.


cdef inline cudaError_t copy_all(
    void **dsts, void **srcs, const size_t *sizes, size_t count, size_t *failed, cudaStream_t stream
) noexcept nogil:
    cdef size_t i
    cdef cudaError_t status = cudaSuccess
    if dsts == NULL or srcs == NULL or sizes == NULL or count == 0:
        return refused(cudaErrorInvalidValue)
    for i in range(count):
        status = of_hip(dg_hip.hipMemcpyAsync(dsts[i], srcs[i], sizes[i], cudaMemcpyDefault, stream))
        if status != cudaSuccess:
            failed[0] = i
            break
    return status
