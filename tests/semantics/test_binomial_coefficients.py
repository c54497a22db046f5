"""scipy.special.binom and comb, of numbers and of arrays."""

import numpy as np
import scipy.special

from .runner import Programs

program = Programs()

N = np.array([4.0, 10.0, 30.0, 60.0, 7.0, 5.5, 200.0])
K = np.array([2.0, 7.0, 15.0, 29.0, 0.0, 3.0, 100.0])
T = np.linspace(0.0, 1.0, 7)
POINTS = np.array([[0.0, 0.0], [2.0, 1.0], [4.0, 3.0], [5.0, 0.0]])

program.each(
    (N, K),
    (N + 0.5, K[::-1].copy()),
    coefficients=lambda n, k: scipy.special.binom(n, k),
    outer=lambda n, k: scipy.special.binom(n[:, None], np.arange(6)),
    choices=lambda n, k: scipy.special.comb(n, np.floor(k)),
    repeated=lambda n, k: scipy.special.comb(np.floor(n), np.floor(k), repetition=True),
)


@program((POINTS, T), (POINTS * 2 - 1, T))
def curve(points, times):
    n = len(points) - 1
    found = np.zeros((len(times), 2))
    for j, t in enumerate(times):
        for i in range(n + 1):
            found[j] += scipy.special.comb(n, i) * t**i * (1 - t) ** (n - i) * points[i]
    return found


@program((np.array([10, 3, 2]),), (np.array([50, 25, 5]),))
def whole_numbers(a):
    return scipy.special.binom(a[0], a[1]), scipy.special.comb(a[0], a[2]), scipy.special.comb(a[2], a[0])


@program((np.array([2.5]), np.array([7.25])), refuse=True)
def beyond(n, k):
    return scipy.special.binom(n, k)


test_programs = program.test()
