"""Tests that call a library directly are programs of their own: two versions of one library never meet in a process."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path


def passes_by_itself(file: str, folder: Path, libraries: tuple[str, ...], seconds: float = 60) -> None:
    """Runs a test file as a program, with the paths of these libraries, on the CPU backend."""
    done = subprocess.run(
        [sys.executable, file, *(str(folder / name) for name in libraries)], env=os.environ | {"DRAGOMAN_BACKEND": "cpu"},
        capture_output=True, text=True, check=False, timeout=seconds,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-2000:]
