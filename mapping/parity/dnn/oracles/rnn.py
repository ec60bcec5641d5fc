"""Recurrent layers step by step, forward and back through time.

Cells, with x the input, h the state, W and R the input's and the state's weights, b and d their biases:

    relu, tanh   h' = act(W·x + b + R·h + d)
    lstm         i, f, o = σ(…), g = tanh(…), c' = f·c + i·g, h' = o·tanh(c'), or P·(o·tanh(c')) with a projection
                 with bounds, c' = f·clip(c) + i·g and h' = o·tanh(clip(c')): a cell is clipped where it is read, the first one
                 too, and goes out as it is
    gru          r, z = σ(…), n = tanh(W·x + b + r·(R·h + d)), h' = (1 − z)·n + z·h

Gates are numbered as cuDNN does: lstm i f g o, gru r z n; the state's follow the input's, the projection comes last.
Each step's bound follows from its formula (`running`): sums of products, activations, products. What a step leaves for the next
is rounded to the data's type. A sequence that has ended keeps its state; backward it passes gradients on unchanged."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from ...oracles.claims import LONG, Array
from ..elements import Type
from ..running import Real, concatenate, dot, exact, where

GATES = {"relu": 1, "tanh": 1, "lstm": 4, "gru": 3}


@dataclass(frozen=True, slots=True)
class Weights:
    """One layer in one direction: by gate number, (rows, columns) matrices and vectors; absent ones are 0."""

    matrices: Mapping[int, Real]
    biases: Mapping[int, Real]


@dataclass(frozen=True, slots=True)
class Network:
    """`weights[layer][direction]`. `clip`: bounds of lstm's cell. `skip`: the first layer adds x itself to each gate."""

    cell: str
    hidden: int
    projection: int  # size of the output: hidden without one
    weights: list[list[Weights]]
    type: Type
    clip: tuple[float, float] | None = None
    skip: bool = False

    @property
    def gates(self) -> int:
        return GATES[self.cell]

    @property
    def projects(self) -> bool:
        return self.projection != self.hidden


@dataclass(slots=True)
class _Step:
    """What backward needs of one step."""

    x: Real
    h: Real
    c: Real  # as it came
    gates: list[Real]
    candidate: Real  # gru: R·h + d of the new memory
    cell: Real  # lstm: c'
    squashed: Real  # lstm: tanh(c')
    out: Real  # before the projection; relu, tanh: h'


@dataclass(slots=True)
class _Pass:
    steps: dict[int, _Step] = field(default_factory=dict)
    order: list[int] = field(default_factory=list)


@dataclass(slots=True)
class Run:
    """A forward pass: y (T, N, V), final states (layers·directions, N, …), and what backward needs."""

    y: Real
    h: Real
    c: Real
    passes: list[list[_Pass]]


def _zeros(network: Network, *shape: int) -> Real:
    return exact(np.zeros(shape), network.type.math)


def _kept(r: Real, network: Network) -> Real:
    """As stored between steps."""
    return r.stored(network.type)


def _affine(network: Network, w: Weights, gate: int, x: Real, skip: bool) -> Real:
    """W·x + b of one gate, or x + b where the input is skipped; rows are sequences."""
    result = x if skip else dot("nv,kv->nk", x, w.matrices[gate])
    return result + w.biases[gate] if gate in w.biases else result


def _clipped(network: Network, c: Real) -> Real:
    return c if network.clip is None else Real(np.clip(c.v, *network.clip), c.e, c.u)


def _through_clip(network: Network, grad: Real, c: Real) -> Real:
    """The gradient of clip(c): none where c is out of bounds."""
    if network.clip is None:
        return grad
    low, high = network.clip
    near = (np.minimum(np.abs(c.v - low), np.abs(c.v - high)) <= c.e) & (c.e > 0)
    return where((c.v < low) | (c.v > high), 0.0, grad).free(near)


