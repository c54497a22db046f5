"""JAX's own functions are leaves: traced once for their operand types, never listed.

Every public function of `jax.numpy`, `jax.lax`, `jax.nn`, `jax.random`, `jax.scipy` and the transformations of `jax`
is called as it is, with device values in the place of arrays. Python callables among the arguments (of `jax.vmap`,
`jax.grad`, `lax.scan`...) are interpreted when JAX calls them. A call that returns a callable (`jax.vmap(f)`) is put
off until that is called.
"""

from __future__ import annotations

import types
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import jax
import jax.extend.core
import jax.numpy as jnp
import numpy as np

from xlapy.dispatch import leaves
from xlapy.dispatch.containers.container_protocol import new_dict, structure
from xlapy.dispatch.jax.host_callbacks import HOST_CALLBACKS, on_host
from xlapy.dispatch.jax.lax_equivalents import direct
from xlapy.dispatch.protocol import Machine, NeedStatic, Refused
from xlapy.dispatch.unions import selects
from xlapy.domain.join import unchanged
from xlapy.domain.numbers import SCALAR_DTYPES
from xlapy.domain.values import (
    NONE,
    BoundMethod,
    Const,
    Function,
    Intrinsic,
    JaxArray,
    NdArray,
    NumpyScalar,
    Range,
    Ref,
    Scalar,
    Slice,
    Tuple,
    Union,
    Value,
    made_tuple,
)
from xlapy.immutable import immutable
from xlapy.ir import Region, TensorType, Var, captured, constant_value
from xlapy.lowering.evaluate import evaluate
from xlapy.lowering.jaxprs.meshes import current_mesh
from xlapy.lowering.jaxprs.varying_axes import is_checked

_LEAF_MODULES = ("jax.", "jaxlib.")


def is_leaf(item: object) -> bool:
    """Whether a callable belongs to JAX and is called as it is."""
    if is_defined_by_jax(item):
        return True
    return isinstance(item, jax.custom_jvp | jax.custom_vjp) or _is_pjit(item)


def is_defined_by_jax(item: object) -> bool:
    """Whether a callable stands in one of JAX's own modules."""
    module = getattr(item, "__module__", None) or ""
    return module.startswith(_LEAF_MODULES) or module == "jax"


def _is_pjit(item: object) -> bool:
    return type(item).__module__.startswith("jaxlib") and hasattr(item, "__wrapped__") and hasattr(item, "lower")


def is_jitted_object(item: object) -> bool:
    """Whether a callable object is another library's own form of `jax.jit`, and is called as it is."""
    kind = type(item)
    return (kind.__module__, kind.__name__) == ("equinox._jit", "_JitWrapper")


# -- arguments --------------------------------------------------------------------------------------------------------


@immutable()
class Operand:
    """Stands for the operand number `index` in an argument; `weak` Python numbers keep JAX's weak types."""

    index: int


