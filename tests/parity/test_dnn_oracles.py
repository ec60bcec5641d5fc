"""The cuDNN suite's definitions against themselves: each backward pass is the slope of its forward, sums over windows are loops
over single elements.

Nothing of ours or NVIDIA's is called here: a slip in a definition would otherwise pass for a fault of a library, or hide one.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import Any

import numpy as np
import pytest
from dragoman.parity.dnn.elements import FLOAT_U, TYPES
from dragoman.parity.dnn.oracles import (
    activation,
    attention,
    convolution,
    ctc,
    lrn,
    norm,
    pooling,
    rnn,
    softmax,
    spatial,
)  # fmt: skip
from dragoman.parity.dnn.oracles.windows import Window
from dragoman.parity.dnn.running import Real, exact
from dragoman.parity.oracles.claims import LONG, Array

STEP = LONG(1e-6)
CLOSE = 1e-8
WINDOWS = {
    "3x2": Window.of((3, 2), (1, 0), (2, 1)),
    "dilated": Window.of((2, 3), (1, 2), (1, 2), (2, 1)),
    "one": Window.of((1, 1), (0, 0), (1, 1)),
}
windows = pytest.mark.parametrize("window", WINDOWS.values(), ids=WINDOWS)


def drawn(*shape: int, seed: int = 0) -> Real:
    return exact(np.random.default_rng(seed).uniform(-1, 1, shape), FLOAT_U)


def slope(of: Callable[[Real], Real], x: Real, dy: Real) -> Array:
    """The gradient of Σ of(x)·dy by x, by differences on both sides of each element: right to some 1e-12."""
    found = np.zeros(x.shape, LONG)
    for at in np.ndindex(*x.shape):
        sums = []
        for sign in (1, -1):
            moved = x.v.copy()
            moved[at] += sign * STEP
            sums.append((of(Real(moved, 0, x.u)).v * dy.v).sum())
        found[at] = (sums[0] - sums[1]) / (2 * STEP)
    return found


def leads(gradient: Real, of: Callable[[Real], Real], x: Real) -> None:
    """The same in one direction that is drawn, for what takes long; `of` is the sum itself."""
    way = drawn(*x.shape, seed=77).v
    ahead, back = (of(Real(x.v + sign * STEP * way, 0, x.u)).v for sign in (1, -1))
    assert gradient.shape == x.shape
    same((gradient.v * way).sum(), (ahead - back) / (2 * STEP))


def same(a: Real | Array, b: Real | Array) -> None:
    left, right = (np.asarray(r.v if isinstance(r, Real) else r, LONG) for r in (a, b))
    assert left.shape == right.shape
    assert np.abs(left - right).max() <= CLOSE * max(1, np.abs(right).max())


# ---- element by element


@pytest.mark.parametrize("mode", ["identity", "sigmoid", "tanh", "swish", "elu", "relu", "clipped_relu"])
def test_activation(mode: str) -> None:
    x, dy = drawn(3, 4), drawn(3, 4, seed=1)

    def of(x: Real) -> Real:
        return activation.forward(x, mode, 0.7, 1.3, True)

    same(activation.backward(x, of(x), dy, mode, 0.7, 1.3), slope(of, x, dy))


@pytest.mark.parametrize("algorithm", ["fast", "accurate", "log"])
@pytest.mark.parametrize("mode", ["instance", "channel"])
def test_softmax(algorithm: str, mode: str) -> None:
    x, dy = drawn(2, 3, 2, 2), drawn(2, 3, 2, 2, seed=1)

    def of(x: Real) -> Real:
        return softmax.forward(x, algorithm, mode)

    same(softmax.backward(of(x), dy, algorithm, mode), slope(of, x, dy))
    total = np.exp(of(x).v) if algorithm == "log" else of(x).v
    same(total.sum(axis=softmax.axes(mode, 4)), np.ones((2,) if mode == "instance" else (2, 2, 2), LONG))


# ---- windows


def convolved(x: Array, w: Array, window: Window, groups: int, mode: str) -> Array:
    """The sum as the manual writes it, one product after the other."""
    n, c = x.shape[:2]
    k, own = w.shape[:2]
    height, width = window.output(x.shape[2:])
    y = np.zeros((n, k, height, width), LONG)
    for i, m, p, q, channel, r, s in product(*map(range, (n, k, height, width, own, *window.size))):
        row = p * window.stride[0] - window.pad[0] + r * window.dilation[0]
        column = q * window.stride[1] - window.pad[1] + s * window.dilation[1]
        if 0 <= row < x.shape[2] and 0 <= column < x.shape[3]:
            tap = (r, s) if mode == "cross" else (window.size[0] - 1 - r, window.size[1] - 1 - s)
            y[i, m, p, q] += x[i, m // (k // groups) * own + channel, row, column] * w[(m, channel, *tap)]
    assert c == own * groups
    return y


@windows
@pytest.mark.parametrize("groups", [1, 2])
@pytest.mark.parametrize("mode", ["cross", "convolution"])
def test_convolution(window: Window, groups: int, mode: str) -> None:
    x, w = drawn(2, 2 * groups, 5, 4), drawn(4, 2, *window.size, seed=1)
    y = convolution.forward(x, w, window, groups, mode)
    same(y, convolved(x.v, w.v, window, groups, mode))
    dy = drawn(*y.shape, seed=2)
    same(
        convolution.backward_data(dy, w, window, groups, mode, x.shape[2:]),
        slope(lambda x: convolution.forward(x, w, window, groups, mode), x, dy),
    )
    same(
        convolution.backward_filter(x, dy, window, groups, mode),
        slope(lambda w: convolution.forward(x, w, window, groups, mode), w, dy),
    )
    same(convolution.backward_bias(dy), slope(lambda b: y + b, drawn(1, 4, 1, 1), dy))


@windows
@pytest.mark.parametrize("mode", ["max", "average_include", "average_exclude"])
def test_pooling(window: Window, mode: str) -> None:
    x = drawn(2, 2, 5, 4)
    output = window.output(x.shape[2:])

    def of(x: Real) -> Real:
        return pooling.forward(x, window, mode, True, output)

    y, dy = of(x), drawn(2, 2, *output, seed=1)
    for i, c, p, q in np.ndindex(*y.shape):
        inside = [
            x.v[i, c, row, column]
            for r, s in product(*map(range, window.size))
            if 0 <= (row := p * window.stride[0] - window.pad[0] + r * window.dilation[0]) < 5
            and 0 <= (column := q * window.stride[1] - window.pad[1] + s * window.dilation[1]) < 4
        ]
        count = len(inside) if mode == "average_exclude" else np.prod(window.size)
        same(y.v[i, c, p, q], max(inside) if mode == "max" else np.sum(inside) / count)
    same(pooling.backward(x, dy, window, mode, "first"), slope(of, x, dy))


@pytest.mark.parametrize("width", [1, 3, 4])
@pytest.mark.parametrize("even", ["behind", "before"])
def test_lrn(width: int, even: str) -> None:
    x, dy, strength = drawn(2, 5, 2, 1), drawn(2, 5, 2, 1, seed=1), lrn.Strength(width, 0.8, 0.6, 1.5)

    def of(x: Real) -> Real:
        return lrn.forward(x, strength, even)

    before, behind = lrn.spans(width, even)
    for at in np.ndindex(*x.shape):
        near = x.v[at[0], max(0, at[1] - before) : at[1] + behind + 1, at[2], at[3]]
        same(of(x).v[at], x.v[at] / (1.5 + LONG(0.8) / width * (near**2).sum()) ** LONG(0.6))
    same(lrn.backward(x, of(x), dy, strength, even), slope(of, x, dy))


@pytest.mark.parametrize("with_means", [False, True])
def test_divisive(with_means: bool) -> None:
    """An odd window: with an even one NVIDIA's backward is not the slope of its forward."""
    x, dy = drawn(1, 2, 4, 3), drawn(1, 2, 4, 3, seed=1)
    means, strength = drawn(1, 2, 4, 3, seed=2) if with_means else None, lrn.Strength(3, 0.8, 0.6, 3.0)
    dx, dmeans = lrn.divisive_backward(x, means, dy, strength)
    same(dx, slope(lambda x: lrn.divisive_forward(x, means, strength), x, dy))
    if means is not None:
        same(dmeans, slope(lambda m: lrn.divisive_forward(x, m, strength), means, dy))


