"""Numbers that a loop makes wider (`total = 0`, then floats are added), and questions after what they are."""

import functools

import jax.numpy as jnp
import numpy as np

from .runner import Programs

program = Programs()
X = np.array([1.5, 2.5, 3.0])


@program((X,), (X[:1],), compiles=2)
def printed_on_the_way(x):
    total = 0
    for v in x:
        print(total, f"{total:>5}", "%s" % total, str(total), repr(total), "{}".format(total + 1))
        total += v
    return total


@program((X,), (X[:1],))
def written_into_an_array_made_of_it(x):
    total, out = 0, np.zeros(3)
    for k, v in enumerate(x):
        pair = np.array([total, total])
        pair[0] = 0.7
        out[k] = pair[0]
        total = total + v
    return out


@program((X,), (X[:1],))
def beside_an_array_of_integers(x):
    factor, total = 1, 0.0
    for v in x:
        u = np.arange(4) * factor
        u[1] = 2.6
        total += u.sum()
        factor = factor + float(v)
    return total


@program((X,), (X[:1],))
def beside_an_array_of_single_precision(x):
    t = 0
    y = np.ones(3, np.float32)
    for v in x:
        y = y / 3 + np.add(y, t).astype(np.float32)
        t += v
    return y


@program((X,), (X[:1],))
def matched(x):
    total = 0
    for v in x:
        match total:
            case int():
                step = 1
            case float():
                step = 2
        total = total + v + step
    return total


def loop_with(question):
    def program(i, x):
        total = 0.0
        for v in x:
            try:
                total += question(i, x)
            except (TypeError, AttributeError, IndexError):
                total += 100
            i = 2.0
        return total

    return program


QUESTIONS = dict(
    shifted=lambda i, x: i << 1,
    of_bits=lambda i, x: i & 3,
    an_index=lambda i, x: np.arange(5)[i],
    an_index_of_a_list=lambda i, x: [1, 2, 3, 4, 5][i],
    a_range=lambda i, x: sum(range(i)),
    a_bound_of_a_slice=lambda i, x: len(np.arange(7)[:i]),
    repeated=lambda i, x: len("ab" * i),
    a_shape=lambda i, x: len(np.zeros(i)),
    an_axis=lambda i, x: np.ones((1, 1, 1, 2)).sum(axis=i).size,
    is_an_int=lambda i, x: isinstance(i, int),
    its_class=lambda i, x: type(i) is int,
    has_a_method=lambda i, x: 3 if hasattr(i, "bit_length") else 7,
    its_method=lambda i, x: i.bit_length(),
    its_attribute=lambda i, x: 10 if getattr(i, "hex", None) is None else 20,
    written=lambda i, x: len(f"{i}") + len(str(i)),
    the_kind_of_an_array=lambda i, x: np.array([i, 2]).dtype.kind == "i",
    the_kind_of_a_sum=lambda i, x: (np.arange(3) + i).dtype.kind == "i",
    what_is_computed_with_it=lambda i, x: isinstance(-(i + 1) * 2, int),
    divided=lambda i, x: isinstance(i / 2, int),
    rounded_down=lambda i, x: i // 2 + i % 2 + abs(i) + divmod(i, 2)[1],
    an_exception=lambda i, x: len(str(ValueError(i))),
)
for name, question in QUESTIONS.items():
    program.add(name, loop_with(question), (3, X[:1]), (3, X), (3, X[:0]))


@functools.singledispatch
def kind(n):
    return 1.0


@kind.register
def _(n: int):
    return 2.0


@program((3, X), (3, X[:1]))
def dispatched(i, x):
    total = 0.0
    for _ in x:
        total += kind(i)
        i = 0.5
    return total


class Meter:
    def __init__(self):
        self.total = 0

    def add(self, v):
        self.total += v
        return self

    def text(self):
        return f"{self.total}"


@program((X,), (X[:1],))
def of_an_object(x):
    meter = Meter()
    size = 0
    for v in x:
        size += len(meter.text())
        meter.add(v)
    return size, meter.total


