"""Functions that are made anew whenever a line is run: one program for all of them, and never that of another one.

Each program runs twice, in CPython (`xlapy.disable_jit`) and compiled; what they return and change must be the same.
`compiled(f)` stands for `xlapy.jit(f)` and counts how often it compiles.
"""

import functools

import jax
import numpy as np
import optax
import pytest

import xlapy
from xlapy.verification.comparison import Comparison

X = np.linspace(-1.0, 2.0, 12).reshape(4, 3)
W = np.array([0.5, -1.0, 2.0])
SCALE = 2.0


class Counter:
    """Compiles functions and counts their programs."""

    def __init__(self):
        self.programs = 0

    def __call__(self, function, *args, **kwargs):
        compiled = xlapy.jit(function, returns="numpy")
        result = compiled(*args, **kwargs)
        self.programs += compiled.cache_info().misses
        return result


def closures(call):
    found = []
    for i in range(5):
        k = W * i

        def f(x):
            return (x * k).sum(axis=0)

        found.append(call(f, X))
    return found


def lambdas_without_cells(call):
    return [call(lambda x: x * 2.0 + 1.0, X + i) for i in range(4)]


def numbers(call):
    found = []
    for i in range(6):
        rate = 0.5 * i
        found.append(call(lambda x: x * rate, X))
    return found


def defaults(call):
    return [call(lambda x, k=W * i: x * k, X) for i in range(4)]


def helpers(call):
    found = []
    for i in range(4):
        k = W + i

        def helper(x):
            return np.tanh(x * k)

        def f(x):
            return helper(x).sum() + k

        found.append(call(f, X))
    return found


def factory(k):
    def step(x):
        return x * k

    return step


def functions_among_the_arguments(call):
    apply = call_many(call)
    return [apply(lambda f, x: f(x), factory(W * i), X) for i in range(5)]


def call_many(call):
    """Compile once, call often."""
    made = {}

    def apply(function, *args):
        if isinstance(call, Counter):
            key = function.__code__
            compiled = made.setdefault(key, xlapy.jit(function, returns="numpy"))
            before = compiled.cache_info().misses
            result = compiled(*args)
            call.programs += compiled.cache_info().misses - before
            return result
        return function(*args)

    return apply


def recursive(call):
    found = []
    for i in range(3):
        k = W * i

        def down(n, x):
            return x if n == 0 else down(n - 1, x + k)

        found.append(call(lambda x: down(3, x), X))
    return found


def shapes(call):
    found = []
    for n in (3, 3, 2, 2, 3):
        k = np.arange(float(n))
        found.append(call(lambda x: x[:, : len(k)] * k, X))
    return found


ONE_PROGRAM = [closures, lambdas_without_cells, defaults, helpers, recursive, functions_among_the_arguments]
FEW_PROGRAMS = [(numbers, 2), (shapes, 2)]


# -- programs that must not be taken for one another ------------------------------------------------------------------


def returned(call):
    """The function itself is a part of the result."""
    found = []
    for i in range(3):

        def f(x):
            return x * i, f

        value, g = call(f, X)
        found += [value, g is f]
    return found


def appended(call):
    found = []
    for i in range(3):
        log = []

        def f(x):
            log.append(x.sum() * i)
            return x + i

        found += [call(f, X), [float(v) for v in log]]
    return found


def nonlocals(call):
    found = []
    for i in range(3):
        count = i

        def f(x):
            nonlocal count
            count += 1
            return x * count

        found += [call(f, X), count]
    return found


def arrays_written(call):
    found = []
    for i in range(3):
        store = np.zeros(3) + i

        def f(x):
            store[:] += x[0]
            return store.sum()

        found += [call(f, X), store.copy()]
    return found


def identities(call):
    """Which function is which."""
    a, b = factory(W), factory(2.0 * W)
    found = []
    for f, g in ((a, b), (b, a), (a, a), (factory(W), b), (b, b)):
        found.append(call(lambda x: f(x) - g(x) + (1.0 if f is g else 0.0), X))
    return found


