"""How a process of this package's own is started.

Not with `-m`, which looks for every module in the current folder first: a file there may bear the name of one (`numpy.py`). Nor
by the package's name, under which another copy may be installed: a child runs the copy that its parent runs.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

_START = "import sys\nsys.path[:] = filter(None, sys.path)\n"
_MAIN = """\
from importlib.util import module_from_spec, spec_from_file_location
spec = spec_from_file_location({package!r}, {file!r})
sys.modules[spec.name] = module_from_spec(spec)
spec.loader.exec_module(sys.modules[spec.name])
from {module} import main
sys.exit(main())
"""


def python(code: str, *arguments: str, program: Sequence[str] = (sys.executable,)) -> list[str]:
    """The command that runs `code`, which may use `sys`. `program`: how Python is started."""
    return [*program, "-c", _START + code, *arguments]


def main_of(module: str, *, program: Sequence[str] = (sys.executable,)) -> list[str]:
    """The command that ends with what `main()` of one of this package's modules answers."""
    package = __name__.split(".", 1)[0]
    file = Path(str(sys.modules[package].__file__)).absolute()  # as it was found: a link may bear the package's name
    return python(_MAIN.format(package=package, file=str(file), module=module), program=program)
