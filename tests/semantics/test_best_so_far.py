"""The best state of a loop is kept under a second name: a container or object that may be the current one."""

import numpy as np

from .runner import Programs

program = Programs()

X = np.array([0.7, 2.0])
TRIPS = [(X, n) for n in (0, 1, 2, 5, 40)]
FEW = [(X, n) for n in (0, 1, 2, 4)]


@program(*[({"w": X}, n) for n in (0, 1, 2, 5, 40)])
def parameters_in_a_dict(p, n):
    best, least = p, np.inf
    for _ in range(n):
        loss = (p["w"] ** 2).sum() + 0.5 * np.sin(3 * p["w"]).sum()
        p = {"w": p["w"] - 0.4 * (2 * p["w"] + 1.5 * np.cos(3 * p["w"]))}
        if loss < least:
            best, least = p, loss
    return best, least


@program(*[({"w": X}, n, patience) for n in (0, 1, 40) for patience in (1, 3)])
def stopped_early(p, n, patience):
    best, least, bad = p, np.inf, 0
    for i in range(n):
        p = {"w": p["w"] * 0.9 - 0.1 * (i % 3)}
        loss = (p["w"] ** 2).sum()
        if loss < least - 1e-3:
            best, least, bad = p, loss, 0
        else:
            bad += 1
            if bad >= patience:
                break
    return best, least, bad


class State:
    def __init__(self, w, n):
        self.w, self.n = w, n

    def size(self):
        return (self.w**2).sum()


@program(*TRIPS)
def objects(x, n):
    best = current = State(x, 0)
    total = 0
    for i in range(n):
        current = State(current.w * 0.9 - 0.1 * (i % 3), i)
        if current.size() < best.size():
            best = current
        total += best.n
    return best.w, best.n, total


@program(*TRIPS)
def lists_best_and_second(x, n):
    current = [x, 0]
    best = second = current
    for i in range(n):
        current = [current[0] * 0.9 - 0.1 * (i % 3), i]
        if (current[0] ** 2).sum() < (best[0] ** 2).sum():
            second, best = best, current
    return best[0], best[1], second[1], current[0]


@program(*TRIPS)
def dicts_that_change_places(x, n):
    a, b = {"w": x}, {"w": x + 1}
    c = a
    for i in range(n):
        a, b = b, {"w": a["w"] * 0.5 + i}
        if b["w"][0] > 2:
            c = a
        elif b["w"][0] > 1:
            c = b
    return c["w"], a["w"], b["w"]


@program(*TRIPS)
def containers_in_containers(x, n):
    current = {"l": [x, {"b": x * 2}], "t": (0, x)}
    best, least = current, np.inf
    for i in range(n):
        current = {
            "l": [current["l"][0] * 0.9, {"b": current["l"][1]["b"] - 0.1 * (i % 4)}],
            "t": (i, current["t"][1] + 1),
        }
        loss = (current["l"][1]["b"] ** 2).sum()
        if loss < least:
            best, least = current, loss
        elif i > 7:
            break
    return best["l"][0], best["l"][1]["b"], best["t"], least


@program(*FEW)
def both_are_returned(x, n):
    current = {"w": x * 1}
    best = current
    for _ in range(n):
        current = {"w": current["w"] * 1.1 - 0.3}
        if current["w"][0] > 0.4:
            best = current
    return best, current, best is current


@program(*FEW)
def written_afterwards(x, n):
    current = {"w": x * 1}
    best = current
    for i in range(n):
        current = {"w": current["w"] * 1.1 - 0.3}
        if current["w"][0] > 0.4:
            best = current
        current["k"] = i
        current["w"][0] += 0.1
    return best["w"], best.get("k", -1)


@program(*FEW)
def compared_by_identity(x, n):
    current = State(x, 0)
    best, count = current, 0
    for i in range(n):
        if best is current:
            count += 1
        current = State(current.w * 1.1 - 0.3, i)
        if current.w[0] > 0.4:
            best = current
    return best.w, count


@program(*FEW)
def arrays_compared_by_identity(x, n):
    best = x
    for _ in range(n):
        x = x + 1.0
        if x[0] > 2:
            best = x
    return best is x, best


@program((X, 1), (X, 4), (X, 6))
def one_of_two_arrays(x, n):
    one, two = x + 1, x + 2
    one = two if n == 6 else one
    chosen = one if n > 3 else two
    return chosen is one, chosen is two, one is two


@program(*FEW)
def two_names_for_one_array_after_a_loop(x, n):
    a, b = x * 1, x * 2
    for i in range(n):
        a = a - 0.25 * i
        b = a
    return a, b, a is b


@program(*FEW)
def arrays_in_a_loop_then_written(x, n):
    best = x
    for _ in range(n):
        x = x + 1.0
        if x[0] % 2 < 1:
            best = x
    best[0] = 100
    return best, x


test_programs = program.test()
