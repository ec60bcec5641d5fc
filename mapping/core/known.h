/* AMD's libraries as data: their names in dg_backend, and the file names under which each release ships them. */
#ifndef DRAGOMAN_CORE_KNOWN_H
#define DRAGOMAN_CORE_KNOWN_H

#include "platform.h"

enum { CORE_HIP, CORE_ROCBLAS, CORE_ROCSOLVER, CORE_HIPBLASLT, CORE_MIOPEN, CORE_HIPDNN, CORE_KINDS };

typedef struct core_kind {
    const char *name;     /* in dg_backend.library */
    const char *says;     /* what the user calls it */
    const char *files[6]; /* in order of preference; `*` stands for anything (Windows: AMD's names drift) */
    const char *have;     /* how to get it where it is missing */
} core_kind;

static const core_kind core_kinds[CORE_KINDS] = {
#if DG_WINDOWS
    {"hip", "the HIP runtime", {"amdhip64_7.dll", "amdhip64_6.dll", "amdhip64_*.dll", "amdhip64.dll"},
     "Install AMD's graphics driver, or set DRAGOMAN_ROCM_PATH to a ROCm root"},
    {"rocblas", "rocBLAS", {"rocblas.dll", "librocblas.dll"},
     "Install AMD's HIP SDK or its rocm[libraries] wheels, or set DRAGOMAN_ROCM_PATH to a ROCm root"},
    {"rocsolver", "rocSOLVER", {"rocsolver.dll", "librocsolver.dll"},
     "Install AMD's HIP SDK or its rocm[libraries] wheels, or set DRAGOMAN_ROCM_PATH to a ROCm root"},
    {"hipblaslt", "hipBLASLt", {"hipblaslt.dll", "libhipblaslt.dll", "*hipblaslt*.dll"},
     "AMD's rocm[libraries] wheels have it, and HIP SDK 6.4.2 and later; or set DRAGOMAN_ROCM_PATH to a root with it"},
    {"miopen", "MIOpen", {"MIOpen.dll", "libMIOpen.dll"},
     "AMD's HIP SDK has none: install its rocm[libraries] wheels, or set DRAGOMAN_ROCM_PATH to a root with it"},
    {"hipdnn", "hipDNN", {"hipdnn_backend.dll", "libhipdnn_backend.dll", "hipdnn_backend*.dll"},
     "AMD's newest rocm[libraries] wheels have it; or set DRAGOMAN_ROCM_PATH to a root with it"},
#else
    {"hip", "the HIP runtime", {"libamdhip64.so.7", "libamdhip64.so.6", "libamdhip64.so.5", "libamdhip64.so"},
     "Install ROCm 5.5 or later, or set DRAGOMAN_ROCM_PATH to its root"},
    {"rocblas", "rocBLAS", {"librocblas.so.5", "librocblas.so.4", "librocblas.so.0", "librocblas.so"},
     "Install it from the same ROCm, or set DRAGOMAN_ROCM_PATH to a root with it"},
    {"rocsolver", "rocSOLVER", {"librocsolver.so.0", "librocsolver.so"},
     "Install it from the same ROCm, or set DRAGOMAN_ROCM_PATH to a root with it"},
    {"hipblaslt", "hipBLASLt", {"libhipblaslt.so.1", "libhipblaslt.so.0", "libhipblaslt.so"},
     "Install it from the same ROCm, or set DRAGOMAN_ROCM_PATH to a root with it"},
    {"miopen", "MIOpen", {"libMIOpen.so.1", "libMIOpen.so"},
     "Install it from the same ROCm (package miopen-hip), or set DRAGOMAN_ROCM_PATH to a root with it"},
    {"hipdnn", "hipDNN", {"libhipdnn_backend.so.1", "libhipdnn_backend.so.0", "libhipdnn_backend.so"},
     "Install it from the same ROCm, or set DRAGOMAN_ROCM_PATH to a root with it"},
#endif
};

/* A folder may hold several releases side by side (Debian's does): these belong together. Linux only; Windows' names
 * carry no such number. */
typedef struct core_pair {
    unsigned hip_major;
    const char *hip;
    const char *rocblas;
} core_pair;
enum { CORE_PAIRS = 3 };
static const core_pair core_pairs[CORE_PAIRS] = {
    {7, "libamdhip64.so.7", "librocblas.so.5"},
    {6, "libamdhip64.so.6", "librocblas.so.4"},
    {5, "libamdhip64.so.5", "librocblas.so.0"},
};

/* Older than ROCm 5.5: other signatures under the same names. */
enum { CORE_OLDEST_HIP = 5005000, CORE_OLDEST_ROCBLAS = 2047000 };
#define CORE_TOO_OLD "librocblas.so.3"

/* Folders that ROCm's libraries lie in below a root, and where Linux distributions put them. */
#if DG_WINDOWS
static const char *const core_below[] = {"bin", "lib", NULL};
static const char *const core_system[] = {NULL};
#define CORE_WHEEL_BELOW "bin"
#define CORE_HIP_PREFIX "amdhip64"
#else
static const char *const core_below[] = {"lib", "lib64", NULL};
static const char *const core_system[] = {
    "/usr/lib/x86_64-linux-gnu", "/usr/lib64", "/usr/lib", "/usr/local/lib", NULL,
};
#define CORE_WHEEL_BELOW "lib"
#define CORE_HIP_PREFIX "libamdhip64.so"
#endif

/* What to look at where HIP is there and finds no device. */
#if DG_WINDOWS
#define CORE_NO_DEVICE "Is AMD's graphics driver installed and new enough, and HIP_VISIBLE_DEVICES right?"
#else
#define CORE_NO_DEVICE \
    "Is the amdgpu driver loaded, the user in the groups render and video, HIP_VISIBLE_DEVICES right?"
#endif

/* File names that tell of another CUDA driver, of a HIP runtime, of any part of ROCm. */
static inline int core_is_driver(const char *name) {
    return DG_WINDOWS ? dg_same_name(name, "nvcuda.dll") : dg_starts(name, "libcuda.so");
}
static inline int core_is_hip(const char *name) { return dg_starts(name, CORE_HIP_PREFIX); }
static inline int core_is_runtime(const char *name) {
    return DG_WINDOWS ? dg_starts(name, "cudart64_") || core_is_driver(name)
                      : dg_starts(name, "libcudart.so") || core_is_driver(name);
}
static inline int core_is_rocm(const char *name) {
    if (core_is_hip(name)) return 1;
    if (dg_starts(name, "lib")) name += 3;
    return dg_starts(name, "rocblas.") || dg_starts(name, "rocsolver.") || dg_starts(name, "hipblaslt.") ||
           dg_starts(name, "MIOpen.") || dg_starts(name, "hsa-runtime64.");
}
#endif
