"""The same call of the same function, made again after what it reads has changed: its result must not be remembered."""

import math
import sys

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import xlapy

from .runner import Programs, set_global

program = Programs()

X = np.array([1.0, -2.0, 3.0])
LEVEL = 1
LOG = []


class Box:
    def __init__(self, value):
        self.value = value
        self.asked = 0

    def __getattribute__(self, name):
        return object.__getattribute__(self, name)

    def get(self):
        return self.value

    def ask(self):
        self.asked += 1
        return self.asked


def level():
    return LEVEL


def logged(name):
    LOG.append(name)
    return len(LOG)


def fresh():
    return [0]


def content(box):
    return box.get()


@program(X)
def attribute_changes_between(x):
    box = Box(1)
    a = content(box)
    box.value = 2
    b = content(box)
    return x * a + b


@program((X, Box(3)))
def attribute_of_the_callers_object(x, box):
    a = content(box)
    box.value = x.sum()
    b = content(box)
    return a, b


@program(X, set_global(level, "LEVEL", 7), X)
def global_between_calls(x):
    return x * level() + level()


@program(X)
def global_changes_inside(x):
    global LEVEL
    before = level()
    LEVEL = LEVEL + 5
    after = level()
    LEVEL = before
    return x * before + after, level()


@program(X)
def effects_are_repeated(x):
    first = logged("a")
    second = logged("a")
    return x + first * 10 + second


@program(X)
def state_inside_an_object(x):
    box = Box(0)
    return [box.ask() for _ in range(3)], x


@program(X)
def results_are_different_objects(x):
    a, b = fresh(), fresh()
    a.append(1)
    return a, b, a is b


@program(X)
def under_a_branch(x):
    box = Box(1)
    a = content(box)
    if x[0] > 0:
        box.value = 4
    else:
        box.value = 5
    return a, content(box), content(box)


@program(X)
def in_a_loop(x):
    box = Box(0.0)
    total = 0.0
    for v in x:
        total += content(box)
        box.value = v
    return total, content(box)


@program(X)
def cell_changes_between(x):
    k = 1

    def get():
        return k

    def twice():
        return get()

    a = twice()
    k = 2
    return x * a + twice()


@program(({"w": X, "b": [np.arange(2), 1.5]}, X))
def pytrees(tree, x):
    leaves, structure = jax.tree.flatten(tree)
    doubled = jax.tree.unflatten(structure, [v * 2 for v in leaves])
    total = jax.tree.map(lambda a, b: a + b, tree, doubled)
    size = jax.tree.reduce(lambda a, b: a + np.size(b), tree, 0)
    named = jax.tree_util.tree_map_with_path(lambda path, v: v + len(path), tree)
    holes = jax.tree.map(lambda v: v is None, {"a": None, "b": x}, is_leaf=lambda v: v is None)
    return total, size, structure.num_leaves, named, holes


@program({"w": X, "b": np.ones(2)})
def pytree_leaves_alias(tree):
    for leaf in jax.tree.leaves(tree):
        leaf += 1
    return tree["w"] is jax.tree.leaves(tree)[1]


@program(X)
def mapped_function_captures(x):
    scale = x.sum()
    return np.asarray(jax.vmap(lambda v: jnp.sin(v) * scale)(jnp.asarray(x))).dtype.kind


# -- calls that make objects: made anew each time ----------------------------------------------------------------------


class Point:
    made = 0

    def __init__(self, x, owner):
        self.x = x
        self.owner = owner
        self.seen = []

    def note(self, value):
        self.seen.append(value)
        return len(self.seen)


class Maker:
    start = 1

    def __init__(self, start):
        self.begin = start
        self.busy = {}

    def point(self):
        """Makes an object, with a note in a dict that is gone when it is made."""
        key = id(self)
        self.busy[key] = self
        try:
            return Point(self.begin, self)
        finally:
            del self.busy[key]

    def counted(self):
        self.begin += 1
        return Point(self.begin, self)

    def fields(self):
        return Names(sorted(vars(self)))


class Names:
    def __init__(self, names):
        self.names = names


def start():
    return Maker.start


def pair(maker):
    inner = Point(2, None)
    return Point(inner, Point(inner, maker))


@program(X)
def made_objects_are_different(x):
    maker = Maker(3)
    a, b = maker.point(), maker.point()
    a.x = 10
    a.note(1)
    return x * b.x, a is b, a.x, len(b.seen), a.note(2), b.note(3), a.owner is b.owner, len(maker.busy)


@program(X)
def made_objects_share_what_they_shared(x):
    maker = Maker(3)
    a, b = pair(maker), pair(maker)
    a.x.x = 7
    return x * b.x.x, a.owner.x.x, a.x is a.owner.x, a.x is b.x, b.x is b.owner.x, b.owner.owner is maker


@program(X)
def made_of_what_has_changed(x):
    maker = Maker(3)
    a = maker.point()
    maker.begin = x[0]
    b = maker.point()
    maker.begin = 5
    c = maker.point()
    return a.x, b.x, c.x


