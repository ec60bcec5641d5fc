"""The sample library, built by each toolchain for each target, and what a second build does."""

from __future__ import annotations

import ctypes
import os
import shutil
import subprocess
import sys
import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from dragoman.build import (
    LINUX,
    WINDOWS,
    BuildError,
    Event,
    ExtraFile,
    Library,
    Report,
    Toolchain,
    Unit,
    build,
    find_toolchain,
)
from dragoman.build.toolchain import WINDOWS as WINDOWS_TARGET

from .conftest import SAMPLE

Sample = Callable[..., Library]
WINE = Path("/usr/lib/wine/wine64")


class Pair(ctypes.Structure):
    _fields_ = [("x", ctypes.c_int32), ("y", ctypes.c_int32)]


class Large(ctypes.Structure):
    _fields_ = [("first", ctypes.c_int64), ("second", ctypes.c_int64), ("third", ctypes.c_double)]


@pytest.mark.parametrize("name", ["zig", "cc"])
def test_runs(sample: Sample, tmp_path: Path, name: str) -> None:
    if name == "cc" and not any(map(shutil.which, ("cc", "gcc", "clang"))):
        pytest.skip("no system compiler here")
    report = build([sample()], LINUX, find_toolchain(name), tmp_path)
    library = ctypes.CDLL(str(report.libraries[0]))

    library.sample_swap.argtypes, library.sample_swap.restype = [Pair], Pair
    swapped = library.sample_swap(Pair(5, -10))
    assert (swapped.x, swapped.y) == (-10, 5)
    library.sample_double.argtypes, library.sample_double.restype = [Large], Large
    doubled = library.sample_double(Large(1, 2, 1.5))
    assert (doubled.first, doubled.second, doubled.third) == (2, 4, 3.0)
    assert [library.sample_status(code) for code in (0, 1, 2, 3, 4)] == [0, 3, 7, 15, 14]
    assert [library.sample_count() for _ in range(3)] == [1, 2, 3]

    callback = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_int)
    assert library.sample_each(callback(lambda _, value: value + 10), None, 3) == 33

    size, number = ctypes.c_int64, ctypes.c_float
    pointer = ctypes.c_void_p
    operands = [pointer, pointer, size, pointer, size, pointer, pointer, size]
    library.sample_gemm.argtypes = [pointer, ctypes.c_int, ctypes.c_int, size, size, size, *operands]
    seen, one, two = (size * 12)(), number(1), number(2)
    at = ctypes.addressof
    tail = (3, 4, 5, at(one), at(one), 6, at(one), 7, at(two), at(one), 8)
    assert library.sample_gemm(at(seen), 1, 2, *tail) == 0
    assert list(seen) == [112, 113, 3, 4, 5, 6, 7, 8, 1, 2, 1, 1]
    assert library.sample_gemm(None, 1, 2, *tail) == 143
    assert library.sample_gemm(at(seen), 3, 0, *tail) == 144
    text = ctypes.create_string_buffer(40)
    assert library.sample_text(text, 40, 7) == len(text.value)
    assert text.value == b"value 7 of sample"


