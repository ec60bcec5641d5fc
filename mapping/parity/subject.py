"""Subjects: what the suite is run against. One test body, many subjects.

A subject is a folder of libraries under NVIDIA's names: ours over the CPU backend or over AMD's libraries, or
NVIDIA's own. It is loaded with ctypes, from the C types that the tables give each parameter. Tests have subjects of
their own, in Python."""

from __future__ import annotations

import ctypes
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from ..errors import UserError
from ..tables.model import Function, Tables
from .memory import HostMemory, Memory, RuntimeMemory, StickyError


class Subject(Protocol):
    """Anything that answers calls: `invoke` takes what C would take and returns what C would return."""

    label: str
    memory: Memory

    def handle(self, name: str = "") -> int:
        """The handle of this session; `freed` is one that was destroyed. `xt N` is cuBLASXt's with tiles of order N (0: of its
        own choice), `freed xt` a dead one of it."""
        ...

    def pointer_mode(self, device: bool) -> None: ...

    def invoke(self, function: Function, arguments: Sequence[Any]) -> Any: ...

    def last_error(self) -> int:
        """Status of the last call of cuBLAS's first API, and forget it."""
        ...


class _Complex32(ctypes.Structure):
    _fields_ = [("x", ctypes.c_float), ("y", ctypes.c_float)]


class _Complex64(ctypes.Structure):
    _fields_ = [("x", ctypes.c_double), ("y", ctypes.c_double)]


_C_TYPES: dict[str, Any] = {
    "int": ctypes.c_int,
    "unsigned int": ctypes.c_uint,
    "int32_t": ctypes.c_int32,
    "int64_t": ctypes.c_int64,
    "uint64_t": ctypes.c_uint64,
    "long long int": ctypes.c_longlong,
    "size_t": ctypes.c_size_t,
    "char": ctypes.c_char,
    "float": ctypes.c_float,
    "double": ctypes.c_double,
    "cuComplex": _Complex32,
    "cuDoubleComplex": _Complex64,
    "cublasHandle_t": ctypes.c_void_p,
    "cublasXtHandle_t": ctypes.c_void_p,
    "cudaStream_t": ctypes.c_void_p,
    "cudaEvent_t": ctypes.c_void_p,
    "cublasLogCallback": ctypes.c_void_p,
    "cublasLtHandle_t": ctypes.c_void_p,
    "cublasLtMatmulDesc_t": ctypes.c_void_p,
    "cublasLtMatrixLayout_t": ctypes.c_void_p,
    "cublasLtMatrixTransformDesc_t": ctypes.c_void_p,
    "cublasLtMatmulPreference_t": ctypes.c_void_p,
    "cublasLtEmulationDesc_t": ctypes.c_void_p,
    "cublasLtLoggerCallback_t": ctypes.c_void_p,
    "void": None,
}


def c_type(spelling: str) -> Any:
    """ctypes' type for a C spelling; what is no pointer and not known is an enumeration, an int."""
    text = spelling.removeprefix("const ").strip()
    if text.endswith(("*", "]")):
        return ctypes.c_void_p
    return _C_TYPES.get(text, ctypes.c_int)


def by_value(value: Any, ctype: str) -> Any:
    """A scalar as C takes it by value."""
    text = ctype.removeprefix("const ").strip()
    kind = _C_TYPES.get(text)
    if kind in (_Complex32, _Complex64):
        number = complex(value)
        return kind(number.real, number.imag)
    return float(value)


def from_c(value: Any) -> Any:
    """A returned value as Python has it."""
    if isinstance(value, (_Complex32, _Complex64)):
        return complex(value.x, value.y)
    return value


class LoadError(UserError):
    """A library of the subject cannot be loaded. One line."""


