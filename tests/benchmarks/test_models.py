"""The models' ordinary and hand-written forms compute the same, on small inputs; the TPU worker's surroundings."""

import os

import jax
import numpy as np
import optax
import pytest

from benchmarks.agreement import disagreement
from benchmarks.ahead_of_time.compile_rows import TOPOLOGIES, targets, worker_environment
from benchmarks.measure import Stats
from benchmarks.models import data, digits, lstm, resnet50, training
from benchmarks.report.tables import by_batch
from benchmarks.results import Result
from benchmarks.solvers.runge_kutta import ERROR, STAGES, adaptive_runge_kutta
from benchmarks.solvers.tsvd import TSVD, truncated_svd
from benchmarks.suites.solvers import SOLVERS


def test_digits_are_split_without_overlap():
    images, labels, test_images, test_labels = data.digits()
    assert images.shape == (1500, 64) and test_images.shape == (297, 64)
    assert len(labels) == 1500 and set(np.unique(test_labels)) == set(range(10))
    assert 0.0 <= images.min() and images.max() == 1.0


def test_three_ways_to_train_agree():
    images, labels, *_ = (jax.device_put(x[:96]) for x in data.digits())
    arguments = (
        digits.perceptron_loss,
        optax.adam(1e-3),
        digits.perceptron(),
        images,
        labels,
        jax.random.key(1),
        2,
        32,
    )
    ordinary = training.train(*arguments)
    assert ordinary[1].shape == (6,)
    assert disagreement(ordinary, training.train_stepped(*arguments)(), rtol=1e-4, atol=1e-5) is None
    by_hand = jax.jit(lambda p: training.train_by_hand(*arguments[:2], p, *arguments[3:]))(arguments[2])
    assert disagreement(ordinary, by_hand, rtol=1e-4, atol=1e-5) is None
    fed = training.train_fed(*arguments[:3], np.asarray(images), np.asarray(labels), *arguments[5:])()
    assert disagreement(ordinary, fed, rtol=1e-4, atol=1e-5) is None


def test_bytes_fed_are_those_that_the_steps_are_handed():
    images, labels, *_ = data.digits()
    up, down = training.bytes_fed(images, labels, epochs=2, batch=32)
    rows = 1500 // 32 * 32 * 2
    assert up == rows * 64 * images.itemsize + rows * labels.itemsize
    assert down == rows // 32 * 4 + rows * 4  # losses, and orders of int32


def test_enlarged_digits_are_for_the_wide_perceptron():
    images, labels, test_images, test_labels = data.enlarged_digits()
    small, small_labels, *_ = data.digits()
    assert images.shape == (1500, 784) and test_images.shape == (297, 784) and images.dtype == np.float32
    np.testing.assert_array_equal(labels, small_labels)
    np.testing.assert_allclose(images.sum(axis=1), 9 * small.sum(axis=1), rtol=1e-5)
    assert digits.perceptron_logits(digits.wide_perceptron(), test_images[:5]).shape == (5, 10)


def test_lstm_by_hand():
    parameters, tokens = lstm.initialised(8), lstm.text_batch(3, 5)
    assert tokens.shape == (3, 6) and tokens.min() >= 0 and tokens.max() < lstm.SYMBOLS
    assert lstm.loss(parameters, tokens) == pytest.approx(float(lstm.loss_by_hand(parameters, tokens)), rel=1e-5)


def test_entropy_is_the_loss_of_knowing_the_frequencies():
    tokens = lstm.text_batch(8, 50)
    parameters = jax.tree.map(jax.numpy.zeros_like, lstm.initialised(4))
    following = tokens[:, 1:]
    counts = np.bincount(following.ravel(), minlength=lstm.SYMBOLS)
    scores = np.log(np.maximum(counts, 1e-30) / counts.sum())
    assert lstm.entropy(tokens) == pytest.approx(-scores[following].mean())
    assert lstm.entropy(tokens) < float(lstm.loss_by_hand(parameters, tokens)) == pytest.approx(np.log(lstm.SYMBOLS))


def test_resnet50_has_the_published_number_of_parameters():
    parameters, running = resnet50.initialised()
    leaves = jax.tree.leaves(parameters)
    assert sum(leaf.size for leaf in leaves) == resnet50.PARAMETERS
    images = jax.ShapeDtypeStruct((2, 3, 224, 224), np.float32)
    logits, statistics = jax.eval_shape(lambda x: resnet50.forward(parameters, running, x, training=True), images)
    assert logits.shape == (2, 1000)
    assert jax.tree.structure(statistics) == jax.tree.structure(running)


def test_truncated_svd_finds_the_largest_values():
    a, start, steps, wanted = TSVD.made(0.2)
    expected = np.linalg.svd(a)[1][:wanted]
    np.testing.assert_allclose(truncated_svd(a, start, steps, wanted), expected, rtol=1e-5)


def test_runge_kutta_tableau_and_convergence():
    np.testing.assert_allclose(STAGES.sum(axis=1), [0, 0.2, 0.3, 0.8, 8 / 9, 1, 1])  # the nodes
    assert abs(ERROR.sum()) < 1e-12
    start = np.array([1.0, 1.0, 1.0])
    loose, fine = (adaptive_runge_kutta(start, 0.5, tol, STAGES, ERROR) for tol in (1e-6, 1e-10))
    np.testing.assert_allclose(loose[0], fine[0], rtol=1e-4)
    assert fine[1] > loose[1]
    assert adaptive_runge_kutta(start, 2.0, 1e-7, STAGES, ERROR)[2] > 0  # some steps are rejected


@pytest.mark.parametrize("spec", SOLVERS, ids=lambda spec: spec.name)
def test_solvers_by_hand(spec):
    with jax.enable_x64(True):
        result = jax.jit(spec.jax, static_argnums=spec.static)(*spec.made(0.2))
    assert disagreement(spec.function(*spec.made(0.2)), result, spec.rtol, spec.atol) is None


def test_the_tpu_compilers_surroundings_do_not_leak(monkeypatch):
    monkeypatch.delenv("TPU_ACCELERATOR_TYPE", raising=False)
    for target in targets("tpu"):
        assert worker_environment(target)["TPU_ACCELERATOR_TYPE"] == TOPOLOGIES[target.removeprefix("tpu:")]
    assert "TPU_ACCELERATOR_TYPE" not in os.environ


def test_total_and_compute_are_lines_of_their_own_off_the_cpu():
    rows = [
        Result("vgg19", "forward", "xlapy", "cpu", batch=1, dtype="float32", times={"run": Stats((2.0,))}),
        Result(
            "vgg19",
            "forward",
            "xlapy",
            "gpu",
            batch=1,
            dtype="float32",
            times={"run": Stats((0.1,)), "total": Stats((0.3,))},
        ),
        Result("vgg19", "forward", "xlapy", "cpu", batch=10, dtype="float32", times={"run": Stats((9.0,))}),
        Result("vgg19", "gradient", "xlapy", "cpu", batch=1, times={"run": Stats((5.0,))}),
    ]
    table = by_batch(rows)
    assert table.columns == ["", "batch 1", "batch 10"]
    assert table.rows == [
        ["xlapy CPU float32", "2 s", "9 s"],
        ["xlapy GPU float32 (total)", "300 ms", ""],
        ["xlapy GPU float32 (compute)", "100 ms", ""],
    ]
