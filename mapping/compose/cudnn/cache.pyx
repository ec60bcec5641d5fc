"""MIOpen's descriptors, kept by content: the same shape is described to MIOpen once in a process.

A table that all parts of cuDNN have in common is read without a lock and written under the core's. Nothing in it is
ever removed, since another thread may hold what it found. A program with more shapes than it holds goes on with a ring
of descriptors of each handle's own, which are made anew on each call; a call that holds many at a time asks
for room first.
"""

include "generated.pxi"
include "cudnn_abi.pxi"
include "cudnn_backend.pxi"
include "cudnn_translate.pxi"
include "slots.pxi"
include "say.pxi"
include "words.pxi"

from libc.string cimport memcmp

cdef enum:
    ENTRIES = 4096  # a power of two
    PROBES = 16
    WORDS = 24
    RING = 128      # more than a call needs that does not ask for room

cdef struct content:
    uint32_t kind   # the slot's magic
    int32_t[WORDS] words

cdef struct entry:
    content what
    void *amd       # written last

cdef struct ring_place:
    uint32_t kind
    void *amd

cdef struct ring:  # its places lie behind it
    int next
    int size

cdef extern from *:
    """
    static inline void *published(void **place) { return __atomic_load_n(place, __ATOMIC_ACQUIRE); }
    static inline void publish(void **place, void *value) { __atomic_store_n(place, value, __ATOMIC_RELEASE); }
    static inline int put_first(void **place, void *value) {
        void *none = 0;
        return __atomic_compare_exchange_n(place, &none, value, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
    }
    static inline int begin_turn(uint32_t *turn, uint32_t was) { /* one writer; what it writes comes after */
        if ((was & 1) || !__atomic_compare_exchange_n(turn, &was, was + 1, 0, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
            return 0;
        __atomic_thread_fence(__ATOMIC_RELEASE);
        return 1;
    }
    static inline void end_turn(uint32_t *turn, uint32_t was) { __atomic_store_n(turn, was + 2, __ATOMIC_RELEASE); }
    static const uint64_t weight[] = { /* odd numbers without a pattern (splitmix64's) */
        0xe220a8397b1dcdafu, 0x6e789e6aa1b965f5u, 0x06c45d188009454fu, 0xf88bb8a8724c81edu, 0x1b39896a51a8749bu,
        0x53cb9f0c747ea2ebu, 0x2c829abe1f4532e1u, 0xc584133ac916ab3du, 0x3ee5789041c98ac3u, 0xf3b8488c368cb0a7u,
        0x657eecdd3cb13d09u, 0xc2d326e0055bdef7u, 0x8621a03fe0bbdb7bu, 0x8e1f7555983aa92fu, 0xb54e0f1600cc4d19u,
        0x84bb3f97971d80abu, 0x7d29825c75521255u, 0xc3cf17102b7f7f87u, 0x3466e9a083914f65u, 0xd81a8d2b5a4485adu,
        0xdb01602b100b9ed7u, 0xa9038a921825f10du, 0xedf5f1d90dca2f6bu, 0x54496ad67bd2634du, 0xdd7c01d4f5407269u,
    };
    /* A sum of products, so that words of 0 need not be looked at. The rows are too short for vectors. */
    static inline uint64_t weighed(uint64_t value, int place, int count, const int32_t *word) {
    #ifdef __clang__
    #pragma clang loop vectorize(disable) unroll(disable)
    #endif
        for (int i = 0; i < count; i++) value += weight[place + i] * (uint32_t)word[i];
        return value;
    }
    static inline int alike(int count, const int32_t *a, const int32_t *b) {
        for (int i = 0; i < count; i++)
            if (a[i] != b[i]) return 0;
        return 1;
    }
    """
    const uint64_t *weight
    uint64_t weighed(uint64_t value, int place, int count, const int32_t *word) nogil
    bint alike(int count, const int32_t *a, const int32_t *b) nogil
    void *published(void **place) nogil
    void publish(void **place, void *value) nogil
    bint put_first(void **place, void *value) nogil
    bint begin_turn(uint32_t *turn, uint32_t was) nogil
    void end_turn(uint32_t *turn, uint32_t was) nogil

