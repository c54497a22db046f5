"""The opcodes of CPython 3.11, as its ``dis`` documentation and ``ceval.c`` define them.

Later versions import this table and change what changed. An opcode that is not in a version's table becomes an
'unsupported' operation.
"""

from __future__ import annotations

from xlapy.frontend.decode import Execute, Machine
from xlapy.frontend.graph import End
from xlapy.frontend.program import Op, Span
from xlapy.frontend.versions.forms import (
    add_to,
    build,
    combine,
    consume,
    consume_named,
    examine,
    nothing,
    produce,
    produce_named,
    replace,
)
from xlapy.report import first_line

BINARY = ("+", "&", "//", "<<", "@", "*", "%", "|", "**", ">>", "-", "/", "^")
COMPARE = ("<", "<=", "==", "!=", ">", ">=")
CONVERSIONS = (None, "s", "r", "a")
FUNCTION_ATTRIBUTES = ((1, "defaults"), (2, "kwdefaults"), (4, "annotations"), (8, "closure"))
CO_COROUTINE, CO_ASYNC_GENERATOR = 0x80, 0x200


# The stack


def pop_top(m: Machine, arg: int) -> None:
    m.pop()


def push_null(m: Machine, arg: int) -> None:
    m.push_null()


def copy(m: Machine, arg: int) -> None:
    if m.is_null(arg):
        m.push_null()
        return
    source = m.peek(arg)
    m.emit("move", (m.push(),), (source,))


def swap(m: Machine, arg: int) -> None:
    top, other = m.peek(1), m.peek(arg)
    null_top, null_other = m.is_null(1), m.is_null(arg)
    if not (null_top or null_other):
        spare = m.temporary()
        m.emit("move", (spare,), (top,))
        m.emit("move", (top,), (other,))
        m.emit("move", (other,), (spare,))
    elif null_top != null_other:
        m.emit("move", *(((top,), (other,)) if null_top else ((other,), (top,))))
        m.nulls ^= 1 << (m.depth - 1) | 1 << (m.depth - arg)


def load_const(m: Machine, arg: int) -> None:
    m.emit("const", (m.push(),), (), m.consts[arg])


def load_assertion_error(m: Machine, arg: int) -> None:
    m.emit("const", (m.push(),), (), AssertionError)


# Variables


def load_fast(m: Machine, arg: int) -> None:
    m.emit("load", (m.push(),), (arg,), m.names[arg])


def load_bound(m: Machine, arg: int) -> None:
    """``LOAD_FAST`` since CPython 3.12: never of an unbound variable."""
    m.emit("load_bound", (m.push(),), (arg,))


def move_fast(m: Machine, arg: int) -> None:
    m.emit("move", (m.push(),), (arg,))


def store_fast(m: Machine, arg: int) -> None:
    m.emit("store", (arg,), (m.pop(),))


def delete_fast(m: Machine, arg: int) -> None:
    m.emit("delete", (arg,), (arg,), m.names[arg])


def make_cell(m: Machine, arg: int) -> None:
    m.emit("make_cell", (arg,), (arg,))


def load_deref(m: Machine, arg: int) -> None:
    m.emit("load_deref", (m.push(),), (arg,), m.names[arg])


def load_classderef(m: Machine, arg: int) -> None:
    m.emit("load_class_deref", (m.push(),), (arg,), m.names[arg])


def store_deref(m: Machine, arg: int) -> None:
    m.emit("store_deref", (), (arg, m.pop()), m.names[arg])


def delete_deref(m: Machine, arg: int) -> None:
    m.emit("delete_deref", (), (arg,), m.names[arg])


def load_global(m: Machine, arg: int) -> None:
    if arg & 1:
        m.push_null()
    m.emit("load_global", (m.push(),), (), m.global_names[arg >> 1])


def delete_global(m: Machine, arg: int) -> None:
    m.emit("delete_global", (), (), m.global_names[arg])


def delete_name(m: Machine, arg: int) -> None:
    m.emit("delete_name", (), (), m.global_names[arg])


# Attributes, items, operators


def load_attr(m: Machine, arg: int) -> None:
    top = (m.peek(1),)
    m.emit("getattr", top, top, m.global_names[arg])


def load_method(m: Machine, arg: int) -> None:
    """CPython avoids making a bound method here; the operation makes one, so the slot for the function is NULL."""
    owner = m.pop()
    m.push_null()
    m.emit("getattr", (m.push(),), (owner,), m.global_names[arg])


