"""Small functions, one idea each, with arguments to call them with. Not a test module, so that pytest leaves their
``assert`` statements as they are."""

import contextlib

CASES: list[tuple] = []


def case(*arguments):
    """Registers a function with some tuples of arguments."""

    def register(function):
        CASES.extend((function, args) for args in arguments)
        return function

    return register


class Manager:
    def __init__(self, log, swallow=False, fail=False):
        self.log, self.swallow, self.fail = log, swallow, fail

    def __enter__(self):
        if self.fail:
            raise KeyError("enter")
        self.log.append("in")
        return self.log

    def __exit__(self, kind, error, trace):
        self.log.append(kind and kind.__name__)
        return self.swallow


class Point:
    __match_args__ = ("x", "y")

    def __init__(self, x, y):
        self.x, self.y = x, y


@case((7, 2), (1.5, 3))
def arithmetic(a, b):
    return a + b, a - b, a * b, a / b, a // b, a % b, a**b, -a, +b, a < b <= 7, a == b, a != b, a >= b, not a


@case((6, 3))
def bits(a, b):
    return a << b, a >> 1, a & b, a | b, a ^ b, ~a


@case((5,), (0,))
def augmented(n):
    a = [n, n]
    b = a
    a += [n]
    a[1] += 3
    a[0] -= 2
    a[-1] *= 2
    n **= 2
    n //= 3
    n |= 8
    return a, b, n


@case((0,), (3,), (10,))
def while_else(n):
    out = []
    while n < 8 and n != 5:
        n += 1
        if n == 4:
            continue
        if n == 7:
            break
        out.append(n)
    else:
        out.append("else")
    return out


@case(([],), ([1, 2, 3],), ([1, -1, 5],), ([0, 9, 2],))
def for_else(xs):
    out = []
    for i, x in enumerate(xs):
        if x < 0:
            return "negative", i
        if not x:
            continue
        for y in range(x):
            if y == 3:
                break
            out.append((x, y))
        else:
            out.append("whole")
        if x == 9:
            break
    else:
        return "ran out", out
    return out


@case((True, 0, 1), (False, 2, 0), (0, None, ""))
def booleans(a, b, c):
    return a and b, a or b, (a and b) or c, a if b else c, not a and not c, a is None, b is not None, None if a else b


@case((None,), (0,), (3,))
def nothing(x):
    if x is None:
        return "none"
    y = x if x is not None else 1
    while x is not None:
        x = x - 1 if x else None
    return y, x


@case((3,), (0,), ("a",))
def handlers(x):
    log = []
    try:
        try:
            log.append(10 / x)
        except ZeroDivisionError as error:
            log.append(str(error))
        else:
            log.append("else")
        finally:
            log.append("finally")
        log.append([1, 2][x])
    except (IndexError, KeyError) as error:
        log.append(type(error).__name__)
        try:
            raise ValueError(x) from error
        except ValueError as other:
            log.append(repr(other.__cause__))
    return log


@case((1,), (2,), (3,), (4,), (5,))
def finally_paths(n):
    log = []
    for i in range(4):
        try:
            if i == n == 1:
                continue
            if i == n == 2:
                break
            if i == n == 3:
                return log, "returned"
            if n == 4:
                raise KeyError(i)
        except KeyError:
            log.append("caught")
            if i == 2:
                raise
        finally:
            log.append(i)
    return log


@case((0,), (1,), (2,))
def unbound(n):
    if n == 1:
        x = 1
    if n == 2:
        x = 2
        del x
    return x


@case((0,), (1,), (2,), (3,))
def managers(n):
    log = []
    with Manager(log, swallow=n == 1) as a, Manager(log, fail=n == 3):
        a.append("body")
        if n:
            raise ValueError(n)
    with contextlib.suppress(KeyError):
        for i in range(3):
            with Manager(log):
                if i == 1:
                    continue
                if n == 0:
                    return log, i
    return log


@case(((1, 2, 3),), ((1,),), ((1, 2),))
def unpacking(t):
    a, *b, c = t
    (d, e), f = t[:2], t[-1]
    return a, b, c, d, e, f, [*t, *b], (*t, 0), {*t}, {**{"k": t}, "l": 1}


@case(([1, 2, 3, 4],))
def comprehensions(xs):
    k = 2
    i = "kept"
    squares = [i * i + k for i in xs if i % 2 == 0]
    pairs = {i: [j for j in range(i)] for i in xs}
    return squares, pairs, {x % k for x in xs}, list(x + k for x in xs), i, [(a, b) for a in xs for b in xs if a < b]


@case(([1, 0],), ([2],))
def raising_comprehension(xs):
    i = 5
    try:
        return [1 / i for i in xs], i
    except ZeroDivisionError:
        return i


@case((3,))
def closures(n):
    total = 0

    def add(x, *, twice: bool = False, by=n) -> int:
        nonlocal total
        total += x * (2 if twice else 1) * by
        return total

    f = lambda *a, **k: (a, k, total)  # noqa: E731
    n += 1
    return add(1), add(2, twice=True), f(1, *[2], k=3, **{"m": n}), total


@case(("a",))
def duplicate_keyword(k):
    return dict(a=1, **{k: 2})


@case((3.14159, 8))
def strings(x, w):
    return f"{x:.2f} {x!r:>{w}} {w} {w!s}" + "%s" % w


@case(([0, 1, 2, 3, 4],))
def slices(x):
    y = x[:]
    y[1:3] = [9, 9, 9]
    del y[0]
    y[::2] = y[::2]
    return x[1:], x[:-1], x[::2], x[1:4:2], y, x[-1], 3 in x, 3 not in x


@case((1,), ([1, 2],), ([1, 2, 3],), ({"k": 5, "l": 1},), (Point(0, 4),), (Point(1, 1),), ("s",), (None,), (-3,))
def matching(x):
    match x:
        case None:
            return "none"
        case [a, b]:
            return a + b
        case [first, *rest]:
            return first, rest
        case {"k": v, **others}:
            return v, others
        case Point(0, y):
            return y
        case Point(x=a, y=b) if a == b:
            return "diagonal"
        case str() | bytes():
            return "text"
        case int(n) if n < 0:
            return "negative"
    return "other"


@case((4,))
def generator(n):
    for i in range(n):
        if i == 2:
            yield from (x * 10 for x in range(i))
            continue
        got = yield i
        assert got is None
    yield "end"


@case((3,), (0,))
def assertions(n):
    assert n, f"no {n}"
    return n


class Base:
    def value(self):
        return 1


class Derived(Base):
    def value(self):
        return super().value() + 1


CASES.append((Derived.value, (Derived(),)))


@case((Derived(),))
def attributes(d):
    d.x = 5
    d.x += 1
    before = d.x
    del d.x
    return before, hasattr(d, "x"), d.value()


MODULE = """
import math, os.path as p
from operator import add as plus
x: int = 3
class A:
    y = x + 1
    def f(self, z=y): return self.y + z
    class B: w = [x for _ in range(2)]
def deco(f): return lambda *a: f(*a) * 2
@deco
def g(a, b=2): return a + b
out = [A().f(), g(1), A.B.w, plus(1, 2), math.floor(2.5), p.basename('a/b')]
del x
try: x
except NameError as e: out.append(str(e))
"""
