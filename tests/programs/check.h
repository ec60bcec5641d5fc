/* Checks for the programs beside it: each failing one says its line; `done()` is what main returns. */
#ifndef CHECK_H
#define CHECK_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static int wrong_checks;

#define CHECK(condition)                                                      \
    do {                                                                      \
        if (!(condition)) {                                                   \
            fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition); \
            ++wrong_checks;                                                   \
        }                                                                     \
    } while (0)

/* A call must answer this status. */
#define GIVES(status, call)                                                   \
    do {                                                                      \
        int got_ = (int)(call);                                               \
        if (got_ != (int)(status)) {                                          \
            fprintf(stderr, "%s:%d: %s gave %d, not %d\n", __FILE__, __LINE__, #call, got_, (int)(status)); \
            ++wrong_checks;                                                   \
        }                                                                     \
    } while (0)

#define OK(call) GIVES(0, call)

/* Within a few units of rounding of numbers of this size. */
#define NEAR(got, wanted, unit)                                               \
    do {                                                                      \
        double got_ = (double)(got), wanted_ = (double)(wanted);              \
        if (!(fabs(got_ - wanted_) <= (unit) * (1 + fabs(wanted_)))) {        \
            fprintf(stderr, "%s:%d: %s is %.9g, not %.9g\n", __FILE__, __LINE__, #got, got_, wanted_); \
            ++wrong_checks;                                                   \
        }                                                                     \
    } while (0)

static inline int done(void)
{
    if (wrong_checks) fprintf(stderr, "%d wrong\n", wrong_checks);
    return wrong_checks ? 1 : 0;
}

#endif
