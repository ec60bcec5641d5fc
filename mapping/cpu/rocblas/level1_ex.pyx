# cython: language_level=3, cdivision=True, boundscheck=False, wraparound=False
"""rocBLAS's level 1 with types as arguments.

Vectors of one type are handed to the functions of that type. 16-bit numbers are computed in float, sums in double, and
rounded once. What does not go together is `not_implemented`, and is found last, as in rocBLAS.
"""
include "rocblas.pxi"
include "elements.pxi"
include "half.pxi"
include "types.pxi"

from libc.math cimport sqrt


cdef inline float scalar_of(int type, const void *scalar) noexcept nogil:
    """A factor of 16-bit or 32-bit numbers."""
    if type == rocblas_datatype_f16_r:
        return rb_from_half((<const rocblas_half *>scalar)[0])
    if type == rocblas_datatype_bf16_r:
        return rb_from_bfloat16((<const rocblas_bfloat16 *>scalar)[0])
    return (<const float *>scalar)[0]


cdef inline bint is_small(int type) noexcept nogil:
    return type == rocblas_datatype_f16_r or type == rocblas_datatype_bf16_r


cdef inline bint small_execution(int type, int execution) noexcept nogil:
    """16-bit numbers are computed in float; f16 in its own type as well."""
    return execution == rocblas_datatype_f32_r or (type == rocblas_datatype_f16_r and execution == type)


# ---- axpy

cdef void axpy_half(int64_t n, float alpha, const half *x, int64_t incx, half *y, int64_t incy) noexcept nogil:
    cdef int64_t i, ix = first(n, incx), iy = first(n, incy)
    for i in range(n):
        store(&y[iy], to_float(y[iy]) + alpha * to_float(x[ix]))
        ix += incx
        iy += incy


cdef public rocblas_status rocblas_axpy_ex_64(
    rocblas_handle handle, int64_t n, const void *alpha, rocblas_datatype alpha_type, const void *x,
    rocblas_datatype x_type, int64_t incx, void *y, rocblas_datatype y_type, int64_t incy,
    rocblas_datatype execution_type
) noexcept nogil:
    cdef rocblas_status status = rb_enter(handle)
    if status != rocblas_status_success:
        return status
    if n <= 0:
        return rocblas_status_success
    if alpha == NULL:
        return rocblas_status_invalid_pointer
    if x_type != y_type:
        return rocblas_status_not_implemented
    if is_small(x_type):
        if alpha_type == rocblas_datatype_f32_r:
            if execution_type != rocblas_datatype_f32_r:
                return rocblas_status_not_implemented
        elif alpha_type != x_type or not small_execution(x_type, execution_type):
            return rocblas_status_not_implemented
        if not rb_recorded_unread(handle) and rb_is(alpha_type, alpha, 0):
            return rocblas_status_success
        if x == NULL or y == NULL:
            return rocblas_status_invalid_pointer
        if rb_recorded(handle):
            return rocblas_axpy_ex_64_record(
                handle, n, alpha, alpha_type, x, x_type, incx, y, y_type, incy, execution_type)
        if x_type == rocblas_datatype_f16_r:
            axpy_half(n, scalar_of(alpha_type, alpha), <const rocblas_half *>x, incx, <rocblas_half *>y, incy)
        else:
            axpy_half(n, scalar_of(alpha_type, alpha), <const rocblas_bfloat16 *>x, incx, <rocblas_bfloat16 *>y, incy)
        return rocblas_status_success
    if alpha_type == x_type and execution_type == x_type:
        if x_type == rocblas_datatype_f32_r:
            return rocblas_saxpy_64(handle, n, alpha, x, incx, y, incy)
        if x_type == rocblas_datatype_f64_r:
            return rocblas_daxpy_64(handle, n, alpha, x, incx, y, incy)
        if x_type == rocblas_datatype_f32_c:
            return rocblas_caxpy_64(handle, n, alpha, x, incx, y, incy)
        if x_type == rocblas_datatype_f64_c:
            return rocblas_zaxpy_64(handle, n, alpha, x, incx, y, incy)
    return rocblas_status_not_implemented


# ---- dot

cdef double sum_of_products(int64_t n, const narrow *x, int64_t incx, const narrow *y, int64_t incy) noexcept nogil:
    cdef int64_t i, ix = first(n, incx), iy = first(n, incy)
    cdef double total = 0
    for i in range(n):
        total += <double>to_float(x[ix]) * to_float(y[iy])
        ix += incx
        iy += incy
    return total


