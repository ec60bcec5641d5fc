"""The recording of NVIDIA's answers: what is kept of a sweep, and that only NVIDIA's answers are kept."""

from __future__ import annotations

import json
from itertools import product
from pathlib import Path

import pytest
from dragoman.parity import golden
from dragoman.parity.nvidia import __main__ as recorder
from dragoman.parity.nvidia import goldens
from dragoman.parity.nvidia.sweep import UNASKED, choices, look_up, swept, tree, tuples
from dragoman.parity.options import ParityError
from dragoman.tables.model import Tables


def test_a_tree_answers_as_the_list_that_it_was_made_of() -> None:
    widths = [(64, 68, -1), (0, 1, 2), (0, 2)]
    statuses = [15] * 18
    statuses[3], statuses[7], statuses[17] = 0, 7, UNASKED
    statuses[12:17] = [7] * 5
    found = tree(statuses, widths)
    words = ["unasked" if s == UNASKED else s for s in statuses]
    assert [look_up(found, t) for t in product(*widths)] == words
    assert tree([15] * 18, widths) == 15


def test_a_quick_sweep_asks_some_of_what_a_whole_one_does(tables: Tables) -> None:
    for function in swept(tables.functions("cublas", 13)):
        for some, every in zip(choices(function, True), choices(function, False), strict=True):
            assert set(some) <= set(every), function.name


def test_each_documented_row_is_among_the_tuples(tables: Tables) -> None:
    from dragoman.parity.nvidia.sweep import columns
    from dragoman.parity.rows import numbers, rows

    for function in swept(tables.functions("cublas", 13)):
        if not function.form.wide:
            asked = set(tuples(function))
            for row in rows(function):
                named = numbers(function, row)
                assert tuple(named[c] for c in columns(function)) in asked, (function.name, row)


def test_only_nvidias_answers_are_kept(tmp_path: Path) -> None:
    report = tmp_path / "answers.jsonl"
    version = {"what": "versions", "runtime": 13000, "cublas": 130100, "seen": True}
    for line in (
        {**version, "card": "dragoman CPU backend"},
        {**version, "card": "a card", "seen": False},
        {"what": "end"},
    ):
        report.write_text(json.dumps(line) + "\n", encoding="utf-8")
        with pytest.raises(ParityError):
            goldens.keep([report])


def test_a_line_that_was_cut_off_is_left_out(tmp_path: Path) -> None:
    report = tmp_path / "answers.jsonl"
    report.write_text('{"what":"end","left":3}\n{"what":"pro', encoding="utf-8")
    assert [line["what"] for line in goldens.lines([report])] == ["end"]


def test_one_command_asks_and_keeps(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The version is in each file, and what the library died of has the word for it."""
    status = {"case": "alpha NULL", "expected": 7, "got": None, "state": "crash", "notes": []}
    found = (
        {"what": "versions", "runtime": 13000, "cublas": 130100, "seen": True, "card": "a card"},
        {"what": "probes", "group": "strings", "steps": []},
        {"what": "suite", "result": {"name": "cublasSgemm_v2", "entry": "gemm", "statuses": [status]}},
    )
    report = tmp_path / "answers.jsonl"
    report.write_text("".join(json.dumps(line) + "\n" for line in found), encoding="utf-8")
    kept = {"SWEEP": tmp_path / "types.json", "PROBES": tmp_path / "probes.json"}
    for name, path in kept.items():
        monkeypatch.setattr(goldens, name, path)
    monkeypatch.setattr(golden, "PATH", tmp_path / "statuses.json")
    monkeypatch.setattr(recorder, "_record", lambda given: report)
    golden.recorded.cache_clear()
    goldens.recorded.cache_clear()
    try:
        assert recorder.main(["--keep"]) == 0
        for path in (*kept.values(), golden.PATH):
            assert json.loads(path.read_text(encoding="utf-8"))["seen_on"].startswith(
                "cuBLAS 13.1.0 with the CUDA 13.0"
            )
        golden.recorded.cache_clear()
        assert golden.recorded() == {"cublas": {"gemm": {"alpha NULL": "crash"}}}
        assert golden.answer("cublas", "gemm", "cublasSgemm_v2", "alpha NULL") is None
    finally:
        golden.recorded.cache_clear()
        goldens.recorded.cache_clear()
