"""cuBLASLt's objects, algorithms, handles, versions and log; and what products answer to wrong arguments.

`goldens/lt.json` holds what cuBLASLt 13.1 answered on an H200: attributes with their sizes and defaults, and statuses of heuristic
and product by case. `DEPARTURES` says where ours answers otherwise, and why."""

from __future__ import annotations

import ctypes
import fnmatch
import json
import os
import tempfile
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from ..oracles import Array
from .lt import ALLOC_FAILED, Objects, handle, objects
from .registry import procedure
from .trial import INVALID_VALUE, NOT_INITIALIZED, NOT_SUPPORTED, SUCCESS, Area, Trial, WrongError
from .words import _NAMES, _UNKNOWN

PATH = Path(__file__).parent.parent / "goldens" / "lt.json"
_STALE = "a pointer that the epilogue does not use is not looked at"
_SECOND = "what its auxiliary matrix of 8 bits holds is not known"
_KERNEL = "the H200 has no kernel for it; other cards of NVIDIA's may"
# Case, heuristic's and product's status of ours, reason.
DEPARTURES: tuple[tuple[str, int, int, str], ...] = (
    ("[mn]0", 0, 0, "NVIDIA's launches nothing and calls that a failure; nothing is to be done"),
    ("batch all 0", 7, 7, "NVIDIA's finds an algorithm, and fails to launch it"),
    ("batch all -1", 7, 7, "NVIDIA's finds an algorithm, and fails to launch it"),
    ("desc ta *", 7, 7, "NVIDIA's reads an operation that does not exist as another one"),
    ("desc epi 3", 15, 15, "no epilogue of the manual's"),
    ("epilogue 160, 32F/f32/e4m3/e4m3/bf16/e4m3 *", 15, 15, _SECOND),
    ("epilogue 164, 32F/f32/e4m3/e4m3/bf16/e4m3 *", 15, 15, _SECOND),
    ("epilogue 192, 32I/f32/i8/*", 15, 15, _SECOND),
    ("epilogue 208, 32I/f32/i8/*", 15, 15, _SECOND),
    ("stale pointers, epilogue 1?0, bias 1, auxiliary 0", 0, 15, _STALE),
    ("stale pointers, *", 0, 0, _STALE),
    ("epilogue 0, 32F/f32/e4m3/*", 0, 0, _KERNEL),
    ("epilogue 136, 32F/f32/e4m3/*", 0, 0, _KERNEL),
    ("epilogue 152, 32F/f32/e4m3/*", 0, 0, _KERNEL),
    ("epilogue 256, 32F/f32/i8/i8/f32/f32 NN*", 0, 0, _KERNEL),
)
# Arguments of the objects that the defaults were read from.
_MADE: dict[str, tuple[int, ...]] = {
    "MatrixLayout": (2, 100, 50, 112), "MatmulDesc": (68, 0), "MatmulPreference": (), "MatrixTransformDesc": (0,),
    "EmulationDesc": (),
}  # fmt: skip
_ATTRIBUTES = (*range(48), 99, -1 & 0xFFFFFFFF)


@lru_cache(maxsize=1)
def golden() -> Mapping[str, Any]:
    found: Mapping[str, Any] = json.loads(PATH.read_text(encoding="utf-8"))
    return found


def _make(t: Trial, kind: str, *arguments: int) -> int:
    return t.get_into(f"cublasLt{kind}Create", arguments or _MADE[kind])


# ---- objects

_KINDS = tuple(_MADE)


@procedure(*(f"cublasLt{kind}Create" for kind in _KINDS), share=0.3)
def made(t: Trial) -> None:
    """Two objects are two; each holds the defaults; no place, no object."""
    kind = t.function.name.removeprefix("cublasLt").removesuffix("Create")
    first, second = _make(t, kind), _make(t, kind)
    if first == second or not first:
        raise WrongError("two objects are one")
    for attribute, wanted in golden()["attributes"][kind].items():
        value = _read(t, kind, first, int(attribute))
        if value is not None:
            t.equal(f"attribute {attribute} of a new {kind}", value.hex(), wanted)
    t.gives(INVALID_VALUE, t.function.name, 0, *_MADE[kind])
    for one in (first, second):
        t.done(f"cublasLt{kind}Destroy", one)


