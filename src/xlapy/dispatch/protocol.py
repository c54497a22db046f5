"""What a rule may ask of the interpreter, and how it reports that something cannot be done.

A rule is a function `rule(machine, *args, **kwargs) -> Value` whose parameters receive abstract values, bound as Python
would bind them; a parameter that was not passed holds the Python object of its default, which is how a rule sees that
it was not passed. `machine` is the `Machine` below. Rules emit operations through `machine.builder` and `machine.leaf`.
"""

from __future__ import annotations

import types
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import Any, NamedTuple, NoReturn, Protocol

import numpy as np

from xlapy.domain.facts import Facts
from xlapy.domain.heap import Heap, Slot
from xlapy.domain.join import GrowableLists, Joiner
from xlapy.domain.set_iteration_order import SetHistory
from xlapy.domain.sources import Source
from xlapy.domain.values import NONE, Const, NdArray, Ref, Value
from xlapy.ir import Builder, Location, Outcomes, Region, TensorType, Var
from xlapy.ir.intervals import Interval
from xlapy.report import Blocker


class Refused(Exception):
    """The program cannot be offloaded; see `report.blockers.CODES` for `code`. `location` is where, if it is known."""

    location: Location | None = None

    def __init__(self, code: str, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.code, self.message, self.hint = code, message, hint


class PythonError(Exception):
    """The program raises a Python exception for certain here; `value` is the abstract exception object, `frame` the
    frame that it left, if that is known."""

    def __init__(self, value: Value, frame: Any = None) -> None:
        super().__init__(value)
        self.value, self.frame = value, frame


class NeedStatic(Exception):
    """The value of `var` is needed at compile time. `place` stands for the question: with that among what is static,
    the value is worked out from the contents of arrays."""

    def __init__(self, var: Var, what: str, place: Source | None = None) -> None:
        super().__init__(what)
        self.var, self.what, self.place = var, what, place


@dataclass(frozen=True)
class Settings:
    """What a program is compiled for."""

    #: whether 64-bit types are on for the caller
    ambient_x64: bool
    #: whether the program computes with 32-bit types
    narrow: bool = False
    #: room that lists that grow in loops, and arrays that change their size, turned out to need
    capacities: Mapping[object, int] = field(default_factory=dict)
    #: whether calls have other numbers again and again: lists have room for any number of iterations
    sizes_vary: bool = False
    #: whether what is returned may be a view of an array of the caller's
    returns_views: bool = False


class Advanced(NamedTuple):
    """One step of a generator: whether it has ended, what it yielded if not, and what it returned if so."""

    done: bool | Var
    value: Value
    returned: Value


class CallerEnvironment(Protocol):
    """What rules find in the caller's world: classes, functions, modules and objects, with guards on what they read."""

    #: where the lengths are, and what they are, of arrays whose sizes vary from call to call
    lengths: dict[Source, Var]
    #: between which numbers these are
    spans: dict[Var, Interval]
    #: classes of the caller's tuples that have attributes beside their items, and the names of these
    kept_by_value: dict[type, set[str]]
    #: classes of tuples each of which has an object that holds its attributes
    with_namespaces: set[type]
    #: those among them of which that is only expected, and classes of which there have been tuples without one
    expected: set[type]
    without_namespaces: set[type]

    def described(self, var: Var, name: str) -> tuple[Any] | None:
        """What an attribute of the caller's array says that is passed for `var`, in a tuple."""
        ...

    def lies_on_explicit_axes(self) -> bool:
        """Whether the types of the caller's arrays tell how these are laid out."""
        ...

    def guard(self, kind: str, source: Source, value: object = None) -> None:
        """Record an assumption; see `interpreter.caller_environment.Guard`."""
        ...

    def tell_apart(self, source: Source, kind: type) -> None:
        """An object of class `kind` is another one than all those of this class that were told apart before."""
        ...

    def anchor(self, found: object) -> Source:
        """The source of an object that the program refers to by itself."""
        ...

    def wrap(self, found: object, source: Source) -> Value:
        """A real object as an abstract value."""
        ...

    def wrap_anchored(self, found: object) -> Value:
        """A real object that the program refers to by itself."""
        ...

    def adopt(self, found: object, abstract: Callable[[object], Value]) -> Value:
        """An object that JAX made from abstract parts as an object in the heap."""
        ...

    def helper_instance(self, cls: type, **fields: Value) -> Value:
        """An object of a class of ours that is interpreted like the user's."""
        ...

    def pytree_children(self, value: Ref) -> tuple[Callable, list[Value]] | None:
        """How an object of a class registered with `jax.tree_util` is made again, and its dynamic parts."""
        ...

    def globals_of(self, namespace: dict) -> int:
        """The heap object of a namespace."""
        ...

    def module_attribute(self, module: Const, name: str) -> Value:
        """`module.name`."""
        ...

    def namespace_of(self, holder: type | types.FunctionType) -> int:
        """The heap object of the attributes of a class or a function, which the program assigns."""
        ...

    def has_namespace(self, holder: object) -> bool:
        """Whether the program has touched an attribute of a function."""
        ...

    def own_attributes(self, number: int) -> tuple[str, ...]:
        """The attributes in the `__dict__` of an object of the caller's."""
        ...

    def assigned(self, cls: type, name: str) -> Value | None:
        """What the program has assigned to an attribute of a class or of one of its bases, if it comes first."""
        ...

    def class_value(self, owner: type, name: str) -> Value:
        """An entry of a class's namespace."""
        ...

    def lookup(self, order: tuple[type, ...], name: str) -> tuple[Any, type | None]:
        """The entry `name` of the first class in `order` that has it, without descriptors, and that class."""
        ...

    def lineage(self, cls: type) -> None:
        """The program depends on the bases of a class."""
        ...

    def subclasses(self, cls: type) -> list[type]:
        """The classes that are derived from a class."""
        ...

    def registered(self, cls: type, own: type) -> None:
        """The program depends on that a class has not been registered with an abstract one."""
        ...

    def implementation(self, function: types.FunctionType, cls: type) -> Any:
        """What `functools.singledispatch` made of `function` calls for a class."""
        ...

    def fact(self, item: type | types.FunctionType, name: str) -> Any:
        """An attribute that a class or a function has by nature, such as its name."""
        ...

    def lacks(self, function: types.FunctionType, name: str) -> None:
        """The program depends on that a function does not have an attribute."""
        ...

    def registered_already(self, cls: type, own: type) -> None:
        """The program depends on that a class has been registered with an abstract one, which cannot be undone."""
        ...

    def runs(self, *items: object) -> None:
        """What the caller's classes say about operators and attributes of some objects may run, when the program is
        compiled."""
        ...

    def may_change(self, cls: type) -> bool:
        """Whether a class is the user's own, who may change it between two calls."""
        ...

    def signature(self, function: types.FunctionType) -> Any:
        """The parameters of a function with its defaults; see `interpreter.signature`."""
        ...


class Machine(Protocol):
    """The interpreter, as rules see it."""

    builder: Builder
    heap: Heap
    length_places: dict[Var, Source]
    window_widths: dict[Var, list[Var]]
    outcomes: Outcomes
    pending: list[tuple[Var, Value]]
    counts_changes: bool
    hashing: list[Value] | None
    catching: int
    blockers: list[Blocker]
    errors: list[tuple[type, Location | None]]
    memo: int
    kept_reads: dict[tuple[int, str], dict[Slot, Value]]
    custom_calls: list[Any]
    captures: list[tuple[dict[int, Any], list[Var]]]
    settings: Settings
    facts: Facts
    options: Facts
    resizing: bool
    keys_of_items: bool
    short_sequence: int
    short_index: Var | None
    orders_of_sets: dict[tuple[int, Var], Callable]
    works_out: bool
    guesses: dict[object, int]

    @property
    def world(self) -> CallerEnvironment:
        """The caller's world."""
        ...

    @property
    def frames(self) -> Sequence[Any]:
        """The frames that are executing, the innermost last; see `interpreter.frame`."""
        ...

    @property
    def growable_lists(self) -> GrowableLists:
        """The join of lists that grow in loops."""
        ...

    @property
    def ambient_x64(self) -> bool:
        """Whether 64-bit types are on for the caller."""
        ...

    def location(self) -> Location | None:
        """The place in the user's source that is being executed."""
        ...

    def save(self) -> Any:
        """A copy of the state, to go back to."""
        ...

    def rewind(self, state: Any) -> None:
        """Go back to a saved state and drop the operations emitted since."""
        ...

    def region(self, region: Region) -> AbstractContextManager[Region]:
        """Emit into a nested region; pending exceptions do not cross its border."""
        ...

    def joiner(self, depth: int, widen: bool, unions: bool) -> Joiner:
        """A joiner for this heap."""
        ...

    def call(self, function: Value, args: Sequence[Value], kwargs: dict[str, Value] | None = None) -> Value:
        """Call a Python callable, as `function(*args, **kwargs)`."""
        ...

    def leaf(
        self,
        function: Callable,
        operands: Sequence[Var],
        static: tuple = (),
        name: str | None = None,
        x64: bool = True,
    ) -> list[Var]:
        """Emit `function(*operands, *static)`, a JAX function of arrays that returns an array or a flat sequence.

        `function` must be a module-level function (it is part of a cache key), `static` hashable. Returns the results.
        JAX's own `TypeError` and `ValueError` propagate.
        """
        ...

    def static(self, value: Value, what: str = "this value") -> Any:
        """The Python object a value stands for (nested tuples too); asks for specialisation if it is dynamic."""
        ...

    def is_static(self, value: Value) -> bool:
        """Whether `static` would answer at once."""
        ...

    def specialisable(self, var: Var) -> bool:
        """Whether `var` is computed from numbers among the inputs alone, so that `static` can have it."""
        ...

    def settles(self, var: Var) -> bool:
        """The same of integers among the inputs, and the state of loops that can still be unrolled."""
        ...

    def unrolls(self, var: Var) -> bool:
        """Whether `var` is known once the short loops around the current operation are unrolled."""
        ...

    def bodies_of_nest(self, variables: Sequence[Var]) -> int:
        """How many bodies of loops there are once the short loops are unrolled of which values depend on the
        indices."""
        ...

    def is_of_items(self, var: Var) -> bool:
        """Whether `var` is computed from numbers in containers among the inputs: data, rather than sizes."""
        ...

    def is_of_numbers(self, var: Var) -> bool:
        """Whether `var` is computed from integers among the inputs, and not from the index of a loop."""
        ...

    def raise_(self, cls: type, *args: object) -> NoReturn:
        """Raise a Python exception for certain (never returns). Arguments are Python objects or abstract values."""
        ...

    def reraise(self, error: BaseException) -> NoReturn:
        """Raise what a real call of Python code raised at compile time (never returns)."""
        ...

    def exception(self, cls: type, *args: object) -> Ref:
        """An exception object."""
        ...

    def check(self, bad: Var | bool, cls: type, *args: object) -> None:
        """Raise a Python exception where the boolean scalar `bad` is true; what follows runs as if it were not."""
        ...

    def may_raise(self, bad: Var, exception: Value) -> None:
        """Raise an exception where `bad` is true: precisely if somebody may catch it, else by the error tag."""
        ...

    def error_flag(self) -> Var | None:
        """Whether an error has been raised so far; None if none can have been."""
        ...

    def register_error(self, bad: Var, exception: Value) -> None:
        """Set the error tag where `bad` is true and no error came before."""
        ...

    def adopt_errors(self, code: Var, payloads: dict[str, Value]) -> None:
        """Take over the error tag and payloads of a function that ran inside a JAX transformation."""
        ...

    def cond(self, predicate: Var | bool, then: Callable[[], Value], orelse: Callable[[], Value]) -> Value:
        """`then()` where the predicate holds, else `orelse()`: both run from copies of the state, which are joined."""
        ...

    def truth(self, value: Value) -> bool | Var:
        """`bool(value)`: a Python bool if it is known, else a boolean scalar on the device."""
        ...

    def boolean(self, value: Var | bool) -> Value:
        """A Python bool."""
        ...

    def scalar_var(self, value: Value, kind: type) -> Var:
        """A Python number as a device scalar of Python type `kind`."""
        ...

    def message(self, template: str, *parts: object) -> Value:
        """A string with parts that may be dynamic: `template.format(*parts)`."""
        ...

    def describe(self, value: Value) -> str:
        """A short phrase for messages."""
        ...

    def new_list(self, items: Sequence[Value]) -> Ref:
        """A fresh list."""
        ...

    def new_dict(self, entries: dict[Any, Value]) -> Ref:
        """A fresh dict."""
        ...

    def new_set(self, keys: Sequence[Any], history: SetHistory | None) -> Ref:
        """A fresh set of known keys."""
        ...

    def array(self, value: Value) -> Var:
        """Any number, array or nested list of numbers as a device value (`np.asarray`, for NumPy values)."""
        ...

    def new_array(self, var: Var) -> NdArray:
        """A fresh `numpy.ndarray` object with these elements."""
        ...

    def numpy_result(self, var: Var) -> Value:
        """What a NumPy function returns: a NumPy scalar for rank 0, else a fresh array."""
        ...

    def known_length(self, length: Var) -> int | None:
        """The length of an array made here, if it has to be known at compile time; `length_places` holds what asks."""
        ...

    def read(self, array: NdArray) -> Var:
        """The elements of an array as they are now."""
        ...

    def write(self, array: NdArray, var: Var) -> None:
        """Replace all elements of an array, seen by all its views; `var` has its shape and dtype."""
        ...

    def replace_array(self, old: NdArray, new: NdArray) -> None:
        """Make an array object show what `new` shows, in every place that refers to it."""
        ...

    def type_of(self, value: Value) -> type:
        """The Python class that the value would have under CPython."""
        ...

    def getattr(self, value: Value, name: str) -> Value:
        """`value.name`."""
        ...

    def setattr(self, value: Value, name: str, item: Value) -> None:
        """`value.name = item`."""
        ...

    def delattr(self, value: Value, name: str) -> None:
        """`del value.name`."""
        ...

    def getitem(self, value: Value, key: Value) -> Value:
        """`value[key]`."""
        ...

    def setitem(self, value: Value, key: Value, item: Value) -> None:
        """`value[key] = item`."""
        ...

    def delitem(self, value: Value, key: Value) -> None:
        """`del value[key]`."""
        ...

    def binary(self, symbol: str, left: Value, right: Value) -> Value:
        """`left symbol right`."""
        ...

    def compare(self, symbol: str, left: Value, right: Value) -> Value:
        """A rich comparison."""
        ...

    def unary(self, symbol: str, value: Value) -> Value:
        """`-value`, `+value` or `~value`."""
        ...

    def is_(self, left: Value, right: Value) -> bool | Var:
        """`left is right`."""
        ...

    def advance(self, generator: Ref, sent: Value = NONE, thrown: Value | None = None) -> Advanced:
        """Run a generator to its next `yield`, or to its end."""
        ...

    def run_generator(self, generator: Ref) -> list[Value]:
        """All values of a generator that yields a known number of times."""
        ...

    def forget_calls(self) -> None:
        """Something changes that remembered calls may have looked for in vain."""
        ...

    def iterate(self, value: Value) -> list[Value]:
        """All items of an iterable whose length is known at compile time."""
        ...

    def spec(self, value: Value) -> TensorType | type | None:
        """For NumPy's promotion: the tensor type of an array or NumPy scalar, the Python type of a Python number."""
        ...


Rule = Callable[..., Value]
DType = np.dtype
