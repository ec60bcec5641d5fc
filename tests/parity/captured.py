"""Our libraries with every call captured into a graph, which is launched in its place.

A subject of the parity suite: what it answers must be what a plain call answers, numbers and statuses. A call that a capture
refuses is made again without one, and its name is added to the file `CAPTURED_REFUSED`, so that a test can say which may be.
"""

from __future__ import annotations

import ctypes
import functools
import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from dragoman.parity.dnn.names import refuses
from dragoman.parity.dnn.subject import LibrarySubject as DnnSubject
from dragoman.parity.memory import Memory
from dragoman.parity.subject import LibrarySubject, select_backend
from dragoman.tables.loader import load
from dragoman.tables.model import Function

MAJOR = 12
AT_ONCE = 9901  # what is answered where a call did its work while it was captured
LAUNCH = 9902  # where the launch failed
THREAD_LOCAL = 1


class Capture:
    """A stream, and calls between the begin and the end of its capture."""

    def __init__(self, runtime: ctypes.CDLL, memory: Memory) -> None:
        self._runtime, self._memory = runtime, memory
        self.stream = ctypes.c_void_p()
        assert runtime.cudaStreamCreateWithFlags(ctypes.byref(self.stream), 1) == 0

    def call(self, name: str, call: Callable[[], Any], is_refusal: Callable[[int], bool]) -> Any:
        graph, before, after = ctypes.c_void_p(), self._area(), self._area()
        self._memory.download(before)
        assert self._runtime.cudaStreamBeginCapture(self.stream, THREAD_LOCAL) == 0
        status = int(call())
        ended = self._runtime.cudaStreamEndCapture(self.stream, ctypes.byref(graph))
        if ended or is_refusal(status):
            plain = call()
            if ended or plain != status:
                _refused(name)
            self._runtime.cudaGetLastError()
            if not ended:
                self._runtime.cudaGraphDestroy(graph)
            return plain
        self._memory.download(after)
        if not np.array_equal(before, after):
            status = AT_ONCE
        elif status == 0 and self._launch(graph):
            status = LAUNCH
        self._runtime.cudaGraphDestroy(graph)
        return status

    def _area(self) -> np.ndarray[Any, np.dtype[np.uint8]]:
        return np.zeros(getattr(self._memory, "_size", 0), np.uint8)

    def _launch(self, graph: ctypes.c_void_p) -> int:
        ready = ctypes.c_void_p()
        if self._runtime.cudaGraphInstantiate(ctypes.byref(ready), graph, ctypes.c_ulonglong(0)):
            return 1
        status = self._runtime.cudaGraphLaunch(ready, self.stream) or self._runtime.cudaStreamSynchronize(self.stream)
        self._runtime.cudaGraphExecDestroy(ready)
        return int(status)


class Captured(LibrarySubject):
    """cuBLAS: calls of the second API on the handle that has the stream."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder, load(), MAJOR)
        self._capture = Capture(self._load("cudart"), self.memory)
        assert self._cublas.cublasSetStream_v2(ctypes.c_void_p(self._handle), self._capture.stream) == 0

    def invoke(self, function: Function, arguments: Sequence[Any]) -> Any:
        if function.form.base == "v1" or not arguments or arguments[0] != self._handle:
            return super().invoke(function, arguments)
        entry = self.entry(function)
        return self._capture.call(function.name, lambda: entry(*arguments), lambda status: status == 15)


class CapturedDnn(DnnSubject):
    """cuDNN: calls on the handle that has the stream."""

    def __init__(self, folder: Path, version: int) -> None:
        super().__init__(folder, version, "cpu", MAJOR)
        self._folder = folder
        self._capture: Capture | None = None

    def handle(self, name: str = "") -> int:
        handle = super().handle(name)
        if not name and self._capture is None:
            runtime = self._runtime(self._folder, MAJOR)
            assert runtime
            self._capture = Capture(ctypes.CDLL(str(runtime)), self.memory)
            assert self._library.cudnnSetStream(ctypes.c_void_p(handle), self._capture.stream) == 0
        return handle

    def call(self, name: str, arguments: Sequence[Any]) -> Any:
        if self._capture is None or not arguments or arguments[0] != self._handle or name == "cudnnDestroy":
            return super().call(name, arguments)
        call = functools.partial(super().call, name, arguments)
        return self._capture.call(name, call, lambda status: refuses(status, self.version))


def _refused(name: str) -> None:
    with open(os.environ["CAPTURED_REFUSED"], "a", encoding="utf-8") as file:
        file.write(name + "\n")


def subject() -> Captured:
    select_backend("cpu")
    return Captured(Path(os.environ["CAPTURED_LIBRARIES"]))


def dnn8() -> CapturedDnn:
    return _dnn(8)


def dnn9() -> CapturedDnn:
    return _dnn(9)


def _dnn(version: int) -> CapturedDnn:
    select_backend("cpu")
    return CapturedDnn(Path(os.environ["CAPTURED_LIBRARIES"]), version)
