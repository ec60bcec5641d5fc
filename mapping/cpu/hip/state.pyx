# cython: language_level=3, cdivision=True, boundscheck=False, wraparound=False
"""State of the CPU backend's HIP runtime: known memory, handles, the calling thread's last error.

Memory is plain aligned memory of the C library, so that valgrind and AddressSanitizer watch "device" memory too.
A sorted table knows each block: it tells a double free from a free, and a device pointer from a foreign one, without
touching what the pointer points at. Handles are slots in chunks that are never given back, for the same reason.
"""
include "hip.pxi"
include "mutex.pxi"

from libc.stdlib cimport free, realloc, malloc

cdef extern from "host.h" nogil:
    """
    /* Zero is ready: module-level values of Cython would be lost with its initialiser. */
    static dg_mutex host_state_lock;
    static host_block *host_blocks; /* sorted by base, none overlaps another */
    static size_t host_block_count, host_block_room;
    static size_t host_bytes, host_limit;
    static _Thread_local hipError_t host_error;

    enum { HOST_CHUNKS = 24, HOST_FIRST = 128 };
    static host_slot host_first_chunk[HOST_FIRST];
    static host_slot *host_chunks[HOST_CHUNKS] = {host_first_chunk};
    static int host_chunk_count = 1;
    static size_t host_chunk_used; /* slots taken from the newest chunk */
    static host_slot *host_free_first, *host_free_last;
    static uint64_t host_numbers; /* given to slots so far */
    static host_slot host_pool_zero = {.kind = HOST_POOL, .reuse = {0, 1, 1, 1}};
    static host_slot *host_pool_now = &host_pool_zero;
    """
    void *host_aligned(size_t bytes, size_t alignment)
    void host_aligned_free(void *memory)
    dg_mutex host_state_lock
    host_block *host_blocks
    size_t host_block_count, host_block_room, host_bytes, host_limit
    hipError_t host_error
    enum:
        HOST_CHUNKS, HOST_FIRST
    host_slot **host_chunks
    int host_chunk_count
    size_t host_chunk_used
    uint64_t host_numbers
    host_slot *host_free_first
    host_slot *host_free_last
    host_slot host_pool_zero
    host_slot *host_pool_now


# ---- the last error ----

cdef public hipError_t host_fail(hipError_t error) noexcept nogil:
    global host_error
    if error != hipSuccess:
        host_error = error
    return error


cdef public hipError_t hipGetLastError() noexcept nogil:
    global host_error
    cdef hipError_t last = host_error
    host_error = hipSuccess
    return last


cdef public hipError_t hipExtGetLastError() noexcept nogil:
    return hipGetLastError()


cdef public hipError_t hipPeekAtLastError() noexcept nogil:
    return host_error


# ---- memory ----

cdef size_t above(uintptr_t address) noexcept nogil:
    """How many blocks begin at or below the address. Called under the lock."""
    cdef size_t low = 0, high = host_block_count, middle
    while low < high:
        middle = (low + high) >> 1
        if host_blocks[middle].base <= address:
            low = middle + 1
        else:
            high = middle
    return low


cdef bint insert(uintptr_t base, size_t size, int kind, unsigned flags, host_slot *pool) noexcept nogil:
    """Adds a block. Called under the lock; 0 when there is no memory for the table."""
    global host_blocks, host_block_count, host_block_room
    cdef size_t at = above(base), room
    cdef host_block *grown
    if host_block_count == host_block_room:
        room = 64 if host_block_room == 0 else 2 * host_block_room
        grown = <host_block *>realloc(host_blocks, room * sizeof(host_block))
        if grown == NULL:
            return False
        host_blocks = grown
        host_block_room = room
    memmove(host_blocks + at + 1, host_blocks + at, (host_block_count - at) * sizeof(host_block))
    memset(host_blocks + at, 0, sizeof(host_block))
    host_blocks[at].base = base
    host_blocks[at].size = size
    host_blocks[at].kind = kind
    host_blocks[at].flags = flags
    host_blocks[at].pool = pool
    host_block_count += 1
    return True


cdef void remove(size_t at) noexcept nogil:
    """Forgets a block. The table goes with its last one, so that a program that frees all leaves nothing behind."""
    global host_blocks, host_block_count, host_block_room
    host_block_count -= 1
    memmove(host_blocks + at, host_blocks + at + 1, (host_block_count - at) * sizeof(host_block))
    if host_block_count == 0:
        free(host_blocks)
        host_blocks = NULL
        host_block_room = 0


