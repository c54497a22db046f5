"""What a loop over suspended calls does in each trip."""

import re

import numpy as np

import xlapy
from xlapy.lowering.llvm.programs import function_of
from xlapy.passes.native_loop_forms import plain


def fibonacci(n):
    return n if n < 2 else fibonacci(n - 1) + fibonacci(n - 2)


def visit(edges, seen, u):
    seen[u] = True
    for v in range(len(edges)):
        if edges[u, v] and not seen[v]:
            visit(edges, seen, v)


def expression(codes, at):
    value, at = term(codes, at)
    while codes[at] == 43:
        right, at = term(codes, at + 1)
        value += right
    return value, at


def term(codes, at):
    value, at = factor(codes, at)
    while codes[at] == 42:
        right, at = factor(codes, at + 1)
        value *= right
    return value, at


def factor(codes, at):
    if codes[at] == 45:
        value, at = factor(codes, at + 1)
        return -value, at
    if codes[at] == 40:
        value, at = expression(codes, at + 1)
        return value, at + 1
    return codes[at] - 48, at + 1


def size(f, *args):
    compiled = xlapy.jit(f)
    assert compiled(*args) == f(*args)
    (entry,) = compiled._xlapy_cache.cache.entries
    return entry.analysis.module.entry.size()


def test_functions_that_call_each_other_are_in_the_program_once():
    # `factor` is the first of them that is seen to call itself, and is called at four places
    assert size(expression, [45, 40, 50, 43, 51, 41, 42, 52, 0], 0) < 500  # 1616 if each place has its own


def test_the_list_of_calls_is_not_copied():
    numbers = str(xlapy.code_typed(fibonacci, np.int64(3)))
    graph = str(xlapy.code_typed(visit, np.ones((4, 4), bool), np.zeros(4, bool), 0))
    for text in (numbers, graph):
        assert "while" in text and "put_item" in text
        assert "resize_room" not in text


def parts(x):
    if len(x) < 2:
        return x
    rest = x[1:]
    return np.concatenate([parts(rest[rest < x[0]]), x[:1], parts(rest[rest >= x[0]])])


def test_the_room_of_the_list_of_calls_is_not_written():
    x = np.array([3.0, 1.0, 4.0, 1.0, 5.0])
    compiled = xlapy.jit(parts, returns="numpy")
    assert compiled(x).tolist() == parts(x).tolist()
    (entry,) = compiled._xlapy_cache.cache.entries
    body = function_of(plain(entry.analysis.module), may_have_rooms=True).body
    written = [int(n) for n in re.findall(r"call void @llvm.memset.*, i64 (\d+), i1", body)]
    assert written and max(written) < 2**15  # 2**23 for arrays of 1024 numbers in 1024 calls
