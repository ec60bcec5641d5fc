"""A release's real libraries in the cache folder: fetched once, and only what the fake HIP runtime has a use for.

    <cache>/amd-host/<release>/real/     rocBLAS under its file name, what it needs of ROCm, and in rocblas/ the
                                         solution tables of one card
                               system/   the C library of the same suite, with its loader
                               have.json what was fetched, and when

Kernels are not kept: the fake launches none. They are most of a package of up to 4 GB.
"""

from __future__ import annotations

import ctypes
import json
import os
import re
import shutil
import subprocess
import tarfile
import tempfile
from collections.abc import Callable
from dataclasses import asdict, dataclass
from datetime import date
from pathlib import Path, PurePosixPath
from typing import IO

from .. import paths
from . import elf
from .debian import Archive, UnavailableError, version_of
from .releases import GFX, SYSTEM, Release

Say = Callable[[str], None]
FORMAT = 1
_ROOM = 4 << 30  # of the disk, while the largest package is unpacked
_SECTION = ".hip_fatbin"  # the kernels inside the library
_PUNCH, _KEEP_SIZE = 2, 1  # fallocate's flags


@dataclass(frozen=True, slots=True)
class Have:
    """What is there of a release; files are below its folder."""

    release: str
    packages: dict[str, str]  # name -> version
    date: str
    rocblas: str
    rocsolver: str  # "" where it was not asked for
    tables: str  # rocBLAS's tables of solutions

    @property
    def files(self) -> tuple[str, ...]:
        return tuple(f for f in (self.rocblas, self.rocsolver) if f)

    @property
    def version(self) -> str:
        """7.2.4-1~exp1 → 7.2.4: of rocBLAS, the first package."""
        return re.split(r"[+~-]", next(iter(self.packages.values())))[0]


def folder(release: Release) -> Path:
    return paths.cache_dir() / "amd-host" / release.name


def known(release: Release, solver: bool = True) -> Have | None:
    """What was fetched before, if it is all there."""
    try:
        raw = json.loads((folder(release) / "have.json").read_text(encoding="utf-8"))
        if raw.pop("format") != FORMAT:
            return None
        have = Have(**raw)
    except (OSError, ValueError, KeyError, TypeError):
        return None
    there = all((folder(release) / file).is_file() for file in have.files)
    return have if there and (have.rocsolver or not solver) else None


def fetch(release: Release, say: Say, solver: bool = True) -> Have:
    """What is there, or what Debian's archive has now. Raises `UnavailableError`, by name, where it has it not."""
    have = known(release, solver)
    if have:
        return have
    place = folder(release)
    place.parent.mkdir(parents=True, exist_ok=True)
    free = shutil.disk_usage(place.parent).free
    if free < _ROOM:
        raise UnavailableError(
            f"ROCm {release.name} cannot be had: unpacking takes up to {_ROOM >> 30} GB, and {place.parent} has "
            f"{free / 2**30:.1f} left. Another place: DRAGOMAN_CACHE=DIR"
        )
    try:
        return _fetch(release, place, say, solver)
    except UnavailableError as error:
        raise UnavailableError(f"ROCm {release.name} cannot be had: {error}") from error
    except OSError as error:
        raise UnavailableError(f"ROCm {release.name}: {error.filename or place}: {error.strerror}") from error


