"""What HIP is given by the functions that hand their arguments on: the right function of AMD's, each argument in its place.

The stand-in for HIP is made here: it has every function and answers 0, having written down which one was called with what. So
graphs, pools and the like are seen too, of which the CPU backend has none.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from cudart_programs import RUNTIME, Built
from dragoman.build import LINUX, Library, Unit, build, find_toolchain
from dragoman.tables.loader import load
from dragoman.tables.model import Function

MAJORS = (11, 12, 13)
STREAM = 0x50000  # a stream by address
PER_THREAD = 2  # the stream of the calling thread, in both APIs' numbers
_BY_VALUE = (
    "cudaExtent",
    "cudaPitchedPtr",
    "cudaMemLocation",
    "CUmemLocation",
    "dim3",
)  # structs: what the programs of c/ call

_PROGRAM = """
import ctypes, json, sys
library, hip, calls = ctypes.CDLL(sys.argv[1]), ctypes.CDLL(sys.argv[2]), json.loads(sys.stdin.read())
hip.telling_name.restype = ctypes.c_char_p
hip.telling_argument.restype = ctypes.c_uint64
area = ctypes.create_string_buffer(1 << 16)
base = ctypes.addressof(area)
if "cuInit" in sys.argv[3:]:
    library.cuInit(0)
for name, arguments in calls:
    ctypes.memset(base, 0, len(area))
    given = [ctypes.c_uint64(base + v if kind == "place" else v) for kind, v in arguments]
    hip.telling_forget()
    try:
        answer = getattr(library, name)(*given)
    except AttributeError:
        answer = "missing"
    met = [hip.telling_argument(i) for i in range(len(given))]
    places = [m - base if base <= m < base + len(area) else m for m in met]
    print(json.dumps([name, answer, hip.telling_name().decode(), places]), flush=True)
"""


# Names of AMD's that are not NVIDIA's with another beginning.
_OTHER_NAMES = {
    "cudaThreadSynchronize": "hipDeviceSynchronize",
    "cudaFreeHost": "hipHostFree",
    "cudaHostAlloc": "hipHostMalloc",
    "cuMemAllocFromPoolAsync": "hipMallocFromPoolAsync",
}


def amds(name: str, major: int) -> str:
    """AMD's function, from the name alone; not from the table that the library is made of."""
    plain = re.sub(r"_(ptsz|ptds)$", "", name)
    if plain == "cudaGraphInstantiate" and major > 11:
        return "hipGraphInstantiateWithFlags"  # since CUDA 12 it takes flags
    return _OTHER_NAMES.get(plain) or re.sub("^cu(da)?", "hip", plain)


def handed_on(library: str, major: int) -> list[Function]:
    return [
        f
        for f in load().functions(library, major)
        if f.kind == "direct" and f.entry.os in ("", "linux") and not any(_is_struct(p.ctype) for p in f.params)
    ]


def _is_struct(ctype: str) -> bool:
    return "*" not in ctype and any(word in ctype for word in _BY_VALUE)


def width(ctype: str) -> int:
    """Bytes of a parameter that counts something; 0 for what may be put into AMD's numbers on the way."""
    text = ctype.removeprefix("const ").strip()
    sizes = {"int": 4, "unsigned int": 4, "size_t": 8, "unsigned long long": 8, "cuuint64_t": 8, "CUdeviceptr": 8}
    whole = text.endswith(("*", "_t", "CUstream", "CUevent", "CUmemoryPool")) and text != "cudaError_t"
    return 8 if whole else sizes.get(text, 0)


def questions(function: Function, stream: int) -> list[tuple[str, int]]:
    """Arguments that differ from each other, so that a swapped one shows. Words of an enumeration are 1, which each has."""
    found: list[tuple[str, int]] = []
    for i, p in enumerate(function.params):
        if p.kind.name == "stream" or p.ctype in ("cudaStream_t", "CUstream"):
            found.append(("number", stream))
        elif "*" in p.ctype or p.ctype in ("CUdeviceptr",):
            found.append(("place", 1024 * (i + 1)))
        elif width(p.ctype) == 8:
            found.append(("number", 64 + i))
        elif width(p.ctype) == 4:
            found.append(("number", 0))  # devices and flags: what is none is refused before HIP is asked
        else:
            found.append(("word", 1))
    return found


