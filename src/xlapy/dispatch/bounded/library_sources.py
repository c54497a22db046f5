"""Functions that NumPy has in Python: for arrays of dynamic length they are interpreted, as a user's would be."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from xlapy.dispatch import registry
from xlapy.dispatch.argument_kinds import DYNAMIC_LENGTH
from xlapy.dispatch.protocol import Machine
from xlapy.domain.values import Const, Value


def _interpreted(implementation: Callable) -> Callable:
    def rule(machine: Machine, /, *args: Value, **kwargs: Value) -> Value:
        return machine.call(Const(implementation), args, kwargs)

    return rule


for _item in (np.allclose, np.fliplr, np.flipud, np.gradient, np.polyfit, np.polyval, np.resize, np.split):
    registry.function(_item, kind=DYNAMIC_LENGTH)(_interpreted(_item.__wrapped__))