def pairs_of_arguments(call):
    a, b = factory(W), factory(2.0 * W)
    apply = call_many(call)

    def both(f, g, x):
        return f(x) - 3.0 * g(x) + (1.0 if f is g else 0.0)

    pairs = ((a, b), (b, a), (a, a), (factory(W), b), (b, b), (a, b))
    return [apply(both, f, g, X) for f, g in pairs]


def keys_of_a_dict(call):
    found = []
    first = factory(W)
    names = {first: 1.0}
    for f in (first, factory(W), factory(W * 2.0)):
        found.append(call(lambda x: f(x) + names.get(f, 0.0), X))
    return found


KEPT = []


def shared_cells(call):
    """A function kept elsewhere reads the cell of the first trip."""
    KEPT.clear()
    found = []
    for i in range(4):
        k = W * (i + 1)

        def read():
            return k

        if not KEPT:
            KEPT.append(read)

        def f(x):
            return x * k + KEPT[0]()

        found.append(call(f, X))
    return found


def empty_cells(call):
    found = []
    for i in range(3):

        def f(x):
            return x * late  # noqa: F821

        if i != 1:
            late = W
        try:
            found.append(call(f, X))
        except NameError as error:
            found.append(str(error))
        late = None
        del late
    return found


def replaced_helpers(call):
    """The cell holds another function from one iteration to the next."""
    found = []
    for i, helper in enumerate((np.sin, np.cos, factory(W), factory(W + 1), lambda x: x, np.sin)):
        found.append(call(lambda x: helper(x) + i, X))
    return found


def globals_between(call):
    global SCALE
    found = []
    for i in range(4):
        SCALE = 1.0 + i // 2
        k = W * i
        found.append(call(lambda x: x * k * SCALE, X))
    SCALE = 2.0
    return found


def aliases(call):
    """Two cells with one array, or with two."""
    found = []
    for other in (None, X.copy(), None, X[:]):
        a = X.copy()
        b = a if other is None else other

        def f(x):
            a[0] += 1.0
            return b.sum() + x.sum()

        found.append(call(f, X))
    return found


def kinds(call):
    found = []
    for k in (2, 2.0, np.float32(2), W, W.astype(np.float32), True, [1.0, 2.0, 3.0]):
        found.append(call(lambda x: x * k, X))
    return found


def raised(call):
    found = []
    for limit in (5.0, -5.0, 1.0):

        def f(x):
            if x.max() > limit:
                raise ValueError(f"above {limit}")
            return x

        try:
            found.append(call(f, X))
        except ValueError as error:
            found.append(str(error))
    return found


def printed(call):
    return [call(lambda x: print("largest", name, x.max()), X) for name in ("a", "b", "b")]


def attributes(call):
    found = []
    for i in range(3):

        def f(x):
            return x + f.rate

        f.rate = float(i)
        found.append(call(f, X))
    return found


def local_classes(call):
    found = []
    for i in range(3):

        class Layer:
            def __init__(self, k):
                self.k = k

            def __call__(self, x):
                return x * self.k + i

        found.append(call(lambda x: Layer(W)(x), X))
    return found


def partials(call):
    found = []
    for i in range(3):
        f = functools.partial(factory(W * i))
        found.append(call(lambda x: f(x), X))
    return found


def methods(call):
    found = []
    for i in range(3):

        class Model:
            pass

        model = Model()
        model.step = factory(W * i)
        found.append(call(lambda x: model.step(x), X))
    return found


def transformed_functions(call):
    """Functions that JAX makes: what is in their cells is taken as it is."""
    found = []
    for i in range(3):
        f = jax.vmap(factory(float(i)))
        found.append(call(lambda x: np.asarray(f(x)), np.float32(X)))
    return found


def optimisers(call):
    found = []
    for i in range(3):
        update = optax.sgd(0.1 * i).update
        found.append(call(lambda x: np.asarray(update(x, (optax.EmptyState(),) * 2)[0]), np.float32(X)))
    return found


def generic_functions(call):
    found = []
    for i in range(3):

        @functools.singledispatch
        def f(x):
            return x * 0

        @f.register
        def _(x: np.ndarray):
            return x * i

        found.append(call(lambda x: f(x), X))
    return found


