# The libraries of this process, and their gates.
#
# A gate is open (it spans the slots) while a generated function may take its short way: the library's first backend
# is open, nothing is traced, the process is neither ending nor a forked child. Everything else is the long way's.
#
# `list_mutex` is held for a few instructions only and never across a call of the loader: a library that is being
# unloaded asks for it under the loader's lock.

cdef dg_mutex list_mutex
cdef dg_library *libraries
cdef int runtime_owned      # our own cudart or libcuda has made memory in this process
cdef int closing            # the process is ending
cdef int begun              # a backend's library has been opened, or tried
cdef int forked             # this is a child of a process that had begun


cdef void gate_set(dg_library *library) noexcept nogil:
    cdef int ready = 0
    cdef size_t i
    if not closing and not forked and not tracing():
        if library.backend_count:
            ready = dg_load(&library.backends[0].state) == 1
        else:
            ready = any_open()
    if library.gate == NULL:
        return
    dg_store_word(&library.gate.base, slot_base)
    dg_store_word(&library.gate.span, <uintptr_t>SLOTS * SLOT if ready else 0)


cdef void gates_set_locked() noexcept nogil:
    cdef dg_library *library = libraries
    while library != NULL:
        gate_set(library)
        library = library.next


cdef void gates_set() noexcept nogil:
    dg_mutex_lock(&list_mutex)
    gates_set_locked()
    dg_mutex_unlock(&list_mutex)


cdef int attach(dg_library *library) noexcept nogil:
    global libraries
    cdef dg_library *other
    if library == NULL or library.abi != DG_ABI:
        return DG_NO_BACKEND
    if slot_base == 0:
        return DG_NO_MEMORY
    dg_mutex_lock(&list_mutex)
    other = libraries
    while other != NULL and other != library:
        other = other.next
    if other == NULL:
        library.next = libraries
        libraries = library
        gate_set(library)
    dg_mutex_unlock(&list_mutex)
    return DG_OK


cdef void detach(dg_library *library) noexcept nogil:
    cdef dg_library **place
    if dg_load(&closing):
        return
    dg_mutex_lock(&list_mutex)
    place = &libraries
    while place[0] != NULL and place[0] != library:
        place = &place[0].next
    if place[0] != NULL:
        place[0] = library.next
    dg_mutex_unlock(&list_mutex)


cdef void own_runtime(dg_library *library) noexcept nogil:
    dg_store(&runtime_owned, 1)


cdef public void core_process_ends() noexcept nogil:
    """Closes the gates before any of AMD's libraries takes itself apart. Another thread may hold the lock, and on
    Windows may have died with it: then the list is walked all the same, it hardly ever changes."""
    cdef int tries = 0
    cdef int locked = 0
    dg_store(&closing, 1)
    while not locked and tries < 1000:
        locked = dg_mutex_trylock(&list_mutex)
        tries += 1
        if not locked:
            dg_yield()
    gates_set_locked()
    if locked:
        dg_mutex_unlock(&list_mutex)


cdef void process_forked() noexcept nogil:
    """In the child, which has one thread: a lock that another one held at that moment will never be given back."""
    global forked
    mutexes_init()
    if begun:
        forked = 1
    gates_set_locked()
