"""Small questions to the helpers of cuBLAS and to the runtime: one call after the other, and what each answers.

A group is one new process. A step is `[function, arguments, status, what was written]`; what differs between machines
(addresses, sizes of a card) is kept as `set` or `untouched`."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ..elements import DTYPES
from ..oracles import Array
from ..oracles.claims import BF16, from_bfloat16, to_elements
from .libraries import NAMES

Step = list[Any]
Group = Callable[["Tongue"], None]
GROUPS: dict[str, Group] = {}
_FILL = 0x5A


def group(function: Group) -> Group:
    GROUPS[function.__name__.strip("_")] = function
    return function


@dataclass(frozen=True, slots=True)
class Out:
    """A variable that the call writes. `hidden`: only whether it was written is kept."""

    kind: Any = ctypes.c_int
    hidden: bool = False


@dataclass(frozen=True, slots=True)
class At:
    """An address, by a name that means the same on each machine."""

    name: str
    address: int


@dataclass(frozen=True, slots=True)
class Bytes:
    """A number of bytes (size_t)."""

    count: int


@dataclass(frozen=True, slots=True)
class Data:
    """Device memory that holds these elements; what it holds after the call is kept, unless that is nobody's promise."""

    values: Sequence[complex]
    kind: str = "f32"
    kept: bool = True


@dataclass(frozen=True, slots=True)
class Host:
    """The same in host memory."""

    values: Sequence[complex]
    kind: str = "f32"
    kept: bool = True


@dataclass(frozen=True, slots=True)
class Members:
    """An array on the device of the addresses of others there."""

    members: Sequence[Data]


class Tongue:
    """Calls functions by name and tells what came of it."""

    def __init__(
        self,
        folder: Path,
        major: int,
        tell: Callable[[dict[str, Any]], None],
        note: Callable[[int], None] = lambda i: None,
        skip: set[int] | None = None,
    ) -> None:
        names = {key: name.replace("13", "11.0" if major == 11 and key == "cudart" else str(major))
                 for key, name in NAMES.items()}  # fmt: skip
        self.major = major
        self._libraries = {key: ctypes.CDLL(str(folder / name)) for key, name in names.items()}
        self._tell, self._note, self._skip = tell, note, skip or set()
        self._at = 0
        self._handle = 0
        self._area = 0

    @property
    def handle(self) -> At:
        if not self._handle:
            made = ctypes.c_void_p()
            self._libraries["cublas"].cublasCreate_v2(ctypes.byref(made))
            self._handle = made.value or 0
        return At("handle", self._handle)

    @property
    def device(self) -> At:
        """1 MiB of device memory."""
        if not self._area:
            made = ctypes.c_void_p()
            self._libraries["cudart"].cudaMalloc(ctypes.byref(made), ctypes.c_size_t(1 << 20))
            self._area = made.value or 0
        return At("device", self._area)

    def make(self, function: str, *arguments: Any) -> int:
        """Something to ask with, by a call that is not kept: the address that it writes first."""
        made = ctypes.c_void_p()
        entry = getattr(self._library(function), function)
        entry(ctypes.byref(made), *(_plain(a) for a in arguments))
        return made.value or 0

    def _library(self, function: str) -> Any:
        return self._libraries["cudart" if function.startswith("cuda") else "cublas"]

    def ask(self, function: str, *arguments: Any, result: Any = ctypes.c_int) -> Any:
        """One step. Answers what the call returned, or None where it did not return or is not there."""
        at, self._at = self._at, self._at + 1
        words = [_word(a) for a in arguments]
        if at in self._skip:
            self._tell({"step": [function, words, "crash", []], "at": at})
            return None
        try:
            entry = getattr(self._library(function), function)
        except AttributeError:
            self._tell({"step": [function, words, "missing", []], "at": at})
            return None
        given: list[Any] = []
        written: list[tuple[Out, Any]] = []
        memory = _Memory(self) if any(isinstance(a, (Data, Host, Members)) for a in arguments) else None
        for argument in arguments:
            if memory and isinstance(argument, (Data, Host, Members)):
                given.append(ctypes.c_void_p(memory.place(argument)))
            elif isinstance(argument, Out):
                variable = argument.kind()
                ctypes.memset(ctypes.byref(variable), _FILL, ctypes.sizeof(variable))
                written.append((argument, variable))
                given.append(ctypes.byref(variable))
            else:
                given.append(_plain(argument))
        entry.restype = result
        self._note(at)
        answer = entry(*given)
        if isinstance(answer, bytes):
            answer = answer.decode("utf-8", "replace")
        found = [_written(o, v) for o, v in written] + (memory.now() if memory else [])
        self._tell({"step": [function, words, answer, found], "at": at})
        return answer


