"""Arrays on several devices: which programs XLA has to partition, where their operands and results belong, and meshes
whose axes are `Explicit`.

JAX's shardings and meshes mean what they mean to `jax.jit`. A program for several devices has none of our own calls in
it (machine code, NumPy's BLAS, kernels), of which XLA could only give each device the whole.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import jax
import numpy as np
from jax.sharding import (
    AbstractMesh,
    Mesh,
    NamedSharding,
    PartitionSpec,
    Sharding,
    SingleDeviceSharding,
    get_abstract_mesh,
)

from xlapy.domain.recipes import Known, Made
from xlapy.domain.recipes import Sequence as SequenceRecipe
from xlapy.domain.sources import Source
from xlapy.interpreter.analyse import Analysis
from xlapy.interpreter.caller_environment import Parameter
from xlapy.lowering.jaxprs.meshes import auto
from xlapy.runtime.jax_internals import ConcreteArray, sharding_of, spread
from xlapy.runtime.result_kinds import result_kind
from xlapy.runtime.sharding_prefixes import is_leaf
from xlapy.runtime.transfer_report import delivered_outputs, is_device_buffer, outputs_of

__all__ = ["are_sharded", "in_auto_axes", "is_spread", "operand_shardings", "several_devices"]

_REPLICATED = PartitionSpec()


def several_devices() -> bool:
    """Whether there are devices among which arrays may be spread."""
    return jax.device_count() > 1


def is_spread(sharding: Any) -> bool:
    """Whether a sharding is one over several devices."""
    return isinstance(sharding, Sharding) and sharding.num_devices > 1


def are_sharded(operands: Sequence) -> bool:
    """Whether one of a call's operands lies on several devices, or stands for such an array."""
    for operand in operands:
        if type(operand) is ConcreteArray:
            sharding = sharding_of(operand)
            if type(sharding) is not SingleDeviceSharding and sharding.num_devices > 1:
                return True
        elif type(operand) is jax.ShapeDtypeStruct and is_spread(operand.sharding):
            return True
    return False


def check_devices(sources: Sequence[Source], operands: Sequence) -> None:
    """Refuse arrays on different devices, of which none is part of one program.

    Raises:
        ValueError: with two of them.
    """
    first: tuple[Source, set] | None = None
    for source, operand in zip(sources, operands, strict=True):
        if type(operand) is not ConcreteArray or not operand.committed:
            continue
        devices = operand.sharding.device_set
        first = first or (source, devices)
        if devices != first[1]:
            places = [sorted(d.id for d in found) for found in (first[1], devices)]
            raise ValueError(f"{first[0]} lies on the devices {places[0]}, and {source} on the devices {places[1]}")


def moved_to(sharding: Any, devices: Sequence, target: str) -> Any:
    """A sharding over several devices, over others; None for another one.

    Raises:
        ValueError: if these are more or fewer.
    """
    if not is_spread(sharding):
        return None
    if not isinstance(sharding, NamedSharding) or sharding.num_devices != len(devices):
        count = sharding.num_devices
        raise ValueError(f"{target!r} has {len(devices)} devices, and the arguments lie on {count}")
    mesh = sharding.mesh
    made = Mesh(np.array(devices).reshape(mesh.axis_sizes), mesh.axis_names, axis_types=mesh.axis_types)
    return NamedSharding(made, sharding.spec)


# -- where operands and results belong --------------------------------------------------------------------------------


def operand_shardings(policy: Any, parameters: Sequence[Parameter]) -> list | None:
    """Where the operands of a program belong, as `jax.jit` takes it; None if nobody has said.

    Raises:
        ValueError: if an array cannot be laid out so.
    """
    if policy.in_shardings is None and policy.sharding is None:
        return None
    found = []
    for parameter in parameters:
        shape = parameter.var.type.shape
        if policy.in_shardings is None:
            sharding = _fitted(policy.sharding, len(shape))
        else:
            sharding = _given(policy.in_shardings, parameter.source)
        check_fits(sharding, shape, parameter.source)
        found.append(sharding)
    return found


def _fitted(sharding: Any, rank: int) -> Any:
    """The sharding of `device` for an operand: what has too few axes for it is wherever the mesh is."""
    if isinstance(sharding, NamedSharding) and len(sharding.spec) > rank:
        return NamedSharding(sharding.mesh, _REPLICATED, memory_kind=sharding.memory_kind)
    return sharding


def _given(shardings: Mapping[str, Any], source: Source) -> Any:
    """What `in_shardings` says of the operand at a source; None if nothing."""
    path = []
    while source.base is not None:
        path.append(source)
        source = source.outer
    found: Any = shardings.get(source.key) if source.kind == "argument" else None
    for step in reversed(path):
        if is_leaf(found):
            break
        try:
            found = getattr(found, step.key) if step.kind == "attribute" else found[step.key]
        except (AttributeError, LookupError, TypeError) as error:
            raise ValueError(f"in_shardings says nothing of {step}: it has {found!r} there") from error
    return found if is_leaf(found) else None


