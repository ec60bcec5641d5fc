/* A small pool of threads: what Cython cannot say of two systems' threads. One caller at a time has the workers;
 * whoever comes meanwhile, and a job that asks again from inside, works alone.
 *
 * Workers start with the first call that has work for them and stay. A process that forks has none in the child and
 * starts its own. The library stays in memory once they run.
 */
#ifndef DRAGOMAN_CPU_PARALLEL_H
#define DRAGOMAN_CPU_PARALLEL_H
#include "miopen.h"
#include "platform.h" /* mapping/runtime */

enum { MI_THREADS = 256 };

extern int scipy_openblas_get_num_threads64_(void);
extern void scipy_openblas_set_num_threads64_(int threads);

#ifdef _WIN32
typedef CONDITION_VARIABLE mi_signal;
static inline void mi_wait(mi_signal *signal, dg_mutex *lock) {
    SleepConditionVariableSRW(signal, &lock->slim, INFINITE, 0);
}
static inline void mi_wake(mi_signal *signal) { WakeAllConditionVariable(signal); }
#else
typedef pthread_cond_t mi_signal; /* all zero is ready */
static inline void mi_wait(mi_signal *signal, dg_mutex *lock) { pthread_cond_wait(signal, lock); }
static inline void mi_wake(mi_signal *signal) { pthread_cond_broadcast(signal); }
#endif

static dg_mutex mi_turn; /* held by the one caller that has the workers */
static dg_mutex mi_lock; /* guards the five below */
static mi_signal mi_start, mi_end;
static uint64_t mi_round; /* counts the calls: a worker waits for a new one */
static int mi_invited;    /* workers that may still join this call */
static int mi_busy;       /* workers in this call */
static int mi_workers;
static int mi_watched; /* the library is pinned, forks are watched */
static _Thread_local int mi_inside;

static struct {
    mi_job job;
    void *context;
    int64_t count, grain;
    int64_t next; /* taken piece by piece */
} mi_task;

static inline void mi_take_pieces(void) {
    mi_inside = 1;
    for (;;) {
        int64_t begin = __atomic_fetch_add(&mi_task.next, mi_task.grain, __ATOMIC_RELAXED);
        if (begin >= mi_task.count) break;
        int64_t end = begin + mi_task.grain;
        mi_task.job(mi_task.context, begin, end < mi_task.count ? end : mi_task.count);
    }
    mi_inside = 0;
}

static void mi_work(void) {
    uint64_t seen = 0;
    dg_mutex_lock(&mi_lock);
    for (;;) {
        while (mi_round == seen || !mi_invited) {
            seen = mi_round;
            mi_wait(&mi_start, &mi_lock);
        }
        seen = mi_round;
        mi_invited--;
        mi_busy++;
        dg_mutex_unlock(&mi_lock);
        mi_take_pieces();
        dg_mutex_lock(&mi_lock);
        if (!--mi_busy) mi_wake(&mi_end);
    }
}

#ifdef _WIN32
static DWORD WINAPI mi_thread(LPVOID unused) {
    (void)unused;
    mi_work();
    return 0;
}
static inline int mi_start_worker(void) {
    HANDLE thread = CreateThread(NULL, 0, mi_thread, NULL, 0, NULL);
    if (thread) CloseHandle(thread);
    return thread != NULL;
}
#else
static void *mi_thread(void *unused) {
    (void)unused;
    mi_work();
    return NULL;
}
static inline int mi_start_worker(void) {
    pthread_t thread;
    sigset_t all, before;
    sigfillset(&all); /* a program's signals are for its own threads */
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int failed = pthread_create(&thread, NULL, mi_thread, NULL);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (!failed) pthread_detach(thread);
    return !failed;
}
#endif

static void mi_forked(void);

/* So many workers, or as many as the system gives. Called with the turn. */
static inline void mi_hire(int wanted) {
    if (!mi_watched) {
        mi_watched = 1;
        dg_module_pin((const void *)mi_work);
        dg_at_fork(mi_forked);
    }
    while (mi_workers < wanted && mi_start_worker()) mi_workers++;
}

static inline void mi_run(int64_t count, int64_t grain, int threads, mi_job job, void *context) {
    mi_hire(threads - 1);
    scipy_openblas_set_num_threads64_(1);
    dg_mutex_lock(&mi_lock);
    mi_task.job = job;
    mi_task.context = context;
    mi_task.count = count;
    mi_task.grain = grain;
    mi_task.next = 0;
    mi_invited = threads - 1;
    mi_round++;
    mi_wake(&mi_start);
    dg_mutex_unlock(&mi_lock);
    mi_take_pieces();
    dg_mutex_lock(&mi_lock);
    mi_invited = 0;
    while (mi_busy) mi_wait(&mi_end, &mi_lock);
    dg_mutex_unlock(&mi_lock);
    scipy_openblas_set_num_threads64_(threads);
}

/* ---- memory that is kept between calls ---- */
enum { MI_KEPT = 32, MI_PAGE = 4096 };

typedef struct mi_block { /* in front of what the caller gets */
    size_t bytes;
    uint64_t spare[7];
} mi_block;

static dg_mutex mi_memory_lock;
static mi_block *mi_kept[MI_KEPT];

static inline void *mi_memory(size_t bytes) {
    mi_block *found = NULL;
    bytes = (bytes + sizeof(mi_block) + MI_PAGE - 1) / MI_PAGE * MI_PAGE;
    dg_mutex_lock(&mi_memory_lock);
    int best = -1;
    for (int i = 0; i < MI_KEPT; i++) /* the smallest that is enough */
        if (mi_kept[i] && mi_kept[i]->bytes >= bytes && (best < 0 || mi_kept[i]->bytes < mi_kept[best]->bytes)) best = i;
    if (best >= 0) {
        found = mi_kept[best];
        mi_kept[best] = NULL;
    }
    dg_mutex_unlock(&mi_memory_lock);
    if (!found) {
#ifdef _WIN32
        found = VirtualAlloc(NULL, bytes, MEM_RESERVE | MEM_COMMIT, PAGE_READWRITE);
#else
        void *memory = NULL;
        found = posix_memalign(&memory, MI_PAGE, bytes) ? NULL : memory;
#endif
        if (!found) return NULL;
        found->bytes = bytes;
    }
    return found + 1;
}

static inline void mi_memory_done(void *memory) {
    if (!memory) return;
    mi_block *block = (mi_block *)memory - 1;
    dg_mutex_lock(&mi_memory_lock);
    int place = -1;
    for (int i = 0; i < MI_KEPT; i++) { /* a free place, else that of the smallest */
        if (!mi_kept[i]) {
            place = i;
            break;
        }
        if (mi_kept[i]->bytes < block->bytes && (place < 0 || mi_kept[i]->bytes < mi_kept[place]->bytes)) place = i;
    }
    if (place >= 0) {
        mi_block *out = mi_kept[place];
        mi_kept[place] = block;
        block = out;
    }
    dg_mutex_unlock(&mi_memory_lock);
    if (block)
#ifdef _WIN32
        VirtualFree(block, 0, MEM_RELEASE);
#else
        free(block);
#endif
}

/* The child of a fork has no workers, and nobody in it holds a lock. */
static void mi_forked(void) {
    static const dg_mutex open;
    static const mi_signal silent;
    mi_turn = mi_lock = mi_memory_lock = open;
    mi_start = mi_end = silent;
    mi_invited = mi_busy = mi_workers = mi_inside = 0;
}
#endif
