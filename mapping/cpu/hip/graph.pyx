# cython: language_level=3, cdivision=True, boundscheck=False, wraparound=False
"""Graphs of the CPU backend's HIP runtime: made by hand or by a capture, made ready, launched.

A node is a function with a copy of its arguments (graph.h). A ready graph is a copy of the graph with its nodes in an
order that keeps the dependencies, graphs inside graphs laid open; a launch calls them one after another in the calling
thread, which is a schedule that CUDA allows. As elsewhere in HIP, two threads must not change one graph at the same
time.

Handles are slots (state.pyx): one that was freed is refused, not followed. Copies know what they were made from by its
number: no later one gets that, as it gets a slot's address.
"""
include "hip.pxi"
include "state.pxi"
include "node.pxi"
include "capture.pxi"
include "records.pxi"

from libc.stdio cimport FILE, fclose, fopen, fprintf
from libc.stdlib cimport calloc, free, malloc, realloc

cdef extern from "platform.h" nogil:
    """
    static dg_mutex host_object_lock;
    static dg_mutex host_ready_lock; /* who uses which ready graph; zero is ready */
    /* The ready graphs that the calling thread is in, the innermost first. */
    typedef struct host_visit {
        const void *made;
        const struct host_visit *outer;
    } host_visit;
    static _Thread_local const host_visit *host_visits;
    """
    ctypedef struct dg_mutex:
        pass
    ctypedef struct host_visit:
        const void *made
        const host_visit *outer
    const host_visit *host_visits
    dg_mutex host_ready_lock, host_object_lock
    void dg_mutex_lock(dg_mutex *)
    void dg_mutex_unlock(dg_mutex *)

ctypedef void (*destructor)(void *) noexcept nogil

# Something that graphs hold: the program's, or memory of a capture's. Under host_object_lock.
cdef struct held_object:
    void *pointer
    destructor destroy
    uint64_t shares
    uint64_t own  # of these, the program's: it cannot give away what graphs have

# What a launch runs: the graph, and its nodes in order.
cdef struct program:
    host_graph *graph
    host_node **order
    size_t count

# A ready graph. It goes with its last user: a program may destroy one while another thread, or a function of its own,
# is in it.
cdef struct ready:
    program now
    unsigned long long flags
    int users      # under host_ready_lock, like the next
    bint destroyed
    dg_mutex lock  # CUDA runs the launches of one ready graph one after another


# ---- graphs and nodes inside the runtime ----

cdef host_graph *new_graph(bint seen) noexcept nogil:
    """`seen`: by the program. What a ready graph runs has no handle, nor have its nodes: a stale one leads nowhere."""
    cdef host_graph *graph = <host_graph *>calloc(1, sizeof(host_graph))
    if graph == NULL or not seen:
        return graph
    graph.handle = host_slot_new(HOST_GRAPH, graph)
    if graph.handle == NULL:
        free(graph)
        return NULL
    return graph


cdef public host_graph *host_graph_new() noexcept nogil:
    return new_graph(True)


cdef held_object *held_of(const void *handle) noexcept nogil:
    """Under host_object_lock."""
    cdef host_slot *slot = host_slot_of(handle, HOST_OBJECT)
    return <held_object *>slot.object if slot != NULL else NULL


cdef void release(host_slot *slot, unsigned count) noexcept nogil:
    """Lets go of an object `count` times; the last one destroys it."""
    cdef held_object *held = <held_object *>slot.object
    cdef bint last
    dg_mutex_lock(&host_object_lock)
    held.shares -= count
    last = held.shares == 0
    if last:
        host_slot_free(slot)
    dg_mutex_unlock(&host_object_lock)
    if last:
        held.destroy(held.pointer)
        free(held)


cdef void retain(host_slot *slot, unsigned count) noexcept nogil:
    dg_mutex_lock(&host_object_lock)
    (<held_object *>slot.object).shares += count
    dg_mutex_unlock(&host_object_lock)


cdef void free_node(host_node *node) noexcept nogil:
    if node.child != NULL:
        host_graph_free(node.child)
    if node.handle != NULL:
        host_slot_free(node.handle)
    free(node.before)
    free(node)


cdef public void host_graph_free(host_graph *graph) noexcept nogil:
    cdef host_node *node = graph.first
    cdef host_node *after
    cdef size_t i
    while node != NULL:
        after = node.next
        free_node(node)
        node = after
    for i in range(graph.held_count):
        release(graph.held[i].object, graph.held[i].count)
    free(graph.held)
    if graph.handle != NULL:
        host_slot_free(graph.handle)
    free(graph)


cdef public host_graph *host_graph_of(const void *handle) noexcept nogil:
    cdef host_slot *slot = host_slot_of(handle, HOST_GRAPH)
    return <host_graph *>slot.object if slot != NULL else NULL


cdef host_node *node_of(const void *handle) noexcept nogil:
    cdef host_slot *slot = host_slot_of(handle, HOST_NODE)
    return <host_node *>slot.object if slot != NULL else NULL


cdef ready *enter(const void *handle) noexcept nogil:
    """The ready graph, which stays until `leave`; NULL where it is none."""
    cdef ready *made = NULL
    cdef host_slot *slot
    dg_mutex_lock(&host_ready_lock)
    slot = host_slot_of(handle, HOST_EXEC)
    if slot != NULL:
        made = <ready *>slot.object
        made.users += 1
    dg_mutex_unlock(&host_ready_lock)
    return made


