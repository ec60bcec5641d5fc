"""rocSOLVER of the CPU backend: numbers by residuals, what each function refuses and in which order, and what it exports.

Expected statuses are rocSOLVER's: option, sizes, pointers; a leading dimension of 0 is legal over nothing.
"""

from __future__ import annotations

import ctypes
import re
from pathlib import Path
from typing import Any

import facts
import numpy as np
import pytest
from client import (
    DTYPES,
    INVALID_HANDLE,
    INVALID_POINTER,
    INVALID_SIZE,
    INVALID_VALUE,
    SUCCESS,
    UNCHANGED,
    C,
    N,
    Rocblas,
    Rocsolver,
    T,
    prototypes,
)
from dragoman.tables.model import Tables

LETTERS = pytest.mark.parametrize("letter", "sdcz")
Array = Any


class Batch:
    """Members with padding, and the array of pointers to them."""

    def __init__(self, letter: str, members: list[Array], ld: int = 0) -> None:
        rows = max(a.shape[0] for a in members)
        self.shape, self.ld = members[0].shape, ld or rows + 2
        self.flat = [np.full(self.ld * max(a.shape[1], 1), 7, DTYPES[letter]) for a in members]
        for view, member in zip(self.views(), members, strict=True):
            view[...] = member
        self.pointers = np.array([a.ctypes.data for a in self.flat], np.uintp)

    def views(self) -> list[Array]:
        size = [a.itemsize for a in self.flat]
        return [
            np.lib.stride_tricks.as_strided(a, self.shape, (s, s * self.ld))
            for a, s in zip(self.flat, size, strict=True)
        ]

    def padding(self) -> bool:
        """Whether nothing was written between the columns."""
        rows = np.arange(len(self.flat[0])) % self.ld
        return all((a[rows >= self.shape[0]] == 7).all() for a in self.flat)


def random(letter: str, rows: int, cols: int, seed: int) -> Array:
    rng = np.random.default_rng(seed)
    made = rng.standard_normal((rows, cols)) + (1j * rng.standard_normal((rows, cols)) if letter in "cz" else 0)
    return made.astype(DTYPES[letter])


def close(letter: str, a: Array, b: Array) -> bool:
    return bool(np.abs(a - b).max(initial=0) < (2e-3 if letter in "sc" else 1e-10))


def ints(count: int, value: int = -7) -> Array:
    return np.full(count, value, np.int32)


def rebuilt(factors: Array, rows: Array) -> Array:
    """PᵀLU of an m × n factorisation."""
    m, n = factors.shape
    k = min(m, n)
    made = (np.tril(factors, -1)[:, :k] + np.eye(m, k)) @ np.triu(factors)[:k]
    for j in range(k - 1, -1, -1):
        made[[j, rows[j] - 1]] = made[[rows[j] - 1, j]]
    return made


# ---- numbers


@LETTERS
@pytest.mark.parametrize(("m", "n"), [(1, 1), (5, 5), (7, 4), (4, 7), (70, 70)])
def test_factors_with_pivots(rocsolver: Rocsolver, letter: str, m: int, n: int) -> None:
    old = [random(letter, m, n, seed) for seed in range(3)]
    a, k = Batch(letter, old), min(m, n)
    pivots, info = ints(3 * (k + 2)), ints(3)
    assert rocsolver.call(f"{letter}getrf_batched", m, n, a.pointers, a.ld, pivots, k + 2, info, 3) == SUCCESS
    for i, factors in enumerate(a.views()):
        rows = pivots[i * (k + 2) : i * (k + 2) + k]
        assert close(letter, rebuilt(factors, rows), old[i])
        assert np.abs(np.tril(factors, -1)).max(initial=0) < 1.5
    assert info.tolist() == [0, 0, 0]
    assert pivots.reshape(3, -1)[:, k:].tolist() == [[-7, -7]] * 3
    assert a.padding()


@LETTERS
def test_factors_without_pivots(rocsolver: Rocsolver, letter: str) -> None:
    old = [random(letter, 6, 6, seed) + 9 * np.eye(6, dtype=DTYPES[letter]) for seed in range(2)]
    a, info = Batch(letter, old), ints(2)
    assert rocsolver.call(f"{letter}getrf_npvt_batched", 6, 6, a.pointers, a.ld, info, 2) == SUCCESS
    assert all(close(letter, rebuilt(f, np.arange(1, 7)), o) for f, o in zip(a.views(), old, strict=True))
    assert info.tolist() == [0, 0]
    b = Batch(letter, [np.array([[0, 2], [3, 4]], DTYPES[letter])])
    assert rocsolver.call(f"{letter}getrf_npvt_batched", 2, 2, b.pointers, b.ld, info, 1) == SUCCESS
    assert info[0] == 1
    assert b.views()[0].tolist() == [[0, 2], [3, 4 - 3 * 2]]  # the zero divides nothing


