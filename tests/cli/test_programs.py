"""Programs written for NVIDIA's libraries, built with our headers by the lines in their first comment, and run."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from as_user import Dragoman, User, shell

HERE = Path(__file__).resolve().parents[1] / "programs"
PROGRAMS = sorted([*HERE.glob("*.c"), *HERE.glob("*.cpp")])
MAJORS = ("11", "12", "13")


def line(program: Path, word: str) -> str:
    """What a program's first comment says after BUILD: or RUN:."""
    found = re.search(rf"^\W*{word}: (.+)$", program.read_text(encoding="utf-8"), re.MULTILINE)
    assert found, f"{program.name} does not say {word}:"
    return found[1]


@pytest.fixture(scope="session", params=MAJORS)
def place(
    request: pytest.FixtureRequest,
    user: User,
    dragoman: Dragoman,
    compiler: str,
    tmp_path_factory: pytest.TempPathFactory,
) -> tuple[Path, User]:
    """A folder to build in, and the shell's environment: HEADERS and LIBS of one CUDA version."""
    major = request.param
    folders = {}
    for name, arguments in (("LIBS", ["--driver"]), ("HEADERS", ["--headers"])):
        ran = dragoman("lib-dir", "--cuda", major, *arguments)
        assert ran.returncode == 0, ran.stderr
        folders[name] = ran.stdout.strip()
    return tmp_path_factory.mktemp(f"cuda{major}"), {**user, **folders, "SOURCE": str(HERE)}


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda p: p.name)
def test_program(program: Path, place: tuple[Path, User]) -> None:
    folder, environment = place
    built = shell(line(program, "BUILD"), environment, folder)
    assert built.returncode == 0, built.stderr
    ran = shell(line(program, "RUN"), environment, folder)
    assert ran.returncode == 0, ran.stderr
