# The library itself: handles, streams, versions, texts, the program's callback. Blocks of tables/cudnn/handles.yaml.

include "common.pxi"

cdef extern from "version.h" nogil:
    const int dg_version
    const int[3] dg_version_part
    const int dg_cudart_version

cdef extern from "support.h" nogil:
    void dnn_handle_emptied(dnn_handle *h)
    void dnn_stream_left(dnn_handle *h)


cdef public cudnnStatus_t create(cudnnHandle_t *handle) noexcept nogil:
    cdef dnn_handle *h
    cdef uint32_t status
    if handle is NULL:
        return bad(b"handle is NULL")
    h = <dnn_handle *>dg_the_core.slot_new(DNN_HANDLE)
    if h is NULL:
        return dnn_because(CUDNN_STATUS_ALLOC_FAILED, b"no slot is left")
    dg_hip.hipGetDevice(<int *>&h.device)
    status = dg_miopen.miopenCreate(<miopenHandle_t *>&h.amd)
    if status != 0:
        dg_the_core.slot_free(h)
        dnn_failed(status, b"miopenCreate", status)
        # without a card MIOpen answers "unknown error"
        return CUDNN_STATUS_NOT_INITIALIZED if status == miopenStatusUnknownError else status_of_miopen(status)
    handle[0] = <cudnnHandle_t>h
    return CUDNN_STATUS_SUCCESS


cdef public cudnnStatus_t destroy(cudnnHandle_t handle) noexcept nogil:
    """At the end of the process AMD's library may be gone: the destroy succeeds and calls nothing."""
    cdef dnn_handle *h = <dnn_handle *>handle
    cdef int reason = dg_admit(handle, DNN_HANDLE)
    if handle is NULL or reason == DG_CLOSING:
        return CUDNN_STATUS_SUCCESS
    if reason == DG_OK:
        reason = dg_the_core.slot_retire(handle, DNN_HANDLE)
    if reason != DG_OK:
        dnn_because(0, b"the handle is NULL, destroyed or no handle of cuDNN")
        return status_of_reason(reason)
    dnn_handle_emptied(h)
    dg_miopen.miopenDestroy(<miopenHandle_t>h.amd)
    dg_the_core.slot_free(h)
    return CUDNN_STATUS_SUCCESS


cdef public cudnnStatus_t set_stream(dnn_handle *h, cudaStream_t stream) noexcept nogil:
    cdef uint32_t status
    if stream == h.stream:
        return CUDNN_STATUS_SUCCESS
    status = dg_miopen.miopenSetStream(<miopenHandle_t>h.amd, <miopenAcceleratorQueue_t>to_stream(stream))
    if status != 0:
        return dnn_failed(status_of_miopen(status), b"miopenSetStream", status)
    dnn_stream_left(h)
    h.stream = stream
    return CUDNN_STATUS_SUCCESS


cdef public cudnnStatus_t get_stream(dnn_handle *h, cudaStream_t *stream) noexcept nogil:
    if stream is NULL:
        return bad(b"streamId is NULL")
    stream[0] = <cudaStream_t>h.stream
    return CUDNN_STATUS_SUCCESS


# ---- versions

cdef public size_t get_version() noexcept nogil:
    return <size_t>dg_version


cdef public size_t get_max_device_version() noexcept nogil:
    """NVIDIA's answer is a compute capability, of which AMD's cards have none: the newest that this version names."""
    return 1210 if dg_version >= 90000 else 900


cdef public size_t get_cudart_version() noexcept nogil:
    return <size_t>dg_cudart_version


cdef public cudnnStatus_t get_property(libraryPropertyType kind, int *value) noexcept nogil:
    if value is NULL:
        return bad(b"value is NULL")
    if <uint32_t>kind > 2:
        return bad(b"type is none of MAJOR_VERSION, MINOR_VERSION, PATCH_LEVEL")
    value[0] = dg_version_part[<int>kind]
    return CUDNN_STATUS_SUCCESS


cdef public cudnnStatus_t graph_version_check() noexcept nogil:
    """All parts are made together: their versions cannot differ."""
    return CUDNN_STATUS_SUCCESS


cdef public cudnnStatus_t ops_version_check() noexcept nogil:
    return CUDNN_STATUS_SUCCESS


cdef public cudnnStatus_t cnn_version_check() noexcept nogil:
    return CUDNN_STATUS_SUCCESS


cdef public cudnnStatus_t adv_version_check() noexcept nogil:
    return CUDNN_STATUS_SUCCESS


cdef public cudnnStatus_t ops_infer_version_check() noexcept nogil:
    return CUDNN_STATUS_SUCCESS


cdef public cudnnStatus_t ops_train_version_check() noexcept nogil:
    return CUDNN_STATUS_SUCCESS


cdef public cudnnStatus_t cnn_infer_version_check() noexcept nogil:
    return CUDNN_STATUS_SUCCESS


cdef public cudnnStatus_t cnn_train_version_check() noexcept nogil:
    return CUDNN_STATUS_SUCCESS


cdef public cudnnStatus_t adv_infer_version_check() noexcept nogil:
    return CUDNN_STATUS_SUCCESS


cdef public cudnnStatus_t adv_train_version_check() noexcept nogil:
    return CUDNN_STATUS_SUCCESS


# ---- errors

cdef public const char *get_error_string(cudnnStatus_t status) noexcept nogil:
    return name_of_status(status)


cdef public void get_last_error_string(char *message, size_t size) noexcept nogil:
    dnn_last_text(message, size)


cdef public cudnnStatus_t query_runtime_error(dnn_handle *h, cudnnStatus_t *rstatus, cudnnErrQueryMode_t mode,
        cudnnRuntimeTag_t *tag) noexcept nogil:
    """No kernel of MIOpen's reports by itself: there is never one. BLOCKING waits for the stream all the same."""
    if rstatus is NULL:
        return bad(b"rstatus is NULL")
    if <uint32_t>mode > <uint32_t>CUDNN_ERRQUERY_BLOCKING:
        return bad(b"mode is none of RAWCODE, NONBLOCKING, BLOCKING")
    if mode == <uint32_t>CUDNN_ERRQUERY_BLOCKING:
        dg_hip.hipStreamSynchronize(<hipStream_t>to_stream(h.stream))
    rstatus[0] = CUDNN_STATUS_SUCCESS
    return CUDNN_STATUS_SUCCESS


cdef public cudnnStatus_t set_callback(unsigned int mask, void *udata, cudnnCallback_t call) noexcept nogil:
    """Told of errors (CUDNN_SEV_ERROR_EN). Of warnings there are none, and calls are traced by DRAGOMAN_LOG."""
    dnn_set_callback(mask, udata, <void *>call)
    return CUDNN_STATUS_SUCCESS


cdef public cudnnStatus_t get_callback(unsigned int *mask, void **udata, cudnnCallback_t *call) noexcept nogil:
    dnn_get_callback(<uint32_t *>mask, udata, <void **>call)
    return CUDNN_STATUS_SUCCESS
