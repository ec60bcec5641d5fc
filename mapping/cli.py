"""The command line: names, options, help. What a command does is in `commands/`, imported when it is called."""

from __future__ import annotations

import codecs
import io
import os
import signal
import sys
from collections.abc import Callable, Sequence
from enum import Enum
from pathlib import Path
from typing import Annotated, Any

import typer
import typer.core


class Cuda(str, Enum):
    """CUDA majors."""

    ELEVEN = "11"
    TWELVE = "12"
    THIRTEEN = "13"


class Judged(str, Enum):
    """What the suites know."""

    CUBLAS = "cublas"
    CUBLASLT = "cublasLt"
    CUDNN = "cudnn"
    CUDNN_8 = "cudnn8"
    CUDNN_9 = "cudnn9"


class Asked(str, Enum):
    """Libraries whose calls AMD's own are asked about."""

    CUBLAS = "cublas"
    CUDNN = "cudnn"


class Target(str, Enum):
    """Systems that libraries are built for."""

    LINUX = "linux"
    WINDOWS = "windows"


class Toolchain(str, Enum):
    """Compilers: the zig package, or the system's own."""

    ZIG = "zig"
    CC = "cc"


class Format(str, Enum):
    """How a report is written."""

    TABLE = "table"
    MD = "md"
    HTML = "html"
    JSON = "json"


class _ReaderLeftError(Exception):
    """Who reads our output has had enough."""


class _Commands(typer.core.TyperGroup):
    def invoke(self, ctx: Any) -> Any:
        """The parser's own answer to a pipe that nobody reads is status 1, which of our commands says something else."""
        try:
            answer = super().invoke(ctx)
            sys.stdout.flush()
        except BrokenPipeError as error:
            raise _ReaderLeftError from error
        return answer


