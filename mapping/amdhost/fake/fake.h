/* What the fake HIP runtime adds to the CPU backend's: two devices, capture, launches, and a log of what was asked.
 *
 * Its functions replace those of the same name in mapping/cpu/hip, which it still calls: there they are compiled as
 * `host_hipMalloc` and so on (fake.py). Exported names of its own begin with `fakehip_`.
 */
#ifndef DRAGOMAN_AMDHOST_FAKE_H
#define DRAGOMAN_AMDHOST_FAKE_H
#include "hip.h"
#include "platform.h"
#include <stdlib.h>

enum { hipErrorInvalidConfiguration = 9, hipErrorNotFound = 500 };

enum { FAKE_DEVICES = 2, FAKE_STREAMS = 256, FAKE_BLOCKS = 4096 };

/* What happened. The numbers are known to log.py too. */
enum fake_kind {
    FAKE_CALL = 1,    /* a function of rocBLAS is entered: subject is its first argument, name its name */
    FAKE_CREATED,     /* a rocblas_handle was made: subject */
    FAKE_STREAM,      /* rocblas_set_stream answered: subject the handle, stream the stream, size the status */
    FAKE_LAUNCH,      /* a kernel: name, size is its number of blocks */
    FAKE_REFUSED,     /* a launch that no device would take: name says why */
    FAKE_SET,         /* memory set or copied on a stream */
    FAKE_COPY,        /* a copy that the caller waits for */
    FAKE_ALLOC,       /* hipMalloc and its like */
    FAKE_FREE,
    FAKE_ALLOC_ASYNC,
    FAKE_FREE_ASYNC,
    FAKE_WAIT,        /* a wait for a stream (stream) or for all (stream ~0) */
    FAKE_QUERY,
    FAKE_ORDER,       /* one stream waits for another's event */
    FAKE_DESTROYED,   /* a rocblas_handle was given back: subject */
    FAKE_ANSWER,      /* a function of rocBLAS returns: subject as for FAKE_CALL, size its answer */
    FAKE_FETCH,       /* a copy to the host that nobody waits for */
};

typedef struct fake_event {
    uint16_t kind;
    int16_t device;      /* current when it happened */
    int16_t capturing;   /* the stream is being captured; for what has no stream: any is */
    int16_t home;        /* the device of the stream or block, -1 where it has none */
    uint32_t thread;
    uint32_t spare;
    void *stream;
    const void *subject;
    uint64_t size;
    const char *name;
} fake_event;
_Static_assert(sizeof(fake_event) == 48, "log.py reads it");

typedef struct fake_dim3 {
    uint32_t x, y, z;
} fake_dim3;

/* The struct of HIP 5 and of the plain name ever since, as far as anything here looks. */
typedef struct fake_old_properties {
    char name[256];
    size_t totalGlobalMem, sharedMemPerBlock;
    int regsPerBlock, warpSize, maxThreadsPerBlock, maxThreadsDim[3], maxGridSize[3];
    int clockRate, memoryClockRate, memoryBusWidth;
    size_t totalConstMem;
    int major, minor, multiProcessorCount, l2CacheSize, maxThreadsPerMultiProcessor, computeMode;
    int clockInstructionRate;
    unsigned arch;
    int concurrentKernels, pciDomainID, pciBusID, pciDeviceID;
    size_t maxSharedMemoryPerMultiProcessor;
    int isMultiGpuBoard, canMapHostMemory, gcnArch;
    char gcnArchName[256];
} fake_old_properties;
_Static_assert(offsetof(fake_old_properties, gcnArchName) == 396, "the layout of HIP 5");

#define FAKE_ALL ((void *)~(uintptr_t)0)

/* From the unit that says which release it is. */
extern const int fake_hip_version;

void fake_log(int kind, void *stream, const void *subject, uint64_t size, const char *name);
int fake_device(void);
int fake_choose(int device);
int fake_home(void *stream);
void fake_settle(void *stream, int device);
void fake_block(void *base, int device);
int fake_block_home(const void *base);
int fake_captured(void *stream);
#endif
