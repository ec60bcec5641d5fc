"""Which backend, from where: every rule of the search with stand-ins for AMD's libraries in temporary roots."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Place = Callable[..., Path]

SHOW = """
lib = load(os.environ.get("LIB", SET + "/libfake.so.12"))
reason, handle = create(lib)
core = lib.fakeCore().contents
print(json.dumps([reason, core.backend_kind(), where(lib) if not reason else None,
                  where(lib, "hip") if not reason else None]))
"""
NONE, ROCM, CPU, DIR = range(4)
NO_BACKEND = 3


def kernels(root: Path, folder: str = "lib") -> Path:
    """Kernels for the stand-in's gfx1100 in a root."""
    there = root / folder / "rocblas" / "library"
    there.mkdir(parents=True, exist_ok=True)
    (there / "Kernels.so-000-gfx1100.hsaco").touch()
    return root


@pytest.fixture
def root(bench: Any, place: Place) -> Callable[..., Path]:
    """root(name, release): a ROCm root below the test's folder."""

    def make(name: str, release: int | str, folder: str = "lib") -> Path:
        lib = place(f"{name}/{folder}", *sorted((bench.rocm(release) / "lib").iterdir()))
        return kernels(lib.parent, folder)

    return make


# ---- what the user says ----


def test_cpu_by_name(bench: Any) -> None:
    ran = bench.run(SHOW, DRAGOMAN_BACKEND="cpu")
    folder = str(bench.built / "set" / "cpu")
    assert ran.value == [0, CPU, f"{folder}/librocblas.so.5", f"{folder}/libamdhip64.so.7"]
    assert ran.err == ""


def test_cpu_whose_folder_is_gone(bench: Any, place: Place) -> None:
    lib = place("set/cuda12", bench.fake, bench.core) / bench.fake.name
    ran = bench.run(SHOW, DRAGOMAN_BACKEND="cpu", LIB=lib)
    assert ran.value[0] == NO_BACKEND
    assert ran.codes == ["D008"]
    assert str(lib.parent) in ran.lines[0]


@pytest.mark.parametrize("below", ["", "lib"])
def test_a_folder_by_name(bench: Any, below: str) -> None:
    """A DIR is trusted: no device and no kernels are asked for."""
    folder = bench.rocm(7) / below
    ran = bench.run(SHOW, DRAGOMAN_BACKEND=folder, FAKE_DEVICES=0)
    assert ran.value[:3] == [0, DIR, str(bench.rocm(7) / "lib" / "librocblas.so.5")]
    assert ran.err == ""


@pytest.mark.parametrize("wish", ["rocm7", "./rocm7", "nvidia", "/nowhere/at/all", "../cpu"])
def test_what_is_no_backend(bench: Any, wish: str) -> None:
    """A relative folder is refused even where it exists."""
    ran = bench.run(SHOW, cwd=bench.built, DRAGOMAN_BACKEND=wish)
    assert ran.value[0] == NO_BACKEND
    assert ran.codes == ["D007"]
    assert f"DRAGOMAN_BACKEND={wish} " in ran.lines[0]


def test_one_line_for_many_calls(bench: Any, place: Place) -> None:
    folder = place("empty")
    code = SHOW + "for _ in range(5): create(lib); lib.fakeNeed(b'rocblas')\nprint(json.dumps(lib.fakeTriple(None, 1)))"
    ran = bench.run(code, DRAGOMAN_BACKEND=folder)
    assert ran.codes == ["D010"]
    assert f"rocBLAS: no librocblas.so.5 in {folder}." in ran.lines[0]


# ---- auto ----


def test_auto_with_a_device(bench: Any, rocm: Path) -> None:
    ran = bench.run(SHOW, ROCM_PATH=rocm)
    assert ran.value == [0, ROCM, f"{rocm}/lib/librocblas.so.5", f"{rocm}/lib/libamdhip64.so.7"]
    assert ran.err == ""


def owned(code: str = SHOW) -> str:
    """With our own CUDA runtime loaded, as a program linked with it has."""
    return 'runtime = c.CDLL(SET + "/libcudart.so.12")\n' + code


