"""The key `combos` of an entry: which types may go together in a call that takes them as arguments."""

from __future__ import annotations

from itertools import product

from .expr import Expr, Name
from .kinds import DATA_TYPES, Kind
from .marks import Node, TableError, Where
from .model import Combos, Entry, Param, Target, TypeRecord
from .targets import Place, read_checks

# Columns that are no parameter: the type of the scalars, the target of a row, the entry's type that has it.
FREE_COLUMNS = ("scale", "by", "type")


def read_combos(
    node: Node, params: tuple[Param, ...], types: tuple[TypeRecord, ...], targets: tuple[Target, ...], place: Place
) -> Combos:
    f = node.fields()
    kinds = {p.name: p.kind for p in params}
    columns = _columns(f.need("columns"), kinds, targets)
    words = {"by": tuple(t.name for t in targets), "type": tuple(r.name for r in types)}
    blocks = {t.name for t in targets if t.compose} if targets else {""}
    keys = tuple(c for c in columns if c in kinds)
    rows: list[tuple[str, ...]] = []
    seen: dict[tuple[str, ...], Where] = {}
    rows_node = f.need("rows")
    for row in rows_node.sequence():
        cells = row.sequence()
        if len(cells) != len(columns):
            row.fail(f"the row has {len(cells)} cells; expected {len(columns)}: {', '.join(columns)}")
        choices = []
        for column, cell in zip(columns, cells, strict=True):
            each = cell.sequence() if cell.is_sequence else [cell]
            if not each:
                cell.fail("an empty cell; expected at least one alternative")
            choices.append([_cell(c, column, kinds, words, place) for c in each])
        for one in product(*choices):
            by = one[columns.index("by")] if "by" in columns else ""
            for column, cell, word in zip(columns, cells, one, strict=True):
                if by not in blocks and column in kinds and kinds[column].name == "datatype":
                    place.known.amd_type(DATA_TYPES[word], cell)
            at = tuple(c for c, column in zip(one, columns, strict=True) if column in keys or column == "type")
            if at in seen:
                row.fail(f"{', '.join(at)} stands in two rows; first at {seen[at]}")
            seen[at] = row.where
            rows.append(one)
    refused = f.get("refused", lambda n: read_checks(n, set(keys), place), ())
    combos = Combos(columns, keys, tuple(rows), place.status(f.need("otherwise")), refused)
    f.done()
    for record in types:
        if not combos.of(record):
            rows_node.fail(f"no row{' for type ' + record.name if record.name else ''}; expected at least one")
    return combos


def _columns(node: Node, kinds: dict[str, Kind], targets: tuple[Target, ...]) -> tuple[str, ...]:
    columns = node.words("a column")
    typed = [name for name, kind in kinds.items() if kind.name in ("datatype", "enum")]
    for column in columns:
        if column not in FREE_COLUMNS and column not in typed:
            node.fail(f"{column!r} is no column; expected one of {', '.join([*typed, *FREE_COLUMNS])}")
    for name, kind in kinds.items():
        if kind.name == "datatype" and name not in columns:
            node.fail(f"no column {name!r}; expected one for each parameter of kind datatype")
    if not set(columns) & set(kinds):
        node.fail("no column is a parameter; expected one, by which a call finds its row")
    if ("by" in columns) != (len(targets) > 1):
        node.fail("the column `by` names one of several targets; expected it with more than one, and only then")
    return columns


def _cell(node: Node, column: str, kinds: dict[str, Kind], words: dict[str, tuple[str, ...]], place: Place) -> str:
    if column in words:
        return node.choice(words[column], column)
    if column == "scale" or kinds[column].name == "datatype":
        return node.choice(tuple(DATA_TYPES), "element type")
    text = node.text("a constant")
    place.known.cell(text, node, kinds[column].type, place.owner)
    return text


def typed_elements(entry: Entry, record: TypeRecord, target: Target) -> dict[str, TypeRecord]:
    """Parameters whose C type on AMD's side is another than their own → the type that they have there.

    A function of AMD's that takes types as arguments takes all data as `void *`. One that does not has the types in its
    name; the rows of `combos` that it answers agree on them.
    """
    args = target.args or ()
    if entry.combos is None or not args:
        return {}
    if any(_is_type(entry, a) for a in args):
        return {p.name: TypeRecord("", {p.kind.core.role: "any"}) for p in entry.params if p.kind.is_pointer}
    rows = [r for r in entry.combos.of(record) if entry.combos.cell(r, "by") in ("", target.name)]
    found = {}
    for param, column in entry.typing_columns().items():
        words = {entry.combos.cell(r, column) for r in rows}
        if len(words) != 1:
            raise TableError(
                target.where, f"{target.to} takes {param} as {', '.join(sorted(words)) or 'nothing'}; expected one type"
            )
        found[param] = TypeRecord("", {"any": words.pop()})
    return found


def _is_type(entry: Entry, arg: Expr) -> bool:
    if not isinstance(arg, Name) or arg.id == "NULL":
        return False
    return arg.id == "scale" or entry.param(arg.id).kind.name == "datatype"
