# Multi-head attention. Blocks of tables/cudnn/attention.yaml.

include "common.pxi"
include "amd.pxi"
include "contents.pxi"
include "attend.pxi"


# ---- sequences with beams

cdef public cudnnStatus_t create_seq_data_descriptor(cudnnSeqDataDescriptor_t *place) noexcept nogil:
    return dnn_new(<void **>place, DNN_SEQ_DATA)


cdef public cudnnStatus_t destroy_seq_data_descriptor(dnn_seq_data *d) noexcept nogil:
    if d is not NULL:
        dnn_content_put(&d.content, NULL)
    return dnn_delete(d, DNN_SEQ_DATA)


cdef bint is_attn_type(uint32_t type) noexcept nogil:
    return (type == <uint32_t>CUDNN_DATA_FLOAT or type == <uint32_t>CUDNN_DATA_DOUBLE
            or type == <uint32_t>CUDNN_DATA_HALF)


cdef public cudnnStatus_t set_seq_data_descriptor(dnn_seq_data *d, cudnnDataType_t type, int count, const int *dim,
        const cudnnSeqDataAxis_t *axes, size_t lengths_count, const int *lengths, void *fill) noexcept nogil:
    """The vector is the innermost axis; the others come in any order. There is a length for each batch and beam."""
    cdef dnn_sequences *s
    cdef uint32_t seen = 0
    cdef int i
    cdef size_t k
    if not is_attn_type(type):
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
    s = <dnn_sequences *>dnn_content_new(sizeof(dnn_sequences) + lengths_count * sizeof(int32_t))
    if s is NULL:
        return dnn_because(CUDNN_STATUS_ALLOC_FAILED, b"no memory for the lengths")
    memcpy(s.lengths, lengths, lengths_count * sizeof(int32_t))
    s.lengths_count = lengths_count
    s.type = <int32_t>type
    s.count = 4
    for i in range(4):
        s.dim[i] = dim[i]
        s.axis[i] = <int32_t>axes[i]
    s.filled = 1 if fill is not NULL else 0
    if fill is not NULL:
        memcpy(&s.fill, fill, <size_t>dnn_type_bytes(s.type))
    dnn_content_put(&d.content, s)
    return CUDNN_STATUS_SUCCESS


cdef public cudnnStatus_t get_seq_data_descriptor(dnn_seq_data *d, cudnnDataType_t *type, int *count, int asked,
        int *dim, cudnnSeqDataAxis_t *axes, size_t *lengths_count, size_t lengths_asked, int *lengths,
        void *fill) noexcept nogil:
    cdef dnn_sequences none
    cdef dnn_sequences *s
    cdef void *taken
    cdef int i
    if asked < 0:
        return bad(b"nbDimsRequested is negative")
    taken = dnn_content_taken(&d.content)
    s = <dnn_sequences *>taken
    if s is NULL:
        memset(&none, 0, sizeof(none))
        s = &none
    give(<int *>type, s.type)
    give(count, s.count)
    for i in range(asked if asked < s.count else s.count):
        if dim is not NULL:
            dim[i] = s.dim[i]
        if axes is not NULL:
            axes[i] = <cudnnSeqDataAxis_t>s.axis[i]
    if lengths_count is not NULL:
        lengths_count[0] = s.lengths_count
    if lengths is not NULL:
        memcpy(lengths, s.lengths,
               (lengths_asked if lengths_asked < s.lengths_count else s.lengths_count) * sizeof(int))
    if fill is not NULL and s.filled:
        memcpy(fill, &s.fill, <size_t>dnn_type_bytes(s.type))
    dnn_content_left(taken)
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
    if not is_attn_type(type) or not is_attn_type(compute_type):
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


# ---- the work: attend.pxi has its pieces

cdef public cudnnStatus_t get_attn_buffers(dnn_handle *h, dnn_attention *d, size_t *weights, size_t *workspace,
        size_t *reserve) noexcept nogil:
    """The reserve holds all that the backward calls need, which have no workspace."""
    cdef attn a
    cdef size_t[PARTS] parts
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


