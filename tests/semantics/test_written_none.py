"""None that the program writes where it is the default: `raise ... from None`, `key=None`, `send(None)`, `sep=None`."""

import numpy as np

from .runner import Programs

program = Programs()
X = np.array([0.31, -1.27, 2.5])


@program((X,), raises=ValueError)
def raised_from_none(x):
    try:
        return {"a": x}["b"]
    except KeyError:
        raise ValueError("no b") from None


@program((X, 1.0), (X, -9.0), raises=ValueError)
def raised_from_none_by_data(x, t):
    try:
        if x.min() > t:
            raise KeyError("low")
        return x.sum()
    except KeyError as error:
        raise ValueError("bad") from None


@program((X,))
def defaults_written_out(x):
    items = [v for v in x if v > 0]
    items.sort(key=None, reverse=False)

    def g():
        sent = yield 1.0
        return None

    it = g()
    next(it)
    try:
        it.send(None)
    except StopIteration as stop:
        ended = stop.args, stop.value
    return items, max(x, key=None), round(float(x[0]), None), pow(3, int(x[2]), None), sorted(x, key=None), ended


@program((X,))
def printed(x):
    print(x[0], x[1], sep=None, end=None, file=None)


test_programs = program.test()


@program((np.array([0.3, 0.4]),), (np.array([-0.3, 0.4]),))
def caught_where_none_is_no_number(x):
    bound = None if x[0] > 0 else 2.0
    try:
        return np.clip(bound, x[0], x[1]), 0
    except TypeError:
        return x[0], 1


program.each(
    (np.array([0.3, 0.4]),),
    largest=lambda x: np.maximum(None, x[0]),
    largest_of_rows=lambda x: np.maximum(x, None),
    clipped=lambda x: np.clip(None, 0, 1),
    clipped_below=lambda x: np.clip(None, None, x[1]),
    product=lambda x: np.dot(x, None),
    mean=lambda x: np.mean(None),
)
program.add("chosen_none", lambda x: np.where(x > 0.3, None, x), np.array([0.3, 0.4]), refuse=True)
program.add("sum_of_none", lambda x: np.sum(None) or x, np.array([0.3, 0.4]), refuse=True)
