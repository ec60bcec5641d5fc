"""tables/avoid.yaml: each message of its loader, and that what is in it becomes data."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from dragoman.generate import avoid as generated
from dragoman.tables import avoid, marks
from dragoman.tables.marks import TableError

pytestmark = pytest.mark.tables

HEAD = "solvers: {GemmFwdRest: 91, 'ConvOclBwdWrW2<2>': 19}\n"
ROW = "solver: [GemmFwdRest], reason: r, source: https://github.com/ROCm/MIOpen/issues/1"
WRONG = {
    "a name": (
        "solvers: {Gemm-Rest: 91}\navoid: []\n",
        "1:11: 'Gemm-Rest' is no name of a solver; expected one such as GemmFwdRest or ConvOclBwdWrW2<2>",
    ),
    "a number": ("solvers: {A: 0}\navoid: []\n", "1:14: 0 is no number of a solver; expected one from 1 to 65535"),
    "no rows": ("solvers: {A: 1}\n", "1:1: the key 'avoid' is missing; expected it here"),
    "a key": (HEAD + f"avoid: [{{{ROW}, gfxs: [gfx9]}}]\n", "2:93: unknown key 'gfxs'; did you mean 'gfx'?"),
    "no solver": (
        HEAD + "avoid: [{solver: [GemmFwdRset], reason: r}]\n",
        "2:19: unknown solver 'GemmFwdRset'; did you mean 'GemmFwdRest'?",
    ),
    "an empty list": (
        HEAD + "avoid: [{solver: []}]\n",
        "2:18: the list is empty; expected at least one, or no key",
    ),
    "no architecture": (
        HEAD + f"avoid: [{{{ROW}, gfx: [1100]}}]\n",
        "2:99: '1100' is no architecture; expected one such as gfx1100, or gfx11* for all that begin so",
    ),
    "a direction": (
        HEAD + f"avoid: [{{{ROW}, direction: [forwards]}}]\n",
        "2:105: unknown direction 'forwards'; did you mean 'forward'?",
    ),
    "a type": (
        HEAD + f"avoid: [{{{ROW}, types: [f64x]}}]\n",
        "2:101: unknown element type 'f64x'; expected one of bf16, f16, f32, i8",
    ),
    "a release": (
        HEAD + f"avoid: [{{{ROW}, since: '6'}}]\n",
        "2:100: '6' is no release; expected one such as '6.4'",
    ),
    "releases the wrong way": (
        HEAD + f"avoid: [{{{ROW}, since: '6.4', until: '6.2'}}]\n",
        "2:9: `until` is not later than `since`; expected the first release that the row does not hold for",
    ),
    "no reason": (
        HEAD + "avoid: [{solver: [GemmFwdRest]}]\n",
        "2:9: the key 'reason' is missing; expected it here",
    ),
    "a source": (
        HEAD + "avoid: [{solver: [91], reason: r, source: hearsay}]\n",
        "2:43: 'hearsay' is no public issue of AMD's; expected an address below https://github.com/ROCm/",
    ),
}


@pytest.mark.parametrize("case", WRONG)
def test_wrong_table(case: str) -> None:
    text, message = WRONG[case]
    with pytest.raises(TableError) as error:
        avoid.read_avoid(marks.parse(text, "t.yaml"))
    assert str(error.value) == f"t.yaml:{message}"


def test_a_row_becomes_data() -> None:
    text = (
        HEAD
        + f"avoid: [{{{ROW}, gfx: [gfx90a, gfx11*], direction: [forward, backward_filter], types: [f16], until: '6.4'}}]\n"
    )
    found = generated.header(avoid.read_avoid(marks.parse(text, "t.yaml")))
    assert '{91, "GemmFwdRest"},' in found
    for gfx in ("gfx90a", "gfx11*"):
        row = (
            f'{{91, 5, 1u << CUDNN_DATA_HALF, 0, 0, 6004000, "{gfx}", "r", "https://github.com/ROCm/MIOpen/issues/1"}},'
        )
        assert row in found


def test_a_row_without_conditions_holds_everywhere() -> None:
    found = generated.header(avoid.read_avoid(marks.parse(HEAD + f"avoid: [{{{ROW}}}]\n", "t.yaml")))
    assert '{91, 0, 0, 0, 0, 0, NULL, "r",' in found


@pytest.mark.parametrize("row", avoid.load_avoid().rows, ids=lambda row: str(row.where))
def test_each_row_is_told_somewhere(row: avoid.Avoid) -> None:
    assert re.fullmatch(r"https://github\.com/ROCm/[\w-]+/(issues|pull)/\d+", row.source)
    assert not row.reason.endswith(".")
    known = set(avoid.load_avoid().solvers.values())
    assert set(row.solvers) <= known


def test_the_cpu_backends_solvers_are_in_the_table() -> None:
    """So that a user can name them without a card."""
    source = (Path(avoid.__file__).parents[1] / "cpu" / "miopen" / "convolution_problem.pxi").read_text(
        encoding="utf-8"
    )
    numbers = {int(n) for n in re.findall(r"^    (?:DIRECT|PRODUCT\w*) = (\d+)", source, re.MULTILINE)}
    assert numbers == {85, 91, 97, 102}
    assert numbers <= set(avoid.load_avoid().solvers.values())
