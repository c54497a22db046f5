"""Calls: rules of the dispatch tables first; a Python function not found there is inlined from its bytecode."""

from __future__ import annotations

import functools
import operator
import sys
import types
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, TypeGuard

import jax
import numpy as np

from xlapy.dispatch import kinds, leaves, registry, unions
from xlapy.dispatch.argument_kinds import first_of, involved, require_static
from xlapy.dispatch.arrays import flat, memory_order
from xlapy.dispatch.bounded import growable_list_arrays  # noqa: F401
from xlapy.dispatch.containers import container_protocol, container_subclasses, listed_arguments  # noqa: F401
from xlapy.dispatch.iterators import combined, generator_consumers
from xlapy.dispatch.jax import custom_derivatives, device_placement, jax_functions
from xlapy.dispatch.numbers import mixed
from xlapy.dispatch.numbers.scalar_values import defines, lacks
from xlapy.dispatch.numpy import (
    argument_errors,
    c_signatures,
    flat_iterator,
    growable_list_stacking,  # noqa: F401
    integer_arguments,
    record_rules,
    rule_operands,
    ufuncs,
)
from xlapy.dispatch.protocol import NeedStatic, PythonError, Refused
from xlapy.dispatch.python import assignments, attributes, caches, exceptions, functools_module, namespaces, wrong_calls
from xlapy.dispatch.vectors import growable_list_items  # noqa: F401
from xlapy.domain.builtin_bases import base_of
from xlapy.domain.compiled_functions import owner_of
from xlapy.domain.exception_attributes import INITIALISED
from xlapy.domain.values import (
    NONE,
    BoundedArray,
    BoundMethod,
    Const,
    Function,
    Intrinsic,
    MixedScalar,
    NdArray,
    Ref,
    Tuple,
    Union,
    Value,
    alternatives,
    as_ref,
    is_none,
    references,
)
from xlapy.frontend import RAISE, RETURN, FrontendError, NoCall, Program, recursive, structured
from xlapy.interpreter import (
    call_memoisation,
    classes,
    describe,
    enumerations,
    fused_generator_calls,
    generators,
    interpreted_functions,
    merge,
    recursion,
    variables,
    walk,
)
from xlapy.interpreter.frame import Frame, call_path, handled_by, new_frame
from xlapy.interpreter.signature import Signature, bind

if TYPE_CHECKING:
    from xlapy.interpreter.machine import Machine

_MAXIMUM_DEPTH = 120
#: how often a function may call itself under conditions on data, each inside of the last
_MAXIMUM_DYNAMIC_DEPTH = 24
#: how often if the function can be a loop instead, and how often in all
_FEW, _MANY_CALLS = 5, 40


class Endless(Exception):
    """A recursion that data ends: to look for further obstacles would take for ever."""


def call(machine: Machine, function: Value, args: list[Value], kwargs: dict[str, Value]) -> Value:
    """`function(*args, **kwargs)`."""
    if type(function) is Const:
        if machine.catching and Ref in map(type, args):
            return _with_the_rest(machine, function, args, kwargs)
        return _call_object(machine, function, args, kwargs)
    match function:
        case BoundMethod():
            if isinstance(function.function, Intrinsic):
                values = (function.self, *args, *kwargs.values())
                if involved(*values) and isinstance(function.self, NdArray | BoundedArray):
                    return _method_of_dynamic(machine, function.function, values, args, kwargs)
                return _method(machine, function.function, [function.self, *args], kwargs)
            if isinstance(function.self, Union) and _differ_in_class(machine, function.self):
                # what one class inherits from another is not the same method for both: it asks for others of theirs
                return unions.over_unions(
                    machine, (function.self,), lambda one: call(machine, function.function, [one, *args], kwargs)
                )
            return call(machine, function.function, [function.self, *args], kwargs)
        case Function():
            return _call_function(machine, function, args, kwargs)
        case Intrinsic():
            return _rule(machine, function.name, function.rule, args, kwargs)
        case Union():
            return unions.over_unions(machine, (function,), lambda f: call(machine, f, args, kwargs))
        case Ref():
            real = machine.heap.objects[function.object].real
            if jax_functions.is_jitted_object(real):
                return jax_functions.call(machine, real, args, kwargs)
            method = attributes.find_special(machine, function, "__call__")
            if method is not None:
                return call(machine, method, args, kwargs)
        case Tuple():
            method = attributes.find_special(machine, function, "__call__")
            if method is not None:
                return call(machine, method, args, kwargs)
    return lacks(machine, machine.type_of(function), "__call__", "is not callable")


def _method_of_dynamic(
    machine: Machine, method: Intrinsic, values: Sequence[Value], args: list[Value], kwargs: dict[str, Value]
) -> Value:
    """A method of an array where the array or an argument has a dynamic length."""
    name = method.name.rpartition(".")[2]
    selected = registry.select_method(machine, np.ndarray, name, values)
    if selected is None:
        raise require_static(machine, first_of(values, {}), f"ndarray.{name}")
    return _rule(machine, f"ndarray.{name}", selected[0], [values[0], *args], kwargs, kind=selected[1])


