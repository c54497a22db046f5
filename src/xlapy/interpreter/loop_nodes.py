"""The nodes of loops: what kind of loop one is, and where control goes when it leaves."""

from __future__ import annotations

from xlapy.frontend import Code, Exit, For, Guarded, If, Loop, Node, Send, Seq, Span


def step_of(node: Loop) -> For | None:
    """The `For` of a loop that is nothing but an iteration."""
    body = node.body
    if isinstance(body, Seq) and len(body.items) == 1:
        body = body.items[0]
    if isinstance(body, For) and node.label not in exit_labels(body.exhausted):
        return body
    return None


def test_of(node: Loop) -> tuple[Code | None, If] | None:
    """The header and test of a loop that is `while test: ...`: one arm of the test does nothing but leave the loop."""
    body = node.body
    items = body.items if isinstance(body, Seq) else (body,)
    if not 1 <= len(items) <= 2 or not isinstance(items[-1], If):
        return None
    header = items[0] if len(items) == 2 else None
    if header is not None and not isinstance(header, Code):
        return None
    test = items[-1]
    arms = [sole_exit(test.then), sole_exit(test.orelse)]
    if sum(label is not None and label != node.label for label in arms) != 1:
        return None
    return header, test


def header_of(node: Node) -> Span | None:
    """The place of the head of a loop: of its iteration or its test, or of the first operation in it; None if
    there is none."""
    match node:
        case Loop() | Guarded():
            return header_of(node.body)
        case For() | Send():
            return node.span
        case Code():
            return next((op.span for op in node.ops if op.span.line is not None), None)
        case Seq():
            return next((span for span in map(header_of, node.items) if span is not None), None)
    return None


def sole_exit(node: Node) -> int | None:
    """The label that a node jumps to, if it does nothing else."""
    if isinstance(node, Seq) and len(node.items) == 1:
        node = node.items[0]
    return node.label if isinstance(node, Exit) else None


_EXITS: dict[int, tuple[Node, frozenset[int]]] = {}


def exit_labels(node: Node) -> frozenset[int]:
    """The labels that control may go to when it leaves a node."""
    known = _EXITS.get(id(node))
    if known is not None:
        return known[1]
    match node:
        case Exit():
            found = frozenset((node.label,))
        case Seq():
            found = frozenset().union(*map(exit_labels, node.items))
        case If():
            found = exit_labels(node.then) | exit_labels(node.orelse)
        case For():
            found = exit_labels(node.body) | exit_labels(node.exhausted) | _handler(node.handler)
        case Send():
            found = exit_labels(node.yielded) | exit_labels(node.returned) | _handler(node.handler)
        case Loop() | Guarded():
            found = exit_labels(node.body)
        case Code():
            found = _handler(node.handler)
    guards = {i.label for i in node.items if isinstance(i, Guarded)} if isinstance(node, Seq) else set()
    if isinstance(node, Loop):
        guards = {node.label}
    found = found - guards
    _EXITS[id(node)] = (node, found)
    return found


def _handler(label: int | None) -> frozenset[int]:
    return frozenset((label,)) if label is not None else frozenset()