@LETTERS
@pytest.mark.parametrize("trans", [N, T, C])
def test_solve(rocsolver: Rocsolver, letter: str, trans: int) -> None:
    n, nrhs = 9, 4
    old, right = [random(letter, n, n, s) for s in (1, 2)], [random(letter, n, nrhs, s) for s in (3, 4)]
    a, b = Batch(letter, old), Batch(letter, right)
    pivots, info = ints(2 * n), ints(2)
    assert rocsolver.call(f"{letter}getrf_batched", n, n, a.pointers, a.ld, pivots, n, info, 2) == SUCCESS
    arguments = (trans, n, nrhs, a.pointers, a.ld, pivots, n, b.pointers, b.ld, 2)
    assert rocsolver.call(f"{letter}getrs_batched", *arguments) == SUCCESS
    for whole, x, c in zip(old, b.views(), right, strict=True):
        assert close(letter, {N: whole, T: whole.T, C: np.conj(whole.T)}[trans] @ x, c)
    assert b.padding()


@LETTERS
@pytest.mark.parametrize("name", ["getri_batched", "getri_outofplace_batched", "getri_npvt_outofplace_batched"])
def test_inverse(rocsolver: Rocsolver, letter: str, name: str) -> None:
    n, plain = 8, "npvt" in name
    old = [random(letter, n, n, s) + (9 * np.eye(n, dtype=DTYPES[letter]) if plain else 0) for s in (1, 2)]
    a, c = Batch(letter, old), Batch(letter, [np.zeros_like(m) for m in old], n + 1)
    pivots, info = ints(2 * n), ints(2)
    if plain:
        rocsolver.call(f"{letter}getrf_npvt_batched", n, n, a.pointers, a.ld, info, 2)
    else:
        rocsolver.call(f"{letter}getrf_batched", n, n, a.pointers, a.ld, pivots, n, info, 2)
    factors, info[:] = [f.copy() for f in a.flat], -7
    between = () if plain else (pivots, n)
    into = () if name == "getri_batched" else (c.pointers, c.ld)
    assert rocsolver.call(letter + name, n, a.pointers, a.ld, *between, *into, info, 2) == SUCCESS
    for whole, inverse in zip(old, (a if name == "getri_batched" else c).views(), strict=True):
        assert close(letter, whole @ inverse, np.eye(n))
    assert info.tolist() == [0, 0]
    assert a.padding()
    assert c.padding()
    if into:
        assert all((x == y).all() for x, y in zip(a.flat, factors, strict=True)), "the factors stay"


@LETTERS
def test_singular_members_are_told(rocsolver: Rocsolver, letter: str) -> None:
    members = [np.array(m, DTYPES[letter]) for m in ([[1, 2], [2, 4]], [[2, 0], [0, 3]], [[0, 0], [0, 0]])]
    a, c, pivots, info = Batch(letter, members), Batch(letter, members), ints(6), ints(3)
    assert rocsolver.call(f"{letter}getrf_batched", 2, 2, a.pointers, a.ld, pivots, 2, info, 3) == SUCCESS
    assert info.tolist() == [2, 0, 1]
    info[:] = -7
    arguments = (2, a.pointers, a.ld, pivots, 2, c.pointers, c.ld, info, 3)
    assert rocsolver.call(f"{letter}getri_outofplace_batched", *arguments) == SUCCESS
    assert info.tolist() == [2, 0, 1]
    assert close(letter, c.views()[1], np.array([[0.5, 0], [0, 1 / 3]]))


@LETTERS
@pytest.mark.parametrize(("m", "n"), [(1, 1), (6, 4), (4, 6), (40, 35)])
def test_qr(rocsolver: Rocsolver, letter: str, m: int, n: int) -> None:
    old, k = [random(letter, m, n, s) for s in (1, 2)], min(m, n)
    a, tau = Batch(letter, old), Batch(letter, [np.zeros((k, 1), DTYPES[letter])] * 2)
    assert rocsolver.call(f"{letter}geqrf_ptr_batched", m, n, a.pointers, a.ld, tau.pointers, 2) == SUCCESS
    for whole, new, t in zip(old, a.views(), tau.views(), strict=True):
        q = np.eye(m, dtype=new.dtype)
        for j in range(k):
            v = np.concatenate([np.zeros(j), [1], new[j + 1 :, j]]).astype(new.dtype)
            q = q @ (np.eye(m) - t[j, 0] * np.outer(v, np.conj(v)))
        assert close(letter, np.conj(q.T) @ q, np.eye(m))
        assert close(letter, q @ np.triu(new), whole)
    assert a.padding()
    assert tau.padding()