def _with_the_rest(machine: Machine, function: Const, args: list[Value], kwargs: dict[str, Value]) -> Value:
    """A call inside a `try`, of what may complain of an item of an iterator that somebody goes on with: the items
    behind it are still to come."""
    consumer = generator_consumers.stopping(function.value)
    if consumer is None or not wrong_calls.fits(consumer, len(args), kwargs):
        return _call_object(machine, function, args, kwargs)
    if not any(_is_held_iterator(machine, a) for a in args):
        return _call_object(machine, function, args, kwargs)
    return _item_after_item(machine, consumer, args, kwargs, lambda: _call_object(machine, function, args, kwargs))


def _item_after_item(
    machine: Machine, consumer: types.FunctionType, args: list[Value], kwargs: dict[str, Value], at_once: Callable
) -> Value:
    """What `at_once()` gives; where that raises, what `consumer` does, which goes from item to item."""
    before, private = machine.save(), set(machine.private)
    try:
        result = at_once()
        if tuple(machine.pending) == before.pending:
            return result
    except PythonError:
        pass
    machine.rewind(before)
    machine.private.intersection_update(private)
    return _inline_object(machine, consumer, args, kwargs)


def _is_held_iterator(machine: Machine, value: Value) -> bool:
    """Whether a value is an iterator, and it or what it draws from is referred to by others."""
    if not isinstance(value, Ref):
        return False
    moved = combined.moved_with(machine, value)
    return any(moved.intersection(references(other)) for other in walk.loops.values_but_of(machine, moved))


def _method(machine: Machine, method: Intrinsic, args: list[Value], kwargs: dict[str, Value]) -> Value:
    """A method of a built-in class."""
    mark = machine.heap.next_identity
    name = method.name.rpartition(".")[2]
    ufunc = growable_list_arrays.ufunc_of(method, args[0])
    if ufunc is not None and any(growable_list_items.of(machine, a) is not None for a in args[1:]):
        given, kwargs = growable_list_arrays.as_arrays(machine, ufunc, args[1:], kwargs)
        args = [args[0], *given]
    real = integer_arguments.method_of(machine, args[0], name)
    if real is not None:
        args, kwargs = integer_arguments.checked(machine, real, args, kwargs)
    accepted = argument_errors.takes(machine, *_real_method(args, name), kwargs)
    if machine.catching and name == "update" and (consumer := _updater(machine, args)) is not None:
        at_once = functools.partial(_rule, machine, method.name, method.rule, args, kwargs)
        return _item_after_item(machine, consumer, args, kwargs, at_once)
    result = _rule(machine, method.name, method.rule, args, kwargs, accepted=accepted)
    if type(args[0]) is NdArray:
        return _noted(machine, mark, result, getattr(np.ndarray, name, None), args, kwargs)
    if type(args[0]) is Const and isinstance(args[0].value, np.ufunc):
        return _noted(machine, mark, result, getattr(args[0].value, name, None), args[1:], kwargs)
    return result


def _real_method(args: list[Value], name: str) -> tuple[Any, list[Value]]:
    """A method of NumPy's, and what it is called with."""
    if type(args[0]) is Const and isinstance(args[0].value, np.ufunc):
        return getattr(args[0].value, name, None), args[1:]
    return getattr(np.ndarray, name, None) if type(args[0]) is NdArray else None, args


def _updater(machine: Machine, args: list[Value]) -> types.FunctionType | None:
    """How a dict or set is updated item after item, of which one may be wrong."""
    if len(args) < 2 or isinstance(args[1], Union) or defines(machine, machine.type_of(args[1]), "keys"):
        return None
    consumer = generator_consumers.UPDATING.get(machine.type_of(args[0]))
    return consumer if consumer is None or wrong_calls.fits(consumer, len(args), ()) else None


def _noted(
    machine: Machine, mark: int, result: Value, function: Any, args: Sequence[Value], kwargs: dict[str, Value]
) -> Value:
    """What a function has given; arrays that were made since `mark` with a note of how they were made."""
    if function is not None and type(result) in (NdArray, Tuple):
        memory_order.note_maker(machine, mark, result, function, args, kwargs)
    return result


def _differ_in_class(machine: Machine, value: Union) -> bool:
    """Whether a value may be an object of one of several classes."""
    objects = machine.heap.objects
    return len({objects[v.object].cls for v in value.alternatives if isinstance(v, Ref)}) > 1


