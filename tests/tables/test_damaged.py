"""Files of the tables that are missing or damaged: one line and exit status 2. Not of `-m tables`: each case loads all."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from dragoman import paths
from dragoman.cli import call


@pytest.fixture
def copy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    root = tmp_path / "tables"
    shutil.copytree(paths.tables_dir(), root)
    monkeypatch.setattr(paths, "tables_dir", lambda: root)
    return root


@pytest.mark.parametrize(
    "name", ["libraries.yaml", "amd_calls.yaml", *(f"types/{p.name}" for p in (paths.tables_dir() / "types").iterdir())]
)
@pytest.mark.parametrize("content", [None, "", "- a\n", b"\xff"])
def test_a_missing_or_damaged_file_is_one_line(
    name: str, content: str | bytes | None, copy: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    if content is None:
        (copy / name).unlink()
    else:
        (copy / name).write_bytes(content.encode() if isinstance(content, str) else content)
    assert call(["explain", "cublasSgemm"]) == 2
    out, err = capfd.readouterr()
    assert out == ""
    assert len(err.splitlines()) == 1
    assert err.startswith(f"dragoman: tables/{name}:1:1: ")


def test_a_folder_without_tables_is_one_line(copy: Path, capfd: pytest.CaptureFixture[str]) -> None:
    shutil.rmtree(copy)
    copy.mkdir()
    assert call(["explain", "cublasSgemm"]) == 2
    assert capfd.readouterr().err.startswith("dragoman: tables/libraries.yaml:1:1: is not in ")
