"""Equinox's VGG19, compiled from the library's bytecode, against `jax.jit` of the same model."""

import jax
import numpy as np
import pytest

import xlapy

pytest.importorskip("equinox")
vgg19 = pytest.importorskip("benchmarks.models.vgg19")


@pytest.fixture(scope="module")
def small():
    """The whole architecture on small images: (model, images (2, 3, 32, 32))."""
    random = np.random.default_rng(0)
    images = jax.numpy.asarray(random.random((2, 3, 32, 32)), jax.numpy.float32)
    return vgg19.initialised(side=32), images


def test_agrees_with_jax(small):
    model, images = small
    np.testing.assert_allclose(
        xlapy.jit(vgg19.forward)(model, images), vgg19.forward(model, images), rtol=1e-4, atol=1e-6
    )


def test_holds_the_operations_of_the_architecture_and_no_parameter_as_a_constant():
    images = jax.ShapeDtypeStruct((1, 3, 224, 224), jax.numpy.float32)
    text = xlapy.code_xla(vgg19.forward, vgg19.shapes(), images)
    assert text.count("stablehlo.convolution") == 16
    assert text.count("stablehlo.dot_general") == 3
    assert text.count('"stablehlo.reduce_window"') == 5
    assert len(text) < 200_000
