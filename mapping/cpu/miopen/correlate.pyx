# cython: language_level=3, cdivision=True, boundscheck=False, wraparound=False
"""Convolutions of the CPU backend's MIOpen as products: im2col in tiles, OpenBLAS's gemm.

A plane of the result is H×W positions: of one image, at one depth. A tile is some lines of some planes side by side;
its columns are the positions, by line, then plane, then place in the line. With the filters W as an M×K matrix of one
group, whose K are taps (channel, then the filter's d, h, w),

    forward          Y = W · columns(X)         a tile is one piece of work
    backward data    columns(dX) = Wᵀ · dY      some images are one piece: their columns are added where they came from
    backward weights dW = dY · columns(X)ᵀ      a range of taps is one piece

Where positions are one line apart, line r of a filter sees what its line 0 sees r lines further down. So columns are
made for line 0 alone, with some lines below the tile's (`halo`), and each line of the filters has a product of its own
with the same memory from r lines further on: a third of the copies for 3×3. Several planes together make products of
small images worth their while, since gemm packs all filters anew for each.

Pieces go to the threads, each product on one thread; too few of them are done one after another, and the products
use OpenBLAS's threads. Whatever is plain memory already is used where it lies: filters, 1×1 convolutions' images,
results. Numbers of 16 bits are computed as float, bytes as double, where all their sums are exact.

Memory: a piece takes at most TILE_BYTES for its columns, four times that where they are fewer than TILE_COLUMNS, more
where FEW of them need it; four times as much again for results that are not used where they lie, and backward data
TILE_BYTES for images that are not, or what one takes. Filters in another order are there once a call.
"""
include "miopen.pxi"
include "shared.pxi"
include "elements.pxi"

from libc.string cimport memcpy, memset


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
    TILE_BYTES = 1 << 22  # of columns: about what stays in the caches
    TILE_COLUMNS = 448    # for which packing the filters costs little: worth four times the memory
    FEW = 128             # columns, with less than which a product is mostly packing
    PLENTY = 512          # positions of a plane, for which others beside it gain less than copying the results costs
    DEEP = 32             # rows of a column matrix, so that a product for each line of the filters is worth it

cdef struct Task:
    mi_problem p
    int64_t taps        # K
    int64_t shifts      # lines of the filters with a product each; 1: all in one
    int64_t rows        # of a column matrix: K / shifts
    int64_t halo        # lines below a tile's that the last shift sees
    int64_t planes      # N·D
    int64_t together    # planes of a tile
    int64_t lines       # of a tile
    int64_t width       # of a tile's lines: whole ones where they are not very long
    int64_t images      # backward data: of a piece
    int64_t ranges      # backward weights: parts of the rows
    bint direct         # 1×1 and so on: an image is its own column matrix
    bint x_plain        # float, each channel a run of memory
    bint y_plain
    void *x
    void *w             # as p.w_type
    void *filters       # M×rows of each group and shift, in the working type
    void *y
    bint failed         # no memory


cdef inline int64_t least(int64_t a, int64_t b) noexcept nogil:
    return a if a < b else b


cdef inline int64_t greatest(int64_t a, int64_t b) noexcept nogil:
    return a if a > b else b


cdef void product(
    int transa, int transb, int64_t m, int64_t n, int64_t k, const work *a, int64_t lda, const work *b, int64_t ldb,
    work beta, work *c, int64_t ldc
) noexcept nogil:
    """C ← op(A)·op(B) + β·C, all row by row: for gemm, which counts by columns, the transposed product."""
    if work is float:
        scipy_cblas_sgemm64_(CBLAS_COLUMNS, transb, transa, n, m, k, 1, b, ldb, a, lda, beta, c, ldc)
    else:
        scipy_cblas_dgemm64_(CBLAS_COLUMNS, transb, transa, n, m, k, 1, b, ldb, a, lda, beta, c, ldc)


# ---- tiles ----

