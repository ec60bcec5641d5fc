"""What descriptors of sequences hold: a content that never changes once it is there.

A setter puts a new content in the old one's place, while another thread may be reading that: the old one goes when the
last that holds it lets go. A descriptor's one word has the content's address and, in its upper 16 bits, how many
threads are about to take it: so that to find a content and to announce its use is one step. Who puts another in its
place adds those to the content's own count, from which each takes itself off. Until then that count has more in it than
there can be users: those that let go sooner than they have been added do not end it.

A handle keeps what its last call held until the next one needs the place: no block has to let go at each of its ends,
and a call with the descriptors of the last one takes nothing.
"""

include "generated.pxi"
include "cudnn_abi.pxi"
include "cudnn_backend.pxi"
include "cudnn_translate.pxi"
include "slots.pxi"

from libc.stdint cimport int64_t, uint64_t

cdef enum:
    PLACES = 48  # an address takes no more bits
    IN_PLACE = 1 << 30  # a descriptor's own use: more than there are threads

cdef extern from *:
    """
    static inline uint64_t word_of(const uint64_t *word) { return __atomic_load_n(word, __ATOMIC_ACQUIRE); }
    static inline uint64_t word_added(uint64_t *word, uint64_t value) {
        return __atomic_fetch_add(word, value, __ATOMIC_ACQ_REL);
    }
    static inline uint64_t word_exchanged(uint64_t *word, uint64_t value) {
        return __atomic_exchange_n(word, value, __ATOMIC_ACQ_REL);
    }
    static inline int word_replaced(uint64_t *word, uint64_t was, uint64_t value) {
        return __atomic_compare_exchange_n(word, &was, value, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
    }
    static inline int64_t users_added(int64_t *users, int64_t more) {
        return __atomic_add_fetch(users, more, __ATOMIC_ACQ_REL);
    }
    """
    uint64_t word_of(const uint64_t *word) nogil
    uint64_t word_added(uint64_t *word, uint64_t value) nogil
    uint64_t word_exchanged(uint64_t *word, uint64_t value) nogil
    bint word_replaced(uint64_t *word, uint64_t was, uint64_t value) nogil
    int64_t users_added(int64_t *users, int64_t more) nogil

cdef extern from "support.h" nogil:
    uint64_t DNN_ADDRESS


cdef inline dnn_content *content_in(uint64_t word) noexcept nogil:
    return <dnn_content *><uintptr_t>(word & DNN_ADDRESS)


cdef void fewer(dnn_content *c, int64_t more) noexcept nogil:
    """At the end of the process AMD's library may be gone."""
    if users_added(&c.users, more) != 0:
        return
    if c.amd is not NULL and dg_need(b"miopen") == DG_OK:
        dg_miopen.miopenDestroySeqTensorDescriptor(<miopenSeqTensorDescriptor_t>c.amd)
    dg_the_core.release(c)


cdef public void *dnn_content_new(size_t bytes) noexcept nogil:
    """Zeros, or NULL. One that is put nowhere is the core's to release."""
    cdef dnn_content *c = <dnn_content *>dg_the_core.alloc(bytes)
    if c is NULL:
        return NULL
    if (<uint64_t><uintptr_t>c) & ~DNN_ADDRESS:
        dg_the_core.release(c)
        return NULL
    c.users = IN_PLACE
    return c


cdef public void dnn_content_put(uint64_t *place, void *content) noexcept nogil:
    """In the old one's place, which is let go; NULL: nothing follows."""
    cdef uint64_t old = word_exchanged(place, <uint64_t><uintptr_t>content)
    cdef dnn_content *c = content_in(old)
    if c is not NULL:
        fewer(c, <int64_t>(old >> PLACES) - IN_PLACE)


cdef public void *dnn_content_taken(uint64_t *place) noexcept nogil:
    """Of one user more; NULL where there is none."""
    cdef uint64_t now
    cdef dnn_content *c
    if content_in(word_of(place)) is NULL:
        return NULL
    c = content_in(word_added(place, <uint64_t>1 << PLACES))
    if c is not NULL:
        users_added(&c.users, 1)
    now = word_of(place)
    while content_in(now) == c and now >> PLACES:
        if word_replaced(place, now, now - (<uint64_t>1 << PLACES)):
            return c
        now = word_of(place)
    if c is not NULL:
        fewer(c, -1)  # another is there, whose setter has counted this announcement
    return c


cdef public void dnn_content_left(void *content) noexcept nogil:
    if content is not NULL:
        fewer(<dnn_content *>content, -1)


cdef public void *dnn_hold(dnn_handle *h, int which, uint64_t *place) noexcept nogil:
    """What `dnn_held` does where the handle holds another, or none."""
    cdef void *old = h.held[which]
    h.held[which] = dnn_content_taken(place)
    dnn_content_left(old)
    return h.held[which]
