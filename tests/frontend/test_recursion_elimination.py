"""Functions that call themselves, or each other, as loops: their programs do what CPython does, with no activation but
the first."""

import copy

import pytest

from xlapy.frontend import Call, Loop, NoCall, Seq, Span, check, operations, recursive, structured

from .evaluate import evaluate


def calls_in(f, *others):
    """Where functions call something: each place for a call of each of them."""
    codes = [g.__code__ for g in (f, *others)]
    places = [(c, op.span) for c in codes for op in operations(structured(c).body) if op.kind in ("call", "call_ex")]
    return frozenset(Call(code, span, callee) for code, span in places for callee in codes)


def looped(f, *others):
    program = recursive(f.__code__, calls_in(f, *others))
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


def even(n):
    return True if n == 0 else odd(n - 1)


def odd(n):
    return False if n == 0 else even(n - 1)


def female(n):
    return 1 if n == 0 else n - male(female(n - 1))


def male(n):
    return 0 if n == 0 else n - female(male(n - 1))


def expression(text):
    value = term(text)
    while text and text[0] in "+-":
        value = value + term(text) if text.pop(0) == "+" else value - term(text)
    return value


def term(text):
    value = factor(text)
    while text and text[0] == "*":
        text.pop(0)
        value *= factor(text)
    return value


def factor(text):
    if not text:
        raise SyntaxError("the end")
    first = text.pop(0)
    if first == "-":
        return -factor(text)
    if first != "(":
        return int(first)
    value = expression(text)
    if text.pop(0) != ")":
        raise SyntaxError("no )")
    return value


def guarded(x, i, log):
    try:
        return unguarded(x, i, log) + 1
    except KeyError as error:
        log.append((i, str(error)))
        if x[i] > 1:
            raise ValueError(i) from error
        return 0
    finally:
        log.append(-i)


def unguarded(x, i, log):
    if i == len(x) - 1:
        raise KeyError(i)
    return guarded(x, i + 1, log) * 2 if x[i] < 5 else 0


def make(step):
    def up(n, by=2):
        nonlocal step
        step += 1
        return n if n > 20 else down(n + by * step)

    def down(n):
        return up(n - 1, by=3) + step

    return up, down


TREE = [1, [2, 3, [7, 8]], [[4], 6], 5]
TOGETHER = [
    (even, (odd,), (7,)),
    (odd, (even,), (7,)),
    (female, (male,), (9,)),
    (expression, (term, factor), ([*"2*(3+4)-5*-(1+1)"],)),
    (expression, (term, factor), ([*"2*(3+"],)),
    (expression, (term, factor), ([*"2*(3+4-"],)),
    (factor, (expression, term), ([*"(3+4*(1-6))"],)),
    (guarded, (unguarded,), ([0, 1, 0, 1], 0, [])),
    (guarded, (unguarded,), ([0, 1, 2, 2], 0, [])),
    (guarded, (unguarded,), ([0, 1, 6, 2], 0, [])),
]
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


@pytest.mark.parametrize("f, others, args", TOGETHER, ids=[f.__name__ for f, *_ in TOGETHER])
def test_functions_that_call_each_other(f, others, args):
    program = looped(f, *others)
    mine, theirs = copy.deepcopy(args), copy.deepcopy(args)
    assert outcome(lambda: evaluate(f, *mine, program=program)) == outcome(lambda: f(*theirs))
    assert mine == theirs
    assert not any(op.kind == "call" and op.span.code is None for op in operations(program.body) if f is even)


def test_variables_of_the_function_around_them():
    theirs = [make(1)[0](0), make(3)[0](1)]
    found = []
    for step, n in ((1, 0), (3, 1)):
        up, down = make(step)
        found.append(evaluate(up, n, program=looped(up, down)))
    assert found == theirs


def test_calls_of_the_same_name_need_not_be_named():
    first = min(calls_in(fibonacci), key=lambda call: call.span.col)
    program = recursive(fibonacci.__code__, frozenset((first,)))
    assert not any(op.kind == "call" for op in operations(program.body))


def test_where_there_is_no_call():
    with pytest.raises(NoCall, match="fibonacci"):
        recursive(fibonacci.__code__, frozenset((Call(fibonacci.__code__, Span(1, 1, 0, 1), fibonacci.__code__),)))


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
    one = frozenset(sorted(places, key=lambda call: call.span.col)[:1])
    assert recursive(fibonacci.__code__, one) is not recursive(fibonacci.__code__, places)
