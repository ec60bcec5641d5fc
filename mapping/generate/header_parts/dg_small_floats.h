/* What the small floats of cuda_fp16.h, cuda_bf16.h and cuda_fp8.h have in common. */

/* double → a float that rounds to every narrower type as the double would: what is cut off shows in the last bit */
static __inline__ float dg_odd_float(double value)
{
    float made = (float)value;
    unsigned int bits;
    if ((double)made == value || value != value)
        return made;
    memcpy(&bits, &made, sizeof bits);
    if ((value > 0 && (double)made > value) || (value < 0 && (double)made < value))
        bits -= 1u;
    bits |= 1u;
    memcpy(&made, &bits, sizeof made);
    return made;
}

/* Bits of a rounded number → the bits rounded in a direction: 0 towards zero, -1 down, 1 up. */
static __inline__ unsigned short dg_directed(unsigned short bits, float rounded, float value, int direction)
{
    int larger = rounded > value, smaller = rounded < value, negative = bits >> 15;
    if (direction == 0)
        direction = negative ? 1 : -1;
    if (direction < 0 && larger)
        return (unsigned short)(negative ? bits + 1 : bits - 1);
    if (direction > 0 && smaller)
        return (unsigned short)(negative ? bits - 1 : bits + 1);
    return bits;
}

/* From a whole number and, towards zero, to one. */
#define DG_INTEGER(TYPE, WORD, NAME, C)                                                                                \
    static __inline__ TYPE __##NAME##2##WORD##_rn(C value) { return __float2##WORD(dg_odd_float((double)value)); }     \
    static __inline__ C __##WORD##2##NAME##_rz(TYPE value) { return (C)__##WORD##2float(value); }
#define DG_INTEGERS(TYPE, WORD)                                                                                        \
    DG_INTEGER(TYPE, WORD, int, int)                                                                                   \
    DG_INTEGER(TYPE, WORD, uint, unsigned int)                                                                         \
    DG_INTEGER(TYPE, WORD, short, short)                                                                               \
    DG_INTEGER(TYPE, WORD, ushort, unsigned short)                                                                     \
    DG_INTEGER(TYPE, WORD, ll, long long)                                                                              \
    DG_INTEGER(TYPE, WORD, ull, unsigned long long)

/* In C++, sums and products of two are rounded to the type; those with an ordinary number are computed as ordinary
 * numbers are. */
#if defined(__cplusplus)
#include <cmath>
#define DG_MIXED(TYPE, OP)                                                                                             \
    template <class N, class = typename dg_number<N>::type> static inline auto operator OP(const TYPE &a, N b)         \
        ->decltype(0.0f OP b)                                                                                          \
    {                                                                                                                  \
        return static_cast<float>(a) OP b;                                                                             \
    }                                                                                                                  \
    template <class N, class = typename dg_number<N>::type> static inline auto operator OP(N a, const TYPE &b)         \
        ->decltype(a OP 0.0f)                                                                                          \
    {                                                                                                                  \
        return a OP static_cast<float>(b);                                                                             \
    }
#define DG_ARITHMETIC(TYPE, PAIR, OP)                                                                                  \
    static inline TYPE operator OP(const TYPE &a, const TYPE &b)                                                       \
    {                                                                                                                  \
        return TYPE(static_cast<float>(a) OP static_cast<float>(b));                                                   \
    }                                                                                                                  \
    static inline TYPE &operator OP##=(TYPE &a, const TYPE &b) { return a = a OP b; }                                  \
    static inline PAIR operator OP(const PAIR &a, const PAIR &b) { return PAIR(a.x OP b.x, a.y OP b.y); }              \
    static inline PAIR &operator OP##=(PAIR &a, const PAIR &b) { return a = a OP b; }                                  \
    DG_MIXED(TYPE, OP)
#define DG_COMPARISON(TYPE, OP)                                                                                        \
    static inline bool operator OP(const TYPE &a, const TYPE &b)                                                       \
    {                                                                                                                  \
        return static_cast<float>(a) OP static_cast<float>(b);                                                         \
    }                                                                                                                  \
    DG_MIXED(TYPE, OP)
