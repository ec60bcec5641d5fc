# Multi-head attention. Blocks of tables/cudnn/attention.yaml.

include "common.pxi"
include "amd.pxi"

from libc.math cimport exp, INFINITY


# ---- sequences with beams

cdef public cudnnStatus_t create_seq_data_descriptor(cudnnSeqDataDescriptor_t *place) noexcept nogil:
    return dnn_new(<void **>place, DNN_SEQ_DATA)


cdef public cudnnStatus_t destroy_seq_data_descriptor(dnn_seq_data *d) noexcept nogil:
    cdef void *lengths = d.lengths if d is not NULL else NULL
    cdef cudnnStatus_t status = dnn_delete(d, DNN_SEQ_DATA)
    if status == CUDNN_STATUS_SUCCESS and lengths is not NULL:
        dg_the_core.release(lengths)
    return status


cdef bint is_float_type(uint32_t type) noexcept nogil:
    return (type == <uint32_t>CUDNN_DATA_FLOAT or type == <uint32_t>CUDNN_DATA_DOUBLE
            or type == <uint32_t>CUDNN_DATA_HALF)


cdef public cudnnStatus_t set_seq_data_descriptor(dnn_seq_data *d, cudnnDataType_t type, int count, const int *dim,
        const cudnnSeqDataAxis_t *axes, size_t lengths_count, const int *lengths, void *fill) noexcept nogil:
    """The vector is the innermost axis; the others come in any order. There is a length for each batch and beam."""
    cdef uint32_t seen = 0
    cdef int32_t *copied
    cdef int i
    cdef size_t k
    if not is_float_type(type):
        return bad(b"dataType is none of FLOAT, DOUBLE, HALF")
    if count > DNN_DIMS:
        return cannot(b"more than 8 dimensions")
    if count != 4 or dim is NULL or axes is NULL or lengths is NULL:
        return bad(b"nbDims is not 4, or dimA, axes or seqLengthArray is NULL")
    for i in range(4):
        if dim[i] <= 0:
            return bad(b"a dimension is not positive")
        if <uint32_t>axes[i] > 3 or seen & (1u << <uint32_t>axes[i]):
            return bad(b"axes does not name each axis once")
        seen |= 1u << <uint32_t>axes[i]
    if axes[3] != <uint32_t>CUDNN_SEQDATA_VECT_DIM:
        return cannot(b"the innermost axis is not the vector")
    if lengths_count != <size_t>dim[CUDNN_SEQDATA_BATCH_DIM] * <size_t>dim[CUDNN_SEQDATA_BEAM_DIM]:
        return bad(b"seqLengthArraySize is not batch times beam")
    for k in range(lengths_count):
        if lengths[k] < 0 or lengths[k] > dim[CUDNN_SEQDATA_TIME_DIM]:
            return bad(b"a length is negative or longer than the time")
    copied = <int32_t *>dg_the_core.alloc(lengths_count * sizeof(int32_t))
    if copied is NULL:
        return dnn_because(CUDNN_STATUS_ALLOC_FAILED, b"no memory for the lengths")
    memcpy(copied, lengths, lengths_count * sizeof(int32_t))
    if d.lengths is not NULL:
        dg_the_core.release(d.lengths)
    d.lengths = copied
    d.lengths_count = lengths_count
    d.type = <int32_t>type
    d.count = 4
    for i in range(4):
        d.dim[i] = dim[i]
        d.axis[i] = <int32_t>axes[i]
    d.filled = 1 if fill is not NULL else 0
    d.fill = 0
    if fill is not NULL:
        memcpy(&d.fill, fill, <size_t>dnn_type_bytes(d.type))
    return CUDNN_STATUS_SUCCESS


cdef public cudnnStatus_t get_seq_data_descriptor(dnn_seq_data *d, cudnnDataType_t *type, int *count, int asked, int *dim,
        cudnnSeqDataAxis_t *axes, size_t *lengths_count, size_t lengths_asked, int *lengths, void *fill) noexcept nogil:
    cdef int i
    cdef size_t wanted = lengths_asked if lengths_asked < d.lengths_count else d.lengths_count
    if asked < 0:
        return bad(b"nbDimsRequested is negative")
    give(<int *>type, d.type)
    give(count, d.count)
    for i in range(asked if asked < d.count else d.count):
        if dim is not NULL:
            dim[i] = d.dim[i]
        if axes is not NULL:
            axes[i] = <cudnnSeqDataAxis_t>d.axis[i]
    if lengths_count is not NULL:
        lengths_count[0] = d.lengths_count
    if lengths is not NULL and d.lengths is not NULL:
        memcpy(lengths, d.lengths, wanted * sizeof(int))
    if fill is not NULL and d.filled:
        memcpy(fill, &d.fill, <size_t>dnn_type_bytes(d.type))
    return CUDNN_STATUS_SUCCESS


# ---- the attention

cdef public cudnnStatus_t create_attn_descriptor(cudnnAttnDescriptor_t *place) noexcept nogil:
    return dnn_new(<void **>place, DNN_ATTENTION)


cdef public cudnnStatus_t destroy_attn_descriptor(dnn_attention *d) noexcept nogil:
    return dnn_delete(d, DNN_ATTENTION)


