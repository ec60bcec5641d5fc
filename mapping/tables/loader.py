"""YAML → model: all tables, or one file of them.

Every mistake is a `TableError`, one line: `file:line:column: what is wrong; what was expected`. Nothing is left to be found by
a generator, a compiler or the suite: what an entry names is asked of `known.py`, what must hold between keys is in `rules.py`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache
from pathlib import Path

from .. import paths
from . import marks
from .amd import load_calls
from .avoid import load_avoid
from .dark import load_forms, load_tables
from .entry import read_chapter, read_entry
from .known import Known, Unknown
from .libraries import read_libraries
from .marks import Node, TableError, Where
from .model import Entry, Library, Tables
from .rules import check_tables
from .types import load_types

FILES = ("libraries.yaml", "amd_calls.yaml", "avoid.yaml")


def load(root: Path | None = None) -> Tables:
    """Load all tables below `root` (default: the installation's). Raises `TableError` on the first mistake."""
    return _load_cached(root or paths.tables_dir())


@lru_cache(maxsize=4)
def _load_cached(root: Path) -> Tables:
    for name in FILES:
        if not (root / name).is_file():
            raise TableError(Where(f"tables/{name}", 1, 1), f"is not in {root}; expected a folder with all tables")
    known = Known(load_types(root), load_calls(root))
    known.prototypes()
    tables = read(root, known)
    # Data of single libraries, which their generators read again: refused here like all else.
    load_avoid(root)
    load_tables(root)
    load_forms(root)
    return tables


def read(root: Path, known: Unknown) -> Tables:
    """The tables below `root`; what they name outside themselves is asked of `known`."""
    libraries = read_libraries(marks.read(root / "libraries.yaml", "tables/libraries.yaml"), known)
    entries: list[Entry] = []
    for folder in sorted(p for p in root.iterdir() if p.is_dir() and p.name != "types"):
        for path in sorted(folder.glob("*.yaml")):
            entries += load_file(marks.read(path, f"tables/{folder.name}/{path.name}"), libraries, known)
    return assemble(libraries, entries, known)


def assemble(libraries: Mapping[str, Library], entries: Iterable[Entry], known: Unknown) -> Tables:
    """What was read file by file, as a whole: rules across entries are checked."""
    tables = Tables(libraries, tuple(entries))
    check_tables(tables, known)
    known.finish(tables.entries)
    return tables


def load_text(
    text: str, name: str, libraries: Mapping[str, Library], known: Unknown | None = None
) -> tuple[Entry, ...]:
    """Load one file from a string (tests, editors). Without `known`, names of what stands elsewhere are not checked."""
    return tuple(load_file(marks.parse(text, name), libraries, known or Unknown()))


def load_file(root: Node, libraries: Mapping[str, Library], known: Unknown) -> list[Entry]:
    """Entries of one chapter file."""
    fields = root.fields()
    chapter = read_chapter(fields.need("file"), libraries)
    return [read_entry(key, key_node, node, chapter, known) for key, key_node, node in fields.rest()]


__all__ = ["FILES", "TableError", "assemble", "load", "load_file", "load_text", "read"]
