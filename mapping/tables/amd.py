"""AMD functions that hand-written blocks call: `tables/amd_calls.yaml`, name → C prototype.

The functions that table entries target need no row there: their prototypes follow from the entry's kinds. A row with `{t}` in
its name is four functions, `{T}` in its prototype the element type of each.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from types import MappingProxyType

from .. import paths
from . import marks
from .kinds import ELEMENTS
from .marks import Node, Where

_TYPES = {"s": "f32", "d": "f64", "c": "c32", "z": "c64"}
_PROTOTYPE = re.compile(r"^(?P<result>[\w ]+?[ *]+)\((?P<params>.*)\)$")


@dataclass(frozen=True, slots=True)
class AmdCall:
    """One function of an AMD library: C result type and parameter types with names."""

    name: str
    result: str
    params: tuple[tuple[str, str], ...]  # (C type, name)
    where: Where | None = None


def _rows(node: Node) -> Iterator[tuple[str, str, Node]]:
    """Name and prototype of each function."""
    for name, _, value in node.items():
        text = value.text("a C prototype without the name")
        if "{t}" in name:
            for letter, element in _TYPES.items():
                yield name.replace("{t}", letter), text.replace("{T}", ELEMENTS[element].rocm), value
        else:
            yield name, text, value


@lru_cache(maxsize=4)
def load_calls(root: Path | None = None) -> Mapping[str, AmdCall]:
    """Read `amd_calls.yaml`; each row is `name: result (type name, type name)`."""
    found = {}
    node = marks.read((root or paths.tables_dir()) / "amd_calls.yaml", "tables/amd_calls.yaml")
    for name, text, value in _rows(node):
        match = _PROTOTYPE.match(text)
        if not match:
            value.fail(f"{text!r} is not a prototype; expected `result (type name, type name)`")
        params = []
        for part in (p.strip() for p in match["params"].split(",")):
            if part in ("", "void"):
                continue
            split = re.match(r"^(.*?[ *])(\w+)$", part)
            if not split:
                value.fail(f"{part!r} is not a parameter; expected a C type and a name")
            params.append((split[1].strip(), split[2]))
        found[name] = AmdCall(name, match["result"].strip(), tuple(params), value.where)
    return MappingProxyType(found)
