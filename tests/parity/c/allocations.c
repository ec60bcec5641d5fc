/* Preloaded: counts what some libraries allocate, and the locks they take, by who calls.
 *
 * `watch` says where code lies whose calls count; `counted` answers how many there were, by kind. AMD's functions that
 * allocate are found by name in the core of ours, which asks for their addresses: it is given ones that count first. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <string.h>

enum { HEAP, LOCKS, AMD, KINDS, RANGES = 16, SLOTS = 32 };
#define OUTSIDE __attribute__((visibility("default")))
extern void *__libc_malloc(size_t), *__libc_calloc(size_t, size_t), *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);

static long counts[KINDS];
static struct { uintptr_t first, last; } ranges[RANGES];
static int range_count;
__attribute__((used, visibility("hidden"))) long amd_calls;
__attribute__((used, visibility("hidden"))) void *amd_real[SLOTS];

OUTSIDE void watch(uintptr_t first, uintptr_t last) {
    if (range_count < RANGES) ranges[range_count].first = first, ranges[range_count++].last = last;
}
OUTSIDE long counted(int kind) {
    return kind == AMD ? __atomic_load_n(&amd_calls, __ATOMIC_RELAXED)
                       : __atomic_load_n(&counts[kind], __ATOMIC_RELAXED);
}
static void count(int kind, const void *caller) {
    for (int i = 0; i < range_count; i++)
        if ((uintptr_t)caller - ranges[i].first < ranges[i].last - ranges[i].first)
            __atomic_fetch_add(&counts[kind], 1, __ATOMIC_RELAXED);
}
#define CALLER __builtin_return_address(0)

OUTSIDE void *malloc(size_t bytes) { return count(HEAP, CALLER), __libc_malloc(bytes); }
OUTSIDE void *calloc(size_t n, size_t bytes) { return count(HEAP, CALLER), __libc_calloc(n, bytes); }
OUTSIDE void *realloc(void *place, size_t bytes) { return count(HEAP, CALLER), __libc_realloc(place, bytes); }
OUTSIDE void *aligned_alloc(size_t align, size_t bytes) { return count(HEAP, CALLER), __libc_memalign(align, bytes); }
OUTSIDE int posix_memalign(void **place, size_t align, size_t bytes) {
    count(HEAP, CALLER);
    return (*place = __libc_memalign(align, bytes)) ? 0 : ENOMEM;
}

static void *(*real_dlsym)(void *, const char *);
static void *real(const char *name) {
    if (!real_dlsym) real_dlsym = (void *(*)(void *, const char *))dlvsym(RTLD_NEXT, "dlsym", "GLIBC_2.34");
    if (!real_dlsym) real_dlsym = (void *(*)(void *, const char *))dlvsym(RTLD_NEXT, "dlsym", "GLIBC_2.2.5");
    return name ? real_dlsym(RTLD_NEXT, name) : NULL;
}
OUTSIDE int pthread_mutex_lock(pthread_mutex_t *mutex) {
    static int (*lock)(pthread_mutex_t *);
    if (!lock) lock = (int (*)(pthread_mutex_t *))real("pthread_mutex_lock");
    return count(LOCKS, CALLER), lock(mutex);
}

/* Whatever the function's arguments: they stay where they are. */
#define SLOT(n) \
    __attribute__((naked, used)) static void slot##n(void) { \
        __asm__("lock incq amd_calls(%rip)\n\tjmp *amd_real+8*" #n "(%rip)"); \
    }
#define EACH(X) \
    X(0) \
    X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9) X(10) X(11) X(12) X(13) X(14) X(15) X(16) X(17) X(18) X(19) X(20) \
        X(21) X(22) X(23) X(24) X(25) X(26) X(27) X(28) X(29) X(30) X(31)
EACH(SLOT)
#define NAME(n) slot##n,
static void (*const slots[SLOTS])(void) = {EACH(NAME)};
static int slots_taken;
OUTSIDE int amd_functions(void) { return slots_taken; }

OUTSIDE void *dlsym(void *module, const char *name) {
    static const char *const prefixes[] = {"hipMalloc", "hipHostMalloc", "hipEventCreate", "hipStreamCreate",
                                           "miopenCreate"};
    Dl_info caller;
    void *found;
    real(NULL);
    found = real_dlsym(module, name);
    if (!found || !dladdr(CALLER, &caller) || !caller.dli_fname || !strstr(caller.dli_fname, "dragoman_core"))
        return found;
    for (unsigned i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
        if (!strncmp(name, prefixes[i], strlen(prefixes[i]))) {
            for (int k = 0; k < slots_taken; k++)
                if (amd_real[k] == found) return (void *)slots[k];
            if (slots_taken == SLOTS) return NULL; /* seen at once: make more */
            amd_real[slots_taken] = found;
            return (void *)slots[slots_taken++];
        }
    return found;
}
