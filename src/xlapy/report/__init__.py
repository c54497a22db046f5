"""Blockers and `NotOffloadableError`."""

from xlapy.report.blockers import CODES, Blocker, Code, NotOffloadableError, first_line

__all__ = ["CODES", "Blocker", "Code", "NotOffloadableError", "first_line"]
