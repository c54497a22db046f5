"""Permutations of arrays of dynamic length, and elements of them at random."""

from __future__ import annotations

from functools import partial

import jax.numpy as jnp
import numpy as np

from xlapy.dispatch import registry
from xlapy.dispatch.argument_kinds import DYNAMIC_LENGTH, first_of, involved, require_static
from xlapy.dispatch.bounded import masked_axes
from xlapy.dispatch.bounded.bounded_creation import is_dynamic
from xlapy.dispatch.bounded.bounded_indexing import getitem
from xlapy.dispatch.bounded.layout_matching import assign
from xlapy.dispatch.bounded.masked_axes import INT64, as_int, length_int, var_of
from xlapy.dispatch.numpy import register_numpy
from xlapy.dispatch.numpy.random_generators import GENERATOR, LEGACY, of_module
from xlapy.dispatch.numpy.rule_operands import absent, known
from xlapy.dispatch.protocol import Machine
from xlapy.domain.numbers import interval
from xlapy.domain.values import NONE, BoundedArray, Const, Lanes, NdArray, Value

#: what is raised where there are no elements, where there are no numbers, and where there are too few of them
_MESSAGES = {
    np.random.Generator: (
        "a cannot be empty unless no samples are taken",
        "a must be a positive integer unless no samples are taken",
        "Cannot take a larger sample than population when replace is False",
    ),
    np.random.RandomState: (
        "'a' cannot be empty unless no samples are taken",
        "a must be greater than 0 unless no samples are taken",
        "Cannot take a larger sample than population when 'replace=False'",
    ),
}


def _uniform(machine: Machine, state, count: int) -> Value:
    return GENERATOR["random"](machine, state, Const(count))


def _shuffled_places(machine: Machine, state, room: int, lanes: Lanes) -> Value:
    """The numbers below the length in random order."""
    drawn = _uniform(machine, state, room)
    assert isinstance(drawn, NdArray)
    keys = machine.read(drawn)
    order = machine.leaf(_order, (keys, lanes.length), name="permutation")[0]
    return masked_axes.fresh(machine, order, (Lanes(lanes.length),))


def _order(keys, length):
    alive = jnp.arange(keys.shape[0]) < length
    return jnp.argsort(jnp.where(alive, keys, 2.0)).astype(jnp.int64)


def _population(machine: Machine, a: Value) -> tuple[int, Lanes] | None:
    """The room and the lanes of what is drawn from: an array, or the numbers below one that is not known."""
    if isinstance(a, BoundedArray):
        return (a.base.type.shape[0], a.axes[0]) if a.axes[0] is not None else None
    if is_dynamic(machine, a):
        return max(interval(a)[1], 0), Lanes(var_of(machine, as_int(machine, a)))
    return None


def permutation(machine, state, x, axis=0):
    """A shuffled copy, or a shuffled range."""
    found = _population(machine, x)
    if found is None or known(machine, axis) != 0:
        raise require_static(machine, first_of((x,), {}), "permutation of such arrays")
    places = _shuffled_places(machine, state, *found)
    return getitem(machine, x, places) if isinstance(x, BoundedArray) else places


def shuffle(machine, state, x, axis=0):
    """In place."""
    assign(machine, x, permutation(machine, state, x, axis))
    return NONE


def choice(
    machine, state, a, size=None, replace=True, p=None, axis=0, shuffle=True, *, cls: type = np.random.Generator
):
    """Elements of an array, or whole numbers below `a`, each as likely."""
    no_elements, no_numbers, too_few = _MESSAGES[cls]
    found = _population(machine, a)
    shape = None if absent(size) else known(machine, size, "the size of a choice")
    if found is None or not absent(p) or involved(size) or known(machine, axis) != 0:
        raise require_static(machine, first_of((a, p, size), {}), "choice with such arguments")
    room, lanes = found
    length = var_of(machine, length_int(machine, lanes, room))
    count = int(np.prod(shape if shape is not None else 1))
    least = machine.builder.constant(1 if count else 0, INT64)
    message = no_elements if isinstance(a, BoundedArray) else no_numbers
    machine.check(machine.builder.elementwise("lt", length, least), ValueError, message)
    if known(machine, replace) or count == 1:
        keys = machine.read(_uniform(machine, state, count))
        places = machine.new_array(machine.leaf(_below, (keys, length), name="choice")[0])
    else:
        wanted = machine.builder.constant(count, INT64)
        machine.check(machine.builder.elementwise("lt", length, wanted), ValueError, too_few)
        order = _shuffled_places(machine, state, room, lanes)
        base = masked_axes.taken_apart(machine, order)[0]
        places = machine.new_array(machine.leaf(_first, (machine.read(base),), (count,), name="choice")[0])
    drawn = getitem(machine, a, places) if isinstance(a, BoundedArray) else places
    if shape is None:
        return machine.getitem(drawn, Const(0))
    whole = (shape,) if isinstance(shape, int | np.integer) else tuple(shape)
    return drawn if len(whole) == 1 else machine.call(Const(np.reshape), (drawn, Const(whole)))


def _below(keys, length):
    return jnp.minimum((keys * length).astype(jnp.int64), jnp.maximum(length - 1, 0))


def _first(order, count):
    return jnp.pad(order, (0, max(count - order.shape[0], 0)))[:count]


def _register(name: str, rule) -> None:
    """For both classes of generators and for the module's functions, where the first argument has a dynamic length."""

    def either(before, of, own):
        def applied(machine, self, /, *args, **kwargs):
            dynamic = args and (isinstance(args[0], BoundedArray) or is_dynamic(machine, args[0]))
            return registry.passed_on(own if dynamic else before, machine, of(self), *args, **kwargs)

        return applied

    for cls, rules in ((np.random.Generator, GENERATOR), (np.random.RandomState, LEGACY)):
        own = partial(choice, cls=cls) if rule is choice else rule
        bound = either(rules[name], lambda self: self.object, own)
        registry.method(cls, name)(bound)
        registry.function(getattr(cls, name))(bound)
        registry.function(getattr(cls, name), kind=DYNAMIC_LENGTH)(bound)
    for_module = of_module(either(LEGACY[name], lambda state: state, own))
    registry.function(getattr(np.random, name))(for_module)
    registry.function(getattr(np.random, name), kind=DYNAMIC_LENGTH)(for_module)


_register("permutation", permutation)
_register("shuffle", shuffle)
_register("choice", choice)

__all__ = ["register_numpy"]
