# CTC loss. Blocks of tables/cudnn/ctc.yaml.

include "common.pxi"
include "amd.pxi"

from libc.math cimport exp, log

cdef enum:
    CTC_FLOATS = 16384  # of a piece that passes through the host


cdef public cudnnStatus_t create_ctc_loss_descriptor(cudnnCTCLossDescriptor_t *place) noexcept nogil:
    return dnn_new(<void **>place, DNN_CTC)


cdef public cudnnStatus_t destroy_ctc_loss_descriptor(dnn_ctc *d) noexcept nogil:
    return dnn_delete(d, DNN_CTC)


cdef cudnnStatus_t fill_ctc(dnn_ctc *d, uint32_t type, uint32_t normalization, uint32_t nan, uint32_t gradient,
        int longest) noexcept nogil:
    """The modes are looked at by the call that they matter to, as in NVIDIA's library."""
    if type != <uint32_t>CUDNN_DATA_FLOAT:
        return cannot(b"compType is not FLOAT")
    d.type = <int32_t>type
    d.normalization = <int32_t>normalization
    d.nan = <int32_t>nan
    d.gradient = <int32_t>gradient
    d.longest = longest
    return CUDNN_STATUS_SUCCESS


cdef public cudnnStatus_t set_ctc_loss_descriptor(dnn_ctc *d, cudnnDataType_t type) noexcept nogil:
    return fill_ctc(d, type, CUDNN_LOSS_NORMALIZATION_NONE, CUDNN_NOT_PROPAGATE_NAN, 0, 0)


cdef public cudnnStatus_t set_ctc_loss_descriptor_ex(dnn_ctc *d, cudnnDataType_t type,
        cudnnLossNormalizationMode_t normalization, cudnnNanPropagation_t nan) noexcept nogil:
    return fill_ctc(d, type, normalization, nan, 0, 0)


cdef public cudnnStatus_t set_ctc_loss_descriptor_v8(dnn_ctc *d, cudnnDataType_t type,
        cudnnLossNormalizationMode_t normalization, cudnnNanPropagation_t nan, int longest) noexcept nogil:
    return fill_ctc(d, type, normalization, nan, 0, longest)


cdef public cudnnStatus_t set_ctc_loss_descriptor_v9(dnn_ctc *d, cudnnDataType_t type,
        cudnnLossNormalizationMode_t normalization, cudnnCTCGradMode_t gradient, int longest) noexcept nogil:
    return fill_ctc(d, type, normalization, 0, gradient, longest)


cdef public cudnnStatus_t get_ctc_loss_descriptor(dnn_ctc *d, cudnnDataType_t *type) noexcept nogil:
    give(<int *>type, d.type)
    return CUDNN_STATUS_SUCCESS


cdef public cudnnStatus_t get_ctc_loss_descriptor_ex(dnn_ctc *d, cudnnDataType_t *type,
        cudnnLossNormalizationMode_t *normalization, cudnnNanPropagation_t *nan) noexcept nogil:
    give(<int *>type, d.type)
    give(<int *>normalization, d.normalization)
    give(<int *>nan, d.nan)
    return CUDNN_STATUS_SUCCESS


cdef public cudnnStatus_t get_ctc_loss_descriptor_v8(dnn_ctc *d, cudnnDataType_t *type,
        cudnnLossNormalizationMode_t *normalization, cudnnNanPropagation_t *nan, int *longest) noexcept nogil:
    give(longest, d.longest)
    return get_ctc_loss_descriptor_ex(d, type, normalization, nan)


cdef public cudnnStatus_t get_ctc_loss_descriptor_v9(dnn_ctc *d, cudnnDataType_t *type,
        cudnnLossNormalizationMode_t *normalization, cudnnCTCGradMode_t *gradient, int *longest) noexcept nogil:
    give(longest, d.longest)
    give(<int *>gradient, d.gradient)
    return get_ctc_loss_descriptor_ex(d, type, normalization, NULL)


