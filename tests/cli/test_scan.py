"""`dragoman scan`: what it finds in programs, wheels and sources, and that no file can break it."""

from __future__ import annotations

import contextlib
import io
import json
import os
import random
import struct
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from as_user import Dragoman
from dragoman.commands.console import Steps
from dragoman.scan import contents, isolated, neighbours
from dragoman.scan.catalogue import Catalogue
from dragoman.scan.report import Report, scan
from dragoman.tables.dark import load_tables

PROGRAMS = Path(__file__).resolve().parents[1] / "programs"
ANSWERED = ("cublasCreate_v2", "cublasSgemm_v2")
MISSING = "cublasUint8gemmBias"
UNKNOWN = "cublasFromTheFuture"


def _zig(*arguments: str) -> None:
    subprocess.run([sys.executable, "-m", "ziglang", "cc", "-O2", *arguments], check=True, capture_output=True)


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What a program links with in the place of NVIDIA's library."""
    folder = tmp_path_factory.mktemp("library")
    source = folder / "cublas.c"
    source.write_text(
        "".join(f"int {n}(void) {{ return 0; }}\n" for n in (*ANSWERED, MISSING, UNKNOWN)), encoding="utf-8"
    )
    out = folder / "libcublas.so.12"
    _zig("-shared", "-nostdlib", "-Wl,-soname,libcublas.so.12", str(source), "-o", str(out))
    return out


def _program(folder: Path, library: Path, names: tuple[str, ...], more: str = "") -> Path:
    source, out = folder / "p.c", folder / "p.so"
    calls = " + ".join(f"{n}()" for n in names)
    source.write_text(
        "".join(f"int {n}(void);\n" for n in names) + f"{more}int p(void) {{ return {calls or '0'}; }}\n",
        encoding="utf-8",
    )
    linked = [str(library)] if names else []
    _zig("-shared", "-nostdlib", str(source), *linked, "-o", str(out))
    source.unlink()
    return out


def _unlinked(folder: Path, *names: str) -> Path:
    """A plug-in that lacks some symbols, linked with nothing."""
    source, out = folder / "plug-in.c", folder / "plug-in.so"
    lacks = "".join(f"extern int f{i}(void) __asm__({json.dumps(n)});\n" for i, n in enumerate(names))
    calls = " + ".join(f"f{i}()" for i in range(len(names)))
    source.write_text(f"{lacks}int p(void) {{ return {calls}; }}\n".replace("\\u001b", "\\033"), encoding="utf-8")
    _zig("-shared", "-nostdlib", str(source), "-o", str(out))
    source.unlink()
    return out


def _one(path: Path) -> Report:
    return scan([path])


def test_program_whose_functions_are_answered(dragoman: Dragoman, library: Path, tmp_path: Path) -> None:
    program = _program(tmp_path, library, ANSWERED)
    report = _one(program)
    (file,) = report.files
    assert (file.form, file.libraries) == ("ELF", ("libcublas.so.12",))
    assert [(n.name, n.library, n.how, n.answered) for n in file.needs] == [
        (n, "cuBLAS", "imported", True) for n in ANSWERED
    ]
    ran = dragoman("scan", str(program))
    assert ran.returncode == 0
    assert "\nAll 2 functions are answered.\n" in ran.stdout


def test_what_is_missing_is_named_with_its_reason(dragoman: Dragoman, library: Path, tmp_path: Path) -> None:
    program = _program(tmp_path, library, (*ANSWERED, MISSING, UNKNOWN))
    ran = dragoman("scan", str(program), "--json")
    assert ran.returncode == 1
    found = json.loads(ran.stdout)
    assert found["missing"] == [UNKNOWN, MISSING]
    assert found["answered"] is False
    kinds = {n["name"]: (n["kind"], bool(n["reason"])) for n in found["files"][0]["needs"]}
    assert kinds[MISSING] == ("unsupported", True)
    assert kinds[UNKNOWN] == ("unknown", True)
    assert found["verdict"].startswith("2 of 4 functions are not answered")


