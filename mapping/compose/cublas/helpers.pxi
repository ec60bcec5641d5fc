# Helper functions of cuBLAS: handles, modes, streams, versions, copies. Block names are those of
# tables/cublas/helpers.yaml.
#
# rocBLAS has one workspace a handle, so two streams on one rocblas_handle would race. A handle of ours therefore owns
# one rocblas_handle for each stream it has seen; SetStream only selects. Modes are set on all of them, so
# selecting is free.

cdef extern from "handles.h" nogil:
    ctypedef struct dg_stream:
        void *stream
        void *blas
    enum:
        DG_STREAMS
    void *DG_NO_STREAM
    const char *cublas_status_text(uint32_t status)
    int cublas_logger(int on, int to_stdout, int to_stderr, const char *file)
    void cublas_complain(const char *name, int info)

cdef extern from "version.h" nogil:
    const int dg_version
    const int[3] dg_version_part
    const int dg_cudart_version


include "lt_state.pxi"


cdef inline cublasStatus_t open_stream(dg_blas *h, void *stream, void **blas) noexcept nogil:
    """A rocblas_handle for one more stream, with this handle's modes, on the device the handle was created for."""
    cdef int device = h.device
    cdef hipStreamCaptureMode mode = hipStreamCaptureModeRelaxed
    cdef uint32_t status
    dg_hip.hipGetDevice(&device)
    if device != h.device:
        dg_hip.hipSetDevice(h.device)
    # rocBLAS allocates here, which is forbidden while any stream is captured, unless the thread allows itself all
    dg_hip.hipThreadExchangeStreamCaptureMode(&mode)
    status = dg_rocblas.rocblas_create_handle(blas)
    dg_hip.hipThreadExchangeStreamCaptureMode(&mode)
    if device != h.device:
        dg_hip.hipSetDevice(device)
    if status != 0:
        return status_of_rocblas(status)
    if to_stream(stream) is not NULL:
        status = dg_rocblas.rocblas_set_stream(blas[0], to_stream(stream))
    if status == 0:
        # rocBLAS allowed atomics by default before 5.0, NVIDIA never does
        status = dg_rocblas.rocblas_set_atomics_mode(blas[0], to_atomics_mode(<uint32_t>h.atomics_mode))
    if status == 0:
        status = dg_rocblas.rocblas_set_pointer_mode(blas[0], to_pointer_mode(<uint32_t>h.pointer_mode))
    if status != 0:
        dg_rocblas.rocblas_destroy_handle(blas[0])
        return status_of_rocblas(status)
    if h.math_mode != 0:
        dg_rocblas.rocblas_set_math_mode(blas[0], to_math_mode(h.math_mode & ~<uint32_t>16))
    return CUBLAS_STATUS_SUCCESS


cdef inline cublasStatus_t create(cublasHandle_t *handle) noexcept nogil:
    cdef dg_blas *h
    cdef dg_stream *streams
    cdef cublasStatus_t status
    cdef int reason
    if handle is NULL:
        return CUBLAS_STATUS_INVALID_VALUE
    reason = dg_the_core.check_kernels(&dg_own_library)
    if reason != DG_OK:
        return status_of_reason(reason)
    h = <dg_blas *>dg_the_core.slot_new(DG_BLAS)
    if h is NULL:
        return CUBLAS_STATUS_ALLOC_FAILED
    streams = <dg_stream *>dg_the_core.alloc(DG_STREAMS * sizeof(dg_stream))
    if streams is NULL:
        dg_the_core.slot_free(h)
        return CUBLAS_STATUS_ALLOC_FAILED
    # Making a handle is refused while a stream is captured (open_stream's memory is not): the runtime is asked, and a
    # capture that forbids this is invalid, as NVIDIA's has it. Freeing nothing is the call that does nothing else.
    if dg_hip.hipFree(NULL) != 0:
        dg_hip.hipGetLastError()
        dg_the_core.release(streams)
        dg_the_core.slot_free(h)
        return CUBLAS_STATUS_NOT_INITIALIZED
    dg_hip.hipGetDevice(&h.device)
    h.own_workspace = 1
    h.other_stream = DG_NO_STREAM
    status = open_stream(h, NULL, &h.blas)
    if status != CUBLAS_STATUS_SUCCESS:
        dg_the_core.release(streams)
        dg_the_core.slot_free(h)
        return status
    streams[0].blas = h.blas
    h.streams = streams
    h.stream_count = 1
    handle[0] = <cublasHandle_t>h
    return CUBLAS_STATUS_SUCCESS


