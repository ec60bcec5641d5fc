"""After the first call with the same descriptors nothing is allocated or locked: each operation of cuDNN's that is composed.

What counts is what our libraries and their core do, not AMD's behind them: memory of the heap and of the card, HIP's events
and streams, MIOpen's descriptors, locks. A new function is tried as soon as it has a procedure.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from dragoman.parity.dnn.registry import PROCEDURES
from dragoman.parity.dnn.runner import DnnOptions, answered

pytestmark = pytest.mark.parity
HERE = Path(__file__).resolve().parent
MAJOR = 12
CHUNK = 12  # functions a child: fewer descriptors than the cache has room for
# They time each algorithm on memory of this call alone, between events of HIP's; NVIDIA's manual says so of its own.
FINDS = ("cudnnFindConvolution", "cudnnFindRNN")


def composed(version: int) -> list[str]:
    options = DnnOptions(subject=None, major=MAJOR, cudnn=version, library=f"cudnn{version}", examples=6, limit=60)
    return [name for name, function in answered(options).items() if function.entry.compose and name in PROCEDURES]


FUNCTIONS = [(version, name) for version in (8, 9) for name in composed(version)]
Found = dict[str, list[Any]]


@pytest.fixture(scope="session")
def counting(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Found]:
    """What a child found about some functions of one version."""
    if sys.platform != "linux" or shutil.which("cc") is None:
        pytest.skip("what is allocated is counted by a preloaded library (apt-get install gcc)")
    library = tmp_path_factory.mktemp("allocations") / "allocations.so"
    source = HERE / "c" / "allocations.c"
    command = ["cc", "-shared", "-fPIC", "-O1", "-Wall", "-Wextra", "-Werror", str(source), "-o", str(library), "-ldl"]
    subprocess.run(command, check=True)
    env = {k: v for k, v in os.environ.items() if not k.startswith(("DRAGOMAN_", "LD_"))}
    env |= {"DRAGOMAN_BACKEND": "cpu", "LD_PRELOAD": str(library)}

    @cache
    def found(version: int, *functions: str) -> Found:
        script = [sys.executable, str(HERE / "allocations.py"), str(folder), str(version), "8", *functions]
        done = subprocess.run(script, env=env, capture_output=True, text=True, check=False, timeout=300)
        assert done.returncode == 0, done.stderr
        answer: Found = json.loads(done.stdout)
        return answer

    return found


@pytest.mark.parametrize(("version", "name"), FUNCTIONS, ids=[f"{name}-{version}" for version, name in FUNCTIONS])
def test_a_second_call_allocates_nothing(counting: Callable[..., Found], version: int, name: str) -> None:
    if name.startswith(FINDS):
        pytest.skip("it times algorithms on memory that is there for this call alone, as NVIDIA's does")
    names = [n for v, n in FUNCTIONS if v == version]
    first = names.index(name) // CHUNK * CHUNK
    calls, *seen = counting(version, *names[first : first + CHUNK])[name]
    assert calls > 0, "no call was answered"
    assert seen == []


def test_what_is_allocated_is_seen(counting: Callable[..., Found]) -> None:
    """The searches do, in every call; first calls allocate in each of the ways that are counted."""
    found = counting(9, "cudnnFindConvolutionForwardAlgorithm", "cudnnActivationBackward")
    assert "calls of AMD's functions that allocate" in found["cudnnFindConvolutionForwardAlgorithm"][1]
    assert min(found[""]) > 0
