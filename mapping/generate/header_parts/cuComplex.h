/* Complex arithmetic as structs of two numbers, with the usual names. */
#define DG_COMPLEX(TYPE, REAL, CREAL, CIMAG, MAKE, CONJ, ADD, SUB, MUL, DIV, ABS, FMA)                               \
    static inline REAL CREAL(TYPE x) { return x.x; }                                                                 \
    static inline REAL CIMAG(TYPE x) { return x.y; }                                                                 \
    static inline TYPE MAKE(REAL re, REAL im)                                                                        \
    {                                                                                                                \
        TYPE made;                                                                                                   \
        made.x = re;                                                                                                 \
        made.y = im;                                                                                                 \
        return made;                                                                                                 \
    }                                                                                                                \
    static inline TYPE CONJ(TYPE x) { return MAKE(x.x, -x.y); }                                                      \
    static inline TYPE ADD(TYPE x, TYPE y) { return MAKE(x.x + y.x, x.y + y.y); }                                    \
    static inline TYPE SUB(TYPE x, TYPE y) { return MAKE(x.x - y.x, x.y - y.y); }                                    \
    static inline TYPE MUL(TYPE x, TYPE y) { return MAKE(x.x * y.x - x.y * y.y, x.x * y.y + x.y * y.x); }            \
    /* scaled by the larger part of the divisor, so that its square cannot overflow */                               \
    static inline TYPE DIV(TYPE x, TYPE y)                                                                           \
    {                                                                                                                \
        REAL size = (y.x < 0 ? -y.x : y.x) + (y.y < 0 ? -y.y : y.y);                                                 \
        REAL a = x.x / size, b = x.y / size, c = y.x / size, d = y.y / size;                                         \
        REAL norm = c * c + d * d;                                                                                   \
        return MAKE((a * c + b * d) / norm, (b * c - a * d) / norm);                                                 \
    }                                                                                                                \
    static inline REAL ABS(TYPE x)                                                                                   \
    {                                                                                                                \
        return (REAL)hypot((double)x.x, (double)x.y);                                                                \
    }                                                                                                                \
    static inline TYPE FMA(TYPE x, TYPE y, TYPE d) { return ADD(MUL(x, y), d); }

DG_COMPLEX(cuFloatComplex, float, cuCrealf, cuCimagf, make_cuFloatComplex, cuConjf, cuCaddf, cuCsubf, cuCmulf, cuCdivf,
           cuCabsf, cuCfmaf)
DG_COMPLEX(cuDoubleComplex, double, cuCreal, cuCimag, make_cuDoubleComplex, cuConj, cuCadd, cuCsub, cuCmul, cuCdiv,
           cuCabs, cuCfma)
#undef DG_COMPLEX

static inline cuComplex make_cuComplex(float x, float y) { return make_cuFloatComplex(x, y); }

static inline cuDoubleComplex cuComplexFloatToDouble(cuFloatComplex c)
{
    return make_cuDoubleComplex((double)c.x, (double)c.y);
}

static inline cuFloatComplex cuComplexDoubleToFloat(cuDoubleComplex c)
{
    return make_cuFloatComplex((float)c.x, (float)c.y);
}
