"""`xlapy.bound`: what a program says about the size of its data."""

from __future__ import annotations


def bound(n: int, maximum: int) -> int:
    """`n`, which is at most `maximum`: arrays of size `n` get room for `maximum` elements in a compiled function.

    Args:
        n: a size that depends on data, or that is to differ from call to call without a new compilation.
        maximum: an int that is known at compile time.

    Raises:
        ValueError: if n > maximum.
    """
    if n > maximum:
        raise ValueError(f"{n} is more than the bound {maximum}")
    return n
