/* Half precision on the host. Arithmetic goes through float. */

/* float → the bits of a half, rounded to nearest, ties to even */
static __inline__ unsigned short dg_half_bits(float value)
{
    unsigned int bits, sign, rest, shift;
    memcpy(&bits, &value, sizeof bits);
    sign = (bits >> 16) & 0x8000u;
    bits &= 0x7fffffffu;
    if (bits > 0x7f800000u) /* NaN stays one */
        return 0x7fffu;
    if (bits >= 0x47800000u) /* 65536 and more, and infinity */
        return (unsigned short)(sign | 0x7c00u);
    if (bits >= 0x38800000u) { /* normal: rebias the exponent, round the 13 bits that go */
        bits -= 0x38000000u;
        bits += 0x0fffu + ((bits >> 13) & 1u);
        return (unsigned short)(sign | (bits >> 13));
    }
    if (bits < 0x33000000u) /* less than half of the smallest */
        return (unsigned short)sign;
    shift = 126u - (bits >> 23); /* subnormal */
    bits = (bits & 0x007fffffu) | 0x00800000u;
    rest = bits & ((1u << shift) - 1u);
    bits >>= shift;
    if (rest > (1u << (shift - 1u)) || (rest == (1u << (shift - 1u)) && (bits & 1u)))
        bits += 1u;
    return (unsigned short)(sign | bits);
}

static __inline__ float dg_half_value(unsigned short half)
{
    unsigned int sign = ((unsigned int)half & 0x8000u) << 16, exponent = (half >> 10) & 0x1fu, part = half & 0x3ffu, bits;
    float value;
    if (exponent == 0x1fu) {
        bits = sign | 0x7f800000u | (part << 13);
    } else if (exponent) {
        bits = sign | ((exponent + 112u) << 23) | (part << 13);
    } else if (part) { /* subnormal: shift until the leading one shows */
        exponent = 113u;
        while (!(part & 0x400u)) {
            part <<= 1;
            exponent -= 1u;
        }
        bits = sign | (exponent << 23) | ((part & 0x3ffu) << 13);
    } else {
        bits = sign;
    }
    memcpy(&value, &bits, sizeof value);
    return value;
}

typedef struct __align__(2) { unsigned short x; } __half_raw;
typedef struct __align__(4) { unsigned short x, y; } __half2_raw;

#if defined(__cplusplus)
struct __align__(2) __half {
    unsigned short __x;
    __half() = default;
    __half(const __half_raw &raw) : __x(raw.x) {}
    template <class N, class = typename dg_number<N>::type>
    __half(N value) : __x(dg_half_bits(dg_odd_float(static_cast<double>(value))))
    {
    }
    operator float() const { return dg_half_value(__x); }
    operator __half_raw() const
    {
        __half_raw raw;
        raw.x = __x;
        return raw;
    }
};
struct __align__(4) __half2 {
    __half x, y;
    __half2() = default;
    __half2(const __half &a, const __half &b) : x(a), y(b) {}
    __half2(const __half2_raw &raw)
    {
        x.__x = raw.x;
        y.__x = raw.y;
    }
    operator __half2_raw() const
    {
        __half2_raw raw;
        raw.x = x.__x;
        raw.y = y.__x;
        return raw;
    }
};
typedef __half half;
typedef __half2 half2;
static __inline__ __half dg_half_of(unsigned short bits)
{
    __half_raw raw;
    raw.x = bits;
    return __half(raw);
}
static __inline__ unsigned short dg_bits_of_half(__half h) { return h.__x; }
#else
typedef struct __align__(2) __half { unsigned short x; } __half;
typedef struct __align__(4) __half2 { __half x, y; } __half2;
static __inline__ __half dg_half_of(unsigned short bits)
{
    __half made;
    made.x = bits;
    return made;
}
static __inline__ unsigned short dg_bits_of_half(__half h) { return h.x; }
#endif

static __inline__ __half __float2half(float value) { return dg_half_of(dg_half_bits(value)); }
static __inline__ __half __float2half_rn(float value) { return dg_half_of(dg_half_bits(value)); }
static __inline__ __half __double2half(double value) { return dg_half_of(dg_half_bits(dg_odd_float(value))); }
static __inline__ float __half2float(__half value) { return dg_half_value(dg_bits_of_half(value)); }
static __inline__ unsigned short __half_as_ushort(__half value) { return dg_bits_of_half(value); }
static __inline__ __half __ushort_as_half(unsigned short bits) { return dg_half_of(bits); }
static __inline__ short __half_as_short(__half value) { return (short)dg_bits_of_half(value); }
static __inline__ __half __short_as_half(short bits) { return dg_half_of((unsigned short)bits); }
static __inline__ __half dg_half_towards(float value, int direction)
{
    unsigned short bits = dg_half_bits(value);
    return dg_half_of(dg_directed(bits, dg_half_value(bits), value, direction));
}
static __inline__ __half __float2half_rz(float value) { return dg_half_towards(value, 0); }
static __inline__ __half __float2half_rd(float value) { return dg_half_towards(value, -1); }
static __inline__ __half __float2half_ru(float value) { return dg_half_towards(value, 1); }
DG_INTEGERS(__half, half)

#if defined(__cplusplus)
DG_OPERATORS(__half, __half2)
DG_NAMED(__half, __half2)
static __inline__ __half2 __halves2half2(__half a, __half b) { return __half2(a, b); }
static __inline__ __half2 make_half2(__half a, __half b) { return __half2(a, b); }
static __inline__ __half2 __half2half2(__half a) { return __half2(a, a); }
static __inline__ __half2 __float2half2_rn(float a) { return __half2(__half(a), __half(a)); }
static __inline__ __half2 __floats2half2_rn(float a, float b) { return __half2(__half(a), __half(b)); }
static __inline__ __half __low2half(__half2 a) { return a.x; }
static __inline__ __half __high2half(__half2 a) { return a.y; }
static __inline__ __half2 __low2half2(__half2 a) { return __half2(a.x, a.x); }
static __inline__ __half2 __high2half2(__half2 a) { return __half2(a.y, a.y); }
static __inline__ __half2 __lows2half2(__half2 a, __half2 b) { return __half2(a.x, b.x); }
static __inline__ __half2 __highs2half2(__half2 a, __half2 b) { return __half2(a.y, b.y); }
static __inline__ __half2 __lowhigh2highlow(__half2 a) { return __half2(a.y, a.x); }
static __inline__ __half2 __float22half2_rn(float2 a) { return __floats2half2_rn(a.x, a.y); }
static __inline__ float2 __half22float2(__half2 a)
{
    float2 made;
    made.x = static_cast<float>(a.x);
    made.y = static_cast<float>(a.y);
    return made;
}
static __inline__ int __hisinf(__half a)
{
    unsigned short bits = dg_bits_of_half(a);
    return bits == 0x7c00u ? 1 : bits == 0xfc00u ? -1 : 0;
}
#endif
