"""`zip(strict=True)`: the error comes behind the last row, and only there; a handler around the loop sees the rows."""

import numpy as np

from .runner import Programs

program = Programs()
X = np.arange(100.0)
CALLS = ((90, X), (100, X), (40, X))


@program(*CALLS)
def shorter(n, x):
    t = 0.0
    try:
        for a, b in zip(x, x[:n], strict=True):
            t += a * b
    except ValueError as error:
        return t, str(error)
    return t, ""


@program(*CALLS, (200, X))
def longer_of_three(n, x):
    t = 0.0
    try:
        for a, b, c in zip(x[:n], x, range(n), strict=True):
            t += a * b + c
    except ValueError as error:
        return t, str(error)
    return t, ""


@program(*CALLS)
def enumerated(n, x):
    t = 0.0
    try:
        for i, (a, b) in enumerate(zip(x, x[:n], strict=True)):
            t += a * b + i
    except ValueError:
        t += 1000
    return t


@program(*CALLS)
def made_before(n, x):
    t = 0.0
    pairs = zip(x, x[:n], strict=True)
    try:
        for a, b in pairs:
            t += a * b
    except ValueError as error:
        return t, str(error)
    return t, ""


@program((90, X), (40, X))
def tried_again_and_again(n, x):
    t, wrong = 0.0, 0
    for r in range(40):
        try:
            for a, b in zip(x, x[: n + r], strict=True):
                t += a * b
        except ValueError:
            wrong += 1
            continue
        finally:
            t += 0.5
        t += 7
    return t, wrong


@program(*CALLS)
def seen_by_finally(n, x):
    t, log = 0.0, np.zeros(3)
    try:
        try:
            for a, b in zip(x, x[:n], strict=True):
                t += a * b
        finally:
            log[1] = t
    except ValueError:
        log[2] = 1
    return log


@program(*CALLS)
def seen_by_a_manager(n, x):
    class Manager:
        def __enter__(self):
            return self

        def __exit__(self, cls, *rest):
            return cls is ValueError

    t = 0.0
    with Manager():
        for a, b in zip(x, x[:n], strict=True):
            t += a * b
    return t


@program(*CALLS)
def left_before_the_end(n, x):
    t = 0.0
    for a, b in zip(x, x[:n], strict=True):
        t += a * b
        if t > 500:
            break
    for a, b in zip(x[:n], x, strict=True):
        t += a - b
        if a == 39:
            return t
    return -t


@program((99, X), (99.5, X))
def lengths_of_data_left_before_the_end(n, x):
    t = 0.0
    for a, b in zip(x[x < n], x[x < 95], strict=True):
        t += a * b
        if a == 94:
            break
    return t


@program((99, X), (10, X), raises=KeyError)
def another_error_comes_first(n, x):
    known = {i: i for i in range(60)}
    t = 0.0
    for a, b in zip(x, x[:90], strict=True):
        if a < n:
            t += known[int(a)] * b
        else:
            break
    return t


@program((90, X), raises=ValueError)
def uncaught(n, x):
    t = 0.0
    for a, b in zip(x, x[:n], strict=True):
        t += a * b
    return t


@program((95, X), (90, X), raises=ValueError)
def uncaught_of_data(n, x):
    t = 0.0
    for a, b in zip(x[x < n], x[x < 95], strict=True):
        t += a * b
    return t


test_programs = program.test()
