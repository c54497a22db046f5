"""All of the compiler that the public functions need; `xlapy.runtime.on_demand` imports it when they do."""

from __future__ import annotations

import gc
from collections.abc import Callable
from types import FunctionType
from typing import Any

# What is imported stays: Python's collector would look through all of it again and again, in vain.
_collects = gc.isenabled()
gc.disable()
try:
    from xlapy.dispatch import libraries, registry
    from xlapy.domain.values import Const
    from xlapy.interpreter import interpreted_functions
    from xlapy.runtime import explaining, stages
    from xlapy.runtime.cache import Cache, forget_all
    from xlapy.runtime.portable import load
    from xlapy.runtime.stored_programs import switch_off
finally:
    if _collects:
        gc.enable()

__all__ = ["Cache", "explaining", "load", "overload", "stages"]


def overload(target: Callable, implementation: FunctionType) -> None:
    """Have `implementation` compiled wherever a program calls `target`, whatever rule there was for it."""

    def rule(machine: Any, /, *args: Any, **kwargs: Any) -> Any:
        return machine.call(Const(implementation), list(args), kwargs)

    rule.accepts_unions = True
    switch_off("xlapy.overload was called")
    libraries.read_rules()
    registry.overload(target, rule)
    interpreted_functions.forget()
    forget_all()
