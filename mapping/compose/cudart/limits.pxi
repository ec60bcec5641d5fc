# Limits of code on the device (limits.h). Included by the device blocks of the runtime and of the driver.

cdef extern from "cudart/limits.h" nogil:
    enum:
        DG_LIMITS, DG_CACHE_SPLIT, DG_LIMITS_OF_HIP, DG_LIMIT_FETCH, DG_LIMIT_FETCH_MOST
    uint64_t dg_limit_default(unsigned int limit)
    int dg_limit_kept(int device, unsigned int limit, uint64_t *value)
    void dg_limit_keep(int device, unsigned int limit, uint64_t value, int keep)
    void dg_limits_forget(int device)


cdef inline uint32_t limit_get(size_t *value, unsigned int limit) noexcept nogil:
    """HIP's status: 1 for a number that is no limit."""
    cdef int device = 0
    cdef uint64_t kept = 0
    cdef uint32_t error
    if value == NULL or limit >= <unsigned int>DG_LIMITS:
        return hipErrorInvalidValue
    error = dg_hip.hipGetDevice(&device)
    if error != 0:
        return error
    if not dg_limit_kept(device, limit, &kept):
        if limit < <unsigned int>DG_LIMITS_OF_HIP and dg_hip.hipDeviceGetLimit(value, limit) == 0:
            return 0
        kept = dg_limit_default(limit)
        dg_hip.hipGetLastError()
    value[0] = <size_t>kept
    return 0


cdef inline uint32_t limit_set(unsigned int limit, size_t value) noexcept nogil:
    cdef int device = 0
    cdef bint by_hip
    cdef uint32_t error
    if limit >= <unsigned int>DG_LIMITS or (limit == <unsigned int>DG_LIMIT_FETCH
                                            and value > <size_t>DG_LIMIT_FETCH_MOST):
        return hipErrorInvalidValue
    error = dg_hip.hipGetDevice(&device)
    if error != 0:
        return error
    by_hip = limit < <unsigned int>DG_LIMITS_OF_HIP and dg_hip.hipDeviceSetLimit(limit, value) == 0
    if not by_hip:
        dg_hip.hipGetLastError()
    dg_limit_keep(device, limit, <uint64_t>value, not by_hip)
    return 0


cdef inline uint32_t split_get(uint32_t *config) noexcept nogil:
    """The preferred split between cache and shared memory, 0 to 3: none, shared, cache, equal. It is told
    back, no more."""
    cdef int device = 0
    cdef uint64_t kept = 0
    cdef uint32_t error
    if config == NULL:
        return hipErrorInvalidValue
    error = dg_hip.hipGetDevice(&device)
    if error == 0:
        dg_limit_kept(device, DG_CACHE_SPLIT, &kept)
        config[0] = <uint32_t>kept
    return error


cdef inline uint32_t split_set(uint32_t config) noexcept nogil:
    cdef int device = 0
    cdef uint32_t error
    if config > 3:
        return hipErrorInvalidValue
    error = dg_hip.hipGetDevice(&device)
    if error == 0:
        dg_limit_keep(device, DG_CACHE_SPLIT, config, 1)
    return error
