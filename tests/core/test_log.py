"""The log: levels, files, the program's own logger; whatever goes wrong in it does not reach the program."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from dragoman.paths import package_dir

CORE = """
core = core_of(SET + "/libdragoman_core.so.1")
"""
SPEAK = (
    CORE
    + """
core.log(1, b"D900", b"an error")
core.log(2, b"D901", b"a fact")
core.trace(b"fakeCall", 7, b"n=1")
print(json.dumps([core.log_level()]))
"""
)
LINES = ["dragoman: D900 an error", "dragoman: D901 a fact", "dragoman: fakeCall(n=1) = 7"]


@pytest.mark.parametrize(("level", "count"), [("off", 0), ("error", 1), ("info", 2), ("trace", 3), ("Info", 2)])
def test_levels(bench: Any, level: str, count: int) -> None:
    ran = bench.run(SPEAK, DRAGOMAN_LOG=level)
    assert ran.lines == LINES[:count]
    assert ran.value == [count]


def test_error_is_the_level_without_a_wish(bench: Any) -> None:
    assert bench.run(SPEAK).lines == LINES[:1]


def test_what_is_no_level(bench: Any) -> None:
    ran = bench.run(CORE, DRAGOMAN_LOG="loud")
    assert ran.lines == ["dragoman: D001 DRAGOMAN_LOG=loud is no level: use off, error, info or trace"]


def test_unsupported_is_said_once(bench: Any) -> None:
    """Function, reason, table line, what to do: by the first call, whichever thread makes it."""
    ran = bench.run(
        """
import threading
lib = load(SET + "/libfake.so.12")
threads = [threading.Thread(target=lib.fakeUnsupported) for _ in range(8)]
for t in threads: t.start()
for t in threads: t.join()
print(lib.fakeUnsupported())
"""
    )
    assert ran.value == 7
    assert ran.lines == [
        "dragoman: D100 fakeUnsupported is not supported: nobody needs it (tables/fake.yaml:7)."
        " The call is refused; see: dragoman explain fakeUnsupported"
    ]


def test_log_file(bench: Any, tmp_path: Path) -> None:
    """Lines are added to what is there; stderr stays empty."""
    file = tmp_path / "log.txt"
    file.write_text("before\n")
    ran = bench.run(SPEAK, DRAGOMAN_LOG="trace", DRAGOMAN_LOG_FILE=file)
    assert ran.err == ""
    assert file.read_text().splitlines() == ["before", *LINES]


def test_log_file_that_cannot_be_written(bench: Any, tmp_path: Path) -> None:
    ran = bench.run(SPEAK, DRAGOMAN_LOG_FILE=tmp_path / "none" / "log.txt")
    assert ran.codes == ["D002", "D900"]
    assert str(tmp_path / "none" / "log.txt") in ran.lines[0]


def test_log_file_whose_number_was_taken(bench: Any, tmp_path: Path) -> None:
    """The program closes all descriptors (as daemons do) and opens a file of its own: it stays clean."""
    ran = bench.run(
        CORE
        + """
core.log(1, b"D900", b"one")
os.closerange(3, 100)
data = os.open(os.environ["DATA"], os.O_RDWR | os.O_CREAT)
numbers = [data] + [os.dup(data) for _ in range(10)]
core.log(1, b"D900", b"two")
core.log(1, b"D900", b"three")
print(os.fstat(data).st_size)
""",
        DRAGOMAN_LOG_FILE=tmp_path / "log.txt",
        DATA=tmp_path / "data",
    )
    assert ran.value == 0
    assert [line.split()[-1] for line in (tmp_path / "log.txt").read_text().splitlines()] == ["one", "two", "three"]


def test_one_write_a_line(bench: Any, tmp_path: Path) -> None:
    """Many processes on one file: no line is torn."""
    file = tmp_path / "log.txt"
    code = CORE + 'text = (str(os.getpid()) * 200)[:1000].encode()\nfor _ in range(200): core.log(1, b"D900", text)'
    settings = {"DRAGOMAN_LOG_FILE": file}
    module = sys.modules[type(bench).__module__]
    children = [
        subprocess.Popen([sys.executable, "-S", "-c", module.PRELUDE + code], env=bench.environment(**settings))
        for _ in range(3)
    ]
    assert [child.wait() for child in children] == [0, 0, 0]
    lines = file.read_text().splitlines()
    assert len(lines) == 600
    assert len(set(lines)) == 3


def test_long_lines_are_cut_visibly(bench: Any) -> None:
    ran = bench.run(CORE + 'core.log(1, b"D900", b"x" * 5000)\ncore.trace(b"f", 1, b"y" * 5000)', DRAGOMAN_LOG="trace")
    assert [len(line) for line in ran.lines] == [2047 + len("dragoman: D900 "), 2047 + len("dragoman: ")]
    assert all(line.endswith("...") for line in ran.lines)


@pytest.mark.parametrize("what", ["closed", "broken pipe", "full"])
def test_a_log_that_cannot_be_written_hurts_nobody(bench: Any, what: str) -> None:
    """stderr closed, a pipe that nobody reads, a full disk: errno and signals stay as they were."""
    ran = bench.run(
        CORE
        + f"""
