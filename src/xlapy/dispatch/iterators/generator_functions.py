"""Built-in consumers of a generator, in plain Python: the generator is then run by internal iteration, in step with the
consumer, and stops where the consumer stops."""

from __future__ import annotations

import collections
import math
import types
from collections.abc import Callable

from xlapy.library.builtins.dict import dict_of, put_all
from xlapy.library.builtins.set import with_hash

_MISSING = object()


def _sum(iterable, /, start=0):
    total = start
    for item in iterable:
        total = total + item
    return total


def _sum_of_floats(iterable, /, start=0):
    """What `sum` is in 3.12 and 3.13: what floats lose when added comes at the end (A. Neumaier, ZAMM 54, 1974)."""
    total, lost = start, 0.0
    for item in iterable:
        if type(item) is float and type(total) is float:
            found = total + item
            lost += (total - found) + item if abs(total) >= abs(item) else (item - found) + total
            total = found
        elif lost and type(total) is float and not isinstance(item, int):
            total = (total + lost if math.isfinite(lost) else total) + item
            lost = 0.0
        else:
            total = total + item
    return total + lost if lost and math.isfinite(lost) else total


def _sum_of_complex(iterable, /, start=0):
    """What it is from 3.14 on: integers that are added to floats, and complex numbers, are added so, too."""
    total, lost, imaginary = start, 0.0, 0.0
    complexes = isinstance(start, complex)  # the class of the total is asked where it matters: a loop may widen 0 else
    for item in iterable:
        complexes = complexes or type(item) is complex
        if (type(item) is float or isinstance(item, int)) and type(total) is float:
            total, more = _two_sum(total, float(item))
            lost += more
        elif (type(item) is complex or complexes and isinstance(item, int | float)) and type(total) is complex:
            real, more = _two_sum(total.real, float(item.real))
            lost += more
            imag, more = _two_sum(total.imag, float(item.imag))
            imaginary += more
            total = complex(real, imag)
        else:
            total = (_completed(total, lost, imaginary) if lost or imaginary else total) + item
            lost, imaginary = 0.0, 0.0
    return _completed(total, lost, imaginary) if lost or imaginary else total


def _two_sum(total, item):
    """The sum of two floats, and what is lost in it."""
    found = total + item
    return found, (total - found) + item if abs(total) >= abs(item) else (item - found) + total


def _completed(total, lost, imaginary):
    """A sum with what was lost."""
    if type(total) is complex:
        return complex(_completed(total.real, lost, 0.0), _completed(total.imag, imaginary, 0.0))
    return total + lost if type(total) is float and lost and math.isfinite(lost) else total


def _sum_here():
    """What `sum` is on this Python."""
    if sum([1e16 + 0j, 1, -1e16]) == 1.0:
        return _sum_of_complex
    return _sum_of_floats if sum([1e16, 1.0, -1e16]) == 1.0 else _sum


_sum_of_here = _sum_here()


def _any(iterable, /):
    for item in iterable:
        if item:
            return True
    return False


def _all(iterable, /):
    for item in iterable:
        if not item:
            return False
    return True


def _list(iterable, /):
    return [item for item in iterable]  # noqa: C416


def _tuple(iterable, /):
    return tuple([item for item in iterable])  # noqa: C409, C416


def _deque(iterable, /, maxlen=None):
    made = collections.deque(maxlen=maxlen)
    for item in iterable:
        made.append(item)
    return made


def _set(iterable, /):
    return {item for item in iterable}  # noqa: C416


def _sorted(iterable, /, *, key=None, reverse=False):
    return sorted([item for item in iterable], key=key, reverse=reverse)  # noqa: C416, C414


def _max(iterable, /, *, key=None, default=_MISSING):
    items = [item for item in iterable]  # noqa: C416
    if default is _MISSING:
        return max(items, key=key)
    return max(items, key=key, default=default)


def _min(iterable, /, *, key=None, default=_MISSING):
    items = [item for item in iterable]  # noqa: C416
    if default is _MISSING:
        return min(items, key=key)
    return min(items, key=key, default=default)


def _next(iterable, default=_MISSING, /):
    for item in iterable:
        return item
    if default is _MISSING:
        raise StopIteration
    return default


