/* platform.h on Linux. */
#ifndef DRAGOMAN_PLATFORM_POSIX_H
#define DRAGOMAN_PLATFORM_POSIX_H

#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#ifndef _GNU_SOURCE
/* Their declarations hide behind _GNU_SOURCE, which must come before the first system header: too late here. */
#ifndef RTLD_DEEPBIND
#define RTLD_DEEPBIND 0x00008
#endif
typedef struct {
    const char *dli_fname;
    void *dli_fbase;
    const char *dli_sname;
    void *dli_saddr;
} Dl_info;
extern int dladdr(const void *address, Dl_info *info);
struct dl_phdr_info {
    ElfW(Addr) dlpi_addr;
    const char *dlpi_name;
    const ElfW(Phdr) * dlpi_phdr;
    ElfW(Half) dlpi_phnum;
};
extern int dl_iterate_phdr(int (*visit)(struct dl_phdr_info *, size_t, void *), void *context);
#endif

#define DG_SEPARATOR '/'
#define DG_WINDOWS 0

/* ---- locks ---- */
/* All zero is a mutex that is ready; a recursive one needs dg_mutex_init. */
static inline uint64_t dg_thread(void) { return (uint64_t)(uintptr_t)pthread_self(); }
typedef pthread_mutex_t dg_mutex;
typedef pthread_once_t dg_once; /* all zero is ready */

static inline void dg_mutex_init(dg_mutex *mutex, int recursive) {
    pthread_mutexattr_t kind;
    pthread_mutexattr_init(&kind);
    pthread_mutexattr_settype(&kind, recursive ? PTHREAD_MUTEX_RECURSIVE : PTHREAD_MUTEX_NORMAL);
    pthread_mutex_init(mutex, &kind);
    pthread_mutexattr_destroy(&kind);
}
static inline void dg_mutex_lock(dg_mutex *mutex) { pthread_mutex_lock(mutex); }
static inline int dg_mutex_trylock(dg_mutex *mutex) { return pthread_mutex_trylock(mutex) == 0; }
static inline void dg_mutex_unlock(dg_mutex *mutex) { pthread_mutex_unlock(mutex); }
static inline void dg_once_run(dg_once *once, void (*run)(void)) { pthread_once(once, run); }
static inline void dg_yield(void) { sched_yield(); }

/* ---- modules ---- */
/* A library by its absolute path. Its symbols stay its own; `deep`: and it prefers them to those loaded before. */
static inline void *dg_module_open(const char *path, int deep) {
    return dlopen(path, RTLD_NOW | RTLD_LOCAL | (deep ? RTLD_DEEPBIND : 0));
}
/* The same, never to be unloaded. */
static inline void *dg_module_open_for_good(const char *path) {
    return dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
}
/* A library that is in the process already, by SONAME or path, else NULL. */
static inline void *dg_module_loaded(const char *name) { return dlopen(name, RTLD_NOW | RTLD_LOCAL | RTLD_NOLOAD); }
static inline void *dg_module_symbol(void *module, const char *name) { return dlsym(module, name); }

/* Why the last dg_module_open of this thread failed; it names a missing dependency by itself. */
static inline int dg_module_error(const char *path, char *text, size_t size) {
    const char *why = dlerror();
    (void)path;
    snprintf(text, size, "%s", why ? why : "the loader gave no reason");
    return (int)strlen(text);
}

/* What dl_iterate_phdr tells about one module: the addresses between its first and its last segment. */
typedef struct dg_module_walk {
    dg_module_visitor visit;
    void *context;
} dg_module_walk;

static inline int dg_module_step(struct dl_phdr_info *info, size_t size, void *context) {
    dg_module_walk *walk = context;
    uintptr_t start = UINTPTR_MAX, end = 0;
    (void)size;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        if (info->dlpi_phdr[i].p_type != PT_LOAD) continue;
        uintptr_t from = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
        if (from < start) start = from;
        if (from + info->dlpi_phdr[i].p_memsz > end) end = from + info->dlpi_phdr[i].p_memsz;
    }
    return walk->visit(info->dlpi_name ? info->dlpi_name : "", start, end, walk->context);
}
/* Visits every loaded module. The visitor must not call the loader. */
static inline int dg_modules(dg_module_visitor visit, void *context) {
    dg_module_walk walk = {visit, context};
    return dl_iterate_phdr(dg_module_step, &walk);
}

