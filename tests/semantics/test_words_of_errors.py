"""What exceptions of built-in types say. Each CPython has words of its own: the one that runs the tests is asked."""

import collections
import dataclasses
import enum
import functools
import heapq
import itertools
import math
import operator
import statistics
from collections import deque
from fractions import Fraction

import numpy as np
import pytest

from .runner import check

OF_PYTHON = (collections, dataclasses, functools, heapq, itertools, math, operator, statistics)
MODULES = {module.__name__: module for module in OF_PYTHON}
WORLD = MODULES | {"deque": deque, "Fraction": Fraction, "np": np}
X = np.array([1.0, 2.0, 3.0, 4.0])
K = np.array([1, 2, 3, 4])


class Neither:
    pass


class Enters:
    def __enter__(self):
        return self


class Exits:
    def __exit__(self, *args):
        pass


class EntersLater:
    async def __aenter__(self):
        return self

    async def __aexit__(self, *args):
        pass


class Wrong:
    """Returns what it is made of from each special method."""

    def __init__(self, value):
        self.value = value

    def returned(self):
        return self.value

    __len__ = __str__ = __repr__ = __float__ = __int__ = __complex__ = __hash__ = returned


class Begins:
    def __init__(self, value):
        return value


class Colour(enum.Enum):
    RED = 1


@dataclasses.dataclass
class Point:
    x: float


class Stores:
    def __setitem__(self, *args):
        pass


class Deletes:
    def __delitem__(self, *args):
        pass


class Items(list):
    pass


class Queue(deque):
    pass