cdef void leave(ready *made) noexcept nogil:
    cdef bint last
    dg_mutex_lock(&host_ready_lock)
    made.users -= 1
    last = made.users == 0 and made.destroyed
    dg_mutex_unlock(&host_ready_lock)
    if last:
        drop(&made.now)
        free(made)


cdef hipError_t left(ready *made, hipError_t error) noexcept nogil:
    leave(made)
    return host_fail(error)


cdef bint begin(ready *made, host_visit *visit) noexcept nogil:
    """The only one in it from here to `end`; false for a function of the graph's own, which would wait for itself."""
    global host_visits
    cdef const host_visit *outer = host_visits
    while outer != NULL:
        if outer.made == made:
            return False
        outer = outer.outer
    dg_mutex_lock(&made.lock)
    visit.made = made
    visit.outer = host_visits
    host_visits = visit
    return True


cdef void end(ready *made, const host_visit *visit) noexcept nogil:
    global host_visits
    host_visits = visit.outer
    dg_mutex_unlock(&made.lock)


cdef void drop(program *p) noexcept nogil:
    """Never under a lock: objects of the program's are destroyed, and it may do what it likes there."""
    if p.graph != NULL:
        host_graph_free(p.graph)
    free(p.order)


cdef public host_node *host_node_new(
    host_graph *graph, int type, dg_run run, const void *record, size_t bytes, host_node *const *before, size_t count
) noexcept nogil:
    cdef host_node *node = <host_node *>calloc(1, sizeof(host_node) + bytes)
    cdef bint seen = graph.handle != NULL
    if node == NULL:
        return NULL
    if seen:
        node.handle = host_slot_new(HOST_NODE, node)
    if count:
        node.before = <host_node **>malloc(count * sizeof(host_node *))
    if (seen and node.handle == NULL) or (count and node.before == NULL):
        if node.handle != NULL:
            host_slot_free(node.handle)
        free(node.before)
        free(node)
        return NULL
    node.graph = graph
    node.type = type
    node.run = run
    node.bytes = bytes
    node.before_count = count
    if count:
        memcpy(node.before, before, count * sizeof(host_node *))
    if bytes:
        memcpy(host_record_of(node), record, bytes)
    if graph.last == NULL:
        graph.first = node
    else:
        graph.last.next = node
    graph.last = node
    graph.count += 1
    return node


cdef bint hold(host_graph *graph, host_slot *object, unsigned count) noexcept nogil:
    """The graph's share of an object that was already counted for it."""
    cdef size_t i
    cdef host_held *grown
    for i in range(graph.held_count):
        if graph.held[i].object == object:
            graph.held[i].count += count
            return True
    grown = <host_held *>realloc(graph.held, (graph.held_count + 1) * sizeof(host_held))
    if grown == NULL:
        return False
    graph.held = grown
    grown[graph.held_count].object = object
    grown[graph.held_count].count = count
    graph.held_count += 1
    return True


cdef host_slot *new_object(void *pointer, destructor destroy, unsigned count, unsigned own) noexcept nogil:
    cdef host_slot *slot
    cdef held_object *held = <held_object *>malloc(sizeof(held_object))
    if held == NULL:
        return NULL
    held.pointer = pointer
    held.destroy = destroy
    held.shares = count
    held.own = own
    slot = host_slot_new(HOST_OBJECT, held)
    if slot == NULL:
        free(held)
        return NULL
    return slot


cdef void give_memory(void *memory) noexcept nogil:
    host_give(memory, HOST_GRAPHS, HOST_GRAPHS)


cdef public int host_graph_keep_memory(host_graph *graph, void *memory) noexcept nogil:
    cdef host_slot *object = new_object(memory, give_memory, 1, 0)
    if object == NULL:
        return 0
    if not hold(graph, object, 1):
        free(object.object)  # the memory is still the caller's
        host_slot_free(object)
        return 0
    return 1


cdef host_graph *copy_of(const host_graph *graph, bint seen) noexcept nogil:
    cdef host_graph *copy = new_graph(seen)
    cdef host_node *node = graph.first
    cdef host_node *made
    cdef host_node **all
    cdef size_t i = 0, k
    if copy == NULL:
        return NULL
    all = <host_node **>malloc((graph.count + 1) * sizeof(host_node *))
    if all == NULL:
        host_graph_free(copy)
        return NULL
    while node != NULL:
        node.place = <uint32_t>i
        made = host_node_new(
            copy, node.type, node.run, host_record_of(node), node.bytes, node.before, node.before_count)
        if made != NULL and node.child != NULL:
            made.child = copy_of(node.child, seen)
            if made.child != NULL:
                made.child.owner = made
        if made == NULL or (node.child != NULL and made.child == NULL):
            free(all)
            host_graph_free(copy)
            return NULL
        made.origin = node.handle.number
        made.off = node.off
        all[i] = made
        i += 1
        node = node.next
    for i in range(graph.count):  # dependencies may lead to nodes that were made later
        for k in range(all[i].before_count):
            all[i].before[k] = all[all[i].before[k].place]
    free(all)
    for i in range(graph.held_count):
        if not hold(copy, graph.held[i].object, graph.held[i].count):
            host_graph_free(copy)
            return NULL
        retain(graph.held[i].object, graph.held[i].count)
    return copy