cdef public cudnnStatus_t set_attn_descriptor(dnn_attention *d, unsigned int mode, int heads, double scale,
        cudnnDataType_t type, cudnnDataType_t compute_type, cudnnMathType_t math, dnn_dropout *dropout,
        dnn_dropout *after_dropout, int q_size, int k_size, int v_size, int q_projected, int k_projected,
        int v_projected, int o_projected, int longest_q, int longest_k, int largest_batch,
        int largest_beam) noexcept nogil:
    """A projected size of 0 stands for no projection."""
    cdef int q_width = q_projected if q_projected else q_size
    cdef int k_width = k_projected if k_projected else k_size
    if mode & ~<unsigned int>(ATTN_ONE_TO_ONE | ATTN_BIASES):
        return bad(b"attnMode has unknown bits")
    if heads < 1 or q_size < 1 or k_size < 1 or v_size < 1:
        return bad(b"heads or a vector's size is not positive")
    if q_projected < 0 or k_projected < 0 or v_projected < 0 or o_projected < 0:
        return bad(b"a projected size is negative")
    if longest_q < 1 or longest_k < 1 or largest_batch < 1 or largest_beam < 1:
        return bad(b"a largest length, batch or beam is not positive")
    if scale < 0:  # NVIDIA's library takes a NaN
        return bad(b"smScaler is negative")
    if not is_float_type(type) or not is_float_type(compute_type):
        return bad(b"a type is none of FLOAT, DOUBLE, HALF")
    if <uint32_t>math > <uint32_t>CUDNN_FMA_MATH:
        return bad(b"mathType is no math type")
    if q_width != k_width:
        return bad(b"queries and keys differ in size after their projections")
    d.mode = mode
    d.heads = heads
    d.scale = scale
    d.type = <int32_t>type
    d.compute_type = <int32_t>compute_type
    d.math = <int32_t>math
    d.dropout = dropout
    d.after_dropout = after_dropout
    d.q_size = q_size
    d.k_size = k_size
    d.v_size = v_size
    d.q_projected = q_projected
    d.k_projected = k_projected
    d.v_projected = v_projected
    d.o_projected = o_projected
    d.longest_q = longest_q
    d.longest_k = longest_k
    d.largest_batch = largest_batch
    d.largest_beam = largest_beam
    return CUDNN_STATUS_SUCCESS


cdef public cudnnStatus_t get_attn_descriptor(dnn_attention *d, unsigned int *mode, int *heads, double *scale,
        cudnnDataType_t *type, cudnnDataType_t *compute_type, cudnnMathType_t *math, cudnnDropoutDescriptor_t *dropout,
        cudnnDropoutDescriptor_t *after_dropout, int *q_size, int *k_size, int *v_size, int *q_projected,
        int *k_projected, int *v_projected, int *o_projected, int *longest_q, int *longest_k, int *largest_batch,
        int *largest_beam) noexcept nogil:
    if mode is not NULL:
        mode[0] = d.mode
    if scale is not NULL:
        scale[0] = d.scale
    if dropout is not NULL:
        dropout[0] = <cudnnDropoutDescriptor_t>d.dropout
    if after_dropout is not NULL:
        after_dropout[0] = <cudnnDropoutDescriptor_t>d.after_dropout
    give(heads, d.heads)
    give(<int *>type, d.type)
    give(<int *>compute_type, d.compute_type)
    give(<int *>math, d.math)
    give(q_size, d.q_size)
    give(k_size, d.k_size)
    give(v_size, d.v_size)
    give(q_projected, d.q_projected)
    give(k_projected, d.k_projected)
    give(v_projected, d.v_projected)
    give(o_projected, d.o_projected)
    give(longest_q, d.longest_q)
    give(longest_k, d.longest_k)
    give(largest_batch, d.largest_batch)
    give(largest_beam, d.largest_beam)
    return CUDNN_STATUS_SUCCESS


# ---- the work. Projections are products over all tokens at once; scores, their softmax and the heads' outputs are made one
# sequence after the other, so that nothing beyond a sequence's end is read. Lengths come from the descriptors, whose copies
# on the device the caller gives too.

cdef enum:
    ATTN_PIECE = 8192    # elements that pass through the host at a time
    ATTN_ONE_TO_ONE = 1  # bits of attnMode: each beam has its keys,
    ATTN_BIASES = 2      # and projections have biases

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
    PART_ALL

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
    """Where each part starts, in bytes, for the largest sizes of the descriptor; what is not needed has no size. The parts of
    the inference come first."""
    cdef int64_t[12] sizes
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
    parts[0] = 0
    for i in range(12):
        parts[i + 1] = parts[i] + ((<size_t>sizes[i] * a.bytes + 255) & ~<size_t>255)


cdef cudnnStatus_t attn_checked(const dnn_attention *d, attn *a) noexcept nogil:
    if d.heads == 0:
        return bad(b"attnDesc has not been set")
    attn_of(d, a)
    return CUDNN_STATUS_SUCCESS


cdef cudnnStatus_t attn_tokens(const dnn_attention *d, const dnn_seq_data *s, int64_t vector, int longest,
        tokens *t) noexcept nogil:
    cdef int64_t[4] step
    cdef int64_t count = 1
    cdef size_t i
    cdef int at = 2
    if s.count != 4:
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
    t.lengths = s.lengths
    t.short_ones = False
    for i in range(s.lengths_count):
        if s.lengths[i] < t.time:
            t.short_ones = True
    return CUDNN_STATUS_SUCCESS


