# Launch sizes: kept and given back, so that a program gets as far as the launch, which says what to do.
include "common.pxi"


cdef inline cudaError_t nothing_to_convert(double *d) noexcept nogil:
    return cudaSuccess if d != NULL else refused(cudaErrorInvalidValue)


cdef inline unsigned int push_configuration(dim3 grid, dim3 block, size_t shared, CUstream_st *stream) noexcept nogil:
    """0 is success: the stub that nvcc makes calls the launch only then."""
    return 0 if cudart_push(grid, block, shared, <void *>stream) else 1


cdef inline cudaError_t pop_configuration(dim3 *grid, dim3 *block, size_t *shared, void *stream) noexcept nogil:
    if not cudart_pop(grid, block, shared, <void **>stream):
        return refused(cudaErrorMissingConfiguration)
    return cudaSuccess
