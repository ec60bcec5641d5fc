"""What MIOpen does not do of doubles, on the host: activations, softmax, batch normalisation.

Pieces come to the host, are computed in order and go back, so that the call waits for the handle's stream and cannot be
captured. MIOpen's numbers of modes are those that its functions of floats take.
"""

include "generated.pxi"
include "cudnn_abi.pxi"
include "cudnn_backend.pxi"
include "cudnn_translate.pxi"
include "slots.pxi"
include "say.pxi"
include "words.pxi"
include "doubles.pxi"

from libc.math cimport exp, expm1, log, pow, sqrt, tanh

# ---- activations

cdef double activated(int mode, double alpha, double beta, double gamma, double x) noexcept nogil:
    if mode == miopenActivationLOGISTIC:
        return 1 / (1 + exp(-x))
    if mode == miopenActivationTANH:
        return tanh(x)
    if mode == miopenActivationRELU:
        return x if x > 0 or x != x else 0
    if mode == miopenActivationCLIPPEDRELU:
        return 0 if not x > 0 else x if x < alpha else alpha
    if mode == miopenActivationELU:
        return x if x > 0 else alpha * expm1(x)
    return sqrt(alpha + beta * x) if gamma == 0.5 else pow(alpha + beta * x, gamma)


cdef double led_back(int mode, double alpha, double y, double dy, double x) noexcept nogil:
    if mode == miopenActivationLOGISTIC:
        return dy * y * (1 - y)
    if mode == miopenActivationTANH:
        return dy * (1 - y * y)
    if mode == miopenActivationRELU:
        return dy * (x > 0)
    if mode == miopenActivationCLIPPEDRELU:
        return dy * (x > 0 and x <= alpha)
    return dy if x > 0 else dy * (y + alpha)


cdef public uint32_t dnn_doubles_activated(dnn_handle *h, int mode, double alpha, double beta, double gamma, int rows,
        int64_t columns, int64_t pitch, const double *x, double *y) noexcept nogil:
    """y ← f(x), both with rows that begin `pitch` apart; LOGISTIC, TANH, RELU, CLIPPEDRELU, ELU or POWER."""
    cdef double *piece = room(h, PIECE)
    cdef int64_t column = 0
    cdef int row, some, wide, i
    cdef uint32_t status = 0
    if piece is NULL:
        return CUDNN_STATUS_NOT_SUPPORTED
    while column < columns:
        wide = <int>(columns - column) if columns - column < PIECE else PIECE
        row = 0
        while row < rows:
            some = PIECE // wide
            some = some if some < rows - row else rows - row
            status = fetched(h, piece, x + <int64_t>row * pitch + column, pitch, some, wide)
            if status == 0:
                status = waited(h)
            if status != 0:
                return status
            for i in range(some * wide):
                piece[i] = activated(mode, alpha, beta, gamma, piece[i])
            status = stored(h, y + <int64_t>row * pitch + column, pitch, piece, some, wide)
            if status != 0:
                return status
            row += some
        column += wide
    return status


cdef public uint32_t dnn_doubles_led_back(dnn_handle *h, int mode, double alpha, int64_t count, const double *y,
        const double *dy, const double *x, double *dx) noexcept nogil:
    """dx ← f′·dy of a row; LOGISTIC, TANH, RELU, CLIPPEDRELU or ELU."""
    cdef double *piece = room(h, 3 * PIECE)
    cdef int64_t done = 0
    cdef int some, i
    cdef uint32_t status = 0
    if piece is NULL:
        return CUDNN_STATUS_NOT_SUPPORTED
    while done < count and status == 0:
        some = <int>(count - done) if count - done < PIECE else PIECE
        status = fetched(h, piece, y + done, some, 1, some)
        if status == 0:
            status = fetched(h, piece + PIECE, dy + done, some, 1, some)
        if status == 0:
            status = fetched(h, piece + 2 * PIECE, x + done, some, 1, some)
        if status == 0:
            status = waited(h)
        if status != 0:
            return status
        for i in range(some):
            piece[i] = led_back(mode, alpha, piece[i], piece[PIECE + i], piece[2 * PIECE + i])
        status = stored(h, dx + done, some, piece, 1, some)
        done += some
    return status


# ---- softmax

cdef void soften(double *p, int64_t count, int64_t step, int algorithm) noexcept nogil:
    """The fast algorithm, which takes no maximum, is answered by the accurate one."""
    cdef double largest = p[0]
    cdef double total = 0
    cdef int64_t i
    for i in range(1, count):
        if p[i * step] > largest or p[i * step] != p[i * step]:
            largest = p[i * step]
    for i in range(count):
        p[i * step] -= largest
        total += exp(p[i * step])
    for i in range(count):
        p[i * step] = p[i * step] - log(total) if algorithm == MIOPEN_SOFTMAX_LOG else exp(p[i * step]) / total


