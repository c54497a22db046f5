"""Functions that call themselves as often as data says: one loop over what the suspended calls go on with."""

import numpy as np

from .runner import Programs

program = Programs()
RNG = np.random.default_rng(0)


@program((np.array([2.0, 3.0]),), (np.array([1e30, 3.0]),), compiles=1)
def halved(x):
    def halve(v):
        return v if v < 1 else halve(v / 2)

    return halve(x[0])


def fib(n):
    return n if n < 2 else fib(n - 1) + fib(n - 2)


def collatz(n, steps=0):
    return steps if n == 1 else collatz(n // 2 if n % 2 == 0 else 3 * n + 1, steps=steps + 1)


def ackermann(m, n):
    if m == 0:
        return n + 1
    if n == 0:
        return ackermann(m - 1, 1)
    return ackermann(m - 1, ackermann(m, n - 1))


program.each((np.array(12),), (np.array(1),), fibonacci=lambda n: fib(n), options={"compiles": 1})
program.each((np.array([27]),), (np.array([1]),), collatz_steps=lambda n: collatz(n[0]), options={"compiles": 1})
program.each(
    (np.array([2, 3]),), (np.array([1, 5]),), ackermann=lambda a: ackermann(a[0], a[1]), options={"compiles": 1}
)


@program((RNG.random(60),), (np.array([3.0, 1, 2, 2, 1, 3]),), (np.arange(9.0),), compiles=3)
def quicksort_in_place(a):
    def sort(a, low, high):
        if low >= high:
            return
        pivot, i, j = a[(low + high) // 2], low, high
        while i <= j:
            while a[i] < pivot:
                i += 1
            while a[j] > pivot:
                j -= 1
            if i <= j:
                a[i], a[j] = a[j], a[i]
                i, j = i + 1, j - 1
        sort(a, low, j)
        sort(a, i, high)

    sort(a, 0, len(a) - 1)


def bisected(f, a, fa, m, fm, b, fb, whole, tolerance):
    left, right = (a + m) / 2, (m + b) / 2
    fl, fr = f(left), f(right)
    one, two = (m - a) / 6 * (fa + 4 * fl + fm), (b - m) / 6 * (fm + 4 * fr + fb)
    error = one + two - whole
    if abs(error) < 15 * tolerance:
        return one + two + error / 15
    first = bisected(f, a, fa, left, fl, m, fm, one, tolerance / 2)
    return first + bisected(f, m, fm, right, fr, b, fb, two, tolerance / 2)


@program((np.array([0.0, 1.0]), 1e-7), (np.array([0.0, 2.0]), 1e-9), compiles=1, rtol=1e-11)
def adaptive_simpson(ends, tolerance):
    def f(x):
        return np.sqrt(x) * np.cos(3 * x)

    a, b = ends
    m = (a + b) / 2
    whole = (b - a) / 6 * (f(a) + 4 * f(m) + f(b))
    return bisected(f, a, f(a), m, f(m), b, f(b), whole, tolerance)


GRAPH = RNG.random((25, 25)) < 0.07


@program((GRAPH, 0), (GRAPH, 7), (GRAPH.T, 7), compiles=1)
def depth_first(edges, start):
    seen = np.zeros(len(edges), bool)
    order = []

    def visit(u):
        seen[u] = True
        order.append(u)
        for v in range(len(edges)):
            if edges[u, v] and not seen[v]:
                visit(v)

    visit(start)
    return order, seen


@program((GRAPH | GRAPH.T,), (np.eye(25, dtype=bool),), compiles=1)
def component_sizes(edges):
    n = len(edges)
    seen, sizes, size = [False] * n, [], 0

    def visit(u):
        nonlocal size
        seen[u] = True
        size += 1
        for v in range(n):
            if edges[u, v] and not seen[v]:
                visit(v)

    for u in range(n):
        if not seen[u]:
            size = 0
            visit(u)
            sizes.append(size)
    return sizes


@program((RNG.integers(0, 2, (10, 12)), 3, 4), (np.ones((10, 12), int), 0, 0), compiles=1)
def flood_fill(image, y, x):
    old, height, width = image[y, x], *image.shape

    def fill(y, x):
        if y < 0 or y >= height or x < 0 or x >= width or image[y, x] != old:
            return 0
        image[y, x] = 9
        return 1 + fill(y + 1, x) + fill(y - 1, x) + fill(y, x + 1) + fill(y, x - 1)

    return fill(y, x)


class Queens:
    def __init__(self, n):
        self.n, self.count, self.first = n, 0, None
        self.columns, self.down, self.up = np.zeros(n, bool), np.zeros(2 * n, bool), np.zeros(2 * n, bool)
        self.board = np.zeros(n, int)

    def place(self, row):
        if row == self.n:
            self.count += 1
            return
        for c in range(self.n):
            if self.columns[c] or self.down[row + c] or self.up[row - c + self.n]:
                continue
            self.columns[c] = self.down[row + c] = self.up[row - c + self.n] = True
            self.board[row] = c
            self.place(row + 1)
            self.columns[c] = self.down[row + c] = self.up[row - c + self.n] = False


@program((np.zeros(5),), (np.zeros(6),))
def queens(x):
    found = Queens(len(x))
    found.place(0)
    return found.count, found.board


SUDOKU = np.array([[1, 0, 0, 0], [0, 0, 3, 0], [0, 4, 0, 0], [0, 0, 0, 2]])
NO_SUDOKU = np.array([[1, 1, 0, 0], [0, 0, 3, 0], [0, 4, 0, 0], [0, 0, 0, 2]])


@program((SUDOKU,), (NO_SUDOKU,), compiles=1)
def sudoku(board):
    def fits(y, x, v):
        for k in range(4):
            if board[y, k] == v or board[k, x] == v:
                return False
        return not (board[y // 2 * 2 : y // 2 * 2 + 2, x // 2 * 2 : x // 2 * 2 + 2] == v).any()

    def solve():
        for y in range(4):
            for x in range(4):
                if board[y, x] == 0:
                    for v in range(1, 5):
                        if fits(y, x, v):
                            board[y, x] = v
                            if solve():
                                return True
                            board[y, x] = 0
                    return False
        return True

    return solve()


@program((np.array([3, 34, 4, 12, 5, 2]), 9), (np.array([3, 34, 4, 12, 5, 2]), 30), compiles=1)
def subset_sum(weights, target):
    def reach(i, rest):
        if rest == 0:
            return True
        if i == len(weights) or rest < 0:
            return False
        return reach(i + 1, rest - weights[i]) or reach(i + 1, rest)

    return reach(0, target)


@program((RNG.integers(0, 3, 9), RNG.integers(0, 3, 11)), compiles=1)
def common_subsequence_with_a_table(a, b):
    table = np.full((len(a), len(b)), -1)

    def longest(i, j):
        if i == len(a) or j == len(b):
            return 0
        if table[i, j] >= 0:
            return table[i, j]
        if a[i] == b[j]:
            table[i, j] = 1 + longest(i + 1, j + 1)
        else:
            table[i, j] = max(longest(i + 1, j), longest(i, j + 1))
        return table[i, j]

    return longest(0, 0), table


class SearchTree:
    """Nodes are rows of arrays."""

    def __init__(self, room):
        self.left, self.right = np.full(room, -1), np.full(room, -1)
        self.key, self.count = np.zeros(room), 0

    def insert(self, key, at=0):
        if self.count == 0:
            self.key[0] = key
            self.count = 1
            return
        side = self.left if key < self.key[at] else self.right
        if side[at] < 0:
            self.key[self.count] = key
            side[at] = self.count
            self.count += 1
        else:
            self.insert(key, side[at])

    def in_order(self, at, out):
        if at >= 0:
            self.in_order(self.left[at], out)
            out.append(self.key[at])
            self.in_order(self.right[at], out)


@program((RNG.random(15),), (np.arange(15.0),), compiles=1)
def search_tree(x):
    tree = SearchTree(len(x))
    for key in x:
        tree.insert(key)
    out = []
    tree.in_order(0, out)
    return out


@program((np.arange(0, 60, 3), 33), (np.arange(0, 60, 3), 34), compiles=1)
def found_or_none(a, x):
    def search(low, high):
        if low > high:
            return None
        m = (low + high) // 2
        if a[m] == x:
            return m
        return search(m + 1, high) if a[m] < x else search(low, m - 1)

    return search(0, len(a) - 1)


@program((np.array([3.0, 4, 1, 0, 7]),), (np.array([0.0, 4, 1, 0, 7]),), compiles=1)
def a_tuple_comes_back(x):
    def count(i):
        if x[i] == 0:
            return 0, 0.0
        number, total = count(i + 1)
        return number + 1, total + x[i]

    return count(0)


@program((np.array([2, 3, 1]),), (np.array([0, 3, 1]),), compiles=1)
def keywords_and_rest(x):
    def go(a, *rest, k=1, **more):
        if a <= 0:
            return k + sum(rest) + len(more)
        return go(a - 1, *rest, k=k + a) + go(a - 2, *rest, z=a, k=2)

    return go(x[0], x[1], x[2])


@program((np.array([1, 5, 2, 0]),), (np.array([1, 5, -2, 0]),), raises=ValueError, compiles=1)
def raised_deep_inside(x):
    log = np.zeros(4)

    def go(i):
        if x[i] < 0:
            raise ValueError("negative")
        log[i] = i + 1
        return 0 if x[i] == 0 else x[i] + go(i + 1)

    return go(0), log


@program((np.array([1.0, 5, 2]),), (np.array([1.0, -5, 2]),), compiles=1)
def caught_at_the_end(x):
    def go(i):
        try:
            if x[i] < 0:
                raise ValueError("negative")
            return x[i] + go(i + 1)
        except IndexError:
            return 100.0
        except ValueError:
            return -1.0

    return go(0)


@program((np.array([1, 1, 2, 0, 4]),), (np.array([1, 1, -2, 0, 4]),), raises=ValueError, compiles=1)
def finally_on_the_way_back(x):
    log = np.zeros(5)

    def go(i):
        if x[i] == 0:
            return 0
        try:
            if x[i] < 0:
                raise ValueError("negative")
            return 1 + go(i + 1)
        finally:
            log[i] = i + 1

    return go(0), log


@program((np.array([1.0, 2]), np.array([5.0, 2]), np.array([3])), (np.ones(2), np.zeros(2), np.array([4])), compiles=1)
def arrays_that_change_roles(x, y, n):
    def go(x, y):
        if n[0] == 0:
            return x[0]
        n[0] -= 1
        x[0] += 1
        r = go(y, x)
        y[0] += r
        return r + x[0]

    return go(x, y)


@program((np.array([3]),), (np.array([6]),), compiles=1)
def arrays_that_only_the_calls_know(n):
    def go(x, y):
        if n[0] == 0:
            return x[0]
        n[0] -= 1
        x[0] += 1
        r = go(y, x)
        y[0] += r
        return r + x[0] * 10

    return go(np.zeros(2), np.full(2, 5.0))


@program((np.array([3]),), (np.array([6]),), compiles=1)
def lists_that_only_the_calls_know(n):
    def go(x, y):
        if n[0] == 0:
            return x[0]
        n[0] -= 1
        x[0] += 1
        r = go(y, x)
        y[0] += r
        return r + x[0] * 10

    return go([0, 1], [5, 6])


@program((np.arange(4.0), np.array([15])), (np.arange(4.0), np.array([1])), compiles=1)
def a_variable_in_a_generator_expression(x, n):
    def go(k):
        if n[0] <= 0:
            return 0.0
        n[0] -= 1
        before = sum(v * k for v in x)
        below = go(k + 1)
        return before + below * 0.5 + sum(v + k for v in x)

    return go(1)


class Chain:
    def __init__(self, k):
        self.k = k

    def total(self, n):
        return self.k if n <= 0 else self.total(n - 1) + self.k


class Doubled(Chain):
    def total(self, n):
        return super().total(n - 1) * 2


@program((np.array([12]),), (np.array([0]),), compiles=1)
def methods(n):
    return Chain(3).total(n[0])


@program((np.array([12]),), (np.array([1]),), compiles=1)
def methods_that_call_each_other(n):
    return Doubled(4).total(min(n[0], 3))


@program((np.array([2, 5]),), (np.array([0, 1]),), refuse="XP0008")
def by_way_of_map(n):
    def go(k):
        return k if k <= n[0] else sum(list(map(go, [k - 1, k - 2])))

    return go(n[1])


@program((np.array([1, 2, 1, 0]),), (np.array([1, 3, 0]),), raises=ValueError)
def in_a_handler(x):
    def go(i):
        try:
            if x[i] > 0:
                raise ValueError(i)
            return 0
        except ValueError as error:
            below = go(i + 1)
            if x[i] == 3:
                raise
            return below + error.args[0] + 1

    return go(0)


@program((np.arange(12.0), np.array([4])), (np.arange(12.0), np.array([2])))
def views_of_views(x, n):
    def go(v):
        if len(v) == 0 or n[0] < 0:
            return 0.0
        n[0] -= 1
        v[0] += 1
        below = go(v[1:])
        return below + v[0]

    return go(x)


@program((RNG.random(40), 15), (RNG.random(40), 0), compiles=1)
def quickselect(a, k):
    def select(a, k):
        pivot = a[len(a) // 2]
        low, equal, high = a[a < pivot], a[a == pivot], a[a > pivot]
        if k < len(low):
            return select(low, k)
        if k < len(low) + len(equal):
            return pivot
        return select(high, k - len(low) - len(equal))

    return select(a, k)


@program((RNG.random(8), 0), (np.arange(8.0) / 8, 2), compiles=1)
def iterators_go_on(x, start):
    def go(i):
        total = 0.0
        for j, v in enumerate(x):
            if j > i and v > 0.5:
                total += v + go(j)
            elif v < 0.1:
                continue
            else:
                total += 0.01
        for a, b in zip(x, x[::-1]):
            if a < b and i < 2:
                total += a * go(i + 3)
                break
        return total

    return go(start)


@program((np.array([5, 1]),), (np.array([3, 2]),), compiles=1)
def recursion_in_a_loop(n):
    total = 0
    for i in range(4):
        total += fib(n[0] + i) * n[1]
    return total


@program((np.array([30]),), (np.array([2]),), compiles=1)
def memo_in_a_dict(n):
    memo = {}

    def go(n):
        if n < 2:
            return n
        if n in memo:
            return memo[n]
        memo[n] = go(n - 1) + go(n - 2)
        return memo[n]

    return go(int(n[0]))


@program((RNG.random(70),), compiles=1)
def merge_sort_of_known_depth(a):
    """Each of its many calls alone would be a part of the program."""
    other = np.empty_like(a)

    def sort(low, high):
        if high - low <= 1:
            return
        middle = (low + high) // 2
        sort(low, middle)
        sort(middle, high)
        i, j = low, middle
        for k in range(low, high):
            if j >= high or i < middle and a[i] <= a[j]:
                other[k] = a[i]
                i += 1
            else:
                other[k] = a[j]
                j += 1
        a[low:high] = other[low:high]

    sort(0, len(a))


@program((np.zeros(3), 700), (np.zeros(3), 3))
def deep_but_not_too_deep(x, n):
    def go(n):
        return 0 if n == 0 else 1 + go(n - 1)

    return go(n) + x


@program((np.array([3]),), refuse="XP0008")
def what_it_has_made_is_passed_on(n):
    def go(path):
        if n[0] == 0:
            path.append(99)
            return len(path)
        n[0] -= 1
        mine = [n[0]]
        below = go(mine)
        return below * 10 + len(mine)

    return go([0])


@program((np.array([3]),), refuse="XP0008")
def a_function_that_it_has_made(n):
    def go(k):
        def mine():
            return k

        if n[0] < k:
            return 0
        below = go(k + 1)
        k = k + 1
        return below + mine() * 10

    return go(0)


@program((np.array([3]),), refuse="XP0004")
def the_same_object_comes_back(n):
    def go(a):
        if n[0] == 0:
            return a
        n[0] -= 1
        mine = np.zeros(2)
        below = go(mine)
        return below if below is mine else a

    return go(np.ones(2))


@program(([1, 2, 3, 4],), ([4, 3, 2, 1, 0],))
def orders_by_what_is_left(items):
    """The loop of each call goes to a length that is known at first, and is not where the calls are one loop."""
    found = []

    def go(left, taken):
        if not left:
            found.append(taken)
        for i in range(len(left)):
            go(left[:i] + left[i + 1 :], taken + [left[i]])

    go(items, [])
    return found


test_programs = program.test()
