/* Numbers of 16 bits on the host: exact as floats, and rounded back to nearest, ties to even. No compiler's
 * support is needed. */
#ifndef DRAGOMAN_HALVES_H
#define DRAGOMAN_HALVES_H
#include <stdint.h>
#include <string.h>

static inline float dg_float_of_bits(uint32_t bits) {
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static inline uint32_t dg_bits_of_float(float value) {
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

/* `brain`: bfloat16, the upper half of a float. */
static inline float dg_from_half(uint16_t half, int brain) {
    uint32_t sign = (uint32_t)(half & 0x8000) << 16, rest = half & 0x7fff;
    if (brain) return dg_float_of_bits((uint32_t)half << 16);
    if (rest >= 0x7c00) return dg_float_of_bits(sign | 0x7f800000 | (rest & 0x3ff) << 13); /* infinity, NaN */
    if (rest >= 0x400) return dg_float_of_bits(sign | ((rest << 13) + 0x38000000));
    return (sign ? -1.0f : 1.0f) * (float)rest * 0x1p-24f; /* denormal */
}

static inline uint16_t dg_to_half(float value, int brain) {
    uint32_t bits = dg_bits_of_float(value), sign = bits >> 16 & 0x8000, rest = bits & 0x7fffffff;
    if (rest > 0x7f800000) return 0x7fff; /* NaN */
    if (brain) return (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
    if (rest >= 0x477ff000) return (uint16_t)(sign | 0x7c00); /* 65520 and more */
    if (rest >= 0x38800000) return (uint16_t)(sign | (rest + 0xfff + (rest >> 13 & 1) - 0x38000000) >> 13);
    /* the sum rounds at 2⁻²⁴ */
    return (uint16_t)(sign | (dg_bits_of_float(dg_float_of_bits(rest) + 0.5f) - 0x3f000000));
}
#endif
