"""The caller's world as the interpreter sees it: real objects become abstract values, and what was assumed becomes
guards.

Everything read is recorded: arrays and numbers that vary become parameters of the program, each with its source; what
the program depends on otherwise becomes a guard. Nothing here changes the caller's world.
"""

from __future__ import annotations

import collections
import datetime
import enum
import math
import os
import types
from collections import defaultdict
from collections.abc import Callable, Sequence, Set
from typing import TYPE_CHECKING, Any

import jax
import jax.core
import numpy as np

from xlapy.dispatch import kinds, registry
from xlapy.dispatch.arrays import views
from xlapy.dispatch.containers import container_subclasses
from xlapy.dispatch.containers.container_protocol import NODES, structure
from xlapy.dispatch.host_evaluation import element_of, host_value, part_of
from xlapy.dispatch.numpy import record_rules
from xlapy.dispatch.numpy.records import FIELD
from xlapy.dispatch.numpy.rule_operands import supported
from xlapy.dispatch.protocol import Refused
from xlapy.domain import randomness, set_iteration_order
from xlapy.domain.assumptions import Guard
from xlapy.domain.builtin_bases import CONTENTS, base_of
from xlapy.domain.device_buffers import DeviceView
from xlapy.domain.heap import CHANGES
from xlapy.domain.numbers import SCALAR_DTYPES, is_python_scalar
from xlapy.domain.rooms import Room, Span, padded
from xlapy.domain.sources import Anchor, Source, anchor, attribute, item
from xlapy.domain.storage import Storage, layout, steps_to, storage
from xlapy.domain.trusted_libraries import trusted
from xlapy.domain.values import (
    NONE,
    UNBOUND,
    BoundedArray,
    BoundMethod,
    Const,
    JaxArray,
    Lanes,
    Mapping,
    NdArray,
    NumpyScalar,
    Opaque,
    Ref,
    Scalar,
    Tuple,
    Value,
    made_tuple,
)
from xlapy.immutable import immutable
from xlapy.interpreter.definitions import Definitions
from xlapy.interpreter.specialise import origins
from xlapy.ir import TensorType, Var
from xlapy.ir.intervals import Interval

if TYPE_CHECKING:
    from xlapy.interpreter.machine import Machine


#: elements of an array that shapes may depend on
_MOST_KNOWN = 64
#: how many dimensions the arrays of XLA, as JAX makes them, may have
_MOST_DIMENSIONS = 32


@immutable()
class Parameter:
    """An input of the program: where it is found, its device value, and the Python type if it is a Python number."""

    source: Source
    var: Var
    python: type | None = None
    #: whether it is the contents of an array that the program may write
    array: bool = False

    @property
    def is_number(self) -> bool:
        """Whether it is a number, whose value a program may be made for."""
        return self.var.type.shape == () and not self.array


