"""YAML → model of what a CUDA runtime asks of the driver beyond entries: `tables/cuda/dark/`.

`tables.yaml` describes tables of functions that are asked for by UUID, `forms.yaml` the versions at which a name got
another form. docs/static-runtime.md is the format.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from types import MappingProxyType

from .. import paths
from . import c, marks
from .marks import Fields, Node, Where, close, suggest
from .model import MAJORS
from .sources import dark_answers

FOLDER = Path("cuda") / "dark"
HEADS = ("bytes", "function")
_UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\Z")
_WORD = re.compile(r"[a-z][a-z0-9_]*\Z")
_SUFFIXES = re.compile(r"(_v[2-9])?\Z")


@dataclass(frozen=True, slots=True)
class DarkEntry:
    """One function of a table. It has an `answer`, a function of mapping/compose/cuda, or a reason to `refuse`."""

    index: int
    name: str
    params: tuple[str, ...]
    returns: str
    answer: str
    refuse: str
    called: tuple[int, ...]
    where: Where


@dataclass(frozen=True, slots=True)
class DarkTable:
    """One table. `absent`: it is known, and answered as by a driver that does not have it."""

    name: str
    uuid: bytes
    summary: str
    asked: tuple[int, ...]
    needed: bool
    head: str
    size: int
    absent: bool
    entries: Mapping[int, DarkEntry]
    where: Where


@dataclass(frozen=True, slots=True)
class Forms:
    """The forms of one name: from which version of CUDA on each suffix is meant, oldest first."""

    name: str
    since: tuple[tuple[int, str], ...]
    where: Where


@lru_cache(maxsize=4)
def load_tables(root: Path | None = None) -> tuple[DarkTable, ...]:
    """All tables, in the file's order. Raises `TableError` on the first mistake."""
    return parse_tables(_read(root, "tables.yaml"), dark_answers())


@lru_cache(maxsize=4)
def load_forms(root: Path | None = None) -> tuple[Forms, ...]:
    """All names with more than one form. Raises `TableError` on the first mistake."""
    return parse_forms(_read(root, "forms.yaml"))


def _read(root: Path | None, name: str) -> Node:
    return marks.read((root or paths.tables_dir()) / FOLDER / name, f"tables/{FOLDER.as_posix()}/{name}")


def parse_tables(node: Node, answers: Collection[str] | None = None) -> tuple[DarkTable, ...]:
    """`answers`: the functions that there are; without them, any is taken."""
    found: dict[bytes, DarkTable] = {}
    reasons = MappingProxyType({k: v.line() for k, _, v in _reasons(node)})
    for name, key, value in node.items():
        if name == "reasons":
            continue
        if not _WORD.match(name):
            key.fail(f"{name!r} is not a name; expected small letters, digits and underscores")
        table = _table(name, value, reasons, answers)
        if table.uuid in found:
            value.fail(f"{name!r} has the UUID of {found[table.uuid].name!r}; expected one of its own")
        found[table.uuid] = table
    return tuple(found.values())


def _reasons(node: Node) -> list[tuple[str, Node, Node]]:
    return [item for key, _, value in node.items() if key == "reasons" for item in value.items()]


def _table(name: str, node: Node, reasons: Mapping[str, str], answers: Collection[str] | None) -> DarkTable:
    f = node.fields()
    uuid = f.need("uuid")
    text = uuid.text("a UUID")
    if not _UUID.match(text):
        uuid.fail(f"{text!r} is not a UUID; expected 32 digits as 01234567-89ab-cdef-0123-456789abcdef")
    summary = f.need("summary").line()
    asked = f.need("asked")
    needed = f.need("needed").boolean()
    absent = f.get("absent", Node.boolean, False)
    head = f.get("head", lambda n: n.choice(HEADS, "head"), "bytes")
    size = 0 if absent else f.need("size").number()
    entries = {} if absent else _entries(f, size, 1 if head == "bytes" else 0, reasons, answers)
    f.get("notes", Node.text, "")
    f.done()
    if absent and needed:
        node.fail(f"{name!r} is needed and absent; expected one of them")
    return DarkTable(
        name=name,
        uuid=bytes.fromhex(text.replace("-", "")),
        summary=summary,
        asked=_majors(asked),
        needed=needed,
        head=head,
        size=size,
        absent=absent,
        entries=MappingProxyType(entries),
        where=node.where,
    )


