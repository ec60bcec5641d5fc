# What a product needs of AMD's libraries: their handles, and a description in hipBLASLt's own objects.

include "cublas/lt_state.pxi"

cdef extern from "cublas/handles.h" nogil:
    enum:
        DG_STREAMS
    void lt_state_set(dg_blas *h, lt_state *state)


cdef inline lt_state *state_of(dg_blas *h) noexcept nogil:
    """The handle's state; made at its first product where cuBLAS made the handle. NULL: no memory."""
    cdef lt_state *state = lt_state_of(h)
    if state is not NULL:
        return state
    dg_the_core.lock()
    state = lt_state_of(h)
    if state is NULL:
        state = <lt_state *>dg_the_core.alloc(lt_state_bytes())
        if state is not NULL:
            lt_state_set(h, state)
    dg_the_core.unlock()
    return state


cdef inline void *open_blas(dg_blas *h, void *stream, int mode) noexcept nogil:
    """A rocblas_handle for a stream and a pointer mode, on the handle's device; NULL where rocBLAS has none."""
    cdef int device = h.device
    cdef hipStreamCaptureMode capture = hipStreamCaptureModeRelaxed
    cdef void *blas = NULL
    cdef uint32_t status
    dg_hip.hipGetDevice(&device)
    if device != h.device:
        dg_hip.hipSetDevice(h.device)
    dg_hip.hipThreadExchangeStreamCaptureMode(&capture)
    status = dg_rocblas.rocblas_create_handle(&blas)
    dg_hip.hipThreadExchangeStreamCaptureMode(&capture)
    if device != h.device:
        dg_hip.hipSetDevice(device)
    if status != 0:
        return NULL
    if to_stream(stream) is not NULL:
        status = dg_rocblas.rocblas_set_stream(blas, to_stream(stream))
    if status == 0:
        status = dg_rocblas.rocblas_set_atomics_mode(blas, rocblas_atomics_not_allowed)
    if status == 0 and mode:
        status = dg_rocblas.rocblas_set_pointer_mode(blas, rocblas_pointer_mode_device)
    if status != 0:
        dg_rocblas.rocblas_destroy_handle(blas)
        return NULL
    return blas


cdef inline void *blas_for(dg_blas *h, void *stream, int mode) noexcept nogil:
    """rocBLAS's handle for this stream and pointer mode (0 host, 1 device). Found without a lock; NULL:
    none can be made."""
    cdef lt_state *state = state_of(h)
    cdef void *blas = NULL
    cdef int i
    if state is NULL:
        return NULL
    for i in range(lt_count(state)):
        if state.streams[i].stream == stream:
            blas = state.streams[i].blas[mode]
            if blas is not NULL:
                return blas
            break
    dg_the_core.lock()
    for i in range(lt_count(state)):
        if state.streams[i].stream == stream:
            break
    else:
        i = lt_count(state)
        if i == DG_STREAMS:
            # Many streams came and went: the oldest entry serves again, once all work is done.
            i = state.oldest
            state.oldest = (i + 1) % DG_STREAMS
            dg_hip.hipDeviceSynchronize()
            if state.streams[i].blas[0] is not NULL:
                dg_rocblas.rocblas_set_stream(state.streams[i].blas[0], to_stream(stream))
            if state.streams[i].blas[1] is not NULL:
                dg_rocblas.rocblas_set_stream(state.streams[i].blas[1], to_stream(stream))
            state.streams[i].stream = stream
        else:
            state.streams[i].stream = stream
            lt_count_set(state, i + 1)
    blas = state.streams[i].blas[mode]
    if blas is NULL:
        blas = open_blas(h, stream, mode)
        lt_blas_set(state, i, mode, blas)
    dg_the_core.unlock()
    return blas


cdef inline void *hipblaslt_of(dg_blas *h) noexcept nogil:
    """hipBLASLt's handle, or NULL where there is no hipBLASLt. Its create ends the process where HIP has no device; a
    handle of ours on a device lives, so it has."""
    cdef lt_state *state
    cdef int device = h.device
    if not dg_opened(&dg_own_backends[DG_OF_HIPBLASLT]) and dg_need(b"hipblaslt") != DG_OK:
        return NULL
    state = state_of(h)
    if state is NULL or state.hipblaslt is not NULL:
        return NULL if state is NULL else state.hipblaslt
    dg_the_core.lock()
    if state.hipblaslt is NULL:
        dg_hip.hipGetDevice(&device)
        if device != h.device:
            dg_hip.hipSetDevice(h.device)
        state.drop_hipblaslt = <void *>dg_hipblaslt.hipblasLtDestroy
        if dg_hipblaslt.hipblasLtCreate(&state.hipblaslt) != 0:
            state.hipblaslt = NULL
        if device != h.device:
            dg_hip.hipSetDevice(device)
    dg_the_core.unlock()
    return state.hipblaslt


