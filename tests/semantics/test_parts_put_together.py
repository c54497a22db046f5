"""Arrays cut at positions that data says, and put together again: their lengths cancel out, so the sizes are known."""

import numpy as np

from .runner import Programs

program = Programs()

X = np.arange(8.0)
Y = X[::-1] * 10.0
A = np.arange(40.0).reshape(5, 8)
K = np.array([3, 0, 8, 5, -2, 11, -20])


@program(*((X, Y, np.array([k])) for k in (3, 0, 8, -3, 12, -12)), compiles=1)
def crossed(x, y, at):
    k = at[0]
    child = np.concatenate([x[:k], y[k:]])
    return child, child.shape, np.sum(child * np.arange(8)), np.fft.fft(child), child.reshape(2, 4)


@program((X, Y, K))
def crossed_at_what_is_read_twice(x, y, k):
    return [np.concatenate((x[: k[i]], y[k[i] :])) for i in range(len(k))]


@program((X, K), (Y, K))
def turned(x, k):
    for i in range(len(k)):
        x = np.concatenate((x[k[i] :], x[: k[i]]))
    return x


@program((A, 3), (A, -2), (A, 0), (A, 99))
def columns_and_rows(a, k):
    rows = np.concatenate([a[k:], a[:k]])
    columns = np.hstack([a[:, k:], a[:, :k]])
    ends = np.append(a[0, :k], a[1, k:])
    return rows, columns, ends, np.vstack((rows, columns)), rows @ columns.T


@program((X, Y, 2, 6), (X, Y, 6, 2), (X, Y, -3, 20), (X, Y, 0, 8))
def in_three_parts(x, y, low, high):
    low, high = max(min(low, high), 0), min(max(low, high), 8)
    return np.concatenate([x[:low], y[low:high], x[high:]])


@program((X, 3), (X, 7))
def of_other_lengths(x, k):
    return np.concatenate([x[:k], x[k - 1 :]]), np.concatenate([x[:k], x[:k]])


@program((X, K), (Y, K))
def position_changed_in_between(x, k):
    first = x[: k[0]]
    k[0] += 2
    return np.concatenate([first, x[k[0] :]])


@program((np.arange(60).reshape(6, 10) % 3, np.array([[3, 7], [0, 5], [9, 1]])))
def generations(people, cuts):
    best = []
    for cut in cuts:
        children = []
        for i in range(len(people)):
            one, two = people[i], people[-i - 1]
            c = cut[i % 2]
            child = np.concatenate([one[:c], two[c:]])
            child[child == 2] = 0
            children.append(child)
        people = np.array(children)
        best.append(people.sum(axis=1).max())
    return people, best


test_programs = program.test()
