"""Python text for the warm call: guards, operands and the run itself, generated once for each specialisation.

Every guard and operand is a chain from an argument or from a known object; chains share their prefixes, so that each
attribute is read once. The text of a warm call is

    def call(a_x, a_y):
        if disabled and off(): return slow(a_x, a_y)
        while True:                                    # left by `break` where a guard does not hold
            try:
                if not (type(a_x) is k0): break        # one line for each guard
                v0 = k1['scale']
            except ErrorsOfReading: break
            before = swap_x64(True)
            try:
                result = jitted(a_x, a_y, v0)
            except NewTypes:
                result = NewTypes
            finally:
                set_x64(before)
            if result is NewTypes: return new_types((a_x, a_y))
            entry.calls += 1
            return result
        return miss(a_x, a_y)
"""

from __future__ import annotations

import abc
import keyword
import math
import types
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import jax
import jax.core
import jax.numpy as jnp
import numpy as np

from xlapy.domain import randomness
from xlapy.domain.assumptions import Guard
from xlapy.domain.rooms import Room, padded
from xlapy.domain.sources import Source
from xlapy.domain.storage import is_one_to_one, layout, storage
from xlapy.runtime.jax_internals import ConcreteArray
from xlapy.runtime.switch import DISABLED, off

if TYPE_CHECKING:
    from xlapy.runtime.packing import Packing

#: what a prepared specialisation returns when one of its guards does not hold
MISS = object()
#: what reading a source may raise when the caller's world has changed
READING = "(AttributeError, KeyError, IndexError, TypeError, ValueError)"


#: the conditions of simple guards
_CONDITIONS = {
    "is": "{place} is {value}",
    "type": "type({place}) is {value}",
    "len": "len({place}) == {value}",
    "room": "{place}.__sizeof__() == {value}",
    "subclasses": "{place}.__subclasses__() == {value}",
    "registry": "[*{place}.registry.items()] == {value}",
}
#: those whose value is a number, which stands in the code itself
_SIZES = ("len", "room")
#: guards that read what is in an object
_READING = frozenset(
    ("len", "keys", "room", "subclasses", "registry", "registrations", "shape", "layout", "gives", "fits")
)


