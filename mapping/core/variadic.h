/* The core's two functions with `...`, which Cython can call but not define; and what only C can say of its data. */
#ifndef DRAGOMAN_CORE_VARIADIC_H
#define DRAGOMAN_CORE_VARIADIC_H

#include <stdarg.h>
#include "dragoman.h"
#include "platform.h"

enum { DG_LINE = 2048 };

/* log.pxi */
int core_hears(int level);
void core_say(int level, const char *code, const char *text);

/* 1 while a program's log callback runs in this thread: what it calls is not logged again. */
static _Thread_local int core_in_callback;
static inline void core_callback_begin(void) { core_in_callback = 1; }
static inline void core_callback_end(void) { core_in_callback = 0; }

/* Too long a text is cut, and shows it. */
static inline void core_end(char *text, int length) {
    if (length >= DG_LINE) memcpy(text + DG_LINE - 4, "...", 4);
    if (length < 0) *text = 0;
}

__attribute__((format(printf, 3, 4))) static void core_log(int level, const char *code, const char *format, ...) {
    char text[DG_LINE];
    va_list values;
    int kept = errno;
    if (!core_hears(level)) return;
    va_start(values, format);
    core_end(text, vsnprintf(text, sizeof text, format, values));
    va_end(values);
    core_say(level, code, text);
    errno = kept;
}

/* name(arguments) = status */
__attribute__((format(printf, 3, 4))) static void core_trace(const char *function, long long status, const char *format,
                                                             ...) {
    char text[DG_LINE];
    va_list values;
    int kept = errno, length, more;
    if (!core_hears(DG_LOG_TRACE)) return;
    length = snprintf(text, sizeof text, "%s(", function);
    if (length >= 0 && length < DG_LINE) {
        va_start(values, format);
        more = vsnprintf(text + length, sizeof text - length, format, values);
        va_end(values);
        length = more < 0 ? more : length + more;
    }
    if (length >= 0 && length < DG_LINE) {
        more = snprintf(text + length, sizeof text - length, ") = %lld", status);
        length = more < 0 ? more : length + more;
    }
    core_end(text, length);
    core_say(DG_LOG_TRACE, "", text);
    errno = kept;
}
#endif
