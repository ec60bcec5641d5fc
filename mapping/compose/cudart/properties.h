/* What a CUDA program may ask about a device, and where the answer comes from.
 *
 * cudaDeviceGetAttribute and cudaGetDeviceProperties answer from one table, through HIP's attributes: these keep their
 * numbers from ROCm 5.5 on, the property struct of HIP does not. `CUDART_NOTHING` is an attribute that HIP has no word
 * for: it is 0. The compute capability is a choice: AMD hardware has none. 8.6 is what ZLUDA answers, so that a program
 * sees the same device with its runtime and with ours.
 */
#ifndef DRAGOMAN_CUDART_PROPERTIES_H
#define DRAGOMAN_CUDART_PROPERTIES_H
#include <stddef.h>
#include <stdint.h>

enum { CUDART_MAJOR = 8, CUDART_MINOR = 6 };
enum { CUDART_NOTHING = 0, CUDART_FIXED = 1, CUDART_HIP = 2 };

typedef struct cudart_attribute {
    short how;  /* one of the above; NOTHING for the numbers between, which NVIDIA answers with 0 */
    short hip;  /* hipDeviceAttribute_t, or the fixed answer */
} cudart_attribute;

static const cudart_attribute cudart_attributes[] = {
    [1] = {CUDART_HIP, 56}, /* cudaDevAttrMaxThreadsPerBlock */
    [2] = {CUDART_HIP, 26}, /* cudaDevAttrMaxBlockDimX */
    [3] = {CUDART_HIP, 27}, /* cudaDevAttrMaxBlockDimY */
    [4] = {CUDART_HIP, 28}, /* cudaDevAttrMaxBlockDimZ */
    [5] = {CUDART_HIP, 29}, /* cudaDevAttrMaxGridDimX */
    [6] = {CUDART_HIP, 30}, /* cudaDevAttrMaxGridDimY */
    [7] = {CUDART_HIP, 31}, /* cudaDevAttrMaxGridDimZ */
    [8] = {CUDART_HIP, 74}, /* cudaDevAttrMaxSharedMemoryPerBlock */
    [9] = {CUDART_HIP, 83}, /* cudaDevAttrTotalConstantMemory */
    [10] = {CUDART_HIP, 87}, /* cudaDevAttrWarpSize */
    [11] = {CUDART_HIP, 58}, /* cudaDevAttrMaxPitch */
    [12] = {CUDART_HIP, 71}, /* cudaDevAttrMaxRegistersPerBlock */
    [13] = {CUDART_HIP, 5}, /* cudaDevAttrClockRate */
    [14] = {CUDART_HIP, 81}, /* cudaDevAttrTextureAlignment */
    [15] = {CUDART_HIP, 12}, /* cudaDevAttrGpuOverlap */
    [16] = {CUDART_HIP, 63}, /* cudaDevAttrMultiProcessorCount */
    [17] = {CUDART_HIP, 18}, /* cudaDevAttrKernelExecTimeout */
    [18] = {CUDART_HIP, 16}, /* cudaDevAttrIntegrated */
    [19] = {CUDART_HIP, 3}, /* cudaDevAttrCanMapHostMemory */
    [20] = {CUDART_HIP, 6}, /* cudaDevAttrComputeMode */
    [21] = {CUDART_HIP, 39}, /* cudaDevAttrMaxTexture1DWidth */
    [22] = {CUDART_HIP, 43}, /* cudaDevAttrMaxTexture2DWidth */
    [23] = {CUDART_HIP, 44}, /* cudaDevAttrMaxTexture2DHeight */
    [24] = {CUDART_HIP, 49}, /* cudaDevAttrMaxTexture3DWidth */
    [25] = {CUDART_HIP, 50}, /* cudaDevAttrMaxTexture3DHeight */
    [26] = {CUDART_HIP, 51}, /* cudaDevAttrMaxTexture3DDepth */
    [27] = {CUDART_HIP, 46}, /* cudaDevAttrMaxTexture2DLayeredWidth */
    [28] = {CUDART_NOTHING, 0}, /* cudaDevAttrMaxTexture2DLayeredHeight */
    [29] = {CUDART_NOTHING, 0}, /* cudaDevAttrMaxTexture2DLayeredLayers */
    [30] = {CUDART_HIP, 79}, /* cudaDevAttrSurfaceAlignment */
    [31] = {CUDART_HIP, 8}, /* cudaDevAttrConcurrentKernels */
    [32] = {CUDART_HIP, 0}, /* cudaDevAttrEccEnabled */
    [33] = {CUDART_HIP, 67}, /* cudaDevAttrPciBusId */
    [34] = {CUDART_HIP, 68}, /* cudaDevAttrPciDeviceId */
    [35] = {CUDART_HIP, 80}, /* cudaDevAttrTccDriver */
    [36] = {CUDART_HIP, 60}, /* cudaDevAttrMemoryClockRate */
    [37] = {CUDART_HIP, 59}, /* cudaDevAttrGlobalMemoryBusWidth */
    [38] = {CUDART_HIP, 19}, /* cudaDevAttrL2CacheSize */
    [39] = {CUDART_HIP, 57}, /* cudaDevAttrMaxThreadsPerMultiProcessor */
    [40] = {CUDART_HIP, 2}, /* cudaDevAttrAsyncEngineCount */
    [41] = {CUDART_HIP, 85}, /* cudaDevAttrUnifiedAddressing */
    [42] = {CUDART_HIP, 40}, /* cudaDevAttrMaxTexture1DLayeredWidth */
    [43] = {CUDART_NOTHING, 0}, /* cudaDevAttrMaxTexture1DLayeredLayers */
    [45] = {CUDART_HIP, 45}, /* cudaDevAttrMaxTexture2DGatherWidth */
    [46] = {CUDART_NOTHING, 0}, /* cudaDevAttrMaxTexture2DGatherHeight */
    [47] = {CUDART_HIP, 52}, /* cudaDevAttrMaxTexture3DWidthAlt */
    [48] = {CUDART_NOTHING, 0}, /* cudaDevAttrMaxTexture3DHeightAlt */
    [49] = {CUDART_NOTHING, 0}, /* cudaDevAttrMaxTexture3DDepthAlt */
    [50] = {CUDART_HIP, 69}, /* cudaDevAttrPciDomainId */
    [51] = {CUDART_HIP, 82}, /* cudaDevAttrTexturePitchAlignment */
    [52] = {CUDART_HIP, 53}, /* cudaDevAttrMaxTextureCubemapWidth */
    [53] = {CUDART_HIP, 54}, /* cudaDevAttrMaxTextureCubemapLayeredWidth */
    [54] = {CUDART_NOTHING, 0}, /* cudaDevAttrMaxTextureCubemapLayeredLayers */
    [55] = {CUDART_HIP, 32}, /* cudaDevAttrMaxSurface1DWidth */
    [56] = {CUDART_HIP, 34}, /* cudaDevAttrMaxSurface2DWidth */
    [57] = {CUDART_NOTHING, 0}, /* cudaDevAttrMaxSurface2DHeight */
    [58] = {CUDART_HIP, 36}, /* cudaDevAttrMaxSurface3DWidth */
    [59] = {CUDART_NOTHING, 0}, /* cudaDevAttrMaxSurface3DHeight */
    [60] = {CUDART_NOTHING, 0}, /* cudaDevAttrMaxSurface3DDepth */
    [61] = {CUDART_HIP, 33}, /* cudaDevAttrMaxSurface1DLayeredWidth */
    [62] = {CUDART_NOTHING, 0}, /* cudaDevAttrMaxSurface1DLayeredLayers */
    [63] = {CUDART_HIP, 35}, /* cudaDevAttrMaxSurface2DLayeredWidth */
    [64] = {CUDART_NOTHING, 0}, /* cudaDevAttrMaxSurface2DLayeredHeight */
    [65] = {CUDART_NOTHING, 0}, /* cudaDevAttrMaxSurface2DLayeredLayers */
    [66] = {CUDART_HIP, 37}, /* cudaDevAttrMaxSurfaceCubemapWidth */
    [67] = {CUDART_HIP, 38}, /* cudaDevAttrMaxSurfaceCubemapLayeredWidth */
    [68] = {CUDART_NOTHING, 0}, /* cudaDevAttrMaxSurfaceCubemapLayeredLayers */
    [69] = {CUDART_HIP, 41}, /* cudaDevAttrMaxTexture1DLinearWidth */
    [70] = {CUDART_HIP, 47}, /* cudaDevAttrMaxTexture2DLinearWidth */
    [71] = {CUDART_NOTHING, 0}, /* cudaDevAttrMaxTexture2DLinearHeight */
    [72] = {CUDART_NOTHING, 0}, /* cudaDevAttrMaxTexture2DLinearPitch */
    [73] = {CUDART_HIP, 48}, /* cudaDevAttrMaxTexture2DMipmappedWidth */
    [74] = {CUDART_NOTHING, 0}, /* cudaDevAttrMaxTexture2DMipmappedHeight */
    [75] = {CUDART_FIXED, CUDART_MAJOR}, /* cudaDevAttrComputeCapabilityMajor */
    [76] = {CUDART_FIXED, CUDART_MINOR}, /* cudaDevAttrComputeCapabilityMinor */
    [77] = {CUDART_HIP, 42}, /* cudaDevAttrMaxTexture1DMipmappedWidth */
    [78] = {CUDART_HIP, 78}, /* cudaDevAttrStreamPrioritiesSupported */
    [79] = {CUDART_HIP, 14}, /* cudaDevAttrGlobalL1CacheSupported */
    [80] = {CUDART_HIP, 20}, /* cudaDevAttrLocalL1CacheSupported */
    [81] = {CUDART_HIP, 10002}, /* cudaDevAttrMaxSharedMemoryPerMultiprocessor */
    [82] = {CUDART_HIP, 72}, /* cudaDevAttrMaxRegistersPerMultiprocessor */
    [83] = {CUDART_HIP, 24}, /* cudaDevAttrManagedMemory */
    [84] = {CUDART_HIP, 17}, /* cudaDevAttrIsMultiGpuBoard */
    [85] = {CUDART_HIP, 62}, /* cudaDevAttrMultiGpuBoardGroupID */
    [86] = {CUDART_HIP, 15}, /* cudaDevAttrHostNativeAtomicSupported */
    [87] = {CUDART_HIP, 77}, /* cudaDevAttrSingleToDoublePrecisionPerfRatio */
    [88] = {CUDART_HIP, 65}, /* cudaDevAttrPageableMemoryAccess */
    [89] = {CUDART_HIP, 9}, /* cudaDevAttrConcurrentManagedAccess */
    [90] = {CUDART_HIP, 7}, /* cudaDevAttrComputePreemptionSupported */
    [91] = {CUDART_HIP, 4}, /* cudaDevAttrCanUseHostPointerForRegisteredMem */
    [95] = {CUDART_NOTHING, 0}, /* cudaDevAttrCooperativeLaunch */
    [96] = {CUDART_NOTHING, 0}, /* cudaDevAttrCooperativeMultiDeviceLaunch */
    [97] = {CUDART_HIP, 75}, /* cudaDevAttrMaxSharedMemoryPerBlockOptin */
    [98] = {CUDART_NOTHING, 0}, /* cudaDevAttrCanFlushRemoteWrites */
    [99] = {CUDART_HIP, 90}, /* cudaDevAttrHostRegisterSupported */
    [100] = {CUDART_HIP, 66}, /* cudaDevAttrPageableMemoryAccessUsesHostPageTables */
    [101] = {CUDART_HIP, 13}, /* cudaDevAttrDirectManagedMemAccessFromHost */
    [106] = {CUDART_HIP, 25}, /* cudaDevAttrMaxBlocksPerMultiprocessor */
    [108] = {CUDART_HIP, 70}, /* cudaDevAttrMaxPersistingL2CacheSize */
    [109] = {CUDART_HIP, 1}, /* cudaDevAttrMaxAccessPolicyWindowSize */
    [111] = {CUDART_HIP, 73}, /* cudaDevAttrReservedSharedMemoryPerBlock */
    [112] = {CUDART_NOTHING, 0}, /* cudaDevAttrSparseCudaArraySupported */
    [113] = {CUDART_NOTHING, 0}, /* cudaDevAttrHostRegisterReadOnlySupported */
    [114] = {CUDART_NOTHING, 0}, /* cudaDevAttrTimelineSemaphoreInteropSupported */
    [115] = {CUDART_HIP, 88}, /* cudaDevAttrMemoryPoolsSupported */
    [116] = {CUDART_NOTHING, 0}, /* cudaDevAttrGPUDirectRDMASupported */
    [117] = {CUDART_NOTHING, 0}, /* cudaDevAttrGPUDirectRDMAFlushWritesOptions */
    [118] = {CUDART_NOTHING, 0}, /* cudaDevAttrGPUDirectRDMAWritesOrdering */
    [119] = {CUDART_HIP, 91}, /* cudaDevAttrMemoryPoolSupportedHandleTypes */
    [120] = {CUDART_NOTHING, 0}, /* cudaDevAttrClusterLaunch */
    [121] = {CUDART_NOTHING, 0}, /* cudaDevAttrDeferredMappingCudaArraySupported */
    [125] = {CUDART_NOTHING, 0}, /* cudaDevAttrIpcEventSupport */
    [126] = {CUDART_NOTHING, 0}, /* cudaDevAttrMemSyncDomainCount */
    [130] = {CUDART_NOTHING, 0}, /* cudaDevAttrNumaConfig */
    [131] = {CUDART_NOTHING, 0}, /* cudaDevAttrNumaId */
    [133] = {CUDART_NOTHING, 0}, /* cudaDevAttrMpsEnabled */
    [134] = {CUDART_NOTHING, 0}, /* cudaDevAttrHostNumaId */
    [135] = {CUDART_NOTHING, 0}, /* cudaDevAttrD3D12CigSupported */
    [138] = {CUDART_NOTHING, 0}, /* cudaDevAttrVulkanCigSupported */
    [139] = {CUDART_NOTHING, 0}, /* cudaDevAttrGpuPciDeviceId */
    [140] = {CUDART_NOTHING, 0}, /* cudaDevAttrGpuPciSubsystemId */
    [142] = {CUDART_NOTHING, 0}, /* cudaDevAttrHostNumaMemoryPoolsSupported */
    [143] = {CUDART_NOTHING, 0}, /* cudaDevAttrHostNumaMultinodeIpcSupported */
    [144] = {CUDART_NOTHING, 0}, /* cudaDevAttrHostMemoryPoolsSupported */
    [147] = {CUDART_NOTHING, 0}, /* cudaDevAttrOnlyPartialHostNativeAtomicSupported */
    [148] = {CUDART_NOTHING, 0}, /* cudaDevAttrAtomicReductionSupported */
    [149] = {CUDART_NOTHING, 0}, /* cudaDevAttrLocalityDomainCount */
    [150] = {CUDART_NOTHING, 0}, /* cudaDevAttrOversizedSharedMemoryPerBlock */
    [151] = {CUDART_NOTHING, 0}, /* cudaDevAttrCigStreamsSupported */
    [157] = {CUDART_NOTHING, 0}, /* cudaDevAttrLocalityDomainMultiprocessorCount */
    [160] = {CUDART_NOTHING, 0}, /* cudaDevAttrTensorMapLargeTensorMinSize */
};
enum { CUDART_ATTRIBUTES = sizeof cudart_attributes / sizeof cudart_attributes[0] };

