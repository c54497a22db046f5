"""Loops over numbers, and over arrays of few elements, as a function in LLVM's language."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from itertools import count
from math import prod
from typing import NamedTuple

import jax
import jax.extend.core
import numpy as np

from xlapy.ir import Operation, Region, Var, captured, constant_value
from xlapy.ir.operations import ARITY
from xlapy.ir.places import Dimension, touched
from xlapy.ir.vectors import is_stack, is_unstack
from xlapy.lowering import ahead
from xlapy.lowering.llvm import jaxprs, memory
from xlapy.lowering.llvm.apart import Carried, Trips, made_by_several
from xlapy.lowering.llvm.arrays import (
    OWN,
    SOME,
    Extent,
    Lazy,
    Part,
    Place,
    Value,
    Window,
    bounded,
    dtype_of,
    element,
    inside,
    is_computed_in_place,
    is_mask,
    is_slow,
    is_uniform,
    is_view,
    lies_in_rows,
    over,
    placed,
    reads,
    rest_of,
    shape_of,
    view,
    window_of,
)
from xlapy.lowering.llvm.bounds import Bounds
from xlapy.lowering.llvm.engine import vector_of
from xlapy.lowering.llvm.exits import Errors, Exit, exits_of
from xlapy.lowering.llvm.exits import Place as Output
from xlapy.lowering.llvm.functions import IN_VECTORS
from xlapy.lowering.llvm.fusing import remembered, shared_in
from xlapy.lowering.llvm.memory import Array, Memory
from xlapy.lowering.llvm.narrowing import narrowed
from xlapy.lowering.llvm.numbers import RULES, any_order, convert, select
from xlapy.lowering.llvm.sharing import LEFT, is_worth, leaving
from xlapy.lowering.llvm.team import processors
from xlapy.lowering.llvm.text import (
    FALSE,
    INDEX,
    STORED,
    TRUE,
    Number,
    Text,
    Unsuitable,
    known_int,
    known_value,
    literal,
    part_of,
    plus,
    times,
    type_in_memory,
    type_of,
)
from xlapy.lowering.llvm.trips import are_apart, sums_of
from xlapy.lowering.rules import IN_VECTORS as IN_LAX
from xlapy.lowering.rules import RULES as LAX
from xlapy.lowering.rules import has_factors
from xlapy.lowering.untraced import traced

#: bytes of one array that is made in the function, and of all of them; of those that the caller makes room for
_ROOM, _ROOM_OF_ALL, _ROOM_OUTSIDE = 1 << 15, 1 << 18, 1 << 26
#: what a processor does with integers in no time
_OF_BITS = frozenset(
    "constant convert bitwise_and bitwise_or bitwise_xor bitwise_not shift_left shift_right_logical"
    " shift_right_arithmetic add sub neg select".split()
)
#: a number of trips that is not known in fact, if they may be as many
_MANY = 1 << 31
#: elements of arrays that a loop is written three times for, so as not to copy them, and operations in it
_SWAPPED, _LONGEST = 256, 200
#: trips for each thread from which on they are shared out
_EACH = 4
#: bytes below which an array is not made where the result lies
_SMALL = 1 << 9


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
    """

    operands: list[Var]
    results: list[Var]
    changed: dict[int, Var]
    rooms: list[tuple[int, Var | None]]
    pointers: list[tuple[str, int]]
    body: str
    constants: list[np.ndarray]
    has_loops: bool


def function_of(region: Region, may_have_rooms: bool = False, errors: Errors | None = None) -> Function:
    """A region in LLVM's language, a function of its parameters and of what it captures.

    Args:
        region: the region.
        may_have_rooms: whether the caller makes room for large arrays.
        errors: of a program, which of its results tell the host about errors, if it may be left at the first one: the
            others are then anything.

    Raises:
        Unsuitable: XLA does better, or something is not known here.
    """
    return _Program(region, may_have_rooms, errors).function


