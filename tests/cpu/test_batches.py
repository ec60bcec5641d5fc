"""Threads share the members of a batch: the same bits as one member after another, whichever thread computes it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

CHILD = Path(__file__).with_name("batches.py")


@pytest.mark.skipif(sys.platform != "linux", reason="threads are counted in Linux's /proc")
def test_threads_share_the_members(library: Path) -> None:
    """Each library has a thread of its own for each processor but the caller's."""
    solver = library.with_name("librocsolver.so.0")
    done = subprocess.run(
        [sys.executable, str(CHILD), str(library), str(solver)],
        env={**os.environ, "OPENBLAS_NUM_THREADS": "4"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    said = json.loads(done.stdout)
    assert said["wrong"] == []
    assert said["workers"] == said["expected"]
