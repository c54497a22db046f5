"""Random numbers: `np.random.default_rng(seed)`, `RandomState(seed)` and the legacy functions after `np.random.seed`.

The stream is ours, not NumPy's: a generator is a key (two 32-bit words, from the seed) and a counter in the heap; each
draw uses the key folded with the counter, then counts one. So a stream is reproducible, the same on every device, and
never frozen at compile time. The key of a generator that was made outside comes from its state with each call, after
which it is moved on (see `domain.randomness`); that of one that is made inside without a seed, from the operating
system with each call.
"""

from __future__ import annotations

import functools
import random
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from xlapy.dispatch.arrays.indexing import assign
from xlapy.dispatch.numbers.scalar_values import provoke, scalar
from xlapy.dispatch.numpy import creation, samplers
from xlapy.dispatch.numpy.numpy_leaves import python_scalar
from xlapy.dispatch.numpy.reasons import RANDOM_REASONS
from xlapy.dispatch.numpy.rule_operands import (
    absent,
    any_true,
    array_type,
    deliver,
    known,
    known_index,
    operand,
    raise_real,
    real_call,
    require_dtype,
    skeleton,
)
from xlapy.dispatch.protocol import Machine, Refused
from xlapy.dispatch.registry import attribute, function, method
from xlapy.domain.numbers import known_bounds
from xlapy.domain.randomness import OPERATING_SYSTEM
from xlapy.domain.sources import attribute as attribute_of
from xlapy.domain.values import NONE, Const, JaxArray, NdArray, NumpyScalar, Ref, Tuple, Value, as_ref
from xlapy.ir import Var, constant_value

_FLOAT = np.dtype(np.float64)
_INT64 = np.dtype(np.int64)
_UINT32 = np.dtype(np.uint32)
_SEED_HINT = "make it inside the function: rng = np.random.default_rng(seed)"


# -- state -----------------------------------------------------------------------------------------------------------


def _key_of(seed):
    return jax.random.key_data(jax.random.key(seed.astype(jnp.int64), impl="threefry2x32"))


def _folded(key, counter):
    return jax.random.fold_in(jax.random.wrap_key_data(key, impl="threefry2x32"), counter)


def _key_of_draw(key, counter):
    return jax.random.key_data(_folded(key, counter))


def seed_state(machine: Machine, number: int, seed: Any) -> None:
    """Start the stream of a generator object from a seed."""
    if absent(seed):
        drawn = next_key(machine, as_ref(machine.world.wrap_anchored(OPERATING_SYSTEM)).object)
        key = machine.leaf(_key_of_draw, drawn, name="seed")[0]
    else:
        wanted = _checked_by(machine, number, seed)
        var = operand(machine, seed)
        if var.type.dtype.kind not in "iu" or var.type.shape != ():
            raise Refused("XP0011", "the seed of a random generator must be an integer")
        wanted(var)
        key = machine.leaf(_key_of, (var,), name="seed")[0]
    machine.heap.write(number, "key", JaxArray(key))
    machine.heap.write(number, "counter", Const(np.uint32(0)))


def _checked_by(machine: Machine, number: int, seed: Any) -> Callable[[Var], None]:
    """Raise what NumPy raises for a known seed; the result does so for one that data says."""
    cls = machine.heap.objects[number].cls
    if issubclass(cls, random.Random):  # which takes anything
        return lambda var: None
    make, most = (np.random.default_rng, None) if issubclass(cls, np.random.Generator) else (cls, 2**32 - 1)
    if isinstance(seed, Const):
        try:
            make(seed.value)
        except (TypeError, ValueError) as error:
            machine.raise_(type(error), *error.args)
        return lambda var: None
    error = provoke(make, -1)

    def check(var: Var) -> None:
        builder, size = machine.builder, np.iinfo(var.type.dtype)
        for beyond, comparison, end in ((size.min < 0, "lt", 0), (most is not None and size.max > most, "gt", most)):
            if beyond:
                limit = builder.constant(end, var.type.dtype)
                machine.check(builder.elementwise(comparison, var, limit), type(error), *error.args)

    return check


