"""Programs over several devices: what they compute is what CPython computes, and what devices exchange is no more than
`jax.jit` has them exchange."""

import re
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.experimental import checkify, io_callback
from jax.sharding import AxisType, NamedSharding
from jax.sharding import PartitionSpec as P

import xlapy
from tests.documents import document
from tests.sharding.devices import ARE_HERE, needs_devices, run_again

if ARE_HERE:
    ROW = jax.make_mesh((8,), ("d",), axis_types=(AxisType.Auto,))
    GRID = jax.make_mesh((4, 2), ("a", "b"), axis_types=(AxisType.Auto,) * 2)
    TYPED = jax.make_mesh((8,), ("d",), axis_types=(AxisType.Explicit,))
    D, EVERYWHERE, BLOCKS = NamedSharding(ROW, P("d")), NamedSharding(ROW, P()), NamedSharding(GRID, P("a", "b"))
else:
    ROW = GRID = TYPED = D = EVERYWHERE = BLOCKS = None

RANDOM = np.random.default_rng(0)
U, V = RANDOM.random((64, 48)), RANDOM.random((64, 48))
KINDS = ("all-gather", "all-reduce", "collective-permute", "all-to-all", "custom-call")


@pytest.mark.skipif(ARE_HERE, reason="runs this folder with eight devices")
def test_with_eight_devices():
    run_again(str(Path(__file__).parent))


def exchanged(compiled):
    """How many instructions of each kind that exchanges elements there are."""
    text = compiled.as_text()
    found = {kind: len(re.findall(rf" {kind}(?:-start)?\(", text)) for kind in KINDS}
    return {kind: count for kind, count in found.items() if count}


def of(result):
    """The specifications of the arrays in a result."""
    return jax.tree.map(lambda x: tuple(x.sharding.spec), result)


# -- the same exchanges as by hand ------------------------------------------------------------------------------------


def product(x, w):
    return np.tanh(x @ w).sum()


def batched(e):
    return np.einsum("bij,bjk->bik", e, e)


def columns(x):
    total = 0.0
    for j in range(x.shape[1]):
        total += (x[:, j] ** 2).sum()
    return total


def in_order(x):
    return np.sort(x, axis=1)


def by_hand(x):
    return jax.lax.fori_loop(0, x.shape[1], lambda j, t: t + (x[:, j] ** 2).sum(), 0.0)


@needs_devices
@pytest.mark.parametrize(
    ("f", "g", "shapes"),
    [
        (product, lambda x, w: jnp.tanh(x @ w).sum(), [(64, 32), (32, 32)]),
        (batched, lambda e: jnp.einsum("bij,bjk->bik", e, e), [(16, 8, 8)]),
        (columns, by_hand, [(64, 32)]),
        (in_order, lambda x: jnp.sort(x, axis=1), [(64, 32)]),
    ],
)
def test_exchanges_what_jax_exchanges(f, g, shapes):
    given = [RANDOM.random(shape, np.float32) for shape in shapes]
    xs = [jax.device_put(x, D if k == 0 else EVERYWHERE) for k, x in enumerate(given)]
    compiled = xlapy.jit(f)
    result, wanted = compiled(*xs), jax.jit(g)(*xs)
    np.testing.assert_allclose(result, f(*given), rtol=1e-5)
    assert result.sharding.is_equivalent_to(wanted.sharding, wanted.ndim)
    assert exchanged(compiled.lower(*xs).compile()) == exchanged(jax.jit(g).lower(*xs).compile())
    # what runs is what `lower` shows, not what runs on one device
    (entry,) = compiled._xlapy_cache.cache.entries
    assert entry.sharded


@needs_devices
def test_one_device_has_another_program():
    compiled = xlapy.jit(product)
    x, w = np.ones((16, 8), np.float32), np.ones((8, 8), np.float32)
    results = [compiled(jax.device_put(x, place), w) for place in (D, jax.devices()[0], D, EVERYWHERE)]
    assert [entry.sharded for entry in compiled._xlapy_cache.cache.entries] == [False, True]
    np.testing.assert_allclose(results, np.full(4, product(x, w)), rtol=1e-6)


