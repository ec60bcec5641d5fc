"""Programs with NVIDIA's own CUDA runtime in them, on our driver."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent))  # static_wheels.py

from static_wheels import HERE, WHEELS, install

Ran = subprocess.CompletedProcess[str]
Dragoman = Callable[..., Ran]


@pytest.fixture(scope="session")
def user() -> dict[str, str]:
    """The environment of a user's shell, without what would choose a backend."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith("DRAGOMAN_") or k == "DRAGOMAN_CACHE"}
    kept.pop("LD_LIBRARY_PATH", None)
    return {**kept, "OPENBLAS_NUM_THREADS": "1"}


@pytest.fixture(scope="session")
def dragoman(user: dict[str, str]) -> Dragoman:
    """Runs a command of ours and answers what came of it. Keywords go into its environment."""

    def run(*arguments: str, **more: str) -> Ran:
        command = [sys.executable, "-m", "dragoman", *arguments]
        return subprocess.run(command, env={**user, **more}, text=True, capture_output=True, timeout=600, check=False)

    return run


@pytest.fixture(scope="session")
def compiled(dragoman: Dragoman, tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Path]:
    """Compiles a program of c/ against our headers of one CUDA major."""
    compiler = shutil.which("cc")
    if sys.platform != "linux" or not compiler:
        pytest.skip("no C compiler on the path")
    folder = tmp_path_factory.mktemp("static-programs")

    def compile_(name: str, major: int, *more: str) -> Path:
        headers = dragoman("lib-dir", "--headers", "--cuda", str(major)).stdout.strip()
        program = folder / f"{name}-{major}"
        flags = ["-std=gnu11", "-Wall", "-Wextra", "-Werror", f"-I{headers}", str(HERE / "c" / f"{name}.c")]
        subprocess.run([compiler, *flags, *more, "-lrt", "-ldl", "-lpthread", "-o", str(program)], check=True)
        return program

    return compile_


@pytest.fixture(scope="session")
def runtime(tmp_path_factory: pytest.TempPathFactory) -> Callable[[int], tuple[str, ...]]:
    """What a program is linked with to have NVIDIA's runtime of one CUDA major."""
    found: dict[int, tuple[str, ...]] = {}

    def of(major: int) -> tuple[str, ...]:
        if major not in found:
            package, name = WHEELS[major]
            folder = tmp_path_factory.mktemp(f"runtime-{major}")
            install(folder, package)
            library = next(folder.rglob(name))
            alone = folder / "alone"  # a program must find this file there, and nothing else
            alone.mkdir()
            library.rename(alone / name)
            rpath = f"-Wl,--disable-new-dtags,-rpath,{alone}"
            found[major] = (str(alone / name), *([rpath] if ".so" in name else []))
        return found[major]

    return of
