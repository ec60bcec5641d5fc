"""MIOpen's solvers that must not be used: those of tables/avoid.yaml, on the cards and releases that it names, and
those that the user names in DRAGOMAN_AVOID.

Asked when a problem is met for the first time, never on a call path. What was read and said lies in memory that the
library's parts have in common: the variable is read once, and each solver is spoken of once, a process.
"""

include "generated.pxi"
include "cudnn_abi.pxi"
include "slots.pxi"

from libc.string cimport memcpy, strchr, strcmp, strlen, strncmp

from libc.stdint cimport uint8_t

cdef extern from "avoid.h" nogil:
    ctypedef struct dnn_solver:
        uint32_t number
        const char *name
    ctypedef struct dnn_avoid:
        uint32_t solver
        uint32_t directions
        uint32_t types
        uint32_t grouped
        uint32_t since
        uint32_t until
        const char *gfx
        const char *reason
        const char *source
    const dnn_solver dnn_solvers[1]
    const dnn_avoid dnn_avoids[1]
    enum:
        DNN_SOLVERS
        DNN_AVOIDS

cdef enum:
    WISHES = 32    # words of DRAGOMAN_AVOID
    WORD = 64
    CARDS = 64
    NUMBERS = 512  # of solvers that are told apart when something is said once
    VALUE = 2048

ctypedef struct wish:
    char[WORD] solver  # a name, its beginning and `*`, or a number
    char[WORD] gfx     # empty: on every card

ctypedef struct avoid_state:
    uint32_t ready
    int32_t count
    wish[WISHES] wishes
    uint8_t[NUMBERS] told   # 1: that it is avoided, 2: that it is used all the same
    char[CARDS][WORD] gfx   # of each device; "?" where HIP does not tell


cdef bint fits(const char *text, const char *pattern) noexcept nogil:
    """A `*` at the end of a pattern stands for anything."""
    cdef size_t length = strlen(pattern)
    if length > 0 and pattern[length - 1] == c'*':
        return strncmp(text, pattern, length - 1) == 0
    return strcmp(text, pattern) == 0


cdef bint is_number(const char *text, uint64_t *number) noexcept nogil:
    number[0] = 0
    if not text[0]:
        return False
    while text[0]:
        if not c'0' <= text[0] <= c'9' or number[0] > 0xffffffffu:
            return False
        number[0] = number[0] * 10 + <uint64_t>(text[0] - c'0')
        text += 1
    return True


cdef bint is_called(uint64_t solver, const char *word) noexcept nogil:
    """Whether a word of the user's means this solver; 0 stands for any that has a name."""
    cdef uint64_t number
    cdef int i
    if is_number(word, &number):
        return solver == number or solver == 0
    for i in range(DNN_SOLVERS):
        if (solver == 0 or dnn_solvers[i].number == solver) and fits(dnn_solvers[i].name, word):
            return True
    return False


cdef const char *name_of(uint64_t solver) noexcept nogil:
    cdef int i
    for i in range(DNN_SOLVERS):
        if dnn_solvers[i].number == solver:
            return dnn_solvers[i].name
    return b"without a name"


cdef void take_word(avoid_state *s, const char *word, size_t length, bint tells) noexcept nogil:
    """One word of DRAGOMAN_AVOID: solver or solver@gfx. `tells`: of a wrong one, and takes none."""
    cdef char[2 * WORD] text
    cdef wish *w
    cdef char *at
    if length >= sizeof(text):
        length = sizeof(text) - 1  # too long for any solver's name: refused below
    memcpy(text, word, length)
    text[length] = 0
    at = strchr(text, c'@')
    if at is not NULL:
        at[0] = 0
    if (strlen(text) < WORD and is_called(0, text)
            and (at is NULL or (strlen(at + 1) < WORD and strncmp(at + 1, b"gfx", 3) == 0))):
        if tells:
            return
        w = &s.wishes[s.count]
        memcpy(w.solver, text, strlen(text) + 1)
        w.gfx[0] = 0
        if at is not NULL:
            memcpy(w.gfx, at + 1, strlen(at + 1) + 1)
        s.count += 1
        return
    if not tells:
        return
    if at is not NULL:
        at[0] = c'@'
    dg_the_core.log(DG_LOG_ERROR, b"D019",
                    b"DRAGOMAN_AVOID: %s names no solver of MIOpen's. Use a name as MIOpen's log prints it "
                    b"(GemmFwdRest), its beginning and * (ConvWino*), or a number, and behind it @gfx1100 or "
                    b"@gfx11* where it is meant for such cards alone", text)


