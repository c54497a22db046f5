"""What CPython 3.14 changed in the opcodes of 3.13.

``with`` looks its special methods up one by one; subscripts are a binary operator; borrowed references have opcodes of
their own, which mean the same here.
"""

from __future__ import annotations

from xlapy.frontend.decode import Execute, Machine
from xlapy.frontend.versions import cp311, cp313
from xlapy.frontend.versions.forms import nothing

SUBSCRIPT = 26
COMMON_CONSTANTS = (AssertionError, NotImplementedError)
NOTHING_IS_THIS = object()
SPECIAL_METHODS = ("__enter__", "__exit__")


def binary_op(m: Machine, arg: int) -> None:
    if arg == SUBSCRIPT:
        args = m.popn(2)
        m.emit("getitem", (m.push(),), args)
    else:
        cp311.binary_op(m, arg)


def load_small_int(m: Machine, arg: int) -> None:
    m.emit("const", (m.push(),), (), arg)


def load_common_constant(m: Machine, arg: int) -> None:
    """The others are `tuple`, `all` and `any`: CPython asks whether the name in front of a generator expression means
    the built-in, and goes through the expression itself if it does; else it makes the call, as older versions always
    do. Both come to the same, and of a call we know what is done: so what it asks for is what no name means."""
    m.emit("const", (m.push(),), (), COMMON_CONSTANTS[arg] if arg < len(COMMON_CONSTANTS) else NOTHING_IS_THIS)


def load_special(m: Machine, arg: int) -> None:
    """CPython avoids making a bound method here; the operation makes one, so the slot for self is NULL."""
    if arg >= len(SPECIAL_METHODS):
        m.unsupported(f"LOAD_SPECIAL {arg}")
        return
    top = (m.peek(1),)
    m.emit("load_special", top, top, SPECIAL_METHODS[arg])
    m.push_null()


def call_function_ex(m: Machine, arg: int) -> None:
    mapping = () if m.is_null(1) else (m.peek(1),)
    m.pop()
    positional = m.pop()
    m.pop()  # NULL
    function = m.pop()
    m.emit("call_ex", (m.push(),), (function, positional, *mapping))


def with_except_start(m: Machine, arg: int) -> None:
    """The stack holds exit, NULL, lasti, the exception handled before, and the exception."""
    args = m.peek(5), m.peek(1)
    m.emit("with_except_start", (m.push(),), args)


OPCODES: dict[str, Execute] = cp313.OPCODES | {
    "NOT_TAKEN": nothing,
    "BINARY_OP": binary_op,
    "LOAD_SMALL_INT": load_small_int,
    "LOAD_COMMON_CONSTANT": load_common_constant,
    "LOAD_SPECIAL": load_special,
    "LOAD_FAST_BORROW": cp311.load_bound,
    "LOAD_FAST_BORROW_LOAD_FAST_BORROW": cp313.pair(cp311.load_bound, cp311.load_bound),
    "CALL_FUNCTION_EX": call_function_ex,
    "WITH_EXCEPT_START": with_except_start,
    "POP_ITER": cp311.pop_top,
}
