"""dragoman_core: its sources (Cython without Python, see core.pyx), and what the build needs to know of them."""

from __future__ import annotations

from ..build.plan import Library, Unit
from ..paths import package_dir

EXPORT = "dragoman_core_table"
_FILES = {"linux": "libdragoman_core.so.1", "windows": "dragoman_core_1.dll"}


def core_library(target: str, folder: str = "") -> Library:
    """The core for a target (`linux`, `windows`), to be built into `folder`."""
    package = package_dir()
    unit = Unit("core/core.pyx", package / "core" / "core.pyx", include_dirs=(package / "runtime", package / "core"))
    return Library(_FILES[target], units=(unit,), exports=(EXPORT,), folder=folder)


def library_unit() -> Unit:
    """The part that every replacement library holds: opening the core, and asking it (runtime/library.pyx)."""
    runtime = package_dir() / "runtime"
    return Unit("runtime/library.pyx", runtime / "library.pyx", include_dirs=(runtime,), defines=("DRAGOMAN_LIBRARY",))
