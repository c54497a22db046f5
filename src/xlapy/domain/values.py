"""Abstract values: what the interpreter computes with in place of Python objects.

    Const          a known Python object
    Scalar         a Python bool, int, float or complex whose value is only known on the device
    NumpyScalar    a NumPy scalar (`np.float64`...) on the device
    JaxArray       an immutable `jax.Array`
    NdArray        a mutable `numpy.ndarray`: a view (a chain of lenses) onto a buffer in the heap
    BoundedArray   the same with dimensions of dynamic length: some lanes of an NdArray
    Tuple          a tuple or named tuple
    Ref            an object with identity and state, which live in the heap: list, dict, set, instance, cell, iterator
    Function, BoundMethod, Partial-like callables made inside the program
    Range, Slice   with parts that may be dynamic
    GrowableList          the contents of a list that grew in a loop: rows on the device, and how many of them there are
    Stored         an object that lies in a growable list: its state, by value
    Union          one of several values, told apart by a selector on the device
    MixedScalar    a number that is Python's or NumPy's, depending on data
    UNBOUND        no value (a name not yet bound, a missing attribute)
    DEAD           a value nobody will read
    STALE          a value nobody may read
    POISON         the result of an operation that met an obstacle; operations on it are not executed

Values are immutable; a change of state makes a new entry in the heap (see `heap`).
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import field
from typing import Any, TypeGuard, TypeVar

from xlapy.domain.layouts import IN_ROWS, Layouts
from xlapy.domain.set_iteration_order import SetHistory
from xlapy.domain.sources import Source
from xlapy.immutable import immutable
from xlapy.ir import TensorType, Var


@immutable()
class Hole:
    """Stands in the place of a `Var` in a generalised value: any value of that type."""

    type: TensorType


def hole(type: TensorType) -> Var:
    """A `Hole`, as what it stands for: generalised values have the fields of all others."""
    return Hole(type)  # type: ignore[return-value]


class Value:
    """Base of all abstract values."""

    # What `holes`, `variables` and `references` have found: joins ask for it over and over.
    __slots__ = ("_holes", "_references", "_variables")

    _holes: tuple[Hole, ...]
    _references: tuple[int, ...]
    _variables: tuple[Var, ...]

    def children(self) -> tuple[Value | Var, ...]:
        """The parts that may hold device values or references, in a fixed order (see `rebuilt`)."""
        return ()

    def rebuilt(self, parts: Sequence[Any]) -> Any:
        """The same with `parts` in the place of its `children`: a value of the same class."""
        return self


V = TypeVar("V", bound=Value)


@immutable(eq=False)
class Const(Value):
    """A known Python object. `source` says where in the caller's world it was found, if it was."""

    _holes = _references = _variables = ()

    value: Any
    source: Source | None = None


@immutable(eq=False)
class Scalar(Value):
    """A dynamic Python scalar; `bounds` is a closed interval known to contain an int."""

    kind: type
    var: Var
    bounds: tuple[int, int] | None = None

    def children(self):
        return (self.var,)

    def rebuilt(self, parts):
        return Scalar(self.kind, parts[0], self.bounds)


@immutable(eq=False)
class NumpyScalar(Value):
    """A dynamic NumPy scalar; `bounds` as for `Scalar` where it is an integer."""

    var: Var
    bounds: tuple[int, int] | None = None

    def children(self):
        return (self.var,)

    def rebuilt(self, parts):
        return NumpyScalar(parts[0], self.bounds)


@immutable(eq=False)
class JaxArray(Value):
    """A dynamic `jax.Array` (of any rank)."""

    var: Var

    def children(self):
        return (self.var,)

    def rebuilt(self, parts):
        return JaxArray(parts[0])


