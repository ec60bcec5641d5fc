/* bfloat16 on the host. Arithmetic goes through float. */

/* float → the bits of a bfloat16, rounded to nearest, ties to even */
static __inline__ unsigned short dg_bfloat16_bits(float value)
{
    unsigned int bits;
    memcpy(&bits, &value, sizeof bits);
    if ((bits & 0x7fffffffu) > 0x7f800000u) /* NaN stays one */
        return 0x7fffu;
    bits += 0x7fffu + ((bits >> 16) & 1u);
    return (unsigned short)(bits >> 16);
}

static __inline__ float dg_bfloat16_value(unsigned short half)
{
    unsigned int bits = (unsigned int)half << 16;
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}
