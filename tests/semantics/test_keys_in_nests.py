"""Keys that are the indices of loops with loops inside: these stay loops, unless they are very short."""

import numpy as np

import xlapy

from .runner import Programs

program = Programs()
SMALL = (np.array([[2, 1, 9, 9], [3, 9, 8, 7], [9, 8, 5, 6]]), np.array([[9, 1, 9, 0], [3, 9, 8, 7], [9, 8, 9, 6]]))
LARGE = tuple(np.random.default_rng(seed).integers(0, 12, (9, 9)) for seed in (0, 1))
AROUND = ((1, 0), (-1, 0), (0, 1), (0, -1))


def basins(heights):
    seen, sizes = set(), []
    rows, columns = heights.shape
    for r in range(rows):
        for c in range(columns):
            if heights[r, c] >= 9 or (r, c) in seen:
                continue
            stack, size = [(r, c)], 0
            seen.add((r, c))
            while stack:
                a, b = stack.pop()
                size += 1
                for dx, dy in AROUND:
                    x, y = a + dx, b + dy
                    if 0 <= x < rows and 0 <= y < columns and heights[x, y] < 9 and (x, y) not in seen:
                        seen.add((x, y))
                        stack.append((x, y))
            sizes.append(size)
    return sorted(sizes, reverse=True), len(seen)


program.add("basins_of_a_small_grid", basins, *SMALL, compiles=1)
program.add("basins_of_a_grid", basins, *LARGE, compiles=1)


@program(*SMALL, *LARGE, compiles=2)
def grid_as_a_dict(cells):
    grid = {(r, c): int(cells[r, c]) for r in range(cells.shape[0]) for c in range(cells.shape[1])}
    grid[1, 2] += 5
    low = sum(all(v <= grid.get((r + a, c + b), 99) for a, b in AROUND) for (r, c), v in grid.items())
    return low, grid[0, 1], len(grid), (0, 99) in grid


@program(*LARGE, compiles=1)
def first_seen(cells):
    where = {}
    for r in range(9):
        for c in range(9):
            if cells[r, c] not in where:
                where[int(cells[r, c])] = (r, c)
    return where


@program(1.0, 2.0)
def very_short(x):
    table = {}
    for i in range(2):
        for j in range(3):
            table[i, j] = x * i + j
    return table, table[1, 2]


def test_the_program_does_not_grow_with_the_grid():
    def text(cells):
        return len(xlapy.jit(basins).lower(cells).as_text())

    assert text(LARGE[0]) < 2 * text(SMALL[0])


LINKS = tuple(np.random.default_rng(seed).random((9, 9)) < 0.2 for seed in (0, 1))


def components(links):
    n = len(links)
    links_of = {i: [j for j in range(n) if links[i, j]] for i in range(n)}
    index, low, open_, stack, out = {}, {}, set(), [], []
    for root in range(n):
        if root in index:
            continue
        work = [(root, 0)]
        while work:
            v, i = work.pop()
            if i == 0:
                index[v] = low[v] = len(index)
                stack.append(v)
                open_.add(v)
            if i < len(links_of[v]):
                w = links_of[v][i]
                work.append((v, i + 1))
                if w not in index:
                    work.append((w, 0))
                elif w in open_:
                    low[v] = min(low[v], index[w])
                continue
            if work:
                low[work[-1][0]] = min(low[work[-1][0]], low[v])
            if low[v] == index[v]:
                component = []
                while True:
                    w = stack.pop()
                    open_.discard(w)
                    component.append(w)
                    if w == v:
                        break
                out.append(component)
    return out, low


program.add("strongly_connected_components", components, *LINKS, compiles=1)


def test_size_does_not_depend_on_the_number_of_trips():
    whiles = [xlapy.jit(components).lower(np.eye(n) > 0).as_text().count("stablehlo.while") for n in (9, 12)]
    assert whiles[0] == whiles[1] < 10


def fill(x):
    out = []
    for k in range(30):
        y = x
        while y > 1:
            y = y // 2
            out.append(y + k)
    return out


program.add("filled_in_a_nest", fill, np.int64(2**40), np.int64(5), np.int64(0), compiles=2)


def test_room_of_lists_that_grow_in_a_nest():
    # what the inner loop appends is guessed once, not once for each trip of the outer one
    assert f"tensor<{30 * 1024}x" not in xlapy.jit(fill).lower(np.int64(40)).as_text()


@program((np.arange(7), 4), (np.arange(7), 9), compiles=1)
def short_in_the_first_round_only(x, n):
    # what the first round of the outer loop knows of the number of trips of the inner one is not so in the next
    total, i = 0.0, 0
    while i < n:
        inputs = [v for v in x[i : i + 5]]
        states = {-1: np.zeros(3)}
        loss = 0
        for t in range(len(inputs)):
            states[t] = np.tanh(states[t - 1] + inputs[t])
            loss += t * 1.0
        for t in reversed(range(len(inputs))):
            total += states[t].sum() * states[t - 1][0]
        total += loss
        i += 2
    return total


test_programs = program.test()