@needs_devices
def test_captured_arrays_count():
    w = jax.device_put(np.ones((8, 8), np.float32), D)
    compiled = xlapy.jit(lambda x: x @ w)
    assert of(compiled(np.ones((8, 8), np.float32))) is not None
    assert compiled._xlapy_cache.cache.entries[0].sharded


# -- written in place -------------------------------------------------------------------------------------------------


def jacobi(u):
    for _ in range(20):
        u[1:-1, 1:-1] = 0.25 * (u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2])


def wave(u, v):
    for _ in range(20):
        v[1:-1] += 0.1 * (u[2:] - 2 * u[1:-1] + u[:-2])
        u += 0.1 * v
        u[0] = 0.0
        u[-1] = 0.0


def red_and_black(u):
    for _ in range(3):
        for s in (0, 1):
            u[1 + s : -1 : 2, 1:-1] = 0.5 * (u[2 + s :: 2, 1:-1] + u[s:-2:2, 1:-1])


def settled(u):
    steps = 0
    while True:
        new = u.copy()
        new[1:-1] = 0.5 * (u[2:] + u[:-2])
        error = np.abs(new - u).max()
        u[:] = new
        steps += 1
        if error < 0.1:
            return steps


def blocks(u):
    for _ in range(3):
        u[3:20, 5:40:3] += u[4:21, ::3][:, :12]
        u[60:2:-3] *= 0.5
        u[:, 3] = 0.0
        u[7, 1:9] = 1.0
    u[5:19] = u[6:20]
    u[3:3] = 1.0


def square(u):
    u[:, :] = (u @ u.T)[:, :48]


def relaxed(u, n):
    for i in range(n):
        u[i % u.shape[0]] *= 0.5


def masked(u):
    u[u > 0.5] = 0.0
    return u[u > 0.25].mean(), np.count_nonzero(u)


def refused_by_data(u):
    if u.max() > 0.9:
        raise ValueError(f"too large: {u.max():.3f}")
    u *= 2.0


@needs_devices
@pytest.mark.parametrize(
    ("f", "arguments", "gathers", "where"),
    [
        (jacobi, (U,), False, "blocks"),
        (wave, (U, V), False, "rows"),
        (red_and_black, (U,), False, "blocks"),
        (settled, (U,), False, "rows"),
        (blocks, (U,), True, "blocks"),
        (square, (U,), True, "blocks"),
        (relaxed, (U, 5), True, "rows"),
        (masked, (U,), True, "rows"),
        (refused_by_data, (U,), False, "rows"),
    ],
)
def test_written_in_place(f, arguments, gathers, where):
    sharding = D if where == "rows" else BLOCKS
    known = [x.copy() if isinstance(x, np.ndarray) else x for x in arguments]
    given = [xlapy.device_array(x, sharding) if isinstance(x, np.ndarray) else x for x in arguments]
    compiled = xlapy.jit(f)
    if not gathers:
        found = exchanged(compiled.lower(*given).compile())
        assert "all-gather" not in found
        assert "custom-call" not in found
        assert ("collective-permute" in found) == (f is not refused_by_data)
    for _ in range(2):
        wanted, result = outcome(f, known), outcome(compiled, given)
        assert type(result) is type(wanted) or isinstance(result, tuple | jax.Array)
        assert str(result) == str(wanted) if isinstance(wanted, str) else np.allclose(result or 0, wanted or 0)
        for x, y in zip(given, known, strict=True):
            np.testing.assert_allclose(np.asarray(x), y)
            assert not isinstance(x, xlapy.DeviceArray) or x.device == sharding


def outcome(f, arguments):
    try:
        return f(*arguments)
    except ValueError as error:
        return repr(error)


# -- in_shardings, out_shardings --------------------------------------------------------------------------------------


def layer(x, w):
    return x @ w, {"twice": x * 2}