cdef rocblas_status dot_ex(
    rocblas_handle handle, int64_t n, const void *x, int x_type, int64_t incx, const void *y, int y_type, int64_t incy,
    void *result, int result_type, int execution, bint conjugate
) noexcept nogil:
    cdef rocblas_status status = rb_enter(handle)
    if status != rocblas_status_success:
        return status
    if rb_recorded(handle) and not (n <= 0 and handle.pointer_mode == RB_HOST):  # that result is 0 at once
        status = rb_admit(handle, True)
        return RB_LATER if status == rocblas_status_success else status
    if n <= 0:
        if result == NULL:
            return rocblas_status_invalid_pointer
        rb_clear(result_type, result)
        return rocblas_status_success
    if x == NULL or y == NULL or result == NULL:
        return rocblas_status_invalid_pointer
    if x_type != y_type:
        return rocblas_status_not_implemented
    if x_type == rocblas_datatype_f32_r and result_type == rocblas_datatype_f64_r and execution == result_type:
        (<double *>result)[0] = sum_of_products(n, <const float *>x, incx, <const float *>y, incy)
        return rocblas_status_success
    if result_type != x_type:
        return rocblas_status_not_implemented
    if is_small(x_type) and small_execution(x_type, execution):
        if x_type == rocblas_datatype_f16_r:
            store(<rocblas_half *>result,
                  <float>sum_of_products(n, <const rocblas_half *>x, incx, <const rocblas_half *>y, incy))
        else:
            store(<rocblas_bfloat16 *>result,
                  <float>sum_of_products(n, <const rocblas_bfloat16 *>x, incx, <const rocblas_bfloat16 *>y, incy))
        return rocblas_status_success
    if execution == x_type:
        if x_type == rocblas_datatype_f32_r:
            return rocblas_sdot_64(handle, n, x, incx, y, incy, result)
        if x_type == rocblas_datatype_f64_r:
            return rocblas_ddot_64(handle, n, x, incx, y, incy, result)
        if x_type == rocblas_datatype_f32_c and conjugate:
            return rocblas_cdotc_64(handle, n, x, incx, y, incy, result)
        if x_type == rocblas_datatype_f32_c:
            return rocblas_cdotu_64(handle, n, x, incx, y, incy, result)
        if x_type == rocblas_datatype_f64_c and conjugate:
            return rocblas_zdotc_64(handle, n, x, incx, y, incy, result)
        if x_type == rocblas_datatype_f64_c:
            return rocblas_zdotu_64(handle, n, x, incx, y, incy, result)
    return rocblas_status_not_implemented


cdef public rocblas_status rocblas_dot_ex_64(
    rocblas_handle handle, int64_t n, const void *x, rocblas_datatype x_type, int64_t incx, const void *y,
    rocblas_datatype y_type, int64_t incy, void *result, rocblas_datatype result_type, rocblas_datatype execution_type
) noexcept nogil:
    cdef rocblas_status status = dot_ex(
        handle, n, x, x_type, incx, y, y_type, incy, result, result_type, execution_type, False)
    if status != RB_LATER:
        return status
    return rocblas_dot_ex_64_record(
        handle, n, x, x_type, incx, y, y_type, incy, result, result_type, execution_type)


cdef public rocblas_status rocblas_dotc_ex_64(
    rocblas_handle handle, int64_t n, const void *x, rocblas_datatype x_type, int64_t incx, const void *y,
    rocblas_datatype y_type, int64_t incy, void *result, rocblas_datatype result_type, rocblas_datatype execution_type
) noexcept nogil:
    cdef rocblas_status status = dot_ex(
        handle, n, x, x_type, incx, y, y_type, incy, result, result_type, execution_type, True)
    if status != RB_LATER:
        return status
    return rocblas_dotc_ex_64_record(
        handle, n, x, x_type, incx, y, y_type, incy, result, result_type, execution_type)


# ---- nrm2

cdef float norm_half(int64_t n, const half *x, int64_t incx) noexcept nogil:
    """In double no square of a 16-bit number leaves the range."""
    return <float>sqrt(sum_of_products(n, x, incx, x, incx))


