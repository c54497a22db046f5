"""Long lists of numbers that are subscripted by what is only known on the device."""

import numpy as np

from .runner import Programs

program = Programs()
X = np.array([1.0, -2.0, 3.0])
K = np.array([3, 5, 3, 59, 12])


@program(1000, 30, 4)
def sieve(n):
    prime = [True] * (n + 1)
    prime[0] = prime[1] = False
    i = 2
    while i * i <= n:
        if prime[i]:
            for j in range(i * i, n + 1, i):
                prime[j] = False
        i += 1
    return sum(prime)


@program((X, K))
def written_then_used_as_a_list(x, k):
    p = [0.0] * 60
    for v in k:
        p[v] = p[v] + x[0]
    p.append(7.0)
    p[-1] += 1
    found = p.index(8.0), len(p), p[3], p[:5], [2 * v for v in p][:4], sorted(p)[-2:], p + [1.0]
    return p, sum(p), max(p), found, 8.0 in p, p == [0.0] * 61


@program(([0] * 70, K), ([1] * 70, K + 1))
def list_of_the_caller(items, k):
    for v in k:
        items[v] += 1
    return items[0]


@program(([0.5] * 70, K))
def list_of_the_caller_read(items, k):
    total = 0.0
    for v in k:
        total += items[v]
    return total


@program(K)
def another_type_arrives(k):
    p = [0] * 64
    for v in k:
        p[v] = 0.5
    return p


@program((X, K))
def number_of_numpy_arrives(x, k):
    p = [0.0] * 64
    for v in k:
        if v < 10:
            p[v] = x[0]
    return p, p[3] / 2, p[5]


@program(K)
def swapped(k):
    p, t = list(range(64)), 0
    for v in k:
        t += p[v]
        p[v], p[v + 1] = p[v + 1], p[v]
        if t > 60:
            p[v] = -1
    return p, t, p == list(range(64))


@program(K)
def nothing_in_places(k):
    p = [None] * 64
    p[3] = 1.0
    for v in k:
        p[v] = 2.0
    return p


@program(K, K[:2])
def two_names(k):
    p = [0.0] * 64
    r = p
    for v in k:
        p[v] = 1.0
        if v > 10:
            p = [9.0] * 64
    r[0] = 5.0
    return p, r, p is r


@program(K, K * 0)
def out_of_range(k):
    p = [1] * 64
    try:
        p[k[0] * 100] = 3
    except IndexError as error:
        return str(error), p
    return p


@program(K)
def written_in_order(k):
    p = [0] * 64
    for i in range(64):
        p[i] = i * k[0]
    for i in range(1, 64):
        p[i] += p[i - 1]
    return p


@program((50, np.array([3, 17, 50])), (50, np.array([7])))
def coins(amount, coins):
    ways = [1] + [0] * amount
    for coin in coins:
        for a in range(coin, amount + 1):
            ways[a] += ways[a - coin]
    return ways[amount]


@program(4, 5, 6)
def queens(n):
    columns, up, down, place = [False] * n, [False] * (2 * n), [False] * (2 * n), [0] * n
    count = row = column = 0
    while row >= 0:
        if column == n:
            row -= 1
            if row >= 0:
                free = place[row]
                columns[free] = up[row + free] = down[row - free + n] = False
                column = free + 1
        elif columns[column] or up[row + column] or down[row - column + n]:
            column += 1
        elif row == n - 1:
            count += 1
            column += 1
        else:
            place[row] = column
            columns[column] = up[row + column] = down[row - column + n] = True
            row, column = row + 1, 0
    return count, place, columns, up


@program(K, K * 7, K * 0)
def size_beside_written_items(k):
    sizes = [0, 0, 0, 0, 0, 0, 0, 0, 4]
    for v in k:
        sizes[v % 3] += 1
    return np.zeros(sizes[8]), sizes


@program((X, K), (X * 2, K + 1))
def short_list_of_several_types(x, k):
    p = [0, 0, 0, 0, 0, 0, 0, 0, 0]
    p[k[0]] = 2.5
    p[k[1] - 5] = True
    return p, type(p[3]) is float, p[0]


@program(([5] * 9, K), ([1, 2, 3, 4, 5, 6, 7, 8], K - 1))
def short_list_of_the_caller(items, k):
    items[k[0]] += 1
    other = items
    other[-1] = 0
    items.append(k[1])
    return items[0], len(items), other is items


MANY = np.random.default_rng(0).integers(-5, 100, 1500)


@program((MANY, 3), (MANY[::-1] * 2, 5))
def of_the_elements_of_a_long_array(a, k):
    items, wide = a.tolist(), (a[:1400] / 7).astype(np.float32).reshape(-1, 2).tolist()
    items[k] = -1
    items.append(a[0] + k)
    total = 0
    for i, v in enumerate(items):
        total += v * i
        if v == 99:
            break
    for u, v in wide:
        total += u - v
    chosen = [v for v in items if v > 90]
    return (
        items,
        wide,
        total,
        chosen,
        len(items),
        items[-3:],
        max(items),
        sorted(items)[:3],
        99 in items,
        sum(items[k:]),
    )


@program((MANY > 50,), (MANY < 0,), (MANY[:1200] > 50,))
def of_truth_values_of_a_long_array(a):
    return a.tolist(), sum(a.tolist()), any(a.tolist()), list(zip(a.tolist(), range(5)))


test_programs = program.test()
