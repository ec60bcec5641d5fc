/* A check that says what it expected and goes on; main returns the number of misses. */
#ifndef CHECK_H
#define CHECK_H
#include <stdio.h>

static int misses;
#define IS(expected, expression)                                                                        \
    do {                                                                                                \
        long long is_want = (long long)(expected), is_got = (long long)(expression);                    \
        if (is_want != is_got) {                                                                        \
            printf("%s:%d: %s is %lld; expected %lld\n", __FILE__, __LINE__, #expression, is_got, is_want); \
            misses++;                                                                                   \
        }                                                                                               \
    } while (0)
#define OK(expression) IS(0, expression)
#endif
