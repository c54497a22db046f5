"""Integrals of one variable, which SciPy finds by QUADPACK in compiled code: in plain Python.

R. Piessens, E. de Doncker-Kapenga, C. W. Überhuber, D. K. Kahaner, *QUADPACK* (1983): Gauss-Kronrod rules on parts of
an interval, the worst of which is halved, and Wynn's epsilon algorithm for what they tend to. The parts and the tests
for the end are those of QUADPACK, so that integrals and estimates of their errors are the same.
"""

from __future__ import annotations

import numpy as np
from scipy.integrate import _quadpack  # type: ignore[attr-defined]

from xlapy.library.intrinsics import refuse
from xlapy.library.replacement import replacement

_EPSILON, _TINY, _HUGE = (
    float(np.finfo(np.float64).eps),
    float(np.finfo(np.float64).tiny),
    float(np.finfo(np.float64).max),
)
#: nodes of half an interval, their weights by Kronrod, and those of the nodes that are Gauss's, too; the middle is last
_NODES_21 = np.array(
    [
        0.9956571630258081,
        0.9739065285171717,
        0.9301574913557082,
        0.8650633666889845,
        0.7808177265864169,
        0.6794095682990244,
        0.5627571346686047,
        0.4333953941292472,
        0.2943928627014602,
        0.14887433898163122,
        0.0,
    ]
)
_KRONROD_21 = np.array(
    [
        0.011694638867371874,
        0.032558162307964725,
        0.054755896574351995,
        0.07503967481091996,
        0.0931254545836976,
        0.10938715880229764,
        0.12349197626206584,
        0.13470921731147334,
        0.14277593857706009,
        0.14773910490133849,
        0.1494455540029169,
    ]
)
_GAUSS_21 = np.array(
    [
        0.0,
        0.06667134430868814,
        0.0,
        0.1494513491505806,
        0.0,
        0.21908636251598204,
        0.0,
        0.26926671930999635,
        0.0,
        0.29552422471475287,
        0.0,
    ]
)
_NODES_15 = np.array(
    [
        0.9914553711208126,
        0.9491079123427585,
        0.8648644233597691,
        0.7415311855993945,
        0.5860872354676911,
        0.4058451513773972,
        0.20778495500789848,
        0.0,
    ]
)
_KRONROD_15 = np.array(
    [
        0.022935322010529224,
        0.06309209262997856,
        0.10479001032225019,
        0.14065325971552592,
        0.1690047266392679,
        0.19035057806478542,
        0.20443294007529889,
        0.20948214108472782,
    ]
)
_GAUSS_15 = np.array(
    [
        0.0,
        0.1294849661688697,
        0.0,
        0.27970539148927664,
        0.0,
        0.3818300505051189,
        0.0,
        0.4179591836734694,
    ]
)


def _estimate(below, above, middle, half, kronrod, gauss):
    """The integral by values on both sides of the middle and in it, what its error may be, and the integrals of the
    absolute value and of the distance from the mean."""
    pairs = below + above
    whole = kronrod[-1] * middle + float(np.sum(kronrod[:-1] * pairs))
    rough = gauss[-1] * middle + float(np.sum(gauss[:-1] * pairs))
    size = kronrod[-1] * abs(middle) + float(np.sum(kronrod[:-1] * (np.abs(below) + np.abs(above))))
    mean = whole * 0.5
    off = np.abs(below - mean) + np.abs(above - mean)
    spread = kronrod[-1] * abs(middle - mean) + float(np.sum(kronrod[:-1] * off))
    size, spread = size * abs(half), spread * abs(half)
    error = abs((whole - rough) * half)
    if spread != 0 and error != 0:
        error = spread * min(1.0, (200.0 * error / spread) ** 1.5)
    if size > _TINY / (50.0 * _EPSILON):
        error = max(_EPSILON * 50.0 * size, error)
    return float(whole * half), float(error), float(size), float(spread)


