"""Runs a structured program on real Python objects: the meaning of every operation, in the plainest form.

A test oracle: if a program evaluated here does what CPython does, then the order of the registers in each operation,
the handlers and the tree are right. Functions that the program calls run in CPython.
"""

from __future__ import annotations

import builtins
import inspect
import operator
import sys
from collections.abc import Callable, Generator
from types import CellType, CodeType, FunctionType, MethodType

from xlapy.frontend import RAISE, RETURN, Code, Exit, For, Guarded, If, Loop, Op, Program, Send, Seq, structured

UNBOUND = type("Unbound", (), {"__repr__": lambda self: "<unbound>"})()

BINARY: dict[str, Callable] = {
    "+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv, "//": operator.floordiv,
    "%": operator.mod, "**": operator.pow, "@": operator.matmul, "<<": operator.lshift, ">>": operator.rshift,
    "&": operator.and_, "|": operator.or_, "^": operator.xor,
}  # fmt: skip
INPLACE: dict[str, Callable] = {
    "+": operator.iadd, "-": operator.isub, "*": operator.imul, "/": operator.itruediv, "//": operator.ifloordiv,
    "%": operator.imod, "**": operator.ipow, "@": operator.imatmul, "<<": operator.ilshift, ">>": operator.irshift,
    "&": operator.iand, "|": operator.ior, "^": operator.ixor,
}  # fmt: skip
COMPARE = {
    "<": operator.lt,
    "<=": operator.le,
    "==": operator.eq,
    "!=": operator.ne,
    ">": operator.gt,
    ">=": operator.ge,
}
UNARY = {"-": operator.neg, "+": operator.pos, "~": operator.invert}
CONVERT = {None: lambda x: x, "s": str, "r": repr, "a": ascii}
ATTRIBUTES = {"defaults": "__defaults__", "kwdefaults": "__kwdefaults__", "annotations": "__annotations__"}


def evaluate(function: FunctionType, *args: object, program: Program | None = None) -> object:
    """Calls a function with positional arguments (and its defaults) by its structured program, or by another one."""
    code = function.__code__
    program = program or structured(code)
    registers = [UNBOUND] * program.registers
    missing = code.co_argcount - len(args)
    defaults = function.__defaults__ or ()
    full = [*args[: code.co_argcount], *(defaults[len(defaults) - missing :] if missing > 0 else ())]
    full += [(function.__kwdefaults__ or {})[code.co_varnames[len(full) + n]] for n in range(code.co_kwonlyargcount)]
    if code.co_flags & 0x04:
        full.append(tuple(args[code.co_argcount :]))
    if code.co_flags & 0x08:
        full.append({})
    registers[: len(full)] = full
    for register, cell in zip(program.frees, function.__closure__ or (), strict=True):
        registers[register] = cell
    frame = Frame(program, registers, function.__globals__, None)
    return frame.run() if program.is_generator else frame.result()


def execute(code: CodeType, namespace: dict[str, object]) -> None:
    """Runs the code of a module."""
    program = structured(code)
    Frame(program, [UNBOUND] * program.registers, namespace, namespace).result()


class Broken(BaseException):
    """The program itself is wrong: not an exception of what it computes."""


