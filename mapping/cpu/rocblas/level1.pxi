# Level 1 by hand: where OpenBLAS has other corners than rocBLAS (NaN, increment 0, overflow), or no routine.
# Arguments have been checked: n > 0, pointers are there; asum, nrm2, iamax, iamin and scal have incx > 0.
from libc.math cimport sqrt

cdef extern from "openblas.h" nogil:
    void scipy_cblas_cdotu_sub64_(int64_t n, const void *x, int64_t incx, const void *y, int64_t incy, void *result)
    void scipy_cblas_cdotc_sub64_(int64_t n, const void *x, int64_t incx, const void *y, int64_t incy, void *result)
    void scipy_cblas_zdotu_sub64_(int64_t n, const void *x, int64_t incx, const void *y, int64_t incy, void *result)
    void scipy_cblas_zdotc_sub64_(int64_t n, const void *x, int64_t incx, const void *y, int64_t incy, void *result)


cdef inline bint is_nan(double z) noexcept nogil:
    return z != z  # C's isnan calls into the C library on Windows


cdef inline bint is_infinite(double z) noexcept nogil:
    return z == z and z - z != 0


cdef inline double modulus1(element z) noexcept nogil:
    """|Re z| + |Im z|, rounded in the element's own precision."""
    if element is float:
        return fabsf(z)
    elif element is double:
        return fabs(z)
    elif element is rocblas_float_complex:
        return <float>(fabsf(z.real) + fabsf(z.imag))
    else:
        return fabs(z.real) + fabs(z.imag)


cdef int64_t iamax(int64_t n, const element *x, int64_t incx) noexcept nogil:
    """First index, from 1, of the largest |Re| + |Im|; NaN is passed over, nothing but NaN gives 1."""
    cdef int64_t i, best = 0
    cdef double size, largest = -1
    for i in range(n):
        size = modulus1(x[i * incx])
        if size > largest:
            largest = size
            best = i
    return best + 1


cdef int64_t iamin(int64_t n, const element *x, int64_t incx) noexcept nogil:
    """First index, from 1, of the smallest |Re| + |Im|; NaN is passed over, nothing but NaN gives 1."""
    cdef int64_t i, best = -1
    cdef double size, smallest = 0
    for i in range(n):
        size = modulus1(x[i * incx])
        if size < smallest or (best < 0 and not is_nan(size)):
            smallest = size
            best = i
    return best + 1 if best >= 0 else 1


cdef double scaled_norm(int64_t n, const real *x, int64_t inc, int64_t parts) noexcept nogil:
    """The norm by way of the largest element: neither overflow nor underflow on the way."""
    cdef int64_t i, part
    cdef double size, largest = 0, total = 0
    for i in range(n):
        for part in range(parts):
            size = fabs(x[i * inc + part])
            if is_nan(size):
                return size
            if size > largest:
                largest = size
    if largest == 0 or is_infinite(largest):
        return largest
    for i in range(n):
        for part in range(parts):
            size = x[i * inc + part] / largest
            total += size * size
    return largest * sqrt(total)


cdef double norm(int64_t n, const real *x, int64_t inc, int64_t parts) noexcept nogil:
    """Sum of squares in double: enough for float; where a double over- or underflows, once more and scaled."""
    cdef int64_t i
    cdef double re, im, sum_re = 0, sum_im = 0
    for i in range(n):
        re = x[i * inc]
        im = x[i * inc + parts - 1]
        sum_re += re * re
        sum_im += im * im
    sum_re = sum_re + sum_im if parts == 2 else sum_re
    if sum_re > 1e-280 and sum_re < 1e300:
        return sqrt(sum_re)
    return scaled_norm(n, x, inc, parts)


cdef double nrm2(int64_t n, const element *x, int64_t incx) noexcept nogil:
    if element is float or element is double:
        return norm(n, x, incx, 1)
    elif element is rocblas_float_complex:
        return norm(n, <const float *>x, 2 * incx, 2)
    else:
        return norm(n, <const double *>x, 2 * incx, 2)


cdef void axpy(int64_t n, element alpha, const element *x, int64_t incx, element *y, int64_t incy) noexcept nogil:
    cdef int64_t i
    if incx != 0 and incy != 0:
        cblas_axpy(n, alpha, x, incx, y, incy)
        return
    cdef int64_t ix = first(n, incx), iy = first(n, incy)
    for i in range(n):
        y[iy] = y[iy] + alpha * x[ix]
        ix += incx
        iy += incy


