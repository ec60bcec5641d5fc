# The shapes of code that a generated chapter has: every one of them once.
from libc.stdint cimport int32_t, int64_t

cdef extern from "sample.h":
    """
    static const int8_t sample_statuses[4] = {0, 3, 7, 15};
    """
    const signed char sample_statuses[4]
    ctypedef struct sample_pair:
        int32_t x
        int32_t y
    ctypedef struct sample_large:
        int64_t first
        int64_t second
        double third
    ctypedef int (*sample_callback)(void *context, int value) noexcept nogil
    int (*sample_backend_gemm)(void *, int, int, int64_t, int64_t, int64_t, const float *, const float *, int64_t,
                               const float *, int64_t, const float *, float *, int64_t) noexcept nogil
    int sample_refused() noexcept nogil

include "limits.pxi"

cdef int calls  # no value at module level: it would be lost


cdef public sample_pair sample_swap(sample_pair pair) noexcept nogil:
    cdef sample_pair swapped
    swapped.x = pair.y
    swapped.y = pair.x
    return swapped


cdef public sample_large sample_double(sample_large value) noexcept nogil:
    value.first *= 2
    value.second *= 2
    value.third *= 2
    return value


cdef public int sample_status(unsigned int code) noexcept nogil:
    return sample_statuses[code] if code < 4 else UNKNOWN


cdef public int sample_each(sample_callback callback, void *context, int count) noexcept nogil:
    cdef int i
    cdef int total = 0
    for i in range(count):
        total += callback(context, i)
    return total


cdef public int sample_count() noexcept nogil:
    global calls
    calls += 1
    return calls


cdef public int sample_gemm(void *handle, int transa, int transb, int64_t m, int64_t n, int64_t k,
                            const float *alpha, const float *a, int64_t lda, const float *b, int64_t ldb,
                            const float *beta, float *c, int64_t ldc) noexcept nogil:
    if handle == NULL or <unsigned int>transa > 2 or <unsigned int>transb > 2:
        return sample_gemm_cold(handle, transa, transb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc)
    cdef int status = sample_backend_gemm(handle, transa + 111, transb + 111, m, n, k, alpha, a, lda, b, ldb, beta,
                                          c, ldc)
    return status if status == 0 else sample_status(status)


# Its cold twin lies in the same file; the header keeps it hidden and out of the way.
cdef public int sample_gemm_cold(void *handle, int transa, int transb, int64_t m, int64_t n, int64_t k,
                                 const float *alpha, const float *a, int64_t lda, const float *b, int64_t ldb,
                                 const float *beta, float *c, int64_t ldc) noexcept nogil:
    return sample_refused()
