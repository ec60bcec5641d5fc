"""What a handle remembers: set, read back, refused, and what a later call does with it.

A new handle's values are those that NVIDIA's library was seen to give. Each trial has handles of its own: a second one must
keep its defaults whatever the first is told.
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..oracles import Array, Claim, Expected
from ..oracles.claims import LONG, gamma
from ..oracles.typed import product_claims
from .registry import procedure
from .trial import INVALID_VALUE, NOT_INITIALIZED, Area, Trial, WrongError

_MANY_STREAMS = 40  # more than a handle keeps apart
_LARGEST = 160  # multiprocessors of NVIDIA's largest device
_FACTORS = (2.0, 0.5, -1.0, 4.0)


def _vector(t: Trial, count: int = 13) -> Array:
    return t.rng.integers(-50, 50, count).astype(np.float32)


def _floats(*values: float) -> Array:
    return np.array(values, np.float32)


def _host_float(t: Trial, value: float) -> int:
    made = ctypes.c_float(value)
    t.kept.append(made)
    return ctypes.addressof(made)


# ---- where scalars are


@procedure("cublasSetPointerMode", "cublasGetPointerMode")
def pointer_mode(t: Trial) -> None:
    """Factors and results are looked for where the mode says, and nowhere else."""
    scale = t.one_of(_FACTORS)
    area = t.area(x=_vector(t), alpha=_floats(scale), result=_floats(77))
    with t.handle() as handle, t.handle() as other:
        _read_and_refused(t, "PointerMode", "_v2", handle, other, 0, (0, 1), (2, -1, 1000))
        for _ in range(3):
            mode = t.one_of((0, 1))
            t.done("cublasSetPointerMode_v2", handle, mode)
            t.equal("the pointer mode", t.get("cublasGetPointerMode_v2", handle), mode)
            x = area.now("x")
            t.scaled(handle, scale, area, "x", area.at("alpha") if mode else _host_float(t, scale))
            total = np.abs(x * np.float32(scale)).sum()  # whole numbers and halves of them: exact in any order
            found = ctypes.c_float(77)
            place = area.at("result") if mode else ctypes.addressof(found)
            t.done("cublasSasum_v2", handle, len(x), area.at("x"), 1, place)
            got = float(area.now("result")[0]) if mode else found.value
            t.equal(f"cublasSasum's result in pointer mode {mode}", got, float(total))
            t.done("cublasSscal_v2", other, 1, _host_float(t, 1.0), area.at("x"), 1)


# ---- what may differ between two runs, and by how much


@procedure("cublasSetAtomicsMode", "cublasGetAtomicsMode", share=0.5)
def atomics_mode(t: Trial) -> None:
    """Without atomic additions two calls give the same bits; with them the same numbers within the bound of any order."""
    n = t.one_of((67, 131, 33))
    a, x = (t.rng.standard_normal(count).astype(np.float32) for count in (n * n, n))
    full = np.tril(a.reshape(n, n).T.astype(LONG))
    full = full + np.tril(full, -1).T
    wanted = (full * x.astype(LONG)).sum(axis=1)
    limit = gamma(n + 2, 2.0**-24) * (np.abs(full) * np.abs(x.astype(LONG))).sum(axis=1)
    with t.handle() as handle, t.handle() as other:
        _read_and_refused(t, "AtomicsMode", "", handle, other, 0, (0, 1), (2, -1))
        for mode in (1, 0):
            t.done("cublasSetAtomicsMode", handle, mode)
            found = []
            for _ in range(2):
                area = t.area(a=a, x=x, y=np.zeros(n, np.float32))
                one, none = _host_float(t, 1.0), _host_float(t, 0.0)
                t.done("cublasSsymv_v2", handle, 0, n, one, area.at("a"), n, area.at("x"), 1, none, area.at("y"), 1)
                found.append(area.now("y"))
                if not (np.abs(found[-1] - wanted) <= limit).all():
                    raise WrongError(f"cublasSsymv is off by more than its bound in atomics mode {mode}")
            if mode == 0 and found[0].tobytes() != found[1].tobytes():
                raise WrongError("two equal calls differ although atomic additions are not allowed")


# CUBLAS_DEFAULT_MATH, TENSOR_OP (which may cut to half precision), PEDANTIC, TF32: the compute type that bounds the error.
_MATH = {0: 68, 1: 74, 2: 68, 3: 77}
_NO_REDUCED = 16  # CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION, beside any of them


@procedure("cublasSetMathMode", "cublasGetMathMode")
def math_mode(t: Trial) -> None:
    """A mode may cut operands and another may not: each product is within the bound of the mode that is set."""
    m, n, k = (t.one_of((5, 7, 16, 33)) for _ in range(3))
    with t.handle() as handle, t.handle() as other:
        _read_and_refused(t, "MathMode", "", handle, other, 0, (*_MATH, 17, 19, 31), (32, 64, -1))
        for mode in (t.one_of((1, 3)), t.one_of((0, 2)) + t.one_of((0, _NO_REDUCED))):
            t.done("cublasSetMathMode", handle, mode)
            _product(t, handle, (m, n, k), _MATH[mode & 15])


def _product(t: Trial, handle: int, shape: tuple[int, int, int], compute: int = 68) -> None:
    """One product of floats, judged by GemmEx's oracle."""
    m, n, k = shape
    a, b, c = (t.rng.standard_normal(count).astype(np.float32) for count in (m * k, k * n, m * n))
    area = t.area(A=a, B=b, C=c)
    alpha, beta = 1.0, 0.5
    t.done(
        "cublasSgemm_v2", handle, 0, 0, m, n, k, _host_float(t, alpha), area.at("A"), m, area.at("B"), k,
        _host_float(t, beta), area.at("C"), m,
    )  # fmt: skip
    claims = product_claims("C", 0, 0, m, n, k, np.float32(alpha), a, m, b, k, np.float32(beta), c, m, compute)
    t.error = max(t.error, area.judged(claims))


