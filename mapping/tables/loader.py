"""YAML → model. Rules inside an entry are checked here as it is read; rules across entries in `_cross_check`.

Every message is one line: `file:line:column: what is wrong; what was expected`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import product
from pathlib import Path
from types import MappingProxyType

from .. import paths
from . import expr, marks
from .amd import load_calls
from .expr import Expr
from .kinds import DATA_TYPES, ELEMENTS, parse_kind
from .known import Known, Unknown
from .marks import Fields, Node, TableError, Where, suggest
from .model import (
    MAJORS,
    TYPES,
    UNTYPED,
    Attribute,
    Check,
    Combos,
    Corner,
    Entry,
    FirstApi,
    Form,
    Library,
    LibraryVersion,
    Param,
    Slot,
    Tables,
    Target,
    TypeRecord,
    backend_of,
)
from .types import load_types

FORMS = ("plain", "v2", "i64", "v1", "host", "ptsz", "ptds")
CAPTURE = ("safe", "workspace", "refuse")
# dg_reason names (mapping/runtime/dragoman.h) that every library answers by a status of its own.
REASONS = ("bad_handle", "forked", "no_backend", "no_memory", "no_kernels", "closing", "unsupported", "invalid")


def load(root: Path | None = None) -> Tables:
    """Load all tables below `root` (default: the installation's). Raises `TableError` on the first mistake."""
    return _load_cached(root or paths.tables_dir())


@lru_cache(maxsize=4)
def _load_cached(root: Path) -> Tables:
    for name in ("libraries.yaml", "amd_calls.yaml"):
        if not (root / name).is_file():
            raise TableError(Where(f"tables/{name}", 1, 1), f"is not in {root}; expected a folder with all tables")
    return read(root, Known(load_types(root), load_calls(root)))


def read(root: Path, known: Unknown) -> Tables:
    """The tables below `root`; what they name outside themselves is asked of `known`."""
    libraries = _libraries(marks.read(root / "libraries.yaml", "tables/libraries.yaml"), known)
    entries: list[Entry] = []
    for folder in sorted(p for p in root.iterdir() if p.is_dir() and p.name != "types"):
        for path in sorted(folder.glob("*.yaml")):
            entries += load_file(marks.read(path, f"tables/{folder.name}/{path.name}"), libraries, known)
    tables = Tables(libraries, tuple(entries))
    for library in libraries.values():
        if not any(e.library == library.name for e in entries):
            raise TableError(library.where, f"library {library.name!r} has no entry; expected tables in a folder of it")
    _cross_check(tables)
    known.finish(entries)
    return tables


def load_text(
    text: str, name: str, libraries: Mapping[str, Library], known: Unknown | None = None
) -> tuple[Entry, ...]:
    """Load one file from a string (tests, editors). Without `known`, names of what stands elsewhere are not checked."""
    return tuple(load_file(marks.parse(text, name), libraries, known or Unknown()))


def _libraries(root: Node, known: Unknown) -> Mapping[str, Library]:
    found = {}
    for name, _, node in root.items():
        fields = node.fields()
        versions = {}
        for major_text, key_node, value in fields.need("versions").items():
            if not major_text.isdigit():
                key_node.fail(f"{major_text!r} is not a major version; expected a number such as 12")
            inner = value.fields()
            versions[int(major_text)] = LibraryVersion(
                int(major_text),
                inner.need("version").text("a version such as 12.9.2"),
                inner.get("number", Node.number, 0),
                inner.need("linux").text("a file name"),
                inner.need("windows").text("a file name"),
                inner.get("cuda", lambda n: tuple(i.number() for i in n.sequence()), ()),
                inner.get("parts", lambda n: n.texts("a part"), ()),
            )
            inner.done()
        reason_nodes = {k: v for k, _, v in fields.need("reasons").items()}
        reasons = {k: v.text("a status constant") for k, v in reason_nodes.items()}
        for reason in REASONS:
            if reason not in reasons:
                fields.node.fail(f"library {name!r} has no status for {reason!r}; expected one under reasons")
        status = fields.need("status")
        known.enum(status.text("a status type"), status)
        support = fields.pop("support")
        library = Library(
            name=name,
            title=fields.need("title").text(),
            status=status.text("a status type"),
            prefix=fields.get("prefix", lambda n: n.text("a prefix"), ""),
            reasons=MappingProxyType(reasons),
            versions=MappingProxyType(versions),
            backends=fields.get("backends", lambda n: n.texts("a backend library"), ()),
            data=MappingProxyType(fields.get("data", lambda n: {k: v.texts("a target") for k, _, v in n.items()}, {})),
            where=node.where,
            handle=fields.get("handle", _slot, None),
            descriptors=MappingProxyType(
                fields.get("descriptors", lambda n: {k: _slot(v) for k, _, v in n.items()}, {}),
            ),
            support=support.texts("an AMD function") if support else (),
            explains=fields.get("explains", Node.boolean, False),
            shared_blocks=fields.get("shared_blocks", Node.boolean, False),
        )
        fields.done()
        for reason, node_of in reason_nodes.items():
            known.status(reasons[reason], node_of, library)
        for item in support.sequence() if support else ():
            known.call(item.text("an AMD function"), item, library, ())
        found[name] = library
    return MappingProxyType(found)


def _slot(node: Node) -> Slot:
    f = node.fields()
    slot = Slot(
        f.need("type").text("a C type"), f.need("struct").text("a C struct"), f.need("magic").text("a constant")
    )
    f.done()
    return slot


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


def load_file(root: Node, libraries: Mapping[str, Library], known: Unknown) -> list[Entry]:
    """Entries of one chapter file."""
    fields = root.fields()
    head = fields.need("file").fields()
    library_node = head.need("library")
    library = library_node.text("a library")
    if library not in libraries:
        library_node.fail(f"unknown library {library!r}; {suggest(library, list(libraries))}")
    defaults = {
        key: head.get(key, lambda n: n.text(), "") for key in ("header", "cuda_since", "cuda_until", "unsupported")
    }
    chapter = head.need("chapter").text("the chapter's name")
    parts = head.get("parts", lambda n: _parts(n, libraries[library]), MappingProxyType({}))
    head.done()
    return [
        _entry(key, key_node, node, libraries[library], chapter, root.file, defaults, parts, known)
        for key, key_node, node in fields.rest()
    ]


def _entry(
    key: str,
    key_node: Node,
    node: Node,
    owner: Library,
    chapter: str,
    file: str,
    defaults: Mapping[str, str],
    parts: Mapping[int, str],
    known: Unknown,
) -> Entry:
    library = owner.name
    f = node.fields()
    summary = f.need("summary").text("a line of text")
    symbols = f.get("names", lambda n: _symbols(n, f), ())
    cuda = f.get("cuda", lambda n: n.text("a name pattern"), key)
    types = f.get("types", _types, (UNTYPED,))
    if ("{T}" in cuda or "{t}" in cuda) != (types != (UNTYPED,)):
        key_node.fail(f"the name pattern {cuda!r} and `types` do not go together; expected both or neither")
    forms = f.get("forms", _forms, (Form("plain"),))
    params = f.get("params", lambda n: _params(n, types, owner, known), ())
    names = {p.name for p in params}
    returns = f.get("returns", lambda n: n.text("status or a C type"), "status")
    place = _Place(owner, file, types, known)
    targets = f.get("rocm", lambda n: _targets(n, names, place), ())
    asked = {"host": place.block, "compose": place.block, "oracle": place.oracle}
    text = {
        k: f.get(k, asked.get(k, Node.text), "")
        for k in ("host", "compose", "answer", "limits", "cpu", "oracle", "relate", "notes", "source")
    }
    unsupported = f.get("unsupported", lambda n: n.text("the reason"), "")
    answered = [k for k, v in (("rocm", targets), ("host", text["host"]), ("compose", text["compose"])) if v]
    if not answered and not unsupported:
        unsupported = defaults["unsupported"]
    if unsupported:
        answered.append("unsupported")
    if len(answered) != 1:
        key_node.fail(
            f"{key!r} is answered by {' and '.join(answered) or 'nothing'}; expected exactly one of rocm, host, compose, unsupported"
        )
    capture = f.get("capture", lambda n: n.choice(CAPTURE, "capture rule"), "")
    if text["compose"] and not capture:
        key_node.fail(f"{key!r} is composed and has no `capture`; expected one of safe, workspace, refuse")
    entry = Entry(
        key=key,
        library=library,
        chapter=chapter,
        file=file,
        where=key_node.where,
        summary=summary,
        cuda=cuda,
        types=types,
        forms=forms,
        params=params,
        returns=returns,
        names=symbols,
        targets=targets,
        host=text["host"],
        compose=text["compose"],
        calls=f.get("calls", place.calls, ()),
        unsupported=unsupported,
        answer=text["answer"],
        combos=f.get("combos", lambda n: _combos(n, params, types, targets, place), None),
        checks=f.get("checks", lambda n: _checks(n, names, place), ()),
        corners=f.get("corners", _corners, ()),
        capture=capture,
        limits=text["limits"],
        lacks=MappingProxyType(f.get("lacks", lambda n: _lacks(n, text["limits"]), {})),
        narrow=f.get("narrow", lambda n: n.choice(("never", "first"), "use of the 32-bit target"), ""),
        cpu=text["cpu"],
        oracle=text["oracle"],
        header=f.get("header", lambda n: n.text("a header"), defaults["header"]),
        cuda_since=f.get("cuda_since", _version, defaults["cuda_since"]),
        cuda_until=f.get("cuda_until", _version, defaults["cuda_until"]),
        parts=MappingProxyType({**parts, **f.get("parts", lambda n: _parts(n, owner), {})}),
        main=f.get("main", Node.boolean, True),
        since=MappingProxyType(f.get("since", lambda n: {k: _version(v) for k, _, v in n.items()}, {})),
        os=f.get("os", lambda n: n.choice(("linux", "windows"), "system"), ""),
        v1=f.get("v1", _v1, FirstApi()),
        attributes=f.get("attributes", _attributes, ()),
        relate=text["relate"],
        notes=text["notes"],
        source=text["source"],
    )
    f.done()
    scaled = any("scale" in expr.names(a) for t in targets for a in t.args or ())
    if scaled and "scale" not in names and not (entry.combos and "scale" in entry.combos.columns):
        key_node.fail("a target passes on `scale`; expected a column of that name under combos")
    return entry


@dataclass(frozen=True, slots=True)
class _Place:
    """Where an entry stands: what its names are asked with."""

    owner: Library
    file: str
    types: tuple[TypeRecord, ...]
    known: Unknown

    def block(self, node: Node) -> str:
        name = node.text("a block")
        self.known.block(name, node, self.owner, self.file, self.types)
        return name

    def oracle(self, node: Node) -> str:
        name = node.text("an oracle")
        self.known.oracle(name, node)
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


def _symbols(node: Node, fields: Fields) -> tuple[str, ...]:
    """Symbols that share one entry. They are whole names: no pattern goes with them."""
    for key in ("cuda", "types"):
        if fields.pop(key) is not None:
            node.fail(f"`names` and `{key}` do not go together; expected one of them")
    words = node.texts("a symbol")
    if len(words) < 2:
        node.fail("`names` has fewer than two symbols; expected an entry of its own for one")
    return words


def _version(node: Node) -> str:
    text = node.text("a version such as 12.9")
    if not all(part.isdigit() for part in text.split(".")):
        node.fail(f"{text!r} is not a version; expected numbers and dots")
    return text


def _types(node: Node) -> tuple[TypeRecord, ...]:
    if node.is_sequence:
        records = []
        for item in node.sequence():
            name = item.text("a type such as S")
            if name not in TYPES:
                item.fail(f"unknown type {name!r}; {suggest(name, list(TYPES))}")
            records.append(TYPES[name])
        if not records:
            node.fail("no type; expected at least one")
        return tuple(records)
    records = []
    for name, _, value in node.items():
        roles = {}
        for role, _, element in value.items():
            roles[role] = element.choice(tuple(ELEMENTS), "element type")
        records.append(TypeRecord(name, MappingProxyType(roles)))
    return tuple(records)


def _forms(node: Node) -> tuple[Form, ...]:
    words = [n.choice(FORMS, "form") for n in node.sequence()]
    if not words:
        node.fail("no form; expected at least one")
    bases = [w for w in words if w in ("plain", "v2", "host")] or ["plain"]
    forms = [Form(b) for b in bases]
    if "i64" in words:
        forms += [Form(b, wide=True) for b in bases]
    for twin in ("ptsz", "ptds"):
        if twin in words:
            forms += [Form(b, twin=twin) for b in bases]
    if "v1" in words:
        forms.append(Form("v1"))
    return tuple(forms)


def _params(node: Node, types: tuple[TypeRecord, ...], owner: Library, known: Unknown) -> tuple[Param, ...]:
    params = []
    for name, key_node, value in node.items():
        kind = parse_kind(value)
        if kind.name == "desc" and kind.type not in owner.descriptors:
            value.fail(f"{owner.name} has no descriptor {kind.type!r}; {suggest(kind.type, list(owner.descriptors))}")
        if kind.name == "enum":
            known.enum(kind.type, value)
        if kind.translation:
            known.translation(kind.translation, value)
        if kind.name == "handle" and owner.handle is None:
            value.fail(f"{owner.name} has no handle; expected one in tables/libraries.yaml")
        if kind.is_pointer and kind.core.role != "index":
            for record in types:
                if not record.has(kind.core.role):
                    value.fail(
                        f"type {record.name or 'of this entry'!r} has no role {kind.core.role!r}; "
                        f"{suggest(kind.core.role, [*record.roles, *ELEMENTS])}"
                    )
        params.append(Param(name, kind, key_node.where))
    names = {p.name for p in params}
    for param, (_, _, value) in zip(params, node.items(), strict=True):
        _known(param.kind.names(), names, value)
    return tuple(params)


def _known(used: set[str], names: set[str], node: Node) -> None:
    for name in sorted(used - names - {"NULL"}):
        node.fail(f"{name!r} is not a parameter; {suggest(name, sorted(names))}")


def _condition(node: Node, names: set[str]) -> Expr:
    when = expr.parse(node.text("a condition"), node, "a condition")
    _known(expr.names(when), names, node)
    for word in sorted(expr.calls(when) - set(expr.WORDS)):
        node.fail(f"unknown word {word!r} in a condition; {suggest(word, expr.WORDS)}")
    return when


def _targets(node: Node, names: set[str], place: _Place) -> tuple[Target, ...]:
    if not node.is_sequence:
        to = place.amd(node)
        return (Target(to, None, None, "", "", node.where, to),)
    return tuple(_target(item, names, place) for item in node.sequence())


def _target(node: Node, names: set[str], place: _Place) -> Target:
    f = node.fields()
    word = f.get("name", lambda n: n.text("a name"), "")
    block = f.get("compose", place.block, "")
    if block:
        return _block_target(word, block, f, node, place)
    to = place.amd(f.need("to"))
    when_node, args_node = f.pop("when"), f.pop("args")
    when = args = None
    if when_node:
        when = _condition(when_node, names)
    if args_node:
        args = tuple(expr.parse(n.text("an argument"), n, "an argument") for n in args_node.sequence())
        for arg, arg_node in zip(args, args_node.sequence(), strict=True):
            _known(expr.names(arg) - {"scale"}, names, arg_node)  # a column of combos, checked with them
    older, before = f.get("older", place.amd, ""), f.get("before", _version, "")
    f.done()
    return Target(to, when, args, older, before, node.where, word or to)


def _block_target(word: str, block: str, f: Fields, node: Node, place: _Place) -> Target:
    """A block that answers what no AMD function does."""
    capture = f.get("capture", lambda n: n.choice(CAPTURE, "capture rule"), "")
    if not capture:
        node.fail(f"{block!r} is composed and has no `capture`; expected one of safe, workspace, refuse")
    calls = f.get("calls", place.calls, ())
    f.done()
    return Target("", None, None, "", "", node.where, word or block, block, calls, capture)


def _checks(node: Node, names: set[str], place: _Place) -> tuple[Check, ...]:
    checks = []
    for item in node.sequence():
        f = item.fields()
        when_node = f.need("when")
        when = _condition(when_node, names)
        checks.append(Check(when, place.status(f.need("status")), item.where))
        f.done()
    return tuple(checks)


def _corners(node: Node) -> tuple[Corner, ...]:
    corners = []
    for item in node.sequence():
        f = item.fields()
        corners.append(
            Corner(
                f.need("case").text(), f.need("nvidia").text(), f.need("rocm").text(), f.get("source", Node.text, "")
            )
        )
        f.done()
    return tuple(corners)


# Columns of `combos` that are no parameter: the type of the scalars, the target of a row, the entry's type that has it.
FREE_COLUMNS = ("scale", "by", "type")


def _combos(
    node: Node,
    params: tuple[Param, ...],
    types: tuple[TypeRecord, ...],
    targets: tuple[Target, ...],
    place_of: _Place,
) -> Combos:
    f = node.fields()
    columns_node = f.need("columns")
    columns = columns_node.texts("a column")
    kinds = {p.name: p.kind for p in params}
    for column in columns:
        if column not in FREE_COLUMNS and (column not in kinds or kinds[column].name not in ("datatype", "enum")):
            typed = [name for name, kind in kinds.items() if kind.name in ("datatype", "enum")]
            columns_node.fail(f"{column!r} is no column; expected one of {', '.join([*typed, *FREE_COLUMNS])}")
    for name, kind in kinds.items():
        if kind.name == "datatype" and name not in columns:
            columns_node.fail(f"no column {name!r}; expected one for each parameter of kind datatype")
    if ("by" in columns) != (len(targets) > 1):
        columns_node.fail("the column `by` names one of several targets; expected it with more than one, and only then")
    words = {"by": tuple(t.name for t in targets), "type": tuple(r.name for r in types)}
    keys = tuple(c for c in columns if c in kinds)
    rows: list[tuple[str, ...]] = []
    seen: dict[tuple[str, ...], Where] = {}
    for row in f.need("rows").sequence():
        cells = row.sequence()
        if len(cells) != len(columns):
            row.fail(f"the row has {len(cells)} cells; expected {len(columns)}: {', '.join(columns)}")
        choices = []
        for column, cell in zip(columns, cells, strict=True):
            each = cell.sequence() if cell.is_sequence else (cell,)
            if column in words:
                choices.append([c.choice(words[column], column) for c in each])
            elif column == "scale" or kinds[column].name == "datatype":
                choices.append([c.choice(tuple(DATA_TYPES), "element type") for c in each])
            else:
                choices.append([c.text("a constant") for c in each])
        for one in product(*choices):
            place = tuple(c for c, column in zip(one, columns, strict=True) if column in keys or column == "type")
            if place in seen:
                row.fail(f"{', '.join(place)} stands in two rows; first at {seen[place]}")
            seen[place] = row.where
            rows.append(one)
    combos = Combos(columns, keys, tuple(rows), place_of.status(f.need("otherwise")))
    f.done()
    return combos


def _lacks(node: Node, limits: str) -> dict[str, tuple[str, ...]]:
    """`{type: [f64]}`: what is refused, which `limits` tells people."""
    if not limits:
        node.fail("`lacks` without `limits`; expected a sentence that tells people what is refused")
    return {key: value.texts("a value") for key, _, value in node.items()}


def _attributes(node: Node) -> tuple[Attribute, ...]:
    found = []
    for name, _, value in node.items():
        f = value.fields()
        found.append(Attribute(name, f.need("type").text("a C type"), f.get("default", Node.text, "0")))
        f.done()
    return tuple(found)


def _v1(node: Node) -> FirstApi:
    f = node.fields()
    words = {k: f.get(k, lambda n: n.texts(), ()) for k in ("types", "omit", "pointer", "value")}
    first = FirstApi(**words, same=f.get("same", Node.text, ""))
    f.done()
    return first


def _cross_check(tables: Tables) -> None:
    """Rules across entries: no symbol twice in one library of one version."""
    seen: dict[tuple[str, str, int, str], Where] = {}
    for function in tables.functions():
        systems = (function.entry.os,) if function.entry.os else ("linux", "windows")
        for major in sorted(function.majors):
            for system in systems:
                place = (function.entry.library, function.name, major, system)
                if place in seen:
                    raise TableError(
                        function.entry.where,
                        f"{function.name} is defined twice; first defined at {seen[place]}",
                    )
                seen[place] = function.entry.where


__all__ = ["FORMS", "MAJORS", "REASONS", "Fields", "TableError", "load", "load_file", "load_text", "read"]
