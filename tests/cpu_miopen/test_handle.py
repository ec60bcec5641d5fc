"""Handles, versions, messages, and what the library exports."""

from __future__ import annotations

import ctypes
import re
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest
from dragoman.generate import cpu_miopen
from miopen_client import BAD_PARM, FACTS, FLOAT, ONE, SUCCESS, ZERO, Miopen, Tensor, prototypes, random

_NAME = re.compile(r"^cdef public (.+?)(miopen\w+)\((.*?)\) noexcept nogil:", re.MULTILINE | re.DOTALL)


def test_each_export_has_amds_prototype() -> None:
    """Parameter by parameter: the same sort of thing in the same place."""
    known = prototypes()
    seen = 0
    for path in cpu_miopen.hand_written().glob("*.pyx"):
        for _, name, text in _NAME.findall(path.read_text(encoding="utf-8")):
            seen += 1
            ours = [_sort(part) for part in text.replace("\n", " ").split(",")]
            theirs = [_sort(part) for part in known[name]]
            assert ours == theirs, name
    assert seen == len(cpu_miopen.exports())


def _sort(declaration: str) -> tuple[str, str]:
    """(type as far as the ABI goes, name)."""
    words = declaration.replace("*", " * ").replace("[]", " *").replace("const ", "").split()
    name = words[-1]
    stars = words.count("*")
    kind = " ".join(word for word in words[:-1] if word != "*")
    if kind.endswith(("Descriptor_t", "Handle_t", "Args_t")):
        kind, stars = "pointer", stars + 1
    if kind in ("miopenAcceleratorQueue_t", "hipStream_t"):
        kind, stars = "pointer", stars + 1
    if re.fullmatch(r"miopen\w+_t", kind) and not stars:
        kind = "int"
    if stars:
        return "*" * stars, name
    kind = {"mi_bool": "bool", "_Bool": "bool", "int32_t": "int", "unsigned": "unsigned int"}.get(kind, kind)
    return kind, name


def test_exports(library: Path) -> None:
    listed = subprocess.run(["nm", "-D", "--defined-only", str(library)], capture_output=True, text=True, check=True)
    names = {line.split()[-1].split("@")[0] for line in listed.stdout.splitlines()}
    assert {name for name in names if name.startswith("mi")} == set(cpu_miopen.exports())
    assert (FACTS / "miopen-7.2.4.functions.tsv").is_file()


def test_messages_and_versions(api: Miopen) -> None:
    text = api.function("GetErrorString")
    assert [text(i).decode() for i in (0, 3, 10)] == [
        "miopenStatusSuccess", "miopenStatusBadParm", "miopenStatusVersionMismatch",
    ]  # fmt: skip
    assert text(11) == text(-1) == b"Unknown error status"
    version = np.zeros(3, np.uint64)
    places = [version.ctypes.data + 8 * i for i in range(3)]
    assert api.raw("GetVersion", *places) == SUCCESS
    assert version[0] == 3
    assert api.raw("GetVersion", None, None, None) == SUCCESS


def test_state(api: Miopen) -> None:
    place = ctypes.c_void_p()
    assert api.call("GetStream", ctypes.byref(place)) == SUCCESS
    assert place.value is None
    assert api.call("SetStream", 0x1234) == SUCCESS
    assert api.call("GetStream", ctypes.byref(place)) == SUCCESS
    assert place.value == 0x1234
    made = ctypes.c_void_p()
    assert api.raw("CreateWithStream", ctypes.byref(made), 0x99) == SUCCESS
    assert api.raw("GetStream", made, ctypes.byref(place)) == SUCCESS
    assert place.value == 0x99
    assert api.raw("Destroy", made) == SUCCESS
    time = ctypes.c_float(5)
    assert api.call("EnableProfiling", True) == SUCCESS
    assert api.call("GetKernelTime", ctypes.byref(time)) == SUCCESS
    assert time.value == 0
    policy = ctypes.c_int()
    assert api.call("GetTuningPolicy", ctypes.byref(policy)) == SUCCESS
    assert policy.value == 1
    assert api.call("SetTuningPolicy", 3) == SUCCESS
    assert api.call("SetTuningPolicy", 6) == BAD_PARM
    assert api.call("SetAllocator", None, None, None) == SUCCESS


def test_null_and_foreign_handles(api: Miopen) -> None:
    conv = api.make("Convolution")  # an object, but no handle
    place = ctypes.c_void_p()
    for wrong in (None, conv):
        assert api.raw("Destroy", wrong) == BAD_PARM
        assert api.raw("SetStream", wrong, None) == BAD_PARM
        assert api.raw("GetStream", wrong, ctypes.byref(place)) == BAD_PARM
        x = api.tensor(FLOAT, (1, 1, 1, 1))
        assert api.raw("SoftmaxForward", wrong, ONE, x, ONE, ZERO, x, ONE) == BAD_PARM
    assert api.raw("Create", None) == BAD_PARM


CREATED = ("Tensor", "Convolution", "Pooling", "LRN", "Activation")


@pytest.mark.parametrize("sort", CREATED)
def test_objects_of_another_sort(api: Miopen, sort: str) -> None:
    for other in CREATED:
        made = api.make(other)
        if other != sort:
            assert api.raw(f"Destroy{sort}Descriptor", made) == BAD_PARM
    assert api.raw(f"Destroy{sort}Descriptor", None) == BAD_PARM
    assert api.raw(f"Create{sort}Descriptor", None) == BAD_PARM


# ---- threads ----


def test_many_threads_at_once(api: Miopen) -> None:
    """Each with its own tensors; who finds the workers busy works alone."""
    x = random(4, 8, 33, 35)
    pairs = [(Tensor(api, x), Tensor(api, x * 0)) for _ in range(6)]
    descriptor = api.set("Activation", 3, 0.0, 0.0, 0.0)
    wrong = []

    def work(a: Tensor, b: Tensor) -> None:
        for _ in range(20):
            b.view[...] = np.nan
            if api.call("ActivationForward", descriptor, ONE, a.desc, a.memory, ZERO, b.desc, b.memory) != SUCCESS:
                wrong.append("status")
            if not np.array_equal(b.values, np.maximum(x, 0)):
                wrong.append("values")

    threads = [threading.Thread(target=work, args=pair) for pair in pairs]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


PROGRAM = """
import os, sys
sys.path.insert(0, sys.argv[2])
import numpy as np
from pathlib import Path
from miopen_client import Miopen, Tensor, ONE, ZERO, SUCCESS
api = Miopen(Path(sys.argv[1]))
api.open()
x = Tensor(api, np.arange(200000, dtype=float).reshape(2, 100, 100, 10) - 1000)
y = Tensor(api, x.values * 0)
relu = api.set("Activation", 3, 0.0, 0.0, 0.0)
def run():
    y.view[...] = np.nan
    assert api.call("ActivationForward", relu, ONE, x.desc, x.memory, ZERO, y.desc, y.memory) == SUCCESS
    assert np.array_equal(y.values, np.maximum(x.values, 0))
run()
child = os.fork()
run()
if child == 0:
    os._exit(0)
assert os.waitpid(child, 0)[1] == 0
"""


def test_a_fork_works_on(library: Path) -> None:
    folder = str(Path(__file__).resolve().parent)
    subprocess.run([sys.executable, "-c", PROGRAM, str(library), folder], check=True, timeout=60)
