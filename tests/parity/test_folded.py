"""What cudnnGetFoldedConvBackwardDataDescriptors says, as NVIDIA's library answered it: cuDNN 9.19 on an H200.

Filters of 8 × 6/groups, gradients of a batch of 2. Where strides come with dilation or groups its descriptors are no gradient's
any more, but they are its answers."""

from __future__ import annotations

import ctypes
import os
import subprocess
import sys
from pathlib import Path

import pytest

# type, format, image, taps, padding, stride, dilation, groups, mode →
# sizes of filter, output's and input's gradient; padding of the convolution;
# zeros before and behind a folded filter's channels and taps, behind the output's gradient,
# behind what is folded of the input's gradient and behind what is unfolded
SEEN = [
    ((2, 1, (7, 8), (3, 3), 1, 2, 1, 1, 1), [8, 24, 2, 2], [2, 8, 5, 5], [2, 24, 4, 4], [1, 1],
     [1, 1], [0, 0, 0], [1, 1], [0, 0, 0], [0, -1, 0]),
    ((2, 1, (8, 8), (3, 3), 1, 2, 1, 1, 1), [8, 24, 2, 2], [2, 8, 5, 5], [2, 24, 4, 4], [1, 1],
     [1, 1], [0, 0, 0], [1, 1], [0, 0, 0], [0, 0, 0]),
    ((2, 1, (8, 8), (3, 3), 0, 2, 1, 1, 1), [8, 24, 2, 2], [2, 8, 3, 3], [2, 24, 4, 4], [0, 0],
     [0, 0], [0, 1, 1], [0, 0], [0, 0, 0], [0, 0, 0]),
    ((2, 1, (9, 9), (2, 2), 0, 2, 1, 1, 1), [8, 24, 1, 1], [2, 8, 4, 4], [2, 24, 4, 4], [0, 0],
     [0, 0], [0, 0, 0], [0, 0], [0, -1, -1], [0, 1, 1]),
    ((2, 1, (8, 8), (1, 1), 0, 2, 1, 1, 1), [8, 24, 1, 1], [2, 8, 4, 4], [2, 24, 4, 4], [0, 0],
     [0, 0], [0, 1, 1], [0, 0], [0, 0, 0], [0, 0, 0]),
    ((2, 1, (224, 224), (7, 7), 3, 2, 1, 1, 1), [8, 24, 4, 4], [2, 8, 113, 113], [2, 24, 112, 112], [2, 2],
     [1, 1], [0, 0, 0], [1, 1], [0, 0, 0], [0, 0, 0]),
    ((2, 1, (10, 11), (5, 4), 2, 3, 1, 1, 1), [8, 54, 2, 2], [2, 8, 5, 5], [2, 54, 4, 4], [1, 1],
     [1, 1], [0, 0, 1], [1, 1], [0, 0, 0], [0, -2, -1]),
    ((0, 0, (8, 8), (3, 3), 1, 2, 1, 1, 1), [8, 24, 2, 2], [2, 8, 5, 5], [2, 24, 4, 4], [1, 1],
     [1, 1], [0, 0, 0], [1, 1], [0, 0, 0], [0, 0, 0]),
    ((0, 1, (8, 8), (3, 3), 1, 2, 1, 1, 0), [8, 24, 2, 2], [2, 8, 5, 5], [2, 24, 4, 4], [1, 1],
     [1, 1], [0, 0, 0], [1, 1], [0, 0, 0], [0, 0, 0]),
    ((2, 1, (8, 8), (3, 3), 1, 1, 1, 1, 1), [8, 8, 3, 3], [2, 8, 8, 8], [2, 8, 8, 8], [1, 1],
     [0, 0], [2, 0, 0], [0, 0], [2, 0, 0], [-2, 0, 0]),
    ((2, 1, (8, 8), (3, 3), 1, 2, 2, 1, 1), [8, 24, 2, 2], [2, 8, 4, 4], [2, 24, 4, 4], [1, 1],
     [1, 1], [0, 0, 0], [1, 1], [0, 0, 0], [0, 0, 0]),
    ((2, 1, (8, 8), (3, 3), 1, 2, 1, 2, 1), [8, 16, 2, 2], [2, 8, 5, 5], [2, 28, 4, 4], [1, 1],
     [1, 1], [1, 0, 0], [1, 1], [1, 0, 0], [-1, 0, 0]),
    ((1, 1, (8, 8), (3, 3), 1, 2, 1, 1, 1), [8, 24, 2, 2], [2, 8, 5, 5], [2, 24, 4, 4], [1, 1],
     [1, 1], [0, 0, 0], [1, 1], [0, 0, 0], [0, 0, 0]),
]  # fmt: skip
KINDS = ("Filter", "Tensor", "Convolution", "Tensor", *["TensorTransform"] * 4)


def ints(*values: int) -> ctypes.Array[ctypes.c_int]:
    return (ctypes.c_int * len(values))(*values)