# ---- which part of the device


@procedure("cublasSetSmCountTarget", "cublasGetSmCountTarget", share=0.5)
def multiprocessors(t: Trial) -> None:
    """0 to as many as the device has; the numbers stay right."""
    there = _device_attribute(t, 16)
    with t.handle() as handle, t.handle() as other:
        given = (1, there, int(t.rng.integers(1, there + 1)), 0)
        # Ours takes as many as NVIDIA's largest device has, whatever the device: programs choose by those.
        most = there if t.bench.nvidia else max(there, _LARGEST)
        _read_and_refused(t, "SmCountTarget", "", handle, other, 0, (*given, most), (most + 1, 1 << 20, -1, -1000))
        t.done("cublasSetSmCountTarget", handle, int(t.rng.integers(1, there + 1)))
        _product(t, handle, (7, 5, 11))


def _device_attribute(t: Trial, which: int) -> int:
    found = ctypes.c_int()
    t.done("cudaDeviceGetAttribute", ctypes.addressof(found), which, 0)
    return found.value


# ---- memory to work in


@procedure("cublasSetWorkspace")
def workspace(t: Trial) -> None:
    """Work is done in the memory that was given and in no byte beside it; without any, calls are right all the same."""
    size = t.one_of((0, 1, 64, 256, 4096, 65536))
    skew = t.one_of((0, 1, 8, 128))
    n, count = t.one_of((3, 5, 16)), t.one_of((1, 2, 7))
    powers = [2.0 ** t.rng.integers(-3, 4, n) for _ in range(count)]  # inverses of diagonal matrices: exact
    members = {f"a[{i}]": np.diag(p).astype(np.float32).ravel() for i, p in enumerate(powers)}
    members |= {f"x[{i}]": np.full(n * n, np.nan, np.float32) for i in range(count)}
    lists = {"as": [f"a[{i}]" for i in range(count)], "xs": [f"x[{i}]" for i in range(count)]}
    area = t.area(pointers=lists, workspace=t.bytes(skew + size), info=np.full(count, 99, np.int32), **members)
    with t.handle() as handle:
        t.gives(NOT_INITIALIZED, "cublasSetWorkspace_v2", 0, area.at("workspace"), size)
        t.done("cublasSetWorkspace_v2", handle, area.at("workspace") + skew, size)
        arguments = (n, area.at("as"), n, area.at("xs"), n, area.at("info"), count)
        t.done("cublasSmatinvBatched", handle, *arguments)
        every = np.arange(n * n)
        wanted: list[Claim] = [
            Expected(f"x[{i}]", every, np.diag(1 / p).ravel(), np.zeros(n * n)) for i, p in enumerate(powers)
        ]
        wanted.append(Expected("info", np.arange(count), np.zeros(count, np.int32), np.zeros(count)))
        area.judged(wanted, free=("workspace",), skip=skew)
        # SetStream brings the library's own back: the program may take its memory for something else.
        t.done("cublasSetStream_v2", handle, 0)
        fresh = t.area(pointers=lists, workspace=t.bytes(skew + size), info=np.full(count, 99, np.int32), **members)
        t.done("cublasSmatinvBatched", handle, n, fresh.at("as"), n, fresh.at("xs"), n, fresh.at("info"), count)
        fresh.judged(wanted)
        t.done("cublasSetWorkspace_v2", handle, 0, 0)
        _product(t, handle, (5, 3, 7))


