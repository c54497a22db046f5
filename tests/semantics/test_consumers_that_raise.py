"""Loops over generators, of many trips, whose bodies may raise exceptions: with and without somebody who catches."""

import numpy as np

from .runner import Programs

program = Programs()

X = np.array([0.5, 1.5, -1.0])
K = np.arange(40).reshape(40, 1) % 3 * np.array([1, 0]) + np.array([0, 1])
BAD = K.copy()
BAD[7, 0] = 9


def numbers(n):
    for i in range(n):
        yield i


def cleaned(n):
    try:
        for i in range(n):
            yield i
    finally:
        n = 0


@program((X, K), (X * 2, K[:33]))
def indices_from_data(x, k):
    total = 0.0
    for i in numbers(len(k)):
        total += x[k[i, 0]] * x[k[i, 1]]
    return total


@program((X, K), (X, BAD), raises=IndexError)
def nobody_catches(x, k):
    total = 0
    for i in numbers(len(k)):
        total = total + x[k[i, 0]]
    return total


@program((X, BAD), (X, K))
def caught_around(x, k):
    total = 0.0
    try:
        for i in numbers(len(k)):
            total += x[k[i, 0]]
    except IndexError as error:
        return total, str(error)
    return total, ""


@program((X, BAD), (X, K))
def caught_inside(x, k):
    total, wrong = 0.0, 0
    for i in numbers(len(k)):
        try:
            total += x[k[i, 0]]
        except IndexError:
            wrong += 1
    return total, wrong


@program((X, K, 3.0), (X, K, 1e9), (X, BAD, 1e9), raises=IndexError)
def left_or_raised(x, k, limit):
    total = 0.0
    for i in cleaned(len(k)):
        total += abs(x[k[i, 0]])
        if total > limit:
            break
    else:
        i = -1
    return total, i


@program((K,), (BAD,), raises=KeyError)
def keys_from_data(k):
    table = {0: 1.0, 1: 2.0, 2: 3.0}
    total = 0.0
    for i in numbers(len(k)):
        total += table[int(k[i, 0])]
    return total


@program((X, K), (X, BAD), raises=IndexError)
def two_at_once(x, k):
    found = []
    for i, j in zip(numbers(len(k)), cleaned(len(k))):
        found.append(x[k[i, 0]] - x[k[j, 1]])
    return np.array(found)


@program((X, np.array([2, 0])), (X, np.array([9, 0])), raises=IndexError)
def tuples_of_what_may_raise(x, order):
    pair = tuple(v[order] for v in (x, 2 * x))
    return [v[1:] for v in pair], tuple(v[::-1] for v in pair)


test_programs = program.test()
