# The backend: which one, chosen once for all libraries of the process; then each of AMD's libraries, opened once and
# never closed; then a library's table of functions.
#
# `open_mutex` is held while the loader works. One thread may take it twice: a library being opened might call us.

cdef enum:
    MAX_MODULES = 32
    RETRY = 2           # the choice failed for want of a CUDA runtime of ours, which may still turn up

cdef enum:
    HIP_ABSENT
    HIP_BROKEN          # there, but of no use; one line said why
    HIP_IDLE            # answers that there is no device
    HIP_READY

cdef dg_mutex open_mutex
cdef int opening                            # the thread that holds open_mutex is in the loader
cdef int chosen                             # dg_backend_kind
cdef int choice_failed
cdef int[CORE_KINDS] kind_state             # as dg_backend.state, for the process
cdef void *kind_module[CORE_KINDS]
cdef uint32_t[CORE_KINDS] kind_version
cdef char[CORE_KINDS][DG_PATH] kind_file
cdef int hip_state                          # HIP_ABSENT where it has not been looked for
cdef int hip_error
cdef int foreign_hip                        # a HIP runtime was in the process before we opened one


cdef int any_open() noexcept nogil:
    cdef int i
    for i in range(CORE_KINDS):
        if dg_load(&kind_state[i]) == 1:
            return 1
    return 0


# ---- what else is in the process ----

ctypedef struct process_view:
    dg_library *ours[MAX_MODULES]
    int count
    int owned               # a CUDA runtime of ours
    int foreign_driver      # a CUDA driver that is not ours
    int hips
    int other_rocm          # a part of ROCm from outside the root
    char[DG_PATH] hip


cdef int in_our_folder(const char *file) noexcept nogil:
    """Is this file beside the core, or in a folder there, or a link to such a file?"""
    cdef char[DG_PATH] folder
    if dg_real_path(file, folder, sizeof(folder)) < 0 or not dg_cut_name(folder):
        return 0
    if dg_same_name(folder, real_home):
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


# ---- AMD's libraries ----

cdef void *load(const char *file, const char *says, int deep) noexcept nogil:
    """Opens a library for good, or says why not."""
    global begun, opening
    cdef char[DG_LINE] why
    cdef void *module
    begun = 1
    opening = 1
    module = dg_module_open(file, deep)
    opening = 0
    if module == NULL:
        dg_module_error(file, why, sizeof(why))
        core_log(DG_LOG_ERROR, b"D014", b"cannot load %s, %s: %s. Repair or reinstall %s", says, file, why,
                 <const char *>b"it" if chosen > DG_BACKEND_ROCM else <const char *>b"ROCm, or set DRAGOMAN_ROCM_PATH to another root")
    return module


cdef int hip_take(void *module, const char *file) noexcept nogil:
    """Makes `module` this process's HIP runtime; 0 where it is too old."""
    cdef uint32_t version
    hip_resolve(module)
    version = hip_version()
    if version and version < CORE_OLDEST_HIP:
        core_log(DG_LOG_ERROR, b"D015", b"%s is HIP %u.%u: ROCm 5.5 or later is needed", file, core_major(version), core_minor(version))
        kind_state[CORE_HIP] = -DG_NO_BACKEND
        return 0
    kind_module[CORE_HIP] = module
    kind_version[CORE_HIP] = version
    strcpy(kind_file[CORE_HIP], file)
    dg_store(&kind_state[CORE_HIP], 1)
    core_log(DG_LOG_INFO, b"D017", b"hip %u.%u from %s", core_major(version), core_minor(version), file)
    return 1


ctypedef int (*version_string)(char *text, size_t size) noexcept nogil
ctypedef int (*version_numbers)(size_t *major, size_t *minor, size_t *patch) noexcept nogil


cdef uint32_t version_of(int kind, void *module) noexcept nogil:
    """A library's own answer, or 0 where it has no call for it that needs no handle."""
    cdef char[512] text
    cdef size_t[3] number
    cdef version_string string = NULL
    cdef version_numbers numbers = NULL
    memset(text, 0, sizeof(text))
    if kind == CORE_ROCBLAS:
        string = <version_string>dg_module_symbol(module, b"rocblas_get_version_string")
    elif kind == CORE_ROCSOLVER:
        string = <version_string>dg_module_symbol(module, b"rocsolver_get_version_string")
    elif kind == CORE_MIOPEN:
        numbers = <version_numbers>dg_module_symbol(module, b"miopenGetVersion")
    if string != NULL and string(text, sizeof(text) - 1) == 0:
        return core_version_of(text)
    if numbers != NULL and numbers(&number[0], &number[1], &number[2]) == 0:
        return <uint32_t>(number[0] * 1000000 + number[1] * 1000 + number[2])
    return 0


