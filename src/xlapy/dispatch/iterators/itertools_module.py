"""Iterators of itertools of which loops on the device can be made; others are in `library.builtins.lazy_iterators`."""

from __future__ import annotations

import itertools
from collections.abc import Callable

from xlapy.dispatch import registry, value_selection
from xlapy.dispatch.iterators import iteration
from xlapy.dispatch.iterators.combined import absent, advance, inner_of
from xlapy.dispatch.iterators.iteration import make_iterator, step
from xlapy.dispatch.iterators.sequences import ENDLESS, Kind, Plan, Step, item_of, length_of, new
from xlapy.dispatch.numbers import range_objects
from xlapy.dispatch.numbers.scalar_values import INT_MAX, fold, logical_and, provoke
from xlapy.dispatch.protocol import Refused
from xlapy.dispatch.vectors import growable_list_items
from xlapy.domain.heap import STATE
from xlapy.domain.values import NONE, UNBOUND, BoundedArray, Const, Tuple, Value
from xlapy.ir import Var
from xlapy.library.builtins import lazy_iterators

_ZERO, _ONE = Const(0), Const(1)


# -- itertools: endless ones ------------------------------------------------------------------------------------------


_OF_NUMBERS = ("__index__", "__int__", "__float__", "__complex__")


@registry.function(itertools.count)
def count(machine, start: Value = _ZERO, step: Value = _ONE) -> Value:
    """`itertools.count(start, step)`."""
    for value in (start, step):
        if not any(hasattr(machine.type_of(value), name) for name in _OF_NUMBERS):
            machine.raise_(TypeError, *provoke(itertools.count, "a").args)
    return new(machine, _COUNT, itertools.count, start=start, step=step, position=_ZERO)


def _count_item(machine, number: int, position: Value) -> Value:
    size = machine.heap.read(number, "step")
    return machine.binary("+", machine.heap.read(number, "start"), machine.binary("*", position, size))


def _count_step(machine, number: int) -> Step:
    return True, lambda: _count_item(machine, number, advance(machine, number, "position", _ONE))


def _count_plan(machine, number: int) -> Plan:
    start = machine.heap.read(number, "position")
    return Plan(
        ENDLESS,
        lambda k: _count_item(machine, number, machine.binary("+", start, k)),
        lambda k, ended: machine.heap.write(number, "position", machine.binary("+", start, k)),
    )


_COUNT = Kind("count", _count_step, _count_plan)


@registry.function(itertools.repeat)
def repeat(machine, object: Value, times: Value = NONE) -> Value:
    """`itertools.repeat(object, times)`."""
    left = ENDLESS if absent(times) else range_objects.maximum(machine, range_objects.index(machine, times), _ZERO)
    return new(machine, _REPEAT, itertools.repeat, item=object, left=left)


def _repeat_step(machine, number: int) -> Step:
    left = machine.heap.read(number, "left")

    def element() -> Value:
        if left is not ENDLESS:
            machine.heap.write(number, "left", machine.binary("-", left, _ONE))
        return machine.heap.read(number, "item")

    return machine.truth(machine.compare(">", left, _ZERO)), element


def _repeat_plan(machine, number: int) -> Plan:
    left = machine.heap.read(number, "left")

    def finish(k: Value, ended: bool | Var) -> None:
        if left is not ENDLESS:
            machine.heap.write(number, "left", machine.binary("-", left, k))

    return Plan(left, lambda k: machine.heap.read(number, "item"), finish)


_REPEAT = Kind("repeat", _repeat_step, _repeat_plan)


@registry.function(itertools.cycle)
def cycle(machine, iterable: Value) -> Value:
    """`itertools.cycle(iterable)`, which takes all items at once."""
    saved = machine.call(Const(tuple), [iterable])
    return new(machine, _CYCLE, itertools.cycle, source=saved, position=_ZERO)


def _cycle_item(machine, source: Value, position: Value) -> Value:
    return item_of(machine, source, machine.binary("%", position, length_of(machine, source)))


def _cycle_step(machine, number: int) -> Step:
    source = machine.heap.read(number, "source")
    more = machine.truth(machine.compare(">", length_of(machine, source), _ZERO))
    return more, lambda: _cycle_item(machine, source, advance(machine, number, "position", _ONE))


