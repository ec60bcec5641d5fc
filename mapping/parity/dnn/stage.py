"""The stage: where a procedure makes its calls and states what must come of them.

A procedure is plain Python from top to bottom: descriptors, workspace queries, the call, the claims. The stage gives it
memory (one arena, each operand between guards, everything a sentinel that is not drawn), converts arguments by their kinds,
and can change one argument or one descriptor on the way (the status tests). A call that is refused ends the procedure."""

from __future__ import annotations

import ctypes
import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..oracles.claims import Array, Claim, Expected, Fault, Index, Verdict
from . import corners
from .cases import Case, Change
from .elements import F32, I32, TYPES, U8, Type, draw, fill_sentinel, poison_value
from .names import FORMAT, NOT_SUPPORTED, in_version
from .prototypes import PROTOTYPES, Parameter
from .running import Real
from .subject import Subject

GUARD = 256  # bytes before and behind each operand; also the alignment of its first element
SLACK = 1 << 16  # behind operands whose descriptor is made to lie
LARGE_SPACE = 1 << 22  # a workspace above it lies apart, without guards
LARGEST_SPACE = 1 << 30  # a workspace above it is not worth a test


@dataclass(frozen=True, slots=True)
class Out:
    """A place in host memory for what a call answers."""

    kind: Any
    count: int = 0  # 0: one value


INT, SIZE, POINTER = Out(ctypes.c_int), Out(ctypes.c_size_t), Out(ctypes.c_void_p)
FLOAT, DOUBLE, LONG_INT = Out(ctypes.c_float), Out(ctypes.c_double), Out(ctypes.c_uint64)


def ints(count: int) -> Out:
    return Out(ctypes.c_int, count)


class RefusedError(Exception):
    """A call was not answered with success."""

    def __init__(self, function: str, status: int) -> None:
        super().__init__(f"{function} answers {status}")
        self.function, self.status = function, status


class ReachedError(Exception):
    """The call that a status case changes was made: its answer."""

    def __init__(self, status: int) -> None:
        super().__init__(str(status))
        self.status = status


@dataclass(eq=False)
class Operand:
    """One array of a procedure. `raw` is its memory as stored, guards included; `index` are the elements' places in it."""

    name: str
    type: Type
    io: str  # in, out, inout, or space: memory whose content nobody promises
    raw: Array
    index: Index
    desc: int = 0
    dims: tuple[int, ...] = ()
    offset: int = 0
    on: Operand | None = None  # the operand that it shares memory with

    @property
    def home(self) -> Operand:
        return self.on.home if self.on else self

    @property
    def x(self) -> Array:
        """The elements before the call, dense, in long double."""
        return self.type.decode(self.home.raw[self.index])

    @property
    def start(self) -> int:
        return GUARD // self.type.size

    @property
    def size(self) -> int:
        return int(self.raw.nbytes) - 2 * GUARD

    def coordinates(self, position: int) -> str:
        found = np.argwhere(self.index == position)
        return ", ".join(str(int(i)) for i in found[0]) if len(found) else f"@{position - self.start}"


def packed(dims: Sequence[int]) -> list[int]:
    """Strides without gaps, the last dimension fastest."""
    strides = [1]
    for d in reversed(dims[1:]):
        strides.insert(0, strides[0] * d)
    return strides


def strides_of(dims: Sequence[int], layout: str) -> list[int]:
    """Strides of a named layout.

    `packed` is NCHW; `nhwc` has the channel fastest; `padded` leaves a gap behind each row, plane and image, as a crop of a
    larger tensor has; `spread` takes every second element; `turned` has the last two dimensions exchanged."""
    if layout == "packed":
        return packed(dims)
    if layout == "nhwc":
        order = [0, *range(2, len(dims)), 1]
        strides = [0] * len(dims)
        for place, stride in zip(order, packed([dims[i] for i in order]), strict=True):
            strides[place] = stride
        return strides
    if layout == "turned":
        order = [*range(len(dims) - 2), len(dims) - 1, len(dims) - 2]
        strides = [0] * len(dims)
        for place, stride in zip(order, packed([dims[i] for i in order]), strict=True):
            strides[place] = stride
        return strides
    step, gap = (2, 0) if layout == "spread" else (1, 3)
    strides = [step]
    for d in reversed(dims[1:]):
        strides.insert(0, strides[0] * d + gap)
    return strides


