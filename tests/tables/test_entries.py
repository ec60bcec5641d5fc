"""One lint test for each entry of the tables, and one for each library that nothing is missing and nothing extra.

`pytest -m tables -k gemm` selects by the entry's id, `cublas/level3.yaml:gemm`. What an entry says is compared with the
facts in tests/facts. Blind spots: there are no facts about HIP's functions and the driver's; whether a block exists is
the generator's check, whether the numbers are right parity's.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator

import facts
import pytest
from dragoman.generate.abi import NEIGHBOURS
from dragoman.generate.combos import constant
from dragoman.generate.imports import target_import
from dragoman.parity.oracles import ORACLES
from dragoman.tables.expr import Call, Name, Number
from dragoman.tables.kinds import ARGUMENTS, Kind
from dragoman.tables.loader import load
from dragoman.tables.model import Entry, Function, Target, backend_of, expand, rocm_type, version_key
from dragoman.tables.types import load_types

pytestmark = pytest.mark.tables

TABLES = load()
TYPES = load_types()
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
BLOCK = re.compile(r"[a-z][a-z0-9_]*$")
RULE = re.compile(r"[A-Za-z][A-Za-z0-9_]*$")
C_WORDS = {
    "void", "char", "short", "int", "long", "unsigned", "signed", "float", "double", "const", "struct", "enum", "union",
    "size_t", "int8_t", "uint8_t", "int16_t", "uint16_t", "int32_t", "uint32_t", "int64_t", "uint64_t", "FILE",
    "__half", "__nv_bfloat16", "cuComplex", "cuDoubleComplex",
}  # fmt: skip
# What an argument of a kind must itself be; a `c(…)` parameter and, in groups, an array of sizes may stand for a size.
ROLES = {"ld": "ld", "inc": "inc", "uplo": "fill", "diag": "diag"}


def _id(entry: Entry) -> str:
    return f"{entry.file.removeprefix('tables/')}:{entry.key}"


@pytest.mark.parametrize("entry", TABLES.entries, ids=_id)
def test_entry(entry: Entry) -> None:
    functions = BY_ENTRY[id(entry)]
    problems = [
        *_summary(entry),
        *_answer(entry),
        *_symbols(entry, functions),
        *_targets(entry, functions),
        *_oracle(entry),
        *_arguments(entry),
        *_types(functions),
        *_statuses(entry),
        *_combos(entry),
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


def _answer(entry: Entry) -> Iterator[str]:
    answers = [w for w, v in _answers(entry) if v]
    if len(answers) != 1:
        yield f"answered by {answers}; expected one"
    for key, value, wanted in (
        ("answer", entry.answer, ("unsupported",)),
        ("capture", entry.capture, ("compose",)),
        ("combos", entry.combos, ("compose", "rocm")),
    ):
        if value and answers[:1] not in [[w] for w in wanted]:
            yield f"`{key}` goes with {' and '.join(f'`{w}`' for w in wanted)} only"
    if entry.unsupported and (entry.cpu or entry.calls or entry.limits):
        yield "`cpu`, `calls` and `limits` do not go with `unsupported`"
    for block in entry.blocks:
        if not all(BLOCK.match(expand(block, t)) for t in entry.types):
            yield f"block {block!r}; expected lower case with underscores"
    if entry.cpu and not RULE.match(entry.cpu):
        yield f"cpu {entry.cpu!r}; expected the name of a rule"


def _answers(entry: Entry) -> tuple[tuple[str, object], ...]:
    return (
        ("rocm", entry.targets),
        ("host", entry.host),
        ("compose", entry.compose),
        ("unsupported", entry.unsupported),
    )


def _symbols(entry: Entry, functions: list[Function]) -> Iterator[str]:
    for function in functions:
        if not SYMBOLS[entry.library].match(function.name):
            yield f"{function.name} is no name of {entry.library}; expected {SYMBOLS[entry.library].pattern}"
        if not function.majors:
            yield f"{function.name} is in no version; expected `cuda_since` and `cuda_until` to leave one"


def _targets(entry: Entry, functions: list[Function]) -> Iterator[str]:
    names = {expand(t.to, f.type) for f in functions for t in entry.targets if t.to}
    for name in sorted(names | {expand(c, f.type) for f in functions for c in entry.block_calls}):
        library = backend_of(name)
        if library not in TABLES.libraries[entry.library].backends:
            yield f"{name} belongs to {library}; expected one of {TABLES.libraries[entry.library].backends}"
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


def _oracle(entry: Entry) -> Iterator[str]:
    if not entry.oracle:
        return
    if entry.oracle not in ORACLES:
        yield f"oracle {entry.oracle!r} is not registered"
        return
    asked = set(inspect.signature(ORACLES[entry.oracle].function).parameters)
    given = {p.name for p in entry.params if p.kind.name not in ("handle", "desc")}
    if asked != given:
        yield f"oracle {entry.oracle} takes {sorted(asked)}; expected {sorted(given)}"


def _arguments(entry: Entry) -> Iterator[str]:
    """Kinds refer to parameters that mean what they are used for: `A: matrix(in, (m, n), incx)` is a slip."""
    kinds = {p.name: p.kind for p in entry.params}
    for param in entry.params:
        core = param.kind.core
        for word in ARGUMENTS.get(core.name, ()):
            argument = core.argument(word)
            if word in ROLES and isinstance(argument, Name) and not _is(kinds[argument.id], ROLES[word]):
                yield f"{param.name}: {argument} is {kinds[argument.id]}; expected {ROLES[word]}"
            if word in ROLES and not isinstance(argument, Name | Number):
                yield f"{param.name}: {argument} is an expression; expected a parameter of kind {ROLES[word]}"
            if isinstance(argument, Call) and argument.name in ("op", "sided"):
                option, wanted = argument.args[0], "op" if argument.name == "op" else "side"
                if not isinstance(option, Name) or not _is(kinds[option.id], wanted):
                    yield f"{param.name}: the first argument of {argument} is no {wanted}"
        if param.kind.name in ("batched", "strided"):
            count = param.kind.args[-1]
            if not isinstance(count, Name) or kinds[count.id].name != "batch":
                yield f"{param.name}: {count} is no batch count"


def _is(kind: Kind, word: str) -> bool:
    return kind.name in (word, "c", "array")


def _types(functions: list[Function]) -> Iterator[str]:
    """Each C type is C's own or stands in tables/types, in every version that has the symbol."""
    for function in functions:
        words = {w for text in (function.result, *(p.ctype for p in function.params)) for w in re.findall(r"\w+", text)}
        for word in sorted(words - C_WORDS - NEIGHBOURS):
            for major in sorted(function.majors):
                if word not in _known(function.entry.library, major):
                    yield f"{function.name}: the type {word} is not in tables/types for {major}"
    for entry in {id(f.entry): f.entry for f in functions}.values():
        for param in entry.params:
            if param.kind.translation and param.kind.translation not in TYPES.translations:
                yield f"{param.name}: there is no translation {param.kind.translation!r}"