/* The absolute path of the file that holds `address`. The loader keeps the path as it was given, which may be
 * relative to a folder that was left since: then the kernel's list of mappings knows better. */
static inline int dg_module_file_of(const void *address, char *path, size_t size) {
    Dl_info info;
    *path = 0;
    if (!dladdr(address, &info) || !info.dli_fname) return -1;
    if (info.dli_fname[0] == '/') {
        int written = snprintf(path, size, "%s", info.dli_fname);
        return written >= 0 && (size_t)written < size ? written : -1;
    }
    FILE *maps = fopen("/proc/self/maps", "re");
    if (!maps) return -1;
    char line[DG_PATH + 128];
    int length = -1;
    while (fgets(line, sizeof line, maps)) {
        char *name = strchr(line, '/'), *dash = line;
        unsigned long long from = strtoull(line, &dash, 16);
        unsigned long long to = *dash == '-' ? strtoull(dash + 1, NULL, 16) : 0;
        if (!name || (uintptr_t)address < from || (uintptr_t)address >= to) continue;
        name[strcspn(name, "\n")] = 0;
        length = snprintf(path, size, "%s", name);
        if (length < 0 || (size_t)length >= size) *path = 0, length = -1;
        break;
    }
    fclose(maps);
    return length;
}

/* Keeps the module that holds `address` for the life of the process. */
static inline void dg_module_pin(const void *address) {
    Dl_info info;
    if (dladdr(address, &info) && info.dli_fname) dlopen(info.dli_fname, RTLD_NOW | RTLD_NOLOAD | RTLD_NODELETE);
}

