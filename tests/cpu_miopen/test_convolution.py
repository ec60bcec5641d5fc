"""Convolution: the three directions against their sums, solutions, Find and the immediate mode, refusals."""

from __future__ import annotations

import ctypes
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest
from miopen_client import (
    BAD_PARM,
    BFLOAT16,
    DOUBLE,
    FLOAT,
    HALF,
    INT8,
    INT32,
    NOT_IMPLEMENTED,
    ONE,
    SUCCESS,
    TYPE_NAMES,
    UNKNOWN,
    ZERO,
    Array,
    Miopen,
    Perf,
    Solution,
    Tensor,
    channels_last,
    default_strides,
    gapped,
    number,
    random,
    whole,
)
from miopen_naive import convolve, convolve_data, convolve_weights

DIRECTIONS = ("Forward", "BackwardData", "BackwardWeights")
PRODUCT, DIRECT = 0, 1


@dataclass(frozen=True)
class Shape:
    """A convolution; `transposed` changes image and result over, as MIOpen's mode 1 does."""

    name: str
    x: tuple[int, ...]
    w: tuple[int, ...]
    pads: tuple[int, ...]
    strides: tuple[int, ...]
    dilations: tuple[int, ...]
    groups: int = 1
    transposed: bool = False
    output_pads: tuple[int, ...] = ()

    @property
    def rest(self) -> tuple[Any, ...]:
        return self.pads, self.strides, self.dilations, self.groups

    @property
    def y(self) -> tuple[int, ...]:
        """The forward call's result."""
        spatial = []
        for i in range(len(self.pads)):
            tap = 1 + self.dilations[i] * (self.w[i + 2] - 1)
            if self.transposed:
                more = self.output_pads[i] if self.output_pads else 0
                spatial.append(self.strides[i] * (self.x[i + 2] - 1) + tap - 2 * self.pads[i] + more)
            else:
                spatial.append((self.x[i + 2] + 2 * self.pads[i] - tap) // self.strides[i] + 1)
        return self.x[0], self.w[1] * self.groups if self.transposed else self.w[0], *spatial

    def forward(self, x: Array, w: Array) -> Array:
        return (convolve_data if self.transposed else convolve)(x, w, self.y, *self.rest)

    def data(self, dy: Array, w: Array) -> Array:
        return (convolve if self.transposed else convolve_data)(dy, w, self.x, *self.rest)

    def weights(self, dy: Array, x: Array) -> Array:
        pair = (x, dy) if self.transposed else (dy, x)
        return convolve_weights(*pair, self.w, *self.rest)


SHAPES = (
    Shape("3x3", (2, 3, 7, 6), (5, 3, 3, 3), (1, 1), (1, 1), (1, 1)),
    Shape("strided", (3, 2, 9, 8), (4, 2, 3, 2), (1, 0), (2, 3), (1, 1)),
    Shape("dilated", (2, 2, 9, 10), (3, 2, 3, 3), (2, 1), (1, 2), (2, 3)),
    Shape("groups", (2, 6, 5, 5), (4, 3, 3, 3), (1, 1), (1, 1), (1, 1), 2),
    Shape("depthwise", (2, 4, 6, 5), (8, 1, 3, 3), (1, 1), (2, 1), (1, 1), 4),
    Shape("1x1", (2, 5, 4, 3), (7, 5, 1, 1), (0, 0), (1, 1), (1, 1)),
    Shape("1x1 groups", (3, 6, 2, 3), (4, 3, 1, 1), (0, 0), (1, 1), (1, 1), 2),
    Shape("1x1 strided", (2, 5, 5, 6), (3, 5, 1, 1), (0, 0), (2, 2), (1, 1)),
    Shape("padding beyond", (1, 2, 3, 3), (2, 2, 2, 2), (3, 3), (2, 2), (1, 1)),
    Shape("one image, wide", (1, 3, 1, 40), (2, 3, 1, 5), (0, 2), (1, 1), (1, 1)),
    Shape("line", (2, 3, 11), (4, 3, 3), (1,), (2,), (1,)),
    Shape("volume", (2, 2, 4, 5, 3), (3, 2, 2, 3, 2), (1, 0, 1), (2, 1, 1), (1, 2, 1)),
    Shape("transposed", (2, 3, 4, 5), (3, 2, 3, 3), (1, 0), (2, 3), (1, 1), 1, True, (1, 2)),
    Shape("transposed groups", (2, 4, 3, 3), (4, 2, 2, 3), (0, 1), (1, 2), (2, 1), 2, True),
    Shape("one channel", (2, 1, 3, 4), (3, 1, 1, 1), (0, 0), (1, 1), (1, 1)),
    Shape("one result", (2, 3, 4, 3), (1, 3, 1, 1), (0, 0), (1, 1), (1, 1)),
)
# Deep enough, and one line apart, so that each line of the filters is a product of its own.
LINES = (
    Shape("lines", (5, 11, 6, 7), (4, 11, 3, 3), (1, 1), (1, 1), (1, 1)),
    Shape("lines, odd padding", (3, 16, 5, 6), (3, 16, 4, 2), (3, 0), (1, 2), (1, 1)),
    Shape("lines, dilated", (3, 16, 9, 5), (2, 16, 3, 2), (2, 1), (1, 1), (3, 2)),
    Shape("lines, groups", (3, 24, 5, 4), (4, 12, 2, 3), (1, 1), (1, 1), (1, 1), 2),
    Shape("lines, padding beyond", (2, 16, 2, 3), (2, 16, 3, 2), (4, 1), (1, 1), (1, 1)),
    Shape("lines, volume", (3, 9, 3, 4, 3), (2, 9, 2, 3, 2), (1, 1, 0), (2, 1, 1), (1, 1, 1)),
    Shape("lines, transposed", (3, 4, 4, 5), (4, 11, 3, 3), (1, 1), (1, 1), (1, 1), 1, True),
)
IDS = [shape.name for shape in SHAPES]


@dataclass
class Case:
    """Tensors of a shape and the calls on them."""

    api: Miopen
    shape: Shape
    type: int = FLOAT
    result: int | None = None  # type of the result where it is another
    layout: Any = default_strides
    exact: bool = False
    conv: int = field(init=False)

    def __post_init__(self) -> None:
        make = whole if self.exact else random
        s = self.shape
        self.values = {"x": make(*s.x), "w": make(*s.w), "y": make(*s.y)}
        types = {"x": self.type, "w": self.type, "y": self.type if self.result is None else self.result}
        self.tensors = {
            name: Tensor(self.api, value, types[name], self.layout(value.shape)) for name, value in self.values.items()
        }
        self.values = {name: tensor.values for name, tensor in self.tensors.items()}
        self.conv = self.api.make("Convolution")
        ints = [np.array(part, np.int32) for part in (s.pads, s.strides, s.dilations)]
        assert self.api.raw("InitConvolutionNdDescriptor", self.conv, len(s.pads), *ints, int(s.transposed)) == SUCCESS
        assert self.api.raw("SetConvolutionGroupCount", self.conv, s.groups) == SUCCESS
        if s.output_pads:
            adj = np.array(s.output_pads, np.int32)
            assert self.api.raw("SetTransposeConvNdOutputPadding", self.conv, len(adj), adj) == SUCCESS

    def roles(self, direction: str, find: bool) -> tuple[str, str, str]:
        """The two operands, in the order of the call, and the result."""
        if direction == "Forward":
            return ("x", "w", "y") if find else ("w", "x", "y")
        return ("y", "w", "x") if direction == "BackwardData" else ("y", "x", "w")

    def descriptors(self, direction: str) -> list[int]:
        first, second, result = (self.tensors[name].desc for name in self.roles(direction, False))
        return [first, second, self.conv, result]

    def operands(self, direction: str, find: bool) -> list[Any]:
        names = self.roles(direction, find)
        pairs = [(self.tensors[name].desc, self.tensors[name].memory) for name in names]
        return [*pairs[0], *pairs[1], self.conv, *pairs[2]]

    def workspace(self, direction: str) -> Array:
        size = self.api.size(f"Convolution{direction}GetWorkSpaceSize", *self.descriptors(direction))
        return np.zeros(size, np.uint8)

    def solutions(self, direction: str) -> list[Solution]:
        count = self.api.size(f"Convolution{direction}GetSolutionCount", *self.descriptors(direction))
        room = (Solution * count)()
        got = ctypes.c_size_t()
        arguments = (*self.descriptors(direction), count, ctypes.byref(got), room)
        self.api.ok(f"Convolution{direction}GetSolution", *arguments)
        return list(room[: got.value])

    def find(self, direction: str, workspace: Array) -> list[Perf]:
        room = (Perf * 4)()
        got = ctypes.c_int()
        self.api.ok(
            f"FindConvolution{direction}Algorithm", *self.operands(direction, True), 4, ctypes.byref(got), room,
            workspace, workspace.size, False,
        )  # fmt: skip
        return list(room[: got.value])

    def run(self, direction: str, algo: int, workspace: Array, alpha: Array = ONE, beta: Array = ZERO) -> int:
        a, b, c, d, conv, e, f = self.operands(direction, True)
        arguments = (alpha, a, b, c, d, conv, algo, beta, e, f, workspace, workspace.size)
        return self.api.call(f"Convolution{direction}", *arguments)

    def immediate(self, direction: str, solution: int, workspace: Array) -> int:
        arguments = (*self.operands(direction, False), workspace, workspace.size, solution)
        return self.api.call(f"Convolution{direction}Immediate", *arguments)

    def spoil(self, direction: str) -> None:
        """The result must be written, whole, and not read."""
        tensor = self.tensors[self.roles(direction, False)[2]]
        tensor.view[...] = 0x7FC0 if tensor.type == BFLOAT16 else 99 if tensor.type in (INT8, INT32) else np.nan

    def check(self, direction: str) -> None:
        x, w, y = self.values["x"], self.values["w"], self.values["y"]
        if direction == "Forward":
            wanted, name, sums = self.shape.forward(x, w), "y", self.shape.forward(abs(x), abs(w))
        elif direction == "BackwardData":
            wanted, name, sums = self.shape.data(y, w), "x", self.shape.data(abs(y), abs(w))
        else:
            wanted, name, sums = self.shape.weights(y, x), "w", self.shape.weights(abs(y), abs(x))
        tensor = self.tensors[name]
        # Sums are made in float and rounded once to 16 bits.
        tensor.close_to(wanted, sums if tensor.type == FLOAT else 1.0, steps=8 if tensor.type == FLOAT else 1)


@pytest.mark.parametrize("shape", [*SHAPES, *LINES], ids=lambda s: s.name)
@pytest.mark.parametrize("direction", DIRECTIONS)
def test_each_direction_by_each_solution(api: Miopen, shape: Shape, direction: str) -> None:
    case = Case(api, shape)
    workspace = case.workspace(direction)
    solutions = case.solutions(direction)
    assert len(solutions) == 2
    assert max(s.workspace_size for s in solutions) == workspace.size
    for solution in solutions:
        size = api.size(
            f"Convolution{direction}GetSolutionWorkspaceSize", *case.descriptors(direction), solution.solution_id
        )
        assert size == solution.workspace_size
        api.ok(f"Convolution{direction}CompileSolution", *case.descriptors(direction), solution.solution_id)
        case.spoil(direction)
        assert case.immediate(direction, solution.solution_id, workspace) == SUCCESS
        case.check(direction)


@pytest.mark.parametrize("type", [HALF, BFLOAT16], ids=TYPE_NAMES.get)
@pytest.mark.parametrize("shape", [*SHAPES[:6], *LINES], ids=lambda s: s.name)
@pytest.mark.parametrize("direction", DIRECTIONS)
def test_sixteen_bits(api: Miopen, shape: Shape, direction: str, type: int) -> None:
    case = Case(api, shape, type)
    case.spoil(direction)
    assert case.immediate(direction, case.solutions(direction)[0].solution_id, case.workspace(direction)) == SUCCESS
    case.check(direction)


@pytest.mark.parametrize("layout", [channels_last, gapped])
@pytest.mark.parametrize("shape", [*(SHAPES[i] for i in (0, 3, 5, 11, -2, -1)), *LINES], ids=lambda s: s.name)
@pytest.mark.parametrize("direction", DIRECTIONS)
def test_strides(api: Miopen, shape: Shape, direction: str, layout: Any) -> None:
    case = Case(api, shape, layout=layout)
    solutions = case.solutions(direction)
    assert len(solutions) == (1 if layout is channels_last else 2)  # the product wants the default layout
    case.spoil(direction)
    assert case.immediate(direction, solutions[0].solution_id, case.workspace(direction)) == SUCCESS
    case.check(direction)


@pytest.mark.parametrize("result", [INT32, FLOAT, INT8], ids=TYPE_NAMES.get)
@pytest.mark.parametrize("shape", [*SHAPES[:6], *LINES[:6]], ids=lambda s: s.name)
def test_bytes_are_exact(api: Miopen, shape: Shape, result: int) -> None:
    case = Case(api, shape, INT8, result, exact=True)
    case.spoil("Forward")
    assert case.immediate("Forward", case.solutions("Forward")[0].solution_id, case.workspace("Forward")) == SUCCESS
    wanted = shape.forward(case.values["x"], case.values["w"])
    if result == INT8:
        wanted = np.clip(wanted, -128, 127)
    assert np.array_equal(case.tensors["y"].values, wanted)


def test_bytes_beyond_what_a_float_holds(api: Miopen) -> None:
    shape = Shape("deep", (1, 2000, 1, 1), (1, 2000, 1, 1), (0, 0), (1, 1), (1, 1))
    case = Case(api, shape, INT8, INT32)
    case.tensors["x"].view[...] = 127
    case.tensors["w"].view[...] = 127
    case.tensors["w"].view[0, 0] = 126
    assert case.immediate("Forward", case.solutions("Forward")[0].solution_id, case.workspace("Forward")) == SUCCESS
    assert case.tensors["y"].values.item() == 1999 * 127 * 127 + 126 * 127


def test_many_tiles(api: Miopen) -> None:
    """An image of more columns than a tile, and images that are smaller than one."""
    for shape in (
        Shape("large", (1, 8, 90, 90), (2, 8, 3, 3), (1, 1), (1, 1), (1, 1)),
        Shape("many", (60, 2, 7, 7), (3, 2, 3, 3), (0, 0), (1, 1), (1, 1)),
        Shape("deep", (3, 600, 5, 5), (2, 600, 3, 3), (1, 1), (2, 2), (1, 1)),
        Shape("lines of one plane", (1, 40, 120, 130), (2, 40, 3, 3), (1, 1), (1, 1), (1, 1)),
        Shape("four planes and three", (7, 300, 14, 14), (2, 300, 3, 3), (1, 1), (1, 1), (1, 1)),
        Shape("halo for nothing", (1, 300, 40, 30), (2, 300, 3, 3), (12, 1), (1, 1), (12, 1)),
        Shape("parts of a line", (2, 700, 1, 900), (2, 700, 1, 3), (0, 1), (1, 1), (1, 1)),
        Shape("more filters than columns", (3, 40, 5, 5), (90, 40, 3, 3), (1, 1), (1, 1), (1, 1)),
    ):
        case = Case(api, shape)
        for direction in DIRECTIONS:
            case.spoil(direction)
            found = case.solutions(direction)[0].solution_id
            assert case.immediate(direction, found, case.workspace(direction)) == SUCCESS
            got = case.tensors[case.roles(direction, False)[2]]
            x, w, y = case.values["x"], case.values["w"], case.values["y"]
            wanted = _fast(direction, shape, x, w, y)
            got.close_to(wanted, _fast(direction, shape, abs(x), abs(w), abs(y)))
            got.view[...] = case.values[case.roles(direction, False)[2]]


def _fast(direction: str, shape: Shape, x: Array, w: Array, y: Array) -> Array:
    """The sums tap by tap: as naive, but with whole images at once (einsum without BLAS)."""
    (ph, pw), steps = shape.pads, shape.strides
    padded = np.pad(x, ((0, 0), (0, 0), (ph, ph), (pw, pw)))
    out, dx, dw = np.zeros(y.shape), np.zeros(padded.shape), np.zeros(w.shape)
    for tap in np.ndindex(w.shape[2:]):
        seen = (
            slice(at * apart, at * apart + step * (count - 1) + 1, step)
            for at, apart, step, count in zip(tap, shape.dilations, steps, y.shape[2:], strict=True)
        )
        part = (slice(None), slice(None), *seen)
        out += np.einsum("kc,nchw->nkhw", w[(..., *tap)], padded[part])
        dx[part] += np.einsum("kc,nkhw->nchw", w[(..., *tap)], y)
        dw[(..., *tap)] = np.einsum("nkhw,nchw->kc", y, padded[part])
    if direction == "Forward":
        return out
    return dx[:, :, ph : ph + x.shape[2], pw : pw + x.shape[3]] if direction == "BackwardData" else dw


@pytest.mark.parametrize("shape", [SHAPES[0], *LINES[:6]], ids=lambda s: s.name)
@pytest.mark.parametrize("direction", DIRECTIONS[:2])
def test_a_nan_goes_where_it_is_seen(api: Miopen, shape: Shape, direction: str) -> None:
    """To no other image and no other position: images lie side by side in a product."""
    case = Case(api, shape)
    operand, result = ("x", "y") if direction == "Forward" else ("y", "x")
    place = (1, 0, *(n // 2 for n in case.values[operand].shape[2:]))
    case.tensors[operand].view[place] = np.nan
    case.spoil(direction)
    assert case.immediate(direction, case.solutions(direction)[0].solution_id, case.workspace(direction)) == SUCCESS
    values = {**case.values, operand: case.values[operand].copy()}
    values[operand][place] = np.nan
    wanted = shape.forward(values["x"], values["w"]) if result == "y" else shape.data(values["y"], values["w"])
    assert np.array_equal(np.isnan(case.tensors[result].values), np.isnan(wanted))
    assert 0 < np.isnan(wanted).sum() < wanted.size


# ---- Find before the call, unless the mode is immediate ----


@pytest.mark.parametrize("direction", DIRECTIONS)
@pytest.mark.parametrize("shape", [SHAPES[0], SHAPES[5], SHAPES[12]], ids=lambda s: s.name)
def test_find_first(api: Miopen, shape: Shape, direction: str) -> None:
    case = Case(api, shape)
    workspace = case.workspace(direction)
    for algo in (PRODUCT, DIRECT):
        assert case.run(direction, algo, workspace) == UNKNOWN
    # The immediate mode needs no Find, and does not stand for one.
    assert case.immediate(direction, case.solutions(direction)[0].solution_id, workspace) == SUCCESS
    assert case.run(direction, PRODUCT, workspace) == UNKNOWN
    found = case.find(direction, workspace)
    assert [f.algo for f in found] == [PRODUCT, DIRECT]
    assert [f.memory for f in found] == [workspace.size, 0]
    assert found[0].time < found[1].time
    for algo in (PRODUCT, DIRECT):
        case.spoil(direction)
        assert case.run(direction, algo, workspace) == SUCCESS
        case.check(direction)
    assert case.run(direction, 3, workspace) == UNKNOWN  # Winograd was not found


def test_find_is_for_one_problem_and_one_handle(api: Miopen) -> None:
    case = Case(api, SHAPES[0])
    workspace = case.workspace("Forward")
    case.find("Forward", workspace)
    assert case.run("Forward", PRODUCT, workspace) == SUCCESS
    assert case.run("BackwardData", PRODUCT, case.workspace("BackwardData")) == UNKNOWN
    # The same lengths with other strides are another problem; the same in another descriptor are not.
    other = Case(api, SHAPES[0], layout=gapped)
    assert other.run("Forward", PRODUCT, other.workspace("Forward")) == UNKNOWN
    assert Case(api, SHAPES[0]).run("Forward", PRODUCT, workspace) == SUCCESS
    first, second = api.handle, ctypes.c_void_p()
    assert api.raw("Create", ctypes.byref(second)) == SUCCESS
    api.handle = second.value
    assert case.run("Forward", PRODUCT, workspace) == UNKNOWN
    assert api.raw("Destroy", api.handle) == SUCCESS
    api.handle = first


def test_find_without_room_finds_what_needs_none(api: Miopen) -> None:
    case = Case(api, SHAPES[0])
    none = np.zeros(0, np.uint8)
    assert [f.algo for f in case.find("Forward", none)] == [DIRECT]
    assert case.run("Forward", DIRECT, none) == SUCCESS
    assert case.run("Forward", PRODUCT, case.workspace("Forward")) == UNKNOWN


def test_find_remembers_hundreds(api: Miopen) -> None:
    cases = [Case(api, Shape("", (1, 1, 3, n), (1, 1, 1, 1), (0, 0), (1, 1), (1, 1))) for n in range(1, 200)]
    none = np.zeros(0, np.uint8)
    for case in cases:
        case.find("Forward", none)
    assert all(case.run("Forward", DIRECT, none) == SUCCESS for case in cases)


# ---- refusals ----


@pytest.mark.parametrize("direction", DIRECTIONS)
def test_factors(api: Miopen, direction: str) -> None:
    plane, volume = Case(api, SHAPES[0]), Case(api, SHAPES[11])
    for case, wanted in ((plane, NOT_IMPLEMENTED), (volume, UNKNOWN)):
        workspace = case.workspace(direction)
        case.find(direction, workspace)
        assert case.run(direction, DIRECT, workspace, number(2), ZERO) == wanted
        assert case.run(direction, DIRECT, workspace, ONE, number(1)) == wanted
        assert case.run(direction, DIRECT, workspace) == SUCCESS


@pytest.mark.parametrize("direction", DIRECTIONS)
def test_workspace(api: Miopen, direction: str) -> None:
    case = Case(api, SHAPES[0])
    product, direct = (s.solution_id for s in case.solutions(direction))
    workspace = case.workspace(direction)
    c, taps, positions = 3, 9, case.shape.y[2] * case.shape.y[3]
    assert workspace.size == 4 * c * taps * positions
    assert case.immediate(direction, product, workspace[:-1]) == UNKNOWN
    assert case.immediate(direction, product, np.zeros(0, np.uint8)) == UNKNOWN
    assert case.immediate(direction, direct, np.zeros(0, np.uint8)) == SUCCESS
    guarded = np.full(workspace.size + 64, 5, np.uint8)
    assert case.immediate(direction, product, guarded[: workspace.size]) == SUCCESS
    assert (guarded[workspace.size :] == 5).all()
    assert (guarded[[0, workspace.size - 1]] != 5).all()  # it is taken, so it must be the caller's to give


@pytest.mark.parametrize("direction", DIRECTIONS)
def test_wrong_solution_and_null(api: Miopen, direction: str) -> None:
    case = Case(api, SHAPES[0])
    workspace = case.workspace(direction)
    for wrong in (0, 1, 84, 88, 93, 2**63):
        assert case.immediate(direction, wrong, workspace) == BAD_PARM
        assert api.call(f"Convolution{direction}CompileSolution", *case.descriptors(direction), wrong) == BAD_PARM
    good = case.solutions(direction)[0].solution_id
    arguments = case.operands(direction, False)
    for i in range(len(arguments)):
        broken = [*arguments]
        broken[i] = None
        assert api.call(f"Convolution{direction}Immediate", *broken, workspace, workspace.size, good) == BAD_PARM


def test_shapes_that_do_not_fit(api: Miopen) -> None:
    case = Case(api, SHAPES[0])
    good = case.descriptors("Forward")
    size = np.zeros(1, np.uint64)
    for place, lens in (
        (0, (5, 4, 3, 3)), (0, (5, 3, 3)), (1, (2, 4, 7, 6)), (3, (2, 5, 7, 5)), (3, (2, 4, 7, 6)), (3, (3, 5, 7, 6)),
    ):  # fmt: skip
        wrong = [*good]
        wrong[place] = api.tensor(FLOAT, lens)
        assert api.call("ConvolutionForwardGetWorkSpaceSize", *wrong, size) == BAD_PARM
    for place in (0, 1, 3):
        wrong = [*good]
        wrong[place] = api.tensor(HALF, ((5, 3, 3, 3), (2, 3, 7, 6), (), (2, 5, 7, 6))[place])
        assert api.call("ConvolutionForwardGetWorkSpaceSize", *wrong, size) == BAD_PARM
    assert api.raw("SetConvolutionGroupCount", case.conv, 2) == SUCCESS
    assert api.call("ConvolutionForwardGetWorkSpaceSize", *good, size) == BAD_PARM


def test_types_that_mi_open_has_not(api: Miopen) -> None:
    size = np.zeros(1, np.uint64)
    for type in (DOUBLE, INT32):
        case = Case(api, SHAPES[0], type)
        assert api.call("ConvolutionForwardGetWorkSpaceSize", *case.descriptors("Forward"), size) == NOT_IMPLEMENTED
    case = Case(api, SHAPES[0], INT8, INT32)
    assert (
        api.call("ConvolutionBackwardWeightsGetWorkSpaceSize", *case.descriptors("BackwardWeights"), size) == BAD_PARM
    )


# ---- descriptors ----


def test_descriptor(api: Miopen) -> None:
    conv = api.make("Convolution")
    out = np.full(7, -9, np.int32)
    places = [out.ctypes.data + 4 * i for i in range(7)]
    assert api.raw("GetConvolutionDescriptor", conv, *places) == SUCCESS
    assert out.tolist() == [0, 0, 0, 1, 1, 1, 1]
    assert api.raw("InitConvolutionDescriptor", conv, 1, 1, 2, 3, 4, 5, 6) == SUCCESS
    assert api.raw("GetConvolutionDescriptor", conv, *places) == SUCCESS
    assert out.tolist() == [1, 1, 2, 3, 4, 5, 6]
    for mode, kept in ((2, 0), (3, 0), (0, 0)):  # group and depthwise are names for a plain one
        assert api.raw("InitConvolutionDescriptor", conv, mode, 0, 0, 1, 1, 1, 1) == SUCCESS
        assert api.raw("GetConvolutionDescriptor", conv, *places) == SUCCESS
        assert out[0] == kept
    for wrong in ((4, 0, 0, 1, 1, 1, 1), (0, -1, 0, 1, 1, 1, 1), (0, 0, 0, 0, 1, 1, 1), (0, 0, 0, 1, 1, 1, 0)):
        assert api.raw("InitConvolutionDescriptor", conv, *wrong) == BAD_PARM
    dims = np.zeros(1, np.int32)
    three = np.array([1, 2, 3], np.int32)
    assert api.raw("InitConvolutionNdDescriptor", conv, 3, three, three, three, 0) == SUCCESS
    assert api.raw("GetConvolutionSpatialDim", conv, dims) == SUCCESS
    assert dims[0] == 3
    assert api.raw("GetConvolutionDescriptor", conv, *places) == UNKNOWN
    got = [np.zeros(3, np.int32) for _ in range(3)]
    assert api.raw("GetConvolutionNdDescriptor", conv, 3, dims, *got, out) == SUCCESS
    assert all(part.tolist() == [1, 2, 3] for part in got)
    assert api.raw("GetConvolutionNdDescriptor", conv, 4, dims, *got, out) == UNKNOWN
    # Setting anew forgets the groups.
    assert api.raw("SetConvolutionGroupCount", conv, 4) == SUCCESS
    assert api.raw("InitConvolutionDescriptor", conv, 0, 0, 0, 1, 1, 1, 1) == SUCCESS
    assert api.raw("GetConvolutionGroupCount", conv, dims) == SUCCESS
    assert dims[0] == 1


def test_attributes(api: Miopen) -> None:
    conv = api.make("Convolution")
    value = np.zeros(1, np.int32)
    for attribute, first, values, wrong in ((0, -1, (0, 1, -1), (2, -2)), (1, 0, (1, 0), (-1, 2)), (2, 0, (1,), (2,))):
        assert api.raw("GetConvolutionAttribute", conv, attribute, value) == SUCCESS
        assert value[0] == first
        for new in values:
            assert api.raw("SetConvolutionAttribute", conv, attribute, new) == SUCCESS
            assert api.raw("GetConvolutionAttribute", conv, attribute, value) == SUCCESS
            assert value[0] == new
        for bad in wrong:
            assert api.raw("SetConvolutionAttribute", conv, attribute, bad) == BAD_PARM
    assert api.raw("SetConvolutionAttribute", conv, 3, 0) == BAD_PARM
    assert api.raw("GetConvolutionFindMode", conv, value) == SUCCESS
    assert value[0] == 5
    assert api.raw("SetConvolutionFindMode", conv, 1) == SUCCESS
    assert api.raw("GetConvolutionFindMode", conv, value) == SUCCESS
    assert value[0] == 1


@pytest.mark.parametrize("shape", SHAPES, ids=IDS)
def test_output_lengths(api: Miopen, shape: Shape) -> None:
    case = Case(api, shape)
    dims, lens = np.zeros(1, np.int32), np.zeros(8, np.int32)
    x, w = case.tensors["x"].desc, case.tensors["w"].desc
    assert api.raw("GetConvolutionNdForwardOutputDim", case.conv, x, w, dims, lens) == SUCCESS
    assert tuple(lens[: dims[0]]) == shape.y
    four = [lens.ctypes.data + 4 * i for i in range(4)]
    status = api.raw("GetConvolutionForwardOutputDim", case.conv, x, w, *four)
    assert status == (SUCCESS if len(shape.x) == 4 else UNKNOWN)


# ---- bias ----


@pytest.mark.parametrize("type", [FLOAT, HALF], ids=TYPE_NAMES.get)
def test_forward_bias(api: Miopen, type: int) -> None:
    y, b = Tensor(api, random(2, 3, 4, 5), type), Tensor(api, random(1, 3, 1, 1), type)
    wanted = y.values + b.values
    api.ok("ConvolutionForwardBias", ONE, b.desc, b.memory, ZERO, y.desc, y.memory)
    y.close_to(wanted, steps=1)
    # α is for both, and β adds the old y once more.
    wanted = 2 * (y.values + b.values) + 3 * y.values
    api.ok("ConvolutionForwardBias", number(2), b.desc, b.memory, number(3), y.desc, y.memory)
    y.close_to(wanted, steps=1)
    bf = Tensor(api, random(2, 3, 4, 5), BFLOAT16)
    assert api.call("ConvolutionForwardBias", ONE, b.desc, b.memory, ZERO, bf.desc, bf.memory) == NOT_IMPLEMENTED


@pytest.mark.parametrize("type", [FLOAT, HALF, BFLOAT16], ids=TYPE_NAMES.get)
@pytest.mark.parametrize("layout", [default_strides, channels_last, gapped])
@pytest.mark.parametrize("lens", [(2, 3, 4, 5), (2, 3, 4, 2, 3), (4, 2, 5)])
def test_backward_bias(api: Miopen, type: int, layout: Any, lens: tuple[int, ...]) -> None:
    dy = Tensor(api, random(*lens), type, layout(lens))
    db = Tensor(api, np.full((1, lens[1], *(1 for _ in lens[2:])), np.nan), type)
    api.ok("ConvolutionBackwardBias", ONE, dy.desc, dy.memory, ZERO, db.desc, db.memory)
    axes = (0, *range(2, len(lens)))
    db.close_to(dy.values.sum(axis=axes, keepdims=True), steps=1)
    assert api.call("ConvolutionBackwardBias", number(2), dy.desc, dy.memory, ZERO, db.desc, db.memory) == UNKNOWN
    assert api.call("ConvolutionBackwardBias", ONE, dy.desc, dy.memory, number(1), db.desc, db.memory) == UNKNOWN
