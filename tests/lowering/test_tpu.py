"""What XLA's compiler for TPUs does not know of 64-bit numbers, in other words: compared with NumPy, on the CPU.

The compiler itself is asked where libtpu is installed."""

import importlib.util
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

import xlapy
from xlapy.lowering.tpu import float64_rewrites

RNG = np.random.default_rng(0)


@pytest.fixture(autouse=True)
def x64():
    with jax.enable_x64(True):
        yield


@pytest.mark.parametrize("size", [1, 2, 3, 127, 128, 129, 255, 257, 1000, 128 * 128 + 1])
@pytest.mark.parametrize("dtype", [np.float64, np.complex128])
def test_cumulative_sums(size, dtype):
    x = RNG.normal(size=(2, size)).astype(dtype) * (1 if dtype is np.float64 else 1 + 2j)
    given = jnp.asarray(x)
    close: dict[str, Any] = {"rtol": 1e-12, "atol": 1e-12}
    np.testing.assert_allclose(float64_rewrites.cumulative(lax.add, given, 1), np.cumsum(x, 1), **close)
    np.testing.assert_allclose(float64_rewrites.cumulative(lax.add, given.T, 0), np.cumsum(x.T, 0), **close)
    backwards = np.cumsum(x[:, ::-1], 1)[:, ::-1]
    np.testing.assert_allclose(float64_rewrites.cumulative(lax.add, given, 1, reverse=True), backwards, **close)


@pytest.mark.parametrize("size", [5, 200, 300])
def test_other_cumulative_functions(size):
    x = 1 + RNG.normal(size=size) / 10
    given = jnp.asarray(x)
    np.testing.assert_allclose(float64_rewrites.cumulative(lax.mul, given, 0), np.cumprod(x), rtol=1e-12)
    np.testing.assert_array_equal(float64_rewrites.cumulative(lax.max, given, 0), np.maximum.accumulate(x))
    np.testing.assert_array_equal(float64_rewrites.cumulative(lax.min, given, 0), np.minimum.accumulate(x))
    np.testing.assert_allclose(
        float64_rewrites.cumulative(jnp.logaddexp, given, 0), np.logaddexp.accumulate(x), rtol=1e-12
    )
    x[size // 2] = np.inf
    np.testing.assert_array_equal(
        float64_rewrites.cumulative(lax.add, jnp.asarray(x), 0) == np.inf, np.cumsum(x) == np.inf
    )


SIZES = [1, 2, 3, 4, 7, 30, 64, 67, 97, 128, 202, 210, 1000, 1024, 1009, 2 * 73, 4096, 3 * 5 * 7 * 11 * 13]


@pytest.mark.parametrize("size", SIZES)
def test_transforms(size):
    z = RNG.normal(size=(2, size)) + 1j * RNG.normal(size=(2, size))
    close: dict[str, Any] = {"rtol": 1e-10, "atol": 1e-12 * size}
    np.testing.assert_allclose(float64_rewrites.fft(jnp.asarray(z), "FFT", (size,)), np.fft.fft(z), **close)
    np.testing.assert_allclose(float64_rewrites.fft(jnp.asarray(z), "IFFT", (size,)), np.fft.ifft(z), **close)
    np.testing.assert_allclose(float64_rewrites.fft(jnp.asarray(z.real), "RFFT", (size,)), np.fft.rfft(z.real), **close)
    half = z[:, : size // 2 + 1]
    np.testing.assert_allclose(
        float64_rewrites.fft(jnp.asarray(half), "IRFFT", (size,)), np.fft.irfft(half, size), **close
    )


@pytest.mark.parametrize("shape", [(4, 6), (5, 7), (3, 4, 10)])
def test_transforms_along_several_axes(shape):
    z = RNG.normal(size=(2, *shape)) + 1j * RNG.normal(size=(2, *shape))
    axes = range(1, z.ndim)
    np.testing.assert_allclose(
        float64_rewrites.fft(jnp.asarray(z), "FFT", shape), np.fft.fftn(z, axes=axes), atol=1e-11
    )
    np.testing.assert_allclose(
        float64_rewrites.fft(jnp.asarray(z), "IFFT", shape), np.fft.ifftn(z, axes=axes), atol=1e-11
    )
    half = np.fft.rfftn(z.real, axes=axes)
    np.testing.assert_allclose(float64_rewrites.fft(jnp.asarray(z.real), "RFFT", shape), half, atol=1e-11)
    np.testing.assert_allclose(float64_rewrites.fft(jnp.asarray(half), "IRFFT", shape), z.real, atol=1e-11)


def program(x):
    """Transforms and sums outside of loops, in a loop, and in a branch."""
    total = np.cumsum(x)
    for k in range(3):
        total = total + np.fft.ifft(np.fft.fft(total) * k).real
        if total[0] > 0:
            total = np.cumsum(total) / total.size
    return total, np.fft.irfft(np.fft.rfft(x)), np.maximum.accumulate(x)


@pytest.mark.parametrize("certain", [True, False])
def test_wherever_in_a_program_they_stand(certain):
    x = RNG.normal(size=100)

    def jax_program(x):
        def body(k, total):
            total = total + jnp.fft.ifft(jnp.fft.fft(total) * k).real
            return lax.cond(total[0] > 0, lambda t: jnp.cumsum(t) / t.size, lambda t: t, total)

        return [lax.fori_loop(0, 3, body, jnp.cumsum(x)), jnp.fft.irfft(jnp.fft.rfft(x)), lax.cummax(x)]

    traced = str(jax.make_jaxpr(lambda x: float64_rewrites.computed(jax_program, [x], certain))(x))
    if certain:
        assert not any(f"= {name}[" in traced for name in ("cumsum", "cummax", "fft"))
    got = jax.jit(lambda x: float64_rewrites.computed(jax_program, [x], certain))(x)
    for one, other in zip(got, program(x), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-9)


@pytest.mark.skipif(importlib.util.find_spec("libtpu") is None, reason="libtpu is not installed")
def test_compiled_for_a_tpu(monkeypatch):
    monkeypatch.setenv("ALLOW_MULTIPLE_LIBTPU_LOAD", "1")
    compiled = xlapy.jit(program).lower(np.ones(1000)).compile(target="tpu:v5e:2x2")
    assert compiled.cost_analysis()["flops"] > 0