/* ---- memory ---- */
/* Zeroed pages that cost nothing until written, and behind them one more page that can only be read. */
static inline void *dg_reserve(size_t bytes) {
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    char *base = mmap(NULL, bytes + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (base == MAP_FAILED) return NULL;
    mprotect(base + bytes, page, PROT_READ);
    return base;
}

/* ---- files ---- */
static inline int dg_is_absolute(const char *path) { return path[0] == '/'; }
static inline int dg_is_file(const char *path) {
    struct stat about;
    return stat(path, &about) == 0 && S_ISREG(about.st_mode);
}
static inline int dg_is_folder(const char *path) {
    struct stat about;
    return stat(path, &about) == 0 && S_ISDIR(about.st_mode);
}
/* 1 where somebody else may have put this path here for us to find: everybody may write to the folder that holds it,
 * and it, or what it leads to, belongs neither to this user nor to root. */
static inline int dg_is_planted(const char *path) {
    struct stat folder, link, target;
    char above[DG_PATH], *name;
    if (strlen(path) >= sizeof above) return 1;
    strcpy(above, path);
    if (!(name = strrchr(above, '/'))) return 0;
    name[name == above] = 0; /* but "/" stays */
    if (stat(above, &folder) != 0 || !(folder.st_mode & S_IWOTH)) return 0;
    if (lstat(path, &link) != 0 || stat(path, &target) != 0) return 1;
    return (link.st_uid && link.st_uid != geteuid()) || (target.st_uid && target.st_uid != geteuid());
}
/* Visits the names in a folder, in no order. -1: it cannot be read. */
static inline int dg_folder(const char *path, dg_name_visitor visit, void *context) {
    DIR *folder = opendir(path);
    struct dirent *entry;
    int answer = 0;
    if (!folder) return -1;
    while (!answer && (entry = readdir(folder)))
        if (strcmp(entry->d_name, ".") && strcmp(entry->d_name, "..")) answer = visit(entry->d_name, context);
    closedir(folder);
    return answer;
}
/* The same file without links and dots. */
static inline int dg_real_path(const char *path, char *real, size_t size) {
    char *found = realpath(path, NULL);
    int written = found ? snprintf(real, size, "%s", found) : -1;
    free(found);
    if (written >= 0 && (size_t)written < size) return written;
    *real = 0;
    return -1;
}
/* The first `size - 1` bytes of a file, with a 0 behind them. */
static inline int dg_read_file(const char *path, char *text, size_t size) {
    FILE *file = fopen(path, "re");
    size_t count;
    *text = 0;
    if (!file) return -1;
    count = fread(text, 1, size - 1, file);
    text[count] = 0;
    fclose(file);
    return (int)count;
}

/* ---- process ---- */
/* 1 where the program runs with more rights than whoever started it: what its environment says is not to be trusted. */
static inline int dg_elevated(void) { return getauxval(AT_SECURE) != 0; }

static inline int dg_env(const char *name, char *text, size_t size) {
    const char *value = getenv(name);
    int written;
    *text = 0;
    if (!value) return -1;
    written = snprintf(text, size, "%s", value);
    if (written >= 0 && (size_t)written < size) return written;
    *text = 0;
    return -1;
}
/* Runs `run` before what was registered earlier; may be called again. */
static inline void dg_at_exit(void (*run)(void)) { atexit(run); }
static inline void dg_at_fork(void (*in_child)(void)) { pthread_atfork(NULL, NULL, in_child); }

/* ---- output ---- */
/* One write; a closed pipe must neither kill the program nor leave a signal behind, and errno stays. */
static inline void dg_write_fd(int fd, const char *text, size_t length) {
    int kept = errno;
    sigset_t pipe_only, before, pending;
    sigemptyset(&pipe_only);
    sigaddset(&pipe_only, SIGPIPE);
    sigpending(&pending);
    int masked = !sigismember(&pending, SIGPIPE) && pthread_sigmask(SIG_BLOCK, &pipe_only, &before) == 0;
    ssize_t written = write(fd, text, length);
    if (masked) {
        if (written < 0 && errno == EPIPE) {
            struct timespec now = {0, 0};
            while (sigtimedwait(&pipe_only, NULL, &now) < 0 && errno == EINTR) {
            }
        }
        pthread_sigmask(SIG_SETMASK, &before, NULL);
    }
    errno = kept;
}
static inline void dg_write_stderr(const char *text, size_t length) { dg_write_fd(2, text, length); }
static inline void dg_write_stdout(const char *text, size_t length) {
    fflush(stdout); /* or the line would overtake what the program printed before */
    dg_write_fd(1, text, length);
}

/* A log file. The program may close every descriptor it does not know and open files of its own under the same
 * numbers, so each write looks whether the descriptor still is this file. */
typedef struct dg_log_file {
    int open;
    int fd;
    dev_t device;
    ino_t inode;
    char path[DG_PATH];
} dg_log_file;

/* Opens (or creates) a file to add lines to; 0, or -1 and the file is unchanged. */
static inline int dg_log_file_open(dg_log_file *file, const char *path) {
    struct stat about;
    if (strlen(path) >= sizeof file->path) return -1;
    int fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOCTTY, 0644);
    if (fd < 0) return -1;
    if (fstat(fd, &about) != 0) {
        close(fd);
        return -1;
    }
    file->fd = fd;
    file->device = about.st_dev;
    file->inode = about.st_ino;
    file->open = 1;
    if (path != file->path) snprintf(file->path, sizeof file->path, "%s", path);
    return 0;
}
static inline int dg_log_file_ours(const dg_log_file *file) {
    struct stat about;
    return fstat(file->fd, &about) == 0 && about.st_dev == file->device && about.st_ino == file->inode;
}
static inline void dg_log_file_close(dg_log_file *file) {
    if (file->open && dg_log_file_ours(file)) close(file->fd);
    file->open = 0;
}
static inline void dg_log_file_write(dg_log_file *file, const char *text, size_t length) {
    int kept = errno;
    if (file->open && (dg_log_file_ours(file) || dg_log_file_open(file, file->path) == 0))
        dg_write_fd(file->fd, text, length);
    errno = kept;
}
#endif