@LETTERS
@pytest.mark.parametrize(("m", "n"), [(7, 4), (4, 7), (5, 5), (1, 3)])
@pytest.mark.parametrize("turned", [False, True])
def test_least_squares(rocsolver: Rocsolver, letter: str, m: int, n: int, turned: bool) -> None:
    """All four shapes: the smallest residual where there are more equations, the smallest solution where there are less."""
    trans = (C if letter in "cz" else T) if turned else N
    rows, cols = (n, m) if turned else (m, n)  # of op(A)
    old, right = [random(letter, m, n, s) for s in (1, 2)], [random(letter, max(m, n), 3, s) for s in (3, 4)]
    a, b, info = Batch(letter, old), Batch(letter, right), ints(2)
    arguments = (trans, m, n, 3, a.pointers, a.ld, b.pointers, b.ld, info, 2)
    assert rocsolver.call(f"{letter}gels_batched", *arguments) == SUCCESS
    assert info.tolist() == [0, 0]
    for whole, x, c in zip(old, b.views(), right, strict=True):
        whole = np.conj(whole.T) if turned else whole
        wanted = np.linalg.lstsq(whole.astype(complex), c[:rows].astype(complex), rcond=None)[0]
        assert close(letter, x[:cols], wanted)
    assert b.padding()


@LETTERS
def test_least_squares_without_full_rank(rocsolver: Rocsolver, letter: str) -> None:
    old = [random(letter, 5, 3, 1), random(letter, 5, 3, 2), np.zeros((5, 3))]
    old[1][:, 1] = 0
    a, b, info = Batch(letter, old), Batch(letter, [random(letter, 5, 2, 3)] * 3), ints(3)
    assert rocsolver.call(f"{letter}gels_batched", N, 5, 3, 2, a.pointers, a.ld, b.pointers, b.ld, info, 3) == SUCCESS
    assert info.tolist() == [0, 2, 1]
    b, info = Batch(letter, [random(letter, 5, 2, 3)]), ints(1)
    assert rocsolver.call(f"{letter}gels_batched", N, 5, 0, 2, None, 5, b.pointers, b.ld, info, 1) == SUCCESS
    assert info[0] == 0
    assert (b.views()[0] == 0).all()
    assert b.padding()


# ---- refusals

# name → (AMD's parameters after the handle; which are sizes, leading dimensions with the size they must hold, pointers and
# the sizes without which they may be NULL)
CALLS: dict[str, tuple[str, dict[str, str], dict[str, str]]] = {
    "getrf_batched": ("m n A lda ipiv stride info batch", {"lda": "m"}, {"A": "m n", "ipiv": "m n", "info": "batch"}),
    "getrf_npvt_batched": ("m n A lda info batch", {"lda": "m"}, {"A": "m n", "info": "batch"}),
    "getri_batched": ("n A lda ipiv stride info batch", {"lda": "n"}, {"A": "n", "ipiv": "n", "info": "batch"}),
    "getri_outofplace_batched": (
        "n A lda ipiv stride C ldc info batch", {"lda": "n", "ldc": "n"},
        {"A": "n", "C": "n", "ipiv": "n", "info": "batch"},
    ),
    "getri_npvt_outofplace_batched": (
        "n A lda C ldc info batch", {"lda": "n", "ldc": "n"}, {"A": "n", "C": "n", "info": "batch"},
    ),
    "getrs_batched": (
        "trans n nrhs A lda ipiv stride B ldb batch", {"lda": "n", "ldb": "n"}, {"A": "n", "ipiv": "n", "B": "n nrhs"},
    ),
    "geqrf_ptr_batched": ("m n A lda tau batch", {"lda": "m"}, {"A": "m n", "tau": "m n"}),
    "gels_batched": (
        "trans m n nrhs A lda B ldb info batch", {"lda": "m", "ldb": "m"}, {"A": "m n", "B": "m nrhs", "info": "batch"},
    ),
}  # fmt: skip
SIZES = {"m": 3, "n": 3, "nrhs": 2, "batch": 2, "lda": 4, "ldb": 5, "ldc": 6, "stride": 3, "trans": N}
EACH = pytest.mark.parametrize("name", sorted(CALLS))


