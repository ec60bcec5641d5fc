"""What the tests take from the package registry."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent

# The wheels with NVIDIA's runtime. CUDA 11's has no static one: its shared one asks the driver for the same.
WHEELS = {
    11: ("nvidia-cuda-runtime-cu11==11.8.89", "libcudart.so.11.0"),
    12: ("nvidia-cuda-runtime-cu12==12.9.79", "libcudart_static.a"),
    13: ("nvidia-cuda-runtime==13.5.37", "libcudart_static.a"),
}


def install(folder: Path, *packages: str) -> None:
    command = [sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--only-binary=:all:"]
    ran = subprocess.run([*command, "--target", str(folder), *packages], text=True, capture_output=True, check=False)
    if ran.returncode:
        pytest.skip(f"cannot be had from the package registry: {ran.stderr.strip().splitlines()[-1]}")
