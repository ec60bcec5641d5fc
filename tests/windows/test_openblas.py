"""Where the build finds OpenBLAS for Windows, and what it says where there is none."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest
from dragoman.build.openblas_windows import DLL, IMPORT_LIBRARY, VARIABLE, find_windows_openblas, state
from dragoman.build.plan import BuildError

WHEEL = "scipy_openblas64-1.2.3-py3-none-win_amd64.whl"
FILES = {
    f"scipy_openblas64/lib/{DLL}": "code",
    f"scipy_openblas64/lib/{IMPORT_LIBRARY}": "names",
    "scipy_openblas64-1.2.3.dist-info/licenses/LICENSE.txt": "terms",
}


@pytest.fixture(autouse=True)
def cache(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    monkeypatch.setenv("DRAGOMAN_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv(VARIABLE, raising=False)
    return tmp_path / "cache" / "openblas-windows"


def wheel(folder: Path, *without: str) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(folder / WHEEL, "w") as archive:
        for name, text in FILES.items():
            if not any(part in name for part in without):
                archive.writestr(name, text)
    return folder / WHEEL


def test_wheel_in_the_cache_folder(cache: Path) -> None:
    wheel(cache)
    found = find_windows_openblas()
    assert found.library.read_text() == "names"
    assert {f.name: f.source.read_text() for f in found.extra_files} == {
        DLL: "code",
        "OpenBLAS-LICENSE.txt": "terms",
    }


@pytest.mark.parametrize("form", ["wheel", "folder with a wheel", "unpacked"])
def test_named_place(form: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = wheel(tmp_path / "here")
    if form == "unpacked":
        zipfile.ZipFile(path).extractall(path.parent)
        path.unlink()
    monkeypatch.setenv(VARIABLE, str(path if form == "wheel" else path.parent))
    assert find_windows_openblas().library.read_text() == "names"


def test_unpacked_once(cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, str(wheel(tmp_path / "here")))
    first = find_windows_openblas().library
    assert find_windows_openblas().library == first
    assert len(list(cache.iterdir())) == 1


def test_nothing_there_says_what_to_do(cache: Path) -> None:
    with pytest.raises(BuildError) as error:
        find_windows_openblas()
    assert str(error.value) == (
        "no OpenBLAS for Windows: pip download --no-deps --platform win_amd64 --only-binary=:all: "
        f"-d {cache} scipy-openblas64"
    )


def test_named_place_is_the_only_one(cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    wheel(cache)
    monkeypatch.setenv(VARIABLE, str(tmp_path / "nowhere"))
    with pytest.raises(BuildError, match=r"nowhere: there is no .*-win_amd64"):
        find_windows_openblas()


def test_licence_must_travel(cache: Path) -> None:
    wheel(cache, "LICENSE")
    with pytest.raises(BuildError, match="without its licence"):
        find_windows_openblas()


def test_broken_wheel(cache: Path) -> None:
    wheel(cache).write_bytes(b"half a download")
    with pytest.raises(BuildError, match="is no wheel"):
        find_windows_openblas()


def test_state_tells_a_build_that_something_came(cache: Path) -> None:
    before = state()
    wheel(cache)
    assert state() != before
