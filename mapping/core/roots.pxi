# Where AMD's libraries are. A root is one installation: a few folders, and everything is taken from them.
#
# The order: DRAGOMAN_ROCM_PATH alone, where it is set; else the folder of a HIP runtime that the process has loaded,
# our own folder, ROCM_PATH, HIP_PATH, the usual place, the newest of the numbered ones, AMD's wheels beside or above
# us, the system's library folders. Every path is absolute; the current folder is never looked at.

cdef enum:
    FOLDERS = 12
    LEVELS = 8      # how far above us AMD's wheels are looked for

ctypedef struct core_root:
    int count
    char[FOLDERS][DG_PATH] folders

ctypedef struct found_name:
    const char *pattern
    char[DG_PATH] best

cdef enum:
    STEP_LOADED
    STEP_BESIDE
    STEP_ROCM_PATH
    STEP_HIP_PATH
    STEP_USUAL
    STEP_NEWEST
    STEP_WHEELS
    STEP_SYSTEM     # and those after it, one for each folder

cdef core_root root         # the chosen one
cdef core_root tried        # the one being looked at
cdef char[DG_PATH] loaded_hip   # file of a HIP runtime that was in the process before us


cdef void root_add(core_root *where, const char *folder) noexcept nogil:
    cdef int i
    if where.count >= FOLDERS or not dg_is_absolute(folder) or not dg_is_folder(folder):
        return
    for i in range(where.count):
        if dg_same_name(where.folders[i], folder):
            return
    if strlen(folder) < DG_PATH:
        strcpy(where.folders[where.count], folder)
        where.count += 1


cdef void root_add_all(core_root *where, const char *top) noexcept nogil:
    """A ROCm root, or the very folder of its libraries."""
    cdef char[DG_PATH] path
    cdef const char *const *below = core_below
    if not top[0]:
        return
    while below[0] != NULL:
        if dg_join(path, sizeof(path), top, below[0]) > 0:
            root_add(where, path)
        below += 1
    root_add(where, top)


cdef int newest_step(const char *name, void *context) noexcept nogil:
    cdef found_name *found = <found_name *>context
    if not core_fits(name, found.pattern) or strlen(name) >= DG_PATH:
        return 0
    if not found.best[0] or core_newer(name, found.best):
        strcpy(found.best, name)
    return 0


cdef int newest_in(const char *folder, const char *pattern, char *path) noexcept nogil:
    """The name in `folder` that fits the pattern and carries the highest number, as a path; 0 if there is none."""
    cdef found_name found
    found.pattern = pattern
    found.best[0] = 0
    dg_folder(folder, newest_step, &found)
    return found.best[0] != 0 and dg_join(path, DG_PATH, folder, found.best) > 0


ctypedef struct wheels_seen:
    core_root *where
    const char *top


cdef int wheel_step(const char *name, void *context) noexcept nogil:
    cdef wheels_seen *seen = <wheels_seen *>context
    cdef char[DG_PATH] package
    cdef char[DG_PATH] path
    if not dg_starts(name, b"_rocm_sdk_libraries"):
        return 0
    if dg_join(package, sizeof(package), seen.top, name) > 0 and not dg_is_planted(package):
        if dg_join(path, sizeof(path), package, CORE_WHEEL_BELOW) > 0:
            root_add(seen.where, path)
    return 0


cdef int root_add_wheels(core_root *where, const char *site) noexcept nogil:
    """AMD's wheels in a site-packages folder: the runtime is in one package, the libraries in others."""
    cdef char[DG_PATH] package
    cdef char[DG_PATH] path
    cdef wheels_seen seen
    if dg_join(package, sizeof(package), site, b"_rocm_sdk_core") < 0:
        return 0
    if not dg_is_folder(package) or dg_is_planted(package):
        return 0
    if dg_join(path, sizeof(path), package, CORE_WHEEL_BELOW) > 0:
        root_add(where, path)
    seen.where = where
    seen.top = site
    dg_folder(site, wheel_step, &seen)
    return 1


cdef void root_around(core_root *where, const char *folder) noexcept nogil:
    """AMD's wheels in `folder` or one of those above it. That may be /tmp: what others put there is passed over."""
    cdef char[DG_PATH] above
    cdef int i
    if not folder[0]:
        return
    strcpy(above, folder)
    for i in range(LEVELS):
        if root_add_wheels(where, above) or not dg_cut_name(above) or not above[1]:
            return


cdef int find_file(core_root *where, const char *name, char *path) noexcept nogil:
    """A file of this name (`*` allowed) in one of the root's folders."""
    cdef int i
    for i in range(where.count):
        if strchr(name, c'*') != NULL:
            if newest_in(where.folders[i], name, path):
                return 1
        elif dg_join(path, DG_PATH, where.folders[i], name) > 0 and dg_is_file(path):
            return 1
    path[0] = 0
    return 0


cdef int find_kind(core_root *where, int kind, char *path) noexcept nogil:
    """The most preferred file of a library in a root."""
    cdef int i
    for i in range(6):
        if core_kinds[kind].files[i] == NULL:
            break
        if find_file(where, core_kinds[kind].files[i], path):
            return 1
    return 0


