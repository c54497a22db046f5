"""Kernels of physics, chemistry, signals and learning as people write them in NumPy."""

import numpy as np

from .runner import Programs

program = Programs()

RNG = np.random.default_rng(11)
X8 = RNG.normal(size=8)
POINTS = RNG.normal(size=(6, 2))
POS = RNG.normal(size=(4, 3))
IMAGES = RNG.random((2, 8, 8, 1)).astype(np.float32)


@program(RNG.normal(size=(4, 4)), np.zeros((3, 3)))
def go_fast(a):
    trace = 0.0
    for i in range(a.shape[0]):
        trace += np.tanh(a[i, i])
    return a + trace


@program((X8 / 3, X8 / 2, X8 / 5, X8 / 7), (X8[:1], X8[:1], X8[:1], X8[:1]))
def arc_distance(theta_1, phi_1, theta_2, phi_2):
    temp = np.sin((theta_2 - theta_1) / 2) ** 2 + np.cos(theta_1) * np.cos(theta_2) * np.sin((phi_2 - phi_1) / 2) ** 2
    return 2 * np.arctan2(np.sqrt(temp), np.sqrt(1 - temp))


@program(
    (np.arange(12).reshape(3, 4), np.arange(12).reshape(3, 4)[::-1].copy(), 4, 3, 9),
    (np.arange(4), np.arange(4), 1, 2, 3),
)
def clip_and_scale_integers(a, b, x, y, z):
    return np.clip(a, 2, 10) * x + b * y + z


@program((np.hypot(*np.mgrid[-3:4, -3:4]).ravel(), RNG.random(49), 5), (np.arange(6.0), np.arange(6.0), 2))
def azimuthal_integration(radius, data, npt):
    rmax = radius.max()
    res = np.zeros(npt, dtype=np.float64)
    for i in range(npt):
        r1 = rmax * i / npt
        r2 = rmax * (i + 1) / npt
        ring = np.logical_and(r1 <= radius, radius < r2)
        values = data[ring]
        res[i] = values.mean()
    return res


@program(
    (
        RNG.normal(size=(3, 4, 4)) + 1j * RNG.normal(size=(3, 4, 4)),
        np.linspace(0.6, 1.4, 6) * np.exp(1j * np.arange(6)),
        RNG.normal(size=(4, 2)) + 0j,
    )
)
def contour_integral(terms, points, y):
    p0 = np.zeros((4, 2), dtype=np.complex128)
    p1 = np.zeros((4, 2), dtype=np.complex128)
    for z in points:
        tz = np.zeros((4, 4), dtype=np.complex128)
        for n in range(terms.shape[0]):
            tz += np.power(z, 1 - n) * terms[n]
        x = np.linalg.inv(tz) @ y if abs(z.real) < 2 else np.linalg.solve(tz, y)
        if np.absolute(z) < 1.0:
            x[:] = -x
        p0 += x
        p1 += z * x
    return p0, p1


@program(
    (RNG.integers(0, 256, 7).astype(np.uint8), 0x1021),
    (np.zeros(0, np.uint8), 0x8408),
    (np.frombuffer(b"123456789", np.uint8).copy(), 0x8408),
)
def crc16(data, poly):
    crc = 0xFFFF
    for b in data:
        cur = 0xFF & b
        for _ in range(8):
            if (crc & 0x0001) ^ (cur & 0x0001):
                crc = (crc >> 1) ^ poly
            else:
                crc >>= 1
            cur >>= 1
    crc = ~crc & 0xFFFF
    crc = (crc << 8) | ((crc >> 8) & 0xFF)
    return crc & 0xFFFF


