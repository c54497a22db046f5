"""The state a program can see and change, captured so that it can be copied, run on, compared and put back.

A program's *world* is a list of slots: the globals its code (and the code it reaches) names, its closure cells,
defaults and attributes of the functions it reaches, and the attributes of the classes it reaches. Values and arguments
are copied together, with one memo, so that what was shared stays shared: views still view the same memory.
"""

from __future__ import annotations

import copy
import dataclasses
import dis
import enum
import functools
import types
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

MISSING = type("Missing", (), {"__repr__": lambda self: "<unbound>", "__deepcopy__": lambda self, memo: self})()

HEAP_TYPE = 1 << 9  # Py_TPFLAGS_HEAPTYPE: a class whose attributes can be set
ATOMS = (
    types.ModuleType,
    types.MappingProxyType,
    types.GetSetDescriptorType,
    types.MemberDescriptorType,
    property,
    staticmethod,
    classmethod,
    functools.cached_property,
)


@dataclasses.dataclass(frozen=True)
class Slot:
    """One place that holds a value: how to read it, how to write it, and what to call it in a message."""

    name: str
    get: Callable[[], Any]
    put: Callable[[Any], None]


def item_slot(name: str, mapping: dict, key: str) -> Slot:
    """An item of a dict."""

    def put(value):
        if value is MISSING:
            mapping.pop(key, None)
        else:
            mapping[key] = value

    return Slot(name, lambda: mapping.get(key, MISSING), put)


def cell_slot(name: str, cell: types.CellType) -> Slot:
    """A cell."""

    def get():
        try:
            return cell.cell_contents
        except ValueError:
            return MISSING

    def put(value):
        if value is MISSING:
            del cell.cell_contents
        else:
            cell.cell_contents = value

    return Slot(name, get, put)


def attribute_slot(owner: Any, key: str) -> Slot:
    """An attribute of a class."""

    def put(value):
        if value is not MISSING:
            setattr(owner, key, value)
        elif key in vars(owner):
            delattr(owner, key)

    return Slot(f"{owner.__name__}.{key}", lambda: vars(owner).get(key, MISSING), put)


def function_slots(f: types.FunctionType) -> Iterator[Slot]:
    """What can be changed of a function."""
    for key in ("__defaults__", "__kwdefaults__", "__code__"):
        yield Slot(f"{f.__name__}.{key}", lambda key=key: getattr(f, key), lambda v, key=key: setattr(f, key, v))
    for name, cell in zip(f.__code__.co_freevars, f.__closure__ or (), strict=False):
        if name == "__classdict__":  # the namespace of a class, for its annotations: CPython keeps notes there
            continue
        yield cell_slot(f"{f.__name__}.<cell {name}>", cell)
    for key in vars(f):
        yield item_slot(f"{f.__name__}.{key}", vars(f), key)


def class_slots(cls: type) -> Iterator[Slot]:
    """Attributes and methods that could be rebound; not what Python itself keeps in a class."""
    if isinstance(cls, enum.EnumMeta) or not cls.__flags__ & HEAP_TYPE:
        return
    for key, value in vars(cls).items():
        dunder = key.startswith("__") and not isinstance(value, types.FunctionType)
        if not dunder and not key.startswith("_abc") and not isinstance(value, types.MemberDescriptorType):
            yield attribute_slot(cls, key)


def codes(code: types.CodeType) -> Iterator[types.CodeType]:
    """The code object and all those nested in it."""
    yield code
    for const in code.co_consts:
        if isinstance(const, types.CodeType):
            yield from codes(const)


def children(value: Any) -> list[Any]:
    """What a value holds, as far as a program could change it."""
    if isinstance(value, dict):
        return [*value.keys(), *value.values()]
    if isinstance(value, tuple) and hasattr(value, "__dict__"):
        return [*value, *vars(value).values()]
    if isinstance(value, (list, tuple, set, frozenset)):
        return list(value)
    if isinstance(value, functools.partial):
        return [value.func, value.args, value.keywords]
    if isinstance(value, types.MethodType):
        return [value.__func__, value.__self__]
    if isinstance(value, (staticmethod, classmethod)):
        return [value.__func__]
    if isinstance(value, property):
        return [value.fget, value.fset, value.fdel]
    if isinstance(value, (types.ModuleType, type, types.FunctionType, np.ndarray, np.generic)) or _is_jax(value):
        return []
    held = list(vars(value).values()) if hasattr(value, "__dict__") else []
    for cls in type(value).__mro__:
        slots = vars(cls).get("__slots__", ())
        for name in (slots,) if isinstance(slots, str) else slots:
            if hasattr(value, name):
                held.append(getattr(value, name))
    return held