def next_key(machine: Machine, number: int) -> tuple[Var, Var]:
    """The key and counter of the next draw."""
    key, counter = machine.heap.read(number, "key"), machine.heap.read(number, "counter")
    if not isinstance(key, JaxArray) or not isinstance(counter, Const | NumpyScalar):
        raise Refused("XP0010", "a random generator that is one of several", _SEED_HINT)
    before = machine.builder.constant(counter.value, _UINT32) if isinstance(counter, Const) else counter.var
    after = machine.builder.elementwise("add", before, machine.builder.constant(1, _UINT32))
    machine.heap.write(number, "counter", NumpyScalar(after))
    return key.var, before


@function(np.random.default_rng)
def default_rng(machine, seed=None):
    """np.random.default_rng(seed)."""
    if isinstance(seed, Ref):
        return seed
    number = machine.heap.new("instance", np.random.Generator)
    seed_state(machine, number, seed)
    return Ref(number)


@attribute(np.random.RandomState, "_bit_generator")
def _bit_generator(machine, self):
    """What a generator of the caller's draws from: SciPy asks whether `np.random.seed` was called."""
    info = machine.heap.objects[self.object]
    if info.source is None:
        raise Refused("XP0003", "the bit generator of a random state made in the program")
    return machine.world.wrap(info.real._bit_generator, attribute_of(info.source, "_bit_generator"))


@function(np.random.RandomState)
def random_state(machine, seed=None):
    """np.random.RandomState(seed)."""
    number = machine.heap.new("instance", np.random.RandomState)
    seed_state(machine, number, seed)
    return Ref(number)


def reseed(machine, state, seed=None):
    """np.random.seed(seed), and the method of RandomState."""
    seed_state(machine, state, seed)
    return NONE


# -- drawing ---------------------------------------------------------------------------------------------------------


def shape_of(machine: Machine, size: Any, *parameters: Var) -> tuple[int, ...]:
    """The shape of a draw: `size=`, or what the parameters broadcast to."""
    if absent(size):
        return np.broadcast_shapes(*(p.type.shape for p in parameters))
    return creation.shape_of(machine, size)


def draw(machine: Machine, state: int, sampler: Callable, parameters: list[Var], *static: Any) -> Var:
    """The result of one sampler: `sampler(key, *parameters, *static)`."""
    key, counter = next_key(machine, state)
    return machine.leaf(_draw, (key, counter, *parameters), (sampler, len(parameters), *static), name="random")[0]


def _draw(key, counter, *rest):
    rest = list(rest)
    position = next(k for k, item in enumerate(rest) if callable(item) and not hasattr(item, "dtype"))
    parameters, sampler, static = rest[:position], rest[position], rest[position + 2 :]
    return sampler(_folded(key, counter), *parameters, *static)


def _result(machine: Machine, var: Var, size: Any, out: Any = None) -> Value:
    if not absent(out):
        return deliver(machine, var, out)
    if var.type.shape == () and absent(size) and var.type.dtype in _NUMBERS:
        return python_scalar(machine, var, _NUMBERS[var.type.dtype])
    return machine.numpy_result(var)


#: what one draw gives
_NUMBERS: dict[np.dtype, type] = {_FLOAT: float, _INT64: int}


def _standard(sampler: Callable):
    """Draws without parameters: random, standard_normal, standard_exponential."""

    def rule(machine, state, size=None, dtype=None, out=None, method=None):
        target = _FLOAT if absent(dtype) else require_dtype(known(machine, dtype))
        if not absent(out) and isinstance(out, NdArray):
            shape = out.type.shape
        else:
            shape = shape_of(machine, size)
        return _result(machine, draw(machine, state, sampler, [], shape, target), size, out)

    return rule


def _uniform01(key, shape, dtype):
    return jax.random.uniform(key, shape, dtype)


def _normal01(key, shape, dtype):
    return jax.random.normal(key, shape, dtype)


def _exponential01(key, shape, dtype):
    return jax.random.exponential(key, shape, dtype)


