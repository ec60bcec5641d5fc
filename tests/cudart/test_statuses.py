"""Our answers beside NVIDIA's: the same program, c/statuses.c, on both.

`nvidia/*.txt` are the answers of NVIDIA's runtimes, one file a version. Where ours differ, and should, KNOWN says why.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

import pytest
from cudart_programs import HERE, Built

GOLDENS = {int(p.name.split(".")[0]): p for p in sorted((HERE / "nvidia").glob("*.txt"))}
KERNEL = "no kernel can be known here: the status says so, whatever the program asks about it"
KNOWN: dict[str, tuple[str, str]] = {  # case: our answer, why
    "kernels.attributes": ("98", KERNEL),
    "kernels.attributes.kept": ("98 98 0", KERNEL),
    "kernels.occupancy": ("98", KERNEL),
    "kernels.launch": ("209", KERNEL),
    "kernels.launch.kept": ("209 209 0", KERNEL),
}
GARBAGE = {  # what ends the process with NVIDIA's library
    "streams.freed_synchronize": "400",
    "streams.freed_destroy": "400",
    "streams.foreign_query": "400",
    "streams.foreign_destroy": "400",
    "events.freed_query": "400",
    "events.freed_destroy": "400",
    "events.foreign_query": "400",
    "events.stream_as_event": "400",
}


def answers(text: str) -> Iterator[tuple[str, str]]:
    for line in text.splitlines():
        if line and not line.startswith("#"):
            case, _, answer = line.partition(" ")
            yield case, answer.strip()


@lru_cache(maxsize=8)
def golden(path: Path) -> dict[str, str]:
    return dict(answers(path.read_text(encoding="utf-8")))


@pytest.mark.parametrize("major", sorted(GOLDENS))
def test_statuses(built: Built, major: int) -> None:
    done = built.run(built.program("statuses.c", major), major, "garbage")
    assert done.returncode == 0, done.stderr
    ours = dict(answers(done.stdout))
    theirs = golden(GOLDENS[major])
    wrong = []
    for case, answer in theirs.items():
        wanted = KNOWN[case][0] if case in KNOWN else answer
        if ours.get(case) != wanted:
            wrong.append(f"{case}: {ours.get(case)}; expected {wanted} (NVIDIA {answer})")
    wrong += [f"{c}: {ours.get(c)}; expected {a}" for c, a in GARBAGE.items() if ours.get(c) != a]
    assert not wrong, "\n".join(wrong)
    assert set(ours) == set(theirs) | set(GARBAGE)


def test_known_differences_differ() -> None:
    """A difference that is none any more must leave the list."""
    for case, (answer, _) in KNOWN.items():
        assert any(golden(path)[case] != answer for path in GOLDENS.values()), case
