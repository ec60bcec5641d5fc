# cython: language_level=3, cdivision=True, boundscheck=False, wraparound=False
"""hipRTC in name alone: a program is none, and compiles to the same few bytes whatever is in it."""
include "compilers.pxi"

cdef enum:
    INVALID = 3     # HIPRTC_ERROR_INVALID_INPUT
    MAJOR = 9


cdef public int hiprtcVersion(int *major, int *minor) noexcept nogil:
    if major == NULL or minor == NULL:
        return INVALID
    major[0], minor[0] = MAJOR, 0
    return 0


cdef public const char *hiprtcGetErrorString(int result) noexcept nogil:
    return fake_text


cdef public int hiprtcCreateProgram(
    void **program, const char *source, const char *name, int count, const char **headers, const char **names
) noexcept nogil:
    if program == NULL or source == NULL:
        return INVALID
    program[0] = <void *>fake_code
    return 0


cdef public int hiprtcDestroyProgram(void **program) noexcept nogil:
    return 0


cdef public int hiprtcCompileProgram(void *program, int count, const char **options) noexcept nogil:
    return 0


cdef public int hiprtcGetCodeSize(void *program, size_t *size) noexcept nogil:
    if size == NULL:
        return INVALID
    size[0] = CODE_SIZE
    return 0


cdef public int hiprtcGetCode(void *program, char *code) noexcept nogil:
    return give_code(code)


cdef public int hiprtcGetProgramLogSize(void *program, size_t *size) noexcept nogil:
    if size == NULL:
        return INVALID
    size[0] = 1
    return 0


cdef public int hiprtcGetProgramLog(void *program, char *text) noexcept nogil:
    if text == NULL:
        return INVALID
    text[0] = 0
    return 0