#: of parameters of distributions: what must hold, which NaN does not fulfil, or must not, and what NumPy says otherwise
_CONDITIONS: dict[str, tuple[bool, dict[str, float], str]] = {
    "+": (False, {"lt": 0.0}, "{0} < 0"),
    "*": (False, {"le": 0.0}, "{0} <= 0"),
    "p": (True, {"ge": 0.0, "le": 1.0}, "{0} < 0, {0} > 1 or {0} is NaN"),
    "g": (True, {"gt": 0.0, "le": 1.0}, "{0} <= 0, {0} > 1 or {0} contains NaNs"),
    "q": (True, {"ge": 0.0, "lt": 1.0}, "{0} < 0, {0} >= 1 or {0} is NaN"),
    "0": (True, {"ge": 0.0}, "{0} < 0 or {0} is NaN"),
    "1": (True, {"gt": 1.0}, "{0} <= 1 or {0} is NaN"),
}


def _check_parameters(machine: Machine, check: str, names: tuple[str, ...], parameters: list[Var]) -> None:
    """Check parameters, each by the letter of its condition."""
    several = any(p.type.shape for p in parameters)
    order = zip(check, names, parameters, strict=False)
    for letter, name, parameter in reversed(list(order)) if check == _LAST_FIRST else order:
        if letter in _CONDITIONS:
            holds, bounds, text = _CONDITIONS[letter]
            text = text.replace("is NaN", "contains NaNs") if several else text
            bad = any_true(machine, _outside(machine, parameter, holds, bounds))
            machine.check(bad, ValueError, text.format(name))


#: `n` and `p` of a binomial distribution
_LAST_FIRST = "+p"


def _outside(machine: Machine, var: Var, holds: bool, bounds: dict[str, float]) -> Var:
    builder = machine.builder

    def compared(comparison: str) -> Var:
        end = builder.constant(bounds[comparison], _FLOAT)
        return builder.elementwise(comparison, var, builder.broadcast(end, var.type.shape))

    found = functools.reduce(lambda a, b: builder.elementwise("bitwise_and", a, b), map(compared, bounds))
    return builder.elementwise("bitwise_not", found) if holds else found


def _check_range(machine: Machine, low: Var, high: Var) -> None:
    """Check that the ends of a uniform distribution are not too far from each other."""
    bad = machine.leaf(lambda low, high: ~jnp.isfinite(high - low), (low, high), name="range")[0]
    machine.check(any_true(machine, bad), OverflowError, "Range exceeds valid bounds")


def _check_triangle(machine: Machine, left: Var, mode: Var, right: Var) -> None:
    for comparison, one, two, text in (
        ("gt", left, mode, "left > mode"),
        ("gt", mode, right, "mode > right"),
        ("eq", left, right, "left == right"),
    ):
        common = np.broadcast_shapes(one.type.shape, two.type.shape)
        wide = [machine.builder.broadcast(p, common) for p in (one, two)]
        machine.check(any_true(machine, machine.builder.elementwise(comparison, *wide)), ValueError, text)


def _family(
    sampler: Callable, defaults: tuple[float | None, ...], check: str = "", check_all: Callable | None = None
) -> Callable:
    """Distributions with parameters; `check` has letters of conditions of these, by position."""

    def rule(machine, state, *args, size=None, **kwargs):
        names = sampler.__code__.co_varnames[1 : 1 + len(defaults)]
        values = list(args)
        if len(values) > len(defaults):
            size = values.pop()
        for name, default in list(zip(names, defaults, strict=True))[len(values) :]:
            value = kwargs.pop(name, default)
            if value is None:
                return machine.raise_(TypeError, f"missing required argument '{name}'")
            values.append(value if isinstance(value, Value) else Const(value))
        if kwargs:
            raise Refused("XP0011", f"the argument '{next(iter(kwargs))}' of a random distribution")
        parameters = [operand(machine, v, _FLOAT) for v in values]
        _check_parameters(machine, check, names, parameters)
        if check_all is not None:
            check_all(machine, *parameters)
        shape = shape_of(machine, size, *parameters)
        return _result(machine, draw(machine, state, sampler, parameters, shape), size)

    return rule


def uniform(key, low, high, shape):
    """Uniform on [low, high)."""
    return low + (high - low) * jax.random.uniform(key, shape, jnp.float64)


def normal(key, loc, scale, shape):
    """The normal distribution."""
    return loc + scale * jax.random.normal(key, shape, jnp.float64)


def lognormal(key, mean, sigma, shape):
    """exp of a normal."""
    return jnp.exp(mean + sigma * jax.random.normal(key, shape, jnp.float64))