cdef cudnnStatus_t attn_shapes(const dnn_attention *d, const attn *a, const dnn_seq_data *qd, const dnn_seq_data *kd,
        const dnn_seq_data *vd, const dnn_seq_data *od, tokens *q, tokens *k, tokens *v, tokens *o) noexcept nogil:
    cdef cudnnStatus_t status = attn_tokens(d, qd, a.q, d.longest_q, q)
    if status == CUDNN_STATUS_SUCCESS:
        status = attn_tokens(d, kd, a.k, d.longest_k, k)
    if status == CUDNN_STATUS_SUCCESS:
        status = attn_tokens(d, vd, a.v, d.longest_k, v)
    if status == CUDNN_STATUS_SUCCESS:
        status = attn_tokens(d, od, a.out, d.longest_q, o)
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


cdef cudnnStatus_t attn_clear_ends(dnn_handle *h, const attn *a, const tokens *t, int64_t vector, void *x) noexcept nogil:
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


cdef cudnnStatus_t attn_projected(dnn_handle *h, const attn *a, int64_t rows, int64_t size, const void *x, int64_t width,
        const void *weights, int kind, void *y) noexcept nogil:
    """y (rows × width) ← x · Wᵀ, plus a bias; the weights of a kind are a matrix of `width` rows."""
    cdef dnn_tensor yd
    cdef dnn_tensor bd
    cdef cudnnStatus_t status = dnn_gemm(h, a.type, 0, 1, rows, width, size, 1, x, size, 0,
                                         at(weights, <int64_t>a.weight[kind], a), size, 0, 0, y, width, 0, 1)
    if status != CUDNN_STATUS_SUCCESS or not a.biased:
        return status
    flat(&yd, a.type, rows, width)
    flat(&bd, a.type, 1, width)
    return dnn_op_tensor(h, miopenTensorOpAdd, 1, &yd, y, 1, &bd, at(weights, <int64_t>a.weight[4 + kind], a), 0, &yd, y)


cdef cudnnStatus_t attn_mask(dnn_handle *h, const attn *a, int rows, int keys, const int *low, const int *high,
        void *mask) noexcept nogil:
    """rows × keys: 0 within a query's window, −∞ outside. A window of nothing is left open here."""
    cdef double[ATTN_PIECE] piece
    cdef float *single = <float *>piece
    cdef uint16_t *half = <uint16_t *>piece
    cdef int64_t count = <int64_t>rows * keys
    cdef int64_t done = 0
    cdef int64_t i, some
    cdef int t, j
    cdef bint outside
    cdef cudnnStatus_t status
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


cdef cudnnStatus_t attn_softmax_of_doubles(dnn_handle *h, const void *y, void *x, int64_t rows, int keys, double scale) noexcept nogil:
    """As `attn_softmax` and `attn_softmax_back`, through the host: MIOpen has no softmax of doubles."""
    cdef double[ATTN_PIECE] piece
    cdef double[ATTN_PIECE] other
    cdef hipStream_t stream = <hipStream_t>to_stream(h.stream)
    cdef int64_t done = 0
    cdef int64_t some, r
    cdef double *p
    cdef double *o
    cdef double largest, total
    cdef size_t bytes
    cdef uint32_t failed = 0
    cdef int j
    if keys > ATTN_PIECE:
        return cannot(b"an attention of doubles with more than 8192 keys")
    while done < rows:
        some = ATTN_PIECE // keys
        some = some if some < rows - done else rows - done
        bytes = <size_t>(some * keys) * sizeof(double)
        failed |= dg_hip.hipMemcpyAsync(piece, <double *>x + done * keys, bytes, hipMemcpyDeviceToHost, stream)
        if y is not NULL:
            failed |= dg_hip.hipMemcpyAsync(other, <const double *>y + done * keys, bytes, hipMemcpyDeviceToHost, stream)
        failed |= dg_hip.hipStreamSynchronize(stream)
        if failed:
            break
        for r in range(some):
            p = piece + r * keys
            o = other + r * keys
            total = 0
            if y is not NULL:
                for j in range(keys):
                    total += o[j] * p[j]
                for j in range(keys):
                    p[j] = scale * o[j] * (p[j] - total)
                continue
            largest = p[0]
            for j in range(1, keys):
                largest = p[j] if p[j] > largest else largest
            for j in range(keys):
                p[j] = exp(p[j] - largest)
                total += p[j]
            for j in range(keys):
                p[j] /= total
        failed |= dg_hip.hipMemcpyAsync(<double *>x + done * keys, piece, bytes, hipMemcpyHostToDevice, stream)
        failed |= dg_hip.hipStreamSynchronize(stream)
        done += some
    return hip_answered(failed, b"hipMemcpyAsync")


cdef void *attn_rows(dnn_handle *h, const attn *a, int64_t rows, int keys) noexcept nogil:
    """MIOpen's descriptor of rows as channels."""
    cdef int32_t[4] dim
    cdef int32_t[4] stride
    dim[0], dim[1], dim[2], dim[3] = <int32_t>rows, keys, 1, 1
    stride[0], stride[1], stride[2], stride[3] = keys, 1, 1, 1
    return dnn_amd_shape(h, a.type, 4, dim, stride)


