/* What the blocks of the CUDA runtime share: the last error, launch sizes, events, and a few layouts.
 *
 * The last error is ours, a thread's own, and HIP's is cleared when it becomes ours: rocBLAS asks HIP for errors
 * around its launches and must not find one that belongs to the program. Two rules are NVIDIA's, seen on its library:
 * cudaErrorNotReady is not kept, and an error that broke the device's memory sticks until cudaDeviceReset.
 */
#ifndef DRAGOMAN_CUDART_KEEP_H
#define DRAGOMAN_CUDART_KEEP_H
#include "cudart_abi.h"
#include "dragoman.h"
#include "slots.h"

/* Keeps an error as the thread's last one and hands the status back. */
DG_HIDDEN cudaError_t cudart_keep(cudaError_t status);
DG_HIDDEN cudaError_t cudart_last(int forget);
DG_HIDDEN void cudart_forget_all(void); /* also the error that sticks */

/* Flags of the device that HIP has no word for; with `set`, `flags` take their place. */
DG_HIDDEN unsigned cudart_flags(int set, unsigned flags);
enum { CUDART_SYNC_MEMOPS = 0x80 };

/* Launch sizes between __cudaPushCallConfiguration and its Pop; a thread's own. 0 where the stack is full or empty. */
DG_HIDDEN int cudart_push(dim3 grid, dim3 block, size_t shared, void *stream);
DG_HIDDEN int cudart_pop(dim3 *grid, dim3 *block, size_t *shared, void **stream);

/* The handle that __cudaRegisterFatBinary gives: one for all, since nothing is read from it. */
DG_HIDDEN void **cudart_module(void);

/* A function of our own CUDA driver, by name: 0 and NULL where there is no such library beside us, or no such name. */
DG_HIDDEN int cudart_driver(const char *name, void **function, int version, unsigned long long flags, int *found);

/* cudaPointerAttributes: what is written of it, the same in all versions. */
typedef struct cudart_pointer {
    int type;
    int device;
    void *device_pointer;
    void *host_pointer;
} cudart_pointer;
/* Behind it, since CUDA 13: a reserve of 8 words, the first of which got a meaning in 13.5. */
enum { CUDART_POINTER_RESERVE = 8 * sizeof(long) };

/* cudaPitchedPtr. */
typedef struct cudart_pitched {
    void *ptr;
    size_t pitch, xsize, ysize;
} cudart_pitched;

/* cudaMemLocation. */
typedef struct cudart_place {
    int type; /* 1: a device, 2: the host, 3 and 4: a part of the host's memory */
    int id;
} cudart_place;

/* cudaMemcpy3DPeerParms, and hipMemcpy3DParms, which is cudaMemcpy3DParms. */
typedef struct cudart_box_end {
    void *array;
    size_t pos[3];
    struct {
        void *ptr;
        size_t pitch, xsize, ysize;
    } at;
} cudart_box_end;
typedef struct cudart_peer_box {
    cudart_box_end src;
    int src_device;
    cudart_box_end dst;
    int dst_device;
    size_t extent[3];
} cudart_peer_box;
typedef struct cudart_box {
    cudart_box_end src;
    cudart_box_end dst;
    size_t extent[3];
    int kind;
} cudart_box;
_Static_assert(sizeof(cudart_box) == 160, "hipMemcpy3DParms");
_Static_assert(sizeof(cudart_peer_box) == 168, "cudaMemcpy3DPeerParms");

/* cudaGraphExecUpdateResultInfo. */
typedef struct cudart_update {
    int result;
    void *node;
    void *from;
} cudart_update;

/* cudaMemsetParams, and hipMemsetParams. */
typedef struct cudart_fill {
    void *dst;
    size_t pitch;
    unsigned value, element;
    size_t width, height;
} cudart_fill;
typedef struct dg_hip_fill {
    void *dst;
    unsigned element;
    size_t height, pitch;
    unsigned value;
    size_t width;
} dg_hip_fill;
#endif
