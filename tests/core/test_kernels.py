"""Does rocBLAS have kernels for the card? Asked before the first handle, since rocBLAS ends the process otherwise."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

CREATE = """
lib = load(SET + "/libfake.so.12")
print(json.dumps([create(lib)[0], create(lib)[0]]))
"""
NO_KERNELS = 5


@pytest.fixture
def bare(bench: Any, place: Callable[..., Path]) -> Path:
    """A ROCm 7 root without any kernels."""
    return place("rocm/lib", *sorted((bench.rocm(7) / "lib").iterdir())).parent


def touch(path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.touch()


@pytest.mark.parametrize(
    ("file", "gfx", "has"),
    [
        ("lib/rocblas/library/TensileLibrary_lazy_gfx1100.dat", "gfx1100", True),
        ("lib/rocblas/library/Kernels.so-000-gfx1100.hsaco", "gfx1100", True),
        ("lib/rocblas/library/TensileLibrary_gfx90a.co", "gfx90a", True),
        ("lib/library/TensileLibrary_gfx906.dat", "gfx906", True),
        ("lib/rocblas/5.2.0/library/TensileLibrary_gfx906.dat", "gfx906", True),
        ("lib/rocblas/notes/library/TensileLibrary_gfx906.dat", "gfx906", False),
        (".kpack/blas_lib_gfx1100.kpack", "gfx1100", True),
        (".kpack/blas_lib_gfx1201_0.kpack", "gfx1201", True),
        ("lib/rocblas/library/TensileLibrary_lazy_gfx1101.dat", "gfx1100", False),
        ("lib/rocblas/library/TensileLibrary_gfx90a.co", "gfx90", False),
        ("lib/rocblas/library/TensileLibrary_gfx11000.co", "gfx1100", False),
        (".kpack/miopen_lib_gfx1100.kpack", "gfx1100", False),
        ("lib/rocblas/library/TensileManifest.txt", "gfx1100", False),
    ],
)
def test_where_kernels_are(bench: Any, bare: Path, file: str, gfx: str, has: bool) -> None:
    touch(bare / file)
    ran = bench.run(CREATE, DRAGOMAN_BACKEND="rocm", ROCM_PATH=bare, FAKE_GFX=gfx)
    assert ran.value == ([0, 0] if has else [NO_KERNELS] * 2)
    assert ran.codes == ([] if has else ["D012"])


def test_the_line(bench: Any, bare: Path) -> None:
    """Once: card, architecture, folder, and what to do."""
    ran = bench.run(CREATE, DRAGOMAN_BACKEND="rocm", ROCM_PATH=bare, FAKE_GFX="gfx1036")
    assert ran.lines == [
        f"dragoman: D012 rocBLAS has no kernels for device 0, Fake Radeon gfx 0 (gfx1036), in {bare}/lib/rocblas/library."
        " Install a ROCm that supports gfx1036, or set DRAGOMAN_ROCM_PATH to one;"
        " DRAGOMAN_BACKEND=cpu computes without the GPU"
    ]


def test_integrated_graphics_come_first(bench: Any, rocm: Path) -> None:
    """The usual case: the card that has kernels is not device 0."""
    ran = bench.run(CREATE, DRAGOMAN_BACKEND="rocm", ROCM_PATH=rocm, FAKE_DEVICES=3, FAKE_GFX="gfx1036,gfx1036,gfx1100")
    assert ran.value == [NO_KERNELS] * 2
    (line,) = ran.lines
    assert line.endswith("Device 2, Fake Radeon gfx 2 (gfx1100), has: set HIP_VISIBLE_DEVICES=2")


@pytest.mark.parametrize("release", [5, 6, 7])
def test_every_layout_of_the_properties(bench: Any, place: Callable[..., Path], release: int) -> None:
    """HIP 6 moved the architecture inside the struct; the name, which also says gfx here, is not taken for it."""
    root = place("rocm/lib", *sorted((bench.rocm(release) / "lib").iterdir())).parent
    ran = bench.run(CREATE, DRAGOMAN_BACKEND="rocm", ROCM_PATH=root, FAKE_GFX="gfx942")
    assert ran.value == [NO_KERNELS] * 2
    assert "(gfx942)" in ran.lines[0]


def test_the_variable_that_rocblas_heeds(bench: Any, bare: Path, rocm: Path, tmp_path: Path) -> None:
    """ROCBLAS_TENSILE_LIBPATH says where rocBLAS looks: a stale one hides good kernels."""
    good = tmp_path / "elsewhere"
    touch(good / "TensileLibrary_lazy_gfx1100.dat")
    ran = bench.run(CREATE, DRAGOMAN_BACKEND="rocm", ROCM_PATH=bare, ROCBLAS_TENSILE_LIBPATH=good)
    assert ran.value == [0, 0]
    ran = bench.run(CREATE, DRAGOMAN_BACKEND="rocm", ROCM_PATH=rocm, ROCBLAS_TENSILE_LIBPATH=tmp_path / "stale")
    assert ran.value == [NO_KERNELS] * 2
    assert f"in {tmp_path}/stale." in ran.lines[0]


def test_kernels_lie_where_a_link_leads(bench: Any, rocm: Path, tmp_path: Path) -> None:
    """/opt/rocm is often a link, and so may the library be."""
    links = tmp_path / "links" / "lib"
    links.mkdir(parents=True)
    for file in (rocm / "lib").glob("lib*.so.*"):
        (links / file.name).symlink_to(file)
    ran = bench.run(CREATE, DRAGOMAN_BACKEND="rocm", ROCM_PATH=links.parent)
    assert ran.value == [0, 0]


@pytest.mark.parametrize("backend", ["cpu", "dir"])
def test_other_backends_are_trusted(bench: Any, bare: Path, backend: str) -> None:
    """Stubs and recorders have no kernel files."""
    ran = bench.run(CREATE, DRAGOMAN_BACKEND=bare if backend == "dir" else "cpu", FAKE_GFX="gfx1036")
    assert ran.value == [0, 0]
    assert ran.err == ""


def test_real_tree_of_names(bench: Any, bare: Path) -> None:
    """A folder of thousands of files is read once a card, not once a handle."""
    for i in range(3000):
        touch(bare / "lib/rocblas/library" / f"TensileLibrary_Type_HH_Contraction_{i}_gfx90a.co")
    shutil.rmtree(bare / ".kpack", ignore_errors=True)
    ran = bench.run(
        CREATE.replace("print", "import time; start = time.time(); [create(lib) for _ in range(500)]\nprint")
        + "print(json.dumps(time.time() - start))",
        DRAGOMAN_BACKEND="rocm",
        ROCM_PATH=bare,
        FAKE_GFX="gfx90a",
    )
    assert ran.value < 0.5