import signal
signal.signal(signal.SIGPIPE, signal.SIG_DFL)
what = {what!r}
if what == "closed": os.close(2)
if what == "broken pipe":
    out, into = os.pipe(); os.close(out); os.dup2(into, 2)
if what == "full": os.dup2(os.open("/dev/full", os.O_WRONLY), 2)
libc = c.CDLL(None, use_errno=True)
core.log(1, b"D900", b"one")
core.log(1, b"D900", b"two")
print(json.dumps([signal.SIGPIPE in signal.sigpending(), signal.SIGPIPE in signal.pthread_sigmask(0, [])]))
"""
    )
    assert ran.value == [False, False]


# ---- the program's own logger, as cublasLoggerConfigure and cublasSetLoggerCallback set it ----

LOGGER = """
lib = load(SET + "/libfake.so.12")
reason, handle = create(lib)
core = lib.fakeCore().contents
heard = []
@CALLBACK
def hear(text): heard.append(text.decode())
gates = []
def use(n):
    gates.append(lib.fakeGateOpen())
    lib.fakeTriple(handle, n)
"""


def test_callback(bench: Any) -> None:
    """It hears calls while logging is on, and no longer when it is off; the gate follows."""
    ran = bench.run(
        LOGGER
        + """
core.set_logger(c.cast(hear, P)); use(1)
core.configure_logger(1, 0, 0, None); use(2)
level = core.log_level()
core.configure_logger(0, 0, 0, None); use(3)
core.configure_logger(1, 0, 0, None); core.set_logger(None); use(4)
print(json.dumps([heard, gates, level, core.log_level(), core.get_logger()]))
""",
        DRAGOMAN_BACKEND="cpu",
    )
    assert ran.value == [["dragoman: fakeTriple(value=2) = 6"], [1, 0, 1, 1], 3, 1, None]
    assert ran.err == ""


def test_callback_that_calls_the_library(bench: Any) -> None:
    """Its own calls are not logged: it would never end."""
    ran = bench.run(
        LOGGER
        + """
@CALLBACK
def call(text):
    heard.append(text.decode())
    lib.fakeTriple(handle, 5)
    core.configure_logger(1, 0, 0, None)
core.set_logger(c.cast(call, P))
core.configure_logger(1, 0, 0, None)
use(1); use(2)
print(json.dumps(len(heard)))
""",
        DRAGOMAN_BACKEND="cpu",
    )
    assert ran.value == 2


def test_logger_outputs(bench: Any, tmp_path: Path) -> None:
    file = tmp_path / "calls.txt"
    ran = bench.run(
        LOGGER
        + f"""
answers = [core.configure_logger(1, 1, 0, None)]; use(1)
answers += [core.configure_logger(1, 0, 1, None)]; use(2)
answers += [core.configure_logger(1, 0, 0, {str(file)!r}.encode())]; use(3)
answers += [core.configure_logger(1, 0, 0, b"/nowhere/at/all")]; use(4)
answers += [core.configure_logger(0, 1, 1, b"/nowhere/at/all")]; use(5)
print(json.dumps([answers, gates]))
""",
        DRAGOMAN_BACKEND="cpu",
    )
    assert ran.value == [[0, 0, 0, -1, 0], [0, 0, 0, 1, 1]]
    assert "dragoman: fakeTriple(value=1) = 3" in ran.out
    assert ran.lines[0] == "dragoman: fakeTriple(value=2) = 6"
    assert ran.codes[1:] == ["D002"]
    assert file.read_text() == "dragoman: fakeTriple(value=3) = 9\n"


def test_stderr_hears_a_line_once(bench: Any) -> None:
    """The program's logger and ours both write there."""
    ran = bench.run(
        LOGGER + "core.configure_logger(1, 0, 1, None); use(2)", DRAGOMAN_BACKEND="cpu", DRAGOMAN_LOG="trace"
    )
    assert ran.lines.count("dragoman: fakeTriple(value=2) = 6") == 1


# ---- codes ----


def test_every_code_is_explained() -> None:
    """docs/log-codes.md has a heading for each code in the sources, which a link `#d012` finds wherever the page is shown, and
    none that no source has."""
    package = package_dir()
    docs = package.parent / "docs" / "log-codes.md"
    if not docs.is_file():
        pytest.skip("the documentation is not here")
    used = set()
    for file in package.rglob("*"):
        if file.suffix in (".py", ".pyx", ".pxi", ".c", ".h") and file.is_file():
            used |= set(re.findall(r'b?"(D\d{3})"', file.read_text(encoding="utf-8")))
    text = docs.read_text(encoding="utf-8")
    titled = set(re.findall(r"^## D(\d{3})$", text, re.MULTILINE))
    reserved = set(re.findall(r"^\| D(\d{3}) \|", text, re.MULTILINE))
    assert len(re.findall(r"^\*\*[^*]+\.\*\* ", text, re.MULTILINE)) == len(titled)
    assert {code[1:] for code in used} <= titled
    assert titled - {code[1:] for code in used} == set()
    assert not reserved & titled
