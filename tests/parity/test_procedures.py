"""What no oracle judges is tried by procedures: every function has one or the other, and each procedure sees what is wrong."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
import spoiled
from dragoman.parity import Options, call, run_parity
from dragoman.parity.procedures import PROCEDURES, procedure_of
from dragoman.parity.procedures.registry import LIBRARIES
from dragoman.parity.strategies import why_untested
from dragoman.tables.model import Tables

Found = dict[str, dict[str, list[str]]]


def environment() -> dict[str, str]:
    """A child finds the package where this process did."""
    return {**os.environ, "PYTHONPATH": os.pathsep.join(p for p in sys.path if p)}


@pytest.fixture(scope="module")
def found(folder: Path) -> Found:
    """What each wrong library was caught at, by function."""
    done = subprocess.run(
        [sys.executable, spoiled.__file__, str(folder)],
        capture_output=True,
        text=True,
        env=environment(),
        timeout=300,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    answers: Found = json.loads(done.stdout)
    return answers


@pytest.mark.parametrize("major", [11, 12, 13])
@pytest.mark.parametrize("library", LIBRARIES)
def test_every_function_is_judged_by_its_numbers(tables: Tables, library: str, major: int) -> None:
    answered = [f for f in tables.functions(library, major) if f.kind != "unsupported"]
    assert [f.name for f in answered if why_untested(f) and not procedure_of(f)] == []
    assert [f.name for f in answered if not why_untested(f) and procedure_of(f)] == [], "an oracle and a procedure"


def test_no_procedure_is_left_over(tables: Tables) -> None:
    entries = {f.entry.key for name in LIBRARIES for f in tables.functions(name) if f.kind != "unsupported"}
    assert sorted(set(PROCEDURES) - entries) == []


def test_our_libraries_are_right(found: Found) -> None:
    assert {name: lines for name, lines in found["right"].items() if lines} == {}


@pytest.mark.parametrize("title", spoiled.SPOILED)
def test_a_wrong_library_is_caught(found: Found, title: str) -> None:
    assert [name for name, lines in found[title].items() if not lines] == []


def test_the_page_counts_the_wrong_libraries() -> None:
    page = Path(__file__).resolve().parents[2] / "docs" / "proof.md"
    assert f"spoiled.py`, {len(spoiled.SPOILED)} of them" in page.read_text(encoding="utf-8")


@pytest.mark.usefixtures("children_find_fakes")
def test_a_failing_example_can_be_repeated(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The report says how, and the same example is right where nothing is spoiled."""
    monkeypatch.setenv(spoiled.NAMED, f"{folder}:numbers_are_cut_to_32_bits")
    options = Options(factory="spoiled:named", backend="cpu", functions=("cublasSetVector_64",), examples=4, workers=1)
    [result] = run_parity(options).results
    assert result.numbers is not None
    assert (result.numbers.state, result.numbers.examples) == ("fail", 1)
    assert result.numbers.python == 'from dragoman.parity import call\ncall("cublasSetVector_64", seed=0)'
    again = f"from dragoman.parity import call; call('cublasSetVector_64', seed=0, subject={str(folder)!r})"
    done = subprocess.run([sys.executable, "-c", again], capture_output=True, text=True, env=environment(), check=True)
    assert done.stdout == "cublasSetVector_64: right\n"


def test_a_procedure_takes_a_seed_alone() -> None:
    with pytest.raises(ValueError, match="a seed is all that it takes"):
        call("cublasSetVector", n=3)
