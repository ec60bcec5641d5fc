/* Conversions between float and the two 16-bit formats, rounded to nearest, ties to even. No compiler
 * support needed. */
#ifndef DRAGOMAN_CPU_HALF_H
#define DRAGOMAN_CPU_HALF_H
#include "rocblas.h"
#include <string.h>

static inline uint32_t rb_bits(float value) {
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static inline float rb_float(uint32_t bits) {
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static inline float rb_from_half(rocblas_half half) {
    uint32_t sign = (uint32_t)(half.data & 0x8000) << 16, rest = half.data & 0x7fff;
    if (rest >= 0x7c00) return rb_float(sign | 0x7f800000 | (rest & 0x3ff) << 13); /* infinity, NaN */
    if (rest >= 0x400) return rb_float(sign | ((rest << 13) + 0x38000000));
    float value = (float)rest * 0x1p-24f; /* denormal: exact */
    return sign ? -value : value;
}

static inline rocblas_half rb_to_half(float value) {
    uint32_t bits = rb_bits(value), sign = bits >> 16 & 0x8000, rest = bits & 0x7fffffff;
    uint32_t half;
    if (rest > 0x7f800000) {
        half = 0x7e00; /* NaN */
    } else if (rest >= 0x477ff000) {
        half = 0x7c00; /* 65520 and more */
    } else if (rest >= 0x38800000) {
        rest += 0xfff + (rest >> 13 & 1);
        half = (rest - 0x38000000) >> 13;
    } else {
        half = rb_bits(rb_float(rest) + 0.5f) - 0x3f000000; /* a denormal: the sum rounds at 2⁻²⁴ */
    }
    return (rocblas_half){(uint16_t)(sign | half)};
}

static inline float rb_from_bfloat16(rocblas_bfloat16 number) { return rb_float((uint32_t)number.data << 16); }

static inline rocblas_bfloat16 rb_to_bfloat16(float value) {
    uint32_t bits = rb_bits(value);
    if ((bits & 0x7fffffff) > 0x7f800000) return (rocblas_bfloat16){(uint16_t)(bits >> 16 | 0x40)}; /* NaN stays NaN */
    return (rocblas_bfloat16){(uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16)};
}
#endif
