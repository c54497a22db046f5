"""Blockers and `NotOffloadableError`."""

from xlapy.report.blockers import CODES, Blocker, NotOffloadableError

__all__ = ["CODES", "Blocker", "NotOffloadableError"]