app = typer.Typer(
    name="dragoman",
    cls=_Commands,
    help="NVIDIA's maths libraries, answered by AMD's: build them, prove them, run programs with them.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)
Json = Annotated[bool, typer.Option("--json", help="Print JSON, for scripts.")]


def _path(text: str) -> Path:
    """An empty name would be the current folder: what came of a variable that a script has not set."""
    if not text:
        raise typer.BadParameter("an empty name")
    return Path(text)


def _example(*lines: str) -> str:
    """What stands below the options in `--help`; the first character tells the parser to keep the lines."""
    return "\n".join(["\b", "Example:", *(f"  {line}" for line in lines)])


@app.callback(invoke_without_command=True)
def _options(
    context: typer.Context,
    version: Annotated[bool, typer.Option("--version", help="Print the version and end.")] = False,
) -> None:
    if version:
        from . import __version__

        print(f"dragoman {__version__}")
        raise typer.Exit(0)


@app.command(
    short_help="build, compare with NumPy, report: the whole way",
    epilog=_example("dragoman prove", "dragoman prove --out report"),
)
def prove(
    out: Annotated[
        Path | None,
        typer.Option(parser=_path, metavar="DIR", help="Folder of the reports; default: in the cache folder."),
    ] = None,
    examples: Annotated[int, typer.Option(metavar="N", help="Calls a function; default: parity's.", min=0)] = 0,
    as_json: Json = False,
) -> int:
    """Build the libraries where they are not built, compare them with NumPy on the CPU backend, write the coverage report."""
    from .commands import proving

    return proving.prove(out, examples, as_json=as_json)


@app.command(
    short_help="generate and compile the libraries",
    epilog=_example("dragoman build", "dragoman build --target windows --cuda 12 --out dlls --zip"),
)
def build(
    target: Annotated[
        list[Target] | None, typer.Option(metavar="linux|windows", help="System; repeatable. Default: this one.")
    ] = None,
    cuda: Annotated[
        list[Cuda] | None, typer.Option(metavar="11|12|13", help="CUDA major; repeatable. Default: all.")
    ] = None,
    library: Annotated[
        list[str] | None, typer.Option(metavar="NAME", help="Library such as cublas; repeatable. Default: all.")
    ] = None,
    function: Annotated[str, typer.Option(metavar="NAME", help="Only the libraries that export this function.")] = "",
    out: Annotated[
        Path | None,
        typer.Option(parser=_path, metavar="DIR", help="Folder to build into; default: in the cache folder."),
    ] = None,
    zip_: Annotated[bool, typer.Option("--zip", help="Also pack each target into one archive.")] = False,
    check: Annotated[
        bool, typer.Option("--check", help="Build nothing: compare the generated sources there with the tables.")
    ] = False,
    toolchain: Annotated[
        Toolchain, typer.Option(metavar="zig|cc", help="Compiler: the zig package, or the system's cc.")
    ] = Toolchain.ZIG,
    as_json: Json = False,
) -> int:
    """Generate and compile the replacement libraries, the CPU backend, and headers to compile against."""
    from .commands import building

    majors = [int(c.value) for c in cuda or ()]
    if check:
        return building.check(majors, out, as_json=as_json)
    return building.build(
        [t.value for t in target or ()],
        majors,
        library or [],
        function,
        out,
        toolchain.value,
        archive=zip_,
        as_json=as_json,
    )


@app.command(
    short_help="which functions are answered, how, confirmed by whom",
    epilog=_example("dragoman coverage", "dragoman coverage --format html --out coverage.html"),
)
def coverage(
    form: Annotated[Format, typer.Option("--format", help="How to show it.")] = Format.TABLE,
    out: Annotated[
        Path | None, typer.Option(parser=_path, metavar="FILE", help="File to write; default: the terminal.")
    ] = None,
    library: Annotated[list[str] | None, typer.Option(metavar="NAME", help="Only this library; repeatable.")] = None,
    cuda: Annotated[
        list[Cuda] | None, typer.Option(metavar="11|12|13", help="Only this CUDA major; repeatable.")
    ] = None,
) -> int:
    """Which NVIDIA functions are answered, how, and who has confirmed it."""
    from .commands import covering

    return covering.coverage(form.value, out, library or [], [int(c.value) for c in cuda or ()])


@app.command(
    short_help="compare every function with NumPy",
    epilog=_example("dragoman parity --quick", "dragoman parity --function 'cublasSgemm*' --examples 500"),
)
def parity(
    backend: Annotated[
        str, typer.Option(metavar="NAME", help="cpu, rocm, auto, or a folder with AMD's libraries.")
    ] = "cpu",
    subject: Annotated[
        Path | None,
        typer.Option(
            parser=_path, metavar="DIR", help="Folder with libraries under NVIDIA's names; default: the built ones."
        ),
    ] = None,
    function: Annotated[
        list[str] | None, typer.Option(metavar="NAME", help="Name or pattern; repeatable. Default: all.")
    ] = None,
    library: Annotated[
        Judged | None,
        typer.Option(
            metavar="NAME",
            help="cublas, cublasLt, cudnn (the CUDA's newest), cudnn8 or cudnn9; default: as the functions say.",
        ),
    ] = None,
    examples: Annotated[int, typer.Option(metavar="N", help="Calls a function.", min=0, show_default="50")] = 0,
    cuda: Annotated[Cuda, typer.Option(metavar="11|12|13", help="CUDA major of the libraries.")] = Cuda.TWELVE,
    quick: Annotated[bool, typer.Option("--quick", help="A fifth of the calls.")] = False,
    seed: Annotated[int, typer.Option(metavar="N", help="Another seed draws other calls.")] = 0,
    html: Annotated[
        Path | None, typer.Option(parser=_path, metavar="FILE", help="Also write a page with a map of all functions.")
    ] = None,
    as_json: Json = False,
) -> int:
    """Compare every function with NumPy: numbers, and answers to wrong arguments."""
    from .commands import judging

    return judging.parity(
        backend,
        subject,
        function or [],
        examples,
        int(cuda.value),
        html,
        library=library.value if library else "",
        seed=seed,
        quick=quick,
        as_json=as_json,
    )


@app.command(
    "amd-host",
    short_help="ask AMD's own libraries, without a card",
    epilog=_example("dragoman amd-host 7.2 --function 'cublasSgemm*'"),
)
def amd_host(
    releases: Annotated[
        list[str] | None, typer.Argument(metavar="[RELEASE]...", help="5.5, 6.4, 7.2; default: all.")
    ] = None,
    library: Annotated[Asked, typer.Option(metavar="cublas|cudnn", help="Whose calls are made.")] = Asked.CUBLAS,
    function: Annotated[
        list[str] | None, typer.Option(metavar="NAME", help="Name or pattern; repeatable. Default: all.")
    ] = None,
    examples: Annotated[int, typer.Option(metavar="N", help="Valid calls a function.", min=1)] = 6,
    cuda: Annotated[Cuda, typer.Option(metavar="11|12|13", help="CUDA major of the libraries.")] = Cuda.TWELVE,
    out: Annotated[
        Path | None, typer.Option(parser=_path, metavar="DIR", help="Also write a record a release.")
    ] = None,
    solver: Annotated[bool, typer.Option("--solver/--no-solver", help="rocSOLVER too: half a gigabyte more.")] = True,
    as_json: Json = False,
) -> int:
    """Make every call to AMD's real rocBLAS and rocSOLVER, or MIOpen, on a HIP runtime that runs no kernel.

    The libraries are fetched from the Debian archive that apt knows, once, into the cache folder: up to 4 GB travel a
    release, a tenth stays.
    """
    from .commands import asking

    return asking.amd_host(
        releases or [], library.value, function or [], examples, int(cuda.value), out, solver=solver, as_json=as_json
    )


@app.command(
    short_help="what a program needs, and whether it is answered",
    epilog=_example("dragoman scan ./program", "dragoman scan project/ some.whl --json"),
)
def scan(
    paths: Annotated[
        list[Path],
        typer.Argument(
            parser=_path, metavar="PATH...", help="Programs, libraries, folders, wheels, archives, sources."
        ),
    ],
    everything: Annotated[
        bool, typer.Option("--all", help="List every file and function, not only what is missing.")
    ] = False,
    as_json: Json = False,
) -> int:
    """What programs need of NVIDIA's libraries, and who answers it. Nothing is run, nothing is unpacked.

    Exit status 0: every function that is asked for is answered; 1: some are not; 2: nothing could be read.
    """
    from .commands import scanning

    return scanning.scan(paths, everything=everything, as_json=as_json)


@app.command(
    short_help="run a program with the replacement libraries",
    epilog=_example("dragoman run -- ./program --its-own options"),
    context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False},
)
def run(
    command: Annotated[
        list[str], typer.Argument(metavar="[--] PROGRAM [ARGUMENT]...", help="Program and its arguments.")
    ],
) -> int:
    """Run a program with the replacement libraries in front. No file is touched."""
    from .commands import running

    return running.run(command)


