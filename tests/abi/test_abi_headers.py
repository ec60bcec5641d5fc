"""The generated headers compile as C99 and C++11, alone and together, and say what the facts say.

Two sources of prototypes: the tables (what users get) and the facts (every function of that version, so that the
writer of headers is tried on all of them, whether or not the tables have them yet).
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

import facts
import pytest
from dragoman.generate.header_files import cudnn_beside, files
from dragoman.generate.headers import Prototype, header_of, render
from dragoman.generate.plan import newest
from dragoman.tables import loader
from dragoman.tables.types import load_types

MAJORS = (11, 12, 13)
ZIG = [sys.executable, "-m", "ziglang"]
COMPILERS = {
    "gcc-c89": ["gcc", "-std=c89", "-x", "c"],  # no `inline`: NVIDIA's headers do without it
    "gcc-c99": ["gcc", "-std=c99", "-x", "c"],
    "g++-c++11": ["g++", "-std=c++11", "-x", "c++"],
    "zig-linux-c99": [*ZIG, "cc", "-target", "x86_64-linux-gnu.2.28", "-std=c99", "-x", "c"],
    "zig-windows-c99": [*ZIG, "cc", "-target", "x86_64-windows-gnu", "-std=c99", "-x", "c"],
    "zig-windows-c++11": [*ZIG, "c++", "-target", "x86_64-windows-gnu", "-std=c++11", "-x", "c++"],
}


def _together(major: int) -> list[str]:
    """cublas.h and cublas_v2.h exclude each other, and so does what includes the latter."""
    return [n for n in files(major) if n != "cublas.h"]


def _compile(compiler: str, folder: Path, text: str, *flags: str) -> subprocess.CompletedProcess[str]:
    command = COMPILERS[compiler]
    if command[0] != sys.executable and not shutil.which(command[0]):
        pytest.skip(f"no {command[0]} on this machine")
    source = folder / "program.c"  # the language is given by -x
    source.write_text(text, encoding="utf-8")
    return subprocess.run(
        [*command, "-Wall", "-Wextra", "-Werror", f"-I{folder}", *flags, "-c", str(source), "-o", f"{source}.o"],
        text=True,
        capture_output=True,
        timeout=120,
    )


def _write(folder: Path, functions: Iterable[Prototype], major: int) -> Path:
    folder.mkdir(parents=True)
    for name, text in render(load_types(), functions, major).items():
        (folder / name).write_text(text, encoding="utf-8")
    return folder


def _facts(major: int) -> list[facts.Function]:
    found: list[facts.Function] = []
    for library in ("cublas", "cublasLt", "cudart"):
        found += facts.cuda_functions(library, major).values()
    return found + list(facts.cuda_functions("cudnn", cudnn_beside(major)).values())


@pytest.fixture(scope="module", params=MAJORS, ids=lambda m: f"cuda{m}")
def all_functions(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[int, Path]:
    """Headers with every function that NVIDIA's have."""
    major = request.param
    return major, _write(tmp_path_factory.mktemp("headers") / "all", _facts(major), major)


