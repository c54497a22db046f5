"""What `explain` says of each line of a program, and the page that it makes of it."""

import re
from html.parser import HTMLParser

import jax
import numpy as np
import pytest

import xlapy


def step(u, k):
    new = u.copy()
    new[1:-1] += k * (u[:-2] - 2 * u[1:-1] + u[2:])
    return new


def mixed(x, w, n):
    t = 0.0
    for i in range(len(x)):
        if x[i] > 3:
            t += x[i]
    y = np.zeros(n)
    for a in (x, w):
        t += a.sum()
    best = None
    for v in x:
        best = v if best is None or v > best else best
    while t > 3.0:
        t = step(x, t).sum()
    return t, y, best


ARGUMENTS = np.linspace(0.0, 5.0, 40), np.ones(3), 3


def notes(text):
    """The notes of each line with some, by its text."""
    found = re.findall(r"^ +\d+  +(\S.*?) +# (.*)$", text, re.MULTILINE)
    return {line: tuple(note.split("; ")) for line, note in found}


@pytest.fixture(scope="module")
def explained():
    return xlapy.explain(mixed, *ARGUMENTS)


def test_what_became_of_each_line(explained):
    found = notes(explained)
    assert found["for i in range(len(x)):"] == ("a loop",)
    assert found["if x[i] > 3:"][0] == "a branch on data"
    assert found["y = np.zeros(n)"] == ("n is static, for a shape",)
    assert found["for a in (x, w):"] == ("unrolled",)
    assert found["for v in x:"][0] == "the first iteration apart, then a loop"
    assert found["t = step(x, t).sum()"] == ("step inlined", "float64[]")
    assert found["new[1:-1] += k * (u[:-2] - 2 * u[1:-1] + u[2:])"] == ("float64[40]",)
    assert [listing.function for listing in explained.listings] == ["mixed", "step"]
    assert "static n, which is needed for a shape in line" in explained


def test_loops_that_are_vectorised_and_that_are_left_out():
    def f(x):
        y = np.empty(len(x))
        for i in range(len(x)):
            y[i] = np.exp(x[i]) * 2.0
        unused = 0.0
        for v in x:
            unused += v
        return y

    found = list(notes(xlapy.explain(f, np.ones(50_000))).values())
    assert any("a loop, vectorised" in line for line in found)
    assert ("no loop is left",) in found


def test_how_a_program_runs_and_what_it_copies():
    x = np.ones(5)
    text = xlapy.explain(step, x, 0.5)
    assert "runs as machine code, called without XLA" in text
    assert "reads u where it lies" in text and "to the device" not in text
    text = xlapy.jit(step, keep_unused=True).explain(x, 0.5)
    assert f"runs by XLA on the {jax.default_backend()}" in text and "copies u to the device" in text


def test_compilations_and_their_reasons():
    f = xlapy.jit(lambda x, n: x.reshape(n, -1).sum(axis=0))
    x = np.ones(6)
    assert "so far" not in f.explain(x, 2)
    f(x, 2), f(x, 3), f(x.astype(np.float32), 3)
    text = f.explain(x, 2)
    assert "compiled 3 times so far" in text
    assert "since n is 3, which is needed for a shape in line" in text and ", and was 2" in text
    assert "since x is float32[6], and was float64[6]" in text


def test_no_internal_errors_are_listed():
    def doubled(x):
        found = []
        while x.sum() < 1000:
            x = x * 2
            found.append(x[0])
        return found

    text = xlapy.explain(doubled, np.ones(3))
    assert "Overfull" not in text and "has lists with room for" in text


class Page(HTMLParser):
    """The links between the lines of a page, and whether its elements are closed in order."""

    def __init__(self, text):
        super().__init__()
        self.open, self.places, self.loaded = [], [], []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        given = dict(attributes)
        if tag != "meta":
            self.open.append(tag)
        self.loaded += [given[name] for name in ("src", "href") if name in given]
        self.places += given.get("data-at", "").split()

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def test_the_page(explained):
    page = Page(explained.html())
    assert not page.open and not page.loaded
    line = next(line for line in explained.listings[1].lines if line.text.startswith("    new[1"))
    typed = xlapy.code_typed(mixed, *ARGUMENTS).count(f" step:{line.number} ")
    assert page.places.count(f"step:{line.number}") > typed + 4  # in the source, the program and what XLA gets
    shown = explained._repr_html_()
    assert shown.startswith("<iframe srcdoc=") and "StableHLO" in shown


def test_a_refusal_is_explained_too():
    def stored(x):
        return open(x), input()

    explained = xlapy.explain(stored, "x.txt")
    assert explained.facts.startswith(
        "test_a_refusal_is_explained_too.<locals>.stored cannot be offloaded: 2 obstacles"
    )
    assert ("XP0003",) in notes(explained).values()
    assert not Page(explained.html()).open
