# cython: language_level=3, cdivision=True, boundscheck=False, wraparound=False
"""Captures: work on a stream becomes nodes of a graph, instead of being done.

A captured stream has a *lane*: the nodes that its next work will depend on. An event that is recorded on it takes a
picture of these; a stream that waits for such an event gets them too, and with them a lane of the same capture. So
streams fork, and at the end all lanes must have come back to the first one.

`host_open_captures` is the one thing that ordinary work looks at (graph.h). All else here is under one lock. Statuses
are CUDA's: what is refused makes the capture invalid, and the program learns of it at the end again.
"""
include "hip.pxi"
include "state.pxi"
include "node.pxi"
include "graph.pxi"
include "mutex.pxi"

from libc.stdlib cimport calloc, free, malloc, realloc

# A stream's part in a capture.
cdef struct lane:
    capture *owner
    host_slot *stream
    bint blocks       # the legacy stream waits for it
    host_node **ends  # what its next work depends on
    void **shown      # the same as handles, for a program that asks
    size_t count
    lane *next

cdef struct capture:
    unsigned long long id
    host_graph *graph
    bint theirs       # the graph is the program's: it stays, whatever becomes of the capture
    bint broken
    int mode
    uint64_t thread
    lane *lanes       # the last one is the stream that began
    lane *first
    capture *next

# What an event remembers of the capture that it was recorded in.
cdef struct picture:
    unsigned long long id
    size_t count
    host_node *nodes[1]

cdef extern from "platform.h" nogil:
    """
    volatile int host_open_captures;
    static dg_mutex host_capture_lock;
    static _Thread_local int host_thread_mode; /* hipStreamCaptureModeGlobal */
    static _Thread_local uint64_t host_thread; /* its number once it was asked for: no later thread has it */
    static _Thread_local host_slot *host_own_stream; /* of the thread's default stream, where that was captured */
    """
    dg_mutex host_capture_lock
    int host_open_captures
    int host_thread_mode
    uint64_t host_thread
    host_slot *host_own_stream

cdef capture *host_captures  # zero is ready
cdef unsigned long long host_capture_ids
cdef uint64_t host_threads

cdef enum:
    GLOBAL = 0
    THREAD = 1
    RELAXED = 2
    NONE = 0
    ACTIVE = 1
    INVALIDATED = 2


# ---- under the lock ----

cdef host_slot *stream_slot(const void *stream) noexcept nogil:
    """The slot of a stream that can be captured; NULL for the legacy stream, and for a thread's own before
    `take_own`."""
    if <uintptr_t>stream <= 1:
        return NULL
    return host_own_stream if <uintptr_t>stream == 2 else host_slot_of(stream, HOST_STREAM)


cdef uint64_t this_thread() noexcept nogil:
    global host_thread, host_threads
    if host_thread == 0:
        host_threads += 1
        host_thread = host_threads
    return host_thread


cdef void take_own(const void *stream) noexcept nogil:
    """A slot for the thread's default stream, before its first capture. It outlives the thread, as the capture may."""
    global host_own_stream
    if <uintptr_t>stream == 2 and host_own_stream == NULL:
        host_own_stream = host_slot_new(HOST_STREAM, NULL)


cdef lane *lane_of(const void *stream) noexcept nogil:
    cdef host_slot *slot = stream_slot(stream)
    return <lane *>slot.object if slot != NULL else NULL


cdef capture *capture_by(unsigned long long id) noexcept nogil:
    cdef capture *c = host_captures
    while c != NULL and c.id != id:
        c = c.next
    return c