def to_devices(run: Callable, shardings: Sequence | None) -> Callable:
    """`run`, whose NumPy operands are put where `shardings` say. Of the others JAX gets views, for which it cannot take
    what it has made of the same arrays before (see `spread`)."""

    def call(*operands: Any) -> Any:
        given = shardings or [None] * len(operands)
        return run(*map(_put, operands, given))

    return call


def _put(operand: Any, sharding: Any) -> Any:
    if not isinstance(operand, np.ndarray | np.generic) or operand.dtype.kind not in "biufc":
        return operand
    if sharding is None:
        return operand[...] if isinstance(operand, np.ndarray) else operand
    return spread(np.asarray(operand), _with_mesh(sharding))


def _with_mesh(sharding: Any) -> Sharding:
    """A sharding, over the caller's mesh where only the axes are given."""
    return NamedSharding(jax.sharding.get_mesh(), sharding) if isinstance(sharding, PartitionSpec) else sharding


class Places(NamedTuple):
    """Where outputs of a program for several devices belong, besides what `out_shardings` says.

    Attributes:
        buffers: how the arrays that `xlapy.device_array` has made, and the program changes, are laid out.
        everywhere: where each of several hosts finds what it looks at; None if there is one host.
    """

    buffers: Mapping[Source, Sharding]
    everywhere: Sharding | None


def places_of(policy: Any, analysis: Analysis, operands: Sequence) -> Places:
    """Those of a program, which is called with `operands` first."""
    buffers, meshes = {}, []
    for parameter, operand in zip(analysis.parameters, operands, strict=True):
        base = parameter.source.base
        sharding: Any = getattr(operand, "sharding", None)
        if base is not None and is_device_buffer(base) and is_spread(sharding):
            buffers[base] = sharding
        meshes += [sharding.mesh] if isinstance(sharding, NamedSharding) else []
    several = jax.process_count() > 1
    if several and not get_abstract_mesh().empty:
        meshes.append(jax.sharding.get_mesh())
    told = [policy.sharding, *jax.tree.leaves([policy.in_shardings, policy.out_shardings], is_leaf=is_leaf)]
    meshes += [s.mesh for s in told if isinstance(s, NamedSharding)]
    mesh = next((m for m in meshes if m.size == jax.device_count()), None) if several else None
    return Places(buffers, None if mesh is None else NamedSharding(mesh, _REPLICATED))


def result_shardings(analysis: Analysis, policy: Any, places: Places | None) -> dict[int, Any]:
    """Where outputs belong, by their number: as `out_shardings` and `places` say.

    Raises:
        ValueError: if it has another structure than the result, or an array cannot be laid out so.
    """
    found = _told(analysis)
    if places is not None:
        changed = {e.source: e.reconstruction for e in analysis.effects if e.source in places.buffers}
        found |= {k: places.buffers[source] for source, recipe in changed.items() for k in outputs_of(recipe)}
    found |= _of_outputs(analysis.result, policy.out_shardings)
    if places is not None and places.everywhere is not None:
        delivered = delivered_outputs(analysis, result_kind(policy.returns, analysis, on_devices=True))
        looked_at = set(range(len(analysis.module.entry.results))) - delivered
        found |= dict.fromkeys(looked_at, places.everywhere)
    for k, sharding in found.items():
        check_fits(sharding, analysis.module.entry.results[k].type.shape, "the result")
    return found


def _told(analysis: Analysis) -> dict[int, Any]:
    """The outputs of which the program itself says how they are laid out."""
    found = {}
    for k, var in enumerate(analysis.module.entry.results if analysis.spans_devices else ()):
        jaxpr = getattr(var.owner, "jaxpr", None)
        if jaxpr is not None and jaxpr.jaxpr.eqns and jaxpr.jaxpr.eqns[-1].primitive.name == "sharding_constraint":
            found[k] = jaxpr.jaxpr.eqns[-1].params["sharding"]
    return found


def _of_outputs(recipe: Any, shardings: Any) -> dict[int, Any]:
    if shardings is None:
        return {}
    if is_leaf(shardings):
        return dict.fromkeys(outputs_of(recipe), shardings)
    if isinstance(recipe, Made) and recipe.kind == "instance" and type(shardings) is recipe.cls:
        # What has no outputs in it is no leaf of a pytree, or is the same in both.
        fields = ((name, part) for name, part in recipe.fields.items() if list(outputs_of(part)))
        return {k: v for name, part in fields for k, v in _of_outputs(part, getattr(shardings, name)).items()}
    parts, own = _parts_of(recipe), None
    if isinstance(shardings, Mapping | list | tuple):
        own = shardings if isinstance(shardings, Mapping) else dict(enumerate(shardings))
    if parts is None or own is None or parts.keys() != own.keys():
        raise ValueError(f"out_shardings has another structure than the result: {shardings!r}")
    return {k: v for key, part in parts.items() for k, v in _of_outputs(part, own[key]).items()}


def _parts_of(recipe: Any) -> dict[Any, Any] | None:
    """The items of a tuple, list or dict that is a result, None if it is none."""
    if isinstance(recipe, SequenceRecipe):
        return dict(enumerate(recipe.items))
    if isinstance(recipe, Made) and recipe.kind == "list":
        return dict(enumerate(recipe.entries))
    if isinstance(recipe, Made) and recipe.kind == "dict":
        return {key.value if isinstance(key, Known) else key: part for key, part in recipe.entries}
    return None


