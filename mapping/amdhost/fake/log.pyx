# cython: language_level=3, cdivision=True, boundscheck=False, wraparound=False
"""The fake's memory of what was asked of it: one ordered list of events, read and forgotten by the test's own process.

Also where it keeps what a device knows: who is current, which stream and which block belongs to which device, which
streams are being captured."""
include "hip.pxi"
include "state.pxi"
include "mutex.pxi"
from libc.stdint cimport int16_t
include "fake.pxi"

from libc.stdlib cimport realloc

cdef extern from "fake.h" nogil:
    """
    static dg_mutex fake_lock;
    static fake_event *fake_events;
    static size_t fake_count, fake_room;
    static _Thread_local int fake_current;
    static _Thread_local uint32_t fake_thread;
    static uint32_t fake_threads;
    static struct { void *stream; int device; } fake_streams[FAKE_STREAMS];
    static int fake_stream_count;
    static struct { const void *base; int device; } fake_blocks[FAKE_BLOCKS];
    static int fake_block_count;
    static void *fake_capturing[FAKE_STREAMS];
    static int fake_capture_count;
    static _Thread_local int fake_mode; /* hipStreamCaptureMode of the thread; 2, relaxed, allows all */
    """
    dg_mutex fake_lock
    fake_event *fake_events
    size_t fake_count, fake_room
    int fake_current, fake_mode
    uint32_t fake_thread, fake_threads
    ctypedef struct fake_place:
        void *stream
        const void *base
        int device
    fake_place *fake_streams
    fake_place *fake_blocks
    int fake_stream_count, fake_block_count, fake_capture_count
    void **fake_capturing


# ---- devices, streams, blocks ----

cdef public int fake_device() noexcept nogil:
    return fake_current


cdef public int fake_choose(int device) noexcept nogil:
    """Makes a device the calling thread's current one; 0 where there is none of that number."""
    global fake_current
    if not 0 <= device < FAKE_DEVICES:
        return 0
    fake_current = device
    return 1


cdef public void fake_settle(void *stream, int device) noexcept nogil:
    """Remembers a stream's device, or forgets the stream (-1)."""
    global fake_stream_count
    cdef int i
    dg_mutex_lock(&fake_lock)
    for i in range(fake_stream_count):
        if fake_streams[i].stream == stream:
            break
    else:
        i = fake_stream_count
    if device < 0:
        if i < fake_stream_count:
            fake_stream_count -= 1
            fake_streams[i] = fake_streams[fake_stream_count]
    elif i < FAKE_STREAMS:
        fake_streams[i].stream = stream
        fake_streams[i].device = device
        if i == fake_stream_count:
            fake_stream_count += 1
    dg_mutex_unlock(&fake_lock)


cdef int home_of(void *stream) noexcept nogil:
    cdef int i
    for i in range(fake_stream_count):
        if fake_streams[i].stream == stream:
            return fake_streams[i].device
    return fake_current     # the default stream is the current device's


cdef public int fake_home(void *stream) noexcept nogil:
    cdef int device
    dg_mutex_lock(&fake_lock)
    device = home_of(stream)
    dg_mutex_unlock(&fake_lock)
    return device


cdef public void fake_block(void *base, int device) noexcept nogil:
    """Remembers a block's device, or forgets the block (-1)."""
    global fake_block_count
    cdef int i
    if base == NULL:
        return
    dg_mutex_lock(&fake_lock)
    for i in range(fake_block_count):
        if fake_blocks[i].base == base:
            fake_block_count -= 1
            fake_blocks[i] = fake_blocks[fake_block_count]
            break
    if device >= 0 and fake_block_count < FAKE_BLOCKS:
        fake_blocks[fake_block_count].base = base
        fake_blocks[fake_block_count].device = device
        fake_block_count += 1
    dg_mutex_unlock(&fake_lock)


cdef public int fake_block_home(const void *base) noexcept nogil:
    cdef int i
    cdef int device = 0
    dg_mutex_lock(&fake_lock)
    for i in range(fake_block_count):
        if fake_blocks[i].base == base:
            device = fake_blocks[i].device
    dg_mutex_unlock(&fake_lock)
    return device


# ---- capture ----

cdef int captured(void *stream) noexcept nogil:
    cdef int i
    if stream == FAKE_ALL:
        return fake_capture_count if fake_mode != 2 else 0
    for i in range(fake_capture_count):
        if fake_capturing[i] == stream:
            return 1
    return 0


cdef public int fake_captured(void *stream) noexcept nogil:
    """Whether a stream is being captured; FAKE_ALL: whether any is, and this thread has not allowed itself all."""
    cdef int found
    dg_mutex_lock(&fake_lock)
    found = captured(stream)
    dg_mutex_unlock(&fake_lock)
    return found


cdef public int fakehip_capture(void *stream, int on) noexcept nogil:
    """Begins or ends the capture of a stream; answers how many are captured now."""
    global fake_capture_count
    cdef int i, now
    dg_mutex_lock(&fake_lock)
    for i in range(fake_capture_count):
        if fake_capturing[i] == stream:
            fake_capture_count -= 1
            fake_capturing[i] = fake_capturing[fake_capture_count]
            break
    if on and fake_capture_count < FAKE_STREAMS:
        fake_capturing[fake_capture_count] = stream
        fake_capture_count += 1
    now = fake_capture_count
    dg_mutex_unlock(&fake_lock)
    return now


cdef public hipError_t hipThreadExchangeStreamCaptureMode(int *mode) noexcept nogil:
    global fake_mode
    cdef int before = fake_mode
    if mode == NULL or not 0 <= mode[0] <= 2:
        return host_fail(hipErrorInvalidValue)
    fake_mode = mode[0]
    mode[0] = before
    return hipSuccess


# ---- the list ----

cdef public void fake_log(int kind, void *stream, const void *subject, uint64_t size, const char *name) noexcept nogil:
    global fake_events, fake_count, fake_room, fake_thread, fake_threads
    cdef fake_event *grown
    cdef fake_event *event
    dg_mutex_lock(&fake_lock)
    if fake_thread == 0:
        fake_threads += 1
        fake_thread = fake_threads
    if fake_count == fake_room:
        grown = <fake_event *>realloc(fake_events, (2 * fake_room + 1024) * sizeof(fake_event))
        if grown == NULL:
            dg_mutex_unlock(&fake_lock)
            return
        fake_events = grown
        fake_room = 2 * fake_room + 1024
    event = &fake_events[fake_count]
    fake_count += 1
    event.kind = <uint16_t>kind
    event.device = <int16_t>fake_current
    event.capturing = <int16_t>captured(stream)
    event.home = <int16_t>(-1 if stream == FAKE_ALL else home_of(stream))
    event.thread = fake_thread
    event.spare = 0
    event.stream = stream
    event.subject = subject
    event.size = size
    event.name = name
    dg_mutex_unlock(&fake_lock)


cdef public void fakehip_note(
    int kind, void *stream, const void *subject, uint64_t size, const char *name
) noexcept nogil:
    """An event that somebody else saw: the watch in front of rocBLAS."""
    fake_log(kind, stream, subject, size, name)


cdef public const fake_event *fakehip_events(size_t *count) noexcept nogil:
    """All events since the last fakehip_forget. Valid until the next HIP call."""
    count[0] = fake_count
    return fake_events


cdef public void fakehip_forget() noexcept nogil:
    global fake_count
    dg_mutex_lock(&fake_lock)
    fake_count = 0
    dg_mutex_unlock(&fake_lock)
