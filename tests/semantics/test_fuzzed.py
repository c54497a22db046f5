"""Programs that `python -m tests.fuzz` found, made small: each was wrong, or made the compiler fail."""

import numpy as np

from .runner import Programs

program = Programs()
X = np.array([1.0, -2.0, 3.0, 0.5])


# -- a number whose type changes on some trips of a loop only keeps the type of each path ----------------------------


@program((-X, 4), (X, 4))
def best_so_far_may_stay_an_int(x, n):
    best = 7
    for i in range(n):
        if x[i] > best - 5:
            best = x[i]
    return best


@program((np.array([-1.0, -2.0]), 0.5), (np.array([-1.0, 2.0]), 0.5))
def number_replaced_on_some_trips(x, p):
    a = 0
    for v in x:
        a = a if v < 0 else p
    return a


@program((X, 4), (-abs(X), 4))
def half_added_in_while(x, n):
    t = i = 0
    while i < n:
        if x[i] > 0:
            t += 0.5
        i += 1
    return t, i


@program((np.arange(4), np.float64(0.5)), (np.arange(4), np.float64(2)))
def float_becomes_an_int(y, s):
    for _ in y:
        s = 1
    return (s,)


@program((np.ones(4, np.float32), np.int32(5)))
def numpy_float_becomes_an_int(y, s):
    s = y[0]
    for v in y:
        s = int(v)
    return s


# -- a program that raises in any case, but one of several exceptions ------------------------------------------------


@program(2, 4, raises=Exception)
def one_of_two_exceptions(a):
    if a > 3:
        raise ValueError(a)
    raise TypeError(a + 1)


@program(1, 0, raises=Exception)
def error_before_a_certain_error(a):
    b = 7 // a
    raise KeyError(b)


@program((X, 2), (X, 9), raises=Exception)
def out_of_range_before_a_certain_error(x, i):
    y = x[i]
    raise ValueError(float(y))


@program(True, False, raises=Exception)
def unbound_name_or_error(flag):
    if flag:
        v = np
    else:
        raise ValueError
    return f, v  # noqa: F821


# -- exceptions in the outermost function ----------------------------------------------------------------------------


@program(1, 3, 0, raises=ZeroDivisionError)
def caught_or_raised_again(a):
    try:
        g = 0.5 // a
        if g:
            return 5
        1 / a
    except LookupError:
        raise
    return 0 < a <= a


@program((0, True), (1, False), (1, True), raises=TypeError)
def number_raised_in_finally(a, flag):
    try:
        a = a * 1
    finally:
        if all([bool(a)]):
            if flag:
                raise a


@program((0, np.ones(4), 0.5), (1, np.ones(4), 0.5), raises=ZeroDivisionError)
def raises_one_of_two_exceptions_after_a_loop(a, x, p):
    for k in range(3):
        try:
            1 / a
        except ValueError:
            k = 0.5
        try:
            1 / 0
            x[a:] = p
        except ValueError:
            p = 0.5
    return p, k


test_programs = program.test()
