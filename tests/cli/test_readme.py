"""What the README says is so: its two lines, its commands, its files, and what it claims is answered."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from dragoman import cli
from dragoman.tables.loader import load
from dragoman.tables.model import MAJORS

ROOT = Path(__file__).resolve().parents[2]
READMES = ("README.md", "README.ko.md")


def blocks(name: str) -> list[str]:
    return re.findall(r"^```sh\n(.*?)^```", (ROOT / name).read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)


def test_two_lines_come_first() -> None:
    first, second = (b.splitlines() for b in blocks("README.md")[:2])
    assert len(first) == len(second) == 1
    assert first[0].endswith("dragoman prove")
    assert "pytest" in second[0]


def test_ci_runs_exactly_the_test_line() -> None:
    script = (ROOT / ".ci" / "run").read_text(encoding="utf-8").splitlines()
    assert blocks("README.md")[1].strip() in script
    assert script[0] == "#!/usr/bin/env bash"
    assert "set -euo pipefail" in script


def test_both_languages_show_the_same_commands() -> None:
    assert blocks("README.md") == blocks("README.ko.md")


def test_both_languages_name_the_same_things() -> None:
    """Links, and whatever stands between backticks: what one of them gains the other must gain too."""

    def named(name: str) -> set[str]:
        text = re.sub(r"^```.*?^```", "", (ROOT / name).read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
        return {*re.findall(r"\]\(([^)]+)\)", text), *re.findall(r"`([^`\n]+)`", text)} - set(READMES)

    assert named("README.md") == named("README.ko.md")


@pytest.mark.parametrize("name", [*READMES, "CONTRIBUTING.md"])
def test_commands_exist(name: str) -> None:
    text = (ROOT / name).read_text(encoding="utf-8")
    known = {c.name or (c.callback.__name__ if c.callback else "") for c in cli.app.registered_commands}
    code = "\n".join(["\n".join(blocks(name)), *re.findall(r"`([^`\n]+)`", text)])
    used = set(re.findall(r"(?:^|[(/])dragoman ([a-z][a-z-]+)", code, re.MULTILINE))
    assert used
    assert used <= known


def anchors(file: Path) -> set[str]:
    """What a link to a heading can name: lower case, words joined by hyphens, as repositories' pages and Sphinx have it."""
    text = re.sub(r"^```.*?^```", "", file.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
    headings = re.findall(r"^#+ (.*)$", text, re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize(
    "name", [*READMES, "CONTRIBUTING.md", *(f"docs/{p.name}" for p in (ROOT / "docs").glob("*.md"))]
)
def test_links_lead_somewhere(name: str) -> None:
    file = ROOT / name
    for target, anchor in re.findall(r"\]\(([^)#\s]*)(?:#([^)]*))?\)", file.read_text(encoding="utf-8")):
        if "://" not in target:
            found = file.parent / target if target else file
            assert found.exists(), target
            assert not anchor or anchor in anchors(found), f"{target}#{anchor}"


@pytest.mark.parametrize("name", ["CONTRIBUTING.md", *(f"docs/{p.name}" for p in (ROOT / "docs").glob("*.md"))])
def test_files_that_are_named_exist(name: str) -> None:
    """Files and folders of the repository between backticks."""
    text = re.sub(r"^```.*?^```", "", (ROOT / name).read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
    for path in re.findall(r"`((?:mapping|tables|tests|docs)/[^`\s]*)`", text):
        found = list(ROOT.glob(path)) if "*" in path else [ROOT / path.rstrip("/")]
        assert "<" in path or (found and all(p.exists() for p in found)), path


@pytest.mark.tables
def test_what_it_says_is_answered() -> None:
    """All of the helpers and of levels 1 to 3; of the rest, the families that it names."""
    functions = load().functions("cublas")
    whole = {"Helper functions", "Level-1", "Level-2", "Level-3"}
    assert whole <= {f.entry.chapter for f in functions}
    assert [f.name for f in functions if f.entry.chapter in whole and f.kind == "unsupported"] == []
    named = ("gemmStridedBatched", "gemmBatched", "trsmBatched", "gemvBatched", "geam", "dgmm")
    for family in named:
        found = [f for f in functions if re.fullmatch(rf"cublas[SDCZ]{family}(_64)?", f.name)]
        assert len(found) == 8, family
        assert [f.name for f in found if f.kind == "unsupported"] == []
    lapack = [f for f in functions if f.entry.chapter == "LAPACK-like extensions"]
    assert len(lapack) == 32
    assert [f.name for f in lapack if f.kind == "unsupported"] == []


@pytest.mark.tables
@pytest.mark.parametrize("major", MAJORS)
def test_what_it_says_of_the_runtime(major: int) -> None:
    """Memory but for arrays, symbols and what is new in CUDA 13, streams and their capture, events, devices, errors."""
    functions = load().functions("cudart", major)
    new = {f.name for f in load().functions("cudart", 13)} - {f.name for f in load().functions("cudart", 12)}
    refused: dict[str, set[str]] = {}
    for f in functions:
        found = refused.setdefault(f.entry.chapter, set())
        if f.kind == "unsupported" and f.name not in new:
            found.add(re.sub("_pt[sd][sz]$", "", f.name))
    assert [n for n in refused["Errors"] if not n.startswith("cudaLogs")] == []  # CUDA 13's files of them
    assert refused["Events"] == refused["Stream-ordered memory"] == set()
    assert [n for n in refused["Memory"] if not re.search("Array|Symbol", n)] == []
    assert [n for n in refused["Streams"] if "Attribute" not in n] == []
    assert [n for n in refused["Devices"] if not re.search("Texture|RDMA|Notification|NvSci", n)] == []
    captures = [
        f for f in functions if re.search("StreamBeginCapture|StreamEndCapture|GraphInstantiate$|GraphLaunch", f.name)
    ]
    assert len(captures) >= 4
    assert all(f.kind != "unsupported" for f in captures)


@pytest.mark.tables
def test_what_it_says_stands_in_the_report() -> None:
    function = load().function("cudnnDropoutForward")
    assert function
    assert "no bfloat16" in function.entry.limits


@pytest.mark.tables
@pytest.mark.parametrize("major", [8, 9])
def test_the_whole_legacy_interface_of_cudnn(major: int) -> None:
    """Graphs aside, and what NVIDIA's manual says of no program."""
    elsewhere = ("graphs", "causal convolutions", "Not documented", "Kernels", "undocumented")
    refused = [
        f.name
        for f in load().functions("cudnn", major)
        if f.kind == "unsupported" and not any(word.lower() in f.entry.chapter.lower() for word in elsewhere)
    ]
    assert refused == []


@pytest.mark.tables
def test_what_it_says_is_not() -> None:
    tables = load()
    for name in ("cudnnBackendExecute",):
        function = tables.function(name)
        assert function
        assert function.kind == "unsupported", f"{name} is answered now: change the README's limits"


def test_repository_names_no_machine() -> None:
    """No path of a developer's machine in what a user reads."""
    for name in (*READMES, "CONTRIBUTING.md", "CHANGELOG.md", "NOTICE", ".ci/run"):
        assert not re.search(r"/(root|home|work|Users)/", (ROOT / name).read_text(encoding="utf-8")), name
