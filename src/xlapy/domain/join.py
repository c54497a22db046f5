"""The join of abstract values: what is true of a value that came from one of two paths.

`Joiner.join(a, b)` returns a value at least as general as both, with a `Hole` in every place where the two differ;
it returns `a` itself when `b` is already an instance of it, which is how a loop knows that it is stable. `coerce`
then gives, for a value that fits, the device values that fill the holes.

Where values cannot be the same kind of thing, the join is a `Union`, if the joiner may make one.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import Any, Protocol

import numpy as np

from xlapy.domain import set_iteration_order
from xlapy.domain.heap import Heap, Slot
from xlapy.domain.numbers import (
    INT64,
    becomes,
    fits,
    hull,
    in_parts,
    is_exact_in,
    known_bounds,
    numeric,
    reached,
    same_constant,
    same_constant_values,
    scalar_type,
    twin_kind,
    twins,
)
from xlapy.domain.object_names import Aliased, JoinFailure, ObjectNames
from xlapy.domain.ownership import Ownership
from xlapy.domain.unordered_keys import Unordered
from xlapy.domain.values import (
    DEAD,
    POISON,
    STALE,
    UNBOUND,
    BoundedArray,
    BoundMethod,
    Const,
    Function,
    GrowableList,
    Hole,
    Intrinsic,
    JaxArray,
    Mapping,
    Marker,
    MixedScalar,
    NdArray,
    NumpyScalar,
    Ref,
    Scalar,
    Stored,
    Text,
    Tuple,
    Union,
    V,
    Value,
    alternatives,
    elements_of,
    hole,
    mixed,
    references,
    substitute,
    variables,
)
from xlapy.ir import TensorType, Var

#: a union has at most so many alternatives
MAXIMUM_ALTERNATIVES = 16
#: items of a sequence that are told apart while they are moved along it
_MOST_MOVED = 8
#: contents of a dict with more different keys are not told apart: which keys there are is not known then
_MAXIMUM_KEYS = 4


#: which alternative of a union a value is
SELECTOR = TensorType((), np.dtype(np.int32))


class Sizes(Protocol):
    """What a joiner needs for arrays of different sizes; see `domain.dynamic_sizes`."""

    def join(self, joiner: Joiner, a: Value, b: Value) -> Value | None:
        """The join of two arrays, if that is one of dynamic length because of their sizes."""
        ...

    def one_of(self, value: Value) -> Value:
        """`value`, of which alternatives that are arrays of several sizes count as one."""
        ...

    def resized(self, var: Var, shape: tuple[int, ...]) -> Var:
        """An array with other sizes, what it has in both being the same."""
        ...


class GrowableLists(Protocol):
    """What a joiner needs for the contents of lists that grow in loops; see `domain.growable_lists`."""

    def join(self, joiner: Joiner, a: Value, b: Value) -> Value:
        """The join of contents of a list of which one at least is a growable list."""
        ...

    def coerce(self, value: Value, skeleton: GrowableList, joiner: Joiner) -> list[Var]:
        """The device values of contents of a list as the growable list `skeleton`."""
        ...

    def held(self, joiner: Joiner, a: Stored, b: Stored) -> GrowableList:
        """The join of the items of two containers in a growable list, of several lengths or of unknown ones."""
        ...


def _has_growable_list(a: Value, b: Value) -> bool:
    """Whether one of two contents of a container is a growable list."""
    found = [v for c in (a, b) for v in alternatives(c)]
    return any(isinstance(v, GrowableList) for v in found) and all(
        isinstance(v, GrowableList | Tuple | Mapping) for v in found
    )


class Joiner(ObjectNames):
    """Joins values from two paths.

    `depth` is the nesting depth of the regions that are being joined: device values from further out need no hole.
    `widen` lets numbers that change their type become the wider one (loops); `unions` lets values of different kinds
    become a `Union`. Two objects become one summary in `merged`, whose contents the caller joins, unless one of them
    can be reached otherwise: then the alias matters, and the join is a `Union` of the two.
    """

    def __init__(
        self, heap: Heap, depth: int, widen: bool, unions: bool, growable_lists: GrowableLists | None = None
    ) -> None:
        super().__init__(heap)
        #: whether Python's ints have 32 bits, which a loop may use up
        self.narrow = False
        self.depth = depth
        self.widen = widen
        self.unions = unions
        #: whether what comes to a sequence, along which items are moved, is taken to have come to all places: it would
        #: come to one more with every round of a loop
        self.hastens = False
        #: whether numbers keep their types all the same, since they may keep them at run time
        self._exact = False
        #: where the contents of objects are found that become items of a growable list, and the loop that puts them
        #: there
        self.states: tuple[dict[Slot, Value], ...] = ()
        self.loop: object = None
        #: what is owned in each of these states (see `Heap.owned`)
        self.owned_states: tuple[dict[int | type, Ownership], ...] = ()
        #: the container of which contents are joined, or made the same
        self.holder: Value | None = None
        #: the join and the coercion of contents of lists that grow in loops
        self.growable_lists = growable_lists
        #: the same of arrays of different sizes, and the room that is given to the elements of buffers for them
        self.sizes: Sizes | None = None
        self.rooms: dict[int, tuple[int, ...]] = {}

    # -- values -----------------------------------------------------------------------------------------------------

    def join(self, a: Value, b: Value) -> Value:
        """A value that covers both; `a` itself if `b` adds nothing."""
        if a is STALE or b is STALE:
            return STALE
        if a is POISON or b is POISON:
            return POISON
        if b is DEAD:
            return self.hollow(a)
        if a is DEAD:
            return self._arriving(b)
        if self.sizes is not None and isinstance(b, Union) and a is not b:
            b = self.sizes.one_of(b)
        if a is not b and (isinstance(a, Union) or isinstance(b, Union)):
            return self._union(a, b)
        try:
            return self._covering(a, b)
        except JoinFailure:
            if not self.unions and a is not UNBOUND and b is not UNBOUND and not self._has_exception(a, b):
                raise
            return self._union(a, b)

    def _has_exception(self, *values: Value) -> bool:
        """Whether one of the values is an exception. It may be of any class, and lies where another value was
        before."""
        objects = self.heap.objects
        return any(isinstance(v, Ref) and issubclass(objects[v.object].cls, BaseException) for v in values)

    def contents(self, a: Value, b: Value) -> Value:
        """The join of the contents of a container: a `Union` where they differ in structure, if unions may be made."""
        if a is STALE or b is STALE:
            return STALE
        if self.growable_lists is not None and a is not b and _has_growable_list(a, b):
            return self.growable_lists.join(self, a, b)
        if self.growable_lists is not None and self.unions and self._differ_in_many_keys(a, b):
            with contextlib.suppress(JoinFailure):
                return self.growable_lists.join(self, a, b)
        if isinstance(a, Tuple | Mapping) and isinstance(b, Tuple | Mapping):
            joined = self.join(a, b)
            if isinstance(joined, Union):
                self.heap.has_unions = True
            return joined
        return self.join(a, b)

    def elements(self, number: int, a: Value, b: Value) -> Value:
        """The join of the elements of a buffer."""
        if number not in self.rooms or not (isinstance(a, JaxArray) and isinstance(b, JaxArray)):
            return self.join(a, b)
        type = TensorType(self.rooms[number], a.var.type.dtype)
        return a if isinstance(a.var, Hole) and a.var.type == type else JaxArray(hole(type))

    def _differ_in_many_keys(self, a: Value, b: Value) -> bool:
        """Whether these are contents of a dict of numbers, or a set, that has many different keys on the paths."""
        kind = self.heap.objects[self.holder.object].kind if isinstance(self.holder, Ref) else ""
        # the members of a set that are told apart have an order
        most = {"dict": _MAXIMUM_KEYS, "set": MAXIMUM_ALTERNATIVES}.get(kind)
        if most is None:
            return False
        found = [v for c in (a, b) for v in alternatives(c)]
        keys = {tuple(v.entries) for v in found if isinstance(v, Mapping)}
        if len(keys) <= most or not all(isinstance(v, Mapping) for v in found):
            return False
        return not any(references(v) for v in found)

    def hollow(self, value: Value) -> Value:
        """`value` with holes for the device values that are not visible outside the joined regions."""
        if not self._local(value):
            return value
        return substitute(value, lambda v: hole(v.type) if isinstance(v, Var) and v.depth >= self.depth else v)

    def _covering(self, a: Value, b: Value) -> Value:
        """The join of two values of one kind; `JoinFailure` otherwise."""
        if a is not b:
            return self._alike(a, b)
        for number in references(a):
            self.keep(number)
        return self.hollow(a)

    def _arriving(self, value: Value) -> Value:
        """A value from the end of a loop's body that nothing stands for at its head."""
        return self.hollow(value if self.mark is None else self.at_head(value))

    def _local(self, value: Value) -> bool:
        depth = self.depth
        for var in variables(value):
            if type(var) is Var and var.depth >= depth:
                return True
        return False

    def _alike(self, a: Value, b: Value) -> Value:
        """The join of two values of one kind; `JoinFailure` otherwise."""
        first, second = numeric(a), numeric(b)
        if first is not None and second is not None:
            return self._numbers(a, b, first, second)
        one, two = in_parts(a), in_parts(b)
        if one is not None and two is not None and type(one) is type(two) and not same_constant_values(a, b):
            return self._parts(one, two)
        if self.sizes is not None and isinstance(a, NdArray | BoundedArray) and isinstance(b, NdArray | BoundedArray):
            sized = self.sizes.join(self, a, b)
            if sized is not None:
                return sized
        if type(a) is not type(b):
            if self._widens():
                wide = self._accumulator(a, b)
                if wide is not None:
                    return wide
            raise JoinFailure(a, b)
        joined = _JOINS.get(type(a))
        return self._parts(a, b) if joined is None else joined(self, a, b)

    def _constants(self, a: Const, b: Const) -> Value:
        if same_constant(a.value, b.value):
            return a
        raise JoinFailure(a, b, "are different objects")

    def _references(self, a: Ref, b: Ref) -> Value:
        if a.object == b.object:
            self.keep(a.object)
            return a
        merged = self.merge(a.object, b.object)
        return a if merged == a.object else Ref(merged)

    def _tuples(self, a: Tuple, b: Tuple) -> Value:
        if differ_in_form(a, b):
            raise JoinFailure(a, b, "are tuples of different lengths")
        return self._parts(a, b)

    def _mappings(self, a: Mapping, b: Mapping) -> Value:
        if list(dict.keys(a.entries)) != list(dict.keys(b.entries)):
            raise JoinFailure(a, b, "have different keys")
        if isinstance(b.entries, Unordered) and not isinstance(a.entries, Unordered):
            a = Mapping(Unordered(a.entries))
        if a.history is not None and not set_iteration_order.same(a.history, b.history):
            a = Mapping(a.entries)
        return self._parts(a, b)

    def _functions(self, a: Function, b: Function) -> Value:
        apart = a.namespace != b.namespace
        if apart and any(self.heap.objects[n].fields for n in (a.namespace, b.namespace)):
            raise JoinFailure(a, b, "are functions with attributes")
        if a.code is not b.code or len(a.children()) != len(b.children()):
            raise JoinFailure(a, b, "are different functions")
        return self._parts(a, b)

    def _intrinsics(self, a: Intrinsic, b: Intrinsic) -> Value:
        if a.rule is not b.rule or len(a.captures) != len(b.captures):
            raise JoinFailure(a, b, "are different callables")
        return self._parts(a, b)

    def _methods(self, a: BoundMethod, b: BoundMethod) -> Value:
        if _other_callables(a.function, b.function):
            raise JoinFailure(a, b, "are different methods")
        return self._parts(a, b)

    def _bounded_arrays(self, a: BoundedArray, b: BoundedArray) -> Value:
        if not _of_one_room(a, b) or _lane_kinds(a) != _lane_kinds(b):
            raise JoinFailure(a, b, "have other dimensions of dynamic length")
        unions, self.unions = self.unions, False
        try:
            return self._parts(a, b)
        finally:
            self.unions = unions

    def _texts(self, a: Text, b: Text) -> Value:
        if a.template != b.template or len(a.parts) != len(b.parts):
            raise JoinFailure(a, b, "are different texts")
        return self._parts(a, b)

    def _stored(self, a: Stored, b: Stored) -> Value:
        if not _of_one_factory(a.factory, b.factory):
            raise JoinFailure(a, b, "are defaultdicts that make other values")
        if _of_several_lengths(a, b) and self.growable_lists is not None:
            held = self.growable_lists.held(self, a, b)
            own = a.own and b.own
            same = held is a.held and own == a.own
            return a if same else Stored(a.kind, a.cls, (), (held,), own, a.factory)
        if (a.kind, a.cls, a.names, len(a.parts)) != (b.kind, b.cls, b.names, len(b.parts)):
            raise JoinFailure(a, b, "are objects of different kinds")
        if a.kind == "buffer" and elements_of(a).type != elements_of(b).type:
            raise JoinFailure(a, b)
        own, added, lies = a.own and b.own, a.added and b.added, a.lies | b.lies
        if (own, added, lies) != (a.own, a.added, a.lies):
            a = Stored(a.kind, a.cls, a.names, a.parts, own, a.factory, added, lies)
        return self._parts(a, b)

    def _contents_of_lists(self, a: Value, b: Value) -> Value:
        raise JoinFailure(a, b, "are contents of lists")

    def _markers(self, a: Value, b: Value) -> Value:
        raise JoinFailure(a, b)

    def _parts(self, a: V, b: Value) -> V:
        old, others = a.children(), b.children()
        if len(old) != len(others):
            raise JoinFailure(a, b, "have different parts")
        new = tuple(
            self.join(x, y) if isinstance(x, Value) and isinstance(y, Value) else self._var(x, y, a, b)
            for x, y in zip(old, others, strict=True)
        )
        if all(x is y for x, y in zip(old, new, strict=True)):
            return a
        if self.hastens and _is_tuple(a) and len(new) > _MOST_MOVED and _are_moved(old, others):
            new = self._hastened(old, new)
        return a.rebuilt(new)

    def _hastened(self, old: tuple, new: tuple) -> tuple:
        """The items of a sequence, along which they are moved, when some rounds more have been made: the numbers that
        are known still are joined with those that have come there."""
        arrived = [v for u, v in zip(old, new, strict=True) if u is not v and isinstance(v, Scalar | NumpyScalar)]
        for value in arrived:
            with contextlib.suppress(JoinFailure):
                known = [type(item) is Const and numeric(item) is not None for item in new]
                new = tuple([self.join(item, value) if k else item for item, k in zip(new, known, strict=True)])
        return new

    def _var(self, x: Any, y: Any, a: Value, b: Value) -> Any:
        if x is y and isinstance(x, Var) and x.depth < self.depth:
            return x
        one, two = x.type, y.type
        if one.shape != two.shape or one.dtype != two.dtype:
            raise JoinFailure(a, b, f"have types {one} and {two}")
        weak = one.weak and two.weak
        if isinstance(x, Hole) and one.weak == weak:
            return x
        return hole(TensorType(one.shape, one.dtype, weak))

    def _numbers(self, a: Value, b: Value, first: tuple, second: tuple) -> Value:
        if isinstance(a, Const) and isinstance(b, Const) and same_constant(a.value, b.value):
            return a
        (origin, kind), (other, other_kind) = first, second
        if origin == other:
            if kind == other_kind:
                return self._scalar(a, b, kind) if origin == "python" else self._numpy_scalar(a, b, kind)
            if self._widens() and becomes(kind, other_kind) and self._keeps_value(a, other_kind):
                return self._scalar(a, b, other_kind) if origin == "python" else self._numpy_scalar(a, b, other_kind)
        elif self._widens() and origin == "python" and kind is not bool and becomes(kind, other_kind):
            if (kind is not int or fits(known_bounds(a), other_kind)) and self._keeps_value(a, other_kind):
                return self._numpy_scalar(a, b, other_kind)
        raise JoinFailure(a, b)

    def _keeps_value(self, before: Value, kind: type | np.dtype) -> bool:
        """Whether a number may become a wider one from the start of a loop: it is the same number if there is no
        iteration."""
        return self.iterates or is_exact_in(before, kind)

    def _bounds(self, a: Value, b: Value, slow: bool) -> tuple[int, int] | None:
        """The interval of both. In a loop, an end that grows goes to its `REACH` if it grows slowly (and `slow` says
        that this counts), else as far as it can; what is not negative stays so if it can."""
        both, before = hull(a, b), known_bounds(a)
        if both is None or before is None or not self.widen or both == before:
            return both
        low = 0 if before[0] > both[0] >= 0 else -reached(-before[0], -both[0], slow)
        high = reached(before[1], both[1], slow)
        return None if (low, high) == (INT64.min, INT64.max) else (max(low, int(INT64.min)), high)

    def _scalar(self, a: Value, b: Value, kind: type) -> Value:
        bounds = self._bounds(a, b, not self.narrow) if kind is int else None
        if isinstance(a, Scalar) and a.kind is kind:
            if isinstance(b, Scalar) and a.var is b.var and a.bounds == b.bounds and a.var.depth < self.depth:
                return a
            if isinstance(a.var, Hole) and a.bounds == bounds:
                return a
        return Scalar(kind, hole(scalar_type(kind)), bounds)

    def _numpy_scalar(self, a: Value, b: Value, dtype: np.dtype) -> Value:
        bounds = self._bounds(a, b, False) if dtype.kind in "iu" else None
        if isinstance(a, NumpyScalar) and a.var.type.dtype == dtype:
            if isinstance(b, NumpyScalar) and a.var is b.var and a.bounds == b.bounds and a.var.depth < self.depth:
                return a
            if isinstance(a.var, Hole) and a.bounds == bounds:
                return a
        return NumpyScalar(hole(TensorType((), dtype)), bounds)

    def _accumulator(self, a: Value, b: Value) -> Value | None:
        """A number that becomes a JAX array of rank 0 in a loop is one from the start."""
        kind = numeric(a)
        if kind is not None and kind[0] == "python" and isinstance(b, JaxArray) and b.var.type.shape == ():
            dtype = b.var.type.dtype
            if not self._keeps_value(a, dtype):
                return None
            if kind[1] is not bool and dtype.kind in "fc" + ("i" if kind[1] is int else ""):
                return JaxArray(hole(TensorType((), dtype)))
        return None

    def _arrays(self, a: JaxArray, b: JaxArray) -> Value:
        var = self._var(a.var, b.var, a, b)
        return a if var is a.var else JaxArray(var)

    def _views(self, a: NdArray, b: NdArray) -> Value:
        if a.type != b.type:
            raise JoinFailure(a, b, f"have types {a.type} and {b.type}")
        if a.writeable is not b.writeable:
            raise JoinFailure(a, b, "may be written on one path only")
        if a.buffer == b.buffer and [x.kind for x in a.lenses] == [x.kind for x in b.lenses]:
            if same_static(a, b):
                if self.heap.are_two(a, b):
                    raise JoinFailure(a, b, "are different objects")
                self.keep(a.buffer)
                return self._array(a, b, a.buffer)
        # views of the same kind, each of an array of its own
        if [x.kind for x in a.lenses] != [x.kind for x in b.lenses] or not same_static(a, b):
            raise JoinFailure(a, b, "are views of different arrays")
        return self._array(a, b, self.merge(a.buffer, b.buffer))

    def _array(self, a: NdArray, b: NdArray, buffer: int) -> Value:
        """The join of two array objects with the same kind of lenses; `a` itself if `b` adds nothing."""
        joined, identity = self._parts(a, b), self.identity(a, b)
        if joined is a and (buffer, identity) == (a.buffer, a.identity):
            return a
        return NdArray(buffer, joined.lenses, a.type, identity, a.writeable)

    # -- unions -----------------------------------------------------------------------------------------------------

    def _widens(self) -> bool:
        return self.widen and not self._exact

    def _union(self, a: Value, b: Value) -> Value:
        """The union of two values. A number whose type changes on some iterations only does not widen: it has either
        type."""
        with self.exactly():
            return self._united(a, b)

    @contextlib.contextmanager
    def exactly(self) -> Iterator[None]:
        """Within this context, numbers keep their types."""
        outer, self._exact = self._exact, True
        try:
            yield
        finally:
            self._exact = outer

    def _united(self, a: Value, b: Value) -> Value:
        number = self._mixed(a, b)
        return self._several(a, b) if number is None else number

    def _mixed(self, a: Value, b: Value) -> Value | None:
        """The join of numbers of one dtype, of Python's and of NumPy's; None if they are not that."""
        kind = twin_kind(a)
        if kind is None or kind is not twin_kind(b):
            return None
        one, two = (v.python if isinstance(v, MixedScalar) else v for v in (a, b))
        bounds = self._bounds(one, two, not self.narrow) if kind is int else None
        if isinstance(a, MixedScalar):
            same = isinstance(b, MixedScalar) and a.selector is b.selector and a.python.var is b.python.var
            if a.python.bounds == bounds and (isinstance(a.selector, Hole) or same and not self._local(a)):
                return a
        return mixed(hole(SELECTOR), Scalar(kind, hole(scalar_type(kind)), bounds))

    def _several(self, a: Value, b: Value) -> Value:
        several = list(alternatives(a))
        changed = not isinstance(a, Union)
        if isinstance(a, Union) and not isinstance(a.selector, Hole):
            changed = changed or not (isinstance(b, Union) and a.selector is b.selector)
        if changed:
            several = [self.hollow(v) for v in several]
        others = alternatives(b)
        both = set(map(_identified, several)) & set(map(_identified, others)) - {None}
        #: alternatives that stand for an object of the second path: one name cannot stand for two objects of one path
        taken: set[int] = set()
        for other in others:
            joined = self._with_one_of(several, other, both, taken)
            if joined is not None:
                index, value = joined
                changed = changed or value is not several[index]
                several[index] = value
                taken.add(index)
                continue
            if self._is_new_kind(several, other) and not self.unions or len(several) >= MAXIMUM_ALTERNATIVES:
                raise (JoinFailure if _identified(other) is None else Aliased)(a, b)
            taken.add(len(several))
            several.append(self._arriving(other))
            changed = True
        return Union(hole(SELECTOR), tuple(several)) if changed else a

    def _with_one_of(
        self, several: list[Value], other: Value, both: set[int | None], taken: set[int]
    ) -> tuple[int, Value] | None:
        """The first alternative that has a join with a value, and that join; none for one of the objects `both`."""
        number = _identified(other)
        for index, mine in enumerate(several):
            if number is not None and index in taken:
                continue
            if number != _identified(mine) and both & {number, _identified(mine)}:
                continue
            if differ_in_form(mine, other):
                continue
            try:
                return index, self._covering(mine, other)
            except JoinFailure:
                continue
        return None

    def _is_new_kind(self, several: list[Value], other: Value) -> bool:
        """Whether a value is of another kind than those that a place had before."""
        if other is UNBOUND or all(mine is UNBOUND for mine in several) or self._has_exception(other, *several):
            return False
        return not any(twins(mine, other) for mine in several)


