"""The status test of one function: arguments that are wrong, or only look so, and what NVIDIA answers.

Cases follow from the kinds of the parameters; each changes one thing of a small valid call. What is expected is
NVIDIA's own answer where one was recorded (`goldens/`), else a rule. Whatever the answer, matrices and vectors must
keep their bits."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from ..tables.kinds import OPTIONS
from ..tables.model import Function
from . import golden
from .cases import BY_MODE, Case, all_params, element_dtype, stored
from .oracles import ORACLES
from .oracles.claims import is_complex
from .rows import all_types, named, numbers, row_of, rows, typed, with_row
from .strategies import ANY_OF, _has, is_vector_only, lowest, why_untested

SUCCESS, NOT_INITIALIZED, INVALID_VALUE, NOT_SUPPORTED = 0, 1, 7, 15
FOREIGN = 0x1234
OVER_INT = (1 << 31) + 5  # becomes negative in 32 bits
WRAPS_TO_ONE = 1 - (1 << 32)  # negative, and 1 in 32 bits
HUGE_LD = 1 << 33  # becomes 0 in 32 bits
WRAPS = "1 - 2^32"  # how the cases of WRAPS_TO_ONE end
_SIZES = (3, 5, 7)


@dataclass(frozen=True, slots=True)
class StatusCase:
    """One call. `replaced` are arguments as C gets them, over those of `base`; `numbers`: judge the result too."""

    name: str
    base: Case
    replaced: Mapping[str, Any] = field(default_factory=dict)
    expected: int | None = SUCCESS  # None: NVIDIA dies; any answer is right, none is wrong
    handle: str = ""  # null, foreign or freed
    numbers: bool = False
    bare: bool = False  # nothing but the handle is looked at: the other arguments are 0
    computes: bool = False  # a call that succeeds may write
    ours: bool = (
        False  # NVIDIA leaves it undefined, or it rests on the order of AMD's checks: not asked of NVIDIA's library
    )
    info: int | None = None  # what an `info` on the host must tell; None: anything


def baseline(function: Function, **changes: Any) -> Case:
    """A small valid call: different primes, padded leading dimensions. `beyond`: sizes that the function does not take
    are left as they are given."""
    given: Mapping[str, int] = changes.get("values", {})
    choices = rows(function)
    types = numbers(function, choices[0]) if choices else {}
    values: dict[str, int] = {k: given.get(k, v) for k, v in types.items()}
    function = typed(function, values)
    sizes = iter(_SIZES * 2)
    bands = {
        str(p.kind.argument(w))
        for p in all_params(function)
        for w in ("kl", "ku", "k")
        if p.kind.core.name.endswith("band") and _has(p.kind, w)
    }
    scalars: dict[str, Any] = changes.get("scalars", {})
    for p in function.params:
        if p.kind.name in OPTIONS:
            values[p.name] = 0
        elif p.kind.name == "batch":
            values[p.name] = 2
        elif p.kind.name == "dim":
            values[p.name] = 1 if p.name in bands else next(sizes)
        elif p.kind.name == "enum" and p.name not in values:
            values[p.name] = ANY_OF[p.kind.type][0]
    values |= {k: v for k, v in given.items() if k in values}
    oracle = ORACLES.get(function.entry.oracle)
    if oracle and not changes.get("beyond"):
        values = oracle.within(values)
    for p in all_params(function):
        if _has(p.kind, "inc"):
            values.setdefault(str(p.kind.argument("inc")), 1)
        if _has(p.kind, "ld"):
            name = str(p.kind.argument("ld"))
            values[name] = max(values.get(name, 0), lowest(p.kind.core, values) + 1)
    values |= {k: v for k, v in given.items() if k in values and function.entry.param(k).kind.name != "dim"}
    for p in all_params(function):
        if p.kind.name == "strided":
            values[str(p.kind.args[0])] = stored(p.kind.core, values)[2]
    present = {p.name for p in function.params}
    return Case(
        function.name,
        {k: v for k, v in values.items() if k in present},
        {
            p.name: scalars.get(p.name, 2.0 if not is_complex(element_dtype(p)) else 2 + 0j)
            for p in all_params(function)
            if p.kind.name == "scalar" and p.kind.io == "in"
        },
        seed=8,
    )


def status_cases(function: Function, nvidia: bool = False) -> list[StatusCase]:
    """All status cases of a function, in a fixed order, with what is expected of each.

    `nvidia`: what NVIDIA's own library is expected to answer, accidents included; else what ours is.
    """
    found = list(_handles(function))
    if not why_untested(function):
        found += _types(function)
        if rows(function):
            function = with_row(function, rows(function)[0])
        found += _options(function)
        found += _sizes(function)
        found += _beyond(function)
        found += _increments(function)
        if function.form.base != "v1":
            found += _pointers(function)
        if function.form.wide or function.form.base == "host":
            found += _wide(function)
    return [_with_info(_with_golden(case, function, nvidia), function) for case in found]


def _with_info(case: StatusCase, function: Function) -> StatusCase:
    """A host `info` counts the argument that was refused, in the order that the table gives; otherwise it is 0."""
    for p in function.params:
        if p.kind.name == "info" and not case.handle and p.name not in case.replaced and case.expected is not None:
            order = [str(a) for a in p.kind.args]
            places = [-1 - order.index(name) for name in case.replaced if name in order]
            if case.expected != INVALID_VALUE:
                return replace(case, info=0)
            return replace(case, info=places[0]) if len(places) == 1 else case
    return case


def _with_golden(case: StatusCase, function: Function, nvidia: bool) -> StatusCase:
    departure = None if nvidia else golden.departure(function.entry.key, case.name)
    if departure:
        return replace(case, expected=departure.expected)
    name = case.name
    if not nvidia and name.endswith(WRAPS):
        # Some of NVIDIA's _64 forms cut to 32 bits or answer NOT_SUPPORTED here; ours answers as to any negative size.
        name = name.removesuffix(WRAPS) + "-1"
        departure = golden.departure(function.entry.key, name)
        if departure:
            return replace(case, expected=departure.expected)
    answer = golden.answer(function.entry.library, function.entry.key, function.name, name)
    return case if answer is None else replace(case, expected=answer)


def _handles(function: Function) -> Iterator[StatusCase]:
    if not function.returns_status:
        return
    bare = bool(why_untested(function))
    base = Case(function.name, {}) if bare else baseline(function)
    for p in function.params:
        if p.kind.name in ("handle", "desc") and not p.kind.optional:
            for name, value in (("null", 0), ("foreign", FOREIGN), ("freed", None)):
                yield StatusCase(
                    f"{p.name} {name}", base, {p.name: value}, NOT_INITIALIZED, handle=name, bare=bare, ours=value != 0
                )


def _options(function: Function) -> Iterator[StatusCase]:
    base = baseline(function)
    oracle = ORACLES[function.entry.oracle]
    has_complex = any(is_complex(element_dtype(p)) for p in all_params(function))
    for p in function.params:
        word = p.kind.name
        if word not in OPTIONS:
            continue
        if function.form.base == "v1":
            yield StatusCase(f"{p.name} = 'X'", base, {p.name: b"X"}, INVALID_VALUE)
            continue
        for value in (3 if word == "op" else 2, 7, -1):
            yield StatusCase(f"{p.name} = {value}", base, {p.name: value}, INVALID_VALUE, computes=True)
        for value in sorted({0, 1, 2} - set(oracle.ops.get(p.name, (0, 1, 2)))) if word == "op" else ():
            yield StatusCase(f"{p.name} = {value}", base, {p.name: value}, NOT_SUPPORTED)
        if word == "op" and has_complex:
            for value in {0, 1, 2} - set(oracle.complex_ops.get(p.name, (0, 1, 2))):
                yield StatusCase(f"{p.name} = {value}", base, {p.name: value}, INVALID_VALUE)


def _types(function: Function) -> Iterator[StatusCase]:
    """Each documented row is computed; every other type in the place of one of the first row's is not supported."""
    combos = function.entry.combos
    if combos is None:
        return
    for row in rows(function):
        base = baseline(function, values=numbers(function, row))
        yield StatusCase(named(function, row), base, numbers=True)
    base = baseline(function)
    for column in combos.keys:
        for name, value in all_types(function, column).items():
            if row_of(function, {**base.values, column: value}) is None:
                yield StatusCase(f"{column} = {name}", base, {column: value}, NOT_SUPPORTED)


