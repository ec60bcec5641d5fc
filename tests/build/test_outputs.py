"""A build tree is whole: what was damaged is made again, and a build that fails changes nothing."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from dragoman.build import all as building
from dragoman.build.all import build_all
from dragoman.build.plan import BuildError

FUNCTION = "cublasSgemm_v2"  # the libraries that export it, and what they need


def _tree(out: Path) -> dict[str, bytes]:
    return {str(p.relative_to(out)): p.read_bytes() for p in sorted(out.rglob("*")) if p.is_file()}


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("outputs") / "out"
    build_all(out, majors=(12,), libraries=("cublas", "cudart"), function="")
    return out


@pytest.fixture
def out(made: Path, tmp_path: Path) -> Iterator[Path]:
    """A copy, with its times, so that nothing in it is out of date."""
    copy = tmp_path / "out"
    shutil.copytree(made, copy, symlinks=True)
    _again(copy)
    yield copy


def _again(out: Path) -> building.Built:
    return build_all(out, majors=(12,), libraries=("cublas", "cudart"), function="")


def test_nothing_changed(out: Path) -> None:
    assert _again(out).changed == ()


def _cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:100])


def _flip(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)


@pytest.mark.parametrize("damage", [_cut, _flip, os.unlink])
@pytest.mark.parametrize("kind", ["library", "header", "source"])
def test_damage_is_repaired(out: Path, damage: object, kind: str) -> None:
    before = _tree(out)
    found = {
        "library": out / "linux" / "cuda12" / "libcublas.so.12",
        "header": next((out / "include" / "cuda12").glob("cublas_v2.h")),
        "source": next((out / "src").rglob("level3*.pyx"), None) or next((out / "src").rglob("*.pyx")),
    }[kind]
    assert callable(damage)
    damage(found)
    _again(out)
    after = _tree(out)
    assert {k for k in before if not k.startswith(".") and before[k] != after.get(k)} == set()


def test_failure_changes_nothing(out: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A compiler that fails after the sources were generated: the old sources are there, beside the libraries made of them."""
    before = _tree(out)

    def fails(*arguments: object, **keywords: object) -> None:
        raise BuildError("x.c:1: no")

    monkeypatch.setattr(building, "build", fails)
    monkeypatch.setattr(building, "_digest", lambda options: "another")
    with pytest.raises(BuildError, match="no"):
        _again(out)
    assert _tree(out) == before
    assert [p.name for p in out.iterdir() if p.name.startswith(building._STAGING)] == []


def test_what_a_killed_build_left_goes(out: Path) -> None:
    left = out / f"{building._STAGING}abc"
    left.mkdir()
    (left / "half").write_text("x", encoding="utf-8")
    (out / building.STAMP).unlink()
    _again(out)
    assert not left.exists()
