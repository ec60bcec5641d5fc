"""Each command as a user meets it: help with an example, exit statuses, one clear line for what cannot be done."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from as_user import Dragoman, User, shell
from dragoman import cli, paths
from dragoman.tables import loader
from dragoman.tables.model import MAJORS

COMMANDS = ("prove", "build", "coverage", "parity", "amd-host", "scan", "run", "lib-dir", "explain")


def call(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    status = cli.call(arguments)
    said = capsys.readouterr()
    return status, said.out, said.err


def refused(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    """The one line of a refusal."""
    status, out, err = call(capsys, *arguments)
    assert (status, out) == (2, "")
    assert err.startswith("dragoman: ")
    assert len(err.splitlines()) == 1, err
    return err


@pytest.mark.parametrize("command", COMMANDS)
def test_help_shows_an_example(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    status, out, _ = call(capsys, command, "--help")
    assert status == 0
    assert "Example:\n" in out
    assert "dragoman" in out.split("Example:", 1)[1]


def test_every_command_is_known_here() -> None:
    names = {c.name or (c.callback.__name__ if c.callback else "") for c in cli.app.registered_commands}
    assert names == set(COMMANDS)


def test_choices_are_the_tables_majors() -> None:
    assert tuple(int(c.value) for c in cli.Cuda) == MAJORS


def test_version(capsys: pytest.CaptureFixture[str]) -> None:
    assert call(capsys, "--version") == (0, "dragoman 0.1.0\n", "")


@pytest.mark.parametrize("name", ["POSIX", "C"])
def test_a_terminal_without_utf_8(dragoman: Dragoman, name: str) -> None:
    ran = dragoman("explain", "cublasSgemm_v2", LC_ALL=name, PYTHONUTF8="0", PYTHONCOERCECLOCALE="0")
    assert (ran.returncode, ran.stderr) == (0, "")


@pytest.mark.skipif(sys.platform == "win32", reason="paths are bytes on Unix")
def test_paths_that_the_locale_cannot_spell(user: User, dragoman: Dragoman, tmp_path: Path) -> None:
    """Built into, printed as they are, hashed and linked."""
    assert dragoman("lib-dir").returncode == 0  # built before, so that the cache is full
    cache = tmp_path / "cä che"
    cache.symlink_to(paths.cache_dir())
    ascii_only = {**user, "LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0", "DRAGOMAN_CACHE": str(cache)}
    ran = subprocess.run(["dragoman", "lib-dir"], env=ascii_only, capture_output=True, timeout=300, check=False)
    assert (ran.returncode, ran.stderr) == (0, b"")
    folder = Path(os.fsdecode(ran.stdout.rstrip()))
    assert folder.is_relative_to(cache)
    assert (folder / "libcublas.so").is_file()
    out = tmp_path / "bü ild"
    command = ["dragoman", "build", "--cuda", "12", "--function", "cublasSgemm", "--out", str(out)]
    ran = subprocess.run(command, env=ascii_only, capture_output=True, timeout=300, check=False)
    assert ran.returncode == 0, ran.stderr
    assert os.fsencode(out) in ran.stdout
    assert (out / "linux" / "cuda12" / "libcublas.so.12").is_file()


def test_an_output_that_is_closed(user: dict[str, str]) -> None:
    command = ["sh", "-c", "exec dragoman coverage --format json >&-"]
    ran = subprocess.run(command, env=user, text=True, capture_output=True, timeout=60, check=False)
    assert (ran.returncode, ran.stderr) == (0, "")


@pytest.mark.skipif(sys.platform == "win32", reason="signals of Unix")
@pytest.mark.parametrize(
    ("number", "status", "last"), [(signal.SIGINT, 130, "dragoman: interrupted"), (signal.SIGTERM, 143, "")]
)
def test_a_build_that_is_stopped(number: int, status: int, last: str, user: User, tmp_path: Path) -> None:
    """Its temporary files go, its children too, and the folder is as it was."""
    out, cache = tmp_path / "out", tmp_path / "cache"
    command = ["dragoman", "build", "--cuda", "12", "--out", str(out)]
    env = {**user, "DRAGOMAN_CACHE": str(cache)}
    # Who starts the tests in the background of a shell has SIGINT ignored, and so have its children.
    was = signal.signal(number, signal.SIG_DFL)
    with subprocess.Popen(command, env=env, text=True, stderr=subprocess.PIPE, start_new_session=True) as process:
        signal.signal(number, was)
        deadline = time.monotonic() + 60
        while not list(out.glob(".*/**/*.pyx")) and time.monotonic() < deadline:  # its temporary folder is being filled
            time.sleep(0.02)
        process.send_signal(number)
        _, err = process.communicate(timeout=300)  # the step under way is waited for
        assert process.returncode == status, err
        assert "Traceback" not in err
        assert err.splitlines()[-1:] == [last] or not last
        group = process.pid
    for _ in range(100):
        try:
            os.killpg(group, 0)
        except ProcessLookupError:
            break
        time.sleep(0.1)
    else:
        pytest.fail("a child is still alive")
    assert [
        p for p in (out, cache) for p in p.rglob("*") if p.is_file() and "locks" not in p.parts and p.suffix == ".pyx"
    ] == []
    assert not [p for p in out.rglob("*") if p.name.startswith(".staging")]


def test_without_a_command_the_help(capsys: pytest.CaptureFixture[str]) -> None:
    status, out, err = call(capsys)
    assert status == 2
    assert "Commands:" in out + err


@pytest.mark.parametrize(
    ("arguments", "part"),
    [
        (("nope",), "No such command 'nope'; see dragoman --help"),
        (("build", "--cuda", "14"), "'14' is not one of '11', '12', '13'; see dragoman build --help"),
        (("explain",), "Missing argument 'NAME'"),
        (("explain", "cublassgem"), "did you mean cublasSgem"),
        (("build", "--function", "cublasSgemmm"), "did you mean cublasSgemm"),
        (("build", "--library", "cubla"), "no library 'cubla'; expected one of cublas"),
        (("build", "--out", "/dev/null/x"), "/dev/null/x"),
        (("build", "--check", "--out", "/nowhere"), "/nowhere/src does not exist; make it with: dragoman build"),
        (("build", "--target", "windows", "--toolchain", "cc", "--out", "{tmp}"), "use the zig toolchain for windows"),
        (("coverage", "--library", "cubla"), "no library 'cubla'"),
        (("coverage", "--format", "md", "--out", "/dev/null/x"), "cannot write /dev/null/x"),
        (("explain", ""), "an empty name"),
        (("parity", "--function", "cublasSbdmm"), "cublasSbdmm is not answered, so there is nothing to compare"),
        (("parity", "--function", "cudnnBackendExecute"), "cudnnBackendExecute is not answered"),
        (("parity", "--library", "cudnn8", "--cuda", "13"), "cuDNN 8 goes with CUDA 11 and 12"),
        (("amd-host", "9.9"), "no release '9.9' is known; expected 5.5, 6.4, 7.2"),
        (("prove", "--out", "/dev/null/x"), "cannot write to /dev/null/x"),
        (("parity", "--backend", "nope"), "no backend 'nope': there are auto, cpu, rocm, or a folder"),
        (("parity", "--subject", "/nowhere"), "/nowhere: no such folder"),
        (("parity", "--subject", "{tmp}"), "libcublas.so.12 does not exist"),
        (("build", "--out", ""), "an empty name; see dragoman build --help"),
        (("prove", "--out", ""), "an empty name"),
        (("coverage", "--out", ""), "an empty name"),
        (("parity", "--subject", ""), "an empty name"),
        (("parity", "--html", ""), "an empty name"),
        (("parity", "--backend", ""), "no backend ''"),
        (("scan", ""), "an empty name"),
        (("build", "--out", "{file}"), "{file}: it is a file, not a folder"),
        (("prove", "--out", "{file}"), "{file}: it is a file, not a folder"),
        (("run", "--", "./nope"), "./nope: no such program"),
        (("run", "nope"), "nope: no such program on the path"),
        (("run", "--", "/tmp"), "/tmp is a folder, not a program"),
        (("run",), "Missing argument"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
)
def test_one_line(arguments: tuple[str, ...], part: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "file"
    if "{file}" in part:
        file.touch()
    said = refused(capsys, *(a.replace("{tmp}", str(tmp_path)).replace("{file}", str(file)) for a in arguments))
    assert part.replace("{file}", str(file)) in said


@pytest.mark.parametrize(
    ("arguments", "part"),
    [
        (("parity", "--html", "/dev/null/x"), "cannot write /dev/null/x"),
        (("parity",), "/dev/null/judges"),
        (("coverage", "--format", "html", "--out", "/dev/null/x"), "cannot write /dev/null/x"),
    ],
)
def test_before_the_work(
    arguments: tuple[str, ...], part: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """What cannot be written is told before the minutes of work that would be lost."""

    def work(*_: object, **__: object) -> None:
        pytest.fail("began to work")

    monkeypatch.setattr("dragoman.commands.judging.place.root", work if "--html" in arguments else lambda **_: None)
    monkeypatch.setattr("dragoman.parity.runner.run_parity", work)
    monkeypatch.setattr("dragoman.commands.covering.collect", work)
    monkeypatch.setenv("DRAGOMAN_CACHE", "/dev/null")
    assert part in refused(capsys, *arguments)


def test_a_folder_that_was_deleted(user: User, tmp_path: Path) -> None:
    """Whoever stands in it gets an answer, or one line."""
    line = "mkdir gone && cd gone && rmdir ../gone && "
    ran = shell(line + "dragoman run -- ./x", user, tmp_path)
    said = [line for line in ran.stderr.splitlines() if not line.startswith("sh: ")]  # the shell complains too
    assert (ran.returncode, said) == (2, ["dragoman: ./x: no such program"])
    ran = shell(line + "dragoman build --out x --function cublasSgemm", user, tmp_path)
    said = [line for line in ran.stderr.splitlines() if not line.startswith("sh: ")]
    assert (ran.returncode, said) == (2, ["dragoman: the current folder does not exist any more; go to one that does"])


def test_a_refusal_is_quick() -> None:
    """Whether an error is a message is told without importing what could have raised it."""
    code = (
        "import sys, dragoman.cli as cli; assert cli.call(['run', '--', './nope']) == 2;"
        "print([m for m in ('hypothesis', 'numpy', 'lief') if m in sys.modules])"
    )
    ran = subprocess.run([sys.executable, "-c", code], text=True, capture_output=True, check=True)
    assert ran.stdout.strip() == "[]"


def test_unwritable_cache(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv("DRAGOMAN_CACHE", "/dev/null/cache")
    assert "another place: DRAGOMAN_CACHE=DIR" in refused(capsys, "lib-dir")


def test_missing_rocm(dragoman: Dragoman) -> None:
    if Path("/opt/rocm").exists():
        pytest.skip("ROCm is here")
    ran = dragoman("parity", "--backend", "rocm", "--function", "cublasSasum_v2")
    assert ran.returncode == 2
    assert "no HIP runtime" in ran.stderr.splitlines()[-1]
    assert "Install ROCm" in ran.stderr.splitlines()[-1]
    assert "Traceback" not in ran.stderr


def test_wrong_table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """file:line:column, and nothing half-built is left."""
    tables = tmp_path / "tables"
    shutil.copytree(paths.tables_dir(), tables)
    level3 = tables / "cublas" / "level3.yaml"
    level3.write_text(level3.read_text(encoding="utf-8") + "\nnew:\n  sumary: x\n", encoding="utf-8")
    lines = len(level3.read_text(encoding="utf-8").splitlines())
    monkeypatch.setattr(paths, "tables_dir", lambda: tables)
    monkeypatch.setattr(loader.paths, "tables_dir", lambda: tables)
    out = tmp_path / "out"
    line = refused(capsys, "build", "--out", str(out))
    assert line.startswith(f"dragoman: tables/cublas/level3.yaml:{lines - 1}:") or f"level3.yaml:{lines}:" in line
    assert not out.exists()


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory, dragoman: Dragoman) -> Path:
    """The build of one function's library."""
    out = tmp_path_factory.mktemp("small")
    ran = dragoman("build", "--cuda", "12", "--function", "cublasSgemm", "--out", str(out), "--zip", "--json")
    assert ran.returncode == 0, ran.stderr
    answer = json.loads(ran.stdout)
    assert answer["out"] == str(out)
    names = {Path(p).name for p in answer["libraries"]}
    assert "libcublas.so.12" in names
    assert "libcudart.so.12" not in names
    assert [Path(p).name for p in answer["archives"]] == ["dragoman-0.1.0-linux.zip"]
    return out


