"""One thing of a table made wrong: what the fuzz test (test_fuzz.py) does to a file."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import pairwise

import yaml

Pick = Callable[[int], int]  # a number from 0 to below its argument

# What a value is replaced by: other kinds, words of C and Cython, what YAML makes of a word, what ends a comment or a string.
VALUES = (
    "", "~", "[]", "{}", "[a]", "{a: b}", "yes", "no", "true", "0", "-1", "1e99", "0x", "0b1", "1_000", "12.9", "12.x", "1.2.3.4.5.6",
    "99999999999999999999999999", "NULL", "None", "class", "cdef", "int", "status", "handle", "scale", "any", "index",
    "'*/'", "'\"'", "'a\\'", '"a\\nb"', '"\\0"', '"\\u2028"', "'# c'", "'{T}'", "'{t}'", "'{T}{T}'", "'{'", "'%s'", "ſt", "ﬁll", "ä",
    "!!python/object:os.system x", "!t x", "!!str no", "&a [*a]", "*a", "2026-12-03", "1:30", "'a: b'", "- a", "? a", "| x", "> x",
    "'n + (m'", "'(((((((((('", "'not not not n'", "'n if n else n'", "'lambda: 0'", "'n[0]'", "'1 < n < 2'", "'n < 1 and'", "'a.b'",
    "'max(n)'", "'empty()'", "'op(n)'", "'1 is NULL'", "'in'", "'matrix(in, n, n)'", "'batched(dim, n)'", "'strided(c(int), n, n)'",
    "'batched(batched(scalar(in), n), n)'", "'c(int)'", "'c()'", "'c(int x)'", "'c(void (*)(int))'", "'c(int[0])'", "'c(struct)'",
    "'enum(int)'", "'desc(x)'", "'info(n)'", "'result(index)'", "'scalar(in, any)'", "'vector(in, n, 0)'", "'scalar(out, index)'",
    "'handle(optional)'", "rocblas_sgemm", "hipMalloc", "miopenCreate", "rocblas_", "hip", "SUCCESS", "gemm", "f16", "'" + "a" * 3000 + "'",
    "'" + "(" * 300 + "n" + ")" * 300 + "'", "'" + "not " * 90 + "n'", "'" + "-" * 390 + "n'", "'" + "+".join("n" * 190) + "'",
)  # fmt: skip
# What a whole file is replaced by.
FILES = (
    "", "\n", "# nothing\n", "a", "- a\n", "{}", "[]", "~", "\x00", "\ufeff", "\u2028", "a: b: c", "%YAML 9.9\n---\na: b", "---\na\n---\nb",
    "[" * 3000, "{a: " * 3000, "- " * 3000, "a: &a [*a]", "a: &a {b: *a}", "\t", "a:\n\tb", "? ", ": ", "&a", "*a", "!!binary x",
    "a: &a [x, x, x, x, x, x, x, x, x]\n"
    + "\n".join(f"{b}: &{b} [{', '.join(['*' + a] * 9)}]" for a, b in pairwise("abcdefghij")),
    "".join(" " * i + "a:\n" for i in range(300)),
)  # fmt: skip


def mutate(text: str, pick: Pick) -> str:
    """The text with one thing wrong, or perhaps still right."""
    kind = pick(40)
    if kind == 0:
        return FILES[pick(len(FILES))]
    if kind == 1:
        at = pick(len(text) + 1)
        return text[:at] + "\x01\x85\ufffe'\"{}[]:,-#&*!|>%@`\n\t "[pick(24)] + text[at:]
    if kind == 2:
        return text[: pick(len(text) + 1)]
    if kind in (3, 4):
        return _indented(text, pick)
    pairs = list(_pairs(text))
    if not pairs:
        return text
    start, middle, end = pairs[pick(len(pairs))]
    if kind < 12:  # a key with its value: gone
        return text[:start] + text[end:]
    if kind < 15:  # twice
        line = text.rfind("\n", 0, start) + 1
        gap = "\n" + " " * (start - line) if "\n" in text[start:end] or not text[line:start].strip() else ", "
        return text[:end] + gap + text[start:end] + text[end:]
    if kind < 20:  # a key misspelt
        return text[:start] + _misspelt(text[start:middle], pick) + text[middle:]
    leaves = list(_leaves(text))
    start, end = leaves[pick(len(leaves))]
    if kind < 25:
        return text[:start] + _misspelt(text[start:end], pick) + text[end:]
    if kind < 33:
        return text[:start] + VALUES[pick(len(VALUES))] + text[end:]
    other = leaves[pick(len(leaves))]  # another value of the same file
    return text[:start] + text[other[0] : other[1]] + text[end:]


def _misspelt(word: str, pick: Pick) -> str:
    if not word:
        return "x"
    at = pick(len(word))
    return (
        word[:at] + word[at + 1 :],
        word[:at] + word[at] + word[at:],
        word[:at] + "xX_0 .-{"[pick(8)] + word[at + 1 :],
        word.swapcase(),
    )[pick(4)]


def _indented(text: str, pick: Pick) -> str:
    lines = text.split("\n")
    at = pick(len(lines))
    lines[at] = (" " + lines[at], lines[at][1:], lines[at].lstrip(), "\t" + lines[at])[pick(4)]
    return "\n".join(lines)


def _nodes(text: str) -> Iterator[yaml.Node]:
    waiting, seen = [yaml.compose(text, Loader=yaml.SafeLoader)], set()
    while waiting:
        node = waiting.pop()
        if id(node) in seen:
            continue
        seen.add(id(node))
        yield node
        if isinstance(node, yaml.MappingNode):
            waiting += [part for pair in node.value for part in pair]
        elif isinstance(node, yaml.SequenceNode):
            waiting += node.value


def _pairs(text: str) -> Iterator[tuple[int, int, int]]:
    """Where each key begins and ends, and where its value ends."""
    for node in _nodes(text):
        if isinstance(node, yaml.MappingNode):
            for key, value in node.value:
                if key.start_mark.index <= value.end_mark.index:
                    yield key.start_mark.index, key.end_mark.index, max(value.end_mark.index, key.end_mark.index)


def _leaves(text: str) -> Iterator[tuple[int, int]]:
    """Where each plain value begins and ends."""
    for node in _nodes(text):
        if isinstance(node, yaml.ScalarNode):
            yield node.start_mark.index, node.end_mark.index