# ---- the loss. MIOpen's reads labels and lengths in host memory, and takes logarithms of probabilities where it
# applies no softmax itself. It has no empty labels, and refuses a batch for one label that its steps cannot hold.

cdef struct ctc_call:
    int steps
    int batch
    int classes
    int softmax
    const int *labels
    const int *label_lengths
    const int *input_lengths
    int *words      # what MIOpen is given: lengths of labels, of inputs, labels
    int unlike      # sequences that MIOpen is given another label for,
    bint stepless   # some of them of no steps

cdef enum:
    CTC_PLAIN = 0
    CTC_EMPTY = 1
    CTC_IMPOSSIBLE = 2


cdef cudnnStatus_t ctc_checked(dnn_ctc *d, uint32_t algorithm, const dnn_tensor *probs, const dnn_tensor *gradients,
        ctc_call *c) noexcept nogil:
    if algorithm > <uint32_t>CUDNN_CTC_LOSS_ALGO_NON_DETERMINISTIC:
        return cannot(b"algo is no algorithm of the CTC loss")
    if probs.count != 3:
        return bad(b"probsDesc has not three dimensions")
    if probs.type != CUDNN_DATA_FLOAT:
        return cannot(b"the probabilities are not FLOAT")
    if gradients is not NULL:
        if not same_sizes(probs, gradients):
            return bad(b"probsDesc and gradientsDesc differ in sizes")
        if gradients.type != CUDNN_DATA_FLOAT:
            return cannot(b"the gradients are not FLOAT")
    c.steps, c.batch, c.classes = probs.dim[0], probs.dim[1], probs.dim[2]
    c.softmax = d.normalization == CUDNN_LOSS_NORMALIZATION_SOFTMAX
    c.unlike = 0
    c.stepless = False
    c.words = NULL
    return CUDNN_STATUS_SUCCESS


cdef void *ctc_packed(dnn_handle *h, const ctc_call *c) noexcept nogil:
    """MIOpen's kernels walk through packed tensors only, whatever the descriptor says."""
    cdef int32_t[3] dim
    cdef int32_t[3] stride
    dim[0], dim[1], dim[2] = c.steps, c.batch, c.classes
    stride[0], stride[1], stride[2] = c.batch * c.classes, c.classes, 1
    return dnn_amd_shape(h, CUDNN_DATA_FLOAT, 3, dim, stride)


cdef cudnnStatus_t ctc_size(dnn_handle *h, const ctc_call *c, const int *lengths, int longest,
        size_t *size) noexcept nogil:
    """MIOpen's workspace for labels of these lengths, or of the longest, whatever stands in them; a sequence
    that MIOpen cannot is given a label of one symbol."""
    cdef size_t total = 0
    cdef size_t at = 2 * <size_t>c.batch
    cdef int most = c.steps if c.classes > 1 else (c.steps + 1) // 2
    cdef int *words
    cdef int n, j, length
    cdef void *tensor = ctc_packed(h, c)
    cdef void *loss = dnn_amd_ctc(h, c.softmax)
    cdef uint32_t status
    if tensor is NULL or loss is NULL:
        return CUDNN_STATUS_NOT_SUPPORTED
    for n in range(c.batch):
        length = lengths[n] if lengths is not NULL else longest
        total += <size_t>(length if 1 <= length <= most else 1 if length < 1 else most)
    words = <int *>dnn_host(h, 0, (2 * <size_t>c.batch + total + 1) * sizeof(int))
    if words is NULL:
        return dnn_because(CUDNN_STATUS_ALLOC_FAILED, b"no memory for the lengths")
    for n in range(c.batch):
        length = lengths[n] if lengths is not NULL else longest
        length = length if 1 <= length <= most else 1 if length < 1 else most
        words[n] = length
        words[c.batch + n] = c.steps
        for j in range(length):
            words[at] = j & 1 if c.classes > 1 else 0
            at += 1
    status = dg_miopen.miopenGetCTCLossWorkspaceSize(
        <miopenHandle_t>h.amd, <miopenTensorDescriptor_t>tensor, <miopenTensorDescriptor_t>tensor, words + 2 * c.batch,
        words, words + c.batch, MIOPEN_CTC_LOSS_ALGO_DETERMINISTIC, <miopenCTCLossDescriptor_t>loss, size)
    return answered(status, b"miopenGetCTCLossWorkspaceSize")