cdef extern from "support.h" nogil:
    enum:
        DNN_RECALLED
        DNN_CONTENT
    ctypedef struct dnn_recalled:
        uint32_t turn
        uint32_t use
        char of[3][1]  # DNN_CONTENT bytes each
        void *amd[3]
    void *dnn_amd_known(void **place)
    void dnn_amd_remembered(void **place, void *amd, const void *was, const void *is_, size_t size)
    dnn_recalled *dnn_recall_place(dnn_recalled *all, uint32_t use, const void *a, const void *b, const void *c)

cdef entry *the_table


cdef entry *table() noexcept nogil:
    global the_table
    if the_table is NULL:
        the_table = <entry *>dg_the_core.shared(b"cudnn.descriptors", ENTRIES * sizeof(entry))
    return the_table


cdef inline uint32_t hash_of(uint32_t kind, int count, const int32_t *word) noexcept nogil:
    """The same number however many of the words of 0 at the end are counted."""
    return <uint32_t>(weighed(weight[WORDS] * kind, 0, count, word) >> 40)


cdef inline uint32_t shape_hash(int32_t type, int count, const int32_t *dim, const int32_t *stride) noexcept nogil:
    """The same of a tensor, whose words are not put together."""
    cdef uint64_t value = (weight[WORDS] * <uint32_t>DNN_TENSOR + weight[0] * <uint32_t>type
                           + weight[1] * <uint32_t>count)
    return <uint32_t>(weighed(weighed(value, 2, count, dim), 2 + DNN_DIMS, count, stride) >> 40)


# ---- MIOpen's descriptors of a content: made, filled, destroyed

cdef uint32_t created(uint32_t kind, void **d) noexcept nogil:
    if kind == DNN_TENSOR:
        return dg_miopen.miopenCreateTensorDescriptor(<miopenTensorDescriptor_t *>d)
    if kind == DNN_CONVOLUTION:
        return dg_miopen.miopenCreateConvolutionDescriptor(<miopenConvolutionDescriptor_t *>d)
    if kind == DNN_POOLING:
        return dg_miopen.miopenCreatePoolingDescriptor(<miopenPoolingDescriptor_t *>d)
    if kind == DNN_ACTIVATION:
        return dg_miopen.miopenCreateActivationDescriptor(<miopenActivationDescriptor_t *>d)
    if kind == DNN_LRN:
        return dg_miopen.miopenCreateLRNDescriptor(<miopenLRNDescriptor_t *>d)
    if kind == DNN_RNN:
        return dg_miopen.miopenCreateRNNDescriptor(<miopenRNNDescriptor_t *>d)
    if kind == DNN_CTC:
        return dg_miopen.miopenCreateCTCLossDescriptor(<miopenCTCLossDescriptor_t *>d)
    return dg_miopen.miopenCreateReduceTensorDescriptor(<miopenReduceTensorDescriptor_t *>d)


cdef void unmake(uint32_t kind, void *d) noexcept nogil:
    if d is NULL:
        return
    if kind == DNN_TENSOR:
        dg_miopen.miopenDestroyTensorDescriptor(<miopenTensorDescriptor_t>d)
    elif kind == DNN_CONVOLUTION:
        dg_miopen.miopenDestroyConvolutionDescriptor(<miopenConvolutionDescriptor_t>d)
    elif kind == DNN_POOLING:
        dg_miopen.miopenDestroyPoolingDescriptor(<miopenPoolingDescriptor_t>d)
    elif kind == DNN_ACTIVATION:
        dg_miopen.miopenDestroyActivationDescriptor(<miopenActivationDescriptor_t>d)
    elif kind == DNN_LRN:
        dg_miopen.miopenDestroyLRNDescriptor(<miopenLRNDescriptor_t>d)
    elif kind == DNN_RNN:
        dg_miopen.miopenDestroyRNNDescriptor(<miopenRNNDescriptor_t>d)
    elif kind == DNN_CTC:
        dg_miopen.miopenDestroyCTCLossDescriptor(<miopenCTCLossDescriptor_t>d)
    else:
        dg_miopen.miopenDestroyReduceTensorDescriptor(<miopenReduceTensorDescriptor_t>d)


