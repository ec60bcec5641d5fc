"""The fake subjects lie beside these tests; children of the runner find them too."""

from __future__ import annotations

import os
import sys
import time
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
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Libraries over the CPU backend."""
    named = os.environ.get("DRAGOMAN_TEST_LIBRARIES")
    if named:
        return Path(named)
    if paths.shipped_libraries():
        return default_subject(MAJOR)
    return _built(tmp_path_factory.getbasetemp().parent / "parity-libraries") / "linux" / f"cuda{MAJOR}"


def _built(out: Path) -> Path:
    """Build once for all workers of pytest-xdist: the first one builds, the others wait."""
    done = out.with_suffix(".done")
    try:
        os.close(os.open(out.with_suffix(".lock"), os.O_CREAT | os.O_EXCL))
    except FileExistsError:
        for _ in range(600):
            if done.exists():
                return out
            time.sleep(0.5)
        pytest.fail("another worker has not built the libraries within five minutes")
    from dragoman.build.all import build_all

    build_all(out, majors=(MAJOR,))
    done.touch()
    return out