class _Memory:
    """The arrays of one step, each in a slot of its own."""

    _SLOT = 256
    _TO_DEVICE, _TO_HOST = 1, 2

    def __init__(self, tongue: Tongue) -> None:
        self._next = tongue.device.address
        self._runtime = tongue._library("cuda")
        self._places: list[tuple[int, Data | Host, Array, str]] = []

    def place(self, argument: Data | Host | Members) -> int:
        """Its address, with its elements there."""
        if isinstance(argument, Members):
            return self._upload(np.array([self.place(member) for member in argument.members], np.uint64))
        array = to_elements(argument.values, DTYPES[argument.kind])
        address = int(array.ctypes.data) if isinstance(argument, Host) else self._upload(array)
        self._places.append((address, argument, array, _elements(_numbers(array))))
        return address

    def _upload(self, array: Array) -> int:
        address, self._next = self._next, self._next + self._SLOT
        self._copy(address, int(array.ctypes.data), array.nbytes, self._TO_DEVICE)
        return address

    def _copy(self, to: int, source: int, size: int, way: int) -> None:
        self._runtime.cudaMemcpy(ctypes.c_void_p(to), ctypes.c_void_p(source), ctypes.c_size_t(size), way)

    def now(self) -> list[str]:
        """What the arrays hold, in the order in which they were placed."""
        found = []
        for address, argument, array, before in self._places:
            if argument.kept:
                if isinstance(argument, Data):
                    self._copy(int(array.ctypes.data), address, array.nbytes, self._TO_HOST)
                now = _elements(_numbers(array))
                found.append("same" if now == before else now)
        return found


def _numbers(array: Array) -> list[complex]:
    found: list[complex] = (from_bfloat16(array) if array.dtype == BF16 else array).tolist()
    return found


def _elements(values: Sequence[complex]) -> str:
    """To six digits: a rounding is no difference."""
    return f"[{' '.join(_element(v) for v in values)}]"


def _element(value: Any) -> str:
    if isinstance(value, complex):
        return f"{_element(value.real)},{_element(value.imag)}"
    return "nan" if value != value else f"{value:.6g}"


def _plain(argument: Any) -> Any:
    if argument is None:
        return ctypes.c_void_p()
    if isinstance(argument, At):
        return ctypes.c_void_p(argument.address)
    if isinstance(argument, Bytes):
        return ctypes.c_size_t(argument.count)
    if isinstance(argument, int):
        return ctypes.c_int(argument)
    return argument


def _word(argument: Any) -> str:
    if argument is None:
        return "NULL"
    if isinstance(argument, At):
        return argument.name
    if isinstance(argument, (Data, Host)):
        return _elements(argument.values)
    if isinstance(argument, Members):
        return " ".join(_word(member) for member in argument.members)
    if isinstance(argument, Bytes):
        return str(argument.count)
    if isinstance(argument, Out):
        return "out"
    return str(getattr(argument, "value", argument))


def _written(out: Out, variable: Any) -> Any:
    raw = bytes(variable)
    if raw == bytes([_FILL]) * len(raw):
        return "untouched"
    if out.hidden:
        return "set"
    value = variable.value if hasattr(variable, "value") else raw.hex()
    return value.decode("latin-1") if isinstance(value, bytes) else value


INT, SIZE, POINTER = Out(), Out(ctypes.c_size_t), Out(ctypes.c_void_p, hidden=True)
MEASURE = Out(ctypes.c_size_t, hidden=True)


