"""Nothing of NumPy is forgotten, and docs/coverage-of-numpy.md is what the tables say."""

from . import page


def test_every_function_has_calls_or_a_reason():
    assert [line for line in page.text().splitlines() if line.endswith("| missing |")] == []


def test_every_documented_argument_is_used():
    assert page.missing_arguments() == []


def test_the_page_is_not_stale():
    assert page.PAGE.read_text() == page.text(), "run `python -m tests.coverage.page`"