@app.command(
    "lib-dir",
    short_help="print the folder of the libraries",
    epilog=_example(
        'LD_LIBRARY_PATH="$(dragoman lib-dir)" ./program',
        'gcc program.c -I"$(dragoman lib-dir --headers)" -L"$(dragoman lib-dir)" -lcublas -lcudart',
        'cmake -B build -DCUDAToolkit_ROOT="$(dragoman lib-dir --toolkit)"',
    ),
)
def lib_dir(
    cuda: Annotated[Cuda, typer.Option(metavar="11|12|13", help="CUDA major of the libraries.")] = Cuda.TWELVE,
    target: Annotated[Target | None, typer.Option(metavar="linux|windows", help="System; default: this one.")] = None,
    driver: Annotated[
        bool | None,
        typer.Option(
            "--driver/--no-driver",
            help="With the small libcuda or without; default: with it where there is no other driver.",
        ),
    ] = None,
    headers: Annotated[bool, typer.Option("--headers", help="The folder of the headers instead.")] = False,
    toolkit: Annotated[
        bool, typer.Option("--toolkit", help="A folder like NVIDIA's toolkit instead: include, lib64, version.txt.")
    ] = False,
) -> int:
    """Print the folder of the built libraries."""
    from .commands import running

    wanted = target.value if target else ""
    return running.lib_dir(int(cuda.value), wanted, driver, headers=headers, toolkit=toolkit)


@app.command(short_help="one function, from table line to code", epilog=_example("dragoman explain cublasSgemm"))
def explain(
    name: Annotated[str, typer.Argument(metavar="NAME", help="A function, as a program or a library names it.")],
    exact: Annotated[bool, typer.Option("--exact", help="The symbol of this very name.")] = False,
    as_json: Json = False,
) -> int:
    """One function: table line, prototypes, generated code, notes, tests, who confirmed it."""
    from .commands import explaining

    return explaining.explain(name, exact=exact, as_json=as_json)


def call(arguments: Sequence[str]) -> int:
    """Run one command; answers its exit status. Errors are one line on stderr."""
    command: Callable[..., Any] = typer.main.get_command(app).main
    try:
        answer = command(args=list(arguments), prog_name="dragoman", standalone_mode=False)
        sys.stdout.flush()
        if answer == _INTERRUPTED:  # some versions of the parser keep the exception to themselves
            return _interrupted()
        return answer if isinstance(answer, int) else 0
    except (_ReaderLeftError, BrokenPipeError):  # `dragoman explain … | head`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except (KeyboardInterrupt, typer.Abort):
        return _interrupted()
    except Exception as error:
        return _failed(error)


_INTERRUPTED = 130


def _interrupted() -> int:
    print("dragoman: interrupted", file=sys.stderr)
    return _INTERRUPTED


def _failed(error: Exception) -> int:
    usage = getattr(error, "format_message", None)  # of the parser's own errors, wherever typer keeps their class
    if usage is not None:
        text = str(usage()).replace(": Value error, ", ": ")  # what some versions of the parser put in front
        if "\n" in text.strip() or not text:  # it is the help itself, for a call without a command
            print(text, file=sys.stderr)
            return 2
        context = getattr(error, "ctx", None)
        path = context.command_path if context else "dragoman"
        print(f"dragoman: {text.rstrip('.')}; see {path} --help", file=sys.stderr)
        return 2
    from .commands.errors import told

    line = told(error)
    if line is None:
        raise error
    print(f"dragoman: {line}", file=sys.stderr)
    return 2


def main() -> None:
    _prepare_streams()
    signal.signal(signal.SIGTERM, _terminated)
    sys.exit(call(sys.argv[1:]))


def _terminated(number: int, _: object) -> None:
    """As an interrupt does: children end, and what is half done goes. (A program that `run` becomes has the system's way again.)"""
    raise SystemExit(128 + number)


def _encoded(error: UnicodeError) -> tuple[bytes, int]:
    """The bytes of a path that Python could not read come out again: `"$(dragoman lib-dir)"` must be that folder."""
    assert isinstance(error, UnicodeEncodeError)
    text = error.object[error.start : error.end]
    return b"".join(bytes([ord(c) - 0xDC00]) if "\udc80" <= c <= "\udcff" else b"?" for c in text), error.end


def _prepare_streams() -> None:
    """A terminal without UTF-8 shows `?` for what it cannot, and paths as they are; a stream that the caller has closed is nowhere."""
    codecs.register_error("dragoman", _encoded)
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115
        elif isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="dragoman")
