"""The oracles by name: what the `oracle:` key of a table entry refers to.

An oracle takes the parameters of the function by their names in the table: sizes, increments and options as integers
(NVIDIA's enum numbers), scalars as NumPy scalars, arrays as flat buffers that start where the pointer points, arrays
of pointers as lists of such buffers. Buffers hold the state before the call; the oracle answers with claims about the
state after it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from .claims import Claim

Function = Callable[..., list[Claim]]
Domain = Callable[[Mapping[str, int]], Mapping[str, int]]


@dataclass(frozen=True, slots=True)
class Oracle:
    """A judge of numbers, and the domain where it may be asked beyond what the kinds of the parameters say."""

    name: str
    function: Function
    # Options that complex types allow, where not all three operations have a meaning: {"trans": (N, T)}.
    complex_ops: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    # Pairs (input, output) that may be one array; leading dimensions must agree, and the input's option must be N.
    alias: Mapping[tuple[str, str], str] = field(default_factory=dict)
    # Triangular operands that are solved with: drawn well-conditioned.
    solve: tuple[str, ...] = ()
    # Values may be so large or small that their squares leave the range.
    scales: bool = False
    # Only positive increments have a meaning.
    positive: tuple[str, ...] = ()
    # Vectors that a call reads only and that may repeat one element (increment 0).
    repeats: tuple[str, ...] = ()
    # Small whole numbers only, so that ties happen.
    ties: bool = False
    # An array whose first element is one of a few flags.
    flags: tuple[str, tuple[int, ...]] | None = None
    # Options that have a meaning in every type, where not all three operations have: {"trans": (N,)}.
    ops: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    # Pointers that may be NULL, which means something: the oracle gets None.
    optional: tuple[str, ...] = ()
    # Arrays of row swaps, and the size that each member has of them.
    pivots: Mapping[str, str] = field(default_factory=dict)
    # Kinds of poison, where not all have a meaning; `column` and `pivot` make a matrix singular.
    poison: tuple[str, ...] = ()
    # Sizes that the function does not take are brought into what it takes.
    domain: Domain | None = None
    # Calls beyond it: name → sizes and the status that NVIDIA's manual gives.
    beyond: Mapping[str, tuple[Mapping[str, int], int]] = field(default_factory=dict)

    def within(self, values: Mapping[str, int]) -> dict[str, int]:
        """Sizes that the function takes."""
        return {**values, **(self.domain(values) if self.domain else {})}


ORACLES: dict[str, Oracle] = {}


def oracle(
    *names: str,
    complex_ops: Mapping[str, tuple[int, ...]] | None = None,
    alias: Mapping[tuple[str, str], str] | None = None,
    solve: tuple[str, ...] = (),
    scales: bool = False,
    positive: tuple[str, ...] = (),
    repeats: tuple[str, ...] = (),
    ties: bool = False,
    flags: tuple[str, tuple[int, ...]] | None = None,
    ops: Mapping[str, tuple[int, ...]] | None = None,
    optional: tuple[str, ...] = (),
    pivots: Mapping[str, str] | None = None,
    poison: tuple[str, ...] = (),
    domain: Domain | None = None,
    beyond: Mapping[str, tuple[Mapping[str, int], int]] | None = None,
) -> Callable[[Function], Function]:
    """Register a function under one or more oracle names (default: its own)."""

    def register(function: Function) -> Function:
        for name in names or (function.__name__,):
            if name in ORACLES:
                raise ValueError(f"oracle {name!r} is defined twice")
            ORACLES[name] = Oracle(
                name, function, complex_ops or {}, alias or {}, solve, scales, positive, repeats, ties, flags, ops or {},
                optional, pivots or {}, poison, domain, beyond or {},
            )  # fmt: skip
        return function

    return register
