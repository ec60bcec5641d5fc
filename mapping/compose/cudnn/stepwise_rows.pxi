# Sequences and states between the program's memory and a stepwise network's own, which has a type of its own
# (stepwise.pyx).

cdef inline int sequence(const dnn_rows *d, int j) noexcept nogil:
    """The number of the one that is the j-th longest."""
    return d.lengths[d.batch + j] if d.reordered else j


cdef int alive(const plan *p, int t) noexcept nogil:
    """How many sequences have a step t."""
    cdef const dnn_rows *d = p.n.xd
    cdef int low = 0
    cdef int high = p.N
    cdef int middle
    if t < 0 or t >= p.T:
        return 0
    if p.n.batches is not NULL:
        return p.n.batches[t]
    while low < high:
        middle = (low + high) // 2
        if d.lengths[sequence(d, middle)] > t:
            low = middle + 1
        else:
            high = middle
    return low


cdef inline bint is_full(const plan *p) noexcept nogil:
    """Every sequence has every step."""
    return alive(p, p.T - 1) == p.N


cdef inline int layout_of(const plan *p) noexcept nogil:
    return p.n.xd.layout if p.n.xd is not NULL else CUDNN_RNN_DATA_LAYOUT_SEQ_MAJOR_PACKED


cdef inline bint lies_alike(const plan *p) noexcept nogil:
    """The program's data have the rows that ours have."""
    return is_full(p) and layout_of(p) != CUDNN_RNN_DATA_LAYOUT_BATCH_MAJOR_UNPACKED


cdef inline uint32_t hip_said(uint32_t status, const char *what) noexcept nogil:
    return 0 if status == 0 else dnn_failed(CUDNN_STATUS_EXECUTION_FAILED, what, status)


cdef uint32_t cleared(const plan *p, void *memory, size_t bytes) noexcept nogil:
    return hip_said(dg_hip.hipMemsetAsync(memory, 0, bytes, <hipStream_t>to_stream(p.n.h.stream)), b"hipMemsetAsync")


cdef uint32_t copied(const plan *p, void *to, size_t to_pitch, const void *source, size_t pitch, size_t width,
        int height) noexcept nogil:
    if height == 0 or width == 0:
        return 0
    if width == pitch and width == to_pitch:
        return hip_said(dg_hip.hipMemcpyAsync(
            to, source, width * <size_t>height, hipMemcpyDeviceToDevice, <hipStream_t>to_stream(p.n.h.stream)),
            b"hipMemcpyAsync")
    return hip_said(dg_hip.hipMemcpy2DAsync(
        to, to_pitch, source, pitch, width, <size_t>height, hipMemcpyDeviceToDevice,
        <hipStream_t>to_stream(p.n.h.stream)), b"hipMemcpy2DAsync")


cdef inline uint32_t carried(const plan *p, bint back, char *ours, size_t our_pitch, char *theirs, size_t their_pitch,
        size_t width, int height) noexcept nogil:
    if back:
        return copied(p, theirs, their_pitch, ours, our_pitch, width, height)
    return copied(p, ours, our_pitch, theirs, their_pitch, width, height)


cdef uint32_t carry_rows(const plan *p, bint back, char *ours, char *theirs, size_t row) noexcept nogil:
    """Sequences of rows of so many bytes between the program's memory and ours; `back`: to the program's."""
    cdef const dnn_rows *d = p.n.xd
    cdef size_t pitch = <size_t>p.N * row
    cdef size_t at
    cdef int t = 0
    cdef int j = 0
    cdef int i, count, end
    cdef uint32_t status = 0
    if layout_of(p) == CUDNN_RNN_DATA_LAYOUT_SEQ_MAJOR_PACKED:
        at = 0
        while t < p.T and status == 0:
            count = alive(p, t)
            end = t + 1
            while end < p.T and alive(p, end) == count:
                end += 1
            status = carried(p, back, ours + <size_t>t * pitch, pitch, theirs + at, <size_t>count * row,
                             <size_t>count * row, end - t)
            at += <size_t>count * row * <size_t>(end - t)
            t = end
        return status
    while j < p.N and status == 0:
        i = sequence(d, j)
        if d.layout == CUDNN_RNN_DATA_LAYOUT_BATCH_MAJOR_UNPACKED:
            status = carried(p, back, ours + <size_t>j * row, pitch, theirs + <size_t>i * <size_t>p.T * row, row, row,
                             d.lengths[i])
            j += 1
            continue
        end = j + 1
        while not d.reordered and end < p.N and d.lengths[end] == d.lengths[i]:
            end += 1
        status = carried(p, back, ours + <size_t>j * row, pitch, theirs + <size_t>i * row, pitch,
                         <size_t>(end - j) * row, d.lengths[i])
        j = end
    return status


