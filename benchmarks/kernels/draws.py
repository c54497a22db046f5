"""What is done with random numbers that are drawn before."""

import numpy as np

from benchmarks.kernels.registry import kernel, sized


@kernel(lambda random, scale: (random.random(sized(5000, scale)), np.arange(sized(5000, scale))))
def shuffled(u, x):
    x = x.copy()
    for i in range(len(x) - 1, 0, -1):
        j = int(u[i] * (i + 1))
        x[i], x[j] = x[j], x[i]
    return x


@kernel(lambda random, scale: (random.random(sized(8000, scale)), 20))
def reservoir(u, k):
    kept = np.arange(k) if k < len(u) else np.arange(len(u))
    for i in range(k, len(u)):
        j = int(u[i] * (i + 1))
        if j < k:
            kept[j] = i
    return kept


@kernel(lambda random, scale: (random.normal(size=sized(5000, scale)), random.random(sized(5000, scale))))
def metropolis_chain(step, u):
    x, p, taken = 0.0, 1.0, 0
    out = np.empty(len(step))
    for i in range(len(step)):
        y = x + 0.8 * step[i]
        q = np.exp(-0.5 * y * y) * (1 + np.sin(3 * y) ** 2)
        if u[i] * p < q:
            x, p = y, q
            taken += 1
        out[i] = x
    return out, taken


@kernel(lambda random, scale: (random.random(20), random.random(sized(5000, scale))))
def alias_draws(weights, u):
    n = len(weights)
    p = weights / weights.sum() * n
    alias = np.zeros(n, np.int64)
    small, large = np.empty(n, np.int64), np.empty(n, np.int64)
    ns = nl = 0
    for i in range(n):
        if p[i] < 1:
            small[ns] = i
            ns += 1
        else:
            large[nl] = i
            nl += 1
    while ns > 0 and nl > 0:
        ns -= 1
        nl -= 1
        a, b = small[ns], large[nl]
        alias[a] = b
        p[b] -= 1 - p[a]
        if p[b] < 1:
            small[ns] = b
            ns += 1
        else:
            large[nl] = b
            nl += 1
    out = np.empty(len(u), np.int64)
    for k in range(len(u)):
        x = u[k] * n
        i = int(x)
        out[k] = i if x - i < p[i] else alias[i]
    return out


@kernel(lambda random, scale: (random.random((sized(2000, scale), 4)), np.array([1.0, 0.05]), np.array([10, 50])))
def gillespie(u, rates, start):
    a, b = start
    t = 0.0
    seen = np.zeros((len(u), 2), np.int64)
    for i in range(len(u)):
        r1, r2, r3 = rates[0] * a, rates[1] * a * b, rates[0] * b
        total = r1 + r2 + r3
        if total == 0:
            break
        t -= np.log(u[i, 0] + 1e-12) / total
        x = u[i, 1] * total
        if x < r1:
            a += 1
        elif x < r1 + r2:
            a -= 1
            b += 1
        else:
            b -= 1
        seen[i, 0], seen[i, 1] = a, b
    return t, seen