cdef public hipError_t host_take(
    void **pointer, size_t size, int kind, unsigned flags, host_slot *pool
) noexcept nogil:
    """New memory, 256-byte aligned. The limit makes a request that the machine cannot serve fail here and now: the
    system would hand out the addresses and end the process when they are written."""
    global host_bytes, host_limit
    cdef void *memory
    cdef size_t padded
    cdef bint known
    if pointer == NULL:
        return hipErrorInvalidValue
    pointer[0] = NULL
    if size == 0:
        return hipSuccess
    dg_mutex_lock(&host_state_lock)
    if host_limit == 0:
        host_limit = host_memory_total()
    if size > host_limit or host_bytes > host_limit - size:
        dg_mutex_unlock(&host_state_lock)
        return hipErrorOutOfMemory
    host_bytes += size
    dg_mutex_unlock(&host_state_lock)
    padded = (size + 255) & ~<size_t>255
    memory = host_aligned(padded, 256)
    dg_mutex_lock(&host_state_lock)
    known = memory != NULL and insert(<uintptr_t>memory, size, kind, flags, pool)
    if not known:
        host_bytes -= size
    elif pool != NULL:
        pool.used += size
        if <int64_t>pool.used > pool.time:
            pool.time = <int64_t>pool.used
    dg_mutex_unlock(&host_state_lock)
    if not known:
        if memory != NULL:
            host_aligned_free(memory)
        return hipErrorOutOfMemory
    pointer[0] = memory
    return hipSuccess


cdef public hipError_t host_give(void *pointer, int kind, int other_kind) noexcept nogil:
    """Frees a block of one of two kinds by its first address; whatever else is an invalid value."""
    global host_bytes
    cdef size_t at
    cdef host_block *block
    cdef bint found = False
    if pointer == NULL:
        return hipSuccess
    dg_mutex_lock(&host_state_lock)
    at = above(<uintptr_t>pointer)
    if at:
        block = host_blocks + at - 1
        found = block.base == <uintptr_t>pointer and (block.kind == kind or block.kind == other_kind)
        if found:
            host_bytes -= block.size
            # a pool that was freed meanwhile is no pool any more, or another by now
            if block.pool != NULL and block.pool.kind == HOST_POOL and block.pool.used >= block.size:
                block.pool.used -= block.size
            remove(at - 1)
    dg_mutex_unlock(&host_state_lock)
    if not found:
        return hipErrorInvalidValue
    host_aligned_free(pointer)
    return hipSuccess


cdef public hipError_t host_register(void *pointer, size_t size, unsigned flags) noexcept nogil:
    cdef uintptr_t base = <uintptr_t>pointer
    cdef size_t at
    cdef hipError_t error = hipSuccess
    if pointer == NULL or size == 0 or base + size < base:
        return hipErrorInvalidValue
    dg_mutex_lock(&host_state_lock)
    at = above(base + size - 1)
    if at and host_blocks[at - 1].base + host_blocks[at - 1].size > base:
        # memory that the runtime made is none to register
        error = (hipErrorInvalidValue if host_blocks[at - 1].kind != HOST_REGISTERED
                 else hipErrorHostMemoryAlreadyRegistered)
    elif not insert(base, size, HOST_REGISTERED, flags, NULL):
        error = hipErrorOutOfMemory
    dg_mutex_unlock(&host_state_lock)
    return error


cdef public hipError_t host_unregister(void *pointer) noexcept nogil:
    cdef size_t at
    cdef hipError_t error = hipErrorHostMemoryNotRegistered
    if pointer == NULL:
        return hipErrorInvalidValue
    dg_mutex_lock(&host_state_lock)
    at = above(<uintptr_t>pointer)
    if at and host_blocks[at - 1].base == <uintptr_t>pointer and host_blocks[at - 1].kind == HOST_REGISTERED:
        remove(at - 1)
        error = hipSuccess
    dg_mutex_unlock(&host_state_lock)
    return error


cdef public int host_find(const void *pointer, host_block *found) noexcept nogil:
    cdef size_t at
    cdef host_block *block
    cdef int known = 0
    dg_mutex_lock(&host_state_lock)
    at = above(<uintptr_t>pointer)
    if at:
        block = host_blocks + at - 1
        if <uintptr_t>pointer - block.base < block.size:
            found[0] = block[0]
            known = 1
    dg_mutex_unlock(&host_state_lock)
    return known


cdef void advised(host_block *block, int advice, int device) noexcept nogil:
    cdef unsigned char place = <unsigned char>(device + 2)
    cdef unsigned char side = 1 if device >= 0 else 2
    if advice == 0:
        block.prefetched = place
    elif advice <= 2:
        block.read_mostly = advice == 1
    elif advice <= 4:
        block.preferred = place if advice == 3 else 0
    elif advice == 5:
        block.accessed |= side
    else:
        block.accessed &= ~side


cdef public int host_advise(const void *pointer, int advice, int device) noexcept nogil:
    cdef size_t at
    cdef host_block *block
    cdef int known = 0
    dg_mutex_lock(&host_state_lock)
    at = above(<uintptr_t>pointer)
    if at:
        block = host_blocks + at - 1
        known = <uintptr_t>pointer - block.base < block.size and block.kind == HOST_MANAGED
        if known:
            advised(block, advice, device)
    dg_mutex_unlock(&host_state_lock)
    return known