@procedure(*(f"cublasLt{kind}Init_internal" for kind in _KINDS), share=0.5)
def initialised(t: Trial) -> None:
    """An object in the program's memory: nothing is written past the size given; too small a size is told; it serves as any other."""
    kind = t.function.name.removeprefix("cublasLt").removesuffix("Init_internal")
    room = np.full(1024, 0xA5, np.uint8)
    at = int(room.ctypes.data)
    size = t.one_of((0, 4, 8, 16, 24, 32, 48, 56, 64, 96, 128, 184, 256, 512))
    status = int(t.call(t.function.name, at, size, *_MADE[kind]))
    if size < 8 and status == SUCCESS:
        raise WrongError(f"{size} bytes are enough for a {kind}")
    if size >= 256 and status != SUCCESS:
        raise WrongError(f"{size} bytes are too few for a {kind}: {status}")
    if status not in (SUCCESS, ALLOC_FAILED):
        raise WrongError(f"a {kind} in {size} bytes answers {status}")
    if (room[size:] != 0xA5).any() or (status != SUCCESS and (room != 0xA5).any()):
        raise WrongError(f"a {kind} in {size} bytes writes past them")
    if status == SUCCESS:
        for attribute in golden()["attributes"][kind]:
            value = _read(t, kind, at, int(attribute))
            if value is not None:
                t.equal(f"attribute {attribute}", value.hex(), golden()["attributes"][kind][attribute])
    if not t.bench.nvidia:  # its library dies of some
        t.gives(INVALID_VALUE, t.function.name, 0, 512, *_MADE[kind])


@procedure(*(f"cublasLt{kind}Destroy" for kind in _KINDS), share=0.3)
def destroyed(t: Trial) -> None:
    """NULL is nothing; an object that is no more answers to nothing, also where new ones have been made since."""
    kind = t.function.name.removeprefix("cublasLt").removesuffix("Destroy")
    t.done(t.function.name, 0)
    one = _make(t, kind)
    t.done(t.function.name, one)
    if not t.bench.nvidia:  # memory of the heap's there
        t.gives(INVALID_VALUE, t.function.name, one)
        t.gives(INVALID_VALUE, t.function.name, 0x1234)
        variable = ctypes.c_int64()
        place = ctypes.addressof(variable)
        t.gives(INVALID_VALUE, f"cublasLt{kind}GetAttribute", one, 0, place, 4, 0)
        t.gives(INVALID_VALUE, f"cublasLt{kind}SetAttribute", one, 0, place, 4)


def _read(t: Trial, kind: str, one: int, attribute: int) -> bytes | None:
    """An attribute's bytes, or None where there is no such."""
    size = ctypes.c_size_t(1234)
    name = f"cublasLt{kind}GetAttribute"
    if t.call(name, one, attribute, 0, 0, ctypes.addressof(size)) != SUCCESS:
        return None
    if not 1 <= size.value <= 8:
        raise WrongError(f"attribute {attribute} has {size.value} bytes")
    value = (ctypes.c_uint8 * 16)(*[0x5A] * 16)
    written = ctypes.c_size_t(1234)
    t.done(name, one, attribute, ctypes.addressof(value), size.value, ctypes.addressof(written))
    t.equal(f"bytes written of attribute {attribute}", written.value, size.value)
    if bytes(value)[size.value :] != b"\x5a" * (16 - size.value):
        raise WrongError(f"attribute {attribute} writes more than its {size.value} bytes")
    return bytes(value)[: size.value]


