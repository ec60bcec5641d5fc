"""Every gate can fail, and says in one line what is wrong and where."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from dragoman.build import LINUX, WINDOWS, BuildError, Library, Target, Toolchain, Unit, build
from dragoman.build.cython import module_level_values, translate
from dragoman.build.verify import verify

GOOD = "cdef public int f(int x) noexcept nogil:\n    return x + 1\n"
BuildText = Callable[..., Path]


def refusal(build_text: BuildText, target: Target = LINUX, exports: tuple[str, ...] = ("f",), **sources: str) -> str:
    with pytest.raises(BuildError) as raised:
        build_text(target, exports, **sources)
    assert "\n" not in str(raised.value)
    return str(raised.value)


def translate_text(code: str, folder: Path) -> None:
    """Cython's step alone, in this process."""
    source = folder / "one.pyx"
    source.write_text(code)
    translate(source, folder / "one.c", "text__one", [folder], "text/one.pyx")


@pytest.mark.parametrize(
    ("line", "variable"),
    [("cdef int g = 7", "g"), ("cdef int[2] pair = [1, 2]", "pair"), ("cdef void *p = NULL", "p")],
)
def test_module_level_value(tmp_path: Path, line: str, variable: str) -> None:
    with pytest.raises(BuildError) as raised:
        translate_text(f"# first line\n{line}\n{GOOD}", tmp_path)
    assert str(raised.value) == (
        f"text/one.pyx:2: {variable} gets its value at module level, which never runs here; "
        "write a static table in verbatim C, or set it in a function"
    )


def test_module_level_value_of_an_include(tmp_path: Path) -> None:
    (tmp_path / "shared.pxi").write_text("\n\ncdef int g = 7\n")
    with pytest.raises(BuildError, match=r"^shared\.pxi:3: g gets its value"):
        translate_text(f'include "shared.pxi"\n{GOOD}', tmp_path)


def test_value_in_a_function_is_fine(tmp_path: Path) -> None:
    translate_text(f"cdef int g\n{GOOD.replace('return', 'global g; g = x; return')}", tmp_path)


def test_cython_of_another_kind() -> None:
    with pytest.raises(BuildError, match="no marks around the module's code"):
        module_level_values("int main(void) { return 0; }", "one")


@pytest.mark.parametrize(
    ("code", "message"),
    [
        ("cdef public int f(int x) noexcept nogil:\n    return y\n", "2:11: undeclared name not builtin: y"),
        ("cdef public int f(int x) noexcept nogil:\n    return x +\n", "2:14: Expected"),
        ("cdef public int f() noexcept nogil:\n    cdef int y\n    return y\n", "3:11: local variable 'y' referenced"),
        ("cdef public int f(int x) noexcept nogil:\n    return [x]\n", "2:11: "),
        ("cimport nowhere\n", "1:8: 'nowhere.pxd' not found"),
    ],
)
def test_cython_refuses_or_warns(tmp_path: Path, code: str, message: str) -> None:
    with pytest.raises(BuildError) as raised:
        translate_text(code, tmp_path)
    assert str(raised.value).startswith(f"Cython: text/one.pyx:{message}")
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize(
    ("code", "message"),
    [
        ("cdef public int f(int x) noexcept:\n    return len([x])\n", "text/one.pyx:2:15: error: "),
        (f"def spare(x):\n    return x[1:2]\n{GOOD}", "text/one.pyx: fatal error: "),
    ],
)
def test_our_header_refuses_python(build_text: BuildText, code: str, message: str) -> None:
    said = refusal(build_text, one_pyx=code)
    assert said.startswith(message)
    assert said.endswith("(that would need Python: only nogil code on C types can be built)")


@pytest.mark.parametrize("target", [LINUX, WINDOWS], ids=lambda target: target.name)
def test_python_behind_an_export(build_text: BuildText, target: Target) -> None:
    """What our Python.h declares has no definition."""
    code = "cdef extern from *:\n    void *PyMem_Malloc(size_t) nogil\n"
    code += "cdef public void *f(size_t n) noexcept nogil:\n    return PyMem_Malloc(n)\n"
    message = refusal(build_text, target, one_pyx=code)
    assert "undefined symbol: PyMem_Malloc, used in f (that would need Python" in message


def test_c_error_names_the_line(build_text: BuildText) -> None:
    said = refusal(build_text, one_c="int f(void) {\n    return nothing;\n}\n")
    assert said == "text/one.c:2:12: error: use of undeclared identifier 'nothing'"


def test_c_warning_is_an_error(build_text: BuildText) -> None:
    said = refusal(build_text, one_c="int f(void) {\n    int x;\n    return 1;\n}\n")
    assert said == "text/one.c:2:9: error: unused variable 'x' [-Werror,-Wunused-variable]"


@pytest.mark.parametrize("target", [LINUX, WINDOWS], ids=lambda target: target.name)
def test_missing_export(build_text: BuildText, target: Target) -> None:
    said = refusal(build_text, target, exports=("f", "f2"), one_c="int f(void) { return 1; }\n")
    name = "libtext.so.1" if target is LINUX else "text.dll"
    assert said == f"{name}: should export f2, which no object defines"


@pytest.mark.parametrize("target", [LINUX, WINDOWS], ids=lambda target: target.name)
def test_verify_finds_each_fault(build_text: BuildText, target: Target) -> None:
    file = build_text(target, exports=("f", "h"), one_c="int f(void) { return 1; }\nint h(void) { return 2; }\n")
    name = file.name
    verify(file, target, exports=("f", "h"), soname=name)
    for exports, soname, message in [
        (("f",), name, f"{name}: exports h, which nobody asked for"),
        (("f", "g", "h"), name, f"{name}: should export g, which no object defines"),
        (("f", "h"), "other", f"{name}: "),
    ]:
        with pytest.raises(BuildError) as raised:
            verify(file, target, exports=exports, soname=soname)
        assert str(raised.value).startswith(message)


@pytest.mark.parametrize("target", [LINUX, WINDOWS], ids=lambda target: target.name)
def test_verify_finds_python(build_text: BuildText, target: Target) -> None:
    code = "int PyErr_Clear(void) { return 0; }\nint f(void) { return 1; }\n"
    assert "needs Python (PyErr_Clear)" in refusal(build_text, target, ("PyErr_Clear", "f"), one_c=code)


def test_verify_finds_a_foreign_library(zig: Toolchain, tmp_path: Path) -> None:
    """Linked with by path it is allowed; by name it is not."""
    other = Library("libother.so", (Unit("other.c", "int other(void) { return 5; }\n"),), ("other",))
    built = build([other], LINUX, zig, tmp_path).libraries[0]
    user = Unit("user.c", "int other(void);\nint f(void) { return other(); }\n")
    library = Library("libuser.so.1", (user,), ("f",), libs=(built,), rpath="$ORIGIN")
    file = build([library], LINUX, zig, tmp_path).libraries[0]
    with pytest.raises(BuildError) as raised:
        verify(file, LINUX, exports=("f",), soname="libuser.so.1")
    assert str(raised.value) == "libuser.so.1: needs libother.so at run time, which is not part of the system"


def test_plan_refuses_nonsense() -> None:
    unit = Unit("a.c", "int f;")
    with pytest.raises(ValueError, match="must end in"):
        Unit("a.cpp", "")
    with pytest.raises(ValueError, match="two units are named"):
        Library("l", (unit, replace(unit, source="int g;")), ("f",))
