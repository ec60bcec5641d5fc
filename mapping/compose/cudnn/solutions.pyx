"""Convolutions: which of MIOpen's solutions serves a problem, and what stands between a cuDNN call and MIOpen.

MIOpen is given packed tensors of one layout alone, NCHW or NHWC: what comes otherwise is copied. It correlates; for a
true convolution the filter is turned round. It has no doubles: those are unrolled and multiplied (unroll.pyx).

Solutions are kept a problem, in a table of the handle's own: sets of four, of which the oldest gives way. What fails
when it is called is not tried again, what is known to be bad is not tried at all (avoid.pyx). A call whose descriptors
say what they said the last time finds the problem taken apart already.
"""

include "generated.pxi"
include "cudnn_abi.pxi"
include "cudnn_backend.pxi"
include "cudnn_translate.pxi"
include "slots.pxi"
include "say.pxi"
include "words.pxi"
include "shapes.pxi"
include "amd.pxi"
include "conv_work.pxi"

from libc.string cimport memcmp

cdef extern from *:
    """
    #ifdef _WIN32
    __declspec(dllimport) unsigned long long __stdcall GetTickCount64(void);
    static inline int64_t milliseconds(void) { return (int64_t)GetTickCount64(); }
    #else
    #include <time.h>
    static inline int64_t milliseconds(void) {
        struct timespec t;
        clock_gettime(CLOCK_MONOTONIC, &t);
        return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
    }
    #endif
    """
    int64_t milliseconds() nogil

cdef extern from *:
    """
    /* memcmp without a call: of whole 8 bytes. */
    static inline int same_bytes(const void *a, const void *b, size_t bytes) {
        uint64_t differ = 0;
        for (size_t i = 0; i < bytes; i += 8) {
            uint64_t v, w;
            memcpy(&v, (const char *)a + i, 8);
            memcpy(&w, (const char *)b + i, 8);
            differ |= v ^ w;
        }
        return !differ;
    }
    """
    bint same_bytes(const void *a, const void *b, size_t bytes) nogil

cdef extern from "support.h" nogil:
    void *dnn_amd_correlation(dnn_handle *h, dnn_convolution *d, bint repeatable)
    uint32_t dnn_unrolled(dnn_handle *h, const dnn_work *k, double alpha, void **data, char *memory, double beta)
    size_t dnn_unrolled_bytes(const dnn_work *k)
    bint dnn_avoided(dnn_handle *h, uint64_t solver, int direction, int type, bint grouped)
    void dnn_avoided_all(dnn_handle *h, uint64_t solver)

cdef enum:
    SETS = 256
    WAYS = 4
    MOST = 8       # solutions of a problem
    ASKED = 32     # of which some may be to be avoided
    KEY = 32
    SLOW = 2000    # milliseconds that a compilation may take without a word
    CALLS = 256    # that are recalled, a power of two

cdef struct amd_solution:  # miopenConvSolution_t
    float time
    size_t workspace_size
    uint64_t solution_id
    uint32_t algorithm

cdef struct solution:
    uint64_t id
    size_t bytes
    float time
    int32_t state  # 1: compiled, -1: failed

cdef struct entry:
    int32_t[KEY] key
    int32_t used
    int32_t count
    int32_t measured
    uint64_t serial  # tells it from what was in this place before
    void *amd[4]   # MIOpen's descriptors of x, w, y and the convolution, where they stay
    solution[MOST] at

cdef struct recalled:  # a call: what its descriptors said, and what that came to
    dnn_tensor x
    dnn_filter w
    dnn_convolution d
    dnn_tensor y
    int32_t direction
    int32_t repeatable
    dnn_work k
    entry *e
    uint64_t serial

cdef struct solutions:
    uint32_t[SETS] next
    uint64_t made
    entry[SETS][WAYS] entries
    recalled[CALLS] calls


# ---- the problem

cdef bint is_laid_otherwise(const dnn_tensor *t, int format) noexcept nogil:
    """Whether a tensor must be copied to be one of this layout. Strides of dimensions of 1 say nothing."""
    cdef int32_t[DNN_DIMS] packed
    cdef int i
    dnn_pack(format, t.type, t.count, t.dim, packed)
    for i in range(t.count):
        if t.dim[i] != 1 and t.stride[i] != packed[i]:
            return True
    return False