cdef void copy(int64_t n, const element *x, int64_t incx, element *y, int64_t incy) noexcept nogil:
    cdef int64_t i
    if incx != 0 and incy != 0:
        cblas_copy(n, x, incx, y, incy)
        return
    cdef int64_t ix = first(n, incx), iy = first(n, incy)
    for i in range(n):
        y[iy] = x[ix]
        ix += incx
        iy += incy


cdef void swap(int64_t n, element *x, int64_t incx, element *y, int64_t incy) noexcept nogil:
    cdef int64_t i
    cdef element held
    if incx != 0 and incy != 0:
        cblas_swap(n, x, incx, y, incy)
        return
    cdef int64_t ix = first(n, incx), iy = first(n, incy)
    for i in range(n):
        held = x[ix]
        x[ix] = y[iy]
        y[iy] = held
        ix += incx
        iy += incy


cdef element products(
    int64_t n, const element *x, int64_t incx, const element *y, int64_t incy, bint conjugate
) noexcept nogil:
    """Σ x·y, with any increment."""
    cdef int64_t i, ix = first(n, incx), iy = first(n, incy)
    cdef element total = 0
    for i in range(n):
        total = total + (conj(x[ix]) if conjugate else x[ix]) * y[iy]
        ix += incx
        iy += incy
    return total


cdef element dot(int64_t n, const element *x, int64_t incx, const element *y, int64_t incy) noexcept nogil:
    if incx == 0 or incy == 0:
        return products(n, x, incx, y, incy, False)
    return cblas_dot(n, x, incx, y, incy)


cdef element dotu(int64_t n, const element *x, int64_t incx, const element *y, int64_t incy) noexcept nogil:
    cdef element total = 0
    if incx == 0 or incy == 0:
        return products(n, x, incx, y, incy, False)
    if element is rocblas_float_complex:
        scipy_cblas_cdotu_sub64_(n, x, incx, y, incy, &total)
    elif element is rocblas_double_complex:
        scipy_cblas_zdotu_sub64_(n, x, incx, y, incy, &total)
    return total


cdef element dotc(int64_t n, const element *x, int64_t incx, const element *y, int64_t incy) noexcept nogil:
    cdef element total = 0
    if incx == 0 or incy == 0:
        return products(n, x, incx, y, incy, True)
    if element is rocblas_float_complex:
        scipy_cblas_cdotc_sub64_(n, x, incx, y, incy, &total)
    elif element is rocblas_double_complex:
        scipy_cblas_zdotc_sub64_(n, x, incx, y, incy, &total)
    return total


cdef void scal(int64_t n, double complex alpha, element *x, int64_t incx) noexcept nogil:
    """x ← α·x; α = 0 keeps NaN, unlike β = 0 elsewhere."""
    cdef int64_t i
    cdef element a = factor(alpha, x)
    for i in range(n):
        x[i * incx] = times(a, x[i * incx])


cdef void rot(
    int64_t n, element *x, int64_t incx, element *y, int64_t incy, double c, double complex s
) noexcept nogil:
    """x ← c·x + s·y, y ← c·y − s̄·x."""
    cdef int64_t i, ix = first(n, incx), iy = first(n, incy)
    cdef element cosine = factor(c, x), sine = factor(s, x), a, b
    for i in range(n):
        a = x[ix]
        b = y[iy]
        x[ix] = times(cosine, a) + times(sine, b)
        y[iy] = times(cosine, b) - times(conj(sine), a)
        ix += incx
        iy += incy


cdef double length(double re, double im) noexcept nogil:
    """|z| without overflow on the way."""
    cdef double a = fabs(re), b = fabs(im), ratio
    if a < b:
        a, b = b, a
    if a == 0 or is_infinite(a) or b != b:
        return a + b
    ratio = b / a
    return a * sqrt(1 + ratio * ratio)


cdef void rotg_real(real *a, real *b, real *c, real *s) noexcept nogil:
    """Reference BLAS's rotation: r has the sign of the larger one, z in b lets c and s be found again."""
    cdef double x = a[0], y = b[0], r, z
    if x == 0 and y == 0:
        c[0] = 1
        s[0] = 0
        a[0] = 0
        b[0] = 0
        return
    r = length(x, y)
    if (x if fabs(x) > fabs(y) else y) < 0:
        r = -r
    c[0] = <real>(x / r)
    s[0] = <real>(y / r)
    z = 1
    if fabs(x) > fabs(y):
        z = y / r
    elif x != 0:
        z = 1 / (x / r)
    a[0] = <real>r
    b[0] = <real>z


