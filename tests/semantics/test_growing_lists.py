"""Lists that grow in loops whose number of trips depends on data: items of all kinds, what is done with the list later,
changes of what it holds, room that does not suffice, and `print` in such loops."""

import collections
import dataclasses
import typing

import numpy as np

from .runner import Programs

program = Programs()

X = np.array([1.0, -2.0, 3.0, 0.5])
Y = np.array([-1.0, 0.5, -4.0, 2.0])
K = np.array([3, 1, 4, 1, 5])
EMPTY = np.array([0, 0])
LONG = np.linspace(-1.0, 1.0, 60)


# -- what is done with the list ---------------------------------------------------------------------------------------


@program(K, np.array([1, 0]))
def used_in_all_ways(k):
    out = []
    for i in range(k[0]):
        out.append(i * 2.5)
    total = sum(out)
    longest = max(out, default=-1.0)
    return out, len(out), total, longest, bool(out), np.array(out)


@program(X, LONG)
def positions_of_sign_changes(x):
    found = []
    for i in range(1, len(x)):
        if (x[i] > 0) != (x[i - 1] > 0):
            found.append(i)
    return found


@program(LONG, -LONG, np.zeros(50))
def array_of_selected(x):
    big = []
    for v in x:
        if v > 0.25:
            big.append(v * v)
    values = np.array(big)
    return values, values.sum(), len(big)


@program(K, np.array([7, 2]))
def indexed_from_both_ends(k):
    out = []
    for i in range(k[0]):
        out.append(i * i)
    return out[0], out[-1], out[k[1]], out[-2]


@program(K, EMPTY, raises=IndexError)
def index_out_of_range(k):
    out = []
    for i in range(k[0]):
        out.append(i)
    return out[-1]


@program(K, np.array([9, 2]))
def sliced(k):
    out = []
    for i in range(k[0]):
        out.append(i * 1.5)
    return out[1:], out[:-1], out[::-1], out[::2], out[-2:]


@program(K, np.array([9, 2]), EMPTY)
def iterated_again(k):
    out = []
    for i in range(k[0]):
        out.append((i, i * 0.5))
    s = 0.0
    for number, half in out:
        s += number * half
    for place, (number, half) in enumerate(out):
        s -= place * half
    for a, b in zip(out, reversed(out), strict=True):
        s += a[0] * b[1]
    return s


@program(K, np.array([9, 2]), EMPTY)
def comprehension_over_it(k):
    out = []
    for i in range(k[0]):
        out.append(i + 1)
    squares = [v * v for v in out if v % 2]
    return squares, sum(v for v in squares), any(v > 4 for v in out), all(v > 0 for v in out)


@program(K, np.array([9, 2]), EMPTY)
def set_and_sorted(k):
    out = []
    for i in range(k[0]):
        out.append((i * 7) % 5)
    if len(out) > 1:
        out[1] = 10
    out.sort()
    return out, out.count(2), 3 in out, 11 in out


@program(K, np.array([9, 2]))
def reversed_in_place(k):
    out = []
    for i in range(k[0]):
        out.append(i)
    out.reverse()
    out.append(-1)
    return out


@program(K, np.array([9, 2]))
def added_lists(k):
    a, b = [1], []
    for i in range(k[0]):
        a.append(i)
    for i in range(k[1]):
        b.append(-i)
    a += b
    return a + b, a + [5], a == b, a != a + b


@program(LONG, LONG[::-1].copy())
def numpy_of_it(x):
    out = []
    for v in x:
        if v < 0.5:
            out.append(v)
    return np.mean(out), np.max(out), np.sort(out), np.cumsum(out), np.sum(np.abs(out))


@program((X, 50), (Y, 40))
def rows_of_a_trajectory(x, n):
    path = [x]
    for _ in range(n):
        x = x * 0.9 + 0.1
        path.append(x)
    return np.array(path), path[-1], np.stack(path), len(path)


@program((X, 50))
def concatenated(x, n):
    path = []
    for i in range(n):
        path.append(x * i)
    return np.concatenate(path), np.vstack(path)


