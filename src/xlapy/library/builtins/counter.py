"""Counters of things that depend on data.

counts = collections.Counter(x); counts.update(y); counts.most_common(3); counts - other
"""

from __future__ import annotations

from xlapy.library.builtins.set import with_hash


def count_each(self, iterable):
    """`self.update(iterable)`."""
    for item in iterable:
        item = with_hash(item, "counted")
        self[item] = self.get(item, 0) + 1


def subtract_each(self, iterable):
    """`self.subtract(iterable)`."""
    for item in iterable:
        self[item] = self.get(item, 0) - 1


def count_more(self, counts, sign):
    """Add the counts of a dict, or subtract them."""
    for item, count in counts.items():
        self[item] = self.get(item, 0) + sign * count


def most_common(pairs, n):
    """The pairs of a key and a count in the order of the counts, the largest first; the first `n` of them."""
    found = sorted(pairs, key=lambda pair: pair[1], reverse=True)
    return found if n is None else found[:n]


def combined(made, one, other, combine):
    """Put the counts above zero that two counters have together into a new one."""
    for key, count in one.items():
        count = combine(count, other.get(key, 0))
        if count > 0:
            made[key] = count
    for key, count in other.items():
        if key not in one:
            count = combine(0, count)
            if count > 0:
                made[key] = count
    return made


def all_hold(one, other, holds):
    """Whether a comparison holds for each count of two counters."""
    for key, count in one.items():
        if not holds(count, other.get(key, 0)):
            return False
    for key, count in other.items():
        if key not in one and not holds(0, count):
            return False
    return True
