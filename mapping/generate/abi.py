"""`<library>_abi.h` and `<library>_abi.pxi`: the types that a library's functions pass, as the ABI sees them.

Not a header for users (that is `headers.py`): enumerations are 32-bit integers here so that a value out of range stays a
defined number, handles are `void *`, and structs that only pass by pointer are opaque.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

from ..tables.c import FOREIGN, SYSTEM
from ..tables.layout import Member
from ..tables.types import Types, View
from .spelling import base_names, cython_type, is_pointer
from .writer import Writer


class Abi:
    """Collects the types and constants that a library needs and writes both files."""

    def __init__(self, types: Types, view: View) -> None:
        self.types = types
        self.view = view
        self._pointed: set[str] = set()
        self._passed: set[str] = set()
        self._enums: set[str] = set()
        self._named: tuple[str, ...] = ()

    def use_named(self, constants: Iterable[str]) -> None:
        """Constants whose numbers the version's file gives: they differ between the library's versions."""
        self._named = tuple(constants)

    def use(self, ctypes: Iterable[str]) -> None:
        """Take note of C types that appear in prototypes."""
        for ctype in ctypes:
            for base in base_names(ctype):
                struct = self._struct_behind(base)
                for found in {base, struct} - {""}:
                    (self._pointed if is_pointer(ctype) else self._passed).add(found)

    def _struct_behind(self, base: str) -> str:
        """The struct that an alias names (`cuComplex` is `float2`), or ''."""
        while base in self.types.aliases:
            target = self.types.aliases[base].type
            inner = base_names(target)
            if is_pointer(target) or "(" in target or len(inner) != 1 or base in inner:
                return ""
            base = next(iter(inner))
            if base in self.types.structs:
                return base
        return ""

    def use_enum(self, name: str) -> None:
        """Offer an enumeration's constants to hand-written code."""
        self._enums.add(name)

    def _is_struct(self, base: str) -> bool:
        return base in self.types.structs

    def _scalar(self, base: str) -> str:
        """C type of a non-struct base name."""
        if base in FOREIGN:
            return FOREIGN[base]
        if base in self.types.enums:
            return "int32_t" if any(v < 0 for v in self._all_values(base)) else "uint32_t"
        if base in self.types.handles:
            return "void *"
        if base in self.types.aliases:
            target = self.types.aliases[base].type
            if "(" in target or is_pointer(target):
                return "void *"
            inner = base_names(target) - {base}  # `typedef struct X X` of a struct that nobody declares
            return self._scalar(next(iter(inner))) if inner else "" if base in target else target
        return ""

    def _all_values(self, enum: str) -> list[int]:
        return list(self.view.constants(enum).values()) or [
            v for c in self.types.enums[enum].constants for v in [int(c.value.values[-1][1], 0)]
        ]

    def _struct_lines(self, base: str, out: list[str], done: set[str]) -> None:
        if base in done:
            return
        done.add(base)
        struct = self.types.structs[base]
        version = self.view.version(struct.owner) or struct.owner.versions[max(struct.owner.versions)]
        members = struct.members(version)
        for member in members:
            for inner in base_names(member.type):
                if self._is_struct(inner) and not is_pointer(member.type):
                    self._struct_lines(inner, out, done)
        w = Writer()
        align = f" __attribute__((aligned({struct.align})))" if struct.align else ""
        with w.block(f"typedef {struct.kind} {base} {{", f"}}{align} {base};"):
            for member in members:
                w.line(self._member(member) + ";")
        out.append(w.text().rstrip())

    def _member(self, member: Member) -> str:
        if member.word:
            inside = " ".join(self._member(m) + ";" for m in member.members)
            return f"{member.word} {{ {inside} }} {member.name}".rstrip()
        return member.declaration if not base_names(member.type) else self._plain(member)

    def _plain(self, member: Member) -> str:
        for base in base_names(member.type):
            if not self._is_struct(base) and self._scalar(base):
                plain = member.type.replace(f"enum {base}", base).replace(base, self._scalar(base))
                return Member(member.name, plain, "", ()).declaration
        return member.declaration

    def header(self, guard: str) -> str:
        """The C header: structs passed by value whole, all others by name."""
        w = Writer()
        w.lines(f"#ifndef {guard}\n#define {guard}\n#include <stddef.h>\n#include <stdint.h>\n")
        bases = sorted(self._pointed | self._passed)
        structs: list[str] = []
        done: set[str] = set()
        for base in bases:
            if self._is_struct(base) and base in self._passed:
                self._struct_lines(base, structs, done)
        for base in bases:
            if self._is_struct(base):
                if base not in done:
                    w.line(f"typedef {self.types.structs[base].kind} {base} {base};")
            elif base in SYSTEM:
                w.line(f"#include <{SYSTEM[base]}>")
            elif not self._struct_behind(base):
                scalar = self._scalar(base) or "void"
                w.line(f"typedef {scalar}{'' if scalar.endswith('*') else ' '}{base};")
        for text in structs:
            w.lines(text)
        for base in bases:
            if self._struct_behind(base):
                w.line(f"typedef {self._struct_behind(base)} {base};")
        for enum in sorted(self._enums):
            constants = self.view.constants(enum)
            if constants:
                with w.block("enum {", "};"):
                    for constant, value in constants.items():
                        w.line(f"{constant} = {value},")
        for constant in self._named:
            w.line(f'extern __attribute__((visibility("hidden"))) const uint32_t {constant};')
        w.line("#endif")
        return w.text()

    def declarations(self, header: str, words: Collection[str]) -> str:
        """The same for Cython, as an `extern` block; of the constants only those among `words`, since every unit of the
        library reads this and most constants nobody uses."""
        w = Writer()
        w.line(
            "from libc.stdint cimport int8_t, uint8_t, int16_t, uint16_t, int32_t, uint32_t, int64_t, uint64_t, uintptr_t"
        )
        with w.block(f'cdef extern from "{header}" nogil:'):
            w.line("pass")
            bases = sorted(self._pointed | self._passed, key=lambda b: (bool(self._struct_behind(b)), b))
            for base in bases:
                if self._is_struct(base):
                    self._cython_struct(base, w)
                elif base in SYSTEM:
                    w.line(f"ctypedef struct {base}:\n        pass")
                elif self._struct_behind(base):
                    w.line(f"ctypedef {self._struct_behind(base)} {base}")
                else:
                    scalar = self._scalar(base)
                    spelled = cython_type(scalar) if scalar else "void"
                    w.line(f"ctypedef {spelled}{'' if spelled.endswith('*') else ' '}{base}")
            used = [c for enum in sorted(self._enums) for c in self.view.constants(enum) if c in words]
            if used:
                with w.block("enum:"):
                    for constant in used:
                        w.line(constant)
            for constant in self._named:
                w.line(f"const uint32_t {constant}")
        return w.text()

    def _cython_struct(self, base: str, w: Writer) -> None:
        struct = self.types.structs[base]
        version = self.view.version(struct.owner) or struct.owner.versions[max(struct.owner.versions)]
        members = struct.members(version) if base in self._passed else ()
        simple = [m for m in members if not m.word and not base_names(m.type) and "[" not in m.declaration]
        kind = "union" if struct.kind == "union" else "struct"
        with w.block(f"ctypedef {kind} {base}:"):
            w.line("pass")
            for member in simple:
                w.line(f"{cython_type(member.type)} {member.name}".replace("* ", "*"))
