# cython: language_level=3, cdivision=True, boundscheck=False, wraparound=False
"""Dropout of the CPU backend's MIOpen.

The random numbers are not AMD's: element i of a call is drawn by mixing the seed with a count. Both lie at the start of
the program's state memory, so that a descriptor restored over the same memory goes on where the last one stopped; the
count moves only where the descriptor lets its states evolve. The reserve space holds a byte an element, 1 where it was
kept. Without a reserve space a backward call draws the same numbers again, as long as the states have not moved.
"""
include "miopen.pxi"
include "shared.pxi"
include "elements.pxi"
include "walk.pxi"

from libc.stdlib cimport free


cdef enum:
    STATES = 16384      # of AMD's generator
    STATE_BYTES = 48    # each

cdef struct States:     # what of them is used here
    uint64_t seed
    uint64_t count

cdef struct Drop:
    Walk walk
    int type
    double scale        # of what is kept
    const void *x
    void *y
    const unsigned char *mask
    States states       # where there is no mask
    float rate


# ---- descriptors ----

cdef inline bint is_dropout(const mi_dropout *dropout) noexcept nogil:
    return dropout != NULL and dropout.kind == MI_DROPOUT


cdef public miopenStatus_t miopenCreateDropoutDescriptor(miopenDropoutDescriptor_t *dropoutDesc) noexcept nogil:
    if dropoutDesc == NULL:
        return miopenStatusBadParm
    dropoutDesc[0] = <mi_dropout *>mi_new(MI_DROPOUT, sizeof(mi_dropout))
    return miopenStatusSuccess if dropoutDesc[0] != NULL else miopenStatusAllocFailed


cdef public miopenStatus_t miopenDestroyDropoutDescriptor(miopenDropoutDescriptor_t dropoutDesc) noexcept nogil:
    if not is_dropout(dropoutDesc):
        return miopenStatusBadParm
    dropoutDesc.kind = 0
    free(dropoutDesc)
    return miopenStatusSuccess


cdef public miopenStatus_t miopenDropoutGetStatesSize(miopenHandle_t handle, size_t *stateSizeInBytes) noexcept nogil:
    if not is_handle(handle) or stateSizeInBytes == NULL:
        return miopenStatusBadParm
    stateSizeInBytes[0] = STATES * STATE_BYTES
    return miopenStatusSuccess


cdef public miopenStatus_t miopenDropoutGetReserveSpaceSize(
    miopenTensorDescriptor_t xDesc, size_t *reserveSpaceSizeInBytes
) noexcept nogil:
    if not is_tensor(xDesc) or reserveSpaceSizeInBytes == NULL:
        return miopenStatusBadParm
    reserveSpaceSizeInBytes[0] = <size_t>mi_elements(xDesc)
    return miopenStatusSuccess


cdef public miopenStatus_t miopenRestoreDropoutDescriptor(
    miopenDropoutDescriptor_t dropoutDesc, miopenHandle_t handle, float dropout, void *states, size_t stateSizeInBytes,
    unsigned long long seed, mi_bool use_mask, mi_bool state_evo, int rng_mode
) noexcept nogil:
    """Takes the states as they are. Any number passes for a rate; it is refused when it is used."""
    if not is_dropout(dropoutDesc):
        return miopenStatusBadParm
    dropoutDesc.rate = dropout
    dropoutDesc.states = states
    dropoutDesc.state_bytes = stateSizeInBytes
    dropoutDesc.seed = seed
    dropoutDesc.use_mask = use_mask
    dropoutDesc.state_evo = state_evo
    dropoutDesc.rng_mode = rng_mode
    return miopenStatusSuccess


cdef public miopenStatus_t miopenSetDropoutDescriptor(
    miopenDropoutDescriptor_t dropoutDesc, miopenHandle_t handle, float dropout, void *states, size_t stateSizeInBytes,
    unsigned long long seed, mi_bool use_mask, mi_bool state_evo, int rng_mode
) noexcept nogil:
    cdef miopenStatus_t status
    if not is_handle(handle):
        return miopenStatusBadParm
    if mi_refused(handle):  # it writes the states
        return miopenStatusUnknownError
    status = miopenRestoreDropoutDescriptor(
        dropoutDesc, handle, dropout, states, stateSizeInBytes, seed, use_mask, state_evo, rng_mode
    )
    if status == miopenStatusSuccess and states != NULL and stateSizeInBytes >= sizeof(States):
        (<States *>states).seed = seed
        (<States *>states).count = 0
    return status


cdef public miopenStatus_t miopenGetDropoutDescriptor(
    miopenDropoutDescriptor_t dropoutDesc, miopenHandle_t handle, float *dropout, void **states,
    unsigned long long *seed, mi_bool *use_mask, mi_bool *state_evo, int *rng_mode
) noexcept nogil:
    """`states` becomes the address of the descriptor's own pointer to them, not the pointer: MIOpen's slip, kept."""
    if not is_dropout(dropoutDesc) or dropout == NULL or states == NULL or seed == NULL:
        return miopenStatusBadParm
    if use_mask == NULL or state_evo == NULL or rng_mode == NULL:
        return miopenStatusBadParm
    dropout[0] = dropoutDesc.rate
    states[0] = &dropoutDesc.states
    seed[0] = dropoutDesc.seed
    use_mask[0] = dropoutDesc.use_mask
    state_evo[0] = dropoutDesc.state_evo
    rng_mode[0] = dropoutDesc.rng_mode
    return miopenStatusSuccess


# ---- random numbers ----