cdef public cudnnStatus_t get_attn_weights(dnn_handle *h, dnn_attention *d, cudnnMultiHeadAttnWeightKind_t kind,
        size_t size, const void *weights, dnn_tensor *wd, void **place) noexcept nogil:
    """Heads × projected × given size. A head's rows lie one behind the other, the output's side by side with those of
    the other heads: so each kind is one matrix. Weights that are not used have no address."""
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
    cdef size_t[PARTS] parts
    cdef dnn_tensor rd
    cdef dnn_tensor outd
    cdef char *memory = <char *>workspace
    cdef char *mask
    cdef char *left
    cdef char *scores
    cdef const void *qs = queries
    cdef const void *ks = keys
    cdef const void *vs = values
    cdef void *heads = out
    cdef int64_t row, all_q, all_k, all_v, all_o
    cdef int n, b, first, rows, length
    cdef bint made = False
    cdef bint alike
    cdef int[2] made_for
    cdef cudnnStatus_t status = attn_checked(d, &a)
    if status == CUDNN_STATUS_SUCCESS:
        status = attn_shapes(h, d, &a, qd, kd, vd, od, &q, &k, &v, &o)
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
        status = attn_dropouts(d, &a)
        if status != CUDNN_STATUS_SUCCESS:
            return status
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
    # ---- each sequence; where all are alike, their softmax is one call
    first = current if current > 0 else 0
    alike = current < 0 and attn_alike(&a, &q, &k)
    for n in range(q.batch):
        for b in range(q.beam):
            rows = attn_length(&q, n, b)
            if current >= 0:
                rows = 1 if current < rows else 0
            length = attn_length(&k, n, b)
            if rows == 0 or status != CUDNN_STATUS_SUCCESS:
                continue
            if length == 0:
                row = attn_row(&o, n, b) + first * o.time_step
                status = hip_answered(dg_hip.hipMemset2DAsync(
                    at(heads, row * all_o, &a), <size_t>(o.time_step * all_o) * a.bytes, 0, <size_t>all_o * a.bytes,
                    <size_t>rows, <hipStream_t>to_stream(h.stream)), b"hipMemset2DAsync")
                continue
            scores = at(memory + parts[PART_A], (<int64_t>n * q.beam + b) * a.heads * q.time * k.time, &a)
            status = dnn_gemm(
                h, a.type, 0, 1, rows, length, a.width, a.scale,
                at(qs, (attn_row(&q, n, b) + first * q.time_step) * all_q, &a), q.time_step * all_q,
                a.width if a.pq else 0, at(ks, attn_row(&k, n, b) * all_k, &a), k.time_step * all_k,
                a.width if a.pk else 0, 0, scores, length, <int64_t>rows * length, <int>a.heads)
            if status == CUDNN_STATUS_SUCCESS and not alike:
                status = attn_scored(h, &a, a.heads, rows, length, low + first, high + first, &made, made_for, mask,
                                     scores)
    if alike and status == CUDNN_STATUS_SUCCESS:
        status = attn_scored(h, &a, a.heads * q.batch * q.beam, q.time, k.time, low, high, &made, made_for, mask,
                             memory + parts[PART_A])
    left = memory + parts[PART_A]
    if a.first is not NULL and status == CUDNN_STATUS_SUCCESS:
        left = memory + parts[PART_AD]
        status = attn_dropped(h, &a, a.first, False, <int64_t>q.batch * q.beam * a.heads * q.time * k.time,
                              memory + parts[PART_A], left, memory + parts[PART_KEPT])
    for n in range(q.batch):
        for b in range(q.beam):
            rows = attn_length(&q, n, b)
            if current >= 0:
                rows = 1 if current < rows else 0
            length = attn_length(&k, n, b)
            if rows == 0 or length == 0 or status != CUDNN_STATUS_SUCCESS:
                continue
            status = dnn_gemm(
                h, a.type, 0, 0, rows, a.value, length, 1,
                at(left, (<int64_t>n * q.beam + b) * a.heads * q.time * k.time, &a), length,
                <int64_t>rows * length, at(vs, attn_row(&v, n, b) * all_v, &a), v.time_step * all_v,
                a.value if a.pv else 0, 0, at(heads, (attn_row(&o, n, b) + first * o.time_step) * all_o, &a),
                o.time_step * all_o, a.value, <int>a.heads)
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
    # beyond the ends: 0, to which the projection has added its bias, as in NVIDIA's library
    if status == CUDNN_STATUS_SUCCESS and current < 0 and not (a.po and a.biased):
        o.lengths, o.short_ones = q.lengths, q.short_ones
        status = attn_clear_ends(h, &a, &o, a.out, out)
    if a.last is not NULL and status == CUDNN_STATUS_SUCCESS:
        status = attn_dropped(h, &a, a.last, False, o.count * a.out, out, out, memory + parts[PART_KEPT_OUT])
    # NVIDIA's library passes on what the residual holds beyond the ends
    if residuals is not NULL and status == CUDNN_STATUS_SUCCESS:
        sequences(&rd, a.type, &q, q.time if current < 0 else 1, a.out)
        sequences(&outd, a.type, &o, o.time if current < 0 else 1, a.out)
        status = dnn_op_tensor(
            h, miopenTensorOpAdd, 1, &outd, at(out, first * o.time_step * a.out, &a), 1, &rd,
            at(residuals, first * q.time_step * a.out, &a), 0, &outd, at(out, first * o.time_step * a.out, &a))
    return status


