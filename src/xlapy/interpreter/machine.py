"""The abstract interpreter: state, branches, errors, and the services that dispatch rules ask for."""

from __future__ import annotations

import collections
import functools
import math
import types
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, NoReturn

import numpy as np

from xlapy.dispatch import kinds, leaves, register_all  # noqa: F401
from xlapy.dispatch.argument_kinds import ALL_LENGTHS
from xlapy.dispatch.arrays import array_values
from xlapy.dispatch.arrays.memory_order import layouts
from xlapy.dispatch.bounded import size_joins
from xlapy.dispatch.iterators import sequences
from xlapy.dispatch.protocol import Advanced, NeedStatic, PythonError, Refused, Settings
from xlapy.dispatch.python import assignments, attributes, identity, namespaces, operators, subscripts, truth
from xlapy.dispatch.vectors import borrowed_elements, growable_list_items
from xlapy.domain.exception_attributes import NOTES, own_attributes
from xlapy.domain.facts import NO_FACTS, Facts, Learn
from xlapy.domain.heap import STATE, Heap, Slot
from xlapy.domain.join import Joiner
from xlapy.domain.numbers import SCALAR_DTYPES, scalar_type
from xlapy.domain.ownership import Ownership
from xlapy.domain.set_iteration_order import SetHistory
from xlapy.domain.sources import Source
from xlapy.domain.unordered_keys import Unordered
from xlapy.domain.values import (
    NONE,
    Const,
    Function,
    GrowableList,
    JaxArray,
    Mapping,
    NdArray,
    NumpyScalar,
    Range,
    Ref,
    Scalar,
    Slice,
    Text,
    Tuple,
    Union,
    Value,
    number_var,
)
from xlapy.interpreter import (  # noqa: F401
    calls,
    control,
    error_tag,
    generator_stepping,
    generators,
    merge,
    object_replacement,
    recursion,
    static_values,
    value_operations,
    walk,
)
from xlapy.interpreter.call_memoisation import Memory
from xlapy.interpreter.caller_environment import CallerEnvironment
from xlapy.interpreter.describe import describe, locate
from xlapy.interpreter.fixpoint_cache import CachedHead
from xlapy.interpreter.frame import Frame, Tag, place_of
from xlapy.interpreter.specialise import bounded_by_program, entry_parameters, origins
from xlapy.interpreter.steps import COMPARED, FEW_JOINS, JOINED, JOINS_OF_RECURSIONS, MAXIMUM_JOINS, TooLarge
from xlapy.interpreter.widening import Widened
from xlapy.ir import Builder, Location, Outcomes, Region, TensorType, Var, constant_value
from xlapy.report import Blocker

_BOOL = np.dtype(bool)
_INT32 = np.dtype(np.int32)


#: a loop that has to be unrolled in so many calls of its function is so in the others, if it is short
_SEVERAL = 2


class State(NamedTuple):
    """A copy of everything a branch may change."""

    registers: list[Value]
    slots: dict[Slot, Value]
    owned: dict[int | type, Ownership]
    tag: Tag | None
    handled: Value
    operations: int
    pending: tuple[tuple[Var, Value], ...]
    before: walk.Before | None