@immutable(eq=False)
class Lens:
    """One step from a buffer to a view: `kind` and static or dynamic parameters (see `dispatch.arrays.views`)."""

    kind: str
    params: tuple[Any, ...] = ()

    def parts(self) -> list[Var]:
        """The dynamic parameters: device values anywhere in its (nested) parameters."""
        return _vars_in(self.params, [])

    def with_parts(self, parts: Iterator[Var]) -> Lens:
        """The same with other device values, from an iterator."""
        return Lens(self.kind, _with_vars(self.params, parts))


@immutable(eq=False)
class NdArray(Value):
    """A NumPy array object: `lenses` lead from the buffer `buffer` to its elements; `identity` is for `is`."""

    buffer: int
    lenses: tuple[Lens, ...]
    type: TensorType
    identity: int
    writeable: bool = True

    def children(self):
        return tuple([part for lens in self.lenses for part in lens.parts()])

    def rebuilt(self, parts):
        remaining = iter(parts)
        lenses = tuple([lens.with_parts(remaining) for lens in self.lenses])
        return NdArray(self.buffer, lenses, self.type, self.identity, self.writeable)


@immutable(eq=False)
class Lanes:
    """Which lanes of a dimension with static room belong to an array of dynamic length.

    `length` of them: those from `start` on or, where `valid` is set, those where it is true, in order. `order` may hold
    the lanes that `valid` selects, from the first to the last. Device integers are int64 scalars.
    """

    length: Var
    start: int | Var = 0
    valid: Var | None = None
    order: Var | None = None

    def parts(self) -> tuple[Var, ...]:
        """The device values."""
        return tuple(p for p in (self.length, self.start, self.valid, self.order) if isinstance(p, Var | Hole))

    def with_parts(self, parts: Iterator[Var]) -> Lanes:
        """The same with other device values, from an iterator."""
        length, start = next(parts), next(parts) if isinstance(self.start, Var | Hole) else self.start
        return Lanes(length, start, self.valid and next(parts), self.order and next(parts))


class Opaque:
    """A Python object of xlapy's own that a program holds as it is."""


@immutable(eq=False)
class BoundedArray(Value):
    """A `numpy.ndarray` of dynamic shape: some lanes of `base`, a view that has room for them.

    `axes` has one entry for each dimension of `base`: None where its length is static. What lies in other lanes is
    garbage where `base` is a buffer of its own, and elements of other views where it is not: it must not be read into a
    result, and must not be written.
    """

    base: NdArray
    axes: tuple[Lanes | None, ...]

    @property
    def lanes(self) -> Lanes:
        """The lanes of the first dimension, of an array of which that has a dynamic length."""
        lanes = self.axes[0]
        assert lanes is not None
        return lanes

    def children(self):
        return (self.base, *[p for lanes in self.axes if lanes is not None for p in lanes.parts()])

    def rebuilt(self, parts):
        remaining = iter(parts[1:])
        return BoundedArray(parts[0], tuple(a and a.with_parts(remaining) for a in self.axes))


@immutable(eq=False)
class Tuple(Value):
    """A tuple; `cls` is a subclass for named tuples. Where the class is one whose objects get attributes, `namespace`
    refers to the object in the heap that holds them."""

    items: tuple[Value, ...]
    cls: type = tuple
    namespace: Value | None = None

    def children(self):
        return self.items if self.namespace is None else (*self.items, self.namespace)

    def rebuilt(self, parts):
        if self.namespace is None:
            return Tuple(tuple(parts), self.cls)
        *items, namespace = parts
        return Tuple(tuple(items), self.cls, namespace)

    def mapped(self, function: Callable[[Value], Value]) -> Tuple:
        """The same of what `function` gives for each of its parts."""
        return self.rebuilt([function(part) for part in self.children()])


@immutable()
class Ref(Value):
    """A reference to an object in the heap."""

    object: int


@immutable(eq=False)
class Mapping(Value):
    """Contents of a dict or set in the heap: known keys, abstract values. The keys of a dict are in order; the order of
    a set follows from its `history`, if that is known."""

    entries: dict[Any, Value]
    history: SetHistory | None = None

    def pairs(self) -> tuple[Tuple, ...]:
        """Keys and values as tuples."""
        return tuple(Tuple((key_value(key), value)) for key, value in self.entries.items())

    def children(self):
        return tuple(dict.values(self.entries))

    def rebuilt(self, parts):
        return Mapping(type(self.entries)(zip(dict.keys(self.entries), parts, strict=True)), self.history)


