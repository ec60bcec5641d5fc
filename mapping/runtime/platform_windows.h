/* platform.h on Windows: kernel32 only. Paths are UTF-8 here and UTF-16 at the system's door. */
#ifndef DRAGOMAN_PLATFORM_WINDOWS_H
#define DRAGOMAN_PLATFORM_WINDOWS_H

#ifndef WIN32_LEAN_AND_MEAN
#define WIN32_LEAN_AND_MEAN
#endif
#ifndef NOMINMAX
#define NOMINMAX
#endif
#include <windows.h>
#define PSAPI_VERSION 2 /* the K32 names, which kernel32 has */
#include <psapi.h>

#define DG_SEPARATOR '\\'
#define DG_WINDOWS 1

static inline uint64_t dg_thread(void) { return GetCurrentThreadId(); }

/* ---- text ---- */
static inline int dg_wide(const char *text, wchar_t *wide, int size) {
    return MultiByteToWideChar(CP_UTF8, MB_ERR_INVALID_CHARS, text, -1, wide, size) > 0 ? 0 : -1;
}
static inline int dg_narrow(const wchar_t *wide, char *text, size_t size) {
    int length = WideCharToMultiByte(CP_UTF8, 0, wide, -1, text, (int)size, NULL, NULL);
    if (length > 0) return length - 1;
    if (size) *text = 0;
    return -1;
}

/* ---- locks ---- */
/* A slim lock cannot be taken twice by one thread, a critical section can: hence both. All zero is a mutex that is
 * ready; a recursive one needs dg_mutex_init. */
typedef struct dg_mutex {
    SRWLOCK slim;
    int recursive;
    CRITICAL_SECTION section;
} dg_mutex;
typedef INIT_ONCE dg_once; /* all zero is ready */

static inline void dg_mutex_init(dg_mutex *mutex, int recursive) {
    InitializeSRWLock(&mutex->slim);
    if (recursive) InitializeCriticalSection(&mutex->section);
    mutex->recursive = recursive;
}
static inline void dg_mutex_lock(dg_mutex *mutex) {
    if (mutex->recursive) EnterCriticalSection(&mutex->section);
    else AcquireSRWLockExclusive(&mutex->slim);
}
static inline int dg_mutex_trylock(dg_mutex *mutex) {
    return mutex->recursive ? TryEnterCriticalSection(&mutex->section) : TryAcquireSRWLockExclusive(&mutex->slim);
}
static inline void dg_mutex_unlock(dg_mutex *mutex) {
    if (mutex->recursive) LeaveCriticalSection(&mutex->section);
    else ReleaseSRWLockExclusive(&mutex->slim);
}
static BOOL CALLBACK dg_once_step(PINIT_ONCE once, PVOID run, PVOID *unused) {
    (void)once;
    (void)unused;
    ((void (*)(void))run)();
    return TRUE;
}
static inline void dg_once_run(dg_once *once, void (*run)(void)) {
    InitOnceExecuteOnce(once, dg_once_step, (PVOID)run, NULL);
}
static inline void dg_yield(void) { SwitchToThread(); }

