# What else is in the process: a CUDA runtime of ours, a CUDA driver or a HIP runtime of somebody else.

cdef enum:
    MAX_MODULES = 32


ctypedef struct process_view:
    dg_library *ours[MAX_MODULES]
    int count
    int owned               # a CUDA runtime of ours
    int foreign_driver      # a CUDA driver that is not ours
    int hips
    int other_rocm          # a part of ROCm from outside the root
    char[DG_PATH] hip


cdef int in_our_folder(const char *file) noexcept nogil:
    """Is this file beside a core, or in a folder there, or a link to such a file? Another CUDA major's folder has a
    core of its own."""
    cdef char[DG_PATH] folder
    cdef char[DG_PATH] core
    if dg_real_path(file, folder, sizeof(folder)) < 0 or not dg_cut_name(folder):
        return 0
    if dg_same_name(folder, real_home):
        return 1
    if dg_join(core, sizeof(core), folder, DG_CORE_FILE) > 0 and dg_is_file(core):
        return 1
    return dg_cut_name(folder) and dg_same_name(folder, real_home)


cdef int in_root(const char *file) noexcept nogil:
    cdef char[DG_PATH] folder
    cdef int i
    if strlen(file) >= DG_PATH:
        return 0
    strcpy(folder, file)
    if not dg_cut_name(folder):
        return 0
    for i in range(root.count):
        if dg_same_name(folder, root.folders[i]):
            return 1
    return 0


cdef int view_step(const char *file, uintptr_t start, uintptr_t end, void *context) noexcept nogil:
    cdef process_view *view = <process_view *>context
    cdef const char *name = dg_base_name(file)
    cdef int ours = 0
    cdef int i
    if not core_is_runtime(name) and not core_is_rocm(name):
        return 0
    for i in range(view.count):
        if start <= <uintptr_t>view.ours[i] < end:
            ours = 1
    if core_is_runtime(name):
        if ours or in_our_folder(file):
            view.owned = 1
        elif core_is_driver(name):
            view.foreign_driver = 1
    if core_is_hip(name):
        view.hips += 1
        if strlen(file) < DG_PATH and dg_is_absolute(file):
            strcpy(view.hip, file)
    if core_is_rocm(name) and not in_root(file):
        view.other_rocm = 1
    return 0


cdef void process_look(process_view *view) noexcept nogil:
    cdef dg_library *library
    memset(view, 0, sizeof(process_view))
    dg_mutex_lock(&list_mutex)
    library = libraries
    while library != NULL and view.count < MAX_MODULES:
        view.ours[view.count] = library
        view.count += 1
        library = library.next
    dg_mutex_unlock(&list_mutex)
    dg_modules(view_step, view)
