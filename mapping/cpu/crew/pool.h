/* A small pool of threads: what Cython cannot say of two systems' threads. One caller at a time has the workers;
 * whoever comes meanwhile, and a job that asks again from inside, works alone.
 *
 * Workers start with the first call that has work for them and stay. A process that forks has none in the child and
 * starts its own. The library stays in memory once they run.
 */
#ifndef DRAGOMAN_CPU_CREW_POOL_H
#define DRAGOMAN_CPU_CREW_POOL_H
#include "crew.h"
#include "platform.h" /* mapping/runtime */

enum { CREW_THREADS = 256 };

extern int scipy_openblas_get_num_threads64_(void);
extern void scipy_openblas_set_num_threads64_(int threads);

#ifdef _WIN32
typedef CONDITION_VARIABLE crew_signal;
static inline void crew_wait(crew_signal *signal, dg_mutex *lock) {
    SleepConditionVariableSRW(signal, &lock->slim, INFINITE, 0);
}
static inline void crew_wake(crew_signal *signal) { WakeAllConditionVariable(signal); }
#else
typedef pthread_cond_t crew_signal; /* all zero is ready */
static inline void crew_wait(crew_signal *signal, dg_mutex *lock) { pthread_cond_wait(signal, lock); }
static inline void crew_wake(crew_signal *signal) { pthread_cond_broadcast(signal); }
#endif

static dg_mutex crew_turn; /* held by the one caller that has the workers */
static dg_mutex crew_lock; /* guards the five below */
static crew_signal crew_start, crew_end;
static uint64_t crew_round; /* counts the calls: a worker waits for a new one */
static int crew_invited;    /* workers that may still join this call */
static int crew_busy;       /* workers in this call */
static int crew_workers;
static int crew_watched; /* the library is pinned, forks are watched */
static _Thread_local int crew_inside;

static struct {
    crew_job job;
    void *context;
    int64_t count, grain;
    int64_t next; /* taken piece by piece */
} crew_task;

static inline void crew_take_pieces(void) {
    crew_inside = 1;
    for (;;) {
        int64_t begin = __atomic_fetch_add(&crew_task.next, crew_task.grain, __ATOMIC_RELAXED);
        if (begin >= crew_task.count) break;
        int64_t end = begin + crew_task.grain;
        crew_task.job(crew_task.context, begin, end < crew_task.count ? end : crew_task.count);
    }
    crew_inside = 0;
}

static void crew_work(void) {
    uint64_t seen = 0;
    dg_mutex_lock(&crew_lock);
    for (;;) {
        while (crew_round == seen || !crew_invited) {
            seen = crew_round;
            crew_wait(&crew_start, &crew_lock);
        }
        seen = crew_round;
        crew_invited--;
        crew_busy++;
        dg_mutex_unlock(&crew_lock);
        crew_take_pieces();
        dg_mutex_lock(&crew_lock);
        if (!--crew_busy) crew_wake(&crew_end);
    }
}

#ifdef _WIN32
static DWORD WINAPI crew_thread(LPVOID unused) {
    (void)unused;
    crew_work();
    return 0;
}
static inline int crew_start_worker(void) {
    HANDLE thread = CreateThread(NULL, 0, crew_thread, NULL, 0, NULL);
    if (thread) CloseHandle(thread);
    return thread != NULL;
}
#else
static void *crew_thread(void *unused) {
    (void)unused;
    crew_work();
    return NULL;
}
static inline int crew_start_worker(void) {
    pthread_t thread;
    sigset_t all, before;
    sigfillset(&all); /* a program's signals are for its own threads */
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int failed = pthread_create(&thread, NULL, crew_thread, NULL);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (!failed) pthread_detach(thread);
    return !failed;
}
#endif

static void crew_forked(void);

/* So many workers, or as many as the system gives. Called with the turn. */
static inline void crew_hire(int wanted) {
    if (!crew_watched) {
        crew_watched = 1;
        dg_module_pin((const void *)crew_work);
        dg_at_fork(crew_forked);
    }
    while (crew_workers < wanted && crew_start_worker()) crew_workers++;
}

static inline void crew_run(int64_t count, int64_t grain, int threads, crew_job job, void *context) {
    crew_hire(threads - 1);
    scipy_openblas_set_num_threads64_(1);
    dg_mutex_lock(&crew_lock);
    crew_task.job = job;
    crew_task.context = context;
    crew_task.count = count;
    crew_task.grain = grain;
    crew_task.next = 0;
    crew_invited = threads - 1;
    crew_round++;
    crew_wake(&crew_start);
    dg_mutex_unlock(&crew_lock);
    crew_take_pieces();
    dg_mutex_lock(&crew_lock);
    crew_invited = 0;
    while (crew_busy) crew_wait(&crew_end, &crew_lock);
    dg_mutex_unlock(&crew_lock);
    scipy_openblas_set_num_threads64_(threads);
}

/* ---- memory that is kept between calls ---- */
enum { CREW_KEPT = 32, CREW_PAGE = 4096 };

typedef struct crew_block { /* in front of what the caller gets */
    size_t bytes;
    uint64_t spare[7];
} crew_block;

static dg_mutex crew_memory_lock;
static crew_block *crew_kept[CREW_KEPT];

static inline void *crew_memory(size_t bytes) {
    crew_block *found = NULL;
    bytes = (bytes + sizeof(crew_block) + CREW_PAGE - 1) / CREW_PAGE * CREW_PAGE;
    dg_mutex_lock(&crew_memory_lock);
    int best = -1;
    for (int i = 0; i < CREW_KEPT; i++) /* the smallest that is enough */
        if (crew_kept[i] && crew_kept[i]->bytes >= bytes && (best < 0 || crew_kept[i]->bytes < crew_kept[best]->bytes))
            best = i;
    if (best >= 0) {
        found = crew_kept[best];
        crew_kept[best] = NULL;
    }
    dg_mutex_unlock(&crew_memory_lock);
    if (!found) {
#ifdef _WIN32
        found = VirtualAlloc(NULL, bytes, MEM_RESERVE | MEM_COMMIT, PAGE_READWRITE);
#else
        void *memory = NULL;
        found = posix_memalign(&memory, CREW_PAGE, bytes) ? NULL : memory;
#endif
        if (!found) return NULL;
        found->bytes = bytes;
    }
    return found + 1;
}

static inline void crew_memory_done(void *memory) {
    if (!memory) return;
    crew_block *block = (crew_block *)memory - 1;
    dg_mutex_lock(&crew_memory_lock);
    int place = -1;
    for (int i = 0; i < CREW_KEPT; i++) { /* a free place, else that of the smallest */
        if (!crew_kept[i]) {
            place = i;
            break;
        }
        if (crew_kept[i]->bytes < block->bytes && (place < 0 || crew_kept[i]->bytes < crew_kept[place]->bytes))
            place = i;
    }
    if (place >= 0) {
        crew_block *out = crew_kept[place];
        crew_kept[place] = block;
        block = out;
    }
    dg_mutex_unlock(&crew_memory_lock);
    if (block)
#ifdef _WIN32
        VirtualFree(block, 0, MEM_RELEASE);
#else
        free(block);
#endif
}

/* The child of a fork has no workers, and nobody in it holds a lock. */
static void crew_forked(void) {
    static const dg_mutex open;
    static const crew_signal silent;
    crew_turn = crew_lock = crew_memory_lock = open;
    crew_start = crew_end = silent;
    crew_invited = crew_busy = crew_workers = crew_inside = 0;
}
#endif