def _cycle_plan(machine, number: int) -> Plan | None:
    source, start = machine.heap.read(number, "source"), machine.heap.read(number, "position")
    if isinstance(source, Tuple) and not value_selection.stackable(machine, source.items):
        return None
    more = machine.truth(machine.compare(">", length_of(machine, source), _ZERO))
    return Plan(
        ENDLESS if more is True else machine.binary("*", machine.boolean(more), ENDLESS),
        lambda k: _cycle_item(machine, source, machine.binary("+", start, k)),
        lambda k, ended: machine.heap.write(number, "position", machine.binary("+", start, k)),
    )


_CYCLE = Kind("cycle", _cycle_step, _cycle_plan)


# -- itertools: islice, pairwise --------------------------------------------------------------------------------------


@registry.function(itertools.islice)
def islice(machine, iterable: Value, *args: Value) -> Value:
    """`itertools.islice(iterable, [start,] stop[, step])`."""
    if not 1 <= len(args) <= 3:
        machine.raise_(TypeError, *provoke(itertools.islice, (), *[None] * len(args)).args)
    parts = [_ZERO, args[0], NONE] if len(args) == 1 else [*args, NONE][:3]
    # CPython takes a stop of -1, alone, for no number
    for place, bound, least in ((1, _BOUNDS[0], -1), (1, _BOUNDS[1], 0), (0, _BOUNDS[0], 0), (2, _BOUNDS[2], 1)):
        _check_bound(machine, parts[place], bound, least, _BOUNDS[place])
    start = _ZERO if absent(parts[0]) else range_objects.index(machine, parts[0])
    stop = (
        ENDLESS if absent(parts[1]) else range_objects.maximum(machine, range_objects.index(machine, parts[1]), start)
    )
    size = _ONE if absent(parts[2]) else range_objects.index(machine, parts[2])
    indices = range_objects.make(machine, start, stop, size)
    inner = make_iterator(machine, iterable)
    if _is_stepped(machine, inner):
        return machine.call(Const(lazy_iterators.sliced), [inner, start, stop, size])
    return new(machine, _ISLICE, itertools.islice, inner=inner, indices=indices, taken=_ZERO)


def _refused_bounds(*bounds: object) -> str:
    return str(provoke(itertools.islice, (), *bounds))


#: what CPython says of a start, a stop and a step
_BOUNDS = [_refused_bounds(-1, 1), _refused_bounds(0, -1), _refused_bounds(0, 1, 0)]


def _is_bound(machine, part: Value) -> bool:
    return absent(part) or range_objects.is_index(machine, part)


def _check_bound(machine, part: Value, text: str, least: int, wrong: str) -> None:
    """A bound of islice is None or an int of 64 bits, which is not less than `least`."""
    if absent(part):
        return
    if not _is_bound(machine, part):
        machine.raise_(ValueError, wrong)
    at = range_objects.index(machine, part)
    if isinstance(at, Const) and not -INT_MAX - 1 <= at.value <= INT_MAX:
        machine.raise_(ValueError, wrong)
    bad = machine.truth(machine.compare("<", at, Const(least)))
    if bad is not False:
        machine.check(bad, ValueError, text)


