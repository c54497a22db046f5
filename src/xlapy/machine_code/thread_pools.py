"""The pool of threads that programs share loops out to: one for a process, whoever has compiled its code."""

from __future__ import annotations

import ctypes
import functools
import os
import threading
from collections.abc import Callable
from typing import NamedTuple

from xlapy.machine_code.images import Image

#: the name that machine code has for `share`
SHARE = "xlapy.share"


class ThreadPool(NamedTuple):
    """The addresses of what a program calls.

    Attributes:
        share: `share(function, context, count, chunk)` calls `function(context, first, end)` for parts of so many
            iterations, at least once, by several threads at a time.
        members: how many threads there are.
    """

    share: int
    members: int


class Started(NamedTuple):
    """A pool whose threads have been started.

    Attributes:
        pool: the pool.
        threads: how many there are besides the caller's.
        image: its code; None where that is for this process alone.
    """

    pool: ThreadPool
    threads: int
    image: Image | None


_lock = threading.Lock()
_started: list[Started] = []


def started() -> Started | None:
    """The pool of this process, if there is one."""
    return _started[0] if _started else None


def start(address_of: Callable[[str], int], threads: int, image: Image | None, kept: object) -> Started:
    """The pool of this process, whose threads are started if there is none.

    Args:
        address_of: finds its functions by name.
        threads: how many.
        image: its code for other processes.
        kept: what has the code.
    """
    with _lock:
        if not _started:
            ctypes.pythonapi.Py_IncRef(ctypes.py_object(kept))  # at the end of the process, threads may still be in it
            begin = ctypes.CFUNCTYPE(None, ctypes.c_int64)(address_of("begin"))
            begin(threads)
            # No thread is there in a process that was forked.
            os.register_at_fork(after_in_child=functools.partial(begin, 0))
            _started.append(Started(ThreadPool(*map(address_of, ThreadPool._fields)), threads, image))
        return _started[0]


__all__ = ["SHARE", "Started", "ThreadPool", "start", "started"]
