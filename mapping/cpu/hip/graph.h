/* Graphs of the CPU backend's HIP runtime: what graph.pyx defines and copy.pyx, stream.pyx and capture.pyx use.
 *
 * A node is a function and a copy of its arguments (`run` of `record`), whatever its kind: a copy, a fill, a host
 * function, or a call that one of the compute libraries recorded. Running a graph is calling the functions in order.
 */
#ifndef DRAGOMAN_CPU_HIP_GRAPH_H
#define DRAGOMAN_CPU_HIP_GRAPH_H
#include "hip.h"
#include "recorder.h" /* mapping/cpu/record: what the compute libraries see */

enum host_node_type {
    HOST_NODE_KERNEL = 0,
    HOST_NODE_MEMCPY = 1,
    HOST_NODE_MEMSET = 2,
    HOST_NODE_HOST = 3,
    HOST_NODE_GRAPH = 4,
    HOST_NODE_EMPTY = 5,
    HOST_NODE_WAIT = 6,
    HOST_NODE_EVENT = 7,
    HOST_NODE_ALLOC = 10,
    HOST_NODE_FREE = 11
};

typedef struct host_node host_node;
typedef struct host_graph host_graph;

struct host_node {
    host_slot *handle; /* what the program holds, if it can see the node */
    host_graph *graph;
    host_node *next;    /* in the order of making */
    host_node **before; /* the nodes that it depends on, each once */
    size_t before_count;
    uint64_t origin;         /* in a copy: the number of the node that it was made from */
    host_graph *child;       /* of HOST_NODE_GRAPH: a copy of its own */
    dg_run run;              /* NULL: nothing to do */
    size_t bytes;            /* of the record */
    int type;
    int off;       /* switched off in a ready graph */
    uint32_t mark; /* of a walk */
    uint32_t place; /* the same */
    uint64_t spare;
};

/* Something of the program's, or memory, that lives as long as a graph that holds it. */
typedef struct host_held {
    host_slot *object;
    unsigned count;
} host_held;

struct host_graph {
    host_slot *handle; /* the same */
    host_node *first, *last;
    size_t count;
    host_held *held;
    size_t held_count;
    int recording;           /* a capture writes it */
    host_node *owner;        /* the node that it is inside of, and goes with */
};

static inline void *host_record_of(host_node *node) { return node + 1; }
_Static_assert(sizeof(host_node) % 16 == 0, "a record behind a node is aligned");

/* graph.pyx */
host_graph *host_graph_new(void);
void host_graph_free(host_graph *graph);
host_graph *host_graph_of(const void *handle);
/* A node of the graph, its record copied; NULL where there is no memory. `before`: nodes of the same graph, each
 * once. */
host_node *host_node_new(host_graph *graph, int type, dg_run run, const void *record, size_t bytes,
                         host_node *const *before, size_t count);
/* The graph's for as long as it and its copies live; 0 where there is no memory. */
int host_graph_keep_memory(host_graph *graph, void *memory);
/* Marks these nodes and all that they depend on; 0 where there is no memory. */
int host_graph_mark(host_graph *graph, host_node *const *start, size_t count);

/* copy.pyx and stream.pyx: what they record, as a node that is made by hand has it. */
typedef struct host_recorded {
    dg_run run;
    size_t bytes; /* of the record */
    _Alignas(16) unsigned char record[256];
} host_recorded;
static inline void *host_record_start(host_recorded *to, dg_run run, size_t bytes) {
    to->run = run;
    to->bytes = bytes;
    return to->record;
}
/* The record, to be written. Its size is known when this is compiled, and one that does not fit ends the build. */
#define host_record_room(to, run, size)                                                                              \
    ((void)sizeof(struct {                                                                                           \
         int fits;                                                                                                   \
         _Static_assert((size) <= sizeof(((host_recorded *)0)->record), "it does not fit into a host_recorded");     \
     }),                                                                                                             \
     host_record_start(to, run, size))
hipError_t host_copy_record(void *dst, const void *src, size_t bytes, int kind, host_recorded *to);
hipError_t host_box_record(const hipMemcpy3DParms *box, host_recorded *to);
hipError_t host_fill_record(const hipMemsetParams *fill, host_recorded *to);
hipError_t host_function_record(const hipHostNodeParams *call, host_recorded *to);
hipError_t host_event_record(hipEvent_t event, host_recorded *to); /* it happens with each launch */
int host_same_sides(const void *record, const void *other); /* of two copies */
int host_never(void *record); /* `run` of work that NVIDIA records but cannot do: a graph with it is not made ready */

/* capture.pyx */
extern volatile int host_open_captures; /* how many captures there are in the process; 0: nobody has anything to ask */
int host_capture_of(const void *stream);
hipError_t host_forbidden_now(void);
hipError_t host_record(const void *stream, int type, dg_run run, const void *record, size_t bytes);
hipError_t host_capture_event(host_slot *event, const void *stream);
hipError_t host_capture_wait(const void *stream, const host_slot *event);
hipError_t host_captured_event(const host_slot *event, int breaks);
hipError_t host_refuse_capture(const void *stream);
hipError_t host_refuse_all(void);
hipError_t host_capture_alloc(const void *stream, void **memory, size_t bytes);
void host_leave_capture(host_slot *stream);
void host_forget_event(host_slot *event);

/* What work on a stream does: 0: run at once; -1: record it; else the error that it answers. */
static inline int host_capture(const void *stream) { return host_open_captures ? host_capture_of(stream) : 0; }
/* The error of a call that may not be made while streams are captured, or success. */
static inline hipError_t host_forbidden(void) { return host_open_captures ? host_forbidden_now() : hipSuccess; }
#endif
