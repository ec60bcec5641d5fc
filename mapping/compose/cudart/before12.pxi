# Functions whose parameters changed with CUDA 12, as CUDA 11 has them.
include "common.pxi"


cdef inline cudaError_t entry_point_11(const char *name, void **function, unsigned long long flags) noexcept nogil:
    """CUDA 11 says by its status that there is no such function, and leaves the pointer alone."""
    cdef void *address = NULL
    cdef int found = 1
    if name == NULL or function == NULL or flags > 2:
        return refused(cudaErrorInvalidValue)
    if not cudart_driver(name, &address, dg_version, flags, &found):
        return refused(cudaErrorSymbolNotFound)
    function[0] = address
    return cudaSuccess