def _by_21(f, a, b):
    middle, half = 0.5 * (a + b), 0.5 * (b - a)
    center = float(f(middle))
    below, above = np.zeros(10), np.zeros(10)
    for j in range(10):
        off = half * float(_NODES_21[j])
        below[j] = float(f(middle - off))
        above[j] = float(f(middle + off))
    return _estimate(below, above, center, half, _KRONROD_21, _GAUSS_21)


def _by_15(f, a, b):
    middle, half = 0.5 * (a + b), 0.5 * (b - a)
    center = f(middle)
    below, above = np.zeros(7), np.zeros(7)
    for j in range(7):
        off = half * float(_NODES_15[j])
        below[j] = f(middle - off)
        above[j] = f(middle + off)
    return _estimate(below, above, center, half, _KRONROD_15, _GAUSS_15)


def _extrapolated(count, table, last, calls):
    """Wynn's epsilon algorithm: what the numbers in a table tend to, and how certain that is; the table and its length
    after that, the last three results, and how many there have been."""
    calls += 1
    result, error, same = table[count - 1], _HUGE, False
    if count >= 3:
        table[count + 1] = table[count - 1]
        new, number, place, i = (count - 1) // 2, count, count, 0
        table[count - 1] = _HUGE
        going = True
        while going and i < new:
            i += 1
            e0, e1, e2 = table[place - 3], table[place - 2], table[place + 1]
            value = e2
            size = abs(e1)
            after, before = e2 - e1, e1 - e0
            near, far = max(abs(e2), size) * _EPSILON, max(size, abs(e0)) * _EPSILON
            if abs(after) <= near and abs(before) <= far:
                result, error = value, abs(after) + abs(before)
                same, going = True, False
            else:
                e3 = table[place - 1]
                table[place - 1] = e1
                edge = e1 - e3
                if abs(edge) <= max(size, abs(e3)) * _EPSILON or abs(after) <= near or abs(before) <= far:
                    count, going = i + i - 1, False
                else:
                    total = 1.0 / edge + 1.0 / after - 1.0 / before
                    if abs(total * e1) <= 1e-4:
                        count, going = i + i - 1, False
                    else:
                        value = e1 + 1.0 / total
                        table[place - 1] = value
                        place -= 2
                        found = abs(after) + abs(value - e2) + abs(before)
                        if found <= error:
                            error, result = found, value
        if not same:
            if count == 50:
                count = 49
            start = 2 if number % 2 == 0 else 1
            for k in range(new + 1):
                table[start + 2 * k - 1] = table[start + 2 * k + 1]
            if number != count:
                for k in range(count):
                    table[k] = table[number - count + k]
            if calls < 4:
                last[calls - 1] = result
                error = _HUGE
            else:
                error = abs(result - last[2]) + abs(result - last[1]) + abs(result - last[0])
                last[0], last[1], last[2] = last[1], last[2], result
    return count, result, max(error, 5.0 * _EPSILON * abs(result)), calls


def _sorted_in(limit, last, worst, errors, order, rank):
    """Put the two parts that the worst one was halved into in the order of errors, as far as that is kept."""
    if last <= 2:
        order[0], order[1] = 0, 1
    else:
        large, small = errors[worst], errors[last - 1]
        going = True
        while going and rank > 1:
            before = order[rank - 2]
            if large <= errors[before]:
                going = False
            else:
                order[rank - 1] = before
                rank -= 1
        kept = limit + 3 - last if last > limit // 2 + 2 else last
        i, going = rank + 1, True
        while going and i <= kept - 1:
            after = order[i - 1]
            if large >= errors[after]:
                going = False
            else:
                order[i - 2] = after
                i += 1
        if going:
            order[kept - 2], order[kept - 1] = worst, last - 1
        else:
            order[i - 2] = worst
            k, going = kept - 1, True
            while going and k >= i:
                after = order[k - 1]
                if small < errors[after]:
                    order[k] = last - 1
                    going = False
                else:
                    order[k] = after
                    k -= 1
            if going:
                order[i - 1] = last - 1
    return rank


