"""Subjects of the cuDNN suite: a folder with libcudnn of one major version, ours or NVIDIA's, called through ctypes."""

from __future__ import annotations

import ctypes
import glob
import site
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Protocol

from ..memory import HostMemory, Memory, RuntimeMemory, StickyError
from ..subject import LoadError
from .prototypes import PROTOTYPES

_CUDART = {11: ("libcudart.so.11.0", "cudart64_110.dll"), 12: ("libcudart.so.12", "cudart64_12.dll"),
           13: ("libcudart.so.13", "cudart64_13.dll")}  # fmt: skip


class Subject(Protocol):
    """Anything that answers cuDNN calls. `call` takes what C takes, in C's order, and returns what C returns."""

    label: str
    version: int  # 8 or 9
    kind: str  # nvidia, cpu or rocm
    memory: Memory
    scratch: Memory  # large workspaces

    def handle(self, name: str = "") -> int:
        """The handle of this session; `freed` is one that was destroyed."""
        ...

    def call(self, name: str, arguments: Sequence[Any]) -> Any: ...

    def has(self, name: str) -> bool:
        """Whether the library exports a function."""
        ...

    def broken(self) -> str:
        """Why the device is lost for this process, or ''."""
        ...


def file_name(version: int) -> str:
    return f"cudnn64_{version}.dll" if sys.platform == "win32" else f"libcudnn.so.{version}"


def installed() -> Path | None:
    """Folder of NVIDIA's libcudnn as PyPI installs it into this Python."""
    for root in [*site.getsitepackages(), site.getusersitepackages(), *sys.path]:
        found = sorted(glob.glob(str(Path(root) / "nvidia" / "cudnn" / "lib" / "libcudnn.so.*")))
        if found:
            return Path(found[-1]).parent
    return None


def companions(folder: Path) -> list[Path]:
    """NVIDIA's runtime and cuBLAS, which its libcudnn opens by bare name: beside it, or installed by PyPI."""
    roots = [folder, folder.parent.parent, *(p / "nvidia" for p in map(Path, sys.path) if (p / "nvidia").is_dir())]
    found: dict[str, Path] = {}
    for stem in ("libcudart.so.*", "libnvrtc.so.*", "libcublasLt.so.*", "libcublas.so.*"):
        for root in roots:
            for name in sorted([*root.glob(stem), *root.glob(f"*/lib/{stem}")]):
                if "alt" not in name.name:
                    found.setdefault(stem, name)
    return list(found.values())


class LibrarySubject:
    """A folder of libraries under NVIDIA's names."""

    def __init__(self, folder: Path, version: int, kind: str, cuda: int = 12, label: str = "") -> None:
        self.label = label or folder.name
        self.version, self.kind = version, kind
        path = folder / file_name(version)
        if not path.exists():
            raise LoadError(f"{path} does not exist; build it with: dragoman build --cuda {cuda}")
        runtime = self._runtime(folder, cuda)
        if runtime is None and kind != "cpu":
            raise LoadError(f"no CUDA runtime in {folder} or beside it")
        self.memory: Memory = RuntimeMemory(runtime) if runtime else HostMemory()
        self.scratch: Memory = RuntimeMemory(runtime) if runtime else HostMemory()
        self._library = self._load(path)
        self._entries: dict[str, Any] = {}
        self._handle = 0

    def _runtime(self, folder: Path, cuda: int) -> Path | None:
        if self.kind == "nvidia":
            found = companions(folder)
            for path in found:
                ctypes.CDLL(str(path), mode=ctypes.RTLD_GLOBAL)
            return next((p for p in found if p.name.startswith("libcudart")), None)
        path = folder / _CUDART[cuda][sys.platform == "win32"]
        return path if path.exists() else None

    @staticmethod
    def _load(path: Path) -> ctypes.CDLL:
        try:
            return ctypes.CDLL(str(path))
        except OSError as error:
            raise LoadError(f"{path} cannot be loaded: {error}") from None

    def _create(self) -> int:
        handle = ctypes.c_void_p()
        status = self._library.cudnnCreate(ctypes.byref(handle))
        if status or not handle.value:
            raise StickyError(f"cudnnCreate answered {status}")
        return handle.value

    def handle(self, name: str = "") -> int:
        if name == "freed":
            freed = self._create()  # a new one: those of long ago may be somebody else's by now
            self._library.cudnnDestroy(ctypes.c_void_p(freed))
            return freed
        if not self._handle:
            self._handle = self._create()
        return self._handle

    def has(self, name: str) -> bool:
        return hasattr(self._library, name)

    def call(self, name: str, arguments: Sequence[Any]) -> Any:
        entry = self._entries.get(name)
        if entry is None:
            try:
                entry = getattr(self._library, name)
            except AttributeError:
                raise LoadError(f"the library does not export {name}") from None
            entry.argtypes = PROTOTYPES[name].argtypes
            entry.restype = PROTOTYPES[name].restype
            self._entries[name] = entry
        return entry(*arguments)

    def broken(self) -> str:
        status = self.memory.synchronize() if isinstance(self.memory, RuntimeMemory) else 0
        return f"cudaDeviceSynchronize answered {status}" if status else ""


class HostOnlySubject(LibrarySubject):
    """NVIDIA's library on a machine without its hardware: descriptors work, handles do not."""

    def _runtime(self, folder: Path, cuda: int) -> Path | None:
        return None

    def __init__(self, folder: Path, version: int) -> None:
        super().__init__(folder, version, "cpu")
        self.kind = "nvidia"
