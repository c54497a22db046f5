"""A program that would take minutes to compile is refused, and says how large it is."""

import numpy as np
import pytest

import xlapy
from xlapy.interpreter import analyse

PARTS = [np.arange(float(k)) for k in range(1, 40)]


def squares(parts):
    """Each part has a shape of its own: the loop is unrolled."""
    total = 0.0
    for part in parts:
        total += (part * part).sum()
    return total


def test_refused_with_its_size(monkeypatch):
    np.testing.assert_allclose(xlapy.jit(squares)(PARTS), squares(PARTS), rtol=1e-14)
    monkeypatch.setattr(analyse, "MOST_EMITTED", 100)
    with pytest.raises(xlapy.NotOffloadableError, match=r"comes to \d{3} operations") as caught:
        xlapy.jit(squares)(PARTS)
    assert [blocker.code for blocker in caught.value.blockers] == ["XP0009"]
