"""Every prototype that the tables expand to, against the headers of each version: NVIDIA's side and AMD's.

One test a symbol; `-k cublasSgemm_v2` selects it. Parameter names are NVIDIA's affair and not compared. Of `-m tables`, which
is to take seconds, is AMD's side only: NVIDIA's has each entry's lint test there (tests/tables/test_entries.py).
"""

from __future__ import annotations

from collections import defaultdict

import facts
import pytest
from dragoman.tables import loader
from dragoman.tables.model import Function, Target, backend_of, rocm_type, version_key

TABLES = loader.load()
LIBRARIES = ("cublas", "cublasLt", "cudart", "cudnn")
MAJORS = {name: tuple(TABLES.libraries[name].versions) for name in LIBRARIES}
BY_SYMBOL: dict[tuple[str, str], list[Function]] = defaultdict(list)
for _function in TABLES.functions():
    if _function.entry.library in LIBRARIES:
        BY_SYMBOL[_function.entry.library, _function.name].append(_function)
CALLERS: dict[str, list[tuple[Function, Target]]] = defaultdict(list)
for _function in TABLES.functions():
    for _target in _function.entry.targets:
        if backend_of(_target.to) in facts.ROCM:
            CALLERS[_function.target_name(_target)].append((_function, _target))


@pytest.mark.parametrize(("library", "symbol"), sorted(BY_SYMBOL), ids=lambda v: v)
def test_cuda_prototype(library: str, symbol: str) -> None:
    wrong: list[str] = []
    for function in BY_SYMBOL[library, symbol]:
        for major in sorted(function.majors):
            known = facts.cuda_functions(library, major).get(symbol)
            if known is None:  # in no header: the export list is its only witness
                continue
            ours = [facts.normal(p.ctype) for p in function.params]
            theirs = [facts.normal(p.ctype) for p in known.params]
            if (facts.normal(function.result), ours) != (facts.normal(known.result), theirs):
                wrong.append(f"CUDA {major}: tables  {function.prototype}\n         header  {known.prototype}")
    assert not wrong, f"{BY_SYMBOL[library, symbol][0].entry.where}\n" + "\n".join(wrong)


@pytest.mark.parametrize(("library", "symbol"), sorted(BY_SYMBOL), ids=lambda v: v)
def test_versions_and_alias(library: str, symbol: str) -> None:
    """The symbol exists exactly in the versions whose library exports it, under the macro that the header has."""
    wrong: list[str] = []
    for major in MAJORS[library]:
        functions = [f for f in BY_SYMBOL[library, symbol] if major in f.majors]
        for system in ("linux", "windows"):
            ours = any(f.entry.os in ("", system) and f.entry.main for f in functions)
            exported = symbol in facts.exports(library, major, system)
            if ours != exported:
                there, here = ("exports", "lack") if exported else ("does not export", "have")
                wrong.append(f"{major} on {system}: the library {there} it, the tables {here} it")
        known = facts.cuda_functions(library, major).get(symbol)
        if known and functions and (functions[0].alias or "") != known.alias:
            wrong.append(f"CUDA {major}: alias {functions[0].alias!r}, the header has {known.alias!r}")
    assert not wrong, f"{BY_SYMBOL[library, symbol][0].entry.where}\n" + "\n".join(wrong)


@pytest.mark.parametrize("system", ["linux", "windows"])
@pytest.mark.parametrize(("library", "major"), [(n, m) for n in LIBRARIES for m in MAJORS[n]])
def test_nothing_missing(library: str, major: int, system: str) -> None:
    """Each name that the real library exports has an entry, or is listed as data."""
    ours = {f.name for f in TABLES.functions(library, major) if f.entry.os in ("", system)}
    missing = sorted(facts.exports(library, major, system) - ours - set(TABLES.libraries[library].data))
    if missing:
        pytest.fail(f"{len(missing)} exports without an entry: {' '.join(missing[:20])} …", pytrace=False)


@pytest.mark.tables
@pytest.mark.parametrize("library", [name for name in LIBRARIES if name != "cudart"])  # whose hooks every program calls
def test_documented_is_what_a_header_declares(library: str) -> None:
    wrong = []
    for major in MAJORS[library]:
        declared = {name for name, known in facts.cuda_functions(library, major).items() if known.kind != "internal"}
        for function in TABLES.functions(library, major):
            if function.entry.documented != (function.name in declared):
                wrong.append(f"{function.entry.where} {function.name}, {major}")
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("target", sorted(CALLERS))
def test_rocm_target(target: str) -> None:
    """The target exists, and takes what the tables give it, in every release that has it."""
    library = backend_of(target)
    versions = {v: facts.rocm_functions(library, v) for v in facts.ROCM[library]}
    undeclared = target in facts.exports(library, facts.ROCM[library][-1])  # rocsolver_cgeqrf_ptr_batched and the like
    there = {v: known[target] for v, known in versions.items() if target in known}
    if target.endswith("_64") and not there:
        narrow = target.removesuffix("_64")
        assert any(narrow in known for known in versions.values()), f"neither {target} nor {narrow} exists"
        return
    assert there or undeclared, f"no release of {library} declares {target}"
    wrong: list[str] = []
    for function, t in CALLERS[target]:
        for version, known in there.items():
            if t.before and version_key(version) < version_key(t.before):
                continue  # an adapter serves these releases
            theirs = [facts.normal(p.ctype) for p in known.params]
            if t.args is not None:
                if len(t.args) != len(theirs):
                    wrong.append(f"{function.entry.where}: {len(t.args)} arguments; ROCm {version}: {known.prototype}")
                continue
            ours = [facts.normal(rocm_type(p.kind, function.type, function.form.wide)) for p in function.entry.params]
            if ours != [_plain(x) for x in theirs]:
                wrong.append(f"{function.entry.where}: {', '.join(ours)}\n  ROCm {version}: {known.prototype}")
    assert not wrong, "\n".join(sorted(set(wrong)))


def _plain(ctype: str) -> str:
    """rocSOLVER marks values const: `const rocblas_int` is `rocblas_int` to a caller."""
    return ctype.removeprefix("const ") if "*" not in ctype else ctype
