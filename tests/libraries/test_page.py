"""The page about libraries is up to date."""

from .__main__ import FILE, page


def test_page_is_fresh():
    assert FILE.read_text() == page(), "run python -m tests.libraries"
