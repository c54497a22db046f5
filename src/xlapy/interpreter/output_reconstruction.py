"""How the host makes Python objects from the program's outputs: results, effects on the caller's world, errors."""

from __future__ import annotations

import collections
import types
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from xlapy.dispatch import kinds, registry
from xlapy.dispatch.bounded import masked_axes
from xlapy.dispatch.identities import Identity, has_number
from xlapy.dispatch.numpy import record_rules
from xlapy.dispatch.numpy.matrix_class import Matrix
from xlapy.dispatch.numpy.records import FIELD, Fields
from xlapy.dispatch.protocol import Refused
from xlapy.dispatch.python import namespaces
from xlapy.domain import set_iteration_order, values
from xlapy.domain.coerce import instantiate
from xlapy.domain.exception_attributes import ABSENT
from xlapy.domain.heap import CHANGES, ORIGIN, STATE, Object
from xlapy.domain.join import unchanged
from xlapy.domain.object_names import is_immutable
from xlapy.domain.ownership import FROZEN
from xlapy.domain.recipes import (
    Attribute,
    Bound,
    Built,
    Choice,
    Closure,
    Cut,
    Effect,
    External,
    Known,
    Leaf,
    Made,
    Number,
    OneOf,
    Raised,
    Reconstruction,
    Rows,
    Sequence,
    Shared,
    Text,
    View,
)
from xlapy.domain.sources import Source
from xlapy.domain.values import (
    DEAD,
    UNBOUND,
    BoundedArray,
    BoundMethod,
    Const,
    Function,
    GrowableList,
    JaxArray,
    Lanes,
    Mapping,
    MixedScalar,
    NdArray,
    NumpyScalar,
    Range,
    Ref,
    Scalar,
    Slice,
    Stored,
    Tuple,
    Union,
    Value,
)
from xlapy.ir import Var

#: steps to a view that a structured array has as its fields have
_OF_RECORDS = {"index", "reshape", "transpose"}
_TWICE = "a list that grew in a loop leaves the program, and so does a {} that may be one of its items"
_TWICE_HINT = "return one of them only, or a copy"

if TYPE_CHECKING:
    from xlapy.interpreter.machine import Machine


#: the structured array, or the record, that an object of a class of ours stands for
assembled = record_rules.on_host


def _is_constant(key: object) -> bool:
    """Whether a key of a dict or set has no abstract value in it."""
    if isinstance(key, tuple | frozenset):
        return all(map(_is_constant, key))
    return not isinstance(key, Value | Identity)


def _of_each_path(args: Value) -> tuple[Value, ...]:
    """The arguments of an exception, each as a union where the paths have more tuples of them than are joined item by
    item."""
    if not isinstance(args, Union):
        return values.tuple_items(args)
    paths = [_of_each_path(a) for a in args.alternatives]
    if len(set(map(len, paths))) > 1:
        raise Refused("XP0010", "an exception whose number of arguments depends on data")
    return tuple(Union(args.selector, items) for items in zip(*paths, strict=True))


def _or_nothing(value: Value) -> Value:
    """What a place holds, with a mark for nothing where it may be empty."""
    if isinstance(value, Union) and UNBOUND in value.alternatives:
        return Union(value.selector, tuple(Const(ABSENT) if a is UNBOUND else a for a in value.alternatives))
    return value


#: the flag of classes that a `class` statement has made
_IN_PYTHON = 1 << 9
#: what containers are made with
_SETTINGS = {collections.deque: "maxlen", collections.defaultdict: "default_factory"}


