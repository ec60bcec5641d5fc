"""A replacement library in small (c/fake.c) on the real core, over stand-ins for AMD's libraries (c/amd.c).

Everything is built once a session with the project's own builder. Tests run their steps in a child process, since a
process has one core and one backend for life: `Bench.run` gives a child a few lines of Python or the C driver, an
environment of its own, and tells what it printed.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest
from dragoman.build import LINUX, Library, Target, Toolchain, Unit, build, find_toolchain
from dragoman.core import core_library, library_unit
from dragoman.paths import package_dir

HERE = Path(__file__).resolve().parent
RUNTIME = package_dir() / "runtime"

FAKE = (
    "fakeStart",
    "fakeSetting",
    "fakeNeed",
    "fakeCore",
    "fakeColdCalls",
    "fakeGateOpen",
    "fakeOwnRuntime",
    "fakeCreate",
    "fakeDestroy",
    "fakeTriple",
    "fakeRenamed",
    "fakeTrmm",
    "fakeNever",
    "fakeWhere",
    "fakeUnsupported",
)
HIP = (
    "hipFakeWhere",
    "hipFakeCount",
    "hipInit",
    "hipGetDeviceCount",
    "hipGetDevice",
    "hipRuntimeGetVersion",
    "hipDeviceGetName",
    "hipGetDeviceProperties",
)
BLAS = (
    "rocblas_get_version_string",
    "rocblas_get_version_string_size",
    "rocblas_fake_triple",
    "rocblas_fake_trmm",
    "rocblas_fake_where",
)
SOLVER = ("rocsolver_get_version_string", "rocsolver_fake_where")

# Lines that every child starts with: the core's table as Python sees it, and a library by its path.
PRELUDE = """
import ctypes as c, json, os, sys
P, I, S, U, Z = c.c_void_p, c.c_int, c.c_char_p, c.c_uint32, c.c_size_t
CALLBACK = c.CFUNCTYPE(None, S)
class Core(c.Structure):
    _fields_ = [("abi", U), ("size", U)] + [(n, c.CFUNCTYPE(r, *a)) for n, r, *a in [
        ("attach", I, P), ("detach", None, P), ("open", I, P, S), ("backend_kind", I), ("backend_version", U, S),
        ("check_kernels", I, P), ("slot_new", P, U), ("slot_retire", I, P, U), ("slot_free", None, P),
        ("slot_check", I, P, U), ("log_level", I), ("log", None, I, S, S), ("trace", None, S, c.c_longlong, S),
        ("unsupported", None, P, S, S, S), ("set_logger", None, P), ("get_logger", P),
        ("configure_logger", I, I, I, I, S), ("own_runtime", None, P), ("alloc", P, Z), ("release", None, P),
        ("lock", None), ("unlock", None)]]
def core_of(path):
    table = c.CDLL(path).dragoman_core_table
    table.restype = c.POINTER(Core)
    return table(1).contents
def load(path):
    lib = c.CDLL(path)
    lib.fakeCore.restype = c.POINTER(Core)
    lib.fakeWhere.restype = S
    for name in ("fakeDestroy", "fakeTriple"):
        getattr(lib, name).argtypes = [P] if name == "fakeDestroy" else [P, I]
    return lib
def create(lib):
    handle = P()
    reason = lib.fakeCreate(c.byref(handle))
    return reason, handle.value
def where(lib, backend="rocblas"):
    return lib.fakeWhere(backend.encode()).decode()
SET = os.environ["SET"]
BLAS = 0x53414c42
OK, BAD, FORKED, NO_BACKEND, NO_MEMORY, NO_KERNELS, CLOSING = range(7)
"""


@dataclass(frozen=True)
class Ran:
    code: int
    out: str
    err: str

    @property
    def lines(self) -> list[str]:
        """What the log said on stderr, a line each."""
        return [line for line in self.err.splitlines() if line.startswith("dragoman: ")]

    @property
    def codes(self) -> list[str]:
        return [line.split()[1] for line in self.lines]

    @property
    def value(self) -> object:
        """What the child printed last, as JSON."""
        return json.loads(self.out.splitlines()[-1])


@dataclass(frozen=True)
class Bench:
    """The built files, and how to run a child with them."""

    built: Path
    driver: Path

    @property
    def cuda12(self) -> Path:
        return self.built / "set" / "cuda12"

    @property
    def fake(self) -> Path:
        return self.cuda12 / "libfake.so.12"

    @property
    def core(self) -> Path:
        return self.cuda12 / "libdragoman_core.so.1"

    def rocm(self, release: int | str) -> Path:
        return self.built / f"rocm{release}"

    def environment(self, **settings: object) -> dict[str, str]:
        env = {k: v for k, v in os.environ.items() if not k.startswith(("DRAGOMAN_", "ROC", "HIP", "FAKE_", "LD_"))}
        env["SET"] = str(self.cuda12)
        return env | {key: str(value) for key, value in settings.items()}

    def command(self, *command: str | Path, cwd: Path | None = None, **settings: object) -> Ran:
        done = subprocess.run(
            list(map(str, command)),
            cwd=cwd,
            env=self.environment(**settings),
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        return Ran(done.returncode, done.stdout, done.stderr)

    def run(self, code: str, cwd: Path | None = None, **settings: object) -> Ran:
        """A child with PRELUDE and then `code`; it must come to its end."""
        ran = self.command(sys.executable, "-S", "-c", PRELUDE + code, cwd=cwd, **settings)
        assert ran.code == 0, f"exit {ran.code}\n{ran.out}\n{ran.err}"
        return ran


def fake_library(target: Target, file_name: str, folder: str, *defines: str, soname: str = "") -> Library:
    """One replacement library in small."""
    unit = Unit("fake.c", HERE / "c" / "fake.c", include_dirs=(RUNTIME,), defines=("DRAGOMAN_LIBRARY", *defines))
    return Library(file_name, (library_unit(), unit), FAKE, folder, soname=soname or file_name)


def amd_library(
    file_name: str, folder: str, kind: str, version: str, *defines: str, libs: tuple[str | Path, ...] = ()
) -> Library:
    """A stand-in for one of AMD's."""
    exports = list({"HIP": HIP, "BLAS": BLAS, "SOLVER": SOLVER}[kind])
    if kind == "HIP" and int(version) >= 60000000:
        exports.append("hipGetDevicePropertiesR0600")
    if "AMD_NEW" in defines:
        exports.append("rocblas_fake_renamed")
    if "AMD_NEEDS" in defines:
        exports.append("rocblas_fake_never")
    text = f'"{version}"' if kind == "BLAS" else version
    unit = Unit("amd.c", HERE / "c" / "amd.c", defines=(f"AMD_{kind}", f"AMD_VERSION={text}", *defines))
    return Library(file_name, (unit,), tuple(exports), folder, libs=libs)


