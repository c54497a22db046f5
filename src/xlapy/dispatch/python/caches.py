"""`functools.lru_cache` and `functools.cache`: a function whose results are kept.

A result under a known key is kept in the heap, as CPython keeps it: a second call gives the same object, runs nothing
and sees nothing of what has changed since. Under a key that depends on data, and for a function outside of the program,
which may have kept results of earlier calls, the function is called each time. That is the same only if it changes
nothing, if what it reads does not change, and if nobody changes what it returned; anything else is refused.

In such a call the results of the calls within are kept in a dict (`memoised`), so that a function which calls itself by
way of its cache takes no longer than in CPython.
"""

from __future__ import annotations

import functools

import numpy as np

from xlapy.dispatch import kinds, registry
from xlapy.dispatch.effects import changes
from xlapy.dispatch.protocol import NeedLoop, Refused
from xlapy.dispatch.unions import over_unions
from xlapy.domain.heap import STATE
from xlapy.domain.values import (
    NONE,
    UNBOUND,
    BoundedArray,
    BoundMethod,
    Const,
    Function,
    Intrinsic,
    JaxArray,
    NdArray,
    Ref,
    Tuple,
    Union,
    Value,
    as_ref,
    references,
    tuple_items,
    variables,
)

_CHANGES = "keeps its results (functools.lru_cache) and changes or prints something, which happens at some calls only"
_READS = "keeps its results (functools.lru_cache) and reads something that may change"
_KEYWORDS = "pass its arguments without their names"
_HINT = "pass what it reads as arguments, or take the cache away"


def memoised(function, results, key, args):
    """A call under a key that depends on data."""
    if key in results:
        return results[key]
    result = function(*args)
    results[key] = result
    return result


@registry.function(functools.cache)
def _cache(machine, user_function: Value, /) -> Value:
    """`functools.cache(function)`."""
    return _kept(machine, user_function)


@registry.function(functools.lru_cache)
def _lru_cache(machine, maxsize: Value = Const(128), typed: Value = NONE) -> Value:  # noqa: B008
    """`functools.lru_cache`, with or without arguments."""
    if isinstance(maxsize, Const) and (maxsize.value is None or isinstance(maxsize.value, int)):
        return BoundMethod(_DECORATOR, Tuple((maxsize,)))
    return _kept(machine, maxsize)


def _decorate(machine, given: Tuple, function: Value) -> Value:
    size = machine.static(given.items[0])
    if size is not None and size <= 0:
        return function
    return _kept(machine, function)


def _kept(machine, function: Value) -> Value:
    """A function of the program whose results are kept in an object of its own."""
    memo = Ref(machine.heap.new("memo", object, machine.location()))
    return BoundMethod(_KEPT, Tuple((function, memo)))


@registry.takes_unions
def _call_local(machine, given: Tuple, /, *args: Value, **kwargs: Value) -> Value:
    function, memo = given.items
    values = (*args, *kwargs.values())
    # which of several values it is, is told apart, but not where a call of a function by itself may be meant
    if machine.entering is None and any(isinstance(value, Union) for value in values):
        count = len(args)

        def one(*found: Value) -> Value:
            return _call_local(machine, given, *found[:count], **dict(zip(kwargs, found[count:], strict=True)))

        return over_unions(machine, values, one)
    return _Call(machine, function, as_ref(memo).object, "", args, kwargs, lasting=False).run()


def _clear(machine, given: Tuple) -> Value:
    """`function.cache_clear()`."""
    memo = as_ref(given.items[1]).object
    for field in list(machine.heap.objects[memo].fields):
        machine.heap.write(memo, field, UNBOUND)
    return NONE


def clearing(kept: BoundMethod) -> Value:
    """The method `cache_clear` of a value made by `lru_cache` inside the program."""
    return BoundMethod(Intrinsic("cache_clear", _clear), kept.self)