def _rule(
    machine: Machine,
    name: str,
    rule: registry.Rule,
    args: list[Value],
    kwargs: dict[str, Value],
    item: object = None,
    kind: registry.Kind | None = None,
    accepted: Any = None,
) -> Value:
    """Apply a dispatch rule, of `item` if it is one of a function, for a kind of arguments; unions among these are told
    apart first. A wrong call is a TypeError. `accepted` describes what NumPy gives for
    such arguments, if it takes them."""
    several = [a for a in ((*args, *kwargs.values()) if kwargs else args) if isinstance(a, Union)]
    if several and not _takes_them(machine, rule, args, several):
        return _told_apart(
            machine,
            args,
            kwargs,
            lambda a, k: (
                _rule(machine, name, rule, a, k, item, kind)
                if item is None
                else _call_object(machine, Const(item), a, k)
            ),
        )
    try:
        result = rule(machine, *args, **kwargs)
    except rule_operands.NoNumbers as failure:
        return _without_numbers(machine, item, args, kwargs, failure)
    except PythonError as error:
        if accepted is not None:
            argument_errors.refuse_difference(name, machine.type_of(error.value), error)
        raise
    except TypeError as error:
        wrong = _wrong(item, name, args, kwargs)
        if wrong is not None:
            return machine.reraise(wrong)
        if registry.unfit(error):
            if kind is not None and kind.missing is not None:
                raise kind.missing(machine, (*args, *kwargs.values()), f"{name} with such arguments") from error
            raise Refused("XP0011", f"{name}: these arguments are not supported ({_arguments(error)})") from error
        if leaves.of_jax(error):
            raise Refused("XP0011", f"{name}: {error}") from error
        if accepted is not None:
            argument_errors.refuse_difference(name, TypeError, error)
        raise
    except (ArithmeticError, LookupError, ValueError, NotImplementedError) as error:
        if leaves.of_jax(error):
            raise Refused("XP0011", f"{name}: {error}") from error
        if accepted is not None:
            argument_errors.refuse_difference(name, type(error), error)
        raise
    result = NONE if result is None else result
    if accepted is None and item is not None and kind is None:
        accepted = argument_errors.takes(machine, item, args, kwargs, is_data=True)
    return result if accepted is None else argument_errors.agreed(machine, name, accepted, result)


def _without_numbers(
    machine: Machine, item: object, args: list[Value], kwargs: dict[str, Value], failure: rule_operands.NoNumbers
) -> Value:
    """The exception of a function of NumPy's for an argument that is no array of numbers, None for example."""
    known = isinstance(item, np.ufunc) or getattr(item, "__module__", None) == "numpy"
    values = (*args, *kwargs.values())
    if not known or not callable(item) or any(isinstance(v, Const) and callable(v.value) for v in values):
        raise failure
    try:
        rule_operands.real_call(
            item,
            [rule_operands.skeleton(machine, v) for v in args],
            {name: rule_operands.skeleton(machine, v) for name, v in kwargs.items() if name != "out"},
        )
    except TypeError as error:  # what it says is about types
        return machine.reraise(error)
    except Exception:
        raise failure from None
    raise failure


def _takes_them(machine: Machine, rule, args: list[Value], several: Sequence[Value]) -> bool:
    """Whether a rule takes the unions among its arguments as they are."""
    if registry.accepts(rule, all(isinstance(a, MixedScalar) for a in several)):
        return True
    return (
        registry.puts_item(rule)
        and list(several) == args[-1:]
        and container_protocol.takes_choice(machine, args[0], args[-1])
    )


def _wrong(item: object, name: str, args: list[Value], kwargs: dict[str, Value]) -> TypeError | None:
    """What CPython raises if a call has a wrong number of arguments, or wrong names."""
    if item is not None:
        return wrong_calls.wrong_call(item, len(args), kwargs)
    return wrong_calls.wrong_method_call(name, len(args) - 1, kwargs)


def _substituted(
    machine: Machine, item: object, substitute: types.FunctionType, args: list[Value], kwargs: dict[str, Value]
) -> Value:
    """Inline what stands for a callable."""
    if not wrong_calls.fits(substitute, len(args), kwargs):
        wrong = wrong_calls.wrong_call(item, len(args), kwargs)
        if wrong is not None:
            return machine.reraise(wrong)
    return _inline_object(machine, substitute, args, kwargs)


def _told_apart(machine: Machine, args: list[Value], kwargs: dict[str, Value], then: Callable[..., Value]) -> Value:
    """`then(args, kwargs)` for each alternative of the unions among them."""
    count = len(args)

    def chosen(*values: Value) -> Value:
        def applied() -> Value:
            return then(list(values[:count]), dict(zip(kwargs, values[count:], strict=True)))

        # what the operation was told of are the unions: those that they stand for may have several contents, too
        result = unions.over_contents(machine, values, applied) if machine.heap.has_unions else None
        return applied() if result is None else result

    return unions.over_unions(machine, (*args, *kwargs.values()), chosen)


def _arguments(error: TypeError) -> str:
    return str(error).partition("() ")[2] or str(error)


class KnownCall(NamedTuple):
    """A call of a known object."""

    function: Const
    args: list[Value]
    kwargs: dict[str, Value]

    @property
    def item(self) -> Any:
        """The object."""
        return self.function.value

    @property
    def values(self) -> list[Value]:
        """All arguments."""
        return [*self.args, *self.kwargs.values()]


