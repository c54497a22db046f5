"""Functions that NumPy has in Python: for arrays of dynamic length they are interpreted, as a user's would be."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from xlapy.dispatch.bounded.bounded_rules import FUNCTIONS
from xlapy.dispatch.protocol import Machine
from xlapy.domain.values import Const, Value


def _interpreted(implementation: Callable) -> Callable:
    def rule(machine: Machine, /, *args: Value, **kwargs: Value) -> Value:
        return machine.call(Const(implementation), args, kwargs)

    return rule


for _item in (np.allclose, np.fliplr, np.flipud, np.gradient, np.polyfit, np.polyval, np.resize, np.split):
    FUNCTIONS[_item] = _interpreted(_item.__wrapped__)
