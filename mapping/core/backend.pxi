# The backend: each of AMD's libraries, opened once and never closed, and the tables of functions that our libraries
# get. Which backend it is, choice.pxi decides.
#
# `open_mutex` is held while the loader works. One thread may take it twice: a library being opened might call us.

cdef dg_mutex open_mutex
cdef int opening                            # the thread that holds open_mutex is in the loader
cdef int chosen                             # dg_backend_kind
cdef int[CORE_KINDS] kind_state             # as dg_backend.state, for the process
cdef void *kind_module[CORE_KINDS]
cdef uint32_t[CORE_KINDS] kind_version
cdef char[CORE_KINDS][DG_PATH] kind_file


cdef int any_open() noexcept nogil:
    cdef int i
    for i in range(CORE_KINDS):
        if dg_load(&kind_state[i]) == 1:
            return 1
    return 0


cdef void *load(const char *file, const char *says, int deep) noexcept nogil:
    """Opens a library for good, or says why not."""
    global begun, opening
    cdef char[DG_LINE] why
    cdef void *module
    begun = 1
    opening = 1
    module = dg_module_open(file, deep)
    opening = 0
    if module != NULL:
        dg_at_exit(core_process_ends)   # runs before whatever the library itself asked to be called at the end
    else:
        dg_module_error(file, why, sizeof(why))
        core_log(DG_LOG_ERROR, b"D014", b"cannot load %s, %s: %s. Repair or reinstall %s", says, file, why,
                 <const char *>b"it" if chosen > DG_BACKEND_ROCM
                 else <const char *>b"ROCm, or set DRAGOMAN_ROCM_PATH to another root")
    return module


cdef int hip_take(void *module, const char *file) noexcept nogil:
    """Makes `module` this process's HIP runtime; 0 where it is too old."""
    cdef uint32_t version
    hip_resolve(module)
    version = hip_version()
    if version and version < CORE_OLDEST_HIP:
        core_log(DG_LOG_ERROR, b"D015", b"%s is HIP %u.%u: ROCm 5.5 or later is needed", file,
                 core_major(version), core_minor(version))
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
    if kind != CORE_HIP and chosen != DG_BACKEND_ROCM and kind_state[CORE_HIP] == 0:
        if find_kind(&root, CORE_HIP, file):
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
            core_log(DG_LOG_ERROR, b"D013", b"%s does not belong to the HIP runtime in use, %s. Set "
                     b"DRAGOMAN_ROCM_PATH to a root that has both",
                     file, kind_file[CORE_HIP])
        else:
            core_log(DG_LOG_ERROR, b"D010", b"%s: no %s in %s. %s", core_kinds[kind].says, core_kinds[kind].files[0],
                     where, core_kinds[kind].have if chosen == DG_BACKEND_ROCM
                     else <const char *>b"The backend folder must hold it")
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
            core_log(DG_LOG_ERROR, b"D013", b"%s brought a HIP runtime of its own, %s, beside %s. Set "
                     b"DRAGOMAN_ROCM_PATH to a root that has both",
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
            written = snprintf(names + used, sizeof(names) - 256 - used, b"%s%s",
                               <const char *>b", " if used else <const char *>b"", entry.name)
            if 0 < written and used + written < sizeof(names) - 512:
                used += written
            else:
                names[used] = 0
        dg_store_pointer(entry.slot, symbol)
    if absent:
        core_log(DG_LOG_INFO, b"D016", b"%s lacks %d functions, which answer 'not implemented': %s", kind_file[kind],
                 absent, names)


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


cdef int used  # 1: a library other than the driver has opened its backend


cdef int runtime_used() noexcept nogil:
    return dg_load(&used)


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
        if strcmp(library.name, b"cuda") != 0:
            dg_store(&used, 1)
        # HIP's table too: whoever may call rocBLAS may ask HIP for the device and its memory.
        open_table(library, core_kinds[CORE_HIP].name)
        open_table(library, name)
    else:
        dg_store(&backend.state, -reason)
    dg_mutex_unlock(&open_mutex)
    if reason == DG_OK:
        gates_set()
    return reason
