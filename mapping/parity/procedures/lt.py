"""cuBLASLt: products with what follows them and changes of order and type, judged by the definitions of `oracles/lt.py`; objects,
algorithms and helpers by what is set, read back and refused. Numbers and statuses that the manual does not tell: an H200's."""

from __future__ import annotations

import contextlib
import ctypes
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..elements import DTYPES, draw, fill_sentinel
from ..oracles import Array, Claim
from ..oracles import lt as oracle
from ..oracles.claims import LONG, roundoff, to_elements
from ..oracles.lt import AUX, BIAS, BITS, EPILOGUES, GRADIENT, OF_A, OF_B, SUMS, Following
from .registry import procedure
from .trial import NOT_SUPPORTED, SUCCESS, Area, Trial, WrongError

ALLOC_FAILED = 3
_NUMBERS = {  # cudaDataType
    "f32": 0, "f64": 1, "f16": 2, "i8": 3, "c32": 4, "c64": 5, "i32": 10, "bf16": 14, "e4m3": 28, "e5m2": 29,
}  # fmt: skip
_SMALL = ("e4m3", "e5m2")
_EXACT = ("i8", "i32", *_SMALL)  # results that are exact, so their inputs are chosen exact
_SIDES = (3, 5, 1, 2, 7, 11, 8, 33)
_SLACK = (0, 0, 1, 4)
_FACTORS = (2.0, 1.0, -1.0, 0.5, -0.75)
_HOST, _DEVICE, _VECTOR = 0, 1, 4
_EPILOGUE, _BIAS, _BIAS_STRIDE, _AUX, _AUX_LD, _AUX_STRIDE, _BIAS_TYPE = 7, 8, 10, 11, 12, 13, 26
_SCALES = {"A": 17, "B": 18, "D": 20}
_AMAX = 21


@dataclass(frozen=True, slots=True)
class Row:
    """Types that go together. Their numbers are cuBLASLt's."""

    compute: int
    factor: str
    a: str
    c: str
    b: str = ""
    d: str = ""
    follows: bool = True  # with epilogues
    straight: bool = False  # op(A) transposed, op(B) not, by columns, on NVIDIA's cards

    @property
    def types(self) -> dict[str, str]:
        return {"A": self.a, "B": self.b or self.a, "C": self.c, "D": self.d or self.c}

    @property
    def u(self) -> float:
        return roundoff(np.dtype({64: np.float16, 70: np.float64}.get(self.compute, np.float32)))

    @property
    def exact(self) -> bool:
        return self.types["D"] in _EXACT

    @property
    def bias(self) -> str:
        """The type of a bias: D's, of 8-bit results single precision or C's."""
        d = self.types["D"]
        if d == "i8":
            return "f32"
        if d in _SMALL:
            return self.c
        return "bf16" if self.a in _SMALL and d == "f32" else d


ROWS = (
    Row(68, "f32", "f32", "f32"), Row(68, "f32", "f16", "f16"), Row(68, "f32", "bf16", "bf16"),
    Row(68, "f32", "f16", "f32"), Row(68, "f32", "bf16", "f32"), Row(70, "f64", "f64", "f64"),
    Row(64, "f16", "f16", "f16"), Row(72, "f32", "i8", "i8", straight=True),
    Row(72, "i32", "i8", "i32", follows=False), Row(68, "f32", "i8", "f32", follows=False),
    Row(68, "f32", "e4m3", "bf16", straight=True), Row(68, "f32", "e4m3", "f32", "e5m2", straight=True),
    Row(68, "f32", "e5m2", "f16", "e4m3", straight=True), Row(68, "f32", "e4m3", "bf16", d="e4m3", straight=True),
    Row(68, "f32", "e5m2", "f16", "e4m3", "e5m2", straight=True),
    Row(68, "c32", "c32", "c32", follows=False), Row(70, "c64", "c64", "c64", follows=False),
)  # fmt: skip


