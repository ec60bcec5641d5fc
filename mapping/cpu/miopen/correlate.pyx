# cython: language_level=3, cdivision=True, boundscheck=False, wraparound=False
"""Convolutions of the CPU backend's MIOpen as products: im2col in tiles, OpenBLAS's gemm.

The columns of all images stand side by side: column j of N·P belongs to position j % P of image j / P; row k of K is
one tap (channel, then the filter's d, h, w). With the filters W as an M×K matrix of one group,

    forward          Y = W · columns(X)         a tile of columns is one piece of work
    backward data    columns(dX) = Wᵀ · dY      an image is one piece: its columns are added where they came from
    backward weights dW = dY · columns(X)ᵀ      a range of taps is one piece

Pieces go to the threads, each product on one thread; too few of them are done one after another, and the products
use OpenBLAS's threads. Whatever is plain memory already is used where it lies: filters, 1×1 convolutions' images,
results. Numbers of 16 bits are computed as float, bytes as double, where all their sums are exact.
"""
include "miopen.pxi"
include "elements.pxi"

from libc.string cimport memcpy, memset

cdef extern from "miopen.h" nogil:
    void mi_parallel(int64_t count, int64_t grain, mi_job job, void *context)
    int mi_threads()
    void *mi_scratch(size_t bytes)
    void mi_scratch_done(void *memory)

cdef extern from "openblas.h" nogil:
    enum:
        CBLAS_COLUMNS
    void scipy_cblas_sgemm64_(
        int order, int transa, int transb, int64_t m, int64_t n, int64_t k, float alpha, const float *a, int64_t lda,
        const float *b, int64_t ldb, float beta, float *c, int64_t ldc
    )
    void scipy_cblas_dgemm64_(
        int order, int transa, int transb, int64_t m, int64_t n, int64_t k, double alpha, const double *a, int64_t lda,
        const double *b, int64_t ldb, double beta, double *c, int64_t ldc
    )

ctypedef fused source:
    mi_half
    mi_bfloat16
    float
    int8_t

ctypedef fused target:
    mi_half
    mi_bfloat16
    float
    int8_t
    int32_t

ctypedef fused work:
    float
    double

cdef enum:
    PLAIN = 111
    TRANSPOSED = 112
    TILE_BYTES = 1 << 21  # of columns: about what stays in the second and third cache
    TILE_LEAST = 128      # columns, so that packing the filters is worth it

cdef struct Task:
    mi_problem p
    int64_t taps        # K: rows of the column matrix
    int64_t positions   # P: of one image
    int64_t columns     # N·P
    int64_t tile        # columns of a tile
    int64_t tiles
    int64_t ranges      # backward weights: parts of the taps
    bint direct         # 1×1 and so on: an image is its own column matrix
    bint x_plain        # float, each channel a run of memory
    bint y_plain
    void *x
    void *w             # as p.w_type
    void *filters       # M×K of each group, in the working type
    void *y
    bint failed         # no memory


cdef inline int64_t least(int64_t a, int64_t b) noexcept nogil:
    return a if a < b else b


cdef void product(
    int transa, int transb, int64_t m, int64_t n, int64_t k, const work *a, int64_t lda, const work *b, int64_t ldb,
    work beta, work *c, int64_t ldc
) noexcept nogil:
    """C ← op(A)·op(B) + β·C, all row by row: for gemm, which counts by columns, the transposed product."""
    if work is float:
        scipy_cblas_sgemm64_(CBLAS_COLUMNS, transb, transa, n, m, k, 1, b, ldb, a, lda, beta, c, ldc)
    else:
        scipy_cblas_dgemm64_(CBLAS_COLUMNS, transb, transa, n, m, k, 1, b, ldb, a, lda, beta, c, ldc)


# ---- positions ----

cdef struct Place:
    int64_t n
    int64_t at[3]  # d, h, w of the result


