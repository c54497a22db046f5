"""One call of what Python itself has: built-in functions, methods of containers and numbers, modules of mathematics."""

from __future__ import annotations

import bisect
import builtins
import cmath
import collections
import copy
import functools
import heapq
import itertools
import math
import operator
import statistics
import string
import types
from collections.abc import Callable
from typing import Any

from tests.conformance.calls import OPERATORS, SYMBOLS, Checker

_MODULES = (math, cmath, statistics, itertools, functools, operator, heapq, bisect, collections, string, copy, builtins)
_NUMBERS = (bool, int, float, complex)
_CONTAINERS = (list, tuple, dict, set, frozenset, collections.deque, collections.Counter, collections.OrderedDict)
#: what is about the interpreter, the host or addresses, or looks for names
_NOT_COMPARED = frozenset(
    "__build_class__ __import__ aiter anext breakpoint callable classmethod compile delattr dir eval exec exit getattr"
    " globals hasattr hash help id input issubclass iter locals memoryview next object open print property quit setattr"
    " staticmethod super type vars wraps lru_cache cache update_wrapper total_ordering singledispatch cached_property"
    " singledispatchmethod namedtuple Decimal Fraction cmp_to_key count cycle tee"
    " __sizeof__ __reduce__ __reduce_ex__ __hash__ __init__ __iter__"
    " partial partialmethod attrgetter itemgetter methodcaller __class_getitem__ __getattribute__ __length_hint__"
    " __reversed__ __dir__ __new__ __repr__ __str__ __format__ __init_subclass__ __subclasshook__ groupby".split()
)
_PUBLIC = {
    id(item): f"{module.__name__}.{name}"
    for module in _MODULES
    for name, item in vars(module).items()
    if callable(item) and not name.startswith("_") and name not in _NOT_COMPARED
    if not (isinstance(item, type) and issubclass(item, BaseException))
}
#: what gives iterators, of which the items are compared
_ITERATORS = {*(id(i) for n, i in vars(itertools).items() if n not in _NOT_COMPARED), *map(id, (map, zip, enumerate))}
_ITERATORS |= {id(reversed), id(filter), id(heapq.merge)}
_VIEWS = ("keys", "values", "items", "elements")


class PythonChecker(Checker):
    """What rewritten modules of CPython's own tests call."""

    def call(self, function: Any, /, *args: Any, **kwargs: Any) -> Any:
        """`function(*args, **kwargs)`."""
        name = _PUBLIC.get(id(function))
        if name is None or (function is itertools.repeat and len(args) + len(kwargs) < 2):
            return function(*args, **kwargs)
        text = "return list(f({rest}))" if id(function) in _ITERATORS else "return f({rest})"
        return self._checked(name, text, {"f": function}, args, kwargs, function)

    def method(self, owner: Any, name: str, /, *args: Any, **kwargs: Any) -> Any:
        """`owner.name(*args, **kwargs)`."""
        if name.startswith("assertRaises") and len(args) > 1:
            return getattr(owner, name)(args[0], functools.partial(self.call, args[1]), *args[2:], **kwargs)
        function = getattr(owner, name)
        if isinstance(owner, types.ModuleType):
            return self.call(function, *args, **kwargs)
        if type(owner) not in (*_NUMBERS, *_CONTAINERS, str, bytes, range) or name in _NOT_COMPARED:
            return self.call(function, *args, **kwargs)
        text = f"return {{0}}.{name}({{rest}})" if name not in _VIEWS else f"return list({{0}}.{name}({{rest}}))"

        def plain(owner: Any, *args: Any, **kwargs: Any) -> Any:
            return getattr(owner, name)(*args, **kwargs)

        return self._checked(f"{type(owner).__name__}.{name}", text, {}, (owner, *args), kwargs, plain, skip=1)

    def operator(self, name: str, /, *operands: Any) -> Any:
        """An operator."""
        text = f"{SYMBOLS[name]}{{}}" if len(operands) == 1 else f"{{}} {SYMBOLS[name]} {{}}"
        return self._checked(f"operator {SYMBOLS[name]}", f"return {text}", {}, operands, {}, OPERATORS[name])

    def item(self, owner: Any, key: Any) -> Any:
        """`owner[key]`."""
        return self._checked("subscript", "return {}[{}]", {}, (owner, key), {}, operator.getitem)

    def set_item(self, owner: Any, key: Any, value: Any) -> None:
        """`owner[key] = value`."""
        self._checked("assignment", "{}[{}] = {}", {}, (owner, key, value), {}, operator.setitem)

    def attribute(self, owner: Any, name: str) -> Any:
        """`owner.name`."""
        return getattr(owner, name)

    def _is_compared(self, args: tuple, kwargs: dict) -> bool:
        return all(map(_is_plain, (*args, *kwargs.values())))

    def _is_dynamic(self, value: Any) -> bool:
        return type(value) in (*_NUMBERS, *_CONTAINERS)

    def _copied(self, values: list) -> list:
        return copy.deepcopy(values)

    def _result(self, plain: Callable, text: str, value: Any, args: tuple, kwargs: dict) -> Any:
        return plain(*args, **kwargs) if text.startswith("return list(") else value


def _is_plain(value: Any, depth: int = 0) -> bool:
    kind = type(value)
    if kind in _NUMBERS:
        return kind is not int or abs(value) < 2**63
    if value is None or kind in (range, types.BuiltinFunctionType) or value in (Ellipsis, NotImplemented):
        return True
    if kind in (str, bytes):
        return len(value) <= 200
    if kind is slice:
        return all(type(v) in (int, types.NoneType, float) for v in (value.start, value.stop, value.step))
    if kind is types.FunctionType:
        return not depth and not value.__closure__
    if kind is type:
        return not depth and value.__module__ == "builtins"
    if kind not in _CONTAINERS or len(value) > 100 or depth > 4:
        return False
    items = [*value, *value.values()] if isinstance(value, dict) else value
    return all(_is_plain(item, depth + 1) for item in items)


__all__ = ["PythonChecker"]
