"""How the implementations in plain Python refuse what they have not got."""

from __future__ import annotations

from xlapy.dispatch import registry
from xlapy.dispatch.protocol import Machine, Refused
from xlapy.domain.values import Value


def refuse(what):
    """Refuse to go on (a rule): `what` names what there is no rule for."""
    raise NotImplementedError(what)


@registry.function(refuse)
def _refuse(machine: Machine, what: Value) -> Value:
    raise Refused("XP0011", machine.static(what))


__all__ = ["refuse"]
