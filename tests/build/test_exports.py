"""Names in, version script and .def file out."""

from __future__ import annotations

import pytest
from dragoman.build import BuildError
from dragoman.build.exports import def_file, version_script


def test_version_script() -> None:
    assert (
        version_script("libcublas.so.12", ["cublasSgemm_v2", "cublasCreate_v2"])
        == """\
libcublas.so.12 {
  global:
    cublasCreate_v2;
    cublasSgemm_v2;
  local:
    *;
};
"""
    )


def test_def_file() -> None:
    assert (
        def_file("cublas64_12.dll", ["cublasSgemm_v2", "cublasCreate_v2"])
        == """\
LIBRARY "cublas64_12.dll"
EXPORTS
    cublasCreate_v2
    cublasSgemm_v2
"""
    )


@pytest.mark.parametrize(
    ("names", "message"),
    [
        (["a", "b", "a"], "x.dll: a is exported twice"),
        (["a b"], "x.dll: 'a b' is not a symbol that can be exported"),
        ([], "x.dll: exports nothing"),
    ],
)
def test_refused(names: list[str], message: str) -> None:
    with pytest.raises(BuildError) as raised:
        def_file("x.dll", names)
    assert str(raised.value) == message