cdef public rocblas_status rocblas_nrm2_ex_64(
    rocblas_handle handle, int64_t n, const void *x, rocblas_datatype x_type, int64_t incx, void *results,
    rocblas_datatype result_type, rocblas_datatype execution_type
) noexcept nogil:
    cdef rocblas_status status = rb_enter(handle)
    if status != rocblas_status_success:
        return status
    if results == NULL:
        return rocblas_status_invalid_pointer
    if rb_recorded(handle) and not ((n <= 0 or incx <= 0) and handle.pointer_mode == RB_HOST):
        status = rb_admit(handle, True)
        if status != rocblas_status_success:
            return status
        return rocblas_nrm2_ex_64_record(handle, n, x, x_type, incx, results, result_type, execution_type)
    if n <= 0 or incx <= 0:
        rb_clear(result_type, results)
        return rocblas_status_success
    if x == NULL:
        return rocblas_status_invalid_pointer
    if is_small(x_type) and result_type == x_type and execution_type == rocblas_datatype_f32_r:
        if x_type == rocblas_datatype_f16_r:
            store(<rocblas_half *>results, norm_half(n, <const rocblas_half *>x, incx))
        else:
            store(<rocblas_bfloat16 *>results, norm_half(n, <const rocblas_bfloat16 *>x, incx))
        return rocblas_status_success
    if result_type == rocblas_datatype_f32_r and execution_type == result_type:
        if x_type == rocblas_datatype_f32_r:
            return rocblas_snrm2_64(handle, n, x, incx, results)
        if x_type == rocblas_datatype_f32_c:
            return rocblas_scnrm2_64(handle, n, x, incx, results)
    if result_type == rocblas_datatype_f64_r and execution_type == result_type:
        if x_type == rocblas_datatype_f64_r:
            return rocblas_dnrm2_64(handle, n, x, incx, results)
        if x_type == rocblas_datatype_f64_c:
            return rocblas_dznrm2_64(handle, n, x, incx, results)
    return rocblas_status_not_implemented


# ---- scal

cdef void scal_half(int64_t n, float alpha, half *x, int64_t incx) noexcept nogil:
    """x ← α·x; α = 0 keeps NaN."""
    cdef int64_t i
    for i in range(n):
        store(&x[i * incx], alpha * to_float(x[i * incx]))


cdef public rocblas_status rocblas_scal_ex_64(
    rocblas_handle handle, int64_t n, const void *alpha, rocblas_datatype alpha_type, void *x, rocblas_datatype x_type,
    int64_t incx, rocblas_datatype execution_type
) noexcept nogil:
    cdef rocblas_status status = rb_enter(handle)
    if status != rocblas_status_success:
        return status
    if n <= 0 or incx <= 0:
        return rocblas_status_success
    if is_small(x_type):
        if alpha_type == rocblas_datatype_f32_r:
            if execution_type != rocblas_datatype_f32_r:
                return rocblas_status_not_implemented
        elif alpha_type != x_type or not small_execution(x_type, execution_type):
            return rocblas_status_not_implemented
        if alpha == NULL:
            return rocblas_status_invalid_pointer
        if not rb_recorded_unread(handle) and rb_is(alpha_type, alpha, 1):
            return rocblas_status_success
        if x == NULL:
            return rocblas_status_invalid_pointer
        if rb_recorded(handle):
            return rocblas_scal_ex_64_record(handle, n, alpha, alpha_type, x, x_type, incx, execution_type)
        if x_type == rocblas_datatype_f16_r:
            scal_half(n, scalar_of(alpha_type, alpha), <rocblas_half *>x, incx)
        else:
            scal_half(n, scalar_of(alpha_type, alpha), <rocblas_bfloat16 *>x, incx)
        return rocblas_status_success
    if execution_type == x_type and alpha_type == x_type:
        if x_type == rocblas_datatype_f32_r:
            return rocblas_sscal_64(handle, n, alpha, x, incx)
        if x_type == rocblas_datatype_f64_r:
            return rocblas_dscal_64(handle, n, alpha, x, incx)
        if x_type == rocblas_datatype_f32_c:
            return rocblas_cscal_64(handle, n, alpha, x, incx)
        if x_type == rocblas_datatype_f64_c:
            return rocblas_zscal_64(handle, n, alpha, x, incx)
    if execution_type == x_type and x_type == rocblas_datatype_f32_c and alpha_type == rocblas_datatype_f32_r:
        return rocblas_csscal_64(handle, n, alpha, x, incx)
    if execution_type == x_type and x_type == rocblas_datatype_f64_c and alpha_type == rocblas_datatype_f64_r:
        return rocblas_zdscal_64(handle, n, alpha, x, incx)
    return rocblas_status_not_implemented


# ---- rot

cdef void rot_half(int64_t n, half *x, int64_t incx, half *y, int64_t incy, float c, float s) noexcept nogil:
    cdef int64_t i, ix = first(n, incx), iy = first(n, incy)
    cdef float a, b
    for i in range(n):
        a = to_float(x[ix])
        b = to_float(y[iy])
        store(&x[ix], c * a + s * b)
        store(&y[iy], c * b - s * a)
        ix += incx
        iy += incy