def _sizes(function: Function) -> Iterator[StatusCase]:
    base = baseline(function)
    level1 = is_vector_only(function)
    for p in function.params:
        if p.kind.name in ("dim", "batch"):
            yield StatusCase(f"{p.name} = -1", base, {p.name: -1}, SUCCESS if level1 else INVALID_VALUE)
    arrays = {
        q.name: 0 for q in all_params(function) if q.kind.core.name not in BY_MODE and q.name in base_names(function)
    }
    for p in function.params:
        if p.kind.name in ("dim", "batch") and p.name in _emptying(function):
            empty = baseline(function, values={p.name: 0})
            # The oracle knows what is written all the same: gels tells each member that nothing was wrong.
            yield StatusCase(f"{p.name} = 0", empty, numbers=bool(function.entry.oracle))
            if function.form.base != "v1":
                yield StatusCase(f"{p.name} = 0, arrays NULL", empty, arrays)
    for name, users in _users(function, "ld").items():
        least = max(lowest(q.kind.core, base.values) for q in users)
        for value in sorted({least - 1, 0, -1}):
            yield StatusCase(f"{name} = {value if value < 1 else 'least - 1'}", base, {name: value}, INVALID_VALUE)
        for p in function.params:
            if p.kind.name == "dim" and p.name in _emptying(function):
                empty = baseline(function, values={p.name: 0})
                yield StatusCase(f"{name} = 0, {p.name} = 0", empty, {name: 0}, INVALID_VALUE)


