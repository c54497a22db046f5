"""Whatever changes a class, or an object's own attributes, between two calls is seen by the second call."""

import enum
import types

import numpy as np
import pytest

import xlapy

X = np.array([1.0, -2.0, 3.0])


def world():
    """Fresh classes and an object of them, and a function that uses them in many ways."""

    class Base:
        scale = 2.0

        def term(self, x):
            return x + 1

        def apply(self, x):
            return self.term(x) * self.scale

        @property
        def offset(self):
            return 1.0

    class Middle(Base):
        def apply(self, x):
            return super().apply(x) + self.offset

    class Leaf(Middle):
        pass

    class Kind(enum.Enum):
        ONE = 1

        def plus(self, x):
            return x + self.value

    def use(model, x):
        y = model.apply(x)
        if model:
            y = y + 100
        if hasattr(model, "extra"):
            y = y * model.extra
        return Kind.ONE.plus(y)

    return types.SimpleNamespace(Base=Base, Middle=Middle, Leaf=Leaf, Kind=Kind, use=use, model=Leaf())


def other_base(w):
    class Other(w.Base):
        def apply(self, x):
            return x * 0.5

    w.Leaf.__bases__ = (Other,)


CHANGES = {
    "method_in_subclass": lambda w: setattr(w.Leaf, "apply", lambda self, x: x * 5),
    "method_between": lambda w: setattr(w.Middle, "term", lambda self, x: x * 5),
    "method_of_base": lambda w: setattr(w.Base, "term", lambda self, x: x * 5),
    "method_that_super_finds": lambda w: setattr(w.Base, "apply", lambda self, x: x * 7),
    "number_in_subclass": lambda w: setattr(w.Leaf, "scale", 9.0),
    "number_of_base": lambda w: setattr(w.Base, "scale", 9.0),
    "number_of_object": lambda w: setattr(w.model, "scale", 9.0),
    "method_of_object": lambda w: setattr(w.model, "term", lambda x: x - 1),
    "property_in_subclass": lambda w: setattr(w.Leaf, "scale", property(lambda self: 11.0)),
    "property_replaced": lambda w: setattr(w.Base, "offset", property(lambda self: 11.0)),
    "property_becomes_number": lambda w: setattr(w.Leaf, "offset", 4.0),
    "truth": lambda w: setattr(w.Leaf, "__bool__", lambda self: False),
    "length": lambda w: setattr(w.Base, "__len__", lambda self: 0),
    "attribute_that_was_missing": lambda w: setattr(w.Middle, "extra", 3.0),
    "attribute_of_object_that_was_missing": lambda w: setattr(w.model, "extra", 3.0),
    "every_attribute": lambda w: setattr(w.Leaf, "__getattr__", lambda self, name: 2.0),
    "every_access": lambda w: setattr(
        w.Leaf, "__getattribute__", lambda self, name: 3.0 if name == "scale" else object.__getattribute__(self, name)
    ),
    "other_bases": other_base,
    "class_of_object": lambda w: setattr(w.model, "__class__", w.Base),
    "method_of_enum": lambda w: setattr(w.Kind, "plus", lambda self, x: x * 9),
}


@pytest.mark.parametrize("name", CHANGES)
def test_change_is_seen(name):
    w = world()
    jitted = xlapy.jit(w.use)
    np.testing.assert_array_equal(jitted(w.model, X), w.use(w.model, X))
    before = w.use(w.model, X)
    CHANGES[name](w)
    assert not np.array_equal(w.use(w.model, X), before)
    np.testing.assert_array_equal(jitted(w.model, X), w.use(w.model, X))
    assert jitted.cache_info().misses == 2
    np.testing.assert_array_equal(jitted(w.model, X), w.use(w.model, X))
    assert jitted.cache_info().misses == 2


def test_method_deleted_again():
    w = world()
    jitted = xlapy.jit(w.use)
    first = w.use(w.model, X)
    jitted(w.model, X)
    w.Leaf.apply = lambda self, x: x
    jitted(w.model, X)
    del w.Leaf.apply
    np.testing.assert_array_equal(jitted(w.model, X), first)
    assert jitted.cache_info().misses == 2


@pytest.mark.parametrize("owner", ["Base", "Middle", "Leaf", "Kind"])
def test_unrelated_attributes_cost_nothing(owner):
    w = world()
    jitted = xlapy.jit(w.use)
    jitted(w.model, X)
    setattr(getattr(w, owner), "unrelated", lambda self: 1)
    jitted(w.model, X)
    assert jitted.cache_info().misses == 1


