"""Arithmetic of closed intervals: between which integers a result is, given between which the operands are."""

from __future__ import annotations

Interval = tuple[int, int]


def hull(a: Interval, b: Interval) -> Interval:
    """The smallest interval that contains two."""
    return min(a[0], b[0]), max(a[1], b[1])


def product(a: Interval, b: Interval) -> Interval:
    """Of `x * y`."""
    products = [x * y for x in a for y in b]
    return min(products), max(products)


def quotient(a: Interval, b: Interval) -> Interval | None:
    """Of XLA's division, which rounds towards zero; None for divisors that may be zero or negative."""
    if b[0] <= 0:
        return None
    quotients = [abs(x) // y * (1 if x > 0 else -1) for x in a for y in b]
    return min(quotients), max(quotients)


def remainder(a: Interval, b: Interval) -> Interval | None:
    """Of XLA's remainder, which has the sign of the dividend; None for divisors that may be zero or negative."""
    if b[0] <= 0:
        return None
    most = b[1] - 1
    return max(a[0], -most) if a[0] < 0 else 0, min(a[1], most) if a[1] > 0 else 0


def bits_in_common(a: Interval, b: Interval) -> Interval | None:
    """Of `x & y`: a number that is not negative has no bits but its own. None if both may be negative."""
    ends = [x[1] for x in (a, b) if x[0] >= 0]
    return (0, min(ends)) if ends else None


__all__ = ["Interval", "bits_in_common", "hull", "product", "quotient", "remainder"]
