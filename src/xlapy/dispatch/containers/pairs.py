"""What `dict` and `update` do with an iterable of pairs, in plain Python."""

from __future__ import annotations

import collections

from xlapy.dispatch.numbers.scalar_values import provoke

#: what this CPython says of an item that is no pair, and whether it says, perhaps in a note, which one it is
_NO_PAIR = str(provoke(dict, [1]))
_COUNTED = "#0" in _NO_PAIR
_NOTED = hasattr(provoke(dict, [1]), "__notes__")


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


def dict_of(iterable):
    """`dict(iterable)`."""
    return put_all({}, iterable)