cdef uint32_t fill_convolution(miopenConvolutionDescriptor_t d, const int32_t *w) noexcept nogil:
    cdef uint32_t status = dg_miopen.miopenInitConvolutionNdDescriptor(
        d, w[0], <const int *>&w[2], <const int *>&w[2 + DNN_SPATIALS], <const int *>&w[2 + 2 * DNN_SPATIALS],
        miopenConvolution)
    if status == 0 and w[1] > 1:
        status = dg_miopen.miopenSetConvolutionGroupCount(d, w[1])
    if status == 0 and w[2 + 3 * DNN_SPATIALS]:
        status = dg_miopen.miopenSetConvolutionAttribute(d, MIOPEN_CONVOLUTION_ATTRIB_DETERMINISTIC, 1)
    return status


cdef uint32_t fill_pooling(miopenPoolingDescriptor_t d, const int32_t *w) noexcept nogil:
    cdef uint32_t status = dg_miopen.miopenSetNdPoolingDescriptor(
        d, <miopenPoolingMode_t>w[0], w[1], <const int *>&w[2], <const int *>&w[2 + DNN_SPATIALS],
        <const int *>&w[2 + 2 * DNN_SPATIALS])
    if status == 0:
        status = dg_miopen.miopenSetPoolingIndexType(d, miopenIndexUint32)
    if status == 0:
        # the other mode counts within the window, in which overlapping windows could not be told apart
        status = dg_miopen.miopenSetPoolingWorkSpaceIndexMode(d, miopenPoolingWorkspaceIndexImage)
    return status


cdef uint32_t fill_rnn(miopenRNNDescriptor_t d, const int32_t *w) noexcept nogil:
    cdef void *dropout
    memcpy(&dropout, &w[8], sizeof(dropout))
    if dropout is NULL:
        # with none, _V2 succeeds and sizes that are asked of the descriptor are refused (MIOpen 7.2.4)
        return dg_miopen.miopenSetRNNDescriptor(
            d, w[0], w[1], <miopenRNNInputMode_t>w[2], <miopenRNNDirectionMode_t>w[3], <miopenRNNMode_t>w[4],
            <miopenRNNBiasMode_t>w[5], miopenRNNdefault, <miopenDataType_t>w[6])
    return dg_miopen.miopenSetRNNDescriptor_V2(
        d, w[0], w[1], <miopenDropoutDescriptor_t>dropout, <miopenRNNInputMode_t>w[2], <miopenRNNDirectionMode_t>w[3],
        <miopenRNNMode_t>w[4], <miopenRNNBiasMode_t>w[5], miopenRNNdefault, <miopenDataType_t>w[6])


