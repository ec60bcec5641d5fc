/* bfloat16 on the host: storage and conversions. Arithmetic goes through float. */

/* float → the bits of a bfloat16, rounded to nearest, ties to even */
static inline unsigned short dg_bf16_bits(float value)
{
    unsigned int bits;
    memcpy(&bits, &value, sizeof bits);
    if ((bits & 0x7fffffffu) > 0x7f800000u) /* NaN stays one */
        return 0x7fffu;
    bits += 0x7fffu + ((bits >> 16) & 1u);
    return (unsigned short)(bits >> 16);
}

static inline float dg_bf16_value(unsigned short half)
{
    unsigned int bits = (unsigned int)half << 16;
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

typedef struct __align__(2) { unsigned short x; } __nv_bfloat16_raw;
typedef struct __align__(4) { unsigned short x, y; } __nv_bfloat162_raw;

#if defined(__cplusplus)
struct __align__(2) __nv_bfloat16 {
    unsigned short __x;
    __nv_bfloat16() = default;
    __nv_bfloat16(const __nv_bfloat16_raw &raw) : __x(raw.x) {}
    __nv_bfloat16(float value) : __x(dg_bf16_bits(value)) {}
    __nv_bfloat16(double value) : __x(dg_bf16_bits(static_cast<float>(value))) {}
    __nv_bfloat16(int value) : __x(dg_bf16_bits(static_cast<float>(value))) {}
    operator float() const { return dg_bf16_value(__x); }
    operator __nv_bfloat16_raw() const
    {
        __nv_bfloat16_raw raw;
        raw.x = __x;
        return raw;
    }
};
struct __align__(4) __nv_bfloat162 {
    __nv_bfloat16 x, y;
    __nv_bfloat162() = default;
    __nv_bfloat162(const __nv_bfloat16 &a, const __nv_bfloat16 &b) : x(a), y(b) {}
};
typedef __nv_bfloat16 nv_bfloat16;
typedef __nv_bfloat162 nv_bfloat162;
static inline __nv_bfloat16 dg_bf16_of(unsigned short bits)
{
    __nv_bfloat16_raw raw;
    raw.x = bits;
    return __nv_bfloat16(raw);
}
static inline unsigned short dg_bits_of_bf16(__nv_bfloat16 h) { return h.__x; }
#else
typedef struct __align__(2) __nv_bfloat16 { unsigned short x; } __nv_bfloat16;
typedef struct __align__(4) __nv_bfloat162 { __nv_bfloat16 x, y; } __nv_bfloat162;
static inline __nv_bfloat16 dg_bf16_of(unsigned short bits)
{
    __nv_bfloat16 made;
    made.x = bits;
    return made;
}
static inline unsigned short dg_bits_of_bf16(__nv_bfloat16 h) { return h.x; }
#endif

static inline __nv_bfloat16 __float2bfloat16(float value) { return dg_bf16_of(dg_bf16_bits(value)); }
static inline __nv_bfloat16 __float2bfloat16_rn(float value) { return dg_bf16_of(dg_bf16_bits(value)); }
static inline __nv_bfloat16 __double2bfloat16(double value) { return dg_bf16_of(dg_bf16_bits((float)value)); }
static inline float __bfloat162float(__nv_bfloat16 value) { return dg_bf16_value(dg_bits_of_bf16(value)); }
static inline unsigned short __bfloat16_as_ushort(__nv_bfloat16 value) { return dg_bits_of_bf16(value); }
static inline __nv_bfloat16 __ushort_as_bfloat16(unsigned short bits) { return dg_bf16_of(bits); }
