"""Loops over numbers, and over arrays of few elements, as a function in LLVM's language."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial, reduce
from math import prod
from typing import NamedTuple

import jax
import jax.extend.core
import numpy as np

from xlapy.ir import Operation, Region, Var, captured, constant_value
from xlapy.ir.access_regions import Dimension, touched
from xlapy.ir.operations import ELEMENTWISE, OF_JAXPRS
from xlapy.ir.stacking_leaves import is_stack, is_unset, is_unstack
from xlapy.lowering import hoisted_products
from xlapy.lowering.jaxprs.deferred_tracing import traced
from xlapy.lowering.llvm import bufferisation, equations, lane_ranges
from xlapy.lowering.llvm.bounds_checks import Bounds
from xlapy.lowering.llvm.bufferisation import Array, Memory
from xlapy.lowering.llvm.early_exits import Errors, Exit, exits_of
from xlapy.lowering.llvm.early_exits import Place as Output
from xlapy.lowering.llvm.elementwise import elementwise
from xlapy.lowering.llvm.elementwise_fusion import remembered, shared_in
from xlapy.lowering.llvm.functions import IN_VECTORS
from xlapy.lowering.llvm.lazy_arrays import (
    Lazy,
    Place,
    Value,
    dtype_of,
    element,
    for_many,
    is_computed_in_place,
    is_little,
    placed,
    reads,
    shape_of,
    uniform,
    view,
    window_of,
    without_elements,
)
from xlapy.lowering.llvm.loop_code import Loops
from xlapy.lowering.llvm.native_products import vector_product
from xlapy.lowering.llvm.parallel_outlining import LEFT, leaving
from xlapy.lowering.llvm.product_narrowing import narrowed
from xlapy.lowering.llvm.scalar_instructions import RULES, any_order, convert, select
from xlapy.lowering.llvm.text import (
    BLOCK,
    FALSE,
    HOST,
    INDEX,
    STORED,
    Number,
    Text,
    Unsuitable,
    known_int,
    known_value,
    literal,
    plus,
    times,
)
from xlapy.lowering.llvm.value_storage import Arm, uses_in
from xlapy.lowering.lowering_rules import IN_VECTORS as IN_LAX
from xlapy.lowering.lowering_rules import RULES as LAX
from xlapy.lowering.lowering_rules import has_factors
from xlapy.lowering.thresholds import BYTES_MADE_IN_RESULT, THREADS_OF_GRID

#: what it does with floats as soon
_OF_FLOATS = frozenset("abs is_finite eq ne lt le gt ge mul max min floor ceil".split())
#: what a processor does with integers in no time
_OF_BITS = frozenset(
    "constant convert bitwise_and bitwise_or bitwise_xor bitwise_not shift_left shift_right_logical"
    " shift_right_arithmetic add sub neg select".split()
)


class Function(NamedTuple):
    """What a region with loops in it becomes: a function of addresses, of which no two overlap.

    Attributes:
        operands: what it reads, values of the regions around it.
        results: what it computes, values of the region.
        changed: for each result that is an array changed in place, by number, what it is at first.
        rooms: memory that it needs besides, of so many bytes each; with what lies there at first, if anything does.
        pointers: its parameters: addresses of an "operand", of a "result", or of a "room", by number.
        body: its definition, under the name `@main`.
        constants: arrays whose addresses are in it.
        has_loops: whether something is done many times.
        work: about how many instructions it executes.
        is_grid: whether it is for the threads of a GPU's grid, each of which does a part: the last two parameters are
            the number of a thread, and of all threads.
        nested: how many iterations of loops in that loop are shared out with each of its own.
        shared: how often the threads of a GPU's block share something out.
        of_threads: results, by number, of which each thread of a grid has its own element, and whether the loop gives
            their sum; if not, it gives those of the first thread with an error, if there is one.
    """

    operands: list[Var]
    results: list[Var]
    changed: dict[int, Var]
    rooms: list[tuple[int, Var | None]]
    pointers: list[tuple[str, int]]
    body: str
    constants: list[np.ndarray]
    has_loops: bool
    work: float
    is_grid: bool
    nested: int
    shared: int
    of_threads: dict[int, bool]


def function_of(
    region: Region,
    may_have_rooms: bool = False,
    errors: Errors | None = None,
    threads: str = HOST,
    tag: Var | None = None,
) -> Function:
    """A region in LLVM's language, a function of its parameters and of what it captures.

    Args:
        region: the region.
        may_have_rooms: whether the caller makes room for large arrays.
        errors: of a program, which of its results tell the host about errors, if it may be left at the first one: the
            others are then anything.
        threads: which threads run it (`text.HOST` and so on). On a GPU constants are parameters behind the pointers.
        tag: the result that is an error tag, if all other results may be anything where it is not zero.

    Raises:
        Unsuitable: XLA does better, or something is not known here.
    """
    return _Program(region, may_have_rooms, errors, Text(threads), tag).function


class _Program(Loops):
    """Writes a function."""

    def __init__(
        self, region: Region, may_have_rooms: bool, errors: Errors | None, text: Text, tag: Var | None
    ) -> None:
        super().__init__(region, may_have_rooms, None if errors is None else exits_of(region, errors), text)
        self.tag = tag
        self._results = region.results
        #: where the function is left, with what says whether it is, that is not asked yet
        self._pending: list[tuple[Exit, Number]] = []
        #: results that are written on the way out
        self._told = {k for exit in self.exits.values() for (k, _), *_ in exit.stored}
        #: products of which some lanes are looked at only, with what makes the mask of these
        self._lanes_of: dict[Operation, Operation] = {}
        for k, var in enumerate((*region.params, *captured(region))):
            self.values[var] = self.outer(var, f"%o{k}")
        self._changed: dict[int, Var] = {}
        written = [self._result(k, value) for k, value in enumerate(self.region(region))]
        for place, var in self.copies.items():
            self.take_outside(place.pointer, prod(place.shape) * place.dtype.itemsize, var)
        read = [(place, var) for place, var in self.outside.items() if place.used]
        names = [*(place.pointer for place, _ in read), *(place.pointer for place in written)]
        names += self.rooms_outside
        kinds = {"operand": len(read), "result": len(written), "room": len(self.rooms_outside)}
        pointers = [(kind, k) for kind, many in kinds.items() for k in range(many)]
        variables, results = [var for _, var in read], list(region.results)
        rooms = list(self.rooms_outside.values())
        text = self.text
        names += [f"%k{k}" for k in range(len(text.constants))] if text.for_gpu else []
        body = self._written(names)
        self.function = Function(
            variables,
            results,
            self._changed,
            rooms,
            pointers,
            body,
            text.constants,
            text.has_loops,
            text.work,
            text.is_grid,
            text.nested,
            text.shared,
            {k: self.of_threads[v] for k, v in enumerate(results) if v in self.of_threads},
        )

    def _written(self, pointers: Sequence[str]) -> str:
        """The definition of the function."""
        text = self.text
        # what a thread of a block stores, the others load
        attributes = "ptr" if text.threads == BLOCK else "ptr noalias"
        parameters = ", ".join(f"{attributes} nocapture {pointer}" for pointer in pointers)
        parameters += ", i64 %thread, i64 %threads" if text.is_grid else ""
        parameters += ", i64 %lane, i64 %lanes" if text.threads == BLOCK else ""
        head = [f"define internal void @main({parameters}) {{", "entry:", *self.text.rooms.values(), *text.begins]
        functions = [*text.functions, *([STORED] if text.watched else [])]
        lines = [*text.tables, *text.declared.values(), *functions, *head, *text.body(), "  ret void", "}", *text.notes]
        return "\n".join(lines)

    def _result(self, k: int, value: Value) -> Memory:
        """Where a result lies."""
        if isinstance(value, Array) and value.now() in self.copies:
            self._changed[k] = self.copies.pop(value.memory)
            return value.memory
        if isinstance(value, Array) and k not in self._told and self._is_given_away(value.now()):
            return value.memory
        shape = self._results[k].type.shape
        place = Memory(f"%r{k}", dtype_of(value), shape, False)
        if self._results[k] in self.of_threads:
            many = Memory(place.pointer, place.dtype, (THREADS_OF_GRID,), False)
            bufferisation.put(self.text, many, element(self.text, value, ()), ("%thread",))
        else:
            self.fill(place, value)
        return place

    def _is_given_away(self, place: Memory) -> bool:
        """Whether a memory of the function's own becomes a result, so that nothing has to be copied there. What is
        small stays: LLVM may keep it in registers."""
        if prod(place.shape) * place.dtype.itemsize < BYTES_MADE_IN_RESULT:
            return False
        return any(rooms.pop(place.pointer, None) is not None for rooms in (self.text.rooms, self.rooms_outside))

    # -- operations --

    def region(self, region: Region) -> list[Value]:
        shared = shared_in(region, is_elementwise)
        operations, lanes = narrowed(region, self.uses)
        self._lanes_of.update(lanes)
        factors, self.factors = self.factors, {}
        for operation in operations:
            if self._pending and not self._may_come_first(operation):
                self._leave_at_pending()
            self.uses.subtract(operation.operands)
            found = self._with_elements(operation)
            if operation.kind in ("for", "while") and operation in self.exits:
                found = self.left_behind(operation, found)
            for var, value in zip(operation.results, found, strict=True):
                if isinstance(value, Lazy) and not value.is_view and self.uses[var] > 1:
                    if var in shared:
                        value = remembered(self.text, value)
                    elif not is_little(value):
                        value = self.stored(value, [x for x in found if x is not value])
                self.values[var] = value
        if region.operations:
            self._leave_at_pending()
        self.uses.subtract(region.results)
        self.factors = factors
        return [self.value(v) for v in region.results]

    def _with_elements(self, operation: Operation) -> Sequence[Value]:
        """What an operation computes: no rule is asked for an array without elements, nor meets one."""
        empty = [prod(v.type.shape) == 0 for v in operation.results]
        may_be_left_out = not operation.regions and not getattr(operation.jaxpr, "effects", None)
        if empty and all(empty) and may_be_left_out:
            return [without_elements(v.type.dtype, v.type.shape) for v in operation.results]
        found = self._operation(operation)
        variables = zip(operation.results, found, empty, strict=True)
        return [without_elements(v.type.dtype, v.type.shape) if none else value for v, value, none in variables]

    def _operation(self, operation: Operation) -> Sequence[Value]:
        rule = _RULES.get(operation.kind)
        if rule is not None:
            return rule(self, operation)
        if operation.kind not in ELEMENTWISE:
            raise Unsuitable(operation.kind)
        if operation in self.folds:
            name = "fmul" if operation.kind == "mul" else f"f{operation.kind}"
            return [self._numeric(operation, partial(any_order, self.text, name))]
        if operation.kind not in RULES or operation.kind == "pow" and has_factors(operation):
            return self._as_lax(operation)
        own = operation.kind in IN_VECTORS and operation.results[0].type.dtype.kind != "c"
        least = np.inf if own else IN_LAX.get(operation.kind, np.inf)
        if prod(operation.results[0].type.shape) >= least:
            return self._as_lax(operation)
        return [self._numeric(operation, partial(RULES[operation.kind], self.text))]

    def _constant(self, operation: Operation) -> Sequence[Value]:
        return [equations.known(self.text, operation.attributes["value"])]

    def _live(self, operation: Operation) -> Sequence[Value]:
        return [self.value(operation.operands[1])]

    def _convert(self, operation: Operation) -> Sequence[Value]:
        dtype = operation.results[0].type.dtype
        if operation.operands[0].type.dtype == dtype:
            return [self.value(operation.operands[0])]
        fits = self.is_left and operation.attributes.get("fits", False)
        return [self._numeric(operation, lambda x: convert(self.text, x, dtype, fits))]

    def _for(self, operation: Operation) -> Sequence[Value]:
        return self.for_loop(operation, [self.value(v) for v in operation.operands[1:]])

    def _while(self, operation: Operation) -> Sequence[Value]:
        return self.while_loop(operation, [self.value(v) for v in operation.operands])

    def _ahead(self, operation: Operation) -> Sequence[Value]:
        """Products that were moved out of a loop."""
        jaxpr = hoisted_products.products_as_jaxpr(operation)
        return equations.evaluated(self.text, self, jaxpr, list(map(self.value, operation.operands)))

    def _part(self, operation: Operation) -> Sequence[Value]:
        """One of these."""
        whole = [Dimension(0, 1, n, False) for n in operation.results[0].type.shape]
        return [self._load(operation, [Dimension(operation.operands[1], 1, 1, True, checked=True), *whole])]

    def _select(self, operation: Operation) -> Sequence[Value]:
        if operation in self.exits:
            return [self._left_or(self.exits[operation])]
        if self.is_left and self.text.loops and not self.text.for_gpu and _is_from_end(operation, self.bounds):
            return [self._from_end(operation)]
        found = lane_ranges.replaced(self, operation)
        return [self._numeric(operation, partial(select, self.text)) if found is None else found]

    def _from_end(self, operation: Operation) -> Value:
        """An index that may count from the end, as hardly any does: what is loaded there need not wait for that."""
        text, (predicate, behind, index) = self.text, map(self.number, operation.operands)
        labels, before = [text.label(), text.label()], text.block
        if known_value(predicate) is not None:
            return select(text, predicate, behind, index)
        text.do(f"br i1 {predicate.name}, label %{labels[0]}, label %{labels[1]}, !prof {text.unlikely()}")
        text.begin(labels[0])
        text.do(f"br label %{labels[1]}")
        text.begin(labels[1])
        return self.merged(behind, index, [labels[0], before])

    def _numeric(self, operation: Operation, rule: Callable[..., Number]) -> Value:
        type = operation.results[0].type
        values = map(self.value, operation.operands)
        return elementwise(self.text, type.shape, type.dtype, rule, list(values), operation.kind)

    def _broadcast(self, operation: Operation) -> Sequence[Value]:
        value, shape = self.value(operation.operands[0]), operation.results[0].type.shape
        if isinstance(value, Number) and prod(shape) == 1:
            return [value]
        if operation.attributes.get("unset") and isinstance(value, Number):
            return [uniform(value, shape)._replace(is_unset=True)]
        value = for_many(self, value, shape)
        return [placed(self.text, value, shape, range(len(shape) - len(shape_of(value)), len(shape)))]

    def _as_lax(self, operation: Operation) -> list[Value]:
        """What an operation is in terms of `jax.lax`."""
        types = [jax.ShapeDtypeStruct(v.type.shape, v.type.dtype) for v in operation.operands]
        jaxpr = jax.make_jaxpr(lambda *xs: LAX[operation.kind](operation, xs))(*types)
        return equations.evaluated(self.text, self, jaxpr, list(map(self.value, operation.operands)))

    def _leaf(self, operation: Operation) -> Sequence[Value]:
        if any(prod(v.type.shape) == 0 for v in operation.operands):
            jaxpr = traced(operation.jaxpr)
            return equations.evaluated(self.text, self, jaxpr, list(map(self.value, operation.operands)))
        note = operation.attributes.get("lanewise")
        if note is not None and note.kind in ("sum", "dot"):
            found = lane_ranges.over_range(self, operation)
            if found is not None:
                return [found]
        if note is not None and note.kind == "check" and len(operation.operands[0].type.shape) == 1:
            return lane_ranges.checked(self, operation)
        if note is not None and note.kind == "steps" and prod(operation.results[0].type.shape) > 1:
            return [lane_ranges.mask_in_steps(self, operation)]
        if is_stack(operation):
            return [self._stacked(operation)]
        if is_unset(operation):
            type = operation.results[0].type
            return [uniform(literal(0, type.dtype), type.shape)._replace(is_unset=True)]
        if is_unstack(operation):
            return self._unstacked(operation)
        jaxpr = traced(operation.jaxpr)
        window = window_of(self.value(self._lanes_of[operation].results[0])) if operation in self._lanes_of else None
        if window is not None and window.extents[0] is not None:
            operands = list(map(self.value, operation.operands))
            product = vector_product(self.text, self, jaxpr.jaxpr, operands, window.extents[0])
            if product is not None:
                return [product]
        self.is_cut = operation.kind == "compact" and self._is_only_returned(operation.results[0])
        values = equations.evaluated(self.text, self, jaxpr, list(map(self.value, operation.operands)))
        self.is_cut = False
        if note is not None and note.kind == "lanes":
            return [lane_ranges.mask_of_range(self, operation, values[0])]
        return values

    def _is_only_returned(self, var: Var) -> bool:
        """Whether a value is a result of the program, and nothing reads it."""
        return var in self._results and self.uses[var] == 1

    def _stacked(self, operation: Operation) -> Value:
        """Values in an array."""
        (result,) = operation.results
        rows = [self.value(v) for v in operation.operands]
        if prod(result.type.shape) == 1:
            return rows[0]
        place = self.made(result.type.dtype, result.type.shape)
        for k, row in enumerate(rows):
            if isinstance(row, Number):
                bufferisation.put(self.text, place, row, (str(k), *("0" for _ in result.type.shape[1:])))
            else:
                self.fill(place, row, lambda at, k=k: (str(k), *at))
        return Array(place, place.version)

    def _unstacked(self, operation: Operation) -> list[Value]:
        """The values in an array; what nobody wants is not loaded."""
        array = self.value(operation.operands[0])
        found: list[Value] = []
        for k, var in enumerate(operation.results):
            shape = var.type.shape
            if prod(shape) == 1:
                wanted = self.uses[var] > 0
                zeros = tuple("0" for _ in shape)
                found.append(element(self.text, array, (str(k), *zeros)) if wanted else literal(0, var.type.dtype))
            else:
                found.append(view(self.text, array, shape, lambda at, k=k: [str(k), *at]))
        return found

    def _load(self, operation: Operation, dims: list[Dimension]) -> Value:
        array, shape = self.value(operation.operands[0]), operation.results[0].type.shape
        if isinstance(array, Number):
            return array
        where = self._places(shape_of(array), dims)
        if prod(shape) == 1:
            return element(self.text, array, where(("0",) * len(shape)))
        found = view(self.text, array, shape, where)
        return found._replace(origins=frozenset([(array.memory, tuple(dims))])) if isinstance(array, Array) else found

    def _store(self, operation: Operation, dims: list[Dimension]) -> Value:
        array, new = self.value(operation.operands[0]), self.value(operation.operands[1])
        if any(d.count == 0 for d in dims):
            return array
        if isinstance(array, Number):
            return new if isinstance(new, Number) else element(self.text, new, ("0",) * len(shape_of(new)))
        array = self.writable(array)
        if array.memory in reads(new) and not is_computed_in_place(new, array.memory, tuple(dims)):
            new = self.kept(new)
        where = self._places(array.memory.shape, dims)
        if isinstance(new, Number):
            self.fill_with(new, array.memory, [d.count for d in dims if not d.dropped], where)
        else:
            self.fill(array.memory, new, where)
        return array.memory.change()

    def _places(self, shape: tuple[int, ...], dims: list[Dimension]) -> Callable[[Place], Place]:
        """Where in an array the elements of what is loaded or stored are. A start beyond an end means the last place
        that is possible, as it does for XLA."""
        starts = [self._start(dim, length) for dim, length in zip(dims, shape, strict=True)]

        def where(at: Place) -> Place:
            rest = iter(at)
            found = []
            for dim, start in zip(dims, starts, strict=True):
                index = "0" if dim.dropped else next(rest)
                found.append(plus(self.text, times(self.text, index, dim.step), start))
            return found

        return where

    def _start(self, dim: Dimension, length: int) -> str:
        least, most = (0, length - dim.span) if dim.step > 0 else (dim.span - 1, length - 1)
        if most < least:
            raise Unsuitable("more places than there are")
        if isinstance(dim.start, int):
            return str(min(max(dim.start, least), most))
        number = self.number(dim.start)
        value = known_int(number)
        if value is not None:
            return str(min(max(value, least), most))
        number = convert(self.text, number, INDEX)
        if dim.checked and self.is_left:
            return number.name
        inside = self.bounds.at_least(dim.start, least), self.bounds.at_most(dim.start, most)
        if dim.step != 1 and dim.count > 1 and not all(inside):
            raise Unsuitable("places that may be beyond an end, in steps")
        if not inside[0]:
            number = RULES["max"](self.text, number, literal(least, INDEX))
        if not inside[1]:
            number = RULES["min"](self.text, number, literal(most, INDEX))
        return number.name

    # -- control flow --

    def left_behind(self, loop: Operation, results: Sequence[Value]) -> Sequence[Value]:
        """Leave the function if an error was raised in a loop; if not, its tag is zero."""
        exit = self.exits[loop]
        self.values.update(zip(loop.results, results, strict=True))
        zero = literal(0, exit.tag.type.dtype)
        self._leave(exit, RULES["ne"](self.text, self.number(exit.tag), zero))
        return [zero if var is exit.tag else value for var, value in zip(loop.results, results, strict=True)]

    def _left_or(self, exit: Exit) -> Value:
        """Leave the function if an error is raised; if not, the tag is what it was."""
        assert exit.predicate is not None and exit.before is not None
        self._pending.append((exit, self.number(exit.predicate)))
        self.values[exit.predicate] = FALSE
        return self.value(exit.before)

    def _may_come_first(self, operation: Operation) -> bool:
        """Whether an operation may be done before it is known whether the function is left: it computes a number, of
        any numbers, in no time."""
        if operation.kind == "if":
            known = known_value(self.number(operation.operands[0]))
            return known is not None and not operation.regions[0 if known else 1].operations
        if any(v.type.shape for v in operation.results):
            return False
        if operation.kind == "convert":
            return all(v.type.dtype.kind != "f" for v in operation.operands)
        return operation.kind in _OF_BITS or operation.kind in _OF_FLOATS

    def _leave_at_pending(self) -> None:
        """Leave the function if there is one of the errors that were waited with: one question, and which it is only if
        there is any."""
        pending, self._pending = self._pending, []
        pending = [(exit, predicate) for exit, predicate in pending if known_value(predicate) is not False]
        if len(pending) < 2:
            for exit, predicate in pending:
                self._leave(exit, predicate)
            return
        text, (first, *others) = self.text, [predicate for _, predicate in pending]
        any_of = reduce(partial(RULES["bitwise_or"], text), others, first)
        some, none = text.label(), text.label()
        text.do(f"br i1 {any_of.name}, label %{some}, label %{none}, !prof {text.unlikely()}")
        text.begin(some)
        for exit, predicate in pending:
            self._leave(exit, predicate)
        text.do(f"br label %{none}")
        text.begin(none)

    def _leave(self, exit: Exit, predicate: Number) -> None:
        text, values, uses, versions = self.text, self.values, self.uses, self.versions()
        left, rest = text.label(), text.label()
        text.do(f"br i1 {predicate.name}, label %{left}, label %{rest}, !prof {text.unlikely()}")
        text.begin(left)
        if self.iteration is not None:
            leaving(text, self.iteration, text.label())
        for place, var, arm in exit.stored:
            self.values, self.uses = dict(values), uses.copy()
            if arm is not None:
                self.region(arm)
            self._put_out(place, var)
        text.do("ret void" if self.iteration is None else LEFT)
        text.begin(rest)
        self.back_to(versions)
        self.values, self.uses = values, uses

    def _put_out(self, output: Output, var: Var) -> None:
        """Store a number in a result, or in an element of one."""
        k, position = output
        type = self._results[k].type
        place = Memory(f"%r{k}", type.dtype, type.shape, False)
        at = () if position is None else (str(position),)
        bufferisation.put(self.text, place, convert(self.text, self.number(var), type.dtype), at)

    def _if(self, operation: Operation) -> list[Value]:
        then, orelse = operation.regions
        if "barrier" in operation.attributes:
            return self.region(then)
        text, predicate = self.text, self.number(operation.operands[0])
        known = known_value(predicate)
        if known is not None:
            arm, other = (then, orelse) if known else (orelse, then)
            self.uses.subtract(uses_in(other))
            return self.region(arm)
        labels, tails, end = [text.label(), text.label()], [text.label(), text.label()], text.label()
        is_short = all(one.kind in _OF_BITS for region in operation.regions for one in region.operations)
        note = text.unforeseen() if is_short and _is_bit(operation.operands[0]) else ""
        text.do(f"br i1 {predicate.name}, label %{labels[0]}, label %{labels[1]}{note}")
        outside, before = self.values, self.versions()
        within = [uses_in(region) for region in operation.regions]
        wanted, self.wanted_behind = self.wanted_behind, self.wanted_but_in(within)
        self.around += 1
        arms: list[Arm] = []
        elsewhere = within[1]
        self.uses.subtract(elsewhere)
        for label, tail, region in zip(labels, tails, operation.regions, strict=True):
            if region is orelse:
                self.uses.update(elsewhere)
            text.begin(label)
            self.back_to(before)
            # What an arm computes of values from outside is not known behind it.
            self.values = dict(outside)
            arms.append(Arm(self.region(region), self.versions()))
            text.do(f"br label %{tail}")
        self.wanted_behind = wanted
        rooms = self.rooms_for(arms, before)
        blocks: list[str] = []
        for tail, (values, versions) in zip(tails, arms, strict=True):
            text.begin(tail)
            self.back_to(versions)
            for place, value in zip(rooms, values, strict=True):
                if isinstance(value, Array) and place in (None, value.memory):
                    value.now()
                elif place is not None:
                    self.fill(place, value)
            blocks.append(text.block)
            text.do(f"br label %{end}")
        text.begin(end)
        self.around -= 1
        self.values = outside
        self.back_to(before)
        for place in before:
            if any(arm.versions.get(place, before[place]) != before[place] for arm in arms):
                place.change()
        found: list[Value] = []
        for place, one, other in zip(rooms, *(arm.results for arm in arms), strict=True):
            if isinstance(one, Number) and isinstance(other, Number):
                found.append(self.merged(one, other, blocks))
                continue
            if place is None:
                assert isinstance(one, Array)
                place = one.memory
                found.append(Array(place, place.version))
            else:
                found.append(place.change())
        return found


#: by the kind of an operation; all other kinds are of numbers, element by element
_RULES: dict[str, Callable[[_Program, Operation], Sequence[Value]]] = {
    **dict.fromkeys(OF_JAXPRS, _Program._leaf),
    "ahead": _Program._ahead,
    "broadcast": _Program._broadcast,
    "constant": _Program._constant,
    "convert": _Program._convert,
    "for": _Program._for,
    "if": _Program._if,
    "live": _Program._live,
    "load": lambda program, operation: [program._load(operation, touched(operation) or [])],
    "part": _Program._part,
    "select": _Program._select,
    "store": lambda program, operation: [program._store(operation, touched(operation) or [])],
    "while": _Program._while,
}


def _is_from_end(operation: Operation, bounds: Bounds) -> bool:
    """Whether it makes an index that was looked at, `i + n if i < 0 else i`."""
    predicate, behind, index = operation.operands
    asked, added = predicate.owner, behind.owner
    if index.type.shape or index.type.dtype != INDEX or not isinstance(asked, Operation) or asked.kind != "lt":
        return False
    if asked.operands[0] is not index or constant_value(asked.operands[1]) != 0:
        return False
    if not isinstance(added, Operation) or added.kind != "add" or index not in added.operands:
        return False
    length = constant_value(added.operands[1 if added.operands[0] is index else 0])
    return length is not None and not bounds.at_least(index, -int(length))


def _is_bit(predicate: Var) -> bool:
    """Whether a predicate asks for bits of an integer, as checksums and generators of random numbers do."""
    owner = predicate.owner
    if not isinstance(owner, Operation) or owner.jaxpr is not None:
        return False
    if owner.kind in ("eq", "ne", "bitwise_not", "convert"):
        return _is_bit(owner.operands[0])
    return owner.kind in ("bitwise_and", "bitwise_xor") and predicate.type.dtype.kind in "iu"


def is_elementwise(leaf: Operation) -> bool:
    """Whether a leaf computes each element of its result of those of its operands at that place."""
    if touched(leaf) is not None or is_stack(leaf) or is_unstack(leaf):
        return False
    return equations.is_elementwise(traced(leaf.jaxpr))


__all__ = ["Function", "function_of", "is_elementwise"]
