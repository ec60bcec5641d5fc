# OpenBLAS's products for Cython.
from libc.stdint cimport int64_t

cdef extern from "openblas.h" nogil:
    enum:
        CBLAS_COLUMNS
    void scipy_cblas_sgemm64_(
        int order, int transa, int transb, int64_t m, int64_t n, int64_t k, float alpha, const float *a, int64_t lda,
        const float *b, int64_t ldb, float beta, float *c, int64_t ldc
    )
    void scipy_cblas_dgemm64_(
        int order, int transa, int transb, int64_t m, int64_t n, int64_t k, double alpha, const double *a, int64_t lda,
        const double *b, int64_t ldb, double beta, double *c, int64_t ldc
    )
