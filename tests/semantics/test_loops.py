"""while and for: bounds, break, continue, else, return, what is iterated over, values that change type, growth."""

import itertools

import numpy as np

from .runner import Programs

program = Programs()

X = np.array([1.0, -2.0, 3.0, 0.5])
Y = np.array([-1.0, 0.5, -4.0, 2.0])
K = np.array([3, 1, 4, 1, 5])
M = np.arange(12.0).reshape(3, 4)


@program(0, 1, 5, 20)
def while_counter(n):
    i = 0
    while i < n:
        i += 1
    return i


@program((X, 5), (X, 0), (X, 3))
def for_range_dynamic_bound(x, n):
    s = 0.0
    for i in range(n):
        s += x[i % 4] * i
    return s


@program((2, 9, 3), (9, 2, -2), (0, 0, 1), (5, 1, 1), (-3, 3, 2))
def for_range_start_stop_step(a, b, c):
    s = 0
    for i in range(a, b, c):
        s = s * 3 + i
    return s


@program((2, 9, 0), raises=ValueError)
def for_range_step_zero(a, b, c):
    s = 0
    for i in range(a, b, c):
        s += i
    return s


@program(X)
def for_range_static(x):
    s = np.zeros(4)
    for i in range(3):
        s = s + x * i
    return s


@program((X, 4), (X, 1))
def loop_variable_afterwards(x, n):
    for i in range(n):
        x = x + i
    return x, i


@program(4, 0, raises=UnboundLocalError)
def loop_variable_unbound_after_zero_trips(n):
    for i in range(n):
        pass
    return i


@program(0, 3)
def loop_variable_reassigned_inside(n):
    s = 0
    for i in range(n):
        i = i * 10
        s += i
    return s


@program(X, Y, np.zeros(4))
def break_dynamic(x):
    k = -1
    for i in range(len(x)):
        if x[i] < 0:
            k = i
            break
    return k


@program(X, Y)
def continue_dynamic(x):
    s = 0.0
    for i in range(4):
        if x[i] < 0:
            continue
        s += x[i]
    return s


@program(X, Y, np.ones(4))
def for_else_dynamic(x):
    for i in range(4):
        if x[i] < -1:
            r = i
            break
    else:
        r = 100
    return r


@program((X, 3.0), (X, 100.0))
def while_else_dynamic(x, t):
    s = 0.0
    n = 0
    while n < 10:
        s += np.abs(x).sum()
        n += 1
        if s > t:
            break
    else:
        n = -1
    return s, n


@program(X, Y, np.ones(4))
def return_in_loop(x):
    for i in range(4):
        if x[i] < -1:
            return i * 10
    return -1


@program(M, M - 20.0, M * 0 - 1)
def return_in_nested_loop(m):
    for i in range(m.shape[0]):
        for j in range(m.shape[1]):
            if m[i, j] > 6:
                return i, j, m[i, j]
    return -1, -1, 0.0


@program(M, -M)
def break_inner_only(m):
    count = 0
    for i in range(3):
        for j in range(4):
            if m[i, j] > 5.5:
                break
            count += 1
        count += 100
    return count


@program(M, -M)
def break_outer_by_flag(m):
    count = 0
    done = False
    for i in range(3):
        for j in range(4):
            if m[i, j] == 6:
                done = True
                break
            count += 1
        if done:
            break
    return count, done


@program(M, -M)
def continue_outer_by_else(m):
    total = 0.0
    for row in m:
        for v in row:
            if v > 8:
                break
        else:
            total += row.sum()
            continue
        total -= 1
    return total


@program((M, 2), (M, 0), (M, 3))
def nested_dynamic_bounds(m, n):
    s = 0.0
    for i in range(n):
        for j in range(i, n):
            s += m[i, j]
    return s


@program(3, 5)
def triple_nested(n):
    c = 0
    for i in range(n):
        for j in range(i):
            for k in range(j):
                c += i * j - k
    return c


@program(100.0, 2.0, 1.0)
def while_true_break(x):
    n = 0
    while True:
        if x <= 1.0:
            break
        x /= 2.0
        n += 1
    return x, n


@program(X, np.zeros(4))
def while_on_array_condition(x):
    n = 0
    while np.abs(x).max() > 0.1:
        x = x / 2
        n += 1
    return x, n


@program(X, X * 10)
def while_chained_walrus(x):
    n = 0
    while 0.0 < (s := np.sum(np.abs(x))) < 100.0:
        x = x * 2
        n += 1
    return s, n


@program(X, Y)
def while_with_two_conditions(x):
    i = 0
    while i < len(x) and x[i] < 2.5:
        i += 1
    return i