def versions(t: Tongue) -> dict[str, Any]:
    """What answers, in numbers and without a name of the machine but the card's."""
    found: dict[str, Any] = {}
    for key, function in (("runtime", "cudaRuntimeGetVersion"), ("driver", "cudaDriverGetVersion")):
        number = ctypes.c_int()
        getattr(t._library(function), function)(ctypes.byref(number))
        found[key] = number.value
    number = ctypes.c_int()
    t._library("cublas").cublasGetVersion_v2(ctypes.c_void_p(t.handle.address), ctypes.byref(number))
    found["cublas"] = number.value
    properties = ctypes.create_string_buffer(1 << 14)
    if t._library("cuda").cudaGetDeviceProperties(properties, 0) == 0:
        found["card"] = properties.value.decode("ascii", "replace")
    return found


# ---- cuBLAS's helpers


@group
def math_modes(t: Tongue) -> None:
    for mode in (*range(34), 63, 64, 255, -1):
        t.ask("cublasSetMathMode", t.handle, mode)
        t.ask("cublasGetMathMode", t.handle, INT)
    t.ask("cublasGetMathMode", t.handle, None)


@group
def modes(t: Tongue) -> None:
    for what in ("PointerMode_v2", "AtomicsMode"):
        for mode in (1, 2, -1, 0):
            t.ask(f"cublasSet{what}", t.handle, mode)
            t.ask(f"cublasGet{what}", t.handle, INT)
        t.ask(f"cublasGet{what}", t.handle, None)
        t.ask(f"cublasSet{what}", None, 0)
        t.ask(f"cublasGet{what}", None, INT)


@group
def multiprocessors(t: Tongue) -> None:
    t.ask("cublasGetSmCountTarget", t.handle, INT)
    for count in (1, 0, 2, 64, 100, 132, 133, 264, 1000, 1 << 20, (1 << 31) - 1, -1, -2, -1000):
        t.ask("cublasSetSmCountTarget", t.handle, count)
        t.ask("cublasGetSmCountTarget", t.handle, INT)
    t.ask("cublasGetSmCountTarget", t.handle, None)
    t.ask("cublasSetSmCountTarget", None, 1)


@group
def workspace(t: Tongue) -> None:
    d = t.device.address
    for name, address in (("NULL", 0), ("device", d), ("device + 8", d + 8), ("device + 128", d + 128),
                          ("device + 256", d + 256)):  # fmt: skip
        for size in (0, 1, 255, 256, 1024, 4096, 65536, 65792, 1 << 19):
            t.ask("cublasSetWorkspace_v2", t.handle, At(name, address), Bytes(size))
    t.ask("cublasSetWorkspace_v2", None, At("device", d), Bytes(65536))


@group
def streams_of_handles(t: Tongue) -> None:
    made = At("stream", t.make("cudaStreamCreate"))
    for stream in (made, None, At("1", 1), At("2", 2), made):
        t.ask("cublasSetStream_v2", t.handle, stream)
        t.ask("cublasGetStream_v2", t.handle, POINTER)
    t.ask("cublasGetStream_v2", t.handle, None)
    t.ask("cublasSetStream_v2", None, made)


@group
def strings(t: Tongue) -> None:
    for number in (2, 4, 5, 6, 9, 10, 12, 17, 18, 99, 1000, -1):
        for function in ("cublasGetStatusName", "cublasGetStatusString"):
            t.ask(function, number, result=ctypes.c_char_p)


@group
def error_strings(t: Tongue) -> None:
    for number in (-1, 8, 40, 55, 98, 203, 1000, 9999, 10000, 10001, 123456):
        for function in ("cudaGetErrorName", "cudaGetErrorString"):
            t.ask(function, number, result=ctypes.c_char_p)


@group
def status_names(t: Tongue) -> None:
    for number in range(17):
        t.ask("cublasGetStatusName", number, result=ctypes.c_char_p)


@group
def making(t: Tongue) -> None:
    t.ask("cublasCreate_v2", None)
    t.ask("cublasCreate_v2", POINTER)
    t.ask("cublasDestroy_v2", None)
    t.ask("cublasGetVersion_v2", None, Out(hidden=True))
    t.ask("cublasGetVersion_v2", t.handle, None)
    for which in (-1, 0, 1, 2, 3, 4):
        t.ask("cublasGetProperty", which, Out(hidden=True))
    t.ask("cublasGetProperty", 0, None)
    t.ask("cublasGetCudartVersion")


