"""cudnnFusedOpsExecute's bit masks, as NVIDIA's library wrote and read them: cuDNN 9.19 on an H200.

Half of the values is 0 after RELU, so that a bit in the wrong place shows. `numbers` of the golden are multiples of 1/8, so that
all but dx must be the same bits: channels of one block and of several, places that fill no block, types, additions, IDENTITY,
NaN, what is not announced. `statuses`
are what making and running a plan answered with one thing changed."""

from __future__ import annotations

import ctypes
import hashlib
import json
import random
import sys
from pathlib import Path
from typing import Any

import dragoman.parity.dnn
import numpy as np
import pytest
from by_itself import passes_by_itself
from dragoman.parity.dnn.oracles import bits

GOLDEN = json.loads((Path(dragoman.parity.dnn.__file__).parent / "goldens" / "bitmask.json").read_text())
N, C, H, W = 2, 64, 8, 8
PLACES = N * H * W
ALIGNED, BAD_PARAM, NOT_SUPPORTED = 2, (3, 2000), (9, 3000)
KINDS = {0: np.dtype(np.float32), 2: np.dtype(np.float16), 9: np.dtype(np.uint16)}


def drawn(count: int, seed: int, type_: int) -> np.ndarray:  # type: ignore[type-arg]
    """Halves with two decimals below 1, floats below 9."""
    draw = random.Random(seed)
    if type_ == 2:
        return np.array([round(draw.uniform(-1, 1), 2) for _ in range(count)], np.float16)
    return np.array([draw.uniform(-9, 9) for _ in range(count)], np.float32)


class Dnn:
    def __init__(self, library: str, runtime: str) -> None:
        self.library, self.runtime = ctypes.CDLL(library), ctypes.CDLL(runtime)
        self.handle = ctypes.c_void_p()
        self.call("cudnnCreate", ctypes.byref(self.handle))

    def status(self, name: str, *arguments: object) -> int:
        return int(getattr(self.library, name)(*arguments))

    def call(self, name: str, *arguments: object) -> None:
        status = self.status(name, *arguments)
        assert status == 0, f"{name}: {status}"

    def made(self, name: str, *arguments: object) -> ctypes.c_void_p:
        made = ctypes.c_void_p()
        self.call(name, ctypes.byref(made), *arguments)
        return made

    def tensor(self, type_: int, *dims: int, layout: int = 1) -> ctypes.c_void_p:
        made = self.made("cudnnCreateTensorDescriptor")
        self.call("cudnnSetTensor4dDescriptor", made, layout, type_, *dims)
        return made

    def mask(self, a: int = PLACES, b: int = 2, c: int = 1) -> ctypes.c_void_p:
        made, three = self.made("cudnnCreateTensorDescriptor"), ctypes.c_int * 3
        self.call("cudnnSetTensorNdDescriptor", made, 4, 3, three(a, b, c), three(b * c, c, 1))
        return made

    def activation(self, mode: int = 1) -> ctypes.c_void_p:
        """One that is not set where there is no such mode."""
        made = self.made("cudnnCreateActivationDescriptor")
        if mode < 7:
            self.call("cudnnSetActivationDescriptor", made, mode, 0, ctypes.c_double(0))
        return made

    def run(
        self,
        operation: int,
        constants: dict[int, ctypes.c_void_p | int],
        pointers: dict[int, np.ndarray],  # type: ignore[type-arg]
    ) -> tuple[int, int]:
        """What making a plan and running it answered; arrays come back as they are on the device."""
        plan = self.made("cudnnCreateFusedOpsPlan", operation)
        given = self.made("cudnnCreateFusedOpsConstParamPack", operation)
        variants = self.made("cudnnCreateFusedOpsVariantParamPack", operation)
        for label, value in constants.items():
            what = ctypes.byref(ctypes.c_int(value)) if isinstance(value, int) else value
            self.call("cudnnSetFusedOpsConstParamPackAttribute", given, label, what)
        places = {label: self.placed(array) for label, array in pointers.items()}
        for label, place in places.items():
            self.call("cudnnSetFusedOpsVariantParamPackAttribute", variants, label, place)
        size = ctypes.c_size_t()
        making = self.status("cudnnMakeFusedOpsPlan", self.handle, plan, given, ctypes.byref(size))
        running = self.status("cudnnFusedOpsExecute", self.handle, plan, variants) if making == 0 else -1
        for label, place in places.items():
            array = pointers[label]
            assert (
                self.runtime.cudaMemcpy(array.ctypes.data_as(ctypes.c_void_p), place, ctypes.c_size_t(array.nbytes), 2)
                == 0
            )
            assert self.runtime.cudaFree(place) == 0
        return making, running

    def placed(self, array: np.ndarray) -> ctypes.c_void_p:  # type: ignore[type-arg]
        place, data = ctypes.c_void_p(), array.ctypes.data_as(ctypes.c_void_p)
        assert self.runtime.cudaMalloc(ctypes.byref(place), ctypes.c_size_t(array.nbytes)) == 0
        assert self.runtime.cudaMemcpy(place, data, ctypes.c_size_t(array.nbytes), 1) == 0
        return place