#: the join of two values of one class; that of their parts for all others
_JOINS: dict[type[Value], Callable[[Joiner, Any, Any], Value]] = {
    Const: Joiner._constants,
    JaxArray: Joiner._arrays,
    NdArray: Joiner._views,
    Ref: Joiner._references,
    Tuple: Joiner._tuples,
    Mapping: Joiner._mappings,
    Function: Joiner._functions,
    Intrinsic: Joiner._intrinsics,
    BoundMethod: Joiner._methods,
    BoundedArray: Joiner._bounded_arrays,
    Text: Joiner._texts,
    Stored: Joiner._stored,
    GrowableList: Joiner._contents_of_lists,
    Marker: Joiner._markers,
}


def _is_tuple(value: Value) -> bool:
    """Whether a value is a plain tuple."""
    return type(value) is Tuple


def _are_moved(before: tuple, after: tuple) -> bool:
    """Whether the items of a sequence have been moved by one place, as far as they are known."""

    def moved(one: Any, two: Any) -> bool:
        if type(one) is not Const:
            return type(one) is type(two)
        return type(two) is Const and same_constant(one.value, two.value)

    return all(map(moved, before[1:], after)) or all(map(moved, before, after[1:]))


def differ_in_form(one: Value, two: Value) -> bool:
    """Whether two values certainly have no join but a union, which is told without looking into them."""
    if isinstance(one, Tuple):
        return isinstance(two, Tuple) and (
            len(one.items) != len(two.items)
            or one.cls is not two.cls
            or (one.namespace is None) is not (two.namespace is None)
        )
    if isinstance(one, Mapping):
        return isinstance(two, Mapping) and len(one.entries) != len(two.entries)
    return isinstance(one, Ref) and not isinstance(two, Ref)


