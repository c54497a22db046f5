"""What a rule may ask of the interpreter, and how it reports that something cannot be done.

A rule is a function `rule(machine, *args, **kwargs) -> Value` whose parameters receive abstract values, bound as Python
would bind them; a parameter that was not passed holds the Python object of its default, which is how a rule sees that
it was not passed. `machine` is the `Machine` below. Rules emit operations through `machine.builder` and `machine.leaf`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

import numpy as np

from xlapy.domain.heap import Heap
from xlapy.domain.sources import Source
from xlapy.domain.values import NdArray, Value
from xlapy.ir import Builder, Location, Outcomes, TensorType, Var


class Refused(Exception):
    """The program cannot be offloaded; see `report.blockers.CODES` for `code`. `location` is where, if it is known."""

    location: Location | None = None

    def __init__(self, code: str, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.code, self.message, self.hint = code, message, hint


class PythonError(Exception):
    """The program raises a Python exception for certain here; `value` is the abstract exception object, `frame` the
    frame that it left, if that is known."""

    def __init__(self, value: Value, frame: object = None) -> None:
        super().__init__(value)
        self.value, self.frame = value, frame


class NeedStatic(Exception):
    """The value of `var` is needed at compile time. `place` stands for the question: with that among what is static,
    the value is worked out from the contents of arrays."""

    def __init__(self, var: Var, what: str, place: Source | None = None) -> None:
        super().__init__(what)
        self.var, self.what, self.place = var, what, place


class Machine(Protocol):
    """The interpreter, as rules see it."""

    builder: Builder
    heap: Heap
    length_places: dict[Var, Source]
    outcomes: Outcomes

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

    def static(self, value: Value, what: str = "this value") -> object:
        """The Python object a value stands for (nested tuples too); asks for specialisation if it is dynamic."""
        ...

    def is_static(self, value: Value) -> bool:
        """Whether `static` would answer at once."""
        ...

    def specialisable(self, var: Var) -> bool:
        """Whether `var` is computed from numbers among the inputs alone, so that `static` can have it."""
        ...

    def raise_(self, cls: type, *args: object) -> Value:
        """Raise a Python exception for certain (never returns). Arguments are Python objects or abstract values."""
        ...

    def check(self, bad: Var, cls: type, *args: object) -> None:
        """Raise a Python exception where the boolean scalar `bad` is true; what follows runs as if it were not."""
        ...

    def cond(self, predicate: Var | bool, then: Callable[[], Value], orelse: Callable[[], Value]) -> Value:
        """`then()` where the predicate holds, else `orelse()`: both run from copies of the state, which are joined."""
        ...

    def truth(self, value: Value) -> bool | Var:
        """`bool(value)`: a Python bool if it is known, else a boolean scalar on the device."""
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

    def iterate(self, value: Value) -> list[Value]:
        """All items of an iterable whose length is known at compile time."""
        ...

    def spec(self, value: Value) -> TensorType | type | None:
        """For NumPy's promotion: the tensor type of an array or NumPy scalar, the Python type of a Python number."""
        ...


Rule = Callable[..., Value]
DType = np.dtype