@program((np.frombuffer(b"the quick brown fox", np.uint8).copy(),), (np.zeros(0, np.uint8),))
def crc32_with_table(data):
    table = np.zeros(256, dtype=np.uint32)
    for i in range(256):
        c = np.uint32(i)
        for _ in range(8):
            c = (c >> np.uint32(1)) ^ np.uint32(0xEDB88320) if c & np.uint32(1) else c >> np.uint32(1)
        table[i] = c
    crc = np.uint32(0xFFFFFFFF)
    for byte in data:
        crc = table[(crc ^ byte) & 0xFF] ^ (crc >> np.uint32(8))
    return crc ^ np.uint32(0xFFFFFFFF)


@program((np.frombuffer(b"wikipedia", np.uint8).copy(),))
def adler32_and_fnv(data):
    a, b = 1, 0
    for byte in data:
        a = (a + int(byte)) % 65521
        b = (b + a) % 65521
    h = np.uint64(14695981039346656037)
    for byte in data:
        h = (h ^ np.uint64(byte)) * np.uint64(1099511628211)
    return (b << 16) | a, h


def accelerations(pos, mass, g, softening):
    x, y, z = pos[:, 0:1], pos[:, 1:2], pos[:, 2:3]
    dx, dy, dz = x.T - x, y.T - y, z.T - z
    inv_r3 = dx**2 + dy**2 + dz**2 + softening**2
    inv_r3[inv_r3 > 0] = inv_r3[inv_r3 > 0] ** (-1.5)
    return np.hstack((g * (dx * inv_r3) @ mass, g * (dy * inv_r3) @ mass, g * (dz * inv_r3) @ mass))


def energies(pos, vel, mass, g):
    kinetic = 0.5 * np.sum(mass * vel**2)
    x, y, z = pos[:, 0:1], pos[:, 1:2], pos[:, 2:3]
    inv_r = np.sqrt((x.T - x) ** 2 + (y.T - y) ** 2 + (z.T - z) ** 2)
    inv_r[inv_r > 0] = 1.0 / inv_r[inv_r > 0]
    return kinetic, g * np.sum(np.triu(-(mass * mass.T) * inv_r, 1))


@program(
    (np.ones((4, 1)) * 5, POS, POS[::-1] * 0.1, 3, 0.01, 1.0, 0.1),
    (np.ones((2, 1)), POS[:2].copy(), POS[:2] * 0, 0, 0.01, 1.0, 0.1),
)
def n_body_with_energies(mass, pos, vel, steps, dt, g, softening):
    vel -= np.mean(mass * vel, 0) / np.mean(mass)
    acc = accelerations(pos, mass, g, softening)
    ke, pe = np.ndarray(steps + 1), np.ndarray(steps + 1)
    ke[0], pe[0] = energies(pos, vel, mass, g)
    for i in range(steps):
        vel += acc * dt / 2.0
        pos += vel * dt
        acc = accelerations(pos, mass, g, softening)
        vel += acc * dt / 2.0
        ke[i + 1], pe[i + 1] = energies(pos, vel, mass, g)
    return ke, pe


@program((POS, 1.0, 1.0), (POS[:2].copy(), 0.5, 2.0))
def lennard_jones(pos, sigma, eps):
    n = len(pos)
    forces = np.zeros_like(pos)
    energy = 0.0
    for i in range(n):
        delta = pos[i] - np.delete(pos, i, axis=0)
        r2 = (delta * delta).sum(axis=1)
        s6 = (sigma**2 / r2) ** 3
        energy += 4 * eps * (s6 * s6 - s6).sum() / 2
        forces[i] = (24 * eps * (2 * s6 * s6 - s6) / r2)[:, np.newaxis].T @ delta
    return energy, forces


@program(
    (np.array([[1, -1, 1], [1, 1, -1], [-1, 1, 1]]), RNG.random((40, 3)), 0.5),
    (np.ones((3, 3), int), RNG.random((40, 3)), 0.1),
)
def ising_metropolis(spins, numbers, beta):
    n = spins.shape[0]
    energy = -np.sum(spins * (np.roll(spins, 1, 0) + np.roll(spins, 1, 1)))
    for r in numbers:
        i, j = int(r[0] * n), int(r[1] * n)
        de = 2 * spins[i, j] * (spins[(i + 1) % n, j] + spins[i - 1, j] + spins[i, (j + 1) % n] + spins[i, j - 1])
        if de <= 0 or r[2] < np.exp(-beta * de):
            spins[i, j] *= -1
            energy += de
    return energy, np.abs(spins.mean())