def _call_object(machine: Machine, function: Const, args: list[Value], kwargs: dict[str, Value]) -> Value:
    """A call of a known object: the first step that knows it."""
    item = function.value
    if interpreted_functions.is_plain(item) and not (machine.functions and id(item) in machine.functions):
        return _inline_object(machine, item, args, kwargs)
    if jax_functions.is_jitted_object(item):
        return jax_functions.call(machine, item, args, kwargs)
    if classes.folds(item):
        return classes.fold(machine, item, args, kwargs)
    args, kwargs = integer_arguments.checked(machine, item, *c_signatures.passed(item, args, kwargs))
    known = KnownCall(function, args, kwargs)
    for step in _STEPS:
        found = step(machine, known)
        if isinstance(found, KnownCall):
            known = found
        elif found is not None:
            return found
    if callable(item):
        name = getattr(item, "__qualname__", None) or repr(item)
        module = getattr(item, "__module__", None)
        raise Refused("XP0003", f"'{module + '.' if module else ''}{name}' is compiled code and has no rule")
    return machine.raise_(TypeError, f"'{type(item).__name__}' object is not callable")


def _of_the_program(machine: Machine, known: KnownCall) -> Value | None:
    """A function that the program has made, and that was kept as an object."""
    if type(known.item) is types.FunctionType and machine.functions and id(known.item) in machine.functions:
        return _call_function(machine, machine.functions[id(known.item)][1], known.args, known.kwargs)
    return None


def _of_object(machine: Machine, known: KnownCall) -> Value | None:
    """A special method of `object`."""
    if type(known.item) is types.WrapperDescriptorType and known.item.__objclass__ is object:
        return _descriptor(machine, known.item, known.args, known.kwargs)
    return None


def _of_the_frame(machine: Machine, known: KnownCall) -> Value | None:
    """What is about the function that calls it."""
    if known.item is super:
        return _super(machine, known.args)
    return variables.as_dict(machine) if known.item is locals and not known.args else None


def _with_numbers_of_several_types(machine: Machine, known: KnownCall) -> Value | KnownCall | None:
    """Arguments that are numbers of which data says the type."""
    item, args, kwargs = known.item, known.args, known.kwargs
    given = set(map(type, known.values))
    if type(item) is types.FunctionType or MixedScalar not in given:
        return None
    if BoundedArray in given:
        return _told_apart(machine, args, kwargs, lambda a, k: _call_object(machine, known.function, a, k))
    return None if kwargs else known._replace(args=mixed.arguments(machine, item, args))


def _with_containers(machine: Machine, known: KnownCall) -> Value | KnownCall | None:
    """Arguments that are lists, iterators or objects in the place of arrays."""
    item, args, kwargs = known.item, known.args, known.kwargs
    if type(item) is types.FunctionType or Ref not in set(map(type, known.values)):
        return None
    if any(flat.is_flat(machine, value) for value in known.values):
        args = [flat.consumed(machine, item, arg) for arg in args]
        args, kwargs = flat_iterator.arguments(machine, item, args, kwargs)
    args, kwargs = listed_arguments.arguments(machine, item, args, kwargs)
    known = known._replace(args=args, kwargs=kwargs)
    if any(growable_list_items.of(machine, a) is not None for a in known.values):
        joined = growable_list_stacking.joined_arrays(machine, item, args, kwargs)
        if joined is not None:
            return joined
        if growable_list_arrays.takes_arrays(item):
            given, named = growable_list_arrays.as_arrays(machine, item, args, kwargs)
            if [*given, *named.values()] != known.values:
                return _told_apart(machine, given, named, lambda a, k: _call_object(machine, known.function, a, k))
    consumer = generator_consumers.find(item, [generators.is_whole(machine, item, a) for a in args])
    if consumer is None:
        return known
    with fused_generator_calls.noted(machine, item, args, kwargs):
        return _substituted(machine, item, consumer, args, kwargs)


def _by_rule(machine: Machine, known: KnownCall) -> Value | None:
    """A rule for the object, or Python that stands for it."""
    item, args, kwargs = known.item, known.args, known.kwargs
    name = getattr(item, "__name__", str(item))
    accepted = argument_errors.takes(machine, item, args, kwargs)
    selected = registry.find(machine, item, args, kwargs)
    mark = machine.heap.next_identity
    if selected is not None:
        result = _rule(machine, name, selected[0], args, kwargs, item, selected[1])
        return result if involved(*args, *kwargs.values()) else _noted(machine, mark, result, item, args, kwargs)
    of_records = record_rules.implementation(machine, item, args, kwargs)
    if of_records is not None:
        return _substituted(machine, item, *of_records)
    rule = registry.find_function(item)
    substitute = registry.find_replacement(item) if rule is None else None
    if rule is not None:
        result = _rule(machine, name, rule, args, kwargs, item, accepted=accepted)
    elif substitute is not None:
        result = _substituted(machine, item, substitute, args, kwargs)
    elif isinstance(item, np.ufunc):
        of_ufunc = functools.partial(_ufunc, item)
        return _rule(machine, f"numpy.{item.__name__}", of_ufunc, args, kwargs, item, None, accepted)
    else:
        return None
    return _noted(machine, mark, result, item, args, kwargs)


def _of_classes(machine: Machine, known: KnownCall) -> Value | None:
    """A method, a class."""
    item = known.item
    if isinstance(item, types.MethodType):
        return _of_self(machine, known, Const(item.__func__))
    return _instantiate(machine, known.function, item, known.args, known.kwargs) if isinstance(item, type) else None


