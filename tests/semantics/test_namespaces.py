"""`obj.__dict__` and `vars(obj)`: what they show, in which order, and that a change of one is a change of the other;
`types.SimpleNamespace`; keyword arguments with any name."""

import copy
from collections import Counter, OrderedDict, defaultdict, namedtuple
from dataclasses import dataclass, replace
from functools import partial
from types import SimpleNamespace

import numpy as np

import xlapy

from .runner import Programs, do

program = Programs()

X = np.array([1.0, -2.0, 3.0, 4.0])


class Bunch:
    def __init__(self, **attributes):
        self.__dict__.update(attributes)


class Pair:
    def __init__(self, x):
        self.b = x
        self.a = x + 1

    def __eq__(self, other):
        return self.__dict__ == other.__dict__

    def clone(self):
        made = Pair.__new__(Pair)
        made.__dict__.update(self.__dict__)
        return made

    def __repr__(self):
        return f"Pair({', '.join(self.__dict__)})"


# -- a view of the attributes -----------------------------------------------------------------------------------------


@program(2.0, 3.0)
def attributes_given_by_keyword(x):
    bunch = Bunch(u=x, v=2 * x)
    bunch.u += 1
    vars(bunch)["w"] = x
    bunch.z = 1
    return bunch.u * bunch.v + bunch.w, len(vars(bunch)), list(vars(bunch)), bunch


@program(2.0, 3.0)
def changed_after_it_was_read(x):
    bunch, total = Bunch(u=x, v=2 * x), 0
    for name, value in vars(bunch).items():
        total += value * len(name)
    bunch.u = 5
    return total + bunch.u


@program(2.0, 3.0)
def one_dict(x):
    pair = Pair(x)
    own = pair.__dict__
    pair.a = 10
    own["b"] = 7
    return own["a"], pair.b, own is pair.__dict__


@program(2.0, 3.0)
def clones_and_equality(x):
    pair = Pair(x)
    other = pair.clone()
    other.a += 1
    same = pair.clone()
    return pair == other, pair == same, other, repr(other)


@program(2.0, 3.0)
def a_copy_is_apart(x):
    pair = Pair(x)
    held = dict(pair.__dict__)
    pair.a = 7
    held["a"] += 1
    kept = {k: v for k, v in vars(pair).items() if k != "a"}
    pair.b = 0
    return held, kept, pair.a, {**vars(pair), "a": 3}, sorted(vars(pair).items())


@program(2.0, 3.0)
def every_attribute(x):
    pair = Pair(x)
    for name in ("a", "b"):
        pair.__dict__[name] *= 2
    for name in list(vars(pair)):
        setattr(pair, name, getattr(pair, name) + 1)
    return pair.a, pair.b


@program(2.0, 3.0)
def methods_of_dicts(x):
    pair = Pair(x)
    found = pair.__dict__.get("none", x), "a" in pair.__dict__, pair.__dict__.pop("a"), hasattr(pair, "a")
    pair.__dict__.setdefault("c", x)
    pair.__dict__ |= {"d": 4.0}
    return found, pair.c, pair.d


@program(X, -X)
def in_a_loop(xs):
    bunch = Bunch(total=0.0, count=0)
    for x in xs:
        if x > 0:
            bunch.__dict__["total"] += x
            bunch.count += 1
    return vars(bunch)["total"], vars(bunch)["count"]


class Doubling:
    def __init__(self, x):
        self.__dict__["first"] = x

    def __setattr__(self, name, value):
        self.__dict__[name] = value * 2


@program(2.0, 3.0)
def behind_setattr(x):
    made = Doubling(x)
    made.second = x
    return made.first, made.second, made


@program(2.0)
def of_an_exception(x):
    try:
        raise ValueError(x, 2)
    except ValueError as error:
        error.extra = 3
        return dict(vars(error)), error.args


@program(2.0, 3.0, raises=TypeError)
def of_what_has_none(x):
    return vars(x)


# -- its order --------------------------------------------------------------------------------------------------------


@program(2.0, 3.0)
def order_after_a_branch(x):
    pair = Pair(x) if x > 2.5 else Pair(x + 1)
    return list(vars(pair))


@program(5, 0)
def order_after_a_loop(n):
    pair = Pair(0.0)
    for _ in range(n):
        pair = Pair(pair.a)
    return list(vars(pair)), pair.a


