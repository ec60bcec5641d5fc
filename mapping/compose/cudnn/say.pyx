"""Why a call is refused: the text of each thread's last error, a line in the log, and the program's callback.

All of it lies in memory that the main library and its parts have in common: an error in libcudnn_ops is told by
cudnnGetLastErrorString of libcudnn_graph.
"""

include "generated.pxi"
include "cudnn_abi.pxi"
include "cudnn_translate.pxi"
include "slots.pxi"
include "words.pxi"

from libc.stdio cimport snprintf
from libc.string cimport strlen, strncpy

from libc.stdint cimport uint64_t

cdef extern from "support.h" nogil:
    uint64_t dnn_thread()

cdef enum:
    THREADS = 256
    REASON = 160
    TEXT = 400

ctypedef struct thread_text:
    uint64_t thread
    uint32_t used       # higher: later; 0: free
    char[REASON] reason # of the call that is failing
    char[TEXT] text     # of the last that failed

ctypedef void (*message_callback)(uint32_t severity, void *udata, const void *debug, const char *message) noexcept nogil

ctypedef struct common:
    uint32_t now
    uint32_t mask
    void *udata
    void *call
    thread_text[THREADS] threads

# cudnnDebug_t of every version: 120 bytes
ctypedef struct debug_record:
    uint32_t version
    uint32_t status
    uint32_t seconds
    uint32_t microseconds
    uint32_t since_last
    uint32_t unused
    void *handle
    void *stream
    uint64_t process
    uint64_t thread
    int device
    int[15] reserved

cdef extern from "version.h" nogil:
    const int dg_version


cdef common *commons() noexcept nogil:
    if dg_start() != DG_OK:
        return NULL
    return <common *>dg_the_core.shared(b"cudnn.say", sizeof(common))


cdef thread_text *own(common *c) noexcept nogil:
    """The calling thread's place; a thread that has none gets that of the one that erred longest ago.
    Under the lock."""
    cdef uint64_t thread = dnn_thread()
    cdef int i
    cdef int oldest = 0
    for i in range(THREADS):
        if c.threads[i].used and c.threads[i].thread == thread:
            return &c.threads[i]
        if c.threads[i].used < c.threads[oldest].used:
            oldest = i
    memset(&c.threads[oldest], 0, sizeof(thread_text))
    c.threads[oldest].thread = thread
    c.now += 1
    c.threads[oldest].used = c.now
    return &c.threads[oldest]


cdef public uint32_t dnn_because(uint32_t status, const char *why) noexcept nogil:
    cdef common *c = commons()
    if c is NULL:
        return status
    dg_the_core.lock()
    strncpy(own(c).reason, why, REASON - 1)
    dg_the_core.unlock()
    return status


cdef public uint32_t dnn_failed(uint32_t status, const char *what, uint32_t answer) noexcept nogil:
    cdef char[REASON] line
    snprintf(line, sizeof(line), b"%s answered %u", what, answer)
    return dnn_because(status, line)


cdef public uint32_t dnn_say(const char *function, uint32_t status) noexcept nogil:
    """The end of a call that failed: its reason becomes the thread's last error."""
    cdef common *c = commons()
    cdef thread_text *place
    cdef char[TEXT] text
    cdef char[REASON] reason
    cdef debug_record debug
    if c is NULL:
        return status
    dg_the_core.lock()
    place = own(c)
    memcpy(reason, place.reason, REASON)
    place.reason[0] = 0
    snprintf(text, sizeof(text), b"%s; %s: %s", name_of_status(status), function,
             <const char *>reason if reason[0] else <const char *>b"no reason is known")
    memcpy(place.text, text, TEXT)
    c.now += 1
    place.used = c.now
    dg_the_core.unlock()
    if dg_the_core.log_level() >= DG_LOG_INFO:
        dg_the_core.log(DG_LOG_INFO, b"D041", b"%s is refused: %s", function,
                        <const char *>reason if reason[0] else <const char *>text)
    if c.call is not NULL and c.mask & 2:  # CUDNN_SEV_ERROR_EN
        memset(&debug, 0, sizeof(debug))
        debug.version = <uint32_t>dg_version
        debug.status = status
        debug.thread = dnn_thread()
        (<message_callback>c.call)(1, c.udata, &debug, text)
    return status


cdef public void dnn_say_handle(const char *function, int reason) noexcept nogil:
    dg_refused_handle(function, reason)
    dnn_because(0, b"the handle is NULL, destroyed or no handle of cuDNN" if reason == DG_BAD_HANDLE
                else b"the library cannot be used; see DRAGOMAN_LOG")
    dnn_say(function, status_of_reason(reason))


cdef public void dnn_say_slot(const char *function, const char *parameter) noexcept nogil:
    cdef char[REASON] line
    dg_refused_slot(function, parameter)
    snprintf(line, sizeof(line), b"%s is NULL, destroyed or no descriptor of this kind", parameter)
    dnn_because(0, line)
    dnn_say(function, status_of_reason(DG_BAD_HANDLE))


cdef public void dnn_last_text(char *message, size_t size) noexcept nogil:
    """Always ended within `size`; empty before the thread's first error."""
    cdef common *c = commons()
    cdef size_t length = 0
    if message is NULL or size == 0:
        return
    if c is not NULL:
        dg_the_core.lock()
        length = strlen(own(c).text)
        if length > size - 1:
            length = size - 1
        memcpy(message, own(c).text, length)
        dg_the_core.unlock()
    message[length] = 0


cdef public void dnn_set_callback(uint32_t mask, void *udata, void *call) noexcept nogil:
    cdef common *c = commons()
    if c is NULL:
        return
    dg_the_core.lock()
    c.mask = mask
    c.udata = udata
    c.call = call
    dg_the_core.unlock()


cdef public void dnn_get_callback(uint32_t *mask, void **udata, void **call) noexcept nogil:
    cdef common *c = commons()
    if mask is not NULL:
        mask[0] = c.mask if c is not NULL else 0
    if udata is not NULL:
        udata[0] = c.udata if c is not NULL else NULL
    if call is not NULL:
        call[0] = c.call if c is not NULL else NULL


# ---- slots

cdef public uint32_t dnn_new(void **place, uint32_t magic) noexcept nogil:
    cdef int reason
    if place is NULL:
        return bad(b"the place for the new object is NULL")
    reason = dg_start()
    if reason != DG_OK:
        return status_of_reason(reason)
    place[0] = dg_the_core.slot_new(magic)
    return CUDNN_STATUS_SUCCESS if place[0] is not NULL else dnn_because(CUDNN_STATUS_ALLOC_FAILED, b"no slot is left")


cdef public uint32_t dnn_delete(void *slot, uint32_t magic) noexcept nogil:
    if slot is NULL:
        return CUDNN_STATUS_SUCCESS
    if dg_the_core.slot_retire(slot, magic) != DG_OK:
        return bad(b"the object is destroyed already")
    dg_the_core.slot_free(slot)
    return CUDNN_STATUS_SUCCESS
