"""BLAS as its definition says it, one element at a time over small whole numbers: exact, and slow.

Written apart from the oracles: storage is addressed by the reference's formulas with indices from 1, sums are loops, and
numbers are Python's own complex ones, in which products of small whole numbers are exact.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Buffer = list[complex]
LOWER, UNIT, LEFT = 0, 1, 0


def conj(z: complex) -> complex:
    return complex(z.real, -z.imag)


def walk(n: int, inc: int) -> list[int]:
    """Positions of x(1..n) as the reference walks: from 1 + (1 − n)·inc for a negative increment."""
    place = (-n + 1) * inc + 1 if inc < 0 else 1
    found = []
    for _ in range(n):
        found.append(place - 1)
        place += inc
    return found


def element(a: Buffer, i: int, j: int, ld: int) -> complex:
    return a[(i - 1) + (j - 1) * ld]


def full(a: Buffer, rows: int, cols: int, ld: int) -> list[list[complex]]:
    return [[element(a, i, j, ld) for j in range(1, cols + 1)] for i in range(1, rows + 1)]


def half(n: int, uplo: int, get: Callable[[int, int], complex]) -> list[list[complex]]:
    """One triangle, the other side 0; `get` has indices from 1."""
    return [
        [get(i, j) if (i >= j if uplo == LOWER else i <= j) else 0 for j in range(1, n + 1)] for i in range(1, n + 1)
    ]


def mirrored(t: list[list[complex]], uplo: int, hermitian: bool) -> list[list[complex]]:
    n = len(t)
    out = [row[:] for row in t]
    for i in range(n):
        for j in range(n):
            stored = i >= j if uplo == LOWER else i <= j
            if not stored:
                out[i][j] = conj(t[j][i]) if hermitian else t[j][i]
            elif i == j and hermitian:
                out[i][i] = complex(t[i][i]).real
    return out


def packed_at(ap: Buffer, n: int, uplo: int) -> Callable[[int, int], complex]:
    """AP(i + (j−1)(2n−j)/2) for the lower triangle, AP(i + (j−1)j/2) for the upper."""
    if uplo == LOWER:
        return lambda i, j: ap[i + (j - 1) * (2 * n - j) // 2 - 1]
    return lambda i, j: ap[i + (j - 1) * j // 2 - 1]


def band_at(a: Buffer, k: int, ld: int, uplo: int) -> Callable[[int, int], complex]:
    """A(1 + i − j, j) for the lower band, A(k + 1 + i − j, j) for the upper."""

    def get(i: int, j: int) -> complex:
        if abs(i - j) > k:
            return 0
        row = 1 + i - j if uplo == LOWER else k + 1 + i - j
        return element(a, row, j, ld)

    return get


def general_band(a: Buffer, m: int, n: int, kl: int, ku: int, ld: int) -> list[list[complex]]:
    out = []
    for i in range(1, m + 1):
        out.append([element(a, ku + 1 + i - j, j, ld) if j - ku <= i <= j + kl else 0 for j in range(1, n + 1)])
    return out


def op(a: list[list[complex]], trans: int, cols: int) -> list[list[complex]]:
    if trans == 0:
        return a
    turned = [[row[j] for row in a] for j in range(cols)]
    return [[conj(v) for v in row] for row in turned] if trans == 2 else turned


def times(a: list[list[complex]], b: list[list[complex]], cols: int) -> list[list[complex]]:
    out = []
    for row in a:
        line: list[complex] = []
        for j in range(cols):
            total: complex = 0
            for k, value in enumerate(row):
                total += value * b[k][j]
            line.append(total)
        out.append(line)
    return out


def unit(t: list[list[complex]], diag: int) -> list[list[complex]]:
    if diag == UNIT:
        for i in range(len(t)):
            t[i][i] = 1
    return t


def into(c: Buffer, value: list[list[complex]], ld: int, where: Callable[[int, int], bool] = lambda i, j: True) -> None:
    for i, row in enumerate(value):
        for j, v in enumerate(row):
            if where(i, j):
                c[i + j * ld] = v


def combined(
    alpha: complex, product: list[list[complex]], beta: complex, old: list[list[complex]]
) -> list[list[complex]]:
    return [[alpha * p + beta * o for p, o in zip(a, b, strict=True)] for a, b in zip(product, old, strict=True)]


# ---- the families, by oracle name: each changes its buffers in place ----


def gemm(v: dict[str, Any]) -> None:
    m, n, k = v["m"], v["n"], v["k"]
    a = full(v["A"], *((m, k) if v["transa"] == 0 else (k, m)), v["lda"])
    b = full(v["B"], *((k, n) if v["transb"] == 0 else (n, k)), v["ldb"])
    product = times(op(a, v["transa"], m if v["transa"] else k), op(b, v["transb"], k if v["transb"] else n), n)
    into(v["C"], combined(v["alpha"], product, v["beta"], full(v["C"], m, n, v["ldc"])), v["ldc"])


def _matrix_vector(v: dict[str, Any], matrix: list[list[complex]], rows: int, cols: int) -> None:
    x = [[v["x"][p]] for p in walk(cols, v["incx"])]
    places = walk(rows, v["incy"])
    old = [[v["y"][p]] for p in places]
    for place, row in zip(places, combined(v["alpha"], times(matrix, x, 1), v["beta"], old), strict=True):
        v["y"][place] = row[0]


def gemv(v: dict[str, Any]) -> None:
    m, n, trans = v["m"], v["n"], v["trans"]
    if m == 0 or n == 0:  # the BLAS standard returns at once; y is not even multiplied by beta
        return
    rows, cols = (m, n) if trans == 0 else (n, m)
    _matrix_vector(v, op(full(v["A"], m, n, v["lda"]), trans, n), rows, cols)


def gbmv(v: dict[str, Any]) -> None:
    m, n, trans = v["m"], v["n"], v["trans"]
    if m == 0 or n == 0:  # the BLAS standard returns at once; y is not even multiplied by beta
        return
    rows, cols = (m, n) if trans == 0 else (n, m)
    _matrix_vector(v, op(general_band(v["A"], m, n, v["kl"], v["ku"], v["lda"]), trans, n), rows, cols)


def _stored(v: dict[str, Any], kind: str) -> list[list[complex]]:
    n, uplo = v["n"], v["uplo"]
    if kind == "packed":
        return half(n, uplo, packed_at(v["AP"], n, uplo))
    if kind == "band":
        return half(n, uplo, band_at(v["A"], v["k"], v["lda"], uplo))
    return half(n, uplo, lambda i, j: element(v["A"], i, j, v["lda"]))


def _symmetric(kind: str, hermitian: bool) -> Callable[[dict[str, Any]], None]:
    def run(v: dict[str, Any]) -> None:
        _matrix_vector(v, mirrored(_stored(v, kind), v["uplo"], hermitian), v["n"], v["n"])

    return run


def _triangular(kind: str) -> Callable[[dict[str, Any]], None]:
    def run(v: dict[str, Any]) -> None:
        n = v["n"]
        t = op(unit(_stored(v, kind), v["diag"]), v["trans"], n)
        places = walk(n, v["incx"])
        result = times(t, [[v["x"][p]] for p in places], 1)
        for place, row in zip(places, result, strict=True):
            v["x"][place] = row[0]

    return run


def _rank(kind: str, hermitian: bool, two: bool) -> Callable[[dict[str, Any]], None]:
    def run(v: dict[str, Any]) -> None:
        n, uplo, alpha = v["n"], v["uplo"], v["alpha"]
        x = [v["x"][p] for p in walk(n, v["incx"])]
        y = [v["y"][p] for p in walk(n, v["incy"])] if two else x
        turn = conj if hermitian else (lambda z: z)
        name = "AP" if kind == "packed" else "A"
        for j in range(1, n + 1):
            for i in range(1, n + 1):
                if not (i >= j if uplo == LOWER else i <= j):
                    continue
                if kind == "packed":
                    place = i + (j - 1) * (2 * n - j) // 2 - 1 if uplo == LOWER else i + (j - 1) * j // 2 - 1
                else:
                    place = (i - 1) + (j - 1) * v["lda"]
                added = alpha * x[i - 1] * turn(y[j - 1])
                if two:
                    added += turn(alpha) * y[i - 1] * turn(x[j - 1])
                old = v[name][place]
                if hermitian and i == j:
                    old, added = complex(old).real, complex(added).real
                v[name][place] = old + added

    return run


def _ger(conjugate: bool) -> Callable[[dict[str, Any]], None]:
    def run(v: dict[str, Any]) -> None:
        x = [v["x"][p] for p in walk(v["m"], v["incx"])]
        y = [v["y"][p] for p in walk(v["n"], v["incy"])]
        for j in range(v["n"]):
            for i in range(v["m"]):
                right = conj(y[j]) if conjugate else y[j]
                v["A"][i + j * v["lda"]] += v["alpha"] * x[i] * right

    return run


def _sided(hermitian: bool, packed: bool = False) -> Callable[[dict[str, Any]], None]:
    def run(v: dict[str, Any]) -> None:
        m, n = v["m"], v["n"]
        order = m if v["side"] == LEFT else n
        stored = _stored({**v, "n": order}, "packed" if packed else "full")
        a = mirrored(stored, v["uplo"], hermitian)
        b = full(v["B"], m, n, v["ldb"])
        product = times(a, b, n) if v["side"] == LEFT else times(b, a, n)
        into(v["C"], combined(v["alpha"], product, v["beta"], full(v["C"], m, n, v["ldc"])), v["ldc"])

    return run


def _rank_k(hermitian: bool, operands: int, both: bool) -> Callable[[dict[str, Any]], None]:
    def run(v: dict[str, Any]) -> None:
        n, k, trans = v["n"], v["k"], v["trans"]

        def operand(name: str) -> list[list[complex]]:
            rows, cols = (n, k) if trans == 0 else (k, n)
            return op(full(v[name], rows, cols, v["ld" + name.lower()]), trans, cols)

        a = operand("A")
        b = operand("B") if operands == 2 else a

        def turned(matrix: list[list[complex]]) -> list[list[complex]]:
            return op(matrix, 2 if hermitian else 1, k)

        product = [[v["alpha"] * z for z in row] for row in times(a, turned(b), n)]
        if both:
            factor = conj(v["alpha"]) if hermitian else v["alpha"]
            for i, row in enumerate(times(b, turned(a), n)):
                for j, z in enumerate(row):
                    product[i][j] += factor * z
        old = full(v["C"], n, n, v["ldc"])
        if hermitian:
            for i in range(n):
                old[i][i] = complex(old[i][i]).real
                product[i][i] = complex(product[i][i]).real
        stored = (lambda i, j: i >= j) if v["uplo"] == LOWER else (lambda i, j: i <= j)
        into(v["C"], combined(1, product, v["beta"], old), v["ldc"], stored)

    return run


def trmm(v: dict[str, Any]) -> None:
    m, n = v["m"], v["n"]
    order = m if v["side"] == LEFT else n
    a = op(unit(half(order, v["uplo"], lambda i, j: element(v["A"], i, j, v["lda"])), v["diag"]), v["trans"], order)
    b = full(v["B"], m, n, v["ldb"])
    product = times(a, b, n) if v["side"] == LEFT else times(b, a, n)
    into(v["C"], [[v["alpha"] * z for z in row] for row in product], v["ldc"])


def geam(v: dict[str, Any]) -> None:
    m, n = v["m"], v["n"]
    a = op(full(v["A"], *((m, n) if v["transa"] == 0 else (n, m)), v["lda"]), v["transa"], m if v["transa"] else n)
    b = op(full(v["B"], *((m, n) if v["transb"] == 0 else (n, m)), v["ldb"]), v["transb"], m if v["transb"] else n)
    into(v["C"], combined(v["alpha"], a, v["beta"], b), v["ldc"])


def dgmm(v: dict[str, Any]) -> None:
    m, n = v["m"], v["n"]
    x = [v["x"][p] for p in walk(m if v["mode"] == LEFT else n, v["incx"])]
    a = full(v["A"], m, n, v["lda"])
    into(v["C"], [[a[i][j] * x[i if v["mode"] == LEFT else j] for j in range(n)] for i in range(m)], v["ldc"])


def axpy(v: dict[str, Any]) -> None:
    for p, q in zip(walk(v["n"], v["incx"]), walk(v["n"], v["incy"]), strict=True):
        v["y"][q] += v["alpha"] * v["x"][p]


def copy(v: dict[str, Any]) -> None:
    for p, q in zip(walk(v["n"], v["incx"]), walk(v["n"], v["incy"]), strict=True):
        v["y"][q] = v["x"][p]


def swap(v: dict[str, Any]) -> None:
    for p, q in zip(walk(v["n"], v["incx"]), walk(v["n"], v["incy"]), strict=True):
        v["x"][p], v["y"][q] = v["y"][q], v["x"][p]


def scal(v: dict[str, Any]) -> None:
    if v["incx"] > 0:
        for p in walk(v["n"], v["incx"]):
            v["x"][p] *= v["alpha"]


def rot(v: dict[str, Any]) -> None:
    for p, q in zip(walk(v["n"], v["incx"]), walk(v["n"], v["incy"]), strict=True):
        x, y = v["x"][p], v["y"][q]
        v["x"][p] = v["c"] * x + v["s"] * y
        v["y"][q] = v["c"] * y - conj(complex(v["s"])) * x


def _dot(conjugate: bool) -> Callable[[dict[str, Any]], None]:
    def run(v: dict[str, Any]) -> None:
        total: complex = 0
        for p, q in zip(walk(v["n"], v["incx"]), walk(v["n"], v["incy"]), strict=True):
            total += (conj(v["x"][p]) if conjugate else v["x"][p]) * v["y"][q]
        v["result"][0] = total

    return run


def asum(v: dict[str, Any]) -> None:
    v["result"][0] = (
        sum(abs(complex(v["x"][p]).real) + abs(complex(v["x"][p]).imag) for p in walk(v["n"], v["incx"]))
        if v["incx"] > 0
        else 0
    )


def nrm2(v: dict[str, Any]) -> None:
    squares = [complex(v["x"][p]) for p in walk(v["n"], v["incx"])] if v["incx"] > 0 else []
    v["result"][0] = sum(z.real**2 + z.imag**2 for z in squares) ** 0.5


def _extreme(sign: int) -> Callable[[dict[str, Any]], None]:
    def run(v: dict[str, Any]) -> None:
        best, found = None, 0
        for number, p in enumerate(walk(v["n"], v["incx"]) if v["incx"] > 0 else [], 1):
            z = complex(v["x"][p])
            size = sign * (abs(z.real) + abs(z.imag))
            if best is None or size > best:
                best, found = size, number
        v["result"][0] = found

    return run


def _packing(unpack: bool) -> Callable[[dict[str, Any]], None]:
    """AP(i, j) and A(i, j) are one element, in the triangle that is stored."""

    def run(v: dict[str, Any]) -> None:
        n, lower = v["n"], v["uplo"] == LOWER
        for j in range(1, n + 1):
            for i in range(j if lower else 1, n + 1 if lower else j + 1):
                packed = i + (j - 1) * (2 * n - j) // 2 - 1 if lower else i + (j - 1) * j // 2 - 1
                full = i - 1 + (j - 1) * v["lda"]
                if unpack:
                    v["A"][full] = v["AP"][packed]
                else:
                    v["AP"][packed] = v["A"][full]

    return run


TEXTBOOK: dict[str, Callable[[dict[str, Any]], None]] = {
    "tpttr": _packing(True), "trttp": _packing(False),
    "amax": _extreme(1), "amin": _extreme(-1), "asum": asum, "axpy": axpy, "copy": copy, "swap": swap, "scal": scal,
    "rot": rot, "dot": _dot(False), "dotu": _dot(False), "dotc": _dot(True), "nrm2": nrm2,
    "gemv": gemv, "gbmv": gbmv, "ger": _ger(False), "geru": _ger(False), "gerc": _ger(True),
    "symv": _symmetric("full", False), "hemv": _symmetric("full", True), "sbmv": _symmetric("band", False),
    "hbmv": _symmetric("band", True), "spmv": _symmetric("packed", False), "hpmv": _symmetric("packed", True),
    "syr": _rank("full", False, False), "her": _rank("full", True, False), "spr": _rank("packed", False, False),
    "hpr": _rank("packed", True, False), "syr2": _rank("full", False, True), "her2": _rank("full", True, True),
    "spr2": _rank("packed", False, True), "hpr2": _rank("packed", True, True),
    "trmv": _triangular("full"), "tbmv": _triangular("band"), "tpmv": _triangular("packed"),
    "gemm": gemm, "symm": _sided(False), "hemm": _sided(True), "spmm": _sided(False, packed=True),
    "syrk": _rank_k(False, 1, False), "herk": _rank_k(True, 1, False), "syrkx": _rank_k(False, 2, False), "syr2k": _rank_k(False, 2, True),
    "her2k": _rank_k(True, 2, True), "trmm": trmm, "geam": geam, "dgmm": dgmm,
}  # fmt: skip
