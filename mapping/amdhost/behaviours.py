"""What is no matter of one function: handles, streams, devices, capture. Each behaviour is a few calls through our
libraries, and what the fake HIP runtime saw of them."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from ..parity.process import Answer, Note, serve
from ..tables.loader import load
from .log import Event, Kind
from .worker import Watched

STREAMS = 40  # more than a handle of ours keeps rocblas_handles for
_N = 5


class Bench:
    """Our libraries, and vectors in device memory to call something with."""

    def __init__(self, config: dict[str, Any]) -> None:
        self.subject = Watched(Path(config["subject"]), load(), config["major"], Path(config["hip"]))
        self.hip = self.subject.hip
        self.alpha = ctypes.c_float(2)
        self.result = ctypes.c_float()

    def vectors(self) -> int:
        address = self.subject.memory.reserve(4096)
        self.subject.memory.upload(np.zeros(4096, np.uint8))
        return address

    def create(self) -> int:
        handle = ctypes.c_void_p()
        status = self.subject.call("cublasCreate_v2", ctypes.addressof(handle))
        if status or not handle.value:
            raise RuntimeError(f"cublasCreate_v2 answered {status}")
        return handle.value

    def axpy(self, handle: int) -> int:
        x = self.vectors()
        return self._call("cublasSaxpy_v2", handle, ctypes.byref(self.alpha), x, x + 1024)

    def dot(self, handle: int) -> int:
        """It takes rocBLAS's workspace."""
        x = self.vectors()
        entry = self.subject._cublas.cublasSdot_v2
        p = ctypes.c_void_p
        self.hip.take()
        return int(entry(p(handle), _N, p(x), 1, p(x + 1024), 1, ctypes.byref(self.result)))

    def _call(self, name: str, handle: int, alpha: Any, x: int, y: int) -> int:
        entry = getattr(self.subject._cublas, name)
        self.hip.take()
        return int(entry(ctypes.c_void_p(handle), _N, alpha, ctypes.c_void_p(x), 1, ctypes.c_void_p(y), 1))

    def seen(self) -> tuple[list[Event], list[str]]:
        events = self.hip.take()
        return events, self.subject.rules.broken(events)


def _problems(status: int, broken: list[str]) -> list[str]:
    return [*([f"status {status}"] if status else []), *broken]


def many_streams(bench: Bench) -> list[str]:
    """One handle goes through more streams than it keeps rocblas_handles for, and back, without a wait."""
    handle = bench.create()
    streams = [bench.hip.stream() for _ in range(STREAMS)]
    found: list[str] = []
    bench.hip.take()
    for stream in (*streams, *streams[:3], *streams[-3:]):
        status = bench.subject.call("cublasSetStream_v2", handle, stream)
        events, broken = bench.seen()
        found += _problems(status, broken)
        status = bench.dot(handle)
        events, broken = bench.seen()
        found += _problems(status, broken)
        found += [f"{e.name} on another stream" for e in events if e.kind == Kind.LAUNCH and e.stream != stream]
    bench.subject.call("cublasDestroy_v2", handle)
    bench.seen()
    for stream in streams:
        bench.hip.destroy(stream)
    return found


def other_device(bench: Bench) -> list[str]:
    """A handle of device 0 gets another stream of device 0 while device 1 is current."""
    handle = bench.create()
    stream = bench.hip.stream()
    bench.seen()
    bench.hip.choose(1)
    status = bench.subject.call("cublasSetStream_v2", handle, stream)
    chosen = bench.hip.chosen()
    bench.hip.choose(0)
    events, broken = bench.seen()
    found = _problems(status, broken)
    if chosen != 1:
        found.append(f"device {chosen} is current afterwards, it was 1")
    found += [f"a rocblas_handle was made for device {e.device}" for e in events if e.kind == Kind.CREATED and e.device]
    status = bench.dot(handle)
    found += _problems(status, bench.seen()[1])
    bench.subject.call("cublasDestroy_v2", handle)
    bench.seen()
    return found