def binary_op(m: Machine, arg: int) -> None:
    left, right = m.popn(2)
    kind = "binary" if arg < len(BINARY) else "inplace"
    m.emit(kind, (m.push(),), (left, right), BINARY[arg % len(BINARY)])


def compare_op(m: Machine, arg: int) -> None:
    left, right = m.popn(2)
    m.emit("compare", (m.push(),), (left, right), COMPARE[arg])


def is_op(m: Machine, arg: int) -> None:
    left, right = m.popn(2)
    m.emit("is", (m.push(),), (left, right), bool(arg))


def contains_op(m: Machine, arg: int) -> None:
    item, container = m.popn(2)
    m.emit("contains", (m.push(),), (item, container), bool(arg))


def build_const_key_map(m: Machine, arg: int) -> None:
    keys = m.literal()
    assert isinstance(keys, tuple)
    values = m.popn(arg)
    pairs = []
    for n, (key, value) in enumerate(zip(keys, values, strict=True)):
        register = m.temporary(n)
        m.emit("const", (register,), (), key)
        pairs += (register, value)
    m.emit("dict", (m.push(),), tuple(pairs))


def format_value(m: Machine, arg: int) -> None:
    args = m.popn(2 if arg & 4 else 1)
    m.emit("format", (m.push(),), args, CONVERSIONS[arg & 3])


def dict_merge(m: Machine, arg: int) -> None:
    mapping = m.pop()
    m.emit("dict_merge", (), (m.peek(arg), mapping, m.peek(arg + 2)))


def unpack_sequence(m: Machine, arg: int) -> None:
    sequence = m.pop()
    targets = tuple(m.push() for _ in range(arg))
    m.emit("unpack", targets[::-1], (sequence,), (arg, None))


def unpack_ex(m: Machine, arg: int) -> None:
    before, after = arg & 0xFF, arg >> 8
    sequence = m.pop()
    targets = tuple(m.push() for _ in range(before + 1 + after))
    m.emit("unpack", targets[::-1], (sequence,), (before, after))


# Calls and functions


def kw_names(m: Machine, arg: int) -> None:
    m.keywords = m.consts[arg]


def call(m: Machine, arg: int) -> None:
    """Below the arguments are a function and its first argument, or NULL and a callable."""
    keywords, m.keywords = m.keywords, ()
    no_self = m.is_null(arg + 2)
    slots = m.popn(arg + 2)
    m.emit("call", (m.push(),), slots[1:] if no_self else slots, keywords)


def call_function_ex(m: Machine, arg: int) -> None:
    args = m.popn(3 if arg & 1 else 2)
    m.pop()  # NULL
    m.emit("call_ex", (m.push(),), args)


def make_function(m: Machine, arg: int) -> None:
    code = m.pop()
    names = tuple(name for bit, name in FUNCTION_ATTRIBUTES if arg & bit)
    values = m.popn(len(names))
    m.emit("function", (m.push(),), (code, *values), names)


def import_from(m: Machine, arg: int) -> None:
    module = m.peek(1)
    m.emit("import_from", (m.push(),), (module,), m.global_names[arg])


def import_name(m: Machine, arg: int) -> None:
    args = m.popn(2)
    m.emit("import", (m.push(),), args, m.global_names[arg])


# Control flow


def jump(m: Machine, arg: int) -> None:
    m.goto(m.target)


def pop_jump_if_true(m: Machine, arg: int) -> None:
    top = m.pop()
    m.branch("true", m.truth(top, top), m.target, m.following)


def pop_jump_if_false(m: Machine, arg: int) -> None:
    top = m.pop()
    m.branch("true", m.truth(top, top), m.following, m.target)


def pop_jump_if_none(m: Machine, arg: int) -> None:
    m.branch("none", m.pop(), m.target, m.following)


def pop_jump_if_not_none(m: Machine, arg: int) -> None:
    m.branch("none", m.pop(), m.following, m.target)


def jump_if_or_pop(when: bool) -> Execute:
    """Where it jumps the value stays on the stack; where it goes on the value is dropped."""

    def execute(m: Machine, arg: int) -> None:
        register = m.truth(m.peek(1), m.temporary())
        m.flow(m.target, m.depth)
        m.pop()
        m.flow(m.following, m.depth)
        targets = [m.target, m.following] if when else [m.following, m.target]
        m.end = End("true", targets, (register,), span=m.span)

    return execute