cdef void harden(double *dy, const double *y, int64_t count, int64_t step, int algorithm, double scale) noexcept nogil:
    """dy becomes scale times the gradient."""
    cdef double total = 0
    cdef int64_t i
    for i in range(count):
        total += dy[i * step] if algorithm == MIOPEN_SOFTMAX_LOG else dy[i * step] * y[i * step]
    for i in range(count):
        if algorithm == MIOPEN_SOFTMAX_LOG:
            dy[i * step] = scale * (dy[i * step] - total * exp(y[i * step]))
        else:
            dy[i * step] = scale * y[i * step] * (dy[i * step] - total)


cdef public uint32_t dnn_doubles_softmax(dnn_handle *h, int algorithm, int64_t images, int64_t count, int64_t step,
        double scale, const double *y, double *x) noexcept nogil:
    """Of images that lie one behind the other, each of `step` groups of `count` numbers that lie `step` apart. y NULL:
    x becomes its softmax; else x, a gradient, becomes `scale` times that of the input whose softmax is y."""
    cdef int64_t size = count * step
    cdef int64_t most = PIECE // size if size < PIECE else 1
    cdef int64_t done = 0
    cdef int64_t some, i, k
    cdef double *piece
    cdef double *other
    cdef uint32_t status = 0
    if size > 0x7fffffff // 8:
        return cannot(b"images of more than 2^28 doubles")
    piece = room(h, 2 * most * size)
    if piece is NULL:
        return CUDNN_STATUS_NOT_SUPPORTED
    other = piece + most * size
    while done < images and status == 0:
        some = most if most < images - done else images - done
        status = fetched(h, piece, x + done * size, some * size, 1, <int>(some * size))
        if status == 0 and y is not NULL:
            status = fetched(h, other, y + done * size, some * size, 1, <int>(some * size))
        if status == 0:
            status = waited(h)
        if status != 0:
            return status
        for i in range(some):
            for k in range(step):
                if y is NULL:
                    soften(piece + i * size + k, count, step, algorithm)
                else:
                    harden(piece + i * size + k, other + i * size + k, count, step, algorithm, scale)
        status = stored(h, x + done * size, some * size, piece, 1, <int>(some * size))
        done += some
    return status


# ---- batch normalisation

# images as rows of C·S numbers; a block is some channels of all of them, one image behind the other
cdef struct channels:
    int images
    int64_t all        # C
    int64_t size       # S: values of a channel in an image
    int64_t first      # of the block
    int64_t some
    double *block
    double *grads      # of another operand
    const double *taken[4]  # parameters on the device, each a number a channel; NULL: none
    double *given[4]        # those of the block's channels
    double *left[4]         # results on the device, likewise
    double *made[4]         # the last two in place of the parameters that they were


cdef uint32_t set_out(dnn_handle *h, channels *c, int images, int64_t all, int64_t size) noexcept nogil:
    """Its memory, for blocks of as many channels as are worth a copy."""
    cdef double *memory
    cdef int i
    memset(c, 0, sizeof(channels))
    c.images = images
    c.all = all
    c.size = size
    c.some = PIECE // (images * size) if images * size < PIECE else 1
    c.some = c.some if c.some < all else all
    if images * size > 0x7fffffff // 8:
        return cannot(b"channels of more than 2^28 doubles")
    memory = room(h, 2 * images * size * c.some + 6 * c.some)
    if memory is NULL:
        return CUDNN_STATUS_NOT_SUPPORTED
    c.block = memory
    c.grads = memory + images * size * c.some
    memory = c.grads + images * size * c.some
    for i in range(6):
        if i < 4:
            c.given[i] = memory + i * c.some
        else:
            c.made[i - 4] = memory + i * c.some
    c.made[2] = c.given[2]
    c.made[3] = c.given[3]
    return 0


cdef uint32_t block_in(dnn_handle *h, channels *c, const double *x, const double *dy) noexcept nogil:
    """The next block of x, of dy unless that is NULL, and of the parameters."""
    cdef int64_t start = c.first * c.size, pitch = c.all * c.size
    cdef int i
    cdef uint32_t status
    c.some = c.some if c.some < c.all - c.first else c.all - c.first
    status = fetched(h, c.block, x + start, pitch, c.images, <int>(c.some * c.size))
    if status == 0 and dy is not NULL:
        status = fetched(h, c.grads, dy + start, pitch, c.images, <int>(c.some * c.size))
    for i in range(4):
        if status == 0 and c.taken[i] is not NULL:
            status = fetched(h, c.given[i], c.taken[i] + c.first, c.some, 1, <int>c.some)
    return status if status != 0 else waited(h)


cdef uint32_t block_out(dnn_handle *h, channels *c, double *y, const double *source) noexcept nogil:
    """y's block ← source, and the results; then it is the next block's turn."""
    cdef int i
    cdef uint32_t status = stored(h, y + c.first * c.size, c.all * c.size, source, c.images, <int>(c.some * c.size))
    for i in range(4):
        if status == 0 and c.left[i] is not NULL:
            status = stored(h, c.left[i] + c.first, c.some, c.made[i], 1, <int>c.some)
    c.first += c.some
    return status


