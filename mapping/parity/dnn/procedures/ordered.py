"""A filter of INT8x32 in the order of NVIDIA's cards, as an H200 gave it, and the bias that goes with it."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...oracles.claims import Array
from ..cases import Values
from ..draws import Draw
from ..elements import F32, I8
from ..names import FORMAT
from ..registry import procedure
from ..stage import Stage

_BASE = {"filter": [32, 64, 2, 3], "bias": 1, "order": 0}
_INT8X32 = 8


def ordered(w: Array) -> Array:
    """Of (K, C, R, S), the fastest last: 32 channels, r, s, 8 filters, odd or even, 4 channels, 2 filters, 4 channels."""
    k, c, r, s = w.shape
    parts = w.reshape(k // 8, 4, 2, c // 32, 8, 4, r, s)  # k by 8 and 2, odd k, c by 32 and 4, c, r, s
    return np.asarray(parts.transpose(3, 6, 7, 0, 2, 4, 1, 5).ravel())


def ordered_bias(bias: Array) -> Array:
    """Fours of filters, the odd ones behind the even ones."""
    return np.asarray(bias.reshape(-1, 4, 2, 4).transpose(0, 2, 1, 3).ravel())


def _drawn(d: Draw) -> dict[str, Any]:
    return {
        "filter": [32 * d.pick(1, 2, 3), 32 * d.pick(1, 2), d.pick(1, 3, 2), d.pick(1, 2)],
        "bias": d.pick(1, 0), "order": d.pick(0, 0, 1),
    }  # fmt: skip


@procedure("cudnnReorderFilterAndBias", "Convolution", _drawn, _BASE, signature="bias order", share=0.3)
def reorder(s: Stage, v: Values) -> None:
    k, c, height, width = v.filter
    desc = s.make(
        "Filter",
        "cudnnSetFilterNdDescriptor",
        dataType=_INT8X32,
        format=FORMAT["nchw_vect_c"],
        nbDims=4,
        filterDimA=v.filter,
    )
    given = s.array("filterData", I8, [k, c // 32, height, width, 32])
    taken = s.array("reorderedFilterData", I8, [given.x.size], io="out")
    bias = s.array("biasData", F32, [k]) if v.bias else None
    turned = s.array("reorderedBiasData", F32, [k], io="out") if v.bias else None
    s.run(
        "cudnnReorderFilterAndBias", filterDesc=desc, reorderType=v.order, filterData=given, reorderedFilterData=taken,
        reorderBias=v.bias, biasData=bias, reorderedBiasData=turned,
    )  # fmt: skip
    plain = given.x.transpose(0, 1, 4, 2, 3).reshape(v.filter)
    s.claim_exact(taken, given.x.ravel() if v.order else ordered(plain))
    if bias is not None and turned is not None:
        s.claim_exact(turned, bias.x if v.order else ordered_bias(bias.x))
