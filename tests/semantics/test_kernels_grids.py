"""Kernels on grids as people write them in NumPy: sweeps, stencils, weather, fluids, images."""

import numpy as np

from .runner import Programs

program = Programs()

RNG = np.random.default_rng(5)
U6 = RNG.normal(size=(6, 6))
U7 = RNG.random((7, 7))
IMAGE = RNG.random((6, 8))
CUBE = RNG.random((5, 5, 5))


@program((2, U6), (1, U6[:4, :4].copy()), (0, U6))
def adi(steps, u):
    n = u.shape[0]
    v, p, q = np.empty_like(u), np.empty_like(u), np.empty_like(u)
    dx = 1.0 / n
    dt = 1.0 / max(steps, 1)
    mul1 = 2.0 * dt / dx**2
    mul2 = dt / dx**2
    a = c = -mul1 / 2.0
    b = 1.0 + mul1
    d = f = -mul2 / 2.0
    e = 1.0 + mul2
    for _ in range(1, steps + 1):
        v[0, 1 : n - 1] = 1.0
        p[1 : n - 1, 0] = 0.0
        q[1 : n - 1, 0] = v[0, 1 : n - 1]
        for j in range(1, n - 1):
            p[1 : n - 1, j] = -c / (a * p[1 : n - 1, j - 1] + b)
            q[1 : n - 1, j] = (
                -d * u[j, 0 : n - 2] + (1.0 + 2.0 * d) * u[j, 1 : n - 1] - f * u[j, 2:n] - a * q[1 : n - 1, j - 1]
            ) / (a * p[1 : n - 1, j - 1] + b)
        v[n - 1, 1 : n - 1] = 1.0
        for j in range(n - 2, 0, -1):
            v[j, 1 : n - 1] = p[1 : n - 1, j] * v[j + 1, 1 : n - 1] + q[1 : n - 1, j]
        u[1 : n - 1, 0] = 1.0
        p[1 : n - 1, 0] = 0.0
        q[1 : n - 1, 0] = u[1 : n - 1, 0]
        for j in range(1, n - 1):
            p[1 : n - 1, j] = -f / (d * p[1 : n - 1, j - 1] + e)
            q[1 : n - 1, j] = (
                -a * v[0 : n - 2, j] + (1.0 + 2.0 * a) * v[1 : n - 1, j] - c * v[2:n, j] - d * q[1 : n - 1, j - 1]
            ) / (d * p[1 : n - 1, j - 1] + e)
        u[1 : n - 1, n - 1] = 1.0
        for j in range(n - 2, 0, -1):
            u[1 : n - 1, j] = p[1 : n - 1, j] * u[1 : n - 1, j + 1] + q[1 : n - 1, j]


@program((0.25, IMAGE), (1.0, IMAGE))
def deriche(alpha, image):
    k = (1 - np.exp(-alpha)) ** 2 / (1 + alpha * np.exp(-alpha) - np.exp(2 * alpha))
    a1 = a5 = k
    a2 = a6 = k * np.exp(-alpha) * (alpha - 1)
    a3 = a7 = k * np.exp(-alpha) * (alpha + 1)
    a4 = a8 = -k * np.exp(-2 * alpha)
    b1 = 2 ** (-alpha)
    b2 = -np.exp(-2 * alpha)
    y1, y2 = np.empty_like(image), np.empty_like(image)
    y1[:, 0] = a1 * image[:, 0]
    y1[:, 1] = a1 * image[:, 1] + a2 * image[:, 0] + b1 * y1[:, 0]
    for j in range(2, image.shape[1]):
        y1[:, j] = a1 * image[:, j] + a2 * image[:, j - 1] + b1 * y1[:, j - 1] + b2 * y1[:, j - 2]
    y2[:, -1] = 0
    y2[:, -2] = a3 * image[:, -1]
    for j in range(image.shape[1] - 3, -1, -1):
        y2[:, j] = a3 * image[:, j + 1] + a4 * image[:, j + 2] + b1 * y2[:, j + 1] + b2 * y2[:, j + 2]
    out = y1 + y2
    y1[0] = a5 * out[0]
    y1[1] = a5 * out[1] + a6 * out[0] + b1 * y1[0]
    for i in range(2, image.shape[0]):
        y1[i] = a5 * out[i] + a6 * out[i - 1] + b1 * y1[i - 1] + b2 * y1[i - 2]
    y2[-1] = 0
    y2[-2] = a7 * out[-1]
    for i in range(image.shape[0] - 3, -1, -1):
        y2[i] = a7 * out[i + 1] + a8 * out[i + 2] + b1 * y2[i + 1] + b2 * y2[i + 2]
    return y1 + y2