cdef bint set_ends(lane *l, host_node *const *nodes, size_t count, bint more) noexcept nogil:
    """Lets the lane's next work depend on these; `more`: beside what it depends on already."""
    cdef size_t kept = l.count if more else 0, i, k
    cdef host_node **ends
    cdef void **shown
    if count == 0:
        l.count = kept
        return True
    ends = <host_node **>realloc(l.ends, (kept + count) * sizeof(host_node *))
    if ends == NULL:
        return False
    l.ends = ends
    shown = <void **>realloc(l.shown, (kept + count) * sizeof(void *))
    if shown == NULL:
        return False
    l.shown = shown
    for i in range(count):
        for k in range(kept):
            if ends[k] == nodes[i]:
                break
        else:
            ends[kept] = nodes[i]
            kept += 1
    l.count = kept
    return True


cdef lane *join(capture *c, host_slot *slot) noexcept nogil:
    cdef lane *l = <lane *>calloc(1, sizeof(lane))
    if l == NULL:
        return NULL
    l.owner = c
    l.stream = slot
    l.blocks = not slot.flags & hipStreamNonBlocking
    l.next = c.lanes
    c.lanes = l
    slot.object = l
    return l


cdef void leave(lane *l) noexcept nogil:
    l.stream.object = NULL
    free(l.ends)
    free(l.shown)
    free(l)


cdef void close(capture *c) noexcept nogil:
    """Takes the capture out of the world; its graph is not freed."""
    global host_captures, host_open_captures
    cdef lane *l = c.lanes
    cdef lane *after
    cdef capture *other = host_captures
    while l != NULL:
        after = l.next
        leave(l)
        l = after
    if other == c:
        host_captures = c.next
    else:
        while other.next != c:
            other = other.next
        other.next = c.next
    host_open_captures -= 1
    c.graph.recording = 0
    free(c)


cdef bint blocking(const capture *c) noexcept nogil:
    """Whether work on the legacy stream would have to wait for a stream of the capture."""
    cdef const lane *l = c.lanes
    while l != NULL:
        if l.blocks:
            return True
        l = l.next
    return False


cdef hipError_t implied() noexcept nogil:
    """Work on the legacy stream: it would tie itself to every blocking stream, so none of these may be captured."""
    cdef capture *c = host_captures
    cdef hipError_t error = hipSuccess
    while c != NULL:
        if blocking(c):
            c.broken = True
            error = hipErrorStreamCaptureImplicit
        c = c.next
    return error


# ---- what the rest of the runtime asks ----

cdef public int host_capture_of(const void *stream) noexcept nogil:
    cdef lane *l
    cdef int answer = 0
    dg_mutex_lock(&host_capture_lock)
    if <uintptr_t>stream <= 1:
        answer = implied()
    else:
        l = lane_of(stream)
        if l != NULL:
            answer = hipErrorStreamCaptureInvalidated if l.owner.broken else -1
    dg_mutex_unlock(&host_capture_lock)
    return answer if answer <= 0 else host_fail(answer)


cdef public hipError_t host_forbidden_now() noexcept nogil:
    cdef capture *c
    cdef hipError_t error = hipSuccess
    dg_mutex_lock(&host_capture_lock)
    c = host_captures
    while c != NULL and host_thread_mode != RELAXED:
        if c.mode != RELAXED and (
            c.thread == this_thread() or (host_thread_mode == GLOBAL and c.mode == GLOBAL)
        ):
            c.broken = True
            error = hipErrorStreamCaptureUnsupported
        c = c.next
    dg_mutex_unlock(&host_capture_lock)
    return host_fail(error)


cdef public hipError_t host_refuse_all() noexcept nogil:
    """Something that every capture is in the way of, whoever began it and how."""
    cdef capture *c
    cdef hipError_t error = hipSuccess
    dg_mutex_lock(&host_capture_lock)
    c = host_captures
    while c != NULL:
        c.broken = True
        error = hipErrorStreamCaptureUnsupported
        c = c.next
    dg_mutex_unlock(&host_capture_lock)
    return host_fail(error)