@program((X, 3.0), (X, 100.0))
def arrays_of_unknown_number(x, limit):
    path = []
    while np.abs(x).sum() < limit:
        x = x * 1.7
        path.append(x)
    return path


# -- how it grows -----------------------------------------------------------------------------------------------------


@program(K, EMPTY)
def by_plus(k):
    out = [0.5]
    for i in range(k[0]):
        out = out + [i * 1.0]
    return out


@program(X, -X)
def by_plus_behind_other_items(x):
    letters = ["b" for v in x if v > 0]
    pairs = [("b", v) for v in x if v > 0]
    ones = [1 for v in x if v > 0]
    plain = ["a"] + letters, [None] + letters, [int] + [float for v in x if v > 0], [("a", 1.0)] + pairs
    return plain, [("a",)] + pairs, [True] + ones, [2.5] + ones, [] + letters, [[1]] + letters


@program(K, EMPTY)
def by_augmented_plus(k):
    out = [0]
    for i in range(k[0]):
        out += [i, -i]
    return out


@program(K, EMPTY)
def by_extend(k):
    out = []
    for i in range(k[0]):
        out.extend((i, i * i))
    return out


@program(K, np.array([5, 5]))
def in_nested_loops(k):
    out = []
    for i in range(k[0]):
        for j in range(k[1]):
            if (i + j) % 2 == 0:
                out.append(i * 10 + j)
        out.append(-1)
    return out


@program(K, np.array([50, 5]))
def a_list_for_each_trip(k):
    lengths = []
    for i in range(k[0]):
        inner = []
        for j in range(i):
            inner.append(j)
        lengths.append(len(inner) + sum(inner))
    return lengths


@program(np.array([10.0]), np.array([1.0]))
def until_a_break(x):
    out = []
    while True:
        x = x * 0.5
        if x[0] < 0.1:
            break
        out.append(x[0])
    return out


@program(np.array([27]), np.array([1]), np.array([97]))
def collatz(n):
    n = n[0]
    path = [n]
    while n != 1:
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        path.append(n)
    return path, max(path)


@program(np.array([5000]), np.array([3]), np.array([1200]))
def longer_than_guessed(n):
    out = []
    i = 0
    while i < n[0]:
        out.append(i)
        i += 1
    return len(out), out[-1], sum(out)


@program((np.array([3]), 2000), (np.array([3]), 2000), compiles=1)
def known_number_of_trips(x, n):
    out = []
    for i in range(n):
        out.append(x[0] * i)
    return np.array(out)


@program(K)
def helper_that_appends(k):
    out = []

    def note(v):
        out.append(v)

    for i in range(k[0]):
        if i % 2:
            note(i)
        else:
            note(-i)
    return out


class Recorder:
    def __init__(self):
        self.history = []
        self.best = None

    def record(self, v):
        self.history.append(v)
        if self.best is None or v > self.best:
            self.best = v


@program(X, LONG)
def recorded_by_an_object(x):
    r = Recorder()
    for v in x:
        if v > 0:
            r.record(v)
    return r.history, len(r.history)


@program((X, []), (LONG, [1.0]))
def argument_grows(x, out):
    for v in x:
        if v > 0:
            out.append(v)
    return len(out)


# -- lists that shrink, too -------------------------------------------------------------------------------------------


@program(np.array([[1, 2], [3, 4], [-1, 4], [4, 5], [-1, -1], [-1, -1]]))
def depth_first(children):
    stack = [0]
    order = []
    while stack:
        node = stack.pop()
        order.append(node)
        for c in children[node]:
            if c >= 0:
                stack.append(int(c))
    return order


@program(np.array([[0, 1, 1, 0, 0], [0, 0, 0, 1, 0], [0, 0, 0, 1, 0], [0, 0, 0, 0, 1], [0, 0, 0, 0, 0]]))
def breadth_first(adjacent):
    n = len(adjacent)
    distance = np.full(n, -1)
    distance[0] = 0
    queue = collections.deque([0])
    while queue:
        v = queue.popleft()
        for w in range(n):
            if adjacent[v, w] and distance[w] < 0:
                distance[w] = distance[v] + 1
                queue.append(w)
    return distance


