# Functions of the driver by name. Included by initialise.pxi, before12.pxi and since12.pxi. No call of HIP is made.


cdef inline CUresult proc_address_v2(
    const char *symbol, void **function, int version, uint64_t flags, void *found
) noexcept nogil:
    """An unknown name gives no function, and `found` (an int; CUDA 12 has an enumeration for it) says why. Only who
    does not ask why gets NOT_FOUND."""
    cdef int why = 1
    if symbol == NULL or function == NULL or flags > 2:
        return CUDA_ERROR_INVALID_VALUE
    function[0] = cuda_function(symbol, version, flags, &why)
    if found != NULL:
        (<int *>found)[0] = why
        return CUDA_SUCCESS
    return CUDA_SUCCESS if function[0] != NULL else CUDA_ERROR_NOT_FOUND
