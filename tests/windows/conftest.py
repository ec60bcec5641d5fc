"""The Windows libraries, cross-built on this machine."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # facts

from dragoman.build.all import build_all
from dragoman.build.openblas_windows import VARIABLE, find_windows_openblas
from dragoman.build.plan import BuildError


@pytest.fixture(scope="session")
def windows(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A build tree's `windows` folder, without the CPU backend where there is no OpenBLAS for it."""
    out = tmp_path_factory.mktemp("windows")
    build_all(out, targets=("windows",))
    return out / "windows"


@pytest.fixture(scope="session")
def openblas_wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with OpenBLAS's wheel for Windows, the one that is here or one fetched by pip."""
    try:
        return find_windows_openblas().library.parents[2]
    except BuildError as error:
        if os.environ.get(VARIABLE):
            raise
        folder = tmp_path_factory.mktemp("openblas")
        command = str(error).partition(": ")[2].split()  # the message is the remedy
        command[command.index("-d") + 1] = str(folder)
        assert command[:2] == ["pip", "download"]
        done = subprocess.run(
            [sys.executable, "-m", *command], capture_output=True, text=True, timeout=300, check=False
        )
        if done.returncode:
            pytest.skip(f"OpenBLAS for Windows cannot be had: {(done.stderr.strip().splitlines() or ['?'])[-1]}")
        return folder


@pytest.fixture(scope="session")
def windows_with_cpu(tmp_path_factory: pytest.TempPathFactory, openblas_wheel: Path) -> Path:
    """A whole build tree for CUDA 12, headers and CPU backend included."""
    out = tmp_path_factory.mktemp("windows-cpu")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(VARIABLE, str(openblas_wheel))
        build_all(out, targets=("windows",), majors=(12,))
    assert (out / "windows" / "cpu" / "rocblas.dll").is_file(), "the build did not take the OpenBLAS that it was given"
    return out


@pytest.fixture(scope="session")
def wine(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., subprocess.CompletedProcess[str]]:
    """Runs a program under Wine, in a prefix that only this process has: two that make one prefix at once get in each other's way."""
    found = shutil.which("wine64") or next((p for p in ("/usr/lib/wine/wine64",) if os.access(p, os.X_OK)), None)
    if found is None:
        pytest.skip("wine64 runs the Windows programs (apt-get install wine64)")
    own = {"WINEPREFIX": str(tmp_path_factory.mktemp("wine") / "prefix"), "WINEDEBUG": "-all"}

    def run(*command: str, cwd: Path, env: dict[str, str]) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [found, *command], cwd=cwd, env=env | own, capture_output=True, encoding="utf-8", timeout=300, check=False
        )

    made = run("wineboot", "--init", cwd=tmp_path_factory.getbasetemp(), env=dict(os.environ))
    assert made.returncode == 0, f"Wine made no prefix: {made.stderr}"
    return run
