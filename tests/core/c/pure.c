/* The core's small decisions as functions of their arguments: text.h, known.h, platform.h. Prints what is wrong. */
#include <stdio.h>
#include "known.h"
#include "platform.h"
#include "text.h"

static int wrong;
static void check(int good, const char *what) {
    if (!good) wrong++, printf("wrong: %s\n", what);
}
#define CHECK(condition) check((condition) != 0, #condition)

static int ini(const char *text, const char *name, const char *expected) {
    char value[32];
    int length = core_ini(text, name, value, sizeof value);
    if (!expected) return length == -1;
    return length == (int)strlen(expected) && !strcmp(value, expected);
}

int main(void) {
    /* dragoman.ini */
    CHECK(ini("backend=cpu", "DRAGOMAN_BACKEND", "cpu"));
    CHECK(ini("\xef\xbb\xbf" "Backend = cpu \r\nlog=info\r\n", "DRAGOMAN_BACKEND", "cpu"));
    CHECK(ini("[dragoman]\n; log = off\n# log = off\n  DRAGOMAN_LOG =  trace\n", "DRAGOMAN_LOG", "trace"));
    CHECK(ini("rocm_path = C:\\Program Files\\AMD\\ROCm\n", "DRAGOMAN_ROCM_PATH", "C:\\Program Files\\AMD\\ROCm"));
    CHECK(ini("log=info\nlog=off\n", "DRAGOMAN_LOG", "off"));
    CHECK(ini("log\n=info\nlogs=info\nlo g=x", "DRAGOMAN_LOG", NULL));
    CHECK(ini("log=", "DRAGOMAN_LOG", ""));
    CHECK(ini("", "DRAGOMAN_LOG", NULL));
    CHECK(ini("log=0123456789012345678901234567890123456789", "DRAGOMAN_LOG", NULL)); /* no room: not cut */

    /* names */
    CHECK(core_fits("amdhip64_7.dll", "amdhip64_*.dll"));
    CHECK(core_fits("rocm-6.4", "rocm-*"));
    CHECK(core_fits("abc", "*"));
    CHECK(!core_fits("amdhip64.dll", "amdhip64_*.dll"));
    CHECK(!core_fits("a.dll", "a.dl*.dll"));
    CHECK(core_fits("librocblas.so.5", "librocblas.so.5"));
    CHECK(!core_fits("librocblas.so.50", "librocblas.so.5"));
    CHECK(core_newer("rocm-6.10.0", "rocm-6.9.1"));
    CHECK(!core_newer("rocm-6.9.1", "rocm-6.10.0"));
    CHECK(core_newer("rocm-7.0", "rocm-6.4.3"));
    CHECK(core_newer("rocm-6.4.1", "rocm-6.4"));
    CHECK(!core_newer("rocm-6.4", "rocm-6.4"));

    /* versions */
    CHECK(core_version_of("5.2.0.f3a1b2c") == 5002000);
    CHECK(core_version_of("2.47.0-") == 2047000);
    CHECK(core_version_of("4.12345.1") == 4999001);
    CHECK(core_version_of("7") == 7000000);
    CHECK(core_version_of("none") == 0);
    CHECK(core_version_of("") == 0);

    /* what is in the process */
#ifndef _WIN32
    CHECK(core_is_driver("libcuda.so.1"));
    CHECK(!core_is_driver("libcudart.so.12"));
    CHECK(core_is_runtime("libcudart.so.11.0"));
    CHECK(core_is_hip("libamdhip64.so.7.2.53211"));
    CHECK(core_is_rocm("librocblas.so.5.2"));
    CHECK(core_is_rocm("libhsa-runtime64.so.1"));
    CHECK(!core_is_rocm("librocblas_stuff.so"));
    CHECK(!core_is_rocm("libfoo.so"));
#else
    CHECK(core_is_driver("NVCUDA.DLL"));
    CHECK(core_is_runtime("cudart64_12.dll"));
    CHECK(core_is_hip("amdhip64_7.dll"));
    CHECK(core_is_rocm("rocblas.dll"));
    CHECK(core_is_rocm("libhipblaslt.dll"));
#endif

    /* paths */
    char path[DG_PATH] = "/a/b/c.so";
    CHECK(dg_cut_name(path) && !strcmp(path, "/a/b"));
    CHECK(dg_cut_name(path) && dg_cut_name(path) && !strcmp(path, "/") && !dg_cut_name(path + 1));
    CHECK(dg_join(path, sizeof path, "/a/", "b") > 0 && !strcmp(path, "/a/b"));
    CHECK(dg_join(path, 6, "/a/bb", "c") == -1 && !path[0]);
    CHECK(!dg_is_absolute("a/b") && !dg_is_absolute("./a") && !dg_is_absolute("") && !dg_is_absolute("C:a"));

    /* settings: a value that does not fit is none */
    static char value[DG_PATH];
#ifndef _WIN32
    setenv("DG_TEST", "value", 1);
    CHECK(dg_env("DG_TEST", value, sizeof value) == 5 && !strcmp(value, "value"));
    CHECK(dg_env("DG_TEST", value, 5) == -1 && !value[0]);
    CHECK(dg_env("DG_TEST_UNSET", value, sizeof value) == -1);
#endif
    printf(wrong ? "%d wrong\n" : "ok\n", wrong);
    return wrong != 0;
}