cdef void unmark(host_graph *graph) noexcept nogil:
    cdef host_node *node = graph.first
    while node != NULL:
        node.mark = 0
        node = node.next


cdef public int host_graph_mark(host_graph *graph, host_node *const *start, size_t count) noexcept nogil:
    """Backwards through the nodes: whatever a node depends on was made before it, but where a program joined nodes
    itself."""
    cdef host_node **all = <host_node **>malloc((graph.count + 1) * sizeof(host_node *))
    cdef host_node *node = graph.first
    cdef size_t i = 0, k
    cdef bint again = True
    if all == NULL:
        return 0
    while node != NULL:
        node.mark = 0
        all[i] = node
        i += 1
        node = node.next
    for i in range(count):
        start[i].mark = 1
    while again:
        again = False
        for i in range(graph.count, 0, -1):
            node = all[i - 1]
            if node.mark == 1:
                node.mark = 2
                for k in range(node.before_count):
                    if node.before[k].mark == 0:
                        node.before[k].mark = 1
                        again = True
    free(all)
    return 1


# ---- graphs in graphs ----

cdef enum:
    DEEP = 256  # graphs in one another: whatever walks through them calls itself


cdef int depth(const host_graph *graph) noexcept nogil:
    cdef const host_node *node = graph.first
    cdef int most = 0, below
    while node != NULL:
        if node.child != NULL:
            below = depth(node.child)
            if below > most:
                most = below
        node = node.next
    return most + 1


cdef bint fits(const host_graph *outer, const host_graph *inner) noexcept nogil:
    """Whether one more graph may be inside."""
    cdef int levels = depth(inner)
    while outer != NULL:
        levels += 1
        outer = outer.owner.graph if outer.owner != NULL else NULL
    return levels <= DEEP


cdef bint captured(const host_graph *graph) noexcept nogil:
    """Whether a capture writes it, or a graph in it."""
    cdef const host_node *node = graph.first
    if host_open_captures == 0:
        return False
    if graph.recording:
        return True
    while node != NULL:
        if node.child != NULL and captured(node.child):
            return True
        node = node.next
    return False


# ---- order ----

cdef size_t inside(const host_graph *graph) noexcept nogil:
    """How many nodes there are, with those of graphs in it."""
    cdef size_t count = graph.count
    cdef host_node *node = graph.first
    while node != NULL:
        if node.child != NULL:
            count += inside(node.child)
        node = node.next
    return count


cdef bint lay_out(host_graph *graph, host_node **order, size_t *count) noexcept nogil:
    """Nodes behind all that they depend on, otherwise as they were made. False where they wait for each other in a
    circle."""
    cdef size_t left = graph.count, before
    cdef host_node *node
    cdef size_t i
    cdef bint ready_now
    unmark(graph)
    while left:
        before = left
        node = graph.first
        while node != NULL:
            ready_now = node.mark == 0
            if ready_now:
                for i in range(node.before_count):
                    if node.before[i].mark == 0:
                        ready_now = False
                        break
            if ready_now:
                node.mark = 1
                left -= 1
                if node.child == NULL:
                    order[count[0]] = node
                    count[0] += 1
                elif not lay_out(node.child, order, count):
                    return False
            node = node.next
        if left == before:
            return False
    return True


cdef hipError_t prepare(const host_graph *graph, program *made) noexcept nogil:
    """A copy of the program's graph, to be run."""
    cdef hipError_t error = hipErrorOutOfMemory
    cdef size_t i
    made.count = 0
    made.order = NULL
    made.graph = copy_of(graph, False)
    if made.graph != NULL:
        made.order = <host_node **>malloc((inside(made.graph) + 1) * sizeof(host_node *))
    if made.order != NULL:
        error = hipSuccess if lay_out(made.graph, made.order, &made.count) else hipErrorInvalidValue
        for i in range(made.count):
            if made.order[i].run == host_never:
                error = hipErrorInvalidValue
    if error != hipSuccess:
        drop(made)
    return error


# ---- graphs ----

cdef public hipError_t hipGraphCreate(void **graph, unsigned int flags) noexcept nogil:
    cdef host_graph *made
    if graph == NULL or flags != 0:
        return host_fail(hipErrorInvalidValue)
    made = host_graph_new()
    if made == NULL:
        return host_fail(hipErrorOutOfMemory)
    graph[0] = made.handle
    return hipSuccess


cdef public hipError_t hipGraphDestroy(void *graph) noexcept nogil:
    cdef host_graph *known = host_graph_of(graph)
    if known == NULL or known.owner != NULL or captured(known):
        return host_fail(hipErrorInvalidValue)
    host_graph_free(known)
    return hipSuccess


cdef public hipError_t hipGraphClone(void **clone, void *original) noexcept nogil:
    cdef host_graph *known = host_graph_of(original)
    cdef host_graph *made
    if clone == NULL or known == NULL:
        return host_fail(hipErrorInvalidValue)
    made = copy_of(known, True)
    if made == NULL:
        return host_fail(hipErrorOutOfMemory)
    clone[0] = made.handle
    return hipSuccess