class Arguments:
    """Splits abstract arguments into operands (device values) and a template of Python objects."""

    def __init__(self, machine: Machine) -> None:
        self.machine = machine
        self.operands: list[Var] = []
        self.has_callables = False

    def template(self, value: Value) -> Any:
        """`value` as a Python object with an `Operand` for each device value."""
        machine = self.machine
        match value:
            case Const():
                if isinstance(value.value, types.FunctionType | types.MethodType) and not is_leaf(value.value):
                    return self._callable(value)
                return value.value
            case Scalar() | NumpyScalar() | JaxArray():
                return self._operand(value.var)
            case NdArray():
                return self._array(machine.read(value))
            case Union() if (var := _chosen_number(machine, value)) is not None:
                return self._operand(var)
            case Tuple():
                items = tuple(map(self.template, value.items))
                return made_tuple(value.cls, items)
            case Slice():
                return slice(*map(self.template, (value.start, value.stop, value.step)))
            case Range():
                return machine.static(value)
            case Function() | BoundMethod():
                return self._callable(value)
            case Intrinsic():
                return self._callable(value)
            case Ref():
                return self._object(value)
        raise Refused("XP0011", f"{machine.describe(value)} as an argument of a JAX function")

    def _array(self, var: Var) -> object:
        """A number that is known stays so: what a reduction starts with says which one it is."""
        known = constant_value(var) if var.type.shape == () else None
        return self._operand(var) if known is None else Known(known.tobytes(), known.dtype)

    def _operand(self, var: Var) -> Operand:
        self.operands.append(var)
        return Operand(len(self.operands) - 1)

    def callable_template(self, value: Value) -> Any:
        """A value in the position of a function: interpreted when JAX calls it, unless it is JAX's own."""
        if isinstance(value, Const) and is_leaf(value.value):
            return value.value
        return self._callable(value)

    def _callable(self, value: Value) -> Interpreted:
        self.has_callables = True
        return Interpreted(self.machine, value)

    def _object(self, value: Ref) -> Any:
        info = self.machine.heap.objects[value.object]
        if info.kind in ("list", "dict") and info.cls in (list, dict):
            contents = structure(self.machine, value)
            if isinstance(contents, Tuple):
                return [self.template(v) for v in contents.items]
            return {k: self.template(v) for k, v in dict.items(contents.entries)}
        if info.kind == "instance":
            tree = self.machine.world.pytree_children(value)
            if tree is not None:
                rebuild, parts = tree
                return Rebuilt(rebuild, tuple(map(self.template, parts)))
            if any("__call__" in cls.__dict__ for cls in info.cls.__mro__):
                return self._callable(value)
        raise Refused("XP0011", f"an object of class {info.cls.__name__} as an argument of a JAX function")


def _chosen_number(machine: Machine, union: Union) -> Var | None:
    """The device value of a union of numbers, of a type that holds all of them; None if it is not that."""
    builder = machine.builder
    found = []
    for value in union.alternatives:
        if isinstance(value, Const) and type(value.value) in SCALAR_DTYPES:
            found.append(builder.constant(value.value, SCALAR_DTYPES[type(value.value)]))
        elif isinstance(value, Scalar | NumpyScalar) or (isinstance(value, JaxArray) and not value.var.type.shape):
            found.append(value.var)
        else:
            return None
    dtype = np.result_type(*(var.type.dtype for var in found))
    chosen, *others = (builder.convert(var, dtype) for var in found)
    for index, var in enumerate(others, 1):
        here = selects(machine, union, index)
        chosen = builder.elementwise("select", here, var, chosen)
    return chosen


@dataclass(frozen=True)
class Known:
    """An array of rank 0 whose element is known at compile time."""

    element: bytes
    dtype: np.dtype

    def array(self) -> np.ndarray:
        """The number as an array of no dimensions."""
        return np.frombuffer(self.element, self.dtype).reshape(())


@dataclass(frozen=True)
class Rebuilt:
    """A registered pytree node that is made again from its children."""

    rebuild: Callable
    parts: tuple


def fill(template: object, arrays) -> Any:
    """The Python object of a template, with arrays in the places of its operands."""
    if isinstance(template, Operand):
        return arrays[template.index]
    if isinstance(template, Known):
        return template.array()
    if isinstance(template, tuple):
        items = tuple(fill(t, arrays) for t in template)
        return items if type(template) is tuple else type(template)(*items)
    if isinstance(template, list):
        return [fill(t, arrays) for t in template]
    if isinstance(template, dict):
        return {k: fill(v, arrays) for k, v in template.items()}
    if isinstance(template, slice):
        return slice(fill(template.start, arrays), fill(template.stop, arrays), fill(template.step, arrays))
    if isinstance(template, Rebuilt):
        return template.rebuild([fill(p, arrays) for p in template.parts])
    return template


def _key(template: object) -> object:
    """A hashable form of a template, or TypeError."""
    if isinstance(template, tuple):
        return (type(template), *map(_key, template))
    if isinstance(template, list):
        return (list, *map(_key, template))
    if isinstance(template, dict):
        return (dict, *((k, _key(v)) for k, v in template.items()))
    if isinstance(template, slice):
        return (slice, _key(template.start), _key(template.stop), _key(template.step))
    if isinstance(template, Operand | Known):
        return template
    if isinstance(template, Interpreted | Rebuilt):
        raise TypeError
    hash(template)
    return (type(template), template)


