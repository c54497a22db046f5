"""Dynamic programming: tables filled in order."""

import jax.numpy as jnp
import numpy as np
from jax import lax

from benchmarks.kernels.registry import kernel, sized


def texts(random, scale):
    n = sized(250, scale)
    return random.integers(0, 4, n), random.integers(0, 4, n + 7)


def edit_distance_jax(a, b):
    def row(previous, letter):
        start = previous[0] + 1

        def cell(left, above):
            diagonal, up, same = above
            value = jnp.minimum(jnp.minimum(left, up) + 1, diagonal + jnp.where(same, 0, 1))
            return value, value

        _, values = lax.scan(cell, start, (previous[:-1], previous[1:], b == letter))
        return jnp.concatenate([start[None], values]), None

    return lax.scan(row, jnp.arange(len(b) + 1), a)[0][-1]


@kernel(texts, edit_distance_jax)
def edit_distance(a, b):
    table = np.zeros((len(a) + 1, len(b) + 1), np.int64)
    table[:, 0] = np.arange(len(a) + 1)
    table[0, :] = np.arange(len(b) + 1)
    for i in range(1, len(a) + 1):
        for j in range(1, len(b) + 1):
            cost = 0 if a[i - 1] == b[j - 1] else 1
            table[i, j] = min(table[i - 1, j] + 1, table[i, j - 1] + 1, table[i - 1, j - 1] + cost)
    return table[len(a), len(b)]


def goods(random, scale):
    n = sized(300, scale)
    return random.integers(1, 50, n), random.random(n), sized(10000, scale, 100)


def knapsack_jax(weights, values, capacity):
    index = jnp.arange(capacity + 1)

    def item(best, this):
        weight, value = this
        taken = jnp.where(index >= weight, jnp.roll(best, weight) + value, best)
        return jnp.maximum(best, taken), None

    return lax.scan(item, jnp.zeros(capacity + 1), (weights, values))[0][capacity]


@kernel(goods, knapsack_jax, static=(2,))
def knapsack(weights, values, capacity):
    best = np.zeros(capacity + 1)
    for i in range(len(weights)):
        w = weights[i]
        best[w:] = np.maximum(best[w:], best[:-w] + values[i])
    return best[capacity]


def roads(random, scale):
    n = sized(150, scale)
    return (random.random((n, n)) * 10.0,)


def floyd_warshall_jax(d):
    return lax.fori_loop(0, len(d), lambda k, d: jnp.minimum(d, d[:, k, None] + d[k]), d)


@kernel(roads, floyd_warshall_jax, writes=(0,))
def floyd_warshall(d):
    for k in range(len(d)):
        d[:] = np.minimum(d, d[:, k : k + 1] + d[k])


def chain(random, scale):
    states, length = sized(32, scale, 4), sized(400, scale)
    return random.random(states), random.random((states, states)), random.random((length, states))


def viterbi_jax(start, transition, emission):
    def forward(score, emitted):
        candidates = score[:, None] + transition
        return candidates.max(axis=0) + emitted, candidates.argmax(axis=0)

    score, pointers = lax.scan(forward, start + emission[0], emission[1:])
    last = score.argmax()

    def back(state, pointer):
        return pointer[state], pointer[state]

    _, earlier = lax.scan(back, last, pointers, reverse=True)
    return jnp.append(earlier, last)


@kernel(chain, viterbi_jax, numba=None)
def viterbi(start, transition, emission):
    length, states = emission.shape
    pointers = np.zeros((length, states), np.int64)
    score = start + emission[0]
    for t in range(1, length):
        candidates = score[:, None] + transition
        pointers[t] = candidates.argmax(axis=0)
        score = candidates.max(axis=0) + emission[t]
    path = np.zeros(length, np.int64)
    path[-1] = score.argmax()
    for t in range(length - 1, 0, -1):
        path[t - 1] = pointers[t, path[t]]
    return path


def maximum_subarray_jax(x):
    def step(state, value):
        best, here = state
        here = jnp.maximum(value, here + value)
        return (jnp.maximum(best, here), here), None

    return lax.scan(step, (x[0], x[0]), x[1:])[0][0]


@kernel(lambda random, scale: (random.standard_normal(sized(20000, scale)),), maximum_subarray_jax)
def maximum_subarray(x):
    best = here = x[0]
    for i in range(1, len(x)):
        here = max(x[i], here + x[i])
        best = max(best, here)
    return best


def lis_jax(x):
    index = jnp.arange(len(x))

    def step(i, lengths):
        before = (index < i) & (x < x[i])
        return lengths.at[i].set(1 + jnp.max(jnp.where(before, lengths, 0)))

    return lax.fori_loop(0, len(x), step, jnp.zeros(len(x), jnp.int64)).max()


@kernel(lambda random, scale: (random.random(sized(1200, scale)),), lis_jax, numba=None)
def longest_increasing(x):
    lengths = np.ones(len(x), np.int64)
    for i in range(1, len(x)):
        lengths[i] = 1 + np.where(x[:i] < x[i], lengths[:i], 0).max()
    return lengths.max()