def base_names(function: Function) -> set[str]:
    return {p.name for p in function.params}


def _emptying(function: Function) -> list[str]:
    """Sizes that make a call do nothing at all when they are 0: those of what is written."""
    written = [p for p in all_params(function) if p.kind.is_written and p.kind.core.name not in BY_MODE]
    names: set[str] = set()
    for p in written or all_params(function):
        for word in ("n", "shape"):
            if _has(p.kind, word):
                names |= {q.name for q in function.params if q.name in p.kind.names() and q.kind.name == "dim"}
    names |= {p.name for p in function.params if p.kind.name == "batch"}
    bands = {str(p.kind.argument("k")) for p in all_params(function) if _has(p.kind, "k")}
    return [p.name for p in function.params if p.name in names - bands]


def _users(function: Function, word: str) -> dict[str, list[Any]]:
    users: dict[str, list[Any]] = {}
    present = base_names(function)
    for p in all_params(function):
        if _has(p.kind, word) and str(p.kind.argument(word)) in present:
            users.setdefault(str(p.kind.argument(word)), []).append(p)
    return users


def _beyond(function: Function) -> Iterator[StatusCase]:
    """Sizes that the function does not take."""
    for name, (values, status) in ORACLES[function.entry.oracle].beyond.items():
        yield StatusCase(name, baseline(function, values=values, beyond=True), {}, status)


def _increments(function: Function) -> Iterator[StatusCase]:
    base = baseline(function)
    for name in _users(function, "inc"):
        # What increment 0 computes is judged by the numbers test where it has a meaning; here only the status.
        yield StatusCase(f"{name} = 0", base, {name: 0}, SUCCESS, computes=True)


