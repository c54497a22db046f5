"""The loggers, and the environment variable XLAPY_LOG, which turns them on."""

from __future__ import annotations

import logging
import os

KINDS = ("compile", "recompile", "cache")
LOGGERS = {kind: logging.getLogger(f"xlapy.{kind}") for kind in KINDS}


def turn_on(wanted: str) -> None:
    """Turn on the loggers that the environment variable XLAPY_LOG names, with commas between them.

    Raises:
        ValueError: there is no such logger.
    """
    names = [name.strip() for name in wanted.split(",") if name.strip()]
    unknown = [name for name in names if name not in LOGGERS]
    if unknown:
        raise ValueError(f"XLAPY_LOG: {unknown[0]!r} is none of {', '.join(KINDS)}")
    if not names:
        return
    handler = logging.StreamHandler()
    handler.setFormatter(logging.Formatter("%(name)s: %(message)s"))
    logging.getLogger("xlapy").addHandler(handler)
    for name in names:
        LOGGERS[name].setLevel(logging.INFO)


turn_on(os.environ.get("XLAPY_LOG", ""))

__all__ = ["KINDS", "LOGGERS", "turn_on"]
