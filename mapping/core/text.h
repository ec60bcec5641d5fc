/* Small text work of the core, in C because it walks characters. */
#ifndef DRAGOMAN_CORE_TEXT_H
#define DRAGOMAN_CORE_TEXT_H

#include "platform.h"

static inline char dg_lower(char c) { return c >= 'A' && c <= 'Z' ? (char)(c + ('a' - 'A')) : c; }

/* The same word, whatever its case. */
static inline int dg_same_word(const char *a, const char *b) {
    while (*a && dg_lower(*a) == dg_lower(*b)) a++, b++;
    return !*a && !*b;
}

/* dragoman.ini: `backend = cpu` or `DRAGOMAN_BACKEND = cpu`, one a line; `;` and `#` begin a comment line, [sections]
 * say nothing. The length of the last value given for `name`, else -1. */
static int core_ini(const char *text, const char *name, char *value, size_t size) {
    const char *brief = strncmp(name, "DRAGOMAN_", 9) == 0 ? name + 9 : name;
    int found = -1;
    if (!strncmp(text, "\xef\xbb\xbf", 3)) text += 3; /* Windows' editors may begin with this mark */
    while (*text) {
        char key[64];
        size_t line = strcspn(text, "\r\n"), from = strspn(text, " \t"), equals = 0;
        while (equals < line && text[equals] != '=') equals++;
        if (from < line && equals < line && text[from] != ';' && text[from] != '#' && text[from] != '[') {
            size_t end = equals, first = equals + 1, last = line;
            while (end > from && (text[end - 1] == ' ' || text[end - 1] == '\t')) end--;
            while (first < last && (text[first] == ' ' || text[first] == '\t')) first++;
            while (last > first && (text[last - 1] == ' ' || text[last - 1] == '\t')) last--;
            if (end - from < sizeof key && last - first < size) {
                memcpy(key, text + from, end - from);
                key[end - from] = 0;
                if (dg_same_word(key, name) || dg_same_word(key, brief)) {
                    memcpy(value, text + first, last - first);
                    value[last - first] = 0;
                    found = (int)(last - first);
                }
            }
        }
        text += line;
        text += strspn(text, "\r\n");
    }
    return found;
}

/* Does `name` fit a pattern with at most one `*`? */
static inline int core_fits(const char *name, const char *pattern) {
    const char *star = strchr(pattern, '*');
    size_t before, after, length = strlen(name);
    if (!star) return dg_same_name(name, pattern);
    before = (size_t)(star - pattern);
    after = strlen(star + 1);
    if (length < before + after) return 0;
    for (size_t i = 0; i < before; i++)
        if (!dg_same_letter(name[i], pattern[i])) return 0;
    return dg_same_name(name + length - after, star + 1);
}

/* Order of version numbers inside names: "rocm-6.10" is newer than "rocm-6.9". */
static inline int core_newer(const char *a, const char *b) {
    while (*a && *b) {
        int digit_a = *a >= '0' && *a <= '9', digit_b = *b >= '0' && *b <= '9';
        if (digit_a && digit_b) {
            unsigned long long x = strtoull(a, (char **)&a, 10), y = strtoull(b, (char **)&b, 10);
            if (x != y) return x > y;
        } else if (*a != *b) {
            return *a > *b;
        } else {
            a++, b++;
        }
    }
    return *a != 0;
}

static inline int core_is_digit(char c) { return c >= '0' && c <= '9'; }
static inline int core_is_hex(char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); }

static inline int core_is_word(char c) { return (c >= '0' && c <= '9') || (dg_lower(c) >= 'a' && dg_lower(c) <= 'z'); }

/* "5.2.0.abc" → 5002000; 0 where no number begins it. */
static inline uint32_t core_version_of(const char *text) {
    uint32_t version = 0;
    for (int i = 0; i < 3; i++) {
        char *end = (char *)text;
        unsigned long part = *text >= '0' && *text <= '9' ? strtoul(text, &end, 10) : 0;
        version = version * 1000 + (uint32_t)(part > 999 ? 999 : part);
        text = end + (end != text && *end == '.');
    }
    return version;
}
static inline unsigned core_major(uint32_t version) { return version / 1000000; }
static inline unsigned core_minor(uint32_t version) { return version / 1000 % 1000; }
static inline unsigned core_patch(uint32_t version) { return version % 1000; }

/* Linux: the kernel has a driver for AMD GPUs at work. */
static inline int core_has_gpu(void) {
#if DG_WINDOWS
    return 0;
#else
    return access("/dev/kfd", F_OK) == 0;
#endif
}
#endif