def _of_jax(machine: Machine, known: KnownCall) -> Value | None:
    """A function of JAX's, or one that JAX has wrapped."""
    item, args, kwargs = known.item, known.args, known.kwargs
    if isinstance(item, jax.custom_jvp | jax.custom_vjp):
        return custom_derivatives.call(machine, item, args, kwargs)
    if jax_functions.is_leaf(item):
        return jax_functions.call(machine, item, args, kwargs)
    mapped = device_placement.mapped(item)
    if mapped is None:
        return None
    parts = {name: machine.world.wrap_anchored(option) for name, option in mapped[1].items()}
    again = call(machine, Const(jax.shard_map), [machine.world.wrap_anchored(mapped[0])], parts)
    return call(machine, again, args, kwargs)


def _of_python(machine: Machine, known: KnownCall) -> Value | None:
    """A Python function, compiled by `xlapy.jit` or not."""
    item, args, kwargs = known.item, known.args, known.kwargs
    if not isinstance(item, types.FunctionType):
        return None
    if owner_of(item) is not None:
        return _compiled(machine, item, args, kwargs)
    if functools_module.is_single_dispatch(item):
        return functools_module.single_dispatch(machine, item, args, kwargs)
    interpreted_functions.note(item)
    return _inline_object(machine, item, args, kwargs)


def _of_the_standard_library(machine: Machine, known: KnownCall) -> Value | None:
    """What `functools` and `operator` make of functions and names."""
    item, args, kwargs = known.item, known.args, known.kwargs
    if isinstance(item, functools.partial):
        base = [machine.world.wrap_anchored(a) for a in item.args]
        named = container_protocol.entries(machine, machine.world.wrap_anchored(item.keywords))
        return call(machine, Const(item.func), functools_module.filled(machine, base, args), {**named, **kwargs})
    if isinstance(item, operator.itemgetter | operator.attrgetter | operator.methodcaller):
        kind, given = item.__reduce__()
        parts = [machine.world.wrap_anchored(part) for part in given]
        return call(machine, call(machine, Const(kind), parts, {}), args, kwargs)
    return caches.call_lasting(machine, item, args, kwargs) if isinstance(item, functools._lru_cache_wrapper) else None


def _of_objects(machine: Machine, known: KnownCall) -> Value | None:
    """An object whose class has `__call__`, a method of compiled code, or what is known of its source."""
    item, args, kwargs = known.item, known.args, known.kwargs
    method, owner = attributes.lookup(machine, type(item), "__call__")
    if isinstance(method, types.FunctionType) and owner is not None:
        return call(machine, machine.world.class_value(owner, "__call__"), [known.function, *args], kwargs)
    if isinstance(item, types.WrapperDescriptorType | types.MethodDescriptorType):
        return _descriptor(machine, item, args, kwargs)
    if isinstance(item, types.BuiltinMethodType | types.MethodWrapperType) and type(item.__self__) in _READABLE:
        receiver = machine.world.wrap_anchored(item.__self__)
        return call(machine, machine.getattr(receiver, item.__name__), args, kwargs)
    python = registry.find_source(item)
    return None if python is None else call(machine, machine.world.wrap_anchored(python), args, kwargs)


def _of_self(machine: Machine, known: KnownCall, function: Value) -> Value:
    """A function of the object that a known method is bound to."""
    receiver = machine.world.wrap_anchored(known.item.__self__)
    return call(machine, function, [receiver, *known.args], known.kwargs)


#: what is tried, in this order: each gives the result, the call with other arguments, or None
_STEPS: tuple[Callable[[Machine, KnownCall], Value | KnownCall | None], ...] = (
    _of_the_program,
    _of_object,
    _with_numbers_of_several_types,
    _of_the_frame,
    _with_containers,
    _by_rule,
    _of_classes,
    _of_jax,
    _of_python,
    _of_the_standard_library,
    _of_objects,
)

#: classes of constants whose methods may be called by way of what is kept of them
_READABLE = (frozenset, np.ufunc, types.MemberDescriptorType, types.GetSetDescriptorType)


def _compiled(machine: Machine, item: types.FunctionType, args: list[Value], kwargs: dict[str, Value]) -> Value:
    """A function made by `xlapy.jit`, called in a compiled one: what it was made from is inlined."""
    if owner_of(item).policy.narrow and not machine.builder.narrow:
        raise Refused(
            "XP0011",
            f"'{item.__qualname__}' is compiled with dtypes='32bit' and called where types are NumPy's",
            "compile the caller with dtypes='32bit', too",
        )
    return call(machine, Const(item.__dict__["__wrapped__"]), args, kwargs)


def _super(machine: Machine, args: list[Value]) -> Value:
    """`super(cls, self)`, or `super()`: the class is in the cell `__class__`, the object is the first argument."""
    if args:
        return Intrinsic("super", None, (args[0], args[1]))
    frame = machine.frame
    member = frame.member
    names = member.code.co_freevars
    if "__class__" not in names:
        return machine.raise_(RuntimeError, "super(): __class__ cell not found")
    cell = frame.registers[member.frees[names.index("__class__")]]
    self = frame.registers[member.first]
    if isinstance(self, Ref) and machine.heap.objects[self.object].kind == "cell":
        self = machine.heap.read(self.object, "value")
    return Intrinsic("super", None, (machine.heap.read(as_ref(cell).object, "value"), self))