def exponential(key, scale, shape):
    """The exponential distribution."""
    return scale * jax.random.exponential(key, shape, jnp.float64)


def gamma(key, shape, scale, size):
    """The gamma distribution."""
    return scale * jax.random.gamma(key, jnp.broadcast_to(shape, size), size, jnp.float64)


def standard_gamma(key, shape, size):
    """The gamma distribution with scale 1."""
    return jax.random.gamma(key, jnp.broadcast_to(shape, size), size, jnp.float64)


def beta(key, a, b, shape):
    """The beta distribution."""
    return jax.random.beta(key, jnp.broadcast_to(a, shape), jnp.broadcast_to(b, shape), shape, jnp.float64)


def chisquare(key, df, shape):
    """The chi-square distribution."""
    return 2 * jax.random.gamma(key, jnp.broadcast_to(df / 2, shape), shape, jnp.float64)


def standard_t(key, df, shape):
    """Student's t."""
    return jax.random.t(key, jnp.broadcast_to(df, shape), shape, jnp.float64)


def laplace(key, loc, scale, shape):
    """The Laplace distribution."""
    return loc + scale * jax.random.laplace(key, shape, jnp.float64)


def logistic(key, loc, scale, shape):
    """The logistic distribution."""
    return loc + scale * jax.random.logistic(key, shape, jnp.float64)


def gumbel(key, loc, scale, shape):
    """The Gumbel distribution."""
    return loc + scale * jax.random.gumbel(key, shape, jnp.float64)


def rayleigh(key, scale, shape):
    """The Rayleigh distribution."""
    return scale * jnp.sqrt(2 * jax.random.exponential(key, shape, jnp.float64))


def weibull(key, a, shape):
    """The Weibull distribution with scale 1."""
    return jax.random.exponential(key, shape, jnp.float64) ** (1 / a)


def pareto(key, a, shape):
    """The Lomax distribution, as NumPy calls Pareto."""
    return jnp.expm1(jax.random.exponential(key, shape, jnp.float64) / a)


def standard_cauchy(key, shape):
    """The Cauchy distribution."""
    return jax.random.cauchy(key, shape, jnp.float64)


def triangular(key, left, mode, right, shape):
    """The triangular distribution."""
    return jax.random.triangular(key, left, mode, right, shape, jnp.float64)


def poisson(key, lam, shape):
    """The Poisson distribution."""
    return jax.random.poisson(key, jnp.broadcast_to(lam, shape), shape, jnp.int64)


def binomial(key, n, p, shape):
    """The binomial distribution."""
    return jax.random.binomial(key, jnp.broadcast_to(n, shape), jnp.broadcast_to(p, shape), shape).astype(jnp.int64)


def geometric(key, p, shape):
    """The geometric distribution, from 1."""
    return jax.random.geometric(key, jnp.broadcast_to(p, shape), shape, jnp.int64)


def _integers(key, low, high, shape, dtype, closed, few=False):
    """Whole numbers in [low, high), each as likely: what is before the point where a fraction with random bits is
    multiplied by their number (Lemire, "Fast Random Integer Generation in an Interval", 2019): 64 bits for less than
    2**32 numbers, and 128 for more. There is no division, which no vector instruction computes.

    Args:
        key: of the stream.
        low: the least number.
        high: the one above the largest.
        shape: how many.
        dtype: of the result.
        closed: whether `high` may be drawn.
        few: whether it is known that there are less than 2**32.
    """
    count = (high - low).astype(jnp.uint64) + jnp.uint64(closed)
    one, other = jax.random.split(key)
    first = jax.random.bits(one, shape, jnp.uint64)
    half, ones = jnp.uint64(32), jnp.uint64(2**32 - 1)
    short = ((first >> half) * (count & ones) + (((first & ones) * (count & ones)) >> half)) >> half
    if few:
        found = short
    else:
        behind = first * count
        carried = behind + _upper_half(jax.random.bits(other, shape, jnp.uint64), count) < behind
        found = _upper_half(first, count) + carried.astype(jnp.uint64)
        # all integers are as many as 0, modulo 2**64
        found = jnp.where(count == 0, first, jnp.where(count <= ones, short, found))
    return (low.astype(jnp.uint64) + found).astype(jnp.int64).astype(dtype)


