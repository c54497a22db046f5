"""An exception that a program meets says where: its traceback ends in functions of the user's, as CPython's does.

PYTEST_DONT_REWRITE: the assertions of the programs are CPython's.
"""

import traceback

import numpy as np
import pytest

import xlapy

LIMITS = {"most": 3.0}


def checked(x):
    if x.sum() > LIMITS["most"]:
        raise ValueError(f"too large: {x.sum()}")
    return x / 2


class Model:
    def __init__(self):
        self.w = np.ones(3)

    def forward(self, x):
        return checked(x * self.w) + 1


def raised_in_a_method(x, i):
    y = Model().forward(x)
    return y[i]


def index(x, i):
    return x[0] + x[
        i
    ]  # fmt: skip


def assertion(x, i):
    for k in range(i):
        assert x[k % 3] < 2, "too large"
    return x


def certain(x, i):
    def inner(x):
        return np.reshape(x, (7, 7))

    return inner(x)


def division(x, i):
    return [10 // (k - i) for k in range(3)]


def in_a_loop(x, i):
    total = 0.0
    for _ in range(100):
        total += checked(x * total).sum() + 1
    return total


def from_another(x, i):
    try:
        return {1: 2.0}[i]
    except KeyError as error:
        raise RuntimeError("no such thing") from error


def through_numpys_own_code(x, i):
    return np.apply_along_axis(lambda row: checked(row * 9), 0, x)


def entries(function, *args):
    """The places in a traceback behind the call, those in NumPy's and our own files left out."""
    with pytest.raises(Exception) as caught:
        function(*args)
    found = traceback.extract_tb(caught.value.__traceback__)[1:]
    assert not any(e.filename.startswith(xlapy.__path__[0]) for e in found)
    return type(caught.value), [
        (e.name, e.lineno, e.end_lineno, e.colno, e.end_colno) for e in found if e.filename == __file__
    ]


@pytest.mark.parametrize(
    "function, i",
    [
        (raised_in_a_method, 0),
        (index, 7),
        (assertion, 2),
        (certain, 0),
        (in_a_loop, 0),
        (division, 1),
        (from_another, 5),
        (through_numpys_own_code, 0),
    ],
)
def test_it_ends_where_the_exception_was_raised(function, i):
    x = np.array([1.0, 3.0, 2.0])
    compiled = xlapy.jit(function)
    for _ in range(2):
        kind, found = entries(compiled, x, i)
        expected, wanted = entries(function, x, i)
        assert kind is expected
        # a comprehension is a function of its own in Python 3.11
        assert [e[:2] for e in found if e[0] != "<listcomp>"] == [e[:2] for e in wanted if e[0] != "<listcomp>"]
        if wanted[-1][0] != "assertion":
            assert found[-1] == wanted[-1]


def test_a_second_call_may_fail_elsewhere():
    def f(x, i):
        if x[0] > 0:
            raise ValueError("first")
        return x[i]

    compiled = xlapy.jit(f)
    for x, i in ((np.ones(2), 0), (-np.ones(2), 5), (np.ones(2), 1)):
        assert entries(compiled, x, i) == entries(f, x, i)


def test_a_refusal_does_not_show_our_own_functions(monkeypatch):
    def f(x):
        return open(str(x))

    with pytest.raises(xlapy.NotOffloadableError) as caught:
        xlapy.jit(f)(1.0)
    assert len(traceback.extract_tb(caught.value.__traceback__)) == 2
    monkeypatch.setenv("XLAPY_TRACEBACK", "full")
    with pytest.raises(xlapy.NotOffloadableError) as caught:
        xlapy.jit(f)(1.0)
    assert len(traceback.extract_tb(caught.value.__traceback__)) > 5


def test_an_exception_under_a_transformation_of_jax():
    import jax

    def f(x):
        if x.shape[0] > 2:
            raise ValueError("too long")
        return x.sum()

    with pytest.raises(ValueError, match="too long") as caught:
        jax.grad(xlapy.jit(f))(jax.numpy.ones(3))
    assert traceback.extract_tb(caught.value.__traceback__)[-1].name == "f"


def countdown(x, n):
    if n == 0:
        raise ValueError(f"the end: {x[0]}")
    return halfway(x * 2, n - 1)


def halfway(x, n):
    return countdown(x + 1, n) if n >= 0 else x


def test_functions_that_call_each_other():
    """The frames that are suspended are not in the traceback: their number is data."""

    def program(x, n):
        return countdown(x, n[0])

    for n in (4, 0):
        with pytest.raises(ValueError) as theirs:
            program(np.ones(2), [n])
        with pytest.raises(ValueError) as mine:
            xlapy.jit(program)(np.ones(2), np.array([n]))
        assert str(mine.value) == str(theirs.value)
        last = [traceback.extract_tb(error.value.__traceback__)[-1] for error in (mine, theirs)]
        assert last[0].name == last[1].name == "countdown" and last[0].line == last[1].line
