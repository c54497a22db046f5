"""Slices of lists whose step is a loop's, an argument's or one that data gives: read, written, deleted."""

import numpy as np

from .runner import Programs

program = Programs()
STEPS = (np.array([3, -5, 2]), np.array([-2, 6, -1]))
UP = (np.array([3, 5, 2]), np.array([2, 6, 1]))


@program(30, 50, 2, 400)
def sieve(n):
    is_prime = [True] * (n + 1)
    is_prime[0] = is_prime[1] = False
    for i in range(2, int(n**0.5) + 1):
        if is_prime[i]:
            is_prime[i * i :: i] = [False] * len(is_prime[i * i :: i])
    return [i for i, p in enumerate(is_prime) if p]


@program(30, 50)
def sieve_with_while(n):
    is_prime, i = [True] * (n + 1), 2
    while i * i <= n:
        if is_prime[i]:
            is_prime[i * i : n + 1 : i] = [False] * ((n - i * i) // i + 1)
        i += 1
    return sum(is_prime[2:])


@program(np.arange(20), np.arange(20) * 2)
def steps_of_a_loop(x):
    items, out = x.tolist(), []
    for i in range(1, 6):
        items[i::i] = [i] * len(items[i::i])
        out += [sum(items[i::i]), len(items[::i]), sum(items[::-i]), sum(items[-3:2:-i])]
    return items, out


@program(*STEPS)
def steps_of_data(x):
    items, out = list(range(60)), []
    for v in x.tolist():
        out += [sum(items[5::v]), len(items[:7:v]), sum(items[50:2:v]), sum(items[-3::v])]
        out.append(items[1:50:v][:1] == [1])
    return out


@program(*UP)
def written_and_deleted(x):
    items = list(range(60))
    for v in x.tolist():
        items[v::v] = [-v] * len(items[v::v])
    del items[::2]
    return items


@program(*STEPS)
def of_a_list_that_grew(x):
    items = []
    for i in range(40):
        if i % 7:
            items.append(i * 1.5)
    sums = [sum(items[::v]) + sum(items[3:20:v]) + sum(items[-2:-20:v]) for v in x.tolist()]
    for v in x.tolist():
        del items[1::v]
    rest = items[:]
    del rest[::-2]
    del rest[5:1:-1]
    del rest[1:6:2]
    return sums, items, rest


@program(np.array([3, 0, 2]), np.array([-2, 6, 0]), raises=ValueError)
def no_step(x):
    items, s = list(range(60)), 0
    for v in x.tolist():
        s += sum(items[5::v])
    return s


@program(UP[0], refuse="maybe", raises=ValueError)
def of_another_length(x):
    items = list(range(60))
    for v in x.tolist():
        items[v::v] = [-v] * (len(items[v::v]) + 1)
    return items


@program(3, -2)
def step_in_an_argument(k):
    items = [i * i for i in range(12)]
    return items[::k], slice(None, None, k).indices(10), slice(2, k, k).indices(7), list(range(20)[::k])


test_programs = program.test()