def _upper_half(x, y):
    """The upper 64 of the 128 bits of a product."""
    half, ones = jnp.uint64(32), jnp.uint64(2**32 - 1)
    (a, b), (c, d) = ((n >> half, n & ones) for n in (x, y))
    outer = a * d + ((b * d) >> half)
    return a * c + (outer >> half) + ((b * c + (outer & ones)) >> half)


def integers(machine, state, low, high=None, size=None, dtype=None, endpoint: Any = False):
    """Generator.integers and np.random.randint."""
    target = np.dtype(np.int64) if absent(dtype) else require_dtype(known(machine, dtype))
    if absent(high):
        low, high = Const(0), low
    parameters = [operand(machine, v, np.dtype(np.int64)) for v in (low, high)]
    closed = bool(known(machine, endpoint))
    shape = shape_of(machine, size, *parameters)
    order = "gt" if closed else "ge"
    common = np.broadcast_shapes(*(p.type.shape for p in parameters))
    wide = [machine.builder.broadcast(p, common) for p in parameters]
    bad = any_true(machine, machine.builder.elementwise(order, *wide))
    zero = machine.builder.broadcast(machine.builder.constant(0, _INT64), parameters[0].type.shape)
    other = any_true(machine, machine.builder.elementwise("ne", parameters[0], zero))
    from_zero = machine.builder.elementwise("bitwise_and", bad, machine.builder.elementwise("bitwise_not", other))
    machine.check(from_zero, ValueError, "high < 0" if closed else "high <= 0")
    machine.check(bad, ValueError, "low > high" if closed else "low >= high")
    least, most = map(constant_value, parameters)
    few = least is not None and most is not None and most.size > 0 and int(most.max()) - int(least.min()) < 2**32 - 1
    return machine.numpy_result(draw(machine, state, _integers, parameters, shape, target, closed, few))


def random_integers(machine, state, low, high=None, size=None, dtype=None):
    """np.random.randint."""
    found = integers(machine, state, low, high, size, dtype)
    of_python = absent(dtype) or known(machine, dtype) is int
    if not of_python or not absent(size) or not isinstance(found, NumpyScalar):
        return found
    first, last = (Const(0), low) if absent(high) else (low, high)
    least, most = known_bounds(first), known_bounds(last or NONE)
    bounds = (least[0], most[1] - 1) if least is not None and most is not None else None
    return scalar(machine, int, found.var, bounds)


def closed_integers(machine, state, low, high=None, size=None):
    """np.random.random_integers: both ends may be drawn."""
    first, last = (Const(1), low) if absent(high) else (low, high)
    return integers(machine, state, first, last, size, endpoint=Const(True))


def permutation(machine, state, x, axis=0):
    """A shuffled copy, or a shuffled range."""
    var = _population(machine, state, "permutation", x)
    return machine.new_array(draw(machine, state, samplers.permutation, [var], known_index(machine, axis)))


def _is_number(machine: Machine, a: Value) -> bool:
    if isinstance(a, Const):
        return not isinstance(a.value, tuple | list)
    return array_type(machine, a).shape == ()


def _population(machine: Machine, state: int, name: str, a: Value) -> Var:
    """What is drawn from: an array, or the whole numbers below one."""
    if not _is_number(machine, a):
        return operand(machine, a)
    cls = machine.heap.objects[state].cls
    real = np.random.RandomState(0) if cls is np.random.RandomState else np.random.Generator(np.random.PCG64(0))
    try:
        real_call(getattr(real, name), [skeleton(machine, a)], {})
    except Exception as error:
        raise_real(machine, error)
    return machine.builder.constant(np.arange(int(known(machine, a, "the number of which numbers are drawn"))))


def shuffle(machine, state, x, axis=0):
    """In place."""
    if not isinstance(x, NdArray):
        raise Refused("XP0011", "shuffling something that is not an array", "shuffle an array of indices")
    assign(
        machine,
        x,
        machine.new_array(draw(machine, state, samplers.permutation, [machine.read(x)], known_index(machine, axis))),
    )
    return NONE


