"""`dragoman run` and `dragoman lib-dir`: which libraries a program finds, and that it does not notice us otherwise."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from as_user import Dragoman, User, shell
from dragoman import paths
from dragoman.errors import UserError
from dragoman.run import driver, links, program, start

linux = pytest.mark.skipif(sys.platform != "linux", reason="symbolic links and LD_LIBRARY_PATH")


def script(folder: Path, text: str) -> Path:
    path = folder / "script"
    path.write_text(f"#!/bin/sh\n{text}\n", encoding="utf-8")
    path.chmod(0o755)
    return path


@linux
def test_exit_status_and_arguments_pass(dragoman: Dragoman, tmp_path: Path) -> None:
    told = script(tmp_path, 'printf "%s|" "$0" "$@"; exit 7')
    ran = dragoman("run", "--", str(told), "a b", "--help", "$HOME", "*")
    assert ran.returncode == 7
    assert ran.stdout == f"{told}|a b|--help|$HOME|*|"


@linux
def test_dashes_may_be_left_out(dragoman: Dragoman, tmp_path: Path) -> None:
    told = script(tmp_path, 'printf "%s|" "$@"')
    assert dragoman("run", str(told), "--json", "--", "-x").stdout == "--json|--|-x|"


@linux
def test_signals_reach_the_program(user: User, tmp_path: Path) -> None:
    """It has become our process: there is nobody between."""
    told = script(tmp_path, 'trap "exit 33" TERM; echo ready; while :; do sleep 0.05; done')
    with subprocess.Popen(["dragoman", "run", "--", str(told)], env=user, text=True, stdout=subprocess.PIPE) as process:
        assert process.stdout
        assert process.stdout.readline() == "ready\n"
        process.send_signal(signal.SIGTERM)
        assert process.wait(timeout=20) == 33


@linux
def test_environment(dragoman: Dragoman, tmp_path: Path) -> None:
    """The chosen CUDA first, the others behind it, the caller's own last; no setting of ours is made."""
    told = script(tmp_path, "env")
    ran = dragoman("run", str(told), LD_LIBRARY_PATH="/mine:/mine/too", DRAGOMAN_LOG="off")
    found = dict(line.split("=", 1) for line in ran.stdout.splitlines() if "=" in line)
    folders = found["LD_LIBRARY_PATH"].split(":")
    assert [re.sub("-driver", "", Path(f).name) for f in folders[:3]] == ["cuda12", "cuda11", "cuda13"]
    assert folders[3:] == ["/mine", "/mine/too"]
    assert [k for k in found if k.startswith("DRAGOMAN_")] in (["DRAGOMAN_LOG"], ["DRAGOMAN_CACHE", "DRAGOMAN_LOG"])
    assert found["DRAGOMAN_LOG"] == "off"


@linux
def test_not_a_program(dragoman: Dragoman, tmp_path: Path) -> None:
    text = tmp_path / "text"
    text.write_text("no program\n", encoding="utf-8")
    ran = dragoman("run", "--", str(text))
    assert ran.returncode == 2
    assert ran.stderr == f"dragoman: {text} may not be executed; allow it with: chmod +x {text}\n"
    text.chmod(0o755)
    ran = dragoman("run", "--", str(text))
    assert ran.returncode == 2
    assert "not a program of this system" in ran.stderr
    text.write_bytes(b"\x7fELFgarbage")
    ran = dragoman("run", "--", str(text))
    assert ran.returncode == 2
    assert ran.stderr.count("\n") == 1, "one line, none of a parser's"
    assert "not a program of this system" in ran.stderr
    text.write_text("#!/nonexistent/sh -e\n", encoding="utf-8")
    ran = dragoman("run", "--", str(text))
    assert ran.returncode == 2
    assert ran.stderr == f"dragoman: cannot run {text}: /nonexistent/sh does not exist\n"


