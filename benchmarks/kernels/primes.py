"""Sieves and residues."""

import numpy as np

from benchmarks.kernels.registry import kernel, sized


@kernel(lambda random, scale: (sized(100000, scale),))
def eratosthenes(n):
    prime = np.ones(n + 1, np.bool_)
    prime[:2] = False
    for i in range(2, int(n**0.5) + 1):
        if prime[i]:
            prime[i * i :: i] = False
    return np.nonzero(prime)[0]


@kernel(lambda random, scale: (sized(10000, scale),))
def linear_sieve(n):
    least = np.zeros(n + 1, np.int64)
    primes = np.empty(n + 1, np.int64)
    count = 0
    for i in range(2, n + 1):
        if least[i] == 0:
            least[i] = i
            primes[count] = i
            count += 1
        j = 0
        while j < count and primes[j] <= least[i] and i * primes[j] <= n:
            least[i * primes[j]] = primes[j]
            j += 1
    return primes[:count], least


@kernel(lambda random, scale: (random.integers(1, 1 << 30, sized(300, scale)), 1000003))
def modular_powers(x, p):
    out = np.empty_like(x)
    for i in range(len(x)):
        base, e, r = x[i] % p, p - 2, 1
        while e > 0:
            if e & 1:
                r = r * base % p
            base = base * base % p
            e >>= 1
        out[i] = r
    return out