@needs_devices
@pytest.mark.parametrize(
    ("options", "specs"),
    [
        (lambda: {"in_shardings": (D, EVERYWHERE)}, [("d",), ("d",)]),
        (lambda: {"in_shardings": D}, [None, ("d",)]),
        (lambda: {"in_shardings": (D, None), "out_shardings": EVERYWHERE}, [(), ()]),
        (lambda: {"in_shardings": (EVERYWHERE, None), "out_shardings": (None, {"twice": D})}, [None, ("d",)]),
        (lambda: {"in_shardings": (D, None), "out_shardings": (EVERYWHERE, {"twice": D})}, [(), ("d",)]),
        (lambda: {"device": D}, [None, ("d",)]),
    ],
)
def test_arguments_and_results_are_put_where_they_belong(options, specs):
    x, w = RANDOM.random((16, 8)), RANDOM.random((8, 8))
    compiled = xlapy.jit(layer, **options())
    wanted = jax.tree.leaves(layer(x, w))
    for made in (compiled(x, w), compiled(x, w), compiled.lower(x, w).compile()(x, w)):
        for spec, array, elements in zip(specs, jax.tree.leaves(made), wanted, strict=True):
            assert spec is None or of(array) == spec
            np.testing.assert_allclose(array, elements)


@needs_devices
def test_prefixes_go_into_containers_and_objects():
    class Model:
        pass

    model, place = Model(), Model()
    model.w, model.b, place.w, place.b = np.arange(16.0), 2.0, D, None
    compiled = xlapy.jit(
        lambda p, m, xs: [p["w"] * x + m.w + m.b for x in xs], in_shardings=({"w": D}, place, [D, None])
    )
    results = compiled({"w": np.arange(16.0)}, model, [np.ones(16), 3.0])
    assert of(results) == [("d",), ("d",)]
    np.testing.assert_array_equal(results[1], np.arange(16.0) * 4 + 2)


@needs_devices
def test_what_is_changed_and_returned_stays_numpys():
    def doubled(x):
        x *= 2
        return x

    x = np.arange(16.0)
    assert xlapy.jit(doubled, in_shardings=D)(x) is x
    np.testing.assert_array_equal(x, np.arange(16.0) * 2)
    assert xlapy.jit(lambda x: x, out_shardings=D)(x) is x
    moved = xlapy.jit(lambda x: x, out_shardings=D)(jax.numpy.asarray(x))
    assert of(moved) == ("d",)


@needs_devices
@pytest.mark.parametrize("typed", [False, True])
def test_the_callers_mesh(typed):
    mesh = TYPED if typed else ROW
    x = RANDOM.random((16, 4))
    compiled = xlapy.jit(lambda x: np.tanh(x)[1:-1].sum(), in_shardings=P("d"))
    with jax.set_mesh(mesh):
        np.testing.assert_allclose(compiled(x), np.tanh(x)[1:-1].sum())
        assert of(xlapy.jit(lambda x: x * 2, in_shardings=P("d"), out_shardings=P())(x)) == ()
        np.testing.assert_allclose(xlapy.jit(np.cumsum)(x), np.cumsum(x))
    with pytest.raises(ValueError, match="needs a mesh, and there is none"):
        compiled(x)


@needs_devices
@pytest.mark.parametrize(
    ("options", "arguments", "message"),
    [
        (lambda: {"in_shardings": D}, (U[:6],), "x: axis 0 is of length 6, which .* divides into 8 equal parts"),
        (lambda: {"in_shardings": NamedSharding(ROW, P("d", None, None))}, (U,), "x has 2 axes, and"),
        (lambda: {"in_shardings": P("q")}, (U,), "'q', and the axes of the mesh are"),
        (lambda: {"in_shardings": (D, D)}, (U,), "for 2 parameters"),
        (lambda: {"in_shardings": (D, NamedSharding(HALF, P("d")))}, (U,), "over different devices"),
        (lambda: {"out_shardings": (D, D)}, (U,), "another structure than the result"),
        (lambda: {"out_shardings": NamedSharding(ROW, P(None, "d", None))}, (U,), "the result has 2 axes"),
    ],
)
def test_errors_at_the_door(options, arguments, message):
    with jax.set_mesh(ROW), pytest.raises(ValueError, match=message):
        xlapy.jit(lambda x: x * 2, **options())(*arguments)