class CallerEnvironment(Definitions):
    """Wraps real objects; `static` and `dynamic` say which numbers must be known and which must be inputs, `storages`
    which memory is seen by several arrays, `rooms` which arrays have sizes that vary from call to call."""

    def __init__(
        self,
        static: Set[Source],
        dynamic: Set[Source],
        storages: Sequence[Storage] = (),
        rooms: dict[Source, Room | Span] | None = None,
    ) -> None:
        super().__init__()
        self.static, self.dynamic, self.rooms = static, dynamic, rooms or {}
        #: lengths of arrays for which there are rooms, and integers in spans
        self.lengths: dict[Source, Var] = {}
        #: between which numbers these are
        self.spans: dict[Var, Interval] = {}
        #: what such arrays are, by the identity of the objects
        self._roomy: dict[int, BoundedArray] = {}
        self.storages = {id(shared.root): shared for shared in storages}
        #: whole arrays of that memory, by the identity of their owner, and where these are found
        self._stored: dict[int, tuple[NdArray, Source]] = {}
        self.parameters: list[Parameter] = []
        #: the integers and bools among them
        self.integers: set[Var] = set()
        #: objects whose identity the program has asked for, by class
        self._told_apart: dict[type, dict[Source, None]] = {}
        #: what this call passes for them
        self._found: dict[Var, Any] = {}
        self._worked_out: dict[Var, np.ndarray | None] = {}
        self.guards: dict[tuple, Guard] = {}
        self._keep: list[object] = []
        #: what was found in libraries, and where; and objects that are taken as they are
        self.of_libraries: dict[Source, object] = {}
        self.taken: dict[int, object] = {}
        self.imports: set[str] = set()
        self.momentary: list[str] = []
        #: whole arrays on the device, by the identity of their buffers, and where these are found
        self._device_buffers: dict[int, tuple[NdArray, Source]] = {}
        #: the types of structured arrays
        self.structured: dict[Source, np.dtype] = {}
        #: classes of tuples that have attributes beside their items, and the names of these
        self.kept_by_value: dict[type, set[str]] = {}
        #: classes of tuples each of which has an object that holds its attributes
        self.with_namespaces: set[type] = set()
        #: those among them of which that is only expected, and classes of which there have been tuples without one
        self.expected: set[type] = set()
        self.without_namespaces: set[type] = set()

    def attach(self, machine: Machine) -> None:
        """Tie the world to the machine that reads it."""
        self.machine = machine
        self.with_namespaces |= machine.facts.namespaces

    # -- guards and parameters --------------------------------------------------------------------------------------

    def guard(self, kind: str, source: Source, value: object = None) -> None:
        """Record an assumption."""
        if source.kind == "object" and kind in ("is", "type", "isinstance"):
            return
        key = (kind, source, id(value) if kind != "missing" else None)
        if key not in self.guards:
            self.guards[key] = Guard(kind, source, value)

    def tell_apart(self, source: Source, kind: type) -> None:
        """An object of class `kind` is another one than all those of this class that were told apart before."""
        others = self._told_apart.setdefault(kind, {})
        if source not in others:
            for other in others:
                self.guard("distinct", source, other)
            others[source] = None

    def assumptions(self) -> list[Guard]:
        """All guards: what was recorded, and that no class gets an attribute that would come before the one found."""
        found = list(self.guards.values())
        for cls, names in self.absent.items():
            found.append(Guard("is", attribute(anchor(cls), "__mro__"), cls.__mro__))
            found.append(Guard("absent", anchor(cls), frozenset(names)))
        return found

    def parameter(
        self, source: Source, type_: TensorType, found: object, python: type | None = None, array: bool = False
    ) -> Var:
        """A new input of the program; `found` is what this call passes."""
        dtype = self.machine.builder.narrowed(type_.dtype)
        var = Var(TensorType(type_.shape, dtype, type_.weak), self.machine.entry)
        self.machine.entry.params.append(var)
        self.parameters.append(Parameter(source, var, python, array))
        if self.parameters[-1].is_number and isinstance(dtype, np.dtype) and dtype.kind in "iub":
            self.integers.add(var)
        self._found[var] = found
        return var

    def described(self, var: Var, name: str) -> tuple[Any] | None:
        """What an attribute of the array says that is passed for `var`, in a tuple, which becomes an assumption; None
        if that is no `jax.Array` of the caller's."""
        found = self._found.get(var)
        parameter = next((p for p in self.parameters if p.var is var), None)
        if parameter is None or not isinstance(found, jax.Array) or isinstance(found, jax.core.Tracer):
            return None
        value = getattr(found, name)
        if name != "aval":
            self.guard("equal", attribute(parameter.source, name), value)
        return (value,)

    def lies_on_explicit_axes(self) -> bool:
        """Whether the types of the caller's arrays tell how these are laid out."""
        arrays = (x for x in self._found.values() if isinstance(x, jax.Array))
        return any(jax.typeof(x).sharding.mesh.explicit_axes for x in arrays)

    def work_out(self, var: Var) -> np.ndarray | None:
        """The value of `var` for this call, which becomes an assumption; None where that cannot be told beforehand."""
        if var not in self._worked_out:
            self._worked_out[var] = self._work_out(var)
        return self._worked_out[var]

    def is_up_to_data(self, var: Var) -> bool:
        """Whether `var` can be told before the program runs, but only from the contents of arrays: neither a number
        that is made static nor a loop that is unrolled would tell it."""
        numbers = {p.var: p for p in self.parameters if p.is_number}
        entry = self.machine.entry
        found = list(origins(var))
        inputs = [o for o in found if isinstance(o, Var) and o.owner is entry]
        if any(isinstance(o, Var) and o.owner is not entry for o in found):
            # Loops over data that end before this place tell no more if they are unrolled.
            return not all(v in numbers for v in inputs) and part_of(var, entry) is not None
        if len(inputs) < len(found):
            return False
        known = [numbers[v] for v in inputs if v in numbers]
        scalars = [p.source for p in known if p.python is not None or p.var.type.dtype.kind in "iub"]
        return len(scalars) < len(inputs) or all(s in self.static for s in scalars)

    def _work_out(self, var: Var) -> np.ndarray | None:
        part = part_of(var, self.machine.entry)
        if part is None or self.machine.builder.narrow or math.prod(var.type.shape) > _MOST_KNOWN:
            return None
        found = [self._found[p] for p in part.params]
        if any(isinstance(x, jax.core.Tracer | jax.ShapeDtypeStruct) for x in found):
            return None
        sources = {p.var: p.source for p in self.parameters}
        element = element_of(var)
        if element is not None and isinstance(self._found.get(element[0]), np.ndarray):
            known = self._found[element[0]][element[1]]
            self.guard("equal", item(sources[element[0]], element[1]), known)
            return np.asarray(known, var.type.dtype)
        question = host_value(part)
        answer = question(*found)
        if answer is not None:
            self.guard("gives", anchor(question), (answer, tuple(sources[p] for p in part.params)))
        return answer

    # -- wrapping ---------------------------------------------------------------------------------------------------

    def wrap_anchored(self, found: object) -> Value:
        """A real object that the program refers to by itself (part of a bound method, of a constant...)."""
        return self.wrap(found, anchor(found))

    def anchor(self, found: object) -> Source:
        """The source of an object that the program refers to by itself."""
        return anchor(found)

    def wrap(self, found: object, source: Source) -> Value:
        """A real object as an abstract value."""
        if found is None or found is Ellipsis or found is NotImplemented:
            self.guard("is", source, found)
            return Const(found, source) if found is not None else NONE
        kind = type(found)
        if source.kind == "object":
            self.taken[id(found)] = found
        if kind in SCALAR_DTYPES:
            return self._number(found, source)
        if kind in (str, bytes):
            self.guard("equal", source, found)
            return Const(found, source)
        known = self._known.get(id(found))
        if known is not None:
            if source != known[2]:
                self.guard("same", source, known[2])
            return known[1]
        value = self._object(found, kind, source)
        if (
            isinstance(value, Ref | NdArray | BoundedArray | JaxArray)
            or isinstance(value, Tuple)
            and value.namespace is not None
        ):
            self._known[id(found)] = (found, value, source)
        return value

    def _varies(self, source: Source) -> bool:
        """Whether a number is an input: one passed as an argument or in a container of numbers, until it is needed at
        compile time; one in an attribute, a global or a closure only after it has changed."""
        return source in self.dynamic or (_passed(source) and source not in self.static)

    def _number(self, found: object, source: Source) -> Value:
        kind = type(found)
        span = self.rooms.get(source)
        if isinstance(span, Span) and type(found) is int:
            self.guard("type", source, int)
            self.guard("within", source, (span.low, span.high))
            length = self._length(source, found)
            self.spans[length] = span.low, span.high
            return Scalar(int, length, (span.low, span.high))
        varies = self._varies(source)
        if varies and is_python_scalar(found) and self.machine.builder.holds(found):
            self.guard("type", source, kind)
            var = self.parameter(source, TensorType((), SCALAR_DTYPES[kind], True), found, kind)
            return Scalar(kind, var)
        self.guard("equal", source, found)
        return Const(found, source)

    def _object(self, found: Any, kind: type, source: Source) -> Value:
        if found is os.environ:
            raise Refused(
                "XP0010", "os.environ is read, which may change between calls", "pass the value as an argument"
            )
        for classes, wrapped in _WRAPPED:
            if isinstance(found, classes):
                return wrapped(self, found, kind, source)
        name = _HEAP_KINDS.get(kind)
        if name is not None:
            return self._external(name, found, kind, source)
        if isinstance(found, list | dict | set) and kind.__module__ != "builtins" and not isinstance(found, enum.Enum):
            return self._container_subclass(found, kind, source)
        python = registry.find_source(found)
        if python is not None:
            self.guard("is", source, found)
            return self.wrap_anchored(python)
        if kind in _CHANGING or kind.__hash__ is None and not _compares(found, kind) and not _in_python(kind):
            raise Refused(
                "XP0005",
                f"{source} is an object of class {kind.__module__}.{kind.__qualname__}, which may change between calls",
                "pass an array, a list or a dict",
            )
        if self._is_constant(found, kind):
            self.guard("equal" if _compares(found, kind) else "is", source, found)
            if isinstance(found, frozenset):
                self._order(source, found)
            return Const(found, source)
        if isinstance(found, kinds.PLAIN):
            self.guard("type", source, kind)
            return self._plain(found, kind, source)
        return self._external("instance", found, kind, source)

    def _external(self, name: str, found: Any, kind: type, source: Source) -> Ref:
        """An object of the caller's in the heap."""
        self.guard("type", source, kind)
        if kind is collections.deque:
            self.guard("equal", attribute(source, "maxlen"), found.maxlen)
        return Ref(self.machine.heap.external(name, kind, source, found))

    def _jax_array(self, found: Any, kind: type, source: Source) -> Value:
        # Among arguments, a spec stands for an array; elsewhere it is itself, of which JAX takes the shape.
        if isinstance(found, jax.Array) or source.root().kind == "argument":
            self.guard("isinstance", source, jax.Array)
        type_ = TensorType(tuple(found.shape), found.dtype, bool(getattr(found, "weak_type", False)))
        return JaxArray(self.parameter(source, type_, found))

    def _tuple(self, found: tuple, kind: type, source: Source) -> Value:
        self.guard("type", source, kind)
        if kind is not tuple:
            kinds.check_container(kind)
            own = getattr(found, "__dict__", None)
            if own:
                self.kept_by_value.setdefault(kind, set()).update(own)
            if own is not None:
                self.guard("keys", attribute(source, "__dict__"), tuple(own))
        self.guard("len", source, len(found))
        items = tuple(self.wrap(part, item(source, i)) for i, part in enumerate(found))
        if kind not in self.with_namespaces:
            self.without_namespaces.add(kind)
            return Tuple(items, kind)
        return Tuple(items, kind, Ref(self.machine.heap.external("instance", kind, source, found)))

    def _method(self, found: types.MethodType, kind: type, source: Source) -> Value:
        self.guard("type", source, kind)
        function = self.wrap(found.__func__, attribute(source, "__func__"))
        return BoundMethod(function, self.wrap(found.__self__, attribute(source, "__self__")))

    def _container_subclass(self, found: list | dict | set, kind: type, source: Source) -> Ref:
        name = next(c for c in (list, dict, set) if isinstance(found, c)).__name__
        base = base_of(kind)
        own = base is not None and container_subclasses.reads_plainly(kind, base)
        if not own:
            kinds.check_container(kind)
        return self._external("instance" if own else name, found, kind, source)

    def _plain(self, found: Any, kind: type, source: Source) -> Value:
        """A number or string of a subclass that adds nothing to it: a constant, as what it is is its value."""
        kinds.check_plain(found)
        self.guard("is", source, found)
        if hasattr(found, "__dict__"):
            self.guard("len", attribute(source, "__dict__"), 0)
        return Const(found, source)

    @staticmethod
    def _is_constant(found: object, kind: type) -> bool:
        """Whether an object is taken as it is: functions, classes, modules, and objects of compiled classes."""
        if isinstance(
            found, type | types.FunctionType | types.ModuleType | types.BuiltinFunctionType | np.ufunc | enum.Enum
        ):
            return True
        if kind is types.SimpleNamespace:
            return False
        if isinstance(found, Opaque):
            return True
        if registry.find_function(found) is not None or registry.find_replacement(found) is not None:
            return True
        if not kind.__flags__ & (1 << 9):  # not a heap type: made in C
            return True
        return trusted(kind.__module__) and (_compares(found, kind) or not _holds_state(kind))

    def _ndarray(self, found: np.ndarray, kind: type, source: Source) -> Value:
        if found.dtype.names:
            return self._structured(found, kind, source)
        if not supported(found.dtype):
            raise Refused(
                "XP0005",
                f"{source} is an array of dtype {found.dtype}, which XLA does not have",
                "pass numbers",
            )
        if kind is not np.ndarray and kind is not np.memmap:
            raise Refused(
                "XP0005",
                f"{source} is a {kind.__module__}.{kind.__name__}, a subclass of ndarray",
                "pass np.asarray(x)",
            )
        if found.dtype.byteorder not in "=|" and not found.dtype.isnative:
            raise Refused("XP0005", f"{source} has a foreign byte order", "x.astype(x.dtype.newbyteorder('='))")
        if found.ndim > _MOST_DIMENSIONS:
            raise Refused("XP0005", f"{source} has {found.ndim} dimensions, more than JAX takes", "x.reshape(...)")
        if self.storages and found.size and id(storage(found)) in self.storages:
            return self._shares_memory(found, source)
        room = self.rooms.get(source)
        if isinstance(room, Room):
            return self._in_a_room(found, kind, source, room)
        return self._buffer(found, kind, source)

    def _structured(self, found: np.ndarray, kind: type, source: Source) -> Value:
        """A structured array: an object that has an array for each field."""
        cls = record_rules.required(found, kind, source)
        self.guard("type", source, kind)
        self.guard("equal", attribute(source, "dtype"), found.dtype)
        self.structured[source] = found.dtype
        return Ref(self.machine.heap.external("instance", cls, source, found))

    def _in_a_room(self, found: np.ndarray, kind: type, source: Source, room: Room) -> BoundedArray:
        """An array whose size varies from call to call: part of a larger one."""
        self.guard("fits", source, (found.dtype, room))
        lanes: list[Lanes | None] = [None] * found.ndim
        for k, where in enumerate(room.lengths):
            if where is not None:
                own = item(attribute(source, "shape"), k)
                if own != where:
                    self.guard("equals", own, where)
                length = self._length(where, found.shape[k])
                low, high = self.spans.get(length, (room.least[k], room.shape[k]))
                self.spans[length] = max(low, room.least[k]), min(high, room.shape[k])
                lanes[k] = Lanes(length)
        base = self._buffer(padded(found, room.shape), kind, source, Source("padded", room.shape, source))
        value = self._roomy[base.identity] = BoundedArray(base, tuple(lanes))
        return value

    def _length(self, where: Source, length: int) -> Var:
        """The length of a dimension that varies, or another such integer."""
        if where not in self.lengths:
            self.lengths[where] = self.parameter(where, TensorType((), SCALAR_DTYPES[int]), length, int)
            self.integers.discard(self.lengths[where])  # it is not to be had by specialisation
        return self.lengths[where]

    def is_in_a_room(self, array: NdArray) -> bool:
        """Whether an array is an array of the caller's whose size varies, or a view of one."""
        source = self.machine.heap.objects[array.buffer].source
        return source is not None and source in self.rooms

    def is_whole(self, value: BoundedArray) -> bool:
        """Whether a value is an array of the caller's as it was passed."""
        known = self._roomy.get(value.base.identity)
        return known is not None and known.axes == value.axes

    def _buffer(self, found: np.ndarray, kind: type, source: Source, operand: Source | None = None) -> NdArray:
        """An array whose memory is seen by no other one, as far as the program depends on that. The program takes it
        from `operand`, if that is another place."""
        self.guard("type", source, kind)
        self.guard("equal", attribute(attribute(source, "dtype"), "isnative"), True)  # JAX may take it for native
        if not found.flags.writeable:
            self.guard("equal", attribute(attribute(source, "flags"), "writeable"), False)
        type_ = TensorType(found.shape, found.dtype)
        var = self.parameter(operand or source, type_, found, array=True)
        heap = self.machine.heap
        buffer = heap.external("buffer", np.ndarray, source, found)
        heap.initial[(buffer, "<data>")] = JaxArray(var)
        identity = heap.identity()
        heap.found[identity] = source
        return NdArray(buffer, (), TensorType(found.shape, var.type.dtype), identity, found.flags.writeable)

    def _shares_memory(self, found: np.ndarray, source: Source) -> Value:
        """An array that shares memory with others: a view onto what owns it."""
        shared = self.storages[id(storage(found))]
        steps = steps_to(found, shared)
        unknown = Refused("XP0012", f"{source} shares memory with another array in a way that is not tracked")
        root = shared.root
        plain = type(root) in (np.ndarray, np.memmap) and root.dtype.isnative and supported(root.dtype)
        if steps is None or not plain or (found.flags.writeable and not root.flags.writeable):
            raise unknown
        known = self._stored.get(id(root))
        if known is None:
            where = Source("storage", None, source)
            self._stored[id(root)] = known = (self._buffer(root, type(root), where), where)
        whole, where = known
        if steps and steps[-1][0] == "bitcast" and whole.type.dtype != root.dtype:
            raise unknown
        self.guard("layout", source, (where, layout(found, root)))
        value = views.make_view(self.machine, whole, None, whole.type, found.flags.writeable)
        for step_kind, params in steps:
            value = views.view(self.machine, value, step_kind, params)
        self.machine.heap.found[value.identity] = source
        return value

    def _device_view(self, found: DeviceView, kind: type, source: Source) -> Value:
        """A mutable array on the device: a view onto a buffer that other arguments may show, too."""
        self.guard("type", source, kind)
        self.guard("equal", attribute(source, "steps"), found.steps)
        holder, where = found.device_buffer, attribute(source, "device_buffer")
        known = self._device_buffers.get(id(holder))
        if known is None:
            for _, other in self._device_buffers.values():
                self.guard("distinct", where, other)
            array = holder.array
            type_ = TensorType(tuple(array.shape), np.dtype(array.dtype))
            var = self.parameter(attribute(where, "operand"), type_, array)
            heap = self.machine.heap
            buffer = heap.external("buffer", np.ndarray, where, holder)
            heap.initial[(buffer, "<data>")] = JaxArray(var)
            whole = NdArray(buffer, (), TensorType(type_.shape, var.type.dtype), heap.identity())
            self._device_buffers[id(holder)] = known = (whole, where)
        elif where != known[1]:
            self.guard("same", where, known[1])
        value = views.make_view(self.machine, known[0], None, known[0].type)
        for step_kind, params in found.steps:
            value = views.view(self.machine, value, step_kind, params)
        self.machine.heap.found[value.identity] = source
        return value

    def _numpy_scalar(self, found: np.generic, kind: type, source: Source) -> Value:
        if not supported(found.dtype):
            raise Refused("XP0005", f"{source} is a numpy.{kind.__name__}, which XLA does not have", "pass numbers")
        varies = self._varies(source)
        if varies:
            self.guard("type", source, kind)
            return NumpyScalar(self.parameter(source, TensorType((), found.dtype), found))
        self.guard("equal", source, found)
        return Const(found, source)

    # -- loading slots ----------------------------------------------------------------------------------------------

    def load(self, number: int, name: str) -> Value:
        """The value of a slot of an object of the caller's world, as it is at entry."""
        info = self.machine.heap.objects[number]
        source, real = info.source, info.real
        assert source is not None
        load = _LOADED.get(info.kind)
        return UNBOUND if load is None else load(self, real, name, source)

    def _load_cell(self, real: types.CellType, name: str, source: Source) -> Value:
        place = Source("cell", source.key)
        try:
            contents = real.cell_contents
        except ValueError:
            self.guard("missing", place)
            return UNBOUND
        return self.wrap(contents, place)

    def _load_of_list(self, real: Any, name: str, source: Source) -> Value:
        if name == "maxlen":
            return Const(real.maxlen)
        if name == CHANGES:
            return Const(0)
        if name != "<items>":
            return UNBOUND
        self.guard("len", source, len(real))
        items = list.__iter__(real) if isinstance(real, list) else collections.deque.__iter__(real)
        return Tuple(tuple(self.wrap(v, item(source, i)) for i, v in enumerate(items)))

    def _load_of_dict(self, real: dict, name: str, source: Source) -> Value:
        keys = tuple(dict.keys(real))
        self.guard("keys", source, keys)
        return Mapping({self._key(k): self.wrap(dict.__getitem__(real, k), item(source, k)) for k in keys})

    def _load_of_set(self, real: set, name: str, source: Source) -> Value:
        members = tuple(map(self._key, self._order(source, real)))
        return Mapping(dict.fromkeys(members, Const(True)), set_iteration_order.found(real, members))

    def _load_of_class(self, real: type, name: str, source: Source) -> Value:
        return self._entry(real, name) if name in real.__dict__ else UNBOUND

    def _load_of_function(self, real: types.FunctionType, name: str, source: Source) -> Value:
        own = real.__dict__
        return self.wrap(own[name], attribute(source, name)) if name in own else UNBOUND

    def _load_of_generator(self, real: Any, name: str, source: Source) -> Value:
        if name == "key":
            words = TensorType((2,), np.dtype(np.uint32))
            return JaxArray(self.parameter(Source("random", None, source), words, randomness.key(real)))
        return Const(np.uint32(0)) if name == "counter" else UNBOUND

    def _load_of_instance(self, real: Any, name: str, source: Source) -> Value:
        if name == CONTENTS:
            base = base_of(type(real))
            assert base is not None
            name = next(c for c in (list, dict, set) if issubclass(base, c)).__name__
            return Ref(self.machine.heap.external(name, base, source, real))
        if isinstance(real, np.ndarray):
            return self._load_field(real, name, source)
        return self._load_attribute(real, name, source)

    def _order(self, source: Source, real: set | frozenset) -> tuple:
        """The members of a set in order; the program depends on that, and on the size of its table."""
        keys = tuple(real)
        self.guard("keys", source, keys)
        self.guard("room", source, real.__sizeof__())
        return keys

    def _key(self, found: Any) -> Any:
        """The key that an object in a dict of the caller's is: itself if it is plain data, else the reference that
        stands for it everywhere."""
        if isinstance(found, tuple):
            parts = [self._key(part) for part in found]
            if all(a is b for a, b in zip(parts, found, strict=True)):
                return found
            return made_tuple(type(found), parts)
        if found is None or isinstance(found, _PLAIN_KEYS):
            return found
        value = self.wrap_anchored(found)
        return value if isinstance(value, Ref) else found

    def _load_global(self, namespace: dict, name: str, _: Source) -> Value:
        source = Source("global", (Anchor(namespace), name))
        if name not in namespace:
            if not trusted(namespace.get("__name__")):
                self.guard("missing", source)
            return UNBOUND
        if trusted(namespace.get("__name__")) and not isinstance(namespace[name], np.ndarray | list | dict):
            return self.found_in_library(namespace[name], source)
        return self.wrap(namespace[name], source)

    def found_in_library(self, found: object, source: Source) -> Value:
        """A global of a trusted library; a function of the user's there stands for the library's own, for a while."""
        self.of_libraries[source] = found
        if isinstance(found, types.FunctionType) and not trusted(found.__module__):
            self.guard("is", source, found)
        return self.unguarded(found)

    def builtin(self, name: str, namespace: dict[str, Any]) -> Value:
        """A builtin, which is taken as it is."""
        self.of_libraries[Source("global", (Anchor(namespace), name))] = namespace[name]
        return Const(namespace[name])

    def unguarded(self, found: object) -> Value:
        """A global of a trusted library."""
        if isinstance(found, tuple):
            return Tuple(tuple(map(self.unguarded, found)), type(found))
        if found is None:
            return NONE
        if type(found) in SCALAR_DTYPES or isinstance(found, str | np.generic):
            return Const(found)
        return self.wrap(found, anchor(found))

    def _load_field(self, real: np.ndarray, name: str, source: Source) -> Value:
        """What stands for a structured array has for attributes."""
        if name.startswith(FIELD):
            name = name.removeprefix(FIELD)
            return self.wrap(real[name], Source("field", name, source))
        known = {"dtype": real.dtype, "axes": real.ndim}
        return Const(known[name]) if name in known else UNBOUND

    def _load_attribute(self, real: object, name: str, source: Source) -> Value:
        missing = object()
        found = missing
        own = getattr(real, "__dict__", None)
        if isinstance(own, dict) and name in own:
            found = own[name]
        else:
            for cls in type(real).__mro__:
                entry = cls.__dict__.get(name)
                if isinstance(entry, types.MemberDescriptorType | types.GetSetDescriptorType):
                    try:
                        found = entry.__get__(real)
                    except AttributeError:
                        pass
                    break
        if isinstance(real, BaseException) and name == "args":
            found = real.args
        where = attribute(source, name)
        if found is missing:
            if isinstance(own, dict):
                self.guard("missing", where)
            return UNBOUND
        return self.wrap(found, where)

    # -- pytrees ----------------------------------------------------------------------------------------------------

    def pytree_children(self, value: Ref) -> tuple[Callable, list[Value]] | None:
        """How an object of a class registered with `jax.tree_util` is made again, and its dynamic parts."""
        self.momentary.append("an object is taken apart for JAX")
        heap = self.machine.heap
        info = heap.objects[value.object]
        own = self.own_attributes(value.object) if info.source is not None else ()
        # in the same order in every process: it is the order of the program's inputs
        names = dict.fromkeys((*own, *info.fields, *sorted(kinds.slots_of(info.cls))))
        try:
            shell = object.__new__(info.cls)
        except TypeError:
            return None
        for name in names:
            field = heap.read(value.object, name)
            if field is not UNBOUND:
                object.__setattr__(shell, name, self._shell(field))
        try:
            leaves, tree = jax.tree.flatten(shell, is_leaf=lambda x: isinstance(x, Value) or x is None)
        except Exception as error:
            what = f"a {info.cls.__name__}, whose class takes its objects apart for JAX by code of its own"
            raise Refused("XP0011", f"{what} ({type(error).__name__})") from error
        if len(leaves) == 1 and leaves[0] is shell:
            return None
        return tree.unflatten, [v if isinstance(v, Value) else Const(v) for v in leaves]

    def _shell(self, field: Value) -> Any:
        if isinstance(field, Const):
            return field.value
        if isinstance(field, Tuple) and field.cls is tuple:
            return tuple(map(self._shell, field.items))
        if isinstance(field, Ref):
            info = self.machine.heap.objects[field.object]
            if info.kind in ("list", "dict") and info.cls in NODES:
                contents = structure(self.machine, field)
                if isinstance(contents, Tuple):
                    return [self._shell(v) for v in contents.items]
                if info.cls is not defaultdict:
                    make: Any = info.cls
                    return make({k: self._shell(v) for k, v in contents.entries.items()})
                raise Refused("XP0011", "a defaultdict in an object that JAX takes apart", "use a dict")
        return field

    def adopt(self, found: object, abstract: Callable[[object], Value]) -> Value:
        """An object that JAX made from abstract parts (an unflattened pytree) as an object in the heap."""
        own = dict(getattr(found, "__dict__", {}))
        own.update((name, getattr(found, name)) for name in kinds.slots_of(type(found)) if hasattr(found, name))
        if not own and not hasattr(found, "__dict__"):
            return self.wrap_anchored(found)
        fields = {}
        for name, part in own.items():
            inner = isinstance(part, Value | tuple | list | dict) or part is None
            held = jax.tree.leaves(part, is_leaf=lambda x: isinstance(x, Value))
            inner = inner or any(isinstance(x, Value) or type(x).__name__ == "_Static" for x in held)
            fields[name] = abstract(part) if inner else self.wrap_anchored(part)
        number = self.machine.heap.new("instance", type(found), self.machine.location(), **fields)
        return Ref(number)

    def helper_instance(self, cls: type, **fields: Value) -> Value:
        """An object of a class of ours that is interpreted like the user's."""
        return Ref(self.machine.heap.new("instance", cls, self.machine.location(), **fields))