def _ufunc(ufunc, machine, /, *args, **kwargs):
    return ufuncs.ufunc_rule(machine, ufunc, *args, **kwargs)


def _descriptor(machine: Machine, item, args: list[Value], kwargs: dict[str, Value]) -> Value:
    """An unbound method of a built-in type: `object.__setattr__(self, ...)`, `list.append(items, x)`."""
    owner, name = item.__objclass__, item.__name__
    if not args:
        return machine.raise_(TypeError, f"unbound method {owner.__name__}.{name}() needs an argument")
    receiver = args[0]
    inherited = container_subclasses.inherited(machine, item, receiver)
    if inherited is not None:
        return call(machine, inherited, args[1:], kwargs)
    if name == "__setattr__" and isinstance(receiver, Ref | Tuple):
        assignments.set_instance_attribute(machine, receiver, str(machine.static(args[1])), args[2])
        return NONE
    if name == "__getattribute__" and isinstance(receiver, Ref):
        return attributes.instance_attribute(machine, receiver, str(machine.static(args[1])), generic=True)
    if name == "__getattribute__":
        return machine.getattr(receiver, str(machine.static(args[1])))
    if name == "__delattr__" and isinstance(receiver, Ref | Tuple):
        assignments.delete_instance_attribute(machine, receiver, str(machine.static(args[1])))
        return NONE
    if name == "__init__":
        if issubclass(owner, BaseException) and isinstance(receiver, Ref):
            exceptions.check_made(owner, args[1:], kwargs)
            machine.heap.write(receiver.object, "args", Tuple(tuple(args[1:])))
        return NONE
    if name == "__call__" and owner is type:
        cls = machine.static(args[0])
        return _make_instance(machine, args[0], cls, args[1:], kwargs)
    if name in ("__eq__", "__ne__") and owner is object:
        same = machine.is_(args[0], args[1])
        return machine.boolean(same) if same is True else Const(NotImplemented)
    rule = registry.find_method(owner, name)
    if rule is not None:
        return _rule(machine, f"{owner.__name__}.{name}", rule, args, kwargs)
    raise Refused("XP0003", f"'{owner.__name__}.{name}' is compiled code and has no rule")


# -- classes ----------------------------------------------------------------------------------------------------------


def _instantiate(machine: Machine, value: Const, cls: type, args: list[Value], kwargs: dict[str, Value]) -> Value:
    """`cls(*args, **kwargs)`."""
    meta, owner = attributes.lookup(machine, type(cls), "__call__")
    if isinstance(meta, types.FunctionType) and owner is not None:
        if _is_enum(cls):
            member = enumerations.member(machine, cls, args[0]) if len(args) == 1 and not kwargs else None
            return member or attributes.plain(machine, _fold_call(machine, cls, args, kwargs))
        return call(machine, machine.world.class_value(owner, "__call__"), [value, *args], kwargs)
    return _make_instance(machine, value, cls, args, kwargs)


def _is_enum(cls: type) -> bool:
    metaclass: type = type(cls)
    return any(c.__module__ == "enum" for c in metaclass.__mro__)


def _fold_call(machine: Machine, function, args: list[Value], kwargs: dict[str, Value]) -> Any:
    known = [machine.static(a, "an argument") for a in args]
    named = {k: machine.static(v, "an argument") for k, v in kwargs.items()}
    try:
        return function(*known, **named)
    except Exception as error:
        return machine.reraise(error)


def _make_instance(machine: Machine, value: Value, cls: type, args: list[Value], kwargs: dict[str, Value]) -> Value:
    """`type.__call__`: `__new__`, then `__init__`."""
    new, holder = attributes.lookup(machine, cls, "__new__")
    if isinstance(new, staticmethod):
        new = new.__func__
    if isinstance(new, types.FunctionType) and holder is not None:
        made = call(machine, Const(new), [value, *args], kwargs)
    elif issubclass(cls, tuple):
        kinds.check_container(cls)
        made = namespaces.new_tuple(machine, machine.iterate(args[0]) if args else (), cls)
    elif issubclass(cls, BaseException):
        exceptions.check_made(cls, args, kwargs)
        made = machine.exception(cls, *args)
    elif (base := base_of(cls)) is not None and "__del__" not in vars(cls):
        made = container_subclasses.make(machine, cls, base)
    elif _plain_class(cls):
        if getattr(cls, "__abstractmethods__", None):
            return machine.reraise(_abstract_error(cls))
        made = Ref(machine.heap.new("instance", cls, machine.location()))
    else:
        raise Refused(
            "XP0003",
            f"objects of class '{cls.__module__}.{cls.__qualname__}' cannot be made in a program{_why(cls)}",
            _MADE_OUTSIDE,
        )
    takes_all = isinstance(new, types.FunctionType)
    if any(_is_of(v, machine, cls) for v in alternatives(made)):
        return unions.over_unions(machine, (made,), lambda v: _initialised(machine, v, cls, args, kwargs, takes_all))
    return made


