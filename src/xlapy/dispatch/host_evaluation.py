"""Parts of a program that are worked out before the program runs, since its shapes depend on them."""

from __future__ import annotations

import functools
from collections import OrderedDict
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from xlapy.domain.numbers import SCALAR_DTYPES
from xlapy.ir import Module, Operation, Region, TensorType, Var, captured
from xlapy.lowering.cpu_xla.compiler_options import compiler_options
from xlapy.lowering.evaluate import evaluate_fast
from xlapy.lowering.llvm import Given, gained_by_machine_code, whole_as_machine_code
from xlapy.passes import clean
from xlapy.passes.code_motion import copy_region
from xlapy.passes.native_loop_forms import plain


class HostValue:
    """What a part of a program computes from some of the inputs.

    Args:
        region: the operations; its parameters are the inputs.
    """

    def __init__(self, region: Region) -> None:
        self.region = region
        self._types = [p.type for p in region.params]
        self._compiled: Callable | None = None

    def __call__(self, *operands: Any) -> np.ndarray | None:
        """The value; None for operands of other types."""
        fitting = [_fitting(operand, of) for operand, of in zip(operands, self._types, strict=True)]
        if any(operand is None for operand in fitting):
            return None
        with jax.enable_x64(True):
            if self._compiled is None:
                self._compiled = self._compile()
            return np.asarray(self._compiled(*fitting))

    def _compile(self) -> Callable:
        return self._as_machine_code() or self._by_xla()

    def _as_machine_code(self) -> Callable | None:
        """The part as machine code, which takes less time to compile and to call; None if it does not suit."""
        if jax.default_backend() != "cpu" or gained_by_machine_code(self.region) < 0:
            return None
        copy = copy_region(self.region, {})
        clean(copy)
        given = [Given(t.dtype, t.shape) for t in self._types]
        call = whole_as_machine_code(plain(Module(copy, [])), given, level=1)
        if call is None:
            return None

        def run(*operands: Any) -> Any:
            found = call(*(np.require(x, g.dtype, ("C", "A")) for x, g in zip(operands, given, strict=True)))
            return self._otherwise(*operands) if found is None else found[0]

        return run

    @functools.cached_property
    def _otherwise(self) -> Callable:
        return self._by_xla()

    def _by_xla(self) -> Callable:
        # Compiled ahead of time it is one program, and runs as one also where JAX traces the caller.
        def run(*operands):
            return evaluate_fast(self.region, dict(zip(self.region.params, operands, strict=True)), native=False)[0]

        shapes = [jax.ShapeDtypeStruct(t.shape, t.dtype, weak_type=t.weak) for t in self._types]
        options = compiler_options(self.region, None, None)
        return jax.jit(run, compiler_options=options).lower(*shapes).compile()

    def gives(self, known: np.ndarray, *operands: Any) -> bool:
        """Whether the value is `known`."""
        found = self(*operands)
        return found is not None and found.tobytes() == known.tobytes()


def _fitting(operand: Any, of: TensorType) -> Any:
    """An input as an array of its type; None if it has another one."""
    if jnp.issubdtype(of.dtype, jax.dtypes.extended):
        return operand if getattr(operand, "dtype", None) == of.dtype and operand.shape == of.shape else None
    kind = SCALAR_DTYPES.get(type(operand))
    if kind is not None:
        try:
            return np.asarray(operand, kind) if kind == of.dtype else None
        except OverflowError:  # an integer that the device does not have
            return None
    found = np.asarray(operand)
    return found if found.dtype == of.dtype and found.shape == of.shape else None


#: what was worked out before, by what it is: analyses ask the same again in each attempt
_MADE: OrderedDict[tuple, HostValue] = OrderedDict()
_MOST_MADE = 512


def host_value(region: Region) -> HostValue:
    """The `HostValue` of a region, of which equal ones have one, that is compiled once."""
    key = _key(region)
    made = _MADE.pop(key, None)
    _MADE[key] = made = HostValue(region) if made is None else made
    if len(_MADE) > _MOST_MADE:
        _MADE.popitem(last=False)
    return made


def _key(region: Region, numbers: dict[Var, int] | None = None) -> tuple:
    """What tells a region from those that compute something else. `numbers` names the values around it."""
    numbers = {} if numbers is None else numbers
    for var in region.params:
        numbers[var] = len(numbers)
    parts: list = [tuple(p.type for p in region.params)]
    for operation in region.operations:
        attributes = tuple((name, _comparable(value)) for name, value in sorted(operation.attributes.items()))
        types = tuple(v.type for v in operation.results)
        inside = tuple(_key(nested, numbers) for nested in operation.regions)
        parts.append((operation.kind, tuple(numbers[v] for v in operation.operands), types, attributes, inside))
        for result in operation.results:
            numbers[result] = len(numbers)
    return (*parts, tuple(numbers[v] for v in region.results))


def _comparable(value: object) -> object:
    """Stands for an attribute: an array by its elements, what is not a plain value by itself (the region holds it)."""
    if isinstance(value, np.ndarray):
        return (value.dtype.str, value.shape, value.tobytes())
    if isinstance(value, str | bool | int | np.dtype | type(None)):
        return (type(value), value)
    if isinstance(value, tuple):
        return tuple(map(_comparable, value))
    return (type(value), id(value))


def part_of(var: Var, entry: Region) -> Region | None:
    """The operations that compute `var` from parameters of `entry`, as a region; None where that needs more: what
    changes in a loop around it, or a loop that may not end."""
    part = Region()
    seen: set[Var] = set()
    todo: list[tuple[Var, bool]] = [(var, False)]
    while todo:
        current, ready = todo.pop()
        owner = current.owner
        if not isinstance(owner, Operation):
            if owner is not entry:
                return None
            if current not in seen:
                seen.add(current)
                part.params.append(current)
        elif ready:
            part.operations.append(owner)
        elif current not in seen:
            if owner.kind == "while":
                return None
            seen.update(owner.results)
            todo.append((current, True))
            todo += [(v, False) for v in (*owner.operands, *(v for r in owner.regions for v in captured(r)))]
    part.results = [var]
    return part


def element_of(var: Var) -> tuple[Var, tuple[int, ...]] | None:
    """The array and the index, if `var` is one element of an array at a known place."""
    owner = var.owner
    while isinstance(owner, Operation) and owner.kind == "convert":
        (var,) = owner.operands
        owner = var.owner
    if not isinstance(owner, Operation):
        return None
    dims = owner.attributes.get("index")
    if dims is None or var.type.shape or len(owner.operands) != 1:
        return None
    if any(start is None or length >= 0 for start, _, length in dims):
        return None
    return owner.operands[0], tuple(start for start, _, _ in dims)