@program(X)
def order_of_items(xs):
    made = [Pair(x) for x in xs]
    return (
        list(vars(made[-1])),
        list(made[0].__dict__),
        list(vars(copy.copy(made[1]))),
        list(vars(copy.deepcopy(made[1]))),
    )


@program(2.0, refuse="maybe")
def order_after_deletion(x):
    pair = Pair(x)
    del pair.b
    pair.b = 3
    return list(vars(pair))


@program(2.0, 3.0, refuse="maybe")
def order_on_two_paths(x):
    pair = Pair(x)
    if x > 2.5:
        pair.q = 1
        pair.r = 2
    else:
        pair.r = 2
        pair.q = 1
    return list(vars(pair))


@program(2.0, 3.0, refuse="maybe")
def on_some_paths_only(x):
    pair = Pair(x)
    if x > 2.5:
        pair.new = 1
    return "new" in pair.__dict__


@program(2.0, 3.0, refuse="maybe")
def late_on_one_path(x):
    pair = Pair(x)
    if x > 2.5:
        pair.q = 1
    pair.r = 2
    pair.q = 3
    return list(vars(pair))


@program(2.0, refuse="maybe")
def assigned(x):
    pair = Pair(x)
    pair.__dict__ = {"a": x, "n": 3}
    return pair.n, pair.a, hasattr(pair, "b")


class Attributes(dict):
    def __init__(self, **items):
        super().__init__(**items)
        self.__dict__ = self


@program(2.0, refuse="maybe")
def its_own_attributes(x):
    made = Attributes(p=x)
    made.q = 3
    made["r"] = 4
    return made.p + made.q + made.r, len(made)


# -- objects of the caller's ------------------------------------------------------------------------------------------


def deleted_and_made_again():
    pair = Pair(1.0)
    del pair.b
    pair.b = 1.0
    return pair


def with_one_more():
    pair = Pair(1.0)
    pair.c = 4.0
    return pair


def with_one_less():
    pair = Pair(1.0)
    del pair.a
    return pair


STEPS = (Pair(1.0), deleted_and_made_again(), with_one_more(), with_one_less())

program.each(
    *STEPS,
    names=lambda pair: list(vars(pair)),
    length=lambda pair: len(vars(pair)),
    total=lambda pair: sum(vars(pair).values()),
    written=lambda pair: pair.__dict__.update(b=2.0, z=3.0),
    shallow=lambda pair: sum(vars(copy.copy(pair)).values()),
    deep=lambda pair: copy.deepcopy(pair),
    two=lambda pair: vars(pair) == vars(Pair(1.0)),
)

GLOBAL = Pair(3.0)


def add(name):
    return do(lambda: setattr(GLOBAL, name, 5.0))


@program((), add("late"), (), do(lambda: delattr(GLOBAL, "late")), ())
def of_a_global():
    return sum(vars(GLOBAL).values())


# -- attributes that an object has on some paths only -----------------------------------------------------------------


class Slotted:
    __slots__ = ("a", "b")

    def __init__(self):
        self.a = 1.0

    def __eq__(self, other):
        return [getattr(self, n, None) for n in "ab"] == [getattr(other, n, None) for n in "ab"]


@program((Pair(1.0), 2.0), (Pair(1.0), 0.5), (with_one_more(), 0.5), compiles=2)
def given_on_one_path(pair, x):
    if x > 1:
        pair.new = x


@program((Pair(1.0), 2.0), (Pair(1.0), 0.5), compiles=1)
def taken_on_one_path(pair, x):
    if x > 1:
        del pair.a


@program((Pair(1.0), 2.0), (Pair(1.0), 0.5), (Pair(1.0), 3.0), compiles=1)
def given_and_taken(pair, x):
    if x > 1:
        pair.new = [x]
        if x > 2:
            del pair.new


@program((Slotted(), 2.0), (Slotted(), 0.5), (Slotted(), -1.0), compiles=1)
def slots_given_and_taken(slotted, x):
    if x > 1:
        slotted.b = x
    elif x < 0:
        del slotted.a


@program((Pair(1.0), [1.0, 5.0]), (Pair(1.0), [1.0, 2.0]), compiles=1)
def given_in_a_loop(pair, xs):
    for x in xs:
        if x > 2:
            pair.found = x
            break
    return hasattr(pair, "found")


