"""The form of a program that only has to run: speculation, barriers, unrolling."""

import jax
import numpy as np
import pytest

import xlapy
from xlapy.ir import Module, verify
from xlapy.lowering.evaluate import evaluate_fast
from xlapy.passes import optimise
from xlapy.passes.costs import is_read, is_store, work

from . import programs
from .programs import NAMES, PROGRAMS, kinds, operations, program, run


def optimised(function, arguments):
    module, operands = program(function, arguments)
    optimise(module)
    return module, operands


def form_that_runs(module):
    return module.entry.fast or module.entry


def fast_kinds(function, arguments):
    module, _ = optimised(function, arguments)
    return kinds(form_that_runs(module))


@pytest.mark.parametrize(("function", "arguments"), PROGRAMS, ids=NAMES)
def test_both_forms_are_well_formed_and_mean_the_same(function, arguments):
    module, operands = optimised(function, arguments)
    verify(module)
    fast = module.entry.fast
    if fast is not None:
        verify(Module(fast, module.parameter_names))
    results = [run(module, operands, evaluate_fast), run(module, operands)]
    module.entry.fast = None
    for values in (*results, run(module, operands, evaluate_fast)):
        for a, b in zip(run(module, operands), values, strict=True):
            assert a.dtype == b.dtype and a.shape == b.shape
            np.testing.assert_allclose(a, b, rtol=1e-12, atol=1e-12)


def test_a_program_without_branches_or_loops_has_one_form():
    module, _ = optimised(lambda x: x * 2 + 1, (np.ones(3),))
    assert module.entry.fast is None


def test_a_program_in_which_nothing_gets_faster_has_one_form():
    def iterate(a, n):
        for _ in range(n):
            a = a @ a
        return a

    module, _ = optimised(iterate, (np.ones((9, 9)), 3))
    assert module.entry.fast is None


def test_small_branches_become_selects():
    assert "if" not in fast_kinds(programs.clamp, (0.3, 0.1, 0.9))
    assert "if" not in fast_kinds(programs.count_down, (27,))
    assert "if" not in fast_kinds(programs.evens_and_odds, (np.arange(9),))


def test_loads_leave_the_arms_and_stores_stay():
    module, _ = optimised(programs.bubble, (np.arange(9.0),))
    branches = [o for o in operations(form_that_runs(module)) if o.kind == "if"]
    assert len(branches) == 1
    assert [is_store(o) for o in branches[0].regions[0].operations] == [True, True]
    assert branches[0].regions[1].operations == []


def heavy(x, flag):
    if flag:
        x = x @ x
    return x.sum()


def test_a_branch_with_an_expensive_arm_stays():
    assert "if" in fast_kinds(heavy, (np.ones((50, 50)), True))


def test_a_branch_with_a_large_result_stays():
    def scaled(x, flag):
        if flag:
            x = x * 2.0
        return x

    assert "if" in fast_kinds(scaled, (np.ones(1000), True))


def chain(steps, uniform):
    x = 0.0
    for i in range(steps.shape[0]):
        if uniform[i] < np.exp(-x * steps[i]):
            x = x + steps[i]
    return x


def test_a_branch_on_what_takes_long_to_know_stays():
    """The processor guesses; a select would wait."""
    assert "if" in fast_kinds(chain, (np.ones(9), np.ones(9)))


def root_or_zero(x):
    if x > 0.0:
        y = x**0.5
    else:
        y = 0.0 * x
    return y


def test_derivatives_come_from_the_branch_and_not_from_the_select():
    """A select would give NaN at 0: the derivative of the arm that is not taken is infinite."""
    assert "if" not in fast_kinds(root_or_zero, (1.0,))
    compiled = xlapy.jit(root_or_zero)
    with jax.enable_x64(True):
        assert jax.grad(compiled)(0.0) == 0.0
        assert jax.jvp(compiled, (0.0,), (1.0,))[1] == 0.0
        np.testing.assert_allclose(jax.grad(compiled)(4.0), 0.25)
        np.testing.assert_allclose(jax.vmap(jax.grad(compiled))(np.array([0.0, 4.0])), [0.0, 0.25])


