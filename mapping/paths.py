"""Where the parts of an installation are: tables, Cython sources, built libraries, cache."""

from __future__ import annotations

import hashlib
import os
import sys
from functools import cache
from pathlib import Path

from .errors import UserError


@cache
def package_dir() -> Path:
    """Folder of the installed package (`mapping/` in a checkout)."""
    return Path(__file__).resolve().parent


def tables_dir() -> Path:
    """Folder of the YAML tables: package data when installed, `tables/` in a checkout."""
    installed = package_dir() / "data" / "tables"
    return installed if installed.is_dir() else package_dir().parent / "tables"


def exports_dir() -> Path | None:
    """Folder of the lists of what NVIDIA's and AMD's libraries export: package data when installed, the tests' facts in a
    checkout; None where there is neither."""
    for folder in (package_dir() / "data" / "exports", package_dir().parent / "tests" / "facts" / "exports"):
        if folder.is_dir():
            return folder
    return None


def tests_dir() -> Path | None:
    """Folder of the tests: in a checkout; None where dragoman is installed."""
    folder = package_dir().parent / "tests"
    return folder if (folder / "conftest.py").is_file() else None


def cache_dir() -> Path:
    """The user's cache folder for dragoman, absolute; not created here.

    `DRAGOMAN_CACHE` overrides it; otherwise the platform's convention is followed. `UserError` where there is neither.
    """
    override = os.environ.get("DRAGOMAN_CACHE")
    if override:
        return Path(override).absolute()
    # The convention has relative values ignored.
    variable = "LOCALAPPDATA" if sys.platform == "win32" else "XDG_CACHE_HOME"
    named = Path(os.environ.get(variable, ""))
    if sys.platform == "win32":
        return (named if named.is_absolute() else _home() / "AppData" / "Local") / "dragoman" / "cache"
    return (named if named.is_absolute() else _home() / ".cache") / "dragoman"


def _home() -> Path:
    try:
        return Path.home()
    except RuntimeError as error:  # no HOME, and a user that the system does not know
        raise UserError("no home folder to keep a cache in; set HOME or DRAGOMAN_CACHE=DIR") from error


def cannot_write(place: Path, error: OSError) -> str:
    """One line, and what helps where it is the cache folder."""
    other = "; another place: DRAGOMAN_CACHE=DIR" if place.is_relative_to(cache_dir()) else ""
    why = "it is a file, not a folder" if isinstance(error, FileExistsError) else error.strerror or error
    return f"cannot write to {place}: {why}{other}"


def writable(folder: Path) -> None:
    """Refuses a folder that cannot be written, before the work and not after it; makes it where it is not there."""
    import tempfile

    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        raise UserError(cannot_write(folder, error)) from error


def shipped_libraries() -> Path | None:
    """Folder of the libraries that the wheel carries (`lib/<target>/…` below it), or None in a checkout."""
    shipped = package_dir() / "lib"
    return shipped if shipped.is_dir() else None


def default_out() -> Path:
    """Where `dragoman build` writes without `--out`: a folder of this copy's own, as others may share the cache."""
    return cache_dir() / "build" / hashlib.sha256(os.fsencode(package_dir())).hexdigest()[:12]
