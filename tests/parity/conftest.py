"""The fake subjects lie beside these tests; children of the runner find them too."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest
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