def _is_of(made: Value, machine: Machine, cls: type) -> TypeGuard[Ref | Tuple]:
    return isinstance(made, Ref | Tuple) and issubclass(machine.type_of(made), cls)


def _initialised(
    machine: Machine, made: Value, cls: type, args: list[Value], kwargs: dict[str, Value], takes_all: bool
) -> Value:
    """What the `__new__` of a class gave, after the `__init__` of its own class, which may be a derived one.
    `takes_all` says that it was a `__new__` in Python."""
    if not _is_of(made, machine, cls):
        return made
    cls = machine.type_of(made)
    init, owner = attributes.lookup(machine, cls, "__init__")
    inherited = container_subclasses.inherited(machine, init, made)
    if inherited is not None:
        call(machine, inherited, args, kwargs)
    elif isinstance(init, types.FunctionType) and owner is not None:
        if isinstance(made, Ref) and issubclass(cls, BaseException):
            machine.heap.objects[made.object].details = INITIALISED
        result = call(machine, machine.world.class_value(owner, "__init__"), [made, *args], kwargs)
        if not is_none(result) and not isinstance(result, Union):
            name = kinds.shown(machine.type_of(result))
            machine.raise_(TypeError, f"__init__() should return None, not '{name}'")
    elif (args or kwargs) and owner is object and not takes_all and isinstance(made, Ref):
        if not issubclass(cls, BaseException):
            machine.raise_(TypeError, f"{cls.__name__}() takes no arguments")
    return made


#: what helps where a class is made in C
_MADE_OUTSIDE = "make it before the call, and pass what the function needs of it"


def _why(cls: type) -> str:
    base = next((c for c in cls.__mro__ if not c.__flags__ & (1 << 9) and c is not object), None)
    return f", since the class derives from {base.__name__}" if base not in (None, cls) else ""


@registry.function(object.__new__, BaseException.__new__)
def _new_object(machine: Machine, cls: Value, /, *args: Value, **kwargs: Value) -> Value:
    """`object.__new__(cls)`."""
    made = machine.static(cls)
    if issubclass(made, BaseException):
        exceptions.check_made(made, args, kwargs)
        return machine.exception(made, *args)
    if not _plain_class(made):
        what = f"objects of class '{made.__module__}.{made.__qualname__}' cannot be made in a program"
        raise Refused("XP0003", what, _MADE_OUTSIDE)
    if getattr(made, "__abstractmethods__", None):
        return machine.reraise(_abstract_error(made))
    return Ref(machine.heap.new("instance", made, machine.location()))


@registry.function(sys.exception)
def _exception(machine: Machine) -> Value:
    """`sys.exception()`: what is being handled."""
    machine.heap.untold += 1
    return handled_by(machine.frames)


@registry.function(sys.exc_info)
def _exc_info(machine: Machine) -> Value:
    """`sys.exc_info()`: without a traceback."""
    handled = _exception(machine)
    if is_none(handled):
        return Tuple((NONE, NONE, NONE))
    return Tuple((Const(machine.type_of(handled)), handled, NONE))


@registry.function(tuple.__new__)
def _new_tuple(machine: Machine, cls: Value, items: Value | None = None) -> Value:
    """`tuple.__new__(cls, items)`, which named tuples are made with."""
    return namespaces.new_tuple(machine, machine.iterate(items) if items is not None else (), machine.static(cls))


def _plain_class(cls: type) -> bool:
    """Whether instances hold nothing but attributes: no base made in C but `object`, and no finaliser, which CPython
    would call when the last reference goes."""
    for owner in cls.__mro__[:-1]:
        if isinstance(owner.__dict__.get("__new__"), types.BuiltinFunctionType) or "__del__" in owner.__dict__:
            return False
    return (
        all(
            c is object
            or c.__flags__ & (1 << 9)
            or c.__module__ in ("typing", "abc", "collections.abc", "_collections_abc")
            for c in cls.__mro__
        )
        and cls.__basicsize__ < 4096
        and cls is not object
        or cls is object
    )


def _abstract_error(cls: type) -> BaseException:
    try:
        object.__new__(cls)
    except TypeError as error:
        return error
    raise AssertionError(cls)


# -- Python functions -------------------------------------------------------------------------------------------------


def _inline_object(machine: Machine, item: types.FunctionType, args: list[Value], kwargs: dict[str, Value]) -> Value:
    """Inline a real function object."""
    key = call_memoisation.key_of(item, args, kwargs)
    if key is None or machine.entering is not None:
        return _inline(machine, item, args, kwargs)
    known = machine.memory.recall(machine, key)
    if known is not None:
        return known
    mark = call_memoisation.Mark(machine)
    try:
        result = _inline(machine, item, args, kwargs)
        machine.memory.keep(machine, key, mark, result, (Const(item), *args, *kwargs.values()))
    finally:
        mark.leave(machine)
    return result


