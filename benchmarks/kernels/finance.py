"""Finance."""

import jax.numpy as jnp
import numpy as np
from jax import lax

from benchmarks.kernels.registry import kernel, sized


def normal_cdf(x):
    """Abramowitz and Stegun 26.2.17, absolute error below 7.5e-8."""
    t = 1.0 / (1.0 + 0.2316419 * np.abs(x))
    series = t * (0.319381530 + t * (-0.356563782 + t * (1.781477937 + t * (-1.821255978 + t * 1.330274429))))
    tail = np.exp(-0.5 * x * x) / np.sqrt(2.0 * np.pi) * series
    return np.where(x > 0, 1.0 - tail, tail)


def options(random, scale):
    n = sized(50000, scale)
    return random.uniform(80, 120, n), random.uniform(80, 120, n), random.uniform(0.1, 2, n), 0.03, 0.2


def black_scholes_jax(spot, strike, years, rate, volatility):
    def cdf(x):
        t = 1.0 / (1.0 + 0.2316419 * jnp.abs(x))
        series = t * (0.319381530 + t * (-0.356563782 + t * (1.781477937 + t * (-1.821255978 + t * 1.330274429))))
        tail = jnp.exp(-0.5 * x * x) / jnp.sqrt(2.0 * jnp.pi) * series
        return jnp.where(x > 0, 1.0 - tail, tail)

    width = volatility * jnp.sqrt(years)
    d1 = (jnp.log(spot / strike) + (rate + 0.5 * volatility**2) * years) / width
    worth = strike * jnp.exp(-rate * years)
    call = spot * cdf(d1) - worth * cdf(d1 - width)
    return call, call - spot + worth


@kernel(options, black_scholes_jax, numba=None)
def black_scholes(spot, strike, years, rate, volatility):
    width = volatility * np.sqrt(years)
    d1 = (np.log(spot / strike) + (rate + 0.5 * volatility**2) * years) / width
    worth = strike * np.exp(-rate * years)
    call = spot * normal_cdf(d1) - worth * normal_cdf(d1 - width)
    return call, call - spot + worth


def american_put_jax(spot, strike, rate, volatility, years, steps):
    dt = years / steps
    up = jnp.exp(volatility * jnp.sqrt(dt))
    chance = (jnp.exp(rate * dt) - 1.0 / up) / (up - 1.0 / up)
    discount = jnp.exp(-rate * dt)
    index = jnp.arange(steps + 1)

    def level(k, value):
        i = steps - 1 - k
        held = discount * (chance * jnp.roll(value, -1) + (1.0 - chance) * value)
        now = strike - spot * up ** (2.0 * index - i)
        return jnp.maximum(held, now)

    start = jnp.maximum(strike - spot * up ** (2.0 * index - steps), 0.0)
    return lax.fori_loop(0, steps, level, start)[0]


@kernel(
    lambda random, scale: (100.0, 105.0, 0.03, 0.2, 1.0, sized(800, scale)),
    american_put_jax,
    static=(5,),
    rtol=1e-8,
)
def american_put(spot, strike, rate, volatility, years, steps):
    dt = years / steps
    up = np.exp(volatility * np.sqrt(dt))
    chance = (np.exp(rate * dt) - 1.0 / up) / (up - 1.0 / up)
    discount = np.exp(-rate * dt)
    value = np.maximum(strike - spot * up ** (2.0 * np.arange(steps + 1) - steps), 0.0)
    for i in range(steps - 1, -1, -1):
        now = strike - spot * up ** (2.0 * np.arange(i + 1) - i)
        value[: i + 1] = discount * (chance * value[1 : i + 2] + (1.0 - chance) * value[: i + 1])
        value[: i + 1] = np.maximum(value[: i + 1], now)
    return value[0]


def prices(random, scale):
    return (np.exp(random.standard_normal(sized(200000, scale, 300)) * 0.01).cumprod(), 20, 100)


def crossover_jax(price, short, long):
    total = jnp.concatenate([jnp.zeros(1), jnp.cumsum(price)])
    fast = (total[short:] - total[:-short]) / short
    slow = (total[long:] - total[:-long]) / long
    held = (fast[long - short :] > slow)[:-1]
    gain = price[long:] / price[long - 1 : -1] - 1.0
    return jnp.sum(jnp.where(held, gain, 0.0)), jnp.sum(held[1:] != held[:-1])


@kernel(prices, crossover_jax, numba=None, static=(1, 2), rtol=1e-6)
def crossover(price, short, long):
    total = np.concatenate([np.zeros(1), np.cumsum(price)])
    fast = (total[short:] - total[:-short]) / short
    slow = (total[long:] - total[:-long]) / long
    held = (fast[long - short :] > slow)[:-1]
    gain = price[long:] / price[long - 1 : -1] - 1.0
    return gain[held].sum(), np.count_nonzero(held[1:] != held[:-1])
