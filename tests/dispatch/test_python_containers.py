"""Lists, tuples, dicts, sets, deques, strings: static structure, dynamic contents and indices."""

import collections
import operator

import numpy as np
import pytest
from python_check import check, function_of

X = np.array([1.0, -2.0, 3.5])


def expressions(*sources, names, **environment):
    return [pytest.param(function_of(s, *names, **environment), id=s) for s in sources]


@pytest.mark.parametrize(
    "program",
    expressions(
        "[a, b][i]",
        "(a, b, a + b)[i]",
        "[1, 2.5, a][i]",
        "[10, 20, 30, 40][i]",
        "[[a, 1], [b, 2]][i][1]",
        "((a, 1), (b, 2), (0.5, 3))[i]",
        "['x', 'yy', 'x'][i] == 'x'",
        "[None, a][i] is None",
        "range(3, 30, 4)[i]",
        "{0: a, 1: b, -2: 5.0}[i]",
        "{0: a, 2: b}.get(i, -1.0)",
        "{0: a, 2: b}.get(i)",
        "i in [0, 2, 5]",
        "i in {1: a}",
        "i in {1, -1}",
        "i in (0, a, 'x')",
        "i in range(-3, 4, 2)",
        "{(0, 1): a, (1, 1): b}[i, 1]",
        "list(range(10))[3:1:-1], [a, b, a][::-1]",
        names=("a", "b", "i"),
    ),
)
def test_dynamic_index(program):
    check(program, *((1.5, -2.0, i) for i in (0, 1, 2, 3, -1, -2, -3, -4, 7)), may_refuse=False)


def test_dynamic_assignment():
    def program(n, i, v):
        items = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]
        items[i] = v
        table = {0: 1.0, 1: 2.0, 2: 3.0}
        table[n % 3] = v
        mixed = [1, "s", None]
        mixed[1] = v
        pairs = [1, 2]
        pairs[n % 2] = v
        return items, table, mixed, pairs

    check(program, (0, 2, 9.5), (1, -1, 0.5), (5, 6, 0.0), (7, -6, 1.0))


def test_dynamic_pop_and_remove():
    def program(i, v):
        a, b = [1, 2, 3, 4], [1, 2, 3, 2]
        taken = a.pop(i)
        b.remove(v)
        return taken, a, b, [5, 6, 5].index(v + 3), [1, 2, 1].count(v)

    check(program, (0, 2), (-1, 3), (2, 7), (9, 2))


def test_list_methods():
    def program(x, y):
        a = [x, y]
        a += (1, 2)
        a *= 2
        b = a[:]
        b[1:3] = [0.0]
        b[::2] = [9.0] * len(b[::2])
        del b[-1], b[0:1]
        c = list("abc")
        c.extend(str(i) for i in range(2))
        c.reverse()
        return a, b, c, a == a[:], [x] < [y], [x, 1] <= [x, 2], (x,) > (y, 1), [*a, *b][2], a.index(y), 2 * [x]

    check(program, (1.0, 2.0), (2.0, 1.0), (1.0, 1.0))


@pytest.mark.parametrize(
    "source",
    [
        "[1, 2][5]",
        "(1, 2)['a']",
        "[1, 2]['a']",
        "[1, 2][1.0]",
        "[].pop()",
        "[1].pop(3)",
        "[1].remove(2)",
        "[1].index(2)",
        "(1,).index(2)",
        "{}['a']",
        "{}.popitem()",
        "{1: 2}.pop(3)",
        "set().pop()",
        "{1}.remove(2)",
        "{[1]: 2}",
        "{1: 2}[[]]",
        "[1] + (2,)",
        "(1,) + [2]",
        "[1] * 1.5",
        "[1, 2][::0]",
        "len(5)",
        "iter(5)",
        "next([1])",
        "next(iter([]))",
        "max([])",
        "min(())",
        "sum(['a'])",
        "sum([], 'a')",
        "int('x')",
        "range(1.5)",
        "range(1, 5, 0)",
        "list(5)",
        "dict([(1, 2, 3)])",
        "dict([1])",
        "enumerate(5)",
        "zip(5)",
        "reversed({1})",
        "reversed(5)",
        "sorted([1, 'a'])",
        "[1] < ['a']",
        "[1] < (1,)",
        "getattr(1, 'nope')",
        "isinstance(1, 2)",
        "hash([])",
        "list(zip([1], [1, 2], strict=True))",
        "list(zip([1, 2], [1], strict=True))",
        "deque().pop()",
        "deque([1])[3]",
        "'%d' % 'a'",
        "'a' + 1",
        "'abc'[5]",
        "'-'.join([1])",
        "'{}'.format()",
        "chr(-1)",
        "abs('a')",
        "divmod(1, 'a')",
        "round('a')",
        "float('x')",
        "complex('x')",
        "float([])",
        "int([])",
        "pow(2, 3, 0)",
        "reduce(add, [])",
        "itemgetter()",
        "tuple(1)",
        "set(1)",
        "{[1]}",
        "{(1, [x])}",
        "[x] in {1}",
        "{1}.add({})",
        "{(x, [1]): 2}",
        "[] in {1: 2}",
        "dict([([], 1)])",
        "{1: 2}.get({x})",
    ],
)
def test_errors(source):
    environment = {"deque": collections.deque, "add": operator.add, "itemgetter": operator.itemgetter}
    environment["reduce"] = __import__("functools").reduce
    check(function_of(source, "x", **environment), (1,))