cdef public hipError_t host_refuse_capture(const void *stream) noexcept nogil:
    """Something that cannot be recorded was asked of a captured stream."""
    cdef lane *l
    cdef hipError_t error = hipSuccess
    dg_mutex_lock(&host_capture_lock)
    l = lane_of(stream)
    if l != NULL:
        error = hipErrorStreamCaptureInvalidated if l.owner.broken else hipErrorStreamCaptureUnsupported
        l.owner.broken = True
    dg_mutex_unlock(&host_capture_lock)
    return host_fail(error)


cdef hipError_t keep(lane *l, host_node *node) noexcept nogil:
    if node == NULL or not set_ends(l, &node, 1, False):
        l.owner.broken = True
        return hipErrorOutOfMemory
    return hipSuccess


cdef hipError_t recordable(lane *l) noexcept nogil:
    if l == NULL:
        return hipErrorIllegalState
    return hipErrorStreamCaptureInvalidated if l.owner.broken else hipSuccess


cdef public hipError_t host_record(
    const void *stream, int type, dg_run run, const void *record, size_t bytes
) noexcept nogil:
    cdef lane *l
    cdef hipError_t error
    dg_mutex_lock(&host_capture_lock)
    l = lane_of(stream)
    error = recordable(l)
    if error == hipSuccess:
        error = keep(l, host_node_new(l.owner.graph, type, run, record, bytes, l.ends, l.count))
    dg_mutex_unlock(&host_capture_lock)
    return host_fail(error)


cdef public hipError_t host_capture_alloc(const void *stream, void **memory, size_t bytes) noexcept nogil:
    """Memory that a captured stream asks for is taken now, and belongs to the graph: launches find it where
    the capture did."""
    cdef lane *l
    cdef void *taken = NULL
    cdef hipError_t error = host_take(&taken, bytes, HOST_GRAPHS, 0, NULL)
    if error != hipSuccess:
        return host_fail(error)
    dg_mutex_lock(&host_capture_lock)
    l = lane_of(stream)
    error = recordable(l)
    if error == hipSuccess and taken != NULL and not host_graph_keep_memory(l.owner.graph, taken):
        error = hipErrorOutOfMemory
    if error != hipSuccess:
        host_give(taken, HOST_GRAPHS, HOST_GRAPHS)
    else:
        error = keep(l, host_node_new(l.owner.graph, HOST_NODE_ALLOC, NULL, NULL, 0, l.ends, l.count))
    dg_mutex_unlock(&host_capture_lock)
    if error == hipSuccess:
        memory[0] = taken
    return host_fail(error)


# ---- events ----

cdef public void host_forget_event(host_slot *event) noexcept nogil:
    """The event is recorded outside of captures now, or goes."""
    free(event.object)
    event.object = NULL


cdef public hipError_t host_capture_event(host_slot *event, const void *stream) noexcept nogil:
    cdef lane *l
    cdef picture *p
    cdef hipError_t error
    dg_mutex_lock(&host_capture_lock)
    l = lane_of(stream)
    error = recordable(l)
    if error == hipSuccess:
        p = <picture *>malloc(sizeof(picture) + l.count * sizeof(host_node *))
        if p == NULL:
            error = hipErrorOutOfMemory
        else:
            p.id = l.owner.id
            p.count = l.count
            if l.count:
                memcpy(&p.nodes[0], l.ends, l.count * sizeof(host_node *))
            free(event.object)
            event.object = p
    dg_mutex_unlock(&host_capture_lock)
    return host_fail(error)


cdef public hipError_t host_captured_event(const host_slot *event, int breaks) noexcept nogil:
    """Asking or waiting for an event that was recorded in a capture: it never happens, and if it `breaks`, the capture
    is over. One whose capture has ended is no good argument."""
    cdef capture *c
    cdef hipError_t error = hipErrorCapturedEvent
    if event.object == NULL:
        return hipSuccess
    dg_mutex_lock(&host_capture_lock)
    c = capture_by((<picture *>event.object).id)
    if c == NULL:
        error = hipErrorInvalidValue
    elif breaks:
        c.broken = True
    dg_mutex_unlock(&host_capture_lock)
    return host_fail(error)


