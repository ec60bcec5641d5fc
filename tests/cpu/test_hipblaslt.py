"""The CPU backend's hipBLASLt: names and numbers are AMD's, and so is what AMD's library reads otherwise than one would think."""

from __future__ import annotations

import ctypes
import re
from pathlib import Path
from typing import Any

import facts
import lief
import numpy as np
import pytest
from dragoman.generate import cpu_hipblaslt
from dragoman.tables.loader import load

VERSION = "7.2.4"
SUCCESS, INVALID_VALUE, INTERNAL_ERROR, NOT_SUPPORTED = 0, 3, 6, 7
OURS = {"hipblasLtDragomanProduct", "hipblasLtDragomanTransform"}
N = 8


@pytest.fixture(scope="module")
def lt(library: Path) -> ctypes.CDLL:
    return ctypes.CDLL(str(library.with_name("libhipblaslt.so.1")))


def test_exports(library: Path) -> None:
    binary = lief.parse(str(library.with_name("libhipblaslt.so.1")))
    assert isinstance(binary, lief.ELF.Binary)
    found = {s.name for s in binary.exported_symbols}
    assert found == set(cpu_hipblaslt.exports())
    assert found - OURS <= facts.exports("hipblaslt", VERSION)
    assert set(load().libraries["cublasLt"].support) & {n for n in found if n.startswith("hipblasLt")} == {
        n for n in load().libraries["cublasLt"].support if n.startswith("hipblasLt")
    }


def test_numbers() -> None:
    known = {name: value for enum in facts.rocm_enums("hipblaslt", VERSION).values() for name, value in enum.items()}
    header = (cpu_hipblaslt.hand_written() / "hipblaslt.h").read_text(encoding="utf-8")
    given = re.findall(r"\b(HIP\w+) = (\d+)", header)
    assert len(given) > 60
    assert {name: int(value) for name, value in given} == {name: known[name] for name, _ in given}


def test_parameters() -> None:
    declared = facts.rocm_functions("hipblaslt", VERSION)
    texts = "".join(p.read_text(encoding="utf-8") for p in cpu_hipblaslt.hand_written().glob("*.pyx"))
    found = dict(re.findall(r"^cdef public hipblasStatus_t (hipblasLt\w+)\(([^)]*)\)", texts, re.MULTILINE))
    counts = {name: len(parameters.split(",")) for name, parameters in found.items() if name not in OURS}
    assert counts == {name: len(declared[name].params) for name in counts}


class Client:
    """Products of N by N ones."""

    def __init__(self, lt: ctypes.CDLL) -> None:
        self.lt = lt
        self.handle = ctypes.c_void_p()
        assert lt.hipblasLtCreate(ctypes.byref(self.handle)) == SUCCESS

    def layout(self, kind: int, order: int = 0) -> ctypes.c_void_p:
        made = ctypes.c_void_p()
        size = ctypes.c_uint64(N)
        assert self.lt.hipblasLtMatrixLayoutCreate(ctypes.byref(made), kind, size, size, ctypes.c_int64(N)) == SUCCESS
        variable = ctypes.c_int32(order)
        self.lt.hipblasLtMatrixLayoutSetAttribute(made, 3, ctypes.byref(variable), ctypes.c_size_t(4))
        return made

    def product(
        self, attributes: dict[int, Any], alpha: Any, kind: int = 0, order: int = 0, compute: int = 2
    ) -> tuple[int, Any]:
        desc = ctypes.c_void_p()
        assert self.lt.hipblasLtMatmulDescCreate(ctypes.byref(desc), compute, 0) == SUCCESS
        for number, value in attributes.items():
            variable = ctypes.c_int32(value) if value < 1 << 31 else ctypes.c_uint64(value)
            size = ctypes.c_size_t(ctypes.sizeof(variable))
            assert self.lt.hipblasLtMatmulDescSetAttribute(desc, number, ctypes.byref(variable), size) == SUCCESS
        a, d = np.ones((N, N), np.float32), np.zeros((N, N), np.float32, order="F")
        factors, beta = np.array(alpha, np.float32), np.zeros(1, np.float32)
        layout = self.layout(kind, order)
        place = [ctypes.c_void_p(x.ctypes.data) for x in (factors, a, beta, d)]
        status = self.lt.hipblasLtMatmul(
            self.handle, desc, place[0], place[1], layout, place[1], layout, place[2], place[3], layout, place[3], layout,
            None, None, ctypes.c_size_t(0), None,
        )  # fmt: skip
        return status, d

    def transform(self, a: int, c: int, order: int = 0) -> int:
        desc, one, room = ctypes.c_void_p(), np.ones(1, np.float32), np.zeros((2, N * N * 8), np.uint8)
        assert self.lt.hipblasLtMatrixTransformDescCreate(ctypes.byref(desc), 0) == SUCCESS
        there, to, alpha = (ctypes.c_void_p(x.ctypes.data) for x in (room[0], room[1], one))
        found: int = self.lt.hipblasLtMatrixTransform(
            self.handle, desc, alpha, there, self.layout(a), None, None, None, to, self.layout(c, order), None
        )
        return found


@pytest.fixture
def client(lt: ctypes.CDLL) -> Client:
    return Client(lt)


def test_a_product(client: Client) -> None:
    status, d = client.product({}, [2.0])
    assert status == SUCCESS
    assert (d == 2 * N).all()


def test_every_other_pointer_mode_makes_alpha_a_vector(client: Client) -> None:
    status, d = client.product({13: 1}, np.arange(N))
    assert status == SUCCESS
    assert (d == N * np.arange(N)[:, None]).all()


def test_a_bias_needs_a_type(client: Client) -> None:
    bias = np.arange(N, dtype=np.float32)
    place = int(bias.ctypes.data)
    assert client.product({2: 4, 3: place}, [1.0])[0] == NOT_SUPPORTED
    status, d = client.product({2: 4, 3: place, 4: 0}, [1.0])
    assert status == SUCCESS
    assert (d == N + bias[:, None]).all()


@pytest.mark.parametrize("epilogue", [130, 136, 152, 65536, 3])
def test_other_epilogues(client: Client, epilogue: int) -> None:
    assert client.product({2: epilogue}, [1.0])[0] == NOT_SUPPORTED


def test_orders_by_columns_alone(client: Client) -> None:
    assert client.product({}, [1.0], order=1)[0] == NOT_SUPPORTED


@pytest.mark.parametrize("compute", [0, 1, 3, 8, 10, 100])
def test_pedantic_and_16_bit_computing_types_are_refused(lt: ctypes.CDLL, compute: int) -> None:
    desc = ctypes.c_void_p()
    assert lt.hipblasLtMatmulDescCreate(ctypes.byref(desc), compute, 0) == INVALID_VALUE


def test_transforms_of_one_type_by_columns_and_rows(client: Client) -> None:
    assert client.transform(0, 0) == client.transform(0, 0, 1) == SUCCESS
    assert client.transform(1, 1) == client.transform(0, 0, 2) == INTERNAL_ERROR
