"""The traceback of an exception that a program met: it ends in the functions of the user's, as CPython's would."""

from __future__ import annotations

import ast
import functools
import os
import sys
import types

from xlapy.ir import OURS, Location
from xlapy.report import NotOffloadableError

#: in the place of the name of a file, for code that is generated
CALL = "<xlapy call>"


def traceback_of(location: Location | None) -> types.TracebackType | None:
    """The entries of a traceback from the compiled function to the place where the exception was raised.

    Args:
        location: that place, with the calls that led there.
    """
    found: types.TracebackType | None = None
    while location is not None:
        if location.line is not None and not location.filename.startswith(OURS):
            frame, instruction = _stopped(location._replace(caller=None))
            found = types.TracebackType(found, frame, instruction, location.line)
        location = location.caller
    return found


@functools.lru_cache(maxsize=256)
def _stopped(location: Location) -> tuple[types.FrameType, int]:
    """A frame that has stopped at a place, and at which of its instructions."""
    line, column = location.line or 1, location.column or 0
    end = {"end_lineno": location.end_line or line, "end_col_offset": location.end_column or column}
    place = {"lineno": line, "col_offset": column, **end}
    statement = ast.Raise(ast.Name("stop", ast.Load(), **place), None, **place)
    code = compile(ast.Module([statement], []), location.filename, "exec")
    name = location.function.rpartition(".")[2]
    stop = _Stop()
    try:
        exec(code.replace(co_name=name, co_qualname=location.function), {"stop": stop})
    except _Stop:
        assert stop.__traceback__ is not None and stop.__traceback__.tb_next is not None
        entry = stop.__traceback__.tb_next
        stop.__traceback__ = None
        return entry.tb_frame, entry.tb_lasti
    raise AssertionError(location)


class _Stop(Exception):
    pass


def shorten(error: BaseException) -> None:
    """Leave our own functions out of the traceback of an exception that a compiled function raises, or that says that
    it cannot be compiled. Where the environment variable XLAPY_TRACEBACK is `full`, and in the traceback of a fault of
    ours, they stay."""
    if os.environ.get("XLAPY_TRACEBACK") == "full" or error.__traceback__ is None:
        return
    first = error.__traceback__
    entry = first.tb_next
    while entry is not None and entry.tb_frame.f_code.co_filename.startswith((OURS, CALL)):
        entry = entry.tb_next
    if (
        isinstance(error, NotOffloadableError)
        if entry is None
        else isinstance(entry.tb_frame.f_globals.get("stop"), _Stop)
    ):
        first.tb_next = entry
        if entry is None:
            error.__cause__ = None


def depth_of_caller() -> int:
    """The `stacklevel` with which our caller's warning names the line of the user's that led to it."""
    depth, frame = 1, sys._getframe(1)
    while frame.f_back is not None and frame.f_code.co_filename.startswith((OURS, CALL)):
        depth, frame = depth + 1, frame.f_back
    return depth
