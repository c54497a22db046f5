"""Values in the form of a join: device values for its holes, on each path."""

from __future__ import annotations

import numpy as np

from xlapy.domain import dynamic_sizes
from xlapy.domain.join import (
    SELECTOR,
    Joiner,
    JoinFailure,
    differ_in_form,
    same_static,
)
from xlapy.domain.numbers import (
    in_parts,
    numeric,
    scalar_type,
)
from xlapy.domain.values import (
    DEAD,
    BoundedArray,
    Const,
    GrowableList,
    Hole,
    JaxArray,
    MixedScalar,
    NdArray,
    NumpyScalar,
    Range,
    Ref,
    Scalar,
    Slice,
    Stored,
    Union,
    Value,
    alternatives,
    held_items,
    holes,
    number_var,
    substitute,
    variables,
)
from xlapy.ir import Builder, TensorType, Var

_INT64 = np.dtype(np.int64)


def filler(hole: Hole, builder: Builder) -> Var:
    """Some value of a hole's type, for a path on which nobody reads it."""
    zero = builder.constant(np.zeros((), hole.type.dtype), weak=hole.type.weak)
    return builder.broadcast(zero, hole.type.shape)


def instantiate(skeleton: Value, fill) -> Value:
    """`skeleton` with `next(fill)` in the place of every hole."""
    return substitute(skeleton, lambda v: next(fill) if isinstance(v, Hole) else v)


def coerce(value: Value, skeleton: Value, joiner: Joiner, builder: Builder) -> list[Var]:
    """The device values with which `value` fills the holes of `skeleton`."""
    missing = holes(skeleton)
    if not missing:
        return []
    if value is DEAD:
        return [filler(hole, builder) for hole in missing]
    if isinstance(skeleton, GrowableList) and joiner.growable_lists is not None:
        return joiner.growable_lists.coerce(value, skeleton, joiner)
    if isinstance(skeleton, Stored) and skeleton.held is not None and joiner.growable_lists is not None:
        assert isinstance(value, Stored)
        return joiner.growable_lists.coerce(held_items(value), skeleton.held, joiner)
    match skeleton:
        case Scalar():
            return [as_scalar(value, scalar_type(skeleton.kind), builder)]
        case NumpyScalar() | JaxArray():
            return [_fitted(as_scalar(value, skeleton.var.type, builder), skeleton.var.type, joiner)]
        case BoundedArray():
            return _coerce_lanes(value, skeleton, joiner, builder)
        case MixedScalar():
            return _coerce_mixed(value, skeleton, builder)
        case Union():
            return _coerce_union(value, skeleton, joiner, builder)
    if isinstance(skeleton, Range | Slice):
        value = in_parts(value) or value
    found: list[Var] = []
    for part, inner in zip(value.children(), skeleton.children(), strict=True):
        if isinstance(inner, Value):
            assert isinstance(part, Value)
            found.extend(coerce(part, inner, joiner, builder))
        elif isinstance(inner, Hole):
            assert not isinstance(part, Value)
            found.append(part)
    return found


def as_scalar(value: Value, type: TensorType, builder: Builder) -> Var:
    """A number (or an array of the same shape) as a device value of `type`."""
    if isinstance(value, Const):
        return builder.broadcast(builder.constant(value.value, type.dtype, type.weak), type.shape)
    return builder.convert(number_var(value), type.dtype, type.weak)


def _fitted(var: Var, type: TensorType, joiner: Joiner) -> Var:
    """The elements of an array with the sizes of `type`, where there is room for those of several ones."""
    if var.type.shape == type.shape or joiner.sizes is None:
        return var
    return joiner.sizes.resized(var, type.shape)


def _coerce_lanes(value: Value, skeleton: BoundedArray, joiner: Joiner, builder: Builder) -> list[Var]:
    """An array as one with dimensions of dynamic length."""
    if not isinstance(value, BoundedArray | NdArray):
        raise JoinFailure(value, skeleton)
    base = value.base if isinstance(value, BoundedArray) else value
    axes = value.axes if isinstance(value, BoundedArray) else (None,) * len(skeleton.axes)
    found = coerce(base, skeleton.base, joiner, builder)
    for k, (lanes, goal) in enumerate(zip(axes, skeleton.axes, strict=True)):
        if goal is not None:
            mine = lanes.parts() if lanes is not None else (builder.constant(base.type.shape[k], _INT64),)
            found += [p for p, own in zip(mine, goal.parts(), strict=True) if isinstance(own, Hole)]
    return found


