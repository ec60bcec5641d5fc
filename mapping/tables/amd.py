"""AMD functions that hand-written blocks call: `tables/amd_calls.yaml`, name → C prototype.

The functions that table entries target need no row there: their prototypes follow from the entry's kinds. A row with `{t}` in
its name is four functions, `{T}` in its prototype the element type of each.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from types import MappingProxyType

from .. import paths
from . import c, marks
from .kinds import ELEMENTS
from .marks import Node
from .model import backend_of

_TYPES = {"s": "f32", "d": "f64", "c": "c32", "z": "c64"}
_PROTOTYPE = re.compile(r"^(?P<result>[\w ]+?[ *]+)\((?P<params>.*)\)$")


@dataclass(frozen=True, slots=True)
class AmdCall:
    """One function of an AMD library: C result type and parameter types with names."""

    name: str
    result: str
    params: tuple[tuple[str, str], ...]  # (C type, name)
    node: Node = field(compare=False)


@lru_cache(maxsize=4)
def load_calls(root: Path | None = None) -> Mapping[str, AmdCall]:
    """Read `amd_calls.yaml`; each row is `name: result (type name, type name)`."""
    return read_calls(marks.read((root or paths.tables_dir()) / "amd_calls.yaml", "tables/amd_calls.yaml"))


def read_calls(root: Node) -> Mapping[str, AmdCall]:
    """The whole file."""
    found: dict[str, AmdCall] = {}
    for name, text, key_node, node in _rows(root):
        if not c.NAME.fullmatch(name) or not backend_of(name):
            key_node.fail(
                f"{name!r} is no function of a known AMD library; expected rocblas_…, rocsolver_…, hip…, miopen…"
            )
        if name in found:
            key_node.fail(f"{name!r} is defined twice; first defined at {found[name].node.where}")
        match = _PROTOTYPE.match(text)
        if not match or not c.is_type(match["result"].strip()):
            node.fail(f"{text!r} is not a prototype; expected `result (type name, type name)`")
        params = [_param(part.strip(), node) for part in match["params"].split(",")]
        if params == [("", "")]:
            params = []
        found[name] = AmdCall(name, match["result"].strip(), tuple(params), node)
    return MappingProxyType(found)


def _rows(root: Node) -> Iterator[tuple[str, str, Node, Node]]:
    """Name and prototype of each function, with their places."""
    for name, key_node, value in root.items():
        text = value.text("a C prototype without the name")
        if "{t}" in name:
            for letter, element in _TYPES.items():
                yield name.replace("{t}", letter), text.replace("{T}", ELEMENTS[element].rocm), key_node, value
        else:
            yield name, text, key_node, value


def _param(part: str, node: Node) -> tuple[str, str]:
    """C type and name; two empty words for none."""
    if part in ("", "void"):
        return "", ""
    found = c.declaration(part)
    if found is None:
        node.fail(f"{part!r} is not a parameter; expected a C type and a name")
    return found