# -- calls ------------------------------------------------------------------------------------------------------------


def call(machine: Machine, function: Callable, args: list[Value], kwargs: dict[str, Value]) -> Value:
    """Call a JAX function with abstract arguments."""
    if function is jax.jit:
        return deferred(machine, function, args, kwargs)
    arguments = Arguments(machine)
    host: list[object] = []
    if function in HOST_CALLBACKS:
        args, kwargs = list(args), dict(kwargs)
        host.append(on_host(machine, args.pop(0) if args else kwargs.pop("callback")))
    template = (
        (*host, *(arguments.template(a) for a in args)),
        {k: arguments.template(v) for k, v in kwargs.items()},
    )
    return emit_call(machine, function, template, arguments)


def emit_call(machine: Machine, function: Callable, template: tuple, arguments: Arguments) -> Value:
    """Trace `function` on the operands of `template` (or recall the trace) and emit it as a leaf."""
    x64: bool = machine.ambient_x64
    operands = [canonical(machine, v) for v in arguments.operands] if not x64 else arguments.operands
    # The body is the program's, in NumPy's types.
    x64 = x64 or isinstance(function, _Applied) and function.transform is jax.shard_map
    name = getattr(function, "__name__", type(function).__name__)
    if arguments.has_callables and name in _DERIVATIVES and is_checked():
        raise Refused("XP0011", f"jax.{name} inside of jax.shard_map", "use jax.grad, jax.jvp, or xlapy's own")
    types_ = tuple(v.type for v in operands)
    try:
        key = (function, _key(template), types_, x64, current_mesh(), is_checked())
        hash(key)
    except TypeError:
        key = None
    kept = leaves.recall(key) if key is not None else None
    if kept is None:
        kept = _known(function, template, types_, x64) or _trace(machine, function, template, operands, types_, x64)
        if key is not None and not arguments.has_callables:
            leaves.remember(key, kept)
    jaxpr, types, tree, statics, extra = kept
    used = extra if x64 else [canonical(machine, v) for v in extra]
    results = leaves.emit_typed(machine.builder, jaxpr, (*operands, *used), types, name)
    return _result(machine, tree, statics, iter(results))


#: derivatives that JAX takes when it is called, before it is known what varies from device to device
_DERIVATIVES = frozenset(("vjp", "linearize", "linear_transpose"))
_NARROW = {
    np.dtype(np.float64): np.dtype(np.float32),
    np.dtype(np.int64): np.dtype(np.int32),
    np.dtype(np.uint64): np.dtype(np.uint32),
    np.dtype(np.complex128): np.dtype(np.complex64),
}


def _narrowed(type_: TensorType) -> TensorType:
    return TensorType(type_.shape, _NARROW.get(type_.dtype, type_.dtype), type_.weak)


def canonical(machine: Machine, var: Var) -> Var:
    """JAX without 64-bit types takes 64-bit arrays as 32-bit ones."""
    narrow = _NARROW.get(var.type.dtype)
    return var if narrow is None else machine.builder.convert(var, narrow, var.type.weak)


