"""One lint test for each entry of the tables, and one for each library that nothing is missing and nothing extra.

`pytest -m tables -k gemm` selects by the entry's id, `cublas/level3.yaml:gemm`; `-k cublasSgemm_v2` by a symbol (conftest.py).
What an entry says is compared with the facts in tests/facts: what can be told without them, the loader has refused. Blind
spots: there are no facts about HIP's functions and the driver's; whether the numbers are right is parity's check.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import facts
import pytest
from dragoman.generate.imports import target_import
from dragoman.tables.loader import load
from dragoman.tables.model import Entry, Function, Target, backend_of, expand, rocm_type, version_key

pytestmark = pytest.mark.tables

TABLES = load()
BY_ENTRY: dict[int, list[Function]] = {}
for _function in TABLES.functions():
    BY_ENTRY.setdefault(id(_function.entry), []).append(_function)

# A symbol of each library: the prefix, then a word or a letter of a type.
SYMBOLS = {
    "cublas": re.compile(r"cublas(Xt)?[A-Z]\w*$"),
    "cublasLt": re.compile(r"cublasLt(_for_cublas_)?[A-Z]\w*$"),
    "cudart": re.compile(r"(__)?cuda[A-Z]\w*$"),
    "cuda": re.compile(r"cu[A-Z]\w*$"),
    "cudnn": re.compile(r"cudnn[A-Z]\w*$|cudnn_infer_\w+$|registerRuntimeCompiled$"),
}


def _id(entry: Entry) -> str:
    return f"{entry.file.removeprefix('tables/')}:{entry.key}"


@pytest.mark.parametrize("entry", TABLES.entries, ids=_id)
def test_entry(entry: Entry) -> None:
    functions = BY_ENTRY[id(entry)]
    problems = [
        *_summary(entry),
        *_symbols(entry, functions),
        *_targets(entry, functions),
        *_prototypes(functions),
    ]
    if problems:
        pytest.fail(f"{entry.where} {entry.key}:\n" + "\n".join(dict.fromkeys(problems)), pytrace=False)


def _summary(entry: Entry) -> Iterator[str]:
    if not 5 <= len(entry.summary) <= 120 or "\n" in entry.summary or entry.summary.endswith("."):
        yield f"summary {entry.summary!r}; expected one line of 5 to 120 characters without a full stop"
    for key, text in (("unsupported", entry.unsupported), ("limits", entry.limits)):
        if text and (len(text.split()) < 4 or "\n" in text or text.endswith(".") or "{" in text):
            yield f"{key} {text!r}; expected a sentence in one line, without a full stop and without a pattern"


def _symbols(entry: Entry, functions: list[Function]) -> Iterator[str]:
    for function in functions:
        if not SYMBOLS[entry.library].match(function.name):
            yield f"{function.name} is no name of {entry.library}; expected {SYMBOLS[entry.library].pattern}"


def _targets(entry: Entry, functions: list[Function]) -> Iterator[str]:
    names = {expand(t.to, f.type) for f in functions for t in entry.targets if t.to}
    for name in sorted(names | {expand(c, f.type) for f in functions for c in entry.block_calls}):
        library = backend_of(name)
        if library in facts.ROCM and not any(name in _amd(library, v) for v in facts.ROCM[library]):
            yield f"{name} is in none of {library} {', '.join(facts.ROCM[library])}"
    for target in entry.targets:
        if target.to and target.args is not None and entry.combos:
            for function in functions:
                yield from _takes(function, target)
        if target.to and target.args is None and not target.older:
            for function in functions:
                yield from _agrees(function, target)


def _amd(library: str, version: str) -> frozenset[str]:
    """Names that AMD's library declares or exports in one version."""
    declared = frozenset(facts.rocm_functions(library, version))
    try:
        return declared | facts.exports(library, version.rsplit(".", 1)[0])
    except FileNotFoundError:
        return declared


def _agrees(function: Function, target: Target) -> Iterator[str]:
    """A target without `args` takes our arguments as they are: count and types must be AMD's."""
    if function.form.base == "v1":
        return
    ours = [rocm_type(p.kind, function.type, function.form.wide) for p in function.params]
    name = function.target_name(target)
    library = backend_of(name)
    for version in facts.ROCM.get(library, ()):
        known = facts.rocm_functions(library, version).get(name)
        if known and not _same(ours, [p.ctype for p in known.params]):
            yield f"{name} of {version}: {', '.join(ours)}; expected {known.prototype}"