if ARE_HERE:
    HALF = jax.make_mesh((4,), ("d",), axis_types=(AxisType.Auto,), devices=jax.devices()[:4])


@needs_devices
def test_arrays_of_different_meshes():
    x, y = jax.device_put(U[:8], D), jax.device_put(U[:8], NamedSharding(HALF, P("d")))
    with pytest.raises(ValueError, match=r"x lies on the devices \[0, .* and y on the devices \[0, 1, 2, 3\]"):
        xlapy.jit(lambda x, y: x + y)(x, y)


@needs_devices
def test_types_of_an_array_that_was_put_before():
    x = np.arange(16.0)
    assert not jax.config.jax_enable_x64
    narrow = jax.device_put(x, D)
    result = xlapy.jit(lambda x, y: x + 1e-9 * len(y))(x, narrow)
    np.testing.assert_array_equal(result, x + 1.6e-8)
    result = xlapy.jit(lambda x: np.fft.fft(x).real)(x)
    np.testing.assert_allclose(result, np.fft.fft(x).real, rtol=1e-12)
    kept = xlapy.device_array(x / 3, D)
    made = jax.device_put(x, EVERYWHERE)
    assert (made.dtype, xlapy.device_array(x, D).dtype, kept.dtype) == (np.float32, np.float64, np.float64)
    result = xlapy.jit(lambda x: x * 2, in_shardings=D)(x)
    np.testing.assert_array_equal(result, x * 2)


@needs_devices
@pytest.mark.parametrize("transform", [jax.jit, jax.grad, lambda f: jax.vmap(f, in_axes=0)])
def test_under_transformations(transform):
    f = lambda x: (np.sin(x) ** 2).sum()  # noqa: E731
    x = jax.device_put(RANDOM.random((16, 8), np.float32), D)
    compiled = xlapy.jit(f, in_shardings=D if transform in (jax.jit, jax.grad) else None)
    wanted = transform(lambda x: (jnp.sin(x) ** 2).sum())(x)
    np.testing.assert_allclose(transform(compiled)(x), wanted, rtol=1e-6)


@needs_devices
def test_narrowed_types():
    x = RANDOM.random((16, 8))
    result = xlapy.jit(lambda x: x * 2, dtypes="32bit", in_shardings=D)(x)
    assert result.dtype == np.float32
    assert of(result) == ("d",)


# -- meshes whose axes are explicit -----------------------------------------------------------------------------------


def loss(p, x, y):
    return ((np.tanh(x @ p["w"] + p["b"]) @ p["v"] - y) ** 2).mean()


def step(p, x, y):
    value, slopes = xlapy.value_and_grad(loss)(p, x, y)
    return {k: p[k] - 0.1 * slopes[k] for k in p}, value


def perceptron():
    p = {"w": RANDOM.random((16, 32)), "b": np.zeros(32), "v": RANDOM.random((32, 4))}
    numbers = p, RANDOM.random((64, 16)), RANDOM.random((64, 4))
    return jax.tree.map(lambda x: x.astype(np.float32), numbers)


