"""Iterators made from iterators: enumerate, zip, map, filter, reversed."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from typing import Any

from xlapy.dispatch import registry
from xlapy.dispatch.iterators import deques, iteration, sequences
from xlapy.dispatch.iterators.iteration import make_iterator, step
from xlapy.dispatch.iterators.sequences import Kind, Plan, Step, new
from xlapy.dispatch.numbers import range_objects
from xlapy.dispatch.numbers.scalar_values import INT_MAX, defines, logical_and, logical_not, provoke
from xlapy.dispatch.protocol import PythonError, Refused
from xlapy.domain.values import (
    DEAD,
    FALSE,
    NONE,
    UNBOUND,
    BoundedArray,
    Const,
    JaxArray,
    NdArray,
    Range,
    Ref,
    Tuple,
    Union,
    Value,
    as_ref,
    references,
    tuple_items,
)
from xlapy.ir import Var
from xlapy.library.builtins import lazy_iterators

_ZERO, _ONE = Const(0), Const(1)


def inner_of(machine, number: int) -> Ref:
    """The iterator inside of an iterator: that of `x` in `enumerate(x)`."""
    return machine.heap.read(number, "inner")


def _inners(machine, number: int) -> tuple[Value, ...]:
    inner = machine.heap.read(number, "inner")
    if isinstance(inner, Union):
        raise Refused(
            "XP0004", "zip(*items) of a number of items that depends on data", "loop over the items"
        ) from None
    return inner.items


def advance(machine, number: int, name: str, by: Value) -> Value:
    """Add to a slot; the value before."""
    before = machine.heap.read(number, name)
    machine.heap.write(number, name, machine.binary("+", before, by))
    return before


def absent(value: object) -> bool:
    """Whether a value is None, for the compiler or in the program."""
    return value is None or (isinstance(value, Const) and value.value is None)


# -- enumerate --------------------------------------------------------------------------------------------------------


@registry.function(enumerate)
def enumerate_(machine, iterable: Value, start: Value = _ZERO) -> Value:
    """`enumerate(iterable, start)`."""
    inner = make_iterator(machine, iterable)
    return new(machine, _ENUMERATE, enumerate, inner=inner, count=range_objects.index(machine, start))


def _enumerate_step(machine, number: int) -> Step:
    more, element = step(machine, inner_of(machine, number))
    return more, lambda: Tuple((advance(machine, number, "count", _ONE), element()))


def _enumerate_plan(machine, number: int) -> Plan | None:
    inner = iteration.plan(machine, inner_of(machine, number))
    if inner is None:
        return None
    start = machine.heap.read(number, "count")

    def finish(k: Value, ended: bool | Var) -> None:
        inner.finish(k, ended)
        machine.heap.write(number, "count", machine.binary("+", start, k))

    return Plan(inner.iterations, lambda k: Tuple((machine.binary("+", start, k), inner.element(k))), finish)


def _inner_length(machine, number: int) -> int | None:
    return iteration.known_length(machine, inner_of(machine, number))


_ENUMERATE = Kind("enumerate", _enumerate_step, _enumerate_plan, _inner_length)


# -- zip and map ------------------------------------------------------------------------------------------------------


@registry.function(zip)
def zip_(machine, *iterables: Value, strict: Value = Const(False)) -> Value:  # noqa: B008
    """`zip(*iterables, strict=...)`."""
    inner = Tuple(tuple(make_iterator(machine, i) for i in iterables))
    exact = bool(machine.static(strict, "strict of zip"))
    if exact and _may_be_caught(machine) and _may_be_unequal(machine, inner.items):
        return machine.call(Const(lazy_iterators.strict_zip), inner.items)
    return new(machine, _ZIP, zip, inner=inner, strict=Const("zip" if exact else ""), function=NONE)


@registry.function(map)
def map_(machine, function: Value, /, *iterables: Value, **named: Value) -> Value:
    """`map(function, *iterables)`; from Python 3.14 on with `strict=...`."""
    if named.keys() - _MAP_NAMES:
        machine.raise_(TypeError, *provoke(lambda: map(len, [], **dict.fromkeys(named))).args)
    exact = bool(machine.static(named["strict"], "strict of map")) if named else False
    if not iterables:
        machine.raise_(TypeError, "map() must have at least two arguments.")
    if isinstance(function, Const) and function.value is next and len(iterables) == 1 and not exact:
        return machine.call(Const(lazy_iterators.next_items), [make_iterator(machine, iterables[0])])
    inner = Tuple(tuple(make_iterator(machine, i) for i in iterables))
    if exact and _may_be_caught(machine) and _may_be_unequal(machine, inner.items):
        return machine.call(Const(lazy_iterators.strict_map), [function, *inner.items])
    return new(machine, _ZIP, map, inner=inner, strict=Const("map" if exact else ""), function=function)


def _accepts_strict() -> bool:
    try:
        return bool(_REAL_MAP(len, [], strict=True))
    except TypeError:
        return False


_REAL_MAP: Any = map
#: the arguments that may be named on this CPython
_MAP_NAMES = {"strict"} if _accepts_strict() else set()


@registry.function(itertools.starmap)
def starmap(machine, function: Value, iterable: Value) -> Value:
    """`itertools.starmap(function, iterable)`."""
    inner = Tuple((make_iterator(machine, iterable),))
    return new(machine, _ZIP, itertools.starmap, inner=inner, strict=Const(""), function=function)


def _may_be_caught(machine) -> bool:
    """Whether there is a handler around this place, or one that may be around the loop."""
    return bool(machine.catching or machine.frames[-1].program.code.co_exceptiontable)


def _may_be_unequal(machine, inners: Sequence[Value]) -> bool:
    """Whether iterators that loops can be made of have different numbers of items, or data says how many."""
    if _share(machine, inners):
        return False
    iterations = [plan.iterations for plan in (iteration.plan(machine, i) for i in inners) if plan is not None]
    if len(iterations) < max(len(inners), 2):
        return False
    return not all(
        isinstance(n, Const) and isinstance(iterations[0], Const) and n.value == iterations[0].value for n in iterations
    )


def _combined(machine, number: int, parts: list[Value]) -> Value:
    """A tuple of the parts for zip, else what the function makes of them."""
    cls = machine.heap.objects[number].cls
    if cls is zip:
        return Tuple(tuple(parts))
    function = machine.heap.read(number, "function")
    if cls is itertools.starmap:
        parts = iteration.items(machine, parts[0])
    try:
        return machine.call(function, parts)
    except PythonError as error:
        if isinstance(error.value, Union) or not issubclass(machine.type_of(error.value), StopIteration):
            raise
        raise Refused(
            "XP0009", f"a function that raises StopIteration ends a {cls.__name__}", "loop over the items"
        ) from None


def _zip_step(machine, number: int) -> Step:
    inners = _inners(machine, number)
    if not inners:
        return False, lambda: UNBOUND
    strict = machine.heap.read(number, "strict").value
    if len(inners) == 1 and not strict:
        more, element = step(machine, inners[0])
        return more, lambda: _combined(machine, number, [element()])
    more, elements = _in_step(machine, inners, 0, strict)
    return more, lambda: _combined(machine, number, elements)


def _in_step(machine, inners: tuple[Value, ...], position: int, strict: str) -> tuple[bool | Var, list[Value]]:
    """Whether the iterators from `position` on all have a next item, and these. None is asked behind one that has
    ended."""
    if position == len(inners):
        return True, []
    one, element = step(machine, inners[position])
    if strict:
        one = _known_to_go_on(machine, one)
    if not isinstance(one, Var):
        if one:
            first = element()
            more, others = _in_step(machine, inners, position + 1, strict)
            return more, [first, *others]
        if strict:
            _check_strict(machine, strict, inners, position)
        return False, [DEAD] * (len(inners) - position)

    def rest() -> Value:
        first = element()
        more, others = _in_step(machine, inners, position + 1, strict)
        return Tuple((machine.boolean(more), first, *others))

    ended = Tuple((FALSE, *[DEAD] * (len(inners) - position)))
    found = tuple_items(machine.cond(one, rest, lambda: ended))
    return machine.truth(found[0]), list(found[1:])


def _check_strict(machine, function: str, inners: tuple[Value, ...], position: int) -> None:
    """The ValueError of `zip(strict=True)` where one iterable ends and others do not."""
    if position:
        _unequal(machine, function, position, "shorter")
    for later in range(1, len(inners)):
        if _known_to_go_on(machine, step(machine, inners[later])[0]):
            _unequal(machine, function, later, "longer")


def _known_to_go_on(machine, more: bool | Var) -> bool:
    return more if isinstance(more, bool) else bool(machine.static(machine.boolean(more), _STRICT))


_STRICT = "the length of an iterable beside others, with strict=True"


def _unequal(machine, function: str, position: int, word: str) -> None:
    machine.raise_(ValueError, lazy_iterators.unequal_text(function, position, word))


#: iterations before the error of `zip(strict=True)` that are made one by one
_FEW = 32
_MADE_THERE = "make it inside of the `try`, too"


def _zip_plan(machine, number: int) -> Plan | None:
    inners = _inners(machine, number)
    if _share(machine, inners):
        return None
    made = [iteration.plan(machine, i) for i in inners]
    plans = [plan for plan in made if plan is not None]
    if not plans or len(plans) < len(made):
        return None
    iterations = plans[0].iterations
    strict = machine.heap.read(number, "strict").value
    wrong: list[tuple[bool | Var, str]] = []
    for position, plan in enumerate(plans[1:], 1):
        if strict:
            for sign, word in (("<", "shorter"), (">", "longer")):
                bad = machine.truth(machine.compare(sign, plan.iterations, iterations))
                if bad is not False:
                    wrong.append((bad, lazy_iterators.unequal_text(strict, position, word)))
        iterations = range_objects.minimum(machine, iterations, plan.iterations)
    certain = any(bad is True for bad, _ in wrong)
    if certain and isinstance(iterations, Const) and iterations.value <= _FEW:
        return None  # step by step
    if wrong and machine.catching:
        raise Refused("XP0009", f"{strict}(strict=True) of iterables of other lengths, inside `try`", _MADE_THERE)

    def element(k: Value) -> Value:
        return _combined(machine, number, [p.element(k) for p in plans])

    def finish(k: Value, ended: bool | Var) -> None:
        asked = ended
        for plan in plans:
            gave = logical_and(machine, asked, machine.truth(machine.compare(">", plan.iterations, iterations)))
            had_none = logical_and(machine, asked, logical_not(machine, gave))
            # what comes before the one that has ended has given an item for nothing, what comes behind was not asked
            plan.finish(k if gave is False else machine.binary("+", k, machine.boolean(gave)), had_none)
            asked = gave
        for bad, text in wrong:
            machine.check(logical_and(machine, ended, bad), ValueError, text)

    return Plan(iterations, element, finish)


def _share(machine, iterators: Sequence[Value]) -> bool:
    """Whether one of the iterators moves another one on, as in `zip(it, it)`."""
    moved = [moved_with(machine, iterator) for iterator in iterators]
    return sum(map(len, moved)) > len(set().union(*moved))


def moved_with(machine, iterator: Value) -> set[int]:
    """The iterators and generators that are moved on with one, itself among them."""
    found: set[int] = set()
    todo = [*references(iterator)]
    while todo:
        number = todo.pop()
        info = machine.heap.objects[number]
        if number not in found and info.kind in ("iterator", "generator"):
            found.add(number)
            todo += [n for name in info.fields for n in references(machine.heap.read(number, name))]
    return found


def _zip_length(machine, number: int) -> int | None:
    lengths = [iteration.known_length(machine, i) for i in _inners(machine, number)]
    known = [n for n in lengths if n is not None]
    endless = [i for i, n in zip(_inners(machine, number), lengths, strict=True) if n is None and _endless(machine, i)]
    return min(known) if known and len(known) + len(endless) == len(lengths) else None


def _endless(machine, inner: Value) -> bool:
    made = iteration.plan(machine, inner)
    return made is not None and isinstance(made.iterations, Const) and made.iterations.value == INT_MAX


_ZIP = Kind("zip", _zip_step, _zip_plan, _zip_length)


# -- filter -----------------------------------------------------------------------------------------------------------


@registry.function(filter)
def filter_(machine, function: Value, iterable: Value) -> Value:
    """`filter(function, iterable)`, as a generator."""
    return _filtered(machine, lazy_iterators.passing, function, iterable)


@registry.function(itertools.filterfalse)
def filterfalse(machine, function: Value, iterable: Value) -> Value:
    """`itertools.filterfalse(function, iterable)`, as a generator."""
    return _filtered(machine, lazy_iterators.failing, function, iterable)


def _filtered(machine, generator: Callable, function: Value, iterable: Value) -> Value:
    iterator = make_iterator(machine, iteration.begun(machine, iterable))
    return machine.call(Const(generator), [Const(bool) if absent(function) else function, iterator])


# -- reversed ---------------------------------------------------------------------------------------------------------


@registry.function(reversed)
def reversed_(machine, sequence: Value) -> Value:
    """`reversed(sequence)`."""
    if isinstance(sequence, Ref):
        info = machine.heap.objects[sequence.object]
        if info.kind in ("dict", "view"):
            backwards = iteration.items(machine, make_iterator(machine, sequence))[::-1]
            return make_iterator(machine, Tuple(tuple(backwards)))
        if info.kind == "instance" and defines(machine, info.cls, "__reversed__"):
            return machine.call(machine.getattr(sequence, "__reversed__"), [])
        if (
            info.kind == "instance"
            and defines(machine, info.cls, "__getitem__")
            and defines(machine, info.cls, "__len__")
        ):
            count = machine.static(range_objects.index(machine, machine.call(machine.getattr(sequence, "__len__"), [])))
            backwards = [machine.getitem(sequence, Const(i)) for i in range(count - 1, -1, -1)]
            return make_iterator(machine, Tuple(tuple(backwards)))
        if info.kind not in ("list", "tuple"):
            name = iteration.type_name(machine, sequence)
            machine.raise_(TypeError, f"'{name}' object is not reversible")
    if isinstance(sequence, NdArray) and not sequence.type.shape:
        machine.raise_(TypeError, "len() of unsized object")
    source: Value = sequence
    if isinstance(sequence, Const) and not isinstance(sequence.value, range):
        found = sequences.constant_sequence(machine, sequence)
        if found is None or isinstance(sequence.value, frozenset):
            name = iteration.type_name(machine, sequence)
            return machine.raise_(TypeError, f"'{name}' object is not reversible")
        source = found
    elif not isinstance(sequence, Ref | Tuple | Range | Const) and not isinstance(
        sequence, NdArray | BoundedArray | JaxArray
    ):
        machine.raise_(TypeError, f"'{iteration.type_name(machine, sequence)}' object is not reversible")
    left = sequences.length_of(machine, source)
    if deques.is_deque(machine, source):
        return deques.reversed_deque(machine, as_ref(source), _REVERSED, left)
    return new(machine, _REVERSED, reversed, source=source, left=left)


def _reversed_step(machine, number: int) -> Step:
    source, left = machine.heap.read(number, "source"), machine.heap.read(number, "left")
    more = machine.truth(machine.compare(">", left, _ZERO))
    if more is not False and isinstance(source, Ref):
        # of a list that has become shorter, nothing is left
        there = machine.truth(machine.compare("<=", left, sequences.length_of(machine, source)))
        more = logical_and(machine, more, there)
        if isinstance(there, Var):
            left = machine.cond(there, lambda: left, lambda: _ZERO)
            machine.heap.write(number, "left", left)
    if more is False:
        machine.heap.write(number, "left", _ZERO)

    def element() -> Value:
        position = machine.binary("-", left, _ONE)
        machine.heap.write(number, "left", position)
        return sequences.item_of(machine, source, sequences.inside(machine, position, source))

    return more, element


def _reversed_plan(machine, number: int) -> Plan | None:
    source, left = machine.heap.read(number, "source"), machine.heap.read(number, "left")
    if not sequences.loops(machine, source):
        return None

    def element(k: Value) -> Value:
        position = machine.binary("-", machine.binary("-", left, _ONE), k)
        return sequences.item_of(machine, source, sequences.inside(machine, position, source))

    def finish(k: Value, ended: bool | Var) -> None:
        machine.heap.write(number, "left", machine.binary("-", left, k))

    return Plan(left, element, finish)


def _reversed_length(machine, number: int) -> int | None:
    left = machine.heap.read(number, "left")
    return left.value if isinstance(left, Const) else None


_REVERSED = Kind("reversed", _reversed_step, _reversed_plan, _reversed_length)