def _takes(function: Function, target: Target) -> Iterator[str]:
    """A target of a typed call: the types that its arguments are given are AMD's."""
    item = target_import(function, target)
    library = backend_of(item.name)
    for version in facts.ROCM.get(library, ()):
        known = facts.rocm_functions(library, version).get(item.name)
        ours = [_const(t) for t, _, _ in item.params]
        if known and not _same(ours, [_const(p.ctype) for p in known.params]):
            yield f"{item.prototype}; {version} has {known.prototype}"


def _const(ctype: str) -> str:
    """AMD's gemm_ex takes C as `const void *` beside its own output: `const` makes no difference to a call."""
    return (
        ctype.replace("const ", "").replace("* *", "**").replace("void *const *", "void *").replace("void **", "void *")
    )


def _same(ours: list[str], theirs: list[str]) -> bool:
    return len(ours) == len(theirs) and all(_spell(a) == _spell(b) for a, b in zip(ours, theirs, strict=True))


def _spell(ctype: str) -> str:
    """`rocblas_stride` is a 64-bit integer and `cudaDataType` a typedef: each has two names."""
    text = re.sub(r"\bcudaDataType_t\b", "cudaDataType", ctype)
    return facts.normal(re.sub(r"\brocblas_stride\b", "int64_t", text))


def _prototypes(functions: list[Function]) -> Iterator[str]:
    """The prototype is NVIDIA's in every version that declares it; what no header declares has no `header`."""
    for function in functions:
        entry = function.entry
        if entry.library not in facts.CUDA:
            continue
        for major in sorted(function.majors):
            known = facts.cuda_functions(entry.library, major).get(function.name)
            if known is None or known.kind == "internal":
                if entry.header:
                    yield f"{function.name}: no header of CUDA {major} declares it; expected no `header`"
                continue
            # twins are names without a declaration: a macro leads to them
            header = "" if function.form.twin else "cublas" if function.form.base == "v1" else entry.header
            if header != known.header:
                yield f"{function.name}: header {header!r}; expected {known.header!r}"
            ours = [function.result, *(p.ctype for p in function.params)]
            theirs = [known.result, *(p.ctype for p in known.params)]
            if not _same(ours, theirs):
                yield f"{function.prototype}; expected {known.prototype}"
            if function.alias != known.alias:
                yield f"{function.name}: headers turn {function.alias!r} into it; expected {known.alias!r}"


EMULATED = [
    pytest.param(name, major, system, part, id=f"{name}{'_' + part if part else ''}-{major}-{system}")
    for name, library in TABLES.libraries.items()
    if name in facts.CUDA
    for major, version in library.versions.items()
    for system in ("linux", "windows")
    for part in ("", *version.parts)
]


@pytest.mark.parametrize(("library", "major", "system", "part"), EMULATED)
def test_every_export_and_nothing_else(library: str, major: int, system: str, part: str) -> None:
    real = facts.exports(f"{library}_{part}" if part else library, major, system)
    ours = TABLES.exported(library, major, system, part)
    missing, extra = sorted(real - ours), sorted(ours - real)
    if missing or extra:
        pytest.fail(f"{_some('missing', missing)}\n{_some('extra', extra)}", pytrace=False)


def _some(what: str, names: list[str]) -> str:
    return f"{len(names)} {what}: {', '.join(names[:20])}{' …' if len(names) > 20 else ''}"


@pytest.mark.parametrize("library", sorted(set(facts.CUDA) & set(TABLES.libraries)))
def test_the_facts_are_of_the_emulated_versions(library: str) -> None:
    for major, version in TABLES.libraries[library].versions.items():
        known = facts.CUDA[library][1][major]
        assert version_key(version.version)[:2] == version_key(known)


def test_only_a_destroy_takes_no_descriptor_to_work_on() -> None:
    """A block reads the descriptor that its function is about without asking whether it is NULL; the generated check asks. The blocks
    of cuBLASXt's settings ask themselves, as NVIDIA's has a status of its own for that: the suite's checks pass NULL to each."""
    loose = [
        entry.key
        for entry in TABLES.entries
        if entry.params and entry.params[0].kind.name == "desc" and entry.params[0].kind.optional
        if not entry.key.startswith(("cudnnDestroy", "cublasXt"))
    ]
    assert loose == []