@program((3, U6, U6 + 1, U6 * 2, np.arange(3.0)), (0, U6, U6 + 1, U6 * 2, np.zeros(0)))
def fdtd_2d(steps, ex, ey, hz, fict):
    for t in range(steps):
        ey[0, :] = fict[t]
        ey[1:, :] -= 0.5 * (hz[1:, :] - hz[:-1, :])
        ex[:, 1:] -= 0.5 * (hz[:, 1:] - hz[:, :-1])
        hz[:-1, :-1] -= 0.7 * (ex[:-1, 1:] - ex[:-1, :-1] + ey[1:, :-1] - ey[:-1, :-1])


@program((2, CUBE, CUBE.copy()))
def heat_3d(steps, a, b):
    for _ in range(1, steps):
        for src, dst in ((a, b), (b, a)):
            mid = src[1:-1, 1:-1, 1:-1]
            dst[1:-1, 1:-1, 1:-1] = (
                0.125 * (src[2:, 1:-1, 1:-1] - 2.0 * mid + src[:-2, 1:-1, 1:-1])
                + 0.125 * (src[1:-1, 2:, 1:-1] - 2.0 * mid + src[1:-1, :-2, 1:-1])
                + 0.125 * (src[1:-1, 1:-1, 2:] - 2.0 * mid + src[1:-1, 1:-1, 0:-2])
                + mid
            )


@program((3, np.arange(8.0), np.arange(8.0) ** 2), (0, np.arange(8.0), np.zeros(8)))
def jacobi_1d(steps, a, b):
    for _ in range(1, steps):
        b[1:-1] = 0.33333 * (a[:-2] + a[1:-1] + a[2:])
        a[1:-1] = 0.33333 * (b[:-2] + b[1:-1] + b[2:])


@program((3, U6))
def seidel_2d(steps, a):
    n = a.shape[0]
    for _ in range(steps - 1):
        for i in range(1, n - 1):
            a[i, 1:-1] += a[i - 1, :-2] + a[i - 1, 1:-1] + a[i - 1, 2:] + a[i, 2:] + a[i + 1, :-2] + a[i + 1, 1:-1]
            a[i, 1:-1] += a[i + 1, 2:]
            for j in range(1, n - 1):
                a[i, j] += a[i, j - 1]
                a[i, j] /= 9.0


@program((U7, 0.4, 10), (U7, 0.0, 1))
def wave_equation(u, c, steps):
    previous = u.copy()
    for _ in range(steps):
        lap = np.zeros_like(u)
        lap[1:-1, 1:-1] = u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2] - 4 * u[1:-1, 1:-1]
        following = 2 * u - previous + c**2 * lap
        following[0, :] = following[-1, :] = following[:, 0] = following[:, -1] = 0
        previous, u = u, following
    return u


def pressure_source(b, rho, dt, u, v, dx, dy):
    b[1:-1, 1:-1] = rho * (
        1 / dt * ((u[1:-1, 2:] - u[1:-1, 0:-2]) / (2 * dx) + (v[2:, 1:-1] - v[0:-2, 1:-1]) / (2 * dy))
        - ((u[1:-1, 2:] - u[1:-1, 0:-2]) / (2 * dx)) ** 2
        - 2 * ((u[2:, 1:-1] - u[0:-2, 1:-1]) / (2 * dy) * (v[1:-1, 2:] - v[1:-1, 0:-2]) / (2 * dx))
        - ((v[2:, 1:-1] - v[0:-2, 1:-1]) / (2 * dy)) ** 2
    )


def relax_pressure(nit, p, dx, dy, b):
    pn = np.empty_like(p)
    pn = p.copy()
    for _ in range(nit):
        pn = p.copy()
        p[1:-1, 1:-1] = ((pn[1:-1, 2:] + pn[1:-1, 0:-2]) * dy**2 + (pn[2:, 1:-1] + pn[0:-2, 1:-1]) * dx**2) / (
            2 * (dx**2 + dy**2)
        ) - dx**2 * dy**2 / (2 * (dx**2 + dy**2)) * b[1:-1, 1:-1]
        p[:, -1] = p[:, -2]
        p[0, :] = p[1, :]
        p[:, 0] = p[:, 1]
        p[-1, :] = 0


