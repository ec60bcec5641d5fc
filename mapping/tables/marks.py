"""YAML read with marks: every value knows its file, line and column.

`read(path)` gives a `Node`; its methods (`mapping`, `sequence`, `text` ...) check the shape and raise `TableError` with
`file:line:column: what is wrong; what was expected`. A `Fields` object *pops* each key that its reader understands and
refuses what is left over, so that a misspelt key cannot pass in silence.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn, TypeVar

import yaml

from ..errors import UserError
from . import c

T = TypeVar("T")
D = TypeVar("D")
_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_FORBIDDEN = yaml.reader.Reader.NON_PRINTABLE
_CORE = "tag:yaml.org,2002:"
_BOOL, _NULL = _CORE + "bool", _CORE + "null"
# What PyYAML takes plain words, numbers and dates for; any other tag was written out.
_TAGS = frozenset(_CORE + word for word in ("str", "int", "float", "bool", "null", "timestamp", "value", "seq", "map"))
NUMBER = re.compile(r"-?(0x[0-9A-Fa-f]{1,16}|0|[1-9][0-9]{0,18})")
_VERSION = re.compile(r"[0-9]{1,9}(\.[0-9]{1,9}){0,4}")
_DEEPEST = 40  # the language needs eight
_MOST = 100_000  # values of a file; the largest has some 10,000
_LONGEST = 400  # characters of one half of a message


@dataclass(frozen=True, slots=True, order=True)
class Where:
    """A place in a table; prints as `file:line:column`, counted from 1."""

    file: str
    line: int
    column: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}"


class TableError(UserError):
    """A table is wrong. One line: where, what is wrong, what was expected."""

    def __init__(self, where: Where, message: str) -> None:
        self.where = where
        self.message = "; ".join(_short(" ".join(part.splitlines())) for part in message.rsplit("; ", 1))
        super().__init__(f"{where}: {self.message}")


def _short(text: str) -> str:
    """What was found may be a whole book."""
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 100]} … {text[-100:]}"


@dataclass(frozen=True, slots=True)
class Node:
    """One YAML value with its place."""

    raw: yaml.Node
    file: str

    @property
    def where(self) -> Where:
        mark = self.raw.start_mark
        return Where(self.file, mark.line + 1, mark.column + 1)

    def fail(self, message: str) -> NoReturn:
        raise TableError(self.where, message)

    @property
    def is_mapping(self) -> bool:
        return isinstance(self.raw, yaml.MappingNode)

    @property
    def is_sequence(self) -> bool:
        return isinstance(self.raw, yaml.SequenceNode)

    @property
    def is_null(self) -> bool:
        return self.raw.tag == _NULL

    def _shape(self) -> str:
        if isinstance(self.raw, yaml.MappingNode):
            return "a mapping"
        if isinstance(self.raw, yaml.SequenceNode):
            return "a list"
        if self.raw.tag == _BOOL:
            return f"the YAML boolean {self.raw.value!r}"
        return "nothing" if self.is_null else f"{self.raw.value!r}"

    def items(self) -> Iterator[tuple[str, Node, Node]]:
        """Key, key's node and value's node of a mapping, in order; duplicates are refused."""
        if not isinstance(self.raw, yaml.MappingNode):
            self.fail(f"found {self._shape()}; expected a mapping")
        seen: dict[str, Where] = {}
        for key_raw, value_raw in self.raw.value:
            key_node = Node(key_raw, self.file)
            key = key_node.text("a name as key")
            if key in seen:
                key_node.fail(f"duplicate key {key!r}; first defined at line {seen[key].line}")
            seen[key] = key_node.where
            yield key, key_node, Node(value_raw, self.file)

    def fields(self) -> Fields:
        return Fields(self, {key: (key_node, value) for key, key_node, value in self.items()})

    def sequence(self) -> list[Node]:
        if not isinstance(self.raw, yaml.SequenceNode):
            self.fail(f"found {self._shape()}; expected a list")
        return [Node(item, self.file) for item in self.raw.value]

    def text(self, expected: str = "a word or sentence") -> str:
        """A scalar as written. YAML's bare booleans (`no`, `on`, `yes` ...) are refused: quote them."""
        if not isinstance(self.raw, yaml.ScalarNode) or self.is_null:
            self.fail(f"found {self._shape()}; expected {expected}")
        if self.raw.tag == _BOOL:
            self.fail(f"YAML reads {self.raw.value!r} as a boolean; expected {expected} (put it in quotes)")
        return str(self.raw.value)

    def version(self) -> str:
        text = self.text("a version such as 12.9")
        if not _VERSION.fullmatch(text):
            self.fail(f"{text!r} is not a version; expected numbers and dots")
        return text

    def number(self) -> int:
        text = self.text("a number")
        if not NUMBER.fullmatch(text):
            self.fail(f"found {text!r}; expected a number")
        return int(text, 0)

    def boolean(self) -> bool:
        if self.raw.tag != _BOOL or self.raw.value not in ("true", "false"):
            self.fail(f"found {self._shape()}; expected true or false")
        return bool(self.raw.value == "true")

    def line(self, expected: str = "a sentence") -> str:
        """A text that stands in one line of what is generated, comments of C too."""
        text = self.text(expected)
        if not text.strip() or not text.isprintable() or "*/" in text:
            self.fail(f"found {text!r}; expected {expected} in one line, without a comment's end")
        return text

    def word(self, expected: str = "a name") -> str:
        """A name as C has them: letters, digits and underscores, no keyword."""
        text = self.text(expected)
        if not c.NAME.fullmatch(text):
            self.fail(f"{text!r} is not a name; expected {expected} of letters, digits and underscores")
        if text in c.KEYWORDS:
            self.fail(f"{text!r} is a keyword of C or C++; expected {expected} that is none")
        return text

    def texts(self, expected: str = "a word") -> tuple[str, ...]:
        return tuple(node.text(expected) for node in self.sequence())

    def words(self, expected: str = "a name") -> tuple[str, ...]:
        """Names, none of them twice."""
        found: dict[str, None] = {}
        for node in self.sequence():
            word = node.word(expected)
            if word in found:
                node.fail(f"{word!r} stands here twice; expected it once")
            found[word] = None
        return tuple(found)

    def choice(self, options: tuple[str, ...], what: str) -> str:
        text = self.text(what)
        if text not in options:
            self.fail(f"unknown {what} {text!r}; {suggest(text, options)}")
        return text