def _fetch(release: Release, place: Path, say: Say, solver: bool) -> Have:
    with tempfile.TemporaryDirectory(dir=place.parent, prefix=f".{release.name}-") as scratch:
        work = Path(scratch)
        say(f"ROCm {release.name}: reading the lists of {' and '.join(release.suites)}")
        archive = Archive(work / "apt", release.suites)
        new = work / "new"
        real = new / "real"
        versions: dict[str, str] = {}
        for package in release.packages(solver):
            name = package.split("/")[0]
            say(f"ROCm {release.name}: fetching {name}")
            file = archive.download(package, work / "packages")
            versions[name] = version_of(file)
            _unpack(file, new / ("system" if name in SYSTEM else "real"))
            file.unlink()
            _settle(real)
        blas, lapack = (real / name for name in release.files)
        if not blas.is_file() or (solver and not lapack.is_file()):
            raise UnavailableError(f"no {blas.name if not blas.is_file() else lapack.name} in its packages")
        tables = next((real / "rocblas").glob("*/library"), real)
        have = Have(
            release.name,
            versions,
            date.today().isoformat(),
            str(blas.relative_to(new)),
            str(lapack.relative_to(new)) if solver else "",
            str(tables.relative_to(new)),
        )
        (new / "have.json").write_text(json.dumps({"format": FORMAT, **asdict(have)}, indent=1), encoding="utf-8")
        shutil.rmtree(place, ignore_errors=True)
        new.rename(place)
        return have


def _settle(folder: Path) -> None:
    """Libraries under the names that they are loaded by, without links and without kernels."""
    for path in sorted(folder.glob("*.so*")):
        if path.is_symlink():
            path.unlink()
            continue
        found = elf.read(path)
        _forget_kernels(path, found)
        path.rename(folder / (found.soname or path.name))


def _unpack(package: Path, out: Path) -> None:
    """The libraries of a package, read as a stream, and of rocBLAS's tables of solutions those of one card."""
    command = ["dpkg-deb", "--fsys-tarfile", str(package)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
        assert process.stdout
        with tarfile.open(fileobj=process.stdout, mode="r|") as archive:
            for member in archive:
                name = PurePosixPath(member.name)
                if ".so" in name.name and _is_library(name):
                    _keep(archive, member, out / name.name)
                elif "rocblas" in name.parts and name.parent.name == "library" and _wanted(name.name):
                    below = PurePosixPath(*name.parts[name.parts.index("rocblas") :])
                    _keep(archive, member, out / below, empty=name.suffix in (".co", ".hsaco"))
    if process.returncode:
        raise UnavailableError(f"dpkg-deb cannot unpack {package.name}")


def _is_library(name: PurePosixPath) -> bool:
    """Directly in a library folder: not a converter of the C library, not a helper of the debugger."""
    return name.parent.name in ("x86_64-linux-gnu", "lib", "lib64") and not name.name.endswith(".py")


def _wanted(name: str) -> bool:
    """A table of this card's, or of all."""
    return "gfx" not in name or re.search(rf"{GFX}(?![0-9a-f])", name) is not None


def _keep(archive: tarfile.TarFile, member: tarfile.TarInfo, path: Path, *, empty: bool = False) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    if member.issym():
        if not path.exists() and "/" not in member.linkname:
            path.symlink_to(member.linkname)
    elif member.isfile():
        path.unlink(missing_ok=True)
        source: IO[bytes] | None = archive.extractfile(member)
        with path.open("wb") as file:
            if empty or source is None:
                file.write(b"\0")  # kernels: rocBLAS reads the file and gives it to HIP, which is the fake
            else:
                shutil.copyfileobj(source, file, 1 << 20)
        path.chmod(0o755 if ".so" in path.name else 0o644)


def _forget_kernels(library: Path, found: elf.Elf) -> None:
    """Gives the disk back what the kernels inside the library take: the file keeps its length, with a hole."""
    section = found.sections.get(_SECTION)
    if section is None:
        return
    start = -(-section.offset // 4096) * 4096 + 4096  # its first page stays: a runtime may look at a magic number
    size = (section.offset + section.size) // 4096 * 4096 - start
    call = getattr(ctypes.CDLL(None, use_errno=True), "fallocate", None)
    if call is None or size <= 0:
        return
    call.argtypes = [ctypes.c_int, ctypes.c_int, ctypes.c_int64, ctypes.c_int64]
    file = os.open(library, os.O_RDWR)
    try:
        call(file, _PUNCH | _KEEP_SIZE, start, size)  # where the file system cannot, the file stays as it is
    finally:
        os.close(file)
