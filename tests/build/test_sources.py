"""What counts as part of a source."""

from __future__ import annotations

from pathlib import Path

from dragoman.build.sources import Sources, mentions


def test_mentions() -> None:
    text = """
from dragoman_abi cimport handle
cimport one.two, three as four
include "types.pxi"
cdef extern from "abi.h":
    '''
    #include <stdint.h>
    #include "inner/platform.h"
    '''
"""
    assert sorted(mentions(text)) == [
        "abi.h",
        "dragoman_abi.pxd",
        "inner/platform.h",
        "one/two.pxd",
        "stdint.h",
        "three.pxd",
        "types.pxi",
    ]


def test_closure_finds_what_compilers_find(tmp_path: Path) -> None:
    own, shared = tmp_path / "own", tmp_path / "shared"
    own.mkdir()
    shared.mkdir()
    (own / "a.h").write_text('#include "b.h"\n#include <stdio.h>\n')
    (shared / "a.h").write_text("never seen")
    (shared / "b.h").write_text('#include "a.h"\n#include "c.h"\n')
    (shared / "c.h").write_text("")
    # b.h lies in shared, so its own a.h is found beside it first.
    found = Sources().closure('#include "a.h"', [shared], own)
    assert ("b.h", shared / "b.h") in found
    assert ("c.h", shared / "c.h") in found
    assert {name for name, _ in found} == {"a.h", "b.h", "c.h"}