# ---- hipBLASLt's objects

ctypedef struct lt_amd:
    hipblasLtMatmulDesc_t desc
    hipblasLtMatrixLayout_t layouts[4]


cdef inline void amd_drop(lt_amd *x) noexcept nogil:
    cdef int i
    if x.desc is not NULL:
        dg_hipblaslt.hipblasLtMatmulDescDestroy(x.desc)
    for i in range(4):
        if x.layouts[i] is not NULL:
            dg_hipblaslt.hipblasLtMatrixLayoutDestroy(x.layouts[i])


cdef inline uint32_t amd_layout(hipblasLtMatrixLayout_t *made, const lt_operand *o, int32_t batch) noexcept nogil:
    cdef uint32_t status = dg_hipblaslt.hipblasLtMatrixLayoutCreate(made, <hipDataType>o.type, o.rows, o.cols, o.ld)
    if status == 0 and batch > 1:
        status = dg_hipblaslt.hipblasLtMatrixLayoutSetAttribute(
            made[0], HIPBLASLT_MATRIX_LAYOUT_BATCH_COUNT, &batch, sizeof(batch))
        status |= dg_hipblaslt.hipblasLtMatrixLayoutSetAttribute(
            made[0], HIPBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET, &o.stride, sizeof(o.stride))
    return status


cdef inline bint own_here(dg_blas *h) noexcept nogil:
    """Whether the backend's hipBLASLt has our own functions (lt_own.h): the CPU's alone."""
    return hipblaslt_of(h) is not NULL and dg_hipblaslt.hipblasLtDragomanProduct(NULL, NULL, NULL, NULL, NULL, NULL,
        NULL, NULL) == 0


cdef inline uint32_t amd_put(hipblasLtMatmulDesc_t desc, int attribute, const void *value, size_t size) noexcept nogil:
    return dg_hipblaslt.hipblasLtMatmulDescSetAttribute(desc, <hipblasLtMatmulDescAttributes_t>attribute, value, size)


cdef inline hipblasComputeType_t amd_compute(int32_t compute) noexcept nogil:
    """PEDANTIC types become the plain ones (hipBLASLt 7.2 refuses them), the 16-bit one that of 32 bits: it is
    finer."""
    if compute == CUBLAS_COMPUTE_32I or compute == CUBLAS_COMPUTE_32I_PEDANTIC:
        return HIPBLAS_COMPUTE_32I
    if compute == CUBLAS_COMPUTE_64F or compute == CUBLAS_COMPUTE_64F_PEDANTIC:
        return HIPBLAS_COMPUTE_64F
    if compute == CUBLAS_COMPUTE_64F_EMULATED_FIXEDPOINT:
        return HIPBLAS_COMPUTE_64F
    return HIPBLAS_COMPUTE_32F