@program(M, M[:1])
def for_over_rows(m):
    s = np.zeros(4)
    for row in m:
        s = s + row * row.max()
    return s


@program(X)
def for_over_1d_array(x):
    s = 0.0
    for v in x:
        if v > 0:
            s += v
    return s


@program(np.zeros((0, 3)), np.ones((2, 3)))
def for_over_empty_rows(m):
    s = 0.0
    for row in m:
        s += row.sum()
    return s


@program(M)
def for_over_rows_writes_views(m):
    for i, row in enumerate(m):
        row[:] = row * (i + 1)
        row[0] = -1.0


@program([X, Y, X * 2])
def for_over_list(items):
    s = 0.0
    for v in items:
        s = s + v
    return s


@program(((X, np.array([1.0, 2.0]), np.array(3.0)),))
def for_over_mixed_tuple(items):
    s = 0.0
    for v in items:
        s = s + v.sum() * v.ndim
    return s


@program({"a": X, "b": Y})
def for_over_dict_items(d):
    out = {}
    for k, v in d.items():
        out[k + "!"] = v * len(out)
    return out


@program({"a": 1.0, "b": 2.0})
def for_over_dict_views(d):
    s = 0.0
    for k in d:
        s += d[k]
    for v in d.values():
        s *= v
    for k in d.keys():
        s -= 1 if k == "a" else 0
    return s


@program(X)
def for_over_string(x):
    s = 0.0
    for op in "+-+":
        s = s + x if op == "+" else s - 2 * x
    return s


@program((X, Y))
def enumerate_zip(x, y):
    s = 0.0
    for i, (a, b) in enumerate(zip(x, y), start=1):
        s += i * a * b
    return s


@program(([X, Y], [1.0, 2.0, 3.0]))
def zip_shortest(items, weights):
    s = np.zeros(4)
    for v, w in zip(items, weights):
        s += v * w
    return s


@program(([1.0], [1.0, 2.0]), raises=ValueError)
def zip_strict(a, b):
    s = 0.0
    for v, w in zip(a, b, strict=True):
        s += v * w
    return s


@program(X)
def reversed_range_and_array(x):
    s = 0.0
    for i in reversed(range(4)):
        s = s * 2 + x[i]
    for v in reversed(x):
        s = s / 2 + v
    return s


@program((X, 3), (X, 0))
def reversed_dynamic_range(x, n):
    s = 0.0
    for i in reversed(range(n)):
        s = s * 2 + x[i]
    return s


@program(X)
def map_and_filter(x):
    s = 0.0
    for v in map(lambda t: t * t, x):
        s += v
    for i in filter(lambda k: k % 2, range(6)):
        s -= i
    return s


@program(X)
def filter_by_data(x):
    s = 0.0
    for v in filter(lambda t: t > 0, x):
        s += v
    return s


@program(X)
def itertools_static(x):
    s = 0.0
    for i, j in itertools.product(range(2), range(3)):
        s += x[i] * x[j]
    for a, b in itertools.combinations(range(4), 2):
        s -= x[a] * x[b]
    for a, b in itertools.pairwise(range(4)):
        s += x[b] - x[a]
    for i in itertools.chain(range(2), [3]):
        s += x[i]
    for i in itertools.islice(itertools.count(1), 3):
        s += i
    for i, v in zip(itertools.repeat(2.0), x):
        s += i * v
    return s


@program((X, 4), (X, 2))
def itertools_count_with_break(x, n):
    s = 0.0
    for i in itertools.count():
        if i >= n:
            break
        s += x[i]
    return s


@program(X)
def itertools_accumulate(x):
    return [v * 2 for v in itertools.accumulate(x)]


@program(X)
def itertools_accumulate_function(x):
    return list(itertools.accumulate(x, lambda a, b: a * b, initial=2.0))


@program(M)
def itertools_zip_longest_and_cycle(m):
    s = 0.0
    for row, k in zip(m, itertools.cycle([1.0, 2.0])):
        s += row.sum() * k
    for a, b in itertools.zip_longest([1.0, 2.0], [3.0], fillvalue=0.5):
        s += a * b
    return s


@program(K)
def itertools_takewhile(k):
    s = 0
    for v in itertools.takewhile(lambda t: t < 5, k):
        s += v
    return s


@program(3, 6)
def permutations_static(n):
    s = 0
    for p in itertools.permutations(range(3)):
        s = s * 2 + p[0] * n + p[1]
    return s