def test_archive_holds_versioned_names_only(small: Path) -> None:
    import zipfile

    with zipfile.ZipFile(small / "dragoman-0.1.0-linux.zip") as archive:
        names = archive.namelist()
        assert {i.date_time[0] for i in archive.infolist()} == {1980}
    assert "linux/cuda12/libcublas.so.12" in names
    assert "linux/cuda12/libcublas.so" not in names
    assert names == sorted(names)


def test_check_agrees_with_a_fresh_build(small: Path, dragoman: Dragoman) -> None:
    ran = dragoman("build", "--check", "--out", str(small))
    assert (ran.returncode, ran.stdout) == (0, "")


def test_check_names_three_kinds_of_difference(small: Path, dragoman: Dragoman, tmp_path: Path) -> None:
    out = tmp_path / "copy"
    for part in ("src", "include"):
        shutil.copytree(small / part, out / part)
    source = out / "src" / "cublas"
    (source / "level1.pyx").unlink()
    (source / "mine.pyx").write_text("# by hand\n", encoding="utf-8")
    text = (source / "level3.pyx").read_text(encoding="utf-8")
    (source / "level3.pyx").write_text(text.replace("to_op(transa)", "transa", 1), encoding="utf-8")
    ran = dragoman("build", "--check", "--out", str(out))
    assert ran.returncode == 1
    lines = ran.stdout.splitlines()
    assert lines[0] == "missing: src/cublas/level1.pyx"
    assert lines[1] == "orphaned: src/cublas/mine.pyx"
    assert lines[2] == "changed: src/cublas/level3.pyx"
    assert "    -        transa," in lines
    assert "    +        to_op(transa)," in lines
    as_json = json.loads(dragoman("build", "--check", "--out", str(out), "--json").stdout)
    assert [d["kind"] for d in as_json] == ["missing", "orphaned", "changed"]