def _coerce_mixed(value: Value, skeleton: MixedScalar, builder: Builder) -> list[Var]:
    type = skeleton.python.var.type
    if isinstance(value, MixedScalar):
        parts = [value.selector, as_scalar(value.python, type, builder)]
    else:
        is_numpy = (numeric(value) or ("",))[0] == "numpy"
        parts = [builder.constant(int(is_numpy), SELECTOR.dtype), as_scalar(value, type, builder)]
    return [part for part, own in zip(parts, variables(skeleton), strict=True) if isinstance(own, Hole)]


def _coerce_union(value: Value, skeleton: Union, joiner: Joiner, builder: Builder) -> list[Var]:
    options = alternatives(value)
    with joiner.exactly():
        places = [_place_in(option, skeleton, joiner) for option in options]
    if isinstance(value, Union):
        if places == list(range(len(places))):
            selector = value.selector
        else:
            selector = builder.constant(places[-1], SELECTOR.dtype)
            for index, place in reversed(list(enumerate(places[:-1]))):
                here = builder.elementwise("eq", value.selector, builder.constant(index, SELECTOR.dtype))
                selector = builder.elementwise("select", here, builder.constant(place, SELECTOR.dtype), selector)
    else:
        selector = builder.constant(places[0], SELECTOR.dtype)
    found = [selector] if isinstance(skeleton.selector, Hole) else []
    for index, alternative in enumerate(skeleton.alternatives):
        mine = [coerce(o, alternative, joiner, builder) for o, p in zip(options, places, strict=True) if p == index]
        if not mine:
            found.extend(filler(hole, builder) for hole in holes(alternative))
            continue
        chosen = mine[0]
        at = [i for i, p in enumerate(places) if p == index]
        for position, others in zip(at[1:], mine[1:], strict=True):
            assert isinstance(value, Union)
            here = builder.elementwise("eq", value.selector, builder.constant(position, SELECTOR.dtype))
            chosen = [select(here, new, old, builder) for new, old in zip(others, chosen, strict=True)]
        found.extend(chosen)
    return found


def select(predicate: Var, then: Var, orelse: Var, builder: Builder) -> Var:
    """`then if predicate else orelse` for a scalar predicate and arrays of one type."""
    return builder.elementwise("select", builder.broadcast(predicate, then.type.shape), then, orelse)


def _has_place(option: Value, alternative: BoundedArray, joiner: Joiner) -> bool:
    """Whether an array is the one that `alternative` stands for, or one of them."""
    one, two = alternative.base, dynamic_sizes.base_of(option)
    if not joiner.covers(one.buffer, two.buffer):
        return False
    if dynamic_sizes.are_one_kind(alternative, option):
        return [x.kind for x in one.lenses] == [x.kind for x in two.lenses] and same_static(one, two)
    return dynamic_sizes.is_plain(alternative) and dynamic_sizes.is_plain(option)


def place_in(option: Value, skeleton: Union, joiner: Joiner) -> int:
    """Which alternative of a generalised union a value is."""
    with joiner.exactly():
        return _place_in(option, skeleton, joiner)


def _place_in(option: Value, skeleton: Union, joiner: Joiner) -> int:
    for index, alternative in enumerate(skeleton.alternatives):
        if isinstance(option, Ref) and isinstance(alternative, Ref):
            if joiner.covers(alternative.object, option.object):
                return index
            continue
        if isinstance(option, NdArray) and isinstance(alternative, NdArray):
            if (
                option.type == alternative.type
                and option.writeable is alternative.writeable
                and joiner.covers(alternative.buffer, option.buffer)
                and [x.kind for x in option.lenses] == [x.kind for x in alternative.lenses]
                and same_static(option, alternative)
                and not joiner.heap.are_two(option, alternative)
            ):
                return index
            continue
        if isinstance(alternative, BoundedArray) and dynamic_sizes.are_alike(alternative, option):
            if _has_place(option, alternative, joiner):
                return index
            continue
        if option is alternative:
            return index
        if differ_in_form(alternative, option):
            continue
        joiner.placing, outer = True, joiner.placing
        try:
            if joiner._alike(alternative, option) is alternative:
                return index
        except JoinFailure:
            continue
        finally:
            joiner.placing = outer
    raise JoinFailure(option, skeleton)
