"""A build of the CUDA runtime and driver, and the C programs of `c/` that are compiled and run against it.

Programs are compiled by the compiler that builds the libraries, against the generated headers.
"""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
SOURCES = HERE / "c"
RUNTIME = {11: "libcudart.so.11.0", 12: "libcudart.so.12", 13: "libcudart.so.13"}


@dataclass(frozen=True)
class Built:
    """A build's output, and a folder for programs."""

    out: Path
    programs: Path

    def libraries(self, major: int) -> Path:
        return self.out / "linux" / f"cuda{major}"

    def program(self, source: str, major: int, *flags: str, libraries: tuple[Path, ...] = ()) -> Path:
        """Compiles a program of this folder's `c/` for one CUDA version."""
        result = self.programs / f"{Path(source).stem}-{major}"
        folder = self.libraries(major)
        libraries = libraries or (folder / RUNTIME[major], folder / "libcuda.so.1")
        done = subprocess.run(
            [
                *(sys.executable, "-m", "ziglang", "cc", "-std=gnu11", "-g", "-O1"),
                "-mcpu=baseline",  # else this machine's newest instructions, of which valgrind may know nothing
                *("-Wall", "-Wextra", "-Werror", "-fno-sanitize=all"),
                *(f"-I{self.out / 'include' / f'cuda{major}'}", *flags, str(SOURCES / source)),
                *(*map(str, libraries), "-lpthread", "-o", str(result)),
            ],
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, done.stderr
        return result

    def run(
        self, program: Path, major: int, *words: str, before: tuple[str, ...] = ()
    ) -> subprocess.CompletedProcess[str]:
        """Runs a program with the libraries of one version in front."""
        environment = {k: v for k, v in os.environ.items() if not k.startswith("DRAGOMAN_")}
        environment["LD_LIBRARY_PATH"] = f"{self.libraries(major)}:{self.out / 'linux' / 'cpu'}"
        environment["DRAGOMAN_BACKEND"] = "cpu"
        return subprocess.run(
            [*before, str(program), *words], capture_output=True, text=True, env=environment, timeout=300
        )
