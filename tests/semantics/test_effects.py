"""What the caller sees afterwards: arguments, aliases, attributes, globals, cells, lists, dicts; order of effects."""

import logging
import sys

import numpy as np
import pytest

import xlapy

from .runner import Programs

program = Programs()

X = np.array([1.0, -2.0, 3.0])
Y = np.array([-1.0, 0.5, -4.0])
M = np.arange(12.0).reshape(3, 4)
TOTAL = 0.0
CACHE = {}
HISTORY = []
BUFFER = np.zeros(3)
LIMITS = {"max": 10, "seen": []}


@program(X)
def inplace_add(x):
    x += 1


@program(X)
def plain_add_does_not_mutate(x):
    x = x + 1
    return x


@program(X)
def mutate_then_rebind(x):
    x += 1
    x = x * 10
    x += 1
    return x


@program(X)
def inplace_on_alias(x):
    z = x
    z *= 2
    return z


@program((X, X))
def same_array_twice(a, b):
    a += 1
    return a + b


@program((X, X, Y))
def write_through_one_read_other(a, b, c):
    a[0] = c[1]
    return b[0] * 2, a is b, a is c


@program((M, M[1]))
def row_view_passed_beside_its_base(m, row):
    row[0] = 100.0
    m[1, 1] = 200.0
    return row.sum()


@program((X[:2], X[1:]))
def overlapping_views_passed(a, b):
    a[1] = 50.0
    b += 1
    return a.sum()


@program(([X, X],))
def list_with_one_array_twice(items):
    items[0][0] = 9.0
    return items[1][0]


@program((X, [X]))
def array_and_list_holding_it(x, items):
    items[0] += 1
    items.append(x * 2)
    return x


@program(({"a": X}, {"a": X}))
def dicts_sharing_an_array(p, q):
    p["a"][1] = 7.0
    return q["a"]


@program(([1, 2], [1, 2]))
def equal_lists_are_not_one(a, b):
    a.append(3)
    return len(b)


SHARED = [1, 2]


@program((SHARED, SHARED))
def one_list_twice(a, b):
    a.append(3)
    return len(b), a is b


@program(X)
def int_array_truncates_on_write(x):
    k = np.zeros(3, dtype=np.int64)
    k[:] = x * 1.7
    k[0] = 2.9
    return k


@program(np.array([1, 2, 3]))
def int_argument_inplace_keeps_dtype(k):
    k += 1
    k *= 2
    k //= 3


@program(np.array([1, 2, 3]), raises=TypeError)
def int_argument_inplace_true_divide_raises(k):
    k /= 2


@program(np.array([1, 2, 3]), raises=TypeError)
def int_argument_inplace_add_float_raises(k):
    k += 0.5


@program(np.float32([1, 2, 3]))
def float32_argument_inplace_float64_values(x):
    x += np.array([0.1, 0.2, 0.3])


@program((X, Y))
def swap_contents(x, y):
    t = x.copy()
    x[:] = y
    y[:] = t


@program((X, Y))
def out_argument(x, y):
    np.add(x, y, out=x)
    np.multiply(x, 2.0, x)
    r = np.sqrt(np.abs(y), out=y)
    return r is y


@program((X, Y))
def out_with_where(x, y):
    np.divide(x, y, out=x, where=y > 0)


@program((M, np.zeros(3)))
def reduction_out(m, s):
    np.sum(m, axis=1, out=s)
    m.max(axis=1, out=s[:])


@program((M, np.zeros((3, 3))))
def dot_out(m, r):
    np.dot(m, m.T, out=r)


@program(X)
def array_methods_in_place(x):
    x.sort()
    x.fill(x[0]) if False else None
    x.put([0], [5.0])


@program(np.array([3.0, 1.0, 2.0]))
def fill_and_partition(x):
    y = x.copy()
    y.fill(4.0)
    x.sort()
    return y


@program((X, Y))
def copyto_place_putmask(x, y):
    np.copyto(x, y, where=y > 0)
    np.putmask(y, y < 0, 0.0)


@program(M)
def fill_diagonal(m):
    np.fill_diagonal(m, -1.0)


@program(X)
def global_scalar_accumulates(x):
    global TOTAL
    TOTAL += x.sum()
    return TOTAL


@program((X, 3), (X, 0))
def global_scalar_in_dynamic_loop(x, n):
    global TOTAL
    for i in range(n):
        TOTAL = TOTAL * 0.5 + x[i]


@program(X)
def global_list_appended(x):
    HISTORY.append(x.sum())
    HISTORY.append("tag")


