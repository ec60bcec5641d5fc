"""YAML → type tables. Every message is one line: `file:line:column: what is wrong; what was expected`.

A file under `tables/types/` holds the types of one library, grouped by the header that declares them:

(docs/table-language.md has this too, for people who write tables.)

    file:
      library: cublas
      by: cuda                                  # whose major chooses the version: cuda, cudnn or rocm
      versions: {11: "11.11", 12: "12.9", 13: "13.10"}
    cublas_api:                                 # a header
      enums:
        cublasFillMode_t:                       # typedef; `enum cudaMemcpyKind:` where C needs the word
          tag: …                                # name after `enum`, where there is one beside the typedef
          values:
            CUBLAS_FILL_MODE_LOWER: 0
            OTHER: {value: 9, since: "12.8", until: "12.9"}
            RENUMBERED: {"8.9": 3, "9.1": 2000} # from these versions on
      structs:
        struct cudaExtent:                      # the same rule for the word `struct` (or `union`)
          size: 24                              # checked against the fields; by major {11: …, 13: …}; so `windows:`
          fields: {width: size_t, …}            # `union:` instead of `fields:` for a union
      handles: {cublasHandle_t: struct cublasContext}         # pointer to
      aliases: {cudaDataType: enum cudaDataType_t}            # typedef
      macros: {cudaHostAllocMapped: "0x02"}                   # `NAME(a, b): …` for one with parameters

A field is a C type, or a mapping with `type`, `since`, `until`; `{struct: {…}}` or `{union: {…}}` nests, and a field
whose name is the word `union` or `struct` itself is an anonymous one. Offsets follow from the rules of C (`layout.py`).

`translate.yaml` pairs constants of two enumerations:

    fill:
      from: cublasFillMode_t
      to: rocblas_fill
      map: {CUBLAS_FILL_MODE_LOWER: rocblas_fill_lower, …}
      refuse: {CUBLAS_FILL_MODE_FULL: why}      # every value is mapped or refused; "*" refuses the rest
      else: CUBLAS_STATUS_INVALID_VALUE         # a constant of `to`, or the status that refuses the call
      source: how it is known
      note: what is special
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from types import MappingProxyType

from .. import paths
from . import c, marks
from .marks import Fields, Node, TableError, Where, close, suggest
from .types import (
    Alias,
    ByVersion,
    Constant,
    Enum,
    Field,
    Handle,
    Macro,
    Owner,
    Span,
    Struct,
    Translation,
    Types,
    View,
    version_key,
)

# Each library whose types the others or the generators name.
FILES = (
    "cublas",
    "cublaslt",
    "cuda",
    "cudart",
    "cudnn",
    "hip",
    "hipblaslt",
    "miopen",
    "rocblas",
    "rocsolver",
    "translate",
)
AXES = ("cuda", "cudnn", "rocm")
_VERSION = re.compile(r"\d+(\.\d+)*$")
_SPELLED = re.compile(r"(?:(enum|struct|union) )?([A-Za-z_]\w*)$")
_ANONYMOUS = re.compile(r"(struct|union)( \d+)?$")


def load(root: Path | None = None) -> Types:
    """See `types.load_types`."""
    return _load_cached((root or paths.tables_dir()) / "types")


@lru_cache(maxsize=4)
def _load_cached(folder: Path) -> Types:
    for name in FILES:
        if not (folder / f"{name}.yaml").is_file():
            raise TableError(
                Where(f"tables/types/{name}.yaml", 1, 1), f"is not in {folder}; expected a file for each library"
            )
    files = [marks.read(p, f"tables/types/{p.name}") for p in sorted(folder.glob("*.yaml"))]
    return build(files)


def load_texts(texts: Mapping[str, str]) -> Types:
    """Load files from strings, by file name (tests, editors)."""
    return build([marks.parse(text, name) for name, text in texts.items()])


def build(files: list[Node]) -> Types:
    """Types from parsed files; the one named `translate.yaml` holds the translations."""
    reader = _Reader()
    for node in files:
        if not node.file.endswith("translate.yaml"):
            reader.file(node)
    types = reader.types({})
    _check_aliases(types)
    translations = [node for node in files if node.file.endswith("translate.yaml")]
    found: dict[str, Translation] = {}
    for node in translations:
        for name, _, value in node.items():
            found[name] = _translation(name, value, types)
    _check_sizes(types)
    return reader.types(found)


class _Reader:
    """Collects what the files declare; refuses a name that is declared twice."""

    def __init__(self) -> None:
        self.enums: dict[str, Enum] = {}
        self.structs: dict[str, Struct] = {}
        self.handles: dict[str, Handle] = {}
        self.aliases: dict[str, Alias] = {}
        self.macros: dict[str, Macro] = {}
        self.names: dict[str, Where] = {}

    def types(self, translations: Mapping[str, Translation]) -> Types:
        parts = (self.enums, self.structs, self.handles, self.aliases, self.macros, translations)
        return Types(*(MappingProxyType(p) for p in parts))  # type: ignore[arg-type]

    def file(self, root: Node) -> None:
        fields = root.fields()
        owner = _owner(fields.need("file"))
        for header, _, node in fields.rest():
            groups = node.fields()
            for group, read in (
                ("enums", self._enum),
                ("structs", self._struct),
                ("handles", self._handle),
                ("aliases", self._alias),
                ("macros", self._macro),
            ):
                found = groups.pop(group)
                for key, key_node, value in found.items() if found else ():
                    read(key, key_node, value, owner, header)
            groups.done()

    def _claim(self, name: str, node: Node) -> None:
        if name in self.names:
            node.fail(f"{name!r} is defined twice; first defined at {self.names[name]}")
        self.names[name] = node.where

    def _enum(self, key: str, key_node: Node, node: Node, owner: Owner, header: str) -> None:
        word, name = _spelled(key, key_node, ("enum",))
        self._claim(name, key_node)
        f = node.fields()
        tag = f.get("tag", _name, name if word else "")
        constants = []
        for constant, constant_node, value in f.need("values").items():
            _name(constant_node)
            self._claim(constant, constant_node)
            constants.append(_constant(constant, value, constant_node.where))
        self.enums[name] = Enum(name, word, tag, tuple(constants), owner, header, _span(f), key_node.where)
        f.done()

    def _struct(self, key: str, key_node: Node, node: Node, owner: Owner, header: str) -> None:
        word, name = _spelled(key, key_node, ("struct", "union"))
        self._claim(name, key_node)
        f = node.fields()
        members, union = f.pop("fields"), f.pop("union")
        if (members is None) == (union is None):
            key_node.fail(f"{key!r} has {'both' if members else 'neither'} of fields and union; expected one of them")
        body = members or union
        assert body is not None
        kind = "struct" if members else "union"
        align, align_windows = f.get("align", _align, (0, 0))
        if word and word != kind:
            key_node.fail(f"{key!r} lists its members under {'fields' if members else 'union'}; expected a {word}")
        self.structs[name] = Struct(
            name=name,
            word=word,
            kind=kind,
            tag=f.get("tag", _name, name if word else ""),
            align=align,
            align_windows=align_windows,
            sizes=_sizes(f.need("size"), owner),
            windows=f.get("windows", lambda n: _sizes(n, owner), MappingProxyType({})),
            fields=_fields(body),
            owner=owner,
            header=header,
            span=_span(f),
            where=key_node.where,
        )
        f.done()

    def _handle(self, name: str, key_node: Node, node: Node, owner: Owner, header: str) -> None:
        _name(key_node)
        self._claim(name, key_node)
        target, span = _short(node, "to", "what the handle points to")
        self.handles[name] = Handle(name, target, owner, header, span, key_node.where)

    def _alias(self, name: str, key_node: Node, node: Node, owner: Owner, header: str) -> None:
        _name(key_node)
        self._claim(name, key_node)
        ctype, span = _short(node, "type", "a C type")
        self.aliases[name] = Alias(name, ctype, owner, header, span, key_node.where)

    def _macro(self, name: str, key_node: Node, node: Node, owner: Owner, header: str) -> None:
        _name(key_node, parameters=True)
        self._claim(name, key_node)
        text, span = _annotated(node, "text", "a macro's text")
        self.macros[name] = Macro(name, text, owner, header, span, key_node.where)


def _owner(node: Node) -> Owner:
    f = node.fields()
    versions: dict[int, str] = {}
    library = f.need("library").text("a library")
    by = f.need("by").choice(AXES, "version axis")
    for major, key_node, value in f.need("versions").items():
        if not major.isdigit():
            key_node.fail(f"{major!r} is not a major version; expected a number such as 12")
        versions[int(major)] = _version(value)
    f.done()
    return Owner(library, by, MappingProxyType(versions))


def _name(node: Node, parameters: bool = False) -> str:
    """A C name; a macro's may have parameters behind it, `NAME(a, b)`."""
    text = node.text("a C name")
    if not re.match(r"[A-Za-z_]\w*" + (r"(\(\w+(, \w+)*\))?" if parameters else "") + "$", text):
        node.fail(f"{text!r} is not a C name; expected letters, digits and underscores")
    return text