def _trace(machine: Machine, function: Callable, template, operands, types_, x64: bool):
    """The jaxpr of a call, its types, the structure of its result, and values of outer regions that callables use."""
    found: dict = {}
    extra: list[Var] = []
    captures = machine.captures

    def run(*arrays):
        own, outer = arrays[: len(operands)], arrays[len(operands) :]
        captures.append((dict(zip(map(id, extra), outer, strict=True)), wanted))
        try:
            positional, named = fill(template, own)
            result = function(*positional, **named)
        finally:
            captures.pop()
        flat, tree = jax.tree.flatten(result, is_leaf=_is_opaque)
        arrays_out = [x for x in flat if isinstance(x, jax.Array)]
        found["tree"] = tree
        found["static"] = [None if isinstance(x, jax.Array) else (x,) for x in flat]
        return arrays_out

    while True:
        wanted: list[Var] = []
        try:
            jaxpr = leaves.trace(run, (*types_, *(v.type if x64 else _narrowed(v.type) for v in extra)), x64)
        except _Wanted:
            extra.extend({id(v): v for v in wanted}.values())
            continue
        except jax.errors.NonConcreteBooleanIndexError as error:
            message = "an element of a jax.Array for each true element of a mask: its length depends on data"
            raise Refused("XP0013", message, "np.asarray(x)[mask], or jnp.where(mask, x, 0)") from error
        except leaves.UNKNOWN as error:
            raise _needs_static(machine, function, operands, error) from error
        except _JAX_ERRORS as error:
            if any(text in str(error) for text in ("Tracer(", "Tracer<", "'<function ")):
                # JAX met what we put in the place of a known value: that is not the program's error
                raise _needs_static(machine, function, operands, error) from error
            return machine.reraise(error)
        types = tuple(map(leaves.tensor_type, jaxpr.out_avals))
        return jaxpr, types, found["tree"], found["static"], tuple(extra)


_ONE = jax.tree.structure(0)


def _known(function: Callable, template: tuple, types: tuple[TensorType, ...], x64: bool):
    """The same for a call of which it is known what it gives; else None."""
    positional, named = fill(template, types)
    found = direct(function, positional, named, lambda applied: leaves.trace(applied, types, x64))
    return found and (found[0], (found[1],), _ONE, [None], ())


def _needs_static(machine: Machine, function: Callable, operands, error: Exception) -> Exception:
    """JAX takes only a known value for an argument: ask for the numbers among the arguments, or refuse."""
    name = getattr(function, "__name__", "a JAX function")
    for var in operands:
        if var.type.shape == () and var.type.dtype.kind in "ib" and constant_value(var) is None:
            return NeedStatic(var, f"an argument of {name}")
    return Refused("XP0006", f"{name} needs a value at compile time: {str(error).splitlines()[0]}")


def _is_opaque(item: object) -> bool:
    return item is None


def _result(machine: Machine, tree, statics, results) -> Value:
    leaves_ = [JaxArray(next(results)) if static is None else _Static(static[0]) for static in statics]
    made = jax.tree.unflatten(tree, leaves_)
    return abstract(machine, made)


@immutable()
class _Static:
    value: object


class Factory:
    """Stands for the `default_factory` of a defaultdict `owner`."""

    def __init__(self, owner: Ref, value: Value) -> None:
        self.owner, self.value = owner, value

    def __call__(self) -> object:
        """The JAX function."""
        raise NotImplementedError

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Factory):
            return False
        if isinstance(self.value, Const) and isinstance(other.value, Const):
            return self.value.value is other.value.value
        return self.value is other.value

    def __hash__(self) -> int:
        return hash(Factory)


def abstract(machine: Machine, item: object) -> Value:
    """A result of JAX's as an abstract value."""
    if isinstance(item, Value):
        return item
    if isinstance(item, _Static):
        return machine.world.wrap_anchored(item.value)
    if isinstance(item, tuple):
        return Tuple(tuple(abstract(machine, v) for v in item), type(item))
    if isinstance(item, list):
        return machine.new_list([abstract(machine, v) for v in item])
    if isinstance(item, dict):
        entries = {k: abstract(machine, v) for k, v in item.items()}
        factory = getattr(item, "default_factory", None)
        return new_dict(machine, type(item), entries, factory.owner if isinstance(factory, Factory) else None)
    if item is None:
        return NONE
    return machine.world.adopt(item, lambda part: abstract(machine, part))


# -- callables inside JAX's functions ---------------------------------------------------------------------------------


#: what JAX's functions raise for arguments that they do not take
_JAX_ERRORS = (TypeError, ValueError, IndexError, NotImplementedError, ZeroDivisionError)


