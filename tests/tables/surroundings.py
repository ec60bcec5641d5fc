"""All tables with the text of one file replaced, read as the loader reads them; what did not change is read once."""

from __future__ import annotations

from functools import cached_property
from pathlib import Path

from dragoman import paths
from dragoman.tables import amd, avoid, dark, loader, marks, types_loader
from dragoman.tables.known import Known
from dragoman.tables.libraries import read_libraries
from dragoman.tables.model import Entry, Tables
from dragoman.tables.sources import dark_answers
from dragoman.tables.types import Types


class Surroundings:
    """The tables of this installation, by the name that messages give each file."""

    def __init__(self) -> None:
        root = paths.tables_dir()
        self.texts = {
            f"tables/{p.relative_to(root).as_posix()}": p.read_text(encoding="utf-8")
            for p in sorted(root.rglob("*.yaml"))
        }

    def kind(self, name: str) -> str:
        """types, dark, chapter, or the stem of a file beside the folders."""
        parts = Path(name).parts
        return {2: Path(name).stem, 4: "dark"}.get(len(parts), "types" if parts[1] == "types" else "chapter")

    @cached_property
    def types(self) -> Types:
        return self._types("", "")

    @cached_property
    def known(self) -> Known:
        return Known(self.types, amd.read_calls(self._node("tables/amd_calls.yaml")))

    @cached_property
    def libraries(self) -> object:
        return read_libraries(self._node("tables/libraries.yaml"), self.known)

    @cached_property
    def entries(self) -> dict[str, list[Entry]]:
        return {
            name: loader.load_file(self._node(name), self.libraries, self.known)
            for name in self.texts
            if self.kind(name) == "chapter"
        }

    def _node(self, name: str, text: str | None = None) -> marks.Node:
        return marks.parse(self.texts[name] if text is None else text, name)

    def _types(self, name: str, text: str) -> Types:
        files = [n for n in self.texts if self.kind(n) == "types"]
        return types_loader.build([self._node(n, text if n == name else None) for n in files])

    def load(self, name: str, text: str) -> Tables | None:
        """Read all with `text` in the place of one file. Raises `TableError`."""
        kind, known = self.kind(name), self.known
        if kind == "dark":
            node = self._node(name, text)
            dark.parse_forms(node) if name.endswith("forms.yaml") else dark.parse_tables(node, dark_answers())
            return None
        if kind == "avoid":
            avoid.read_avoid(self._node(name, text))
            return None
        if kind == "chapter":
            own = loader.load_file(self._node(name, text), self.libraries, known)
            entries = [e for n, es in self.entries.items() for e in (own if n == name else es)]
            return loader.assemble(self.libraries, entries, Known(self.types, known.calls, [*known._called]))
        types, calls, libraries = self.types, known.calls, self.texts["tables/libraries.yaml"]
        if kind == "types":
            types = self._types(name, text)
        elif kind == "amd_calls":
            calls = amd.read_calls(self._node(name, text))
        else:
            libraries = text
        known = Known(types, calls)
        known.prototypes()
        read = read_libraries(marks.parse(libraries, "tables/libraries.yaml"), known)
        entries = [e for n in self.entries for e in loader.load_file(self._node(n), read, known)]
        return loader.assemble(read, entries, known)
