"""The command line and the built libraries, for programs that are compiled and run as a user would."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent))  # as_user

from as_user import Dragoman, Ran, User, environment


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