class Outputs:
    """Collects the program's outputs while reconstructions are made."""

    def __init__(self, machine: Machine) -> None:
        self.machine = machine
        self.vars: list[Var] = []
        self._index: dict[int, int] = {}
        self._made: dict[int, Made] = {}
        self._functions: dict[int, Closure] = {}
        #: what holds the attributes of tuples of which the items are being collected
        self._filled: list[Value] = []
        self._order: dict[int, list[str]] | None = None
        #: classes of objects in growable lists that leave the program, each with whether they are the growable lists'
        #: own; and of those that leave it by themselves
        self._held: dict[type, bool] = {}
        self._placed: set[type] = set()
        #: whether reconstructions are made of what is stored in the caller's world
        self.stores = False

    def output(self, var: Var) -> int:
        """The number of an output."""
        if id(var) not in self._index:
            self._index[id(var)] = len(self.vars)
            self.vars.append(var)
        return self._index[id(var)]

    def reconstruction(self, value: Value) -> Reconstruction:
        """How to make a value on the host."""
        reconstruct = _RECONSTRUCTED.get(type(value))
        if reconstruct is None:
            raise self._unmakeable(value)
        return reconstruct(self, value)

    def _unmakeable(self, value: Value) -> Refused:
        what = self.machine.describe(value)
        return Refused("XP0010", f"{what} is returned or stored outside, where it cannot be made")

    def _constant(self, value: Const) -> Known | Number:
        if isinstance(value.value, Identity):
            if not has_number(value.value):
                raise Refused("XP0010", "the identity of a constant (`id`) is returned or stored outside")
            return Number(self.reconstruction(value.value.value))
        return Known(value.value)

    def _array(self, value: NdArray) -> Reconstruction:
        machine = self.machine
        source = machine.heap.found.get(value.identity)
        if source is not None:
            return External(source)
        info = machine.heap.objects[value.buffer]
        if info.source is not None and not value.lenses:
            new = isinstance(info.real, np.ndarray) and value.identity not in machine.heap.joined
            whole = (("reshape", value.type.shape),)
            return View(info.source, whole, value.identity) if new else External(info.source)
        views = self.stores or machine.settings.returns_views
        if views and machine.world.is_in_a_room(value):
            raise self._unmakeable(value)
        if info.source is not None and views and isinstance(info.real, np.ndarray):
            return self._view(value, info.source)
        made = Leaf(self.output(machine.read(value)), mutable=value.identity)
        origin = machine.heap.slots.get((value.buffer, ORIGIN))
        return made if origin is None or not views else self._shared(value, made, origin)

    def _shared(self, value: NdArray, made: Leaf, origin: Value) -> Reconstruction:
        """An array that may be one of the caller's."""
        objects = self.machine.heap.objects
        sources = {number: objects[number].source for number in sorted(self.machine.heap.origins[value.buffer])}
        originals = {
            number: self._view(value, source) if value.lenses else External(source)
            for number, source in sources.items()
            if source is not None
        }
        return Shared(self.output(self.machine.scalar_var(origin, int)), made, originals)

    def _bounded_array(self, value: BoundedArray) -> Reconstruction:
        if isinstance(value.base, Stored):
            return self._cut_row(value)
        world = self.machine.world
        if world.is_in_a_room(value.base):
            if world.is_whole(value):
                return External(self.machine.heap.found[value.base.identity])
            if self.stores or self.machine.settings.returns_views:
                raise self._unmakeable(value)
        whole, axes = masked_axes.compacted(self.machine, value)
        lengths = tuple(None if lanes is None else self.output(lanes.length) for lanes in axes)
        return Cut(Leaf(self.output(whole), mutable=True), lengths)

    def _tuple(self, value: Tuple) -> Reconstruction:
        if namespaces.has_attributes(self.machine, value):
            return self._with_attributes(value)
        return Sequence(value.cls, tuple(map(self.reconstruction, value.items)))

    def _ends(self, value: Slice | Range) -> Built:
        parts = tuple(map(self.reconstruction, (value.start, value.stop, value.step)))
        return Built(slice if isinstance(value, Slice) else range, parts)

    def _method(self, value: BoundMethod) -> Bound:
        if not isinstance(value.function, Const):
            raise self._unmakeable(value)
        return Bound(self.reconstruction(value.function), self.reconstruction(value.self))

    def _with_attributes(self, value: Tuple) -> Reconstruction:
        """A tuple with attributes: an instance that has items, too."""
        own = namespaces.of_tuple(self.machine, value)
        if isinstance(own, Union):
            return Choice(
                self.output(own.selector),
                tuple(self.reconstruction(Tuple(value.items, value.cls, ref)) for ref in own.alternatives),
            )
        known = isinstance(own, Ref) and own.object in self._made
        made = self.reconstruction(own)
        if known and own in self._filled:
            raise Refused("XP0010", "a tuple that holds itself is returned or stored outside")
        if isinstance(made, Made) and not known:
            self._filled.append(own)
            made.entries = tuple(map(self.reconstruction, value.items))
            self._filled.pop()
        return made

    def _choice(self, value: Union) -> Reconstruction:
        if any(a is UNBOUND or a is DEAD for a in value.alternatives):
            raise Refused(
                "XP0010", "a value that may be unbound is returned or stored outside", "give it a value on every path"
            )
        if len(value.alternatives) == 1:
            return self.reconstruction(value.alternatives[0])
        return Choice(self.output(value.selector), tuple(map(self.reconstruction, value.alternatives)))

    def _function(self, value: Function) -> Closure:
        """A function that the program has made, with what its variables hold at the end."""
        if value.namespace in self._functions:
            return self._functions[value.namespace]
        heap = self.machine.heap
        namespace = heap.objects[value.globals.object].real
        made = Closure(value.code, namespace, value.name)
        self._functions[value.namespace] = made
        made.cells += [self._cell(cell) for cell in value.closure]
        made.defaults += map(self.reconstruction, value.defaults)
        made.kwdefaults.update((name, self.reconstruction(v)) for name, v in value.kwdefaults.items())
        for name, item in value.attributes.items():
            made.attributes[f"__{name}__"] = self.reconstruction(item)
        self._require_unmirrored(value.namespace)
        for name in self._names(value.namespace):
            item = heap.read(value.namespace, name)
            if item is not UNBOUND:
                made.attributes[name] = self.reconstruction(_or_nothing(item))
        return made

    def _cell(self, cell: Value) -> Reconstruction:
        assert isinstance(cell, Ref)
        heap = self.machine.heap
        info = heap.objects[cell.object]
        if info.source is not None:
            if isinstance(info.real, types.CellType):
                return Known(info.real)
            raise Refused(
                "XP0010",
                "a function with variables of another one is returned or stored outside",
                "return what it would compute",
            )
        known = self._made.get(cell.object)
        if known is not None:
            return known
        made = self._made[cell.object] = Made("cell", types.CellType, {})
        content = heap.read(cell.object, "value")
        if content is not UNBOUND:
            made.fields["value"] = self.reconstruction(content)
        return made

    def _object(self, value: Ref) -> Reconstruction:
        heap = self.machine.heap
        info = heap.objects[value.object]
        if info.source is not None and info.kind != "cell":
            return External(info.source)
        self._require_makeable(info)
        known = self._made.get(value.object)
        if known is not None:
            return known
        if not is_immutable(info.cls):
            for other in heap.shared.get(value.object, ()):
                if other in self._made or heap.objects[other].source is not None:
                    heap.tell_apart(value.object, other)
        self._require_alone(value.object)
        self._require_unmirrored(value.object)
        is_records, is_matrix = issubclass(info.cls, Fields), info.cls is Matrix
        made = self._made[value.object] = Made("records" if is_records or is_matrix else info.kind, info.cls, {})
        if is_matrix:
            made.fields["elements"] = self.reconstruction(heap.read(value.object, "elements"))
        elif is_records:
            made.fields.update(self._of_records({name: heap.read(value.object, name) for name in info.fields}))
        elif info.kind == "instance":
            for name in self._names(value.object):
                field = heap.read(value.object, name)
                if field is not UNBOUND:
                    made.fields[name] = self.reconstruction(_or_nothing(field))
        else:
            self._fill(made, value.object, info)
        return made

    @staticmethod
    def _require_makeable(info: Object) -> None:
        """An object that the program has made can be made on the host, too."""
        if info.kind not in ("list", "tuple", "dict", "set", "instance"):
            hint = "return a list of what it gives" if issubclass(info.cls, Iterator) else ""
            raise Refused("XP0010", f"a {info.cls.__name__} is returned or stored outside", hint)
        in_python = info.cls.__flags__ & _IN_PYTHON and kinds.has_dict(info.cls)
        plain = in_python and registry.find_function(info.cls) is None
        if info.kind == "instance" and info.cls.__module__.startswith("numpy.") and not plain:
            raise Refused("XP0010", f"a {info.cls.__name__} made inside the program is returned or stored outside")

    def _fill(self, made: Made, number: int, info: Object) -> None:
        """What is in a container."""
        heap = self.machine.heap
        setting = next((name for base, name in _SETTINGS.items() if issubclass(info.cls, base)), None)
        if setting is not None:
            made.fields[setting] = self.reconstruction(heap.read(number, setting))
        contents = heap.read(number, "<items>")
        if info.kind == "set" and isinstance(contents, GrowableList) and self.machine.keys_of_items:
            raise Refused("XP0010", "a set whose order depends on numbers in a list of the caller", "return a list")
        made.entries = self.contents(contents)
        if info.cls is set and isinstance(contents, Mapping) and all(map(_is_constant, contents.entries)):
            made.history = contents.history

    def _of_records(self, parts: dict[str, Value]) -> dict[str, Reconstruction]:
        """What a structured array, or a record, is put together from that the program has made: a view of one of the
        caller's, or the elements of each field as they are at the end."""
        view = self._view_of_records(parts)
        if view is not None:
            return {"view": view}

        def elements(part: Value) -> Reconstruction:
            if isinstance(part, NdArray):
                return Leaf(self.output(self.machine.read(part)), mutable=part.identity)
            return self.reconstruction(part)

        return {name: elements(part) for name, part in parts.items()}

    def _view_of_records(self, parts: dict[str, Value]) -> View | None:
        """The view of a structured array of the caller's that has such fields, if it has the same ones."""
        heap, dtype = self.machine.heap, self.machine.static(parts["dtype"])
        shown: list[NdArray] = []
        where = None
        for name in dtype.names:
            part = parts[FIELD + name]
            source = heap.objects[part.buffer].source if isinstance(part, NdArray) else None
            if source is None or source.kind != "field" or source.key != name or where not in (None, source.outer):
                return None
            where = source.outer
            shown += [part] if isinstance(part, NdArray) and not dtype[name].shape else []
        if where is None or not shown or self.machine.world.structured[where] != dtype:
            return None
        steps = [[(lens.kind, lens.params) for lens in part.lenses] for part in shown]
        is_shown = all(one == steps[0] and {kind for kind, _ in one} <= _OF_RECORDS for one in steps)
        return self._view(shown[0], where) if is_shown else None

    def _require_unmirrored(self, number: int) -> None:
        """An object and its `__dict__` do not both become visible outside: there they would be two."""
        mirrors = self.machine.heap.mirrors
        owner = mirrors.get(number)
        if owner is None:
            seen = any(owner == number and mirror in self._made for mirror, owner in mirrors.items())
        else:
            made = owner in self._made or owner in self._functions
            seen = made or self.machine.heap.objects[owner].source is not None
        if seen:
            what = "the __dict__ of an object that is returned or stored outside itself"
            raise Refused("XP0010", what, "return a copy: dict(vars(obj))")

    def _require_order(self, number: int) -> None:
        """The order of what is in an object's `__dict__` is not that in which it got its attributes first."""
        for name in self.machine.heap.order.made_again(number):
            if self.machine.heap.read(number, name) is not UNBOUND:
                cls = self.machine.heap.objects[number].cls
                what = f"the order of the attributes of a {cls.__name__} which lost '{name}' and got it again"
                raise Refused("XP0004", what, "make a new object, or assign the attribute without deleting it")

    def _names(self, number: int) -> list[str]:
        """The attributes of an object in the order in which they were made, as far as that is known."""
        info = self.machine.heap.objects[number]
        known = self.machine.heap.order.sorted(number, info.cls, info.fields)
        if known is not None:
            return known
        self._require_order(number)
        if self._order is None:
            self._order = {}
            for owner, name in self.machine.heap.slots:
                self._order.setdefault(owner, []).append(name)
        made = self._order.get(number, [])
        return made + sorted(self.machine.heap.objects[number].fields.difference(made))

    def _stored(self, value: Stored) -> Reconstruction:
        """An object that lies in a growable list."""
        settings = {} if value.factory is None else {"default_factory": self.reconstruction(value.factory)}
        if value.held is not None:
            return Made(value.kind, value.cls, settings, self.contents(value.held))
        if value.kind == "buffer":
            leaf = self.reconstruction(value.parts[0])
            assert isinstance(leaf, Leaf)
            return Leaf(leaf.index, mutable=self.machine.heap.identity())
        parts = tuple(map(self.reconstruction, value.parts))
        if value.kind == "instance":
            return Made(value.kind, value.cls, dict(zip(value.names, parts, strict=True)))
        if value.kind in ("dict", "set"):
            return Made(value.kind, value.cls, settings, tuple(zip(map(self._key, value.names), parts, strict=True)))
        return Made(value.kind, value.cls, {}, parts)

    def _cut_row(self, value: BoundedArray) -> Reconstruction:
        """An array of dynamic length that lies in a growable list: a part of each row."""
        rows = value.base.parts[0] if isinstance(value.base, Stored) and value.base.kind == "buffer" else None
        if not isinstance(rows, JaxArray) or any(lanes is not None and lanes.valid is not None for lanes in value.axes):
            what = "a list that grew in a loop, of arrays whose length depends on data, leaves the program"
            raise Refused("XP0010", what, "return the arrays one after another, and where each begins")
        lengths = tuple(None if lanes is None else self.output(lanes.length) for lanes in value.axes)
        whole = Leaf(self.output(rows.var), mutable=self.machine.heap.identity())
        return Cut(whole, lengths, tuple(self._start_of_row(lanes) for lanes in value.axes))

    def _start_of_row(self, lanes: Lanes | None) -> int | None:
        if lanes is None or isinstance(lanes.start, int) and lanes.start == 0:
            return None
        if isinstance(lanes.start, int):
            start = self.machine.builder.constant(lanes.start, lanes.length.type.dtype)
            return self.output(self.machine.builder.broadcast(start, lanes.length.type.shape))
        return self.output(lanes.start)

    def contents(self, items: Value) -> tuple:
        """The entries of a container: reconstructions, or pairs of key reconstruction and value reconstruction. Where
        the contents are one of several, a selector and all of them."""
        if isinstance(items, Union):
            return (OneOf(self.output(items.selector), tuple(map(self.contents, items.alternatives))),)
        if isinstance(items, Tuple):
            return tuple(map(self.reconstruction, items.items))
        if isinstance(items, GrowableList):
            self._require_apart(items)
            item = instantiate(items.element, iter(items.rows))
            return (Rows(self.reconstruction(item), self.reconstruction(items.length)),)
        assert isinstance(items, Mapping)
        return tuple((self._key(k), self.reconstruction(v)) for k, v in items.entries.items())

    def _require_apart(self, items: GrowableList) -> None:
        """Refuse to return two growable lists that may hold the same object: it would be two."""
        found, heap = {}, self.machine.heap
        todo: list[Value] = [items.element]
        while todo:
            value = todo.pop()
            if isinstance(value, Stored) and value.kind != "buffer" and not is_immutable(value.cls):
                found[value.cls] = found.get(value.cls, True) and value.own and not heap.is_twice(value.cls)
            todo += [v for v in value.children() if isinstance(v, Value)]
            todo += [value.element] if isinstance(value, GrowableList) else []
        for cls, own in found.items():
            known = self._held.get(cls)
            twice = not own and cls in heap.doubled
            if twice or cls in self._placed or known is not None and not (own and known):
                raise Refused("XP0010", _TWICE.format(cls.__name__), _TWICE_HINT)
            self._held[cls] = own

    def _require_alone(self, number: int) -> None:
        """The same for an object that lies in a growable list, too."""
        heap = self.machine.heap
        if number in heap.owned and heap.owned[number].where is not FROZEN:
            cls = heap.objects[number].cls
            if cls in self._held and not is_immutable(cls):
                raise Refused("XP0010", _TWICE.format(cls.__name__), _TWICE_HINT)
            self._placed.add(cls)

    def _key(self, key: object) -> Reconstruction:
        if isinstance(key, Value):
            return self.reconstruction(key)
        if isinstance(key, Identity):
            return self._constant(Const(key))
        todo = [key]
        while todo:
            part = todo.pop()
            if isinstance(part, tuple):
                todo += part
                if type(part) in self.machine.world.with_namespaces and not vars(part):
                    what = f"a {type(part).__name__} with attributes that is a key"
                    raise Refused("XP0010", f"{what} is returned or stored outside", "use tuple(x) as the key")
        if _is_constant(key):
            return Known(key)
        if not isinstance(key, tuple):
            raise Refused("XP0010", "a frozenset of objects that is a key is returned or stored outside")
        return Sequence(type(key), tuple(map(self._key, key)))

    def effects(self) -> list[Effect]:
        """Every change to the caller's world, in the order in which it was made."""
        heap = self.machine.heap
        found: list[Effect] = []
        self.stores = True
        for (number, name), value in heap.slots.items():
            info = heap.objects[number]
            if number == STATE or name == CHANGES or info.source is None or heap.initial.get((number, name)) is value:
                continue
            self._require_order(number)
            if unchanged(heap.initial.get((number, name)), value):
                continue
            if info.kind == "random":
                found.extend(self._of_generator(number, name))
                continue
            if info.kind == "buffer":
                reconstruction: Reconstruction | None = Leaf(self.output(values.number_var(value)))
            elif value is UNBOUND:
                reconstruction = None
            elif name == "<items>":
                reconstruction = made = Made(info.kind, info.cls, {}, self.contents(value))
                if info.cls is set and isinstance(value, Mapping) and all(map(_is_constant, value.entries)):
                    before = heap.initial.get((number, name))
                    base = before.history if isinstance(before, Mapping) else None
                    made.steps = set_iteration_order.since(value.history, base)
            else:
                reconstruction = self.reconstruction(_or_nothing(value))
            found.append(Effect(info.kind, info.source, name, reconstruction))
        self.stores = False
        return found

    def _view(self, value: NdArray, source: Source) -> View:
        """A view that is stored in the caller's world, or returned to it, shares its memory with the array that it
        shows."""

        def known(part: Any) -> Any:
            if isinstance(part, Var):
                return Leaf(self.output(part))
            return tuple(map(known, part)) if isinstance(part, tuple) else part

        steps = tuple((lens.kind, known(lens.params)) for lens in value.lenses)
        return View(source, steps, value.identity)

    def _of_generator(self, number: int, name: str) -> list[Effect]:
        """How a random generator of the caller's is moved on: by what a call takes, or to where the program left it."""
        heap = self.machine.heap
        seeded = (number, "key") in heap.slots
        if seeded and name != "key":
            return []
        state = (heap.read(number, "key"), heap.read(number, "counter"))
        reconstruction = Sequence(tuple, tuple(map(self.reconstruction, state))) if seeded else None
        return [Effect("random", heap.objects[number].found, name, reconstruction)]

    def prints(self) -> tuple:
        """The texts that the program prints, in order."""
        texts = self.machine.heap.slots.get((STATE, "<items>"))
        return self.contents(texts) if texts is not None else ()

    def exception(self, args: tuple[Value, ...], attributes: tuple[tuple[str, Value], ...]) -> tuple:
        """Recipes of an exception's arguments and of its attributes."""
        return (
            *map(self.reconstruction, args),
            *(Attribute(name, self.reconstruction(value)) for name, value in attributes),
        )

    def error_payloads(self) -> list[Raised]:
        """The exception of each error code."""
        heap = self.machine.heap
        found = []
        for code, (cls, location) in enumerate(self.machine.errors, start=1):
            payload = heap.slots.get((STATE, f"payload{code}"))
            if payload is not None and not isinstance(payload, Tuple):
                raise Refused("XP0010", f"a {cls.__name__} whose message depends on data in more than one way")
            args, *pairs = payload.items if isinstance(payload, Tuple) else (Tuple(()),)
            attributes = tuple((self.machine.static(name), value) for name, value in map(values.tuple_items, pairs))
            found.append(Raised(cls, self.exception(_of_each_path(args), attributes), location))
        return found


#: how a value of a class is made on the host
_RECONSTRUCTED: dict[type[Value], Callable[[Outputs, Any], Reconstruction]] = {
    Const: Outputs._constant,
    Scalar: lambda outputs, value: Leaf(outputs.output(value.var), value.kind),
    NumpyScalar: lambda outputs, value: Leaf(outputs.output(value.var), scalar=True),
    JaxArray: lambda outputs, value: Leaf(outputs.output(value.var)),
    NdArray: Outputs._array,
    BoundedArray: Outputs._bounded_array,
    Tuple: Outputs._tuple,
    Union: Outputs._choice,
    MixedScalar: Outputs._choice,
    values.Text: lambda outputs, value: Text(value.template, tuple(map(outputs.reconstruction, value.parts))),
    Slice: Outputs._ends,
    Range: Outputs._ends,
    Ref: Outputs._object,
    Stored: Outputs._stored,
    BoundMethod: Outputs._method,
    Function: Outputs._function,
}