cdef int ctc_kind(const ctc_call *c, int n, const int *label) noexcept nogil:
    """Whether the steps of sequence n hold its label: one each, and a blank between equal neighbours."""
    cdef int needed = c.label_lengths[n]
    cdef int j
    if needed == 0:
        return CTC_EMPTY
    for j in range(1, c.label_lengths[n]):
        needed += label[j] == label[j - 1]
    return CTC_IMPOSSIBLE if needed > c.input_lengths[n] else CTC_PLAIN


cdef cudnnStatus_t ctc_labels(ctc_call *c) noexcept nogil:
    """Checks labels and lengths, and writes to `words` what MIOpen takes."""
    cdef const int *label = c.labels
    cdef int *to = c.words + 2 * c.batch
    cdef int n, j
    for n in range(c.batch):
        if not 0 <= c.input_lengths[n] <= c.steps:
            return bad(b"an input length is negative or above the steps of probs")
        for j in range(c.label_lengths[n]):
            if not 0 <= label[j] < c.classes:
                return bad(b"a label is none of the symbols of probs")
        if ctc_kind(c, n, label) == CTC_PLAIN:
            c.words[n] = c.label_lengths[n]
            c.words[c.batch + n] = c.input_lengths[n]
            memcpy(to, label, <size_t>c.label_lengths[n] * sizeof(int))
            to += c.label_lengths[n]
        else:  # MIOpen works on its first step in vain
            c.unlike += 1
            c.stepless = c.stepless or c.input_lengths[n] == 0
            c.words[n] = c.words[c.batch + n] = 1
            to[0] = c.classes - 1
            to += 1
        label += c.label_lengths[n]
    return CUDNN_STATUS_SUCCESS


cdef cudnnStatus_t ctc_logarithms(dnn_handle *h, float *x, size_t count) noexcept nogil:
    """In the place of x. MIOpen has no logarithm, so it goes through the host."""
    cdef float[CTC_FLOATS] piece
    cdef hipStream_t stream = <hipStream_t>to_stream(h.stream)
    cdef size_t at = 0
    cdef size_t some, i
    while at < count:
        some = count - at if count - at < CTC_FLOATS else CTC_FLOATS
        if (dg_hip.hipMemcpyAsync(piece, x + at, some * sizeof(float), hipMemcpyDeviceToHost, stream) != 0
                or dg_hip.hipStreamSynchronize(stream) != 0):
            return dnn_because(CUDNN_STATUS_EXECUTION_FAILED, b"the probabilities could not be read")
        for i in range(some):
            # of 0 a number that exp takes back to 0, and that sums of many stay finite with
            piece[i] = <float>log(<double>piece[i]) if piece[i] != 0 else -10000.0
        if (dg_hip.hipMemcpyAsync(x + at, piece, some * sizeof(float), hipMemcpyHostToDevice, stream) != 0
                or dg_hip.hipStreamSynchronize(stream) != 0):
            return dnn_because(CUDNN_STATUS_EXECUTION_FAILED, b"the logarithms could not be written")
        at += some
    return CUDNN_STATUS_SUCCESS


