"""`exec(text, namespace)` of known text that defines functions, as libraries write functions to given signatures."""

from __future__ import annotations

import ast
import builtins
import symtable
import types
from typing import Any

from xlapy.dispatch import registry
from xlapy.dispatch.protocol import Machine, Refused
from xlapy.domain.values import NONE, Const, Function, Mapping, Ref, Value, is_none

_BUILTINS = "__builtins__"


@registry.function(exec)
def _exec(machine: Machine, source: Value, globals_: Value = NONE, locals_: Value = NONE, /) -> Value:
    """Functions that use no globals but built-in ones are the same wherever they are defined."""
    text = source.value if isinstance(source, Const) else None
    if not isinstance(text, str) or not isinstance(globals_, Ref) or not is_none(locals_):
        raise _refusal()
    info = machine.heap.objects[globals_.object]
    contents = machine.heap.read(globals_.object, "<items>") if info.kind == "dict" and info.cls is dict else None
    if not isinstance(contents, Mapping) or info.source is not None:
        raise _refusal()
    namespace: dict[str, Any] = {}
    for made in _functions(text, contents.entries, namespace):
        if _BUILTINS not in contents.entries:
            machine.setitem(globals_, Const(_BUILTINS), Const(builtins.__dict__))
            contents = machine.heap.read(globals_.object, "<items>")
            assert isinstance(contents, Mapping)
        own = machine.heap.new("function", types.FunctionType, machine.location())
        defaults = tuple(map(Const, made.__defaults__ or ()))
        kwdefaults: dict[str, Value] = {name: Const(value) for name, value in (made.__kwdefaults__ or {}).items()}
        scope = Ref(machine.world.globals_of(namespace))
        function = Function(made.__code__, scope, made.__name__, defaults, kwdefaults, namespace=own)
        machine.setitem(globals_, Const(made.__name__), function)
    return NONE


def _refusal() -> Refused:
    what = "exec() of text is not possible on the device, but of text that defines functions, into a new dict"
    return Refused("XP0003", what, "call a function")


def _functions(text: str, names: dict[Any, Value], namespace: dict[str, Any]) -> list[types.FunctionType]:
    """The functions that a text defines, if it does nothing else; they find their globals in `namespace`."""
    try:
        tree = ast.parse(text)
    except SyntaxError as error:
        raise _refusal() from error
    found = [node for node in tree.body if isinstance(node, ast.FunctionDef)]
    if len(found) < len(tree.body) or not found:
        raise _refusal()
    for node in found:
        arguments = node.args
        given = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs, arguments.vararg, arguments.kwarg]
        if node.decorator_list or node.returns or any(a is not None and a.annotation is not None for a in given):
            raise _refusal()
        defaults = [d for d in (*arguments.defaults, *arguments.kw_defaults) if d is not None]
        if not all(isinstance(d, ast.Constant) for d in defaults):
            raise _refusal()
    known = {*dir(builtins)} - {*names} - {node.name for node in found}
    if not _used(symtable.symtable(text, "<string>", "exec")) <= known:
        raise _refusal()
    exec(compile(tree, "<string>", "exec"), namespace)  # nothing but definitions with constants
    return [namespace[node.name] for node in found]


def _used(scope: symtable.SymbolTable) -> set[str | None]:
    """The names of globals that functions in a scope read; None for those that they change."""
    found: set[str | None] = set()
    for inner in scope.get_children():
        for symbol in inner.get_symbols():
            if symbol.is_global():
                found.add(None if symbol.is_assigned() or symbol.is_imported() else symbol.get_name())
        found |= _used(inner)
    return found
