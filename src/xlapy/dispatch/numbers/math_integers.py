"""The `math` module for ints, and its functions of sequences (but for `numbers.fsum_sumprod`)."""

from __future__ import annotations

import math
from collections.abc import Callable

import jax.numpy as jnp
from jax import lax

from xlapy.dispatch import registry
from xlapy.dispatch.numbers import overflow, range_objects
from xlapy.dispatch.numbers.math_functions import Failure, known, power_of_two, real
from xlapy.dispatch.numbers.scalar_values import (
    INT_MAX,
    INT_MIN,
    bounds_of,
    constant,
    device,
    fold,
    int_info,
    refuse_where,
    scalar,
)
from xlapy.domain.values import Const, Value
from xlapy.ir import Var

_NEGATIVE = {f: Failure(f, -7) for f in (math.factorial, math.isqrt)}
_COMB = (Failure(math.comb, -7, 1), Failure(math.comb, 1, -7))
_PERM = (Failure(math.perm, -7, 1), Failure(math.perm, 1, -7))
#: whose factorials fit so many bits
_MAXIMUM_FACTORIAL = {64: 20, 32: 12}


def _whole(machine, value: Value) -> Value:
    return range_objects.index(machine, value)


def _negative(machine, var: Var) -> Var:
    return machine.builder.elementwise("lt", var, constant(machine, 0, var))


def _gcd(a, b):
    """The greatest common divisor, by remainders that also the least integer has (JAX's never ends there)."""
    found = lax.while_loop(lambda pair: pair[1] != 0, lambda pair: (pair[1], lax.rem(*pair)), (a, b))[0]
    return jnp.abs(found), jnp.abs(found.astype(jnp.float64))


def _lcm(a, b):
    """The least common multiple, and about that as a float."""
    divisor, _ = _gcd(a, b)
    part = lax.div(a, jnp.where(divisor == 0, 1, divisor))
    return jnp.abs(part * b), jnp.abs(part.astype(jnp.float64) * b.astype(jnp.float64))


def _reduction(function: Callable, how: Callable, empty: int) -> None:
    """`gcd` and `lcm` of any number of ints."""

    def rule(machine, *integers: Value) -> Value:
        found: Value = Const(empty)
        for value in (_whole(machine, v) for v in integers):
            if isinstance(found, Const) and isinstance(value, Const):
                found = fold(machine, function, found.value, value.value)
            else:
                var, size = machine.leaf(how, [device(machine, found, int), device(machine, value, int)])
                if how is _lcm or min(bounds_of(found)[0], bounds_of(value)[0]) <= INT_MIN:
                    overflow.refuse_large(machine, size, var)
                found = scalar(machine, int, var, (0, INT_MAX))
        return found

    registry.function(function)(rule)


_reduction(math.gcd, _gcd, 0)
_reduction(math.lcm, _lcm, 1)


def _isqrt(n):
    """The floor of the square root: the float's, put right."""
    most = math.isqrt(jnp.iinfo(n.dtype).max)
    root = jnp.floor(jnp.sqrt(n.astype(jnp.float64))).astype(n.dtype)
    root = jnp.minimum(root, most)
    root = jnp.where(root * root > n, root - 1, root)
    return jnp.where((root < most) & ((root + 1) * (root + 1) <= n), root + 1, root)


@registry.function(math.isqrt)
def isqrt(machine, n: Value, /) -> Value:
    """`math.isqrt(n)`."""
    value = _whole(machine, n)
    if isinstance(value, Const):
        return fold(machine, math.isqrt, value.value)
    var = device(machine, value, int)
    _NEGATIVE[math.isqrt].check(machine, _negative(machine, var), value)
    high = math.isqrt(max(bounds_of(value)[1], 0))
    return scalar(machine, int, machine.leaf(_isqrt, [var])[0], (0, high))


def _factorial(n, most):
    table_ = jnp.array([math.factorial(i) for i in range(most + 1)], n.dtype)
    return table_[jnp.clip(n, 0, most)]


