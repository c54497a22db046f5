"""Points, polygons, rays."""

import numpy as np

from benchmarks.kernels.registry import kernel, side, sized


@kernel(lambda random, scale: (random.random((sized(2000, scale), 2)),))
def convex_hull(points):
    order = np.argsort(points[:, 0])
    p = points[order]
    n = len(p)
    hull = np.empty((2 * n, 2))
    k = 0
    for i in range(n):
        while (
            k >= 2
            and (hull[k - 1, 0] - hull[k - 2, 0]) * (p[i, 1] - hull[k - 2, 1])
            - (hull[k - 1, 1] - hull[k - 2, 1]) * (p[i, 0] - hull[k - 2, 0])
            <= 0
        ):
            k -= 1
        hull[k] = p[i]
        k += 1
    t = k + 1
    for i in range(n - 2, -1, -1):
        while (
            k >= t
            and (hull[k - 1, 0] - hull[k - 2, 0]) * (p[i, 1] - hull[k - 2, 1])
            - (hull[k - 1, 1] - hull[k - 2, 1]) * (p[i, 0] - hull[k - 2, 0])
            <= 0
        ):
            k -= 1
        hull[k] = p[i]
        k += 1
    return hull[: k - 1]


def polygon(random, scale):
    t = np.sort(random.random(40)) * 2 * np.pi
    r = 0.5 + random.random(40)
    return np.stack([r * np.cos(t), r * np.sin(t)], 1), random.normal(size=(sized(500, scale), 2))


@kernel(polygon)
def points_in_polygon(polygon, points):
    inside = np.zeros(len(points), np.bool_)
    m = len(polygon)
    for i in range(len(points)):
        x, y = points[i]
        j = m - 1
        c = False
        for k in range(m):
            xk, yk = polygon[k, 0], polygon[k, 1]
            xj, yj = polygon[j, 0], polygon[j, 1]
            if (yk > y) != (yj > y) and x < (xj - xk) * (y - yk) / (yj - yk) + xk:
                c = not c
            j = k
        inside[i] = c
    return inside


def rays(random, scale):
    n = sized(200, scale)
    low = random.random((40, 3)) * 10
    return random.random((n, 3)) * 10, random.normal(size=(n, 3)), low, low + random.random((40, 3)) * 2


@kernel(rays)
def rays_and_boxes(origin, direction, low, high):
    n, m = len(origin), len(low)
    hit = np.full(n, -1)
    for i in range(n):
        best = np.inf
        for b in range(m):
            near, far = 0.0, 1e30
            for k in range(3):
                inv = 1.0 / direction[i, k]
                t0 = (low[b, k] - origin[i, k]) * inv
                t1 = (high[b, k] - origin[i, k]) * inv
                if t0 > t1:
                    t0, t1 = t1, t0
                near = max(near, t0)
                far = min(far, t1)
            if near <= far and near < best:
                best = near
                hit[i] = b
    return hit


@kernel(lambda random, scale: (random.random((side(100, scale), 4)),))
def crossing_segments(s):
    n = len(s)
    count = 0
    for i in range(n):
        ax, ay, bx, by = s[i]
        for j in range(i):
            cx, cy, dx, dy = s[j]
            o1 = (bx - ax) * (cy - ay) - (by - ay) * (cx - ax)
            o2 = (bx - ax) * (dy - ay) - (by - ay) * (dx - ax)
            o3 = (dx - cx) * (ay - cy) - (dy - cy) * (ax - cx)
            o4 = (dx - cx) * (by - cy) - (dy - cy) * (bx - cx)
            if o1 * o2 < 0 and o3 * o4 < 0:
                count += 1
    return count