def _spelled(key: str, node: Node, words: tuple[str, ...]) -> tuple[str, str]:
    match = _SPELLED.match(key)
    if not match or (match[1] and match[1] not in words):
        node.fail(f"{key!r} is not a type's name; expected NAME or '{words[0]} NAME'")
    return match[1] or "", match[2]


def _version(node: Node) -> str:
    text = node.text("a version such as 12.9")
    if not _VERSION.match(text):
        node.fail(f"{text!r} is not a version; expected numbers and dots")
    return text


def _span(f: Fields) -> Span:
    since_node, until_node = f.pop("since"), f.pop("until")
    since, until = (_version(n) if n else "" for n in (since_node, until_node))
    if since and until and until_node and version_key(until) < version_key(since):
        until_node.fail(f"until {until} is before since {since}; expected a later version")
    return Span(since, until)


def _short(node: Node, key: str, expected: str) -> tuple[str, Span]:
    """A text, or a mapping with the text under `key` and since/until."""
    if not node.is_mapping:
        return node.text(expected), Span()
    f = node.fields()
    text, span = f.need(key).text(expected), _span(f)
    f.done()
    return text, span


def _annotated(node: Node, key: str, expected: str) -> tuple[ByVersion, Span]:
    """A text; a mapping with the text under `key` and since/until; or a mapping version → text."""
    if not node.is_mapping:
        return ByVersion((("", node.text(expected)),)), Span()
    if all(_VERSION.match(k) for k, _, _ in node.items()):
        return _by_version(node, expected), Span()
    f = node.fields()
    inner = f.need(key)
    value = _by_version(inner, expected) if inner.is_mapping else ByVersion((("", inner.text(expected)),))
    span = _span(f)
    f.done()
    return value, span