def return_value(m: Machine, arg: int) -> None:
    m.emit("move", (m.return_register,), (m.pop(),))
    m.returns()


def for_iter(exhausted: int) -> Execute:
    """Exhausted, the stack is `exhausted` slots deeper than before the step."""

    def execute(m: Machine, arg: int) -> None:
        iterator = m.peek(1)
        m.flow(m.target, m.depth + exhausted)
        value = m.push()
        m.flow(m.following, m.depth)
        m.end = End("for", [m.following, m.target], (iterator, value), span=m.span)

    return execute


def raise_varargs(m: Machine, arg: int) -> None:
    m.emit("raise", (), m.popn(arg))
    m.stop()


# Exceptions and with


def reraise(m: Machine, arg: int) -> None:
    """The place of the raising instruction, under the exception, is not read: it would keep its register alive, which
    holds the iterator of a loop on the way there."""
    m.emit("reraise", (), (m.pop(),))
    m.stop()


def push_exc_info(m: Machine, arg: int) -> None:
    exception = m.pop()
    m.emit("push_exc", (m.push(), m.push()), (exception,))


def check_exc_match(m: Machine, arg: int) -> None:
    exception, types = m.peek(2), m.peek(1)
    m.emit("match_exc", (types,), (exception, types))


def before_with(m: Machine, arg: int) -> None:
    manager = m.pop()
    m.emit("enter_with", (m.push(), m.push()), (manager,))


def with_except_start(m: Machine, arg: int) -> None:
    """The stack holds exit, lasti, the exception handled before, and the exception."""
    args = m.peek(4), m.peek(1)
    m.emit("with_except_start", (m.push(),), args)


# Match


def match_class(m: Machine, arg: int) -> None:
    args = m.popn(3)
    m.emit("match_class", (m.push(),), args, arg)


def match_keys(m: Machine, arg: int) -> None:
    args = m.peek(2), m.peek(1)
    m.emit("match_keys", (m.push(),), args)


# Generators


def return_generator(m: Machine, arg: int) -> None:
    if m.code.co_flags & (CO_COROUTINE | CO_ASYNC_GENERATOR):
        m.span = Span(first_line(m.code))
        m.unsupported("RETURN_GENERATOR of an async function")
        return
    m.emit("return_generator", (), ())
    m.push()


def send(m: Machine, arg: int) -> None:
    """What the receiver yields replaces what was sent; what it returns replaces both."""
    receiver, value = m.peek(2), m.peek(1)
    m.flow(m.following, m.depth)
    m.flow(m.target, m.depth - 1)
    back = m.detour(Op("move", (receiver,), (value,), None, m.span), m.target)
    m.end = End("send", [m.following, back], (receiver, value, value), span=m.span)


def build_slice(m: Machine, arg: int) -> None:
    args = m.popn(arg)
    m.emit("slice", (m.push(),), args)


def print_expr(m: Machine, arg: int) -> None:
    m.emit("intrinsic", (m.temporary(),), (m.pop(),), "print")


