"""Removal of operations, of results of branches and of carried values."""

import jax
import numpy as np

from xlapy.ir import Builder, Module, Region, TensorType, verify
from xlapy.passes.dead_code import remove_dead_code

from . import programs
from .programs import kinds, program

F, I, B = (TensorType((), np.dtype(t)) for t in ("f8", "i8", "?"))


def finish(entry, *results):
    entry.results = list(results)
    module = Module(entry, [f"p{i}" for i in range(len(entry.params))])
    verify(module)
    remove_dead_code(module)
    verify(module)


def test_unused_operations_go():
    entry = Region((F,))
    builder = Builder(entry, lambda: None)
    (x,) = entry.params
    builder.elementwise("sin", builder.elementwise("exp", x))
    finish(entry, builder.elementwise("cos", x))
    assert kinds(entry) == ["cos"]


def test_parameters_of_the_program_stay():
    entry = Region((F, F))
    finish(entry, entry.params[0])
    assert len(entry.params) == 2


def test_unused_results_of_a_branch_go():
    entry = Region((F, B))
    builder = Builder(entry, lambda: None)
    x, p = entry.params
    arms = (builder.open_region(), builder.open_region())
    for arm in arms:
        with builder.inside(arm):
            arm.results = [builder.elementwise("sin", x), builder.elementwise("cos", x)]
    results = builder.emit("if", (p,), {}, (F, F), arms)
    finish(entry, results[1])
    assert kinds(entry) == ["if", "cos", "cos"]


def _nest(builder, n, x):
    """Two loops; the inner one carries a counter that only the outer one's counter uses, and the other way round."""
    outer = builder.open_region((I, F, F))
    with builder.inside(outer):
        inner = builder.open_region((I, F, F))
        with builder.inside(inner):
            _, total, counter = inner.params
            inner.results = [builder.elementwise("add", total, x), builder.elementwise("sin", counter)]
        outer.results = builder.emit("for", (n, *outer.params[1:]), {}, (F, F), (inner,))
    return builder.emit("for", (n, x, x), {}, (F, F), (outer,))


def test_carried_values_that_only_feed_themselves_go_also_in_nests():
    entry = Region((F, I))
    builder = Builder(entry, lambda: None)
    finish(entry, _nest(builder, entry.params[1], entry.params[0])[0])
    assert kinds(entry) == ["for", "for", "add"]


def test_a_value_that_the_condition_reads_stays():
    entry = Region((I,))
    builder = Builder(entry, lambda: None)
    (n,) = entry.params
    one = builder.constant(1)
    condition, body = builder.open_region((I, I)), builder.open_region((I, I))
    with builder.inside(condition):
        condition.results = [builder.elementwise("lt", condition.params[0], n)]
    with builder.inside(body):
        body.results = [builder.elementwise("add", v, one) for v in body.params]
    results = builder.emit("while", (one, one), {}, (I, I), (condition, body))
    finish(entry, results[1])
    assert len(entry.operations[-1].results) == 2
    entry.operations.clear()


def test_effects_stay():
    entry = Region((F,))
    builder = Builder(entry, lambda: None)
    with jax.enable_x64(True):
        jaxpr = jax.make_jaxpr(lambda x: jax.debug.print("{}", x))(jax.ShapeDtypeStruct((), np.float64))
    builder.emit("leaf", (entry.params[0],), {"jaxpr": jaxpr, "name": "print"}, ())
    body = builder.open_region((I,))
    with builder.inside(body):
        builder.emit("leaf", (entry.params[0],), {"jaxpr": jaxpr, "name": "print"}, ())
    builder.emit("for", (builder.constant(3),), {}, (), (body,))
    finish(entry, entry.params[0])
    assert kinds(entry) == ["print", "constant", "for", "print"]


def test_a_counter_of_the_users_that_nobody_reads_goes():
    module, _ = program(programs.counters, (1.5, 10))
    remove_dead_code(module)
    (loop,) = (o for o in module.entry.operations if o.kind == "for")
    assert len(loop.results) == 1