cdef inline cublasStatus_t destroy(cublasHandle_t handle) noexcept nogil:
    """At the end of the process AMD's library may be gone: the destroy succeeds and calls nothing."""
    cdef int reason = dg_admit(handle, DG_BLAS)
    cdef dg_blas *h = <dg_blas *>handle
    cdef dg_stream *streams
    cdef int i
    if reason == DG_CLOSING:
        return CUBLAS_STATUS_SUCCESS
    if reason == DG_OK:
        reason = dg_the_core.slot_retire(handle, DG_BLAS)
    if reason != DG_OK:
        return status_of_reason(reason)
    streams = <dg_stream *>h.streams
    if streams is not NULL:
        for i in range(h.stream_count):
            dg_rocblas.rocblas_destroy_handle(streams[i].blas)
        dg_the_core.release(streams)
    lt_state_drop(h)
    dg_the_core.slot_free(h)
    return CUBLAS_STATUS_SUCCESS


cdef inline cublasStatus_t other_stream(dg_blas *h, void *stream) noexcept nogil:
    """A stream that is neither the current one nor the one before: find it or open it."""
    cdef dg_stream *streams = <dg_stream *>h.streams
    cdef void *blas = NULL
    cdef cublasStatus_t status = CUBLAS_STATUS_SUCCESS
    cdef int i
    h.own_workspace = 1  # NVIDIA's SetStream brings the library's own workspace back
    h.workspace = NULL
    h.workspace_size = 0
    if stream == h.stream:
        return CUBLAS_STATUS_SUCCESS
    dg_the_core.lock()
    for i in range(h.stream_count):
        if streams[i].stream == stream:
            blas = streams[i].blas
            break
    if blas is NULL:
        if h.stream_count < DG_STREAMS:
            status = open_stream(h, stream, &blas)
            if status == CUBLAS_STATUS_SUCCESS:
                streams[h.stream_count].stream = stream
                streams[h.stream_count].blas = blas
                h.stream_count += 1
        else:
            # Many streams came and went: the oldest that is not current serves again, once its work is done.
            dg_hip.hipDeviceSynchronize()
            for i in range(h.stream_count):
                if streams[i].blas != h.blas:
                    break
            status = status_of_rocblas(dg_rocblas.rocblas_set_stream(streams[i].blas, to_stream(stream)))
            if status == CUBLAS_STATUS_SUCCESS:
                blas = streams[i].blas
                h.other_stream = DG_NO_STREAM
                while i + 1 < h.stream_count:
                    streams[i] = streams[i + 1]
                    i += 1
                streams[i].stream = stream
                streams[i].blas = blas
    dg_the_core.unlock()
    if status == CUBLAS_STATUS_SUCCESS:
        h.other_stream = h.stream
        h.other_blas = h.blas
        h.stream = stream
        h.blas = blas
    return status


cdef inline cublasStatus_t set_stream(dg_blas *h, cudaStream_t stream) noexcept nogil:
    """Two streams in turn need one comparison: while the workspace is the program's there is no other stream."""
    cdef void *before = h.stream
    cdef void *blas = h.blas
    if h.other_stream != stream:
        if not h.own_workspace:
            return other_stream(h, stream)
        return CUBLAS_STATUS_SUCCESS if before == stream else other_stream(h, stream)
    h.stream = stream
    h.blas = h.other_blas
    h.other_stream = before
    h.other_blas = blas
    return CUBLAS_STATUS_SUCCESS


