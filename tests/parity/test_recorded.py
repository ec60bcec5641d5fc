"""Ours beside what an H200 answered: every tuple of types, every probe of the helpers and of the runtime. Differences stand
in `departures`, with reasons, and each of those is still needed."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from dragoman.parity.nvidia import departures, goldens
from dragoman.parity.nvidia.recording import Recording, Wanted, to_file
from dragoman.tables.model import Tables

MAJOR = 13  # the goldens are of cuBLAS 13


@pytest.fixture(scope="module")
def answers(build_once: Callable[..., Path], tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, Any]]:
    """What our libraries answer to the very questions."""
    folder = build_once("recorded-libraries", majors=(MAJOR,)) / "linux" / f"cuda{MAJOR}"
    out = tmp_path_factory.mktemp("recorded") / "answers.jsonl"
    wanted = Wanted(folder, "cpu", major=MAJOR, seconds=300, quick=True, parts=("probes", "sweep"))
    left = Recording(wanted, to_file(out)).run()
    found = [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()]
    assert left == 0
    assert [line for line in found if line["what"] == "failed"] == []
    return found


def test_what_is_recorded_is_named() -> None:
    for path in (goldens.PROBES, goldens.SWEEP):
        assert goldens.recorded(path)["seen_on"].startswith("cuBLAS 13.")


def test_as_recorded(tables: Tables, answers: list[dict[str, Any]]) -> None:
    groups = {line["group"]: line["steps"] for line in answers if line["what"] == "probes"}
    assert set(groups) == set(goldens.recorded(goldens.PROBES)["answers"])
    sweeps = {line["function"]: line["answers"] for line in answers if line["what"] == "sweep"}
    assert set(sweeps) == set(goldens.recorded(goldens.SWEEP)["answers"])
    found = [d for group, steps in groups.items() for d in departures.steps(group, steps)]
    for name, tree in sweeps.items():
        function = tables.function(name, "cublas")
        assert function is not None
        found += departures.tuples(function, tree, quick=True)
    unknown = [f"{d.what}: NVIDIA's {d.theirs}, ours {d.ours}" for d in found if d.known is None]
    assert not unknown, "\n".join(unknown[:40])
    needed = {d.known for d in found}
    assert [line for line in (*departures.STEPS, *departures.TUPLES) if line not in needed] == []
