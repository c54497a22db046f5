"""Dicts, sets, heaps and queues with contents that data says: programs that JAX has no words for."""

import heapq
from collections import deque

import jax.numpy as jnp
import numpy as np
from jax import lax

from benchmarks.kernels.registry import kernel, sized


def most_frequent_jax(numbers):
    values, counts = jnp.unique(numbers, return_counts=True, size=len(numbers))
    most = counts.argmax()
    return values[most], counts[most]


@kernel(lambda random, scale: (random.integers(0, 5000, sized(10000, scale)),), most_frequent_jax, numba=None)
def most_frequent(numbers):
    counts = {}
    for x in numbers:
        counts[x] = counts.get(x, 0) + 1
    best, most = -1, 0
    for x, count in counts.items():
        if count > most or (count == most and x < best):
            best, most = x, count
    return best, most


@kernel(lambda random, scale: (sized(3000, scale),), numba=None)
def longest_chain(n):
    steps = {1: 0}
    best = 0
    for start in range(2, n):
        x, path = start, []
        while x not in steps:
            path.append(x)
            x = x // 2 if x % 2 == 0 else 3 * x + 1
        count = steps[x]
        for y in reversed(path):
            count += 1
            steps[y] = count
        best = max(best, count)
    return best


def walls(random, scale):
    n = sized(40, scale)
    grid = random.random((n, n)) < 0.2
    grid[0] = grid[:, -1] = False
    return (grid,)


@kernel(walls, numba=None)
def a_star(grid):
    height, width = grid.shape
    start, goal = (0, 0), (height - 1, width - 1)
    waiting, steps = [(0, start)], {start: 0}
    while waiting:
        _, here = heapq.heappop(waiting)
        if here == goal:
            return steps[here]
        for dx, dy in ((0, 1), (1, 0), (0, -1), (-1, 0)):
            x, y = here[0] + dx, here[1] + dy
            if 0 <= x < height and 0 <= y < width and not grid[x, y]:
                count = steps[here] + 1
                if (x, y) not in steps or count < steps[x, y]:
                    steps[x, y] = count
                    heapq.heappush(waiting, (count + height - 1 - x + width - 1 - y, (x, y)))
    return -1


@kernel(walls, numba=None)
def breadth_first(grid):
    height, width = grid.shape
    distance = np.full((height, width), -1)
    distance[0, 0] = 0
    waiting = deque([(0, 0)])
    while waiting:
        y, x = waiting.popleft()
        for dy, dx in ((0, 1), (1, 0), (0, -1), (-1, 0)):
            v, u = y + dy, x + dx
            if 0 <= v < height and 0 <= u < width and not grid[v, u] and distance[v, u] < 0:
                distance[v, u] = distance[y, x] + 1
                waiting.append((v, u))
    return distance


def observations(random, scale):
    return random.standard_normal(sized(50, scale)), sized(1000, scale)


def particle_filter_jax(seen, count):
    ranks = (jnp.arange(count) + 0.5) / count

    def step(x, z):
        x = 0.9 * x + ranks
        weights = jnp.exp(-0.5 * (z - x) ** 2)
        total = jnp.cumsum(weights / weights.sum())
        x = x[jnp.minimum(jnp.searchsorted(total, ranks), count - 1)]
        return x, x.mean()

    return lax.scan(step, jnp.zeros(count), seen)[1]


@kernel(observations, particle_filter_jax, static=(1,), numba=None)
def particle_filter(seen, count):
    ranks = (np.arange(count) + 0.5) / count
    x, means = np.zeros(count), []
    for z in seen:
        x = 0.9 * x + ranks
        weights = np.exp(-0.5 * (z - x) ** 2)
        total = np.cumsum(weights / weights.sum())
        x = x[np.minimum(np.searchsorted(total, ranks), count - 1)]
        means.append(x.mean())
    return np.array(means)


@kernel(lambda random, scale: (random.random((2, sized(2000, scale))),))
def one_server(drawn):
    events, waiting, served, time, busy = [(0.0, 0)], 0, 0, 0.0, False
    arrivals = 0
    while len(events) > 0:
        time, kind = heapq.heappop(events)
        if kind == 0:
            arrivals += 1
            if arrivals < drawn.shape[1]:
                heapq.heappush(events, (time - np.log(1.0 - drawn[0, arrivals]), 0))
            waiting += 1
        else:
            served += 1
            busy = False
        if waiting > 0 and not busy:
            waiting -= 1
            busy = True
            heapq.heappush(events, (time + drawn[1, served], 1))
    return time, served
