"""The shape of the tree for small functions: written out, so that a reader can see what the frontend makes of Python.

A shape is the tree without its operations: ``[...]`` a sequence, ``.`` code, ``.!h`` code that raises to label h,
``->l`` an exit, ``l:{...}`` a guarded region, ``loop l{...}``. Labels are letters in order of appearance, ``ret`` and
``raise`` aside. The shapes are the same on every version of CPython.
"""

import sys

import pytest

from xlapy.frontend import Code, Exit, For, Guarded, If, Loop, Send, Seq, operations, structured


def shape(function):
    names = {0: "ret", -1: "raise"}

    def name(label):
        return names.setdefault(label, "abcdefghijklmnopqrstuvwxyz"[len(names) - 2])

    def show(node):
        match node:
            case Code(handler=handler):
                return "." if handler is None else f".!{name(handler)}"
            case Seq(items=items):
                return "[" + " ".join(map(show, items)) + "]"
            case Exit(label=label):
                return f"->{name(label)}"
            case If(test=test):
                return f"{'if' if test == 'true' else 'none'}({show(node.then)}, {show(node.orelse)})"
            case For(body=body, exhausted=exhausted):
                return f"for({show(body)}, {show(exhausted)})"
            case Send(yielded=yielded, returned=returned):
                return f"send({show(yielded)}, {show(returned)})"
            case Loop(label=label, body=body):
                return f"loop {name(label)}{{{show(body)}}}"
            case Guarded(label=label, body=body):
                return f"{name(label)}:{{{show(body)}}}"

    return show(structured(function.__code__).body)


def straight(x):
    y = x + 1
    return y * y


def ternary(x):
    return (1 if x else 2) + x


def diamond(x):
    if x:
        y = 1
    else:
        y = 2
    return y + 1 + 2 + 3


def early(x):
    if x < 0:
        return -x
    return x + 1


def chain(x):
    if x == 1:
        return 1
    elif x == 2:
        return 2
    elif x is None:
        return 3
    return 4


def while_loop(x):
    while x < 10:
        x = x + 1
    return x + 2 + 3 + 4


def while_continue_break(x):
    while x < 10:
        x += 1
        if x == 3:
            continue
        if x == 5:
            break
        x += 2
    return x + 2 + 3 + 4


def while_and(x, y):
    while x < y and y:
        x += 1
    return x + 2 + 3 + 4


def while_true(x):
    while True:
        x += 1
        if x > 5:
            return x


def for_loop(n):
    s = 0
    for i in range(n):
        s += i
    return s + 2 + 3 + 4


def for_break_else(n):
    for i in n:
        if i:
            break
    else:
        i = 0
    return i + 2 + 3 + 4


def for_return(n):
    for i in n:
        if i:
            return i
    return None


def nest(n):
    s = 0
    for i in n:
        for j in i:
            if j:
                break
            s += j
        s += 1
    return s + 2 + 3 + 4


def nest_return(n):
    for i in n:
        for j in i:
            if j:
                return j + 1
    return 0


SHAPES = {
    straight: "[. ->ret]",
    ternary: "[. if([. ->a], [. ->a]) a:{[. ->ret]}]",
    diamond: "[. if([. ->a], [. ->a]) a:{[. ->ret]}]",
    early: "[. if([. ->ret], [. ->ret])]",
    chain: "[. if([. ->ret], [. if([. ->ret], [. none([. ->ret], [. ->ret])])])]",
    while_loop: "[loop a{[. if([. ->a], ->b)]} b:{[. ->ret]}]",
    while_continue_break: "[loop a{[. if([. if(->a, [. if(->b, [. ->a])])], ->b)]} b:{[. ->ret]}]",
    while_and: "[loop a{[. if([. if([. ->a], ->b)], ->b)]} b:{[. ->ret]}]",
    while_true: "[loop a{[. if(->b, ->a)]} b:{[. ->ret]}]",
    for_loop: "[. loop a{for([. ->a], ->b)} b:{[. ->ret]}]",
    for_break_else: "[. loop a{for([. if(->b, ->a)], ->c)} c:{[. ->b]} b:{[. ->ret]}]",
    for_return: "[. loop a{for([. if(->b, ->a)], ->c)} b:{[. ->ret]} c:{[. ->ret]}]",
    nest: "[. loop a{for([. loop b{for([. if(->c, [. ->b])], ->c)} c:{[. ->a]}], ->d)} d:{[. ->ret]}]",
    nest_return: "[. loop a{for([. loop b{for([. if(->c, ->b)], ->a)}], ->d)} c:{[. ->ret]} d:{[. ->ret]}]",
}