class Countdown:
    def __init__(self, n):
        self.n = n

    def __iter__(self):
        return self

    def __next__(self):
        if self.n <= 0:
            raise StopIteration
        self.n -= 1
        return self.n


@program(X)
def own_iterator_static(x):
    s = 0.0
    for i in Countdown(3):
        s = s * 2 + x[i]
    return s


@program((X, 3), (X, 0), (X, 4))
def own_iterator_dynamic(x, n):
    s = 0.0
    for i in Countdown(n):
        s = s * 2 + x[i]
    return s


class Doubler:
    def __init__(self, items):
        self.items = items

    def __len__(self):
        return len(self.items)

    def __getitem__(self, i):
        if i >= len(self.items):
            raise IndexError(i)
        return self.items[i] * 2


@program([X, Y])
def iterate_by_getitem(items):
    s = np.zeros(4)
    for v in Doubler(items):
        s = s + v
    return s


def squares(n):
    for i in range(n):
        yield i * i


@program(X)
def generator_static(x):
    s = 0.0
    for i, q in enumerate(squares(4)):
        s += q * x[i]
    return s


@program((X, 4), (X, 1))
def generator_dynamic(x, n):
    s = 0.0
    for q in squares(n):
        s += q + x[0]
    return s


def collatz(n):
    while n != 1:
        yield n
        n = n // 2 if n % 2 == 0 else 3 * n + 1


@program(6, 1, 27)
def generator_dynamic_while(n):
    steps = 0
    top = 1
    for v in collatz(n):
        steps += 1
        top = max(top, v)
    return steps, top


@program(X, Y)
def generator_with_break(x):
    def values():
        for v in x:
            yield v
            yield -v

    s = 0.0
    for v in values():
        if v > 2.5:
            break
        s += v * v
    return s


@program(X, Y)
def accumulator_int_to_float(x):
    s = 0
    for v in x:
        s = s + v
    return s


@program((X, 3), (X, 1))
def accumulator_int_to_array(x, n):
    s = 0
    for _ in range(n):
        s = s + x
    return s


@program((X, 3), (X, 2))
def none_then_array(x, n):
    best = None
    for i in range(n):
        v = x * i
        if best is None or v.sum() > best.sum():
            best = v
    return best


@program(M, -M)
def none_then_array_over_rows(m):
    best = None
    for row in m:
        if best is None:
            best = row
        elif row[0] > best[0]:
            best = row
    return best


@program((X, 3))
def first_trip_flag(x, n):
    first = True
    s = 0.0
    for i in range(n):
        if first:
            s = x[0]
            first = False
        else:
            s = s * 2 + x[i]
    return s


@program((1.0, 0.5), (10.0, 0.5), (0.1, 0.5))
def float_state_dynamic_trips(x, r):
    n = 0
    while x > 1e-3:
        x *= r
        n += 1
    return n


@program(X)
def shape_changes_in_static_loop(x):
    for _ in range(3):
        x = np.concatenate([x, x[:1]])
    return x


@program(np.arange(16.0))
def shape_halves_in_static_loop(x):
    while len(x) > 1:
        x = x[::2] + x[1::2]
    return x


@program((X, 3), (X, 0), (X, 1))
def list_append_dynamic_range(x, n):
    out = []
    for i in range(n):
        out.append(x[i] * 2)
    return out


@program(X)
def list_append_static_then_stack(x):
    out = []
    for i in range(3):
        out.append(x * i)
    return np.stack(out)


@program((X, 3), (X, 4))
def list_append_dynamic_then_array(x, n):
    out = []
    for i in range(n):
        out.append(x * i)
    return np.array(out)


@program(X, Y, -np.ones(4))
def list_append_under_dynamic_if(x):
    out = []
    for v in x:
        if v > 0:
            out.append(v)
    return len(out), sum(out)


@program(X, Y, -np.ones(4))
def list_append_under_dynamic_if_returned(x):
    out = []
    for v in x:
        if v > 0:
            out.append(v * v)
    return out


@program(X, Y)
def two_lists_append(x):
    pos, neg = [], []
    for v in x:
        if v > 0:
            pos.append(v)
        else:
            neg.append(v)
    return pos, neg


@program((X, 5), (X, 2))
def list_append_in_while(x, n):
    trace = [x.sum()]
    i = 0
    while i < n:
        x = x * 0.5
        trace.append(x.sum())
        i += 1
    return trace


@program((X, 4))
def list_as_stack_static(x, n):
    stack = [x]
    total = 0.0
    for _ in range(3):
        top = stack.pop()
        total += top.sum()
        stack.append(top * 2)
    return total, len(stack)


