/* A library opened by hand, and answers held against what is expected of them.
 *
 * FUNCTIONS(each) names the functions first; each is then called as p_NAME. */
#ifndef ROBUST_OPENED_H
#define ROBUST_OPENED_H
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

#define DECLARE(name) static __typeof__(&name) p_##name;
FUNCTIONS(DECLARE)

static void *library;
static const char *path;
static int failures;

static void open_library(void) {
    library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!library) fprintf(stderr, "%s\n", dlerror()), exit(3);
#define FIND(name) \
    p_##name = (__typeof__(&name))dlsym(library, #name); \
    if (!p_##name) fprintf(stderr, "no " #name "\n"), exit(3);
    FUNCTIONS(FIND)
}

static void expect(const char *what, long long got, long long wanted) {
    if (got == wanted) return;
    printf("%s: %lld, expected %lld\n", what, got, wanted);
    failures++;
}
#define EXPECT(wanted, call) expect(#call, (long long)(call), wanted)
#endif
