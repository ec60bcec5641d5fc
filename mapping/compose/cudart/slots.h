/* What the CUDA runtime and the driver share: how a stream is named, an event's handle, HIP's answer about a pointer. */
#ifndef DRAGOMAN_CUDART_SLOTS_H
#define DRAGOMAN_CUDART_SLOTS_H
#include <stddef.h>
#include <stdint.h>

/* Streams as HIP knows them. CUDA's 0x1 is the default stream under a name of its own, which HIP has only of late; 0x2,
 * the calling thread's own default stream, is HIP's too. In the _ptsz twins no stream at all means that one. */
static inline void *to_stream(const void *stream) { return stream == (void *)1 ? NULL : (void *)stream; }
static inline void *own_stream(const void *stream) { return stream ? to_stream(stream) : (void *)2; }

#define DG_EVENT 0x544e5645u /* kind of slot, as in dragoman.h: an event of cudart or libcuda */
typedef struct dg_event {
    uint32_t magic;
    uint32_t flags;
    void *hip;
} dg_event;

/* hipPointerAttribute_t of ROCm 5 to 7. */
typedef struct dg_hip_pointer {
    int type;
    int device;
    void *device_pointer;
    void *host_pointer;
    int managed;
    unsigned flags;
    uint64_t room[6];
} dg_hip_pointer;
#endif
