/* Complex arithmetic as structs of two numbers, with the usual names. */

/* The length of a vector without overflow on the way, with what C has had from the start (`hypot` came with C99). */
static __inline__ double dg_length(double x, double y)
{
    double large = fabs(x), small = fabs(y), ratio;
    if (large < small) {
        ratio = large;
        large = small;
        small = ratio;
    }
    if (!(small > 0) || large > 1.7976931348623157e308)
        return large + small;
    ratio = small / large;
    return large * sqrt(1 + ratio * ratio);
}

#define DG_COMPLEX(TYPE, REAL, CREAL, CIMAG, MAKE, CONJ, ADD, SUB, MUL, DIV, ABS, FMA)                                 \
    static __inline__ REAL CREAL(TYPE x) { return x.x; }                                                               \
    static __inline__ REAL CIMAG(TYPE x) { return x.y; }                                                               \
    static __inline__ TYPE MAKE(REAL re, REAL im)                                                                      \
    {                                                                                                                  \
        TYPE made;                                                                                                     \
        made.x = re;                                                                                                   \
        made.y = im;                                                                                                   \
        return made;                                                                                                   \
    }                                                                                                                  \
    static __inline__ TYPE CONJ(TYPE x) { return MAKE(x.x, -x.y); }                                                    \
    static __inline__ TYPE ADD(TYPE x, TYPE y) { return MAKE(x.x + y.x, x.y + y.y); }                                  \
    static __inline__ TYPE SUB(TYPE x, TYPE y) { return MAKE(x.x - y.x, x.y - y.y); }                                  \
    static __inline__ TYPE MUL(TYPE x, TYPE y) { return MAKE(x.x * y.x - x.y * y.y, x.x * y.y + x.y * y.x); }          \
    /* scaled by the larger part of the divisor, so that its square cannot overflow */                                 \
    static __inline__ TYPE DIV(TYPE x, TYPE y)                                                                         \
    {                                                                                                                  \
        REAL size = (y.x < 0 ? -y.x : y.x) + (y.y < 0 ? -y.y : y.y);                                                   \
        REAL a = x.x / size, b = x.y / size, c = y.x / size, d = y.y / size;                                           \
        REAL norm = c * c + d * d;                                                                                     \
        return MAKE((a * c + b * d) / norm, (b * c - a * d) / norm);                                                   \
    }                                                                                                                  \
    static __inline__ REAL ABS(TYPE x)                                                                                 \
    {                                                                                                                  \
        return (REAL)dg_length((double)x.x, (double)x.y);                                                              \
    }                                                                                                                  \
    static __inline__ TYPE FMA(TYPE x, TYPE y, TYPE d) { return ADD(MUL(x, y), d); }

DG_COMPLEX(cuFloatComplex, float, cuCrealf, cuCimagf, make_cuFloatComplex, cuConjf, cuCaddf, cuCsubf, cuCmulf, cuCdivf,
           cuCabsf, cuCfmaf)
DG_COMPLEX(cuDoubleComplex, double, cuCreal, cuCimag, make_cuDoubleComplex, cuConj, cuCadd, cuCsub, cuCmul, cuCdiv,
           cuCabs, cuCfma)
#undef DG_COMPLEX

static __inline__ cuComplex make_cuComplex(float x, float y) { return make_cuFloatComplex(x, y); }

static __inline__ cuDoubleComplex cuComplexFloatToDouble(cuFloatComplex c)
{
    return make_cuDoubleComplex((double)c.x, (double)c.y);
}

static __inline__ cuFloatComplex cuComplexDoubleToFloat(cuDoubleComplex c)
{
    return make_cuFloatComplex((float)c.x, (float)c.y);
}