def choice(machine, state, a, size=None, replace=True, p=None, axis=0, shuffle=True):
    """Elements of an array, or whole numbers below `a`."""
    var = _population(machine, state, "choice", a)
    shape, again = shape_of(machine, size), bool(known(machine, replace))
    axis = known_index(machine, axis)
    if not again and int(np.prod(shape)) > var.type.shape[axis]:
        return machine.raise_(ValueError, "Cannot take a larger sample than population when replace is False")
    parameters = [var] if absent(p) else [var, operand(machine, p, _FLOAT)]
    result = draw(machine, state, _choice if len(parameters) == 1 else _weighted_choice, parameters, shape, again, axis)
    if absent(size) and _is_number(machine, a):
        return python_scalar(machine, result, int)
    return machine.numpy_result(result)


def _choice(key, a, shape, replace, axis):
    if not replace:
        return samplers.sample(key, a, shape, axis)
    places = _integers(key, jnp.int64(0), jnp.int64(a.shape[axis]), shape, _INT64, False, True)
    return jnp.take(a, places, axis, mode="clip")


def _weighted_choice(key, a, p, shape, replace, axis):
    return jax.random.choice(key, a, shape, replace, p, axis)


def multivariate_normal(machine, state, mean, cov, size=None, check_valid=None, tol=None, *, method=None):
    """The multivariate normal distribution."""
    parameters = [operand(machine, v, _FLOAT) for v in (mean, cov)]
    shape = () if absent(size) else shape_of(machine, size)
    return machine.new_array(draw(machine, state, _multivariate_normal, parameters, shape))


def _multivariate_normal(key, mean, cov, shape):
    return jax.random.multivariate_normal(key, mean, cov, shape, jnp.float64, method="svd")


def _by_dimensions(sampler: Callable):
    """np.random.rand and randn: dimensions as arguments; a Python float without any."""

    def rule(machine, state, *dimensions):
        shape = creation.shape_of(machine, Tuple(dimensions))
        var = draw(machine, state, sampler, [], shape, _FLOAT)
        return _result(machine, var, shape or None)

    return rule


def _vectors(sampler: Callable, dtypes: tuple, vector: int):
    """Distributions of vectors: the parameter number `vector` gives their length."""

    def rule(machine, state, *args, size=None, method=None, **kwargs):
        names = sampler.__code__.co_varnames[1 : 1 + len(dtypes)]
        values = [*args]
        if len(values) > len(dtypes):
            size = values.pop()
        values += [kwargs[name] for name in names[len(values) :]]
        parameters = [operand(machine, v, dtype) for v, dtype in zip(values, dtypes, strict=True)]
        if len(parameters[vector].type.shape) != 1 or any(
            p.type.shape for k, p in enumerate(parameters) if k != vector
        ):
            raise Refused("XP0011", f"np.random's {sampler.__name__} of such parameters", "pass one vector")
        shape = () if absent(size) else shape_of(machine, size)
        return machine.new_array(draw(machine, state, sampler, parameters, shape))

    return rule


def permuted(machine, state, x, *, axis=None, out=None):
    """Generator.permuted: each slice shuffled on its own."""
    where = known(machine, axis)
    return deliver(machine, draw(machine, state, samplers.permuted, [operand(machine, x)], where), out)


def standard_gamma_rule(machine, state, shape, size=None, dtype=None, out=None):
    """standard_gamma, with a dtype and an array to write to."""
    if isinstance(out, NdArray) and absent(size):
        size = Const(out.type.shape)
    made = _family(standard_gamma, (None,), "+")(machine, state, shape, size=size)
    target = _FLOAT if absent(dtype) else require_dtype(known(machine, dtype))
    if target == _FLOAT and absent(out):
        return made
    return deliver(machine, operand(machine, made, target), out)