def _by_version(node: Node, expected: str) -> ByVersion:
    found: list[tuple[str, str]] = []
    for _, key_node, value in node.items():
        version = _version(key_node)
        if found and version_key(version) <= version_key(found[-1][0]):
            key_node.fail(f"version {version} stands after {found[-1][0]}; expected rising versions")
        found.append((version, value.text(expected)))
    if not found:
        node.fail("no version here; expected at least one")
    return ByVersion(tuple(found))


def _constant(name: str, node: Node, where: Where) -> Constant:
    value, span = _annotated(node, "value", "a number")
    for _, text in value.values:
        if not marks.NUMBER.fullmatch(text):
            node.fail(f"found {text!r}; expected a number")
        if not -(1 << 31) <= int(text, 0) < 1 << 32:
            node.fail(f"{text} does not fit an enumeration's 32 bits; expected a smaller number")
    first = value.values[0][0]
    return Constant(name, value, Span(first, span.until) if first and not span.since else span, where)


def _align(node: Node) -> tuple[int, int]:
    """A number, or {linux: 16, windows: 8}."""
    if not node.is_mapping:
        return node.number(), node.number()
    f = node.fields()
    pair = f.need("linux").number(), f.need("windows").number()
    f.done()
    return pair


def _sizes(node: Node, owner: Owner) -> Mapping[int, int]:
    if not node.is_mapping:
        size = node.number()
        return MappingProxyType(dict.fromkeys(owner.versions, size))
    found = {}
    for major, key_node, value in node.items():
        if not major.isdigit() or int(major) not in owner.versions:
            key_node.fail(
                f"{major!r} is no major of {owner.library}; {suggest(major, [str(m) for m in owner.versions])}"
            )
        found[int(major)] = value.number()
    return MappingProxyType(found)


def _fields(node: Node) -> tuple[Field, ...]:
    found: list[Field] = []
    for name, key_node, value in node.items():
        anonymous = _ANONYMOUS.match(name)
        nothing = ByVersion((("", ""),))
        if anonymous:
            found.append(Field("", nothing, anonymous[1], _fields(value), Span(), key_node.where))
            continue
        _name(key_node)
        if value.is_mapping and not all(_VERSION.match(k) for k, _, _ in value.items()):
            f = value.fields()
            nested = [(w, n) for w in ("struct", "union") if (n := f.pop(w)) is not None]
            if nested:
                word, body = nested[0]
                found.append(Field(name, nothing, word, _fields(body), _span(f), key_node.where))
                f.done()
                continue
        ctype, span = _annotated(value, "type", "a C type")
        found.append(Field(name, ctype, "", (), span, key_node.where))
    return tuple(found)


