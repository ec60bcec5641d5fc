"""`dragoman explain NAME`."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from ..run import place
from .console import stdout

if TYPE_CHECKING:
    from ..explain import Explanation


def explain(name: str, *, exact: bool, as_json: bool) -> int:
    from ..explain import explain as explained

    found = explained(name, place.root(), exact=exact)
    if as_json:
        print(json.dumps(found.to_dict(), indent=1, ensure_ascii=False))
    else:
        _show(found)
    return 0


def _show(e: Explanation) -> None:
    from rich.syntax import Syntax
    from rich.text import Text

    console = stdout()
    title = f"{e.asked}, in the library {e.name}" if e.asked else e.name
    majors = ", ".join(map(str, e.majors)) + (f", {e.systems} only" if e.systems else "")
    console.print(Text(title, style="bold"), soft_wrap=True)
    console.print(Text(f"{e.library}, {e.chapter}; CUDA {majors}"), soft_wrap=True)
    if e.summary:
        console.print(Text(e.summary), soft_wrap=True)
    console.print(Text.assemble((e.kind, "bold"), f": {e.meaning}"), soft_wrap=True)
    for label, text in (("reason", e.reason), ("limits", e.limits), ("notes", e.notes), ("block", e.block)):
        if text:
            console.print(Text.assemble((f"{label}: ", "bold"), " ".join(text.split())), soft_wrap=True)
    for line in e.differs:
        console.print(Text.assemble(("differs: ", "bold"), line), soft_wrap=True)
    for corner in e.corners:
        console.print(Text.assemble(("corner: ", "bold"), corner), soft_wrap=True)
    judges = ", ".join(f"{j.name} ({', '.join(filter(None, (j.version, j.date)))})" for j in e.judges)
    console.print(
        Text.assemble(("confirmed: ", "bold"), judges or "by nobody on this build; mapped alone is a claim"),
        soft_wrap=True,
    )
    for i, line in enumerate(e.tests):
        console.print(Text.assemble(("tests: " if i == 0 else "       ", "bold"), line), soft_wrap=True)

    def code(head: str, text: str, language: str) -> None:
        console.print()
        console.print(Text(head, style="bold"), soft_wrap=True)
        if console.is_terminal:
            console.print(Syntax(text, language, background_color="default", word_wrap=True))
        else:
            print(text)

    code(e.source, e.table, "yaml")
    code("prototypes", "\n".join([f"{e.cuda};", *(f"{a};" for a in e.amd)]), "c")
    if e.code:
        code(e.code_file, e.code, "cython")
    if e.older:
        console.print()
        console.print(
            f"cuBLAS's first API has a symbol {e.older} too: dragoman explain --exact {e.older}", soft_wrap=True
        )
