"""Text as arrays of bytes."""

import numpy as np

from benchmarks.kernels.registry import kernel, sized


def text(random, scale):
    return (
        np.frombuffer(
            " ".join(str(x) for x in random.integers(0, 100000, sized(1500, scale))).encode(), np.uint8
        ).copy(),
    )


@kernel(text)
def parsed_numbers(data):
    out = np.empty(len(data), np.int64)
    n, value, inside = 0, 0, False
    for c in data:
        if 48 <= c <= 57:
            value = value * 10 + (int(c) - 48)
            inside = True
        elif inside:
            out[n] = value
            n += 1
            value, inside = 0, False
    if inside:
        out[n] = value
        n += 1
    return out[:n]


def decimals(random, scale):
    return (
        np.frombuffer(
            ",".join(f"{x:.3f}" for x in random.normal(size=sized(1200, scale)) * 100).encode(), np.uint8
        ).copy(),
    )


@kernel(decimals)
def parsed_decimals(data):
    count = 1
    for c in data:
        if c == 44:
            count += 1
    out = np.empty(count)
    k = 0
    value, unit, sign, behind = 0.0, 1.0, 1.0, False
    for c in data:
        if c == 44:
            out[k] = sign * value
            k += 1
            value, unit, sign, behind = 0.0, 1.0, 1.0, False
        elif c == 45:
            sign = -1.0
        elif c == 46:
            behind = True
        elif behind:
            unit /= 10
            value += unit * (c - 48)
        else:
            value = value * 10 + (c - 48)
    out[k] = sign * value
    return out


@kernel(
    lambda random, scale: (
        random.integers(0, 256, 3 * sized(2000, scale), dtype=np.uint8),
        np.frombuffer(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/", np.uint8).copy(),
    )
)
def base64(data, table):
    out = np.empty(len(data) // 3 * 4, np.uint8)
    for i in range(len(data) // 3):
        v = (int(data[3 * i]) << 16) | (int(data[3 * i + 1]) << 8) | int(data[3 * i + 2])
        out[4 * i] = table[v >> 18]
        out[4 * i + 1] = table[(v >> 12) & 63]
        out[4 * i + 2] = table[(v >> 6) & 63]
        out[4 * i + 3] = table[v & 63]
    return out


@kernel(lambda random, scale: (random.integers(0, 10, sized(400, scale)), random.integers(0, 10, 120)))
def long_multiplication(a, b):
    out = np.zeros(len(a) + len(b), np.int64)
    for i in range(len(a)):
        carry = 0
        for j in range(len(b)):
            t = out[i + j] + a[i] * b[j] + carry
            out[i + j] = t % 10
            carry = t // 10
        out[i + len(b)] += carry
    return out