cdef public hipError_t hipGraphNodeFindInClone(void **node, void *original, void *clone) noexcept nogil:
    cdef host_graph *graph = host_graph_of(clone)
    cdef host_node *sought = node_of(original)
    cdef host_node *found
    if node == NULL or graph == NULL or sought == NULL:
        return host_fail(hipErrorInvalidValue)
    found = graph.first
    while found != NULL:
        if found.origin == sought.handle.number:
            node[0] = found.handle
            return hipSuccess
        found = found.next
    return host_fail(hipErrorInvalidValue)


# ---- nodes ----

cdef hipError_t add(
    void **handle, void *graph, void *const *before, size_t count, int type, dg_run run, const void *record,
    size_t bytes, host_graph *child
) noexcept nogil:
    """A node made by hand. `child`: a copy that becomes the node's."""
    cdef host_graph *known = host_graph_of(graph)
    cdef host_node **nodes = NULL
    cdef host_node *node = NULL
    cdef hipError_t error = hipSuccess
    cdef size_t i, k
    if handle == NULL or known == NULL or (count and before == NULL):
        error = hipErrorInvalidValue
    elif count:
        nodes = <host_node **>malloc(count * sizeof(host_node *))
        if nodes == NULL:
            error = hipErrorOutOfMemory
        else:
            for i in range(count):
                nodes[i] = node_of(before[i])
                if nodes[i] == NULL or nodes[i].graph != known:
                    error = hipErrorInvalidValue
                    break
                for k in range(i):
                    if nodes[k] == nodes[i]:
                        error = hipErrorInvalidValue
    if error == hipSuccess:
        node = host_node_new(known, type, run, record, bytes, nodes, count)
        if node == NULL:
            error = hipErrorOutOfMemory
    free(nodes)
    if error != hipSuccess:
        if child != NULL:
            host_graph_free(child)
        return host_fail(error)
    node.child = child
    if child != NULL:
        child.owner = node
    handle[0] = node.handle
    return hipSuccess


cdef public hipError_t hipGraphAddEmptyNode(void **node, void *graph, void *const *before, size_t count) noexcept nogil:
    return add(node, graph, before, count, HOST_NODE_EMPTY, NULL, NULL, 0, NULL)


cdef public hipError_t hipGraphAddChildGraphNode(
    void **node, void *graph, void *const *before, size_t count, void *child
) noexcept nogil:
    cdef host_graph *known = host_graph_of(child)
    cdef host_graph *outer = host_graph_of(graph)
    cdef host_graph *copy
    if known == NULL or outer == NULL or known == outer or not fits(outer, known):
        return host_fail(hipErrorInvalidValue)
    copy = copy_of(known, True)
    if copy == NULL:
        return host_fail(hipErrorOutOfMemory)
    return add(node, graph, before, count, HOST_NODE_GRAPH, NULL, NULL, 0, copy)


cdef public hipError_t hipGraphChildGraphNodeGetGraph(void *node, void **graph) noexcept nogil:
    """The node's own copy."""
    cdef host_node *known = node_of(node)
    if known == NULL or known.child == NULL or graph == NULL:
        return host_fail(hipErrorInvalidValue)
    graph[0] = known.child.handle
    return hipSuccess


cdef hipError_t add_work(
    hipError_t error, const host_recorded *work, void **node, void *graph, void *const *before, size_t count, int type
) noexcept nogil:
    """A node of what was recorded, if that went well."""
    if error != hipSuccess:
        return error
    return add(node, graph, before, count, type, work.run, work.record, work.bytes, NULL)


cdef public hipError_t hipGraphAddMemcpyNode1D(
    void **node, void *graph, void *const *before, size_t count, void *dst, const void *src, size_t bytes, int kind
) noexcept nogil:
    cdef host_recorded work
    return add_work(host_copy_record(dst, src, bytes, kind, &work), &work, node, graph, before, count, HOST_NODE_MEMCPY)


cdef public hipError_t hipGraphAddMemcpyNode(
    void **node, void *graph, void *const *before, size_t count, const hipMemcpy3DParms *params
) noexcept nogil:
    cdef host_recorded work
    return add_work(host_box_record(params, &work), &work, node, graph, before, count, HOST_NODE_MEMCPY)


cdef public hipError_t hipGraphAddMemsetNode(
    void **node, void *graph, void *const *before, size_t count, const hipMemsetParams *params
) noexcept nogil:
    cdef host_recorded work
    return add_work(host_fill_record(params, &work), &work, node, graph, before, count, HOST_NODE_MEMSET)


cdef public hipError_t hipGraphAddHostNode(
    void **node, void *graph, void *const *before, size_t count, const hipHostNodeParams *params
) noexcept nogil:
    cdef host_recorded work
    return add_work(host_function_record(params, &work), &work, node, graph, before, count, HOST_NODE_HOST)


cdef public hipError_t hipGraphAddEventRecordNode(
    void **node, void *graph, void *const *before, size_t count, hipEvent_t event
) noexcept nogil:
    cdef host_recorded work
    return add_work(host_event_record(event, &work), &work, node, graph, before, count, HOST_NODE_EVENT)


cdef public hipError_t hipGraphAddEventWaitNode(
    void **node, void *graph, void *const *before, size_t count, hipEvent_t event
) noexcept nogil:
    """What was recorded when a launch begins has happened by then."""
    if host_slot_of(event, HOST_EVENT) == NULL:
        return host_fail(hipErrorInvalidHandle)
    return add(node, graph, before, count, HOST_NODE_WAIT, NULL, NULL, 0, NULL)