@program((X, 3), (X, 1))
def in_a_loop_in_the_loop(x, n):
    total, size = 0, 0
    for v in x:
        for _ in range(n):
            size += len(str(total + 1))
        total += v
    return total, size


@program((X, 20.0), (X, 0.5))
def in_a_while_loop(x, most):
    total, k, ints = 0, 0, 0
    while total < most:
        ints += isinstance(total, int)
        total += x[k % 3]
        k += 1
    return total, ints


@program((np.array([1, 2, 3]),), (np.array([5]),))
def an_int_that_becomes_one_of_numpy(x):
    total, ints = 0, 0
    for v in x:
        ints += isinstance(total, int)
        total += v
    return total, ints


@program((np.array([1, 2, 3]), np.array([100, 27], np.int8)), (np.array([5]), np.array([1, 2], np.int8)))
def an_int_of_numpy_beside_small_ones(x, small):
    total = 1
    for v in x:
        small = (small * total).astype(np.int8) if v < 0 else (small + total)
        total = v
    return small if len(x) < 2 else small.sum()


@program((X, True), (X, False))
def raised_only_for_the_wider_one(x, index):
    i, total = 0, 0.0
    for v in x:
        if index:
            total += i / 2
        else:
            total += x[i]
        i = i + 1 if not index else 0.5
    return total


NARROW = {
    "small_ints": (np.int8(100), lambda v: np.int64(v)),
    "an_int_that_becomes_small": (2, lambda v: np.int8(v)),
    "an_int_that_is_too_large": (300, lambda v: np.int8(v)),
    "single_precision": (np.float32(0.1), lambda v: v),
    "a_float_that_becomes_single": (0.1, lambda v: np.float32(v)),
    "truths": (True, lambda v: v > 1),
}
ARITHMETIC = {
    "doubled": lambda a: a + a,
    "times_a_number": lambda a: a * 100,
    "times_a_fraction": lambda a: a * 1.1,
    "squared": lambda a: np.multiply(a, a),
    "compared": lambda a: a == 0.1,
    "negative": lambda a: -a if not isinstance(a, bool | np.bool_) else 5,
    "as_a_key": lambda a: len([10, 20][a : a + 1]) if isinstance(a, int) else 7,
}


def loop_of(first, following, question):
    def program(x):
        a, total = first, 0.0
        for v in x:
            total += question(a)
            a = following(v)
        return total

    return program


for name, (first, following) in NARROW.items():
    for what, question in ARITHMETIC.items():
        program.add(f"{name}_{what}", loop_of(first, following, question), X[:1] + 1, X + 1)


@program(X, X[:1])
def a_truth_of_either_kind_as_a_key(x):
    a, total = True, 0.0
    for v in x:
        try:
            total += x[a].sum()
        except IndexError:
            total += 100
        a = v > 2
    return total


S = np.array([1, 2, 3], np.float32)


@program((S, 0, 1e300), (S, 2, 0.1), (S.astype(np.float16), 0, 0.1))
def a_sum_that_starts_with_an_argument(x, n, r):
    for i in range(n):
        r += x[i]
    return r


@program((S, 0), (S, 2), (X, 0), (S.astype(np.complex64), 0))
def sums_of_no_items(x, n):
    whole, part, pair, turn = 2**53 + 1, 0.1, [0.1, 16777217.0], 0.1 + 0.2j
    i = 0
    while i < n:
        whole, part, turn = whole + x[i], part + x[i], turn - x[i]
        pair[0] *= x[i]
        for _ in range(n):
            pair[1] += x[i]
        i += 1
    return whole, part, pair, turn, part * 10 == 1.0, np.sqrt(part) if part == 0.1 else 0.0


@program((0, 2**53 + 1), (2, 4))
def a_whole_number_that_no_double_is(n, start):
    a, b = start, 2**53 + 1
    for i in range(n):
        a, b = a + 0.5 * i, b + 1.5
    return int(a), int(b)


@program((jnp.asarray(S), 0), (jnp.asarray(S), 2))
def a_sum_of_no_items_of_jax(x, n):
    total = 0.1
    for i in range(n):
        total = total + x[i]
    return total


test_programs = program.test()