cdef void in_two(const dnn_tensor *given, dnn_tensor *t) noexcept nogil:
    """The same with a height of 1, where there is but a width: MIOpen has no other."""
    t[0] = given[0]
    t.amd = NULL
    if given.count == 3:
        t.count = 4
        t.dim[3] = given.dim[2]
        t.stride[3] = given.stride[2]
        t.dim[2] = 1
        t.stride[2] = given.stride[2] * given.dim[2]


cdef bint has_other_sizes(const dnn_tensor *t, int dims, const int *dim) noexcept nogil:
    cdef int i
    if t.count != dims:
        return True
    for i in range(dims):
        if t.dim[i] != dim[i]:
            return True
    return False


cdef public uint32_t dnn_conv_begin(dnn_work *k, int direction, dnn_tensor *x, dnn_filter *w, dnn_convolution *d,
        dnn_tensor *y) noexcept nogil:
    """Takes a problem apart, and refuses what is none."""
    cdef int[DNN_DIMS] dim
    cdef double columns
    cdef int i
    cdef uint32_t status
    if x.count == 0 or w.count == 0 or d.count == 0 or y.count == 0:
        return bad(b"a descriptor has not been set")
    status = dnn_convolved(d, x, w, dim)
    if status != 0:
        return status
    if has_other_sizes(y, x.count, dim):
        return bad(b"the output's sizes are not those of the convolution")
    if (x.format == CUDNN_TENSOR_NCHW_VECT_C or w.format == CUDNN_TENSOR_NCHW_VECT_C
            or y.format == CUDNN_TENSOR_NCHW_VECT_C):
        return cannot(b"a convolution of vectors (NCHW_VECT_C) is forward, and of INT8x4 or INT8x32 alone")
    if x.type != w.type:
        return cannot(b"tensor and filter differ in type")
    if x.type == CUDNN_DATA_INT8:
        if direction != DNN_FORWARD or (y.type != CUDNN_DATA_FLOAT and y.type != CUDNN_DATA_INT32):
            return cannot(b"MIOpen convolves int8 forward alone, and not into int8 that saturates")
        if d.type != CUDNN_DATA_INT32:
            return cannot(b"computeType of int8 is not INT32")
    elif x.type != y.type:
        return cannot(b"the tensors differ in type")
    elif x.type == CUDNN_DATA_DOUBLE:
        if d.type != CUDNN_DATA_DOUBLE:
            return cannot(b"computeType of doubles is not DOUBLE")
    elif x.type != CUDNN_DATA_FLOAT and x.type != CUDNN_DATA_HALF and x.type != CUDNN_DATA_BFLOAT16:
        return cannot(b"MIOpen convolves no such type")
    elif d.type == CUDNN_DATA_DOUBLE:
        return cannot(b"MIOpen computes in floats what is not double")
    if d.count > 3:
        return cannot(b"more than 3 spatial dimensions")
    memset(k, 0, sizeof(dnn_work))
    k.direction = direction
    k.flip = d.mode == CUDNN_CONVOLUTION
    in_two(x, &k.given[0])
    in_two(<dnn_tensor *>w, &k.given[1])
    in_two(y, &k.given[2])
    k.conv = d[0]
    k.conv.amd = NULL
    if d.count == 1:
        k.conv.count = 2
        k.conv.pad[1] = d.pad[0]
        k.conv.stride[1] = d.stride[0]
        k.conv.dilation[1] = d.dilation[0]
        k.conv.pad[0] = 0
        k.conv.stride[0] = 1
        k.conv.dilation[0] = 1
    k.taps = 1
    for i in range(k.conv.count):
        k.taps *= k.given[1].dim[i + 2]
    if k.taps == 1:
        k.flip = 0
    k.unrolled = x.type == CUDNN_DATA_DOUBLE
    if k.unrolled:
        columns = <double>k.taps * x.dim[1]
        for i in range(2, y.count):
            columns *= y.dim[i]
        if columns > 0x7fffffff:
            return cannot(b"an image is too large to be unrolled")
    lay_out(k, the_layout(k))
    return 0


