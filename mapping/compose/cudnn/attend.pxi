# Pieces of the multi-head attention (attention.pxi).
#
# Projections are products over all tokens at once. Scores and the heads' outputs are made one sequence after the other,
# so that nothing beyond a sequence's end is read. Lengths come from the descriptors, whose copies on the device the
# caller gives too.

from libc.math cimport INFINITY

cdef extern from "support.h" nogil:
    uint32_t dnn_doubles_softmax(dnn_handle *h, int algorithm, int64_t images, int64_t count, int64_t step,
                                 double scale, const double *y, double *x)

cdef extern from "dragoman.h" nogil:
    bint dg_foreign(const void *handle, uint32_t magic)

cdef enum:
    ATTN_PIECE = 8192    # elements that pass through the host at a time
    ATTN_ONE_TO_ONE = 1  # bits of attnMode: each beam has its keys,
    ATTN_BIASES = 2      # and projections have biases
    ATTN_MOST = 0x7fffffff  # elements of a tensor of MIOpen's

cdef struct attn:
    int type
    size_t bytes       # of an element
    int64_t heads
    int64_t q          # sizes of vectors: as given,
    int64_t k
    int64_t v
    int64_t width      # of a head's queries and keys,
    int64_t value      # of its values,
    int64_t out        # of the output
    bint pq            # projected
    bint pk
    bint pv
    bint po
    bint biased
    double scale
    dnn_dropout *first # in training: of the weights,
    dnn_dropout *last  # of the output
    size_t[9] weight   # where each kind of weights starts; the end

cdef enum:  # parts of workspace and reserve
    PART_Q = 0
    PART_K
    PART_V
    PART_A     # softmax of the scores
    PART_H     # outputs of the heads
    PART_MASK
    PART_ALL_INFER
    PART_DQ = 6
    PART_DK
    PART_DV
    PART_DA
    PART_DH
    PART_ONES
    PART_AD     # where something drops: the weights that are left,
    PART_DO     # the output's gradient that is left,
    PART_KEPT   # and both masks
    PART_KEPT_OUT
    PART_ALL
    PARTS

cdef struct tokens:  # sequences as rows of a matrix
    int64_t count
    int batch
    int beam
    int time
    int64_t batch_step
    int64_t beam_step
    int64_t time_step
    const int32_t *lengths
    bint short_ones  # some sequence ends early


cdef void attn_of(const dnn_attention *d, attn *a) noexcept nogil:
    cdef int64_t[8] sizes
    cdef int i
    a.type = d.type
    a.bytes = <size_t>dnn_type_bytes(d.type)
    a.heads = d.heads
    a.q, a.k, a.v = d.q_size, d.k_size, d.v_size
    a.pq, a.pk, a.pv, a.po = d.q_projected > 0, d.k_projected > 0, d.v_projected > 0, d.o_projected > 0
    a.width = d.q_projected if a.pq else d.q_size
    a.value = d.v_projected if a.pv else d.v_size
    a.out = d.o_projected if a.po else a.heads * a.value
    a.biased = (d.mode & ATTN_BIASES) != 0
    a.scale = d.scale
    a.first = a.last = NULL
    sizes[0] = a.heads * a.width * a.q if a.pq else 0
    sizes[1] = a.heads * a.width * a.k if a.pk else 0
    sizes[2] = a.heads * a.value * a.v if a.pv else 0
    sizes[3] = a.out * a.heads * a.value if a.po else 0
    sizes[4] = a.heads * a.width if a.pq and a.biased else 0
    sizes[5] = a.heads * a.width if a.pk and a.biased else 0
    sizes[6] = a.heads * a.value if a.pv and a.biased else 0
    sizes[7] = a.out if a.po and a.biased else 0
    a.weight[0] = 0
    for i in range(8):
        a.weight[i + 1] = a.weight[i] + <size_t>sizes[i]