#: classes of keys that are the same wherever they are equal
_PLAIN_KEYS = (str, bytes, int, float, complex, np.generic, np.dtype, frozenset, range, type, enum.Enum)


#: mutable classes of Python's own that have a hash nevertheless
_CHANGING = frozenset((memoryview, types.MappingProxyType, type({}.keys()), type({}.values()), type({}.items())))


def _in_python(kind: type) -> bool:
    """Whether a class was made by a `class` statement, or its objects are like those of such a class."""
    return (
        kind is types.SimpleNamespace
        or bool(kind.__flags__ & (1 << 9))
        and not isinstance(vars(kind).get("__new__"), types.BuiltinFunctionType)
    )


def _passed(source: Source) -> bool:
    while source.kind == "item" and source.base is not None:
        source = source.base
    return source.kind == "argument"


#: dates that are equal are alike, if they have no time zone
_DATES = (datetime.date, datetime.datetime, datetime.timedelta)


def _compares(found: object, kind: type) -> bool:
    """Whether constants of a class that are equal may stand for one another: plain data, and what JAX compares."""
    if isinstance(found, frozenset | np.dtype | slice | range):
        return True
    if kind in _DATES:
        return getattr(found, "tzinfo", None) is None
    return kind.__module__.partition(".")[0] == "jax" and isinstance(kind.__eq__, types.FunctionType)


