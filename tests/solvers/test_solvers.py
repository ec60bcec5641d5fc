"""Which of MIOpen's solutions serves a convolution: kept a problem, slow ones spoken of, failing and bad ones passed over."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from conftest import Bench

PRODUCT = {"forward": "91", "data": "97", "filter": "102"}  # GemmFwdRest, GemmBwdRest, GemmWrwUniversal
DIRECT = {"forward": "85", "data": "86", "filter": "87"}    # ConvDirectNaiveConvFwd, …Bwd, …Wrw
DIRECTIONS = tuple(PRODUCT)


@pytest.mark.parametrize("direction", DIRECTIONS)
def test_no_find_and_one_compilation_a_problem(bench: Bench, direction: str) -> None:
    ran = bench.run(direction, "3")
    assert ran.fine, ran.err
    number = PRODUCT[direction]
    assert ran.calls == [f"compile {number}", *[f"call {number}"] * 3]


def test_a_slow_compilation_is_one_line(bench: Bench) -> None:
    ran = bench.run("forward", "2", slow="91")
    assert ran.fine, ran.err
    (line,) = ran.lines("D043")
    assert line.endswith("it keeps it for the next run")


def test_a_quick_compilation_is_no_line(bench: Bench) -> None:
    assert bench.run().lines("D043") == []


@pytest.mark.parametrize("fault", ["broken", "failing"])
@pytest.mark.parametrize("direction", DIRECTIONS)
def test_what_fails_gives_way_to_the_next_for_good(bench: Bench, direction: str, fault: str) -> None:
    """The second call does not try it again."""
    bad, good = PRODUCT[direction], DIRECT[direction]
    ran = bench.run(direction, "2", **{fault: bad})
    assert ran.fine, ran.err
    tried = [f"compile {bad}"] if fault == "broken" else [f"compile {bad}", f"call {bad}"]
    assert ran.calls == [*tried, f"compile {good}", f"call {good}", f"call {good}"]


def test_where_all_fail_the_call_is_refused(bench: Bench) -> None:
    ran = bench.run("forward", failing="91,85")
    assert "forward answers 3" in ran.err  # a status of cuDNN 9: NOT_SUPPORTED and its kin
    assert ran.calls[-1] == "call 85"


# ---- DRAGOMAN_AVOID ----


@pytest.mark.parametrize(
    "avoid",
    [
        "GemmFwdRest",
        "91",
        "Gemm*",
        "ConvOclBwdWrW2<2>, GemmFwdRest,",
        "GemmFwdRest@gfx1100",
        "91@gfx11*",
        "GemmFwdRest@gfx90a GemmFwdRest@gfx1100",
    ],
)
def test_what_the_user_names_is_avoided(bench: Bench, avoid: str) -> None:
    ran = bench.run("forward", "2", avoid=avoid, gfx="gfx1100:sramecc+:xnack-")
    assert ran.fine, ran.err
    assert ran.calls == ["compile 85", "call 85", "call 85"]
    assert ran.lines("D044") == ["dragoman: D044 MIOpen's solver 91 (GemmFwdRest) is not used: DRAGOMAN_AVOID names it"]
    assert ran.lines("D019") == []


@pytest.mark.parametrize("avoid", ["GemmFwdRest@gfx90a", "GemmFwdRest@gfx110", "GemmBwdRest", "9", "ConvWino*"])
def test_what_the_user_does_not_name_is_used(bench: Bench, avoid: str) -> None:
    ran = bench.run("forward", avoid=avoid, gfx="gfx1100")
    assert ran.calls == ["compile 91", "call 91"]
    assert ran.lines("D019") == ran.lines("D044") == []


@pytest.mark.parametrize("word", ["Gemm", "gemmfwdrest", "GemmFwdRest@1100", "@gfx1100", "x" * 300, "GemmFwdRest@"])
def test_a_wrong_word_is_one_line_and_the_others_hold(bench: Bench, word: str) -> None:
    ran = bench.run("forward,data", avoid=f"{word},GemmFwdRest", log="error")
    assert ran.calls[0] == "compile 85"
    (line,) = ran.err.splitlines()
    assert line.startswith(f"dragoman: D019 DRAGOMAN_AVOID: {word[:100]}")
    assert "names no solver of MIOpen's. Use a name as MIOpen's log prints it" in line


def test_too_many_words_are_one_line(bench: Bench) -> None:
    ran = bench.run("forward", avoid=",".join(["97"] * 32 + ["91"]), log="error")
    assert ran.calls[0] == "compile 91"
    (line,) = ran.err.splitlines()
    assert "D019 DRAGOMAN_AVOID has more than 32 words" in line


def test_all_avoided_is_better_than_no_answer(bench: Bench) -> None:
    ran = bench.run("forward,data", "2", avoid="91,85", log="error")
    assert ran.fine, ran.err
    assert ran.calls[:3] == ["compile 91", "call 91", "call 91"]
    (line,) = ran.err.splitlines()
    assert line.startswith("dragoman: D045 all solvers that MIOpen has for a convolution are to be avoided")
    assert "91 (GemmFwdRest) is used all the same" in line


def test_the_cpu_backend_is_no_card_of_these(bench: Bench) -> None:
    """It names no architecture: what is meant for a card is not meant for it."""
    assert bench.run("forward", avoid="GemmFwdRest@gfx*").calls == ["compile 91", "call 91"]


@pytest.mark.skipif(os.name != "posix" or not Path("/usr/bin/true").exists(), reason="set-uid is a matter of Unix")
def test_the_variable_is_the_cores_own_setting() -> None:
    """Read by the core alone, which heeds no variable in a program of more rights (tests/core/test_choice.py)."""
    from dragoman.paths import package_dir

    readers = [p for p in (package_dir() / "compose" / "cudnn").iterdir() if "getenv" in p.read_text(encoding="utf-8")]
    assert readers == []
