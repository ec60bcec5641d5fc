"""The replacement functions: for each chapter one `.pyx` with the hot functions and, below, their cold twins.

A hot function checks the handle and the options, translates one argument a line and calls AMD's function. Where the gate is
shut (first use, tracing, fork) or an argument is refused it hands the whole call to its twin `cold_<name>`, which opens the
library, says what is wrong, calls, and writes the trace. The twins' prototypes (`<chapter>_cold.h`) keep compilers from merging
one into its hot function, and have it compiled for size.
"""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, field

from ..tables.expr import Binary, Call, Compare, Expr, Logic, Name, Number, grouped
from ..tables.kinds import OPTIONS, SIZES, Kind
from ..tables.model import CParam, Function, Library, Target, TypeRecord, backend_of, expand, rocm_type
from ..tables.typed import typed_elements
from ..tables.types import Types
from .combos import field_of, table_of
from .imports import ON_STACK, PLACE, Import, Imports, target_import
from .spelling import base_names, cython_type, declare, is_pointer, name, plain
from .writer import Writer, wrap

WIDTH = 118


@dataclass
class Chapter:
    """The functions of one table file, and what their code needs."""

    library: Library
    file: str  # tables/cublas/level3.yaml
    functions: tuple[Function, ...]
    block: str  # compose/cublas/helpers.pxi, or ''
    imports: Imports
    types: Types
    used: set[str] = field(default_factory=set)

    @property
    def stem(self) -> str:
        return self.file.rsplit("/", 1)[-1].removesuffix(".yaml")


def translation_of(kind: Kind) -> str:
    """Name of the translation that a parameter of this kind goes through, or ''."""
    if kind.name in OPTIONS:
        return kind.name
    if kind.name == "datatype":
        return "datatype"
    return kind.translation


def handle_of(function: Function) -> CParam | None:
    """The parameter whose handle must be checked, or None."""
    for param in function.params:
        if param.kind.name == "handle" and not param.kind.optional:
            return param
    return None


def descriptors_of(function: Function) -> list[CParam]:
    """Descriptors that are passed in: each is a slot and must be checked."""
    return [p for p in function.params if p.kind.name == "desc"]


def on_stack(function: Function) -> frozenset[str]:
    """Numbers of 32 bits that a call passes on and that lie on the stack, in a place of 64 (imports.py)."""
    late = function.params[ON_STACK:]
    return frozenset(p.name for p in late if p.ctype == "int" and p.kind.name in ("ld", "inc"))


def signature(function: Function, prefix: str = "", places: Container[str] = (), suffix: str = "") -> str:
    """`places`: parameters as wide as their places, whose names get the suffix."""
    inside = [
        declare(PLACE, p.name + suffix) if p.name in places else declare(p.ctype, p.name) for p in function.params
    ]
    result = cython_type(function.result)
    head = f"cdef public {result}{'' if result.endswith('*') else ' '}{prefix}{function.name}("
    lines = wrap(inside, WIDTH, head, " " * 8, ") noexcept nogil:")
    return "\n".join(lines)


def _stream(word: str, function: Function) -> str:
    """The stream that HIP knows (generated.h): a twin's default stream is the calling thread's own."""
    return f"{'own' if function.form.twin else 'to'}_stream({word})"


def prototype_c(function: Function, prefix: str, places: Container[str]) -> str:
    inside = ", ".join(
        f"{PLACE} {p.name}" if p.name in places else plain(p.declaration) for p in function.params
    ) or "void"  # fmt: skip
    return f"{function.result}{'' if function.result.endswith('*') else ' '}{prefix}{function.name}({inside});"


