"""Calls are recalled by what their descriptors say: the same descriptors, set anew, are another convolution, sum, activation.

python recalled.py LIBCUDNN
"""

from __future__ import annotations

import ctypes
import sys

import conv
import numpy as np

conv.BATCH = 2  # type: ignore[misc]
layer = conv.Layer(ctypes.CDLL(sys.argv[1]), 3, 4, 9, 3, 1)


def expected(pad: int, stride: int, turned: bool) -> np.ndarray:
    x = np.pad(layer.x, ((0, 0), (0, 0), (pad, pad), (pad, pad)))
    windows = np.lib.stride_tricks.sliding_window_view(x, (3, 3), (2, 3))[:, :, ::stride, ::stride]
    return np.einsum("nchwij,kcij->nkhw", windows, layer.w[:, :, ::-1, ::-1] if turned else layer.w)


for pad, stride, mode in 2 * ((1, 1, 1), (0, 1, 1), (1, 2, 1), (1, 1, 0), (0, 2, 0)):
    right = expected(pad, stride, mode == 0)
    layer.y = np.zeros(right.shape, np.float32)
    layer.call("cudnnSetConvolution2dDescriptor", layer.conv, pad, pad, stride, stride, 1, 1, mode, 0)
    layer.call("cudnnSetTensor4dDescriptor", layer.yd, 0, 0, *right.shape)
    for _ in range(2):
        layer.y[:] = np.nan
        layer.ours()
        assert np.allclose(layer.y, right, atol=1e-4), (pad, stride, mode)
layer.call("cudnnSetTensor4dDescriptor", layer.yd, 0, 0, 2, 4, 5, 5)
try:
    layer.ours()
except AssertionError:
    pass
else:
    sys.exit("an output of the wrong sizes is taken")

# The same three tensors and data, described in turn as wide and as high, and with other factors and modes between
xd, bd, yd = (layer.make("cudnnCreateTensorDescriptor") for _ in range(3))
op, act = layer.make("cudnnCreateOpTensorDescriptor"), layer.make("cudnnCreateActivationDescriptor")
data = np.random.default_rng(2).standard_normal((3, 24), dtype=np.float32)
b = np.arange(1, 7, dtype=np.float32)
zero = ctypes.c_float(0)


def at(values: np.ndarray) -> ctypes.c_void_p:
    return ctypes.c_void_p(values.ctypes.data)


for turn in range(12):
    channels, size, factor = ((6, 4, 1), (4, 6, 1), (6, 4, 2))[turn % 3]
    x, dy, y = data[0].reshape(channels, size), data[1].reshape(channels, size), data[2].reshape(channels, size)
    alpha, kind = ctypes.c_float(factor), (0, 1)[turn % 2]
    layer.call("cudnnSetTensor4dDescriptor", xd, 0, 0, 1, channels, size, 1)
    layer.call("cudnnSetTensor4dDescriptor", yd, 0, 0, 1, channels, size, 1)
    layer.call("cudnnSetTensor4dDescriptor", bd, 0, 0, 1, channels, 1, 1)
    layer.call("cudnnSetOpTensorDescriptor", op, kind, 0, 0)
    layer.call("cudnnSetActivationDescriptor", act, kind, 0, ctypes.c_double(0))
    for _ in range(2):
        y[:] = np.nan
        layer.call("cudnnOpTensor", layer.handle, op, ctypes.byref(alpha), xd, at(x), ctypes.byref(alpha), bd, at(b),
                   ctypes.byref(zero), yd, at(y))  # fmt: skip
        wide = b[:channels, None] * factor
        assert np.allclose(y, x * factor * wide if kind else x * factor + wide, atol=1e-5), turn
        y[:] = np.nan
        layer.call(
            "cudnnActivationForward", layer.handle, act, ctypes.byref(alpha), xd, at(x), ctypes.byref(zero), yd, at(y)
        )
        value = np.maximum(x, 0) if kind else 1 / (1 + np.exp(-x))
        assert np.allclose(y, factor * value, atol=1e-5), turn
        out = value.copy()
        y[:] = np.nan
        layer.call("cudnnActivationBackward", layer.handle, act, ctypes.byref(alpha), xd, at(out), xd, at(dy), xd, at(x),
                   ctypes.byref(zero), yd, at(y))  # fmt: skip
        slope = (x > 0) if kind else value * (1 - value)
        assert np.allclose(y, factor * slope * dy, atol=1e-5), turn
layer.call("cudnnSetTensor4dDescriptor", bd, 0, 0, 1, 3, 1, 1)
one = ctypes.c_float(1)
refused = layer.dnn.cudnnOpTensor(layer.handle, op, ctypes.byref(one), xd, at(x), ctypes.byref(one), bd, at(b),
                                  ctypes.byref(zero), yd, at(y))  # fmt: skip
if refused == 0:
    sys.exit("an operand of the wrong sizes is taken")
