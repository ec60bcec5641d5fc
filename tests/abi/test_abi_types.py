"""Enumerations, structs and macros of the type tables, against the facts of every version.

Differences are collected: a failing test lists all of them. A constant that only the facts have is a failure too.
"""

from __future__ import annotations

import re

import facts
import pytest
from dragoman.tables.types import Types, View, load_types

pytestmark = pytest.mark.tables

CUDA = [(library, major) for library in ("cublas", "cudart") for major in (11, 12, 13)]
CUDNN = [("cudnn", 8), ("cudnn", 9)]
ROCM = [(library, version) for library, versions in facts.ROCM.items() for version in versions]
# Types of the interop headers (OpenGL, EGL, Direct3D): dragoman has no such headers.
INTEROP = re.compile(r"cuda(Egl|GL|D3D)")


@pytest.fixture(scope="module")
def types() -> Types:
    return load_types()


def _view(types: Types, library: str, major: int) -> View:
    return types.for_version(13, cudnn=major) if library == "cudnn" else types.for_version(major)


def _differences(ours: dict[str, int], theirs: dict[str, int], name: str) -> list[str]:
    return [
        f"{name}: {key} is {ours.get(key, 'absent')}, the header has {theirs.get(key, 'none')}"
        for key in sorted({*ours, *theirs})
        if ours.get(key) != theirs.get(key)
    ]


@pytest.mark.parametrize(("library", "major"), CUDA + CUDNN)
def test_enum_values(types: Types, library: str, major: int) -> None:
    view = _view(types, library, major)
    wrong: list[str] = []
    for name, constants in facts.cuda_enums(library, major).items():
        if INTEROP.match(name):
            continue
        if name not in types.enums:
            wrong.append(f"{name}: not in tables/types")
            continue
        wrong += _differences(view.constants(name), constants, name)
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize(("library", "major"), CUDA + CUDNN)
def test_no_enum_is_ours_alone(types: Types, library: str, major: int) -> None:
    view = _view(types, library, major)
    owners = {"cublas": ("cublas", "cublasLt")}.get(library, (library,))
    ours = {e.name for e in view.enums() if e.owner.library in owners}
    assert ours <= set(facts.cuda_enums(library, major))


@pytest.mark.parametrize(("library", "major"), CUDA + CUDNN)
@pytest.mark.parametrize("windows", [False, True], ids=["linux", "windows"])
def test_struct_layouts(types: Types, library: str, major: int, windows: bool) -> None:
    """Sizes and every field's offset. cuDNN names its structs by their tags."""
    view = _view(types, library, major)
    by_tag = {s.tag: s.name for s in types.structs.values() if s.tag}
    wrong: list[str] = []
    for fact, places in facts.cuda_structs(library, major, windows).items():
        name = fact if fact in types.structs else by_tag.get(fact, fact)
        if INTEROP.match(fact) or name in types.aliases:  # an alias: known by pointer only
            continue
        if name not in types.structs:
            wrong.append(f"{fact}: not in tables/types")
            continue
        layout = view.layout(name, windows)
        ours = {"": layout.size}
        if len(places) > 1:
            ours |= {p.path: p.offset for p in layout.places}
        wrong += _differences(ours, places, name)
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("major", [11, 12, 13])
def test_macros(types: Types, major: int) -> None:
    view = types.for_version(major)
    theirs = {k: v for k, v in facts.cuda_macros("cudart", major).items() if k != "CUDA_EGL_MAX_PLANES"}
    ours = {m.name: view.macro(m.name) for m in view.macros() if m.owner.library == "cudart"}
    assert {k: _squeeze(v) for k, v in ours.items()} == {k: _squeeze(v) for k, v in theirs.items()}


def _squeeze(text: str) -> str:
    return re.sub(r"\s+", "", text)


@pytest.mark.parametrize(("library", "version"), ROCM)
def test_rocm_enum_values(types: Types, library: str, version: str) -> None:
    view = types.for_version(12, rocm=int(version.split(".")[0]))
    wrong: list[str] = []
    for name, constants in facts.rocm_enums(library, version).items():
        if name not in types.enums:
            wrong.append(f"{name}: not in tables/types")
            continue
        wrong += _differences(view.constants(name), constants, name)
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize(("major", "version"), [(5, "5.5.1"), (6, "6.2.2"), (7, "6.2.2")])
def test_hip_enum_values(types: Types, major: int, version: str) -> None:
    """What the tables have of HIP; they name a part of it only."""
    view = types.for_version(12, rocm=major)
    theirs = facts.rocm_enums("hip", version)
    wrong: list[str] = []
    for enum in view.enums("hip_runtime_api"):
        wrong += _differences(view.constants(enum), theirs[enum.name], enum.name)
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize(("library", "version"), ROCM)
def test_rocm_struct_sizes(types: Types, library: str, version: str) -> None:
    view = types.for_version(12, rocm=int(version.split(".")[0]))
    wrong = [
        f"{name}: {view.layout(name).size} bytes, the header has {size}"
        for name, size in facts.rocm_structs(library, version).items()
        if name in types.structs and view.layout(name).size != size
    ]
    assert not wrong, "\n".join(wrong)
    ours = {s.name for s in view.structs() if s.owner.library == library}
    assert ours <= set(facts.rocm_structs(library, version))