cdef inline Place place_of(const Task *t, int64_t column) noexcept nogil:
    cdef Place s
    cdef int64_t position = column % t.positions
    s.n = column / t.positions
    s.at[2] = position % t.p.y_lens[2]
    position = position / t.p.y_lens[2]
    s.at[1] = position % t.p.y_lens[1]
    s.at[0] = position / t.p.y_lens[1]
    return s


cdef inline void step_row(const Task *t, Place *s, int64_t run) noexcept nogil:
    """`run` columns further; they lie in one row of the result."""
    s.at[2] += run
    if s.at[2] == t.p.y_lens[2]:
        s.at[2] = 0
        s.at[1] += 1
        if s.at[1] == t.p.y_lens[1]:
            s.at[1] = 0
            s.at[0] += 1
            if s.at[0] == t.p.y_lens[0]:
                s.at[0] = 0
                s.n += 1


cdef struct Tap:
    int64_t channel
    int64_t offset[3]  # from a position's corner, padding taken off
    int64_t first      # of a whole row, columns [first, last) see the image
    int64_t last


cdef inline int64_t steps_to(int64_t distance, int64_t stride) noexcept nogil:
    """How many steps reach so far; most are of 1, and divisions are slow."""
    return 0 if distance <= 0 else distance if stride == 1 else (distance + stride - 1) / stride


cdef inline Tap tap_of(const Task *t, int64_t k) noexcept nogil:
    cdef Tap tap
    cdef int i = 2
    while i >= 0:
        tap.offset[i] = k % t.p.w_lens[i] * t.p.dilations[i] - t.p.pads[i]
        k = k / t.p.w_lens[i]
        i -= 1
    tap.channel = k
    tap.last = least(t.p.y_lens[2], steps_to(t.p.x_lens[2] - tap.offset[2], t.p.strides[2]))
    tap.first = least(tap.last, steps_to(-tap.offset[2], t.p.strides[2]))
    return tap


cdef struct Run:
    int64_t first  # columns [first, last) of the run see the image, the others its padding
    int64_t last
    int64_t pixel  # of column 0, inside the channel


cdef inline Run run_of(const Task *t, const Tap *tap, const Place *s, int64_t run, const int64_t *steps) noexcept nogil:
    cdef Run r
    cdef int64_t d = s.at[0] * t.p.strides[0] + tap.offset[0], h = s.at[1] * t.p.strides[1] + tap.offset[1]
    cdef int64_t w = s.at[2] * t.p.strides[2] + tap.offset[2], stride = t.p.strides[2]
    r.first = r.last = r.pixel = 0
    if d < 0 or d >= t.p.x_lens[0] or h < 0 or h >= t.p.x_lens[1] or w >= t.p.x_lens[2]:
        return r
    if run == t.p.y_lens[2]:
        r.first, r.last = tap.first, tap.last
    else:
        r.last = least(run, steps_to(t.p.x_lens[2] - w, stride))
        r.first = least(r.last, steps_to(-w, stride))
    r.pixel = d * steps[0] + h * steps[1] + w * steps[2]
    return r


# ---- between tensors and matrices ----

cdef void columns_of(
    const Task *t, int64_t group, int64_t begin, int64_t count, int64_t k0, int64_t k1, const source *x, work *out
) noexcept nogil:
    """Rows [k0, k1) of columns [begin, begin + count)."""
    cdef int64_t k, done, run, i, step = t.p.strides[2] * t.p.x[4]
    cdef Place start = place_of(t, begin), s
    cdef Tap tap
    cdef Run r
    cdef const source *pixel
    for k in range(k0, k1):
        tap = tap_of(t, k)
        s = start
        done = 0
        while done < count:
            run = least(t.p.y_lens[2] - s.at[2], count - done)
            r = run_of(t, &tap, &s, run, &t.p.x[2])
            pixel = x + s.n * t.p.x[0] + (group * t.p.c + tap.channel) * t.p.x[1] + r.pixel
            for i in range(r.first):
                out[i] = 0
            if step == 1:
                if source is float and work is float:
                    if r.last > r.first:
                        memcpy(out + r.first, pixel + r.first, <size_t>(r.last - r.first) * sizeof(float))
                else:
                    for i in range(r.first, r.last):
                        out[i] = <work>load(pixel[i])
            else:
                for i in range(r.first, r.last):
                    out[i] = <work>load(pixel[i * step])
            for i in range(r.last, run):
                out[i] = 0
            out += run
            done += run
            step_row(t, &s, run)


