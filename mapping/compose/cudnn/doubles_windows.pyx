"""Pooling and normalisation across channels of doubles, which MIOpen has not, on the host: as doubles.pyx."""

include "generated.pxi"
include "cudnn_abi.pxi"
include "cudnn_backend.pxi"
include "cudnn_translate.pxi"
include "slots.pxi"
include "say.pxi"
include "words.pxi"
include "doubles.pxi"

from libc.math cimport INFINITY, pow


# ---- pooling

cdef struct windows:
    int[3] into      # sizes of a plane that is pooled,
    int[3] out       # and of what comes of it
    int[3] size
    int[3] pad
    int[3] step
    int mode
    bint propagates
    int64_t inside   # numbers of a plane
    int64_t outside


cdef void planes_of(windows *w, const dnn_pooling *d, const dnn_tensor *x, const dnn_tensor *y) noexcept nogil:
    cdef int lacking = 3 - d.count
    cdef int i
    for i in range(3):
        w.into[i] = w.out[i] = w.size[i] = w.step[i] = 1
        w.pad[i] = 0
    for i in range(d.count):
        w.into[lacking + i] = x.dim[i + 2]
        w.out[lacking + i] = y.dim[i + 2]
        w.size[lacking + i] = d.window[i]
        w.pad[lacking + i] = d.pad[i]
        w.step[lacking + i] = d.stride[i]
    w.mode = d.mode
    w.propagates = d.nan == CUDNN_PROPAGATE_NAN
    w.inside = <int64_t>w.into[0] * w.into[1] * w.into[2]
    w.outside = <int64_t>w.out[0] * w.out[1] * w.out[2]


cdef inline int first_of(const windows *w, int axis, int o) noexcept nogil:
    cdef int at = o * w.step[axis] - w.pad[axis]
    return at if at > 0 else 0


cdef inline int end_of(const windows *w, int axis, int o) noexcept nogil:
    cdef int64_t at = <int64_t>o * w.step[axis] - w.pad[axis] + w.size[axis]
    return <int>at if at < w.into[axis] else w.into[axis]


cdef void plane_pooled(const windows *w, const double *x, double *y, const double *dy, double *dx) noexcept nogil:
    """y of x; or, where y is NULL, dx of dy, to the first of equal maxima. dx is 0."""
    cdef bint largest = w.mode == CUDNN_POOLING_MAX or w.mode == CUDNN_POOLING_MAX_DETERMINISTIC
    cdef double best, value, total, count
    cdef int64_t o = 0
    cdef int64_t at, place
    cdef int a, b, c, i, j, k
    for a in range(w.out[0]):
        for b in range(w.out[1]):
            for c in range(w.out[2]):
                best = -INFINITY
                place = -1
                total = count = 0
                for i in range(first_of(w, 0, a), end_of(w, 0, a)):
                    for j in range(first_of(w, 1, b), end_of(w, 1, b)):
                        at = (<int64_t>i * w.into[1] + j) * w.into[2]
                        for k in range(first_of(w, 2, c), end_of(w, 2, c)):
                            value = x[at + k] if x is not NULL else 0
                            total += value
                            count += 1
                            if value != value and y is NULL:
                                value = -INFINITY
                            if place < 0 or value > best or best != best or (value != value and w.propagates):
                                if not (value != value and not w.propagates) and not (best != best and w.propagates):
                                    best = value
                                    place = at + k
                if w.mode == CUDNN_POOLING_AVERAGE_COUNT_INCLUDE_PADDING:
                    count = <double>w.size[0] * w.size[1] * w.size[2]
                if y is not NULL:
                    y[o] = best if largest else total / (count if count > 0 else 1)
                elif largest and place >= 0:
                    dx[place] += dy[o]
                elif not largest:
                    for i in range(first_of(w, 0, a), end_of(w, 0, a)):
                        for j in range(first_of(w, 1, b), end_of(w, 1, b)):
                            at = (<int64_t>i * w.into[1] + j) * w.into[2]
                            for k in range(first_of(w, 2, c), end_of(w, 2, c)):
                                dx[at + k] += dy[o] / count
                o += 1


