"""tqdm in a program: what it goes through, without the bar.

for x in tqdm(points, desc="fit"): ...
"""

import importlib
import sys
from typing import Any

from xlapy.library.intrinsics import refuse
from xlapy.library.replacement import replacement

_tqdm: Any = importlib.import_module("tqdm")
#: `tqdm.auto` warns where it is imported without a notebook
_modules = [_tqdm, _tqdm.std, *filter(None, [sys.modules.get("tqdm.auto")])]


class _Bar:
    """A progress bar that shows nothing, and does not count."""

    def __init__(self, iterable: Any, desc=None, total=None, disable=False):
        self.iterable, self.desc, self.total, self.disable = iterable, desc, total, disable

    def __iter__(self):
        return iter(self.iterable)

    def __len__(self):
        return len(self.iterable) if self.total is None else self.total

    def __bool__(self):
        return len(self) > 0

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        return None

    def update(self, n=1):
        """Nothing in CPython but the bar."""

    def set_description(self, desc=None, refresh=True):
        """Nothing in CPython but the bar."""

    def set_postfix(self, ordered_dict=None, refresh=True, **kwargs):
        """Nothing in CPython but the bar."""

    def set_postfix_str(self, s="", refresh=True):
        """Nothing in CPython but the bar."""

    def refresh(self, nolock=False, lock_args=None):
        """Nothing in CPython but the bar."""

    def close(self):
        """Nothing in CPython but the bar."""

    @property
    def n(self):
        """The iterations so far."""
        refuse("a progress bar is asked how far it is")

    @property
    def format_dict(self):
        """What a bar shows."""
        refuse("a progress bar is asked what it shows")


@replacement(*(module.tqdm for module in _modules))
def progress(iterable=None, desc=None, total=None, leave=True, file=None, disable=False, **options):
    """`tqdm(iterable)`."""
    return _Bar(iterable, desc, total, disable)


@replacement(*(module.trange for module in _modules))
def progress_of_range(*args, **options):
    """`trange(n)`."""
    return progress(range(*args), **options)