cdef int open_kind(int kind) noexcept nogil:
    """Opens one of AMD's libraries, once; dg_reason. Called with open_mutex held."""
    cdef char[DG_PATH] file
    cdef char[DG_LINE] where
    cdef process_view view
    cdef int hips, found
    cdef void *module
    cdef int reason = choose()
    if reason != DG_OK:
        return reason
    if kind_state[kind] == 1:
        return DG_OK
    if kind_state[kind] < 0:
        return -kind_state[kind]
    # Before it, the HIP runtime that it needs: the loader then takes this one for it.
    if kind != CORE_HIP and chosen != DG_BACKEND_ROCM and kind_state[CORE_HIP] == 0 and find_kind(&root, CORE_HIP, file):
        open_kind(CORE_HIP)
    if kind == CORE_ROCBLAS and chosen == DG_BACKEND_ROCM:
        found = find_blas(&root, core_major(kind_version[CORE_HIP]), file)
    else:
        found = find_kind(&root, kind, file)
    if not found:
        kind_state[kind] = -DG_NO_BACKEND
        root_text(&root, where, sizeof(where))
        if kind == CORE_ROCBLAS and find_file(&root, CORE_TOO_OLD, file):
            core_log(DG_LOG_ERROR, b"D015", b"%s is older than ROCm 5.5, which is needed", file)
        elif kind == CORE_ROCBLAS and find_kind(&root, kind, file):
            core_log(DG_LOG_ERROR, b"D013", b"%s does not belong to the HIP runtime in use, %s. Set DRAGOMAN_ROCM_PATH to a root that has both",
                     file, kind_file[CORE_HIP])
        else:
            core_log(DG_LOG_ERROR, b"D010", b"%s: no %s in %s. %s", core_kinds[kind].says, core_kinds[kind].files[0], where,
                     core_kinds[kind].have if chosen == DG_BACKEND_ROCM else <const char *>b"The backend folder must hold it")
        return DG_NO_BACKEND
    process_look(&view)
    hips = view.hips
    module = load(file, core_kinds[kind].says, chosen == DG_BACKEND_ROCM and view.other_rocm)
    if module == NULL:
        kind_state[kind] = -DG_NO_BACKEND
        return DG_NO_BACKEND
    if kind == CORE_HIP:
        return DG_OK if hip_take(module, file) else DG_NO_BACKEND
    if chosen == DG_BACKEND_ROCM:
        process_look(&view)
        if hips and view.hips > hips:
            core_log(DG_LOG_ERROR, b"D013", b"%s brought a HIP runtime of its own, %s, beside %s. Set DRAGOMAN_ROCM_PATH to a root that has both",
                     file, view.hip, kind_file[CORE_HIP])
            kind_state[kind] = -DG_NO_BACKEND
            return DG_NO_BACKEND
    kind_version[kind] = version_of(kind, module)
    if kind == CORE_ROCBLAS and 0 < kind_version[kind] < CORE_OLDEST_ROCBLAS:
        core_log(DG_LOG_ERROR, b"D015", b"%s is rocBLAS %u.%u, older than ROCm 5.5, which is needed", file,
                 core_major(kind_version[kind]), core_minor(kind_version[kind]))
        kind_state[kind] = -DG_NO_BACKEND
        return DG_NO_BACKEND
    kind_module[kind] = module
    strcpy(kind_file[kind], file)
    dg_store(&kind_state[kind], 1)
    core_log(DG_LOG_INFO, b"D017", b"%s %u.%u.%u from %s", core_kinds[kind].name, core_major(kind_version[kind]),
             core_minor(kind_version[kind]), core_patch(kind_version[kind]), file)
    return DG_OK


# ---- the choice ----

cdef int hip_look() noexcept nogil:
    """Looks for a HIP runtime with a device, and chooses the root with it; HIP_*."""
    global hip_state, hip_error, foreign_hip
    cdef char[DG_PATH] file
    cdef char[DG_PATH] text
    cdef process_view view
    cdef void *module
    if hip_state != HIP_ABSENT:
        return hip_state
    process_look(&view)
    foreign_hip = view.hips
    strcpy(loaded_hip, view.hip)
    if view.hips and loaded_hip[0]:
        module = dg_module_loaded(loaded_hip)
        strcpy(file, loaded_hip)
    elif root_choose(file):
        module = load(file, core_kinds[CORE_HIP].says, 0)
    else:
        if setting(b"DRAGOMAN_ROCM_PATH", text):
            core_log(DG_LOG_ERROR, b"D010", b"%s: no %s in DRAGOMAN_ROCM_PATH=%s, nor in lib or lib64 there. Set it to the absolute path of a ROCm root, or leave it unset",
                     core_kinds[CORE_HIP].says, core_kinds[CORE_HIP].files[0], text)
            hip_state = HIP_BROKEN
        return hip_state
    if module == NULL or not hip_take(module, file):
        hip_state = HIP_BROKEN
        return hip_state
    if loaded_hip[0]:
        root_choose_for(core_major(kind_version[CORE_HIP]))
    hip_state = HIP_READY if hip_devices(&hip_error) else HIP_IDLE
    dg_at_exit(core_process_ends)
    return hip_state


