"""Where the parts of an installation are: tables, Cython sources, built libraries, cache."""

from __future__ import annotations

import os
import sys
from pathlib import Path


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


def cache_dir() -> Path:
    """The user's cache folder for dragoman; not created here.

    `DRAGOMAN_CACHE` overrides it; otherwise the platform's convention is followed.
    """
    override = os.environ.get("DRAGOMAN_CACHE")
    if override:
        return Path(override)
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA", str(Path.home() / "AppData" / "Local"))) / "dragoman" / "cache"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "dragoman"


def shipped_libraries() -> Path | None:
    """Folder of the libraries that the wheel carries (`lib/<target>/…` below it), or None in a checkout."""
    shipped = package_dir() / "lib"
    return shipped if shipped.is_dir() else None


def default_out() -> Path:
    """Where `dragoman build` writes without `--out`."""
    return cache_dir() / "build"