def _translation(name: str, node: Node, types: Types) -> Translation:
    f = node.fields()
    source_node, target_node = f.need("from"), f.need("to")
    source = source_node.choice(tuple(types.enums), "enumeration")
    target = target_node.choice(tuple(types.enums), "enumeration")
    left, right = ({c.name for c in types.enums[e].constants} for e in (source, target))
    pairs: dict[str, str] = {}
    for constant, key_node, value in f.need("map").items():
        if constant not in left:
            key_node.fail(f"{constant!r} is no constant of {source}; {suggest(constant, sorted(left))}")
        pairs[constant] = value.text("a constant")
        if pairs[constant] not in right:
            value.fail(f"{pairs[constant]!r} is no constant of {target}; {suggest(pairs[constant], sorted(right))}")
    refused: dict[str, str] = {}
    refuse = f.pop("refuse")
    for constant, key_node, value in refuse.items() if refuse else ():
        if constant not in left and constant != "*":
            key_node.fail(f"{constant!r} is no constant of {source}; {suggest(constant, sorted(left))}")
        if constant in pairs:
            key_node.fail(f"{constant!r} is mapped and refused; expected one of them")
        refused[constant] = value.text("the reason")
    else_node = f.need("else")
    otherwise = else_node.text("a constant")
    if otherwise not in right and not types.has_constant(otherwise):
        else_node.fail(f"{otherwise!r} is no constant of any enumeration; {close(otherwise, types.constant_names())}")
    translation = Translation(
        name=name,
        source=source,
        target=target,
        pairs=MappingProxyType(pairs),
        refused=MappingProxyType(refused),
        otherwise=otherwise,
        note=f.get("note", Node.text, ""),
        evidence=f.need("source").text("how it is known"),
        where=node.where,
    )
    f.done()
    _check_complete(translation, types, node)
    return translation


def _check_complete(t: Translation, types: Types, node: Node) -> None:
    """Each value of the source, in each version, is spoken of; and no value in two ways."""
    source, target = types.enums[t.source], types.enums[t.target]
    numbers = target.values(list(target.owner.versions.values())[-1])
    for version in source.owner.versions.values():
        values = source.values(version)
        spoken = {values[c] for c in (*t.pairs, *t.refused) if c in values}
        unspoken = [c for c, value in values.items() if value not in spoken]
        if unspoken and "*" not in t.refused:
            node.fail(f"{unspoken[0]} of {t.source} is neither mapped nor refused; expected it under map or refuse")
        ways: dict[int, str] = {}
        for constant, to in t.pairs.items():
            if constant not in values or to not in numbers:
                continue
            first = ways.setdefault(values[constant], to)
            if numbers[first] != numbers[to]:
                node.fail(f"value {values[constant]} of {t.source} becomes both {first} and {to}; expected one of them")


def _check_aliases(types: Types) -> None:
    """A typedef of a plain name leads to a type, and not back to itself."""
    for alias in types.aliases.values():
        seen, name = {alias.name}, alias.type
        while c.NAME.fullmatch(name):
            if name in seen:
                raise TableError(alias.where, f"{alias.name} leads back to {name}; expected a type at the end")
            seen.add(name)
            if name not in types.aliases:
                if name not in c.UNDECLARED and not types.has_type(name):
                    raise TableError(
                        alias.where,
                        f"{alias.name} has an unknown type {name!r}; {close(name, types.type_names(), 'a known C type')}",
                    )
                break
            name = types.aliases[name].type


def _check_sizes(types: Types) -> None:
    """The stated sizes are what the fields give, in every version and on both systems."""
    for struct in types.structs.values():
        for major, version in struct.owner.versions.items():
            if not struct.span.holds(version):
                continue
            view = View(types, dict.fromkeys(AXES, major))
            for windows in (False, True):
                stated = struct.windows.get(major) if windows else None
                stated = stated or struct.sizes.get(major)
                try:
                    size = view.layout(struct.name, windows).size
                except KeyError as error:
                    raise TableError(
                        struct.where, f"{struct.name} has {error.args[0]}; expected a known C type"
                    ) from None
                except RecursionError:
                    raise TableError(struct.where, f"{struct.name} holds itself; expected a pointer to it") from None
                if stated is None:
                    raise TableError(struct.where, f"{struct.name} has no size for {major}; expected one under size")
                if size != stated:
                    system = "Windows" if windows else "Linux"
                    raise TableError(
                        struct.where,
                        f"the fields of {struct.name} make {size} bytes in {struct.owner.library} {version} "
                        f"on {system}; expected {stated}, the stated size",
                    )