@program(K)
def list_as_dynamic_stack(k):
    stack = []
    for v in k:
        while stack and stack[-1] > v:
            stack.pop()
        stack.append(v)
    return stack


@program(K)
def last_seen_value_in_list(k):
    hist = [0, 0]
    for v in k:
        hist[0] = hist[1]
        hist[1] = v
    return hist


@program((K, 3), (K, 0))
def tuple_state(k, n):
    pair = (0, 1)
    for _ in range(n):
        pair = (pair[1], pair[0] + pair[1])
    return pair


@program((K, 4))
def dict_state(k, n):
    d = {"even": 0, "odd": 0}
    for i in range(n):
        if k[i] % 2 == 0:
            d["even"] += 1
        else:
            d["odd"] += k[i]
    return d


@program((X, 3), (X, 4))
def rotate_references(x, n):
    a, b = x, x * 2
    for _ in range(n):
        a, b = b, a + b
    return a, b


@program((X, 3), (X, 0))
def double_buffer_swapped(x, n):
    a = x.copy()
    b = np.zeros(4)
    for _ in range(n):
        b[:] = a[::-1] * 2
        a, b = b, a
    return a


@program((X, 3), (X, 0), (X, 4))
def three_buffers_rotated(x, n):
    a, b, c = x.copy(), x * 2, np.zeros(4)
    for _ in range(n):
        c[:] = a - b
        a[0] += 1
        a, b, c = b, c, a
    return a, b, c


@program((X, 3), (X, 1), (X, 4), refuse="maybe")
def swapped_with_a_third_name(x, n):
    a, b = x.copy(), x * 2
    c = a
    for _ in range(n):
        a, b = b, a
        a[0] += 1
        c[1] -= 2
    return a, b, c


@program((X, 3), (X, 1), (X, 4), refuse="maybe")
def swapped_while_a_list_holds_one(x, n):
    a, b = x.copy(), x * 2
    held = [a]
    for _ in range(n):
        a[0] += 1
        a, b = b, a
        held[0][1] -= 2
    return a, b, held


@program((X, 3), (X, 1), (X, 4), refuse="maybe")
def third_name_follows_one(x, n):
    a, b = x.copy(), x * 2
    c = b
    for _ in range(n):
        a[0] += 1
        c = a
        a, b = b, a
        c[1] -= 2
    return a, b, c


class Buffers:
    def __init__(self, x):
        self.now, self.next = x.copy(), np.zeros_like(x)

    def step(self):
        self.next[:] = self.now * 0.5 + 1
        self.now, self.next = self.next, self.now


@program((X, 3), (X, 1), (X, 4), refuse="maybe")
def swapped_attributes(x, n):
    b = Buffers(x)
    for _ in range(n):
        b.step()
    return b.now, b.next


@program((X, 3), (X, 0))
def alias_updated_in_loop(x, n):
    y = x
    for _ in range(n):
        y += 1.0
    return x


@program((X, 3), (X, 0))
def alias_lost_in_loop(x, n):
    y = x
    for _ in range(n):
        y = y + 1.0
    return x, y


@program((X, 4), (X, 2))
def write_elements(x, n):
    for i in range(n):
        x[i] = i * x[i - 1]


@program((M, 3), (M, 1))
def write_rows(m, n):
    for i in range(n):
        m[i] = m[i] / (i + 1.0)
    return m[0]


@program(5, 1, 0)
def loop_with_only_continue(n):
    c = 0
    for i in range(n):
        c += i
        continue
    return c


@program((5, 2), (5, 9))
def condition_reads_last_trip(n, t):
    i = 0
    v = -1
    while v < t and i < n:
        v = i * 2
        i += 1
    return i, v


@program(X, Y)
def loop_local_temporary(x):
    s = 0.0
    for v in x:
        t = v * v
        u = t + 1
        s += u
    return s


@program(X, np.zeros(0))
def loop_local_read_after(x):
    t = 7.0
    for v in x:
        t = v * v
    return t


@program((10, 3), (0, 3), (10, 100))
def two_exits_two_results(n, k):
    i = 0
    while True:
        if i >= n:
            return "end" == "x", i
        if i == k:
            return True, i
        i += 1


@program((12, 18), (7, 13), (0, 5), (100, 75))
def nested_while_gcd_count(a, b):
    total = 0
    for i in range(1, 4):
        p, q = a * i, b
        while q:
            p, q = q, p % q
            total += 1
    return p, total


@program((np.array([5, 0, 3]),), (np.array([0, 0, 0]),))
def bounds_from_array(counts):
    s = 0
    for c in counts:
        for i in range(c):
            s += i + 1
    return s


