"""Garbage gets NVIDIA's status and never a crash; nothing is read that is not ours, nothing is lost."""

from __future__ import annotations

from typing import TYPE_CHECKING

import facts
import pytest
from dragoman.tables.loader import load

if TYPE_CHECKING:
    from conftest import Subject

SCENARIOS = {
    "garbage": (),
    "threads": (),
    "cycles": ("300",),
    "tiles": (),
    "fork": (),
    "reload": (),
    "exit": (),
}


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_answers(plain: Subject, scenario: str) -> None:
    count = ("10000",) if scenario == "cycles" else ()
    ran = plain.run(scenario, *count)
    assert ran.fine, ran


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_valgrind_finds_nothing(valgrind: Subject, scenario: str) -> None:
    ran = valgrind.run(scenario, *SCENARIOS[scenario])
    assert ran.fine, ran


@pytest.mark.slow
def test_valgrind_finds_no_leak_in_ten_thousand_handles(valgrind: Subject) -> None:
    ran = valgrind.run("cycles", "10000")
    assert ran.fine, ran


@pytest.mark.slow
@pytest.mark.parametrize("scenario", SCENARIOS)
def test_sanitizers_find_nothing(sanitized: Subject, scenario: str) -> None:
    ran = sanitized.run(scenario, *SCENARIOS[scenario])
    assert ran.fine, ran


def taking_a_handle(library: str) -> list[str]:
    """Exported functions whose first parameter is a handle."""
    declared = facts.cuda_functions(library, 12)
    return sorted(
        name
        for name in facts.exports(library, 12)
        if name in declared and declared[name].params and declared[name].params[0].ctype.endswith("Handle_t")
    )


def harmless_when_zero(library: str) -> list[str]:
    """Every function but those that NVIDIA's own manual lets crash."""
    return sorted(f.name for f in load().functions(library, 12) if f.entry.os in ("", "linux"))


# Answered without a look at the handle: where the version goes is NULL; a product of bytes is not supported.
WITHOUT_A_LOOK = {"cublasGetVersion_v2": 7, "cublasUint8gemmBias": 15}


@pytest.mark.parametrize("word", ["0", "0x1234", "freed"])
def test_each_function_answers_that_it_is_no_handle(word: str, plain: Subject) -> None:
    """All other arguments 0: of all that is wrong with the call the handle is told, in each of the functions."""
    names = taking_a_handle("cublas")
    ran = plain.run("every", word, str(plain.path), given="\n".join(names))
    assert ran.code == 0, ran
    said = iter(line for line in ran.err.splitlines() if line.startswith(("cublas", "  ")))
    answers = {name: int(next(said)) for name in said}
    assert list(answers) == names
    expected = WITHOUT_A_LOOK
    if word == "0":  # the settings of cuBLASXt call a NULL handle an invalid value, as NVIDIA's do
        handles = {f.name: f.entry.params[0].kind for f in load().functions("cublas", 12) if f.entry.params}
        settings = [n for n in names if n.startswith("cublasXt") and handles[n].optional]
        expected = {**expected, **dict.fromkeys(settings, 7)}
    assert {n: s for n, s in answers.items() if s != 1} == expected


@pytest.mark.parametrize("judge", ["plain", "valgrind"])
def test_each_function_with_a_good_handle_and_nothing_else(judge: str, request: pytest.FixtureRequest) -> None:
    """Sizes of 0, options of 0 and NULL for each pointer."""
    subject: Subject = request.getfixturevalue(judge)
    ran = subject.run("every", "live", str(subject.path), given="\n".join(taking_a_handle("cublas")))
    assert ran.code == 0, ran


@pytest.mark.parametrize("library", ["cublas", "cublasLt"])
@pytest.mark.parametrize("word", ["0", "0x1234", "freed"])
@pytest.mark.parametrize("judge", ["plain", "valgrind", pytest.param("sanitized", marks=pytest.mark.slow)])
def test_each_function_with_a_bad_handle(judge: str, word: str, library: str, request: pytest.FixtureRequest) -> None:
    """All other arguments 0 as well. A function that crashes is the last one written."""
    subject: Subject = request.getfixturevalue(judge)
    names = harmless_when_zero(library) if word == "0" else taking_a_handle(library)
    assert len(names) > 5
    file = subject.path.with_name(f"lib{library}.so.12")
    ran = subject.run("every", word, str(file), given="\n".join(names))
    last = [line for line in ran.err.splitlines() if line.startswith("cublas")][-1:]
    assert ran.code == 0, f"after {last}: exit {ran.code}\n{ran.out[-500:]}\n{ran.err[-3000:]}"