class Writer:
    """Collects lines of a function body and the known objects they refer to."""

    def __init__(self, parameters: Sequence[str], traced: bool, of: Writer | None = None) -> None:
        self.parameters, self.traced = [f"a_{name}" for name in parameters], traced
        self.namespace: dict[str, Any] = {} if of is None else of.namespace
        self.namespace |= {"MISS": MISS, "JaxArray": jax.Array, "Tracer": jax.core.Tracer}
        #: whether reading the sources may fail
        self.reads = False
        self.lines: list[str] = []
        #: what was compiled last
        self.text = ""
        self._names: dict[int, str] = {} if of is None else of._names
        self._found: dict[Source, str] = {}
        #: what is read at once: for the first of these sources a list, for the others None
        self._together: dict[Source, str | None] = {}

    def name(self, item: object) -> str:
        """A name under which the text refers to a known object."""
        known = self._names.get(id(item))
        if known is None:
            known = self._names[id(item)] = f"k{len(self._names)}"
            self.namespace[known] = item
        return known

    def place(self, source: Source) -> str:
        """An expression for what is at a source; it is computed once."""
        known = self._found.get(source)
        if known is not None:
            return known
        expression = self.expression(source)
        if source.kind in ("argument", "object"):
            self._found[source] = expression
            return expression
        local = f"v{len(self._found)}"
        self.reads = True
        self.lines.append(f"{local} = {expression}")
        self._found[source] = local
        return local

    def expression(self, source: Source) -> str:
        """The text that finds a source from the one before it."""
        key = source.key
        match source.kind:
            case "argument":
                return f"a_{key}"
            case "object":
                item = key[0].item if isinstance(key, tuple) else key.item
                return self.name(item)
            case "global":
                return f"{self.name(key[0].item)}[{key[1]!r}]"
            case "cell":
                return f"{self.name(key[0].item)}.cell_contents"
            case "entry":
                return f"{self.name(key[0].item)}.__dict__[{key[1]!r}]"
            case "attribute":
                base = self.place(source.outer)
                return f"{base}.{key}" if _plain_name(key) else f"getattr({base}, {key!r})"
            case "item" | "field":
                text = repr(key) if isinstance(key, int | str) else self.name(key)
                return f"{self.place(source.outer)}[{text}]"
            case "random":
                return f"{self.name(randomness.key)}({self.place(source.outer)})"
            case "storage":
                self.reads = True
                return f"{self.name(storage)}({self.place(source.outer)})"
            case "padded":
                return f"{self.name(padded)}({self.place(source.outer)}, {key!r})"
        raise AssertionError(source)

    def require(self, condition: str) -> None:
        """Give up unless `condition` holds."""
        self.lines.append(f"if not ({condition}): break")

    def guard(self, guard: Guard) -> None:
        """Check one assumption."""
        if guard.kind == "missing":
            self._missing(guard.source)
            return
        self.reads = self.reads or guard.kind in _READING
        place, value = self.place(guard.source), guard.value
        condition = _CONDITIONS.get(guard.kind)
        if condition is not None:
            self.require(condition.format(place=place, value=value if guard.kind in _SIZES else self.name(value)))
            return
        match guard.kind:
            case "equal":
                self._equal(place, value)
            case "isinstance":
                rest = f"isinstance({place}, JaxArray)"
                if not self.traced:
                    rest += f" and not isinstance({place}, Tracer)"
                self.require(f"type({place}) is {self.name(ConcreteArray)} or {rest}")
            case "keys":
                self.require(f"[*{place}] == {self.name(list(value))}")
                if any(isinstance(key, int | float | complex | np.generic) for key in value):
                    kinds = self.name(list(map(type, value)))
                    self.require(f"[*map(type, {place})] == {kinds}")  # 1 is 1.0 and True, too
            case "registrations":
                self.require(f"{self.name(abc.get_cache_token)}() == {self.name(value)}")
            case "same":
                self.require(f"{place} is {self.place(value)}")
            case "distinct":
                self.require(f"{place} is not {self.place(value)}")
            case "shape":
                self._shape(place, *value)
            case "within":
                self.require(f"{value[0]} <= {place} <= {value[1]}")
            case "equals":
                self.require(f"{place} == {self.place(value)}")
            case "fits":
                self._fits(place, *value)
            case "absent":
                # the view of the keys is live; the smaller of the two sets is gone through
                keys = self.name(guard.source.key.item.__dict__.keys())
                self.require(f"{keys}.isdisjoint({self.name(value)})")
            case "layout":
                where, known = value
                self.require(f"{self.name(layout)}({place}, {self.place(where)}) == {self.name(known)}")
            case "gives":
                known, sources = value
                self.require(f"{place}.gives({self.name(known)}, {self.operands(sources)})")
            case "apart" if value == guard.source:
                self.require(f"{place}.flags.writeable and ({place}.flags.forc or {self.name(is_one_to_one)}({place}))")
            case "apart":
                other = self.place(value)
                self.require(f"not {self.name(np.may_share_memory)}({place}, {other})")
            case _:
                raise AssertionError(guard)

    def _shape(self, place: str, shape: tuple[int, ...], dtypes: Sequence[Any]) -> None:
        """An array's shape, and one of some dtypes."""
        keys = jnp.issubdtype(dtypes[0], jax.dtypes.extended)
        known = [self.name(dtype if keys else np.dtype(dtype)) for dtype in dtypes]
        same = [f"{place}.dtype {word} {name}" for word in ("is", "==") for name in known]
        self.require(f"{place}.shape == {shape!r} and ({' or '.join(same)})")

    def _fits(self, place: str, dtype: np.dtype, room: Room) -> None:
        """An array of a dtype for which there is room."""
        self.require(f"{place}.dtype == {self.name(dtype)} and len({place}.shape) == {len(room.shape)}")
        for k, (most, where, least) in enumerate(zip(room.shape, room.lengths, room.least, strict=True)):
            size = f"{place}.shape[{k}]"
            self.require(f"{size} == {most}" if where is None else f"{least} <= {size} <= {most}")
        self.require(f"{place}.flags.c_contiguous")

    def _equal(self, place: str, value: Any) -> None:
        """The same type and value; by identity first, which is what nearly always answers."""
        kind = type(value)
        if kind in (bool, type(None)):
            self.require(f"{place} is {value!r}")
            return
        typed = f"type({place}) is {self.name(kind)} and "
        plain = kind is float and value != 0 and not math.isnan(value)
        if kind in (float, complex) or isinstance(value, np.generic):
            # by text where it matters: -0.0 is not 0.0, and NaN is NaN
            same = f"{place} == {self.name(value)}" if plain else f"repr({place}) == {repr(value)!r}"
        else:
            same = f"{place} == {self.name(value)}"
        identical = f"{place} is {self.name(value)} or " if _immutable(value) else ""
        self.require(f"{identical}{typed}{same}")

    def _missing(self, source: Source) -> None:
        self.reads = True
        if source.kind == "global":
            self.require(f"{source.key[1]!r} not in {self.name(source.key[0].item)}")
        elif source.kind == "attribute":
            self.require(f"{source.key!r} not in {self.place(source.outer)}.__dict__")
        elif source.kind == "item":
            self.require(f"{source.key!r} not in {self.place(source.outer)}")
        elif source.kind == "cell":
            # an empty cell is equal to no other than an empty one
            self.require(f"{self.name(source.key[0].item)} == {self.name(types.CellType())}")

    def numbers(self, sources: Sequence[Source], holders: Sequence[Source], kind: type) -> None:
        """Read all items of some lists or tuples, which are at `sources`, at once; they have to be of one type."""
        self.reads = True
        name = f"n{len(self._together)}"
        self.lines.append(f"{name} = [{', '.join(f'*{self.place(holder)}' for holder in holders)}]")
        self.require(f"{{*map(type, {name})}} == {self.name({kind})}")
        self._together |= dict.fromkeys(sources, None) | {sources[0]: name}

    def prepare(self, sources: Sequence[Source]) -> Callable:
        """A function of the bound arguments: the operands at `sources`, or MISS where a guard fails."""
        operands = self.operands(sources)
        return self._compile("prepare", self._guarded([f"return ({operands})"]), "MISS", self.parameters)

    def warm(
        self,
        sources: Sequence[Source],
        packing: Packing | None,
        direct: Writer | None,
        is_moved: bool,
        finished: bool,
        **known: object,
    ) -> Callable:
        """The warm call; `known` gives the names in the module's docstring. `miss` may be replaced in its globals.

        Where there may be a C function of the operands, `direct` has written what it does not look at itself. What is
        done behind it is not for the functions of a program that was moved.
        """
        operands = self.operands(sources)
        travelling = operands if packing is None else self._packed(sources, packing)
        self.namespace.update(known, disabled=DISABLED, off=off)
        arguments = ", ".join(self.parameters)
        pack = f"({arguments}{',' if arguments else ''})"
        run = [
            "before = swap_x64(wide)",
            "try:",
            f"    result = jitted({travelling})",
            "except NewTypes:",
            "    result = NewTypes",
            "except OverflowError:",
            f"    if not overflows(({operands})): raise",
            "    break",
            "except TypeError:",
            f"    if not is_foreign(({operands})): raise",
            "    result = NewTypes",
            "except ValueError as error:",
            "    if not is_nested(error): raise",
            f"    result = run_at_once(({operands}))",
            "except JaxRuntimeError as error:",
            f"    result = without_native(error, ({operands}))",
            "finally:",
            "    set_x64(before)",
            f"if result is NewTypes: return new_types({pack})",
            "entry.calls += 1",
            "return result" if finished else f"return finish(result, {pack})",
        ]
        lines = [f"if disabled and off(): return slow({arguments})"]
        if direct is not None:
            lines.append("made, then = native.objects")
            lines.append(f"if made is not None and not may_check[0]{' and then is None' * is_moved}:")
            lines += _indented(direct.directly(sources))
        lines += self._guarded(run)
        return self._compile("call", lines, f"miss({arguments})", self.parameters)

    def directly(self, sources: Sequence[Source]) -> list[str]:
        """The call of the C function of the operands."""
        run = [f"result = made({self.operands(sources)})", "if result is OTHER: break", "entry.calls += 1"]
        arguments = "".join(f", {name}" for name in self.parameters)
        return self._guarded([*run, f"return result if then is None else then(result{arguments})"])

    def operands(self, sources: Sequence[Source]) -> str:
        """The operands as text, with a comma after each."""
        text = ""
        for source in sources:
            if source not in self._together:
                text += f"{self.place(source)}, "
            elif self._together[source] is not None:
                text += f"*{self._together[source]}, "
        return text

    def _packed(self, sources: Sequence[Source], packing: Packing) -> str:
        """The operands as they travel."""
        text = self.operands([sources[k] for k in packing.alone])
        for group in packing.groups:
            text += f"{self.name(group.packer)}(({self.operands([sources[k] for k in group.places])})), "
        return text

    def _guarded(self, then: list[str]) -> list[str]:
        lines = self.lines or ["pass"]
        if self.reads:
            lines = ["try:", *_indented(lines), f"except {READING}: break"]
        return ["while True:", *_indented([*lines, *then])]

    def _compile(self, name: str, lines: list[str], otherwise: str, parameters: list[str]) -> Callable:
        body = "\n".join(_indented([*lines, f"return {otherwise}"]))
        self.text = f"def {name}({', '.join(parameters)}):\n{body}\n"
        exec(compile(self.text, f"<xlapy {name}>", "exec"), self.namespace)
        return self.namespace[name]