@pytest.fixture(scope="module", params=MAJORS, ids=lambda m: f"cuda{m}")
def shipped(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[int, Path]:
    """Headers as users get them."""
    major = request.param
    tables = loader.load()
    functions = [f for lib, version in newest(tables, major) for f in tables.functions(lib, version)]
    return major, _write(tmp_path_factory.mktemp("headers") / "shipped", functions, major)


@pytest.mark.parametrize("compiler", COMPILERS)
def test_together(all_functions: tuple[int, Path], compiler: str) -> None:
    major, folder = all_functions
    done = _compile(compiler, folder, "".join(f'#include "{name}"\n' for name in _together(major)))
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("compiler", ["gcc-c99", "g++-c++11"])
def test_each_alone_and_twice(all_functions: tuple[int, Path], compiler: str) -> None:
    major, folder = all_functions
    if not shutil.which(COMPILERS[compiler][0]):
        pytest.skip(f"no {COMPILERS[compiler][0]} on this machine")
    alone = folder / "alone"
    alone.mkdir(exist_ok=True)
    for name in files(major):
        (alone / f"{name}.c").write_text(f'#include "{name}"\n#include "{name}"\n', encoding="utf-8")
    sources = sorted(str(p) for p in alone.glob("*.c"))
    command = [*COMPILERS[compiler], "-Wall", "-Wextra", "-Werror", "-fsyntax-only", f"-I{folder}", *sources]
    done = subprocess.run(command, text=True, capture_output=True, timeout=120)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("compiler", ["gcc-c99", "g++-c++11", "zig-windows-c99"])
def test_shipped_headers(shipped: tuple[int, Path], compiler: str) -> None:
    major, folder = shipped
    for names in (_together(major), ["cuda_runtime.h", "cublas.h"]):
        names = [n for n in names if _usable(n, folder)]
        done = _compile(compiler, folder, "".join(f'#include "{name}"\n' for name in names))
        assert done.returncode == 0, done.stderr


def _usable(name: str, folder: Path) -> bool:
    """The C++ overloads need the functions that they overload."""
    needs_runtime = {"cuda_runtime.h", "channel_descriptor.h"}
    return name not in needs_runtime or "cudaCreateChannelDesc" in (folder / "cuda_runtime_api.h").read_text()


def test_prototypes_agree_with_the_facts(all_functions: tuple[int, Path]) -> None:
    """Each function is declared a second time as the facts have it: a C compiler refuses any difference."""
    major, folder = all_functions
    text = "".join(f'#include "{name}"\n' for name in _together(major)) + _redeclared(_public(_facts(major), major))
    done = _compile("gcc-c99", folder, text)
    assert done.returncode == 0, done.stderr


def test_legacy_prototypes_agree_with_the_facts(all_functions: tuple[int, Path]) -> None:
    major, folder = all_functions
    legacy = [f for f in _facts(major) if f.header == "cublas"]
    done = _compile("gcc-c99", folder, '#include "cublas.h"\n' + _redeclared(legacy))
    assert done.returncode == 0, done.stderr


def test_shipped_prototypes_agree_with_the_facts(shipped: tuple[int, Path]) -> None:
    """The same for what users get, as far as it is declared; a difference names the function."""
    major, folder = shipped
    declared = {n for name in _together(major) for n in re.findall(r"\b(cu\w+)\(", (folder / name).read_text())}
    known = [f for f in _public(_facts(major), major) if f.name in declared]
    assert known, "no function of the facts is declared"
    names = [n for n in _together(major) if _usable(n, folder)]
    done = _compile("gcc-c99", folder, "".join(f'#include "{n}"\n' for n in names) + _redeclared(known))
    assert done.returncode == 0, done.stderr


def _public(functions: Iterable[facts.Function], major: int) -> list[facts.Function]:
    """What the headers declare beside cublas.h: no twins, and no name that a macro leads elsewhere."""
    declared = {h.functions for h in files(major).values() if h.functions}
    functions = [f for f in functions if header_of(f, cudnn_beside(major)) in declared]
    led_away = {f.alias for f in functions if f.alias}
    return [
        f
        for f in functions
        if f.header != "cublas" and f.name not in led_away and not re.search(r"_pt[sd][sz]$", f.name)
    ]


def _redeclared(functions: Iterable[facts.Function]) -> str:
    lines = []
    for f in functions:
        params = ", ".join(_declare(p.ctype) for p in f.params) or "void"
        lines.append(f"{f.result} {f.name}({params});\n")
    return "".join(lines)


def _declare(ctype: str) -> str:
    return ctype.replace("[]", " *")


@pytest.mark.parametrize("compiler", ["gcc-c99", "g++-c++11", "zig-windows-c99"])
def test_sizes_and_offsets(all_functions: tuple[int, Path], compiler: str) -> None:
    """sizeof and offsetof as the compiler computes them, on the system that it compiles for."""
    major, folder = all_functions
    windows = "windows" in compiler
    types = load_types()
    lines = ["#include <stddef.h>\n", *(f'#include "{name}"\n' for name in _together(major))]
    count = 0
    for library, version in _versions(major):
        for name, places in facts.cuda_structs(library, version, windows).items():
            if name not in types.structs:
                continue
            spelled = types.structs[name].spelled
            lines.append(_assert(f"sizeof({spelled}) == {places['']}", count := count + 1))
            for path, offset in places.items():
                # a constructor makes dim3 no standard layout for older C++ compilers: sizes only
                if path and not (name == "dim3" and "++" in compiler):
                    lines.append(_assert(f"offsetof({spelled}, {path}) == {offset}", count := count + 1))
    assert count > 100
    done = _compile(compiler, folder, "".join(lines), "-Wno-invalid-offsetof" if "++" in compiler else "-Wall")
    assert done.returncode == 0, done.stderr


def _versions(major: int) -> tuple[tuple[str, int], ...]:
    return (("cublas", major), ("cudart", major), ("cudnn", cudnn_beside(major)))


def _assert(condition: str, number: int) -> str:
    return f"typedef char check_{number}[({condition}) ? 1 : -1];\n"


@pytest.mark.parametrize("compiler", ["gcc-c99", "g++-c++11"])
def test_enum_constants(all_functions: tuple[int, Path], compiler: str) -> None:
    major, folder = all_functions
    lines = [f'#include "{name}"\n' for name in _together(major)]
    count = 0
    for library, version in _versions(major):
        for enum, constants in facts.cuda_enums(library, version).items():
            if not re.match(r"cuda(Egl|GL|D3D)", enum):
                for constant, value in constants.items():
                    lines.append(_assert(f"(long long){constant} == {value}LL", count := count + 1))
    done = _compile(compiler, folder, "".join(lines))
    assert done.returncode == 0, done.stderr


PROGRAM = """
#include <cublas_v2.h>
#include <cuda_runtime.h>
int main(void)
{
    cublasHandle_t handle;
    float one = 1.0f, *a;
    dim3 grid;
    cuComplex z = cuCmulf(make_cuComplex(1.0f, 2.0f), make_cuComplex(3.0f, 4.0f));
    (void)grid;
    if (cudaMalloc((void **)&a, 4) != cudaSuccess || cublasCreate(&handle) != CUBLAS_STATUS_SUCCESS)
        return 1;
    cudaMemcpy(a, &one, 4, cudaMemcpyHostToDevice);
    cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_T, 1, 1, 1, &one, a, 1, a, 1, &one, a, 1);
    return cuCrealf(z) < 0.0f || CUBLAS_VER_MAJOR * 1000 != CUDART_VERSION / 1000 * 1000 || cublasDestroy(handle);
}
"""
CPP = """
static void overloads()
{
    double *d;
    cudaEvent_t event;
    cudaMalloc(&d, 8);
    cudaMallocHost(&d, 8);
    cudaMallocManaged(&d, 8);
    cudaEventCreate(&event, cudaEventDisableTiming);
    cudaMemcpyAsync(d, d, 8, cudaMemcpyDefault);
    dim3 block(16, 16);
    __half h = __float2half(1.5f);
    (void)block;
    (void)static_cast<float>(h);
    (void)cudaCreateChannelDesc<float4>();
}
int use() { overloads(); return 0; }
"""


@pytest.mark.parametrize("compiler", COMPILERS)
def test_a_program(all_functions: tuple[int, Path], compiler: str) -> None:
    """What a user writes. cublasSgemm leads to cublasSgemm_v2."""
    _, folder = all_functions
    done = _compile(compiler, folder, PROGRAM + (CPP if "++" in compiler else ""))
    assert done.returncode == 0, done.stderr


def test_both_apis_at_once_are_refused(all_functions: tuple[int, Path]) -> None:
    _, folder = all_functions
    done = _compile("gcc-c99", folder, '#include "cublas_v2.h"\n#include "cublas.h"\n')
    assert done.returncode != 0
    assert "include only one of them" in done.stderr


def test_same_input_same_bytes() -> None:
    assert render(load_types(), _facts(12), 12) == render(load_types(), _facts(12), 12)


HALF = """
#include <cuda_fp16.h>
#include <cuda_bf16.h>
#include <stdio.h>
int main(void)
{
    unsigned int bits;
    while (scanf("%x", &bits) == 1) {
        float value;
        memcpy(&value, &bits, 4);
        printf("%04x %04x ", __half_as_ushort(__float2half(value)), __bfloat16_as_ushort(__float2bfloat16(value)));
        value = __half2float(__ushort_as_half((unsigned short)bits));
        memcpy(&bits, &value, 4);
        printf("%08x\\n", bits);
    }
    return 0;
}
"""


def test_half_conversions(all_functions: tuple[int, Path], tmp_path: Path) -> None:
    """Halves as NumPy has them, at the edges: ties, subnormals, overflow."""
    np = pytest.importorskip("numpy")
    if not shutil.which("gcc"):
        pytest.skip("no gcc on this machine")
    _, folder = all_functions
    (tmp_path / "half.c").write_text(HALF)
    binary = tmp_path / "half"
    subprocess.run(["gcc", "-std=c99", f"-I{folder}", str(tmp_path / "half.c"), "-o", str(binary)], check=True)
    edges = [0x33000000, 0x33000001, 0x33800000, 0x387FC000, 0x387FE000, 0x387FFFFF, 0x38800000, 0x477FEFFF, 0x477FF000]
    rng = np.random.default_rng(7)
    bits = np.array([*edges, *rng.integers(0x30000000, 0x48000000, 2000), *range(0, 0x10000, 7)], dtype=np.uint32)
    bits = np.concatenate([bits, bits | np.uint32(0x80000000)])
    out = subprocess.run(
        [str(binary)], input="\n".join(f"{b:x}" for b in bits), text=True, capture_output=True, check=True
    )
    rows = [line.split() for line in out.stdout.splitlines()]
    values = bits.view(np.float32)
    with np.errstate(over="ignore"):
        want = values.astype(np.float16)
    got = np.array([int(r[0], 16) for r in rows], dtype=np.uint16).view(np.float16)
    np.testing.assert_array_equal(got[~np.isnan(want)], want[~np.isnan(want)])
    assert np.isnan(got[np.isnan(want)]).all()
    low = (bits & 0xFFFF).astype(np.uint16).view(np.float16)
    back = np.array([int(r[2], 16) for r in rows], dtype=np.uint32).view(np.float32)
    np.testing.assert_array_equal(back[~np.isnan(low)], low[~np.isnan(low)].astype(np.float32))
    wide = values.astype(np.float64)
    bf = (np.array([int(r[1], 16) for r in rows], dtype=np.uint32) << np.uint32(16)).view(np.float32)
    finite = np.isfinite(wide) & (np.abs(wide) > 1e-37)  # normal numbers
    assert np.all(np.abs(bf[finite] - wide[finite]) <= np.abs(wide[finite]) * 2.0**-8)


# Macros that lead to functions which no version has.
NOWHERE = re.compile(r"cublas[SDCZ]rotm?g_64$")


@pytest.mark.parametrize(("library", "major"), [("cublas", m) for m in MAJORS] + [("cudnn", 8), ("cudnn", 9)])
def test_every_type_and_macro_is_there(library: str, major: int) -> None:
    """A program may use a type or a macro that no function has: an older name of a flag, a sub-library's version."""
    cuda, cudnn = (major, None) if library == "cublas" else (12, major)
    functions = list(facts.cuda_functions(library, major).values())
    if library == "cublas":
        functions += facts.cuda_functions("cublasLt", major).values()
    words = set(re.findall(r"\w+", "\n".join(render(load_types(), functions, cuda, cudnn).values())))
    missing = [n for n in facts.cuda_names(library, major) if n not in words and not NOWHERE.match(n)]
    assert not missing, f"{len(missing)} names: {', '.join(missing)}"
