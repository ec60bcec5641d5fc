/* LAPACK as the scipy-openblas64 build names it: scipy_sgetrf_64_, Fortran's calling convention, sizes of 64 bits.
 *
 * Each routine is one function here that takes the type as a letter: the caller knows it when it is compiled, so the
 * switch is gone afterwards. Arguments go by value, letters and sizes alike; Fortran gets their addresses, and the
 * lengths of letters behind them.
 */
#ifndef DRAGOMAN_CPU_LAPACK_H
#define DRAGOMAN_CPU_LAPACK_H
#include <stddef.h>
#include <stdint.h>

typedef int64_t lapack_int;

#define LAPACK(t, routine) scipy_##t##routine##_64_
#define LAPACK_EACH(routine, ...)              \
    void LAPACK(s, routine)(__VA_ARGS__);      \
    void LAPACK(d, routine)(__VA_ARGS__);      \
    void LAPACK(c, routine)(__VA_ARGS__);      \
    void LAPACK(z, routine)(__VA_ARGS__);
/* Orthogonal matrices of real data are unitary ones of complex data. */
#define LAPACK_UNITARY(real, complex, ...)     \
    void LAPACK(s, real)(__VA_ARGS__);         \
    void LAPACK(d, real)(__VA_ARGS__);         \
    void LAPACK(c, complex)(__VA_ARGS__);      \
    void LAPACK(z, complex)(__VA_ARGS__);
#define LAPACK_CALL(t, real, complex, ...)                         \
    switch (t) {                                                   \
    case 's': LAPACK(s, real)(__VA_ARGS__); break;                 \
    case 'd': LAPACK(d, real)(__VA_ARGS__); break;                 \
    case 'c': LAPACK(c, complex)(__VA_ARGS__); break;              \
    default: LAPACK(z, complex)(__VA_ARGS__); break;               \
    }

LAPACK_EACH(getrf, const lapack_int *m, const lapack_int *n, void *a, const lapack_int *lda, lapack_int *ipiv,
            lapack_int *info)
LAPACK_EACH(getri, const lapack_int *n, void *a, const lapack_int *lda, const lapack_int *ipiv, void *work,
            const lapack_int *lwork, lapack_int *info)
LAPACK_EACH(getrs, const char *trans, const lapack_int *n, const lapack_int *nrhs, const void *a, const lapack_int *lda,
            const lapack_int *ipiv, void *b, const lapack_int *ldb, lapack_int *info, size_t)
LAPACK_EACH(geqrf, const lapack_int *m, const lapack_int *n, void *a, const lapack_int *lda, void *tau, void *work,
            const lapack_int *lwork, lapack_int *info)
LAPACK_EACH(gelqf, const lapack_int *m, const lapack_int *n, void *a, const lapack_int *lda, void *tau, void *work,
            const lapack_int *lwork, lapack_int *info)
LAPACK_EACH(trtrs, const char *uplo, const char *trans, const char *diag, const lapack_int *n, const lapack_int *nrhs,
            const void *a, const lapack_int *lda, void *b, const lapack_int *ldb, lapack_int *info, size_t, size_t,
            size_t)
LAPACK_UNITARY(ormqr, unmqr, const char *side, const char *trans, const lapack_int *m, const lapack_int *n,
               const lapack_int *k, const void *a, const lapack_int *lda, const void *tau, void *c,
               const lapack_int *ldc, void *work, const lapack_int *lwork, lapack_int *info, size_t, size_t)
LAPACK_UNITARY(ormlq, unmlq, const char *side, const char *trans, const lapack_int *m, const lapack_int *n,
               const lapack_int *k, const void *a, const lapack_int *lda, const void *tau, void *c,
               const lapack_int *ldc, void *work, const lapack_int *lwork, lapack_int *info, size_t, size_t)

/* ---- by letter; each answers LAPACK's info ---- */

static inline lapack_int lapack_getrf(char t, lapack_int m, lapack_int n, void *a, lapack_int lda, lapack_int *ipiv) {
    lapack_int info = 0;
    LAPACK_CALL(t, getrf, getrf, &m, &n, a, &lda, ipiv, &info)
    return info;
}
static inline lapack_int lapack_getri(char t, lapack_int n, void *a, lapack_int lda, const lapack_int *ipiv, void *work,
                                      lapack_int lwork) {
    lapack_int info = 0;
    LAPACK_CALL(t, getri, getri, &n, a, &lda, ipiv, work, &lwork, &info)
    return info;
}
static inline lapack_int lapack_getrs(char t, char trans, lapack_int n, lapack_int nrhs, const void *a, lapack_int lda,
                                      const lapack_int *ipiv, void *b, lapack_int ldb) {
    lapack_int info = 0;
    LAPACK_CALL(t, getrs, getrs, &trans, &n, &nrhs, a, &lda, ipiv, b, &ldb, &info, 1)
    return info;
}
static inline lapack_int lapack_geqrf(char t, lapack_int m, lapack_int n, void *a, lapack_int lda, void *tau,
                                      void *work, lapack_int lwork) {
    lapack_int info = 0;
    LAPACK_CALL(t, geqrf, geqrf, &m, &n, a, &lda, tau, work, &lwork, &info)
    return info;
}
static inline lapack_int lapack_gelqf(char t, lapack_int m, lapack_int n, void *a, lapack_int lda, void *tau,
                                      void *work, lapack_int lwork) {
    lapack_int info = 0;
    LAPACK_CALL(t, gelqf, gelqf, &m, &n, a, &lda, tau, work, &lwork, &info)
    return info;
}
static inline lapack_int lapack_trtrs(char t, char uplo, char trans, lapack_int n, lapack_int nrhs, const void *a,
                                      lapack_int lda, void *b, lapack_int ldb) {
    lapack_int info = 0;
    LAPACK_CALL(t, trtrs, trtrs, &uplo, &trans, "N", &n, &nrhs, a, &lda, b, &ldb, &info, 1, 1, 1)
    return info;
}
/* Q·C or Qᴴ·C, Q of geqrf (its k reflectors as columns) or of gelqf (as rows). */
static inline lapack_int lapack_ormqr(char t, char trans, lapack_int m, lapack_int n, lapack_int k, const void *a,
                                      lapack_int lda, const void *tau, void *c, lapack_int ldc, void *work,
                                      lapack_int lwork) {
    lapack_int info = 0;
    LAPACK_CALL(t, ormqr, unmqr, "L", &trans, &m, &n, &k, a, &lda, tau, c, &ldc, work, &lwork, &info, 1, 1)
    return info;
}
static inline lapack_int lapack_ormlq(char t, char trans, lapack_int m, lapack_int n, lapack_int k, const void *a,
                                      lapack_int lda, const void *tau, void *c, lapack_int ldc, void *work,
                                      lapack_int lwork) {
    lapack_int info = 0;
    LAPACK_CALL(t, ormlq, unmlq, "L", &trans, &m, &n, &k, a, &lda, tau, c, &ldc, work, &lwork, &info, 1, 1)
    return info;
}
#endif
