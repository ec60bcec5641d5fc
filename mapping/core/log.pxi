# The log: what a user should know, one line each, with a code that docs/log-codes.md explains.
#
# Three listeners. Ours: DRAGOMAN_LOG (off, error, info, trace; error if unset) to stderr or to DRAGOMAN_LOG_FILE. The
# program's: what cublasLoggerConfigure and cublasSetLoggerCallback ask for; while it is on, calls are traced. And the
# program's for cuBLASLt, which hears of cublasLt functions, by kinds. A line is one write. Nothing that goes wrong here
# reaches the program.

cdef int level                  # dg_level
cdef dg_log_file own_file
cdef dg_mutex logger_mutex      # the program's logger: its settings, and the writes to its file
cdef int logger_on
cdef int logger_stdout
cdef int logger_stderr
cdef dg_log_file logger_file
cdef dg_log_callback logger_callback
cdef dg_lt_callback lt_callback  # of cuBLASLt's logger, and the kinds of lines that it hears
cdef int lt_kinds


cdef int logger_heard() noexcept nogil:
    if lt_callback != NULL and lt_kinds > 0:
        return 1
    return logger_on and (logger_callback != NULL or logger_stdout or logger_stderr or logger_file.open)


cdef int tracing() noexcept nogil:
    return level >= DG_LOG_TRACE or logger_heard()


cdef public int core_hears(int of_level) noexcept nogil:
    return (of_level <= level or logger_heard()) and not core_in_callback


cdef void lt_say(int of_level, const char *text) noexcept nogil:
    """A line that begins with the name of a function of cuBLASLt. Its levels: 1 errors, 4 facts, 5 calls."""
    cdef char[80] function
    cdef int kind = 16 if of_level >= DG_LOG_TRACE else 8 if of_level == DG_LOG_INFO else 1
    cdef size_t n = 0
    cdef dg_lt_callback callback = NULL
    if strncmp(text, b"cublasLt", 8) != 0:
        return
    dg_mutex_lock(&logger_mutex)
    if lt_kinds > 0 and lt_kinds & kind:
        callback = lt_callback
    dg_mutex_unlock(&logger_mutex)
    if callback == NULL:
        return
    while n < sizeof(function) - 1 and text[n] != 0 and text[n] != 32 and text[n] != 40:  # a blank, a bracket
        function[n] = text[n]
        n += 1
    function[n] = 0
    core_callback_begin()
    callback(5 if kind == 16 else 4 if kind == 8 else 1, function, text)
    core_callback_end()


cdef public void core_say(int of_level, const char *code, const char *text) noexcept nogil:
    cdef char[DG_LINE + 64] line
    cdef int length
    cdef int on_stderr = 0
    cdef dg_log_callback callback = NULL
    length = snprintf(line, sizeof(line), b"dragoman: %s%s%s\n", code,
                      <const char *>b" " if code[0] else <const char *>b"", text)
    if length <= 0 or length >= <int>sizeof(line):
        return
    if of_level <= level:
        if own_file.open:
            dg_log_file_write(&own_file, line, length)
        else:
            dg_write_stderr(line, length)
            on_stderr = 1
    if lt_callback != NULL:
        lt_say(of_level, text)
    if not logger_on:
        return
    dg_mutex_lock(&logger_mutex)
    if logger_on:
        if logger_stderr and not on_stderr:
            dg_write_stderr(line, length)
        if logger_stdout:
            dg_write_stdout(line, length)
        if logger_file.open:
            dg_log_file_write(&logger_file, line, length)
        callback = logger_callback
    dg_mutex_unlock(&logger_mutex)
    # Outside the lock: the program may call us from there.
    if callback != NULL:
        line[length - 1] = 0
        core_callback_begin()
        callback(line)
        core_callback_end()


cdef int log_level() noexcept nogil:
    """What is listened for: a program's own logger wants calls traced whatever DRAGOMAN_LOG says."""
    return DG_LOG_TRACE if tracing() else level


cdef void unsupported(uint32_t *said, const char *function, const char *reason, const char *where) noexcept nogil:
    if said != NULL and dg_exchange_u32(said, 1):
        return
    core_log(DG_LOG_ERROR, b"D100", b"%s is not supported: %s (%s). The call is refused; see: dragoman explain %s",
             function, reason, where, function)


cdef void set_logger(dg_log_callback callback) noexcept nogil:
    global logger_callback
    dg_mutex_lock(&logger_mutex)
    logger_callback = callback
    dg_mutex_unlock(&logger_mutex)
    gates_set()


cdef void set_lt_logger(dg_lt_callback callback) noexcept nogil:
    global lt_callback
    dg_mutex_lock(&logger_mutex)
    lt_callback = callback
    dg_mutex_unlock(&logger_mutex)
    gates_set()


cdef void set_lt_kinds(int kinds) noexcept nogil:
    """Negative: switched off for good."""
    global lt_kinds
    dg_mutex_lock(&logger_mutex)
    if lt_kinds >= 0:
        lt_kinds = kinds
    dg_mutex_unlock(&logger_mutex)
    gates_set()


cdef dg_log_callback get_logger() noexcept nogil:
    return logger_callback


cdef int configure_logger(int on, int to_stdout, int to_stderr, const char *file) noexcept nogil:
    global logger_on, logger_stdout, logger_stderr
    cdef int answer = 0
    dg_mutex_lock(&logger_mutex)
    dg_log_file_close(&logger_file)
    if on and file != NULL and file[0]:
        answer = dg_log_file_open(&logger_file, file)
    logger_on = 1 if on else 0
    logger_stdout = to_stdout
    logger_stderr = to_stderr
    dg_mutex_unlock(&logger_mutex)
    if answer:
        core_log(DG_LOG_ERROR, b"D002", b"cannot write to the log file %s", file)
    gates_set()
    return answer


cdef void log_start() noexcept nogil:
    """Reads DRAGOMAN_LOG and DRAGOMAN_LOG_FILE."""
    global level
    cdef char[DG_PATH] text
    level = DG_LOG_ERROR
    if setting(b"DRAGOMAN_LOG", text) > 0:
        if dg_same_word(text, b"off"):
            level = DG_LOG_OFF
        elif dg_same_word(text, b"error"):
            level = DG_LOG_ERROR
        elif dg_same_word(text, b"info"):
            level = DG_LOG_INFO
        elif dg_same_word(text, b"trace"):
            level = DG_LOG_TRACE
        else:
            core_log(DG_LOG_ERROR, b"D001", b"DRAGOMAN_LOG=%s is no level: use off, error, info or trace", text)
    if level and setting(b"DRAGOMAN_LOG_FILE", text) > 0 and dg_log_file_open(&own_file, text):
        core_log(DG_LOG_ERROR, b"D002", b"cannot write to the log file %s: the log goes to stderr", text)