OPCODES: dict[str, Execute] = {
    "CACHE": nothing,
    "NOP": nothing,
    "RESUME": nothing,
    "PRECALL": nothing,
    "COPY_FREE_VARS": nothing,
    "POP_TOP": pop_top,
    "PUSH_NULL": push_null,
    "COPY": copy,
    "SWAP": swap,
    "LOAD_CONST": load_const,
    "LOAD_ASSERTION_ERROR": load_assertion_error,
    "LOAD_FAST": load_fast,
    "STORE_FAST": store_fast,
    "DELETE_FAST": delete_fast,
    "MAKE_CELL": make_cell,
    "LOAD_CLOSURE": move_fast,
    "LOAD_DEREF": load_deref,
    "STORE_DEREF": store_deref,
    "DELETE_DEREF": delete_deref,
    "LOAD_CLASSDEREF": load_classderef,
    "LOAD_GLOBAL": load_global,
    "STORE_GLOBAL": consume_named("store_global"),
    "DELETE_GLOBAL": delete_global,
    "LOAD_NAME": produce_named("load_name"),
    "STORE_NAME": consume_named("store_name"),
    "DELETE_NAME": delete_name,
    "LOAD_BUILD_CLASS": produce("load_build_class"),
    "SETUP_ANNOTATIONS": lambda m, arg: m.emit("setup_annotations", (), ()),
    "LOAD_ATTR": load_attr,
    "LOAD_METHOD": load_method,
    "STORE_ATTR": consume_named("setattr", (1, 0)),
    "DELETE_ATTR": consume_named("delattr"),
    "BINARY_SUBSCR": combine("getitem"),
    "STORE_SUBSCR": consume("setitem", (1, 2, 0)),
    "DELETE_SUBSCR": consume("delitem", (0, 1)),
    "BUILD_SLICE": build_slice,
    "UNARY_POSITIVE": replace("unary", "+"),
    "UNARY_NEGATIVE": replace("unary", "-"),
    "UNARY_INVERT": replace("unary", "~"),
    "UNARY_NOT": replace("not"),
    "BINARY_OP": binary_op,
    "COMPARE_OP": compare_op,
    "IS_OP": is_op,
    "CONTAINS_OP": contains_op,
    "BUILD_TUPLE": build("tuple"),
    "BUILD_LIST": build("list"),
    "BUILD_SET": build("set"),
    "BUILD_MAP": build("dict", 2),
    "BUILD_CONST_KEY_MAP": build_const_key_map,
    "BUILD_STRING": build("string"),
    "FORMAT_VALUE": format_value,
    "LIST_APPEND": add_to("list_append"),
    "SET_ADD": add_to("set_add"),
    "MAP_ADD": add_to("dict_set", 2),
    "LIST_EXTEND": add_to("list_extend"),
    "SET_UPDATE": add_to("set_update"),
    "DICT_UPDATE": add_to("dict_update"),
    "DICT_MERGE": dict_merge,
    "LIST_TO_TUPLE": replace("list_to_tuple"),
    "UNPACK_SEQUENCE": unpack_sequence,
    "UNPACK_EX": unpack_ex,
    "KW_NAMES": kw_names,
    "CALL": call,
    "CALL_FUNCTION_EX": call_function_ex,
    "MAKE_FUNCTION": make_function,
    "IMPORT_NAME": import_name,
    "IMPORT_FROM": import_from,
    "IMPORT_STAR": consume("import_star", (0,)),
    "JUMP_FORWARD": jump,
    "JUMP_BACKWARD": jump,
    "JUMP_BACKWARD_NO_INTERRUPT": jump,
    "POP_JUMP_FORWARD_IF_TRUE": pop_jump_if_true,
    "POP_JUMP_BACKWARD_IF_TRUE": pop_jump_if_true,
    "POP_JUMP_FORWARD_IF_FALSE": pop_jump_if_false,
    "POP_JUMP_BACKWARD_IF_FALSE": pop_jump_if_false,
    "POP_JUMP_FORWARD_IF_NONE": pop_jump_if_none,
    "POP_JUMP_BACKWARD_IF_NONE": pop_jump_if_none,
    "POP_JUMP_FORWARD_IF_NOT_NONE": pop_jump_if_not_none,
    "POP_JUMP_BACKWARD_IF_NOT_NONE": pop_jump_if_not_none,
    "JUMP_IF_TRUE_OR_POP": jump_if_or_pop(True),
    "JUMP_IF_FALSE_OR_POP": jump_if_or_pop(False),
    "RETURN_VALUE": return_value,
    "GET_ITER": replace("iter"),
    "FOR_ITER": for_iter(-1),
    "RAISE_VARARGS": raise_varargs,
    "RERAISE": reraise,
    "PUSH_EXC_INFO": push_exc_info,
    "POP_EXCEPT": consume("pop_exc", (0,)),
    "CHECK_EXC_MATCH": check_exc_match,
    "BEFORE_WITH": before_with,
    "WITH_EXCEPT_START": with_except_start,
    "MATCH_CLASS": match_class,
    "MATCH_KEYS": match_keys,
    "MATCH_MAPPING": examine("match_mapping"),
    "MATCH_SEQUENCE": examine("match_sequence"),
    "GET_LEN": examine("len"),
    "RETURN_GENERATOR": return_generator,
    "YIELD_VALUE": replace("yield"),
    "GET_YIELD_FROM_ITER": replace("get_yield_from_iter"),
    "SEND": send,
    "PRINT_EXPR": print_expr,
}
