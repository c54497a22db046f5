"""Lists, tuples and deques whose length depends on data: what takes more than reading, writing, appending and popping.

kept = [v for v in x if v > 0]
kept.index(v), kept.count(v), kept == other, kept * n, sorted(kept)
"""

from __future__ import annotations

import collections


def _shows_missing():
    try:
        [].index("@")
    except ValueError as error:
        return "'@'" in str(error)
    return False


#: whether this CPython shows the item that `list.index` does not find
_SHOWS_MISSING = _shows_missing()


def append_each(append, iterable):
    """`items.extend(iterable)`, given `items.append`; `items.extendleft(iterable)`, given `items.appendleft`."""
    for item in iterable:
        append(item)


def _not_found(items, wanted):
    if isinstance(items, tuple):
        return "tuple.index(x): x not in tuple"
    name = "deque" if isinstance(items, collections.deque) else "list"
    return f"{wanted!r} is not in {name}" if _SHOWS_MISSING else f"{name}.index(x): x not in {name}"


def index(items, wanted):
    """`items.index(wanted)`."""
    for position, item in enumerate(items):
        if item == wanted:
            return position
    raise ValueError(_not_found(items, wanted))


def index_between(items, wanted, start, stop):
    """`items.index(wanted, start, stop)`, for bounds that are in range."""
    for position in range(start, stop):
        if items[position] == wanted:
            return position
    raise ValueError(_not_found(items, wanted))


def remove(items, wanted):
    """`items.remove(wanted)`."""
    found = -1
    for position, item in enumerate(items):
        if item == wanted:
            found = position
            break
    if found < 0:
        if isinstance(items, collections.deque) and _SHOWS_MISSING:
            raise ValueError(f"{wanted!r} is not in deque")
        name = "deque" if isinstance(items, collections.deque) else "list"
        raise ValueError(f"{name}.remove(x): x not in {name}")
    del items[found]


def count(items, wanted):
    """`items.count(wanted)`."""
    total = 0
    for item in items:
        if item == wanted:
            total += 1
    return total


def contains(items, wanted):
    """`wanted in items`."""
    for item in items:
        if item == wanted:
            return True
    return False


def rotate(items, by):
    """`items.rotate(by)` of a deque."""
    if len(items) > 1:
        for _ in range(by % len(items)):
            items.appendleft(items.pop())


def replace_slice(items, start, stop, new):
    """`items[start:stop] = new`, for bounds that are in range."""
    rest = items[max(start, stop) :]
    del items[start:]
    items.extend(new)
    items.extend(rest)


def repeated(items, times):
    """`items * times`."""
    made = []
    for _ in range(times):
        for item in items:
            made.append(item)  # noqa: PERF402
    return made


def equal(left, right):
    """`left == right`."""
    if len(left) != len(right):
        return False
    for k in range(len(left)):
        if left[k] != right[k]:
            return False
    return True


def in_order(left, right, holds):
    """`holds(left, right)`, which is `<`, `<=`, `>` or `>=`: by the first items that differ, then by length."""
    for k in range(min(len(left), len(right))):
        if left[k] != right[k]:
            return holds(left[k], right[k])
    return holds(len(left), len(right))


def in_order_if(same, holds, one, two, left, right):
    """`holds` of two sequences that begin with `one` and `two`, which are the `same` or not, and go on as given."""
    if same:
        return holds(left, right)
    return holds(one, two)


def equal_if(same, left, right):
    """Whether `same` is true and two tuples are equal, which are not compared otherwise."""
    return same and left == right


def among_if_not(found, wanted, rest):
    """Whether an item has been `found`, or is one of a tuple, which is not looked at otherwise."""
    return found or wanted in rest


def position_if_not(found, before, wanted, rest, first):
    """The position `before` of what has been `found`, or that of an item in a tuple that begins at `first`, or -1."""
    if found:
        return before
    for k in range(len(rest)):
        if wanted in rest[k : k + 1]:
            return first + k
    return -1


def list_of(iterable, /):
    """`list(iterable)`."""
    return [item for item in iterable]  # noqa: C416


def sorted_list(iterable, /, *, key=None, reverse=False):
    """`sorted(iterable, key=key, reverse=reverse)`."""
    items = [item for item in iterable]  # noqa: C416
    items.sort(key=key, reverse=reverse)
    return items


def deque_of(iterable=(), maxlen=None):
    """`collections.deque(iterable, maxlen)`."""
    made = collections.deque(maxlen=maxlen)
    for item in iterable:
        made.append(item)
    return made


def keys_of(items, key):
    """What a function gives for each item."""
    return [key(item) for item in items]


def order(items, descending):
    """The positions of items in a stable order: each is inserted behind those that it is not less than."""
    order = []
    for position, item in enumerate(items):
        low, high = 0, position
        while low < high:
            middle = (low + high) // 2
            other = items[order[middle]]
            if other < item if descending else item < other:
                high = middle
            else:
                low = middle + 1
        order.insert(low, position)
    return order


def is_sound(items, order, descending):
    """Whether `<` says the same of neighbours, and of all items and those at the ends: of NaN it does not, and where it
    does not, the order is that of CPython's way to sort."""
    if not order:
        return True
    sound, steps, total = True, 0, 0
    before = items[order[0]]
    for position in order:
        item = items[position]
        if item < before if descending else before < item:
            total += 1
        before = item
    first, last = items[order[0]], items[order[-1]]
    before = first
    for position in order:
        item = items[position]
        if item < before if descending else before < item:
            steps += 1
        before = item
        above, below = (item < first) == (descending and steps > 0), (first < item) == (not descending and steps > 0)
        sound = sound and above and below
        above, below = (
            (last < item) == (descending and steps < total),
            (item < last) == (not descending and steps < total),
        )
        sound = sound and above and below
    return sound


def column(rows, k):
    """Item `k` of each row: a part of `zip(*rows)`."""
    return [row[k] for row in rows]