#define DG_OPERATORS(TYPE, PAIR)                                                                                       \
    DG_ARITHMETIC(TYPE, PAIR, +)                                                                                       \
    DG_ARITHMETIC(TYPE, PAIR, -)                                                                                       \
    DG_ARITHMETIC(TYPE, PAIR, *)                                                                                       \
    DG_ARITHMETIC(TYPE, PAIR, /)                                                                                       \
    DG_COMPARISON(TYPE, ==)                                                                                            \
    DG_COMPARISON(TYPE, !=)                                                                                            \
    DG_COMPARISON(TYPE, <)                                                                                             \
    DG_COMPARISON(TYPE, <=)                                                                                            \
    DG_COMPARISON(TYPE, >)                                                                                             \
    DG_COMPARISON(TYPE, >=)                                                                                            \
    static inline TYPE operator+(const TYPE &a) { return a; }                                                          \
    static inline TYPE operator-(const TYPE &a) { return TYPE(-static_cast<float>(a)); }                               \
    static inline PAIR operator-(const PAIR &a) { return PAIR(-a.x, -a.y); }                                           \
    static inline bool operator==(const PAIR &a, const PAIR &b) { return a.x == b.x && a.y == b.y; }                   \
    static inline bool operator!=(const PAIR &a, const PAIR &b) { return !(a == b); }                                  \
    static inline TYPE &operator++(TYPE &a) { return a = TYPE(static_cast<float>(a) + 1.0f); }                         \
    static inline TYPE &operator--(TYPE &a) { return a = TYPE(static_cast<float>(a) - 1.0f); }                         \
    static inline TYPE operator++(TYPE &a, int)                                                                        \
    {                                                                                                                  \
        TYPE was = a;                                                                                                  \
        ++a;                                                                                                           \
        return was;                                                                                                    \
    }                                                                                                                  \
    static inline TYPE operator--(TYPE &a, int)                                                                        \
    {                                                                                                                  \
        TYPE was = a;                                                                                                  \
        --a;                                                                                                           \
        return was;                                                                                                    \
    }

/* The named forms: `__hadd` and the like, of one and of pairs. */
#define DG_NAMED(TYPE, PAIR)                                                                                           \
    static inline TYPE __hadd(TYPE a, TYPE b) { return a + b; }                                                        \
    static inline TYPE __hsub(TYPE a, TYPE b) { return a - b; }                                                        \
    static inline TYPE __hmul(TYPE a, TYPE b) { return a * b; }                                                        \
    static inline TYPE __hdiv(TYPE a, TYPE b) { return a / b; }                                                        \
    static inline TYPE __hneg(TYPE a) { return -a; }                                                                   \
    static inline TYPE __habs(TYPE a) { return TYPE(std::fabs(static_cast<float>(a))); }                               \
    static inline TYPE __hfma(TYPE a, TYPE b, TYPE c)                                                                  \
    {                                                                                                                  \
        return TYPE(static_cast<double>(static_cast<float>(a)) * static_cast<float>(b) + static_cast<float>(c));       \
    }                                                                                                                  \
    static inline bool __heq(TYPE a, TYPE b) { return a == b; }                                                        \
    static inline bool __hne(TYPE a, TYPE b) { return a < b || a > b; }                                                \
    static inline bool __hlt(TYPE a, TYPE b) { return a < b; }                                                         \
    static inline bool __hle(TYPE a, TYPE b) { return a <= b; }                                                        \
    static inline bool __hgt(TYPE a, TYPE b) { return a > b; }                                                         \
    static inline bool __hge(TYPE a, TYPE b) { return a >= b; }                                                        \
    static inline bool __hisnan(TYPE a) { return a != a; }                                                             \
    static inline TYPE __hmax(TYPE a, TYPE b)                                                                          \
    {                                                                                                                  \
        const float x = static_cast<float>(a), y = static_cast<float>(b);                                              \
        return TYPE(x != x ? y : y != y ? x : x < y || (x == y && std::signbit(x)) ? y : x);                           \
    }                                                                                                                  \
    static inline TYPE __hmin(TYPE a, TYPE b)                                                                          \
    {                                                                                                                  \
        const float x = static_cast<float>(a), y = static_cast<float>(b);                                              \
        return TYPE(x != x ? y : y != y ? x : y < x || (x == y && std::signbit(y)) ? y : x);                           \
    }                                                                                                                  \
    static inline PAIR __hadd2(PAIR a, PAIR b) { return a + b; }                                                       \
    static inline PAIR __hsub2(PAIR a, PAIR b) { return a - b; }                                                       \
    static inline PAIR __hmul2(PAIR a, PAIR b) { return a * b; }                                                       \
    static inline PAIR __h2div(PAIR a, PAIR b) { return a / b; }                                                       \
    static inline PAIR __hneg2(PAIR a) { return -a; }                                                                  \
    static inline PAIR __habs2(PAIR a) { return PAIR(__habs(a.x), __habs(a.y)); }                                      \
    static inline PAIR __hfma2(PAIR a, PAIR b, PAIR c) { return PAIR(__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y)); }  \
    static inline float __low2float(PAIR a) { return static_cast<float>(a.x); }                                        \
    static inline float __high2float(PAIR a) { return static_cast<float>(a.y); }

/* Only for the built-in numbers, so that pairs and classes of others are left alone. */
template <class N> struct dg_number {};
#define DG_NUMBER(N)                                                                                                   \
    template <> struct dg_number<N> { typedef N type; };
DG_NUMBER(bool)
DG_NUMBER(char)
DG_NUMBER(signed char)
DG_NUMBER(unsigned char)
DG_NUMBER(short)
DG_NUMBER(unsigned short)
DG_NUMBER(int)
DG_NUMBER(unsigned int)
DG_NUMBER(long)
DG_NUMBER(unsigned long)
DG_NUMBER(long long)
DG_NUMBER(unsigned long long)
DG_NUMBER(float)
DG_NUMBER(double)
#undef DG_NUMBER
#endif