cdef public hipError_t host_capture_wait(const void *stream, const host_slot *event) noexcept nogil:
    """A stream waits for an event, one of the two being captured."""
    cdef picture *p = <picture *>event.object
    cdef host_slot *slot
    cdef lane *l
    cdef capture *c
    cdef hipError_t error = hipSuccess
    dg_mutex_lock(&host_capture_lock)
    l = lane_of(stream)
    c = capture_by(p.id) if p != NULL else NULL
    if l != NULL and l.owner.broken:
        error = hipErrorStreamCaptureInvalidated
    elif p != NULL and c == NULL:
        error = hipErrorInvalidValue  # of a capture that has ended
        if l != NULL:
            l.owner.broken = True
    elif c == NULL:
        if l != NULL:  # it would depend on work that is no part of it
            l.owner.broken = True
            error = hipErrorStreamCaptureIsolation
    elif l != NULL and l.owner != c:
        l.owner.broken = c.broken = True
        error = hipErrorStreamCaptureMerge
    elif <uintptr_t>stream <= 1:
        c.broken = True
        error = hipErrorStreamCaptureImplicit
    elif c.broken:
        error = hipErrorStreamCaptureInvalidated
    else:
        if l == NULL:
            take_own(stream)
            slot = stream_slot(stream)
            l = join(c, slot) if slot != NULL else NULL
        if l == NULL or not set_ends(l, p.nodes, p.count, True):
            c.broken = True
            error = hipErrorOutOfMemory
    dg_mutex_unlock(&host_capture_lock)
    return host_fail(error)


cdef public void host_leave_capture(host_slot *stream) noexcept nogil:
    """The stream is destroyed. A capture that it began goes with it; one that it took part in is invalid."""
    cdef lane *l
    cdef lane **place
    cdef capture *c
    cdef host_graph *graph = NULL
    dg_mutex_lock(&host_capture_lock)
    l = <lane *>stream.object
    if l != NULL:
        c = l.owner
        if l == c.first:
            graph = NULL if c.theirs else c.graph
            close(c)
        else:
            c.broken = True
            place = &c.lanes
            while place[0] != l:
                place = &place[0].next
            place[0] = l.next
            leave(l)
    dg_mutex_unlock(&host_capture_lock)
    if graph != NULL:
        host_graph_free(graph)


# ---- HIP's functions ----

cdef hipError_t begin(
    hipStream_t stream, host_graph *graph, host_node *const *nodes, size_t count, int mode
) noexcept nogil:
    """`graph`: the program's, or NULL."""
    global host_captures, host_open_captures, host_capture_ids
    cdef host_slot *slot
    cdef capture *c
    cdef hipError_t error = hipSuccess
    if mode < GLOBAL or mode > RELAXED:
        return host_fail(hipErrorInvalidValue)
    if not host_is_stream(stream):
        return host_fail(hipErrorInvalidHandle)
    if <uintptr_t>stream <= 1:
        return host_fail(hipErrorStreamCaptureUnsupported)
    take_own(stream)
    slot = stream_slot(stream)
    if slot == NULL:
        return host_fail(hipErrorOutOfMemory)
    c = <capture *>calloc(1, sizeof(capture))
    if c == NULL:
        return host_fail(hipErrorOutOfMemory)
    c.theirs = graph != NULL
    c.graph = graph if graph != NULL else host_graph_new()
    c.mode = mode
    dg_mutex_lock(&host_capture_lock)
    c.thread = this_thread()
    if slot.object != NULL:
        error = hipErrorIllegalState
    elif c.graph == NULL:
        error = hipErrorOutOfMemory
    else:
        c.first = join(c, slot)
        if c.first == NULL or not set_ends(c.first, nodes, count, False):
            error = hipErrorOutOfMemory
            if c.first != NULL:
                leave(c.first)
    if error == hipSuccess:
        host_capture_ids += 1
        c.id = host_capture_ids
        c.graph.recording = 1
        c.next = host_captures
        host_captures = c
        host_open_captures += 1
    dg_mutex_unlock(&host_capture_lock)
    if error != hipSuccess:
        if c.graph != NULL and not c.theirs:
            host_graph_free(c.graph)
        free(c)
    return host_fail(error)


