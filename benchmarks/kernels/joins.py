"""Tables by key, group and window."""

import numpy as np

from benchmarks.kernels.registry import kernel, sized


@kernel(lambda random, scale: (random.integers(0, 50, sized(10000, scale)), random.random(sized(10000, scale))))
def running_sums_by_group(group, x):
    totals = np.zeros(50)
    out = np.empty_like(x)
    for i in range(len(x)):
        totals[group[i]] += x[i]
        out[i] = totals[group[i]]
    return out


@kernel(
    lambda random, scale: (random.integers(0, 300, sized(20000, scale)), random.random(sized(20000, scale))), numba=None
)
def group_statistics(group, x):
    keys, at, counts = np.unique(group, return_inverse=True, return_counts=True)
    mean = np.bincount(at, weights=x) / counts
    spread = np.sqrt(np.bincount(at, weights=(x - mean[at]) ** 2) / counts)
    return keys, mean, spread


@kernel(
    lambda random, scale: (
        np.sort(random.random(sized(5000, scale))),
        np.sort(random.random(sized(6000, scale))),
        random.random(sized(6000, scale)),
    )
)
def last_before(times, events, values):
    out = np.full(len(times), np.nan)
    j = 0
    for i in range(len(times)):
        while j < len(events) and events[j] <= times[i]:
            j += 1
        if j > 0:
            out[i] = values[j - 1]
    return out


@kernel(lambda random, scale: (random.random(sized(5000, scale)), 20))
def rolling_maximum(x, window):
    queue = np.empty(len(x), np.int64)
    head = tail = 0
    out = np.empty(len(x) - window + 1) if len(x) >= window else np.empty(0)
    for i in range(len(x)):
        while tail > head and x[queue[tail - 1]] <= x[i]:
            tail -= 1
        queue[tail] = i
        tail += 1
        if queue[head] <= i - window:
            head += 1
        if i >= window - 1:
            out[i - window + 1] = x[queue[head]]
    return out
