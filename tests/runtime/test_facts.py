"""What a program finds out about classes, functions and modules is asked again: each program here is called, something
is changed, and it is called again. CPython answers last, so that no cache of its own helps the compiler."""

import abc
import functools
import inspect
import numbers
import typing

import numpy as np
import pytest

import xlapy

X = np.array([1.0, 0.0, 2.0])

CASES = []


def case(make):
    """`make` returns a program and what is done between its two calls."""
    CASES.append(make)
    return make


def fresh(name="Fresh", *bases, **entries):
    return type(name, bases, entries)


@case
def attributes_of_a_class_listed():
    cls = fresh(k=1.0)
    return lambda x: ("new" in vars(cls), len(cls.__dict__)), lambda: setattr(cls, "new", 1)


@case
def values_in_the_namespace_of_a_class():
    cls = fresh(k=1.0)
    return lambda x: vars(cls)["k"] * x, lambda: setattr(cls, "k", 3.0)


@case
def name_of_a_class():
    cls = fresh()
    item = cls()
    return lambda x: (cls.__name__, type(item).__name__), lambda: setattr(cls, "__name__", "Other")


@case
def text_of_a_class():
    cls = fresh()
    return lambda x: cls.__doc__, lambda: setattr(cls, "__doc__", "now it has one")


@case
def bases_of_a_class():
    first, second = fresh("First", v=1.0), fresh("Second", v=2.0)
    cls = fresh("Derived", first)
    item = cls()

    def program(x):
        return item.v, len(cls.__mro__), cls.__bases__[0].__name__, isinstance(item, second), issubclass(cls, first)

    return program, lambda: setattr(cls, "__bases__", (second,))


@case
def derived_classes():
    base = fresh("Base")
    kept = [fresh("One", base)]
    return lambda x: [c.__name__ for c in base.__subclasses__()], lambda: kept.append(fresh("Two", base))


@case
def attribute_of_a_function_that_comes_later():
    def function(a):
        return a

    return lambda x: getattr(function, "tag", 0.0) * x, lambda: setattr(function, "tag", 3.0)


@case
def parameters_of_a_function():
    def function(a, b=2):
        return a

    code = (lambda a: a).__code__
    return lambda x: len(inspect.signature(function).parameters), lambda: setattr(function, "__code__", code)


@case
def implementations_of_a_generic_function():
    @functools.singledispatch
    def generic(value):
        return 1.0

    @generic.register
    def _(value: int):
        return 3.0

    def program(x):
        return x * generic(3) + generic("a") * 10 + generic(x[0].item())

    return program, lambda: generic.register(float, lambda value: 7.0)


@case
def an_implementation_that_is_replaced():
    @functools.singledispatch
    def generic(value):
        return 1.0

    generic.register(int, lambda value: 2.0)
    return lambda x: x * generic(3), lambda: generic.register(int, lambda value: 5.0)


@case
def registered_with_an_abstract_class():
    base, item = abc.ABCMeta("Abstract", (), {}), fresh()()
    return lambda x: (isinstance(3, base), isinstance(item, base)), lambda: base.register(int)


@case
def registered_as_a_number():
    cls = fresh()
    item = cls()
    return lambda x: isinstance(item, numbers.Number), lambda: numbers.Number.register(cls)


@case
def decided_by_a_metaclass():
    class Meta(type):
        def __instancecheck__(cls, item):
            return cls.accepts

    cls = Meta("Open", (), {"accepts": True})
    return lambda x: isinstance(3, cls), lambda: setattr(cls, "accepts", False)


@case
def decided_by_metaclasses_that_ask_their_own():
    class Abstract(abc.ABCMeta):
        def __instancecheck__(cls, item):
            return cls.accepts and super().__instancecheck__(item)

    class Plain(type):
        def __instancecheck__(cls, item):
            return type.__instancecheck__(cls, item) or isinstance(item, float)

    first, second = Abstract("First", (), {"accepts": True}), Plain("Second", (), {})
    item = fresh("Item", first)()

    def program(x):
        return isinstance(item, first), isinstance(x, first), [isinstance(v, second) for v in (second(), 2.0, 3)]

    return program, lambda: setattr(first, "accepts", False)


@case
def members_of_a_protocol():
    @typing.runtime_checkable
    class Goes(typing.Protocol):
        def go(self): ...

    cls = fresh()
    item = cls()
    return lambda x: isinstance(item, Goes), lambda: setattr(cls, "go", lambda self: 1)


@case
def what_is_callable():
    cls = fresh()
    item = cls()
    return lambda x: callable(item), lambda: setattr(cls, "__call__", lambda self: 1)


@pytest.mark.parametrize("make", CASES, ids=lambda make: make.__name__)
def test_a_changed_fact_is_noticed(make):
    program, change = make()
    jitted = xlapy.jit(program, returns="numpy")
    first = jitted(X)
    again = jitted(X)
    expected = program(X)
    assert jitted.cache_info().misses == 1, "nothing has changed"
    change()
    second = jitted(X)
    assert repr(first) == repr(again) == repr(expected)
    assert repr(second) == repr(program(X)) != repr(expected)
