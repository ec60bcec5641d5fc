"""Small decisions as pure functions, programs with more rights than their user, and the same core on Windows."""

from __future__ import annotations

import os
import shutil
import stat
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from dragoman.build import LINUX, WINDOWS, Target, Toolchain, build, find_toolchain
from dragoman.core import core_library
from dragoman.paths import package_dir

INCLUDE = (package_dir() / "runtime", package_dir() / "core")
WINE = shutil.which("wine64") or next((p for p in ("/usr/lib/wine/wine64",) if os.access(p, os.X_OK)), None)


def helpers(bench: Any) -> Any:
    """conftest's functions, which pytest keeps under a name of its own."""
    import sys

    return sys.modules[type(bench).__module__]


def test_pure_functions(bench: Any, toolchain: Toolchain, tmp_path: Path) -> None:
    source = Path(__file__).parent / "c" / "pure.c"
    program = helpers(bench).executable(toolchain, LINUX, source, tmp_path / "pure", *INCLUDE)
    assert bench.command(program).out == "ok\n"


# ---- more rights than the user's ----


@pytest.fixture
def raised(bench: Any) -> Iterator[Callable[..., subprocess.CompletedProcess[str]]]:
    """Runs the driver as set-uid root for a user who is nobody."""
    if os.getuid():
        pytest.skip("only root can make a set-uid program")
    folder = Path(tempfile.mkdtemp(prefix="dragoman-"))
    folder.chmod(0o755)
    driver = folder / "driver"
    shutil.copy(bench.driver, driver)
    driver.chmod(0o4755)

    def run(*arguments: str | Path, **settings: object) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [str(driver), *map(str, arguments)],
            env=bench.environment(**settings),
            cwd="/",
            user=65534,
            capture_output=True,
            text=True,
            check=False,
        )

    try:
        if os.statvfs(folder).f_flag & os.ST_NOSUID or not driver.stat().st_mode & stat.S_ISUID:
            pytest.skip("set-uid programs are not allowed here")
        yield run
    finally:
        shutil.rmtree(folder)


def test_settings_are_ignored_in_raised_programs(bench: Any, raised: Any, tmp_path: Path, rocm: Path) -> None:
    """Its user chooses neither what code it loads nor what file it writes."""
    settings = {"DRAGOMAN_BACKEND": bench.rocm(7), "DRAGOMAN_LOG": "trace", "DRAGOMAN_LOG_FILE": tmp_path / "log"}
    settings |= {"DRAGOMAN_ROCM_PATH": rocm, "ROCM_PATH": rocm}
    done = raised("cycles", bench.fake, "1", **settings)
    assert done.stdout == "create: 3\n"
    if not os.path.exists("/dev/kfd"):
        assert done.stderr.startswith("dragoman: D006 ")
    assert not (tmp_path / "log").exists()
    # the same program without the bit heeds them
    plain = bench.command(bench.driver, "cycles", bench.fake, "1", **settings)
    assert (plain.code, plain.out, plain.err) == (0, "ok\n", "")
    assert (tmp_path / "log").exists()


@pytest.mark.parametrize("name", ["DRAGOMAN_AVOID", "DRAGOMAN_BACKEND"])
def test_libraries_are_told_no_setting_in_raised_programs(bench: Any, raised: Any, name: str) -> None:
    """cuDNN asks the core for DRAGOMAN_AVOID in this way, and in no other."""
    settings = {name: "ConvDirectNaiveConvFwd"}
    done = raised("setting", bench.fake, name, **settings)
    assert done.stdout == "0 \nok\n"
    plain = bench.command(bench.driver, "setting", bench.fake, name, **settings)
    assert plain.out == "22 ConvDirectNaiveConvFwd\nok\n"


# ---- Windows ----


def dll(name: str, folder: str, kind: str, version: str, bench: Any, *defines: str) -> Any:
    return helpers(bench).amd_library(name, folder, kind, version, *defines)