@pytest.fixture(scope="module")
def hip(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """HIP under the name that the CUDA runtime looks for, with every function that the tables name."""
    out = tmp_path_factory.mktemp("hip")
    names = sorted({t.to for f in load().functions("cudart") for t in f.entry.targets if t.to.startswith("hip")}
                   | {t.to for f in load().functions("cuda") for t in f.entry.targets if t.to.startswith("hip")})  # fmt: skip
    parameters = ", ".join(f"uint64_t p{i}" for i in range(8))
    body = "".join(f"    met[{i}] = p{i};\n" for i in range(8))
    own = {"hipInit", "hipGetDeviceCount", "hipGetDevice", "hipRuntimeGetVersion"}
    text = '#include <stdint.h>\n#include <string.h>\nstatic uint64_t met[8];\nstatic const char *name = "";\n'
    text += 'void telling_forget(void) { memset(met, 0, sizeof met), name = ""; }\n'
    text += "const char *telling_name(void) { return name; }\nuint64_t telling_argument(int i) { return met[i]; }\n"
    text += "int hipInit(unsigned flags) { return (void)flags, 0; }\n"
    for function, value in (("hipGetDeviceCount", 1), ("hipGetDevice", 0), ("hipRuntimeGetVersion", 70200000)):
        text += f'int {function}(int *to) {{ name = "{function}", met[0] = (uint64_t)to; return *to = {value}, 0; }}\n'
    for function in sorted(set(names) - own):
        text += f'int {function}({parameters}) {{\n{body}    name = "{function}";\n    return 0;\n}}\n'
    exports = (*sorted({*names, *own}), "telling_forget", "telling_name", "telling_argument")
    build([Library("libamdhip64.so.7", (Unit("hip.c", text),), exports, "amd")], LINUX, find_toolchain("zig"), out)
    return out / "amd"


def asked(built: Built, hip: Path, library: str, major: int, stream: int) -> list[list[Any]]:
    file = built.libraries(major) / (RUNTIME[major] if library == "cudart" else "libcuda.so.1")
    calls = [[f.name, questions(f, stream)] for f in handed_on(library, major)]
    environment = {k: v for k, v in os.environ.items() if not k.startswith("DRAGOMAN_")}
    done = subprocess.run(
        [
            sys.executable,
            "-S",
            "-c",
            _PROGRAM,
            str(file),
            str(hip / "libamdhip64.so.7"),
            *["cuInit"] * (library == "cuda"),
        ],
        input=json.dumps(calls),
        capture_output=True,
        text=True,
        env=environment | {"DRAGOMAN_BACKEND": str(hip)},
        timeout=120,
    )
    found = [json.loads(line) for line in done.stdout.splitlines()]
    assert done.returncode == 0, (found[-1:], done.stderr[-2000:])
    return found


@pytest.mark.parametrize("stream", [STREAM, 0], ids=["a-stream", "the-default-stream"])
@pytest.mark.parametrize("library", ["cudart", "cuda"])
@pytest.mark.parametrize("major", MAJORS)
def test_each_argument_arrives_in_its_place(built: Built, hip: Path, library: str, major: int, stream: int) -> None:
    functions = handed_on(library, major)
    assert len(functions) > (40 if library == "cudart" else 5)
    wrong = []
    for function, (name, answer, called, met) in zip(functions, asked(built, hip, library, major, stream), strict=True):
        assert name == function.name
        target = amds(name, major)
        if answer != 0 or called != target:
            wrong.append(f"{name} answers {answer} and calls {called or 'nothing'}, not {target}")
            continue
        for (kind, value), got, p in zip(questions(function, stream), met, function.params, strict=True):
            default = value == 0 and p.ctype in ("cudaStream_t", "CUstream")
            wanted = PER_THREAD if default and name.endswith(("_ptsz", "_ptds")) else value
            if kind != "word" and got & ((1 << 8 * width(p.ctype)) - 1 if width(p.ctype) else -1) != wanted:
                wrong.append(f"{name}: {p.name} is {got:#x} to {called}, expected {wanted:#x}")
    assert not wrong, "\n".join(wrong)
