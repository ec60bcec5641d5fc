/* What each error of the CUDA runtime means, in words of our own. Names and numbers: tables/types/cudart.yaml. */
#ifndef DRAGOMAN_CUDART_ERRORS_H
#define DRAGOMAN_CUDART_ERRORS_H
#include <stddef.h>

/* NULL for a number that is no error. */
static inline const char *cudart_error_text(unsigned error) {
    switch (error) {
    case 0: return "no error"; /* cudaSuccess */
    case 1: return "an argument is not valid here"; /* cudaErrorInvalidValue */
    case 2: return "out of memory"; /* cudaErrorMemoryAllocation */
    case 3: return "the runtime could not be set up"; /* cudaErrorInitializationError */
    case 4: return "the runtime is being unloaded"; /* cudaErrorCudartUnloading */
    case 5: return "profiler disabled"; /* cudaErrorProfilerDisabled */
    case 6: return "profiler not initialized"; /* cudaErrorProfilerNotInitialized */
    case 7: return "profiler already started"; /* cudaErrorProfilerAlreadyStarted */
    case 8: return "profiler already stopped"; /* cudaErrorProfilerAlreadyStopped */
    case 9: return "the launch has a size that the device does not take"; /* cudaErrorInvalidConfiguration */
    case 10: return "a call of one version cannot be turned into that of another"; /* cudaErrorVersionTranslation */
    case 12: return "a pitch is smaller than the row, or larger than the device takes"; /* cudaErrorInvalidPitchValue */
    case 13: return "no such variable of device code"; /* cudaErrorInvalidSymbol */
    case 16: return "not an address of host memory"; /* cudaErrorInvalidHostPointer */
    case 17: return "not an address of device memory"; /* cudaErrorInvalidDevicePointer */
    case 18: return "invalid texture"; /* cudaErrorInvalidTexture */
    case 19: return "invalid texture binding"; /* cudaErrorInvalidTextureBinding */
    case 20: return "invalid channel descriptor"; /* cudaErrorInvalidChannelDescriptor */
    case 21: return "not a direction of copying"; /* cudaErrorInvalidMemcpyDirection */
    case 22: return "address of constant"; /* cudaErrorAddressOfConstant */
    case 23: return "texture fetch failed"; /* cudaErrorTextureFetchFailed */
    case 24: return "texture not bound"; /* cudaErrorTextureNotBound */
    case 25: return "synchronization error"; /* cudaErrorSynchronizationError */
    case 26: return "invalid filter setting"; /* cudaErrorInvalidFilterSetting */
    case 27: return "invalid norm setting"; /* cudaErrorInvalidNormSetting */
    case 28: return "mixed device execution"; /* cudaErrorMixedDeviceExecution */
    case 31: return "not yet implemented"; /* cudaErrorNotYetImplemented */
    case 32: return "memory value too large"; /* cudaErrorMemoryValueTooLarge */
    case 34: return "this is only the stub of the library: the real one was not loaded"; /* cudaErrorStubLibrary */
    case 35: return "the driver is older than the runtime asks for"; /* cudaErrorInsufficientDriver */
    case 36: return "the call needs a newer driver"; /* cudaErrorCallRequiresNewerDriver */
    case 37: return "invalid surface"; /* cudaErrorInvalidSurface */
    case 43: return "duplicate variable name"; /* cudaErrorDuplicateVariableName */
    case 44: return "duplicate texture name"; /* cudaErrorDuplicateTextureName */
    case 45: return "duplicate surface name"; /* cudaErrorDuplicateSurfaceName */
    case 46: return "all devices are busy or barred"; /* cudaErrorDevicesUnavailable */
    case 49: return "the driver has a context that the runtime cannot use"; /* cudaErrorIncompatibleDriverContext */
    case 52: return "no launch sizes were set before this launch"; /* cudaErrorMissingConfiguration */
    case 53: return "an earlier launch failed"; /* cudaErrorPriorLaunchFailure */
    case 65: return "launches are nested too deeply"; /* cudaErrorLaunchMaxDepthExceeded */
    case 66: return "launch file scoped tex"; /* cudaErrorLaunchFileScopedTex */
    case 67: return "launch file scoped surf"; /* cudaErrorLaunchFileScopedSurf */
    case 68: return "sync depth exceeded"; /* cudaErrorSyncDepthExceeded */
    case 69: return "launch pending count exceeded"; /* cudaErrorLaunchPendingCountExceeded */
    case 98: return "no such kernel, or none for this device"; /* cudaErrorInvalidDeviceFunction */
    case 100: return "no device was found"; /* cudaErrorNoDevice */
    case 101: return "no such device"; /* cudaErrorInvalidDevice */
    case 102: return "the device is not licensed"; /* cudaErrorDeviceNotLicensed */
    case 103: return "software validity not established"; /* cudaErrorSoftwareValidityNotEstablished */
    case 127: return "a startup check failed"; /* cudaErrorStartupFailure */
    case 200: return "the device code is broken"; /* cudaErrorInvalidKernelImage */
    case 201: return "no context is current, or the device is not ready"; /* cudaErrorDeviceUninitialized */
    case 205: return "a resource could not be mapped"; /* cudaErrorMapBufferObjectFailed */
    case 206: return "a resource could not be unmapped"; /* cudaErrorUnmapBufferObjectFailed */
    case 207: return "the array is mapped already"; /* cudaErrorArrayIsMapped */
    case 208: return "the resource is mapped already"; /* cudaErrorAlreadyMapped */
    /* cudaErrorNoKernelImageForDevice */
    case 209: return "no code for this device: the program's own kernels do not run on this runtime";
    case 210: return "the resource is taken already"; /* cudaErrorAlreadyAcquired */
    case 211: return "the resource is not mapped"; /* cudaErrorNotMapped */
    case 212: return "the resource is not mapped as an array"; /* cudaErrorNotMappedAsArray */
    case 213: return "the resource is not mapped as memory"; /* cudaErrorNotMappedAsPointer */
    case 214: return "memory broke beyond repair"; /* cudaErrorECCUncorrectable */
    case 215: return "the device has no such limit"; /* cudaErrorUnsupportedLimit */
    case 216: return "another thread uses the device"; /* cudaErrorDeviceAlreadyInUse */
    case 217: return "the devices cannot reach each other's memory"; /* cudaErrorPeerAccessUnsupported */
    case 218: return "the PTX code is broken"; /* cudaErrorInvalidPtx */
    case 219: return "the graphics context cannot be used"; /* cudaErrorInvalidGraphicsContext */
    case 220: return "a link between devices failed"; /* cudaErrorNvlinkUncorrectable */
    case 221: return "the compiler for PTX was not found"; /* cudaErrorJitCompilerNotFound */
    case 222: return "the PTX code is of a newer version"; /* cudaErrorUnsupportedPtxVersion */
    case 223: return "compiling at run time is switched off"; /* cudaErrorJitCompilationDisabled */
    case 224: return "the device cannot be used in that way"; /* cudaErrorUnsupportedExecAffinity */
    case 225: return "unsupported dev side sync"; /* cudaErrorUnsupportedDevSideSync */
    case 226: return "contained"; /* cudaErrorContained */
    case 227: return "insufficient loader version"; /* cudaErrorInsufficientLoaderVersion */
    case 300: return "the device code cannot be read"; /* cudaErrorInvalidSource */
    case 301: return "a file was not found"; /* cudaErrorFileNotFound */
    case 302: return "a library lacks a symbol"; /* cudaErrorSharedObjectSymbolNotFound */
    case 303: return "a library could not be set up"; /* cudaErrorSharedObjectInitFailed */
    case 304: return "the operating system refused"; /* cudaErrorOperatingSystem */
    case 400: return "not a living stream, event or other handle"; /* cudaErrorInvalidResourceHandle */
    case 401: return "not possible in the present state"; /* cudaErrorIllegalState */
    case 402: return "an answer would have been cut short"; /* cudaErrorLossyQuery */
    case 500: return "no such name"; /* cudaErrorSymbolNotFound */
    case 600: return "the work is not done yet"; /* cudaErrorNotReady */
    case 700: return "code on the device touched memory that is not its own"; /* cudaErrorIllegalAddress */
    case 701: return "the launch asks for more than the device has"; /* cudaErrorLaunchOutOfResources */
    case 702: return "code on the device ran too long"; /* cudaErrorLaunchTimeout */
    case 703: return "launch incompatible texturing"; /* cudaErrorLaunchIncompatibleTexturing */
    case 704: return "the devices reach each other's memory already"; /* cudaErrorPeerAccessAlreadyEnabled */
    case 705: return "the devices were not allowed to reach each other's memory"; /* cudaErrorPeerAccessNotEnabled */
    case 708: return "too late: the device is in use"; /* cudaErrorSetOnActiveProcess */
    case 709: return "the context is gone, or the stream belongs to another"; /* cudaErrorContextIsDestroyed */
    case 710: return "an assertion failed on the device"; /* cudaErrorAssert */
    case 711: return "too many devices share memory"; /* cudaErrorTooManyPeers */
    case 712: return "the memory is registered already"; /* cudaErrorHostMemoryAlreadyRegistered */
    case 713: return "the memory is not registered"; /* cudaErrorHostMemoryNotRegistered */
    case 714: return "the stack of device code is broken"; /* cudaErrorHardwareStackError */
    case 715: return "code on the device is broken"; /* cudaErrorIllegalInstruction */
    case 716: return "code on the device used a misaligned address"; /* cudaErrorMisalignedAddress */
    case 717: return "code on the device used an address of the wrong kind"; /* cudaErrorInvalidAddressSpace */
    case 718: return "code on the device jumped to nowhere"; /* cudaErrorInvalidPc */
    case 719: return "code on the device failed"; /* cudaErrorLaunchFailure */
    case 720: return "too many blocks for a cooperative launch"; /* cudaErrorCooperativeLaunchTooLarge */
    case 721: return "tensor memory leak"; /* cudaErrorTensorMemoryLeak */
    case 800: return "not allowed"; /* cudaErrorNotPermitted */
    case 801: return "not supported: the log says more"; /* cudaErrorNotSupported */
    case 802: return "the system is not ready yet"; /* cudaErrorSystemNotReady */
    case 803: return "driver and system do not fit"; /* cudaErrorSystemDriverMismatch */
    case 804: return "the device cannot run in this compatible mode"; /* cudaErrorCompatNotSupportedOnDevice */
    case 805: return "mps connection failed"; /* cudaErrorMpsConnectionFailed */
    case 806: return "mps rpc failure"; /* cudaErrorMpsRpcFailure */
    case 807: return "mps server not ready"; /* cudaErrorMpsServerNotReady */
    case 808: return "mps max clients reached"; /* cudaErrorMpsMaxClientsReached */
    case 809: return "mps max connections reached"; /* cudaErrorMpsMaxConnectionsReached */
    case 810: return "mps client terminated"; /* cudaErrorMpsClientTerminated */
    case 811: return "cdp not supported"; /* cudaErrorCdpNotSupported */
    case 812: return "cdp version mismatch"; /* cudaErrorCdpVersionMismatch */
    case 900: return "not possible while the stream is recorded"; /* cudaErrorStreamCaptureUnsupported */
    case 901: return "an earlier error spoiled the recording"; /* cudaErrorStreamCaptureInvalidated */
    case 902: return "two recordings would have become one"; /* cudaErrorStreamCaptureMerge */
    case 903: return "the recording was not begun on this stream"; /* cudaErrorStreamCaptureUnmatched */
    case 904: return "a stream was not joined before the recording ended"; /* cudaErrorStreamCaptureUnjoined */
    case 905: return "work would depend on work outside the recording"; /* cudaErrorStreamCaptureIsolation */
    case 906: return "the default stream would depend on the recording"; /* cudaErrorStreamCaptureImplicit */
    case 907: return "the event stands for recorded work"; /* cudaErrorCapturedEvent */
    case 908: return "the recording was begun by another thread"; /* cudaErrorStreamCaptureWrongThread */
    case 909: return "a wait took too long"; /* cudaErrorTimeout */
    case 910: return "the graph differs too much to be updated"; /* cudaErrorGraphExecUpdateFailure */
    case 911: return "external device"; /* cudaErrorExternalDevice */
    case 912: return "invalid cluster size"; /* cudaErrorInvalidClusterSize */
    case 913: return "function not loaded"; /* cudaErrorFunctionNotLoaded */
    case 914: return "invalid resource type"; /* cudaErrorInvalidResourceType */
    case 915: return "invalid resource configuration"; /* cudaErrorInvalidResourceConfiguration */
    case 917: return "stream detached"; /* cudaErrorStreamDetached */
    case 918: return "graph recapture failure"; /* cudaErrorGraphRecaptureFailure */
    case 919: return "fabric not ready"; /* cudaErrorFabricNotReady */
    case 999: return "unknown error"; /* cudaErrorUnknown */
    case 10000: return "an error of the driver"; /* cudaErrorApiFailureBase */
    default: return NULL;
    }
}
#endif