def executable(toolchain: Toolchain, target: Target, source: Path, output: Path, *include: Path) -> Path:
    """A C program. On Linux by the system's compiler where there is one: zig must first compile a run-time library."""
    compiler = find_toolchain("cc") if target is LINUX and shutil.which("cc") else toolchain
    triple = ["-target", target.zig_triple("2.17")] if compiler.name == "zig" else []
    program = output.with_suffix(".o")
    compiler.compile(source, program, target, include_dirs=include, flags=("-g", "-Werror"))
    start = [] if target is LINUX else ["-nostdlib", "-Wl,--entry=program_start"]
    libs = [f"-l{lib}" for lib in target.system_libs]
    env = dict(os.environ)
    if compiler.zig_cache:
        env |= {"ZIG_GLOBAL_CACHE_DIR": str(compiler.zig_cache), "ZIG_LOCAL_CACHE_DIR": str(output.parent / ".zig")}
    command = [*compiler.command, *triple, *start, str(program), "-o", str(output), *libs]
    done = subprocess.run(command, env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return output


@pytest.fixture(scope="session")
def toolchain() -> Toolchain:
    return find_toolchain(os.environ.get("DRAGOMAN_TEST_TOOLCHAIN", "zig"))


@pytest.fixture(scope="session")
def bench(tmp_path_factory: pytest.TempPathFactory, toolchain: Toolchain) -> Bench:
    out = tmp_path_factory.mktemp("core")
    runtime = ('FAKE_NAME="cudart"', "FAKE_MAJOR=12", "FAKE_RUNTIME")
    first = [
        core_library("linux", "set/cuda12"),
        core_library("linux", "set/cuda11"),
        fake_library(LINUX, "libfake.so.12", "set/cuda12"),
        fake_library(LINUX, "libcudart.so.12", "set/cuda12", *runtime),
        fake_library(LINUX, "libcuda.so.1", "foreign", *runtime),
        fake_library(LINUX, "libfake.so.11", "set/cuda11", 'FAKE_NAME="fake"', "FAKE_MAJOR=11"),
        amd_library("libamdhip64.so.7", "set/cpu", "HIP", "70200000"),
        amd_library("librocblas.so.5", "set/cpu", "BLAS", "5.2.0.cpu", "AMD_NEW"),
        amd_library("libamdhip64.so.7", "rocm7/lib", "HIP", "70253211"),
        amd_library("librocblas.so.5", "rocm7/lib", "BLAS", "5.2.0.abcdef", "AMD_NEW"),
        amd_library("librocsolver.so.0", "rocm7/lib", "SOLVER", "0"),
        amd_library("libamdhip64.so.6", "rocm6/lib", "HIP", "60443484"),
        amd_library("librocblas.so.4", "rocm6/lib", "BLAS", "4.4.1", "AMD_NEW"),
        amd_library("libamdhip64.so.5", "rocm5/lib", "HIP", "50530201"),
        amd_library("librocblas.so.0", "rocm5/lib", "BLAS", "2.47.0"),
        amd_library("librocblas.so.0", "old", "BLAS", "2.46.0"),
        amd_library("librocblas.so.3", "old", "BLAS", "3.1.0"),
        amd_library("libamdhip64.so.5", "old", "HIP", "50422803"),
    ]
    build(first, LINUX, toolchain, out)
    needs = amd_library(
        "librocblas.so.5", "needs", "BLAS", "5.2.0", "AMD_NEEDS", libs=(out / "rocm6/lib/libamdhip64.so.6",)
    )
    build([needs], LINUX, toolchain, out / "more")
    return Bench(out, executable(toolchain, LINUX, HERE / "c" / "driver.c", out / "driver"))


@pytest.fixture
def place(tmp_path: Path) -> Callable[..., Path]:
    """place("root/lib", file, file): a folder below the test's own with copies (or `links=True`) of files."""

    def make(folder: str, *files: Path, links: bool = False) -> Path:
        there = tmp_path / folder
        there.mkdir(parents=True, exist_ok=True)
        for file in files:
            if links:
                (there / file.name).symlink_to(file)
            else:
                shutil.copy(file, there / file.name)
        return there

    return make


@pytest.fixture
def rocm(bench: Bench, place: Callable[..., Path]) -> Path:
    """A ROCm 7 root with kernels for gfx1100."""
    files = sorted((bench.rocm(7) / "lib").iterdir())
    lib = place("rocm/lib", *files)
    kernels = lib / "rocblas" / "library"
    kernels.mkdir(parents=True)
    (kernels / "TensileLibrary_lazy_gfx1100.dat").touch()
    return lib.parent
