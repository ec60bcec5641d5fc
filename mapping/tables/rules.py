"""What must hold between the keys of one entry, and between entries."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from . import c, expr
from .expr import Call, Expr, Name
from .kinds import ARGUMENTS, Kind
from .known import Unknown
from .marks import Fields, Node, TableError, Where, close
from .model import Entry, Form, Library, Tables
from .typed import typed_elements

# What an argument of a kind must itself be; a `c(…)` parameter and, in groups, an array of sizes may stand for it.
_ROLES = {"ld": "ld", "inc": "inc", "uplo": "fill", "diag": "diag"}


def check_entry(entry: Entry, f: Fields, known: Unknown) -> None:
    """`f` has been read: its nodes are the places of what is wrong."""
    _targets(entry, f)
    params = {key: node for key, _, node in f.node_of("params").items()} if entry.params else {}
    _arguments(entry, params)
    if Form("v1") in entry.forms and not any(form.base == "v2" for form in entry.forms):
        f.node_of("forms").fail("`v1` without `v2`; expected both: the first API stands beside a `_v2`")
    if not entry.main and not entry.parts:
        f.node_of("main").fail("no library exports the entry; expected `parts` beside `main: false`")
    if entry.combos is None and any(p.kind.name == "datatype" for p in entry.params) and entry.targets:
        f.node.fail("a parameter names a type; expected `combos` to say which may go together")
    if entry.cpu:
        known.cpu(entry, f.node_of("cpu"))


def _targets(entry: Entry, f: Fields) -> None:
    scaled = any("scale" in expr.names(a) for t in entry.targets for a in t.args or ())
    named = any(p.name == "scale" for p in entry.params) or (entry.combos and "scale" in entry.combos.columns)
    if scaled and not named:
        f.node_of("rocm").fail("a target passes on `scale`; expected a column of that name under combos")
    names = [t.name for t in entry.targets]
    for target, name in zip(entry.targets, names, strict=True):
        if names.count(name) > 1:
            raise TableError(target.where, f"two targets are called {name!r}; expected a `name` of its own for each")
    for target in entry.targets[:-1]:
        if not entry.combos and target.when is None:
            raise TableError(target.where, "a target without `when` before others; expected it to be the last")
    for target in entry.targets:
        if target.when is not None and (entry.combos or target is entry.targets[-1]):
            expected = (
                "the column `by` of combos to choose" if entry.combos else "the last target to serve all other calls"
            )
            raise TableError(target.where, f"`when` at {target.name!r}; expected {expected}")
        if target.compose and not entry.combos:
            raise TableError(
                target.where, f"the block {target.compose!r} among targets; expected `combos` to choose it"
            )
        if target.to:
            for record in entry.types:
                typed_elements(entry, record, target)


def _arguments(entry: Entry, nodes: Mapping[str, Node]) -> None:
    """Kinds refer to parameters that mean what they are used for: `A: matrix(in, (m, n), incx)` is a slip."""
    kinds = {p.name: p.kind for p in entry.params}
    for param in entry.params:
        core, node = param.kind.core, nodes[param.name]
        for word in ARGUMENTS.get(core.name, ()):
            argument = core.argument(word)
            if word in _ROLES and isinstance(argument, Name) and not _is(kinds[argument.id], _ROLES[word]):
                node.fail(f"{argument} of {param.kind} is {kinds[argument.id]}; expected {_ROLES[word]}")
            for used in _options(argument):
                wanted = "op" if used.name == "op" else "side"
                if not _is(kinds[str(used.args[0])], wanted):
                    node.fail(f"the first argument of {used} is {kinds[str(used.args[0])]}; expected {wanted}")
        if param.kind.name in ("batched", "strided"):
            count = param.kind.args[-1]
            if not isinstance(count, Name) or kinds[count.id].name != "batch":
                node.fail(f"{count} of {param.kind} is no batch count; expected a parameter of kind batch")
        for name in sorted(param.kind.names()) if core.name != "info" else ():
            if kinds[name].is_pointer and kinds[name].name != "array":
                node.fail(f"{name} of {param.kind} is {kinds[name]}; expected a number")


def _is(kind: Kind, word: str) -> bool:
    return kind.name in (word, "c", "array")


def _options(tree: Expr) -> Iterator[Call]:
    """Calls of `op` and `sided` in an expression."""
    match tree:
        case Call(name=word, args=items):
            if word in ("op", "sided"):
                yield tree
            for item in items:
                yield from _options(item)
        case expr.Tuple(items=items):
            for item in items:
                yield from _options(item)
        case expr.Binary(left=left, right=right):
            yield from _options(left)
            yield from _options(right)


def check_tables(tables: Tables, known: Unknown) -> None:
    """Rules across entries."""
    for library in tables.libraries.values():
        _chapters(library, tables.entries)
    seen: dict[tuple[str, str, int, str], Where] = {}
    spelled: dict[tuple[str, frozenset[int]], dict[str, Where]] = {}
    for function in tables.functions():
        entry = function.entry
        if not function.majors:
            raise TableError(
                entry.where, f"{function.name} is in no version; expected `cuda_since` and `cuda_until` to leave one"
            )
        for major in sorted(function.majors):
            for system in (entry.os,) if entry.os else ("linux", "windows"):
                place = (entry.library, function.name, major, system)
                if place in seen:
                    raise TableError(entry.where, f"{function.name} is defined twice; first defined at {seen[place]}")
                seen[place] = entry.where
        words = spelled.setdefault((entry.library, function.majors), {})
        words.setdefault(function.result, entry.where)
        params = {p.name: p.where for p in entry.params}
        for p in function.params:
            words.setdefault(p.ctype, params[p.name])
    for (library_name, majors), found in spelled.items():
        for ctype, where in found.items():
            for word in sorted(c.type_names(ctype)):
                known.declared_type(word, where, tables.libraries[library_name], majors)


def _chapters(library: Library, entries: Iterable[Entry]) -> None:
    stems = {e.file.rsplit("/", 1)[-1].removesuffix(".yaml") for e in entries if e.library == library.name}
    if not stems:
        raise TableError(library.where, f"library {library.name!r} has no entry; expected tables in a folder of it")
    for chapter in library.chapters:
        if chapter not in stems:
            raise TableError(
                library.where, f"there is no chapter {chapter!r} of {library.name}; {close(chapter, stems)}"
            )
