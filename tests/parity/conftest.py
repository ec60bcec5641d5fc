"""The fake subjects lie beside these tests; children of the runner find them too."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from dragoman import paths
from dragoman.parity.options import default_subject
from dragoman.tables.loader import load
from dragoman.tables.model import Tables

HERE = str(Path(__file__).resolve().parent)
sys.path.insert(0, HERE)


@pytest.fixture(scope="session")
def tables() -> Tables:
    return load()


@pytest.fixture
def children_find_fakes(monkeypatch: pytest.MonkeyPatch) -> None:
    known = [HERE, os.environ.get("PYTHONPATH", "")]
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(p for p in known if p))


MAJOR = 12  # the CUDA major whose libraries are tried


@pytest.fixture(scope="session")
def folder(build_once: Callable[..., Path]) -> Path:
    """Libraries over the CPU backend."""
    named = os.environ.get("DRAGOMAN_TEST_LIBRARIES")
    if named:
        return Path(named)
    if paths.shipped_libraries():
        return default_subject(MAJOR)
    return build_once("parity-libraries", majors=(MAJOR,)) / "linux" / f"cuda{MAJOR}"