cdef void attn_parts(const dnn_attention *d, const attn *a, size_t *parts) noexcept nogil:
    """Where each part starts, in bytes, for the largest sizes of the descriptor; what is not needed has no size. The
    parts of the inference come first."""
    cdef int64_t[PART_ALL] sizes
    cdef int64_t sequences = <int64_t>d.largest_batch * d.largest_beam
    cdef int64_t q = sequences * d.longest_q
    cdef int64_t k = sequences * d.longest_k
    cdef int i
    sizes[PART_Q] = q * a.heads * a.width if a.pq else 0
    sizes[PART_K] = k * a.heads * a.width if a.pk else 0
    sizes[PART_V] = k * a.heads * a.value if a.pv else 0
    sizes[PART_A] = q * a.heads * d.longest_k
    sizes[PART_H] = q * a.heads * a.value if a.po else 0
    sizes[PART_MASK] = <int64_t>d.longest_q * d.longest_k
    sizes[PART_DQ] = sizes[PART_Q]
    sizes[PART_DK] = sizes[PART_K]
    sizes[PART_DV] = sizes[PART_V]
    sizes[PART_DA] = sizes[PART_A]
    sizes[PART_DH] = sizes[PART_H]
    sizes[PART_ONES] = q if q > k else k
    sizes[PART_AD] = sizes[PART_KEPT] = sizes[PART_A] if d.dropout is not NULL else 0
    sizes[PART_DO] = sizes[PART_KEPT_OUT] = q * a.out if d.after_dropout is not NULL else 0
    parts[0] = 0
    for i in range(PART_ALL):
        parts[i + 1] = parts[i] + rounded(<size_t>sizes[i] * (1 if i >= PART_KEPT else a.bytes))


cdef bint attn_is_too_large(const dnn_attention *d, const attn *a) noexcept nogil:
    """Whether the number of some elements does not fit into 64 bits: then none of the sizes can be believed."""
    cdef double sequences = <double>d.largest_batch * d.largest_beam
    cdef double q = sequences * d.longest_q
    cdef double k = sequences * d.longest_k
    cdef double heads = <double>a.heads
    cdef double width = heads * <double>a.width
    cdef double value = heads * <double>a.value
    cdef double most = width * (<double>a.q + <double>a.k) + value * (<double>a.v + <double>a.out)
    most += (q + k) * (width + value) + q * heads * d.longest_k
    return most > 1e16 or value > <double>ATTN_MOST or width > <double>ATTN_MOST


cdef cudnnStatus_t attn_checked(const dnn_attention *d, attn *a) noexcept nogil:
    if d.heads == 0:
        return bad(b"attnDesc has not been set")
    attn_of(d, a)
    if attn_is_too_large(d, a):
        return cannot(b"the weights or the spaces are larger than any memory")
    return CUDNN_STATUS_SUCCESS


cdef cudnnStatus_t attn_tokens(dnn_handle *h, int which, const dnn_attention *d, dnn_seq_data *given, int64_t vector,
        int longest, tokens *t) noexcept nogil:
    cdef const dnn_sequences *s = <const dnn_sequences *>dnn_held(h, which, &given.content)
    cdef int64_t[4] step
    cdef int64_t count = 1
    cdef size_t i
    cdef int at = 2
    if s is NULL:
        return bad(b"a descriptor of sequences has not been set")
    if s.type != d.type:
        return bad(b"sequences and attention differ in type")
    if s.dim[CUDNN_SEQDATA_VECT_DIM] != vector:
        return bad(b"a vector's size is not the attention's")
    t.batch, t.beam = s.dim[CUDNN_SEQDATA_BATCH_DIM], s.dim[CUDNN_SEQDATA_BEAM_DIM]
    t.time = s.dim[CUDNN_SEQDATA_TIME_DIM]
    if t.batch > d.largest_batch or t.beam > d.largest_beam or t.time > longest:
        return bad(b"more sequences, beams or steps than the attention allows")
    while at >= 0:
        step[s.axis[at]] = count
        count *= s.dim[s.axis[at]]
        at -= 1
    t.count = count
    t.batch_step, t.beam_step = step[CUDNN_SEQDATA_BATCH_DIM], step[CUDNN_SEQDATA_BEAM_DIM]
    t.time_step = step[CUDNN_SEQDATA_TIME_DIM]
    t.lengths = <const int32_t *>s.lengths
    t.short_ones = False
    for i in range(s.lengths_count):
        if s.lengths[i] < t.time:
            t.short_ones = True
    return CUDNN_STATUS_SUCCESS


cdef cudnnStatus_t attn_shapes(dnn_handle *h, const dnn_attention *d, const attn *a, dnn_seq_data *qd, dnn_seq_data *kd,
        dnn_seq_data *vd, dnn_seq_data *od, tokens *q, tokens *k, tokens *v, tokens *o) noexcept nogil:
    cdef cudnnStatus_t status = attn_tokens(h, 0, d, qd, a.q, d.longest_q, q)
    if status == CUDNN_STATUS_SUCCESS:
        status = attn_tokens(h, 1, d, kd, a.k, d.longest_k, k)
    if status == CUDNN_STATUS_SUCCESS:
        status = attn_tokens(h, 2, d, vd, a.v, d.longest_k, v)
    if status == CUDNN_STATUS_SUCCESS:
        status = attn_tokens(h, 3, d, od, a.out, d.longest_q, o)
    if status != CUDNN_STATUS_SUCCESS:
        return status
    if q.batch != o.batch or q.beam != o.beam or q.time != o.time:
        return bad(b"queries and outputs differ in sizes")
    if k.batch != v.batch or k.beam != v.beam or k.time != v.time:
        return bad(b"keys and values differ in sizes")
    if q.batch != k.batch:
        return bad(b"queries and keys differ in their batch")
    if k.beam != (q.beam if d.mode & ATTN_ONE_TO_ONE else 1):
        return bad(b"the keys' beams are not as attnMode says")
    return CUDNN_STATUS_SUCCESS


