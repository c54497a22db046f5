"""statistics: known numbers by the module itself, numbers on the device by sums of floats and of integers.

The module computes with fractions and rounds once. Here a mean of floats is that of their exact sum; what comes of
squares may differ in the last digits, as sums may. Integers stay exact, and a mean or a variance of integers that is
whole is an int, as there.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable
from statistics import StatisticsError

import numpy as np

from xlapy.dispatch import kinds, registry
from xlapy.dispatch.numbers.scalar_values import fold
from xlapy.dispatch.numpy.rule_operands import materialise, skeleton
from xlapy.dispatch.protocol import Refused
from xlapy.domain.values import Const, GrowableList, NdArray, NumpyScalar, Ref, Tuple, Value, alternatives


def _quotient(total, count):
    if isinstance(total, int):
        return total // count if total % count == 0 else total / count
    return total / count


def _mean(data):
    data = list(data)
    if len(data) < 1:
        raise StatisticsError("mean requires at least one data point")
    return _quotient(_sum(data), len(data))


def _sum(data):
    """The sum, rounded once."""
    total = sum(data)
    if not isinstance(total, float):
        return total
    for x in data:
        if not math.isfinite(x):
            return total
    return type(total)(math.fsum(data))


def _fmean(data, weights=None):
    count = len(data) if hasattr(data, "__len__") else None  # which `array.flat` has that has begun, too
    data = list(data)
    if weights is None:
        count = len(data) if count is None else count
        if count < 1:
            raise StatisticsError("fmean requires at least one data point")
        return math.fsum(data) / count
    weights = list(weights)
    if len(weights) != len(data):
        raise StatisticsError("data and weights must be the same length")
    total = math.fsum(weights)
    if not total:
        raise StatisticsError("sum of weights must be non-zero")
    return math.fsum([value * weight for value, weight in zip(data, weights)]) / total  # noqa: B905


def _spread(data, center, count):
    """The sum of squared distances from the mean, times the number of data where they are integers; divided by
    `count` of them."""
    if center is None and isinstance(sum(data), int):
        return _quotient(len(data) * sum([x * x for x in data]) - sum(data) ** 2, len(data) * count)
    middle = _mean(data) if center is None else center
    return _quotient(sum([(x - middle) ** 2 for x in data]), count)


def _variance(data, xbar=None):
    data = list(data)
    if len(data) < 2:
        raise StatisticsError("variance requires at least two data points")
    return _spread(data, xbar, len(data) - 1)


def _pvariance(data, mu=None):
    data = list(data)
    if len(data) < 1:
        raise StatisticsError("pvariance requires at least one data point")
    return _spread(data, mu, len(data))


def _stdev(data, xbar=None):
    data = list(data)
    if len(data) < 2:
        raise StatisticsError("stdev requires at least two data points")
    return math.sqrt(_spread(data, xbar, len(data) - 1))


def _pstdev(data, mu=None):
    data = list(data)
    if len(data) < 1:
        raise StatisticsError("pstdev requires at least one data point")
    return math.sqrt(_spread(data, mu, len(data)))


def _geometric_mean(data):
    data = list(data)
    if len(data) < 1:
        raise StatisticsError("geometric mean requires a non-empty dataset containing positive numbers")
    for x in data:
        if x <= 0:
            raise StatisticsError("geometric mean requires a non-empty dataset containing positive numbers")
    return math.exp(_fmean([math.log(x) for x in data]))


def _harmonic_mean(data, weights=None):
    data = list(data)
    if len(data) < 1:
        raise StatisticsError("harmonic_mean requires at least one data point")
    if len(data) == 1 and weights is None:
        if data[0] < 0:
            raise StatisticsError("harmonic mean does not support negative values")
        return data[0]
    if weights is None:
        whole, weights = len(data), [1] * len(data)
    else:
        weights = list(weights)
        if len(weights) != len(data):
            raise StatisticsError("Number of weights does not match data size")
        for weight in weights:
            if weight < 0:
                raise StatisticsError("harmonic mean does not support negative values")
        whole = _sum(weights)
    parts = []
    for weight, x in zip(weights, data):  # noqa: B905
        if x < 0:
            raise StatisticsError("harmonic mean does not support negative values")
        if x == 0 and weight != 0:
            return 0
        parts.append(weight / x if weight != 0 else 0.0)
    total = _sum(parts)
    if total <= 0:
        raise StatisticsError("Weighted sum must be positive")
    return whole / total


def _root_of_product(x, y):
    """The module's own calls itself once more where the product is beyond the range of floats."""
    root = math.sqrt(x * y)
    if root == 0.0 or math.isinf(root):
        return math.sqrt(x) * math.sqrt(y)
    return root


def _samples(machine, value: Value) -> tuple[Value, ...]:
    """Items of a list or tuple, of all types that they have."""
    if isinstance(value, Ref) and machine.heap.objects[value.object].kind == "list":
        value = machine.heap.read(value.object, "<items>")
    if isinstance(value, GrowableList):
        return tuple(alternatives(value.element))
    return value.items if isinstance(value, Tuple) else ()


def _check_samples(machine, function: Callable, items: tuple[Value, ...]) -> None:
    """The TypeError of the module about what is no number, or of numbers of classes that it does not put together."""
    classes = {machine.type_of(item) for item in items}
    if classes <= {int, bool, float, np.float64} or len(classes) == 1 and issubclass(next(iter(classes)), np.floating):
        return
    if any(isinstance(item, Ref) and kinds.is_instance(machine, item) for item in items):
        return
    try:
        function([materialise(skeleton(machine, item)) for item in items])
    except TypeError as error:
        machine.reraise(error)
    except Exception:
        pass
    raise Refused("XP0003", f"statistics.{function.__name__} of such numbers", "use NumPy's function")


def _register(function: Callable, implementation: Callable) -> None:
    def rule(machine, /, *args: Value, **kwargs: Value) -> Value:
        given = (*args, *kwargs.values())
        if all(map(machine.is_static, given)):
            known = [machine.static(v) for v in args]
            named = {k: machine.static(v) for k, v in kwargs.items()}
            return fold(machine, lambda: function(*known, **named))
        for value in args[:1]:
            items = _samples(machine, value)
            _check_samples(machine, function, items)
            integers = any(isinstance(v, NumpyScalar) and v.var.type.dtype.kind != "f" for v in items)
            array = isinstance(value, NdArray) and (value.type.dtype.kind != "f" or len(value.type.shape) != 1)
            if array or integers:
                what = "of NumPy's numbers that are no floats, which it gives a type of its own"
                raise Refused("XP0003", f"statistics.{function.__name__} {what}", "use NumPy's function, or x.tolist()")
        return machine.call(Const(implementation), list(args), kwargs)

    registry.function(function)(rule)


for _function, _implementation in (
    (statistics.mean, _mean),
    (statistics.fmean, _fmean),
    (statistics.variance, _variance),
    (statistics.pvariance, _pvariance),
    (statistics.stdev, _stdev),
    (statistics.pstdev, _pstdev),
    (statistics.geometric_mean, _geometric_mean),
    (statistics.harmonic_mean, _harmonic_mean),
):
    _register(_function, _implementation)
_SQRTPROD = getattr(statistics, "_sqrtprod", None)
if _SQRTPROD is not None:
    _register(_SQRTPROD, _root_of_product)
