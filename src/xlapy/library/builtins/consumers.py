"""Built-in consumers of a generator, in plain Python: the generator is then run by internal iteration, in step with the
consumer, and stops where the consumer stops."""

from __future__ import annotations

import collections
import math
import types
from collections.abc import Callable

from xlapy.library.builtins.dict import put_all
from xlapy.library.builtins.list import deque_of, list_of

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


def _tuple(iterable, /):
    return tuple([item for item in iterable])  # noqa: C409, C416


def _set(iterable, /):
    return {item for item in iterable}  # noqa: C416


def _sorted(iterable, /, *, key=None, reverse=False):
    return sorted(list(iterable), key=key, reverse=reverse)  # noqa: C414


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
    list: list_of,
    tuple: _tuple,
    set: _set,
    collections.deque: deque_of,
    sorted: _sorted,
    dict: _dict_of_pairs,
    max: _largest,
    min: _smallest,
    next: _next,
    enumerate: _enumerate,
    zip: _zip,
}
PRODUCERS: dict[object, Callable] = {map: _map, filter: _filter}


def _update_dict(made, iterable, /, **named):
    put_all(made, iterable)
    for key in named:
        made[key] = named[key]


def _update_set(made, /, *iterables):
    for iterable in iterables:
        for item in iterable:
            made.add(item)


#: consumers that may complain of an item, and leave those behind it: item after item
STOPPING: dict[object, types.FunctionType] = {
    function: CONSUMERS[function] for function in (sum, set, dict, max, min, list, tuple, sorted)
}
#: the method `update` of containers, which keep the items that came before a wrong one
UPDATING: dict[type, types.FunctionType] = {
    dict: _update_dict,
    collections.defaultdict: _update_dict,
    set: _update_set,
    collections.Counter: collections.Counter.update,
}
