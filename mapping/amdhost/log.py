"""What the fake HIP runtime saw, as Python objects; read from inside the process that it is loaded in."""

from __future__ import annotations

import ctypes
from collections.abc import Iterable
from dataclasses import dataclass
from enum import IntEnum
from pathlib import Path

ALL = (1 << 64) - 1  # of a wait: for every stream


class Kind(IntEnum):
    """As in fake/fake.h."""

    CALL = 1
    CREATED = 2
    STREAM = 3
    LAUNCH = 4
    REFUSED = 5
    SET = 6
    COPY = 7
    ALLOC = 8
    FREE = 9
    ALLOC_ASYNC = 10
    FREE_ASYNC = 11
    WAIT = 12
    QUERY = 13
    ORDER = 14
    DESTROYED = 15
    ANSWER = 16
    FETCH = 17


ON_STREAM = (Kind.LAUNCH, Kind.SET, Kind.FETCH, Kind.ALLOC_ASYNC, Kind.FREE_ASYNC)
EMPTY = "an empty grid"  # HIP answers an error and does nothing: AMD's library asks so itself now and then
# What HIP refuses while a stream is captured.
FORBIDDEN = (Kind.COPY, Kind.ALLOC, Kind.FREE, Kind.WAIT, Kind.QUERY)


class _Raw(ctypes.Structure):
    _fields_ = [
        ("kind", ctypes.c_uint16),
        ("device", ctypes.c_int16),
        ("capturing", ctypes.c_int16),
        ("home", ctypes.c_int16),
        ("thread", ctypes.c_uint32),
        ("spare", ctypes.c_uint32),
        ("stream", ctypes.c_void_p),
        ("subject", ctypes.c_void_p),
        ("size", ctypes.c_uint64),
        ("name", ctypes.c_char_p),
    ]


@dataclass(frozen=True, slots=True)
class Event:
    """What HIP was asked while `device` was current. `home`: the device of the stream or block, -1 where it has none."""

    kind: Kind
    device: int
    capturing: bool
    home: int
    stream: int
    subject: int
    size: int
    name: str

    def __str__(self) -> str:
        return f"{self.name} on device {self.device}, stream {self.stream:#x}"


class FakeHip:
    """The fake in this process."""

    def __init__(self, path: Path) -> None:
        self._library = ctypes.CDLL(str(path))
        self._library.fakehip_events.restype = ctypes.POINTER(_Raw)
        self._library.fakehip_events.argtypes = [ctypes.POINTER(ctypes.c_size_t)]
        self._library.fakehip_forget.restype = None
        self._library.fakehip_capture.argtypes = [ctypes.c_void_p, ctypes.c_int]
        self._library.hipStreamCreateWithFlags.argtypes = [ctypes.POINTER(ctypes.c_void_p), ctypes.c_uint]
        self._library.hipStreamDestroy.argtypes = [ctypes.c_void_p]

    def take(self) -> list[Event]:
        """What happened since the last time."""
        count = ctypes.c_size_t()
        raw = self._library.fakehip_events(ctypes.byref(count))
        found = [
            Event(
                Kind(e.kind), e.device, bool(e.capturing), e.home, e.stream or 0, e.subject or 0, e.size,
                e.name.decode("ascii", "replace") if e.name else "",
            )
            for e in (raw[i] for i in range(count.value))
        ]  # fmt: skip
        self._library.fakehip_forget()
        return found

    def stream(self) -> int:
        """A new stream of the current device that does not wait for the default one, as programs use them."""
        stream = ctypes.c_void_p()
        if self._library.hipStreamCreateWithFlags(ctypes.byref(stream), 1) or not stream.value:
            raise RuntimeError("the fake HIP runtime makes no stream")
        return stream.value

    def destroy(self, stream: int) -> None:
        self._library.hipStreamDestroy(stream)

    def capture(self, stream: int, on: bool) -> None:
        self._library.fakehip_capture(stream, int(on))

    def forget_error(self) -> None:
        """The calling thread's last error: rocBLAS answers one that others left behind as if it were its own."""
        self._library.hipGetLastError()

    def leave_error(self) -> None:
        """What a program's own mistake leaves behind."""
        self._library.hipSetDevice(99)

    def choose(self, device: int) -> None:
        if self._library.hipSetDevice(device):
            raise RuntimeError(f"the fake HIP runtime has no device {device}")

    def chosen(self) -> int:
        device = ctypes.c_int(-1)
        self._library.hipGetDevice(ctypes.byref(device))
        return device.value


class Rules:
    """What no call may do, over a whole run: told in words, each once."""

    def __init__(self, *, one_stream: bool = True) -> None:
        """`one_stream`: a handle has a workspace of its own, so its work on one stream must be over before another's begins, as
        a rocblas_handle's; a miopenHandle_t has none."""
        self._one_stream = one_stream
        self._device: dict[int, int] = {}  # rocblas_handle -> the device that it was made for
        self._stream: dict[int, int] = {}  # rocblas_handle -> the stream of its work that nobody has waited for
        self.handles: set[int] = set()

    def broken(self, events: Iterable[Event]) -> list[str]:
        """What was wrong with a call's events."""
        found: list[str] = []
        handle = 0
        function = ""
        for e in events:
            if e.kind == Kind.CALL:
                handle, function = e.subject, e.name
            elif e.kind == Kind.ANSWER:
                handle, function = 0, ""
            elif e.kind == Kind.CREATED:
                self._device[e.subject] = e.device
                self._stream.pop(e.subject, None)
                self.handles.add(e.subject)
            elif e.kind == Kind.DESTROYED:
                self.handles.discard(e.subject)
            elif e.kind == Kind.WAIT:
                waited = [h for h, s in self._stream.items() if e.stream in (ALL, s)]
                for h in waited:
                    del self._stream[h]
            elif e.kind == Kind.REFUSED and e.name != EMPTY:
                found.append(f"{function}: HIP refuses a launch: {e.name}")
            if e.kind == Kind.ALLOC and self._device.get(handle, e.device) != e.device:
                found.append(
                    f"{function}: {e.name} on device {e.device}, its handle is device {self._device[handle]}'s"
                )
            if e.kind in FORBIDDEN and e.capturing:
                found.append(f"{function or 'ours'}: {e.name} while a stream is captured")
            if e.kind == Kind.FETCH and e.capturing:
                found.append(f"{function or 'ours'}: reads on the host what a captured stream has yet to write")
            if e.kind in ON_STREAM:
                found += self._on_stream(e, handle, function)
        return list(dict.fromkeys(found))

    def _on_stream(self, e: Event, handle: int, function: str) -> list[str]:
        found = []
        if handle in self._device:
            if self._device[handle] != e.home:
                found.append(f"{function}: {e.name} on device {e.home}, its handle is device {self._device[handle]}'s")
            before = self._stream.get(handle, e.stream)
            if before != e.stream and self._one_stream:
                found.append(f"{function}: work on a second stream of one rocblas_handle, nobody waited for the first")
            self._stream[handle] = e.stream
        return found


def astray(events: Iterable[Event], device: int) -> list[str]:
    """What was done on another device than that of the call's handle."""
    found = []
    for e in events:
        place = e.device if e.kind in (Kind.ALLOC, Kind.COPY) else e.home
        if e.kind in (*ON_STREAM, Kind.ALLOC, Kind.COPY) and place != device:
            found.append(f"{e.name} on device {place}, the handle is device {device}'s")
    return list(dict.fromkeys(found))
