"""What all files of a program need together, and one verdict."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from ..run import static_runtime
from ..tables.model import Function
from . import contents, neighbours, source
from .binary import Facts
from .catalogue import Catalogue
from .isolated import Reader

IMPORTED, NAMED, CALLED = "imported", "named", "called"
RUNTIME = "CUDA runtime"
_NAMED_LIMITS = 5  # in a remark; --all has every one
UNKNOWN = "unknown"  # kind of a function that no table has


@dataclass(frozen=True, slots=True)
class Need:
    """One function that a file asks for. `how`: the loader wants it, its name stands in the data, or a source calls it."""

    name: str
    library: str
    how: str
    kind: str
    reason: str = ""
    limits: str = ""

    @property
    def answered(self) -> bool:
        return self.kind not in ("unsupported", UNKNOWN)


@dataclass(frozen=True, slots=True)
class File:
    """One file that has to do with CUDA, or could not be read (`trouble`).

    libraries   replaced libraries that it loads, by file name; `others` are NVIDIA's that are not, with who answers
    stubs       it names so much of a library that it looks up what it needs, not what stands there
    nvidia      it is a copy of NVIDIA's library itself
    """

    path: str
    form: str
    libraries: tuple[str, ...] = ()
    others: tuple[tuple[str, str], ...] = ()
    needs: tuple[Need, ...] = ()
    kernels: bool = False
    static_runtime: bool = False
    stubs: bool = False
    nvidia: bool = False
    trouble: str = ""

    @property
    def matters(self) -> bool:
        return bool(self.libraries or self.others or self.needs or self.kernels or self.static_runtime or self.nvidia)


@dataclass(frozen=True, slots=True)
class Report:
    """The scan of one program."""

    files: tuple[File, ...]
    looked_at: int
    native: tuple[str, ...] = ()  # builds for AMD cards that the program has

    def needs(self, *, lookups: bool = False) -> list[Need]:
        """Each function once, of all files; `lookups`: those that are only named by files with tables of stubs, instead."""
        found: dict[str, Need] = {}
        for file in self.files:
            for need in file.needs:
                if (file.stubs and need.how == NAMED) == lookups:
                    found.setdefault(need.name, need)
        return sorted(found.values(), key=lambda n: (n.library, n.name))

    @property
    def missing(self) -> list[Need]:
        """What nobody answers. With kernels, the runtime is left to NVIDIA's, over what runs them."""
        return [n for n in self.needs() if not (n.answered or (self.kernels and n.library == RUNTIME))]

    @property
    def kernels(self) -> bool:
        return any(f.kernels for f in self.files)

    @property
    def static_runtime(self) -> bool:
        return any(f.static_runtime for f in self.files)

    @property
    def unread(self) -> list[File]:
        return [f for f in self.files if f.trouble]

    @property
    def blind(self) -> bool:
        """There was something, and none of it could be read: this says nothing about the program."""
        return 0 < self.looked_at == len(self.unread) and not any(f.matters for f in self.files)

    def verdict(self) -> str:
        """One sentence about the program."""
        missing = self.missing
        rest = "; its kernels need something that runs them" if self.kernels else ""
        needs = [n for n in self.needs() if not (self.kernels and n.library == RUNTIME)]
        if self.blind:
            return "nothing here could be read"
        if not any(f.matters for f in self.files):
            return "nothing here asks for CUDA's libraries" if self.looked_at else "there is nothing here to look at"
        if not needs:
            return f"asks for none of the functions that dragoman answers{rest}"
        if missing:
            if len(needs) == 1:
                return f"its one function is not answered: where it is called, the program gets an error{rest}"
            are = "is" if len(missing) == 1 else "are"
            return f"{len(missing)} of {len(needs)} functions {are} not answered: where one is called, the program gets an error{rest}"
        return (
            "its one function is answered" if len(needs) == 1 else f"all {len(needs)} functions are answered"
        ) + rest

    def remarks(self) -> list[str]:
        """What else stands in the way, each with what to do."""
        said = list(self.native)
        if self.unread and not self.blind:
            one = len(self.unread) == 1
            said.append(
                f"{len(self.unread)} {'file' if one else 'files'} could not be read, whole or in part: "
                f"what {'it needs' if one else 'they need'} is not counted"
            )
        if self.kernels:
            said.append(
                "it has CUDA kernels of its own: on an AMD card something must run them, such as ZLUDA, over NVIDIA's CUDA runtime"
            )
        if self.static_runtime:
            said.append(static_runtime.advice())
        lookups = self.needs(lookups=True)
        if lookups:
            out = sum(not n.answered for n in lookups)
            said.append(
                f"it holds the names of {_functions(len(lookups))} and looks up those that it calls; {out} of them are not answered"
            )
        limited = [n.name for n in self.needs() if n.answered and n.limits]
        if limited:
            has = "has" if len(limited) == 1 else "have"
            names = ", ".join(limited[:_NAMED_LIMITS]) + (", …" if len(limited) > _NAMED_LIMITS else "")
            said.append(f"{_functions(len(limited))} {has} limits: dragoman explain NAME says which ({names})")
        if any(f.nvidia for f in self.files):
            said.append("it brings copies of NVIDIA's libraries, which dragoman's must replace or go before")
        return said

    def to_json(self) -> str:
        return json.dumps(
            {
                "verdict": self.verdict(),
                "answered": not self.missing,
                "remarks": self.remarks(),
                "looked_at": self.looked_at,
                "missing": [n.name for n in self.missing],
                "files": [_file(f) for f in self.files],
            },
            indent=1,
            ensure_ascii=False,
        )