class Dnn:
    def __init__(self, library: str) -> None:
        self.library = ctypes.CDLL(library)
        self.handle = ctypes.c_void_p()
        self.call("cudnnCreate", ctypes.byref(self.handle))

    def call(self, name: str, *arguments: object) -> None:
        status = getattr(self.library, name)(*arguments)
        assert status == 0, f"{name}: {status}"

    def make(self, kind: str) -> ctypes.c_void_p:
        made = ctypes.c_void_p()
        self.call(f"cudnnCreate{kind}Descriptor", ctypes.byref(made))
        return made

    def tensor(self, t: ctypes.c_void_p) -> tuple[int, list[int], list[int]]:
        type_, count, dims, strides = ctypes.c_int(), ctypes.c_int(), ints(*[0] * 4), ints(*[0] * 4)
        self.call("cudnnGetTensorNdDescriptor", t, 4, ctypes.byref(type_), ctypes.byref(count), dims, strides)
        return type_.value, list(dims), list(strides)

    def filter(self, w: ctypes.c_void_p) -> tuple[int, int, list[int]]:
        type_, form, count, dims = ctypes.c_int(), ctypes.c_int(), ctypes.c_int(), ints(*[0] * 4)
        self.call("cudnnGetFilterNdDescriptor", w, 4, *map(ctypes.byref, (type_, form, count)), dims)
        return type_.value, form.value, list(dims)

    def convolution(self, conv: ctypes.c_void_p) -> tuple[list[int], list[int], list[int], list[int]]:
        pad, stride, dilation = ints(0, 0), ints(0, 0), ints(0, 0)
        count, mode, type_, groups, math = (ctypes.c_int() for _ in range(5))
        self.call(
            "cudnnGetConvolutionNdDescriptor", conv, 2, ctypes.byref(count), pad, stride, dilation, ctypes.byref(mode),
            ctypes.byref(type_),
        )  # fmt: skip
        self.call("cudnnGetConvolutionGroupCount", conv, ctypes.byref(groups))
        self.call("cudnnGetConvolutionMathType", conv, ctypes.byref(math))
        return list(pad), list(stride), list(dilation), [mode.value, type_.value, groups.value, math.value]

    def transform(self, t: ctypes.c_void_p) -> tuple[int, list[int], list[int], list[int], int]:
        form, direction = ctypes.c_int(), ctypes.c_int()
        before, after, fold = ints(*[0] * 4), ints(*[0] * 4), ints(0, 0)
        self.call(
            "cudnnGetTensorTransformDescriptor", t, 4, ctypes.byref(form), before, after, fold, ctypes.byref(direction)
        )
        return form.value, list(before), list(after), list(fold), direction.value


def packed(dims: list[int], form: int) -> list[int]:
    _, c, h, w = dims
    return [c * h * w, 1, w * c, c] if form else [c * h * w, h * w, w, 1]


def asked(dnn: Dnn, given: tuple, to: int) -> tuple:  # type: ignore[type-arg]
    type_, form, image, taps, pad, stride, dilation, groups, mode = given
    w, dy, conv, dx = (dnn.make(kind) for kind in KINDS[:4])
    out = [(n + 2 * pad - ((t - 1) * dilation + 1)) // stride + 1 for n, t in zip(image, taps, strict=True)]
    dnn.call("cudnnSetFilter4dDescriptor", w, type_, form, 8, 6 // groups, *taps)
    dnn.call("cudnnSetTensor4dDescriptor", dy, form, type_, 2, 8, *out)
    dnn.call("cudnnSetTensor4dDescriptor", dx, form, type_, 2, 6, *image)
    double = 1 if type_ == 1 else 0
    dnn.call("cudnnSetConvolution2dDescriptor", conv, *[pad] * 2, *[stride] * 2, *[dilation] * 2, mode, double)
    dnn.call("cudnnSetConvolutionGroupCount", conv, groups)
    made = [dnn.make(kind) for kind in KINDS]
    dnn.call("cudnnGetFoldedConvBackwardDataDescriptors", dnn.handle, w, dy, conv, dx, to, *made)
    return (
        dnn.filter(made[0]), dnn.tensor(made[1]), dnn.convolution(made[2]), dnn.tensor(made[3]),
        *map(dnn.transform, made[4:]),
    )  # fmt: skip


def seen(row: tuple, to: int) -> tuple:  # type: ignore[type-arg]
    """NVIDIA's answer, from the row's numbers and what all rows have in common."""
    (type_, form, _, _, _, stride, dilation, groups, mode), w, dy, dx, pad, before, after, dy_pad, crop, grown = row
    folds, none = [stride] * 2, [0] * 4
    return (
        (type_, to, w), (type_, dy, packed(dy, to)), (pad, [1, 1], [dilation] * 2, [mode, 1 if type_ == 1 else 0, groups, 0]),
        (type_, dx, packed(dx, to)), (to, [0, 0, *before], [0, *after], folds, 0), (to, none, [0, 0, *dy_pad], [0, 0], 0),
        (to, none, [0, *crop], folds, 0), (form, none, [0, *grown], folds, 1),
    )  # fmt: skip


def main(library: str) -> None:
    dnn = Dnn(library)
    for row in SEEN:
        for to in (0, 1):
            found, wanted = asked(dnn, row[0], to), seen(row, to)
            assert found == wanted, f"{row[0]} to {to}: {found}, expected {wanted}"


@pytest.mark.parametrize("version", [8, 9])
def test_folded_descriptors_are_as_seen(folder: Path, version: int) -> None:
    done = subprocess.run(
        [sys.executable, __file__, str(folder / f"libcudnn.so.{version}")], env=os.environ | {"DRAGOMAN_BACKEND": "cpu"},
        capture_output=True, text=True, check=False, timeout=60,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-2000:]


if __name__ == "__main__":
    main(sys.argv[1])
