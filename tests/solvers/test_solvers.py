"""Which of MIOpen's solutions serves a convolution: kept a problem, slow ones spoken of, failing and bad ones passed over."""

from __future__ import annotations

from typing import Any

import pytest

PRODUCT = {"forward": "91", "data": "97", "filter": "102"}  # GemmFwdRest, GemmBwdRest, GemmWrwUniversal
DIRECT = {"forward": "85", "data": "86", "filter": "87"}  # ConvDirectNaiveConvFwd, …Bwd, …Wrw
DIRECTIONS = tuple(PRODUCT)


@pytest.mark.parametrize("direction", DIRECTIONS)
def test_no_find_and_one_compilation_a_problem(bench: Any, direction: str) -> None:
    ran = bench.run(direction, "3")
    assert ran.fine, ran.err
    number = PRODUCT[direction]
    assert ran.calls == [f"compile {number}", *[f"call {number}"] * 3]


def test_a_slow_compilation_is_one_line(bench: Any) -> None:
    ran = bench.run("forward", "2", slow="91")
    assert ran.fine, ran.err
    (line,) = ran.lines("D043")
    assert line.endswith("it keeps it for the next run")


def test_a_quick_compilation_is_no_line(bench: Any) -> None:
    assert bench.run().lines("D043") == []


@pytest.mark.parametrize("fault", ["broken", "failing"])
@pytest.mark.parametrize("direction", DIRECTIONS)
def test_what_fails_gives_way_to_the_next_for_good(bench: Any, direction: str, fault: str) -> None:
    """The second call does not try it again."""
    bad, good = PRODUCT[direction], DIRECT[direction]
    ran = bench.run(direction, "2", **{fault: bad})
    assert ran.fine, ran.err
    tried = [f"compile {bad}"] if fault == "broken" else [f"compile {bad}", f"call {bad}"]
    assert ran.calls == [*tried, f"compile {good}", f"call {good}", f"call {good}"]


def test_where_all_fail_the_call_is_refused(bench: Any) -> None:
    ran = bench.run("forward", failing="91,85")
    assert "forward answers 5000" in ran.err  # CUDNN_STATUS_EXECUTION_FAILED
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
def test_what_the_user_names_is_avoided(bench: Any, avoid: str) -> None:
    ran = bench.run("forward", "2", avoid=avoid, gfx="gfx1100:sramecc+:xnack-")
    assert ran.fine, ran.err
    assert ran.calls == ["compile 85", "call 85", "call 85"]
    assert ran.lines("D044") == ["dragoman: D044 MIOpen's solver 91 (GemmFwdRest) is not used: DRAGOMAN_AVOID names it"]
    assert ran.lines("D019") == []


@pytest.mark.parametrize("avoid", ["GemmFwdRest@gfx90a", "GemmFwdRest@gfx110", "GemmBwdRest", "9", "ConvWino*"])
def test_what_the_user_does_not_name_is_used(bench: Any, avoid: str) -> None:
    ran = bench.run("forward", avoid=avoid, gfx="gfx1100")
    assert ran.calls == ["compile 91", "call 91"]
    assert ran.lines("D019") == ran.lines("D044") == []


@pytest.mark.parametrize("word", ["Gemm", "gemmfwdrest", "GemmFwdRest@1100", "@gfx1100", "x" * 300, "GemmFwdRest@"])
def test_a_wrong_word_is_one_line_and_the_others_hold(bench: Any, word: str) -> None:
    ran = bench.run("forward,data", avoid=f"{word},GemmFwdRest", log="error")
    assert ran.calls[0] == "compile 85"
    (line,) = ran.err.splitlines()
    assert line.startswith(f"dragoman: D019 DRAGOMAN_AVOID: {word[:100]}")
    assert "names no solver of MIOpen's. Use a name as MIOpen's log prints it" in line


def test_too_many_words_are_one_line(bench: Any) -> None:
    ran = bench.run("forward", avoid=",".join(["97"] * 32 + ["91"]), log="error")
    assert ran.calls[0] == "compile 91"
    (line,) = ran.err.splitlines()
    assert "D019 DRAGOMAN_AVOID has more than 32 words" in line


def test_all_avoided_is_better_than_no_answer(bench: Any) -> None:
    ran = bench.run("forward,data", "2", avoid="91,85", log="error")
    assert ran.fine, ran.err
    assert ran.calls[:3] == ["compile 91", "call 91", "call 91"]
    (line,) = ran.err.splitlines()
    assert line.startswith("dragoman: D045 all solvers that MIOpen has for a convolution are to be avoided")
    assert "91 (GemmFwdRest) is used all the same" in line


def test_the_cpu_backend_is_no_card_of_these(bench: Any) -> None:
    """It names no architecture: what is meant for a card is not meant for it."""
    assert bench.run("forward", avoid="GemmFwdRest@gfx*").calls == ["compile 91", "call 91"]


# ---- rows of tables/avoid.yaml ----


ROW = {"gfx": "gfx90a:sramecc+:xnack-", "also": "64"}  # ConvHipImplicitGemmForwardV4R4Xdlops: f16, forward, gfx90a


def test_a_row_holds_on_its_card(bench: Any) -> None:
    """The shim gives the product another number, that of a solver which the table tells of."""
    ran = bench.run("forward", "2", "f16", **ROW)
    assert ran.fine, ran.err
    assert ran.calls == ["compile 85", "call 85", "call 85"]
    (line,) = ran.lines("D044")
    assert "solver 64 (ConvHipImplicitGemmForwardV4R4Xdlops) is not used on gfx90a: wrong results" in line
    assert line.endswith("(https://github.com/ROCm/MIOpen/issues/2284)")


@pytest.mark.parametrize(
    ("direction", "kind", "settings"),
    [
        ("forward", "f32", {}),  # another type
        ("data", "f16", {}),  # another direction
        ("forward", "f16", {"gfx": "gfx90"}),  # another card
    ],
)
def test_a_row_holds_nowhere_else(bench: Any, direction: str, kind: str, settings: dict[str, str]) -> None:
    ran = bench.run(direction, "1", kind, **(ROW | settings))
    assert ran.fine, ran.err
    assert ran.calls == ["compile 64", "call 64"]


@pytest.mark.parametrize(("release", "avoided"), [("60032831", True), ("60140092", False)])
def test_a_row_holds_for_its_releases(bench: Any, release: str, avoided: bool) -> None:
    """ConvOclDirectFwdGen was repaired in ROCm 6.1; it is bad on every card."""
    ran = bench.run("forward", "1", "f16", also="9", gfx="gfx1030", release=release)
    assert ran.fine, ran.err
    assert ran.calls[0] == ("compile 85" if avoided else "compile 9")
