"""The same call of the same function, made again after what it reads has changed: its result must not be remembered."""

import jax
import jax.numpy as jnp
import numpy as np

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


test_programs = program.test()