BOTH: dict[str, Callable] = {
    "random": _standard(_uniform01),
    "standard_normal": _standard(_normal01),
    "standard_exponential": _standard(_exponential01),
    "uniform": _family(uniform, (0.0, 1.0), check_all=_check_range),
    "normal": _family(normal, (0.0, 1.0), "-+"),
    "lognormal": _family(lognormal, (0.0, 1.0), "-+"),
    "exponential": _family(exponential, (1.0,), "+"),
    "gamma": _family(gamma, (None, 1.0), "++"),
    "standard_gamma": standard_gamma_rule,
    "power": _family(samplers.power, (None,), "*"),
    "f": _family(samplers.f, (None, None), "**"),
    "noncentral_f": _family(samplers.noncentral_f, (None, None, None), "**+"),
    "noncentral_chisquare": _family(samplers.noncentral_chisquare, (None, None), "*+"),
    "wald": _family(samplers.wald, (None, None), "**"),
    "vonmises": _family(samplers.vonmises, (None, None), "-+"),
    "zipf": _family(samplers.zipf, (None,), "1"),
    "logseries": _family(samplers.logseries, (None,), "q"),
    "negative_binomial": _family(samplers.negative_binomial, (None, None), "*p"),
    "hypergeometric": _family(samplers.hypergeometric, (None, None, None), "+++"),
    "multinomial": _vectors(samplers.multinomial, (_INT64, _FLOAT), 1),
    "dirichlet": _vectors(samplers.dirichlet, (_FLOAT,), 0),
    "beta": _family(beta, (None, None), "**"),
    "chisquare": _family(chisquare, (None,), "*"),
    "standard_t": _family(standard_t, (None,), "*"),
    "standard_cauchy": _family(standard_cauchy, ()),
    "laplace": _family(laplace, (0.0, 1.0), "-+"),
    "logistic": _family(logistic, (0.0, 1.0), "-+"),
    "gumbel": _family(gumbel, (0.0, 1.0), "-+"),
    "rayleigh": _family(rayleigh, (1.0,), "+"),
    "weibull": _family(weibull, (None,), "+"),
    "pareto": _family(pareto, (None,), "*"),
    "triangular": _family(triangular, (None, None, None), check_all=_check_triangle),
    "poisson": _family(poisson, (1.0,), "0"),
    "binomial": _family(binomial, (None, None), _LAST_FIRST),
    "geometric": _family(geometric, (None,), "g"),
    "permutation": permutation,
    "shuffle": shuffle,
    "choice": choice,
    "multivariate_normal": multivariate_normal,
}
LEGACY: dict[str, Callable] = {
    **BOTH,
    "rand": _by_dimensions(_uniform01),
    "randn": _by_dimensions(_normal01),
    "random_sample": BOTH["random"],
    "randint": random_integers,
    "random_integers": closed_integers,
    "seed": reseed,
}
GENERATOR: dict[str, Callable] = {
    **BOTH,
    "integers": integers,
    "permuted": permuted,
    "multivariate_hypergeometric": _vectors(samplers.multivariate_hypergeometric, (_INT64, _INT64), 0),
}


def of_object(rule: Callable) -> Callable:
    """The rule of a method of a generator."""

    def bound(machine, self, /, *args, **kwargs):
        if not isinstance(self, Ref):
            raise Refused("XP0003", f"a {machine.type_of(self).__name__} draws numbers that the device has not got")
        return rule(machine, self.object, *args, **kwargs)

    return bound


#: the object behind the functions of `np.random`
_GLOBAL = np.random.rand.__self__


def of_module(rule: Callable, owner: Any = _GLOBAL) -> Callable:
    """The rule of a function of a module that is a method of an object that nobody names."""

    def bound(machine, /, *args, **kwargs):
        return rule(machine, machine.world.wrap_anchored(owner).object, *args, **kwargs)

    return bound


def _refusing(name: str) -> Callable:
    def rule(machine, /, *args, **kwargs):
        reason = RANDOM_REASONS.get(name, "is not supported")
        raise Refused("XP0003", f"numpy.random: '{name}' {reason}")

    return rule


def register() -> None:
    """Rules for the methods of both classes and for the module's functions; what is left is refused."""
    for cls, table in ((np.random.Generator, GENERATOR), (np.random.RandomState, LEGACY)):
        for name in (n for n in dir(cls) if not n.startswith("_")):
            rule = table.get(name)
            bound = of_object(rule) if rule is not None else _refusing(name)
            method(cls, name)(bound)
            function(getattr(cls, name))(bound)
    for name in (n for n in dir(np.random.RandomState) if not n.startswith("_")):
        item = getattr(np.random, name, None)
        if item is not None:
            rule = LEGACY.get(name)
            function(item)(of_module(rule) if rule is not None else _refusing(name))
    function(np.random.ranf, np.random.sample)(of_module(LEGACY["random"]))


register()
