"""Plain C programs linked with NVIDIA's own CUDA runtime: recognised, and refused with what to do (docs/static-runtime.md)."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from dragoman.run import program

pytestmark = [pytest.mark.network, pytest.mark.slow]
MAJORS = [11, 12, 13]


@pytest.mark.parametrize("major", MAJORS)
def test_the_runtime_is_refused_with_what_to_do(
    major: int,
    compiled: Callable[..., Path],
    runtime: Callable[[int], tuple[str, ...]],
    dragoman: Callable[..., object],
) -> None:
    """It fails by its own error, and one line says why and what to do; no crash, no wrong number."""
    path = compiled("runtime", major, *runtime(major))
    ran = dragoman("run", "--", str(path), str(major), f"libcublas.so.{major}")
    assert isinstance(ran, subprocess.CompletedProcess)
    assert ran.returncode == 1
    assert "wants a proof that its driver is NVIDIA's" in ran.stderr
    assert "nvcc --cudart shared" in ran.stderr


@pytest.mark.parametrize("major", [12, 13])
def test_recognised(major: int, compiled: Callable[..., Path], runtime: Callable[[int], tuple[str, ...]]) -> None:
    assert program.look(compiled("kernel", major, *runtime(major))).static_runtime
