/* Contexts of the CUDA driver over HIP, which has none: what is current is a device and a handle that stands for it.
 *
 * A context is a slot of the core. Each device has one primary context, counted by Retain and Release; the others are
 * made by cuCtxCreate. Each thread has a stack of contexts; the top one's device is HIP's current device. Where a
 * program has used our CUDA runtime or a library above it, a thread with an empty stack has the primary context of its
 * current device, as with NVIDIA's.
 */
#ifndef DRAGOMAN_CUDA_CONTEXTS_H
#define DRAGOMAN_CUDA_CONTEXTS_H
#include "cuda_abi.h"
#include "cudart/slots.h"
#include "dragoman.h"

#define DG_CONTEXT 0x54585443u /* kind of slot */
typedef struct cuda_context {
    uint32_t magic;
    int32_t device;
    uint32_t flags;
    uint32_t primary;
} cuda_context;

/* CUctxCreateParams and CUmemLocation, by their members: CUDA 11 has not the one, and all pass the other by value. */
typedef struct cuda_wishes {
    void *shares;
    int count; /* of shares */
    void *graphics;
} cuda_wishes;
typedef struct cuda_place {
    int type;
    int id;
} cuda_place;

/* cuInit was called, or our runtime has been used, which does it by itself. */
DG_HIDDEN int cuda_ready(void);
DG_HIDDEN void cuda_init(void);

/* The calling thread's context or NULL. `device` is HIP's current one, for the primary context that is there
 * unasked. */
DG_HIDDEN void *cuda_current(int device);
DG_HIDDEN int cuda_push(void *context);  /* 0: the stack is full */
DG_HIDDEN void *cuda_pop(void);          /* NULL: the stack is empty */
DG_HIDDEN void cuda_set(void *context);  /* replaces the top; NULL empties it */
DG_HIDDEN void cuda_forget(void *context); /* takes a dying context out of the calling thread's stack */

/* Primary contexts. */
enum { CUDA_DEVICES = 64 };
DG_HIDDEN void *cuda_primary(int device, int hold); /* made where absent; hold: counts one more holder */
DG_HIDDEN int cuda_primary_release(int device);     /* 0: nobody holds it */
DG_HIDDEN int cuda_primary_held(int device);
DG_HIDDEN uint32_t *cuda_primary_flags(int device);

/* A function of this library by name, version and flags; `found` is CUdriverProcAddressQueryResult. */
DG_HIDDEN void *cuda_function(const char *name, int version, uint64_t flags, int *found);
#endif