def condition(expr: Expr, function: Function) -> str:
    """A check's condition as Cython."""
    match expr:
        case Name(id=word):
            if word in on_stack(function):
                return f"<int>{name(word)}"
            return word if word == "NULL" else name(word)
        case Number(value=value):
            return str(value)
        case Compare(op=op, left=left, right=right) | Binary(op=op, left=left, right=right):
            one, other = (grouped(side, condition(side, function)) for side in (left, right))
            return f"{one} {op} {other}"
        case Logic(op="not", items=(item,)):
            return f"not ({condition(item, function)})"
        case Logic(op=op, items=items):
            return f" {op} ".join(
                f"({condition(i, function)})" if isinstance(i, Logic) else condition(i, function) for i in items
            )
        case Call(name="empty", args=args):
            return f"dg_empty({', '.join(condition(a, function) for a in args)})"
        case Call(name=word, args=args):
            return f"{word}({', '.join(condition(a, function) for a in args)})"
    raise ValueError(f"{expr} cannot stand in a condition")


def _coarse(when: Expr) -> Expr:
    """What the hot path asks of a check: of conditions that must all hold, the first. The twin asks them all."""
    return _coarse(when.items[0]) if isinstance(when, Logic) and when.op == "and" else when


class ChapterWriter:
    """Writes both halves of a chapter's file."""

    def __init__(self, chapter: Chapter) -> None:
        self.chapter = chapter
        self.library = chapter.library
        self.hot = Writer()
        self.cold = Writer()
        self.cold_names: list[tuple[Function, Container[str]]] = []  # and what they take as wide as its place
        self.said = 0
        for function in chapter.functions:
            self._function(function)

    # ---- one function

    def _function(self, function: Function) -> None:
        entry = function.entry
        self._comment(self.hot, function)
        if entry.unsupported:
            self._unsupported(function)
        elif function.form.base == "v1":
            self._first_api(function)
        elif entry.host or entry.compose:
            self._block(function, entry.host or entry.compose)
        else:
            self._translated(function)
        self.hot.line()

    def _comment(self, w: Writer, function: Function) -> None:
        entry = function.entry
        w.line(
            f"# {entry.file}:{entry.where.line} {entry.key}"
            + (f", type {function.type.name}" if function.type.name else "")
        )
        w.line(f"#   CUDA  {function.prototype}")
        if function.form.base != "v1":
            for target in entry.targets:
                if target.to:
                    w.line(f"#   ROCm  {target_import(function, target).prototype}")
        for block in entry.blocks:
            w.line(f"#   block {expand(block, function.type)} in {self.chapter.block}")

    def _unsupported(self, function: Function) -> None:
        entry = function.entry
        w = self.hot
        index, self.said = self.said, self.said + 1
        w.lines(signature(function))
        where = f"{entry.file}:{entry.where.line}"
        w.line(f'    dg_unsupported(&dg_said[{index}], "{function.name}", "{_c_text(entry.unsupported)}", "{where}")')
        if function.result != "void":
            w.line(f"    return {self._unsupported_answer(function)}")

    def _unsupported_answer(self, function: Function) -> str:
        entry = function.entry
        result = cython_type(function.result)
        if entry.answer and function.returns_status:
            return f"kept(<{result}>{entry.answer})"
        if entry.answer:
            return entry.answer if entry.answer == "NULL" else f"<{result}>{entry.answer}"
        if function.returns_status:
            return "status_of_reason(DG_UNSUPPORTED)"
        return "NULL" if is_pointer(function.result) else f"<{result}>0"

    def _block_call(self, function: Function, block: str) -> str:
        args = []
        for p in function.params:
            slot = self.library.slot(p.kind)
            if slot and (p.kind.name == "desc" or not p.kind.optional):
                args.append(f"<{slot.struct} *>{name(p.name)}")
            elif p.kind.name == "stream" and self.library.own_streams:
                args.append(_stream(name(p.name), function))
            else:
                args.append(name(p.name))
        call = f"{expand(block, function.type)}({', '.join(args)})"
        if self.library.explains and function.returns_status:
            return f'said("{function.name}", {call})'
        return call

    def _foreign(self, param: CParam) -> str:
        """The hot path's question whether a handle or descriptor is none."""
        slot = self.library.slot(param.kind)
        assert slot is not None
        word = name(param.name)
        text = f"dg_foreign({word}, {slot.magic})"
        return f"({word} is not NULL and {text})" if param.kind.name == "desc" and param.kind.optional else text

    def _backends_of(self, function: Function) -> list[str]:
        entry = function.entry
        names = [expand(n, function.type) for n in (*(t.to for t in entry.targets if t.to), *entry.block_calls)]
        return sorted({backend_of(n) for n in names})

    def _block(self, function: Function, block: str) -> None:
        """Answered by a hand-written block: the hot function checks the handle and calls it."""
        entry = function.entry
        self._use_calls(function)
        handle = handle_of(function)
        # With an optional handle the block opens what it needs: a destroy at the end of the process must open nothing.
        own = any(p.kind.optional for p in function.params)
        needed = [] if own else self._backends_of(function)
        backends = needed
        w = self.hot
        w.lines(signature(function))
        self._row(w, function)
        conditions = []
        if handle:
            conditions.append(self._foreign(handle))
            backends = [b for b in backends if b not in (self.library.backends[0], "hip")]
        elif backends or (own and entry.calls):
            conditions.append("dg_closed()")
        conditions += [f"not dg_opened(&dg_own_backends[DG_OF_{b.upper()}])" for b in backends]
        conditions += [self._foreign(p) for p in descriptors_of(function)]
        conditions += self._refusals(function)
        call = self._block_call(function, block)
        if not conditions:
            w.line(f"    {'' if function.result == 'void' else 'return '}{call}")
            return
        self._hand_over(w, function, conditions)
        w.line(f"    {'' if function.result == 'void' else 'return '}{call}")
        self._twin(function, call, needed)

    def _checked_options(self, function: Function) -> list[tuple[CParam, str]]:
        """Parameters that must have a translation, and its name. Where a host `info` tells which argument is wrong, the
        block looks at them itself."""
        if any(p.kind.name == "info" for p in function.params):
            return []
        found = [(p, translation_of(p.kind)) for p in function.params if not is_pointer(p.ctype)]
        # Types that `combos` lists are checked there.
        columns = function.entry.combos.columns if function.entry.combos else ()
        return [(p, translation) for p, translation in found if translation and p.name not in columns]

    def _refusals(self, function: Function) -> list[str]:
        """Conditions under which the hot path steps aside: options out of range, checks of the entry."""
        combos = function.entry.combos
        found = [f"bad_{translation}({name(p.name)})" for p, translation in self._checked_options(function)]
        found += [f"dg_rare({condition(_coarse(c.when), function)})" for c in function.entry.checks]
        if combos:  # last: what it loads is at hand for the call, and is in no other check's way
            keys = ", ".join(name(c) for c in combos.keys)
            found.append(f"misses_{table_of(function)}(&row, {keys})")
        return found

    def _row(self, w: Writer, function: Function, found: bool = False) -> None:
        """The row of the call's types (combos.py): looked up at once, or by the last of `_refusals`."""
        combos = function.entry.combos
        if combos:
            table = table_of(function)
            args = ", ".join(name(c) for c in combos.keys)
            w.line(f"    cdef const dg_{table} *row = {f'find_{table}({args})' if found else 'NULL'}")

    def _use_calls(self, function: Function) -> None:
        for call in function.entry.block_calls:
            self.chapter.used.add(expand(call, function.type))

    def _hand_over(self, w: Writer, function: Function, conditions: list[str]) -> None:
        w.line("    if " + " or ".join(conditions) + ":")
        args = ", ".join(name(p.name) for p in function.params)
        keyword = "return " if function.result != "void" else ""
        w.line(f"        {keyword}cold_{function.name}({args})")
        if not keyword:
            w.line("        return")

    def _translated(self, function: Function) -> None:
        handle = handle_of(function)
        w = self.hot
        w.lines(signature(function, places=on_stack(function)))
        self._row(w, function)
        self._use_calls(function)
        backends = self._backends_of(function)
        conditions = []
        if handle:
            conditions.append(self._foreign(handle))
            conditions += [
                f"not dg_opened(&dg_own_backends[DG_OF_{b.upper()}])"
                for b in backends
                if b not in (self.library.backends[0], "hip")
            ]
        else:
            conditions.append("dg_closed()")
            conditions += [f"not dg_opened(&dg_own_backends[DG_OF_{b.upper()}])" for b in backends]
        conditions += self._refusals(function)
        self._hand_over(w, function, conditions)
        self._targets(w, function, "    ", [t for t in function.entry.targets if not t.compose])
        self._twin(function, "", backends)

    def _targets(
        self, w: Writer, function: Function, indent: str, targets: Sequence[Target], assign: bool = False
    ) -> None:
        """The calls of the first target that fits, or of the one that the row names."""
        by_row = function.entry.combos is not None and len(targets) > 1
        for i, target in enumerate(targets):
            when = condition(target.when, function) if target.when is not None else ""
            if by_row and i + 1 < len(targets):
                when = f"row.{name('by')} == {function.entry.targets.index(target)}"
            if when:
                w.line(f"{indent}{'if' if i == 0 else 'elif'} {when}:")
                self._call(w, function, target, indent + "    ", assign)
            elif i:
                w.line(f"{indent}else:")
                self._call(w, function, target, indent + "    ", assign)
            else:
                self._call(w, function, target, indent, assign)

    def _call(self, w: Writer, function: Function, target: Target, indent: str, assign: bool) -> None:
        head = "status = " if assign else "return "
        if target.compose:
            w.line(f"{indent}{head}{self._block_call(function, target.compose)}")
            return
        if function.form.wide and function.entry.narrow == "first":
            sizes = [name(p.name) for p in function.params if p.kind.core.name in SIZES]
            w.line(f"{indent}if not ({' or '.join(f'dg_wide({s})' for s in sizes)}):")
            self._called(w, function, target, target_import(function, target, wide=False), indent + "    ", head)
            if assign:
                w.line(f"{indent}else:")
                indent += "    "
        self._called(w, function, target, target_import(function, target), indent, head)

    def _called(self, w: Writer, function: Function, target: Target, item: Import, indent: str, head: str) -> None:
        self.chapter.used.add(item.name)
        call = f"dg_{item.backend}.{item.name}("
        if function.returns_status:
            call = f"status_of_{item.backend}({call}"
        end = "))" if function.returns_status else ")"
        args = self._arguments(function, target)
        if not args:
            w.line(f"{indent}{head}{call}{end}")
            return
        w.line(f"{indent}{head}{call}")
        for arg in args[:-1]:
            w.line(f"{indent}    {arg},")
        w.line(f"{indent}    {args[-1]}{end}")

    def _arguments(self, function: Function, target: Target) -> list[str]:
        entry = function.entry
        wanted: list[Expr] = list(target.args) if target.args is not None else [Name(p.name) for p in entry.params]
        params = {p.name: p for p in function.params}
        elements = typed_elements(entry, function.type, target)
        return [self._argument(arg, wanted[:i].count(arg), params, function, elements) for i, arg in enumerate(wanted)]

    def _argument(
        self,
        arg: Expr,
        time: int,
        params: dict[str, CParam],
        function: Function,
        elements: Mapping[str, TypeRecord],
    ) -> str:
        match arg:
            case Name(id="NULL"):
                return "NULL"
            case Name(id="scale") if "scale" not in params:
                return f"row.{field_of('scale', time)}"
            case Name(id=word) if function.entry.combos and params[word].kind.name == "datatype":
                return f"row.{name(field_of(word, time))}"
            case Name(id=word):
                return self._translate(params[word], function, elements.get(word, function.type))
            case Call(name=ctype, args=(value,)):
                return f"<{ctype}>{condition(value, function)}"
        return condition(arg, function)

    def _translate(self, param: CParam, function: Function, record: TypeRecord) -> str:
        word = name(param.name)
        kind = param.kind
        if kind.name == "handle":
            slot = self.library.slot(kind)
            return f"(<{slot.struct if slot else 'void'} *>{word}).blas"
        if kind.name == "stream" and self.library.own_streams:
            return _stream(word, function)
        translation = translation_of(kind)
        if translation and not is_pointer(param.ctype):
            return f"to_{translation}({word})"
        theirs = cython_type(rocm_type(kind, record, function.form.wide))
        if is_pointer(param.ctype) and theirs != cython_type(param.ctype):
            return f"<{theirs}>{word}"  # the same layout under two names
        return word

    # ---- the cold twin

    def _twin(self, function: Function, block_call: str, backends: list[str]) -> None:
        entry = function.entry
        places = frozenset() if block_call else on_stack(function)
        self.cold_names.append((function, places))
        w = self.cold
        w.line(f"# {entry.file}:{entry.where.line} {entry.key}")
        w.lines(signature(function, "cold_", places, "_place"))
        for p in function.params:
            if p.name in places:
                w.line(f"    cdef int {name(p.name)} = <int>{p.name}_place")
        handle = handle_of(function)
        void = function.result == "void"
        result = cython_type(function.result)
        text = function.returns_status
        if not void:
            nothing = "NULL" if is_pointer(function.result) else f"<{result}>0"
            w.line(f"    cdef {result}{'' if result.endswith('*') else ' '}status = {nothing}")
        self._row(w, function, found=True)
        slot = self.library.slot(handle.kind) if handle else None
        admit = f"dg_admit({name(handle.name)}, {slot.magic})" if handle and slot else "dg_start()"
        w.line(f"    cdef int reason = {admit}")
        for backend in backends:
            # A handle that was admitted is not one of a process that forked or ends: what is open may be called.
            opened = f" and not dg_opened(&dg_own_backends[DG_OF_{backend.upper()}])" if handle and slot else ""
            w.line(f"    if reason == DG_OK{opened}:")
            w.line(f'        reason = dg_need("{backend}")')
        w.line("    if reason != DG_OK:")
        w.line(f'        {"explain" if self.library.explains else "dg_refused"}_handle("{function.name}", reason)')
        if text:
            w.line("        status = status_of_reason(reason)")
        elif not void:
            w.line(f"        status = {'NULL' if is_pointer(function.result) else '<' + result + '>0'}")
        for p in descriptors_of(function):
            self._dead(w, function, p)
        for p, translation in self._checked_options(function):
            w.line(f"    elif bad_{translation}({name(p.name)}):")
            w.line(f'        dg_refused("{function.name}", "{p.name}", <int32_t>{name(p.name)})')
            w.line(f"        status = {self._refusal(translation)}")
        if entry.combos:
            w.line("    elif row is NULL:")
            w.line(f'        dg_refused_call("{function.name}", "{_listed(entry.combos.keys)} do not go together")')
            for i, check in enumerate(entry.combos.refused):
                w.line(f"        {'el' if i else ''}if {condition(check.when, function)}:")
                w.line(f"            status = {self._status(check.status)}")
            inset = "" if not entry.combos.refused else "    "
            if inset:
                w.line("        else:")
            w.line(f"        {inset}status = {self._status(entry.combos.otherwise)}")
        for check in entry.checks:
            w.line(f"    elif {condition(check.when, function)}:")
            if check.status != "SUCCESS":  # a quick return is no refusal
                w.line(f'        dg_refused_call("{function.name}", "{check.when}")')
            w.line(f"        status = {self._status(check.status)}")
        w.line("    else:")
        if block_call:
            w.line(f"        {'' if void else 'status = '}{block_call}")
        else:
            self._targets(w, function, "        ", entry.targets, assign=True)
        self._trace(w, function, void)
        if not void:
            w.line("    return status")
        w.line()

    def _dead(self, w: Writer, function: Function, param: CParam) -> None:
        """A descriptor that is none: NULL, freed, or of another kind."""
        slot = self.library.slot(param.kind)
        assert slot is not None
        word = name(param.name)
        given = f"{word} is not NULL and " if param.kind.optional else ""
        w.line(f"    elif {given}not dg_alive({word}, {slot.magic}):")
        w.line(
            f'        {"explain" if self.library.explains else "dg_refused"}_slot("{function.name}", "{param.name}")'
        )
        w.line("        status = status_of_reason(DG_BAD_HANDLE)")

    def _refusal(self, translation: str) -> str:
        return f"refusal_of_{translation}()"

    def _status(self, text: str) -> str:
        return text if text.startswith(self.library.prefix) else self.library.constant(text)

    def _trace(self, w: Writer, function: Function, void: bool) -> None:
        formats, values = [], []
        for p in function.params:
            text, value = _format(p, self.chapter.types)
            formats.append(f"{p.name}={text}")
            if value:
                values.append(value)
        answer = (
            "0"
            if void or is_pointer(function.result) or _is_struct(function.result, self.chapter.types)
            else "<long long>status"
        )
        w.line("    if dg_tracing():")
        head = f'dg_the_core.trace("{function.name}", {answer}, "{" ".join(formats)}"'
        for line in wrap([head, *values] if values else [head], WIDTH, "        ", "            ", ")"):
            w.line(line)

    # ---- the first API

    def _first_api(self, function: Function) -> None:
        """cuBLAS before version 4: no handle, options as characters, scalars by value, results returned."""
        entry = function.entry
        w = self.hot
        w.lines(signature(function))
        twin = next(
            f
            for f in self.chapter.functions
            if f.entry is entry and f.type == function.type and f.form.base == "v2" and not f.form.wide
        )
        own = {p.name: p for p in function.params}
        result = next((p for p in twin.params if p.kind.name == "result"), None)
        if result:
            base = cython_type(result.ctype).removesuffix("*").strip()
            w.line(f"    cdef {base} answer")
            w.line("    dg_zero(&answer, sizeof(answer))")
        args = []
        for p in twin.params:
            if p.kind.name == "handle":
                args.append("first_handle()")
            elif result and p.name == result.name:
                args.append("&answer")
            elif p.name not in own:
                args.append(name(self._omitted(function, p)))
            elif p.kind.name in OPTIONS:
                args.append(f"first_{p.kind.name}({name(p.name)})")
            elif is_pointer(p.ctype) and not is_pointer(own[p.name].ctype):
                args.append(f"&{name(p.name)}")
            else:
                args.append(name(p.name))
        for line in wrap(args, WIDTH, f"    first_status({twin.name}(", " " * 8, "))"):
            w.line(line)
        if result:
            w.line("    return answer")

    def _omitted(self, function: Function, param: CParam) -> str:
        """What stands for a parameter that the first API has not: the operand that serves as output, or its ld."""
        same = function.entry.v1.same
        if param.kind.is_pointer:
            return same
        return str(function.entry.param(same).kind.argument("ld"))


