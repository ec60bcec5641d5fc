/* The start of each of our DLLs, in place of mingw's C runtime.
 *
 * mingw's start-up code and C library have to be compiled on first use: three minutes on two cores. All that our
 * libraries need of them is below; everything else comes straight from Windows' own C runtime (the api-ms-win-crt
 * libraries). The linker drops what a library does not use.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <windows.h>

/* ---- entry: constructors, a DllMain where the library has one, destructors ---- */

/* Lists that the linker makes: a first element that does not count, the functions, NULL. */
typedef void (*hook)(void);
extern hook __CTOR_LIST__[];
extern hook __DTOR_LIST__[];

__attribute__((weak)) BOOL WINAPI DllMain(HINSTANCE module, DWORD reason, LPVOID reserved) {
    (void)module;
    (void)reason;
    (void)reserved;
    return TRUE;
}

BOOL WINAPI DllMainCRTStartup(HINSTANCE module, DWORD reason, LPVOID reserved) {
    if (reason == DLL_PROCESS_ATTACH) {
        size_t last = 0;
        while (__CTOR_LIST__[last + 1]) {
            last++;
        }
        for (; last; last--) {
            __CTOR_LIST__[last]();
        }
    }
    BOOL fine = DllMain(module, reason, reserved);
    if (reason == DLL_PROCESS_DETACH) {
        for (size_t i = 1; __DTOR_LIST__[i]; i++) {
            __DTOR_LIST__[i]();
        }
    }
    return fine;
}

/* ---- __thread variables: the directory that the loader reads ---- */
ULONG _tls_index;
__attribute__((section(".tls"))) char _tls_start;
__attribute__((section(".tls$ZZZ"))) char _tls_end;
static PIMAGE_TLS_CALLBACK no_callbacks[1];

__attribute__((used)) const IMAGE_TLS_DIRECTORY _tls_used = {
    .StartAddressOfRawData = (ULONG_PTR)&_tls_start,
    .EndAddressOfRawData = (ULONG_PTR)&_tls_end,
    .AddressOfIndex = (ULONG_PTR)&_tls_index,
    .AddressOfCallBacks = (ULONG_PTR)no_callbacks,
};

/* ---- printf and scanf: Windows exports only the functions behind them ---- */
enum { C99_RESULT = 2 }; /* snprintf answers the length that would have been needed, and always ends with 0 */

int vfprintf(FILE *file, const char *format, va_list values) {
    return __stdio_common_vfprintf(0, file, format, NULL, values);
}

int vsnprintf(char *text, size_t size, const char *format, va_list values) {
    return __stdio_common_vsprintf(C99_RESULT, text, size, format, NULL, values);
}

int fprintf(FILE *file, const char *format, ...) {
    va_list values;
    va_start(values, format);
    int written = vfprintf(file, format, values);
    va_end(values);
    return written;
}

int snprintf(char *text, size_t size, const char *format, ...) {
    va_list values;
    va_start(values, format);
    int written = vsnprintf(text, size, format, values);
    va_end(values);
    return written;
}

int sscanf(const char *text, const char *format, ...) {
    va_list values;
    va_start(values, format);
    int read = __stdio_common_vsscanf(0, text, SIZE_MAX, format, NULL, values);
    va_end(values);
    return read;
}

/* ---- stack frames above a page: the compiler calls this first, with the frame's size in rax ---- */
__attribute__((naked)) void ___chkstk_ms(void) {
    __asm__("pushq %rcx\n"
            "pushq %rax\n"
            "leaq 24(%rsp), %rcx\n" /* the caller's stack pointer */
            "1: cmpq $4096, %rax\n"
            "jbe 2f\n"
            "subq $4096, %rcx\n"
            "orq $0, (%rcx)\n" /* touch each page on the way down, so that its guard page moves along */
            "subq $4096, %rax\n"
            "jmp 1b\n"
            "2: subq %rax, %rcx\n"
            "orq $0, (%rcx)\n"
            "popq %rax\n"
            "popq %rcx\n"
            "retq\n");
}
