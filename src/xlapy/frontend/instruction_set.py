"""The fixed set of operations, independent of the CPython version.

One row per kind: how many registers it writes, how many it reads, whether it may raise, and what it means. A count is a
number, or ``(least, most)`` where most may be None. `check` holds a program against the table.
"""

from __future__ import annotations

from dataclasses import dataclass

from xlapy.frontend.program import Code, Exit, For, Guarded, If, Loop, Node, Op, Program, Send, Seq

Count = int | tuple[int, int | None]


@dataclass(frozen=True, slots=True)
class Operation:
    """What one kind of `Op` is."""

    dst: Count
    args: Count
    raises: bool
    meaning: str


def _op(dst: Count, args: Count, meaning: str, *, raises: bool = True) -> Operation:
    return Operation(dst, args, raises, meaning)


ANY: Count = (0, None)

OPERATIONS: dict[str, Operation] = {
    # registers
    "const": _op(1, 0, "imm is the object", raises=False),
    "move": _op(1, 1, "raw copy, also of an unbound marker; binds a cell object, never its content", raises=False),
    "load_bound": _op(1, 1, "a local of which CPython's compiler has shown that it is bound", raises=False),
    "load": _op(1, 1, "a local that may be unbound: UnboundLocalError with the name imm"),
    "store": _op(1, 1, "assign a local; raw copy, as of what load_and_clear saved", raises=False),
    "delete": _op(1, 1, "unbind the local dst == args; UnboundLocalError with the name imm if it is unbound"),
    "load_and_clear": _op(2, 1, "dst[0] gets args[0], bound or not; dst[1] == args[0] becomes unbound", raises=False),
    # cells and free variables: args[0] is the register that holds the cell
    "make_cell": _op(1, 1, "dst == args: the value (or nothing, if unbound) is wrapped in a new cell", raises=False),
    "load_deref": _op(1, 1, "content of a cell; imm is the name (UnboundLocalError, or NameError for a free variable)"),
    "store_deref": _op(0, 2, "args are cell, value; imm is the name", raises=False),
    "delete_deref": _op(0, 1, "empty the cell; imm is the name"),
    # names: imm is the name
    "load_global": _op(1, 0, "a global, else a builtin, else NameError"),
    "store_global": _op(0, 1, "assign a global"),
    "delete_global": _op(0, 0, "delete a global"),
    "load_name": _op(1, 0, "class bodies and modules: namespace, then globals, then builtins"),
    "store_name": _op(0, 1, "assign in the namespace"),
    "delete_name": _op(0, 0, "delete from the namespace"),
    "load_class_deref": _op(1, 1, "the namespace's entry imm, else the content of the cell args[0]"),
    "load_from_dict_or_deref": _op(1, 2, "args are mapping, cell: the mapping's entry imm, else the cell's content"),
    "load_from_dict_or_globals": _op(1, 1, "the entry imm of the mapping args[0], else the global, else the builtin"),
    "load_locals": _op(1, 0, "the namespace itself"),
    "load_build_class": _op(1, 0, "builtins.__build_class__"),
    "setup_annotations": _op(0, 0, "make __annotations__ in the namespace if there is none"),
    # attributes and items
    "getattr": _op(1, 1, "args[0].imm; for a method call too: the bound method"),
    "setattr": _op(0, 2, "args are obj, value: obj.imm = value"),
    "delattr": _op(0, 1, "del args[0].imm"),
    "load_super_attr": _op(
        1, 3, "args are super, class, self; imm is (name, has_two_args): super(class, self).name, or super().name"
    ),
    "load_special": _op(1, 1, "the special method imm of args[0], looked up on its type and bound"),
    "getitem": _op(1, 2, "args are obj, key"),
    "setitem": _op(0, 3, "args are obj, key, value"),
    "delitem": _op(0, 2, "args are obj, key"),
    "slice": _op(1, (2, 3), "slice(start, stop) or slice(start, stop, step)", raises=False),
    # operators
    "unary": _op(1, 1, "imm is '-', '+' or '~'"),
    "not": _op(1, 1, "not args[0]; a bool"),
    "truth": _op(1, 1, "bool(args[0]); what a branch on 'true' tests"),
    "binary": _op(1, 2, "imm is one of + - * / // % ** @ << >> & | ^"),
    "inplace": _op(1, 2, "the augmented assignment's operator; imm as for binary, without '='"),
    "compare": _op(1, 2, "imm is one of < <= == != > >=; the rich comparison's result, any object"),
    "is": _op(1, 2, "identity, a bool; imm: inverted", raises=False),
    "contains": _op(1, 2, "args are item, container; a bool; imm: inverted"),
    # building
    "tuple": _op(1, ANY, "args are the items", raises=False),
    "list": _op(1, ANY, "args are the items", raises=False),
    "set": _op(1, ANY, "args are the items"),
    "dict": _op(1, ANY, "args are key, value, key, value ..."),
    "string": _op(1, ANY, "args are strings to join", raises=False),
    "format": _op(1, (1, 2), "args are value and perhaps the specification; imm is None, 's', 'r' or 'a'"),
    "convert": _op(1, 1, "str, repr or ascii of the value; imm is 's', 'r' or 'a'"),
    "list_append": _op(0, 2, "args are list, value", raises=False),
    "set_add": _op(0, 2, "args are set, value"),
    "dict_set": _op(0, 3, "args are dict, key, value"),
    "list_extend": _op(0, 2, "args are list, iterable"),
    "set_update": _op(0, 2, "args are set, iterable"),
    "dict_update": _op(0, 2, "args are dict, mapping"),
    "dict_merge": _op(0, 3, "args are dict, mapping, callable: as dict_update, but a key twice is a TypeError"),
    "list_to_tuple": _op(1, 1, "tuple(args[0]) of a list", raises=False),
    "unpack": _op(
        (0, None),
        1,
        "dst in the order of targets; imm is (count, None), or (before, after) around a starred target",
    ),
    # iteration and calls
    "iter": _op(1, 1, "iter(args[0])"),
    "call": _op(1, (1, None), "args are callable and arguments; imm is the tuple of names of the last ones"),
    "call_ex": _op(1, (2, 3), "args are callable, positional arguments (an iterable), and perhaps a mapping"),
    "function": _op(
        1,
        (1, None),
        "args[0] is the code object; imm names the other args, each one of 'defaults', 'kwdefaults', 'annotations', "
        "'closure', 'annotate'",
        raises=False,
    ),
    "set_function_attribute": _op(1, 2, "args are function, value; imm is the name; dst is the function", raises=False),
    "import": _op(1, 2, "args are level, fromlist; imm is the module's name"),
    "import_from": _op(1, 1, "the attribute or submodule imm of the module args[0], else ImportError"),
    "import_star": _op(0, 1, "from args[0] import *"),
    # exceptions
    "raise": _op(0, (0, 2), "nothing (the exception being handled), or exception, or exception and cause"),
    "reraise": _op(0, (1, 2), "args are exception and perhaps lasti"),
    "push_exc": _op(
        2, 1, "dst[0] gets the exception handled so far (or None), dst[1] args[0], now being handled", raises=False
    ),
    "pop_exc": _op(0, 1, "args[0], from push_exc, is the exception being handled again", raises=False),
    "unhandle": _op(0, 0, "no exception is being handled any more", raises=False),
    "match_exc": _op(1, 2, "args are exception, type or tuple of types; a bool"),
    "enter_with": _op(2, 1, "dst[0] is the bound __exit__ of the manager args[0], dst[1] what its __enter__ returned"),
    "with_except_start": _op(1, 2, "args are the bound __exit__, exception: exit(type, exception, traceback)"),
    "cleanup_throw": _op(1, 1, "the value of the StopIteration args[0]; any other exception is raised again"),
    # match statement
    "match_class": _op(1, 3, "args are subject, class, keyword names; imm positional ones: a tuple of values, or None"),
    "match_keys": _op(1, 2, "args are mapping, keys: a tuple of values, or None"),
    "match_mapping": _op(1, 1, "whether args[0] is a mapping; a bool", raises=False),
    "match_sequence": _op(1, 1, "whether args[0] is a sequence; a bool", raises=False),
    "len": _op(1, 1, "len(args[0])"),
    # generators
    "return_generator": _op(0, 0, "here a call returns the generator; its first step goes on from here", raises=False),
    "yield": _op(1, 1, "yield args[0]; dst is what is sent"),
    "resume": _op(1, 0, "dst is what is sent to the generator that goes on here, or what is thrown at it is raised"),
    "set_state": _op(1, 0, "the state imm of a generator", raises=False),
    "is_state": _op(1, 1, "whether the state args[0] of a generator is imm; a bool", raises=False),
    "unbind": _op((0, None), 0, "dst are variables without a value", raises=False),
    "kill": _op((0, None), 0, "nobody reads dst any more", raises=False),
    # functions that call themselves
    "frames": _op(2, 0, "a new list of suspended activations, and the objects that all of them mean", raises=False),
    "enter": _op(
        (3, None),
        (1, None),
        "imm is (kind, imm, members) of a call, with the code, the state and the number of arguments for each member "
        "that it may be one of: dst are whether it is, the state for that member, what the call returns if it is not, "
        "and the arguments of each member",
    ),
    "check_depth": _op(0, 1, "RecursionError if there are too many activations on the list args[0]"),
    "suspend": _op(
        0,
        (2, None),
        "args are put on the list that frames gave: with them the activation goes on in the first state of imm[0], the "
        "only one if imm[4], or in the second if the call raises, and handles an exception if imm[3]; the registers "
        "imm[1] are arguments of the call, which assigns to no variable of those of them that are in the places imm[2]",
    ),
    "restore": _op(
        (1, None),
        2,
        "the state, to which imm is added, and the registers that were put last on the list; args are what frames gave",
    ),
    "goes_on": _op(
        1,
        1,
        "whether the state args[0], a number, is that of imm[0], or else one of those of imm[1], each with the "
        "registers that are needed to go on so; a bool",
        raises=False,
    ),
    "get_yield_from_iter": _op(1, 1, "args[0] if it is a generator, else iter(args[0])"),
    # rest
    "intrinsic": _op(1, (1, 2), "CPython's intrinsic function named imm"),
    "unsupported": _op(0, 0, "the opcode imm, which has no meaning here; nothing after it is decoded", raises=False),
}

