"""`<chapter>_combos.h`: for each typed function the rows of its `combos`, and how a call finds its own.

`near_NAME(…)` is where a call's row would lie: a sum of its keys, chosen here so that no two rows meet. Whether it is the
row of these types says `not_NAME(row, …)`; both together are a dozen instructions. They know the rows that one call of
AMD's answers; `find_NAME(…)` knows all of them and is for the cold twin. A row holds NVIDIA's numbers (`is_…`), AMD's
numbers of the same types, and in `by` which target of the entry answers.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import product

from ..tables.kinds import DATA_TYPES
from ..tables.model import Combos, Entry, Function, Library, TypeRecord, expand
from ..tables.types import View
from .spelling import name
from .writer import Writer

_SCALES = (1, 2, 4, 8)  # x86-64 multiplies by these and adds in one instruction
_FACTORS = (*_SCALES, 3, 5, 9, 16, 32)  # these take two


def table_of(function: Function) -> str:
    """`SgemmEx` for cublasSgemmEx and cublasSgemmEx_64: they share their rows."""
    return _table(function.entry, function.type)


def _table(entry: Entry, record: TypeRecord) -> str:
    return expand(entry.cuda, record).removeprefix(entry.library)


def constant(entry: Entry, column: str, cell: str, library: Library) -> str:
    """The constant of NVIDIA's that a cell stands for."""
    if column == "scale" or entry.param(column).kind.name == "datatype":
        return DATA_TYPES[cell]
    # CUDA_R_32F for a compute type: the number that the API before CUDA 11 had, which NVIDIA's library still takes.
    return cell if cell.startswith("CUDA_") else library.prefix.removesuffix("STATUS_") + cell


@dataclass(frozen=True, slots=True)
class Keys:
    """The key columns that tell rows apart, and those that always equal another one."""

    own: tuple[str, ...]
    same: tuple[tuple[str, str], ...]  # (column, the one it equals)

    @staticmethod
    def of(combos: Combos, rows: Sequence[tuple[str, ...]]) -> Keys:
        own: list[str] = []
        same: list[tuple[str, str]] = []
        for column in combos.keys:
            twin = next((o for o in own if all(combos.cell(r, o) == combos.cell(r, column) for r in rows)), "")
            if twin:
                same.append((column, twin))
            else:
                own.append(column)
        return Keys(tuple(own), tuple(same))

    def standing_for(self, column: str) -> str:
        """The column whose fields a row has."""
        return dict(self.same).get(column, column)


@dataclass(frozen=True, slots=True)
class Place:
    """Where a row lies: `(a·factor + b·factor + …) & mask`."""

    factors: tuple[int, ...]
    mask: int

    def of(self, numbers: Sequence[int]) -> int:
        return sum(n * f for n, f in zip(numbers, self.factors, strict=True)) & self.mask


def place_rows(keys: Sequence[Sequence[int]]) -> Place:
    """The sum that gives each row a place of its own: a cheap one, even where it takes some more memory."""
    size = 1
    while size < len(keys):
        size *= 2
    for factors, sizes in ((_SCALES, (1, 2, 4, 8)), (_FACTORS, (1, 2, 4, 8, 16, 32, 64))):
        for larger in sizes:
            for picked in product(factors, repeat=len(keys[0])):
                place = Place(picked, larger * size - 1)
                if 1 in picked and len({place.of(k) for k in keys}) == len(keys):
                    return place
    raise ValueError(f"no sum of {len(keys[0])} keys tells {len(keys)} rows apart; expected more factors")


