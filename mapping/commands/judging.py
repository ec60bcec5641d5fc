"""`dragoman parity`: is the answer right?"""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from .. import paths
from ..children import python
from ..errors import UserError
from ..run import place
from .building import build_for_use
from .console import Steps, say, stdout
from .covering import writable, write

if TYPE_CHECKING:
    from ..parity.report import Report
    from ..parity.runner import Options

BACKENDS = ("auto", "cpu", "rocm")


def parity(
    backend: str,
    subject: Path | None,
    functions: Sequence[str],
    examples: int,
    major: int,
    html: Path | None,
    *,
    library: str,
    seed: int,
    quick: bool,
    as_json: bool,
) -> int:
    from ..parity.runner import Options

    if not library:  # the functions tell it
        own = (word for word in ("cudnn", "cublasLt") if functions and all(f.startswith(word) for f in functions))
        library = next(own, "cublas")
    if library == "cudnn" and major == 11:
        library = "cudnn8"  # CUDA 11 has no later one
    _exists(library, major)
    options = Options(
        subject=subject,
        backend=_backend(backend),
        major=major,
        functions=tuple(functions) or ("*",),
        library=library,
        quick=quick,
        seed=seed,
    )
    if examples:
        options = replace(options, examples=examples)
    if subject is not None and not subject.is_dir():
        raise UserError(f"{subject}: no such folder; expected one with libraries under NVIDIA's names")
    if html:
        writable(html)
    report = judge(options)
    if html:
        write(html, report.to_html())
        say(f"wrote {html}")
    if as_json:
        print(report.to_json())
    else:
        given = {"subject": str(subject.absolute()) if subject else "", "backend": options.backend}
        words = "".join(f", {k}={json.dumps(v, ensure_ascii=False)}" for k, v in given.items() if v not in ("", "cpu"))
        report.print(stdout(), words=words)
    return 0 if report.ok else 1


def _exists(library: str, major: int) -> None:
    from ..parity.dnn.runner import LIBRARIES
    from ..tables.loader import load

    if library in LIBRARIES:
        version = load().libraries["cudnn"].versions[LIBRARIES[library]]
        if major not in version.folders:
            folders = " and ".join(map(str, version.folders))
            raise UserError(f"cuDNN {version.major} goes with CUDA {folders}; expected --cuda with one of them")


def judge(options: Options, title: str = "") -> Report:
    """Run the suite with progress, and keep what it confirmed about the build."""
    import numpy as np

    from ..coverage import records
    from ..parity.runner import ParityError, run_parity
    from ..tables.loader import load

    judge = {"cpu": "numpy", "rocm": "card"}.get(options.backend) if options.subject is None else None
    if options.subject is None:
        place.root(build=build_for_use)
    if judge:
        paths.writable(records.place(judge, options.library, options.major).parent)
    try:
        with Steps(title or f"comparing {options.library}, CUDA {options.major}") as steps:
            report = run_parity(options, lambda done, total, result: steps.at(done, total, result.name))
    except ParityError as error:
        raise UserError(_library_says(options) or str(error)) from error
    if judge:
        version = load().libraries[report.library].versions[report.cuda]
        folder = place.folder(place.host(), version.folders[-1])
        digest = records.build_digest(folder, version)
        records.keep(report, judge, f"NumPy {np.__version__}", digest)
        if judge == "numpy":
            records.keep_answers(report, digest)
    return report


def _backend(name: str) -> str:
    """A name, or a folder as the libraries want it: absolute."""
    if name in BACKENDS:
        return name
    folder = Path(name)
    if not name or not folder.is_dir():
        raise UserError(f"no backend {name!r}: there are {', '.join(BACKENDS)}, or a folder with AMD's libraries")
    return os.path.abspath(folder)


def _library_says(options: Options) -> str:
    """Where a backend cannot be opened the libraries say why, in one line on stderr: the children's is not seen."""
    from ..parity.runner import default_subject
    from ..tables.loader import load

    folder = options.subject or default_subject(options.major)
    libraries = load().libraries
    files = [folder / libraries[n].versions[options.major].file_name(place.host()) for n in ("cudart", "cublas")]
    code = (
        "import ctypes; cudart, cublas = map(ctypes.CDLL, sys.argv[1:]); cudart.cudaFree(None);"
        "handle = ctypes.c_void_p(); cublas.cublasCreate_v2(ctypes.byref(handle))"
    )
    ours = {"DRAGOMAN_BACKEND": options.backend, "DRAGOMAN_LOG": "error", "DRAGOMAN_LOG_FILE": ""}
    said = subprocess.run(
        python(code, *map(str, files)),
        env={**os.environ, **ours},
        capture_output=True,
        text=True,
        check=False,
    ).stderr
    lines = [line for line in said.splitlines() if line.startswith("dragoman: ")]
    return lines[-1].removeprefix("dragoman: ") if lines else ""