def _known(library: str, major: int) -> set[str]:
    if (library, major) not in _KNOWN:
        view = TYPES.for_library(library, major)
        items = (*view.enums(), *view.structs(), *view.handles(), *view.aliases())
        _KNOWN[library, major] = {item.name for item in items}
    return _KNOWN[library, major]


_KNOWN: dict[tuple[str, int], set[str]] = {}


def _statuses(entry: Entry) -> Iterator[str]:
    library = TABLES.libraries[entry.library]
    statuses = [c.status for c in entry.checks] + ([entry.combos.otherwise] if entry.combos else [])
    constants = {c.name for c in TYPES.enum(library.status).constants} if statuses else set()
    for status in statuses:
        if library.constant(status) not in constants:
            yield f"{library.constant(status)} is no constant of {library.status}"


def _combos(entry: Entry) -> Iterator[str]:
    """Each cell is a type or a constant of its parameter, and AMD has a number for each type that it is given."""
    combos = entry.combos
    if combos is None:
        return
    amd = TYPES.translation("datatype").pairs
    blocks = {t.name for t in entry.targets if t.compose}
    library = TABLES.libraries[entry.library]
    for row in combos.rows:
        for column in combos.keys:
            name = constant(entry, column, combos.cell(row, column), library)
            kind = entry.param(column).kind
            older = name.startswith("CUDA_")  # a compute type in the numbers of before CUDA 11
            wanted = "cudaDataType_t" if kind.name == "datatype" or older else kind.type
            if name not in {c.name for c in TYPES.enum(wanted).constants}:
                yield f"{column}: {name} is no constant of {wanted}"
            elif kind.name == "datatype" and combos.cell(row, "by") not in blocks and name not in amd:
                yield f"{column}: AMD has no {name}"
    for record in entry.types:
        if not combos.of(record):
            yield f"no row for type {record.name}"


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
    """A block reads the descriptor that its function is about without asking whether it is NULL; the generated check asks."""
    loose = [
        entry.key
        for entry in TABLES.entries
        if entry.params and entry.params[0].kind.name == "desc" and entry.params[0].kind.optional
        if not entry.key.startswith(("cudnnDestroy", "cublasXtDestroy"))
    ]
    assert loose == []


def test_nothing_is_one_symbol_twice() -> None:
    names = [(f.entry.library, f.name, m, s) for f in TABLES.functions() for m in f.majors for s in _systems(f.entry)]
    assert len(names) == len(set(names))


def _systems(entry: Entry) -> tuple[str, ...]:
    return (entry.os,) if entry.os else ("linux", "windows")