@program(X)
def making_changes_the_maker(x):
    maker = Maker(3)
    return x, maker.counted().x, maker.counted().x, maker.begin


@program(X)
def made_of_the_class(x):
    before = start()
    Maker.start = 2
    after = start()
    Maker.start = 1
    return x * before, after, start()


@program(X)
def made_of_the_class_in_a_branch(x):
    first = start()
    if x.sum() > 0:
        Maker.start = 2
    else:
        first += start()
    now = start()
    Maker.start = 1
    return x, first, now


@program(X)
def attributes_that_are_new(x):
    maker = Maker(3)
    a = maker.fields().names
    b = maker.fields().names
    other = Maker(4)
    c = Names(sorted(jax.tree.leaves({"n": other.begin})))
    return x, a == b, a, c.names


@program((X, Maker(4)), (X, Maker(5)))
def objects_made_by_the_callers(x, maker):
    a, b = maker.point(), maker.point()
    b.x = 1.5
    return x * a.x, b.x, a, maker.busy


def handled():
    return sys.exception()


@program(X)
def what_is_being_handled(x):
    before = handled()
    try:
        raise ValueError(3)
    except ValueError:
        inside = handled()
    return x, before is None, inside is None, handled() is None


# -- the same method of several objects of a class ---------------------------------------------------------------------


class Layer:
    def __init__(self, weight, size=2, flag=True, other=None):
        self.weight = weight
        self.size = size
        self.flag = flag
        self.other = other
        self.again = weight

    def __getattribute__(self, name):
        return super().__getattribute__(name)

    def width(self):
        return self.size * 10

    def chosen(self):
        return self.weight if self.flag else self.again

    def rank(self):
        return self.weight.ndim

    def is_last(self, last=None):
        return self is LAYERS[-1]

    def has(self, name):
        return hasattr(self, name)

    def is_tied(self):
        return self.weight is self.again

    def number(self):
        return id(self) == id(LAYERS[0])

    def known(self):
        return SIZES.get(self)

    def halves(self):
        return self.size / 2


W = np.array([2.0, 0.5, 1.0])
LAYERS = [Layer(jnp.asarray(W)), Layer(jnp.asarray(W + 1)), Layer(jnp.asarray(W + 2))]
SIZES = {LAYERS[1]: 4}
MIXED = [
    Layer(jnp.asarray(W), 2),
    Layer(jnp.asarray(W + 1), 3, flag=False),
    Layer(jnp.ones((2, 3)), 3),
    Layer(jnp.asarray(W), 2.0),
    Layer(W, True),
]


@program(jnp.asarray(X))
def attributes_of_layers(x):
    for layer in LAYERS:
        x = x * layer.weight + layer.size
    return x


@program((X, MIXED), (X, MIXED[::-1]))
def attributes_that_differ(x, layers):
    for layer in layers:
        layer.again = layer.weight + 1
    return [(layer.width(), layer.chosen(), layer.rank(), layer.flag, layer.halves()) for layer in layers]


@program(X)
def which_layer_it_is(x):
    return [(a.is_last(), a.number(), a.known(), a.is_tied(), a.width()) for a in LAYERS], x


@program(X)
def tied_or_not(x):
    one, two = Layer(jnp.asarray(x)), Layer(jnp.asarray(x))
    two.again = one.again * 1
    return one.is_tied(), two.is_tied(), one.chosen(), two.chosen()


@program(X)
def layers_with_more_attributes(x):
    one, two, three = Layer(1), Layer(2), Layer(1)
    before = one.has("extra"), two.has("extra"), three.has("extra")
    two.extra = x.sum()
    three.size = x.sum()
    after = one.has("extra"), two.has("extra"), three.has("extra")
    return before, after, one.width(), two.width(), three.width()


def test_a_layer_that_changes_between_calls():
    function = xlapy.jit(lambda x: [layer.chosen() * layer.width() + x for layer in LAYERS])
    first = function(1.0)
    LAYERS[1].size, LAYERS[2].flag, LAYERS[2].again = 5, False, jnp.zeros(3)
    try:
        second = function(1.0)
    finally:
        LAYERS[1].size, LAYERS[2].flag, LAYERS[2].again = 2, True, LAYERS[2].weight
    np.testing.assert_array_equal(first, [W * 20 + 1, (W + 1) * 20 + 1, (W + 2) * 20 + 1])
    np.testing.assert_array_equal(second, [W * 20 + 1, (W + 1) * 50 + 1, np.ones(3)])


def test_a_function_of_a_library_that_was_replaced_for_a_while(monkeypatch):
    compiled = xlapy.jit(lambda x: np.sinc(x) + math.erf(x), returns="numpy")
    with monkeypatch.context() as patch:
        patch.setattr(np, "sinc", lambda x: x * 100)
        patch.setattr(math, "erf", lambda x: x)
        assert compiled(2.0) == 202.0
    assert compiled(2.0) == pytest.approx(np.sinc(2.0) + math.erf(2.0))


test_programs = program.test()
