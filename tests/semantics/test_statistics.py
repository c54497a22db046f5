"""The module statistics on numbers from the device, and known ones."""

import math
import statistics

import numpy as np

from .runner import Programs

program = Programs()
rng = np.random.default_rng(42)
X = rng.normal(size=12)
Y = rng.normal(size=11)
K = np.array([3, 1, 4, 1, 5, 9, 2, 6])
R = np.array([1, 1, 2, 2, 2, 3, 1, 1])


@program((X,), (Y,))
def of_floats(x):
    v = x.tolist()
    return (
        statistics.mean(v), statistics.median(v), statistics.stdev(v), statistics.pvariance(v), statistics.fmean(v),
        statistics.variance(v), statistics.pstdev(v), statistics.variance(v, 0.5), statistics.median_low(v),
    )  # fmt: skip


@program(([1e100, 1.0, 3.0, -1e100],), ([0.1] * 10,), ([np.float64(0.1)] * 10,), ([2.0],))
def of_numbers_that_cancel(v):
    return statistics.mean(v), statistics.fmean(v), statistics.fmean(v, [0.5] * len(v))


@program((K,), (R,), (np.array([2, 4, 6]),))
def of_integers(k):
    v = k.tolist()
    return (
        statistics.mean(v), statistics.median(v), statistics.median_high(v), statistics.stdev(v),
        statistics.variance(v), statistics.pvariance(v), statistics.fmean(v),
    )  # fmt: skip


@program((X,), (Y,))
def of_an_array(x):
    return statistics.mean(x), statistics.fmean(x), statistics.median(x), statistics.stdev(x)


@program((X, X[::-1].copy()), (X, X**2))
def of_pairs(x, y):
    a, b = x.tolist(), y.tolist()
    return statistics.correlation(a, b), statistics.covariance(a, b), statistics.linear_regression(a, b)


@program((X,), (np.array([1.0, 0.0, 4.0]),))
def other_means(x):
    v = [1.0, 2.0, abs(float(x[1])), 0.5 + abs(float(x[2]))]
    return statistics.harmonic_mean(v), statistics.geometric_mean([1.0, 2.5, 0.5 + abs(x[0])]), statistics.quantiles(v)


@program((K,), (R,))
def modes(k):
    v = k.tolist()
    return statistics.mode(v), statistics.multimode(v)


@program((X, 2.0), (X, -9.0))
def of_a_selection(x, t):
    return statistics.fmean([v for v in x.tolist() if v < t] + [0.0])


@program((X,), (X,), raises=statistics.StatisticsError)
def of_too_few(x):
    return statistics.stdev([v for v in x.tolist() if v > 100.0])


@program((X,))
def of_known_numbers(x):
    return x * statistics.mean([1, 2, 4]), statistics.pvariance([1, 2, 3, 4]), statistics.mode("aab")


@program(([40, 60], [5, 30]), ([2.0, 0.0], [1, 1]), ([2.0, 0.0], [1.5, 0]), ([3], [2]))
def weighted_harmonic_mean(data, weights):
    return statistics.harmonic_mean(data, weights), statistics.harmonic_mean([0.0, -data[0]])


for _data, _weights in (([1, 2, 3], [1, 2]), ([10], [0]), ([1.0, -2.0], [1, 0]), ([1.0, 2.0], [1, -1])):
    program.add(
        f"no_harmonic_mean_of_{_data}_{_weights}",
        lambda data, weights: statistics.harmonic_mean(data, weights=weights),
        (_data, _weights),
        raises=statistics.StatisticsError,
    )


@program([2.0, math.inf, -math.inf], [2, math.inf], [math.nan, 1.0])
def mean_of_infinities(data):
    return statistics.mean(data)


test_programs = program.test()
