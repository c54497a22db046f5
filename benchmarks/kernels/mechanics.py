"""Bodies, springs, and steps of differential equations."""

import numpy as np

from benchmarks.kernels.registry import kernel, side, sized


@kernel(
    lambda random, scale: (
        random.random((side(40, scale), 3)),
        random.random((side(40, scale), 3)),
        random.random(side(40, scale)),
        3,
    )
)
def n_body_by_points(x, v, m, steps):
    x, v = x.copy(), v.copy()
    n = len(m)
    for _ in range(steps):
        for i in range(n):
            ax = ay = az = 0.0
            for j in range(n):
                dx, dy, dz = x[j, 0] - x[i, 0], x[j, 1] - x[i, 1], x[j, 2] - x[i, 2]
                f = m[j] / (dx * dx + dy * dy + dz * dz + 0.01) ** 1.5
                ax += f * dx
                ay += f * dy
                az += f * dz
            v[i, 0] += 0.01 * ax
            v[i, 1] += 0.01 * ay
            v[i, 2] += 0.01 * az
        x += 0.01 * v
    return x, v


@kernel(lambda random, scale: (random.random((sized(800, scale), 2)), 0.05))
def cell_list(x, r):
    n = int(1 / r)
    head = np.full((n + 2, n + 2), -1)
    nxt = np.full(len(x), -1)
    for i in range(len(x)):
        a, b = int(x[i, 0] * n) + 1, int(x[i, 1] * n) + 1
        nxt[i] = head[a, b]
        head[a, b] = i
    count = np.zeros(len(x), np.int64)
    for i in range(len(x)):
        a, b = int(x[i, 0] * n) + 1, int(x[i, 1] * n) + 1
        for p in range(a - 1, a + 2):
            for q in range(b - 1, b + 2):
                j = head[p, q]
                while j >= 0:
                    if j != i and (x[i, 0] - x[j, 0]) ** 2 + (x[i, 1] - x[j, 1]) ** 2 < r * r:
                        count[i] += 1
                    j = nxt[j]
    return count


@kernel(lambda random, scale: (sized(2000, scale), 0.01))
def runge_kutta_pendulum(steps, h):
    def f(y):
        return np.array([y[1], -np.sin(y[0]) - 0.1 * y[1]])

    y = np.array([1.0, 0.0])
    out = np.empty((steps, 2))
    for i in range(steps):
        k1 = f(y)
        k2 = f(y + h / 2 * k1)
        k3 = f(y + h / 2 * k2)
        k4 = f(y + h * k3)
        y = y + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
        out[i] = y
    return out


@kernel(lambda random, scale: (sized(20, scale) * 1.0, 1e-6))
def adaptive_fehlberg(end, tolerance):
    t, x, v, h = 0.0, 2.0, 0.0, 0.01
    steps = 0
    while t < end:
        k1x, k1v = v, 2 * (1 - x * x) * v - x
        xa, va = x + h * k1x / 2, v + h * k1v / 2
        k2x, k2v = va, 2 * (1 - xa * xa) * va - xa
        xb, vb = x + 3 * h * k2x / 4, v + 3 * h * k2v / 4
        k3x, k3v = vb, 2 * (1 - xb * xb) * vb - xb
        xn = x + h * (2 * k1x + 3 * k2x + 4 * k3x) / 9
        vn = v + h * (2 * k1v + 3 * k2v + 4 * k3v) / 9
        k4x, k4v = vn, 2 * (1 - xn * xn) * vn - xn
        e = h * abs(-5 * k1x / 72 + k2x / 12 + k3x / 9 - k4x / 8) + h * abs(
            -5 * k1v / 72 + k2v / 12 + k3v / 9 - k4v / 8
        )
        if e < tolerance:
            t, x, v = t + h, xn, vn
        h = h * min(2.0, max(0.2, 0.9 * (tolerance / (e + 1e-300)) ** (1 / 3)))
        steps += 1
    return x, v, steps


@kernel(lambda random, scale: (sized(1000, scale), 0.01))
def implicit_newton(steps, h):
    y = np.array([1.0, 0.0, 0.0])
    for _ in range(steps):
        z = y.copy()
        for _ in range(3):
            f = np.array(
                [-0.04 * z[0] + 1e2 * z[1] * z[2], 0.04 * z[0] - 1e2 * z[1] * z[2] - 3e3 * z[1] ** 2, 3e3 * z[1] ** 2]
            )
            j = np.array(
                [[-0.04, 1e2 * z[2], 1e2 * z[1]], [0.04, -1e2 * z[2] - 6e3 * z[1], -1e2 * z[1]], [0.0, 6e3 * z[1], 0.0]]
            )
            z = z - np.linalg.solve(np.eye(3) - h * j, z - y - h * f)
        y = z
    return y
