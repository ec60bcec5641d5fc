/* How the CPU backend's compute libraries record their calls while a stream is captured: the HIP runtime's offer to
 * them.
 *
 * AMD's interface has no such function: a real library launches kernels, and the runtime sees them. Here a call of a
 * library is the unit of work, so it is the library that says "run this later".
 */
#ifndef DRAGOMAN_CPU_RECORDER_H
#define DRAGOMAN_CPU_RECORDER_H
#include <stddef.h>

/* Does recorded work; answers 0, or anything else where it could not be done. */
typedef int (*dg_run)(void *record);

typedef struct dg_recorder {
    const volatile int *open; /* captures in the process: while it is 0, nothing need be asked */
    /* 0: work on the stream runs at once; -1: it is to be recorded; else a HIP error, and the capture is over. */
    int (*state)(const void *stream);
    /* Keeps a copy of the record; each launch calls run with it. A HIP error, or 0. */
    int (*record)(const void *stream, dg_run run, const void *record, size_t bytes);
    /* Work that cannot be recorded: the capture becomes invalid. The HIP error for it. */
    int (*refuse)(const void *stream);
} dg_recorder;

/* const dg_recorder *hipDragomanRecorder(void); */
#endif
