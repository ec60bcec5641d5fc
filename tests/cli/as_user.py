"""A user's shell: the environment in which commands and programs run."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

Ran = subprocess.CompletedProcess[str]
Dragoman = Callable[..., Ran]
User = dict[str, str]


def environment(folder: Path) -> User:
    """This machine's, without what would choose a backend, and with a `dragoman` on the path."""
    program = folder / "dragoman"
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m dragoman "$@"\n', encoding="utf-8")
    program.chmod(0o755)
    kept = {k: v for k, v in os.environ.items() if not k.startswith("DRAGOMAN_") or k == "DRAGOMAN_CACHE"}
    kept.pop("LD_LIBRARY_PATH", None)
    return {**kept, "PATH": f"{folder}{os.pathsep}{kept.get('PATH', '')}", "OPENBLAS_NUM_THREADS": "1"}


def shell(line: str, user: User, folder: Path | None = None) -> Ran:
    """A line as pasted into a shell."""
    return subprocess.run(
        line, shell=True, cwd=folder, env=user, text=True, capture_output=True, timeout=300, check=False
    )


PROGRAMS = Path(__file__).resolve().parents[1] / "programs"


def line(program: Path, word: str) -> str:
    """What a program's first comment says after BUILD: or RUN:."""
    found = re.search(rf"^\W*{word}: (.+)$", program.read_text(encoding="utf-8"), re.MULTILINE)
    assert found, f"{program.name} does not say {word}:"
    return found[1]
