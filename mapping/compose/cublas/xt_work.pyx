"""The routines of cuBLASXt: matrices of any size and in any memory, tile by tile through one device.

Three tiles lie on the device: one of each factor and one of the result. A tile of the result is brought there, all
products that belong to it are added, and it is carried back. Tiles are at most 16384 long, so that rocBLAS's 32-bit
functions serve matrices of any size in every release. Everything runs on the device's default stream: a plain copy
waits for what was computed before it, and a call returns with its result in place.
"""

include "generated.pxi"
include "cublas_abi.pxi"
include "cublas_backend.pxi"
include "cublas_translate.pxi"

from libc.string cimport memset

cdef extern from "xt.h" nogil:
    enum:
        XT_S
        XT_D
        XT_C
        XT_Z
        XT_SYRK
        XT_SYR2K
        XT_SYRKX
        XT_HERMITIAN
        XT_PACKED
    ctypedef struct dg_xt:
        uint32_t magic
        int32_t device
        void *blas
        int32_t block
        uint32_t pinning
        void *memory
        size_t memory_size
    void xt_lock(dg_xt *h)
    void xt_unlock(dg_xt *h)

cdef enum:
    LONGEST = 16384    # order of a tile; three of the largest elements take 12 GiB
    SHORTEST = 16      # below it a device is full, not small
    ALIGN = 256
    ANYWHERE = 4       # hipMemcpyDefault: where memory lies follows from its address

# Of a routine's four functions only the types of pointers differ. Numbers on the stack are as wide as their places
# (generate/imports.py).
ctypedef uint32_t (*gemm_call)(
    void *, uint32_t, uint32_t, int, int, int, const void *, const void *, uint64_t, const void *, uint64_t,
    const void *, void *, uint64_t
) noexcept nogil
ctypedef uint32_t (*symm_call)(
    void *, uint32_t, uint32_t, int, int, const void *, const void *, uint64_t, const void *, uint64_t, const void *,
    void *, uint64_t
) noexcept nogil
ctypedef uint32_t (*syrk_call)(
    void *, uint32_t, uint32_t, int, int, const void *, const void *, uint64_t, const void *, void *, uint64_t
) noexcept nogil
ctypedef uint32_t (*syr2k_call)(
    void *, uint32_t, uint32_t, int, int, const void *, const void *, uint64_t, const void *, uint64_t, const void *,
    void *, uint64_t
) noexcept nogil
ctypedef uint32_t (*trmm_call)(
    void *, uint32_t, uint32_t, uint32_t, uint32_t, int, uint64_t, const void *, const void *, uint64_t, const void *,
    uint64_t, void *, uint64_t
) noexcept nogil
ctypedef uint32_t (*trsm_call)(
    void *, uint32_t, uint32_t, uint32_t, uint32_t, int, uint64_t, const void *, const void *, uint64_t, void *,
    uint64_t
) noexcept nogil


cdef gemm_call gemm_of(int type) noexcept nogil:
    if type == XT_S:
        return <gemm_call>dg_rocblas.rocblas_sgemm
    if type == XT_D:
        return <gemm_call>dg_rocblas.rocblas_dgemm
    return <gemm_call>dg_rocblas.rocblas_cgemm if type == XT_C else <gemm_call>dg_rocblas.rocblas_zgemm


cdef symm_call symm_of(int type, bint hermitian) noexcept nogil:
    if hermitian:
        return <symm_call>dg_rocblas.rocblas_chemm if type == XT_C else <symm_call>dg_rocblas.rocblas_zhemm
    if type == XT_S:
        return <symm_call>dg_rocblas.rocblas_ssymm
    if type == XT_D:
        return <symm_call>dg_rocblas.rocblas_dsymm
    return <symm_call>dg_rocblas.rocblas_csymm if type == XT_C else <symm_call>dg_rocblas.rocblas_zsymm


cdef syrk_call syrk_of(int type, bint hermitian) noexcept nogil:
    if hermitian:
        return <syrk_call>dg_rocblas.rocblas_cherk if type == XT_C else <syrk_call>dg_rocblas.rocblas_zherk
    if type == XT_S:
        return <syrk_call>dg_rocblas.rocblas_ssyrk
    if type == XT_D:
        return <syrk_call>dg_rocblas.rocblas_dsyrk
    return <syrk_call>dg_rocblas.rocblas_csyrk if type == XT_C else <syrk_call>dg_rocblas.rocblas_zsyrk


cdef syr2k_call syr2k_of(int type, bint hermitian) noexcept nogil:
    if hermitian:
        return <syr2k_call>dg_rocblas.rocblas_cher2k if type == XT_C else <syr2k_call>dg_rocblas.rocblas_zher2k
    if type == XT_S:
        return <syr2k_call>dg_rocblas.rocblas_ssyr2k
    if type == XT_D:
        return <syr2k_call>dg_rocblas.rocblas_dsyr2k
    return <syr2k_call>dg_rocblas.rocblas_csyr2k if type == XT_C else <syr2k_call>dg_rocblas.rocblas_zsyr2k


