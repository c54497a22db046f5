"""Whole training runs on scikit-learn's digits, each one program: a model in plain Python and NumPy, and Optax."""

import jax
import numpy as np
import optax
import pytest

import xlapy
from benchmarks.models import data, digits, lstm, resnet50, training


class Dense:
    """A layer with momentum, whose arrays are updated in place."""

    def __init__(self, random, inputs, outputs):
        self.w = (random.standard_normal((inputs, outputs)) * np.sqrt(2.0 / inputs)).astype(np.float32)
        self.b = np.zeros(outputs, np.float32)
        self.speed = [np.zeros_like(self.w), np.zeros_like(self.b)]

    def __call__(self, x):
        return x @ self.w + self.b

    def update(self, gradient, rate):
        for value, slope, speed in zip((self.w, self.b), (gradient.w, gradient.b), self.speed, strict=True):
            speed *= 0.9
            speed += slope
            value -= rate * speed


class Perceptron:
    """64-128-64-10, in plain Python."""

    def __init__(self, seed=0):
        random = np.random.default_rng(seed)
        self.layers = [Dense(random, 64, 128), Dense(random, 128, 64), Dense(random, 64, 10)]
        self.steps = 0

    def logits(self, x):
        for layer in self.layers[:-1]:
            x = np.maximum(layer(x), 0.0)
        return self.layers[-1](x)

    def loss(self, x, y):
        z = self.logits(x)
        z = z - z.max(axis=1, keepdims=True)
        scores = z - np.log(np.exp(z).sum(axis=1, keepdims=True))
        return -scores[np.arange(len(y)), y].mean()

    def fit(self, x, y, epochs, batch, rate, seed):
        random = np.random.default_rng(seed)
        history = []
        for _ in range(epochs):
            order = random.permutation(len(x))
            for start in range(0, len(x) - batch + 1, batch):
                rows = order[start : start + batch]
                value, gradient = xlapy.value_and_grad(lambda model: model.loss(x[rows], y[rows]))(self)  # noqa: B023
                for layer, slopes in zip(self.layers, gradient.layers, strict=True):
                    layer.update(slopes, rate)
                self.steps += 1
                history.append(value)
        return history


def test_a_model_in_plain_python_trains():
    x, y, test_x, test_y = data.digits()
    model = Perceptron()
    arrays = [layer.w for layer in model.layers]
    fit = xlapy.jit(Perceptron.fit)
    history = fit(model, x, y, 30, 50, np.float32(0.03), 1)
    assert len(history) == 900 and float(history[0]) > 2.0 and float(history[-1]) < 0.05
    # the object is up to date: the same arrays, written in place
    assert model.steps == 900 and all(a is layer.w for a, layer in zip(arrays, model.layers, strict=True))
    assert np.mean(model.logits(test_x).argmax(axis=1) == test_y) > 0.97
    typed = xlapy.code_typed(Perceptron.fit, model, x, y, 30, 50, np.float32(0.03), 1)
    assert typed.count("\n") < 100  # two loops, and the step once


NETWORKS = {
    "perceptron, adam": (digits.perceptron, digits.perceptron_loss, digits.perceptron_logits, optax.adam(2e-3), 20),
    "convolutional, sgd": (
        digits.convolutional,
        digits.convolutional_loss,
        digits.convolutional_logits,
        optax.sgd(0.02, momentum=0.9),
        10,
    ),
}


@pytest.mark.parametrize("name", NETWORKS)
def test_a_whole_run_with_optax(name):
    make, loss, logits, optimiser, epochs = NETWORKS[name]
    parameters = make()
    x, y, test_x, test_y = map(jax.numpy.asarray, data.digits())
    key = jax.random.key(0)

    def run(parameters, x, y, key):
        return training.train(loss, optimiser, parameters, x, y, key, epochs, 50)

    trained, history = xlapy.jit(run)(parameters, x, y, key)
    assert history.shape == (epochs * 30,)
    assert np.mean(np.argmax(logits(trained, test_x), axis=1) == test_y) > 0.97
    _, expected = training.train_stepped(loss, optimiser, parameters, x, y, key, 1, 50)()
    np.testing.assert_allclose(history[:30], expected, rtol=1e-3, atol=1e-4)


def test_an_lstm_on_text():
    parameters, tokens = lstm.initialised(16), jax.numpy.asarray(lstm.text_batch(4, 12))
    found = xlapy.jit(lambda p, t: jax.value_and_grad(lstm.loss)(p, t))(parameters, tokens)
    expected = jax.value_and_grad(lstm.loss_by_hand)(parameters, tokens)
    for a, b in zip(jax.tree.leaves(found), jax.tree.leaves(expected), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-3, atol=1e-5)


def test_a_training_step_of_resnet50():
    parameters, running = resnet50.initialised(classes=10)
    # Of two images, the normalisation of the last layers makes a change of 1e-7 in an image one of 4 % in the loss.
    images = jax.numpy.asarray(data.photographs(8, 32))
    arguments = (parameters, running, images, jax.numpy.arange(8))
    found = xlapy.jit(resnet50.train_step)(*arguments)
    expected = jax.jit(resnet50.train_step)(*arguments)
    assert jax.tree.structure(found) == jax.tree.structure(expected)
    np.testing.assert_allclose(found[2], expected[2], rtol=1e-4)
    for a, b in zip(jax.tree.leaves(found[1]), jax.tree.leaves(expected[1]), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-2, atol=1e-3)