@program(np.array([[0, 1, 1, 0, 0], [0, 0, 0, 1, 0], [0, 0, 0, 1, 0], [0, 0, 0, 0, 1], [0, 0, 0, 0, 0]]))
def list_that_grows_while_it_is_looped_over(adjacent):
    seen = np.zeros(5, bool)
    seen[0] = True
    queue = [0]
    for v in queue:
        for w in range(5):
            if adjacent[v, w] and not seen[w]:
                seen[w] = True
                queue.append(w)
    return queue


@program(LONG, K * 1.0)
def last_three(x):
    window = collections.deque(maxlen=3)
    means = []
    for v in x:
        window.append(v)
        means.append(sum(window) / len(window))
    return means, list(window)


@program(np.array([40, 3]))
def last_three_of_unknown_many(k):
    window = collections.deque(maxlen=3)
    for i in range(k[0]):
        window.append(i * i)
    return list(window)


@program(np.array([40, 3]), np.array([1, 3]), raises=IndexError)
def popped_too_often(k):
    out = [1, 2]
    for i in range(k[0]):
        out.append(i)
    for _ in range(4):
        out.pop()
    return out


@program(np.array([3, 4, -1, 5, -2, 7, 8, -2, -1]))
def reverse_polish(tokens):
    stack = []
    for t in tokens:
        if t >= 0:
            stack.append(float(t))
        else:
            b = stack.pop()
            a = stack.pop()
            stack.append(a + b if t == -1 else a * b)
    return stack


# -- items ------------------------------------------------------------------------------------------------------------


@program(K, EMPTY)
def items_of_two_types(k):
    out = [0]
    for i in range(k[0]):
        out.append(i / 2)
    return out


@program(X, LONG)
def words(x):
    out = []
    for v in x:
        out.append("up" if v > 0 else "down")
    return out


@program(X, LONG)
def none_or_number(x):
    out = []
    for v in x:
        out.append(v if v > 0 else None)
    return out


class Point(typing.NamedTuple):
    x: float
    y: float


@dataclasses.dataclass
class Body:
    mass: float
    position: np.ndarray


@program(K, np.array([1, 0]))
def named_tuples(k):
    out = []
    for i in range(k[0]):
        out.append(Point(i * 1.0, -i * 2.0))
    return out, sum(p.x * p.y for p in out)


@program(K, np.array([1, 0]))
def objects(k):
    out = []
    for i in range(k[0]):
        out.append(Body(i * 1.0, np.array([i, 2.0 * i])))
    return sum(b.mass for b in out), out


@program(K, np.array([1, 0]))
def lists_in_it(k):
    out = []
    for i in range(k[0]):
        out.append([i, i * i])
    return out, np.array(out)


@program(K, np.array([1, 0]))
def dicts_in_it(k):
    out = []
    for i in range(k[0]):
        out.append({"i": i, "half": i / 2})
    return out, sum(d["half"] for d in out)


@program(K)
def tuples_of_arrays(k):
    out = []
    x = np.zeros(2)
    for i in range(k[0]):
        x = x + i
        out.append((x, x.sum()))
    return out


# -- arrays that are changed while the list holds them ----------------------------------------------------------------


@program(np.array([3, 1]), refuse="maybe")
def array_changed_after_append(k):
    out = []
    x = np.zeros(2)
    for i in range(k[0]):
        x += i
        out.append(x)
    return out


@program(np.array([3, 1]), refuse="maybe")
def array_changed_after_the_loop(k):
    out = []
    x = np.zeros(2)
    for i in range(k[0]):
        out.append(x * i)
    out[0][1] = 5.0
    return out


@program((np.array([3.0, 1.0]), 40))
def array_changed_after_the_static_loop(x, n):
    out = []
    for i in range(n):
        out.append(x * i)
    out[0][1] = 5.0
    return out