/* One field (or element) of cudaDeviceProp: its place in the layouts of CUDA 11, 12 and 13 (-1: not there), its size
 * in bytes, and the attribute that it repeats. */
typedef struct cudart_property {
    short place[3];
    unsigned char size;
    unsigned char attribute;
} cudart_property;

static const cudart_property cudart_properties[] = {
    {{296, 296, 296}, 8, 8}, /* sharedMemPerBlock */
    {{304, 304, 304}, 4, 12}, /* regsPerBlock */
    {{308, 308, 308}, 4, 10}, /* warpSize */
    {{312, 312, 312}, 8, 11}, /* memPitch */
    {{320, 320, 320}, 4, 1}, /* maxThreadsPerBlock */
    {{324, 324, 324}, 4, 2}, /* maxThreadsDim[0] */
    {{328, 328, 328}, 4, 3}, /* maxThreadsDim[1] */
    {{332, 332, 332}, 4, 4}, /* maxThreadsDim[2] */
    {{336, 336, 336}, 4, 5}, /* maxGridSize[0] */
    {{340, 340, 340}, 4, 6}, /* maxGridSize[1] */
    {{344, 344, 344}, 4, 7}, /* maxGridSize[2] */
    {{348, 348, -1}, 4, 13}, /* clockRate */
    {{352, 352, 352}, 8, 9}, /* totalConstMem */
    {{360, 360, 360}, 4, 75}, /* major */
    {{364, 364, 364}, 4, 76}, /* minor */
    {{368, 368, 368}, 8, 14}, /* textureAlignment */
    {{376, 376, 376}, 8, 51}, /* texturePitchAlignment */
    {{388, 388, 384}, 4, 16}, /* multiProcessorCount */
    {{384, 384, -1}, 4, 15}, /* deviceOverlap */
    {{396, 396, 388}, 4, 18}, /* integrated */
    {{400, 400, 392}, 4, 19}, /* canMapHostMemory */
    {{392, 392, -1}, 4, 17}, /* kernelExecTimeoutEnabled */
    {{408, 408, 396}, 4, 21}, /* maxTexture1D */
    {{412, 412, 400}, 4, 77}, /* maxTexture1DMipmap */
    {{404, 404, -1}, 4, 20}, /* computeMode */
    {{420, 420, 404}, 4, 22}, /* maxTexture2D[0] */
    {{424, 424, 408}, 4, 23}, /* maxTexture2D[1] */
    {{428, 428, 412}, 4, 73}, /* maxTexture2DMipmap[0] */
    {{432, 432, 416}, 4, 74}, /* maxTexture2DMipmap[1] */
    {{416, 416, -1}, 4, 69}, /* maxTexture1DLinear */
    {{436, 436, 420}, 4, 70}, /* maxTexture2DLinear[0] */
    {{440, 440, 424}, 4, 71}, /* maxTexture2DLinear[1] */
    {{444, 444, 428}, 4, 72}, /* maxTexture2DLinear[2] */
    {{448, 448, 432}, 4, 45}, /* maxTexture2DGather[0] */
    {{452, 452, 436}, 4, 46}, /* maxTexture2DGather[1] */
    {{456, 456, 440}, 4, 24}, /* maxTexture3D[0] */
    {{460, 460, 444}, 4, 25}, /* maxTexture3D[1] */
    {{464, 464, 448}, 4, 26}, /* maxTexture3D[2] */
    {{468, 468, 452}, 4, 47}, /* maxTexture3DAlt[0] */
    {{472, 472, 456}, 4, 48}, /* maxTexture3DAlt[1] */
    {{476, 476, 460}, 4, 49}, /* maxTexture3DAlt[2] */
    {{480, 480, 464}, 4, 52}, /* maxTextureCubemap */
    {{484, 484, 468}, 4, 42}, /* maxTexture1DLayered[0] */
    {{488, 488, 472}, 4, 43}, /* maxTexture1DLayered[1] */
    {{492, 492, 476}, 4, 27}, /* maxTexture2DLayered[0] */
    {{496, 496, 480}, 4, 28}, /* maxTexture2DLayered[1] */
    {{500, 500, 484}, 4, 29}, /* maxTexture2DLayered[2] */
    {{504, 504, 488}, 4, 53}, /* maxTextureCubemapLayered[0] */
    {{508, 508, 492}, 4, 54}, /* maxTextureCubemapLayered[1] */
    {{512, 512, 496}, 4, 55}, /* maxSurface1D */
    {{516, 516, 500}, 4, 56}, /* maxSurface2D[0] */
    {{520, 520, 504}, 4, 57}, /* maxSurface2D[1] */
    {{524, 524, 508}, 4, 58}, /* maxSurface3D[0] */
    {{528, 528, 512}, 4, 59}, /* maxSurface3D[1] */
    {{532, 532, 516}, 4, 60}, /* maxSurface3D[2] */
    {{536, 536, 520}, 4, 61}, /* maxSurface1DLayered[0] */
    {{540, 540, 524}, 4, 62}, /* maxSurface1DLayered[1] */
    {{544, 544, 528}, 4, 63}, /* maxSurface2DLayered[0] */
    {{548, 548, 532}, 4, 64}, /* maxSurface2DLayered[1] */
    {{552, 552, 536}, 4, 65}, /* maxSurface2DLayered[2] */
    {{556, 556, 540}, 4, 66}, /* maxSurfaceCubemap */
    {{560, 560, 544}, 4, 67}, /* maxSurfaceCubemapLayered[0] */
    {{564, 564, 548}, 4, 68}, /* maxSurfaceCubemapLayered[1] */
    {{568, 568, 552}, 8, 30}, /* surfaceAlignment */
    {{576, 576, 560}, 4, 31}, /* concurrentKernels */
    {{580, 580, 564}, 4, 32}, /* ECCEnabled */
    {{584, 584, 568}, 4, 33}, /* pciBusID */
    {{588, 588, 572}, 4, 34}, /* pciDeviceID */
    {{592, 592, 576}, 4, 50}, /* pciDomainID */
    {{596, 596, 580}, 4, 35}, /* tccDriver */
    {{600, 600, 584}, 4, 40}, /* asyncEngineCount */
    {{604, 604, 588}, 4, 41}, /* unifiedAddressing */
    {{612, 612, 592}, 4, 37}, /* memoryBusWidth */
    {{616, 616, 596}, 4, 38}, /* l2CacheSize */
    {{620, 620, 600}, 4, 108}, /* persistingL2CacheMaxSize */
    {{624, 624, 604}, 4, 39}, /* maxThreadsPerMultiProcessor */
    {{608, 608, -1}, 4, 36}, /* memoryClockRate */
    {{628, 628, 608}, 4, 78}, /* streamPrioritiesSupported */
    {{632, 632, 612}, 4, 79}, /* globalL1CacheSupported */
    {{636, 636, 616}, 4, 80}, /* localL1CacheSupported */
    {{640, 640, 624}, 8, 81}, /* sharedMemPerMultiprocessor */
    {{648, 648, 632}, 4, 82}, /* regsPerMultiprocessor */
    {{652, 652, 636}, 4, 83}, /* managedMemory */
    {{656, 656, 640}, 4, 84}, /* isMultiGpuBoard */
    {{660, 660, 644}, 4, 85}, /* multiGpuBoardGroupID */
    {{664, 664, 648}, 4, 86}, /* hostNativeAtomicSupported */
    {{672, 672, 652}, 4, 88}, /* pageableMemoryAccess */
    {{676, 676, 656}, 4, 89}, /* concurrentManagedAccess */
    {{680, 680, 660}, 4, 90}, /* computePreemptionSupported */
    {{684, 684, 664}, 4, 91}, /* canUseHostPointerForRegisteredMem */
    {{668, 668, -1}, 4, 87}, /* singleToDoublePrecisionPerfRatio */
    {{688, 688, 668}, 4, 95}, /* cooperativeLaunch */
    {{696, 696, 672}, 8, 97}, /* sharedMemPerBlockOptin */
    {{704, 704, 680}, 4, 100}, /* pageableMemoryAccessUsesHostPageTables */
    {{708, 708, 684}, 4, 101}, /* directManagedMemAccessFromHost */
    {{712, 712, 688}, 4, 106}, /* maxBlocksPerMultiProcessor */
    {{692, 692, -1}, 4, 96}, /* cooperativeMultiDeviceLaunch */
    {{716, 716, 692}, 4, 109}, /* accessPolicyMaxWindowSize */
    {{720, 720, 696}, 8, 111}, /* reservedSharedMemPerBlock */
    {{-1, 728, 704}, 4, 99}, /* hostRegisterSupported */
    {{-1, 732, 708}, 4, 112}, /* sparseCudaArraySupported */
    {{-1, 736, 712}, 4, 113}, /* hostRegisterReadOnlySupported */
    {{-1, 740, 716}, 4, 114}, /* timelineSemaphoreInteropSupported */
    {{-1, 744, 720}, 4, 115}, /* memoryPoolsSupported */
    {{-1, 748, 724}, 4, 116}, /* gpuDirectRDMASupported */
    {{-1, 752, 728}, 4, 117}, /* gpuDirectRDMAFlushWritesOptions */
    {{-1, 756, 732}, 4, 118}, /* gpuDirectRDMAWritesOrdering */
    {{-1, 760, 736}, 4, 119}, /* memoryPoolSupportedHandleTypes */
    {{-1, 764, 740}, 4, 121}, /* deferredMappingCudaArraySupported */
    {{-1, 768, 744}, 4, 125}, /* ipcEventSupported */
    {{-1, 772, 748}, 4, 120}, /* clusterLaunch */
    {{-1, -1, 756}, 4, 130}, /* deviceNumaConfig */
    {{-1, -1, 760}, 4, 131}, /* deviceNumaId */
    {{-1, -1, 764}, 4, 133}, /* mpsEnabled */
    {{-1, -1, 768}, 4, 134}, /* hostNumaId */
    {{-1, -1, 772}, 4, 139}, /* gpuPciDeviceID */
    {{-1, -1, 776}, 4, 140}, /* gpuPciSubsystemID */
    {{-1, -1, 780}, 4, 143}, /* hostNumaMultinodeIpcSupported */
};
enum { CUDART_PROPERTIES = sizeof cudart_properties / sizeof cudart_properties[0] };

/* Bytes that are written of each layout: up to its reserve, as NVIDIA's library does. */
static const short cudart_prop_size[3] = {728, 780, 784};
/* Fields with an answer of their own. */
enum { CUDART_PROP_NAME = 0, CUDART_PROP_UUID = 256, CUDART_PROP_TOTAL = 288 };
#endif