STATEMENTS = {
    "RETURN_GENERATOR of an async function": "an async function",
    "CHECK_EG_MATCH": "`except*`",
    "PREP_RERAISE_STAR": "`except*`",
    "BUILD_TEMPLATE": "a template string",
    "BUILD_INTERPOLATION": "a template string",
}
"""What is written in the source where an opcode is 'unsupported', as far as it has a name there."""

RAISING = frozenset(kind for kind, operation in OPERATIONS.items() if operation.raises)
"""Kinds that may raise: only these make an exception edge."""

BOOLEAN = frozenset(
    {"not", "truth", "is", "contains", "match_exc", "match_mapping", "match_sequence", "is_state", "goes_on"}
)
"""Kinds whose result is always a `bool`, so that a branch needs no `truth` after them."""


def check(program: Program) -> None:
    """Holds every operation of a program against the table.

    Raises:
        ValueError: an operation of unknown kind, with a wrong number of registers, or a register out of range.
    """
    for op in operations(program.body):
        row = OPERATIONS.get(op.kind)
        if row is None:
            raise ValueError(f"unknown kind of operation: {op}")
        if not (_counts(row.dst, len(op.dst)) and _counts(row.args, len(op.args))):
            raise ValueError(f"wrong number of registers: {op}")
        if not all(0 <= r < program.registers for r in (*op.dst, *op.args)):
            raise ValueError(f"register out of range: {op}")


def operations(root: Node) -> list[Op]:
    """All operations of a tree, in program order. Not recursive: trees of long functions are deep."""
    found: list[Op] = []
    todo = [root]
    while todo:
        match todo.pop():
            case Code(ops=ops):
                found.extend(ops)
            case Seq(items=items):
                todo.extend(reversed(items))
            case If(then=first, orelse=second):
                todo += (second, first)
            case For(body=first, exhausted=second) | Send(yielded=first, returned=second):
                todo += (second, first)
            case Loop(body=body) | Guarded(body=body):
                todo.append(body)
            case Exit():
                pass
    return found


def _counts(count: Count, n: int) -> bool:
    if isinstance(count, int):
        return n == count
    least, most = count
    return least <= n and (most is None or n <= most)
