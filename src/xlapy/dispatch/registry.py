"""The method tables: what each callable, method, attribute and operator means for abstract arguments.

Rules are registered by decorators and found as Python finds methods: by identity for functions, through the method
resolution order for methods, attributes and operators of built-in types.

    @function(np.sum)              rule(machine, *args, **kwargs)
    @method(np.ndarray, "sum")     rule(machine, self, *args, **kwargs)
    @attribute(np.ndarray, "T")    rule(machine, self)
    @operator(np.ndarray)          rule(machine, symbol, left, right), None for NotImplemented
    @replacement(np.piecewise)     an implementation in plain Python, interpreted like any callee
    @replacement_of(Dispatcher)    the same for all callables of a class: finds the implementation
    @source_of(Dispatcher)         the Python function that a compiled one was made of
"""

from __future__ import annotations

import types
from collections.abc import Callable
from functools import lru_cache, partial
from typing import Any, TypeVar

from xlapy.domain.values import Const
from xlapy.library.replacement import find_replacement as find_replacement
from xlapy.library.replacement import replacement as replacement
from xlapy.library.replacement import replacement_of as replacement_of

Rule = Callable[..., Any]
R = TypeVar("R", bound=Rule)

FUNCTIONS: dict[int, tuple[object, Rule]] = {}
METHODS: dict[tuple[type, str], Rule] = {}
ATTRIBUTES: dict[tuple[type, str], Rule] = {}
OPERATORS: dict[type, Rule] = {}
SOURCES: dict[type, Callable] = {}


def function(*callables: object) -> Callable[[R], R]:
    """Register a rule for callables, found by identity."""

    def register(rule: R) -> R:
        for item in callables:
            FUNCTIONS[id(item)] = (item, rule)
        return rule

    return register


def method(cls: type, *names: str) -> Callable[[R], R]:
    """Register a rule for methods of a built-in type."""

    def register(rule: R) -> R:
        for name in names:
            METHODS[(cls, name)] = rule
        _forget()
        return rule

    return register


def attribute(cls: type, *names: str) -> Callable[[R], R]:
    """Register a rule for data attributes of a built-in type."""

    def register(rule: R) -> R:
        for name in names:
            ATTRIBUTES[(cls, name)] = rule
        _forget()
        return rule

    return register


def operator(*classes: type) -> Callable[[R], R]:
    """Register the operators of built-in types: symbols as in Python source, comparisons and `in` among them."""

    def register(rule: R) -> R:
        for cls in classes:
            OPERATORS[cls] = rule
        _forget()
        return rule

    return register


def source_of(cls: type) -> Callable[[R], R]:
    """Register what finds the Python function that an object of a class was compiled from, which is interpreted in its
    place: `source_of(compiled)`."""

    def register(find: R) -> R:
        SOURCES[cls] = find
        return find

    return register


def find_source(compiled: object) -> Callable | None:
    """The Python function that stands for a compiled one, if it does."""
    found = next((SOURCES[c] for c in type(compiled).__mro__ if c in SOURCES), None) if SOURCES else None
    return None if found is None else found(compiled)


def takes_mixed(rule: R) -> R:
    """Mark a rule that takes numbers which are Python's or NumPy's, depending on data, as they are."""
    rule.accepts_mixed = True
    return rule


def takes_unions(rule: R) -> R:
    """Mark a rule that takes values which are one of several as they are."""
    rule.accepts_unions = True
    return rule


def puts(rule: R) -> R:
    """Mark a method of lists that puts its last argument, which it does not look at, into the list."""
    rule.puts_item = True
    return rule


def puts_item(rule: Rule) -> bool:
    """Whether a rule is marked so."""
    return getattr(rule, "puts_item", False)


def accepts(rule: Rule, only_mixed: bool) -> bool:
    """Whether a rule takes unions as they are; `only_mixed`: all of them are mixed numbers."""
    return getattr(rule, "accepts_unions", False) or only_mixed and getattr(rule, "accepts_mixed", False)


class Unfit(TypeError):
    """A rule to which another one passed its arguments on has no such parameters."""


def unfit(error: TypeError) -> bool:
    """Whether the caller's call of a rule failed since the rule has no such parameters, not in the rule."""
    if isinstance(error, Unfit):
        return True
    return error.__traceback__ is not None and error.__traceback__.tb_next is None


def passed_on(rule: Rule, *args: object, **kwargs: object) -> Any:
    """`rule(*args, **kwargs)`, called by another rule that has taken its arguments as they came."""
    try:
        return rule(*args, **kwargs)
    except TypeError as error:
        if unfit(error):
            raise Unfit(*error.args) from error
        raise


def find_function(item: object) -> Rule | None:
    """The rule of a callable, if there is one."""
    entry = FUNCTIONS.get(id(item))
    return entry[1] if entry is not None else None


def function_rule(item: object) -> Rule:
    """The rule of a callable that has one, or is interpreted: then the rule calls its implementation in Python."""
    entry = FUNCTIONS.get(id(item))
    return entry[1] if entry is not None else partial(_interpreted, Const(find_replacement(item) or _copied(item)))


def _copied(function: Any) -> types.FunctionType:
    """The same function in Python, for which no rule will be found."""
    copy = types.FunctionType(*(getattr(function, f"__{name}__") for name in _PARTS))
    copy.__kwdefaults__ = function.__kwdefaults__
    return copy


_PARTS = ("code", "globals", "name", "defaults", "closure")


def _interpreted(implementation: Const, machine: Any, /, *args: Any, **kwargs: Any) -> Any:
    return machine.call(implementation, args, kwargs)


def method_rule(cls: type, name: str) -> Rule:
    """The rule of a method that has one, along the method resolution order."""
    return next(METHODS[(c, name)] for c in cls.__mro__ if (c, name) in METHODS)


@lru_cache(maxsize=10_000)
def find_method(cls: type, name: str) -> Rule | None:
    """The rule of a method, along the method resolution order."""
    return next((METHODS[(c, name)] for c in cls.__mro__ if (c, name) in METHODS), None)


@lru_cache(maxsize=10_000)
def find_attribute(cls: type, name: str) -> Rule | None:
    """The rule of a data attribute, along the method resolution order."""
    return next((ATTRIBUTES[(c, name)] for c in cls.__mro__ if (c, name) in ATTRIBUTES), None)


@lru_cache(maxsize=10_000)
def find_operator(cls: type) -> Rule | None:
    """The operators of a built-in type, along the method resolution order."""
    return next((OPERATORS[c] for c in cls.__mro__ if c in OPERATORS), None)


def _forget() -> None:
    """A rule is new: look everything up again."""
    for find in (find_method, find_attribute, find_operator):
        find.cache_clear()