cdef cudnnStatus_t attn_back_checked(dnn_attention *d, attn *a, size_t *parts, size_t weight_size, const void *weights,
        size_t reserve_size, void *reserve) noexcept nogil:
    attn_parts(d, a, parts)
    if weight_size < a.weight[8] * a.bytes or (weights is NULL and a.weight[8] != 0):
        return bad(b"the weights are NULL or smaller than their query says")
    if reserve is NULL or reserve_size < parts[PART_ALL]:
        return bad(b"the reserve is NULL or smaller than its query says")
    return attn_dropouts(d, a)


cdef cudnnStatus_t attn_heads_summed(dnn_handle *h, const attn *a, bint apart, int turns_a, int64_t m, int64_t n,
        int64_t k, const void *x, int64_t ldx, int64_t next_x, const void *y, int64_t ldy, int64_t next_y, double beta,
        void *z, int64_t ldz, int64_t next_z) noexcept nogil:
    """Of each head z ← x·y + β·z; where the heads have one z (not `apart`), their sum."""
    cdef int64_t i
    cdef cudnnStatus_t status = CUDNN_STATUS_SUCCESS
    if apart:
        return dnn_gemm(h, a.type, turns_a, 0, m, n, k, 1, x, ldx, next_x, y, ldy, next_y, beta, z, ldz, next_z,
                        <int>a.heads)
    for i in range(a.heads):
        if status == CUDNN_STATUS_SUCCESS:
            status = dnn_gemm(h, a.type, turns_a, 0, m, n, k, 1, at(x, i * next_x, a), ldx, 0, at(y, i * next_y, a),
                              ldy, 0, 1 if i else beta, z, ldz, 0, 1)
    return status