def test_dicts():
    def program(x, y):
        d = {"a": x, 2: y, (1, "b"): 3.0}
        e = dict(d, z=x + y)
        e.update([("q", 1), ("a", 2.0)], w=y)
        first = e.pop(2), e.pop("none", None), e.setdefault("new", []), e.popitem()
        keys = list(d.keys() & e.keys()), "a" in e.keys(), len(d.values()), x in d.values(), ("a", x) in d.items()
        merged = d | {"a": y}
        d |= {"k": 0}
        copied = d.copy()
        copied.clear()
        return (
            d,
            e,
            first,
            keys,
            merged,
            copied,
            d == e,
            {"p": x} == {"p": y},
            dict.fromkeys("ab", x),
            list(reversed(d)),
        )

    check(program, (1.0, 2.0), (2.0, 2.0))


def test_dict_kinds():
    def program(x):
        groups = collections.defaultdict(list)
        for i in range(4):
            groups[i % 2].append(x * i)
        counts = collections.Counter("hello")
        counts.update("lo")
        more = counts + collections.Counter(l=1)
        ordered = collections.OrderedDict([("a", x), ("b", 2.0)])
        ordered.move_to_end("a")
        return dict(groups), dict(counts), counts["zz"], counts.most_common(1), more["l"], list(ordered.items())

    check(program, (1.5,))


def test_sets():
    def program(x):
        s, t = {1, 2, 3}, {3, 4}
        s.add(9)
        s.discard(7)
        t.update([5], (6,))
        return (
            sorted(s | t), sorted(s & t), sorted(s - t), sorted(s ^ t), s <= t, {3} < t, s.isdisjoint({0}),
            frozenset(t) == t, len(s), 3 in s, sorted(s.union([7], {8})), [v * x for v in sorted(t)], s.copy() == s,
        )  # fmt: skip

    check(program, (2.0,))


def test_deque():
    def program(x, y):
        q = collections.deque([x, y], maxlen=3)
        q.append(1.0)
        q.appendleft(2.0)
        q.rotate(1)
        q[0] = 7.0
        q.extend([5.0])
        return list(q), q[-1], len(q), q.popleft(), q.maxlen, x in q, q.count(5.0)

    check(program, (1.0, 2.0))


def test_named_tuples():
    Point = collections.namedtuple("Point", "x y", defaults=[3.0])

    def program(a):
        p = Point(a)
        q = p._replace(x=a + 1)
        x, y = q
        return p.x, q[1], x * y, q._asdict(), p == (a, 3.0), p < q, len(p), sum(p), Point._fields, p + q

    check(program, (2.0,), (-1.0,))


def test_sorting():
    def program(a, b, c, n):
        items = [a, b, c, 2.0]
        pairs = [(a, "a"), (b, "b"), (c, "c")]
        words = sorted(["bb", "a", "ccc"], key=len, reverse=True)
        stable = sorted([(n % 2, 1), (1, 2), (n % 2, 3), (0, 4)], key=lambda p: p[0])
        falling = sorted([(n % 2, 1), (1, 2), (n % 2, 3), (0, 4)], key=lambda p: p[0], reverse=True)
        order = sorted(range(3), key=[a, b, c].__getitem__)
        items.sort(key=abs)
        nested = sorted([(a, 2), (a, 1), (b, 0)])
        values = [v for v, _ in sorted(pairs, key=lambda p: -p[0])]
        return items, words, stable, falling, order, nested, values, sorted([n, True, 2]), sorted({3, 1})

    check(program, (3.0, -1.0, 2.0, 4), (1.0, 1.0, 1.0, 5), (-2.0, 2.0, 0.0, 0))


def test_strings():
    def program(n):
        s = "abc"
        return (
            s.upper(), s[::-1], "b" in s, s * 2, f"{s:>5}", "%s-%03d" % (s, 7), "{0}{1!r}".format(s, 2), s.split("b"),
            ",".join(c + "!" for c in s), s.replace("a", "z"), ord(s[0]), [c for c in s], len(s), s < "abd", s.encode(),
            list(enumerate(s)), s.startswith(("x", "a")), str(1.5), repr("q"), bin(5), hex(255), "n" if n > 2 else "m",
        )  # fmt: skip

    check(program, (1,), (5,))


def test_membership_compares_by_identity_first():
    def program(x):
        nan = float("nan")
        items = [nan, x]
        return nan in items, items == [nan, x], items.index(nan), [x] == [x]

    check(program, (float("nan"),), (1.0,))