cdef inline cublasStatus_t get_stream(dg_blas *h, cudaStream_t *stream) noexcept nogil:
    if stream is NULL:
        return CUBLAS_STATUS_INVALID_VALUE
    stream[0] = <cudaStream_t>h.stream
    return CUBLAS_STATUS_SUCCESS


cdef inline cublasStatus_t set_workspace(dg_blas *h, void *workspace, size_t size) noexcept nogil:
    """Kept, not handed on: rocBLAS takes a user's size as a hard limit and fails above it."""
    h.workspace = workspace
    h.workspace_size = size
    h.own_workspace = 0
    h.other_stream = DG_NO_STREAM  # so that SetStream comes by, which brings the library's own back
    return CUBLAS_STATUS_SUCCESS


cdef inline cublasStatus_t set_pointer_mode(dg_blas *h, cublasPointerMode_t mode) noexcept nogil:
    cdef dg_stream *streams = <dg_stream *>h.streams
    cdef uint32_t status = 0
    cdef int i
    for i in range(h.stream_count):
        status |= dg_rocblas.rocblas_set_pointer_mode(streams[i].blas, to_pointer_mode(mode))
    h.pointer_mode = <int32_t>mode
    return status_of_rocblas(status)


cdef inline cublasStatus_t get_pointer_mode(dg_blas *h, cublasPointerMode_t *mode) noexcept nogil:
    if mode is NULL:
        return CUBLAS_STATUS_INVALID_VALUE
    mode[0] = <cublasPointerMode_t>h.pointer_mode
    return CUBLAS_STATUS_SUCCESS


cdef inline cublasStatus_t set_atomics_mode(dg_blas *h, cublasAtomicsMode_t mode) noexcept nogil:
    cdef dg_stream *streams = <dg_stream *>h.streams
    cdef uint32_t status = 0
    cdef int i
    for i in range(h.stream_count):
        status |= dg_rocblas.rocblas_set_atomics_mode(streams[i].blas, to_atomics_mode(mode))
    h.atomics_mode = <int32_t>mode
    return status_of_rocblas(status)


cdef inline cublasStatus_t get_atomics_mode(dg_blas *h, cublasAtomicsMode_t *mode) noexcept nogil:
    if mode is NULL:
        return CUBLAS_STATUS_INVALID_VALUE
    mode[0] = <cublasAtomicsMode_t>h.atomics_mode
    return CUBLAS_STATUS_SUCCESS


cdef inline cublasStatus_t set_math_mode(dg_blas *h, cublasMath_t mode) noexcept nogil:
    """The flag DISALLOW_REDUCED_PRECISION_REDUCTION may stand beside any mode. rocBLAS before 5.7 has no math mode."""
    cdef dg_stream *streams = <dg_stream *>h.streams
    cdef uint32_t plain = <uint32_t>mode & ~<uint32_t>CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION
    cdef int i
    if <uint32_t>mode > 31:  # NVIDIA's takes any sum of the flags, and those that no flag has
        return CUBLAS_STATUS_INVALID_VALUE
    for i in range(h.stream_count):
        dg_rocblas.rocblas_set_math_mode(streams[i].blas, to_math_mode(plain))
    h.math_mode = <uint32_t>mode
    return CUBLAS_STATUS_SUCCESS


cdef inline cublasStatus_t get_math_mode(dg_blas *h, cublasMath_t *mode) noexcept nogil:
    if mode is NULL:
        return CUBLAS_STATUS_INVALID_VALUE
    mode[0] = <cublasMath_t>h.math_mode
    return CUBLAS_STATUS_SUCCESS