def places(dims: Sequence[int], strides: Sequence[int]) -> Index:
    """Flat places of all elements, counted from the first."""
    index = np.zeros((1,) * len(dims), np.int64)
    for axis, (d, s) in enumerate(zip(dims, strides, strict=True)):
        shape = [1] * len(dims)
        shape[axis] = d
        index = index + (np.arange(d, dtype=np.int64) * s).reshape(shape)
    return index


_SCALARS: dict[str, Callable[[Any], Any]] = {
    "f32": ctypes.c_float,
    "f64": ctypes.c_double,
    "i32": lambda value: ctypes.c_int(int(value)),
}


@dataclass
class Stage:
    """One run of a procedure."""

    subject: Subject
    case: Case
    change: Change | None = None
    scaling: Type = F32  # type of alpha and beta: f64 beside doubles, i32 of a convolution into int32
    operands: dict[str, Operand] = field(default_factory=dict)
    claims: list[Claim] = field(default_factory=list)
    faults: list[Fault] = field(default_factory=list)
    _descriptors: list[tuple[str, int]] = field(default_factory=list)
    _keep: list[Any] = field(default_factory=list)
    _size: int = 0
    _base: int = 0
    _scratch: int = 0
    _begun: bool = False
    _sent: bool = False
    _before: dict[str, Array] = field(default_factory=dict)  # as a changed call found it

    # What the procedure may ask

    @property
    def version(self) -> int:
        """cuDNN's major version: 8 or 9."""
        return self.subject.version

    @property
    def handle(self) -> int:
        return self.subject.handle()

    def corner(self, name: str) -> str:
        """NVIDIA's choice where the manual leaves one: `corners.py`."""
        return corners.choice(name)

    # Descriptors

    def create(self, kind: str) -> int:
        """A descriptor of a kind (`Pooling`, `RNNData` …), not yet set."""
        (descriptor,) = self.host(f"cudnnCreate{kind}Descriptor", **{_made_name(kind): POINTER})
        self._descriptors.append((kind, descriptor))
        return int(descriptor)

    def make(self, kind: str, setter: str, **arguments: Any) -> int:
        """A descriptor of a kind, set with one call: the setter's first parameter is the descriptor."""
        descriptor = self.create(kind)
        self.host(setter, **{PROTOTYPES[setter].parameters[0].name: descriptor}, **arguments)
        return descriptor

    def tensor(
        self,
        name: str,
        type_: Type,
        dims: Sequence[int],
        layout: str = "packed",
        *,
        io: str = "in",
        data: str = "real",
        values: Array | None = None,
        on: Operand | None = None,
        like: Operand | None = None,
    ) -> Operand:
        """A tensor with its descriptor. `on`: it lies on another's memory; `like`: it has another's descriptor."""
        strides = strides_of(dims, layout)
        operand = self.array(name, type_, dims, strides, io=io, data=data, values=values, on=on)
        operand.desc = like.desc if like else self.tensor_descriptor(name, type_, dims, strides)
        return operand

    def tensor_descriptor(self, name: str, type_: Type, dims: Sequence[int], strides: Sequence[int]) -> int:
        """A descriptor of these sizes, unless the case has it lie about them."""
        descriptor = self.create("Tensor")
        lie = self._twist(name, type_, dims)
        if lie == "unset":
            return descriptor
        if lie:
            type_, dims = lie
            strides = packed(dims)
        self.host(
            "cudnnSetTensorNdDescriptor", tensorDesc=descriptor, dataType=type_.number, nbDims=len(dims),
            dimA=list(dims), strideA=list(strides),
        )  # fmt: skip
        return descriptor

    def filter(
        self, name: str, type_: Type, dims: Sequence[int], form: str = "nchw", *, io: str = "in", data: str = "real"
    ) -> Operand:
        """A filter with its descriptor: K, C, taps; `nhwc` has C fastest."""
        strides = strides_of(dims, "nhwc" if form == "nhwc" else "packed")
        operand = self.array(name, type_, dims, strides, io=io, data=data)
        descriptor = self.create("Filter")
        operand.desc = descriptor
        lie = self._twist(name, type_, dims)
        if lie == "unset":
            return operand
        if lie:
            type_, dims = lie
        self.host(
            "cudnnSetFilterNdDescriptor", filterDesc=descriptor, dataType=type_.number, format=FORMAT[form],
            nbDims=len(dims), filterDimA=list(dims),
        )  # fmt: skip
        return operand

    def _twist(self, name: str, type_: Type, dims: Sequence[int]) -> Any:
        """A descriptor that lies, for the status tests: None, `unset`, or (type, dims)."""
        if not self.change or not self.change.twist or self.change.twist[0] != name:
            return None
        what = self.change.twist[1]
        if what == "unset":
            return what
        if what == "type":
            return TYPES["f64" if type_.name == "f32" else "f32"], list(dims)
        if what == "rank":
            return type_, [*dims, 1]
        axis = int(what.removeprefix("dim"))
        return type_, [d + (i == axis) for i, d in enumerate(dims)]

    # Memory

    def array(
        self,
        name: str,
        type_: Type,
        dims: Sequence[int],
        strides: Sequence[int] | None = None,
        *,
        io: str = "in",
        data: str = "real",
        values: Array | None = None,
        on: Operand | None = None,
    ) -> Operand:
        """Device memory without a descriptor. What is read is drawn, or given as `values`."""
        start = GUARD // type_.size
        index = start + places(dims, packed(dims) if strides is None else strides)
        if on is not None:
            operand = Operand(name, type_, io, on.home.raw, index, dims=tuple(dims), on=on)
            if io != "in":
                on.home.io = "inout"
            self.operands[name] = operand
            return operand
        extent = int(index.max(initial=start)) + 1 - start
        slack = (SLACK if self.change else 0) // type_.size
        operand = self._place(name, type_, io, extent + slack, index)
        operand.dims = tuple(dims)
        if io in ("in", "inout"):
            if values is None:
                seed = np.random.SeedSequence([self.case.seed, zlib.crc32(name.encode())])
                stored = draw(np.random.Generator(np.random.PCG64(seed)), index.size, type_, data)
                operand.raw[index.ravel()] = stored
            else:
                operand.raw[index] = type_.encode(values)
            for who, position, kind in self.case.poison:
                if who == name and index.size:
                    place = index.ravel()[position % index.size]
                    operand.raw[place] = type_.encode(np.asarray(poison_value(kind, type_)))
        return operand

    def numbers(self, name: str, values: Sequence[int]) -> Operand:
        """32-bit integers in device memory."""
        return self.array(name, I32, [len(values)], values=np.asarray(values, np.int32))

    def space(self, name: str, size: int) -> Operand | None:
        """A workspace or reserve space of `size` bytes; None for none. Only what lies around it must stay."""
        if size > LARGEST_SPACE:
            raise RefusedError(f"a workspace of {size} bytes", in_version(NOT_SUPPORTED, self.version))
        if not size:
            return None
        if size > LARGE_SPACE:  # not worth carrying back and forth
            operand = Operand(name, U8, "scratch", np.empty(0, np.uint8), np.zeros(0, np.int64), offset=self._scratch)
            self._scratch += -(-size // GUARD) * GUARD
            return operand
        return self._place(name, U8, "space", size, np.arange(GUARD, GUARD + size, dtype=np.int64))

    def _place(self, name: str, type_: Type, io: str, count: int, index: Index) -> Operand:
        if self._begun:
            raise AssertionError(f"{name} is declared after the first call on the device")
        if name in self.operands:
            raise AssertionError(f"{name} is declared twice")
        raw = np.empty(2 * GUARD // type_.size + -(-count * type_.size // GUARD) * GUARD // type_.size, type_.dtype)
        fill_sentinel(raw, type_)
        operand = Operand(name, type_, io, raw, index, offset=self._size)
        self._size += raw.nbytes
        self.operands[name] = operand
        return operand

    def address(self, operand: Operand) -> int:
        """Where an operand's first element lies on the device. No operand can be declared any more."""
        if operand.io == "scratch":
            return self.subject.scratch.reserve(self._scratch) + operand.offset
        if not self._base:
            self._base = self.subject.memory.reserve(max(self._size, 1))
            self._begun = True
        return self._base + operand.home.offset + GUARD

    # Calls

    def host(self, name: str, **arguments: Any) -> tuple[Any, ...]:
        """A call that computes nothing on the device; what it answers in its `Out` places, in C's order."""
        return self._call(name, arguments)

    def size(self, name: str, **arguments: Any) -> int:
        """A query that answers one size."""
        (value,) = self._call(name, arguments)
        return int(value)

    def run(self, name: str, **arguments: Any) -> None:
        """A call on device memory, which is filled before the first of them."""
        self.upload()
        self._call(name, arguments)

    def upload(self) -> None:
        """Fill device memory: once, before the first call that computes."""
        if self._sent or not self.operands:
            return
        self.address(next(iter(self.operands.values())))
        area = np.empty(self._size, np.uint8)
        for operand in self._homes():
            area[operand.offset : operand.offset + operand.raw.nbytes] = operand.raw.view(np.uint8)
        self.subject.memory.upload(area)
        self._sent = True

    def fetch(self) -> dict[str, Array]:
        """All operands' memory as it is now, as stored."""
        area = np.empty(max(self._size, 1), np.uint8)
        if self._sent:
            self.subject.memory.download(area)
            return {o.name: area[o.offset : o.offset + o.raw.nbytes].view(o.type.dtype).copy() for o in self._homes()}
        return {o.name: o.raw.copy() for o in self._homes()}

    def dense(self, operand: Operand, state: dict[str, Array] | None = None) -> Array:
        """An operand's elements as they are now on the device, or in a state that `fetch` answered."""
        state = self.fetch() if state is None else state
        return operand.type.decode(state[operand.home.name][operand.index])

    def _homes(self) -> list[Operand]:
        return [o for o in self.operands.values() if o.on is None]

    def _call(self, name: str, arguments: dict[str, Any]) -> tuple[Any, ...]:
        prototype = PROTOTYPES[name]
        stray = set(arguments) - {p.name for p in prototype.parameters}
        if stray:
            raise AssertionError(f"{name} has no parameter {', '.join(sorted(stray))}")
        changed = self.change is not None and self.change.function == name
        outs: list[tuple[Out, Any]] = []
        passed = []
        for parameter in prototype.parameters:
            if changed and self.change and parameter.name in self.change.replaced:
                passed.append(self.change.replaced[parameter.name])
                continue
            if parameter.name not in arguments and parameter.kind != "h":
                raise AssertionError(f"{name} needs {parameter.name}")
            passed.append(self._argument(parameter, arguments.get(parameter.name), outs))
        if changed:
            self._before = self.fetch()
        answer = self.subject.call(name, passed)
        if prototype.result:
            if changed:
                raise ReachedError(0)
            return (answer,)
        if changed:
            raise ReachedError(int(answer))
        if answer:
            raise RefusedError(name, int(answer))
        return tuple(_taken(out, place) for out, place in outs)

    def _argument(self, parameter: Parameter, value: Any, outs: list[tuple[Out, Any]]) -> Any:
        kind = parameter.kind
        if kind == "h":
            return self.handle if value is None else value
        if isinstance(value, Out):
            place = (value.kind * max(value.count, 1))()
            outs.append((value, place))
            return ctypes.addressof(self._held(place))
        if value is None:
            return 0
        if isinstance(value, Operand):
            return value.desc if kind == "d" else self.address(value)
        if kind == "s" and isinstance(value, (int, float)):
            return ctypes.addressof(self._held(_SCALARS[self.scaling.name](value)))
        if isinstance(value, np.ndarray):
            return int(self._held(np.ascontiguousarray(value)).ctypes.data)
        if kind == "a" and isinstance(value, (list, tuple)):
            return ctypes.addressof(self._held((ctypes.c_int * max(len(value), 1))(*value)))
        return value

    def _held(self, thing: Any) -> Any:
        self._keep.append(thing)
        return thing

    # Claims

    def claim(self, operand: Operand, result: Real) -> None:
        """The elements of an operand must become these values."""
        shape = operand.index.shape
        self.claims.append(
            Real(np.broadcast_to(result.v, shape), np.broadcast_to(result.e, shape), result.u).expected(
                operand.home.name, operand.index
            )
        )

    def claim_exact(self, operand: Operand, values: Array) -> None:
        """The same numbers, without error."""
        values = np.broadcast_to(np.asarray(values), operand.index.shape)
        self.claims.append(Expected(operand.home.name, operand.index, values, np.zeros(operand.index.shape)))

    def leave_open(self, operand: Operand, index: Index | None = None) -> None:
        """Nothing is promised about these elements."""
        index = operand.index if index is None else index
        nothing: Array = np.zeros(index.shape)
        self.claims.append(Expected(operand.home.name, index, nothing, nothing + np.inf))

    def check(self, holds: bool, what: str) -> None:
        """Something that must be true beside the numbers."""
        if not holds:
            self.faults.append(Fault("", -1, what))

    def verdict(self) -> Verdict:
        """Judge all claims, then that every element that no claim speaks about kept its bits."""
        after = self.fetch()
        decoded = {name: self.operands[name].type.decode(raw) for name, raw in after.items()}
        faults = list(self.faults)
        error = 0.0
        for claim in self.claims:
            found = claim.faults(decoded)
            faults += found
            if not found:
                error = max(error, claim.error(decoded))
        strays: list[Fault] = []
        for operand in self._homes():
            old, new = operand.raw, after[operand.name]
            size = operand.type.size
            kept = (old.view(np.uint8).reshape(-1, size) == new.view(np.uint8).reshape(-1, size)).all(axis=1)
            if operand.io == "space":
                kept[operand.index] = True
            for claim in self.claims:
                for name, index in claim.touches().items():
                    if name == operand.name:
                        kept[index.ravel()] = True
            strays += [
                Fault(operand.name, int(i), f"must stay untouched, was {old[i]}, is {new[i]}")
                for i in np.flatnonzero(~kept)[:4]
            ]
        return Verdict(tuple(faults), 0.0 if faults else error, tuple(strays))

    def altered(self) -> list[str]:
        """Operands that a refused call changed; the calls before it may have."""
        before, after = self._before, self.fetch()
        return [
            f"{o.name} was changed"
            for o in self._homes()
            if o.io != "space" and not np.array_equal(before[o.name].view(np.uint8), after[o.name].view(np.uint8))
        ]

    def reads_undescribed(self) -> str:
        """The name of an operand whose oracle met a sentinel: the procedure describes less than it reads."""
        if self.case.poison:
            return ""
        for claim in self.claims:
            if isinstance(claim, Expected) and claim.values.dtype.kind == "f":
                lost = ~np.isfinite(claim.values) & ~np.isinf(claim.bound)
                if lost.any():
                    return claim.array
        return ""

    def close(self) -> None:
        """Destroy what was created."""
        for kind, descriptor in reversed(self._descriptors):
            self.subject.call(f"cudnnDestroy{kind}Descriptor", [descriptor])
        self._descriptors.clear()


def _made_name(kind: str) -> str:
    return PROTOTYPES[f"cudnnCreate{kind}Descriptor"].parameters[0].name


def _taken(out: Out, place: Any) -> Any:
    if out.count:
        return list(place)
    return place[0] or 0


__all__ = [
    "DOUBLE", "FLOAT", "GUARD", "INT", "LONG_INT", "POINTER", "SIZE", "Operand", "Out", "ReachedError", "RefusedError",
    "Stage", "ints", "packed", "places", "strides_of",
]  # fmt: skip
