"""Dropout's descriptors: MIOpen's own, one for each, over the program's states.

MIOpen's states never move: each call would draw the mask of the last one. So before every call but the first the states
are made anew, of the seed and the number of the call: a descriptor that is set again with its seed repeats its masks in
order. The number of masks drawn lies in the program's memory behind MIOpen's states, so that a program may keep a copy
of them: restored, it draws the masks that followed the copy.
"""

include "generated.pxi"
include "cudnn_abi.pxi"
include "cudnn_backend.pxi"
include "cudnn_translate.pxi"
include "slots.pxi"
include "say.pxi"
include "words.pxi"
include "shapes.pxi"
include "memory.pxi"
include "cached.pxi"
include "blend.pxi"
include "packed.pxi"

from libc.stdint cimport int64_t, uint64_t

cdef extern from *:
    """
    static inline uint64_t one_more(uint64_t *number) { return __atomic_add_fetch(number, 1, __ATOMIC_RELAXED); }
    """
    uint64_t one_more(uint64_t *number) nogil


cdef unsigned long long mixed(uint64_t seed, uint64_t number) noexcept nogil:
    """MIOpen's kernel takes the lower 32 bits of a seed alone: all bits of both have a part in them."""
    cdef uint64_t z = seed * <uint64_t>0x9e3779b97f4a7c15 + number
    z = (z ^ (z >> 32)) * <uint64_t>0xd6e8feb86659fd93
    z = (z ^ (z >> 32)) * <uint64_t>0xd6e8feb86659fd93
    return z ^ (z >> 32)


cdef uint64_t *the_last


cdef uint64_t *restored() noexcept nogil:
    """How many were restored in this process without a look at their states, by any part of cuDNN's."""
    global the_last
    if the_last is NULL:
        the_last = <uint64_t *>dg_the_core.shared(b"cudnn.dropouts", sizeof(uint64_t))
    return the_last


cdef inline float usable(float rate) noexcept nogil:
    """Any rate is kept, and refused where it is used."""
    return rate if 0 <= rate <= 1 else 0


cdef inline bint keep_count(dnn_handle *h, dnn_dropout *d) noexcept nogil:
    return dg_hip.hipMemsetD32Async(
        <char *>d.states + d.count_at, <int>d.drawn, 1, <hipStream_t>to_stream(h.stream)) == 0


cdef inline bint read_count(dnn_handle *h, dnn_dropout *d) noexcept nogil:
    """Waits for the stream. False on a stream that is captured, whose states nobody can read before they are there."""
    cdef hipStream_t stream = <hipStream_t>to_stream(h.stream)
    cdef uint32_t count = 0
    cdef int captured = 0
    if dg_hip.hipStreamIsCapturing(stream, &captured) != 0 or captured != 0:
        dg_hip.hipGetLastError()
        return False
    if (dg_hip.hipMemcpyAsync(&count, <char *>d.states + d.count_at, sizeof(count), hipMemcpyDeviceToHost, stream) != 0
            or dg_hip.hipStreamSynchronize(stream) != 0):
        dg_hip.hipGetLastError()
        return False
    d.drawn = count
    return True


cdef public uint32_t dnn_dropout_set(dnn_handle *h, dnn_dropout *d, int fresh) noexcept nogil:
    """Rate, states and seed are in the slot. Without states there is nothing to fill: such a one draws no mask."""
    cdef uint64_t *last
    cdef uint32_t status = 0
    if d.amd is NULL:
        status = dg_miopen.miopenCreateDropoutDescriptor(<miopenDropoutDescriptor_t *>&d.amd)
        if status != 0:
            d.amd = NULL
            return dnn_failed(status_of_miopen(status), b"miopenCreateDropoutDescriptor", status)
    d.drawn = 0
    if fresh and d.states is not NULL:
        if not keep_count(h, d):
            return dnn_because(CUDNN_STATUS_EXECUTION_FAILED, b"the states cannot be written")
        status = dg_miopen.miopenSetDropoutDescriptor(
            <miopenDropoutDescriptor_t>d.amd, <miopenHandle_t>h.amd, usable(d.rate), d.states, d.states_size,
            mixed(d.seed, 0), 0, 0, MIOPEN_RNG_PSEUDO_XORWOW)
        return 0 if status == 0 else dnn_failed(status_of_miopen(status), b"miopenSetDropoutDescriptor", status)
    if not fresh and (d.states is NULL or not read_count(h, d)):
        last = restored()
        d.drawn = (one_more(last) if last is not NULL else 1) << 32
    status = dg_miopen.miopenRestoreDropoutDescriptor(
        <miopenDropoutDescriptor_t>d.amd, <miopenHandle_t>h.amd, usable(d.rate), d.states, d.states_size,
        mixed(d.seed, 0), 0, 0, MIOPEN_RNG_PSEUDO_XORWOW)
    return 0 if status == 0 else dnn_failed(status_of_miopen(status), b"miopenRestoreDropoutDescriptor", status)