cdef uint32_t filled(uint32_t kind, void *d, const int32_t *w, const char **what) noexcept nogil:
    """`what`: the function of MIOpen's that a failure is told of."""
    cdef double[3] factor
    if kind == DNN_TENSOR:
        what[0] = b"miopenSetTensorDescriptor"
        return dg_miopen.miopenSetTensorDescriptor(<miopenTensorDescriptor_t>d, <miopenDataType_t>w[0], w[1],
                                                   <const int *>&w[2], <const int *>&w[2 + DNN_DIMS])
    if kind == DNN_CONVOLUTION:
        what[0] = b"miopenInitConvolutionNdDescriptor"
        return fill_convolution(<miopenConvolutionDescriptor_t>d, w)
    if kind == DNN_POOLING:
        what[0] = b"miopenSetNdPoolingDescriptor"
        return fill_pooling(<miopenPoolingDescriptor_t>d, w)
    if kind == DNN_ACTIVATION:
        what[0] = b"miopenSetActivationDescriptor"
        memcpy(factor, &w[1], sizeof(factor))
        return dg_miopen.miopenSetActivationDescriptor(<miopenActivationDescriptor_t>d, <miopenActivationMode_t>w[0],
                                                       factor[0], factor[1], factor[2])
    if kind == DNN_LRN:
        what[0] = b"miopenSetLRNDescriptor"
        memcpy(factor, &w[2], sizeof(factor))
        return dg_miopen.miopenSetLRNDescriptor(<miopenLRNDescriptor_t>d, <miopenLRNMode_t>w[0], <unsigned int>w[1],
                                                factor[0], factor[1], factor[2])
    if kind == DNN_RNN:
        what[0] = b"miopenSetRNNDescriptor"
        return fill_rnn(<miopenRNNDescriptor_t>d, w)
    if kind == DNN_CTC:
        what[0] = b"miopenSetCTCLossDescriptor"
        return dg_miopen.miopenSetCTCLossDescriptor(<miopenCTCLossDescriptor_t>d, <miopenDataType_t>w[0], w[1],
                                                    <uint8_t>w[2])
    what[0] = b"miopenSetReduceTensorDescriptor"
    return dg_miopen.miopenSetReduceTensorDescriptor(
        <miopenReduceTensorDescriptor_t>d, <miopenReduceTensorOp_t>w[0], <miopenDataType_t>w[1],
        <miopenNanPropagation_t>w[2], <miopenReduceTensorIndices_t>w[3], <miopenIndicesType_t>w[4])


cdef void *make(const content *c) noexcept nogil:
    cdef const char *what = b"the descriptor's creation"
    cdef void *d = NULL
    cdef uint32_t status = created(c.kind, &d)
    if status == 0:
        status = filled(c.kind, d, c.words, &what)
        if status == 0:
            return d
        unmake(c.kind, d)
    dnn_failed(status_of_miopen(status), what, status)
    return NULL


cdef inline ring_place *places_of(ring *r) noexcept nogil:
    return <ring_place *>(r + 1)


cdef public uint32_t dnn_ring_room(dnn_handle *h, int count) noexcept nogil:
    """The next `count` descriptors of the ring, and as many as it has at least, outlive one another."""
    cdef ring *old = <ring *>h.ring
    cdef ring *r
    cdef int i
    if old is not NULL and old.size >= count:
        return 0
    r = <ring *>dg_the_core.alloc(sizeof(ring) + <size_t>count * sizeof(ring_place))
    if r is NULL:
        return dnn_because(CUDNN_STATUS_ALLOC_FAILED, b"no memory for a descriptor")
    r.size = count
    if old is not NULL:
        for i in range(old.size):  # the oldest first
            places_of(r)[i] = places_of(old)[(old.next + i) % old.size]
        r.next = old.size
        dg_the_core.release(old)
    h.ring = r
    return 0


cdef void *in_ring(dnn_handle *h, const content *c) noexcept nogil:
    cdef ring *r
    cdef ring_place *at
    if dnn_ring_room(h, RING) != 0:
        return NULL
    r = <ring *>h.ring
    at = places_of(r) + r.next
    r.next = (r.next + 1) % r.size
    unmake(at.kind, at.amd)
    at.kind = c.kind
    at.amd = make(c)
    return at.amd


