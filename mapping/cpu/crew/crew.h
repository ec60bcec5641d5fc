/* Threads and scratch memory of the CPU backend's libraries: each has a crew of its own (crew.pyx). */
#ifndef DRAGOMAN_CPU_CREW_H
#define DRAGOMAN_CPU_CREW_H
#include <stddef.h>
#include <stdint.h>

typedef void (*crew_job)(void *context, int64_t begin, int64_t end);

/* Runs `job` over [0, count) in pieces of at least `grain`, on as many threads as OpenBLAS uses; OpenBLAS itself works
 * with one thread meanwhile. Returns when all is done. */
void crew_parallel(int64_t count, int64_t grain, crew_job job, void *context);
/* The same for the members of a batch, each of about `cost` operations. Few and large ones have all threads in turn. */
void crew_members(int64_t count, double cost, crew_job job, void *context);
int crew_threads(void); /* how many crew_parallel would use now */

/* Memory for the length of a call; it is kept for the next one. NULL where there is none. */
void *crew_scratch(size_t bytes);
void crew_scratch_done(void *memory);
#endif
