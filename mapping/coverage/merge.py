"""One row a function for people, where the JSON has one a function and CUDA version."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from .model import PROOFS, Coverage, Row


@dataclass(slots=True)
class Merged:
    """A function in all the CUDA versions that have it. `row` is that of the newest."""

    row: Row
    majors: list[int] = field(default_factory=list)
    confirmed: dict[str, list[int]] = field(default_factory=dict)  # judge -> majors

    @property
    def proved(self) -> bool:
        """In any version."""
        return bool(PROOFS & set(self.confirmed))

    @staticmethod
    def add(majors: list[int], more: tuple[int, ...]) -> None:
        majors += [m for m in more if m not in majors]

    @property
    def judges(self) -> list[str]:
        """`numpy` where a judge confirmed all majors, `numpy (12)` where only some."""
        return [j if m == self.majors else f"{j} ({', '.join(map(str, m))})" for j, m in self.confirmed.items()]


def merge(report: Coverage) -> Mapping[str, Mapping[str, list[Merged]]]:
    """Library's title → chapter → functions. A function of two chapters (a changed prototype) has two rows."""
    found: dict[str, dict[tuple[str, str], Merged]] = {}
    for library in report.libraries:
        rows = found.setdefault(library.title, {})
        for row in library.rows:
            merged = rows.setdefault((row.chapter, row.name), Merged(row))
            merged.row = row
            merged.add(merged.majors, library.cuda)
            for judge in row.judges:
                merged.add(merged.confirmed.setdefault(judge.name, []), library.cuda)
    ordered: dict[str, dict[str, list[Merged]]] = {}
    for title, rows in found.items():
        chapters = ordered.setdefault(title, {})
        for (chapter, _), merged in rows.items():
            chapters.setdefault(chapter, []).append(merged)
    return ordered
