"""Tiny wrong tables in, exact messages out: one pair for each message of the loader and what it reads with.

Every text below is a whole file. `test_each_message_has_a_test` finds a message that nobody provokes.
"""

from __future__ import annotations

import ast
import inspect
import traceback
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest
import yaml
from dragoman.tables import entry, expr, kinds, libraries, loader, marks, rules, signature, targets, typed
from dragoman.tables.expr import Name, Tuple, evaluate
from dragoman.tables.known import Unknown
from dragoman.tables.libraries import read_libraries
from dragoman.tables.marks import Node, TableError
from dragoman.tables.model import Tables

pytestmark = pytest.mark.tables

MODULES = (marks, expr, kinds, signature, targets, typed, entry, rules, libraries, loader)
RIGHT = """\
file: {library: cublas, chapter: Level-3}
copy:
  summary: y ← x
  cuda: cublas{T}copy
  types: [S, C]
  params:
    handle: handle
    n: dim
    x: vector(in, n, incx)
    incx: inc
    y: vector(out, n, incy)
    incy: inc
  rocm: rocblas_{t}copy
"""
LIBRARIES = """\
cublas:
  title: cuBLAS
  status: cublasStatus_t
  prefix: CUBLAS_STATUS_
  handle: {type: cublasHandle_t, struct: dg_blas, magic: DG_BLAS}
  reasons:
    {bad_handle: A, forked: A, no_backend: A, no_memory: A, no_kernels: A, closing: A, unsupported: A, invalid: A}
  versions:
    "12": {version: 12.9.2, linux: libcublas.so.12, windows: cublas64_12.dll}
  backends: [rocblas]
"""
HEAD = "file: {library: cublas, chapter: C}\n"
HOST = HEAD + "f: {summary: s, host: b, "  # one entry in one line, to be completed
GEMM = HEAD + "f:\n  summary: s\n  host: b\n  params:\n    m: dim\n    trans: op\n    lda: ld\n"

# PyYAML says it in libyaml's words where it has libyaml.
UNCLOSED = (
    "did not find expected ',' or ']'" if yaml.__with_libyaml__ else "expected ',' or ']', but got '<stream end>'"
)
TYPED = HEAD + "f: {summary: s, params: {A: datatype, B: datatype}, rocm: rocblas_f, combos: {columns: [A, B], "
ELEMENT_WORDS = "any, bf16, c32, c64, ci8, f16, f32, f64, i32, i64, i8, u8"

