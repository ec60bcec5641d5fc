# Factors and results of our own beside the program's pointer mode.

cdef inline void host_scalars(dg_blas *h, bint on) noexcept nogil:
    """Our own factors lie in host memory, whatever the program's pointer mode is."""
    if h.pointer_mode != CUBLAS_POINTER_MODE_HOST:
        dg_rocblas.rocblas_set_pointer_mode(
            h.blas, rocblas_pointer_mode_host if on else to_pointer_mode(<uint32_t>h.pointer_mode))