def test_names_in_data(tmp_path: Path, library: Path) -> None:
    """A program that looks up a few functions by name calls them; one that names half the library has stubs of all of it."""
    few = f'const char *names[] = {{"{MISSING}", "cublasSgemm_v2", "libcublas.so.12"}};\n'
    report = _one(_program(tmp_path, library, (), few))
    assert [n.name for n in report.missing] == [MISSING]
    assert report.files[0].libraries == ("libcublas.so.12",)
    every = [f.name for f in Catalogue().tables.functions("cublas")]
    many = f"const char *names[] = {{{', '.join(json.dumps(n) for n in every)}}};\n"
    report = _one(_program(tmp_path, library, ("cublasSgemm_v2",), many))
    assert report.files[0].stubs
    assert not report.missing
    assert report.verdict() == "its one function is answered"
    assert any(f"holds the names of {len(every) - 1} functions" in r for r in report.remarks())


def test_kernels_leave_the_runtime_to_nvidia(tmp_path: Path, library: Path) -> None:
    section = '__attribute__((section(".nv_fatbin"))) int kernels = 1;\n'
    launch = 'const char *launch = "cudaLaunchKernel";\n'
    report = _one(_program(tmp_path, library, ANSWERED, launch))
    assert [n.name for n in report.missing] == ["cudaLaunchKernel"]
    report = _one(_program(tmp_path, library, ANSWERED, launch + section))
    assert report.kernels
    assert not report.missing
    assert any("ZLUDA" in r for r in report.remarks())


def test_lines_and_verdict_count_alike(dragoman: Dragoman, tmp_path: Path) -> None:
    """With kernels the runtime is NVIDIA's: no file says "not answered" where the verdict says "all"; and the verdict says what is left."""
    (tmp_path / "a.cu").write_text("__global__ void k(); cublasSgemm(h); cudaLaunchKernel(k);", encoding="utf-8")
    (tmp_path / "b.cu").write_text("cudaLaunchKernel(k);", encoding="utf-8")
    ran = dragoman("scan", str(tmp_path))
    assert ran.returncode == 0
    assert "  functions: 2 called; 1 of the runtime, which stays NVIDIA's; the others answered\n" in ran.stdout
    assert "  functions: 1 called; 1 of the runtime, which stays NVIDIA's\n" in ran.stdout
    assert "not answered" not in ran.stdout
    assert "\nIts one function is answered; its kernels need something that runs them.\n" in ran.stdout


def test_functions_with_limits_are_named(tmp_path: Path) -> None:
    """`explain NAME` is of use to one who knows the names."""
    limited = [f.name for f in Catalogue().tables.functions("cudnn", 9) if f.kind != "unsupported" and f.entry.limits][
        :7
    ]
    (tmp_path / "a.c").write_text("".join(f"{n}(h);\n" for n in limited), encoding="utf-8")
    (remark,) = (r for r in _one(tmp_path).remarks() if "limits" in r)
    assert remark == f"7 functions have limits: dragoman explain NAME says which ({', '.join(sorted(limited)[:5])}, …)"


def test_static_runtime(tmp_path: Path, library: Path) -> None:
    program = _program(tmp_path, library, ANSWERED)
    with program.open("ab") as stream:
        for table in load_tables():
            stream.write(table.uuid)
    report = _one(program)
    assert report.static_runtime
    assert any(r.startswith("D030 ") and "--cudart shared" in r for r in report.remarks())


def test_windows_program(tmp_path: Path) -> None:
    definition = tmp_path / "cublas64_12.def"
    definition.write_text(
        "LIBRARY cublas64_12.dll\nEXPORTS\n" + "\n".join((*ANSWERED, MISSING)) + "\n", encoding="ascii"
    )
    imports = tmp_path / "cublas64_12.lib"
    subprocess.run(
        [sys.executable, "-m", "ziglang", "dlltool", "-m", "i386:x86-64", "-d", str(definition), "-l", str(imports)],
        check=True,
    )
    source, out = tmp_path / "p.c", tmp_path / "p.exe"
    source.write_text(
        f"int cublasSgemm_v2(void); int {MISSING}(void);\nint start(void) {{ return cublasSgemm_v2() + {MISSING}(); }}\n",
        encoding="utf-8",
    )
    _zig("-target", "x86_64-windows-gnu", "-nostdlib", "-Wl,--entry=start", str(source), str(imports), "-o", str(out))
    report = _one(out)
    assert (report.files[0].form, report.files[0].libraries) == ("PE", ("cublas64_12.dll",))
    assert [n.name for n in report.missing] == [MISSING]


