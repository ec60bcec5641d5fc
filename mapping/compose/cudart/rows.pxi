# Device memory for rows. Included by the memory blocks of the runtime and of the driver.

cdef enum:
    ROW = 512  # a row's bytes are a multiple of this with CUDA, as seen on its library; HIP's own step divides it


cdef inline size_t row_bytes(size_t width) noexcept nogil:
    """Bytes from row to row; below `width` where that does not fit."""
    return (width + (ROW - 1)) & ~<size_t>(ROW - 1)


cdef inline uint32_t pitched_alloc(void **pointer, size_t *pitch, size_t width, size_t height) noexcept nogil:
    """HIP's status."""
    cdef size_t bytes = row_bytes(width)
    return dg_hip.hipMallocPitch(pointer, pitch, bytes, height) if bytes >= width else <uint32_t>hipErrorOutOfMemory