cdef uint32_t ctc_moved(dnn_handle *h, const ctc_call *c, const dnn_tensor *d, float *x, float *rows, int steps,
        bint back) noexcept nogil:
    """Some steps of a sequence between the device and `rows`: many where symbols are side by side, else one."""
    cdef hipStream_t stream = <hipStream_t>to_stream(h.stream)
    cdef size_t apart = <size_t>(d.stride[0] if d.stride[2] == 1 else d.stride[2]) * sizeof(float)
    cdef size_t width = (<size_t>c.classes if d.stride[2] == 1 else 1) * sizeof(float)
    cdef size_t count = <size_t>(steps if d.stride[2] == 1 else c.classes)
    cdef uint32_t failed
    if back:
        failed = dg_hip.hipMemcpy2DAsync(x, apart, rows, width, width, count, hipMemcpyHostToDevice, stream)
    else:
        failed = dg_hip.hipMemcpy2DAsync(rows, width, x, apart, width, count, hipMemcpyDeviceToHost, stream)
    return failed | dg_hip.hipStreamSynchronize(stream)


cdef double ctc_blank(const ctc_call *c, float *row) noexcept nogil:
    """The cost of the blank at one step; the row becomes its gradient."""
    cdef double cost, largest
    cdef double total = 0
    cdef int i
    if not c.softmax:
        cost = -log(<double>row[0])
        memset(&row[1], 0, <size_t>(c.classes - 1) * sizeof(float))
        row[0] = -1 / row[0]
        return cost
    largest = row[0]
    for i in range(1, c.classes):
        largest = row[i] if row[i] > largest else largest
    for i in range(c.classes):
        total += exp(row[i] - largest)
    cost = log(total) + largest - row[0]
    for i in range(c.classes):
        row[i] = <float>(exp(row[i] - largest) / total)
    row[0] -= 1
    return cost


cdef cudnnStatus_t ctc_other(dnn_handle *h, const ctc_call *c, int n, int kind, const dnn_tensor *pd,
        const float *probs, float *costs, const dnn_tensor *gd, float *gradients) noexcept nogil:
    """A sequence that MIOpen cannot: one without a label is blank throughout; an impossible one costs nothing, as
    PyTorch expects of NVIDIA's library, and has no gradient."""
    cdef float[CTC_FLOATS] rows
    cdef hipStream_t stream = <hipStream_t>to_stream(h.stream)
    cdef double cost = 0
    cdef float value
    cdef int t = 0
    cdef int i, some
    cdef uint32_t failed = 0
    if c.classes > CTC_FLOATS:
        return cannot(b"a sequence without an alignment, and more than 16384 symbols")
    while t < c.input_lengths[n] and failed == 0:
        some = CTC_FLOATS // c.classes
        some = some if some < c.input_lengths[n] - t else c.input_lengths[n] - t
        if pd.stride[2] != 1 or (gradients is not NULL and gd.stride[2] != 1):
            some = 1
        if kind == CTC_EMPTY:
            failed = ctc_moved(h, c, pd, <float *>probs + <size_t>t * pd.stride[0] + <size_t>n * pd.stride[1], rows,
                               some, False)
            for i in range(some):
                cost += ctc_blank(c, &rows[i * c.classes])
        else:
            memset(rows, 0, <size_t>(some * c.classes) * sizeof(float))
        if gradients is not NULL and failed == 0:
            failed = ctc_moved(h, c, gd, gradients + <size_t>t * gd.stride[0] + <size_t>n * gd.stride[1], rows, some,
                               True)
        t += some
    value = <float>cost
    failed |= dg_hip.hipMemcpyAsync(costs + n, &value, sizeof(float), hipMemcpyHostToDevice, stream)
    failed |= dg_hip.hipStreamSynchronize(stream)
    if failed:
        return dnn_because(CUDNN_STATUS_EXECUTION_FAILED, b"a sequence without an alignment could not be copied")
    return CUDNN_STATUS_SUCCESS