cdef uint32_t carry_states(const plan *p, bint back, char *ours, char *theirs, size_t row) noexcept nogil:
    cdef const dnn_rows *d = p.n.xd
    cdef size_t pitch = <size_t>p.N * row
    cdef int j
    cdef uint32_t status = 0
    if d is NULL or not d.reordered:
        return carried(p, back, ours, pitch, theirs, pitch, pitch, p.L * p.D)
    for j in range(p.N):
        if status == 0:
            status = carried(p, back, ours + <size_t>j * row, pitch, theirs + <size_t>sequence(d, j) * row, pitch, row,
                             p.L * p.D)
    return status


cdef uint32_t cast(const plan *p, int64_t elements, int from_type, const void *source, int to_type, void *to,
        double beta) noexcept nogil:
    cdef dnn_tensor a, b
    as_line(&a, from_type, elements)
    as_line(&b, to_type, elements)
    return dnn_moved(p.n.h, p.work + p.cast, 1, &a, source, beta, &b, to)


cdef inline bint in_order(const plan *p) noexcept nogil:
    return p.n.xd is NULL or not p.n.xd.reordered


cdef uint32_t brought(const plan *p, const void *theirs, int width, real *place, const real **found) noexcept nogil:
    """The program's sequences as numbers of our type in rows of ours: as they are, or at `place`. NULL counts as
    zeros."""
    cdef char *raw = p.work + p.cast + <size_t>DNN_WORK
    cdef int64_t elements = p.rows * width
    cdef uint32_t status = 0
    found[0] = place
    if theirs is NULL:
        return cleared(p, place, <size_t>elements * sizeof(real))
    if lies_alike(p):
        if p.casts:
            return cast(p, elements, p.n.type, theirs, REAL, place, 0)
        found[0] = <const real *>theirs
        return 0
    if not p.casts:
        raw = <char *>place
    if not is_full(p):
        status = cleared(p, raw, <size_t>elements * p.each)
    if status == 0:
        status = carry_rows(p, False, raw, <char *>theirs, <size_t>width * p.each)
    if status == 0 and p.casts:
        status = cast(p, elements, p.n.type, raw, REAL, place, 0)
    return status


cdef uint32_t sent(const plan *p, const real *ours, int width, void *theirs) noexcept nogil:
    """The way back; what lies beyond the sequences' ends is left alone."""
    cdef char *raw = <char *>ours
    cdef int64_t elements = p.rows * width
    cdef uint32_t status
    if p.casts:
        raw = <char *>theirs if lies_alike(p) else p.work + p.cast + <size_t>DNN_WORK
        status = cast(p, elements, REAL, ours, p.n.type, raw, 0)
        if status != 0 or raw == theirs:
            return status
    if lies_alike(p):
        return copied(p, theirs, <size_t>width * p.each, raw, <size_t>width * p.each, <size_t>width * p.each,
                      <int>p.rows)
    return carry_rows(p, True, raw, <char *>theirs, <size_t>width * p.each)


cdef uint32_t states_brought(const plan *p, const void *theirs, int width, real *place) noexcept nogil:
    """Always a copy, zeros for NULL."""
    cdef char *raw = p.work + p.cast + <size_t>DNN_WORK if p.casts else <char *>place
    cdef int64_t elements = <int64_t>p.L * p.D * p.N * width
    cdef uint32_t status = 0
    if theirs is NULL:
        return cleared(p, place, <size_t>elements * sizeof(real))
    if in_order(p) and p.casts:
        return cast(p, elements, p.n.type, theirs, REAL, place, 0)
    status = carry_states(p, False, raw, <char *>theirs, <size_t>width * p.each)
    if status == 0 and p.casts:
        status = cast(p, elements, p.n.type, raw, REAL, place, 0)
    return status


cdef uint32_t states_sent(const plan *p, const real *ours, int width, void *theirs) noexcept nogil:
    cdef char *raw = <char *>ours
    cdef int64_t elements = <int64_t>p.L * p.D * p.N * width
    cdef uint32_t status
    if theirs is NULL:
        return 0
    if p.casts:
        raw = <char *>theirs if in_order(p) else p.work + p.cast + <size_t>DNN_WORK
        status = cast(p, elements, REAL, ours, p.n.type, raw, 0)
        if status != 0 or raw == theirs:
            return status
    return carry_states(p, True, raw, <char *>theirs, <size_t>width * p.each)