def _functions(count: int) -> str:
    return f"{count} function{'' if count == 1 else 's'}"


def _file(file: File) -> dict[str, Any]:
    found = asdict(file)
    found["others"] = [{"file": name, "answer": answer} for name, answer in file.others]
    found["needs"] = [asdict(n) | {"answered": n.answered} for n in file.needs]
    return found


def scan(paths: Sequence[Path], at: Callable[[int, str], None] = lambda number, label: None) -> Report:
    """Looks at every file. `at` is told each one's number and name.

    UserError: a path is not there.
    """
    catalogue = Catalogue()
    files: list[File] = []
    native: dict[str, None] = {}
    number = 0
    with Reader() as reader:
        for number, content in enumerate(contents.of(list(paths)), 1):
            at(number, content.label)
            file = _look(catalogue, reader, content)
            if file.matters or file.trouble:
                files.append(file)
            if file.matters and neighbours.native(content.name):
                native.setdefault(neighbours.native(content.name))
    return Report(tuple(files), number, tuple(native))


def _look(catalogue: Catalogue, reader: Reader, content: contents.Content) -> File:
    if content.trouble:
        return File(content.label, "", trouble=content.trouble)
    if content.source:
        calls = source.read(content.path)
        needs = [_need(catalogue, catalogue.called(n), n, CALLED) for n in calls.names]
        return File(content.label, "source", needs=_known(needs), kernels=calls.kernels)
    if catalogue.file(content.name):
        return File(content.label, "library", nvidia=True)
    try:
        return _binary(catalogue, content.label, reader.facts(content.path))
    except (ValueError, OSError) as error:
        return File(content.label, "", trouble=str(error))


def _binary(catalogue: Catalogue, label: str, facts: Facts) -> File:
    loads = [*facts.needed, *facts.opened]
    ours = tuple(n for n in loads if catalogue.file(n))
    old = [(n, _other_version(catalogue, n)) for n in loads if n not in ours and _other_version(catalogue, n)]
    others = [(n, neighbours.answer(n)) for n in facts.needed if n not in ours and neighbours.answer(n)]
    needs = [_need(catalogue, catalogue.imported(n), n, IMPORTED) for n in facts.imports]
    named = [
        _need(catalogue, f, n, NAMED) for n in facts.named if (f := catalogue.imported(n)) and f.entry.library != "cuda"
    ]
    return File(
        label,
        facts.form,
        ours,
        (*old, *others),
        (*_known(needs), *(n for n in named if n)),
        facts.kernels,
        facts.static_runtime,
        stubs=_stubs(catalogue, [n for n in named if n]),
        trouble="the file ends too early: what it lacks was not looked at" if facts.cut else "",
    )


def _other_version(catalogue: Catalogue, name: str) -> str:
    library = catalogue.unversioned(name)
    if library is None or name.lower().endswith(".so"):
        return ""
    majors = ", ".join(map(str, library.versions))
    return f"another version than dragoman's ({library.title} {majors})"


def _need(catalogue: Catalogue, function: Function | None, name: str, how: str) -> Need | None:
    if function is not None:
        entry = function.entry
        if entry.library == "cuda":
            return None  # the driver is not what this is about: `others` names it
        title = catalogue.tables.libraries[entry.library].title
        return Need(
            name, title, how, function.kind, " ".join(entry.unsupported.split()), " ".join(entry.limits.split())
        )
    # A source may define or wrap what it likes; a symbol that no table has is missing for certain.
    library = catalogue.library_of(name) if how == IMPORTED else None
    if library is None:
        return None
    return Need(name, library.title, how, UNKNOWN, f"no {library.title} that dragoman replaces exports it")


def _known(needs: Sequence[Need | None]) -> tuple[Need, ...]:
    return tuple(n for n in needs if n is not None)


def _stubs(catalogue: Catalogue, named: Sequence[Need]) -> bool:
    """Half of a library by name is its whole interface, not what the program calls."""
    for library in catalogue.tables.libraries.values():
        if 2 * sum(n.library == library.title for n in named) > catalogue.count(library):
            return True
    return False