def _holds_state(kind: type) -> bool:
    """Classes of trusted libraries whose objects carry arrays, options, or are meant to be subclassed. What has no hash
    may change; the registries of libraries, which hold their classes weakly, have none."""
    unhashed = kind.__hash__ is None and kind.__module__ not in ("weakref", "_weakrefset")
    return unhashed or kind.__module__ in ("types", "__main__", "collections", "argparse", "optparse")


#: how objects of classes and those derived from them are wrapped
_WRAPPED: tuple[tuple[tuple[type, ...], Callable[[CallerEnvironment, Any, type, Source], Value]], ...] = (
    ((np.ndarray,), CallerEnvironment._ndarray),
    ((DeviceView,), CallerEnvironment._device_view),
    ((jax.Array, jax.ShapeDtypeStruct), CallerEnvironment._jax_array),
    ((np.generic,), CallerEnvironment._numpy_scalar),
    ((tuple,), CallerEnvironment._tuple),
    ((types.MethodType,), CallerEnvironment._method),
)
#: the kind of heap object that an object of a class is
_HEAP_KINDS = {list: "list", dict: "dict", set: "set", collections.deque: "list"} | dict.fromkeys(
    randomness.CLASSES, "random"
)
#: how a slot of a heap object of a kind is loaded
_LOADED: dict[str, Callable[[CallerEnvironment, Any, str, Source], Value]] = {
    "globals": CallerEnvironment._load_global,
    "cell": CallerEnvironment._load_cell,
    "list": CallerEnvironment._load_of_list,
    "dict": CallerEnvironment._load_of_dict,
    "set": CallerEnvironment._load_of_set,
    "class": CallerEnvironment._load_of_class,
    "function": CallerEnvironment._load_of_function,
    "random": CallerEnvironment._load_of_generator,
    "instance": CallerEnvironment._load_of_instance,
}