cdef struct Tile:
    int64_t n, d        # of its first plane
    int64_t planes
    int64_t h, lines
    int64_t w, width
    int64_t line        # columns of a line: of all planes
    int64_t columns     # of the result
    int64_t row         # of the column matrix, with the halo


cdef inline int64_t parts(int64_t count, int64_t most) noexcept nogil:
    return (count + most - 1) / most


cdef inline int64_t tiles_of(const Task *t, int64_t planes) noexcept nogil:
    return parts(planes, t.together) * parts(t.p.y_lens[1], t.lines) * parts(t.p.y_lens[2], t.width)


cdef inline Tile tile_of(const Task *t, int64_t begin, int64_t end, int64_t tile) noexcept nogil:
    """A tile of planes [begin, end)."""
    cdef Tile s
    cdef int64_t down = parts(t.p.y_lens[1], t.lines), across = parts(t.p.y_lens[2], t.width)
    cdef int64_t plane = begin + tile / (down * across) * t.together
    s.n = plane / t.p.y_lens[0]
    s.d = plane % t.p.y_lens[0]
    s.planes = least(t.together, end - plane)
    s.h = tile / across % down * t.lines
    s.lines = least(t.lines, t.p.y_lens[1] - s.h)
    s.w = tile % across * t.width
    s.width = least(t.width, t.p.y_lens[2] - s.w)
    s.line = s.planes * s.width
    s.columns = s.lines * s.line
    s.row = (s.lines + t.halo) * s.line
    return s


cdef inline int64_t shifted(const Task *t, const Tile *s, int64_t shift) noexcept nogil:
    """Where line `shift` of the filters begins to see a tile's columns."""
    return shift * t.p.dilations[1] * s.line


cdef inline void next_plane(const Task *t, int64_t *n, int64_t *d) noexcept nogil:
    d[0] += 1
    if d[0] == t.p.y_lens[0]:
        d[0] = 0
        n[0] += 1


cdef struct Tap:
    int64_t channel
    int64_t offset[3]  # from a position's corner, padding taken off
    int64_t first      # columns [first, last) of a line see the image, the others its padding
    int64_t last


cdef inline int64_t steps_to(int64_t distance, int64_t stride) noexcept nogil:
    return 0 if distance <= 0 else (distance + stride - 1) / stride


cdef inline Tap tap_of(const Task *t, const Tile *s, int64_t row) noexcept nogil:
    cdef Tap tap
    cdef int64_t at
    cdef int i = 2
    while i >= 0:
        at = 0
        if i != 1 or t.shifts == 1:
            at = row % t.p.w_lens[i]
            row = row / t.p.w_lens[i]
        tap.offset[i] = at * t.p.dilations[i] - t.p.pads[i]
        i -= 1
    tap.channel = row
    at = s.w * t.p.strides[2] + tap.offset[2]
    tap.last = least(s.width, steps_to(t.p.x_lens[2] - at, t.p.strides[2]))
    tap.first = least(tap.last, steps_to(-at, t.p.strides[2]))
    return tap


cdef inline bint sees(
    const Task *t, const Tile *s, const Tap *tap, int64_t d, int64_t line, const int64_t *steps, int64_t *pixel
) noexcept nogil:
    """Whether a line of a plane sees the image, and which pixel of the channel its first column would."""
    cdef int64_t h = (s.h + line) * t.p.strides[1] + tap.offset[1]
    d = d * t.p.strides[0] + tap.offset[0]
    pixel[0] = d * steps[0] + h * steps[1] + (s.w * t.p.strides[2] + tap.offset[2]) * steps[2]
    return 0 <= d < t.p.x_lens[0] and 0 <= h < t.p.x_lens[1] and tap.first < tap.last


# ---- between tensors and matrices ----

cdef inline void copy(float *out, const float *numbers, int64_t count, int64_t step) noexcept nogil:
    cdef int64_t i
    if step == 1:
        memcpy(out, numbers, <size_t>count * sizeof(float))
    else:
        for i in range(count):
            out[i] = numbers[i * step]