def suggest(word: str, options: tuple[str, ...] | list[str]) -> str:
    """`did you mean 'x'?` where something is close, else the choices."""
    close = difflib.get_close_matches(word, options, n=1)
    if close:
        return f"did you mean {close[0]!r}?"
    return "expected one of " + ", ".join(sorted(options))


def close(word: str, options: Iterable[str], otherwise: str = "the name of one", few: int = 12) -> str:
    """`suggest`, but never a list of thousands: then `otherwise` says what is expected."""
    names = sorted(options)
    text = suggest(word, names)
    return text if text.startswith("did you mean") or 0 < len(names) <= few else f"expected {otherwise}"


class Fields:
    """The keys of a mapping, popped one by one; `done()` refuses what nobody asked for."""

    def __init__(self, node: Node, values: dict[str, tuple[Node, Node]]) -> None:
        self.node = node
        self._values = values
        self._places = {key: value for key, (_, value) in values.items()}
        self._known: dict[str, None] = {}

    def node_of(self, key: str) -> Node:
        """The value of a key, read already or not; the mapping itself where it has none."""
        return self._places.get(key, self.node)

    def pop(self, key: str) -> Node | None:
        self._known[key] = None
        found = self._values.pop(key, None)
        return found[1] if found else None

    def need(self, key: str) -> Node:
        value = self.pop(key)
        if value is None:
            self.node.fail(f"the key {key!r} is missing; expected it here")
        return value

    def get(self, key: str, read: Callable[[Node], T], default: D) -> T | D:
        value = self.pop(key)
        return default if value is None else read(value)

    def rest(self) -> Iterator[tuple[str, Node, Node]]:
        """All keys not popped yet: entries whose names are free."""
        values, self._values = self._values, {}
        for key, (key_node, value) in values.items():
            yield key, key_node, value

    def done(self) -> None:
        for key, (key_node, _) in self._values.items():
            key_node.fail(f"unknown key {key!r}; {suggest(key, tuple(self._known))}")


def read(path: Path, shown_as: str | None = None) -> Node:
    """Parse one YAML file. `shown_as` is the name used in messages (the path from the tables' parent)."""
    name = shown_as or str(path)
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise TableError(Where(name, 1, 1), f"cannot be read: {error.strerror}") from None
    except UnicodeDecodeError as error:
        raise TableError(Where(name, 1, 1), f"is not UTF-8 at byte {error.start}; expected UTF-8 text") from None
    return parse(text, name)


def parse(text: str, name: str) -> Node:
    """Parse YAML text that stands for the file `name`."""
    # PyYAML's two loaders count and name a character that YAML forbids in two ways: it is found here.
    bad = _FORBIDDEN.search(text)
    if bad:
        line, column = text.count("\n", 0, bad.start()) + 1, bad.start() - text.rfind("\n", 0, bad.start())
        raise TableError(Where(name, line, column), f"the character U+{ord(bad[0]):04X}; expected printable text")
    try:
        raw = yaml.compose(text, Loader=_LOADER)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        where = Where(name, mark.line + 1, mark.column + 1) if mark else Where(name, 1, 1)
        raise TableError(where, f"not valid YAML: {error.problem}; expected plain YAML") from None
    except RecursionError:  # only where PyYAML has no libyaml, which stops earlier and by itself
        raise TableError(Where(name, 1, 1), f"nested too deep; expected at most {_DEEPEST} levels") from None
    if raw is None:
        raise TableError(Where(name, 1, 1), "the file is empty; expected a mapping")
    _plain(raw, name)
    return Node(raw, name)


def _plain(root: yaml.Node, name: str) -> None:
    """Refuses what of YAML the tables do not use. Aliases are followed: one may hold itself, or others that hold others."""
    waiting, count = [(root, 1)], 0
    while waiting:
        raw, depth = waiting.pop()
        count += 1
        if raw.tag not in _TAGS:
            Node(raw, name).fail(f"the tag {raw.tag!r}; expected a plain value")
        if depth > _DEEPEST or count > _MOST:
            what = "nested too deep" if depth > _DEEPEST else "too much"
            Node(raw, name).fail(
                f"{what}; expected at most {_DEEPEST} levels and {_MOST} values, those of aliases counted"
            )
        if isinstance(raw, yaml.MappingNode):
            waiting += [(part, depth + 1) for pair in raw.value for part in pair]
        elif isinstance(raw, yaml.SequenceNode):
            waiting += [(part, depth + 1) for part in raw.value]
