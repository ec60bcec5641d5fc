"""Finished statistics of channels that are constant: the sums' difference is rounding alone, below 0 too."""

from __future__ import annotations

import ctypes
import sys
from pathlib import Path

import numpy as np
import pytest
from by_itself import passes_by_itself

TRAINING, FLOAT, ALIGNED, COUNT, EPSILON = 2, 0, 2, 1000, 1e-5
CHANNELS = 64


def main(library: str, runtime: str) -> None:
    dnn, cudart = ctypes.CDLL(library), ctypes.CDLL(runtime)

    def made(name: str, *arguments: object) -> ctypes.c_void_p:
        place = ctypes.c_void_p()
        assert getattr(dnn, name)(ctypes.byref(place), *arguments) == 0, name
        return place

    handle, row = made("cudnnCreate"), made("cudnnCreateTensorDescriptor")
    assert dnn.cudnnSetTensor4dDescriptor(row, 0, FLOAT, 1, CHANNELS, 1, 1) == 0
    plan, constants, variants = (
        made(f"cudnnCreateFusedOps{what}", TRAINING) for what in ("Plan", "ConstParamPack", "VariantParamPack")
    )
    value = (1000 + np.arange(CHANNELS) / 7).astype(np.float32)
    sums = (value.astype(float) * COUNT).astype(np.float32)
    squares = (value.astype(float) ** 2 * COUNT).astype(np.float32)
    mean = sums / np.float32(COUNT)
    assert (squares / np.float32(COUNT) - mean * mean < 0).any()  # what the test is about
    ones = np.ones(CHANNELS, np.float32)
    arrays = {7: sums, 8: squares, 10: ones, 11: ones, 12: ones, 13: ones, 1: ones, 2: ones}
    for label in (3, 16, 19):  # descriptors
        assert dnn.cudnnSetFusedOpsConstParamPackAttribute(constants, label, row) == 0
    aligned = ctypes.byref(ctypes.c_int(ALIGNED))
    for label in (4, 5, 17, 18, 20, 21, 22, 23):  # pointers
        assert dnn.cudnnSetFusedOpsConstParamPackAttribute(constants, label, aligned) == 0
    size = ctypes.c_size_t()
    assert dnn.cudnnMakeFusedOpsPlan(handle, plan, constants, ctypes.byref(size)) == 0
    places = {}
    for label, array in arrays.items():
        places[label] = place = ctypes.c_void_p()
        assert cudart.cudaMalloc(ctypes.byref(place), ctypes.c_size_t(array.nbytes)) == 0
        data = array.ctypes.data_as(ctypes.c_void_p)
        assert cudart.cudaMemcpy(place, data, ctypes.c_size_t(array.nbytes), 1) == 0
        assert dnn.cudnnSetFusedOpsVariantParamPackAttribute(variants, label, place) == 0
    for label, number in (
        (101, ctypes.c_int64(COUNT)),
        (102, ctypes.c_double(0.1)),
        (103, ctypes.c_double(EPSILON)),
    ):
        assert dnn.cudnnSetFusedOpsVariantParamPackAttribute(variants, label, ctypes.byref(number)) == 0
    assert dnn.cudnnFusedOpsExecute(handle, plan, variants) == 0
    inverse = np.zeros(CHANNELS, np.float32)
    data = inverse.ctypes.data_as(ctypes.c_void_p)
    assert cudart.cudaMemcpy(data, places[13], ctypes.c_size_t(inverse.nbytes), 2) == 0
    assert (inverse > 0).all(), inverse  # no NaN
    assert (inverse <= EPSILON**-0.5 * (1 + 2**-20)).all(), inverse


@pytest.mark.parametrize("version", [8, 9])
def test_a_variance_is_not_below_zero(folder: Path, version: int) -> None:
    passes_by_itself(__file__, folder, (f"libcudnn.so.{version}", "libcudart.so.12"))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