@pytest.fixture(scope="session")
def windows(bench: Any, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A Windows set, a ROCm root in Windows' layout, and the driver."""
    if WINE is None:
        pytest.skip("wine64 is not installed")
    out = tmp_path_factory.mktemp("windows")
    target: Target = WINDOWS
    toolchain = find_toolchain("zig")
    new = "AMD_NEW"
    libraries = [
        core_library("windows", "set/cuda12"),
        helpers(bench).fake_library(target, "fake64_12.dll", "set/cuda12"),
        dll("amdhip64_7.dll", "set/cpu", "HIP", "70200000", bench),
        dll("rocblas.dll", "set/cpu", "BLAS", "5.2.0", bench, new),
        dll("amdhip64_7.dll", "rocm/bin", "HIP", "70253211", bench),
        dll("rocblas.dll", "rocm/bin", "BLAS", "5.2.0", bench, new),
    ]
    build(libraries, target, toolchain, out)
    source = Path(__file__).parent / "c" / "windows_main.c"
    helpers(bench).executable(toolchain, target, source, out / "driver.exe", package_dir() / "build")
    for part, keep in (("driver", "amdhip64_7.dll"), ("sdk", "rocblas.dll")):
        (out / part / "bin").mkdir(parents=True)
        shutil.copy(out / "rocm" / "bin" / keep, out / part / "bin")
    for root in ("rocm", "sdk"):
        kernels = out / root / "bin" / "rocblas" / "library"
        kernels.mkdir(parents=True)
        (kernels / "TensileLibrary_lazy_gfx1100.dat").touch()
    return out


def wine(bench: Any, windows: Path, *arguments: str, **settings: object) -> Any:
    library = "set\\cuda12\\fake64_12.dll"
    command = [str(WINE), "driver.exe", arguments[0], library, *arguments[1:]]
    return bench.command(*command, cwd=windows, WINEDEBUG="-all", **settings)


@pytest.mark.wine
@pytest.mark.parametrize(
    ("arguments", "settings"),
    [
        (("cycles", "500"), {"DRAGOMAN_BACKEND": "cpu"}),
        (("threads", "4", "100"), {"DRAGOMAN_BACKEND": "rocm", "DRAGOMAN_ROCM_PATH": "rocm"}),
        (("reload",), {"ROCM_PATH": "driver", "HIP_PATH": "sdk"}),
    ],
    ids=["cycles", "threads", "reload"],
)
def test_windows(bench: Any, windows: Path, arguments: tuple[str, ...], settings: dict[str, str]) -> None:
    """The same driver under Wine: cpu by name, rocm from a root, HIP from the driver and the rest from an SDK."""
    rooted = {k: f"Z:{windows}/{v}".replace("/", "\\") if k.endswith("PATH") else v for k, v in settings.items()}
    ran = wine(bench, windows, *arguments, **rooted)
    assert (ran.code, ran.out.splitlines(), ran.lines) == (0, ["ok"], [])


@pytest.mark.wine
def test_windows_ini_and_end_of_process(bench: Any, windows: Path) -> None:
    """dragoman.ini beside the DLLs says what the environment does not; the end is told by DllMain."""
    ini = windows / "set" / "cuda12" / "dragoman.ini"
    ini.write_bytes(b"\xef\xbb\xbf[dragoman]\r\nbackend = cpu\r\nlog = info\r\n")
    try:
        ran = wine(bench, windows, "exit")
    finally:
        ini.unlink()
    assert ran.code == 0
    assert ran.out.splitlines()[0] == "ok"
    assert "destroy 0" in ran.out.splitlines()[-1]
    assert ran.codes == ["D017", "D017", "D016"]
    assert "CALLED AT THE END" not in ran.err


@pytest.mark.wine
def test_windows_names_the_missing_dependency(bench: Any, windows: Path) -> None:
    """Windows says only that something is missing; the line says what."""
    broken = windows / "broken"
    if not broken.exists():
        shutil.copytree(windows / "set", broken / "set")
        rocblas = broken / "set" / "cpu" / "rocblas.dll"
        data = rocblas.read_bytes()
        assert data.count(b"KERNEL32.dll") == 1
        rocblas.write_bytes(data.replace(b"KERNEL32.dll", b"MISSING9.dll"))
    shutil.copy(windows / "driver.exe", broken)
    ran = wine(bench, broken, "cycles", "1", DRAGOMAN_BACKEND="cpu")
    assert ran.out.splitlines() == ["create: 3"]
    assert ran.codes == ["D014"]
    assert "MISSING9.dll, which it needs, is not found" in ran.lines[0]