_DECORATOR = Intrinsic("lru_cache", _decorate)
_KEPT = Intrinsic("lru_cache_wrapper", _call_local)


def kept_function(value: Value) -> Value | None:
    """The function whose results a value made by `lru_cache` inside the program keeps."""
    if isinstance(value, BoundMethod) and value.function is _KEPT:
        return tuple_items(value.self)[0]
    return None


def keeps(value: Value) -> bool:
    """Whether a value is a function whose results are kept."""
    if isinstance(value, Const) and isinstance(value.value, functools._lru_cache_wrapper):
        return value.value.cache_parameters()["maxsize"] != 0
    return kept_function(value) is not None


def call_lasting(machine, wrapper, args: list[Value], kwargs: dict[str, Value]) -> Value:
    """Call a function made by `lru_cache` outside of the program."""
    function = Const(wrapper.__wrapped__)
    if wrapper.cache_parameters()["maxsize"] == 0:
        return machine.call(function, args, kwargs)
    return _Call(machine, function, machine.memo, f"{id(wrapper)} ", tuple(args), kwargs, lasting=True).run()


class _Call:
    """One call of a function whose results are kept in the fields of the object `memo`. `lasting`: since before."""

    def __init__(self, machine, function, memo: int, prefix: str, args, kwargs, lasting: bool) -> None:
        self.machine, self.function, self.memo, self.lasting = machine, function, memo, lasting
        self.args, self.kwargs = args, kwargs
        self.owner = (memo, prefix)
        for value in (*args, *kwargs.values()):
            _check_hashable(machine, value)
        key = _key(machine, args, kwargs)
        self.field = None if key is None else prefix + key

    def run(self) -> Value:
        if self.machine.entering is not None:
            return self._within()
        if self.field is None:
            return self._compute()
        held = self.machine.heap.read(self.memo, self.field)
        if held is UNBOUND:
            return self._compute()
        return over_unions(self.machine, (held,), lambda v: self._compute() if v is UNBOUND else v)

    def _compute(self) -> Value:
        machine, heap = self.machine, self.machine.heap
        mark, before, pending = heap.next_identity, heap.slots.copy(), len(machine.pending)
        outermost = heap.journal is None
        journal = heap.watch()
        start = len(journal.reads)
        try:
            result = self._called()
        finally:
            reads = dict.fromkeys(journal.reads[start:])
            if outermost:
                heap.journal = None
        raises = len(machine.pending) > pending
        again = self.lasting or self.field is None
        if (again or raises) and changes(machine, before, mark):
            raise Refused("XP0010", f"'{self._name()}' {_CHANGES}", _HINT)
        if again:
            self._check_reads(reads, mark)
        made = [n for n in references(result) if heap.made_since(n, mark)]
        if again:
            self._freeze(made, mark)
        if self.field is not None and not raises and (made or not self.lasting):
            heap.write(self.memo, self.field, result)
        return result

    def _called(self) -> Value:
        """The call itself; the results of calls within it are kept where the function calls itself."""
        machine = self.machine
        if self.field is not None or self.kwargs or not machine.loops_recursions:
            return machine.call(self.function, list(self.args), dict(self.kwargs))
        if memoised.__code__ in machine.recursions:
            return self._within()
        if self.owner in machine.kept_within:
            raise NeedLoop(memoised.__code__, frozenset())
        machine.kept_within[self.owner] = NONE
        try:
            return machine.call(self.function, list(self.args))
        finally:
            del machine.kept_within[self.owner]

    def _within(self) -> Value:
        """A call under a key that depends on data, which may be within another one of the same function."""
        machine = self.machine
        if self.kwargs:
            raise Refused("XP0008", f"'{self._name()}' keeps its results, and calls itself with keywords", _KEYWORDS)
        results = machine.kept_within.get(self.owner)
        outermost = results is None
        if results is None:
            results = machine.kept_within[self.owner] = machine.new_dict({})
        try:
            code = memoised.__code__
            made = Function(code, Ref(machine.globals_of(self.function)), code.co_name)
            return machine.call(made, [self.function, results, self._dynamic_key(), Tuple(self.args)])
        finally:
            if outermost:
                del machine.kept_within[self.owner]

    def _dynamic_key(self) -> Value:
        """What is the same for calls of which one may have the result of the other: a single int is not that for other
        numbers."""
        if len(self.args) != 1:
            return Tuple(self.args)
        machine = self.machine
        outer, machine.entering = machine.entering, None
        plain = machine.call(Const(_is_plain), list(self.args))
        machine.entering = outer
        return Tuple((*self.args, plain))

    def _check_reads(self, reads, mark: int) -> None:
        """Refuse to compute a result from what may be other than when CPython computed it."""
        heap = self.machine.heap
        known = self.machine.kept_reads.setdefault(self.owner, {})
        for slot, value in reads:
            info = heap.objects[slot[0]]
            if heap.made_since(slot[0], mark) or info.kind == "memo" or slot[0] == STATE:
                continue
            outside = self.lasting and info.source is not None
            if known.setdefault(slot, value) is not value or outside and (variables(value) or slot in heap.slots):
                raise Refused("XP0010", f"'{self._name()}' {_READS}", _HINT)

    def _freeze(self, made: list[int], mark: int) -> None:
        """What was returned is the same object at each call: it must not be changed."""
        heap, todo = self.machine.heap, made.copy()
        contents: dict[int, list[Value]] = {}
        for (number, _), value in heap.slots.items():
            contents.setdefault(number, []).append(value)
        while todo:
            number = todo.pop()
            if heap.made_since(number, mark) and number not in heap.owned:
                heap.freeze(number)
                todo += [n for value in contents.get(number, ()) for n in references(value)]

    def _name(self) -> str:
        found = self.function
        return getattr(found.value if isinstance(found, Const) else found, "__qualname__", getattr(found, "name", ""))