def masking(dnn: Dnn, type_: int) -> tuple[dict[int, ctypes.c_void_p | int], dict[int, np.ndarray]]:  # type: ignore[type-arg]
    """RELU(scale·x + bias + z)."""
    image, row = dnn.tensor(type_, N, C, H, W), dnn.tensor(type_, 1, C, 1, 1)
    constants = {
        0: image,
        1: ALIGNED,
        2: 2,
        3: row,
        4: ALIGNED,
        5: ALIGNED,
        26: image,
        27: ALIGNED,
        6: dnn.activation(),
    }
    constants |= {12: image, 13: ALIGNED, 31: dnn.mask(), 32: ALIGNED}
    count = PLACES * C
    pointers = {0: drawn(count, 1, type_), 1: drawn(C, 3, type_), 2: drawn(C, 4, type_), 16: drawn(count, 2, type_)}
    pointers |= {5: np.zeros(count, KINDS[type_]), 19: np.zeros(count // 8, np.uint8)}
    return constants, pointers


def masked(dnn: Dnn, type_: int) -> tuple[dict[int, ctypes.c_void_p | int], dict[int, np.ndarray]]:  # type: ignore[type-arg]
    """Its gradient, and the normalisation's."""
    image, row = dnn.tensor(type_, N, C, H, W), dnn.tensor(0, 1, C, 1, 1)
    constants = {
        0: image,
        1: ALIGNED,
        2: 2,
        14: image,
        15: ALIGNED,
        6: dnn.activation(),
        31: dnn.mask(),
        32: ALIGNED,
        19: row,
    }
    constants |= {33: image, 35: image} | dict.fromkeys((20, 22, 23, 34, 36, 37, 38), ALIGNED)
    count = PLACES * C
    pointers = {0: drawn(count, 1, type_), 6: drawn(count, 2, type_), 19: np.full(count // 8, 0x5A, np.uint8)}
    pointers |= {label: drawn(C, seed, 0) for label, seed in ((10, 3), (12, 4), (13, 5))}
    pointers |= {20: np.zeros(count, KINDS[type_]), 21: np.zeros(count, KINDS[type_])}
    return constants, pointers | {22: np.zeros(C, np.float32), 23: np.zeros(C, np.float32)}


def eighths(count: int, seed: int, type_: int, lo: int = -31) -> np.ndarray:  # type: ignore[type-arg]
    """Multiples of 1/8 below 4, which all types hold."""
    draw = random.Random(seed)
    values = np.array([draw.randint(lo, 31) / 8 for _ in range(count)], np.float32)
    return (values.view(np.uint32) >> 16).astype(np.uint16) if type_ == 9 else values.astype(KINDS[type_])


def whole(raw: np.ndarray) -> np.ndarray:  # type: ignore[type-arg]
    """In double; bfloat16 lies in uint16."""
    return ((raw.astype(np.uint32) << 16).view(np.float32) if raw.dtype == np.uint16 else raw).astype(float)


def special(inputs: str, operation: int, pointers: dict[int, np.ndarray]) -> None:  # type: ignore[type-arg]
    """NaN and infinities in x or dy; or what makes RELU's input a 0, of either sign."""
    if inputs == "nan":
        pointers[0 if operation == 5 else 6][[5, 70, 71, 200]] = [np.nan, np.inf, -np.inf, np.nan]
        return
    pointers[0][::3] = 0 if operation == 5 else 1
    pointers[2 if operation == 5 else 11][:] = 0
    if operation == 5:
        pointers[0][1::3] = -0.0
    else:
        pointers[12][:] = 1


def asked(dnn: Dnn, row: dict[str, Any]) -> tuple[dict[int, Any], dict[int, np.ndarray]]:  # type: ignore[type-arg]
    """Constants and pointers of a row of the golden."""
    operation, (n, c, h, w), type_ = row["operation"], row["dims"], row["type"]
    layout, equivalent, statistics = row.get("format", 1), row.get("equivalent", type_), row.get("statistics", 0)
    count, places = n * c * h * w, n * h * w
    image = dnn.tensor(type_, n, c, h, w, layout=layout)
    line = dnn.tensor(equivalent if operation == 5 else statistics, 1, c, 1, 1, layout=layout)
    sizes = row.get("sizes", [-(-places // 32) * 32, -(-c // 64) * 2, 1])
    other = dnn.tensor(row.get("other", type_), n, c, h, w, layout=layout)
    words = -(-places // 32) * 32 * -(-c // 64) * 8
    constants: dict[int, Any] = {
        0: image,
        1: ALIGNED,
        2: row.get("mode", 2),
        6: dnn.activation(row.get("activation", 1)),
    }
    constants |= {31: dnn.mask(*sizes), 32: ALIGNED}
    if operation == 5:
        constants |= {3: line, 4: ALIGNED, 5: ALIGNED, 12: other, 13: ALIGNED}
        pointers = {0: eighths(count, 1, type_), 1: eighths(c, 3, equivalent), 2: eighths(c, 4, equivalent)}
        pointers |= {5: np.zeros(count, KINDS[type_]), 19: np.full(words, 0x5A, np.uint8)}
        if row.get("z", 1):
            constants |= {26: image, 27: ALIGNED}
            pointers[16] = eighths(count, 2, type_)
        if row.get("z", 1) == 2:
            constants |= {28: line, 29: ALIGNED, 30: ALIGNED}
            pointers |= {17: eighths(c, 5, equivalent), 18: eighths(c, 6, equivalent)}
        return reduced(row, constants, pointers)
    constants |= {14: other, 15: ALIGNED, 19: line, 33: image} | dict.fromkeys((20, 21, 22, 23, 34, 37, 38), ALIGNED)
    draw = random.Random(77)
    bytes_ = np.array([draw.randrange(256) for _ in range(words)], np.uint8)
    pointers = {0: eighths(count, 1, type_), 6: eighths(count, 2, type_), 10: eighths(c, 3, 0), 11: eighths(c, 4, 0)}
    pointers |= {12: eighths(c, 5, 0), 13: eighths(c, 6, 0, 1), 19: bytes_}
    pointers |= {20: np.zeros(count, KINDS[type_]), 22: np.zeros(c, np.float32), 23: np.zeros(c, np.float32)}
    if row.get("z", 1):
        constants |= {35: image, 36: ALIGNED}
        pointers[21] = np.zeros(count, KINDS[type_])
    return reduced(row, constants, pointers)


def reduced(
    row: dict[str, Any],
    constants: dict[int, Any],
    pointers: dict[int, np.ndarray],  # type: ignore[type-arg]
) -> tuple[dict[int, Any], dict[int, np.ndarray]]:  # type: ignore[type-arg]
    """What a row draws otherwise, and does not give."""
    if "inputs" in row:
        special(row["inputs"], row["operation"], pointers)
    without, missing = row.get("without", []), row.get("no_pointer", [])
    return (
        {label: value for label, value in constants.items() if label not in without},
        {label: value for label, value in pointers.items() if label not in missing},
    )


def statuses(answers: list[int], nine: bool) -> list[int]:
    """An H200's, of cuDNN 9, in a version's numbers."""
    return [status if nine else {0: 0, 2000: 3, 3000: 9}[status] for status in answers]


def compared(dnn: Dnn, row: dict[str, Any], nine: bool) -> None:
    constants, pointers = asked(dnn, row)
    before = {label: pointers[label].copy() for label in row.get("left", [])}
    found = dnn.run(row["operation"], constants, pointers)
    assert list(found)[: len(row["answers"])] == statuses(row["answers"], nine), (row, found)
    for label, values in before.items():
        assert np.array_equal(pointers[label], values), (label, row)
    for name, label in (("y", 5), ("dz", 21), ("dscale", 22), ("dbias", 23)):
        if name in row:
            values = pointers[label]
            values[whole(values) == 0] = 0  # of either sign
            if values.dtype != np.uint16:
                values[np.isnan(values)] = np.nan  # of any bits
            assert hashlib.sha256(values.tobytes()).hexdigest()[:16] == row[name], (name, row)
    if "mask" in row:
        wanted = np.frombuffer(bytes.fromhex(row["mask"]), np.uint8)
        wanted = wanted[: min(wanted.size // 4 * 4, pointers[19].size)].view(np.int32)
        known = bits.known(row["dims"][0] * row["dims"][2] * row["dims"][3], row["dims"][1])[: wanted.size]
        assert known.any() or row["dims"] == [1, 64, 1, 1]
        assert np.array_equal(pointers[19].view(np.int32)[: wanted.size][known], wanted[known]), row
    if "dx" in row:  # sums in another order
        wanted = whole(np.frombuffer(bytes.fromhex(row["dx"]), KINDS[row["type"]]))
        unit = {0: 2**-20, 2: 2**-10, 9: 2**-7}[row["type"]]
        assert np.abs(whole(pointers[20][: wanted.size]) - wanted).max() <= unit * np.abs(wanted).max(), row


def changed(dnn: Dnn, row: dict[str, Any], nine: bool) -> None:
    """One thing changed of a call that works: its two statuses."""
    what, _, number = row["change"].rpartition(" ")
    base: dict[str, Any] = {"operation": row["operation"], "dims": [1, 64, 4, 4], "type": 2, "z": 2}
    if row["operation"] == 6 or row["change"].startswith(("mask", "activation", "y ", "statistics")):
        base["z"] = 1
    if what == "activation":
        base["activation"] = int(number)
    elif what.startswith("mask"):
        base["sizes"] = json.loads("[" + row["change"].partition("(")[2].rstrip(")") + "]")
    elif row["change"] == "y of another type":
        base |= {"type": 0, "other": 2}
    elif row["change"] == "statistics half":
        base["statistics"] = 2
    constants, pointers = asked(dnn, base)
    if what == "without":
        del constants[int(number)]
    elif what == "null":
        constants[int(number)] = 0
    elif what == "no pointer":
        pointers.pop(int(number))
    found = list(dnn.run(row["operation"], constants, pointers))
    assert found[: len(row["answers"])] == statuses(row["answers"], nine), (row, found)


def main(library: str, runtime: str, nine: bool) -> None:
    dnn = Dnn(library, runtime)
    for row in GOLDEN["numbers"]:
        compared(dnn, row, nine)
    for row in GOLDEN["statuses"]:
        changed(dnn, row, nine)
    for row in GOLDEN["rows"]:
        type_ = row["type"]
        build = masking if row["operation"] == 5 else masked
        constants, pointers = build(dnn, type_)
        assert dnn.run(row["operation"], constants, pointers) == (0, 0), row
        name, label = ("y", 5) if row["operation"] == 5 else ("dx", 20)
        wanted = np.frombuffer(bytes.fromhex(row[name]), KINDS[type_]).astype(float)
        found = pointers[label][: wanted.size].astype(float)
        if row["operation"] == 5:
            assert pointers[19].tobytes().hex() == row["mask"]
            assert np.array_equal(found, wanted)
        else:  # sums in another order
            assert np.array_equal(found == 0, wanted == 0)
            assert np.abs(found - wanted).max() <= (2**-10 if type_ == 2 else 2**-20) * np.abs(wanted).max()
    # what is missing: NVIDIA's statuses, as far as they are known
    constants, pointers = masking(dnn, 2)
    for label in (0, 3, 12, 31):
        assert dnn.run(5, {k: v for k, v in constants.items() if k != label}, pointers)[0] == BAD_PARAM[nine], label
    assert dnn.run(5, constants, {k: v for k, v in pointers.items() if k != 19}) == (0, BAD_PARAM[nine])
    constants, pointers = masked(dnn, 2)
    assert dnn.run(6, constants | {2: 1}, pointers) == (0, NOT_SUPPORTED[nine])  # made, and not run: as seen


def test_the_order_of_the_bits() -> None:
    """Channels by 64, places by two: bit k of word w is channel 4·(k mod 16) + w, of the second place where k > 15."""
    for place, channel, bit in (
        (0, 0, 0),
        (0, 5, 33),
        (1, 0, 16),
        (1, 63, 127),
        (2, 2, 192),
        (0, 64, 2048),
        (3, 70, 2257),
    ):
        flags = np.zeros((5, 72), bool)
        flags[place, channel] = True
        found = np.unpackbits(bits.words(flags).view(np.uint8), bitorder="little")
        assert list(np.flatnonzero(found)) == [bit], (place, channel)


@pytest.mark.parametrize("version", [8, 9])
def test_bit_masks_are_as_seen(folder: Path, version: int) -> None:
    passes_by_itself(__file__, folder, (f"libcudnn.so.{version}", "libcudart.so.12"))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], sys.argv[1].endswith("9"))