def _other_callables(one: Value, two: Value) -> bool:
    """Whether two methods certainly are different functions."""
    if isinstance(one, Intrinsic) and isinstance(two, Intrinsic):
        return one.rule is not two.rule
    if isinstance(one, Const) and isinstance(two, Const):
        return one.value is not two.value
    return type(one) is not type(two)


def _identified(value: Value) -> int | None:
    """The object that a value refers to, or whose elements it shows."""
    if isinstance(value, Ref):
        return value.object
    if isinstance(value, BoundedArray):
        value = value.base
    return value.buffer if isinstance(value, NdArray) else None


def _of_several_lengths(a: Stored, b: Stored) -> bool:
    """Whether two containers in a growable list are of one kind, but not of one known length or with the same keys."""
    if (a.kind, a.cls) != (b.kind, b.cls) or a.kind not in ("list", "tuple", "dict", "set"):
        return False
    return bool(a.held or b.held) or (a.names, len(a.parts)) != (b.names, len(b.parts))


def _of_one_factory(a: Value | None, b: Value | None) -> bool:
    """Whether two defaultdicts have the same factory."""
    if isinstance(a, Const) and isinstance(b, Const):
        return same_constant(a.value, b.value)
    if isinstance(a, Function) and isinstance(b, Function):
        return a.code is b.code and a.namespace == b.namespace
    return a is b


