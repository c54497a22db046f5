"""Bits of words, and hashes."""

import numpy as np

from benchmarks.kernels.registry import kernel, sized


def words(random, scale):
    return (random.integers(0, 1 << 63, sized(5000, scale), dtype=np.uint64),)


@kernel(words)
def bits_set_by_points(x):
    one = np.uint64(1)
    out = np.zeros(len(x), np.int64)
    for i in range(len(x)):
        v = x[i]
        while v:
            v &= v - one
            out[i] += 1
    return out


@kernel(
    lambda random, scale: (
        random.integers(0, 1 << 20, sized(10000, scale)),
        random.integers(0, 1 << 20, sized(10000, scale)),
    )
)
def morton_codes(x, y):
    def spread(v):
        v = (v | (v << 16)) & 0x0000FFFF0000FFFF
        v = (v | (v << 8)) & 0x00FF00FF00FF00FF
        v = (v | (v << 4)) & 0x0F0F0F0F0F0F0F0F
        v = (v | (v << 2)) & 0x3333333333333333
        return (v | (v << 1)) & 0x5555555555555555

    return spread(x) | (spread(y) << 1)


@kernel(lambda random, scale: (np.uint64(88172645463325252), sized(5000, scale)))
def xor_shift(s, n):
    out = np.empty(n, np.uint64)
    for i in range(n):
        s ^= s << np.uint64(13)
        s ^= s >> np.uint64(7)
        s ^= s << np.uint64(17)
        out[i] = s
    return out


@kernel(lambda random, scale: (random.integers(0, 256, sized(10000, scale), dtype=np.uint8),))
def crc32(data):
    table = np.empty(256, np.uint32)
    for n in range(256):
        c = np.uint32(n)
        for _ in range(8):
            c = (c >> np.uint32(1)) ^ np.uint32(0xEDB88320) if c & np.uint32(1) else c >> np.uint32(1)
        table[n] = c
    crc = np.uint32(0xFFFFFFFF)
    for b in data:
        crc = table[(crc ^ b) & np.uint32(255)] ^ (crc >> np.uint32(8))
    return crc ^ np.uint32(0xFFFFFFFF)


@kernel(lambda random, scale: (random.integers(0, 1 << 20, sized(4000, scale)), 4096))
def hash_table(keys, size):
    while size < 2 * len(keys):
        size *= 2
    table = np.full(size, -1)
    counts = np.zeros(size, np.int64)
    distinct = probes = 0
    for k in keys:
        h = (k * 2654435761) % size
        while table[h] != -1 and table[h] != k:
            h = (h + 1) % size
            probes += 1
        if table[h] == -1:
            table[h] = k
            distinct += 1
        counts[h] += 1
    return distinct, probes, counts.max()
