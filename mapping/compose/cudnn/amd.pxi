# What a block needs that calls MIOpen (support.h); the pieces themselves include these one by one, without their own.

include "memory.pxi"
include "cached.pxi"
include "blend.pxi"
include "drop.pxi"

cdef extern from "support.h" nogil:
    void *dnn_blas(dnn_handle *h)
    uint32_t dnn_gemm(dnn_handle *h, int type, int turns_a, int turns_b, int64_t m, int64_t n, int64_t k, double alpha,
                      const void *a, int64_t lda, int64_t next_a, const void *b, int64_t ldb, int64_t next_b,
                      double beta, void *c, int64_t ldc, int64_t next_c, int count)


cdef inline bint same_sizes(const dnn_tensor *a, const dnn_tensor *b) noexcept nogil:
    cdef int i
    if a.count != b.count or a.count == 0:
        return False
    for i in range(a.count):
        if a.dim[i] != b.dim[i]:
            return False
    return True