def _is_plain(argument):
    return type(argument) is int or type(argument) is str


def _check_hashable(machine, value: Value) -> None:
    if isinstance(value, Tuple):
        for item in value.items:
            _check_hashable(machine, item)
    elif isinstance(value, NdArray | BoundedArray):
        machine.raise_(TypeError, "unhashable type: 'numpy.ndarray'")
    elif isinstance(value, JaxArray):
        raise Refused("XP0004", "a jax.Array as an argument of a function whose results are kept")
    elif isinstance(value, Ref) and machine.type_of(value).__hash__ is None:
        machine.raise_(TypeError, f"unhashable type: '{kinds.shown(machine.type_of(value))}'")


def _key(machine, args: tuple[Value, ...], kwargs: dict[str, Value]) -> str | None:
    """A name that equal arguments have in common; None if it depends on data."""
    parts = [_part(machine, v, len(args) == 1 and not kwargs) for v in args]
    parts += [_named(name, _part(machine, v, False)) for name, v in kwargs.items()]
    return None if None in parts else repr(parts)


def _named(name: str, part: str | None) -> str | None:
    return None if part is None else f"{name}={part}"


def _part(machine, value: Value, alone: bool) -> str | None:
    if isinstance(value, Tuple):
        parts = [_part(machine, item, False) for item in value.items]
        return None if None in parts else repr(parts)
    if isinstance(value, Ref):
        plain = machine.type_of(value).__hash__ is object.__hash__
        return f"object {value.object}" if plain else None
    if not isinstance(value, Const):
        return None
    item = value.value
    if isinstance(item, bool | int | float | np.number | np.bool_):
        # equal numbers are one key, but a single int is compared as it is
        return f"int {item}" if alone and type(item) is int else f"number {complex(item)}"
    return f"{type(item).__qualname__} {item!r} {id(item) if not isinstance(item, str | bytes | None) else ''}"
