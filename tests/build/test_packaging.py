"""What pyproject.toml and setup.py say, compared with the tree: nothing is left out of a wheel."""

from __future__ import annotations

import importlib.util
import re
import sys
from importlib.metadata import version
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

if sys.version_info < (3, 11):
    pytest.skip("tomllib came with Python 3.11", allow_module_level=True)
import tomllib

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def project() -> dict[str, Any]:
    return tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def load(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, ROOT / f"{name}.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_each_file_of_the_package_is_shipped(project: dict[str, Any]) -> None:
    patterns = project["tool"]["setuptools"]["package-data"]["dragoman"]
    suffixes = {pattern.removeprefix("**/*") for pattern in patterns if pattern.startswith("**/*.")} | {".py"}
    names = {pattern for pattern in patterns if "*" not in pattern}
    files = [path for path in (ROOT / "mapping").rglob("*") if path.is_file() and "__pycache__" not in path.parts]
    left_out = [str(path.relative_to(ROOT)) for path in files if path.suffix not in suffixes and path.name not in names]
    assert left_out == []


def test_source_archive_holds_what_its_tests_read() -> None:
    lines = [line.split() for line in (ROOT / "MANIFEST.in").read_text(encoding="utf-8").splitlines()]
    assert {name for word, *names in lines if word == "graft" for name in names} == {
        "mapping",
        "tables",
        "tests",
        "docs",
    }
    named = {name for word, *names in lines if word == "include" for name in names}
    assert {".ci/run", ".pre-commit-config.yaml", "NOTICE", "README.ko.md", "CONTRIBUTING.md"} <= named
    assert [name for name in sorted(named) if not (ROOT / name).is_file()] == []


def test_wheel_asks_for_what_builds_it(project: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("setuptools")
    backend = load("build_backend")
    monkeypatch.setattr(backend, "_base_requires", lambda _: [])
    needed = backend.get_requires_for_build_wheel()
    assert set(needed) <= set(project["project"]["dependencies"])
    names = {re.split("[=><]", line)[0] for line in needed}
    assert names == {"cython", "jinja2", "lief", "pyyaml", "scipy-openblas64", "ziglang"}


@pytest.mark.parametrize("name", ["cython", "ziglang"])
def test_what_writes_code_is_pinned(project: dict[str, Any], name: str) -> None:
    pinned = [line for line in project["project"]["dependencies"] if line.startswith(f"{name}==")]
    assert pinned == [f"{name}=={version(name)}"], "the tests must run with the version that users get"
