"""The command line and the built libraries, for programs that are compiled and run as a user would."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent))  # as_user
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # facts

from as_user import PROGRAMS, Dragoman, Ran, User, environment


@pytest.fixture(scope="session")
def user(tmp_path_factory: pytest.TempPathFactory) -> User:
    """The environment of a user's shell."""
    return environment(tmp_path_factory.mktemp("bin"))


@pytest.fixture(scope="session")
def dragoman(user: User) -> Dragoman:
    """Runs a command of ours and answers what came of it. Keywords go into its environment."""

    def run(*arguments: str, **more: str) -> Ran:
        return subprocess.run(
            ["dragoman", *arguments], env={**user, **more}, text=True, capture_output=True, timeout=600, check=False
        )

    return run


@pytest.fixture(scope="session")
def compiler() -> str:
    found = shutil.which("cc") and shutil.which("c++")
    if not found:
        pytest.skip("no C and C++ compiler on the path")
    return found


MAJORS = ("11", "12", "13")


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
    return tmp_path_factory.mktemp(f"cuda{major}"), {**user, **folders, "SOURCE": str(PROGRAMS)}