def _step(network: Network, w: Weights, x: Real, h: Real, c: Real, skip: bool) -> tuple[Real, Real, _Step]:
    count = network.gates
    inputs = [_affine(network, w, g, x, skip) for g in range(count)]
    states = [_affine(network, w, count + g, h, False) for g in range(count)]
    nothing = _zeros(network, h.shape[0], network.hidden)
    if network.cell in ("relu", "tanh"):
        total = inputs[0] + states[0]
        out = Real(np.maximum(total.v, 0), total.e, total.u) if network.cell == "relu" else total.tanh()
        out = _kept(out, network)
        return out, c, _Step(x, h, c, [total], nothing, nothing, nothing, out)
    if network.cell == "gru":
        r = _kept((inputs[0] + states[0]).sigmoid(), network)
        z = _kept((inputs[1] + states[1]).sigmoid(), network)
        candidate = _kept(states[2], network)
        new = _kept((inputs[2] + r * candidate).tanh(), network)
        out = _kept((1 - z) * new + z * h, network)
        return out, c, _Step(x, h, c, [r, z, new], candidate, nothing, nothing, out)
    i, f, o = (_kept((inputs[g] + states[g]).sigmoid(), network) for g in (0, 1, 3))
    g = _kept((inputs[2] + states[2]).tanh(), network)
    cell = _kept(f * _clipped(network, c) + i * g, network)
    squashed = _clipped(network, cell).tanh()
    out = _kept(o * squashed, network)
    step = _Step(x, h, c, [i, f, g, o], nothing, cell, squashed, out)
    if network.projects:
        return _kept(dot("nk,pk->np", out, w.matrices[2 * count]), network), cell, step
    return out, cell, step


def forward(network: Network, x: Real, lengths: list[int], h0: Real, c0: Real) -> Run:
    """All layers over all steps. x is (T, N, V); beyond a sequence's length nothing is read and y is 0."""
    steps = x.shape[0]
    alive = np.arange(steps)[:, None] < np.asarray(lengths)[None, :]
    directions = len(network.weights[0])
    hs, cs, passes = [], [], []
    for layer, pair in enumerate(network.weights):
        outs = []
        passes.append([_Pass() for _ in pair])
        for direction, w in enumerate(pair):
            state = layer * directions + direction
            h, c = h0[state], c0[state]
            made: dict[int, Real] = {}
            for t in range(steps) if direction == 0 else range(steps - 1, -1, -1):
                new_h, new_c, step = _step(network, w, x[t], h, c, network.skip and layer == 0)
                on = alive[t][:, None]
                h, c = where(on, new_h, h), where(on, new_c, c)
                made[t] = where(on, new_h, 0.0)
                passes[layer][direction].steps[t] = step
                passes[layer][direction].order.append(t)
            outs.append(_times([made[t] for t in range(steps)]))
            hs.append(h)
            cs.append(c)
        x = outs[0] if directions == 1 else concatenate(outs, 2)
    return Run(x, _times(hs), _times(cs), passes)


def _times(parts: list[Real]) -> Real:
    u = parts[0].u
    return Real(np.stack([p.v for p in parts]), np.stack([p.e for p in parts]), u)


@dataclass(slots=True)
class Gradients:
    """`weights[layer][direction]`: what is added to each matrix and vector, by gate number."""

    x: Real
    h: Real
    c: Real
    weights: list[list[tuple[dict[int, Real], dict[int, Real]]]]


def backward(network: Network, run: Run, lengths: list[int], dy: Real, dh: Real, dc: Real) -> Gradients:
    """Back through time: gradients of x, of the initial states and of all weights. dh and dc belong to the final states."""
    steps, batch = dy.shape[:2]
    alive = np.arange(steps)[:, None] < np.asarray(lengths)[None, :]
    directions = len(network.weights[0])
    size = network.projection
    dh_first: dict[int, Real] = {}
    dc_first: dict[int, Real] = {}
    found: list[list[tuple[dict[int, Real], dict[int, Real]]]] = []
    for layer in range(len(network.weights) - 1, -1, -1):
        into: list[Real] | None = None
        grads = []
        for direction, w in enumerate(network.weights[layer]):
            state = layer * directions + direction
            matrices: dict[int, Real] = {}
            biases: dict[int, Real] = {}
            h_grad, c_grad = dh[state], dc[state]
            each: list[Real] = [_zeros(network, batch, 1)] * steps
            part = run.passes[layer][direction]
            for t in reversed(part.order):
                on = alive[t][:, None]
                arriving = h_grad + where(on, dy[t][:, direction * size : (direction + 1) * size], 0.0)
                skip = network.skip and layer == 0
                back = _step_backward(network, w, part.steps[t], arriving, c_grad, on, skip, matrices, biases)
                h_grad, c_grad = where(on, back[0], h_grad), where(on, back[1], c_grad)
                each[t] = where(on, back[2], 0.0)
            dh_first[state], dc_first[state] = h_grad, c_grad
            grads.append((matrices, biases))
            into = each if into is None else [_kept(a + b, network) for a, b in zip(into, each, strict=True)]
        found.insert(0, grads)
        assert into is not None
        dy = _times([_kept(g, network) for g in into])
    states = range(len(network.weights) * directions)
    return Gradients(dy, _times([dh_first[i] for i in states]), _times([dc_first[i] for i in states]), found)