@immutable(eq=False)
class Stored(Value):
    """An object by value, as a growable list holds it: `parts` are its fields `names`, or its items where there are no
    names.

    `kind` and `cls` are as in the heap; an array ('buffer') has its elements as its one part, a container of unknown
    length the `GrowableList` of its items. `own` says that nothing else refers to the object that can still be read: it
    may be changed where it lies. `factory` is the `default_factory` of a defaultdict; `added`, of a set of known
    members, as that of its contents would be (see `GrowableList`); `lies` is how an array lies in memory.
    """

    kind: str
    cls: type
    names: tuple[Any, ...]
    parts: tuple[Value, ...]
    own: bool = False
    factory: Value | None = None
    added: bool = False
    lies: Layouts = IN_ROWS

    @property
    def held(self) -> GrowableList | None:
        """The items of a container of unknown length."""
        return self.parts[0] if self.parts and isinstance(self.parts[0], GrowableList) else None

    def children(self):
        return self.parts

    def rebuilt(self, parts):
        return Stored(self.kind, self.cls, self.names, tuple(parts), self.own, self.factory, self.added, self.lies)


@immutable(eq=False)
class GrowableList(Value):
    """Contents of a list that grew in a loop, where a `Tuple` would have been too long or of unknown length. Those of a
    dict or set whose keys are not known, too, with pairs of a key and a value for items.

    `element` is a generalised value; item number k < `length` is `element` with row k of each of `rows` in its holes.
    There are `capacity` rows. `elastic` names what has given them their number, if that was a guess: what does not
    fit is then an error on the device, after which the host gives the list more room (see `domain.growable_lists`).
    `loop` is the loop in which the list grew. `added` says of a set that it was made empty, and that nothing was done
    to it but adding these members in this order: its hash table follows from them.
    """

    element: Value
    rows: tuple[Var, ...]
    length: Value
    capacity: int
    elastic: object = None
    loop: object = None
    added: bool = False

    def with_rows(self, rows, length: Value | None = None, added: bool = False) -> GrowableList:
        """The same with other rows, and perhaps another length; `added` as that of a growable list."""
        length = self.length if length is None else length
        return GrowableList(self.element, tuple(rows), length, self.capacity, self.elastic, self.loop, added)

    def children(self):
        return (*self.rows, self.length)

    def rebuilt(self, parts):
        return self.with_rows(parts[:-1], parts[-1], self.added)


@immutable(eq=False)
class Slice(Value):
    """A slice object, some part of which is dynamic or abstract."""

    start: Value
    stop: Value
    step: Value

    def children(self):
        return (self.start, self.stop, self.step)

    def rebuilt(self, parts):
        return Slice(*parts)


@immutable(eq=False)
class Range(Value):
    """A range object, some part of which is dynamic."""

    start: Value
    stop: Value
    step: Value

    def children(self):
        return (self.start, self.stop, self.step)

    def rebuilt(self, parts):
        return Range(*parts)


@immutable(eq=False)
class Text(Value):
    """A string with parts that are only known on the device: `template.format(*parts)`, made on the host."""

    template: str
    parts: tuple[Value, ...]

    def children(self):
        return self.parts

    def rebuilt(self, parts):
        return Text(self.template, tuple(parts))


#: how the slots begin of what lies in the `__dict__` of a function under the name of one of its own attributes
SHADOWED = "<dict> "