cdef void columns_of(
    const Task *t, const Tile *s, int64_t group, int64_t k0, int64_t k1, const source *x, work *out
) noexcept nogil:
    """Rows [k0, k1) of a tile's column matrix."""
    cdef int64_t k, line, plane, n, d, i, at, step = t.p.strides[2] * t.p.x[4]
    cdef Tap tap
    cdef const source *pixel
    for k in range(k0, k1):
        tap = tap_of(t, s, k)
        for line in range(s.lines + t.halo):
            n, d = s.n, s.d
            for plane in range(s.planes):
                if sees(t, s, &tap, d, line, &t.p.x[2], &at):
                    pixel = x + n * t.p.x[0] + (group * t.p.c + tap.channel) * t.p.x[1] + at
                    for i in range(tap.first):
                        out[i] = 0
                    if source is float and work is float:
                        copy(out + tap.first, pixel + tap.first * step, tap.last - tap.first, step)
                    else:
                        for i in range(tap.first, tap.last):
                            out[i] = <work>load(pixel[i * step])
                    for i in range(tap.last, s.width):
                        out[i] = 0
                else:
                    for i in range(s.width):
                        out[i] = 0
                out += s.width
                next_plane(t, &n, &d)


cdef void add_columns(const Task *t, const Tile *s, const work *columns, work *image, int64_t step_n) noexcept nogil:
    """Adds a tile's columns where they were taken from; `image` is C×D×H×W, that of the tile's first plane."""
    cdef int64_t k, line, plane, n, d, i, at, step = t.p.strides[2]
    cdef int64_t steps[3]
    cdef Tap tap
    cdef work *pixel
    steps[2] = 1
    steps[1] = t.p.x_lens[2]
    steps[0] = steps[1] * t.p.x_lens[1]
    for k in range(t.rows):
        tap = tap_of(t, s, k)
        for line in range(s.lines + t.halo):
            n, d = 0, s.d
            for plane in range(s.planes):
                if sees(t, s, &tap, d, line, steps, &at):
                    pixel = image + n * step_n + tap.channel * steps[0] * t.p.x_lens[0] + at
                    if step == 1:
                        for i in range(tap.first, tap.last):
                            pixel[i] += columns[i]
                    else:
                        for i in range(tap.first, tap.last):
                            pixel[i * step] += columns[i]
                columns += s.width
                next_plane(t, &n, &d)


cdef void results_of(const Task *t, const Tile *s, int64_t group, const source *y, work *out) noexcept nogil:
    """A tile's results as a matrix, M×columns."""
    cdef int64_t m, line, plane, n, d, i
    cdef const source *row
    for m in range(t.p.k):
        for line in range(s.lines):
            n, d = s.n, s.d
            for plane in range(s.planes):
                row = y + n * t.p.y[0] + (group * t.p.k + m) * t.p.y[1] + d * t.p.y[2] + (s.h + line) * t.p.y[3]
                row += s.w * t.p.y[4]
                if source is float and work is float:
                    copy(out, row, s.width, t.p.y[4])
                else:
                    for i in range(s.width):
                        out[i] = <work>load(row[i * t.p.y[4]])
                out += s.width
                next_plane(t, &n, &d)


cdef void put_results(const Task *t, const Tile *s, int64_t group, const work *results, target *y) noexcept nogil:
    cdef int64_t m, line, plane, n, d, i
    cdef target *row
    for m in range(t.p.k):
        for line in range(s.lines):
            n, d = s.n, s.d
            for plane in range(s.planes):
                row = y + n * t.p.y[0] + (group * t.p.k + m) * t.p.y[1] + d * t.p.y[2] + (s.h + line) * t.p.y[3]
                row += s.w * t.p.y[4]
                if target is float and work is float and t.p.y[4] == 1:
                    copy(row, results, s.width, 1)
                else:
                    for i in range(s.width):
                        store(&row[i * t.p.y[4]], <double>results[i])
                results += s.width
                next_plane(t, &n, &d)


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


