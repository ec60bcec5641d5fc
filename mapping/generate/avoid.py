"""MIOpen's solvers by name, and those that must not be used, as data in C: `avoid.h`, which compose/cudnn/avoid.pyx reads."""

from __future__ import annotations

from ..tables.avoid import DIRECTIONS, Avoid, Avoids
from .writer import Writer

_DATA = {
    "f16": "CUDNN_DATA_HALF",
    "bf16": "CUDNN_DATA_BFLOAT16",
    "f32": "CUDNN_DATA_FLOAT",
    "i8": "CUDNN_DATA_INT8",
}


def header(avoids: Avoids) -> str:
    """Two tables: a line for each name of a solver, and one for each solver and architecture of a row."""
    w = Writer()
    w.lines("#ifndef CUDNN_AVOID_H\n#define CUDNN_AVOID_H\n#include <stdint.h>\n#include <stdlib.h>\n")
    w.line('#include "cudnn_abi.h"')
    w.line()
    with w.block("typedef struct dnn_solver {", "} dnn_solver;"):
        w.line("uint32_t number;")
        w.line("const char *name;")
    with w.block("typedef struct dnn_avoid {", "} dnn_avoid;"):
        w.line("uint32_t solver;")
        w.line("uint32_t directions; /* a bit each; 0: all */")
        w.line("uint32_t types;      /* a bit each cudnnDataType_t of x; 0: all */")
        w.line("uint32_t grouped;    /* 1: only with more than one group */")
        w.line("uint32_t since;      /* releases of HIP's runtime, as the core counts; 0: no bound */")
        w.line("uint32_t until;")
        w.line("const char *gfx;     /* perhaps with `*` at its end; NULL: all */")
        w.line("const char *reason;")
        w.line("const char *source;")
    w.line()
    with w.block("static const dnn_solver dnn_solvers[] = {", "};"):
        for name, number in avoids.solvers.items():
            w.line(f'{{{number}, "{name}"}},')
    with w.block("static const dnn_avoid dnn_avoids[] = {", "};"):
        for row in avoids.rows:
            w.line(f"/* {row.where} */")
            for solver in row.solvers:
                for gfx in row.gfx or ("",):
                    w.line(_row(row, solver, gfx))
    w.line("enum { DNN_SOLVERS = sizeof(dnn_solvers) / sizeof(dnn_solvers[0]) };")
    w.line("enum { DNN_AVOIDS = sizeof(dnn_avoids) / sizeof(dnn_avoids[0]) };")
    w.line("#endif")
    return w.text()


def _row(row: Avoid, solver: int, gfx: str) -> str:
    directions = sum(1 << DIRECTIONS.index(d) for d in row.directions)
    types = " | ".join(f"1u << {_DATA[t]}" for t in row.types) or "0"
    texts = ", ".join((_quoted(gfx) if gfx else "NULL", _quoted(row.reason), _quoted(row.source)))
    return f"{{{solver}, {directions}, {types}, {int(row.grouped)}, {row.since}, {row.until}, {texts}}},"


def _quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'