@immutable(eq=False)
class Function(Value):
    """A Python function made inside the program (`def`, `lambda`, comprehension)."""

    code: Any
    globals: Ref
    name: str
    defaults: tuple[Value, ...] = ()
    kwdefaults: dict[str, Value] = field(default_factory=dict)
    closure: tuple[Value, ...] = ()
    attributes: dict[str, Value] = field(default_factory=dict)
    #: the heap object that holds attributes which the program assigns
    namespace: int = 0

    def children(self):
        return (*self.defaults, *self.kwdefaults.values(), *self.closure, *self.attributes.values())

    def rebuilt(self, parts):
        remaining = iter(parts)
        return Function(
            self.code,
            self.globals,
            self.name,
            tuple([next(remaining) for _ in self.defaults]),
            {k: next(remaining) for k in self.kwdefaults},
            tuple([next(remaining) for _ in self.closure]),
            {k: next(remaining) for k in self.attributes},
            self.namespace,
        )


@immutable(eq=False)
class BoundMethod(Value):
    """A callable with its first argument: a Python method, or the rule of a built-in type's method."""

    function: Value
    self: Value

    def children(self):
        return (self.function, self.self)

    def rebuilt(self, parts):
        return BoundMethod(*parts)


@immutable(eq=False)
class Intrinsic(Value):
    """A callable that exists only at compile time: `rule(machine, args, kwargs)` with `captures` it refers to. What
    is a `super` has no rule."""

    name: str
    rule: Any
    captures: tuple[Value, ...] = ()

    def children(self):
        return self.captures

    def rebuilt(self, parts):
        return Intrinsic(self.name, self.rule, tuple(parts))


@immutable(eq=False)
class Union(Value):
    """`alternatives[selector]`, the selector being an int32 scalar on the device."""

    selector: Var
    alternatives: tuple[Value, ...]

    def children(self):
        return (self.selector, *self.alternatives)

    def rebuilt(self, parts):
        return Union(parts[0], tuple(parts[1:]))


@immutable(eq=False)
class MixedScalar(Union):
    """A number that is Python's on some paths and NumPy's on others: a union whose two alternatives, a `Scalar` and a
    `NumpyScalar`, are one (weak) device value. Made by `mixed`."""

    @property
    def python(self) -> Scalar:
        """The number as Python's."""
        number = self.alternatives[0]
        assert isinstance(number, Scalar)
        return number

    def children(self):
        return (self.selector, self.python)

    def rebuilt(self, parts):
        return mixed(parts[0], parts[1])


def mixed(selector: Var, scalar: Scalar) -> MixedScalar:
    """`scalar`, which is Python's where `selector` is 0 and NumPy's where it is 1."""
    return MixedScalar(selector, (scalar, NumpyScalar(scalar.var, scalar.bounds)))


@immutable(eq=False)
class Marker(Value):
    """A value that is not one."""

    _holes = _references = _variables = ()

    name: str


UNBOUND = Marker("unbound")
DEAD = Marker("dead")
NULL = Marker("null")
#: what was in a slot is not what CPython has there now
STALE = Marker("stale")
POISON = Marker("poison")
NONE = Const(None)
TRUE = Const(True)
FALSE = Const(False)


def is_none(value: Value) -> TypeGuard[Const]:
    """Whether a value is certainly Python's None: a default, or one that the program has written."""
    return isinstance(value, Const) and value.value is None


def key_value(key: object) -> Value:
    """The value of a key of a dict or set."""
    if isinstance(key, Value):
        return key
    if isinstance(key, tuple):
        return Tuple(tuple(map(key_value, key)), type(key))
    return Const(key)


def alternatives(value: Value) -> tuple[Value, ...]:
    """What a value may be: the alternatives of a union, or itself."""
    return value.alternatives if isinstance(value, Union) else (value,)


def number_var(value: Value) -> Var:
    """The device value of a number or of a `jax.Array` that has one."""
    assert isinstance(value, Scalar | NumpyScalar | JaxArray), value
    return value.var


def as_ref(value: Value) -> Ref:
    """What is certainly an object in the heap."""
    assert isinstance(value, Ref), value
    return value