ctypedef fused stored:
    mi_half
    mi_bfloat16
    float
    int8_t


cdef void move_filters(const Task *t, stored *w, work *filters, bint back) noexcept nogil:
    """From the tensor to matrices, or back."""
    cdef int64_t m, c, d, h, i
    # in a matrix: from a line of a filter to the next, from one depth to the next and from one channel to the next
    cdef int64_t line = t.p.w_lens[2] if t.shifts == 1 else t.p.k * t.rows
    cdef int64_t depth = t.p.w_lens[2] * (t.p.w_lens[1] if t.shifts == 1 else 1), channel = depth * t.p.w_lens[0]
    cdef stored *taps
    cdef work *out
    for m in range(t.p.groups * t.p.k):
        for d in range(t.p.w_lens[0]):
            for h in range(t.p.w_lens[1]):
                for i in range(t.p.w_lens[2]):
                    taps = w + m * t.p.w[0] + d * t.p.w[2] + h * t.p.w[3] + i * t.p.w[4]
                    out = filters + m / t.p.k * t.p.k * t.taps + m % t.p.k * t.rows + d * depth + h * line + i
                    for c in range(t.p.c):
                        if back:
                            store(&taps[c * t.p.w[1]], <double>out[c * channel])
                        else:
                            out[c * channel] = <work>load(taps[c * t.p.w[1]])


# ---- by type ----

cdef void any_columns(
    const Task *t, const Tile *s, int64_t group, int64_t k0, int64_t k1, work *out
) noexcept nogil:
    if t.p.x_type == miopenFloat:
        columns_of(t, s, group, k0, k1, <const float *>t.x, out)
    elif t.p.x_type == miopenHalf:
        columns_of(t, s, group, k0, k1, <const mi_half *>t.x, out)
    elif t.p.x_type == miopenBFloat16:
        columns_of(t, s, group, k0, k1, <const mi_bfloat16 *>t.x, out)
    else:
        columns_of(t, s, group, k0, k1, <const int8_t *>t.x, out)


cdef void any_results(const Task *t, const Tile *s, int64_t group, work *out) noexcept nogil:
    if t.p.y_type == miopenFloat:
        results_of(t, s, group, <const float *>t.y, out)
    elif t.p.y_type == miopenHalf:
        results_of(t, s, group, <const mi_half *>t.y, out)
    elif t.p.y_type == miopenBFloat16:
        results_of(t, s, group, <const mi_bfloat16 *>t.y, out)
    else:
        results_of(t, s, group, <const int8_t *>t.y, out)


cdef void put_any_results(const Task *t, const Tile *s, int64_t group, const work *results) noexcept nogil:
    if t.p.y_type == miopenFloat:
        put_results(t, s, group, results, <float *>t.y)
    elif t.p.y_type == miopenHalf:
        put_results(t, s, group, results, <mi_half *>t.y)
    elif t.p.y_type == miopenBFloat16:
        put_results(t, s, group, results, <mi_bfloat16 *>t.y)
    elif t.p.y_type == miopenInt32:
        put_results(t, s, group, results, <int32_t *>t.y)
    else:
        put_results(t, s, group, results, <int8_t *>t.y)


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


cdef void move_any_filters(const Task *t, work *filters, bint back) noexcept nogil:
    if t.p.w_type == miopenFloat:
        move_filters(t, <float *>t.w, filters, back)
    elif t.p.w_type == miopenHalf:
        move_filters(t, <mi_half *>t.w, filters, back)
    elif t.p.w_type == miopenBFloat16:
        move_filters(t, <mi_bfloat16 *>t.w, filters, back)
    else:
        move_filters(t, <int8_t *>t.w, filters, back)


# ---- the three directions ----