cdef int the_layout(const dnn_work *k) noexcept nogil:
    """The layout in which less has to be copied."""
    cdef int i
    cdef size_t bytes
    cdef size_t plain = 0
    cdef size_t last = 0
    if k.unrolled:
        return CUDNN_TENSOR_NCHW
    for i in range(3):
        bytes = dnn_bytes(&k.given[i])
        plain += <size_t>is_laid_otherwise(&k.given[i], CUDNN_TENSOR_NCHW) * bytes
        last += <size_t>is_laid_otherwise(&k.given[i], CUDNN_TENSOR_NHWC) * bytes
    return CUDNN_TENSOR_NHWC if last < plain else CUDNN_TENSOR_NCHW


cdef void lay_out(dnn_work *k, int format) noexcept nogil:
    cdef int i
    k.format = format
    for i in range(3):
        k.own[i] = k.given[i]
        k.own[i].amd = NULL
        dnn_pack(format, k.own[i].type, k.own[i].count, k.own[i].dim, k.own[i].stride)
        k.copied[i] = is_laid_otherwise(&k.given[i], format)


cdef inline int result_of(int direction) noexcept nogil:
    """Which of x, w and y a direction computes."""
    return 2 if direction == DNN_FORWARD else 0 if direction == DNN_BACKWARD_DATA else 1


# ---- solutions

cdef void fill_key(const dnn_work *k, bint repeatable, int32_t *key) noexcept nogil:
    cdef int i, j
    cdef int at = 6
    memset(key, 0, KEY * sizeof(int32_t))
    key[0] = k.direction
    key[1] = k.conv.count
    key[2] = k.conv.groups
    key[3] = k.given[0].type
    key[4] = k.given[2].type
    key[5] = k.format | (16 if repeatable else 0)
    for i in range(3):
        for j in range(k.conv.count + 2):
            key[at] = k.given[i].dim[j]
            at += 1
    for i in range(k.conv.count):
        key[at] = k.conv.pad[i]
        key[at + 1] = k.conv.stride[i]
        key[at + 2] = k.conv.dilation[i]
        at += 3


cdef struct amd_problem:  # MIOpen's names of it, in the order of its calls
    miopenTensorDescriptor_t a
    miopenTensorDescriptor_t b
    miopenConvolutionDescriptor_t conv
    miopenTensorDescriptor_t c


cdef uint32_t in_amd(dnn_handle *h, dnn_work *k, bint repeatable, entry *e, amd_problem *p) noexcept nogil:
    cdef void *t[4]
    cdef int i
    if e.amd[3] is not NULL:
        memcpy(t, e.amd, sizeof(t))
    else:
        for i in range(3):
            t[i] = dnn_amd_tensor(h, &k.own[i])
        t[3] = dnn_amd_correlation(h, &k.conv, repeatable)
        for i in range(4):
            if t[i] is NULL:
                return CUDNN_STATUS_NOT_SUPPORTED
        # what is remembered is in the table, and stays; the ring's come and go
        if (k.own[0].amd is not NULL and k.own[1].amd is not NULL and k.own[2].amd is not NULL
                and k.conv.amd is not NULL):
            memcpy(e.amd, t, sizeof(t))
    p.conv = <miopenConvolutionDescriptor_t>t[3]
    p.a = <miopenTensorDescriptor_t>(t[1] if k.direction == DNN_FORWARD else t[2])
    p.b = <miopenTensorDescriptor_t>(t[1] if k.direction == DNN_BACKWARD_DATA else t[0])
    p.c = <miopenTensorDescriptor_t>t[result_of(k.direction)]
    return 0


cdef uint32_t solutions_of(dnn_handle *h, int direction, const amd_problem *p, size_t most, size_t *count,
        amd_solution *places) noexcept nogil:
    cdef miopenHandle_t amd = <miopenHandle_t>h.amd
    cdef miopenConvSolution_t *found = <miopenConvSolution_t *>places
    cdef size_t there = 0
    cdef uint32_t status
    count[0] = 0
    if direction == DNN_FORWARD:
        status = dg_miopen.miopenConvolutionForwardGetSolutionCount(amd, p.a, p.b, p.conv, p.c, &there)
        if status == 0 and there > 0:
            status = dg_miopen.miopenConvolutionForwardGetSolution(
                amd, p.a, p.b, p.conv, p.c, there if there < most else most, count, found)
    elif direction == DNN_BACKWARD_DATA:
        status = dg_miopen.miopenConvolutionBackwardDataGetSolutionCount(amd, p.a, p.b, p.conv, p.c, &there)
        if status == 0 and there > 0:
            status = dg_miopen.miopenConvolutionBackwardDataGetSolution(
                amd, p.a, p.b, p.conv, p.c, there if there < most else most, count, found)
    else:
        status = dg_miopen.miopenConvolutionBackwardWeightsGetSolutionCount(amd, p.a, p.b, p.conv, p.c, &there)
        if status == 0 and there > 0:
            status = dg_miopen.miopenConvolutionBackwardWeightsGetSolution(
                amd, p.a, p.b, p.conv, p.c, there if there < most else most, count, found)
    if count[0] > most:
        count[0] = most
    return status


