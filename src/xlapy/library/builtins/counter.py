"""What `collections.Counter` has in C.

counts = collections.Counter(x); counts.update(y)
"""

from __future__ import annotations

import collections
from typing import Any

from xlapy.library.builtins.set import with_hash
from xlapy.library.replacement import replacement

_module: Any = collections


@replacement(_module._count_elements)
def count_each(mapping, iterable):
    """Count each item of an iterable."""
    for item in iterable:
        item = with_hash(item, "counted")
        mapping[item] = mapping.get(item, 0) + 1