#: what is said of data, or of known things in a program where data is around
STATEMENTS = """
[x[0]].index(x[1])
[x[0], x[1]].index(x[0], 1)
[x[0]].index("a")
[x[0]].index(int(k[1]))
[x[0]].remove(x[1])
(x[0],).index(x[1])
deque([x[0]]).index(x[1])
deque([x[0]]).remove(x[1])
deque([x[0]]).remove("b")
[v for v in x if v > 1].index(x[0])
[v for v in x if v > 1].index(x[1], 1)
[v for v in x if v > 1].remove(x[0])
deque([v for v in x if v > 1]).index(x[0])
deque([v for v in x if v > 1]).remove(x[0])
Items([v for v in x if v > 1]).index(x[0])
Items([x[0]]).index(x[1])
Items([x[0]]).remove(x[1])
Queue([x[0]]).index(x[1])
Queue([x[0]]).remove(x[1])
range(3).index(k[3] + 9)
range(3).index(int(k[3]) + 9)
range(int(k[0])).index(7)
range(3).index("a")
range(3).index(x[0] + 0.5)
complex(x[0], None)
complex(None, x[0])
complex("1", x[0])
complex(x[0], "1")
complex([x[0]], x[1])
complex([x[0]], "1")
complex(x[0], [x[1]])
complex([x[0]])
complex(Neither(), x[0])
complex(imag=Neither())
complex(Neither())
complex(real=Neither())
complex(real=[x[0]], imag=1)
complex(x[0], 1, 2)
complex(x[0], real=1)
complex(x[0], other=1)
float([x[0]])
float(Neither())
int([x[0]])
round(Neither())
round([x[0]])
abs([x[0]])
divmod([x[0]], 1)
dict([(1, x[0]), 3])
dict([(1, x[0]), x[1]])
dict([(1, x[0]), None])
dict([Neither()])
dict([(1, x[0]), (1, 2, 3)])
dict(iter([(1, x[0]), 3]))
dict(p for p in [(1, x[0]), x[1]])
dict(p for p in [(1, x[0]), (1, 2, 3)])
{1: x[0]}.update([3])
{1: x[0]}.update([(1, x[0]), [3]])
{1: x[0]}.update(iter([(1, x[0]), 3]))
{1: x[0]}.update(3)
collections.OrderedDict([(1, x[0]), 3])
collections.OrderedDict([(1, x[0]), (1,)])
collections.OrderedDict([(1, x[0]), ()])
collections.OrderedDict([(1, x[0]), (1, 2, 3)])
collections.OrderedDict().update([(1, x[0]), (1, 2, 3)])
collections.OrderedDict().update([(int(k[1]), x[0]), 3])
collections.OrderedDict().update([(int(k[1]), x[0]), (2,)])
{int(k[0]): x[0]}.update([(int(k[1]), x[0]), (2,)])
{int(k[0]): x[0]}.update([(int(k[1]), x[0]), 2])
dict([(int(k[1]), x[0]), 2])
dict([(int(k[1]), x[0]), (2,)])
collections.defaultdict(int, [(1, x[0]), 3])
collections.defaultdict(int).update([(1, x[0]), (1, 2, 3)])
collections.Counter().update([[]])
collections.Counter([[]])
collections.Counter(3)
with Neither(): x[0]
with Enters(): x[0]
with Exits(): x[0]
with EntersLater(): x[0]
with x: x[0]
with x[0]: x[0]
x[0].item() / (k[0].item() - 1)
x[0].item() // 0.0
int(k[0]) // (int(k[0]) - 1)
int(k[0]) % (int(k[0]) - 1)
float(x[0]) % (int(k[0]) - 1)
divmod(int(k[0]), int(k[0]) - 1)
divmod(float(x[0]), int(k[0]) - 1)
(int(k[0]) - 1) ** -1
(float(x[0]) - 1) ** -1
complex(x[0]) / (int(k[0]) - 1)
(complex(x[0]) - 1) ** -1
int(k[0]) << -int(k[0])
math.sqrt(-x[0])
math.log(x[0] - 1)
math.log(int(k[0]) - 1)
math.log2(-x[0])
math.log10(int(k[0]) - 2)
math.log1p(-x[0])
math.acos(x[1])
math.asin(x[1])
math.acosh(x[0] - 1)
math.atanh(x[0])
math.gamma(x[0] - 1)
math.lgamma(int(k[0]) - 1)
math.factorial(-int(k[0]))
math.exp(x[0] * 1000)
math.cosh(x[0] * 1000)
math.pow(x[0] - 1, -1)
math.pow(-x[0], 0.5)
math.fmod(x[0], x[0] - 1)
math.remainder(x[0], x[0] - 1)
math.tan(x[0] * math.inf)
math.sin(x[0] * math.inf)
math.floor(x[0] * math.nan)
math.ceil(x[0] * math.inf)
int(x[0] * math.nan)
math.comb(-int(k[0]), 2)
math.perm(2, -int(k[0]))
math.isqrt(-int(k[0]))
math.dist([x[0]], [x[1], x[2]])
math.ldexp(x[0].item(), 5000)
math.hypot(x[0], None)
math.sumprod([x[0]], [x[1], x[2]])
math.fma(x[0], math.inf, -math.inf)
math.nextafter(x[0], 2.0, steps=-1)
max([v for v in x if v > 9])
max([])
min(())
max(v for v in x if v > 9)
statistics.mean([])
statistics.median([v for v in x if v > 9])
statistics.variance([x[0]])
statistics.geometric_mean([])
statistics.quantiles([])
{[]: x[0]}
{x[0]: 1}[[]]
{1: x[0]}[[1]] = 2
{1: x[0]}.get([])
{1: x[0]}.pop([])
[] in {1: x[0]}
[] in {1, int(k[0])}
{1, int(k[0])}.add([])
{1, int(k[0])}.discard([])
{1, int(k[0])}.remove({})
set([[], x[0]])
{(1, [x[0]]): 1}
{x: 1}
set([x])
hash([x[0]])
hash((1, [x[0]]))
{1: x[0]}.setdefault([], 1)
dict([([], x[0])])
dict.fromkeys([[], x[0]])
frozenset([[]])
{1: x[0]}.pop(int(k[0]) + 4)
{1: x[0]}[int(k[0]) + 4]
{1}.remove(int(k[0]) + 4)
a, b = x
a, b = [x[0], x[1], x[2]]
a, b = (x[0], x[1], x[2])
a, b = x[0], x[1], x[2]
a, b = {1: x[0], 2: 1, 3: 1}
a, b = iter([x[0], x[1], x[2]])
a, b = [v for v in x if v > 1]
a, b = (v for v in x)
a, b = {1, 2, 3, int(k[0])}
a, b = x[0]
a, b = None
a, b, c = x[:2]
a, *b, c = [x[0]]
(a, b), c = (x[0], x[1], x[2]), 1
a, b = range(3)
a, b = "abc"
a, b = deque([x[0], x[1], x[2]])
x[0] in 1
1 in x[0]
1 in Neither()
1 in int(k[0])
for v in int(k[0]): pass
for v in Neither(): pass
iter(Neither())
len(Neither())
len(int(k[0]))
next(Neither())
[*int(k[0])]
{**int(k[0])}
{**x}
max(*int(k[0]))
dict(**int(k[0]))
Neither()[int(k[0])]
Neither()[0] = x[0]
del Neither()[0]
del Stores()[0]
Deletes()[0] = x[0]
del {1, int(k[0])}[0]
del (x[0],)[0]
del iter([x[0]])[0]
del int(k[0])[0]
del x[0].item()[0]
del x[0][0]
del range(int(k[0]))[0]
del {1: x[0]}.keys()[0]
del (v for v in x)[0]
{1, int(k[0])}[0] = 1
iter([x[0]])[0] = 1
int(k[0])[0] = 1
(v for v in x)[0] = 1
Neither() + x[0].item()
Neither() < x[0].item()
-Neither()
~x[0].item()
[x[0]] + (1,)
(1,) + [x[0]]
[x[0]] * "a"
[x[0]] * 1.5
[x[0]]["a"]
(x[0],)["a"]
[x[0]][1.5]
[x[0]][int(k[3])]
(x[0],)[int(k[3])]
[x[0]][int(k[3])] = 1
del [x[0]][int(k[3])]
(x[0],)[0] = 1
[x[0], 1][::2] = [1, 2]
[x[0]].pop(int(k[3]))
[].pop()
deque().popleft()
deque([x[0]])[int(k[3])]
deque([x[0]]).rotate("a")
deque([x[0]], -1)
range(1, int(k[3]), 0)
range(x[0].item())
slice(1, 2).indices("a")
"abc".index(str(int(k[0])))
"".join([int(k[0])])
int(k[0])(2)
None(x[0])
x.nothing
int(k[0]).nothing
[x[0]].nothing
Neither().nothing
Neither().nothing()
Neither(x[0])
int(k[0]).nothing = 1
[x[0]].nothing = 1
del Neither().nothing
del int(k[0]).nothing
list(zip([x[0]], [1, 2], strict=True))
list(zip([x[0], 1], [2], strict=True))
list(zip(x, [v for v in x if v > 1], strict=True))
list(map(lambda a, b: a, [x[0]], [1, 2], strict=True))
list(itertools.islice(x, -1))
list(itertools.batched(x, 0))
list(itertools.batched([1, x[0], 3], 2, strict=True))
list(itertools.combinations(x, -1))
list(itertools.product(x, repeat=-1))
isinstance(x[0], 1)
sum(["a", x[0]])
sum("a", x[0])
sum([x[0].item()], "a")
sorted([x[0].item(), "a"])
sorted(int(k[0]))
[x[0], 1].sort(key=1)
reversed(int(k[0]))
reversed({1, int(k[0])})
enumerate(int(k[0]))
tuple(int(k[0]))
all(int(k[0]))
any(int(k[0]))
list(map(None, [x[0]]))
Fraction(int(k[0]), int(k[0]) - 1)
pow(int(k[0]), -1, 0)
pow(2, -int(k[0]), 4)
getattr(Neither(), "nothing")
setattr(Neither(), 1, x[0])
Colour["none"]
Colour(int(k[3]))
sorted(x, nothing=1)
itertools.islice(x)
itertools.islice(x, 1, 2, 3, 4)
dataclasses.astuple(x[0])
dataclasses.asdict([Point(1)])
deque([x[0]]) + [1]
deque([x[0]]) + 1
[1] + deque([x[0]])
deque([x[0]]) < [1]
[1] < deque([x[0]])
[1] >= deque([x[0]])
deque([v for v in x if v > 1]) + [1]
deque([v for v in x if v > 1]) < [x[0]]
[v for v in x if v > 1] + deque([v for v in x if v > 1])
[v for v in x if v > 1] < deque([x[0]])
np.partition(x, 9)
np.partition(x, -5)
np.partition(x, int(k[3]))
np.partition(x, -int(k[3]) - 1)
np.argpartition(x, 4)
x.partition(7)
np.partition(x, 1, kind="none")
np.sort(x, kind="none")
np.argsort(x, kind="none")
x.sort(kind="none")
x.argsort(kind="none")
x.astype("none")
len(Wrong(-int(k[0])))
len(Wrong(-2))
len(Wrong(x[0]))
bool(Wrong(-int(k[0])))
1 if Wrong(-2) else x[0]
Begins(x[0])
Begins(1)
str(Wrong(x[0]))
f"{Wrong(2)}"
repr(Wrong(int(k[0])))
float(Wrong(int(k[0])))
float(Wrong("a"))
int(Wrong(x[0].item()))
int(Wrong(2.0))
complex(Wrong(2.0))
hash(Wrong(x[0].item()))
iter(1, x[0])
next(iter([]), 1, 2)
next(iter(x), 1, 2)
itertools.count("a")
itertools.count(1, [])
itertools.tee(x, -1)
functools.partial(1)
operator.attrgetter(1)
operator.attrgetter("a", x[0])
raise int(k[0])
raise None
raise ValueError from 1
(lambda a: a)()
(lambda a: a)(x, 2)
(lambda a: a)(b=x)
(lambda a: a)(x, a=x)
(lambda a, *, b: a)(x)
(lambda a: a)(*int(k[0]))
(lambda a: a)(**{1: x})
(lambda a: a)(x, **{"a": 1})
(lambda a: a)(**{"a": x}, **{"a": 1})
max(**{"key": x}, **{"key": 1})
Neither(*int(k[0]))
Neither(**int(k[0]))
[].append(*int(k[0]))
Enters().__enter__(*int(k[0]))
(lambda a: a)(x, *int(k[0]))
(lambda a: a)(**x)
{1, *int(k[0])}
(1, *x[0])
heapq.heappush(int(k[0]), x[0])
heapq.heappush((1,), x[0])
heapq.heappush([x[0]])
heapq.heappush(Neither(), x[0])
heapq.heappop(x[0].item())
heapq.heappop([])
heapq.heapreplace([], x[0])
heapq.heapreplace(None, x[0])
heapq.heappushpop((), x[0])
heapq.heapify(x)
heapq.heapify((x[0], 2))
functools.reduce(max, int(k[0]))
functools.reduce(max, x[0], 1)
functools.reduce(max, None)
math.fsum([x[0].item() * 1e308, 1e308, -1e308])
math.fsum([math.inf, x[0].item(), 1e308, 1e308])
math.fsum([x[0].item() * math.inf, 1.0, -math.inf])
math.fsum(x * 1e308)
np.random.default_rng(-1)
np.random.default_rng(int(k[0]) - 2).random()
np.random.default_rng(1.5)
np.random.default_rng("a")
np.random.RandomState(-int(k[0])).rand()
np.random.RandomState(int(k[0]) << 40).rand()
np.random.seed(-1)
np.random.seed(-int(k[0]))
operator.length_hint(int(k[0]), "a")
operator.length_hint([x[0]], "a")
operator.length_hint(1, x[0].item())
operator.length_hint(1, None)
int(a=1)
int(base=10)
str(a=1)
str(object=1, errors=2)
[].pop("a")
[].pop(x[0].item())
[x[0]].pop("a")
{}.update(1, 2)
{}.update([int(k[0])])
dict([int(k[0])])
{x[0].item()}.symmetric_difference()
{x[0].item()}.symmetric_difference({1}, {2})
frozenset([int(k[0])]).symmetric_difference()
{int(k[0])}.symmetric_difference_update()
{int(k[0])}.symmetric_difference_update(1, 2)
sorted(x.tolist(), reverse="a")
[x[0], 1].sort(reverse=None)
[v for v in x if v > 1].sort(reverse=None)
map(len, x, end=1)
x[(None,) * 64]
x.reshape(2, 2)[(0, *[None] * 64)]
np.linalg.lstsq(x.reshape(2, 2).astype("f2"), x[:2])
np.linalg.eigvals(x.reshape(2, 2).astype("f2"))
np.array([[x, 1.0], [x[0], 3]])
np.array([x, x.reshape(2, 2)])
np.array([[x[:1]], [x[0]]])
np.array([[x, x], [x, x[:1]]])
np.array([[[x, x[0]]]])
np.array([x, [x, x]])
np.array([[x[0], [x[1]]], (x[0], x[1])])
""".strip().splitlines()


