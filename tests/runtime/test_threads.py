"""Calls from several threads at once: each compiles what it needs, and gets its own answer."""

import threading

import jax
import jax.numpy as jnp
import numpy as np

import xlapy


@xlapy.jit
def positive(x, n):
    total = 0.0
    for i in range(n):
        total += x[i] if x[i] > 0 else -0.5 * x[i]
    return total * np.ones(len(x))


@xlapy.jit
def captured(x):
    rows = jax.vmap(lambda row: jnp.sin(row).sum() + x.sum())(x)
    return rows + jax.lax.scan(lambda carry, row: (carry + row.sum(), carry), 0.0, x)[0]


def test_threads_do_not_disturb_one_another():
    failures: list[BaseException] = []

    def work(number: int) -> None:
        try:
            for iteration in range(3):
                x, y = np.linspace(-1.0, 1.0, 3 + number + iteration), jnp.ones((2 + number, 3 + iteration))
                np.testing.assert_allclose(positive(x, len(x)), positive.__wrapped__(x, len(x)))
                np.testing.assert_allclose(captured(y), captured.__wrapped__(y), rtol=1e-6)
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures, failures[0]
