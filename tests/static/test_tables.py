"""tables/cuda/dark: each mistake has its message; what is generated is up to date; names fit the entries."""

from __future__ import annotations

import re

import pytest
from dragoman import paths
from dragoman.generate import dark as generate
from dragoman.tables import dark, marks
from dragoman.tables.loader import load
from dragoman.tables.marks import TableError

pytestmark = pytest.mark.tables
UUID = "01234567-89ab-cdef-0123-456789abcdef"
GOOD = f"t: {{uuid: {UUID}, summary: s, asked: [11], needed: true, size: 3}}"


def tables(text: str) -> tuple[dark.DarkTable, ...]:
    return dark.parse_tables(marks.parse(text, "t.yaml"))


def forms(text: str) -> tuple[dark.Forms, ...]:
    return dark.parse_forms(marks.parse(text, "f.yaml"))


def test_a_table() -> None:
    (table,) = tables(
        f"reasons: {{r: why not}}\n"
        f"t: {{uuid: {UUID}, summary: s, asked: [11, 13], needed: true, size: 3, entries: {{\n"
        f"  1: {{name: a, params: [int x], answer: f, called: [13]}}, 2: {{name: b, refuse: r}}}}}}\n"
    )
    assert table.uuid.hex() == UUID.replace("-", "")
    assert table.asked == (11, 13)
    assert (table.entries[1].answer, table.entries[1].params, table.entries[1].called) == ("f", ("int x",), (13,))
    assert table.entries[2].refuse == "why not"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            GOOD.replace(UUID, "0123"),
            "1:11: '0123' is not a UUID; expected 32 digits as 01234567-89ab-cdef-0123-456789abcdef",
        ),
        (GOOD.replace("t:", "T:"), "1:1: 'T' is not a name; expected small letters, digits and underscores"),
        (GOOD.replace("[11]", "[10]"), "1:69: 10 is no CUDA major; expected one of 11, 12, 13"),
        (GOOD.replace("size: 3", "size: 3, head: word"), "1:103: unknown head 'word'; expected one of bytes, function"),
        (GOOD.replace(", size: 3", ""), "1:4: the key 'size' is missing; expected it here"),
        (GOOD.replace("size: 3", "size: 3, sizes: 4"), "1:97: unknown key 'sizes'; did you mean 'size'?"),
        (GOOD.replace("size: 3", "absent: true"), "1:4: 't' is needed and absent; expected one of them"),
        (GOOD + "\n" + GOOD.replace("t:", "u:"), "2:4: 'u' has the UUID of 't'; expected one of its own"),
        (
            GOOD.replace("size: 3", "size: 3, entries: {3: {name: a, params: [], answer: f}}"),
            "1:107: entry 3 is outside the table; expected 1 to 2",
        ),
        (
            GOOD.replace("size: 3", "size: 3, entries: {1: {name: a}}"),
            "1:110: an entry is answered or refused; expected `answer` or `refuse`, and one of them",
        ),
        (
            GOOD.replace("size: 3", "size: 3, entries: {1: {name: a, refuse: x}}"),
            "1:128: unknown reason 'x'; expected one of ",
        ),
    ],
)
def test_messages(text: str, message: str) -> None:
    with pytest.raises(TableError) as raised:
        tables(text)
    assert str(raised.value) == "t.yaml:" + message


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("mem: {plain: 1}", "1:1: 'mem' is no function of the driver; expected a name such as cuMemAlloc"),
        ("cuMem: {w2: 1}", "1:9: 'w2' is no form; expected plain, v2, v3 …"),
        ("cuMem: {plain: 2, v2: 1}", "1:23: 1 is not newer than 2; expected the oldest form first"),
    ],
)
def test_messages_of_forms(text: str, message: str) -> None:
    with pytest.raises(TableError) as raised:
        forms(text)
    assert str(raised.value) == "f.yaml:" + message


def test_the_header_is_up_to_date() -> None:
    """After an edit: python -m dragoman.generate.dark"""
    assert generate.file().read_text(encoding="utf-8") == generate.header()


def test_answers_exist() -> None:
    folder = paths.package_dir() / "compose" / "cuda"
    code = "".join(p.read_text(encoding="utf-8") for p in sorted(folder.glob("*.c")))
    for table in dark.load_tables():
        for entry in table.entries.values():
            if entry.answer:
                assert re.search(rf"^{entry.returns} dark_{entry.answer}\(", code, re.MULTILINE), entry.where


def test_what_is_called_is_answered() -> None:
    """No runtime was seen to call an entry that fails, but for device code and the proof that we do not give."""
    for table in dark.load_tables():
        assert not (table.needed and table.absent)
        for entry in table.entries.values():
            assert set(entry.called) <= set(table.asked), entry.where
            assert entry.answer or "kernels" in entry.refuse or entry.name == "prove", entry.where


def test_every_later_form_is_told() -> None:
    """A name that only a suffixed entry answers must be in forms.yaml, or cuGetProcAddress would never find it."""
    told = {f.name: {suffix for _, suffix in f.since} for f in dark.load_forms()}
    for function in load().functions("cuda"):
        match = re.match(r"(cu[A-Z]\w*?)(_v[2-9])(_pt[ds][sz])?\Z", function.name)
        if match:
            assert match[2] in told.get(match[1], ()), function.name
