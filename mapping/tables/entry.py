"""One entry of a chapter: its keys in turn. What must hold between keys is in `rules.py`."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import TypeVar

from . import c
from .known import Unknown
from .marks import Node, suggest
from .model import UNTYPED, Attribute, Entry, FirstApi, Form, Library
from .rules import check_entry
from .signature import (
    read_forms,
    read_params,
    read_pattern,
    read_returns,
    read_since,
    read_symbols,
    read_types,
    read_v1,
)
from .targets import Place, read_capture, read_checks, read_corners, read_targets
from .typed import read_combos

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Chapter:
    """What the key `file` says for all entries of a file."""

    owner: Library
    name: str
    file: str
    header: str
    cuda_since: str
    cuda_until: str
    unsupported: str
    parts: Mapping[int, str]
    documented: bool


def read_chapter(node: Node, libraries: Mapping[str, Library]) -> Chapter:
    """The head of a chapter's file."""
    f = node.fields()
    library_node = f.need("library")
    name = library_node.text("a library")
    if name not in libraries:
        library_node.fail(f"unknown library {name!r}; {suggest(name, list(libraries))}")
    owner = libraries[name]
    chapter = Chapter(
        owner=owner,
        name=f.need("chapter").line("the chapter's name"),
        file=node.file,
        header=f.get("header", lambda n: _header(n, owner), ""),
        cuda_since=f.get("cuda_since", Node.version, ""),
        cuda_until=f.get("cuda_until", Node.version, ""),
        unsupported=f.get("unsupported", lambda n: n.line("the reason"), ""),
        parts=f.get("parts", lambda n: _parts(n, owner), MappingProxyType({})),
        documented=f.get("documented", Node.boolean, True),
    )
    f.done()
    return chapter


def _header(node: Node, owner: Library) -> str:
    return node.choice(owner.headers, f"header of {owner.title}")


def _parts(node: Node, library: Library) -> Mapping[int, str]:
    """`{8: ops_infer, 9: ops}`: by the library's major, the part that exports an entry."""
    found = {}
    for major, key_node, value in node.items():
        version = library.versions.get(int(major)) if major.isdigit() else None
        if version is None:
            key_node.fail(
                f"{major!r} is no major of {library.name}; {suggest(major, [str(m) for m in library.versions])}"
            )
        found[version.major] = value.choice(version.parts, "part")
    return MappingProxyType(found)


def read_entry(key: str, key_node: Node, node: Node, chapter: Chapter, known: Unknown) -> Entry:
    """One family. What is wrong is a TableError at its place."""
    owner = chapter.owner
    f = node.fields()
    summary = f.need("summary").line("a line of text")
    symbols = f.get("names", lambda n: read_symbols(n, f), ())
    cuda = f.get("cuda", read_pattern, "") or ("" if symbols else key_node.word("a symbol"))
    types = f.get("types", read_types, (UNTYPED,))
    if ("{T}" in cuda or "{t}" in cuda) != (types != (UNTYPED,)):
        key_node.fail(f"the name pattern {cuda!r} and `types` do not go together; expected both or neither")
    forms = f.get("forms", read_forms, (Form("plain"),))
    params = f.get("params", lambda n: read_params(n, types, owner, known), ())
    names = {p.name for p in params}
    enums = tuple(p.kind.type for p in params if p.kind.name == "enum")
    place = Place(owner, chapter.file, types, known)
    returns = f.get("returns", read_returns, "status")
    targets = f.get("rocm", lambda n: read_targets(n, names, place), ())
    host, compose = f.get("host", place.block, ""), f.get("compose", place.block, "")
    unsupported = f.get("unsupported", lambda n: n.line("the reason"), "")
    answered = [k for k, v in (("rocm", targets), ("host", host), ("compose", compose)) if v]
    if not answered and not unsupported:
        unsupported = chapter.unsupported
    if unsupported:
        answered.append("unsupported")
    if len(answered) != 1:
        key_node.fail(
            f"{key!r} is answered by {' and '.join(answered) or 'nothing'}; expected exactly one of rocm, host, compose, unsupported"
        )
    how = answered[0]
    capture = f.get("capture", lambda n: _with(n, how, ("compose",), "capture", read_capture), "")
    if compose and not capture:
        key_node.fail(f"{key!r} is composed and has no `capture`; expected one of safe, workspace, refuse")
    limits = f.get("limits", lambda n: _with(n, how, ("rocm", "host", "compose"), "limits", Node.line), "")
    entry = Entry(
        key=key,
        library=owner.name,
        chapter=chapter.name,
        file=chapter.file,
        documented=chapter.documented,
        where=key_node.where,
        summary=summary,
        cuda=cuda or key,
        types=types,
        forms=forms,
        params=params,
        returns=returns,
        names=symbols,
        targets=targets,
        host=host,
        compose=compose,
        calls=f.get("calls", lambda n: _with(n, how, ("host", "compose"), "calls", place.calls), ()),
        unsupported=unsupported,
        answer=f.get("answer", lambda n: _with(n, how, ("unsupported",), "answer", lambda n: _answer(n, place)), ""),
        combos=f.get(
            "combos", lambda n: _refusing(n, returns, lambda n: read_combos(n, params, types, targets, place)), None
        ),
        checks=f.get("checks", lambda n: _refusing(n, returns, lambda n: read_checks(n, names, place)), ()),
        corners=f.get("corners", read_corners, ()),
        capture=capture,
        limits=limits,
        lacks=f.get("lacks", lambda n: _lacks(n, limits, known), MappingProxyType({})),
        narrow=f.get("narrow", lambda n: _narrow(n, how, forms), ""),
        cpu=f.get("cpu", lambda n: _with(n, how, ("rocm",), "cpu", lambda n: n.word("a rule")), ""),
        oracle=f.get(
            "oracle", lambda n: place.oracle(n, {p.name for p in params if p.kind.name not in ("handle", "desc")}), ""
        ),
        header=f.get("header", lambda n: _header(n, owner), chapter.header),
        cuda_since=f.get("cuda_since", Node.version, chapter.cuda_since),
        cuda_until=f.get("cuda_until", Node.version, chapter.cuda_until),
        parts=MappingProxyType({**chapter.parts, **f.get("parts", lambda n: _parts(n, owner), {})}),
        main=f.get("main", Node.boolean, True),
        since=f.get("since", lambda n: read_since(n, forms), MappingProxyType({})),
        os=f.get("os", lambda n: n.choice(("linux", "windows"), "system"), ""),
        v1=f.get("v1", lambda n: read_v1(n, forms, types, names), FirstApi()),
        attributes=f.get("attributes", lambda n: _attributes(n, enums, known), ()),
        notes=f.get("notes", Node.text, ""),
        source=f.get("source", Node.text, ""),
    )
    f.done()
    check_entry(entry, f, known)
    return entry