@program(2.0, 0.5, compiles=1)
def made_and_returned(x):
    pair = Pair(x)
    if x > 1:
        pair.new = [x, 2.0]
    return pair


# -- types.SimpleNamespace --------------------------------------------------------------------------------------------


@program(SimpleNamespace(x=1.0), SimpleNamespace(x=2.0))
def namespace_as_argument(space):
    space.x += 1
    space.y = space.x * 2
    return space.y


@program(2.0, 3.0)
def made_here(x):
    space = SimpleNamespace(kind=x, cls=[1, 2], machine=3, location=4)
    space.kind += 1
    space.cls.append(x)
    return space, space == SimpleNamespace(kind=x + 1, cls=[1, 2, x], machine=3, location=4), space != 3, space.machine


@program(X, -X)
def in_loops(xs):
    space = SimpleNamespace(total=0.0, n=0)
    out = []
    for x in xs:
        if x > 0:
            space.total += x
            space.n += 1
        out.append(SimpleNamespace(v=x, w=x * 2))
    return space.total / max(space.n, 1), sum(o.v * o.w for o in out)


# -- names ------------------------------------------------------------------------------------------------------------

Row = namedtuple("Row", "machine kind")


@dataclass
class Part:
    machine: float
    kind: int
    cls: float = 0.0
    location: float = 1.0
    number: int = 3
    value: int = 6


def scaled(machine, function=2, *args, **others):
    return machine * function + sum(others.values())


@program(2.0, 3.0)
def dicts_by_keyword(x):
    plain = dict(machine=x, self=x + 1)
    plain.update(machine=x, source=3)
    made = defaultdict(int, machine=x, self=1, default_factory=x)
    return plain, dict(made), Counter(machine=3, self=2, iterable=1), OrderedDict(machine=x, self=x)


@program(2.0, 3.0)
def fields_of_any_name(x):
    row = Row(machine=x, kind=2.0)._replace(machine=x + 1, kind=x)
    part = Part(machine=x, kind=3, cls=x)
    return row, part, replace(part, machine=x + 2, kind=9, location=3.0, value=1)


@program(X, -X)
def fields_of_items(xs):
    parts = []
    for x in xs:
        parts.append(Part(x, 3, x + 1))
    return sum(p.machine * p.kind + p.cls + p.location for p in parts), parts[-1]


@program(2.0, 3.0)
def functions_called_by_name(x):
    half = partial(scaled, machine=x, function=3, self=2, cls=3)
    return half(value=x), (lambda **given: sum(given.values()))(machine=x, self=x, function=x, args=x)


@program(2.0)
def templates(x):
    return "{machine} {self}".format(machine=1, self=2), x


class Plain:
    pass


@program(np.array([1.0, 2.0]), refuse=True)
def an_attribute_that_is_lost_and_got_again(x):
    made = Plain()
    made.b = 1
    made.a = x.sum()
    del made.b
    made.b = 3
    return made


@program(np.array([1.0, 2.0]))
def the_last_attribute_is_lost_and_got_again(x):
    made = Plain()
    for k in range(3):
        made.a = x.sum()
        made.b = k
        del made.b
    made.b = 3
    return made


def plain():
    made = Plain()
    made.b = 1
    made.a = 2
    return made


@program((plain(), np.array([1.0, 2.0])), refuse=True)
def an_attribute_of_the_callers_is_lost_and_got_again(made, x):
    del made.b
    made.b = x.sum()
    return x


test_programs = program.test()


class Model:
    def __init__(self):
        self.w = np.array([1.0, 2.0])


def test_a_gradient_sees_attributes_that_come_later():
    """The derivative of an object's attributes, outside and by value, after one more has been given to it."""
    model = Model()

    def loss(model, x):
        total = (model.w * x).sum()
        return total + (model.v * x).sum() if hasattr(model, "v") else total

    @xlapy.jit(returns="numpy")
    def gradient(model, x):
        return vars(xlapy.grad(loss)(model, x))["w"], len(vars(xlapy.grad(loss)(model, x)))

    x = np.array([3.0, 4.0])
    first = gradient(model, x)
    model.v = np.array([1.0, 1.0])
    second = gradient(model, x)
    assert [n for _, n in (first, second)] == [1, 2]
    np.testing.assert_array_equal(first[0], x)
    np.testing.assert_array_equal(second[0], x)
