"""The module `random`, where the answer does not depend on the stream."""

import random

import numpy as np

from .runner import Programs

program = Programs()


@program(5, 1)
def what_is_certain(n):
    items = list(range(n))
    random.shuffle(items)
    drawn = [random.random() for _ in range(4)]
    return (
        sorted(items),
        random.randint(3, 3),
        random.choice([7]),
        random.uniform(2.0, 2.0),
        all(0.0 <= v < 1.0 for v in drawn),
        drawn[0] != drawn[1],
        sorted(random.sample([1, 2, 3], 3)),
        isinstance(random.gauss(0.0, 1.0), float),
    )


@program(np.array([1.0, 2.0]))
def python_numbers_do_not_widen_arrays(x):
    return (x.astype(np.float32) * random.random()).dtype == np.float32


@program(9)
def seeded_twice(n):
    random.seed(n)
    one = random.random(), random.randrange(10)
    random.seed(n)
    return one == (random.random(), random.randrange(10))


test_programs = program.test()
