"""The driver's functions that we have, against the headers of each version: prototypes, and the names that macros lead to them.

The driver here is a part of NVIDIA's. Who compiles with NVIDIA's header calls the forms that its macros choose, so that a function
without the form of one version is not there for programs of that version.
"""

from __future__ import annotations

import re

import facts
import pytest
from dragoman.tables import loader

TABLES = loader.load()
OURS = {major: {f.name: f for f in TABLES.functions("cuda", major)} for major in (11, 12, 13)}
# One kind of parameter for both libraries, and 64 bits by their own name.
SPELLED = {"cudaStream_t": "CUstream", "cudaEvent_t": "CUevent", "uint64_t": "cuuint64_t"}
OTHERWISE = {"cuLaunchKernelEx"}  # a struct of attributes for kernels, which are refused
ALIKE = {"cuDeviceGetUuid", "cuEventElapsedTime"}  # CUDA 13 leads them to forms that answer the same here


def _normal(ctype: str) -> str:
    return facts.normal(re.sub(r"\w+", lambda word: SPELLED.get(word[0], word[0]), ctype))


@pytest.mark.parametrize("major", OURS)
def test_prototypes(major: int) -> None:
    wrong = []
    for name, known in facts.driver_functions(major).items():
        function = OURS[major].get(name)
        if function is None or name in OTHERWISE:
            continue
        ours = [_normal(p.ctype) for p in function.params]
        if ours != [_normal(p.ctype) for p in known.params]:
            wrong.append(f"{function.entry.where}: {function.prototype}\n  header: {known.prototype}")
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("major", OURS)
def test_names_that_macros_lead_to(major: int) -> None:
    """Of functions that we have in any form, the form to which the version's header leads is there, and ours leads to it."""
    bases = {re.sub(r"_v\d(_pt[sd][sz])?$", "", name) for name in OURS[major]}
    led = {f.alias: f.name for f in sorted(OURS[major].values(), key=lambda f: f.name) if f.alias}
    theirs = {known.alias: known.name for known in facts.driver_functions(major).values() if known.alias}
    assert led == {alias: name for alias, name in theirs.items() if alias in bases - ALIKE}