cdef cudnnStatus_t attn_softmax(dnn_handle *h, const attn *a, int64_t rows, int keys, void *x) noexcept nogil:
    """Of each row, in its place."""
    cdef float one = 1
    cdef float zero = 0
    cdef void *d
    if a.type == CUDNN_DATA_DOUBLE:
        return attn_softmax_of_doubles(h, NULL, x, rows, keys, 1)
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
        return attn_softmax_of_doubles(h, y, dx, rows, keys, a.scale)
    d = attn_rows(h, a, rows, keys)
    if d is NULL:
        return CUDNN_STATUS_NOT_SUPPORTED
    return answered(dg_miopen.miopenSoftmaxBackward_V2(
        <miopenHandle_t>h.amd, &scale, <miopenTensorDescriptor_t>d, y, <miopenTensorDescriptor_t>d, dx, &zero,
        <miopenTensorDescriptor_t>d, dx, MIOPEN_SOFTMAX_ACCURATE, MIOPEN_SOFTMAX_MODE_CHANNEL),
        b"miopenSoftmaxBackward_V2")


cdef cudnnStatus_t attn_windows(dnn_handle *h, const attn *a, int rows, int keys, const int *low, const int *high, bint made,
        void *mask, void *scores) noexcept nogil:
    """Scores, packed by head, become −∞ outside their windows. `made`: the mask is there already."""
    cdef dnn_tensor sd
    cdef dnn_tensor md
    cdef cudnnStatus_t status = CUDNN_STATUS_SUCCESS
    if not made:
        status = attn_mask(h, a, rows, keys, low, high, mask)
    if status != CUDNN_STATUS_SUCCESS:
        return status
    flat(&sd, a.type, a.heads, <int64_t>rows * keys)
    flat(&md, a.type, 1, <int64_t>rows * keys)
    return dnn_op_tensor(h, miopenTensorOpAdd, 1, &sd, scores, 1, &md, mask, 0, &sd, scores)


cdef cudnnStatus_t attn_scored(dnn_handle *h, const attn *a, int rows, int keys, const int *low, const int *high, bint *made,
        int *made_for, void *mask, void *scores) noexcept nogil:
    """Scores of one sequence to weights: windows, softmax, and nothing where there is nothing to look at."""
    cdef cudnnStatus_t status = CUDNN_STATUS_SUCCESS
    cdef bint windowed = False
    cdef bint empty = False
    cdef int t
    for t in range(rows):
        windowed = windowed or low[t] > 0 or high[t] < keys
        empty = empty or attn_is_empty(low[t], high[t], keys)
    if windowed:
        status = attn_windows(h, a, rows, keys, low, high,
                              made[0] and made_for[0] == rows and made_for[1] == keys, mask, scores)
        made[0] = True
        made_for[0], made_for[1] = rows, keys
    if status == CUDNN_STATUS_SUCCESS:
        status = attn_softmax(h, a, a.heads * rows, keys, scores)
    for t in range(rows if empty else 0):
        if status == CUDNN_STATUS_SUCCESS and attn_is_empty(low[t], high[t], keys):
            status = hip_answered(dg_hip.hipMemset2DAsync(
                at(scores, <int64_t>t * keys, a), <size_t>rows * <size_t>keys * a.bytes, 0, <size_t>keys * a.bytes,
                <size_t>a.heads, <hipStream_t>to_stream(h.stream)), b"hipMemset2DAsync")
    return status


cdef bint attn_drops(const dnn_attention *d) noexcept nogil:
    cdef dnn_dropout *first = <dnn_dropout *>d.dropout
    cdef dnn_dropout *last = <dnn_dropout *>d.after_dropout
    return (first is not NULL and first.magic == DNN_DROPOUT and first.rate > 0) or (
        last is not NULL and last.magic == DNN_DROPOUT and last.rate > 0)


cdef public cudnnStatus_t get_attn_buffers(dnn_handle *h, dnn_attention *d, size_t *weights, size_t *workspace,
        size_t *reserve) noexcept nogil:
    """The reserve holds all that the backward calls need, which have no workspace."""
    cdef attn a
    cdef size_t[13] parts
    cdef cudnnStatus_t status = attn_checked(d, &a)
    if status != CUDNN_STATUS_SUCCESS:
        return status
    if weights is NULL or workspace is NULL:
        return bad(b"weightSizeInBytes or workSpaceSizeInBytes is NULL")
    attn_parts(d, &a, parts)
    weights[0] = a.weight[8] * a.bytes
    workspace[0] = parts[PART_ALL_INFER]
    if reserve is not NULL:
        reserve[0] = parts[PART_ALL]
    return CUDNN_STATUS_SUCCESS