@linux
def test_a_script_knows_its_name_as_it_was_given(
    dragoman: Dragoman, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    script(tmp_path, 'echo "$0"')
    monkeypatch.chdir(tmp_path)
    assert [dragoman("run", "--", name).stdout for name in ("./script", str(tmp_path / "script"))] == [
        "./script\n",
        f"{tmp_path}/script\n",
    ]


@linux
@pytest.mark.parametrize("major", [11, 12, 13])
def test_lib_dir(major: int, dragoman: Dragoman) -> None:
    ran = dragoman("lib-dir", "--cuda", str(major), "--no-driver")
    assert ran.returncode == 0, ran.stderr
    folder = Path(ran.stdout.strip())
    names = {p.name for p in folder.iterdir()}
    runtime = "libcudart.so.11.0" if major == 11 else f"libcudart.so.{major}"
    assert {f"libcublas.so.{major}", "libcublas.so", f"libcublasLt.so.{major}", runtime, "libcudart.so"} <= names
    assert not [n for n in names if n.startswith(("libcuda.so", "libdragoman"))]
    assert (folder / "libcublas.so").resolve() == (folder / f"libcublas.so.{major}").resolve()
    assert all(p.is_symlink() and p.resolve().is_file() for p in folder.iterdir())


@linux
def test_headers_lie_beside(dragoman: Dragoman) -> None:
    folder = Path(dragoman("lib-dir", "--headers", "--cuda", "13").stdout.strip())
    assert "CUBLAS_VER_MAJOR 13" in (folder / "cublas_api.h").read_text(encoding="utf-8")


CMAKE = """
cmake_minimum_required(VERSION 3.17)
project(t C)
find_package(CUDAToolkit 12 REQUIRED)
add_executable(t t.c)
target_link_libraries(t CUDA::cublas CUDA::cublasLt CUDA::cudart)
"""


@linux
def test_a_toolkit_for_cmake(dragoman: Dragoman, tmp_path: Path) -> None:
    folder = Path(dragoman("lib-dir", "--toolkit", "--cuda", "12").stdout.strip())
    assert (folder / "version.txt").read_text(encoding="utf-8") == "CUDA Version 12.9.0\n"
    assert (folder / "include" / "cublas_v2.h").is_file()
    assert (folder / "lib64" / "libcudart.so").is_file()
    cmake = shutil.which("cmake")
    if not cmake:
        pytest.skip("no CMake on this machine")
    (tmp_path / "CMakeLists.txt").write_text(CMAKE, encoding="utf-8")
    (tmp_path / "t.c").write_text(
        "#include <cublas_v2.h>\n#include <cuda_runtime.h>\n"
        "int main(void) { cublasHandle_t h; return cudaFree(0) || cublasCreate(&h) || cublasDestroy(h); }\n",
        encoding="utf-8",
    )
    made = subprocess.run(
        [cmake, "-S", tmp_path, "-B", tmp_path / "b", f"-DCUDAToolkit_ROOT={folder}"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert made.returncode == 0, made.stderr
    subprocess.run([cmake, "--build", tmp_path / "b"], check=True, capture_output=True)
    assert dragoman("run", "--", str(tmp_path / "b" / "t")).returncode == 0


@linux
def test_a_toolkit_is_for_linux(dragoman: Dragoman) -> None:
    ran = dragoman("lib-dir", "--toolkit", "--target", "windows")
    assert ran.returncode == 2
    assert "for Linux only" in ran.stderr


@linux
def test_two_names_are_one_library(dragoman: Dragoman) -> None:
    """ctypes opens libcublas.so, a plug-in libcublas.so.12: handles of one are the other's."""
    code = (
        "import ctypes; a, b = ctypes.CDLL('libcublas.so'), ctypes.CDLL('libcublas.so.12');"
        "ctypes.CDLL('libcudart.so').cudaFree(None);"
        "h = ctypes.c_void_p(); print(a.cublasCreate_v2(ctypes.byref(h)), b.cublasDestroy_v2(h), a.cublasDestroy_v2(h))"
    )
    ran = dragoman("run", "--", sys.executable, "-c", code)
    assert ran.stdout == "0 0 1\n", ran.stderr
    assert "computing on the CPU" in ran.stderr


@linux
def test_links_follow_the_build(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DRAGOMAN_CACHE", str(tmp_path / "cache"))
    built = tmp_path / "linux" / "cuda12"
    built.mkdir(parents=True)
    for name in ("libcublas.so.12", "libcuda.so.1", "libdragoman_core.so.1", "notes.txt"):
        (built / name).write_bytes(b"")
    folder = links.prepare(built, driver=False)
    assert sorted(p.name for p in folder.iterdir()) == ["libcublas.so", "libcublas.so.12"]
    with_driver = links.prepare(built, driver=True)
    assert with_driver != folder
    assert {p.name for p in with_driver.iterdir()} >= {"libcuda.so", "libcuda.so.1"}
    (built / "libcublas.so.12").rename(built / "libcublasLt.so.12")
    assert links.prepare(built, driver=False) == folder
    assert sorted(p.name for p in folder.iterdir()) == ["libcublasLt.so", "libcublasLt.so.12"]


@linux
def test_somebody_elses_driver(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(driver, "KNOWN", ())
    monkeypatch.setattr(driver, "_cached", lambda: ())
    assert driver.other_driver({}) == ""
    (tmp_path / "libcuda.so.1").write_bytes(b"")
    found = {"LD_LIBRARY_PATH": f"/nowhere::{tmp_path}"}
    assert driver.other_driver(found) == str(tmp_path / "libcuda.so.1")
    monkeypatch.setattr(driver, "KNOWN", (str(tmp_path),))
    assert driver.other_driver({}) == str(tmp_path / "libcuda.so.1")
    assert "zluda" in driver.other_driver({"LD_PRELOAD": "/opt/zluda/libcuda.so.1"})
    assert "LD_AUDIT" in driver.other_driver({"LD_AUDIT": "/opt/zluda/zluda_ld.so"})
    (tmp_path / "libdragoman_core.so.1").write_bytes(b"")
    assert driver.other_driver(found) == ""  # it is ours


@pytest.mark.parametrize(
    ("names", "major"),
    [
        (["libc.so.6"], 0),
        (["libm.so.6", "libcublas.so.12"], 12),
        (["libcudart.so.11.0"], 11),
        (["cublasLt64_13.dll"], 13),
        (["cudart64_110.dll"], 11),
        (["KERNEL32.dll", "CUBLAS64_11.DLL"], 11),
        (["libcublas.so"], 0),
    ],
)
def test_major_of_a_program(names: list[str], major: int) -> None:
    assert program.major_of(names) == major


@linux
def test_built_in_path_is_told(tmp_path: Path, compiler: str) -> None:
    (tmp_path / "libcublas.so.12").write_bytes(b"")
    (tmp_path / "empty.c").write_text("int main(void) { return 0; }\n", encoding="utf-8")
    for flag, told in (("--disable-new-dtags", True), ("--enable-new-dtags", False)):
        made = shell(f"cc empty.c -Wl,{flag} -Wl,-rpath,'$ORIGIN' -o empty", dict(os.environ), tmp_path)
        assert made.returncode == 0, made.stderr
        remarks = start.remarks(program.look(tmp_path / "empty"))
        assert bool(remarks) == told
        assert all("RPATH" in r for r in remarks)


@linux
@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root can give a file to another user")
def test_more_rights_than_the_users_are_told(tmp_path: Path) -> None:
    tool = tmp_path / "tool"
    tool.write_bytes(Path("/bin/true").read_bytes())
    tool.chmod(0o4755)
    assert not start.remarks(program.look(tool))  # one's own are no more
    os.chown(tool, 65534, -1)
    tool.chmod(0o4755)
    (remark,) = start.remarks(program.look(tool))
    assert remark.startswith("tool runs with its owner's rights (set-uid)")


def test_folders_that_would_be_read_as_two(tmp_path: Path) -> None:
    separator = ";" if sys.platform == "win32" else ":"
    for folder in {f"{tmp_path}/a{separator}b", f"{tmp_path}/a;b"}:
        with pytest.raises(UserError, match="DRAGOMAN_CACHE=DIR"):
            start.environment_for([Path(folder)], {})


def test_nothing_built(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(paths, "default_out", lambda: tmp_path)
    with pytest.raises(UserError, match="make it with: dragoman build --cuda 12"):
        start.library_folders(12, {})
