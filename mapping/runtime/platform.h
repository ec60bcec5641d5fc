/* What Cython cannot say and C libraries of two systems say differently: atomics, locks, modules, memory, files.
 *
 * Used by dragoman_core, by each generated library's start (library.pyx), and open to the CPU backend. Everything is
 * static inline; strings are UTF-8 on both systems. A text function writes into the caller's buffer and returns the
 * length, or -1 where there is no answer or no room: nothing is ever cut short in silence.
 *
 * platform_posix.h and platform_windows.h hold the two implementations of
 *
 *   locks     dg_mutex, dg_mutex_init/lock/trylock/unlock, dg_once, dg_once_run, dg_yield
 *   modules   dg_module_open, dg_module_loaded, dg_module_symbol, dg_module_error, dg_module_file_of,
 *             dg_modules, dg_module_pin
 *   memory    dg_reserve
 *   files     dg_is_file, dg_is_folder, dg_is_planted, dg_folder, dg_is_absolute, dg_real_path, dg_read_file
 *   process   dg_elevated, dg_env, dg_at_exit, dg_at_fork
 *   output    dg_write_stderr, dg_write_stdout, dg_log_file, dg_log_file_open, dg_log_file_write
 */
#ifndef DRAGOMAN_PLATFORM_H
#define DRAGOMAN_PLATFORM_H

#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A path of any length that is worth supporting; longer ones are refused, not cut. */
enum { DG_PATH = 4096 };

/* ---- atomics ---- */
static inline int dg_load(const volatile int *place) { return __atomic_load_n(place, __ATOMIC_ACQUIRE); }
static inline void dg_store(volatile int *place, int value) { __atomic_store_n(place, value, __ATOMIC_RELEASE); }
static inline int dg_exchange(volatile int *place, int value) {
    return __atomic_exchange_n(place, value, __ATOMIC_ACQ_REL);
}
static inline uint32_t dg_load_u32(const volatile uint32_t *place) { return __atomic_load_n(place, __ATOMIC_ACQUIRE); }
static inline void dg_store_u32(volatile uint32_t *place, uint32_t value) {
    __atomic_store_n(place, value, __ATOMIC_RELEASE);
}
static inline uint32_t dg_exchange_u32(volatile uint32_t *place, uint32_t value) {
    return __atomic_exchange_n(place, value, __ATOMIC_ACQ_REL);
}
/* 1 where `place` held `from` and now holds `to`. */
static inline int dg_swap_u32(volatile uint32_t *place, uint32_t from, uint32_t to) {
    return __atomic_compare_exchange_n(place, &from, to, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
}
static inline void *dg_load_pointer(void *const volatile *place) { return __atomic_load_n(place, __ATOMIC_ACQUIRE); }
static inline void dg_store_pointer(void *volatile *place, void *value) {
    __atomic_store_n(place, value, __ATOMIC_RELEASE);
}
static inline void dg_store_word(volatile uintptr_t *place, uintptr_t value) {
    __atomic_store_n(place, value, __ATOMIC_RELEASE);
}

/* ---- callbacks of the functions below; an answer other than 0 ends the walk ---- */
/* One loaded module: its file, and the addresses that it takes. */
typedef int (*dg_module_visitor)(const char *file, uintptr_t start, uintptr_t end, void *context);
/* One name in a folder. */
typedef int (*dg_name_visitor)(const char *name, void *context);

#ifdef _WIN32
#include "platform_windows.h"
#else
#include "platform_posix.h"
#endif

/* ---- paths ---- */
static inline int dg_is_separator(char c) { return c == '/' || (DG_SEPARATOR == '\\' && c == '\\'); }

/* Where the file name begins. */
static inline const char *dg_base_name(const char *path) {
    const char *base = path;
    for (; *path; path++)
        if (dg_is_separator(*path)) base = path + 1;
    return base;
}

/* "/a/b/c.so" → "/a/b", in place; 0 where there is no folder in it. */
static inline int dg_cut_name(char *path) {
    char *base = (char *)dg_base_name(path);
    if (base == path) return 0;
    if (base - path > 1) base--; /* but "/" stays */
    *base = 0;
    return 1;
}

/* folder + separator + name; -1 where it does not fit. */
static inline int dg_join(char *path, size_t size, const char *folder, const char *name) {
    size_t length = strlen(folder);
    const char *between = length && dg_is_separator(folder[length - 1]) ? "" : DG_SEPARATOR == '/' ? "/" : "\\";
    int written = snprintf(path, size, "%s%s%s", folder, between, name);
    if (written < 0 || (size_t)written >= size) {
        if (size) *path = 0;
        return -1;
    }
    return written;
}

/* File names compare as the system's loader compares them. */
static inline int dg_same_letter(char a, char b) {
    if (DG_SEPARATOR == '\\') {
        if (a >= 'A' && a <= 'Z') a += 'a' - 'A';
        if (b >= 'A' && b <= 'Z') b += 'a' - 'A';
    }
    return a == b;
}
static inline int dg_starts(const char *text, const char *start) {
    while (*start)
        if (!dg_same_letter(*text++, *start++)) return 0; /* ends at text's 0 too */
    return 1;
}
static inline int dg_same_name(const char *a, const char *b) {
    return strlen(a) == strlen(b) && dg_starts(a, b);
}
#endif