cdef public cudnnStatus_t get_attn_weights(dnn_handle *h, dnn_attention *d, cudnnMultiHeadAttnWeightKind_t kind, size_t size,
        const void *weights, dnn_tensor *wd, void **place) noexcept nogil:
    """Heads × projected × given size. A head's rows lie one behind the other, the output's side by side with those of the
    other heads: so each kind is one matrix. Weights that are not used have no address."""
    cdef attn a
    cdef cudnnStatus_t status = attn_checked(d, &a)
    cdef int64_t rows, columns, heads
    if status != CUDNN_STATUS_SUCCESS:
        return status
    if <uint32_t>kind > <uint32_t>CUDNN_MH_ATTN_O_BIASES:
        return bad(b"wKind is no kind of weights")
    if place is NULL or (weights is NULL and a.weight[8] != 0):
        return bad(b"weights or wAddr is NULL")
    if size < a.weight[8] * a.bytes:
        return bad(b"the weights are smaller than their query says")
    if a.weight[<int>kind] == a.weight[<int>kind + 1]:
        place[0] = NULL
        return CUDNN_STATUS_SUCCESS
    heads = a.heads
    columns = 1
    rows = a.width
    if kind == CUDNN_MH_ATTN_Q_WEIGHTS:
        columns = a.q
    elif kind == CUDNN_MH_ATTN_K_WEIGHTS:
        columns = a.k
    elif kind == CUDNN_MH_ATTN_V_WEIGHTS:
        rows, columns = a.value, a.v
    elif kind == CUDNN_MH_ATTN_V_BIASES:
        rows = a.value
    elif kind == CUDNN_MH_ATTN_O_WEIGHTS:
        rows, columns = a.out, a.value
    elif kind == CUDNN_MH_ATTN_O_BIASES:
        heads, rows = 1, a.out
    wd.type = d.type
    wd.format = CUDNN_TENSOR_NCHW
    wd.count = 3
    wd.amd = NULL
    wd.dim[0], wd.dim[1], wd.dim[2] = <int32_t>heads, <int32_t>rows, <int32_t>columns
    wd.stride[0], wd.stride[1], wd.stride[2] = <int32_t>(rows * columns), <int32_t>columns, 1
    if kind == CUDNN_MH_ATTN_O_WEIGHTS:
        wd.stride[0], wd.stride[1] = <int32_t>columns, <int32_t>(heads * columns)
    place[0] = at(weights, <int64_t>a.weight[<int>kind], &a)
    return CUDNN_STATUS_SUCCESS


cdef public cudnnStatus_t attn_forward(dnn_handle *h, dnn_attention *d, int current, const int *low, const int *high,
        const int *q_lengths, const int *k_lengths, dnn_seq_data *qd, const void *queries, const void *residuals,
        dnn_seq_data *kd, const void *keys, dnn_seq_data *vd, const void *values, dnn_seq_data *od, void *out,
        size_t weight_size, const void *weights, size_t work_size, void *workspace, size_t reserve_size,
        void *reserve) noexcept nogil:
    cdef attn a
    cdef tokens q
    cdef tokens k
    cdef tokens v
    cdef tokens o
    cdef size_t[13] parts
    cdef dnn_tensor rd
    cdef dnn_tensor outd
    cdef char *memory = <char *>workspace
    cdef char *mask
    cdef char *scores
    cdef const void *qs = queries
    cdef const void *ks = keys
    cdef const void *vs = values
    cdef void *heads = out
    cdef int64_t row, all_q, all_k, all_v, all_o
    cdef int n, b, first, rows, length
    cdef bint made = False
    cdef int[2] made_for
    cdef cudnnStatus_t status = attn_checked(d, &a)
    if status == CUDNN_STATUS_SUCCESS:
        status = attn_shapes(d, &a, qd, kd, vd, od, &q, &k, &v, &o)
    if status != CUDNN_STATUS_SUCCESS:
        return status
    if low is NULL or high is NULL or q_lengths is NULL or k_lengths is NULL:
        return bad(b"loWinIdx, hiWinIdx or a device array of lengths is NULL")
    if queries is NULL or keys is NULL or values is NULL or out is NULL:
        return bad(b"queries, keys, values or out is NULL")
    if weight_size < a.weight[8] * a.bytes or (weights is NULL and a.weight[8] != 0):
        return bad(b"the weights are NULL or smaller than their query says")
    attn_parts(d, &a, parts)
    if workspace is NULL or work_size < parts[PART_ALL_INFER]:
        return bad(b"the workspace is NULL or smaller than its query says")
    if residuals is not NULL and a.out != a.q:
        return bad(b"residuals are of the queries' size, and the output is not")
    if current >= q.time:
        return bad(b"currIdx is beyond the queries' steps")
    mask = memory + parts[PART_MASK]
    if reserve is not NULL:
        if current >= 0:
            return bad(b"currIdx is for inference, and there is a reserve")
        if reserve_size < parts[PART_ALL]:
            return bad(b"the reserve is smaller than its query says")
        if attn_drops(d):
            return cannot(b"dropout within an attention")
        memory = <char *>reserve
    # ---- projections of all tokens
    all_q = a.heads * a.width if a.pq else a.q
    all_k = a.heads * a.width if a.pk else a.k
    all_v = a.heads * a.value if a.pv else a.v
    all_o = a.heads * a.value
    if a.pq:
        qs = memory + parts[PART_Q]
        status = attn_projected(h, &a, q.count, a.q, queries, all_q, weights, 0, <void *>qs)
    if a.pk and status == CUDNN_STATUS_SUCCESS:
        ks = memory + parts[PART_K]
        status = attn_projected(h, &a, k.count, a.k, keys, all_k, weights, 1, <void *>ks)
    if a.pv and status == CUDNN_STATUS_SUCCESS:
        vs = memory + parts[PART_V]
        status = attn_projected(h, &a, v.count, a.v, values, all_v, weights, 2, <void *>vs)
    if a.po:
        heads = memory + parts[PART_H]
        if q.short_ones and status == CUDNN_STATUS_SUCCESS:
            status = attn_clear(h, heads, <size_t>(o.count * all_o) * a.bytes)
    # ---- each sequence
    for n in range(q.batch):
        for b in range(q.beam):
            first, rows = 0, attn_length(&q, n, b)
            if current >= 0:
                first, rows = current, 1 if current < rows else 0
            length = attn_length(&k, n, b)
            if rows == 0 or status != CUDNN_STATUS_SUCCESS:
                continue
            row = attn_row(&o, n, b) + first * o.time_step
            if length == 0:
                status = hip_answered(dg_hip.hipMemset2DAsync(
                    at(heads, row * all_o, &a), <size_t>(o.time_step * all_o) * a.bytes, 0, <size_t>all_o * a.bytes,
                    <size_t>rows, <hipStream_t>to_stream(h.stream)), b"hipMemset2DAsync")
                continue
            scores = at(memory + parts[PART_A], (<int64_t>n * q.beam + b) * a.heads * q.time * k.time, &a)
            status = dnn_gemm(
                h, a.type, 0, 1, rows, length, a.width, a.scale,
                at(qs, (attn_row(&q, n, b) + first * q.time_step) * all_q, &a), q.time_step * all_q, a.width if a.pq else 0,
                at(ks, attn_row(&k, n, b) * all_k, &a), k.time_step * all_k, a.width if a.pk else 0,
                0, scores, length, <int64_t>rows * length, <int>a.heads)
            if status == CUDNN_STATUS_SUCCESS:
                status = attn_scored(h, &a, rows, length, low + first, high + first, &made, made_for, mask, scores)
            if status == CUDNN_STATUS_SUCCESS:
                status = dnn_gemm(
                    h, a.type, 0, 0, rows, a.value, length, 1, scores, length, <int64_t>rows * length,
                    at(vs, attn_row(&v, n, b) * all_v, &a), v.time_step * all_v, a.value if a.pv else 0,
                    0, at(heads, row * all_o, &a), o.time_step * all_o, a.value, <int>a.heads)
    if status != CUDNN_STATUS_SUCCESS:
        return status
    # ---- the output
    if a.po and current < 0:
        status = attn_projected(h, &a, o.count, all_o, heads, a.out, weights, 3, out)
    elif a.po:
        for n in range(q.batch):
            for b in range(q.beam):
                row = attn_row(&o, n, b) + current * o.time_step
                if status == CUDNN_STATUS_SUCCESS and current < attn_length(&q, n, b):
                    status = attn_projected(h, &a, 1, all_o, at(heads, row * all_o, &a), a.out, weights, 3,
                                            at(out, row * a.out, &a))
    if residuals is not NULL and status == CUDNN_STATUS_SUCCESS:
        first = current if current > 0 else 0
        sequences(&rd, a.type, &q, q.time if current < 0 else 1, a.out)
        sequences(&outd, a.type, &o, o.time if current < 0 else 1, a.out)
        status = dnn_op_tensor(
            h, miopenTensorOpAdd, 1, &outd, at(out, first * o.time_step * a.out, &a), 1, &rd,
            at(residuals, first * q.time_step * a.out, &a), 0, &outd, at(out, first * o.time_step * a.out, &a))
    if status == CUDNN_STATUS_SUCCESS and current < 0:
        o.lengths, o.short_ones = q.lengths, q.short_ones
        status = attn_clear_ends(h, &a, &o, a.out, out)
    return status