class Call:
    def __init__(self, name: str, letter: str = "d") -> None:
        self.symbol = letter + name
        self.order = CALLS[name][0].split()
        arrays = [Batch(letter, [np.eye(3, dtype=DTYPES[letter])] * 2, SIZES[f"ld{x}"]) for x in "abc"]
        tau = Batch(letter, [np.zeros((3, 1), DTYPES[letter])] * 2)
        self.keep = [*arrays, tau]
        a, b, c = (x.pointers for x in arrays)
        self.values: dict[str, Any] = {
            **SIZES, "A": a, "B": b, "C": c, "tau": tau.pointers, "ipiv": np.array([1, 2, 3] * 2, np.int32), "info": ints(2),
        }  # fmt: skip

    def status(self, rocsolver: Rocsolver, **changed: Any) -> int:
        values = self.values | changed
        return rocsolver.call(self.symbol, *(values[p] for p in self.order))


@LETTERS
@EACH
def test_good_arguments(rocsolver: Rocsolver, name: str, letter: str) -> None:
    assert Call(name, letter).status(rocsolver) == SUCCESS


@EACH
def test_handles(rocsolver: Rocsolver, rocblas: Rocblas, name: str) -> None:
    call, good = Call(name), rocsolver.handle
    assert good is not None
    for handle in (None, 0x1234, 1, 2**64 - 8, good + 8):
        rocsolver.handle = handle
        assert call.status(rocsolver, trans=7, lda=-1, A=None) == INVALID_HANDLE
    rocsolver.handle = good
    assert rocblas.call("start_device_memory_size_query") == SUCCESS
    assert call.status(rocsolver, A=None) == UNCHANGED
    assert call.status(rocsolver, lda=-1) == INVALID_SIZE
    size = np.zeros(1, np.uint64)
    assert rocblas.call("stop_device_memory_size_query", size) == SUCCESS
    assert size[0] == 0


@EACH
def test_options_sizes_and_pointers_in_this_order(rocsolver: Rocsolver, name: str) -> None:
    _, lds, pointers = CALLS[name]
    call = Call(name)
    nothing = dict.fromkeys(pointers)
    if "trans" in call.order:
        for wrong in (0, 1, 2, -1, 110, 114, 121):
            assert call.status(rocsolver, trans=wrong, n=-1, **nothing) == INVALID_VALUE
    for size in {"m", "n", "nrhs", "batch"} & set(call.order):
        assert call.status(rocsolver, **nothing, **{size: -1}) == INVALID_SIZE, size
        assert call.status(rocsolver, **nothing, **{size: -(2**31)}) == INVALID_SIZE, size
    for ld in lds:
        for value in (2, 0, -1):
            assert call.status(rocsolver, **nothing, **{ld: value}) == INVALID_SIZE, ld
        assert call.status(rocsolver, **{ld: 3}) == SUCCESS
    for pointer in pointers:
        assert call.status(rocsolver, **{pointer: None}) == INVALID_POINTER, pointer


@EACH
def test_what_may_be_missing_where_nothing_is_done(rocsolver: Rocsolver, name: str) -> None:
    _, lds, pointers = CALLS[name]
    call = Call(name)
    for pointer, sizes in pointers.items():
        for size in sizes.split():
            others = {"m": 0, "n": 0} if size in ("m", "n") else {size: 0}
            assert call.status(rocsolver, **others, **{pointer: None}) == SUCCESS, (pointer, size)
    nothing = dict.fromkeys(pointers)
    assert call.status(rocsolver, m=0, n=0, nrhs=0, batch=0, **dict.fromkeys(lds, 0), **nothing) == SUCCESS


@pytest.mark.parametrize("name", [n for n in sorted(CALLS) if CALLS[n][2].get("A")])
def test_a_missing_member_is_refused(rocsolver: Rocsolver, name: str) -> None:
    call = Call(name)
    for pointer in {"A", "B", "C", "tau"} & set(call.order):
        kept = call.values[pointer].copy()
        call.values[pointer][1] = 0
        assert call.status(rocsolver) == INVALID_POINTER, pointer
        call.values[pointer][...] = kept


def test_gels_takes_the_transpose_of_its_type(rocsolver: Rocsolver) -> None:
    for letter in "sdcz":
        own, other = (C, T) if letter in "cz" else (T, C)
        assert Call("gels_batched", letter).status(rocsolver, trans=own) == SUCCESS
        assert Call("gels_batched", letter).status(rocsolver, trans=other) == INVALID_VALUE