class LibrarySubject:
    """A folder of libraries under NVIDIA's file names, of one CUDA major."""

    def __init__(self, folder: Path, tables: Tables, major: int, label: str = "", host_memory: bool = False) -> None:
        """`host_memory`: the backend's device memory is host memory, so that no CUDA runtime is needed."""
        self.label = label or folder.name
        self._target = "windows" if sys.platform == "win32" else "linux"
        self._folder, self._tables, self._major = folder, tables, major
        self._mode = False
        self._entries: dict[str, Any] = {}
        runtime = folder / tables.libraries["cudart"].versions[major].file_name(self._target)
        plain = host_memory and not runtime.exists()
        self.memory: Memory = HostMemory() if plain else RuntimeMemory(self._file("cudart"))
        self._cublas = self._load("cublas")
        self._libraries = {"cublas": self._cublas}
        self._legacy = False
        self._handle = self._create()
        self._tiled: dict[str, int] = {}  # cuBLASXt's handles

    def _file(self, library: str) -> Path:
        path = self._folder / self._tables.libraries[library].versions[self._major].file_name(self._target)
        if not path.exists():
            raise LoadError(f"{path} does not exist; build it with: dragoman build --cuda {self._major}")
        return path

    def _load(self, library: str) -> ctypes.CDLL:
        path = self._file(library)
        try:
            return ctypes.CDLL(str(path))
        except OSError as error:
            raise LoadError(f"{path} cannot be loaded: {error}") from None

    def _create(self) -> int:
        handle = ctypes.c_void_p()
        status = self._cublas.cublasCreate_v2(ctypes.byref(handle))
        if status or not handle.value:
            raise StickyError(f"cublasCreate_v2 answered {status}")
        return handle.value

    def handle(self, name: str = "") -> int:
        if name == "freed":
            freed = self._create()  # a new one: those of long ago may be somebody else's by now
            self._cublas.cublasDestroy_v2(ctypes.c_void_p(freed))
            return freed
        if name == "freed xt":
            freed = self._create_tiled(0)
            self._cublas.cublasXtDestroy(ctypes.c_void_p(freed))
            return freed
        if name:
            if name not in self._tiled:
                self._tiled[name] = self._create_tiled(int(name.split()[1]))
            return self._tiled[name]
        return self._handle

    def _create_tiled(self, order: int) -> int:
        handle, device = ctypes.c_void_p(), ctypes.c_int(0)
        status = self._cublas.cublasXtCreate(ctypes.byref(handle))
        if not status:
            status = self._cublas.cublasXtDeviceSelect(handle, 1, ctypes.byref(device))
        if not status and order:
            status = self._cublas.cublasXtSetBlockDim(handle, order)
        if status or not handle.value:
            raise StickyError(f"making a handle of cuBLASXt answered {status}")
        return handle.value

    def pointer_mode(self, device: bool) -> None:
        if device != self._mode:
            status = self._cublas.cublasSetPointerMode_v2(ctypes.c_void_p(self._handle), int(device))
            if status:
                raise StickyError(f"cublasSetPointerMode_v2 answered {status}")
            self._mode = device

    def invoke(self, function: Function, arguments: Sequence[Any]) -> Any:
        return from_c(self.entry(function)(*arguments))

    def entry(self, function: Function) -> Any:
        """The function itself, as ctypes calls it."""
        entry = self._entries.get(function.name)
        if entry is None:
            if function.form.base == "v1" and not self._legacy:
                self._cublas.cublasInit()
                self._legacy = True
            try:
                entry = getattr(self._of(function.entry.library), function.name)
            except AttributeError:
                raise LoadError(f"the library does not export {function.name}") from None
            entry.argtypes = [c_type(p.ctype) for p in function.params]
            entry.restype = c_type(function.result)
            self._entries[function.name] = entry
        return entry

    def _of(self, library: str) -> ctypes.CDLL:
        if library not in self._libraries:
            self._libraries[library] = self._load(library)
        return self._libraries[library]

    def last_error(self) -> int:
        return int(self._cublas.cublasGetError())

    def broken(self) -> str:
        """Why the device is lost for this process, or ''."""
        status = self.memory.synchronize() if isinstance(self.memory, RuntimeMemory) else 0
        return f"cudaDeviceSynchronize answered {status}" if status else ""


def select_backend(backend: str) -> None:
    """Choose what answers below our libraries; before the first of them is loaded."""
    if backend and backend != "nvidia":
        os.environ["DRAGOMAN_BACKEND"] = backend


def address(array: np.ndarray[Any, Any]) -> int:
    return int(array.ctypes.data)
