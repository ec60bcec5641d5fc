/* HIP's C ABI as the CPU backend's HIP runtime needs it, and what its own units share.
 *
 * Names, numbers and layouts are those of HIP 7.2 (hip_runtime_api.h); the text is ours. Names that begin with
 * `host_` are internal: state.pyx defines them, the export list hides them.
 */
#ifndef DRAGOMAN_CPU_HIP_H
#define DRAGOMAN_CPU_HIP_H
#include <stddef.h>
#include <stdint.h>

typedef int hipError_t; /* an int where HIP has an enum: the same in the ABI, and any number may arrive */
enum {
    hipSuccess = 0,
    hipErrorInvalidValue = 1,
    hipErrorOutOfMemory = 2,
    hipErrorNotInitialized = 3,
    hipErrorInvalidPitchValue = 12,
    hipErrorInvalidMemcpyDirection = 21,
    hipErrorInvalidDevice = 101,
    hipErrorInvalidHandle = 400,
    hipErrorIllegalState = 401,
    hipErrorUnsupportedLimit = 215,
    hipErrorPeerAccessNotEnabled = 705,
    hipErrorHostMemoryAlreadyRegistered = 712,
    hipErrorHostMemoryNotRegistered = 713,
    hipErrorLaunchFailure = 719,
    hipErrorNotSupported = 801,
    hipErrorStreamCaptureUnsupported = 900,
    hipErrorStreamCaptureInvalidated = 901,
    hipErrorStreamCaptureMerge = 902,
    hipErrorStreamCaptureUnmatched = 903,
    hipErrorStreamCaptureUnjoined = 904,
    hipErrorStreamCaptureIsolation = 905,
    hipErrorStreamCaptureImplicit = 906,
    hipErrorCapturedEvent = 907,
    hipErrorStreamCaptureWrongThread = 908,
    hipErrorGraphExecUpdateFailure = 910
};

typedef void *hipStream_t;
typedef void *hipEvent_t;
typedef void *hipMemPool_t;
typedef void *hipDeviceptr_t;
typedef int hipDevice_t;
typedef void (*hipStreamCallback_t)(hipStream_t stream, hipError_t status, void *data);
typedef void (*hipHostFn_t)(void *data);

enum { hipMemcpyHostToHost, hipMemcpyHostToDevice, hipMemcpyDeviceToHost, hipMemcpyDeviceToDevice, hipMemcpyDefault,
       hipMemcpyDeviceToDeviceNoCU = 1024 };
enum { hipMemoryTypeUnregistered = 0, hipMemoryTypeHost = 1, hipMemoryTypeDevice = 2, hipMemoryTypeManaged = 3 };
enum { hipStreamNonBlocking = 1 };
enum { hipEventBlockingSync = 1, hipEventDisableTiming = 2, hipEventInterprocess = 4 };
enum { hipMemAttachGlobal = 1, hipMemAttachHost = 2 };

typedef struct hipPointerAttribute_t {
    int type;
    int device;
    void *devicePointer;
    void *hostPointer;
    int isManaged;
    unsigned allocationFlags;
} hipPointerAttribute_t;

typedef struct hipUUID {
    char bytes[16];
} hipUUID;

typedef struct hipExtent {
    size_t width, height, depth;
} hipExtent;

typedef struct hipPos {
    size_t x, y, z;
} hipPos;

typedef struct hipPitchedPtr {
    void *ptr;
    size_t pitch, xsize, ysize;
} hipPitchedPtr;

typedef struct hipMemcpy3DParms {
    void *srcArray;
    hipPos srcPos;
    hipPitchedPtr srcPtr;
    void *dstArray;
    hipPos dstPos;
    hipPitchedPtr dstPtr;
    hipExtent extent;
    int kind;
} hipMemcpy3DParms;

typedef struct hipMemsetParams {
    void *dst;
    unsigned elementSize;
    size_t height, pitch;
    unsigned value;
    size_t width;
} hipMemsetParams;

typedef struct hipHostNodeParams {
    hipHostFn_t fn;
    void *userData;
} hipHostNodeParams;

typedef struct hipMemLocation {
    int type, id;
} hipMemLocation;