def test_nothing_changed_is_quick(small: Path, dragoman: Dragoman) -> None:
    ran = dragoman("build", "--cuda", "12", "--function", "cublasSgemm", "--out", str(small))
    assert ran.returncode == 0
    assert "nothing changed" in ran.stdout
    assert ran.stderr == ""


def test_a_folder_may_be_relative(user: User, tmp_path: Path) -> None:
    ran = shell("dragoman build --cuda 12 --function cublasSgemm --out libs --json", user, tmp_path)
    assert ran.returncode == 0, ran.stderr
    assert json.loads(ran.stdout)["out"] == str(tmp_path / "libs")
    assert (tmp_path / "libs" / "linux" / "cuda12" / "libcublas.so.12").is_file()


def test_nearest_ignores_the_case() -> None:
    from dragoman.errors import nearest

    assert nearest("CUBLASSGEMM", ["cublasSgemm", "cublasDgemm"]).startswith("did you mean cublasSgemm")
    assert "coverage" in nearest("x", ["cublasSgemm"])


def test_import_is_light() -> None:
    """Less than 150 ms, and none of the heavy packages."""
    code = (
        "import sys, time; t = time.perf_counter(); import dragoman; print(time.perf_counter() - t);"
        "print([m for m in ('numpy', 'lief', 'hypothesis', 'typer', 'rich', 'yaml', 'Cython') if m in sys.modules])"
    )
    best = 9.0
    for _ in range(3):
        said = subprocess.run([sys.executable, "-c", code], text=True, capture_output=True, check=True).stdout.split(
            "\n"
        )
        assert said[1] == "[]"
        best = min(best, float(said[0]))
    assert best < 0.150


