"""Figures of speed: an instruction gate, and benchmarks."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent))  # overhead.py

from overhead import Bench, Route


@pytest.fixture(scope="session")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Bench:
    return Bench(tmp_path_factory.mktemp("bench"))


@pytest.fixture(scope="session")
def zig(bench: Bench) -> Route:
    return bench.ours("zig")


@pytest.fixture(scope="session")
def cc(bench: Bench) -> Route:
    if shutil.which("cc") is None:
        pytest.skip("no system compiler (apt-get install gcc)")
    return bench.ours("cc")


@pytest.fixture(scope="session")
def valgrind() -> None:
    if shutil.which("valgrind") is None:
        pytest.skip("valgrind counts the instructions (apt-get install valgrind)")


@pytest.fixture(scope="session")
def direct(bench: Bench, valgrind: None) -> dict[str, float]:
    """Instructions of a call straight to AMD's library."""
    return bench.instructions(bench.direct)