def _halves(rule, f, low, high):
    """The ends of both halves of a part, and the integrals over them, what their errors may be, and their spreads."""
    ends = np.array([low, 0.5 * (low + high), high])
    values, errors, sizes, spreads = np.zeros(2), np.zeros(2), np.zeros(2), np.zeros(2)
    for k in range(2):
        values[k], errors[k], sizes[k], spreads[k] = rule(f, float(ends[k]), float(ends[k + 1]))
    return ends, values, errors, spreads


def _count_roundoff(counts, extrapolates, last, whole, both, doubt, largest):
    """Count the parts whose halves are no better: before extrapolation, in it, and those that are worse."""
    if abs(whole - both) <= 1e-5 * abs(both) and doubt >= 0.99 * largest:
        counts[1 if extrapolates else 0] += 1
    if last > 10 and doubt > largest:
        counts[2] += 1


def _difficulty(counts, ends, last, limit):
    """QUADPACK's code for what stands in the way of further halves; 0 for nothing."""
    code = 0
    if counts[0] + counts[1] >= 10 or counts[2] >= 20:
        code = 2
    if last == limit:
        code = 1
    if max(abs(ends[0]), abs(ends[2])) <= (1.0 + 100.0 * _EPSILON) * (abs(ends[1]) + 1000.0 * _TINY):
        code = 4
    return code


def _put_halves(lower, upper, parts, errors, worst, last, ends, values, off):
    """Put the worse half in the place of the part, and the other one last."""
    first = 1 if off[1] > off[0] else 0
    second = 1 - first
    lower[worst], upper[worst], parts[worst], errors[worst] = ends[first], ends[first + 1], values[first], off[first]
    lower[last - 1], upper[last - 1] = ends[second], ends[second + 1]
    parts[last - 1], errors[last - 1] = values[second], off[second]


def _wide_part(lower, upper, order, rank, worst, last, limit, small):
    """The first part from `rank` on that is wider than `small`, its rank, and whether there is none."""
    most = limit + 3 - last if last > 2 + limit // 2 else last
    k, none = rank, True
    while none and k <= most:
        worst = int(order[rank - 1])
        if abs(upper[worst] - lower[worst]) > small:
            none = False
        else:
            rank += 1
            k += 1
    return worst, rank, none


def _chosen(result, error, correction, area, total, size, sign, code, roundoff, summed, parts, last):
    """The extrapolated integral, or the sum of the parts, which may be off by `total`; and QUADPACK's code."""
    checks = False
    if not summed:
        if error == _HUGE:
            summed = True
        elif code != 0 or roundoff:
            if roundoff:
                error += correction
            if code == 0:
                code = 3
            if result != 0 and area != 0:
                summed = error / abs(result) > total / abs(area)
                checks = not summed
            elif error > total:
                summed = True
            else:
                checks = area != 0
        else:
            checks = True
    if checks and not (sign == -1 and max(abs(result), abs(area)) <= size * 0.01):
        if 0.01 > result / area or result / area > 100.0 or total > abs(area):
            code = 6
    if summed:
        result, error = 0.0, total
        for k in range(last):
            result += parts[k]
    if code > 2:
        code -= 1
    return float(result), float(error), code


