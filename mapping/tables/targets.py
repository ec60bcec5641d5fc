"""The keys of an entry that say what answers it: rocm, host, compose, calls, checks, corners."""

from __future__ import annotations

from dataclasses import dataclass

from . import expr
from .expr import Call, Expr
from .known import Unknown
from .marks import Fields, Node, suggest
from .model import Check, Corner, Library, Target, TypeRecord, backend_of
from .signature import are_parameters

CAPTURE = ("safe", "workspace", "refuse")


@dataclass(frozen=True, slots=True)
class Place:
    """Where an entry stands: what its names are asked with."""

    owner: Library
    file: str
    types: tuple[TypeRecord, ...]
    known: Unknown

    def block(self, node: Node) -> str:
        name = node.text("a block")
        self.known.block(name, node, self.owner, self.file, self.types)
        return name

    def oracle(self, node: Node, params: set[str]) -> str:
        name = node.text("an oracle")
        self.known.oracle(name, node, params)
        return name

    def amd(self, node: Node) -> str:
        name = node.text("an AMD function")
        if not backend_of(name):
            node.fail(f"{name!r} is no function of a known AMD library; expected rocblas_…, rocsolver_…, hip…, miopen…")
        self.known.amd(name, node, self.owner, self.types)
        return name

    def calls(self, node: Node) -> tuple[str, ...]:
        names = []
        for item in node.sequence():
            names.append(self.amd(item))
            self.known.call(names[-1], item, self.owner, self.types)
        return tuple(names)

    def status(self, node: Node) -> str:
        name = node.text("a status constant")
        self.known.status(name, node, self.owner)
        return name


def condition(node: Node, names: set[str]) -> Expr:
    when = expr.parse(node.text("a condition"), node, "a condition")
    are_parameters(expr.names(when), names, node)
    for word in sorted(expr.calls(when) - set(expr.CONDITIONS)):
        node.fail(f"unknown word {word!r} in a condition; {suggest(word, expr.CONDITIONS)}")
    if not expr.is_condition(when):
        node.fail(f"{when} is not a condition; expected comparisons, `P is NULL` and empty(…), joined by and, or, not")
    return when


def read_targets(node: Node, names: set[str], place: Place) -> tuple[Target, ...]:
    if not node.is_sequence:
        to = place.amd(node)
        return (Target(to, None, None, "", "", node.where, to),)
    found = tuple(_target(item, names, place) for item in node.sequence())
    if not found:
        node.fail("no target; expected at least one")
    return found


def _target(node: Node, names: set[str], place: Place) -> Target:
    f = node.fields()
    word = f.get("name", lambda n: n.word(), "")
    block = f.get("compose", place.block, "")
    if block:
        return _block_target(word, block, f, node, place)
    to = place.amd(f.need("to"))
    when, args = (
        f.get("when", lambda n: condition(n, names), None),
        f.get("args", lambda n: _args(n, names, place), None),
    )
    older, before = f.get("older", place.amd, ""), f.get("before", Node.version, "")
    f.done()
    if bool(older) != bool(before):
        node.fail("`older` and `before` go together; expected both or neither")
    return Target(to, when, args, older, before, node.where, word or to)


def _args(node: Node, names: set[str], place: Place) -> tuple[Expr, ...]:
    found = []
    for item in node.sequence():
        arg = expr.parse(item.text("an argument"), item, "an argument")
        are_parameters(expr.names(arg) - {"scale"}, names, item)  # a column of combos, checked with them
        match arg:
            case Call(name=ctype, args=(value,)) if expr.is_size(value) and not expr.calls(value):
                place.known.ctype(ctype, item)
            case expr.Name() | expr.Number():
                pass
            case _:
                item.fail(f"{arg} is no argument; expected a parameter, a number, NULL or TYPE(value)")
        found.append(arg)
    return tuple(found)


def read_capture(node: Node) -> str:
    return node.choice(CAPTURE, "capture rule")


def _block_target(word: str, block: str, f: Fields, node: Node, place: Place) -> Target:
    """A block that answers what no AMD function does."""
    capture = f.get("capture", read_capture, "")
    if not capture:
        node.fail(f"{block!r} is composed and has no `capture`; expected one of safe, workspace, refuse")
    calls = f.get("calls", place.calls, ())
    f.done()
    return Target("", None, None, "", "", node.where, word or block, block, calls, capture)


def read_checks(node: Node, names: set[str], place: Place) -> tuple[Check, ...]:
    checks = []
    for item in node.sequence():
        f = item.fields()
        when = condition(f.need("when"), names)
        checks.append(Check(when, place.status(f.need("status")), item.where))
        f.done()
    return tuple(checks)


def read_corners(node: Node) -> tuple[Corner, ...]:
    corners = []
    for item in node.sequence():
        f = item.fields()
        case, nvidia, rocm = (f.need(key).line() for key in ("case", "nvidia", "rocm"))
        corners.append(Corner(case, nvidia, rocm, f.get("source", Node.line, "")))
        f.done()
    return tuple(corners)