@program((7, 7, 3, 2, np.zeros((7, 7)), np.zeros((7, 7)), 0.001, 0.3, 0.3, np.zeros((7, 7)), 1.0, 0.1))
def cavity_flow(nx, ny, nt, nit, u, v, dt, dx, dy, p, rho, nu):
    un, vn = np.empty_like(u), np.empty_like(v)
    b = np.zeros((ny, nx))
    for _ in range(nt):
        un = u.copy()
        vn = v.copy()
        pressure_source(b, rho, dt, u, v, dx, dy)
        relax_pressure(nit, p, dx, dy, b)
        u[1:-1, 1:-1] = (
            un[1:-1, 1:-1]
            - un[1:-1, 1:-1] * dt / dx * (un[1:-1, 1:-1] - un[1:-1, 0:-2])
            - vn[1:-1, 1:-1] * dt / dy * (un[1:-1, 1:-1] - un[0:-2, 1:-1])
            - dt / (2 * rho * dx) * (p[1:-1, 2:] - p[1:-1, 0:-2])
            + nu * (dt / dx**2 * (un[1:-1, 2:] - 2 * un[1:-1, 1:-1] + un[1:-1, 0:-2]))
        )
        v[1:-1, 1:-1] = (
            vn[1:-1, 1:-1]
            - un[1:-1, 1:-1] * dt / dx * (vn[1:-1, 1:-1] - vn[1:-1, 0:-2])
            - dt / (2 * rho * dy) * (p[2:, 1:-1] - p[0:-2, 1:-1])
        )
        u[0, :] = 0
        u[:, 0] = 0
        u[:, -1] = 0
        u[-1, :] = 1
        v[0, :] = v[-1, :] = v[:, 0] = v[:, -1] = 0


@program((U7 * 0, U7 * 0, U7, 0.01, 0.5, 1.0, 1e-3), (U7 * 0, U7 * 0, U7, 0.01, 0.5, 1.0, 1e-1))
def channel_flow(u, v, p, dt, dx, force, tol):
    difference = 1.0
    steps = 0
    while difference > tol and steps < 40:
        un = u.copy()
        vn = v.copy()
        p[1:-1, 1:-1] = 0.25 * (p[1:-1, 2:] + p[1:-1, :-2] + p[2:, 1:-1] + p[:-2, 1:-1])
        p[1:-1, -1] = 0.25 * (p[1:-1, 0] + p[1:-1, -2] + p[2:, -1] + p[:-2, -1])
        u[1:-1, 1:-1] = un[1:-1, 1:-1] - dt / dx * (p[1:-1, 2:] - p[1:-1, :-2]) + force * dt
        u[1:-1, -1] = un[1:-1, -1] - un[1:-1, -1] * dt / dx * (un[1:-1, -1] - un[1:-1, -2]) + force * dt
        u[1:-1, 0] = un[1:-1, 0] - un[1:-1, 0] * dt / dx * (un[1:-1, 0] - un[1:-1, -1]) + force * dt
        v[1:-1, 1:-1] = vn[1:-1, 1:-1] - dt / dx * (p[2:, 1:-1] - p[:-2, 1:-1])
        u[0, :] = 0
        u[-1, :] = 0
        difference = (np.sum(u) - np.sum(un)) / np.sum(u)
        steps += 1
    return steps


@program((RNG.random((9, 9, 2)), np.zeros((5, 5, 2)), RNG.random((5, 5, 2))))
def horizontal_diffusion(in_field, out_field, coeff):
    i, j, k = out_field.shape
    lap = 4.0 * in_field[1 : i + 3, 1 : j + 3, :] - (
        in_field[2 : i + 4, 1 : j + 3, :]
        + in_field[0 : i + 2, 1 : j + 3, :]
        + in_field[1 : i + 3, 2 : j + 4, :]
        + in_field[1 : i + 3, 0 : j + 2, :]
    )
    res = lap[1:, 1 : j + 1, :] - lap[:-1, 1 : j + 1, :]
    flx = np.where(res * (in_field[2 : i + 3, 2 : j + 2, :] - in_field[1 : i + 2, 2 : j + 2, :]) > 0, 0, res)
    res = lap[1 : i + 1, 1:, :] - lap[1 : i + 1, :-1, :]
    fly = np.where(res * (in_field[2 : i + 2, 2 : j + 3, :] - in_field[2 : i + 2, 1 : j + 2, :]) > 0, 0, res)
    out_field[:, :, :] = in_field[2 : i + 2, 2 : j + 2, :] - coeff * (
        flx[1:, :, :] - flx[:-1, :, :] + fly[:, 1:, :] - fly[:, :-1, :]
    )