def placed(result: Any, shardings: Any) -> Any:
    """A result of which all arrays are where `out_shardings` says: most are."""
    if shardings is None or not isinstance(shardings, Sharding | PartitionSpec):
        parts = jax.tree.leaves(shardings, is_leaf=is_leaf)
        if all(part is None for part in parts):
            return result
        made = jax.tree.map(lambda part, one: placed(one, part), shardings, result, is_leaf=is_leaf)
    else:
        made = jax.tree.map(lambda array: _moved(array, _with_mesh(shardings)), result)
    before, after = jax.tree.leaves(result), jax.tree.leaves(made)
    return result if all(x is y for x, y in zip(before, after, strict=True)) else made


def _moved(array: Any, sharding: Sharding) -> Any:
    if not isinstance(array, jax.Array) or array.sharding.is_equivalent_to(sharding, array.ndim):
        return array
    return jax.device_put(array, sharding)


def check_fits(sharding: Any, shape: Sequence[int], where: object) -> None:
    """Refuse an array whose axes a sharding cannot divide.

    Raises:
        ValueError: with the place, the axis and its length.
    """
    if isinstance(sharding, PartitionSpec):
        mesh = get_abstract_mesh()
        if mesh.empty:
            raise ValueError(f"{where}: {sharding} needs a mesh, and there is none: call within jax.set_mesh(mesh)")
        unknown = [name for name in _axis_names(sharding) if name not in mesh.axis_names]
        if unknown:
            raise ValueError(
                f"{where}: {sharding} names {unknown[0]!r}, and the axes of the mesh are {mesh.axis_names}"
            )
        sizes, spec = mesh.shape, sharding
    elif isinstance(sharding, NamedSharding):
        sizes, spec = sharding.mesh.shape, sharding.spec
    else:
        return
    if len(spec) > len(shape):
        raise ValueError(f"{where} has {len(shape)} axes, and {spec} says how to divide {len(spec)}")
    for axis, (length, entry) in enumerate(zip(shape, spec, strict=False)):
        parts = 1
        for name in _axis_names((entry,)):
            parts *= sizes[name]
        if length % parts:
            message = f"{where}: axis {axis} is of length {length}, which {spec} divides into {parts} equal parts"
            raise ValueError(message)


def _axis_names(spec: Any) -> list[Any]:
    """The names in a partition specification."""
    found = []
    for entry in spec:
        entries = entry if isinstance(entry, tuple) else (entry,)
        found += [name for name in entries if isinstance(name, str)]
    return found


# -- meshes with explicit axes ----------------------------------------------------------------------------------------


def explicit_mesh(operands: Sequence) -> AbstractMesh | None:
    """The mesh with explicit axes that operands of a program lie on, or that is the caller's; None if there is none."""
    found = [jax.typeof(x).sharding.mesh for x in operands if isinstance(x, jax.Array)]
    return next((mesh for mesh in (*found, get_abstract_mesh()) if mesh.explicit_axes), None)


def in_auto_axes(run: Callable[..., list], operands: Sequence, wanted: Mapping[int, Any]) -> list:
    """`run(*operands)`, a list of arrays, some of which are laid out as is `wanted`.

    On meshes with explicit axes the types of operands tell how they are laid out, and so do those of the results then.
    JAX's rules for such types refuse what they cannot tell of, a part of an array that does not divide, for example.
    XLA lays everything out. Where those rules do tell, the results are what they say; else results are laid out as an
    operand of the same shape, or are everywhere.
    """
    mesh = explicit_mesh(operands)
    if mesh is None:
        results = list(run(*operands))
        for k, sharding in wanted.items():
            if sharding is not None:
                results[k] = jax.lax.with_sharding_constraint(results[k], sharding)
        return results
    specs = _result_specs(run, operands, mesh)
    for k, sharding in wanted.items():
        spec = sharding.spec if isinstance(sharding, NamedSharding) else sharding
        specs[k] = spec if isinstance(spec, PartitionSpec) else specs[k]
    shardings = [NamedSharding(mesh, spec) for spec in specs]
    inside: Any = jax.sharding.auto_axes(run, axes=mesh.explicit_axes, out_sharding=shardings)
    return inside(*operands)


def _result_specs(run: Callable[..., list], operands: Sequence, mesh: AbstractMesh) -> list[PartitionSpec]:
    with jax.sharding.use_abstract_mesh(mesh):
        try:
            return [x.sharding.spec for x in jax.eval_shape(run, *operands)]
        except Exception:  # noqa: S110 - whatever JAX's rules refuse
            pass
    with jax.sharding.use_abstract_mesh(auto(mesh)):
        shapes = jax.eval_shape(run, *[jax.ShapeDtypeStruct(x.shape, x.dtype) for x in operands])
    specs = {tuple(x.shape): jax.typeof(x).sharding.spec for x in reversed(operands) if isinstance(x, jax.Array)}
    return [specs.get(tuple(x.shape), _REPLICATED) for x in shapes]