class Machine:
    """One compilation of one function for given kinds of arguments."""

    def __init__(self, world: CallerEnvironment, settings: Settings, facts: Facts) -> None:
        self.settings = settings
        #: what earlier rounds have learnt; and what else might be tried, if this one meets an obstacle
        self.facts, self.options = facts, NO_FACTS
        self.world = world
        #: whether the program depends on the caller's setting of 64-bit types
        self.reads_ambient = False
        self.heap = Heap(world.load, facts)
        self.heap.give_back = functools.partial(borrowed_elements.give_back, self)
        self.heap.fetch = functools.partial(borrowed_elements.fetch, self)
        self.heap.reflected = functools.partial(namespaces.contents, self)
        self.heap.reflect = functools.partial(namespaces.fill, self)
        self.frames: list[Frame] = []
        self.entry = Region()
        self.builder = Builder(self.entry, self.location, settings.narrow)
        self.builder.refusing = _refuse_large
        self.builder.oversized = _refuse_oversized
        #: obstacles found so far
        self.blockers: list[Blocker] = []
        #: exceptions that go to a handler, certain ones and others, each with the line of the function that it leaves
        self.caught: set[tuple[type, int | None]] = set()
        #: those among them which an operation raises whatever the data is
        self.caught_for_certain: set[tuple[type, int | None]] = set()
        #: errors that may be raised on the host after the run: exception class and place
        self.errors: list[tuple[type, Location | None]] = []
        #: the number of each, by place, class and what its message is made of
        self.error_codes: dict[tuple, int] = {}
        #: how many exception handlers are active around the current operation, in all frames
        self.catching = 0
        #: the index of the innermost loop, if that may be unrolled where its iterations use different things
        self.short_index: Var | None = None
        #: the indices of all loops around the current operation that may be unrolled: with the number of iterations,
        #: and how many loops had begun before
        self.short_indices: dict[Var, tuple[int, int]] = {}
        #: which values selectors may have
        self.outcomes = Outcomes()
        #: whether deques count how often they change, since there has been an iterator over one
        self.counts_changes = False
        #: where a hash is asked for what that raises, the objects whose hashes were not known; None elsewhere
        self.hashing: list[Value] | None = None
        #: whether what has to be known is worked out from data; not where it is only asked whether it is known
        self.works_out = True
        #: whether the analysis is given up early if there is another way
        self.hurries = False
        #: whether numbers in containers among the inputs are keys that are not known
        self.keys_of_items = False
        #: of sets that operations on sets have made, and the rows of their members: what gives these in order
        self.orders_of_sets: dict[tuple[int, Var], Callable] = {}
        #: loops that cannot be unrolled
        self.kept_loops: set[tuple] = set()
        #: how long lists and tuples are at most over which loops are unrolled, where there is no reason not to
        self.short_sequence = sequences.SHORT_SEQUENCE
        #: short loops that are unrolled since lists grow in them
        self.loops_with_lists: set[tuple] = set()
        #: lengths of arrays, each with what stands for it among what is static
        self.length_places: dict[Var, Source] = {}
        #: lengths of windows that move, each with numbers among the inputs that say what it is at most
        self.window_widths: dict[Var, list[Var]] = {}
        #: the predicates of the branches around the current operation
        self.conditions: list[Var] = []
        #: conditions that decide whether an obstacle is met
        self.deciding: list[Var] = []
        #: the heap before the current operation, where its exceptions are caught
        self.before: walk.Before | None = None
        #: exceptions that the current operation raises where a predicate holds
        self.pending: list[tuple[Var, Value]] = []
        #: how often functions have called themselves
        self.calls_of_itself: dict[types.CodeType, int] = {}
        #: the frame that is about to call a member of its program
        self.entering: Frame | None = None
        self.memory = Memory()
        #: for each trace of JAX's in progress: tracers of the captured device values, and captured values still wanted
        self.captures: list[tuple[dict[int, Any], list[Var]]] = []
        #: calls of functions with a derivative of their own whose rules are being interpreted
        self.custom_calls: list[Any] = []
        #: results that functions of the caller's world keep (see `dispatch.python.caches`), and what these have read
        self.memo = self.heap.new("memo", object)
        #: the results of calls within one of a function whose results are kept, while that is run
        self.kept_within: dict[tuple[int, str], Value] = {}
        self.kept_reads: dict[tuple[int, str], dict[Slot, Value]] = {}
        #: the join of lists that grow in loops, and room that was asked for or guessed for them, by loop
        self.growable_lists = growable_list_items.Service(self)
        #: the same of arrays of different sizes; and whether there are loops in which arrays change theirs
        self.sizes, self.resizing = size_joins.Service(self), False
        self.guesses: dict[object, int] = {}
        #: lists of suspended calls (see `recursion`)
        self.lists_of_frames: set[int] = set()
        #: generators that nobody but a built-in function refers to
        self.private: set[int] = set()
        #: generators with something to clean up that were advanced step by step, each with the place
        self.unfinished: dict[int, Location | None] = {}
        #: real functions that stand for functions made inside the program, by identity
        self.functions: dict[int, tuple[types.FunctionType, Function]] = {}
        self.loop_modes: dict[tuple, str] = dict.fromkeys(facts.unrolled, "unroll")
        #: where the loops are that were executed
        self.loop_places: dict[tuple, Location] = {}
        #: loops that had to be unrolled in an earlier round, see `frame.place_of`
        self.unrolled_places: set[tuple] = {place_of(key) for key in facts.unrolled}
        #: those among them that had to be in several calls of their function
        often = collections.Counter(node for node, _ in self.unrolled_places)
        self.unrolled_nodes: set[int] = {node for node, count in often.items() if count >= _SEVERAL}
        #: short loops that come to too many operations when unrolled: so they do in other iterations of loops around
        #: them
        self.large_places: set[tuple] = set()
        #: what is known of the heads of loops from the last time they were met
        self.loop_memory: dict[tuple, CachedHead] = {}
        #: and of the arrays that change their size in them: what an iteration adds, and guesses of the room
        self.loop_sizes: dict[object, tuple[dict, dict]] = {}
        #: numbers at the heads of loops that are wider than before these (see `interpreter.widening`)
        self.widened: dict[Var, Widened] = {}
        #: the loops that make numbers wider and may be over before they have: they may have less than two iterations
        self.widening: dict[tuple, bool] = {}
        #: body regions of loops, by identity, with the key of the loop
        self.loop_bodies: dict[int, tuple] = {}
        #: the loops whose bodies were begun, each as often as that
        self.loops_begun: list[int] = []
        #: operations executed so far
        self.executed = 0
        #: places of states joined so far
        self.joins = 0
        self.heap.initial[(STATE, "error")] = JaxArray(self.builder.constant(0, _INT32))
        heap = self.heap
        heap.layouts = functools.partial(layouts, self)
        #: objects that are known for something that is in no slot of theirs, and what else calls leave behind
        self._registers = (
            heap.borrows, heap.shared, heap.entangled, heap.joined,
            self.private, self.unfinished, self.functions, self.errors,
        )  # fmt: skip
        world.attach(self)

    @property
    def ambient_x64(self) -> bool:
        """Whether 64-bit types are on for the caller, as JAX's own functions see it."""
        self.reads_ambient = True
        return self.settings.ambient_x64

    # -- places -----------------------------------------------------------------------------------------------------

    @property
    def frame(self) -> Frame:
        """The frame that is executing."""
        return self.frames[-1]

    def location(self) -> Location | None:
        """The place in the user's source that is being executed."""
        return self.frames[-1].location() if self.frames else None

    def block(self, refusal: Refused) -> None:
        """Record an obstacle at the place where it was met, or at the current one."""
        location = getattr(refusal, "location", None) or self.location()
        blocker = locate(refusal.code, refusal.message, refusal.hint, location)
        if blocker not in self.blockers:
            self.blockers.append(blocker)
        self.deciding += self.conditions

    # -- state ------------------------------------------------------------------------------------------------------

    def save(self) -> State:
        """A copy of the state, to go back to."""
        frame = self.frame
        return State(
            frame.registers.copy(),
            self.heap.slots.copy(),
            self.heap.owned.copy(),
            frame.tag,
            frame.handled,
            len(self.builder.region.operations),
            tuple(self.pending),
            self.before,
        )

    def restore(self, state: State) -> None:
        """Go back to a saved state; operations emitted since stay."""
        frame = self.frame
        frame.registers = state.registers.copy()
        self.heap.slots, self.heap.owned = state.slots.copy(), state.owned.copy()
        frame.tag, frame.handled = state.tag, state.handled

    def rewind(self, state: State) -> None:
        """Go back to a saved state and drop the operations emitted since."""
        self.restore(state)
        self.before = state.before
        self.pending[:] = state.pending
        del self.builder.region.operations[state.operations :]

    def count_joins(self, places: int, differing: int = 0) -> None:
        """States of so many places are joined, in which so many values differ.

        Raises:
            TooLarge: there have been too many.
        """
        self.joins += int(places * COMPARED + differing * JOINED)
        if self.joins > self.most_joins():
            raise TooLarge

    def is_hurried(self) -> bool:
        """Whether there may be another way, for which this one is given up early."""
        return self.hurries and self.options.grows_lists

    def most_joins(self) -> int:
        """How much joins may cost."""
        if self.is_hurried():
            return FEW_JOINS
        return JOINS_OF_RECURSIONS if self.facts.recursions or self.facts.unrolls_recursions else MAXIMUM_JOINS

    # -- branches ---------------------------------------------------------------------------------------------------

    def cond(self, predicate: Var | bool, then: Callable[[], Value], orelse: Callable[[], Value]) -> Value:
        """`then()` where the predicate holds, else `orelse()`: both run from copies of the state, which are joined."""
        if not isinstance(predicate, Var):
            return then() if predicate else orelse()
        known = constant_value(predicate)
        if known is not None:
            return then() if bool(known) else orelse()
        return merge.rule_branch(self, predicate, then, orelse)

    def region(self, region: Region) -> _Nested:
        """Emit into a nested region; pending exceptions do not cross its border."""
        return _Nested(self, region)

    def joiner(self, depth: int, widen: bool, unions: bool) -> Joiner:
        """A joiner for this heap."""
        joiner = Joiner(self.heap, depth, widen, unions, self.growable_lists)
        joiner.narrow = self.builder.narrow
        joiner.sizes = self.sizes
        return joiner

    # -- errors -----------------------------------------------------------------------------------------------------

    def exception(self, cls: type, *args: object) -> Ref:
        """An exception object."""
        values = tuple(a if isinstance(a, Value) else Const(a) for a in args)
        number = self.heap.new("instance", cls, self.location(), args=Tuple(values))
        return Ref(number)

    def raise_(self, cls: type, *args: object) -> NoReturn:
        """Raise a Python exception for certain; what was raised for the compiler is no exception of the program."""
        if issubclass(cls, Refused | PythonError | NeedStatic | Learn):
            raise
        raise PythonError(self.exception(cls, *args))

    def reraise(self, error: BaseException) -> NoReturn:
        """Raise what a real call of Python code raised at compile time."""
        if isinstance(error, Refused | PythonError | NeedStatic | Learn):
            raise error
        raise PythonError(self._adopted(error))

    def _adopted(self, error: BaseException) -> Ref:
        """An exception of a real call as one of the program, with its notes and its cause."""
        made = self.exception(type(error), *error.args)
        for name, value in own_attributes(error).items():
            held = self.new_list([Const(note) for note in value]) if name == NOTES else Const(value)
            self.heap.write(made.object, name, held)
        if error.__suppress_context__:
            cause = error.__cause__
            self.heap.write(made.object, "__cause__", NONE if cause is None else self._adopted(cause))
        return made

    def check(self, bad: Var | bool, cls: type, *args: object) -> None:
        """Raise a Python exception where `bad` is true; what follows runs as if it were not."""
        if isinstance(bad, Var):
            known = constant_value(bad)
            if known is None:
                self.may_raise(bad, self.exception(cls, *args))
                return
            bad = bool(known)
        if bad:
            self.raise_(cls, *args)

    def may_raise(self, bad: Var, exception: Value) -> None:
        """Raise an exception where `bad` is true: precisely if somebody may catch it, else by the error tag."""
        if self.catching:
            self.pending.append((bad, exception))
        else:
            self.register_error(bad, exception)

    def error_flag(self) -> Var | None:
        """Whether an error has been raised so far; None if none can have been."""
        return error_tag.flag(self)

    def register_error(self, bad: Var, exception: Value) -> None:
        """Set the error tag, and keep what the message needs, where `bad` is true and no error came before."""
        error_tag.register(self, bad, exception)

    def adopt_errors(self, code: Var, payloads: dict[str, Value]) -> None:
        """Take over the error tag and payloads of a function that ran inside a JAX transformation."""
        error_tag.adopt(self, code, payloads)

    # -- values -----------------------------------------------------------------------------------------------------

    def is_static(self, value: Value) -> bool:
        """Whether `static` would answer at once."""
        match value:
            case Const():
                return True
            case Tuple():
                return value.namespace is None and all(map(self.is_static, value.items))
            case Slice() | Range():
                return all(map(self.is_static, (value.start, value.stop, value.step)))
            case Scalar() | NumpyScalar() | JaxArray():
                return constant_value(value.var) is not None
            case Ref():
                info = self.heap.objects[value.object]
                if info.kind in ("list", "dict", "set"):
                    contents = self.heap.read(value.object, "<items>")
                    return all(map(self.is_static, _contents(contents)))
        return False

    def specialisable(self, var: Var) -> bool:
        """Whether `var` is computed from numbers among the inputs alone, so that `static` can have it."""
        if bounded_by_program(var):
            return False
        found = entry_parameters(var, self.entry)
        lengths = self.world.lengths
        numbers = {id(p.var) for p in self.world.parameters if p.is_number and p.source not in lengths}
        return bool(found) and all(id(v) in numbers for v in found)

    def settles(self, var: Var) -> bool:
        """Whether `var` is computed from integers among the inputs, and from the state of loops that can still be
        unrolled: so that `static` may have it, without a compilation for every float."""
        if bounded_by_program(var):
            return False
        numbers = self.world.integers
        for origin in origins(var):
            key = self.loop_bodies.get(id(origin.owner)) if isinstance(origin, Var) else None
            if origin not in numbers and (key is None or self.loop_modes.get(key) == "unroll"):
                return False
        return True

    def unrolls(self, var: Var) -> bool:
        """Whether `var` is computed from integers among the inputs and the indices of short loops around the current
        operation: it is known once those are unrolled."""
        numbers = self.world.integers
        return all(origin in numbers or origin in self.short_indices for origin in origins(var))

    def bodies_of_nest(self, variables: Sequence[Var]) -> int:
        """How many bodies of loops there are once the short loops are unrolled of which values depend on the indices,
        those of the loops inside among them; 1 if it is one loop with none inside, or none."""
        found = {origin for var in variables for origin in origins(var)}
        shorts = [short for index, short in self.short_indices.items() if index in found]
        if not shorts:
            return 1
        inside = len(set(self.loops_begun[shorts[-1][1] :]))
        iterations = math.prod(count for count, _ in shorts)
        return iterations * (1 + inside) if inside or len(shorts) > 1 else 1

    def is_of_items(self, var: Var) -> bool:
        """Whether `var` is computed from numbers in containers among the inputs: data, rather than sizes."""
        items = {p.var for p in self.world.parameters if p.source.kind == "item"}
        return bool(items) and any(origin in items for origin in origins(var))

    def is_of_numbers(self, var: Var) -> bool:
        """Whether `var` is computed from integers among the inputs, and not from the index of a loop."""
        numbers = self.world.integers
        found = set(origins(var))
        return bool(found) and found <= numbers

    def static(self, value: Value, what: str = "this value") -> Any:
        """The Python object a value stands for; asks for specialisation if it is dynamic."""
        return static_values.static(self, value, what)

    def known_length(self, length: Var) -> int | None:
        """The length of an array made here, if it has to be known."""
        constant = constant_value(length)
        if constant is not None:
            return int(constant[()])
        place = self.length_places.get(length)
        if place is None:
            place = self.length_places[length] = Source("value", (self.location(), "the size of an array"))
        wanted = not {place, ALL_LENGTHS}.isdisjoint(self.world.static)
        known = self.world.work_out(length) if wanted else None
        return None if known is None else int(known[()])

    def describe(self, value: Value) -> str:
        """A short phrase for messages."""
        return describe(self, value)

    def type_of(self, value: Value) -> type:
        """The Python class that the value would have under CPython."""
        return kinds.type_of(self, value)

    def spec(self, value: Value) -> TensorType | type | None:
        """For NumPy's promotion: the tensor type of an array or NumPy scalar, the Python type of a Python number."""
        match value:
            case Scalar():
                return value.kind
            case NumpyScalar() | JaxArray():
                return value.var.type
            case NdArray():
                return value.type
            case Const():
                if type(value.value) in SCALAR_DTYPES:
                    return type(value.value)
                if isinstance(value.value, np.generic):
                    return TensorType((), value.value.dtype)
        return None

    def boolean(self, value: Var | bool) -> Value:
        """A Python bool."""
        if isinstance(value, Var):
            known = constant_value(value)
            return Scalar(bool, value) if known is None else Const(bool(known))
        return Const(bool(value))

    def scalar_var(self, value: Value, kind: type) -> Var:
        """A Python number as a device scalar of Python type `kind`."""
        expected = scalar_type(kind)
        if isinstance(value, Const):
            return self.builder.constant(value.value, expected.dtype, True)
        return self.builder.convert(number_var(value), expected.dtype, True)

    def array(self, value: Value) -> Var:
        """Any number, array or nested sequence of numbers as a device value, with NumPy's dtype."""
        return array_values.array(self, value)

    def read(self, array: NdArray) -> Var:
        """The elements of an array as they are now."""
        return array_values.read_array(self, array)

    def write(self, array: NdArray, var: Var) -> None:
        """Replace all elements of an array, seen by all its views."""
        array_values.write_array(self, array, var)

    def new_array(self, var: Var) -> NdArray:
        """A fresh `numpy.ndarray` object with these elements."""
        plain = TensorType(var.type.shape, var.type.dtype)
        var = self.builder.convert(var, plain.dtype)
        buffer = self.heap.new("buffer", np.ndarray, self.location(), JaxArray(var))
        return NdArray(buffer, (), plain, self.heap.identity())

    def numpy_result(self, var: Var) -> Value:
        """What a NumPy function returns: a NumPy scalar for rank 0, else a fresh array."""
        if var.type.shape == ():
            known = constant_value(var)
            return NumpyScalar(self.builder.convert(var, var.type.dtype)) if known is None else Const(known[()])
        return self.new_array(var)

    def new_list(self, items: Sequence[Value]) -> Ref:
        """A fresh list."""
        return Ref(self.heap.new("list", list, self.location(), Tuple(tuple(items))))

    def new_dict(self, entries: dict[Any, Value]) -> Ref:
        """A fresh dict."""
        entries = entries if isinstance(entries, Unordered) else dict(entries)
        return Ref(self.heap.new("dict", dict, self.location(), Mapping(entries)))

    def new_set(self, keys: Sequence[Any], history: SetHistory | None) -> Ref:
        """A fresh set of known keys."""
        items = Mapping({k: Const(True) for k in keys}, history)
        return Ref(self.heap.new("set", set, self.location(), items))

    def message(self, template: str, *parts: object) -> Value:
        """A string with parts that may be dynamic: `template.format(*parts)`, made on the host when it is needed."""
        values = tuple(p if isinstance(p, Value) else Const(p) for p in parts)
        known = [v.value for v in values if isinstance(v, Const)]
        if len(known) == len(values):
            return Const(template.format(*known))
        return Text(template, values)

    def leaf(
        self, function: Callable, operands: Sequence[Var], static: tuple = (), name: str | None = None, x64: bool = True
    ) -> list[Var]:
        """Emit a JAX function of arrays; see `dispatch.protocol`."""
        return leaves.emit(self.builder, function, tuple(operands), static, name, x64 and not self.builder.narrow)

    # -- operations -------------------------------------------------------------------------------------------------

    def truth(self, value: Value) -> bool | Var:
        """`bool(value)`."""
        found = truth.truth(self, value)
        known = constant_value(found) if isinstance(found, Var) else None
        return found if known is None else bool(known)

    def binary(self, symbol: str, left: Value, right: Value) -> Value:
        """`left symbol right`."""
        return operators.binary(self, symbol, left, right)

    def compare(self, symbol: str, left: Value, right: Value) -> Value:
        """A rich comparison."""
        return operators.compare(self, symbol, left, right)

    def unary(self, symbol: str, value: Value) -> Value:
        """`-value`, `+value` or `~value`."""
        return operators.unary(self, symbol, value)

    def is_(self, left: Value, right: Value) -> bool | Var:
        """`left is right`."""
        return identity.identical(self, left, right)

    def getitem(self, value: Value, key: Value) -> Value:
        """`value[key]`."""
        return subscripts.getitem(self, value, key)

    def setitem(self, value: Value, key: Value, item: Value) -> None:
        """`value[key] = item`."""
        subscripts.setitem(self, value, key, item)

    def replace_array(self, old: NdArray, new: NdArray) -> None:
        """Make an array object show what `new` shows, in every place that refers to it."""
        object_replacement.replace_array(self, old, new)

    def delitem(self, value: Value, key: Value) -> None:
        """`del value[key]`."""
        subscripts.delitem(self, value, key)

    def getattr(self, value: Value, name: str) -> Value:
        """`value.name`."""
        return attributes.getattr_(self, value, name)

    def setattr(self, value: Value, name: str, item: Value) -> None:
        """`value.name = item`."""
        assignments.setattr_(self, value, name, item)

    def delattr(self, value: Value, name: str) -> None:
        """`del value.name`."""
        assignments.delattr_(self, value, name)

    def iterate(self, value: Value) -> list[Value]:
        """All items of an iterable whose length is known at compile time."""
        return subscripts.iterate(self, value)

    def globals_of(self, function: Value) -> int:
        """The global variables of a function written in Python; of the current one for others."""
        if isinstance(function, Function):
            return function.globals.object
        if isinstance(function, Const) and isinstance(function.value, types.FunctionType):
            return self.world.globals_of(function.value.__globals__)
        return self.frame.globals

    def call(self, function: Value, args: Sequence[Value], kwargs: dict[str, Value] | None = None) -> Value:
        """`function(*args, **kwargs)`."""
        return calls.call(self, function, list(args), kwargs or {})

    def registered(self) -> int:
        """How many objects are known for something that no slot of theirs tells; grows only."""
        return sum(map(len, self._registers))

    def forget_calls(self) -> None:
        """Something changes that remembered calls may have looked for in vain."""
        self.memory = Memory()

    def generator(self, frame: Frame) -> Value:
        """What a call of a generator function returns."""
        return generator_stepping.make(self, frame)

    def advance(self, generator: Ref, sent: Value = NONE, thrown: Value | None = None) -> Advanced:
        """Run a generator to its next `yield`, or to its end."""
        return generator_stepping.advance(self, generator, sent, thrown)

    def run_generator(self, generator: Ref) -> list[Value]:
        """All values of a generator that yields a known number of times."""
        return generators.collect(self, generator)

    def run(self, frame: Frame) -> None:
        """Execute a frame's program; its tag says how it ended."""
        frame.base_depth = self.builder.region.depth
        walk.run(self, frame.program.body)
        # what the operations of the frame have changed stays changed if one of them raises
        self.before = None


