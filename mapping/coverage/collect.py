"""Brings the sources together and says where they differ."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from ..amdhost import results as amd_records
from ..amdhost.releases import ASKED, RELEASES
from ..parity import known
from ..tables.model import Function, Library, LibraryVersion, Tables
from . import abi, clients, exports, records
from .model import ABI, AMD_HOST, CLIENTS, JUDGES, Confirmation, Coverage, LibraryCoverage, Row


def collect(tables: Tables, root: Path, *, libraries: Sequence[str] = (), majors: Sequence[int] = ()) -> Coverage:
    """The report over the tables; `root` is the build tree, whose libraries are compared if they are there."""
    found, differences = [], []
    for library in tables.libraries.values():
        if libraries and library.name not in libraries:
            continue
        for major, version in sorted(library.versions.items()):
            if majors and not set(majors) & set(version.folders):
                continue
            functions = _in_order(library, tables.functions(library.name, major))
            if not functions:
                continue  # no table yet
            one, wrong = _library(tables, library, version, functions, root)
            found.append(one)
            differences += wrong
    return Coverage(tuple(found), tuple(differences))


def _in_order(library: Library, functions: Sequence[Function]) -> list[Function]:
    """As NVIDIA's manual has them; functions of one chapter keep the order of their table."""
    return sorted(functions, key=lambda f: library.place(f.entry.file))


def _library(
    tables: Tables, library: Library, version: LibraryVersion, functions: Sequence[Function], root: Path
) -> tuple[LibraryCoverage, list[str]]:
    compared, differences = [], []
    for system in exports.SYSTEMS:
        for part in ("", *version.parts):
            title = library.titled(version.major) + (f", {part}" if part else "")
            ours = tables.exported(library.name, version.major, system, part)
            for whose, theirs in (
                ("NVIDIA's", exports.nvidia(library, version, system, part)),
                ("the built library's", exports.built(root, version, system, part)),
            ):
                if theirs is None:
                    continue
                compared.append(f"{whose} on {system}")
                differences += _differences(title, ours, theirs, f"{whose} exports on {system}")
    title = library.titled(version.major)
    judged = {j: _judged(j, library, version, root) for j in JUDGES} | standing(library, version, functions)
    names = {f.name for f in functions}
    for judge, results in judged.items():
        differences += [f"{title}: {n} was judged by {judge}, but is in no table" for n in sorted(set(results) - names)]
    rows = tuple(_row(f, judged) for f in functions)
    return LibraryCoverage(
        library.name,
        library.title,
        version.major,
        version.folders,
        version.version,
        rows,
        tuple(dict.fromkeys(compared)),
    ), differences


def _judged(judge: str, library: Library, version: LibraryVersion, root: Path) -> Mapping[str, records.Judged]:
    """Judgements of the build that is there; of Linux's, else of Windows'."""
    for system in exports.SYSTEMS:
        digest = records.build_digest(root / system / f"cuda{version.folders[-1]}", version)
        if digest:
            found = records.load(judge, library.name, version.major, digest)
            if found:
                return found
    return {}


def standing(
    library: Library, version: LibraryVersion, functions: Sequence[Function]
) -> dict[str, Mapping[str, records.Judged]]:
    """Judges that say nothing of a build: their records hold for entries that have not changed."""
    return {
        AMD_HOST: amd_host(functions),
        ABI: abi.agreeing(library, version, functions),
        CLIENTS: clients.called(functions),
    }


def amd_host(functions: Sequence[Function]) -> Mapping[str, records.Judged]:
    """What AMD's own libraries said when they were last asked, of entries that have not changed since; the newest counts."""
    found: dict[str, records.Judged] = {}
    named = dict.fromkeys(f.entry.library for f in functions)
    asked = [
        (library, release.name) for library in named if library in ASKED for release in RELEASES
    ]  # from old to new
    for library, release in asked:
        record = amd_records.recorded(library, release)
        if record is None:
            continue
        content = {o.name for o in record.outcomes if o.state == "pass"}
        said = Confirmation(AMD_HOST, f"{record.title} {record.version}", record.date)
        for f in functions:
            if f.name in content and record.entries.get(f.entry.key) == amd_records.digest(f.entry):
                found[f.name] = records.Judged(True, said)
    return found


def _differences(title: str, ours: Iterable[str], theirs: Iterable[str], whose: str) -> list[str]:
    ours, theirs = set(ours), set(theirs)
    found = [f"{title}: {name} is among {whose}, but in no table" for name in sorted(theirs - ours)]
    return found + [f"{title}: {name} is in a table, but not among {whose}" for name in sorted(ours - theirs)]


def _row(function: Function, judged: Mapping[str, Mapping[str, records.Judged]]) -> Row:
    entry = function.entry
    return Row(
        name=function.name,
        kind=function.kind,
        targets=targets(function),
        reason=entry.unsupported,
        limits=entry.limits,
        differs=(*known.differences(function), *known.unknown(function)),
        source=f"{entry.file}:{entry.where.line}",
        judges=confirmations(function.name, judged),
        chapter=entry.chapter,
        documented=entry.documented,
        alias=function.alias,
    )


def targets(function: Function) -> tuple[str, ...]:
    """AMD's functions that answer: the entry's, or those that its hand-written block calls."""
    entry = function.entry
    if entry.unsupported:
        return ()
    named = [function.target_name(t) for t in entry.targets if t.to]
    return tuple(dict.fromkeys([*named, *entry.block_calls]))


def confirmations(name: str, judged: Mapping[str, Mapping[str, records.Judged]]) -> tuple[Confirmation, ...]:
    return tuple(r[name].confirmation for r in judged.values() if name in r and r[name].passed)
