# Element types, read and written as double: sums and functions are computed in double and rounded once.

ctypedef fused narrow:  # what MIOpen's neural functions take
    mi_half
    float

ctypedef fused real:
    mi_half
    mi_bfloat16
    float
    double

ctypedef fused number:
    mi_half
    mi_bfloat16
    float
    double
    int8_t
    int32_t


cdef inline double load(number value) noexcept nogil:
    if number is mi_half:
        return rb_from_half(value)
    elif number is mi_bfloat16:
        return rb_from_bfloat16(value)
    else:
        return <double>value


cdef inline void store(number *place, double value) noexcept nogil:
    """Integers are cut off towards zero and kept in range."""
    if number is mi_half:
        place[0] = rb_to_half(<float>value)
    elif number is mi_bfloat16:
        place[0] = rb_to_bfloat16(<float>value)
    elif number is int8_t:
        place[0] = <int8_t>(-128 if value < -128 else 127 if value > 127 else value)
    elif number is int32_t:
        place[0] = <int32_t>(-2147483648.0 if value < -2147483648.0 else 2147483647.0 if value > 2147483647.0
                             else value)
    else:
        place[0] = <number>value


# ---- single elements of a type that only the descriptor knows ----

cdef inline double load_any(int type, const void *memory, int64_t at) noexcept nogil:
    if type == miopenFloat:
        return load((<const float *>memory)[at])
    if type == miopenHalf:
        return load((<const mi_half *>memory)[at])
    if type == miopenBFloat16:
        return load((<const mi_bfloat16 *>memory)[at])
    if type == miopenDouble:
        return load((<const double *>memory)[at])
    if type == miopenInt8:
        return load((<const int8_t *>memory)[at])
    return load((<const int32_t *>memory)[at])


cdef inline void store_any(int type, void *memory, int64_t at, double value) noexcept nogil:
    if type == miopenFloat:
        store(&(<float *>memory)[at], value)
    elif type == miopenHalf:
        store(&(<mi_half *>memory)[at], value)
    elif type == miopenBFloat16:
        store(&(<mi_bfloat16 *>memory)[at], value)
    elif type == miopenDouble:
        store(&(<double *>memory)[at], value)
    elif type == miopenInt8:
        store(&(<int8_t *>memory)[at], value)
    else:
        store(&(<int32_t *>memory)[at], value)
