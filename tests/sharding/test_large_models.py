"""Models of which each device has a part: tensor-parallel, or all parameters and moments divided; their checkpoints."""

import re

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import optax
import pytest
from jax.sharding import AxisType, Mesh, NamedSharding
from jax.sharding import PartitionSpec as P

import xlapy
from tests.sharding.devices import needs_devices

MODEL = eqx.nn.MLP(32, 16, 64, 2, key=jax.random.key(0))
ARRAYS, REST = eqx.partition(MODEL, eqx.is_array)
OPTIMISER = optax.adam(1e-2)
RANDOM = np.random.default_rng(0)
X = RANDOM.normal(size=(64, 32)).astype(np.float32)
LABELS = RANDOM.integers(0, 16, 64).astype(np.int32)


def forward(arrays, x):
    return jax.vmap(eqx.combine(arrays, REST))(x)


def loss(arrays, x, labels):
    return optax.softmax_cross_entropy_with_integer_labels(forward(arrays, x), labels).mean()


def step(arrays, moments, x, labels):
    value, slopes = jax.value_and_grad(loss)(arrays, x, labels)
    updates, moments = OPTIMISER.update(slopes, moments, arrays)
    return optax.apply_updates(arrays, updates), moments, value


def mesh_of(count):
    return Mesh(np.array(jax.devices()[:count]), ("d",), axis_types=(AxisType.Auto,))


def placed(tree, mesh, spec_of):
    return jax.tree.map_with_path(
        lambda path, x: jax.device_put(x, NamedSharding(mesh, spec_of(jax.tree_util.keystr(path), x))), tree
    )


def by_layers(name, _):
    """Outputs of one layer are divided, and inputs of the next: what is between them is never gathered."""
    if "layers[1]" in name:
        return P(None, "d") if name.endswith("weight") else P()
    return P("d")


def by_rows(_, x):
    return P("d") if x.ndim and x.shape[0] % 8 == 0 else P()


def shardings(tree):
    return jax.tree.map(lambda x: x.sharding, tree)


def collectives(jitted, *arguments):
    text = jitted.lower(*arguments).compile().as_text()
    kinds = re.findall(r" (all-gather|all-reduce|reduce-scatter|all-to-all|collective-permute)(?:-start)?\(", text)
    return {kind: kinds.count(kind) for kind in sorted(set(kinds))}


def held(tree):
    """Bytes of the first device, and of all."""
    leaves = jax.tree.leaves(tree)
    return sum(x.addressable_shards[0].data.nbytes for x in leaves), sum(x.nbytes for x in leaves)


def is_close(ours, theirs):
    for one, other in zip(jax.tree.leaves(ours), jax.tree.leaves(theirs), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-4, atol=1e-6)


@needs_devices
def test_tensor_parallel():
    mesh = mesh_of(8)
    arrays, x = placed(ARRAYS, mesh, by_layers), jax.device_put(X, NamedSharding(mesh, P()))
    is_close(xlapy.jit(forward)(arrays, x), forward(ARRAYS, X))
    weight = arrays.layers[1].weight
    assert weight.addressable_shards[0].data.nbytes * 8 == weight.nbytes
    assert collectives(xlapy.jit(forward), arrays, x) == collectives(jax.jit(forward), arrays, x)


@needs_devices
def test_parameters_and_moments_are_divided(tmp_path):
    ocp = pytest.importorskip("orbax.checkpoint")
    mesh = mesh_of(8)
    arrays, moments = (placed(tree, mesh, by_rows) for tree in (ARRAYS, OPTIMISER.init(ARRAYS)))
    x, labels = (jax.device_put(a, NamedSharding(mesh, P("d"))) for a in (X, LABELS))
    out = (shardings(arrays), shardings(moments), NamedSharding(mesh, P()))
    ours, theirs = xlapy.jit(step, out_shardings=out), jax.jit(step, out_shardings=out)
    assert collectives(ours, arrays, moments, x, labels) == collectives(theirs, arrays, moments, x, labels)
    state, expected = (arrays, moments), (ARRAYS, OPTIMISER.init(ARRAYS))
    for _ in range(3):
        *state, last = ours(*state, x, labels)
        *expected, wanted = jax.jit(step)(*expected, X, LABELS)
        np.testing.assert_allclose(last, wanted, rtol=1e-5)
    is_close(state, expected)
    assert jax.tree.map(lambda x: x.sharding.spec, state[0]) == jax.tree.map(lambda x: x.sharding.spec, arrays)
    own, everything = held(state)
    assert own < everything / 7
    # Another number of devices goes on where eight have stopped.
    with ocp.StandardCheckpointer() as checkpointer:
        checkpointer.save(tmp_path / "state", jax.tree.leaves(state))
        checkpointer.wait_until_finished()
        other = placed(expected, mesh_of(4), by_rows)
        target = [jax.ShapeDtypeStruct(a.shape, a.dtype, sharding=a.sharding) for a in jax.tree.leaves(other)]
        restored = checkpointer.restore(tmp_path / "state", target)
    state = jax.tree.unflatten(jax.tree.structure(expected), restored)
    x, labels = (jax.device_put(a, NamedSharding(mesh_of(4), P("d"))) for a in (X, LABELS))
    *state, last = xlapy.jit(step)(*state, x, labels)
    *expected, wanted = jax.jit(step)(*expected, X, LABELS)
    np.testing.assert_allclose(last, wanted, rtol=1e-5)
    assert len(last.sharding.device_set) == 4


@needs_devices
def test_another_structure_than_that_of_the_result():
    mesh = mesh_of(8)
    other = eqx.nn.Linear(2, 2, key=jax.random.key(0))
    wrong = jax.tree.map(lambda _: NamedSharding(mesh, P()), other)
    with pytest.raises(ValueError, match="another structure than the result"):
        xlapy.jit(lambda arrays: arrays, out_shardings=wrong)(placed(ARRAYS, mesh, by_rows))


@needs_devices
def test_fed_while_it_computes():
    """Batches come from a Python iterator, and are put on the devices while the step before them runs."""
    mesh = mesh_of(8)
    rows = NamedSharding(mesh, P("d"))

    def batches():
        for k in range(4):
            yield np.roll(X, k, axis=0), np.roll(LABELS, k)

    train, arrays, moments = xlapy.jit(step), placed(ARRAYS, mesh, lambda *_: P()), OPTIMISER.init(ARRAYS)
    moments = placed(moments, mesh, lambda *_: P())
    state, expected, losses, wanted = (arrays, moments), (ARRAYS, OPTIMISER.init(ARRAYS)), [], []
    coming = jax.device_put(next(source := batches()), rows)
    while coming is not None:
        here, batch = coming, next(source, None)
        *state, last = train(*state, *here)
        coming = None if batch is None else jax.device_put(batch, rows)
        losses.append(last)
    for batch in batches():
        *expected, last = jax.jit(step)(*expected, *batch)
        wanted.append(last)
    np.testing.assert_allclose(jnp.stack(losses), jnp.stack(wanted), rtol=1e-5)
    is_close(state, expected)
