"""A process that convolves once or more in each direction and compares with the definition; prints `ok`.

`python child.py libcudnn.so.9 libcudart.so.12 [directions] [calls] [type]`: `forward,data,filter` by default, one call, f32 or f16.
"""

from __future__ import annotations

import ctypes
import sys
from typing import Any

import numpy as np

N, C, H, W, K, R, PAD = 2, 4, 6, 5, 6, 3, 1
FLOAT, HALF = 0, 2


class Device:
    """Memory that CUDA's runtime made."""

    def __init__(self, cudart: ctypes.CDLL, values: np.ndarray[Any, Any]) -> None:
        self.cudart, self.like, self.place = cudart, values, ctypes.c_void_p()
        assert cudart.cudaMalloc(ctypes.byref(self.place), ctypes.c_size_t(values.nbytes)) == 0
        self.copy(self.place, values.ctypes.data_as(ctypes.c_void_p), 1)

    def copy(self, to: ctypes.c_void_p, source: ctypes.c_void_p, kind: int) -> None:
        assert self.cudart.cudaMemcpy(to, source, ctypes.c_size_t(self.like.nbytes), kind) == 0

    def back(self) -> np.ndarray[Any, Any]:
        found = np.empty_like(self.like)
        self.copy(found.ctypes.data_as(ctypes.c_void_p), self.place, 2)
        return found.astype(np.float64)


def expected(x: Any, w: Any, dy: Any) -> dict[str, Any]:
    padded = np.pad(x, ((0, 0), (0, 0), (PAD, PAD), (PAD, PAD)))
    y, dx, dw = np.zeros((N, K, H, W)), np.zeros_like(padded), np.zeros_like(w)
    for r in range(R):
        for s in range(R):
            part = padded[:, :, r : r + H, s : s + W]
            y += np.einsum("nchw,kc->nkhw", part, w[:, :, r, s])
            dx[:, :, r : r + H, s : s + W] += np.einsum("nkhw,kc->nchw", dy, w[:, :, r, s])
            dw[:, :, r, s] += np.einsum("nchw,nkhw->kc", part, dy)
    return {"forward": y, "data": dx[:, :, PAD:-PAD, PAD:-PAD], "filter": dw}


def main(
    cudnn_path: str, cudart_path: str, directions: str = "forward,data,filter", calls: str = "1", type_: str = "f32"
) -> None:
    cudart, dnn = ctypes.CDLL(cudart_path), ctypes.CDLL(cudnn_path)
    kind, dtype = (FLOAT, np.float32) if type_ == "f32" else (HALF, np.float16)
    random = np.random.default_rng(1)
    x, w, dy = (random.integers(-3, 4, s).astype(dtype) for s in ((N, C, H, W), (K, C, R, R), (N, K, H, W)))
    handle = ctypes.c_void_p()
    assert dnn.cudnnCreate(ctypes.byref(handle)) == 0

    def made(what: str, setter: str, *arguments: int) -> ctypes.c_void_p:
        desc = ctypes.c_void_p()
        assert getattr(dnn, f"cudnnCreate{what}Descriptor")(ctypes.byref(desc)) == 0
        assert getattr(dnn, f"cudnnSet{setter}")(desc, *arguments) == 0
        return desc

    xd = made("Tensor", "Tensor4dDescriptor", 0, kind, N, C, H, W)
    yd = made("Tensor", "Tensor4dDescriptor", 0, kind, N, K, H, W)
    wd = made("Filter", "Filter4dDescriptor", kind, 0, K, C, R, R)
    conv = made("Convolution", "Convolution2dDescriptor", PAD, PAD, 1, 1, 1, 1, 1, FLOAT)
    one, zero = ctypes.c_float(1), ctypes.c_float(0)
    wanted = expected(*(a.astype(np.float64) for a in (x, w, dy)))
    empty = np.full
    for direction in directions.split(","):
        for _ in range(int(calls)):
            d = {"x": Device(cudart, x), "w": Device(cudart, w), "dy": Device(cudart, dy)}
            out = Device(cudart, empty(wanted[direction].shape, np.nan, dtype))
            head, tail = (handle, ctypes.byref(one)), (conv, 0, None, ctypes.c_size_t(0), ctypes.byref(zero))
            if direction == "forward":
                status = dnn.cudnnConvolutionForward(*head, xd, d["x"].place, wd, d["w"].place, *tail, yd, out.place)
            elif direction == "data":
                status = dnn.cudnnConvolutionBackwardData(
                    *head, wd, d["w"].place, yd, d["dy"].place, *tail, xd, out.place
                )
            else:
                status = dnn.cudnnConvolutionBackwardFilter(
                    *head, xd, d["x"].place, yd, d["dy"].place, *tail, wd, out.place
                )
            assert status == 0, f"{direction} answers {status}"
            assert np.array_equal(out.back(), wanted[direction]), f"{direction} is wrong"
    print("ok")


if __name__ == "__main__":
    main(*sys.argv[1:])