# ---- statistics


@pytest.mark.parametrize("mode", ["per_activation", "spatial"])
def test_normalisation(mode: str) -> None:
    x, dy, epsilon = drawn(3, 2, 2, 2), drawn(3, 2, 2, 2, seed=1), 0.01
    shape = norm.statistics(x, mode).mean.shape
    scale, bias = drawn(*shape, seed=2), drawn(*shape, seed=3)

    def of(x: Real, scale: Real = scale, bias: Real = bias) -> Real:
        found = norm.statistics(x, mode)
        return norm.normed(x, found.mean, found.inverse(epsilon), scale, bias)

    found = norm.statistics(x, mode)
    over = norm.axes(mode, 4)
    same(found.mean, x.v.mean(axis=over, keepdims=True))
    same(found.variance, x.v.var(axis=over, keepdims=True))
    back = norm.backward(x, dy, scale, found.mean, found.inverse(epsilon), mode)
    same(back.x, slope(of, x, dy))
    same(back.scale, slope(lambda s: of(x, scale=s), scale, dy))
    same(back.bias, slope(lambda b: of(x, bias=b), bias, dy))


# ---- spatial transformer


def test_grid() -> None:
    theta, dgrid = drawn(2, 2, 3), drawn(2, 3, 4, 2, seed=1)
    same(spatial.grid_backward(dgrid), slope(lambda t: spatial.grid(t, 3, 4), theta, dgrid))


