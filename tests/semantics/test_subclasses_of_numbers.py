"""Numbers and strings of subclasses: those that add nothing are known numbers, all others are refused at once."""

import math

import numpy as np
import pytest

import xlapy

from .runner import Programs


class Count(int):
    pass


class Length(float):
    __slots__ = ()


class Phase(complex):
    """A complex number by another name."""


class Word(str):
    pass


class Metres(float):
    def __add__(self, other):
        return Metres(float(self) + float(other))


class Shown(int):
    def __repr__(self):
        return "shown"


class Tagged(int):
    def __new__(cls, value, tag):
        made = int.__new__(cls, value)
        made.tag = tag
        return made


LIMIT = Count(4)
A = np.arange(6.0)
program = Programs()


@program(Count(5), Count(0), Length(2.5), Length("nan"), Length("-0.0"), 3)
def arithmetic(x):
    return x + 1, 2 * x, x < 9, -x, bool(x), float(x), x**2, abs(x), divmod(x, 2), max(x, 2), x == 5


@program(Count(2), Count(0), np.int8(2))
def indices(x):
    return [1, 2, 3][x], sum(range(x)), A[x], A[:x], np.zeros(x), {2: "two"}.get(x), [0] * x


@program(Count(5), Length(5.0))
def functions(x):
    return np.sin(x), math.sqrt(x), round(x), f"{x}", str(x), np.maximum(A, x), A * x, np.array([x, 1]), hash(x)


@program((Count(3), np.float32(2)), (Length(3), np.float32(2)), (Length(3), np.int8(2)), (Count(3), np.uint8(2)))
def with_numpys_numbers(x, y):
    return x + y, y + x, x * y, y < x


@program(Phase(1 + 2j))
def complex_numbers(z):
    return z * 2, z.real, abs(z), z == 1 + 2j, z * A[1]


@program(Word("ab"), Word("b"))
def strings(word):
    return word + "c", word.upper(), word == "ab", len(word), {"ab": 1}.get(word), f"{word}!"


@program(Count(5), Length(2.0), Word("x"))
def itself(x):
    return x, [x], type(x).__name__, isinstance(x, int), type(x) is int, int(5), x is x


@program((Count(3), A), (Count(3), A[:1]), (Count(3), np.arange(3)))
def accumulators(x, a):
    total = 0
    for i in range(min(x, len(a))):
        total += a[i]
    return total, x + a


@program((Count(3), 1.0), (Count(3), -1.0))
def on_a_condition(x, y):
    return x + 1 if y > 0 else x - 1


@program(1, 2)
def of_the_program(x):
    return x + LIMIT, LIMIT * 2, range(LIMIT)


@program([[Count(1), Count(2)]], [[Count(1), 2]])
def in_lists(rows):
    return rows[0][0] + rows[0][1], [type(x) is int for x in rows[0]]


@program({"a": Count(3)}, {"a": Count(4)})
def in_dicts(d):
    return d["a"] + 1


test_programs = program.test()


def with_attribute():
    made = Count(5)
    made.note = "a note"
    return made


@pytest.mark.parametrize("value", [Metres(3), Shown(3), Tagged(3, "a"), with_attribute()], ids=repr)
@pytest.mark.parametrize("f", [lambda x: x + 1, lambda x: -x, lambda x: x], ids=["sum", "negation", "itself"])
def test_with_methods_or_attributes(f, value):
    with pytest.raises(xlapy.NotOffloadableError, match=r"which derives from (int|float) and has '"):
        xlapy.jit(f)(value)


def test_the_object_itself_is_returned():
    same = xlapy.jit(lambda x: x)
    one, two = Count(5), Count(5)
    assert same(one) is one
    assert same(two) is two
    one.note = "a note"
    with pytest.raises(xlapy.NotOffloadableError, match="has 'note'"):
        same(one)
