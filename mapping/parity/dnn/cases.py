"""A case: all that determines one procedure's calls, small enough to be written down as a line of Python."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


class Values(dict[str, Any]):
    """The drawn values of a case, read as attributes."""

    def __getattr__(self, name: str) -> Any:
        try:
            return self[name]
        except KeyError:
            raise AttributeError(f"the case has no {name!r}; it has {', '.join(self)}") from None


Poison = tuple[tuple[str, int, str], ...]  # operand, position among its elements, kind of value


@dataclass(frozen=True, slots=True)
class Case:
    """One example of one function's procedure. Arrays follow from the seed."""

    function: str
    values: Values
    seed: int = 0
    poison: Poison = ()

    def to_json(self) -> dict[str, Any]:
        return {
            "function": self.function,
            "values": dict(self.values),
            "seed": self.seed,
            "poison": [list(p) for p in self.poison],
        }

    @staticmethod
    def from_json(raw: Mapping[str, Any]) -> Case:
        poison = tuple((str(a), int(b), str(c)) for a, b, c in raw["poison"])
        return Case(raw["function"], Values(raw["values"]), raw["seed"], poison)


@dataclass(frozen=True, slots=True)
class Change:
    """What a status case does to an otherwise valid procedure.

    `replaced`: arguments of `function`'s call; `twist`: (operand, what) about its descriptor alone: `dim0` … one element
    longer, `type` another element type, `rank` one dimension more, `unset` a descriptor that was created and never set."""

    function: str
    replaced: Mapping[str, Any] = field(default_factory=dict)
    twist: tuple[str, str] | None = None


def as_python(case: Case) -> str:
    """Lines of Python that repeat the case."""
    words = [f"{name}={value!r}" for name, value in case.values.items()]
    words.append(f"seed={case.seed}")
    if case.poison:
        words.append(f"poison={list(case.poison)!r}")
    return f'from dragoman.parity.dnn import call\ncall("{case.function}", {", ".join(words)})'
