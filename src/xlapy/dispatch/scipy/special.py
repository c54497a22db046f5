"""scipy.special: its ufuncs of real numbers, by `jax.scipy.special`; their result types are SciPy's own."""

from __future__ import annotations

import functools
from typing import Any

import jax.numpy as jnp
import jax.scipy.special
import numpy as np
import scipy.special
from jax import lax
from jax.scipy.special import betainc, ndtr
from scipy.special import _ufuncs

from xlapy.dispatch import registry
from xlapy.dispatch.argument_kinds import DYNAMIC_LENGTH
from xlapy.dispatch.bounded.bounded_elementwise import lanewise
from xlapy.dispatch.numbers.scalar_values import refuse_where
from xlapy.dispatch.numpy.numpy_leaves import JAX_ERRORS
from xlapy.dispatch.numpy.rule_operands import cast_array, deliver, operand, supported
from xlapy.dispatch.numpy.ufuncs import type_of_operand
from xlapy.dispatch.protocol import Machine, Refused
from xlapy.dispatch.registry import function
from xlapy.dispatch.scipy import inverse_special_functions
from xlapy.domain.values import Value


def _special(ufunc: np.ufunc, implementation) -> None:
    def rule(machine: Machine, *args: Value, out: Value | None = None) -> Value:
        inputs, given = args[: ufunc.nin], args[ufunc.nin :]
        if len(inputs) < ufunc.nin:
            raise Refused("XP0011", f"scipy.special.{ufunc.__name__} of {len(inputs)} arguments")
        kinds = [type_of_operand(machine, v) for v in inputs]
        dtypes = ufunc.resolve_dtypes((*kinds, None))
        if not all(map(supported, dtypes)):
            raise Refused("XP0005", f"scipy.special.{ufunc.__name__} of such types")
        operands = [operand(machine, v) for v in inputs]
        try:
            var = machine.leaf(_apply, operands, (implementation, tuple(dtypes)), name=ufunc.__name__)[0]
        except JAX_ERRORS as error:
            raise Refused("XP0011", f"scipy.special.{ufunc.__name__}: {error}") from error
        return deliver(machine, var, given[0] if given else out, "same_kind")

    function(ufunc)(rule)
    registry.function(ufunc, kind=DYNAMIC_LENGTH)(functools.partial(_on_lanes, ufunc))


def _on_lanes(ufunc: np.ufunc, machine: Machine, *args: Value) -> Value:
    """Of arrays of dynamic length: in all of their room."""
    return lanewise(machine, ufunc, args, {})


def _apply(*rest):
    *operands, implementation, dtypes = rest
    result = implementation(*(cast_array(x, d) for x, d in zip(operands, dtypes, strict=False)))
    return cast_array(result, dtypes[-1])


def _is_real_ufunc(item: object) -> bool:
    return isinstance(item, np.ufunc) and item.nout == 1 and any(t == "d" * item.nin + "->d" for t in item.types)


# -- distributions ----------------------------------------------------------------------------------------------------


def _gammainc(a, x):
    return _at_edges(a, x, jax.scipy.special.gammainc(a, x), 1)


def _gammaincc(a, x):
    return _at_edges(a, x, jax.scipy.special.gammaincc(a, x), 0)


def _at_edges(a, x, value, end: int):
    """Where `a` is 0, `end`; where it is infinite, the other one."""
    value = jnp.where((a == 0) & (x > 0), end, value)
    return jnp.where((a == jnp.inf) & (x >= 0), jnp.where(x == jnp.inf, jnp.nan, 1 - end), value)


def _betaincc(a, b, x):
    """From the smaller side, unless `x` is lost in `1 - x`; as SciPy, in doubles."""
    a, b, x = (v.astype(jnp.float64) for v in (a, b, x))
    below = betainc(a, b, x)
    return jnp.where((below < 0.5) | (x < 1e-8), 1 - below, betainc(b, a, 1 - x))


def _stdtr(df, t):
    df, t = jnp.broadcast_arrays(df, t)
    square, half = t * t, jnp.full_like(df, 0.5)
    near = 0.5 - 0.5 * betainc(half, 0.5 * df, square / (df + square))
    tail = jnp.where(square < 1, near, 0.5 * betainc(0.5 * df, half, df / (df + square)))
    tail = jnp.where(square == jnp.inf, 0, tail)
    found = jnp.where(df > 3000, _stdtr_of_many(df, t), jnp.where(t > 0, 1 - tail, tail))
    return jnp.where((df > 0) & ~jnp.isnan(t), found, jnp.nan)


def _stdtr_of_many(df, t):
    """Hill's approximation for many degrees of freedom (algorithm 395, Communications of the ACM 13, 1970)."""
    a = df - 0.5
    w, b = a * jnp.log1p(t * t / df), 48 * a * a
    rest = (((-0.4 * w - 3.3) * w - 24) * w - 85.5) / (0.8 * w * w + 100 + b)
    normal = jnp.sign(t) * jnp.sqrt(w) * (1 + (rest + w + 3) / b)
    return ndtr(jnp.where((df == jnp.inf) | jnp.isinf(t), t, normal))


def _fdtr(dfn, dfd, x):
    return _of_f(dfn, dfd, x, True)