def _refined(rule, f, a, b, result, error, size, epsabs, epsrel, limit, width):
    """The integral by halving the worst part again and again, and by what the sums of the parts tend to."""
    lower, upper, parts, errors = np.zeros(limit), np.zeros(limit), np.zeros(limit), np.zeros(limit)
    order, counts = np.zeros(limit, np.int64), np.zeros(3, np.int64)
    lower[0], upper[0], parts[0], errors[0] = a, b, result, error
    table, last3, calls, count = np.zeros(52), np.zeros(3), 0, 2
    table[0] = result
    sign = 1 if abs(result) >= (1.0 - 50.0 * _EPSILON) * size else -1
    largest, worst, area, total, error, rank = error, 0, result, error, _HUGE, 1
    misses, code = 0, 0
    extrapolates, never, summed, going = False, False, False, True
    small, rest, goal, correction, last = 0.0, 0.0, 0.0, 0.0, 1
    while going and last < limit:
        last += 1
        before = largest
        ends, values, off, spreads = _halves(rule, f, lower[worst], upper[worst])
        both, doubt = values[0] + values[1], off[0] + off[1]
        total = total + doubt - largest
        area = area + both - parts[worst]
        if spreads[0] != off[0] and spreads[1] != off[1]:
            _count_roundoff(counts, extrapolates, last, parts[worst], both, doubt, largest)
        bound = max(epsabs, epsrel * abs(area))
        code = _difficulty(counts, ends, last, limit)
        _put_halves(lower, upper, parts, errors, worst, last, ends, values, off)
        rank = _sorted_in(limit, last, worst, errors, order, rank)
        worst = int(order[rank - 1])
        largest = errors[worst]
        if total <= bound:
            summed, going = True, False
        elif code != 0:
            going = False
        elif last == 2:
            small, rest, goal = width, total, bound
            table[1] = area
        elif not never:
            rest -= before
            if abs(ends[1] - ends[0]) > small:
                rest += doubt
            ready = True
            if not extrapolates:
                if abs(upper[worst] - lower[worst]) > small:
                    ready = False
                else:
                    extrapolates, rank = True, 2
            if ready and counts[1] < 5 and rest > goal:
                worst, rank, ready = _wide_part(lower, upper, order, rank, worst, last, limit, small)
                largest = errors[worst]
            if ready:
                count += 1
                table[count - 1] = area
                count, value, doubt, calls = _extrapolated(count, table, last3, calls)
                misses += 1
                if misses > 5 and error < 1e-3 * total:
                    code = 5
                if doubt < error:
                    misses, error, result, correction = 0, doubt, value, rest
                    goal = max(epsabs, epsrel * abs(value))
                    if error <= goal:
                        going = False
                if going:
                    if count == 1:
                        never = True
                    if code == 5:
                        going = False
                    else:
                        worst = int(order[0])
                        largest = errors[worst]
                        rank, extrapolates = 1, False
                        small *= 0.5
                        rest = total
    roundoff = bool(counts[1] >= 5)
    return _chosen(result, error, correction, area, total, size, sign, code, roundoff, summed, parts, last)


def _integral(rule, f, a, b, epsabs, epsrel, limit, width):
    """The integral, what its error may be, and QUADPACK's code. `width` is that of the first parts to extrapolate."""
    if epsabs <= 0 and epsrel < max(50.0 * _EPSILON, 0.5e-28) or limit < 1:
        return 0.0, 0.0, 6
    result, error, size, spread = rule(f, a, b)
    bound, code = max(epsabs, epsrel * abs(result)), 0
    if error <= 100.0 * _EPSILON * size and error > bound:
        code = 2
    if limit == 1:
        code = 1
    if code != 0 or (error <= bound and error != spread) or error == 0:
        return result, error, code
    return _refined(rule, f, a, b, result, error, size, epsabs, epsrel, limit, width)


@replacement(_quadpack._qagse)
def _qagse(func, a, b, args=(), full_output=0, epsabs=1.49e-8, epsrel=1.49e-8, limit=50):
    if full_output:
        refuse("scipy.integrate.quad(full_output=True)")
    a, b = float(a), float(b)
    return _integral(_by_21, lambda x: func(x, *args), a, b, epsabs, epsrel, limit, abs(b - a) * 0.375)


@replacement(_quadpack._qagie)
def _qagie(func, bound, infbounds, args=(), full_output=0, epsabs=1.49e-8, epsrel=1.49e-8, limit=50):
    if full_output:
        refuse("scipy.integrate.quad(full_output=True)")
    bound, side, both = float(bound), min(1, infbounds), infbounds == 2
    if both:
        bound = 0.0

    def moved(t):
        x = bound + side * (1.0 - t) / t
        y = float(func(x, *args))
        if both:
            y += float(func(-x, *args))
        return y / t / t

    return _integral(_by_15, moved, 0.0, 1.0, epsabs, epsrel, limit, 0.375)