@pytest.mark.parametrize("statement", STATEMENTS)
def test_words(statement):
    lines = ["def program(x, k):", "    try:", f"        {statement}", "    except Exception as error:"]
    lines += ["        return type(error).__name__, str(error), x[0]", "    return None"]
    namespace = globals() | WORLD
    exec(compile("\n".join(lines), __file__, "exec"), namespace)
    check(namespace["program"], X, K, refuse="maybe")


def test_a_list_is_no_deque():
    def program(x):
        few, many = deque([x[0]]), deque([v for v in x if v > 1])
        return few == [x[0]], [x[0]] == few, few != [x[0]], many == [2.0, 3.0, 4.0], list(many) == [2.0, 3.0, 4.0]

    check(program, X)


def test_lists_and_deques_are_put_behind_each_other_in_place():
    def program(x):
        few, many = deque([x[0]]), [v for v in x if v > 1]
        few += many
        many += few
        many += deque([1])
        return few, many, np.partition(x[::-1], int(x[1]))[int(x[1])]

    check(program, X)


@pytest.mark.parametrize("methods", [
    "deque(x).pop(0)|deque(x).popleft(1)|deque(x).append(1, 2)|collections.OrderedDict(a=x).popitem(1, 2)",
    "collections.Counter('aab').most_common(1, 2)|collections.defaultdict(list).get()",
])  # fmt: skip
def test_methods_with_too_many_arguments(methods):
    lines = ["def program(x):", "    said = []"]
    for one in methods.split("|"):
        lines += ["    try:", f"        {one}", "    except TypeError as error:", "        said.append(str(error))"]
    exec("\n".join([*lines, "    return said"]), namespace := globals() | WORLD)
    check(namespace["program"], X)