def test_help_is_quick(dragoman: Dragoman) -> None:
    """Starting costs the parser alone: nothing that a command needs is imported before it is called."""
    code = "import dragoman.cli, sys; print([m for m in ('numpy', 'lief', 'hypothesis', 'yaml', 'jinja2') if m in sys.modules])"
    ran = subprocess.run([sys.executable, "-c", code], text=True, capture_output=True, check=True)
    assert ran.stdout.strip() == "[]"
    begun = time.monotonic()
    assert dragoman("--help").returncode == 0
    assert time.monotonic() - begun < 5


def test_no_colour_in_pipes(dragoman: Dragoman) -> None:
    for arguments in (("coverage", "--library", "cublas"), ("explain", "cublasSgemm"), ("--help",)):
        assert "\x1b" not in dragoman(*arguments).stdout


def test_reader_that_had_enough(user: User) -> None:
    ran = shell("dragoman coverage --format json | head -1", user)
    assert ran.stdout == "{\n"
    assert "Traceback" not in ran.stderr


@pytest.mark.skipif(not shutil.which("bash"), reason="asks bash for the status of each part of a pipe")
@pytest.mark.parametrize("command", ["coverage", "explain cublasSgemm", "scan --all ."])
def test_reader_that_had_enough_is_no_failure(command: str, user: User) -> None:
    """A script with `pipefail` goes on. Whoever reads here has left before the first line."""
    ran = shell(
        f"bash -o pipefail -c 'dragoman {command} | true'", user, Path(__file__).resolve().parents[1] / "programs"
    )
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, "", "")
