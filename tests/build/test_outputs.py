"""A build's folder is whole at every moment: a build that fails changes nothing, what a killed one left is finished by the next,
what was damaged is made again."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from dragoman.build import all as building
from dragoman.build import tree
from dragoman.build.all import build_all
from dragoman.build.plan import BuildError
from dragoman.children import python

FUNCTION = "cublasLtGetVersion"  # one small library, and the core
OTHER = "cudaRuntimeGetVersion"


def again(out: Path, function: str = FUNCTION) -> building.Built:
    return build_all(out, majors=(12,), function=function)


def content(out: Path, notes: bool = True) -> dict[str, bytes | str]:
    """Every file and link; `notes`: also what the next build would look at."""
    found: dict[str, bytes | str] = {}
    for path in sorted(out.rglob("*")):
        name = str(path.relative_to(out))
        if path.is_symlink():
            found[name] = os.readlink(path)
        elif path.is_file() and (notes or not name.startswith(".")):
            found[name] = path.read_bytes()
    return found


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("outputs")
    again(folder / "other", OTHER)
    again(folder / "out")
    return folder / "out"


@pytest.fixture
def out(made: Path, tmp_path: Path) -> Path:
    """A build's folder of the test's own, finished."""
    copy = tmp_path / "out"
    shutil.copytree(made, copy, symlinks=True)
    again(copy)
    return copy


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:100])


def flip(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(data)


@pytest.mark.parametrize("damage", [cut, flip, os.unlink])
@pytest.mark.parametrize(
    "file",
    [
        "linux/cuda12/libcublasLt.so.12",
        "linux/cuda12/libcublasLt.so",
        "include/cuda12/cublas_v2.h",
        "src/cublasLt/cublasLt_abi.h",
        tree.STAMP,
        tree.MANIFEST,
    ],
)
def test_what_is_damaged_is_made_again(out: Path, damage: Callable[[Path], None], file: str) -> None:
    before = content(out, notes=False)
    assert again(out).changed == ()
    path = out / file
    if path.is_symlink() and damage is not os.unlink:
        path.unlink()
        path.write_bytes(b"a file in the place of a link")
    damage(path)
    again(out)
    assert content(out, notes=False) == before
    assert again(out).changed == ()


def test_a_file_that_nobody_generated_goes(out: Path) -> None:
    """What lies among the generated files was once generated, or will be read by mistake."""
    before = content(out, notes=False)
    (out / "src" / "cublasLt" / "old.pyx").write_text("x", encoding="utf-8")
    (out / "include" / "cuda12" / "old.h").write_text("x", encoding="utf-8")
    again(out)
    assert content(out, notes=False) == before


def fails(*arguments: object, **keywords: object) -> None:
    raise BuildError("x.c:1: no")


def no_space(*arguments: object, **keywords: object) -> None:
    raise OSError(28, "No space left on device")


@pytest.mark.parametrize(
    ("where", "what", "said"),
    [
        ((building, "make"), fails, "x.c:1: no"),
        ((shutil, "copyfile"), no_space, "cannot write to .*: No space left on device"),
        ((Path, "write_text"), no_space, "cannot write to .*: No space left on device"),
    ],
    ids=["compiler", "libraries", "sources"],
)
def test_a_failure_changes_nothing(
    out: Path,
    monkeypatch: pytest.MonkeyPatch,
    where: tuple[object, str],
    what: Callable[..., None],
    said: str,
) -> None:
    before = content(out)
    with monkeypatch.context() as patch:
        patch.setattr(*where, what)
        with pytest.raises(BuildError, match=f"^{said}$"):
            again(out, OTHER)
        with pytest.raises(BuildError, match=f"^{said}$"):
            again(out.with_name("first"), OTHER)
    assert not out.with_name("first").exists()
    assert content(out) == before
    assert again(out).changed == ()


# Like any program that is killed, at the last moment before a file gets its name: nothing is tidied up.
KILLED = """
import os
from pathlib import Path
from dragoman.build.all import build_all
left = int(sys.argv[2])
def dying(name):
    real = getattr(Path, name)
    def call(self, *arguments, **keywords):
        global left
        left -= 1
        if left < 0:
            os.kill(os.getpid(), 9)
        return real(self, *arguments, **keywords)
    setattr(Path, name, call)
for name in ("replace", "rename", "unlink", "symlink_to", "mkdir", "write_text"):
    dying(name)
build_all(Path(sys.argv[1]), majors=(12,), function=sys.argv[3], jobs=1)
print(int(sys.argv[2]) - left)
"""


def dying(out: Path, after: int, function: str) -> subprocess.CompletedProcess[str]:
    command = python(KILLED, str(out), str(after), function)
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=False)


@pytest.mark.slow
def test_a_build_killed_at_any_moment(out: Path) -> None:
    """The old state, or one that the next build finishes."""
    old = content(out)
    shutil.copytree(out, out.with_name("whole"), symlinks=True)
    whole = dying(out.with_name("whole"), 1 << 30, OTHER)
    steps = int(whole.stdout)
    new = content(out.with_name("whole"), notes=False)
    states = set()
    # The end is where files get to their places; a few of the many steps before.
    for after in (*range(0, steps - 24, 1 + steps // 4), *range(max(0, steps - 24), steps, 2)):
        place = out.with_name(f"killed{after}")
        shutil.copytree(out, place, symlinks=True)
        assert dying(place, after, OTHER).returncode == -signal.SIGKILL
        finished = (place / tree.STAMP).exists()
        states.add(finished)
        if finished:
            assert {k: v for k, v in content(place).items() if not k.startswith(tree.STAGING)} == old, after
        build_all(place, majors=(12,), function=OTHER)
        assert content(place, notes=False) == new, after
        assert not list(place.glob(f"{tree.STAGING}*"))
        shutil.rmtree(place)
    assert states == {True, False}
