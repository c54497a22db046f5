"""Arguments and results of transformed functions, taken apart into arrays and put together again."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import jax.numpy as jnp
import numpy as np

from xlapy.dispatch import kinds, unions
from xlapy.dispatch.argument_kinds import require_static
from xlapy.dispatch.containers.container_protocol import NODES, new_dict, structure
from xlapy.dispatch.jax import jax_functions
from xlapy.dispatch.protocol import Machine, Refused
from xlapy.domain.heap import Object
from xlapy.domain.numbers import SCALAR_DTYPES
from xlapy.domain.values import (
    NONE,
    UNBOUND,
    BoundedArray,
    Const,
    JaxArray,
    Mapping,
    NdArray,
    NumpyScalar,
    Ref,
    Scalar,
    Tuple,
    Union,
    Value,
    as_ref,
    number_var,
)
from xlapy.ir import Var

# -- nodes -------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Leaf:
    """The array or number `index`."""

    index: int


@dataclass(frozen=True)
class Static:
    """What is no leaf, and stays as it is."""

    value: Value


@dataclass(frozen=True)
class Items:
    """A tuple (of class `cls`), a list, or with `keys` a dict."""

    cls: type
    parts: tuple
    keys: tuple | None = None
    object: int | None = None
    entries: type[dict] = dict


@dataclass(frozen=True)
class Registered:
    """An object of a class that JAX knows: made again from its parts."""

    make: Callable
    parts: tuple
    originals: tuple[Value, ...]


@dataclass(frozen=True)
class Attributes:
    """An object of any other class, number `object` of the heap; `whole` if what is no leaf is a part of it."""

    object: int
    cls: type
    names: tuple[str, ...]
    parts: tuple
    whole: bool = False


@dataclass(frozen=True)
class Again:
    """An object that has been met before."""

    object: int


Node = Leaf | Static | Items | Registered | Attributes | Again


# -- taking apart ------------------------------------------------------------------------------------------------------


class Opening:
    """Takes values apart.

    Args:
        machine: the interpreter.
        inexact: whether leaves are floating-point numbers only, and everything else may stand next to them; otherwise
            all numbers are leaves.
        objects: whether objects of classes that JAX does not know are taken apart.
        strict: whether what is neither a number nor a container is JAX's TypeError.
    """

    def __init__(self, machine: Machine, inexact: bool = True, objects: bool = True, strict: bool = False) -> None:
        self.machine, self.inexact, self.objects, self.strict = machine, inexact, objects, strict
        #: the leaves: what they were, and their device values
        self.leaves: list[Value] = []
        self.vars: list[Var] = []
        self._seen: set[int] = set()
        self._buffers: dict[int, tuple[NdArray, int]] = {}

    def open(self, value: Value, filtered: bool = False, owned: bool = False) -> Node:
        """The node of a value.

        Args:
            value: what is taken apart.
            filtered: whether Python numbers are settings rather than parameters, as in models of Equinox and Flax.
            owned: whether it belongs to an object whose arrays keep their identity.
        """
        if self._is_number(value):
            return self._number(value, filtered, owned)
        match value:
            case BoundedArray():
                if self.machine.world.lengths:
                    raise require_static(self.machine, value, "an array under a transformation")
                return self._leaf(value, self.machine.read(value.base))
            case Tuple():
                return Items(value.cls, tuple(self.open(v, filtered, owned) for v in value.items))
            case Ref():
                return self._object(value, filtered, owned)
            case Union() if all(map(self._is_number, value.alternatives)):
                return self._chosen(value, filtered)
            case Union():
                raise Refused("XP0011", f"{self.machine.describe(value)} in an argument of a transformed function")
            case Const() if value.value is None or not self.strict:
                return Static(value)
        if self.strict:
            what = value.value if isinstance(value, Const) else self.machine.describe(value)
            kind = self.machine.type_of(value)
            self.machine.raise_(TypeError, f"Argument '{what}' of type {kind} is not a valid JAX type.")
        return Static(value)

    def _is_number(self, value: Value) -> bool:
        if isinstance(value, Const):
            return isinstance(value.value, bool | int | float | complex | np.generic) and (
                not isinstance(value.value, np.generic) or value.value.dtype.kind in "biufc"
            )
        return isinstance(value, Scalar | NumpyScalar | JaxArray | NdArray)

    def _number(self, value: Value, filtered: bool, owned: bool) -> Node:
        if self.inexact and not _is_inexact(value) or filtered and _is_python(value):
            return Static(value)
        if isinstance(value, NdArray) and owned:
            return self._shared(value)
        return self._leaf(value, self._var(value))

    def _chosen(self, value: Union, filtered: bool) -> Node:
        """One of several numbers or arrays: a leaf of their common type."""
        machine = self.machine
        each = [self._var(alternative) for alternative in value.alternatives]
        if len({var.type.shape for var in each}) > 1:
            raise Refused("XP0011", "an array of one of several shapes in an argument of a transformed function")
        kind = next((v for v in value.alternatives if not _is_python(v)), value.alternatives[0])
        dtype = np.result_type(*(var.type.dtype for var in each))
        if self.inexact and not jnp.issubdtype(dtype, np.inexact) or filtered and _is_python(kind):
            return Static(value)
        weak = _is_python(kind)

        def convert(alternative: Value) -> Value:
            return JaxArray(machine.builder.convert(self._var(alternative), dtype, weak))

        joined = unions.over_unions(machine, (value,), convert)
        return self._leaf(kind, number_var(joined))

    def _var(self, value: Value) -> Var:
        """A number or array as a device value."""
        machine = self.machine
        if isinstance(value, NdArray):
            return machine.read(value)
        if isinstance(value, Const):
            kind = type(value.value)
            return machine.scalar_var(value, kind) if kind in SCALAR_DTYPES else machine.builder.constant(value.value)
        return number_var(value)

    def _leaf(self, value: Value, var: Var) -> Leaf:
        self.leaves.append(value)
        self.vars.append(var)
        return Leaf(len(self.leaves) - 1)

    def _shared(self, value: NdArray) -> Leaf:
        """An array of an object: one leaf wherever it is met."""
        known = self._buffers.get(value.buffer)
        if known is None:
            leaf = self._leaf(value, self.machine.read(value))
            self._buffers[value.buffer] = (value, leaf.index)
            return leaf
        if known[0].lenses == () == value.lenses:
            return Leaf(known[1])
        raise Refused("XP0011", "an object that is differentiated holds two arrays that share memory")

    def _object(self, value: Ref, filtered: bool, owned: bool) -> Node:
        machine = self.machine
        info = machine.heap.objects[value.object]
        if info.kind in ("list", "dict") and info.cls in NODES:
            return self._container(value, info.cls, filtered, owned)
        if info.kind != "instance":
            return Static(value)
        flax = any(c.__module__.startswith("flax.nnx") for c in info.cls.__mro__)
        if flax and _is_state(info.cls):
            return Static(value)
        # A model of Flax's is a graph of objects, which Flax itself takes apart; here its objects stay what they are.
        tree = None if flax and self.objects else machine.world.pytree_children(value)
        if tree is not None:
            filtered = filtered or any(c.__module__.partition(".")[0] == "equinox" for c in info.cls.__mro__)
            return Registered(tree[0], tuple(self.open(v, filtered) for v in tree[1]), tuple(tree[1]))
        if not self.objects:
            text = f"Argument '{info.cls.__name__} object' of type {info.cls} is not a valid JAX type."
            return machine.raise_(TypeError, text) if self.strict else Static(value)
        return self._attributes(value, info, flax)

    def _container(self, value: Ref, cls: type, filtered: bool, owned: bool) -> Node:
        """A list or a dict."""
        contents = structure(self.machine, value)
        if owned and value.object in self._seen:
            return Again(value.object)
        if owned:
            self._seen.add(value.object)
        if isinstance(contents, Tuple):
            return Items(list, tuple(self.open(v, filtered, owned) for v in contents.items), None, value.object)
        parts = tuple(self.open(v, filtered, owned) for v in dict.values(contents.entries))
        return Items(cls, parts, tuple(dict.keys(contents.entries)), value.object, type(contents.entries))

    def _attributes(self, value: Ref, info: Object, flax: bool) -> Node:
        """An object of a class that JAX does not know: its attributes."""
        if value.object in self._seen:
            return Again(value.object)
        self._seen.add(value.object)
        machine = self.machine
        own = machine.world.own_attributes(value.object) if info.source is not None else ()
        names = dict.fromkeys((*own, *sorted(info.fields.union(kinds.slots_of(info.cls)))))
        held = {name: machine.heap.read(value.object, name) for name in names}
        held = {name: part for name, part in held.items() if part is not UNBOUND}
        parts = tuple(self.open(part, flax, True) for part in held.values())
        return Attributes(value.object, info.cls, tuple(held), parts, flax)

    # -- putting together ------------------------------------------------------------------------------------------

    def bind(self, node: Node, value: Value, params: Sequence[Var], like: Callable[[Var, Value], Value]) -> Value:
        """`value` with `params` for its leaves: containers and arrays are made anew, objects and what belongs to them
        are changed where they are. `like` makes a value of the sort of another one."""
        return _Binding(self, params, like).value(node, value)

    def make(self, node: Node, leaf: Callable[[int], Value], static: Callable[[Value], Value] = lambda v: v) -> Value:
        """A value of the structure of `node`, with `leaf(index)` for the leaves and `static(value)` for the rest."""
        return _Making(self.machine, leaf, static).value(node)


def matching(machine: Machine, node: Node, value: Value, name: str) -> dict[int, Value]:
    """The parts of `value` that stand where `node` has leaves, by the leaf's number.

    Raises:
        TypeError: in the program, where the structures differ.
    """
    match node:
        case Leaf():
            return {node.index: value}
        case Items() | Registered() | Attributes():
            parts = parts_of(machine, node, value)
            if parts is None:
                machine.raise_(TypeError, f"{name} must have the structure of what they belong to")
            pairs = zip(node.parts, parts, strict=True)
            return {i: found for part, item in pairs for i, found in matching(machine, part, item, name).items()}
    return {}


def parts_of(machine: Machine, node: Items | Registered | Attributes, value: Value) -> list[Value] | None:
    """The parts of a value that has the structure of `node`; None if it has another one."""
    found: list[Value] | None = None
    if isinstance(node, Items) and isinstance(value, Tuple):
        found = list(value.items)
    elif isinstance(value, Ref):
        if isinstance(node, Registered):
            tree = machine.world.pytree_children(value)
            found = tree and tree[1]
        elif isinstance(node, Attributes):
            found = [machine.heap.read(value.object, name) for name in node.names]
        else:
            contents = structure(machine, value)
            if isinstance(contents, Mapping) and dict.keys(contents.entries) == set(node.keys or ()):
                found = [contents.entries[k] for k in node.keys or ()]
            elif isinstance(contents, Tuple):
                found = list(contents.items)
    return found if found is not None and len(found) == len(node.parts) else None


def prefix(machine: Machine, node: Node, spec: object, found: dict, name: str) -> None:
    """Put into `found` what a tree of axes, which may be cut short, says of each leaf of `node`.

    Raises:
        ValueError: in the program, where the tree does not fit.
    """
    single = spec is None or isinstance(spec, int)
    if isinstance(node, Leaf) and single:
        found[node.index] = spec
        return
    parts = getattr(node, "parts", ())
    if single:
        inner: list = [spec] * len(parts)
    elif isinstance(node, Items) and isinstance(spec, tuple | list) and len(spec) == len(parts):
        inner = list(spec)
    elif isinstance(node, Items) and isinstance(spec, dict) and set(spec) == set(node.keys or ()):
        inner = [spec[k] for k in node.keys or ()]
    else:
        text = f"vmap {name} specification must be a tree prefix of the corresponding value, got {spec}"
        machine.raise_(ValueError, text)
    for part, one in zip(parts, inner, strict=True):
        prefix(machine, part, one, found, name)


class _Binding:
    def __init__(self, opening: Opening, params: Sequence[Var], like: Callable[[Var, Value], Value]) -> None:
        self.opening, self.machine, self.params, self.like = opening, opening.machine, params, like

    def value(self, node: Node, value: Value, owned: bool = False) -> Value:
        """A value with parameters in it."""
        machine = self.machine
        match node:
            case Leaf():
                if self.params[node.index] is None:
                    return value
                if owned and isinstance(value, NdArray):
                    machine.write(value, self.params[node.index])
                    return value
                return self.like(self.params[node.index], self.opening.leaves[node.index])
            case Items():
                return self._items(node, value, owned)
            case Registered():
                made = node.make([self.value(p, v) for p, v in zip(node.parts, node.originals, strict=True)])
                return jax_functions.abstract(machine, made)
            case Attributes():
                for name, part in zip(node.names, node.parts, strict=True):
                    old = machine.heap.read(node.object, name)
                    new = self.value(part, old, owned=True)
                    if new is not old:
                        machine.heap.write(node.object, name, new)
        return value

    def _items(self, node: Items, value: Value, owned: bool) -> Value:
        machine = self.machine
        if isinstance(value, Tuple):
            old = value.items
        else:
            contents = structure(machine, as_ref(value))
            old = contents.items if isinstance(contents, Tuple) else tuple(dict.values(contents.entries))
        new = tuple(self.value(p, v, owned) for p, v in zip(node.parts, old, strict=True))
        if isinstance(value, Tuple):
            return value if new == old else Tuple(new, node.cls)
        packed = Tuple(new) if node.keys is None else Mapping(node.entries(zip(node.keys, new, strict=True)))
        if owned:
            if new != old:
                machine.heap.write(as_ref(value).object, "<items>", packed)
            return value
        return _container(machine, node, new)


class _Making:
    def __init__(self, machine: Machine, leaf: Callable[[int], Value], static: Callable[[Value], Value]) -> None:
        self.machine, self.leaf, self.static = machine, leaf, static
        self._objects: dict[int, Value] = {}
        self._leaves: dict[int, Value] = {}

    def value(self, node: Node) -> Value:
        """The value of a node."""
        machine = self.machine
        match node:
            case Leaf():
                if node.index not in self._leaves:
                    self._leaves[node.index] = self.leaf(node.index)
                return self._leaves[node.index]
            case Static():
                return self.static(node.value)
            case Again():
                return self._objects.get(node.object, NONE)
            case Items():
                return self._items(node, [self.value(p) for p in node.parts])
            case Registered():
                return jax_functions.abstract(machine, node.make([self.value(p) for p in node.parts]))
        number = machine.heap.new("instance", node.cls)
        self._objects[node.object] = Ref(number)
        for name, part in zip(node.names, node.parts, strict=True):
            static = self.static
            if node.whole:
                self.static = lambda value: value
            machine.heap.write(number, name, self.value(part))
            self.static = static
        return Ref(number)

    def _items(self, node: Items, parts: list[Value]) -> Value:
        machine = self.machine
        if node.object is None:
            return Tuple(tuple(parts), node.cls)
        made = _container(machine, node, parts)
        self._objects[node.object] = made
        return made


def _container(machine: Machine, node: Items, parts: Sequence[Value]) -> Ref:
    """A fresh list or dict with these parts."""
    if node.keys is None:
        return machine.new_list(list(parts))
    assert node.object is not None
    return new_dict(machine, node.cls, node.entries(zip(node.keys, parts, strict=True)), Ref(node.object))


def _is_python(value: Value) -> bool:
    """Whether it is a number of Python's, not NumPy's."""
    return isinstance(value, Scalar) or (isinstance(value, Const) and not isinstance(value.value, np.generic))


def _is_inexact(value: Value) -> bool:
    match value:
        case Const():
            return isinstance(value.value, float | complex | np.inexact)
        case Scalar():
            return value.kind in (float, complex)
        case NdArray():
            return bool(jnp.issubdtype(value.type.dtype, np.inexact))
    return bool(jnp.issubdtype(number_var(value).type.dtype, np.inexact))


def _is_state(cls: type) -> bool:
    """Whether it is a variable of Flax that is no parameter, such as the statistics of a batch."""
    names = {c.__name__ for c in cls.__mro__ if c.__module__.startswith("flax.nnx")}
    return "Variable" in names and "Param" not in names