class Table:
    """One function's rows in numbers."""

    def __init__(self, entry: Entry, record: TypeRecord, library: Library, view: View) -> None:
        assert entry.combos is not None
        self.entry, self.combos, self.library, self.view = entry, entry.combos, library, view
        self.name = _table(entry, record)
        self.rows = self.combos.of(record)
        self.keys = Keys.of(self.combos, self.rows)
        self.outputs = [c for c in self.keys.own if entry.param(c).kind.name == "datatype"]
        self.outputs += ["scale"] if "scale" in self.combos.columns else []
        self.targets = [t.name for t in entry.targets]
        blocks = {t.name for t in entry.targets if t.compose}
        self.quick = [r for r in self.rows if self.combos.cell(r, "by") not in blocks]
        self.other = [r for r in self.rows if r not in self.quick]

    def numbers(self, row: tuple[str, ...]) -> list[int]:
        """NVIDIA's numbers of the keys."""
        return [self.view.value(constant(self.entry, c, self.combos.cell(row, c), self.library)) for c in self.keys.own]

    def _fields(self, row: tuple[str, ...]) -> list[int]:
        amd = self.view.translation("datatype")
        found = self.numbers(row)
        for column in self.outputs:
            number = self.view.value(constant(self.entry, column, self.combos.cell(row, column), self.library))
            found.append(amd.value(number) or 0)
        if len(self.targets) > 1:
            found.append(self.targets.index(self.combos.cell(row, "by")))
        return found

    @property
    def struct(self) -> list[str]:
        return [
            *(f"is_{c}" for c in self.keys.own),
            *self.outputs,
            *(["by"] if len(self.targets) > 1 else []),
        ]

    def _matches(self) -> str:
        tests = [f"{a} == {b}" for a, b in self.keys.same] + [f"row->is_{c} == {c}" for c in self.keys.own]
        return " && ".join(tests)

    def write(self, w: Writer) -> None:
        place = place_rows([self.numbers(r) for r in self.quick])
        slots: list[tuple[str, ...] | None] = [None] * (place.mask + 1)
        for row in self.quick:
            slots[place.of(self.numbers(row))] = row
        size = 4
        while size < 4 * len(self.struct):
            size *= 2
        w.line(f"/* {self.entry.file}:{self.entry.where.line} {self.name} */")
        fields = ", ".join(self.struct)
        w.line(f"typedef struct {{ uint32_t {fields}; }} __attribute__((aligned({size}))) dg_{self.name};")
        with w.block(f"static const __attribute__((unused)) dg_{self.name} rows_of_{self.name}[] = {{", "};"):
            for slot in slots:
                # A free place holds a row that lies elsewhere: whoever looks there brings other keys.
                w.line(self._row(slot) if slot else f"{{{self._numbers(self.quick[0])}}},")
            for row in self.other:
                w.line(self._row(row))
        inside = ", ".join(f"uint32_t {c}" for c in self.combos.keys)
        total = " + ".join(c if f == 1 else f"{c} * {f}" for c, f in zip(self.keys.own, place.factors, strict=True))
        with w.block(f"static inline const dg_{self.name} *near_{self.name}({inside}) {{", "}"):
            for column, _ in self.keys.same:
                w.line(f"(void){column};")
            w.line(f"return rows_of_{self.name} + (({total}) & {place.mask});")
        with w.block(f"static inline int not_{self.name}(const dg_{self.name} *row, {inside}) {{", "}"):
            w.line(f"return __builtin_expect(!({self._matches()}), 0);")
        with w.block(f"static inline const dg_{self.name} *find_{self.name}({inside}) {{", "}"):
            w.line(
                f"const dg_{self.name} *row = rows_of_{self.name}, *end = row + sizeof rows_of_{self.name} / sizeof *row;"
            )
            w.line(f"while (row < end && !({self._matches()})) row++;")
            w.line("return row < end ? row : 0;")
        w.line()

    def _row(self, row: tuple[str, ...]) -> str:
        return f"{{{self._numbers(row)}}}, /* {' '.join(row)} */"

    def _numbers(self, row: tuple[str, ...]) -> str:
        return ", ".join(str(n) for n in self._fields(row))

    def declare(self, w: Writer) -> None:
        with w.block(f"ctypedef struct dg_{self.name}:"):
            for field in self.struct:
                w.line(f"uint32_t {name(field)}{_alias(field)}")
        inside = ", ".join(f"uint32_t {c}" for c in self.combos.keys)
        w.line(f"const dg_{self.name} *near_{self.name}({inside})")
        w.line(f"bint not_{self.name}(const dg_{self.name} *row, {inside})")
        w.line(f"const dg_{self.name} *find_{self.name}({inside})")


def _alias(field: str) -> str:
    return f' "{field}"' if name(field) != field else ""


def tables(functions: Iterable[Function], library: Library, view: View) -> list[Table]:
    """The tables of a chapter, in its order."""
    found: dict[str, Table] = {}
    for function in functions:
        entry = function.entry
        if entry.combos and not entry.unsupported and table_of(function) not in found:
            found[table_of(function)] = Table(entry, function.type, library, view)
    return list(found.values())


def header(made: Sequence[Table], guard: str) -> str:
    w = Writer()
    w.lines(f"#ifndef {guard}\n#define {guard}\n#include <stdint.h>\n")
    for table in made:
        table.write(w)
    w.line("#endif")
    return w.text()


def declarations(made: Sequence[Table], file: str) -> str:
    """The same for Cython."""
    w = Writer()
    with w.block(f'cdef extern from "{file}" nogil:'):
        for table in made:
            table.declare(w)
    return w.text()
