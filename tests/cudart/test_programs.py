"""Programs in C that use the CUDA runtime, the driver and the CPU backend's HIP runtime, each checking what it gets."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from cudart_programs import SOURCES, Built
from dragoman.paths import package_dir

MAJORS = (11, 12, 13)
PROGRAMS = (
    "runtime.c",
    "driver.c",
    "more_driver.c",
    "refusals.c",
    "schedule.c",
    "hard.c",
    "graphs.c",
    "storm.c",
    "wild.c",
)
TIMES = {"hard.c": ("200",), "storm.c": ("40",), "wild.c": ("30000",)}  # under valgrind
PER_THREAD = "-DCUDA_API_PER_THREAD_DEFAULT_STREAM"


def clean(done: subprocess.CompletedProcess[str]) -> None:
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.splitlines()[-1] == "0 misses", done.stdout


@pytest.mark.parametrize("major", MAJORS)
@pytest.mark.parametrize("source", PROGRAMS)
def test_program(built: Built, source: str, major: int) -> None:
    clean(built.run(built.program(source, major), major))


@pytest.mark.parametrize("major", MAJORS)
@pytest.mark.parametrize("source", ["twins.c", "more_driver.c"])
def test_per_thread_default_stream(built: Built, source: str, major: int) -> None:
    clean(built.run(built.program(source, major, PER_THREAD), major))


@pytest.mark.parametrize("major", MAJORS)
@pytest.mark.parametrize("words", [(), ("runtime",)], ids=["driver", "runtime"])
def test_a_runtime_that_is_loaded_and_not_used(built: Built, words: tuple[str, ...], major: int) -> None:
    clean(built.run(built.program("loaded.c", major), major, *words))


@pytest.mark.slow
@pytest.mark.parametrize("source", PROGRAMS)
def test_nothing_leaks(built: Built, valgrind: tuple[str, ...], source: str) -> None:
    clean(built.run(built.program(source, 12), 12, *TIMES.get(source, ()), before=valgrind))


def test_hip_backend(built: Built) -> None:
    clean(built.run(_hip_program(built), 12))


@pytest.mark.slow
def test_hip_backend_leaks_nothing(built: Built, valgrind: tuple[str, ...]) -> None:
    clean(built.run(_hip_program(built), 12, before=valgrind))


def _hip_program(built: Built) -> Path:
    hip = built.out / "linux" / "cpu" / "libamdhip64.so.7"
    return built.program("hip_backend.c", 12, f"-I{package_dir() / 'cpu' / 'hip'}", libraries=(hip,))


@pytest.mark.parametrize("major", MAJORS)
def test_a_launch_says_what_to_do_once(built: Built, major: int) -> None:
    """The one line of a program with kernels names the function, the reason and the remedy."""
    done = built.run(built.program("runtime.c", major), major)
    lines = [line for line in done.stderr.splitlines() if "cudaLaunchKernel" in line]
    assert len(lines) == 1, done.stderr
    assert "ZLUDA" in lines[0]


def test_each_program_says_how_it_is_built() -> None:
    for path in sorted(SOURCES.glob("*.c")):
        head = path.read_text(encoding="utf-8").split("*/", 1)[0]
        assert "BUILD:" in head, path.name
        assert "RUN:" in head, path.name
