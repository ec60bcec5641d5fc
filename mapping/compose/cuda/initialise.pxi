# Initialisation, versions, errors, and functions by name.
include "common.pxi"
include "texts.pxi"
include "proc.pxi"

cdef extern from "dark.h" nogil:
    const void *dark_table_of(const unsigned char *uuid)


cdef inline CUresult initialise(unsigned int flags) noexcept nogil:
    """NO_DEVICE where HIP has none, as NVIDIA's driver says."""
    cdef int count = 0
    cdef CUresult status
    if flags != 0:
        return CUDA_ERROR_INVALID_VALUE
    status = of_hip(dg_hip.hipGetDeviceCount(&count))
    if status == CUDA_SUCCESS and count == 0:
        status = CUDA_ERROR_NO_DEVICE
    if status == CUDA_SUCCESS:
        cuda_init()
    return status


cdef inline CUresult version_number(int *version) noexcept nogil:
    if version == NULL:
        return CUDA_ERROR_INVALID_VALUE
    version[0] = dg_version
    return CUDA_SUCCESS


cdef inline CUresult proc_address(const char *symbol, void **function, int version, uint64_t flags) noexcept nogil:
    return proc_address_v2(symbol, function, version, flags, NULL)


cdef inline CUresult export_table(const void **table, const CUuuid *uuid) noexcept nogil:
    """A table of functions without a manual: tables/cuda/dark/tables.yaml says which are had."""
    if table == NULL or uuid == NULL:
        return CUDA_ERROR_INVALID_VALUE
    table[0] = dark_table_of(<const unsigned char *>uuid)
    return CUDA_SUCCESS if table[0] != NULL else CUDA_ERROR_INVALID_VALUE
