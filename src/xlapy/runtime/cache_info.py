"""What `cache_info` of a compiled function returns."""

from __future__ import annotations

from typing import NamedTuple


class CacheInfo(NamedTuple):
    """Like `functools.lru_cache`'s: calls answered by a compiled program, compilations, programs kept."""

    hits: int
    misses: int
    maxsize: int | None
    currsize: int