cdef public hipError_t hipGraphDestroyNode(void *node) noexcept nogil:
    """With its edges; what depended on it no longer waits for what it waited for."""
    cdef host_node *known = node_of(node)
    cdef host_node *other
    cdef host_node *previous = NULL
    if known == NULL or known.graph.recording or (known.child != NULL and captured(known.child)):
        return host_fail(hipErrorInvalidValue)
    other = known.graph.first
    while other != NULL:
        cut(known, other)
        if other.next == known:
            previous = other
        other = other.next
    if previous == NULL:
        known.graph.first = known.next
    else:
        previous.next = known.next
    if known.graph.last == known:
        known.graph.last = previous
    known.graph.count -= 1
    free_node(known)
    return hipSuccess


cdef bint cut(const host_node *first, host_node *then) noexcept nogil:
    """Ends a dependency; false where there is none."""
    cdef size_t i
    for i in range(then.before_count):
        if then.before[i] == first:
            then.before_count -= 1
            then.before[i] = then.before[then.before_count]
            return True
    return False


cdef hipError_t joined(
    void *graph, void *const *first, void *const *then, size_t i, host_node **a, host_node **b
) noexcept nogil:
    """The two nodes of an edge, both the graph's."""
    cdef host_graph *known = host_graph_of(graph)
    a[0] = node_of(first[i])
    b[0] = node_of(then[i])
    if a[0] == NULL or b[0] == NULL or a[0] == b[0] or a[0].graph != known or b[0].graph != known:
        return hipErrorInvalidValue
    return hipSuccess


cdef bint depends(const host_node *then, const host_node *first) noexcept nogil:
    cdef size_t i
    for i in range(then.before_count):
        if then.before[i] == first:
            return True
    return False


cdef public hipError_t hipGraphAddDependencies(
    void *graph, void *const *first, void *const *then, size_t count
) noexcept nogil:
    cdef host_node *a = NULL
    cdef host_node *b = NULL
    cdef host_node **grown
    cdef size_t i
    if host_graph_of(graph) == NULL or (count and (first == NULL or then == NULL)):
        return host_fail(hipErrorInvalidValue)
    for i in range(count):
        if joined(graph, first, then, i, &a, &b) != hipSuccess or depends(b, a):
            return host_fail(hipErrorInvalidValue)
    for i in range(count):
        joined(graph, first, then, i, &a, &b)
        if depends(b, a):  # twice in one call
            continue
        grown = <host_node **>realloc(b.before, (b.before_count + 1) * sizeof(host_node *))
        if grown == NULL:
            return host_fail(hipErrorOutOfMemory)
        b.before = grown
        grown[b.before_count] = a
        b.before_count += 1
    return hipSuccess


cdef public hipError_t hipGraphRemoveDependencies(
    void *graph, void *const *first, void *const *then, size_t count
) noexcept nogil:
    cdef host_node *a = NULL
    cdef host_node *b = NULL
    cdef size_t i
    if host_graph_of(graph) == NULL or (count and (first == NULL or then == NULL)):
        return host_fail(hipErrorInvalidValue)
    for i in range(count):
        if joined(graph, first, then, i, &a, &b) != hipSuccess or not depends(b, a):
            return host_fail(hipErrorInvalidValue)
    for i in range(count):
        joined(graph, first, then, i, &a, &b)
        cut(a, b)
    return hipSuccess


# ---- questions: each answers how many there are where it is given no room, and fills what room there is ----

cdef void answer(void **place, size_t room, size_t *count, host_node *node) noexcept nogil:
    if place != NULL and count[0] < room:
        place[count[0]] = node.handle
    count[0] += 1


cdef hipError_t answered(void **place, size_t room, size_t found, size_t *count) noexcept nogil:
    cdef size_t i
    if place == NULL:
        count[0] = found
        return hipSuccess
    for i in range(found, room):  # CUDA's: what is left over is set to NULL
        place[i] = NULL
    count[0] = found if found < room else room
    return hipSuccess


cdef public hipError_t hipGraphGetNodes(void *graph, void **nodes, size_t *count) noexcept nogil:
    cdef host_graph *known = host_graph_of(graph)
    cdef host_node *node
    cdef size_t found = 0
    if known == NULL or count == NULL:
        return host_fail(hipErrorInvalidValue)
    node = known.first
    while node != NULL:
        answer(nodes, count[0], &found, node)
        node = node.next
    return answered(nodes, count[0], found, count)


cdef public hipError_t hipGraphGetRootNodes(void *graph, void **nodes, size_t *count) noexcept nogil:
    cdef host_graph *known = host_graph_of(graph)
    cdef host_node *node
    cdef size_t found = 0
    if known == NULL or count == NULL:
        return host_fail(hipErrorInvalidValue)
    node = known.first
    while node != NULL:
        if node.before_count == 0:
            answer(nodes, count[0], &found, node)
        node = node.next
    return answered(nodes, count[0], found, count)


cdef public hipError_t hipGraphGetEdges(void *graph, void **first, void **then, size_t *count) noexcept nogil:
    cdef host_graph *known = host_graph_of(graph)
    cdef host_node *node
    cdef size_t i, found = 0, again = 0
    if known == NULL or count == NULL or (first == NULL) != (then == NULL):
        return host_fail(hipErrorInvalidValue)
    node = known.first
    while node != NULL:
        for i in range(node.before_count):
            answer(first, count[0], &found, node.before[i])
            answer(then, count[0], &again, node)
        node = node.next
    if then != NULL:
        for i in range(found, count[0]):
            then[i] = NULL
    return answered(first, count[0], found, count)


