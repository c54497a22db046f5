"""Arrays whose dtype or class changes in the first trips of a loop: these are peeled, the rest stays a loop."""

import jax.numpy as jnp
import numpy as np

from .runner import Programs

program = Programs()

K = np.arange(5)
J = jnp.linspace(0.0, 1.0, 16)


@program((K, 50), (K, 0), (K, 1), (K, 2))
def integers_become_floats(x, n):
    for _ in range(n):
        x = x * 0.5
    return x


@program((K, 50), (K, 0), (K, 1), (K, 2), (K, 3))
def one_after_the_other(x, n):
    y = np.zeros(5, int)
    for _ in range(n):
        x, y = x * 0.5 + y, x
    return x, y


@program((J, 20), (J, 0), (J, 1), (J, 3), rtol=1e-5)
def arrays_of_jax_become_arrays_of_numpy(u, n):
    previous = u
    for _ in range(n):
        following = np.zeros(u.shape, np.float32)
        following[1:-1] = 2 * u[1:-1] - previous[1:-1] + 0.1 * (u[2:] - 2 * u[1:-1] + u[:-2])
        previous, u = u, following
    return u


@program((J, 20), (J, 0), (J, 1), (J, 3), rtol=1e-5)
def stores_of_constants(u, n):
    previous = np.zeros(16)
    for _ in range(n):
        following = (1.5 * u - 0.5 * previous).at[0].set(0.0)
        previous, u = u, following
    return u


@program((K, 1e-3), (K, 10.0))
def until_data_says_so(x, tolerance):
    trips = 0
    while np.abs(x).max() > tolerance:
        x = x / 2
        trips += 1
    return x, trips


@program((K, 6))
def shapes_never_settle(x, n):
    for _ in range(n):
        x = np.concatenate([x, x[:1] * 2])
    return x


test_programs = program.test()
