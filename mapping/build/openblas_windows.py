"""OpenBLAS for Windows, for a CPU backend that is built on any system.

On Windows the installed `scipy-openblas64` has it. On Linux that package holds Linux's library, and pip fetches the
other one when asked:

    pip download --no-deps --platform win_amd64 --only-binary=:all: -d FOLDER scipy-openblas64

The build finds it in FOLDER where DRAGOMAN_OPENBLAS_WINDOWS names that folder (or the wheel in it), or where FOLDER is
`openblas-windows` in the cache folder. Nothing is fetched here: a build asks no network.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import sys
import tempfile
import zipfile
from dataclasses import dataclass
from pathlib import Path

from ..paths import cache_dir
from .openblas import OpenBlas
from .plan import BuildError, ExtraFile

VARIABLE = "DRAGOMAN_OPENBLAS_WINDOWS"
PACKAGE = "scipy_openblas64"
DLL = "libscipy_openblas64_.dll"
IMPORT_LIBRARY = "libscipy_openblas64_.lib"
_WHEELS = f"{PACKAGE}-*-win_amd64.whl"


@dataclass(frozen=True, slots=True)
class WindowsOpenBlas(OpenBlas):
    """`library`, which is linked with, is the import library here; the DLL is what travels."""

    dll: Path

    @property
    def extra_files(self) -> tuple[ExtraFile, ...]:
        licences = (ExtraFile(f"OpenBLAS-{path.name}", path) for path in self.licences)
        return (ExtraFile(self.dll.name, self.dll), *licences)


def find_windows_openblas() -> OpenBlas:
    """The DLL, its import library and licence; a BuildError says how to get them."""
    for place in _places():
        found = _in(place)
        if found is not None:
            return found
    wanted = os.environ.get(VARIABLE)
    if wanted:
        raise BuildError(f"{VARIABLE}={wanted}: there is no {_WHEELS} and no unpacked one")
    raise BuildError(
        "no OpenBLAS for Windows: pip download --no-deps --platform win_amd64 --only-binary=:all: "
        f"-d {_kept()} scipy-openblas64"
    )


def state() -> str:
    """Changes where a build would find another OpenBLAS than before, or none; cheap."""
    found = []
    for place in _places():
        for path in (place, place / PACKAGE / "lib" / DLL, *sorted(place.glob(_WHEELS))):
            if path.is_file():
                info = path.stat()
                found.append(f"{path} {info.st_size} {info.st_mtime_ns}")
    return "\n".join(found)


def _kept() -> Path:
    return cache_dir() / "openblas-windows"


def _places() -> list[Path]:
    """Where to look, in this order."""
    wanted = os.environ.get(VARIABLE)
    if wanted:
        return [Path(wanted)]
    installed = [Path(path) for path in sys.path if sys.platform == "win32" and path]
    return [_kept(), *installed]


def _in(place: Path) -> OpenBlas | None:
    """What a folder or a wheel holds."""
    if place.is_file():
        return _read(_unpacked(place))
    found = _read(place)
    if found is None:
        wheels = sorted(place.glob(_WHEELS), key=lambda wheel: wheel.stat().st_mtime)
        found = _read(_unpacked(wheels[-1])) if wheels else None
    return found


def _read(folder: Path) -> OpenBlas | None:
    """An unpacked wheel, or a folder of installed packages."""
    lib = folder / PACKAGE / "lib"
    if not (lib / DLL).is_file() or not (lib / IMPORT_LIBRARY).is_file():
        return None
    licences = sorted(folder.glob(f"{PACKAGE}-*.dist-info/**/LICEN[SC]E*"))
    if not licences:
        raise BuildError(f"{folder} has OpenBLAS without its licence, which must travel with it")
    return WindowsOpenBlas(lib / IMPORT_LIBRARY, tuple(licences), lib / DLL)


def _unpacked(wheel: Path) -> Path:
    """A folder in the cache with the wheel's content, made once."""
    try:
        folder = _kept() / hashlib.sha256(wheel.read_bytes()).hexdigest()[:32]
        if not folder.is_dir():
            _kept().mkdir(parents=True, exist_ok=True)
            new = Path(tempfile.mkdtemp(prefix=".new-", dir=_kept()))
            try:
                with zipfile.ZipFile(wheel) as archive:
                    archive.extractall(new)
                new.rename(folder)
            except OSError:
                if not folder.is_dir():  # else another build was faster
                    raise
            finally:
                shutil.rmtree(new, ignore_errors=True)
    except zipfile.BadZipFile as error:
        raise BuildError(f"{wheel} is no wheel: {error}") from error
    except OSError as error:
        raise BuildError(f"cannot unpack {wheel}: {error.strerror or error}") from error
    return folder
