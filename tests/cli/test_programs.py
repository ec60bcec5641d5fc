"""Programs written for NVIDIA's libraries, built with our headers by the lines in their first comment, and run."""

from __future__ import annotations

from pathlib import Path

import pytest
from as_user import PROGRAMS as HERE
from as_user import User, line, shell

PROGRAMS = sorted([*HERE.glob("*.c"), *HERE.glob("*.cpp")])


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda p: p.name)
def test_program(program: Path, place: tuple[Path, User]) -> None:
    folder, environment = place
    built = shell(line(program, "BUILD"), environment, folder)
    assert built.returncode == 0, built.stderr
    ran = shell(line(program, "RUN"), environment, folder)
    assert ran.returncode == 0, ran.stderr