def test_metaclass_call_defined_later():
    class Meta(type):
        pass

    class Point(metaclass=Meta):
        def __init__(self, x):
            self.x = x

    def use(x):
        return Point(x).x * 2

    jitted = xlapy.jit(use)
    np.testing.assert_array_equal(jitted(X), use(X))
    Meta.__call__ = lambda cls, x: type.__call__(cls, x + 1)
    np.testing.assert_array_equal(jitted(X), use(X))
    del Meta.__call__
    Point.__new__ = lambda cls, x: object.__new__(cls)
    np.testing.assert_array_equal(jitted(X), use(X))
    Point.__init__ = lambda self, x: setattr(self, "x", x * 3)
    np.testing.assert_array_equal(jitted(X), use(X))


def test_operator_defined_later():
    class Number:
        def __init__(self, v):
            self.v = v

        def __add__(self, other):
            return Number(self.v + other.v)

    class Wide(Number):
        pass

    def use(x):
        return (Number(x) + Wide(x)).v

    jitted = xlapy.jit(use)
    np.testing.assert_array_equal(jitted(X), use(X))
    Wide.__radd__ = lambda self, other: Number(self.v * 100)
    np.testing.assert_array_equal(jitted(X), use(X))
    Number.__iadd__ = None
    Wide.__add__ = lambda self, other: Number(self.v * 5)
    np.testing.assert_array_equal(jitted(X), use(X))


def test_default_and_code_of_method():
    class Model:
        def apply(self, x, k=2.0):
            return x * k

    def use(x):
        return Model().apply(x)

    jitted = xlapy.jit(use)
    np.testing.assert_array_equal(jitted(X), use(X))
    Model.apply.__defaults__ = (5.0,)
    np.testing.assert_array_equal(jitted(X), use(X))
    Model.apply.__code__ = (lambda self, x, k: x + k).__code__
    np.testing.assert_array_equal(jitted(X), use(X))


class Sequence:
    """The methods that Python falls back on where a protocol's own method is missing."""

    def __init__(self):
        self.items = [1.0, 2.0, 3.0]

    def __getitem__(self, i):
        return self.items[i]

    def __len__(self):
        return 3

    def __index__(self):
        return 1

    def __lt__(self, other):
        return True

    def __add__(self, other):
        return 5.0

    def __setattr__(self, name, value):
        object.__setattr__(self, name, value)


FALLBACKS = {
    "__contains__": (lambda o, x: 2.0 in o, lambda self, item: False),
    "__iter__": (lambda o, x: sum(o), lambda self: iter([5.0, 6.0])),
    "__reversed__": (lambda o, x: list(reversed(o)), lambda self: iter([7.0])),
    "__eq__": (lambda o, x: o == 3, lambda self, other: True),
    "__ne__": (lambda o, x: o != o, lambda self, other: True),
    "__bool__": (lambda o, x: 1 if o else 2, lambda self: False),
    "__float__": (lambda o, x: float(o), lambda self: 8.5),
    "__int__": (lambda o, x: int(o), lambda self: 8),
    "__gt__": (lambda o, x: 1 < o, lambda self, other: False),
    "__iadd__": (lambda o, x: _added(o), lambda self, other: 6.0),
    "__setattr__": (lambda o, x: _assigned(o), lambda self, name, value: None),
    "__match_args__": (lambda o, x: _matched(o), ("items",)),
    "__call__": (lambda o, x: o(x) if callable(o) else x, lambda self, x: x * 2),
    "__hash__": (lambda o, x: {o: 1.0}.get(o), lambda self: 4),
}


def _added(o):
    o += 1.0
    return o


def _assigned(o):
    o.level = 4.0
    return getattr(o, "level", 1.0)


def _matched(o):
    match o:
        case Sequence([a, *_]):
            return a
    return None


@pytest.mark.parametrize("name", FALLBACKS)
def test_protocol_method_defined_later(name, monkeypatch):
    class Mine(Sequence):
        pass

    use, method = FALLBACKS[name]

    def outcome(f):
        try:
            return f(Mine(), X)
        except (TypeError, xlapy.NotOffloadableError) as error:
            return type(error)

    def program(o, x):
        return use(o, x)

    jitted = xlapy.jit(program)
    for _ in range(2):
        expected, got = outcome(program), outcome(jitted)
        if got is not xlapy.NotOffloadableError:
            np.testing.assert_equal(np.asarray(got), np.asarray(expected))
        setattr(Mine, name, method)
