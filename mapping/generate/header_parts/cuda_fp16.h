/* Half precision on the host: storage and conversions. Arithmetic goes through float. */

/* float → the bits of a half, rounded to nearest, ties to even */
static inline unsigned short dg_half_bits(float value)
{
    unsigned int bits, sign, rest, shift;
    memcpy(&bits, &value, sizeof bits);
    sign = (bits >> 16) & 0x8000u;
    bits &= 0x7fffffffu;
    if (bits > 0x7f800000u) /* NaN stays one */
        return (unsigned short)(sign | 0x7fffu);
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

static inline float dg_half_value(unsigned short half)
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
    __half(float value) : __x(dg_half_bits(value)) {}
    __half(double value) : __x(dg_half_bits(static_cast<float>(value))) {}
    __half(int value) : __x(dg_half_bits(static_cast<float>(value))) {}
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
};
typedef __half half;
typedef __half2 half2;
static inline __half dg_half_of(unsigned short bits)
{
    __half_raw raw;
    raw.x = bits;
    return __half(raw);
}
static inline unsigned short dg_bits_of_half(__half h) { return h.__x; }
#else
typedef struct __align__(2) __half { unsigned short x; } __half;
typedef struct __align__(4) __half2 { __half x, y; } __half2;
static inline __half dg_half_of(unsigned short bits)
{
    __half made;
    made.x = bits;
    return made;
}
static inline unsigned short dg_bits_of_half(__half h) { return h.x; }
#endif

static inline __half __float2half(float value) { return dg_half_of(dg_half_bits(value)); }
static inline __half __float2half_rn(float value) { return dg_half_of(dg_half_bits(value)); }
static inline __half __double2half(double value) { return dg_half_of(dg_half_bits((float)value)); }
static inline float __half2float(__half value) { return dg_half_value(dg_bits_of_half(value)); }
static inline unsigned short __half_as_ushort(__half value) { return dg_bits_of_half(value); }
static inline __half __ushort_as_half(unsigned short bits) { return dg_half_of(bits); }
