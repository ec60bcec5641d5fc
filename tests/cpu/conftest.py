"""librocblas, librocsolver and libhipblaslt of the CPU backend, built once a session and called through ctypes.

`DRAGOMAN_TEST_CPU` names a folder with a built one; otherwise it is built here, from the cache where nothing changed.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent))  # client.py
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # facts

from client import Rocblas, Rocsolver
from dragoman.tables.loader import load
from dragoman.tables.model import Tables


@pytest.fixture(scope="session")
def tables() -> Tables:
    return load()


@pytest.fixture(scope="session")
def library(tables: Tables, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = os.environ.get("DRAGOMAN_TEST_CPU")
    if folder:
        return Path(folder) / "librocblas.so.5"
    from dragoman.build.builder import build
    from dragoman.build.openblas import find_openblas
    from dragoman.build.toolchain import LINUX, find_toolchain
    from dragoman.generate import cpu_hipblaslt, cpu_rocblas, cpu_rocsolver

    out = tmp_path_factory.mktemp("cpu")
    plans = []
    for maker in (cpu_rocblas, cpu_rocsolver):
        sources = out / "src" / maker.__name__
        sources.mkdir(parents=True)
        for name, text in maker.generate(tables).items():
            (sources / name).write_text(text, encoding="utf-8")
        plans.append(maker.library(tables, sources, find_openblas(LINUX), "linux"))
    plans.append(cpu_hipblaslt.library(find_openblas(LINUX), "linux"))
    return build(plans, LINUX, find_toolchain(), out).libraries[0]


@pytest.fixture(scope="session")
def session_rocblas(library: Path) -> Rocblas:
    return Rocblas(library)


@pytest.fixture
def rocblas(session_rocblas: Rocblas) -> Iterator[Rocblas]:
    """The library with a fresh handle."""
    session_rocblas.open()
    yield session_rocblas
    session_rocblas.close()


@pytest.fixture(scope="session")
def session_rocsolver(library: Path) -> Rocsolver:
    return Rocsolver(library.with_name("librocsolver.so.0"))


@pytest.fixture
def rocsolver(session_rocsolver: Rocsolver, rocblas: Rocblas) -> Rocsolver:
    """The library with a fresh handle of rocBLAS."""
    session_rocsolver.handle = rocblas.handle
    return session_rocsolver