cdef inline int64_t attn_row(const tokens *t, int n, int beam) noexcept nogil:
    """The first token of a sequence; all beams share what has one."""
    return n * t.batch_step + (beam * t.beam_step if t.beam > 1 else 0)


cdef inline int attn_length(const tokens *t, int n, int beam) noexcept nogil:
    return t.lengths[n * t.beam + (beam if t.beam > 1 else 0)]


cdef inline char *at(const void *base, int64_t element, const attn *a) noexcept nogil:
    return <char *>base + element * <int64_t>a.bytes


cdef cudnnStatus_t hip_answered(uint32_t status, const char *what) noexcept nogil:
    return CUDNN_STATUS_SUCCESS if status == 0 else dnn_failed(status_of_hip(status), what, status)


cdef cudnnStatus_t attn_clear(dnn_handle *h, void *x, size_t bytes) noexcept nogil:
    return hip_answered(dg_hip.hipMemsetAsync(x, 0, bytes, <hipStream_t>to_stream(h.stream)), b"hipMemsetAsync")


cdef cudnnStatus_t attn_clear_ends(dnn_handle *h, const attn *a, const tokens *t, int64_t vector,
        void *x) noexcept nogil:
    """Vectors beyond the sequences' ends are 0."""
    cdef int n, b, length
    cdef size_t size = <size_t>vector * a.bytes
    cdef cudnnStatus_t status = CUDNN_STATUS_SUCCESS
    if not t.short_ones:
        return status
    for n in range(t.batch):
        for b in range(t.beam):
            length = attn_length(t, n, b)
            if length < t.time and status == CUDNN_STATUS_SUCCESS:
                status = hip_answered(dg_hip.hipMemset2DAsync(
                    at(x, (attn_row(t, n, b) + length * t.time_step) * vector, a), <size_t>t.time_step * size, 0, size,
                    <size_t>(t.time - length), <hipStream_t>to_stream(h.stream)), b"hipMemset2DAsync")
    return status


cdef void flat(dnn_tensor *d, int type, int64_t rows, int64_t columns) noexcept nogil:
    memset(d, 0, sizeof(dnn_tensor))
    d.type = type
    d.count = 2
    d.dim[0], d.dim[1] = <int32_t>rows, <int32_t>columns
    d.stride[0], d.stride[1] = <int32_t>columns, 1


cdef void sequences(dnn_tensor *d, int type, const tokens *t, int times, int64_t vector) noexcept nogil:
    memset(d, 0, sizeof(dnn_tensor))
    d.type = type
    d.count = 4
    d.dim[0], d.dim[1], d.dim[2], d.dim[3] = t.batch, t.beam, times, <int32_t>vector
    d.stride[0], d.stride[1] = <int32_t>(t.batch_step * vector), <int32_t>(t.beam_step * vector)
    d.stride[2], d.stride[3] = <int32_t>(t.time_step * vector), 1


cdef cudnnStatus_t attn_projected(dnn_handle *h, const attn *a, int64_t rows, int64_t size, const void *x,
        int64_t width, const void *weights, int kind, void *y) noexcept nogil:
    """y (rows × width) ← x · Wᵀ, plus a bias; the weights of a kind are a matrix of `width` rows."""
    cdef dnn_tensor yd
    cdef dnn_tensor bd
    cdef cudnnStatus_t status = dnn_gemm(h, a.type, 0, 1, rows, width, size, 1, x, size, 0,
                                         at(weights, <int64_t>a.weight[kind], a), size, 0, 0, y, width, 0, 1)
    if status != CUDNN_STATUS_SUCCESS or not a.biased:
        return status
    flat(&yd, a.type, rows, width)
    flat(&bd, a.type, 1, width)
    return dnn_op_tensor(h, miopenTensorOpAdd, 1, &yd, y, 1, &bd, at(weights, <int64_t>a.weight[4 + kind], a), 0, &yd,
                         y)


