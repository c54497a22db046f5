"""A program as text, for people and for tests."""

from __future__ import annotations

from collections.abc import Sequence

from xlapy.frontend.program import Code, Exit, For, Guarded, If, Loop, Node, Op, Program, Send, Seq


def dump(program: Program, operations: bool = True) -> str:
    """The tree, one node or operation a line; without the `operations`, which differ from one version of Python to
    another, each `code` names the lines of the source that it is of."""
    lines = [f"program {program.name}, {program.registers} registers"]
    todo: list[tuple[int, Node | Op]] = [(1, program.body)]
    while todo:
        depth, node = todo.pop()
        below: Sequence[Node | Op] = ()
        match node:
            case Op():
                text = _operation(program, node)
            case Code(ops=ops, handler=handler):
                text = "code" if handler is None else f"code, raises to {handler}"
                if not operations:
                    text = f"{text}  # {_lines(ops)}"
                below = ops if operations else ()
            case Seq(items=items):
                text, below = "seq", items
            case If(test=test, reg=reg):
                text, below = f"if {test} {_name(program, reg)}", [node.then, node.orelse]
            case For(iterator=iterator, value=value, handler=handler):
                to = "" if handler is None else f", raises to {handler}"
                text = f"for {_name(program, value)} in {_name(program, iterator)}{to}"
                below = [node.body, node.exhausted]
            case Send(receiver=receiver, sent=sent, value=value):
                text = f"send {_name(program, sent)} to {_name(program, receiver)} giving {_name(program, value)}"
                below = [node.yielded, node.returned]
            case Loop(label=label, body=body):
                text, below = f"loop {label} live {_set(program, label)}", [body]
            case Exit(label=label):
                text = {0: "exit return", -1: "exit raise"}.get(label, f"exit {label}")
            case Guarded(label=label, body=body):
                text, below = f"guarded {label} live {_set(program, label)}", [body]
        lines.append("  " * depth + text)
        todo += [(depth + 1, child) for child in reversed(below)]
    return "\n".join(lines)


def _lines(ops: Sequence[Op]) -> str:
    """The lines of the source that operations are of."""
    lines = sorted({op.span.line for op in ops if op.span.line is not None})
    return f"line{'s' if len(lines) > 1 else ''} {', '.join(map(str, lines))}" if lines else "no line"


def _name(program: Program, register: int) -> str:
    if register == program.return_register:
        return "result"
    name = program.register_names[register]
    if name is not None:
        return name
    bottom = sum(n is not None for n in program.register_names)
    if register < program.return_register:
        return f"s{register - bottom}"
    return f"t{register - program.return_register - 1}"


def _set(program: Program, label: int) -> str:
    return "{" + ", ".join(_name(program, r) for r in sorted(program.live[label])) + "}"


def _operation(program: Program, op: Op) -> str:
    dst = ", ".join(_name(program, r) for r in op.dst)
    args = ", ".join(_name(program, r) for r in op.args)
    imm = "" if op.imm is None and op.kind != "const" else f" {op.imm!r}"
    return f"{dst + ' = ' if dst else ''}{op.kind}{imm} {args}".rstrip()
