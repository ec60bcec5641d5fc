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
    unsigned int sign = ((unsigned int)half & 0x8000u) << 16, exponent = (half >> 10) & 0x1fu, part = half & 0x3ffu,
                 bits;
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
