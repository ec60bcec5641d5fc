"""Garbage gets cuDNN's status and never a crash; nothing is read that is not ours, nothing is lost."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from conftest import Subject

SCENARIOS = {
    "garbage": (),
    "unset": (),
    "overflow": (),
    "threads": (),
    "shared": (),
    "cycles": ("200",),
    "resized": ("20",),
    "reshaped": ("20",),
    "fork": (),
    "reload": (),
    "streams": (),
    "crowded": (),
    "exit": (),
}
MAJORS = (8, 9)


@pytest.mark.parametrize("scenario", SCENARIOS)
@pytest.mark.parametrize("major", MAJORS)
def test_answers(cudnns: dict[int, Subject], major: int, scenario: str) -> None:
    count = ("2000",) if SCENARIOS[scenario] else ()
    ran = cudnns[major].run(scenario, *count)
    assert ran.fine, ran


@pytest.mark.parametrize("scenario", SCENARIOS)
@pytest.mark.parametrize("major", MAJORS)
def test_valgrind_finds_nothing(watched_cudnns: dict[int, Subject], major: int, scenario: str) -> None:
    ran = watched_cudnns[major].run(scenario, *SCENARIOS[scenario])
    assert ran.fine, ran


@pytest.mark.parametrize("major", MAJORS)
def test_each_part_by_itself(cudnns: dict[int, Subject], major: int) -> None:
    """Loaded and unloaded alone, and with the whole library beside it."""
    subject = cudnns[major]
    parts = sorted(subject.path.parent.glob(f"libcudnn_*.so.{major}"))
    assert len(parts) > 5
    for part in parts:
        ran = subject.run("part", str(part))
        assert ran.fine, (part.name, ran)


@pytest.mark.parametrize("major", MAJORS)
def test_objects_of_one_part_serve_another(cudnns: dict[int, Subject], major: int) -> None:
    script = Path(__file__).with_name("mixed.py")
    done = subprocess.run(
        [sys.executable, str(script), str(cudnns[major].path.parent), str(major)],
        env=os.environ | {"DRAGOMAN_BACKEND": "cpu"}, capture_output=True, text=True, check=False, timeout=60,
    )  # fmt: skip
    assert (done.returncode, done.stdout) == (0, "ok\n"), done.stderr