def test_auto_without_a_device_but_with_our_runtime(bench: Any, rocm: Path) -> None:
    ran = bench.run(owned(), ROCM_PATH=rocm, FAKE_DEVICES=0)
    assert ran.value[:3] == [0, CPU, str(bench.built / "set/cpu/librocblas.so.5")]
    assert ran.value[3] == str(bench.built / "set/cpu/libamdhip64.so.7")
    assert ran.lines == ["dragoman: D005 no AMD GPU answers: computing on the CPU"]


@pytest.mark.skipif(os.path.exists("/dev/kfd"), reason="this machine has an AMD GPU")
def test_auto_without_rocm_but_with_our_runtime(bench: Any) -> None:
    ran = bench.run(owned())
    assert ran.value[:2] == [0, CPU]
    assert ran.codes == ["D005"]


@pytest.mark.skipif(os.path.exists("/dev/kfd"), reason="this machine has an AMD GPU")
def test_auto_with_somebody_elses_runtime(bench: Any) -> None:
    """No runtime of ours: the memory may be a GPU's, and is not read."""
    ran = bench.run(SHOW)
    assert ran.value[:2] == [NO_BACKEND, NONE]
    assert ran.codes == ["D006"]


@pytest.mark.skipif(os.path.exists("/dev/kfd"), reason="this machine has an AMD GPU")
def test_auto_reconsiders_once_our_runtime_turns_up(bench: Any) -> None:
    code = SHOW + owned("runtime.fakeOwnRuntime(); print(json.dumps([create(lib)[0], core.backend_kind()]))")
    ran = bench.run(code)
    assert json_lines(ran.out) == [[NO_BACKEND, NONE, None, None], [0, CPU]]
    assert ran.codes == ["D006", "D005"]


@pytest.mark.skipif(os.path.exists("/dev/kfd"), reason="this machine has an AMD GPU")
def test_auto_beside_a_foreign_driver(bench: Any) -> None:
    """ZLUDA's or NVIDIA's libcuda is in the process: not even our own runtime makes it the CPU's business."""
    code = f"driver = c.CDLL({str(bench.built / 'foreign' / 'libcuda.so.1')!r})\n" + owned()
    ran = bench.run(code)
    assert ran.value[:2] == [NO_BACKEND, NONE]
    assert ran.codes == ["D006"]
    assert "another CUDA driver" in ran.lines[0]


def test_our_own_driver_is_not_foreign(bench: Any, place: Place) -> None:
    """Our libcuda lies beside the core, or in a folder there."""
    files = (bench.fake, bench.core, bench.cuda12 / "libcudart.so.12")
    lib = place("set/cuda12", *files)
    place("set/cpu", *sorted((bench.built / "set" / "cpu").iterdir()))
    driver = place("set/cuda12/driver", bench.built / "foreign" / "libcuda.so.1") / "libcuda.so.1"
    ran = bench.run(f"driver = c.CDLL({str(driver)!r})\n" + SHOW, LIB=lib / bench.fake.name)
    if not os.path.exists("/dev/kfd"):
        assert ran.value[:2] == [0, CPU]


def test_auto_beside_a_foreign_hip(bench: Any, rocm: Path) -> None:
    """A HIP runtime that somebody loaded and that has no device: its memory is not ours either."""
    code = f"theirs = c.CDLL({str(rocm / 'lib' / 'libamdhip64.so.7')!r})\n" + owned()
    ran = bench.run(code, FAKE_DEVICES=0)
    assert ran.value[:2] == [NO_BACKEND, NONE]
    assert "another HIP runtime" in ran.lines[0]


def test_never_cpu_because_a_library_is_missing(bench: Any, rocm: Path) -> None:
    """A device answers, rocBLAS is not there: one line says which file, where, and what to do."""
    (rocm / "lib" / "librocblas.so.5").unlink()
    ran = bench.run(owned(), ROCM_PATH=rocm)
    assert ran.value[0] == NO_BACKEND
    assert ran.codes == ["D010"]
    assert f"rocBLAS: no librocblas.so.5 in {rocm}/lib" in ran.lines[0]
    assert "DRAGOMAN_ROCM_PATH" in ran.lines[0]