cdef syr2k_call syrkx_of(int type, bint hermitian) noexcept nogil:
    if hermitian:
        return <syr2k_call>dg_rocblas.rocblas_cherkx if type == XT_C else <syr2k_call>dg_rocblas.rocblas_zherkx
    if type == XT_S:
        return <syr2k_call>dg_rocblas.rocblas_ssyrkx
    if type == XT_D:
        return <syr2k_call>dg_rocblas.rocblas_dsyrkx
    return <syr2k_call>dg_rocblas.rocblas_csyrkx if type == XT_C else <syr2k_call>dg_rocblas.rocblas_zsyrkx


cdef trmm_call trmm_of(int type) noexcept nogil:
    if type == XT_S:
        return <trmm_call>dg_rocblas.rocblas_strmm
    if type == XT_D:
        return <trmm_call>dg_rocblas.rocblas_dtrmm
    return <trmm_call>dg_rocblas.rocblas_ctrmm if type == XT_C else <trmm_call>dg_rocblas.rocblas_ztrmm


cdef trsm_call trsm_of(int type) noexcept nogil:
    if type == XT_S:
        return <trsm_call>dg_rocblas.rocblas_strsm
    if type == XT_D:
        return <trsm_call>dg_rocblas.rocblas_dtrsm
    return <trsm_call>dg_rocblas.rocblas_ctrsm if type == XT_C else <trsm_call>dg_rocblas.rocblas_ztrsm


# ---- elements

# One factor, as an element of its type.
cdef struct factor:
    double parts[2]


cdef size_t bytes_of(int type) noexcept nogil:
    return 4 if type == XT_S else 16 if type == XT_Z else 8


cdef int real_of(int type) noexcept nogil:
    return XT_S if type == XT_C else XT_D if type == XT_Z else type


cdef factor number(int type, double real, double imaginary=0) noexcept nogil:
    cdef factor made
    memset(&made, 0, sizeof(made))
    if type == XT_S or type == XT_C:
        (<float *>made.parts)[0] = <float>real
        (<float *>made.parts)[1] = <float>imaginary
    else:
        made.parts[0] = real
        made.parts[1] = imaginary
    return made


cdef double part(int type, const void *at, int which) noexcept nogil:
    """Real (0) or imaginary (1) part of an element."""
    if which == 1 and type != XT_C and type != XT_Z:
        return 0
    if type == XT_S or type == XT_C:
        return (<const float *>at)[which]
    return (<const double *>at)[which]


cdef bint equals(int type, const void *at, double real) noexcept nogil:
    return part(type, at, 0) == real and part(type, at, 1) == 0


# ---- a call at work

cdef struct work:
    dg_xt *h
    int type
    size_t size       # bytes of an element
    size_t tile       # order of the tiles
    char *left        # tiles on the device, without padding
    char *right
    char *out
    cublasStatus_t status  # of the first step that failed; those after it do nothing
    int device        # the caller's own
    factor zero
    factor one
    factor minus


# A factor, and how op(it) is got.
cdef struct operand:
    const char *at
    size_t ld
    uint32_t op       # what is fetched is to be op(it), in rocBLAS's words
    bint mirrored     # one triangle is stored, the other is its mirror
    bint lower        # which
    uint32_t mirror   # what turns a tile of the stored triangle into its mirror
    size_t packed     # order of a packed triangle; 0: it is none


cdef operand plain(const void *at, size_t ld, uint32_t op) noexcept nogil:
    cdef operand made
    memset(&made, 0, sizeof(made))
    made.at = <const char *>at
    made.ld = ld
    made.op = op
    return made


cdef size_t least(size_t a, size_t b) noexcept nogil:
    return a if a < b else b


cdef size_t tiles_of(const work *w, size_t length) noexcept nogil:
    return (length + w.tile - 1) / w.tile


cdef size_t tile_bytes(size_t tile, size_t rows, size_t cols, size_t size) noexcept nogil:
    return (least(tile, rows) * least(tile, cols) * size + ALIGN) & ~<size_t>(ALIGN - 1)


cdef cublasStatus_t make_room(work *w, size_t m, size_t n, size_t k) noexcept nogil:
    """Memory for tiles of m×k, k×n and m×n, as large as they may be: half of what is free, or what the
    program asked for."""
    cdef dg_xt *h = w.h
    cdef size_t free = 0, total = 0, need, most = LONGEST
    if h.block > 0 and h.block < LONGEST:
        most = <size_t>h.block
    w.tile = least(most, m if m > n else n)
    if k > w.tile:
        w.tile = least(most, k)
    while True:
        need = tile_bytes(w.tile, m, k, w.size) + tile_bytes(w.tile, k, n, w.size) + tile_bytes(w.tile, m, n, w.size)
        if need > h.memory_size and h.block == 0 and w.tile > SHORTEST:
            if free == 0 and dg_hip.hipMemGetInfo(&free, &total) != 0:
                free = 0
            if free != 0 and need > (free + h.memory_size) / 2:
                w.tile = (w.tile + 1) / 2
                continue
        if need <= h.memory_size:
            break
        if h.memory is not NULL:
            dg_hip.hipFree(h.memory)
        h.memory = NULL
        h.memory_size = 0
        if dg_hip.hipMalloc(&h.memory, need) == 0:
            h.memory_size = need
            break
        h.memory = NULL
        if w.tile <= SHORTEST:
            return CUBLAS_STATUS_ALLOC_FAILED
        w.tile = (w.tile + 1) / 2
    w.left = <char *>h.memory
    w.right = w.left + tile_bytes(w.tile, m, k, w.size)
    w.out = w.right + tile_bytes(w.tile, k, n, w.size)
    return CUBLAS_STATUS_SUCCESS


