/* Elements of every type as float or double, and back: rounded to nearest, ties to even; integers and 8-bit floating
 * point numbers stop at their ends. The functions of an epilogue. */
#ifndef DRAGOMAN_CPU_HIPBLASLT_NUMBERS_H
#define DRAGOMAN_CPU_HIPBLASLT_NUMBERS_H
#include <math.h>
#include "half.h" /* of rocBLAS */
#include "hipblaslt.h"

/* Bytes of an element; 0: a type that nothing here has. */
static inline int64_t hl_bytes(int type) {
    switch (type) {
    case HIP_R_8I: case HIP_R_8U: case HIP_R_8F_E4M3: case HIP_R_8F_E5M2: return 1;
    case HIP_R_16F: case HIP_R_16BF: return 2;
    case HIP_R_32F: case HIP_R_32I: return 4;
    case HIP_R_64F: case HIP_C_32F: return 8;
    case HIP_C_64F: return 16;
    default: return 0;
    }
}

/* E4M3 has no infinity: its largest number but one is NaN. */
static inline float hl_from_e4m3(uint8_t code) {
    uint32_t sign = (uint32_t)(code & 0x80) << 24, rest = code & 0x7f;
    if (rest == 0x7f) return rb_float(sign | 0x7fc00000);
    if (rest >= 8) return rb_float(sign | ((rest << 20) + (120u << 23)));
    float value = (float)rest * 0x1p-9f;
    return sign ? -value : value;
}
static inline uint8_t hl_to_e4m3(float value) {
    uint32_t bits = rb_bits(value), sign = bits >> 24 & 0x80, rest = bits & 0x7fffffff;
    if (rest > 0x7f800000) return (uint8_t)(sign | 0x7f);
    if (rest >= 0x3c800000) { /* 2⁻⁶, the smallest normal number */
        rest = (rest + 0x7ffff + (rest >> 20 & 1) - (120u << 23)) >> 20;
        return (uint8_t)(sign | (rest > 0x7e ? 0x7e : rest));
    }
    return (uint8_t)(sign | (uint32_t)rintf(rb_float(rest) * 512));
}

/* E5M2 is the upper half of a half. */
static inline float hl_from_e5m2(uint8_t code) { return rb_from_half((rocblas_half){(uint16_t)(code << 8)}); }
static inline uint8_t hl_to_e5m2(float value) {
    uint32_t bits = rb_bits(value), sign = bits >> 24 & 0x80, rest = bits & 0x7fffffff;
    if (rest > 0x7f800000) return (uint8_t)(sign | 0x7f);
    if (rest >= 0x38800000) { /* 2⁻¹⁴ */
        rest = (rest + 0xfffff + (rest >> 21 & 1) - (112u << 23)) >> 21;
        return (uint8_t)(sign | (rest > 0x7b ? 0x7b : rest));
    }
    return (uint8_t)(sign | (uint32_t)rintf(rb_float(rest) * 65536));
}

static inline double hl_get(int type, const void *array, int64_t i) {
    switch (type) {
    case HIP_R_32F: return ((const float *)array)[i];
    case HIP_R_64F: return ((const double *)array)[i];
    case HIP_R_16F: return rb_from_half(((const rocblas_half *)array)[i]);
    case HIP_R_16BF: return rb_from_bfloat16(((const rocblas_bfloat16 *)array)[i]);
    case HIP_R_8I: return ((const int8_t *)array)[i];
    case HIP_R_8U: return ((const uint8_t *)array)[i];
    case HIP_R_32I: return ((const int32_t *)array)[i];
    case HIP_R_8F_E4M3: return hl_from_e4m3(((const uint8_t *)array)[i]);
    case HIP_R_8F_E5M2: return hl_from_e5m2(((const uint8_t *)array)[i]);
    default: return 0;
    }
}

static inline double hl_whole(double value, double least, double most) {
    value = rint(value);
    return value != value ? 0 : value < least ? least : value > most ? most : value;
}

static inline void hl_put(int type, void *array, int64_t i, double value) {
    switch (type) {
    case HIP_R_32F: ((float *)array)[i] = (float)value; break;
    case HIP_R_64F: ((double *)array)[i] = value; break;
    case HIP_R_16F: ((rocblas_half *)array)[i] = rb_to_half((float)value); break;
    case HIP_R_16BF: ((rocblas_bfloat16 *)array)[i] = rb_to_bfloat16((float)value); break;
    case HIP_R_8I: ((int8_t *)array)[i] = (int8_t)hl_whole(value, -128, 127); break;
    case HIP_R_8U: ((uint8_t *)array)[i] = (uint8_t)hl_whole(value, 0, 255); break;
    case HIP_R_32I: ((int32_t *)array)[i] = (int32_t)hl_whole(value, -2147483648.0, 2147483647.0); break;
    case HIP_R_8F_E4M3: ((uint8_t *)array)[i] = hl_to_e4m3((float)value); break;
    case HIP_R_8F_E5M2: ((uint8_t *)array)[i] = hl_to_e5m2((float)value); break;
    default: break;
    }
}

/* A part of a matrix as floats or doubles, without padding, as it lies. */
static inline void hl_load_float(int type, const void *a, int64_t lda, int64_t rows, int64_t cols, int64_t at,
                                 float *out) {
    for (int64_t j = 0; j < cols; j++)
        for (int64_t i = 0; i < rows; i++) out[i + j * rows] = (float)hl_get(type, a, at + i + j * lda);
}
static inline void hl_load_double(int type, const void *a, int64_t lda, int64_t rows, int64_t cols, int64_t at,
                                  double *out) {
    for (int64_t j = 0; j < cols; j++)
        for (int64_t i = 0; i < rows; i++) out[i + j * rows] = hl_get(type, a, at + i + j * lda);
}

/* ReLU keeps NaN. GELU is the form with tanh: x/2·(1 + tanh(√(2/π)·(x + 0.044715·x³))). */
#define HL_ROOT 0.79788456080286535588
#define HL_CUBIC 0.044715
static inline float hl_relu_float(float x) { return x < 0 ? 0 : x; }
static inline double hl_relu_double(double x) { return x < 0 ? 0 : x; }
static inline float hl_gelu_float(float x) {
    return 0.5f * x * (1 + tanhf((float)HL_ROOT * (x + (float)HL_CUBIC * x * x * x)));
}
static inline double hl_gelu_double(double x) { return 0.5 * x * (1 + tanh(HL_ROOT * (x + HL_CUBIC * x * x * x))); }
static inline double hl_gelu_slope(double x) {
    double t = tanh(HL_ROOT * (x + HL_CUBIC * x * x * x));
    if (t == 1 || t == -1) return 0.5 * (1 + t); /* the other term is 0 · ∞ far out */
    return 0.5 * (1 + t) + 0.5 * x * (1 - t * t) * HL_ROOT * (1 + 3 * HL_CUBIC * x * x);
}
#endif
