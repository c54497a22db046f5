"""The method tables: what each callable, method, attribute and operator means for abstract arguments.

Rules are registered by decorators and found by the callable and the kinds of its arguments. A callable is found by
identity, or by its class; a method, attribute or operator of a built-in type through the method resolution order. A
kind is a property of abstract values that rules have to know of, such as that an array has a length which depends on
data: of the rules of a callable, the one for the most specific kind among the arguments is applied, whatever was
imported first.

    @function(np.sum)              rule(machine, *args, **kwargs)
    @function(np.sum, kind=K)      where one of the arguments is of kind K
    @function(np.sum, kind=ANY)    of ordinary values and of all kinds that have no rule of their own
    @of_class(np.ufunc, kind=K)    rule(item, machine, *args, **kwargs), for every ufunc
    @otherwise(K)                  finds the rule of a callable that has none for K: find(machine, item, args)
    @method(np.ndarray, "sum")     rule(machine, self, *args, **kwargs)
    @attribute(np.ndarray, "T")    rule(machine, self)
    @operator(np.ndarray)          rule(machine, symbol, left, right), None for NotImplemented
    @replacement(np.piecewise)     an implementation in plain Python, interpreted like any callee
    @replacement_of(Dispatcher)    the same for all callables of a class: finds the implementation
    @source_of(Dispatcher)         the Python function that a compiled one was made of
"""

from __future__ import annotations

import types
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache, partial
from typing import Any, TypeVar

from xlapy.domain.values import Const
from xlapy.library.replacement import find_replacement as find_replacement
from xlapy.library.replacement import replacement as replacement
from xlapy.library.replacement import replacement_of as replacement_of

Rule = Callable[..., Any]
R = TypeVar("R", bound=Rule)


class Kind:
    """A property of abstract values by which rules are chosen: to be of one of some `classes`, and to pass a `test`, if
    there is one: `test(machine, value)`. A kind that is part of another one, `wider`, is more specific.
    `missing(machine, values, what)` is the exception for values among which is one of this kind, where there is no rule
    for `what`."""

    def __init__(
        self,
        name: str,
        *classes: type,
        test: Callable[[Any, Any], bool] | None = None,
        wider: Kind | None = None,
        missing: Callable[[Any, Sequence[Any], str], Exception] | None = None,
    ) -> None:
        self.name, self.test, self.wider = name, test, wider
        self.missing = wider.missing if missing is None and wider is not None else missing
        self.classes = frozenset(classes or (wider.classes if wider is not None else ()))
        self.depth: int = 0 if wider is None else wider.depth + 1

    def __repr__(self) -> str:
        return self.name

    def has(self, machine: Any, value: object) -> bool:
        """Whether a value is of this kind."""
        if type(value) not in self.classes or self.wider is not None and not self.wider.has(machine, value):
            return False
        return self.test is None or self.test(machine, value)


#: values of every kind
ANY = Kind("any value")
#: the rules of a callable, by the kind that one of the arguments has to be of, the most specific first; those for
#: ordinary values are at None
Rules = Mapping[Kind | None, Rule]
_NONE: Rules = {}

FUNCTIONS: dict[int, tuple[object, Rules]] = {}
CLASSES: dict[type, Rules] = {}
METHODS: dict[tuple[type, str], Rules] = {}
ATTRIBUTES: dict[tuple[type, str], Rules] = {}
OPERATORS: dict[type, Rule] = {}
SOURCES: dict[type, Callable] = {}
_OTHERWISE: dict[Kind | None, Rule] = {}
#: the classes of values that are of some kind
_SELECTING: set[type] = set()


def _with_rule(rules: Rules, kind: Kind | None, rule: Rule) -> Rules:
    """`rules` and one more, in the order in which kinds are asked for."""
    if kind is not None:
        assert kind not in rules, f"two rules for {kind}: {rules[kind]}, {rule}"
        _SELECTING.update(kind.classes)
    every = {**rules, kind: rule}
    rank = lambda kind: (kind is None or kind is ANY, -kind.depth if kind is not None else 0)  # noqa: E731
    return {kind: every[kind] for kind in sorted(every, key=rank)}


def function(*callables: object, kind: Kind | None = None) -> Callable[[R], R]:
    """Register a rule for callables, found by identity, where one of the arguments is of a kind."""

    def register(rule: R) -> R:
        for item in callables:
            FUNCTIONS[id(item)] = (item, _with_rule(FUNCTIONS.get(id(item), (item, _NONE))[1], kind, rule))
        return rule

    return register


def of_class(*classes: type, kind: Kind | None = None) -> Callable[[R], R]:
    """Register a rule for all callables of a class, which are its first argument."""

    def register(rule: R) -> R:
        for cls in classes:
            CLASSES[cls] = _with_rule(CLASSES.get(cls, _NONE), kind, rule)
        return rule

    return register


def otherwise(kind: Kind) -> Callable[[R], R]:
    """Register what is asked about callables that have no rule for a kind: `find(machine, item, args)` gives one, or
    None if the one for ordinary values is right, and raises if it is wrong."""

    def register(find: R) -> R:
        _OTHERWISE[kind] = find
        _SELECTING.update(kind.classes)
        return find

    return register


def overload(item: object, rule: Rule) -> None:
    """Let a rule stand for a callable, whatever its arguments are, in place of all others."""
    FUNCTIONS[id(item)] = (item, {ANY: rule})