@needs_devices
@pytest.mark.parametrize("kind", ["Auto", "Explicit"])
@pytest.mark.parametrize("divided", [False, True])
def test_a_step_of_gradient_descent(kind, divided):
    numbers = perceptron()
    wanted = xlapy.jit(step)(*numbers)
    mesh = jax.make_mesh((4, 2), ("a", "b"), axis_types=(getattr(AxisType, kind),) * 2)
    specs = {"w": P(None, "b"), "b": P("b"), "v": P("b", None)} if divided else dict.fromkeys("wbv", P())
    specs = specs, P("a"), P("a")
    arrays = jax.tree.map(lambda x, s: jax.device_put(x, NamedSharding(mesh, s)), numbers, specs)
    compiled = xlapy.jit(step)
    found = compiled(*arrays)
    jax.tree.map(lambda x, y: np.testing.assert_allclose(x, y, rtol=1e-5, atol=1e-6), found, wanted)
    assert jax.tree.all(jax.tree.map(lambda x, y: x.sharding.is_equivalent_to(y.sharding, x.ndim), found[0], arrays[0]))
    (again, _) = compiled(found[0], *arrays[1:])
    assert of(again) == of(found[0])
    assert compiled.cache_info().misses == 1
    lowered = compiled.lower(*arrays)
    # of the gradients, at once; and of the products with parts of the weights
    assert exchanged(lowered.compile()) == {"all-reduce": 2 if divided else 1}
    assert of(lowered.compile()(*arrays)) == of(found)
    assert of(jax.jit(compiled)(*arrays)[0]) == of(found[0])


@needs_devices
def test_explicit_axes():
    x, w = (jax.device_put(x, NamedSharding(TYPED, s)) for x, s in [(U, P("d")), (V.T.copy(), P())])
    square = lambda w, x: (np.tanh(x @ w) ** 2).mean()  # noqa: E731
    np.testing.assert_allclose(xlapy.grad(square)(w, x), xlapy.grad(square)(np.asarray(w), np.asarray(x)), rtol=1e-5)
    assert of(xlapy.jit(lambda x: np.tanh(x) * 2)(x)) == ("d", None)
    field, known = xlapy.device_array(U, NamedSharding(TYPED, P("d"))), U.copy()
    compiled = xlapy.jit(jacobi)
    assert exchanged(compiled.lower(field).compile()) == {"collective-permute": 4}
    compiled(field)
    jacobi(known)
    np.testing.assert_allclose(np.asarray(field), known)
    with jax.set_mesh(TYPED):
        compiled(field)
        np.testing.assert_allclose(xlapy.jit(square)(w, x), square(np.asarray(w), np.asarray(x)), rtol=1e-5)
    jacobi(known)
    np.testing.assert_allclose(np.asarray(field), known)
    assert field.device.is_equivalent_to(NamedSharding(TYPED, P("d")), 2)


# -- where arrays lie, asked and told inside --------------------------------------------------------------------------


def constrained(x):
    return jax.lax.with_sharding_constraint(x * 2, NamedSharding(ROW, P(None, "d")))


def constrained_together(x):
    mesh = jax.make_mesh((8,), ("d",), axis_types=(AxisType.Auto,))
    both = jax.lax.with_sharding_constraint({"a": x * 2, "b": x + 1}, NamedSharding(mesh, P()))
    return both["a"], both["b"]


def in_a_loop(x):
    for _ in range(3):
        x = jax.lax.with_sharding_constraint(jnp.sin(x), D)
    return x


def put(x):
    return jax.device_put(x * 2, EVERYWHERE), jax.device_put(x, x.sharding)


def asked(x):
    many = len(x.sharding.device_set)
    return x * many if x.sharding.spec == P("d") else x, many, x.committed


def of_the_mesh(x):
    return x * ROW.shape["d"], ROW.axis_names, jax.device_count(), jax.typeof(x).sharding.spec


@needs_devices
@pytest.mark.parametrize("f", [constrained, constrained_together, in_a_loop, put, asked, of_the_mesh])
@pytest.mark.parametrize("typed", [False, True])
def test_places_inside(f, typed):
    compiled = xlapy.jit(f)
    for x in (jax.device_put(U[:16, :8], NamedSharding(TYPED if typed else ROW, spec)) for spec in (P("d"), P())):
        if typed and f in (constrained, in_a_loop, put, constrained_together):
            # JAX refuses a sharding over another mesh than that of the array's type
            np.testing.assert_allclose(
                jax.tree.leaves(compiled(x))[0], jax.tree.leaves(f(jnp.asarray(x)))[0], rtol=1e-6
            )
            continue
        wanted, found = f(x), compiled(x)
        jax.tree.map(assert_same, found, wanted)
        assert jax.tree.structure(found) == jax.tree.structure(wanted)


