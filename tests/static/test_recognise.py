"""`dragoman run` recognises a runtime in a program's file, and says what keeps it from using ours."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from dragoman.run import driver, links, place, program, start, static_runtime
from dragoman.tables.dark import load_tables


@pytest.fixture
def asker(tmp_path: Path) -> Path:
    """A program's file with all that a runtime asks for somewhere in it."""
    path = tmp_path / "asker"
    path.write_bytes(b"\x7fELF" + b"\0" * 5000 + b"...".join(t.uuid for t in load_tables()) + b"\0" * 5000)
    return path


def test_by_what_it_asks_for(asker: Path, tmp_path: Path) -> None:
    assert static_runtime.inside(asker)
    first = load_tables()[0].uuid
    (tmp_path / "one").write_bytes(first)
    (tmp_path / "empty").write_bytes(b"")
    assert not static_runtime.inside(tmp_path / "one")  # a profiler may ask for one table
    assert not static_runtime.inside(tmp_path / "empty")
    assert not static_runtime.inside(tmp_path / "nothing")


def test_other_programs_have_none() -> None:
    true = shutil.which("true")
    assert true
    assert not program.look(Path(true)).static_runtime


def test_somebody_elses_driver(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(driver, "KNOWN", ())
    monkeypatch.setattr(driver, "_cached", lambda: ())
    (tmp_path / "libcuda.so.1").write_bytes(b"")
    said = static_runtime.remark("p", {"LD_LIBRARY_PATH": str(tmp_path)}, driver=True, windows=False)
    assert said.startswith("D030 p has CUDA's runtime linked into it: it will work with the CUDA driver ")
    assert str(tmp_path / "libcuda.so.1") in said
    zluda = {"LD_PRELOAD": "/opt/zluda/libcuda.so.1"}
    assert static_runtime.remark("p", zluda, driver=True, windows=False) == ""


def test_no_driver_of_ours(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(driver, "KNOWN", ())
    monkeypatch.setattr(driver, "_cached", lambda: ())
    assert "wants a proof" in static_runtime.remark("p", {}, driver=True, windows=False)
    monkeypatch.setattr(static_runtime, "proof_given", lambda: True)
    assert static_runtime.remark("p", {}, driver=True, windows=False) == ""
    assert "dragoman build --library cuda" in static_runtime.remark("p", {}, driver=False, windows=False)
    assert "ZLUDA" in static_runtime.remark("p", {}, driver=True, windows=True)


def test_remark_reaches_the_user(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(driver, "KNOWN", ())
    monkeypatch.setattr(driver, "_cached", lambda: ())
    monkeypatch.setattr(place, "root", lambda *_: tmp_path)
    (found,) = start.remarks(program.Program(tmp_path / "p", static_runtime=True), {})
    assert found.startswith("D030 p ")
    assert start.remarks(program.Program(tmp_path / "p"), {}) == []


def test_the_newest_driver_serves_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As with NVIDIA's: a runtime of any age works with a newer driver, and none with an older."""
    monkeypatch.setenv("DRAGOMAN_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(start, "other_driver", lambda _: "")
    monkeypatch.setattr(place, "root", lambda *_: tmp_path)
    monkeypatch.setattr(place, "host", lambda: "linux")
    for major in (11, 12, 13):
        folder = tmp_path / "linux" / f"cuda{major}"
        folder.mkdir(parents=True)
        (folder / links.DRIVER).write_bytes(b"")
        (folder / f"libcublas.so.{major}").write_bytes(b"")
    folders = start.library_folders(12, {})
    assert (folders[0] / "libcublas.so.12").exists()
    with_driver = [f.name for f in folders if (f / links.DRIVER).exists()]
    assert with_driver == ["cuda13-driver"]