def _step_backward(
    network: Network,
    w: Weights,
    step: _Step,
    dh: Real,
    dc: Real,
    on: Array,
    skip: bool,
    matrices: dict[int, Real],
    biases: dict[int, Real],
) -> tuple[Real, Real, Real]:
    """(dh, dc, dx) of one step; weight gradients are added for the sequences that are still alive."""
    count = network.gates
    extra: Real | None = None  # what reaches h directly
    if network.projects:
        _add(matrices, 2 * count, dot("np,nk->pk", where(on, dh, 0.0), where(on, step.out, 0.0)))
        dh = _kept(dot("np,pk->nk", dh, w.matrices[2 * count]), network)
    candidate_grad: Real | None = None
    if network.cell == "relu":
        before = step.gates[0]
        grads = [where(before.v > 0, dh, 0.0).free((np.abs(before.v) <= before.e) & (before.e > 0))]
    elif network.cell == "tanh":
        grads = [dh * (1 - step.out * step.out)]
    elif network.cell == "gru":
        r, z, new = step.gates
        dn = dh * (1 - z) * (1 - new * new)
        grads = [dn * step.candidate * r * (1 - r), dh * (step.h - new) * z * (1 - z), dn]
        candidate_grad, extra = dn * r, dh * z
    else:
        i, f, g, o = step.gates
        through = dh * o * (1 - step.squashed * step.squashed)
        cell = _kept(dc + _through_clip(network, through, step.cell), network)
        before = _clipped(network, step.c)
        grads = [
            cell * g * i * (1 - i), cell * before * f * (1 - f), cell * i * (1 - g * g), dh * step.squashed * o * (1 - o),
        ]  # fmt: skip
        dc = _through_clip(network, cell * f, step.c)
    grads = [_kept(g, network) for g in grads]
    to_state = list(grads)
    if candidate_grad is not None:
        to_state[2] = _kept(candidate_grad, network)
    dx: Real | None = None
    dh_before: Real | None = extra
    for gate in range(count):
        own, through = where(on, grads[gate], 0.0), where(on, to_state[gate], 0.0)
        back = grads[gate] if skip else dot("nk,kv->nv", grads[gate], w.matrices[gate])
        dx = back if dx is None else dx + back
        state = dot("nk,kv->nv", to_state[gate], w.matrices[count + gate])
        dh_before = state if dh_before is None else dh_before + state
        if not skip:
            _add(matrices, gate, dot("nk,nv->kv", own, where(on, step.x, 0.0)))
        _add(matrices, count + gate, dot("nk,nv->kv", through, where(on, step.h, 0.0)))
        if gate in w.biases:
            _add(biases, gate, own.sum(0))
        if count + gate in w.biases:
            _add(biases, count + gate, through.sum(0))
    assert dx is not None
    assert dh_before is not None
    return _kept(dh_before, network), _kept(dc, network), dx


def _add(into: dict[int, Real], gate: int, more: Real) -> None:
    into[gate] = into[gate] + more if gate in into else more


def flat(lengths: list[int], steps: int) -> Array:
    """(t, n) of the steps that exist, in time order: how packed data lies in memory."""
    pairs = [(t, n) for t in range(steps) for n, length in enumerate(lengths) if t < length]
    return np.asarray(pairs, np.int64).reshape(-1, 2)


def spread(values: Array, pairs: Array, steps: int, batch: int) -> Array:
    """(T, N, V) from the rows that exist; 0 elsewhere."""
    full = np.zeros((steps, batch, values.shape[-1]), LONG)
    full[pairs[:, 0], pairs[:, 1]] = values
    return full