cdef void add_columns(const Task *t, int64_t begin, int64_t count, const work *columns, work *image) noexcept nogil:
    """Adds columns of one image where they were taken from; `image` is C×D×H×W."""
    cdef int64_t k, done, run, i, step = t.p.strides[2]
    cdef int64_t steps[3]
    cdef Place start = place_of(t, begin), s
    cdef Tap tap
    cdef Run r
    cdef work *pixel
    steps[2] = 1
    steps[1] = t.p.x_lens[2]
    steps[0] = steps[1] * t.p.x_lens[1]
    for k in range(t.taps):
        tap = tap_of(t, k)
        s = start
        done = 0
        while done < count:
            run = least(t.p.y_lens[2] - s.at[2], count - done)
            r = run_of(t, &tap, &s, run, steps)
            pixel = image + tap.channel * steps[0] * t.p.x_lens[0] + r.pixel
            if step == 1:
                for i in range(r.first, r.last):
                    pixel[i] += columns[i]
            else:
                for i in range(r.first, r.last):
                    pixel[i * step] += columns[i]
            columns += run
            done += run
            step_row(t, &s, run)


cdef void results_of(const Task *t, int64_t group, int64_t begin, int64_t count, const source *y, work *out) noexcept nogil:
    """M×count: results of columns [begin, begin + count) as a matrix."""
    cdef int64_t m, done, run, i
    cdef Place start = place_of(t, begin), s
    cdef const source *row
    for m in range(t.p.k):
        s = start
        done = 0
        while done < count:
            run = least(t.p.y_lens[2] - s.at[2], count - done)
            row = y + s.n * t.p.y[0] + (group * t.p.k + m) * t.p.y[1] + s.at[0] * t.p.y[2] + s.at[1] * t.p.y[3]
            row += s.at[2] * t.p.y[4]
            for i in range(run):
                out[i] = <work>load(row[i * t.p.y[4]])
            out += run
            done += run
            step_row(t, &s, run)


cdef void put_results(
    const Task *t, int64_t group, int64_t begin, int64_t count, const work *results, target *y
) noexcept nogil:
    cdef int64_t m, done, run, i
    cdef Place start = place_of(t, begin), s
    cdef target *row
    for m in range(t.p.k):
        s = start
        done = 0
        while done < count:
            run = least(t.p.y_lens[2] - s.at[2], count - done)
            row = y + s.n * t.p.y[0] + (group * t.p.k + m) * t.p.y[1] + s.at[0] * t.p.y[2] + s.at[1] * t.p.y[3]
            row += s.at[2] * t.p.y[4]
            for i in range(run):
                store(&row[i * t.p.y[4]], <double>results[i])
            results += run
            done += run
            step_row(t, &s, run)


cdef void put_image(const Task *t, int64_t n, int64_t group, const work *image, target *x) noexcept nogil:
    cdef int64_t c, d, h, i
    cdef target *row
    for c in range(t.p.c):
        for d in range(t.p.x_lens[0]):
            for h in range(t.p.x_lens[1]):
                row = x + n * t.p.x[0] + (group * t.p.c + c) * t.p.x[1] + d * t.p.x[2] + h * t.p.x[3]
                for i in range(t.p.x_lens[2]):
                    store(&row[i * t.p.x[4]], <double>image[i])
                image += t.p.x_lens[2]


cdef inline int64_t filter_place(const Task *t, int64_t m, int64_t k) noexcept nogil:
    """Where tap k of filter m (of all groups) lies."""
    cdef int64_t at = m * t.p.w[0]
    cdef int i = 2
    while i >= 0:
        at += k % t.p.w_lens[i] * t.p.w[i + 2]
        k = k / t.p.w_lens[i]
        i -= 1
    return at + k * t.p.w[1]