def test_sources(tmp_path: Path) -> None:
    """Our own programs call nothing that is missing; a comment calls nothing; `cublasSgemm` means `cublasSgemm_v2`."""
    report = _one(PROGRAMS)
    assert len(report.files) >= 15
    assert not report.missing
    source = tmp_path / "a.cu"
    source.write_text(
        "// cublasUint8gemmBias(\n/* cublasUint8gemmBias(h) */ __global__ void k();\n"
        "void f() { cublasSgemm(h); cublasUint8gemmBias (h); myCheck(cublasMine(1)); }\n",
        encoding="utf-8",
    )
    (file,) = _one(source).files
    assert [n.name for n in file.needs] == ["cublasSgemm", MISSING]
    assert file.kernels


def test_archives(library: Path, tmp_path: Path) -> None:
    """A wheel in an archive, and names that would lead out of it: nothing is written beside them, all is looked at."""
    program = _program(tmp_path, library, (*ANSWERED, MISSING)).read_bytes()
    wheel = io.BytesIO()
    with zipfile.ZipFile(wheel, "w") as archive:
        archive.writestr("../../outside.so", program)
        archive.writestr("/absolute.so", program)
        archive.writestr("readme.txt", "cublasSbdmm(")
    outer = tmp_path / "inner" / "all.tar.gz"
    outer.parent.mkdir()
    with tarfile.open(outer, "w:gz") as archive2:
        member = tarfile.TarInfo("x/one.whl")
        member.size = len(wheel.getvalue())
        archive2.addfile(member, io.BytesIO(wheel.getvalue()))
        link = tarfile.TarInfo("link.so")
        link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
        archive2.addfile(link)
    before = set(tmp_path.rglob("*"))
    report = _one(outer)
    assert [f.path for f in report.files] == [
        f"{outer}: x/one.whl: ../../outside.so",
        f"{outer}: x/one.whl: /absolute.so",
    ]
    assert [n.name for n in report.missing] == [MISSING]
    assert set(tmp_path.rglob("*")) == before