@group
def logging(t: Tongue) -> None:
    for on, out, err in ((0, 0, 0), (1, 0, 0), (2, 0, 0), (-1, 0, 0), (0, 1, 0), (0, 0, 1)):
        t.ask("cublasLoggerConfigure", on, out, err, None)
    t.ask("cublasLoggerConfigure", 0, 0, 0, None)
    t.ask("cublasGetLoggerCallback", POINTER)
    t.ask("cublasGetLoggerCallback", None)
    t.ask("cublasSetLoggerCallback", None)


@group
def emulation(t: Tongue) -> None:
    for what, values in (
        ("EmulationStrategy", (0, 1, 2, 3, -1)),
        ("EmulationSpecialValuesSupport", (0, 1, 2, 3, 4, 7, 0xFFFF, -1)),
        ("FixedPointEmulationMantissaControl", (0, 1, 2, -1)),
        ("FixedPointEmulationMaxMantissaBitCount", (0, 1, 52, 53, 55, 64, 79, 1000, -1)),
        ("FixedPointEmulationMantissaBitOffset", (0, 1, -1, 8, -8, 64, -64, 1000)),
    ):
        t.ask(f"cublasGet{what}", t.handle, INT)
        for value in values:
            t.ask(f"cublasSet{what}", t.handle, value)
            t.ask(f"cublasGet{what}", t.handle, INT)
        t.ask(f"cublasGet{what}", t.handle, None)
        t.ask(f"cublasSet{what}", None, values[0])
    name = "FixedPointEmulationMantissaBitCountPointer"
    t.ask(f"cublasGet{name}", t.handle, POINTER)
    for pointer in (t.device, None, At("device + 1", t.device.address + 1)):
        t.ask(f"cublasSet{name}", t.handle, pointer)
        t.ask(f"cublasGet{name}", t.handle, POINTER)
    t.ask(f"cublasGet{name}", t.handle, None)


@group
def transfers(t: Tongue) -> None:
    host = ctypes.create_string_buffer(4096)
    h, d = At("host", ctypes.addressof(host)), t.device
    for n, size, incx, incy in ((4, 4, 1, 1), (0, 4, 1, 1), (-1, 4, 1, 1), (4, 0, 1, 1), (4, -4, 1, 1), (4, 4, 0, 1),
                                (4, 4, 1, 0), (4, 4, -1, 1), (4, 4, 1, -1), (4, 4, 2, 3), (4, 3, 1, 1)):  # fmt: skip
        t.ask("cublasSetVector", n, size, h, incx, d, incy)
        t.ask("cublasGetVector", n, size, d, incx, h, incy)
        t.ask("cublasSetVectorAsync", n, size, h, incx, d, incy, None)
        t.ask("cublasGetVectorAsync", n, size, d, incx, h, incy, None)
    for m, n, size, lda, ldb in ((4, 3, 4, 4, 4), (0, 3, 4, 4, 4), (4, 0, 4, 4, 4), (-1, 3, 4, 4, 4), (4, -1, 4, 4, 4),
                                 (4, 3, 0, 4, 4), (4, 3, -4, 4, 4), (4, 3, 4, 3, 4), (4, 3, 4, 4, 3), (4, 3, 4, 0, 4),
                                 (0, 3, 4, 0, 4), (0, 3, 4, 4, 0), (4, 3, 4, 5, 6), (0, 0, 0, 0, 0)):  # fmt: skip
        t.ask("cublasSetMatrix", m, n, size, h, lda, d, ldb)
        t.ask("cublasGetMatrix", m, n, size, d, lda, h, ldb)
        t.ask("cublasSetMatrixAsync", m, n, size, h, lda, d, ldb, None)
        t.ask("cublasGetMatrixAsync", m, n, size, d, lda, h, ldb, None)
    for n in (4, 0):
        t.ask("cublasSetVector", n, 4, None, 1, d, 1)
        t.ask("cublasSetVector", n, 4, h, 1, None, 1)
        t.ask("cublasGetVector", n, 4, None, 1, h, 1)
        t.ask("cublasSetMatrix", n, 3, 4, None, 4, d, 4)
        t.ask("cublasGetMatrix", n, 3, 4, d, 4, None, 4)


