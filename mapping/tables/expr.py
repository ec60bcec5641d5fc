"""The small expressions of the table language: kinds, shapes, conditions and target arguments.

They are parsed with Python's own grammar and cut down to names, numbers, strings, calls, tuples, `+ - *`, comparisons,
`and`/`or`/`not` and `is (not) NULL`. `evaluate` computes one over argument values (used by strategies and checks in
Python); the generators print one as Cython, whose spelling is the same.
"""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Union

from .marks import Node

Expr = Union["Name", "Number", "Call", "Tuple", "Binary", "Compare", "Logic"]


@dataclass(frozen=True, slots=True)
class Name:
    """A parameter, a constant, or a word that the context gives a meaning."""

    id: str

    def __str__(self) -> str:
        return self.id


@dataclass(frozen=True, slots=True)
class Number:
    """A whole number."""

    value: int

    def __str__(self) -> str:
        return str(self.value)


@dataclass(frozen=True, slots=True)
class Call:
    """`op(transa, m, k)`, `max(1, n)`, or a typed literal as `rocblas_stride(n)`."""

    name: str
    args: tuple[Expr, ...]

    def __str__(self) -> str:
        return f"{self.name}({', '.join(map(str, self.args))})"


@dataclass(frozen=True, slots=True)
class Tuple:
    """`(rows, columns)`."""

    items: tuple[Expr, ...]

    def __str__(self) -> str:
        return f"({', '.join(map(str, self.items))})"


@dataclass(frozen=True, slots=True)
class Binary:
    """A sum, difference or product of two."""

    op: str
    left: Expr
    right: Expr

    def __str__(self) -> str:
        return f"{grouped(self.left, str(self.left))} {self.op} {grouped(self.right, str(self.right))}"


def grouped(part: Expr, text: str) -> str:
    """`text`, what an emitter writes for an operand, in parentheses where it is itself of two: `(m + 1) * n`."""
    return f"({text})" if isinstance(part, Binary) else text


@dataclass(frozen=True, slots=True)
class Compare:
    """A condition on two expressions, of Python's words."""

    op: str  # == != < <= > >= "is" "is not"
    left: Expr
    right: Expr

    def __str__(self) -> str:
        return f"{self.left} {self.op} {self.right}"


@dataclass(frozen=True, slots=True)
class Logic:
    """Conditions put together."""

    op: str  # and, or, not
    items: tuple[Expr, ...]

    def __str__(self) -> str:
        if self.op == "not":
            return f"not ({self.items[0]})"
        return f" {self.op} ".join(f"({i})" if isinstance(i, Logic) else str(i) for i in self.items)


_OPS: dict[type, str] = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*"}
_COMPARE: dict[type, str] = {
    ast.Eq: "==", ast.NotEq: "!=", ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Is: "is", ast.IsNot: "is not",
}  # fmt: skip
# `in` is a word of the table language and a keyword of Python's grammar.
_LANGUAGE = "names, numbers, calls, + - *, comparisons"
_LONGEST, _DEEPEST = 400, 30
_IN = re.compile(r"\bin\b")


def parse(text: str, node: Node, what: str) -> Expr:
    """Parse one expression; `node` is where a message points."""
    if len(text) > _LONGEST or not text.isascii():
        node.fail(f"{text!r} is not {what}; expected at most {_LONGEST} characters, all of ASCII")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")  # `1if m else n`: what Python only warns of
            tree = ast.parse(_IN.sub("in_", text.strip()), mode="eval").body
    except (SyntaxError, ValueError, Warning, RecursionError, MemoryError):
        node.fail(f"{text!r} is not {what}; expected {_LANGUAGE}")
    if _depth(tree) > _DEEPEST:
        node.fail(f"{text!r} is nested too deep; expected at most {_DEEPEST} levels")
    return _convert(tree, text, node, what)


def _depth(tree: ast.AST) -> int:
    """Of what is nested how deep; no recursion, which this is to prevent."""
    waiting, deepest = [(tree, 1)], 0
    while waiting:
        part, depth = waiting.pop()
        deepest = max(deepest, depth)
        waiting += [(inner, depth + 1) for inner in ast.iter_child_nodes(part)]
    return deepest


def _convert(tree: ast.expr, text: str, node: Node, what: str) -> Expr:
    def go(part: ast.expr) -> Expr:
        return _convert(part, text, node, what)

    match tree:
        case ast.Name(id="in_"):
            return Name("in")
        case ast.Name(id=name):
            return Name(name)
        case ast.Constant(value=int(value)) if not isinstance(value, bool):
            return Number(value)
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int(value))):
            return Number(-value)
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            return Logic("not", (go(operand),))
        case ast.Call(func=ast.Name(id=name), args=args, keywords=[]):
            return Call(name, tuple(go(a) for a in args))
        case ast.Tuple(elts=items):
            return Tuple(tuple(go(i) for i in items))
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _OPS:
            return Binary(_OPS[type(op)], go(left), go(right))
        case ast.Compare(left=left, ops=[op], comparators=[right]) if type(op) in _COMPARE:
            return Compare(_COMPARE[type(op)], go(left), go(right))
        case ast.BoolOp(op=ast.And(), values=values):
            return Logic("and", tuple(go(v) for v in values))
        case ast.BoolOp(op=ast.Or(), values=values):
            return Logic("or", tuple(go(v) for v in values))
    node.fail(f"{text!r} is not {what}: {ast.unparse(tree)!r} is not part of the table language; expected {_LANGUAGE}")


