"""How often a program is analysed until it is known what has to be known."""

import numpy as np
from numpy.polynomial import Polynomial

import xlapy
from xlapy.interpreter import analyse


def product(a):
    """Each operation looks at its operands in a loop of the same helper, which has to be unrolled."""
    p, q, r = Polynomial(a), Polynomial(a + 1), Polynomial(a + 2)
    return (p * q + r * p - q * r).coef


def test_a_helper_whose_loop_is_unrolled_in_two_calls_is_not_asked_about_in_each(monkeypatch):
    attempts = []
    attempt = analyse._attempt

    def counted(machine, *arguments):
        attempts.append(machine)
        return attempt(machine, *arguments)

    monkeypatch.setattr(analyse, "_attempt", counted)
    a = np.array([1.0, 2.0, 3.0])
    np.testing.assert_allclose(xlapy.jit(product)(a), product(a), rtol=1e-14)
    assert len(attempts) <= 6
