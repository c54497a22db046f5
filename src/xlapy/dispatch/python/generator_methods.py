"""Methods of generators, and context managers made of generator functions."""

from __future__ import annotations

import contextlib
import types

from xlapy.dispatch import kinds, registry
from xlapy.dispatch.python import builtin_functions, exceptions, objects
from xlapy.domain.values import NONE, Ref, Value, is_none
from xlapy.ir import Var


def _result(machine, step) -> Value:
    """What `next` or `send` returns after a step, where the generator has not ended."""
    done, value, returned = step
    if done is False:
        return value
    args = () if is_none(returned) else (returned,)
    if done is True:
        return machine.raise_(StopIteration, *args)
    assert isinstance(done, Var)
    machine.check(done, StopIteration, *args)
    return value


@registry.method(types.GeneratorType, "__next__")
def _next(machine, self: Ref) -> Value:
    return _result(machine, machine.advance(self))


@registry.method(types.GeneratorType, "send")
def _send(machine, self: Ref, item: Value) -> Value:
    return _result(machine, machine.advance(self, item))


@registry.method(types.GeneratorType, "throw")
def _throw(machine, self: Ref, kind: Value, value: Value = NONE, traceback: Value = NONE) -> Value:
    name = kinds.type_of(machine, kind).__name__
    otherwise = f"exceptions must be classes or instances deriving from BaseException, not {name}"
    exception = exceptions.as_exception(machine, kind if is_none(value) else value, otherwise)
    return _result(machine, machine.advance(self, NONE, exception))


@registry.method(types.GeneratorType, "close")
def _close(machine, self: Ref) -> Value:
    return machine.call(objects.Const(_closed), [self])


def _keeps_result() -> bool:
    def returning():
        try:
            yield
        except GeneratorExit:
            return True

    made = returning()
    next(made)
    return made.close() is True


def _kept(value):
    """What a generator returns when it is closed, where this Python gives that (from 3.13 on)."""
    return value


def _dropped(value):
    """What `close` gives of that before."""
    return None


_returned = _kept if _keeps_result() else _dropped


def _closed(generator):
    try:
        generator.throw(GeneratorExit())
    except GeneratorExit:
        return None
    except StopIteration as end:
        return _returned(end.value)
    raise RuntimeError("generator ignored GeneratorExit")


@registry.method(types.GeneratorType, "__iter__")
def _iter(machine, self: Ref) -> Value:
    return self


_next_before = registry.function_rule(next)


@registry.function(next)
def _next_of(machine, iterator: Value, *default: Value) -> Value:
    """`next(iterator[, default])`."""
    if kinds.heap_kind(machine, iterator) != "generator":
        return _next_before(machine, iterator, *default)
    step = machine.advance(iterator)
    if not default:
        return _result(machine, step)
    return machine.cond(step.done, lambda: default[0], lambda: step.value)


# -- contextlib.contextmanager ----------------------------------------------------------------------------------------


@registry.replacement(contextlib._GeneratorContextManager.__init__)
def _manager_init(self, func, args, kwds):
    self.gen = func(*args, **kwds)
    self.func, self.args, self.kwds = func, args, kwds


@registry.replacement(contextlib._GeneratorContextManager.__exit__)
def _manager_exit(self, typ, value, traceback):
    if typ is None:
        try:
            next(self.gen)
        except StopIteration:
            return False
        raise RuntimeError("generator didn't stop")
    try:
        self.gen.throw(value)
    except StopIteration as error:
        return error is not value
    except BaseException as error:
        if error is not value:
            raise
        return False
    raise RuntimeError("generator didn't stop after throw()")


__all__ = ["builtin_functions"]