@program(np.array([3, 1]))
def copies_of_a_changing_array(k):
    out = []
    x = np.zeros(2)
    for i in range(k[0]):
        x[0] += i
        out.append(x.copy())
        x[1] -= 1
    return out, x


@program((np.array([3, 1]), np.zeros(2)), refuse="maybe")
def argument_held_and_changed(k, x):
    out = []
    for i in range(k[0]):
        out.append(x)
        x[0] += 1.0
    return out


@program(np.array([3, 1]), refuse="maybe")
def view_held_and_base_changed(k):
    grid = np.zeros((2, 2))
    out = []
    for i in range(k[0]):
        out.append(grid[0])
        grid[0, 1] = i
    return out


@program(np.array([3, 1]), refuse="maybe")
def object_changed_after_append(k):
    out = []
    b = Body(1.0, np.zeros(2))
    for i in range(k[0]):
        b.mass = b.mass + i
        out.append(b)
    return [o.mass for o in out]


@program(np.array([3, 1]), refuse="maybe")
def same_object_or_not(k):
    out = []
    for i in range(k[0]):
        out.append(np.zeros(2))
    return out[0] is out[-1], out[0] is out[1]


# -- print ------------------------------------------------------------------------------------------------------------


@program(K, EMPTY)
def print_numbers_and_arrays(k):
    x = np.array([1.0, 2.0])
    print("begin")
    for i in range(k[0]):
        print("trip", i, x * i, i / 3, True, sep=" | ")
        if i % 2:
            print(f"{i:03d} is odd", end="!\n")
    print("end", k)
    return x


@program(np.array([1.0]), np.array([1e-9]))
def print_until_converged(x):
    n = 0
    while x[0] > 1e-3:
        x = x / 8
        n += 1
        print(n, x[0])
    return n


@program(np.array([2, 3]), EMPTY)
def print_in_nested_loops(k):
    for i in range(k[0]):
        print("outer", i)
        for j in range(k[1]):
            print("  inner", i, j)
    return k


@program(np.array([2, 3]), np.array([5, 3]), raises=ValueError)
def print_before_an_error(k):
    for i in range(k[0]):
        print("at", i)
        if i == k[1]:
            raise ValueError(f"stopped at {i}")
    return 1


@program(np.array([2, 3]))
def print_in_a_callee(k):
    def show(v):
        print("value:", v)
        return v + 1

    s = 0
    for i in range(k[0]):
        s = show(s)
    return s


@program((X, np.array([4])), (X, np.array([2])), (X, np.array([0])))
def floats_of_python_and_of_numpy(x, k):
    n, out = int(k[0]), []
    for i in range(n):
        if x[i] > 0:
            out.append(0.25)
    for i in range(n):
        if x[i] < 0:
            out.append(x[i])
    out.append(1)
    return out, len(out), sum(out)


KEYS = np.array([3, 1, 4, 1, 5, 9, 2, 6])
VALUES = np.array([0.3, -1.2, 2.0, 0.3, 7.0, -3.0, 1.0, 0.0])


@program((VALUES, KEYS), (-VALUES, KEYS[::-1].copy()))
def grown_lists_sorted(x, k):
    items = [(float(a), int(b)) for a, b in zip(x, k) if b > 1]
    by_key = sorted(items, key=lambda p: p[1])
    down = sorted(items, key=lambda p: (p[1] % 3, -p[0]), reverse=True)
    items.sort(reverse=True)
    rows = [x * v for v in x if v > 0]
    rows.sort(key=lambda r: -r[0])
    return by_key, down, items, sorted(items), rows, sorted([v for v in x if v > 0], key=abs, reverse=True)


TALL = np.linspace(-1.0, 2.0, 40)
WIDE = np.linspace(0.5, 1.5, 35) ** 2


@program((TALL, WIDE), (TALL[::-1].copy(), WIDE / 2), (TALL, TALL))
def arrays_of_nested_comprehensions(x, y):
    table = np.array([[(a - b) ** 2 for a in x] for b in y])
    cube = np.asarray([[[a * b + c for c in range(20)] for a in x] for b in y[:18]])
    pairs = np.array([[(a, b) for a in x] for b in y])
    return table, table.sum(axis=0), cube[3], pairs.mean(axis=(0, 1))


