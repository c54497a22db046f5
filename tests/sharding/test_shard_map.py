"""`jax.shard_map` around compiled functions, and in programs, of bodies in NumPy: with JAX's account of what varies
from device to device, which its default is."""

from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.sharding import AxisType, NamedSharding
from jax.sharding import PartitionSpec as P

import xlapy
from tests.sharding.devices import ARE_HERE, COUNT, needs_devices

AUTO, EXPLICIT = (
    (jax.make_mesh((COUNT,), ("d",), axis_types=(kind,)) if ARE_HERE else None)
    for kind in (AxisType.Auto, AxisType.Explicit)
)
X = np.random.default_rng(0).random((16, 8), np.float32)


def part(k):
    return X[2 * k : 2 * k + 2]


# -- bodies, and what the device with number k makes of its part ------------------------------------------------------


def cut(x):
    return np.where(x > 0.5, np.sort(x, axis=1), 0.0) * 2.0


def centred(x):
    return x - jax.lax.pmean(x, "d")


def added(x):
    total = 0.0
    for i in range(x.shape[0]):
        total = total + x[i].sum()
    return x * total


def halved(x):
    steps = 0
    while jax.lax.psum(x.sum(), "d") > 1.0:
        x = x * 0.5
        steps += 1
    return x + steps


def halved_everywhere(k):
    x, steps = X, 0
    while x.sum() > 1.0:
        x, steps = x * 0.5, steps + 1
    return x[2 * k : 2 * k + 2] + steps


def branched(x):
    if x.sum() > 8:
        x = x * 2
    else:
        x = x - 1
    return x


def stencil(x):
    before = jax.lax.ppermute(x[-1:], "d", [(i, (i + 1) % COUNT) for i in range(COUNT)])
    after = jax.lax.ppermute(x[:1], "d", [(i, (i - 1) % COUNT) for i in range(COUNT)])
    whole = np.concatenate([before, x, after])
    return 0.5 * (whole[2:] + whole[:-2])


def numbered(x):
    made = np.zeros_like(x)
    for i in range(x.shape[0]):
        made[i] = x[i] / x[i].sum() + jax.lax.axis_index("d")
    return made * jax.lax.axis_size("d")


def gathered(x):
    return jax.lax.all_gather(x, "d", tiled=True).sum(0) + x


def exchanged(x):
    return jax.lax.all_to_all(x, "d", 1, 0, tiled=True)


def scattered(x):
    return jax.lax.psum_scatter(x.sum(0), "d", tiled=True)


def sloped(x):
    return xlapy.grad(lambda v: (np.tanh(v) ** 2).sum())(x)


def scanned(x):
    return jax.lax.fori_loop(0, 3, lambda i, c: c * 0.5 + jax.lax.psum(c, "d"), x)


def scanned_everywhere(k):
    x = X.reshape(8, 2, 8)
    for _ in range(3):
        x = x * 0.5 + x.sum(0)
    return x[k]


def activated(x):
    return jax.nn.relu(x - 0.5) + jax.nn.softmax(x)


PARTS = [
    (cut, lambda k: cut(part(k))),
    (centred, lambda k: part(k) - X.reshape(8, 2, 8).mean(0)),
    (added, lambda k: added(part(k))),
    (halved, halved_everywhere),
    (branched, lambda k: branched(part(k))),
    (stencil, lambda k: 0.5 * (np.roll(X, 1, 0) + np.roll(X, -1, 0))[2 * k : 2 * k + 2]),
    (numbered, lambda k: (part(k) / part(k).sum(1, keepdims=True) + k) * COUNT),
    (gathered, lambda k: X.sum(0) + part(k)),
    (exchanged, lambda k: X[:, k : k + 1]),
    (scattered, lambda k: X.reshape(8, 2, 8).sum((0, 1))[k : k + 1]),
    (sloped, lambda k: 2 * np.tanh(part(k)) * (1 - np.tanh(part(k)) ** 2)),
    (scanned, scanned_everywhere),
    (activated, lambda k: np.asarray(activated(part(k)))),
]


@needs_devices
@pytest.mark.parametrize(("body", "wanted"), PARTS, ids=lambda f: f.__name__)
def test_bodies(body, wanted):
    expected = np.concatenate([wanted(k) for k in range(COUNT)])
    mapped = partial(jax.shard_map, in_specs=P("d"), out_specs=P("d"))
    made = [mapped(xlapy.jit(body), mesh=AUTO)(X)]
    if body in (centred, stencil, numbered):
        x = jax.device_put(X, NamedSharding(EXPLICIT, P("d")))
        made.append(xlapy.jit(lambda x: mapped(body, mesh=EXPLICIT)(x))(x))
    else:
        made.append(xlapy.jit(lambda x: mapped(body, mesh=AUTO)(x))(X))
    for found in made:
        assert found.dtype == np.float32
        np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-6)