def test_never_cpu_because_hip_is_broken(bench: Any, rocm: Path) -> None:
    (rocm / "lib" / "libamdhip64.so.7").write_text("no library")
    ran = bench.run(owned(), ROCM_PATH=rocm)
    assert ran.value[:2] == [NO_BACKEND, NONE]
    assert ran.codes == ["D014"]
    assert f"{rocm}/lib/libamdhip64.so.7" in ran.lines[0]


def test_rocm_by_name_without_a_device(bench: Any, rocm: Path) -> None:
    ran = bench.run(owned(), DRAGOMAN_BACKEND="rocm", ROCM_PATH=rocm, FAKE_DEVICES=0)
    assert ran.value[:2] == [NO_BACKEND, NONE]
    assert ran.codes == ["D009"]


# ---- where AMD's libraries come from ----


def test_order_of_the_roots(bench: Any, root: Callable[..., Path]) -> None:
    """DRAGOMAN_ROCM_PATH, ROCM_PATH, HIP_PATH: each wins over those behind it."""
    settings = {name: root(name.lower(), 7) for name in ("DRAGOMAN_ROCM_PATH", "ROCM_PATH", "HIP_PATH")}
    while settings:
        first = next(iter(settings.values()))
        assert bench.run(SHOW, **settings).value[2] == f"{first}/lib/librocblas.so.5"
        del settings[next(iter(settings))]


def test_dragoman_rocm_path_stands_alone(bench: Any, root: Callable[..., Path], place: Place) -> None:
    """Where it leads nowhere, nothing else is taken in its stead."""
    ran = bench.run(SHOW, DRAGOMAN_ROCM_PATH=place("empty"), ROCM_PATH=root("there", 7))
    assert ran.value[0] == NO_BACKEND
    assert ran.codes == ["D010"]


def test_dragoman_rocm_path_must_be_absolute(bench: Any, rocm: Path) -> None:
    ran = bench.run(SHOW, cwd=rocm.parent, DRAGOMAN_ROCM_PATH="rocm")
    assert ran.value[0] == NO_BACKEND
    assert ran.codes == ["D010"]
    assert "absolute path" in ran.lines[0]


@pytest.mark.parametrize(("folder", "given"), [("lib", ""), ("lib64", ""), ("lib", "lib")])
def test_folders_of_a_root(bench: Any, root: Callable[..., Path], folder: str, given: str) -> None:
    """The libraries lie in lib or lib64; their very folder may be given too."""
    ran = bench.run(SHOW, DRAGOMAN_ROCM_PATH=root("rocm", 7, folder) / given)
    assert ran.value[:2] == [0, ROCM]


def test_a_whole_root_is_better_than_a_half(bench: Any, root: Callable[..., Path]) -> None:
    """The first root has the HIP runtime only (a driver package); the second has both."""
    half, whole = root("half", 7), root("whole", 7)
    (half / "lib" / "librocblas.so.5").unlink()
    ran = bench.run(SHOW, ROCM_PATH=half, HIP_PATH=whole)
    assert ran.value == [0, ROCM, f"{whole}/lib/librocblas.so.5", f"{whole}/lib/libamdhip64.so.7"]


