/* A program's start on Windows without mingw's C runtime, whose first use costs minutes of compiling: driver.c over
 * Windows' own C runtime, and what build/windows_start.c has for our DLLs. */
#include "windows_start.c"
#include <corecrt_startup.h>
#include <stdlib.h>

static int print(const char *format, ...) {
    va_list values;
    va_start(values, format);
    int written = vfprintf(stdout, format, values);
    va_end(values);
    return written;
}
static int at_exit(void (*run)(void)) { return _crt_atexit(run); }

#define printf print
#define atexit at_exit
#define main driver_main
#include "driver.c"

void program_start(void) {
    _configure_narrow_argv(1);
    exit(driver_main(*__p___argc(), *__p___argv()));
}