cdef bint begin(work *w, dg_xt *h, int type, size_t m, size_t n, size_t k) noexcept nogil:
    """A product of m×k and k×n begins: the handle, which has a device, is this call's until `end`. False where it
    cannot begin."""
    memset(w, 0, sizeof(work))
    w.h = h
    w.type = type
    w.size = bytes_of(type)
    w.zero = number(type, 0)
    w.one = number(type, 1)
    w.minus = number(type, -1)
    xt_lock(h)
    w.device = h.device
    dg_hip.hipGetDevice(&w.device)
    if w.device != h.device:
        dg_hip.hipSetDevice(h.device)
    w.status = make_room(w, m, n, k)
    return w.status == CUBLAS_STATUS_SUCCESS


cdef cublasStatus_t end(work *w) noexcept nogil:
    cdef uint32_t status = dg_hip.hipStreamSynchronize(NULL)
    if status != 0 and w.status == CUBLAS_STATUS_SUCCESS:
        w.status = CUBLAS_STATUS_EXECUTION_FAILED
    if w.device != w.h.device:
        dg_hip.hipSetDevice(w.device)
    xt_unlock(w.h)
    return w.status


cdef void note_copy(work *w, uint32_t status) noexcept nogil:
    if status != 0 and w.status == CUBLAS_STATUS_SUCCESS:
        w.status = CUBLAS_STATUS_MAPPING_ERROR


cdef void note(work *w, uint32_t status) noexcept nogil:
    if status != 0 and w.status == CUBLAS_STATUS_SUCCESS:
        w.status = status_of_rocblas(status)


cdef void carry(work *w, char *to, size_t to_ld, const char *come, size_t come_ld, size_t rows,
        size_t cols) noexcept nogil:
    """A matrix from one place to another. One column has no leading dimension that a copy could stumble over."""
    if w.status != CUBLAS_STATUS_SUCCESS or rows == 0 or cols == 0:
        return
    if cols == 1 or (to_ld == rows and come_ld == rows):
        note_copy(w, dg_hip.hipMemcpy(to, come, rows * cols * w.size, ANYWHERE))
    else:
        note_copy(w, dg_hip.hipMemcpy2D(to, to_ld * w.size, come, come_ld * w.size, rows * w.size, cols, ANYWHERE))


cdef void unpack(work *w, const operand *o, char *to, size_t row, size_t col, size_t rows, size_t cols) noexcept nogil:
    """The part of a tile that lies in the stored triangle of a packed matrix, column by column."""
    cdef size_t j, first, behind, start
    for j in range(col, col + cols):
        first, behind = row, row + rows
        if o.lower:
            if first < j:
                first = j
            start = j * (2 * o.packed - j - 1) / 2 + first
        else:
            behind = least(behind, j + 1)
            start = j * (j + 1) / 2 + first
        if first < behind and w.status == CUBLAS_STATUS_SUCCESS:
            note_copy(w, dg_hip.hipMemcpyAsync(to + ((j - col) * rows + first - row) * w.size, o.at + start * w.size,
                                               (behind - first) * w.size, ANYWHERE, NULL))


cdef uint32_t fetch(
    work *w, const operand *o, char *to, size_t row, size_t col, size_t rows, size_t cols, int *ld
) noexcept nogil:
    """The tile of op(o) that begins at (row, col): what is fetched has the leading dimension `ld` and is to be turned
    by the answer. Of a mirrored one, a tile on the diagonal comes as it is stored."""
    cdef size_t here = row, there = col, high = rows, wide = cols
    cdef uint32_t op = o.op
    if op != rocblas_operation_none or (o.mirrored and row != col and (row > col) != o.lower):
        here, there, high, wide = col, row, cols, rows
        if o.mirrored:
            op = o.mirror
    ld[0] = <int>high if high > 0 else 1
    if o.packed:
        unpack(w, o, to, here, there, high, wide)
    else:
        carry(w, to, high, o.at + (here + there * o.ld) * w.size, o.ld, high, wide)
    return op


