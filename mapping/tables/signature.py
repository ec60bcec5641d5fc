"""The keys of an entry that say which symbols it has and what their parameters mean: names, types, forms, params, returns."""

from __future__ import annotations

import re
from types import MappingProxyType

from . import c
from .forms import VERSIONS
from .kinds import ELEMENTS, parse_kind
from .known import Unknown
from .marks import Fields, Node, suggest
from .model import TYPES, FirstApi, Form, Library, Param, TypeRecord

FORMS = ("plain", *VERSIONS, "i64", "v1", "host", "ptsz", "ptds")
_PATTERN = re.compile(r"(?:[A-Za-z_]\w*)(?:\{[tT]\}\w*)?", re.ASCII)


def read_pattern(node: Node) -> str:
    """`cublas{T}gemm`, or a whole name."""
    text = node.text("a name pattern")
    if not _PATTERN.fullmatch(text) or text in c.KEYWORDS:
        node.fail(f"{text!r} is not a name pattern; expected a name of C, perhaps with {{T}} or {{t}} in it")
    return text


def read_symbols(node: Node, fields: Fields) -> tuple[str, ...]:
    """Symbols that share one entry. They are whole names: no pattern goes with them."""
    for key in ("cuda", "types"):
        if fields.pop(key) is not None:
            node.fail(f"`names` and `{key}` do not go together; expected one of them")
    words = node.words("a symbol")
    if len(words) < 2:
        node.fail("`names` has fewer than two symbols; expected an entry of its own for one")
    return words


def read_types(node: Node) -> tuple[TypeRecord, ...]:
    """A list of types that the language knows, or a mapping name → record."""
    if node.is_sequence:
        for item in node.sequence():
            item.choice(tuple(TYPES), "type")
        words = node.words("a type such as S")
        if not words:
            node.fail("no type; expected at least one")
        return tuple(TYPES[word] for word in words)
    records = []
    for name, key_node, value in node.items():
        key_node.word("a type's letters")
        roles = {}
        for role, role_node, element in value.items():
            role_node.word("a role")
            if role in ELEMENTS or role == "index":
                role_node.fail(f"{role!r} is no name for a role: it stands for itself; expected another")
            roles[role] = element.choice(tuple(ELEMENTS), "element type")
        records.append(TypeRecord(name, MappingProxyType(roles)))
    if not records:
        node.fail("no type; expected at least one")
    return tuple(records)


def read_forms(node: Node) -> tuple[Form, ...]:
    """`forms: [v2, i64]` → the forms that a family has: v2 and v2 of 64 bits."""
    for item in node.sequence():
        item.choice(FORMS, "form")
    words = node.words("a form")
    if not words:
        node.fail("no form; expected at least one")
    bases = [w for w in words if w in ("plain", *VERSIONS, "host")] or ["plain"]
    forms = [Form(b) for b in bases]
    if "i64" in words:
        forms += [Form(b, wide=True) for b in bases]
    for twin in ("ptsz", "ptds"):
        if twin in words:
            forms += [Form(b, twin=twin) for b in bases]
    if "v1" in words:
        forms.append(Form("v1"))
    return tuple(forms)


def read_params(node: Node, types: tuple[TypeRecord, ...], owner: Library, known: Unknown) -> tuple[Param, ...]:
    """`params:`, in C's order."""
    params = []
    for name, key_node, value in node.items():
        key_node.word("a parameter")
        kind = parse_kind(value)
        if kind.name == "desc" and kind.type not in owner.descriptors:
            value.fail(f"{owner.name} has no descriptor {kind.type!r}; {suggest(kind.type, list(owner.descriptors))}")
        if kind.name == "enum":
            known.enum(kind.type, value)
        if kind.translation:
            known.translation(kind.translation, value, kind.type)
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
        are_parameters(param.kind.names(), names, value)
    return tuple(params)


def are_parameters(used: set[str], names: set[str], node: Node) -> None:
    """Refuses a name that is no parameter of the entry."""
    for name in sorted(used - names - {"NULL"}):
        node.fail(f"{name!r} is not a parameter; {suggest(name, sorted(names))}")


def read_returns(node: Node) -> str:
    text = node.text("status or a C type")
    if text != "status" and not c.is_type(text):
        node.fail(f"{text!r} is no C type; expected `status`, or one such as `size_t` or `const char *`")
    return text


def read_v1(node: Node, forms: tuple[Form, ...], types: tuple[TypeRecord, ...], names: set[str]) -> FirstApi:
    """Where cuBLAS's first API departs from the rule."""
    if Form("v1") not in forms:
        node.fail("`v1` without that form; expected v1 under `forms`")
    f = node.fields()
    letters = tuple(r.name for r in types)

    def some(key: str, options: tuple[str, ...], what: str) -> tuple[str, ...]:
        return f.get(key, lambda n: tuple(i.choice(options, what) for i in n.sequence()), ())

    params = tuple(sorted(names))
    first = FirstApi(
        types=some("types", letters, "type of this entry"),
        omit=some("omit", params, "parameter"),
        pointer=some("pointer", params, "parameter"),
        value=some("value", params, "parameter"),
        same=f.get("same", lambda n: n.choice(params, "parameter"), ""),
    )
    f.done()
    return first


def read_since(node: Node, forms: tuple[Form, ...]) -> MappingProxyType[str, str]:
    """Form → version, where a form came later than the entry."""
    options = tuple({f.base for f in forms} | ({"i64"} if any(f.wide for f in forms) else set()))
    found = {}
    for form, key_node, value in node.items():
        key_node.choice(options, "form of this entry")
        found[form] = value.version()
    return MappingProxyType(found)
