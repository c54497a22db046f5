"""The compiler on demand: the first call of a compiled function imports it, `import xlapy` does not.

It takes longer to import than JAX, and a process that imports a library with compiled functions may never call one.
No other functions of xlapy's have an import in them than those here; everything else that is public stands on its own.
"""

from __future__ import annotations

import contextvars
import functools
import importlib
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from types import FunctionType, ModuleType
from typing import TYPE_CHECKING, Any

from xlapy.domain import start  # noqa: F401  (before anything else of ours is imported)
from xlapy.domain.compiled_functions import ENTRANCE
from xlapy.runtime.binding import Binder, Entrance
from xlapy.runtime.cache_info import CacheInfo
from xlapy.runtime.collection import uncollected
from xlapy.runtime.options import Policy

if TYPE_CHECKING:
    from xlapy.report.explanation import Explanation
    from xlapy.runtime.cache import Cache
    from xlapy.runtime.stages import Lowered
    from xlapy.runtime.stored_programs import StoredPrograms

#: the libraries that rules are for, without those of which the rules are read later (`xlapy.dispatch.libraries`)
_LIBRARIES = (
    "abc base64 binascii bisect builtins calendar cmath collections contextlib copy dataclasses datetime decimal"
    " functools gc heapq importlib importlib.metadata inspect io itertools jax json logging math numpy numpy.fft"
    " operator os posixpath pprint queue random re shlex statistics struct time types unicodedata urllib urllib.parse"
    " warnings"
).split()
_LOCK = threading.RLock()


def _original_functions() -> list[tuple[ModuleType, str, Any]]:
    """The public functions and classes of the libraries, by module and name."""
    for library in _LIBRARIES:
        importlib.import_module(library)
    return [
        (module, name, item)
        for path, module in list(sys.modules.items())
        if path.partition(".")[0] in _LIBRARIES and "._" not in path
        for name, item in list(vars(module).items())
        if callable(item) and not name.startswith("_")
    ]


_ORIGINALS = _original_functions()


@contextmanager
def _unpatched() -> Iterator[None]:
    """Puts functions back that somebody has replaced since, for a test perhaps: rules are registered by identity, so
    that a replacement would be compiled as the function that it replaces, and the function itself not at all."""
    replaced = [(m, name, item, vars(m)[name]) for m, name, item in _ORIGINALS if vars(m).get(name, item) is not item]
    for module, name, original, _ in replaced:
        setattr(module, name, original)
    try:
        yield
    finally:
        for module, name, _, replacement in replaced:
            setattr(module, name, replacement)


def _import(name: str) -> None:
    with suppress(Exception), _unpatched(), uncollected():
        importlib.import_module(name)


def _import_apart(name: str) -> None:
    """Import a module, in a thread of its own: the caller may be inside of a JAX transformation, under
    `numpy.errstate`, deep in a recursion, or interrupted from the keyboard, and a module must neither see that nor be
    left half imported. An exception is raised by the import that follows."""
    with _LOCK:
        thread = threading.Thread(target=contextvars.Context().run, args=(_import, name))
        try:
            thread.start()
        except RuntimeError:  # at the end of the process
            _import(name)
        else:
            thread.join()


@functools.cache
def compiler():
    """The module `xlapy.compiler`."""
    _import_apart("xlapy.compiler")
    from xlapy import compiler

    return compiler


@functools.cache
def stored_programs():
    """The module `xlapy.runtime.stored_programs`: programs on disk are looked for before the compiler is imported."""
    _import_apart("xlapy.runtime.stored_programs")
    from xlapy.runtime import stored_programs

    return stored_programs


class LazyCache:
    """A function that is to be compiled, and its `Cache`, which is made when something is asked of it. The methods are
    those of the compiled function."""

    def __init__(self, function: FunctionType, binder: Binder, policy: Policy) -> None:
        self.function, self.binder, self.policy = function, binder, policy
        self.wrapper: Callable = binder.wrapper(lambda *arguments: self.stored.slow(*arguments))
        self.entrance: Entrance = self.wrapper.__globals__[ENTRANCE]
        self.entrance.owner = self
        self._cache: Cache | None = None
        self._stored: StoredPrograms | None = None

    def __reduce__(self) -> tuple:
        """The function and its options: programs stay where they are."""
        return _made_again, (self.function, self.binder.receiver, self.policy)

    @property
    def cache(self) -> Cache:
        """The programs of the function."""
        if self._cache is None:
            make = compiler().Cache
            with _LOCK:
                if self._cache is None:
                    self._cache = make(self.function, self.binder, self.policy, self.entrance, self.stored)
        return self._cache

    @property
    def stored(self) -> StoredPrograms:
        """The programs of the function that were on disk."""
        if self._stored is None:
            make = stored_programs().StoredPrograms
            with _LOCK:
                if self._stored is None:
                    self._stored = make(self)
        return self._stored

    def renew(self) -> None:
        """Other programs from disk are used from now on."""
        if self._cache is not None:
            self._cache.renew()
        else:
            self.entrance.call = self.stored.chain(self.stored.slow)

    def lower(self, *args: Any, **kwargs: Any) -> Lowered:
        """The program for such arguments, with `as_text()`, `compile(target=None)`, `save(path)` and `traffic()`."""
        return compiler().stages.Lowered(self.cache, self.binder.bind(args, kwargs))

    def explain(self, *args: Any, **kwargs: Any) -> Explanation:
        """What a call with such arguments would do, line by line, or every obstacle; `.html()` gives a page."""
        return compiler().explaining.explain(self.cache, self.binder.bind(args, kwargs))

    def cache_info(self) -> CacheInfo:
        """Counts of calls and compilations, as `functools.lru_cache` has them."""
        if self._cache is None:
            found = self._stored.programs if self._stored is not None else ()
            return CacheInfo(sum(program.calls for program in found), 0, None, len(found))
        return self._cache.info()

    def cache_clear(self) -> None:
        """Forget all programs."""
        self.cache.clear()


def _made_again(function: FunctionType, receiver: tuple, policy: Policy) -> LazyCache:
    """Of what was pickled."""
    return LazyCache(function, Binder(function, receiver), policy)
