"""Functions that call themselves as loops: their programs do what CPython does, with no activation but the first."""

import copy

import pytest

from xlapy.frontend import Loop, Seq, check, operations, recursive, structured

from .evaluate import evaluate


def calls_in(f):
    """Where a function calls something."""
    return frozenset(op.span for op in operations(structured(f.__code__).body) if op.kind in ("call", "call_ex"))


def looped(f):
    program = recursive(f.__code__, calls_in(f))
    check(program)
    return program


def outcome(call):
    try:
        return call()
    except Exception as error:
        return type(error), str(error)


def fibonacci(n):
    return n if n < 2 else fibonacci(n - 1) + fibonacci(n - 2)


def ackermann(m, n):
    if m == 0:
        return n + 1
    if n == 0:
        return ackermann(m - 1, 1)
    return ackermann(m - 1, ackermann(m, n - 1))


def quicksort(a, low, high):
    if low >= high:
        return a
    pivot, i, j = a[(low + high) // 2], low, high
    while i <= j:
        while a[i] < pivot:
            i += 1
        while a[j] > pivot:
            j -= 1
        if i <= j:
            a[i], a[j] = a[j], a[i]
            i, j = i + 1, j - 1
    quicksort(a, low, j)
    return quicksort(a, i, high)


def queens(board, n):
    if len(board) == n:
        return 1
    count = 0
    for column in range(n):
        for row, other in enumerate(board):
            if other == column or abs(other - column) == len(board) - row:
                break
        else:
            count += queens([*board, column], n)
    return count


def keywords(a, *rest, k=1, **more):
    if a <= 0:
        return k + sum(rest) + len(more)
    return keywords(a - 1, *rest, k=k + a) + keywords(a - 2, *rest, a, z=a, k=2)


def unbound_on_one_path(n):
    if n > 3:
        found = n
    below = unbound_on_one_path(n - 1) if n else 0
    return below + found if n > 3 else below


def caught(x, i, log):
    if i == len(x):
        raise KeyError("end")
    try:
        return caught(x, i + 1, log)
    except KeyError:
        log.append(i)
        if x[i] > 0:
            raise
        return i


def finished(x, i, log):
    if i == len(x):
        return 0
    try:
        if x[i] < 0:
            raise ValueError("negative")
        return 1 + finished(x, i + 1, log)
    finally:
        log.append(i)


def in_an_expression(tree):
    return tree if isinstance(tree, int) else [in_an_expression(tree[0]), *tree, in_an_expression(tree[-1]) * 2]


def nested(tree, depth=0):
    total = 0
    for part in tree:
        for _ in range(2):
            if isinstance(part, list):
                total += nested(part, depth + 1) * depth
                continue
            total += part
            if part > 5:
                break
    return total


TREE = [1, [2, 3, [7, 8]], [[4], 6], 5]
PROGRAMS = [
    (fibonacci, (9,)),
    (ackermann, (2, 3)),
    (quicksort, ([5, 3, 9, 1, 1, 7, 2, 8], 0, 7)),
    (queens, ([], 5)),
    (keywords, (5, 1, 2)),
    (unbound_on_one_path, (6,)),
    (unbound_on_one_path, (2,)),
    (caught, ([0, 1, -1, 1, 1], 0, [])),
    (caught, ([1, 1, 1], 0, [])),
    (finished, ([1, 2, 3], 0, [])),
    (finished, ([1, -2, 3], 0, [])),
    (in_an_expression, (TREE,)),
    (nested, (TREE,)),
]


@pytest.mark.parametrize("f, args", PROGRAMS, ids=[f.__name__ for f, _ in PROGRAMS])
def test_does_what_cpython_does(f, args):
    program = looped(f)
    mine, theirs = copy.deepcopy(args), copy.deepcopy(args)
    assert outcome(lambda: evaluate(f, *mine, program=program)) == outcome(lambda: f(*theirs))
    assert mine == theirs


def test_it_is_one_loop_without_a_call():
    program = looped(fibonacci)
    assert not any(op.kind == "call" for op in operations(program.body))
    assert isinstance(program.body, Seq) and [type(node) for node in program.body.items].count(Loop) == 1


def endless(n):
    return endless(n + 1) + 1


def test_the_depth_has_an_end():
    with pytest.raises(RecursionError, match="maximum recursion depth exceeded"):
        evaluate(endless, 0, program=looped(endless))


def test_a_program_is_remembered_by_its_calls():
    places = calls_in(fibonacci)
    assert recursive(fibonacci.__code__, places) is recursive(fibonacci.__code__, places)
    one = frozenset(sorted(places, key=lambda span: span.col)[:1])
    assert recursive(fibonacci.__code__, one) is not recursive(fibonacci.__code__, places)