# ---- the order of work


@procedure("cublasSetStream", "cublasGetStream")
def streams(t: Trial) -> None:
    """The stream that was set is read back, what was set before holds on each, and each computes."""
    count = _MANY_STREAMS if t.number == 0 else t.one_of((1, 2, 3))
    own = [t.new_stream() for _ in range(count)]
    scale, x = t.one_of((-1.0, 1.0)), _vector(t)  # neither grows, however many streams there are
    area = t.area(x=x, alpha=_floats(scale))
    with t.handle() as handle, t.handle() as other:
        t.equal("a new handle's stream", t.get("cublasGetStream_v2", handle, kind=ctypes.c_void_p), 0)
        mode = 0
        for stream in (*own, 0, 1, 2, *own[::-1], own[0]):
            if t.chance():
                mode = t.one_of((0, 1))
                t.done("cublasSetPointerMode_v2", handle, mode)
            t.done("cublasSetStream_v2", handle, stream)
            t.equal("the stream", t.get("cublasGetStream_v2", handle, kind=ctypes.c_void_p), stream)
            t.equal("the pointer mode on another stream", t.get("cublasGetPointerMode_v2", handle), mode)
            alpha = area.at("alpha") if mode else _host_float(t, scale)
            wanted = area.now("x") * np.float32(scale)
            t.done("cublasSscal_v2", handle, len(x), alpha, area.at("x"), 1)
            t.done("cudaStreamSynchronize", stream)
            t.same("x on a stream of its own", area.now("x"), wanted)
        t.equal("another handle's stream", t.get("cublasGetStream_v2", other, kind=ctypes.c_void_p), 0)
        t.gives(INVALID_VALUE, "cublasGetStream_v2", handle, 0)
        t.gives(NOT_INITIALIZED, "cublasSetStream_v2", 0, own[0])
        t.done("cublasSetStream_v2", handle, 0)
        _captured(t, handle, own[0], area)
    for stream in own:
        t.done("cudaStreamDestroy", stream)


def _captured(t: Trial, handle: int, stream: int, area: Area) -> None:
    """Work under capture is not done: nothing changes if, and only if, it went to the stream that is captured."""
    before = area.now("x")
    t.done("cublasSetPointerMode_v2", handle, 0)
    t.done("cudaStreamBeginCapture", stream, 2)  # relaxed
    t.done("cublasSetStream_v2", handle, stream)
    t.done("cublasSscal_v2", handle, len(before), _host_float(t, 2.0), area.at("x"), 1)
    graph = ctypes.c_void_p()
    t.done("cudaStreamEndCapture", stream, ctypes.addressof(graph))
    t.call("cudaGraphDestroy", graph.value)
    t.done("cublasSetStream_v2", handle, 0)
    t.same("x after a call that was captured", area.now("x"), before)


