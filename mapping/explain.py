"""One function, from its table line to the code that answers it."""

from __future__ import annotations

import re
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from . import paths
from .coverage import collect, records
from .coverage.model import JUDGES, MEANING, Confirmation
from .errors import UserError, nearest
from .parity import known
from .tables.amd import load_calls
from .tables.loader import load
from .tables.model import Function, Tables, expand
from .tested import where_tested


@dataclass(frozen=True, slots=True)
class Explanation:
    """What `dragoman explain NAME` says."""

    name: str
    asked: str  # the name that was asked for, where headers turn it into `name`
    library: str
    chapter: str
    summary: str
    kind: str
    majors: tuple[int, ...]
    systems: str  # '' for all
    source: str
    table: str  # the entry's YAML
    cuda: str  # NVIDIA's prototype
    amd: tuple[str, ...]  # prototypes of AMD's functions that it calls
    block: str  # hand-written block and its file
    code: str
    code_file: str
    reason: str
    limits: str
    differs: tuple[str, ...]
    notes: str
    corners: tuple[str, ...]
    judges: tuple[Confirmation, ...]
    tests: tuple[str, ...]  # oracle or procedure with its place, the commands that ask it, files that name the function
    older: str  # symbol of cuBLAS's first API that bears the name asked for

    @property
    def meaning(self) -> str:
        return MEANING[self.kind]

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)


def explain(name: str, root: Path, *, exact: bool = False) -> Explanation:
    """`exact`: the symbol of that very name, not the one that headers lead to. `root`: the build that was judged."""
    tables = load()
    if not name.strip():
        raise UserError("an empty name; expected a function, such as cublasSgemm")
    function = _exact(tables, name) if exact else tables.function(name)
    if function is None:
        raise UserError(f"no function {name!r}; {nearest(name, _names(tables))}")
    entry = function.entry
    file, code = _code(tables, function)
    return Explanation(
        name=function.name,
        asked=name if name != function.name else "",
        library=tables.libraries[entry.library].title,
        chapter=entry.chapter,
        summary=entry.summary,
        kind=function.kind,
        majors=tuple(sorted(function.majors)),
        systems=entry.os,
        source=f"{entry.file}:{entry.where.line}",
        table=_yaml(function),
        cuda=function.prototype,
        amd=_amd(function),
        block=_block(function),
        code=code,
        code_file=file,
        reason=entry.unsupported,
        limits=entry.limits,
        differs=known.differences(function),
        notes=entry.notes,
        corners=tuple(f"{c.case}: NVIDIA {c.nvidia}, AMD {c.rocm}" + (f" ({c.source})" if c.source else "") for c in entry.corners),
        judges=_judges(tables, function, root),
        tests=where_tested(function),
        older=name if function.alias == name and _exact(tables, name) else "",
    )  # fmt: skip


def _names(tables: Tables) -> list[str]:
    return [n for f in tables.functions() for n in (f.name, f.alias) if n]


def _exact(tables: Tables, name: str) -> Function | None:
    return next((f for f in tables.functions() if f.name == name), None)


def _yaml(function: Function) -> str:
    """The entry's lines, up to the next entry."""
    path = paths.tables_dir() / function.entry.file.removeprefix("tables/")
    lines = path.read_text(encoding="utf-8").splitlines()[function.entry.where.line - 1 :]
    end = next((i for i, line in enumerate(lines[1:], 1) if re.match(r"[^\s]", line)), len(lines))
    return "\n".join(lines[:end]).rstrip()


def _amd(function: Function) -> tuple[str, ...]:
    from .generate.imports import target_import

    if function.entry.unsupported:
        return ()
    found = [target_import(function, target).prototype for target in function.entry.targets if target.to]
    calls = load_calls()
    for name in function.entry.block_calls:
        call = calls.get(name)
        inside = ", ".join(f"{t}{'' if t.endswith('*') else ' '}{n}" for t, n in call.params) if call else ""
        found.append(f"{call.result} {name}({inside or 'void'})" if call else name)
    return tuple(dict.fromkeys(found))


def _block(function: Function) -> str:
    entry = function.entry
    names = [expand(block, function.type) for block in entry.blocks]
    if not names:
        return ""
    _, library, chapter = entry.file.removesuffix(".yaml").split("/")
    return f"{' and '.join(names)} in mapping/compose/{library}/{chapter}.pxi"


def _code(tables: Tables, function: Function) -> tuple[str, str]:
    """The generated function, cut out of its chapter: comment above it to the next blank line."""
    from .generate.plan import LibrarySources
    from .tables.types import load_types

    made = LibrarySources(tables, load_types(), tables.libraries[function.entry.library])
    defines = re.compile(rf"^cdef public .*\b{re.escape(function.name)}\(", re.MULTILINE)
    for source in made.of_file(function.entry.file):
        if source.path.endswith(".pyx"):
            for paragraph in source.text.split("\n\n"):
                if defines.search(paragraph):
                    return f"src/{source.path}", paragraph.strip()
    return "", ""


def _judges(tables: Tables, function: Function, root: Path) -> tuple[Confirmation, ...]:
    """From the newest CUDA version that any judge confirmed it in; each judge once."""
    library = tables.libraries[function.entry.library]
    found: dict[str, Confirmation] = {}
    for major in sorted(function.majors):
        version = library.versions[major]
        digest = records.build_digest(root / "linux" / f"cuda{major}", version)
        judged = {judge: records.load(judge, library.name, major, digest) for judge in JUDGES} if digest else {}
        found |= {c.name: c for c in collect.confirmations(function.name, judged)}
        standing = collect.standing(library, version, [function])
        found |= {c.name: c for c in collect.confirmations(function.name, standing)}
    return tuple(found[j] for j in JUDGES if j in found)
