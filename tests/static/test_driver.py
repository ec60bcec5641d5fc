"""The driver answers what runtimes ask; no program of NVIDIA's is needed."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

Dragoman = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.mark.parametrize("major", [11, 12, 13])
def test_what_runtimes_ask(major: int, compiled: Callable[..., Path], dragoman: Dragoman, user: dict[str, str]) -> None:
    libraries = dragoman("lib-dir", "--cuda", str(major), "--driver").stdout.strip()
    ran = subprocess.run(
        [str(compiled("asker", major)), str(major)],
        env={**user, "LD_LIBRARY_PATH": libraries},
        text=True,
        capture_output=True,
        timeout=60,
        check=False,
    )
    assert (ran.returncode, ran.stdout) == (0, "done\n"), ran.stderr
    assert "nobody has described the table 00000000000000000000000000000000" in ran.stderr
    assert "D100 cuGetExportTable is not supported: table runtime, entry 9: nobody has described" in ran.stderr