cdef void filters_of(const Task *t, const source *w, work *out) noexcept nogil:
    cdef int64_t m, k
    for m in range(t.p.groups * t.p.k):
        for k in range(t.taps):
            out[m * t.taps + k] = <work>load(w[filter_place(t, m, k)])


cdef void put_filters(const Task *t, const work *filters, target *w) noexcept nogil:
    cdef int64_t m, k
    for m in range(t.p.groups * t.p.k):
        for k in range(t.taps):
            store(&w[filter_place(t, m, k)], <double>filters[m * t.taps + k])


# ---- by type ----

cdef void any_columns(
    const Task *t, int64_t group, int64_t begin, int64_t count, int64_t k0, int64_t k1, work *out
) noexcept nogil:
    if t.p.x_type == miopenFloat:
        columns_of(t, group, begin, count, k0, k1, <const float *>t.x, out)
    elif t.p.x_type == miopenHalf:
        columns_of(t, group, begin, count, k0, k1, <const mi_half *>t.x, out)
    elif t.p.x_type == miopenBFloat16:
        columns_of(t, group, begin, count, k0, k1, <const mi_bfloat16 *>t.x, out)
    else:
        columns_of(t, group, begin, count, k0, k1, <const int8_t *>t.x, out)


cdef void any_results(const Task *t, int64_t group, int64_t begin, int64_t count, work *out) noexcept nogil:
    if t.p.y_type == miopenFloat:
        results_of(t, group, begin, count, <const float *>t.y, out)
    elif t.p.y_type == miopenHalf:
        results_of(t, group, begin, count, <const mi_half *>t.y, out)
    elif t.p.y_type == miopenBFloat16:
        results_of(t, group, begin, count, <const mi_bfloat16 *>t.y, out)
    else:
        results_of(t, group, begin, count, <const int8_t *>t.y, out)


cdef void put_any_results(const Task *t, int64_t group, int64_t begin, int64_t count, const work *results) noexcept nogil:
    if t.p.y_type == miopenFloat:
        put_results(t, group, begin, count, results, <float *>t.y)
    elif t.p.y_type == miopenHalf:
        put_results(t, group, begin, count, results, <mi_half *>t.y)
    elif t.p.y_type == miopenBFloat16:
        put_results(t, group, begin, count, results, <mi_bfloat16 *>t.y)
    elif t.p.y_type == miopenInt32:
        put_results(t, group, begin, count, results, <int32_t *>t.y)
    else:
        put_results(t, group, begin, count, results, <int8_t *>t.y)


cdef void put_any_image(const Task *t, int64_t n, int64_t group, const work *image) noexcept nogil:
    if t.p.x_type == miopenFloat:
        put_image(t, n, group, image, <float *>t.x)
    elif t.p.x_type == miopenHalf:
        put_image(t, n, group, image, <mi_half *>t.x)
    elif t.p.x_type == miopenBFloat16:
        put_image(t, n, group, image, <mi_bfloat16 *>t.x)
    elif t.p.x_type == miopenInt32:
        put_image(t, n, group, image, <int32_t *>t.x)
    else:
        put_image(t, n, group, image, <int8_t *>t.x)


cdef void any_filters(const Task *t, work *out) noexcept nogil:
    if t.p.w_type == miopenFloat:
        filters_of(t, <const float *>t.w, out)
    elif t.p.w_type == miopenHalf:
        filters_of(t, <const mi_half *>t.w, out)
    elif t.p.w_type == miopenBFloat16:
        filters_of(t, <const mi_bfloat16 *>t.w, out)
    else:
        filters_of(t, <const int8_t *>t.w, out)


