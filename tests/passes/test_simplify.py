"""Folding, common subexpressions, what loops carry without changing it."""

import numpy as np
import pytest

import xlapy
from xlapy.ir import Builder, Module, Operation, Region, TensorType, constant_value, verify
from xlapy.passes import optimise
from xlapy.passes.dead_code import remove_dead_code
from xlapy.passes.simplify import simplify

from . import programs
from .programs import kinds, program

F, I, B = (TensorType((), np.dtype(t)) for t in ("f8", "i8", "?"))


def build(*types):
    entry = Region(types)
    return entry, Builder(entry, lambda: None)


def finish(entry, *results):
    entry.results = list(results)
    module = Module(entry, [f"p{i}" for i in range(len(entry.params))])
    verify(module)
    simplify(module)
    verify(module)
    remove_dead_code(module)
    verify(module)
    return entry.results


def emit(builder, kind, *operands):
    """Without the builder's own identities."""
    result = B if kind in ("eq", "ne", "lt", "le", "gt", "ge") else operands[-1].type
    return builder.emit(kind, operands, {}, (result,))[0]


FOLDED = [
    ("add", (2, 3), 5),
    ("sub", (2.5, 3.0), -0.5),
    ("mul", (2.0, 3.0), 6.0),
    ("div", (7, 2), 3),
    ("div", (-7, 2), -3),
    ("div", (7, -2), -3),
    ("rem", (-7, 2), -1),
    ("rem", (7, -2), 1),
    ("div", (1.0, 4.0), 0.25),
    ("lt", (1, 2), True),
    ("max", (1, 2), 2),
    ("bitwise_and", (6, 3), 2),
]


def test_a_selection_from_the_same_selection():
    for outer, inner, same in (((0, "inner", 2), (0, 1, 2), True), ((0, 1, "inner"), (0, 1, 2), True),
                               ((0, "inner", 2), (0, 2, 1), False), ((3, "inner", 2), (0, 1, 2), False)):  # fmt: skip
        entry, builder = build(B, F, F, B)
        first = emit(builder, "select", *(entry.params[k] for k in inner))
        second = emit(builder, "select", *(first if k == "inner" else entry.params[k] for k in outer))
        (result,) = finish(entry, second)
        assert (result is first) == same


@pytest.mark.parametrize(("kind", "values", "expected"), FOLDED)
def test_constants_are_folded(kind, values, expected):
    entry, builder = build()
    (result,) = finish(entry, emit(builder, kind, *map(builder.constant, values)))
    value = constant_value(result)
    assert value is not None and value == expected and value.dtype == result.type.dtype


@pytest.mark.parametrize(
    ("kind", "values"),
    [("div", (1, 0)), ("rem", (1, 0)), ("div", (-(2**63), -1)), ("max", (0.0, -0.0)), ("exp", (1.0,))],
)
def test_what_the_device_decides_is_not_folded(kind, values):
    entry, builder = build()
    (result,) = finish(entry, emit(builder, kind, *map(builder.constant, values)))
    assert constant_value(result) is None


def test_a_float_that_does_not_fit_is_not_converted():
    entry, builder = build()
    values = [builder.emit("convert", (builder.constant(v),), {}, (I,))[0] for v in (3.7, np.nan, 1e30)]
    found = [constant_value(v) for v in finish(entry, *values)]
    assert found == [3, None, None]


def test_identities():
    entry, builder = build(F, I, B)
    x, n, p = entry.params
    zero, one, izero, ione = map(builder.constant, (0.0, 1.0, 0, 1))
    same = {
        x: [emit(builder, "mul", x, one), emit(builder, "sub", x, zero), emit(builder, "div", x, one)],
        n: [emit(builder, "add", n, izero), emit(builder, "mul", ione, n), emit(builder, "max", n, n)],
        p: [
            emit(builder, "ne", p, builder.constant(False)),
            emit(builder, "select", p, builder.constant(True), builder.constant(False)),
            emit(builder, "bitwise_and", builder.constant(True), p),
        ],
    }
    different = [
        emit(builder, "add", x, zero),
        emit(builder, "sub", x, builder.constant(-0.0)),
        emit(builder, "eq", x, x),
    ]
    found = finish(entry, *(v for values in same.values() for v in values), *different)
    assert found[:9] == [x] * 3 + [n] * 3 + [p] * 3
    assert all(isinstance(v.owner, Operation) for v in found[9:])


def test_equal_operations_are_one_also_across_regions():
    entry, builder = build(F, B)
    x, p = entry.params
    outer = builder.elementwise("exp", x)
    arms = []
    for _ in range(2):
        arm = builder.open_region()
        with builder.inside(arm):
            inner = builder.elementwise("exp", x)
            arm.results = [builder.elementwise("add", inner, builder.elementwise("sin", inner))]
        arms.append(arm)
    again = builder.elementwise("exp", x)
    (result,) = builder.emit("if", (p,), {}, (F,), tuple(arms))
    finish(entry, result, outer, again)
    assert kinds(entry).count("exp") == 1
    assert entry.results[1] is entry.results[2]
    # What one arm computes is not there in the other.
    assert kinds(entry).count("sin") == 2