# id, table, message: tables that are read as `t.yaml` in a library cublas
ENTRIES = {
    # marks: YAML and its shapes
    "empty": ("", "1:1: the file is empty; expected a mapping"),
    "no YAML": ("file: [a\n", f"2:1: not valid YAML: {UNCLOSED}; expected plain YAML"),
    "bad character": ("file:\n  a: \x01", "2:6: the character U+0001; expected printable text"),
    "no mapping": ("- a\n", "1:1: found a list; expected a mapping"),
    "key twice": (
        "file: {library: cublas, chapter: C}\nf: {summary: s, host: b}\nf: {summary: s, host: b}\n",
        "3:1: duplicate key 'f'; first defined at line 2",
    ),
    "key is a boolean": (
        HEAD + "no: {summary: s}\n",
        "2:1: YAML reads 'no' as a boolean; expected a name as key (put it in quotes)",
    ),
    "no list": (HOST + "forms: v2}\n", "2:33: found 'v2'; expected a list"),
    "no text": (HEAD + "f: {summary: [s]}\n", "2:14: found a list; expected a line of text"),
    "nothing": (HEAD + "f: {summary: }\n", "2:14: found nothing; expected a line of text"),
    "text is a boolean": (
        HEAD + "f: {summary: on}\n",
        "2:14: YAML reads 'on' as a boolean; expected a line of text (put it in quotes)",
    ),
    "no boolean": (HOST + "main: maybe}\n", "2:32: found 'maybe'; expected true or false"),
    "boolean by another word": (HOST + "main: off}\n", "2:32: found the YAML boolean 'off'; expected true or false"),
    "choice, near": (HOST + "os: linus}\n", "2:30: unknown system 'linus'; did you mean 'linux'?"),
    "choice, far": (HOST + "os: beos}\n", "2:30: unknown system 'beos'; expected one of linux, windows"),
    "lacks without limits": (
        HOST + "lacks: {type: [f64]}}\n",
        "2:33: `lacks` without `limits`; expected a sentence that tells people what is refused",
    ),
    "key missing": ("file: {library: cublas}\n", "1:7: the key 'chapter' is missing; expected it here"),
    "key missing in an entry": (HEAD + "f: {host: b}\n", "2:4: the key 'summary' is missing; expected it here"),
    "key unknown": (HOST + "capure: safe}\n", "2:26: unknown key 'capure'; did you mean 'capture'?"),
    "key unknown in file": (
        "file: {library: cublas, chapter: C, foo: 1}\n",
        "1:37: unknown key 'foo'; expected one of chapter, cuda_since, cuda_until, documented, header, library, parts, "
        "unsupported",
    ),
    # expr
    "no expression": (
        HOST + "params: {m: 'dim dim'}}\n",
        "2:38: 'dim dim' is not a kind; expected names, numbers, calls, + - *, comparisons",
    ),
    "no word of the language": (
        GEMM + "    A: matrix(in, (m / 2, m), lda)\n",
        "9:8: 'matrix(in, (m / 2, m), lda)' is not a kind: 'm / 2' is not part of the table language; "
        "expected names, numbers, calls, + - *, comparisons",
    ),
    "a text in a condition": (
        GEMM + "  checks:\n    - {when: m < 'a', status: INVALID_VALUE}\n",
        "10:14: \"m < 'a'\" is not a condition: \"'a'\" is not part of the table language; "
        "expected names, numbers, calls, + - *, comparisons",
    ),
    # kinds
    "no kind": (
        HOST + "params: {m: 3}}\n",
        "2:38: 3 is not a kind; expected a word such as dim or matrix(in, (m, n), lda)",
    ),
    "kind, near": (HOST + "params: {m: dimm}}\n", "2:38: unknown kind 'dimm'; did you mean 'dim'?"),
    "batched without count": (
        GEMM + "    A: batched(matrix(in, (m, m), lda))\n",
        "9:8: batched(matrix(in, (m, m), lda)) has the wrong arguments; expected batched(KIND, count)",
    ),
    "strided without stride": (
        GEMM + "    A: strided(matrix(in, (m, m), lda), m)\n",
        "9:8: strided(matrix(in, (m, m), lda), m) has the wrong arguments; expected strided(KIND, stride, count)",
    ),
    "enum of nothing": (
        HOST + "params: {m: enum(1)}}\n",
        "2:38: enum(1) has the wrong arguments; expected enum(TYPE) or enum(TYPE, TRANSLATION)",
    ),
    "info of nothing": (
        HOST + "params: {m: info}}\n",
        "2:38: info has the wrong arguments; expected info(PARAMETER, …), in the order in which they are counted",
    ),
    "info of a number": (
        HOST + "params: {m: 'info(m, 1)'}}\n",
        "2:38: info(m, 1) has the wrong arguments; expected info(PARAMETER, …), in the order in which they are counted",
    ),
    "size with an argument": (HOST + "params: {m: dim(in)}}\n", "2:38: dim takes no arguments; found dim(in)"),
    "handle with an argument": (
        HOST + "params: {m: handle(maybe)}}\n",
        "2:38: handle takes no arguments; found handle(maybe)",
    ),
    "matrix without leading dimension": (
        GEMM + "    A: matrix(in, (m, m))\n",
        "9:8: matrix(in, (m, m)) has 2 arguments; expected matrix(io, shape, ld) and perhaps a role",
    ),
    "result of two": (
        HOST + "params: {r: 'result(R, R)'}}\n",
        "2:38: result(R, R) has 2 arguments; expected result() and perhaps a role",
    ),
    "role is a number": (
        GEMM + "    A: matrix(in, (m, m), lda, 3)\n",
        "9:8: 3 is not a role; expected a name such as R",
    ),
    "no direction": (
        GEMM + "    A: matrix(m, (m, m), lda)\n",
        "9:8: 'm' is not a direction; expected one of in, inout, out",
    ),
    # loader
    "library, near": (
        "file: {library: cublass, chapter: C}\n",
        "1:17: unknown library 'cublass'; did you mean 'cublas'?",
    ),
    "pattern without types": (
        HEAD + "f: {summary: s, host: b, cuda: 'cublas{T}f'}\n",
        "2:1: the name pattern 'cublas{T}f' and `types` do not go together; expected both or neither",
    ),
    "types without pattern": (
        HOST + "types: [S]}\n",
        "2:1: the name pattern 'f' and `types` do not go together; expected both or neither",
    ),
    "no answer": (
        HEAD + "f: {summary: s}\n",
        "2:1: 'f' is answered by nothing; expected exactly one of rocm, host, compose, unsupported",
    ),
    "two answers": (
        HOST + "unsupported: why}\n",
        "2:1: 'f' is answered by host and unsupported; expected exactly one of rocm, host, compose, unsupported",
    ),
    "three answers": (
        HOST + "rocm: rocblas_f, compose: c, capture: safe}\n",
        "2:1: 'f' is answered by rocm and host and compose; expected exactly one of rocm, host, compose, unsupported",
    ),
    "composed without capture": (
        HEAD + "f: {summary: s, compose: c}\n",
        "2:1: 'f' is composed and has no `capture`; expected one of safe, workspace, refuse",
    ),
    "capture, far": (
        HEAD + "f: {summary: s, compose: c, capture: x}\n",
        "2:38: unknown capture rule 'x'; expected one of refuse, safe, workspace",
    ),
    "names beside cuda": (
        HOST + "names: [a, b], cuda: c}\n",
        "2:33: `names` and `cuda` do not go together; expected one of them",
    ),
    "names beside types": (
        HOST + "types: [S], names: [a, b]}\n",
        "2:45: `names` and `types` do not go together; expected one of them",
    ),
    "one name": (
        HOST + "names: [a]}\n",
        "2:33: `names` has fewer than two symbols; expected an entry of its own for one",
    ),
    "no version": (HOST + "cuda_since: 12.x}\n", "2:38: '12.x' is not a version; expected numbers and dots"),
    "type, near": (
        HOST + "cuda: 'cublas{T}f', types: [Scc]}\n",
        "2:54: unknown type 'Scc'; did you mean 'Sc'?",
    ),
    "element type": (
        HOST + "cuda: 'cublas{T}f', types: {S: {A: f31}}}\n",
        "2:61: unknown element type 'f31'; did you mean 'f32'?",
    ),
    "form": (HOST + "forms: [v9]}\n", "2:34: unknown form 'v9'; expected one of host, i64, plain, ptds, ptsz, v1, v2, v3, v4"),
    "no types": (HOST + "types: []}\n", "2:33: no type; expected at least one"),
    "no form": (HOST + "forms: []}\n", "2:33: no form; expected at least one"),
    "role that no type has": (
        HOST + "cuda: 'cublas{T}f', types: [S], params: {a: 'scalar(in, Q)'}}\n",
        f"2:70: type 'S' has no role 'Q'; expected one of R, T, {ELEMENT_WORDS}",
    ),
    "role without types": (
        HOST + "params: {a: scalar(in)}}\n",
        f"2:38: type 'of this entry' has no role 'T'; expected one of {ELEMENT_WORDS}",
    ),
    "a kind of nothing": (
        GEMM + "    A: matrix(in, (m, n), lda, f32)\n",
        "9:8: 'n' is not a parameter; expected one of A, lda, m, trans",
    ),
    "a condition of nothing": (
        GEMM + "  checks:\n    - {when: ldb < 1, status: INVALID_VALUE}\n",
        "10:14: 'ldb' is not a parameter; did you mean 'lda'?",
    ),
    "a word that no condition knows": (
        GEMM + "  checks:\n    - {when: emty(m), status: INVALID_VALUE}\n",
        "10:14: unknown word 'emty' in a condition; did you mean 'empty'?",
    ),
    "an argument of nothing": (
        HEAD + "f:\n  summary: s\n  params: {m: dim}\n  rocm:\n    - {to: rocblas_f, args: [n]}\n",
        "6:30: 'n' is not a parameter; expected one of m",
    ),
    "no AMD function": (
        HEAD + "f: {summary: s, rocm: cublas_f}\n",
        "2:23: 'cublas_f' is no function of a known AMD library; expected rocblas_…, rocsolver_…, hip…, miopen…",
    ),
    "a descriptor without a word": (
        HOST + "params: {a: desc(1)}}\n",
        "2:38: desc(1) has the wrong arguments; expected desc(WORD) and perhaps const, optional",
    ),
    "a descriptor of nothing": (
        HOST + "params: {a: desc(tensor)}}\n",
        "2:38: cublas has no descriptor 'tensor'; expected one of ",
    ),
    "parts of no major": (
        HOST + "parts: {8: ops}}\n",
        "2:34: '8' is no major of cublas; expected one of 12",
    ),
    # types that go together
    "row too short": (
        TYPED + "rows: [[f32]], otherwise: NOT_SUPPORTED}}\n",
        "2:103: the row has 1 cells; expected 2: A, B",
    ),
    "no type": (
        TYPED + "rows: [[f32, f31]], otherwise: NOT_SUPPORTED}}\n",
        "2:109: unknown element type 'f31'; did you mean 'f32'?",
    ),
    "refused by no column": (
        TYPED + "rows: [[f32, f32]], otherwise: NOT_SUPPORTED, refused: [{when: C > 15, status: NOT_SUPPORTED}]}}\n",
        "2:159: 'C' is not a parameter; expected one of A, B",
    ),
    "row twice": (
        TYPED + "rows: [[f32, [f32, f64]], [f32, f64]], otherwise: NOT_SUPPORTED}}\n",
        "2:122: f32, f64 stands in two rows; first at t.yaml:2:103",
    ),
    "no column": (
        TYPED.replace("[A, B]", "[A, C]") + "rows: [], otherwise: NOT_SUPPORTED}}\n",
        "2:88: 'C' is no column; expected one of A, B, scale, by, type",
    ),
    "column missing": (
        TYPED.replace("[A, B]", "[A]") + "rows: [], otherwise: NOT_SUPPORTED}}\n",
        "2:88: no column 'B'; expected one for each parameter of kind datatype",
    ),
    "targets without `by`": (
        TYPED.replace("rocm: rocblas_f", "rocm: [{to: rocblas_f}, {to: rocblas_g}]") + "rows: [], otherwise: A}}\n",
        "2:113: the column `by` names one of several targets; expected it with more than one, and only then",
    ),
    "scale without a column": (
        HEAD + "f: {summary: s, params: {m: dim}, rocm: [{to: rocblas_f, args: [m, scale]}]}\n",
        "2:41: a target passes on `scale`; expected a column of that name under combos",
    ),
    "target composed without capture": (
        HEAD + "f: {summary: s, rocm: [{to: rocblas_f}, {compose: b}]}\n",
        "2:41: 'b' is composed and has no `capture`; expected one of safe, workspace, refuse",
    ),
    # what only a generator, a compiler or the suite would have told
    'limits beside unsupported': (
        HEAD + "f: {summary: s, unsupported: why, limits: l}\n",
        '2:43: `limits` beside `unsupported`; expected it with `rocm` or `host` or `compose` only',
    ),
    'checks without a status': (
        HOST + "returns: int, params: {n: dim}, checks: [{when: n < 0, status: A}]}\n",
        '2:66: calls are refused, and the function returns int; expected a function that returns a status',
    ),
    'narrow without i64': (
        HEAD + "f: {summary: s, rocm: rocblas_f, narrow: never}\n",
        '2:42: `narrow` speaks of `_64` forms of a target; expected i64 under `forms` and `rocm`',
    ),
    'lacks of too few words': (
        HOST + "limits: l, lacks: {type op: [f64]}}\n",
        "2:55: 'f64' is no value of 'type op'; expected 2 words, one for each name",
    ),
    'attributes of nothing': (
        HOST + "attributes: {A: {type: int}}}\n",
        '2:38: `attributes` without a parameter that names one; expected a parameter of kind enum',
    ),
    'attribute of no type': (
        HOST + "params: {a: enum(E)}, attributes: {A: {type: int x}}}\n",
        "2:71: 'int x' is no C type; expected one such as int32_t or `void *`",
    ),
    'kind of other letters': (
        HOST + "params: {m: dím}}\n",
        "2:38: 'dím' is not a kind; expected at most 400 characters, all of ASCII",
    ),
    'kind too deep': (
        HOST + "params: {m: " + "max(" * 40 + "n" + ")" * 40 + "}}\n",
        "2:38: 'max(max(max(max(max(max(max(max(max(max(max(max(max(max(max(max(max(max(max(max(max(max(max(max(max(max(max(max(max(max(max(max(max(max(max(max(max(max(max(max(n))))))))))))))))))))))))))))))))))))))))' is nested too deep; expected at most 30 levels",  # noqa: E501
    ),
    'no C type': (
        HOST + "params: {m: c(int x)}}\n",
        "2:38: 'int x' is no C type; expected one such as `const void *` or `int[3]`",
    ),
    'a batch of sizes': (
        GEMM + "    A: batched(dim(), m)\n",
        '9:8: batched(dim(), m) holds dim; expected a kind of elements, such as matrix',
    ),
    'a count that is no size': (
        GEMM + "    A: batched(matrix(in, (m, m), lda, f32), (m, m))\n",
        '9:8: (m, m) is no size in batched(matrix(in, (m, m), lda, f32), (m, m)); expected a parameter or a number',
    ),
    'a shape of one': (
        GEMM + "    A: matrix(in, m, lda, f32)\n",
        '9:8: m is no shape of matrix; expected (rows, columns) or op(TRANS, a, b)',
    ),
    'summary in two lines': (
        HEAD + "f: {summary: \"a\\nb\", host: b}\n",
        "2:14: found 'a\\nb'; expected a line of text in one line, without a comment's end",
    ),
    'no name': (
        HOST + "params: {a-b: dim}}\n",
        "2:35: 'a-b' is not a name; expected a parameter of letters, digits and underscores",
    ),
    'a keyword as name': (
        HOST + "params: {int: dim}}\n",
        "2:35: 'int' is a keyword of C or C++; expected a parameter that is none",
    ),
    'form twice': (
        HOST + "forms: [v2, v2]}\n",
        "2:38: 'v2' stands here twice; expected it once",
    ),
    'a tag': (
        HEAD + "f: !t {summary: s}\n",
        "2:4: the tag '!t'; expected a plain value",
    ),
    'an alias to itself': (
        HEAD + "f: &f {summary: *f}\n",
        '2:4: nested too deep; expected at most 40 levels and 100000 values, those of aliases counted',
    ),
    'v1 without v2': (
        HOST + "forms: [plain, v1]}\n",
        '2:33: `v1` without `v2`; expected both: the first API stands beside a `_v2`',
    ),
    'exported by nothing': (
        HOST + "main: false}\n",
        '2:32: no library exports the entry; expected `parts` beside `main: false`',
    ),
    'typed without combos': (
        HEAD + "f: {summary: s, params: {A: datatype}, rocm: rocblas_f}\n",
        '2:4: a parameter names a type; expected `combos` to say which may go together',
    ),
    'two targets of one name': (
        HEAD + "f: {summary: s, params: {n: dim}, rocm: [{to: rocblas_f, when: n < 0}, {to: rocblas_f}]}\n",
        "2:42: two targets are called 'rocblas_f'; expected a `name` of its own for each",
    ),
    'first target without when': (
        HEAD + "f: {summary: s, rocm: [{to: rocblas_f}, {to: rocblas_g}]}\n",
        '2:24: a target without `when` before others; expected it to be the last',
    ),
    'last target with when': (
        HEAD + "f: {summary: s, params: {n: dim}, rocm: [{to: rocblas_f, when: n < 0}]}\n",
        "2:42: `when` at 'rocblas_f'; expected the last target to serve all other calls",
    ),
    'a block among targets': (
        HEAD + "f: {summary: s, params: {n: dim}, rocm: [{to: rocblas_f, when: n < 0}, {compose: b, capture: safe}]}\n",
        "2:72: the block 'b' among targets; expected `combos` to choose it",
    ),
    'a leading dimension that is none': (
        GEMM + "    A: matrix(in, (m, m), m, f32)\n",
        '9:8: m of matrix(in, (m, m), m, f32) is dim; expected ld',
    ),
    'an option that is none': (
        GEMM + "    A: matrix(in, op(lda, m, m), lda, f32)\n",
        '9:8: the first argument of op(lda, m, m) is ld; expected op',
    ),
    'no batch count': (
        GEMM + "    A: batched(matrix(in, (m, m), lda, f32), m)\n",
        '9:8: m of batched(matrix(in, (m, m), lda, f32), m) is no batch count; expected a parameter of kind batch',
    ),
    'a size that is a pointer': (
        GEMM + "    A: matrix(in, (m, m), lda, f32)\n    B: matrix(in, (A, m), lda, f32)\n",
        '10:8: A of matrix(in, (A, m), lda, f32) is matrix(in, (m, m), lda, f32); expected a number',
    ),
    'returns no type': (
        HOST + "returns: int x}\n",
        "2:35: 'int x' is no C type; expected `status`, or one such as `size_t` or `const char *`",
    ),
    'v1 without the form': (
        HOST + "v1: {omit: []}}\n",
        '2:30: `v1` without that form; expected v1 under `forms`',
    ),
    'no pattern': (
        HOST + "cuda: a-b}\n",
        "2:32: 'a-b' is not a name pattern; expected a name of C, perhaps with {T} or {t} in it",
    ),
    'a role that is an element': (
        HOST + "cuda: 'a{T}', types: {S: {f32: f32}}}\n",
        "2:52: 'f32' is no name for a role: it stands for itself; expected another",
    ),
    'no record': (
        HOST + "types: {}}\n",
        '2:33: no type; expected at least one',
    ),
    'an argument of two': (
        HEAD + "f: {summary: s, params: {m: dim}, rocm: [{to: rocblas_f, args: [m + 1]}]}\n",
        '2:65: m + 1 is no argument; expected a parameter, a number, NULL or TYPE(value)',
    ),
    'a condition that is none': (
        GEMM + "  checks:\n    - {when: m, status: A}\n",
        '10:14: m is not a condition; expected comparisons, `P is NULL` and empty(…), joined by and, or, not',
    ),
    'no target': (
        HEAD + "f: {summary: s, rocm: []}\n",
        '2:23: no target; expected at least one',
    ),
    'older without before': (
        HEAD + "f: {summary: s, rocm: [{to: rocblas_f, older: rocblas_g}]}\n",
        '2:24: `older` and `before` go together; expected both or neither',
    ),
    'an empty cell': (
        TYPED + "rows: [[f32, []]], otherwise: A}}\n",
        '2:109: an empty cell; expected at least one alternative',
    ),
    'no row': (
        TYPED + "rows: [], otherwise: A}}\n",
        '2:102: no row; expected at least one',
    ),
    'no column of a parameter': (
        HEAD + "f: {summary: s, params: {a: enum(E)}, rocm: rocblas_f, combos: {columns: [scale], rows: [], otherwise: A}}\n",
        '2:74: no column is a parameter; expected one, by which a call finds its row',
    ),
    'a target of two types': (
        HEAD + "f: {summary: s, params: {a: 'scalar(in, any)', A: datatype}, rocm: [{to: rocblas_f, args: [a]}], combos: {columns: [A], rows: [[f32], [f64]], otherwise: A}}\n",  # noqa: E501
        '2:69: rocblas_f takes a as f32, f64; expected one type',
    ),
}  # fmt: skip