cdef public void *dnn_dropout_drawing(dnn_handle *h, dnn_dropout *d) noexcept nogil:
    cdef uint32_t status
    if d.amd is NULL or d.states is NULL:
        dnn_because(CUDNN_STATUS_BAD_PARAM, b"the dropout descriptor has not been set, or has no states")
        return NULL
    if not 0 <= d.rate <= 1:
        dnn_because(CUDNN_STATUS_BAD_PARAM, b"the dropout's rate is not from 0 to 1")
        return NULL
    if d.drawn:
        status = dg_miopen.miopenSetDropoutDescriptor(
            <miopenDropoutDescriptor_t>d.amd, <miopenHandle_t>h.amd, d.rate, d.states, d.states_size,
            mixed(d.seed, d.drawn), 0, 0, MIOPEN_RNG_PSEUDO_XORWOW)
        if status != 0:
            dnn_failed(status_of_miopen(status), b"miopenSetDropoutDescriptor", status)
            return NULL
    d.drawn += 1
    if not keep_count(h, d):
        dnn_because(CUDNN_STATUS_EXECUTION_FAILED, b"the states cannot be written")
        return NULL
    return d.amd


# ---- a row of elements

cdef uint32_t drawn(dnn_handle *h, dnn_dropout *d, int back, int type, int64_t count, const void *x, void *y,
        void *mask) noexcept nogil:
    """MIOpen's."""
    cdef int32_t dim = <int32_t>count
    cdef int32_t stride = 1
    cdef void *drawing = d.amd if back else dnn_dropout_drawing(h, d)
    cdef miopenTensorDescriptor_t amd
    if drawing is NULL:
        return CUDNN_STATUS_BAD_PARAM
    amd = <miopenTensorDescriptor_t>dnn_amd_shape(h, type, 1, &dim, &stride)
    if amd is NULL:
        return CUDNN_STATUS_NOT_SUPPORTED
    if back:
        return answered(dg_miopen.miopenDropoutBackward(
            <miopenHandle_t>h.amd, <miopenDropoutDescriptor_t>drawing, amd, amd, x, amd, y, mask, <size_t>count),
            b"miopenDropoutBackward")
    return answered(dg_miopen.miopenDropoutForward(
        <miopenHandle_t>h.amd, <miopenDropoutDescriptor_t>drawing, amd, amd, x, amd, y, mask, <size_t>count),
        b"miopenDropoutForward")


cdef public size_t dnn_dropped_bytes(int type, int64_t count) noexcept nogil:
    """Memory that `dnn_dropped` needs."""
    if type != CUDNN_DATA_DOUBLE:
        return 0
    return <size_t>DNN_WORK + 2 * rounded(<size_t>count * sizeof(float)) + rounded(<size_t>count * sizeof(double))


cdef public uint32_t dnn_dropped(dnn_handle *h, dnn_dropout *d, int back, int type, int64_t count, const void *x,
        void *y, void *mask, void *memory) noexcept nogil:
    """y ← x/(1 - rate) where the mask keeps it, else 0; forward draws the mask, a byte an element. `memory` NULL: the
    handle's own. MIOpen drops no doubles: the mask is drawn over a row of ones, and x times what is left of it."""
    cdef dnn_tensor single, wide, one
    cdef char *ones
    cdef char *left
    cdef char *kept
    cdef uint32_t status
    if count > 0x7fffffff:
        return cannot(b"2^31 elements or more that one dropout is for")
    if type != CUDNN_DATA_DOUBLE:
        return drawn(h, d, back, type, count, x, y, mask)
    if memory is NULL:
        memory = dnn_scratch(h, dnn_dropped_bytes(type, count))
        if memory is NULL:
            return dnn_because(CUDNN_STATUS_ALLOC_FAILED, b"no memory for a mask of doubles")
    ones = <char *>memory + <size_t>DNN_WORK
    left = ones + rounded(<size_t>count * sizeof(float))
    kept = left + rounded(<size_t>count * sizeof(float))
    as_line(&single, CUDNN_DATA_FLOAT, count)
    as_line(&wide, CUDNN_DATA_DOUBLE, count)
    as_line(&one, CUDNN_DATA_DOUBLE, 1)
    status = dnn_fill(h, &single, 1, ones)
    if status == 0:
        status = drawn(h, d, back, CUDNN_DATA_FLOAT, count, ones, left, mask)
    if status == 0:
        status = dnn_moved(h, memory, 1, &single, left, 0, &wide, kept)
    if status == 0:
        status = dnn_fill(h, &one, 1, ones)
    if status == 0:  # 0 or 1: what is left is the scaled one, or nothing
        status = dnn_op_tensor(h, miopenTensorOpMin, 1, &wide, kept, 1, &one, ones, 0, &wide, kept)
    if status == 0:
        status = dnn_op_tensor(h, miopenTensorOpMul, 1, &wide, x, 1, &wide, kept, 0, &wide, y)
    return status if status != 0 or d.rate >= 1 else dnn_scale(h, &wide, 1 / (1 - <double>d.rate), y)