@procedure(*(f"cublasLt{kind}{word}Attribute" for kind in _KINDS for word in ("Set", "Get")), share=0.6)
def attribute(t: Trial) -> None:
    """Each attribute has one size, is set and read back bit by bit, alone and in one object; other numbers are refused."""
    kind = t.function.name.removeprefix("cublasLt").removesuffix("Attribute")[:-3]
    set_, get = f"cublasLt{kind}SetAttribute", f"cublasLt{kind}GetAttribute"
    one, other = _make(t, kind), _make(t, kind)
    known = golden()["attributes"][kind]
    values = {a: _read(t, kind, one, a) for a in _ATTRIBUTES}
    if t.bench.major == 13:
        missing = [a for a in known if values[int(a)] is None]
        t.equal(f"attributes of {kind} that are not there", missing, [])
    changed = t.one_of([a for a, v in values.items() if v is not None])
    old = values[changed]
    assert old is not None
    if str(changed) in known:
        t.equal(f"the size of attribute {changed}", len(old), len(known[str(changed)]) // 2)
    value = t.bytes(len(old))
    place = int(value.ctypes.data)
    for size in (0, 1, 2, 4, 8, 12, 16):
        if size != len(old):
            room = np.zeros(16, np.uint8)
            t.gives(INVALID_VALUE, set_, one, changed, int(room.ctypes.data), size)
            if size:
                t.gives(INVALID_VALUE, get, one, changed, int(room.ctypes.data), size, 0)
    t.gives(INVALID_VALUE, set_, one, changed, 0, len(old))
    t.gives(INVALID_VALUE, get, one, changed, 0, len(old), 0)
    t.gives(INVALID_VALUE, get, one, changed, 0, 0, 0)
    t.gives(INVALID_VALUE, set_, 0, changed, place, len(old))
    t.done(set_, one, changed, place, len(old))
    for number, before in values.items():
        wanted = value.tobytes() if number == changed else before
        t.equal(f"attribute {number} after {changed} was set", _read(t, kind, one, number), wanted)
        t.equal(f"attribute {number} of another object", _read(t, kind, other, number), before)
        if before is None:
            t.gives(INVALID_VALUE, set_, one, number, place, len(old))
    for made_ in (one, other):
        t.done(f"cublasLt{kind}Destroy", made_)


# ---- products' answers

_SIZES = {0: 4, 1: 4, 2: 4, 3: 4, 4: 4, 5: 4, 6: 4, 7: 4, 22: 4, 26: 4}


class Asked:
    """One case of the goldens, made."""

    def __init__(self, t: Trial, made: Objects, area: Area, case: Mapping[str, Any]) -> None:
        self.t, self.case, self.area = t, case, area
        self.desc = t.get_into("cublasLtMatmulDescCreate", (case.get("compute", 68), case.get("factor", 0)))
        for number, value in case.get("desc", {}).items():
            size = _SIZES.get(int(number), 8)
            given = area.at("room") if value == "room" else value
            variable = (ctypes.c_int32 if size == 4 else ctypes.c_int64)(given)
            t.done("cublasLtMatmulDescSetAttribute", self.desc, int(number), ctypes.addressof(variable), size)
        self.layouts = []
        for kind, rows, cols, ld, order, batch, stride in case["layouts"]:
            layout = t.get_into("cublasLtMatrixLayoutCreate", (kind, rows, cols, ld))
            for number, value, ctype in (
                (1, order, ctypes.c_int32),
                (5, batch, ctypes.c_int32),
                (6, stride, ctypes.c_int64),
            ):
                made.set("MatrixLayout", layout, number, ctype, value)
            self.layouts.append(layout)

    def heuristic(self, h: int, preference: int) -> int:
        found = np.zeros(12, np.uint64)
        count = ctypes.c_int(-7)
        return int(
            self.t.call(
                "cublasLtMatmulAlgoGetHeuristic", h, self.desc, *self.layouts, preference, 1, int(found.ctypes.data),
                ctypes.addressof(count),
            )
        )  # fmt: skip

    def product(self, h: int) -> int:
        at = {name: 0 if name in self.case.get("null", ()) else self.area.at(name) for name in "ABCD"}
        factors = np.array([1, self.case.get("beta", 0)], np.float32)
        alpha = int(factors.ctypes.data)
        if self.case.get("in_place"):
            at["C"] = at["D"]
        a, b, c, d = self.layouts
        return int(
            self.t.call(
                "cublasLtMatmul", h, self.desc, alpha, at["A"], a, at["B"], b, alpha + 4, at["C"], c, at["D"], d, 0,
                self.area.at("room"), 0, 0,
            )
        )  # fmt: skip

    def close(self) -> None:
        for layout in self.layouts:
            self.t.done("cublasLtMatrixLayoutDestroy", layout)
        self.t.done("cublasLtMatmulDescDestroy", self.desc)


def expected(t: Trial, case: Mapping[str, Any]) -> tuple[int, int | None]:
    """Status of the heuristic and of the product: NVIDIA's, or ours where they depart."""
    product = case.get("product")
    if not t.bench.nvidia:
        for pattern, heuristic, done, _ in DEPARTURES:
            if fnmatch.fnmatchcase(case["name"], pattern):
                return heuristic, None if product is None else done
    return case["heuristic"], product


@procedure("cublasLtMatmulAlgoGetHeuristic", "cublasLtMatmulAlgoGetHeuristicForStream", share=1)
def answers(t: Trial) -> None:
    """What heuristic and product answer, case by case as recorded; and arguments that are not there."""
    cases = golden()["products"]
    share = cases[t.number % 24 :: 24]
    area = t.area(None, room=np.zeros(1 << 12, np.uint8), **{name: np.zeros(1 << 12, np.float32) for name in "ABCD"})
    with handle(t) as h, objects(t) as made:
        preference = made.preference(1 << 25)
        for case in share:
            asked = Asked(t, made, area, case)
            heuristic, product = expected(t, case)
            got = asked.heuristic(h, preference)
            if not (got == NOT_SUPPORTED and not t.bench.cpu and not t.bench.nvidia):
                t.equal(f"the heuristic's answer to {case['name']!r}", got, heuristic)
                if product is not None:
                    t.equal(f"the product's answer to {case['name']!r}", asked.product(h), product)
            asked.close()
        _missing(t, h, made, preference)
    t.done("cudaDeviceSynchronize")


def _missing(t: Trial, h: int, made: Objects, preference: int) -> None:
    """Handles and arguments that are not there."""
    desc, layout = made.product(68, "f32"), made.layout("f32", 4, 4, 4)
    found, count = np.zeros(24, np.uint64), ctypes.c_int(-7)
    results, number = int(found.ctypes.data), ctypes.addressof(count)
    extra = (0,) if t.function.name.endswith("ForStream") else ()
    name = t.function.name
    t.gives(NOT_INITIALIZED, name, 0, desc, layout, layout, layout, layout, preference, 1, results, number, *extra)
    for wanted in (0, -1):
        t.gives(
            INVALID_VALUE, name, h, desc, layout, layout, layout, layout, preference, wanted, results, number, *extra
        )
    t.gives(INVALID_VALUE, name, h, desc, layout, layout, layout, layout, 0, 1, results, number, *extra)
    for missing in (0, 1, 3):
        given = [layout] * 4
        given[missing] = 0
        t.gives(INVALID_VALUE, name, h, desc, *given, preference, 1, results, number, *extra)
    given = [layout, layout, 0, layout]
    t.done(name, h, desc, *given, preference, 1, results, number, *extra)  # C is as D
    t.equal("the number of algorithms found", count.value, 1)
    if not t.bench.nvidia:  # its library dies of these
        t.gives(INVALID_VALUE, name, h, desc, *[layout] * 4, preference, 1, 0, number, *extra)
        t.gives(INVALID_VALUE, name, h, desc, *[layout] * 4, preference, 1, results, 0, *extra)
        t.gives(INVALID_VALUE, name, h, 0, *[layout] * 4, preference, 1, results, number, *extra)


# ---- algorithms

_COMPUTES = ((68, 0, 0), (68, 0, 2), (68, 0, 14), (70, 1, 1), (72, 10, 3))  # computing type, factors, A


def _plain(t: Trial, made: Objects) -> tuple[tuple[int, ...], int, int]:
    """Types of a product that is served everywhere, its description and a layout of each matrix."""
    compute, factor, a = t.one_of(_COMPUTES)
    c = 10 if a == 3 else a
    return (compute, factor, a, a, c, c), t.get_into("cublasLtMatmulDescCreate", (compute, factor)), c


@procedure("cublasLtMatmulAlgoGetIds", "cublasLtMatmulAlgoInit", share=0.5)
def algorithms(t: Trial) -> None:
    """Numbers of algorithms, as many as asked for; each makes one; a number that was not told makes none."""
    ids = (ctypes.c_int * 400)()
    count = ctypes.c_int(-7)
    place, number = ctypes.addressof(ids), ctypes.addressof(count)
    algorithm = np.full(8, 0x5A5A5A5A5A5A5A5A, np.uint64)
    at = int(algorithm.ctypes.data)
    compute, factor, a = t.one_of(_COMPUTES)
    c = 10 if a == 3 else a
    types = (compute, factor, a, a, c, c)
    with handle(t) as h:
        t.done("cublasLtMatmulAlgoGetIds", h, *types, 400, place, number)
        told = ids[: count.value]
        if count.value < 1 or len(set(told)) != len(told):
            raise WrongError(f"the numbers of algorithms are {told}")
        for one in told:
            t.done("cublasLtMatmulAlgoInit", h, *types, one, at)
            got = ctypes.c_int(-7)
            t.done("cublasLtMatmulAlgoConfigGetAttribute", at, 0, ctypes.addressof(got), 4, 0)
            t.equal("an algorithm's number", got.value, one)
        t.gives(INVALID_VALUE, "cublasLtMatmulAlgoInit", h, *types, 99999, at)
        t.gives(INVALID_VALUE, "cublasLtMatmulAlgoInit", h, *types, told[0], 0)
        t.done("cublasLtMatmulAlgoGetIds", h, *types, 1, place, number)
        t.equal("the number of algorithms where one was asked for", count.value, 1)
        for wanted in (0, -1):
            t.gives(INVALID_VALUE, "cublasLtMatmulAlgoGetIds", h, *types, wanted, place, number)
        t.gives(INVALID_VALUE, "cublasLtMatmulAlgoGetIds", h, *types, 10, 0, number)
        t.gives(INVALID_VALUE, "cublasLtMatmulAlgoGetIds", h, *types, 10, place, 0)
        strange = (68, 0, 1, 2, 0, 0)
        t.gives(NOT_SUPPORTED, "cublasLtMatmulAlgoGetIds", h, *strange, 10, place, number)
        t.gives(NOT_SUPPORTED, "cublasLtMatmulAlgoInit", h, *strange, told[0], at)


@procedure(
    "cublasLtMatmulAlgoCheck", "cublasLtMatmulAlgoCheckForStream", "cublasLtMatmulAlgoConfigSetAttribute",
    "cublasLtMatmulAlgoConfigGetAttribute", "cublasLtMatmulAlgoCapGetAttribute", share=0.5,
)  # fmt: skip
def configured(t: Trial) -> None:
    """An algorithm that was found: checked, read, configured, copied; what is none is refused."""
    with handle(t) as h, objects(t) as made:
        layout, desc = made.layout("f32", 64, 64, 64), made.product(68, "f32")
        found, count = np.zeros(12, np.uint64), ctypes.c_int(-7)
        t.done(
            "cublasLtMatmulAlgoGetHeuristic", h, desc, *[layout] * 4, made.preference(1 << 22), 1,
            int(found.ctypes.data), ctypes.addressof(count),
        )  # fmt: skip
        copy = found[:8].copy()
        at = int(copy.ctypes.data)
        _checked(t, h, desc, layout, copy)
        _configuration(t, at)
        _capabilities(t, at)


def _checked(t: Trial, h: int, desc: int, layout: int, algorithm: Array) -> None:
    at = int(algorithm.ctypes.data)
    names = ["cublasLtMatmulAlgoCheck"]
    if t.function.name.endswith("ForStream"):
        names.append("cublasLtMatmulAlgoCheckForStream")
    for name in names:
        extra = (0,) if name.endswith("ForStream") else ()
        result = np.full(12, 0x5A5A5A5A5A5A5A5A, np.uint64)
        t.done(name, h, desc, *[layout] * 4, at, int(result.ctypes.data), *extra)
        t.equal("the algorithm in the result", result[:8].tobytes(), algorithm.tobytes())
        t.equal("the state in the result", int(result[9] & np.uint64(0xFFFFFFFF)), SUCCESS)
        nothing = np.zeros(8, np.uint64)
        t.gives(INVALID_VALUE, name, h, desc, *[layout] * 4, int(nothing.ctypes.data), int(result.ctypes.data), *extra)
        t.gives(INVALID_VALUE, name, h, desc, *[layout] * 4, 0, int(result.ctypes.data), *extra)
        t.gives(NOT_INITIALIZED, name, 0, desc, *[layout] * 4, at, int(result.ctypes.data), *extra)
        if not t.bench.nvidia:
            t.gives(INVALID_VALUE, name, h, desc, *[layout] * 4, at, 0, *extra)


_CONFIGURATION = {1: 4, 2: 4, 3: 4, 4: 4, 5: 4, 6: 4, 7: 2, 8: 2}  # sizes, of what can be set


def _configuration(t: Trial, at: int) -> None:
    set_, get = "cublasLtMatmulAlgoConfigSetAttribute", "cublasLtMatmulAlgoConfigGetAttribute"
    value = t.bytes(8)
    place = int(value.ctypes.data)
    back = np.zeros(8, np.uint8)
    for number, size in _CONFIGURATION.items():
        if number > 6 and t.bench.major == 11:
            continue  # younger
        for wrong in {1, 2, 4, 8} - {size}:
            t.gives(INVALID_VALUE, set_, at, number, place, wrong)
        t.done(set_, at, number, place, size)
        t.done(get, at, number, int(back.ctypes.data), size, 0)
        t.equal(f"choice {number} of an algorithm", back[:size].tobytes(), value[:size].tobytes())
        t.gives(INVALID_VALUE, set_, at, number, 0, size)
        t.gives(INVALID_VALUE, get, at, number, 0, size, 0)
    t.gives(INVALID_VALUE, set_, at, 0, place, 4)  # the number is only read
    for number in (9, 99):
        t.gives(INVALID_VALUE, set_, at, number, place, 4)
        t.gives(INVALID_VALUE, get, at, number, place, 4, 0)


def _capabilities(t: Trial, at: int) -> None:
    get = "cublasLtMatmulAlgoCapGetAttribute"
    wanted = {0: 4, 1: 4, 2: 4, 3: 4, 4: 4, 5: 4, 7: 4, 10: 4, 11: 4, 12: 4, 14: 4, 15: 8, 16: 4, 17: 4, 18: 4, 19: 4}
    room, written = np.zeros(4096, np.uint8), ctypes.c_size_t(0)
    place = int(room.ctypes.data)
    for number, size in wanted.items():
        t.done(get, at, number, 0, 0, ctypes.addressof(written))
        t.equal(f"the size of capability {number}", written.value, size)
        t.done(get, at, number, place, size, ctypes.addressof(written))
        t.gives(INVALID_VALUE, get, at, number, place, size - 1, 0)
        t.gives(INVALID_VALUE, get, at, number, place, size + 4, 0)
    for number in (99,) if t.bench.major == 11 else (8, 9, 99):  # CUDA 11's two are no more
        t.gives(INVALID_VALUE, get, at, number, place, 4, 0)


# ---- handles, versions, the log


@procedure("cublasLtCreate", "cublasLtDestroy", share=0.3)
def handles(t: Trial) -> None:
    """Handles are many, and those of cuBLAS serve; NULL and what is no more are refused."""
    some = [t.get("cublasLtCreate", kind=ctypes.c_void_p) for _ in range(3)]
    if len(set(some)) != 3 or not all(some):
        raise WrongError(f"handles are {some}")
    for one in some:
        t.done("cublasLtDestroy", one)
    t.gives(INVALID_VALUE, "cublasLtCreate", 0)
    t.gives(INVALID_VALUE, "cublasLtDestroy", 0)
    if not t.bench.nvidia:
        t.gives(NOT_INITIALIZED, "cublasLtDestroy", some[0])
        t.gives(NOT_INITIALIZED, "cublasLtDestroy", 0x1234)


@procedure("cublasLtGetVersion", "cublasLtGetCudartVersion", "cublasLtGetProperty", share=0.1)
def versions(t: Trial) -> None:
    parts = [t.get("cublasLtGetProperty", kind) for kind in range(3)]
    t.equal("the major version", parts[0], t.bench.major)
    number = int(t.call("cublasLtGetVersion"))
    t.equal("the version", number, parts[0] * 10000 + parts[1] * 100 + parts[2])
    cudart = int(t.call("cublasLtGetCudartVersion"))
    t.equal("the runtime's major version", cudart // 1000, t.bench.major)
    variable = ctypes.c_int()
    for kind in (3, -1):
        t.gives(INVALID_VALUE, "cublasLtGetProperty", kind, ctypes.addressof(variable))
    t.gives(INVALID_VALUE, "cublasLtGetProperty", 0, 0)


@procedure("cublasLtGetStatusName", "cublasLtGetStatusString", share=0.1)
def texts(t: Trial) -> None:
    seen = set()
    for status in (*range(-1, 20), 99):
        address = t.call(t.function.name, status)
        if not address:
            raise WrongError(f"{t.function.name}({status}) answers NULL")
        text = ctypes.string_at(address).decode("ascii", "replace")
        if t.function.name.endswith("Name"):
            t.equal(f"the name of {status}", text, _NAMES.get(status, _UNKNOWN))
        elif status in _NAMES and (text in seen or len(text) < 4):
            raise WrongError(f"the text of {status} is {text!r}")
        seen.add(text)


@procedure("cublasLtHeuristicsCacheGetCapacity", "cublasLtHeuristicsCacheSetCapacity", share=0.1)
def cache(t: Trial) -> None:
    """A number that is kept."""
    get, set_ = "cublasLtHeuristicsCacheGetCapacity", "cublasLtHeuristicsCacheSetCapacity"
    before = t.get(get, kind=ctypes.c_size_t)
    for size in (100, 0, before):
        t.done(set_, size)
        t.equal("the capacity", t.get(get, kind=ctypes.c_size_t), size)
    t.gives(INVALID_VALUE, get, 0)


@procedure(
    "cublasLtLoggerSetLevel", "cublasLtLoggerSetMask", "cublasLtLoggerOpenFile", "cublasLtLoggerSetFile",
    "cublasLtLoggerSetCallback", "cublasLtLoggerForceDisable", share=0.1,
)  # fmt: skip
def log(t: Trial) -> None:
    """Levels from 0 to 5, masks, a file by name; nothing of it disturbs a call."""
    for level in (0, 5, 0):
        t.done("cublasLtLoggerSetLevel", level)
    for level in (-1, 6):
        t.gives(INVALID_VALUE, "cublasLtLoggerSetLevel", level)
    t.done("cublasLtLoggerSetMask", 31)
    t.done("cublasLtLoggerSetMask", 0)
    t.done("cublasLtLoggerSetCallback", 0)
    t.done("cublasLtLoggerSetFile", 0)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "log"
        name = ctypes.create_string_buffer(os.fsencode(path))
        t.done("cublasLtLoggerOpenFile", ctypes.addressof(name))
        with handle(t):
            pass
        if not path.exists():
            raise WrongError("the log's file was not made")
        t.call("cublasLoggerConfigure", 0, 0, 0, 0)
    wrong = ctypes.create_string_buffer(b"/nonexistent/folder/log")
    t.gives(INVALID_VALUE, "cublasLtLoggerOpenFile", ctypes.addressof(wrong))
    if t.function.name.endswith("ForceDisable"):
        t.done("cublasLtLoggerForceDisable")
