"""Drawing values of a case: a thin layer over Hypothesis whose first choice of each list is the simplest."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from hypothesis import strategies as hs

from .cases import Case, Poison, Values

_samplers: dict[str, hs.SearchStrategy[Any]] = {}


def one_of(options: tuple[Any, ...]) -> hs.SearchStrategy[Any]:
    """`sampled_from`, made once for each tuple: building strategies costs more than drawing from them."""
    key = repr(options)  # some options are lists
    found = _samplers.get(key)
    if found is None:
        found = _samplers[key] = hs.sampled_from(options)
    return found


class Draw:
    """What a procedure's drawing draws from. `version` is cuDNN's: 8 or 9."""

    def __init__(self, draw: Callable[[hs.SearchStrategy[Any]], Any], version: int) -> None:
        self._draw = draw
        self.version = version

    def pick(self, *options: Any) -> Any:
        """One of the options; a failing example shrinks towards the first."""
        return self._draw(one_of(options))

    def word(self, options: str) -> str:
        """One of the words of a text; the more often a word stands there, the likelier it is."""
        return str(self.pick(*options.split()))

    def flag(self, often: int = 1, of: int = 2) -> bool:
        """True in `often` of `of` draws."""
        return bool(self.pick(*([False] * (of - often) + [True] * often)))

    def sizes(self, *rows: Sequence[int]) -> list[int]:
        """One size from each row."""
        return [self.pick(*row) for row in rows]

    def scale(self) -> float:
        """An alpha."""
        return float(self.pick(1.0, 2.0, -0.5, 1.0, 0.0, 0.75))

    def keep(self) -> float:
        """A beta."""
        return float(self.pick(0.0, 1.0, -0.5, 0.0, 2.0, 0.25))

    def blend(self) -> dict[str, float]:
        """alpha and beta: plain in a third of the draws."""
        if self.flag(1, 3):
            return {"alpha": 1.0, "beta": 0.0}
        return {"alpha": self.scale(), "beta": self.keep()}

    def type(self, words: str = "f32 f32 f64 f16 bf16") -> str:
        return self.word(words)

    def poison(self, operands: dict[str, tuple[str, ...]]) -> Poison:
        """A few special values in inputs, in a third of the draws."""
        found = []
        if operands and self.flag(1, 3):
            for _ in range(self.pick(1, 2)):
                name = self.pick(*operands)
                found.append((str(name), int(self._draw(hs.integers(0, 199))), str(self.pick(*operands[name]))))
        return tuple(found)

    def seed(self) -> int:
        return int(self._draw(hs.integers(0, 9999)))


def strategy(
    function: str,
    drawing: Callable[[Draw], dict[str, Any]],
    poison: dict[str, tuple[str, ...]],
    version: int,
) -> hs.SearchStrategy[Case]:
    """Whole cases of one procedure."""

    @hs.composite
    def cases(draw: Callable[[hs.SearchStrategy[Any]], Any]) -> Case:
        d = Draw(draw, version)
        values = Values(drawing(d))
        seed = d.seed()
        present = {k: v for k, v in poison.items() if values.get("type", "f32") not in ("i8", "i32", "u8")}
        return Case(function, values, seed, d.poison(present))

    return cases()
