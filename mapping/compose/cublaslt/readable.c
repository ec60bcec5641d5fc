/* Whether an address can be read, asked of the system: nothing is touched, nothing is caught. */
#include "platform.h"
#include "dragoman.h"
#if DG_WINDOWS
#include <windows.h>
#else
#include <errno.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

DG_HIDDEN int lt_readable(const void *address);

int lt_readable(const void *address) {
    if ((uintptr_t)address < 4096) return 0;
#if DG_WINDOWS
    MEMORY_BASIC_INFORMATION info;
    if (!VirtualQuery(address, &info, sizeof info) || info.State != MEM_COMMIT) return 0;
    return !(info.Protect & (PAGE_NOACCESS | PAGE_GUARD)) && info.Protect != 0;
#else
    /* The kernel reads the set first and only then looks at `how`, which is none: EFAULT where it could not. */
    uintptr_t place = (uintptr_t)address & ~(uintptr_t)7;
    int before = errno, readable;
    readable = syscall(SYS_rt_sigprocmask, ~0, place, 0, 8) != 0 && errno == EINVAL;
    errno = before;
    return readable;
#endif
}

DG_HIDDEN size_t lt_cache_capacity = 8192;
