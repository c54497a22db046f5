"""`python -m benchmarks scaling`; the programs themselves take a process for each number of devices."""

import jax
import numpy as np
import pytest

from benchmarks import scaling


@pytest.mark.parametrize("name", ["batched", "columns", "dense"])
def test_both_forms_compute_the_same(name):
    program = scaling.PROGRAMS[name]
    arrays = [np.random.default_rng(0).random([min(n, 8) for n in shape], np.float32) for shape in program.shapes]
    np.testing.assert_allclose(program.function(*arrays), jax.jit(program.by_hand)(*arrays), rtol=1e-5)


def test_collectives_are_counted():
    text = "%a = (f32[2], f32[]) all-reduce(%b, %c)\n %p = f32[2] collective-permute-start(%a)"
    assert scaling.collectives(text) == {"all-reduce": 1, "collective-permute": 1}
    assert scaling.collectives("ROOT %x = f32[] add(%all-reduce, %y)") == {}


def test_what_is_unknown_or_fails_is_said(monkeypatch, capsys):
    assert scaling.scaling(["nothing"]) == 2
    assert "unknown program 'nothing'" in capsys.readouterr().err
    monkeypatch.setattr(scaling, "in_own_process", lambda name, count: {"failed": "ValueError: no"})
    assert scaling.scaling(["dense"]) == 1
    assert capsys.readouterr().out.count("failed: ValueError: no") == len(scaling.COUNTS)
