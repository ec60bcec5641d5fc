"""An LSTM with bounds of its cell state, as NVIDIA's library answered it: cuDNN 9.19 on an H200.

One unit, two steps, float. The first cell state is 1.5, the first output 0.3; bounds are -clip and clip."""

from __future__ import annotations

import numpy as np
import pytest
from dragoman.parity.dnn.elements import TYPES
from dragoman.parity.dnn.oracles import rnn
from dragoman.parity.dnn.running import Real, exact

# (weights i f g o of the input, then of the state; their biases in the same order; x)
NETWORKS = [
    (
        [0.34558418, 0.82161814, 0.33043706, -1.3031572, 0.90535587, 0.44637457, -0.53695321, 0.58111811],
        [0.36457241, 0.2941325, 0.028422242, 0.54671299, -0.73645407, -0.16290995, -0.48211932, 0.5988462],
        [0.039722107, -0.29245675],
    ),
    (
        [0.18905339, -0.52274847, -0.41306356, -2.4414673, 1.7997074, 1.1441659, -0.32542282, 0.77380657],
        [0.28121066, -0.55382282, 0.97756743, -0.31055656, -0.32882389, -0.79214674, 0.45495808, -0.099198051],
        [0.54528874, -0.60718572],
    ),
]

# clip, network, gradients of y (each step), hy and cy; y, cy, dx, dhx, dcx
SEEN = [
    (0.2, 0, (0, 1, 0), [-0.11061352, -0.16024882], -0.22973242, [-0.0019750574, 0.039281033], 0.0040277494, -0.0),
    (0.2, 1, (0, 1, 0), [0.035744533, 0.14809498], 0.4973352, [-0.0020447744, -0.090275951], 0.00064807746, 0.0),
    (0.2, 0, (0, 0, 1), [-0.11061352, -0.16024882], -0.22973242, [0.01903275, 0.029095657], -0.069180384, 0.0),
    (0.2, 1, (0, 0, 1), [0.035744533, 0.14809498], 0.4973352, [-0.031664465, -0.0026252922], 0.010035838, 0.0),
    (0.2, 0, (1, 0, 0), [-0.11061352, -0.16024882], -0.22973242, [0.11077825, 0.039281033], -0.22591092, 0.0),
    (0.2, 1, (1, 0, 0), [0.035744533, 0.14809498], 0.4973352, [-0.073509507, -0.090275951], 0.023298344, 0.0),
    (0.5, 0, (0, 1, 0), [0.02299485, -0.15006463], -0.18429287, [0.035469808, 0.081678487], -0.051653311, 0.0),
    (0.5, 1, (0, 1, 0), [0.083689101, 0.34991848], 0.60328257, [-0.010999833, -0.20742141], 0.0034863229, 0.0),
    (0.5, 0, (0, 0, 1), [0.02299485, -0.15006463], -0.18429287, [0.046933725, 0.059232954], -0.068585716, 0.0),
    (0.5, 1, (0, 0, 1), [0.083689101, 0.34991848], 0.60328257, [-0.085710838, -0.036880203], 0.027165473, 0.0),
    (0.5, 0, (1, 0, 0), [0.02299485, -0.15006463], -0.18429287, [0.15858208, 0.081678487], -0.24324268, 0.0),
    (0.5, 1, (1, 0, 0), [0.083689101, 0.34991848], 0.60328257, [-0.17832106, -0.20742141], 0.056517657, 0.0),
    (0.9, 0, (0, 1, 0), [0.19775131, -0.098255277], -0.11782675, [0.073986396, 0.10238924], -0.056947138, 0.0),
    (0.9, 1, (0, 1, 0), [0.11091387, 0.44952533], 0.67867517, [-0.10580537, -0.29279846], 0.10487416, 0.0),
    (0.9, 0, (0, 0, 1), [0.19775131, -0.098255277], -0.11782675, [0.090932824, 0.098779812], -0.070326619, 0.0),
    (0.9, 1, (0, 0, 1), [0.11091387, 0.44952533], 0.67867517, [-0.1736805, -0.061670892], 0.19165045, 0.0),
    (0.9, 0, (1, 0, 0), [0.19775131, -0.098255277], -0.11782675, [0.1975648, 0.10238924], -0.1820187, 0.0),
    (0.9, 1, (1, 0, 0), [0.11091387, 0.44952533], 0.67867517, [-0.3432979, -0.29279846], 0.22402275, 0.0),
]


@pytest.mark.parametrize(("clip", "network", "grads", "y", "cy", "dx", "dhx", "dcx"), SEEN)
def test_a_clipped_cell_is_as_seen(
    clip: float,
    network: int,
    grads: tuple[int, int, int],
    y: list[float],
    cy: float,
    dx: list[float],
    dhx: float,
    dcx: float,
) -> None:
    f32 = TYPES["f32"]

    def one(value: float) -> Real:
        return exact(np.full((1, 1, 1), np.float32(value)), f32.math)

    def close(found: Real, seen: list[float]) -> bool:
        return bool(
            np.all(np.abs(found.v.ravel() - seen) <= found.e.ravel() + 1e-8 * np.abs(seen))
        )  # 8 digits are kept

    weights, biases, inputs = NETWORKS[network]
    matrices = {g: exact(np.full((1, 1), np.float32(w)), f32.math) for g, w in enumerate(weights)}
    vectors = {g: exact(np.full(1, np.float32(b)), f32.math) for g, b in enumerate(biases)}
    bounds = (float(np.float32(-clip)), float(np.float32(clip)))
    net = rnn.Network("lstm", 1, 1, [[rnn.Weights(matrices, vectors)]], f32, bounds)
    x = exact(np.asarray(inputs, np.float32).reshape(2, 1, 1), f32.math)
    run = rnn.forward(net, x, [2], one(0.3), one(1.5))
    assert close(run.y, y)
    assert close(run.c, [cy])
    dy = exact(np.full((2, 1, 1), float(grads[0])), f32.math)
    found = rnn.backward(net, run, [2], dy, one(grads[1]), one(grads[2]))
    assert close(found.x, dx)
    assert close(found.h, [dhx])
    assert close(found.c, [dcx])


@pytest.mark.parametrize(("clip", "y", "cy"), [(0.3, 0.07444251972582915, 0.15000000596046448),
                                               (0.1, 0.024979187850539243, 0.05000000074505806)])  # fmt: skip
def test_bounds_of_doubles_are_floats(clip: float, y: float, cy: float) -> None:
    """Weights of 0, a first cell of 1.5, and doubles with all their digits."""
    f64 = TYPES["f64"]
    nothing = exact(np.zeros((1, 1)), f64.math)
    bounds = (float(np.float32(-clip)), float(np.float32(clip)))
    net = rnn.Network("lstm", 1, 1, [[rnn.Weights(dict.fromkeys(range(8), nothing), {})]], f64, bounds)
    one = exact(np.full((1, 1, 1), 1.5), f64.math)
    run = rnn.forward(net, exact(np.zeros((1, 1, 1)), f64.math), [1], exact(np.zeros((1, 1, 1)), f64.math), one)
    for found, seen in ((run.y, y), (run.c, cy)):
        assert abs(float(found.v.ravel()[0]) - seen) <= float(found.e.ravel()[0])
