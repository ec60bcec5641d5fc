"""`tables/cuda/dark/` → `mapping/compose/cuda/dark_tables.h`: tables of functions by UUID, and forms of names by version.

The header lies in the tree, since it belongs to no chapter of entries. After an edit of the tables:

    python -m dragoman.generate.dark
"""

from __future__ import annotations

from pathlib import Path

from .. import paths
from ..tables.dark import DarkEntry, DarkTable, Forms, load_forms, load_tables
from .writer import Writer, banner, wrap

WIDTH = 118


def header() -> str:
    """The whole header."""
    w = Writer()
    w.lines("#ifndef DRAGOMAN_CUDA_DARK_TABLES_H\n#define DRAGOMAN_CUDA_DARK_TABLES_H")
    w.lines('#include "dark.h"')
    for table in load_tables():
        if not table.absent:
            w.line()
            _table(w, table)
    w.line()
    _all(w, load_tables())
    w.line()
    _forms(w, load_forms())
    w.line("#endif")
    about = "Tables of functions that a CUDA runtime asks for by UUID; forms of names by version."
    text = banner(w.text(), "tables/cuda/dark", about, "/*")
    return text.replace("`dragoman build`", "`python -m dragoman.generate.dark`", 1)


def _table(w: Writer, table: DarkTable) -> None:
    w.line(f"/* {table.where.file}:{table.where.line} {table.name}: {table.summary} */")
    first = 1 if table.head == "bytes" else 0
    for index in range(first, table.size):
        entry = table.entries.get(index)
        if entry and entry.answer:
            _prototype(w, entry)
        else:
            _refusal(w, table, index, entry)
    with w.block(f"static const dark_function {table.name}_table[{table.size}] = {{", "};"):
        if first:
            w.line(f"(dark_function)(uintptr_t)({table.size} * sizeof(dark_function)),")
        for index in range(first, table.size):
            entry = table.entries.get(index)
            what = f"dark_{entry.answer}" if entry and entry.answer else f"{table.name}_{index}"
            w.line(f"(dark_function){what}," + (f" /* {index} {entry.name} */" if entry else ""))


def _prototype(w: Writer, entry: DarkEntry) -> None:
    head = f"DG_HIDDEN {entry.returns} dark_{entry.answer}("
    for line in wrap(list(entry.params) or ["void"], WIDTH, head, " " * 4, ");"):
        w.line(line)


def _refusal(w: Writer, table: DarkTable, index: int, entry: DarkEntry | None) -> None:
    name, where = f"{table.name}_{index}", entry.where if entry else table.where
    place = f'"{where.file}:{where.line}"'
    if entry:
        w.line(f'DARK_REFUSES({name}, "{table.name}, entry {index} ({entry.name})", CUDA_ERROR_NO_BINARY_FOR_GPU,')
        w.line(f'             "{entry.refuse}", {place})')
    else:
        w.line(f'DARK_UNDESCRIBED({name}, "{table.name}, entry {index}", {place})')


def _all(w: Writer, tables: tuple[DarkTable, ...]) -> None:
    with w.block("static const dark_table dark_tables[] = {", "};"):
        for table in tables:
            uuid = ", ".join(f"0x{b:02x}" for b in table.uuid)
            if table.absent:
                w.line(f"{{{{{uuid}}}, NULL}}, /* {table.name}: {table.summary} */")
            else:
                w.line(f"{{{{{uuid}}}, {table.name}_table}},")


def _forms(w: Writer, forms: tuple[Forms, ...]) -> None:
    """Sorted by name, for a binary search."""
    most = max(len(f.since) for f in forms)
    w.line(f"enum {{ DARK_FORMS = {most} }};")
    w.line("typedef struct dark_form {")
    w.line("    const char *name;")
    w.line("    struct { int since; const char *suffix; } forms[DARK_FORMS]; /* the oldest first; since 0: no more */")
    w.line("} dark_form;")
    with w.block("static const dark_form dark_forms[] = {", "};"):
        for form in forms:
            inside = ", ".join(f'{{{since}, "{suffix}"}}' for since, suffix in form.since)
            w.line(f'{{"{form.name}", {{{inside}}}}},')


def file() -> Path:
    """Where the header lies."""
    return paths.package_dir() / "compose" / "cuda" / "dark_tables.h"


if __name__ == "__main__":
    file().write_text(header(), encoding="utf-8")
