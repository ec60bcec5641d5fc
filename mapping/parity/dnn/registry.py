"""The procedures by function: what is drawn, what is called, what must come of it."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from .cases import Values
from .draws import Draw
from .prototypes import PROTOTYPES, Prototype
from .stage import Stage

Body = Callable[[Stage, Values], None]
Drawing = Callable[[Draw], dict[str, Any]]


@dataclass(frozen=True, slots=True)
class Procedure:
    """How one function is tried.

    `base`: a small valid call, for the status tests. `twists`: operands whose descriptors are made to lie there.
    `signature`: the values that tell one configuration from another where NVIDIA refuses some. `poison`: operands that may
    hold a NaN, Inf or denormal. `share`: the part of a run's examples that it gets."""

    function: str
    chapter: str
    body: Body
    drawing: Drawing
    base: Mapping[str, Any]
    signature: Callable[[Mapping[str, Any]], str]
    twists: tuple[str, ...] = ()
    poison: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    share: float = 1.0
    where: str = ""
    on_the_way: bool = False  # the procedure is another function's; this one is called on its way
    device: bool = True  # it needs a handle, and so a device

    @property
    def prototype(self) -> Prototype:
        return PROTOTYPES[self.function]

    def signed(self, values: Mapping[str, Any]) -> str:
        """The configuration of a case, in a few words."""
        return self.signature(values)


def named(keys: str) -> Callable[[Mapping[str, Any]], str]:
    """A signature of some of the values."""
    words = keys.split()
    return lambda values: " ".join(f"{key}={values[key]}" for key in words if key in values)


PROCEDURES: dict[str, Procedure] = {}
_ANY = ("nan", "inf", "-inf", "denormal")


def procedure(
    function: str,
    chapter: str,
    drawing: Drawing,
    base: Mapping[str, Any],
    *,
    twists: str = "",
    signature: str | Callable[[Mapping[str, Any]], str] = "type",
    poison: str | Mapping[str, tuple[str, ...]] = "",
    share: float = 1.0,
    also: str = "",
    device: bool = True,
) -> Callable[[Body], Body]:
    """Register a procedure for a function, and for those that it calls on the way (`also`)."""

    def register(body: Body) -> Body:
        line = inspect.getsourcelines(body)[1]
        module = body.__module__.rsplit(".", 1)[-1]
        poisons = dict.fromkeys(poison.split(), _ANY) if isinstance(poison, str) else dict(poison)
        signed = signature if callable(signature) else named(signature)
        for name in (function, *also.split()):
            if name in PROCEDURES:
                raise ValueError(f"{name} has two procedures")
            PROCEDURES[name] = Procedure(
                name, chapter, body, drawing, base, signed, tuple(twists.split()) if name == function else (), poisons,
                share if name == function else share / 4,
                f"mapping/parity/dnn/procedures/{module}.py:{line}", name != function, device,
            )  # fmt: skip
        return body

    return register