cdef inline void *plain_results(const Task *t, const Tile *s, int64_t group) noexcept nogil:
    """Where a tile of one plane lies in y itself: rows are t.p.y[1] apart."""
    return <float *>t.y + s.n * t.p.y[0] + group * t.p.k * t.p.y[1] + s.d * t.p.y[2] + s.h * t.p.y[3] + s.w


cdef inline void *plain_columns(const Task *t, const Tile *s, int64_t group) noexcept nogil:
    return <float *>t.x + s.n * t.p.x[0] + group * t.p.c * t.p.x[1] + s.d * t.p.x[2] + s.h * t.p.x[3] + s.w


cdef inline bint own_columns(const Task *t) noexcept nogil:
    return not t.direct or t.together > 1


cdef inline bint own_results(const Task *t) noexcept nogil:
    return not t.y_plain or t.together > 1


cdef work *piece_memory(Task *t, int64_t rows, int64_t more, work *like) noexcept nogil:
    """For `rows` rows of the largest tile's columns, its results behind them, and more."""
    cdef int64_t line = t.together * t.width
    cdef int64_t size = more
    cdef work *memory
    if own_columns(t):
        size += rows * (t.lines + t.halo) * line
    if own_results(t):
        size += t.p.k * t.lines * line
    memory = <work *>mi_scratch(<size_t>size * sizeof(work))
    if memory == NULL:  # written then alone: other threads have pieces too
        t.failed = True
    return memory


cdef void forward_piece(Task *t, int64_t piece, work *like) noexcept nogil:
    cdef int64_t tiles = tiles_of(t, t.planes), group = piece / tiles, shift, ldb, ldc
    cdef Tile s = tile_of(t, 0, t.planes, piece % tiles)
    cdef const work *filters = <const work *>t.filters + group * t.p.k * t.taps
    cdef work *memory = piece_memory(t, t.rows, 0, like)
    cdef work *columns = memory
    cdef work *results
    if memory == NULL:
        return
    if own_columns(t):
        ldb = s.row
        any_columns(t, &s, group, 0, t.rows, columns)
        results = memory + t.rows * s.row
    else:
        ldb = t.p.x[1]
        columns = <work *>plain_columns(t, &s, group)
        results = memory
    ldc = s.columns
    if not own_results(t):
        ldc = t.p.y[1]
        results = <work *>plain_results(t, &s, group)
    for shift in range(t.shifts):
        product(
            PLAIN, PLAIN, t.p.k, s.columns, t.rows, filters + shift * t.p.k * t.rows, t.rows,
            <const work *>columns + shifted(t, &s, shift), ldb, <work>(shift > 0), results, ldc
        )
    if own_results(t):
        put_any_results(t, &s, group, <const work *>results)
    mi_scratch_done(memory)