@group
def transposes(t: Tongue) -> None:
    """CONJG (3) where an operation is asked for, as no table's test has it."""
    one = (ctypes.c_float * 2)(1, 0)
    a, d = At("one", ctypes.addressof(one)), t.device
    for op in range(-1, 5):
        t.ask("cublasSgemm_v2", t.handle, op, 0, 4, 4, 4, a, d, 4, d, 4, a, At("C", d.address + 4096), 4)
        t.ask("cublasCgemv_v2", t.handle, op, 4, 4, a, d, 4, d, 1, a, At("y", d.address + 4096), 1)
        t.ask("cublasCgeam", t.handle, op, 0, 4, 4, a, d, 4, a, d, 4, At("C", d.address + 4096), 4)


# ---- the runtime


@group
def limits(t: Tongue) -> None:
    for which in range(-1, 10):
        t.ask("cudaDeviceGetLimit", MEASURE if which in (2, 3, 4) else SIZE, which)
    t.ask("cudaDeviceGetLimit", None, 0)
    for which in range(-1, 10):
        for value in (0, 1, 2048, 1 << 20):
            t.ask("cudaDeviceSetLimit", which, Bytes(value))
            t.ask("cudaDeviceGetLimit", MEASURE if which == 2 else SIZE, which)
            t.ask("cudaGetLastError")


def _flags(t: Tongue) -> None:
    for flags in (*range(64), 0x40, 0x80, 0x88, 0x100, 0x1000, -1):
        t.ask("cudaSetDeviceFlags", flags)
        t.ask("cudaGetDeviceFlags", INT)
    t.ask("cudaGetDeviceFlags", None)


@group
def flags_before_use(t: Tongue) -> None:
    t.ask("cudaGetDeviceFlags", INT)
    _flags(t)


@group
def flags_in_use(t: Tongue) -> None:
    t.ask("cudaFree", None)
    t.ask("cudaGetDeviceFlags", INT)
    _flags(t)


@group
def devices(t: Tongue) -> None:
    for device in (-1, 0, 1, 99):
        if device != 1:
            t.ask("cudaSetDevice", device)
            t.ask("cudaGetDevice", INT)
        t.ask("cudaGetLastError")
    t.ask("cudaGetDevice", None)
    t.ask("cudaGetDeviceCount", None)
    for a, b in ((0, 0), (0, -1), (-1, 0), (0, 99), (99, 0)):
        t.ask("cudaDeviceCanAccessPeer", INT, a, b)
    for flags in (0, 1):
        t.ask("cudaDeviceEnablePeerAccess", 0, flags)
        t.ask("cudaDeviceEnablePeerAccess", 99, flags)
    t.ask("cudaDeviceDisablePeerAccess", 0)
    t.ask("cudaDeviceDisablePeerAccess", 99)
    for which in (-1, 0, 1, 150, 1000):
        t.ask("cudaDeviceGetAttribute", Out(hidden=True), which, 0)
    t.ask("cudaDeviceGetAttribute", Out(hidden=True), 1, 99)
    t.ask("cudaDeviceGetAttribute", None, 1, 0)
    for which in range(1, 150):
        t.ask("cudaDeviceGetAttribute", Out(hidden=True), which, 0)
    for which in (-1, 0, 1, 2, 3, 4):
        t.ask("cudaDeviceSetCacheConfig", which)
        t.ask("cudaDeviceGetCacheConfig", INT)
    t.ask("cudaDeviceGetCacheConfig", None)
    t.ask("cudaDeviceGetStreamPriorityRange", INT, INT)
    t.ask("cudaDeviceGetStreamPriorityRange", None, None)
    t.ask("cudaDeviceGetPCIBusId", None, 64, 0)
    t.ask("cudaDeviceGetPCIBusId", Out(ctypes.c_char * 64, hidden=True), 64, 0)
    t.ask("cudaDeviceGetPCIBusId", Out(ctypes.c_char * 64, hidden=True), 5, 0)
    t.ask("cudaDeviceGetByPCIBusId", INT, None)
    t.ask("cudaDeviceGetByPCIBusId", INT, ctypes.c_char_p(b"nowhere"))
    t.ask("cudaMemGetInfo", None, None)
    t.ask("cudaMemGetInfo", MEASURE, None)