cdef void put_any_filters(const Task *t, const work *filters) noexcept nogil:
    if t.p.w_type == miopenFloat:
        put_filters(t, filters, <float *>t.w)
    elif t.p.w_type == miopenHalf:
        put_filters(t, filters, <mi_half *>t.w)
    else:
        put_filters(t, filters, <mi_bfloat16 *>t.w)


# ---- the three directions ----

cdef inline bint in_one_image(const Task *t, int64_t begin, int64_t count) noexcept nogil:
    return begin / t.positions == (begin + count - 1) / t.positions


cdef inline void *plain_results(const Task *t, int64_t group, int64_t begin) noexcept nogil:
    """Where a matrix of results lies in y itself: its rows are t.p.y[1] apart."""
    return <float *>t.y + begin / t.positions * t.p.y[0] + group * t.p.k * t.p.y[1] + begin % t.positions


cdef inline void *plain_columns(const Task *t, int64_t group, int64_t begin) noexcept nogil:
    return <float *>t.x + begin / t.positions * t.p.x[0] + group * t.p.c * t.p.x[1] + begin % t.positions


cdef void forward_piece(Task *t, int64_t piece, work *like) noexcept nogil:
    cdef int64_t group = piece / t.tiles, begin = piece % t.tiles * t.tile
    cdef int64_t count = least(t.tile, t.columns - begin), ldb = count, ldc = count
    cdef bint one = in_one_image(t, begin, count)
    cdef work *memory = NULL
    cdef work *columns
    cdef work *results
    cdef const work *filters = <const work *>t.filters + group * t.p.k * t.taps
    cdef bint own_columns = not (one and t.direct), own_results = not (one and t.y_plain)
    cdef int64_t size = (t.taps * count if own_columns else 0) + (t.p.k * count if own_results else 0)
    if size:
        memory = <work *>mi_scratch(<size_t>size * sizeof(work))
        if memory == NULL:
            t.failed = True
            return
    columns = memory
    results = memory + (t.taps * count if own_columns else 0)
    if own_columns:
        any_columns(t, group, begin, count, 0, t.taps, columns)
    else:
        columns = <work *>plain_columns(t, group, begin)
        ldb = t.p.x[1]
    if not own_results:
        results = <work *>plain_results(t, group, begin)
        ldc = t.p.y[1]
    product(PLAIN, PLAIN, t.p.k, count, t.taps, filters, t.taps, <const work *>columns, ldb, <work>0, results, ldc)
    if own_results:
        put_any_results(t, group, begin, count, <const work *>results)
    mi_scratch_done(memory)


cdef void data_piece(Task *t, int64_t piece, work *like) noexcept nogil:
    """One image of one group."""
    cdef int64_t n = piece / t.p.groups, group = piece % t.p.groups, begin = n * t.positions, end = begin + t.positions
    cdef int64_t count, ldb, pixels = t.p.c * t.p.x_lens[0] * t.p.x_lens[1] * t.p.x_lens[2]
    cdef const work *filters = <const work *>t.filters + group * t.p.k * t.taps
    # The image itself is where the sums are made where its channels lie one behind the other.
    cdef bint own_image = not (t.x_plain and t.p.x[1] * t.p.c == pixels)
    cdef int64_t size = pixels if own_image else 0
    cdef work *memory
    cdef work *image
    cdef work *columns
    cdef work *results
    size += t.tile * (t.taps + (0 if t.y_plain else t.p.k))
    memory = <work *>mi_scratch(<size_t>size * sizeof(work))
    if memory == NULL:
        t.failed = True
        return
    columns = memory
    image = memory + t.tile * t.taps if own_image else <work *>(<float *>t.x + n * t.p.x[0] + group * t.p.c * t.p.x[1])
    if not t.direct:
        memset(image, 0, <size_t>pixels * sizeof(work))
    while begin < end:
        count = least(t.tile, end - begin)
        if t.y_plain:
            results = <work *>plain_results(t, group, begin)
            ldb = t.p.y[1]
        else:
            results = memory + size - t.tile * t.p.k
            ldb = count
            any_results(t, group, begin, count, results)
        if t.direct:
            product(
                TRANSPOSED, PLAIN, t.taps, count, t.p.k, filters, t.taps, <const work *>results, ldb, <work>0,
                image + begin % t.positions, t.positions
            )
        else:
            product(
                TRANSPOSED, PLAIN, t.taps, count, t.p.k, filters, t.taps, <const work *>results, ldb, <work>0, columns,
                count
            )
            add_columns(t, begin, count, <const work *>columns, image)
        begin += count
    if own_image:
        put_any_image(t, n, group, <const work *>image)
    mi_scratch_done(memory)