class Objects:
    """Objects of one trial, freed with it. Half of them lie in memory of the program's."""

    def __init__(self, t: Trial) -> None:
        self.t = t
        self._made: list[tuple[str, int]] = []

    def _new(self, kind: str, size: int, *arguments: Any) -> int:
        t = self.t
        if t.chance():
            memory = np.full(size, 0xA5, np.uint8)
            t.kept.append(memory)
            t.done(f"cublasLt{kind}Init_internal", int(memory.ctypes.data), size, *arguments)
            return int(memory.ctypes.data)
        place = ctypes.c_void_p()
        t.done(f"cublasLt{kind}Create", ctypes.addressof(place), *arguments)
        self._made.append((kind, place.value or 0))
        return place.value or 0

    def set(self, kind: str, made: int, attribute: int, ctype: Any, value: Any) -> None:
        variable = ctype(value)
        self.t.done(f"cublasLt{kind}SetAttribute", made, attribute, ctypes.addressof(variable), ctypes.sizeof(variable))

    def layout(self, cell: str, rows: int, cols: int, ld: int, order: int = 0, batch: int = 1, stride: int = 0) -> int:
        made = self._new("MatrixLayout", 96, _NUMBERS[cell], rows, cols, ld)
        if order:
            self.set("MatrixLayout", made, 1, ctypes.c_int32, order)
        if batch != 1:
            self.set("MatrixLayout", made, 5, ctypes.c_int32, batch)
            self.set("MatrixLayout", made, 6, ctypes.c_int64, stride)
        return made

    def product(self, compute: int, factor: str) -> int:
        return self._new("MatmulDesc", 256, compute, _NUMBERS[factor])

    def transform(self, factor: str) -> int:
        return self._new("MatrixTransformDesc", 64, _NUMBERS[factor])

    def preference(self, workspace: int) -> int:
        made = self._new("MatmulPreference", 128)
        self.set("MatmulPreference", made, 1, ctypes.c_uint64, workspace)
        return made

    def close(self) -> None:
        for kind, made in reversed(self._made):
            self.t.done(f"cublasLt{kind}Destroy", made)


@contextlib.contextmanager
def handle(t: Trial) -> Iterator[int]:
    """A handle of cuBLASLt's, or one of cuBLAS's, which serves as well."""
    own = t.chance(0.7)
    made = t.get("cublasLtCreate" if own else "cublasCreate_v2", kind=ctypes.c_void_p)
    try:
        yield made
    finally:
        t.call("cublasLtDestroy" if own else "cublasDestroy_v2", made)


@contextlib.contextmanager
def objects(t: Trial) -> Iterator[Objects]:
    made = Objects(t)
    yield made
    made.close()  # not where the trial has failed: the first mistake is told


def _dtype(cell: str) -> np.dtype[Any]:
    return np.dtype(np.uint8) if cell in _SMALL else DTYPES[cell]


def _wide(array: Array, cell: str) -> Array:
    """Elements as long double."""
    if cell in _SMALL:
        array = array.view(oracle.E4M3 if cell == "e4m3" else oracle.E5M2)
    return oracle.numbers(array)


def _places(rows: int, cols: int, ld: int, order: int = 0) -> Array:
    i, j = np.arange(rows)[:, None], np.arange(cols)[None, :]
    return np.asarray(i * ld + j if order else i + j * ld)


def _drawn(t: Trial, count: int, cell: str, exact: bool) -> Array:
    """Elements; `exact`: small numbers, halves at the finest, whose products and sums are exact in single precision."""
    if cell in _SMALL:
        values = t.rng.integers(-6, 7, count) / 2.0
        return np.asarray(oracle.to_float8(values, oracle.E4M3 if cell == "e4m3" else oracle.E5M2))
    return draw(t.rng, count, DTYPES[cell], "whole" if exact else "real")