# ---- emulation of wide types

_EMULATION: dict[str, tuple[int, Sequence[int], Sequence[int]]] = {  # default, what is taken, what is not
    "EmulationStrategy": (0, (1, 2, 0), (3, -1)),
    "EmulationSpecialValuesSupport": (0xFFFF, (0, 1, 2, 3, 7, 0xFFFF), (-1,)),
    "FixedPointEmulationMantissaControl": (0, (1, 0), (2, -1)),
    "FixedPointEmulationMaxMantissaBitCount": (0, (1, 52, 53, 79, 1000, 0), (-1,)),
    "FixedPointEmulationMantissaBitOffset": (0, (1, -1, 8, -64, 1000, 0), ()),
}
_POINTER = "FixedPointEmulationMantissaBitCountPointer"


@procedure(*(f"cublas{verb}{what}" for what in (*_EMULATION, _POINTER) for verb in ("Set", "Get")), share=0.3)
def emulation(t: Trial) -> None:
    """Each setting by itself: none of the others moves, and products stay within the bound of their own type."""
    what = t.function.entry.key[len("cublasSet") :]
    others = [w for w in _EMULATION if w != what and _there(t, f"cublasGet{w}")]
    with t.handle() as handle, t.handle() as other:
        if what == _POINTER:
            area = t.area(count=np.full(1, 77, np.int32))
            t.equal("the pointer of a new handle", t.get(f"cublasGet{what}", handle, kind=ctypes.c_void_p), 0)
            for place in (area.at("count"), 0, area.at("count")):
                t.done(f"cublasSet{what}", handle, place)
                t.equal("the pointer", t.get(f"cublasGet{what}", handle, kind=ctypes.c_void_p), place)
            t.equal("another's pointer", t.get(f"cublasGet{what}", other, kind=ctypes.c_void_p), 0)
            t.gives(INVALID_VALUE, f"cublasGet{what}", handle, 0)
            t.done(f"cublasSet{what}", handle, 0)
        else:
            default, given, refused = _EMULATION[what]
            _read_and_refused(t, what, "", handle, other, default, given, refused)
            t.done(f"cublasSet{what}", handle, t.one_of(given) if not t.bench.nvidia else default)
        for name in others:
            t.equal(f"cublasGet{name} beside it", t.get(f"cublasGet{name}", handle), _EMULATION[name][0])
        _product(t, handle, (5, 7, 3))


def _there(t: Trial, name: str) -> bool:
    function = t.bench.tables.function(name, "cublas")
    return function is not None and t.bench.major in function.majors


# ---- what all of them have in common


def _read_and_refused(
    t: Trial,
    what: str,
    ending: str,
    handle: int,
    other: int,
    default: int,
    given: Sequence[int],
    refused: Sequence[Any],
) -> None:
    """The default, what is set and read back, what is refused and changes nothing; another handle keeps its default."""
    setter, getter = f"cublasSet{what}{ending}", f"cublasGet{what}{ending}"
    t.equal(f"{getter} of a new handle", t.get(getter, handle), default)
    for value in (t.one_of(given), t.one_of(given), *given):
        t.done(setter, handle, value)
        t.equal(f"{getter} after {value}", t.get(getter, handle), value)
        for wrong in refused:
            t.gives(INVALID_VALUE, setter, handle, wrong)
            t.equal(f"{getter} after {wrong}, which was refused,", t.get(getter, handle), value)
        t.equal(f"{getter} of another handle", t.get(getter, other), default)
    t.gives(INVALID_VALUE, getter, handle, 0)
    t.gives(NOT_INITIALIZED, setter, 0, given[0])
    found = ctypes.c_int(77)
    t.gives(NOT_INITIALIZED, getter, 0, ctypes.addressof(found))
    t.equal(f"what {getter} wrote for no handle", found.value, 77)
    t.done(setter, handle, default)