def names(expr: Expr) -> set[str]:
    """All names that an expression reads (not the names of calls)."""
    match expr:
        case Name(id=name):
            return {name}
        case Number():
            return set()
        case Call(args=items) | Tuple(items=items) | Logic(items=items):
            return set().union(*(names(i) for i in items)) if items else set()
        case Binary(left=left, right=right) | Compare(left=left, right=right):
            return names(left) | names(right)


# What a condition may call.
CONDITIONS = ("empty", "max", "min")


def is_size(expr: Expr) -> bool:
    """A number of elements. `op(trans, a, b)` is a or b here."""
    match expr:
        case Name(id=name):
            return name != "NULL"
        case Number():
            return True
        case Binary(left=left, right=right):
            return is_size(left) and is_size(right)
        case Call(name="max" | "min", args=(_, _, *_) as items):
            return all(is_size(i) for i in items)
        case Call(name="op" | "sided", args=(Name(), a, b)):
            return is_size(a) and is_size(b)
    return False


def is_shape(expr: Expr) -> bool:
    """Rows and columns."""
    match expr:
        case Tuple(items=(rows, columns)):
            return is_size(rows) and is_size(columns)
        case Call(name="op", args=(Name(), a, b)):
            return is_size(a) and is_size(b)
    return False


def is_condition(expr: Expr) -> bool:
    """True or false, of values that C can compare."""
    match expr:
        case Compare(op="is" | "is not", left=left, right=right):
            return isinstance(left, Name) and right == Name("NULL")
        case Compare(left=left, right=right):
            return _is_number(left) and _is_number(right)
        case Logic(items=items):
            return all(is_condition(i) for i in items)
        case Call(name="empty", args=(_, *_) as items):
            return all(_is_number(i) for i in items)
    return False


def _is_number(expr: Expr) -> bool:
    return is_size(expr) and not calls(expr) & {"op", "sided"}


def calls(expr: Expr) -> set[str]:
    """All names that an expression calls."""
    match expr:
        case Call(name=word, args=items):
            return {word}.union(*(calls(i) for i in items))
        case Tuple(items=items) | Logic(items=items):
            return set().union(*(calls(i) for i in items)) if items else set()
        case Binary(left=left, right=right) | Compare(left=left, right=right):
            return calls(left) | calls(right)
    return set()


def evaluate(expr: Expr, values: Mapping[str, Any]) -> Any:
    """Compute over argument values. `NULL` is None; `op(trans, a, b)` and `sided(side, m, n)` use NVIDIA's enum numbers."""
    match expr:
        case Name(id="NULL"):
            return None
        case Name(id=name):
            return values[name]
        case Number(value=value):
            return value
        case Tuple(items=items):
            return tuple(evaluate(i, values) for i in items)
        case Call(name="max", args=args):
            return max(evaluate(a, values) for a in args)
        case Call(name="min", args=args):
            return min(evaluate(a, values) for a in args)
        case Call(name="empty", args=args):
            return any(evaluate(a, values) < 1 for a in args)
        case Call(name="op", args=(trans, a, b)):
            first, second = evaluate(a, values), evaluate(b, values)
            return (first, second) if evaluate(trans, values) == 0 else (second, first)
        case Call(name="sided", args=(side, m, n)):
            return evaluate(m, values) if evaluate(side, values) == 0 else evaluate(n, values)
        case Binary(op=op, left=left, right=right):
            x, y = evaluate(left, values), evaluate(right, values)
            return x + y if op == "+" else x - y if op == "-" else x * y
        case Compare(op=op, left=left, right=right):
            x, y = evaluate(left, values), evaluate(right, values)
            if op in ("is", "is not"):
                return (x is None or x == 0) is (op == "is")
            return {"==": x == y, "!=": x != y}[op] if op in ("==", "!=") else _order(op, x, y)
        case Logic(op="not", items=(item,)):
            return not evaluate(item, values)
        case Logic(op="and", items=items):
            return all(evaluate(i, values) for i in items)
        case Logic(items=items):
            return any(evaluate(i, values) for i in items)
    raise ValueError(f"{expr} cannot be computed")


def _order(op: str, x: Any, y: Any) -> bool:
    return bool(x < y if op == "<" else x <= y if op == "<=" else x > y if op == ">" else x >= y)
