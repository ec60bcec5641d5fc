"""A release's real libraries in the cache folder: fetched once, and only what the fake HIP runtime has a use for.

    <cache>/amd-host/<release>/real/     AMD's libraries under their file names, what they need of ROCm, and in rocblas/ the
                                         solution tables of one card
                               system/   the C library of the same suite, with its loader
                               have/     for each library, and for the system: what was fetched, and when

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
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import date
from pathlib import Path, PurePosixPath
from typing import IO

from .. import paths
from . import elf
from .debian import Archive, UnavailableError, version_of
from .releases import GFX, SYSTEM, AmdLibrary, Release

Say = Callable[[str], None]
_ROOM = 4 << 30  # of the disk, while the largest package is unpacked
_SECTION = ".hip_fatbin"  # the kernels inside the library
_PUNCH, _KEEP_SIZE = 2, 1  # fallocate's flags


@dataclass(frozen=True, slots=True)
class Fetched:
    """One library of AMD's, or the C library and what goes with it; `file` is below the release's folder, "" for the latter."""

    packages: dict[str, str]  # name -> version, the library's own first
    date: str
    file: str


@dataclass(frozen=True, slots=True)
class Have:
    """What is there of a release, of the libraries that were asked for."""

    packages: dict[str, str]  # name -> version: of the first library first
    files: tuple[str, ...]  # below the release's folder, in the order of the libraries

    @property
    def version(self) -> str:
        """7.2.4-1~exp1 → 7.2.4: of the first library."""
        return re.split(r"[+~-]", next(iter(self.packages.values())))[0]


def folder(release: Release) -> Path:
    return paths.cache_dir() / "amd-host" / release.name


def _wanted_parts(release: Release, libraries: Sequence[AmdLibrary]) -> dict[str, tuple[tuple[str, ...], str]]:
    """By name: the packages, and the file. Raises `UnavailableError` where Debian has none."""
    found: dict[str, tuple[tuple[str, ...], str]] = {}
    for library in libraries:
        part = library.parts.get(release.name)
        if part is None:
            raise UnavailableError(f"Debian's {' and '.join(release.suites)} has no {library.title}")
        found[library.name] = ((part.package, *part.companions), part.file)
    found["system"] = (SYSTEM, "")
    return found


def _known(release: Release, name: str) -> Fetched | None:
    """What was fetched before of a library, if it is there."""
    try:
        raw = json.loads((folder(release) / "have" / f"{name}.json").read_text(encoding="utf-8"))
        fetched = Fetched(**raw)
    except (OSError, ValueError, TypeError):
        return None
    return fetched if not fetched.file or (folder(release) / fetched.file).is_file() else None


def fetch(release: Release, libraries: Sequence[AmdLibrary], say: Say) -> Have:
    """What is there, or what Debian's archive has now. Raises `UnavailableError`, by name, where it has it not."""
    place = folder(release)
    try:
        wanted = _wanted_parts(release, libraries)
        missing = {name: part for name, part in wanted.items() if not _known(release, name)}
        if missing:
            place.mkdir(parents=True, exist_ok=True)
            _room(place)
            _fetch(release, place, missing, say)
    except UnavailableError as error:
        raise UnavailableError(f"ROCm {release.name} cannot be had: {error}") from error
    except OSError as error:
        raise UnavailableError(f"ROCm {release.name}: {error.filename or place}: {error.strerror}") from error
    got = [fetched for name in wanted if (fetched := _known(release, name))]
    packages = {name: version for fetched in got for name, version in fetched.packages.items()}
    return Have(packages, tuple(fetched.file for fetched in got if fetched.file))


def _room(place: Path) -> None:
    free = shutil.disk_usage(place).free
    if free < _ROOM:
        raise UnavailableError(
            f"unpacking takes up to {_ROOM >> 30} GB, and {place} has {free / 2**30:.1f} left. "
            "Another place: DRAGOMAN_CACHE=DIR"
        )


def _fetch(release: Release, place: Path, parts: Mapping[str, tuple[tuple[str, ...], str]], say: Say) -> None:
    with tempfile.TemporaryDirectory(dir=place.parent, prefix=f".{release.name}-") as scratch:
        work = Path(scratch)
        say(f"ROCm {release.name}: reading the lists of {' and '.join(release.suites)}")
        archive = Archive(work / "apt", release.suites)
        for part, (packages, file) in parts.items():
            new = work / part
            versions: dict[str, str] = {}
            for package in packages:
                name = package.split("/")[0]
                say(f"ROCm {release.name}: fetching {name}")
                got = archive.download(package, work / "packages")
                versions[name] = version_of(got)
                _unpack(got, new / ("system" if part == "system" else "real"))
                got.unlink()
                _settle(new / "real")
            if file and not (new / "real" / file).is_file():
                raise UnavailableError(f"no {file} in {packages[0]}")
            _move(new, place)
            fetched = Fetched(versions, date.today().isoformat(), f"real/{file}" if file else "")
            have = place / "have" / f"{part}.json"
            have.parent.mkdir(exist_ok=True)
            have.write_text(json.dumps(asdict(fetched), indent=1), encoding="utf-8")


def _move(new: Path, place: Path) -> None:
    """Everything below `new` to its place, whatever was there of that name."""
    for path in sorted(new.rglob("*")):
        if path.is_dir() and not path.is_symlink():
            continue
        to = place / path.relative_to(new)
        to.parent.mkdir(parents=True, exist_ok=True)
        path.replace(to)


def tables(home: Path) -> Path:
    """rocBLAS's tables of solutions."""
    return next((home / "real" / "rocblas").glob("*/library"), home / "real")


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