def _filled(t: Trial, places: list[Array], length: int, cell: str, exact: bool, blank: bool = False) -> Array:
    """An array of matrices whose padding nobody may read; `blank`: nothing in it may be read."""
    array = np.empty(max(1, length), _dtype(cell))
    fill_sentinel(array)
    for at in () if blank else places:
        array[at] = _drawn(t, at.size, cell, exact).reshape(at.shape)
    return array


@dataclass
class Operand:
    """A batch of matrices in memory."""

    cell: str
    rows: int
    cols: int
    ld: int
    order: int
    batch: int
    stride: int
    op: int = 0
    at: list[Array] = field(default_factory=list)

    @classmethod
    def of(cls, t: Trial, cell: str, shape: tuple[int, int], order: int, batch: int, op: int = 0) -> Operand:
        rows, cols = shape[::-1] if op else shape
        ld = max(1, cols if order else rows) + t.one_of(_SLACK)
        one = ld * max(1, rows if order else cols)
        stride = one + t.one_of((0, 3)) if batch > 1 else 0
        places = [_places(rows, cols, ld, order) + i * stride for i in range(batch)]
        return cls(cell, rows, cols, ld, order, batch, stride, op, places)

    @property
    def length(self) -> int:
        return max((int(at.max(initial=-1)) for at in self.at), default=-1) + 1

    def layout(self, made: Objects) -> int:
        return made.layout(self.cell, self.rows, self.cols, self.ld, self.order, self.batch, self.stride)

    def member(self, array: Array, i: int) -> Array:
        """op(X) in long double."""
        values = _wide(array[self.at[i if self.batch > 1 else 0]], self.cell)
        turned = values.T if self.op else values
        return np.conj(turned) if self.op == 2 and values.dtype.kind == "c" else turned


# ---- products


@procedure("cublasLtMatmul", share=5)
def matmul(t: Trial) -> None:
    """All types, epilogues, orders, operations, batches, modes of the factors; C in D's place or beside it; with an algorithm that
    the heuristic found or without."""
    row = ROWS[t.number % len(ROWS)]
    epilogue = t.one_of(tuple(EPILOGUES)) if row.follows and t.chance(0.75) else 1
    unknown = AUX | GRADIENT if row.types["D"] == "i8" else AUX if row.types["D"] in _SMALL else 0
    if unknown and EPILOGUES[epilogue] & (unknown | BITS) == unknown:
        epilogue = 36  # what such a second matrix of 8 bits holds is not known
    _Product(t, row, epilogue).run()


