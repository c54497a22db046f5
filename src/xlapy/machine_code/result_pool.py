"""Memory for large results, which is used again as soon as nobody has the result any more.

The C library gives large memory back to the system, which clears each page of it before it is used again: for two
megabytes that takes longer than to add their numbers. JAX lets go of an array a little after its last user, so that
what is made next does not find the memory that was just given back, as NumPy's arrays do.
"""

from __future__ import annotations

import sys
import threading
from collections import OrderedDict

import numpy as np

#: bytes of a block that is worth it; of all that are kept; and of a page
_SIZES, _MOST, _PAGE = range(1 << 17, 1 << 27), 1 << 28, 1 << 12


class Blocks:
    """Blocks of memory by size, some of which are in use. A block that nobody but this class refers to is free.

    Args:
        most: bytes that are kept; the blocks of the size of which none was made for longest are forgotten first.
    """

    def __init__(self, most: int = _MOST) -> None:
        self.most, self.kept = most, 0
        self._of: OrderedDict[int, list[np.ndarray]] = OrderedDict()
        self._lock = threading.RLock()

    def of(self, size: int) -> np.ndarray:
        """A block of at least so many bytes, which nobody else has: an array of bytes, whose elements are anything."""
        size = -(-size // _PAGE) * _PAGE
        if size not in _SIZES:
            return np.empty(size, np.uint8)
        with self._lock:
            blocks = self._of.get(size, [])
            for k in range(len(blocks) - 1, -1, -1):
                if _users(blocks, k) == _ALONE:
                    return blocks[k]
            return self._new(size)

    def _new(self, size: int) -> np.ndarray:
        block = np.empty(size, np.uint8)
        self._of.setdefault(size, []).append(block)
        self._of.move_to_end(size)
        self.kept += size
        while self.kept > self.most:
            old, blocks = next(iter(self._of.items()))
            blocks.pop(0)
            self.kept -= old
            if not blocks:
                del self._of[old]
        return block


def _users(blocks: list[np.ndarray], k: int) -> int:
    """How many refer to a block, with the list and this function."""
    block = blocks[k]
    return sys.getrefcount(block)


#: how many refer to a block that nobody has
_ALONE = _users([np.empty(1, np.uint8)], 0)
#: those of all programs
BLOCKS = Blocks()

__all__ = ["BLOCKS", "Blocks"]
