"""A library and the core: first use, gates, threads, fork, unloading, the end of the process, broken installations."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from dragoman.build import LINUX, Library, Toolchain, Unit, build

USE = """
lib = load(SET + "/libfake.so.12")
reason, handle = create(lib)
assert reason == OK, reason
"""


def test_nothing_happens_before_the_first_call(bench: Any) -> None:
    """Loading a library opens neither the core nor a backend: a constructor would do it under the loader's lock."""
    ran = bench.run(
        """
lib = load(SET + "/libfake.so.12")
maps = lambda: sorted({l.split("/")[-1].strip() for l in open("/proc/self/maps") if "/set/" in l})
before = maps()
gate = lib.fakeGateOpen()
create(lib)
print(json.dumps([before, gate, maps()]))
""",
        DRAGOMAN_BACKEND="cpu",
    )
    after = ["libamdhip64.so.7", "libdragoman_core.so.1", "libfake.so.12", "librocblas.so.5"]
    assert ran.value == [["libfake.so.12"], 0, after]


def test_the_short_way_is_taken_once_the_backend_is_open(bench: Any) -> None:
    ran = bench.run(
        USE
        + """
before = lib.fakeColdCalls()
answers = [lib.fakeTriple(handle, i) for i in range(10)]
bad = [lib.fakeTriple(h, 1) for h in (None, 0x1234, handle + 4, handle + 256)]
print(json.dumps([lib.fakeGateOpen(), lib.fakeColdCalls() - before, answers, bad]))
""",
        DRAGOMAN_BACKEND="cpu",
    )
    assert ran.value == [1, 4, [3 * i for i in range(10)], [101] * 4]
    assert ran.err == ""


def test_functions_that_a_release_lacks(bench: Any) -> None:
    """A missing name, a renamed one, a changed signature: rocBLAS 5.2 has the new ones, 2.47 the old."""
    code = (
        USE
        + "print(json.dumps([lib.fakeRenamed(1), lib.fakeTrmm(1), lib.fakeNever(1), lib.fakeTriple(handle, 1),"
        + ' lib.fakeCore().contents.backend_version(b"rocblas"), lib.fakeCore().contents.backend_version(b"hip")]))'
    )
    new = bench.run(code, DRAGOMAN_BACKEND=bench.rocm(7), DRAGOMAN_LOG="info")
    old = bench.run(code, DRAGOMAN_BACKEND=bench.rocm(5))
    assert new.value == [1, 1, -1, 3, 5002000, 7002999]
    assert old.value == [1001, 2001, -1, 3, 2047000, 5005999]
    lacking = [line for line in new.lines if line.split()[1] == "D016"]
    assert len(lacking) == 1
    assert lacking[0].endswith("lacks 1 functions, which answer 'not implemented': rocblas_fake_never")
    assert old.err == ""


def test_two_cuda_versions_share_one_core(bench: Any) -> None:
    """A handle of the CUDA 12 set serves in the CUDA 11 set, whose table is filled by that very call."""
    ran = bench.run(
        USE
        + """
other = load(SET + "/../cuda11/libfake.so.11")
empty = other.fakeGateOpen()
answer = other.fakeTriple(handle, 5)
same = c.addressof(other.fakeCore().contents) == c.addressof(lib.fakeCore().contents)
cores = {l.split()[-1] for l in open("/proc/self/maps") if "dragoman_core" in l}
print(json.dumps([empty, answer, other.fakeGateOpen(), same, len(cores), other.fakeDestroy(handle)]))
""",
        DRAGOMAN_BACKEND="cpu",
    )
    assert ran.value == [0, 15, 1, True, 1, 0]


def test_tracing_closes_the_gate(bench: Any) -> None:
    ran = bench.run(
        USE + "print(json.dumps([lib.fakeGateOpen(), lib.fakeTriple(handle, 2), lib.fakeTriple(None, 2)]))",
        DRAGOMAN_BACKEND="cpu",
        DRAGOMAN_LOG="trace",
    )
    assert ran.value == [0, 6, 101]
    assert ran.lines[-1] == "dragoman: fakeTriple(value=2) = 6"


def test_forked_child(bench: Any) -> None:
    """What the parent opened is of no use in the child: each call says so, none hangs or reaches AMD's library."""
    ran = bench.run(
        USE
        + """
out, into = os.pipe()
if not os.fork():
    core = lib.fakeCore().contents
    new = create(lib)[0]
    os.write(into, json.dumps([lib.fakeGateOpen(), lib.fakeTriple(handle, 1), lib.fakeTriple(None, 1), new,
                               lib.fakeDestroy(handle), lib.fakeNeed(b"hip"), core.check_kernels(None)]).encode())
    os._exit(0)
os.wait()
print(json.dumps([json.loads(os.read(out, 1000)), lib.fakeGateOpen(), lib.fakeTriple(handle, 1)]))
""",
        DRAGOMAN_BACKEND="cpu",
    )
    child, gate, answer = ran.value
    assert child[:6] == [0, 102, 101, 2, 2, 2]
    assert (gate, answer) == (1, 3)