def walk(*roots: Any) -> Iterator[Any]:
    """Every object reachable from the roots through containers and attributes, once each."""
    seen: dict[int, Any] = {}
    todo = list(roots)
    while todo:
        value = todo.pop()
        if id(value) in seen:
            continue
        seen[id(value)] = value
        yield value
        todo.extend(children(value))


def capture(home: str, *roots: Any) -> list[Slot]:
    """The slots that code reachable from `roots` can read or write, in the module named `home`."""
    slots: list[Slot] = []
    known: set = set()
    todo = list(walk(*roots))

    def add(key, slot):
        if key not in known:
            known.add(key)
            slots.append(slot)
            todo.extend(walk(slot.get()))

    while todo:
        value = todo.pop()
        if isinstance(value, types.FunctionType) and hasattr(value, "rebinds"):
            namespace, name = value.rebinds
            add((id(namespace), name), item_slot(f"global {name}", namespace, name))
        f = getattr(value, "__wrapped__", None) if not isinstance(value, type) else None
        if f is not None and ("wrapped", id(value)) not in known:
            known.add(("wrapped", id(value)))
            todo.extend(walk(f))
        if isinstance(value, types.FunctionType) and value.__globals__.get("__name__") == home:
            if ("function", id(value)) in known:
                continue
            known.add(("function", id(value)))
            for slot in function_slots(value):
                add((id(value), slot.name), slot)
            for name in {name for code in codes(value.__code__) for name in code.co_names}:
                if name in value.__globals__ and not name.startswith("__"):
                    if not isinstance(value.__globals__[name], types.ModuleType):
                        add((id(value.__globals__), name), item_slot(f"global {name}", value.__globals__, name))
                elif _stores_global(value, name):
                    add((id(value.__globals__), name), item_slot(f"global {name}", value.__globals__, name))
        elif isinstance(value, type) and value.__module__ == home:
            if ("class", id(value)) in known:
                continue
            known.add(("class", id(value)))
            todo.extend(value.__mro__)
            for slot in class_slots(value):
                add((id(value), slot.name), slot)
        elif type(value).__module__ == home:
            todo.append(type(value))
    return slots


def _stores_global(f: types.FunctionType, name: str) -> bool:
    return any(
        i.opname in ("STORE_GLOBAL", "DELETE_GLOBAL") and i.argval == name
        for code in codes(f.__code__)
        for i in dis.get_instructions(code)
    )


def root_of(array: np.ndarray) -> np.ndarray:
    """The array that owns the memory."""
    while isinstance(array.base, np.ndarray | np.void):
        array = array.base
    return array


def _copy_array(array: np.ndarray, memo: dict, keep: list) -> np.ndarray:
    root = root_of(array)
    if not root.dtype.hasobject and (array is not root or id(root) not in memo):
        if id(root) not in memo:
            memo[id(root)] = root.copy(order="K").view(type(root))
            memo[id(root)].flags.writeable = root.flags.writeable
            keep.append(root)
        twin = memo[id(root)]
        if array is not root and root.strides == twin.strides:
            offset = array.__array_interface__["data"][0] - root.__array_interface__["data"][0]
            memo[id(array)] = _view(twin, array, offset)
        elif array is not root:
            memo[id(array)] = array.copy()
        if id(array) in memo:
            memo[id(array)].flags.writeable = array.flags.writeable
            keep.append(array)
    return memo.get(id(array), array)


def _view(twin: np.ndarray, array: np.ndarray, offset: int) -> np.ndarray:
    if array.size == 0:
        return array.copy()
    readonly = not twin.flags.writeable
    twin.flags.writeable = True
    memory = twin.ravel(order="K")  # as numpy.ndarray wants it; of an array without gaps that is a view
    view = np.ndarray(array.shape, array.dtype, memory, offset, array.strides).view(type(array))
    twin.flags.writeable = not readonly
    return view


def copy_together(value: Any) -> Any:
    """A deep copy in which aliases stay aliases, views stay views, and code, classes and modules stay themselves."""
    memo: dict[int, Any] = {}
    keep: list = []
    for held in walk(value):
        if isinstance(held, np.ndarray):
            _copy_array(held, memo, keep)
        elif isinstance(held, ATOMS) or _is_jax(held):
            memo[id(held)] = held
    return copy.deepcopy(value, memo)


def _is_jax(value: Any) -> bool:
    return type(value).__module__.startswith("jaxlib")
