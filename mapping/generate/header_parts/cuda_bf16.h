/* bfloat16 on the host. Arithmetic goes through float. */

/* float → the bits of a bfloat16, rounded to nearest, ties to even */
static __inline__ unsigned short dg_bf16_bits(float value)
{
    unsigned int bits;
    memcpy(&bits, &value, sizeof bits);
    if ((bits & 0x7fffffffu) > 0x7f800000u) /* NaN stays one */
        return 0x7fffu;
    bits += 0x7fffu + ((bits >> 16) & 1u);
    return (unsigned short)(bits >> 16);
}

static __inline__ float dg_bf16_value(unsigned short half)
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
    template <class N, class = typename dg_number<N>::type>
    __nv_bfloat16(N value) : __x(dg_bf16_bits(dg_odd_float(static_cast<double>(value))))
    {
    }
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
    __nv_bfloat162(const __nv_bfloat162_raw &raw)
    {
        x.__x = raw.x;
        y.__x = raw.y;
    }
    operator __nv_bfloat162_raw() const
    {
        __nv_bfloat162_raw raw;
        raw.x = x.__x;
        raw.y = y.__x;
        return raw;
    }
};
typedef __nv_bfloat16 nv_bfloat16;
typedef __nv_bfloat162 nv_bfloat162;
static __inline__ __nv_bfloat16 dg_bf16_of(unsigned short bits)
{
    __nv_bfloat16_raw raw;
    raw.x = bits;
    return __nv_bfloat16(raw);
}
static __inline__ unsigned short dg_bits_of_bf16(__nv_bfloat16 h) { return h.__x; }
#else
typedef struct __align__(2) __nv_bfloat16 { unsigned short x; } __nv_bfloat16;
typedef struct __align__(4) __nv_bfloat162 { __nv_bfloat16 x, y; } __nv_bfloat162;
static __inline__ __nv_bfloat16 dg_bf16_of(unsigned short bits)
{
    __nv_bfloat16 made;
    made.x = bits;
    return made;
}
static __inline__ unsigned short dg_bits_of_bf16(__nv_bfloat16 h) { return h.x; }
#endif

static __inline__ __nv_bfloat16 __float2bfloat16(float value) { return dg_bf16_of(dg_bf16_bits(value)); }
static __inline__ __nv_bfloat16 __float2bfloat16_rn(float value) { return dg_bf16_of(dg_bf16_bits(value)); }
static __inline__ __nv_bfloat16 __double2bfloat16(double value) { return __float2bfloat16(dg_odd_float(value)); }
static __inline__ float __bfloat162float(__nv_bfloat16 value) { return dg_bf16_value(dg_bits_of_bf16(value)); }
static __inline__ unsigned short __bfloat16_as_ushort(__nv_bfloat16 value) { return dg_bits_of_bf16(value); }
static __inline__ __nv_bfloat16 __ushort_as_bfloat16(unsigned short bits) { return dg_bf16_of(bits); }
static __inline__ short __bfloat16_as_short(__nv_bfloat16 value) { return (short)dg_bits_of_bf16(value); }
static __inline__ __nv_bfloat16 __short_as_bfloat16(short bits) { return dg_bf16_of((unsigned short)bits); }
static __inline__ __nv_bfloat16 dg_bf16_towards(float value, int direction)
{
    unsigned short bits = dg_bf16_bits(value);
    return dg_bf16_of(dg_directed(bits, dg_bf16_value(bits), value, direction));
}
static __inline__ __nv_bfloat16 __float2bfloat16_rz(float value) { return dg_bf16_towards(value, 0); }
static __inline__ __nv_bfloat16 __float2bfloat16_rd(float value) { return dg_bf16_towards(value, -1); }
static __inline__ __nv_bfloat16 __float2bfloat16_ru(float value) { return dg_bf16_towards(value, 1); }
DG_INTEGERS(__nv_bfloat16, bfloat16)

#if defined(__cplusplus)
DG_OPERATORS(__nv_bfloat16, __nv_bfloat162)
DG_NAMED(__nv_bfloat16, __nv_bfloat162)
static __inline__ __nv_bfloat162 __halves2bfloat162(__nv_bfloat16 a, __nv_bfloat16 b) { return __nv_bfloat162(a, b); }
static __inline__ __nv_bfloat162 make_bfloat162(__nv_bfloat16 a, __nv_bfloat16 b) { return __nv_bfloat162(a, b); }
static __inline__ __nv_bfloat162 __bfloat162bfloat162(__nv_bfloat16 a) { return __nv_bfloat162(a, a); }
static __inline__ __nv_bfloat162 __float2bfloat162_rn(float a) { return __bfloat162bfloat162(__nv_bfloat16(a)); }
static __inline__ __nv_bfloat162 __floats2bfloat162_rn(float a, float b)
{
    return __nv_bfloat162(__nv_bfloat16(a), __nv_bfloat16(b));
}
static __inline__ __nv_bfloat16 __low2bfloat16(__nv_bfloat162 a) { return a.x; }
static __inline__ __nv_bfloat16 __high2bfloat16(__nv_bfloat162 a) { return a.y; }
static __inline__ __nv_bfloat162 __low2bfloat162(__nv_bfloat162 a) { return __nv_bfloat162(a.x, a.x); }
static __inline__ __nv_bfloat162 __high2bfloat162(__nv_bfloat162 a) { return __nv_bfloat162(a.y, a.y); }
static __inline__ __nv_bfloat162 __lowhigh2highlow(__nv_bfloat162 a) { return __nv_bfloat162(a.y, a.x); }
static __inline__ __nv_bfloat162 __float22bfloat162_rn(float2 a) { return __floats2bfloat162_rn(a.x, a.y); }
static __inline__ float2 __bfloat1622float2(__nv_bfloat162 a)
{
    float2 made;
    made.x = static_cast<float>(a.x);
    made.y = static_cast<float>(a.y);
    return made;
}
static __inline__ int __hisinf(__nv_bfloat16 a)
{
    unsigned short bits = dg_bits_of_bf16(a);
    return bits == 0x7f80u ? 1 : bits == 0xff80u ? -1 : 0;
}
#endif
