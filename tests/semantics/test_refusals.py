"""What cannot be one XLA program: refused with a place, never guessed; and wrong calls, which raise as in CPython."""

import asyncio
import datetime
import logging
import os
import random
import time

import jax.numpy as jnp
import numpy as np
import pytest

import xlapy

from .runner import Call, Programs

program = Programs()

X = np.array([1.0, -2.0, 3.0])


@program(np.array([1, "a", None], dtype=object), refuse=True)
def object_array(x):
    return x[0]


@program(np.array(["ab", "cd"]), refuse=True)
def string_array(x):
    return x[0] == x[1]


@program(np.array(["2020-01-01", "2020-01-03"], dtype="datetime64[D]"), refuse=True)
def datetime_array(x):
    return x[1] > x[0]


@program(np.array([(1, 2.0)], dtype=[("a", int), ("b", float)]), refuse="maybe")
def structured_array(x):
    return x["b"].sum()


@program(X, refuse=True)
def reads_clock(x):
    return x if time.time() > 0 else -x


@program(X, refuse=True)
def measures_time(x):
    start = time.perf_counter()
    return x.sum(), time.perf_counter() - start


@program(X, refuse=True)
def asks_a_logger(x):
    return x if logging.getLogger("xlapy.test").isEnabledFor(logging.DEBUG) else -x


@program(X, refuse=True)
def reads_date(x):
    return x * (datetime.date.today().year > 0)


@program(X, refuse=True)
def reads_environment(x):
    return x * len(os.environ.get("NO_SUCH_VARIABLE_HERE", "a"))


@program(X, refuse=True)
def opens_file(x):
    with open(os.devnull) as f:
        return x * len(f.read())


@program(X, refuse="maybe")
def python_random(x):
    random.seed(0)
    return x, random.random() < 1.0


@program(X, refuse="maybe")
def evaluates_source(x):
    return eval("x * 2")


@program(X, refuse="maybe")
def executes_source(x):
    scope = {}
    exec("k = 3.0", scope)
    return x * scope["k"]


@program(X, refuse=True)
def runs_coroutine(x):
    async def f():
        return 2.0

    return x * asyncio.run(f())


@program((X, 5), refuse="maybe")
def growing_array_without_bound(x, n):
    while x.sum() < n * 3:
        x = np.append(x, 1.0)
    return x


@program(X, refuse="maybe")
def type_changes_every_trip(x):
    items = x
    n = int(x[0]) + 2
    for _ in range(n):
        items = (items, 1.0)
    return items


@program((X, 3), refuse="maybe")
def rank_grows_with_dynamic_trips(x, n):
    for _ in range(n):
        x = x[None]
    return x


@program((X, np.array(2)), refuse="maybe")
def string_of_dynamic_as_key(x, i):
    return {"1": x, "2": x * 2}[str(int(i))]


@program((X, 2), refuse="maybe")
def dynamic_attribute_name(x, i):
    class Box:
        pass

    b = Box()
    setattr(b, "f" + str(i), x)
    return b.f2


@program(np.array([2, 1]), refuse="maybe")
def set_of_dynamic_values(k):
    return len({int(k[0]), int(k[1]), 2})


@program(X, refuse="maybe")
def result_of_dynamic_type(x):
    if x[0] > 0:
        return [x, 1]
    return {"x": x}


@program(X, refuse="maybe")
def arithmetic_with_big_ints(x):
    return (2**80 + int(x[0])) % 1000


@program(Call((X, X)), raises=TypeError)
def too_many_arguments(x):
    return x


@program(Call(()), raises=TypeError)
def too_few_arguments(x, y=1.0):
    return x


@program(Call((X,), {"z": 1.0}), raises=TypeError)
def unknown_keyword_argument(x, y=1.0):
    return x


@program(Call((X,), {"x": X}), raises=TypeError)
def argument_given_twice(x):
    return x


@program("text", raises=AttributeError)
def string_for_array(x):
    return x.sum()


@program(None, raises=TypeError)
def none_for_array(x):
    return x * 2


@program((X, X[:2]), raises=ValueError)
def inconsistent_shapes(x, y):
    return x + y


@program([1.0, 2.0], raises=TypeError)
def list_for_array(x):
    return x / 2


def closing():
    log = []

    def gen():
        try:
            yield 1.0
            yield 2.0
        finally:
            log.append("closed")

    return gen, log


@program(X)
def generator_closed(x):
    gen, log = closing()
    g = gen()
    v = next(g)
    g.close()
    return x * v, log


@program(X)
def generator_throw(x):
    def gen():
        while True:
            try:
                yield 1.0
            except ValueError:
                yield 5.0

    g = gen()
    return x * next(g) + g.throw(ValueError())


class Plugin:
    known = []

    def __init_subclass__(cls, **kw):
        super().__init_subclass__(**kw)
        Plugin.known.append(cls.__name__)

    def __class_getitem__(cls, item):
        return (cls.__name__, item)


@program(X)
def class_hooks(x):
    class A(Plugin):
        pass

    return x * len(Plugin.known), A[3], Plugin.known[-1]


class Doubling(dict):
    def __getitem__(self, key):
        return 2 * dict.__getitem__(self, key)


class Attributes(dict):
    def __getattr__(self, name):
        if name in self:
            return self[name]
        raise AttributeError(name)


class Shifted(list):
    def __iter__(self):
        return iter([7.0, 8.0])


class Long(tuple):
    def __len__(self):
        return 9


@program((Doubling(a=1.0),), refuse="maybe")
def dict_with_items_of_its_own(d):
    return d["a"]


@program((Attributes(a=1.0),), refuse="maybe")
def dict_with_attributes(d):
    return d.a


@program((Shifted([1.0]),), refuse="maybe")
def list_with_iteration_of_its_own(items):
    return sum(items)


@program((Long((1.0, 2.0)),), refuse="maybe")
def tuple_with_a_length_of_its_own(t):
    return len(t) * t[0]


@program(X, refuse="maybe")
def tuple_with_a_length_made_inside(x):
    return len(Long((x, x)))


@program(jnp.asarray([1.0, -2.0, 3.0]), refuse=True)
def mask_of_a_jax_array(x):
    return x[x > 0].sum()


program.each(
    X,
    options={"refuse": True},
    number_of_an_object=lambda x: id(x) % 7 >= 0,
    order_of_two_objects=lambda x: id(x) > 0,
    text_of_a_number_of_an_object=lambda x: f"{id(x):x}".isalnum(),
)

program.each(
    X,
    options={"refuse": True},
    masked_array=lambda x: np.ma.array(x, mask=x < 0).sum(),
    masked_where=lambda x: np.ma.masked_where(x < 0, x).mean(),
)


@program(X)
def masked_functions_of_plain_arrays(x):
    return np.ma.getdata(x) + np.ma.getmaskarray(x), np.ma.isMaskedArray(x), np.ma.median(x)


def test_the_refusal_of_a_masked_array_says_why():
    with pytest.raises(xlapy.NotOffloadableError, match=r"numpy.ma.masked_less makes a masked array.*keep a mask"):
        xlapy.jit(lambda x: np.ma.masked_less(x, 0.0).mean())(X)


@program(X)
def number_of_an_object_as_a_key(x):
    return id(x) == id(x), {id(x): 1}[id(x)]


test_programs = program.test()
