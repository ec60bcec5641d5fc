/* The little of the CUDA driver that programs without a toolkit use, opened by name as they do.
 * BUILD: cc -std=gnu11 -Wall -Wextra -Werror -pedantic -I"$HEADERS" "$SOURCE/driver.c" -ldl -lm -o driver
 * RUN: dragoman run -- ./driver
 */
#include <dlfcn.h>
#include <string.h>

#include "check.h"

static void *driver;

static int call(const char *name, void *first, int second)
{
    int (*function)(void *, int);
    void *found = dlsym(driver, name);
    if (!found) {
        fprintf(stderr, "no %s\n", name);
        exit(1);
    }
    memcpy(&function, &found, sizeof found);
    return function(first, second);
}

int main(void)
{
    char name[256] = "";
    int (*init)(unsigned), (*get_name)(char *, int, int), count = 0, device = -1;
    void *found;
    driver = dlopen("libcuda.so.1", RTLD_NOW);
    if (!driver) {
        fprintf(stderr, "%s\n", dlerror());
        return 1;
    }
    found = dlsym(driver, "cuInit");
    CHECK(found != NULL);
    if (!found) return done();
    memcpy(&init, &found, sizeof found);
    OK(init(0));
    OK(call("cuDeviceGetCount", &count, 0));
    CHECK(count >= 1);
    OK(call("cuDeviceGet", &device, 0));
    CHECK(device == 0);
    found = dlsym(driver, "cuDeviceGetName");
    memcpy(&get_name, &found, sizeof found);
    OK(get_name(name, sizeof name, device));
    CHECK(strlen(name) > 0);
    return done();
}