cdef public size_t host_used() noexcept nogil:
    cdef size_t used
    dg_mutex_lock(&host_state_lock)
    used = host_bytes
    dg_mutex_unlock(&host_state_lock)
    return used


cdef public void host_pool_use(host_slot *pool, uint64_t *used, uint64_t *most, int reset) noexcept nogil:
    dg_mutex_lock(&host_state_lock)
    if reset:
        pool.time = <int64_t>pool.used
    used[0] = pool.used
    most[0] = <uint64_t>pool.time
    dg_mutex_unlock(&host_state_lock)


cdef public void host_reset() noexcept nogil:
    """Frees what hipDeviceReset frees: all memory that was made here. Registered memory is the program's own."""
    global host_bytes, host_block_count
    cdef size_t i, kept = 0
    dg_mutex_lock(&host_state_lock)
    for i in range(host_block_count):
        if host_blocks[i].kind == HOST_REGISTERED:
            host_blocks[kept] = host_blocks[i]
            kept += 1
        else:
            host_bytes -= host_blocks[i].size
            if host_blocks[i].pool != NULL and host_blocks[i].pool.kind == HOST_POOL:
                host_blocks[i].pool.used = 0
            host_aligned_free(<void *>host_blocks[i].base)
    host_block_count = kept
    dg_mutex_unlock(&host_state_lock)


# ---- handles ----

cdef size_t room_of(int chunk) noexcept nogil:
    return <size_t>HOST_FIRST << chunk


cdef public host_slot *host_slot_new(uint32_t kind, void *object) noexcept nogil:
    """A slot of zeros beside the object and a number of its own; freed ones come back oldest first, so that a
    stale handle stays stale for long."""
    global host_free_first, host_free_last, host_chunk_count, host_chunk_used, host_numbers
    cdef host_slot *slot = NULL
    dg_mutex_lock(&host_state_lock)
    if host_chunk_used == room_of(host_chunk_count - 1) and host_free_first == NULL and host_chunk_count < HOST_CHUNKS:
        slot = <host_slot *>malloc(room_of(host_chunk_count) * sizeof(host_slot))
        if slot != NULL:
            memset(slot, 0, room_of(host_chunk_count) * sizeof(host_slot))
            host_chunks[host_chunk_count] = slot
            host_chunk_count += 1
            host_chunk_used = 0
            slot = NULL
    if host_chunk_used < room_of(host_chunk_count - 1):
        slot = host_chunks[host_chunk_count - 1] + host_chunk_used
        host_chunk_used += 1
    elif host_free_first != NULL:
        slot = host_free_first
        host_free_first = slot.next
        if host_free_first == NULL:
            host_free_last = NULL
    if slot != NULL:
        memset(slot, 0, sizeof(host_slot))
        slot.kind = kind
        slot.object = object
        if kind != HOST_POOL:
            host_numbers += 1
            slot.number = host_numbers
    dg_mutex_unlock(&host_state_lock)
    return slot


cdef public void host_slot_free(host_slot *slot) noexcept nogil:
    global host_free_first, host_free_last, host_pool_now
    dg_mutex_lock(&host_state_lock)
    slot.kind = 0
    slot.next = NULL
    if host_free_last == NULL:
        host_free_first = slot
    else:
        host_free_last.next = slot
    host_free_last = slot
    if host_pool_now == slot:
        host_pool_now = &host_pool_zero
    dg_mutex_unlock(&host_state_lock)


cdef public host_slot *host_slot_of(const void *handle, uint32_t kind) noexcept nogil:
    cdef host_slot *slot = NULL
    cdef uintptr_t offset
    cdef int chunk
    if handle == <const void *>&host_pool_zero:
        return &host_pool_zero if kind == HOST_POOL else NULL
    dg_mutex_lock(&host_state_lock)
    for chunk in range(host_chunk_count):
        offset = <uintptr_t>handle - <uintptr_t>host_chunks[chunk]
        if offset < room_of(chunk) * sizeof(host_slot) and offset % sizeof(host_slot) == 0:
            slot = host_chunks[chunk] + offset / sizeof(host_slot)
            if slot.kind != kind:
                slot = NULL
            break
    dg_mutex_unlock(&host_state_lock)
    return slot


cdef public int host_is_stream(const void *stream) noexcept nogil:
    return <uintptr_t>stream <= 2 or host_slot_of(stream, HOST_STREAM) != NULL


cdef public host_slot *host_default_pool() noexcept nogil:
    return &host_pool_zero


cdef public host_slot *host_current_pool(host_slot *choose) noexcept nogil:
    global host_pool_now
    cdef host_slot *now
    dg_mutex_lock(&host_state_lock)
    if choose != NULL:
        host_pool_now = choose
    now = host_pool_now
    dg_mutex_unlock(&host_state_lock)
    return now
