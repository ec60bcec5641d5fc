"""What is kept of a call has a room of a size that the compiler knows: what does not fit ends the build, not a program."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from dragoman.paths import package_dir

NODE = """
#include "graph.h"
int run(void *record);
void *kept(host_recorded *to);
void *kept(host_recorded *to) { return host_record_room(to, run, SIZE); }
"""
CONTEXT = """
#include "miopen.h"
int work(mi_handle *handle, mi_job job, void *context);
int work(mi_handle *handle, mi_job job, void *context) { return mi_work(handle, 1, 1, job, context, SIZE); }
"""


@pytest.mark.parametrize(("source", "room"), [(NODE, 256), (CONTEXT, 2048)], ids=["node", "context"])
def test_what_does_not_fit_ends_the_build(tmp_path: Path, source: str, room: int) -> None:
    assert compiled(tmp_path, source, room) == ""
    assert "fit" in compiled(tmp_path, source, room + 1)


def compiled(folder: Path, text: str, size: int) -> str:
    """What the compiler says."""
    source = folder / "room.c"
    source.write_text(text, encoding="ascii")
    cpu = package_dir() / "cpu"
    places = [cpu / name for name in ("hip", "miopen", "record", "crew", "rocblas")] + [package_dir() / "runtime"]
    command = [sys.executable, "-m", "ziglang", "cc", "-std=gnu11", "-c", "-Werror", f"-DSIZE={size}"]
    done = subprocess.run(
        [*command, *(f"-I{place}" for place in places), str(source), "-o", str(folder / "room.o")],
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert (done.returncode == 0) == (done.stderr == ""), done.stderr
    return done.stderr
