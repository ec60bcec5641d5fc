# cython: language_level=3, cdivision=True, boundscheck=False, wraparound=False
"""CTC loss of the CPU backend's MIOpen: -log of the labels' probability, and its gradient.

`probs` is T×N×C. By default a softmax is applied to it first, and the gradient is the one before the softmax. Without
it the numbers are taken as logarithms of probabilities, and the gradient is the one by the probabilities. Gradients of
steps behind a sequence's end are not written. Labels and lengths are always in the program's own memory.
"""
include "miopen.pxi"
include "shared.pxi"
include "elements.pxi"

from libc.math cimport exp, log
from libc.stdlib cimport free


cdef enum:
    NOTHING = -1000000000  # logarithm of a probability of 0

cdef struct Loss:
    int type
    bint softmax
    int64_t steps
    int64_t batch
    int64_t classes
    int64_t blank
    int64_t longest        # of the labels
    int64_t probs_strides[3]
    int64_t grads_strides[3]
    const void *probs
    void *losses
    void *grads
    const int *labels
    const int *label_lengths
    const int *input_lengths
    bint failed


cdef inline bint is_ctc(const mi_ctc *ctc) noexcept nogil:
    return ctc != NULL and ctc.kind == MI_CTC


cdef public miopenStatus_t miopenCreateCTCLossDescriptor(miopenCTCLossDescriptor_t *ctcLossDesc) noexcept nogil:
    if ctcLossDesc == NULL:
        return miopenStatusBadParm
    ctcLossDesc[0] = <mi_ctc *>mi_new(MI_CTC, sizeof(mi_ctc))
    if ctcLossDesc[0] == NULL:
        return miopenStatusAllocFailed
    ctcLossDesc[0].type = miopenFloat
    ctcLossDesc[0].softmax = True
    return miopenStatusSuccess


cdef public miopenStatus_t miopenDestroyCTCLossDescriptor(miopenCTCLossDescriptor_t ctcLossDesc) noexcept nogil:
    if not is_ctc(ctcLossDesc):
        return miopenStatusBadParm
    ctcLossDesc.kind = 0
    free(ctcLossDesc)
    return miopenStatusSuccess


cdef public miopenStatus_t miopenSetCTCLossDescriptor(
    miopenCTCLossDescriptor_t ctcLossDesc, int dataType, const int blank_label_id, mi_bool apply_softmax_layer
) noexcept nogil:
    if not is_ctc(ctcLossDesc):
        return miopenStatusBadParm
    ctcLossDesc.type = dataType
    ctcLossDesc.blank = blank_label_id
    ctcLossDesc.softmax = apply_softmax_layer
    return miopenStatusSuccess


cdef public miopenStatus_t miopenGetCTCLossDescriptor(
    miopenCTCLossDescriptor_t ctcLossDesc, int *dataType, int *blank_label_id, mi_bool *apply_softmax_layer
) noexcept nogil:
    if not is_ctc(ctcLossDesc) or dataType == NULL:
        return miopenStatusBadParm
    dataType[0] = ctcLossDesc.type
    if blank_label_id != NULL:
        blank_label_id[0] = ctcLossDesc.blank
    if apply_softmax_layer != NULL:
        apply_softmax_layer[0] = ctcLossDesc.softmax
    return miopenStatusSuccess


# ---- checks ----

cdef struct Labels:
    int64_t total
    int64_t longest


cdef bint check_labels(
    const mi_tensor *probs, const int *labels, const int *label_lengths, const int *input_lengths, Labels *found
) noexcept nogil:
    """False where a label is no class, or more steps are needed or given than there are."""
    cdef int64_t n, j, repeats, start = 0
    found.total = found.longest = 0
    for n in range(probs.lens[1]):
        if input_lengths[n] > probs.lens[0] or label_lengths[n] < 0:
            return False
        repeats = 0
        for j in range(label_lengths[n]):
            if labels[start + j] < 0 or labels[start + j] >= probs.lens[2]:
                return False
            if j > 0 and labels[start + j] == labels[start + j - 1]:
                repeats += 1
        if label_lengths[n] + repeats > input_lengths[n]:
            return False
        start += label_lengths[n]
        if label_lengths[n] > found.longest:
            found.longest = label_lengths[n]
    found.total = start
    return True


