/* What the CUDA runtime and the driver share: an event's handle, HIP's answer about a pointer. */
#ifndef DRAGOMAN_CUDART_SLOTS_H
#define DRAGOMAN_CUDART_SLOTS_H
#include <stddef.h>
#include <stdint.h>

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
