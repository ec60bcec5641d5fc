"""Folders of symbolic links to the libraries of one CUDA major, in the user's cache.

They give what a built tree may not: the names that linkers and ctypes look for (`libcublas.so`), which a wheel cannot
hold, and a choice about `libcuda.so.1`, which must stand in front of nobody's real driver. Each library is one file under
one real path: a copy under a second name would be a second library with its own state.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
from collections.abc import Collection, Mapping
from pathlib import Path

from .. import paths
from ..errors import UserError

DRIVER = "libcuda.so.1"
_VERSIONED = re.compile(r"(lib\w+\.so)(\.\d+)+\Z")
_OWN = "libdragoman_"  # found by its path beside the real files; nobody links with it


def prepare(built: Path, *, driver: bool) -> Path:
    """The folder of links for `built` (…/linux/cuda12), made or brought up to date. `driver` adds our libcuda."""
    built = built.resolve()
    place = hashlib.sha256(os.fsencode(built)).hexdigest()[:12]
    folder = paths.cache_dir() / "links" / place / (built.name + ("-driver" if driver else ""))
    try:
        _bring_up_to_date(folder, _wanted(built, driver))
    except OSError as error:
        raise UserError(paths.cannot_write(folder, error)) from error
    return folder


def toolkit(libraries: Path, headers: Path) -> Path:
    """A folder laid out as an installed CUDA toolkit, for CMake's `find_package(CUDAToolkit)` and whatever else is given a
    `CUDA_HOME`: `include`, `lib64`, and the version in a file, which CMake reads where there is no nvcc.

    `libraries` is a folder that `prepare` made.
    """
    number = re.search(r"#define CUDART_VERSION (\d+)", (headers / "cuda_runtime_api.h").read_text(encoding="utf-8"))
    assert number
    version = f"CUDA Version {int(number[1]) // 1000}.{int(number[1]) % 1000 // 10}.0\n"
    folder = libraries.with_name(f"{libraries.name}-toolkit")
    try:
        _bring_up_to_date(folder, {"include": headers.resolve(), "lib64": libraries}, kept=("version.txt",))
        file = folder / "version.txt"
        if not file.is_file() or file.read_text(encoding="utf-8") != version:
            new = folder / f".version.txt.{os.getpid()}"
            new.write_text(version, encoding="utf-8")
            new.replace(file)
    except OSError as error:
        raise UserError(paths.cannot_write(folder, error)) from error
    return folder


def has_driver(built: Path) -> bool:
    """Whether this tree has the small libcuda."""
    return (built / DRIVER).is_file()


def _wanted(built: Path, driver: bool) -> Mapping[str, Path]:
    """Name → file. The development name follows from the versioned one."""
    found = {}
    for file in sorted(built.iterdir()):
        match = _VERSIONED.match(file.name)
        if not match or file.is_symlink() or file.name.startswith(_OWN) or (file.name == DRIVER and not driver):
            continue
        found[file.name] = file
        found[match[1]] = file
    return found


def _bring_up_to_date(folder: Path, wanted: Mapping[str, Path], *, kept: Collection[str] = ()) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    there = {entry.name for entry in os.scandir(folder) if not entry.name.startswith(".")}
    for stale in there - set(wanted) - set(kept):
        with contextlib.suppress(FileNotFoundError):
            (folder / stale).unlink()
    for name, file in wanted.items():
        link = folder / name
        with contextlib.suppress(OSError):
            if os.readlink(link) == str(file):
                continue
        # Made beside and renamed: another dragoman may be starting a program from this folder right now.
        new = folder / f".{name}.{os.getpid()}"
        with contextlib.suppress(FileNotFoundError):
            new.unlink()
        new.symlink_to(file)
        new.replace(link)
