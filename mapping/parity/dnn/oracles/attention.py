"""Multi-head attention as cuDNN defines it, one sequence at a time, forward and backward.

For head i: q' = W_Q·q, k' = W_K·k, v' = W_V·v (each plain where there is no projection, with a bias where there is one),
a = softmax(scale · k'ᵀq') over the keys of the query's window, h_i = Σ a·v', and the output is Σ W_O·h_i, plus its bias and the
residual; without an output projection the h_i stand side by side. In training a dropout of the weights makes a/(1 − p) or 0 of
each a, one of the output the same of what the residual is then added to. NVIDIA's library goes back through the softmax with the
weights that are left, a', as if they were the softmax: dscore = scale · a' · (da − Σ a'·da), da dropped alike (exact to 1e-7 in
recorded answers, of the weights' gradients too). Bounds follow from the sums of products and the softmax."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from ...oracles.claims import Array
from ..elements import Type
from ..running import Real, concatenate, dot, exact, stack


@dataclass(frozen=True, slots=True)
class Layer:
    """Weights by kind: q, k, v are (heads, projected, size), o is (heads, size, projected); absent where nothing is
    projected. Biases are (heads, projected), o's is (size)."""

    heads: int
    scale: float
    weights: Mapping[str, Real]
    biases: Mapping[str, Real]
    type: Type


@dataclass(frozen=True, slots=True)
class Sequence:
    """Inputs of one sequence: (steps, size) each; keys of query t are low[t] ≤ j < high[t]."""

    q: Real
    k: Real
    v: Real
    low: list[int]
    high: list[int]


@dataclass(frozen=True, slots=True)
class Dropped:
    """What two dropouts left: of the weights as (heads, steps, keys), of the output as (steps, size); None: all."""

    rate: float
    weights: Array | None = None
    output: Array | None = None

    def of(self, x: Real, kept: Array | None, type_: Type) -> Real:
        if kept is None:
            return x
        scaled = x / (1 - exact(np.float32(self.rate), x.u)) if self.rate < 1 else exact(np.zeros(x.shape), x.u)
        return Real(np.where(kept, scaled.v, 0), np.where(kept, scaled.e, 0), x.u).stored(type_)


ALL = Dropped(0.0)


def _projected(layer: Layer, kind: str, x: Real, head: int) -> Real:
    if kind not in layer.weights:
        return x
    result = dot("ts,ps->tp", x, layer.weights[kind][head])
    if kind in layer.biases:
        result = result + layer.biases[kind][head]
    return result.stored(layer.type)


def _weights(layer: Layer, q: Real, k: Real, t: int, s: Sequence) -> Real:
    """Softmax of one query over its window, as (keys)."""
    scores = (dot("p,jp->j", q[t], k[s.low[t] : s.high[t]]) * layer.scale).stored(layer.type)
    apart = scores - Real(scores.v.max(), 0, scores.u)
    powers = apart.exp()
    return (powers / powers.sum(0, keepdims=True)).stored(layer.type)


def forward(layer: Layer, s: Sequence, residual: Real | None, left: Dropped = ALL) -> Real:
    """(steps of q, size of the output)."""
    heads = []
    for head in range(layer.heads):
        q, k, v = (_projected(layer, kind, x, head) for kind, x in (("q", s.q), ("k", s.k), ("v", s.v)))
        rows = []
        for t in range(q.shape[0]):
            span = slice(s.low[t], s.high[t])
            a = left.of(_weights(layer, q, k, t, s), _part(left, head, t, span), layer.type)
            rows.append(dot("j,jp->p", a, v[span]))
        heads.append(stack(rows).stored(layer.type))
    if "o" not in layer.weights:
        result = concatenate(heads, 1)
    else:
        wide = concatenate(heads, 1)
        matrix = concatenate([layer.weights["o"][head] for head in range(layer.heads)], 1)
        result = dot("tp,sp->ts", wide, matrix)
        if "o" in layer.biases:
            result = result + layer.biases["o"]
    if left.output is not None:
        result = left.of(result.stored(layer.type), left.output, layer.type)
    return result if residual is None else result.stored(layer.type) + residual


def _part(left: Dropped, head: int, t: int, span: slice) -> Array | None:
    return None if left.weights is None else left.weights[head, t, span]


@dataclass(slots=True)
class Gradients:
    q: Real
    k: Real
    v: Real
    weights: dict[str, list[Real]]  # by kind, one a head
    biases: dict[str, list[Real]]


def backward(layer: Layer, s: Sequence, dout: Real, left: Dropped = ALL) -> Gradients:
    """Gradients of the inputs and of all weights; the residual's is dout itself and not computed."""
    u = layer.type.math
    dout = left.of(dout, left.output, layer.type)
    dq, dk, dv = (exact(np.zeros(x.shape), u) for x in (s.q, s.k, s.v))
    weights: dict[str, list[Real]] = {kind: [] for kind in layer.weights}
    biases: dict[str, list[Real]] = {kind: [] for kind in layer.biases}
    for head in range(layer.heads):
        q, k, v = (_projected(layer, kind, x, head) for kind, x in (("q", s.q), ("k", s.k), ("v", s.v)))
        if "o" in layer.weights:
            dh = dot("ts,sp->tp", dout, layer.weights["o"][head]).stored(layer.type)
        else:
            size = v.shape[1]
            dh = dout[:, head * size : (head + 1) * size]
        rows, dqs = [], []
        dks, dvs = exact(np.zeros(k.shape), u), exact(np.zeros(v.shape), u)
        for t in range(q.shape[0]):
            span = slice(s.low[t], s.high[t])
            a = _weights(layer, q, k, t, s)
            kept = _part(left, head, t, span)
            used = left.of(a, kept, layer.type)
            rows.append(dot("j,jp->p", used, v[span]))
            da = left.of(dot("p,jp->j", dh[t], v[span]).stored(layer.type), kept, layer.type)
            ds = (used * (da - (used * da).sum(0, keepdims=True)) * layer.scale).stored(layer.type)
            dqs.append(dot("j,jp->p", ds, k[span]))
            dks = _added(dks, span, dot("j,p->jp", ds, q[t]))
            dvs = _added(dvs, span, dot("j,p->jp", used, dh[t]))
        if "o" in layer.weights:
            weights["o"].append(dot("ts,tp->sp", dout, stack(rows).stored(layer.type)))
        for kind, x, d in (("q", s.q, stack(dqs)), ("k", s.k, dks), ("v", s.v, dvs)):
            d = d.stored(layer.type)
            if kind in layer.weights:
                weights[kind].append(dot("tp,ts->ps", d, x))
                if kind in layer.biases:
                    biases[kind].append(d.sum(0))
                d = dot("tp,ps->ts", d, layer.weights[kind][head])
            if kind == "q":
                dq = dq + d
            elif kind == "k":
                dk = dk + d
            else:
                dv = dv + d
    if "o" in layer.biases:
        biases["o"].append(dout.sum(0))
    return Gradients(dq, dk, dv, weights, biases)


def _added(total: Real, span: slice, more: Real) -> Real:
    v, e = total.v.copy(), total.e.copy()
    part = total[span] + more
    v[span], e[span] = part.v, part.e
    return Real(v, e, total.u)
