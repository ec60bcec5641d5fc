# Handle slots: 65,536 of 256 bytes in one reserved range, which is never unmapped.
#
# A handle is the address of its slot. Whatever a program passes as one is judged without following it: an address in
# the range can be read, whatever it is, and holds the magic value only if it is a living slot. Behind the last slot
# one more page can be read, so that not even an address one byte before the end reads past it.
#
# A freed slot waits until a thousand others have been freed after it: a program that still uses its handle then finds
# a dead one, not somebody else's. Only then are slots taken up again, the oldest first.

cdef enum:
    SLOT = 256
    SLOTS = 65536
    WAITING = 1024      # freed slots that rest before the oldest is reused
    RETIRED = 1         # magic of a slot whose destroy has begun
    LINK = 1            # the slot's second word: the index + 1 of the one freed after it

cdef dg_mutex slot_mutex
cdef uintptr_t slot_base
cdef uint32_t slots_fresh       # slots never used yet begin here
cdef uint32_t slots_waiting
cdef uint32_t slot_oldest       # index + 1 of the first freed, 0: none
cdef uint32_t slot_youngest
cdef uint32_t slots_out_said


cdef int slots_reserve() noexcept nogil:
    global slot_base
    slot_base = <uintptr_t>dg_reserve(<size_t>SLOTS * SLOT)
    return slot_base != 0


cdef uint32_t *slot_words(const void *slot) noexcept nogil:
    """The slot's words, or NULL where the address is not that of a slot."""
    cdef uintptr_t offset = <uintptr_t>slot - slot_base
    if slot_base == 0 or offset >= <uintptr_t>SLOTS * SLOT or offset % SLOT:
        return NULL
    return <uint32_t *>slot


cdef void *slot_new(uint32_t magic) noexcept nogil:
    global slots_fresh, slots_waiting, slot_oldest, slot_youngest
    cdef uint32_t index = SLOTS
    cdef uint32_t *words = NULL
    if slot_base == 0 or magic <= RETIRED:
        return NULL
    dg_mutex_lock(&slot_mutex)
    if slot_oldest and (slots_waiting > WAITING or slots_fresh == SLOTS):
        index = slot_oldest - 1
        words = <uint32_t *>(slot_base + <uintptr_t>index * SLOT)
        slot_oldest = words[LINK]
        if slot_oldest == 0:
            slot_youngest = 0
        slots_waiting -= 1
    elif slots_fresh < SLOTS:
        index = slots_fresh
        words = <uint32_t *>(slot_base + <uintptr_t>index * SLOT)
        slots_fresh += 1
    dg_mutex_unlock(&slot_mutex)
    if words == NULL:
        if not dg_exchange_u32(&slots_out_said, 1):
            core_log(DG_LOG_ERROR, b"D018", b"%d handles are alive: no more can be created; does the program "
                     b"destroy them?", <int>SLOTS)
        return NULL
    memset(words, 0, SLOT)
    dg_store_u32(words, magic)
    return words


cdef int slot_retire(void *slot, uint32_t magic) noexcept nogil:
    cdef uint32_t *words = slot_words(slot)
    if words == NULL or magic <= RETIRED or not dg_swap_u32(words, magic, RETIRED):
        return DG_BAD_HANDLE
    return DG_OK


cdef void slot_free(void *slot) noexcept nogil:
    global slots_waiting, slot_oldest, slot_youngest
    cdef uint32_t *words = slot_words(slot)
    cdef uint32_t index
    if words == NULL:
        return
    dg_mutex_lock(&slot_mutex)
    # A second free of a slot finds its magic gone and does nothing.
    if dg_exchange_u32(words, 0):
        memset(words + 1, 0, SLOT - 4)
        index = <uint32_t>((<uintptr_t>words - slot_base) / SLOT)
        if slot_youngest:
            (<uint32_t *>(slot_base + <uintptr_t>(slot_youngest - 1) * SLOT))[LINK] = index + 1
        else:
            slot_oldest = index + 1
        slot_youngest = index + 1
        slots_waiting += 1
    dg_mutex_unlock(&slot_mutex)


cdef int slot_check(const void *slot, uint32_t magic) noexcept nogil:
    cdef uint32_t *words = slot_words(slot)
    if words == NULL or magic <= RETIRED or dg_load_u32(words) != magic:
        return DG_BAD_HANDLE
    if dg_load(&closing):
        return DG_CLOSING
    if dg_load(&forked):
        return DG_FORKED
    return DG_OK
