# Names and texts of the driver's errors. The names come from the tables, the texts are the runtime's.

cdef extern from "cudart/errors.h" nogil:
    const char *cudart_error_text(unsigned int error)


cdef inline CUresult error_name(CUresult error, const char **text) noexcept nogil:
    if text == NULL:
        return CUDA_ERROR_INVALID_VALUE
    text[0] = NULL
    if cudart_error_text(error) == NULL:
        return CUDA_ERROR_INVALID_VALUE
    text[0] = name_of_status(error)
    return CUDA_SUCCESS


cdef inline CUresult error_string(CUresult error, const char **text) noexcept nogil:
    if text == NULL:
        return CUDA_ERROR_INVALID_VALUE
    text[0] = cudart_error_text(error)
    return CUDA_SUCCESS if text[0] != NULL else CUDA_ERROR_INVALID_VALUE
