"""Methods of arrays that are given arguments of types, or in numbers, which NumPy does not take raise its TypeError."""

from __future__ import annotations

import functools

import numpy as np

from xlapy.dispatch.numpy import methods  # noqa: F401  (the rules that are wrapped here)
from xlapy.dispatch.numpy.rule_operands import materialise, raise_real, real_call, skeleton
from xlapy.dispatch.protocol import Machine
from xlapy.dispatch.registry import METHODS, Rule, method, passed_on
from xlapy.domain.values import Const, NdArray, NumpyScalar, Ref, Scalar, Tuple, Value

_CHECKED = """all any argmax argmin argpartition argsort choose clip compress conj conjugate copy cumprod cumsum
diagonal dot fill flatten item max mean min nonzero partition prod put ravel reshape round searchsorted sort squeeze std
sum swapaxes take tolist trace transpose var""".split()
#: those that cannot be called without arguments
_NEEDY = frozenset("argpartition choose compress dot fill partition put reshape searchsorted swapaxes take".split())


def _checked(name: str, rule: Rule) -> Rule:
    """The rule, after a call of the real method on a small array."""

    @functools.wraps(rule)
    def checked(machine: Machine, self: Value, /, *args: Value, **kwargs: Value) -> Value:
        if args or kwargs or name in _NEEDY:
            _try(machine, name, self, args, kwargs)
        return passed_on(rule, machine, self, *args, **kwargs)

    return checked


def _try(machine: Machine, name: str, self: Value, args: tuple[Value, ...], kwargs: dict[str, Value]) -> None:
    """Raise the TypeError that the real method raises; only types and numbers of arguments can be its reason."""
    given = (self, *args, *(v for k, v in kwargs.items() if k != "out"))
    if "out" in kwargs or not all(_shows_its_type(machine, value) for value in given):
        return
    small, *rest = (materialise(skeleton(machine, value), shrink=True) for value in given)
    places, names = rest[: len(args)], dict(zip(kwargs, rest[len(args) :], strict=True))
    try:
        real_call(getattr(type(small), name), (small.copy(), *places), names)
    except TypeError as error:
        if type(error) is TypeError:
            raise_real(machine, error)
    except Exception:
        return


def _shows_its_type(machine: Machine, value: Value) -> bool:
    """Whether a value's type, and those of its few items, are known without asking for more."""
    items = value.items if isinstance(value, Tuple) else _few_items(machine, value)
    if items is not None:
        return all(_shows_its_type(machine, item) for item in items)
    return isinstance(value, Const | Scalar | NumpyScalar | NdArray)


def _few_items(machine: Machine, value: Value) -> tuple[Value, ...] | None:
    """The items of a short list."""
    if not isinstance(value, Ref) or machine.heap.objects[value.object].kind != "list":
        return None
    items = machine.heap.read(value.object, "<items>")
    return items.items if isinstance(items, Tuple) and len(items.items) < 32 else None


for _name in _CHECKED:
    for _cls in (np.ndarray, np.generic):
        if (_cls, _name) in METHODS:
            method(_cls, _name)(_checked(_name, METHODS[_cls, _name][None]))