cdef int find_hip(core_root *where, char *path) noexcept nogil:
    """The HIP runtime of a root: the one whose rocBLAS is there too, else the newest."""
    cdef char[DG_PATH] blas
    cdef int i
    for i in range(CORE_PAIRS):
        if find_file(where, core_pairs[i].rocblas, blas) and find_file(where, core_pairs[i].hip, path):
            return 1
    return find_kind(where, CORE_HIP, path)


cdef int find_blas(core_root *where, unsigned hip_major, char *path) noexcept nogil:
    """The rocBLAS of a root that belongs to this HIP runtime."""
    cdef int i
    if DG_WINDOWS or hip_major == 0:
        return find_kind(where, CORE_ROCBLAS, path)
    for i in range(CORE_PAIRS):
        if core_pairs[i].hip_major == hip_major and find_file(where, core_pairs[i].rocblas, path):
            return 1
    return find_file(where, b"librocblas.so", path)


cdef int root_step(core_root *where, int step) noexcept nogil:
    """Fills `where` with the step-th place to look; 0 when there are no more."""
    cdef char[DG_PATH] path
    cdef char[DG_PATH] value
    where.count = 0
    if setting(b"DRAGOMAN_ROCM_PATH", value):
        if step == 0:
            root_add_all(where, value)
            if where.count and not root_has_hip(where):
                root_add_wheels(where, value)
        return step == 0
    if step == STEP_LOADED:
        if loaded_hip[0]:
            strcpy(path, loaded_hip)
            if dg_cut_name(path):
                root_add(where, path)
                root_around(where, path)
    elif step == STEP_BESIDE:
        root_add(where, home)
    elif step == STEP_ROCM_PATH:
        setting(b"ROCM_PATH", value)
        root_add_all(where, value)
    elif step == STEP_HIP_PATH:
        setting(b"HIP_PATH", value)
        root_add_all(where, value)
    elif step == STEP_USUAL:
        if not DG_WINDOWS:
            root_add_all(where, b"/opt/rocm")
    elif step == STEP_NEWEST:
        if not DG_WINDOWS:
            if newest_in(b"/opt", b"rocm-*", path):
                root_add_all(where, path)
        elif setting(b"ProgramFiles", value) and dg_join(path, sizeof(path), value, b"AMD\\ROCm") > 0:
            if newest_in(path, b"*", value):
                root_add_all(where, value)
    elif step == STEP_WHEELS:
        root_around(where, home)
        root_around(where, real_home)
    elif DG_WINDOWS:
        if step == STEP_SYSTEM and setting(b"SystemRoot", value):
            if dg_join(path, sizeof(path), value, b"System32") > 0:
                root_add(where, path)
        return step == STEP_SYSTEM
    elif core_system[step - STEP_SYSTEM] == NULL:
        return 0
    else:
        root_add(where, core_system[step - STEP_SYSTEM])
    return 1


cdef int root_has_hip(core_root *where) noexcept nogil:
    cdef char[DG_PATH] path
    return find_kind(where, CORE_HIP, path)


cdef int root_choose(char *hip) noexcept nogil:
    """Chooses the root: the first with both the HIP runtime and rocBLAS, else the first with HIP. `hip`: its file."""
    cdef char[DG_PATH] path
    cdef char[DG_PATH] blas
    cdef int step = 0
    hip[0] = 0
    root.count = 0
    while root_step(&tried, step):
        step += 1
        if not find_hip(&tried, path):
            continue
        if not hip[0] or find_kind(&tried, CORE_ROCBLAS, blas):
            strcpy(hip, path)
            memcpy(&root, &tried, sizeof(core_root))
            if find_kind(&tried, CORE_ROCBLAS, blas):
                return 1
    if DG_WINDOWS and hip[0]:
        # The driver brings the HIP runtime, and some roots leave it out.
        memcpy(&tried, &root, sizeof(core_root))
        root_choose_for(0)
        if not find_kind(&root, CORE_ROCBLAS, blas):
            memcpy(&root, &tried, sizeof(core_root))
    return hip[0] != 0


cdef void root_choose_for(unsigned hip_major) noexcept nogil:
    """Chooses the root that fits a HIP runtime which is there already: first with its rocBLAS; else HIP's own."""
    cdef char[DG_PATH] path
    cdef int step = 0
    while root_step(&root, step):
        step += 1
        if find_blas(&root, hip_major, path):
            return
    root_step(&root, 0)


cdef void root_text(core_root *where, char *text, size_t size) noexcept nogil:
    """The folders of a root for a line of the log."""
    cdef size_t used = 0
    cdef int written, i
    snprintf(text, size, b"%s", <const char *>b"no folder")
    for i in range(where.count):
        written = snprintf(text + used, size - used, b"%s%s",
                           <const char *>b", " if i else <const char *>b"", where.folders[i])
        if written < 0 or <size_t>written >= size - used:
            return
        used += written