@registry.function(math.factorial)
def factorial(machine, n: Value, /) -> Value:
    """`math.factorial(n)`; beyond 20 the result does not fit 64 bits."""
    value = _whole(machine, n)
    if isinstance(value, Const):
        return fold(machine, math.factorial, value.value)
    var = device(machine, value, int)
    _NEGATIVE[math.factorial].check(machine, _negative(machine, var), value)
    bits = int_info(machine).bits
    most = _MAXIMUM_FACTORIAL[bits]
    if bounds_of(value)[1] > most:
        large = machine.builder.elementwise("gt", var, constant(machine, most, var))
        refuse_where(machine, large, "XP0005", f"a factorial beyond {bits} bits", "use math.lgamma")
    return scalar(machine, int, machine.leaf(_factorial, [var], (most,))[0], (1, math.factorial(most)))


def _comb(n, k):
    """n over k, and about that as a float: by products that stay whole, divided by the common factor first."""
    k = jnp.minimum(k, n - k)

    def body(i, state):
        found, size = state
        numerator, denominator = n - i, i + 1
        common = jnp.gcd(found, denominator)
        return (found // common) * (numerator // (denominator // common)), size * (numerator / denominator)

    found, size = lax.fori_loop(0, jnp.maximum(k, 0), body, (jnp.ones_like(n), 1.0))
    return jnp.where(k < 0, 0, found), size


def _perm(n, k):
    def body(i, state):
        return state[0] * (n - i), state[1] * (n - i)

    found, size = lax.fori_loop(0, jnp.clip(k, 0, n), body, (jnp.ones_like(n), 1.0))
    return jnp.where(k > n, 0, found), jnp.where(k > n, 0.0, size)


def _selection(machine, function: Callable, how: Callable, failures: tuple, n: Value, k: Value) -> Value:
    values = (_whole(machine, n), _whole(machine, k))
    given = known(machine, values)
    if given is not None:
        return fold(machine, function, *given)
    vars_ = [device(machine, v, int) for v in values]
    for failure, var, value in zip(failures, vars_, values, strict=True):
        failure.check(machine, _negative(machine, var), value)
    found, size = machine.leaf(how, vars_)
    overflow.refuse_large(machine, size, found)
    return scalar(machine, int, found, (0, INT_MAX))


@registry.function(math.comb)
def comb(machine, n: Value, k: Value, /) -> Value:
    """`math.comb(n, k)`."""
    return _selection(machine, math.comb, _comb, _COMB, n, k)


@registry.function(math.perm)
def perm(machine, n: Value, k: Value | None = None, /) -> Value:
    """`math.perm(n[, k])`."""
    if k is None or (isinstance(k, Const) and k.value is None):
        return factorial(machine, n)
    return _selection(machine, math.perm, _perm, _PERM, n, k)


# -- points -----------------------------------------------------------------------------------------------------------


def _hypot(*coordinates):
    """The Euclidean norm, scaled by a power of two so that squares neither overflow nor vanish."""
    sizes = jnp.abs(jnp.stack(coordinates))
    largest = jnp.max(jnp.where(jnp.isnan(sizes), 0.0, sizes))
    _, exponent = jnp.frexp(jnp.where(jnp.isfinite(largest), largest, 1.0))
    half = exponent // 2
    scaled = sizes * power_of_two(-half) * power_of_two(half - exponent)
    norm = jnp.sqrt(jnp.sum(scaled * scaled)) * power_of_two(half) * power_of_two(exponent - half)
    return jnp.where(jnp.isinf(sizes).any(), jnp.inf, jnp.where(largest == 0, jnp.sum(sizes), norm))


@registry.function(math.hypot)
def hypot(machine, *coordinates: Value) -> Value:
    """`math.hypot(*coordinates)`."""
    given = known(machine, coordinates)
    if given is not None:
        return fold(machine, math.hypot, *given)
    return scalar(machine, float, machine.leaf(_hypot, [real(machine, c) for c in coordinates])[0])


# -- sequences, as loops in Python ------------------------------------------------------------------------------------


@registry.replacement(math.prod)
def _prod(iterable, *, start=1):
    for item in iterable:
        start = start * item
    return start