cdef void rotg(element *a, element *b, real *c, element *s) noexcept nogil:
    cdef double size_a, size_b, r
    cdef double complex unit
    if element is float and real is float:
        rotg_real(a, b, c, s)
    elif element is double and real is double:
        rotg_real(a, b, c, s)
    elif element is rocblas_float_complex or element is rocblas_double_complex:
        size_a = length(a[0].real, a[0].imag)
        if size_a == 0:
            c[0] = 0
            s[0] = 1
            a[0] = b[0]
            return
        size_b = length(b[0].real, b[0].imag)
        r = length(size_a, size_b)
        unit.real = a[0].real / size_a
        unit.imag = a[0].imag / size_a
        c[0] = <real>(size_a / r)
        s[0].real = (unit.real * (b[0].real / r) + unit.imag * (b[0].imag / r))
        s[0].imag = (unit.imag * (b[0].real / r) - unit.real * (b[0].imag / r))
        a[0].real = unit.real * r
        a[0].imag = unit.imag * r


cdef void rotm(int64_t n, real *x, int64_t incx, real *y, int64_t incy, const real *param) noexcept nogil:
    """(x, y) ← H·(x, y); param = flag, h11, h21, h12, h22. Flag −2 leaves both alone."""
    cdef real flag = param[0], h11 = 1, h21 = -1, h12 = 1, h22 = 1, a, b
    cdef int64_t i, ix = first(n, incx), iy = first(n, incy)
    if flag == -2:
        return
    if flag < 0 or flag > 0:
        h11 = param[1]
        h22 = param[4]
    if flag <= 0:
        h21 = param[2]
        h12 = param[3]
    for i in range(n):
        a = x[ix]
        b = y[iy]
        x[ix] = a * h11 + b * h12
        y[iy] = a * h21 + b * h22
        ix += incx
        iy += incy


cdef void rotmg(real *d1, real *d2, real *x1, const real *y1, real *param) noexcept nogil:
    """The modified rotation that zeroes y1 (Lawson, Hanson, Kincaid, Krogh 1979), kept within 4096² by rescaling."""
    cdef double a = d1[0], b = d2[0], x = x1[0], y = y1[0]
    cdef double flag = -1, h11 = 0, h21 = 0, h12 = 0, h22 = 0, p1, p2, q1, q2, u
    cdef double gam = 4096, upper = 16777216, lower = 1 / upper
    if a < 0:
        a = b = x = 0
    else:
        p2 = b * y
        if p2 == 0:
            param[0] = -2
            return
        p1 = a * x
        q2 = p2 * y
        q1 = p1 * x
        if fabs(q1) > fabs(q2):
            h21 = -y / x
            h12 = p2 / p1
            u = 1 - h12 * h21
            if u > 0:
                flag = 0
                a = a / u
                b = b / u
                x = x * u
                h11 = h22 = 1
            else:
                a = b = x = h11 = h12 = h21 = h22 = 0
        elif q2 < 0:
            a = b = x = 0
        else:
            flag = 1
            h11 = p1 / p2
            h22 = x / y
            u = 1 + h11 * h22
            p1 = a
            a = b / u
            b = p1 / u
            x = y * u
            h21 = -1
            h12 = 1
        # A NaN or an infinity leaves these loops at once; a factor that was 1 or −1 by the flag becomes stored.
        while a != 0 and fabs(a) <= lower:
            flag = -1
            a = a * upper
            x = x / gam
            h11 = h11 / gam
            h12 = h12 / gam
        while fabs(a) >= upper and not is_infinite(a):
            flag = -1
            a = a / upper
            x = x * gam
            h11 = h11 * gam
            h12 = h12 * gam
        while b != 0 and fabs(b) <= lower:
            flag = -1
            b = b * upper
            h21 = h21 / gam
            h22 = h22 / gam
        while fabs(b) >= upper and not is_infinite(b):
            flag = -1
            b = b / upper
            h21 = h21 * gam
            h22 = h22 * gam
    d1[0] = <real>a
    d2[0] = <real>b
    x1[0] = <real>x
    param[0] = <real>flag
    if flag != 0:
        param[1] = <real>h11
        param[4] = <real>h22
    if flag != 1:
        param[2] = <real>h21
        param[3] = <real>h12