cdef inline cublasStatus_t set_sm_count_target(dg_blas *h, int count) noexcept nogil:
    """0: all of them. NVIDIA's refuses more than its device has; programs choose by NVIDIA's devices, the largest of
    which has 160, and AMD's may have 2: a program that asks for what it gets there must not fail here."""
    cdef int there = 0
    if count < 0:
        return CUBLAS_STATUS_INVALID_VALUE
    if count > 0:
        if dg_hip.hipDeviceGetAttribute(&there, 63, h.device) != 0:  # the number of multiprocessors
            return CUBLAS_STATUS_INTERNAL_ERROR
        if count > there and count > 160:
            return CUBLAS_STATUS_INVALID_VALUE
    h.sm_target = count
    return CUBLAS_STATUS_SUCCESS


cdef inline cublasStatus_t get_sm_count_target(dg_blas *h, int *count) noexcept nogil:
    if count is NULL:
        return CUBLAS_STATUS_INVALID_VALUE
    count[0] = h.sm_target
    return CUBLAS_STATUS_SUCCESS


# ---- versions, names, log

cdef inline cublasStatus_t get_version(cublasHandle_t handle, int *version) noexcept nogil:
    if version is NULL:
        return CUBLAS_STATUS_INVALID_VALUE
    version[0] = dg_version
    return CUBLAS_STATUS_SUCCESS


cdef inline cublasStatus_t get_property(libraryPropertyType kind, int *value) noexcept nogil:
    if value is NULL or <uint32_t>kind > 2:
        return CUBLAS_STATUS_INVALID_VALUE
    value[0] = dg_version_part[<int>kind]
    return CUBLAS_STATUS_SUCCESS


cdef inline size_t get_cudart_version() noexcept nogil:
    return <size_t>dg_cudart_version


cdef inline const char *get_status_name(cublasStatus_t status) noexcept nogil:
    return name_of_status(status)


cdef inline const char *get_status_string(cublasStatus_t status) noexcept nogil:
    return cublas_status_text(status)


cdef inline cublasStatus_t logger_configure(int on, int to_stdout, int to_stderr, const char *file) noexcept nogil:
    dg_start()
    if cublas_logger(on, to_stdout, to_stderr, file) != 0:
        return CUBLAS_STATUS_INVALID_VALUE
    return CUBLAS_STATUS_SUCCESS


cdef inline cublasStatus_t set_logger_callback(cublasLogCallback callback) noexcept nogil:
    dg_start()
    if dg_the_core is not NULL:
        dg_the_core.set_logger(<dg_log_callback>callback)
    return CUBLAS_STATUS_SUCCESS


cdef inline cublasStatus_t get_logger_callback(cublasLogCallback *callback) noexcept nogil:
    if callback is NULL:
        return CUBLAS_STATUS_INVALID_VALUE
    dg_start()
    callback[0] = <cublasLogCallback>dg_the_core.get_logger() if dg_the_core is not NULL else NULL
    return CUBLAS_STATUS_SUCCESS


cdef inline void xerbla(const char *name, int info) noexcept nogil:
    cublas_complain(name, info)


# ---- copies between host and device

cdef inline cublasStatus_t strided_copy(int64_t n, int64_t size, const void *x, int64_t incx, void *y, int64_t incy,
                                        uint32_t kind, bint later, void *stream) noexcept nogil:
    """n elements of `size` bytes. Statuses as seen on cuBLAS 13.1: n < 0 or NULL is 11, increments and
    sizes < 1 are 7."""
    cdef uint32_t status
    if size < 1 or incx < 1 or incy < 1:
        return CUBLAS_STATUS_INVALID_VALUE
    if n == 0:
        return CUBLAS_STATUS_SUCCESS
    if n < 0 or x is NULL or y is NULL:
        return CUBLAS_STATUS_MAPPING_ERROR
    if incx == 1 and incy == 1:
        if later:
            status = dg_hip.hipMemcpyAsync(y, x, <size_t>(n * size), kind, to_stream(stream))
        else:
            status = dg_hip.hipMemcpy(y, x, <size_t>(n * size), kind)
    elif later:
        status = dg_hip.hipMemcpy2DAsync(y, <size_t>(incy * size), x, <size_t>(incx * size), <size_t>size, <size_t>n,
                                         kind, to_stream(stream))
    else:
        status = dg_hip.hipMemcpy2D(y, <size_t>(incy * size), x, <size_t>(incx * size), <size_t>size, <size_t>n, kind)
    return status_of_hip(status)


