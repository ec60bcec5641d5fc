"""Clients that others wrote, from the package registry, unmodified."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from as_user import Dragoman, User, shell
from dragoman.coverage import clients

HERE = Path(__file__).resolve().parent
pytestmark = [pytest.mark.network, pytest.mark.slow]


def install(folder: Path, *packages: str) -> None:
    ran = subprocess.run(
        [sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--target", str(folder), *packages],
        text=True,
        capture_output=True,
        check=False,
    )
    if ran.returncode:
        pytest.skip(f"cannot be had from the package registry: {ran.stderr.strip().splitlines()[-1]}")


@pytest.fixture(scope="session")
def scikit_cuda(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """scikit-cuda with the setuptools it needs, and an empty package that says it is pycuda: the bindings of cuBLAS
    never use it, but its metadata is asked for."""
    folder = tmp_path_factory.mktemp("scikit-cuda")
    install(folder, "scikit-cuda==0.5.3", "setuptools<81", "mako")
    stub = folder / "pycuda-2025.1.dist-info"
    stub.mkdir()
    (stub / "METADATA").write_text("Metadata-Version: 2.1\nName: pycuda\nVersion: 2025.1\n", encoding="utf-8")
    return folder


@pytest.mark.parametrize("major", [11, 12, 13])
def test_scikit_cuda(major: int, scikit_cuda: Path, user: User, dragoman: Dragoman, tmp_path: Path) -> None:
    """It opens libcuda.so, libcudart.so and libcublas.so by these names. What it calls is what coverage says of it."""
    libraries = dragoman("lib-dir", "--cuda", str(major), "--driver").stdout.strip()
    assert {"libcuda.so", "libcudart.so", "libcublas.so"} <= set(os.listdir(libraries))
    environment = {**user, "PYTHONPATH": str(scikit_cuda), "LD_LIBRARY_PATH": libraries, "PYTHONWARNINGS": "ignore"}
    ran = shell(f'"{sys.executable}" "{HERE / "clients" / "skcuda_blas.py"}"', environment)
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.startswith("done ")
    log = tmp_path / "calls.log"
    traced = {**environment, "DRAGOMAN_LOG": "trace", "DRAGOMAN_LOG_FILE": str(log)}
    ran = shell(f'"{sys.executable}" "{HERE / "clients" / "skcuda_blas.py"}"', traced)
    assert ran.returncode == 0, ran.stderr
    called = clients.calls(log.read_text(encoding="utf-8"))
    assert called == set(clients.recorded()["scikit-cuda 0.5.3"]["functions"]), (
        f"record {log} anew: clients.py says how"
    )


def test_scikit_cuda_by_run(scikit_cuda: Path, user: User) -> None:
    environment = {**user, "PYTHONPATH": os.pathsep.join([str(scikit_cuda), user.get("PYTHONPATH", "")])}
    line = f'dragoman run -- "{sys.executable}" -W ignore "{HERE / "clients" / "skcuda_blas.py"}"'
    ran = shell(line, environment)
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.startswith("done ")