cdef inline cublasStatus_t amd_describe(lt_amd *x, const lt_problem *p, int32_t batch, int64_t member) noexcept nogil:
    """The problem in hipBLASLt's objects, or one member of its batch. The caller drops them in any case."""
    cdef const lt_MatmulDesc *d = p.desc
    cdef int32_t value = HIPBLAS_OP_N + <int32_t>p.a.op
    cdef int32_t type = p.d.type
    cdef int32_t mode = HIPBLASLT_MATMUL_MATRIX_SCALE_OUTER_VEC_32F
    cdef uint32_t epilogue = d.matmul_desc_epilogue if d.matmul_desc_epilogue else <uint32_t>CUBLASLT_EPILOGUE_DEFAULT
    cdef void *place
    cdef uint32_t status
    memset(x, 0, sizeof(lt_amd))
    status = dg_hipblaslt.hipblasLtMatmulDescCreate(
        &x.desc, amd_compute(p.compute), <hipDataType>(CUDA_R_32F if p.scale == CUDA_R_16F else p.scale))
    if status != 0:
        return CUBLAS_STATUS_NOT_SUPPORTED
    status |= amd_layout(&x.layouts[0], &p.a, batch)
    status |= amd_layout(&x.layouts[1], &p.b, batch)
    status |= amd_layout(&x.layouts[2], &p.c, batch)
    status |= amd_layout(&x.layouts[3], &p.d, batch)
    status |= amd_put(x.desc, HIPBLASLT_MATMUL_DESC_TRANSA, &value, sizeof(value))
    value = HIPBLAS_OP_N + <int32_t>p.b.op
    status |= amd_put(x.desc, HIPBLASLT_MATMUL_DESC_TRANSB, &value, sizeof(value))
    value = HIPBLASLT_POINTER_MODE_HOST  # every other makes α a vector
    status |= amd_put(x.desc, HIPBLASLT_MATMUL_DESC_POINTER_MODE, &value, sizeof(value))
    value = <int32_t>to_lt_epilogue(epilogue)
    status |= amd_put(x.desc, HIPBLASLT_MATMUL_DESC_EPILOGUE, &value, sizeof(value))
    if p.after & (LT_BIAS | LT_SUMS):
        place = <char *>d.matmul_desc_bias_pointer + member * d.matmul_desc_bias_batch_stride * lt_bytes(p.bias_type)
        status |= amd_put(x.desc, HIPBLASLT_MATMUL_DESC_BIAS_POINTER, &place, sizeof(place))
        status |= amd_put(x.desc, HIPBLASLT_MATMUL_DESC_BIAS_DATA_TYPE, &p.bias_type, sizeof(type))
    if p.after & LT_AUX:
        place = <char *>d.matmul_desc_epilogue_aux_pointer + member * aux_bytes(p)
        status |= amd_put(x.desc, HIPBLASLT_MATMUL_DESC_EPILOGUE_AUX_POINTER, &place, sizeof(place))
        status |= amd_put(x.desc, HIPBLASLT_MATMUL_DESC_EPILOGUE_AUX_LD, &d.matmul_desc_epilogue_aux_ld,
                          sizeof(int64_t))
        if batch > 1:
            status |= amd_put(x.desc, HIPBLASLT_MATMUL_DESC_EPILOGUE_AUX_BATCH_STRIDE,
                              &d.matmul_desc_epilogue_aux_batch_stride, sizeof(int64_t))
        if p.d.type != CUDA_R_32F:
            status |= amd_put(x.desc, HIPBLASLT_MATMUL_DESC_EPILOGUE_AUX_DATA_TYPE, &type, sizeof(type))
    if p.outer:
        status |= amd_put(x.desc, HIPBLASLT_MATMUL_DESC_A_SCALE_MODE, &mode, sizeof(mode))
        status |= amd_put(x.desc, HIPBLASLT_MATMUL_DESC_B_SCALE_MODE, &mode, sizeof(mode))
    if lt_is_float8(p.a.type):
        status |= amd_scale(x.desc, HIPBLASLT_MATMUL_DESC_A_SCALE_POINTER, a_scale(p))
        status |= amd_scale(x.desc, HIPBLASLT_MATMUL_DESC_B_SCALE_POINTER, b_scale(p))
        status |= amd_scale(x.desc, HIPBLASLT_MATMUL_DESC_D_SCALE_POINTER, d.matmul_desc_d_scale_pointer)
        status |= amd_scale(x.desc, HIPBLASLT_MATMUL_DESC_AMAX_D_POINTER, d.matmul_desc_amax_d_pointer)
    return CUBLAS_STATUS_SUCCESS if status == 0 else CUBLAS_STATUS_NOT_SUPPORTED


cdef inline const void *a_scale(const lt_problem *p) noexcept nogil:
    return p.desc.matmul_desc_b_scale_pointer if p.exchanged else p.desc.matmul_desc_a_scale_pointer


cdef inline const void *b_scale(const lt_problem *p) noexcept nogil:
    return p.desc.matmul_desc_a_scale_pointer if p.exchanged else p.desc.matmul_desc_b_scale_pointer


cdef inline uint32_t amd_scale(hipblasLtMatmulDesc_t desc, int attribute, const void *place) noexcept nogil:
    return 0 if place is NULL else amd_put(desc, attribute, &place, sizeof(place))


cdef inline int64_t aux_bytes(const lt_problem *p) noexcept nogil:
    """From one member's auxiliary matrix to the next's."""
    return p.desc.matmul_desc_epilogue_aux_batch_stride * lt_bytes(p.d.type)


cdef inline int amd_ask(
    dg_blas *h, lt_amd *x, uint64_t workspace, int wanted, lt_amd_found *found
) noexcept nogil:
    """How many of hipBLASLt's algorithms do a product in so much workspace."""
    cdef hipblasLtMatmulPreference_t preference = NULL
    cdef int count = 0
    if dg_hipblaslt.hipblasLtMatmulPreferenceCreate(&preference) != 0:
        return 0
    if dg_hipblaslt.hipblasLtMatmulPreferenceSetAttribute(
            preference, HIPBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, &workspace, sizeof(workspace)) == 0:
        if dg_hipblaslt.hipblasLtMatmulAlgoGetHeuristic(
                hipblaslt_of(h), x.desc, x.layouts[0], x.layouts[1], x.layouts[2], x.layouts[3], preference, wanted,
                <hipblasLtMatmulHeuristicResult_t *>found, &count) != 0:
            count = 0
    dg_hipblaslt.hipblasLtMatmulPreferenceDestroy(preference)
    return count