cdef void data_piece(Task *t, int64_t piece, work *like) noexcept nogil:
    """Some images of one group."""
    cdef int64_t group = piece % t.p.groups, n = piece / t.p.groups * t.images, images = least(t.images, t.p.n - n)
    cdef int64_t pixels = t.p.c * t.p.x_lens[0] * t.p.x_lens[1] * t.p.x_lens[2]
    cdef int64_t depth = t.p.y_lens[0], step_n = t.p.x[0], i, k, tile, shift, ldb
    cdef const work *filters = <const work *>t.filters + group * t.p.k * t.taps
    # The images themselves are where the sums are made where their channels lie one behind the other.
    cdef bint own_image = not (t.x_plain and t.p.x[1] * t.p.c == pixels)
    cdef work *memory = piece_memory(t, t.rows, pixels * images if own_image else 0, like)
    cdef work *image = memory
    cdef work *columns = memory
    cdef work *results
    cdef Tile s
    if memory == NULL:
        return
    if own_image:
        step_n = pixels
        columns += pixels * images
    else:
        image = <work *>(<float *>t.x + n * t.p.x[0] + group * t.p.c * t.p.x[1])
    if own_columns(t):
        for i in range(images):
            memset(image + i * step_n, 0, <size_t>pixels * sizeof(work))
    for tile in range(tiles_of(t, images * depth)):
        s = tile_of(t, n * depth, (n + images) * depth, tile)
        if own_results(t):
            ldb = s.columns
            results = columns + (t.rows * s.row if own_columns(t) else 0)
            any_results(t, &s, group, results)
        else:
            ldb = t.p.y[1]
            results = <work *>plain_results(t, &s, group)
        if not own_columns(t):
            product(
                TRANSPOSED, PLAIN, t.taps, s.columns, t.p.k, filters, t.taps, <const work *>results, ldb, <work>0,
                image + (s.d * t.p.x_lens[1] + s.h) * t.p.x_lens[2] + s.w, pixels / t.p.c
            )
            continue
        for k in range(t.rows if t.halo else 0):
            memset(columns + k * s.row + s.columns, 0, <size_t>(t.halo * s.line) * sizeof(work))
        for shift in range(t.shifts):
            product(
                TRANSPOSED, PLAIN, t.rows, s.columns, t.p.k, filters + shift * t.p.k * t.rows, t.rows,
                <const work *>results, ldb, <work>(shift > 0), columns + shifted(t, &s, shift), s.row
            )
        add_columns(t, &s, <const work *>columns, image + (s.n - n) * step_n, step_n)
    if own_image:
        for i in range(images):
            put_any_image(t, n + i, group, <const work *>image + i * pixels)
    mi_scratch_done(memory)


cdef void weights_piece(Task *t, int64_t piece, work *like) noexcept nogil:
    """Some rows of one group, over all columns."""
    cdef int64_t group = piece / t.ranges, part = piece % t.ranges
    cdef int64_t k0 = t.rows * part / t.ranges, k1 = t.rows * (part + 1) / t.ranges, rows = k1 - k0
    cdef int64_t tile, shift, lda, ldb
    cdef work *filters = <work *>t.filters + group * t.p.k * t.taps + k0
    cdef work *memory
    cdef work *columns
    cdef work *results
    cdef Tile s
    if rows == 0:
        return
    memory = piece_memory(t, rows, 0, like)
    if memory == NULL:
        return
    for tile in range(tiles_of(t, t.planes)):
        s = tile_of(t, 0, t.planes, tile)
        if own_columns(t):
            ldb = s.row
            columns = memory
            any_columns(t, &s, group, k0, k1, columns)
        else:
            ldb = t.p.x[1]
            columns = <work *>plain_columns(t, &s, group) + k0 * t.p.x[1]
        if own_results(t):
            lda = s.columns
            results = memory + (rows * s.row if own_columns(t) else 0)
            any_results(t, &s, group, results)
        else:
            lda = t.p.y[1]
            results = <work *>plain_results(t, &s, group)
        for shift in range(t.shifts):
            product(
                PLAIN, TRANSPOSED, t.p.k, rows, s.columns, <const work *>results, lda,
                <const work *>columns + shifted(t, &s, shift), ldb, <work>(tile > 0), filters + shift * t.p.k * t.rows,
                t.rows
            )
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


cdef void one_line(int64_t *lens, int64_t *strides) noexcept nogil:
    """Pixels one behind the other are a line."""
    lens[2] *= lens[1] * lens[0]
    lens[0] = lens[1] = strides[4] = 1


cdef inline int64_t even(int64_t count, int64_t most) noexcept nogil:
    """The length of equal parts, no longer than `most`."""
    return parts(count, parts(count, most))