def _enumerate(iterable, start=0):
    count = start
    for item in iterable:
        yield count, item
        count += 1


def _map(function, iterable, /):
    for item in iterable:
        yield function(item)


def _filter(function, iterable, /):
    for item in iterable:
        if item if function is None else function(item):
            yield item


def _zip(first, second, /, *, strict=False):
    others = iter(second)
    for item in first:
        other = next(others, _MISSING)
        if other is _MISSING:
            if strict:
                raise ValueError("zip() argument 2 is shorter than argument 1")
            return
        yield item, other
    if strict and next(others, _MISSING) is not _MISSING:
        raise ValueError("zip() argument 2 is longer than argument 1")


#: the built-in, and its implementation where the generator is its first argument (its last for map and filter)
CONSUMERS: dict[object, types.FunctionType] = {
    sum: _sum_of_here,
    any: _any,
    all: _all,
    list: _list,
    tuple: _tuple,
    set: _set,
    collections.deque: _deque,
    sorted: _sorted,
    dict: dict_of,
    max: _max,
    min: _min,
    next: _next,
    enumerate: _enumerate,
    zip: _zip,
}
PRODUCERS: dict[object, Callable] = {map: _map, filter: _filter}
_EXHAUSTING = frozenset({sum, list, tuple, set, collections.deque, sorted, dict, max, min})


def _dict_of_pairs(iterable, /, **named):
    return {**put_all({}, iterable), **named}


def _largest(iterable, /, *, key=None, default=_MISSING):
    best = value = _MISSING
    for item in iterable:
        rank = item if key is None else key(item)
        if best is _MISSING or rank > value:
            best, value = item, rank
    if best is _MISSING:
        return max((), default=default) if default is not _MISSING else max(())
    return best


def _smallest(iterable, /, *, key=None, default=_MISSING):
    best = value = _MISSING
    for item in iterable:
        rank = item if key is None else key(item)
        if best is _MISSING or rank < value:
            best, value = item, rank
    if best is _MISSING:
        return min((), default=default) if default is not _MISSING else min(())
    return best


def _sorted_list(iterable, /, *, key=None, reverse=False):
    return sorted(list(iterable), key=key, reverse=reverse)  # noqa: C414


def _update_dict(made, iterable, /, **named):
    put_all(made, iterable)
    for key in named:
        made[key] = named[key]


def _update_set(made, /, *iterables):
    for iterable in iterables:
        for item in iterable:
            made.add(item)


def _count(made, iterable=(), /, **named):
    for item in iterable:
        item = with_hash(item, "counted")
        made[item] = made.get(item, 0) + 1
    if named:
        made.update(named)


#: consumers that may complain of an item, and leave those behind it: item after item
STOPPING: dict[object, types.FunctionType] = {
    sum: _sum_of_here,
    set: _set,
    dict: _dict_of_pairs,
    max: _largest,
    min: _smallest,
    list: _list,
    tuple: _tuple,
    sorted: _sorted_list,
}
#: the method `update` of containers, which keep the items that came before a wrong one
UPDATING: dict[type, types.FunctionType] = {
    dict: _update_dict,
    collections.defaultdict: _update_dict,
    set: _update_set,
    collections.Counter: _count,
}


def consumes(item: object) -> bool:
    """Whether a built-in goes through what a generator yields."""
    try:
        return item in CONSUMERS or item in PRODUCERS
    except TypeError:
        return False


def stopping(item: object) -> types.FunctionType | None:
    """The implementation of a built-in that may complain of an item, if it is one."""
    try:
        return STOPPING.get(item)
    except TypeError:
        return None


def exhausts(item: object) -> bool:
    """Whether a built-in takes all that a generator yields."""
    try:
        return item in _EXHAUSTING
    except TypeError:
        return False


def find(item: object, generators: list[bool]) -> Callable | None:
    """The implementation of a built-in for arguments of which `generators` says which are generators."""
    if True not in generators:
        return None
    try:
        if item is zip and len(generators) != 2:
            return None
        if generators[0]:
            return CONSUMERS.get(item)
        return PRODUCERS.get(item) if len(generators) == 2 else None
    except TypeError:
        return None