cdef cudnnStatus_t attn_back_checked(dnn_attention *d, attn *a, size_t *parts, size_t weight_size, const void *weights,
        size_t reserve_size, void *reserve) noexcept nogil:
    attn_parts(d, a, parts)
    if weight_size < a.weight[8] * a.bytes or (weights is NULL and a.weight[8] != 0):
        return bad(b"the weights are NULL or smaller than their query says")
    if reserve is NULL or reserve_size < parts[PART_ALL]:
        return bad(b"the reserve is NULL or smaller than its query says")
    if attn_drops(d):
        return cannot(b"dropout within an attention")
    return CUDNN_STATUS_SUCCESS


cdef cudnnStatus_t attn_heads_summed(dnn_handle *h, const attn *a, bint apart, int turns_a, int64_t m, int64_t n, int64_t k,
        const void *x, int64_t ldx, int64_t next_x, const void *y, int64_t ldy, int64_t next_y, double beta, void *z,
        int64_t ldz, int64_t next_z) noexcept nogil:
    """Of each head z ← x·y + β·z; where the heads have one z (not `apart`), their sum."""
    cdef int64_t i
    cdef cudnnStatus_t status = CUDNN_STATUS_SUCCESS
    if apart:
        return dnn_gemm(h, a.type, turns_a, 0, m, n, k, 1, x, ldx, next_x, y, ldy, next_y, beta, z, ldz, next_z,
                        <int>a.heads)
    for i in range(a.heads):
        if status == CUDNN_STATUS_SUCCESS:
            status = dnn_gemm(h, a.type, turns_a, 0, m, n, k, 1, at(x, i * next_x, a), ldx, 0, at(y, i * next_y, a), ldy, 0,
                              1 if i else beta, z, ldz, 0, 1)
    return status