# id, libraries.yaml, tables/cublas/t.yaml, message
WHOLE = {
    "major is a word": (
        LIBRARIES.replace('"12"', "twelve"), RIGHT,
        "tables/libraries.yaml:9:5: 'twelve' is not a major version; expected a number such as 12",
    ),
    "reason missing": (
        LIBRARIES.replace("forked: A, ", ""), RIGHT,
        "tables/libraries.yaml:2:3: library 'cublas' has no status for 'forked'; expected one under reasons",
    ),
    "no number": (
        LIBRARIES.replace("12.9.2,", "12.9.2, number: many,"), RIGHT,
        "tables/libraries.yaml:9:37: found 'many'; expected a number",
    ),
    "no handle": (
        LIBRARIES.replace("  handle: {type: cublasHandle_t, struct: dg_blas, magic: DG_BLAS}\n", ""), RIGHT,
        "tables/cublas/t.yaml:7:13: cublas has no handle; expected one in tables/libraries.yaml",
    ),
    "symbol twice": (
        LIBRARIES, RIGHT + "cublasScopy: {summary: s, host: b}\n",
        "tables/cublas/t.yaml:14:1: cublasScopy is defined twice; first defined at tables/cublas/t.yaml:2:1",
    ),
    "no entry": (
        LIBRARIES, "file: {library: cublas, chapter: C}\n",
        "tables/libraries.yaml:2:3: library 'cublas' has no entry; expected tables in a folder of it",
    ),
    'major of no CUDA': (
        LIBRARIES.replace('"12"', '"14"'), RIGHT,
        'tables/libraries.yaml:9:5: 14 is no major of CUDA; expected 11, 12, 13, or `cuda` to say where it lies',
    ),
    'folder of no CUDA': (
        LIBRARIES.replace("12.9.2,", "12.9.2, cuda: [14],"), RIGHT,
        'tables/libraries.yaml:9:36: 14 is no major of CUDA; expected one of 11, 12, 13',
    ),
    'folder twice': (
        LIBRARIES.replace("12.9.2,", "12.9.2, cuda: [12, 12],"), RIGHT,
        'tables/libraries.yaml:9:35: found 12, 12; expected majors of CUDA, each once',
    ),
    "no library's name": (
        LIBRARIES.replace("libcublas.so.12", "cublas"), RIGHT,
        "tables/libraries.yaml:9:36: 'cublas' is no name of a library; expected one such as libcublas.so.12",
    ),
    'data of no file': (
        LIBRARIES + "  data: {v: [linux-11]}\n", RIGHT,
        "tables/libraries.yaml:11:14: 'linux-11' is no file of this library; expected SYSTEM-MAJOR or SYSTEM-MAJOR-PART",
    ),
    'no version': (
        LIBRARIES[: LIBRARIES.index("  versions")] + "  versions: {}\n", RIGHT,
        "tables/libraries.yaml:2:3: library 'cublas' has no version; expected at least one under versions",
    ),
    'reason of nothing': (
        LIBRARIES.replace("invalid: A", "invalid: A, lost: A"), RIGHT,
        "tables/libraries.yaml:7:116: 'lost' is no reason of the core; expected one of bad_handle, closing, forked, invalid, no_backend, no_kernels, no_memory, unsupported",  # noqa: E501
    ),
    'in no version': (
        LIBRARIES, RIGHT + "  cuda_since: 99.0\n",
        'tables/cublas/t.yaml:2:1: cublasScopy is in no version; expected `cuda_since` and `cuda_until` to leave one',
    ),
    'chapter of nothing': (
        LIBRARIES + "  chapters: [nowhere]\n", RIGHT,
        "tables/libraries.yaml:2:3: there is no chapter 'nowhere' of cublas; expected one of t",
    ),
}  # fmt: skip


