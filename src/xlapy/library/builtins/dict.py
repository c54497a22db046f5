"""Dicts of an iterable of pairs, and dicts whose keys depend on data: what takes more than looking up and putting in.

dict(zip(names, x)), seen.update(pairs), dict.fromkeys(x, 0), seen == other
"""

from __future__ import annotations

import collections


def _said_of_no_pair():
    try:
        dict([1])  # type: ignore[list-item]
    except TypeError as error:
        return error
    raise AssertionError("1 is no pair")


#: what this CPython says of an item that is no pair, and whether it says, perhaps in a note, which one it is
_NO_PAIR = str(_said_of_no_pair())
_COUNTED = "#0" in _NO_PAIR
_NOTED = hasattr(_said_of_no_pair(), "__notes__")


def pair_of(made, item, count):
    """The item of that number, which is to be put into the dict, as a pair."""
    if isinstance(made, collections.OrderedDict):
        pair = tuple(item)
        if len(pair) < 2:
            raise ValueError(f"need more than {len(pair)} value{'' if len(pair) == 1 else 's'} to unpack")
        if len(pair) > 2:
            raise ValueError("too many values to unpack (expected 2)")
        return pair
    try:
        pair = tuple(item)
    except TypeError:
        if _COUNTED:
            raise TypeError(f"cannot convert dictionary update sequence element #{count} to a sequence") from None
        error = TypeError(_NO_PAIR)
        if _NOTED:
            error.add_note(f"Cannot convert dictionary update sequence element #{count} to a sequence")
        raise error from None
    if len(pair) != 2:
        raise ValueError(f"dictionary update sequence element #{count} has length {len(pair)}; 2 is required")
    return pair


def put_all(made, iterable):
    """Put the pairs into a dict, one after the other."""
    count = 0
    for item in iterable:
        key, value = pair_of(made, item, count)
        made[key] = value
        count += 1
    return made


def from_keys(keys, value):
    """`dict.fromkeys(keys, value)`."""
    made = {}
    for key in keys:
        made[key] = value
    return made


def has_item(table, key, value):
    """`(key, value) in table.items()`."""
    return key in table and table[key] == value


def equal(pairs, other):
    """Whether the pairs of one dict are in another one of the same size."""
    for key, value in pairs:
        if key not in other or other[key] != value:
            return False
    return True


def position(pairs, key):
    """Which of the pairs has a key; -1 if none has."""
    for number, pair in enumerate(pairs):
        if pair[0] == key:
            return number
    return -1


def first(pair):
    """The key of a pair."""
    return pair[0]