class _Product:
    """One example of a product."""

    def __init__(self, t: Trial, row: Row, epilogue: int) -> None:
        self.t, self.row, self.epilogue, self.has = t, row, epilogue, EPILOGUES[epilogue]
        self.exact = row.exact or bool(self.has & BITS)
        narrow = t.bench.nvidia and row.straight  # its kernels of 8 bits ask for more
        sides = (16, 32, 48) if narrow else _SIDES
        self.m, self.n, self.k = (t.one_of(sides) for _ in range(3))
        if t.chance(0.05) and not narrow:
            self.k = 0
        self.batch = t.one_of((1, 1, 2, 3))
        rowwise = not self.has & (BIAS | AUX | SUMS) and not narrow
        self.order = int(rowwise and t.chance(0.3))
        orders = [int(not narrow and t.chance(0.3)) for _ in range(2)]
        complex_ = row.factor in ("c32", "c64")
        self.ops = [1, 0] if narrow else [t.one_of((0, 1) if complex_ else (0, 1, 2)) for _ in range(2)]
        if self.has & OF_A:
            orders[0] = self.ops[0] = 0
        if self.has & OF_B:
            orders[1], self.ops[1] = 0, 1
        self.mode = _HOST if t.chance(0.7) else _DEVICE
        if row.types["D"] == "i8" and t.chance():
            self.mode, self.order = _VECTOR, 0
        self.place = t.chance() and row.types["C"] == row.types["D"]  # C is D
        types = row.types
        self.a = Operand.of(t, types["A"], (self.m, self.k), orders[0], self.batch, self.ops[0])
        self.b = Operand.of(t, types["B"], (self.k, self.n), orders[1], self.batch, self.ops[1])
        self.d = Operand.of(t, types["D"], (self.m, self.n), self.order, self.batch)
        self.c = self.d if self.place else Operand.of(t, types["C"], (self.m, self.n), self.order, self.batch)
        self.beta = 0.0 if t.chance(0.4) else t.one_of(_FACTORS)
        vector = self.mode == _VECTOR
        self.alpha = np.array([t.one_of(_FACTORS) for _ in range(self.m if vector else 1)])
        if self.row.factor == "i32" or (self.row.exact and self.row.types["D"] != "i8"):
            self.beta, self.alpha = float(round(self.beta)), np.where(np.abs(self.alpha) < 1, 1.0, self.alpha)
        self.bias_stride = self.m + 2 if self.has & (BIAS | SUMS) and self.batch > 1 else 0
        if self.has & OF_B and self.batch > 1:
            self.bias_stride = self.n + 1
        self.aux_ld = -(-self.m // 128) * 128 if self.has & BITS else self.m + t.one_of(_SLACK)
        self.aux_stride = self.aux_ld * self.n if self.batch > 1 else 0
        self.scales: dict[str, float] = {}
        if types["A"] in _SMALL:
            self.scales = {w: t.one_of((1.0, 2.0, 0.5)) for w in ("A", "B", "D") if t.chance(0.6)}
            if types["D"] not in _SMALL:
                self.scales.pop("D", None)
        self.amax = types["D"] in _SMALL and t.chance()

    def _arrays(self) -> dict[str, Array]:
        t, row = self.t, self.row
        exact = self.exact
        found = {
            "A": _filled(t, self.a.at, self.a.length, self.a.cell, exact),
            "B": _filled(t, self.b.at, self.b.length, self.b.cell, exact),
            "D": _filled(t, self.d.at, self.d.length, self.d.cell, exact, not self.place or self.beta == 0),
        }
        if not self.place:
            found["C"] = _filled(t, self.c.at, self.c.length, self.c.cell, exact, self.beta == 0)
        if self.has & (BIAS | SUMS):
            count = (self.batch - 1) * self.bias_stride + (self.n if self.has & OF_B else self.m)
            found["bias"] = _drawn(t, count, row.bias, exact)
            if self.has & BITS and row.bias == "f32" == row.types["D"] and t.chance(0.3):
                found["bias"][0] = np.nan  # whose bit is set
        if self.has & BITS:
            found["aux"] = t.bytes(self.batch * self.n * self.aux_ld // 8)
        elif self.has & AUX:
            second = [_places(self.m, self.n, self.aux_ld) + i * self.aux_stride for i in range(self.batch)]
            length = int(second[-1].max(initial=-1)) + 1
            found["aux"] = _filled(t, second, length, self.d.cell, exact, not self.has & GRADIENT)
        kind = DTYPES[row.factor]
        found["factors"] = to_elements(np.append(self.alpha, self.beta), kind)
        for name, value in self.scales.items():
            found[f"scale {name}"] = np.array([value], np.float32)
        if self.amax:
            found["amax"] = np.array([-5.0], np.float32)
        return found

    def _describe(self, made: Objects, area: Area) -> int:
        row = self.row
        desc = made.product(row.compute, row.factor)

        def put(attribute: int, ctype: Any, value: Any) -> None:
            made.set("MatmulDesc", desc, attribute, ctype, value)

        put(2, ctypes.c_int32, self.mode)
        put(3, ctypes.c_int32, self.ops[0])
        put(4, ctypes.c_int32, self.ops[1])
        put(_EPILOGUE, ctypes.c_uint32, self.epilogue)
        if "bias" in area.places:
            put(_BIAS, ctypes.c_void_p, area.at("bias"))
            put(_BIAS_STRIDE, ctypes.c_int64, self.bias_stride)
            if self.t.chance():
                put(_BIAS_TYPE, ctypes.c_int32, _NUMBERS[row.bias])
        if "aux" in area.places:
            put(_AUX, ctypes.c_void_p, area.at("aux"))
            put(_AUX_LD, ctypes.c_int64, self.aux_ld)
            put(_AUX_STRIDE, ctypes.c_int64, self.aux_stride)
        for name in self.scales:
            put(_SCALES[name], ctypes.c_void_p, area.at(f"scale {name}"))
        if self.amax:
            put(_AMAX, ctypes.c_void_p, area.at("amax"))
        return desc

    def run(self) -> None:
        t = self.t
        area = t.area(None, **self._arrays())
        host = area.before("factors").copy()
        t.kept.append(host)
        last = len(self.alpha) * host.itemsize
        alpha = int(host.ctypes.data) if self.mode == _HOST else area.at("factors")
        beta = area.at("factors") + last if self.mode == _DEVICE else int(host.ctypes.data) + last
        old = "D" if self.place else "C"
        given = 0 if self.beta == 0 and self.mode != _DEVICE and t.chance() else area.at(old)
        with handle(t) as h, objects(t) as made:
            desc = self._describe(made, area)
            layouts = [x.layout(made) for x in (self.a, self.b, self.c, self.d)]
            found, status = _heuristic(t, h, desc, layouts, made.preference(0))
            algorithm = int(found.ctypes.data) if t.chance() else 0
            arguments = (
                h, desc, alpha, area.at("A"), layouts[0], area.at("B"), layouts[1], beta, given, layouts[2], area.at("D"),
                layouts[3], algorithm, 0, 0, t.one_of((0, t.stream())),
            )  # fmt: skip
            if status == NOT_SUPPORTED and not t.bench.cpu:  # this card has no kernel: nothing may be written
                t.gives(NOT_SUPPORTED, "cublasLtMatmul", *arguments[:12], 0, *arguments[13:])
                area.must_be({})
                return
            t.equal(f"the heuristic's status for epilogue {self.epilogue} of {self.row}", status, SUCCESS)
            t.done("cublasLtMatmul", *arguments)
            t.done("cudaDeviceSynchronize")
            t.error = area.judged(self._claims(area))

    def _member(self, area: Area, i: int) -> Following:
        scale = float(np.prod([self.scales.get(w, 1.0) for w in "AB"]))
        factors = _wide(area.before("factors"), self.row.factor)
        bias = second = old = None
        if self.has & BIAS:
            bias = _wide(area.before("bias")[i * self.bias_stride :][: self.m], self.row.bias)
        if self.has & GRADIENT and self.has & BITS:
            step = self.aux_stride // 8
            one = area.before("aux")[i * step :][: self.n * self.aux_ld // 8]
            second = np.unpackbits(one, bitorder="little").reshape(self.n, self.aux_ld)[:, : self.m].T.astype(bool)
        elif self.has & GRADIENT:
            at = _places(self.m, self.n, self.aux_ld) + i * self.aux_stride
            second = _wide(area.before("aux")[at], self.d.cell)
        if self.beta != 0:
            old = self.c.member(area.before("D" if self.place else "C"), i)
        u = self.row.u
        tau = 8 * u if not self.t.bench.nvidia else 2.0**-10  # its tanh is the card's own
        return Following(
            self.epilogue, u, tau, factors[:-1] * scale, factors[-1], self.a.member(area.before("A"), i),
            self.b.member(area.before("B"), i), old, bias, second,
            self.d.cell == "i8" and bool(self.has & (AUX | oracle.GELU)),
        )  # fmt: skip

    def _claims(self, area: Area) -> list[Claim]:
        claims: list[Claim] = []
        largest = LONG(0)
        bits = area.before("aux").copy() if self.has & BITS else None
        for i in range(self.batch):
            member = self._member(area, i)
            value, error = member.result()
            if self.exact and not self.has & oracle.GELU:
                error = np.zeros_like(error)
            largest = max(largest, np.abs(value).max(initial=LONG(0)))
            claims.append(
                oracle.stored("D", self.d.at[i], value * self.scales.get("D", 1.0), error, self._stored(self.d.cell))
            )
            if self.has & SUMS:
                total, error = member.sums()
                at = np.arange(total.size) + i * self.bias_stride
                claims.append(oracle.stored("bias", at, total, error, self._stored(self.row.bias)))
            if self.has & AUX and not self.has & GRADIENT:
                z, error = member.z()
                if bits is not None:
                    own = slice(i * self.aux_stride // 8, i * self.aux_stride // 8 + self.n * self.aux_ld // 8)
                    bits[own] = oracle.mask_bytes(~(z < 0), self.aux_ld, bits[own])
                else:
                    at = _places(self.m, self.n, self.aux_ld) + i * self.aux_stride
                    claims.append(oracle.stored("aux", at, z, error, self._stored(self.d.cell)))
        if bits is not None and not self.has & GRADIENT:
            claims.append(oracle.exactly("aux", bits))
        if self.amax:
            claims.append(oracle.stored("amax", np.arange(1), np.array([largest]), LONG(0), np.dtype(np.float32)))
        return claims

    @staticmethod
    def _stored(cell: str) -> np.dtype[Any]:
        return {"e4m3": oracle.E4M3, "e5m2": oracle.E5M2}.get(cell) or DTYPES[cell]


def _heuristic(t: Trial, h: int, desc: int, layouts: list[int], preference: int, wanted: int = 3) -> tuple[Array, int]:
    """Results of the heuristic, and its status."""
    found = np.zeros(12 * wanted, np.uint64)
    t.kept.append(found)
    count = ctypes.c_int(-7)
    status = int(
        t.call(
            "cublasLtMatmulAlgoGetHeuristic", h, desc, *layouts, preference, wanted, int(found.ctypes.data),
            ctypes.addressof(count),
        )
    )  # fmt: skip
    if status == SUCCESS and not 1 <= count.value <= wanted:
        raise WrongError(f"the heuristic finds {count.value} algorithms of {wanted}")
    if status == SUCCESS and int(found[9] & np.uint64(0xFFFFFFFF)) != SUCCESS:
        raise WrongError("the first algorithm's state is not success")
    return found, status


# ---- changes of type and order

_TILES = {2: (32, 1), 3: (32, 8), 4: (32, 32)}  # columns and rows of a tile


def _tiled(rows: int, cols: int, ld: int, order: int) -> Array:
    """Where element (i, j) lies: NVIDIA's manual, and what an H200 did."""
    i, j = np.arange(rows)[:, None], np.arange(cols)[None, :]
    if order < 2:
        return _places(rows, cols, ld, order)
    start, inner = j // 32 * ld, j % 32
    if order == 2:
        return np.asarray(start + i * 32 + inner)
    if order == 3:  # 8 rows of 32: even rows before odd ones, groups of 4 columns by 4 rows
        line = i // 8 * 8 + i % 2 * 4 + inner // 8
        return np.asarray(start + line * 32 + inner % 8 // 4 * 16 + i % 8 // 2 * 4 + inner % 4)
    line = (i % 8 // 2 * 4 + i % 32 // 8) * 2 + i % 2
    return np.asarray(start + i // 32 * 1024 + line * 32 + inner)


_TRANSFORMS = (
    ("f32", "f32"), ("f32", "f16"), ("f32", "bf16"), ("f32", "i8"), ("f32", "i32"), ("f16", "f16"), ("f64", "f64"),
    ("i32", "i8"), ("i32", "i32"), ("c32", "c32"), ("c64", "c64"),
)  # fmt: skip


@procedure("cublasLtMatrixTransform", share=3)
def transform(t: Trial) -> None:
    """C ← α·op(A) + β·op(B): types, orders, operations, batches, one A for all, A or B missing."""
    factor, cell = _TRANSFORMS[t.number % len(_TRANSFORMS)]
    rows, cols = t.one_of(_SIDES), t.one_of(_SIDES)
    batch = t.one_of((1, 1, 2))
    exact = cell in _EXACT
    with_b, device = t.chance(), t.chance(0.3)
    with_a = not with_b or t.chance(0.8)
    factors = [t.one_of((1.0, 2.0, -1.0) if factor == "i32" else _FACTORS) for _ in range(2)]
    operands: dict[str, Operand] = {}
    for name in "ABC":
        op = t.one_of((0, 1, 2)) if name != "C" else 0
        order = t.one_of((0, 0, 1, 2, 3, 4)) if cell == "i8" else t.one_of((0, 1))
        operands[name] = _matrix(t, cell, (rows, cols), order, 1 if name != "C" and t.chance(0.3) else batch, op)
    arrays = {
        name: _filled(
            t, x.at, x.length, cell, exact, name == "C" or (name == "B" and not with_b) or (name == "A" and not with_a)
        )
        for name, x in operands.items()
    }
    arrays["factors"] = to_elements(np.array(factors), DTYPES[factor])
    area = t.area(None, **arrays)
    host = area.before("factors").copy()
    t.kept.append(host)
    alpha, beta = ((area.at("factors") if device else int(host.ctypes.data)) + i * host.itemsize for i in range(2))
    with handle(t) as h, objects(t) as made:
        desc = made.transform(factor)
        for attribute, choice in ((1, int(device)), (2, operands["A"].op), (3, operands["B"].op)):
            made.set("MatrixTransformDesc", desc, attribute, ctypes.c_int32, choice)
        a, b, c = (operands[name].layout(made) for name in "ABC")
        first = (area.at("A"), a) if with_a else (0, a if t.chance() else 0)
        second = (beta, area.at("B"), b) if with_b else (0, 0, 0)
        status = int(t.call("cublasLtMatrixTransform", h, desc, alpha, *first, *second, area.at("C"), c, t.stream()))
        t.done("cudaDeviceSynchronize")
        if status == NOT_SUPPORTED and not t.bench.cpu:
            area.must_be({})
            return
        t.equal(f"the status for {cell} with factors of {factor}", status, SUCCESS)
    scale = _wide(area.before("factors"), factor)
    u = roundoff(np.dtype(np.float64)) if factor in ("f64", "i32", "c64") else roundoff(np.dtype(np.float32))
    u = roundoff(np.dtype(np.float16)) if factor == "f16" else u
    claims: list[Claim] = []
    for i in range(batch):
        left = operands["A"].member(area.before("A"), i) if with_a else None
        right = operands["B"].member(area.before("B"), i) if with_b else None
        value, error = oracle.transformed(scale[0], left, scale[1], right, u)
        if cell in ("i8", "i32"):
            value = np.trunc(value)  # cut, as on an H200
        claims.append(
            oracle.stored("C", operands["C"].at[i], value, np.zeros_like(error) if exact else error, DTYPES[cell])
        )
    t.error = area.judged(claims)


def _matrix(t: Trial, cell: str, shape: tuple[int, int], order: int, batch: int, op: int) -> Operand:
    if order < 2:
        return Operand.of(t, cell, shape, order, batch, op)
    rows, cols = shape[::-1] if op else shape
    tall = _TILES[order][1]
    ld = 32 * (-(-rows // tall) * tall) + t.one_of((0, 32))
    stride = ld * -(-cols // 32)
    places = [_tiled(rows, cols, ld, order) + i * stride for i in range(batch)]
    return Operand(cell, rows, cols, ld, order, batch, stride if batch > 1 else 0, op, places)
