"""Attributes and global variables with names that mean something to somebody else: to the interpreter's heap (`data`,
`items`, `value`), to a class that a class is derived from (`items`, `append`)."""

import numpy as np

from .runner import Programs

program = Programs()

X = np.array([1.0, -2.0, 3.0])

data = None
items = []


class Box:
    def __init__(self, data, items=None):
        self.data = data
        self.items = items


class Node:
    """A number of a graph of computations, with what adds its gradient to those that it was made of."""

    def __init__(self, data, parents=()):
        self.data = data
        self.grad = 0
        self.parents = parents
        self.back = lambda: None

    def times(self, other):
        out = Node(self.data * other.data, (self, other))

        def back():
            self.grad += other.data * out.grad
            other.grad += self.data * out.grad

        out.back = back
        return out

    def ramp(self):
        out = Node(0 if self.data < 0 else self.data, (self,))

        def back():
            self.grad += (out.data > 0) * out.grad

        out.back = back
        return out


class Table(dict):
    def __init__(self):
        super().__init__()
        self.items = 5
        self.keys = None


class Row(list):
    def __init__(self, x):
        super().__init__([x, x + 1])
        self.append = 5.0
        self.items = x


@program((2.0,), (-2.0,))
def number_of_one_of_two_kinds(x):
    if x < 0:
        box = Box(0)
    else:
        box = Box(x)
    return box.data * 2.0, box.items


@program((2.0,), (-2.0,))
def contents_of_two_kinds(x):
    box = Box((x,), [x]) if x < 0 else Box({"x": x}, None)
    return 0 if box.items is None else box.items[0], len(box.data)


@program((X, 2.0), (X, -2.0))
def array_or_nothing(x, t):
    box = Box(None)
    if t > 0:
        box.data = x * t
    return box.data is None, 0.0 if box.data is None else box.data.sum()


@program((2.0, 4), (2.0, 1), (2.0, 0))
def of_other_kinds_in_a_loop(x, n):
    box, found = Box(0, ()), Box(None, {})
    for i in range(n):
        box.data = box.data + i
        box.items = (i, x)
        if x * i > 3:
            found.data = i
            found.items = [i]
    return box.data, len(box.items), found.data, len(found.items)


@program((2.0, 3.0), (-2.0, 3.0), (2.0, -3.0))
def gradients_of_a_graph(x, y):
    a, b = Node(x), Node(y)
    first = a.times(b)
    second = first.ramp()
    third = second.times(b)
    third.grad = 1
    for node in (third, second, first):
        node.back()
    return third.data, a.grad, b.grad


@program((2.0,), (-2.0,))
def global_variables(x):
    global data, items
    if x < 0:
        data = 1
        items = {1: x}
    else:
        data = x
        items = (x,)
    return data, len(items)


@program((Box(X, X), 2.0), (Box(X, X), -2.0))
def of_the_callers(box, x):
    box.items = x
    box.data = [box.data, x]
    return x


@program((Box(1, [1.0]), 2.0), (Box(1, [1.0, 2.0]), -2.0))
def of_the_callers_under_a_condition(box, x):
    if x > 0:
        box.items = None
        box.data = x
    return x


@program((2.0,), (-2.0,))
def named_as_methods_of_a_base(x):
    table, row = Table(), Row(x)
    table["k"] = x
    row += [row.items]
    return table.items, table.keys, table["k"], row.append, len(row), row[2]


test_programs = program.test()
