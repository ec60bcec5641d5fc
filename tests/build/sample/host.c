/* A Windows program that loads sample.dll and prints what its functions answer.
 * Built with zig, linked with windows_start.c, run under Wine by test_build.py.
 */
#include <stdarg.h>
#include <windows.h>
#include "sample.h"

#define FIND(name) ((void *)GetProcAddress(library, name))

static int add(void *context, int value) { return value + *(int *)context; }

int mainCRTStartup(void) {
    HMODULE library = LoadLibraryA("sample.dll");
    if (!library) {
        ExitProcess((UINT)GetLastError());
    }
    sample_pair (*swap)(sample_pair) = FIND("sample_swap");
    sample_large (*twice)(sample_large) = FIND("sample_double");
    int (*each)(sample_callback, void *, int) = FIND("sample_each");
    int (*status)(unsigned) = FIND("sample_status");
    int (*text)(char *, size_t, int) = FIND("sample_text");
    sample_gemm_fn gemm = FIND("sample_gemm");
    int64_t seen[12] = {0};
    float one = 1, two = 2, c = 0;
    int ten = 10;
    char line[40];
    sample_pair pair = swap((sample_pair){5, -10});
    sample_large large = twice((sample_large){1, 2, 1.5});
    fprintf(stdout, "%d %d|%d %d %d|%d|%d %d|", pair.x, pair.y, (int)large.first, (int)large.second,
            (int)large.third, each(add, &ten, 3), status(2), status(99));
    fprintf(stdout, "%d %d|", gemm(NULL, 0, 0, 1, 1, 1, &one, &one, 1, &one, 1, &two, &c, 1),
            gemm(seen, 1, 2, 3, 4, 5, &one, &one, 6, &one, 7, &two, &c, 8));
    for (int i = 0; i < 12; i++) {
        fprintf(stdout, "%d ", (int)seen[i]);
    }
    fprintf(stdout, "|%d %s", text(line, sizeof line, 7), line);
    fflush(stdout);
    ExitProcess(FreeLibrary(library) ? 0 : 1);
}
