"""The type tables: what is refused, with the exact message; and what the shipped files say."""

from __future__ import annotations

import textwrap

import pytest
from dragoman.tables import loader
from dragoman.tables.marks import TableError
from dragoman.tables.types import Types, load_types
from dragoman.tables.types_loader import load_texts

pytestmark = pytest.mark.tables

HEAD = 'file: {library: lib, by: cuda, versions: {11: "11.8", 12: "12.9", 13: "13.5"}}\n'
ENUMS = """\
api:
  enums:
    lib_fill: {values: {LIB_LOWER: 0, LIB_UPPER: 1, LIB_FULL: {value: 2, since: "12.1"}}}
    lib_status: {values: {LIB_OK: 0, LIB_BAD: 7}}
"""
OTHER = """\
file: {library: other, by: rocm, versions: {6: "6.4", 7: "7.2"}}
other:
  enums:
    other_fill: {values: {other_upper: 121, other_lower: 122}}
"""


def texts(body: str, translate: str | None = None) -> Types:
    files = {"lib.yaml": HEAD + textwrap.dedent(body), "other.yaml": OTHER}
    if translate is not None:
        files["translate.yaml"] = textwrap.dedent(translate)
    return load_texts(files)


def struct(fields: str, **keys: object) -> str:
    lines = "".join(f"      {k}: {v}\n" for k, v in keys.items())
    return f"api:\n  structs:\n    struct s:\n{lines}      fields: {fields}\n"


