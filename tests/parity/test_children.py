"""Processes of our own: modules of the current folder stay out of them, and they run their parent's copy of the package."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import dragoman
import pytest
from dragoman.children import main_of, python
from dragoman.parity import Options, run_parity

NAMES = ("numpy", "hypothesis", "yaml", "json", "ctypes", "Cython", "lief", "subprocess", "importlib", "dragoman")
PACKAGE = Path(str(dragoman.__file__)).parent
# What starts as a child: every module whose `main` reads questions from its parent.
CHILDREN = sorted(
    f"dragoman.{'.'.join(file.relative_to(PACKAGE).with_suffix('').parts)}"
    for file in PACKAGE.rglob("*.py")
    if re.search(
        r"^def main\(\) -> (int|None):\n(.*\n)*?    (return serve|.*sys\.stdin)", file.read_text("utf-8"), re.M
    )
)


@pytest.fixture
def foreign(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The current folder holds modules of names that are imported."""
    for name in NAMES:
        (tmp_path / f"{name}.py").write_text(f"raise SystemExit('{name} of the current folder')\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)


@pytest.mark.usefixtures("foreign")
@pytest.mark.parametrize("module", CHILDREN)
def test_a_child_starts_in_any_folder(module: str) -> None:
    ran = subprocess.run(main_of(module), input="", capture_output=True, text=True, check=False)
    assert "of the current folder" not in ran.stderr
    last = ran.stderr.strip().splitlines()[-1:]
    assert ran.returncode == 0 or last[0].startswith("json.decoder.JSONDecodeError"), (
        ran.stderr
    )  # it got as far as its input


def test_the_children_are_known() -> None:
    assert len(CHILDREN) >= 8, CHILDREN


@pytest.mark.usefixtures("foreign", "children_find_fakes")
def test_parity_runs_in_any_folder() -> None:
    report = run_parity(Options(factory="broken:right", functions=("cublasSdot_v2",), examples=2, workers=1))
    assert report.ok, report.results


def test_a_child_runs_its_parents_copy(tmp_path: Path) -> None:
    """Also where another one is installed: here, earlier on the path."""
    other = tmp_path / "dragoman"
    other.mkdir()
    (other / "__init__.py").write_text("raise SystemExit('another copy')\n", encoding="utf-8")
    command = main_of("dragoman.build.cython")
    ran = subprocess.run(
        command, input="", env={"PYTHONPATH": str(tmp_path)}, capture_output=True, text=True, check=False
    )
    assert (ran.returncode, ran.stderr) == (0, "")


def test_code_sees_its_arguments() -> None:
    ran = subprocess.run(
        python("print(sys.argv[1:], '' in sys.path)", "a", "b c"), capture_output=True, text=True, check=True
    )
    assert ran.stdout == "['a', 'b c'] False\n"


def test_nobody_starts_python_in_another_way() -> None:
    """amdhost/child.py says which program Python is; what it runs comes from children.py."""
    found = [
        str(file.relative_to(PACKAGE))
        for file in sorted(PACKAGE.rglob("*.py"))
        if re.search(r"\[\s*sys\.executable|sys\.executable,\s*\"-[mc]\"", file.read_text(encoding="utf-8"))
    ]
    assert found == []
    assert python("", program=("/x/python",))[0] == "/x/python"
    assert python("")[0] == sys.executable