cdef void moments(const channels *c, int64_t k, double *mean, double *variance) noexcept nogil:
    cdef const double *p
    cdef double count = <double>c.images * c.size
    cdef double total = 0
    cdef int64_t i
    cdef int n
    for n in range(c.images):
        p = c.block + (n * c.some + k) * c.size
        for i in range(c.size):
            total += p[i]
    mean[0] = total / count
    total = 0
    for n in range(c.images):
        p = c.block + (n * c.some + k) * c.size
        for i in range(c.size):
            total += (p[i] - mean[0]) * (p[i] - mean[0])
    variance[0] = total / count


cdef void channel_normed(channels *c, int64_t k, bint training, double factor, double epsilon) noexcept nogil:
    """given: scale, bias, running mean and variance, both of which become new in training; made: what is saved."""
    cdef double count = <double>c.images * c.size
    cdef double mean = c.given[2][k]
    cdef double variance = c.given[3][k]
    cdef double inverse
    cdef double *p
    cdef int64_t i
    cdef int n
    if training:
        moments(c, k, &mean, &variance)
        c.given[2][k] = (1 - factor) * c.given[2][k] + factor * mean
        c.given[3][k] = (1 - factor) * c.given[3][k] + factor * (
            variance if count == 1 else variance * (count / (count - 1)))
    inverse = 1 / sqrt(variance + epsilon)
    c.made[0][k] = mean
    c.made[1][k] = inverse
    for n in range(c.images):
        p = c.block + (n * c.some + k) * c.size
        for i in range(c.size):
            p[i] = c.given[0][k] * ((p[i] - mean) * inverse) + c.given[1][k]


cdef public uint32_t dnn_doubles_normed(dnn_handle *h, int training, int images, int64_t all, int64_t size,
        const double *x, double *y, const double *scale, const double *bias, double factor, double *mean,
        double *variance, double epsilon, double *saved_mean, double *saved_inverse) noexcept nogil:
    """As MIOpen's batch normalisation of images × all × size, packed; y may be x."""
    cdef channels c
    cdef int64_t k
    cdef uint32_t status = set_out(h, &c, images, all, size)
    c.taken[0] = scale
    c.taken[1] = bias
    c.taken[2] = mean
    c.taken[3] = variance
    if training:
        c.left[0] = saved_mean
        c.left[1] = saved_inverse
        c.left[2] = mean
        c.left[3] = variance
    while c.first < all and status == 0:
        status = block_in(h, &c, x, NULL)
        if status == 0:
            for k in range(c.some):
                channel_normed(&c, k, training, factor, epsilon)
            status = block_out(h, &c, y, c.block)
    return status


cdef void channel_normed_back(channels *c, int64_t k, bint saved, double epsilon) noexcept nogil:
    """given: scale, saved mean and inverse deviation; made: gradients of scale and bias; `grads`, of y, become x's."""
    cdef double count = <double>c.images * c.size
    cdef double mean = c.given[1][k]
    cdef double inverse = c.given[2][k]
    cdef double dscale = 0
    cdef double dbias = 0
    cdef const double *p
    cdef double *g
    cdef int64_t i
    cdef int n
    if not saved:
        moments(c, k, &mean, &inverse)
        inverse = 1 / sqrt(inverse + epsilon)
    for n in range(c.images):
        p = c.block + (n * c.some + k) * c.size
        g = c.grads + (n * c.some + k) * c.size
        for i in range(c.size):
            dbias += g[i]
            dscale += g[i] * ((p[i] - mean) * inverse)
    c.made[0][k] = dscale
    c.made[1][k] = dbias
    for n in range(c.images):
        p = c.block + (n * c.some + k) * c.size
        g = c.grads + (n * c.some + k) * c.size
        for i in range(c.size):
            g[i] = c.given[0][k] * inverse * (g[i] - dbias / count - (p[i] - mean) * inverse * dscale / count)


cdef public uint32_t dnn_doubles_normed_back(dnn_handle *h, int images, int64_t all, int64_t size, const double *x,
        const double *dy, double *dx, const double *scale, double *dscale, double *dbias, double epsilon,
        const double *saved_mean, const double *saved_inverse) noexcept nogil:
    """The saved ones are both given or both NULL."""
    cdef channels c
    cdef int64_t k
    cdef uint32_t status = set_out(h, &c, images, all, size)
    c.taken[0] = scale
    c.taken[1] = saved_mean
    c.taken[2] = saved_inverse
    c.left[0] = dscale
    c.left[1] = dbias
    while c.first < all and status == 0:
        status = block_in(h, &c, x, dy)
        if status == 0:
            for k in range(c.some):
                channel_normed_back(&c, k, saved_mean is not NULL, epsilon)
            status = block_out(h, &c, dx, c.grads)
    return status