def _message(read: Callable[[], object]) -> TableError:
    with pytest.raises(TableError) as caught:
        read()
    return caught.value


def _load_entry(text: str) -> object:
    libraries = read_libraries(marks.parse(LIBRARIES, "tables/libraries.yaml"), Unknown())
    return loader.load_text(text, "t.yaml", libraries)


def _load_whole(folder: Path, libraries: str, table: str) -> Tables:
    (folder / "cublas").mkdir()
    (folder / "libraries.yaml").write_text(libraries, encoding="utf-8")
    (folder / "cublas" / "t.yaml").write_text(table, encoding="utf-8")
    return loader.read(folder, Unknown())


def test_the_right_table_is_read(tmp_path: Path) -> None:
    tables = _load_whole(tmp_path, LIBRARIES, RIGHT)
    assert [str(f.entry.where) for f in tables.functions()] == ["tables/cublas/t.yaml:2:1"] * 2
    assert [f.prototype for f in tables.functions()] == [
        "cublasStatus_t cublasScopy(cublasHandle_t handle, int n, const float *x, int incx, float *y, int incy)",
        "cublasStatus_t cublasCcopy(cublasHandle_t handle, int n, const cuComplex *x, int incx, "
        "cuComplex *y, int incy)",
    ]


@pytest.mark.parametrize("case", ENTRIES)
def test_wrong_entry(case: str) -> None:
    text, message = ENTRIES[case]
    assert str(_message(lambda: _load_entry(text))) == f"t.yaml:{message}"