cdef int cpu_folder(char *path) noexcept nogil:
    """../cpu beside the folder of our libraries."""
    cdef char[DG_PATH] up
    cdef const char *homes[2]
    cdef int i
    homes[0] = home
    homes[1] = real_home
    for i in range(2):
        if homes[i][0] and strlen(homes[i]) < DG_PATH:
            strcpy(up, homes[i])
            if dg_cut_name(up) and dg_join(path, DG_PATH, up, b"cpu") > 0 and dg_is_folder(path):
                return 1
    return 0


cdef int choose_cpu() noexcept nogil:
    cdef char[DG_PATH] path
    root.count = 0
    if not cpu_folder(path):
        core_log(DG_LOG_ERROR, b"D008", b"the CPU backend is not there: no folder cpu beside %s. Install dragoman's libraries again", home)
        return DG_BACKEND_NONE
    hip_forget()
    root_add(&root, path)
    return DG_BACKEND_CPU


cdef void hip_forget() noexcept nogil:
    """The HIP runtime that found no device is left alone from here on; the backend brings its own."""
    memset(&hip, 0, sizeof(hip))
    kind_module[CORE_HIP] = NULL
    kind_version[CORE_HIP] = 0
    dg_store(&kind_state[CORE_HIP], 0)


cdef int choose_folder(const char *path) noexcept nogil:
    cdef char[DG_PATH] below
    root.count = 0
    root_add(&root, path)
    if dg_join(below, sizeof(below), path, core_below[0]) > 0:
        root_add(&root, below)
    return DG_BACKEND_DIR


cdef int choose_rocm() noexcept nogil:
    cdef int state = hip_look()
    if state == HIP_READY:
        return DG_BACKEND_ROCM
    if state == HIP_ABSENT:
        core_log(DG_LOG_ERROR, b"D010", b"no HIP runtime (%s) found. %s", core_kinds[CORE_HIP].files[0], core_kinds[CORE_HIP].have)
    elif state == HIP_IDLE:
        core_log(DG_LOG_ERROR, b"D009", b"%s finds no device (error %d). %s", kind_file[CORE_HIP], hip_error, CORE_NO_DEVICE)
    return DG_BACKEND_NONE


cdef int choose_auto() noexcept nogil:
    """rocm where a device answers. cpu only where the memory can but be the host's: a CUDA runtime of ours made it,
    and neither a CUDA driver nor a HIP runtime of somebody else is here."""
    global choice_failed
    cdef process_view view
    cdef int state = hip_look()
    cdef int kind
    if state == HIP_READY:
        return DG_BACKEND_ROCM
    if state == HIP_BROKEN:
        return DG_BACKEND_NONE
    if state == HIP_ABSENT and not DG_WINDOWS and core_has_gpu():
        core_log(DG_LOG_ERROR, b"D010", b"an AMD GPU is here, but no HIP runtime (%s). %s; DRAGOMAN_BACKEND=cpu computes without the GPU",
                 core_kinds[CORE_HIP].files[0], core_kinds[CORE_HIP].have)
        return DG_BACKEND_NONE
    process_look(&view)
    if view.foreign_driver or foreign_hip:
        core_log(DG_LOG_ERROR, b"D006", b"no AMD GPU answers, and another %s is in this process: its memory is not ours to read. DRAGOMAN_BACKEND=cpu computes on the CPU where it is plain memory",
                 <const char *>b"CUDA driver" if view.foreign_driver else <const char *>b"HIP runtime")
        return DG_BACKEND_NONE
    if not view.owned and not dg_load(&runtime_owned):
        choice_failed = RETRY
        core_log(DG_LOG_ERROR, b"D006", b"no AMD GPU answers, and the program's CUDA runtime is not dragoman's, so its memory may be a GPU's. DRAGOMAN_BACKEND=cpu computes on the CPU where it is plain memory")
        return DG_BACKEND_NONE
    kind = choose_cpu()
    if kind == DG_BACKEND_CPU:
        core_log(DG_LOG_ERROR, b"D005", b"no AMD GPU answers: computing on the CPU")
    return kind


