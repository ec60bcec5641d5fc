# Dropout. Blocks of tables/cudnn/dropout.yaml.

include "common.pxi"
include "amd.pxi"

cdef extern from "support.h" nogil:
    size_t dnn_dropped_bytes(int type, int64_t count)


cdef public cudnnStatus_t create_dropout_descriptor(cudnnDropoutDescriptor_t *place) noexcept nogil:
    return dnn_new(<void **>place, DNN_DROPOUT)


cdef public cudnnStatus_t dropout_get_reserve_space_size(dnn_tensor *x, size_t *size) noexcept nogil:
    """MIOpen keeps one byte an element."""
    cdef size_t elements = 1
    cdef int i
    if size is NULL:
        return bad(b"sizeInBytes is NULL")
    for i in range(x.count):
        elements *= <size_t>x.dim[i]
    size[0] = elements if x.count else 0
    return CUDNN_STATUS_SUCCESS


cdef public cudnnStatus_t get_dropout_descriptor(dnn_dropout *d, dnn_handle *h, float *rate, void **states,
        unsigned long long *seed) noexcept nogil:
    if rate is NULL or states is NULL or seed is NULL:
        return bad(b"dropout, states or seed is NULL")
    rate[0] = d.rate
    states[0] = d.states
    seed[0] = d.seed
    return CUDNN_STATUS_SUCCESS


cdef public cudnnStatus_t destroy_dropout_descriptor(dnn_dropout *d) noexcept nogil:
    """At the end of the process AMD's library may be gone."""
    if d is not NULL and d.amd is not NULL and dg_need(b"miopen") == DG_OK:
        dg_miopen.miopenDestroyDropoutDescriptor(<miopenDropoutDescriptor_t>d.amd)
        d.amd = NULL
    return dnn_delete(d, DNN_DROPOUT)


cdef enum:
    COUNT_BYTES = 16  # behind MIOpen's states: how many masks were drawn of them (drop.pyx)


cdef inline size_t count_after(size_t states) noexcept nogil:
    return (states + COUNT_BYTES - 1) // COUNT_BYTES * COUNT_BYTES


cdef public cudnnStatus_t dropout_get_states_size(dnn_handle *h, size_t *size) noexcept nogil:
    if size is NULL:
        return bad(b"sizeInBytes is NULL")
    cdef uint32_t status = dg_miopen.miopenDropoutGetStatesSize(<miopenHandle_t>h.amd, size)
    size[0] = count_after(size[0]) + COUNT_BYTES
    return answered(status, b"miopenDropoutGetStatesSize")


cdef cudnnStatus_t set_to(dnn_dropout *d, dnn_handle *h, float rate, void *states, size_t size, unsigned long long seed,
        bint fresh) noexcept nogil:
    """Without states, any size will do."""
    cdef size_t needed = 0
    cdef uint32_t status
    if states is not NULL:
        status = dg_miopen.miopenDropoutGetStatesSize(<miopenHandle_t>h.amd, &needed)
        if status != 0:
            return answered(status, b"miopenDropoutGetStatesSize")
        needed = count_after(needed)
        if size < needed + COUNT_BYTES:
            return bad(b"stateSizeInBytes is less than cudnnDropoutGetStatesSize says")
    d.rate = rate
    d.states = states
    d.states_size = size
    d.count_at = needed
    d.seed = seed
    return <cudnnStatus_t>dnn_dropout_set(h, d, fresh)


cdef public cudnnStatus_t set_dropout_descriptor(dnn_dropout *d, dnn_handle *h, float rate, void *states, size_t size,
        unsigned long long seed) noexcept nogil:
    return set_to(d, h, rate, states, size, seed, True)


cdef public cudnnStatus_t restore_dropout_descriptor(dnn_dropout *d, dnn_handle *h, float rate, void *states,
        size_t size, unsigned long long seed) noexcept nogil:
    return set_to(d, h, rate, states, size, seed, False)


