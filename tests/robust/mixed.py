"""A process that loads all parts of a cuDNN beside the whole one, and makes, sets, uses and destroys objects now by one, now by
the other.

    python mixed.py DIR MAJOR     # prints `ok`
"""

from __future__ import annotations

import ctypes
import itertools
import sys
from pathlib import Path

Place = ctypes.c_void_p


class Parts:
    def __init__(self, folder: Path, major: str) -> None:
        self.whole = ctypes.CDLL(str(folder / f"libcudnn.so.{major}"))
        self.parts = [ctypes.CDLL(str(path)) for path in sorted(folder.glob(f"libcudnn_*.so.{major}"))]
        self.runtime = ctypes.CDLL(str(next(folder.glob("libcudart.so.*"))))
        self.turn = itertools.cycle((True, False))

    def call(self, name: str, *arguments: object) -> None:
        library = next(part for part in self.parts if hasattr(part, name)) if next(self.turn) else self.whole
        status = getattr(library, name)(*arguments)
        assert status == 0, f"{name}: {status}"

    def made(self, kind: str) -> Place:
        place = Place()
        self.call(f"cudnnCreate{kind}", ctypes.byref(place))
        return place

    def memory(self, floats: int) -> Place:
        place = Place()
        assert self.runtime.cudaMalloc(ctypes.byref(place), ctypes.c_size_t(4 * floats)) == 0
        assert self.runtime.cudaMemset(place, 0, ctypes.c_size_t(4 * floats)) == 0
        return place


def main(folder: Path, major: str) -> None:
    dnn = Parts(folder, major)
    one, zero, size = ctypes.c_float(1), ctypes.c_float(0), ctypes.c_size_t()
    handle = dnn.made("")
    x, y = dnn.made("TensorDescriptor"), dnn.made("TensorDescriptor")
    w, conv = dnn.made("FilterDescriptor"), dnn.made("ConvolutionDescriptor")
    dnn.call("cudnnSetTensor4dDescriptor", x, 0, 0, 1, 2, 4, 4)
    dnn.call("cudnnSetTensor4dDescriptor", y, 0, 0, 1, 3, 4, 4)
    dnn.call("cudnnSetFilter4dDescriptor", w, 0, 0, 3, 2, 3, 3)
    dnn.call("cudnnSetConvolution2dDescriptor", conv, 1, 1, 1, 1, 1, 1, 1, 0)
    images, taps, out = dnn.memory(32), dnn.memory(54), dnn.memory(48)
    for _ in range(3):  # an odd number of calls in between, so that the turns change
        dnn.call("cudnnGetConvolutionForwardWorkspaceSize", handle, x, w, conv, y, 0, ctypes.byref(size))
        work = dnn.memory(size.value // 4 + 1)
        dnn.call(
            "cudnnConvolutionForward", handle, ctypes.byref(one), x, images, w, taps, conv, 0, work, size, ctypes.byref(zero), y,
            out,
        )  # fmt: skip
        dnn.call("cudnnSoftmaxForward", handle, 1, 1, ctypes.byref(one), y, out, ctypes.byref(zero), y, out)
    dnn.call("cudnnDestroyTensorDescriptor", x)
    dnn.call("cudnnDestroyTensorDescriptor", y)
    dnn.call("cudnnDestroyFilterDescriptor", w)
    dnn.call("cudnnDestroyConvolutionDescriptor", conv)
    dnn.call("cudnnDestroy", handle)
    print("ok")


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2])