def _pointers(function: Function) -> Iterator[StatusCase]:
    base = baseline(function)
    optional = ORACLES[function.entry.oracle].optional
    for p in function.params:
        if p.kind.is_pointer or p.kind.name == "info":
            expected = SUCCESS if p.name in optional else INVALID_VALUE
            yield StatusCase(f"{p.name} NULL", base, {p.name: 0}, expected, computes=True)
    names = base_names(function)
    inputs = {
        p.name: 0
        for p in all_params(function)
        if p.kind.core.io == "in" and p.kind.core.name not in BY_MODE and p.name in names
    }
    if "alpha" in base.scalars and inputs:
        zero = baseline(function, scalars={k: 0.0 if k == "alpha" else 1.0 for k in base.scalars})
        yield StatusCase("alpha = 0, inputs NULL", zero, inputs, None, computes=True)


def _wide(function: Function) -> Iterator[StatusCase]:
    """`_64` forms, proved without memory: each case answers otherwise if a size is cut to 32 bits."""
    base = baseline(function)
    level1 = is_vector_only(function)
    sizes = [p.name for p in function.params if p.kind.name in ("dim", "batch")]
    for name in sizes:
        yield StatusCase(f"{name} = {WRAPS}", base, {name: WRAPS_TO_ONE}, SUCCESS if level1 else INVALID_VALUE)
    lds = _users(function, "ld")
    if lds:
        ones = {p.name: 1 for p in function.params if p.kind.name == "dim"}
        ones |= {str(p.kind.argument(w)): 0 for p in all_params(function) for w in ("kl", "ku", "k") if _band(p, w)}
        small = baseline(function, values=ones)
        far = Case(small.function, {k: HUGE_LD if k in lds else v for k, v in small.values.items()}, small.scalars, 7)
        yield StatusCase("leading dimensions = 2^33", far, numbers=True)
    if "alpha" in base.scalars and _idle(function):
        idle = baseline(function, scalars={k: 0.0 if k == "alpha" else 1.0 for k in base.scalars})
        for name in sizes:
            if _is_size(function, name):
                replaced = {name: OVER_INT} | dict.fromkeys(lds, HUGE_LD)
                yield StatusCase(f"{name} = 2^31 + 5, alpha = 0", idle, replaced, ours=True)
    elif lds and len(_emptying(function)) > 1:
        first, second = _emptying(function)[:2]
        for big, none in ((first, second), (second, first)):
            empty = baseline(function, values={none: 0})
            replaced = {big: OVER_INT} | dict.fromkeys(lds, HUGE_LD)
            yield StatusCase(f"{big} = 2^31 + 5, {none} = 0", empty, replaced, ours=True)


def _band(param: Any, word: str) -> bool:
    return param.kind.core.name.endswith("band") and _has(param.kind, word)


def _is_size(function: Function, name: str) -> bool:
    return function.entry.param(name).kind.name == "dim" and not any(
        _band(p, w) and str(p.kind.argument(w)) == name for p in all_params(function) for w in ("k", "kl", "ku")
    )


def _idle(function: Function) -> bool:
    """Whether α = 0 with β = 1 leaves everything as it is, by the oracle's word."""
    from .cases import fill, lay_out, oracle_arguments, view

    case = baseline(function, scalars={"alpha": 0.0, "beta": 1.0})
    layout = lay_out(function, case)
    device, host = np.zeros(layout.device_size, np.uint8), np.zeros(max(layout.host_size, 16), np.uint8)
    fill(layout, case, function, device, host)
    arrays = {name: view(host if o.host else device, o) for name, o in layout.operands.items()}
    claims = ORACLES[function.entry.oracle].function(**oracle_arguments(function, case, layout, arrays))
    with np.errstate(all="ignore"):
        return not any(claim.faults(arrays) for claim in claims) and all(_keeps(claim) for claim in claims)


def _keeps(claim: Any) -> bool:
    values = getattr(claim, "bound", None)
    return values is not None and not np.any((values != 0) & ~np.isinf(np.abs(values)))
