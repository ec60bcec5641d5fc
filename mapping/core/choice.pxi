# Which backend: chosen once, for all libraries of the process. Called with open_mutex held.

cdef enum:
    RETRY = 2           # the choice failed for want of a CUDA runtime of ours, which may still turn up

cdef enum:
    HIP_ABSENT
    HIP_BROKEN          # there, but of no use; one line said why
    HIP_IDLE            # answers that there is no device
    HIP_READY

cdef int choice_failed
cdef int hip_state      # HIP_ABSENT where it has not been looked for
cdef int hip_error
cdef int foreign_hip    # a HIP runtime was in the process before we opened one


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
            core_log(DG_LOG_ERROR, b"D010", b"%s: no %s in DRAGOMAN_ROCM_PATH=%s, nor in lib or lib64 there. "
                     b"Set it to the absolute path of a ROCm root, or leave it unset",
                     core_kinds[CORE_HIP].says, core_kinds[CORE_HIP].files[0], text)
            hip_state = HIP_BROKEN
        return hip_state
    if module == NULL or not hip_take(module, file):
        hip_state = HIP_BROKEN
        return hip_state
    if loaded_hip[0]:
        root_choose_for(core_major(kind_version[CORE_HIP]))
    hip_state = HIP_READY if hip_devices(&hip_error) else HIP_IDLE
    dg_at_exit(core_process_ends)   # hipInit may have asked to be called at the end: ours must run before that
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
                if not dg_is_planted(path):
                    return 1
    return 0


cdef int choose_cpu() noexcept nogil:
    cdef char[DG_PATH] path
    root.count = 0
    if not cpu_folder(path):
        core_log(DG_LOG_ERROR, b"D008", b"the CPU backend is not there: no folder cpu beside %s. Install "
                 b"dragoman's libraries again", home)
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
        core_log(DG_LOG_ERROR, b"D010", b"no HIP runtime (%s) found. %s", core_kinds[CORE_HIP].files[0],
                 core_kinds[CORE_HIP].have)
    elif state == HIP_IDLE:
        core_log(DG_LOG_ERROR, b"D009", b"%s finds no device (error %d). %s", kind_file[CORE_HIP], hip_error,
                 CORE_NO_DEVICE)
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
        core_log(DG_LOG_ERROR, b"D010", b"an AMD GPU is here, but no HIP runtime (%s). %s; DRAGOMAN_BACKEND=cpu "
                 b"computes without the GPU",
                 core_kinds[CORE_HIP].files[0], core_kinds[CORE_HIP].have)
        return DG_BACKEND_NONE
    process_look(&view)
    if view.foreign_driver or foreign_hip:
        core_log(DG_LOG_ERROR, b"D006", b"no AMD GPU answers, and another %s is in this process: its memory is "
                 b"not ours to read. DRAGOMAN_BACKEND=cpu computes on the CPU where it is plain memory",
                 <const char *>b"CUDA driver" if view.foreign_driver else <const char *>b"HIP runtime")
        return DG_BACKEND_NONE
    if not view.owned and not dg_load(&runtime_owned):
        choice_failed = RETRY
        core_log(DG_LOG_ERROR, b"D006", b"no AMD GPU answers, and the program's CUDA runtime is not dragoman's, "
                 b"so its memory may be a GPU's. DRAGOMAN_BACKEND=cpu computes on the CPU where it is plain memory")
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
        core_log(DG_LOG_ERROR, b"D007", b"DRAGOMAN_BACKEND=%s is no backend: use auto, rocm, cpu or the "
                 b"absolute path of a folder that exists", wish)
    if kind == DG_BACKEND_NONE:
        return DG_NO_BACKEND
    choice_failed = 0
    dg_store(&chosen, kind)
    return DG_OK


cdef int backend_kind() noexcept nogil:
    return dg_load(&chosen)