@pytest.mark.parametrize("case", WHOLE)
def test_wrong_tables(case: str, tmp_path: Path) -> None:
    libraries, table, message = WHOLE[case]
    assert str(_message(lambda: _load_whole(tmp_path, libraries, table))) == message


def test_no_file(tmp_path: Path) -> None:
    error = _message(lambda: marks.read(tmp_path / "none.yaml", "tables/none.yaml"))
    assert str(error) == "tables/none.yaml:1:1: cannot be read: No such file or directory"


def test_no_utf8(tmp_path: Path) -> None:
    (tmp_path / "t.yaml").write_bytes(b"a: \xff")
    error = _message(lambda: marks.read(tmp_path / "t.yaml", "tables/t.yaml"))
    assert str(error) == "tables/t.yaml:1:1: is not UTF-8 at byte 3; expected UTF-8 text"


def test_an_expression_that_has_no_value() -> None:
    with pytest.raises(ValueError, match=r"^unknown\(m\) cannot be computed$"):
        evaluate(expr.parse("unknown(m)", marks.parse("m", "t.yaml"), "a shape"), {"m": 3})


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("max(m, n) + 2 * k - 1", 14),
        ("min(m, n)", 3),
        ("op(trans, m, n)", (3, 5)),
        ("sided(side, m, n)", 3),
        ("m < n and not k == 0", True),
        ("m > n or p is NULL", True),
        ("m is not NULL", True),
        ("(m, n)", (3, 5)),
    ],
)
def test_an_expression_that_has_a_value(text: str, value: object) -> None:
    tree = expr.parse(text, marks.parse("m", "t.yaml"), "a shape")
    assert evaluate(tree, {"m": 3, "n": 5, "k": 5, "trans": 0, "side": 0, "p": None}) == value