REFUSED = {
    "unknown group": (
        "api:\n  enum: {}\n",
        "lib.yaml:3:3: unknown key 'enum'; did you mean 'enums'?",
    ),
    "unknown key of an enumeration": (
        "api:\n  enums:\n    e: {values: {A: 0}, valeus: {}}\n",
        "lib.yaml:4:25: unknown key 'valeus'; did you mean 'values'?",
    ),
    "no values": (
        "api:\n  enums:\n    e: {tag: t}\n",
        "lib.yaml:4:8: the key 'values' is missing; expected it here",
    ),
    "duplicate constant": (
        "api:\n  enums:\n    e: {values: {A: 0, A: 1}}\n",
        "lib.yaml:4:24: duplicate key 'A'; first defined at line 4",
    ),
    "constant of two enumerations": (
        "api:\n  enums:\n    e: {values: {A: 0}}\n    f: {values: {A: 1}}\n",
        "lib.yaml:5:18: 'A' is defined twice; first defined at lib.yaml:4:18",
    ),
    "name of two kinds": (
        "api:\n  enums:\n    e: {values: {A: 0}}\n  aliases: {e: int}\n",
        "lib.yaml:5:13: 'e' is defined twice; first defined at lib.yaml:4:5",
    ),
    "not a number": (
        "api:\n  enums:\n    e: {values: {A: one}}\n",
        "lib.yaml:4:21: found 'one'; expected a number",
    ),
    "a boolean as key": (
        "api:\n  enums:\n    e: {values: {NO: 0, yes: 1}}\n",
        "lib.yaml:4:18: YAML reads 'NO' as a boolean; expected a name as key (put it in quotes)",
    ),
    "not a C name": (
        "api:\n  enums:\n    e: {values: {A-B: 0}}\n",
        "lib.yaml:4:18: 'A-B' is not a C name; expected letters, digits and underscores",
    ),
    "the wrong word": (
        "api:\n  enums:\n    struct e: {values: {A: 0}}\n",
        "lib.yaml:4:5: 'struct e' is not a type's name; expected NAME or 'enum NAME'",
    ),
    "not a version": (
        'api:\n  enums:\n    e: {values: {A: {value: 1, since: "12.x"}}}\n',
        "lib.yaml:4:39: '12.x' is not a version; expected numbers and dots",
    ),
    "until before since": (
        'api:\n  enums:\n    e: {values: {A: {value: 1, since: "12.1", until: "11.8"}}}\n',
        "lib.yaml:4:54: until 11.8 is before since 12.1; expected a later version",
    ),
    "versions that fall": (
        'api:\n  enums:\n    e: {values: {A: {"12.1": 1, "11.8": 2}}}\n',
        "lib.yaml:4:33: version 11.8 stands after 12.1; expected rising versions",
    ),
    "no fields": (
        "api:\n  structs:\n    struct s: {size: 4}\n",
        "lib.yaml:4:5: 'struct s' has neither of fields and union; expected one of them",
    ),
    "fields and union": (
        "api:\n  structs:\n    struct s: {size: 4, fields: {a: int}, union: {a: int}}\n",
        "lib.yaml:4:5: 'struct s' has both of fields and union; expected one of them",
    ),
    "a union with fields": (
        "api:\n  structs:\n    union s: {size: 4, fields: {a: int}}\n",
        "lib.yaml:4:5: 'union s' lists its members under fields; expected a union",
    ),
    "a wrong size": (
        struct("{a: int, b: double}", size=12),
        "lib.yaml:4:5: the fields of s make 16 bytes in lib 11.8 on Linux; expected 12, the stated size",
    ),
    "a wrong size on Windows": (
        struct("{a: long}", size=8),
        "lib.yaml:4:5: the fields of s make 4 bytes in lib 11.8 on Windows; expected 8, the stated size",
    ),
    "a size missing": (
        struct("{a: int}", size="{11: 4, 12: 4}"),
        "lib.yaml:4:5: s has no size for 13; expected one under size",
    ),
    "a size of no version": (
        struct("{a: int}", size="{10: 4}"),
        "lib.yaml:5:14: '10' is no major of lib; expected one of 11, 12, 13",
    ),
    "an unknown C type": (
        struct("{a: uint}", size=4),
        "lib.yaml:4:5: s has an unknown type 'uint'; expected a known C type",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_refused(case: str) -> None:
    body, message = REFUSED[case]
    with pytest.raises(TableError) as caught:
        texts(body)
    assert str(caught.value) == message


def test_wrong_head_refused() -> None:
    with pytest.raises(TableError) as caught:
        load_texts({"lib.yaml": 'file: {library: lib, by: gpu, versions: {1: "1"}}\n'})
    assert str(caught.value) == "lib.yaml:1:26: unknown version axis 'gpu'; expected one of cuda, cudnn, rocm"


GOOD = {
    "from": "lib_fill",
    "to": "other_fill",
    "map": "{LIB_LOWER: other_lower, LIB_UPPER: other_upper}",
    "refuse": "{LIB_FULL: no such thing}",
    "else": "LIB_BAD",
    "source": "a header",
}
TRANSLATION = {
    "an unknown enumeration": ({"from": "lib_fil"}, "2:9: unknown enumeration 'lib_fil'; did you mean 'lib_fill'?"),
    "a key of no constant": (
        {"map": "{LIB_LOWR: other_lower}"},
        "4:9: 'LIB_LOWR' is no constant of lib_fill; did you mean 'LIB_LOWER'?",
    ),
    "a value of no constant": (
        {"map": "{LIB_LOWER: LIB_OK}"},
        "4:20: 'LIB_OK' is no constant of other_fill; expected one of other_lower, other_upper",
    ),
    "a constant without a word": (
        {"map": "{LIB_LOWER: other_lower}"},
        "2:3: LIB_UPPER of lib_fill is neither mapped nor refused; expected it under map or refuse",
    ),
    "a reason that YAML does not read as text": (
        {"refuse": "{LIB_FULL: no}"},
        "5:22: YAML reads 'no' as a boolean; expected the reason (put it in quotes)",
    ),
    "refused and mapped": (
        {"refuse": "{LIB_UPPER: why not}"},
        "5:12: 'LIB_UPPER' is mapped and refused; expected one of them",
    ),
    "a refused name of nothing": (
        {"refuse": "{LIB_FUL: why}"},
        "5:12: 'LIB_FUL' is no constant of lib_fill; did you mean 'LIB_FULL'?",
    ),
    "a dangling default": (
        {"else": "LIB_BAAD"},
        "6:9: 'LIB_BAAD' is no constant of any enumeration; did you mean 'LIB_BAD'?",
    ),
    "no source": ({"source": None}, "2:3: the key 'source' is missing; expected it here"),
    "an unknown key": (
        {"reasn": "x"},
        "8:3: unknown key 'reasn'; expected one of else, from, map, note, refuse, source, to",
    ),
}


@pytest.mark.parametrize("case", TRANSLATION)
def test_translation_refused(case: str) -> None:
    changes, message = TRANSLATION[case]
    lines = {**GOOD, **changes}
    text = "fill:\n" + "".join(f"  {k}: {v}\n" for k, v in lines.items() if v is not None)
    with pytest.raises(TableError) as caught:
        texts(ENUMS, text)
    assert str(caught.value) == f"translate.yaml:{message}"


def test_two_ways_for_one_value() -> None:
    enums = "api:\n  enums:\n    lib_fill: {values: {LIB_A: 0, LIB_B: 0}}\n    lib_status: {values: {LIB_BAD: 7}}\n"
    text = """\
        fill:
          from: lib_fill
          to: other_fill
          map: {LIB_A: other_lower, LIB_B: other_upper}
          else: LIB_BAD
          source: a header
        """
    with pytest.raises(TableError) as caught:
        texts(enums, text)
    assert str(caught.value) == (
        "translate.yaml:2:3: value 0 of lib_fill becomes both other_lower and other_upper; expected one of them"
    )


def test_versions_of_a_constant() -> None:
    types = texts(
        """\
        api:
          enums:
            e:
              values:
                A: 0
                B: {value: 9, since: "12.1", until: "12.9"}
                C: {"11.8": 3, "13.0": 0x10}
                D: {value: {"12.1": 4}, until: "12.9"}
        """
    )
    assert types.for_version(11).constants("e") == {"A": 0, "C": 3}
    assert types.for_version(12).constants("e") == {"A": 0, "B": 9, "C": 3, "D": 4}
    assert types.for_version(13).constants("e") == {"A": 0, "C": 16}


def test_layout_by_the_rules_of_c() -> None:
    types = texts(
        """\
        api:
          structs:
            struct s:
              size: {11: 32, 12: 32, 13: 40}
              fields:
                a: char
                b: short[3]
                union:
                  c: int
                  d: double
                e: {struct: {f: void *, g: unsigned char}}
                h: {type: long, since: "13.0"}
        """
    )
    old, new = types.for_version(12).layout("s"), types.for_version(13).layout("s")
    assert [(p.path, p.offset, p.size) for p in old.places] == [
        ("a", 0, 1), ("b", 2, 6), ("c", 8, 4), ("d", 8, 8), ("e", 16, 16), ("e.f", 16, 8), ("e.g", 24, 1),
    ]  # fmt: skip
    assert (old.size, old.align) == (32, 8)
    assert (new.offset("h"), new.place("h").size) == (32, 8)
    assert types.for_version(13).layout("s", windows=True).place("h").size == 4


def test_resolved_translation() -> None:
    view = load_types().for_version(12)
    op, fill, status = (view.translation(n) for n in ("op", "fill", "rocblas_status"))
    assert (op.offset, op.is_dense, op.low, op.high) == (111, True, 0, 2)
    assert (op.default, op.refusal) == (None, "CUBLAS_STATUS_INVALID_VALUE")
    assert fill.pairs == ((0, 122), (1, 121))  # the trap: swapped
    assert fill.offset is None
    assert [status.value(n) for n in (0, 7, 9, 10, 12)] == [0, 0, 0, 0, 0]  # success-like
    assert status.value(99) == view.value("CUBLAS_STATUS_INTERNAL_ERROR")
    assert not status.refusal


def test_memory_type_follows_the_hip_that_is_loaded() -> None:
    types = load_types()
    old, new = (types.for_version(12, rocm=r).translation("memory_type") for r in (5, 7))
    assert (old.value(0), old.value(1)) == (1, 2)
    assert (new.value(0), new.value(1), new.value(2)) == (0, 1, 2)


def test_cudnn_renumbered_its_statuses() -> None:
    types = load_types()
    assert types.for_version(11).value("CUDNN_STATUS_BAD_PARAM") == 3
    assert types.for_version(12).value("CUDNN_STATUS_BAD_PARAM") == 2000
    assert types.for_version(12, cudnn=8).value("CUDNN_STATUS_BAD_PARAM") == 3


def test_unknown_names_are_helped() -> None:
    types = load_types()
    with pytest.raises(KeyError, match="did you mean 'cublasStatus_t'"):
        types.enum("cublasStatus")
    with pytest.raises(KeyError, match="does not exist in"):
        types.for_version(11).value("CUBLAS_GEMM_AUTOTUNE")


@pytest.mark.parametrize("name", sorted(load_types().translations))
def test_each_translation(name: str) -> None:
    """In every pair of versions there is something to translate, and each identity is seen as one."""
    types = load_types()
    translation = types.translations[name]
    target = types.enums[translation.target].owner
    for cuda in (11, 12, 13):
        for rocm in target.versions if target.by == "rocm" else (7,):
            view = types.for_version(cuda, rocm=rocm)
            resolved = view.translation(name)
            if view.constants(translation.target):  # some came later than ROCm 5
                assert resolved.pairs, f"nothing in CUDA {cuda} with ROCm {rocm}"
                assert resolved.low <= resolved.high
            assert (resolved.default is None) == bool(resolved.refusal)


def test_every_version_of_the_libraries_has_types() -> None:
    """The versions that the type tables stand for are the beginnings of those in tables/libraries.yaml."""
    owners = {e.owner.library: e.owner for e in load_types().enums.values()}
    for library in loader.load().libraries.values():
        owner = owners[library.name]
        for major, version in library.versions.items():
            assert version.version.startswith(owner.versions[major] + "."), f"{library.name} {version.version}"
