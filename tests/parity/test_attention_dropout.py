"""Multi-head attention that drops weights, as NVIDIA's library answered it: cuDNN 9.19 on an H200.

Two sequences of six queries and six keys of six numbers, float. What it goes back through the softmax with is what is left of the
weights (the oracle's docstring has the formula): the true derivative is off by tenths here. `attention_dropout.json` has which
weights were kept, a line for each sequence, head and query, and the gradients."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from dragoman.parity.dnn.elements import TYPES
from dragoman.parity.dnn.oracles import attention
from dragoman.parity.dnn.running import Real, exact

SEEN: dict[str, Any] = json.loads(Path(__file__).with_name("attention_dropout.json").read_text(encoding="utf-8"))
N, SIZE = 2, 6
F32 = TYPES["f32"]


def drawn(generator: random.Random, *shape: int) -> Any:
    """As the program drew them that asked the H200."""
    values = [generator.uniform(-1, 1) for _ in range(int(np.prod(shape)))]
    return np.asarray(values, np.float32).astype(float).reshape(shape)


def real(x: Any) -> Real:
    return exact(np.ascontiguousarray(x), F32.math)


def mask(lines: list[str], *shape: int) -> Any:
    return np.asarray([[c == "1" for c in line] for line in lines]).reshape(shape)


@pytest.mark.parametrize("name", SEEN)
def test_gradients_past_dropped_weights_are_as_seen(name: str) -> None:
    seen = SEEN[name]
    heads = seen["heads"]
    generator = random.Random(5)
    q, k = drawn(generator, N, SIZE, SIZE), drawn(generator, N, SIZE, SIZE)
    dout = drawn(generator, N, SIZE, SIZE if "dw" in seen else heads * SIZE)
    weights = {}
    if "dw" in seen:  # there: input, head, projected; of the output: head, projected, output
        drawn_weights = drawn(generator, 4, SIZE * heads * SIZE)
        for kind, w in zip("qkv", drawn_weights, strict=False):
            weights[kind] = real(w.reshape(SIZE, heads, SIZE).transpose(1, 2, 0))
        weights["o"] = real(drawn_weights[3].reshape(heads, SIZE, SIZE).transpose(0, 2, 1))
    layer = attention.Layer(heads, 1.0, weights, {}, F32)
    kept = mask(seen["weights_kept"], N, heads, SIZE, SIZE)
    output = mask(seen["output_kept"], N, SIZE, SIZE) if "output_kept" in seen else [None] * N
    low, high = [0] * SIZE, [SIZE] * SIZE
    found = [
        attention.backward(
            layer, attention.Sequence(real(q[n]), real(k[n]), real(np.eye(SIZE)), low, high), real(dout[n]),
            attention.Dropped(seen["rate"], kept[n], output[n]),
        )
        for n in range(N)
    ]  # fmt: skip

    def close(part: Real, want: list[float]) -> None:
        assert np.all(np.abs(part.v.ravel() - want) <= part.e.ravel() + 1e-6 * np.abs(want))  # 7 digits are kept

    for name_, at in (("dq", "q"), ("dk", "k"), ("dv", "v")):
        for n in range(N):
            if name_ in seen:
                part = np.asarray(seen[name_]).reshape(N, -1)[n]
                close(getattr(found[n], at), part)
    for i, kind in enumerate(weights):
        count = SIZE * heads * SIZE
        want = np.asarray(seen["dw"][i * count : (i + 1) * count])
        want = (
            want.reshape(heads, SIZE, SIZE).transpose(0, 2, 1)
            if kind == "o"
            else want.reshape(SIZE, heads, SIZE).transpose(1, 2, 0)
        )
        for head in range(heads):
            close(found[0].weights[kind][head] + found[1].weights[kind][head], want[head].ravel())