cdef inline bint kept(const States *states, float rate, int64_t i) noexcept nogil:
    """One draw in [0, 1): kept where it is not below the rate."""
    cdef uint64_t z = states.seed + (states.count + <uint64_t>i + 1) * <uint64_t>0x9e3779b97f4a7c15
    z = (z ^ (z >> 30)) * <uint64_t>0xbf58476d1ce4e5b9
    z = (z ^ (z >> 27)) * <uint64_t>0x94d049bb133111eb
    z = z ^ (z >> 31)
    return <double>(z >> 11) * (1.0 / 9007199254740992.0) >= rate


cdef public double mi_keep_scale(float rate) noexcept nogil:
    return 0 if rate >= 1 else 1 / (1 - <double>rate)


cdef public int mi_draw(mi_dropout *dropout, int64_t count, unsigned char *mask) noexcept nogil:
    cdef int64_t i
    if dropout.states == NULL or dropout.state_bytes < STATES * STATE_BYTES:
        return False
    for i in range(count):
        mask[i] = kept(<States *>dropout.states, dropout.rate, i)
    if dropout.state_evo:
        (<States *>dropout.states).count += <uint64_t>count
    return True


# ---- the work ----

cdef void part(const Drop *t, int64_t begin, int64_t end, narrow *like) noexcept nogil:
    cdef int64_t offsets[5]
    cdef int64_t at = begin, run, i
    cdef const narrow *x
    cdef narrow *y
    cdef bint keep
    while at < end:
        run = walk_run(&t.walk, at, end, offsets)
        x = <const narrow *>t.x + offsets[0]
        y = <narrow *>t.y + offsets[1]
        for i in range(run):
            keep = t.mask[at + i] != 0 if t.mask != NULL else kept(&t.states, t.rate, at + i)
            store(&y[i * t.walk.steps[1]], load(x[i * t.walk.steps[0]]) * t.scale if keep else 0)
        at += run


cdef void job(void *context, int64_t begin, int64_t end) noexcept nogil:
    cdef const Drop *t = <const Drop *>context
    if t.type == miopenHalf:
        part(t, begin, end, <mi_half *>NULL)
    else:
        part(t, begin, end, <float *>NULL)


cdef miopenStatus_t drop(
    miopenHandle_t handle, mi_dropout *dropout, const mi_tensor *noise, const mi_tensor *xDesc, const void *x,
    const mi_tensor *yDesc, void *y, void *reserve, size_t reserve_size, bint back
) noexcept nogil:
    cdef Drop t
    cdef int64_t count
    if not is_handle(handle) or not is_dropout(dropout):
        return miopenStatusBadParm
    if not is_tensor(noise) or not is_tensor(xDesc) or not is_tensor(yDesc) or x == NULL or y == NULL:
        return miopenStatusBadParm
    count = mi_elements(xDesc)
    if xDesc.dims > 5 or noise.dims != xDesc.dims or mi_elements(noise) != count or not mi_same_lens(xDesc, yDesc):
        return miopenStatusUnknownError
    if xDesc.type != yDesc.type or not 0 <= dropout.rate <= 1:
        return miopenStatusUnknownError
    if xDesc.type != miopenFloat and xDesc.type != miopenHalf:
        return miopenStatusUnknownError
    if reserve == NULL and dropout.use_mask:
        return miopenStatusUnknownError
    if (reserve != NULL or dropout.use_mask) and reserve_size < <size_t>count:
        return miopenStatusUnknownError
    # Only draws need states: a mask that is given, or that the forward call kept, is enough.
    if not dropout.use_mask and not (back and reserve != NULL):
        if dropout.states == NULL or dropout.state_bytes < STATES * STATE_BYTES:
            return miopenStatusUnknownError
    if mi_recorded(handle):
        return drop_record(handle, dropout, noise, xDesc, x, yDesc, y, reserve, reserve_size, back)
    if not dropout.use_mask and not (back and reserve != NULL):
        t.states = (<States *>dropout.states)[0]
        if not back and reserve != NULL:
            mi_draw(dropout, count, <unsigned char *>reserve)
        elif not back and dropout.state_evo:
            (<States *>dropout.states).count += <uint64_t>count
    t.type = xDesc.type
    t.rate = dropout.rate
    t.scale = mi_keep_scale(dropout.rate)
    t.x, t.y, t.mask = x, y, <const unsigned char *>reserve
    walk_begin(&t.walk, xDesc)
    walk_add(&t.walk, xDesc)
    walk_add(&t.walk, yDesc)
    walk_fold(&t.walk)
    mi_parallel(count, WALK_GRAIN, job, &t)
    return miopenStatusSuccess


cdef public miopenStatus_t miopenDropoutForward(
    miopenHandle_t handle, miopenDropoutDescriptor_t dropoutDesc, miopenTensorDescriptor_t noise_shape,
    miopenTensorDescriptor_t xDesc, const void *x, miopenTensorDescriptor_t yDesc, void *y, void *reserveSpace,
    size_t reserveSpaceSizeInBytes
) noexcept nogil:
    return drop(
        handle, dropoutDesc, noise_shape, xDesc, x, yDesc, y, reserveSpace, reserveSpaceSizeInBytes, False
    )


cdef public miopenStatus_t miopenDropoutBackward(
    miopenHandle_t handle, miopenDropoutDescriptor_t dropoutDesc, miopenTensorDescriptor_t noise_shape,
    miopenTensorDescriptor_t dyDesc, const void *dy, miopenTensorDescriptor_t dxDesc, void *dx, void *reserveSpace,
    size_t reserveSpaceSizeInBytes
) noexcept nogil:
    return drop(
        handle, dropoutDesc, noise_shape, dyDesc, dy, dxDesc, dx, reserveSpace, reserveSpaceSizeInBytes, True
    )


include "dropout_record.pxi"
