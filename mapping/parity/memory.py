"""Where the operands of a call live: memory of the subject's own CUDA runtime, or plain host memory."""

from __future__ import annotations

import ctypes
from pathlib import Path
from typing import Protocol

import numpy as np

from .oracles import Array

_TO_DEVICE, _TO_HOST = 1, 2


class StickyError(Exception):
    """The device answers every call with an error; only a new process helps."""


class Memory(Protocol):
    """One reusable area. `reserve` answers its address; it grows, and what it held is lost."""

    def reserve(self, size: int) -> int: ...

    def upload(self, data: Array) -> None: ...

    def download(self, into: Array) -> None: ...


class HostMemory:
    """Host memory, for subjects whose device memory is host memory."""

    def __init__(self) -> None:
        self._area = np.zeros(1 << 16, np.uint8)

    def reserve(self, size: int) -> int:
        if size + 256 > self._area.size:
            self._area = np.zeros(2 * size + 256, np.uint8)
        return self._start()

    def _start(self) -> int:
        base = int(self._area.ctypes.data)
        return base + -base % 256

    def upload(self, data: Array) -> None:
        ctypes.memmove(self._start(), int(data.ctypes.data), data.size)

    def download(self, into: Array) -> None:
        ctypes.memmove(int(into.ctypes.data), self._start(), into.size)


class RuntimeMemory:
    """Device memory through a CUDA runtime (`cudaMalloc`, `cudaMemcpy`), allocated once and reused."""

    def __init__(self, runtime: Path) -> None:
        self._library = ctypes.CDLL(str(runtime))
        self._address = 0
        self._size = 0
        for name, kinds in (
            ("cudaMalloc", [ctypes.POINTER(ctypes.c_void_p), ctypes.c_size_t]),
            ("cudaFree", [ctypes.c_void_p]),
            ("cudaMemcpy", [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]),
            ("cudaDeviceSynchronize", []),
        ):
            getattr(self._library, name).argtypes = kinds

    def _check(self, status: int, what: str) -> None:
        if status:
            raise StickyError(f"{what} answered {status}")

    def reserve(self, size: int) -> int:
        if size > self._size:
            if self._address:
                self._check(self._library.cudaFree(self._address), "cudaFree")
            pointer = ctypes.c_void_p()
            self._size = max(1 << 16, 2 * size)
            self._check(self._library.cudaMalloc(ctypes.byref(pointer), self._size), "cudaMalloc")
            self._address = pointer.value or 0
        return self._address

    def upload(self, data: Array) -> None:
        if data.size:
            status = self._library.cudaMemcpy(self._address, int(data.ctypes.data), data.size, _TO_DEVICE)
            self._check(status, "cudaMemcpy to the device")

    def download(self, into: Array) -> None:
        """Waits for the call before it: the copy is ordered behind it on the default stream."""
        if into.size:
            status = self._library.cudaMemcpy(int(into.ctypes.data), self._address, into.size, _TO_HOST)
            self._check(status, "cudaMemcpy from the device")

    def synchronize(self) -> int:
        return int(self._library.cudaDeviceSynchronize())
