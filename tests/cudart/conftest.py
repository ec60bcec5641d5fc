"""C programs against the built CUDA runtime and driver, over the CPU backend.

`DRAGOMAN_TEST_BUILD` names a folder as `dragoman build --out` lays it out; otherwise it is built here, once for all workers.
"""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent))  # cudart_programs.py

from cudart_programs import Built


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory, build_once: Callable[..., Path]) -> Built:
    programs = tmp_path_factory.mktemp("programs")
    named = os.environ.get("DRAGOMAN_TEST_BUILD")
    if named:
        return Built(Path(named), programs)
    return Built(build_once("cudart-libraries", libraries=("cudart", "cuda")), programs)


@pytest.fixture
def valgrind() -> tuple[str, ...]:
    """The command that runs a program under valgrind; a finding or a leak ends it with 9."""
    if shutil.which("valgrind") is None:
        pytest.skip("valgrind looks for leaks and invalid accesses (apt-get install valgrind)")
    return ("valgrind", "-q", "--leak-check=full", "--errors-for-leak-kinds=definite,possible", "--error-exitcode=9")