class Frame:
    """One activation of a program."""

    def __init__(self, program: Program, registers: list, names: dict, namespace: dict | None) -> None:
        self.program = program
        self.r = registers
        self.globals = names
        self.namespace = namespace
        self.handled: BaseException | None = None
        self.landing: BaseException | None = None

    def result(self) -> object:
        """Runs a program that is not a generator."""
        run = self.run()
        try:
            next(run)
        except StopIteration as stop:
            return stop.value
        raise AssertionError("yields without being a generator")

    def run(self) -> Generator[object, object, object]:
        """Runs the tree; yields what the program yields."""
        tag: int | None = None
        todo: list[object] = [self.program.body]
        r = self.r
        while todo:
            node = todo.pop()
            if isinstance(node, Guarded):
                if tag == node.label:
                    tag = self.arrive(node.label)
                    todo.append(node.body)
                continue
            if isinstance(node, tuple):
                if tag == node[0].label:
                    tag = self.arrive(node[0].label)
                    todo += (node, node[0].body)
                continue
            if tag is not None:
                continue
            match node:
                case Seq(items=items):
                    todo.extend(reversed(items))
                case Exit(label=label):
                    tag = label
                case Loop(body=body):
                    todo += ((node,), body)
                case If(test=test, reg=reg, then=then, orelse=orelse):
                    assert test == "none" or r[reg] in (True, False)
                    todo.append(then if (r[reg] is None if test == "none" else r[reg] is True) else orelse)
                case Code(ops=ops, handler=handler):
                    try:
                        for op in ops:
                            if op.kind == "yield":
                                r[op.dst[0]] = yield r[op.args[0]]
                            else:
                                self.do(op)
                    except Broken:
                        raise
                    except BaseException as error:
                        self.landing = error
                        tag = RAISE if handler is None else handler
                case For(iterator=iterator, value=value, handler=handler):
                    try:
                        r[value] = next(r[iterator])
                        todo.append(node.body)
                    except StopIteration:
                        todo.append(node.exhausted)
                    except Broken:
                        raise
                    except BaseException as error:
                        self.landing = error
                        tag = RAISE if handler is None else handler
                case Send(receiver=receiver, sent=sent, value=value, handler=handler):
                    try:
                        it = r[receiver]
                        r[value] = next(it) if r[sent] is None else it.send(r[sent])
                        todo.append(node.yielded)
                    except StopIteration as stop:
                        r[value] = stop.value
                        todo.append(node.returned)
                    except Broken:
                        raise
                    except BaseException as error:
                        self.landing = error
                        tag = RAISE if handler is None else handler
        if tag == RETURN:
            return r[self.program.return_register]
        assert tag == RAISE
        raise self.landing

    def arrive(self, label: int) -> None:
        """What the entry of a label does: an exception that lands there is put into its register."""
        if label in self.program.unhandled and self.handled is not None:
            raise Broken(f"handles an exception at {label}: {self.handled!r}")
        handler = self.program.handlers.get(label)
        if handler is not None:
            self.r[handler.exception] = self.landing
            if handler.lasti is not None:
                self.r[handler.lasti] = -1
        # Registers that are not live hold nothing: reading one is a mistake in the liveness or in the program.
        live = self.program.live[label]
        for n in range(len(self.r)):
            if n not in live:
                self.r[n] = UNBOUND

    def do(self, op: Op) -> None:
        """One operation."""
        a = [self.r[n] for n in op.args]
        if op.kind not in ("move", "store", "load", "load_bound", "load_and_clear", "delete", "make_cell", "suspend"):
            if any(x is UNBOUND for x in a):
                raise Broken(f"reads nothing: {op}")
        if op.kind == "load_and_clear":
            self.r[op.dst[0]] = a[0]
            self.r[op.dst[1]] = UNBOUND
            return
        if op.kind in ("kill", "unbind"):
            for register in op.dst:
                self.r[register] = UNBOUND
            return
        if op.kind in ("push_exc", "enter_with", "unpack", "frames", "enter", "restore"):
            for register, value in zip(op.dst, getattr(self, op.kind)(op.imm, *a), strict=True):
                self.r[register] = value
            return
        method = SIMPLE.get(op.kind) or getattr(self, op.kind + "_")
        value = method(op.imm, *a)
        if op.dst:
            self.r[op.dst[0]] = value

    # what needs the frame

    def load_(self, name, value):
        if value is UNBOUND:
            raise UnboundLocalError(f"cannot access local variable '{name}' where it is not associated with a value")
        return value

    def delete_(self, name, value):
        self.load_(name, value)
        return UNBOUND

    def load_deref_(self, name, cell):
        try:
            return cell.cell_contents
        except ValueError:
            if name in self.program.code.co_freevars:
                text = (
                    f"cannot access free variable '{name}' where it is not associated with a value in enclosing scope"
                )
                raise NameError(text) from None
            return self.load_(name, UNBOUND)

    def load_global_(self, name):
        if name in self.globals:
            return self.globals[name]
        if hasattr(builtins, name):
            return getattr(builtins, name)
        raise NameError(f"name '{name}' is not defined")

    def store_global_(self, name, value):
        self.globals[name] = value

    def delete_global_(self, name):
        del self.globals[name]

    def load_name_(self, name):
        return self.namespace[name] if name in self.namespace else self.load_global_(name)

    def store_name_(self, name, value):
        self.namespace[name] = value

    def delete_name_(self, name):
        del self.namespace[name]

    def load_locals_(self, _):
        return self.namespace

    def setup_annotations_(self, _):
        self.namespace.setdefault("__annotations__", {})

    def function_(self, names, code, *values):
        given = dict(zip(names, values, strict=True))
        function = FunctionType(code, self.globals, closure=given.pop("closure", None))
        for name, value in given.items():
            if name == "annotations" and isinstance(value, tuple):
                value = dict(zip(value[::2], value[1::2], strict=True))
            setattr(function, ATTRIBUTES.get(name, "__annotate__"), value)
        return function

    def import_(self, name, level, fromlist):
        return __import__(name, self.globals, None, fromlist, level)

    def call_(self, names, function, *args):
        if function is super and not args:  # CPython looks at the calling frame
            cell = self.r[self.program.register_names.index("__class__")]
            return super(cell.cell_contents, self.r[0])
        count = len(args) - len(names)
        return function(*args[:count], **dict(zip(names, args[count:], strict=True)))

    def load_super_attr_(self, imm, function, cls, instance):
        assert function is super
        return getattr(super(cls, instance), imm[0])

    def raise_(self, _, *args):
        if not args:
            raise self.handled or RuntimeError("No active exception to reraise")
        error = args[0]() if isinstance(args[0], type) else args[0]
        if len(args) == 2:
            raise error from args[1]
        raise error

    def reraise_(self, _, error, *lasti):
        raise error

    def push_exc(self, _, error):
        before, self.handled = self.handled, error
        return before, error

    def pop_exc_(self, _, before):
        self.handled = before

    def unhandle_(self, _):
        self.handled = None

    def enter_with(self, _, manager):
        kind = type(manager)
        leave = kind.__exit__.__get__(manager)
        return leave, kind.__enter__(manager)

    def unpack(self, imm, sequence):
        before, after = imm
        items = list(sequence)
        if after is None:
            if len(items) != before:
                few = f"not enough values to unpack (expected {before}, got {len(items)})"
                many = f"too many values to unpack (expected {before})"
                raise ValueError(few if len(items) < before else many)
            return items
        end = len(items) - after
        if end < before:
            raise ValueError(f"not enough values to unpack (expected at least {before + after}, got {len(items)})")
        return [*items[:before], items[before:end], *items[end:]]

    # functions that call themselves

    def frames(self, _):
        return [], None

    def enter(self, call, function, *args):
        kind, names, members = call
        if isinstance(function, MethodType):
            function, args = function.__func__, [function.__self__, *args]
        code = getattr(function, "__code__", None)
        state = next((state for member, state, _ in members if member is code), None)
        if state is None:
            made = self.call_(names, function, *args) if kind == "call" else call_ex(None, function, *args)
            return False, UNBOUND, made, *[UNBOUND] * sum(count for _, _, count in members)
        named: dict = {}
        if kind == "call_ex":
            args, named = args[0], args[1] if len(args) > 1 else {}
        elif names:
            args, named = args[: -len(names)], dict(zip(names, args[-len(names) :], strict=True))
        bound = inspect.signature(function).bind(*args, **named)
        bound.apply_defaults()
        given = [bound.arguments[name] for name in code.co_varnames[: len(bound.arguments)]]
        if code is not self.program.code:
            given += function.__closure__ or ()
        return True, state, UNBOUND, *(
            value
            for member, _, count in members
            for value in (given if member is code else [UNBOUND] * count)
        )  # fmt: skip

    def check_depth_(self, _, frames):
        if len(frames) >= sys.getrecursionlimit():
            raise RecursionError("maximum recursion depth exceeded")

    def suspend_(self, imm, frames, _, *registers):
        frames.append((imm[0][0], *registers))

    def restore(self, more, frames, known):
        state, *registers = frames.pop()
        return state + more, *registers

    def goes_on_(self, state, value):
        return value == state[0][0]

    def intrinsic_(self, name, value):
        assert name == "stopiteration_error"
        if isinstance(value, StopIteration):
            return RuntimeError("generator raised StopIteration")
        return value

    def cleanup_throw_(self, _, error):
        if isinstance(error, StopIteration):
            return error.value
        raise error