def second_device(bench: Bench) -> list[str]:
    """A handle that was created for device 1 works there."""
    bench.vectors()
    bench.hip.choose(1)
    handle = bench.create()
    stream = bench.hip.stream()
    bench.seen()
    found: list[str] = []
    for chosen in (stream, 0):
        status = bench.subject.call("cublasSetStream_v2", handle, chosen)
        found += _problems(status, bench.seen()[1])
        status = bench.axpy(handle)
        events, broken = bench.seen()
        found += _problems(status, broken)
        found += [f"{e.name} on device {e.home}" for e in events if e.kind == Kind.LAUNCH and e.home != 1]
    bench.hip.choose(0)
    bench.subject.call("cublasDestroy_v2", handle)
    bench.seen()
    return found


def destroyed(bench: Bench) -> list[str]:
    """A destroyed handle gives back every rocblas_handle and block that was made for it."""
    bench.seen()
    before = set(bench.subject.rules.handles)
    handle = bench.create()
    made = bench.hip.take()
    bench.subject.rules.broken(made)
    bench.subject.call("cublasSetStream_v2", handle, bench.hip.stream())
    more = bench.hip.take()
    bench.subject.rules.broken(more)
    status = bench.subject.call("cublasDestroy_v2", handle)
    events, broken = bench.seen()
    found = _problems(status, broken)
    left = bench.subject.rules.handles - before
    if left:
        found.append(f"{len(left)} rocblas_handles are left")
    blocks = sum(e.kind == Kind.ALLOC for e in (*made, *more)) - sum(e.kind == Kind.FREE for e in events)
    if blocks:
        found.append(f"{blocks} blocks of memory are left")
    return found


def stream_under_capture(bench: Bench) -> list[str]:
    """A stream that is being captured is set for the first time."""
    handle = bench.create()
    stream = bench.hip.stream()
    bench.seen()
    bench.hip.capture(stream, True)
    status = bench.subject.call("cublasSetStream_v2", handle, stream)
    found = _problems(status, bench.seen()[1])
    bench.hip.capture(stream, False)
    bench.subject.call("cublasDestroy_v2", handle)
    bench.seen()
    return found


def known_stream_under_capture(bench: Bench) -> list[str]:
    """A stream that was set before is captured, and the handle goes to another stream and back meanwhile."""
    handle = bench.create()
    stream, other = bench.hip.stream(), bench.hip.stream()
    for s in (stream, other, stream):
        bench.subject.call("cublasSetStream_v2", handle, s)
    x = bench.vectors()
    bench.seen()
    bench.hip.capture(stream, True)
    found: list[str] = []
    for s in (other, stream):
        status = bench.subject.call("cublasSetStream_v2", handle, s)
        found += _problems(status, bench.seen()[1])
    status = bench._call("cublasSaxpy_v2", handle, ctypes.byref(bench.alpha), x, x + 1024)
    found += _problems(status, bench.seen()[1])
    bench.hip.capture(stream, False)
    bench.subject.call("cublasDestroy_v2", handle)
    bench.seen()
    return found


def error_of_others(bench: Bench) -> list[str]:
    """The program left an error of HIP's unread; a call of ours succeeds all the same."""
    handle = bench.create()
    bench.vectors()
    bench.hip.leave_error()
    status = bench.axpy(handle)
    bench.hip.forget_error()
    found = _problems(status, bench.seen()[1])
    bench.subject.call("cublasDestroy_v2", handle)
    bench.seen()
    return found


BEHAVIOURS: dict[str, Callable[[Bench], list[str]]] = {
    f.__name__: f
    for f in (
        many_streams,
        other_device,
        second_device,
        destroyed,
        stream_under_capture,
        known_stream_under_capture,
        error_of_others,
    )
}


def main() -> int:
    def begin(config: dict[str, Any], answer: Answer) -> Callable[[str], None]:
        bench = Bench(config)
        note = Note(config["scratch"])

        def work(name: str) -> None:
            note(name)
            answer({"done": list(dict.fromkeys(BEHAVIOURS[name](bench)))})

        return work

    return serve(begin)