def test_wheels_above_us(bench: Any, place: Place) -> None:
    """AMD's wheels in the environment that holds our libraries: runtime and libraries in packages of their own."""
    site = place("site-packages")
    core = place("site-packages/_rocm_sdk_core/lib", bench.rocm(7) / "lib" / "libamdhip64.so.7")
    blas = place("site-packages/_rocm_sdk_libraries_gfx110X/lib", bench.rocm(7) / "lib" / "librocblas.so.5")
    kernels(blas.parent)
    ours = place("site-packages/dragoman/lib/linux/cuda12", bench.fake, bench.core)
    for settings in ({"LIB": ours / bench.fake.name}, {"DRAGOMAN_ROCM_PATH": site}):
        ran = bench.run(SHOW, **settings)
        assert ran.value == [0, ROCM, f"{blas}/librocblas.so.5", f"{core}/libamdhip64.so.7"]


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root can give a file to another user")
def test_what_others_put_above_us_is_passed_over(bench: Any, place: Place) -> None:
    """Libraries below a folder that everybody may write to, such as /tmp: another user could leave a runtime or a backend there."""
    shared = place("shared")
    core = place("shared/_rocm_sdk_core/lib", bench.rocm(7) / "lib" / "libamdhip64.so.7")
    blas = place("shared/_rocm_sdk_libraries_gfx110X/lib", bench.rocm(7) / "lib" / "librocblas.so.5")
    kernels(blas.parent)
    hers = place("shared/cpu", bench.rocm(7) / "lib" / "libamdhip64.so.7")
    ours = place("shared/linux/cuda12", bench.fake, bench.core) / bench.fake.name
    beside = place("shared/cuda12", bench.fake, bench.core) / bench.fake.name
    shared.chmod(0o1777)
    for package in (core.parent, blas.parent, hers):
        os.chown(package, 65534, 65534)
    ran = bench.run(SHOW, LIB=ours, DRAGOMAN_BACKEND="rocm")
    assert (ran.value[0], ran.codes) == (NO_BACKEND, ["D010"])
    ran = bench.run(SHOW, LIB=beside, DRAGOMAN_BACKEND="cpu")
    assert (ran.value[0], ran.codes) == (NO_BACKEND, ["D008"])
    os.chown(core.parent, os.geteuid(), -1)  # one's own, or root's, is another matter
    os.chown(blas.parent, 0, -1)
    ran = bench.run(SHOW, LIB=ours, DRAGOMAN_BACKEND="rocm")
    assert ran.value == [0, ROCM, f"{blas}/librocblas.so.5", f"{core}/libamdhip64.so.7"]
    shared.chmod(0o755)  # and where not everybody may write, whoever did was trusted
    os.chown(core.parent, 65534, -1)
    assert bench.run(SHOW, LIB=ours, DRAGOMAN_BACKEND="rocm").value[0] == 0


@pytest.mark.parametrize(("release", "hip", "blas"), [(7, 7, 5), (6, 6, 4), (5, 5, 0)])
def test_every_release_since_5_5(bench: Any, root: Callable[..., Path], release: int, hip: int, blas: int) -> None:
    there = root("rocm", release)
    ran = bench.run(SHOW, ROCM_PATH=there)
    assert ran.value == [0, ROCM, f"{there}/lib/librocblas.so.{blas}", f"{there}/lib/libamdhip64.so.{hip}"]
    assert ran.err == ""


def test_releases_side_by_side(bench: Any, root: Callable[..., Path]) -> None:
    """A folder with two HIP runtimes and one rocBLAS (Debian's): the two that belong together are taken."""
    there = root("rocm", 6)
    shutil.copy(bench.rocm(7) / "lib" / "libamdhip64.so.7", there / "lib")
    ran = bench.run(SHOW, ROCM_PATH=there)
    assert ran.value == [0, ROCM, f"{there}/lib/librocblas.so.4", f"{there}/lib/libamdhip64.so.6"]


def test_a_rocblas_of_another_release(bench: Any, root: Callable[..., Path]) -> None:
    """HIP 7 with rocBLAS of ROCm 6: refused, since it would bring a HIP runtime of its own."""
    there = root("rocm", 6)
    (there / "lib" / "libamdhip64.so.6").unlink()
    shutil.copy(bench.rocm(7) / "lib" / "libamdhip64.so.7", there / "lib")
    ran = bench.run(SHOW, ROCM_PATH=there)
    assert ran.value[0] == NO_BACKEND
    assert ran.codes == ["D013"]
    assert "librocblas.so.4" in ran.lines[0]


def test_a_rocblas_that_brings_its_own_hip(bench: Any, root: Callable[..., Path]) -> None:
    there = root("rocm", 7)
    shutil.copy(bench.built / "more" / "needs" / "librocblas.so.5", there / "lib")
    ran = bench.run(SHOW, ROCM_PATH=there, LD_LIBRARY_PATH=bench.rocm(6) / "lib")
    assert ran.value[0] == NO_BACKEND
    assert ran.codes == ["D013"]
    assert "libamdhip64.so.6" in ran.lines[0]


