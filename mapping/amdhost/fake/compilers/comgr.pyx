# cython: language_level=3, cdivision=True, boundscheck=False, wraparound=False
"""AMD's code object manager in name alone: every action leaves one result of each kind, the same few bytes.

Its handles are structs of one 64-bit number, which are passed as that number."""
include "compilers.pxi"

ctypedef uint64_t handle

cdef enum:
    INVALID = 2     # AMD_COMGR_STATUS_ERROR_INVALID_ARGUMENT
    LOG = 5         # AMD_COMGR_DATA_KIND_LOG
    MADE = 1


cdef int make(handle *out) noexcept nogil:
    if out == NULL:
        return INVALID
    out[0] = MADE
    return 0


cdef public void amd_comgr_get_version(size_t *major, size_t *minor) noexcept nogil:
    major[0], minor[0] = 3, 0


cdef public int amd_comgr_status_string(int status, const char **text) noexcept nogil:
    text[0] = fake_text
    return 0


cdef public int amd_comgr_create_data(int kind, handle *data) noexcept nogil:
    return make(data)


cdef public int amd_comgr_release_data(handle data) noexcept nogil:
    return 0


cdef public int amd_comgr_set_data(handle data, size_t size, const char *bytes) noexcept nogil:
    return 0


cdef public int amd_comgr_set_data_name(handle data, const char *name) noexcept nogil:
    return 0


cdef public int amd_comgr_get_data(handle data, size_t *size, char *bytes) noexcept nogil:
    """With no place for bytes it answers how many there are."""
    if size == NULL:
        return INVALID
    size[0] = CODE_SIZE
    return give_code(bytes)


cdef public int amd_comgr_create_data_set(handle *found) noexcept nogil:
    return make(found)


cdef public int amd_comgr_destroy_data_set(handle found) noexcept nogil:
    return 0


cdef public int amd_comgr_data_set_add(handle found, handle data) noexcept nogil:
    return 0


cdef public int amd_comgr_create_action_info(handle *info) noexcept nogil:
    return make(info)


cdef public int amd_comgr_destroy_action_info(handle info) noexcept nogil:
    return 0


cdef public int amd_comgr_action_info_set_isa_name(handle info, const char *name) noexcept nogil:
    return 0


cdef public int amd_comgr_action_info_set_language(handle info, int language) noexcept nogil:
    return 0


cdef public int amd_comgr_action_info_set_option_list(
    handle info, const char **options, size_t count
) noexcept nogil:
    return 0


cdef public int amd_comgr_action_info_set_logging(handle info, int logging) noexcept nogil:
    return 0


cdef public int amd_comgr_do_action(int kind, handle info, handle given, handle result) noexcept nogil:
    return 0


cdef public int amd_comgr_action_data_count(handle found, int kind, size_t *count) noexcept nogil:
    if count == NULL:
        return INVALID
    count[0] = 0 if kind == LOG else 1
    return 0


cdef public int amd_comgr_action_data_get_data(handle found, int kind, size_t index, handle *data) noexcept nogil:
    return make(data)