@pytest.mark.parametrize(
    "text",
    [
        "dim",
        "handle(optional)",
        "c(const void *)",
        "enum(cublasMath_t)",
        "enum(cublasFillMode_t, fill)",
        "scalar(in, R)",
        "result(index)",
        "vector(inout, n, incx)",
        "matrix(in, op(trans, m, k), lda)",
        "triangular(in, sided(side, m, n), lda, uplo, diag)",
        "batched(matrix(in, (m, n), lda), batchCount)",
        "strided(matrix(in, (m, n), lda), strideA, batchCount)",
    ],
)
def test_a_kind_prints_as_it_is_written(text: str) -> None:
    assert str(kinds.parse_kind(marks.parse(f"'{text}'", "t.yaml"))) == text


def test_a_kind_finds_its_arguments() -> None:
    kind = kinds.parse_kind(marks.parse("'batched(matrix(in, (m, n), lda), count)'", "t.yaml"))
    assert (kind.argument("shape"), kind.argument("ld")) == (Tuple((Name("m"), Name("n"))), Name("lda"))
    assert kind.names() == {"m", "n", "lda", "count"}


def test_a_list_of_names_is_one_entry_and_several_functions(tmp_path: Path) -> None:
    table = HEAD + "pair: {summary: s, names: [cublasA, cublasB], unsupported: why, forms: [plain, i64]}\n"
    tables = _load_whole(tmp_path, LIBRARIES, table)
    functions = tables.functions()
    assert [f.name for f in functions] == ["cublasA", "cublasA_64", "cublasB", "cublasB_64"]
    assert len({id(f.entry) for f in functions}) == 1


