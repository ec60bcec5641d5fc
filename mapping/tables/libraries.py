"""`tables/libraries.yaml` → `Library`, one for each library that is replaced.

Every message is one line: `file:line:column: what is wrong; what was expected`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType

from .known import Unknown
from .marks import Fields, Node, suggest
from .model import MAJORS, PREFIXES, REASONS, Library, LibraryVersion, Slot

_DATA = re.compile(r"(linux|windows)-([0-9]+)(?:-(\w+))?")
_LINUX = re.compile(r"lib\w+\.so(\.[0-9]+)*")
_WINDOWS = re.compile(r"\w+\.dll")
BACKENDS = tuple(dict.fromkeys(PREFIXES.values()))


def read_libraries(root: Node, known: Unknown) -> Mapping[str, Library]:
    """All libraries, in the file's order."""
    found: dict[str, Library] = {}
    for name, key_node, node in root.items():
        key_node.word("a library")
        found[name] = _library(name, node, known)
    return MappingProxyType(found)


def _library(name: str, node: Node, known: Unknown) -> Library:
    f = node.fields()
    status, prefix = f.need("status"), f.get("prefix", lambda n: n.word("a prefix"), "")
    known.enum(status.word("a status type"), status)
    reasons = _reasons(f, name)
    versions = MappingProxyType({v.major: v for v in _versions(f.need("versions"))})
    if not versions:
        node.fail(f"library {name!r} has no version; expected at least one under versions")
    support = f.pop("support")
    library = Library(
        name=name,
        title=f.need("title").line("the library's name"),
        status=status.text(),
        prefix=prefix,
        reasons=MappingProxyType({k: v.word("a status constant") for k, v in reasons.items()}),
        versions=versions,
        backends=f.get("backends", lambda n: _choices(n, BACKENDS, "backend library"), ()),
        data=MappingProxyType(f.get("data", lambda n: {k: _places(v, versions) for k, v in _named(n)}, {})),
        where=node.where,
        handle=f.get("handle", lambda n: _slot(n, name, known), None),
        descriptors=MappingProxyType(
            f.get("descriptors", lambda n: {k: _slot(v, name, known) for k, v in _named(n)}, {}),
        ),
        support=support.texts("an AMD function") if support else (),
        explains=f.get("explains", Node.boolean, False),
        statuses=MappingProxyType(f.get("statuses", lambda n: _statuses(n, known), {})),
        constants=f.get("constants", lambda n: _owners(n, known), ()),
        headers=f.get("headers", lambda n: n.words("a header"), ()),
        chapters=f.get("chapters", lambda n: n.words("a table file"), ()),
        wide_since=f.get("wide_since", Node.version, ""),
        keeper=f.get("keeper", lambda n: _function(n, name, known), ""),
        own_streams=f.get("own_streams", Node.boolean, False),
        fast=f.get("fast", Node.boolean, False),
    )
    f.done()
    for word, item in reasons.items():
        known.status(library.reasons[word], item, library)
    for item in support.sequence() if support else ():
        known.call(item.text(), item, library, ())
    return library


def _named(node: Node) -> list[tuple[str, Node]]:
    """A mapping whose keys are names of C."""
    return [(key_node.word(), value) for _, key_node, value in node.items()]


def _choices(node: Node, options: tuple[str, ...], what: str) -> tuple[str, ...]:
    node.words(f"a {what}")
    return tuple(item.choice(options, what) for item in node.sequence())


def _reasons(f: Fields, name: str) -> dict[str, Node]:
    """The status of each reason of the core: all of them, and no other."""
    found: dict[str, Node] = {}
    for reason, key_node, value in f.need("reasons").items():
        if reason not in REASONS:
            key_node.fail(f"{reason!r} is no reason of the core; {suggest(reason, REASONS)}")
        found[reason] = value
    for reason in REASONS:
        if reason not in found:
            f.node.fail(f"library {name!r} has no status for {reason!r}; expected one under reasons")
    return found


def _versions(node: Node) -> list[LibraryVersion]:
    found = []
    for major, key_node, value in node.items():
        if not re.fullmatch(r"[1-9][0-9]?", major):
            key_node.fail(f"{major!r} is not a major version; expected a number such as 12")
        f = value.fields()
        cuda = f.pop("cuda")
        if cuda is None and int(major) not in MAJORS:
            key_node.fail(f"{major} is no major of CUDA; expected {_listed(MAJORS)}, or `cuda` to say where it lies")
        found.append(
            LibraryVersion(
                int(major),
                f.need("version").version(),
                f.get("number", Node.number, 0),
                _file(f.need("linux"), _LINUX, "libcublas.so.12"),
                _file(f.need("windows"), _WINDOWS, "cublas64_12.dll"),
                _majors(cuda) if cuda else (),
                f.get("parts", lambda n: n.words("a part"), ()),
            )
        )
        f.done()
    return found


def _majors(node: Node) -> tuple[int, ...]:
    found = tuple(item.number() for item in node.sequence())
    for item, major in zip(node.sequence(), found, strict=True):
        if major not in MAJORS:
            item.fail(f"{major} is no major of CUDA; expected one of {_listed(MAJORS)}")
    if not found or len(set(found)) != len(found):
        node.fail(f"found {_listed(found) or 'nothing'}; expected majors of CUDA, each once")
    return found


def _listed(majors: tuple[int, ...]) -> str:
    return ", ".join(map(str, majors))


def _file(node: Node, pattern: re.Pattern[str], example: str) -> str:
    text = node.text("a file name")
    if not pattern.fullmatch(text):
        node.fail(f"{text!r} is no name of a library; expected one such as {example}")
    return text


def _places(node: Node, versions: Mapping[int, LibraryVersion]) -> tuple[str, ...]:
    """`linux-9-graph`: which files export a variable."""
    for item in node.sequence():
        match = _DATA.fullmatch(item.text("a place"))
        version = versions.get(int(match[2])) if match else None
        if not match or version is None or (match[3] and match[3] not in version.parts):
            item.fail(f"{item.text()!r} is no file of this library; expected SYSTEM-MAJOR or SYSTEM-MAJOR-PART")
    return node.texts()


def _slot(node: Node, library: str, known: Unknown) -> Slot:
    f = node.fields()
    ctype, struct, magic = f.need("type"), f.need("struct"), f.need("magic")
    f.done()
    known.handle(ctype.word("a handle type"), ctype)
    for item in (struct, magic):
        known.declared(item.word("a name of the block's headers"), item, library)
    return Slot(ctype.text(), struct.text(), magic.text())


def _statuses(node: Node, known: Unknown) -> dict[str, str]:
    """AMD's library → the translation of its statuses."""
    found = {}
    for backend, key_node, value in node.items():
        key_node.choice(BACKENDS, "backend library")
        found[backend] = value.word("a translation")
        known.translation(found[backend], value)
    return found


def _owners(node: Node, known: Unknown) -> tuple[str, ...]:
    """Files of tables/types whose constants hand-written blocks use."""
    for item in node.sequence():
        known.owner(item.word("a library of tables/types"), item)
    return node.words()


def _function(node: Node, library: str, known: Unknown) -> str:
    word = node.word("a function of the block's headers")
    known.declared(word, node, library)
    return word