NEIGHBOURS = np.array([[1, 2], [0, 2], [1, 0]])
G = RNG.normal(size=(2, 3, 3, 2, 2)) + 1j * RNG.normal(size=(2, 3, 3, 2, 2))
D = RNG.normal(size=(2, 2, 3, 2, 2, 2)) + 0j
DH = RNG.normal(size=(3, 2, 2, 2, 2)) + 0j


@program((NEIGHBOURS, DH, G, D, np.zeros_like(G)))
def scattering_self_energies(neighbours, dh, g, d, sigma):
    for k in range(g.shape[0]):
        for e in range(g.shape[1]):
            for q in range(d.shape[0]):
                for w in range(d.shape[1]):
                    for i in range(d.shape[-2]):
                        for j in range(d.shape[-1]):
                            for a in range(neighbours.shape[0]):
                                for b in range(neighbours.shape[1]):
                                    if e - w >= 0:
                                        dhg = g[k, e - w, neighbours[a, b]] @ dh[a, b, i]
                                        dhd = dh[a, b, j] * d[q, w, a, b, i, j]
                                        sigma[k, e, a] += dhg @ dhd


@program(
    (np.array([0, 2, 2, 5]), np.array([0, 2, 0, 1, 3]), np.arange(1.0, 6.0), np.array([1.0, 2, 3, 4])),
    (np.array([0, 0, 0, 0]), np.zeros(0, int), np.zeros(0), np.ones(4)),
)
def spmv(rows, columns, values, x):
    y = np.empty(rows.size - 1, values.dtype)
    for i in range(rows.size - 1):
        cols = columns[rows[i] : rows[i + 1]]
        vals = values[rows[i] : rows[i + 1]]
        y[i] = vals @ x[cols]
    return y


@program(
    (np.array([0, 2, 3]), np.array([1, 2, 0]), np.array([5.0, 6, 7]), 3),
    (np.array([0, 0, 0]), np.array([1, 1, 1]), np.ones(3), 2),
)
def coordinate_to_rows(i, j, v, n):
    order = np.lexsort((j, i))
    i, j, v = i[order], j[order], v[order]
    counts = np.zeros(n + 2, dtype=np.int64)
    np.add.at(counts, i + 1, 1)
    return np.cumsum(counts), j, v


@program((4, 2, RNG.normal(size=16) + 1j * RNG.normal(size=16)), (2, 3, np.arange(8.0) + 0j))
def stockham_fft(r, k, x):
    y = np.zeros(x.shape, dtype=np.complex128)
    n = r**k
    ii, jj = np.mgrid[0:r, 0:r]
    dft = np.exp(-2.0j * np.pi * ii * jj / r)
    y[:] = x[:]
    for i in range(k):
        y_r = np.reshape(y, (r**i, r, r ** (k - i - 1)))
        phase = np.exp(-2.0j * np.pi * np.arange(r**i)[:, None] * np.arange(r)[None, :] / r ** (i + 1))
        z = np.transpose(y_r, (1, 0, 2)) * phase.T[:, :, None] if i else np.transpose(y_r, (1, 0, 2))
        y[:] = np.reshape(np.tensordot(dft, z, axes=(1, 0)), n)
    return y