def test_sampler() -> None:
    x, points = drawn(2, 2, 4, 5), drawn(2, 3, 3, 2, seed=1)
    y, dy = spatial.sample(x, points.v), drawn(2, 2, 3, 3, seed=2)
    dx, dgrid = spatial.sample_backward(x, points.v, dy)
    same(dx, slope(lambda x: spatial.sample(x, points.v), x, dy))
    same(dgrid, slope(lambda p: spatial.sample(x, p.v), points, dy))
    centre = spatial.sample(x, spatial.grid(exact(np.eye(2, 3)[None].repeat(2, 0), FLOAT_U), 4, 5).v)
    same(centre, x)  # the identity leaves the image as it is
    assert y.shape == (2, 2, 3, 3)


# ---- sequences


@pytest.mark.parametrize("label", [[1], [1, 2], [2, 2], [1, 2, 1]])
def test_ctc(label: list[int]) -> None:
    """Of all paths through the symbols, those whose repeats and blanks fall away to the label."""
    steps, symbols = 5, 3
    activations = drawn(steps, symbols)

    def probable(a: Real) -> Real:
        powers = np.exp(a.v)
        return Real(powers / powers.sum(axis=1, keepdims=True), 0, a.u)

    p = probable(activations)
    total = LONG(0)
    for path in product(range(symbols), repeat=steps):
        merged = [s for t, s in enumerate(path) if s != ctc.BLANK and (t == 0 or path[t - 1] != s)]
        if merged == label:
            total += np.prod([p.v[t, s] for t, s in enumerate(path)])
    cost, gradient = ctc.loss(p, label, steps)
    same(cost, -np.log(total))
    one = Real(np.ones(()), 0, FLOAT_U)
    same(gradient, slope(lambda a: ctc.loss(probable(a), label, steps)[0], activations, one))
    by_probabilities = ctc.loss(p, label, steps, "probabilities")[1]
    same(by_probabilities, slope(lambda q: ctc.loss(q, label, steps)[0], p, one))


CELLS: dict[str, dict[str, Any]] = {
    "relu": {"cell": "relu"},
    "tanh": {"cell": "tanh"},
    "gru": {"cell": "gru"},
    "lstm": {"cell": "lstm"},
    "lstm, projected": {"cell": "lstm", "projection": 2},
    "lstm, clipped": {"cell": "lstm", "clip": (-0.3, 0.25)},
}