#: draws with parameters that NumPy takes for wrong ones, and with right ones
DRAWS = (
    "binomial(-1, 0.1) binomial(-1, 2.0) binomial(3, [0.5, np.nan]) poisson(-1.0) geometric(0.0) zipf(1.0)"
    " beta(0.0, 1.0) beta(1.0, [1.0, -1.0]) chisquare(0.0) standard_t(-1.0) f(1.0, 0.0) pareto(0.0) power(-2.0)"
    " triangular(2.0,0.0,1.0) triangular(0.0,2.0,1.0) triangular(1.0,1.0,1.0) uniform(0.0,np.inf) normal(0.0,-1.0)"
    " randint(0) randint(3,2) poisson(np.nan) wald(0.0,1.0) logseries(1.0) negative_binomial(0,0.5) vonmises(0.0,-1.0)"
    " binomial(3,0.5) poisson(2.0) randint(5) geometric(0.5) randint(0,5,dtype=np.int64) randint(5,size=2)"
)


@pytest.mark.parametrize("part", [0, 1, 2])
def test_parameters_of_distributions(part):
    lines = ["def program(x):", "    said = []"]
    for draw in DRAWS.replace(", ", ",").split()[part::3]:
        lines += ["    try:", f"        drawn = np.random.{draw}", "        said.append(type(drawn).__name__)"]
        lines += ["    except (ValueError, OverflowError) as error:", "        said.append(str(error))"]
    exec("\n".join([*lines, "    return said"]), namespace := globals() | WORLD)
    check(namespace["program"], X)
