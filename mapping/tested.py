"""Where a function's tests are: what says the right answer, and the command that asks."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from . import paths
from .run.place import DEFAULT_MAJOR
from .tables.model import Function

_SHOWN = 5  # files of tests/ that name the function
_KINDS = (".py", ".c", ".cpp", ".h")


def where_tested(function: Function) -> tuple[str, ...]:
    """Lines such as `oracle gemm, mapping/parity/oracles/level3.py:66` and `dragoman parity --function cublasSgemm_v2`.

    In a checkout also `pytest -k …` and the files of tests/ that name the function. Empty where nothing tests it by its name.
    """
    judges = list(_judges(function))
    found = judges
    if judges:
        found = [*judges, f"dragoman parity{_options(function)} --function {function.name}"]
    if not paths.tests_dir():
        return tuple(found)
    if function.entry.library == "cublas" and judges:
        found.append(f"pytest -k {function.name}")
    return (*found, *_naming(function, paths.tests_dir()))


def _options(function: Function) -> str:
    """What parity does not take by itself: cuDNN's version, and a CUDA version where the usual one lacks the function."""
    if function.entry.library == "cudnn":
        return f" --library cudnn{max(function.majors)}"
    return "" if DEFAULT_MAJOR in function.majors else f" --cuda {max(function.majors)}"


def _judges(function: Function) -> Iterator[str]:
    """Oracle or procedure, with its place."""
    from .parity.oracles import ORACLES
    from .parity.procedures import procedure_of

    if function.kind == "unsupported":
        return
    if function.entry.library == "cudnn":
        from .parity.dnn import procedures
        from .parity.dnn.registry import PROCEDURES

        assert procedures
        if function.name in PROCEDURES:
            yield f"procedure, {_place(PROCEDURES[function.name].body)}"
        return
    if function.entry.oracle:
        yield f"oracle {function.entry.oracle}, {_place(ORACLES[function.entry.oracle].function)}"
    else:
        procedure = procedure_of(function)
        if procedure:
            yield f"procedure, {_place(procedure.body)}"


def _place(body: Callable[..., Any]) -> str:
    body = inspect.unwrap(body)
    file = Path(inspect.getsourcefile(body) or "").resolve().relative_to(paths.package_dir()).as_posix()
    return f"mapping/{file}:{inspect.getsourcelines(body)[1]}"


def _naming(function: Function, tests: Path | None) -> Iterator[str]:
    """Files of the tests that name it, as a program or a library does."""
    if not tests:
        return
    word = re.compile(rf"\b({'|'.join(re.escape(n) for n in (function.name, function.alias) if n)})\b")
    files = sorted(p for p in tests.rglob("*") if p.suffix in _KINDS and "facts" not in p.parts)
    naming = [p for p in files if word.search(p.read_text(encoding="utf-8", errors="replace"))]
    # programs first: they show how it is used
    naming.sort(key=lambda p: p.suffix == ".py")
    for path in naming[:_SHOWN]:
        yield f"tests/{path.relative_to(tests).as_posix()}"
