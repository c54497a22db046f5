"""XLA's options: which programs are compiled with which."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import xlapy
from tests.passes.programs import program
from xlapy.ir import Region
from xlapy.lowering.cpu_xla.compiler_options import _is_option, compiler_options, options_for

EMITTERS, LEFT_OUT = "xla_cpu_use_fusion_emitters", "xla_disable_hlo_passes"
#: whether there are programs without emitters
OPTIONAL = EMITTERS in (compiler_options(Region(()), None, None) or {})
pytestmark = pytest.mark.skipif(jax.default_backend() != "cpu", reason="options for CPUs")


def options(function, *arguments, given=None):
    module, _ = program(function, arguments)
    return compiler_options(module.entry, given, None) or {}


def counted(n, x):
    for _ in range(n):
        x = x * 0.5 + 1.0
    return x


@pytest.mark.parametrize(
    ("function", "arguments", "small"),
    [
        (lambda x: x * 2 + 1, (np.arange(9),), True),
        (lambda x: x * 2 + 1, (np.arange(2000.0),), True),
        (lambda x: x * 2 + 1, (np.arange(5000.0),), False),
        (lambda x: np.exp(-x), (np.arange(200.0),), True),
        (lambda x: np.exp(-x), (np.arange(2000.0) / 300,), False),
        (lambda x: np.outer(x, x).sum(), (np.arange(20.0),), True),
        (lambda x: np.outer(x, x).sum(), (np.arange(200.0),), False),
        (lambda x: (x[:, None] * x).max(axis=1), (np.arange(200),), False),
        (counted, (5, np.ones(20)), True),
        (counted, (5, np.ones(3000)), False),
    ],
)
def test_small_programs_have_no_emitters(function, arguments, small):
    assert (options(function, *arguments).get(EMITTERS) is False) == (small and OPTIONAL)
    np.testing.assert_allclose(xlapy.jit(function)(*arguments), function(*arguments), rtol=1e-14)


def test_the_callers_emitters_go_first():
    assert options(lambda x: x + 1, np.arange(9), given={EMITTERS: True})[EMITTERS] is True
    given = {LEFT_OUT: "dce"}
    found = {**given, EMITTERS: False} if OPTIONAL else given
    assert options(lambda x: x + 1, np.arange(9), given=given) == found


def test_which_options_there_are():
    """What is known of this version of jaxlib is what it says if it is asked."""
    for name, value in (
        (EMITTERS, False),
        ("xla_cpu_experimental_ynn_fusion_type", "LIBRARY_FUSION_TYPE_INDIVIDUAL_DOT"),
    ):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("xlapy.lowering.cpu_xla.compiler_options._ASKED", ())
            asked = _is_option.__wrapped__(name, value)
        assert _is_option(name, value) == asked
    assert not _is_option("xla_cpu_no_such_option", True)


@pytest.mark.parametrize(
    "function", [jax.vmap(lambda x: jnp.tanh(x).max()), jnp.argmax, lambda x: jax.nn.softmax(x).sum()]
)
def test_programs_of_jax_are_left_to_jax(function):
    found = []

    def spy(*arguments):
        found.append(options_for(*arguments))
        return found[-1]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("xlapy.runtime.specialisation.options_for", spy)
        xlapy.jit(lambda x: function(x))(jnp.ones((3, 5)))
    assert found == [None]


@pytest.mark.parametrize(
    ("function", "exact"),
    [
        (lambda x: (x > 0.5).argmax(axis=1), True),
        (lambda x: (x > 0.5).sum(), True),
        (lambda x: (x * 2).max(axis=0), True),
        (lambda x: x.sum(), False),
        (lambda x: x.max() + x.mean(axis=1), False),
        (lambda x: x.prod(axis=1), False),
        (lambda x: x + 1, True),
    ],
)
def test_exact_reductions_make_no_trees(function, exact):
    x = np.random.default_rng(0).normal(size=(100, 300))
    assert ("tree" in options(function, x).get(LEFT_OUT, "")) == exact
    if exact:
        assert "reduce-window(" not in xlapy.code_xla(function, x, opt=True)
    np.testing.assert_allclose(xlapy.jit(function)(x), function(x), rtol=1e-12)


def test_sums_of_many_numbers_are_as_accurate_as_they_were():
    """Added up one after the other, their error would be a hundred times that."""
    x = np.full((3, 200_000), 0.1, np.float32)
    for function in (lambda x: x.sum(axis=1), lambda x: (x * 1.5).sum(), lambda x: x.max() + (x - 1).sum(axis=1)):
        exact = function(x.astype(float))
        error = np.abs(xlapy.jit(function)(x) - exact).max() / np.abs(exact).max()
        assert error < 3e-6
