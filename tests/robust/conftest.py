"""The libraries and the client that misuses them; run bare, under valgrind, or with sanitizers inside."""

from __future__ import annotations

import dataclasses
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # facts

import dragoman.build.all as building
import dragoman.build.builder as builder
from dragoman.build.toolchain import Toolchain, find_cc

HERE = Path(__file__).resolve().parent
VALGRIND = (
    "valgrind",
    "-q",
    "--error-exitcode=99",
    "--leak-check=full",
    "--show-leak-kinds=definite",
    "--errors-for-leak-kinds=definite",
    f"--suppressions={HERE / 'valgrind.supp'}",
)


@dataclass(frozen=True, repr=False)
class Ran:
    code: int
    out: str
    err: str

    @property
    def fine(self) -> bool:
        """Every answer as expected, and no word from whoever watches."""
        return (self.code, self.out, self.err) == (0, "ok\n", "")

    def __repr__(self) -> str:
        return f"exit {self.code}\n{self.out[-2000:]}\n{self.err[:6000]}"


@dataclass(frozen=True)
class Subject:
    """One build of the libraries, and a client for it."""

    tree: Path
    client: Path
    prefix: tuple[str, ...] = ()
    library: str = "libcublas.so.12"

    @property
    def path(self) -> Path:
        return self.tree / "linux" / "cuda12" / self.library

    def run(self, *arguments: str, given: str = "", timeout: int = 300) -> Ran:
        env = {k: v for k, v in os.environ.items() if not k.startswith(("DRAGOMAN_", "LD_", "OPENBLAS_"))}
        # OpenBLAS keeps its threads' buffers for good; one thread is enough here
        env |= {"DRAGOMAN_BACKEND": "cpu", "OPENBLAS_NUM_THREADS": "1"}
        # its leak search does not look where handles lie; valgrind's does
        env |= {"ASAN_OPTIONS": "detect_leaks=0", "UBSAN_OPTIONS": "halt_on_error=1:print_stacktrace=1"}
        command = [*self.prefix, str(self.client), str(self.path), *arguments]
        done = subprocess.run(
            command,
            env=env,
            input=given,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=timeout,
            check=False,
        )
        return Ran(done.returncode, done.stdout, done.stderr)


def client(tree: Path, compiler: Toolchain, *flags: str, source: str = "client", made: str = "client") -> Path:
    include = f"-I{tree / 'include' / 'cuda12'}"
    text = str(HERE / "c" / f"{source}.c")
    command = [*compiler.command, "-g", "-O1", "-std=gnu11", "-Wall", *flags, include, text, "-o", str(tree / made)]
    subprocess.run([*command, "-ldl", "-lpthread"], check=True, capture_output=True)
    return tree / made


@pytest.fixture(scope="session")
def compiler() -> Toolchain:
    if shutil.which("cc") is None:
        pytest.skip("no system compiler for the client (apt-get install gcc)")
    return find_cc()


@pytest.fixture(scope="session")
def plain(tmp_path_factory: pytest.TempPathFactory, compiler: Toolchain) -> Subject:
    """As we ship."""
    tree = tmp_path_factory.mktemp("robust")
    building.build_all(tree, majors=(12,), libraries=("cublas", "cublasLt"))
    return Subject(tree, client(tree, compiler))


@pytest.fixture(scope="session")
def scarce(plain: Subject, compiler: Toolchain) -> Subject:
    """As we ship, on a device with little memory."""
    return dataclasses.replace(plain, client=client(plain.tree, compiler, "-rdynamic", source="scarce", made="scarce"))


@pytest.fixture(scope="session")
def valgrind(plain: Subject) -> Subject:
    """As we ship, every access watched."""
    if shutil.which("valgrind") is None:
        pytest.skip("valgrind watches every access (apt-get install valgrind)")
    return dataclasses.replace(plain, prefix=VALGRIND)


@pytest.fixture(scope="session")
def cudnns(tmp_path_factory: pytest.TempPathFactory, compiler: Toolchain) -> dict[int, Subject]:
    """cuDNN as we ship it, by major."""
    tree = tmp_path_factory.mktemp("cudnn")
    building.build_all(tree, majors=(12,), libraries=("cudart", "cudnn"))
    older = f"-I{tree / 'include' / 'cuda12' / 'cudnn8'}"
    return {
        major: Subject(
            tree, client(tree, compiler, *flags, source="dnn", made=f"dnn{major}"), library=f"libcudnn.so.{major}"
        )
        for major, flags in ((8, (older,)), (9, ()))
    }


@pytest.fixture(scope="session")
def watched_cudnns(cudnns: dict[int, Subject]) -> dict[int, Subject]:
    """As we ship it, every access watched."""
    if shutil.which("valgrind") is None:
        pytest.skip("valgrind watches every access (apt-get install valgrind)")
    return {major: dataclasses.replace(subject, prefix=VALGRIND) for major, subject in cudnns.items()}


@pytest.fixture(scope="session")
def sanitized(tmp_path_factory: pytest.TempPathFactory, compiler: Toolchain) -> Subject:
    """Built with AddressSanitizer and UndefinedBehaviorSanitizer inside."""
    tree = tmp_path_factory.mktemp("sanitized")
    flags = ("-fsanitize=address,undefined", "-fno-sanitize=alignment", "-fno-sanitize-recover=all", "-g", "-O1")
    toolchain = dataclasses.replace(
        compiler,
        identity=f"{compiler.identity} with sanitizers",
        compile_flags=(*compiler.compile_flags, *flags, "-fno-omit-frame-pointer"),
        link_flags=(*compiler.link_flags, *flags),
    )
    probe = subprocess.run(
        [*compiler.command, *flags, "-x", "c", "-", "-o", str(tree / "probe")],
        input="int main(void) { return 0; }",
        capture_output=True,
        text=True,
        check=False,
    )
    if probe.returncode:
        pytest.skip("this compiler comes without its sanitizers (apt-get install gcc)")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(building, "find_toolchain", lambda name: toolchain)
        patch.setattr(builder, "verify", lambda *arguments, **more: None)  # they do need libasan, and export its names
        building.build_all(tree, majors=(12,), libraries=("cublas", "cublasLt"), toolchain="cc")
    return Subject(tree, client(tree, compiler, *flags))
