"""What procedures share."""

from __future__ import annotations

from collections.abc import Sequence

from ..elements import F32, F64, Type
from ..running import Real
from ..stage import Operand, Stage


def set_scaling(s: Stage, type_: Type) -> None:
    """alpha and beta are doubles beside doubles, else floats."""
    s.scaling = F64 if type_.name == "f64" else F32


def parameter_type(type_: Type) -> Type:
    """Type of parameters and statistics that go with data of a type: never less than float."""
    return F64 if type_.name == "f64" else F32


def output(
    s: Stage,
    name: str,
    type_: Type,
    dims: Sequence[int],
    layout: str,
    beta: float,
    *,
    like: Operand | None = None,
    on: Operand | None = None,
) -> Operand:
    """A tensor that is written: with beta = 0 its old content is a NaN, which must not be read. `on`: it lies on an input."""
    return s.tensor(name, type_, dims, layout, io="inout" if beta else "out", like=like, on=on)


def given(s: Stage, name: str, type_: Type, result: Real, layout: str) -> tuple[Operand, Real]:
    """What a forward call would have left, as an input: the operand, and its value with the rounding that it carries."""
    operand = s.tensor(name, type_, list(result.shape), layout, values=result.v)
    kept = result.stored(type_)
    return operand, Real(operand.x, 2 * kept.e, kept.u)
