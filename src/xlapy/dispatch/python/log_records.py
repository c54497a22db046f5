"""The module logging: a record is a line of the run, beside those of `print`, and is handled when the run has ended.

Whether a logger is enabled for a level is asked then; so are its handlers.
"""

from __future__ import annotations

import logging
from collections.abc import Callable

from xlapy.dispatch import registry
from xlapy.dispatch.protocol import Machine, Refused
from xlapy.dispatch.python import printing
from xlapy.domain.values import NONE, Const, Tuple, Value, is_none

_METHODS = {name: getattr(logging, name.upper()) for name in ("debug", "info", "warning", "error", "critical")}
_HINT = "log what the function returns, or use print()"


def _record(machine: Machine, logger: Value, level: Value, message: Value, args: tuple, options: dict) -> None:
    """Add a record to the lines of the run."""
    stacklevel = options.pop("stacklevel", Const(1))
    if any(not is_none(v) and machine.static(v) is not False for v in options.values()):
        raise Refused("XP0003", f"a log record with '{next(iter(options))}'", _HINT)
    frames = machine.frames
    frame = frames[-min(max(int(machine.static(stacklevel)), 1), len(frames))]
    place = frame.location()
    where = (Const(place.filename), Const(place.line), Const(frame.code.co_name))
    parts = Tuple(tuple(printing.snapshot(machine, a) for a in args))
    printing.add(machine, Tuple((Const("log"), logger, level, printing.snapshot(machine, message), parts, *where)))


def _of_logger(level: int) -> Callable[..., Value]:
    def rule(machine: Machine, self: Value, msg: Value, *args: Value, **options: Value) -> Value:
        _record(machine, self, Const(level), msg, args, options)
        return NONE

    return rule


def _of_module(level: int) -> Callable[..., Value]:
    def rule(machine: Machine, msg: Value, *args: Value, **options: Value) -> Value:
        _record(machine, NONE, Const(level), msg, args, options)
        return NONE

    return rule


for _name, _level in _METHODS.items():
    registry.function(getattr(logging.Logger, _name))(_of_logger(_level))
    registry.function(getattr(logging, _name))(_of_module(_level))


@registry.function(logging.Logger.log)
def _log(machine: Machine, self: Value, level: Value, msg: Value, *args: Value, **options: Value) -> Value:
    """`logger.log(level, msg, *args)`."""
    _record(machine, self, level, msg, args, options)
    return NONE


@registry.function(logging.log)
def _log_to_root(machine: Machine, level: Value, msg: Value, *args: Value, **options: Value) -> Value:
    """`logging.log(level, msg, *args)`."""
    _record(machine, NONE, level, msg, args, options)
    return NONE


@registry.function(logging.getLogger)
def _logger(machine: Machine, name: Value = NONE) -> Value:
    """`logging.getLogger(name)`: the logger itself, which there is from then on."""
    return machine.world.wrap_anchored(logging.getLogger(machine.static(name, "the name of a logger")))


def _refuse(machine: Machine, /, *args: Value, **options: Value) -> Value:
    raise Refused("XP0003", "what a logger is asked, or told to be, is not possible on the device", _HINT)


registry.function(
    logging.exception, logging.Logger.exception, logging.Logger.isEnabledFor, logging.Logger.setLevel,
    logging.basicConfig, logging.disable,
)(_refuse)  # fmt: skip