class _Program:
    """Writes a function."""

    def __init__(self, region: Region, may_have_rooms: bool, errors: Errors | None) -> None:
        self.may_have_rooms = may_have_rooms
        self._results = region.results
        exits = None if errors is None else exits_of(region, errors)
        self._exits = exits or {}
        #: results that are written on the way out
        self._told = {k for exit in self._exits.values() for (k, _), *_ in exit.stored}
        #: whether there is no error here: then what was checked is as it should be
        self._is_left = exits is not None
        self.text = Text()
        self.bounds = Bounds()
        self.values: dict[Var, Value] = {}
        #: loops and branches that are open
        self._around = 0
        #: products of which some lanes are looked at only, with what makes the mask of these
        self._lanes_of: dict[Operation, Operation] = {}
        #: additions and the like to what a loop carries, which nothing else looks at: they may be made in any order
        self._folds: set[Operation] = set()
        #: the trip of the loop that may be shared out, where one is being written
        self._trip: str | None = None
        #: whether a loop carries an array in other memory than it was in before
        self._is_moved = False
        #: whether what is written now is done once, though in a loop
        self._is_once = False
        #: how often a value is still used
        self._uses = _uses(region)
        self._outside: dict[Memory, Var] = {}
        self._copies: dict[Memory, Var] = {}
        #: bytes of memory of its own
        self._room = 0
        self._numbers = count()
        #: memory that the caller has: its bytes, and what lies there at first, by name
        self._outer_rooms: dict[str, tuple[int, Var | None]] = {}
        for k, var in enumerate((*region.params, *captured(region))):
            self.values[var] = self._outer(var, f"%o{k}")
        self._changed: dict[int, Var] = {}
        written = [self._result(k, value) for k, value in enumerate(self._region(region))]
        for place, var in self._copies.items():
            self._take_outside(place.pointer, prod(place.shape) * place.dtype.itemsize, var)
        read = [(place, var) for place, var in self._outside.items() if place.used]
        names = [*(place.pointer for place, _ in read), *(place.pointer for place in written)]
        names += self._outer_rooms
        kinds = {"operand": len(read), "result": len(written), "room": len(self._outer_rooms)}
        pointers = [(kind, k) for kind, many in kinds.items() for k in range(many)]
        variables, results = [var for _, var in read], list(region.results)
        rooms = list(self._outer_rooms.values())
        body, text = self._written(names), self.text
        self.function = Function(
            variables, results, self._changed, rooms, pointers, body, text.constants, text.has_loops
        )

    def _written(self, pointers: Sequence[str]) -> str:
        """The definition of the function."""
        text = self.text
        parameters = ", ".join(f"ptr noalias nocapture {pointer}" for pointer in pointers)
        head = [f"define internal void @main({parameters}) {{", "entry:", *self.text.rooms.values(), *text.begins]
        functions = [*text.functions, *([STORED] if text.watched else [])]
        lines = [*text.tables, *text.declared.values(), *functions, *head, *text.body(), "  ret void", "}", *text.notes]
        return "\n".join(lines)

    # -- what comes in, and what goes out --

    def _outer(self, var: Var, name: str) -> Value:
        """What stands for a value of the regions around."""
        shape, dtype, constant = var.type.shape, var.type.dtype, constant_value(var)
        if constant is not None:
            try:
                return jaxprs.known(self.text, constant)
            except Unsuitable:
                pass  # it is an operand
        type_of(dtype)
        if prod(shape) == 0:
            raise Unsuitable("an array without elements")
        place = Memory(name, dtype, shape, True)
        self._outside[place] = var
        array = Array(place, place.version)
        return memory.load(self.text, array, ("0",) * len(shape)) if prod(shape) == 1 else array

    def _result(self, k: int, value: Value) -> Memory:
        """Where a result lies."""
        if isinstance(value, Array) and value.now() in self._copies:
            self._changed[k] = self._copies.pop(value.memory)
            return value.memory
        if isinstance(value, Array) and k not in self._told and self._is_given_away(value.now()):
            return value.memory
        shape = shape_of(value)
        place = Memory(f"%r{k}", dtype_of(value), shape, False)
        self._fill(place, value)
        return place

    def _is_given_away(self, place: Memory) -> bool:
        """Whether a memory of the function's own becomes a result, so that nothing has to be copied there. What is
        small stays: LLVM may keep it in registers."""
        if prod(place.shape) * place.dtype.itemsize < _SMALL:
            return False
        return any(rooms.pop(place.pointer, None) is not None for rooms in (self.text.rooms, self._outer_rooms))

    def _changeable(self, value: Value) -> Value:
        """What a loop carries, in a memory that it may change."""
        if self.text.arms and not isinstance(value, Number):
            return self.kept(value)  # behind the branch it is as it was
        if isinstance(value, Number) or isinstance(value, Array) and self._is_own(value.now()):
            return value
        if self._around or self.text.loops or not isinstance(value, Array) or value.memory not in self._outside:
            return self.kept(value)
        place = Memory(f"%c{next(self._numbers)}", *value.memory.type(), False)
        self._copies[place] = self._outside[value.memory]
        return Array(place, place.version)

    def _apart(self, values: list[Value]) -> list[Value]:
        """What a loop carries, each array in a memory of its own."""
        seen: set[Memory] = set()
        for k, value in enumerate(values):
            if isinstance(value, Array):
                values[k] = value = self.kept(value) if value.memory in seen else value
                seen.add(value.memory)
        return values

    def _is_own(self, place: Memory) -> bool:
        """Whether a memory may be changed here: not if the next trip of a loop around finds it as it was."""
        return not place.fixed and place.depth == self.text.loops

    # -- arrays --

    def kept(self, value: Value) -> Array:
        """A copy of an array in a memory of its own."""
        place = self.made(dtype_of(value), shape_of(value))
        self._fill(place, value)
        return Array(place, place.version)

    def writable(self, value: Value) -> Array:
        """An array in a memory that may be changed: that of the array itself, if nothing else wants it as it is."""
        found = self._changeable(value)
        assert isinstance(found, Array)
        self._settle([found.memory])
        return found

    def made(self, dtype: np.dtype, shape: tuple[int, ...]) -> Memory:
        """A memory of its own, which holds nothing yet."""
        size = prod(shape) * dtype.itemsize
        if size > _ROOM or self._room + size > _ROOM_OF_ALL:
            return self._made_outside(dtype, shape, size)
        self._room += size
        place = Memory(f"%a{next(self._numbers)}", dtype, shape, False)
        place.depth = self.text.loops
        many = prod(shape) * (2 if dtype.kind in "cV" else 1)
        type = type_in_memory(part_of(dtype))
        self.text.rooms[place.pointer] = f"  {place.pointer} = alloca [{many} x {type}], align 64"
        return place

    def _made_outside(self, dtype: np.dtype, shape: tuple[int, ...], size: int) -> Memory:
        """The same, in memory that the caller has."""
        place = Memory(f"%w{next(self._numbers)}", dtype, shape, False)
        place.depth = self.text.loops
        self._take_outside(place.pointer, size, None)
        return place

    def _take_outside(self, name: str, size: int, holds: Var | None) -> None:
        """Let the caller have so many bytes of memory, in which a value lies at first."""
        if not self.may_have_rooms or sum(size for size, _ in self._outer_rooms.values()) + size > _ROOM_OUTSIDE:
            raise Unsuitable("an array that is too large to be made here")
        self._outer_rooms[name] = size, holds

    def _fill(self, place: Memory, value: Value, where: Callable[[Place], Place] | None = None) -> None:
        """Store the elements of an array, at the places in a memory that they go to."""
        if where is not None:
            self._fill_with(value, place, place.shape if isinstance(value, Number) else shape_of(value), where)
            return
        if not (self._is_once and isinstance(value, Array)):
            bounded(self.text, place.shape, value)
        number = rest_of(value) if isinstance(value, Number) or is_uniform(value) else None
        if isinstance(value, Array):
            memory.copy(self.text, value, place)
        elif number is not None and memory.is_zero(number):
            memory.clear(self.text, place)
        else:
            self._fill_with(value, place, place.shape, lambda at: at, lies_in_rows(value, place.shape))

    def _fill_with(
        self,
        value: Value,
        place: Memory,
        shape: Sequence[int],
        where: Callable[[Place], Place],
        in_rows: bool = False,
    ) -> None:
        bounded(self.text, shape, value)
        parts = value.parts if isinstance(value, Lazy) else ()
        together = parts if len({shape_of(part.value) for part in parts}) == 1 else ()
        for part in () if together else parts:
            onwards = partial(self._shifted, part=part)
            self._fill_with(part.value, place, shape_of(part.value), lambda at, on=onwards: where(on(at)))
        if parts and not together:
            return

        def visit(at: Place, numbers: list) -> list:
            # all are computed before one is stored: LLVM sees that they load the same
            found = [(element(self.text, part.value, at), where(self._shifted(at, part))) for part in together]
            for number, position in found or [(element(self.text, value, at), where(at))]:
                memory.put(self.text, place, number, position)
            return []

        again = place not in reads(value, *(part.value for part in together))
        width = vector_of(place.dtype) if again else 1
        shape = shape_of(together[0].value) if together else shape
        over(self.text, shape, [], visit, in_rows=in_rows and not parts, width=width, is_apart=True)

    def _shifted(self, at: Place, part: Part) -> Place:
        """Where an element of a part is in the array."""
        return [*at[: part.axis], plus(self.text, at[part.axis], str(part.first)), *at[part.axis + 1 :]]

    def _settle(self, changing: Iterable[Memory]) -> None:
        """Compute what is still wanted of memories that are about to be changed."""
        changing = set(changing)
        for var, value in list(self.values.items()):
            if isinstance(value, Lazy | Array) and self._uses[var] > 0 and not changing.isdisjoint(reads(value)):
                if isinstance(value, Lazy) or value.version == value.memory.version:
                    self.values[var] = self.kept(value)

    def value(self, var: Var) -> Value:
        """What stands for a value."""
        found = self.values.get(var)
        if found is None:
            raise Unsuitable("a value from elsewhere")
        return found

    def number(self, var: Var) -> Number:
        """The number that stands for a value."""
        found = self.value(var)
        if not isinstance(found, Number):
            raise Unsuitable("an array in place of a number")
        return found

    # -- operations --

    def _region(self, region: Region) -> list[Value]:
        shared = shared_in(region, _is_elementwise)
        operations, lanes = narrowed(region, self._uses)
        self._lanes_of.update(lanes)
        for operation in operations:
            self._uses.subtract(operation.operands)
            found = self._operation(operation)
            if operation.kind in ("for", "while") and operation in self._exits:
                found = self._left_behind(operation, found)
            for var, value in zip(operation.results, found, strict=True):
                if isinstance(value, Lazy) and not value.is_view and self._uses[var] > 1:
                    value = remembered(self.text, value) if var in shared else self.kept(value)
                self.values[var] = value
        self._uses.subtract(region.results)
        return [self.value(v) for v in region.results]

    def _operation(self, operation: Operation) -> Sequence[Value]:
        match operation.kind:
            case "constant":
                return [jaxprs.known(self.text, operation.attributes["value"])]
            case "live":
                return [self.value(operation.operands[1])]
            case "convert" if operation.operands[0].type.dtype == operation.results[0].type.dtype:
                return [self.value(operation.operands[0])]
            case "convert":
                return [self._numeric(operation, lambda x: convert(self.text, x, operation.results[0].type.dtype))]
            case "broadcast":
                return [self._broadcast(operation)]
            case "if":
                return self._if(operation)
            case "for":
                return self._for(operation, [self.value(v) for v in operation.operands[1:]])
            case "while":
                return self._while(operation, [self.value(v) for v in operation.operands])
            case "leaf":
                return self._leaf(operation)
            case "ahead":
                jaxpr = ahead.products_as_jaxpr(operation)
                return jaxprs.evaluated(self.text, self, jaxpr, list(map(self.value, operation.operands)))
            case "part":
                whole = [Dimension(0, 1, n, False) for n in operation.results[0].type.shape]
                return [self._load(operation, [Dimension(operation.operands[1], 1, 1, True, checked=True), *whole])]
            case "select" if operation in self._exits:
                return [self._left_or(self._exits[operation])]
            case "select":
                return [self._select(operation)]
        if operation.kind not in ARITY:
            raise Unsuitable(operation.kind)
        if operation in self._folds:
            name = "fmul" if operation.kind == "mul" else f"f{operation.kind}"
            return [self._numeric(operation, partial(any_order, self.text, name))]
        if operation.kind not in RULES or operation.kind == "pow" and has_factors(operation):
            return self._as_lax(operation)
        least = np.inf if operation.kind in IN_VECTORS else IN_LAX.get(operation.kind, np.inf)
        if prod(operation.results[0].type.shape) >= least:
            return self._as_lax(operation)
        return [self._numeric(operation, partial(RULES[operation.kind], self.text))]

    def _numeric(self, operation: Operation, rule: Callable[..., Number]) -> Value:
        type = operation.results[0].type
        values = map(self.value, operation.operands)
        return jaxprs.elementwise(self.text, type.shape, type.dtype, rule, list(values), operation.kind)

    def _select(self, operation: Operation) -> Value:
        """A choice for each element; where those in a window are replaced, a store into an array that is there."""
        predicate, new, old = (self.value(v) for v in operation.operands)
        window = window_of(predicate) if is_mask(predicate, shape_of(old)) else None
        if window is None or not isinstance(old, Array) or not self._is_own(old.now()):
            return self._numeric(operation, partial(select, self.text))
        place, keep, inside = old.memory, None, window.inside
        if place in reads(predicate):
            mask = self.kept(predicate)
            inside = lambda at: element(self.text, mask, at)  # noqa: E731
        if place in reads(new):
            keep = self.made(place.dtype, place.shape)
            self._fill_window(keep, new, window)
            new = Array(keep, keep.version)
        self._settle([place])
        self._fill_window(place, new, window, inside)
        return place.change()

    def _fill_window(
        self, place: Memory, value: Value, window: Window, mask: Callable[[Place], Number] | None = None
    ) -> None:
        """Store the elements of an array that are in a window; those that a mask selects, if there is one."""
        if is_slow(value):
            raise Unsuitable("functions of so many elements")

        def visit(at: Place, numbers: list) -> list:
            new, chosen = element(self.text, value, at), TRUE if mask is None else mask(at)
            if chosen != TRUE:
                new = select(self.text, chosen, new, memory.load(self.text, Array(place, place.version), at))
            memory.put(self.text, place, new, at)
            return []

        over(self.text, place.shape, [], visit, window.extents)

    def _lanes(self, operation: Operation, mask: Value) -> Value:
        """A mask of the lanes from one on up to another."""
        note = operation.attributes["lanewise"]
        if not isinstance(mask, Lazy) or len(mask.shape) != 1:
            return mask
        length, *start = (convert(self.text, self.number(v), INDEX) for v in operation.operands)
        first = start[0] if start else literal(note.static[0], INDEX)
        room, zero = literal(mask.shape[0], INDEX), literal(0, INDEX)
        ends = [first, RULES["add"](self.text, first, length)]
        first, end = (RULES["min"](self.text, RULES["max"](self.text, x, zero), room).name for x in ends)
        window = Window((Extent(first, end),), FALSE, lambda at: TRUE)
        return mask._replace(is_view=True, window=window)

    def _steps(self, operation: Operation) -> Lazy:
        """A mask of every n-th lane from one on up to another."""
        text, (size,) = self.text, operation.results[0].type.shape
        start, first, stop, step = (convert(text, self.number(v), INDEX) for v in operation.operands)
        room = literal(size, INDEX)
        first = RULES["max"](text, RULES["add"](text, start, first), literal(0, INDEX))
        end = RULES["min"](text, RULES["add"](text, start, stop), room)
        # One that is longer than the array has one index, and so has this.
        step = RULES["min"](text, RULES["max"](text, step, literal(1, INDEX)), room)

        def at(place: Place) -> Number:
            lane = Number(INDEX, (place[0],))
            away = RULES["rem"](text, RULES["sub"](text, lane, first), step)
            within = RULES["bitwise_and"](text, RULES["ge"](text, lane, first), RULES["lt"](text, lane, end))
            return select(text, within, RULES["eq"](text, away, literal(0, INDEX)), FALSE)

        window = Window((Extent(first.name, end.name, step.name),), FALSE, lambda at: TRUE)
        return Lazy(FALSE.dtype, (size,), at, frozenset(), True, False, window)

    def _over_range(self, operation: Operation) -> Number | None:
        """The sum of some lanes in a row, or of their products."""
        note = operation.attributes["lanewise"]
        mask = self.value(operation.operands[-1])
        window = window_of(mask)
        if window is None or len(window.extents) != 1 or len(operation.operands) != len(note.operands) + 1:
            return None
        values = [self.value(operation.operands[k]) for k in note.operands]
        dtype = operation.results[0].type.dtype
        if is_slow(*values) or operation.results[0].type.shape or dtype.kind == "b":
            return None
        if note.kind == "dot" and any(dtype_of(v) != dtype for v in values):
            return None
        lane = jax.ShapeDtypeStruct((1,), dtype_of(values[0]))
        term = jax.make_jaxpr(lambda x: note.function(x, *note.static))(lane) if note.kind == "sum" else None

        def trip(place: Place, numbers: list[Number]) -> list[Number]:
            factors = [element(self.text, v, place) for v in values]
            if term is None:
                (new,) = [RULES["mul"](self.text, *factors)]
            else:
                (new,) = jaxprs.evaluated(self.text, self, term, factors)
            assert isinstance(new, Number)
            new, chosen = convert(self.text, new, dtype), window.inside(place)
            new = new if chosen == TRUE else select(self.text, chosen, new, literal(0, dtype))
            return [jaxprs.joined(self.text, "add", numbers[0], new)]

        return over(self.text, shape_of(mask), [literal(0, dtype)], trip, window.extents)[0]

    def _checked(self, operation: Operation) -> list[Value]:
        """Each lane of a vector made to what it stands for, whether any lane is bad, and the first one that is: looked
        for where there is one."""
        text, note, value = self.text, operation.attributes["lanewise"], self.value(operation.operands[0])
        dtype, shape = dtype_of(value), shape_of(value)

        def one_of(k: int, shape: tuple[int, ...]) -> jax.extend.core.ClosedJaxpr:
            return jax.make_jaxpr(lambda x: note.function(x, *note.static)[k])(jax.ShapeDtypeStruct(shape, dtype))

        def looked_at(number: Number, known: Number) -> list[Number]:
            (bad,) = jaxprs.evaluated(text, self, is_bad, [number])
            assert isinstance(bad, Number)
            return [RULES["bitwise_or"](text, known, bad)]

        if not is_view(value):
            value = self.kept(value)
        is_bad, window = one_of(1, (1,)), window_of(value)
        # A lane of nothing but zeros is never bad.
        extents = () if window is None or not memory.is_zero(window.rest) else window.extents
        lane = inside if extents else element
        found = jaxprs.evaluated(text, self, one_of(0, shape), [value])

        def look(place: Place, numbers: list[Number]) -> list[Number]:
            return looked_at(lane(text, value, place), *numbers)

        def look_for(place: Place, numbers: list[Number]) -> list[Number]:
            (first, known), number = numbers, lane(text, value, place)
            (bad,) = looked_at(number, known)
            is_new = RULES["bitwise_and"](text, bad, RULES["bitwise_not"](text, known))
            return [select(text, is_new, number, first), bad]

        (wrong,) = over(text, shape, [FALSE], look, extents)
        first = literal(0, dtype)
        if self._uses[operation.results[2]] > 0:
            first = self._rarely(wrong, first, lambda: over(text, shape, [first, FALSE], look_for, extents)[0])
        return [*found, wrong, first]

    def _rarely(self, predicate: Number, usually: Number, otherwise: Callable[[], Number]) -> Number:
        """A number that is computed if a predicate holds, which it hardly ever does, and another one else."""
        text, before = self.text, self.text.block
        rare, end = text.label(), text.label()
        text.do(f"br i1 {predicate.name}, label %{rare}, label %{end}, !prof {text.unlikely()}")
        text.begin(rare)
        number = otherwise()
        blocks = [text.block, before]
        text.do(f"br label %{end}")
        text.begin(end)
        return self._merged(number, usually, blocks)

    def _broadcast(self, operation: Operation) -> Value:
        value, shape = self.value(operation.operands[0]), operation.results[0].type.shape
        if isinstance(value, Number) and prod(shape) == 1:
            return value
        return placed(self.text, value, shape, range(len(shape) - len(shape_of(value)), len(shape)))

    def _as_lax(self, operation: Operation) -> list[Value]:
        """What an operation is in terms of `jax.lax`."""
        types = [jax.ShapeDtypeStruct(v.type.shape, v.type.dtype) for v in operation.operands]
        jaxpr = jax.make_jaxpr(lambda *xs: LAX[operation.kind](operation, xs))(*types)
        return jaxprs.evaluated(self.text, self, jaxpr, list(map(self.value, operation.operands)))

    def _leaf(self, operation: Operation) -> Sequence[Value]:
        dims = touched(operation)
        if dims is not None:
            return [(self._load if operation.attributes["name"] == "slice" else self._store)(operation, dims)]
        note = operation.attributes.get("lanewise")
        if note is not None and note.kind in ("sum", "dot"):
            found = self._over_range(operation)
            if found is not None:
                return [found]
        if note is not None and note.kind == "check" and len(operation.operands[0].type.shape) == 1:
            return self._checked(operation)
        if note is not None and note.kind == "steps" and prod(operation.results[0].type.shape) > 1:
            return [self._steps(operation)]
        if is_stack(operation):
            return [self._stacked(operation)]
        if is_unstack(operation):
            return self._unstacked(operation)
        jaxpr = traced(operation.attributes["jaxpr"])
        window = window_of(self.value(self._lanes_of[operation].results[0])) if operation in self._lanes_of else None
        if window is not None and window.extents[0] is not None:
            operands = list(map(self.value, operation.operands))
            product = jaxprs.vector_product(self.text, self, jaxpr.jaxpr, operands, window.extents[0])
            if product is not None:
                return [product]
        values = jaxprs.evaluated(self.text, self, jaxpr, list(map(self.value, operation.operands)))
        return [self._lanes(operation, values[0])] if note is not None and note.kind == "lanes" else values

    def _stacked(self, operation: Operation) -> Value:
        """Values in an array."""
        (result,) = operation.results
        rows = [self.value(v) for v in operation.operands]
        if prod(result.type.shape) == 1:
            return rows[0]
        place = self.made(result.type.dtype, result.type.shape)
        for k, row in enumerate(rows):
            if isinstance(row, Number):
                memory.put(self.text, place, row, (str(k), *("0" for _ in result.type.shape[1:])))
            else:
                self._fill(place, row, lambda at, k=k: (str(k), *at))
        return Array(place, place.version)

    def _unstacked(self, operation: Operation) -> list[Value]:
        """The values in an array; what nobody wants is not loaded."""
        array = self.value(operation.operands[0])
        found: list[Value] = []
        for k, var in enumerate(operation.results):
            shape = var.type.shape
            if prod(shape) == 1:
                wanted = self._uses[var] > 0
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
        if isinstance(array, Number):
            return new if isinstance(new, Number) else element(self.text, new, ("0",) * len(shape_of(new)))
        array = self.writable(array)
        if array.memory in reads(new) and not is_computed_in_place(new, array.memory, tuple(dims)):
            new = self.kept(new)
        where = self._places(array.memory.shape, dims)
        if isinstance(new, Number):
            self._fill_with(new, array.memory, [d.count for d in dims if not d.dropped], where)
        else:
            self._fill(array.memory, new, where)
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
        if dim.checked and self._is_left:
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

    def _left_behind(self, loop: Operation, results: Sequence[Value]) -> Sequence[Value]:
        """Leave the function if an error was raised in a loop; if not, its tag is zero."""
        exit = self._exits[loop]
        self.values.update(zip(loop.results, results, strict=True))
        zero = literal(0, exit.tag.type.dtype)
        self._leave(exit, RULES["ne"](self.text, self.number(exit.tag), zero))
        return [zero if var is exit.tag else value for var, value in zip(loop.results, results, strict=True)]

    def _left_or(self, exit: Exit) -> Value:
        """Leave the function if an error is raised; if not, the tag is what it was."""
        assert exit.predicate is not None and exit.before is not None
        self._leave(exit, self.number(exit.predicate))
        self.values[exit.predicate] = FALSE
        return self.value(exit.before)

    def _leave(self, exit: Exit, predicate: Number) -> None:
        text, values, uses, versions = self.text, self.values, self._uses, self._versions()
        left, rest = text.label(), text.label()
        text.do(f"br i1 {predicate.name}, label %{left}, label %{rest}, !prof {text.unlikely()}")
        text.begin(left)
        if self._trip is not None:
            leaving(text, self._trip, text.label())
        for place, var, arm in exit.stored:
            self.values, self._uses = dict(values), uses.copy()
            if arm is not None:
                self._region(arm)
            self._put_out(place, var)
        text.do("ret void" if self._trip is None else LEFT)
        text.begin(rest)
        self._back_to(versions)
        self.values, self._uses = values, uses

    def _put_out(self, output: Output, var: Var) -> None:
        """Store a number in a result, or in an element of one."""
        k, position = output
        type = self._results[k].type
        place = Memory(f"%r{k}", type.dtype, type.shape, False)
        at = () if position is None else (str(position),)
        memory.put(self.text, place, convert(self.text, self.number(var), type.dtype), at)

    def _if(self, operation: Operation) -> list[Value]:
        then, orelse = operation.regions
        if "barrier" in operation.attributes:
            return self._region(then)
        text, predicate = self.text, self.number(operation.operands[0])
        known = known_value(predicate)
        if known is not None:
            arm, other = (then, orelse) if known else (orelse, then)
            self._uses.subtract(_uses(other))
            return self._region(arm)
        labels, tails, end = [text.label(), text.label()], [text.label(), text.label()], text.label()
        is_short = all(one.kind in _OF_BITS for region in operation.regions for one in region.operations)
        note = text.unforeseen() if is_short and _is_bit(operation.operands[0]) else ""
        text.do(f"br i1 {predicate.name}, label %{labels[0]}, label %{labels[1]}{note}")
        outside, before = self.values, self._versions()
        self._around += 1
        arms: list[list[Value]] = []
        after: list[dict[Memory, int]] = []
        elsewhere = _uses(orelse)
        self._uses.subtract(elsewhere)
        for label, tail, region in zip(labels, tails, operation.regions, strict=True):
            if region is orelse:
                self._uses.update(elsewhere)
            text.begin(label)
            self._back_to(before)
            # What an arm computes of values from outside is not known behind it.
            self.values = dict(outside)
            arms.append(self._region(region))
            after.append(self._versions())
            text.do(f"br label %{tail}")
        rooms = [self._room_for(*pair) for pair in zip(*arms, strict=True)]
        blocks: list[str] = []
        for tail, values, versions in zip(tails, arms, after, strict=True):
            text.begin(tail)
            self._back_to(versions)
            for place, value in zip(rooms, values, strict=True):
                if place is not None:
                    self._fill(place, value)
                elif isinstance(value, Array):
                    value.now()
            blocks.append(text.block)
            text.do(f"br label %{end}")
        text.begin(end)
        self._around -= 1
        self.values = outside
        self._back_to(before)
        for place in before:
            if any(versions.get(place, before[place]) != before[place] for versions in after):
                place.change()
        found: list[Value] = []
        for place, one, other in zip(rooms, *arms, strict=True):
            if isinstance(one, Number) and isinstance(other, Number):
                found.append(self._merged(one, other, blocks))
                continue
            if place is None:
                assert isinstance(one, Array)
                place = one.memory
            found.append(Array(place, place.version))
        return found

    def _room_for(self, one: Value, other: Value) -> Memory | None:
        """Where a result of a branch lies, if it is an array that the arms have in different places."""
        if isinstance(one, Number) and isinstance(other, Number):
            return None
        if isinstance(one, Array) and isinstance(other, Array) and one.memory is other.memory:
            return None
        return self.made(dtype_of(one), shape_of(other) if isinstance(one, Number) else shape_of(one))

    def _back_to(self, versions: dict[Memory, int]) -> None:
        for place, version in versions.items():
            place.version = version

    def _merged(self, one: Number, other: Number, blocks: list[str]) -> Number:
        if one.parts == other.parts:
            return one
        type = type_of(one.dtype)
        pairs = zip(one.parts, other.parts, strict=True)
        names = [self.text.new(f"phi {type} [{a}, %{blocks[0]}], [{b}, %{blocks[1]}]") for a, b in pairs]
        return Number(one.dtype, tuple(names))

    def _versions(self) -> dict[Memory, int]:
        """The versions of all memories that are known of."""
        memories = {value.memory for value in self.values.values() if isinstance(value, Array)}
        return {place: place.version for place in memories}

    def _for(self, loop: Operation, initial: list[Value]) -> list[Value]:
        (body,) = loop.regions
        index, *params = body.params
        text, dtype = self.text, index.type.dtype
        is_apart = not text.is_shared and self._is_many(loop) and are_apart(loop, self.bounds, self._is_left_in)
        sums = sums_of(loop) if is_apart and self._is_long(loop) else frozenset()
        trips = convert(text, self.number(loop.operands[0]), INDEX)
        self.bounds.note(index, loop.operands[0])
        initial = self._begun(loop, initial)

        def written(first: str, end: str, initial: list[Value], expected: float) -> Carried:
            start, stop = (convert(text, Number(INDEX, (x,)), dtype) for x in (first, end))

            def more(numbers: list[Number]) -> str:
                self.values[index] = numbers[0]
                return text.new(f"icmp slt {type_of(dtype)} {numbers[0].name}, {stop.name}")

            def trip(numbers: list[Number]) -> list[Value]:
                self._trip = convert(text, numbers[0], INDEX).name if is_apart else self._trip
                following = Number(dtype, (text.new(f"add nuw nsw {type_of(dtype)} {numbers[0].name}, 1"),))
                return [following, *self._region(body)]

            carried, is_left = [start, *initial], self._is_left_in(loop)
            if _swaps(body):
                carried = self._in_pairs(loop, carried, more, trip, expected)
                expected = 1
            return self._loop([index, *params], carried, more, trip, expected, is_left)

        if not is_apart:
            return _but_first(written("0", trips.name, initial, self._trips(loop))).behind()

        def part(first: str, end: str, initial: list[Value], expected: float) -> Carried:
            rooms, self._is_moved = len(self._outer_rooms), False
            made = _but_first(written(first, end, initial, expected))
            if loop in self._exits:
                self._trip = first  # of all parts with an error the first one tells of it
                found = list(self._left_behind(loop, made.behind()))
                made = Carried(found, found, found)
            return made._replace(in_place=not self._is_moved and rooms == len(self._outer_rooms))

        found = made_by_several(text, self, Trips(trips, self._trips(loop), initial, part, sums))
        self._trip = None
        return found

    def _in_pairs(
        self, loop: Operation, initial: list[Value], more: Callable, trip: Callable, expected: float
    ) -> list[Value]:
        """Two trips at a time of a loop that swaps arrays, behind which each is where it was before, and is not copied;
        what the last trip begins with, if there is one more."""
        body, uses = loop.regions[0], self._uses.copy()

        def two_more(numbers: list[Number]) -> str:
            following = RULES["add"](self.text, numbers[0], literal(1, numbers[0].dtype))
            return more([following])

        def twice(numbers: list[Number]) -> list[Value]:
            self.values[body.params[0]] = numbers[0]
            following, *values = trip(numbers)
            assert isinstance(following, Number)
            self._uses = uses.copy()
            self.values.update(zip(body.params, [following, *values], strict=True))
            return trip([following])

        found = self._loop(body.params, initial, two_more, twice, expected / 2, self._is_left_in(loop)).behind()
        self._uses = uses.copy()
        return found

    def _is_many(self, loop: Operation) -> bool:
        """Whether a loop makes so many trips that several threads get about as many each."""
        known = constant_value(loop.operands[0])
        return known is None or int(known) >= _EACH * processors()

    def _is_long(self, loop: Operation) -> bool:
        """Whether a loop may take so long that its sums should be made in parts."""
        if constant_value(loop.operands[0]) is None:
            return not self.text.loops
        return is_worth(self._work(loop))

    def _trips(self, loop: Operation) -> int:
        """How many trips a loop makes, about."""
        if loop.kind == "while":
            return SOME
        known = constant_value(loop.operands[0])
        if known is not None:
            return max(int(known), 1)
        most = self.bounds.most(loop.operands[0])
        return max(most // 2, 1) if most < _MANY else SOME

    def _work(self, operation: Operation) -> int:
        """How many instructions an operation takes, about."""
        if operation.kind in ("for", "while"):
            return self._trips(operation) * sum(map(self._work, operation.regions[-1].operations))
        inner = [sum(map(self._work, region.operations)) for region in operation.regions]
        return max([*(prod(v.type.shape) for v in operation.results), *inner], default=0)

    def _is_left_in(self, loop: Operation) -> bool:
        """Whether the function is left at an error in a trip of a loop."""
        return self._is_left and loop not in self._exits

    def _while(self, loop: Operation, initial: list[Value]) -> list[Value]:
        condition, body = loop.regions

        def more(numbers: list[Number]) -> str:
            self.values.update((v, self.values[p]) for v, p in zip(condition.params, body.params, strict=True))
            (predicate,) = self._region(condition)
            if not isinstance(predicate, Number):
                raise Unsuitable("a condition that is an array")
            return predicate.name

        initial = self._begun(loop, initial)
        is_left, trip = self._is_left_in(loop), lambda numbers: self._region(body)
        return self._loop(body.params, initial, more, trip, SOME, is_left).behind()

    def _begun(self, loop: Operation, initial: list[Value]) -> list[Value]:
        """What a loop carries, as it begins: arrays in memory of its own."""
        self.text.has_loops = True
        self._folds |= _folds(loop.regions[-1])
        for var in (v for region in loop.regions for v in captured(region)):
            value = self.values.get(var)
            if value is not None and not is_view(value):
                self.values[var] = self.kept(value)
        initial = self._apart(list(map(self._changeable, initial)))
        self._settle([x.memory for x in initial if isinstance(x, Array)])
        return initial

    def _loop(
        self,
        params: Sequence[Var],
        initial: list[Value],
        more: Callable,
        trip: Callable,
        expected: float,
        is_left: bool,
    ) -> Carried:
        """A loop that carries some values; `more` says whether there is another trip, and `trip` makes one, of which so
        many are expected, and at an error in which the function is left or not."""
        text = self.text
        owned = [x.memory for x in initial if isinstance(x, Array)]
        phis = text.phis([x for x in initial if isinstance(x, Number)])
        head, body, end = text.label(), text.label(), text.label()
        text.do(f"br label %{head}")
        phis.begin(head)
        # What captured an array before it is carried does not see it changed.
        carried: list[Value] = [x.now().change() if isinstance(x, Array) else x for x in initial]
        numbers = iter(phis.numbers)
        carried = [next(numbers) if isinstance(x, Number) else x for x in carried]
        self.values.update(zip(params, carried, strict=True))
        self._around, text.loops = self._around + 1, text.loops + 1
        often, text.often = text.often, text.often * expected
        before, self._is_left = self._is_left, is_left
        # Not yet the loop's own: the condition may compute with what is carried, and changes nothing.
        text.do(f"br i1 {more(phis.numbers)}, label %{body}, label %{end}")
        text.begin(body)
        outside = dict(self.values)
        for place in owned:
            place.depth = self.text.loops
        found = trip(phis.numbers)
        self._is_once = expected == 1
        found = self._carried_on(carried, found)
        self._is_once = False
        self._around, text.loops = self._around - 1, text.loops - 1
        text.often = often
        self._is_left = before
        for place in owned:
            place.depth = self.text.loops
        self.values = outside
        phis.close([x for x in found if isinstance(x, Number)])
        text.do(f"br label %{head}")
        text.begin(end)
        return Carried(initial, carried, found)

    def _carried_on(self, carried: list[Value], found: list[Value]) -> list[Value]:
        """What the next trip gets, in the memories that it looks for it in."""
        moved = {}
        for k, (old, new) in enumerate(zip(carried, found, strict=True)):
            if isinstance(old, Array):
                if isinstance(new, Array) and new.now() is old.memory:
                    continue
                others = [x for j, x in enumerate(carried) if j != k]
                later = [x for j, x in enumerate(found) if j != k]
                if isinstance(new, Array):
                    is_apart = all(new.memory not in reads(x) for x in carried)
                else:
                    is_apart = is_computed_in_place(new, old.memory, OWN) and old.memory not in reads(*later)
                    is_apart = is_apart and reads(new).isdisjoint(reads(*others))
                moved[k] = new if is_apart else self.kept(new)
            elif not isinstance(new, Number):
                found[k] = element(self.text, new, ("0",) * len(shape_of(new)))
        rooms = self.text.rooms
        self._is_moved |= any(
            isinstance(x, Array) and x.memory.pointer not in rooms for x in map(carried.__getitem__, moved)
        )
        for k, new in moved.items():
            old = carried[k]
            assert isinstance(old, Array)
            self._fill(old.memory, new)
            found[k] = old.memory.change()
        return found


def _but_first(carried: Carried) -> Carried:
    """What a loop carries but for its index."""
    initial, head, found, in_place = carried
    return Carried(initial[1:], head[1:], found[1:], in_place)


def _uses(region: Region) -> Counter[Var]:
    """How often values are used in a region, in regions inside of it, and as their results."""
    found: Counter[Var] = Counter(region.results)
    for operation in region.operations:
        found.update(operation.operands)
        for nested in operation.regions:
            found.update(_uses(nested))
    return found


def _swaps(body: Region) -> bool:
    """Whether an array that a loop carries is another one in the next trip, which is long enough for that to matter."""
    params = set(body.params[1:])
    pairs = zip(body.params[1:], body.results, strict=True)
    swapped = [y for x, y in pairs if y in params and y is not x and prod(y.type.shape) >= _SWAPPED]
    return bool(swapped) and body.size() <= _LONGEST


def _folds(body: Region) -> set[Operation]:
    """Where a trip adds to a float that it carries (or multiplies it), which nothing else in the trip looks at."""
    uses = _uses(body)
    found = set()
    params = body.params[len(body.params) - len(body.results) :]
    for param, result in zip(params, body.results, strict=True):
        last = result.owner
        if not isinstance(last, Operation) or last not in body.operations or uses[param] != 1 or uses[result] != 1:
            continue
        if isinstance(param.type.dtype, np.dtype) and param.type.dtype.kind == "f" and param.type.shape == ():
            if (
                last.kind in ("add", "mul")
                and param in last.operands
                or last.kind == "sub"
                and last.operands[0] is param
            ):
                found.add(last)
    return found


def _is_bit(predicate: Var) -> bool:
    """Whether a predicate asks for bits of an integer, as checksums and generators of random numbers do."""
    owner = predicate.owner
    if not isinstance(owner, Operation) or owner.kind == "leaf":
        return False
    if owner.kind in ("eq", "ne", "bitwise_not", "convert"):
        return _is_bit(owner.operands[0])
    return owner.kind in ("bitwise_and", "bitwise_xor") and predicate.type.dtype.kind in "iu"


def _is_elementwise(leaf: Operation) -> bool:
    """Whether a leaf computes each element of its result of those of its operands at that place."""
    if touched(leaf) is not None or is_stack(leaf) or is_unstack(leaf):
        return False
    return jaxprs.is_elementwise(traced(leaf.attributes["jaxpr"]))


__all__ = ["Function", "function_of"]