cdef public cudnnStatus_t attn_backward_data(dnn_handle *h, dnn_attention *d, const int *low, const int *high,
        const int *q_lengths, const int *k_lengths, dnn_seq_data *od, const void *dout, dnn_seq_data *qd, void *dqueries,
        const void *queries, dnn_seq_data *kd, void *dkeys, const void *keys, dnn_seq_data *vd, void *dvalues,
        const void *values, size_t weight_size, const void *weights, size_t work_size, void *workspace,
        size_t reserve_size, void *reserve) noexcept nogil:
    """The weights that the forward call left in the reserve are 0 outside the windows, and so are the scores' gradients."""
    cdef attn a
    cdef tokens q
    cdef tokens k
    cdef tokens v
    cdef tokens o
    cdef size_t[13] parts
    cdef char *memory = <char *>reserve
    cdef char *soft
    cdef char *dsoft
    cdef const void *qs = queries
    cdef const void *ks = keys
    cdef const void *vs = values
    cdef const void *dh = dout
    cdef void *dq = dqueries
    cdef void *dk = dkeys
    cdef void *dv = dvalues
    cdef int64_t row, at_q, at_k, at_v, all_q, all_k, all_v, all_o
    cdef int64_t block
    cdef int n, b, rows, length
    cdef double beta
    cdef cudnnStatus_t status = attn_checked(d, &a)
    if status == CUDNN_STATUS_SUCCESS:
        status = attn_shapes(d, &a, qd, kd, vd, od, &q, &k, &v, &o)
    if status != CUDNN_STATUS_SUCCESS:
        return status
    if low is NULL or high is NULL or q_lengths is NULL or k_lengths is NULL:
        return bad(b"loWinIdx, hiWinIdx or a device array of lengths is NULL")
    if queries is NULL or keys is NULL or values is NULL or dout is NULL:
        return bad(b"queries, keys, values or dout is NULL")
    if dqueries is NULL or dkeys is NULL or dvalues is NULL:
        return bad(b"dqueries, dkeys or dvalues is NULL")
    status = attn_back_checked(d, &a, parts, weight_size, weights, reserve_size, reserve)
    if status != CUDNN_STATUS_SUCCESS:
        return status
    all_q = a.heads * a.width if a.pq else a.q
    all_k = a.heads * a.width if a.pk else a.k
    all_v = a.heads * a.value if a.pv else a.v
    all_o = a.heads * a.value
    if a.pq:
        qs, dq = memory + parts[PART_Q], memory + parts[PART_DQ]
    if a.pk:
        ks, dk = memory + parts[PART_K], memory + parts[PART_DK]
    if a.pv:
        vs, dv = memory + parts[PART_V], memory + parts[PART_DV]
    # what no sequence writes has no gradient
    status = attn_clear(h, dq, <size_t>(q.count * all_q) * a.bytes)
    if status == CUDNN_STATUS_SUCCESS:
        status = attn_clear(h, dk, <size_t>(k.count * all_k) * a.bytes)
    if status == CUDNN_STATUS_SUCCESS:
        status = attn_clear(h, dv, <size_t>(v.count * all_v) * a.bytes)
    if a.po and status == CUDNN_STATUS_SUCCESS:
        dh = memory + parts[PART_DH]
        status = dnn_gemm(h, a.type, 0, 0, o.count, all_o, a.out, 1, dout, a.out, 0,
                          at(weights, <int64_t>a.weight[3], &a), all_o, 0, 0, <void *>dh, all_o, 0, 1)
    for n in range(q.batch):
        for b in range(q.beam):
            rows = attn_length(&q, n, b)
            length = attn_length(&k, n, b)
            if rows == 0 or length == 0 or status != CUDNN_STATUS_SUCCESS:
                continue
            beta = 1 if b and k.beam == 1 else 0  # beams that share keys add up
            row = attn_row(&o, n, b) * all_o
            at_q, at_k, at_v = attn_row(&q, n, b) * all_q, attn_row(&k, n, b) * all_k, attn_row(&v, n, b) * all_v
            block = <int64_t>rows * length
            soft = at(memory + parts[PART_A], (<int64_t>n * q.beam + b) * a.heads * q.time * k.time, &a)
            dsoft = at(memory + parts[PART_DA], (<int64_t>n * q.beam + b) * a.heads * q.time * k.time, &a)
            status = dnn_gemm(
                h, a.type, 0, 1, rows, length, a.value, 1, at(dh, row, &a), o.time_step * all_o, a.value,
                at(vs, at_v, &a), v.time_step * all_v, a.value if a.pv else 0, 0, dsoft, length, block, <int>a.heads)
            if status == CUDNN_STATUS_SUCCESS:
                status = attn_softmax_back(h, &a, a.heads * rows, length, soft, dsoft)
            if status == CUDNN_STATUS_SUCCESS:
                status = attn_heads_summed(
                    h, &a, a.pq, 0, rows, a.width, length, dsoft, length, block, at(ks, at_k, &a), k.time_step * all_k,
                    a.width if a.pk else 0, 0, at(dq, at_q, &a), q.time_step * all_q, a.width)
            if status == CUDNN_STATUS_SUCCESS:
                status = attn_heads_summed(
                    h, &a, a.pk, 1, length, a.width, rows, dsoft, length, block, at(qs, at_q, &a), q.time_step * all_q,
                    a.width if a.pq else 0, beta, at(dk, at_k, &a), k.time_step * all_k, a.width)
            if status == CUDNN_STATUS_SUCCESS:
                status = attn_heads_summed(
                    h, &a, a.pv, 1, length, a.value, rows, soft, length, block, at(dh, row, &a), o.time_step * all_o,
                    a.value, beta, at(dv, at_v, &a), v.time_step * all_v, a.value)
    if a.pq and status == CUDNN_STATUS_SUCCESS:
        status = dnn_gemm(h, a.type, 0, 0, q.count, a.q, all_q, 1, dq, all_q, 0,
                          at(weights, <int64_t>a.weight[0], &a), a.q, 0, 0, dqueries, a.q, 0, 1)
    if a.pk and status == CUDNN_STATUS_SUCCESS:
        status = dnn_gemm(h, a.type, 0, 0, k.count, a.k, all_k, 1, dk, all_k, 0,
                          at(weights, <int64_t>a.weight[1], &a), a.k, 0, 0, dkeys, a.k, 0, 1)
    if a.pv and status == CUDNN_STATUS_SUCCESS:
        status = dnn_gemm(h, a.type, 0, 0, v.count, a.v, all_v, 1, dv, all_v, 0,
                          at(weights, <int64_t>a.weight[2], &a), a.v, 0, 0, dvalues, a.v, 0, 1)
    return status


