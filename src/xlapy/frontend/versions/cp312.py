"""What CPython 3.12 changed in the opcodes of 3.11.

Comprehensions are inlined; ``LOAD_FAST`` became an opcode that the compiler has proved safe, with ``LOAD_FAST_CHECK``
for the rest; exhausted iterators stay on the stack until ``END_FOR``.
"""

from __future__ import annotations

from xlapy.frontend.decode import Execute, Machine
from xlapy.frontend.graph import End
from xlapy.frontend.versions import cp311
from xlapy.frontend.versions.cp311 import for_iter
from xlapy.frontend.versions.forms import produce, replace

INTRINSICS_1 = {
    1: "print",
    3: "stopiteration_error",
    7: "typevar",
    8: "paramspec",
    9: "typevartuple",
    10: "subscript_generic",
    11: "typealias",
}
INTRINSICS_2 = {
    2: "typevar_with_bound",
    3: "typevar_with_constraints",
    4: "set_function_type_params",
    5: "set_typeparam_default",
}


def binary_slice(m: Machine, arg: int) -> None:
    container, start, stop = m.popn(3)
    key = m.temporary()
    m.emit("slice", (key,), (start, stop))
    m.emit("getitem", (m.push(),), (container, key))


def store_slice(m: Machine, arg: int) -> None:
    value, container, start, stop = m.popn(4)
    key = m.temporary()
    m.emit("slice", (key,), (start, stop))
    m.emit("setitem", (), (container, key, value))


def load_fast_and_clear(m: Machine, arg: int) -> None:
    m.emit("load_and_clear", (m.push(), arg), (arg,))


def load_attr(m: Machine, arg: int) -> None:
    owner = m.pop()
    if arg & 1:
        m.push_null()
    m.emit("getattr", (m.push(),), (owner,), m.global_names[arg >> 1])


def load_super_attr(m: Machine, arg: int) -> None:
    args = m.popn(3)
    if arg & 1:
        m.push_null()
    m.emit("load_super_attr", (m.push(),), args, (m.global_names[arg >> 2], bool(arg & 2)))


def load_from_dict_or_globals(m: Machine, arg: int) -> None:
    top = (m.peek(1),)
    m.emit("load_from_dict_or_globals", top, top, m.global_names[arg])


def load_from_dict_or_deref(m: Machine, arg: int) -> None:
    top = m.peek(1)
    m.emit("load_from_dict_or_deref", (top,), (top, arg), m.names[arg])


def compare_op(m: Machine, arg: int) -> None:
    cp311.compare_op(m, arg >> 4)


def return_const(m: Machine, arg: int) -> None:
    m.emit("const", (m.return_register,), (), m.consts[arg])
    m.returns()


def end_for(m: Machine, arg: int) -> None:
    m.popn(2)


def end_send(m: Machine, arg: int) -> None:
    value = m.pop()
    m.emit("move", (m.peek(1),), (value,))


def send(m: Machine, arg: int) -> None:
    """What the receiver yields or returns replaces what was sent."""
    receiver, value = m.peek(2), m.peek(1)
    m.flow(m.following, m.depth)
    m.flow(m.target, m.depth)
    m.end = End("send", [m.following, m.target], (receiver, value, value), span=m.span)


def cleanup_throw(m: Machine, arg: int) -> None:
    """The stack holds the iterator of a ``yield from``, what was sent to it, and the exception thrown at it."""
    _, _, exception = m.popn(3)
    none, value = m.push(), m.push()
    m.emit("cleanup_throw", (value,), (exception,))
    m.emit("const", (none,), (), None)


def call_intrinsic_1(m: Machine, arg: int) -> None:
    top = m.peek(1)
    match arg:
        case 2:
            m.emit("import_star", (), (top,))
            m.emit("const", (top,), (), None)
        case 5:
            m.emit("unary", (top,), (top,), "+")
        case 6:
            m.emit("list_to_tuple", (top,), (top,))
        case _ if arg in INTRINSICS_1:
            m.emit("intrinsic", (top,), (top,), INTRINSICS_1[arg])
        case _:
            m.unsupported(f"CALL_INTRINSIC_1 {arg}")


def call_intrinsic_2(m: Machine, arg: int) -> None:
    if arg not in INTRINSICS_2:
        m.unsupported(f"CALL_INTRINSIC_2 {arg}")
        return
    args = m.popn(2)
    m.emit("intrinsic", (m.push(),), args, INTRINSICS_2[arg])


OPCODES: dict[str, Execute] = cp311.OPCODES | {
    "LOAD_FAST": cp311.load_bound,
    "LOAD_FAST_CHECK": cp311.load_fast,
    "LOAD_FAST_AND_CLEAR": load_fast_and_clear,
    "BINARY_SLICE": binary_slice,
    "STORE_SLICE": store_slice,
    "LOAD_ATTR": load_attr,
    "LOAD_SUPER_ATTR": load_super_attr,
    "LOAD_LOCALS": produce("load_locals"),
    "LOAD_FROM_DICT_OR_GLOBALS": load_from_dict_or_globals,
    "LOAD_FROM_DICT_OR_DEREF": load_from_dict_or_deref,
    "COMPARE_OP": compare_op,
    "CALL_INTRINSIC_1": call_intrinsic_1,
    "CALL_INTRINSIC_2": call_intrinsic_2,
    "RETURN_CONST": return_const,
    "FOR_ITER": for_iter(1),
    "END_FOR": end_for,
    "SEND": send,
    "END_SEND": end_send,
    "CLEANUP_THROW": cleanup_throw,
    "YIELD_VALUE": replace("yield"),
    "POP_JUMP_IF_TRUE": cp311.pop_jump_if_true,
    "POP_JUMP_IF_FALSE": cp311.pop_jump_if_false,
    "POP_JUMP_IF_NONE": cp311.pop_jump_if_none,
    "POP_JUMP_IF_NOT_NONE": cp311.pop_jump_if_not_none,
}