def method(cls: type, *names: str, kind: Kind | None = None) -> Callable[[R], R]:
    """Register a rule for methods of a built-in type, where the object or an argument is of a kind."""

    def register(rule: R) -> R:
        for name in names:
            METHODS[(cls, name)] = _with_rule(METHODS.get((cls, name), _NONE), kind, rule)
        _forget()
        return rule

    return register


def attribute(cls: type, *names: str, kind: Kind | None = None) -> Callable[[R], R]:
    """Register a rule for data attributes of a built-in type, where the object is of a kind."""

    def register(rule: R) -> R:
        for name in names:
            ATTRIBUTES[(cls, name)] = _with_rule(ATTRIBUTES.get((cls, name), _NONE), kind, rule)
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


def find(machine: Any, item: object, args: Sequence[object], kwargs: Mapping[str, object]) -> tuple[Rule, Kind] | None:
    """The rule of a callable for the most specific kind that one of the arguments is of, and this kind; None if all
    arguments are ordinary values."""
    values = (*args, *kwargs.values()) if kwargs else args
    if _SELECTING.isdisjoint(map(type, values)):
        return None
    entry = FUNCTIONS.get(id(item))
    if entry is not None and (found := _selected(machine, entry[1], values)) is not None:
        return found
    of_class = CLASSES.get(type(item))
    if of_class is not None and (found := _selected(machine, of_class, values)) is not None:
        return partial(found[0], item), found[1]
    if entry is not None and ANY in entry[1]:
        return None
    asked = _selected(machine, _OTHERWISE, values)
    if asked is None:
        return None
    rule = asked[0](machine, item, values)
    return None if rule is None else (rule, asked[1])


def _selected(machine: Any, rules: Rules, values: Sequence[object]) -> tuple[Rule, Kind] | None:
    """The first of the rules that is for a kind which one of the values is of."""
    for kind, rule in rules.items():
        if kind is not None and any(type(v) in kind.classes and kind.has(machine, v) for v in values):
            return rule, kind
    return None


def _copied(function: Any) -> types.FunctionType:
    """The same function in Python, for which no rule will be found."""
    copy = types.FunctionType(*(getattr(function, f"__{name}__") for name in _PARTS))
    copy.__kwdefaults__ = function.__kwdefaults__
    return copy


_PARTS = ("code", "globals", "name", "defaults", "closure")


def _interpreted(implementation: Const, machine: Any, /, *args: Any, **kwargs: Any) -> Any:
    return machine.call(implementation, args, kwargs)


def passed_to(item: object, kind: Kind | None, /, *args: object, **kwargs: object) -> Any:
    """What the rule of a callable for a wider kind gives, called by the one for a more specific kind."""
    return passed_on(function_rule(item, kind), *args, **kwargs)


def function_rule(item: object, kind: Kind | None = None) -> Rule:
    """The rule of a callable for ordinary values or for a kind. One without a rule is interpreted: then the rule calls
    its implementation in Python."""
    entry = FUNCTIONS.get(id(item))
    if entry is None:
        return partial(_interpreted, Const(find_replacement(item) or _copied(item)))
    rule = _rule_of(entry[1], kind)
    assert rule is not None, item
    return rule


def find_function(item: object) -> Rule | None:
    """The rule of a callable for ordinary values, if there is one."""
    entry = FUNCTIONS.get(id(item))
    return None if entry is None else _rule_of(entry[1])


def method_rule(cls: type, name: str, kind: Kind | None = None) -> Rule:
    """The rule of a method that has one, along the method resolution order."""
    rule = find_method(cls, name, kind)
    assert rule is not None, name
    return rule


@lru_cache(maxsize=10_000)
def find_method(cls: type, name: str, kind: Kind | None = None) -> Rule | None:
    """The rule of a method for ordinary values or for a kind, along the method resolution order."""
    return _rule_of(next((METHODS[(c, name)] for c in cls.__mro__ if (c, name) in METHODS), _NONE), kind)


def select_method(machine: Any, cls: type, name: str, values: Sequence[object]) -> tuple[Rule, Kind] | None:
    """The rule of a method for the most specific kind that one of `values`, the object and the arguments, is of."""
    return _selected(machine, next((METHODS[(c, name)] for c in cls.__mro__ if (c, name) in METHODS), _NONE), values)


@lru_cache(maxsize=10_000)
def find_attribute(cls: type, name: str, kind: Kind | None = None) -> Rule | None:
    """The rule of a data attribute for ordinary values or for a kind, along the method resolution order."""
    return _rule_of(next((ATTRIBUTES[(c, name)] for c in cls.__mro__ if (c, name) in ATTRIBUTES), _NONE), kind)


def _rule_of(rules: Rules, kind: Kind | None = None) -> Rule | None:
    rule = rules.get(kind)
    return rules.get(ANY) if rule is None else rule


@lru_cache(maxsize=10_000)
def find_operator(cls: type) -> Rule | None:
    """The operators of a built-in type, along the method resolution order."""
    return next((OPERATORS[c] for c in cls.__mro__ if c in OPERATORS), None)


def _forget() -> None:
    """A rule is new: look everything up again."""
    for find in (find_method, find_attribute, find_operator):
        find.cache_clear()
