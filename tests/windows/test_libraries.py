"""The DLLs as files: names, exports, what they need. Then one program that uses them, under Wine."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import facts
import lief
import pytest
from dragoman.build import WINDOWS, find_toolchain
from dragoman.build.exports import def_file
from dragoman.paths import package_dir

HERE = Path(__file__).resolve().parent
# NVIDIA's file names; cudart of CUDA 11 alone carries the minor version.
NAMES = {
    (library, major): f"{library}64_{110 if (library, major) == ('cudart', 11) else major}.dll"
    for library in ("cublas", "cublasLt", "cudart")
    for major in (11, 12, 13)
}
SYSTEM = re.compile(r"(kernel32|api-ms-win-crt-[a-z]+-l1-1-0)\.dll", re.IGNORECASE)
Wine = Callable[..., "subprocess.CompletedProcess[str]"]
CRT = ("kernel32", *(f"api-ms-win-crt-{part}-l1-1-0" for part in ("runtime", "stdio", "string")))


def exported(path: Path) -> list[str]:
    binary = lief.PE.parse(str(path))  # to be kept: what it answers lies in it
    assert binary is not None
    export = binary.get_export()
    assert export is not None
    return [str(entry.name) for entry in export.entries]


def needed(path: Path) -> list[str]:
    binary = lief.PE.parse(str(path))
    assert binary is not None
    return [str(entry.name) for entry in binary.imports]


@pytest.mark.parametrize(("library", "major"), NAMES)
def test_exports_are_those_of_nvidias_dll(windows: Path, library: str, major: int) -> None:
    names = exported(windows / f"cuda{major}" / NAMES[library, major])
    assert len(names) == len(set(names))
    assert set(names) == facts.exports(library, major, "windows")


def test_each_folder_is_a_whole_set(windows: Path) -> None:
    for major in (11, 12, 13):
        found = {path.name for path in (windows / f"cuda{major}").glob("*.dll")}
        assert {NAMES[library, major] for library in ("cublas", "cublasLt", "cudart")} <= found
        assert exported(windows / f"cuda{major}" / "dragoman_core_1.dll") == ["dragoman_core_table"]


def test_nothing_is_needed_but_windows(windows: Path) -> None:
    pairs = [(p.name, name) for p in windows.rglob("*.dll") if "openblas" not in p.name for name in needed(p)]
    own = [(name, "libscipy_openblas64_.dll") for name in ("rocblas.dll", "rocsolver.dll")]
    assert [pair for pair in pairs if not SYSTEM.fullmatch(pair[1]) and pair not in own] == []


def test_libraries_are_small(windows: Path) -> None:
    sizes = {path.name: path.stat().st_size for path in windows.rglob("*.dll") if "openblas" not in path.name}
    assert {name: size for name, size in sizes.items() if size >= 1_000_000} == {}


# `long` has 64 bits on Linux and 32 on Windows: none may stand where two libraries meet.
LONG = re.compile(r"\blong\b(?!\s+long\b)(?<!long long)")
COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*|#[^\n]*", re.DOTALL)


def test_no_interface_says_long(windows: Path) -> None:
    headers = [path for pattern in ("*_abi.h", "*_backend.h") for path in (windows.parent / "src").rglob(pattern)]
    headers += [package_dir() / "runtime" / name for name in ("dragoman.h", "generated.h")]
    assert len(headers) >= 8
    found = [
        f"{path.name}: {line.strip()}"
        for path in headers
        for line in COMMENT.sub("", path.read_text(encoding="utf-8")).splitlines()
        if LONG.search(line)
    ]
    assert found == []


def test_long_is_told_from_long_long() -> None:
    assert LONG.search("void f(long x);")
    assert LONG.search("unsigned long x;")
    assert not LONG.search("long long x; unsigned long long y; int longer;")


# ---- a program ----


def program(tree: Path, work: Path) -> Path:
    """c/program.c beside the DLLs, linked as on Windows: through import libraries made from the list of exports."""
    zig = find_toolchain("zig")
    cuda = tree / "windows" / "cuda12"
    env = os.environ | {"ZIG_GLOBAL_CACHE_DIR": str(zig.zig_cache), "ZIG_LOCAL_CACHE_DIR": str(work / "zig")}
    libraries = []
    for name in ("cublas64_12", "cudart64_12"):
        definition = work / f"{name}.def"
        definition.write_text(def_file(f"{name}.dll", exported(cuda / f"{name}.dll")), encoding="ascii")
        libraries.append(str(work / f"{name}.lib"))
        made = [zig.command[0], "dlltool", "-m", "i386:x86-64", "-d", str(definition), "-l", libraries[-1]]
        subprocess.run(made, check=True, env=env)
    built = work / "program.o"
    include = (package_dir() / "build", tree / "include" / "cuda12")
    zig.compile(HERE / "c" / "program.c", built, WINDOWS, include_dirs=include)
    target = ("-target", WINDOWS.zig_triple(""), "-nostdlib", "-Wl,--entry=program_start")
    out = cuda / "program.exe"
    command = [*zig.command, *target, str(built), *libraries, *(f"-l{name}" for name in CRT), "-o", str(out)]
    subprocess.run(command, check=True, env=env)
    return out


@pytest.mark.wine
@pytest.mark.parametrize("backend", ["cpu", ""], ids=["by name", "by itself"])
def test_program_runs(windows_with_cpu: Path, wine: Wine, tmp_path: Path, backend: str) -> None:
    """Right numbers, NVIDIA's statuses for garbage, a handle left alive at the end."""
    exe = program(windows_with_cpu, tmp_path)
    env = {key: value for key, value in os.environ.items() if not key.startswith("DRAGOMAN_")}
    ran = wine(exe.name, cwd=exe.parent, env=env | ({"DRAGOMAN_BACKEND": backend} if backend else {}))
    said = [line for line in ran.stderr.splitlines() if line.startswith("dragoman: ")]
    assert ran.stdout.splitlines() == [
        "12: 23 34 31 46",
        "1 1 7 1",
        "this function or combination of types is not supported",
    ], f"exit {ran.returncode}: {ran.stderr}"
    assert ran.returncode == 0
    assert said == ([] if backend else ["dragoman: D005 no AMD GPU answers: computing on the CPU"])