cdef void *find(dnn_handle *h, const content *c, void **place) noexcept nogil:
    """MIOpen's descriptor of a content, remembered at `place` where it will stay; NULL where MIOpen refuses it."""
    cdef entry *t = table()
    cdef uint32_t first = hash_of(c.kind, WORDS, c.words)
    cdef entry *e
    cdef void *amd = NULL
    cdef int i
    if t is NULL:
        return in_ring(h, c)
    for i in range(PROBES):
        e = &t[(first + <uint32_t>i) & (ENTRIES - 1)]
        amd = published(&e.amd)
        if amd is NULL:
            break
        if memcmp(&e.what, c, sizeof(content)) == 0:
            if place is not NULL:
                place[0] = amd
            return amd
    dg_the_core.lock()
    amd = NULL
    for i in range(PROBES):
        e = &t[(first + <uint32_t>i) & (ENTRIES - 1)]
        if e.amd is NULL:
            amd = make(c)
            if amd is not NULL:
                e.what = c[0]
                publish(&e.amd, amd)
            break
        if memcmp(&e.what, c, sizeof(content)) == 0:
            amd = e.amd
            break
    else:
        dg_the_core.unlock()
        return in_ring(h, c)
    dg_the_core.unlock()
    if place is not NULL:
        place[0] = amd
    return amd


cdef public void *dnn_amd_shape(dnn_handle *h, int type, int count, const int32_t *dim,
        const int32_t *stride) noexcept nogil:
    return shape(h, type, count, dim, stride, NULL)


cdef inline void *known(uint32_t kind, int count, const int32_t *word) noexcept nogil:
    """What `find` would find at the first place it looks. No content of this kind has anything but 0 behind `count`
    words."""
    cdef entry *e
    cdef void *amd
    if the_table is NULL:
        return NULL
    e = &the_table[hash_of(kind, count, word) & (ENTRIES - 1)]
    amd = published(&e.amd)
    if amd is NULL or e.what.kind != kind or not alike(count, e.what.words, word):
        return NULL
    return amd


cdef inline void *known_shape(int32_t type, int count, const int32_t *dim, const int32_t *stride) noexcept nogil:
    """The same of a tensor, which has words of 0 behind its sizes and behind its strides."""
    cdef entry *e
    cdef void *amd
    if the_table is NULL:
        return NULL
    e = &the_table[shape_hash(type, count, dim, stride) & (ENTRIES - 1)]
    amd = published(&e.amd)
    if amd is NULL or e.what.kind != DNN_TENSOR or e.what.words[0] != type or e.what.words[1] != count:
        return NULL
    if not alike(count, &e.what.words[2], dim) or not alike(count, &e.what.words[2 + DNN_DIMS], stride):
        return NULL
    return amd


cdef void *shape(dnn_handle *h, int type, int count, const int32_t *dim, const int32_t *stride,
        void **place) noexcept nogil:
    cdef content c
    cdef void *amd
    if bad_dnn_type(<uint32_t>type):
        dnn_because(CUDNN_STATUS_NOT_SUPPORTED, b"MIOpen has no such data type")
        return NULL
    if count == 0:
        dnn_because(CUDNN_STATUS_BAD_PARAM, b"a descriptor has not been set")
        return NULL
    amd = known_shape(<int32_t>to_dnn_type(<uint32_t>type), count, dim, stride)
    if amd is not NULL:
        if place is not NULL:
            place[0] = amd
        return amd
    memset(&c, 0, sizeof(c))
    c.kind = DNN_TENSOR
    c.words[0] = <int32_t>to_dnn_type(<uint32_t>type)
    c.words[1] = count
    memcpy(&c.words[2], dim, <size_t>count * sizeof(int32_t))
    memcpy(&c.words[2 + DNN_DIMS], stride, <size_t>count * sizeof(int32_t))
    return find(h, &c, place)


cdef public void *dnn_amd_tensor(dnn_handle *h, dnn_tensor *d) noexcept nogil:
    cdef dnn_tensor was
    cdef void *lasting = NULL
    cdef void *amd = dnn_amd_known(&d.amd)
    if amd is not NULL:
        return amd
    was = d[0]
    if was.format == CUDNN_TENSOR_NCHW_VECT_C:
        dnn_because(CUDNN_STATUS_NOT_SUPPORTED, b"MIOpen has no tensors of vectors (NCHW_VECT_C)")
        return NULL
    amd = shape(h, was.type, was.count, was.dim, was.stride, &lasting)
    dnn_amd_remembered(&d.amd, lasting, &was.type, &d.type, DNN_CONTENT)
    return amd


