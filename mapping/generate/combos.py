"""`<chapter>_combos.h`: for each typed function the rows of its `combos`, and how a call finds its own.

`misses_NAME(&row, …)` looks where a call's row would lie: at a sum of its keys, chosen here so that no two rows meet. It
answers whether that is not the row of these types; a dozen instructions. It knows the rows that one call of AMD's answers;
`find_NAME(…)` knows all of them and is for the cold twin, where those of our blocks are looked through one by one. A row holds
NVIDIA's numbers (`is_…`), in `by` which target of the entry answers, and for each argument of AMD's that is a type its number,
as wide as the argument's place on the stack: one `push` then takes it out of the row. It lies in one line of the cache.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import product

from ..tables.expr import Name
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
    return cell if cell.startswith("CUDA_") else library.cell(cell)


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


def field_of(column: str, time: int = 0) -> str:
    """The row's field for an argument of AMD's. NVIDIA's C is AMD's C and D: what is passed on twice has two."""
    return f"{column}_{time + 1}" if time else column


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
        types = {"scale", *(p.name for p in entry.params if p.kind.name == "datatype")}
        columns = [c for c in self.combos.columns if c in types]
        # Field of a row → its column.
        self.outputs = {field_of(c, i): c for c in columns for i in range(_times(entry, c))}
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
        if len(self.targets) > 1:
            found.append(self.targets.index(self.combos.cell(row, "by")))
        for column in self.outputs.values():
            number = self.view.value(constant(self.entry, column, self.combos.cell(row, column), self.library))
            found.append(amd.value(number) or 0)
        return found

    @property
    def words(self) -> list[str]:
        """Fields of 32 bits; those of 64 come after them."""
        return [*(f"is_{c}" for c in self.keys.own), *(["by"] if len(self.targets) > 1 else [])]

    def _matches(self) -> str:
        tests = [f"{a} == {b}" for a, b in self.keys.same] + [f"row->is_{c} == {c}" for c in self.keys.own]
        return " && ".join(tests)

    def write(self, w: Writer) -> None:
        """The rows as C, and the function that finds one."""
        place = place_rows([self.numbers(r) for r in self.quick])
        slots: list[tuple[str, ...] | None] = [None] * (place.mask + 1)
        for row in self.quick:
            slots[place.of(self.numbers(row))] = row
        size = 4
        while size < 4 * len(self.words) + 8 * len(self.outputs) + 4 * (len(self.words) % 2):
            size *= 2
        w.line(f"/* {self.entry.file}:{self.entry.where.line} {self.name} */")
        fields = f"uint32_t {', '.join(self.words)};"
        if self.outputs:
            fields += f" uint64_t {', '.join(self.outputs)};"
        w.line(f"typedef struct {{ {fields} }} __attribute__((aligned({size}))) dg_{self.name};")
        with w.block(f"static const __attribute__((unused)) dg_{self.name} rows_of_{self.name}[] = {{", "};"):
            for slot in slots:
                # A free place holds a row that lies elsewhere: whoever looks there brings other keys.
                w.line(self._row(slot) if slot else f"{{{self._numbers(self.quick[0])}}},")
            for row in self.other:
                w.line(self._row(row))
        inside = ", ".join(f"uint32_t {c}" for c in self.combos.keys)
        total = " + ".join(c if f == 1 else f"{c} * {f}" for c, f in zip(self.keys.own, place.factors, strict=True))
        with w.block(f"static inline int misses_{self.name}(const dg_{self.name} **found, {inside}) {{", "}"):
            w.line(f"const dg_{self.name} *row = rows_of_{self.name} + (({total}) & {place.mask});")
            w.line("*found = row;")
            w.line(f"return __builtin_expect(!({self._matches()}), 0);")
        with w.block(f"static inline const dg_{self.name} *find_{self.name}({inside}) {{", "}"):
            keys = ", ".join(self.combos.keys)
            w.line(f"const dg_{self.name} *row, *end = rows_of_{self.name} + sizeof rows_of_{self.name} / sizeof *row;")
            w.line(f"if (!misses_{self.name}(&row, {keys})) return row;")
            w.line(f"row = rows_of_{self.name} + {place.mask + 1};")
            w.line(f"while (row < end && !({self._matches()})) row++;")
            w.line("return row < end ? row : 0;")
        w.line()

    def _row(self, row: tuple[str, ...]) -> str:
        return f"{{{self._numbers(row)}}}, /* {' '.join(row)} */"

    def _numbers(self, row: tuple[str, ...]) -> str:
        return ", ".join(str(n) for n in self._fields(row))

    def declare(self, w: Writer) -> None:
        """The same for Cython."""
        with w.block(f"ctypedef struct dg_{self.name}:"):
            for field in self.words:
                w.line(f"uint32_t {name(field)}{_alias(field)}")
            for field in self.outputs:
                w.line(f"uint64_t {name(field)}{_alias(field)}")
        inside = ", ".join(f"uint32_t {c}" for c in self.combos.keys)
        w.line(f"bint misses_{self.name}(const dg_{self.name} **row, {inside})")
        w.line(f"const dg_{self.name} *find_{self.name}({inside})")


def _times(entry: Entry, column: str) -> int:
    """How often the call of a target passes this column on; a block of ours may ask for it too."""
    counts = [Counter(a.id for a in t.args or () if isinstance(a, Name))[column] for t in entry.targets]
    return max([1, *counts])


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
    """The C header with the rows of a chapter's tables."""
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
