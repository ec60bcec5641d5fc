"""A convolution is recalled by what its descriptors say: the same descriptors, set anew, are another convolution.

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