cdef bint same_shape(const mi_tensor *probs, const mi_tensor *grads) noexcept nogil:
    cdef int i
    if probs.dims != 3 or grads.dims != 3:
        return False
    for i in range(3):
        if probs.lens[i] != grads.lens[i]:
            return False
    return True


cdef size_t workspace_size(const mi_tensor *probs, const Labels *found) noexcept nogil:
    """Lengths and labels, the logarithms, and the forward and backward variables."""
    cdef int64_t batch = probs.lens[1], extended = 2 * found.longest + 1
    cdef int64_t count = 4 * batch + found.total + batch * extended
    count += probs.lens[0] * batch * (probs.lens[2] + extended) + 2 * batch * extended
    return <size_t>count * 4


cdef public miopenStatus_t miopenGetCTCLossWorkspaceSize(
    miopenHandle_t handle, miopenTensorDescriptor_t probsDesc, miopenTensorDescriptor_t gradientsDesc,
    const int *labels, const int *labelLengths, const int *inputLengths, int algo,
    miopenCTCLossDescriptor_t ctcLossDesc, size_t *workSpaceSize
) noexcept nogil:
    cdef Labels found
    if not is_handle(handle) or not is_ctc(ctcLossDesc) or not is_tensor(probsDesc) or not is_tensor(gradientsDesc):
        return miopenStatusBadParm
    if labels == NULL or labelLengths == NULL or inputLengths == NULL or workSpaceSize == NULL:
        return miopenStatusBadParm
    if not same_shape(probsDesc, gradientsDesc):
        return miopenStatusBadParm
    if not check_labels(probsDesc, labels, labelLengths, inputLengths, &found):
        return miopenStatusBadParm
    workSpaceSize[0] = workspace_size(probsDesc, &found)
    return miopenStatusSuccess


# ---- the work ----

cdef inline double together(double a, double b) noexcept nogil:
    """log(eᵃ + eᵇ)."""
    cdef double most = a if a > b else b, least = b if a > b else a
    if least <= NOTHING:
        return most
    return most + log(1 + exp(least - most))


cdef inline int64_t symbol(const Loss *t, const int *labels, int64_t s) noexcept nogil:
    """The extended labels: blanks between and around them."""
    return t.blank if s % 2 == 0 else labels[s / 2]


cdef inline bint leaps(const Loss *t, const int *labels, int64_t s) noexcept nogil:
    """Symbol s may follow the one two before it."""
    return s >= 2 and s % 2 == 1 and labels[s / 2] != labels[s / 2 - 1]


cdef void logarithms(const Loss *t, int64_t n, int64_t steps, double *out) noexcept nogil:
    cdef int64_t step, c, at
    cdef double largest, total, value
    for step in range(steps):
        at = step * t.probs_strides[0] + n * t.probs_strides[1]
        largest = load_any(t.type, t.probs, at)
        for c in range(t.classes):
            value = load_any(t.type, t.probs, at + c * t.probs_strides[2])
            out[step * t.classes + c] = value
            largest = value if value > largest else largest
        if t.softmax:
            total = 0
            for c in range(t.classes):
                total += exp(out[step * t.classes + c] - largest)
            total = largest + log(total)
            for c in range(t.classes):
                out[step * t.classes + c] -= total