class _Wanted(Exception):
    """A callable uses values of enclosing regions that are not among the operands yet: the trace starts again."""


class Interpreted:
    """A Python callable that interprets a function of the program when JAX calls it with tracers."""

    def __init__(self, machine: Machine, function: Value) -> None:
        self.machine, self.function = machine, function
        #: for each structure and types of arguments, the region, the template of the result, and what keeps keys alive
        self.regions: dict = {}
        self.__name__ = getattr(getattr(function, "value", function), "__name__", "function")

    def __call__(self, *args, **kwargs):
        """Call the JAX function inside a program."""
        flat, tree = jax.tree.flatten((args, kwargs), is_leaf=_is_opaque)
        arrays = [x for x in flat if isinstance(x, jax.Array | np.ndarray)]
        statics = tuple(None if isinstance(x, jax.Array | np.ndarray) else _Static(x) for x in flat)
        types_ = tuple(leaves.tensor_type(jax.typeof(x)) for x in arrays)
        key = (tree, types_, tuple(None if s is None else id(s.value) for s in statics))
        if key not in self.regions:
            self.regions[key] = (*self._interpret(tree, types_, statics), statics)
        region, template, _ = self.regions[key]
        known, wanted = self.machine.captures[-1]
        needed = captured(region)
        wanted.extend(var for var in needed if id(var) not in known)
        if wanted:
            raise _Wanted
        environment: dict[Var, object] = dict(zip(region.params, map(jnp.asarray, arrays), strict=True))
        environment.update((var, known[id(var)]) for var in needed)
        return fill(template, evaluate(region, environment))

    def _interpret(self, tree, types_, statics) -> tuple[Region, Any]:
        """The region that computes the function for arguments of these types, and the template of its result."""
        machine = self.machine
        region: Region = machine.builder.open_region(types_)
        params = iter(region.params)
        before = machine.heap.slots.copy()
        mark = machine.heap.next_identity
        with machine.region(region):
            inputs = [JaxArray(next(params)) if s is None else s for s in statics]
            positional, named = jax.tree.unflatten(tree, inputs)
            try:
                result = machine.call(
                    self.function,
                    [abstract(machine, a) for a in positional],
                    {k: abstract(machine, v) for k, v in named.items()},
                )
            except _JAX_ERRORS as error:
                # Not what a JAX function says of its arguments, which is the program's to catch.
                raise RuntimeError(f"xlapy failed inside '{self.__name__}': {error}") from error
            arguments = Arguments(machine)
            template = arguments.template(result)
        for slot, value in machine.heap.slots.items():
            old = before.get(slot) or machine.heap.initial.get(slot)
            if not machine.heap.made_since(slot[0], mark) and not unchanged(old, value):
                raise Refused("XP0010", "a function given to JAX changes something outside itself")
        machine.heap.slots = before
        machine.heap.untold += 1
        region.results = arguments.operands
        return region, template


def deferred(machine: Machine, transform: Callable, args: list[Value], kwargs: dict[str, Value]) -> Value:
    """`jax.jit(f)` and its like: a callable that is applied when it is called."""

    def rule(inner: Machine, *more: Value, **named: Value) -> Value:
        arguments = Arguments(inner)
        function, *rest = args
        head = arguments.callable_template(function)
        first = (
            (head, *(arguments.template(a) for a in rest)),
            {k: arguments.template(v) for k, v in kwargs.items()},
        )
        second = (tuple(arguments.template(a) for a in more), {k: arguments.template(v) for k, v in named.items()})
        arguments.has_callables = True
        return emit_call(inner, _Applied(transform), ((first, second), {}), arguments)

    return Intrinsic(transform.__name__, rule, tuple(args))


class _Applied:
    """`transform(*first)(*second)`."""

    def __init__(self, transform: Callable) -> None:
        self.transform = transform
        self.__name__ = transform.__name__

    def __call__(self, first, second):
        (args, kwargs), (more, named) = first, second
        return self.transform(*args, **kwargs)(*more, **named)