@pytest.mark.wine
def test_runs_on_windows(sample: Sample, zig: Toolchain, tmp_path: Path) -> None:
    if not WINE.exists():
        pytest.skip("no wine64 here")
    build([sample(WINDOWS)], WINDOWS, zig, tmp_path)
    objects = []
    start = Path(sys.modules["dragoman.build"].__file__ or "").with_name("windows_start.c")
    for source in (SAMPLE / "host.c", start):
        objects.append(tmp_path / f"{source.stem}.o")
        zig.compile(source, objects[-1], WINDOWS, include_dirs=[SAMPLE])
    libs = [f"-l{lib}" for lib in WINDOWS_TARGET.system_libs]
    entry = ["-nostdlib", "-Wl,--subsystem,console", "-Wl,-e,mainCRTStartup"]
    program = tmp_path / "host.exe"
    link = [*zig.command, "-target", "x86_64-windows-gnu", *entry, *map(str, objects), "-o", str(program), *libs]
    subprocess.run(link, check=True, cwd=tmp_path, env=os.environ | {"ZIG_GLOBAL_CACHE_DIR": str(zig.zig_cache)})
    environment = os.environ | {"WINEPREFIX": str(tmp_path / "wine"), "WINEDEBUG": "-all"}
    done = subprocess.run([str(WINE), "host.exe"], cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert done.returncode == 0
    assert done.stdout == "-10 5|2 4 3|33|7 14|143 0|112 113 3 4 5 6 7 8 1 2 1 1 |17 value 7 of sample"


def test_needs_no_compiler_and_no_headers(sample: Sample, zig: Toolchain, tmp_path: Path, cache: Path) -> None:
    """Nothing outside the Python packages is run: an empty PATH is enough, from an empty cache of objects."""
    code = (
        "import sys; from pathlib import Path; from dragoman.build import *; sample = Path(sys.argv[1])\n"
        "unit = Unit('sample/sample.pyx', sample / 'sample.pyx', (sample,))\n"
        "support = Unit('support.c', (sample / 'support.c').read_text(), (sample,), ('SAMPLE_REFUSAL=1',))\n"
        "library = Library('libsample.so.3', (unit, support), ('sample_swap',))\n"
        "print(build([library], LINUX, find_toolchain(), Path(sys.argv[2])).compiled)\n"
    )
    top = Path(sys.modules["dragoman"].__file__ or "").parent
    environment = {"PATH": str(tmp_path), "DRAGOMAN_CACHE": str(tmp_path / "cache"), "HOME": str(tmp_path)}
    environment["PYTHONPATH"] = os.pathsep.join(path for path in sys.path if path and Path(path) != top)
    done = subprocess.run(
        [sys.executable, "-c", code, str(SAMPLE), str(tmp_path / "out")],
        env=environment,
        capture_output=True,
        text=True,
    )
    assert (done.stdout, done.stderr) == ("2\n", "")


def test_same_bytes(sample: Sample, zig: Toolchain, tmp_path: Path) -> None:
    """Other folder, other cache, same library: from sources that lie elsewhere too."""
    moved = tmp_path / "moved"
    shutil.copytree(SAMPLE, moved)
    for target in (LINUX, WINDOWS):
        first = build([sample(target)], target, zig, tmp_path / "one", cache=tmp_path / "cache1")
        units = tuple(
            replace(unit, source=moved / unit.source.name, include_dirs=(moved,) if unit.include_dirs else ())
            for unit in sample(target).units
            if isinstance(unit.source, Path)
        )
        second = build([sample(target, units=units)], target, zig, tmp_path / "two", cache=tmp_path / "cache2")
        assert (first.compiled, second.compiled) == (len(units) + (target is WINDOWS),) * 2
        assert first.libraries[0].read_bytes() == second.libraries[0].read_bytes()


def counts(report: Report) -> tuple[int, int, int]:
    return report.translated, report.compiled, report.linked


def test_second_build(zig: Toolchain, tmp_path: Path) -> None:
    """What has not changed is not made again; a changed include rebuilds what mentions it."""
    source = tmp_path / "source"
    source.mkdir()
    (source / "one.pyx").write_text('include "n.pxi"\ncdef public int one() noexcept nogil:\n    return N\n')
    (source / "n.pxi").write_text("cdef enum:\n    N = 1\n")
    (source / "two.c").write_text("int two(void) { return 2; }\n")
    one, two = (Unit(f"t/{name}", source / name) for name in ("one.pyx", "two.c"))
    libraries = [Library(f"lib{major}.so", (one, two, Unit(f"t/v{major}.c", f"int v(void) {{ return {major}; }}")),
                         ("one", "two", "v"), folder=f"cuda{major}") for major in (11, 12)]  # fmt: skip
    out, cache = tmp_path / "out", tmp_path / "cache"
    events: list[Event] = []

    first = build(libraries, LINUX, zig, out, cache=cache, progress=events.append)
    assert counts(first) == (1, 4, 2)
    assert [event.done for event in events] == list(range(1, 8))
    assert {event.total for event in events} == {7}
    assert first.changed == ("cuda11/lib11.so", "cuda12/lib12.so")

    again = build(libraries, LINUX, zig, out, cache=cache, progress=events.append)
    assert (counts(again), again.changed, len(events)) == ((0, 0, 0), (), 7)
    assert again.seconds < 1

    (out / "cuda11" / "lib11.so").unlink()
    (out / "cuda12" / "lib12.so").write_bytes(b"damaged")
    repaired = build(libraries, LINUX, zig, out, cache=cache)
    assert (counts(repaired), repaired.changed) == ((0, 0, 0), first.changed)

    (source / "n.pxi").write_text("cdef enum:\n    N = 10\n")
    assert counts(build(libraries, LINUX, zig, out, cache=cache)) == (1, 1, 2)
    assert ctypes.CDLL(str(out / "cuda12" / "lib12.so")).one() == 10

    only_windows = [replace(library, file_name="t.dll") for library in libraries]
    assert counts(build(only_windows, WINDOWS, zig, tmp_path / "windows", cache=cache)) == (0, 5, 2)


def test_failure_leaves_everything_as_it_was(zig: Toolchain, tmp_path: Path) -> None:
    out, cache = tmp_path / "out", tmp_path / "cache"
    good = Library("liba.so", (Unit("a.c", "int a(void) { return 1; }\n"),), ("a",))
    build([good], LINUX, zig, out, cache=cache)
    before = {path: path.read_bytes() for path in out.rglob("*") if path.is_file()}
    changed = replace(good, units=(Unit("a.c", "int a(void) { return 2; }\n"),))
    broken = Library("libb.so", (Unit("b.c", "int b(void) { return }\n"),), ("b",))
    with pytest.raises(BuildError, match=r"^b\.c:1:.*expected expression"):
        build([changed, broken], LINUX, zig, out, cache=cache)
    assert {path: path.read_bytes() for path in out.rglob("*") if path.is_file()} == before
    assert not [path.name for path in (*out.iterdir(), *cache.iterdir()) if "build-" in path.name and path.is_dir()]


def test_two_builds_at_once(sample: Sample, zig: Toolchain, tmp_path: Path) -> None:
    """They share a cache without a lock: each product appears by one rename."""
    errors: list[BaseException] = []

    def run(number: int) -> None:
        try:
            build([sample()], LINUX, zig, tmp_path / str(number), cache=tmp_path / "cache")
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=run, args=(number,)) for number in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not errors
    first, second = ((tmp_path / str(number) / "libsample.so.3").read_bytes() for number in range(2))
    assert first == second


