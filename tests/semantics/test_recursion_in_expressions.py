"""Functions that call themselves in a generator expression which a built-in goes through, as often as data says."""

import numpy as np

import xlapy

from .runner import Programs, set_global

program = Programs()
COINS = np.array([2.0, 3.0]), np.array([2.0, 3.0, 1.5])
KIDS = np.array([[1, 2], [3, -1], [-1, -1], [-1, -1]])
WEIGHTS = np.array([0.5, 2.0, -1.0, 4.0])
SCALE = 2.0


def branching(x, n):
    return n if n <= x[0] else sum(branching(x, n - v) for v in x)


@program((COINS[0],), (COINS[1],), compiles=2)
def a_sum(x):
    return branching(x, x.sum())


def total(x, n, w):
    n = n - 1
    if n <= 0:
        return w * SCALE
    below = sum((total(x, n - v, w / 2) for v in x if v < n), 0.25)
    n += 1
    return below + n * w


@program((COINS[0],), set_global(total, "SCALE", -1.5), (COINS[0],), compiles=2)
def variables_that_are_used_afterwards(x):
    return total(x, x.sum(), 1.5)


def depth(kids, n):
    if kids[n, 0] < 0:
        return 1
    return 1 + max(depth(kids, c) for c in kids[n] if c >= 0)


@program((KIDS,), (KIDS[2:],), (np.array([[1, -1], [-1, 0]]),))
def a_tree(kids):
    return depth(kids, 0)


def depth_of(kids, n):
    return 1 + max((depth_of(kids, c) for c in kids[n] if c >= 0), default=0)


@program((KIDS,), (KIDS[2:],))
def a_default(kids):
    return depth_of(kids, 0)


def lowest(kids, weights, n):
    below = min(lowest(kids, weights, c) for c in kids[n] if c >= 0)
    return below if below < weights[n] else weights[n]


@program((KIDS, WEIGHTS), (KIDS[2:], WEIGHTS))
def nothing_to_choose_from(kids, weights):
    try:
        return lowest(kids, weights, 0)
    except ValueError as error:
        return str(error)


@program((KIDS, WEIGHTS), raises=ValueError)
def nothing_to_choose_from_is_not_caught(kids, weights):
    return lowest(kids, weights, 0)


def minimax(board, turn, left):
    if left == 0:
        return board.sum()
    if turn > 0:
        return max(minimax(board + turn * k, -turn, left - 1) for k in range(3))
    return min(minimax(board - turn * k * k, -turn, left - 1) for k in range(3))


@program((WEIGHTS, np.array([3])), (WEIGHTS, np.array([4])))
def a_game(board, rounds):
    return minimax(board, 1, rounds[0])


def can_pay(coins, first, left):
    if left == 0:
        return True
    if left < 0 or first >= len(coins):
        return False
    return any(can_pay(coins, k + 1, left - coins[k]) for k in range(first, len(coins)))


def rising(x, i, least):
    return i >= len(x) or all(x[i] > least and rising(x, j + 1, x[j]) for j in range(i, len(x)))


@program((np.array([3, 4, 5, 9]), 12), (np.array([3, 4, 5, 9]), 11), (np.array([9, 4, 5, 3]), 0))
def the_first_that_decides(coins, amount):
    return can_pay(coins, 0, amount), rising(coins, 0, 0)


def wins(heap):
    return any(not wins(heap - k) for k in (1, 3, 4) if k <= heap)


def only_odd_leaves(n):
    return n % 2 > 0 if n < 4 else all(only_odd_leaves(n - k) for k in (2, 4))


@program((np.arange(12), 0), (np.arange(12), 5), (np.arange(7), 11))
def decided_by_data(x, n):
    heap = x[-1] - x[n % 7]
    return wins(heap), only_odd_leaves(n + x[1])


def even(x, n):
    return 1.0 if n <= 0 else sum(odd(x, n - v) for v in x)


def odd(x, n):
    return 0.5 if n <= 0 else max(even(x, n - v) * v for v in x)


@program((COINS[0],), (COINS[1],))
def two_that_call_each_other(x):
    return even(x, x.sum())


class Tree:
    def __init__(self, kids, weights):
        self.kids, self.weights = kids, weights

    def total(self, n):
        return self.weights[n] + sum(self.total(c) for c in self.kids[n] if c >= 0)


@program((KIDS, WEIGHTS))
def a_method(kids, weights):
    def longest(n):
        return weights[n] + max((longest(c) for c in kids[n] if c >= 0), default=0.0)

    return Tree(kids, weights).total(0), longest(0)


def pairs(x, n):
    return 1.0 if n <= 0 else sum(pairs(x, n - v - u) for v in x for u in x if u > v)


def numbered(x, n):
    if n <= 0:
        return 1.0
    return sum(numbered(x, n - v - i) for i, (v, u) in enumerate(zip(x, x[::-1], strict=True)) if v < u or i)


@program((COINS[0],), (COINS[1],))
def loops_in_loops(x):
    return pairs(x, x.sum()), numbered(x, x.sum())


def in_a_loop(x, n):
    if n <= 0:
        return 0.25
    t = 0.0
    for i, (v, u) in enumerate(zip(x, x[::-1], strict=True)):
        if v < u or i:
            t += in_a_loop(x, n - v - i)
    return t


@program((COINS[0],), (COINS[1],))
def a_loop_over_several(x):
    return in_a_loop(x, x.sum())


def failing(x, n, i, log):
    log[i % 3] += 1
    if n <= 0:
        return 1.0
    if i > 3:
        raise KeyError(i)
    try:
        return sum(failing(x, n - v, i + 1, log) for v in x)
    except KeyError as error:
        if error.args[0] % 2 or v_is_odd(x):
            raise ValueError(i) from error
        return 0.125 * i


def v_is_odd(x):
    return x[0] % 2 == 1


@program((COINS[0], np.zeros(3)), (np.array([3.0, 1.0]), np.zeros(3)), (np.array([3.0]), np.zeros(3)))
def errors(x, log):
    try:
        return failing(x, x.sum() * 2, 0, log)
    except ValueError as error:
        return error.args, error.__cause__.args


@program((np.array([3.0, 1.0]), np.zeros(3)), raises=ValueError)
def an_error_that_nobody_handles(x, log):
    return failing(x, x.sum() * 2, 0, log)


def arrays(x, n):
    if n <= 0:
        return np.ones(2)
    return sum(arrays(x, n - v) for v in x) * x[:2]


@program((COINS[0],), (COINS[1],))
def arrays_are_added(x):
    return arrays(x, x.sum())


def assigned(x, n):
    last = 0.0
    found = sum((last := assigned(x, n - v)) for v in x if v < n)
    return found + last + n


@program((COINS[0],), refuse="XP0008")
def a_variable_of_the_function_is_assigned_to(x):
    return assigned(x, x.sum())


def smooth(x, n, w):
    return w * x[0] if n <= 0 else sum(smooth(x, n - 1, w * v) for v in x) + w * w


def test_differentiated():
    x = np.array([0.5, -1.5])

    def f(x, n):
        return smooth(x, n, x[1])

    def numerically(x, n, k):
        step = np.eye(2)[k] * 1e-6
        return (f(x + step, n) - f(x - step, n)) / 2e-6

    found = xlapy.grad(f)(x, 3)
    np.testing.assert_allclose(found, [numerically(x, 3, k) for k in range(2)], rtol=1e-7)


test_programs = program.test()
