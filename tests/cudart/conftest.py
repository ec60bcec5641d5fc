"""C programs against the built CUDA runtime and driver, over the CPU backend.

`DRAGOMAN_TEST_BUILD` names a folder as `dragoman build --out` lays it out; otherwise it is built here, once for all workers.
"""

from __future__ import annotations

import os
import shutil
import sys
import time
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent))  # cudart_programs.py

from cudart_programs import Built


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> Built:
    programs = tmp_path_factory.mktemp("programs")
    named = os.environ.get("DRAGOMAN_TEST_BUILD")
    if named:
        return Built(Path(named), programs)
    shared = tmp_path_factory.getbasetemp()
    if os.environ.get("PYTEST_XDIST_WORKER"):
        shared = shared.parent
    return Built(_build_once(shared / "cudart-libraries"), programs)


def _build_once(out: Path) -> Path:
    """The first worker builds, the others wait."""
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

    build_all(out, libraries=("cudart", "cuda"))
    done.touch()
    return out


@pytest.fixture
def valgrind() -> tuple[str, ...]:
    """The command that runs a program under valgrind; a finding or a leak ends it with 9."""
    if shutil.which("valgrind") is None:
        pytest.skip("valgrind looks for leaks and invalid accesses (apt-get install valgrind)")
    return ("valgrind", "-q", "--leak-check=full", "--errors-for-leak-kinds=definite,possible", "--error-exitcode=9")
