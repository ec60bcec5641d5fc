/* driver COMMAND LIBRARY…: what is easier to do to a library from C. Prints "ok" or says what was wrong.
 *
 *   cycles LIBRARY N     N handles created, used and destroyed, one after the other
 *   threads LIBRARY T N  the same by T threads at once, while others make mistakes
 *   reload LIBRARY       loaded, unloaded, loaded again, with a handle that outlives it
 *   exit LIBRARY         the process ends with living handles; calls go on to the very end
 *   first LIBRARY T      T threads make the first call of the process at once
 *   setting LIBRARY NAME what the library is told of a setting
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef _WIN32
#include <windows.h>
static void *load(const char *path) { return (void *)LoadLibraryA(path); }
static void unload(void *module) { FreeLibrary((HMODULE)module); }
static void *find(void *module, const char *name) { return (void *)GetProcAddress((HMODULE)module, name); }
#else
#include <dlfcn.h>
#include <pthread.h>
static void *load(const char *path) { return dlopen(path, RTLD_NOW | RTLD_LOCAL); }
static void unload(void *module) { dlclose(module); }
static void *find(void *module, const char *name) { return dlsym(module, name); }
#endif

static int (*create)(void **), (*destroy)(void *), (*triple)(void *, int), (*gate)(void);

static void fail(const char *what, long long number) {
    printf("%s: %lld\n", what, number);
    fflush(stdout);
    _Exit(1);
}
static void *library(const char *path) {
    void *module = load(path);
    if (!module) fail("cannot load", 0);
    create = (int (*)(void **))find(module, "fakeCreate");
    destroy = (int (*)(void *))find(module, "fakeDestroy");
    triple = (int (*)(void *, int))find(module, "fakeTriple");
    gate = (int (*)(void))find(module, "fakeGateOpen");
    return module;
}
static void cycle(int number) {
    void *handle;
    int answer;
    if ((answer = create(&handle))) fail("create", answer);
    if ((answer = triple(handle, number)) != 3 * number) fail("call", answer);
    if ((answer = destroy(handle))) fail("destroy", answer);
    if ((answer = triple(handle, number)) != 101) fail("call after destroy", answer);
    if ((answer = destroy(handle)) != 1) fail("second destroy", answer);
    if (triple(NULL, 1) != 101 || triple((void *)0x1234, 1) != 101) fail("bad handles", 0);
}

static int rounds;
static void *shared; /* every thread tries to destroy this one: exactly one may */
static int destroyed;
#ifdef _WIN32
static DWORD WINAPI work(void *unused) {
#else
static void *work(void *unused) {
#endif
    (void)unused;
    for (int i = 0; i < rounds; i++) cycle(i);
    if (destroy(shared) == 0) __atomic_fetch_add(&destroyed, 1, __ATOMIC_SEQ_CST);
    return 0;
}
static void threads(int count) {
#ifdef _WIN32
    HANDLE all[64];
    for (int i = 0; i < count; i++) all[i] = CreateThread(NULL, 0, work, NULL, 0, NULL);
    for (int i = 0; i < count; i++) WaitForSingleObject(all[i], INFINITE);
#else
    pthread_t all[64];
    for (int i = 0; i < count; i++) pthread_create(&all[i], NULL, work, NULL);
    for (int i = 0; i < count; i++) pthread_join(all[i], NULL);
#endif
}

static void *last_handle, *other_handle;
/* Registered before the core was loaded: runs after it, and after AMD's libraries, have seen the end. */
static void at_the_end(void) {
    void *handle;
    int open = gate(), call = triple(last_handle, 1), made = create(&handle), gone = destroy(last_handle);
    printf("at the end: gate %d, call %d, create %d, destroy %d, call after it %d\n", open, call, made, gone,
           triple(last_handle, 1));
    fflush(stdout);
}
/* Registered after the core was loaded and before AMD's libraries were: runs when those have seen the end. */
static void in_the_middle(void) {
    printf("in the middle: gate %d, call %d\n", gate(), triple(last_handle, 1));
    fflush(stdout);
}
/* Registered when everything was open: runs first, and all still works. */
static void while_it_lives(void) {
    int call = triple(other_handle, 4);
    printf("while it lives: call %d, destroy %d\n", call, destroy(other_handle));
    fflush(stdout);
}

int main(int argc, char **argv) {
    void *handle, *module;
    int answer;
    if (argc < 3) fail("arguments", argc);
    if (!strcmp(argv[1], "exit")) atexit(at_the_end); /* before the core's: runs after it */
    module = library(argv[2]);
    if (!strcmp(argv[1], "cycles")) {
        for (int i = 0, count = atoi(argv[3]); i < count; i++) cycle(i);
    } else if (!strcmp(argv[1], "threads") || !strcmp(argv[1], "first")) {
        rounds = argv[1][0] == 't' ? atoi(argv[4]) : 1;
        if (argv[1][0] == 't' && create(&shared)) fail("create", 0);
        threads(atoi(argv[3]));
        if (argv[1][0] == 't' && destroyed != 1) fail("one handle was destroyed by several threads", destroyed);
    } else if (!strcmp(argv[1], "reload")) {
        if (create(&handle) || triple(handle, 2) != 6) fail("before", 0);
        for (int i = 0; i < 3; i++) {
            void *filler;
            unload(module);
            filler = malloc(1 << 20);
            memset(filler, 0x5a, 1 << 20);
            module = library(argv[2]);
            if (gate()) fail("the gate of a library just loaded is open", i);
            if ((answer = triple(handle, 5)) != 15) fail("a handle from before the reload", answer);
            if (!gate()) fail("the gate stays closed", i);
            free(filler);
        }
        cycle(7);
        if ((answer = destroy(handle))) fail("destroy", answer);
    } else if (!strcmp(argv[1], "exit")) {
        ((int (*)(void))find(module, "fakeStart"))();
        atexit(in_the_middle);
        for (int i = 0; i < 5; i++) {
            other_handle = last_handle;
            if (create(&last_handle) || triple(last_handle, 1) != 3) fail("create", i);
        }
        atexit(while_it_lives);
    } else if (!strcmp(argv[1], "setting")) {
        char value[64];
        answer = ((int (*)(const char *, char *, size_t))find(module, "fakeSetting"))(argv[3], value, sizeof value);
        printf("%d %s\n", answer, value);
    } else {
        fail("unknown command", 0);
    }
    printf("ok\n");
    fflush(stdout);
    return 0;
}
