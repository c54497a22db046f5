"""What CPython 3.13 changed in the opcodes of 3.12.

The NULL of a call moved above the callable; truth became an instruction of its own; function attributes are set one by
one.
"""

from __future__ import annotations

from xlapy.frontend.decode import Execute, Machine
from xlapy.frontend.program import Op
from xlapy.frontend.versions import cp311, cp312
from xlapy.frontend.versions.cp311 import CONVERSIONS
from xlapy.frontend.versions.forms import replace

FUNCTION_ATTRIBUTE = {1: "defaults", 2: "kwdefaults", 4: "annotations", 8: "closure", 16: "annotate"}


def pair(first: Execute, second: Execute) -> Execute:
    """An opcode made of two, whose arguments are the halves of a byte."""

    def execute(m: Machine, arg: int) -> None:
        first(m, arg >> 4)
        second(m, arg & 15)

    return execute


def load_global(m: Machine, arg: int) -> None:
    m.emit("load_global", (m.push(),), (), m.global_names[arg >> 1])
    if arg & 1:
        m.push_null()


def load_attr(m: Machine, arg: int) -> None:
    top = (m.peek(1),)
    m.emit("getattr", top, top, m.global_names[arg >> 1])
    if arg & 1:
        m.push_null()


def load_super_attr(m: Machine, arg: int) -> None:
    args = m.popn(3)
    m.emit("load_super_attr", (m.push(),), args, (m.global_names[arg >> 2], bool(arg & 2)))
    if arg & 1:
        m.push_null()


def compare_op(m: Machine, arg: int) -> None:
    cp311.compare_op(m, arg >> 5)
    if arg & 16:
        m.emit("truth", (m.peek(1),), (m.peek(1),))


def convert_value(m: Machine, arg: int) -> None:
    top = (m.peek(1),)
    m.emit("convert", top, top, CONVERSIONS[arg])


def format_with_spec(m: Machine, arg: int) -> None:
    args = m.popn(2)
    m.emit("format", (m.push(),), args)


def dict_merge(m: Machine, arg: int) -> None:
    mapping = m.pop()
    m.emit("dict_merge", (), (m.peek(arg), mapping, m.peek(arg + 3)))


def _call(m: Machine, count: int, keywords: tuple[str, ...]) -> None:
    """Below the arguments are a callable and its first argument or NULL."""
    no_self = m.is_null(count + 1)
    slots = m.popn(count + 2)
    m.emit("call", (m.push(),), (slots[0], *slots[2:]) if no_self else slots, keywords)


def call(m: Machine, arg: int) -> None:
    _call(m, arg, ())


def call_kw(m: Machine, arg: int) -> None:
    keywords = m.literal()
    assert isinstance(keywords, tuple)
    _call(m, arg, keywords)


def call_function_ex(m: Machine, arg: int) -> None:
    args = m.popn(2 if arg & 1 else 1)
    m.pop()  # NULL
    function = m.pop()
    m.emit("call_ex", (m.push(),), (function, *args))


def make_function(m: Machine, arg: int) -> None:
    top = (m.peek(1),)
    m.emit("function", top, top, ())


def set_function_attribute(m: Machine, arg: int) -> None:
    """Folded into the making of the function, which as a rule is the operation before."""
    value, function = m.popn(2)
    name = FUNCTION_ATTRIBUTE[arg]
    last = m.ops[-1] if m.ops else None
    dst = (m.push(),)
    if last is not None and last.kind == "function" and last.dst == (function,):
        assert isinstance(last.imm, tuple)
        m.ops[-1] = Op("function", dst, (*last.args, value), (*last.imm, name), last.span)
    else:
        m.emit("set_function_attribute", dst, (function, value), name)


OPCODES: dict[str, Execute] = cp312.OPCODES | {
    "TO_BOOL": replace("truth"),
    "LOAD_GLOBAL": load_global,
    "LOAD_ATTR": load_attr,
    "LOAD_SUPER_ATTR": load_super_attr,
    "LOAD_FAST_LOAD_FAST": pair(cp311.load_bound, cp311.load_bound),
    "STORE_FAST_LOAD_FAST": pair(cp311.store_fast, cp311.load_bound),
    "STORE_FAST_STORE_FAST": pair(cp311.store_fast, cp311.store_fast),
    "COMPARE_OP": compare_op,
    "CONVERT_VALUE": convert_value,
    "FORMAT_SIMPLE": replace("format"),
    "FORMAT_WITH_SPEC": format_with_spec,
    "DICT_MERGE": dict_merge,
    "CALL": call,
    "CALL_KW": call_kw,
    "CALL_FUNCTION_EX": call_function_ex,
    "MAKE_FUNCTION": make_function,
    "SET_FUNCTION_ATTRIBUTE": set_function_attribute,
    "END_FOR": cp311.pop_top,
}