def _entries(
    f: Fields, size: int, first: int, reasons: Mapping[str, str], answers: Collection[str] | None
) -> dict[int, DarkEntry]:
    found = {}
    for text, key, value in f.get("entries", lambda n: list(n.items()), []):
        index = key.number()
        if not first <= index < size:
            key.fail(f"entry {text} is outside the table; expected {first} to {size - 1}")
        if index in found:
            key.fail(f"entry {index} stands here twice; expected it once")
        found[index] = _entry(index, value, reasons, answers)
    return found


def _entry(index: int, node: Node, reasons: Mapping[str, str], answers: Collection[str] | None) -> DarkEntry:
    f = node.fields()
    name = f.need("name").word("a name")
    answer = f.get("answer", lambda n: _answer(n, answers), "")
    refused = f.pop("refuse")
    if bool(answer) == bool(refused):
        node.fail("an entry is answered or refused; expected `answer` or `refuse`, and one of them")
    refuse = ""
    if refused:
        word = refused.text("a reason")
        if word not in reasons:
            refused.fail(f"unknown reason {word!r}; {suggest(word, tuple(reasons))}")
        refuse = reasons[word]
    params: tuple[str, ...] = ()
    if answer:
        params = tuple(_param(n) for n in f.need("params").sequence())
    entry = DarkEntry(
        index=index,
        name=name,
        params=params,
        returns=f.get("returns", _type, "CUresult"),
        answer=answer,
        refuse=refuse,
        called=f.get("called", _majors, ()),
        where=node.where,
    )
    f.get("notes", Node.text, "")
    f.done()
    return entry


def _answer(node: Node, answers: Collection[str] | None) -> str:
    name = node.word("a function")
    if answers is not None and name not in answers:
        node.fail(f"mapping/compose/cuda has no function dark_{name}; {close(name, answers)}")
    return name


def _param(node: Node) -> str:
    text = node.text("a parameter")
    if c.declaration(text) is None:
        node.fail(f"{text!r} is not a parameter; expected a C type and a name")
    return text


def _type(node: Node) -> str:
    text = node.text("a C type")
    if not c.is_type(text):
        node.fail(f"{text!r} is no C type; expected one such as CUresult or `void *`")
    return text


def _majors(node: Node) -> tuple[int, ...]:
    found = []
    for item in node.sequence():
        major = item.number()
        if major not in MAJORS:
            item.fail(f"{major} is no CUDA major; expected one of {', '.join(map(str, MAJORS))}")
        found.append(major)
    return tuple(found)


def parse_forms(node: Node) -> tuple[Forms, ...]:
    found = []
    for name, key, value in node.items():
        if not re.match(r"cu[A-Z]\w*\Z", name):
            key.fail(f"{name!r} is no function of the driver; expected a name such as cuMemAlloc")
        since: list[tuple[int, str]] = []
        for suffix, inner, version in value.items():
            if suffix != "plain" and not (suffix.startswith("v") and _SUFFIXES.match("_" + suffix)):
                inner.fail(f"{suffix!r} is no form; expected plain, v2, v3 …")
            number = version.number()
            if since and number <= since[-1][0]:
                version.fail(f"{number} is not newer than {since[-1][0]}; expected the oldest form first")
            since.append((number, "" if suffix == "plain" else "_" + suffix))
        found.append(Forms(name, tuple(since), value.where))
    return tuple(sorted(found, key=lambda f: f.name))
