/* OpenBLAS's C interface, as the scipy-openblas64 build names it: scipy_cblas_sgemm64_, sizes of 64 bits.
 *
 * Complex scalars and arrays are passed as void *. Only what the CPU backend calls is declared.
 */
#ifndef DRAGOMAN_CPU_OPENBLAS_H
#define DRAGOMAN_CPU_OPENBLAS_H
#include <stdint.h>

#define CBLAS(name) scipy_cblas_##name##64_
typedef int64_t cblas_int;
enum { CBLAS_COLUMNS = 102 };

/* Both real types; then both complex ones, whose scalars S come by pointer. */
#define CBLAS_REAL(declare) declare(s, float, float) declare(d, double, double)
#define CBLAS_COMPLEX(declare) declare(c, void, const void *) declare(z, void, const void *)
#define CBLAS_ALL(declare) CBLAS_REAL(declare) CBLAS_COMPLEX(declare)

/* ---- level 1 ---- */
#define CBLAS_LEVEL1(t, T, S)                                                                        \
    void CBLAS(t##axpy)(cblas_int n, S alpha, const T *x, cblas_int incx, T *y, cblas_int incy);     \
    void CBLAS(t##copy)(cblas_int n, const T *x, cblas_int incx, T *y, cblas_int incy);              \
    void CBLAS(t##swap)(cblas_int n, T *x, cblas_int incx, T *y, cblas_int incy);
CBLAS_ALL(CBLAS_LEVEL1)

float CBLAS(sdot)(cblas_int n, const float *x, cblas_int incx, const float *y, cblas_int incy);
double CBLAS(ddot)(cblas_int n, const double *x, cblas_int incx, const double *y, cblas_int incy);
float CBLAS(sasum)(cblas_int n, const float *x, cblas_int incx);
double CBLAS(dasum)(cblas_int n, const double *x, cblas_int incx);
float CBLAS(scasum)(cblas_int n, const void *x, cblas_int incx);
double CBLAS(dzasum)(cblas_int n, const void *x, cblas_int incx);
#define CBLAS_DOT(t, T, S)                                                                                       \
    void CBLAS(t##dotu_sub)(cblas_int n, const T *x, cblas_int incx, const T *y, cblas_int incy, T *result);     \
    void CBLAS(t##dotc_sub)(cblas_int n, const T *x, cblas_int incx, const T *y, cblas_int incy, T *result);
CBLAS_COMPLEX(CBLAS_DOT)

/* ---- level 2 ---- */
#define CBLAS_LEVEL2(t, T, S)                                                                                        \
    void CBLAS(t##gemv)(int order, int trans, cblas_int m, cblas_int n, S alpha, const T *a, cblas_int lda,          \
                        const T *x, cblas_int incx, S beta, T *y, cblas_int incy);                                   \
    void CBLAS(t##gbmv)(int order, int trans, cblas_int m, cblas_int n, cblas_int kl, cblas_int ku, S alpha,         \
                        const T *a, cblas_int lda, const T *x, cblas_int incx, S beta, T *y, cblas_int incy);        \
    void CBLAS(t##trmv)(int order, int uplo, int trans, int diag, cblas_int n, const T *a, cblas_int lda, T *x,      \
                        cblas_int incx);                                                                             \
    void CBLAS(t##trsv)(int order, int uplo, int trans, int diag, cblas_int n, const T *a, cblas_int lda, T *x,      \
                        cblas_int incx);                                                                             \
    void CBLAS(t##tbmv)(int order, int uplo, int trans, int diag, cblas_int n, cblas_int k, const T *a,              \
                        cblas_int lda, T *x, cblas_int incx);                                                        \
    void CBLAS(t##tbsv)(int order, int uplo, int trans, int diag, cblas_int n, cblas_int k, const T *a,              \
                        cblas_int lda, T *x, cblas_int incx);                                                        \
    void CBLAS(t##tpmv)(int order, int uplo, int trans, int diag, cblas_int n, const T *ap, T *x, cblas_int incx);   \
    void CBLAS(t##tpsv)(int order, int uplo, int trans, int diag, cblas_int n, const T *ap, T *x, cblas_int incx);
CBLAS_ALL(CBLAS_LEVEL2)

/* The same three shapes under a symmetric (sy, real) and a Hermitian (he) name. */
#define CBLAS_SYMMETRIC(t, T, S, dense, band, packed)                                                               \
    void CBLAS(t##dense)(int order, int uplo, cblas_int n, S alpha, const T *a, cblas_int lda, const T *x,          \
                         cblas_int incx, S beta, T *y, cblas_int incy);                                             \
    void CBLAS(t##band)(int order, int uplo, cblas_int n, cblas_int k, S alpha, const T *a, cblas_int lda,          \
                        const T *x, cblas_int incx, S beta, T *y, cblas_int incy);                                  \
    void CBLAS(t##packed)(int order, int uplo, cblas_int n, S alpha, const T *ap, const T *x, cblas_int incx,       \
                          S beta, T *y, cblas_int incy);
#define CBLAS_SY(t, T, S) CBLAS_SYMMETRIC(t, T, S, symv, sbmv, spmv)
#define CBLAS_HE(t, T, S) CBLAS_SYMMETRIC(t, T, S, hemv, hbmv, hpmv)
CBLAS_REAL(CBLAS_SY)
CBLAS_COMPLEX(CBLAS_HE)

/* ---- level 3 ---- */
#define CBLAS_LEVEL3(t, T, S)                                                                                        \
    void CBLAS(t##gemm)(int order, int transa, int transb, cblas_int m, cblas_int n, cblas_int k, S alpha,           \
                        const T *a, cblas_int lda, const T *b, cblas_int ldb, S beta, T *c, cblas_int ldc);          \
    void CBLAS(t##symm)(int order, int side, int uplo, cblas_int m, cblas_int n, S alpha, const T *a, cblas_int lda, \
                        const T *b, cblas_int ldb, S beta, T *c, cblas_int ldc);                                     \
    void CBLAS(t##syrk)(int order, int uplo, int trans, cblas_int n, cblas_int k, S alpha, const T *a,               \
                        cblas_int lda, S beta, T *c, cblas_int ldc);                                                 \
    void CBLAS(t##syr2k)(int order, int uplo, int trans, cblas_int n, cblas_int k, S alpha, const T *a,              \
                         cblas_int lda, const T *b, cblas_int ldb, S beta, T *c, cblas_int ldc);                     \
    void CBLAS(t##trmm)(int order, int side, int uplo, int trans, int diag, cblas_int m, cblas_int n, S alpha,       \
                        const T *a, cblas_int lda, T *b, cblas_int ldb);                                             \
    void CBLAS(t##trsm)(int order, int side, int uplo, int trans, int diag, cblas_int m, cblas_int n, S alpha,       \
                        const T *a, cblas_int lda, T *b, cblas_int ldb);
CBLAS_ALL(CBLAS_LEVEL3)

/* Hermitian updates: real factors come by value. */
#define CBLAS_HERMITIAN(t, R)                                                                                        \
    void CBLAS(t##hemm)(int order, int side, int uplo, cblas_int m, cblas_int n, const void *alpha, const void *a,   \
                        cblas_int lda, const void *b, cblas_int ldb, const void *beta, void *c, cblas_int ldc);      \
    void CBLAS(t##herk)(int order, int uplo, int trans, cblas_int n, cblas_int k, R alpha, const void *a,            \
                        cblas_int lda, R beta, void *c, cblas_int ldc);                                              \
    void CBLAS(t##her2k)(int order, int uplo, int trans, cblas_int n, cblas_int k, const void *alpha, const void *a, \
                         cblas_int lda, const void *b, cblas_int ldb, R beta, void *c, cblas_int ldc);
CBLAS_HERMITIAN(c, float)
CBLAS_HERMITIAN(z, double)
#endif
