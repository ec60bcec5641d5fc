"""A LeNet trained through cuDNN and cuBLAS (tests/programs/lenet.c), against the same training in NumPy.

NumPy trains twice: in double, which counts as exact, and in single precision. How far the second lies from the first shows what
rounding does to this training in one order of summation; another order may lie a few times as far.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
from as_user import PROGRAMS, User, line, shell

SOURCE = PROGRAMS / "lenet.c"
N, SIDE, CLASSES, STEPS, RATE = 16, 12, 4, 12, 0.25
ORDERS = 16  # of how far single precision in NumPy's order of summation lies off
Array = npt.NDArray[np.floating]


class Drawn:
    """The program's generator."""

    def __init__(self) -> None:
        self.state = 12345

    def __call__(self, count: int, size: float) -> Array:
        found = []
        for _ in range(count):
            self.state = (self.state * 1664525 + 1013904223) % 2**32
            found.append((np.float32(self.state >> 20) / np.float32(2048) - np.float32(1)) * np.float32(size))
        return np.array(found, np.float32)


def patches(x: Array, taps: int) -> Array:
    """(N, C, H, W) → (N, H', W', C, taps, taps)."""
    return np.lib.stride_tricks.sliding_window_view(x, (taps, taps), axis=(2, 3)).transpose(0, 2, 3, 1, 4, 5)


def correlated(x: Array, w: Array) -> Array:
    return np.tensordot(patches(x, w.shape[2]), w, ((3, 4, 5), (1, 2, 3))).transpose(0, 3, 1, 2)


def trained(kind: type[np.floating]) -> dict[str, Array]:
    drawn = Drawn()
    x = np.zeros((N, 1, SIDE, SIDE), np.float32)
    right = np.zeros((N, CLASSES), kind)
    for n in range(N):
        which = n % CLASSES
        right[n, which] = 1
        noise = drawn(SIDE * SIDE, 0.25).reshape(SIDE, SIDE)
        along = np.arange(SIDE)
        half = along >= SIDE // 2 if which & 2 else along < SIDE // 2
        bars = (half & (along % 2 == 1)).astype(np.float32)
        x[n, 0] = (bars[None, :] if which & 1 else bars[:, None]) + noise
    shapes = {"w1": (4, 1, 5, 5), "b1": (4,), "w2": (8, 4, 3, 3), "b2": (8,), "w3": (CLASSES, 32), "b3": (CLASSES,)}
    sizes = {"w1": 0.5, "b1": 0.125, "w2": 0.5, "b2": 0.125, "w3": 0.25, "b3": 0.125}
    v = {k: drawn(int(np.prod(s)), sizes[k]).reshape(s).astype(kind) for k, s in shapes.items()}
    x = x.astype(kind)
    losses = []
    for _ in range(STEPS):
        y1 = correlated(x, v["w1"]) + v["b1"][:, None, None]
        a1 = np.maximum(y1, 0)
        windows = a1.reshape(N, 4, 4, 2, 4, 2).transpose(0, 1, 2, 4, 3, 5).reshape(N, 4, 4, 4, 4)
        pooled = windows.max(-1)
        y2 = correlated(pooled, v["w2"]) + v["b2"][:, None, None]
        a2 = np.maximum(y2, 0)
        z = a2.reshape(N, -1) @ v["w3"].T + v["b3"]
        e = np.exp(z - z.max(1, keepdims=True))
        p = e / e.sum(1, keepdims=True)
        losses.append(-np.log(p[right != 0].astype(np.float64)).mean())
        dz = (p - right) / kind(N)
        dw3, db3 = dz.T @ a2.reshape(N, -1), dz.sum(0)
        dy2 = (dz @ v["w3"]).reshape(a2.shape) * (y2 > 0)
        dw2 = np.tensordot(dy2, patches(pooled, 3), ((0, 2, 3), (0, 1, 2)))
        wide = np.pad(dy2, ((0, 0), (0, 0), (2, 2), (2, 2)))
        dpooled = correlated(wide, v["w2"][:, :, ::-1, ::-1].transpose(1, 0, 2, 3))
        first = np.arange(4) == windows.argmax(-1)[..., None]  # NVIDIA's library gives a gradient to the first maximum
        spread = (first * dpooled[..., None]).reshape(N, 4, 4, 4, 2, 2).transpose(0, 1, 2, 4, 3, 5).reshape(a1.shape)
        dy1 = spread * (y1 > 0)
        dw1 = np.tensordot(dy1, patches(x, 5), ((0, 2, 3), (0, 1, 2)))
        found = {"w1": dw1, "b1": dy1.sum((0, 2, 3)), "w2": dw2, "b2": dy2.sum((0, 2, 3)), "w3": dw3, "b3": db3}
        for name, gradient in found.items():
            v[name] = (v[name] - kind(RATE) * gradient).astype(kind)
    return {"loss": np.array(losses), **{k: a.ravel() for k, a in v.items()}}


def test_trains_as_numpy_does(place: tuple[Path, User]) -> None:
    folder, environment = place
    for word in ("BUILD", "RUN"):
        ran = shell(line(SOURCE, word), environment, folder)
        assert ran.returncode == 0, ran.stderr
    got: dict[str, list[float]] = {}
    for row in ran.stdout.splitlines():
        name, *numbers = row.split()
        got.setdefault(name, []).extend(map(float, numbers))
    exact, single = trained(np.float64), trained(np.float32)
    assert exact["loss"][-1] < exact["loss"][0] / 2
    for name, wanted in exact.items():
        bound = ORDERS * max(np.abs(single[name] - wanted).max(), np.finfo(np.float32).eps)
        assert np.abs(np.array(got[name]) - wanted).max() <= bound, name


@pytest.mark.parametrize("name", ["loss", "w1", "w2", "w3"])
def test_the_bound_is_narrow(name: str) -> None:
    """A gradient that is left out, or a step of another size, would be seen: the bound is far below what training changes."""
    exact, single = trained(np.float64), trained(np.float32)
    assert ORDERS * np.abs(single[name] - exact[name]).max() < 1e-3