def same_static(a: NdArray, b: NdArray) -> bool:
    """Whether two views differ in dynamic starts alone."""

    def static(part: object) -> object:
        if isinstance(part, Var | Hole):
            return "dynamic"
        return tuple(map(static, part)) if isinstance(part, tuple) else part

    return [static(x.params) for x in a.lenses] == [static(x.params) for x in b.lenses]


def _of_one_room(a: BoundedArray, b: BoundedArray) -> bool:
    """Whether two arrays have room for as many elements, where that is not told by the state that a list holds."""
    rooms = [v.base.type for v in (a, b) if isinstance(v.base, NdArray)]
    return len(rooms) < 2 or rooms[0] == rooms[1]


def _lane_kinds(array: BoundedArray) -> list:
    """What is static about the dimensions of dynamic length."""
    kinds = ((x.start if isinstance(x.start, int) else None, x.valid is None, x.order is None) for x in array.axes if x)
    return [[x is None for x in array.axes], *kinds]


def unchanged(before: Value | None, after: Value) -> bool:
    """Whether a place certainly holds what it held before, though it may have been written."""
    if before is after:
        return True
    if isinstance(before, Ref) and isinstance(after, Ref):
        return before.object == after.object
    if isinstance(before, Const) and isinstance(after, Const):
        return same_constant(before.value, after.value)
    if isinstance(before, Tuple) and isinstance(after, Tuple):
        old, new = before.children(), after.children()
        return len(old) == len(new) and all(map(unchanged, old, new))
    if isinstance(before, Mapping) and isinstance(after, Mapping):
        old, new = dict.items(before.entries), dict.items(after.entries)
        same = set_iteration_order.same(before.history, after.history) and [k for k, _ in old] == [k for k, _ in new]
        return same and all(unchanged(v, after.entries[k]) for k, v in old)
    if type(before) is not type(after):
        return False
    if isinstance(before, Scalar | NumpyScalar | JaxArray) and isinstance(after, Scalar | NumpyScalar | JaxArray):
        return before.var is after.var
    return False
