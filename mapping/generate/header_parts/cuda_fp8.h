/* 8-bit floats on the host, from cublasLt's products: storage and conversions. Arithmetic goes through float. */
typedef unsigned char __nv_fp8_storage_t;
typedef unsigned short __nv_fp8x2_storage_t;
typedef unsigned int __nv_fp8x4_storage_t;
typedef enum __nv_saturation_t { __NV_NOSAT, __NV_SATFINITE } __nv_saturation_t;
typedef enum __nv_fp8_interpretation_t { __NV_E4M3, __NV_E5M2 } __nv_fp8_interpretation_t;

/* float → the bits of an 8-bit float, rounded to nearest, ties to even. Beyond the largest: that, or what the
 * type has for it (E4M3 a NaN, E5M2 an infinity). */
static __inline__ __nv_fp8_storage_t
__nv_cvt_float_to_fp8(float value, __nv_saturation_t saturate, __nv_fp8_interpretation_t kind)
{
    int part = kind == __NV_E4M3 ? 3 : 2, least = kind == __NV_E4M3 ? -6 : -14; /* bits, least exponent */
    unsigned int bits, sign, whole, shift, rest, largest = kind == __NV_E4M3 ? 0x7eu : 0x7bu;
    int exponent;
    memcpy(&bits, &value, sizeof bits);
    sign = (bits >> 24) & 0x80u;
    bits &= 0x7fffffffu;
    if (bits > 0x7f800000u)
        return 0x7fu; /* a NaN has no sign */
    exponent = (int)(bits >> 23) - 127;
    if (exponent < least - part - 1)
        return (__nv_fp8_storage_t)sign;
    whole = (bits & 0x007fffffu) | 0x00800000u;
    shift = 23u - (unsigned int)part;
    if (exponent < least) { /* subnormal */
        shift += (unsigned int)(least - exponent);
        exponent = least - 1;
    }
    rest = whole & ((1u << shift) - 1u);
    whole >>= shift;
    if (rest > (1u << (shift - 1u)) || (rest == (1u << (shift - 1u)) && (whole & 1u)))
        whole += 1u;
    if (exponent >= least)
        whole += (unsigned int)(exponent - least) << part;
    if (whole > largest) {
        if (saturate == __NV_SATFINITE)
            whole = largest;
        else
            whole = kind == __NV_E4M3 ? 0x7fu : 0x7cu;
    }
    return (__nv_fp8_storage_t)(sign | whole);
}

static __inline__ __nv_fp8_storage_t
__nv_cvt_double_to_fp8(double value, __nv_saturation_t saturate, __nv_fp8_interpretation_t kind)
{
    return __nv_cvt_float_to_fp8(dg_odd_float(value), saturate, kind);
}

static __inline__ __nv_fp8_storage_t
__nv_cvt_halfraw_to_fp8(__half_raw value, __nv_saturation_t saturate, __nv_fp8_interpretation_t kind)
{
    return __nv_cvt_float_to_fp8(dg_half_value(value.x), saturate, kind);
}

static __inline__ __nv_fp8_storage_t
__nv_cvt_bfloat16raw_to_fp8(__nv_bfloat16_raw value, __nv_saturation_t saturate, __nv_fp8_interpretation_t kind)
{
    return __nv_cvt_float_to_fp8(dg_bfloat16_value(value.x), saturate, kind);
}

/* E5M2 is the upper byte of a half; E4M3 is shifted to a half's place, and its exponent moved by scaling. */
static __inline__ __half_raw __nv_cvt_fp8_to_halfraw(__nv_fp8_storage_t bits, __nv_fp8_interpretation_t kind)
{
    __half_raw made;
    if (kind == __NV_E5M2) {
        made.x = (unsigned short)(bits << 8);
    } else if ((bits & 0x7fu) == 0x7fu) {
        made.x = 0x7fffu;
    } else {
        made.x = dg_half_bits(256.0f * dg_half_value((unsigned short)((bits & 0x7fu) << 7)));
        made.x = (unsigned short)(made.x | ((bits & 0x80u) << 8));
    }
    return made;
}

#if defined(__cplusplus)
#define DG_FP8(TYPE, KIND)                                                                                             \
    struct TYPE {                                                                                                      \
        __nv_fp8_storage_t __x;                                                                                        \
        TYPE() = default;                                                                                              \
        template <class N, class = typename dg_number<N>::type>                                                        \
        explicit TYPE(N value) : __x(__nv_cvt_double_to_fp8(static_cast<double>(value), __NV_SATFINITE, KIND))         \
        {                                                                                                              \
        }                                                                                                              \
        explicit TYPE(const __half &value)                                                                             \
            : __x(__nv_cvt_float_to_fp8(static_cast<float>(value), __NV_SATFINITE, KIND))                              \
        {                                                                                                              \
        }                                                                                                              \
        explicit TYPE(const __nv_bfloat16 &value)                                                                      \
            : __x(__nv_cvt_float_to_fp8(static_cast<float>(value), __NV_SATFINITE, KIND))                              \
        {                                                                                                              \
        }                                                                                                              \
        explicit operator float() const { return dg_half_value(__nv_cvt_fp8_to_halfraw(__x, KIND).x); }                \
        explicit operator double() const { return static_cast<float>(*this); }                                         \
        explicit operator __half() const { return __half(__nv_cvt_fp8_to_halfraw(__x, KIND)); }                        \
        explicit operator __nv_bfloat16() const { return __nv_bfloat16(static_cast<float>(*this)); }                   \
        explicit operator bool() const { return (__x & 0x7fu) != 0; }                                                  \
        explicit operator int() const { return static_cast<int>(static_cast<float>(*this)); }                          \
    };
DG_FP8(__nv_fp8_e4m3, __NV_E4M3)
DG_FP8(__nv_fp8_e5m2, __NV_E5M2)
#undef DG_FP8
struct __align__(2) __nv_fp8x2_e4m3 {
    __nv_fp8x2_storage_t __x;
};
struct __align__(4) __nv_fp8x4_e4m3 {
    __nv_fp8x4_storage_t __x;
};
struct __align__(2) __nv_fp8x2_e5m2 {
    __nv_fp8x2_storage_t __x;
};
struct __align__(4) __nv_fp8x4_e5m2 {
    __nv_fp8x4_storage_t __x;
};
#else
typedef struct { __nv_fp8_storage_t __x; } __nv_fp8_e4m3;
typedef struct { __nv_fp8_storage_t __x; } __nv_fp8_e5m2;
typedef struct __align__(2) { __nv_fp8x2_storage_t __x; } __nv_fp8x2_e4m3;
typedef struct __align__(4) { __nv_fp8x4_storage_t __x; } __nv_fp8x4_e4m3;
typedef struct __align__(2) { __nv_fp8x2_storage_t __x; } __nv_fp8x2_e5m2;
typedef struct __align__(4) { __nv_fp8x4_storage_t __x; } __nv_fp8x4_e5m2;
#endif