cdef cudnnStatus_t drop(dnn_handle *h, dnn_dropout *d, bint back, dnn_tensor *xd, const void *x, dnn_tensor *yd,
        void *y, void *reserve, size_t reserve_size) noexcept nogil:
    """The mask goes by the elements' numbers in their logical order, so that both passes may differ in layout. MIOpen
    takes an innermost dimension to lie element by element: what does not is brought into a row and back, as are
    doubles."""
    cdef dnn_tensor[2] full
    cdef dnn_tensor[2] merged
    cdef dnn_tensor *given[2]
    cdef dnn_tensor row
    cdef void *amd[2]
    cdef void *drawing
    cdef char *memory = NULL
    cdef const void *source = x
    cdef void *target = y
    cdef size_t elements = 1
    cdef size_t bytes
    cdef int i, t
    cdef bint direct
    cdef uint32_t status
    if x is NULL or y is NULL or reserve is NULL:
        return bad(b"an image or the reserve space is NULL")
    if xd.count == 0 or yd.count == 0 or xd.type != yd.type:
        return bad(b"the tensors are not set or differ in type")
    full[0] = yd[0]
    full[1] = xd[0]
    for t in range(2):
        given[t] = &full[t]
        for i in range(full[t].count, DNN_DIMS):
            full[t].dim[i] = full[t].stride[i] = 1
        full[t].count = max(xd.count, yd.count)
    if not same_sizes(&full[0], &full[1]):
        return bad(b"the tensors differ in sizes")
    for i in range(xd.count):
        elements *= <size_t>xd.dim[i]
    if reserve_size < elements:
        return bad(b"the reserve space is too small")
    if xd.type != CUDNN_DATA_FLOAT and xd.type != CUDNN_DATA_HALF and xd.type != CUDNN_DATA_DOUBLE:
        return cannot(b"dropout of other than float, double and half, which NVIDIA's library refuses too")
    if back:
        if d.amd is NULL or not 0 <= d.rate <= 1:
            return bad(b"the dropout descriptor has not been set, or its rate is not from 0 to 1")
        drawing = d.amd
    dnn_merge(2, given, merged)
    direct = merged[0].count <= (1 if xd.type == CUDNN_DATA_DOUBLE else 5)
    for t in range(2):
        i = merged[t].count - 1
        direct = direct and (merged[t].dim[i] == 1 or merged[t].stride[i] == 1)
    if not direct:
        row = full[0]
        row.format = CUDNN_TENSOR_NCHW
        dnn_pack(CUDNN_TENSOR_NCHW, row.type, row.count, row.dim, row.stride)
        bytes = rounded(dnn_bytes(&row))
        memory = <char *>dnn_scratch(h, 2 * bytes + dnn_dropped_bytes(row.type, <int64_t>elements))
        if memory is NULL:
            return dnn_because(CUDNN_STATUS_ALLOC_FAILED, b"no memory for the images as rows")
        status = dnn_copy(h, &full[1], x, &row, memory)
        if status != 0:
            return <cudnnStatus_t>status
        source = memory
        target = memory + bytes
        merged[0].count = 1
        merged[0].dim[0] = <int32_t>elements
        merged[0].stride[0] = 1
        merged[1] = merged[0]
    if xd.type == CUDNN_DATA_DOUBLE:
        status = dnn_dropped(h, d, back, xd.type, <int64_t>elements, source, target, reserve,
                             NULL if memory is NULL else memory + 2 * bytes)
        if status != 0:
            return <cudnnStatus_t>status
        return CUDNN_STATUS_SUCCESS if direct else <cudnnStatus_t>dnn_copy(h, &row, target, &full[0], y)
    for t in range(2):
        amd[t] = dnn_amd_shape(h, merged[t].type, merged[t].count, merged[t].dim, merged[t].stride)
        if amd[t] is NULL:
            return CUDNN_STATUS_NOT_SUPPORTED
    if back:
        status = dg_miopen.miopenDropoutBackward(
            <miopenHandle_t>h.amd, <miopenDropoutDescriptor_t>drawing, <miopenTensorDescriptor_t>amd[1],
            <miopenTensorDescriptor_t>amd[1], source, <miopenTensorDescriptor_t>amd[0], target, reserve, reserve_size)
        if status != 0:
            return answered(status, b"miopenDropoutBackward")
    else:
        drawing = dnn_dropout_drawing(h, d)
        if drawing is NULL:
            return CUDNN_STATUS_BAD_PARAM
        status = dg_miopen.miopenDropoutForward(
            <miopenHandle_t>h.amd, <miopenDropoutDescriptor_t>drawing, <miopenTensorDescriptor_t>amd[1],
            <miopenTensorDescriptor_t>amd[1], source, <miopenTensorDescriptor_t>amd[0], target, reserve, reserve_size)
        if status != 0:
            return answered(status, b"miopenDropoutForward")
    return CUDNN_STATUS_SUCCESS if direct else <cudnnStatus_t>dnn_copy(h, &row, target, &full[0], y)


cdef public cudnnStatus_t dropout_forward(dnn_handle *h, dnn_dropout *d, dnn_tensor *xd, const void *x, dnn_tensor *yd,
        void *y, void *reserve, size_t reserve_size) noexcept nogil:
    return drop(h, d, False, xd, x, yd, y, reserve, reserve_size)


cdef public cudnnStatus_t dropout_backward(dnn_handle *h, dnn_dropout *d, dnn_tensor *dyd, const void *dy,
        dnn_tensor *dxd, void *dx, void *reserve, size_t reserve_size) noexcept nogil:
    return drop(h, d, True, dyd, dy, dxd, dx, reserve, reserve_size)
