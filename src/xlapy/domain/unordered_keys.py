"""Entries of a dict whose order is not the same on every iteration of a loop."""

from __future__ import annotations

from typing import Any, NoReturn

from xlapy.domain.facts import Facts, Learn


class Unordered(dict):
    """Entries that are one object's on the first iteration and another's on the others, where these have their keys in
    another order. Keys are looked up; who asks for their order makes the analysis start again, in which the two have no
    common name. What does not depend on it uses `dict.keys(entries)` and its like."""

    def _asked(self, *args: Any) -> NoReturn:
        raise Learn(Facts(hands_over=True))

    __iter__ = __reversed__ = __or__ = __ror__ = __eq__ = _asked
    keys = values = items = copy = popitem = _asked
    __hash__ = None