def test_links_and_extra_files(zig: Toolchain, tmp_path: Path) -> None:
    licence = tmp_path / "LICENSE"
    licence.write_text("all of it")
    library = Library(
        "liba.so.1",
        (Unit("a.c", "int a(void) { return 1; }\n"),),
        ("a",),
        folder="cpu",
        links=("liba.so",),
        extra_files=(ExtraFile("OpenBLAS-LICENSE", licence),),
    )
    build([library], LINUX, zig, tmp_path / "tree")
    assert os.readlink(tmp_path / "tree/cpu/liba.so") == "liba.so.1"
    assert (tmp_path / "tree/cpu/OpenBLAS-LICENSE").read_text() == "all of it"
    build([library], LINUX, zig, tmp_path / "wheel", links=False)
    assert sorted(os.listdir(tmp_path / "wheel/cpu")) == ["OpenBLAS-LICENSE", "liba.so.1"]


@pytest.mark.parametrize("what", ["cache", "out"])
def test_folder_that_cannot_be_written(zig: Toolchain, tmp_path: Path, what: str) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("a file, no folder")
    folders = {"cache": tmp_path / "cache", "out": tmp_path / "out"} | {what: blocked / "below"}
    library = Library("liba.so", (Unit("a.c", "int a(void) { return 1; }\n"),), ("a",))
    with pytest.raises(BuildError, match=r"^cannot write to ") as raised:
        build([library], LINUX, zig, folders["out"], cache=folders["cache"])
    assert "\n" not in str(raised.value)


def test_toolchains(monkeypatch: pytest.MonkeyPatch, sample: Sample, tmp_path: Path) -> None:
    with pytest.raises(BuildError, match=r"^unknown toolchain 'tcc': there are zig and cc$"):
        find_toolchain("tcc")
    monkeypatch.setenv("CC", "no-such-compiler")
    with pytest.raises(BuildError, match=r"^no C compiler 'no-such-compiler' on the path"):
        find_toolchain("cc")
    with pytest.raises(BuildError, match=r"^the system compiler builds for linux only"):
        build([sample(WINDOWS)], WINDOWS, Toolchain("cc", ("cc",), "cc"), tmp_path)


def test_out_may_be_a_relative_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """pip builds a wheel into `build/lib…`; the processes that translate and compile run in folders of their own."""
    from dragoman.build.all import build_all

    monkeypatch.chdir(tmp_path)
    built = build_all(Path("out"), majors=(12,), function="cublasLtGetVersion")
    assert (tmp_path / "out" / "linux" / "cuda12" / "libcublasLt.so.12") in built.libraries