cdef inline cublasStatus_t matrix_copy(int64_t rows, int64_t cols, int64_t size, const void *A, int64_t lda, void *B,
                                       int64_t ldb, uint32_t kind, bint later, void *stream) noexcept nogil:
    """A column-major matrix. A leading dimension below the rows is 11 on NVIDIA's library, not 7."""
    cdef uint32_t status
    if size < 1 or lda < 1 or ldb < 1:
        return CUBLAS_STATUS_INVALID_VALUE
    if rows < 0 or cols < 0:
        return CUBLAS_STATUS_INVALID_VALUE
    if lda < rows or ldb < rows:
        return CUBLAS_STATUS_MAPPING_ERROR
    if rows == 0 or cols == 0:
        return CUBLAS_STATUS_SUCCESS
    if A is NULL or B is NULL:
        return CUBLAS_STATUS_MAPPING_ERROR
    if later:
        status = dg_hip.hipMemcpy2DAsync(B, <size_t>(ldb * size), A, <size_t>(lda * size), <size_t>(rows * size),
                                         <size_t>cols, kind, to_stream(stream))
    else:
        status = dg_hip.hipMemcpy2D(B, <size_t>(ldb * size), A, <size_t>(lda * size), <size_t>(rows * size),
                                    <size_t>cols, kind)
    return status_of_hip(status)


cdef inline cublasStatus_t set_vector(int64_t n, int64_t size, const void *x, int64_t incx, void *y,
        int64_t incy) noexcept nogil:
    return strided_copy(n, size, x, incx, y, incy, hipMemcpyHostToDevice, False, NULL)


cdef inline cublasStatus_t get_vector(int64_t n, int64_t size, const void *x, int64_t incx, void *y,
        int64_t incy) noexcept nogil:
    return strided_copy(n, size, x, incx, y, incy, hipMemcpyDeviceToHost, False, NULL)


cdef inline cublasStatus_t set_vector_async(int64_t n, int64_t size, const void *x, int64_t incx, void *y, int64_t incy,
                                            cudaStream_t stream) noexcept nogil:
    return strided_copy(n, size, x, incx, y, incy, hipMemcpyHostToDevice, True, stream)


cdef inline cublasStatus_t get_vector_async(int64_t n, int64_t size, const void *x, int64_t incx, void *y, int64_t incy,
                                            cudaStream_t stream) noexcept nogil:
    return strided_copy(n, size, x, incx, y, incy, hipMemcpyDeviceToHost, True, stream)


cdef inline cublasStatus_t set_matrix(int64_t rows, int64_t cols, int64_t size, const void *A, int64_t lda,
                                      void *B, int64_t ldb) noexcept nogil:
    return matrix_copy(rows, cols, size, A, lda, B, ldb, hipMemcpyHostToDevice, False, NULL)


cdef inline cublasStatus_t get_matrix(int64_t rows, int64_t cols, int64_t size, const void *A, int64_t lda,
                                      void *B, int64_t ldb) noexcept nogil:
    return matrix_copy(rows, cols, size, A, lda, B, ldb, hipMemcpyDeviceToHost, False, NULL)


cdef inline cublasStatus_t set_matrix_async(int64_t rows, int64_t cols, int64_t size, const void *A, int64_t lda,
                                            void *B, int64_t ldb, cudaStream_t stream) noexcept nogil:
    return matrix_copy(rows, cols, size, A, lda, B, ldb, hipMemcpyHostToDevice, True, stream)


cdef inline cublasStatus_t get_matrix_async(int64_t rows, int64_t cols, int64_t size, const void *A, int64_t lda,
                                            void *B, int64_t ldb, cudaStream_t stream) noexcept nogil:
    return matrix_copy(rows, cols, size, A, lda, B, ldb, hipMemcpyDeviceToHost, True, stream)