def _with(node: Node, how: str, wanted: tuple[str, ...], key: str, read: Callable[[Node], T]) -> T:
    """A key that goes with some ways to answer only."""
    if how not in wanted:
        node.fail(f"`{key}` beside `{how}`; expected it with {' or '.join(f'`{w}`' for w in wanted)} only")
    return read(node)


def _refusing(node: Node, returns: str, read: Callable[[Node], T]) -> T:
    """A key that refuses calls: with a status."""
    if returns != "status":
        node.fail(f"calls are refused, and the function returns {returns}; expected a function that returns a status")
    return read(node)


def _answer(node: Node, place: Place) -> str:
    text = node.text("a number, NULL or a constant")
    if not re.fullmatch(r"NULL|-?[0-9]{1,9}", text):
        place.known.any_constant(text, node)
    return text


def _narrow(node: Node, how: str, forms: tuple[Form, ...]) -> str:
    if how != "rocm" or not any(form.wide for form in forms):
        node.fail("`narrow` speaks of `_64` forms of a target; expected i64 under `forms` and `rocm`")
    return node.choice(("never", "first"), "use of the 32-bit target")


def _lacks(node: Node, limits: str, known: Unknown) -> Mapping[str, tuple[str, ...]]:
    """`{type: [f64]}`: what is refused, which `limits` tells people."""
    if not limits:
        node.fail("`lacks` without `limits`; expected a sentence that tells people what is refused")
    found = {}
    for key, key_node, value in node.items():
        for word in key.split():
            known.drawn(word, key_node)
        found[key] = value.texts("a value")
        for item in value.sequence():
            if len(item.text().split()) != len(key.split()):
                item.fail(
                    f"{item.text()!r} is no value of {key!r}; expected {len(key.split())} words, one for each name"
                )
    return MappingProxyType(found)


def _attributes(node: Node, names: tuple[str, ...], known: Unknown) -> tuple[Attribute, ...]:
    """What an opaque object holds: constants of the enumeration that names them, each with the C type of its value."""
    if not names:
        node.fail("`attributes` without a parameter that names one; expected a parameter of kind enum")
    found = []
    for name, key_node, value in node.items():
        known.constant_of(name, key_node, names)
        f = value.fields()
        ctype = f.need("type")
        if not c.is_type(ctype.text("a C type")):
            ctype.fail(f"{ctype.text()!r} is no C type; expected one such as int32_t or `void *`")
        for word in sorted(c.type_names(ctype.text())):
            known.ctype(word, ctype)
        found.append(Attribute(name, ctype.text(), f.get("default", lambda n: _default(n, known), "0")))
        f.done()
    return tuple(found)


def _default(node: Node, known: Unknown) -> str:
    text = node.text("a number or a constant")
    if not re.fullmatch(r"-?(0x[0-9A-Fa-f]{1,16}|[0-9]{1,19})(\.[0-9]+)?", text):
        known.any_constant(text, node)
    return text