/* ---- files ---- */
/* "C:\..." or "\\server\..." */
static inline int dg_is_absolute(const char *path) {
    int letter = (path[0] >= 'a' && path[0] <= 'z') || (path[0] >= 'A' && path[0] <= 'Z');
    if (letter && path[1] == ':' && (path[2] == '\\' || path[2] == '/')) return 1;
    return (path[0] == '\\' || path[0] == '/') && path[0] == path[1];
}
static inline DWORD dg_attributes(const char *path) {
    wchar_t wide[DG_PATH];
    return dg_wide(path, wide, DG_PATH) ? INVALID_FILE_ATTRIBUTES : GetFileAttributesW(wide);
}
static inline int dg_is_file(const char *path) {
    DWORD about = dg_attributes(path);
    return about != INVALID_FILE_ATTRIBUTES && !(about & FILE_ATTRIBUTE_DIRECTORY);
}
static inline int dg_is_folder(const char *path) {
    DWORD about = dg_attributes(path);
    return about != INVALID_FILE_ATTRIBUTES && (about & FILE_ATTRIBUTE_DIRECTORY) != 0;
}
/* Folders that everybody may write to are no place for programs there; who owns what is not asked. */
static inline int dg_is_planted(const char *path) {
    (void)path;
    return 0;
}
static inline int dg_folder(const char *path, dg_name_visitor visit, void *context) {
    wchar_t wide[DG_PATH];
    WIN32_FIND_DATAW entry;
    char name[4 * MAX_PATH];
    int answer = 0;
    if (dg_wide(path, wide, DG_PATH - 2)) return -1;
    wcscat(wide, L"\\*");
    HANDLE walk = FindFirstFileW(wide, &entry);
    if (walk == INVALID_HANDLE_VALUE) return -1;
    do {
        if (dg_narrow(entry.cFileName, name, sizeof name) < 0 || !strcmp(name, ".") || !strcmp(name, "..")) continue;
        answer = visit(name, context);
    } while (!answer && FindNextFileW(walk, &entry));
    FindClose(walk);
    return answer;
}
static inline int dg_real_path(const char *path, char *real, size_t size) {
    wchar_t wide[DG_PATH], full[DG_PATH];
    *real = 0;
    if (dg_wide(path, wide, DG_PATH) || dg_attributes(path) == INVALID_FILE_ATTRIBUTES) return -1;
    DWORD length = GetFullPathNameW(wide, DG_PATH, full, NULL);
    return length && length < DG_PATH ? dg_narrow(full, real, size) : -1;
}
static inline int dg_read_file(const char *path, char *text, size_t size) {
    wchar_t wide[DG_PATH];
    DWORD count = 0;
    *text = 0;
    if (dg_wide(path, wide, DG_PATH)) return -1;
    HANDLE file = CreateFileW(wide, GENERIC_READ, FILE_SHARE_READ | FILE_SHARE_WRITE, NULL, OPEN_EXISTING, 0, NULL);
    if (file == INVALID_HANDLE_VALUE) return -1;
    if (!ReadFile(file, text, (DWORD)size - 1, &count, NULL)) count = 0;
    text[count] = 0;
    CloseHandle(file);
    return (int)count;
}

/* ---- modules ---- */
/* A library by its absolute path; what it needs is looked for beside it, then where the system looks, never in the
 * current folder. Windows keeps the symbols of libraries apart, so `deep` says nothing here. */
static inline void *dg_module_open(const char *path, int deep) {
    wchar_t wide[DG_PATH];
    UINT before;
    (void)deep;
    if (dg_wide(path, wide, DG_PATH)) {
        SetLastError(ERROR_BAD_PATHNAME);
        return NULL;
    }
    before = SetErrorMode(SEM_FAILCRITICALERRORS); /* a broken file is an answer, not a message box */
    HMODULE module = LoadLibraryExW(wide, NULL, LOAD_LIBRARY_SEARCH_DLL_LOAD_DIR | LOAD_LIBRARY_SEARCH_DEFAULT_DIRS);
    DWORD why = GetLastError();
    SetErrorMode(before);
    SetLastError(why);
    return (void *)module;
}
static inline void dg_module_pin(const void *address) {
    HMODULE module;
    GetModuleHandleExW(GET_MODULE_HANDLE_EX_FLAG_FROM_ADDRESS | GET_MODULE_HANDLE_EX_FLAG_PIN, (LPCWSTR)address,
                       &module);
}
static inline void *dg_module_open_for_good(const char *path) {
    void *module = dg_module_open(path, 0);
    if (module) dg_module_pin(module);
    return module;
}
static inline void *dg_module_loaded(const char *name) {
    wchar_t wide[DG_PATH];
    HMODULE module = NULL;
    if (dg_wide(name, wide, DG_PATH)) return NULL;
    GetModuleHandleExW(0, wide, &module);
    return (void *)module;
}
static inline void *dg_module_symbol(void *module, const char *name) {
    return (void *)GetProcAddress((HMODULE)module, name);
}

