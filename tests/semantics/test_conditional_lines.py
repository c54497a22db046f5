"""Lines that are printed, and warnings that are given, under many conditions of which each holds or not."""

import itertools
import warnings

import numpy as np

import xlapy

from .runner import Programs

program = Programs()


def warned(x):
    if x[0] > 0:
        warnings.warn("first", RuntimeWarning, stacklevel=1)
    if x[1] > 0:
        warnings.warn("second", UserWarning, stacklevel=1)
    if x[2] > 0:
        warnings.warn(f"third {x[2]}", RuntimeWarning, stacklevel=1)
    else:
        warnings.warn("not the third", DeprecationWarning, stacklevel=1)
    if x[3] > 0:
        warnings.warn("fourth", RuntimeWarning, stacklevel=1)
    if x[0] > x[1]:
        warnings.warn("fifth", FutureWarning, stacklevel=1)
    if x[1] > x[2]:
        warnings.warn("sixth", RuntimeWarning, stacklevel=1)
    return x.sum()


def test_many_conditional_warnings():
    compiled = xlapy.jit(warned, returns="numpy")
    for signs in itertools.islice(itertools.product((-1.0, 2.0), repeat=4), 0, None, 3):
        x = np.array(signs) * np.array([1.0, 2.0, 3.0, 4.0])
        said = []
        for function in (warned, compiled):
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                function(x)
            said.append([(w.category, str(w.message), w.lineno) for w in caught])
        assert said[0] == said[1]


@program(*[np.array(signs) for signs in ((1.0, -1.0, 1.0), (-1.0, 1.0, -1.0), (1.0, 1.0, 1.0), (-1.0, -1.0, -1.0))])
def lines_before_and_in_a_loop(x):
    if x[0] > 0:
        print("a", x[0])
    if x[1] > 0:
        print("b")
    else:
        print(1, 2)
    for i in range(3):
        if x[i] > 0:
            print("in", i)
    if x[2] > 0:
        print("c")
    return len(x)


test_programs = program.test()