def assert_same(x, y):
    if isinstance(y, jax.Array):
        np.testing.assert_allclose(x, y, rtol=1e-6)
        assert x.sharding.is_equivalent_to(y.sharding, y.ndim)
    else:
        assert x == y
        assert type(x) is type(y)


@needs_devices
def test_the_callers_mesh_inside():
    def sizes(x):
        x = jax.lax.with_sharding_constraint(x, P(None, "d"))
        return x, jax.sharding.get_abstract_mesh().size, jax.sharding.get_mesh().axis_names

    compiled = xlapy.jit(sizes)
    for mesh in (ROW, jax.make_mesh((2, 4), ("a", "d"), axis_types=(AxisType.Auto,) * 2)):
        with jax.set_mesh(mesh):
            x = jax.device_put(U[:16, :8], NamedSharding(mesh, P()))
            jax.tree.map(assert_same, compiled(x), sizes(x))
    with pytest.raises(RuntimeError, match="requires a non-empty mesh"):
        compiled(U)


# -- the page ---------------------------------------------------------------------------------------------------------


@needs_devices
def test_the_page_runs_and_shows_what_it_prints():
    pytest.importorskip("sklearn")
    page = Path(__file__).parents[2] / "docs" / "many-devices.md"
    for block, printed in document.outputs(page.read_text()):
        shown = (block.printed or "").rstrip("\n")
        assert printed == shown, f"{block.filename}: run `python -m tests.documents.document docs/many-devices.md`"


# -- other devices ------------------------------------------------------------------------------------


@needs_devices
def test_compiled_for_a_target_arguments_lie_as_they_do():
    lowered = xlapy.jit(product).lower(jax.device_put(U, D), V.T.copy())
    assert exchanged(lowered.compile("cpu")) == {"all-reduce": 1}
    half = xlapy.jit(product).lower(jax.device_put(U, NamedSharding(HALF, P("d"))), V.T.copy())
    with pytest.raises(ValueError, match="'cpu' has 8 devices, and the arguments lie on 4"):
        half.compile("cpu")
    assert exchanged(half.compile()) == {"all-reduce": 1}
    alone = xlapy.jit(product, in_shardings=(D, None)).lower(U, V.T.copy())
    assert exchanged(alone.compile("cpu")) == exchanged(alone.compile()) == {"all-reduce": 1}


# -- JAX's effects ----------------------------------------------------------------------------------------------------


@needs_devices
def test_effects():
    seen = []
    x = jax.device_put(U[:16, 0], D)

    def called(x):
        for i in range(3):
            jax.debug.callback(lambda v: seen.append(("loop", float(v))), x[i])
        if x.sum() > 0:
            io_callback(lambda v: seen.append(("branch", float(v))), None, x.max())
        return jax.shard_map(each, mesh=ROW, in_specs=P("d"), out_specs=P("d"))(x)

    def each(x):
        jax.debug.callback(lambda v: seen.append(("device", float(v))), x.sum())
        return x

    def ordered(x):
        jax.debug.callback(seen.append, x.sum(), ordered=True)
        return x

    results = []
    for f in (called, xlapy.jit(called)):
        seen.clear()
        jax.block_until_ready(f(x))
        jax.effects_barrier()
        results.append(sorted(seen))
    np.testing.assert_allclose([v for _, v in results[0]], [v for _, v in results[1]], rtol=1e-6)
    assert [k for k, _ in results[0]] == [k for k, _ in results[1]]
    assert len(results[1]) == 3 + 1 + 8
    with pytest.raises(ValueError, match="not supported for more than 1 device"):
        xlapy.jit(ordered)(x)

    def positive(x):
        checkify.check(x.sum() < 0, "sum {s}", s=x.sum())
        return x * 2

    for error, result in (checkify.checkify(j(positive))(x) for j in (jax.jit, xlapy.jit)):
        assert f"sum {float(x.sum()):.4f}" in error.get()
        np.testing.assert_array_equal(result, x * 2)