/* The first DLL that a file imports and that is neither loaded nor beside it nor where the system looks: error 126
 * says only that there is one. Nothing is run: the files are mapped as data. */
static inline int dg_missing_import(const char *path, char *name, size_t size) {
    wchar_t wide[DG_PATH], needed[MAX_PATH];
    char folder[DG_PATH], beside[DG_PATH];
    int found = -1;
    if (dg_wide(path, wide, DG_PATH) || strlen(path) >= sizeof folder) return -1;
    strcpy(folder, path);
    char *end = folder + strlen(folder);
    while (end > folder && *end != '\\' && *end != '/') end--;
    *end = 0;
    HMODULE image = LoadLibraryExW(wide, NULL, LOAD_LIBRARY_AS_IMAGE_RESOURCE);
    if (!image) return -1;
    const char *base = (const char *)((uintptr_t)image & ~(uintptr_t)3); /* the low bits say "data only" */
    const IMAGE_NT_HEADERS *headers = (const IMAGE_NT_HEADERS *)(base + ((const IMAGE_DOS_HEADER *)base)->e_lfanew);
    DWORD place = headers->OptionalHeader.DataDirectory[IMAGE_DIRECTORY_ENTRY_IMPORT].VirtualAddress;
    const IMAGE_IMPORT_DESCRIPTOR *import = (const IMAGE_IMPORT_DESCRIPTOR *)(base + place);
    for (; place && found < 0 && import->Name; import++) {
        const char *dll = base + import->Name;
        if (dg_wide(dll, needed, MAX_PATH)) continue;
        snprintf(beside, sizeof beside, "%s\\%s", folder, dll);
        if (GetModuleHandleW(needed) || dg_is_file(beside)) continue;
        HMODULE there = LoadLibraryExW(needed, NULL, LOAD_LIBRARY_AS_DATAFILE);
        if (there) FreeLibrary(there);
        else found = snprintf(name, size, "%s", dll);
    }
    FreeLibrary(image);
    return found;
}
static inline int dg_module_error(const char *path, char *text, size_t size) {
    DWORD code = GetLastError();
    char missing[MAX_PATH];
    wchar_t said[512];
    if (code == ERROR_MOD_NOT_FOUND && dg_missing_import(path, missing, sizeof missing) > 0)
        return snprintf(text, size, "%s, which it needs, is not found", missing);
    DWORD length =
        FormatMessageW(FORMAT_MESSAGE_FROM_SYSTEM | FORMAT_MESSAGE_IGNORE_INSERTS, NULL, code, 0, said, 512, NULL);
    while (length && (said[length - 1] == L'\n' || said[length - 1] == L'\r' || said[length - 1] == L'.')) length--;
    said[length < 512 ? length : 511] = 0;
    char narrow[1024];
    if (!length || dg_narrow(said, narrow, sizeof narrow) < 0) strcpy(narrow, "the system gave no reason");
    return snprintf(text, size, "%s (error %lu)", narrow, (unsigned long)code);
}
static inline int dg_modules(dg_module_visitor visit, void *context) {
    HMODULE few[1024], *modules = few;
    DWORD bytes = 0, room = sizeof few;
    int answer = 0;
    while (K32EnumProcessModules(GetCurrentProcess(), modules, room, &bytes) && bytes > room) {
        if (modules != few) free(modules);
        room = bytes + 64 * sizeof *modules;
        modules = malloc(room);
        if (!modules) return 0;
    }
    for (DWORD i = 0; !answer && i < bytes / sizeof *modules; i++) {
        wchar_t wide[DG_PATH];
        char file[DG_PATH];
        MODULEINFO about;
        DWORD length = GetModuleFileNameW(modules[i], wide, DG_PATH);
        if (!length || length >= DG_PATH || dg_narrow(wide, file, sizeof file) < 0) continue;
        if (!K32GetModuleInformation(GetCurrentProcess(), modules[i], &about, sizeof about)) continue;
        answer = visit(file, (uintptr_t)about.lpBaseOfDll, (uintptr_t)about.lpBaseOfDll + about.SizeOfImage, context);
    }
    if (modules != few) free(modules);
    return answer;
}
static inline int dg_module_file_of(const void *address, char *path, size_t size) {
    wchar_t wide[DG_PATH];
    HMODULE module;
    *path = 0;
    if (!GetModuleHandleExW(GET_MODULE_HANDLE_EX_FLAG_FROM_ADDRESS | GET_MODULE_HANDLE_EX_FLAG_UNCHANGED_REFCOUNT,
                            (LPCWSTR)address, &module))
        return -1;
    DWORD length = GetModuleFileNameW(module, wide, DG_PATH);
    return length && length < DG_PATH ? dg_narrow(wide, path, size) : -1;
}

