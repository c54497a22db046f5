"""The module `random`: its generators draw from streams of ours, as NumPy's do (see `numpy.random_generators`).

What is written in Python there is interpreted from its bytecode; the rules here are for what it is made of.
"""

from __future__ import annotations

import random

from xlapy.dispatch.numpy.random_generators import LEGACY, of_module, of_object, seed_state
from xlapy.dispatch.protocol import Machine, Refused
from xlapy.dispatch.registry import function, method
from xlapy.domain.values import NONE, Const, Ref, Value

#: bits that one draw of an integer gives at most
_MOST_BITS = 62


def _random(machine: Machine, state: int) -> Value:
    return LEGACY["random"](machine, state)


def _below(machine: Machine, state: int, n: Value) -> Value:
    return machine.call(Const(int), [LEGACY["randint"](machine, state, n)])


def _bits(machine: Machine, state: int, k: Value) -> Value:
    count = machine.static(k, "the number of random bits")
    if not 0 <= count <= _MOST_BITS:
        raise Refused("XP0011", f"more than {_MOST_BITS} random bits at once")
    return _below(machine, state, Const(1 << count)) if count else Const(0)


def _normal(machine: Machine, state: int, mu: Value = Const(0.0), sigma: Value = Const(1.0)) -> Value:  # noqa: B008
    return machine.binary("+", mu, machine.binary("*", sigma, LEGACY["standard_normal"](machine, state)))


def _seed(machine: Machine, state: int, a: Value = NONE, version: Value = NONE) -> Value:
    seed_state(machine, state, a)
    return NONE


@function(random.Random)
def _make(machine: Machine, seed: Value = NONE) -> Value:
    """`random.Random(seed)`."""
    number = machine.heap.new("random", random.Random)
    seed_state(machine, number, seed)
    return Ref(number)


_RULES = {
    "random": _random,
    "_randbelow": _below,
    "getrandbits": _bits,
    "gauss": _normal,
    "normalvariate": _normal,
    "seed": _seed,
}
for _name, _rule in _RULES.items():
    method(random.Random, _name)(of_object(_rule))
    if not _name.startswith("_"):
        function(getattr(random, _name))(of_module(_rule, random.random.__self__))
        function(getattr(random.Random, _name))(of_object(_rule))