cdef void times(
    work *w, uint32_t op_left, int ld_left, uint32_t op_right, int ld_right, size_t rows, size_t cols, size_t depth,
    const void *alpha, const void *beta
) noexcept nogil:
    """out ← α·left·right + β·out."""
    if w.status == CUBLAS_STATUS_SUCCESS:
        note(w, gemm_of(w.type)(w.h.blas, op_left, op_right, <int>rows, <int>cols, <int>depth, alpha, w.left, ld_left,
                                w.right, ld_right, beta, w.out, <int>rows))


cdef void scale(work *w, size_t rows, size_t cols, const void *beta) noexcept nogil:
    """out ← β·out; with β = 0 what was there is not read."""
    times(w, rocblas_operation_none, <int>rows, rocblas_operation_none, 1, rows, cols, 0, &w.one, beta)


cdef void multiplied(
    work *w, const operand *left, const operand *right, size_t row, size_t col, size_t middle, size_t rows, size_t cols,
    size_t depth, const void *alpha, const void *beta
) noexcept nogil:
    """out, which begins at (row, col), ← α·(left's tile in column `middle`)·(right's in row `middle`) + β·out."""
    cdef int ld_left = 1, ld_right = 1
    cdef uint32_t op_left = fetch(w, left, w.left, row, middle, rows, depth, &ld_left)
    cdef uint32_t op_right = fetch(w, right, w.right, middle, col, depth, cols, &ld_right)
    times(w, op_left, ld_left, op_right, ld_right, rows, cols, depth, alpha, beta)


# ---- what NVIDIA refuses

cdef bint short_of(size_t ld, size_t rows) noexcept nogil:
    return ld < 1 or ld < rows


cdef bint endless(size_t ld, size_t cols, int type) noexcept nogil:
    """No memory can hold it: one of the sizes was meant to be negative."""
    return cols != 0 and ld > (<size_t>-1) / 2 / bytes_of(type) / cols


# ---- handles

cdef public cublasStatus_t xt_open(dg_xt *h, int device) noexcept nogil:
    """The handle, which has no device yet, computes on this one from now on."""
    cdef int before = device, reason
    cdef uint32_t status = 0
    cdef void *blas = NULL
    dg_hip.hipGetDevice(&before)
    if dg_hip.hipSetDevice(device) != 0:
        return CUBLAS_STATUS_INTERNAL_ERROR
    reason = dg_the_core.check_kernels(&dg_own_library)
    if reason == DG_OK:
        status = dg_rocblas.rocblas_create_handle(&blas)
    if before != device:
        dg_hip.hipSetDevice(before)
    if reason != DG_OK:
        return status_of_reason(reason)
    if status != 0:
        return status_of_rocblas(status)
    h.blas = blas
    h.device = device
    return CUBLAS_STATUS_SUCCESS


cdef public void xt_close(dg_xt *h) noexcept nogil:
    if h.blas is not NULL:
        dg_rocblas.rocblas_destroy_handle(h.blas)
    if h.memory is not NULL:
        dg_hip.hipFree(h.memory)
    h.blas = NULL
    h.memory = NULL
    h.memory_size = 0


# ---- products

cdef cublasStatus_t product(
    dg_xt *h, int type, const operand *left, const operand *right, size_t m, size_t n, size_t k, const void *alpha,
    const void *beta, char *C, size_t ldc
) noexcept nogil:
    """C ← α·left·right + β·C. One of the factors may be mirrored: its tiles on the diagonal are symm's."""
    cdef work w
    cdef size_t I, J, L, i, j, l, rows, cols, depth
    cdef int ld_left = 1, ld_right = 1
    cdef char *at
    cdef const void *kept
    cdef bint hermitian = (left if left.mirrored else right).mirror == rocblas_operation_conjugate_transpose
    if begin(&w, h, type, m, n, k):
        for J in range(tiles_of(&w, n)):
            j = J * w.tile
            cols = least(w.tile, n - j)
            for I in range(tiles_of(&w, m)):
                i = I * w.tile
                rows = least(w.tile, m - i)
                at = C + (i + j * ldc) * w.size
                kept = beta
                if not equals(type, beta, 0):
                    carry(&w, w.out, rows, at, ldc, rows, cols)
                if k == 0:
                    scale(&w, rows, cols, beta)
                for L in range(tiles_of(&w, k)):
                    l = L * w.tile
                    depth = least(w.tile, k - l)
                    if (left.mirrored and l == i) or (right.mirrored and l == j):
                        fetch(&w, left, w.left, i, l, rows, depth, &ld_left)
                        fetch(&w, right, w.right, l, j, depth, cols, &ld_right)
                        mirrored(&w, left, right, hermitian, rows, cols, ld_left, ld_right, alpha, kept)
                    else:
                        multiplied(&w, left, right, i, j, l, rows, cols, depth, alpha, kept)
                    kept = &w.one
                carry(&w, at, ldc, w.out, rows, rows, cols)
    return end(&w)


