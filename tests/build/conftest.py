"""A small library with one function of each shape that generated code has, and a cache of the tests' own."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from dragoman.build import LINUX, Library, Target, Toolchain, Unit, build, find_toolchain

SAMPLE = Path(__file__).with_name("sample")
EXPORTS = (
    "sample_count",
    "sample_double",
    "sample_each",
    "sample_gemm",
    "sample_status",
    "sample_swap",
    "sample_text",
)


@pytest.fixture(scope="session", autouse=True)
def cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The user's cache folder is neither used nor touched."""
    folder = tmp_path_factory.mktemp("cache")
    before = os.environ.get("DRAGOMAN_CACHE")
    os.environ["DRAGOMAN_CACHE"] = str(folder)
    yield folder
    if before is None:
        del os.environ["DRAGOMAN_CACHE"]
    else:
        os.environ["DRAGOMAN_CACHE"] = before


@pytest.fixture(scope="session")
def zig(cache: Path) -> Toolchain:
    return find_toolchain("zig")


@pytest.fixture
def sample() -> Callable[..., Library]:
    """sample(target, **changes): the library as a plan, with some of its fields changed."""

    def make(target: Target = LINUX, **changes: object) -> Library:
        units = (
            Unit("sample/sample.pyx", SAMPLE / "sample.pyx", include_dirs=(SAMPLE,)),
            Unit("sample/support.c", SAMPLE / "support.c", defines=("SAMPLE_REFUSAL=100",)),
        )
        fields: dict[str, object] = {
            "file_name": "libsample.so.3" if target is LINUX else "sample.dll",
            "units": units,
            "exports": EXPORTS,
        }
        return Library(**(fields | changes))  # type: ignore[arg-type]

    return make


@pytest.fixture
def build_text(zig: Toolchain, tmp_path: Path) -> Callable[..., Path]:
    """build_text(**files): one library `libtext.so.1` of sources given as text, exporting `f`; its path."""

    def make(target: Target = LINUX, exports: tuple[str, ...] = ("f",), **sources: str) -> Path:
        units = tuple(
            Unit(f"text/{name.replace('_pyx', '.pyx').replace('_c', '.c')}", text) for name, text in sources.items()
        )
        name = "libtext.so.1" if target is LINUX else "text.dll"
        report = build([Library(name, units, exports)], target, zig, tmp_path / "out")
        return report.out / name

    return make