cdef public cudnnStatus_t attn_backward_data(dnn_handle *h, dnn_attention *d, const int *low, const int *high,
        const int *q_lengths, const int *k_lengths, dnn_seq_data *od, const void *dout, dnn_seq_data *qd,
        void *dqueries, const void *queries, dnn_seq_data *kd, void *dkeys, const void *keys, dnn_seq_data *vd,
        void *dvalues, const void *values, size_t weight_size, const void *weights, size_t work_size, void *workspace,
        size_t reserve_size, void *reserve) noexcept nogil:
    """The weights that the forward call left in the reserve are 0 outside the windows, and so are the scores'
    gradients. Where weights are dropped NVIDIA's library goes back through the softmax with what is left of them, as if
    that were the softmax: not the derivative, but what programs have been trained with."""
    cdef attn a
    cdef tokens q
    cdef tokens k
    cdef tokens v
    cdef tokens o
    cdef size_t[PARTS] parts
    cdef char *memory = <char *>reserve
    cdef char *soft
    cdef char *dsoft
    cdef char *left
    cdef const void *qs = queries
    cdef const void *ks = keys
    cdef const void *vs = values
    cdef const void *dh = dout
    cdef void *dq = dqueries
    cdef void *dk = dkeys
    cdef void *dv = dvalues
    cdef int64_t row, at_q, at_k, at_v, all_q, all_k, all_v, all_o
    cdef int64_t block, part
    cdef int n, b, rows, length
    cdef bint alike
    cdef double beta
    cdef cudnnStatus_t status = attn_checked(d, &a)
    if status == CUDNN_STATUS_SUCCESS:
        status = attn_shapes(h, d, &a, qd, kd, vd, od, &q, &k, &v, &o)
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
    alike = attn_alike(&a, &q, &k)
    left = memory + (parts[PART_AD] if a.first is not NULL else parts[PART_A])
    if a.last is not NULL:  # the weights' call finds it there too
        status = attn_dropped(h, &a, a.last, True, o.count * a.out, dout, memory + parts[PART_DO],
                              memory + parts[PART_KEPT_OUT])
        dout = dh = memory + parts[PART_DO]
    # what no sequence writes has no gradient
    if status == CUDNN_STATUS_SUCCESS:
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
            part = (<int64_t>n * q.beam + b) * a.heads * q.time * k.time
            dsoft = at(memory + parts[PART_DA], part, &a)
            status = dnn_gemm(
                h, a.type, 0, 1, rows, length, a.value, 1, at(dh, attn_row(&o, n, b) * all_o, &a), o.time_step * all_o,
                a.value, at(vs, attn_row(&v, n, b) * all_v, &a), v.time_step * all_v, a.value if a.pv else 0, 0, dsoft,
                length, <int64_t>rows * length, <int>a.heads)
            if a.first is not NULL and status == CUDNN_STATUS_SUCCESS:
                # the mask goes with the elements' places
                status = attn_dropped(h, &a, a.first, True, a.heads * rows * length, dsoft, dsoft,
                                      memory + parts[PART_KEPT] + part)
            if status == CUDNN_STATUS_SUCCESS and not alike:
                status = attn_softmax_back(h, &a, a.heads * rows, length, at(left, part, &a), dsoft)
    if alike and status == CUDNN_STATUS_SUCCESS:
        status = attn_softmax_back(h, &a, a.heads * q.batch * q.beam * q.time, k.time, left, memory + parts[PART_DA])
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
            part = (<int64_t>n * q.beam + b) * a.heads * q.time * k.time
            soft = at(left, part, &a)
            dsoft = at(memory + parts[PART_DA], part, &a)
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


cdef cudnnStatus_t attn_weights_back(dnn_handle *h, const attn *a, int64_t rows, int64_t width, const void *dy,
        int64_t size, const void *x, int kind, double beta, void *dweights, const void *ones) noexcept nogil:
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


cdef public cudnnStatus_t attn_backward_weights(dnn_handle *h, dnn_attention *d, cudnnWgradMode_t mode,
        dnn_seq_data *qd, const void *queries, dnn_seq_data *kd, const void *keys, dnn_seq_data *vd, const void *values,
        dnn_seq_data *od, const void *dout, size_t weight_size, const void *weights, void *dweights, size_t work_size,
        void *workspace, size_t reserve_size, void *reserve) noexcept nogil:
    """After the call for the data, which leaves the projections' gradients in the reserve, and of dout what a dropout
    leaves."""
    cdef attn a
    cdef tokens q
    cdef tokens k
    cdef tokens v
    cdef tokens o
    cdef size_t[PARTS] parts
    cdef char *memory = <char *>reserve
    cdef void *ones
    cdef double beta = 1 if mode == CUDNN_WGRAD_MODE_ADD else 0
    cdef cudnnStatus_t status = attn_checked(d, &a)
    if status == CUDNN_STATUS_SUCCESS:
        status = attn_shapes(h, d, &a, qd, kd, vd, od, &q, &k, &v, &o)
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
    if a.last is not NULL:
        dout = memory + parts[PART_DO]
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
    # the bias's gradient sums what stands beyond the ends too, as NVIDIA's does
    if a.po and status == CUDNN_STATUS_SUCCESS:
        status = attn_weights_back(h, &a, o.count, a.out, dout, a.heads * a.value, memory + parts[PART_H], 3, beta,
                                   dweights, ones)
    return status
