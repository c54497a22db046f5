"""Recipes: how the host makes Python objects of the outputs of a program."""

from __future__ import annotations

import types
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from xlapy.domain.set_iteration_order import SetHistory
from xlapy.domain.sources import Source
from xlapy.ir import Location


@dataclass(frozen=True)
class Leaf:
    """Output number `index`. `python` is the type of a Python number; `mutable` is the identity of an `ndarray`, or 0;
    `scalar` says that it is a NumPy scalar."""

    index: int
    python: type | None = None
    mutable: int = 0
    scalar: bool = False


@dataclass(frozen=True)
class Cut:
    """An array of dynamic length: `whole` cut to the lengths in `lengths`, output numbers or None, one a dimension. It
    begins where `starts` say: at the beginning, if there are none."""

    whole: Leaf
    lengths: tuple[int | None, ...]
    starts: tuple[int | None, ...] = ()


@dataclass(frozen=True)
class Known:
    """An object known at compile time."""

    value: Any


class Raised(NamedTuple):
    """An exception: its class, the reconstructions of its arguments and attributes, and where it was raised."""

    cls: type[BaseException]
    parts: tuple
    location: Location | None


@dataclass(frozen=True)
class External:
    """An object of the caller's world, found again at its source."""

    source: Source


@dataclass(frozen=True)
class View:
    """A view of an array of the caller's: `steps` as in `dispatch.arrays.views`, with outputs in the place of dynamic
    starts; `identity` as `Leaf.mutable`."""

    source: Source
    steps: tuple[tuple[str, tuple], ...]
    identity: int


@dataclass(frozen=True)
class Sequence:
    """A tuple or named tuple of class `cls`."""

    cls: type
    items: tuple


@dataclass
class Made:
    """An object made by the program: `kind` as in the heap, or 'records' of a structured array (see `assembled`);
    filled after it is made, so that cycles work."""

    kind: str
    cls: type
    fields: dict[str, Any]
    entries: tuple = ()
    #: of a set of constants
    history: SetHistory | None = None
    #: of a set of the caller's: what is done to it, where that is known
    steps: list[SetHistory] | None = None


@dataclass
class Closure:
    """A function made by the program; filled after it is made, so that it may refer to itself.

    Attributes:
        code: its code object.
        namespace: its globals.
        name: its `__name__`.
        cells: of its closure, each a `Made` of kind "cell" or `Known`.
        defaults, kwdefaults: reconstructions of what its parameters have.
        attributes: reconstructions of `__annotations__` and what the program has set.
    """

    code: types.CodeType
    namespace: dict
    name: str
    cells: list = field(default_factory=list)
    defaults: list = field(default_factory=list)
    kwdefaults: dict[str, object] = field(default_factory=dict)
    attributes: dict[str, object] = field(default_factory=dict)


@dataclass(frozen=True)
class Choice:
    """One of several reconstructions, by the output number `selector`."""

    selector: int
    alternatives: tuple


@dataclass(frozen=True)
class OneOf:
    """The entries of a container, by the output number `selector`: each alternative is a tuple of entries."""

    selector: int
    alternatives: tuple[tuple, ...]


@dataclass(frozen=True)
class Rows:
    """Entries of a list that grew in a loop: `item` once for each row of its outputs, `length` times."""

    item: Any
    length: Any


@dataclass(frozen=True)
class Text:
    """A string with parts that are made first."""

    template: str
    parts: tuple


@dataclass(frozen=True)
class Bound:
    """A bound method: attribute `name` of an object."""

    function: object
    receiver: object


@dataclass(frozen=True)
class Attribute:
    """What an exception has beside its arguments."""

    name: str
    reconstruction: object


@dataclass(frozen=True)
class Built:
    """`cls(*parts)`: slices and ranges."""

    cls: type
    parts: tuple


@dataclass(frozen=True)
class Shared:
    """An array of the caller's, or a view of it, as the output number `origin` says; `copy` if it is none."""

    origin: int
    copy: Leaf
    originals: dict[int, Any]


@dataclass(frozen=True)
class Number:
    """`id(of)`."""

    of: Any


@dataclass(frozen=True)
class Effect:
    """A change to the caller's world: `kind` as in the heap, at `source`, field `name`; UNBOUND deletes."""

    kind: str
    source: Source
    name: str
    #: of a buffer an output, of other slots whatever they hold; None for what is removed
    reconstruction: Any


Reconstruction = (
    Shared | Number | Leaf | Cut | Known | External | View | Sequence | Made | Closure | Choice | Text | Bound | Built
)