@program((TALL, WIDE, 24), (TALL[::-1].copy(), WIDE / 2, 24), (TALL, WIDE, 30))
def rows_of_one_length(x, y, n):
    rows = []
    for b in y:
        row = []
        for k in range(n):
            row.append(x[k] * b)
        rows.append(row)
    longest = max(rows, key=sum)
    sums = [sum(row) for row in rows]
    return np.array(rows), [len(row) for row in rows], sums, longest, sum(rows[len(y) // 2])


@program((TALL, WIDE), (TALL[::-1].copy(), WIDE / 2))
def one_row_grows_longer(x, y):
    rows = [[a * b for a in x] for b in y]
    rows[3].append(7.0)
    return rows[3][-1], len(rows[3]), len(rows[4]), rows


@program((TALL, WIDE), (TALL[::-1].copy(), WIDE / 2))
def rows_of_two_kinds(x, y):
    rows = []
    for k in range(len(y)):
        if y[k] > 1:
            rows.append([0.0 for _ in x])
        else:
            rows.append([a * y[k] for a in x])
    lengths = []
    for k in range(len(y)):
        lengths.append([a for a in x] if y[k] > 1 else [1.0, 2.0])
    return np.array(rows), rows, [len(row) for row in lengths], lengths


# -- a list that gets what another one holds, whose length has no bound ------------------------------------------------


@program(600, 3, 1100)
def extended_by_another(n):
    out = []
    i = 0
    while i < n:
        rows = []
        while len(rows) < 2:
            rows.append(i)
        out.extend(rows)
        i += 1
    return sum(out), len(out), out[-1]


@program((10, 300), (10, 2500), (3, 0))
def appended_one_by_one(n, k):
    out = []
    for j in range(n):
        i = 0
        rows = []
        while i < k:
            rows.append(j)
            i += 1
        for r in rows:
            out.append(r)
    return sum(out), len(out)


@program(600, 2)
def pairs_extended_by_another(n):
    out = []
    i = 0
    while i < n:
        rows = []
        while len(rows) < 2:
            rows.append([i, -i])
        out.extend(rows)
        i += 1
    return out


@program(300, 800)
def replaced_by_a_longer_one(n):
    out = [7]
    i = 0
    while i < n:
        rows = []
        while len(rows) < 4:
            rows.append(i)
        out = out + rows if i % 2 else rows + out
        i += 1
    return out


@program(
    *((np.array(v, np.int64),) for v in ([], [3], [2, 1], [3, 1, 4, 1, 5, 9, 2, 6], [0, 7, 3, 3, 2, 8, 1, 5, 4, 0, 6]))
)
def slices_of_other_lengths(x):
    kept = [int(v) for v in x if v > 1]
    longer, first, half = kept[:], kept[:], kept[:]
    longer[1:2] = [9, 9, 9]
    first[:0] = [7, 8]
    first[len(first) :] = [5]
    half[len(half) // 2 :] = half[:1]
    known = [1, 2, 3]
    known[1:2] = kept
    return kept, longer, first, half, known


@program((np.arange(9),), (np.arange(4),))
def slices_in_steps(x):
    kept = [int(v) for v in x if v > 1]
    kept[::2] = [0] * len(kept[::2])
    try:
        kept[::2] = kept
    except ValueError as error:
        return kept, str(error)


@program(*((np.array(v, np.int64),) for v in ([], [3], [2, 1], [3, 1, 4, 1, 5, 9, 2, 6])))
def a_deque_extended_at_both_ends(x):
    waiting = collections.deque(int(v) for v in x if v > 2)
    waiting.extendleft(v for v in x if v < 3)
    waiting.extendleft([7, 8])
    waiting.extend(x[:1])
    few = collections.deque([1, 2], maxlen=3)
    few.extendleft([3, 4])
    return waiting, list(few)


test_programs = program.test()