@program(np.arange(8) + 0j, RNG.normal(size=4) + 0j, np.ones(1) + 0j)
def fft_recursive(x):
    n = len(x)
    if n == 1:
        return x
    even, odd = fft_recursive(x[::2]), fft_recursive(x[1::2])
    factor = np.exp(-2j * np.pi * np.arange(n) / n)
    return np.concatenate([even + factor[: n // 2] * odd, even + factor[n // 2 :] * odd])


@program(X8, X8[:3])
def dft_by_matrix(x):
    n = x.shape[0]
    k = np.arange(n).reshape((n, 1))
    return np.dot(np.exp(-2j * np.pi * k * np.arange(n) / n), x)


@program((X8, 3, 2), (X8, 4, 4))
def short_time_spectrum(x, size, hop):
    window = np.hanning(size)
    frames = 1 + (len(x) - size) // hop
    out = np.empty((size // 2 + 1, frames))
    for t in range(frames):
        out[:, t] = np.abs(np.fft.rfft(x[t * hop : t * hop + size] * window)) ** 2
    return out


@program((X8, 2), (X8, 0))
def autocorrelation(x, lag):
    d = x - x.mean()
    full = np.correlate(d, d, mode="full")
    acf = full[full.size // 2 :] / full[full.size // 2]
    return acf, acf[lag]


@program(RNG.normal(size=(2, 2, 3, 3)), np.ones((1, 1, 2, 2)) * 800)
def softmax_last_axis(x):
    top = np.max(x, axis=-1, keepdims=True)
    out = np.exp(x - top)
    return out / np.sum(out, axis=-1, keepdims=True)


def relu(x):
    return np.maximum(x, 0)


def softmax(x):
    out = np.exp(x - np.max(x, axis=-1, keepdims=True))
    return out / np.sum(out, axis=-1, keepdims=True)


@program(
    (
        RNG.random((3, 4)).astype(np.float32),
        RNG.random((4, 5)).astype(np.float32),
        np.zeros(5, np.float32),
        RNG.random((5, 2)).astype(np.float32),
        np.ones(2, np.float32),
    )
)
def multilayer_perceptron(x, w1, b1, w2, b2):
    return softmax(relu(x @ w1 + b1) @ w2 + b2)


def conv2d(x, weights):
    k = weights.shape[0]
    n, h, w = x.shape[0], x.shape[1] - k + 1, x.shape[2] - k + 1
    output = np.empty((n, h, w, weights.shape[3]), dtype=np.float32)
    for i in range(h):
        for j in range(w):
            output[:, i, j, :] = np.sum(
                x[:, i : i + k, j : j + k, :, np.newaxis] * weights[np.newaxis, :, :, :], axis=(1, 2, 3)
            )
    return output


def maxpool2d(x):
    output = np.empty([x.shape[0], x.shape[1] // 2, x.shape[2] // 2, x.shape[3]], dtype=x.dtype)
    for i in range(x.shape[1] // 2):
        for j in range(x.shape[2] // 2):
            output[:, i, j, :] = np.max(x[:, 2 * i : 2 * i + 2, 2 * j : 2 * j + 2, :], axis=(1, 2))
    return output


@program(
    (
        IMAGES,
        RNG.random((3, 3, 1, 2)).astype(np.float32),
        np.ones(2, np.float32),
        RNG.random((18, 4)).astype(np.float32),
        np.zeros(4, np.float32),
        2,
    ),
    rtol=1e-4,
)
def lenet_like(x, conv, bias, fc, fcbias, n):
    x = relu(conv2d(x, conv) + bias)
    x = maxpool2d(x)
    x = np.reshape(x, (n, fc.shape[0]))
    return relu(x @ fc + fcbias)


def batchnorm2d(x, eps=1e-5):
    mean = np.mean(x, axis=0, keepdims=True)
    std = np.std(x, axis=0, keepdims=True)
    return (x - mean) / np.sqrt(std + eps)


@program(
    (
        IMAGES,
        RNG.random((1, 1, 1, 2)).astype(np.float32),
        RNG.random((3, 3, 2, 2)).astype(np.float32),
        RNG.random((1, 1, 2, 1)).astype(np.float32),
    ),
    rtol=1e-3,
)
def resnet_block(x, conv1, conv2, conv3):
    padded = np.zeros((x.shape[0], x.shape[1] + 2, x.shape[2] + 2, conv1.shape[3]), dtype=np.float32)
    padded[:, 1:-1, 1:-1, :] = conv2d(x, conv1)
    out = relu(batchnorm2d(padded))
    out = relu(batchnorm2d(conv2d(out, conv2)))
    out = batchnorm2d(conv2d(out, conv3))
    return relu(out + x)


@program(
    (RNG.normal(size=(6, 4)), np.array([0, 1, 1, 0, 1, 0]), 0.5, 5), (RNG.normal(size=(2, 3)), np.array([1, 0]), 0.1, 0)
)
def logistic_regression_newton(x, y, ridge, steps):
    w = np.zeros(x.shape[1])
    for _ in range(steps):
        p = 1 / (1 + np.exp(-x @ w))
        gradient = x.T @ (p - y) + ridge * w
        hessian = (x.T * (p * (1 - p))) @ x + ridge * np.eye(len(w))
        w -= np.linalg.solve(hessian, gradient)
    return w


@program((RNG.normal(size=(3, 2)), RNG.normal(size=(2, 4)), RNG.normal(size=(4, 1)), np.array([[1.0], [0], [1]]), 3))
def backpropagation_by_hand(x, w1, w2, y, epochs):
    losses = []
    for _ in range(epochs):
        hidden = np.tanh(x @ w1)
        out = 1 / (1 + np.exp(-(hidden @ w2)))
        losses.append(-np.mean(y * np.log(out) + (1 - y) * np.log(1 - out)))
        delta = (out - y) / len(x)
        grad2 = hidden.T @ delta
        grad1 = x.T @ ((delta @ w2.T) * (1 - hidden**2))
        w1 -= 0.5 * grad1
        w2 -= 0.5 * grad2
    return losses


@program((POINTS, 2, 10), (POINTS, 3, 1))
def k_means(points, k, limit):
    centres = points[:k].copy()
    for _ in range(limit):
        distances = np.linalg.norm(points[:, None, :] - centres[None, :, :], axis=2)
        nearest = distances.argmin(axis=1)
        new = centres.copy()
        for c in range(k):
            members = points[nearest == c]
            if len(members) > 0:
                new[c] = members.mean(axis=0)
        if np.allclose(new, centres):
            break
        centres = new
    return centres, nearest


@program(
    (POINTS, np.array([0, 1, 0, 1, 1, 0]), np.array([0.1, 0.2]), 3),
    (POINTS, np.array([2, 1, 0, 1, 1, 0]), np.array([0.1, 0.2]), 1),
)
def nearest_neighbours(points, labels, query, k):
    order = np.argsort(((points - query) ** 2).sum(axis=1))[:k]
    return np.bincount(labels[order], minlength=3).argmax()


@program((POINTS, 0.8), (POINTS, 5.0))
def pair_counts_within(points, radius):
    d = np.sqrt(((points[:, None] - points[None]) ** 2).sum(-1))
    i, j = np.where(np.triu(d < radius, 1))
    return len(i), d[i, j].sum()


@program(
    (np.array([0.0, 1, 2, 4]), np.array([1.0, 3, 2, 5]), np.array([0.5, 1.0, 3.3])),
    (np.array([0.0, 1, 3]), np.array([1.0, 0, 2]), np.array([2.0])),
)
def cubic_spline(x, y, xq):
    n = len(x)
    h = np.diff(x)
    a = np.zeros((n, n))
    rhs = np.zeros(n)
    a[0, 0] = a[-1, -1] = 1
    for i in range(1, n - 1):
        a[i, i - 1 : i + 2] = h[i - 1], 2 * (h[i - 1] + h[i]), h[i]
        rhs[i] = 6 * ((y[i + 1] - y[i]) / h[i] - (y[i] - y[i - 1]) / h[i - 1])
    m = np.linalg.solve(a, rhs)
    k = np.clip(np.searchsorted(x, xq) - 1, 0, n - 2)
    left, right = xq - x[k], x[k + 1] - xq
    return (
        (m[k] * right**3 + m[k + 1] * left**3) / (6 * h[k])
        + (y[k] / h[k] - m[k] * h[k] / 6) * right
        + (y[k + 1] / h[k] - m[k + 1] * h[k] / 6) * left
    )


@program((np.array([1.0, 2, 4]), np.array([1.0, 4, 16])), (np.array([0.0]), np.array([3.0])))
def newton_divided_differences(x, y):
    n = len(x)
    table = np.zeros((n, n))
    table[:, 0] = y
    for j in range(1, n):
        for i in range(n - j):
            table[i, j] = (table[i + 1, j - 1] - table[i, j - 1]) / (x[i + j] - x[i])
    return table[0]


@program((lambda x: x * np.exp(-x), 0.0, 2.0, 8), (np.sin, 0.0, np.pi, 2))
def simpson(f, a, b, n):
    x = np.linspace(a, b, n + 1)
    y = f(x)
    return (b - a) / n / 3 * (y[0] + y[-1] + 4 * y[1:-1:2].sum() + 2 * y[2:-1:2].sum())


@program((3, 1e-12), (5, 1e-10))
def gauss_legendre_nodes(n, tol):
    k = np.arange(1, n + 1)
    x = np.cos(np.pi * (k - 0.25) / (n + 0.5))
    for _ in range(50):
        p0, p1 = np.ones_like(x), x.copy()
        for j in range(2, n + 1):
            p0, p1 = p1, ((2 * j - 1) * x * p1 - (j - 1) * p0) / j
        dp = n * (x * p1 - p0) / (x * x - 1)
        step = p1 / dp
        x = x - step
        if np.max(np.abs(step)) < tol:
            break
    return x, 2 / ((1 - x * x) * dp**2)


@program(
    (np.array([2.0, 3.0]), np.array([[1.0, 1], [1, 3]]), np.array([4.0, 6.0])),
    (np.array([1.0, 0.0]), np.array([[1.0, 1]]), np.array([1.0])),
)
def simplex_method(c, a, b):
    m, n = a.shape
    tableau = np.zeros((m + 1, n + m + 1))
    tableau[:m, :n] = a
    tableau[:m, n : n + m] = np.eye(m)
    tableau[:m, -1] = b
    tableau[-1, :n] = -c
    basis = np.arange(n, n + m)
    while tableau[-1, :-1].min() < -1e-9:
        col = np.argmin(tableau[-1, :-1])
        column = tableau[:m, col]
        ratios = np.full(m, np.inf)
        positive = column > 1e-9
        if not positive.any():
            raise ValueError("unbounded")
        ratios[positive] = tableau[:m, -1][positive] / column[positive]
        row = ratios.argmin()
        tableau[row] /= tableau[row, col]
        for r in range(m + 1):
            if r != row:
                tableau[r] -= tableau[r, col] * tableau[row]
        basis[row] = col
    x = np.zeros(n + m)
    x[basis] = tableau[:m, -1]
    return x[:n], tableau[-1, -1]


@program((np.array([1.0, 0.5]), 0.1, 4), (np.array([1.0]), 0.5, 1))
def runge_kutta_fehlberg_table(y, h, n):
    c = np.array([0, 1 / 4, 3 / 8, 12 / 13, 1, 1 / 2])
    a = np.zeros((6, 6))
    a[1, 0] = 1 / 4
    a[2, :2] = 3 / 32, 9 / 32
    a[3, :3] = np.array([1932, -7200, 7296]) / 2197
    a[4, :4] = [439 / 216, -8, 3680 / 513, -845 / 4104]
    a[5, :5] = [-8 / 27, 2, -3544 / 2565, 1859 / 4104, -11 / 40]
    b = np.array([25 / 216, 0, 1408 / 2565, 2197 / 4104, -1 / 5, 0])
    t = 0.0
    for _ in range(n):
        k = np.zeros((6, len(y)))
        for i in range(6):
            k[i] = -(y + h * (a[i, :i] @ k[:i])) * (1 + t + c[i] * h)
        y = y + h * b @ k
        t += h
    return y


@program((5, 6, 4), (4, 4, 1))
def crank_nicolson(nx, nt, diffusivity):
    u = np.sin(np.pi * np.linspace(0, 1, nx))
    r = diffusivity * 0.01
    a = np.diag((1 + 2 * r) * np.ones(nx)) + np.diag(-r * np.ones(nx - 1), 1) + np.diag(-r * np.ones(nx - 1), -1)
    b = np.diag((1 - 2 * r) * np.ones(nx)) + np.diag(r * np.ones(nx - 1), 1) + np.diag(r * np.ones(nx - 1), -1)
    a[0, :], a[-1, :] = 0, 0
    a[0, 0] = a[-1, -1] = 1
    for _ in range(nt):
        rhs = b.dot(u)
        rhs[0] = rhs[-1] = 0
        u = np.linalg.solve(a, rhs)
    return u


@program((100.0, 1.0, 0.05, 0.2, RNG.normal(size=(5, 4))), (100.0, 2.0, 0.0, 0.4, RNG.normal(size=(1, 1))))
def asian_option_paths(s0, maturity, rate, sigma, noise):
    paths, steps = noise.shape
    dt = maturity / steps
    s = s0 * np.exp(np.cumsum((rate - 0.5 * sigma**2) * dt + sigma * np.sqrt(dt) * noise, axis=1))
    payoff = np.maximum(s.mean(axis=1) - s0, 0)
    return np.exp(-rate * maturity) * payoff.mean(), payoff.std(ddof=1) / np.sqrt(paths) if paths > 1 else 0.0


@program((100.0, 95.0, 0.05, 0.3, 4), (100.0, 120.0, 0.01, 0.1, 1))
def american_put_tree(s0, strike, rate, sigma, n):
    dt = 1.0 / n
    up = np.exp(sigma * np.sqrt(dt))
    p = (np.exp(rate * dt) - 1 / up) / (up - 1 / up)
    discount = np.exp(-rate * dt)
    prices = s0 * up ** (2 * np.arange(n + 1) - n)
    values = np.maximum(strike - prices, 0)
    for i in range(n - 1, -1, -1):
        values = discount * (p * values[1:] + (1 - p) * values[:-1])
        prices = prices[1 : i + 2] / up
        values = np.maximum(values, strike - prices)
    return values[0]


@program((20, 2), (0, 3))
def van_der_corput_points(n, base):
    points = np.zeros(n)
    for i in range(n):
        k, f = i, 1.0
        while k > 0:
            f /= base
            points[i] += f * (k % base)
            k //= base
    return points


@program((np.array([1.0, 2, 3, 2, 1]), np.array([0.0, 1, 0.5])), (np.array([1.0]), np.array([2.0])))
def convolution_by_loops(x, h):
    y = np.zeros(len(x) + len(h) - 1)
    for i in range(len(x)):
        y[i : i + len(h)] += x[i] * h
    return y, np.convolve(x, h)


@program((X8, X8[::-1].copy(), 3), (X8, X8, 8))
def dynamic_time_warping(a, b, window):
    n, m = len(a), len(b)
    cost = np.full((n + 1, m + 1), np.inf)
    cost[0, 0] = 0
    for i in range(1, n + 1):
        for j in range(max(1, i - window), min(m, i + window) + 1):
            cost[i, j] = abs(a[i - 1] - b[j - 1]) + min(cost[i - 1, j], cost[i, j - 1], cost[i - 1, j - 1])
    return cost[n, m]


test_programs = program.test()