@program((X, "k"))
def global_dict_cache(x, key):
    if key not in CACHE:
        CACHE[key] = x * 2
    return CACHE[key]


@program(X, X, Y)
def global_buffer_reused(x):
    BUFFER[:] = BUFFER + x
    return BUFFER.max()


@program(4, 12)
def global_nested_structure(n):
    LIMITS["seen"].append(n)
    if n > LIMITS["max"]:
        LIMITS["max"] = n
    return LIMITS["max"]


@program(X)
def global_created(x):
    global CREATED_HERE
    CREATED_HERE = x * 2


class Holder:
    def __init__(self, data):
        self.data = data
        self.log = []
        self.parent = None


def family():
    a, b = Holder(X), Holder(Y)
    b.parent = a
    a.data = b.data
    return a, b


@program(family())
def attribute_array_shared(a, b):
    b.parent.data[0] = 11.0
    return b.data[0]


@program(Holder(X))
def attribute_rebound_vs_mutated(h):
    old = h.data
    h.data = h.data * 2
    old += 1
    h.log.append(old.sum())


@program((Holder(X), X))
def attribute_set_to_argument(h, x):
    h.data = x
    h.data += 1
    return x


@program(Holder(X), Holder(Y))
def attribute_written_under_dynamic_if(h):
    if h.data[0] > 0:
        h.flag = True
        h.data[0] = 0.0
    else:
        h.flag = False


@program((Holder(X), 3), (Holder(X), 0))
def attribute_written_in_dynamic_loop(h, n):
    h.count = 0
    for i in range(n):
        h.count += 1
        h.data[i] = h.count


@program((Holder(X), 3))
def attribute_list_grows_in_loop(h, n):
    for i in range(n):
        h.log.append(h.data[i])


@program(([], X))
def result_and_argument_share(items, x):
    items.append([x.sum()])
    return items


@program([[1.0], [2.0]])
def result_is_part_of_argument(items):
    items[0].append(5.0)
    return items[0]


@program(X)
def result_lists_share(x):
    a = [x.sum()]
    return a, a, [a]


@program(X)
def returned_argument_after_mutation(x):
    x[0] = 9.0
    return x


@program(X)
def returned_argument_untouched(x):
    return x


@program((X, Y))
def order_of_effects(x, y):
    x[0] = y[0]
    y[0] = x[1]
    x[1] = x[0] + y[0]
    y += x
    x -= y


@program(X)
def augmented_item_assignment_evaluates_once(x):
    calls = []

    def index():
        calls.append(1)
        return 1

    x[index()] += 5
    return len(calls)


@program((X, Y))
def evaluation_order(x, y):
    log = []

    def note(tag, v):
        log.append(tag)
        return v

    note("d", [x, y])[note("i", 0)][note("j", 1)] = note("v", 3.0)
    r = note("l", x) + note("r", y) * note("m", 2.0)
    pair = {note("k1", 1): note("v1", 2), note("k2", 3): note("v2", 4)}
    return log, r, pair


@program((X, True), (X, False))
def optional_output_argument(x, flag, out=None):
    if out is None:
        out = np.empty(3)
    out[:] = x * 2 if flag else x
    return out


def helper(v, w):
    v[0] += w[0]
    w[1:] = v[:2]
    return v


@program((X, Y))
def helper_mutates_both(x, y):
    z = helper(x, y)
    z[2] = 42.0


@program((M[:, :3], 3), (M[:, :3], 0))
def helper_on_views_in_loop(m, n):
    for i in range(n):
        helper(m[i], m[i - 1])


@program((M, M.T))
def transposed_view_argument(a, b):
    b[0, 1] = -5.0
    return a[1, 0]


@program(np.asfortranarray(M))
def fortran_order_argument(m):
    m[0] += 1
    return m.ravel(), m.ravel(order="F")


@program(M[::2, ::-1])
def strided_argument(m):
    m[0, 0] = 99.0
    return m.sum(axis=0)


@program(np.broadcast_to(np.array([1.0, 2.0]), (2, 2)), raises=ValueError)
def read_only_argument_raises(m):
    m[0, 0] = 1.0


def frozen(x):
    x = x.copy()
    x.flags.writeable = False
    return x


@program(frozen(X), raises=ValueError)
def write_to_readonly_raises(x):
    x[0] = 1.0


@program(frozen(X))
def readonly_copied_first(x):
    y = x.copy()
    y[0] = 1.0
    return y


@program((X, []))
def nothing_changes(x, items):
    y = x.copy()
    y += 1
    other = list(items)
    other.append(1)
    return y.sum()


@program(np.zeros(0))
def empty_argument_mutated(x):
    x += 1
    x[:] = 3