cdef public hipError_t hipGraphNodeGetDependencies(void *node, void **nodes, size_t *count) noexcept nogil:
    cdef host_node *known = node_of(node)
    cdef size_t i, found = 0
    if known == NULL or count == NULL:
        return host_fail(hipErrorInvalidValue)
    for i in range(known.before_count):
        answer(nodes, count[0], &found, known.before[i])
    return answered(nodes, count[0], found, count)


cdef public hipError_t hipGraphNodeGetDependentNodes(void *node, void **nodes, size_t *count) noexcept nogil:
    cdef host_node *known = node_of(node)
    cdef host_node *other
    cdef size_t found = 0
    if known == NULL or count == NULL:
        return host_fail(hipErrorInvalidValue)
    other = known.graph.first
    while other != NULL:
        if depends(other, known):
            answer(nodes, count[0], &found, other)
        other = other.next
    return answered(nodes, count[0], found, count)


cdef public hipError_t hipGraphNodeGetType(void *node, int *type) noexcept nogil:
    cdef host_node *known = node_of(node)
    if known == NULL or type == NULL:
        return host_fail(hipErrorInvalidValue)
    type[0] = known.type
    return hipSuccess


cdef const char *type_name(int type) noexcept nogil:
    if type == HOST_NODE_KERNEL:
        return b"call of a library"
    if type == HOST_NODE_MEMCPY:
        return b"copy"
    if type == HOST_NODE_MEMSET:
        return b"fill"
    if type == HOST_NODE_HOST:
        return b"host function"
    if type == HOST_NODE_GRAPH:
        return b"graph"
    if type == HOST_NODE_ALLOC:
        return b"memory taken"
    if type == HOST_NODE_FREE:
        return b"memory given back"
    if type == HOST_NODE_WAIT:
        return b"wait"
    return b"event" if type == HOST_NODE_EVENT else b"empty"


cdef public hipError_t hipGraphDebugDotPrint(void *graph, const char *path, unsigned int flags) noexcept nogil:
    """Nodes by their number in the order of making."""
    cdef host_graph *known = host_graph_of(graph)
    cdef host_node *node
    cdef FILE *file
    cdef uint32_t place = 0
    cdef size_t i
    cdef bint failed
    if known == NULL or path == NULL:
        return host_fail(hipErrorInvalidValue)
    file = fopen(path, b"w")
    if file == NULL:
        return host_fail(hipErrorInvalidValue)
    fprintf(file, b"digraph graph_1 {\n")
    node = known.first
    while node != NULL:
        node.place = place
        fprintf(file, b"  node_%u [label=\"%u: %s\"];\n", place, place, type_name(node.type))
        place += 1
        node = node.next
    node = known.first
    while node != NULL:
        for i in range(node.before_count):
            fprintf(file, b"  node_%u -> node_%u;\n", node.before[i].place, node.place)
        node = node.next
    failed = fprintf(file, b"}\n") < 0
    failed |= fclose(file) != 0
    return host_fail(hipErrorInvalidValue) if failed else hipSuccess


# ---- ready graphs ----

cdef public hipError_t hipGraphInstantiateWithFlags(void **exec_, void *graph, unsigned long long flags) noexcept nogil:
    """The flags are CUDA's: what they ask of memory and of the device makes no difference here."""
    cdef host_graph *known = host_graph_of(graph)
    cdef ready *made
    cdef host_slot *slot
    cdef hipError_t error
    if exec_ == NULL or known == NULL or known.recording or (flags & ~<unsigned long long>15):
        return host_fail(hipErrorInvalidValue)
    error = host_forbidden()
    if error != hipSuccess:
        return error
    made = <ready *>calloc(1, sizeof(ready))
    if made == NULL:
        return host_fail(hipErrorOutOfMemory)
    made.flags = flags
    error = prepare(known, &made.now)
    slot = host_slot_new(HOST_EXEC, made) if error == hipSuccess else NULL
    if slot == NULL:
        if error == hipSuccess:
            drop(&made.now)
            error = hipErrorOutOfMemory
        free(made)
        return host_fail(error)
    exec_[0] = slot
    return hipSuccess


cdef public hipError_t hipGraphInstantiate(
    void **exec_, void *graph, void **error_node, char *log, size_t log_size
) noexcept nogil:
    if error_node != NULL:
        error_node[0] = NULL
    if log != NULL and log_size:
        log[0] = 0
    return hipGraphInstantiateWithFlags(exec_, graph, 0)


cdef public hipError_t hipGraphExecGetFlags(void *exec_, unsigned long long *flags) noexcept nogil:
    cdef ready *made = enter(exec_)
    if made == NULL:
        return host_fail(hipErrorInvalidValue)
    if flags == NULL:
        return left(made, hipErrorInvalidValue)
    flags[0] = made.flags
    return left(made, hipSuccess)


cdef public hipError_t hipGraphExecDestroy(void *exec_) noexcept nogil:
    """A launch that is under way is let finish."""
    cdef host_slot *slot
    cdef ready *made = NULL
    dg_mutex_lock(&host_ready_lock)
    slot = host_slot_of(exec_, HOST_EXEC)
    if slot != NULL:
        made = <ready *>slot.object
        made.users += 1
        made.destroyed = True
        host_slot_free(slot)
    dg_mutex_unlock(&host_ready_lock)
    return left(made, hipSuccess) if made != NULL else host_fail(hipErrorInvalidValue)