def array_copies(function, arguments, elements):
    """How often the optimised program copies an array of so many elements."""
    text = xlapy.code_xla(function, *arguments, opt=True)
    return sum(f"[{elements}]" in line.split(" copy(")[0] for line in text.splitlines() if " copy(" in line)


@pytest.mark.skipif(jax.default_backend() != "cpu", reason="what XLA's CPU backend copies")
@pytest.mark.parametrize("function", [programs.bubble, programs.butterflies])
def test_no_array_is_copied_in_a_trip(function):
    """One copy for the operand, which must not be overwritten, and none in the loops."""
    assert array_copies(function, (np.arange(1234.0),), 1234) <= 1


def test_barriers_are_for_cpus_only():
    with jax.enable_x64(True):
        module, operands = optimised(programs.butterflies, (np.arange(8.0),))
        traced = jax.jit(
            lambda *xs: evaluate_fast(module.entry, dict(zip(module.entry.params, xs, strict=True)))
        ).trace(*operands)
        cpu, cuda = (traced.lower(lowering_platforms=(p,)).as_text().count("stablehlo.case") for p in ("cpu", "cuda"))
    # JAX chooses by two cases with one outcome, which XLA removes, for each barrier; both are inside a choice of the
    # form of the loop.
    assert cpu == cuda + 2


def test_loads_before_stores_pass_through_a_branch():
    module, _ = optimised(programs.butterflies, (np.arange(8.0),))
    (loop,) = (o for o in form_that_runs(module).operations if o.kind == "for")
    assert kinds(loop.regions[0]).count("if") == 2


def test_a_single_store_needs_no_barrier():
    assert "if" not in fast_kinds(programs.running_sum, (np.arange(8.0),))


def test_innermost_loops_are_unrolled():
    module, _ = optimised(programs.matrix_product, (np.ones((20, 12)), np.ones((12, 20))))
    loops = [o for o in operations(form_that_runs(module)) if o.kind == "for"]
    assert [o.attributes.get("unroll") for o in loops] == [None, None, 4]
    assert all("unroll" not in o.attributes for o in operations(module.entry))


def carry_on(x):
    for i in range(1, x.shape[0]):
        x[i] = x[i] + x[i - 1]
    return x.copy()


def test_a_loop_that_loads_what_it_stored_is_not_unrolled():
    module, _ = optimised(carry_on, (np.ones(50),))
    assert all("unroll" not in o.attributes for o in operations(form_that_runs(module)))


@pytest.mark.parametrize("n", [0, 1, 3, 4, 5, 8, 9, 23])
def test_unrolled_loops_make_every_trip(n):
    compiled = xlapy.jit(programs.counters)
    assert float(compiled(1.5, n)) == programs.counters(1.5, n)
    x = np.arange(float(n) + 1)
    np.testing.assert_allclose(xlapy.jit(programs.running_sum)(x), np.cumsum(x))


def test_costs_of_leaves():
    module, _ = program(programs.bubble, (np.arange(9.0),))
    found = operations(module.entry)
    loads = [o for o in found if is_read(o)]
    stores = [o for o in found if is_store(o)]
    assert loads and stores and not set(loads) & set(stores)
    assert all(work(o) <= 16 for o in loads)
    module, _ = program(heavy, (np.ones((50, 50)), True))
    (product,) = (o for o in operations(module.entry) if "matmul" in str(o.attributes.get("name")))
    assert work(product) is None


def sum_and_clear(x):
    s = 0.0
    for i in range(x.shape[0]):
        s += x[i]
        x[i] = 0.0
    return s


def exchange(x, y):
    for i in range(x.shape[0]):
        x[i], y[i] = y[i], x[i]