cdef public hipError_t hipStreamBeginCapture(hipStream_t stream, int mode) noexcept nogil:
    return begin(stream, NULL, NULL, 0, mode)


cdef hipError_t nodes_of(host_graph *graph, void *const *handles, size_t count, host_node ***nodes) noexcept nogil:
    """Nodes of the graph by their handles; the caller frees."""
    cdef host_slot *slot
    cdef size_t i
    nodes[0] = NULL
    if count == 0:
        return hipSuccess
    if handles == NULL:
        return hipErrorInvalidValue
    nodes[0] = <host_node **>malloc(count * sizeof(host_node *))
    if nodes[0] == NULL:
        return hipErrorOutOfMemory
    for i in range(count):
        slot = host_slot_of(handles[i], HOST_NODE)
        if slot == NULL or (<host_node *>slot.object).graph != graph:
            free(nodes[0])
            nodes[0] = NULL
            return hipErrorInvalidValue
        nodes[0][i] = <host_node *>slot.object
    return hipSuccess


cdef public hipError_t hipStreamBeginCaptureToGraph(
    hipStream_t stream, void *graph, void *const *dependencies, const void *data, size_t count, int mode
) noexcept nogil:
    cdef host_graph *known = host_graph_of(graph)
    cdef host_node **nodes = NULL
    cdef hipError_t error
    if known == NULL or known.recording:
        return host_fail(hipErrorInvalidValue)
    error = nodes_of(known, dependencies, count, &nodes)
    if error == hipSuccess:
        error = begin(stream, known, nodes, count, mode)
    free(nodes)
    return host_fail(error)


cdef bint come_back(capture *c) noexcept nogil:
    """Whether all that was forked from the first stream is joined to it."""
    cdef lane *l = c.lanes
    cdef size_t i
    if l == c.first:
        return True
    if not host_graph_mark(c.graph, c.first.ends, c.first.count):
        return False
    while l != NULL:
        for i in range(l.count):
            if l.ends[i].mark == 0:
                return False
        l = l.next
    return True


cdef public hipError_t hipStreamEndCapture(hipStream_t stream, void **graph) noexcept nogil:
    """A capture is over with this, whatever is answered, if it is asked of its first stream; without `graph` nobody
    gets its graph."""
    cdef lane *l
    cdef capture *c
    cdef host_graph *made = NULL
    cdef host_graph *dropped = NULL
    cdef hipError_t error = hipSuccess
    if not host_is_stream(stream):
        return host_fail(hipErrorInvalidHandle)
    dg_mutex_lock(&host_capture_lock)
    l = lane_of(stream)
    if l == NULL:
        error = hipErrorIllegalState
    else:
        c = l.owner
        if l != c.first:
            c.broken = True
            error = hipErrorStreamCaptureUnmatched
        else:
            if c.broken:
                error = hipErrorStreamCaptureInvalidated
            elif c.mode != RELAXED and c.thread != this_thread():
                error = hipErrorStreamCaptureWrongThread
            elif not come_back(c):
                error = hipErrorStreamCaptureUnjoined
            made = c.graph
            if (error != hipSuccess or graph == NULL) and not c.theirs:
                dropped = c.graph
            close(c)
    dg_mutex_unlock(&host_capture_lock)
    if graph != NULL:
        graph[0] = made.handle if made != NULL and error == hipSuccess else NULL
    if dropped != NULL:
        host_graph_free(dropped)
    return host_fail(error)