typedef struct hipMemPoolProps {
    int allocType;
    int handleTypes;
    hipMemLocation location;
    void *win32SecurityAttributes;
    size_t maxSize;
    unsigned char reserved[56];
} hipMemPoolProps;

typedef struct hipDeviceProp_tR0600 {
    char name[256];
    hipUUID uuid;
    char luid[8];
    unsigned int luidDeviceNodeMask;
    size_t totalGlobalMem;
    size_t sharedMemPerBlock;
    int regsPerBlock;
    int warpSize;
    size_t memPitch;
    int maxThreadsPerBlock;
    int maxThreadsDim[3];
    int maxGridSize[3];
    int clockRate;
    size_t totalConstMem;
    int major;
    int minor;
    size_t textureAlignment;
    size_t texturePitchAlignment;
    int deviceOverlap;
    int multiProcessorCount;
    int kernelExecTimeoutEnabled;
    int integrated;
    int canMapHostMemory;
    int computeMode;
    int maxTexture1D;
    int maxTexture1DMipmap;
    int maxTexture1DLinear;
    int maxTexture2D[2];
    int maxTexture2DMipmap[2];
    int maxTexture2DLinear[3];
    int maxTexture2DGather[2];
    int maxTexture3D[3];
    int maxTexture3DAlt[3];
    int maxTextureCubemap;
    int maxTexture1DLayered[2];
    int maxTexture2DLayered[3];
    int maxTextureCubemapLayered[2];
    int maxSurface1D;
    int maxSurface2D[2];
    int maxSurface3D[3];
    int maxSurface1DLayered[2];
    int maxSurface2DLayered[3];
    int maxSurfaceCubemap;
    int maxSurfaceCubemapLayered[2];
    size_t surfaceAlignment;
    int concurrentKernels;
    int ECCEnabled;
    int pciBusID;
    int pciDeviceID;
    int pciDomainID;
    int tccDriver;
    int asyncEngineCount;
    int unifiedAddressing;
    int memoryClockRate;
    int memoryBusWidth;
    int l2CacheSize;
    int persistingL2CacheMaxSize;
    int maxThreadsPerMultiProcessor;
    int streamPrioritiesSupported;
    int globalL1CacheSupported;
    int localL1CacheSupported;
    size_t sharedMemPerMultiprocessor;
    int regsPerMultiprocessor;
    int managedMemory;
    int isMultiGpuBoard;
    int multiGpuBoardGroupID;
    int hostNativeAtomicSupported;
    int singleToDoublePrecisionPerfRatio;
    int pageableMemoryAccess;
    int concurrentManagedAccess;
    int computePreemptionSupported;
    int canUseHostPointerForRegisteredMem;
    int cooperativeLaunch;
    int cooperativeMultiDeviceLaunch;
    size_t sharedMemPerBlockOptin;
    int pageableMemoryAccessUsesHostPageTables;
    int directManagedMemAccessFromHost;
    int maxBlocksPerMultiProcessor;
    int accessPolicyMaxWindowSize;
    size_t reservedSharedMemPerBlock;
    int hostRegisterSupported;
    int sparseHipArraySupported;
    int hostRegisterReadOnlySupported;
    int timelineSemaphoreInteropSupported;
    int memoryPoolsSupported;
    int gpuDirectRDMASupported;
    unsigned int gpuDirectRDMAFlushWritesOptions;
    int gpuDirectRDMAWritesOrdering;
    unsigned int memoryPoolSupportedHandleTypes;
    int deferredMappingHipArraySupported;
    int ipcEventSupported;
    int clusterLaunch;
    int unifiedFunctionPointers;
    int reserved[63];
    int hipReserved[32];
    char gcnArchName[256];
    size_t maxSharedMemoryPerMultiProcessor;
    int clockInstructionRate;
    unsigned int arch;
    unsigned int *hdpMemFlushCntl;
    unsigned int *hdpRegFlushCntl;
    int cooperativeMultiDeviceUnmatchedFunc;
    int cooperativeMultiDeviceUnmatchedGridDim;
    int cooperativeMultiDeviceUnmatchedBlockDim;
    int cooperativeMultiDeviceUnmatchedSharedMem;
    int isLargeBar;
    int asicRevision;
} hipDeviceProp_tR0600;
_Static_assert(sizeof(hipDeviceProp_tR0600) == 1472, "hipDeviceProp_tR0600 has the layout of HIP 6 and 7");
_Static_assert(offsetof(hipDeviceProp_tR0600, gcnArchName) == 1160,
               "hipDeviceProp_tR0600 has the layout of HIP 6 and 7");