def constants(values: Iterable[Value]) -> list[Any] | None:
    """The objects of values that are all known; None where one is not."""
    found = []
    for value in values:
        if not isinstance(value, Const):
            return None
        found.append(value.value)
    return found


def made_tuple(cls: type, items: Iterable[Any]) -> Any:
    """A Python tuple of class `cls`, of which no code is run."""
    if cls is tuple or hasattr(cls, "n_sequence_fields"):  # `sys.float_info` and its like are made of one sequence
        return cls(items)
    return tuple.__new__(cls, items)


def tuple_items(value: Value) -> tuple[Value, ...]:
    """The items of what is certainly a tuple."""
    assert isinstance(value, Tuple), value
    return value.items


def elements_of(value: Stored) -> Var:
    """The elements of an array that lies in a growable list."""
    (elements,) = value.parts
    return number_var(elements)


def held_items(value: Stored) -> GrowableList | Tuple:
    """The items of a container that lies in a growable list; of a dict or set, the pairs."""
    if value.held is not None:
        return value.held
    if value.kind == "list":
        return Tuple(value.parts)
    return Tuple(tuple(Tuple((key_value(k), part)) for k, part in zip(value.names, value.parts, strict=True)))


def _vars_in(params: tuple, found: list[Any]) -> list[Any]:
    for part in params:
        if isinstance(part, Var | Hole):
            found.append(part)
        elif isinstance(part, tuple):
            _vars_in(part, found)
    return found


def _with_vars(params: tuple, remaining: Iterator[Var]) -> tuple:
    return tuple(
        [
            next(remaining)
            if isinstance(part, Var | Hole)
            else _with_vars(part, remaining)
            if isinstance(part, tuple)
            else part
            for part in params
        ]
    )


def substitute(value: V, replace: Callable[[Var], Var]) -> V:
    """`value` with `replace(var_or_hole)` in the place of every device value in it; itself if nothing changes."""
    if not variables(value):
        return value
    parts = value.children()
    new = [substitute(p, replace) if isinstance(p, Value) else replace(p) for p in parts]
    return value if all(map(operator.is_, parts, new)) else value.rebuilt(new)


def renamed(value: Value, name: Callable[[int], int], identity: Callable[[NdArray], int] | None = None) -> Any:
    """`value` with `name(number)` in the place of every object that it refers to directly; itself if nothing changes.
    `identity` gives array objects another one, too."""
    if isinstance(value, Ref):
        number = name(value.object)
        return value if number == value.object else Ref(number)
    parts = value.children()
    new = [renamed(p, name, identity) if isinstance(p, Value) else p for p in parts]
    if not all(map(operator.is_, parts, new)):
        value = value.rebuilt(new)
    if isinstance(value, NdArray) and (buffer := name(value.buffer)) != value.buffer:
        own = value.identity if identity is None else identity(value)
        return NdArray(buffer, value.lenses, value.type, own, value.writeable)
    return value


def variables(value: Value) -> tuple[Var, ...]:
    """All device values (or holes) in `value`, in order."""
    try:
        return value._variables
    except AttributeError:
        pass
    found: list[Var] = []
    for part in value.children():
        if isinstance(part, Value):
            found.extend(variables(part))
        else:
            found.append(part)
    value._variables = tuple(found)
    return value._variables


def holes(skeleton: Value) -> tuple[Hole, ...]:
    """The holes of a generalised value, in the order of `coerce`."""
    try:
        return skeleton._holes
    except AttributeError:
        pass
    skeleton._holes = tuple([v for v in variables(skeleton) if isinstance(v, Hole)])
    return skeleton._holes


def references(value: Value) -> tuple[int, ...]:
    """Identities of heap objects that `value` refers to directly (buffers of arrays included)."""
    try:
        return value._references
    except AttributeError:
        pass
    found = [value.object] if isinstance(value, Ref) else [value.buffer] if isinstance(value, NdArray) else []
    for part in value.children():
        if isinstance(part, Value):
            found.extend(references(part))
    value._references = tuple(found)
    return value._references