# ---- emulation of wide types (CUDA 12.9 and later): kept and read back in dg_blas.emulation, nothing is emulated.
# What is refused is as cuBLAS 13.1 refuses it. A new handle's words are 0, and it honours all special values.

cdef enum:
    EMULATION_SPECIAL_VALUES = 0xffff

cdef inline cublasStatus_t kept_get(dg_blas *h, int place, int *value) noexcept nogil:
    if value is NULL:
        return CUBLAS_STATUS_INVALID_VALUE
    value[0] = <int>h.emulation[place]
    return CUBLAS_STATUS_SUCCESS


cdef inline cublasStatus_t kept_set(dg_blas *h, int place, int value) noexcept nogil:
    h.emulation[place] = <uint64_t><uint32_t>value
    return CUBLAS_STATUS_SUCCESS


cdef inline cublasStatus_t get_emulation_strategy(dg_blas *h, cublasEmulationStrategy_t *value) noexcept nogil:
    return kept_get(h, 0, <int *>value)


cdef inline cublasStatus_t set_emulation_strategy(dg_blas *h, cublasEmulationStrategy_t value) noexcept nogil:
    if <uint32_t>value > 2:
        return CUBLAS_STATUS_INVALID_VALUE
    return kept_set(h, 0, <int>value)


cdef inline cublasStatus_t get_emulation_special_values_support(dg_blas *h,
        cudaEmulationSpecialValuesSupport *mask) noexcept nogil:
    cdef cublasStatus_t status = kept_get(h, 1, <int *>mask)
    if status == CUBLAS_STATUS_SUCCESS:
        (<int *>mask)[0] ^= EMULATION_SPECIAL_VALUES
    return status


cdef inline cublasStatus_t set_emulation_special_values_support(dg_blas *h,
        cudaEmulationSpecialValuesSupport mask) noexcept nogil:
    if <uint32_t>mask > EMULATION_SPECIAL_VALUES:
        return CUBLAS_STATUS_INVALID_VALUE
    return kept_set(h, 1, <int>mask ^ EMULATION_SPECIAL_VALUES)


cdef inline cublasStatus_t get_fixed_point_emulation_mantissa_control(dg_blas *h,
        cudaEmulationMantissaControl *value) noexcept nogil:
    return kept_get(h, 2, <int *>value)


cdef inline cublasStatus_t set_fixed_point_emulation_mantissa_control(dg_blas *h,
        cudaEmulationMantissaControl value) noexcept nogil:
    if <uint32_t>value > 1:
        return CUBLAS_STATUS_INVALID_VALUE
    return kept_set(h, 2, <int>value)


cdef inline cublasStatus_t get_fixed_point_emulation_max_mantissa_bit_count(dg_blas *h, int *value) noexcept nogil:
    return kept_get(h, 3, value)


cdef inline cublasStatus_t set_fixed_point_emulation_max_mantissa_bit_count(dg_blas *h, int value) noexcept nogil:
    if value < 0:
        return CUBLAS_STATUS_INVALID_VALUE
    return kept_set(h, 3, value)


cdef inline cublasStatus_t get_fixed_point_emulation_mantissa_bit_offset(dg_blas *h, int *value) noexcept nogil:
    return kept_get(h, 4, value)


cdef inline cublasStatus_t set_fixed_point_emulation_mantissa_bit_offset(dg_blas *h, int value) noexcept nogil:
    return kept_set(h, 4, value)


cdef inline cublasStatus_t get_fixed_point_emulation_mantissa_bit_count_pointer(dg_blas *h, int **value) noexcept nogil:
    if value is NULL:
        return CUBLAS_STATUS_INVALID_VALUE
    value[0] = <int *><uintptr_t>h.emulation[5]
    return CUBLAS_STATUS_SUCCESS


cdef inline cublasStatus_t set_fixed_point_emulation_mantissa_bit_count_pointer(dg_blas *h, int *value) noexcept nogil:
    h.emulation[5] = <uint64_t><uintptr_t>value
    return CUBLAS_STATUS_SUCCESS
