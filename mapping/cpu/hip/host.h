/* What the CPU backend's HIP runtime asks of the operating system beside the lock: clock, aligned memory, sizes. */
#ifndef DRAGOMAN_CPU_HIP_HOST_H
#define DRAGOMAN_CPU_HIP_HOST_H
#include "platform.h" /* mapping/runtime: the lock, and the system's headers */

#ifdef _WIN32
#include <malloc.h>

static inline int64_t host_now(void) {
    LARGE_INTEGER ticks, rate;
    QueryPerformanceCounter(&ticks);
    QueryPerformanceFrequency(&rate);
    return (int64_t)((double)ticks.QuadPart * 1e9 / (double)rate.QuadPart);
}

static inline void *host_aligned(size_t bytes, size_t alignment) { return _aligned_malloc(bytes, alignment); }
static inline void host_aligned_free(void *memory) { _aligned_free(memory); }

/* Whether all of a range is memory of the process. */
static inline int host_mapped(const void *memory, size_t bytes) {
    const char *at = (const char *)memory, *end = at + bytes;
    if (end < at) return 0;
    while (at < end) {
        MEMORY_BASIC_INFORMATION info;
        if (!VirtualQuery(at, &info, sizeof info) || info.State != MEM_COMMIT) return 0;
        at = (const char *)info.BaseAddress + info.RegionSize;
    }
    return 1;
}

static inline size_t host_memory_total(void) {
    MEMORYSTATUSEX status = {.dwLength = sizeof status};
    return GlobalMemoryStatusEx(&status) ? (size_t)status.ullTotalPhys : 0;
}

static inline size_t host_memory_available(void) {
    MEMORYSTATUSEX status = {.dwLength = sizeof status};
    return GlobalMemoryStatusEx(&status) ? (size_t)status.ullAvailPhys : 0;
}

static inline int host_cpus(void) {
    SYSTEM_INFO info;
    GetSystemInfo(&info);
    return (int)info.dwNumberOfProcessors;
}
#else
#include <sys/mman.h>

static inline int64_t host_now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static inline void *host_aligned(size_t bytes, size_t alignment) {
    void *memory = NULL;
    return posix_memalign(&memory, alignment, bytes) ? NULL : memory;
}
static inline void host_aligned_free(void *memory) { free(memory); }

/* Whether all of a range is memory of the process: the system is asked about its pages, no page is touched. */
static inline int host_mapped(const void *memory, size_t bytes) {
    unsigned char resident[1024];
    const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), most = sizeof resident * page;
    uintptr_t at = (uintptr_t)memory & ~(page - 1), end = (uintptr_t)memory + bytes;
    if (end < (uintptr_t)memory) return 0;
    for (; at < end; at += most) {
        if (mincore((void *)at, end - at < most ? end - at : most, resident)) return 0;
        if (at > UINTPTR_MAX - most) break;
    }
    return 1;
}

/* A number in the first line of a file, or `otherwise`. */
static inline size_t host_file_number(const char *path, size_t otherwise) {
    FILE *file = fopen(path, "r");
    unsigned long long value = 0;
    int got = 0;
    if (file) {
        got = fscanf(file, "%llu", &value);
        fclose(file);
    }
    return got == 1 ? (size_t)value : otherwise;
}

/* Physical memory, or the container's share of it. */
static inline size_t host_memory_total(void) {
    size_t total = (size_t)sysconf(_SC_PHYS_PAGES) * (size_t)sysconf(_SC_PAGESIZE);
    size_t share = host_file_number("/sys/fs/cgroup/memory.max", total);
    size_t older = host_file_number("/sys/fs/cgroup/memory/memory.limit_in_bytes", total);
    total = share < total ? share : total;
    return older < total ? older : total;
}

static inline size_t host_memory_available(void) {
    FILE *file = fopen("/proc/meminfo", "r");
    char line[128];
    unsigned long long kib = 0;
    size_t available = 0;
    if (!file) return 0;
    while (!available && fgets(line, sizeof line, file)) {
        if (sscanf(line, "MemAvailable: %llu", &kib) == 1) available = (size_t)kib * 1024;
    }
    fclose(file);
    return available;
}

static inline int host_cpus(void) { return (int)sysconf(_SC_NPROCESSORS_ONLN); }
#endif
#endif