@program((np.array([0, 2, 2, 5]), X), (np.array([0, 1, 3, 4]), X))
def segments_from_pointers(ptr, x):
    out = np.zeros(3)
    for r in range(3):
        for k in range(ptr[r], ptr[r + 1]):
            out[r] += x[k % 4]
    return out


@program(3, 4)
def iter_next_by_hand(n):
    it = iter(range(n))
    a = next(it)
    b = next(it)
    rest = 0
    for v in it:
        rest += v
    return a, b, rest, next(it, -1)


@program(0, 3)
def next_exhausted_raises_caught(n):
    it = iter([1, 2])
    s = n
    try:
        while True:
            s += next(it)
    except StopIteration:
        pass
    return s


@program((X, 1000), (X, 7))
def long_loop_stays_loop(x, n):
    s = 0.0
    for i in range(n):
        s = 0.9 * s + x[i % 4]
    return s


@program(X)
def long_static_loop(x):
    s = 0.0
    for i in range(500):
        s = 0.5 * s + x[i % 4]
    return s


@program(1, 2)
def deeply_nested(n):
    c = 0
    for a in range(n + 1):
        for b in range(2):
            for d in range(2):
                for e in range(2):
                    for f in range(2):
                        for g in range(2):
                            if (a + b + d + e + f + g) % 3 == 0:
                                c += 1
    return c


@program(X, Y)
def loop_over_zip_of_rows_and_range(x):
    m = np.outer(x, x)
    t = 0.0
    for i, row in zip(range(4), m):
        t += row[i]
    return t


@program((X, 2), (Y, 3))
def loop_in_comprehension(x, n):
    return sum(x[i] * j for i in range(n) for j in range(i + 1))


@program((X, True), (X, False))
def static_branch_in_loop(x, double):
    s = 0.0
    for v in x:
        if double:
            s += 2 * v
        else:
            s += v
    return s


@program((3, 2), (0, 2))
def range_object_properties(n, k):
    r = range(k, 20, n + 1)
    return len(r), r[0], r[-1], r.start, r.stop, r.step, 8 in r


@program((K, 1), (K, 9))
def in_array_loop(k, v):
    n = 0
    for t in k:
        if t == v:
            n += 1
    return n, v in k


@program(X)
def for_in_reversed_list(x):
    acc = x * 0
    for s in reversed([1.0, 2.0, 3.0]):
        acc = acc * x + s
    return acc


@program((X, 0), (X, 3))
def loop_bound_changes_inside(x, n):
    s = 0.0
    for i in range(n):
        n = 100
        s += x[i]
    return s, n


@program(6, 9)
def list_grows_while_iterated_static(n):
    items = [1, 2]
    for v in items:
        if len(items) < 5:
            items.append(v + n)
    return items


@program(X)
def bool_accumulator(x):
    ok = True
    for v in x:
        ok = ok and v > -5
    return ok


@program(X, Y)
def bool_or_accumulator(x):
    hit = False
    for v in x:
        hit |= bool(v < -3)
    return hit


@program((X, 5), (X, 1))
def complex_state(x, n):
    z = 0j
    for i in range(n):
        z = z * z + complex(x[0] * 0.1, 0.2)
    return z


@program((np.float32([1, 2, 3]), 3), (np.float32([1, 2, 3]), 0))
def float32_state(x, n):
    s = np.float32(0)
    for i in range(n):
        s = s + x[i] * 0.5
    return s


@program((np.array([250, 10], dtype=np.uint8), 3))
def uint8_state_wraps(x, n):
    for _ in range(n):
        x = x + np.uint8(5)
    return x


BOARDS = tuple(
    np.array(b)
    for b in ([[1, 2, 0], [0, 1, 2], [2, 0, 1]], [[2, 1, 1], [2, 0, 1], [1, 0, 0]], np.eye(3, dtype=int) * 0)
)


@program(*BOARDS)
def return_out_of_views_that_differ(board):
    lines = [*board, *board.T, np.diag(board), np.diag(board[::-1])]
    for line in lines:
        if line[0] and all(v == line[0] for v in line):
            return int(line[0]), line
    return None if (board == 0).any() else 0


@program(*BOARDS, (BOARDS[0] + 1,))
def return_out_of_nested_loops_with_clean_up(board):
    left = []
    for name, parts in (("row", board), ("column", board.T)):
        try:
            for k, part in enumerate(parts):
                if part[0] == 1:
                    return name, k, part[1], left
        finally:
            left.append(name)
    return left


test_programs = program.test()
