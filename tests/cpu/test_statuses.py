"""What each function answers to bad arguments, and in which order it looks.

Written from rocBLAS's documentation (a parameter's description, "quick return", the status list) and its behaviour;
the tables only say which parameter is what. `FAMILIES` is what is expected, family by family.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from client import INVALID_HANDLE, INVALID_POINTER, INVALID_SIZE, INVALID_VALUE, SUCCESS, C, Rocblas, T
from dragoman.tables import expr
from dragoman.tables.loader import load
from dragoman.tables.model import Entry, TypeRecord, backend_of, expand


@dataclass(frozen=True)
class Family:
    """`empty`: sizes that end the call when they are 0. `out`: pointers always needed; `read`: needed where α is not 0
    and the sizes in `summed` are not 0 either."""

    empty: str
    out: str
    read: str = ""
    summed: str = ""


FAMILIES = {
    "gemv": Family("m n", "y", "A x"),
    "gbmv": Family("m n", "y", "A x"),
    "ger": Family("m n", "", "x y A"), "geru": Family("m n", "", "x y A"), "gerc": Family("m n", "", "x y A"),
    "sbmv": Family("n", "y", "A x"), "hbmv": Family("n", "y", "A x"),
    "spmv": Family("n", "y", "AP x"), "hpmv": Family("n", "y", "AP x"),
    "symv": Family("n", "y", "A x"), "hemv": Family("n", "y", "A x"),
    "syr": Family("n", "", "x A"), "her": Family("n", "", "x A"),
    "spr": Family("n", "", "x AP"), "hpr": Family("n", "", "x AP"),
    "syr2": Family("n", "", "x y A"), "her2": Family("n", "", "x y A"),
    "spr2": Family("n", "", "x y AP"), "hpr2": Family("n", "", "x y AP"),
    "trmv": Family("n", "A x"), "trsv": Family("n", "A x"),
    "tbmv": Family("n", "A x"), "tbsv": Family("n", "A x"),
    "tpmv": Family("n", "AP x"), "tpsv": Family("n", "AP x"),
    "gemm": Family("m n", "C", "A B", "k"),
    "symm": Family("m n", "C", "A B"), "hemm": Family("m n", "C", "A B"),
    "syrk": Family("n", "C", "A", "k"), "herk": Family("n", "C", "A", "k"),
    "syr2k": Family("n", "C", "A B", "k"), "her2k": Family("n", "C", "A B", "k"),
    "syrkx": Family("n", "C", "A B", "k"), "herkx": Family("n", "C", "A B", "k"),
    "trmm": Family("m n", "C", "A B"), "trsm": Family("m n", "B", "A"),
    "geam": Family("m n", "C"), "dgmm": Family("m n", "A x C"),
}  # fmt: skip
UPDATES = ("ger", "geru", "gerc", "syr", "her", "spr", "hpr", "syr2", "her2", "spr2", "hpr2")
LEVEL1 = (
    "iamax",
    "iamin",
    "asum",
    "nrm2",
    "axpy",
    "copy",
    "swap",
    "dot",
    "dotu",
    "dotc",
    "rot",
    "rotg",
    "rotm",
    "rotmg",
    "scal",
)
# NVIDIA's numbers, where AMD's are expected, are the likeliest mistake of a translator.
WRONG = (-1, 0, 1, 2, 3, 999, 2**31 - 1)
VALID = {"op": (111, 112, 113), "fill": (121, 122), "diag": (131, 132), "side": (141, 142)}
DTYPES = {
    "f16": np.uint16, "bf16": np.uint16, "f32": np.float32, "f64": np.float64, "c32": np.complex64, "c64": np.complex128,
    "index": np.int64,
}  # fmt: skip


class Call:
    """Arguments of one function, all good until changed."""

    def __init__(self, entry: Entry, record: TypeRecord) -> None:
        self.entry = entry
        self.params = [p for p in entry.params if p.kind.name != "handle"]
        self.values: dict[str, Any] = {}
        self.scalars: list[str] = []
        self.keep: list[Any] = []
        sizes = {"m": 4, "n": 3, "k": 2, "kl": 1, "ku": 1}
        for p in self.params:
            kind = p.kind.core
            if kind.name in VALID:
                self.values[p.name] = VALID[kind.name][0]
            elif kind.name == "dim":
                self.values[p.name] = sizes[p.name]
            elif kind.name in ("ld", "inc", "batch", "stride"):
                self.values[p.name] = {"ld": 8, "inc": 1, "batch": 2, "stride": 64}[kind.name]
            else:
                dtype: Any = np.int64 if kind.role == "index" else DTYPES[record.element(kind.role).name]
                array = np.zeros(256, dtype)
                if kind.name == "scalar" and kind.io == "in":
                    self.scalars.append(p.name)
                    self._set(array, 2)
                if p.kind.name == "batched":
                    self.keep.append(array)
                    array = np.array([array.ctypes.data] * 2, np.uintp)
                self.values[p.name] = array

    @staticmethod
    def _set(array: Any, value: int) -> None:
        bits = {0: 0, 1: 0x3C00, 2: 0x4000}[value] if array.dtype == np.uint16 else value
        array[0] = bits

    def scalar(self, name: str, value: int) -> None:
        self._set(self.values[name], value)

    def names(self, *kinds: str) -> list[str]:
        return [p.name for p in self.params if p.kind.core.name in kinds]

    @property
    def pointers(self) -> list[str]:
        return [p.name for p in self.params if p.kind.is_pointer]

    def null(self, names: Any) -> None:
        """By the names that FAMILIES uses: Aarray and A are one."""
        for name in names:
            place = name if name in self.values else f"{name}array"
            self.values[place] = None

    def wanted(self, name: str) -> bool:
        return name in self.values or f"{name}array" in self.values

    def least_ld(self, name: str) -> int:
        """The smallest leading dimension that holds the matrix."""
        for p in self.params:
            kind = p.kind.core
            text = str(kind)
            if not re.search(rf"\b{name}\b", text) or kind.name == "ld":
                continue
            nvidia = {q: v - VALID[k][0] for q, v, k in self._options()}
            values = {**{q: v for q, v in self.values.items() if isinstance(v, int)}, **nvidia}
            if kind.name == "band":
                return int(values["kl"] + values["ku"] + 1)
            if kind.name in ("symband", "hermband", "triband"):
                return int(values["k"] + 1)
            shape = kind.args[0]
            size = expr.evaluate(shape, values)
            return int(size[0] if isinstance(size, tuple) else size)
        raise AssertionError(name)

    def _options(self) -> Iterator[tuple[str, int, str]]:
        for p in self.params:
            if p.kind.core.name in VALID:
                yield p.name, self.values[p.name], p.kind.core.name

    def arguments(self) -> list[Any]:
        return [self.values[p.name] for p in self.params]


def family(entry: Entry) -> str:
    return re.sub(r"(Strided)?Batched$", "", entry.cpu)


def functions() -> list[Any]:
    seen = {}
    for entry in load().entries:
        for target in entry.targets:
            if entry.cpu and backend_of(target.to) == "rocblas":
                for record in entry.types:
                    name = expand(target.to, record).removeprefix("rocblas_")
                    seen.setdefault(name, (entry, record))
    return [
        pytest.param(name + suffix, entry, record, id=name + suffix)
        for name, (entry, record) in seen.items()
        for suffix in (("", "_64") if any(f.wide for f in entry.forms) else ("",))
    ]


EACH = pytest.mark.parametrize(("name", "entry", "record"), functions())
ABOVE1 = pytest.mark.parametrize(
    ("name", "entry", "record"), [p for p in functions() if family(p.values[1]) not in LEVEL1]
)
IN_LEVEL1 = pytest.mark.parametrize(
    ("name", "entry", "record"), [p for p in functions() if family(p.values[1]) in LEVEL1]
)


def test_every_family_is_known() -> None:
    assert {family(p.values[1]) for p in functions()} == {*FAMILIES, *LEVEL1}


@EACH
def test_good_arguments_and_handles(rocblas: Rocblas, name: str, entry: Entry, record: TypeRecord) -> None:
    call = Call(entry, record)
    assert rocblas.call(name, *call.arguments()) == SUCCESS
    bad = Call(entry, record)
    bad.null(bad.pointers)
    for option in bad.names(*VALID):
        bad.values[option] = 999
    for handle in (None, 0x1234, 1, 2**64 - 8, np.zeros(64, np.uint8), rocblas.handle + 8):  # type: ignore[operator]
        assert rocblas.raw(name, handle, *bad.arguments()) == INVALID_HANDLE


@ABOVE1
def test_options_come_before_sizes(rocblas: Rocblas, name: str, entry: Entry, record: TypeRecord) -> None:
    for option in Call(entry, record).names(*VALID):
        for wrong in WRONG:
            call = Call(entry, record)
            call.values[option] = wrong
            for size in call.names("dim"):
                call.values[size] = -1
            call.null(call.pointers)
            assert rocblas.call(name, *call.arguments()) == INVALID_VALUE, (option, wrong)


@ABOVE1
def test_operations_that_a_symmetric_result_refuses(
    rocblas: Rocblas, name: str, entry: Entry, record: TypeRecord
) -> None:
    own = family(entry)
    is_complex = name[0] in "cz"
    for trans in Call(entry, record).names("op"):
        for value in VALID["op"]:
            call = Call(entry, record)
            call.values[trans] = value
            refused = (own in ("herk", "her2k", "herkx") and value == T) or (
                own in ("syrk", "syr2k", "syrkx") and is_complex and value == C
            )
            assert rocblas.call(name, *call.arguments()) == (INVALID_VALUE if refused else SUCCESS), value


@ABOVE1
def test_sizes_come_before_pointers(rocblas: Rocblas, name: str, entry: Entry, record: TypeRecord) -> None:
    strict = entry.chapter.startswith("Level-2")
    good = Call(entry, record)
    wrong = [(size, -1) for size in good.names("dim", "batch")]
    wrong += [(size, -(2**31)) for size in good.names("dim", "batch")]
    wrong += [(ld, good.least_ld(ld) - 1) for ld in good.names("ld")]
    wrong += [(ld, value) for ld in good.names("ld") for value in (0, -1)]
    wrong += [(inc, 0) for inc in good.names("inc") if strict]
    for parameter, value in wrong:
        call = Call(entry, record)
        call.values[parameter] = value
        call.null(call.pointers)
        assert rocblas.call(name, *call.arguments()) == INVALID_SIZE, (parameter, value)
    for ld in good.names("ld"):
        call = Call(entry, record)
        call.values[ld] = call.least_ld(ld)
        assert rocblas.call(name, *call.arguments()) == SUCCESS, ld


@ABOVE1
def test_leading_dimensions_follow_the_options(rocblas: Rocblas, name: str, entry: Entry, record: TypeRecord) -> None:
    for option in Call(entry, record).names("op", "side"):
        call = Call(entry, record)
        call.values[option] = VALID["side"][1] if option in call.names("side") else T
        if family(entry) in ("herk", "her2k", "herkx"):
            call.values[option] = C
        for ld in call.names("ld"):
            least = call.least_ld(ld)
            for value, status in ((least, SUCCESS), (least - 1, INVALID_SIZE)):
                call.values[ld] = value
                assert rocblas.call(name, *call.arguments()) == status, (option, ld, value)
            call.values[ld] = 8


@ABOVE1
def test_empty_sizes_end_the_call(rocblas: Rocblas, name: str, entry: Entry, record: TypeRecord) -> None:
    spec = FAMILIES[family(entry)]
    good = Call(entry, record)
    for size in good.names("dim", "batch"):
        call = Call(entry, record)
        call.values[size] = 0
        call.null(call.pointers)
        ends = size in spec.empty.split() or size in call.names("batch")
        assert rocblas.call(name, *call.arguments()) == (SUCCESS if ends else INVALID_POINTER), size
    strict = entry.chapter.startswith("Level-2")
    call = Call(entry, record)
    for size in call.names("dim"):
        call.values[size] = 0
    for ld in call.names("ld"):
        call.values[ld] = 0
    assert rocblas.call(name, *call.arguments()) == (INVALID_SIZE if strict and call.names("ld") else SUCCESS)


@ABOVE1
def test_pointers(rocblas: Rocblas, name: str, entry: Entry, record: TypeRecord) -> None:
    own, spec = family(entry), FAMILIES[family(entry)]
    good = Call(entry, record)
    for pointer in good.pointers:
        call = Call(entry, record)
        call.values[pointer] = None
        assert rocblas.call(name, *call.arguments()) == INVALID_POINTER, pointer
    if own == "geam" or not good.scalars:
        return
    alpha = good.scalars[0]
    read, out = spec.read.split(), spec.out.split()

    call = Call(entry, record)  # α = 0: inputs are not looked at
    call.scalar(alpha, 0)
    call.null(read)
    assert rocblas.call(name, *call.arguments()) == SUCCESS
    if own not in UPDATES:
        call.null(out)
        assert rocblas.call(name, *call.arguments()) == INVALID_POINTER
    if len(good.scalars) == 2:
        call.scalar(good.scalars[1], 1)  # and β = 1: nothing is
        assert rocblas.call(name, *call.arguments()) == SUCCESS
    if spec.summed:
        call = Call(entry, record)
        call.values[spec.summed] = 0
        call.null([alpha, *read])
        assert rocblas.call(name, *call.arguments()) == SUCCESS
        call.null(out)
        assert rocblas.call(name, *call.arguments()) == INVALID_POINTER
        call.scalar(good.scalars[1], 1)
        assert rocblas.call(name, *call.arguments()) == SUCCESS


@pytest.mark.parametrize("letter", "sdcz")
@pytest.mark.parametrize("suffix", ["", "_64"])
def test_geam_reads_what_has_a_factor(rocblas: Rocblas, letter: str, suffix: str) -> None:
    entry = next(e for e in load().entries if e.key == "geam")
    record = next(r for r in entry.types if r.name.lower() == letter)
    for alpha, beta, null, status in (
        (0, 2, "A", SUCCESS),
        (2, 0, "B", SUCCESS),
        (0, 0, "AB", SUCCESS),
        (0, 2, "B", INVALID_POINTER),
        (2, 0, "A", INVALID_POINTER),
    ):
        call = Call(entry, record)
        call.scalar("alpha", alpha)
        call.scalar("beta", beta)
        call.null(null)
        assert rocblas.call(f"{letter}geam{suffix}", *call.arguments()) == status
    for operand, ld, trans in (("A", "lda", "transa"), ("B", "ldb", "transb")):
        call = Call(entry, record)
        call.values["C"] = call.values[operand]
        assert rocblas.call(f"{letter}geam{suffix}", *call.arguments()) == SUCCESS
        call.values[ld] = 9
        assert rocblas.call(f"{letter}geam{suffix}", *call.arguments()) == INVALID_SIZE
        call.values[ld] = 8
        call.values[trans] = T
        assert rocblas.call(f"{letter}geam{suffix}", *call.arguments()) == INVALID_SIZE


@pytest.mark.parametrize("letter", "sdcz")
def test_trmm_in_place_needs_one_leading_dimension(rocblas: Rocblas, letter: str) -> None:
    entry = next(e for e in load().entries if e.key == "trmm")
    call = Call(entry, next(r for r in entry.types if r.name.lower() == letter))
    call.values["C"] = call.values["B"]
    assert rocblas.call(f"{letter}trmm", *call.arguments()) == SUCCESS
    call.values["ldc"] = 9
    assert rocblas.call(f"{letter}trmm", *call.arguments()) == INVALID_VALUE


@IN_LEVEL1
def test_level1(rocblas: Rocblas, name: str, entry: Entry, record: TypeRecord) -> None:
    own = family(entry)
    good = Call(entry, record)
    for pointer in good.pointers:
        call = Call(entry, record)
        call.values[pointer] = None
        assert rocblas.call(name, *call.arguments()) == INVALID_POINTER, pointer
    for inc in good.names("inc"):
        call = Call(entry, record)
        call.values[inc] = 0  # no error anywhere in level 1
        assert rocblas.call(name, *call.arguments()) == SUCCESS
    result = good.names("result")
    for n in (0, -1, -(2**31)) if good.names("dim") else ():
        call = Call(entry, record)
        call.values["n"] = n
        call.null([p for p in call.pointers if p not in result])
        if result:
            call.values["result"][:] = 7
        assert rocblas.call(name, *call.arguments()) == SUCCESS
        if result:
            assert call.values["result"].view(np.uint8)[:4].tolist() == [0, 0, 0, 0]
            call.null(result)
            assert rocblas.call(name, *call.arguments()) == INVALID_POINTER
    if own == "axpy":
        call = Call(entry, record)
        call.scalar("alpha", 0)
        call.null("xy")
        assert rocblas.call(name, *call.arguments()) == SUCCESS
    if own == "scal":
        call = Call(entry, record)
        call.null(["x", "alpha"])
        call.values["incx"] = 0
        assert rocblas.call(name, *call.arguments()) == SUCCESS
    if own == "rotm":
        call = Call(entry, record)
        call.values["param"][0] = -2
        call.null("xy")
        assert rocblas.call(name, *call.arguments()) == SUCCESS


@EACH
def test_a_size_query_computes_nothing(rocblas: Rocblas, name: str, entry: Entry, record: TypeRecord) -> None:
    call = Call(entry, record)
    call.null(call.pointers)
    place = np.zeros(1, np.uint64)
    assert rocblas.call("start_device_memory_size_query") == SUCCESS
    assert rocblas.call(name, *call.arguments()) == 10  # size_unchanged: no memory is needed
    assert rocblas.call("stop_device_memory_size_query", place) == SUCCESS
