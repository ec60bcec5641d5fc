/* Recording, from a compute library's side: one look that costs ordinary calls next to nothing, and a way to say
 * "later".
 *
 * A call on a captured stream is recorded as the library's own function with a copy of its arguments (recorder.h); a
 * launch of the graph calls that function again. Each library finds the HIP runtime that lies beside it when its first
 * handle is made.
 */
#ifndef DRAGOMAN_CPU_RECORD_H
#define DRAGOMAN_CPU_RECORD_H
#include <stdint.h>
#include "recorder.h"

#define RECORD_NO_STREAM ((void *)(intptr_t)-1) /* the stream of calls that a launch makes: never captured */

extern const volatile int *record_open; /* record.pyx: points at 0 until a runtime is known */

/* What a call on the stream does: 0: runs; -1: is recorded; else the HIP error of a capture that is over. */
int record_ask(const void *stream);
static inline int record_state(const void *stream) {
    return __builtin_expect(*record_open != 0, 0) ? record_ask(stream) : 0;
}

void record_find(void); /* looks for the runtime, once; whoever makes a handle calls it */
int record_keep(const void *stream, dg_run run, const void *record, size_t bytes); /* 0, or a HIP error */
void record_refuse(const void *stream);
#endif