cdef void weights_piece(Task *t, int64_t piece, work *like) noexcept nogil:
    """Some taps of one group, over all columns."""
    cdef int64_t group = piece / t.ranges, part = piece % t.ranges
    cdef int64_t k0 = t.taps * part / t.ranges, k1 = t.taps * (part + 1) / t.ranges, rows = k1 - k0
    cdef int64_t begin = 0, count, lda, ldb
    cdef work *filters = <work *>t.filters + group * t.p.k * t.taps + k0
    cdef work *memory
    cdef work *columns
    cdef work *results
    cdef work keep = 0
    if rows == 0:
        return
    memory = <work *>mi_scratch(<size_t>(t.tile * (rows + t.p.k)) * sizeof(work))
    if memory == NULL:
        t.failed = True
        return
    while begin < t.columns:
        count = least(t.tile, t.columns - begin)
        if t.direct or t.y_plain:  # one image at a time
            count = least(count, t.positions - begin % t.positions)
        columns = memory
        ldb = count
        if t.direct:
            columns = <work *>plain_columns(t, group, begin) + k0 * t.p.x[1]
            ldb = t.p.x[1]
        else:
            any_columns(t, group, begin, count, k0, k1, columns)
        results = memory + t.tile * rows
        lda = count
        if t.y_plain:
            results = <work *>plain_results(t, group, begin)
            lda = t.p.y[1]
        else:
            any_results(t, group, begin, count, results)
        product(
            PLAIN, TRANSPOSED, t.p.k, rows, count, <const work *>results, lda, <const work *>columns, ldb, keep, filters,
            t.taps
        )
        keep = 1
        begin += count
    mi_scratch_done(memory)


cdef void job(void *context, int64_t begin, int64_t end) noexcept nogil:
    cdef Task *t = <Task *>context
    cdef int64_t piece
    cdef bint bytes = t.p.w_type == miopenInt8
    for piece in range(begin, end):
        if t.p.direction == MI_FORWARD:
            if bytes:
                forward_piece(t, piece, <double *>NULL)
            else:
                forward_piece(t, piece, <float *>NULL)
        elif t.p.direction == MI_BACKWARD_DATA:
            if bytes:
                data_piece(t, piece, <double *>NULL)
            else:
                data_piece(t, piece, <float *>NULL)
        else:
            weights_piece(t, piece, <float *>NULL)


cdef bint is_plain(int type, const int64_t *strides, const int64_t *lens) noexcept nogil:
    """float, and the pixels of a channel one behind the other."""
    if type != miopenFloat or (lens[2] > 1 and strides[4] != 1):
        return False
    return (lens[1] == 1 or strides[3] == lens[2]) and (lens[0] == 1 or strides[2] == lens[1] * lens[2])


cdef bint plain_filters(const mi_problem *p, int64_t taps) noexcept nogil:
    cdef int64_t area = p.w_lens[0] * p.w_lens[1] * p.w_lens[2]
    if not is_plain(p.w_type, p.w, p.w_lens):
        return False
    return (p.c == 1 or p.w[1] == area) and (p.k * p.groups == 1 or p.w[0] == taps)


cdef bint is_direct(const mi_problem *p) noexcept nogil:
    cdef int i
    for i in range(3):
        if p.w_lens[i] != 1 or p.strides[i] != 1 or p.pads[i] != 0:
            return False
    return True