@pytest.mark.parametrize(("hip", "blas", "says"), [
    ("5/lib/libamdhip64.so.5", "librocblas.so.0", "is rocBLAS 2.46"),
    ("7/lib/libamdhip64.so.7", "librocblas.so.3", "librocblas.so.3 is older"),
])  # fmt: skip
def test_too_old_rocblas(bench: Any, place: Place, hip: str, blas: str, says: str) -> None:
    there = place("rocm/lib", bench.built / f"rocm{hip}", bench.built / "old" / blas).parent
    ran = bench.run(SHOW, ROCM_PATH=there)
    assert ran.value[0] == NO_BACKEND
    assert ran.codes == ["D015"]
    assert says in ran.lines[0]
    assert "ROCm 5.5" in ran.lines[0]


def test_too_old_hip(bench: Any, place: Place) -> None:
    there = place("rocm/lib", bench.built / "old" / "libamdhip64.so.5", bench.built / "old" / "librocblas.so.0").parent
    ran = bench.run(owned(), ROCM_PATH=there)
    assert ran.value[:2] == [NO_BACKEND, NONE]
    assert ran.codes == ["D015"]
    assert "HIP 5.4" in ran.lines[0]


def test_a_loaded_hip_is_used(bench: Any, root: Callable[..., Path]) -> None:
    """PyTorch for ROCm brings its own: everything comes from there, whatever ROCM_PATH says."""
    theirs, other = root("theirs", 7), root("other", 7)
    code = f"hip = c.CDLL({str(theirs / 'lib' / 'libamdhip64.so.7')!r})\n" + SHOW
    ran = bench.run(code, ROCM_PATH=other)
    assert ran.value == [0, ROCM, f"{theirs}/lib/librocblas.so.5", f"{theirs}/lib/libamdhip64.so.7"]


def test_a_loaded_hip_without_libraries(bench: Any, root: Callable[..., Path], place: Place) -> None:
    """The rest comes from the root that fits its release, not from the first one."""
    hip = place("theirs", bench.rocm(6) / "lib" / "libamdhip64.so.6") / "libamdhip64.so.6"
    ran = bench.run(f"hip = c.CDLL({str(hip)!r})\n" + SHOW, ROCM_PATH=root("seven", 7), HIP_PATH=root("six", 6))
    assert ran.value[:2] == [0, ROCM]
    assert ran.value[2].endswith("/six/lib/librocblas.so.4")
    assert ran.value[3] == str(hip)


def test_names_without_a_number(bench: Any, root: Callable[..., Path]) -> None:
    """PyTorch's wheels carry libamdhip64.so and librocblas.so."""
    there = root("torch", 7)
    for name in ("libamdhip64.so.7", "librocblas.so.5"):
        (there / "lib" / name).rename(there / "lib" / name[:-2])
    ran = bench.run(SHOW, ROCM_PATH=there)
    assert ran.value[:3] == [0, ROCM, f"{there}/lib/librocblas.so"]


def test_other_libraries_are_opened_when_asked_for(bench: Any, rocm: Path) -> None:
    code = SHOW + 'print(json.dumps([where(lib, "rocsolver"), lib.fakeNeed(b"rocsolver"), where(lib, "rocsolver"),'
    code += ' lib.fakeNeed(b"miopen"), core.backend_version(b"rocsolver")]))'
    ran = bench.run(code, ROCM_PATH=rocm)
    assert ran.value == ["absent", 0, f"{rocm}/lib/librocsolver.so.0", NO_BACKEND, 3028000]


def test_a_missing_solver_hurts_nothing_else(bench: Any, rocm: Path) -> None:
    (rocm / "lib" / "librocsolver.so.0").unlink()
    code = SHOW + 'print(json.dumps([lib.fakeNeed(b"rocsolver"), lib.fakeTriple(handle, 2), lib.fakeGateOpen()]))'
    ran = bench.run(code, ROCM_PATH=rocm)
    assert ran.value == [NO_BACKEND, 6, 1]
    assert ran.codes == ["D010"]


def test_threads_choose_once(bench: Any, rocm: Path) -> None:
    ran = bench.command(bench.driver, "first", bench.fake, "16", ROCM_PATH=rocm, DRAGOMAN_LOG="info")
    assert (ran.code, ran.out) == (0, "ok\n")
    assert sorted(ran.codes) == ["D016", "D017", "D017"]


def json_lines(text: str) -> list[object]:
    import json

    return [json.loads(line) for line in text.splitlines()]