cdef cudnnStatus_t attn_weights_back(dnn_handle *h, const attn *a, int64_t rows, int64_t width, const void *dy, int64_t size,
        const void *x, int kind, double beta, void *dweights, const void *ones) noexcept nogil:
    """dW ← dyᵀ·x + β·dW, and the bias's gradient, the sum of dy's rows, by a product with ones."""
    cdef cudnnStatus_t status = dnn_gemm(h, a.type, 1, 0, width, size, rows, 1, dy, width, 0, x, size, 0, beta,
                                         at(dweights, <int64_t>a.weight[kind], a), size, 0, 1)
    if status == CUDNN_STATUS_SUCCESS and a.biased:
        status = dnn_gemm(h, a.type, 0, 0, 1, width, rows, 1, ones, rows, 0, dy, width, 0, beta,
                          at(dweights, <int64_t>a.weight[4 + kind], a), width, 0, 1)
    return status


cdef cudnnStatus_t attn_ones(dnn_handle *h, const attn *a, int64_t count, void *ones) noexcept nogil:
    cdef int32_t dim = <int32_t>count
    cdef int32_t stride = 1
    cdef double twice = 1
    cdef float single = 1
    cdef uint16_t half = 0x3c00
    cdef const void *one = &single
    cdef void *d = dnn_amd_shape(h, a.type, 1, &dim, &stride)
    if d is NULL:
        return CUDNN_STATUS_NOT_SUPPORTED
    if a.type == CUDNN_DATA_DOUBLE:
        one = &twice
    elif a.type == CUDNN_DATA_HALF:
        one = &half
    return answered(dg_miopen.miopenSetTensor(<miopenHandle_t>h.amd, <miopenTensorDescriptor_t>d, ones, one),
                    b"miopenSetTensor")


cdef public cudnnStatus_t attn_backward_weights(dnn_handle *h, dnn_attention *d, cudnnWgradMode_t mode, dnn_seq_data *qd,
        const void *queries, dnn_seq_data *kd, const void *keys, dnn_seq_data *vd, const void *values, dnn_seq_data *od,
        const void *dout, size_t weight_size, const void *weights, void *dweights, size_t work_size, void *workspace,
        size_t reserve_size, void *reserve) noexcept nogil:
    """After the call for the data, which leaves the projections' gradients in the reserve."""
    cdef attn a
    cdef tokens q
    cdef tokens k
    cdef tokens v
    cdef tokens o
    cdef size_t[13] parts
    cdef char *memory = <char *>reserve
    cdef void *ones
    cdef double beta = 1 if mode == CUDNN_WGRAD_MODE_ADD else 0
    cdef cudnnStatus_t status = attn_checked(d, &a)
    if status == CUDNN_STATUS_SUCCESS:
        status = attn_shapes(d, &a, qd, kd, vd, od, &q, &k, &v, &o)
    if status != CUDNN_STATUS_SUCCESS:
        return status
    if mode != CUDNN_WGRAD_MODE_ADD and mode != CUDNN_WGRAD_MODE_SET:
        return bad(b"addGrad is neither ADD nor SET")
    if queries is NULL or keys is NULL or values is NULL or dout is NULL:
        return bad(b"queries, keys, values or dout is NULL")
    if dweights is NULL and a.weight[8] != 0:
        return bad(b"dweights is NULL")
    status = attn_back_checked(d, &a, parts, weight_size, weights, reserve_size, reserve)
    if status != CUDNN_STATUS_SUCCESS:
        return status
    ones = memory + parts[PART_ONES]
    if a.biased:
        status = attn_ones(h, &a, q.count if q.count > k.count else k.count, ones)
    if a.pq and status == CUDNN_STATUS_SUCCESS:
        status = attn_weights_back(h, &a, q.count, a.heads * a.width, memory + parts[PART_DQ], a.q, queries, 0, beta,
                                   dweights, ones)
    if a.pk and status == CUDNN_STATUS_SUCCESS:
        status = attn_weights_back(h, &a, k.count, a.heads * a.width, memory + parts[PART_DK], a.k, keys, 1, beta,
                                   dweights, ones)
    if a.pv and status == CUDNN_STATUS_SUCCESS:
        status = attn_weights_back(h, &a, v.count, a.heads * a.value, memory + parts[PART_DV], a.v, values, 2, beta,
                                   dweights, ones)
    if a.po and status == CUDNN_STATUS_SUCCESS:
        if a.biased:  # nothing of what stands beyond the ends
            o.lengths, o.short_ones = q.lengths, q.short_ones
            status = attn_clear_ends(h, &a, &o, 1, ones)
        if status == CUDNN_STATUS_SUCCESS:
            status = attn_weights_back(h, &a, o.count, a.out, dout, a.heads * a.value, memory + parts[PART_H], 3, beta,
                                       dweights, ones)
    return status
