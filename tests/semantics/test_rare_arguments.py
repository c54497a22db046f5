"""Arguments that functions of NumPy and Python take, or refuse, though few programs give them such."""

import collections
import heapq
from typing import Any

import numpy as np

from .runner import Programs

program = Programs()

A = np.arange(6).reshape(2, 3)


def attempt(action: Any) -> Any:
    try:
        return action()
    except Exception as error:
        return type(error).__name__, str(error)


@program((A, np.array([1.5, -2.0, 3.0]), 2), (A[::-1].copy(), np.array([0.0, 2.0, -1.0]), -1))
def of_arrays(m, a, n):
    spare: Any = np
    found = [spare.polyadd(a, n), spare.polysub(n, a), spare.polymul(a, n), spare.polydiv(a, 2), np.tile(m, (0, 2))]
    wrong = (
        lambda: np.size(m, n),
        lambda: np.add.reduceat(m, [0, 1], 5),
        lambda: spare.sum(m, keepdims=None),
        lambda: spare.max(m, keepdims=1),
        lambda: spare.concatenate(n),
        lambda: spare.vstack(n),
        lambda: spare.roots(n),
        lambda: a.partition([1, n + 2]),
        lambda: a.fill([1, n]),
        lambda: m.item(n),
        lambda: m.item(n + 5),
        lambda: spare.sum(a).item(n),
        lambda: a.item((1, n)),
        lambda: m.copy("x"),
        lambda: m.flatten({}),
        lambda: np.place(m, m > 2, a),
        lambda: a.sum(collections.deque([1, n])),
        lambda: np.real(range(3)),
    )
    return found, [attempt(action) for action in wrong], a


@program((np.array([1.5, -2.0, 3.0]),), (np.array([0.0, -2.0, -1.0]),))
def beside_lists(a):
    some = a[a > 0]
    return np.kron(some, [1, 2]), np.kron([1, 2], some), attempt(lambda: some * [1, 2, 3, 4])


COMPLEX = np.array([[1 + 2j, 0, 3 - 1j], [2, 2 - 1j, 2 + 5j]])


@program((COMPLEX,), (COMPLEX * [1, np.nan, 1],))
def complex_spreads(z):
    return np.ptp(z, axis=1), np.ptp(z, axis=0, keepdims=True), np.ptp(z), np.max(z, axis=1)


@program((A, 2), (A * 2, -1))
def stored(m, n):
    np.put(m, [0, 1], [])
    np.put_along_axis(m, np.array([[1]]), n, 0)
    np.put_along_axis(m, np.array([[0], [2]]), [[n], [n + 1]], 1)
    np.put_along_axis(m, np.array([[0, 0, 1]]), np.array([n, 2, 3]), 0)
    np.fill_diagonal(m, [])
    return attempt(lambda: np.put_along_axis(m, np.array([[0]]), [n, 2], 0)), m


@program((2, np.int64(3)), (-1, np.int64(0)))
def of_python(n, k):
    queue = collections.deque([1, n])
    sets: Any = [{1, n}, {frozenset({1, n}), 3}]
    text: Any = "ab"
    found: list = [queue * k, k * queue, sets[0] in sets[1], "%s" % [n], text % [n], text % k]
    sets[1].discard({5})
    sets[1].remove({1, n})
    wrong = (
        lambda: sets[1].remove({7}),
        lambda: ",".join(n),
        lambda: {}[queue],
        lambda: n.__pow__(1.5),
        lambda: n.__add__(2),
    )
    return found, [attempt(action) for action in wrong], sets[1]


@program(([1, 3, 5], [2, 3, 9]), ([4, 4, 4], [0, 4, 5]))
def merged(x, y):
    down = heapq.merge(x[::-1], y[::-1], reverse=True)
    return list(heapq.merge(x, y)), list(heapq.merge(x, [], y, key=lambda v: v)), list(down), [*heapq.merge()]


test_programs = program.test()