def _listed(words: Sequence[str]) -> str:
    """`a, b and c`"""
    return " and ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)


def _is_struct(ctype: str, types: Types) -> bool:
    """A struct by value, directly or through an alias (`cuComplex` is `float2`)."""
    names = base_names(ctype)
    while names and not names & set(types.structs):
        names = frozenset().union(*(base_names(types.aliases[n].type) for n in names if n in types.aliases))
    return bool(names) and not is_pointer(ctype)


def _format(param: CParam, types: Types) -> tuple[str, str]:
    """printf format and Cython expression that show one argument."""
    word = name(param.name)
    ctype = param.ctype
    bases = base_names(ctype)
    if (
        is_pointer(ctype)
        or bases & set(types.handles)
        or any("(" in types.aliases[b].type for b in bases & set(types.aliases))
    ):
        return "%p", f"<void *>{word}"
    if _is_struct(ctype, types):
        return "{...}", ""
    if bases:
        return "%d", f"<int>{word}"
    if ctype in ("float", "double"):
        return "%g", f"<double>{word}"
    if ctype == "char":
        return "%c", f"<int>{word}"
    if ctype in ("int", "int32_t"):
        return "%d", word
    if ctype in ("unsigned int", "uint32_t"):
        return "%u", word
    return "%lld", f"<long long>{word}"


def _c_text(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"')
