"""Spectral methods. Numba has no Fourier transform and does not take part."""

import jax.numpy as jnp
import numpy as np
from jax import lax

from benchmarks.kernels.registry import kernel, sized


def burgers_with(xp, n):
    k = xp.fft.fftfreq(n, 1.0 / n)
    return 1j * k, -(k**2)


def burgers_jax(u, viscosity, dt, steps):
    first, second = burgers_with(jnp, len(u))

    def step(_, u):
        spectrum = jnp.fft.fft(u)
        slope, curve = jnp.fft.ifft(first * spectrum).real, jnp.fft.ifft(second * spectrum).real
        return u + dt * (viscosity * curve - u * slope)

    return lax.fori_loop(0, steps, step, u)


def burgers_arguments(random, scale):
    n = sized(1024, scale, 16)
    return np.sin(np.linspace(0.0, 2 * np.pi, n, endpoint=False)), 0.05, 1e-5, 100


@kernel(burgers_arguments, burgers_jax, numba=None, rtol=1e-8)
def burgers(u, viscosity, dt, steps):
    k = np.fft.fftfreq(len(u), 1.0 / len(u))
    for _ in range(steps):
        spectrum = np.fft.fft(u)
        slope = np.fft.ifft(1j * k * spectrum).real
        curve = np.fft.ifft(-(k**2) * spectrum).real
        u = u + dt * (viscosity * curve - u * slope)
    return u


def welch_arguments(random, scale):
    return random.standard_normal(sized(64, scale, 8) * 512), np.hanning(512)


def welch_jax(signal, window):
    size = len(window)
    starts = jnp.arange((len(signal) - size) // (size // 2) + 1) * (size // 2)
    parts = signal[starts[:, None] + jnp.arange(size)[None, :]]
    parts = (parts - parts.mean(axis=1, keepdims=True)) * window
    power = jnp.abs(jnp.fft.rfft(parts, axis=1)) ** 2
    return power.mean(axis=0) / (window**2).sum()


@kernel(welch_arguments, welch_jax, numba=None)
def welch(signal, window):
    size = len(window)
    step = size // 2
    count = (len(signal) - size) // step + 1
    power = np.zeros(size // 2 + 1)
    for i in range(count):
        part = signal[i * step : i * step + size]
        power += np.abs(np.fft.rfft((part - part.mean()) * window)) ** 2
    return power / count / (window**2).sum()


def waves(random, scale):
    return random.random(sized(60, scale)), random.random(sized(60, scale)), np.linspace(0.0, 9.0, sized(4000, scale))


def superposition_jax(sizes, frequencies, times):
    return sizes @ jnp.sin(frequencies[:, None] * times[None, :])


@kernel(waves, superposition_jax, numba=None)
def superposition(sizes, frequencies, times):
    return (sizes[:, np.newaxis] * np.sin(np.multiply.outer(frequencies, times))).sum(axis=0)