def test_operations_in_an_arm_do_not_serve_what_follows():
    entry, builder = build(F, B)
    x, p = entry.params
    arms = []
    for _ in range(2):
        arm = builder.open_region()
        with builder.inside(arm):
            arm.results = [builder.elementwise("exp", x)]
        arms.append(arm)
    (result,) = builder.emit("if", (p,), {}, (F,), tuple(arms))
    finish(entry, result, builder.elementwise("exp", x))
    assert kinds(entry).count("exp") == 3


def test_a_branch_with_a_known_predicate_is_its_arm():
    entry, builder = build(F)
    (x,) = entry.params
    then, orelse = builder.open_region(), builder.open_region()
    with builder.inside(then):
        then.results = [builder.elementwise("sin", x)]
    with builder.inside(orelse):
        orelse.results = [builder.elementwise("cos", x)]
    (result,) = builder.emit("if", (builder.constant(False),), {}, (F,), (then, orelse))
    (result,) = finish(entry, result)
    assert kinds(entry) == ["cos"] and result.depth == entry.depth


def test_a_result_that_both_arms_agree_on_leaves_the_branch():
    entry, builder = build(F, B)
    x, p = entry.params
    then, orelse = builder.open_region(), builder.open_region()
    with builder.inside(then):
        then.results = [builder.elementwise("sin", x), x]
    orelse.results = [x, x]
    results = builder.emit("if", (p,), {}, (F, F), (then, orelse))
    found = finish(entry, *results)
    assert found[1] is x
    assert len(entry.operations[-1].results) == 1


def _loop(builder, iterations, initial, step):
    body = builder.open_region((I, *(v.type for v in initial)))
    with builder.inside(body):
        body.results = step(*body.params)
    return builder.emit("for", (iterations, *initial), {}, tuple(v.type for v in initial), (body,))


def test_carried_values_that_never_change_are_captured():
    entry, builder = build(F, I)
    x, n = entry.params
    zero, five = builder.constant(0.0), builder.constant(5.0)

    def step(index, total, kept, reset):
        return [builder.elementwise("add", builder.elementwise("mul", total, reset), kept), kept, builder.constant(5.0)]

    results = _loop(builder, n, (zero, x, five), step)
    found = finish(entry, *results)
    assert found[1] is x and constant_value(found[2]) == 5.0
    (loop,) = (o for o in entry.operations if o.kind == "for")
    assert len(loop.results) == 1


def test_invariants_of_a_nest_go_all_the_way_out():
    entry, builder = build(F, I)
    x, n = entry.params

    def outer(index, total, kept):
        def inner(index2, total2, kept2):
            return [builder.elementwise("add", total2, kept2), kept2]

        return _loop(builder, n, (total, kept), inner)

    found = finish(entry, *_loop(builder, n, (builder.constant(0.0), x), outer))
    assert found[1] is x
    assert [len(o.results) for o in programs.operations(entry) if o.kind == "for"] == [1, 1]


@pytest.mark.parametrize(("iterations", "expected"), [(0, []), (1, ["constant", "add"])])
def test_loops_of_no_or_one_trip(iterations, expected):
    entry, builder = build(I)
    (x,) = entry.params

    def step(index, total):
        return [builder.elementwise("add", total, builder.elementwise("add", index, builder.constant(3)))]

    (result,) = finish(entry, *_loop(builder, builder.constant(iterations), (x,), step))
    assert kinds(entry) == expected
    assert (result is x) == (iterations == 0)


def test_the_tag_and_index_of_a_while_go_away():
    module, _ = program(programs.count_down, (27,))
    (loop,) = (o for o in module.entry.operations if o.kind == "while")
    # index, tag, the two numbers, and the error tag: `3 * n + 1` may outgrow an int
    assert len(loop.results) == 5
    remove_dead_code(module)
    simplify(module)
    remove_dead_code(module)
    (loop,) = (o for o in module.entry.operations if o.kind == "while")
    assert len(loop.results) == 3


def test_differences_of_integers():
    def function(n):
        i = n + 50
        return (i - 1) - (n + 1), (3 + n) - (n - 4), n - (n + 2)

    module, _ = program(function, (np.int8(100),))
    optimise(module)
    assert set(kinds(module.entry)) == {"constant"}
    for n in (np.int8(70), np.int8(-128), np.uint8(3), np.int64(2**62), np.uint64(1)):
        with np.errstate(over="ignore"):
            expected = function(n)
        got = xlapy.jit(function)(n)
        assert [(v.dtype, int(v)) for v in got] == [(v.dtype, int(v)) for v in expected]
