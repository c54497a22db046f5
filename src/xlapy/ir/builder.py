"""Appends operations to the region under construction."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from xlapy.ir.constant_evaluation import is_small
from xlapy.ir.core import Location, Operation, Region, TensorType, Var, constant_value
from xlapy.ir.operations import computed, infer_elementwise
from xlapy.ir.rewrites import IMMEDIATE, Expression, rewritten

#: as many bytes can be addressed
MOST_ELEMENTS = 1 << 47
_INT32 = np.iinfo(np.int32)
_NARROW = {np.dtype(wide): np.dtype(thin) for wide, thin in (("f8", "f4"), ("i8", "i4"), ("u8", "u4"), ("c16", "c8"))}


class Builder:
    """Holds the stack of open regions. `location` is a callable that says where the user's program is."""

    def __init__(self, entry: Region, location: Callable[[], Location | None], narrow: bool = False) -> None:
        self.region = entry
        #: the regions around it, from the outermost on
        self.around: list[Region] = []
        self.location = location
        #: whether 64-bit types become 32-bit ones
        self.narrow = narrow
        #: whether there are products, of which JAX's settings say how precise they are
        self.has_products = False
        #: whether it says how arrays are laid out over devices
        self.spans_devices = False
        #: called before what makes real numbers of complex ones, where a program cares for that
        self.discarding: Callable[[], None] | None = None
        #: called with an int that has no place on the device, since it takes more than 32 bits there
        self.refusing: Callable[[int], None] | None = None
        #: called with a type that no memory holds
        self.oversized: Callable[[TensorType], None] | None = None

    def narrowed(self, dtype: np.dtype) -> np.dtype:
        """`dtype` under the policy for 64-bit types."""
        return _NARROW.get(dtype, dtype) if self.narrow else dtype

    def holds(self, number: object) -> bool:
        """Whether a number of Python's is no int that is too large for this policy."""
        return not self.narrow or type(number) is not int or _INT32.min <= number <= _INT32.max

    def _narrow_types(self, types: tuple[TensorType, ...]) -> tuple[TensorType, ...]:
        return tuple(t if t.dtype not in _NARROW else TensorType(t.shape, _NARROW[t.dtype], t.weak) for t in types)

    def inside(self, region: Region) -> Inside:
        """Append to `region` for the duration."""
        return Inside(self, region)

    def sees(self, region: Region) -> bool:
        """Whether what was emitted into a region before may be used in the one under construction."""
        return region is self.region or any(region is one for one in self.around)

    def open_region(self, param_types: tuple[TensorType, ...] = ()) -> Region:
        """A new region nested in the one under construction."""
        types = self._narrow_types(param_types) if self.narrow else param_types
        return Region(types, self.region.depth + 1)

    def emit(
        self,
        kind: str,
        operands: tuple[Var, ...],
        attributes: dict[str, Any],
        result_types: tuple[TensorType, ...],
        regions: tuple[Region, ...] = (),
    ) -> list[Var]:
        """Append an operation and return its results."""
        if self.discarding is not None and _discards(kind, operands, attributes, result_types):
            self.discarding()
        if self.narrow:
            result_types = self._narrow_types(result_types)
        for type in result_types:
            if self.oversized is not None and math.prod(type.shape) > MOST_ELEMENTS:
                self.oversized(type)
        operation = Operation(kind, operands, attributes, result_types, regions, self.location(), self.region.depth)
        self.region.operations.append(operation)
        return operation.results

    def note_cast(self, source: np.dtype, target: np.dtype) -> None:
        """A known number is cast: emit is not asked."""
        if self.discarding is not None and source.kind == "c" and target.kind in "iuf":
            self.discarding()

    def constant(self, value: object, dtype: np.dtype | None = None, weak: bool = False) -> Var:
        """A constant of NumPy's type for `value`, or of `dtype`."""
        array = np.asarray(value, dtype)
        if self.narrow and array.dtype in _NARROW:
            if weak and self.refusing is not None and not self.holds(value):
                self.refusing(int(array))
            with np.errstate(all="ignore"):
                array = array.astype(_NARROW[array.dtype])
        return self.emit("constant", (), {"value": array}, (TensorType(array.shape, array.dtype, weak),))[0]

    def elementwise(self, kind: str, *operands: Var) -> Var:
        """An element-wise operation on operands of one shape and dtype, with the identities that keep tags readable."""
        identity = rewritten(kind, operands, IMMEDIATE)
        if identity is not None:
            return self._expressed(identity)
        result = infer_elementwise(kind, tuple(v.type for v in operands))
        return self._known(kind, operands, result) or self.emit(kind, operands, {}, (result,))[0]

    def _expressed(self, expression: Expression) -> Var:
        if isinstance(expression, tuple):
            return self.elementwise(expression[0], *map(self._expressed, expression[1:]))
        return expression if isinstance(expression, Var) else self.constant(expression)

    def _known(self, kind: str, operands: tuple[Var, ...], result: TensorType) -> Var | None:
        """What certainly is the result of an operation, if all of its operands are known, and it is of few integers."""
        if not is_small(result):
            return None
        known = [value for v in operands if (value := constant_value(v)) is not None]
        if len(known) < len(operands):
            return None
        value = computed(kind, known, result)
        return None if value is None else self.emit("constant", (), {"value": value}, (result,))[0]

    def broadcast(self, var: Var, shape: tuple[int, ...], unset: bool = False) -> Var:
        """`var` broadcast to `shape` by NumPy's rule (trailing dimensions align); nothing if it has that shape. Of an
        array that is `unset` the elements may as well be any others."""
        if var.type.shape == shape:
            return var
        result = TensorType(shape, var.type.dtype, var.type.weak)
        attributes: dict[str, Any] = {"shape": shape, **({"unset": True} if unset else {})}
        return self._known("broadcast", (var,), result) or self.emit("broadcast", (var,), attributes, (result,))[0]

    def live(self, mask: Var, var: Var) -> Var:
        """`var`, whose derivative is zero where `mask` (a scalar, or of its shape) is false: what counts only there."""
        if var.type.dtype.kind not in "fcV" or constant_value(var) is not None:
            return var
        return self.emit("live", (mask, var), {}, (var.type,))[0]

    def convert(self, var: Var, dtype: np.dtype, weak: bool = False, fits: bool = False) -> Var:
        """`var` as `dtype`; nothing if it has that type. That it `fits` says that there is an error where a float is
        not in the range of an integer type."""
        dtype = self.narrowed(dtype)
        if var.type.dtype == dtype and var.type.weak == weak:
            return var
        value = constant_value(var)
        if value is not None and value.shape == ():
            self.note_cast(value.dtype, dtype)
            with np.errstate(all="ignore"):
                return self.constant(value.astype(dtype), dtype, weak)
        result = TensorType(var.type.shape, dtype, weak)
        attributes: dict[str, Any] = {"fits": True} if fits else {}
        return self._known("convert", (var,), result) or self.emit("convert", (var,), attributes, (result,))[0]


class Inside:
    """The context of `Builder.inside`."""

    __slots__ = ("builder", "region")

    def __init__(self, builder: Builder, region: Region) -> None:
        self.builder, self.region = builder, region

    def __enter__(self) -> Region:
        builder = self.builder
        builder.around.append(builder.region)
        builder.region = self.region
        return self.region

    def __exit__(self, *raised: object) -> None:
        self.builder.region = self.builder.around.pop()


def _discards(kind: str, operands: tuple[Var, ...], attributes: dict[str, Any], types: tuple[TensorType, ...]) -> bool:
    """Whether an operation may drop the imaginary part of complex numbers unasked."""
    if attributes.get("name", kind) in ("real", "imag", "abs", "absolute", "angle"):
        return False
    return any(v.type.dtype.kind == "c" for v in operands) and any(t.dtype.kind in "iuf" for t in types)
