# Multi-head attention. Blocks of tables/cudnn/attention.yaml.

include "common.pxi"


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
    if mode & ~3u:
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
