"""Tables with one thing wrong: read all the same, or refused in one line with a place; nothing else, and soon."""

from __future__ import annotations

import time

import pytest
from dragoman.tables.marks import TableError
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from mutations import FILES, mutate
from surroundings import Surroundings

AROUND = Surroundings()


def _refusal(name: str, text: str) -> TableError | None:
    try:
        AROUND.load(name, text)
    except TableError as error:
        return error
    return None


def _read(name: str, text: str) -> None:
    start = time.process_time()
    error = _refusal(name, text)
    if error:
        message = str(error)
        assert message.isprintable(), message
        assert len(message) < 1000, message
        assert ";" in message, f"{message}: says not what is expected"
        lines = text if error.where.file == name else AROUND.texts[error.where.file]  # a name that others still use
        assert 1 <= error.where.line <= len(lines.splitlines()) + 2, message
        assert error.where.column >= 1
    assert time.process_time() - start < 5


@settings(max_examples=60, derandomize=True, deadline=None, database=None, suppress_health_check=list(HealthCheck))
@given(st.sampled_from(sorted(AROUND.texts)), st.data())
def test_one_thing_wrong_is_one_line_or_right(name: str, data: st.DataObject) -> None:
    _read(name, mutate(AROUND.texts[name], lambda n: data.draw(st.integers(0, n - 1))))


@pytest.mark.parametrize(
    "name", ["libraries", "amd_calls", "avoid", "cublas/level1", "types/cublas", "cuda/dark/forms"]
)
def test_a_file_of_something_else_is_one_line_or_right(name: str) -> None:
    for text in FILES:
        _read(f"tables/{name}.yaml", text)
