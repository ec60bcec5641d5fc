"""Recorders of the CPU backend's functions: what a call is kept as while a stream is captured, and how a launch makes it again.

A recorder copies the arguments into a struct `NAME_call`, with what lies behind those pointers that belong to the call alone
(a handle, a descriptor, a factor on the host); `NAME_again` makes the call from it. Pointers to data are kept as they are.
mapping/cpu/record/ says where the struct goes; docs/cpu-backend.md says it in words.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from . import spelling
from .writer import Writer, banner, wrap


@dataclass(frozen=True, slots=True)
class Kept:
    """A parameter as it is recorded.

    copied   the type of what its pointer shows and the call alone owns: copied; empty: the argument is kept as it is
    count    how many of these
    size     bytes of what is copied, in Cython like `when`; empty: all of them
    when     in Cython, on which condition; `{of}` stands before the names of arguments. Empty: always
    """

    ctype: str
    name: str
    copied: str = ""
    count: int = 1
    when: str = ""
    size: str = ""
    may_be_null: bool = True


@dataclass(frozen=True, slots=True)
class Library:
    """How the functions of one library are made again.

    status, success   the type that they answer, and its good value
    admit             what is asked before anything is recorded; what it answers is the call's answer where it is not success
    before, after     around the call that a launch makes
    keep              what hands the record `call` on; `{run}` is what a launch calls
    """

    status: str
    success: str
    admit: str
    before: str
    after: str
    keep: str


def recorder(name: str, target: str, params: Iterable[Kept], library: Library, admit: str = "") -> str:
    """`NAME_record` with the parameters of `target`, which a launch calls. `admit`: instead of the library's."""
    kept = list(params)
    out = Writer()
    with out.block(f"cdef struct {name}_call:"):
        for p in kept:
            out.line(spelling.declare(_field(p.ctype), p.name))
            if p.copied:
                out.line(f"{p.copied}{f'[{p.count}]' if p.count > 1 else ''} {p.name}_kept")
    out.line()
    out.line()
    with out.block(f"cdef int {name}_again(void *record) noexcept nogil:"):
        out.line(f"cdef {name}_call *call = <{name}_call *>record")
        out.line(f"cdef {library.status} status")
        for p in kept:
            if p.copied:
                place = f"&call.{p.name}_kept{'[0]' if p.count > 1 else ''}"
                _where(out, _condition(p, "call."), f"call.{spelling.name(p.name)} = {place}")
        out.line(library.before)
        texts = [f"call.{spelling.name(p.name)}" for p in kept]
        for line in wrap(texts, 112, f"status = {target}(", "    ", ")"):
            out.line(line)
        if library.after:
            out.line(library.after)
        out.line(f"return status != {library.success}")
    out.line()
    out.line()
    declared = [spelling.declare(p.ctype, p.name) for p in kept]
    *first, last = wrap(declared, 112, f"cdef {library.status} {name}_record(", "    ", ") noexcept nogil:")
    for line in first:
        out.line(line)
    with out.block(last):
        out.line(f"cdef {name}_call call")
        out.line(f"cdef {library.status} status = {admit or library.admit}")
        out.line(f"if status != {library.success}:")
        out.line("    return status")
        for p in kept:
            out.line(f"call.{spelling.name(p.name)} = {spelling.name(p.name)}")
        for p in kept:
            if p.copied:
                size = p.size.format(of="") or f"{f'{p.count} * ' if p.count > 1 else ''}sizeof({p.copied})"
                _where(out, _condition(p, ""), f"memcpy(&call.{p.name}_kept, {spelling.name(p.name)}, {size})")
        out.line(f"return {library.keep.format(run=f'{name}_again')}")
    return out.text()


def _condition(p: Kept, of: str) -> str:
    """Whether what a pointer shows is copied; a NULL stays one."""
    there = f"{of}{spelling.name(p.name)} != NULL" if p.may_be_null else ""
    return " and ".join(c for c in (there, p.when.format(of=of)) if c)


def _where(out: Writer, condition: str, line: str) -> None:
    if condition:
        out.line(f"if {condition}:")
        out.line(f"    {line}")
    else:
        out.line(line)


def _field(ctype: str) -> str:
    """A parameter's type as a field's: no `const` of its own."""
    text = ctype.strip()
    if text.endswith("const"):
        return text.removesuffix("const")
    return text.removeprefix("const ") if "*" not in text else text


# ---- units that are written by hand: they call `NAME_record(…)`, and end with `include "UNIT_record.pxi"` ----

_CALLED = re.compile(r"\b(\w+)_record\(")
_PARAMETER = re.compile(r"(.*?)(\w+)$", re.DOTALL)


def hand_written(folder: Path, keep: Callable[[str, str, Mapping[str, str]], Kept], library: Library) -> dict[str, str]:
    """The included files of a folder's units. `keep` says how a parameter is kept: its type, its name, all types by name."""
    found = {}
    for path in sorted(folder.glob("*.pyx")):
        text = path.read_text(encoding="utf-8")
        included = f"{path.stem}_record.pxi"
        if f'include "{included}"' not in text:
            continue
        for part in re.findall(r'^include "(\w+\.pxi)"$', text, re.MULTILINE):
            if (folder / part).is_file():
                text += (folder / part).read_text(encoding="utf-8")
        made = []
        for name in dict.fromkeys(_CALLED.findall(text)):
            types = dict(_parameters(text, name, path))
            made.append(recorder(name, name, (keep(ctype, p, types) for p, ctype in types.items()), library))
        found[included] = banner(
            "from libc.string cimport memcpy\n\n\n" + "\n\n".join(made), f"{path.name}", f"Recorders of {path.name}."
        )
    return found


def _parameters(text: str, name: str, path: Path) -> Iterator[tuple[str, str]]:
    """(name, type) of each parameter of a function in a unit."""
    match = re.search(rf"^cdef [\w *]*?\b{name}\((.*?)\) noexcept nogil:", text, re.MULTILINE | re.DOTALL)
    if not match:
        raise ValueError(f"{path}: {name}_record is called, but there is no function {name} to be recorded")
    for parameter in match[1].split(","):
        split = _PARAMETER.match(" ".join(parameter.split()))
        assert split, parameter
        yield split[2], split[1].strip()
