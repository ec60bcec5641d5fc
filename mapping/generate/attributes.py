"""Attributes of cuBLASLt's opaque objects as data in C: `attributes.h`, which compose/cublaslt/objects.h reads.

An entry `cublasLt<Object>SetAttribute` lists them under `attributes`: constant → C type and default. Each object becomes one
struct, `lt_<Object>`, with a field an attribute (the constant's name in lower case, without the library), and one table of
rows: number, size, place, in which majors it exists, default. Setters, getters, makers and tests all go by these rows.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from ..tables.marks import TableError
from ..tables.model import Attribute, Entry
from ..tables.types import Types, View
from .writer import Writer

MAJORS = (11, 12, 13)
HEAD = 8  # bytes before the first attribute: what the object is, and whose memory it lies in
# What an algorithm can do has no setter: its attributes are constants.
_HOLDS = re.compile(r"cublasLt(\w+)SetAttribute$|cublasLt(MatmulAlgoCap)GetAttribute$")


@dataclass(frozen=True, slots=True)
class Row:
    """One attribute: the majors that have it with its number there, which never differs."""

    attribute: Attribute
    number: int
    size: int
    majors: tuple[int, ...]
    default: int  # its bits

    @property
    def field(self) -> str:
        return self.attribute.name.removeprefix("CUBLASLT_").lower()

    @property
    def bits(self) -> int:
        return sum(1 << MAJORS.index(m) for m in self.majors)


@dataclass(frozen=True, slots=True)
class Object:
    """One kind of object: its rows in the order in which they lie in memory."""

    name: str
    entry: Entry
    rows: tuple[Row, ...]

    def end(self, major: int) -> int:
        """Bytes that an object takes in one major: up to its last attribute there."""
        at, last = HEAD, HEAD
        for row in self.rows:
            at = -(-at // row.size) * row.size + row.size
            last = at if major in row.majors else last
        return last


def objects(entries: Iterable[Entry], types: Types) -> list[Object]:
    """Every object that an entry lists attributes of."""
    views = {m: types.for_version(m) for m in MAJORS}
    found = []
    for entry in entries:
        match = _HOLDS.match(entry.key)
        if entry.attributes and match:
            name = match[1] or match[2]
            rows = [_row(entry, a, views) for a in entry.attributes]
            # What all majors have comes first: an older major's memory is smaller.
            rows.sort(key=lambda r: (-len(r.majors), r.majors, -r.size))
            found.append(Object(name, entry, tuple(rows)))
    for item in found:
        _fits(item, views)
    return found


def _row(entry: Entry, attribute: Attribute, views: Mapping[int, View]) -> Row:
    owner = views[MAJORS[-1]].types.enum_of(attribute.name)
    numbers = {m: v.constants(owner)[attribute.name] for m, v in views.items() if attribute.name in v.constants(owner)}
    if len(set(numbers.values())) != 1:
        raise TableError(entry.where, f"{attribute.name} has {len(set(numbers.values()))} numbers; expected one")
    view = views[max(numbers)]
    size = view.size_of(attribute.type)
    default = int(attribute.default, 0) if re.match(r"-?\d", attribute.default) else view.value(attribute.default)
    return Row(attribute, next(iter(numbers.values())), size, tuple(numbers), default & ((1 << 8 * size) - 1))


def _fits(item: Object, views: Mapping[int, View]) -> None:
    """NVIDIA's opaque struct of each major has room for what that major has."""
    opaque = f"cublasLt{item.name}Opaque_t"
    for major, view in views.items():
        if opaque in view.types.structs and view.has(view.types.structs[opaque]):
            room = view.layout(opaque).size
            if item.end(major) > room:
                raise TableError(
                    item.entry.where,
                    f"the attributes of {item.name} take {item.end(major)} bytes in {major}; expected at most {room}",
                )


def header(found: Iterable[Object]) -> str:
    """`attributes.h`: a row an attribute, a table an object."""
    w = Writer()
    w.lines("#ifndef CUBLASLT_ATTRIBUTES_H\n#define CUBLASLT_ATTRIBUTES_H\n#include <stddef.h>\n#include <stdint.h>\n")
    with w.block("typedef struct lt_attribute {", "} lt_attribute;"):
        w.line("uint16_t number; /* NVIDIA's */")
        w.line("uint16_t offset;")
        w.line("uint8_t size;")
        w.line("uint8_t majors;  /* a bit each of CUDA 11, 12, 13 */")
        w.line("uint64_t value;  /* the default's bits */")
    for item in found:
        w.line()
        w.line(f"/* {item.entry.file}:{item.entry.where.line} */")
        with w.block(f"typedef struct lt_{item.name} {{", f"}} lt_{item.name};"):
            w.line("uint32_t magic;")
            w.line("uint32_t bytes; /* of the program's own memory, 0: a slot of the core's */")
            for row in item.rows:
                w.line(f"{row.attribute.type}{'' if row.attribute.type.endswith('*') else ' '}{row.field};")
        with w.block(f"static const __attribute__((unused)) lt_attribute rows_of_{item.name}[] = {{", "};"):
            for row in sorted(item.rows, key=lambda r: (r.number, r.majors)):
                w.line(
                    f"{{{row.number}, offsetof(lt_{item.name}, {row.field}), {row.size}, {row.bits}, {row.default}u}},"
                    f" /* {row.attribute.name} */"
                )
        ends = ", ".join(str(item.end(m)) for m in MAJORS)
        w.line(
            f"static const __attribute__((unused)) uint16_t ends_of_{item.name}[] = {{{ends}}}; /* bytes used, by major */"
        )
    w.line("#endif")
    return w.text()


def declarations(found: Iterable[Object]) -> str:
    """The structs for Cython."""
    w = Writer()
    with w.block('cdef extern from "attributes.h" nogil:'):
        w.line("ctypedef struct lt_attribute:")
        w.line("    pass")
        for item in found:
            with w.block(f"ctypedef struct lt_{item.name}:"):
                w.line("uint32_t magic")
                w.line("uint32_t bytes")
                for row in item.rows:
                    ctype = row.attribute.type
                    w.line(f"{ctype}{'' if ctype.endswith('*') else ' '}{row.field}")
    return w.text()
