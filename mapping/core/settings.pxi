# What the user can set: DRAGOMAN_* in the environment; on Windows, where programs are started by a click, also
# dragoman.ini beside the core. A program that runs with more rights than its user's listens to neither.

cdef char[DG_PATH] home             # the folder of the core, as the program found it
cdef char[DG_PATH] real_home        # and where links lead
cdef char[16384] ini                # dragoman.ini's text
cdef int settings_trusted


cdef void settings_start() noexcept nogil:
    global settings_trusted
    cdef char[DG_PATH] path
    settings_trusted = not dg_elevated()
    if dg_module_file_of(<const void *>&libraries, home, sizeof(home)) > 0:
        if dg_real_path(home, real_home, sizeof(real_home)) > 0:
            dg_cut_name(real_home)
        dg_cut_name(home)
    if DG_WINDOWS and home[0] and dg_join(path, sizeof(path), home, b"dragoman.ini") > 0:
        dg_read_file(path, ini, sizeof(ini))


cdef int setting(const char *name, char *value) noexcept nogil:
    """The value of DRAGOMAN_BACKEND and the like into `value` (DG_PATH bytes); its length, 0 where it is not set."""
    cdef int length
    value[0] = 0
    if not settings_trusted:
        return 0
    length = dg_env(name, value, DG_PATH)
    if length <= 0 and ini[0]:
        length = core_ini(ini, name, value, DG_PATH)
    return length if length > 0 else 0


cdef int setting_for(const char *name, char *value, size_t size) noexcept nogil:
    """The same for a library, into `size` bytes."""
    cdef char[DG_PATH] text
    cdef int length = setting(name, text)
    value[0] = 0
    if length <= 0 or <size_t>length >= size:
        return 0
    memcpy(value, text, <size_t>length + 1)
    return length
