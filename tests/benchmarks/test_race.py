"""Peers that are wrong or broken get no time."""

from functools import partial

import numpy as np

from benchmarks.plan import Plan
from benchmarks.race import Contender, Ready, Target, race
from benchmarks.results import FAILED, OK, WRONG, Result

ROW = partial(Result, "kernels", "case")


def contender(peer, function, **options):
    return Contender(peer, lambda: Ready(function, lambda: (np.arange(4.0),)), **options)


def refuses():
    raise TypeError("cannot compile this")


def test_wrong_and_failed_peers_are_not_timed():
    peers = [
        contender("numpy", lambda x: x + 1),
        contender("jax", lambda x: x + 2),
        contender("by-hand", lambda x: x + 1.0),
        Contender("xlapy", refuses),
    ]
    rows = race(Plan(), ROW, peers, "numpy", [Target("by-hand", "numpy", 100.0), Target("xlapy", "numpy")])
    by_peer = {r.peer: r for r in rows}
    assert [by_peer[p].status for p in ("numpy", "jax", "by-hand", "xlapy")] == [OK, WRONG, OK, FAILED]
    assert "unlike numpy" in by_peer["jax"].message and not by_peer["jax"].times
    assert by_peer["xlapy"].message == "TypeError: cannot compile this"
    assert len(by_peer["by-hand"].times["run"].samples) == 7
    assert [r.name for r in by_peer["by-hand"].ratios] == ["run / numpy"]


def test_dtypes_have_to_be_those_of_the_reference_where_asked():
    peers = [contender("numpy", lambda x: x), contender("xlapy", lambda x: x.astype(np.float32), dtypes=True)]
    rows = race(Plan(peers=("xlapy", "numpy")), ROW, peers, "numpy")
    assert "dtype" in rows[1].message if rows[1:] else True


def test_without_a_reference_nothing_is_timed():
    peers = [Contender("numpy", refuses), contender("jax", lambda x: x)]
    rows = race(Plan(), ROW, peers, "numpy")
    assert [r.status for r in rows] == [FAILED, FAILED]
    assert "reference" in rows[1].message


def test_the_reference_answers_even_where_it_is_not_timed():
    peers = [contender("numpy", lambda x: x), contender("jax", lambda x: x + 1)]
    (row,) = race(Plan(peers=("jax",)), ROW, peers, "numpy")
    assert (row.peer, row.status) == ("jax", WRONG)
