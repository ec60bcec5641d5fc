# What the crew (threads, scratch memory), handle.pyx and tensor.pyx offer to the other units. Include after miopen.pxi.
cdef extern from "miopen.h" nogil:
    void mi_parallel(int64_t count, int64_t grain, mi_job job, void *context)
    int mi_threads()
    void *mi_scratch(size_t bytes)
    void mi_scratch_done(void *memory)
    void *mi_new(uint32_t kind, size_t bytes)
    bint mi_find(mi_handle *handle, uint64_t digest)
    bint mi_remember(mi_handle *handle, uint64_t digest)
    int mi_type_size(int type)
    int64_t mi_elements(const mi_tensor *tensor)
    int64_t mi_space(const mi_tensor *tensor)
    bint mi_same_lens(const mi_tensor *a, const mi_tensor *b)
    bint mi_is_packed(const mi_tensor *tensor)
    miopenStatus_t mi_set_tensor(mi_tensor *tensor, int type, int dims, const int64_t *lens, const int64_t *strides)


cdef inline bint is_default_layout(const mi_tensor *tensor) noexcept nogil:
    """NCHW and the like: strides that never grow."""
    cdef int i
    for i in range(1, tensor.dims):
        if tensor.strides[i - 1] < tensor.strides[i]:
            return False
    return True


cdef inline bint is_one_by_one(const mi_problem *p) noexcept nogil:
    """Nothing to unroll."""
    cdef int i
    for i in range(3):
        if p.w_lens[i] != 1 or p.strides[i] != 1 or p.pads[i] != 0:
            return False
    return True


cdef inline bint is_number(int type) noexcept nogil:
    return (
        type == miopenFloat or type == miopenHalf or type == miopenBFloat16 or type == miopenDouble
        or type == miopenInt32 or type == miopenInt8
    )