def test_getrf_of_nothing_tells_zero(rocsolver: Rocsolver) -> None:
    for name in ("getrf_batched", "getrf_npvt_batched", "getri_batched", "getri_outofplace_batched"):
        call = Call(name)
        assert call.status(rocsolver, m=0, n=0) == SUCCESS
        assert call.values["info"].tolist() == [0, 0], name


# ---- the library


def test_exports(library: Path, tables: Tables) -> None:
    """What the tables call and the version; each of them is a function of rocSOLVER."""
    import lief
    from dragoman.generate.cpu_rocsolver import exports

    binary = lief.parse(str(library.with_name("librocsolver.so.0")))
    assert isinstance(binary, lief.ELF.Binary)
    found = {str(symbol.name) for symbol in binary.exported_symbols}
    listed = exports(tables)
    assert listed == sorted(set(listed))
    assert found == set(listed)
    assert found <= facts.exports("rocsolver", "7.2.4")
    assert found == {f"rocsolver_{t}{name}" for t in "sdcz" for name in CALLS} | {
        "rocsolver_get_version_string", "rocsolver_get_version_string_size",
    }  # fmt: skip


def test_signatures_are_amds(tables: Tables) -> None:
    """Parameter by parameter; `const` says nothing to a caller."""
    from dragoman.generate.cpu_rocsolver import functions

    def plain(text: str) -> str:
        return re.sub(r"\bconst\b|\s", "", text.replace("[]", "*"))

    known = prototypes("rocsolver")
    for item in functions(tables):
        if "_ptr_" not in item.name:
            theirs = [plain(re.sub(r"\w+$", "", p)) for p in known[item.name][1]]
            assert [plain(ctype) for ctype, *_ in item.params] == theirs, item.name


def test_version(rocsolver: Rocsolver) -> None:
    size, text = ctypes.c_size_t(), ctypes.create_string_buffer(64)
    ask, ask_size = rocsolver.lib.rocsolver_get_version_string, rocsolver.lib.rocsolver_get_version_string_size
    assert ask_size(ctypes.byref(size)) == SUCCESS
    assert ask_size(None) == INVALID_POINTER
    assert ask(text, ctypes.c_size_t(size.value - 1)) == INVALID_SIZE
    assert ask(text, size) == SUCCESS
    assert len(text.value) == size.value - 1
    assert re.fullmatch(rb"3\.\d+\.\d+\.cpu", text.value)
    assert ask(None, size) == INVALID_POINTER


def test_a_block_that_does_not_exist(tables: Tables, monkeypatch: pytest.MonkeyPatch) -> None:
    from dragoman.generate import cpu_rocsolver

    monkeypatch.setattr(cpu_rocsolver, "blocks", dict)
    with pytest.raises(ValueError, match=r"the CPU backend has no block for rocsolver_cgels_batched; expected one in"):
        cpu_rocsolver.generate(tables)


def test_geam_batched_copies_batches(rocblas: Rocblas) -> None:
    """rocBLAS's function that blocks copy with: strict about operands, and a factor of 0 reads nothing."""
    from client import scalar

    one, zero = scalar(1, "z"), scalar(0, "z")
    old = [random("z", 4, 3, s) for s in (1, 2)]
    a, c = Batch("z", old), Batch("z", [np.zeros((4, 3), complex)] * 2, 5)
    call = ("zgeam_batched", N, N, 4, 3, one, a.pointers, a.ld, zero, None, 4, c.pointers, c.ld, 2)
    assert rocblas.call(*call) == SUCCESS
    assert all((x == y).all() for x, y in zip(c.views(), old, strict=True))
    assert c.padding()
    t = Batch("z", [np.zeros((3, 4), complex)] * 2)
    turned = ("zgeam_batched", C, N, 3, 4, one, a.pointers, a.ld, one, t.pointers, t.ld, t.pointers, t.ld, 2)
    assert rocblas.call(*turned) == SUCCESS
    assert all((x == np.conj(y.T)).all() for x, y in zip(t.views(), old, strict=True))
    for place, value, status in (
        (1, 7, INVALID_VALUE), (3, -1, INVALID_SIZE), (7, 3, INVALID_SIZE), (12, 3, INVALID_SIZE), (13, -1, INVALID_SIZE),
        (5, None, INVALID_POINTER), (6, None, INVALID_POINTER), (11, None, INVALID_POINTER), (3, 0, SUCCESS), (13, 0, SUCCESS),
    ):  # fmt: skip
        wrong = list(call)
        wrong[place] = value
        assert rocblas.call(*wrong) == status, place
    assert (
        rocblas.call("zgeam_batched", T, N, 3, 3, one, a.pointers, 6, one, a.pointers, 6, a.pointers, 6, 2)
        == INVALID_SIZE
    )