cdef hipError_t launchable(hipStream_t stream) noexcept nogil:
    """A captured stream takes no launch, and its capture is over."""
    cdef int captured
    if not host_is_stream(stream):
        return host_fail(hipErrorInvalidHandle)
    captured = host_capture(stream)
    return captured if captured >= 0 else host_refuse_capture(stream)


cdef public hipError_t hipGraphUpload(void *exec_, hipStream_t stream) noexcept nogil:
    """Asks what a launch asks; there is nothing to bring anywhere."""
    cdef ready *made = enter(exec_)
    if made == NULL:
        return host_fail(hipErrorInvalidValue)
    leave(made)
    return launchable(stream)


cdef public hipError_t hipGraphLaunch(void *exec_, hipStream_t stream) noexcept nogil:
    """Runs the nodes. One that cannot be done ends the launch with a launch failure, as a kernel that faults would. A
    function of the graph's own cannot launch it: it is in the wrong state for that."""
    cdef ready *made = enter(exec_)
    cdef host_visit visit
    cdef host_node *node
    cdef hipError_t error
    cdef size_t i
    if made == NULL:
        return host_fail(hipErrorInvalidValue)
    error = launchable(stream)
    if error == hipSuccess and not begin(made, &visit):
        error = hipErrorIllegalState
    if error != hipSuccess:
        return left(made, error)
    for i in range(made.now.count):
        node = made.now.order[i]
        if node.run != NULL and not node.off and node.run(host_record_of(node)) != 0:
            error = hipErrorLaunchFailure
            break
    end(made, &visit)
    return left(made, error)


cdef host_node *in_ready(ready *made, const void *node) noexcept nogil:
    """The ready graph's own of a node of the graph that it was made from; a call, a copy or a fill, which alone can be
    switched."""
    cdef host_node *sought = node_of(node)
    cdef host_node *found = made.now.graph.first
    while sought != NULL and found != NULL:
        if found.origin == sought.handle.number:
            return found if found.type <= HOST_NODE_MEMSET else NULL
        found = found.next
    return NULL


cdef hipError_t turn(void *exec_, const void *node, unsigned int *enabled, bint off) noexcept nogil:
    """Tells whether the node is `enabled`, or else sets it."""
    cdef ready *made = enter(exec_)
    cdef host_visit visit
    cdef host_node *found
    if made == NULL:
        return host_fail(hipErrorInvalidValue)
    if not begin(made, &visit):
        return left(made, hipErrorIllegalState)
    found = in_ready(made, node)
    if found != NULL and enabled != NULL:
        enabled[0] = 0 if found.off else 1
    elif found != NULL:
        found.off = off
    end(made, &visit)
    return left(made, hipSuccess if found != NULL else hipErrorInvalidValue)


cdef public hipError_t hipGraphNodeSetEnabled(void *exec_, void *node, unsigned int enabled) noexcept nogil:
    return turn(exec_, node, NULL, enabled == 0)


cdef public hipError_t hipGraphNodeGetEnabled(void *exec_, void *node, unsigned int *enabled) noexcept nogil:
    return turn(exec_, node, enabled, False) if enabled != NULL else host_fail(hipErrorInvalidValue)


# ---- update ----

cdef enum:
    UPDATED = 0
    TOPOLOGY = 2  # hipGraphExecUpdateErrorTopologyChanged
    TYPE = 3      # hipGraphExecUpdateErrorNodeTypeChanged
    PARAMETERS = 5  # hipGraphExecUpdateErrorParametersChanged


cdef int differs(host_graph *old, host_graph *new, host_node **where) noexcept nogil:
    """How two graphs differ beyond the arguments of their nodes, and at which node of the new one."""
    cdef host_node *a = old.first
    cdef host_node *b = new.first
    cdef uint32_t place = 0
    cdef size_t i
    cdef int found
    if old.count != new.count:
        return TOPOLOGY
    while a != NULL:
        a.place = b.place = place
        place += 1
        a = a.next
        b = b.next
    a = old.first
    b = new.first
    while a != NULL:
        where[0] = b
        if a.before_count != b.before_count:
            return TOPOLOGY
        for i in range(a.before_count):
            if a.before[i].place != b.before[i].place:
                return TOPOLOGY
        if a.type != b.type:
            return TYPE
        if a.type == HOST_NODE_MEMCPY and not host_same_sides(host_record_of(a), host_record_of(b)):
            return PARAMETERS
        if a.child != NULL:
            found = differs(a.child, b.child, where)
            if found != UPDATED:
                return found
        a = a.next
        b = b.next
    where[0] = NULL
    return UPDATED


cdef hipError_t exchange(ready *made, host_graph *graph, program *new, host_node **where, int *result) noexcept nogil:
    """Puts a copy of the graph in the place of what is run, where only arguments differ; what was run is in `new`
    then."""
    cdef program old = made.now
    cdef hipError_t error
    cdef host_node *was
    cdef host_node *is_
    result[0] = differs(old.graph, graph, where)
    if result[0] != UPDATED:
        return hipErrorGraphExecUpdateFailure
    error = prepare(graph, new)
    if error != hipSuccess:
        return error
    was = old.graph.first
    is_ = new.graph.first
    while was != NULL:  # known by the nodes of the first graph still
        is_.origin = was.origin
        is_.off = was.off
        was = was.next
        is_ = is_.next
    made.now = new[0]
    new[0] = old
    return hipSuccess


