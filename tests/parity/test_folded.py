"""What cudnnGetFoldedConvBackwardDataDescriptors says, as NVIDIA's library answered it: cuDNN 9.19 on an H200.

Where strides come with dilation or groups its descriptors are no gradient's any more, but they are its answers."""

from __future__ import annotations

import ctypes
import json
import sys
from pathlib import Path

import dragoman.parity.dnn
import pytest
from by_itself import passes_by_itself

GOLDEN = json.loads((Path(dragoman.parity.dnn.__file__).parent / "goldens" / "folded.json").read_text())
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


def asked(dnn: Dnn, given: list[int]) -> tuple:  # type: ignore[type-arg]
    type_, form, to, n, c, k, *rest, groups, mode, math = given
    image, taps, pad, stride, dilation = (rest[i : i + 2] for i in range(0, 10, 2))
    w, dy, conv, dx = (dnn.make(kind) for kind in KINDS[:4])
    out = [
        (m + 2 * p - ((t - 1) * e + 1)) // s + 1
        for m, t, p, s, e in zip(image, taps, pad, stride, dilation, strict=True)
    ]
    dnn.call("cudnnSetFilter4dDescriptor", w, type_, form, k, c // groups, *taps)
    dnn.call("cudnnSetTensor4dDescriptor", dy, form, type_, n, k, *out)
    dnn.call("cudnnSetTensor4dDescriptor", dx, form, type_, n, c, *image)
    dnn.call("cudnnSetConvolution2dDescriptor", conv, *pad, *stride, *dilation, mode, 1 if type_ == 1 else 0)
    dnn.call("cudnnSetConvolutionGroupCount", conv, groups)
    dnn.call("cudnnSetConvolutionMathType", conv, math)
    made = [dnn.make(kind) for kind in KINDS]
    dnn.call("cudnnGetFoldedConvBackwardDataDescriptors", dnn.handle, w, dy, conv, dx, to, *made)
    return (
        dnn.filter(made[0]), dnn.tensor(made[1]), dnn.convolution(made[2]), dnn.tensor(made[3]),
        *map(dnn.transform, made[4:]),
    )  # fmt: skip


def seen(given: list[int], row: list[list[int]]) -> tuple:  # type: ignore[type-arg]
    """NVIDIA's answer, from the row's numbers and what all rows have in common."""
    type_, form, to, *_, groups, mode, math = given
    w, dy, pad, dx, before, after, dy_pad, crop, grown = row
    folds, dilation, none = given[12:14], given[14:16], [0] * 4
    return (
        (type_, to, w), (type_, dy, packed(dy, to)), (pad, [1, 1], dilation, [mode, 1 if type_ == 1 else 0, groups, math]),
        (type_, dx, packed(dx, to)), (to, before, after, folds, 0), (to, none, dy_pad, [0, 0], 0),
        (to, none, crop, folds, 0), (form, none, grown, folds, 1),
    )  # fmt: skip


def main(library: str) -> None:
    dnn = Dnn(library)
    for given, *row in GOLDEN["rows"]:
        found, wanted = asked(dnn, given), seen(given, row)
        assert found == wanted, f"{given}: {found}, expected {wanted}"
    none = [0] * 4
    transform = dnn.make("TensorTransform")
    assert dnn.transform(transform) == (0, none, none, [0, 0], 0)
    dnn.call("cudnnSetTensorTransformDescriptor", transform, 4, 1, None, None, None, 1)
    assert dnn.transform(transform) == (1, none, none, [0, 0], 1)
    dnn.call("cudnnSetTensorTransformDescriptor", transform, 4, 0, None, None, (ctypes.c_uint * 2)(2, 2), 7)
    assert dnn.transform(transform) == (0, none, none, [2, 2], 1)


@pytest.mark.parametrize("version", [8, 9])
def test_folded_descriptors_are_as_seen(folder: Path, version: int) -> None:
    passes_by_itself(__file__, folder, (f"libcudnn.so.{version}",))


if __name__ == "__main__":
    main(sys.argv[1])
