/* Elements whose type is an argument, and rocBLAS's functions of one type, which the generated units define. */
#ifndef DRAGOMAN_CPU_TYPES_H
#define DRAGOMAN_CPU_TYPES_H
#include "half.h"

/* Bytes of an element, or 0 for a type that no function here takes. */
static inline int64_t rb_size(int type) {
    switch (type) {
    case rocblas_datatype_i8_r: return 1;
    case rocblas_datatype_f16_r: case rocblas_datatype_bf16_r: return 2;
    case rocblas_datatype_f32_r: case rocblas_datatype_i32_r: return 4;
    case rocblas_datatype_f64_r: case rocblas_datatype_f32_c: return 8;
    case rocblas_datatype_f64_c: return 16;
    default: return 0;
    }
}

/* Whether a scalar is a small whole number. */
static inline int rb_is(int type, const void *scalar, int value) {
    const float *f = (const float *)scalar;
    const double *d = (const double *)scalar;
    switch (type) {
    case rocblas_datatype_f16_r: return rb_from_half(*(const rocblas_half *)scalar) == (float)value;
    case rocblas_datatype_bf16_r: return rb_from_bfloat16(*(const rocblas_bfloat16 *)scalar) == (float)value;
    case rocblas_datatype_f32_r: return *f == (float)value;
    case rocblas_datatype_f64_r: return *d == value;
    case rocblas_datatype_f32_c: return f[0] == (float)value && f[1] == 0;
    case rocblas_datatype_f64_c: return d[0] == value && d[1] == 0;
    case rocblas_datatype_i32_r: return *(const int32_t *)scalar == value;
    default: return 0;
    }
}

static inline void rb_clear(int type, void *scalar) { memset(scalar, 0, (size_t)rb_size(type)); }

/* ---- functions of one type, in their 64-bit forms; whose data has which type says the name ---- */
#define RB_GEMM(t)                                                                                                   \
    rocblas_status rocblas_##t##gemm_64(rocblas_handle handle, rocblas_operation transa, rocblas_operation transb,   \
                                        int64_t m, int64_t n, int64_t k, const void *alpha, const void *a,           \
                                        int64_t lda, const void *b, int64_t ldb, const void *beta, void *c,          \
                                        int64_t ldc);
#define RB_AXPY(t)                                                                                                   \
    rocblas_status rocblas_##t##axpy_64(rocblas_handle handle, int64_t n, const void *alpha, const void *x,          \
                                        int64_t incx, void *y, int64_t incy);
#define RB_SCAL(t)                                                                                                   \
    rocblas_status rocblas_##t##scal_64(rocblas_handle handle, int64_t n, const void *alpha, void *x, int64_t incx);
#define RB_DOT(name)                                                                                                 \
    rocblas_status rocblas_##name##_64(rocblas_handle handle, int64_t n, const void *x, int64_t incx, const void *y, \
                                       int64_t incy, void *result);
#define RB_NRM2(t)                                                                                                   \
    rocblas_status rocblas_##t##nrm2_64(rocblas_handle handle, int64_t n, const void *x, int64_t incx, void *result);
#define RB_ROT(t)                                                                                                    \
    rocblas_status rocblas_##t##rot_64(rocblas_handle handle, int64_t n, void *x, int64_t incx, void *y,             \
                                       int64_t incy, const void *c, const void *s);
RB_GEMM(s) RB_GEMM(d) RB_GEMM(c) RB_GEMM(z)
RB_AXPY(s) RB_AXPY(d) RB_AXPY(c) RB_AXPY(z)
RB_SCAL(s) RB_SCAL(d) RB_SCAL(c) RB_SCAL(z) RB_SCAL(cs) RB_SCAL(zd)
RB_DOT(sdot) RB_DOT(ddot) RB_DOT(cdotu) RB_DOT(zdotu) RB_DOT(cdotc) RB_DOT(zdotc)
RB_NRM2(s) RB_NRM2(d) RB_NRM2(sc) RB_NRM2(dz)
RB_ROT(s) RB_ROT(d) RB_ROT(c) RB_ROT(z) RB_ROT(cs) RB_ROT(zd)
#endif
