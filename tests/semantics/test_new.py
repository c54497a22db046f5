"""`__new__`: what it gives is initialised by its own class; it may give one of several things, by data."""

import numpy as np

from .runner import Programs

program = Programs()

X = np.array([1.0, 2.0, 4.0])
SIGNS = [X, -X, X - 2, X * 0]


class Shape:
    def __new__(cls, x, k):
        if k > 1:
            return object.__new__(Circle)
        if k == 0:
            return object.__new__(Square)
        return x if k < 0 else object.__new__(cls)

    def __init__(self, x, k):
        self.x = x

    def area(self):
        return self.x


class Circle(Shape):
    def __init__(self, x, k):
        self.radius, self.count = x, k

    def area(self):
        return 3 * self.radius * self.count


class Square(Shape):
    def __init__(self, x, k):
        super().__init__(x + 1, k)


@program((X, 2.0), (X, -1.0), (X, 0.0), (X, 1.0))
def one_of_four(x, k):
    made = Shape(x, k)
    return (made.area(), type(made).__name__) if isinstance(made, Shape) else made


@program((X, np.array([1.0, 2.0, 0.0, 3.0])), (X, np.zeros(0)))
def one_of_three_in_a_loop(x, ks):
    total = x * 0
    for k in ks:
        if k >= 0:
            total = total + Shape(x, k).area()
    return total


class Even:
    def __new__(cls, x):
        return Odd(x) if cls is Even else object.__new__(cls)

    def __init__(self, x):
        self.value = getattr(self, "value", 1) * x


class Odd(Even):
    def __init__(self, x):
        self.value = getattr(self, "value", 1) + 2 * x


@program(X)
def initialised_twice(x):
    return Even(x).value, Odd(x).value


class Silent:
    def __new__(cls, x):
        return object.__new__(Told)

    def __init__(self):
        pass


class Told(Silent):
    def __init__(self, x):
        self.value = x


@program(X)
def with_other_parameters(x):
    return Silent(x).value


class Maybe:
    def __new__(cls, x):
        return object.__new__(cls) if x[0] > 0 else None

    def __init__(self, x):
        if x[1] > 3:
            raise ValueError("large")
        self.value = x


@program(*SIGNS)
def object_or_none(x):
    made = Maybe(x)
    return x * 0 if made is None else made.value


@program(*SIGNS, X * 2)
def init_that_raises_on_some_paths(x):
    try:
        return Maybe(x).value + 1
    except (ValueError, AttributeError) as error:
        return type(error).__name__


class Couple(tuple):
    def __new__(cls, x):
        return tuple.__new__(Couple, (x, x)) if x[0] > 0 else tuple.__new__(Double, (x, 2 * x))

    def __init__(self, x):
        pass


class Double(Couple):
    pass


@program(*SIGNS)
def one_of_two_tuples(x):
    first, second = Couple(x)
    return first, second


class Foreign:
    def __new__(cls, x):
        return (x, x + 1)

    def __init__(self, x):
        raise ValueError


@program(X)
def what_is_no_instance(x):
    return Foreign(x)


COUNTS = [0, 0]


class Counted:
    def __new__(cls, x):
        COUNTS[0] += 1
        return object.__new__(cls if x[0] > 0 else Extra)

    def __init__(self, x):
        self.value = x


class Extra(Counted):
    def __init__(self, x):
        COUNTS[1] += 1
        self.value = x - 1


def counted(x, counts):
    global COUNTS
    COUNTS = counts
    return Counted(x).value, COUNTS[0], COUNTS[1]


program(*((x, [0, 5]) for x in SIGNS))(counted)

test_programs = program.test()