def test_each_message_has_a_test(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every place in the modules of the loader that refuses a table is reached by a case above, by line."""
    reached = set()
    for text, _ in ENTRIES.values():
        reached.add(_place(_message(lambda text=text: _load_entry(text))))  # type: ignore[misc]
    for i, (names, table, _) in enumerate(WHOLE.values()):
        folder = tmp_path / str(i)
        folder.mkdir()
        reached.add(_place(_message(lambda a=folder, b=names, c=table: _load_whole(a, b, c))))  # type: ignore[misc]
    (tmp_path / "bytes.yaml").write_bytes(b"\xff")
    for name in ("none.yaml", "bytes.yaml"):
        reached.add(_place(_message(lambda name=name: marks.read(tmp_path / name))))  # type: ignore[misc]
    (tmp_path / "nothing").mkdir()
    reached.add(_place(_message(lambda: loader.load(tmp_path / "nothing"))))
    monkeypatch.setattr(yaml, "compose", _deep)
    error = _message(lambda: marks.parse("a: b", "t.yaml"))
    assert str(error) == "t.yaml:1:1: nested too deep; expected at most 40 levels"
    reached.add(_place(error))
    places = {place for module in MODULES for place in _refusals(module)}
    missed = [f"{name}.py:{first}" for name, first, last in sorted(places) if not _hit(reached, name, first, last)]
    assert not missed, f"no test provokes the messages at {', '.join(missed)}"


def _deep(*_: object, **__: object) -> None:
    """PyYAML without libyaml over a thousand brackets."""
    raise RecursionError


def _place(error: TableError) -> tuple[str, int]:
    """Module and line that raised, behind `Node.fail`."""
    frames = [f for f in traceback.extract_tb(error.__traceback__) if f.name != Node.fail.__name__]
    return Path(frames[-1].filename).stem, frames[-1].lineno or 0


def _refusals(module: ModuleType) -> list[tuple[str, int, int]]:
    """Module, first and last line of each call that refuses a table; `Node.fail` itself is not one."""
    stem = Path(inspect.getfile(module)).stem
    found, own = [], set()
    for node in ast.walk(ast.parse(inspect.getsource(module))):
        if isinstance(node, ast.FunctionDef) and node.name == Node.fail.__name__:
            own |= {n.lineno for n in ast.walk(node) if isinstance(n, ast.Call)}
        elif isinstance(node, ast.Call):
            name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            if name in ("fail", "TableError"):
                found.append((stem, node.lineno, node.end_lineno or 0))
    return [place for place in found if place[1] not in own]


def _hit(reached: set[tuple[str, int]], name: str, first: int, last: int) -> bool:
    return any(n == name and first <= line <= last for n, line in reached)