def _refuse_large(number: int) -> NoReturn:
    raise Refused(
        "XP0005", f"the int {number} does not fit the 32 bits that integers have on the device", "use a float"
    )


def _refuse_oversized(type: TensorType) -> NoReturn:
    raise Refused("XP0011", f"an array of shape {type.shape}, which no memory holds")


class _Nested:
    """The context of `Machine.region`."""

    __slots__ = ("before", "inside", "machine", "pending")

    def __init__(self, machine: Machine, region: Region) -> None:
        self.machine, self.inside = machine, machine.builder.inside(region)

    def __enter__(self) -> Region:
        self.pending, self.machine.pending = self.machine.pending, []
        self.before = self.machine.before
        return self.inside.__enter__()

    def __exit__(self, *raised: object) -> None:
        self.inside.__exit__(*raised)
        self.machine.pending = self.pending
        if self.machine.before is not self.before:  # a function was called in the region
            self.machine.before = None


def _contents(contents: Value) -> tuple[Value, ...]:
    if isinstance(contents, GrowableList):
        return (contents.length, *map(JaxArray, contents.rows))
    if isinstance(contents, Union):
        return (JaxArray(contents.selector),)
    if isinstance(contents, Tuple):
        return contents.items
    assert isinstance(contents, Mapping)
    return tuple(contents.entries.values())