cdef void mirrored(
    work *w, const operand *left, const operand *right, bint hermitian, size_t rows, size_t cols, int ld_left,
    int ld_right, const void *alpha, const void *beta
) noexcept nogil:
    cdef symm_call call = symm_of(w.type, hermitian)
    if w.status != CUBLAS_STATUS_SUCCESS:
        return
    if left.mirrored:
        note(w, call(w.h.blas, rocblas_side_left, rocblas_fill_lower if left.lower else rocblas_fill_upper, <int>rows,
                     <int>cols, alpha, w.left, ld_left, w.right, ld_right, beta, w.out, <int>rows))
    else:
        note(w, call(w.h.blas, rocblas_side_right, rocblas_fill_lower if right.lower else rocblas_fill_upper, <int>rows,
                     <int>cols, alpha, w.right, ld_right, w.left, ld_left, beta, w.out, <int>rows))


cdef bint settled(
    int alpha_type, const void *alpha, int beta_type, const void *beta, bint packed, const void *A, const void *B,
    const void *C, size_t *k, cublasStatus_t *status
) noexcept nogil:
    """Whether the factors and NULLs of α·A·B + β·C settle a call, with which status. Without α, k is 0 from here on."""
    status[0] = CUBLAS_STATUS_SUCCESS
    if alpha is NULL or beta is NULL:
        status[0] = CUBLAS_STATUS_INVALID_VALUE
        return True
    if equals(alpha_type, alpha, 0) and equals(beta_type, beta, 1):
        return True
    if packed and A is NULL:  # of which NVIDIA's dies
        status[0] = CUBLAS_STATUS_INVALID_VALUE
        return True
    if C is NULL or (k[0] != 0 and (A is NULL or B is NULL)):
        status[0] = CUBLAS_STATUS_MAPPING_ERROR
        return True
    if equals(alpha_type, alpha, 0):
        k[0] = 0
    return k[0] == 0 and equals(beta_type, beta, 1)


cdef public cublasStatus_t xt_multiply(
    dg_xt *h, int type, uint32_t transa, uint32_t transb, size_t m, size_t n, size_t k, const void *alpha,
    const void *A, size_t lda, const void *B, size_t ldb, const void *beta, void *C, size_t ldc
) noexcept nogil:
    cdef operand left = plain(A, lda, to_op(<cublasOperation_t>transa)), right = plain(B, ldb,
        to_op(<cublasOperation_t>transb))
    cdef bint turned_a = transa != CUBLAS_OP_N, turned_b = transb != CUBLAS_OP_N
    cdef cublasStatus_t status
    if h.blas is NULL:  # no device was selected
        return CUBLAS_STATUS_NOT_INITIALIZED
    if short_of(lda, k if turned_a else m) or short_of(ldb, n if turned_b else k) or short_of(ldc, m):
        return CUBLAS_STATUS_INVALID_VALUE
    if m == 0 or n == 0:
        return CUBLAS_STATUS_SUCCESS
    if settled(type, alpha, type, beta, False, A, B, C, &k, &status):
        return status
    if endless(ldc, n, type) or (k != 0
                                 and (endless(lda, m if turned_a else k, type)
                                      or endless(ldb, k if turned_b else n, type))):
        return CUBLAS_STATUS_INVALID_VALUE
    return product(h, type, &left, &right, m, n, k, alpha, beta, <char *>C, ldc)


cdef public cublasStatus_t xt_sided(
    dg_xt *h, int type, int storage, uint32_t side, uint32_t uplo, size_t m, size_t n, const void *alpha, const void *A,
    size_t lda, const void *B, size_t ldb, const void *beta, void *C, size_t ldc
) noexcept nogil:
    cdef bint on_left = side == CUBLAS_SIDE_LEFT
    cdef size_t order = m if on_left else n, k = order
    cdef cublasStatus_t status
    cdef operand mirror = plain(A, lda, rocblas_operation_none), other = plain(B, ldb, rocblas_operation_none)
    if h.blas is NULL:
        return CUBLAS_STATUS_NOT_INITIALIZED
    if (storage != XT_PACKED and short_of(lda, order)) or short_of(ldb, m) or short_of(ldc, m):
        return CUBLAS_STATUS_INVALID_VALUE
    if m == 0 or n == 0:
        return CUBLAS_STATUS_SUCCESS
    if settled(type, alpha, type, beta, storage == XT_PACKED, A, B, C, &k, &status):
        return status
    if endless(ldb, n, type) or endless(ldc, n, type) or endless(order if storage == XT_PACKED else lda, order, type):
        return CUBLAS_STATUS_INVALID_VALUE
    mirror.mirrored = True
    mirror.lower = uplo == CUBLAS_FILL_MODE_LOWER
    mirror.mirror = rocblas_operation_conjugate_transpose if storage == XT_HERMITIAN else rocblas_operation_transpose
    mirror.packed = order if storage == XT_PACKED else 0
    if on_left:
        return product(h, type, &mirror, &other, m, n, k, alpha, beta, <char *>C, ldc)
    return product(h, type, &other, &mirror, m, n, k, alpha, beta, <char *>C, ldc)


# ---- updates of one triangle

# α and β of an update, of the routine's type; a Hermitian one's own functions take them real.
cdef struct weights:
    factor alpha
    factor turned     # ᾱ in the second product of her2k
    factor beta


