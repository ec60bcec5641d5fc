"""Bytes, signed and unsigned, in and out of vectors, bit by bit as NVIDIA's library answered: cuDNN 9.19 on an H200.

Convolutions (with z, bias and RELU in the second half), transforms, whatever gives int8 or is rounded once; the filter of
INT8x32 also in the order of NVIDIA's cards. What the numbers mean is checked beside: α·sum + β·z + bias, rounded to the nearest
whole number, ties to even, and cut at -128 and 127."""

from __future__ import annotations

import ctypes
import hashlib
import json
import random
import struct
import sys
from pathlib import Path
from typing import Any

import dragoman.parity.dnn
import numpy as np
import pytest
from by_itself import passes_by_itself

GOLDEN = json.loads((Path(dragoman.parity.dnn.__file__).parent / "goldens" / "bytes.json").read_text())
F32, I8, INT32, X4, U8, U8X4, X32 = 0, 3, 4, 5, 6, 7, 8
NCHW, NHWC, VECT = 0, 1, 2
LANES = {X4: 4, U8X4: 4, X32: 32}
FILTERS = {U8: I8, U8X4: X4}  # of unsigned bytes
# type and format of x and w; of y
CONFIGS = {
    "int8 nchw": ((I8, NCHW), (I8, NCHW)),
    "int8 nhwc": ((I8, NHWC), (I8, NHWC)), "int8 nhwc to f32": ((I8, NHWC), (F32, NHWC)),
    "x4": ((X4, VECT), (X4, VECT)), "x4 to f32 nchw": ((X4, VECT), (F32, NCHW)), "x4 to f32 nhwc": ((X4, VECT), (F32, NHWC)),
    "x32": ((X32, VECT), (X32, VECT)),
    "uint8 nhwc": ((U8, NHWC), (I8, NHWC)), "uint8 nhwc to f32": ((U8, NHWC), (F32, NHWC)),
    "u8x4": ((U8X4, VECT), (X4, VECT)), "u8x4 to f32": ((U8X4, VECT), (F32, NCHW)),
}  # fmt: skip
N, C, K, H, W, TAPS = 2, 32, 32, 4, 5, 3


def whole(count: int, seed: int, most: int = 9) -> bytes:
    draw = random.Random(seed)
    return bytes(draw.randint(-most, most) & 255 for _ in range(count))


def real(count: int, seed: int) -> bytes:
    draw = random.Random(seed)
    return struct.pack(f"{count}f", *[draw.uniform(-9, 9) for _ in range(count)])


