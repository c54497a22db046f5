"""Algebra of many small matrices."""

import numpy as np

from benchmarks.kernels.registry import kernel, sized


@kernel(lambda random, scale: (random.random((sized(2000, scale), 3, 3)) + 3 * np.eye(3),))
def inverses_by_cofactors(a):
    out = np.empty_like(a)
    for i in range(len(a)):
        m = a[i]
        c00 = m[1, 1] * m[2, 2] - m[1, 2] * m[2, 1]
        c01 = m[1, 2] * m[2, 0] - m[1, 0] * m[2, 2]
        c02 = m[1, 0] * m[2, 1] - m[1, 1] * m[2, 0]
        d = m[0, 0] * c00 + m[0, 1] * c01 + m[0, 2] * c02
        out[i, 0, 0] = c00 / d
        out[i, 1, 0] = c01 / d
        out[i, 2, 0] = c02 / d
        out[i, 0, 1] = (m[0, 2] * m[2, 1] - m[0, 1] * m[2, 2]) / d
        out[i, 1, 1] = (m[0, 0] * m[2, 2] - m[0, 2] * m[2, 0]) / d
        out[i, 2, 1] = (m[0, 1] * m[2, 0] - m[0, 0] * m[2, 1]) / d
        out[i, 0, 2] = (m[0, 1] * m[1, 2] - m[0, 2] * m[1, 1]) / d
        out[i, 1, 2] = (m[0, 2] * m[1, 0] - m[0, 0] * m[1, 2]) / d
        out[i, 2, 2] = (m[0, 0] * m[1, 1] - m[0, 1] * m[1, 0]) / d
    return out


@kernel(lambda random, scale: (random.random((sized(500, scale), 4, 4)) + 4 * np.eye(4),))
def inverses_in_a_loop(a):
    out = np.empty_like(a)
    for i in range(a.shape[0]):
        out[i] = np.linalg.inv(a[i])
    return out


@kernel(lambda random, scale: (random.random((sized(400, scale), 4, 4)) + 4 * np.eye(4),))
def gauss_jordan(stack):
    out = np.empty_like(stack)
    for s in range(stack.shape[0]):
        a = stack[s].copy()
        b = np.eye(4)
        for c in range(4):
            p = c
            for r in range(c + 1, 4):
                if abs(a[r, c]) > abs(a[p, c]):
                    p = r
            if p != c:
                for k in range(4):
                    a[c, k], a[p, k] = a[p, k], a[c, k]
                    b[c, k], b[p, k] = b[p, k], b[c, k]
            f = 1.0 / a[c, c]
            a[c] *= f
            b[c] *= f
            for r in range(4):
                if r != c:
                    g = a[r, c]
                    a[r] -= g * a[c]
                    b[r] -= g * b[c]
        out[s] = b
    return out


def layers(random, scale):
    n = sized(800, scale)
    return random.random(n) + 1.0, random.random(n) * 0.1, np.linspace(0.4, 0.8, 5)


@kernel(layers)
def thin_films(index, thickness, wavelengths):
    out = np.empty(len(wavelengths))
    for w in range(len(wavelengths)):
        m = np.eye(2) + 0j
        for k in range(len(index)):
            n, d = index[k], thickness[k]
            p = 2 * np.pi * n * d / wavelengths[w] / len(index)
            layer = np.array([[np.cos(p) + 0j, -1j * np.sin(p) / n], [-1j * n * np.sin(p), np.cos(p) + 0j]])
            m = m @ layer
        r = (m[0, 0] + m[0, 1] - m[1, 0] - m[1, 1]) / (m[0, 0] + m[0, 1] + m[1, 0] + m[1, 1])
        out[w] = abs(r) ** 2
    return out


def turns(random, scale):
    q = random.normal(size=(sized(5000, scale), 4))
    return q / np.linalg.norm(q, axis=1, keepdims=True), random.normal(size=(sized(5000, scale), 3))


@kernel(turns)
def quaternion_chain(q, v):
    w, x, y, z = 1.0, 0.0, 0.0, 0.0
    out = np.empty_like(q)
    for i in range(q.shape[0]):
        a, b, c, d = q[i]
        w, x, y, z = (
            w * a - x * b - y * c - z * d,
            w * b + x * a + y * d - z * c,
            w * c - x * d + y * a + z * b,
            w * d + x * c - y * b + z * a,
        )
        n = np.sqrt(w * w + x * x + y * y + z * z)
        w, x, y, z = w / n, x / n, y / n, z / n
        out[i, 0], out[i, 1], out[i, 2], out[i, 3] = w, x, y, z
    return out


@kernel(lambda random, scale: (random.random((sized(400, scale), 3, 3)),))
def jacobi_eigenvalues(stack):
    out = np.empty((stack.shape[0], 3))
    for s in range(stack.shape[0]):
        a = stack[s] + stack[s].T
        for _ in range(5):
            for p in range(2):
                for q in range(p + 1, 3):
                    if abs(a[p, q]) > 1e-14:
                        theta = (a[q, q] - a[p, p]) / (2 * a[p, q])
                        t = 1.0 / (abs(theta) + np.sqrt(theta * theta + 1))
                        if theta < 0:
                            t = -t
                        c = 1 / np.sqrt(t * t + 1)
                        sn = t * c
                        for k in range(3):
                            x, y = a[k, p], a[k, q]
                            a[k, p], a[k, q] = c * x - sn * y, sn * x + c * y
                        for k in range(3):
                            x, y = a[p, k], a[q, k]
                            a[p, k], a[q, k] = c * x - sn * y, sn * x + c * y
        for k in range(3):
            out[s, k] = a[k, k]
        out[s].sort()
    return out


@kernel(
    lambda random, scale: (random.random((sized(500, scale), 2, 2)) + 1j * random.random((sized(500, scale), 2, 2)),)
)
def complex_products_in_a_loop(gates):
    m = np.eye(2) + 0j
    for i in range(gates.shape[0]):
        m = gates[i] @ m
        m = m / np.sqrt(np.abs(m[0, 0]) ** 2 + np.abs(m[1, 1]) ** 2 + 1e-30)
    return m
