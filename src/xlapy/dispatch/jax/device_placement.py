"""Where arrays lie: shardings and meshes as known objects, and JAX's functions that put arrays somewhere.

In a program that runs on several devices XLA decides where an array lies, unless it is told. What the caller's arrays
say of themselves is known when the program is made, and assumed.
"""

from __future__ import annotations

import inspect
import types
from functools import partial
from typing import Any

import jax
from jax.sharding import AbstractMesh, AxisType, Mesh, NamedSharding, PartitionSpec, Sharding, SingleDeviceSharding

from xlapy.dispatch import registry
from xlapy.dispatch.jax import jax_functions
from xlapy.dispatch.protocol import Machine, Refused
from xlapy.domain.values import NONE, Const, Intrinsic, JaxArray, Value
from xlapy.lowering.jaxprs.meshes import callers_mesh

#: what `x.name` says of where an array lies
PLACES = frozenset(("sharding", "device", "committed", "is_fully_addressable", "is_fully_replicated"))


def _made(cls: type, machine: Machine, *args: Value, **kwargs: Value) -> Value:
    """An object that describes devices, made of known ones."""
    known = [machine.static(a) for a in args], {name: machine.static(v) for name, v in kwargs.items()}
    try:
        return Const(cls(*known[0], **known[1]))
    except (TypeError, ValueError) as error:
        return machine.reraise(error)


for _class in (NamedSharding, SingleDeviceSharding, PartitionSpec, Mesh, AbstractMesh):
    registry.function(_class)(partial(_made, _class))


@registry.function(jax.sharding.get_mesh)
def _mesh(machine: Machine) -> Value:
    """The caller's mesh, which a program is made for."""
    try:
        return Const(jax.sharding.get_mesh())
    except ValueError as error:
        return machine.reraise(error)


@registry.function(jax.sharding.get_abstract_mesh)
def _abstract_mesh(machine: Machine) -> Value:
    return Const(callers_mesh())


def place(machine: Machine, value: JaxArray, name: str) -> Value | None:
    """What an array of the caller's says of where it lies; None for one that the program makes."""
    found = machine.world.described(value.var, name)
    return None if found is None else Const(found[0])


@registry.function(jax.typeof)
def _typeof(machine: Machine, x: Value) -> Value:
    """JAX's type of an array. Along explicit axes it tells how the array is laid out, which is not known of all."""
    if isinstance(x, JaxArray):
        found = machine.world.described(x.var, "aval")
        if found is not None and place(machine, x, "sharding") is not None:
            return Const(found[0])
        if callers_mesh().explicit_axes or machine.world.lies_on_explicit_axes():
            raise Refused(
                "XP0011",
                "the type of an array that the program makes, on a mesh with explicit axes",
                "ask for the type of an argument; XLA decides here how other arrays are laid out",
            )
    return jax_functions.call(machine, jax.typeof, [x], {})


@registry.function(jax.lax.with_sharding_constraint)
def constrained(machine: Machine, x: Value, shardings: Value) -> Value:
    """Arrays that lie where they are told to; the program is one for several devices then."""
    arguments = jax_functions.Arguments(machine)
    wanted = jax.tree.map(_auto, arguments.template(shardings), is_leaf=_is_place)
    template = ((arguments.template(x), wanted), {})
    machine.builder.spans_devices = True
    return jax_functions.emit_call(machine, jax.lax.with_sharding_constraint, template, arguments)


@registry.function(jax.shard_map)
def _shard_map(machine: Machine, *args: Value, **kwargs: Value) -> Value:
    """A function of the program that each device computes for its part."""
    machine.builder.spans_devices = True
    mesh, names = kwargs.get("mesh"), kwargs.get("axis_names")
    if isinstance(mesh, Const):
        kwargs = {**kwargs, "mesh": Const(_with_auto_axes(mesh.value))}
    if names is not None:
        kwargs = {**kwargs, "axis_names": Const(frozenset(machine.static(names)))}
    if args or "f" in kwargs:
        function = args[0] if args else kwargs.pop("f")
        return jax_functions.deferred(machine, jax.shard_map, [function, *args[1:]], kwargs)
    return Intrinsic("shard_map", lambda inner, f: _shard_map(inner, f, **kwargs), tuple(kwargs.values()))


def mapped(item: object) -> tuple[Any, dict[str, Any]] | None:
    """The function and the options that `jax.shard_map` has made a callable of; None for any other."""
    if not isinstance(item, types.FunctionType):
        return None
    outer = inspect.getclosurevars(item).nonlocals.get("fun") if item.__code__.co_freevars == ("fun",) else None
    if not isinstance(outer, types.FunctionType) or outer.__code__.co_filename != _SHARD_MAP:
        return None
    known = dict(inspect.getclosurevars(outer).nonlocals)
    options = {name: known[name] for name in _OPTIONS if name in known}
    return (known["f"], options) if len(options) == len(_OPTIONS) else None


_SHARD_MAP = inspect.getsourcefile(inspect.unwrap(jax.shard_map))
_OPTIONS = ("mesh", "in_specs", "out_specs", "axis_names", "check_vma")


def _is_place(item: Any) -> bool:
    return item is None or isinstance(item, Sharding | PartitionSpec)


def _auto(sharding: Any) -> Any:
    """A sharding over a mesh along whose axes XLA decides: those that are explicit are so only for the caller."""
    if not isinstance(sharding, NamedSharding) or not sharding.mesh.abstract_mesh.explicit_axes:
        return sharding
    return NamedSharding(_with_auto_axes(sharding.mesh), sharding.spec, memory_kind=sharding.memory_kind)


def _with_auto_axes(mesh: Any) -> Any:
    """A mesh along whose axes XLA decides."""
    if not isinstance(mesh, Mesh | AbstractMesh) or not mesh.abstract_mesh.explicit_axes:
        return mesh
    kinds = [AxisType.Auto if t == AxisType.Explicit else t for t in mesh.axis_types]
    if isinstance(mesh, Mesh):
        return Mesh(mesh.devices, mesh.axis_names, axis_types=tuple(kinds))
    return mesh.update_axis_types(dict(zip(mesh.axis_names, kinds, strict=True)))


@registry.function(jax.sharding.reshard)
def _reshard(machine: Machine, xs: Value, out_shardings: Value) -> Value:
    """Along explicit axes a constraint is what changes the type; JAX refuses it along others."""
    known: Any = out_shardings.value if isinstance(out_shardings, Const) else None
    mesh = known.mesh.abstract_mesh if isinstance(known, NamedSharding) else callers_mesh()
    if _is_place(known) and mesh.explicit_axes:
        return constrained(machine, xs, out_shardings)
    return jax_functions.call(machine, jax.sharding.reshard, [xs, out_shardings], {})


@registry.function(jax.device_put)
def _device_put(machine: Machine, x: Value, device: Value = NONE, **options: Value) -> Value:
    """To put an array on several devices in a program is to tell XLA where it lies."""
    known = device.value if isinstance(device, Const) else None
    if isinstance(known, NamedSharding):
        return constrained(machine, jax_functions.call(machine, jax.device_put, [x], {}), device)
    return jax_functions.call(machine, jax.device_put, [x, device], options)


__all__ = ["PLACES", "constrained", "place"]