@pytest.mark.parametrize("directions", [1, 2])
@pytest.mark.parametrize("cell", CELLS.values(), ids=CELLS)
def test_recurrent(cell: dict[str, Any], directions: int) -> None:
    """Two layers over two sequences of different lengths."""
    hidden, size, steps, lengths = 3, 2, 3, [3, 2]
    projection = cell.get("projection", hidden)
    seeds = iter(range(1000))
    gates = rnn.GATES[cell["cell"]]

    def weights(inputs: int) -> rnn.Weights:
        matrices = {g: drawn(hidden, inputs if g < gates else projection, seed=next(seeds)) for g in range(2 * gates)}
        if projection != hidden:
            matrices[2 * gates] = drawn(projection, hidden, seed=next(seeds))
        return rnn.Weights(matrices, {g: drawn(hidden, seed=next(seeds)) for g in range(2 * gates)})

    layers = [[weights(n) for _ in range(directions)] for n in (size, projection * directions)]
    network = rnn.Network(cell["cell"], hidden, projection, layers, TYPES["f64"], cell.get("clip"))
    x = drawn(steps, 2, size, seed=next(seeds))
    h0, c0 = (drawn(2 * directions, 2, n, seed=next(seeds)) for n in (projection, hidden))

    def run(x: Real, h0: Real = h0, c0: Real = c0) -> rnn.Run:
        return rnn.forward(network, x, lengths, h0, c0)

    made = run(x)
    dy, dh, dc = (drawn(*r.shape, seed=next(seeds)) for r in (made.y, made.h, made.c))
    back = rnn.backward(network, made, lengths, dy, dh, dc)

    def total(run: rnn.Run) -> Real:
        parts = [run.y.v * dy.v, run.h.v * dh.v, *([run.c.v * dc.v] if cell["cell"] == "lstm" else [])]
        return Real(sum(p.sum() for p in parts), 0, FLOAT_U)

    leads(back.x, lambda x: total(run(x)), x)
    leads(back.h, lambda h: total(run(x, h0=h)), h0)
    if cell["cell"] == "lstm":
        leads(back.c, lambda c: total(run(x, c0=c)), c0)
    for layer, direction in product(range(2), range(directions)):
        own = layers[layer][direction]
        for ours, found in (
            (own.matrices, back.weights[layer][direction][0]),
            (own.biases, back.weights[layer][direction][1]),
        ):
            for gate in list(ours):
                before = ours[gate]

                def moved(value: Real, ours: Any = ours, gate: int = gate) -> Real:
                    ours[gate] = value
                    return total(run(x))

                leads(found[gate], moved, before)
                ours[gate] = before


@pytest.mark.parametrize("projected", ["", "qkvo", "qo"])
def test_attention(projected: str) -> None:
    heads, size, inner, queries, keys = 2, 3, 2, 3, 4
    shapes = {"o": (heads, size, inner if "v" in projected else size)}
    kinds = {
        k: drawn(*shapes.get(k, (heads, inner if "k" in projected else size, size)), seed=i)
        for i, k in enumerate(projected)
    }
    out = size if "o" in projected else size * heads
    biases = {k: drawn(*((size,) if k == "o" else kinds[k].shape[:2]), seed=20 + i) for i, k in enumerate(projected)}
    layer = attention.Layer(heads, 0.7, kinds, biases, TYPES["f64"])
    # with weights dropped it is no derivative, but what NVIDIA's library answers (test_attention_dropout.py)
    left = attention.Dropped(0.25, None, np.random.default_rng(9).random((queries, out)) > 0.25)
    inputs = {"q": drawn(queries, size, seed=5), "k": drawn(keys, size, seed=6), "v": drawn(keys, size, seed=7)}
    low, high = [0, 0, 1], [4, 2, 3]

    def of(**more: Real) -> Real:
        return attention.forward(layer, attention.Sequence(**(inputs | more), low=low, high=high), None, left)

    dout = drawn(queries, out, seed=8)
    back = attention.backward(layer, attention.Sequence(**inputs, low=low, high=high), dout, left)
    for kind, gradient in (("q", back.q), ("k", back.k), ("v", back.v)):
        same(gradient, slope(lambda x, kind=kind: of(**{kind: x}), inputs[kind], dout))  # type: ignore[misc]
    for mine, found in ((kinds, back.weights), (biases, back.biases)):
        for kind in list(mine):
            before = mine[kind]

            def moved(value: Real, mine: Any = mine, kind: str = kind) -> Real:
                mine[kind] = value
                return of()

            expected = slope(moved, before, dout)
            mine[kind] = before
            parts = [p.v for p in found[kind]]
            same(parts[0] if len(parts) == 1 and before.v.ndim == 1 else np.stack(parts), expected)