cdef public miopenStatus_t mi_convolve(const mi_problem *problem, void *x, void *w, void *y) noexcept nogil:
    cdef Task t
    cdef size_t size = sizeof(double) if problem.w_type == miopenInt8 else sizeof(float)
    cdef int64_t pieces
    cdef int threads = mi_threads()
    cdef bint own_filters
    memset(&t, 0, sizeof(t))
    t.p = problem[0]
    t.x, t.w, t.y = x, w, y
    # Where there is one channel its step says nothing, but a product wants rows that are no longer than their distance.
    if t.p.c * t.p.groups == 1:
        t.p.x[1] = t.p.x_lens[0] * t.p.x_lens[1] * t.p.x_lens[2]
    if t.p.k * t.p.groups == 1:
        t.p.y[1] = t.p.y_lens[0] * t.p.y_lens[1] * t.p.y_lens[2]
    t.taps = t.p.c * t.p.w_lens[0] * t.p.w_lens[1] * t.p.w_lens[2]
    t.positions = t.p.y_lens[0] * t.p.y_lens[1] * t.p.y_lens[2]
    t.columns = t.p.n * t.positions
    t.x_plain = is_plain(t.p.x_type, t.p.x, t.p.x_lens)
    t.y_plain = is_plain(t.p.y_type, t.p.y, t.p.y_lens) and t.p.w_type == miopenFloat
    t.direct = t.x_plain and is_direct(&t.p)
    own_filters = not plain_filters(&t.p, t.taps)
    t.filters = w
    if own_filters:
        t.filters = mi_scratch(<size_t>(t.p.groups * t.p.k * t.taps) * size)
        if t.filters == NULL:
            return miopenStatusAllocFailed
        if t.p.direction != MI_BACKWARD_WEIGHTS:
            if t.p.w_type == miopenInt8:
                any_filters(&t, <double *>t.filters)
            else:
                any_filters(&t, <float *>t.filters)
    t.tile = TILE_BYTES / (t.taps * <int64_t>size)
    if t.tile < TILE_LEAST:
        t.tile = TILE_LEAST
    set_tiles(&t, threads)
    pieces = t.p.groups * t.tiles
    if t.p.direction == MI_BACKWARD_DATA:
        pieces = t.p.groups * t.p.n
    elif t.p.direction == MI_BACKWARD_WEIGHTS:
        t.ranges = least(threads, (t.taps + 15) / 16) if t.p.groups < threads else 1
        pieces = t.p.groups * t.ranges
    if pieces >= threads:
        mi_parallel(pieces, 1, job, &t)
    else:
        job(&t, 0, pieces)
    if own_filters:
        if t.p.direction == MI_BACKWARD_WEIGHTS and not t.failed:
            put_any_filters(&t, <const float *>t.filters)
        mi_scratch_done(t.filters)
    return miopenStatusAllocFailed if t.failed else miopenStatusSuccess


cdef void set_tiles(Task *t, int threads) noexcept nogil:
    """Whole images where they are small; forward: no tile holds a part of one image and a part of another."""
    cdef int64_t parts
    if t.p.direction == MI_FORWARD and t.columns < t.tile * threads:  # something for each thread
        t.tile = (t.columns + threads - 1) / threads
    if t.direct and t.p.direction == MI_FORWARD and t.tile > t.positions and t.positions >= TILE_LEAST:
        t.tile = t.positions  # used where they lie, which several images together are not
    if t.tile >= t.positions:
        t.tile = t.tile / t.positions * t.positions
    elif t.p.direction == MI_FORWARD:
        # Equal parts of an image, so that the tiles of all images line up.
        parts = (t.positions + t.tile - 1) / t.tile
        while t.positions % parts != 0 and parts * 16 < t.positions:
            parts += 1
        t.tile = t.positions / parts if t.positions % parts == 0 else t.tile
    t.tile = least(t.tile, t.columns)
    if t.p.direction == MI_BACKWARD_DATA:
        t.tile = least(t.tile, t.positions)
    t.tiles = (t.columns + t.tile - 1) / t.tile
