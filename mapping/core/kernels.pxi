# Does the rocBLAS found have kernels for the card? Where it has none, its first call ends the process; so a create
# asks first. Kernels are files with the architecture in their names, in one of two layouts:
#
#   <folder of rocBLAS>/rocblas/library/*gfx1100*        (or where ROCBLAS_TENSILE_LIBPATH leads; distributions that
#                                                        install releases side by side: rocblas/<version>/library)
#   <folder of rocBLAS>/../.kpack/blas_lib_gfx1100*.kpack

cdef enum:
    CARDS = 64

cdef int[CARDS] card_state      # 1: has kernels, 2: has none, 0: not looked at
cdef dg_mutex card_mutex


ctypedef struct wanted_gfx:
    const char *gfx
    const char *start       # what the name must begin with, or NULL


cdef int gfx_step(const char *name, void *context) noexcept nogil:
    cdef wanted_gfx *wanted = <wanted_gfx *>context
    cdef const char *place = name
    if wanted.start != NULL and not dg_starts(name, wanted.start):
        return 0
    while True:
        place = strstr(place, wanted.gfx)
        if place == NULL:
            return 0
        place += strlen(wanted.gfx)
        if not core_is_word(place[0]):     # gfx90 is not gfx90a
            return 1


cdef int folder_has(const char *folder, const char *gfx, const char *start) noexcept nogil:
    cdef wanted_gfx wanted
    wanted.gfx = gfx
    wanted.start = start
    return dg_folder(folder, gfx_step, &wanted) == 1


ctypedef struct wanted_release:
    const char *folder
    const char *gfx


cdef int release_step(const char *name, void *context) noexcept nogil:
    cdef wanted_release *wanted = <wanted_release *>context
    cdef char[DG_PATH] release
    cdef char[DG_PATH] path
    if not core_is_digit(name[0]) or dg_join(release, sizeof(release), wanted.folder, name) < 0:
        return 0
    return dg_join(path, sizeof(path), release, b"library") > 0 and folder_has(path, wanted.gfx, NULL)


cdef int kernels_for(const char *gfx, char *folder) noexcept nogil:
    """`folder` becomes the place where they are or should be."""
    cdef char[DG_PATH] own
    cdef char[DG_PATH] path
    cdef wanted_release release
    if setting(b"ROCBLAS_TENSILE_LIBPATH", folder):
        return folder_has(folder, gfx, NULL)
    if dg_real_path(kind_file[CORE_ROCBLAS], own, sizeof(own)) < 0 or not dg_cut_name(own):
        return 1    # nothing known: then not to be refused either
    if dg_join(path, sizeof(path), own, b"rocblas") > 0 and dg_join(folder, DG_PATH, path, b"library") > 0:
        release.folder = path
        release.gfx = gfx
        if folder_has(folder, gfx, NULL) or dg_folder(path, release_step, &release) == 1:
            return 1
    if dg_join(path, sizeof(path), own, b"library") > 0 and folder_has(path, gfx, NULL):
        return 1
    if dg_cut_name(own) and dg_join(path, sizeof(path), own, b".kpack") > 0 and folder_has(path, gfx, b"blas_lib_"):
        return 1
    return 0


cdef int other_card(int device, char *gfx, size_t size) noexcept nogil:
    """Another card that does have kernels: the usual case is a laptop whose integrated graphics are device 0."""
    cdef char[DG_PATH] folder
    cdef int count = 0
    cdef int i
    if hip.count == NULL or hip.count(&count) != 0:
        return -1
    for i in range(count):
        if i != device and hip_gfx(i, gfx, size) and kernels_for(gfx, folder):
            return i
    return -1


cdef void refuse_card(int device, const char *gfx, const char *folder) noexcept nogil:
    cdef char[128] name
    cdef char[64] other_gfx
    cdef char[128] other_name
    cdef int other
    memset(name, 0, sizeof(name))
    memset(other_name, 0, sizeof(other_name))
    if hip.name == NULL or hip.name(name, sizeof(name) - 1, device) != 0 or not name[0]:
        strcpy(name, b"a card without a name")
    other = other_card(device, other_gfx, sizeof(other_gfx))
    if other >= 0:
        if hip.name == NULL or hip.name(other_name, sizeof(other_name) - 1, other) != 0:
            other_name[0] = 0
        core_log(DG_LOG_ERROR, b"D012", b"rocBLAS has no kernels for device %d, %s (%s), in %s. Device %d, %s "
                 b"(%s), has: set HIP_VISIBLE_DEVICES=%d",
                 device, name, gfx, folder, other, other_name, other_gfx, other)
    else:
        core_log(DG_LOG_ERROR, b"D012", b"rocBLAS has no kernels for device %d, %s (%s), in %s. Install a ROCm "
                 b"that supports %s, or set DRAGOMAN_ROCM_PATH to one; DRAGOMAN_BACKEND=cpu computes without "
                 b"the GPU",
                 device, name, gfx, folder, gfx)


cdef int check_kernels(dg_library *library) noexcept nogil:
    cdef char[64] gfx
    cdef char[DG_PATH] folder
    cdef int device = 0
    cdef int state
    if dg_load(&chosen) != DG_BACKEND_ROCM or dg_load(&kind_state[CORE_ROCBLAS]) != 1:
        return DG_OK
    if dg_load(&closing):
        return DG_CLOSING
    if dg_load(&forked):
        return DG_FORKED
    if hip.current == NULL or hip.current(&device) != 0 or not 0 <= device < CARDS:
        return DG_OK
    state = dg_load(&card_state[device])
    if not state:
        dg_mutex_lock(&card_mutex)
        state = card_state[device]
        if not state:
            state = 1
            if hip_gfx(device, gfx, sizeof(gfx)) and not kernels_for(gfx, folder):
                state = 2
                refuse_card(device, gfx, folder)
            dg_store(&card_state[device], state)
        dg_mutex_unlock(&card_mutex)
    return DG_OK if state == 1 else DG_NO_KERNELS