cdef void on_diagonal(
    work *w, int update, bint hermitian, bint lower, const operand *a, const operand *b, size_t i, size_t l,
    size_t rows, size_t depth, const weights *by, const void *beta
) noexcept nogil:
    """A tile on the diagonal takes its part of the product from column l of op(A) and op(B)."""
    cdef uint32_t fill = rocblas_fill_lower if lower else rocblas_fill_upper
    cdef int ld_left = 1, ld_right = 1
    cdef syr2k_call call
    # Where there is nothing to add, a leading dimension that fits is all that is asked.
    cdef int least_ld = <int>rows
    fetch(w, a, w.left, i, l, rows, depth, &ld_left)
    if update != XT_SYRK:
        fetch(w, b, w.right, i, l, rows, depth, &ld_right)
    if depth == 0:
        ld_left = ld_right = least_ld
    if w.status != CUBLAS_STATUS_SUCCESS:
        return
    if update == XT_SYRK:
        note(w, syrk_of(w.type, hermitian)(w.h.blas, fill, a.op, <int>rows, <int>depth, &by.alpha, w.left, ld_left,
                                           beta, w.out, <int>rows))
        return
    call = syr2k_of(w.type, hermitian) if update == XT_SYR2K else syrkx_of(w.type, hermitian)
    note(w, call(w.h.blas, fill, a.op, <int>rows, <int>depth, &by.alpha, w.left, ld_left, w.right, ld_right, beta,
                 w.out, <int>rows))


cdef operand turned(const operand *o, bint hermitian) noexcept nogil:
    """op(o)ᵀ or op(o)ᴴ."""
    cdef operand made = o[0]
    if o.op != rocblas_operation_none:
        made.op = rocblas_operation_none
    else:
        made.op = rocblas_operation_conjugate_transpose if hermitian else rocblas_operation_transpose
    return made


cdef cublasStatus_t updated(
    dg_xt *h, int type, int update, bint hermitian, bint lower, const operand *a, const operand *b, size_t n, size_t k,
    const weights *by, char *C, size_t ldc
) noexcept nogil:
    """Tiles on the diagonal are the update's own, those beside it products of two factors. `turned` of op(A)'s tile
    would be the same memory read twice: it is fetched twice."""
    cdef work w
    cdef operand a_turned = turned(a, hermitian), b_turned = turned(b, hermitian)
    cdef size_t I, J, L, i, j, l, rows, cols, depth
    cdef char *at
    cdef const void *kept
    if begin(&w, h, type, n, n, k):
        for J in range(tiles_of(&w, n)):
            j = J * w.tile
            cols = least(w.tile, n - j)
            for I in range(J if lower else 0, tiles_of(&w, n) if lower else J + 1):
                i = I * w.tile
                rows = least(w.tile, n - i)
                at = C + (i + j * ldc) * w.size
                kept = &by.beta
                # The other triangle of a tile on the diagonal goes back as it came.
                if i == j or not equals(type, &by.beta, 0):
                    carry(&w, w.out, rows, at, ldc, rows, cols)
                if k == 0 and i == j:
                    on_diagonal(&w, update, hermitian, lower, a, b, i, 0, rows, 0, by, kept)
                elif k == 0:
                    scale(&w, rows, cols, kept)
                for L in range(tiles_of(&w, k)):
                    l = L * w.tile
                    depth = least(w.tile, k - l)
                    if i == j:
                        on_diagonal(&w, update, hermitian, lower, a, b, i, l, rows, depth, by, kept)
                    else:
                        multiplied(&w, a, &b_turned, i, j, l, rows, cols, depth, &by.alpha, kept)
                        if update == XT_SYR2K:
                            multiplied(&w, b, &a_turned, i, j, l, rows, cols, depth, &by.turned, &w.one)
                    kept = &w.one
                carry(&w, at, ldc, w.out, rows, rows, cols)
    return end(&w)


cdef inline rocblas_operation update_op(bint hermitian, uint32_t trans) noexcept nogil:
    """Whatever is not N turns the matrix over in the way of the update: NVIDIA's library makes no difference between T
    and C here, where the plain routines do."""
    if trans == CUBLAS_OP_N:
        return rocblas_operation_none
    return rocblas_operation_conjugate_transpose if hermitian else rocblas_operation_transpose