cdef public rocblas_status rocblas_rot_ex_64(
    rocblas_handle handle, int64_t n, void *x, rocblas_datatype x_type, int64_t incx, void *y, rocblas_datatype y_type,
    int64_t incy, const void *c, const void *s, rocblas_datatype cs_type, rocblas_datatype execution_type
) noexcept nogil:
    """Of a complex c only the real part counts; it comes first."""
    cdef rocblas_status status = rb_enter(handle)
    if status != rocblas_status_success:
        return status
    if n <= 0:
        return rocblas_status_success
    if x == NULL or y == NULL or c == NULL or s == NULL:
        return rocblas_status_invalid_pointer
    if x_type != y_type:
        return rocblas_status_not_implemented
    if is_small(x_type):
        if cs_type != x_type or execution_type != rocblas_datatype_f32_r:
            return rocblas_status_not_implemented
        if rb_recorded(handle):
            return rocblas_rot_ex_64_record(
                handle, n, x, x_type, incx, y, y_type, incy, c, s, cs_type, execution_type)
        if x_type == rocblas_datatype_f16_r:
            rot_half(n, <rocblas_half *>x, incx, <rocblas_half *>y, incy, scalar_of(cs_type, c), scalar_of(cs_type, s))
        else:
            rot_half(n, <rocblas_bfloat16 *>x, incx, <rocblas_bfloat16 *>y, incy, scalar_of(cs_type, c),
                     scalar_of(cs_type, s))
        return rocblas_status_success
    if execution_type != x_type:
        return rocblas_status_not_implemented
    if x_type == rocblas_datatype_f32_r and cs_type == x_type:
        return rocblas_srot_64(handle, n, x, incx, y, incy, c, s)
    if x_type == rocblas_datatype_f64_r and cs_type == x_type:
        return rocblas_drot_64(handle, n, x, incx, y, incy, c, s)
    if x_type == rocblas_datatype_f32_c and cs_type == x_type:
        return rocblas_crot_64(handle, n, x, incx, y, incy, c, s)
    if x_type == rocblas_datatype_f32_c and cs_type == rocblas_datatype_f32_r:
        return rocblas_csrot_64(handle, n, x, incx, y, incy, c, s)
    if x_type == rocblas_datatype_f64_c and cs_type == x_type:
        return rocblas_zrot_64(handle, n, x, incx, y, incy, c, s)
    if x_type == rocblas_datatype_f64_c and cs_type == rocblas_datatype_f64_r:
        return rocblas_zdrot_64(handle, n, x, incx, y, incy, c, s)
    return rocblas_status_not_implemented


# ---- the same with sizes of 32 bits ----

cdef public rocblas_status rocblas_axpy_ex(
    rocblas_handle handle, rocblas_int n, const void *alpha, rocblas_datatype alpha_type, const void *x,
    rocblas_datatype x_type, rocblas_int incx, void *y, rocblas_datatype y_type, rocblas_int incy,
    rocblas_datatype execution_type
) noexcept nogil:
    return rocblas_axpy_ex_64(handle, n, alpha, alpha_type, x, x_type, incx, y, y_type, incy, execution_type)


cdef public rocblas_status rocblas_dot_ex(
    rocblas_handle handle, rocblas_int n, const void *x, rocblas_datatype x_type, rocblas_int incx, const void *y,
    rocblas_datatype y_type, rocblas_int incy, void *result, rocblas_datatype result_type,
    rocblas_datatype execution_type
) noexcept nogil:
    return rocblas_dot_ex_64(handle, n, x, x_type, incx, y, y_type, incy, result, result_type, execution_type)


cdef public rocblas_status rocblas_dotc_ex(
    rocblas_handle handle, rocblas_int n, const void *x, rocblas_datatype x_type, rocblas_int incx, const void *y,
    rocblas_datatype y_type, rocblas_int incy, void *result, rocblas_datatype result_type,
    rocblas_datatype execution_type
) noexcept nogil:
    return rocblas_dotc_ex_64(handle, n, x, x_type, incx, y, y_type, incy, result, result_type, execution_type)


cdef public rocblas_status rocblas_nrm2_ex(
    rocblas_handle handle, rocblas_int n, const void *x, rocblas_datatype x_type, rocblas_int incx, void *results,
    rocblas_datatype result_type, rocblas_datatype execution_type
) noexcept nogil:
    return rocblas_nrm2_ex_64(handle, n, x, x_type, incx, results, result_type, execution_type)


cdef public rocblas_status rocblas_scal_ex(
    rocblas_handle handle, rocblas_int n, const void *alpha, rocblas_datatype alpha_type, void *x,
    rocblas_datatype x_type, rocblas_int incx, rocblas_datatype execution_type
) noexcept nogil:
    return rocblas_scal_ex_64(handle, n, alpha, alpha_type, x, x_type, incx, execution_type)


cdef public rocblas_status rocblas_rot_ex(
    rocblas_handle handle, rocblas_int n, void *x, rocblas_datatype x_type, rocblas_int incx, void *y,
    rocblas_datatype y_type, rocblas_int incy, const void *c, const void *s, rocblas_datatype cs_type,
    rocblas_datatype execution_type
) noexcept nogil:
    return rocblas_rot_ex_64(handle, n, x, x_type, incx, y, y_type, incy, c, s, cs_type, execution_type)


include "level1_ex_record.pxi"