@program(np.array(2.0))
def zero_dim_argument_mutated(x):
    x += 1
    x[...] = x * 2
    x[()] += 1


# -- views of an argument that are stored in the caller's world share its memory ---------------------------------------


class Holder:
    pass


@program((np.arange(6.0).reshape(2, 3), [1, 2, 3], True), (np.arange(6.0).reshape(2, 3), [1, 2, 3], False))
def view_stored_in_a_list(m, items, flag):
    items[-1] = m.ravel()
    if flag:
        m[:, 0] *= 0.5
    return 1


@program((np.arange(12.0).reshape(3, 4), Holder(), 1), (np.arange(12.0).reshape(3, 4), Holder(), -1))
def views_stored_in_attributes(m, holder, i):
    holder.row, holder.column, holder.turned = m[i], m[:, 1], m.T
    holder.back, holder.parts = m[::-2, 1:], {"first": m[0], "rest": m[0][1:]}
    holder.flat, holder.diagonal, holder.itself = m.reshape(4, 3), np.diagonal(m), m
    m[0, 1] = 9.0
    holder.row[2] = 7.0
    return holder.row.sum()


@program((np.arange(4.0) + 1j, []), (np.zeros(3, complex), []))
def parts_of_complex_numbers_stored(z, items):
    items.append(z.real)
    items.append(z.imag[1:])
    z *= 2.0


def test_views_share_memory_with_the_argument():
    holder, m = Holder(), np.arange(12.0).reshape(3, 4)
    xlapy.jit(views_stored_in_attributes)(m, holder, 1)
    assert holder.itself is m
    for view in (holder.row, holder.column, holder.turned, holder.back, holder.flat, *holder.parts.values()):
        assert np.shares_memory(view, m)


@program((X,), (frozen(X),), (X,), (np.broadcast_to(X, (2, 3)),))
def read_only_after_a_program_that_wrote(x):
    seen = [x * 2]
    try:
        x[0] = 5.0
        seen.append("written")
    except ValueError as error:
        seen.append(str(error))
    return seen


class Records(logging.Handler):
    """What was logged."""

    def __init__(self):
        super().__init__()
        self.found = []

    def emit(self, record):
        text = record.getMessage()
        self.found.append((record.name, record.levelname, text, record.funcName, record.lineno, len(record.args)))


LOGGER = logging.getLogger("xlapy.test.effects")
LOGGER.propagate = False


def logs(x, n, verbose=True):
    if verbose:
        LOGGER.info("sum %s, max %.2f", x.sum(), x.max())
    LOGGER.debug("not shown")
    y = x + 1
    LOGGER.error("%s", y)
    y[0] = 100
    for i in range(n):
        print("step", i, file=sys.stderr)
        logging.getLogger("xlapy.test.effects").warning(f"step {i}: %g", y[i])
    if y[1] > 3:
        LOGGER.log(35, "%(a)s", {"a": 1})
    else:
        LOGGER.critical("small")
    sys.stdout.write("done\n")
    sys.stderr.write(f"{x[0]}\n")
    return y


@pytest.mark.parametrize("n", [0, 2])
@pytest.mark.parametrize("verbose", [True, False])
def test_records_of_a_logger(n, verbose, capsys):
    found = []
    for function in (logs, xlapy.jit(logs, returns="numpy")):
        handler = Records()
        LOGGER.addHandler(handler)
        LOGGER.setLevel(logging.INFO)
        try:
            found.append((function(np.arange(3.0) * (1 + n), n, verbose).tolist(), handler.found, capsys.readouterr()))
        finally:
            LOGGER.removeHandler(handler)
    assert found[0] == found[1]


def test_progress_bars():
    tqdm = pytest.importorskip("tqdm")

    def total(x):
        s = 0.0
        for v in tqdm.tqdm(x, desc="sum"):
            s += v
        with tqdm.trange(3) as bar:
            for k in bar:
                s += k
                bar.set_postfix(s=s)
        return s

    assert xlapy.jit(total)(np.arange(3.0)) == 6.0


@program((X, 2), (X, 0))
def logs_what_nobody_reads(x, n):
    logger = logging.getLogger("xlapy.test.effects")
    for k in range(n):
        logging.debug("step %d", k)
    logger.info("sum %s", x.sum())
    return x * n


@program(("-", None), (None, 3), raises=TypeError)
def printed_between(sep, end):
    print(1, 2, sep=sep, end=end)


@program((2.5,), raises=TypeError)
def printed_between_numbers(sep):
    print(1, sep=sep)


test_programs = program.test()
