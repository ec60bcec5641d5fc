"""The cuDNN suite's own list of prototypes (`mapping/parity/dnn/prototypes.py`) against NVIDIA's headers.

The suite passes its arguments by that list, not by the tables that it judges; a slip in it would show as a fault of the library.
"""

from __future__ import annotations

import pytest
from dragoman.parity.dnn.prototypes import PROTOTYPES, Prototype
from facts import cuda_enums, cuda_functions

VERSIONS = (8, 9)
CASES = [(p, v) for p in PROTOTYPES.values() for v in VERSIONS if p.exists(v)]
# The kinds that may stand for a C type; a pointer may have several meanings.
PLAIN = {
    "int": "i", "unsigned int": "i", "int32_t": "i", "uint32_t": "i", "size_t": "z", "int64_t": "l", "uint64_t": "l",
    "unsigned long long": "l", "float": "f", "double": "g", "cudnnHandle_t": "h", "cudaStream_t": "d",
}  # fmt: skip


def kinds(ctype: str, version: int) -> str:
    """Letters of `prototypes.py` that pass a parameter of this C type rightly."""
    text = ctype.replace("[]", " *")
    base = " ".join(text.replace("*", " ").replace("const", " ").split())
    stars = text.count("*")
    if not stars:
        if base in PLAIN:
            return PLAIN[base]
        return "e" if base in cuda_enums("cudnn", version) or base == "libraryPropertyType" else "d"
    if stars == 1 and base == "void":
        return "ps" if text.startswith("const") else "wos"
    if text.startswith("const"):
        return "ap"
    return "Dow"


@pytest.mark.parametrize(("prototype", "version"), CASES, ids=[f"{p.name}-{v}" for p, v in CASES])
def test_as_in_the_headers(prototype: Prototype, version: int) -> None:
    declared = cuda_functions("cudnn", version)[prototype.name]
    assert [p.name for p in prototype.parameters] == [p.name for p in declared.params]
    for ours, theirs in zip(prototype.parameters, declared.params, strict=True):
        assert ours.kind in kinds(theirs.ctype, version), f"{ours.name}: {theirs.ctype}"
    results = {"cudnnStatus_t": "", "size_t": "z", "const char *": "p", "void": "v"}
    assert prototype.result == results[declared.result]


def test_versions() -> None:
    """A function that a version has is not said to be the other's alone."""
    for name, prototype in PROTOTYPES.items():
        assert {v for v in VERSIONS if prototype.exists(v)} == {
            v for v in VERSIONS if name in cuda_functions("cudnn", v)
        }, name