_Static_assert(sizeof(hipMemcpy3DParms) == 160, "hipMemcpy3DParms");
_Static_assert(sizeof(hipMemsetParams) == 48, "hipMemsetParams");
_Static_assert(sizeof(hipMemPoolProps) == 88, "hipMemPoolProps");

/* ---- shared by the units of this runtime ---- */

/* One range of memory that the runtime knows. */
typedef struct host_slot host_slot;
typedef struct host_block {
    uintptr_t base;
    size_t size;
    int kind;       /* host_block_kind */
    unsigned flags; /* as the program gave them */
    host_slot *pool; /* whose it is, or NULL */
    /* What is known of managed memory; places are HIP's numbers plus 2, so that 0 is none. */
    unsigned char read_mostly;
    unsigned char accessed;   /* bit 0: by the device, bit 1: by the host */
    unsigned char preferred;  /* place */
    unsigned char prefetched; /* place */
} host_block;

enum host_block_kind {
    HOST_NONE = 0,
    HOST_DEVICE = 1,
    HOST_PINNED = 2,
    HOST_MANAGED = 3,
    HOST_REGISTERED = 4,
    HOST_GRAPHS = 5 /* device memory that belongs to graphs: taken while a stream was captured */
};

/* A stream, an event, a memory pool, or what graphs are made of. Slots are never given back to the system, so a stale
 * handle can be looked at. */
struct host_slot {
    uint32_t kind;  /* host_slot_kind; 0 while free */
    uint32_t flags;
    int32_t priority;
    int32_t recorded;
    int64_t time;   /* of an event's last record, in nanoseconds; the most that a pool had in use */
    union {
        uint64_t threshold; /* of a pool */
        uint64_t number;    /* of all else: never used again, where a slot's address is */
    };
    int32_t reuse[4];     /* of a pool: attributes 1 to 3 */
    union {
        struct host_slot *next; /* of a free slot: in the list of them */
        void *object;           /* of a living one: what it stands for. Streams and events: their part in a capture */
    };
    uint64_t used;        /* of a pool: bytes */
};
_Static_assert(sizeof(host_slot) == 64, "a slot is one cache line");

enum host_slot_kind {
    HOST_STREAM = 0x4d525453,
    HOST_EVENT = 0x544e5645,
    HOST_POOL = 0x4c4f4f50,
    HOST_GRAPH = 0x48505247,
    HOST_NODE = 0x45444f4e,
    HOST_EXEC = 0x43455845,
    HOST_OBJECT = 0x4a424f55
};

/* Keeps an error as the calling thread's last one and hands it back; success is handed back alone. */
hipError_t host_fail(hipError_t error);

/* Memory that this runtime owns or that was registered with it. */
hipError_t host_take(void **pointer, size_t size, int kind, unsigned flags, host_slot *pool);
hipError_t host_give(void *pointer, int kind, int other_kind);
hipError_t host_register(void *pointer, size_t size, unsigned flags);
hipError_t host_unregister(void *pointer);
/* Takes note of HIP's advice 1 to 6, or of a prefetch (0), for the managed block that the pointer lies in. */
int host_advise(const void *pointer, int advice, int device);
int host_find(const void *pointer, host_block *found); /* 1 when the pointer lies in a known range */
size_t host_used(void);
/* `reset`: the most is what is used now */
void host_pool_use(host_slot *pool, uint64_t *used, uint64_t *most, int reset);

/* Slots behind opaque handles. */
host_slot *host_slot_new(uint32_t kind, void *object);
void host_slot_free(host_slot *slot);
host_slot *host_slot_of(const void *handle, uint32_t kind); /* NULL for whatever is no living handle */
int host_is_stream(const void *stream);                     /* NULL, legacy (1) and per-thread (2) are streams too */
host_slot *host_default_pool(void);
host_slot *host_current_pool(host_slot *choose); /* NULL: only ask */
void host_reset(void);                           /* hipDeviceReset: frees device memory */
#endif