def test_fork_before_first_use(bench: Any) -> None:
    """A child of a process that has opened nothing starts afresh: this is how worker pools begin."""
    ran = bench.run(
        """
lib = load(SET + "/libfake.so.12")
assert lib.fakeStart() == OK
out, into = os.pipe()
if not os.fork():
    reason, handle = create(lib)
    os.write(into, json.dumps([reason, lib.fakeTriple(handle, 4)]).encode())
    os._exit(0)
os.wait()
print(os.read(out, 1000).decode())
""",
        DRAGOMAN_BACKEND="cpu",
    )
    assert ran.value == [0, 12]


def test_fork_while_other_threads_work(bench: Any) -> None:
    """Locks that another thread holds at the fork must not stop the child."""
    ran = bench.run(
        USE
        + """
import threading, time
end = time.time() + 1
def work():
    while time.time() < end:
        reason, handle = create(lib)
        lib.fakeDestroy(handle)
        lib.fakeCore().contents.configure_logger(0, 0, 0, None)
        lib.fakeCore().contents.lock(); lib.fakeCore().contents.unlock()
threads = [threading.Thread(target=work) for _ in range(4)]
for t in threads: t.start()
codes = []
while time.time() < end:
    pid = os.fork()
    if not pid:
        import signal
        signal.alarm(10)
        core = lib.fakeCore().contents
        ok = lib.fakeDestroy(handle) == FORKED and create(lib)[0] == FORKED
        core.lock(); core.unlock(); core.slot_free(core.slot_new(BLAS)); core.configure_logger(0, 0, 0, None)
        os._exit(0 if ok else 1)
    codes.append(os.waitpid(pid, 0)[1])
for t in threads: t.join()
print(json.dumps([sum(codes), len(codes) > 5]))
""",
        DRAGOMAN_BACKEND="cpu",
    )
    assert ran.value == [0, True]


def test_unloaded_and_loaded_again(bench: Any) -> None:
    ran = bench.command(bench.driver, "reload", bench.fake, DRAGOMAN_BACKEND="cpu")
    assert (ran.code, ran.out, ran.err) == (0, "ok\n", "")


def test_the_core_forgets_what_was_unloaded(bench: Any) -> None:
    """Its list must not lead into memory that is gone: every gate is written when tracing begins."""
    ran = bench.run(
        USE
        + """
import _ctypes
other = load(SET + "/../cuda11/libfake.so.11")
create(other)
core = other.fakeCore().contents
_ctypes.dlclose(lib._handle)
gone = not any("libfake.so.12" in line for line in open("/proc/self/maps"))
core.configure_logger(1, 1, 0, None)
closed = other.fakeGateOpen()
core.configure_logger(0, 0, 0, None)
print(json.dumps([gone, closed, other.fakeGateOpen(), other.fakeTriple(handle, 2)]))
""",
        DRAGOMAN_BACKEND="cpu",
    )
    assert ran.value == [True, 0, 1, 6]


@pytest.mark.parametrize("backend", ["cpu", "dir", "rocm"])
def test_process_ends_with_living_handles(bench: Any, rocm: Path, backend: str) -> None:
    """AMD's library is called as long as it lives; after that a destroy succeeds without it and other calls are
    refused (106: DG_CLOSING). The stand-in tells on stderr if it is called too late."""
    settings = {"DRAGOMAN_BACKEND": bench.rocm(7) if backend == "dir" else backend, "DRAGOMAN_ROCM_PATH": rocm}
    ran = bench.command(bench.driver, "exit", bench.fake, **settings)
    assert ran.code == 0
    assert ran.out.splitlines() == [
        "ok",
        "while it lives: call 12, destroy 0",
        "in the middle: gate 0, call 106",
        "at the end: gate 0, call 106, create 6, destroy 0, call after it 106",
    ]
    assert ran.err == ""


def test_named_by_a_link(bench: Any, place: Callable[..., Path]) -> None:
    """A folder of links (what `lib-dir` makes): the core is found where the link leads."""
    folder = place("links", bench.fake, links=True)
    ran = bench.run(f"lib = load({str(folder / bench.fake.name)!r})\nprint(create(lib)[0])", DRAGOMAN_BACKEND="cpu")
    assert ran.value == 0


