"""Fused operations whose activation makes the difference: the suite draws these among others, and not in each run."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from dragoman.parity.dnn import call

CASES = [
    dict(shared, activation=activation)
    for activation in ("relu", "identity", "absent")
    for shared in (
        {"operation": "wgrad", "type": "f32", "scaled": 0},
        {"operation": "wgrad", "type": "f16", "scaled": 1},
        {"operation": "masking", "type": "f32", "z": "scaled"},
        {"operation": "masked", "type": "bf16", "z": "plain"},
        {"operation": "masked", "type": "f16", "z": "none"},
    )
]


@pytest.mark.parametrize("version", [8, 9])
def test_activations_of_fused_operations(folder: Path, version: int) -> None:
    done = subprocess.run(
        [sys.executable, __file__, str(folder), str(version)], capture_output=True, text=True, check=False, timeout=120
    )
    assert done.returncode == 0, (done.stdout + done.stderr)[-2000:]


def main(folder: str, version: int) -> None:
    wrong = [case for case in CASES if not call("cudnnFusedOpsExecute", subject=folder, cudnn=version, **case).ok]
    assert not wrong, wrong


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