cdef public hipError_t hipGraphExecUpdate(void *exec_, void *graph, void **error_node, int *result) noexcept nogil:
    cdef host_graph *known = host_graph_of(graph)
    cdef ready *made = enter(exec_) if known != NULL and result != NULL else NULL
    cdef host_node *where = NULL
    cdef program other
    cdef host_visit visit
    cdef hipError_t error
    if made == NULL:
        return host_fail(hipErrorInvalidValue)
    if error_node != NULL:
        error_node[0] = NULL
    if not begin(made, &visit):
        return left(made, hipErrorIllegalState)
    error = exchange(made, known, &other, &where, result)
    end(made, &visit)
    if error == hipSuccess:
        drop(&other)
    elif error_node != NULL and where != NULL:
        error_node[0] = where.handle
    return left(made, error)


# ---- objects that live as long as graphs ----

cdef public hipError_t hipUserObjectCreate(
    void **object, void *pointer, hipHostFn_t destroy, unsigned int count, unsigned int flags
) noexcept nogil:
    """`flags`: 1, that nobody may wait for the destructor."""
    cdef host_slot *slot
    if object == NULL or destroy == NULL or count == 0 or count > 0x7fffffffu or flags != 1:
        return host_fail(hipErrorInvalidValue)
    slot = new_object(pointer, <destructor>destroy, count, count)
    if slot == NULL:
        return host_fail(hipErrorOutOfMemory)
    object[0] = slot
    return hipSuccess


cdef bint some(unsigned int count) noexcept nogil:
    return 0 < count <= 0x7fffffffu


cdef public hipError_t hipUserObjectRetain(void *object, unsigned int count) noexcept nogil:
    cdef held_object *held
    dg_mutex_lock(&host_object_lock)
    held = held_of(object) if some(count) else NULL
    if held != NULL:
        held.shares += count
        held.own += count
    dg_mutex_unlock(&host_object_lock)
    return hipSuccess if held != NULL else host_fail(hipErrorInvalidValue)


cdef bint take_own(void *object, unsigned int count) noexcept nogil:
    """Takes shares from the program, if it has as many; they are the caller's then."""
    cdef held_object *held
    cdef bint enough
    dg_mutex_lock(&host_object_lock)
    held = held_of(object) if some(count) else NULL
    enough = held != NULL and held.own >= count
    if enough:
        held.own -= count
    dg_mutex_unlock(&host_object_lock)
    return enough


cdef public hipError_t hipUserObjectRelease(void *object, unsigned int count) noexcept nogil:
    if not take_own(object, count):
        return host_fail(hipErrorInvalidValue)
    release(<host_slot *>object, count)
    return hipSuccess


cdef public hipError_t hipGraphRetainUserObject(
    void *graph, void *object, unsigned int count, unsigned int flags
) noexcept nogil:
    """`flags`: 1, the program's shares become the graph's."""
    cdef host_graph *known = host_graph_of(graph)
    if known == NULL or flags > 1:
        return host_fail(hipErrorInvalidValue)
    if flags == 0 and hipUserObjectRetain(object, count) != hipSuccess:
        return hipErrorInvalidValue
    if not take_own(object, count):
        return host_fail(hipErrorInvalidValue)
    if not hold(known, <host_slot *>object, count):
        release(<host_slot *>object, count)
        return host_fail(hipErrorOutOfMemory)
    return hipSuccess


cdef public hipError_t hipGraphReleaseUserObject(void *graph, void *object, unsigned int count) noexcept nogil:
    cdef host_graph *known = host_graph_of(graph)
    cdef size_t i
    if known == NULL or count == 0:
        return host_fail(hipErrorInvalidValue)
    for i in range(known.held_count):
        if known.held[i].object == object and known.held[i].count >= count:
            known.held[i].count -= count
            if known.held[i].count == 0:
                known.held_count -= 1
                known.held[i] = known.held[known.held_count]
            release(<host_slot *>object, count)
            return hipSuccess
    return host_fail(hipErrorInvalidValue)


# ---- memory of graphs: what a capture takes belongs to the graph and goes with it, so nothing is kept back ----

cdef public hipError_t hipDeviceGraphMemTrim(int device) noexcept nogil:
    return hipSuccess if device == 0 else host_fail(hipErrorInvalidDevice)


cdef public hipError_t hipDeviceGetGraphMemAttribute(int device, int attribute, void *value) noexcept nogil:
    if device != 0:
        return host_fail(hipErrorInvalidDevice)
    if value == NULL or attribute < 0 or attribute > 3:
        return host_fail(hipErrorInvalidValue)
    (<uint64_t *>value)[0] = 0
    return hipSuccess


cdef public hipError_t hipDeviceSetGraphMemAttribute(int device, int attribute, void *value) noexcept nogil:
    """The two that can be set are the high marks, to 0."""
    if device != 0:
        return host_fail(hipErrorInvalidDevice)
    if value == NULL or (attribute != 1 and attribute != 3) or (<uint64_t *>value)[0] != 0:
        return host_fail(hipErrorInvalidValue)
    return hipSuccess