cdef public cublasStatus_t xt_rank(
    dg_xt *h, int type, int update, int hermitian, uint32_t uplo, uint32_t trans, size_t n, size_t k, const void *alpha,
    const void *A, size_t lda, const void *B, size_t ldb, const void *beta, void *C, size_t ldc
) noexcept nogil:
    cdef rocblas_operation op = update_op(hermitian, trans)
    cdef operand a = plain(A, lda, op), b = plain(B, ldb, op)
    cdef size_t rows = n if trans == CUBLAS_OP_N else k, cols = k if trans == CUBLAS_OP_N else n
    cdef int alpha_type = real_of(type) if hermitian and update == XT_SYRK else type
    cdef int beta_type = real_of(type) if hermitian else type
    cdef weights by
    cdef cublasStatus_t status
    if h.blas is NULL:
        return CUBLAS_STATUS_NOT_INITIALIZED
    if short_of(lda, rows) or short_of(ldb, rows) or short_of(ldc, n):
        return CUBLAS_STATUS_INVALID_VALUE
    if n == 0:
        return CUBLAS_STATUS_SUCCESS
    if settled(alpha_type, alpha, beta_type, beta, False, A, B, C, &k, &status):
        return status
    if endless(ldc, n, type) or (k != 0 and (endless(lda, cols, type) or endless(ldb, cols, type))):
        return CUBLAS_STATUS_INVALID_VALUE
    by.alpha = number(type, part(alpha_type, alpha, 0), part(alpha_type, alpha, 1))
    by.turned = number(type, part(alpha_type, alpha, 0), -part(alpha_type, alpha, 1)) if hermitian else by.alpha
    by.beta = number(type, part(beta_type, beta, 0), part(beta_type, beta, 1))
    return updated(h, type, update, hermitian, uplo == CUBLAS_FILL_MODE_LOWER, &a, &b, n, k, &by, <char *>C, ldc)


# ---- triangles
#
# op(A) is lower or upper triangular, and A's tiles on the diagonal are trmm's and trsm's own. On the left, a tile of
# the result needs tiles of the other matrix in its own row and above (lower) or below (upper) it; on the right, in its
# own column and behind (lower) or before (upper) it. trmm goes so that what it overwrites is not needed any more, since
# C may be B; trsm so that what it needs is solved already.

cdef struct triangle:
    operand a
    bint left
    bint before       # the tiles that are needed besides the own one lie before it
    uint32_t side
    uint32_t fill
    uint32_t diag


cdef triangle triangle_of(uint32_t side, uint32_t uplo, uint32_t trans, uint32_t diag, const void *A,
        size_t lda) noexcept nogil:
    cdef triangle made
    cdef bint lower = (uplo == CUBLAS_FILL_MODE_LOWER) == (trans == CUBLAS_OP_N)  # op(A) is
    made.a = plain(A, lda, to_op(<cublasOperation_t>trans))
    made.left = side == CUBLAS_SIDE_LEFT
    made.before = lower == made.left
    made.side = to_side(<cublasSideMode_t>side)
    made.fill = to_fill(<cublasFillMode_t>uplo)
    made.diag = to_diag(<cublasDiagType_t>diag)
    return made


cdef cublasStatus_t bad_triangle(
    const dg_xt *h, const triangle *t, int type, size_t m, size_t n, const void *alpha, size_t lda, const void *B,
    size_t ldb, const void *C, size_t ldc
) noexcept nogil:
    cdef size_t order = m if t.left else n
    if h.blas is NULL:
        return CUBLAS_STATUS_NOT_INITIALIZED
    if short_of(lda, order) or short_of(ldb, m) or short_of(ldc, m):
        return CUBLAS_STATUS_INVALID_VALUE
    if m == 0 or n == 0:
        return CUBLAS_STATUS_SUCCESS
    if alpha is NULL:
        return CUBLAS_STATUS_INVALID_VALUE
    if t.a.at is NULL or B is NULL or C is NULL:
        return CUBLAS_STATUS_MAPPING_ERROR
    if endless(lda, order, type) or endless(ldb, n, type) or endless(ldc, n, type):
        return CUBLAS_STATUS_INVALID_VALUE
    return CUBLAS_STATUS_SUCCESS


cdef void cleared(work *w, size_t m, size_t n, char *C, size_t ldc) noexcept nogil:
    """C ← 0."""
    cdef size_t I, J, i, j, rows, cols
    for J in range(tiles_of(w, n)):
        j = J * w.tile
        cols = least(w.tile, n - j)
        for I in range(tiles_of(w, m)):
            i = I * w.tile
            rows = least(w.tile, m - i)
            scale(w, rows, cols, &w.zero)
            carry(w, C + (i + j * ldc) * w.size, ldc, w.out, rows, rows, cols)


cdef void rest_of_row(
    work *w, const triangle *t, const operand *other, size_t i, size_t j, size_t rows, size_t cols, size_t order,
    const void *alpha, const void *beta
) noexcept nogil:
    """out, which begins at (i, j), gets the products with the tiles beside the diagonal one."""
    cdef size_t own = (i if t.left else j) / w.tile, L, l, depth
    cdef const void *kept = beta
    for L in range(0 if t.before else own + 1, own if t.before else tiles_of(w, order)):
        l = L * w.tile
        depth = least(w.tile, order - l)
        if t.left:
            multiplied(w, &t.a, other, i, j, l, rows, cols, depth, alpha, kept)
        else:
            multiplied(w, other, &t.a, i, j, l, rows, cols, depth, alpha, kept)
        kept = &w.one


cdef bint alone(const work *w, const triangle *t, size_t own, size_t order) noexcept nogil:
    """No tile is needed but the one on the diagonal."""
    return own == 0 if t.before else own + w.tile >= order


