"""MIOpen's solvers that must not be used: `tables/avoid.yaml`, names with numbers and rows with reasons.

Every message is one line: `file:line:column: what is wrong; what was expected`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from types import MappingProxyType

from .. import paths
from . import marks
from .marks import Node, Where, suggest

DIRECTIONS = ("forward", "backward_data", "backward_filter")
TYPES = ("f16", "bf16", "f32", "i8")
SOURCES = "https://github.com/ROCm/"
_GFX = re.compile(r"gfx[0-9a-f]*\*?")
_SOLVER = re.compile(r"[A-Za-z]\w*(<[0-9-]+>)?")


@dataclass(frozen=True, slots=True)
class Avoid:
    """One row. Empty tuples and versions hold for all; a version counts as major·1000000 + minor·1000."""

    solvers: tuple[int, ...]
    gfx: tuple[str, ...]
    directions: tuple[str, ...]
    types: tuple[str, ...]
    grouped: bool
    since: int
    until: int
    reason: str
    source: str
    where: Where


@dataclass(frozen=True, slots=True)
class Avoids:
    """All of the table: numbers of solvers by name, and the rows."""

    solvers: Mapping[str, int]
    rows: tuple[Avoid, ...]


@lru_cache(maxsize=4)
def load_avoid(root: Path | None = None) -> Avoids:
    """Read `avoid.yaml` below `root` (default: the installation's tables). Raises `TableError` on the first mistake."""
    return read_avoid(marks.read((root or paths.tables_dir()) / "avoid.yaml", "tables/avoid.yaml"))


def read_avoid(node: Node) -> Avoids:
    """The whole file."""
    fields = node.fields()
    solvers = _solvers(fields.need("solvers"))
    rows = tuple(_row(item, solvers) for item in fields.need("avoid").sequence())
    fields.done()
    return Avoids(MappingProxyType(solvers), rows)


def _solvers(node: Node) -> dict[str, int]:
    found = {}
    for name, key_node, value in node.items():
        if not _SOLVER.fullmatch(name):
            key_node.fail(f"{name!r} is no name of a solver; expected one such as GemmFwdRest or ConvOclBwdWrW2<2>")
        number = value.number()
        if not 0 < number < 1 << 16:
            value.fail(f"{number} is no number of a solver; expected one from 1 to 65535")
        found[name] = number
    return found


def _row(node: Node, solvers: Mapping[str, int]) -> Avoid:
    f = node.fields()
    row = Avoid(
        solvers=tuple(_solver(n, solvers) for n in _some(f.need("solver"))),
        gfx=f.get("gfx", lambda n: tuple(_gfx(i) for i in _some(n)), ()),
        directions=f.get("direction", lambda n: tuple(i.choice(DIRECTIONS, "direction") for i in _some(n)), ()),
        types=f.get("types", lambda n: tuple(i.choice(TYPES, "element type") for i in _some(n)), ()),
        grouped=f.get("grouped", Node.boolean, False),
        since=f.get("since", _release, 0),
        until=f.get("until", _release, 0),
        reason=f.need("reason").text("why it is avoided"),
        source=_source(f.need("source")),
        where=node.where,
    )
    f.done()
    if row.until and row.until <= row.since:
        node.fail("`until` is not later than `since`; expected the first release that the row does not hold for")
    return row


def _some(node: Node) -> list[Node]:
    items = node.sequence()
    if not items:
        node.fail("the list is empty; expected at least one, or no key")
    return items


def _solver(node: Node, solvers: Mapping[str, int]) -> int:
    name = node.text("a solver")
    if name.isdigit():
        return int(name)
    if name not in solvers:
        node.fail(f"unknown solver {name!r}; {suggest(name, list(solvers))}")
    return solvers[name]


def _gfx(node: Node) -> str:
    text = node.text("an architecture")
    if not _GFX.fullmatch(text):
        node.fail(f"{text!r} is no architecture; expected one such as gfx1100, or gfx11* for all that begin so")
    return text


def _release(node: Node) -> int:
    text = node.text("a release such as '6.4'")
    if not re.fullmatch(r"\d+\.\d+", text):
        node.fail(f"{text!r} is no release; expected one such as '6.4'")
    major, minor = map(int, text.split("."))
    return major * 1_000_000 + minor * 1000


def _source(node: Node) -> str:
    text = node.text("an address")
    if not text.startswith(SOURCES):
        node.fail(f"{text!r} is no public issue of AMD's; expected an address below {SOURCES}")
    return text