cdef public void *dnn_amd_correlation(dnn_handle *h, dnn_convolution *d, bint repeatable) noexcept nogil:
    """MIOpen knows nothing but cross-correlations. A repeatable one gives the same bits whenever it runs: `d` is then
    not the program's, since it remembers one of both."""
    cdef content c
    cdef dnn_convolution was
    cdef void *lasting = NULL
    cdef void *amd = dnn_amd_known(&d.amd)
    if amd is not NULL:
        return amd
    was = d[0]
    if was.count == 0:
        dnn_because(CUDNN_STATUS_BAD_PARAM, b"a descriptor has not been set")
        return NULL
    memset(&c, 0, sizeof(c))
    c.kind = DNN_CONVOLUTION
    c.words[0] = was.count
    c.words[1] = was.groups
    memcpy(&c.words[2], was.pad, sizeof(was.pad))
    memcpy(&c.words[2 + DNN_SPATIALS], was.stride, sizeof(was.stride))
    memcpy(&c.words[2 + 2 * DNN_SPATIALS], was.dilation, sizeof(was.dilation))
    c.words[2 + 3 * DNN_SPATIALS] = repeatable
    amd = find(h, &c, &lasting)
    dnn_amd_remembered(&d.amd, lasting, &was.mode, &d.mode, <size_t>(<char *>&was.amd - <char *>&was.mode))
    return amd


cdef public void *dnn_amd_pooling(dnn_handle *h, dnn_pooling *d) noexcept nogil:
    cdef content c
    cdef dnn_pooling was
    cdef void *lasting = NULL
    cdef void *amd = dnn_amd_known(&d.amd)
    if amd is not NULL:
        return amd
    was = d[0]
    if was.count == 0:
        dnn_because(CUDNN_STATUS_BAD_PARAM, b"a descriptor has not been set")
        return NULL
    if was.count > DNN_SPATIALS:
        dnn_because(CUDNN_STATUS_NOT_SUPPORTED, b"more than 6 spatial dimensions")
        return NULL
    memset(&c, 0, sizeof(c))
    c.kind = DNN_POOLING
    c.words[0] = <int32_t>to_dnn_pooling_mode(<uint32_t>was.mode)
    c.words[1] = was.count
    memcpy(&c.words[2], was.window, <size_t>was.count * sizeof(int32_t))
    memcpy(&c.words[2 + DNN_SPATIALS], was.pad, <size_t>was.count * sizeof(int32_t))
    memcpy(&c.words[2 + 2 * DNN_SPATIALS], was.stride, <size_t>was.count * sizeof(int32_t))
    amd = find(h, &c, &lasting)
    dnn_amd_remembered(&d.amd, lasting, &was.mode, &d.mode, <size_t>(<char *>&was.amd - <char *>&was.mode))
    return amd


cdef public void *dnn_amd_activation(dnn_handle *h, int mode, double alpha, double beta, double gamma) noexcept nogil:
    """`mode` and factors are MIOpen's."""
    cdef content c
    cdef double[3] factor
    cdef void *amd
    factor[0] = alpha
    factor[1] = beta
    factor[2] = gamma
    c.kind = DNN_ACTIVATION
    c.words[0] = mode
    memcpy(&c.words[1], factor, sizeof(factor))
    amd = known(DNN_ACTIVATION, 7, c.words)
    if amd is not NULL:
        return amd
    memset(&c.words[7], 0, (WORDS - 7) * sizeof(int32_t))
    return find(h, &c, NULL)


cdef public void *dnn_amd_lrn(dnn_handle *h, int mode, uint32_t n, double alpha, double beta, double k) noexcept nogil:
    cdef content c
    cdef double[3] factor
    factor[0] = alpha
    factor[1] = beta
    factor[2] = k
    memset(&c, 0, sizeof(c))
    c.kind = DNN_LRN
    c.words[0] = mode
    c.words[1] = <int32_t>n
    memcpy(&c.words[2], factor, sizeof(factor))
    return find(h, &c, NULL)