def _inline(machine: Machine, item: types.FunctionType, args: list[Value], kwargs: dict[str, Value]) -> Value:
    world = machine.world
    signature = world.signature(item)
    frame = frame_of(machine, item.__code__, world.globals_of(item.__globals__))
    bound = bind(machine, item.__qualname__, signature, args, kwargs)
    cells = world.cells(item)
    return run_frame(machine, frame, bound, cells)


def _call_function(machine: Machine, function: Function, args: list[Value], kwargs: dict[str, Value]) -> Value:
    """Inline a function made inside the program."""
    code: types.CodeType = function.code
    signature = Signature(code, function.defaults, function.kwdefaults)
    frame = frame_of(machine, code, function.globals.object)
    bound = bind(machine, code.co_qualname, signature, args, kwargs)
    return run_frame(machine, frame, bound, list(function.closure))


def frame_of(machine: Machine, code: types.CodeType, globals_: int) -> Frame:
    """A new frame for a call of a function, or the one that a recursive call goes back to."""
    if machine.facts.recursions:
        if recursion.enters(machine, code):
            return _new_frame(machine, code, globals_, lambda: structured(code))
        known = machine.facts.recursions.get(code)
        peels = known is not None and machine.facts.peels_recursions
        if peels and all(f.program.code is not code for f in machine.frames):
            frame = _new_frame(machine, code, globals_, lambda: structured(code))
            frame.peeled = True
            return frame
        if known is not None:
            return _new_frame(machine, code, globals_, lambda: recursive(code, known))
    same = [f.region_depth for f in machine.frames if f.program.code is code]
    depth = min(len(same), len(set(same)))
    many = depth > _MAXIMUM_DYNAMIC_DEPTH
    endless = len(same) > _MAXIMUM_DEPTH or len(machine.frames) > 400
    often = False
    if same and not machine.facts.unrolls_recursions:
        machine.calls_of_itself[code] = count = machine.calls_of_itself.get(code, 0) + 1
        often = count > _MANY_CALLS
    if not machine.facts.unrolls_recursions and (depth > _FEW or often or endless):
        first = next(index for index, frame in enumerate(machine.frames) if frame.program.code is code)
        need = recursion.loop_around(machine, first, code)
        if need is not None:
            raise need
    if not many and not endless:
        return _new_frame(machine, code, globals_, lambda: structured(code))
    name = describe.name_of(code, machine.frames)
    # Integers among the inputs may decide how deep it goes: on the way that they take it may end.
    for condition in reversed(machine.conditions):
        if machine.settles(condition):
            raise NeedStatic(condition, f"how often '{name}' calls itself")
    if many:
        raise Endless(f"'{name}' calls itself, and how often depends on data")
    raise Refused(
        "XP0008",
        f"'{name}' calls itself more than {_MAXIMUM_DEPTH} times, or its depth depends on data",
        "write the recursion as a loop",
    )


def _new_frame(machine: Machine, code: types.CodeType, globals_: int, program_of: Callable[[], Program]) -> Frame:
    try:
        program = program_of()
    except NoCall as error:
        message = f"'{code.co_qualname}' calls itself by way of '{error.code.co_qualname}', as often as data says"
        raise Refused("XP0008", message) from error
    except FrontendError as error:
        raise Refused("XP0014", str(error)) from error
    if machine.frames:
        caller = machine.frames[-1]
        path = call_path(caller)
        frame = new_frame(program, globals_, path, caller.location())
        frame.region_depth = machine.builder.region.depth
        return frame
    return new_frame(program, globals_, (), None)


def run_frame(machine: Machine, frame: Frame, bound: list[Value], cells: list[Value]) -> Value:
    """Run a frame whose arguments are bound; the value it returns."""
    entering, machine.entering = machine.entering, None
    if entering is not None and entering.program.member(frame.program.code) is not None:
        raise recursion.Entered(frame, bound, cells)
    frame.registers[: len(bound)] = bound
    for register, cell in zip(frame.program.frees, cells, strict=True):
        frame.registers[register] = cell
    if frame.program.is_generator:
        return machine.generator(frame)
    if "locals" in frame.program.code.co_names:
        frame.variables = machine.new_dict({})
    machine.frames.append(frame)
    before, machine.before = machine.before, None
    try:
        machine.run(frame)
    except Exception as error:
        # where the innermost frame was, for messages
        error.__dict__.setdefault("location", frame.location())
        raise
    finally:
        machine.frames.pop()
    if before is not None:
        # what the function has changed stays, also where the operation that has called it raises
        machine.before = walk.Before(machine)
    if frame.not_gone_on:
        recursion.check_all_go_on(frame)
    tag = frame.tag
    if tag is None:
        raise walk.Poison
    if tag.label == RETURN:
        return frame.registers[frame.program.return_register]
    if tag.label == RAISE:
        raise PythonError(frame.registers[frame.exception_register], frame)
    assert tag.labels == {RETURN, RAISE}, tag
    raised = machine.builder.elementwise("eq", tag.selector, machine.builder.constant(RAISE, merge.TAG_TYPE.dtype))
    outermost = not machine.frames
    if outermost:
        machine.frames.append(frame)
    machine.may_raise(raised, frame.registers[frame.exception_register])
    if outermost:
        machine.frames.pop()
    return frame.registers[frame.program.return_register]
