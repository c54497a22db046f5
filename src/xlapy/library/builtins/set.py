"""Sets whose members depend on data: what takes more than asking for a member and adding one.

seen = set(x); seen & other, seen - {0}, seen <= other, seen.update(x)
"""

from __future__ import annotations


def with_hash(item, place):
    """An item of which there is a hash, or the exception says that it is no such "counted" thing: `place` is as for
    `dispatch.containers.container_protocol.require_hashable`, by which the compiler does this."""
    hash(item)
    return item


def set_of(iterable):
    """`set(iterable)`."""
    return add_each(set(), iterable)


def add_each(made, iterable):
    """`made.update(iterable)`."""
    for item in iterable:
        made.add(item)
    return made


def add_each_with_hash(made, iterable, place):
    """The same, for a method that says in a way of its own that an item has no hash."""
    for item in iterable:
        made.add(with_hash(item, place))
    return made


def union(made, items, more):
    """`items | more`, in the new set `made`."""
    return add_each(add_each(made, items), more)


def add_those(made, items, among, wanted):
    """Add the items that are, or are not, `among` others."""
    for item in items:
        if (item in among) is wanted:
            made.add(item)
    return made


def add_different(made, items, among, others, known):
    """Add the items that are not `among` some, and the others that are not `known`."""
    add_those(made, items, among, False)
    return add_those(made, others, known, False)


def all_in(items, among):
    """Whether all items are `among` others."""
    for item in items:
        if item not in among:
            return False
    return True


def none_in(items, among):
    """Whether no item is `among` others."""
    for item in items:
        if item in among:
            return False
    return True
