"""Arrays that are one of several, by a loop, a branch or a list: they lie in memory as that one does."""

import numpy as np
import pytest

import xlapy

from .runner import Programs

program = Programs()

X = np.array([[1.3, 2.6, 3.1], [4.5, 0.7, 9.1]])
ORDERS = (X, np.asfortranarray(X), np.asfortranarray(X[::-1])[::-1], np.repeat(X, 2, axis=1)[:, ::2])


def negated_in_turn(a, n):
    for _ in range(n):
        b = -a
        b.reshape(-1)[0] += 1
        a = b / 2
    return a


def doubled(a, n):
    while a.sum() < n:
        a = a * 2
        a.ravel()[1] = 0.5
    return a


def copied(a, n):
    for i in range(n):
        a.reshape(-1)[0] += i
        a = a.copy(order="F")
    return a


def sorted_in_turn(a, n):
    for _ in range(n):
        a = np.sort(-a, axis=0)
    a.reshape(-1)[1] = 7
    return a


def chosen(a, n):
    if n > 3:
        t = -a
        b = np.sort(t, axis=0)
    else:
        b = np.cumsum(a, axis=1)
    b.reshape(-1)[0] = 100
    return b


def nested(a, n):
    for i in range(n):
        for _ in range(i):
            a = a + 1
        a.ravel()[2] = i
    return a


def attribute(a, n):
    class Held:
        pass

    held = Held()
    held.x = a
    for _ in range(n):
        held.x = held.x * 2
    held.x.reshape(-1)[0] = 7
    return held.x


def collected(a, n):
    out = []
    for _ in range(n):
        out.append(-a)
    b = out[n - 1]
    b.reshape(-1)[0] = 7
    b.ravel()[1] = 8
    return out[n - 1] * 2, b


def kept_in_dict(a, n):
    out = {}
    for i in range(n):
        out[i] = a * i
    b = out[n - 1]
    b.reshape(-1)[1] = 7
    return b


def columns_collected(a, n):
    out = []
    for i in range(n):
        out.append((a * i)[:, ::2])
    return out[n - 1].flags.c_contiguous, out[n - 1].strides


def flags(a, n):
    for _ in range(n):
        a = a * 2
    return a.flags.c_contiguous, a.flags.f_contiguous, a.strides


def by_recursion(a, n):
    if n < 1:
        return a * 1
    b = by_recursion(a, n - 1)
    b.reshape(-1)[1] = n
    return b * 2


program.each(
    *((x, n) for x in ORDERS for n in (5, 2)),
    negated_in_turn=negated_in_turn,
    copied=copied,
    sorted_in_turn=sorted_in_turn,
    chosen=chosen,
    nested=nested,
    attribute=attribute,
    collected=collected,
    kept_in_dict=kept_in_dict,
    columns_collected=columns_collected,
    by_recursion=by_recursion,
)
program.each(*((x, 500.0) for x in ORDERS), doubled=doubled)
program.each(*((x, n) for x in ORDERS[:2] for n in (5, 2)), flags=flags)


def read_only(a, b, n):
    for _ in range(n):
        a, b = b, a
    return a.reshape(-1) * np.arange(6.0), a.ravel() + 1, a.T.reshape(3, 2)


def one_of_both(a, n):
    b = a.copy(order="F") if n > 3 else a.copy()
    return b.reshape(3, 2).sum(axis=0), (b + 1).reshape(-1)


program.each(*((x, X + 1, n) for x in ORDERS for n in (4, 5)), read_only=read_only)
program.each(*((x, n) for x in ORDERS for n in (5, 2)), one_of_both=one_of_both)
program.each(
    *((x,) for x in ORDERS),
    argwhere=lambda a: np.argwhere(a > 2).flags.c_contiguous,
    histogram=lambda a: np.histogram2d(a[0], a[1], bins=3)[0].strides,
    vectorize=lambda a: np.vectorize(lambda x: x * 2)(a).strides,
    vectorize_two=lambda a: np.vectorize(lambda x, y: x * y)(a, a[0]).strides,
    piecewise=lambda a: np.piecewise(a, [a < 2], [lambda x: -x, lambda x: x]).strides,
    zeros_like=lambda a: [np.zeros_like(a, order=order).strides for order in "CFAK"],
    full_like=lambda a: [np.full_like(a, 2, order=order).strides for order in "CFAK"],
    zeros_of_a_shape=lambda a: np.zeros_like(a, shape=(4, 5)).strides,
)


def written_where_data_says(a, n):
    b = a.copy(order="F") if n > 3 else a.copy()
    b.reshape(-1)[0] = 100
    return b


def written_after_swaps(a, b, n):
    for _ in range(n):
        a, b = b, a
    a.reshape(-1)[1] = 55
    return a


def written_before(a, b, n):
    flat = a.ravel()
    for i in range(n):
        a[0, 1] = i
        flat[0] += flat[1]
        a, b = b.copy(), a.copy(order="F")
        flat = a.ravel()
    return flat


def strides_where_data_says(a, n):
    b = a.copy(order="F") if n > 3 else a.copy()
    return b.strides


# Right if n is known, refused if it is data.
program.each((X, np.asfortranarray(X), 5), options={"refuse": "maybe"}, written_after_swaps=written_after_swaps)
program.each((np.asfortranarray(X), X, 5), options={"refuse": "maybe"}, written_before=written_before)

test_programs = program.test()


@pytest.mark.parametrize(
    "function, args",
    [
        (written_where_data_says, (X, 5)),
        (strides_where_data_says, (X, 5)),
    ],
)
def test_refused_where_data_decides_what_is_written(function, args):
    with pytest.raises(xlapy.NotOffloadableError, match="how an array lies in memory"):
        xlapy.jit(function)(*args)
