"""Procedures: how each function of cuDNN is called, from its descriptors to what must come of it. Importing registers them."""

from __future__ import annotations

from . import (
    attention,
    convolution,
    ctc,
    descriptors,
    dropout,
    folded,
    fused,
    helpers,
    lrn,
    norm,
    ordered,
    pointwise,
    pooling,
    rnn,
    rnn_old,
    spatial,
    tensors,
)

__all__ = [
    "attention", "convolution", "ctc", "descriptors", "dropout", "folded", "fused", "helpers", "lrn", "norm", "ordered",
    "pointwise", "pooling", "rnn", "rnn_old", "spatial", "tensors",
]  # fmt: skip