cdef cudnnStatus_t ctc_row_back(dnn_handle *h, const ctc_call *c, int n, const dnn_tensor *gd, const void *gradients,
        void *packed) noexcept nogil:
    """The first step of a sequence without any, as it was before MIOpen worked on it."""
    cdef dnn_tensor fromd
    cdef dnn_tensor to
    memset(&fromd, 0, sizeof(fromd))
    fromd.type = gd.type
    fromd.count = 1
    fromd.dim[0] = c.classes
    fromd.stride[0] = gd.stride[2]
    to = fromd
    to.stride[0] = 1
    return dnn_copy(h, &fromd, <const float *>gradients + <size_t>n * gd.stride[1], &to,
                    <float *>packed + <size_t>n * c.classes)


cdef cudnnStatus_t ctc_run(dnn_handle *h, ctc_call *c, dnn_tensor *pd, const void *probs, void *costs, dnn_tensor *gd,
        void *gradients, void *workspace, size_t size) noexcept nogil:
    cdef void *tensor = ctc_packed(h, c)
    cdef void *loss = dnn_amd_ctc(h, c.softmax)
    cdef dnn_tensor packed
    cdef size_t bytes, needed = 0
    cdef char *memory
    cdef void *p = <void *>probs
    cdef void *g = gradients
    cdef const int *label = c.labels
    cdef bint moves_probs, moves_gradients
    cdef int n, kind
    cdef int *words = c.words
    cdef cudnnStatus_t status = CUDNN_STATUS_SUCCESS
    if tensor is NULL or loss is NULL:
        return CUDNN_STATUS_NOT_SUPPORTED
    status = answered(dg_miopen.miopenGetCTCLossWorkspaceSize(
        <miopenHandle_t>h.amd, <miopenTensorDescriptor_t>tensor, <miopenTensorDescriptor_t>tensor, words + 2 * c.batch,
        words, words + c.batch, MIOPEN_CTC_LOSS_ALGO_DETERMINISTIC, <miopenCTCLossDescriptor_t>loss, &needed),
        b"miopenGetCTCLossWorkspaceSize")
    if status != CUDNN_STATUS_SUCCESS:
        return status
    if size < needed:
        return bad(b"the workspace is smaller than its query says")
    packed = pd[0]
    packed.stride[0], packed.stride[1], packed.stride[2] = c.batch * c.classes, c.classes, 1
    packed.amd = NULL
    bytes = rounded(dnn_bytes(&packed))
    moves_probs = not c.softmax or not ctc_is_packed(pd)
    moves_gradients = gradients is NULL or not ctc_is_packed(gd) or c.stepless
    memory = <char *>dnn_scratch(h, (bytes if moves_probs else 0) + (bytes if moves_gradients else 0)
                                 + <size_t>c.batch * sizeof(float) + 255 + (needed if workspace is NULL else 0))
    if memory is NULL:
        return dnn_because(CUDNN_STATUS_ALLOC_FAILED, b"no memory for packed probabilities and gradients")
    if moves_probs:
        p = memory
        memory += bytes
        status = dnn_copy(h, pd, probs, &packed, p)
        if status == CUDNN_STATUS_SUCCESS and not c.softmax:
            status = ctc_logarithms(h, <float *>p, dnn_bytes(&packed) // sizeof(float))
        if status != CUDNN_STATUS_SUCCESS:
            return status
    if moves_gradients:
        g = memory
        memory += bytes
        if gradients is not NULL:  # what stands beyond a sequence's end stays
            status = dnn_copy(h, gd, gradients, &packed, g)
            if status != CUDNN_STATUS_SUCCESS:
                return status
    if workspace is NULL:
        workspace = memory
        memory += rounded(needed)
    if costs is NULL:
        costs = memory
    # MIOpen writes the lengths into the workspace without regard to the stream
    if dg_hip.hipStreamSynchronize(<hipStream_t>to_stream(h.stream)) != 0:
        return dnn_because(CUDNN_STATUS_EXECUTION_FAILED, b"the stream has failed")
    status = answered(dg_miopen.miopenCTCLoss(
        <miopenHandle_t>h.amd, <miopenTensorDescriptor_t>tensor, p, words + 2 * c.batch, words, words + c.batch, costs,
        <miopenTensorDescriptor_t>tensor, g, MIOPEN_CTC_LOSS_ALGO_DETERMINISTIC, <miopenCTCLossDescriptor_t>loss,
        workspace, needed), b"miopenCTCLoss")
    for n in range(c.batch if c.stepless and gradients is not NULL else 0):
        if c.input_lengths[n] == 0 and status == CUDNN_STATUS_SUCCESS:
            status = ctc_row_back(h, c, n, gd, gradients, g)
    if status == CUDNN_STATUS_SUCCESS and moves_gradients and gradients is not NULL:
        status = dnn_copy(h, &packed, g, gd, gradients)
    for n in range(c.batch if c.unlike else 0):
        kind = ctc_kind(c, n, label)
        if status == CUDNN_STATUS_SUCCESS and kind != CTC_PLAIN:
            status = ctc_other(h, c, n, kind, pd, <const float *>probs, <float *>costs, gd, <float *>gradients)
        label += c.label_lengths[n]
    return status


cdef bint ctc_is_packed(const dnn_tensor *d) noexcept nogil:
    return d.stride[2] == 1 and d.stride[1] == d.dim[2] and d.stride[0] == d.dim[1] * d.dim[2]


cdef cudnnStatus_t ctc_with_words(dnn_handle *h, ctc_call *c, size_t total, dnn_tensor *pd, const void *probs,
        void *costs, dnn_tensor *gd, void *gradients, void *workspace, size_t size) noexcept nogil:
    cdef cudnnStatus_t status
    c.words = <int *>dnn_host(h, 0, (3 * <size_t>c.batch + total) * sizeof(int))
    if c.words is NULL:
        return dnn_because(CUDNN_STATUS_ALLOC_FAILED, b"no memory for the labels")
    status = ctc_labels(c)
    return status if status != CUDNN_STATUS_SUCCESS else ctc_run(h, c, pd, probs, costs, gd, gradients, workspace, size)


cdef cudnnStatus_t ctc_free(dnn_handle *h) noexcept nogil:
    """A captured stream is not waited for, and what a graph copied from this call's memory would not be
    there any more."""
    if dnn_captured(h):
        return cannot(b"a CTC loss under stream capture")
    return CUDNN_STATUS_SUCCESS


cdef public cudnnStatus_t ctc_loss(dnn_handle *h, dnn_tensor *pd, const void *probs, const int *labels,
        const int *label_lengths, const int *input_lengths, void *costs, dnn_tensor *gd, void *gradients,
        cudnnCTCLossAlgo_t algorithm, dnn_ctc *d, void *workspace, size_t size) noexcept nogil:
    cdef ctc_call c
    cdef size_t total = 0
    cdef int n
    cdef cudnnStatus_t status = ctc_checked(d, algorithm, pd, gd, &c)
    if status != CUDNN_STATUS_SUCCESS:
        return status
    if probs is NULL or labels is NULL or label_lengths is NULL or input_lengths is NULL:
        return bad(b"probs, hostLabels, hostLabelLengths or hostInputLengths is NULL")
    if (gradients is not NULL and gd is NULL) or workspace is NULL:
        return bad(b"gradientsDesc or workspace is NULL")
    for n in range(c.batch):
        if label_lengths[n] < 0:
            return bad(b"a label's length is negative")
        total += <size_t>label_lengths[n]
    status = ctc_free(h)
    if status != CUDNN_STATUS_SUCCESS:
        return status
    c.labels = labels
    c.label_lengths = label_lengths
    c.input_lengths = input_lengths
    return ctc_with_words(h, &c, total, pd, probs, costs, gd, gradients, workspace, size)


cdef public cudnnStatus_t ctc_loss_v8(dnn_handle *h, cudnnCTCLossAlgo_t algorithm, dnn_ctc *d, dnn_tensor *pd,
        const void *probs, const int *labels, const int *label_lengths, const int *input_lengths, void *costs,
        dnn_tensor *gd, void *gradients, size_t size, void *workspace) noexcept nogil:
    """Labels and lengths are on the device, and MIOpen wants them here."""
    cdef int *held
    cdef ctc_call c
    cdef hipStream_t stream = <hipStream_t>to_stream(h.stream)
    cdef size_t total = 0
    cdef size_t lengths
    cdef uint32_t failed
    cdef int n
    cdef cudnnStatus_t status = ctc_checked(d, algorithm, pd, gd, &c)
    if status != CUDNN_STATUS_SUCCESS:
        return status
    if probs is NULL or labels is NULL or label_lengths is NULL or input_lengths is NULL:
        return bad(b"probs, labels, labelLengths or inputLengths is NULL")
    if gradients is not NULL and gd is NULL:
        return bad(b"gradientsDesc is NULL")
    status = ctc_free(h)
    if status != CUDNN_STATUS_SUCCESS:
        return status
    lengths = 2 * <size_t>c.batch
    held = <int *>dnn_host(h, 1, lengths * sizeof(int))
    if held is NULL:
        return dnn_because(CUDNN_STATUS_ALLOC_FAILED, b"no memory for the lengths")
    failed = dg_hip.hipMemcpyAsync(held, label_lengths, <size_t>c.batch * sizeof(int), hipMemcpyDeviceToHost, stream)
    failed |= dg_hip.hipMemcpyAsync(held + c.batch, input_lengths, <size_t>c.batch * sizeof(int), hipMemcpyDeviceToHost,
                                    stream)
    failed |= dg_hip.hipStreamSynchronize(stream)
    for n in range(c.batch if failed == 0 else 0):
        if held[n] < 0 or held[n] > d.longest:
            return bad(b"a label's length is negative or above maxLabelLength")
        total += <size_t>held[n]
    held = <int *>dnn_host(h, 1, (lengths + total) * sizeof(int))
    if held is NULL:
        return dnn_because(CUDNN_STATUS_ALLOC_FAILED, b"no memory for the labels")
    if total and failed == 0:
        failed = dg_hip.hipMemcpyAsync(held + lengths, labels, total * sizeof(int), hipMemcpyDeviceToHost, stream)
        failed |= dg_hip.hipStreamSynchronize(stream)
    if failed:
        return dnn_because(CUDNN_STATUS_EXECUTION_FAILED, b"labels and lengths could not be read")
    c.labels = held + lengths
    c.label_lengths = held
    c.input_lengths = held + c.batch
    return ctc_with_words(h, &c, total, pd, probs, costs, gd, gradients, workspace, size)


cdef public cudnnStatus_t ctc_workspace(dnn_handle *h, dnn_tensor *pd, dnn_tensor *gd, const int *labels,
        const int *label_lengths, const int *input_lengths, cudnnCTCLossAlgo_t algorithm, dnn_ctc *d,
        size_t *size) noexcept nogil:
    cdef ctc_call c
    cdef cudnnStatus_t status = ctc_checked(d, 0, pd, gd, &c)
    if status != CUDNN_STATUS_SUCCESS:
        return status
    if label_lengths is NULL or input_lengths is NULL or size is NULL:
        return bad(b"labelLengths, inputLengths or sizeInBytes is NULL")
    return ctc_size(h, &c, label_lengths, 0, size)


cdef public cudnnStatus_t ctc_workspace_v8(dnn_handle *h, cudnnCTCLossAlgo_t algorithm, dnn_ctc *d, dnn_tensor *pd,
        dnn_tensor *gd, size_t *size) noexcept nogil:
    cdef ctc_call c
    cdef cudnnStatus_t status = ctc_checked(d, 0, pd, gd, &c)
    if status != CUDNN_STATUS_SUCCESS:
        return status
    if size is NULL:
        return bad(b"sizeInBytes is NULL")
    return ctc_size(h, &c, NULL, d.longest, size)
