/* The type and pairs of it, from the two conversions above. */

typedef struct __align__(2) { unsigned short x; } @type@_raw;
typedef struct __align__(4) { unsigned short x, y; } @type@2_raw;

#if defined(__cplusplus)
struct __align__(2) @type@ {
    unsigned short __x;
    @type@() = default;
    @type@(const @type@_raw &raw) : __x(raw.x) {}
    template <class N, class = typename dg_number<N>::type>
    @type@(N value) : __x(dg_@word@_bits(dg_odd_float(static_cast<double>(value))))
    {
    }
    operator float() const { return dg_@word@_value(__x); }
    operator @type@_raw() const
    {
        @type@_raw raw;
        raw.x = __x;
        return raw;
    }
};
struct __align__(4) @type@2 {
    @type@ x, y;
    @type@2() = default;
    @type@2(const @type@ &a, const @type@ &b) : x(a), y(b) {}
    @type@2(const @type@2_raw &raw)
    {
        x.__x = raw.x;
        y.__x = raw.y;
    }
    operator @type@2_raw() const
    {
        @type@2_raw raw;
        raw.x = x.__x;
        raw.y = y.__x;
        return raw;
    }
};
typedef @type@ @plain@;
typedef @type@2 @plain@2;
static __inline__ @type@ dg_@word@_of(unsigned short bits)
{
    @type@_raw raw;
    raw.x = bits;
    return @type@(raw);
}
static __inline__ unsigned short dg_bits_of_@word@(@type@ h) { return h.__x; }
#else
typedef struct __align__(2) @type@ { unsigned short x; } @type@;
typedef struct __align__(4) @type@2 { @type@ x, y; } @type@2;
static __inline__ @type@ dg_@word@_of(unsigned short bits)
{
    @type@ made;
    made.x = bits;
    return made;
}
static __inline__ unsigned short dg_bits_of_@word@(@type@ h) { return h.x; }
#endif

static __inline__ @type@ __float2@word@(float value) { return dg_@word@_of(dg_@word@_bits(value)); }
static __inline__ @type@ __float2@word@_rn(float value) { return dg_@word@_of(dg_@word@_bits(value)); }
static __inline__ @type@ __double2@word@(double value) { return __float2@word@(dg_odd_float(value)); }
static __inline__ float __@word@2float(@type@ value) { return dg_@word@_value(dg_bits_of_@word@(value)); }
static __inline__ unsigned short __@word@_as_ushort(@type@ value) { return dg_bits_of_@word@(value); }
static __inline__ @type@ __ushort_as_@word@(unsigned short bits) { return dg_@word@_of(bits); }
static __inline__ short __@word@_as_short(@type@ value) { return (short)dg_bits_of_@word@(value); }
static __inline__ @type@ __short_as_@word@(short bits) { return dg_@word@_of((unsigned short)bits); }
static __inline__ @type@ dg_@word@_towards(float value, int direction)
{
    unsigned short bits = dg_@word@_bits(value);
    return dg_@word@_of(dg_directed(bits, dg_@word@_value(bits), value, direction));
}
static __inline__ @type@ __float2@word@_rz(float value) { return dg_@word@_towards(value, 0); }
static __inline__ @type@ __float2@word@_rd(float value) { return dg_@word@_towards(value, -1); }
static __inline__ @type@ __float2@word@_ru(float value) { return dg_@word@_towards(value, 1); }
DG_INTEGERS(@type@, @word@)

#if defined(__cplusplus)
DG_OPERATORS(@type@, @type@2)
DG_NAMED(@type@, @type@2)
static __inline__ @type@2 __halves2@word@2(@type@ a, @type@ b) { return @type@2(a, b); }
static __inline__ @type@2 make_@word@2(@type@ a, @type@ b) { return @type@2(a, b); }
static __inline__ @type@2 __@word@2@word@2(@type@ a) { return @type@2(a, a); }
static __inline__ @type@2 __float2@word@2_rn(float a) { return __@word@2@word@2(@type@(a)); }
static __inline__ @type@2 __floats2@word@2_rn(float a, float b)
{
    return @type@2(@type@(a), @type@(b));
}
static __inline__ @type@ __low2@word@(@type@2 a) { return a.x; }
static __inline__ @type@ __high2@word@(@type@2 a) { return a.y; }
static __inline__ @type@2 __low2@word@2(@type@2 a) { return @type@2(a.x, a.x); }
static __inline__ @type@2 __high2@word@2(@type@2 a) { return @type@2(a.y, a.y); }
static __inline__ @type@2 __lows2@word@2(@type@2 a, @type@2 b)
{
    return @type@2(a.x, b.x);
}
static __inline__ @type@2 __highs2@word@2(@type@2 a, @type@2 b)
{
    return @type@2(a.y, b.y);
}
static __inline__ @type@2 __lowhigh2highlow(@type@2 a) { return @type@2(a.y, a.x); }
static __inline__ @type@2 __float22@word@2_rn(float2 a) { return __floats2@word@2_rn(a.x, a.y); }
static __inline__ float2 __@word@22float2(@type@2 a)
{
    float2 made;
    made.x = static_cast<float>(a.x);
    made.y = static_cast<float>(a.y);
    return made;
}
static __inline__ int __hisinf(@type@ a)
{
    unsigned short bits = dg_bits_of_@word@(a);
    return (bits & 0x7fffu) != @infinity@ ? 0 : bits >> 15 ? -1 : 1;
}
#endif