@pytest.mark.parametrize("function", SHAPES, ids=lambda f: f.__name__)
def test_shape(function):
    assert shape(function) == SHAPES[function]


def test_a_try_has_its_handler_as_a_label_after_it():
    def f(x):
        try:
            y = x[0]
        except IndexError:
            y = 1
        return y + 2 + 3 + 4

    program = structured(f.__code__)
    labels = [label for label in program.handlers if label in program.live]
    assert len(labels) == 2  # the handler, and the handler's own clean-up
    first = next(op for op in operations(program.body) if op.kind == "getitem")
    code = next(node for node in nodes(program.body) if isinstance(node, Code) and first in node.ops)
    landing = program.handlers[code.handler]
    assert landing.exception in program.live[code.handler]
    assert landing.depth == 0 and landing.lasti is None
    guarded = next(node for node in nodes(program.body) if isinstance(node, Guarded) and node.label == code.handler)
    assert {op.kind for op in operations(guarded.body)} >= {"push_exc", "match_exc", "pop_exc"}


def test_operations_that_cannot_raise_have_no_handler():
    def f(x):
        try:
            y = 1
        except IndexError:
            y = 2
        return y

    if sys.version_info >= (3, 12):  # 3.11 says nothing about which locals are bound
        assert not structured(f.__code__).handlers
    assert all(op.kind != "push_exc" for op in operations(structured(f.__code__).body))


def test_a_program_is_remembered_by_identity():
    source = "def f(x):\n    return x"
    spaces: list[dict] = [{}, {}]
    for space in spaces:
        exec(compile(source, "s", "exec"), space)
    first, second = (space["f"].__code__ for space in spaces)
    assert first == second
    assert structured(first) is structured(first)
    assert structured(first) is not structured(second)
    assert structured(second).code is second


def test_a_deep_nest_of_branches_needs_no_recursion():
    lines = ["def f(x):"] + [f"    if x == {n}: return {n}" for n in range(5000)]
    space: dict = {}
    exec("\n".join(lines), space)
    program = structured(space["f"].__code__)
    assert len([node for node in nodes(program.body) if isinstance(node, If)]) == 5000


def test_spans_point_at_the_source():
    def f(x):
        return x + (
            x * 2
        )  # fmt: skip

    start = f.__code__.co_firstlineno
    ops = {op.imm: op.span for op in operations(structured(f.__code__).body) if op.kind == "binary"}
    assert (ops["*"].line, ops["*"].col, ops["*"].end_col) == (start + 2, 12, 17)
    assert (ops["+"].line, ops["+"].end_line) == (start + 1, start + 3)


def test_registers_of_cells_and_free_variables():
    def outer(a, b):
        c = 1

        def inner(d):
            return a, c, d

        return inner

    program = structured(outer.__code__)
    names = program.register_names
    assert [names[r] for r in program.cells] == list(outer.__code__.co_cellvars)
    assert names.index("a") == 0  # an argument that is a cell keeps its register
    inner = structured(outer(1, 2).__code__)
    assert [inner.register_names[r] for r in inner.frees] == ["a", "c"]


def nodes(root):
    todo = [root]
    while todo:
        node = todo.pop()
        yield node
        match node:
            case Seq(items=items):
                todo += items
            case If():
                todo += (node.then, node.orelse)
            case For():
                todo += (node.body, node.exhausted)
            case Send():
                todo += (node.yielded, node.returned)
            case Loop() | Guarded():
                todo.append(node.body)