cdef hipError_t seen(hipStream_t stream) noexcept nogil:
    """Asking about the legacy stream while a blocking stream is captured is refused too, but breaks nothing."""
    cdef capture *c
    cdef hipError_t error = hipSuccess
    if not host_is_stream(stream):
        return hipErrorInvalidHandle
    if <uintptr_t>stream > 1:
        return hipSuccess
    dg_mutex_lock(&host_capture_lock)
    c = host_captures
    while c != NULL:
        if blocking(c):
            error = hipErrorStreamCaptureImplicit
        c = c.next
    dg_mutex_unlock(&host_capture_lock)
    return error


cdef public hipError_t hipStreamGetCaptureInfo_v2(
    hipStream_t stream, int *status, unsigned long long *id, void **graph, void *const **dependencies, size_t *count
) noexcept nogil:
    cdef lane *l
    cdef size_t i
    cdef hipError_t error
    if status == NULL:
        return host_fail(hipErrorInvalidValue)
    error = seen(stream)
    if error != hipSuccess:
        return host_fail(error)
    dg_mutex_lock(&host_capture_lock)
    l = lane_of(stream)
    if l == NULL:
        status[0] = NONE
    else:
        status[0] = INVALIDATED if l.owner.broken else ACTIVE
    if status[0] == ACTIVE:
        for i in range(l.count):
            l.shown[i] = l.ends[i].handle
        if id != NULL:
            id[0] = l.owner.id
        if graph != NULL:
            graph[0] = l.owner.graph.handle
        if dependencies != NULL:
            dependencies[0] = l.shown
        if count != NULL:
            count[0] = l.count
    dg_mutex_unlock(&host_capture_lock)
    return hipSuccess


cdef public hipError_t hipStreamGetCaptureInfo(hipStream_t stream, int *status, unsigned long long *id) noexcept nogil:
    return hipStreamGetCaptureInfo_v2(stream, status, id, NULL, NULL, NULL)


cdef public hipError_t hipStreamIsCapturing(hipStream_t stream, int *status) noexcept nogil:
    return hipStreamGetCaptureInfo_v2(stream, status, NULL, NULL, NULL, NULL)


cdef public hipError_t hipStreamUpdateCaptureDependencies(
    hipStream_t stream, void *const *dependencies, size_t count, unsigned int flags
) noexcept nogil:
    """`flags`: 0, beside what the next work depends on; 1, instead of it."""
    cdef lane *l
    cdef host_node **nodes = NULL
    cdef hipError_t error
    if flags > 1:
        return host_fail(hipErrorInvalidValue)
    if not host_is_stream(stream):
        return host_fail(hipErrorInvalidHandle)
    dg_mutex_lock(&host_capture_lock)
    l = lane_of(stream)
    error = recordable(l)
    if error == hipSuccess:
        error = nodes_of(l.owner.graph, dependencies, count, &nodes)
    if error == hipSuccess and not set_ends(l, nodes, count, flags == 0):
        error = hipErrorOutOfMemory
    dg_mutex_unlock(&host_capture_lock)
    free(nodes)
    return host_fail(error)


cdef public hipError_t hipThreadExchangeStreamCaptureMode(int *mode) noexcept nogil:
    """Any number is taken and given back, as NVIDIA's does; one that is no mode binds the thread to its own
    captures."""
    global host_thread_mode
    cdef int old = host_thread_mode
    if mode == NULL:
        return host_fail(hipErrorInvalidValue)
    host_thread_mode = mode[0]
    mode[0] = old
    return hipSuccess


# ---- for the compute libraries ----

cdef int record_call(const void *stream, dg_run run, const void *record, size_t bytes) noexcept nogil:
    return host_record(stream, HOST_NODE_KERNEL, run, record, bytes)


cdef extern from *:
    """
    static dg_recorder host_recorder = {&host_open_captures, 0, 0, 0};
    """
    dg_recorder host_recorder


cdef public const dg_recorder *hipDragomanRecorder() noexcept nogil:
    """Our own beside AMD's (recorder.h)."""
    global host_recorder
    host_recorder.state = host_capture_of
    host_recorder.record = record_call
    host_recorder.refuse = host_refuse_capture
    return &host_recorder
