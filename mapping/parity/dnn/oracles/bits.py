"""The bit mask of an activation, in NVIDIA's order."""

from __future__ import annotations

import numpy as np

from ...oracles.claims import Array

CHANNELS = 64  # of a block of four words
ROWS = 32  # to whole ones of these the places are made up


def words(flags: Array) -> Array:
    """All int32 words of a mask, of `flags` [N·H·W, C].

    Four words hold 64 channels of two places, one behind the other: bit k of word w is channel 4·(k mod 16) + w, of the first
    place where k < 16. The places, made up to whole 32s, come before the next 64 channels. Where there is no place or channel
    the bits are 0. The order is what cuDNN 9.19 wrote on an H200 (`goldens/bitmask.json`)."""
    places, channels = flags.shape
    slices = -(-channels // CHANNELS)
    whole = np.zeros((-(-places // ROWS) * ROWS, slices * CHANNELS), np.uint32)
    whole[:places, :channels] = flags
    # [pair, place of it, slice, bit, word] -> [slice, pair, place and bit, word]
    blocks = whole.reshape(-1, 2, slices, 16, 4).transpose(2, 0, 1, 3, 4).reshape(slices, -1, 32, 4)
    weights = np.uint32(1) << np.arange(32, dtype=np.uint32)
    result: Array = (blocks * weights[:, None]).sum(2, dtype=np.uint32).reshape(-1).view(np.int32)
    return result


def known(places: int, channels: int) -> Array:
    """Which of the words hold bits of two places that there are: the others are written in part, or not at all."""
    there = np.zeros((-(-places // ROWS) * ROWS // 2, 4), bool)
    there[: places // 2] = True
    full: Array = np.tile(there.reshape(-1), -(-channels // CHANNELS))
    return full