def _fdtrc(dfn, dfd, x):
    return _of_f(dfn, dfd, x, False)


def _of_f(dfn, dfd, x, below: bool):
    """The F distribution below or above `x`, from its smaller side where that is small."""
    under = betainc(0.5 * dfn, 0.5 * dfd, dfn * x / (dfd + dfn * x))
    over = betainc(0.5 * dfd, 0.5 * dfn, dfd / (dfd + dfn * x))
    asked, other = (under, over) if below else (over, under)
    found = jnp.where(x == jnp.inf, float(below), jnp.where(other < 0.5, 1 - other, asked))
    return jnp.where((dfn > 0) & (dfd > 0) & (x >= 0), found, jnp.nan)


def _pdtr(k, m):
    found = jnp.where(m == 0, 1, _gammaincc(jnp.floor(k) + 1, m))
    return jnp.where((k < 0) | (m < 0), jnp.nan, found)


def _pdtrc(k, m):
    found = jnp.where(m == 0, 0, _gammainc(jnp.floor(k) + 1, m))
    return jnp.where((k < 0) | (m < 0), jnp.nan, found)


# -- binomial coefficients --------------------------------------------------------------------------------------------

#: the factors of which SciPy makes a binomial coefficient, one after the other
_FACTORS, _MOST_FACTORS = 20, 2000


def _binom(n, k):
    """As SciPy: a product for whole `k` (or `n - k`), which is exact as long as it can be; and whether it is none."""
    whole = (k == jnp.floor(k)) & ((jnp.abs(n) > 1e-8) | (n == 0))
    both = whole & (n == jnp.floor(n))
    few = jnp.where(both & (k > n / 2) & (n > 0), n - k, k)
    product = whole & (few >= 0) & (few < _MOST_FACTORS)
    above, below = jnp.ones_like(n), jnp.ones_like(n)
    for i in range(1, _FACTORS):
        used = i <= few
        above = jnp.where(used, above * (i + n - few), above)
        below = jnp.where(used, below * i, below)
        large = used & (jnp.abs(above) > 1e50)
        above, below = jnp.where(large, above / below, above), jnp.where(large, 1.0, below)

    def one_more(i, found):
        return jnp.where(i <= few, found * ((i + n - few) / i), found)

    last = jnp.max(jnp.where(product, few, 0.0), initial=0.0).astype(jnp.int64)
    products = lax.fori_loop(_FACTORS, last + 1, one_more, above / below)
    none = both & (n >= 0) & (k > n)
    return jnp.where(none, 0.0, products), jnp.any(~product & ~none)


@function(scipy.special.binom)
def binom(machine: Machine, n: Value, k: Value, out: Value | None = None) -> Value:
    """scipy.special.binom."""
    dtypes = scipy.special.binom.resolve_dtypes((type_of_operand(machine, n), type_of_operand(machine, k), None))
    var, bad = machine.leaf(_of_floats, (operand(machine, n), operand(machine, k)), (tuple(dtypes),), name="binom")
    refuse_where(machine, bad, "XP0013", "scipy.special.binom(n, k) for k that are negative, not whole, or large")
    return deliver(machine, var, out, "same_kind")


registry.function(scipy.special.binom, kind=DYNAMIC_LENGTH)(functools.partial(_on_lanes, scipy.special.binom))


def _of_floats(n, k, dtypes):
    n, k = jnp.broadcast_arrays(cast_array(n, dtypes[0]), cast_array(k, dtypes[1]))
    found, bad = _binom(n, k)
    return cast_array(found, dtypes[-1]), bad


_DISTRIBUTIONS = {
    "gammainc": _gammainc,
    "gammaincc": _gammaincc,
    "chdtr": lambda v, x: _gammainc(0.5 * v, 0.5 * x),
    "chdtrc": lambda v, x: _gammaincc(0.5 * v, 0.5 * x),
    "gdtr": lambda a, b, x: jnp.where(x < 0, jnp.nan, _gammainc(b, a * x)),
    "gdtrc": lambda a, b, x: jnp.where(x < 0, jnp.nan, _gammaincc(b, a * x)),
    "betaincc": _betaincc,
    "stdtr": _stdtr,
    "fdtr": _fdtr,
    "fdtrc": _fdtrc,
    "pdtr": _pdtr,
    "pdtrc": _pdtrc,
}

for _name in dir(jax.scipy.special):
    _item: Any = getattr(scipy.special, _name, None)
    if not _name.startswith("_") and _name not in _DISTRIBUTIONS and _is_real_ufunc(_item):
        _special(_item, getattr(jax.scipy.special, _name))
for _name, _implementation in _DISTRIBUTIONS.items():
    _special(getattr(scipy.special, _name), _implementation)
for _name, _implementation in inverse_special_functions.IMPLEMENTATIONS.items():
    _item = getattr(_ufuncs, _name, None)  # those whose names begin with a line are not in every version of SciPy
    if isinstance(_item, np.ufunc):
        _special(_item, inverse_special_functions.in_doubles(_implementation))
for _name in "expm1 log1p exp2 cbrt".split():
    _special(getattr(scipy.special, _name), getattr(jnp, _name))