def _islice_step(machine, number: int) -> Step:
    """Take items until the next wanted one; `taken` counts what came from the inner iterator."""
    known = machine.static(machine.heap.read(number, "indices"), "the bounds of islice")
    taken = machine.static(machine.heap.read(number, "taken"), "how many items islice has taken")
    later = [known.start + ((max(taken - known.start, 0) + known.step - 1) // known.step) * known.step]
    if later[0] >= known.stop:
        while taken < known.stop != INT_MAX and _skip(machine, number):
            taken += 1
        return False, lambda: UNBOUND
    for _ in range(taken, later[0]):
        if not _skip(machine, number):
            return False, lambda: UNBOUND
    more, element = step(machine, inner_of(machine, number))

    def item() -> Value:
        advance(machine, number, "taken", _ONE)
        return element()

    return more, item


def _skip(machine, number: int) -> bool:
    more, element = step(machine, inner_of(machine, number))
    if isinstance(more, Var):
        raise Refused(
            "XP0009", "islice of an iterable whose length depends on data", "loop over it, or over a list of its items"
        )
    if more:
        element()
        advance(machine, number, "taken", _ONE)
    return more


def _islice_plan(machine, number: int) -> Plan | None:
    inner = iteration.plan(machine, inner_of(machine, number))
    taken = machine.heap.read(number, "taken")
    if inner is None or not (isinstance(taken, Const) and taken.value == 0):
        return None
    start, stop, size = range_objects.parts_of(machine.heap.read(number, "indices"))
    last = range_objects.minimum(machine, stop, inner.iterations)
    wanted = range_objects.make(machine, start, last, size)

    iterations = range_objects.length(machine, wanted)

    def finish(k: Value, ended: bool | Var) -> None:
        taken = last
        if ended is not True:  # the loop may have been left, behind an item
            behind = machine.binary("+", range_objects.item(machine, wanted, machine.binary("-", k, _ONE)), _ONE)
            taken = machine.cond(ended, lambda: last, lambda: behind)
        machine.heap.write(number, "taken", taken)
        inner.finish(taken, logical_and(machine, ended, machine.truth(machine.compare(">", stop, inner.iterations))))

    return Plan(iterations, lambda k: inner.element(range_objects.item(machine, wanted, k)), finish)


_ISLICE = Kind("islice", _islice_step, _islice_plan)


@registry.method(itertools.chain, "from_iterable")
def chain_from_iterable(machine, iterable: Value) -> Value:
    """`itertools.chain.from_iterable(iterable)`."""
    return machine.call(Const(lazy_iterators.chained), [make_iterator(machine, iterable)])


@registry.function(itertools.pairwise)
def pairwise(machine, iterable: Value) -> Value:
    """`itertools.pairwise(iterable)`."""
    inner = make_iterator(machine, iterable)
    if _is_stepped(machine, inner):
        return machine.call(Const(lazy_iterators.paired), [inner])
    return new(machine, _PAIRWISE, itertools.pairwise, inner=inner, last=NONE, begun=_ZERO)


def _is_stepped(machine, iterator: Value) -> bool:
    """Whether an iterator says item after item whether there is another one, as a generator does."""
    return iteration.plan(machine, iterator) is None and iteration.known_length(machine, iterator) is None


def _pairwise_step(machine, number: int) -> Step:
    inner = inner_of(machine, number)
    if machine.heap.read(number, "begun") is _ZERO:
        more, element = step(machine, inner)
        if isinstance(more, Var):
            raise Refused(
                "XP0009",
                "pairwise of an iterable whose length depends on data",
                "loop over it, or over a list of its items",
            )
        if not more:
            return False, lambda: UNBOUND
        machine.heap.write(number, "last", element())
        machine.heap.write(number, "begun", _ONE)
    more, element = step(machine, inner)

    def pair() -> Value:
        before, item = machine.heap.read(number, "last"), element()
        machine.heap.write(number, "last", item)
        return Tuple((before, item))

    return more, pair


def _again(machine, what: str, action: Callable[[], Value]) -> Value:
    """An item that is asked for more than once, refused if somebody can tell: a function that makes it changes
    something."""
    before = machine.heap.slots.copy()
    value = action()
    changed = [slot for slot, now in machine.heap.slots.items() if before.get(slot) is not now]
    if any(_is_seen(machine, slot, slot in before) for slot in changed):
        raise Refused(
            "XP0002", f"{what} of items whose making changes or prints something", "make a list of them first"
        )
    return value


def _is_seen(machine, slot: tuple[int, str], old: bool) -> bool:
    number, name = slot
    if number == STATE:  # an error is the same the second time
        return not name.startswith(("error", "payload"))
    return old and machine.heap.objects[number].kind not in ("iterator", "generator")


def _pairwise_plan(machine, number: int) -> Plan | None:
    inner = iteration.plan(machine, inner_of(machine, number))
    if inner is None or machine.heap.read(number, "begun") is not _ZERO:
        return None
    iterations = inner.iterations
    if iterations is not ENDLESS:
        iterations = range_objects.maximum(machine, machine.binary("-", iterations, _ONE), _ZERO)

    def element(k: Value) -> Value:
        before = _again(machine, "pairwise", lambda: inner.element(k))
        return Tuple((before, inner.element(machine.binary("+", k, _ONE))))

    def finish(k: Value, ended: bool | Var) -> None:
        inner.finish(range_objects.minimum(machine, machine.binary("+", k, _ONE), inner.iterations), ended)

    return Plan(iterations, element, finish)


_PAIRWISE = Kind("pairwise", _pairwise_step, _pairwise_plan)


# -- itertools.product ------------------------------------------------------------------------------------------------


@registry.function(itertools.product)
def product(machine, *iterables: Value, repeat: Value = _ONE) -> Value:
    """`itertools.product(*iterables, repeat=...)`: a loop on the device if all are ranges or arrays."""
    times = machine.static(range_objects.index(machine, repeat), "repeat of product")
    fold(machine, lambda: itertools.product(repeat=times))  # what it says of a wrong one
    plans = [iteration.plan(machine, make_iterator(machine, i)) for i in iterables] * times
    if plans and all(p is not None for p in plans):
        return new(machine, _PRODUCT, itertools.product, pools=Tuple(tuple(iterables) * times), position=_ZERO)
    pools = [iteration.items(machine, i) for i in iterables] * times
    return make_iterator(machine, Tuple(tuple(Tuple(found) for found in itertools.product(*pools))))


def _product_plan(machine, number: int) -> Plan:
    pools = machine.heap.read(number, "pools").items
    start = machine.heap.read(number, "position")
    made = [iteration.plan(machine, make_iterator(machine, pool)) for pool in pools]
    plans = [plan for plan in made if plan is not None]
    assert len(plans) == len(made)
    total: Value = _ONE
    for plan in plans:
        total = machine.binary("*", total, plan.iterations)

    def element(k: Value) -> Value:
        rest, found = machine.binary("+", start, k), []
        for plan in plans[:0:-1]:
            size = range_objects.maximum(machine, plan.iterations, _ONE)
            at = machine.binary("%", rest, size)
            found.append(_again(machine, "product", lambda plan=plan, at=at: plan.element(at)))
            rest = machine.binary("//", rest, size)
        first = _again(machine, "product", lambda: plans[0].element(rest))
        return Tuple((first, *found[::-1]))

    def finish(k: Value, ended: bool | Var) -> None:
        machine.heap.write(number, "position", machine.binary("+", start, k))

    return Plan(machine.binary("-", total, start), element, finish)


def _product_step(machine, number: int) -> Step:
    plan = _product_plan(machine, number)

    def element() -> Value:
        item = plan.element(_ZERO)
        plan.finish(_ONE, False)
        return item

    return machine.truth(machine.compare(">", plan.iterations, _ZERO)), element


_PRODUCT = Kind("product", _product_step, _product_plan)


# -- combinations -----------------------------------------------------------------------------------------------------


def _arrangements(function, loops: dict[int, Callable]) -> None:
    """`loops` are generator functions for items whose number data says, by how many of them are chosen."""

    def rule(machine, iterable: Value, r: Value = NONE) -> Value:
        size = machine.static(r, "how many items are chosen")
        loop = loops.get(size) if size is not None else None

        def whole() -> Value:
            pool = iteration.items(machine, iterable)
            found = fold(machine, function, pool, *([] if size is None else [size]))
            return iteration.make_iterator(machine, Tuple(tuple(Tuple(tuple(parts)) for parts in found.value)))

        if loop is None:
            return whole()
        each = lambda: machine.call(Const(loop), (machine.call(Const(list), (iterable,)),))  # noqa: E731
        grows = isinstance(iterable, BoundedArray) or growable_list_items.is_whole(machine, iterable)
        return each() if grows else growable_list_items.whole_or_each(machine, whole, each)

    registry.function(function)(rule)


_arrangements(itertools.permutations, {2: lazy_iterators.ordered_pairs})
_arrangements(itertools.combinations, {2: lazy_iterators.pairs, 3: lazy_iterators.triples})
_arrangements(itertools.combinations_with_replacement, {2: lazy_iterators.pairs_of_all})