def plain(raw: bytes, kind: tuple[int, int], dims: tuple[int, int, int, int]) -> Any:
    """(N, C, H, W) in double, from any of the formats."""
    type_, form = kind
    numbers = np.float32 if type_ == F32 else np.uint8 if type_ in FILTERS else np.int8
    x = np.frombuffer(raw, numbers).astype(np.float64)
    n, c, h, w = dims
    if form == NCHW:
        return x.reshape(dims)
    if form == NHWC:
        return x.reshape(n, h, w, c).transpose(0, 3, 1, 2)
    wide = LANES[type_]
    return x.reshape(n, c // wide, h, w, wide).transpose(0, 1, 4, 2, 3).reshape(dims)


def convolved(x: Any, w: Any) -> Any:
    padded = np.pad(x, ((0, 0), (0, 0), (1, 1), (1, 1)))
    y = np.zeros((N, K, H, W))
    for r in range(TAPS):
        for s in range(TAPS):
            y += np.einsum("nchw,kc->nkhw", padded[:, :, r : r + H, s : s + W], w[:, :, r, s])
    return y


class Dnn:
    def __init__(self, cudnn: str, cudart: str) -> None:
        self.dnn, self.cuda = ctypes.CDLL(cudnn), ctypes.CDLL(cudart)
        self.handle = ctypes.c_void_p()
        self.call("cudnnCreate", ctypes.byref(self.handle))

    def call(self, name: str, *arguments: object) -> None:
        status = getattr(self.dnn, name)(*arguments)
        assert status == 0, f"{name}: {status}"

    def make(self, kind: str, setter: str, *arguments: object) -> ctypes.c_void_p:
        made = ctypes.c_void_p()
        self.call(f"cudnnCreate{kind}Descriptor", ctypes.byref(made))
        self.call(f"cudnnSet{setter}", made, *arguments)
        return made

    def tensor(self, kind: tuple[int, int], *dims: int) -> ctypes.c_void_p:
        return self.make("Tensor", "Tensor4dDescriptor", kind[1], kind[0], *dims)

    def memory(self, content: bytes) -> ctypes.c_void_p:
        place = ctypes.c_void_p()
        assert self.cuda.cudaMalloc(ctypes.byref(place), ctypes.c_size_t(len(content))) == 0
        assert self.cuda.cudaMemcpy(place, content, ctypes.c_size_t(len(content)), 1) == 0
        return place

    def back(self, place: ctypes.c_void_p, size: int) -> bytes:
        content = ctypes.create_string_buffer(size)
        assert self.cuda.cudaMemcpy(content, place, ctypes.c_size_t(size), 2) == 0
        return content.raw


def factor(value: float) -> object:
    return ctypes.byref(ctypes.c_float(value))


def convolution(dnn: Dnn, name: str, reorder: int, alpha: float, beta: float, act: int) -> bytes:
    """The output, which is what the sums say."""
    given, out = CONFIGS[name]
    taps = (FILTERS.get(given[0], given[0]), given[1])
    xd, yd = dnn.tensor(given, N, C, H, W), dnn.tensor(out, N, K, H, W)
    wd = dnn.make("Filter", "Filter4dDescriptor", *taps, K, C, TAPS, TAPS)
    conv = dnn.make("Convolution", "Convolution2dDescriptor", 1, 1, 1, 1, 1, 1, 1, INT32)
    dnn.call("cudnnSetConvolutionReorderType", conv, reorder)
    raw_x, raw_w = whole(N * C * H * W, 1), whole(K * C * TAPS * TAPS, 2)
    x, w, count = dnn.memory(raw_x), dnn.memory(raw_w), N * K * H * W
    raw_z = real(count, 5) if out[0] == F32 else whole(count, 5, 100)
    y, z, raw_bias = dnn.memory(raw_z), dnn.memory(raw_z), real(K, 8)
    bias = dnn.memory(raw_bias)
    if reorder:  # the filter has been put in order beforehand, and its bias
        ordered, ordered_bias = dnn.memory(bytes(len(raw_w))), dnn.memory(bytes(len(raw_bias)))
        dnn.call("cudnnReorderFilterAndBias", dnn.handle, wd, 0, w, ordered, 1, bias, ordered_bias)
        w, bias = ordered, ordered_bias
    need = ctypes.c_size_t()
    dnn.call("cudnnGetConvolutionForwardWorkspaceSize", dnn.handle, xd, wd, conv, yd, 1, ctypes.byref(need))
    work = dnn.memory(bytes(need.value + 1))
    if act < 0:
        dnn.call(
            "cudnnConvolutionForward", dnn.handle, factor(alpha), xd, x, wd, w, conv, 1, work, need, factor(beta), yd, y
        )
    else:
        bd = dnn.tensor((F32, NCHW), 1, K, 1, 1)
        activation = dnn.make("Activation", "ActivationDescriptor", act, 0, ctypes.c_double(0))
        dnn.call(
            "cudnnConvolutionBiasActivationForward", dnn.handle, factor(alpha), xd, x, wd, w, conv, 1, work, need,
            factor(beta), yd, z, bd, bias, activation, yd, y,
        )  # fmt: skip
    sums = convolved(plain(raw_x, given, (N, C, H, W)), plain(raw_w, taps, (K, C, TAPS, TAPS)))
    wanted = alpha * sums + beta * plain(raw_z, out, (N, K, H, W))
    if act >= 0:
        wanted += np.frombuffer(raw_bias, np.float32).astype(np.float64)[None, :, None, None]
    if act == 1:
        wanted = np.maximum(wanted, 0)
    found = dnn.back(y, len(raw_z))
    if out[0] != F32:
        wanted = np.clip(np.rint(wanted), -128, 127)
    assert np.array_equal(plain(found, out, (N, K, H, W)), wanted), f"{name}: not the sums"
    return found


def transform(dnn: Dnn, src: list[int], dst: list[int], alpha: float, beta: float) -> bytes:
    dims = (2, 64, 3, 2)
    count = int(np.prod(dims))
    raw = whole(count, 3, 100) if src[0] else real(count, 3)
    old = whole(count, 4, 100) if dst[0] else real(count, 4)
    x, y = dnn.memory(raw), dnn.memory(old)
    xd, yd = dnn.tensor((src[0], src[1]), *dims), dnn.tensor((dst[0], dst[1]), *dims)
    dnn.call("cudnnTransformTensor", dnn.handle, factor(alpha), xd, x, factor(beta), yd, y)
    return dnn.back(y, len(old))


def digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()[:16]


def searched(dnn: Dnn) -> None:
    """The queries know such convolutions; a search leaves the program's memory alone but for the output."""
    given, out = CONFIGS["x4"]
    xd, yd = dnn.tensor(given, N, C, H, W), dnn.tensor(out, N, K, H, W)
    wd = dnn.make("Filter", "Filter4dDescriptor", *given, K, C, TAPS, TAPS)
    conv = dnn.make("Convolution", "Convolution2dDescriptor", 1, 1, 1, 1, 1, 1, 1, INT32)
    count, rows = ctypes.c_int(), (ctypes.c_char * 1024)()
    dnn.call("cudnnGetConvolutionForwardAlgorithm_v7", dnn.handle, xd, wd, conv, yd, 2, ctypes.byref(count), rows)
    assert count.value >= 1
    assert rows.raw[4:8] == bytes(4)
    content = whole(N * K * H * W + 64, 9)
    x, w, y = dnn.memory(whole(N * C * H * W, 1)), dnn.memory(whole(K * C * TAPS * TAPS, 2)), dnn.memory(content)
    dnn.call(
        "cudnnFindConvolutionForwardAlgorithmEx", dnn.handle, xd, x, wd, w, conv, yd, y, 2, ctypes.byref(count), rows, None,
        ctypes.c_size_t(0),
    )  # fmt: skip
    assert count.value >= 1
    assert dnn.back(y, len(content))[N * K * H * W :] == content[N * K * H * W :]


def into_int32(dnn: Dnn, refused: int) -> None:
    """Factors are int32 there: an H200 multiplied with the bits of a float, modulo 2³². Others than 1 and 0 are refused here."""
    kind, out = (I8, NHWC), (INT32, NHWC)
    xd, yd = dnn.tensor(kind, N, C, H, W), dnn.tensor(out, N, K, H, W)
    wd = dnn.make("Filter", "Filter4dDescriptor", *kind, K, C, TAPS, TAPS)
    conv = dnn.make("Convolution", "Convolution2dDescriptor", 1, 1, 1, 1, 1, 1, 1, INT32)
    raw_x, raw_w, count = whole(N * C * H * W, 1), whole(K * C * TAPS * TAPS, 2), N * K * H * W
    x, w, y = dnn.memory(raw_x), dnn.memory(raw_w), dnn.memory(bytes(4 * count))
    one, zero = ctypes.byref(ctypes.c_int(1)), ctypes.byref(ctypes.c_int(0))

    def run(alpha: object) -> int:
        tail = (1, None, ctypes.c_size_t(0), zero, yd, y)
        return int(dnn.dnn.cudnnConvolutionForward(dnn.handle, alpha, xd, x, wd, w, conv, *tail))

    assert run(one) == 0
    sums = convolved(plain(raw_x, kind, (N, C, H, W)), plain(raw_w, kind, (K, C, TAPS, TAPS)))
    found = np.frombuffer(dnn.back(y, 4 * count), np.int32).reshape(N, H, W, K).transpose(0, 3, 1, 2)
    assert np.array_equal(found, sums)
    assert run(factor(1.0)) == refused


def main(cudnn: str, cudart: str) -> None:
    dnn = Dnn(cudnn, cudart)
    for name, reorder, alpha, beta, act, seen in GOLDEN["convolutions"]:
        for _ in range(2):  # the second call finds memory and descriptors
            found = convolution(dnn, name, reorder, alpha, beta, act)
            assert digest(found) == seen, f"{name}, {reorder=}, {alpha=}, {beta=}, {act=}"
    for src, dst, alpha, beta, seen in GOLDEN["transforms"]:
        assert digest(transform(dnn, src, dst, alpha, beta)) == seen, f"{src} to {dst}, {alpha=}, {beta=}"
    convolution(dnn, "x32", 1, 0.5, 1.0, 1)  # whose bias has been put in order with the filter
    convolution(dnn, "u8x4 to f32", 0, 0.5, 0, -1)
    convolution(dnn, "uint8 nhwc to f32", 0, 1, 0, -1)
    searched(dnn)
    into_int32(dnn, 3000 if cudnn.endswith("9") else 9)


@pytest.mark.parametrize("version", [8, 9])
def test_bytes_are_as_seen(folder: Path, version: int) -> None:
    passes_by_itself(__file__, folder, (f"libcudnn.so.{version}", "libcudart.so.12"), seconds=120)


if __name__ == "__main__":
    main(*sys.argv[1:])