def is_implied(guard: Guard, operands: Mapping[Source, tuple[type | None, tuple[int, ...]]], effects: Sequence) -> bool:
    """Whether a C function of the operands looks at it itself (`machine_code.object_calls`).

    Args:
        guard: something that is assumed.
        operands: for each operand its class, if it is a number of Python's, and its shape.
        effects: what changes of the caller's.
    """
    of_array = guard.source.base if guard.source.kind == "attribute" else None
    if guard.kind == "equal" and of_array is not None and guard.source.key == "isnative":
        return of_array.key == "dtype" and of_array.base in operands
    if guard.source not in operands:
        return False
    python, shape = operands[guard.source]
    if guard.kind == "type":
        # one without axes may be a number of NumPy's
        return guard.value is python if python is not None else guard.value is np.ndarray and shape != ()
    if guard.kind == "shape":
        return python is None
    return guard.kind == "apart" and guard.value == guard.source in {effect.source for effect in effects}


def _plain_name(name: object) -> bool:
    """Whether an attribute can be written after a dot."""
    return isinstance(name, str) and name.isidentifier() and not keyword.iskeyword(name)


def _indented(lines: list[str]) -> list[str]:
    return [f"    {line}" for line in lines]


def _immutable(value: object) -> bool:
    """Whether an object that is the same is equal to what it was."""
    if type(value) is tuple:
        return all(map(_immutable, value))
    return type(value) in (int, float, complex, str, bytes, range) or isinstance(value, np.generic | np.dtype)


def locate(source: Source, arguments: dict[str, Any]) -> Any:
    """What is at a source now."""
    key = source.key
    if source.base is not None:
        base = locate(source.base, arguments)
        match source.kind:
            case "attribute":
                return getattr(base, key)
            case "item" | "field":
                return base[key]
            case "random":
                return randomness.key(base)
            case "storage":
                return storage(base)
            case "padded":
                return padded(base, key)
    match source.kind:
        case "argument":
            return arguments[key]
        case "object":
            return key[0].item if isinstance(key, tuple) else key.item
        case "global":
            return key[0].item[key[1]]
        case "cell":
            return key[0].item.cell_contents
        case "entry":
            return key[0].item.__dict__[key[1]]
    raise AssertionError(source)
