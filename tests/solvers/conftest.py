"""cuDNN over the CPU backend, with MIOpen and HIP's runtime behind a shim that has faults (c/shim.c)."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
MAJOR = 12


@dataclass(frozen=True)
class Ran:
    """What a child did: the log's lines, and which solutions of MIOpen's it compiled and called."""

    code: int
    out: str
    err: str
    calls: list[str] = field(default_factory=list)

    @property
    def fine(self) -> bool:
        return (self.code, self.out) == (0, "ok\n")

    def lines(self, code: str) -> list[str]:
        return [line for line in self.err.splitlines() if line.startswith(f"dragoman: {code} ")]


@dataclass(frozen=True)
class Bench:
    """A folder with AMD's names: shims in front of the CPU backend."""

    libraries: Path
    shims: Path
    trace: Path

    def run(self, *arguments: str, **settings: str) -> Ran:
        """`child.py` with these arguments. Settings are variables: `slow="91"` is SHIM_SLOW, `avoid` DRAGOMAN_AVOID."""
        self.trace.unlink(missing_ok=True)
        env = {k: v for k, v in os.environ.items() if not k.startswith(("DRAGOMAN_", "SHIM_", "LD_"))}
        cpu = self.libraries.parent / "cpu"
        env |= {
            "DRAGOMAN_BACKEND": str(self.shims),
            "DRAGOMAN_LOG": settings.pop("log", "info"),
            "SHIM_TRACE": str(self.trace),
            "SHIM_REAL_DNN": str(cpu / "libMIOpen.so.1"),
            "SHIM_REAL_HIP": str(cpu / "libamdhip64.so.7"),
        }
        if "avoid" in settings:
            env["DRAGOMAN_AVOID"] = settings.pop("avoid")
        env |= {f"SHIM_{key.upper()}": value for key, value in settings.items()}
        cudnn, cudart = self.libraries / "libcudnn.so.9", self.libraries / f"libcudart.so.{MAJOR}"
        command = [sys.executable, str(HERE / "child.py"), str(cudnn), str(cudart), *arguments]
        done = subprocess.run(command, env=env, capture_output=True, text=True, check=False, timeout=120)
        calls = self.trace.read_text().splitlines() if self.trace.exists() else []
        return Ran(done.returncode, done.stdout, done.stderr, calls)


@pytest.fixture(scope="session")
def libraries(build_once: Callable[..., Path]) -> Path:
    named = os.environ.get("DRAGOMAN_TEST_LIBRARIES")
    if named:
        return Path(named)
    return build_once("solvers", majors=(MAJOR,), libraries=("cudart", "cudnn")) / "linux" / f"cuda{MAJOR}"


@pytest.fixture(scope="session")
def shims(libraries: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    if sys.platform != "linux" or shutil.which("cc") is None:
        pytest.skip("the shims are Linux libraries and want a system compiler (apt-get install gcc)")
    folder, cpu = tmp_path_factory.mktemp("shims"), libraries.parent / "cpu"
    for file in cpu.iterdir():
        (folder / file.name).symlink_to(file)
    for name, define in (("libMIOpen.so.1", "DNN"), ("libamdhip64.so.7", "HIP")):
        (folder / name).unlink()
        command = [
            "cc",
            "-shared",
            "-fPIC",
            "-Wall",
            "-Wextra",
            "-Werror",
            f"-DSHIM_{define}",
            str(HERE / "c" / "shim.c"),
        ]
        link = [f"-Wl,-soname,libshim_{define.lower()}.so", "-Wl,--no-as-needed", f"-Wl,-rpath,{cpu}", str(cpu / name)]
        subprocess.run([*command, "-o", str(folder / name), *link, "-ldl"], check=True)
    return folder


@pytest.fixture
def bench(libraries: Path, shims: Path, tmp_path: Path) -> Bench:
    return Bench(libraries, shims, tmp_path / "trace")