cdef cudnnStatus_t attn_mask(dnn_handle *h, const attn *a, int rows, int keys, const int *low, const int *high,
        void *mask) noexcept nogil:
    """rows × keys: 0 within a query's window, −∞ outside. A window of nothing is left open here. The mask is copied
    from this call's own memory, which a captured graph would read long after."""
    cdef double[ATTN_PIECE] piece
    cdef float *single = <float *>piece
    cdef uint16_t *half = <uint16_t *>piece
    cdef int64_t count = <int64_t>rows * keys
    cdef int64_t done = 0
    cdef int64_t i, some
    cdef int t, j
    cdef bint outside
    cdef cudnnStatus_t status
    if dnn_captured(h):
        return cannot(b"windows under stream capture")
    while done < count:
        some = count - done if count - done < ATTN_PIECE else ATTN_PIECE
        for i in range(some):
            t = <int>((done + i) // keys)
            j = <int>((done + i) % keys)
            outside = not low[t] <= j < high[t] and not attn_is_empty(low[t], high[t], keys)
            if a.type == CUDNN_DATA_DOUBLE:
                piece[i] = -INFINITY if outside else 0
            elif a.type == CUDNN_DATA_HALF:
                half[i] = 0xfc00 if outside else 0
            else:
                single[i] = -INFINITY if outside else 0
        status = hip_answered(dg_hip.hipMemcpyAsync(
            at(mask, done, a), piece, <size_t>some * a.bytes, hipMemcpyHostToDevice, <hipStream_t>to_stream(h.stream)),
            b"hipMemcpyAsync")
        if status != CUDNN_STATUS_SUCCESS:
            return status
        done += some
    return CUDNN_STATUS_SUCCESS


cdef inline bint attn_is_empty(int low, int high, int keys) noexcept nogil:
    return low >= high or low >= keys or high <= 0


cdef void *attn_rows(dnn_handle *h, const attn *a, int64_t rows, int keys) noexcept nogil:
    """MIOpen's descriptor of rows as channels."""
    cdef int32_t[4] dim
    cdef int32_t[4] stride
    if rows * keys > ATTN_MOST:
        cannot(b"2^31 scores or more in a sequence")
        return NULL
    dim[0], dim[1], dim[2], dim[3] = <int32_t>rows, keys, 1, 1
    stride[0], stride[1], stride[2], stride[3] = keys, 1, 1, 1
    return dnn_amd_shape(h, a.type, 4, dim, stride)


cdef cudnnStatus_t attn_softmax(dnn_handle *h, const attn *a, int64_t rows, int keys, void *x) noexcept nogil:
    """Of each row, in its place."""
    cdef float one = 1
    cdef float zero = 0
    cdef void *d
    if a.type == CUDNN_DATA_DOUBLE:
        return <cudnnStatus_t>dnn_doubles_softmax(h, MIOPEN_SOFTMAX_ACCURATE, rows, keys, 1, 1, NULL, <double *>x)
    d = attn_rows(h, a, rows, keys)
    if d is NULL:
        return CUDNN_STATUS_NOT_SUPPORTED
    return answered(dg_miopen.miopenSoftmaxForward_V2(
        <miopenHandle_t>h.amd, &one, <miopenTensorDescriptor_t>d, x, &zero, <miopenTensorDescriptor_t>d, x,
        MIOPEN_SOFTMAX_ACCURATE, MIOPEN_SOFTMAX_MODE_CHANNEL), b"miopenSoftmaxForward_V2")


cdef cudnnStatus_t attn_softmax_back(dnn_handle *h, const attn *a, int64_t rows, int keys, const void *y,
        void *dx) noexcept nogil:
    """dx, which holds dy, becomes the scores' gradient before they were scaled."""
    cdef float scale = <float>a.scale
    cdef float zero = 0
    cdef void *d
    if a.type == CUDNN_DATA_DOUBLE:
        return <cudnnStatus_t>dnn_doubles_softmax(h, MIOPEN_SOFTMAX_ACCURATE, rows, keys, 1, a.scale, <const double *>y,
                                                  <double *>dx)
    d = attn_rows(h, a, rows, keys)
    if d is NULL:
        return CUDNN_STATUS_NOT_SUPPORTED
    return answered(dg_miopen.miopenSoftmaxBackward_V2(
        <miopenHandle_t>h.amd, &scale, <miopenTensorDescriptor_t>d, y, <miopenTensorDescriptor_t>d, dx, &zero,
        <miopenTensorDescriptor_t>d, dx, MIOPEN_SOFTMAX_ACCURATE, MIOPEN_SOFTMAX_MODE_CHANNEL),
        b"miopenSoftmaxBackward_V2")


cdef cudnnStatus_t attn_windows(dnn_handle *h, const attn *a, int64_t heads, int rows, int keys, const int *low,
        const int *high, bint made, void *mask, void *scores) noexcept nogil:
    """Scores, packed by head, become −∞ outside their windows. `made`: the mask is there already."""
    cdef dnn_tensor sd
    cdef dnn_tensor md
    cdef cudnnStatus_t status = CUDNN_STATUS_SUCCESS
    if not made:
        status = attn_mask(h, a, rows, keys, low, high, mask)
    if status != CUDNN_STATUS_SUCCESS:
        return status
    flat(&sd, a.type, heads, <int64_t>rows * keys)
    flat(&md, a.type, 1, <int64_t>rows * keys)
    return dnn_op_tensor(h, miopenTensorOpAdd, 1, &sd, scores, 1, &md, mask, 0, &sd, scores)


cdef cudnnStatus_t attn_scored(dnn_handle *h, const attn *a, int64_t heads, int rows, int keys, const int *low,
        const int *high, bint *made, int *made_for, void *mask, void *scores) noexcept nogil:
    """Scores of some heads to weights: windows, softmax, and nothing where there is nothing to look at."""
    cdef cudnnStatus_t status = CUDNN_STATUS_SUCCESS
    cdef bint windowed = False
    cdef bint empty = False
    cdef int t
    if heads * rows * keys > ATTN_MOST:
        return cannot(b"2^31 scores or more in a sequence")
    for t in range(rows):
        windowed = windowed or low[t] > 0 or high[t] < keys
        empty = empty or attn_is_empty(low[t], high[t], keys)
    if windowed:
        status = attn_windows(h, a, heads, rows, keys, low, high,
                              made[0] and made_for[0] == rows and made_for[1] == keys, mask, scores)
        made[0] = True
        made_for[0], made_for[1] = rows, keys
    if status == CUDNN_STATUS_SUCCESS:
        status = attn_softmax(h, a, heads * rows, keys, scores)
    for t in range(rows if empty else 0):
        if status == CUDNN_STATUS_SUCCESS and attn_is_empty(low[t], high[t], keys):
            status = hip_answered(dg_hip.hipMemset2DAsync(
                at(scores, <int64_t>t * keys, a), <size_t>rows * <size_t>keys * a.bytes, 0, <size_t>keys * a.bytes,
                <size_t>heads, <hipStream_t>to_stream(h.stream)), b"hipMemset2DAsync")
    return status


cdef cudnnStatus_t attn_drops_of(const attn *a, void *given, dnn_dropout **found) noexcept nogil:
    """A dropout that has something to do, or NULL."""
    cdef dnn_dropout *d = <dnn_dropout *>given
    found[0] = NULL
    if d is NULL:
        return CUDNN_STATUS_SUCCESS
    if dg_foreign(d, DNN_DROPOUT):
        return bad(b"a dropout descriptor of the attention is destroyed")
    if d.amd is NULL or d.states is NULL:  # of a rate of 0 too
        return dnn_because(CUDNN_STATUS_EXECUTION_FAILED_CUDART, b"a dropout descriptor of the attention has no states")
    if d.rate == 0:
        return CUDNN_STATUS_SUCCESS
    if not 0 <= d.rate < 1:  # alone, a dropout takes a rate of 1; in an attention NVIDIA's library does not
        return bad(b"the rate of a dropout descriptor of the attention is not from 0 to less than 1")
    found[0] = d
    return CUDNN_STATUS_SUCCESS


cdef cudnnStatus_t attn_dropouts(const dnn_attention *d, attn *a) noexcept nogil:
    """Of a call in training."""
    cdef cudnnStatus_t status = attn_drops_of(a, d.dropout, &a.first)
    return status if status != CUDNN_STATUS_SUCCESS else attn_drops_of(a, d.after_dropout, &a.last)


cdef inline cudnnStatus_t attn_dropped(dnn_handle *h, const attn *a, dnn_dropout *d, bint back, int64_t count,
        const void *x, void *y, void *mask) noexcept nogil:
    """Elements as they lie, gaps between sequences included: one draw serves them all."""
    return <cudnnStatus_t>dnn_dropped(h, d, back, a.type, count, x, y, mask, NULL)


cdef bint attn_alike(const attn *a, const tokens *q, const tokens *k) noexcept nogil:
    """All sequences have their full lengths, and their scores together are no more than a tensor takes."""
    return (not q.short_ones and not k.short_ones
            and <double>a.heads * q.batch * q.beam * q.time * k.time <= <double>ATTN_MOST)