def test_loaded_by_a_relative_path(bench: Any, tmp_path: Path) -> None:
    """The program changes its folder between loading the library and using it."""
    (tmp_path / "libdragoman_core.so.1").write_text("not this one")
    code = 'lib = load("./libfake.so.12")\nos.chdir(os.environ["ELSEWHERE"])\nprint(create(lib)[0])'
    ran = bench.run(code, cwd=bench.cuda12, DRAGOMAN_BACKEND="cpu", ELSEWHERE=tmp_path)
    assert ran.value == 0


def test_the_search_path_is_not_asked(bench: Any, place: Callable[..., Path]) -> None:
    """A file of the core's name on LD_LIBRARY_PATH is not loaded; nor one in the current folder."""
    folder = place("evil")
    (folder / "libdragoman_core.so.1").write_text("not this one")
    lonely = place("lonely", bench.fake)
    code = f"lib = load({str(lonely / bench.fake.name)!r})\nprint(create(lib)[0])"
    ran = bench.run(code, cwd=folder, LD_LIBRARY_PATH=folder, DRAGOMAN_BACKEND="cpu")
    assert ran.value == 3


def test_no_core(bench: Any, place: Callable[..., Path]) -> None:
    """One line, however often the library is called; and every handle is a bad one."""
    folder = place("lonely", bench.fake)
    ran = bench.run(
        f"""
lib = load({str(folder / bench.fake.name)!r})
print(json.dumps([create(lib)[0], create(lib)[0], lib.fakeTriple(0x1234, 1), lib.fakeDestroy(None)]))
""",
        DRAGOMAN_BACKEND="cpu",
    )
    assert ran.value == [3, 3, 103, 3]
    expected = (
        f"dragoman: D003 fake: no {folder}/libdragoman_core.so.1. Keep dragoman's libraries together in one folder"
    )
    assert ran.err.splitlines() == [expected]


def test_broken_core(bench: Any, place: Callable[..., Path]) -> None:
    folder = place("broken", bench.fake)
    (folder / "libdragoman_core.so.1").write_text("no library")
    ran = bench.run(f"print(create(load({str(folder / bench.fake.name)!r}))[0])", DRAGOMAN_BACKEND="cpu")
    assert ran.value == 3
    (line,) = ran.err.splitlines()
    assert line.startswith("dragoman: D014 fake: cannot load its core:")
    assert str(folder / "libdragoman_core.so.1") in line


@pytest.mark.parametrize("table", ["{2, 4096}", "{1, 8}"], ids=["abi", "size"])
def test_core_of_another_version(bench: Any, toolchain: Toolchain, place: Callable[..., Path], table: str) -> None:
    folder = place("other", bench.fake)
    text = f"static const unsigned table[1024] = {table};\nconst void *dragoman_core_table(unsigned abi) "
    unit = Unit("other.c", text + "{ return abi ? table : 0; }\n")
    build([Library("libdragoman_core.so.1", (unit,), ("dragoman_core_table",))], LINUX, toolchain, folder)
    code = f"lib = load({str(folder / bench.fake.name)!r})\nprint(json.dumps([create(lib)[0], create(lib)[0]]))"
    ran = bench.run(code, DRAGOMAN_BACKEND="cpu")
    assert ran.value == [3, 3]
    (line,) = ran.err.splitlines()
    assert line.startswith("dragoman: D004 fake: belongs to another version of dragoman than " + str(folder))


def test_the_core_needs_nothing(bench: Any) -> None:
    """Its exports, and nothing of Python inside: the builder checks more (verify.py)."""
    import lief

    binary = lief.ELF.parse(str(bench.core))
    assert binary is not None
    exported = {str(s.name) for s in binary.exported_symbols if str(s.name) != "libdragoman_core.so.1"}
    assert exported == {"dragoman_core_table"}
    assert bench.core.stat().st_size < 100_000


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("valgrind") is None, reason="valgrind is not installed")
@pytest.mark.parametrize("arguments", [("cycles", "300"), ("reload",), ("exit",)])
def test_no_leak_and_no_bad_access(bench: Any, rocm: Path, arguments: tuple[str, ...]) -> None:
    """Under valgrind: bad handles are not followed, nothing is lost."""
    valgrind = [
        "valgrind",
        "-q",
        "--error-exitcode=9",
        "--leak-check=full",
        "--errors-for-leak-kinds=definite,indirect",
    ]
    command = [*valgrind, bench.driver, arguments[0], bench.fake, *arguments[1:]]
    ran = bench.command(*command, DRAGOMAN_BACKEND="rocm", DRAGOMAN_ROCM_PATH=rocm)
    assert ran.code == 0, ran.err
    assert ran.out.startswith("ok\n")