def settled(x):
    total = x.sum()
    for _ in range(3):
        total = jax.lax.pmean(total, "d") * 0.5
    return total


@needs_devices
@pytest.mark.parametrize(
    ("body", "wanted", "slope"),
    [
        (lambda x: jax.lax.psum(x.sum(), "d"), X.sum(), 1.0),
        (lambda x: jax.lax.pmax(np.abs(x).max(), "d"), X.max(), None),
        (settled, X.sum() / 64, 1 / 64),
    ],
)
def test_the_same_everywhere(body, wanted, slope):
    mapped = partial(jax.shard_map, mesh=AUTO, in_specs=P("d"), out_specs=P())
    np.testing.assert_allclose(mapped(xlapy.jit(body))(X), wanted, rtol=1e-5)
    np.testing.assert_allclose(xlapy.jit(lambda x: mapped(body)(x))(X), wanted, rtol=1e-5)
    if slope is not None:
        found = xlapy.grad(lambda x: mapped(body)(x))(jnp.asarray(X))
        np.testing.assert_allclose(found, np.full_like(X, slope), rtol=1e-5)


def loss(w, x):
    return (np.tanh(x @ w) ** 2).mean()


def summed(w, x):
    return w - 0.1 * xlapy.grad(loss)(w, x)


def averaged(w, x):
    own = jax.lax.pcast(w, "d", to="varying")
    return w - 0.1 * jax.lax.pmean(xlapy.grad(loss)(own, x), "d")


def trained(w, x):
    for _ in range(3):
        w = w - 0.1 * xlapy.grad(lambda w: jax.lax.pmean(loss(w, x), "d"))(w)
    return w


@needs_devices
@pytest.mark.parametrize("step", [summed, averaged, trained])
def test_gradients_of_what_is_everywhere(step):
    w = jnp.asarray(X.T[:, :4])
    mapped = partial(jax.shard_map, mesh=AUTO, in_specs=(P(), P("d")), out_specs=P())
    # JAX adds up the derivatives of what all devices share
    slope = xlapy.grad(lambda w, x: loss(w, x) * (COUNT if step is summed else 1))
    wanted = w
    for _ in range(3 if step is trained else 1):
        wanted = wanted - 0.1 * slope(wanted, jnp.asarray(X))
    np.testing.assert_allclose(mapped(xlapy.jit(step))(w, X), wanted, rtol=1e-5)
    np.testing.assert_allclose(xlapy.jit(lambda w, x: mapped(step)(w, x))(w, X), wanted, rtol=1e-5)


if ARE_HERE:

    @jax.shard_map(mesh=AUTO, in_specs=P("d"), out_specs=P("d"))
    def of_the_module(x):
        total = np.zeros(3, np.float32)
        for i in range(x.shape[0]):
            total[i % 3] += x[i].sum()
        return x * total.sum()


@needs_devices
def test_forms():
    @partial(jax.shard_map, mesh=AUTO, in_specs=P("d"), out_specs=P("d"))
    def local(x):
        return x - x.mean()

    def twice(x):
        for _ in range(2):
            x = of_the_module(local(x))
        return x

    wanted = X
    for _ in range(2):
        parts = [x - x.mean() for x in np.split(wanted, COUNT)]
        wanted = np.concatenate([x * x.sum() for x in parts])
    np.testing.assert_allclose(xlapy.jit(twice)(X), wanted, rtol=1e-3, atol=1e-6)
    grid = jax.make_mesh((4, 2), ("a", "b"), axis_types=(AxisType.Auto,) * 2)
    partly = partial(jax.shard_map, mesh=grid, in_specs=P("a"), out_specs=P("a"), axis_names={"a"})
    found = xlapy.jit(lambda x: partly(lambda x: np.sin(x) - jax.lax.pmean(x, "a"))(x))(X)
    np.testing.assert_allclose(found, np.sin(X) - np.tile(X.reshape(4, 4, 8).mean(0), (4, 1)), rtol=1e-4, atol=1e-6)


@needs_devices
def test_what_is_not_the_same_everywhere_is_no_result_that_is():
    mapped = partial(jax.shard_map, mesh=AUTO, in_specs=P("d"), out_specs=P())
    with pytest.raises(ValueError, match="replication which can't be statically inferred"):
        mapped(xlapy.jit(lambda x: x.sum()))(X)
    with pytest.raises(ValueError, match="replication which can't be statically inferred"):
        xlapy.jit(lambda x: mapped(lambda x: x.sum())(x))(X)


@needs_devices
def test_with_and_without_the_account():
    compiled = xlapy.jit(centred)
    for check in (False, True, False):
        found = jax.shard_map(compiled, mesh=AUTO, in_specs=P("d"), out_specs=P("d"), check_vma=check)(X)
        np.testing.assert_allclose(found, X - np.tile(X.reshape(8, 2, 8).mean(0), (8, 1)), atol=1e-6)