@group
def pitched(t: Tongue) -> None:
    for width in (0, 1, 4, 255, 256, 257, 511, 512, 513, 1000, 1024, 1025, 4096, 4097, 100_000):
        for height in (0, 1, 3):
            t.ask("cudaMallocPitch", POINTER, SIZE, Bytes(width), Bytes(height))
    t.ask("cudaMallocPitch", None, SIZE, Bytes(64), Bytes(4))
    t.ask("cudaMallocPitch", POINTER, None, Bytes(64), Bytes(4))
    t.ask("cudaMallocPitch", POINTER, SIZE, Bytes(1 << 60), Bytes(1 << 10))
    t.ask("cudaGetLastError")


@group
def allocations(t: Tongue) -> None:
    for function in ("cudaMalloc", "cudaMallocHost"):
        t.ask(function, POINTER, Bytes(0))
        t.ask(function, POINTER, Bytes(1))
        t.ask(function, None, Bytes(16))
        t.ask(function, None, Bytes(0))
        t.ask("cudaGetLastError")
    t.ask("cudaMalloc", POINTER, Bytes(1 << 60))
    t.ask("cudaGetLastError")
    t.ask("cudaFree", None)
    t.ask("cudaFreeHost", None)
    local = ctypes.create_string_buffer(64)
    t.ask("cudaFree", At("host", ctypes.addressof(local)))
    t.ask("cudaFreeHost", At("host", ctypes.addressof(local)))
    t.ask("cudaFree", At("inside", t.device.address + 256))
    t.ask("cudaFreeHost", t.device)
    t.ask("cudaGetLastError")
    for flags in (*range(17), 32, 64, -1):
        t.ask("cudaHostAlloc", POINTER, Bytes(64), flags)
    for flags in (0, 1, 2, 3, 4, 5, -1):
        t.ask("cudaMallocManaged", POINTER, Bytes(64), flags)
    t.ask("cudaMallocManaged", POINTER, Bytes(0), 1)
    t.ask("cudaMallocManaged", None, Bytes(64), 1)
    t.ask("cudaGetLastError")
    page = ctypes.create_string_buffer(1 << 16)
    start = At("page", (ctypes.addressof(page) + 4095) // 4096 * 4096)
    for flags in (*range(9), 16, 32, -1):
        t.ask("cudaHostRegister", start, Bytes(8192), flags)
        t.ask("cudaHostUnregister", start)
    t.ask("cudaHostRegister", start, Bytes(0), 0)
    t.ask("cudaHostRegister", None, Bytes(64), 0)
    t.ask("cudaHostUnregister", None)
    pinned = At("pinned", t.make("cudaMallocHost", Bytes(4096)))
    for flags in (0, 1):
        t.ask("cudaHostGetDevicePointer", POINTER, pinned, flags)
        t.ask("cudaHostGetDevicePointer", POINTER, At("host", ctypes.addressof(local)), flags)
        t.ask("cudaHostGetDevicePointer", POINTER, None, flags)
    t.ask("cudaHostGetFlags", INT, pinned)
    t.ask("cudaHostGetFlags", INT, At("host", ctypes.addressof(local)))
    t.ask("cudaHostGetFlags", INT, None)


@group
def managed_ranges(t: Tongue) -> None:
    managed = At("managed", t.make("cudaMallocManaged", Bytes(65536), 1))
    local = ctypes.create_string_buffer(4096)
    for where in (managed, t.device, At("host", ctypes.addressof(local)), None):
        for attribute in range(10):
            for size in (4, 8, 0, 3, 16):
                kind = Out(ctypes.c_char * 16, hidden=where is not managed)
                out = Out(ctypes.c_int) if size == 4 and where is managed else kind
                t.ask("cudaMemRangeGetAttribute", out, Bytes(size), attribute, where, Bytes(4096))
            t.ask("cudaGetLastError")
    for count in (0, 1, 65536, 65537, 1 << 30):
        t.ask("cudaMemRangeGetAttribute", INT, Bytes(4), 1, managed, Bytes(count))
    t.ask("cudaMemRangeGetAttribute", None, Bytes(4), 1, managed, Bytes(4096))


@group
def copies(t: Tongue) -> None:
    host = ctypes.create_string_buffer(4096)
    h, d = At("host", ctypes.addressof(host)), t.device
    for kind in range(-1, 6):
        t.ask("cudaMemcpy", d, h, Bytes(64), kind)
        t.ask("cudaMemcpy", h, d, Bytes(64), kind)
        t.ask("cudaMemcpy", None, None, Bytes(0), kind)
        t.ask("cudaMemcpyAsync", d, h, Bytes(64), kind, None)
    t.ask("cudaMemcpy", d, None, Bytes(0), 1)
    t.ask("cudaMemcpy", None, h, Bytes(64), 1)
    t.ask("cudaMemcpy", d, None, Bytes(64), 1)
    t.ask("cudaGetLastError")
    for pitch, width, height in ((64, 64, 2), (63, 64, 2), (0, 64, 2), (0, 0, 2), (64, 0, 2), (64, 64, 0), (63, 64, 1)):
        t.ask("cudaMemcpy2D", d, Bytes(pitch), h, Bytes(64), Bytes(width), Bytes(height), 1)
        t.ask("cudaMemcpy2D", d, Bytes(64), h, Bytes(pitch), Bytes(width), Bytes(height), 1)
        t.ask("cudaMemset2D", d, Bytes(pitch), 0, Bytes(width), Bytes(height))
    t.ask("cudaMemset", None, 0, Bytes(0))
    t.ask("cudaMemset", None, 0, Bytes(16))
    t.ask("cudaMemset", d, 0, Bytes(0))
    t.ask("cudaMemset", h, 0, Bytes(16))
    t.ask("cudaMemset", d, 0, Bytes((1 << 20) + (1 << 30)))
    t.ask("cudaGetLastError")
    t.ask("cudaDeviceSynchronize")


@group
def pointers(t: Tongue) -> None:
    class Attributes(ctypes.Structure):
        _fields_ = [("type", ctypes.c_int), ("device", ctypes.c_int), ("on_device", ctypes.c_void_p),
                    ("on_host", ctypes.c_void_p), ("reserved", ctypes.c_long * 8)]  # fmt: skip

    local = ctypes.create_string_buffer(4096)
    places = (None, At("host", ctypes.addressof(local)), t.device, At("inside", t.device.address + 100),
              At("pinned", t.make("cudaMallocHost", Bytes(4096))), At("1", 1),
              At("managed", t.make("cudaMallocManaged", Bytes(65536), 1)))  # fmt: skip
    for place in places:
        found = Attributes()
        address = At("out", ctypes.addressof(found))
        status = t.ask("cudaPointerGetAttributes", address, place)
        if status == 0:
            own = place.address if place else 0
            words = [found.type, found.device, *("same" if p == own and p else "NULL" if not p else "other"
                                                 for p in (found.on_device, found.on_host))]  # fmt: skip
            t._tell({"step": ["cudaPointerAttributes", [_word(place)], 0, words], "at": -1})
    t.ask("cudaPointerGetAttributes", None, t.device)
    t.ask("cudaGetLastError")


@group
def streams(t: Tongue) -> None:
    for flags in (0, 1, 2, 3, -1):
        t.ask("cudaStreamCreateWithFlags", POINTER, flags)
    t.ask("cudaStreamCreateWithFlags", None, 0)
    t.ask("cudaStreamCreate", None)
    for priority in (-100, -5, -1, 0, 1, 100):
        made = At("stream", t.make("cudaStreamCreateWithPriority", 1, priority))
        t.ask("cudaStreamGetPriority", made, INT)
        t.ask("cudaStreamGetFlags", made, INT)
    t.ask("cudaStreamCreateWithPriority", POINTER, 2, 0)
    for name, stream in (("NULL", 0), ("legacy", 1), ("per thread", 2)):
        s = At(name, stream)
        t.ask("cudaStreamQuery", s)
        t.ask("cudaStreamSynchronize", s)
        t.ask("cudaStreamGetFlags", s, INT)
        t.ask("cudaStreamGetPriority", s, INT)
        t.ask("cudaStreamIsCapturing", s, INT)
        t.ask("cudaStreamBeginCapture", s, 0)
        t.ask("cudaStreamEndCapture", s, POINTER)
        t.ask("cudaGetLastError")
    made = At("stream", t.make("cudaStreamCreate"))
    for mode in (0, 1, 2, 3, -1):
        t.ask("cudaStreamBeginCapture", made, mode)
        t.ask("cudaStreamIsCapturing", made, INT)
        t.ask("cudaStreamQuery", made)
        t.ask("cudaStreamEndCapture", made, POINTER)
        t.ask("cudaGetLastError")
    t.ask("cudaStreamGetFlags", made, None)
    t.ask("cudaStreamIsCapturing", made, None)
    t.ask("cudaStreamEndCapture", made, None)
    t.ask("cudaStreamDestroy", None)
    t.ask("cudaStreamDestroy", At("legacy", 1))
    t.ask("cudaStreamDestroy", At("per thread", 2))
    t.ask("cudaGetLastError")


@group
def events(t: Tongue) -> None:
    for flags in (*range(10), 16, -1):
        t.ask("cudaEventCreateWithFlags", POINTER, flags)
    t.ask("cudaEventCreate", None)
    made, other = (At(name, t.make("cudaEventCreate")) for name in ("event", "other"))
    blind = At("no timing", t.make("cudaEventCreateWithFlags", 2))
    elapsed = Out(ctypes.c_float, hidden=True)
    t.ask("cudaEventQuery", made)
    t.ask("cudaEventSynchronize", made)
    t.ask("cudaStreamWaitEvent", None, made, 0)
    t.ask("cudaEventElapsedTime", elapsed, made, other)
    t.ask("cudaEventRecord", made, None)
    t.ask("cudaEventElapsedTime", elapsed, made, other)
    t.ask("cudaEventRecord", other, None)
    t.ask("cudaEventRecord", blind, None)
    t.ask("cudaDeviceSynchronize")
    t.ask("cudaEventQuery", made)
    t.ask("cudaEventElapsedTime", elapsed, made, other)
    t.ask("cudaEventElapsedTime", elapsed, made, blind)
    t.ask("cudaEventElapsedTime", None, made, other)
    t.ask("cudaEventElapsedTime", elapsed, None, other)
    for flags in (0, 1, 2, -1):
        t.ask("cudaStreamWaitEvent", None, made, flags)
        t.ask("cudaEventRecordWithFlags", made, None, flags)
    t.ask("cudaEventQuery", None)
    t.ask("cudaEventRecord", None, None)
    t.ask("cudaEventDestroy", None)
    t.ask("cudaGetLastError")


@group
def pools(t: Tongue) -> None:
    t.ask("cudaMallocAsync", POINTER, Bytes(0), None)
    t.ask("cudaMallocAsync", POINTER, Bytes(64), None)
    t.ask("cudaMallocAsync", None, Bytes(64), None)
    t.ask("cudaFreeAsync", None, None)
    t.ask("cudaDeviceGetDefaultMemPool", POINTER, 0)
    t.ask("cudaDeviceGetDefaultMemPool", POINTER, 99)
    t.ask("cudaDeviceGetDefaultMemPool", None, 0)
    pool = At("pool", t.make("cudaDeviceGetDefaultMemPool", 0))
    for attribute in range(-1, 12):
        t.ask("cudaMemPoolGetAttribute", pool, attribute, Out(ctypes.c_uint64, hidden=True))
    t.ask("cudaMemPoolGetAttribute", pool, 4, None)
    t.ask("cudaMemPoolTrimTo", pool, Bytes(0))
    t.ask("cudaMemPoolTrimTo", None, Bytes(0))
    t.ask("cudaMemPoolDestroy", None)
    t.ask("cudaGetLastError")


@group
def errors(t: Tongue) -> None:
    """What the last error remembers, and what forgets it."""
    t.ask("cudaGetLastError")
    t.ask("cudaSetDevice", -1)
    t.ask("cudaPeekAtLastError")
    t.ask("cudaGetDevice", INT)
    t.ask("cudaPeekAtLastError")
    t.ask("cudaGetLastError")
    t.ask("cudaGetLastError")
    t.ask("cudaStreamQuery", None)
    t.ask("cudaDeviceReset")
    t.ask("cudaGetLastError")
