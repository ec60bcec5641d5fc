/* Stand-ins for AMD's libraries: AMD_HIP, AMD_BLAS or AMD_SOLVER says which, AMD_VERSION which release.
 *
 * What the machine is, they learn from the environment: FAKE_DEVICES (how many answer), FAKE_GFX (their
 * architectures, with commas). After the process has begun to end, a call of theirs is told on stderr. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef _WIN32
#include <windows.h>
#else
#define _GNU_SOURCE
#include <dlfcn.h>
#endif

#define EXPORT __attribute__((visibility("default")))

__attribute__((unused)) static int ended;
#ifdef _WIN32
BOOL WINAPI DllMain(HINSTANCE module, DWORD reason, LPVOID reserved) {
    (void)module, (void)reserved;
    if (reason == DLL_PROCESS_DETACH) ended = 1;
    return TRUE;
}
#else
static void at_end(void) { ended = 1; }
__attribute__((constructor)) static void watch(void) { atexit(at_end); }
#endif
__attribute__((unused)) static void used(const char *what) {
    if (ended) fprintf(stderr, "CALLED AT THE END: %s\n", what), fflush(stderr);
}

#ifdef _WIN32
static const char *own_file(void) {
    static char path[1024];
    HMODULE module;
    GetModuleHandleExA(6, (LPCSTR)own_file, &module);
    GetModuleFileNameA(module, path, sizeof path);
    return path;
}
#else
typedef struct {
    const char *file;
    void *base;
    const char *name;
    void *address;
} place;
extern int dladdr(const void *, void *);
static const char *own_file(void) {
    place here = {0};
    return dladdr((const void *)own_file, &here) ? here.file : "?";
}
#endif

#ifdef AMD_HIP
static int devices(void) {
    const char *text = getenv("FAKE_DEVICES");
    return text ? atoi(text) : 1;
}
EXPORT const char *hipFakeWhere(void) { return used("hip"), own_file(); }
EXPORT int hipFakeCount(int value) { return value + devices(); }
EXPORT int hipInit(unsigned flags) { return (void)flags, used("hipInit"), devices() ? 0 : 100; }
EXPORT int hipGetDeviceCount(int *count) { return *count = devices(), *count ? 0 : 100; }
EXPORT int hipGetDevice(int *device) { return *device = 0, devices() ? 0 : 100; }
EXPORT int hipRuntimeGetVersion(int *version) { return *version = AMD_VERSION, 0; }
EXPORT int hipDeviceGetName(char *name, int size, int device) {
    return snprintf(name, size, "Fake Radeon gfx %d", device), 0;
}
/* The name first, as in every release; the architecture where this release has it. */
static int properties(char *memory, int device, size_t place) {
    const char *list = getenv("FAKE_GFX");
    char gfx[256] = "gfx1100", *word = gfx;
    if (list) snprintf(gfx, sizeof gfx, "%s", list);
    while (device-- > 0 && strchr(word, ',')) word = strchr(word, ',') + 1;
    word[strcspn(word, ",")] = 0;
    strcpy(memory, "Radeon (gfx90c)");
    snprintf(memory + place, 256, "%s:sramecc+:xnack-", word);
    return 0;
}
#if AMD_VERSION >= 60000000
EXPORT int hipGetDevicePropertiesR0600(void *memory, int device) { return properties(memory, device, 1160); }
EXPORT int hipGetDeviceProperties(void *memory, int device) { return (void)memory, (void)device, 1; }
#else
EXPORT int hipGetDeviceProperties(void *memory, int device) { return properties(memory, device, 396); }
#endif
#endif

#ifdef AMD_BLAS
EXPORT int rocblas_get_version_string_size(size_t *size) { return *size = 64, 0; }
EXPORT int rocblas_get_version_string(char *text, size_t size) { return snprintf(text, size, "%s", AMD_VERSION), 0; }
EXPORT int rocblas_fake_triple(int value) { return used("triple"), 3 * value; }
EXPORT int rocblas_fake_trmm(int value) { return value; }
EXPORT const char *rocblas_fake_where(void) { return own_file(); }
#ifdef AMD_NEW
EXPORT int rocblas_fake_renamed(int value) { return value; }
#endif
#ifdef AMD_NEEDS
/* Linked with another HIP runtime, which then comes with it. */
extern int hipFakeCount(int);
EXPORT int rocblas_fake_never(int value) { return hipFakeCount(value); }
#endif
#endif

#ifdef AMD_SOLVER
EXPORT int rocsolver_get_version_string(char *text, size_t size) { return snprintf(text, size, "3.28.0"), 0; }
EXPORT const char *rocsolver_fake_where(void) { return own_file(); }
#endif