cdef void one(const Loss *t, int64_t n, double *memory) noexcept nogil:
    """One sequence; `memory` takes steps × (classes + symbols) + 2 × symbols + classes."""
    cdef int64_t steps = t.input_lengths[n], length = 2 * <int64_t>t.label_lengths[n] + 1, step, s, c, at
    cdef const int *labels = t.labels
    cdef double *logs = memory
    cdef double *alpha = logs + t.steps * t.classes
    cdef double *beta = alpha + t.steps * (2 * t.longest + 1)
    cdef double *later = beta + 2 * t.longest + 1
    cdef double *sums = later + 2 * t.longest + 1
    cdef double *held
    cdef double value, total
    for s in range(n):
        labels += t.label_lengths[s]
    if steps <= 0:
        store_any(t.type, t.losses, n, 0)
        return
    logarithms(t, n, steps, logs)
    for step in range(steps):
        for s in range(length):
            if step == 0:
                value = 0 if s < 2 else NOTHING
            else:
                value = alpha[(step - 1) * length + s]
                if s >= 1:
                    value = together(value, alpha[(step - 1) * length + s - 1])
                if leaps(t, labels, s):
                    value = together(value, alpha[(step - 1) * length + s - 2])
            value += logs[step * t.classes + symbol(t, labels, s)]
            alpha[step * length + s] = value if value > NOTHING else NOTHING
    total = alpha[steps * length - 1]
    if length > 1:
        total = together(total, alpha[steps * length - 2])
    store_any(t.type, t.losses, n, -total)
    step = steps - 1
    while step >= 0:
        for c in range(t.classes):
            sums[c] = NOTHING
        for s in range(length):
            if step == steps - 1:
                value = 0 if s >= length - 2 else NOTHING
            else:
                value = later[s]
                if s + 1 < length:
                    value = together(value, later[s + 1])
                if s + 2 < length and leaps(t, labels, s + 2):
                    value = together(value, later[s + 2])
            c = symbol(t, labels, s)
            value += logs[step * t.classes + c]
            beta[s] = value if value > NOTHING else NOTHING
            sums[c] = together(sums[c], alpha[step * length + s] + beta[s])
        for c in range(t.classes):
            at = step * t.grads_strides[0] + n * t.grads_strides[1] + c * t.grads_strides[2]
            value = logs[step * t.classes + c]
            if t.softmax:
                value = exp(value) - exp(sums[c] - value - total)
            else:
                value = -exp(sums[c] - 2 * value - total)
            store_any(t.type, t.grads, at, value)
        held = beta
        beta = later
        later = held
        step -= 1


cdef void job(void *context, int64_t begin, int64_t end) noexcept nogil:
    cdef Loss *t = <Loss *>context
    cdef int64_t n, count = t.steps * (t.classes + 2 * t.longest + 1) + 2 * (2 * t.longest + 1) + t.classes
    cdef double *memory = <double *>mi_scratch(<size_t>count * sizeof(double))
    if memory == NULL:
        t.failed = True
        return
    for n in range(begin, end):
        one(t, n, memory)
    mi_scratch_done(memory)


cdef public miopenStatus_t miopenCTCLoss(
    miopenHandle_t handle, miopenTensorDescriptor_t probsDesc, const void *probs, const int *labels,
    const int *labelLengths, const int *inputLengths, void *losses, miopenTensorDescriptor_t gradientsDesc,
    void *gradients, int algo, miopenCTCLossDescriptor_t ctcLossDesc, void *workSpace, size_t workSpaceSize
) noexcept nogil:
    """A blank outside the classes is moved to the nearest one."""
    cdef Loss t
    cdef Labels found
    cdef int i
    if not is_handle(handle) or not is_ctc(ctcLossDesc) or not is_tensor(probsDesc) or not is_tensor(gradientsDesc):
        return miopenStatusBadParm
    if probsDesc.type == miopenBFloat16:
        return miopenStatusNotImplemented
    if probsDesc.type != miopenFloat and probsDesc.type != miopenHalf:
        return miopenStatusBadParm
    if labels == NULL or labelLengths == NULL or inputLengths == NULL:
        return miopenStatusBadParm
    if not same_shape(probsDesc, gradientsDesc) or gradientsDesc.type != probsDesc.type:
        return miopenStatusUnknownError
    if not check_labels(probsDesc, labels, labelLengths, inputLengths, &found):
        return miopenStatusUnknownError
    if probs == NULL or losses == NULL or gradients == NULL or workSpace == NULL:
        return miopenStatusBadParm
    if workSpaceSize < workspace_size(probsDesc, &found):
        return miopenStatusUnknownError  # MIOpen would write past its end
    if mi_refused(handle):  # labels and lengths are the host's, and may be gone at a launch
        return miopenStatusUnknownError
    t.type = probsDesc.type
    t.softmax = ctcLossDesc.softmax
    t.steps, t.batch, t.classes = probsDesc.lens[0], probsDesc.lens[1], probsDesc.lens[2]
    t.blank = ctcLossDesc.blank
    if t.blank < 0:
        t.blank = 0
    elif t.blank >= t.classes:
        t.blank = t.classes - 1
    t.longest = found.longest
    for i in range(3):
        t.probs_strides[i], t.grads_strides[i] = probsDesc.strides[i], gradientsDesc.strides[i]
    t.probs, t.losses, t.grads = probs, losses, gradients
    t.labels, t.label_lengths, t.input_lengths = labels, labelLengths, inputLengths
    t.failed = False
    mi_parallel(t.batch, 1, job, &t)
    return miopenStatusAllocFailed if t.failed else miopenStatusSuccess
