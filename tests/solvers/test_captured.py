"""What cannot be captured into a graph is refused before it asks HIP for what would end the capture."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import Any

import pytest

NOT_SUPPORTED = 3000
SCRIPT = """
import sys
from dragoman.parity.dnn import call
outcome = call(sys.argv[1], subject=sys.argv[2], backend=sys.argv[3])
print(outcome.function, outcome.status)
"""


@pytest.mark.parametrize("captured", [False, True], ids=["free", "captured"])
@pytest.mark.parametrize("name", ["cudnnCTCLoss", "cudnnCTCLoss_v8"])
def test_a_ctc_loss_on_a_captured_stream(bench: Any, name: str, captured: bool) -> None:
    env = {k: v for k, v in os.environ.items() if not k.startswith(("DRAGOMAN_", "SHIM_", "LD_"))}
    cpu = bench.libraries.parent / "cpu"
    env |= {"SHIM_REAL_DNN": str(cpu / "libMIOpen.so.1"), "SHIM_REAL_HIP": str(cpu / "libamdhip64.so.7")}
    env |= {"SHIM_CAPTURING": "1"} if captured else {}
    command = [sys.executable, "-c", SCRIPT, name, str(bench.libraries), str(bench.shims)]
    done = subprocess.run(command, env=env, capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-1] == (f"{name} {NOT_SUPPORTED}" if captured else " 0")