@program((RNG.random((3, 4, 5)), RNG.random((3, 4, 5)), RNG.random((4, 4, 5)), RNG.random((3, 4, 5)), 0.15))
def vertical_advection(stage, u_pos, wcon, tens, dt):
    ni, nj, nk = stage.shape
    ccol, dcol = np.empty((ni, nj, nk)), np.empty((ni, nj, nk))
    for k in range(1):
        gcv = 0.25 * (wcon[1:, :, k + 1] + wcon[:-1, :, k + 1])
        cs = gcv * 0.5
        ccol[:, :, k] = gcv * 0.5
        bcol = dt - ccol[:, :, k]
        divided = 1.0 / bcol
        ccol[:, :, k] = ccol[:, :, k] * divided
        dcol[:, :, k] = (dt * u_pos[:, :, k] + tens[:, :, k] - cs * (stage[:, :, k + 1] - stage[:, :, k])) * divided
    for k in range(1, nk - 1):
        gav = -0.25 * (wcon[1:, :, k] + wcon[:-1, :, k])
        gcv = 0.25 * (wcon[1:, :, k + 1] + wcon[:-1, :, k + 1])
        acol = gav * 0.5
        ccol[:, :, k] = gcv * 0.5
        bcol = dt - acol - ccol[:, :, k]
        divided = 1.0 / (bcol - ccol[:, :, k - 1] * acol)
        ccol[:, :, k] = ccol[:, :, k] * divided
        dcol[:, :, k] = (dt * u_pos[:, :, k] + tens[:, :, k] - dcol[:, :, k - 1] * acol) * divided
    for k in range(nk - 1, nk):
        acol = -0.125 * (wcon[1:, :, k] + wcon[:-1, :, k])
        bcol = dt - acol
        divided = 1.0 / (bcol - ccol[:, :, k - 1] * acol)
        dcol[:, :, k] = (dt * u_pos[:, :, k] - dcol[:, :, k - 1] * acol) * divided
    data = np.zeros((ni, nj))
    for k in range(nk - 1, nk - 2, -1):
        data[:] = dcol[:, :, k]
        tens[:, :, k] = dt * (data - u_pos[:, :, k])
    for k in range(nk - 2, -1, -1):
        datacol = dcol[:, :, k] - ccol[:, :, k] * data[:, :]
        data[:] = datacol
        tens[:, :, k] = dt * (datacol - u_pos[:, :, k])


@program((IMAGE, 1.0, 2), (IMAGE, 0.5, 1))
def gaussian_blur_separable(image, sigma, radius):
    x = np.arange(-radius, radius + 1)
    kernel = np.exp(-(x**2) / (2 * sigma**2))
    kernel /= kernel.sum()
    padded = np.pad(image, radius, mode="edge")
    rows = np.zeros_like(padded)
    for shift, weight in zip(x, kernel):
        rows += weight * np.roll(padded, shift, axis=0)
    out = np.zeros_like(padded)
    for shift, weight in zip(x, kernel):
        out += weight * np.roll(rows, shift, axis=1)
    return out[radius:-radius, radius:-radius]


@program((IMAGE, 0.3), (IMAGE > 0.5, 0.3))
def sobel_edges(image, threshold):
    kx = np.array([[-1, 0, 1], [-2, 0, 2], [-1, 0, 1]])
    ky = kx.T
    h, w = image.shape
    gx, gy = np.zeros((h - 2, w - 2)), np.zeros((h - 2, w - 2))
    for di in range(3):
        for dj in range(3):
            window = image[di : di + h - 2, dj : dj + w - 2]
            gx += kx[di, dj] * window
            gy += ky[di, dj] * window
    magnitude = np.sqrt(gx**2 + gy**2)
    return magnitude, np.arctan2(gy, gx), magnitude > threshold


