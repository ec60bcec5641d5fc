"""Sliding windows over N spatial dimensions: what convolution, pooling and im2col have in common."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np

from ...oracles.claims import Array


@dataclass(frozen=True, slots=True)
class Window:
    """A window of `size` taps, `dilation` apart, that moves by `stride` over an input with `pad` in front and behind."""

    size: tuple[int, ...]
    pad: tuple[int, ...]
    stride: tuple[int, ...]
    dilation: tuple[int, ...]

    @staticmethod
    def of(
        size: Sequence[int], pad: Sequence[int], stride: Sequence[int], dilation: Sequence[int] | None = None
    ) -> Window:
        return Window(tuple(size), tuple(pad), tuple(stride), tuple(dilation or [1] * len(size)))

    def output(self, spatial: Sequence[int]) -> list[int]:
        """Sizes of the output: 1 + ⌊(in + 2·pad − ((size − 1)·dilation + 1)) / stride⌋."""
        return [
            1 + (n + 2 * p - ((k - 1) * d + 1)) // s
            for n, k, p, s, d in zip(spatial, self.size, self.pad, self.stride, self.dilation, strict=True)
        ]

    def taps(self, spatial: Sequence[int], output: Sequence[int]) -> Iterator[tuple[tuple[int, ...], Tap]]:
        """Each tap with the outputs it contributes to and the inputs it reads there."""
        for tap in product(*map(range, self.size)):
            outer, inner = [], []
            for axis, t in enumerate(tap):
                first = t * self.dilation[axis] - self.pad[axis]
                places = first + np.arange(output[axis]) * self.stride[axis]
                inside = np.flatnonzero((places >= 0) & (places < spatial[axis]))
                outer.append(inside)
                inner.append(places[inside])
            yield tap, Tap(tuple(outer), tuple(inner))


@dataclass(frozen=True, slots=True)
class Tap:
    """For one tap: positions in the output, and the positions in the input that it reads there, by axis."""

    output: tuple[Array, ...]
    input: tuple[Array, ...]

    @property
    def empty(self) -> bool:
        return any(not len(axis) for axis in self.output)

    def at(self, which: str, *before: Array) -> tuple[Array, ...]:
        """An open mesh over leading axes and the tap's positions, for indexing."""
        return np.ix_(*before, *(self.output if which == "output" else self.input))
