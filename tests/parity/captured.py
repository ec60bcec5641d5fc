"""Our libraries with every call captured into a graph, which is launched in its place.

A subject of the parity suite: what it answers must be what a plain call answers, numbers and statuses. A call that a capture
refuses is made again without one, and its name is added to the file `CAPTURED_REFUSED`, so that a test can say which may be.
"""

from __future__ import annotations

import ctypes
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from dragoman.parity.subject import LibrarySubject, select_backend
from dragoman.tables.loader import load
from dragoman.tables.model import Function

MAJOR = 12
AT_ONCE = 9901  # what is answered where a call did its work while it was captured
LAUNCH = 9902  # where the launch failed
THREAD_LOCAL = 1
NOT_SUPPORTED = 15


class Captured(LibrarySubject):
    """A stream of its own for the handle; each call between the begin and the end of a capture."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder, load(), MAJOR)
        self._runtime = self._load("cudart")
        self._stream = ctypes.c_void_p()
        assert self._runtime.cudaStreamCreateWithFlags(ctypes.byref(self._stream), 1) == 0
        assert self._cublas.cublasSetStream_v2(ctypes.c_void_p(self._handle), self._stream) == 0

    def invoke(self, function: Function, arguments: Sequence[Any]) -> Any:
        if not _is_captured(function, arguments, self._handle):
            return super().invoke(function, arguments)
        graph, before, after = ctypes.c_void_p(), self._area(), self._area()
        self.memory.download(before)
        entry = self.entry(function)
        assert self._runtime.cudaStreamBeginCapture(self._stream, THREAD_LOCAL) == 0
        status = int(entry(*arguments))
        ended = self._runtime.cudaStreamEndCapture(self._stream, ctypes.byref(graph))
        if ended or status == NOT_SUPPORTED:
            plain = super().invoke(function, arguments)
            if ended or plain != status:
                _refused(function)
            self._runtime.cudaGetLastError()
            if not ended:
                self._runtime.cudaGraphDestroy(graph)
            return plain
        self.memory.download(after)
        if not np.array_equal(before, after):
            status = AT_ONCE
        elif status == 0 and self._launch(graph):
            status = LAUNCH
        self._runtime.cudaGraphDestroy(graph)
        return status

    def _area(self) -> np.ndarray[Any, np.dtype[np.uint8]]:
        return np.zeros(getattr(self.memory, "_size", 0), np.uint8)

    def _launch(self, graph: ctypes.c_void_p) -> int:
        ready = ctypes.c_void_p()
        if self._runtime.cudaGraphInstantiate(ctypes.byref(ready), graph, ctypes.c_ulonglong(0)):
            return 1
        status = self._runtime.cudaGraphLaunch(ready, self._stream) or self._runtime.cudaStreamSynchronize(self._stream)
        self._runtime.cudaGraphExecDestroy(ready)
        return int(status)


def _is_captured(function: Function, arguments: Sequence[Any], handle: int) -> bool:
    """Calls of the second API on the handle that has the stream."""
    return function.form.base != "v1" and bool(arguments) and arguments[0] == handle


def _refused(function: Function) -> None:
    with open(os.environ["CAPTURED_REFUSED"], "a", encoding="utf-8") as file:
        file.write(function.name + "\n")


def subject() -> Captured:
    select_backend("cpu")
    return Captured(Path(os.environ["CAPTURED_LIBRARIES"]))