cdef public uint32_t dnn_doubles_pooled(dnn_handle *h, const dnn_pooling *d, const dnn_tensor *xd, const double *x,
        const dnn_tensor *yd, double *y, const double *dy, double *dx) noexcept nogil:
    """Of packed tensors: y ← pool(x); or, where y is NULL, dx from dy and, of a maximum, x."""
    cdef windows w
    cdef double *inner
    cdef double *outer
    cdef double *grads
    cdef int64_t planes = <int64_t>xd.dim[0] * xd.dim[1]
    cdef int64_t done = 0
    cdef int64_t some, i
    cdef uint32_t status = 0
    planes_of(&w, d, xd, yd)
    if w.inside + w.outside > 0x7fffffff // 16:
        return cannot(b"planes of more than 2^27 doubles")
    some = PIECE // (w.inside + w.outside) if w.inside + w.outside < PIECE else 1
    inner = room(h, some * (2 * w.inside + w.outside))
    if inner is NULL:
        return CUDNN_STATUS_NOT_SUPPORTED
    grads = inner + some * w.inside
    outer = grads + some * w.inside
    while done < planes and status == 0:
        some = some if some < planes - done else planes - done
        if x is not NULL:
            status = fetched(h, inner, x + done * w.inside, some * w.inside, 1, <int>(some * w.inside))
        if status == 0 and y is NULL:
            status = fetched(h, outer, dy + done * w.outside, some * w.outside, 1, <int>(some * w.outside))
        if status == 0:
            status = waited(h)
        if status != 0:
            return status
        if y is NULL:
            memset(grads, 0, <size_t>(some * w.inside) * sizeof(double))
        for i in range(some):
            plane_pooled(&w, inner + i * w.inside if x is not NULL else NULL,
                         outer + i * w.outside if y is not NULL else NULL, outer + i * w.outside, grads + i * w.inside)
        if y is not NULL:
            status = stored(h, y + done * w.outside, some * w.outside, outer, 1, <int>(some * w.outside))
        else:
            status = stored(h, dx + done * w.inside, some * w.inside, grads, 1, <int>(some * w.inside))
        done += some
    return status


# ---- normalisation across channels

cdef void column_normed(const dnn_lrn *d, int64_t count, int64_t step, const double *x, const double *dy, double *y,
        double *scale) noexcept nogil:
    """y ← x·S^-b of a column; or, where dy is given, y becomes x's gradient. An even window has one more behind."""
    cdef int64_t ahead = (<int64_t>d.n - 1) // 2
    cdef int64_t behind = <int64_t>d.n // 2
    cdef double ratio = d.alpha / d.n
    cdef double total
    cdef int64_t i, k
    for i in range(count):
        total = 0
        for k in range(max(<int64_t>0, i - ahead), min(count, i + behind + 1)):
            total += x[k * step] * x[k * step]
        scale[i] = d.k + ratio * total
        if dy is NULL:
            y[i * step] = x[i * step] * pow(scale[i], -d.beta)
    for i in range(count if dy is not NULL else 0):
        total = 0
        for k in range(max(<int64_t>0, i - behind), min(count, i + ahead + 1)):
            total += dy[k * step] * x[k * step] * pow(scale[k], -d.beta - 1)
        y[i * step] = dy[i * step] * pow(scale[i], -d.beta) - 2 * ratio * d.beta * x[i * step] * total


cdef public uint32_t dnn_doubles_lrn(dnn_handle *h, const dnn_lrn *d, int64_t images, int64_t count, int64_t step,
        const double *x, const double *dy, double *y) noexcept nogil:
    """Of packed images of `count` channels that lie `step` apart; y may be none of the others."""
    cdef int64_t size = count * step
    cdef int64_t n, i
    cdef double *image
    cdef double *grads
    cdef double *made
    cdef uint32_t status = 0
    if size > 0x7fffffff // 8:
        return cannot(b"images of more than 2^28 doubles")
    image = room(h, 3 * size + count)
    if image is NULL:
        return CUDNN_STATUS_NOT_SUPPORTED
    grads = image + size
    made = grads + size
    for n in range(images):
        status = fetched(h, image, x + n * size, size, 1, <int>size)
        if status == 0 and dy is not NULL:
            status = fetched(h, grads, dy + n * size, size, 1, <int>size)
        if status == 0:
            status = waited(h)
        for i in range(step if status == 0 else 0):
            column_normed(d, count, step, image + i, grads + i if dy is not NULL else NULL, made + i, made + size)
        if status == 0:
            status = stored(h, y + n * size, size, made, 1, <int>size)
        if status != 0:
            return status
    return 0
