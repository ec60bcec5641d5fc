"""OpenBLAS as the `scipy-openblas64` package carries it, for the CPU backend.

Its file is linked with, copied beside the CPU backend's libraries and found there through `$ORIGIN`. The licence
travels with it, whole.
"""

from __future__ import annotations

import importlib.util
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, files
from pathlib import Path

from .plan import BuildError, ExtraFile
from .toolchain import Target

_PACKAGE = "scipy-openblas64"
_FILES = {"linux": "libscipy_openblas64_.so", "windows": "libscipy_openblas64_.dll"}


@dataclass(frozen=True, slots=True)
class OpenBlas:
    """`library` goes into Library.libs, `extra_files` into Library.extra_files."""

    library: Path
    licences: tuple[Path, ...]

    @property
    def extra_files(self) -> tuple[ExtraFile, ...]:
        licences = (ExtraFile(f"OpenBLAS-{path.name}", path) for path in self.licences)
        return (ExtraFile(self.library.name, self.library), *licences)


def find_openblas(target: Target) -> OpenBlas:
    """The installed package's files; a wheel for another system than this one's holds another library."""
    if target.name == "windows":
        from .openblas_windows import find_windows_openblas

        return find_windows_openblas()
    spec = importlib.util.find_spec("scipy_openblas64")
    if spec is None or not spec.submodule_search_locations:
        raise BuildError(f"no OpenBLAS for the CPU backend: pip install {_PACKAGE}")
    folder = Path(spec.submodule_search_locations[0])
    library = folder / "lib" / _FILES[target.name]
    if not library.is_file():
        raise BuildError(f"the installed {_PACKAGE} has no {library.name}: it is for another system than {target.name}")
    return OpenBlas(library, _licences())


def _licences() -> tuple[Path, ...]:
    try:
        listed = files(_PACKAGE) or []
    except PackageNotFoundError:
        listed = []
    found = sorted(
        Path(str(entry.locate()))
        for entry in listed
        if entry.name.upper().startswith(("LICENSE", "LICENCE")) and ".dist-info" in str(entry)
    )
    if not found:
        raise BuildError(f"{_PACKAGE} is installed without its licence, which must travel with OpenBLAS")
    return tuple(found)