def maximum_of_differences(x):
    m = 0.0
    for i in range(1, x.shape[0]):
        x[i] = x[i] - x[i - 1]
        m = max(m, x[i - 1] + x[i])
    return m


def rows_and_columns(a):
    for i in range(1, a.shape[0]):
        a[i] = a[i - 1] + a[i]
        a[:, i] = a[i]


@pytest.mark.parametrize(
    "function, shapes",
    [
        (sum_and_clear, [1000]),
        (exchange, [1000, 1000]),
        (maximum_of_differences, [1000]),
        (rows_and_columns, [(50, 50)]),
    ],
)
def test_no_array_is_copied_in_a_loop(function, shapes):
    arguments = [np.ones(shape) for shape in shapes]
    text = xlapy.code_xla(function, *arguments, opt=True)
    entry = text.index("ENTRY")
    largest = "f64[" + ",".join(map(str, np.shape(arguments[0]))) + "]"
    copies = [line for line in text[:entry].splitlines() if " copy(" in line and largest in line.split(" copy(")[0]]
    assert not copies


def correlate(x, weights):
    n = len(x) - len(weights) + 1
    y = np.zeros(n)
    for k in range(len(weights)):
        y += weights[k] * x[k : k + n]
    return y


def convolve(image, weights):
    (k, m), (h, w) = weights.shape, image.shape
    out = np.zeros((h - k + 1, w - m + 1))
    for i in range(k):
        for j in range(m):
            out += weights[i, j] * image[i : i + h - k + 1, j : j + w - m + 1]
        out -= i
    return out


def in_a_branch(x, weights, flag):
    y = x * 0.5
    for _ in range(3):
        if flag:
            for k in range(2):
                y = np.maximum(y * weights[k], x - k)
        y = y - 1.0
    return y, k


RNG = np.random.default_rng(3)
LARGE, WEIGHTS = RNG.random(10_000), RNG.random(5)


@pytest.mark.parametrize(
    ("function", "arguments", "loops"),
    [
        (correlate, (LARGE, WEIGHTS), 0),
        (correlate, (LARGE, WEIGHTS[:1]), 0),
        (correlate, (LARGE, np.ones(0)), 0),
        (correlate, (LARGE, RNG.random(30)), 1),
        (correlate, (LARGE[:100], WEIGHTS), 1),
        (convolve, (LARGE.reshape(100, 100), RNG.random((3, 2))), 0),
        (in_a_branch, (LARGE, WEIGHTS, True), None),
        (in_a_branch, (LARGE, WEIGHTS, False), None),
    ],
)
def test_few_trips_over_large_arrays_are_straight_code(function, arguments, loops):
    try:
        expected = function(*arguments)
    except UnboundLocalError as error:
        with pytest.raises(UnboundLocalError, match=str(error)):
            xlapy.jit(function)(*arguments)
        return
    for a, b in zip(jax.tree.leaves(expected), jax.tree.leaves(xlapy.jit(function)(*arguments)), strict=True):
        np.testing.assert_allclose(b, a, rtol=1e-13)
    if loops is not None:
        text = xlapy.code_xla(function, *arguments, opt=True)
        assert min(1, text.count(" while(")) == loops


def checksum(data, polynomial):
    found = 0
    for byte in data:
        found ^= int(byte)
        for _ in range(8):
            found = (found >> 1) ^ polynomial if found & 1 else found >> 1
    return found


def digits(data, base):
    total = 0
    for number in data:
        n = int(number)
        for _ in range(30):
            total += n % base
            n //= base
    return total


def test_few_trips_over_numbers_in_a_loop_are_straight_code():
    data = np.arange(200, dtype=np.uint8)
    for function, argument, loops in ((checksum, 0xA001, 1), (digits, 7, 2)):
        module, _ = optimised(function, (data, argument))
        found = [o for o in operations(form_that_runs(module)) if o.kind in ("for", "while")]
        assert sum("straight" not in o.attributes for o in found) == loops
        assert xlapy.jit(function)(data, argument) == function(data, argument)
