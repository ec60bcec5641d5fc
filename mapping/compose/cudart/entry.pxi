# Functions of the driver by name, from our own libcuda beside this library. Included by internal.pxi and since12.pxi.


cdef inline cudaError_t driver_entry(
    const char *name, void **function, unsigned int version, unsigned long long flags,
    cudaDriverEntryPointQueryResult *found
) noexcept nogil:
    """Success in either case: `found` says whether there is such a function (0), none (1), or a newer one only (2)."""
    cdef int result = 1
    if name == NULL or function == NULL or flags > 2 or version > <unsigned int>dg_version:
        return refused(cudaErrorInvalidValue)
    cudart_driver(name, function, <int>version, flags, &result)
    if found != NULL:
        found[0] = <cudaDriverEntryPointQueryResult>result
    return cudaSuccess
