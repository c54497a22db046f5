"""Objects of the standard library that the caller's world holds: partials, hints of lengths, and what may change."""

import abc
import ctypes
import functools
import operator
import random
import weakref

import numpy as np
import pytest

import xlapy

from .runner import Programs

program = Programs()

GREATEST = functools.partial(max, 1)
SUM = functools.partial(lambda a, b=2: a + b, b=5)


class Hinting:
    def __length_hint__(self):
        return 4


program.each(
    (3,),
    (1.5,),
    arguments=lambda x: (len(GREATEST.args) + x, GREATEST.args, SUM.keywords["b"] + x),
    function=lambda x: GREATEST.func(1, 2) + x,
    made_inside=lambda x: functools.partial(max, 1, x).args[1],
    hint_of_a_number=lambda x: (operator.length_hint(x), operator.length_hint(x, 7)),
    hint_of_a_list=lambda x: operator.length_hint([x, x]),
    hint_of_an_object=lambda x: operator.length_hint(Hinting()) + x,
)


class Counted(abc.ABC):
    count = 0


class SetsItself(type):
    def __setattr__(cls, name, value):
        super().__setattr__(name, value + 1)


class Guarded(metaclass=SetsItself):
    count = 0


@program((3,), (4,))
def attribute_of_a_class_with_a_metaclass(n):
    Counted.count = 0
    for _ in range(n):
        Counted.count += n
    return Counted.count


@program((3,), refuse="XP0010")
def attribute_that_a_metaclass_sets(n):
    Guarded.count = n
    return Guarded.count


test_programs = program.test()


class Thing:
    pass


KEPT = Thing()
WEAK = weakref.WeakValueDictionary({1: KEPT})
WEAK_SET = weakref.WeakSet([KEPT])
IN_C = ctypes.c_int(3)
SYSTEM = random.SystemRandom()


@pytest.mark.parametrize(
    "function",
    [
        lambda x: len(WEAK) + x,
        lambda x: 1.0 if WEAK else x,
        lambda x: len(WEAK_SET) + x,
        lambda x: len(str(WEAK_SET)) + x,
        lambda x: np.sum(IN_C) + x,
        lambda x: SYSTEM.random() + x,
    ],
)
def test_what_may_change_unseen_is_refused(function):
    with pytest.raises(xlapy.NotOffloadableError):
        xlapy.jit(function)(1.0)