cdef uint32_t compile_one(dnn_handle *h, int direction, const amd_problem *p, uint64_t solution_id) noexcept nogil:
    """MIOpen may compile kernels here, and keeps them on disk."""
    cdef miopenHandle_t amd = <miopenHandle_t>h.amd
    cdef int64_t took = milliseconds()
    cdef uint32_t status
    if direction == DNN_FORWARD:
        status = dg_miopen.miopenConvolutionForwardCompileSolution(amd, p.a, p.b, p.conv, p.c, solution_id)
    elif direction == DNN_BACKWARD_DATA:
        status = dg_miopen.miopenConvolutionBackwardDataCompileSolution(amd, p.a, p.b, p.conv, p.c, solution_id)
    else:
        status = dg_miopen.miopenConvolutionBackwardWeightsCompileSolution(amd, p.a, p.b, p.conv, p.c, solution_id)
    took = milliseconds() - took
    if took > SLOW and dg_the_core.log_level() >= DG_LOG_INFO:
        dg_the_core.log(DG_LOG_INFO, b"D043",
                        b"MIOpen compiled a convolution's kernel for %d.%d s; it keeps it for the next run",
                        <int>(took // 1000), <int>(took % 1000 // 100))
    return status


cdef uint32_t call_one(dnn_handle *h, int direction, const amd_problem *p, void **data, void *memory, size_t bytes,
        uint64_t solution_id) noexcept nogil:
    """`data`: x, w and y."""
    cdef miopenHandle_t amd = <miopenHandle_t>h.amd
    if direction == DNN_FORWARD:
        return dg_miopen.miopenConvolutionForwardImmediate(
            amd, p.a, data[1], p.b, data[0], p.conv, p.c, data[2], memory, bytes, solution_id)
    if direction == DNN_BACKWARD_DATA:
        return dg_miopen.miopenConvolutionBackwardDataImmediate(
            amd, p.a, data[2], p.b, data[1], p.conv, p.c, data[0], memory, bytes, solution_id)
    return dg_miopen.miopenConvolutionBackwardWeightsImmediate(
        amd, p.a, data[2], p.b, data[0], p.conv, p.c, data[1], memory, bytes, solution_id)


cdef void by_time(entry *e) noexcept nogil:
    """The fastest first; the failed ones last."""
    cdef int i, j
    cdef solution s
    for i in range(1, e.count):
        s = e.at[i]
        j = i
        while j > 0 and s.state >= 0 and (e.at[j - 1].state < 0 or s.time < e.at[j - 1].time):
            e.at[j] = e.at[j - 1]
            j -= 1
        e.at[j] = s


cdef solutions *table_of(dnn_handle *h) noexcept nogil:
    if h.solutions is NULL:
        h.solutions = dg_the_core.alloc(sizeof(solutions))
        if h.solutions is NULL:
            dnn_because(CUDNN_STATUS_ALLOC_FAILED, b"no memory for the solutions of convolutions")
    return <solutions *>h.solutions


cdef entry *look_up(dnn_handle *h, const int32_t *key, bint *known) noexcept nogil:
    """The problem's place in the handle's table, empty where it has none yet; NULL: no memory."""
    cdef solutions *s = table_of(h)
    cdef entry *e
    cdef uint32_t hash = 0
    cdef uint32_t place
    cdef int i
    known[0] = True
    if s is NULL:
        return NULL
    for i in range(KEY):
        hash = (hash ^ <uint32_t>key[i]) * 0x9e3779b1u
        hash ^= hash >> 15
    place = hash & (SETS - 1)
    for i in range(WAYS):
        e = &s.entries[place][i]
        if e.used and memcmp(e.key, key, sizeof(e.key)) == 0:
            return e
    known[0] = False
    e = &s.entries[place][s.next[place] & (WAYS - 1)]
    s.next[place] += 1
    memset(e, 0, sizeof(entry))
    memcpy(e.key, key, sizeof(e.key))
    s.made += 1
    e.serial = s.made
    return e


cdef bint has_one(const entry *e) noexcept nogil:
    """A solution that has not failed yet."""
    cdef int i
    for i in range(e.count):
        if e.at[i].state >= 0:
            return True
    return False


cdef void keep(dnn_handle *h, const dnn_work *k, entry *e, size_t count, const amd_solution *found) noexcept nogil:
    """The solutions that may be used, the fastest first. Where all are to be avoided, another layout may have others;
    where it has none, they are better than no answer."""
    cdef bint[ASKED] avoided
    cdef size_t i
    cdef bint any = False
    for i in range(count):
        avoided[i] = dnn_avoided(h, found[i].solution_id, k.direction, k.own[0].type, k.conv.groups > 1)
        any = any or not avoided[i]
    if not any and k.format != CUDNN_TENSOR_NCHW:
        return
    for i in range(count):
        if e.count < MOST and (not avoided[i] or not any):
            e.at[e.count].id = found[i].solution_id
            e.at[e.count].bytes = found[i].workspace_size
            e.at[e.count].time = found[i].time
            e.count += 1
    by_time(e)
    if not any and e.count > 0:
        dnn_avoided_all(h, e.at[0].id)


cdef entry *solved(dnn_handle *h, dnn_work *k, bint repeatable) noexcept nogil:
    """The problem's solutions; NULL where there are none, and the reason is told."""
    cdef amd_problem p
    cdef amd_solution[ASKED] found
    cdef int32_t[KEY] key
    cdef size_t count
    cdef entry *e
    cdef bint known
    while True:
        fill_key(k, repeatable, key)
        e = look_up(h, key, &known)
        if e is NULL:
            return NULL
        if not known:
            if in_amd(h, k, repeatable, e, &p) != 0 or solutions_of(h, k.direction, &p, ASKED, &count, found) != 0:
                count = 0
            e.used = 1
            keep(h, k, e, count, found)
        if has_one(e):
            return e
        if k.format == CUDNN_TENSOR_NCHW:
            break
        lay_out(k, CUDNN_TENSOR_NCHW)  # copies, but more solvers
    cannot(b"MIOpen has no solution for this convolution, or all have failed")
    return NULL


# ---- around the call

cdef size_t pieces(const dnn_work *k, bint blends, size_t *at) noexcept nogil:
    """Bytes of copies and of results before they are blended: where each of x, w and y lies (-1: in its own place), the
    filter before it is turned round, and the room behind."""
    cdef int out = result_of(k.direction)
    cdef size_t bytes = 0
    cdef int i
    for i in range(3):
        at[i] = <size_t>(-1)
        if i == out:
            if not (k.copied[i] or blends or (i == 1 and k.flip)):
                continue
        elif not (k.copied[i] or (i == 1 and k.flip)):
            continue
        at[i] = bytes
        bytes += rounded(dnn_bytes(&k.own[i]))
    at[3] = bytes
    if k.flip and out == 1 and blends:
        bytes += rounded(dnn_bytes(&k.own[1]))
    return bytes


cdef uint32_t copied(dnn_handle *h, dnn_tensor *xd, const void *x, dnn_tensor *yd, void *y) noexcept nogil:
    if xd.type == CUDNN_DATA_INT8:  # TransformTensor pads int8 to fours, and does nothing else
        return dnn_op_tensor(h, miopenTensorOpMin, 1, xd, x, 1, xd, x, 0, yd, y)
    return dnn_copy(h, xd, x, yd, y)


cdef uint32_t turned(dnn_handle *h, dnn_tensor *xd, const void *x, dnn_tensor *yd, void *y) noexcept nogil:
    """A copy of a filter, its taps in reverse: no stride may be negative, so each goes by itself."""
    cdef dnn_tensor a = xd[0]
    cdef dnn_tensor b = yd[0]
    cdef size_t size = <size_t>dnn_type_bytes(xd.type)
    cdef size_t first, last
    cdef int taps = 1
    cdef int i, t, rest, place
    cdef uint32_t status
    a.count = b.count = 2
    a.amd = b.amd = NULL
    for i in range(2, xd.count):
        taps *= xd.dim[i]
    for t in range(taps):
        rest = t
        first = last = 0
        i = xd.count - 1
        while i >= 2:
            place = rest % xd.dim[i]
            rest //= xd.dim[i]
            first += <size_t>place * <size_t>xd.stride[i]
            last += <size_t>(xd.dim[i] - 1 - place) * <size_t>yd.stride[i]
            i -= 1
        status = copied(h, &a, <const char *>x + first * size, &b, <char *>y + last * size)
        if status != 0:
            return status
    return 0


cdef public uint32_t dnn_finished(dnn_handle *h, double alpha, dnn_tensor *rd, void *r, double beta, dnn_tensor *yd,
        void *y) noexcept nogil:
    """y ← α·r + β·y, where r may lie in the handle's memory and in another layout."""
    cdef uint32_t status
    if beta == 0:
        status = 0 if r == y else dnn_copy(h, rd, r, yd, y)
        return status if status != 0 else dnn_scale(h, yd, alpha, y)
    if yd.type == CUDNN_DATA_DOUBLE:  # by themselves: factors that are no floats
        status = dnn_scale(h, rd, alpha, r)
        if status == 0:
            status = dnn_scale(h, yd, beta, y)
        return status if status != 0 else dnn_op_tensor(h, miopenTensorOpAdd, 1, rd, r, 1, yd, y, 0, yd, y)
    return dnn_op_tensor(h, miopenTensorOpAdd, alpha, rd, r, beta, yd, y, 0, yd, y)


cdef uint32_t failed(solution *s, uint32_t answer, const char *what) noexcept nogil:
    """MIOpen's own failure with a solution, which is not tried again, unless there was no memory."""
    cdef uint32_t status = status_of_miopen(answer)
    if status != CUDNN_STATUS_ALLOC_FAILED:
        s.state = -1
    return dnn_failed(status, what, answer)


cdef uint32_t attempt(dnn_handle *h, dnn_work *k, bint repeatable, entry *e, solution *s, double alpha, void **data,
        char *memory, const size_t *at, size_t room, double beta) noexcept nogil:
    """The whole call with one solution. y is not touched before MIOpen's call has succeeded, where it is blended."""
    cdef amd_problem p
    cdef void *place[3]
    cdef int out = result_of(k.direction)
    cdef void *result
    cdef int i
    cdef uint32_t status = 0
    for i in range(3):
        place[i] = data[i] if at[i] == <size_t>(-1) else memory + at[i]
        if i == out or at[i] == <size_t>(-1):
            continue
        if i == 1 and k.flip:
            status = turned(h, &k.given[i], data[i], &k.own[i], place[i])
        else:
            status = copied(h, &k.given[i], data[i], &k.own[i], place[i])
        if status != 0:
            return status
    status = in_amd(h, k, repeatable, e, &p)  # again: copies may have used up the ring that descriptors come from
    if status != 0:
        return status
    status = call_one(h, k.direction, &p, place, memory + room if s.bytes else NULL, s.bytes, s.id)
    if status != 0:
        return failed(s, status, b"MIOpen's convolution")
    result = place[out]
    if k.flip and out == 1:
        if beta == 0:
            status = turned(h, &k.own[1], result, &k.given[1], data[1])
            return status if status != 0 else dnn_scale(h, &k.given[1], alpha, data[1])
        status = turned(h, &k.own[1], result, &k.own[1], memory + at[3])
        if status != 0:
            return status
        result = memory + at[3]
    return dnn_finished(h, alpha, &k.own[out], result, beta, &k.given[out], data[out])


cdef uint32_t with_solution(dnn_handle *h, dnn_work *k, bint repeatable, entry *e, solution *s, double alpha,
        void **data, void *workspace, size_t size, double beta) noexcept nogil:
    """One solution, compiled if need be, in the caller's workspace or the handle's memory."""
    cdef amd_problem p
    cdef size_t[4] at
    cdef size_t room = pieces(k, beta != 0, at)
    cdef char *memory = <char *>workspace
    cdef uint32_t status
    if s.state == 0:
        status = in_amd(h, k, repeatable, e, &p)
        if status != 0:
            return status
        status = compile_one(h, k.direction, &p, s.id)
        if status != 0:
            return failed(s, status, b"the compilation of MIOpen's solution")
        s.state = 1
    if room + s.bytes > (size if workspace is not NULL else 0):
        memory = <char *>dnn_scratch(h, room + s.bytes)
        if memory is NULL:
            return dnn_because(CUDNN_STATUS_ALLOC_FAILED, b"no memory for the convolution's workspace")
    return attempt(h, k, repeatable, e, s, alpha, data, memory, at, room, beta)


cdef public uint32_t dnn_conv(dnn_handle *h, dnn_work *k, bint repeatable, double alpha, void **data, void *workspace,
        size_t size, double beta) noexcept nogil:
    """`data`: x, w and y, or their gradients. Right whatever the workspace: what it has no room for is in the
    handle's."""
    cdef size_t bytes
    cdef char *memory = <char *>workspace
    if k.unrolled:
        bytes = dnn_unrolled_bytes(k)
        if bytes > (size if workspace is not NULL else 0):
            memory = <char *>dnn_scratch(h, bytes)
            if memory is NULL:
                return dnn_because(CUDNN_STATUS_ALLOC_FAILED, b"no memory for the unrolled images")
        return dnn_unrolled(h, k, alpha, data, memory, beta)
    return with_entry(h, k, repeatable, solved(h, k, repeatable), alpha, data, workspace, size, beta)


cdef uint32_t with_entry(dnn_handle *h, dnn_work *k, bint repeatable, entry *e, double alpha, void **data,
        void *workspace, size_t size, double beta) noexcept nogil:
    cdef uint32_t status = 0
    cdef int i
    if e is NULL:
        return CUDNN_STATUS_NOT_SUPPORTED
    for i in range(e.count):
        if e.at[i].state < 0:
            continue
        status = with_solution(h, k, repeatable, e, &e.at[i], alpha, data, workspace, size, beta)
        if status == 0 or (e.at[i].state >= 0 and status != CUDNN_STATUS_ALLOC_FAILED):
            return status
    if k.format != CUDNN_TENSOR_NCHW and not has_one(e):
        return dnn_conv(h, k, repeatable, alpha, data, workspace, size, beta)  # in the other layout
    return status


cdef inline bint says_the_same(const recalled *r, int direction, bint repeatable, const dnn_tensor *x,
        const dnn_filter *w, const dnn_convolution *d, const dnn_tensor *y) noexcept nogil:
    """All but the last field, which is MIOpen's descriptor."""
    return (r.direction == direction and r.repeatable == repeatable
            and same_bytes(&r.x, x, sizeof(dnn_tensor) - sizeof(void *))
            and same_bytes(&r.w, w, sizeof(dnn_filter) - sizeof(void *))
            and same_bytes(&r.d, d, sizeof(dnn_convolution) - sizeof(void *))
            and same_bytes(&r.y, y, sizeof(dnn_tensor) - sizeof(void *)))


cdef public uint32_t dnn_conv_call(dnn_handle *h, int direction, bint repeatable, const void *alpha, dnn_tensor *x,
        dnn_filter *w, dnn_convolution *d, void **data, void *workspace, size_t size, const void *beta,
        dnn_tensor *y) noexcept nogil:
    """`dnn_conv` of a program's own descriptors. Where a call finds its like is a matter of their addresses, whether it
    is its like of their content alone."""
    cdef solutions *s = table_of(h)
    cdef recalled *r
    cdef size_t place
    cdef uint32_t status
    if s is NULL:
        return CUDNN_STATUS_ALLOC_FAILED
    place = ((<size_t>x >> 8) + 3 * (<size_t>w >> 8) + 5 * (<size_t>d >> 8) + 7 * (<size_t>y >> 8)
             + 11 * <size_t>direction)
    r = &s.calls[place & (CALLS - 1)]
    if not says_the_same(r, direction, repeatable, x, w, d, y):
        r.x.magic = 0  # nothing says the same until all is there
        status = dnn_conv_begin(&r.k, direction, x, w, d, y)
        if status != 0:
            return status
        r.e = NULL
        r.direction = direction
        r.repeatable = repeatable
        memcpy(&r.w, w, sizeof(dnn_filter))
        memcpy(&r.d, d, sizeof(dnn_convolution))
        memcpy(&r.y, y, sizeof(dnn_tensor))
        memcpy(&r.x, x, sizeof(dnn_tensor))
    if data[0] is NULL or data[1] is NULL or data[2] is NULL or alpha is NULL or beta is NULL:
        return bad(b"a tensor, a filter, alpha or beta is NULL")
    if r.k.unrolled:
        return dnn_conv(h, &r.k, repeatable, dnn_factor(y.type, alpha), data, workspace, size, dnn_factor(y.type, beta))
    if r.e is NULL or r.e.serial != r.serial or not has_one(r.e):
        r.e = solved(h, &r.k, repeatable)
        if r.e is NULL:
            return CUDNN_STATUS_NOT_SUPPORTED
        r.serial = r.e.serial
    return with_entry(h, &r.k, repeatable, r.e, dnn_factor(y.type, alpha), data, workspace, size,
                      dnn_factor(y.type, beta))


cdef public uint32_t dnn_conv_size(dnn_handle *h, dnn_work *k, bint repeatable, size_t *size,
        float *time) noexcept nogil:
    """The workspace of the solution that will be taken, for any beta; and milliseconds, as MIOpen expects or has
    shown."""
    cdef size_t[4] at
    cdef entry *e
    cdef int i
    time[0] = 0
    if k.unrolled:
        size[0] = dnn_unrolled_bytes(k)
        return 0
    e = solved(h, k, repeatable)
    if e is NULL:
        return CUDNN_STATUS_NOT_SUPPORTED
    for i in range(e.count):
        if e.at[i].state >= 0:
            size[0] = pieces(k, True, at) + e.at[i].bytes
            time[0] = e.at[i].time
            return 0
    return CUDNN_STATUS_NOT_SUPPORTED


# ---- trials

cdef uint32_t timed(dnn_handle *h, void *start, void *stop, float *time) noexcept nogil:
    if (dg_hip.hipEventSynchronize(<hipEvent_t>stop) != 0
            or dg_hip.hipEventElapsedTime(time, <hipEvent_t>start, <hipEvent_t>stop) != 0):
        return dnn_because(CUDNN_STATUS_EXECUTION_FAILED, b"a convolution on trial could not be timed")
    return 0


cdef public uint32_t dnn_conv_trial(dnn_handle *h, dnn_work *k, bint repeatable, void **data, void *workspace,
        size_t size, float *time) noexcept nogil:
    """Runs each solution twice, and from then on the fastest is taken. The output is written."""
    cdef hipEvent_t start = NULL
    cdef hipEvent_t stop = NULL
    cdef hipStream_t stream = <hipStream_t>to_stream(h.stream)
    cdef entry *e = NULL
    cdef solution *s
    cdef int i, turn
    cdef int fine = 0
    cdef bint other = False
    cdef uint32_t status = 0
    cdef uint32_t failure = CUDNN_STATUS_NOT_SUPPORTED
    time[0] = 0
    if not k.unrolled:
        e = solved(h, k, repeatable)
        if e is NULL:
            return CUDNN_STATUS_NOT_SUPPORTED
        if e.measured:
            time[0] = e.at[0].time
            return dnn_conv(h, k, repeatable, 1, data, workspace, size, 0)
    if dg_hip.hipEventCreateWithFlags(&start, 0) != 0 or dg_hip.hipEventCreateWithFlags(&stop, 0) != 0:
        if start is not NULL:
            dg_hip.hipEventDestroy(start)
        return dnn_because(CUDNN_STATUS_ALLOC_FAILED, b"no event to time a convolution with")
    if k.unrolled:
        dg_hip.hipEventRecord(start, stream)
        status = dnn_conv(h, k, repeatable, 1, data, workspace, size, 0)
        dg_hip.hipEventRecord(stop, stream)
        if status == 0:
            status = timed(h, start, stop, time)
    else:
        for i in range(e.count):
            s = &e.at[i]
            if s.state < 0:
                continue
            for turn in range(2):
                dg_hip.hipEventRecord(start, stream)
                status = with_solution(h, k, repeatable, e, s, 1, data, workspace, size, 0)
                dg_hip.hipEventRecord(stop, stream)
                if status == 0:
                    status = timed(h, start, stop, &s.time)
                if status != 0:
                    break
            if status == 0:
                fine += 1
            else:
                failure = status
        by_time(e)
        e.measured = fine > 0
        status = 0 if fine > 0 else failure
        time[0] = e.at[0].time
        other = k.format != CUDNN_TENSOR_NCHW and not has_one(e)
    dg_hip.hipEventDestroy(start)
    dg_hip.hipEventDestroy(stop)
    return dnn_conv_trial(h, k, repeatable, data, workspace, size, time) if other else status
