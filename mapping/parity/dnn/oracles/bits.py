"""The bit mask of an activation, in NVIDIA's order."""

from __future__ import annotations

import numpy as np

from ...oracles.claims import Array

BLOCK = 128  # elements whose bits are four words


def words(flags: Array) -> Array:
    """int32 words of flags in the order of their elements: of each 128, bit k of word w is element 4·k + w.

    What is behind the last element is 0. The order is what cuDNN 9.19 wrote on an H200 (`goldens/bitmask.json`)."""
    flat = np.asarray(flags, bool).reshape(-1)
    whole = np.zeros(-(-flat.size // BLOCK) * BLOCK, np.uint32)
    whole[: flat.size] = flat
    weights = np.uint32(1) << np.arange(32, dtype=np.uint32)
    result: Array = (
        (whole.reshape(-1, 32, 4) * weights[None, :, None]).sum(1, dtype=np.uint32).reshape(-1).view(np.int32)
    )
    return result


def known(elements: int) -> Array:
    """Which of the words hold bits of elements alone."""
    full: Array = words(np.ones(elements, bool)) == -1
    return full
