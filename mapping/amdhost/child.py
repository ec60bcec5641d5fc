"""How a process is started in which AMD's library can run: with the C library that it was built for where the
system's is older, by calling that C library's own loader."""

from __future__ import annotations

import os
import platform
import sys
from dataclasses import dataclass
from pathlib import Path

from ..children import main_of
from . import elf
from .fake import COMPILERS
from .packages import Have, tables


@dataclass(frozen=True, slots=True)
class Start:
    """What goes before Python's arguments, and its environment."""

    command: tuple[str, ...]
    environment: dict[str, str]
    private: bool  # with a C library of its own

    def python(self, module: str) -> list[str]:
        return main_of(module, program=self.command)


def start(home: Path, have: Have, backend: Path) -> Start:
    """For a release in `home`, over the libraries in `backend`."""
    files = (home / have.files[0]).parent.glob("*.so*")  # what AMD's need too: SQLite, say
    needed = max(elf.read(file).least("libc.so.6", "GLIBC_") for file in files)
    private = system_glibc() < needed
    libraries = [str((home / have.files[0]).parent), str(backend / COMPILERS)]
    base = {**_environment(backend), "ROCBLAS_TENSILE_LIBPATH": str(tables(home))}
    if not private:
        before = base.get("LD_LIBRARY_PATH", "")
        base["LD_LIBRARY_PATH"] = os.pathsep.join([*libraries, *([before] if before else [])])
        return Start((sys.executable,), base, private)
    system = home / "system"
    loader = str(system / "ld-linux-x86-64.so.2")
    # --argv0: Python finds its own folder, and that of a virtual environment, by what it was called.
    path = os.pathsep.join([str(system), *libraries])
    command = (loader, "--argv0", sys.executable, "--library-path", path, os.path.realpath(sys.executable))
    base.pop("LD_LIBRARY_PATH", None)
    return Start(command, base, private)


def plain_start(backend: Path) -> Start:
    """For libraries of our own, which run everywhere."""
    return Start((sys.executable,), _environment(backend), False)


def _environment(backend: Path) -> dict[str, str]:
    found = {
        **os.environ,
        "DRAGOMAN_BACKEND": str(backend),
        # One thread: nothing here computes.
        "OPENBLAS_NUM_THREADS": "1",
        "OMP_NUM_THREADS": "1",
    }
    # MIOpen keeps what it compiled and tried; here that is nothing, and another process would believe it.
    found |= {"MIOPEN_DISABLE_CACHE": "1", "MIOPEN_DEBUG_DISABLE_FIND_DB": "1"}
    for name in ("ROCBLAS_LAYER", "LD_PRELOAD", "DRAGOMAN_ROCM_PATH", "DRAGOMAN_LOG"):
        found.pop(name, None)
    return found


def system_glibc() -> tuple[int, ...]:
    """(2, 36), or () where the C library is another one: then the private one is taken."""
    name, version = platform.libc_ver()
    return tuple(int(n) for n in version.split(".") if n.isdigit()) if name == "glibc" else ()