cdef int choose() noexcept nogil:
    """Chooses the backend, once; dg_reason. Called with open_mutex held."""
    global choice_failed
    cdef char[DG_PATH] wish
    cdef int kind
    if chosen:
        return DG_OK
    if choice_failed and not (choice_failed == RETRY and dg_load(&runtime_owned)):
        return DG_NO_BACKEND
    choice_failed = 1
    if not setting(b"DRAGOMAN_BACKEND", wish) or dg_same_word(wish, b"auto"):
        kind = choose_auto()
    elif dg_same_word(wish, b"rocm"):
        kind = choose_rocm()
    elif dg_same_word(wish, b"cpu"):
        kind = choose_cpu()
    elif dg_is_absolute(wish) and dg_is_folder(wish):
        kind = choose_folder(wish)
    else:
        kind = DG_BACKEND_NONE
        core_log(DG_LOG_ERROR, b"D007", b"DRAGOMAN_BACKEND=%s is no backend: use auto, rocm, cpu or the absolute path of a folder that exists", wish)
    if kind == DG_BACKEND_NONE:
        return DG_NO_BACKEND
    choice_failed = 0
    dg_store(&chosen, kind)
    return DG_OK


cdef int backend_kind() noexcept nogil:
    return dg_load(&chosen)


cdef int kind_of(const char *name) noexcept nogil:
    cdef int i
    for i in range(CORE_KINDS):
        if strcmp(core_kinds[i].name, name) == 0:
            return i
    return -1


cdef uint32_t backend_version(const char *backend) noexcept nogil:
    cdef int kind = kind_of(backend)
    return kind_version[kind] if kind >= 0 and dg_load(&kind_state[kind]) == 1 else 0


# ---- a library's table ----

cdef void fill(dg_backend *backend, int kind) noexcept nogil:
    """Resolves each function that the library calls, before the library is told that it may."""
    cdef char[DG_LINE] names
    cdef const dg_import *entry
    cdef void *symbol
    cdef int absent = 0
    cdef int outdated
    cdef size_t used = 0
    cdef size_t i
    cdef int written
    cdef uint32_t version = kind_version[kind]
    names[0] = 0
    for i in range(backend.count):
        entry = &backend.imports[i]
        symbol = dg_module_symbol(kind_module[kind], entry.name)
        if entry.older_below:
            outdated = version != 0 and version < entry.older_below
        else:
            outdated = symbol == NULL
        if outdated and entry.older != NULL:
            symbol = entry.older
        elif symbol == NULL:
            symbol = entry.missing
            absent += 1
            written = snprintf(names + used, sizeof(names) - 256 - used, b"%s%s", <const char *>b", " if used else <const char *>b"", entry.name)
            if 0 < written and used + written < sizeof(names) - 512:
                used += written
            else:
                names[used] = 0
        dg_store_pointer(entry.slot, symbol)
    if absent:
        core_log(DG_LOG_INFO, b"D016", b"%s lacks %d functions, which answer 'not implemented': %s", kind_file[kind], absent, names)


cdef dg_backend *backend_of(dg_library *library, const char *name) noexcept nogil:
    cdef size_t i
    for i in range(library.backend_count):
        if strcmp(library.backends[i].library, name) == 0:
            return &library.backends[i]
    return NULL


cdef void open_table(dg_library *library, const char *name) noexcept nogil:
    """Fills the library's table for a backend that is open; called with open_mutex held."""
    cdef dg_backend *backend = backend_of(library, name)
    cdef int kind = kind_of(name)
    if backend != NULL and backend.state != 1 and kind_state[kind] == 1:
        fill(backend, kind)
        dg_store(&backend.state, 1)
        dg_at_exit(core_process_ends)


cdef int core_open(dg_library *library, const char *name) noexcept nogil:
    cdef dg_backend *backend = backend_of(library, name)
    cdef int kind = kind_of(name)
    cdef int reason
    if dg_load(&closing):
        return DG_CLOSING
    if dg_load(&forked):
        return DG_FORKED
    if backend == NULL or kind < 0:
        return DG_NO_BACKEND
    if dg_load(&backend.state) == 1:
        return DG_OK
    dg_mutex_lock(&open_mutex)
    if opening:
        # A library that is just being opened calls us from its constructor: it cannot have what it is part of.
        dg_mutex_unlock(&open_mutex)
        return DG_NO_BACKEND
    reason = open_kind(kind)
    if reason == DG_OK:
        # HIP's table too: whoever may call rocBLAS may ask HIP for the device and its memory.
        open_table(library, core_kinds[CORE_HIP].name)
        open_table(library, name)
    else:
        dg_store(&backend.state, -reason)
    dg_mutex_unlock(&open_mutex)
    if reason == DG_OK:
        gates_set()
    return reason