cdef public void *dnn_amd_reduce(dnn_handle *h, int op, int type, int nan, int indices, int index_type) noexcept nogil:
    """All numbers are MIOpen's."""
    cdef content c
    memset(&c, 0, sizeof(c))
    c.kind = DNN_REDUCE
    c.words[0] = op
    c.words[1] = type
    c.words[2] = nan
    c.words[3] = indices
    c.words[4] = index_type
    return find(h, &c, NULL)


cdef public void *dnn_amd_rnn(dnn_handle *h, const dnn_rnn *d, int type, void *dropout) noexcept nogil:
    """Of data of this type, cuDNN's; the dropout is MIOpen's or NULL. MIOpen keeps its address alone."""
    cdef content c
    memset(&c, 0, sizeof(c))
    c.kind = DNN_RNN
    c.words[0] = d.hidden
    c.words[1] = d.layers
    c.words[2] = miopenRNNskip if d.input_mode == CUDNN_SKIP_INPUT else miopenRNNlinear
    c.words[3] = miopenRNNbidirection if d.direction == CUDNN_BIDIRECTIONAL else miopenRNNunidirection
    c.words[4] = <int32_t>to_dnn_rnn_mode(<uint32_t>d.cell)
    c.words[5] = miopenRNNNoBias if d.bias == CUDNN_RNN_NO_BIAS else miopenRNNwithBias
    c.words[6] = <int32_t>to_dnn_type(<uint32_t>type)
    memcpy(&c.words[8], &dropout, sizeof(dropout))
    return find(h, &c, NULL)


cdef public void *dnn_amd_ctc(dnn_handle *h, int softmax) noexcept nogil:
    """Of floats, with symbol 0 as the blank."""
    cdef content c
    memset(&c, 0, sizeof(c))
    c.kind = DNN_CTC
    c.words[0] = miopenFloat
    c.words[2] = softmax
    return find(h, &c, NULL)


cdef bint of_ring(dnn_handle *h, const void *amd) noexcept nogil:
    cdef ring *r = <ring *>h.ring
    cdef int i
    if r is not NULL:
        for i in range(r.size):
            if places_of(r)[i].amd == amd:
                return True
    return False


cdef public void dnn_remember(dnn_handle *h, uint32_t use, const dnn_tensor *a, const dnn_tensor *b,
        const dnn_tensor *c, void **amd) noexcept nogil:
    """For `dnn_recall`. Descriptors of the ring, which do not last, are not remembered."""
    cdef const dnn_tensor *of[3]
    cdef dnn_recalled *e
    cdef void *all = published(&h.recalled)
    cdef uint32_t turn
    cdef int i
    for i in range(3):
        if of_ring(h, amd[i]):
            return
    if all is NULL:
        all = dg_the_core.alloc(DNN_RECALLED * sizeof(dnn_recalled))
        if all is NULL:
            return
        if not put_first(&h.recalled, all):
            dg_the_core.release(all)
            return
    of[0] = a
    of[1] = b
    of[2] = c
    e = dnn_recall_place(<dnn_recalled *>all, use, a, b, c)
    turn = e.turn
    if not begin_turn(&e.turn, turn):
        return
    e.use = use
    for i in range(3):
        memcpy(e.of[i], &of[i].type, DNN_CONTENT)
        e.amd[i] = amd[i]
    end_turn(&e.turn, turn)


cdef public void dnn_ring_emptied(dnn_handle *h) noexcept nogil:
    cdef ring *r = <ring *>h.ring
    cdef int i
    if h.recalled is not NULL:
        dg_the_core.release(h.recalled)
        h.recalled = NULL
    if r is NULL:
        return
    for i in range(r.size):
        unmake(places_of(r)[i].kind, places_of(r)[i].amd)
    dg_the_core.release(r)
    h.ring = NULL