def test_archive_that_swells(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(contents, "MEMBER_BYTES", 1 << 20)
    bomb = tmp_path / "bomb.zip"
    with zipfile.ZipFile(bomb, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("big.so", b"\x7fELF" + bytes(32 << 20))
    (file,) = _one(bomb).unread
    assert file.trouble == "too large to look at"


def test_archives_too_deep(tmp_path: Path) -> None:
    content = b"x"
    for _ in range(contents.DEPTH + 2):
        stream = io.BytesIO()
        with zipfile.ZipFile(stream, "w") as archive:
            archive.writestr("a.zip", content)
        content = stream.getvalue()
    path = tmp_path / "a.zip"
    path.write_bytes(content)
    (file,) = _one(path).unread
    assert "deep" in file.trouble


def test_broken_files(dragoman: Dragoman, library: Path, tmp_path: Path) -> None:
    """Each is named on one line; the rest is still looked at."""
    program = _program(tmp_path, library, ANSWERED)
    folder = tmp_path / "all"
    folder.mkdir()
    (folder / "cut.so").write_bytes(program.read_bytes()[:40])
    (folder / "cut.zip").write_bytes(b"PK\3\4 and nothing")
    (folder / "empty.so").write_bytes(b"")
    (folder / "good.so").write_bytes(program.read_bytes())
    ran = dragoman("scan", str(folder), "--json")
    assert ran.returncode == 0
    assert "Traceback" not in ran.stderr
    assert [f["path"] for f in json.loads(ran.stdout)["files"] if f["needs"]] == [str(folder / "good.so")]
    assert any("cut.zip: a broken archive" in line for line in ran.stderr.splitlines())


def _zip(path: Path, *members: tuple[str, str]) -> bytes:
    with zipfile.ZipFile(path, "w") as archive:
        for name, text in members:
            archive.writestr(name, text)
    return path.read_bytes()


def test_one_bad_member(dragoman: Dragoman, tmp_path: Path) -> None:
    """What stands behind a member that is encrypted or damaged is looked at all the same, and a remark says what is not known."""
    path = tmp_path / "a.zip"
    good = _zip(path, ("a.c", "cublasSgemm(h);"), ("b.c", "cublasDgemm(h);"), ("c.c", f"{MISSING}(h);"))
    encrypted = bytearray(good)
    encrypted[encrypted.find(b"PK\3\4", 4) + 6] |= 1  # b.c, in front of it and in the list at the end
    encrypted[encrypted.find(b"PK\1\2", encrypted.find(b"PK\1\2") + 1) + 8] |= 1
    damaged = good.replace(b"cublasDgemm", b"cublasDgemn")
    for content, why in ((encrypted, "encrypted"), (damaged, "Bad CRC-32 for file 'b.c'")):
        path.write_bytes(content)
        ran = dragoman("scan", str(path))
        assert (ran.returncode, ran.stderr) == (1, f"dragoman: {path}: members that cannot be read: b.c ({why})\n")
        assert "\n1 of 2 functions is not answered: " in ran.stdout
        assert "\n- 1 file could not be read, whole or in part: what it needs is not counted\n" in ran.stdout


def test_nothing_could_be_read(dragoman: Dragoman, tmp_path: Path) -> None:
    """A script must not take that for "all answered"."""
    path = tmp_path / "a.zip"
    path.write_bytes(b"PK\3\4 and nothing")
    ran = dragoman("scan", str(path))
    assert (ran.returncode, ran.stdout) == (2, "Nothing here could be read.\n")
    assert ran.stderr == f"dragoman: {path}: a broken archive: File is not a zip file\n"


def test_archive_that_ends_too_early(tmp_path: Path) -> None:
    path = tmp_path / "a.tar"
    with tarfile.open(path, "w") as archive:
        for name in ("a.c", "b.c"):
            text = b"cublasSgemm(h);" * 100
            member = tarfile.TarInfo(name)
            member.size = len(text)
            archive.addfile(member, io.BytesIO(text))
    path.write_bytes(path.read_bytes()[:3000])
    report = _one(path)
    assert [n.name for n in report.needs()] == ["cublasSgemm"]
    assert [f.trouble for f in report.unread] == [
        "a broken archive: unexpected end of data; what follows there was not looked at"
    ]


def test_mutated_archives(tmp_path: Path) -> None:
    """Names that are no text or empty, sizes and offsets that are wrong: content or trouble, never an exception."""
    program = b"\x7fELF" + bytes(200)
    starts: dict[str, bytes] = {}
    for name, how in (("a.whl", zipfile.ZIP_DEFLATED), ("b.whl", zipfile.ZIP_BZIP2), ("c.whl", zipfile.ZIP_LZMA)):
        with zipfile.ZipFile(tmp_path / name, "w", how) as archive:
            archive.writestr("a/\N{LATIN SMALL LETTER E WITH ACUTE}.c", "cublasSgemm(h);\n" * 20)
            archive.writestr("x.so", program)
        starts[name] = (tmp_path / name).read_bytes()
    for mode in ("w:", "w:gz", "w:xz", "w:bz2"):
        name = f"d.tar.{mode[2:]}".rstrip(".")
        with tarfile.open(tmp_path / name, mode) as archive2:
            member = tarfile.TarInfo("\N{LATIN SMALL LETTER E WITH ACUTE}" * 120 + ".so")
            member.size = len(program)
            archive2.addfile(member, io.BytesIO(program))
        starts[name] = (tmp_path / name).read_bytes()
    drawn = random.Random(1)
    for _ in range(1500):
        name = drawn.choice(list(starts))
        mutant = bytearray(starts[name])
        for _ in range(drawn.randint(1, 6)):
            mutant[drawn.randrange(len(mutant))] = drawn.choice((0, 128, 255, drawn.randrange(256)))
        if drawn.random() < 0.2:
            del mutant[drawn.randrange(len(mutant)) :]
        (tmp_path / name).write_bytes(mutant)
        list(contents.of([tmp_path / name]))


def test_long_sources_are_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """One that is passed over is told, and out of an archive it is not even copied whole."""
    monkeypatch.setattr(contents, "SOURCE_BYTES", 1000)
    (tmp_path / "a.cu").write_text("cublasSgemm(h);\n" * 100, encoding="utf-8")
    (tmp_path / "b.cu").write_text("cublasSgemm(h);\n", encoding="utf-8")
    _zip(tmp_path / "c.zip", ("d.cu", "cublasSgemm(h);\n" * 100))
    report = _one(tmp_path)
    assert [Path(f.path).name for f in report.unread] == ["a.cu", "c.zip: d.cu"]
    assert all("a source of more than" in f.trouble for f in report.unread)
    assert [Path(f.path).name for f in report.files if f.needs] == ["b.cu"]


def test_archive_fills_no_disk(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(contents, "SPARE_BYTES", 1 << 60)
    with zipfile.ZipFile(tmp_path / "a.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("big.so", b"\x7fELF" + bytes(1 << 20))
    (file,) = _one(tmp_path / "a.zip").unread
    assert file.trouble == "too large to look at"


def test_binaries_that_end_too_early(dragoman: Dragoman, library: Path, tmp_path: Path) -> None:
    """A download that broke off: what is there is shown, and that there should be more."""
    program = _program(tmp_path, library, (*ANSWERED, MISSING))
    whole = program.read_bytes()
    assert not _one(program).unread
    program.write_bytes(whole[:-100])
    ran = dragoman("scan", str(program))
    assert ran.returncode == 1
    assert ran.stderr == f"dragoman: {program}: the file ends too early: what it lacks was not looked at\n"
    assert "- 1 file could not be read, whole or in part" in ran.stdout
    without = bytearray(whole[:600])
    without[40:48] = bytes(8)  # no list of sections: the segments tell
    for content in (without, whole[:4], whole[:60]):
        program.write_bytes(content)
        assert _one(program).unread
    pe = tmp_path / "p.dll"
    header = b"PE\0\0" + struct.pack("<HHIIIHH", 0x8664, 9, 0, 0, 0, 240, 0x2022)
    pe.write_bytes(b"MZ" + bytes(58) + struct.pack("<I", 64) + header + b"\x0b\x02" + bytes(238))
    assert _one(pe).unread


def test_mutated_binaries(library: Path, tmp_path: Path) -> None:
    """Whatever stands in a file, the scan goes on: it answers facts or one line."""
    good = _program(tmp_path, library, ANSWERED).read_bytes()
    drawn = random.Random(1)
    path = tmp_path / "mutant.so"
    with isolated.Reader() as reader:
        for _ in range(60):
            bytes_ = bytearray(good)
            for _ in range(drawn.choice((1, 4, 40))):
                bytes_[drawn.randrange(4, len(bytes_))] = drawn.randrange(256)
            path.write_bytes(bytes_)
            with contextlib.suppress(ValueError):
                reader.facts(path)


def test_reader_that_ends(monkeypatch: pytest.MonkeyPatch, library: Path, tmp_path: Path) -> None:
    """A parser that kills its process costs one file; the next is read by a new one."""
    program = _program(tmp_path, library, ANSWERED)
    with isolated.Reader() as reader:
        assert reader.facts(program).imports
        assert reader._child is not None
        reader._child.process.kill()
        with pytest.raises(ValueError, match="its reader ended"):
            reader.facts(program)
        assert reader.facts(program).imports


def test_modules_beside_the_files(monkeypatch: pytest.MonkeyPatch, library: Path, tmp_path: Path) -> None:
    """What lies in the folder that the scan is started in is looked at, and never run."""
    program = _program(tmp_path, library, ANSWERED)
    ran = tmp_path / "ran"
    for name in ("lief", "numpy", "json", "dragoman"):
        (tmp_path / f"{name}.py").write_text(f"open({str(ran)!r}, 'w')\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    with isolated.Reader() as reader:
        assert set(reader.facts(program).imports) >= set(ANSWERED)
    assert not ran.exists()


def test_symbols_without_a_type(tmp_path: Path) -> None:
    """A plug-in is often linked without the library that its host brings: what it lacks has no type then."""
    report = _one(_unlinked(tmp_path, *ANSWERED, UNKNOWN))
    assert [(n.name, n.how) for n in report.needs()] == [(n, "imported") for n in sorted((*ANSWERED, UNKNOWN))]
    assert [n.name for n in report.missing] == [UNKNOWN]


def test_names_that_are_orders(dragoman: Dragoman, tmp_path: Path) -> None:
    """A file's own words are shown, never obeyed: by the terminal, or by what draws the tables."""
    hostile = "cublas[/b]\x1b[31m"
    folder = tmp_path / "[/b]"
    folder.mkdir(parents=True)
    _unlinked(folder, hostile)
    with zipfile.ZipFile(folder / "a.zip", "w") as archive:
        archive.writestr("\x1b]0;title\x07\nall answered.c", "cublasSgemm();")
    for more in ([], ["--all"]):
        ran = dragoman("scan", str(folder), *more)
        assert (ran.returncode, ran.stderr) == (1, "")
        assert "\x1b" not in ran.stdout
        assert f"{folder}/a.zip: \ufffd]0;title\ufffd\ufffdall answered.c\n" in ran.stdout
        assert hostile.replace("\x1b", "\ufffd") in ran.stdout
    assert hostile in json.loads(dragoman("scan", str(folder), "--json").stdout)["missing"]


def test_progress_shows_names_as_they_are(monkeypatch: pytest.MonkeyPatch) -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    with Steps("looking at files") as steps:
        steps.at(1, 0, "x[/b]\x07.so")
    assert "x[/b]\ufffd.so" in terminal.getvalue()


def test_what_is_no_file(dragoman: Dragoman, tmp_path: Path) -> None:
    """To open a pipe would be to wait for whoever writes to it."""
    pipe = tmp_path / "pipe.so"
    os.mkfifo(pipe)
    ran = dragoman("scan", str(pipe))
    assert (ran.returncode, ran.stdout) == (2, "")
    assert ran.stderr == f"dragoman: {pipe}: neither a file nor a folder\n"
    assert not _one(tmp_path).files


def test_folder_that_may_not_be_listed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    closed = tmp_path / "closed"
    closed.mkdir()
    (tmp_path / "p.c").write_text("cublasSgemm();", encoding="utf-8")
    real = os.scandir

    def scandir(path: str | int) -> Iterator[os.DirEntry[str]]:
        if path == str(closed):
            raise PermissionError(13, "Permission denied", str(path))
        return real(path)

    monkeypatch.setattr(os, "scandir", scandir)
    report = _one(tmp_path)
    assert [(f.path, f.trouble) for f in report.unread] == [(f"{closed}/", "may not be read")]
    assert [n.name for n in report.needs()] == ["cublasSgemm"]


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("a.tar.gz", "a broken archive: file could not be opened successfully"),
        ("a.zip", "a broken archive: File is not a zip file"),
        pytest.param(
            "a.tar.zst",
            "Zstandard archives are opened with Python 3.14 or later",
            marks=pytest.mark.skipif(sys.version_info >= (3, 14), reason="this Python opens them"),
        ),
    ],
)
def test_trouble_is_one_line(name: str, said: str, tmp_path: Path) -> None:
    (tmp_path / name).write_bytes(b"no archive")
    (file,) = _one(tmp_path / name).unread
    assert file.trouble == said


def test_nothing_there(dragoman: Dragoman, tmp_path: Path) -> None:
    ran = dragoman("scan", str(tmp_path / "none"))
    assert (ran.returncode, ran.stdout) == (2, "")
    assert ran.stderr == f"dragoman: {tmp_path / 'none'}: no such file or folder\n"
    ran = dragoman("scan", str(tmp_path))
    assert (ran.returncode, ran.stdout) == (0, "There is nothing here to look at.\n")


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("libcufft.so.11", "ZLUDA"),
        ("cusolver64_11.dll", "rocSOLVER"),
        ("libnccl.so.2", "RCCL"),
        ("libc.so.6", ""),
        ("nvcuda.dll", "driver"),
    ],
)
def test_neighbours(name: str, said: str) -> None:
    answer = neighbours.answer(name)
    assert said in answer if said else answer == ""
