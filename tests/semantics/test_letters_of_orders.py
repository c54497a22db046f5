"""The argument `order` in small letters, which NumPy takes as well, and letters that a function does not take."""

import numpy as np
import pytest

from .runner import check

M = np.arange(12.0).reshape(3, 4)


def shown(a):
    return a, a.flags.c_contiguous, a.flags.f_contiguous


PROGRAMS = {
    "asarray": lambda m, o: shown(np.asarray(m, order=o)),
    "the_same": lambda m, o: np.asarray(m, order=o) is m,
    "asanyarray": lambda m, o: shown(np.asanyarray(m.T, order=o)),
    "array": lambda m, o: shown(np.array(m, order=o)),
    "copy": lambda m, o: (shown(m.copy(o)), shown(np.copy(m, order=o))),
    "astype": lambda m, o: shown(m.astype(np.float32, order=o)),
    "ravel": lambda m, o: (m.ravel(o), np.ravel(m, order=o), m.flatten(o)),
    "reshape": lambda m, o: (m.reshape(4, 3, order=o), np.reshape(m, (6, 2), o)),
    "like": lambda m, o: (shown(np.zeros_like(m, order=o)), shown(np.full_like(m, 2.0, order=o))),
    "made": lambda m, o: (
        shown(np.zeros((3, 4), order=o)),
        shown(np.full((3, 4), m[0, 1], order=o)),
        np.eye(2, order=o),
    ),
    "places": lambda m, o: np.ravel_multi_index((m[0, :3].astype(int), m[0, :3].astype(int)), (3, 4), order=o),
    "axes": lambda m, o: np.unravel_index(m[0].astype(int), (3, 4), order=o),
    "selection": lambda m, o: (m[m[:, 0] > 0].ravel(o), m[m[:, 0] > 0].flatten(o), m[m > 2].reshape(3, 3, order=o)),
    "ufunc": lambda m, o: shown(np.add(m, 1, order=o)),
}
ONE_OF_TWO = {"made", "places", "axes"}


@pytest.mark.parametrize("letter", "cfakCFAK")
@pytest.mark.parametrize("name", PROGRAMS)
def test_letter(name, letter):
    bad = letter in "akAK" if name in ONE_OF_TWO else letter in "kK" and name in ("reshape", "selection")
    for m in (M, np.asfortranarray(M)):
        refuse = "XP0011" if (name, letter.upper()) == ("ufunc", "A") else False
        check(lambda m, f=PROGRAMS[name]: f(m, letter), m, raises=ValueError if bad else None, refuse=refuse)