/* ---- memory ---- */
static inline void *dg_reserve(size_t bytes) {
    const size_t page = 4096;
    char *base = VirtualAlloc(NULL, bytes + page, MEM_RESERVE | MEM_COMMIT, PAGE_READWRITE);
    DWORD before;
    if (!base) return NULL;
    VirtualProtect(base + bytes, page, PAGE_READONLY, &before);
    return base;
}

/* ---- process ---- */
static inline int dg_elevated(void) { return 0; } /* no set-uid here: a program raised by UAC has its own environment */

static inline int dg_env(const char *name, char *text, size_t size) {
    wchar_t wide[DG_PATH], key[128];
    *text = 0;
    if (dg_wide(name, key, 128)) return -1;
    SetLastError(0);
    DWORD length = GetEnvironmentVariableW(key, wide, DG_PATH);
    if (length >= DG_PATH || (!length && GetLastError())) return -1;
    return length ? dg_narrow(wide, text, size) : 0;
}
static inline void dg_at_exit(void (*run)(void)) { (void)run; } /* DllMain tells of the process's end */
static inline void dg_at_fork(void (*in_child)(void)) { (void)in_child; }

/* ---- output ---- */
static inline void dg_write_handle(HANDLE handle, const char *text, size_t length) {
    DWORD kept = GetLastError(), written;
    if (handle && handle != INVALID_HANDLE_VALUE) WriteFile(handle, text, (DWORD)length, &written, NULL);
    SetLastError(kept);
}
static inline void dg_write_stderr(const char *text, size_t length) {
    dg_write_handle(GetStdHandle(STD_ERROR_HANDLE), text, length);
}
static inline void dg_write_stdout(const char *text, size_t length) {
    fflush(stdout); /* or the line would overtake what the program printed before */
    dg_write_handle(GetStdHandle(STD_OUTPUT_HANDLE), text, length);
}
typedef struct dg_log_file {
    int open;
    HANDLE handle;
} dg_log_file;
static inline int dg_log_file_open(dg_log_file *file, const char *path) {
    wchar_t wide[DG_PATH];
    if (dg_wide(path, wide, DG_PATH)) return -1;
    HANDLE handle = CreateFileW(wide, FILE_APPEND_DATA, FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE, NULL,
                                OPEN_ALWAYS, FILE_ATTRIBUTE_NORMAL, NULL);
    if (handle == INVALID_HANDLE_VALUE) return -1;
    file->handle = handle;
    file->open = 1;
    return 0;
}
static inline void dg_log_file_close(dg_log_file *file) {
    if (file->open) CloseHandle(file->handle);
    file->open = 0;
}
static inline void dg_log_file_write(dg_log_file *file, const char *text, size_t length) {
    if (file->open) dg_write_handle(file->handle, text, length);
}
#endif
