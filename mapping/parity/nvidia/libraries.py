"""Where NVIDIA's libraries are on this machine, in one folder under the names that the suite opens."""

from __future__ import annotations

import ctypes
import os
import sys
from pathlib import Path

from ..subject import LoadError

MAJOR = 13  # the CUDA major whose answers are kept
NAMES = {"cublas": f"libcublas.so.{MAJOR}", "cudart": f"libcudart.so.{MAJOR}"}


def folders() -> list[Path]:
    """Where they may be: what the loader is told, CUDA's usual places, and NVIDIA's packages of this Python."""
    found = [Path(p) for p in os.environ.get("LD_LIBRARY_PATH", "").split(os.pathsep) if p]
    for root in map(Path, sys.path):
        found += sorted((root / "nvidia").glob("*/lib"))
    found += sorted(Path("/usr/local").glob("cuda*/lib64")) + sorted(Path("/usr/local").glob("cuda*/targets/*/lib"))
    return [*found, Path("/usr/lib/x86_64-linux-gnu"), Path("/usr/lib64"), Path("/usr/lib/aarch64-linux-gnu")]


def find(name: str) -> Path:
    """One library's file. Raises `LoadError` where there is none."""
    for folder in folders():
        if (folder / name).exists():
            return folder / name
    try:  # the loader knows places of its own
        ctypes.CDLL(name)
        for line in Path("/proc/self/maps").read_text(encoding="utf-8").splitlines():
            if f"/{name}" in line:
                return Path(line.split(maxsplit=5)[5])
    except OSError:
        pass
    raise LoadError(f"no {name} in {', '.join(str(f) for f in folders() if f.is_dir())}; name a folder: --subject")


def gathered(into: Path) -> Path:
    """A folder with both: the one that has them, or `into` with links to them and all that lies beside."""
    paths = {name: find(name) for name in NAMES.values()}
    if len({p.parent for p in paths.values()}) == 1:
        return next(iter(paths.values())).parent
    for folder in {p.parent for p in paths.values()}:
        for path in sorted(folder.glob("lib*.so*")):
            if not (into / path.name).exists():
                (into / path.name).symlink_to(path)
    return into
