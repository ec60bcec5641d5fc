"""libMIOpen of the CPU backend, built once a session and called through ctypes.

`DRAGOMAN_TEST_CPU` names a folder with a built one; otherwise it is built here, from the cache where nothing changed.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent))  # miopen_client.py, miopen_naive.py

from miopen_client import Miopen


@pytest.fixture(scope="session")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = os.environ.get("DRAGOMAN_TEST_CPU")
    if folder:
        return Path(folder) / "libMIOpen.so.1"
    from dragoman.build.builder import build
    from dragoman.build.openblas import find_openblas
    from dragoman.build.toolchain import LINUX, find_toolchain
    from dragoman.generate import cpu_miopen

    sources = tmp_path_factory.mktemp("cpu_miopen_sources")
    for name, text in cpu_miopen.generate().items():
        (sources / name).write_text(text, encoding="utf-8")
    plan = cpu_miopen.library(sources, find_openblas(LINUX), "linux")
    return build([plan], LINUX, find_toolchain(), tmp_path_factory.mktemp("cpu_miopen")).libraries[0]


@pytest.fixture(scope="session")
def session_miopen(library: Path) -> Miopen:
    return Miopen(library)


@pytest.fixture
def api(session_miopen: Miopen) -> Iterator[Miopen]:
    """The library with a fresh handle; what a test makes is destroyed after it."""
    session_miopen.open()
    yield session_miopen
    session_miopen.close()