cdef void read_wishes(avoid_state *s, bint tells) noexcept nogil:
    """Twice: a log's listener may be the program's, which must not be called under the lock."""
    cdef char[VALUE] value
    cdef const char *word = value
    cdef size_t length
    cdef int words = 0
    if dg_the_core.setting(b"DRAGOMAN_AVOID", value, sizeof(value)) <= 0:
        return
    while word[0]:
        length = 0
        while word[length] and word[length] != c',' and word[length] != c' ':
            length += 1
        if length > 0:
            words += 1
            if words > WISHES and not tells:
                return
            if words > WISHES:
                dg_the_core.log(DG_LOG_ERROR, b"D019",
                                b"DRAGOMAN_AVOID has more than %d words: what comes behind is not "
                                b"read", <int>WISHES)
                return
            take_word(s, word, length, tells)
        word += length + (1 if word[length] else 0)


cdef avoid_state *state() noexcept nogil:
    """What the process knows; NULL: no memory for it."""
    cdef avoid_state *s = <avoid_state *>dg_the_core.shared(b"cudnn.avoid", sizeof(avoid_state))
    cdef bint first
    if s is not NULL and not s.ready:
        dg_the_core.lock()
        first = not s.ready
        if first:
            read_wishes(s, False)
            s.ready = 1
        dg_the_core.unlock()
        if first:
            read_wishes(s, True)
    return s


cdef const char *card_of(avoid_state *s, int device) noexcept nogil:
    """The architecture of a device; one that HIP does not name fits no pattern."""
    cdef char *gfx
    if not 0 <= device < CARDS:
        return b"?"
    gfx = s.gfx[device]
    dg_the_core.lock()
    if not gfx[0] and not dg_the_core.gfx(device, gfx, WORD):
        gfx[0] = c'?'
    dg_the_core.unlock()
    return gfx


cdef bint holds(const dnn_avoid *row, uint64_t solver, const char *gfx, uint32_t release, int direction, int type,
        bint grouped) noexcept nogil:
    """A release that is not known counts as the newest."""
    if row.solver != solver or (row.grouped and not grouped):
        return False
    if (row.directions and not row.directions >> direction & 1) or (row.types and not row.types >> type & 1):
        return False
    if release == 0:
        if row.until:
            return False
    elif release < row.since or (row.until and release >= row.until):
        return False
    return row.gfx is NULL or fits(gfx, row.gfx)


cdef bint to_tell(avoid_state *s, uint64_t solver, uint8_t what) noexcept nogil:
    """Once a solver."""
    cdef uint8_t *told = &s.told[solver if solver < NUMBERS else 0]
    cdef bint first
    dg_the_core.lock()
    first = not told[0] & what
    told[0] |= what
    dg_the_core.unlock()
    return first


cdef public int dnn_avoided(dnn_handle *h, uint64_t solver, int direction, int type, int grouped) noexcept nogil:
    cdef avoid_state *s = state()
    cdef const dnn_avoid *row
    cdef const char *gfx
    cdef uint32_t release
    cdef int i
    if s is NULL:
        return False
    gfx = card_of(s, h.device)
    for i in range(s.count):
        if is_called(solver, s.wishes[i].solver) and (not s.wishes[i].gfx[0] or fits(gfx, s.wishes[i].gfx)):
            if to_tell(s, solver, 1):
                dg_the_core.log(DG_LOG_INFO, b"D044", b"MIOpen's solver %lu (%s) is not used: DRAGOMAN_AVOID names it",
                                <unsigned long>solver, name_of(solver))
            return True
    release = dg_the_core.backend_version(b"hip")
    for i in range(DNN_AVOIDS):
        row = &dnn_avoids[i]
        if holds(row, solver, gfx, release, direction, type, grouped):
            if to_tell(s, solver, 1):
                dg_the_core.log(DG_LOG_INFO, b"D044", b"MIOpen's solver %lu (%s) is not used on %s: %s (%s)",
                                <unsigned long>solver, name_of(solver), gfx, row.reason, row.source)
            return True
    return False


cdef public void dnn_avoided_all(dnn_handle *h, uint64_t solver) noexcept nogil:
    cdef avoid_state *s = state()
    if s is not NULL and to_tell(s, solver, 2):
        dg_the_core.log(DG_LOG_ERROR, b"D045",
                        b"all solvers that MIOpen has for a convolution are to be avoided on %s: %lu (%s) is "
                        b"used all the same, and its results may be wrong", card_of(s, h.device), <unsigned long>solver,
                        name_of(solver))