cdef void set_tiles(Task *t, int64_t size, int threads) noexcept nogil:
    """Whole planes where they are small, else some lines of one, else a part of a line."""
    cdef int64_t height = t.p.y_lens[1], width = t.p.y_lens[2], most, share, planes
    cdef bint in_place = t.y_plain and height * width >= (FEW if t.direct else PLENTY)
    t.planes = t.p.n * t.p.y_lens[0]
    t.shifts, t.halo, t.rows = 1, 0, t.taps
    t.together, t.lines, t.width, t.images = 1, height, width, 1
    if t.direct and in_place:
        return
    share = t.planes * height  # lines that a piece may take, so that there is something for each thread
    if t.p.direction == MI_FORWARD:
        share = greatest(parts(share, threads), parts(FEW, width))
    most = columns_for(t, size) / width
    if t.p.strides[1] == 1 and t.taps >= DEEP * t.p.w_lens[1] and t.planes * height * width >= t.p.k:
        # Putting the filters in order costs less than the copies that this saves; the halo must as well.
        t.shifts = t.p.w_lens[1]
        t.rows = t.taps / t.shifts
        t.halo = (t.shifts - 1) * t.p.dilations[1]
        most = columns_for(t, size) / width - t.halo
        if least(most, share) < least(t.halo, height):
            t.shifts, t.halo, t.rows = 1, 0, t.taps
            most = columns_for(t, size) / width
    if least(most, share) < 1:
        t.lines = 1
        t.width = even(width, columns_for(t, size))
    elif least(most, share) < height:
        t.lines = even(height, least(most, share))
    elif not in_place:
        planes = least((most + t.halo) / (height + t.halo), share / height)
        if t.p.direction == MI_BACKWARD_DATA:
            share = TILE_BYTES / (t.p.c * t.p.x_lens[0] * t.p.x_lens[1] * t.p.x_lens[2] * size)
            t.images = even(t.p.n, greatest(1, least(share, least(planes / t.p.y_lens[0], t.p.n / threads))))
            t.together = even(t.images * t.p.y_lens[0], planes)
        else:
            t.together = even(t.planes, planes)


cdef inline int64_t columns_for(const Task *t, int64_t size) noexcept nogil:
    cdef int64_t most = TILE_BYTES / (greatest(t.rows, t.p.k / 4) * size)
    return greatest(most, greatest(least(TILE_COLUMNS, 4 * most), FEW))


cdef public miopenStatus_t mi_convolve(const mi_problem *problem, void *x, void *w, void *y) noexcept nogil:
    cdef Task t
    cdef int64_t size = sizeof(double) if problem.w_type == miopenInt8 else sizeof(float)
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
    t.x_plain = is_plain(t.p.x_type, t.p.x, t.p.x_lens)
    t.y_plain = is_plain(t.p.y_type, t.p.y, t.p.y_lens) and t.p.w_type == miopenFloat
    t.direct = t.x_plain and is_one_by_one(&t.p)
    if t.direct and t.y_plain:
        one_line(t.p.x_lens, t.p.x)
        one_line(t.p.y_lens, t.p.y)
    set_tiles(&t, size, threads)
    own_filters = t.shifts > 1 or not plain_filters(&t.p, t.taps)
    t.filters = w
    if own_filters:
        t.filters = mi_scratch(<size_t>(t.p.groups * t.p.k * t.taps * size))
        if t.filters == NULL:
            return miopenStatusAllocFailed
        if t.p.direction != MI_BACKWARD_WEIGHTS:
            if t.p.w_type == miopenInt8:
                move_any_filters(&t, <double *>t.filters, False)
            else:
                move_any_filters(&t, <float *>t.filters, False)
    pieces = t.p.groups * tiles_of(&t, t.planes)
    if t.p.direction == MI_BACKWARD_DATA:
        pieces = t.p.groups * parts(t.p.n, t.images)
    elif t.p.direction == MI_BACKWARD_WEIGHTS:
        t.ranges = least(threads, (t.rows + 15) / 16) if t.p.groups < threads else 1
        pieces = t.p.groups * t.ranges
    if pieces >= threads:
        mi_parallel(pieces, 1, job, &t)
    else:
        job(&t, 0, pieces)
    if own_filters:
        if t.p.direction == MI_BACKWARD_WEIGHTS and not t.failed:
            move_any_filters(&t, <float *>t.filters, True)
        mi_scratch_done(t.filters)
    return miopenStatusAllocFailed if t.failed else miopenStatusSuccess