def with_rules(call):
    """One of the functions has a rule of its own."""
    found = []
    for i in range(3):
        f = factory(W)
        if i == 1 and isinstance(call, Counter):
            xlapy.overload(f)(lambda x: x * W)
        found.append(call(lambda x: f(x), X))
    return found


DIFFERENT = [
    transformed_functions, optimisers, generic_functions, with_rules,
    returned, appended, nonlocals, arrays_written, identities, pairs_of_arguments, keys_of_a_dict, shared_cells,
    empty_cells, replaced_helpers, globals_between, aliases, kinds, raised, printed, attributes, local_classes,
    partials, methods,
]  # fmt: skip


def agree(program, capsys):
    """The number of programs, if compiled calls do what CPython does."""
    with xlapy.disable_jit():
        expected = program(lambda f, *args: f(*args))
    said = capsys.readouterr().out
    counter = Counter()
    result = program(counter)
    assert capsys.readouterr().out == said
    Comparison()(expected, result, program.__name__)
    return counter.programs


@pytest.mark.parametrize("program", ONE_PROGRAM, ids=lambda p: p.__name__)
def test_one_program(program, capsys):
    assert agree(program, capsys) <= 1


@pytest.mark.parametrize(("program", "most"), FEW_PROGRAMS, ids=lambda p: getattr(p, "__name__", p))
def test_few_programs(program, most, capsys):
    assert agree(program, capsys) <= most


@pytest.mark.parametrize("program", DIFFERENT, ids=lambda p: p.__name__)
def test_not_taken_for_one_another(program, capsys):
    agree(program, capsys)


# -- transformations --------------------------------------------------------------------------------------------------


def squares(w, x, y):
    return ((x @ w - y) ** 2).mean()


@pytest.mark.parametrize("transform", [xlapy.grad, xlapy.value_and_grad, xlapy.hessian, xlapy.jacfwd, xlapy.checkpoint])
def test_transformations_in_a_loop(transform):
    programs = 0
    # `jax.checkpoint` of a function that reads a NumPy array, under 64 bits, makes a later `jax.jit` with that array
    # in 32 bits fail (JAX 0.10.2).
    by_jax = getattr(jax, transform.__name__) if transform is not xlapy.checkpoint else lambda f: f
    for i in range(4):
        y = X[:, 0] * i

        def loss(w):
            return ((X @ w - y) ** 2).mean()

        made = transform(loss)
        result = made(W)
        programs += made.cache_info().misses
        with jax.enable_x64(True):
            expected = by_jax(loss)(jax.numpy.asarray(W))
        jax.tree.map(functools.partial(np.testing.assert_allclose, rtol=1e-12), result, expected)
    assert programs <= 1


def test_a_function_of_a_module_in_a_loop():
    programs = 0
    for i in range(4):
        made = xlapy.grad(squares)
        result = made(W, X, X[:, 1] * i)
        programs += made.cache_info().misses
        np.testing.assert_allclose(result, 2 * X.T @ (X @ W - X[:, 1] * i) / 4, rtol=1e-12)
    assert programs <= 1


def test_forgotten_programs_are_compiled_again():
    def made(k):
        return xlapy.jit(lambda x: x + k)

    first = made(W)
    first(X)
    second = made(W * 2)
    np.testing.assert_array_equal(second(X), X + W * 2)
    assert second.cache_info().misses == 0
    first.cache_clear()
    third = made(W * 3)
    np.testing.assert_array_equal(third(X), X + W * 3)
    assert third.cache_info().misses == 1


def test_options_are_kept_apart():
    def made(**options):
        return xlapy.jit(lambda x: x * W, **options)

    assert made()(X).dtype == np.float64
    assert made(dtypes="32bit")(X).dtype == np.float32
    assert type(made(returns="numpy")(X)) is np.ndarray
    assert made()(X).dtype == np.float64


def test_many_functions_among_the_arguments():
    """Old ones are let go of."""
    compiled = xlapy.jit(lambda f, x: f(x))
    for i in range(100):
        np.testing.assert_array_equal(compiled(factory(W * i), X), X * W * i)
    assert compiled.cache_info().misses == 1
    assert len(compiled._xlapy_cache.cache.entries) < 20