@program((IMAGE, 3), (IMAGE, 1))
def median_filter_2d(image, size):
    r = size // 2
    padded = np.pad(image, r, mode="reflect")
    out = np.empty_like(image)
    for i in range(image.shape[0]):
        for j in range(image.shape[1]):
            out[i, j] = np.median(padded[i : i + size, j : j + size])
    return out


@program(((IMAGE * 255).astype(np.uint8),), ((IMAGE * 0).astype(np.uint8),))
def histogram_equalisation(image):
    hist = np.bincount(image.ravel(), minlength=256)
    cdf = hist.cumsum()
    lowest = cdf[cdf > 0].min()
    table = np.round((cdf - lowest) / max(image.size - lowest, 1) * 255)
    return np.clip(table, 0, 255).astype(np.uint8)[image]


@program(((IMAGE * 255).astype(np.uint8),))
def otsu_threshold(image):
    counts, _ = np.histogram(image, bins=256, range=(0, 256))
    total = image.size
    sum_all = np.dot(np.arange(256), counts)
    weight = sum_back = 0.0
    best, chosen = -1.0, 0
    for t in range(256):
        weight += counts[t]
        if weight == 0:
            continue
        rest = total - weight
        if rest == 0:
            break
        sum_back += t * counts[t]
        between = weight * rest * (sum_back / weight - (sum_all - sum_back) / rest) ** 2
        if between > best:
            best, chosen = between, t
    return chosen


@program((IMAGE, np.pi / 6), (IMAGE, 0.0))
def rotate_bilinear(image, angle):
    h, w = image.shape
    yy, xx = np.mgrid[0:h, 0:w]
    cy, cx = (h - 1) / 2, (w - 1) / 2
    c, s = np.cos(angle), np.sin(angle)
    ys = c * (yy - cy) - s * (xx - cx) + cy
    xs = s * (yy - cy) + c * (xx - cx) + cx
    y0, x0 = np.floor(ys).astype(int), np.floor(xs).astype(int)
    dy, dx = ys - y0, xs - x0
    inside = (y0 >= 0) & (y0 < h - 1) & (x0 >= 0) & (x0 < w - 1)
    y0, x0 = np.clip(y0, 0, h - 2), np.clip(x0, 0, w - 2)
    value = (
        image[y0, x0] * (1 - dy) * (1 - dx)
        + image[y0 + 1, x0] * dy * (1 - dx)
        + image[y0, x0 + 1] * (1 - dy) * dx
        + image[y0 + 1, x0 + 1] * dy * dx
    )
    return np.where(inside, value, 0.0)


@program((IMAGE > 0.4, 2), (IMAGE > 2, 1))
def erode_and_dilate(mask, rounds):
    for _ in range(rounds):
        padded = np.pad(mask, 1, constant_values=False)
        mask = padded[1:-1, 1:-1] | padded[2:, 1:-1] | padded[:-2, 1:-1] | padded[1:-1, 2:] | padded[1:-1, :-2]
    for _ in range(rounds):
        padded = np.pad(mask, 1, constant_values=True)
        mask = padded[1:-1, 1:-1] & padded[2:, 1:-1] & padded[:-2, 1:-1] & padded[1:-1, 2:] & padded[1:-1, :-2]
    return mask, mask.sum()


@program((IMAGE > 0.5,), (IMAGE > 2,))
def connected_labels_by_propagation(mask):
    labels = np.where(mask, np.arange(1, mask.size + 1).reshape(mask.shape), 0)
    while True:
        padded = np.pad(labels, 1)
        best = np.maximum.reduce(
            [padded[1:-1, 1:-1], padded[2:, 1:-1], padded[:-2, 1:-1], padded[1:-1, 2:], padded[1:-1, :-2]]
        )
        best = np.where(mask, best, 0)
        if (best == labels).all():
            break
        labels = best
    return labels, len(np.unique(labels[labels > 0]))


@program((IMAGE > 0.5,))
def connected_labels_by_stack(mask):
    h, w = mask.shape
    labels = np.zeros((h, w), dtype=np.int32)
    stack = np.empty((h * w * 4, 2), dtype=np.int64)
    current = 0
    for i in range(h):
        for j in range(w):
            if mask[i, j] and labels[i, j] == 0:
                current += 1
                stack[0] = i, j
                top = 1
                while top > 0:
                    top -= 1
                    y, x = stack[top]
                    if 0 <= y < h and 0 <= x < w and mask[y, x] and labels[y, x] == 0:
                        labels[y, x] = current
                        for dy, dx in ((0, 1), (1, 0), (0, -1), (-1, 0)):
                            stack[top, 0], stack[top, 1] = y + dy, x + dx
                            top += 1
    return labels, current


