# What needs no kernel of the functions about kernels.
include "common.pxi"


cdef inline cudaError_t nothing_to_convert(double *d) noexcept nogil:
    return cudaSuccess if d != NULL else refused(cudaErrorInvalidValue)