def call_ex(_, function, args, kwargs=None):
    return function(*args, **(kwargs or {}))


def dict_merge(_, into, mapping, function):
    for key in mapping:
        if key in into:
            raise TypeError(f"{function.__qualname__}() got multiple values for keyword argument '{key}'")
        into[key] = mapping[key]


def match_class(count, subject, cls, names):
    if not isinstance(subject, cls):
        return None
    positional = (subject,) if cls in (int, str, float) and count else cls.__match_args__[:count] if count else ()
    found = positional if cls in (int, str, float) else tuple(getattr(subject, n) for n in positional)
    return found + tuple(getattr(subject, n) for n in names)


def keep(_, value):
    return value


SIMPLE: dict[str, Callable] = {
    "const": lambda imm: imm,
    "move": keep,
    "load_bound": keep,
    "store": keep,
    "make_cell": lambda _, value: CellType() if value is UNBOUND else CellType(value),
    "store_deref": lambda _, cell, value: setattr(cell, "cell_contents", value),
    "delete_deref": lambda _, cell: delattr(cell, "cell_contents"),
    "load_build_class": lambda _: builtins.__build_class__,
    "getattr": lambda name, x: getattr(x, name),
    "setattr": lambda name, x, value: setattr(x, name, value),
    "delattr": lambda name, x: delattr(x, name),
    "load_special": lambda name, x: getattr(type(x), name).__get__(x),
    "getitem": lambda _, x, key: x[key],
    "setitem": lambda _, x, key, value: operator.setitem(x, key, value),
    "delitem": lambda _, x, key: operator.delitem(x, key),
    "slice": lambda _, *args: slice(*args),
    "unary": lambda imm, x: UNARY[imm](x),
    "not": lambda _, x: not x,
    "truth": lambda _, x: bool(x),
    "binary": lambda imm, x, y: BINARY[imm](x, y),
    "inplace": lambda imm, x, y: INPLACE[imm](x, y),
    "compare": lambda imm, x, y: COMPARE[imm](x, y),
    "is": lambda inverted, x, y: (x is y) != inverted,
    "contains": lambda inverted, item, container: (item in container) != inverted,
    "tuple": lambda _, *items: items,
    "list": lambda _, *items: list(items),
    "set": lambda _, *items: set(items),
    "dict": lambda _, *items: dict(zip(items[::2], items[1::2], strict=True)),
    "string": lambda _, *parts: "".join(parts),
    "format": lambda imm, value, spec="": format(CONVERT[imm](value), spec),
    "convert": lambda imm, value: CONVERT[imm](value),
    "list_append": lambda _, to, value: to.append(value),
    "set_add": lambda _, to, value: to.add(value),
    "dict_set": lambda _, to, key, value: operator.setitem(to, key, value),
    "list_extend": lambda _, to, values: to.extend(values),
    "set_update": lambda _, to, values: to.update(values),
    "dict_update": lambda _, to, values: to.update(values),
    "dict_merge": dict_merge,
    "list_to_tuple": lambda _, x: tuple(x),
    "iter": lambda _, x: iter(x),
    "call_ex": call_ex,
    "import_from": lambda name, module: getattr(module, name),
    "match_exc": lambda _, error, types: isinstance(error, types),
    "with_except_start": lambda _, leave, error: leave(type(error), error, error.__traceback__),
    "match_class": match_class,
    "match_keys": lambda _, x, keys: tuple(x[k] for k in keys) if all(k in x for k in keys) else None,
    "match_mapping": lambda _, x: isinstance(x, dict),
    "match_sequence": lambda _, x: isinstance(x, (list, tuple)),
    "len": lambda _, x: len(x),
    "return_generator": lambda _: None,
    "get_yield_from_iter": lambda _, x: iter(x),
}