cdef void trmm_tile(
    work *w, const triangle *t, const operand *other, size_t i, size_t j, size_t m, size_t n, const void *alpha,
    char *C, size_t ldc
) noexcept nogil:
    cdef size_t rows = least(w.tile, m - i), cols = least(w.tile, n - j), own = i if t.left else j
    cdef size_t depth = rows if t.left else cols
    cdef char *a = w.left if t.left else w.right
    cdef char *b = w.right if t.left else w.left
    cdef int ld_a = 1, ld_b = 1
    fetch(w, &t.a, a, own, own, depth, depth, &ld_a)
    fetch(w, other, b, i, j, rows, cols, &ld_b)
    if w.status == CUBLAS_STATUS_SUCCESS:
        note(w, trmm_of(w.type)(w.h.blas, t.side, t.fill, t.a.op, t.diag, <int>rows, <int>cols, alpha, a, ld_a, b, ld_b,
                                w.out, <int>rows))
    rest_of_row(w, t, other, i, j, rows, cols, m if t.left else n, alpha, &w.one)
    carry(w, C + (i + j * ldc) * w.size, ldc, w.out, rows, rows, cols)


cdef void trsm_tile(
    work *w, const triangle *t, size_t i, size_t j, size_t m, size_t n, const void *alpha, char *B, size_t ldb
) noexcept nogil:
    cdef size_t rows = least(w.tile, m - i), cols = least(w.tile, n - j), own = i if t.left else j
    cdef size_t order = m if t.left else n, depth = rows if t.left else cols
    cdef operand solved = plain(B, ldb, rocblas_operation_none)
    cdef char *a = w.left if t.left else w.right
    cdef char *at = B + (i + j * ldb) * w.size
    cdef int ld_a = 1
    carry(w, w.out, rows, at, ldb, rows, cols)
    rest_of_row(w, t, &solved, i, j, rows, cols, order, &w.minus, alpha)
    fetch(w, &t.a, a, own, own, depth, depth, &ld_a)
    if w.status == CUBLAS_STATUS_SUCCESS:
        note(w, trsm_of(w.type)(w.h.blas, t.side, t.fill, t.a.op, t.diag, <int>rows, <int>cols,
                                alpha if alone(w, t, own, order) else &w.one, a, ld_a, w.out, <int>rows))
    carry(w, at, ldb, w.out, rows, rows, cols)


cdef public cublasStatus_t xt_triangle_times(
    dg_xt *h, int type, uint32_t side, uint32_t uplo, uint32_t trans, uint32_t diag, size_t m, size_t n,
    const void *alpha, const void *A, size_t lda, const void *B, size_t ldb, void *C, size_t ldc
) noexcept nogil:
    cdef triangle t = triangle_of(side, uplo, trans, diag, A, lda)
    cdef operand other = plain(B, ldb, rocblas_operation_none)
    cdef size_t order = m if t.left else n, tiles, step, column, own, across
    cdef cublasStatus_t status = bad_triangle(h, &t, type, m, n, alpha, lda, B, ldb, C, ldc)
    cdef work w
    if status != CUBLAS_STATUS_SUCCESS or m == 0 or n == 0:
        return status
    if begin(&w, h, type, m, n, order):
        if equals(type, alpha, 0):
            cleared(&w, m, n, <char *>C, ldc)
        else:
            tiles = tiles_of(&w, order)
            for step in range(tiles):
                own = (tiles - 1 - step if t.before else step) * w.tile
                for column in range(tiles_of(&w, n if t.left else m)):
                    across = column * w.tile
                    trmm_tile(&w, &t, &other, own if t.left else across, across if t.left else own, m, n, alpha,
                              <char *>C, ldc)
    return end(&w)


cdef public cublasStatus_t xt_solve(
    dg_xt *h, int type, uint32_t side, uint32_t uplo, uint32_t trans, uint32_t diag, size_t m, size_t n,
    const void *alpha, const void *A, size_t lda, void *B, size_t ldb
) noexcept nogil:
    cdef triangle t = triangle_of(side, uplo, trans, diag, A, lda)
    cdef size_t order = m if t.left else n, tiles, step, column, own, across
    cdef cublasStatus_t status = bad_triangle(h, &t, type, m, n, alpha, lda, B, ldb, B, ldb)
    cdef work w
    if status != CUBLAS_STATUS_SUCCESS or m == 0 or n == 0:
        return status
    if begin(&w, h, type, m, n, order):
        if equals(type, alpha, 0):
            cleared(&w, m, n, <char *>B, ldb)
        else:
            tiles = tiles_of(&w, order)
            for step in range(tiles):
                own = (step if t.before else tiles - 1 - step) * w.tile
                for column in range(tiles_of(&w, n if t.left else m)):
                    across = column * w.tile
                    trsm_tile(&w, &t, own if t.left else across, across if t.left else own, m, n, alpha, <char *>B, ldb)
    return end(&w)
