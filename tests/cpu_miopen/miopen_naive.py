"""What each operation is, by its definition: float64, plain loops, no BLAS."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]


def places(lens: Sequence[int]) -> Iterator[tuple[int, ...]]:
    return itertools.product(*map(range, lens))


# ---- convolution: x (N, C, …), w (K, C/groups, …), y (N, K, …), any number of spatial dimensions ----


def _links(
    x_lens: Sequence[int], w_lens: Sequence[int], y_lens: Sequence[int], pads: Sequence[int], strides: Sequence[int],
    dilations: Sequence[int], groups: int,
) -> Iterator[tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...]]]:  # fmt: skip
    """Each product of the sum: where it takes its factors in x and w and where it goes in y (one image)."""
    per_group = w_lens[0] // groups
    for k in range(w_lens[0]):
        for c in range(w_lens[1]):
            for tap in places(w_lens[2:]):
                for out in places(y_lens[2:]):
                    at = tuple(
                        o * s - p + t * d for o, s, p, t, d in zip(out, strides, pads, tap, dilations, strict=True)
                    )
                    if all(0 <= a < n for a, n in zip(at, x_lens[2:], strict=True)):
                        yield (k // per_group * w_lens[1] + c, *at), (k, c, *tap), (k, *out)


def convolve(x: Array, w: Array, y_lens: Sequence[int], *rest: Any) -> Array:
    y = np.zeros(y_lens)
    for xi, wi, yi in _links(x.shape, w.shape, y_lens, *rest):
        y[(slice(None), *yi)] += x[(slice(None), *xi)] * w[wi]
    return y


def convolve_data(dy: Array, w: Array, x_lens: Sequence[int], *rest: Any) -> Array:
    dx = np.zeros(x_lens)
    for xi, wi, yi in _links(x_lens, w.shape, dy.shape, *rest):
        dx[(slice(None), *xi)] += dy[(slice(None), *yi)] * w[wi]
    return dx


def convolve_weights(dy: Array, x: Array, w_lens: Sequence[int], *rest: Any) -> Array:
    dw = np.zeros(w_lens)
    for xi, wi, yi in _links(x.shape, w_lens, dy.shape, *rest):
        for n in range(x.shape[0]):
            dw[wi] += dy[(n, *yi)] * x[(n, *xi)]
    return dw


# ---- pooling ----


def _windows(
    x_lens: Sequence[int], y_lens: Sequence[int], lens: Sequence[int], pads: Sequence[int], strides: Sequence[int]
) -> Iterator[tuple[tuple[int, ...], list[tuple[tuple[int, ...], int]]]]:
    """Each place of y with the pixels of its window and their indices in it."""
    for out in places(y_lens[2:]):
        start = [o * s - p for o, s, p in zip(out, strides, pads, strict=True)]
        found = []
        for number, tap in enumerate(places(lens)):
            at = tuple(a + t for a, t in zip(start, tap, strict=True))
            if all(0 <= a < n for a, n in zip(at, x_lens[2:], strict=True)):
                found.append((at, number))
        yield out, found


def pool(x: Array, y_lens: Sequence[int], mode: int, lens: Sequence[int], *rest: Any) -> tuple[Array, Array, Array]:
    """y and, of maxima, where they were found: within the window and within the image."""
    y, mask, image = np.zeros(y_lens), np.zeros(y_lens, int), np.zeros(y_lens, int)
    for out, pixels in _windows(x.shape, y_lens, lens, *rest):
        for plane in places(x.shape[:2]):
            values = [x[plane + at] for at, _ in pixels]
            if mode == 0:
                best = max(range(len(values)), key=lambda i: (values[i], -i))
                y[plane + out] = values[best]
                mask[plane + out] = pixels[best][1]
                image[plane + out] = np.ravel_multi_index(pixels[best][0], x.shape[2:])
            else:
                y[plane + out] = sum(values) / (len(values) if mode == 1 else math.prod(lens))
    return y, mask, image


def pool_back(x: Array, dy: Array, mode: int, lens: Sequence[int], *rest: Any) -> Array:
    dx = np.zeros(x.shape)
    for out, pixels in _windows(x.shape, dy.shape, lens, *rest):
        for plane in places(x.shape[:2]):
            if mode == 0:
                values = [x[plane + at] for at, _ in pixels]
                best = max(range(len(values)), key=lambda i: (values[i], -i))
                dx[plane + pixels[best][0]] += dy[plane + out]
            else:
                for at, _ in pixels:
                    dx[plane + at] += dy[plane + out] / (len(pixels) if mode == 1 else math.prod(lens))
    return dx


# ---- softmax: over channels, or over all but the images ----


def _groups(values: Array, channel: bool) -> Array:
    """Groups × elements."""
    moved = np.moveaxis(values, 1, -1) if channel else values
    return moved.reshape(-1, values.shape[1] if channel else math.prod(values.shape[1:]))


def _back(groups: Array, like: Array, channel: bool) -> Array:
    if not channel:
        return groups.reshape(like.shape)
    return np.moveaxis(groups.reshape(like.shape[0], *like.shape[2:], like.shape[1]), -1, 1)


def softmax(x: Array, logarithm: bool, channel: bool) -> Array:
    groups = _groups(x, channel)
    shifted = groups - groups.max(axis=1, keepdims=True)
    total = np.exp(shifted).sum(axis=1, keepdims=True)
    return _back(shifted - np.log(total) if logarithm else np.exp(shifted) / total, x, channel)


def softmax_back(y: Array, dy: Array, logarithm: bool, channel: bool) -> Array:
    ys, dys = _groups(y, channel), _groups(dy, channel)
    if logarithm:
        return _back(dys - np.exp(ys) * dys.sum(axis=1, keepdims=True), y, channel)
    return _back(ys * (dys - (ys * dys).sum(axis=1, keepdims=True)), y, channel)


# ---- local response normalisation ----


def _area(lens: Sequence[int], at: Sequence[int], n: int, within: bool) -> Iterator[tuple[int, ...]]:
    before, after = (n - 1) // 2, n - 1 - (n - 1) // 2
    ranges = []
    for axis in range(1, 4):
        wide = within == (axis > 1)
        first, last = (max(0, at[axis] - before), min(lens[axis] - 1, at[axis] + after)) if wide else (at[axis],) * 2
        ranges.append(range(first, last + 1))
    return ((at[0], *rest) for rest in itertools.product(*ranges))


def lrn_scale(x: Array, n: int, alpha: float, k: float, within: bool) -> Array:
    scale = np.zeros(x.shape)
    for at in places(x.shape):
        scale[at] = k + alpha / (n * n if within else n) * sum(x[i] ** 2 for i in _area(x.shape, at, n, within))
    return scale


def lrn_back(x: Array, dy: Array, n: int, alpha: float, beta: float, k: float, within: bool) -> Array:
    scale = lrn_scale(x, n, alpha, k, within)
    dx = dy * scale**-beta
    for at in places(x.shape):
        for i in _area(x.shape, at, n, within):
            part = dy[at] * x[at] * -beta * scale[at] ** (-beta - 1)
            dx[i] += part * 2 * alpha / (n * n if within else n) * x[i]
    return dx


# ---- derivatives by difference, to judge the backward formulas ----


def slope(function: Callable[[Array], Array], x: Array, step: float = 1e-6) -> Array:
    return np.asarray((function(x + step) - function(x - step)) / (2 * step))


def gradient(function: Callable[[Array], Any], x: Array, most: int = 10**9) -> Array:
    """Of a real number by each element of x: the imaginary part after a tiny imaginary step, exact to the last digits.

    `function` must take complex numbers and be analytic where it is asked. No more than `most` elements, spread over x,
    are looked at; the others are NaN.
    """
    found = np.full(x.size, np.nan)
    for i in range(0, x.size, 1 + x.size // most):
        moved = x.astype(complex).ravel()
        moved[i] += 1e-30j
        found[i] = complex(function(moved.reshape(x.shape))).imag / 1e-30
    return found.reshape(x.shape)


# ---- batch normalisation ----


def batch_norm(x: Array, scale: Array, bias: Array, epsilon: float, axes: tuple[int, ...]) -> Array:
    mean = x.mean(axis=axes, keepdims=True)
    variance = ((x - mean) ** 2).mean(axis=axes, keepdims=True)
    return np.asarray(scale * (x - mean) / np.sqrt(variance + epsilon) + bias)


# ---- reductions ----


def reduce(a: Array, lens: Sequence[int], op: int) -> Array:
    """ADD, MUL, MIN, MAX, AMAX, AVG, NORM1, NORM2."""
    axes = tuple(i for i, n in enumerate(lens) if n == 1)
    functions: tuple[Callable[..., Any], ...] = (
        np.sum, np.prod, np.min, np.max, lambda v, **k: np.max(abs(v), **k), np.mean,
        lambda v, **k: np.sum(abs(v), **k), lambda v, **k: np.sqrt(np.sum(v * v, **k)),
    )  # fmt: skip
    return np.asarray(functions[op](a, axis=axes, keepdims=True))


def reduce_index(a: Array, lens: Sequence[int], op: int) -> Array:
    """Where MIN, MAX or AMAX was found, counted within the dimensions of length 1."""
    gone = [i for i, n in enumerate(lens) if n == 1]
    kept = [i for i, n in enumerate(lens) if n != 1]
    moved = a.transpose(kept + gone).reshape(*(a.shape[i] for i in kept), -1)
    if op == 2:
        moved = -moved
    elif op == 4:
        moved = abs(moved)
    return np.asarray(moved.argmax(axis=-1)).reshape(lens)


# ---- recurrent networks ----


def _sigmoid(x: Array) -> Array:
    return np.asarray(1 / (1 + np.exp(-x)))


def rnn(
    mode: int, xs: Sequence[Array], hx: Array, cx: Array, layers: Sequence[dict[str, Array]], sides: int,
    masks: Sequence[Sequence[Array]] = (),
) -> tuple[list[Array], Array, Array]:  # fmt: skip
    """Sequences (steps × vector) → outputs, final hidden and cell states.

    `layers` holds, for each layer and direction, w (gates × hidden × inputs, or empty), u, and b_w, b_u (gates ×
    hidden). Gates: RNN one; LSTM i, f, o, g; GRU z, r, n. `masks` multiplies what goes from one layer to the next.
    """
    hy, cy = hx.astype(xs[0].dtype, copy=True), cx.astype(xs[0].dtype, copy=True)
    inputs = list(xs)
    for layer in range(len(layers) // sides):
        outputs = []
        for s, x in enumerate(inputs):
            parts = []
            for side in range(sides):
                k = layer * sides + side
                h, c, rows = hy[k, s], cy[k, s], []
                for step in range(len(x))[:: -1 if side else 1]:
                    h, c = _cell(mode, layers[k], x[step], h, c)
                    rows.append(h)
                hy[k, s], cy[k, s] = h, c
                parts.append(np.array(rows[:: -1 if side else 1]).reshape(len(x), hx.shape[-1]))
            outputs.append(np.concatenate(parts, axis=1))
        inputs = outputs
        if masks and layer + 1 < len(layers) // sides:
            inputs = [x * masks[layer][s] for s, x in enumerate(inputs)]
    return inputs, hy, cy


def _cell(mode: int, p: dict[str, Array], x: Array, h: Array, c: Array) -> tuple[Array, Array]:
    from_x = [x + b if not w.size else w @ x + b for w, b in zip(p["w"], p["b_w"], strict=True)]
    from_h = [u @ h + b for u, b in zip(p["u"], p["b_u"], strict=True)]
    if mode == 2:
        i, f, o = (_sigmoid(a + b) for a, b in zip(from_x[:3], from_h[:3], strict=True))
        c = f * c + i * np.tanh(from_x[3] + from_h[3])
        return o * np.tanh(c), c
    if mode == 3:
        z, r = (_sigmoid(a + b) for a, b in zip(from_x[:2], from_h[:2], strict=True))
        n = np.tanh(from_x[2] + r * from_h[2])
        return (1 - z) * n + z * h, c
    total = from_x[0] + from_h[0]
    return np.tanh(total) if mode == 1 else total * (total.real > 0), c


# ---- CTC ----


def ctc_likelihood(probs: Array, labels: Sequence[int], blank: int) -> Any:
    """Sum over all paths of one class a step that read as `labels` without repeats and blanks."""
    total: Any = 0
    for path in itertools.product(range(probs.shape[1]), repeat=probs.shape[0]):
        merged = [c for i, c in enumerate(path) if i == 0 or c != path[i - 1]]
        if [c for c in merged if c != blank] == list(labels):
            total = total + np.prod([probs[t, c] for t, c in enumerate(path)])
    return total
