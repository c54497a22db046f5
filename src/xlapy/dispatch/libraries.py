"""Rules for libraries that take long to import: read when a program can name their functions, not before.

A program can name a function of a library only after somebody has imported it, so that there is something to do at
the beginning of an analysis and after an import in the program itself.
"""

from __future__ import annotations

import importlib
import sys
import types
from collections.abc import Callable

#: the module with the rules and replacements, by the library whose functions they are of
_RULES = {
    "numba.core": "xlapy.dispatch.numba_dispatchers",
    "pandas": "xlapy.dispatch.python.pandas_columns",
    "scipy.fft": "xlapy.dispatch.scipy.scipy_fft",
    "scipy.fftpack": "xlapy.library.scipy.fftpack",
    "scipy.integrate": "xlapy.library.scipy.quadpack",
    "scipy.interpolate": "xlapy.library.scipy.interpolate",
    "scipy.linalg": "xlapy.dispatch.scipy.scipy_linalg",
    "scipy.ndimage": "xlapy.library.scipy.ndimage",
    "scipy.optimize": "xlapy.library.scipy.optimize",
    "scipy.signal": "xlapy.dispatch.scipy.signal",
    "scipy.sparse": "xlapy.dispatch.scipy.sparse_rules",
    "scipy.sparse.linalg": "xlapy.library.scipy.sparse_linalg",
    "scipy.spatial.distance": "xlapy.library.scipy.distance",
    "scipy.special": "xlapy.dispatch.scipy.special",
    "scipy.stats": "xlapy.dispatch.scipy.scipy_stats",
    "tqdm": "xlapy.library.progress_bars",
}
#: those of which the rules have not been read
_unread = dict(_RULES)
#: what is to be done when the dispatch tables have grown
_listeners: list[Callable[[], None]] = []


def on_growth(listener: Callable[[], None]) -> None:
    """Call `listener` whenever rules of a library have been read."""
    _listeners.append(listener)


def read_rules() -> None:
    """Read the rules of all libraries that have been imported by now."""
    for library in [name for name in _unread if _is_imported(name)]:
        importlib.import_module(_RULES[library])
        _unread.pop(library, None)
        for listener in _listeners:
            listener()


def has_attribute(module: types.ModuleType, name: str) -> bool:
    """Whether a module has an attribute; to ask may import a submodule."""
    found = hasattr(module, name)
    read_rules()
    return found


def _is_imported(name: str) -> bool:
    module = sys.modules.get(name)
    return module is not None and not getattr(module.__spec__, "_initializing", False)