@program((IMAGE, 3), (IMAGE, 0))
def seam_carving(image, seams):
    energy = np.abs(np.gradient(image, axis=0)) + np.abs(np.gradient(image, axis=1))
    h, w = energy.shape
    cost = energy.copy()
    for i in range(1, h):
        left = np.r_[np.inf, cost[i - 1, :-1]]
        right = np.r_[cost[i - 1, 1:], np.inf]
        cost[i] += np.minimum(np.minimum(left, cost[i - 1]), right)
    path = np.empty(h, dtype=int)
    path[-1] = np.argmin(cost[-1])
    for i in range(h - 2, -1, -1):
        j = path[i + 1]
        lo, hi = max(j - 1, 0), min(j + 2, w)
        path[i] = lo + np.argmin(cost[i, lo:hi])
    return path, cost[-1].min() + seams


@program((np.array([[0, 1, 0], [0, 1, 0], [0, 1, 0]], dtype=np.uint8), 3), (np.zeros((4, 5), dtype=np.uint8), 2))
def game_of_life_rolled(board, steps):
    for _ in range(steps):
        neighbours = sum(np.roll(np.roll(board, i, 0), j, 1) for i in (-1, 0, 1) for j in (-1, 0, 1) if i or j)
        board = (neighbours == 3) | (board & (neighbours == 2))
        board = board.astype(np.uint8)
    return board


@program((U7, 0.25, 0.055, 0.062, 3))
def gray_scott(u, dt, feed, kill, steps):
    v = 1 - u
    for _ in range(steps):
        lu = np.roll(u, 1, 0) + np.roll(u, -1, 0) + np.roll(u, 1, 1) + np.roll(u, -1, 1) - 4 * u
        lv = np.roll(v, 1, 0) + np.roll(v, -1, 0) + np.roll(v, 1, 1) + np.roll(v, -1, 1) - 4 * v
        uvv = u * v * v
        u += dt * (0.16 * lu - uvv + feed * (1 - u))
        v += dt * (0.08 * lv + uvv - (feed + kill) * v)
    return u.mean(), v


@program((6, 8, -2.0, 0.5, -1.2, 1.2, 20, 2.0))
def mandelbrot_masked(xn, yn, xmin, xmax, ymin, ymax, maxiter, horizon):
    x = np.linspace(xmin, xmax, xn)
    y = np.linspace(ymin, ymax, yn)
    c = x + y[:, None] * 1j
    n = np.zeros(c.shape, dtype=np.int64)
    z = np.zeros(c.shape, dtype=np.complex128)
    for k in range(maxiter):
        alive = np.less(abs(z), horizon)
        n[alive] = k
        z[alive] = z[alive] ** 2 + c[alive]
    n[n == maxiter - 1] = 0
    return z, n


@program((-2.0, 0.5, -1.2, 1.2, 6, 5, 20, 2.0), (-2.0, 0.5, -1.2, 1.2, 6, 5, 3, 2.0))
def mandelbrot_with_shrinking_indices(xmin, xmax, ymin, ymax, xn, yn, itermax, horizon):
    xi, yi = np.mgrid[0:xn, 0:yn]
    x = np.linspace(xmin, xmax, xn)[xi]
    y = np.linspace(ymin, ymax, yn)[yi]
    c = x + y * 1j
    n_ = np.zeros(c.shape, dtype=np.int64)
    z_ = np.zeros(c.shape, dtype=np.complex128)
    xi.shape = yi.shape = c.shape = xn * yn
    z = np.zeros(c.shape, np.complex128)
    for i in range(itermax):
        if not len(z):
            break
        np.multiply(z, z, z)
        np.add(z, c, z)
        remain = abs(z) > horizon
        n_[xi[remain], yi[remain]] = i + 1
        z_[xi[remain], yi[remain]] = z[remain]
        remain = ~remain
        z = z[remain]
        xi, yi = xi[remain], yi[remain]
        c = c[remain]
    return z_.T, n_.T


test_programs = program.test()
