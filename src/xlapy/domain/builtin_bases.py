"""Classes defined in Python that derive from a container: their objects are instances with one inside."""

from __future__ import annotations

import collections

BASES = (collections.OrderedDict, collections.defaultdict, collections.Counter, list, dict, set)
#: the slot of the container; no identifier
CONTENTS = "<contents>"
#: modules whose subclasses of containers have rules of their own
_RULED = ("collections", "typing", "builtins")


def base_of(cls: type) -> type | None:
    """The built-in container that a class defined in Python derives from, if it is one."""
    base = next((c for c in cls.__mro__ if c in BASES), None)
    if base is None or cls in BASES or cls.__module__.partition(".")[0] in _RULED:
        return None
    between = cls.__mro__[: cls.__mro__.index(base)]
    plain = all(c.__flags__ & (1 << 9) and c.__module__.partition(".")[0] not in _RULED for c in between)
    return base if plain else None
