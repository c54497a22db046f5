"""Nothing of NumPy or Python is forgotten, and the pages in docs are what the tables and programs say."""

import sys

import numpy as np
import pytest

from . import page, python_page

# the pages are written with these versions; others have other functions and texts
with_numpy = pytest.mark.skipif(not np.__version__.startswith("2.4."), reason="the page is about NumPy 2.4")
with_python = pytest.mark.skipif(sys.version_info[:2] != (3, 11), reason="the page is written with Python 3.11")


def test_every_function_has_calls_or_a_reason():
    assert [line for line in page.text().splitlines() if line.endswith("| missing |")] == []


@with_numpy
def test_every_documented_argument_is_used():
    assert page.missing_arguments() == []


@with_numpy
def test_the_page_is_not_stale():
    assert page.PAGE.read_text() == page.text(), "run `python -m tests.covered.page`"


def test_every_construct_of_python_works_or_has_a_reason():
    assert [label for label, state in python_page.states().items() if state in ("missing", "compiles")] == []


@with_python
def test_the_page_about_python_is_not_stale():
    assert python_page.PAGE.read_text() == python_page.text(), "run `python -m tests.covered.python_page`"
